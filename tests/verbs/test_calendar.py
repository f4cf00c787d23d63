"""Folds by calendar periods of a column of dates or times, and the last ones of them."""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import accumulate
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pytest
from dateutil.tz import gettz
from hypothesis import given, settings
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import Make, refuse, refused, some_slow, values

DAYS = [date(2024, month, day) for month in (1, 2, 3, 5, 6, 9) for day in (3, 17, 28)]
"""No day is in April, July or August."""
ROWS = {"day": DAYS, "x": list(range(len(DAYS)))}

FREQUENCIES = {
    "1d": ("D", 30),
    "1w": ("W", 200),
    "1mo": ("M", 900),
    "1q": ("Q", 3000),
    "1y": ("Y", 9000),
}
"""What pandas calls the periods of Polars, and the days of some 30 of them."""

BERLIN = ZoneInfo("Europe/Berlin")

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
    """Months without rows count towards `gap` and `window`."""
    rule: dict[str, Any] = {"every": "1mo", **PAST, "window": 2, "last": 3}
    found = pairs(frame(ROWS), **rule)
    starts = [(label.month, label.day) for label, _, _ in found]
    assert starts == [(5, 1), (6, 1), (9, 1)]
    assert [train for _, train, _ in found] == [[3, 4, 5, 6, 7, 8], [6, 7, 8], [12, 13, 14]]
    if not isinstance(frame(ROWS), pl.LazyFrame):
        positions = sf.cv(frame(ROWS), "day", **rule)
        assert [(a.tolist(), b.tolist()) for a, b in positions] == [each[1:] for each in found]


EVERY = ("40m", "1d")
CHANGES = {
    None: ["1969-12-30", "2024-02-28"],
    "UTC": ["2024-02-28"],
    "Europe/Berlin": ["2024-03-30", "2024-10-26"],
    "America/New_York": ["2024-03-09", "2024-11-02"],
    "Australia/Lord_Howe": ["2024-04-06", "2024-10-05"],
    "Africa/Casablanca": ["2024-03-09", "2024-04-13"],
    "Asia/Tehran": ["1991-05-02", "1991-09-21"],
    "America/St_Johns": ["2011-03-12", "2011-11-05"],
    "America/Sao_Paulo": ["2018-02-17", "2018-11-03"],
    "Pacific/Apia": ["2011-12-29"],
    "Antarctica/Troll": ["2024-03-30", "2024-10-26"],
    "Asia/Beirut": ["2024-03-30", "2024-10-26"],
    "Asia/Kathmandu": ["1985-12-31"],
    "America/Havana": ["2024-03-09", "2024-11-02"],
}
"""Days before clocks change, by minutes, hours or a day, at midnight or a minute past it."""

CLOCKS = [
    *((zone, day, every) for zone, days in CHANGES.items() for day in days for every in EVERY),
    *(("Europe/Berlin", "2024-10-26", every) for every in ("5m", "30m", "1h", "2h", "6h")),
]
"""Periods that do not fit into an hour, and days, by all clocks; others by one that goes back."""

FEW_CLOCKS = [
    ("Europe/Berlin", "2024-10-26", "15m"),
    ("Europe/Berlin", "2024-10-26", "2h"),
    ("America/St_Johns", "2011-11-05", "15m"),
    ("Asia/Kathmandu", "1985-12-31", "15m"),
    ("Pacific/Apia", "2011-12-29", "1d"),
]


def minutes_before(zone: str | None, day: str, n_minutes: int) -> pl.Series:
    """List all minutes of some days, from noon of a day on, by a clock."""
    noon = datetime.fromisoformat(day) + timedelta(hours=12)
    start = pl.Series([noon]).dt.replace_time_zone(zone).dt.convert_time_zone("UTC")[0]
    end = start + timedelta(minutes=n_minutes)
    times = pl.datetime_range(start, end, "1m", time_unit="us", eager=True)
    return times.dt.convert_time_zone(zone) if zone else times.dt.replace_time_zone(None)


def first_minutes(times: pl.Series, every: str) -> list[int]:
    """Walk from minute to minute, and list the place of the first minute of each one's period."""
    clock = times.dt.replace_time_zone(None)
    truncated = clock.dt.truncate(every).to_list()
    shown = clock.to_list()
    if every == "1d":  # no clock returns to the day before
        truncated = list(accumulate(truncated, max))
    places = [0]
    for minute in range(1, len(shown)):
        # A clock that goes back to the start of a period starts it anew.
        is_back = shown[minute] < shown[minute - 1] and shown[minute] == truncated[minute]
        is_new = truncated[minute] != truncated[minute - 1] or (is_back and every != "1d")
        places.append(minute if is_new else places[-1])
    return places


