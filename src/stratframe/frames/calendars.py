"""Count calendar periods, also those without rows, and find gaps of a duration beside them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ..core.clock import DAY, Clock, first_instants, latest_readings
from ..core.types import Ints
from ..errors import StratError, describe
from .folds import FoldValues, list_labels
from .periods import (
    MINUTE,
    Periods,
    Times,
    clock_of,
    find_starts,
    is_period,
    list_starts,
    minutes_of,
    number_periods,
    split_length,
    truncate,
    write_starts,
)

OFFSETS = 15
"""The number of minutes by which the offsets of time zones differ, but for those of long ago."""

ALWAYS = np.iinfo(np.int64).min
"""An instant before all rows."""


def check_duration(gap: str, every: str | None) -> None:
    """Raise if a text in `gap` is no duration, or if there are no periods to which it belongs."""
    if not is_period(gap):
        msg = (
            '`gap` must be a whole number of labels, or a duration such as "10d", "6h" or'
            f' "1mo", got {describe(gap)}.'
        )
        raise StratError(msg)
    if every is None:
        msg = (
            f"`gap={gap!r}` is a duration, and needs `every`, the length of the periods that are"
            " validated.\nHint: without `every`, `gap=2` leaves out two labels."
        )
        raise StratError(msg)


def finer_period(every: str, gap: str) -> str:
    """Return the length of periods of which the periods of `every` and a gap are made."""
    minutes = [minutes_of(length) or 24 * 60 for length in (every, gap)]
    if minutes_of(gap):
        # Midnights and gaps can be on both sides of a change of the clock.
        minutes.append(OFFSETS)
    shortest = math.gcd(*minutes)
    return "1d" if shortest == 24 * 60 else f"{shortest}m"


class Calendar(NamedTuple):
    """The periods of a column, which are counted from the first with rows."""

    times: Times
    """The start of each label: a period of `every`, or a finer one."""
    clock: Clock
    every: str
    starts: Ints
    """The instant at which the period of each label starts, shape (n_labels,)."""
    numbers: Ints
    """The position of the period of each label among all periods, shape (n_labels,)."""

    def instants(self, numbers: Ints) -> Ints:
        """Find the instants at which periods start, which need not have rows."""
        place = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        instants = self.starts[place]
        without_rows = self.numbers[place] != numbers
        if without_rows.any():
            instants[without_rows] = self.instants_without_rows(numbers[without_rows])
        return instants

    def instants_without_rows(self, numbers: Ints) -> Ints:
        if minutes_of(self.every):
            return self.instants_within_days(numbers)
        return list_starts(self.clock, self.starts[[0, -1]], self.every, with_next=True)[numbers]

    def instants_within_days(self, numbers: Ints) -> Ints:
        """Find starts by bisection, as changes of the clock make some periods longer."""
        length = (minutes_of(self.every) or 0) * MINUTE
        place = np.searchsorted(self.numbers, numbers, side="right") - 1
        low = self.starts[place] - 1
        # No period is longer than its length and what the clock goes back by, at most a day.
        high = low + (numbers - self.numbers[place] + 1) * length + 2 * DAY
        first = self.number(self.starts[:1])
        while (high - low > 1).any():
            middle = low + (high - low) // 2
            is_reached = self.number(middle) - first >= numbers
            high = np.where(is_reached, middle, high)
            low = np.where(is_reached, low, middle)
        return high

    def number(self, instants: Ints) -> Ints:
        """Number the periods of some instants, from a number that is the same in each call."""
        return number_periods(self.clock, find_starts(self.clock, instants, self.every), self.every)

    def coarser_labels(self, labels: FoldValues) -> FoldValues:
        """Count the rows of periods whose parts are labels."""
        numbers, place = np.unique(self.numbers, return_inverse=True)
        sizes = np.bincount(place, labels.sizes, len(numbers)).astype(np.int64)
        return FoldValues(self.labels(numbers), sizes.tolist(), labels.n_nulls)

    def labels(self, numbers: Ints) -> list[Any]:
        """List the starts of periods as labels."""
        return list_labels(write_starts(self.times, self.instants(numbers)))

    def gaps(self, numbers: Ints, horizon: int, gap: str, window: int | None) -> list[GapBounds]:
        """Find the gaps beside horizons, each of which starts with one of the given periods."""
        starts = self.instants(numbers)
        ends = self.instants(numbers + horizon)
        before = self.move(starts, gap, -1)
        after = self.move(ends, gap, 1)
        earliest = np.full(len(starts), ALWAYS)
        if window is not None and window <= self.numbers.max():
            are_days = not (minutes_of(self.every) or minutes_of(gap))
            readings = readings_of(self.clock, before, are_days=are_days)
            earliest = move_readings(self.clock, readings, self.every, -window)
        bounds = np.column_stack([earliest, before, after]).tolist()
        return [GapBounds(*each) for each in bounds]

    def move(self, starts: Ints, length: str, sign: int) -> Ints:
        """Move starts of periods by a length: hours and minutes pass, and days are of the clock."""
        minutes = minutes_of(length)
        if minutes:
            return starts + sign * minutes * MINUTE
        readings = readings_of(self.clock, starts, are_days=minutes_of(self.every) is None)
        return move_readings(self.clock, readings, length, sign)


class GapBounds(NamedTuple):
    """The instants between which no row is trained on, and the earliest one to train on."""

    earliest: int
    before: int
    after: int


def readings_of(clock: Clock, instants: Ints, *, are_days: bool) -> Ints:
    """Return what the clock shows, or at the starts of days midnight, even if it is skipped."""
    if are_days:
        return truncate(latest_readings(clock, instants), "1d")
    readings: Ints = instants + clock.offsets[clock.find_offsets(instants)]
    return readings


def move_readings(clock: Clock, readings: Ints, length: str, times: int) -> Ints:
    """Find the instants at which the clock shows readings that are moved by a length some times."""
    number, unit = split_length(length)
    moved = pl.Series(readings).cast(pl.Datetime("us")).dt.offset_by(f"{times * number}{unit}")
    return first_instants(clock, moved.to_physical().to_numpy())


def calendar_of(periods: Periods, every: str) -> Calendar:
    """Count the periods of `every` in which the periods of a column lie."""
    times = periods.times
    clock = clock_of(times, times.instants, every)
    starts = find_starts(clock, times.instants, every)
    distinct, place = np.unique(starts, return_inverse=True)
    numbers = number_periods(clock, distinct, every)
    return Calendar(times, clock, every, starts, (numbers - numbers.min(initial=0))[place])
