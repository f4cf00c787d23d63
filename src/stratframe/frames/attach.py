"""Add arrays to a frame as new columns, without changing its rows, index or other columns.

A pandas frame receives arrays, because pandas would align a Series by its index. A Polars frame
receives series. A lazy frame receives one expression, which reads the columns that the call needs.
If possible, the expression is evaluated in a separate query, whose result is put beside the frame.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
import pandas as pd
import polars as pl

from ..core.types import Ints
from .lazy import OWN_COLUMN, is_repeatable
from .libraries import EagerFrame, label_of
from .references import check_height, one_or_several


class NewColumn(NamedTuple):
    """A new column to add to a frame."""

    name: str
    parts: Ints
    """The part of each row, or -1 for a row without a part."""
    labels: tuple[str, ...] | None
    """The names of the parts; None for a fold column, which holds numbers."""
    nullable: bool
    """Whether the arguments of the call allow rows without a fold."""


class ComputedColumn(NamedTuple):
    """An expression that computes a column, or several columns as the fields of a struct."""

    expr: pl.Expr
    is_several: bool


Refs: TypeAlias = Mapping[str, Sequence[Any]]
"""A mapping from the names of arguments to the references that the arguments hold."""

Compute: TypeAlias = Callable[[dict[str, list[Any]], int], list[NewColumn]]
"""A function that computes new columns from the columns of each argument and the number of rows."""


def attach_columns(frame: EagerFrame, columns: list[NewColumn]) -> EagerFrame:
    """Add columns to an eager frame, and empty the list of columns."""
    if isinstance(frame, pl.DataFrame):
        # Each array is released as soon as its series is made.
        return frame.with_columns([polars_column(columns.pop(0)) for _ in range(len(columns))])
    return attach_pandas(frame, columns)


def attach_lazily(
    frame: pl.LazyFrame,
    refs: Refs,
    compute: Compute,
    outputs: Sequence[NewColumn],
    *,
    by_row: bool = False,
) -> pl.LazyFrame:
    """Add columns that are computed when the query runs, row by row if `by_row` is true."""
    expr = column_expression(refs, compute, outputs, by_row=by_row)
    new = [column.name for column in outputs]
    if by_row or not is_repeatable(frame):
        attached = frame.with_columns(expr)
        if len(new) > 1:
            attached = attached.with_columns(pl.col(new[0]).struct.unnest())
        return attached
    # The separate query reads only the columns that the expression needs. The frame itself is
    # streamed instead of being held in memory until all rows have their folds.
    computed = frame.select(expr)
    if len(new) > 1:
        computed = computed.unnest(new[0])
    attached = pl.concat([frame.drop(new, strict=False), computed], how="horizontal")
    known = frame.collect_schema().names()
    if set(new).isdisjoint(known):
        return attached
    places = {name: place for place, name in enumerate(attached.collect_schema())}
    return attached.select(pl.nth([places[name] for name in dict.fromkeys([*known, *new])]))


def attach_pandas(frame: pd.DataFrame, columns: list[NewColumn]) -> pd.DataFrame:
    """Add columns to a copy of a pandas frame, and empty the list of columns."""
    arrays = {}
    while columns:
        column = columns.pop(0)
        arrays[label_of(frame, column.name)] = pandas_column(column)
    new = {label: values for label, values in arrays.items() if label not in frame.columns}
    attached = frame.assign()
    with suppress(UnicodeEncodeError):  # raised for labels that UTF-8 cannot encode
        if len(new) > 1:
            added = pd.DataFrame(new, index=frame.index, copy=False)
            # `concat` drops `attrs` and the attributes that a subclass lists in `_metadata`.
            attached = cast("Any", pd.concat([frame, added], axis=1)).__finalize__(frame)
            arrays = {label: arrays[label] for label in arrays.keys() - new.keys()}
    with warnings.catch_warnings():
        # pandas warns about fragmented frames, but one more column makes little difference.
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
    parts = column.parts.astype(np.int64)
    series = pl.Series(column.name, parts)
    if column.nullable and (parts < 0).any():
        series = series.set(pl.Series(parts < 0), None)
    if column.labels is None:
        return series
    labels = pl.Series(column.name, column.labels, dtype=polars_dtype(column.labels))
    return labels.gather(series)


def polars_dtype(labels: Sequence[str] | None) -> pl.DataType:
    return pl.Int64() if labels is None else pl.Enum(labels)


def column_expression(
    refs: Refs, compute: Compute, outputs: Sequence[NewColumn], *, by_row: bool = False
) -> pl.Expr:
    """Build a Polars expression that computes new columns from all rows at once.

    With `by_row`, the expression can be evaluated on batches of rows. Several new columns are
    returned as one struct, because separate expressions would each repeat the whole computation.
    """
    every = list(chain.from_iterable(refs.values()))
    names = list(dict.fromkeys(ref for ref in every if isinstance(ref, str)))
    computed = []
    for ref in every:
        if not isinstance(ref, str):
            computed.append(ComputedColumn(ref, ref.meta.has_multiple_outputs()))

    def compute_series(inputs: Sequence[pl.Series]) -> pl.Series:
        columns = read_inputs(refs, names, computed, inputs)
        added = [polars_column(column) for column in compute(columns, len(inputs[0]))]
        return added[0] if len(added) == 1 else pl.DataFrame(added).to_struct("folds")

    types = {column.name: polars_dtype(column.labels) for column in outputs}
    name = outputs[0].name
    expr = pl.map_batches(
        input_expressions(names, computed),
        compute_series,
        return_dtype=types[name] if len(outputs) == 1 else pl.Struct(types),
        is_elementwise=by_row,
    )
    return expr.alias(name)


def input_expressions(names: Sequence[str], computed: Sequence[ComputedColumn]) -> list[pl.Expr]:
    """List the expressions that a function of Polars reads: the named columns, then the others."""
    # Named columns form one struct: otherwise, the time grows with the square of their number.
    # Computed columns stay separate, because a struct would broadcast a single value.
    rows = pl.int_range(pl.len(), dtype=pl.UInt32)
    if names:
        rows = pl.struct(names)
    inputs = [rows.alias(OWN_COLUMN)]
    for column in computed:
        inputs.append(pl.struct(column.expr) if column.is_several else column.expr)
    return inputs


def read_inputs(
    refs: Refs,
    names: Sequence[str],
    computed: Sequence[ComputedColumn],
    inputs: Sequence[pl.Series],
) -> dict[str, list[Any]]:
    """Return the columns of each argument from the series of `input_expressions`."""
    rows, *others = inputs
    named = rows.struct.unnest() if names else rows.to_frame()
    values = []
    for column, series in zip(computed, others, strict=True):
        check_height(column.expr, len(series), len(rows))
        values.append(one_or_several(series.struct.unnest()) if column.is_several else series)
    next_value = iter(values).__next__
    columns = {}
    for argument, entries in refs.items():
        columns[argument] = [named[x] if isinstance(x, str) else next_value() for x in entries]
    return columns


def struct_fields(series: pl.Series, expr: pl.Expr) -> list[pl.Series]:
    """List the fields of a struct series; return a list of one series for any other dtype."""
    if isinstance(series.dtype, pl.Struct):
        return series.struct.unnest().get_columns()
    # Inside `.over`, Polars passes series without names.
    name = series.name or expr.meta.output_name(raise_if_undetermined=False) or str(expr)
    return [series.alias(name)]
