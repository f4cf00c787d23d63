"""The kinds of values that partitions hold in the columns of a call, which must go together.

Dask's readers may store one column in several types: in a partition with missing values, whole
numbers are `float64` and booleans are objects. All workers read values of one kind alike, so such
partitions are counted as they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ... import frames
from ...core.types import Values
from ...errors import StratError

EXACT = 2**53
"""The number up to which floats hold all whole numbers."""

FLOAT_KINDS = {"integer", "unsigned", "number"}
"""Kinds of numbers that floats hold exactly."""

NUMBER_KINDS = ({"integer", "large integer"}, {"unsigned", "large unsigned"}, FLOAT_KINDS)
"""Sets of kinds of numbers, each of which one type holds exactly."""

FINEST_UNITS = ("ns", "us", "ms")
"""Units of time, the finest first."""


class Use(NamedTuple):
    """A column that a call reads."""

    name: Hashable
    is_number: bool = False
    """Whether its values are cut into bins; if not, they are classes or keys."""
    is_key: bool = False


class HeldType(NamedTuple):
    """What a partition holds in a column."""

    number: int
    """The number of the partition."""
    shown: str
    """The type, as messages show it."""
    is_object: bool


HeldTypes = list[dict[str, HeldType]]
"""The kinds of values in each column, each with the first partition that holds it."""


# What a partition holds ------------------------------------------------------------------


def held_types(partition: Any, number: int, uses: Sequence[Use]) -> HeldTypes:
    """Find the kind of values in each column of a partition, none if all values are missing."""
    columns = [read_column(partition, use) for use in uses]
    return [
        {} if frames.is_missing(column).all() else held_type(column, number) for column in columns
    ]


def held_type(series: Any, number: int) -> dict[str, HeldType]:
    """Find the kind of values in a column that has some."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        ((kind, held),) = held_type(pd.Series(series.cat.categories), number).items()
        return {kind: HeldType(number, f"category of {held.shown}", is_object=False)}
    kind, is_object = kind_of(series), series.dtype == object
    shown = f"object ({kind})" if is_object else str(series.dtype)
    shown = f"{shown} beyond 2**53" if kind.startswith("large") else shown
    return {kind: HeldType(number, shown, is_object)}


def kind_of(series: Any) -> str:
    dtype = frames.dtypes.dtype_of(series)
    if isinstance(series.dtype, pd.PeriodDtype | pd.IntervalDtype):
        return str(series.dtype)
    if dtype.is_temporal():
        return kind_of_times(series)
    if dtype.is_decimal():
        return "decimal"
    if dtype.is_numeric():
        return kind_of_numbers(frames.read.numbers_of(series))
    return str(dtype).lower()


def kind_of_numbers(values: Values) -> str:
    """Name the kind of numbers, which are float64, int64 or uint64."""
    if values.dtype == np.float64:
        return "number"
    kind = "unsigned" if values.dtype == np.uint64 else "integer"
    return f"large {kind}" if values.max() > EXACT or values.min() < -EXACT else kind


def kind_of_times(series: Any) -> str:
    """Name the kind of dates and times, which tells their unit and time zone."""
    values = series.dropna().infer_objects()
    dtype: Any = frames.dtypes.dtype_of(values)
    if not hasattr(dtype, "time_unit"):
        return str(dtype).lower()
    name = "timedelta64" if str(dtype).startswith("Duration") else "datetime64"
    zone = getattr(values.dtype, "tz", None) or getattr(dtype, "time_zone", None)
    return f"{name}[{dtype.time_unit}, {zone}]" if zone else f"{name}[{dtype.time_unit}]"


def read_column(partition: Any, use: Use) -> Any:
    """Read a column.

    If it is cut, categories are read as their values, and a column without values as floats.
    """
    series = partition[use.name]
    if not use.is_number or series.dtype == np.float64:
        return series
    if frames.is_missing(series).all():
        return pd.Series(np.nan, index=series.index, name=series.name)
    if not isinstance(series.dtype, pd.CategoricalDtype):
        return series
    categories = pd.Series(series.cat.categories)
    if pd.api.types.is_string_dtype(categories):
        try:
            categories = pd.to_numeric(categories)
        except ValueError:
            return series
    return take_places(categories, series.cat.codes).set_axis(series.index).rename(series.name)


def take_places(values: Any, places: Any) -> Any:
    """Take values by their places; place -1 gives a missing value."""
    places = np.asarray(places)
    nullable = {"i": "Int64", "u": "UInt64", "b": "boolean"}
    if places.min(initial=0) < 0 and isinstance(values.dtype, np.dtype):
        values = values.astype(nullable.get(values.dtype.kind, values.dtype))
    return values.reindex(places)


# One type for all ------------------------------------------------------------------------


def merge_types(several: Sequence[HeldTypes], uses: Sequence[Use]) -> HeldTypes:
    """Merge what partitions hold, in their order, or raise if it does not go together."""
    held: HeldTypes = [
        {kind: each for types in reversed(column) for kind, each in types.items()}
        for column in zip(*several, strict=True)
    ]
    faults, casts = [], {}
    for use, types in zip(uses, held, strict=False):  # `held` is empty if types are known
        pair = find_clash(use, types)
        if pair is not None and use.name not in casts:
            one, other = pair
            faults.append(
                f"Column {use.name!r} must have one type in all partitions, but partition"
                f" {one.number} holds {one.shown} and partition {other.number} {other.shown}."
            )
            casts[use.name] = choose_cast(use, types.keys())
    if faults:
        msg = "\n".join([*faults, f"Hint: cast it first, as in `df.astype({casts})`."])
        raise StratError(msg)
    return held


def find_clash(use: Use, types: dict[str, HeldType]) -> tuple[HeldType, HeldType] | None:
    """Find the first two partitions whose values do not go together."""
    for pair in combinations(sorted(types, key=types.__getitem__), 2):
        one, other = (types[kind] for kind in pair)
        # Classes of Python objects may be of any kinds.
        may_mix = one.is_object and other.is_object and not (use.is_number or use.is_key)
        if not may_mix and not any(numbers.issuperset(pair) for numbers in NUMBER_KINDS):
            return one, other
    return None


def choose_cast(use: Use, kinds: Set[str]) -> str:
    numbers = set().union(*NUMBER_KINDS)
    if kinds <= numbers:
        return "UInt64" if "large unsigned" in kinds else "Int64"
    if "string" in kinds and not use.is_number:
        return "string"
    times = [kind for kind in kinds if kind.startswith(("datetime64", "timedelta64"))]
    if len({"," in kind for kind in times}) == 1:  # a cast cannot add a zone
        return min(times, key=lambda kind: FINEST_UNITS.index(kind.partition("[")[2][:2]))
    return "float64" if kinds <= {*numbers, "boolean", "decimal", "string"} else "string"


def mixed_numbers(uses: Sequence[Use], held: HeldTypes) -> tuple[Hashable, ...]:
    """List the columns to be cut whose numbers are of several kinds that floats hold."""
    return tuple(
        use.name
        for use, types in zip(uses, held, strict=True)
        if use.is_number and len(types) > 1 and types.keys() <= FLOAT_KINDS
    )
