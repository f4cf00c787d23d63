"""The rows of a frame that a fold column or a computation selects, in their order."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.types import Flags
from .attach import batch_expression
from .dtypes import is_missing
from .folds import fold_expression
from .libraries import EagerFrame, Frame, FrameT, label_of
from .references import read_columns


def filter_equal(frame: FrameT, name: str, value: Any) -> FrameT:
    """Keep the rows of one fold or part."""
    if isinstance(frame, pd.DataFrame):
        series = frame[label_of(frame, name)]
        return frame[np.asarray((series == value).fillna(False), dtype=np.bool_)]
    return frame.filter(fold_expression(frame, name) == value)


def filter_other(frame: FrameT, name: str, value: Any, *, nulls: bool) -> FrameT:
    """Keep the rows of all other folds or parts, and with `nulls` those without one."""
    if isinstance(frame, pd.DataFrame):
        series = frame[label_of(frame, name)]
        differs = np.asarray((series != value).fillna(True), dtype=np.bool_)
        return frame[differs if nulls else differs & ~is_missing(series)]
    fold = fold_expression(frame, name)
    return frame.filter(fold.ne_missing(value) if nulls else fold != value)


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
