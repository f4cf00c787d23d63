"""The kinds of frame: pandas, Polars, Polars lazy."""

from collections.abc import Hashable
from typing import Any, TypeAlias, TypeVar

import pandas as pd
import polars as pl

from ..core.types import Ints
from ..errors import StratError

Series: TypeAlias = pd.Series | pl.Series
Frame: TypeAlias = pd.DataFrame | pl.DataFrame | pl.LazyFrame
FrameT = TypeVar("FrameT", pd.DataFrame, pl.DataFrame, pl.LazyFrame)


def check_frame(frame: object) -> None:
    """Refuse what is not a frame."""
    if not isinstance(frame, Frame):
        msg = f"`frame` must be a pandas or Polars frame, got {type(frame).__name__}."
        raise StratError(msg)


def library_of(frame: Frame | Series) -> str:
    """Name the library of a frame or series."""
    return "pandas" if isinstance(frame, pd.DataFrame | pd.Series) else "polars"


def label_of(frame: Frame, name: str) -> Hashable:
    """Give the label that a column name has: in pandas with column levels, a tuple."""
    levels = frame.columns.nlevels if isinstance(frame, pd.DataFrame) else 1
    plain = levels == 1 or isinstance(name, tuple)
    return name if plain else (name,) + ("",) * (levels - 1)


def column_names(frame: Frame) -> list[Hashable]:
    """List the column names; a lazy frame reads no data for it."""
    if isinstance(frame, pl.LazyFrame):
        return list(frame.collect_schema().names())
    return list(frame.columns)


def is_lazy(frame: object) -> bool:
    """Say whether a frame has no data yet."""
    return isinstance(frame, pl.LazyFrame)


def take(data: Any, rows: Ints) -> Any:
    """Take rows of an eager frame or series by position."""
    if isinstance(data, pd.DataFrame | pd.Series):
        return data.iloc[rows]
    return data[rows] if isinstance(data, pl.DataFrame) else data.gather(rows)


def to_list(series: Any) -> list[Any]:
    """Turn a series, array or list into a list of Python values, None where missing."""
    if isinstance(series, pl.Series):
        values = series.to_list()
    else:
        values = series if isinstance(series, list) else series.tolist()
    return [
        None if value is pd.NA or value is pd.NaT or value != value else value for value in values
    ]
