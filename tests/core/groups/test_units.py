"""Units and their counts, against full tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.core.groups.units import (
    count_by_unit,
    number_columns,
    to_dense,
    unique_rows,
)
from stratframe.core.seeds import StreamTag, random_words

pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=60).map(
    lambda rows: np.array(rows).T
)
"""Units and columns, shape (2, n_pairs)."""


def full(given_pairs: np.ndarray) -> np.ndarray:
    """The counts of 7 units and 4 columns as a table."""
    table = np.zeros((7, 4), dtype=int)
    np.add.at(table, tuple(given_pairs), 1)
    return table


@pytest.mark.parametrize("n_units", [10**6, 7], ids=["sorted", "counted"])
@given(given_pairs=pairs)
def test_pairs_are_counted(n_units: int, given_pairs: np.ndarray) -> None:
    """Pairs become counts, by a table or by a sort, and units without pairs have none."""
    unit, column = given_pairs
    units = count_by_unit(unit, column, n_units, 4)
    expected = full(given_pairs)
    np.testing.assert_array_equal(to_dense(units, np.arange(7)).T, expected)
    assert (units.data > 0).all()
    np.testing.assert_array_equal(units.totals, np.bincount(column, minlength=4))


@given(given_pairs=pairs, seed=st.integers(0, 9))
def test_unique_rows_have_equal_counts(given_pairs: np.ndarray, seed: int) -> None:
    """Units share a code exactly if all their counts are equal."""
    unit, column = given_pairs
    codes, sizes = unique_rows(
        count_by_unit(unit, column, 7, 4), random_words(seed, StreamTag.FOLD_SEARCH, 4)
    )
    rows = [tuple(row) for row in full(given_pairs).tolist()]
    assert len(set(zip(rows, codes.tolist(), strict=True))) == len(set(rows)) == len(sizes)
    np.testing.assert_array_equal(np.bincount(codes), sizes)


@given(given_pairs=pairs, names=st.permutations(range(4)))
def test_columns_are_numbered_by_their_counts(given_pairs: np.ndarray, names: list[int]) -> None:
    """Renamed columns in another order of rows keep their numbers, weighted rows as repeated."""
    unit, column = given_pairs
    numbers = number_columns(unit, column, 7, 4)
    assert sorted(numbers) == [0, 1, 2, 3]
    renamed = number_columns(unit[::-1], np.array(names)[column[::-1]], 7, 4)
    table = full(given_pairs)
    in_order, again = np.argsort(numbers), np.argsort(renamed)
    np.testing.assert_array_equal(table[:, in_order], table[:, np.argsort(names)][:, again])
    cells, weights = np.unique(unit * 4 + column, return_counts=True)
    weighted = number_columns(cells // 4, cells % 4, 7, 4, weights)
    np.testing.assert_array_equal(weighted, numbers)