def pairs_of_the_past(places: list[int], rows: Sequence[int]) -> list[tuple[int, Any, Any]]:
    """List the rows of each pair of `PAST`, with the place of the first minute of its period."""
    numbers = {place: number for number, place in enumerate(sorted(set(places)))}
    own = {row: numbers[places[row]] for row in rows}
    wanted = []
    for place in sorted({places[row] for row in rows}):
        train = [row for row in rows if 1 < numbers[place] - own[row] <= 4]
        if train:
            wanted.append((place, train, [row for row in rows if places[row] == place]))
    return wanted


@pytest.mark.parametrize(("zone", "day", "every"), CLOCKS)
def test_periods_are_those_of_the_clock(zone: str | None, day: str, every: str) -> None:
    """Periods count from midnight by the clock, and a repeated hour has periods of its own."""
    times = minutes_before(zone, day, 96 * 60 if every == "1d" else 24 * 60)
    places = first_minutes(times, every)
    rows = range(0, len(times), 17)
    df = pl.DataFrame({"day": times.gather(list(rows)), "x": rows})

    found = pairs(df, every=every, **PAST)

    wanted = pairs_of_the_past(places, rows)[-len(found) :]
    assert [each[1:] for each in found] == [each[1:] for each in wanted]
    for (label, _, _), (place, _, _) in list(zip(found, wanted, strict=True))[1:]:
        assert label.isoformat() == pd.Timestamp(times[place]).isoformat()


def knows_dateutil() -> bool:
    """Whether pandas can read times of dateutil: 2.2 cannot read those of dateutil 4."""
    times = pd.Series(pd.date_range("2024-10-26", periods=2, tz="UTC"))
    with suppress(AttributeError):
        return len(times.dt.tz_convert(gettz("Europe/Berlin")).dt.hour) == 2
    return False


def frames_of_times(times: pl.Series) -> dict[str, Any]:
    """Make frames of every kind that hold these times."""
    df = pl.DataFrame({"day": times, "x": range(len(times))})
    numpy = df.to_pandas()
    frames = {
        "polars": df,
        "lazy": df.lazy(),
        "nanoseconds": df.with_columns(pl.col("day").dt.cast_time_unit("ns")),
        "lazy_milliseconds": df.lazy().with_columns(pl.col("day").dt.cast_time_unit("ms")),
        "numpy": numpy,
        "index": numpy.set_index("day", drop=False),
        "category": numpy.astype({"day": "category"}),
        "object": numpy.assign(day=pd.Series(times.to_list(), dtype=object)),
        "pyarrow": df.to_pandas(use_pyarrow_extension_array=True),
    }
    if knows_dateutil():
        in_zone = numpy["day"].dt.tz_convert(gettz(times.dtype.time_zone))
        frames["dateutil"] = numpy.assign(day=in_zone)
    return frames


@pytest.mark.parametrize("clock", some_slow(FEW_CLOCKS, FEW_CLOCKS[1:]), ids="-".join)
def test_every_frame_has_the_same_clock(clock: tuple[str, str, str]) -> None:
    """All kinds of columns give the same pairs, and any time that is equal names a label."""
    zone, day, every = clock
    times = minutes_before(zone, day, 96 * 60 if every == "1d" else 24 * 60)
    few = times.gather_every(7)
    df = pl.DataFrame({"day": few, "x": range(len(few))})
    wanted = [(label.isoformat(), *rows) for label, *rows in pairs(df, every=every, **PAST)]
    for df in frames_of_times(few).values():
        found = pairs(df, every=every, **PAST)
        assert [(label.isoformat(), *rows) for label, *rows in found] == wanted
        label, train, valid = found[len(found) // 2]
        utc = label.astimezone(UTC)
        for same in (label, utc, pd.Timestamp(utc), utc.astimezone(ZoneInfo(zone))):
            assert pairs(df, every=every, **PAST, valid=same) == [(label, train, valid)]


def test_the_repeated_hour_is_two(frame: Make) -> None:
    """Quarters of an hour that the clock shows twice are two labels, which print their offset."""
    shown = [datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN, fold=fold) for fold in (0, 1)]
    df = frame({"day": [*shown, datetime(2024, 10, 27, 3, tzinfo=BERLIN)], "x": [0, 1, 2]})

    found = pairs(df, every="15m", train="past")

    assert [each[1:] for each in found] == [([0], [1]), ([0, 1], [2])]
    texts = ["2024-10-27 02:30:00+01:00", "2024-10-27 03:00:00+01:00"]
    assert [str(label) for label, _, _ in found] == texts
    assert len({label for label, _, _ in pairs(df, every="15m")}) == 3
    assert pairs(df, every="15m", train=shown[0], valid=shown[1])[0][1:] == ([0], [1])
    fold = next(iter(sf.folds(df, "day", every="15m", train="past")))
    assert repr(fold).startswith("Fold 2024-10-27 02:30:00+01:00 of 'day'")


