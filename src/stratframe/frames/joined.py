"""Concatenate the rows of several frames of one library, and record the frame of each row."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.hashing import hash_keys
from ..errors import FOLD_NAME, StratError, describe, list_values, no_such_column
from .dtypes import dtype_of, is_text
from .libraries import (
    column_names,
    is_frame,
    is_label,
    is_sparse,
    label_of,
    library_of,
    not_a_frame,
)
from .read import read_key
from .references import collect_columns, index_names, is_pattern, read_columns, root_names
from .threads import check_threads

PART = "split"
"""The name of the column that records the frame of each row."""


def join_frames(
    given: Mapping[str, Any], refs: Mapping[str, Sequence[Any]]
) -> tuple[Any, list[Hashable]]:
    """Concatenate the rows of frames, and add a part column with the names of the frames.

    Columns that do not occur exactly once in every frame are left out, as are fold columns, but
    none of these may be named by the arguments, whose columns are `refs`. The names of the omitted
    columns are returned with the frame.
    """
    check_given(given)
    names, several = list(given), list(given.values())
    is_lazy = any(isinstance(each, pl.LazyFrame) for each in several)
    several = [each.lazy() for each in several] if is_lazy else several
    counts = [Counter(column_names(each)) for each in several]
    shared = [name for name in counts[0] if all(each[name] == 1 for each in counts)]
    # For lazy frames, only the schema is read here.
    typed: list[Any] = several
    if is_lazy:
        typed = [pl.DataFrame(schema=each.collect_schema()) for each in several]
    columns = {name: [read_columns(each, [name])[0] for each in typed] for name in shared}
    kept = [name for name in shared if not is_left_aside(name, columns[name][0])]
    for argument, own in refs.items():
        for name in {each: None for ref in own for each in named_columns(several[0], ref)}:
            if name not in kept:
                check_in_each(argument, name, dict(zip(names, several, strict=True)))
    if not kept:
        msg = f"The frames must have a column in common, but {list_values(names)} have none."
        raise StratError(msg)
    aside = dict.fromkeys(name for each in counts for name in each if name not in {*kept})
    joined: dict[Any, Any] = {}
    for name in kept:
        # For a pandas column of objects, the type of the values is compared.
        dtypes = {dtype_of(x) if x.dtype == object else x.dtype for x in columns[name]}
        # pandas warns when it concatenates sparse columns with different fill values.
        if len(dtypes) > 1 or any(is_sparse(each[name]) for each in typed):
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


def named_columns(frame: Any, ref: Any) -> list[Any]:
    """List the labels of the columns that a reference names; none for a callable."""
    roots = [] if callable(ref) and not isinstance(ref, pl.Expr) else root_names(ref)
    return [label_of(frame, root) for root in roots if is_label(root)]


def check_in_each(argument: str, name: Any, given: Mapping[str, Any]) -> None:
    """Raise, and name the frame, if a column that an argument names is left out of the rows."""
    counts = {part: column_names(frame).count(name) for part, frame in given.items()}
    twice = [part for part, n in counts.items() if n > 1]
    lacking = [part for part, n in counts.items() if not n]
    shown = name[0] if isinstance(name, tuple) and not any(name[1:]) else name
    if twice:
        msg = (
            f"`{argument}` names the column {shown!r}, which occurs {counts[twice[0]]} times in the"
            f" frame {twice[0]!r}.\nHint: rename or drop all but one of these columns first."
        )
        raise StratError(msg)
    if shown == PART or not lacking:
        msg = (
            f"`{argument}` must not name {shown!r} where several frames are given: their names are"
            " the parts, and columns of folds are left aside."
            "\nHint: give the column another name if it holds no folds."
        )
        raise StratError(msg)
    if len(lacking) == len(given):
        return  # the error for a single frame says it
    owner = f"the frame {lacking[0]!r} does"
    if len(lacking) > 1:
        owner = f"the frames {list_values(lacking)} do"
    frame = given[lacking[0]]
    known = column_names(frame)
    raise StratError(no_such_column(argument, shown, known, index_names(frame), owner))


def is_left_aside(label: Hashable, series: Any) -> bool:
    """Return whether a column is named like folds and holds no floats, or has a forbidden name."""
    name = str(label[0] if isinstance(label, tuple) else label)
    if name == PART or (isinstance(series, pl.Series) and is_pattern(name)):
        return True
    return bool(FOLD_NAME.search(name)) and not dtype_of(series).is_float()


def join_column(name: object, columns: Mapping[str, Any]) -> Any:
    """Concatenate columns of different types, or raise if this would change a value.

    A column without values is compatible with any type. The missing values of Polars columns are
    dropped, because only the type of the result is used.
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
        f"A column must have the same type in every frame, but {name!r} is {found}."
        "\nHint: cast it, or drop it."
    )
    raise StratError(msg)


def value_kind(series: Any) -> tuple[Any, ...]:
    """Return the kind of the values, their time zone, and whether they are 32-bit floats."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = pd.Series(series.dtype.categories)
    dtype = dtype_of(series)
    kind = pl.Float64 if dtype.is_integer() else dtype.base_type()
    zone = getattr(series.dtype, "tz", getattr(dtype, "time_zone", None))
    # A fraction as a 32-bit float seldom equals the same fraction as a 64-bit float, so equal rows
    # would not be found.
    is_short = str(series.dtype).lower() == "float32"
    return pl.String if is_text(series) else kind, str(zone), is_short


def check_given(given: Mapping[str, Any]) -> None:
    for name, frame in given.items():
        if not isinstance(name, str) or not name:
            msg = f"The names of frames must be non-empty text, got {describe(name)}."
            raise StratError(msg)
        if not is_frame(frame):
            raise not_a_frame(frame, "pandas or Polars", f"The frame {name!r}")
    if len(given) < 2:
        msg = f"There must be at least two frames, got {describe(given)}."
        raise StratError(msg + '\nHint: name them, as in `{"train": train, "test": test}`.')
    if len({library_of(frame) for frame in given.values()}) > 1:
        msg = "All frames must be from the same library, got pandas and Polars."
        raise StratError(msg + "\nHint: `pl.from_pandas` converts pandas frames to Polars.")
