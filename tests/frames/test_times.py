"""Columns of dates are recognized, also text, and read in the order of their times."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe import StratError
from stratframe.frames.times import read_dates, read_given_times, read_numbered_times

TEXTS = ["2024-03-31", "2023-12-01", "2024-03-31", "2024-02-29"]
RANKS = [2, 0, 2, 1]


def ranks_of(times: Any) -> list[int]:
    """Rank times; equal times share a rank."""
    return np.unique(times, return_inverse=True)[1].tolist()


@pytest.mark.parametrize(
    "series",
    [
        pytest.param(pl.Series(TEXTS), id="polars_text"),
        pytest.param(pl.Series(TEXTS).str.to_date(), id="polars_dates"),
        pytest.param(pl.Series(TEXTS).str.to_datetime(time_zone="UTC"), id="polars_times"),
        pytest.param(pl.Series(TEXTS, dtype=pl.Categorical), id="polars_categories"),
        pytest.param(pd.Series(TEXTS), id="pandas_text"),
        pytest.param(pd.Series(TEXTS, dtype=object), id="pandas_objects"),
        pytest.param(pd.Series(TEXTS, dtype="category"), id="pandas_categories"),
        pytest.param(pd.to_datetime(pd.Series(TEXTS)), id="pandas_times"),
        pytest.param(pd.to_datetime(pd.Series(TEXTS)).dt.date, id="python_dates"),
        pytest.param(pd.to_datetime(pd.Series(TEXTS)).dt.to_period("D"), id="periods"),
        pytest.param(pd.Series(TEXTS, dtype="timestamp[us][pyarrow]"), id="arrow_times"),
    ],
)
def test_dates_of_every_dtype(series: Any) -> None:
    """Dates, times and text in ISO format are read as numbers in the same order."""
    read = read_dates(series)
    assert read is not None
    times, is_missing = read
    assert ranks_of(times) == RANKS
    assert not is_missing.any()


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(["2024", "2023"], id="years_as_text"),
        pytest.param(["31.03.2024", "01.12.2023"], id="other_formats"),
        pytest.param(["2024-13-01", "2024-12-01"], id="no_such_month"),
        pytest.param(["2024-03-31T10:00+01:00", "2024-03-31T10:00+02:00"], id="zones"),
        pytest.param(["a", "b"], id="words"),
        pytest.param([None, None], id="missing"),
        pytest.param([], id="no_rows"),
        pytest.param([20240331, 20231201], id="numbers"),
        pytest.param([True, False], id="flags"),
        pytest.param([["2024-03-31"], ["2023-12-01"]], id="lists"),
    ],
)
def test_other_columns_hold_no_dates(values: list[Any]) -> None:
    """Numbers, words and texts whose order is not that of their times are no dates."""
    assert read_dates(pl.Series(values)) is None
    assert read_dates(pd.Series(values)) is None


TIMES = st.datetimes(min_value=datetime(1700, 1, 1), max_value=datetime(2900, 1, 1))


@pytest.mark.parametrize(
    ("write", "round_down"),
    [
        pytest.param(datetime.isoformat, lambda time: time, id="microseconds_if_any"),
        pytest.param(lambda time: f"{time}Z", lambda time: time, id="utc"),
        pytest.param(lambda time: f"{time}+00:00", lambda time: time, id="zero_offset"),
        pytest.param(
            lambda time: f"{time:%Y-%m-%d %H:%M}",
            lambda time: time.replace(second=0, microsecond=0),
            id="minutes",
        ),
        pytest.param(
            lambda time: f"{time:%Y-%m}", lambda time: (time.year, time.month), id="months"
        ),
    ],
)
@given(times=st.lists(TIMES, min_size=1, max_size=20))
def test_texts_are_in_the_order_of_their_times(
    write: Callable[[Any], str], round_down: Callable[[Any], Any], times: list[Any]
) -> None:
    """Text of any precision, with or without a mark of UTC, is in the order of its times."""
    read = read_dates(pl.Series(list(map(write, times))))

    assert read is not None
    rounded = list(map(round_down, times))
    order = sorted({*rounded})
    assert ranks_of(read[0]) == [order.index(each) for each in rounded]


def test_other_text_in_a_column_of_dates_is_missing() -> None:
    """Marks such as "unknown" among dates are missing values, unless a call names the column."""
    series = pl.Series([*TEXTS * 5, None, "unknown"])
    read = read_dates(series)
    assert read is not None
    assert np.flatnonzero(read[1]).tolist() == [20, 21]
    with pytest.raises(StratError, match="is text"):
        read_given_times(series)


def test_named_numbers_are_times() -> None:
    """Numbers and durations are read as times, text and flags are not."""
    years = read_numbered_times(pd.Series([2021, None, 2020], dtype="Int64"))
    assert years is not None
    assert years[1].tolist() == [False, True, False]
    assert read_numbered_times(pl.Series([True, False])) is None
    assert read_numbered_times(pl.Series(["2020"])) is None