def test_raw_times_of_a_repeated_hour(frame: Make) -> None:
    """Times without `every` are compared as instants, too, and so are the names of parts."""
    shown = [datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN, fold=fold) for fold in (1, 0)]
    df = frame({"day": shown, "x": [0, 1]})

    assert [each[1:] for each in pairs(df, train="past")] == [([1], [0])]
    assert [each[1:] for each in pairs(df, valid=shown)] == [([1], [0]), ([0], [1])]
    parts = sf.parts(df, "day", names=shown)
    assert [values(part, "x") for part in parts.values()] == [[0], [1]]


@settings(max_examples=60)
@given(
    zone=st.sampled_from([zone for zone in CHANGES if zone]),
    every=st.sampled_from(["5m", "15m", "30m", "1h", "2h", "6h", "1d", "1w", "1mo"]),
    start=st.datetimes(datetime(1950, 1, 1), datetime(2036, 1, 1)),
    hours=st.lists(st.floats(0, 9000), min_size=2, max_size=30),
    is_lazy=st.booleans(),
)
def test_the_past_is_earlier_in_utc(
    zone: str, every: str, start: datetime, hours: list[float], is_lazy: bool
) -> None:
    """Every training row is earlier than every validated row, whatever the clock shows."""
    instants = [start + timedelta(hours=place) for place in hours]
    times = pl.Series(instants).dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    df = pl.DataFrame({"day": times, "x": instants})
    try:
        found = pairs(df.lazy() if is_lazy else df, every=every, train="past")
    except sf.StratError as error:
        assert "leaves none" in str(error)  # noqa: PT017 - all rows are in one period
        return
    for _, train, valid in found:
        assert max(train) < min(valid)


def test_zones_that_only_pandas_has() -> None:
    """The days of a fixed offset begin at its midnights."""
    zone = timezone(timedelta(hours=5, minutes=30))
    day = pd.date_range("2024-02-28 18:00", periods=3, freq="6h", tz="UTC").tz_convert(zone)
    df = pd.DataFrame({"day": day.as_unit("us")})
    for times in (df, df.astype({"day": "timestamp[us, tz=+05:30][pyarrow]"})):
        labels = [fold.fold for fold in sf.folds(times, "day", every="1d")]
        assert labels == [datetime(2024, 2, 28, tzinfo=zone), datetime(2024, 2, 29, tzinfo=zone)]


def test_the_first_year_of_nanoseconds() -> None:
    """The first times in nanoseconds are in a year that begins before any of them."""
    times = pd.to_datetime(["1677-09-22", "1677-12-31", "2024-02-29"]).as_unit("ns")
    df = pl.DataFrame({"day": pl.Series(times), "x": range(3)})

    for frame in (df, df.lazy(), df.to_pandas()):
        labels = [(label, valid) for label, _, valid in pairs(frame, every="1y")]
        assert labels == [(datetime(1677, 1, 1), [0, 1]), (datetime(2024, 1, 1), [2])]


def test_the_last_year_of_nanoseconds() -> None:
    """The last time in nanoseconds has a label."""
    ends = pl.Series([2**63 - 1, 0]).cast(pl.Datetime("ns", "Europe/Paris"))

    found = pairs(pl.DataFrame({"day": ends, "x": [0, 1]}), every="1y")

    assert [label.year for label, _, _ in found] == [1970, 2262]


@pytest.mark.parametrize("rule", [{}, {"every": "1mo"}])
def test_years_that_python_lacks(rule: dict[str, Any]) -> None:
    """A date before the year 1 is an error that names its year."""
    far = pl.DataFrame({"day": pl.Series([-800_000, 0], dtype=pl.Int32).cast(pl.Date)})

    with pytest.raises(sf.StratError, match="values that Python can represent, but year -221"):
        sf.folds(far, "day", **rule)


