"""The kinds of values in the partitions of a column, and rules for mixing several kinds.

The partitions of a column can have different types in Dask. For example, functions that read files
can turn integers into `float64` and booleans into objects in partitions with missing values. A kind
consists of the types that are read in the same way.
"""

from __future__ import annotations

from collections.abc import Hashable, Set
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ... import frames
from ...errors import StratError

EXACT = 2**53
"""The limit up to which 64-bit floats represent all whole numbers exactly."""

FLOAT_KINDS = {"integer", "unsigned", "number"}
"""Kinds of numbers that 64-bit floats represent exactly."""

NUMBER_KINDS = ({"integer", "large integer"}, {"unsigned", "large unsigned"}, FLOAT_KINDS)
"""Sets of kinds that can be mixed, because a single type holds all numbers of a set exactly."""

FINEST_UNITS = ("ns", "us", "ms")


class Use(NamedTuple):
    """A column, and whether its values are cut into bins or taken as they are."""

    name: Hashable
    is_cut: bool


class FirstPartition(NamedTuple):
    """The first partition that has values of a kind, and the type in which it stores them."""

    number: int
    type_name: str
    is_object: bool


Kinds = dict[Use, dict[str, FirstPartition]]
"""The kinds of values in each use of a column, and the first partition that has each kind."""


def numbers_in(series: Any) -> Any:
    """Convert a categorical column to its values, and a column without values to floats."""
    if series.dtype == np.float64:
        return series
    if frames.is_missing(series).all():
        return pd.Series(np.nan, index=series.index, name=series.name)
    if not isinstance(series.dtype, pd.CategoricalDtype):
        return series
    values = pd.Series(series.cat.categories)
    if pd.api.types.is_string_dtype(values):
        try:
            values = pd.to_numeric(values)
        except ValueError:
            return series
    return take_places(values, series.cat.codes).set_axis(series.index).rename(series.name)


def take_places(values: Any, places: Any) -> Any:
    """Return the values at the given places; the place -1 gives a missing value."""
    places = np.asarray(places)
    nullable = {"i": "Int64", "u": "UInt64", "b": "boolean"}
    if places.min(initial=0) < 0 and isinstance(values.dtype, np.dtype):
        values = values.astype(nullable.get(values.dtype.kind, values.dtype))
    return values.reindex(places)


def kinds_in(partition: Any, number: int, plan: Any) -> Kinds:
    """Find the kind of values in each column of a partition; skip columns without values."""
    kinds: Kinds = {}
    for use in dict.fromkeys([*plan.uses, *(Use(name, is_cut=False) for name in plan.key)]):
        series = partition[use.name]
        if not frames.is_missing(series).all():
            kind, type_name = kind_of(numbers_in(series) if use.is_cut else series)
            kinds[use] = {kind: FirstPartition(number, type_name, series.dtype == object)}
    return kinds


def kind_of(series: Any) -> tuple[str, str]:
    """Return the kind of values in a column, and the name of their type for messages."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        kind, type_name = kind_of(pd.Series(series.cat.categories))
        return kind, f"category of {type_name}"
    kind = kind_of_values(series)
    type_name = str(series.dtype)
    if series.dtype == object:
        type_name = f"object ({kind})"
    if kind.startswith("large"):
        type_name = f"{type_name} beyond 2**53"
    return kind, type_name


def kind_of_values(series: Any) -> str:
    if isinstance(series.dtype, pd.PeriodDtype | pd.IntervalDtype):
        return str(series.dtype)
    dtype: Any = frames.dtypes.dtype_of(series)
    if dtype.is_decimal():
        return "decimal"
    if dtype.is_numeric():
        return kind_of_numbers(series)
    if dtype.is_temporal():
        return kind_of_times(series)
    return str(dtype).lower()


def kind_of_numbers(series: Any) -> str:
    values = frames.read.numbers_of(series)
    kind = {"f": "number", "i": "integer", "u": "unsigned"}[values.dtype.kind]
    if kind != "number" and (values.max() > EXACT or values.min() < -EXACT):
        return f"large {kind}"
    return kind


def kind_of_times(series: Any) -> str:
    values = series.dropna().infer_objects()
    dtype: Any = frames.dtypes.dtype_of(values)
    name = str(dtype).lower()
    if not hasattr(dtype, "time_unit"):
        return name
    is_duration = name.startswith("duration")
    kind = "timedelta64" if is_duration else "datetime64"
    zone = getattr(values.dtype, "tz", None) or getattr(dtype, "time_zone", None)
    if zone:
        return f"{kind}[{dtype.time_unit}, {zone}]"
    return f"{kind}[{dtype.time_unit}]"


def choose_types(kinds: Kinds, plan: Any) -> dict[Use, str]:
    """Choose how to read columns with several kinds; raise an error if they cannot be mixed.

    A column is read as "floats" if its numbers are cut into bins, and as "objects" if its classes
    are stored as objects.
    """
    read_as: dict[Use, str] = {}
    faults = []
    casts: dict[Hashable, str] = {}
    for use, partitions in kinds.items():
        name = use.name
        shown = plan.computed.get(name, name)
        may_mix = name not in plan.key and not use.is_cut
        for one, other in combinations(sorted(partitions, key=partitions.__getitem__), 2):
            if any({one, other} <= each for each in NUMBER_KINDS):
                if use.is_cut and partitions.keys() <= FLOAT_KINDS:
                    read_as[use] = "floats"
            elif may_mix and partitions[one].is_object and partitions[other].is_object:
                read_as[use] = "objects"
            elif shown not in casts:
                faults.append(write_fault(shown, partitions[one], partitions[other]))
                is_number = Use(name, is_cut=True) in kinds
                casts[shown] = choose_cast(partitions.keys(), is_number=is_number)
    if faults:
        msg = "\n".join([*faults, f"Hint: cast to one type first, as in `df.astype({casts})`."])
        raise StratError(msg)
    return read_as


def write_fault(name: Hashable, first: FirstPartition, second: FirstPartition) -> str:
    return (
        f"Column {name!r} must have the same type in all partitions, but partition {first.number}"
        f" holds {first.type_name} and partition {second.number} {second.type_name}."
    )


def choose_cast(kinds: Set[str], *, is_number: bool) -> str:
    """Choose the type to which a hint casts the columns of all partitions."""
    numbers = set().union(*NUMBER_KINDS)
    if kinds <= numbers:
        return "UInt64" if "large unsigned" in kinds else "Int64"
    if "string" in kinds and not is_number:
        return "string"
    times = [kind for kind in kinds if kind.startswith(("datetime64", "timedelta64"))]
    if len({"," in kind for kind in times}) == 1:  # a cast cannot add a time zone
        return min(times, key=lambda kind: FINEST_UNITS.index(kind.partition("[")[2][:2]))
    if kinds <= {*numbers, "boolean", "decimal", "string"}:
        return "float64"
    return "string"
