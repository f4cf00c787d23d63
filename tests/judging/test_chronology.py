"""`check(time=...)`: whether parts and folds are apart in time, and in their order."""

import re
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import KINDS, TWO_KINDS, Make, make, refused, values
from tests.judging.conftest import lines_of

DAYS = [date(2024, 1, 1) + timedelta(days=row) for row in range(10)]
LATE = ["train"] * 7 + ["test"] * 3
USERS = {"user": [*"aabbccdd", None, "e"], "day": [*[1, 2] * 4, 5, None]}


def check_lines(frame: Any, time: Any, lines: list[str]) -> None:
    """Compare the lines below the answer, but for those on sizes."""
    found = sf.check(frame, time=time, duplicates=None)

    said = [line for line in lines_of(found)[1:] if " sizes: " not in line]
    assert said == lines
    assert found.ok is not any(line.startswith(("LEAK", "WARNING")) for line in lines)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        pytest.param(
            {"fold": LATE},
            ["ok time: 'train' ends 2024-01-07, 'test' starts 2024-01-08"],
            id="train_before_test",
        ),
        pytest.param(
            {"fold": ["train"] * 5 + ["valid"] * 3 + ["test"] * 2},
            ["ok time: each part ends before the next one starts"],
            id="three_parts_in_order",
        ),
        pytest.param(
            {"fold": LATE[::-1]},
            ["LEAK time: 'test' ends before 'train' starts"],
            id="test_before_train",
        ),
        pytest.param(
            {"fold": LATE, "day": [*DAYS[:7], DAYS[6], *DAYS[8:]]},
            ["LEAK 1 row of 'train' has the time at which 'test' starts"],
            id="train_ends_as_test_starts",
        ),
        pytest.param(
            {
                "fold": ["train"] * 6 + ["test"] * 4,
                "day": [*DAYS[:3], *[DAYS[5]] * 3, *DAYS[5:7], *DAYS[7:9]],
            },
            ["LEAK 1 row of 'test' has the time at which 'train' ends"],
            id="test_starts_as_train_ends",
        ),
        pytest.param(
            {"fold": [*LATE[:2], "test", "test", *["train"] * 5, "test"]},
            ["LEAK 2 of 3 rows of 'test' are not later than all rows of 'train'"],
            id="random_rows",
        ),
        pytest.param(
            {"fold": ["new"] * 5 + ["old"] * 3 + ["older"] * 2},
            ["ok time: each part ends before the next one starts"],
            id="parts_of_other_names",
        ),
        pytest.param(
            {"fold": ["test"] * 2 + ["unused"] * 3 + ["train"] * 5},
            ["LEAK time: 'test' ends before 'train' starts"],
            id="parts_with_a_pause",
        ),
        pytest.param(
            {"fold": ["holdout A"] * 3 + ["fitRows"] * 7},
            ["LEAK time: 'holdout A' ends before 'fitRows' starts"],
            id="parts_whose_first_word_names_a_use",
        ),
        pytest.param(
            {"fold": [0, 1] * 5},
            ["LEAK 4 of 5 rows of fold 0 are not earlier than all rows of fold 1"],
            id="random_folds",
        ),
        pytest.param(
            {"fold": [0] * 5 + [1] * 5},
            ["ok time: fold 0 ends 2024-01-05, fold 1 starts 2024-01-06"],
            id="folds_in_order",
        ),
        pytest.param(
            {"fold": [1] * 5 + [0] * 5},
            ["note time: fold 1 ends before fold 0 starts"],
            id="folds_back_in_time",
        ),
        pytest.param(
            {"fold": [date(2024, 2, 1)] * 5 + [date(2024, 1, 1)] * 5},
            ["note time: fold 2024-02-01 ends before fold 2024-01-01 starts"],
            id="months_back_in_time",
        ),
        pytest.param(
            {"fold": LATE, "day": [*range(7), None, None, None]},
            ["WARNING time: all rows of 'test' lack 'day'"],
            id="part_without_times",
        ),
        pytest.param(
            {"fold": ["train"] * 10},
            ["WARNING there is only one part", "note time: there are no two parts to compare"],
            id="one_part",
        ),
        pytest.param(
            {"fold": [None, None], "day": [1, 2]},
            ["WARNING no row has a fold"],
            id="no_row_has_a_fold",
        ),
        pytest.param({"fold": [], "day": []}, ["WARNING there are no rows"], id="no_rows"),
    ],
)
def test_lines_on_time(frame: Make, data: dict[str, Any], lines: list[str]) -> None:
    """A line says which parts and folds are apart in time, and in their order."""
    check_lines(frame({"day": DAYS, **data}), "day", lines)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        pytest.param(
            {"fold": ["train", "test"] * 5, **USERS},
            [
                "note time: 2 rows without 'user' or 'day' are left out",
                "ok time: 'train' ends before 'test' starts in each of 4 users",
            ],
            id="each_user_in_order",
        ),
        pytest.param(
            {"fold": ["train", "test"] * 2 + ["test", "train"] * 3, **USERS},
            [
                "LEAK time: 'test' ends before 'train' starts in 2 of 4 users",
                "note time: 2 rows without 'user' or 'day' are left out",
            ],
            id="some_users_back_in_time",
        ),
        pytest.param(
            {"fold": [*LATE[6:8], *LATE[5:8]], "user": list("aabbb"), "day": [1, 2, 3, 4, 4]},
            ["LEAK 1 row of 'train' has the time at which 'test' starts in 1 of 2 users"],
            id="users_that_touch",
        ),
        pytest.param(
            {
                "fold": ["train", "test", "valid", "test", "valid", "test"],
                "user": list("aabbcc"),
                "day": [1, 2] * 3,
            },
            ["ok time: each part ends before the next one starts in each of 3 users"],
            id="users_of_other_parts",
        ),
        pytest.param(
            {"fold": LATE, "user": ["a"] * 10},
            ["ok time: 'train' ends before 'test' starts in 1 group"],
            id="one_user_in_order",
        ),
        pytest.param(
            {"fold": LATE[::-1], "user": ["a"] * 10},
            ["LEAK time: 'test' ends before 'train' starts in the only group"],
            id="one_user_back_in_time",
        ),
        pytest.param(
            {"fold": ["train"] * 6 + ["test"] * 4, **USERS},
            [
                "note time: there are no two parts to compare in any of the users",
                "note time: 2 rows without 'user' or 'day' are left out",
            ],
            id="users_in_one_part_each",
        ),
        pytest.param(
            {"fold": [1, 0] * 5, **USERS},
            [
                "note time: fold 1 ends before fold 0 starts in 4 of 4 users",
                "note time: 2 rows without 'user' or 'day' are left out",
            ],
            id="users_of_folds_back_in_time",
        ),
    ],
)
def test_lines_on_the_times_of_users(frame: Make, data: dict[str, Any], lines: list[str]) -> None:
    """If users have times of their own, parts are compared in each user."""
    check_lines(frame({"day": DAYS, **data}), ["user", "day"], lines)