@pytest.mark.parametrize(
    ("unit", "end"),
    [
        pytest.param("ms", 2**63 - 1, id="last_millisecond"),
        pytest.param("us", 2**63 - 1, id="last_microsecond"),
        pytest.param("us", 1 - 2**63, id="first_microsecond"),
        pytest.param("ms", 2**64 // 1000 + 1, id="millisecond_that_overflows_microseconds"),
    ],
)
def test_times_that_python_lacks(unit: Any, end: int) -> None:
    """Times out of Python's range are an error that names the column."""
    far = pl.DataFrame({"day": pl.Series([end, 0, None]).cast(pl.Datetime(unit, "UTC"))})

    for frame in (far, far.lazy()):
        refuse(
            "Column 'day' must hold values that Python can represent, but some are out of range.",
            lambda frame=frame: sf.folds(frame, "day", every="1y", nulls="drop"),
        )


def test_minutes_of_all_years(frame: Make) -> None:
    """Periods between two rows are counted, and not listed."""
    times = [datetime(1, 1, 1), *(datetime(9999, 12, 31, 23, minute) for minute in (57, 59))]
    found = pairs(frame({"day": times, "x": [0, 1, 2]}), every="1m", train="past", gap=1)
    assert found == [(times[1], [0], [1]), (times[2], [0, 1], [2])]


def test_the_last_folds_of_any_column(frame: Make) -> None:
    """`last` takes the last labels of any order, and ignores rows without a label."""
    data = ROWS | {"day": [i % 5 for i in range(17)] + [None]}
    found = pairs(frame(data), last=2, nulls="drop")
    assert [label for label, _, _ in found] == [3, 4]
    assert pairs(frame(data), last=9, nulls="drop") == pairs(frame(data), nulls="drop")


PERIOD = '`every` must be a period such as "15m", "6h", "1d", "1w", "1mo", "1q" or "1y", got'
DIVIDE = 'Hours or minutes in `every` must divide a day evenly, as "6h" does, got'


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        pytest.param({"every": 7}, f"{PERIOD} 7.", id="a_number"),
        pytest.param({"every": "6s"}, f"{PERIOD} '6s'.", id="seconds"),
        pytest.param({"every": "0h"}, f"{PERIOD} '0h'.", id="no_hours"),
        pytest.param({"every": "7h"}, f"{DIVIDE} '7h'.", id="hours_that_do_not_divide_a_day"),
        pytest.param({"every": "7m"}, f"{DIVIDE} '7m'.", id="minutes_that_do_not_divide_a_day"),
        pytest.param({"last": 0}, "`last` must be at least 1, got 0.", id="no_labels"),
        pytest.param(
            {"last": 2, "valid": [1]},
            "`last` cannot be combined with `valid`, which names the labels to validate on.",
            id="last_and_valid",
        ),
    ],
)
def test_bad_input(rule: dict[str, Any], message: str) -> None:
    """`every` must be a period, and `last` a number of labels."""
    refuse(message, lambda: sf.folds(pd.DataFrame(ROWS), "day", **rule))


def test_the_cause_of_an_error_is_what_needs_an_order() -> None:
    """The error names the argument that needs an order, and that no row has a date."""
    df = pd.DataFrame({"day": ["b", "a", "c"]})
    assert "`last=1`" in str(refused(lambda: sf.folds(df, "day", train="a", last=1)))
    none = pl.LazyFrame({"day": [None, None]})
    assert "no row has" in str(refused(lambda: sf.folds(none, "day", every="1mo", nulls="drop")))


NO_DATES = {
    "dates": (DAYS, "6h", ""),
    "texts": (["2024-01-03"] * 18, "1mo", r"\.to_datetime\("),
    "numbers": (np.arange(18), "1mo", ""),
}


@pytest.mark.parametrize("case", NO_DATES)
def test_a_column_without_dates(frame: Make, case: str) -> None:
    """Periods need dates or times; the call that makes times of text is in the error."""
    days, every, hint = NO_DATES[case]
    needs = "`every='6h'` needs times" if every == "6h" else "`every` needs dates or times"
    df = frame({**ROWS, "day": days})
    for read in (sf.folds, sf.cv):
        error = str(refused(lambda read=read: read(df, "day", every=every)))
        assert error.startswith(f"{needs}, but column 'day' is ")
        assert bool(hint) == ("Hint" in error)
        assert re.search(hint, error)


@pytest.mark.parametrize("dtype", ["period[M]", "str", "category"])
def test_the_call_that_makes_times(dtype: str) -> None:
    """The hint for text and periods in pandas is a line that works."""
    df = pd.DataFrame({"day": ["2024-01", "2024-02"]}).astype({"day": dtype})
    error = refused(lambda: sf.folds(df, "day", every="1mo"))
    call = "dt.to_timestamp()" if dtype == "period[M]" else "pd.to_datetime(df['day'])"
    assert str(error).endswith(call)
    hints = {
        "df['day'] = df['day'].dt.to_timestamp()": lambda day: day.dt.to_timestamp(),
        "df['day'] = pd.to_datetime(df['day'])": pd.to_datetime,
    }
    convert = hints[str(error).partition("Hint: ")[2]]
    labels = [fold.fold for fold in sf.folds(df.assign(day=convert(df["day"])), "day", every="1mo")]
    assert labels == [datetime(2024, 1, 1), datetime(2024, 2, 1)]
