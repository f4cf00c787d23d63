"""Frames of one library, one below the other: the columns that all have, and a label for each."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..errors import FOLD_NAME, StratError, describe, list_values
from .dtypes import dtype_of, is_missing, is_text, to_floats
from .libraries import column_names, is_frame, label_of, library_of, not_a_frame
from .references import collect_columns, column_of, is_pattern
from .threads import check_threads

PART = "split"
"""The column that says which frame a row is from."""

EXACT = 2**53
"""Whole numbers below which floats hold all of them."""


def join_frames(given: Mapping[str, Any]) -> tuple[Any, list[Hashable]]:
    """Put frames one below the other, with a column of their names as parts in this order.

    Columns that not all of them have once, and those of folds, are left aside, and returned.
    """
    check_given(given)
    names, parts = list(given), list(given.values())
    if any(isinstance(each, pl.LazyFrame) for each in parts):
        parts = [each.lazy() for each in parts]
    counts = [Counter(column_names(each)) for each in parts]
    columns = {
        name: [column_of_part(part, name) for part in parts]
        for name in counts[0]
        if all(each[name] == 1 for each in counts)
    }
    columns = {name: each for name, each in columns.items() if not is_left_aside(name, each[0])}
    if not columns:
        msg = (
            f"Frames must have a column in common to be compared, but {list_values(names)} do not."
        )
        raise StratError(msg)
    # A part whose values are all missing gives no column, which is then filled in any type.
    by_name = dict(zip(names, parts, strict=True))
    gives = {name: parts_with_values(name, columns[name], by_name) for name in columns}
    kept = [[name for name in columns if gives[name][place]] for place in range(len(parts))]
    aside = dict.fromkeys(name for each in counts for name in each if name not in columns)
    if library_of(parts[0]) == "polars":
        check_threads()
        mixed = [name for name in columns if not is_one_type(columns[name])]
        texts = {name for name in mixed if all(map(is_text, compress(columns[name], gives[name])))}
        labels = [pl.lit(name, dtype=pl.Enum(names)).alias(PART) for name in names]
        rows = [
            part.with_columns(label)
            .select(*own, PART)
            .cast(dict.fromkeys(texts & {*own}, pl.String))
            for part, label, own in zip(parts, labels, kept, strict=True)
        ]
        return pl.concat(rows, how="diagonal_relaxed"), [*aside]
    pairs = zip(parts, kept, strict=True)
    joined = pd.concat([part[own] for part, own in pairs], ignore_index=True)
    codes = np.repeat(np.arange(len(parts)), list(map(len, parts)))
    joined[label_of(joined, PART)] = pd.Categorical.from_codes(codes, pd.Index(names), ordered=True)
    return joined, [*aside]


def column_of_part(part: Any, name: Hashable) -> Any:
    """Read a column of a frame; of a lazy one its type alone."""
    if isinstance(part, pl.LazyFrame):
        return pl.Series(str(name), [], dtype=part.collect_schema()[str(name)])
    return part[name]


def is_left_aside(label: Hashable, series: Any) -> bool:
    """Return whether a column is called as folds are, and holds no floats, or as a pattern."""
    name = str(label[0] if isinstance(label, tuple) else label)
    if isinstance(series, pl.Series) and is_pattern(name):
        return True
    return name == PART or (bool(FOLD_NAME.search(name)) and not dtype_of(series).is_float())


def is_one_type(columns: Sequence[Any]) -> bool:
    """Return whether columns have one type, objects of pandas that of their values."""
    if any(isinstance(each, pd.Series) and each.dtype == object for each in columns):
        return all(
            each.dtype == object and dtype_of(each) == dtype_of(columns[0]) for each in columns
        )
    return all(each.dtype == columns[0].dtype for each in columns)


def parts_with_values(name: Any, columns: Sequence[Any], given: Mapping[str, Any]) -> list[bool]:
    """Flag the parts whose values in a column count for its type; raise if these do not agree."""
    if is_one_type(columns):
        return [True] * len(columns)
    lazy = [isinstance(part, pl.LazyFrame) for part in given.values()]
    flags = [is_lazy or not is_missing(x).all() for x, is_lazy in zip(columns, lazy, strict=True)]
    held = {part: x for part, x, flag in zip(given, columns, flags, strict=True) if flag}
    types = [dtype_of(each) for each in held.values()]
    becomes_float = any(each.is_float() for each in types) or not all(flags)
    becomes_float |= pl.UInt64 in types and any(each.is_signed_integer() for each in types)
    is_exact = len({kind_of(each) for each in held.values()}) < 2
    if is_exact and becomes_float:
        whole = [part for part, each in zip(held, types, strict=True) if each.is_integer()]
        values = (column_of(collect_columns(given[part], [name]), name) for part in whole)
        is_exact = all((np.abs(to_floats(each)) >= EXACT).sum() == 0 for each in values)
    if not is_exact:
        found = ", ".join(f"{each.dtype} in {part!r}" for part, each in held.items())
        msg = (
            f"A column must have one type in all frames, but {name!r} is {found}."
            "\nHint: cast it, or drop it."
        )
        raise StratError(msg)
    return flags if any(flags) else [True, *flags[1:]]


def kind_of(series: Any) -> Any:
    """Name what columns hold that go together without a change of value."""
    if is_text(series):
        return "text"
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = pd.Series(series.dtype.categories)
    dtype = dtype_of(series)
    if dtype.is_integer() or dtype.is_float():
        return "number"
    if isinstance(series, pl.Series):
        return dtype
    zone = getattr(series.dtype, "tz", None) or getattr(dtype, "time_zone", None)
    return f"time {zone}" if dtype == pl.Datetime else "flag" if dtype == pl.Boolean else dtype


def check_given(given: Mapping[str, Any]) -> None:
    """Raise unless there are two frames or more, of one library, with names."""
    for name, frame in given.items():
        if not isinstance(name, str) or not name:
            msg = f"Several frames must have names of text, got {describe(name)}."
            raise StratError(msg)
        if not is_frame(frame):
            raise not_a_frame(frame, "pandas or Polars")
    if len(given) < 2:
        msg = f"Several frames must be two or more, got {describe(given)}."
        raise StratError(msg + '\nHint: `{"train": train, "test": test}`.')
    if len({library_of(frame) for frame in given.values()}) > 1:
        msg = "Several frames must be of one library, got pandas and Polars."
        raise StratError(msg + "\nHint: `pl.from_pandas` converts.")