TIE = r"(\d+) rows? of (\S+|fold .) (?:has|have) the time at which (\S+|fold .) (starts|ends)$"
SIDE = r"(\d+) of (\d+) rows? of (\S+|fold .) (?:is|are) not (\w+) than all .*? of "
RANKS = {"train": 0, "valid": 1, "test": 2, 0: 0, 1: 1, 2: 2}


def judge(rows: list[Any]) -> str:
    """Judge rows of (stratum, time, label) by all pairs of rows."""
    found = set()
    pairs = {(a[0], a[2], b[2]) for a, b in product(rows, rows) if a[0] == b[0] and a[2] != b[2]}
    for stratum, one, other in pairs:
        days = [[day for each, day, x in rows if (each, x) == (stratum, y)] for y in (one, other)]
        is_before = all(a < b for a, b in product(*days))
        is_after = all(a > b for a, b in product(*days))
        ranks = RANKS.get(one), RANKS.get(other)
        is_back = is_after and None not in ranks and ranks[0] < ranks[1]
        is_leak = not (is_before or is_after) or (is_back and isinstance(one, str))
        found.add("leak" if is_leak else "note" if is_back else "ok")
    return next((each for each in ("leak", "note", "ok") if each in found), "note")


ROW = st.tuples(st.sampled_from([None, *"uvw"]), st.none() | st.integers(0, 9), st.integers(0, 3))
ROWS = st.lists(ROW, min_size=1, max_size=14)
LABELS = [[0, 1, 2, None], ["train", "valid", "test", None], ["test", "old", "train", None]]


