"""Numbers read from columns: order, edges, differences, and points."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from stratframe.errors import StratError
from stratframe.frames.read_numbers import read_comparable, read_interval, read_ordinal

Column = Callable[[list[Any]], Any]
INTEGERS = [3, None, -1, 2, 3]
FLOATS = [0.5, None, -1.5, 0.25, 0.5]
DAYS = [dt.date(2024, 3, 1), None, dt.date(2023, 1, 1), dt.date(2024, 2, 1), dt.date(2024, 3, 1)]
STAMPS = [day and dt.datetime(day.year, day.month, day.day, 6) for day in DAYS]
TIMES = [dt.time(9), None, dt.time(1), dt.time(5, 30), dt.time(9)]
SPANS = [dt.timedelta(9), None, dt.timedelta(-1), dt.timedelta(0, 5), dt.timedelta(9)]
WIDE = [2**64 - 1, None, 2**63, 2**63 + 1, 2**64 - 1]
DECIMALS = [Decimal("3.5"), None, Decimal("-1"), Decimal("2.25"), Decimal("3.5")]
PRESENT = np.array([0, 2, 3, 4])
"""Positions of the values in these columns; all rank 2, 0, 1, 2."""


def dense_ranks(values: Any) -> list[int]:
    return np.unique(np.asarray(values), return_inverse=True)[1].tolist()


def of_objects(values: list[Any]) -> pd.Series:
    return pd.Series(values, name="x", dtype=object)


def of_arrow(values: list[Any], dtype: pa.DataType) -> pd.Series:
    return pd.Series(values, name="x", dtype=pd.ArrowDtype(dtype))


DAY = 86_400
OF_TIME = {
    (60 * DAY, -365 * DAY, 31 * DAY, 60 * DAY): [
        pl.Series("x", DAYS),
        pl.Series("x", STAMPS),
        of_objects(DAYS),
        of_objects(STAMPS),
        pd.Series(STAMPS, name="x", dtype="datetime64[s]"),
        pd.Series(STAMPS, name="x").dt.tz_localize("Europe/Amsterdam"),
        pd.Series(pd.PeriodIndex(STAMPS, freq="D"), name="x"),
        of_arrow(DAYS, pa.date32()),
        of_arrow(STAMPS, pa.timestamp("us")),
    ],
    (9 * 3600, 3600, 5 * 3600 + 1800, 9 * 3600): [
        pl.Series("x", TIMES),
        of_objects(TIMES),
        of_arrow(TIMES, pa.time64("us")),
    ],
    (9 * DAY, -DAY, 5, 9 * DAY): [
        pl.Series("x", SPANS),
        of_objects(SPANS),
        pd.Series(SPANS, name="x", dtype="timedelta64[ms]"),
        of_arrow(SPANS, pa.duration("ms")),
    ],
}
"""Columns by the seconds from 2024-01-01, from midnight, or that they last."""
TEMPORAL = [series for columns in OF_TIME.values() for series in columns]
NUMERIC = [
    of_objects(INTEGERS),
    of_objects(FLOATS),
    of_objects(DECIMALS),
    pl.Series("x", DECIMALS),
    of_arrow(DECIMALS, pa.decimal128(9, 4)),
    pl.Series("x", [2**100, None, -(2**100), 5, 2**100], dtype=pl.Int128),
    pl.Series("x", INTEGERS, dtype=pl.Int8),
    pd.Series(INTEGERS, name="x", dtype="Int16"),
    pd.Series(FLOATS, name="x", dtype="Float32"),
    *(pd.Series(FLOATS, name="x", dtype=dtype) for dtype in ("float16", ">f8", "Sparse[float64]")),
    pd.Series(FLOATS, name="x", dtype="category"),
    pd.Series(["3.5", None, "-1", "2", "3.5"], name="x", dtype="category"),
    pl.Series("x", ["3.5", None, "-1", "2", "3.5"], dtype=pl.Categorical),
    pl.Series("x", ["3.5", None, "-1", "2", "3.5"], dtype=pl.Enum(["3.5", "2", "-1"])),
]
UNSIGNED = [
    pl.Series("x", WIDE, dtype=pl.UInt64),
    pd.Series(WIDE, name="x", dtype="UInt64"),
    of_arrow(WIDE, pa.uint64()),
]
dtype_of = {"ids": lambda series: f"{type(series).__module__.partition('.')[0]} {series.dtype}"}


def assert_order(read: Any, series: Any) -> None:
    values, missing = read(series, "term")
    np.testing.assert_array_equal(missing, [False, True, False, False, False])
    assert values.dtype in (np.float64, np.int64, np.uint64)
    assert dense_ranks(values[PRESENT]) == [2, 0, 1, 2]


@pytest.mark.parametrize("values", [INTEGERS, FLOATS, STAMPS, SPANS, [9.5, None, -9, 2, 9.5]])
@pytest.mark.parametrize("read", [read_ordinal, read_interval])
def test_order_in_every_kind(column: Column, values: list[Any], read: Any) -> None:
    """Numbers and dates keep their order and ties in every kind of frame."""
    assert_order(read, column(values))


@pytest.mark.parametrize("series", [*NUMERIC, *UNSIGNED, *TEMPORAL], **dtype_of)
@pytest.mark.parametrize("read", [read_ordinal, read_interval])
def test_order_in_other_dtypes(series: Any, read: Any) -> None:
    """Objects, decimals, categories of numbers and all dates keep their order."""
    assert_order(read, series)


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(np.array([2**64 - 1, 2**63, 2**64 - 2], dtype=np.uint64)),
        pl.Series([2**64 - 1, 2**63, 2**64 - 2], dtype=pl.UInt64),
    ],
)
def test_unsigned_integers_are_exact(series: Any) -> None:
    """Unsigned 64-bit integers are read as such for order, and as floats for edges."""
    values, _ = read_ordinal(series, "term")
    assert values.tolist() == [2**64 - 1, 2**63, 2**64 - 2]
    values, _ = read_comparable(series, "term")
    np.testing.assert_array_equal(values, np.array([2**64 - 1, 2**63, 2**64 - 2], dtype=float))


@pytest.mark.parametrize("values", [[True, False, None], [2, -3, None], [0.5, -1.5, None]])
def test_values_that_edges_compare_with(column: Column, values: list[Any]) -> None:
    """Numbers and booleans are read by value, as edges are."""
    found, missing = read_comparable(column(values), "term")
    np.testing.assert_array_equal(missing, [False, False, True])
    np.testing.assert_array_equal(found[:2], np.array(values[:2], dtype=float))


@pytest.mark.parametrize("series", TEMPORAL, **dtype_of)
def test_dates_do_not_compare_with_edges(series: Any) -> None:
    """A date, time or duration is an error, with a hint at what takes dates."""
    with pytest.raises(StratError) as caught:
        read_comparable(series, "sf.bins('x', [1, 2])")
    assert str(caught.value) == (
        f"`sf.bins('x', [1, 2])` needs numbers, but column 'x' is {series.dtype}."
        "\nHint: `sf.quantiles` takes dates."
    )


def test_nulls_alone_are_numbers() -> None:
    """A column of nulls has an order: all are missing."""
    for series in (pl.Series([None, None]), of_objects([None, None])):
        assert read_ordinal(series, "term")[1].tolist() == [True, True]


@pytest.mark.parametrize(
    "series",
    [
        pl.Series("x", ["a"]),
        pd.Series(["a"], name="x"),
        of_objects(["a"]),
        of_objects([object()]),
        pd.Series(["a"], name="x", dtype="category"),
        pl.Series("x", ["a"], dtype=pl.Categorical),
        pl.Series("x", [[1]]),
        pl.Series("x", [object()], dtype=pl.Object),
        pd.Series([1j], name="x"),
        of_arrow([b"a"], pa.binary()),
    ],
    **dtype_of,
)
@pytest.mark.parametrize("read", [read_ordinal, read_comparable, read_interval])
def test_columns_without_order(series: Any, read: Any) -> None:
    """The message names the term, the column and its dtype."""
    with pytest.raises(StratError) as caught:
        read(series, "sf.quantiles('x', 3)")
    assert str(caught.value) == (
        f"`sf.quantiles('x', 3)` needs numbers or dates, but column 'x' is {series.dtype}."
    )


@pytest.mark.parametrize(
    ("series", "seconds"),
    [(series, seconds) for seconds, columns in OF_TIME.items() for series in columns],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_differences_of_dates(series: Any, seconds: tuple[int, ...]) -> None:
    """Differences of dates and times are in proportion to time, whatever holds them."""
    values, missing = read_interval(series, "drift")
    np.testing.assert_array_equal(missing, [False, True, False, False, False])
    steps, expected = np.diff(values[PRESENT].astype(float)), np.diff(seconds)
    np.testing.assert_allclose(steps / steps[0], expected / expected[0], rtol=1e-12)


def test_differences_of_columns_with_any_label() -> None:
    """Python times are read in a column whose label is no string."""
    values, _ = read_interval(pd.Series(TIMES, name=0, dtype=object), "drift")
    assert dense_ranks(values[PRESENT]) == [2, 0, 1, 2]


def test_differences_of_mixed_dates() -> None:
    """Dates and times in one column have no differences."""
    with pytest.raises(StratError, match="`drift` needs numbers or dates, but column 'x' mixes"):
        read_interval(of_objects([dt.date(2024, 1, 1), dt.datetime(2024, 1, 1, 1)]), "drift")
