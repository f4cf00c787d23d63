"""References to columns, checked and read: names, expressions, callables."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
import polars as pl

from ..errors import StratError, suggest_name
from .library import Frame, check_frame, column_names, label_of, library_of

PANDAS_EXPRESSIONS: tuple[type, ...] = tuple(
    vars(pd.api.typing)[name] for name in ("Expression",) if name in vars(pd.api.typing)
)
"""The class of `pd.col(...)`, which pandas has from 3.0 on."""


EXPRESSIONS = (pl.Expr, *PANDAS_EXPRESSIONS)


def is_computed(ref: Any) -> bool:
    """Say whether a reference is an expression or callable, not a column name."""
    return isinstance(ref, EXPRESSIONS) or callable(ref)


def format_reference(ref: Any) -> str:
    """Write a reference for a message."""
    return str(ref) if isinstance(ref, EXPRESSIONS) else repr(ref)


def same_column(ref: Any, other: Any) -> bool:
    """Say whether two references are the same column."""
    if isinstance(ref, pl.Expr) or isinstance(other, pl.Expr):
        both = isinstance(ref, pl.Expr) and isinstance(other, pl.Expr)
        return both and ref.meta.eq(other)
    if is_computed(ref) or is_computed(other):
        return ref is other
    return type(ref) is type(other) and bool(ref == other)


def result_name(ref: Any, series: Any) -> Hashable | None:
    """Name the result of a reference."""
    return getattr(series, "name", None) if is_computed(ref) else ref


def result_names(refs: Iterable[Any], series: Iterable[Any]) -> tuple[Hashable | None, ...]:
    """Name the results of references; None for a computed one without a name."""
    return tuple(map(result_name, refs, series))


def root_names(ref: Any) -> list[str]:
    """Name the columns that a reference needs."""
    return ref.meta.root_names() if isinstance(ref, pl.Expr) else [ref]


TAKEN = {
    "by": "column names, terms such as `sf.quantiles`, or expressions",
    "groups": "column names, expressions, or one `sf.clusters`",
    "key": "column names or expressions",
    "columns": "column names or expressions",
    "features": "column names or expressions",
    "name": "column names",
}
"""What the arguments that name columns may hold."""


def check_refs(frame: Frame, refs: Iterable[Any], argument: str) -> None:
    """Refuse references to columns that are not there, twice there, or nested."""
    known = column_names(frame)
    for ref in refs:
        if argument != "name" and is_computed(ref):
            check_computed(frame, ref, argument)
        else:
            own = argument == "name" and isinstance(ref, str)
            check_label(label_of(frame, ref) if own else ref, argument, known)
        if not isinstance(frame, pd.DataFrame):
            check_polars(frame, ref, argument)


def check_all_refs(frame: Frame, refs: dict[str, list[Any]]) -> None:
    """Raise unless a frame is one, and has the columns that each argument names."""
    check_frame(frame)
    for argument, columns in refs.items():
        if columns:
            check_refs(frame, columns, argument)


def check_computed(frame: Frame, ref: Any, argument: str) -> None:
    """Refuse the other library's expressions."""
    if isinstance(ref, pl.Expr) == isinstance(frame, pd.DataFrame):
        msg = (
            f"`{argument}` takes Polars expressions on Polars frames, and callables or"
            f" `pd.col` on pandas frames, got {format_reference(ref)} on a {library_of(frame)} frame."
        )
        raise StratError(msg)


def check_label(ref: Any, argument: str, known: Sequence[Hashable]) -> None:
    """Refuse what names no column, or more than one."""
    count = sum(same_column(ref, name) for name in known) if isinstance(ref, Hashable) else 0
    if count == 1:
        return
    if count > 1:
        msg = (
            f"`{argument}` names the column {ref!r}, which the frame has {count} times."
            "\nHint: rename or drop the others first."
        )
    elif isinstance(ref, str | tuple):
        several = "Hint: several columns go in a list."
        hint = several if isinstance(ref, tuple) else suggest_name(ref, known)
        msg = f"`{argument}` names the column {ref!r}, which the frame does not have.\n{hint}"
    else:
        msg = f"`{argument}` must hold {TAKEN[argument]}, got {ref!r}."
    raise StratError(msg)


