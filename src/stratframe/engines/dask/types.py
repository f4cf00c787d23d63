"""Partitions with several types of a column -> one exact type, or an error that names them.

Each partition says what it holds in the columns of a call. If partitions differ, the driver
chooses a type that holds the values of all of them as they are, and the workers cast to it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ... import frames
from ...errors import StratError
from ...frames.door import to_floats

KINDS_OF_OBJECTS = {
    "boolean": "boolean",
    "bytes": "binary",
    "date": "date",
    "datetime": "datetime",
    "datetime64": "datetime",
    "decimal": "decimal",
    "empty": "empty",
    "floating": "float",
    "integer": "integer",
    "mixed-integer-float": "float",
    "string": "text",
    "time": "time",
    "timedelta": "duration",
    "timedelta64": "duration",
}
"""What Python objects are, by the words of `infer_dtype`."""

ARROW = {
    "binary": "binary",
    "date": "date",
    "decimal": "decimal",
    "duration": "duration",
    "timestamp": "datetime",
    "time": "time",
}
"""What values of pyarrow are, by a word in the name of their type."""

FINER_UNITS = ("s", "ms", "us", "ns")
"""Units of time, the finest last."""

OF_OBJECTS = {"binary", "date", "decimal", "text", "time"}
"""What is exact as Python objects, however it is stored."""

EXACT = 2**53
"""Integers up to which floats hold all."""


class Use(NamedTuple):
    """A column that a call reads."""

    name: Hashable
    is_number: bool = False
    """Whether it is cut at numbers; else it has classes, or is a column of the key."""
    is_key: bool = False


class HeldType(NamedTuple):
    """What a partition holds in a column."""

    kind: str
    """A word for its values: equal ones may be stored in several types."""
    dtype: Any
    """Of a categorical, that of its categories."""
    is_category: bool = False

    def __str__(self) -> str:
        """Write the type, that of Python objects by their values."""
        text = f"object ({self.kind})" if self.dtype == object else str(self.dtype)
        return f"category of {text}" if self.is_category else text


class CommonType(NamedTuple):
    """A type that the columns of all partitions are cast to."""

    dtype: Any
    held: str
    """The types of the partitions, as messages show them."""


class ColumnTypes(NamedTuple):
    """The common types of the columns of a call; None for one that stays as it is."""

    by: tuple[CommonType | None, ...] = ()
    key: tuple[CommonType | None, ...] = ()


# What a partition holds ------------------------------------------------------------------


def held_types(partition: Any, uses: Sequence[Use]) -> list[frozenset[HeldType]]:
    """Find what a partition holds in each column."""
    return [frozenset([held_type(read_column(partition, use))]) for use in uses]


def read_column(partition: Any, use: Use) -> Any:
    """Read a column; a categorical that is cut at numbers by its values."""
    series = partition[use.name]
    if not use.is_number or not isinstance(series.dtype, pd.CategoricalDtype):
        return series
    categories = pd.Series(series.cat.categories)
    if pd.api.types.is_string_dtype(categories):
        try:
            categories = pd.to_numeric(categories)
        except ValueError:
            return series
    return take_categories(series, categories)


def take_categories(series: Any, categories: Any) -> Any:
    """Give the rows of a categorical the values of its categories, or others in their place."""
    codes = np.asarray(series.cat.codes)
    nullable = {"i": "Int64", "u": "UInt64", "b": "boolean"}
    if codes.min(initial=0) < 0 and isinstance(categories.dtype, np.dtype):
        categories = categories.astype(nullable.get(categories.dtype.kind, categories.dtype))
    return categories.reindex(codes).set_axis(series.index).rename(series.name)


def held_type(series: Any) -> HeldType:
    """Find what a series holds."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        return held_type(pd.Series(series.cat.categories))._replace(is_category=True)
    if frames.is_missing(series).all():
        return HeldType("empty", series.dtype)
    if series.dtype != object:
        return HeldType(kind_of(series.dtype), series.dtype)
    inferred = pd.api.types.infer_dtype(series, skipna=True)
    kind = KINDS_OF_OBJECTS.get(inferred, inferred)
    dtype = series.dropna().infer_objects().dtype if kind in ("datetime", "duration") else None
    return HeldType(kind, dtype or series.dtype)


def kind_of(dtype: Any) -> str:
    """Name what a dtype holds; the name of the dtype where nothing else holds the same."""
    types = pd.api.types
    if isinstance(dtype, pd.ArrowDtype):
        for word, kind in ARROW.items():
            if word in str(dtype):
                return kind
    if types.is_bool_dtype(dtype):
        return "boolean"
    if types.is_integer_dtype(dtype):
        return "integer"
    if types.is_float_dtype(dtype):
        return "float"
    if isinstance(dtype, np.dtype | pd.DatetimeTZDtype) and dtype.kind in "mM":
        return {"m": "duration", "M": "datetime"}[dtype.kind]
    return "text" if types.is_string_dtype(dtype) else str(dtype)


# One type for all ------------------------------------------------------------------------


def agree(held: Sequence[frozenset[HeldType]]) -> bool:
    """Return whether all partitions hold the same in each column, some of them nothing."""
    return all(
        len({each[1:] for each in types}) <= 1 and len(kinds_of(types)) <= 1 for types in held
    )


def kinds_of(types: frozenset[HeldType]) -> set[str]:
    """List what partitions hold, but for those that hold nothing."""
    return {each.kind for each in types} - {"empty"}


