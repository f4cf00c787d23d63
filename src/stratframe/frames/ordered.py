"""One column of either library -> numbers that can be ordered, and ranks."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.order import rank
from ..core.types import Flags, Ints, Values
from ..errors import StratError
from .columns import FLOATS, MIXED, WIDE, check_objects, floats, is_object, missing, nested

TEMPORAL = ("date", "time", "duration")
"""Words in the names of dates and times in pyarrow and in objects; ranks are their numbers."""


def numbers(series: Any, term: str) -> tuple[Values, Flags]:
    """Read a column as numbers that can be ordered; dates count in their own units.

    Parameters
    ----------
    series : Series
    term : str
        What asks for numbers, for the message.

    Returns
    -------
    values : ndarray of float64 or int64, shape (n_rows,)
        Anything where the value is missing.
    missing : ndarray of bool, shape (n_rows,)

    Raises
    ------
    StratError
        If the column holds no numbers.

    Examples
    --------
    >>> numbers(pl.Series([3, 1]), "sf.quantiles")
    (array([3, 1]), array([False, False]))
    """
    gaps = missing(series)
    try:
        values = numbers_polars(series) if isinstance(series, pl.Series) else numbers_pandas(series)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        msg = f"`{term}` needs numbers or dates, but column {series.name!r} is {series.dtype}."
        raise StratError(msg) from error
    return values, gaps


def numbers_polars(series: pl.Series) -> Values:
    """Read a Polars column as numbers.

    Examples
    --------
    >>> numbers_polars(pl.Series(["10", "9"], dtype=pl.Categorical))
    array([10.,  9.])
    """
    dtype = series.dtype
    if dtype in (pl.Categorical, pl.Enum):
        return floats(series.cast(pl.String))
    if dtype.is_temporal():
        return series.to_physical().cast(pl.Int64).fill_null(0).to_numpy()
    if dtype.is_integer() and dtype not in (*WIDE, pl.UInt64):
        return series.fill_null(0).to_numpy().astype(np.int64, copy=False)
    if dtype.is_numeric() or dtype in (pl.Boolean, pl.Null):
        return floats(series)
    raise TypeError


def numbers_pandas(series: Any) -> Values:
    """Read a pandas column as numbers.

    Examples
    --------
    >>> numbers_pandas(pd.Series([10, 9, 10], dtype="category"))
    array([10,  9, 10])
    """
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        # A missing value has the code -1, which takes the zero that is put last.
        categories = np.append(numbers_pandas(pd.Series(dtype.categories)), 0)
        values: Values = categories[np.asarray(series.cat.codes)]
        return values
    if is_object(dtype) or isinstance(dtype, pd.ArrowDtype):
        kind = pd.api.types.infer_dtype(series, skipna=True) if is_object(dtype) else str(dtype)
        if any(word in kind for word in TEMPORAL):
            return sorted_codes(series)
    if series.dtype.kind in "mM":
        unit = f"{series.dtype.kind}8[{series.dt.unit}]"
        return np.asarray(series, dtype=unit).view(np.int64)
    if pd.api.types.is_integer_dtype(dtype) or pd.api.types.is_bool_dtype(dtype):
        if isinstance(dtype, np.dtype):
            return series.to_numpy(dtype=np.int64) if dtype.str[1:] != "u8" else floats(series)
        return np.asarray(series.to_numpy(dtype=np.int64, na_value=0))
    if dtype.kind not in "fO" or (is_object(dtype) and not is_number_like(series)):
        raise TypeError
    return floats(series)


def is_number_like(series: Any) -> bool:
    """Say whether Python objects are numbers.

    Examples
    --------
    >>> is_number_like(pd.Series([1, None], dtype=object)), is_number_like(pd.Series(["1"]))
    (True, False)
    """
    kind = pd.api.types.infer_dtype(series, skipna=True)
    return kind in FLOATS | {"integer", "boolean", "empty"}


def sorted_codes(series: Any) -> Ints:
    """Rank the values of a pandas column densely by its own order; -1 where missing.

    Examples
    --------
    >>> sorted_codes(pd.Series(["b", "a", "b"]))
    array([1, 0, 1])
    """
    codes: Ints = pd.factorize(series, sort=True)[0]
    return codes


def ranks(series: Any) -> Ints:
    """Rank the values of a key: numbers by value, strings by code point, dates by time.

    Returns
    -------
    ndarray of int64, shape (n_rows,)
        Dense, from 0; anything where the value is missing.

    Examples
    --------
    >>> ranks(pl.Series(["b", "a", "B"]))
    array([2, 1, 0])
    """
    if isinstance(series, pd.Series):
        if isinstance(series.dtype, pd.CategoricalDtype):
            series = series.astype(series.dtype.categories.dtype)
        if is_object(series.dtype):
            check_objects(series)
            if pd.api.types.infer_dtype(series, skipna=True) in MIXED:
                msg = (
                    "A column of `key` must hold values that can be ordered,"
                    f" but {series.name!r} mixes types."
                )
                raise StratError(msg)
        if pd.api.types.is_string_dtype(series.dtype):
            return sorted_codes(series)
        return rank(numbers(series, "key")[0])
    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    if series.dtype.is_nested() or series.dtype == pl.Object:
        raise nested(series.name, series.dtype)
    if series.dtype in (pl.String, pl.Binary, *WIDE, pl.UInt64):
        return rank(series.rank("dense").fill_null(0).to_numpy())
    return rank(numbers(series, "key")[0])
