"""The rows of a frame that a fold column or a computation selects, in their order."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.types import Flags
from .attach import batch_expression
from .dtypes import is_float, is_missing, is_object, to_floats
from .folds import fold_expression
from .label_rows import (
    LabelRows,
    flag_labels,
    match_codes,
    read_labels,
    shorter_list,
    values_apart,
)
from .libraries import EagerFrame, Frame, FrameT, label_of
from .references import read_columns


def filter_labels(
    frame: FrameT,
    rows: LabelRows,
    chosen: Flags,
    *,
    nulls: bool = False,
    apart_from: int | None = None,
) -> FrameT:
    """Keep the rows of chosen labels, of an eager frame those that `flag_labels` flags."""
    if isinstance(frame, pl.LazyFrame):
        kept = filter_lazy(frame, rows, chosen, nulls=nulls)
        shared = {} if apart_from is None else values_apart(rows, apart_from)
        for name, values in shared.items():
            is_shared = is_one_of(fold_expression(frame, name), values)
            kept = kept.filter((~is_shared).fill_null(True))
        return kept
    flags = flag_labels(rows, chosen, nulls=nulls, apart_from=apart_from)
    return frame[flags] if isinstance(frame, pd.DataFrame) else frame.filter(flags)


def filter_lazy(
    frame: pl.LazyFrame, rows: LabelRows, chosen: Flags, *, nulls: bool
) -> pl.LazyFrame:
    """Keep the rows of chosen labels of a lazy frame, whose rows that differ were read."""
    listed, is_match = shorter_list(rows, chosen)
    held: Any = rows.series
    values = held.filter(match_codes(rows.codes, listed, nulls=False)).unique()
    found = is_one_of(fold_expression(frame, rows.name), values)
    wanted = found if is_match else ~found
    return frame.filter(wanted.fill_null(True) if nulls else wanted)


def is_one_of(column: pl.Expr, values: Any) -> pl.Expr:
    """Compare a column with values of its type; null where it is null."""
    if values.dtype == pl.Categorical:
        column, values = column.cast(pl.String), values.cast(pl.String)
    # Python has no nanoseconds.
    is_exact = len(values) == 1 and not values.dtype.is_temporal()
    return column == values[0] if is_exact else column.is_in(values.implode())


def filter_values(
    frame: FrameT, name: str, values: Sequence[Any], *, equal: bool, nulls: bool = False
) -> FrameT:
    """Keep the rows of some labels, or those of the others, with or without those of none."""
    rows = read_labels(frame, name)
    known = set(values)
    chosen = np.array([(value in known) == equal for value in rows.labels.values], dtype=np.bool_)
    return filter_labels(frame, rows, chosen, nulls=nulls)


def drop_values(frame: pd.DataFrame, values: Mapping[str, Any]) -> pd.DataFrame:
    """Drop the rows of a pandas frame that have one of the values listed for a column."""
    for name, held in values.items():
        series, held = frame[label_of(frame, name)], pd.Series(held)
        if isinstance(held.dtype, pd.CategoricalDtype):  # of which `isin` finds no dates
            held = held.astype(held.cat.categories.dtype)
        if is_float(series) and not is_object(series.dtype):  # pyarrow tells -0.0 from 0.0
            shared = np.isin(to_floats(series), to_floats(held))
        else:
            shared = np.asarray(series.isin(held), dtype=np.bool_)
        frame = frame[~(shared & ~is_missing(series))]
    return frame


def filter_rows(
    frame: Frame, refs: Sequence[Any], choose: Callable[[list[Any]], Flags]
) -> EagerFrame:
    """Keep the rows that a computation on referenced columns chooses.

    A lazy frame runs as one query, so that no other rows are held in memory.
    """
    if isinstance(frame, pl.LazyFrame):
        mask = batch_expression(refs, lambda series, _: pl.Series(choose(series)), pl.Boolean)
        return frame.filter(mask).collect()
    chosen = choose(read_columns(frame, refs))
    return frame[chosen] if isinstance(frame, pd.DataFrame) else frame.filter(chosen)
