"""What a column holds: floats, decimals, dates, numbers at all; and which values are missing.

Every question has one answer for both libraries: a dtype of numpy, pandas, pyarrow or
Polars is asked itself, and a pandas column of Python objects by the type of its values.
Missing is what is null, None, NaT or NaN. `to_floats` reads what is known to be numbers;
columns of any other type are read in `read_classes` and `read_numbers`.
"""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.order import CHUNK
from ..core.types import Flags, Values
from ..errors import StratError
from .libraries import Series

FLOATS = {"floating", "mixed-integer-float"}
"""Types that `infer_dtype` gives objects that are floats, or floats and integers."""

TEMPORAL = ("date", "time", "duration")
"""Words in the names of temporal types, of pyarrow and of `infer_dtype`."""

WIDE = tuple(getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name))
"""Integers of Polars that numpy does not have."""


def is_continuous(series: Series) -> bool:
    """Return whether a column holds any number with a fraction."""
    return may_hold_fractions(series) and has_fractions(to_floats(series))


def may_hold_fractions(series: Series) -> bool:
    """Return whether a column holds floats or decimals."""
    return is_float(series) or is_decimal(series)


def has_fractions(values: Values) -> bool:
    """Return whether any float has a fraction; NaN and infinities have none."""
    for start in range(0, len(values), CHUNK):
        part = values[start : start + CHUNK]
        if ((np.trunc(part) != part) & ~np.isnan(part)).any():
            return True
    return False


def is_measured(series: Series) -> bool:
    """Return whether a column holds numbers or dates, whose differences mean something."""
    if is_temporal(series):
        return True
    if isinstance(series, pl.Series):
        return series.dtype.is_numeric()
    if is_object(series.dtype):
        return object_type(series) in FLOATS | {"decimal", "integer"}
    return is_feature(series) and not pd.api.types.is_bool_dtype(series.dtype)


def is_feature(series: Series) -> bool:
    """Return whether a column holds numbers or booleans."""
    if isinstance(series, pl.Series):
        return series.dtype.is_numeric() or series.dtype in (pl.Boolean, pl.Null)
    dtype: Any = series.dtype
    if is_object(dtype):
        return is_number_like(series)
    if isinstance(dtype, pd.CategoricalDtype) or is_temporal(series) or dtype.kind == "c":
        return False
    types = pd.api.types
    return types.is_numeric_dtype(dtype) or types.is_bool_dtype(dtype) or is_decimal(series)


def is_number_like(series: pd.Series) -> bool:
    """Return whether Python objects are numbers or booleans, or all missing."""
    return object_type(series) in FLOATS | {"decimal", "integer", "boolean", "empty"}


def is_float(series: Series) -> bool:
    """Return whether a column holds floats."""
    if isinstance(series, pl.Series):
        return series.dtype.is_float()
    if is_object(series.dtype):
        return object_type(series) in FLOATS
    return pd.api.types.is_float_dtype(series.dtype)


def is_decimal(series: Series) -> bool:
    """Return whether a column holds decimals, which are exact."""
    if isinstance(series, pl.Series):
        return series.dtype.is_decimal()
    if is_object(series.dtype):
        return object_type(series) == "decimal"
    return isinstance(series.dtype, pd.ArrowDtype) and "decimal" in str(series.dtype)


def is_temporal(series: Series) -> bool:
    """Return whether a column holds dates, times or durations."""
    if isinstance(series, pl.Series):
        return series.dtype.is_temporal()
    dtype: Any = series.dtype
    if is_object(dtype) or isinstance(dtype, pd.ArrowDtype):
        text = object_type(series) if is_object(dtype) else str(dtype)
        return any(word in text for word in TEMPORAL)
    return isinstance(dtype, pd.PeriodDtype) or dtype.kind in "mM"


def is_object(dtype: object) -> bool:
    """Return whether a pandas dtype is that of Python objects."""
    return isinstance(dtype, np.dtype) and dtype.kind == "O"


def object_type(series: pd.Series) -> str:
    """Infer the type of Python objects that are not missing, in the words of pandas."""
    return pd.api.types.infer_dtype(series, skipna=True)


def is_text(series: Series) -> bool:
    """Return whether a column holds text, or categories of text."""
    if isinstance(series, pl.Series):
        return series.dtype in (pl.String, pl.Categorical, pl.Enum)
    is_category = isinstance(series.dtype, pd.CategoricalDtype)
    values = pd.Series(series.cat.categories) if is_category else series
    return bool(pd.api.types.infer_dtype(values, skipna=True) == "string")


def is_extension(dtype: Any) -> bool:
    """Return whether a dtype of Polars is of an extension, which newer versions have."""
    return isinstance(dtype, getattr(pl, "BaseExtension", ()))


def is_nested(dtype: pl.DataType) -> bool:
    """Return whether a Polars dtype holds lists, structs or Python objects."""
    return dtype.is_nested() or dtype == pl.Object


def nested_error(name: object, dtype: object) -> StratError:
    """Build the error for columns of lists and the like."""
    return StratError(f"A column must hold single values, but {name!r} is {dtype}.")


def read_flags(series: Series, name: str) -> tuple[Flags, Flags]:
    """Read a boolean column: which rows are true, and which are missing."""
    missing = is_missing(series)
    if isinstance(series, pl.Series):
        is_boolean = series.dtype == pl.Boolean
    else:
        is_boolean = pd.api.types.infer_dtype(series, skipna=True) == "boolean"
    if not is_boolean:
        msg = f"`where` must be a boolean column, but {name} is {series.dtype}."
        raise StratError(msg)
    return to_floats(series) == 1, missing


def is_missing(series: Series) -> Flags:
    """Flag the rows that are null or NaN."""
    if isinstance(series, pl.Series):
        if not (series.null_count() or series.dtype.is_float()):
            return np.zeros(len(series), dtype=np.bool_)
        missing = series.is_null()
        if series.dtype.is_float():
            missing |= series.is_nan().fill_null(True)
        return np.asarray(missing.to_numpy(), dtype=np.bool_)
    flags: Flags = np.asarray(series.isna(), dtype=np.bool_)
    nullable = isinstance(series.dtype, pd.ArrowDtype | pd.Float64Dtype | pd.Float32Dtype)
    if nullable and is_float(series):
        # pandas does not count a NaN inside a nullable float as missing.
        return flags | np.isnan(to_floats(series))
    return flags


def to_floats(series: Series) -> Values:
    """Read a column of numbers as float64, NaN where missing."""
    if isinstance(series, pl.Series):
        return series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if isinstance(series.dtype, np.dtype) and not is_object(series.dtype):
        return np.asarray(series, dtype=np.float64)
    if is_object(series.dtype):
        series = series.where(series.notna(), np.nan).astype("float64")
    if isinstance(series.dtype, pd.ArrowDtype):
        series = series.astype("Float64")
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


def category_values(series: Series) -> list[Any] | None:
    """List the values that a categorical column may have; None for other columns."""
    if isinstance(series, pl.Series):
        return series.dtype.categories.to_list() if isinstance(series.dtype, pl.Enum) else None
    return series.cat.categories.tolist() if isinstance(series.dtype, pd.CategoricalDtype) else None
