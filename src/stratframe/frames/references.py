"""References to columns (names, expressions, callables): compared, checked, and read.

A *reference* is what the caller puts where a column is meant: a column name, a Polars
expression, on pandas `pd.col(...)` or a callable that gets the frame. Checks read the
names and types of a frame only, so that a call on a lazy frame fails before its query runs.
"""

from collections.abc import Hashable, Iterable, Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

from ..errors import MAX_LISTED, StratError, describe, no_such_column
from .dtypes import is_nested, nested_error
from .which_library import EagerFrame, Frame, check_frame, column_names, label_of, library_of

PANDAS_EXPRESSIONS: tuple[type, ...] = tuple(
    vars(pd.api.typing)[name] for name in ("Expression",) if name in vars(pd.api.typing)
)
"""The class of `pd.col(...)`, which pandas has from 3.0 on."""

EXPRESSIONS = (pl.Expr, *PANDAS_EXPRESSIONS)

DATA = (
    *(pd.Series, pd.DataFrame, pd.Index, pd.api.extensions.ExtensionArray),
    *(pl.Series, pl.DataFrame, pl.LazyFrame, np.ndarray),
)
"""Classes of data, where the name of a column was meant."""

MAX_ENTRIES = 300
"""Entries that `by`, `groups` or `key` may hold; a longer list holds values, not names."""

ACCEPTED = {
    "by": "column names, terms such as `sf.quantiles`, or expressions",
    "groups": "column names, expressions, or one `sf.clusters`",
    "key": "column names or expressions",
    "where": "a boolean column, an expression or a callable",
    "columns": "column names or expressions",
    "features": "column names or expressions",
    "name": "column names",
}
"""What each argument that refers to columns may hold."""


def is_computed(ref: Any) -> bool:
    """Return whether a reference is an expression or callable, not a column name."""
    return isinstance(ref, EXPRESSIONS) or callable(ref)


def format_reference(ref: Any) -> str:
    """Format a reference for a message."""
    return str(ref) if isinstance(ref, EXPRESSIONS) else describe_data(ref)


def describe_data(value: object) -> str:
    """Show a value in a message; of data, however short, only the type."""
    return type(value).__name__ if isinstance(value, DATA) else describe(value)


def same_column(ref: Any, other: Any) -> bool:
    """Return whether two references are the same column."""
    if isinstance(ref, pl.Expr) or isinstance(other, pl.Expr):
        return isinstance(ref, pl.Expr) and isinstance(other, pl.Expr) and ref.meta.eq(other)
    if is_computed(ref) or is_computed(other) or not isinstance(ref, Hashable):
        return ref is other
    return type(ref) is type(other) and bool(ref == other)


def result_name(ref: Any, series: Any) -> Hashable | None:
    """Return the column name that a reference results in; None if it has none."""
    return getattr(series, "name", None) if is_computed(ref) else ref


class ResultName(NamedTuple):
    """What a reference results in is called."""

    name: Hashable | None
    is_missing: bool
    """Whether the column is computed, and has no name; a label may be None, too."""


def result_names(refs: Iterable[Any], series: Iterable[Any]) -> tuple[ResultName, ...]:
    """Name the results of references."""
    names = [(ref, result_name(ref, column)) for ref, column in zip(refs, series, strict=True)]
    return tuple(ResultName(name, name is None and is_computed(ref)) for ref, name in names)


def root_names(ref: Any) -> list[Any]:
    """List the columns that a reference reads."""
    return ref.meta.root_names() if isinstance(ref, pl.Expr) else [ref]


def check_not_data(argument: str, given: object) -> None:
    """Raise if data are given, or a list of values, where columns are named."""
    entries = given if isinstance(given, list) else [given]
    if len(entries) > MAX_ENTRIES and argument in ("by", "groups", "key"):
        raise not_a_reference(argument, entries)
    for entry in entries:
        if isinstance(entry, DATA):
            raise not_a_reference(argument, entry)


def check_names(argument: str, given: Iterable[object]) -> None:
    """Raise unless all may name a column."""
    for name in given:
        if name is None or is_computed(name) or not isinstance(name, Hashable):
            raise not_a_reference(argument, name, ACCEPTED["name"])


