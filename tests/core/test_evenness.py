"""Deviations of tables, against every table, other libraries and the quotas themselves."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import hypergeom

from stratframe.core.evenness import (
    deviations,
    least_deviation,
    random_variance,
    table_exists,
    tv_distance,
)
from stratframe.core.quota import equal_quota

small = hnp.arrays(
    np.int64,
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
    elements=st.integers(0, 3),
)


def rows_of(total: int, n_cells: int) -> list[tuple[int, ...]]:
    """All rows of whole numbers with one sum."""
    return [row for row in product(range(total + 1), repeat=n_cells) if sum(row) == total]


def every_table(rows: list[int], columns: list[int]) -> list[np.ndarray]:
    """All tables of whole numbers with given sums."""
    tables = product(*(rows_of(total, len(columns)) for total in rows))
    return [np.array(table) for table in tables if np.sum(table, axis=0).tolist() == columns]


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
def test_the_sums_of_a_table_have_a_table(table: np.ndarray) -> None:
    """A table itself lies in its bounds, and none in bounds that its sums break."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    assert table_exists(np.zeros_like(table), table + 1, rows, columns)
    assert table_exists(table, table, rows, columns)
    assert not table_exists(table + 1, table + 2, rows, columns)


@given(table=small)
def test_tables_are_told_as_by_trying_all(table: np.ndarray) -> None:
    """Whether bounds hold a table with given sums is told as by trying every table."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    low, high = np.zeros_like(table), np.maximum(table[::-1, ::-1], 1)
    tried = [
        other
        for other in every_table(rows.tolist(), columns.tolist())
        if (other >= low).all() and (other <= high).all()
    ]
    assert table_exists(low, high, rows, columns) == bool(tried)


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
