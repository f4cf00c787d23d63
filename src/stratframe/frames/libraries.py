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
        raise not_a_frame(frame, "pandas, Polars or Arrow")


CONVERSIONS = {
    "anndata": "adata.obs",
    "daft": "df.to_pandas()",
    "dask": "df.compute()",
    "datasets": "ds.to_polars()",
    "duckdb": "rel.pl()",
    "ibis": "table.to_polars()",
    "lancedb": "table.to_polars()",
    "modin": "df.modin.to_pandas()",
    "narwhals": "df.to_native()",
    "pyarrow": "dataset.to_table()",
    "pyspark.pandas": "df.to_spark()",
    "pyspark": "df.toPandas()",
    "ray": "ds.to_pandas()",
    "snowflake.snowpark": "df.to_pandas()",
    "xarray": "ds.to_dataframe().reset_index()",
}
"""The code that makes an accepted frame of an object without an Arrow stream, by its library."""

COLUMNS = ("Array", "ChunkedArray", "Series")
"""The names of the classes of single columns, in libraries whose frames are accepted."""


def library_in(modules: Sequence[str]) -> str:
    """Return the first library of `CONVERSIONS` that contains one of the modules, or nothing."""
    for module in modules:
        path = f"{module.lstrip('_')}."  # DuckDB's classes are in `_duckdb`
        for library in CONVERSIONS:
            if path.startswith(f"{library}."):
                return library
    return ""


def not_a_frame(value: Any, accepted: str, subject: str = "`frame`") -> StratError:
    """Build the error for an object that is no frame, with a hint at how to make one of it."""
    kind = type(value)
    library = library_in([each.__module__ for each in kind.__mro__])
    got = kind.__name__
    if library:
        got = f"{library}.{got}"
    elif got == "DataFrame":
        got = f"{kind.__module__.partition('.')[0]}.DataFrame"
    hint = hint_for_frames(value) or hint_for_library(value, library)
    return StratError(f"{subject} must be a {accepted} frame, got {got}.{hint}")


def hint_for_frames(value: Any) -> str:
    """Suggest what to write for several frames, for a column, or for rows that are grouped."""
    if isinstance(value, dict | list | tuple):
        entries = value.values() if isinstance(value, dict) else value
        if any(map(is_frame, entries)):
            return "\nHint: join the frames, and add a column that names the frame of each row."
    if type(value).__name__ in COLUMNS:
        name = '"label"'
        own_name = getattr(value, "name", None)
        if isinstance(own_name, str) and own_name:
            name = repr(own_name)
        return f"\nHint: pass the frame, and name the column, as in `sf.kfold(df, {name})`."
    if type(value).__name__.endswith(("GroupBy", "GroupedData")):
        return (
            "\nHint: pass the frame itself; `by` names the columns of strata, and `groups` those"
            " whose values keep rows together."
        )
    return ""


def hint_for_library(value: Any, library: str) -> str:
    """Suggest a conversion for an object of another library; empty if none is known."""
    if isinstance(value, dict):  # a DatasetDict, which holds several data sets
        return ""
    if library == "datasets":
        return (
            f"\nHint: pass `{CONVERSIONS[library]}`; the new column goes back with"
            ' `ds.add_column("fold", df["fold"].to_list())`.'
        )
    if library:
        return f"\nHint: pass `{CONVERSIONS[library]}`."
    if type(value).__name__ == "DataFrame":
        return "\nHint: convert it to pandas or Polars."
    return ""


def library_of(frame: Frame | Series) -> str:
    is_pandas = isinstance(frame, pd.DataFrame | pd.Series)
    return "pandas" if is_pandas else "polars"


def column_names(frame: Frame) -> list[Hashable]:
    if isinstance(frame, pl.LazyFrame):
        return list(frame.collect_schema())
    return list(frame.columns)


def label_of(frame: Frame, name: Any) -> Any:
    """Return the label of the column with a given name; in a MultiIndex, the label is a tuple."""
    if not isinstance(frame, pd.DataFrame) or not isinstance(name, str):
        return name
    n_levels = frame.columns.nlevels
    return name if n_levels == 1 else (name,) + ("",) * (n_levels - 1)


def has_column(data: Any, name: Any) -> bool:
    return is_frame(data) and label_of(data, name) in column_names(data)


def is_label(value: object) -> bool:
    return is_hashable(value) and value is not pd.NA and not isinstance(value, range)


def is_native(dtype: Any) -> bool:
    """Return whether pandas can select rows of columns with this dtype (no view, native bytes)."""
    if isinstance(dtype, np.dtype):
        return dtype.isnative
    return str(dtype) not in VIEWS


def is_index(value: object) -> bool:
    """Return whether a value is a pandas index, which holds labels and no positions."""
    return isinstance(value, pd.Index)


def is_sparse(series: Series) -> bool:
    return isinstance(series.dtype, pd.SparseDtype)


def to_native(series: Any) -> Any:
    """Convert a pandas column, if necessary, to a dtype that holds all values and can be indexed.

    A sparse column becomes dense, because few operations of pandas take sparse columns.
    """
    if not isinstance(series, pd.Series):
        return series
    if is_sparse(series):
        values: Any = series.sparse
        return values.to_dense()
    if is_native(series.dtype):
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
        return series[rows]
    if isinstance(series, np.ndarray):
        return series[rows]
    return series.take(rows)


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
    # Slicing copies no data, whatever the dtype of the series.
    if isinstance(series, pl.Series):
        return to_list(series[row : row + 1])[0]
    return to_list(series.iloc[row : row + 1])[0]


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
    # NaN and NaT differ from themselves.
    return [None if value is pd.NA or value != value else value for value in listed]
