"""Codes of classes."""

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
from stratframe.frames.read_classes import check_objects, codes_match_values, encode_classes

Column = Callable[[list[Any]], Any]
NAN = float("nan")


def assert_codes_of(series: Any, values: list[Any]) -> None:
    """Codes are those that `pd.factorize` gives Python values, with -1 where missing."""
    codes, n_classes = encode_classes(series)
    expected, unique = pd.factorize(np.array([*values, None], dtype=object)[:-1])
    np.testing.assert_array_equal(codes, expected)
    assert n_classes == len(unique)


@pytest.mark.parametrize(
    "values",
    [
        ["b", "a", None, "b", "", "c"],
        [3, 1, None, 3, -5],
        [2**62 + 1, 2**62, 2**62 + 1],
        [1.5, None, -1.5, 1.5],
        [True, False, None, True],
        [dt.datetime(2024, 1, 2), None, dt.datetime(2023, 1, 1), dt.datetime(2024, 1, 2)],
        [None, None],
        [],
    ],
)
def test_codes_of_every_kind(column: Column, values: list[Any]) -> None:
    """Classes are numbered by first appearance, alike in every kind of frame."""
    assert_codes_of(column(values), values)


DECIMALS = [Decimal("1.10"), None, Decimal("0.5"), Decimal("1.1")]
DAYS = [dt.date(2024, 1, 2), None, dt.date(2023, 1, 1), dt.date(2024, 1, 2)]


@pytest.mark.parametrize(
    ("series", "values"),
    [
        (pl.Series([2**100, None, 5, 2**100], dtype=pl.Int128), [2**100, None, 5, 2**100]),
        (pl.Series([2**63, None, 2**63 + 1], dtype=pl.UInt64), [2**63, None, 2**63 + 1]),
        (pl.Series(DECIMALS), DECIMALS),
        (pd.Series(DECIMALS, dtype=object), DECIMALS),
        (pd.Series(DECIMALS, dtype=pd.ArrowDtype(pa.decimal128(5, 2))), DECIMALS),
        (pl.Series(DAYS), DAYS),
        (pd.Series(DAYS, dtype=object), DAYS),
        (pl.Series([b"b", None, b"a", b"b"]), [b"b", None, b"a", b"b"]),
        (pl.Series(["b", None, "a", "b"], dtype=pl.Categorical), ["b", None, "a", "b"]),
        (pl.Series(["b", None, "a"], dtype=pl.Enum(["a", "b", "c"])), ["b", None, "a"]),
        (pd.Series(["b", None, "a", "b"], dtype="category"), ["b", None, "a", "b"]),
        (pd.Series(pd.PeriodIndex(["2024", None, "2023"], freq="Y")), ["2024", None, "2023"]),
        (pd.Series(pd.arrays.IntervalArray.from_breaks([0, 1, 2])), ["0-1", "1-2"]),
        (pd.Series([None, None], dtype=pd.ArrowDtype(pa.null())), [None, None]),
        (pl.Series([None, None]), [None, None]),
        (pd.Series([0.0, -0.0, NAN]), [0, 0, None]),
        (pl.Series([0.0, -0.0, NAN, None]), [0, 0, None, None]),
        (pd.Series(["a", 1, None, "a"], dtype=object), ["a", 1, None, "a"]),
        (pd.Series([1, 1.0, None], dtype=object), [1, 1, None]),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_codes_of_other_dtypes(series: Any, values: list[Any]) -> None:
    """Equal values share a code, whatever the dtype."""
    assert_codes_of(series, values)


def test_codes_are_compared_with_all_values() -> None:
    """Codes that join unequal values are detected in any row."""
    series = pl.Series(["a", "b"] * CHUNK)
    codes = np.arange(len(series)) % 2
    assert codes_match_values(series, codes, 2)
    codes[-1] = 0
    assert not codes_match_values(series, codes, 2)


LISTS = pd.ArrowDtype(pa.list_(pa.int64()))


@pytest.mark.parametrize(
    "series",
    [
        pl.Series("x", [[1]]),
        pl.Series("x", [{"a": 1}]),
        pl.Series("x", [object()], dtype=pl.Object),
        pd.Series([[1]], name="x", dtype=LISTS),
    ],
)
def test_nested_dtypes(series: Any) -> None:
    """Lists and structs of pyarrow and Polars are no classes, nor are Python objects in Polars."""
    with pytest.raises(StratError) as caught:
        encode_classes(series)
    assert str(caught.value) == f"A column must hold single values, but 'x' is {series.dtype}."


@pytest.mark.parametrize("values", [[1, "a", None], [True, "a"], [2, "2"], ["a", b"a"]])
def test_unequal_values_of_different_types(values: list[Any]) -> None:
    """Types may mix while no two values are equal."""
    check_objects(pd.Series(values, name="x", dtype=object))


def test_dictionaries_of_arrow_are_read_by_value() -> None:
    """Values that a dictionary holds twice are one class, and those without rows are none."""
    arrow = pa.DictionaryArray.from_arrays(pa.array([2, 3, 1, None, 3]), pa.array(list("zaba")))
    series = pd.Series(pd.array(arrow, dtype=pd.ArrowDtype(arrow.type)))
    codes, n_classes = encode_classes(series)
    assert (codes.tolist(), n_classes) == ([0, 1, 1, -1, 1], 2)
