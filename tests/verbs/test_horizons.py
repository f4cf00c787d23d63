"""Horizons, steps and gaps of a duration, against loops over dates and scikit-learn."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import TimeSeriesSplit

import stratframe as sf
from tests.helpers import Make, refuse_now, values

MONDAY = date(2024, 1, 1)
Pair = tuple[date, list[int], list[int]]


def start_of(day: date, every: str) -> date:
    """Find the first day of the period of a day."""
    if every == "1mo":
        return day.replace(day=1)
    if every == "1w":
        return day - timedelta(days=day.weekday())
    return day


def move(day: date, length: str, times: int) -> date:
    """Move a day by calendar months, weeks or days; a month may have no such day, but a last."""
    number = int(length.rstrip("dwmo")) * times
    if length.endswith("mo"):
        months = 12 * day.year + day.month - 1 + number
        year = months // 12
        month = months % 12 + 1
        return date(year, month, min(day.day, monthrange(year, month)[1]))
    return day + timedelta(days=7 * number if length.endswith("w") else number)


def list_periods(days: list[date], every: str) -> list[date]:
    """List the starts of all periods from the first row to the last."""
    starts = [start_of(min(days), every)]
    while move(starts[-1], every, 1) <= max(days):
        starts.append(move(starts[-1], every, 1))
    return starts


def pair_days(
    days: list[date],
    every: str,
    *,
    train: str,
    horizon: int,
    step: int | None,
    gap: str | int,
    window: int | None,
) -> list[Pair]:
    """List the pairs of a column of dates, one row and one period at a time."""
    periods = list_periods(days, every)
    width = f"{gap * int(every[0])}{every[1:]}" if isinstance(gap, int) else gap
    pairs = []
    first = len(periods) - horizon
    while first >= 0:
        start = periods[first]
        end = move(start, every, horizon)
        before = move(start, width, -1)
        after = move(end, width, 1)
        earliest = date.min if window is None else move(before, every, -window)
        valid = [row for row, day in enumerate(days) if start <= day < end]
        past = [row for row, day in enumerate(days) if earliest <= day < before]
        future = [row for row, day in enumerate(days) if day >= after]
        training = past if train == "past" else sorted(past + future)
        if valid and training:
            pairs.append((start, training, valid))
        first -= step or horizon
    return pairs[::-1]


DAYS = st.lists(st.integers(0, 150).map(lambda n: MONDAY + timedelta(days=n)), min_size=1)


@given(
    days=DAYS,
    every=st.sampled_from(["1d", "1w", "1mo"]),
    train=st.sampled_from(["past", "rest"]),
    horizon=st.integers(1, 4),
    step=st.none() | st.integers(1, 5),
    gap=st.sampled_from([0, 1, 3, "1d", "10d", "2w", "1mo"]),
    window=st.none() | st.integers(1, 6),
)
@settings(deadline=None)
def test_pairs_are_those_of_a_loop_over_dates(
    days: list[date],
    every: str,
    train: str,
    horizon: int,
    step: int | None,
    gap: str | int,
    window: int | None,
) -> None:
    """Periods with and without rows count; gaps and windows are those of the calendar."""
    if train == "rest":
        window = None
    rule: dict[str, Any] = {
        "train": train,
        "horizon": horizon,
        "step": step,
        "gap": gap,
        "window": window,
    }
    expected = pair_days(days, every, **rule)
    frame = pl.DataFrame({"day": days})

    if not expected:
        with pytest.raises(sf.StratError, match=r"leaves none|at least 2 folds"):
            sf.cv(frame, "day", every=every, **rule)
        return
    pairs = sf.cv(frame, "day", every=every, **rule)
    folds = list(sf.folds(frame.lazy(), "day", every=every, **rule))

    assert [(train.tolist(), valid.tolist()) for train, valid in pairs] == [
        pair[1:] for pair in expected
    ]
    assert [fold.fold for fold in folds] == [pair[0] for pair in expected]
    for fold, (_, training, valid) in zip(folds, expected, strict=True):
        assert fold.train.collect()["day"].to_list() == [days[row] for row in training]
        assert fold.valid.collect()["day"].to_list() == [days[row] for row in valid]


@given(
    n_rows=st.integers(4, 60),
    n_splits=st.integers(2, 8),
    test_size=st.integers(1, 6),
    gap=st.integers(0, 4),
    max_train_size=st.none() | st.integers(1, 20),
)
def test_pairs_are_those_of_time_series_split(
    n_rows: int, n_splits: int, test_size: int, gap: int, max_train_size: int | None
) -> None:
    """Horizon, gap, window and last are `test_size`, `gap`, `max_train_size` and `n_splits`."""
    if n_rows - gap - test_size * n_splits <= 0:
        return
    splitter = TimeSeriesSplit(
        n_splits, test_size=test_size, gap=gap, max_train_size=max_train_size
    )
    frame = pd.DataFrame({"step": range(n_rows)})

    pairs = sf.cv(
        frame,
        "step",
        train="past",
        horizon=test_size,
        gap=gap,
        window=max_train_size,
        last=n_splits,
    )

    expected = list(splitter.split(frame))
    assert len(pairs) == len(expected)
    for (train, valid), (their_train, their_valid) in zip(pairs, expected, strict=True):
        assert np.array_equal(train, their_train)
        assert np.array_equal(valid, their_valid)


def test_horizons_of_labels_with_rows(frame: Make) -> None:
    """Without `every`, only labels that have rows count; the oldest ones are trained on only."""
    data = frame({"month": ["2024-01", "2024-02", "2024-05", "2024-06", "2024-07"]})

    folds = list(sf.folds(data, "month", train="past", horizon=2))

    assert [
        (each.fold, values(each.train, "month"), values(each.valid, "month")) for each in folds
    ] == [
        ("2024-02", ["2024-01"], ["2024-02", "2024-05"]),
        ("2024-06", ["2024-01", "2024-02", "2024-05"], ["2024-06", "2024-07"]),
    ]


def test_label_is_the_start_of_the_first_period_without_rows() -> None:
    """Two pairs never share a label, even where the first period of both has no rows."""
    days = [date(2024, 1, 5), date(2024, 4, 5)]

    folds = sf.folds(
        pl.DataFrame({"day": days}), "day", every="1mo", train="past", horizon=3, step=1
    )

    assert [(each.fold, each.valid["day"].to_list()) for each in folds] == [
        (date(2024, 2, 1), [date(2024, 4, 5)])
    ]


ZONES = ["UTC", "Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]


@given(
    hours=st.lists(st.integers(0, 24 * 12), min_size=2, max_size=60),
    zone=st.sampled_from(ZONES),
    every=st.sampled_from(["6h", "1d", "2h"]),
    gap=st.sampled_from(["1h", "10h", "90m", "30h"]),
    autumn=st.booleans(),
)
@settings(deadline=None)
def test_gaps_of_hours_pass(
    hours: list[int], zone: str, every: str, gap: str, autumn: bool
) -> None:
    """A gap in hours counts the time that passes, even if the clock is changed in the gap."""
    first = datetime(2024, 10, 26) if autumn else datetime(2024, 3, 29)
    passed = pd.to_timedelta([0, *hours, 24 * 12], unit="h")
    times = pd.Series(pd.Timestamp(first, tz="UTC") + passed).dt.tz_convert(zone)
    frame = pd.DataFrame({"time": times})
    instants = times.dt.tz_convert("UTC")
    length = pd.Timedelta(gap.replace("m", "min"))
    expected = []
    for each in sf.folds(frame, "time", every=every):
        before = each.fold.tz_convert("UTC") - length
        training = instants.index[instants < before].tolist()
        if training:
            expected.append((each.fold, training))

    folds = sf.folds(frame, "time", every=every, train="past", gap=gap)

    assert [(each.fold, each.train.index.tolist()) for each in folds] == expected


def test_a_gap_of_days_is_one_of_the_clock() -> None:
    """A gap of three days equals one of three periods of a day, also if the clock is changed."""
    times = pd.date_range("2024-03-25", periods=400, freq="37min", tz="Europe/Paris")
    frame = pd.DataFrame({"time": times})
    rule: dict[str, Any] = {"every": "1d", "train": "past", "window": 2}

    days = sf.cv(frame, "time", gap="3d", **rule)

    periods = sf.cv(frame, "time", gap=3, **rule)
    assert len(days) == len(periods) > 3
    for (train, valid), (other_train, other_valid) in zip(days, periods, strict=True):
        assert np.array_equal(train, other_train)
        assert np.array_equal(valid, other_valid)


def test_a_named_period_is_validated_with_a_gap(frame: Make) -> None:
    """`valid` names periods of `every`, with or without rows, and not the finer ones of a gap."""
    days = [datetime(2024, month, 5) for month in (1, 2, 3, 4)]

    folds = list(
        sf.folds(
            frame({"day": days}),
            "day",
            every="1mo",
            train="past",
            gap="10d",
            valid=[datetime(2024, 4, 1), datetime(2024, 2, 1)],
        )
    )

    assert [len(values(fold.train, "day")) for fold in folds] == [3, 1]


def test_apart_drops_rows_of_the_whole_horizon(frame: Make) -> None:
    """Training rows that share a value with a row of any validated label are left out."""
    data = frame({"step": [1, 2, 3, 4, 5, 6], "who": ["a", "a", "b", "d", "b", "c"]})

    (fold,) = sf.folds(data, "step", train="past", horizon=2, apart="who", last=1)

    assert values(fold.train, "step") == [1, 2, 4]


def test_splitter_gives_the_same_pairs() -> None:
    """`FoldSplit` takes the arguments of `cv`, and gives its pairs."""
    rule: dict[str, Any] = {"every": "1w", "train": "past", "horizon": 2, "step": 1, "gap": "3d"}
    frame = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=80)})

    splitter = sf.FoldSplit("day", **rule)

    expected = sf.cv(frame, "day", **rule)
    found = list(splitter.split(frame))
    assert splitter.get_n_splits(frame) == len(expected) == len(found)
    for (train, valid), (their_train, their_valid) in zip(found, expected, strict=True):
        assert np.array_equal(train, their_train)
        assert np.array_equal(valid, their_valid)


NEEDS_ORDER = (
    ' needs `train="past"` or `every`, as folds that are dealt at random have no order.\nHint:'
    ' `every="1mo"` reads a column of dates by months.'
)
NO_NAMES = " cannot be combined with `valid`: it counts labels back from the newest."


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        pytest.param({"horizon": 3}, f"`horizon=3`{NEEDS_ORDER}", id="folds_at_random"),
        pytest.param({"step": 1}, f"`step=1`{NEEDS_ORDER}", id="step_of_folds_at_random"),
        pytest.param(
            {"horizon": 2, "train": "past", "valid": 3}, f"`horizon=2`{NO_NAMES}", id="valid"
        ),
        pytest.param(
            {"step": 2, "every": "1d", "valid": 3}, f"`step=2`{NO_NAMES}", id="step_valid"
        ),
        pytest.param(
            {"horizon": 2, "every": "1d", "train": [1, 2]},
            '`horizon=2` goes with `train="past"` and `every` only, got `train=[1, 2]`.',
            id="named_train",
        ),
        pytest.param(
            {"horizon": 0, "train": "past"}, "`horizon` must be at least 1, got 0.", id="no_horizon"
        ),
        pytest.param(
            {"step": "1mo", "every": "1mo"},
            "`step` must be a whole number, got '1mo'.",
            id="step_of_a_duration",
        ),
        pytest.param(
            {"gap": timedelta(days=10), "every": "1mo"},
            '`gap` must be a whole number of labels, or a duration such as "10d" or "6h", got'
            " datetime.timedelta(days=10).",
            id="timedelta",
        ),
        pytest.param(
            {"gap": "10 days", "every": "1mo"},
            '`gap` must be a whole number of labels, or a duration such as "10d", "6h" or "1mo",'
            " got '10 days'.",
            id="no_duration",
        ),
        pytest.param(
            {"gap": "10d", "train": "past"},
            "`gap='10d'` is a duration, and needs `every`, the length of the periods that are"
            " validated.\nHint: without `every`, `gap=2` leaves out two labels.",
            id="duration_of_labels",
        ),
        pytest.param(
            {"gap": "10h", "every": "1d", "train": "past"},
            "`gap='10h'` needs times, but column 'fold' is Date.",
            id="hours_of_dates",
        ),
        pytest.param(
            {"horizon": 9, "train": "past"},
            "`train=\"past\"` must leave labels of 'fold' to validate on, but leaves none.",
            id="horizon_of_all_labels",
        ),
    ],
)
def test_faults(rule: dict[str, Any], message: str) -> None:
    """Each rule has its message, which names the argument at fault."""
    frame = pl.DataFrame({"fold": [date(2024, 1, day) for day in range(1, 6)]})

    refuse_now(message, lambda: sf.folds(frame, **rule))
