"""Rows that are equal in all columns but one are counted as by comparing all pairs of rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stratframe.core.near_copies import count_split_pairs, count_without_each, flag_split_rows

TABLES = st.tuples(st.integers(1, 9), st.integers(0, 30)).flatmap(
    lambda shape: st.tuples(
        arrays(np.uint64, shape, elements=st.integers(0, 2)),
        arrays(np.int64, shape[1], elements=st.integers(0, 2)),
    )
)
"""Values of a few columns, and the fold of each row."""


def mix_bits(values: np.ndarray) -> np.ndarray:
    """Hash the values of each column on its own, so that sums differ where rows differ."""
    places = np.arange(len(values), dtype=np.uint64)[:, None]
    words = (values + np.uint64(3) * places + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    return (words ^ (words >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)


def equal_pairs(values: np.ndarray, folds: np.ndarray) -> list[tuple[int, int]]:
    """List the pairs of equal rows in different folds."""
    n_rows = len(folds)
    return [
        (first, second)
        for second in range(n_rows)
        for first in range(second)
        if folds[first] != folds[second] and (values[:, first] == values[:, second]).all()
    ]


@given(TABLES)
def test_columns_are_left_out_one_at_a_time(table: tuple[np.ndarray, np.ndarray]) -> None:
    """Each count is the number of rows that equal a row of another fold in all other columns."""
    values, folds = table
    n_columns = len(values)
    columns = range(0, n_columns, 2)
    counts = count_without_each(mix_bits(values), folds, columns)
    expected = np.zeros(n_columns, dtype=np.int64)
    for column in columns:
        pairs = equal_pairs(np.delete(values, column, axis=0), folds)
        expected[column] = len({row for pair in pairs for row in pair})
    assert counts.tolist() == expected.tolist()


@given(TABLES)
def test_equal_rows_of_different_folds(table: tuple[np.ndarray, np.ndarray]) -> None:
    """Rows are flagged, and pairs counted, where words are equal in different folds."""
    values, folds = table
    words = mix_bits(values).sum(axis=0)
    pairs = equal_pairs(values, folds)
    assert count_split_pairs(words, folds) == len(pairs)
    rows = sorted({row for pair in pairs for row in pair})
    assert np.flatnonzero(flag_split_rows(words, folds)).tolist() == rows
