"""Frames of one library, one below the other: the columns that all have, and a label for each."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.hashing import hash_keys
from ..errors import FOLD_NAME, StratError, describe, list_values
from .dtypes import dtype_of, is_missing, is_text
from .libraries import column_names, is_frame, label_of, library_of, not_a_frame, take
from .read import read_key
from .references import collect_columns, column_of, empty_columns, is_pattern, read_columns
from .threads import check_threads

PART = "split"
"""The column that says which frame a row is from."""


def join_frames(given: Mapping[str, Any]) -> tuple[Any, list[Hashable]]:
    """Put frames one below the other, with a column of their names as parts in this order.

    Columns that not all of them have once, and those of folds, are left aside, and returned.
    """
    check_given(given)
    names, parts = list(given), list(given.values())
    if any(isinstance(each, pl.LazyFrame) for each in parts):
        parts = [each.lazy() for each in parts]
    counts = [Counter(column_names(each)) for each in parts]
    shared = [name for name in counts[0] if all(each[name] == 1 for each in counts)]
    # Of lazy frames only the types are read.
    read = [empty_columns(each, {"": shared}) or {"": read_columns(each, shared)} for each in parts]
    columns = dict(zip(shared, zip(*(each[""] for each in read), strict=True), strict=True))
    kept = [name for name in shared if not is_left_aside(name, columns[name][0])]
    if not kept:
        msg = f"Several frames must have a column in common, but {list_values(names)} have none."
        raise StratError(msg)
    aside = dict.fromkeys(name for each in counts for name in each if name not in {*kept})
    joined: dict[Any, Any] = {}
    for name in kept:
        if not is_one_type(columns[name]):
            held = [column_of(collect_columns(part, [name]), name) for part in parts]
            joined[name] = join_column(name, dict(zip(names, held, strict=True)))
    if library_of(parts[0]) == "polars":
        check_threads()
        labels = [pl.lit(name, dtype=pl.Enum(names)).alias(PART) for name in names]
        types = {str(name): each.dtype for name, each in joined.items()}
        rows = [part.with_columns(label) for part, label in zip(parts, labels, strict=True)]
        return pl.concat([part.select(*kept, PART).cast(types) for part in rows]), [*aside]
    rows = pd.concat([part[kept].drop(columns=[*joined]) for part in parts], ignore_index=True)
    codes = np.repeat(np.arange(len(parts)), list(map(len, parts)))
    joined[label_of(rows, PART)] = pd.Categorical.from_codes(codes, pd.Index(names), ordered=True)
    for name, values in joined.items():
        rows[name] = values
    return rows, [*aside]


def is_left_aside(label: Hashable, series: Any) -> bool:
    """Return whether a column is called as folds are, and holds no floats, or as a pattern."""
    name = str(label[0] if isinstance(label, tuple) else label)
    if name == PART or (isinstance(series, pl.Series) and is_pattern(name)):
        return True
    return bool(FOLD_NAME.search(name)) and not dtype_of(series).is_float()


def is_one_type(columns: Sequence[Any]) -> bool:
    """Return whether columns have one type, objects of pandas that of their values."""
    types: list[Any] = [each.dtype for each in columns]
    if isinstance(columns[0], pd.Series) and types == [object] * len(types):
        types = list(map(dtype_of, columns))
    return all(each == types[0] for each in types)


def join_column(name: object, columns: Mapping[str, Any]) -> Any:
    """Put a column of each part one below the other, or raise if that would change a value.

    What is missing in all rows of a part may be of any type.
    """
    series = list(columns.values())
    starts = np.cumsum([0, *map(len, series)])
    present = [np.flatnonzero(~is_missing(each)) for each in series]
    known = [place for place, rows in enumerate(present) if len(rows)]
    try:
        if isinstance(series[0], pl.Series):
            typed = [
                each if len(rows) else each.cast(pl.Null)
                for each, rows in zip(series, present, strict=True)
            ]
            texts = [each.cast(pl.String) if is_text(each) else each for each in typed]
            joined = pl.concat(
                [each.to_frame() for each in texts], how="vertical_relaxed"
            ).to_series()
        else:
            moved = [series[i].set_axis(range(starts[i], starts[i + 1])) for i in known or [0]]
            joined = pd.concat(moved).reindex(range(starts[-1]))
        rows = np.concatenate([starts[i] + present[i] for i in known] or [starts[:0]])
        words = hash_keys([read_key(take(joined, rows))], 0)
        own = [hash_keys([read_key(take(series[i], present[i]))], 0) for i in known]
        zones = {zone_of(series[i]) for i in known}  # times without one are hashed as those of UTC
        is_exact = len(zones) < 2 and np.array_equal(words, np.concatenate([words[:0], *own]))
    except (TypeError, ValueError, pl.exceptions.PolarsError):  # ours is a ValueError
        is_exact = False
    if not is_exact:
        found = ", ".join(f"{each.dtype} in {part!r}" for part, each in columns.items())
        msg = (
            f"A column must have one type in all frames, but {name!r} is {found}."
            "\nHint: cast it, or drop it."
        )
        raise StratError(msg)
    return joined


def zone_of(series: Any) -> str:
    """Name the time zone of a column of times."""
    return str(getattr(series.dtype, "tz", getattr(dtype_of(series), "time_zone", None)))


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
