"""Divide dates and times into calendar periods, by the local clock of their time zone.

The start of a period is an instant, in microseconds of UTC. Times without a time zone, and dates,
are read as if they were in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta, timezone, tzinfo
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

from ..core.clock import (
    DAY,
    SECOND,
    UTC,
    Clock,
    find_clock,
    first_instants,
    instants_of,
    latest_readings,
    number_within_days,
    starts_within_days,
)
from ..core.strata import distinct_values
from ..core.types import Flags, Ints
from ..errors import StratError, describe
from .dtypes import OFFSET, dtype_of, is_missing, is_text, to_polars
from .libraries import Series, python_error, to_list
from .read import UNITS
from .threads import check_threads

DATES = (pl.Date, pl.Datetime, pl.Null)
"""The dtypes that have calendar periods, and the dtype of a column without values."""

MINUTE = 60 * SECOND

EPOCH = datetime(1970, 1, 1)

FAR = 2**62
"""Instants must be nearer to 1970 than this, so that sums of instants do not overflow."""

EARLIEST = (datetime(1, 1, 3) - EPOCH) // timedelta(microseconds=1)
LATEST = (datetime(9999, 12, 29) - EPOCH) // timedelta(microseconds=1)
"""The range of instants in which Python can represent the readings of all clocks."""

MOST_SAMPLES = 200_000
"""The number of days on which the offset of a clock is read; of longer spans, a part is read."""

Zone = str | tzinfo | None
"""A time zone by its name in Polars, or one of Python for pandas; None for times without."""


Span = tuple[int, int | None]
"""The first instant of a span of time, and the first instant after it; None if it has no end."""


class Times(NamedTuple):
    """A column of dates or times as instants."""

    name: Any
    instants: Ints
    """The instant of each row, rounded down to microseconds; 0 if it is missing."""
    missing: Flags
    zone: Zone
    is_date: bool


class Periods(NamedTuple):
    """The periods of a column that have rows, in ascending order."""

    starts: Ints
    numbers: Ints
    """The position of each period among all periods, also those without rows."""
    times: Times
    """The starts as a column of dates or times."""

    def spans(self, chosen: Flags) -> list[Span]:
        """Return the spans of time of the chosen periods, from a start to the next other start.

        The last span has no end if it contains the last period.
        """
        edges = np.flatnonzero(np.diff(chosen.astype(np.int8), prepend=0, append=0))
        ends: list[int | None] = [*self.starts.tolist(), None]
        spans: list[Span] = []
        for first, end in edges.reshape(-1, 2).tolist():
            spans.append((int(self.starts[first]), ends[end]))
        return spans


LENGTH = re.compile("([1-9][0-9]{0,3})(m|h|d|w|mo|q|y)")
"""A pattern for lengths of time in the notation of Polars."""


def is_period(length: object) -> bool:
    return isinstance(length, str) and LENGTH.fullmatch(length) is not None


def split_length(length: str) -> tuple[int, str]:
    """Split a length such as "10d" into its number and its unit."""
    match = LENGTH.fullmatch(length)
    assert match is not None
    return int(match[1]), match[2]


def check_every(every: Any) -> None:
    if not is_period(every):
        msg = (
            '`every` must be a period such as "15m", "6h", "1d", "1w", "1mo", "1q" or "1y", got'
            f" {describe(every)}."
        )
        raise StratError(msg)
    minutes = minutes_of(every)
    if minutes is not None and 24 * 60 % minutes:
        msg = f'Hours or minutes in `every` must divide a day evenly, as "6h" does, got {every!r}.'
        raise StratError(msg)


def minutes_of(every: str) -> int | None:
    """Return the length of a period in minutes, or None for days and longer periods."""
    of_unit = {"m": 1, "h": 60}.get(every[-1])
    return None if of_unit is None else int(every[:-1]) * of_unit


def has_periods(dtype: pl.DataType, every: str) -> bool:
    """Return whether a dtype has periods of this length; dates have no hours or minutes."""
    return dtype in DATES and not (dtype == pl.Date and minutes_of(every))


def no_dates(name: object, dtype: object, every: str, hint: str = "") -> StratError:
    needs = "`every` needs dates or times"
    if minutes_of(every):
        needs = f"`every={every!r}` needs times"
    hint = hint and f"\nHint: {hint}"
    return StratError(f"{needs}, but column {name!r} is {dtype}.{hint}")


# Instants --------------------------------------------------------------------------------


def read_instants(series: Series, every: str) -> Times:
    """Read a column of dates or times; raise if it holds anything else."""
    check_threads()
    name = series.name
    if isinstance(series, pd.Series):
        categorical = isinstance(series.dtype, pd.CategoricalDtype)
        series = series.astype(series.cat.categories.dtype) if categorical else series
        if series.dtype == object and dtype_of(series).is_temporal():
            series = series.infer_objects()
    zone: Zone = getattr(series.dtype, "tz", None)  # a time zone that Polars may not know
    if isinstance(series.dtype, pd.ArrowDtype) and OFFSET.fullmatch(
        str(series.dtype.pyarrow_dtype)
    ):
        zone = series.dt.tz
    column = None if isinstance(series.dtype, pd.PeriodDtype) else to_polars(series)
    if column is None or not has_periods(column.dtype, every):
        raise no_dates(name, series.dtype, every, hint_at_dates(series))
    if zone is None:
        zone = getattr(column.dtype, "time_zone", None)
    missing = is_missing(column)
    instants = to_microseconds(column, name)
    return Times(name, instants, missing, zone, column.dtype == pl.Date)


def to_microseconds(column: pl.Series, name: object) -> Ints:
    if column.dtype == pl.Null:
        return np.zeros(len(column), dtype=np.int64)
    values: Ints = column.to_physical().cast(pl.Int64).fill_null(0).to_numpy()
    if column.dtype == pl.Date:
        return values * DAY
    unit = column.dtype.time_unit  # type: ignore[attr-defined]
    if unit == "ns":
        return values // UNITS["ns"]
    if max(values.max(initial=0), -values.min(initial=0)) >= FAR // UNITS[unit]:
        raise python_error(name, pl.exceptions.PanicException())
    return values * UNITS[unit]


def hint_at_dates(series: Any) -> str:
    """Write the call that converts a column of text or of periods to times."""
    column = f"df[{series.name!r}]"
    if isinstance(series, pl.Series):
        text = "" if series.dtype == pl.String else ".cast(pl.String)"
        call = f"df = df.with_columns(pl.col({series.name!r}){text}.str.to_datetime())"
        return call if is_text(series) else ""
    if isinstance(series.dtype, pd.PeriodDtype):
        return f"{column} = {column}.dt.to_timestamp()"
    return f"{column} = pd.to_datetime({column})" if is_text(series) else ""


def write_starts(times: Times, starts: Ints, missing: Flags | None = None) -> Any:
    """Write instants as dates or times in the zone of a column: a Polars series if possible."""
    column = pl.Series(starts)
    if missing is not None and missing.any():
        column = column.set(pl.Series(missing), None)
    column = column.cast(pl.Datetime("us"))
    if times.is_date:
        column = column.cast(pl.Date)
    column = column.alias(str(times.name))
    if isinstance(times.zone, str):
        return column.dt.replace_time_zone("UTC").dt.convert_time_zone(times.zone)
    if times.zone is not None:
        values = pd.DatetimeIndex(column.to_numpy(), tz="UTC").tz_convert(times.zone)
        return pd.Series(values, name=times.name)
    return column


# Clocks ----------------------------------------------------------------------------------


def clock_of(times: Times, instants: Ints, every: str) -> Clock:
    """Read the clock of a time zone from before the first period to after the last instant."""
    if times.zone is None or str(times.zone) == "UTC" or not len(instants):
        return UTC
    if isinstance(times.zone, timezone):
        offset = times.zone.utcoffset(None) // timedelta(microseconds=1)
        return UTC._replace(offsets=np.array([offset]))
    first, last = int(instants.min()), int(instants.max())
    if first < EARLIEST - 2 * DAY or last > LATEST + 2 * DAY:
        raise python_error(times.name, pl.exceptions.PanicException())
    if minutes_of(every) is None:
        first = int(truncate(np.array([first - DAY]), every)[0])
    first, last = first // DAY - 2, last // DAY + 2
    step = 1 + (last - first) // MOST_SAMPLES
    samples = np.arange(first, last + step, step)
    if step > 1:  # the days around each row are still read
        days = distinct_values(instants // DAY)
        samples = distinct_values(
            np.concatenate([samples, *(days + near for near in range(-2, 3))])
        )
    samples = distinct_values(np.clip(samples * DAY, EARLIEST, LATEST))
    return find_clock(samples, offset_reader(times.zone))


def offset_reader(zone: str | tzinfo) -> Callable[[Ints], Ints]:
    def of_polars(instants: Ints) -> Ints:
        utc = pl.Series(instants).cast(pl.Datetime("us", "UTC"))
        local = utc.dt.convert_time_zone(str(zone)).dt.replace_time_zone(None)
        offsets: Ints = local.to_physical().to_numpy() - instants
        return offsets

    def of_pandas(instants: Ints) -> Ints:
        utc = pd.DatetimeIndex(instants.astype("datetime64[us]"), tz="UTC")
        local = utc.tz_convert(zone).tz_localize(None)
        offsets: Ints = np.asarray(local.as_unit("us").asi8) - instants
        return offsets

    return of_polars if isinstance(zone, str) else of_pandas


def truncate(readings: Ints, every: str) -> Ints:
    """Return the start of the calendar period of each reading of a clock."""
    starts = pl.Series(readings).cast(pl.Datetime("us")).dt.truncate(every)
    found: Ints = starts.to_physical().to_numpy()
    return found


def find_starts(clock: Clock, instants: Ints, every: str) -> Ints:
    """Find the first instant of the period of each instant."""
    minutes = minutes_of(every)
    if minutes:
        return starts_within_days(clock, instants, minutes * MINUTE)
    return first_instants(clock, truncate(latest_readings(clock, instants), every))


def number_periods(clock: Clock, starts: Ints, every: str) -> Ints:
    """Number the periods of ascending starts, and also count periods without rows."""
    if not len(starts):
        return starts
    minutes = minutes_of(every)
    if minutes:  # there may be too many periods to list
        return number_within_days(clock, starts, minutes * MINUTE)
    return np.searchsorted(list_starts(clock, starts[[0, -1]], every), starts)


def list_starts(clock: Clock, ends: Ints, every: str, *, with_next: bool = False) -> Ints:
    """List the starts of all periods from the first to the last, or also of the next one."""
    readings = truncate(latest_readings(clock, ends), every)
    first, last = pl.Series(readings).cast(pl.Datetime("us"))
    listed = pl.datetime_range(first, last, every, time_unit="us", eager=True)
    if with_next:
        listed = listed.append(listed.tail(1).dt.offset_by(every))
    # The clock skips some periods, which then start with the next one.
    return distinct_values(first_instants(clock, listed.to_physical().to_numpy()))


# Columns ---------------------------------------------------------------------------------


def read_starts(series: Series, every: str) -> tuple[Times, Ints, Clock]:
    """Read a column, and find the start of the period of each row that is not missing."""
    times = read_instants(series, every)
    known = times.instants[~times.missing] if times.missing.any() else times.instants
    try:
        clock = clock_of(times, known, every)
        return times, find_starts(clock, known, every), clock
    except pl.exceptions.PanicException as error:
        raise python_error(times.name, error) from error


def encode_periods(series: Series, every: str) -> tuple[Series, Periods, Ints]:
    """List the starts of the periods of a column, and encode the rows (-1 if missing)."""
    times, starts, clock = read_starts(series, every)
    codes = np.full(len(times.instants), -1, dtype=np.int64)
    present, codes[~times.missing] = np.unique(starts, return_inverse=True)
    written = write_starts(times, present)
    to_list(written)  # raises if Python cannot represent a start
    numbers = number_periods(clock, present, every)
    of_periods = times._replace(instants=present, missing=np.zeros(len(present), dtype=np.bool_))
    return written, Periods(present, numbers, of_periods), codes


def period_starts(series: pd.Series, every: str) -> Any:
    """Return the starts of periods as a pandas column whose dtype tells dates from times."""
    times, known, _ = read_starts(series, every)
    starts = np.zeros(len(times.instants), dtype=np.int64)
    starts[~times.missing] = known
    written = write_starts(times, starts, times.missing)
    if isinstance(written, pl.Series):
        written = written.to_pandas(use_pyarrow_extension_array=True)
    return written.set_axis(series.index)


# Queries ---------------------------------------------------------------------------------


def reading_expression(name: str, dtype: Any, every: str) -> pl.Expr:
    """Build an expression for the start of each row's period or day, as the clock shows it.

    The result is whole numbers: microseconds, of which the seconds are those of the offset of the
    clock, in microseconds. Rows with the same number are in the same period.
    """
    if not has_periods(dtype, every):
        hint = hint_at_dates(pl.Series(name, [], dtype))
        raise no_dates(name, dtype, every, hint)
    column = pl.col(name)
    if dtype == pl.Null:
        return column.cast(pl.Int64)
    if dtype == pl.Date:
        return column.cast(pl.Int64) * DAY
    if dtype.time_unit == "ns":
        # The start of the earliest day is out of range in nanoseconds. The latest times can be out
        # of range in another time zone.
        column = column.dt.cast_time_unit("us")
    reading = column.dt.replace_time_zone(None)
    number = reading.dt.truncate(every if minutes_of(every) else "1d").dt.timestamp("us")
    if dtype.time_zone is not None:
        offset = reading - column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        number = number + offset.dt.total_seconds()
    if dtype.time_unit == "ns":
        return number
    limit = FAR // UNITS[dtype.time_unit]
    is_far = ~pl.col(name).to_physical().is_between(-limit, limit)
    return pl.when(is_far).then(FAR).otherwise(number)


def read_readings(name: Any, numbers: Any, zone: Zone, every: str, *, is_date: bool) -> Any:
    """Convert the numbers of `reading_expression` to dates or times in the same periods."""
    codes = to_polars(numbers)
    assert codes is not None
    missing = is_missing(codes)
    values = codes.fill_null(0).cast(pl.Int64).to_numpy()
    if values.max(initial=0) >= FAR:
        raise python_error(name, pl.exceptions.PanicException())
    readings = (values + MINUTE // 2) // MINUTE * MINUTE
    offsets = (values - readings) * SECOND
    times = Times(name, values, missing, zone, is_date)
    clock = clock_of(times, (readings - offsets)[~missing], every)
    instants, is_wrong = instants_of(clock, readings, offsets)
    if (is_wrong & ~missing).any():
        msg = (
            f"The time zone {str(zone)!r} must have the same clock here as where {name!r} is read,"
            " but some offsets from UTC differ.\nHint: use a session in UTC, or update the time"
            " zones."
        )
        raise StratError(msg)
    return write_starts(times, instants, missing)


def read_zone(name: str) -> Zone:
    """Return the time zone of a name, which may be an offset such as "+05:30"."""
    with suppress(pl.exceptions.PolarsError):
        pl.Series([EPOCH]).dt.replace_time_zone("UTC").dt.convert_time_zone(name)
        return name
    try:
        return pd.Timestamp(EPOCH, tz=name).tzinfo
    except Exception as error:  # each library of time zones raises errors of its own
        msg = (
            f"`every` needs a time zone that Python knows, but that of the session is {name!r}."
            "\nHint: name a region such as 'Europe/Paris', or an offset such as '+05:30'."
        )
        raise StratError(msg) from error


def in_spans(name: str, dtype: Any, spans: Sequence[Span], *, nulls: bool) -> pl.Expr:
    """Build an expression that is true for times in any of the given spans."""
    column = pl.col(name).to_physical()
    wanted = pl.lit(False)
    for first, end in spans:
        within = column >= to_unit(first, dtype)
        if end is not None:
            within = within & (column < to_unit(end, dtype))
        wanted = wanted | within
    return wanted.fill_null(nulls)


def to_unit(instant: int, dtype: pl.DataType) -> int:
    """Convert the start of a period to the unit of a column, within the range of its integers."""
    if dtype == pl.Date:
        return instant // DAY
    unit = getattr(dtype, "time_unit", "us")
    if unit == "ns":
        return min(max(instant * UNITS["ns"], -(2**63) + 1), 2**63 - 1)
    return instant // UNITS[unit]


def flag_spans(series: Series, spans: Sequence[Span], *, nulls: bool) -> Flags:
    """Flag the rows with times in any of the given spans and, with `nulls`, the rows without."""
    times = read_instants(series, "1d")
    flags = np.zeros(len(times.instants), dtype=np.bool_)
    for first, end in spans:
        is_within = times.instants >= first
        if end is not None:
            is_within &= times.instants < end
        flags |= is_within
    return np.where(times.missing, nulls, flags)
