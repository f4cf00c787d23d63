"""Recognize columns of dates, also those written as text, and read them as ordered numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import polars as pl

from ..core.types import Flags, Values
from ..errors import StratError
from .dtypes import dtype_of, has_order, is_measured, is_missing, is_text, to_polars
from .libraries import Frame, Series, take, to_list
from .read import encode_classes, read_times
from .threads import has_threads

DATES = (pl.Date, pl.Datetime)
"""The dtypes of dates and of times of a date."""

TEXTS = (pl.String, pl.Categorical, pl.Enum)
"""The dtypes of text, which can be dates in ISO format."""

IN_UTC = r"(Z|[+]00(:?00)?)"
"""A pattern for the endings of times in UTC."""

ISO_TIME = (
    r"^\s*[12]\d{3}-(0[1-9]|1[0-2])(-([0-2]\d|3[01])"
    rf"([T ][0-2]\d:[0-5]\d(:[0-5]\d([.,]\d+)?)?{IN_UTC}?)?)?\s*$"
)
"""A pattern for months, dates and times in ISO format, the times without a zone or in UTC. Without
these endings, such texts of one column are in the order of their times."""

HEAD_ROWS = 200
"""At least this many rows, spread over a column of text, are read to see if it can hold dates."""

MOSTLY = 0.9
"""The minimum share of these rows whose text must be a date, unless it is missing."""


def list_possible_times(
    frame: Frame, labels: Sequence[Any], names_time: Callable[[Any], bool]
) -> list[Any]:
    """List the columns that should be read to look for times.

    Numbers are times only if the name of the column says so. Columns of eager frames are all read.
    """
    if not isinstance(frame, pl.LazyFrame):
        return list(labels)
    types = frame.collect_schema()
    return [label for label in labels if may_hold_times(types[label], names_time(label))]


def may_hold_times(dtype: pl.DataType, is_named: bool) -> bool:
    """Return whether a column of a data type may hold times, if its name says so or not."""
    is_date = dtype.base_type() in (*TEXTS, *DATES)
    return is_date or (is_named and dtype.is_numeric())


def read_numbered_times(series: Series) -> tuple[Values, Flags] | None:
    """Read numbers or durations as times, and flag missing values; None for other columns."""
    if not is_measured(series):
        return None
    with suppress(StratError):
        return read_times(series)
    return None


def read_given_times(series: Series) -> tuple[Values, Flags]:
    """Read a column that a call names: dates, times, numbers, or text in ISO format."""
    if is_text(series) and not has_order(series):
        dates = read_dates(series)
        if dates is not None and np.array_equal(dates[1], is_missing(series)):
            return dates
    return read_times(series)


def holds_dates(series: Series) -> bool:
    """Return whether a column holds dates, times of a date, or periods."""
    return is_period(series) or dtype_of(series).base_type() in DATES


def is_period(series: Series) -> bool:
    return str(series.dtype).startswith("period[")


def read_dates(series: Series) -> tuple[Values, Flags] | None:
    """Read dates as numbers in the same order, and flag missing values; None for other columns.

    Text in ISO format is read, too; other text in such a column counts as missing.
    """
    if holds_dates(series):
        with suppress(StratError):  # raised for times of several zones
            return read_times(series)
        return None
    if not is_text(series) or not begins_with_dates(series):
        return None
    codes, n_texts = encode_classes(series)
    first = np.zeros(n_texts, dtype=np.int64)
    known = np.flatnonzero(codes >= 0)
    first[codes[known[::-1]]] = known[::-1]
    ranks, is_date = rank_dates(texts_of(take(series, first)))
    return ranks[codes], (codes < 0) | ~is_date[codes]


def rank_dates(texts: pl.Series) -> tuple[Values, Flags]:
    """Rank texts, which are in the order of their times, and flag those that are dates."""
    if has_threads():
        stripped = texts.str.strip_chars().str.replace(f"{IN_UTC}$", "")
        return stripped.rank("dense").to_numpy().astype(np.int64), match_dates(texts)
    without_zone = [re.sub(f"{IN_UTC}$", "", text.strip()) for text in texts.to_list()]
    ranks = np.unique(np.array(without_zone, dtype=np.str_), return_inverse=True)[1]
    return ranks, match_dates(texts)


def match_dates(texts: pl.Series) -> Flags:
    if has_threads():
        return texts.str.contains(ISO_TIME).to_numpy()
    return np.array([bool(re.match(ISO_TIME, text)) for text in texts.to_list()], dtype=np.bool_)


def begins_with_dates(series: Series) -> bool:
    head = spread_rows(series)
    with suppress(StratError, pl.exceptions.PolarsError):
        is_known = ~is_missing(head)
        n_dates = int(match_dates(texts_of(take(head, np.flatnonzero(is_known)))).sum())
        return n_dates >= max(1, MOSTLY * int(is_known.sum()))
    return False


def spread_rows(series: Series) -> Any:
    """Take a few hundred rows, spread over a column."""
    n = len(series)
    return take(series, np.arange(0, n, max(n // HEAD_ROWS, 1)))


def texts_of(series: Series) -> pl.Series:
    column = to_polars(series)
    if column is None:
        # Half of a surrogate pair cannot be encoded, and is no part of a date.
        texts = [str(value).encode(errors="replace").decode() for value in to_list(series)]
        column = pl.Series(texts, dtype=pl.String)
    return column.cast(pl.String)
