"""Folds by calendar periods of a column of dates or times, and the last ones of them."""

from datetime import date, datetime, timedelta, timezone
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import Make, evaluate, make, refuse, refused, values

DAYS = [date(2024, month, day) for month in (1, 2, 3, 5, 6, 9) for day in (3, 17, 28)]
"""No day is in April, July or August."""
ROWS = {"day": DAYS, "x": list(range(len(DAYS)))}

FREQUENCIES = {"1d": ("D", 30), "1w": ("W", 200), "1mo": ("M", 900)}
FREQUENCIES |= {"1q": ("Q", 3000), "1y": ("Y", 9000)}
"""What pandas calls the periods of Polars, and the days of some 30 of them."""

PAST: dict[str, Any] = {"train": "past", "gap": 1, "window": 3}
STARTS = st.datetimes(datetime(1960, 1, 1), datetime(2060, 1, 1))
PLACES = st.lists(st.floats(0, 1), min_size=2, max_size=30)


def pairs(frame: Any, **rule: Any) -> list[tuple[Any, list[int], list[int]]]:
    folds = sf.folds(frame, "day", **rule)
    return [(fold.fold, values(fold.train, "x"), values(fold.valid, "x")) for fold in folds]


@settings(max_examples=40)
@given(start=STARTS, places=PLACES, every=st.sampled_from([*FREQUENCIES]))
def test_periods_are_those_of_pandas(start: datetime, places: list[float], every: str) -> None:
    """Labels are the starts of pandas' periods, and gap and window count these."""
    frequency, n_days = FREQUENCIES[every]
    times = [start + timedelta(days=n_days * place) for place in places]
    df = pd.DataFrame({"day": pd.Series(times).dt.as_unit("us"), "x": range(len(times))})
    own = df["day"].dt.to_period(frequency)
    numbers = own.dt.year if every == "1y" else own.map(lambda period: period.ordinal)
    wanted = []
    for number in sorted(set(numbers)):
        lead = number - numbers
        train = df["x"][(lead > 1) & (lead <= 4)].tolist()
        if train:
            valid = df["x"][numbers == number].tolist()
            wanted.append((own[valid[0]].start_time.to_pydatetime(), train, valid))
    rule = {"every": every, **PAST}
    if not wanted:
        none = "must leave labels of 'day' to validate on, but leaves none."
        refuse(f'`train="past"` with `gap=1` {none}', lambda: sf.folds(df, "day", **rule))
        return
    assert pairs(df, **rule) == wanted


def test_every_frame_has_the_same_periods(frame: Make) -> None:
    """Months without rows count: of two months before the gap, only June trains for September."""
    rule: dict[str, Any] = {"every": "1mo", **PAST, "window": 2, "last": 3}
    found = pairs(frame(ROWS), **rule)
    starts = [(label.month, label.day) for label, _, _ in found]
    assert starts == [(5, 1), (6, 1), (9, 1)]
    assert [train for _, train, _ in found] == [[3, 4, 5, 6, 7, 8], [6, 7, 8], [12, 13, 14]]
    if not isinstance(frame(ROWS), pl.LazyFrame):
        positions = sf.cv(frame(ROWS), "day", **rule)
        assert [(a.tolist(), b.tolist()) for a, b in positions] == [each[1:] for each in found]


CHANGES = {
    None: ["1969-12-30", "2024-02-28"],
    "Europe/Berlin": ["2024-03-30", "2024-10-26"],
    "Australia/Lord_Howe": ["2024-04-06", "2024-10-05"],
    "America/St_Johns": ["2011-03-12", "2011-11-05"],
    "America/Sao_Paulo": ["2018-02-17", "2018-11-03"],
    "Pacific/Apia": ["2011-12-29"],
    "Asia/Beirut": ["2024-03-30", "2024-10-26"],
    "America/Havana": ["2024-03-09", "2024-11-02"],
}
"""Days before clocks change, by an hour, half an hour or a day, at midnight or a minute past it."""
MINUTES = {"15m": 15, "40m": 40, "6h": 360, "1d": 1440}


@pytest.mark.parametrize("zone", CHANGES)
@pytest.mark.parametrize(("every", "minutes"), MINUTES.items())
def test_periods_are_those_of_the_clock(zone: str | None, every: str, minutes: int) -> None:
    """Periods count from midnight by the local clock; the label is the first minute it shows."""
    start, n = ("00:00", 96 * 60) if every == "1d" else ("18:00", 20 * 60)
    days = [pd.Timestamp(f"{day} {start}", tz=zone) for day in CHANGES[zone]]
    hours = [pd.date_range(day, periods=n, freq="min") for day in days]
    clock = [time for each in hours for time in each.to_pydatetime().tolist()]
    numbers, firsts = [], dict[int, datetime]()
    for time in clock:
        number = (time.replace(tzinfo=None) - datetime(1900, 1, 1)) // timedelta(minutes=minutes)
        numbers.append(number)
        firsts.setdefault(number, time)
    rows = range(0, len(clock), 17)
    wanted = []
    for number in sorted({numbers[row] for row in rows}):
        lead = [number - numbers[row] for row in rows]
        train = [row for row, ahead in zip(rows, lead, strict=True) if 1 < ahead <= 4]
        if train:
            valid = [row for row, ahead in zip(rows, lead, strict=True) if not ahead]
            wanted.append((firsts[number].isoformat(), train, valid))
    numpy = pd.DataFrame({"day": [clock[row] for row in rows], "x": rows})
    polars = pl.from_pandas(numpy)
    frames = [numpy, numpy.set_index("day", drop=False), polars, polars.lazy()]
    if every == "1d":
        frames += [numpy.astype({"day": "category"}), numpy.astype({"day": object})]
        frames += [polars.to_pandas(use_pyarrow_extension_array=True)]
    rule = {"every": every, **PAST}
    for frame in frames:
        found = pairs(frame, **rule)
        assert [(label.isoformat(), *rows) for label, *rows in found] == wanted
        assert pairs(frame, **rule, valid=found[-1][0]) == found[-1:]
    split = sf.FoldSplit("day", **rule).split(numpy)
    found = [(numpy["x"][a].tolist(), numpy["x"][b].tolist()) for a, b in split]
    assert found == [each[1:] for each in wanted]


