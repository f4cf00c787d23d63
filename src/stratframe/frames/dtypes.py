"""Convert columns to Polars series, and find their dtypes and their missing values.

`to_polars` converts columns of numpy, nullable and pyarrow dtypes, categories, periods and Python
objects so that other functions need only handle Polars dtypes. Data are copied only if
necessary. A value is missing if it is null, None, NaT or NaN. Messages and the names of strata use
the original column.
"""

import re
from contextlib import suppress
from functools import lru_cache
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl

from ..core.order import CHUNK
from ..core.types import Flags, Ints, Values
from ..errors import StratError
from .libraries import Series

BY_NUMPY: dict[str, Any] = {
    "boolean": pl.Boolean,
    "integer": pl.Int64,
    "floating": pl.Float64,
    "mixed-integer-float": pl.Float64,
    "datetime": pl.Datetime,
    "datetime64": pl.Datetime,
    "timedelta": pl.Duration,
    "timedelta64": pl.Duration,
}
"""The Polars dtypes for objects that numpy can store; the keys are results of `infer_dtype`."""

OBJECTS: dict[str, Any] = BY_NUMPY | {
    "bytes": pl.Binary,
    "date": pl.Date,
    "decimal": pl.Decimal,
    "empty": pl.Null,
    "string": pl.String,
    "time": pl.Time,
}
"""The Polars dtypes for objects that Polars can store; the keys are results of `infer_dtype`."""

NULLABLE = {"b": False, "i": np.int64(0), "u": np.uint64(0), "f": np.nan}
"""The value that replaces missing values in a numpy array, for each kind of nullable dtype."""

ARROW_CASTS = {"date64[ms]": "date32", "halffloat": "float32"}
"""The pyarrow types that Polars misreads or rejects, and the types to which they are cast."""

OFFSET = re.compile(r"(timestamp\[\w+), tz=[+-].*")
"""A pattern for pyarrow types of times whose zone is an offset, which Polars does not have."""

EVERY = slice(None)
"""All rows."""

FIRST_ROWS = 1 << 10
"""The number of rows in which fractions are looked for first."""

WIDE_INTEGERS = tuple(getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name))
"""The Polars integer dtypes that numpy does not have."""


def to_polars(series: Series) -> pl.Series | None:
    """Convert a column to a Polars series without a name; return None if this is impossible.

    The impossible cases include intervals, complex numbers, Python decimals, decimals of 256 bits,
    Python integers that fit no 64-bit dtype, and objects of mixed or unknown types.
    """
    if isinstance(series, pl.Series):
        return series.alias("")  # Polars would treat a name such as "^x$" as a pattern
    dtype: Any = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        categories = to_polars(pd.Series(dtype.categories))
        if categories is None:
            return None
        return gather(categories, series.cat.codes.to_numpy())
    if isinstance(dtype, pd.ArrowDtype) or str(getattr(dtype, "storage", "")).startswith("pyarrow"):
        return arrow_to_polars(series)
    if isinstance(dtype, pd.StringDtype) or series.dtype == object:
        return objects_to_polars(series)
    if isinstance(dtype, pd.PeriodDtype):
        ordinals: Any = series.array
        return pl.Series(ordinals.asi8.view("timedelta64[us]"))
    if isinstance(dtype, np.dtype | pd.DatetimeTZDtype):
        return numpy_to_polars(series)
    if dtype.kind not in NULLABLE:
        return None
    fill: Any = NULLABLE[dtype.kind]
    values = pl.Series(series.to_numpy(dtype=np.asarray(fill).dtype, na_value=fill))
    missing = np.asarray(series.isna(), dtype=np.bool_)
    if missing.any():
        values = values.set(pl.Series(missing), None)
    return values


def gather(values: pl.Series, places: Any) -> pl.Series:
    """Return the values at the given positions, with null for a position of -1."""
    numbers = pl.Series(places)
    return values.gather(numbers.set(numbers < 0, None))


