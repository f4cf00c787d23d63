"""Deviations of tables, against every table, other libraries and the quotas themselves."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from stratframe.core.evenness import deviations, least_deviation, random_variance, tv_distance
from stratframe.core.quota import equal_quota

from .tables import every_table, small


@given(table=small, unassigned=st.lists(st.integers(0, 3), min_size=3, max_size=3))
def test_least_deviation_is_that_of_the_best_table(
    table: np.ndarray, unassigned: list[int]
) -> None:
    """Of all tables with the sums of a table none is nearer to what is expected."""
    sizes = table.sum(axis=1) + unassigned[: len(table)]
    if not sizes.sum():
        return
    dealt, totals = table.sum(axis=1), table.sum(axis=0)
    tables = every_table(dealt.tolist(), totals.tolist())
    best = min(np.abs(deviations(other, sizes)).max() for other in tables)
    assert least_deviation(sizes, dealt, totals) == pytest.approx(best)


@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=200).map(np.array),
    k=st.integers(2, 12),
)
def test_even_tables_of_equal_folds_are_the_best(sizes: np.ndarray, k: int) -> None:
    """Where all folds have one size, the table that goes round is as near as can be."""
    sizes[0] += -sizes.sum() % k
    table = equal_quota(sizes, np.arange(k))
    found = np.abs(deviations(table, sizes)).max()
    assert least_deviation(sizes, sizes, table.sum(axis=0)) == pytest.approx(found)


@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=100).map(np.array),
    totals=st.lists(st.integers(1, 50), min_size=1, max_size=6),
)
def test_a_full_column_can_be_within_a_row(sizes: np.ndarray, totals: list[int]) -> None:
    """If all rows have a fold, some column has no cell a whole row off."""
    shares = np.array(totals) * sizes.sum() // sum(totals)
    shares[0] += sizes.sum() - shares.sum()
    assert 0 <= least_deviation(sizes, sizes, shares) < 1


def test_least_deviation_of_many_strata_and_folds_is_quick() -> None:
    """100,000 strata of many sizes, or 1,000 folds, make no large network."""
    sizes = np.random.default_rng(0).integers(1, 400, 100_000)
    table = equal_quota(sizes, np.arange(7))
    assert 0.5 < least_deviation(sizes, sizes, table.sum(axis=0)) < 1
    sizes = np.array([5_000, 4_000, 999])
    table = equal_quota(sizes, np.arange(1_000))
    found = np.abs(deviations(table, sizes)).max()
    assert 0 < least_deviation(sizes, sizes, table.sum(axis=0)) <= found


def test_least_deviation_of_nothing() -> None:
    """Without folds or strata nothing deviates."""
    none, one = np.zeros(0, dtype=int), np.array([3])
    assert least_deviation(one, np.array([0]), none) == 0
    assert least_deviation(none, none, none) == 0


@given(table=small)
def test_random_variance_is_hypergeometric(table: np.ndarray) -> None:
    """The variance is that of SciPy's hypergeometric distribution."""
    sizes, totals = table.sum(axis=1), table.sum(axis=0)
    n_rows = int(sizes.sum())
    if n_rows < 2:
        return
    found = random_variance(sizes, totals)
    for stratum, fold in product(range(len(sizes)), range(len(totals))):
        chances = hypergeom(n_rows, sizes[stratum], totals[fold]).pmf(np.arange(n_rows + 1))
        mean = chances @ np.arange(n_rows + 1)
        theirs = chances @ (np.arange(n_rows + 1) - mean) ** 2
        assert found[stratum, fold] == pytest.approx(theirs, abs=1e-12)


def test_tv_distance_counts_rows_to_change() -> None:
    """The distance is the share of rows that would have to change; an empty fold has none."""
    table = np.array([[4, 0, 0], [0, 4, 0]])
    found = tv_distance(deviations(table, np.array([4, 4])), table.sum(axis=0))
    np.testing.assert_array_equal(found, [0.5, 0.5, np.nan])


@pytest.mark.parametrize("rows", [1, 3, 9, 20])
def test_least_deviation_can_be_many_rows(rows: int) -> None:
    """If only one of two equal strata has folds, half of the fold's rows are off."""
    found = least_deviation(np.array([20, 20]), np.array([rows, 0]), np.array([rows]))
    assert found == rows / 2
