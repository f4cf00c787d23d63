"""Periods of time by clocks that go forward and back, against a walk from minute to minute."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.core.clock import (
    DAY,
    EVER,
    SECOND,
    Clock,
    find_clock,
    first_instants,
    instants_of,
    latest_readings,
    number_within_days,
    starts_within_days,
)

MINUTE = 60 * SECOND


@st.composite
def clocks(draw: st.DrawFn) -> Clock:
    """Make a clock with up to three changes, some days apart, each of less than a day."""
    offsets = draw(st.lists(st.integers(-700, 700), min_size=1, max_size=4))
    days = np.cumsum(draw(st.lists(st.integers(3, 5), min_size=3, max_size=3)))
    minutes = draw(st.lists(st.integers(0, 1439), min_size=3, max_size=3))
    changes = (days * DAY + np.array(minutes) * MINUTE)[: len(offsets) - 1]
    return Clock(np.append(EVER, changes), np.array(offsets) * MINUTE)


def read(clock: Clock, instants: np.ndarray) -> np.ndarray:
    return instants + clock.offsets[clock.find_offsets(instants)]


def is_first(readings: np.ndarray, length: int) -> np.ndarray:
    """Flag the minutes that start a period: its first ones, and those to which a clock returns."""
    periods = readings // length
    is_back = (np.diff(readings) < 0) & (readings[1:] % length == 0)
    return np.append(True, (np.diff(periods) != 0) | is_back)


@given(clock=clocks(), minutes=st.sampled_from([1, 15, 40, 60, 120, 360, 720]))
def test_periods_within_days_are_those_of_a_walk(clock: Clock, minutes: int) -> None:
    """Each minute is in the period that began last, and periods are numbered without gaps."""
    instants = np.arange(0, 18 * DAY, MINUTE)
    walked = np.flatnonzero(is_first(read(clock, instants), minutes * MINUTE))
    wanted = instants[walked][np.searchsorted(walked, np.arange(len(instants)), "right") - 1]
    later = instants >= DAY  # the first period may have begun before the walk

    starts = starts_within_days(clock, instants, minutes * MINUTE)

    assert (starts[later] == wanted[later]).all()
    numbers = number_within_days(clock, np.unique(starts[later]), minutes * MINUTE)
    assert (np.diff(numbers) == 1).all()


@given(clock=clocks())
def test_days_begin_when_the_clock_first_shows_them(clock: Clock) -> None:
    """A day begins at its first minute or later, and the clock never returns to the day before."""
    instants = np.arange(0, 18 * DAY, MINUTE)
    latest = np.maximum.accumulate(read(clock, instants))
    later = instants >= 2 * DAY

    ahead = latest_readings(clock, instants)[later] - latest[later]
    assert ((ahead >= 0) & (ahead < MINUTE)).all()  # the walk sees no end of a minute
    days = np.unique(latest[later] // DAY)[1:] * DAY
    wanted = instants[np.searchsorted(latest, days)]
    assert first_instants(clock, days).tolist() == wanted.tolist()


@given(clock=clocks())
def test_readings_with_offsets_are_in_their_period(clock: Clock) -> None:
    """The start of an hour and the offset of a row lead back to the hour of the row."""
    instants = np.arange(DAY, 18 * DAY, 7 * MINUTE)
    offsets = read(clock, instants) - instants
    readings = (instants + offsets) // (60 * MINUTE) * 60 * MINUTE

    found, is_wrong = instants_of(clock, readings, offsets)

    assert not is_wrong.any()
    starts = [starts_within_days(clock, each, 60 * MINUTE) for each in (instants, found)]
    assert (starts[0] == starts[1]).all()
    assert instants_of(clock, readings[:1], np.array([SECOND]))[1].all()


@given(clock=clocks())
def test_changes_are_found_to_the_second(clock: Clock) -> None:
    """Offsets that are sampled a day apart show all changes of a clock."""
    samples = np.arange(0, 25 * DAY, DAY)
    found = find_clock(samples, lambda each: clock.offsets[clock.find_offsets(each)])
    kept = np.append(True, np.diff(clock.offsets) != 0)
    assert found.since.tolist() == clock.since[kept].tolist()
    assert found.offsets.tolist() == clock.offsets[kept].tolist()


@pytest.mark.parametrize("hours", [1, 2, 6])
def test_a_repeated_hour_is_a_new_period_if_one_starts_in_it(hours: int) -> None:
    """Clocks that go back from 3 to 2 give a second hour, and no second quarter of a day."""
    back = 10 * DAY + 3 * 60 * MINUTE
    clock = Clock(np.array([EVER, back]), np.array([0, -60 * MINUTE]))
    instants = back + np.array([-1, 0]) * 30 * MINUTE
    starts = starts_within_days(clock, instants, hours * 60 * MINUTE)
    assert (starts[1] == back) == (hours < 6)