def with_gaps(values: pl.Series, missing: Flags) -> pl.Series:
    """Put the known values into the rows that are not missing, and null into the missing rows."""
    if not missing.any():
        return values
    return gather(values, np.where(missing, -1, np.cumsum(~missing) - 1))


def arrow_to_polars(series: Any) -> pl.Series | None:
    values = series.array.__arrow_array__()
    try:
        if str(values.type).startswith("dictionary"):
            # Different codes of a dictionary can stand for equal values, or for null.
            values = values.cast(values.type.value_type)
        if str(values.type).startswith("decimal256"):
            return None
        if str(values.type) in ARROW_CASTS:
            values = values.cast(ARROW_CASTS[str(values.type)], safe=False)
        offset = OFFSET.fullmatch(str(values.type))
        if offset:
            values = values.cast(offset[1] + "]")  # as in numpy, times without a zone are in UTC
        return pl.Series(pl.from_arrow(values))
    except (NotImplementedError, pl.exceptions.PolarsError) as error:  # list views and unions
        raise nested_error(series.name, series.dtype) from error


def numpy_to_polars(series: pd.Series) -> pl.Series | None:
    dtype: Any = series.dtype
    if dtype.kind in "mM":
        unit = {"s": "ms"}.get(series.dt.unit, series.dt.unit)  # Polars has no unit of seconds
        return pl.Series(np.asarray(series, dtype=f"{dtype.kind}8[{unit}]"))
    if dtype.kind == "f":
        return pl.Series(np.asarray(series, dtype=np.float64))
    if dtype.kind in "iub":
        return pl.Series(np.asarray(series, dtype=dtype.newbyteorder("=")))
    return None


def objects_to_polars(series: pd.Series) -> pl.Series | None:
    kind = object_type(series)
    if kind == "mixed" and all(isinstance(value, UUID) for value in series.dropna()):
        series = series.map(lambda value: value.bytes, na_action="ignore")
        kind = "bytes"
    if kind in BY_NUMPY:
        missing = np.asarray(series.isna(), dtype=np.bool_)
        typed = known = series[~missing] if missing.any() else series
        with suppress(OverflowError):  # raised by pandas 2 for integers beyond the range of floats
            typed = known.infer_objects()
        if typed.dtype != object and (typed == known).all():  # floats can round integers
            values = numpy_to_polars(typed)
            return values if values is None else with_gaps(values, missing)
    if kind in ("decimal", "integer") or kind not in OBJECTS:
        return None
    column = strict_series(series.tolist(), OBJECTS[kind])
    if column is None:  # Polars does not read NaN or NA as null
        column = strict_series(objects_of(series, None).tolist(), OBJECTS[kind])
    return column


def to_vectors(series: Series) -> pl.Series | None:
    """Convert a column of numeric vectors to a Polars series; return None for other columns."""
    if not is_nested(dtype_of(series)):
        return None
    column = to_polars(series)
    if column is None and isinstance(series, pd.Series):
        column = objects_to_vectors(series)
    if column is None:
        return None
    inner = getattr(column.dtype, "inner", None)
    is_vector = inner is not None and (inner.is_numeric() or inner in (pl.Boolean, pl.Null))
    return column if is_vector else None


def objects_to_vectors(series: pd.Series) -> pl.Series | None:
    """Convert lists, tuples and arrays of numbers to floats; return None if this is impossible."""
    missing = np.asarray(series.isna(), dtype=np.bool_)
    known = series[~missing].tolist()
    if not all(isinstance(each, list | tuple | np.ndarray) for each in known):
        return None
    vectors = [np.asarray(each) for each in known]
    dtypes = {vector.dtype for vector in vectors}
    if any(dtype.kind not in "fiubO" for dtype in dtypes):
        return None
    is_single = dtypes == {np.dtype(np.float32)}
    floats = np.float32 if is_single else np.float64
    with suppress(TypeError, ValueError, pl.exceptions.PolarsError):
        values = pl.Series([vector.astype(floats, copy=False) for vector in vectors])
        return with_gaps(values, missing)
    return None


