"""The closed formulas against whole calls under 2,000 seeds."""

import numpy as np
import pandas as pd
import pytest

import stratframe as sf
from stratframe import theory

N_SEEDS = 2000

N, K, COUNT = 240, 8, 65
"""Rows, folds and rows of a class."""


def counts(n: int) -> np.ndarray:
    """Rows of a class of n in every plain fold under many seeds, and repeats: (n_seeds, k)."""
    frame = pd.DataFrame({"row": range(N)})
    dealt = [
        sf.kfold(frame, k=K, seed=seed, repeats=50)[:n].filter(like="fold")
        for seed in range(N_SEEDS // 50)
    ]
    columns = np.concatenate([frame.to_numpy().T for frame in dealt])
    return np.stack([(columns == fold).sum(axis=1) for fold in range(K)], axis=1)


def test_plain_shares_vary_as_without_replacement() -> None:
    """The share in a plain fold has the exact variance, not that with replacement."""
    found = ((counts(COUNT) / (N // K) - COUNT / N) ** 2).mean(axis=1)
    error = found.std() / np.sqrt(N_SEEDS)
    exact = theory.variance_random(N, K, COUNT / N)
    assert found.mean() == pytest.approx(exact, abs=4 * error)
    assert abs(found.mean() - theory.variance_random(N, K, COUNT / N, replace=True)) > 8 * error


def test_plain_folds_lack_a_class_as_often_as_the_formula_says() -> None:
    """Plain folds of a rare class lack it as often as the hypergeometric formulas say."""
    lacking = counts(12) == 0
    for found, chance in (
        (lacking[:, 0].mean(), theory.probability_missing(N, 12, K)),
        (lacking.any(axis=1).mean(), theory.probability_any_missing(N, 12, K)),
    ):
        assert found == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / N_SEEDS))
