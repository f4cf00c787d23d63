"""The closed formulas against whole calls under 2,000 seeds."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

import stratframe as sf
from stratframe import theory

N_SEEDS = 2000

N, K, COUNT = 240, 8, 65
"""Rows, folds and rows of the class; 65 = 8 * 8 + 1."""


@cache
def counts(by: str | None, count: int = COUNT) -> np.ndarray:
    """Rows of a class in every fold under many seeds, and repeats, shape (n_seeds, k)."""
    label = np.arange(N) < count
    frame = pd.DataFrame({"label": label})
    dealt = [
        sf.kfold(frame, by, K, seed=seed, repeats=50)[label].filter(like="fold")
        for seed in range(N_SEEDS // 50)
    ]
    columns = np.concatenate([frame.to_numpy().T for frame in dealt])
    return np.stack([(columns == fold).sum(axis=1) for fold in range(K)], axis=1)


def shares(by: str | None) -> np.ndarray:
    """Shares of the class in every fold under many seeds."""
    return counts(by) / (N // K)


def test_stratified_shares_vary_as_the_formula_says() -> None:
    """The share in a fold has the variance r (k - r) / n^2, in one fold and over all."""
    formula = theory.variance_stratified(N, K, COUNT)
    off = shares("label") - COUNT / N
    np.testing.assert_allclose((off**2).mean(axis=1), formula)
    # The share in one fold has two values, so that its variance has a binomial error.
    chance = (COUNT % K) / K
    error = np.sqrt(chance * (1 - chance) * (1 - 2 * chance) ** 2 / N_SEEDS) * (K / N) ** 2
    np.testing.assert_allclose(shares("label").var(axis=0), formula, atol=4.5 * error)


def test_plain_shares_vary_as_without_replacement() -> None:
    """The share in a plain fold has the exact variance, not that with replacement."""
    found = ((shares(None) - COUNT / N) ** 2).mean(axis=1)
    error = found.std() / np.sqrt(N_SEEDS)
    exact = theory.variance_random(N, K, COUNT / N)
    assert found.mean() == pytest.approx(exact, abs=4 * error)
    assert abs(found.mean() - theory.variance_random(N, K, COUNT / N, replace=True)) > 8 * error


def test_plain_folds_lack_a_class_as_often_as_the_formula_says() -> None:
    """Plain folds of a rare class lack it as often as the hypergeometric formulas say."""
    lacking = counts(None, 12) == 0
    for found, chance in (
        (lacking[:, 0].mean(), theory.probability_missing(N, 12, K)),
        (lacking.any(axis=1).mean(), theory.probability_any_missing(N, 12, K)),
    ):
        assert found == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / N_SEEDS))
