"""What columns hold: types of values, missing values, floats."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from stratframe.core.order import CHUNK
from stratframe.errors import StratError
from stratframe.frames import dtypes
from stratframe.frames.dtypes import is_missing
from stratframe.frames.read import read_comparable, read_matrix

from .columns import NAN, Column, of_arrow, of_objects, of_types

DAY = dt.date(2024, 1, 2)
TIME = dt.time(3, 4)
SPAN = dt.timedelta(hours=5)
STAMP = dt.datetime(2024, 1, 2, 3, 4)
PART = Decimal("1.5")
FLOAT = {"float", "feature", "measured"}
NUMBER = {"feature", "measured"}
FRACTION = FLOAT | {"continuous"}
EXACT = NUMBER | {"continuous"}
BOOLEAN = {"feature"}
TEMPORAL = {"temporal", "measured"}
HELD: list[tuple[set[str], list[Any]]] = [
    (FLOAT, [pd.Series([1.0, NAN]), of_objects(1, 1.0), pl.Series([float("inf"), 2.0])]),
    (FRACTION, [pd.Series([1.5, NAN]), of_objects(1.5, None), pl.Series([1.5, NAN, None])]),
    (FRACTION, [pd.Series([1.5, None], dtype="Float32"), of_arrow([1.5], pa.float32())]),
    (NUMBER, [of_objects(Decimal(1)), pd.Series([1, 2]), of_arrow([1], pa.int8())]),
    (NUMBER, [pd.Series([1, None], dtype="UInt8"), of_objects(1, None, 2**70)]),
    (NUMBER, [pl.Series([1, None], dtype=pl.UInt64), pl.Series([1], dtype=pl.Int128)]),
    (EXACT, [of_objects(PART), of_arrow([PART], pa.decimal128(5, 2)), pl.Series([PART])]),
    (BOOLEAN, [pd.Series([True, False]), pd.Series([True, None], dtype="boolean")]),
    (BOOLEAN, [of_arrow([True], pa.bool_()), of_objects(True, None), of_objects(None, None)]),
    (BOOLEAN, [pl.Series([True, None]), pl.Series([None])]),
    (TEMPORAL, [pd.Series([STAMP]), pd.Series([STAMP]).dt.tz_localize("UTC"), pd.Series([SPAN])]),
    (TEMPORAL, [pd.Series(pd.period_range("2024-01", periods=2, freq="M")), of_objects(DAY, None)]),
    (TEMPORAL, [of_objects(value) for value in (TIME, STAMP, SPAN)]),
    (TEMPORAL, [of_arrow([DAY], pa.date32()), of_arrow([SPAN], pa.duration("s"))]),
    (TEMPORAL, [of_arrow([STAMP], pa.timestamp("ms")), of_arrow([TIME], pa.time64("us"))]),
    (TEMPORAL, [pl.Series([value]) for value in (DAY, TIME, STAMP, SPAN)]),
    (set(), [pd.Series(["a", None]), of_objects("a"), of_arrow(["a"], pa.string())]),
    (set(), [pl.Series(["a", None]), *of_types(pl.Series, ["a"], pl.Categorical, pl.Enum(["a"]))]),
    (set(), [*(pd.Series(x, dtype="category") for x in ([1.5, 2.5], ["1"])), pd.Series([1j])]),
]
"""Answers to the questions, and the columns that have them."""


def is_feature(series: Any) -> bool:
    try:
        return read_matrix([series], "term")[0].shape == (1, len(series))
    except StratError:
        return False


QUESTIONS: dict[str, Callable[[Any], bool]] = {
    "float": lambda series: dtypes.dtype_of(series).is_float(),
    "temporal": lambda series: dtypes.dtype_of(series).is_temporal(),
    "measured": dtypes.is_measured,
    "continuous": dtypes.is_continuous,
    "feature": is_feature,
}


@pytest.mark.parametrize(("expected", "columns"), HELD, ids=lambda value: "")
def test_what_columns_hold(expected: set[str], columns: list[Any]) -> None:
    """Each question about a column has the same answer in both libraries and all dtypes."""
    for series in columns:
        assert {name for name, ask in QUESTIONS.items() if ask(series)} == expected, series


def test_a_fraction_after_many_rows() -> None:
    """A column is continuous if its last value is."""
    values = np.zeros(3 * CHUNK + 1)
    assert not dtypes.is_continuous(pl.Series(values))
    values[-1] = 0.5
    assert dtypes.is_continuous(pl.Series(values))
    for whole in ([NAN, np.inf, -np.inf, 2.0**60], []):
        assert not dtypes.is_continuous(pl.Series(whole, dtype=pl.Float64))


@pytest.mark.parametrize("values", [[1, None, 3], [1.5, None], ["a", None], [True, None]])
def test_missing_of_every_kind(column: Column, values: list[Any]) -> None:
    """None is missing in every kind of frame."""
    np.testing.assert_array_equal(is_missing(column(values)), [each is None for each in values])


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([1.0, NAN]),
        pd.Series(pd.arrays.FloatingArray(np.array([1.0, NAN]), np.zeros(2, dtype=bool))),
        pd.Series(pd.arrays.ArrowExtensionArray(pa.array([1.0, NAN], from_pandas=False))),
        pd.Series([STAMP, pd.NaT]),
        of_objects("a", NAN),
        pl.Series([1.0, NAN]),
        pl.Series([1.0, None]),
    ],
)
def test_nan_is_missing(series: Any) -> None:
    """NaN and NaT are missing, however the library stores them."""
    np.testing.assert_array_equal(is_missing(series), [False, True])


@pytest.mark.parametrize(
    "series",
    [
        of_arrow([Decimal("1.25"), None], pa.decimal128(5, 2)),
        of_objects(Decimal("1.25"), None),
        pl.Series([Decimal("1.25"), None]),
        *of_types(pd.Series, [1.25, None], "Float32", ">f4"),
    ],
)
def test_floats_of_other_dtypes(series: Any) -> None:
    """Decimals, short and foreign floats are read by value."""
    found, missing = read_comparable(series, "term")
    assert (found[0], missing.tolist()) == (1.25, [False, True])