def common_types(uses: Sequence[Use], held: Sequence[frozenset[HeldType]]) -> ColumnTypes:
    """Choose a type for each column, or raise if there is none for some."""
    common: dict[bool, list[CommonType | None]] = {False: [], True: []}
    faults = []
    for use, types in zip(uses, held, strict=True):
        chosen = None if agree([types]) else common_dtype(types)
        shown = " and ".join(sorted(map(str, types)))
        if chosen is None and not (agree([types]) or are_mixed_classes(use, types)):
            faults.append(f"Column {use.name!r} must have one type in all partitions, got {shown}.")
        common[use.is_key].append(None if chosen is None else CommonType(chosen, shown))
    if faults:
        msg = "\n".join([*dict.fromkeys(faults), CAST_HINT])
        raise StratError(msg)
    return ColumnTypes(tuple(common[False]), tuple(common[True]))


def are_mixed_classes(use: Use, types: frozenset[HeldType]) -> bool:
    """Return whether a column of classes holds Python objects everywhere, which may differ."""
    return all(each.dtype == object for each in types) and not (use.is_number or use.is_key)


CAST_HINT = "Hint: cast it first, as in `df.astype({...})`."
"""What to do where partitions have types that do not go together."""


def common_dtype(types: frozenset[HeldType]) -> Any:
    """Choose a dtype that holds the values of all partitions; None if there is none."""
    kinds, dtypes = kinds_of(types), [each.dtype for each in types if each.kind != "empty"]
    if kinds == {"integer"}:
        return common_integer(dtypes, nullable=any(each.kind == "empty" for each in types))
    if kinds and kinds <= {"integer", "float"}:
        return np.dtype(np.float64)
    if not kinds or (len(kinds) == 1 and kinds <= OF_OBJECTS):
        return np.dtype(object)
    if kinds == {"boolean"}:
        return pd.BooleanDtype()
    if kinds in ({"datetime"}, {"duration"}):
        return common_time(dtypes)
    is_one = len(kinds) == len(set(dtypes)) == 1 and dtypes[0] != np.dtype(object)
    return dtypes[0] if is_one else None


def common_integer(dtypes: Sequence[Any], *, nullable: bool) -> Any:
    """Choose a dtype of 64 bits: with a sign, unless none of the dtypes has one."""
    unsigned = all(getattr(dtype, "kind", "") == "u" for dtype in dtypes)
    if nullable or not all(isinstance(dtype, np.dtype) and dtype.kind in "iu" for dtype in dtypes):
        return pd.UInt64Dtype() if unsigned else pd.Int64Dtype()
    return np.dtype(np.uint64 if unsigned else np.int64)


def common_time(dtypes: Sequence[Any]) -> Any:
    """Choose the finest unit; None if time zones differ."""
    dtypes = list(map(time_of_arrow, dtypes))
    zones = {str(getattr(dtype, "tz", None)) for dtype in dtypes}
    if len(zones) > 1 or object in dtypes:
        return None
    return max(dtypes, key=lambda dtype: FINER_UNITS.index(unit_of(dtype)))


def time_of_arrow(dtype: Any) -> Any:
    """Turn a dtype of pyarrow into that of pandas for the same times; others stay."""
    if not isinstance(dtype, pd.ArrowDtype):
        return dtype
    held: Any = dtype.pyarrow_dtype
    zone = getattr(held, "tz", None)
    return pd.DatetimeTZDtype(held.unit, zone) if zone else held.to_pandas_dtype()


def unit_of(dtype: Any) -> str:
    """Name the unit of a dtype of dates or durations."""
    return str(dtype.unit) if isinstance(dtype, pd.DatetimeTZDtype) else np.datetime_data(dtype)[0]


# Cast ------------------------------------------------------------------------------------


def cast_column(series: Any, common: CommonType | None) -> Any:
    """Cast a column to the type that all partitions have, or raise if that changes a value."""
    if common is None or series.dtype == common.dtype:
        return series
    if frames.is_missing(series).all():
        return pd.Series(index=series.index, dtype=common.dtype, name=series.name)
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = take_categories(series, pd.Series(series.cat.categories))
    try:
        return cast_exactly(series, common.dtype)
    except (ValueError, TypeError, OverflowError) as error:
        raise inexact(series.name, common) from error


def cast_exactly(series: Any, dtype: Any) -> Any:
    """Cast a series that is not a categorical; raise if a value cannot be kept."""
    if dtype != np.dtype(np.float64):
        if dtype in ("int64", "Int64") and (series > np.iinfo(np.int64).max).any():
            raise OverflowError
        return series.astype(dtype)
    floats = to_floats(series)
    if (np.abs(floats) > EXACT).any() and kind_of(series.dtype) != "float":
        pairs = zip(series.tolist(), floats.tolist(), strict=True)
        if any(value != number for value, number in pairs if number == number):  # noqa: PLR0124
            raise OverflowError
    return pd.Series(floats, index=series.index, name=series.name)


def inexact(name: Hashable, common: CommonType) -> StratError:
    """Build the error for values that the common type cannot hold."""
    msg = (
        f"Column {name!r} must have one type in all partitions, got {common.held}, and"
        f" {common.dtype} does not hold all of its values exactly.\n{CAST_HINT}"
    )
    return StratError(msg)
