"""A column -> numbers. Which reader to use depends on what the numbers are for.

- `read_ordinal` keeps order and ties; the numbers of dates may be ranks only. For
  quantiles and continuous entries.
- `read_comparable` keeps order against numbers given as edges too, so that dates raise.
  For bins.
- `read_interval` keeps differences; dates and times count in one unit. For drift.
- `read_matrix` reads several columns of numbers or booleans as the coordinates of points;
  dates and categories raise. For clusters, chains and nearest neighbours.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.types import Flags, Ints, Values
from ..errors import StratError
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
from .libraries import Series


def read_ordinal(series: Series, term: str) -> tuple[Values, Flags]:
    """Read numbers or dates as numbers of the same order; differences may not be kept.

    Returns
    -------
    values : ndarray of float64, int64 or uint64, shape (n_rows,)
        Any number where the value is missing.
    missing : ndarray of bool, shape (n_rows,)
    """
    missing = is_missing(series)
    try:
        values = ordinal_polars(series) if isinstance(series, pl.Series) else ordinal_pandas(series)
    except (OverflowError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        msg = f"`{term}` needs numbers or dates, but column {series.name!r} is {series.dtype}."
        raise StratError(msg) from error
    return values, missing


def read_comparable(series: Series, term: str) -> tuple[Values, Flags]:
    """Read numbers that can be compared with given ones, such as edges; raise on dates.

    Returns
    -------
    values : ndarray of float64 or int64, shape (n_rows,)
        Any number where the value is missing.
    missing : ndarray of bool, shape (n_rows,)
    """
    if is_temporal(series):
        msg = (
            f"`{term}` needs numbers, but column {series.name!r} is {series.dtype}."
            "\nHint: `sf.quantiles` takes dates."
        )
        raise StratError(msg)
    values, missing = read_ordinal(series, term)
    return values.astype(np.float64) if values.dtype == np.uint64 else values, missing


def read_interval(series: Series, term: str) -> tuple[Values, Flags]:
    """Read numbers or dates as numbers of the same differences, dates in one unit of time.

    Returns
    -------
    values : ndarray of float64, int64 or uint64, shape (n_rows,)
        Any number where the value is missing.
    missing : ndarray of bool, shape (n_rows,)
    """
    if isinstance(series, pl.Series) or not is_temporal(series):
        return read_ordinal(series, term)
    if is_object(series.dtype):
        return interval_objects(series, term)
    if isinstance(series.dtype, pd.PeriodDtype):
        return periods(series), is_missing(series)
    if isinstance(series.dtype, pd.ArrowDtype):
        return read_ordinal(from_arrow(series), term)
    return read_ordinal(series, term)


def read_matrix(columns: Sequence[Series], term: str) -> Values:
    """Read columns of numbers or booleans as the features of points; raise on all others.

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


def ordinal_polars(series: pl.Series) -> Values:
    """Read a Polars column as numbers of the same order."""
    dtype = series.dtype
    if dtype in (pl.Categorical, pl.Enum):
        return to_floats(series.cast(pl.String))
    if dtype.is_temporal():
        return series.to_physical().cast(pl.Int64).fill_null(0).to_numpy()
    if dtype.is_integer() and dtype not in WIDE:
        values: Values = (series.fill_null(0) if series.null_count() else series).to_numpy()
        return values if dtype == pl.UInt64 else values.astype(np.int64, copy=False)
    if dtype.is_numeric() or dtype in (pl.Boolean, pl.Null):
        return to_floats(series)
    raise TypeError


def ordinal_pandas(series: pd.Series) -> Values:
    """Read a pandas column as numbers of the same order."""
    dtype: Any = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        categories = pd.Series(dtype.categories)
        if pd.api.types.is_string_dtype(categories):
            categories = pd.to_numeric(categories)
        return gather_categories(series, ordinal_pandas(categories), 0)
    if is_temporal(series):
        if isinstance(dtype, np.dtype | pd.DatetimeTZDtype) and not is_object(dtype):
            unit = f"{dtype.kind}8[{series.dt.unit}]"
            return np.asarray(series, dtype=unit).view(np.int64)
        return sorted_codes(series)
    if pd.api.types.is_integer_dtype(dtype) or pd.api.types.is_bool_dtype(dtype):
        unsigned = dtype.kind == "u" and dtype.itemsize == 8
        integer = np.uint64 if unsigned else np.int64
        if isinstance(dtype, np.dtype):
            return np.asarray(series, dtype=integer)
        # pyarrow fills booleans with nothing but booleans.
        zero = False if pd.api.types.is_bool_dtype(dtype) else 0
        return np.asarray(series.to_numpy(dtype=integer, na_value=zero))
    if dtype.kind == "f" or is_decimal(series) or (is_object(dtype) and is_number_like(series)):
        return to_floats(series)
    raise TypeError


def gather_categories(series: pd.Series, numbers: Values, missing: int) -> Values:
    """Give the rows of a categorical column the numbers of their categories."""
    # A missing value has the code -1, which takes the number that is put last.
    return np.append(numbers, missing).take(np.asarray(series.cat.codes), mode="wrap")


def sorted_codes(series: pd.Series) -> Ints:
    """Rank the values of a pandas column densely in sorted order; -1 where missing."""
    codes: Ints = pd.factorize(series, sort=True)[0]
    return codes


def interval_objects(series: pd.Series, term: str) -> tuple[Values, Flags]:
    """Read a pandas column of Python dates, times or durations in one unit of time."""
    missing = is_missing(series)
    present = series[~missing].infer_objects()
    values = np.zeros(len(series), dtype=np.int64)
    try:
        inferred = pl.Series(present.tolist()) if is_object(present.dtype) else present
    except (TypeError, pl.exceptions.PolarsError) as error:
        msg = f"`{term}` needs numbers or dates, but column {series.name!r} mixes types."
        raise StratError(msg) from error
    values[~missing] = read_ordinal(inferred, term)[0]
    return values, missing


def periods(series: Any) -> Ints:
    """Read a pandas column of periods as the number of each."""
    ordinals: Ints = series.array.asi8
    return ordinals


def from_arrow(series: Any) -> pl.Series:
    """Turn a pandas column of pyarrow values into a Polars column."""
    values = series.array.__arrow_array__()
    if str(values.type) == "date64[ms]":  # days in milliseconds, which Polars takes for times
        values = values.cast("date32", safe=False)
    return pl.Series(pl.from_arrow(values))
