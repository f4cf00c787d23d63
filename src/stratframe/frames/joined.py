"""Concatenate the rows of several frames of one library, and record the frame of each row."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.hashing import hash_keys
from ..errors import FOLD_NAME, StratError, describe, list_values, no_such_column
from .dtypes import dtype_of, is_text
from .libraries import (
    EagerFrame,
    Frame,
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
    frames: Mapping[str, Any], refs: Mapping[str, Sequence[Any]]
) -> tuple[Any, list[Hashable]]:
    """Concatenate the rows of frames, and add a part column with the names of the frames.

    Columns that do not occur exactly once in every frame are left out, as are fold columns, but
    none of these may be named by the arguments, whose columns are `refs`. The names of the omitted
    columns are returned with the frame.
    """
    check_frames(frames)
    if any(isinstance(frame, pl.LazyFrame) for frame in frames.values()):
        frames = {part: frame.lazy() for part, frame in frames.items()}
    samples = [without_data(frame) for frame in frames.values()]
    names, aside = common_columns(samples)
    check_named_columns(refs, frames, names)
    if not names:
        msg = f"The frames must have a column in common, but {list_values(list(frames))} have none."
        raise StratError(msg)
    joined: dict[Any, Any] = {}
    for name in names:
        if not have_one_type(samples, name):
            columns = {part: read_column(frame, name) for part, frame in frames.items()}
            joined[name] = join_column(name, columns)
    if library_of(samples[0]) == "polars":
        return concat_polars(frames, names, joined), aside
    return concat_pandas(frames, names, joined), aside


def common_columns(samples: Sequence[EagerFrame]) -> tuple[list[Hashable], list[Hashable]]:
    """List the names of the columns to join, and the names of all other columns."""
    counts = [Counter(column_names(sample)) for sample in samples]
    names = []
    aside = []
    for name in dict.fromkeys(chain(*counts)):
        is_common = all(n_columns[name] == 1 for n_columns in counts)
        if is_common and not is_left_aside(samples[0], name):
            names.append(name)
        else:
            aside.append(name)
    return names, aside


def without_data(frame: Any) -> EagerFrame:
    """Return a frame with the schema of a lazy frame, or an eager frame itself."""
    if isinstance(frame, pl.LazyFrame):
        return pl.DataFrame(schema=frame.collect_schema())
    eager: EagerFrame = frame
    return eager


def read_column(frame: Frame, name: Any) -> Any:
    return read_columns(collect_columns(frame, [name]), [name])[0]


def have_one_type(samples: Sequence[Any], name: Any) -> bool:
    """Return whether the libraries can concatenate the columns with a name as they are."""
    # pandas warns when it concatenates sparse columns with different fill values.
    if any(is_sparse(sample[name]) for sample in samples):
        return False
    columns = [read_column(sample, name) for sample in samples]
    # For a pandas column of objects, the type of the values is compared.
    return len({dtype_of(x) if x.dtype == object else x.dtype for x in columns}) == 1


def concat_polars(
    frames: Mapping[str, Any], names: Sequence[Any], joined: Mapping[Any, pl.Series]
) -> Any:
    check_threads()
    types = {str(name): column.dtype for name, column in joined.items()}
    of_parts = pl.Enum(list(frames))
    rows = []
    for part, frame in frames.items():
        rows.append(frame.select(*names, pl.lit(part, of_parts).alias(PART)).cast(types))
    return pl.concat(rows)


def concat_pandas(
    frames: Mapping[str, Any], names: Sequence[Any], joined: Mapping[Any, pd.Series]
) -> Any:
    names = [name for name in names if name not in joined]
    rows = pd.concat([frame[names] for frame in frames.values()], ignore_index=True)
    for name, column in joined.items():
        rows[name] = column
    sizes = [len(frame) for frame in frames.values()]
    codes = np.repeat(np.arange(len(frames)), sizes)
    parts = pd.Categorical.from_codes(codes, pd.Index(list(frames)), ordered=True)
    rows[label_of(rows, PART)] = parts
    return rows


def check_named_columns(
    refs: Mapping[str, Sequence[Any]], frames: Mapping[str, Any], names: Sequence[Any]
) -> None:
    """Raise if an argument names a column that is not among the columns of the joined rows."""
    first = next(iter(frames.values()))
    for argument, entries in refs.items():
        for ref in entries:
            for label in named_columns(first, ref):
                if label not in names:
                    check_in_each(argument, label, frames)


def named_columns(frame: Any, ref: Any) -> list[Any]:
    """List the labels of the columns that a reference names; none for a callable."""
    if callable(ref) and not isinstance(ref, pl.Expr):
        return []
    return [label_of(frame, root) for root in root_names(ref) if is_label(root)]


def check_in_each(argument: str, name: Any, frames: Mapping[str, Any]) -> None:
    """Raise, and name the frame, if a column that an argument names is left out of the rows."""
    counts = {part: column_names(frame).count(name) for part, frame in frames.items()}
    twice = [part for part, n in counts.items() if n > 1]
    lacking = [part for part, n in counts.items() if not n]
    shown = name
    if isinstance(name, tuple) and not any(name[1:]):
        shown = name[0]
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
    if len(lacking) == len(frames):
        return  # the error for a single frame says it
    owner = f"the frame {lacking[0]!r} does"
    if len(lacking) > 1:
        owner = f"the frames {list_values(lacking)} do"
    frame = frames[lacking[0]]
    known = column_names(frame)
    raise StratError(no_such_column(argument, shown, known, index_names(frame), owner))


def is_left_aside(frame: EagerFrame, label: Hashable) -> bool:
    """Return whether a column is named like folds and holds no floats, or has a forbidden name."""
    name = str(label[0] if isinstance(label, tuple) else label)
    if name == PART or (isinstance(frame, pl.DataFrame) and is_pattern(name)):
        return True
    return bool(FOLD_NAME.search(name)) and not dtype_of(read_column(frame, label)).is_float()


def join_column(name: object, columns: Mapping[str, Any]) -> Any:
    """Concatenate columns of different types, or raise if this would change a value.

    A column without values is compatible with any type. The missing values of Polars columns are
    dropped, because only the type of the result is used.
    """
    known = known_values(list(columns.values()))
    if len(set(map(value_kind, known))) == 1:
        with suppress(ValueError, pl.exceptions.PolarsError):  # a StratError is a ValueError
            if isinstance(known[0], pl.Series):
                frames = [each.to_frame() for each in known]
                joined = pl.concat(frames, how="vertical_relaxed").to_series()
                values = joined
            else:
                joined = pd.concat(known).reindex(range(sum(map(len, columns.values()))))
                values = joined.dropna()
            words = [hash_keys([read_key(each)], 0) for each in (values, *known)]
            if np.array_equal(words[0], np.concatenate(words[1:])):
                return joined
    types = ", ".join(f"{each.dtype} in {part!r}" for part, each in columns.items())
    msg = (
        f"A column must have the same type in every frame, but {name!r} is {types}."
        "\nHint: cast it, or drop it."
    )
    raise StratError(msg)


def known_values(columns: Sequence[Any]) -> list[Any]:
    """Drop missing values, and columns without values; pandas columns get the joined index."""
    known = []
    n_rows = 0
    for column in columns:
        start = n_rows
        n_rows += len(column)
        if isinstance(column, pd.Series):
            known.append(column.set_axis(range(start, n_rows)).dropna())
        elif is_text(column):
            known.append(column.cast(pl.String).drop_nulls())
        else:
            known.append(column.drop_nulls())
    return [each for each in known if len(each)] or known[:1]


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


def check_frames(frames: Mapping[str, Any]) -> None:
    for name, frame in frames.items():
        if not isinstance(name, str) or not name:
            msg = f"The names of frames must be non-empty text, got {describe(name)}."
            raise StratError(msg)
        if not is_frame(frame):
            raise not_a_frame(frame, "pandas, Polars or Arrow", f"The frame {name!r}")
    if len(frames) < 2:
        msg = f"There must be at least two frames, got {describe(frames)}."
        raise StratError(msg + '\nHint: name them, as in `{"train": train, "test": test}`.')
    if len({library_of(frame) for frame in frames.values()}) > 1:
        msg = "All frames must be from the same library, got pandas and Polars."
        raise StratError(msg + "\nHint: `pl.from_pandas` converts pandas frames to Polars.")
