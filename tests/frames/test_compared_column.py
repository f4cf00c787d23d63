"""Columns in which rows are compared: their codes, hashes and counts."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.frames import ComparedColumn, compared_column

from .columns import NAN, Column

VALUES: list[list[Any]] = [
    [3, 1, 3, 2**40, 1],
    [0.0, -0.0, 0.5, 1e300, 0.5],
    [1.5, None, NAN, 1.5, None],
    ["b", "a", None, "b", ""],
    [None, None, None, None, None],
    [True, False, True, None, False],
]


def plain(value: Any) -> Any:
    """Return a value by which equal values are equal in Python: missing ones, and both zeros."""
    is_missing = value is None or (isinstance(value, float) and math.isnan(value))
    return None if is_missing else value


def are_alike(values: Any) -> list[list[bool]]:
    """Compare each value with each."""
    return [[bool(value == other) for other in values] for value in values]


@pytest.fixture(params=[1 << 14, 0], ids=["short", "long"])
def length(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Treat all columns as short, or all as long."""
    monkeypatch.setattr(compared_column, "SHORT", request.param)


@pytest.mark.usefixtures("length")
@pytest.mark.parametrize("values", VALUES, ids=["numbers", "zeros", "nan", "text", "null", "flags"])
def test_codes_and_hashes_are_equal_where_values_are(column: Column, values: list[Any]) -> None:
    """Missing values are equal, and so are both zeros, in all rows and in some."""
    expected = are_alike(list(map(plain, values)))
    some = np.array([0, 3])
    expected_of_some = are_alike([plain(values[row]) for row in some])
    compared = ComparedColumn(column(values))

    assert are_alike(compared.classes[0]) == expected
    assert are_alike(compared.words) == expected
    assert are_alike(compared.words_at(some)) == expected_of_some
    assert are_alike(compared.classes_at(some)[0]) == expected_of_some
    assert are_alike(compared.comparable_numbers(some)) == expected_of_some


@pytest.mark.parametrize("make", [pd.Series, pl.Series, np.array])
@given(values=st.lists(st.integers(0, 200), min_size=1, max_size=400), data=st.data())
def test_values_are_counted(make: Any, values: list[int], data: st.DataObject) -> None:
    """Rows are counted by value, and those with a rare value are listed, as in a loop."""
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, len(values) - 1), min_size=1))))
    most = data.draw(st.integers(1, 3))
    counts = Counter(values[row] for row in rows)
    compared = ComparedColumn(make(values))

    sizes = compared.value_sizes(rows)
    rare = compared.rows_of_rare_values(rows, most)

    assert sorted(sizes[sizes > 0].tolist()) == sorted(counts.values())
    assert rare.tolist() == [row for row in rows if counts[values[row]] <= most]


@pytest.mark.parametrize("make", [pd.Series, pl.Series])
def test_missing_values_are_counted_first(make: Any) -> None:
    """The first count is that of rows without a value."""
    compared = ComparedColumn(make(["a", None, "a", None, None]))
    assert compared.value_sizes(np.arange(5)).tolist() == [3, 2]
    assert compared.value_sizes(np.array([0, 1, 2])).tolist() == [1, 2]


NESTED = [
    *(make(x) for make in (pd.Series, pl.Series) for x in ([[1], [2]], [{"a": 1}, {"a": 2}])),
    pl.Series([[1.0] * 2], dtype=pl.Array(pl.Float64, 2)),
    pl.Series([1], dtype=pl.Object),
    pd.Series([np.ones(2), np.ones(2)]),
]


@pytest.mark.parametrize("series", NESTED, ids=lambda _: "")
def test_nested_columns_cannot_be_compared(series: Any) -> None:
    """Lists, structs, arrays and objects of Polars have no values that are equal."""
    assert not ComparedColumn(series).is_comparable
    assert ComparedColumn(pd.Series(["a", 1, None])).is_comparable
