"""One column of a key, of either library -> ranks."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.order import rank
from ..core.types import Ints
from ..errors import StratError
from .columns import WIDE, check_objects, is_decimal, is_object, nested
from .ordered import numbers, sorted_codes


def ranks(series: Any) -> Ints:
    """Rank the values of a key: numbers by value, strings by code point, dates by time.

    Returns
    -------
    ndarray of int64, shape (n_rows,)
        Dense, from 0; anything where the value is missing.
    """
    if isinstance(series, pl.Series):
        return ranks_polars(series)
    if isinstance(series.dtype, pd.CategoricalDtype):
        categories = np.append(ranks(pd.Series(series.dtype.categories)), -1)
        return categories.take(np.asarray(series.cat.codes), mode="wrap")
    check_objects(series)
    dtype = series.dtype
    plain = isinstance(dtype, np.dtype | pd.DatetimeTZDtype) and not is_object(dtype)
    if plain or (pd.api.types.is_numeric_dtype(dtype) and not is_decimal(series)):
        return rank(numbers(series, "key")[0])
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


def ranks_polars(series: pl.Series) -> Ints:
    """Rank the values of a Polars column as `ranks` does."""
    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    if series.dtype.is_nested() or series.dtype == pl.Object:
        raise nested(series.name, series.dtype)
    if series.dtype in (pl.String, pl.Binary, *WIDE) or series.dtype.is_decimal():
        return rank(series.rank("dense").fill_null(0).to_numpy())
    return rank(numbers(series, "key")[0])
