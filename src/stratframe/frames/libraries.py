"""Which library a frame belongs to, what its columns are called, and rows by position."""

from collections.abc import Hashable
from typing import Any, Protocol, TypeAlias, TypeGuard, TypeVar

import numpy as np
import pandas as pd
import polars as pl

from ..checks import is_hashable
from ..core.types import Ints
from ..errors import StratError

Series: TypeAlias = pd.Series | pl.Series
EagerFrame: TypeAlias = pd.DataFrame | pl.DataFrame
Frame: TypeAlias = pd.DataFrame | pl.DataFrame | pl.LazyFrame
PandasFrame: TypeAlias = pd.DataFrame
PolarsFrame: TypeAlias = pl.DataFrame | pl.LazyFrame
PolarsTable: TypeAlias = pl.DataFrame
FrameT = TypeVar("FrameT", pd.DataFrame, pl.DataFrame, pl.LazyFrame)


class AnyFrame(Protocol):
    """What frames of all libraries and engines have, for checkers of types."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""
        ...


AnyFrameT = TypeVar("AnyFrameT", bound=AnyFrame)


def is_frame(value: object) -> TypeGuard[Frame]:
    """Return whether an object is a pandas or Polars frame."""
    return isinstance(value, Frame)


def is_lazy(frame: Frame) -> bool:
    """Return whether a frame is a query, whose rows are not here."""
    return isinstance(frame, pl.LazyFrame)


def check_frame(frame: object) -> None:
    """Raise unless an object is a pandas or Polars frame."""
    if not is_frame(frame):
        raise not_a_frame(frame, "pandas or Polars")


def not_a_frame(given: Any, accepted: str) -> StratError:
    """Build the error for what is no frame of the libraries that a verb accepts."""
    got, hint = type(given).__name__, ""
    if got == "DataFrame":
        got = f"{type(given).__module__.partition('.')[0]}.DataFrame"
        hint = "\nHint: convert it, as with `.compute()` or `.toPandas()`."
    elif isinstance(given, dict | list | tuple):
        held = given.values() if isinstance(given, dict) else given
        if any(map(is_frame, held)):
            hint = "\nHint: join them into one, with a column that says where each row is from."
    return StratError(f"`frame` must be a {accepted} frame, got {got}.{hint}")


def library_of(frame: Frame | Series) -> str:
    """Return "pandas" or "polars", the library of a frame or series."""
    return "pandas" if isinstance(frame, pd.DataFrame | pd.Series) else "polars"


def column_names(frame: Frame) -> list[Hashable]:
    """List the column names; of a lazy frame without reading data."""
    return list(frame.collect_schema() if isinstance(frame, pl.LazyFrame) else frame.columns)


def label_of(frame: Frame, name: Any) -> Any:
    """Return the label of a column name: a tuple if the columns are a MultiIndex."""
    n_levels = frame.columns.nlevels if isinstance(frame, pd.DataFrame) else 1
    if n_levels == 1 or not isinstance(name, str):
        return name
    return (name,) + ("",) * (n_levels - 1)


def has_column(data: Any, name: str) -> bool:
    """Return whether data are a frame with a column, under a MultiIndex too."""
    return is_frame(data) and label_of(data, name) in column_names(data)


def is_label(value: object) -> bool:
    """Return whether a value can be told from other labels of columns."""
    return is_hashable(value) and value is not pd.NA and not isinstance(value, range)


def take(series: Any, rows: Ints) -> Any:
    """Take rows of a series, or of an array, by position."""
    if isinstance(series, pl.Series):
        # Polars would read a name such as "^x$" as a pattern.
        return series.alias("").gather(rows).alias(series.name)
    return series[rows] if isinstance(series, np.ndarray) else series.iloc[rows]


def value_at(series: Series, row: int) -> Any:
    """Read one value by its position, None if it is missing."""
    rows = slice(row, row + 1)  # a slice copies nothing, of whatever dtype
    return to_list(series[rows] if isinstance(series, pl.Series) else series.iloc[rows])[0]


def to_list(values: Series | np.ndarray | list[Any]) -> list[Any]:
    """List a series, array or list as Python values, None where missing."""
    if isinstance(values, pl.Series):
        try:
            listed = values.to_list()
        except (ValueError, OverflowError) as error:  # of Python's own dates, times and durations
            msg = f"Column {values.name!r} must hold values that Python has, but {error}."
            raise StratError(msg) from error
    else:
        listed = values if isinstance(values, list) else values.tolist()
    return [
        None if value is pd.NA or value is pd.NaT or value != value else value for value in listed
    ]
