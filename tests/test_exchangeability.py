"""Statistical truth of whole calls: chances, exchangeable folds, independent strata."""

from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, chisquare

import stratframe as sf
from tests.helpers import some_slow

N_SEEDS = 1500
KEYS: dict[str, Any] = {"position": None, "number": lambda i: i, "text": lambda i: f"id {i}"}
keyed = pytest.mark.parametrize("ranked_by", some_slow(KEYS, {"text"}))


def folds_over_seeds(data: dict[str, Any], by: Any, k: int, ranked_by: str) -> np.ndarray:
    """Folds of every row under many seeds, and in 50 repeats of each, shape (n_seeds, n_rows)."""
    df = pd.DataFrame(data)
    given = {"repeats": 50, "name": "f", "rare": "ignore"}
    if ranked_by != "position":
        df["key"], given["key"] = [KEYS[ranked_by](row) for row in range(len(df))], "key"
    dealt = [sf.kfold(df, by, k, **given, seed=seed) for seed in range(N_SEEDS // 50)]
    return np.concatenate([frame.filter(regex=r"^f_\d+$").to_numpy().T for frame in dealt])


EIGHT = [1, 1, 2, 3, 5, 8, 9, 10]
CASES: dict[str, tuple[dict[str, Any], Any]] = {
    "class": ({"a": [0, 1, 1, 0, 1, 1, 0, 1, 1, 2, 2]}, "a"),
    "nested": ({"a": [0] * 6 + [1] * 5, "b": [0, 1] * 5 + [0]}, ["a", "b"]),
    "continuous": ({"v": [0.5, 1, 1, 2, 3, 5, 8, 9, 10, 11, 12.5]}, "v"),
    "none": ({"a": range(11)}, None),
    "total": ({"a": [0, 1] * 5 + [1], "v": [*EIGHT, 11, 12, 40]}, ["a", sf.total("v")]),
    "totals": ({"v": EIGHT, "w": [3, 1, 4, 1, 5, 9, 2, 6]}, sf.total("v", "w")),
}
PLAIN = {*product(["class", "nested", "continuous", "none"], ["position"]), ("nested", "number")}
SLOW = {*product(CASES, KEYS)} - PLAIN


@pytest.mark.parametrize("case", some_slow(product(CASES, KEYS), SLOW), ids="-".join)
def test_every_row_has_every_fold_alike(case: tuple[str, str]) -> None:
    """Over seeds each row is in each fold equally often, whatever ranks the rows."""
    for row in folds_over_seeds(*CASES[case[0]], 4, case[1]).T:
        assert chisquare(np.bincount(row, minlength=4)).pvalue > 1e-5


@keyed
def test_a_rare_class_visits_all_folds(ranked_by: str) -> None:
    """A class of 3 rows with k=5 visits all folds, and all sets of 3 folds, equally."""
    folds = folds_over_seeds({"a": [0] * 3 + [1] * 14}, "a", 5, ranked_by)[:, :3]
    assert (np.diff(np.sort(folds, axis=1), axis=1) > 0).all()
    assert chisquare(np.bincount(folds.ravel(), minlength=5)).pvalue > 1e-3
    sets = [tuple(sorted(found)) for found in folds.tolist()]
    seen = [sets.count(some) for some in combinations(range(5), 3)]
    assert chisquare(seen).pvalue > 1e-3


@keyed
def test_strata_are_shuffled_independently(ranked_by: str) -> None:
    """Which row of a stratum is in a fold is independent of the other strata."""
    folds = folds_over_seeds({"a": [0, 0, 0, 1, 1, 1]}, "a", 3, ranked_by)
    table = np.zeros((3, 3))
    np.add.at(table, (folds[:, 0], folds[:, 3]), 1)
    assert chi2_contingency(table).pvalue > 1e-3


def test_seeds_of_the_data_do_no_harm() -> None:
    """Folds are independent of data that were drawn with the same small seed."""
    for seed in range(20):
        frame = pd.DataFrame({"v": np.random.default_rng(seed).random(2000)}).assign(a=0)
        for key in (None, "v"):
            means = sf.kfold(frame, "a", key=key, seed=seed).groupby("fold")["v"].mean()
            assert np.ptp(means) < 0.09


SPLIT: dict[str, tuple[list[int], list[float]]] = {
    "two classes": ([5, 7], [0.7, 0.2, 0.1]),
    "rare classes": ([9, 7, 5, 2], [0.7, 0.2, 0.1]),
    "single rows": ([3, 14, 1], [0.8, 0.1, 0.1]),
    "four parts": ([6, 2, 5, 1, 3], [0.4, 0.3, 0.2, 0.1]),
}


@pytest.mark.slow
@pytest.mark.parametrize("by", ["a", ["half", "a"], ["a", "order"]], ids=str)
@pytest.mark.parametrize(("sizes", "shares"), SPLIT.values(), ids=list(SPLIT))
def test_parts_have_their_share_of_every_row(sizes, shares, by):
    """Over seeds a split puts each row, of rare classes too, into each part as its share says."""
    a = np.repeat(np.arange(len(sizes)), sizes)
    frame = pd.DataFrame({"a": a, "half": a >= 2, "order": np.arange(len(a)) + 0.5})
    parts = {f"part {i}": share for i, share in enumerate(shares)}
    dealt = (sf.split(frame, by, parts, seed=seed, rare="ignore") for seed in range(N_SEEDS))
    found = np.array([each["split"].cat.codes for each in dealt])
    for part, share in enumerate(shares):
        z = ((found == part).sum(axis=0) - N_SEEDS * share) / (N_SEEDS * share * (1 - share)) ** 0.5
        assert np.abs(z).max() < 4.5
        # The rows of a class, whose number in the part has the variance of one coin.
        for code, size in enumerate(sizes):
            fraction = size * share % 1
            counts = (found[:, a == code] == part).sum(axis=1)
            sd = (fraction * (1 - fraction) / N_SEEDS) ** 0.5
            assert abs(counts.mean() - size * share) <= 4.5 * sd + 1e-9


@pytest.mark.parametrize(
    ("n", "key"),
    [
        pytest.param(60, None),
        pytest.param(60, "i", marks=pytest.mark.slow),
        pytest.param(6_000, None, marks=pytest.mark.slow),
        pytest.param(6_000, "i"),
    ],
)
def test_columns_of_one_seed_are_independent(n: int, key: Any) -> None:
    """Splits, folds, repeats and samples of one seed are independent of each other."""
    frame = pd.DataFrame({"a": [0, 0, 1] * (n // 3), "i": range(n)})
    pvalues = []
    for seed in range(20):
        dealt = frame.strat.split("a", seed=seed, key=key).strat.kfold("a", seed=seed, key=key)
        dealt = dealt.strat.kfold("a", 4, seed=seed, name="four", key=key)
        dealt = dealt.strat.kfold("a", repeats=2, seed=seed, name="again", key=key)
        dealt["taken"] = dealt["i"].isin(sf.sample(dealt, "a", frac=0.2, seed=seed)["i"])
        for pair in ("split fold", "four fold", "again_1 again_2", "taken split", "taken fold"):
            table = pd.crosstab(*(dealt[name] for name in pair.split()))
            pvalues.append(chi2_contingency(table).pvalue)
    assert min(pvalues) > 1e-5