def test_zones_that_only_pandas_has() -> None:
    """The days of a fixed offset begin at its midnights."""
    zone = timezone(timedelta(hours=5, minutes=30))
    day = pd.date_range("2024-02-28 18:00", periods=3, freq="6h", tz="UTC").tz_convert(zone)
    labels = [fold.fold for fold in sf.folds(pd.DataFrame({"day": day}), "day", every="1d")]
    assert labels == [datetime(2024, 2, 28, tzinfo=zone), datetime(2024, 2, 29, tzinfo=zone)]


def test_the_ends_of_dates() -> None:
    """The first nanoseconds are in a year that begins before them; Python has no year -221."""
    times = pd.to_datetime(["1677-09-22", "1677-12-31", "2024-02-29"]).as_unit("ns")
    df = pl.DataFrame({"day": pl.Series(times), "x": range(3)})
    for frame in (df, df.lazy(), df.to_pandas()):
        labels = [(label, valid) for label, _, valid in pairs(frame, every="1y")]
        assert labels == [(datetime(1677, 1, 1), [0, 1]), (datetime(2024, 1, 1), [2])]
    far = pl.DataFrame({"day": pl.Series([-800_000, 0], dtype=pl.Int32).cast(pl.Date)})
    beyond = "'day' must hold values that Python can represent, but year"
    for rule in ({}, {"every": "1mo"}):
        with pytest.raises(sf.StratError, match=beyond):
            sf.folds(far, "day", **rule)
    last = 2**63 - 1
    ends = [("ms", last), ("us", last), ("us", -last), ("ms", 2**64 // 1000 + 1)]
    for (unit, end), is_lazy in product(ends, (False, True)):
        far = pl.DataFrame({"day": pl.Series([end, 0, None]).cast(pl.Datetime(unit, "UTC"))})
        rule = "Column 'day' must hold values that Python can represent, but some are out of range."
        options = {"frame": far.lazy() if is_lazy else far, "every": "1y", "nulls": "drop"}
        refuse(rule, partial(sf.folds, name="day", **options))
    far = pl.DataFrame({"day": pl.Series([last, 0]).cast(pl.Datetime("ns", "Europe/Paris"))})
    years = [label.year for label, _, _ in pairs(far.with_row_index("x"), every="1y")]
    assert years == [1970, 2262]


def test_minutes_of_all_years(frame: Make) -> None:
    """Periods between two rows are counted, and not listed."""
    times = [datetime(1, 1, 1), *(datetime(9999, 12, 31, 23, minute) for minute in (57, 59))]
    found = pairs(frame({"day": times, "x": [0, 1, 2]}), every="1m", train="past", gap=1)
    assert found == [(times[1], [0], [1]), (times[2], [0, 1], [2])]


def test_the_last_folds_of_any_column(frame: Make) -> None:
    """`last` takes the last labels of any order, rows without a label aside."""
    data = ROWS | {"day": [i % 5 for i in range(17)] + [None]}
    found = pairs(frame(data), last=2, nulls="drop")
    assert [label for label, _, _ in found] == [3, 4]
    assert pairs(frame(data), last=9, nulls="drop") == pairs(frame(data), nulls="drop")


PERIOD = '`every` must be a period such as "15m", "6h", "1d", "1w", "1mo", "1q" or "1y", got '
DIVIDES = 'Hours or minutes in `every` must divide a day evenly, as "6h" does, got '
BROKEN = {
    **{f"every={given}": f"{PERIOD}{given}." for given in ("'month'", "7", "'6s'", "'0h'")},
    **{f"every={given}": f"{DIVIDES}{given}." for given in ("'7h'", "'48h'", "'7m'")},
    "last=0": "`last` must be at least 1, got 0.",
    "last=2, valid=[1]": "`last` cannot be combined with `valid`, which names the labels to"
    " validate on.",
}


@pytest.mark.parametrize("rule", BROKEN)
def test_bad_input(rule: str) -> None:
    """What is no period, or no number of labels, is refused."""
    for frame in (pd.DataFrame(ROWS), pl.LazyFrame(ROWS)):
        given = evaluate(f"dict({rule})")
        refuse(BROKEN[rule], lambda frame=frame, given=given: sf.folds(frame, "day", **given))


def test_the_cause_of_an_error_is_what_needs_an_order() -> None:
    """The error names the argument that needs an order, and that no row has a date."""
    df = pd.DataFrame({"day": ["b", "a", "c"]})
    assert "`last=1`" in str(refused(lambda: sf.folds(df, "day", train="a", last=1)))
    none = pl.LazyFrame({"day": [None, None]})
    assert "no row has" in str(refused(lambda: sf.folds(none, "day", every="1mo", nulls="drop")))


def test_a_column_without_dates(kind: str) -> None:
    """Periods need dates or times."""
    needs = "`every` needs dates or times, but column 'day' is "
    dates = (DAYS, "6h", "`every='6h'` needs times, but column 'day' is ")
    texts, numbers = (["2024-01-03"] * 18, "1mo", needs), (np.arange(18), "1mo", needs)
    for days, every, message in (dates, texts, numbers):
        df = make(kind, {**ROWS, "day": days})
        for read in (sf.folds, sf.cv):
            with pytest.raises(sf.StratError, match=message):
                read(df, "day", every=every)
