"""What a column holds: which kind of values, and which of them are missing."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.order import CHUNK
from ..core.types import Flags, Values

FLOATS = {"floating", "mixed-integer-float"}
"""What `infer_dtype` calls object columns of numbers that may have fractions."""

TEMPORAL = ("date", "time", "duration")
"""Words in the names of dates and times in pyarrow and in objects; ranks are their numbers."""

WIDE = tuple(getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name))
"""Integers that numpy does not have."""


def is_object(dtype: Any) -> bool:
    """Say whether a pandas dtype is that of Python objects."""
    return isinstance(dtype, np.dtype) and dtype.kind == "O"


def is_float(series: Any) -> bool:
    """Say whether a column holds floats."""
    if isinstance(series, pl.Series):
        return series.dtype.is_float()
    if is_object(series.dtype):
        return pd.api.types.infer_dtype(series, skipna=True) in FLOATS
    return pd.api.types.is_float_dtype(series.dtype)


def is_decimal(series: Any) -> bool:
    """Say whether a column holds decimals, which are exact."""
    if isinstance(series, pl.Series):
        return series.dtype.is_decimal()
    if is_object(series.dtype):
        return pd.api.types.infer_dtype(series, skipna=True) == "decimal"
    return isinstance(series.dtype, pd.ArrowDtype) and "decimal" in str(series.dtype)


def is_temporal(series: Any) -> bool:
    """Say whether a column holds dates, times or spans of time."""
    dtype = series.dtype
    if isinstance(series, pl.Series):
        return series.dtype.is_temporal()
    if is_object(dtype):
        kind = pd.api.types.infer_dtype(series, skipna=True)
        return any(word in kind for word in TEMPORAL)
    if isinstance(dtype, pd.ArrowDtype):
        return any(word in str(dtype) for word in TEMPORAL)
    return isinstance(dtype, pd.PeriodDtype) or dtype.kind in "mM"


def is_number_like(series: Any) -> bool:
    """Say whether Python objects are numbers."""
    kind = pd.api.types.infer_dtype(series, skipna=True)
    return kind in FLOATS | {"decimal", "integer", "boolean", "empty"}


def is_feature(series: Any) -> bool:
    """Say whether a column holds numbers or booleans."""
    dtype = series.dtype
    if isinstance(series, pl.Series):
        return dtype.is_numeric() or dtype in (pl.Boolean, pl.Null)
    if is_object(dtype):
        return is_number_like(series)
    if isinstance(dtype, pd.CategoricalDtype) or is_temporal(series) or dtype.kind == "c":
        return False
    types = pd.api.types
    return types.is_numeric_dtype(dtype) or types.is_bool_dtype(dtype) or is_decimal(series)


def is_measured(series: Any) -> bool:
    """Say whether a column holds numbers or dates, whose differences mean something."""
    if is_temporal(series):
        return True
    if isinstance(series, pl.Series):
        return series.dtype.is_numeric()
    if is_object(series.dtype):
        return pd.api.types.infer_dtype(series, skipna=True) in FLOATS | {"decimal", "integer"}
    return is_feature(series) and not pd.api.types.is_bool_dtype(series.dtype)


def is_missing(series: Any) -> Flags:
    """Flag the rows that are null or NaN.

    Returns
    -------
    ndarray of bool, shape (n_rows,)
    """
    if isinstance(series, pd.Series):
        flags: Flags = np.asarray(series.isna(), dtype=np.bool_)
        if isinstance(series.dtype, pd.ArrowDtype | pd.Float64Dtype | pd.Float32Dtype):
            # A NaN inside a nullable float is not NA to pandas; to us it is missing.
            kind = pd.api.types.is_float_dtype(series.dtype)
            return flags | np.isnan(to_floats(series)) if kind else flags
        return flags
    gaps = series.is_null()
    gaps = gaps | series.is_nan().fill_null(True) if series.dtype.is_float() else gaps
    return np.asarray(gaps.to_numpy(), dtype=np.bool_)


def to_floats(series: Any) -> Values:
    """Read numbers as float64, NaN where they are missing.

    Returns
    -------
    ndarray of float64, shape (n_rows,)
    """
    if isinstance(series, pl.Series):
        return series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if isinstance(series.dtype, np.dtype) and not is_object(series.dtype):
        return np.asarray(series, dtype=np.float64)
    if is_object(series.dtype):
        series = series.where(series.notna(), np.nan).astype("float64")
    if isinstance(series.dtype, pd.ArrowDtype):
        series = series.astype("Float64")
    values: Values = series.to_numpy(dtype=np.float64, na_value=np.nan)
    return values


def is_continuous(series: Any) -> bool:
    """Say whether a column holds any fraction."""
    return (is_float(series) or is_decimal(series)) and has_fractions(to_floats(series))


def has_fractions(values: Values) -> bool:
    """Say whether any number has a fraction; NaN and infinities have none.

    Parameters
    ----------
    values : ndarray of float64, shape (n_rows,)
    """
    for start in range(0, len(values), CHUNK):
        part = values[start : start + CHUNK]
        if ((np.trunc(part) != part) & ~np.isnan(part)).any():
            return True
    return False
