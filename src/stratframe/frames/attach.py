"""Arrays -> new columns of a frame; its rows, other columns and index stay as they are.

pandas gets arrays, never a Series, because it would align the index; Polars gets series. A lazy
frame gets one expression over the columns that the computation reads, if possible in a separate
query whose result is put beside the frame.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
import pandas as pd
import polars as pl

from ..core.types import Ints
from .lazy import is_repeatable
from .libraries import FrameT, label_of
from .references import check_height, one_or_several, read_columns


class NewColumn(NamedTuple):
    """A column to attach."""

    name: str
    parts: Ints
    """The part of every row; -1 where the row has none."""
    labels: tuple[str, ...] | None
    """Names of the parts; None for folds, which are numbers."""
    nullable: bool
    """Whether the arguments allow rows without a fold."""


Refs: TypeAlias = Mapping[str, Sequence[Any]]
"""References to columns, by the argument that they were given for."""

Compute: TypeAlias = Callable[[dict[str, list[Any]], int], list[NewColumn]]
"""Columns, by argument, and the number of rows -> new columns."""


def attach_columns(
    frame: FrameT,
    refs: Refs,
    compute: Compute,
    outputs: Sequence[NewColumn],
    *,
    by_row: bool = False,
) -> FrameT:
    """Add columns computed from the referenced columns; with `by_row`, from each row alone."""
    if isinstance(frame, pl.LazyFrame):
        expr = column_expression(refs, compute, outputs, by_row=by_row)
        new = [column.name for column in outputs]
        return attach_lazily(frame, expr, new, beside=not by_row and is_repeatable(frame))
    read = {argument: read_columns(frame, given) for argument, given in refs.items()}
    columns = list(compute(read, len(frame)))
    if isinstance(frame, pl.DataFrame):
        # The arrays of each column are released as soon as its series is made.
        return frame.with_columns([polars_column(columns.pop(0)) for _ in outputs])
    return attach_pandas(frame, columns)


def attach_lazily(
    frame: pl.LazyFrame, expr: pl.Expr, new: Sequence[str], *, beside: bool
) -> pl.LazyFrame:
    if not beside:
        attached = frame.with_columns(expr)
        return attached if len(new) == 1 else attached.with_columns(pl.col(new[0]).struct.unnest())
    # Beside a separate query, which reads only the columns of the expression, the frame
    # streams: it need not be held until all rows have their folds.
    computed = frame.select(expr)
    computed = computed if len(new) == 1 else computed.unnest(new[0])
    attached = pl.concat([frame.drop(new, strict=False), computed], how="horizontal")
    known = frame.collect_schema().names()
    if set(new).isdisjoint(known):
        return attached
    places = {name: place for place, name in enumerate(attached.collect_schema())}
    return attached.select(pl.nth([places[name] for name in dict.fromkeys([*known, *new])]))


def attach_pandas(frame: pd.DataFrame, columns: list[NewColumn]) -> pd.DataFrame:
    """Add columns to a pandas frame, all at once; the list of columns is emptied."""
    arrays = {}
    while columns:
        column = columns.pop(0)
        arrays[label_of(frame, column.name)] = pandas_column(column)
    new = {label: values for label, values in arrays.items() if label not in frame.columns}
    attached = frame.assign()
    with suppress(UnicodeEncodeError):  # raised for labels that UTF-8 cannot encode
        if len(new) > 1:
            added = pd.DataFrame(new, index=frame.index, copy=False)
            # `concat` drops `attrs`, and the attributes that a subclass names in `_metadata`.
            attached = cast("Any", pd.concat([frame, added], axis=1)).__finalize__(frame)
            arrays = {label: arrays[label] for label in arrays.keys() - new.keys()}
    with warnings.catch_warnings():
        # pandas warns about fragmented frames; one more column does not matter.
        warnings.simplefilter("ignore", pd.errors.PerformanceWarning)
        for label, values in arrays.items():
            attached[label] = values
    return attached


def pandas_column(column: NewColumn) -> Any:
    if column.labels is not None:
        return pd.Categorical.from_codes(column.parts, categories=pd.Index(column.labels))
    folds = column.parts.astype(np.int64)
    if not column.nullable:
        return folds
    missing = folds < 0
    folds[missing] = 0
    return pd.arrays.IntegerArray(folds, missing)


def polars_column(column: NewColumn) -> pl.Series:
    parts, dtype = column.parts.astype(np.int64), polars_dtype(column.labels)
    series = pl.Series(column.name, parts)
    if column.nullable and (parts < 0).any():
        series = series.set(pl.Series(parts < 0), None)
    if column.labels is None:
        return series
    return pl.Series(column.name, column.labels, dtype=dtype).gather(series)


def polars_dtype(labels: Sequence[str] | None) -> pl.DataType:
    return pl.Int64() if labels is None else pl.Enum(labels)


def column_expression(
    refs: Refs, compute: Compute, outputs: Sequence[NewColumn], *, by_row: bool = False
) -> pl.Expr:
    """Build the Polars expression of a computation on all rows at once, or `by_row` on batches.

    Several new columns form a struct: if each had its own expression, each would compute all of
    them.
    """
    every = [ref for given in refs.values() for ref in given]
    # The time Polars takes for separate columns grows with the square of their number. A struct
    # would stretch a computed column of one value to the height of the others.
    names = list(dict.fromkeys(ref for ref in every if isinstance(ref, str)))
    computed = [ref for ref in every if not isinstance(ref, str)]
    several = [ref.meta.has_multiple_outputs() for ref in computed]
    given = [pl.struct(ref) if many else ref for ref, many in zip(computed, several, strict=True)]
    rows = pl.struct(names) if names else pl.int_range(pl.len(), dtype=pl.UInt32)

    def compute_series(series: Sequence[pl.Series]) -> pl.Series:
        *others, held = series
        for ref, column in zip(computed, others, strict=True):
            check_height(ref, len(column), len(held))
        read_each = zip(others, several, strict=True)
        made = (one_or_several(each.struct.unnest()) if many else each for each, many in read_each)
        named = held.struct.unnest() if names else held.to_frame()
        read = {
            argument: [named[ref] if isinstance(ref, str) else next(made) for ref in own]
            for argument, own in refs.items()
        }
        columns = [polars_column(column) for column in compute(read, len(held))]
        return columns[0] if len(columns) == 1 else pl.DataFrame(columns).to_struct("folds")

    types = {column.name: polars_dtype(column.labels) for column in outputs}
    name = outputs[0].name
    dtype = types[name] if len(outputs) == 1 else pl.Struct(types)
    expr = pl.map_batches([*given, rows], compute_series, return_dtype=dtype, is_elementwise=by_row)
    return expr.alias(name)


def struct_fields(series: pl.Series, expr: pl.Expr) -> list[pl.Series]:
    """List the fields of a struct that an expression returns; list any other series alone."""
    if isinstance(series.dtype, pl.Struct):
        return series.struct.unnest().get_columns()
    # Inside `.over` Polars passes series without names.
    name = series.name or expr.meta.output_name(raise_if_undetermined=False) or str(expr)
    return [series.alias(name)]
