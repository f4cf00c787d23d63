"""Arrays -> new columns of a frame, and nothing else touched."""

import warnings
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

from ..core.types import Flags, Ints
from .library import FrameT, label_of
from .references import check_height, read_columns


class NewColumn(NamedTuple):
    """A column to attach."""

    name: str
    parts: Ints
    """The part of every row; -1 where it has none."""
    labels: tuple[str, ...] | None
    """Names of the parts; None for folds, which are numbers."""
    nullable: bool
    """Whether the arguments allow rows without a fold."""


def attach_columns(
    frame: FrameT,
    refs: Sequence[Any],
    compute: Callable[[list[Any], int], list[NewColumn]],
    outputs: Sequence[NewColumn],
) -> FrameT:
    """Add columns that are computed from the named columns, and touch nothing else."""
    if isinstance(frame, pl.LazyFrame):
        grown = frame.with_columns(column_expression(refs, compute, outputs))
        return grown if len(outputs) == 1 else grown.unnest(outputs[0].name)
    dealt = compute(read_columns(frame, refs), len(frame))
    if isinstance(frame, pl.DataFrame):
        return frame.with_columns(polars_column(column) for column in dealt)
    return attach_pandas(frame, dealt)


def attach_pandas(frame: pd.DataFrame, dealt: Sequence[NewColumn]) -> pd.DataFrame:
    """Add columns to a pandas frame; what they share with it is for pandas to say."""
    columns = {label_of(frame, column.name): pandas_column(column) for column in dealt}
    if len(columns) == 1:
        grown = frame.assign()
        with warnings.catch_warnings():
            # Of a frame that was put together from many columns; one more is no matter.
            warnings.simplefilter("ignore", pd.errors.PerformanceWarning)
            for label, values in columns.items():
                grown[label] = values
        return grown
    grown = pd.concat([frame, pd.DataFrame(columns, index=frame.index)], axis=1)
    grown.attrs = deepcopy(frame.attrs)
    return grown


def column_expression(
    refs: Sequence[Any],
    compute: Callable[[list[Any], int], list[NewColumn]],
    outputs: Sequence[NewColumn],
) -> pl.Expr:
    """Make one Polars expression of a computation on columns; several come as a struct."""
    fields = {column.name: polars_dtype(column.labels) for column in outputs}

    def run(series: list[Any], n_rows: int) -> pl.Series:
        columns = [polars_column(column) for column in compute(series, n_rows)]
        return columns[0] if len(columns) == 1 else pl.DataFrame(columns).to_struct("folds")

    if len(fields) == 1:
        ((name, dtype),) = fields.items()
        return batch_expression(refs, run, dtype).alias(name)
    # Each field taken by itself would be a computation of its own.
    return batch_expression(refs, run, pl.Struct(fields)).alias(outputs[0].name)


def batch_expression(
    refs: Sequence[Any], compute: Callable[[list[Any], int], pl.Series], dtype: Any
) -> pl.Expr:
    """Make a Polars expression that hands whole columns to a Python function."""
    exprs = [pl.col(ref) if isinstance(ref, str) else ref for ref in refs]
    # A computed column may have another length than the frame; a named one tells it.
    if not any(isinstance(ref, str) for ref in refs):
        exprs.append(pl.int_range(pl.len(), dtype=pl.UInt32))
    named = [isinstance(ref, str) for ref in refs] + [True]

    def run(series: Sequence[pl.Series]) -> pl.Series:
        n_rows = len(series[named.index(True)])
        for ref, found in zip(refs, series, strict=False):
            check_height(ref, len(found), n_rows)
        return compute(list(series[: len(refs)]), n_rows)

    return pl.map_batches(exprs, run, return_dtype=dtype)


def struct_fields(series: pl.Series) -> list[pl.Series]:
    """Take a struct apart; any other series stays as it is."""
    return series.struct.unnest().get_columns() if isinstance(series.dtype, pl.Struct) else [series]


def polars_dtype(labels: tuple[str, ...] | None) -> Any:
    """Name the Polars type of folds, or of parts with given names."""
    return pl.Int64() if labels is None else pl.Enum(labels)


def polars_column(column: NewColumn) -> pl.Series:
    """Make a Polars series of a dealt column."""
    parts = column.parts.astype(np.int64)
    gaps = parts < 0 if column.nullable else None
    series = pl.Series(column.name, parts)
    if gaps is not None and gaps.any():
        series = series.set(pl.Series(gaps), None)
    if column.labels is None:
        return series
    return pl.Series(column.name, column.labels, dtype=pl.Enum(column.labels)).gather(series)


def pandas_column(column: NewColumn) -> Any:
    """Make a pandas array of a dealt column; never a Series, whose index would align."""
    if column.labels is not None:
        return pd.Categorical.from_codes(column.parts, categories=pd.Index(column.labels))
    parts = column.parts.astype(np.int64)
    if not column.nullable:
        return parts
    gaps = parts < 0
    parts[gaps] = 0
    return pd.arrays.IntegerArray(parts, gaps)


def filter_rows(frame: Any, refs: Sequence[Any], choose: Callable[[list[Any]], Flags]) -> Any:
    """Keep the rows that a computation on the named columns chooses, in their old order.

    A lazy frame runs as one query, so that only the chosen rows are kept.
    """
    if isinstance(frame, pl.LazyFrame):
        mask = batch_expression(refs, lambda series, _: pl.Series(choose(series)), pl.Boolean)
        return frame.filter(mask).collect()
    chosen = choose(read_columns(frame, refs))
    return frame[chosen] if isinstance(frame, pd.DataFrame) else frame.filter(chosen)
