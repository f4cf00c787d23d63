"""Deals: every cell of the table is met exactly, and every deal is equally likely."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from stratframe.core.deal import deal_by_surplus, deal_by_table, round_robin
from stratframe.core.order import shuffled
from stratframe.core.quota import equal_quota
from stratframe.core.seeds import StreamTag, random_words

seeds = st.integers(0, 2**32)


def cell_counts(codes: np.ndarray, parts: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    counts = np.zeros(shape, dtype=int)
    np.add.at(counts, (codes, parts), 1)
    return counts


@given(
    table=st.integers(2, 5).flatmap(
        lambda p: st.lists(
            st.lists(st.integers(0, 12), min_size=p, max_size=p), min_size=1, max_size=5
        )
    ),
    seed=seeds,
)
def test_random_deals_meet_the_table(table: list[list[int]], seed: int) -> None:
    """Both random deals give each part the rows of the table."""
    quota = np.array(table)
    codes = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(table)), quota.sum(1)))
    if len(codes) == 0:
        return
    free = deal_by_surplus(codes, quota, random_words(seed, StreamTag.FOLD_ROWS, len(codes)))
    rows = shuffled(codes, len(table), random_words(seed, StreamTag.FOLD_ROWS, len(codes)))
    np.testing.assert_array_equal(cell_counts(codes, free, quota.shape), quota)
    np.testing.assert_array_equal(
        cell_counts(codes, deal_by_table(rows, quota), quota.shape), quota
    )


@given(sizes=st.lists(st.integers(1, 20), min_size=1, max_size=6), k=st.integers(2, 7), seed=seeds)
def test_round_robin_meets_the_equal_quota(sizes: list[int], k: int, seed: int) -> None:
    """A round-robin deal has the counts of `equal_quota`."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    fold_permutation = np.random.default_rng(seed).permutation(k)
    folds = round_robin(
        shuffled(codes, len(sizes), random_words(seed, StreamTag.FOLD_ROWS, len(codes))),
        fold_permutation,
    )
    np.testing.assert_array_equal(
        cell_counts(codes, folds, (len(sizes), k)), equal_quota(np.array(sizes), fold_permutation)
    )


def test_surplus_deal_of_many_rows() -> None:
    """Large strata, a tiny one among them, and skewed parts meet the table."""
    table = np.array([[90_000, 5_000, 5_000], [1, 0, 1], [300, 100, 0]])
    codes = np.repeat([0, 1, 2], table.sum(axis=1))
    parts = deal_by_surplus(codes, table, random_words(0, StreamTag.FOLD_ROWS, len(codes)))
    np.testing.assert_array_equal(cell_counts(codes, parts, table.shape), table)


def test_surplus_deal_lifts_a_bound_that_is_too_low() -> None:
    """Where all low bits are large, so that no row is below the bound, rows still move."""
    draws = np.full(10_000, (1 << 48) - 1, dtype=np.uint64) - np.arange(10_000, dtype=np.uint64)
    table = np.array([[9_990, 10]])
    parts = deal_by_surplus(np.zeros(10_000, dtype=int), table, draws)
    np.testing.assert_array_equal(np.bincount(parts), table[0])


@pytest.mark.slow
@pytest.mark.parametrize("how", ["surplus", "table"])
def test_all_deals_are_equally_likely(how: str) -> None:
    """Over seeds every assignment with the counts of the table is equally frequent."""
    table = np.array([[2, 1, 1], [1, 1, 0]])
    codes = np.array([0, 1, 0, 0, 1, 0])
    frequency: dict[tuple[int, ...], int] = {}
    for seed in range(9600):
        draws = random_words(seed, StreamTag.FOLD_ROWS, 6)
        if how == "surplus":
            parts = deal_by_surplus(codes, table, draws)
        else:
            parts = deal_by_table(shuffled(codes, 2, draws), table)
        frequency[tuple(parts.tolist())] = frequency.get(tuple(parts.tolist()), 0) + 1
    n_deals = len(set(permutations([0, 0, 1, 2]))) * 2
    assert len(frequency) == n_deals == 24
    assert chisquare(list(frequency.values())).pvalue > 0.001
