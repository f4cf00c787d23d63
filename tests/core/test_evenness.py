"""Deviations of tables, against every table, other libraries and the quotas themselves."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from stratframe.core.evenness import (
    deviations,
    group_squares,
    grouped_variance,
    optimal_max_deviation,
    random_variance,
    tv_distance,
)
from stratframe.core.quota import equal_quota

from .tables import every_table, small


@given(table=small, unassigned=st.lists(st.integers(0, 1), min_size=3, max_size=3))
def test_optimal_max_deviation_is_that_of_the_best_table(
    table: np.ndarray, unassigned: list[int]
) -> None:
    """Of all tables with these folds none is nearer to the expected rows, whichever have none."""
    sizes = table.sum(axis=1) + unassigned[: len(table)]
    assume(0 < sizes.sum() <= 10)  # so that the tables are at most some thousands
    totals = table.sum(axis=0)
    tables = every_table(sizes.tolist(), [*totals.tolist(), sum(unassigned[: len(table)])])
    best = min(np.abs(deviations(other[:, :-1], sizes)).max() for other in tables)
    assert optimal_max_deviation(sizes, totals) == pytest.approx(best)


@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=200).map(np.array),
    k=st.integers(2, 12),
)
def test_even_tables_of_equal_folds_are_the_best(sizes: np.ndarray, k: int) -> None:
    """Where all folds have one size, the table that goes round is as near as can be."""
    sizes[0] += -sizes.sum() % k
    table = equal_quota(sizes, np.arange(k))
    found = np.abs(deviations(table, sizes)).max()
    assert optimal_max_deviation(sizes, table.sum(axis=0)) == pytest.approx(found)


@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=100).map(np.array),
    totals=st.lists(st.integers(1, 50), min_size=1, max_size=6),
)
def test_a_full_column_can_be_within_a_row(sizes: np.ndarray, totals: list[int]) -> None:
    """If all rows have a fold, some column has no cell a whole row off."""
    shares = np.array(totals) * sizes.sum() // sum(totals)
    shares[0] += sizes.sum() - shares.sum()
    assert 0 <= optimal_max_deviation(sizes, shares) < 1


def test_optimal_max_deviation_of_many_strata_and_folds_is_quick() -> None:
    """100,000 strata of many sizes, or 1,000 folds, make no large network."""
    sizes = np.random.default_rng(0).integers(1, 400, 100_000)
    table = equal_quota(sizes, np.arange(7))
    assert 0.5 < optimal_max_deviation(sizes, table.sum(axis=0)) < 1
    sizes = np.array([5_000, 4_000, 999])
    table = equal_quota(sizes, np.arange(1_000))
    found = np.abs(deviations(table, sizes)).max()
    assert 0 < optimal_max_deviation(sizes, table.sum(axis=0)) <= found


def test_optimal_max_deviation_of_many_rows_without_a_fold_is_quick() -> None:
    """Rows without a fold are one more column of the network, however many they are."""
    sizes = np.random.default_rng(0).integers(1, 400, 100_000)
    table = equal_quota(sizes, np.arange(7))
    assert optimal_max_deviation(sizes, table.sum(axis=0)[:3]) < 1


def test_optimal_max_deviation_of_nothing() -> None:
    """Without folds or strata nothing deviates."""
    none, one = np.zeros(0, dtype=int), np.array([3])
    assert optimal_max_deviation(one, none) == 0
    assert optimal_max_deviation(none, none) == 0


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


def test_random_variance_of_two_rows() -> None:
    """Of two rows in two folds each is in either with the same chance."""
    found = random_variance(np.array([1, 1]), np.array([1, 1]))
    np.testing.assert_array_equal(found, np.full((2, 2), 0.25))


def test_tv_distance_counts_rows_to_change() -> None:
    """The distance is the share of rows that would have to change; an empty fold has none."""
    table = np.array([[4, 0, 0], [0, 4, 0]])
    found = tv_distance(deviations(table, np.array([4, 4])), table.sum(axis=0))
    np.testing.assert_array_equal(found, [0.5, 0.5, np.nan])
    table = np.array([[1, 0], [0, 3]])
    found = tv_distance(deviations(table, np.array([1, 3])), table.sum(axis=0))
    np.testing.assert_array_equal(found, [0.75, 0.25])


def test_optimal_max_deviation_takes_rows_of_any_stratum() -> None:
    """The rows without a fold may be any: a column of other rows can be nearer."""
    assert optimal_max_deviation(np.array([4, 1, 3]), np.array([1, 3])) == 0.5
    assert optimal_max_deviation(np.array([40, 40]), np.array([20, 20])) == 0


@pytest.mark.parametrize("rows", [1, 3, 9, 20])
def test_optimal_max_deviation_of_one_fold(rows: int) -> None:
    """The rows of a fold beside rows without one are divided over the strata."""
    assert optimal_max_deviation(np.array([20, 20]), np.array([rows])) == rows % 2 / 2


@given(
    rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(1, 3)), min_size=1),
    k=st.integers(2, 3),
)
def test_random_groups_vary_as_all_their_folds_do(rows: list[tuple[int, int, int]], k: int) -> None:
    """The variance is that over all ways to give each group a fold, weights counting rows."""
    codes, groups, weights = np.array(rows).T
    ways = [np.array(folds) for folds in product(range(k), repeat=5)]
    counts = [np.bincount(codes, weights * (folds[groups] == 0), 3) for folds in ways]
    squares = group_squares(codes, groups, weights, 3)
    found = grouped_variance(squares, np.full(k, 1))
    np.testing.assert_allclose(found, np.repeat(np.var(counts, axis=0)[:, None], k, axis=1))