@pytest.mark.parametrize("kind", KINDS)
@given(ROWS, st.sampled_from(LABELS), st.booleans(), st.booleans())
def test_the_rule_is_that_of_a_loop(kind, rows, labels, by_user, in_order):
    """Severities and numbers of rows are those that a loop over the rows finds."""
    if in_order:  # else labels are seldom apart
        codes = sorted(code for *_, code in rows)
        rows = sorted(rows, key=lambda row: (row[1] is None, row[1]))
        rows = [(*row[:2], code) for row, code in zip(rows, codes, strict=True)]
    rows = [(user, day if day is None else DAYS[day], labels[code]) for user, day, code in rows]
    data = dict(zip(["user", "day", "fold"], map(list, zip(*rows, strict=True)), strict=True))
    time = ["user", "day"] if by_user else "day"
    found = sf.check(make(kind, data), time=time, duplicates=None).findings
    named = zip(*(values(found, x) for x in ("check", "severity", "n", "detail")), strict=True)
    said = {detail: (severity, n) for check, severity, n, detail in named if check == "time"}
    dealt = [row for row in rows if row[2] is not None]
    timed = [(user if by_user else "", *others) for user, *others in dealt]
    timed = [row for row in timed if None not in row]
    left_out = [n for detail, (_, n) in said.items() if detail.endswith("left out")]
    said = {detail: each for detail, each in said.items() if not detail.endswith("left out")}
    if {label for *_, label in timed} != {label for *_, label in dealt} or not dealt:
        expected = ["warning"] if dealt else []
        assert [severity for severity, _ in said.values()] == expected
        return
    assert sum(left_out) == len(dealt) - len(timed)
    ((detail, (severity, n)),) = said.items()
    assert severity == judge(timed)
    if tie := re.match(TIE, detail):
        own, other = (each.strip("'").removeprefix("fold ") for each in tie.groups()[1:3])
        own_days = [day for _, day, label in timed if str(label) == own]
        other_days = [day for _, day, label in timed if str(label) == other]
        border = min(other_days) if tie[4] == "starts" else max(other_days)
        assert border == (max(own_days) if tie[4] == "starts" else min(own_days))
        assert n == int(tie[1]) == own_days.count(border)
    if side := re.match(SIDE, detail):
        own = side[3].strip("'").removeprefix("fold ")
        other = detail[side.end() :].split(" (")[0]
        other = other.strip("'").removeprefix("fold ")
        days = {str(label): [day for _, day, each in timed if each == label] for *_, label in timed}
        early = [day for day in days[own] if day >= min(days[other])]
        late = [day for day in days[own] if day <= max(days[other])]
        wrong = early if side[4] == "earlier" else late
        assert (n, int(side[1]), int(side[2])) == (len(wrong), len(wrong), len(days[own]))


SPLIT = ["train", "train", "test"]
TIMES: dict[str, list[Any]] = {
    "dates": DAYS[:3],
    "datetimes": [datetime(2024, 3, 1, hour) for hour in (0, 7, 23)],
    "zones": [datetime(2024, 3, 1, hour, tzinfo=UTC) for hour in (0, 7, 23)],
    "durations": [timedelta(hours=hour) for hour in (0, 7, 23)],
    "clocks": [clock(hour) for hour in (0, 7, 23)],
    "whole numbers": [-(2**62), 2**53, 2**53 + 1],
    "fractions": [0.25, 0.5, float("inf")],
    "integers beyond 64 bits": [2**64, 2**64 + 1, 2**64 + 2],
    "decimals": [Decimal(1), Decimal("9007199254740992.1"), Decimal("9007199254740992.2")],
}