def not_a_reference(argument: str, given: object, accepted: str = "") -> StratError:
    """Build the error for what an argument does not accept as a reference."""
    msg = f"`{argument}` must hold {accepted or ACCEPTED[argument]}, got {describe_data(given)}."
    n_values = len(given) if isinstance(given, list) else 0
    if isinstance(given, DATA) and argument == "where":
        return StratError(
            f"{msg}\nHint: compute it, as in `where=lambda df: df['part'] == 'train'`."
        )
    if isinstance(given, DATA) or n_values > MAX_LISTED:
        name = getattr(given, "name", None)
        named = f", {name!r}" if isinstance(name, str) and name else ""
        return StratError(f"{msg}\nHint: give the name of the column{named}.")
    if argument == "by" and isinstance(given, Integral) and not isinstance(given, bool):
        return StratError(f"{msg}\nHint: `by` comes first; the number of folds is `k={given}`.")
    return StratError(msg)


def check_refs(frame: Frame, refs: Iterable[Any], argument: str) -> None:
    """Raise unless every reference of an argument is one column of single values."""
    check_refs_among(frame, refs, argument, column_names(frame))


def check_refs_among(
    frame: Frame, refs: Iterable[Any], argument: str, names: Sequence[Hashable]
) -> None:
    """Raise as `check_refs`, for a frame whose names are known."""
    for ref in refs:
        if argument != "name" and is_computed(ref):
            check_library(frame, ref, argument)
        else:
            is_name = argument == "name" and isinstance(ref, str)
            check_label(label_of(frame, ref) if is_name else ref, argument, names, shown=ref)
        if not isinstance(frame, pd.DataFrame):
            check_polars(frame, ref, argument)


def check_all_refs(frame: Frame, refs: dict[str, list[Any]], new_names: Iterable[str] = ()) -> None:
    """Raise unless a frame has the columns that each argument names, and no new one yet."""
    check_frame(frame)
    names = column_names(frame)
    for argument, columns in refs.items():
        check_refs_among(frame, columns, argument, names)
    check_new(frame, names, new_names)


def check_library(frame: Frame, ref: Any, argument: str) -> None:
    """Raise if a computed column is meant for the other library."""
    if isinstance(ref, pl.Expr) == isinstance(frame, pd.DataFrame):
        msg = (
            f"`{argument}` takes Polars expressions on Polars frames, and callables or `pd.col`"
            f" on pandas frames, got {format_reference(ref)} on a {library_of(frame)} frame."
        )
        raise StratError(msg)


def check_label(label: Any, argument: str, names: Sequence[Hashable], shown: Any = None) -> None:
    """Raise unless a label names exactly one column; `shown` is what the caller gave for it."""
    shown = label if shown is None else shown
    count = sum(same_column(label, name) for name in names) if isinstance(label, Hashable) else 0
    if count == 1:
        return
    if count > 1:
        msg = (
            f"`{argument}` names the column {label!r}, which the frame has {count} times."
            "\nHint: rename or drop the others first."
        )
        raise StratError(msg)
    if isinstance(label, str | tuple):
        raise StratError(no_such_column(argument, shown, names))
    raise not_a_reference(argument, label)


def check_polars(frame: pl.DataFrame | pl.LazyFrame, ref: Any, argument: str) -> None:
    """Raise unless a reference resolves to one column of single values; reads no data."""
    try:
        schema = frame.lazy().select(ref).collect_schema()
    except pl.exceptions.PolarsError as error:
        for name in root_names(ref):
            check_label(name, argument, column_names(frame))
        raise expression_error(ref, str(error).partition("\n")[0]) from error
    if len(schema) != 1:
        msg = (
            f"An entry of `{argument}` must give one column, got {len(schema)}"
            f" from {format_reference(ref)}."
        )
        raise StratError(msg)
    for name, dtype in schema.items():
        if is_nested(dtype):
            raise nested_error(name, dtype)


