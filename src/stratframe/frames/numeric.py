"""One column of either library -> numbers that can be ordered."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.order import rank
from ..core.types import Flags, Ints, Values
from ..errors import StratError
from .classes import check_objects, nested_error
from .dtypes import (
    WIDE,
    is_decimal,
    is_feature,
    is_missing,
    is_number_like,
    is_object,
    is_temporal,
    to_floats,
)


def read_ordinal(series: Any, term: str) -> tuple[Values, Flags]:
    """Read a column as numbers that can be ordered; dates count in their own units.

    Returns
    -------
    values : ndarray of float64, int64 or uint64, shape (n_rows,)
        Anything where the value is missing.
    missing : ndarray of bool, shape (n_rows,)
    """
    gaps = is_missing(series)
    try:
        values = ordinal_polars(series) if isinstance(series, pl.Series) else ordinal_pandas(series)
    except (OverflowError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        msg = f"`{term}` needs numbers or dates, but column {series.name!r} is {series.dtype}."
        raise StratError(msg) from error
    return values, gaps


def read_matrix(columns: Sequence[Any], term: str) -> Values:
    """Read columns of numbers or booleans as the features of points.

    Returns
    -------
    ndarray of float64, shape (n_features, n_rows)
        NaN where a value is missing.
    """
    points = np.empty((len(columns), len(columns[0])))
    for place, series in enumerate(columns):
        if not is_feature(series):
            msg = (
                f"`{term}` needs features of numbers or booleans, but column {series.name!r} is"
                f" {series.dtype}.\nHint: encode it in columns of numbers, as `pd.get_dummies`"
                " and `DataFrame.to_dummies` do."
            )
            raise StratError(msg)
        try:
            points[place] = to_floats(series)
        except (OverflowError, TypeError, ValueError) as error:
            msg = f"`{term}` needs numbers that floats can hold in column {series.name!r}: {error}."
            raise StratError(msg) from error
    return points


def read_interval(series: Any, term: str) -> tuple[Values, Flags]:
    """Read a column as numbers whose differences count, those of dates and times too.

    Returns
    -------
    values : ndarray of float64, int64 or uint64, shape (n_rows,)
    missing : ndarray of bool, shape (n_rows,)
    """
    if isinstance(series, pl.Series) or not is_temporal(series):
        return read_ordinal(series, term)
    if isinstance(series.dtype, pd.PeriodDtype):
        return series.array.asi8, is_missing(series)
    if isinstance(series.dtype, pd.ArrowDtype):
        return read_ordinal(pl.Series(pl.from_arrow(series.array.__arrow_array__())), term)
    if is_object(series.dtype):
        gaps = is_missing(series)
        known = series[~gaps].infer_objects()
        if is_object(known.dtype):
            try:
                known = pl.Series(series.name, known.tolist())
            except (TypeError, pl.exceptions.PolarsError) as error:
                msg = f"`{term}` needs numbers or dates, but column {series.name!r} mixes types."
                raise StratError(msg) from error
        values = np.zeros(len(series), dtype=np.int64)
        values[~gaps] = read_ordinal(known, term)[0]
        return values, gaps
    return read_ordinal(series, term)


def read_comparable(series: Any, term: str) -> tuple[Values, Flags]:
    """Read a column as numbers that can be compared with given ones; dates cannot.

    Returns
    -------
    values : ndarray of float64 or int64, shape (n_rows,)
    missing : ndarray of bool, shape (n_rows,)
    """
    if is_temporal(series):
        msg = (
            f"`{term}` needs numbers, but column {series.name!r} is {series.dtype}."
            "\nHint: `sf.quantiles` takes dates."
        )
        raise StratError(msg)
    values, gaps = read_ordinal(series, term)
    return values.astype(np.float64) if values.dtype == np.uint64 else values, gaps


def ordinal_polars(series: pl.Series) -> Values:
    """Read a Polars column as numbers."""
    dtype = series.dtype
    if dtype in (pl.Categorical, pl.Enum):
        return to_floats(series.cast(pl.String))
    if dtype.is_temporal():
        return series.to_physical().cast(pl.Int64).fill_null(0).to_numpy()
    if dtype.is_integer() and dtype not in WIDE:
        values: Values = series.fill_null(0).to_numpy()
        return values if dtype == pl.UInt64 else values.astype(np.int64, copy=False)
    if dtype.is_numeric() or dtype in (pl.Boolean, pl.Null):
        return to_floats(series)
    raise TypeError


def ordinal_pandas(series: Any) -> Values:
    """Read a pandas column as numbers."""
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        categories = pd.Series(dtype.categories)
        if pd.api.types.is_string_dtype(categories):
            categories = pd.to_numeric(categories)
        # A missing value has the code -1, which takes the zero that is put last.
        values: Values = np.append(ordinal_pandas(categories), 0)
        return values.take(np.asarray(series.cat.codes), mode="wrap")
    if is_temporal(series):
        if isinstance(dtype, np.dtype | pd.DatetimeTZDtype) and not is_object(dtype):
            unit = f"{dtype.kind}8[{series.dt.unit}]"
            return np.asarray(series, dtype=unit).view(np.int64)
        return sorted_codes(series)
    if pd.api.types.is_integer_dtype(dtype) or pd.api.types.is_bool_dtype(dtype):
        unsigned = dtype.kind == "u" and dtype.itemsize == 8
        whole = np.uint64 if unsigned else np.int64
        if isinstance(dtype, np.dtype):
            return np.asarray(series, dtype=whole)
        return np.asarray(series.to_numpy(dtype=whole, na_value=0))
    if dtype.kind == "f" or is_decimal(series) or (is_object(dtype) and is_number_like(series)):
        return to_floats(series)
    raise TypeError


def sorted_codes(series: Any) -> Ints:
    """Rank the values of a pandas column densely by its own order; -1 where missing."""
    codes: Ints = pd.factorize(series, sort=True)[0]
    return codes


"""One column of a key, of either library -> ranks."""


def rank_key(series: Any) -> Ints:
    """Rank the values of a key: numbers by value, strings by code point, dates by time.

    Returns
    -------
    ndarray of int64, shape (n_rows,)
        Dense, from 0; anything where the value is missing.
    """
    if isinstance(series, pl.Series):
        return rank_key_polars(series)
    if isinstance(series.dtype, pd.CategoricalDtype):
        categories = np.append(rank_key(pd.Series(series.dtype.categories)), -1)
        return categories.take(np.asarray(series.cat.codes), mode="wrap")
    check_objects(series)
    dtype = series.dtype
    plain = isinstance(dtype, np.dtype | pd.DatetimeTZDtype) and not is_object(dtype)
    if plain or (pd.api.types.is_numeric_dtype(dtype) and not is_decimal(series)):
        return rank(read_ordinal(series, "key")[0])
    try:
        if is_object(dtype) and pd.api.types.infer_dtype(series, skipna=True) == "mixed-integer":
            raise TypeError
        return sorted_codes(series)
    except TypeError as error:
        msg = (
            "A column of `key` must hold values that can be ordered,"
            f" but {series.name!r} mixes types."
        )
        raise StratError(msg) from error


def rank_key_polars(series: pl.Series) -> Ints:
    """Rank the values of a Polars column as `ranks` does."""
    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    if series.dtype.is_nested() or series.dtype == pl.Object:
        raise nested_error(series.name, series.dtype)
    if series.dtype in (pl.String, pl.Binary, *WIDE) or series.dtype.is_decimal():
        return rank(series.rank("dense").fill_null(0).to_numpy())
    return rank(read_ordinal(series, "key")[0])