@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.parametrize("case", TIMES)
def test_types_of_time(frame: Make, case: str) -> None:
    """Whatever has an order in time is compared exactly: earlier or equal is a leak."""
    early, border, late = TIMES[case]
    for times in ([early, border, late], [early, late, border], [early, border, border]):
        found = sf.check(frame({"t": times, "fold": SPLIT}), time="t", duplicates=None)
        assert found.ok is (times == [early, border, late])


QUARTERS = ["2023Q4", "2024Q1", "2024Q2"]
ORDERED = {
    "ordered": pd.DataFrame({"t": pd.Categorical(QUARTERS, QUARTERS, ordered=True), "fold": SPLIT}),
    "Enum": pl.DataFrame({"t": pl.Series(QUARTERS, dtype=pl.Enum(QUARTERS)), "fold": SPLIT}),
    "periods": pd.DataFrame({"t": pd.PeriodIndex(QUARTERS, freq="Q"), "fold": SPLIT}),
    "seconds of pandas": pd.DataFrame({"t": np.array(DAYS[:3], "M8[s]"), "fold": SPLIT}),
    "nanoseconds": pl.DataFrame({"t": DAYS[:3], "fold": SPLIT}).cast({"t": pl.Datetime("ns")}),
    "a frame with an odd index": pd.DataFrame({"t": [1, 2, 3], "fold": SPLIT}, index=[7, 7, 0]),
    "column levels": pd.DataFrame({("t", ""): [1, 2, 3], ("fold", ""): SPLIT}),
}


@pytest.mark.parametrize("case", ORDERED)
def test_columns_of_one_library(case: str) -> None:
    """Ordered categories, periods, other units and odd frames are compared by time."""
    right = ORDERED[case]
    assert sf.check(right, time="t", duplicates=None).ok
    wrong = right[::-1].assign(fold=SPLIT) if isinstance(right, pd.DataFrame) else right.reverse()
    if isinstance(wrong, pl.DataFrame):
        wrong = wrong.with_columns(fold=pl.Series(SPLIT))
    assert "LEAK" in str(sf.check(wrong, time="t", duplicates=None))


@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        pytest.param("is_test", False, True, id="test_after_the_others"),
        pytest.param("isTrain", 1, 0, id="train_before_the_others"),
        pytest.param("Holdout", "False", "True", id="text"),
    ],
)
def test_flags_that_name_a_part(frame: Make, name: str, first: Any, second: Any) -> None:
    """The name of a column of flags says whether true comes first in time."""
    right = frame({"day": DAYS, name: [first] * 7 + [second] * 3})
    wrong = frame({"day": DAYS, name: [second] * 7 + [first] * 3})

    found = str(sf.check(right, name=name, time="day", duplicates=None))
    assert "ok       time:" in found
    assert "note     time:" not in found
    found = str(sf.check(wrong, name=name, time="day", duplicates=None))
    assert re.search(rf"LEAK     time: .*{second}'? ends before .*{first}'? starts", found)


def test_other_flags_have_no_order_to_keep(frame: Make) -> None:
    """A boolean column whose name describes no use is dealt like folds."""
    data = frame({"day": DAYS, "is_new": [True] * 7 + [False] * 3})
    found = sf.check(data, name="is_new", time="day", duplicates=None)
    assert "note     time: fold True ends before fold False starts" in str(found)


DECLARED = {
    "Enum": (pl.Enum(["new", "old"]), False),
    "text": (pl.String, True),
    "purposes before what is declared": (pl.Enum(["test", "train"]), True),
}


