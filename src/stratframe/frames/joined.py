"""Frames of one library, one below the other: the columns they share, and each row's frame."""

from collections import Counter
from collections.abc import Hashable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.hashing import hash_keys
from ..errors import FOLD_NAME, StratError, describe, list_values
from .dtypes import dtype_of, is_text
from .libraries import column_names, is_frame, label_of, library_of, not_a_frame
from .read import read_key
from .references import collect_columns, is_pattern, read_columns
from .threads import check_threads

PART = "split"
"""The column that says which frame a row is from."""


def join_frames(given: Mapping[str, Any]) -> tuple[Any, list[Hashable]]:
    """Put frames one below the other, with a column of their names as parts in this order.

    Columns that some frame does not have exactly once, and fold columns, are left out. Their names
    are returned.
    """
    check_given(given)
    names, several = list(given), list(given.values())
    is_lazy = any(isinstance(each, pl.LazyFrame) for each in several)
    several = [each.lazy() for each in several] if is_lazy else several
    counts = [Counter(column_names(each)) for each in several]
    shared = [name for name in counts[0] if all(each[name] == 1 for each in counts)]
    # Only the types of lazy frames are read.
    typed = [pl.DataFrame(schema=each.collect_schema()) for each in several] if is_lazy else several
    columns = {name: [read_columns(each, [name])[0] for each in typed] for name in shared}
    kept = [name for name in shared if not is_left_aside(name, columns[name][0])]
    if not kept:
        msg = f"Several frames must have a column in common, but {list_values(names)} have none."
        raise StratError(msg)
    aside = dict.fromkeys(name for each in counts for name in each if name not in {*kept})
    joined: dict[Any, Any] = {}
    for name in kept:
        # pandas columns of objects have the type of their values.
        if len({dtype_of(x) if x.dtype == object else x.dtype for x in columns[name]}) > 1:
            held = [read_columns(collect_columns(frame, [name]), [name])[0] for frame in several]
            joined[name] = join_column(name, dict(zip(names, held, strict=True)))
    if library_of(several[0]) == "polars":
        check_threads()
        types = {str(name): each.dtype for name, each in joined.items()}
        labels = [pl.lit(name, pl.Enum(names)).alias(PART) for name in names]
        labelled = zip(several, labels, strict=True)
        rows = pl.concat([frame.select(*kept, own).cast(types) for frame, own in labelled])
        return rows, [*aside]
    rest = [name for name in kept if name not in joined]
    rows = pd.concat([frame[rest] for frame in several], ignore_index=True)
    codes = np.repeat(np.arange(len(several)), list(map(len, several)))
    joined[label_of(rows, PART)] = pd.Categorical.from_codes(codes, pd.Index(names), ordered=True)
    for name, values in joined.items():
        rows[name] = values
    return rows, [*aside]


def is_left_aside(label: Hashable, series: Any) -> bool:
    """Return whether a column is named like folds and holds no floats, or named like a pattern."""
    name = str(label[0] if isinstance(label, tuple) else label)
    if name == PART or (isinstance(series, pl.Series) and is_pattern(name)):
        return True
    return bool(FOLD_NAME.search(name)) and not dtype_of(series).is_float()


def join_column(name: object, columns: Mapping[str, Any]) -> Any:
    """Put columns of several types one below the other, or raise if that would change a value.

    A column without any values in a frame may have any type there. For Polars only the values that
    are not missing are joined.
    """
    held, stop = list[Any](), 0
    for each in columns.values():
        start, stop = stop, stop + len(each)
        if isinstance(each, pl.Series):
            held.append((each.cast(pl.String) if is_text(each) else each).drop_nulls())
        else:
            held.append(each.set_axis(range(start, stop)).dropna())
    held = [each for each in held if len(each)] or held[:1]
    if len(set(map(value_kind, held))) == 1:
        with suppress(ValueError, pl.exceptions.PolarsError):  # a StratError is a ValueError
            if isinstance(held[0], pl.Series):
                frames = [each.to_frame() for each in held]
                values = joined = pl.concat(frames, how="vertical_relaxed").to_series()
            else:
                joined = pd.concat(held).reindex(range(stop))
                values = joined.dropna()
            words = [hash_keys([read_key(each)], 0) for each in (values, *held)]
            if np.array_equal(words[0], np.concatenate(words[1:])):
                return joined
    found = ", ".join(f"{each.dtype} in {part!r}" for part, each in columns.items())
    msg = (
        f"A column must have one type in all frames, but {name!r} is {found}."
        "\nHint: cast it, or drop it."
    )
    raise StratError(msg)


def value_kind(series: Any) -> tuple[Any, ...]:
    """Name the kind of the values, whatever their width or unit, and the time zone of times."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = pd.Series(series.dtype.categories)
    dtype = dtype_of(series)
    kind = pl.Float64 if dtype.is_integer() else dtype.base_type()
    zone = getattr(series.dtype, "tz", getattr(dtype, "time_zone", None))
    # 32-bit fractions rarely equal 64-bit ones, which would hide copies.
    is_short = str(series.dtype).lower() == "float32"
    return pl.String if is_text(series) else kind, str(zone), is_short


def check_given(given: Mapping[str, Any]) -> None:
    for name, frame in given.items():
        if not isinstance(name, str) or not name:
            msg = f"The names of frames must be non-empty text, got {describe(name)}."
            raise StratError(msg)
        if not is_frame(frame):
            raise not_a_frame(frame, "pandas or Polars")
    if len(given) < 2:
        msg = f"There must be at least two frames, got {describe(given)}."
        raise StratError(msg + '\nHint: `{"train": train, "test": test}`.')
    if len({library_of(frame) for frame in given.values()}) > 1:
        msg = "Several frames must be from one library, got pandas and Polars."
        raise StratError(msg + "\nHint: `pl.from_pandas` converts.")
