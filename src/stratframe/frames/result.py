"""Make, concatenate and convert small tables of results, and rank values."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.order import rank
from ..core.types import Ints, Values
from .dtypes import WIDE_INTEGERS, category_values, strict_series
from .libraries import EagerFrame, Series, to_list


def make_frame(library: str, columns: Mapping[Any, Any]) -> Any:
    if library == "polars":
        return pl.DataFrame({str(name): polars_values(each) for name, each in columns.items()})
    arrays = {name: pandas_values(each) for name, each in columns.items()}
    if all(isinstance(name, str) for name in arrays):
        with suppress(UnicodeEncodeError):
            return pd.DataFrame(arrays)
    # pandas would turn tuples into a MultiIndex, and None into NaN.
    frame = pd.DataFrame(dict(enumerate(arrays.values())))
    frame.columns = pd.Index(list(arrays), dtype=object, tupleize_cols=False)
    return frame


def polars_values(values: Any) -> Any:
    """Convert a list to a Polars series, if possible; return any other values unchanged."""
    if isinstance(values, list):
        for dtype in (None, *WIDE_INTEGERS):
            series = strict_series(values, dtype)
            if series is not None:
                return series
    return values


def pandas_values(values: Any) -> Any:
    """Convert values to a series with a new index, as objects if UTF-8 cannot encode the text."""
    if isinstance(values, pd.Series):
        return values.reset_index(drop=True)
    with suppress(UnicodeEncodeError):
        return pd.Series(values)
    return pd.Series(values, dtype=object)


def float_column(library: str, values: Values) -> Any:
    """Make a column of floats, in which NaN becomes the missing value of the library."""
    if library == "polars":
        return pl.Series(values, nan_to_null=True)
    return values


def text_column(library: str, texts: Sequence[str | None]) -> Any:
    """Make a column of text, in which None becomes the missing value of the library."""
    if library == "polars":
        return pl.Series(texts, dtype=pl.String)
    has_text = np.array([each is not None for each in texts], dtype=np.bool_)
    return pd.Series(np.array([each or "" for each in texts], dtype=np.str_)).where(has_text, None)


def rank_values(series: Series | list[Any]) -> Ints | None:
    """Rank values by category or value, with missing values last; return None for mixed types."""
    numbers = whole_numbers(series)
    if numbers is not None:
        return rank(numbers)
    values = to_list(series)
    ordered = None if isinstance(series, list) else category_values(series)
    try:
        if ordered is None:
            ordered = sorted(value for value in dict.fromkeys(values) if value is not None)
        ranks = {value: rank for rank, value in enumerate(ordered)}
    except (TypeError, OverflowError):
        return None
    return np.array([ranks.get(value, len(ranks)) for value in values], dtype=np.int64)


def whole_numbers(series: Series | list[Any]) -> Ints | None:
    """Return the values of a column of integers without missing values, and otherwise None."""
    if isinstance(series, list):
        return None
    if isinstance(series, pl.Series):
        is_narrow = series.dtype.is_integer() and series.dtype not in WIDE_INTEGERS
        return series.to_numpy() if is_narrow and not series.null_count() else None
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iu":
        return series.to_numpy()
    return None


def stack_frames(names: Sequence[str], tables: Sequence[Any]) -> Any:
    """Concatenate tables, and add a first column `column` with the name of each row's table.

    Folds of different types are converted to text, unless all of them are numbers.
    """
    with_rows = [place for place, table in enumerate(tables) if len(table)] or [0]
    names = [names[place] for place in with_rows]
    tables = [tables[place] for place in with_rows]
    types = types_of_folds(tables)
    if len(types) > 1 and not types <= {int, float}:
        tables = [with_text(table, "fold") for table in tables]
    if isinstance(tables[0], pl.DataFrame):
        named = [
            table.select(pl.lit(name).alias("column"), pl.all())
            for name, table in zip(names, tables, strict=True)
        ]
        return pl.concat(named, how="vertical_relaxed")
    stacked = pd.concat(tables, ignore_index=True)
    lengths = [len(table) for table in tables]
    stacked.insert(0, "column", np.repeat(np.array(names, dtype=np.str_), lengths))
    return stacked


def types_of_folds(tables: Sequence[Any]) -> set[type]:
    types: set[type] = set()
    for table in tables:
        if "fold" in table:
            types.update(map(type, to_list(table["fold"])))
    return types - {type(None)}


def with_text(frame: Any, name: str) -> Any:
    """Convert a column to text, in which whole floats are written without a decimal point."""
    texts = [None if value is None else write_label(value) for value in to_list(frame[name])]
    if isinstance(frame, pl.DataFrame):
        return frame.with_columns(pl.Series(name, texts, dtype=pl.String))
    return frame.assign(**{name: pd.Series(texts, index=frame.index)})


def write_label(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return str(value)


def to_dicts(frame: EagerFrame) -> list[dict[Any, Any]]:
    return frame.to_dicts() if isinstance(frame, pl.DataFrame) else frame.to_dict("records")