def check_new(frame: Frame, names: Sequence[Hashable], new_names: Iterable[str]) -> None:
    """Raise if the frame has any of the columns that are to be added."""
    taken = [name for name in new_names if label_of(frame, name) in names]
    if taken:
        argument = repr(taken[0]) if len(taken) == 1 else repr(taken)
        drop = f"columns={argument}" if isinstance(frame, pd.DataFrame) else argument
        noun = "a column" if len(taken) == 1 else "columns"
        msg = (
            f"The frame has {noun} {', '.join(map(repr, taken))} already."
            f" `overwrite=True` replaces {'it' if len(taken) == 1 else 'them'}."
            f"\nHint: df = df.drop({drop})"
        )
        raise StratError(msg)


def collect_columns(frame: Frame, refs: Sequence[Any]) -> EagerFrame:
    """Collect the columns of a lazy frame that references need; return eager frames as is."""
    if not isinstance(frame, pl.LazyFrame):
        return frame
    names = frame.collect_schema().names()
    roots = [root_names(ref) for ref in refs]
    # The roots of an expression over a pattern of names are none, or no names.
    if not all(each and set(each) <= set(names) for each in roots):
        return frame.collect()
    needed = [name for name in names if any(name in each for each in roots)]
    return frame.select(needed or pl.int_range(pl.len()).alias("row")).collect()


def empty_columns(frame: Frame, refs: Sequence[Any]) -> list[pl.Series] | None:
    """Return the columns of a lazy frame with their types, but no rows; None for an eager one."""
    if not isinstance(frame, pl.LazyFrame):
        return None
    schemas = [frame.select(ref).collect_schema() for ref in refs]
    return [pl.Series(name, [], dtype) for schema in schemas for name, dtype in schema.items()]


def read_columns(frame: EagerFrame, refs: Sequence[Any]) -> list[Any]:
    """Read columns of an eager frame by their references."""
    if isinstance(frame, pd.DataFrame):
        return [read_pandas(frame, ref) for ref in refs]
    return [read_polars(frame, ref) for ref in refs]


def read_polars(frame: pl.DataFrame, ref: Any) -> pl.Series:
    """Read one column of a Polars frame."""
    if isinstance(ref, str):
        return frame.get_column(ref)
    series = frame.select(ref).to_series()
    check_height(ref, len(series), frame.height)
    return series


def read_pandas(frame: pd.DataFrame, ref: Any) -> Any:
    """Read one column of a pandas frame."""
    if isinstance(ref, PANDAS_EXPRESSIONS):
        return evaluate_expression(frame, ref)
    return call_on_frame(frame, ref) if callable(ref) else frame[ref]


def evaluate_expression(frame: pd.DataFrame, ref: Any) -> pd.Series:
    """Evaluate `pd.col(...)` on a frame."""
    try:
        return frame.assign(stratum=ref)["stratum"].rename(None)
    except (KeyError, ValueError) as error:
        raise expression_error(ref, error) from error


def call_on_frame(frame: pd.DataFrame, ref: Any) -> pd.Series:
    """Call a function on a frame, and raise unless it returns one value per row, in order."""
    values = ref(frame)
    if isinstance(values, pd.DataFrame) or np.ndim(values) != 1:
        msg = f"A callable must return one value a row, got {type(values).__name__}."
        raise StratError(msg)
    check_height(ref, len(values), len(frame))
    if isinstance(values, pd.Series) and not values.index.equals(frame.index):
        msg = "A callable must return its values in the order of the frame, got another index."
        raise StratError(msg)
    return values if isinstance(values, pd.Series) else pd.Series(values, index=frame.index)


def check_height(ref: Any, height: int, n_rows: int) -> None:
    """Raise unless a computed column has as many values as the frame has rows."""
    if height != n_rows:
        msg = (
            f"A computed column must give one value for each of the {n_rows} rows,"
            f" got {height} from {format_reference(ref)}."
        )
        raise StratError(msg)


def expression_error(ref: Any, reason: object) -> StratError:
    """Build the error for an expression that the library cannot evaluate."""
    return StratError(
        f"A computed column must be a working expression, got {format_reference(ref)}: {reason}"
    )