@pytest.mark.parametrize("case", DECLARED)
def test_parts_come_as_declared(case: str) -> None:
    """Parts come in the order of an Enum, but train always before test."""
    dtype, is_right = DECLARED[case]
    names = ["old", "new"] if "purposes" not in case else ["train", "test"]
    rows = pl.DataFrame({"t": [1, 2], "fold": pl.Series(names, dtype=dtype)})
    frames: list[Any] = [rows]
    if isinstance(dtype, pl.Enum):  # which pandas has as categories, in an order that is not sorted
        fold = pd.Categorical(names, categories=dtype.categories.to_list(), ordered=True)
        frames.append(rows.to_pandas().assign(fold=fold))
    for each in frames:
        assert sf.check(each, time="t", duplicates=None).ok is is_right


def test_what_may_change_with_time_is_a_note() -> None:
    """Where a time is given, sizes, classes and features that differ are no fault."""
    data = {"day": range(400), "label": [day // 300 for day in range(400)]}
    frame = pd.DataFrame({**data, "fold": [(day > 299) + (day > 389) for day in range(400)]})
    options: dict[str, Any] = {"by": "label", "features": "day", "duplicates": None}
    for time, severity in ((None, "warning"), ("day", "note")):
        found = sf.check(frame, **options, time=time).findings
        expected = dict.fromkeys(("strata", "sizes", "drift"), severity)
        expected |= {"time": "ok"} if time else {}
        assert dict(zip(found["check"], found["severity"], strict=True)) == expected


def test_computed_times() -> None:
    """Expressions and callables are times, too."""
    rows = {"year": [2020, 2021] * 5, "month": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]}
    frame = pl.DataFrame({**rows, "fold": [0, 1] * 5})
    when = pl.col("year") * 12 + pl.col("month")
    assert sf.check(frame.lazy(), time=when).ok
    assert sf.check(frame.to_pandas(), time=lambda df: df["year"] * 12 + df["month"]).ok
    assert not sf.check(frame, time="month").ok


@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.parametrize(
    ("time", "words"),
    [
        pytest.param("text", "needs dates, times or numbers, but column 'text' is text", id="text"),
        pytest.param(
            "flag", "needs dates, times or numbers, but column 'flag' is bool", id="flags"
        ),
        pytest.param(
            "kind", "needs dates, times or numbers, but column 'kind' is ", id="categories"
        ),
        pytest.param(["day", "day"], "must hold each column once, got 'day' twice.", id="twice"),
    ],
)
def test_errors(kind: str, time: Any, words: str) -> None:
    """A column that is no time is refused."""
    rows = pl.DataFrame({"day": DAYS[:2], "text": ["2024-01-01", "soon"], "fold": [0, 1]})
    rows = rows.with_columns(flag=pl.col("fold") > 0, kind=pl.col("text").cast(pl.Categorical))
    frame: Any = rows.lazy() if "polars" in kind else rows.to_pandas()

    error = refused(lambda: sf.check(frame, time=time))

    assert str(error).lower().startswith(f"`time` {words}".lower())


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_the_hint_for_text(frame: Make, kind: str) -> None:
    """The error on text names the function that makes times of it."""
    df = frame({"text": ["2024-01-01", "soon"], "fold": [0, 1]})

    error = refused(lambda: sf.check(df, time="text"))

    convert = "str.to_date" if "polars" in kind else "pd.to_datetime"
    assert str(error).endswith(f"\nHint: convert it, for example with `{convert}`.")


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_text_in_iso_format_is_read_as_times(frame: Make) -> None:
    """Text such as that of CSV files is compared by time if all of it is in ISO format."""
    df = frame({"day": ["2024-01-31", "2024-02-01", None], "split": ["train", "test", "test"]})

    text = str(sf.check(df, name="split", time="day", duplicates=None))

    assert "time: 'train' ends 2024-01-31, 'test' starts 2024-02-01\n" in text


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_integers_with_gaps_are_written_as_integers(frame: Make) -> None:
    """Where pandas makes floats of integers because some are missing, no fraction is shown."""
    df = frame({"day": [1, 13, None, 14, 20], "split": ["train"] * 3 + ["test"] * 2})
    text = str(sf.check(df, name="split", time="day", duplicates=None))
    assert "time: 'train' ends 13, 'test' starts 14\n" in text
