"""Divide time into periods of the local clock of a time zone.

An instant is a point in time, in microseconds of UTC since 1970. A reading is what the local clock
shows at an instant, in microseconds since 1970-01-01 00:00. The clock shows readings twice if it
goes back, and never if it goes forward over them.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .types import Flags, Ints

SECOND = 1_000_000
DAY = 24 * 60 * 60 * SECOND

EVER = np.iinfo(np.int64).min
"""The instant from which the first offset of a clock holds."""


class Clock(NamedTuple):
    """The offsets of a time zone from UTC during a span of time."""

    since: Ints
    """The instant from which each offset holds, in ascending order; the first is `EVER`."""
    offsets: Ints
    """The offsets from UTC in microseconds; the reading is the instant plus the offset."""

    def find_offsets(self, instants: Ints) -> Ints:
        """Find the position of the offset that holds at each instant."""
        return np.searchsorted(self.since, instants, side="right") - 1


UTC = Clock(np.array([EVER]), np.array([0]))


def find_clock(samples: Ints, offsets_at: Callable[[Ints], Ints]) -> Clock:
    """Find the changes of a clock by bisection between samples with different offsets.

    `samples` are whole seconds in ascending order. Two changes between neighbouring samples are
    missed if they restore the offset.
    """
    offsets = offsets_at(samples)
    while True:
        steps = np.diff(samples)
        wide = np.flatnonzero((offsets[1:] != offsets[:-1]) & (steps > SECOND))
        if not len(wide):
            break
        middle = samples[wide] + steps[wide] // (2 * SECOND) * SECOND
        samples = np.insert(samples, wide + 1, middle)
        offsets = np.insert(offsets, wide + 1, offsets_at(middle))
    changes = np.flatnonzero(offsets[1:] != offsets[:-1]) + 1
    return Clock(np.append(EVER, samples[changes]), np.append(offsets[:1], offsets[changes]))


# Periods that divide a day ---------------------------------------------------------------


def starts_within_days(clock: Clock, instants: Ints, length: int) -> Ints:
    """Find the start of the period of each instant; `length` divides a day.

    Periods are counted from midnight. A change of the clock starts a period unless the readings
    before and after the change are in the same one: readings that the clock repeats are in a period
    of their own if a start lies among them.
    """
    place = clock.find_offsets(instants)
    starts = instants - (instants + clock.offsets[place]) % length
    return np.where(starts >= clock.since[place], starts, starts_at_changes(clock, length)[place])


def starts_at_changes(clock: Clock, length: int) -> Ints:
    """Find the start of the period of the first instant of each offset."""
    at = clock.since[1:]
    before = at - 1 + clock.offsets[:-1]
    after = at + clock.offsets[1:]
    earlier = np.maximum(at - 1 - before % length, clock.since[:-1])
    starts = np.where(before // length == after // length, earlier, at)
    return np.append(EVER, starts)


def number_within_days(clock: Clock, starts: Ints, length: int) -> Ints:
    """Number starts of periods so that consecutive periods have consecutive numbers."""
    at = clock.since[1:]
    last_before = (at - 1 + clock.offsets[:-1]) // length
    first_after = -(-(at + clock.offsets[1:]) // length)
    is_start = starts_at_changes(clock, length)[1:] == at
    is_extra = is_start & ((at + clock.offsets[1:]) % length != 0)
    shifts = np.append(0, np.cumsum(last_before + is_extra - first_after + 1))
    place = clock.find_offsets(starts)
    numbers: Ints = (starts + clock.offsets[place]) // length + shifts[place]
    return numbers


# Days and longer periods -----------------------------------------------------------------


def latest_readings(clock: Clock, instants: Ints) -> Ints:
    """Return the latest reading that the clock has shown up to each instant.

    A clock that goes back past midnight does not return to the day before.
    """
    place = clock.find_offsets(instants)
    ends = clock.since[1:] - 1 + clock.offsets[:-1]
    peaks = np.append(EVER, np.maximum.accumulate(ends))
    latest: Ints = np.maximum(instants + clock.offsets[place], peaks[place])
    return latest


def first_instants(clock: Clock, readings: Ints) -> Ints:
    """Find the first instant at which the clock shows each reading or a later one."""
    ends = np.maximum.accumulate(clock.since[1:] + clock.offsets[:-1])
    place = np.searchsorted(ends, readings, side="right")
    instants: Ints = np.maximum(readings - clock.offsets[place], clock.since[place])
    return instants


# Readings with their offsets -------------------------------------------------------------


def instants_of(clock: Clock, readings: Ints, offsets: Ints) -> tuple[Ints, Flags]:
    """Find an instant in the period that starts with each reading, with the given offset.

    The clock may have had another offset when it showed the reading. Also return flags of the
    readings after which the clock never has their offset.
    """
    instants = readings - offsets
    place = clock.find_offsets(instants)
    for _ in range(3):  # there are seldom two changes in a day
        is_other = clock.offsets[place] != offsets
        place = np.minimum(place + is_other, len(clock.since) - 1)
    return np.maximum(instants, clock.since[place]), clock.offsets[place] != offsets