def check_polars(frame: pl.DataFrame | pl.LazyFrame, ref: Any, argument: str) -> None:
    """Refuse expressions of no or several columns, and nested columns; reads no data."""
    try:
        schema = frame.lazy().select(ref).collect_schema()
    except pl.exceptions.PolarsError as error:
        for name in root_names(ref):
            check_label(name, argument, column_names(frame))
        first = str(error).partition("\n")[0]
        msg = (
            f"A computed column must be a working expression, got {format_reference(ref)}: {first}"
        )
        raise StratError(msg) from error
    if len(schema) != 1:
        msg = f"An entry of `{argument}` must give one column, got {len(schema)} from {format_reference(ref)}."
        raise StratError(msg)
    for name, dtype in schema.items():
        check_flat(name, dtype)


def check_flat(name: object, dtype: pl.DataType) -> None:
    """Refuse nested Polars dtypes."""
    if dtype.is_nested() or dtype == pl.Object:
        msg = f"A column must hold single values, but {name!r} is {dtype}."
        raise StratError(msg)


def check_new(frame: Frame, new: Iterable[str]) -> None:
    """Refuse to add a column that is there already."""
    known = column_names(frame)
    taken = [name for name in new if label_of(frame, name) in known]
    if taken:
        listed = repr(taken[0]) if len(taken) == 1 else repr(taken)
        drop = f"columns={listed}" if isinstance(frame, pd.DataFrame) else listed
        noun = "a column" if len(taken) == 1 else "columns"
        msg = (
            f"The frame has {noun} {', '.join(map(repr, taken))} already."
            f"\nHint: df = df.drop({drop})"
        )
        raise StratError(msg)


def collect_columns(frame: Frame, refs: Sequence[Any]) -> Any:
    """Collect the columns of a lazy frame that are needed; eager frames stay."""
    if not isinstance(frame, pl.LazyFrame):
        return frame
    known = frame.collect_schema().names()
    wanted = [root_names(ref) for ref in refs]
    # An expression whose columns cannot be told, such as a pattern of names, needs all.
    if not all(column_names and set(names) <= set(known) for names in wanted):
        return frame.collect()
    needed = [name for name in known if any(name in column_names for column_names in wanted)]
    return frame.select(needed or pl.int_range(pl.len()).alias("row")).collect()


def empty_columns(frame: Any, refs: Sequence[Any]) -> list[Any]:
    """Make the columns of references without rows: their names and types; reads no data."""
    schemas = [frame.select(ref).collect_schema() for ref in refs]
    return [pl.Series(name, [], dtype) for schema in schemas for name, dtype in schema.items()]


def read_columns(frame: Any, refs: Sequence[Any]) -> list[Any]:
    """Read columns of an eager frame, by name, expression or callable."""
    if isinstance(frame, pd.DataFrame):
        return [read_pandas(frame, ref) for ref in refs]
    found = [
        frame.get_column(ref) if isinstance(ref, str) else frame.select(ref).to_series()
        for ref in refs
    ]
    for ref, series in zip(refs, found, strict=True):
        check_height(ref, len(series), frame.height)
    return found


def read_pandas(frame: pd.DataFrame, ref: Any) -> Any:
    """Read one column of a pandas frame."""
    if not is_computed(ref):
        return frame[ref]
    if isinstance(ref, PANDAS_EXPRESSIONS):
        try:
            return frame.assign(stratum=cast("Any", ref))["stratum"].rename(None)
        except (KeyError, ValueError) as error:
            msg = f"A computed column must be a working expression, got {ref}: {error}"
            raise StratError(msg) from error
    result = ref(frame)
    if isinstance(result, pd.DataFrame) or np.ndim(result) != 1:
        msg = f"A callable must return one value a row, got {type(result).__name__}."
        raise StratError(msg)
    check_height(ref, len(result), len(frame))
    if isinstance(result, pd.Series) and not result.index.equals(frame.index):
        msg = "A callable must return its values in the order of the frame, got another index."
        raise StratError(msg)
    return result if isinstance(result, pd.Series) else pd.Series(result, index=frame.index)


def check_height(ref: Any, found: int, height: int) -> None:
    """Refuse computed strata that are shorter or longer than the frame."""
    if found != height:
        msg = (
            f"A computed column must give one value for each of the {height} rows,"
            f" got {found} from {format_reference(ref)}."
        )
        raise StratError(msg)
