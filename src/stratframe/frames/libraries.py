"""Recognize the library of a frame, list its column names, and select rows."""

from collections.abc import Hashable, Sequence
from typing import Any, Protocol, TypeAlias, TypeGuard, TypeVar, cast

import numpy as np
import pandas as pd
import polars as pl

from ..checks import is_hashable
from ..core.types import Flags, Ints
from ..errors import StratError

Series: TypeAlias = pd.Series | pl.Series
EagerFrame: TypeAlias = pd.DataFrame | pl.DataFrame
Frame: TypeAlias = pd.DataFrame | pl.DataFrame | pl.LazyFrame
PandasFrame: TypeAlias = pd.DataFrame
PolarsFrame: TypeAlias = pl.DataFrame | pl.LazyFrame
PolarsTable: TypeAlias = pl.DataFrame
FrameT = TypeVar("FrameT", pd.DataFrame, pl.DataFrame, pl.LazyFrame)

VIEWS = {"string_view[pyarrow]": "large_string", "binary_view[pyarrow]": "large_binary"}
"""The pyarrow types of columns whose rows pandas cannot select, and the types to use instead."""


class AnyFrame(Protocol):
    """A frame of any library or engine, for type checkers."""

    @property
    def columns(self) -> Any: ...


AnyFrameT = TypeVar("AnyFrameT", bound=AnyFrame)


def is_frame(value: object) -> TypeGuard[Frame]:
    return isinstance(value, Frame)


def is_lazy(frame: Frame) -> bool:
    return isinstance(frame, pl.LazyFrame)


def check_frame(frame: object) -> None:
    if not is_frame(frame):
        raise not_a_frame(frame, "pandas or Polars")


def not_a_frame(given: Any, accepted: str) -> StratError:
    got, hint = type(given).__name__, ""
    if got == "DataFrame":
        got = f"{type(given).__module__.partition('.')[0]}.DataFrame"
        hint = "\nHint: convert it, for example with `.compute()` or `.toPandas()`."
    elif isinstance(given, dict | list | tuple):
        held = given.values() if isinstance(given, dict) else given
        if any(map(is_frame, held)):
            hint = "\nHint: join the frames, and add a column that names the frame of each row."
    return StratError(f"`frame` must be a {accepted} frame, got {got}.{hint}")


def library_of(frame: Frame | Series) -> str:
    return "pandas" if isinstance(frame, pd.DataFrame | pd.Series) else "polars"


def column_names(frame: Frame) -> list[Hashable]:
    return list(frame.collect_schema() if isinstance(frame, pl.LazyFrame) else frame.columns)


def label_of(frame: Frame, name: Any) -> Any:
    """Return the label of the column with a given name; in a MultiIndex, the label is a tuple."""
    n_levels = frame.columns.nlevels if isinstance(frame, pd.DataFrame) else 1
    if n_levels == 1 or not isinstance(name, str):
        return name
    return (name,) + ("",) * (n_levels - 1)


def has_column(data: Any, name: Any) -> bool:
    return is_frame(data) and label_of(data, name) in column_names(data)


def is_label(value: object) -> bool:
    return is_hashable(value) and value is not pd.NA and not isinstance(value, range)


def is_native(dtype: Any) -> bool:
    """Return whether pandas can select rows of columns with this dtype (no view, native bytes)."""
    return dtype.isnative if isinstance(dtype, np.dtype) else str(dtype) not in VIEWS


def to_native(series: Any) -> Any:
    """Convert a pandas column, if necessary, to a dtype that allows rows to be selected."""
    if not isinstance(series, pd.Series) or is_native(series.dtype):
        return series
    if isinstance(series.dtype, np.dtype):
        return series.astype(series.dtype.newbyteorder("="))
    array: Any = series.array
    values = array.__arrow_array__().cast(VIEWS[str(series.dtype)])
    return pd.Series(type(array)(values), index=series.index, name=series.name)


def keep_rows(frame: Any, flags: Flags) -> Any:
    if isinstance(frame, pl.DataFrame):
        return frame.filter(flags)
    try:
        return frame[flags]
    except (ValueError, NotImplementedError) as error:
        for name, dtype in frame.dtypes.items():
            if not is_native(dtype):
                column = f"df[{name!r}]"
                msg = (
                    f"Column {name!r} must have a dtype from which pandas can select rows, but is"
                    f" {dtype}.\nHint: {column} = {column}.to_list()"
                )
                raise StratError(msg) from error
        raise


def take(series: Any, rows: Ints) -> Any:
    if isinstance(series, list):
        return [series[row] for row in rows]
    if isinstance(series, pl.Series):
        # Polars would treat a name such as "^x$" as a pattern.
        return series.alias("").gather(rows).alias(series.name)
    return series[rows] if isinstance(series, np.ndarray) else series.iloc[rows]


def stack(columns: Sequence[Series]) -> pd.Series:
    """Concatenate series into a pandas series; Polars integers with nulls become Int64."""
    if isinstance(columns[0], pd.Series):
        stacked: pd.Series = pd.concat(cast("Any", columns), ignore_index=True)
        return stacked
    series: pl.Series = pl.concat(cast("Any", columns))
    if series.dtype.is_integer() and series.null_count():
        return pd.Series(series.to_list(), dtype="Int64", name=series.name)
    # The conversion by pyarrow preserves dates and decimals.
    stacked = series.to_arrow().to_pandas()
    return stacked.rename(series.name)


def value_at(series: Series, row: int) -> Any:
    rows = slice(row, row + 1)  # slicing copies no data, whatever the dtype of the series
    return to_list(series[rows] if isinstance(series, pl.Series) else series.iloc[rows])[0]


def python_error(name: object, error: BaseException) -> StratError:
    """Build the error for dates, times and durations that Python or Polars cannot represent."""
    is_panic = isinstance(error, pl.exceptions.PanicException)
    reason = "some are out of range" if is_panic else error
    return StratError(f"Column {name!r} must hold values that Python can represent, but {reason}.")


def to_list(values: Series | np.ndarray | list[Any]) -> list[Any]:
    """Convert a series, array or list to a list of Python values, with None for missing values."""
    if isinstance(values, pl.Series):
        try:
            listed = values.to_list()
        except (ValueError, OverflowError, pl.exceptions.PanicException) as error:
            raise python_error(values.name, error) from error
    else:
        listed = values if isinstance(values, list) else values.tolist()
    return [
        None if value is pd.NA or value is pd.NaT or value != value else value for value in listed
    ]