def strict_series(values: list[Any], dtype: Any) -> pl.Series | None:
    """Make a Polars series of a given dtype; return None if the conversion would change a value."""
    with suppress(TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        series = pl.Series(values, dtype=dtype, strict=True)
        if dtype == pl.String or series.to_list() == values:  # a time can lose its time zone
            return series
    return None


def objects_of(series: pd.Series, missing: Any) -> Values:
    """Convert a pandas column to an array of Python objects, and replace the missing values."""
    return np.where(series.isna(), missing, np.asarray(series, dtype=object))


def write_intervals(series: Any) -> Any:
    """Convert a pandas column of intervals to text, and return any other column unchanged."""
    dtype: Any = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = dtype.categories.dtype
    return series.astype(str) if isinstance(dtype, pd.IntervalDtype) else series


# What a column holds ---------------------------------------------------------------------


def dtype_of(series: Series) -> pl.DataType:
    """Return the Polars dtype of a column, which is Categorical for any pandas categorical."""
    if isinstance(series, pl.Series):
        return series.dtype
    if isinstance(series.dtype, pd.CategoricalDtype):
        return pl.Categorical()
    if series.dtype != object:
        dtype = dtype_in_polars(series.dtype)
        if dtype is not None:
            return dtype
    dtype_of_objects: pl.DataType = OBJECTS.get(object_type(series), pl.Object)()
    return dtype_of_objects


def is_encoded_by_pandas(series: Series) -> bool:
    """Return whether pandas has codes for a column, or encodes it with less memory than Polars."""
    is_own = isinstance(series, pd.Series) and not isinstance(series.dtype, pd.ArrowDtype)
    return is_own and dtype_of(series) in (pl.Categorical, pl.String)


@lru_cache
def dtype_in_polars(dtype: Any) -> pl.DataType | None:
    """Return the Polars dtype for a pandas dtype: None if unknown, Object if conversion fails."""
    with suppress(StratError, NotImplementedError):
        column = to_polars(pd.Series([], dtype=dtype))
        return None if column is None else column.dtype
    return pl.Object()


def object_type(series: pd.Series) -> str:
    return pd.api.types.infer_dtype(series, skipna=True)


def is_continuous(series: Series) -> bool:
    """Return whether a column holds at least one number with a fractional part."""
    dtype = dtype_of(series)
    try:
        return (dtype.is_float() or dtype.is_decimal()) and has_fractions(to_floats(series))
    except OverflowError:  # raised for integers beyond the range of floats
        return True


def has_fractions(values: Values) -> bool:
    """Return whether any float has a fractional part; NaN and infinite values have none."""
    # The first rows nearly always tell.
    return any_fraction(values[:FIRST_ROWS]) or any(
        any_fraction(values[start : start + CHUNK])
        for start in range(FIRST_ROWS, len(values), CHUNK)
    )


def any_fraction(values: Values) -> bool:
    return bool(((np.trunc(values) != values) & ~np.isnan(values)).any())


def is_of_numbers(series: Series) -> bool:
    """Return whether the dtype of a column says that it holds numbers or flags."""
    if isinstance(series, pl.Series):
        return series.dtype.is_numeric() or series.dtype == pl.Boolean
    return series.dtype.kind in "biufc"


def numbers_at(series: Series, rows: Ints | slice = EVERY) -> Values | None:
    """Return the numbers in some rows, as they are stored; None for other columns.

    The numbers of all rows, or of a slice, may be those of the frame: do not write to them.
    """
    if not is_of_numbers(series):
        return None
    if isinstance(series, pl.Series):
        if series.null_count() or series.dtype.is_decimal() or series.dtype in WIDE_INTEGERS:
            return None
    elif not isinstance(series.dtype, np.dtype):
        return None
    numbers: Values = series.to_numpy()[rows]
    return numbers


def is_measured(series: Series) -> bool:
    """Return whether a column holds numbers, dates or times, which have meaningful differences."""
    dtype = dtype_of(series)
    return dtype.is_numeric() or dtype.is_temporal()


def is_text(series: Series) -> bool:
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = pd.Series(series.dtype.categories)
    return dtype_of(series) in (pl.String, pl.Categorical, pl.Enum)


def has_order(series: Series) -> bool:
    dtype: Any = series.dtype
    return isinstance(dtype, pl.Enum) or bool(getattr(dtype, "ordered", False))


def is_nested(dtype: pl.DataType) -> bool:
    """Return whether a Polars dtype holds lists, structs or Python objects."""
    return dtype.is_nested() or dtype == pl.Object


LISTS = re.compile("(large_|fixed_size_)?list|array|frozenset|ndarray|set|tuple", re.IGNORECASE)
"""A pattern for the beginning of the names of list types in Polars, pyarrow and Python."""


def nested_error(name: object, dtype: object, of_lists: str = "") -> StratError:
    """Build the error for a column of nested values; the hint `of_lists` is used only for lists."""
    hint = f"\nHint: {of_lists}" if of_lists and LISTS.match(str(dtype)) else ""
    return StratError(f"A column must hold single values, but {name!r} is {dtype}.{hint}")


def unordered_error(series: pd.Series) -> StratError:
    fault = f"is {series.dtype}"
    if object_type(series) == "string":
        fault = "holds half of a surrogate pair"
    elif series.dtype == object:
        fault = "mixes types"
    return StratError(
        f"A column of `key` must hold values that can be ordered, but {series.name!r} {fault}."
    )


def category_values(series: Series) -> list[Any] | None:
    """Return the categories that a column declares, or None if it declares no categories."""
    if isinstance(series.dtype, pl.Enum):
        return series.dtype.categories.to_list()
    if isinstance(series.dtype, pd.CategoricalDtype):
        return series.dtype.categories.tolist()
    return None


# Missing values and floats ---------------------------------------------------------------


def is_missing(series: Series) -> Flags:
    """Flag the rows with a missing value, which is null or NaN."""
    if isinstance(series, pl.Series):
        series = series.alias("")  # Polars would treat a name such as "^x$" as a pattern
        missing = series.is_null()
        if series.dtype.is_float():
            missing |= series.is_nan()
        return missing.to_numpy()
    # In a nullable column of floats, pandas does not count NaN as missing.
    if not isinstance(series.dtype, np.dtype) and dtype_of(series).is_float():
        return np.isnan(to_floats(series))
    return np.asarray(series.isna(), dtype=np.bool_)


def to_floats(series: Series) -> Values:
    """Convert a column of numbers to a float64 array, with NaN for missing values."""
    column = to_polars(series)
    if column is None and isinstance(series, pd.Series):
        return objects_of(series, np.nan).astype(np.float64)
    assert column is not None
    return column.cast(pl.Float64).to_numpy()


def with_one_zero(series: Any) -> Any:
    """Replace -0.0 with 0.0 so that the two zeros are shown as one value."""
    if not dtype_of(series).is_float():
        return series
    if series.dtype == object:  # `replace` may turn objects into floats, which round large integers
        series = series.copy()
        series[objects_of(series, None) == 0] = 0.0
        return series
    return series.replace(-0.0, 0.0)


def read_flags(series: Series, name: str) -> tuple[Flags, Flags]:
    """Read a boolean column, and return flags of its true values and of its missing values."""
    if dtype_of(series) != pl.Boolean:
        msg = f"`where` must be a boolean column, but {name} is {series.dtype}."
        raise StratError(msg)
    return to_floats(series) == 1, is_missing(series)
