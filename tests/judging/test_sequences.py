"""Parts that follow each other in time are found, and dates that are mixed over parts."""

from collections.abc import Iterator
from itertools import combinations
from math import comb, exp, factorial, log
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

import stratframe as sf
from stratframe.judging.sequences import (
    are_mixed,
    block_of_rank,
    bound_chance,
    change_with_time,
    chi_squared,
    find_last,
    find_succession,
    is_turned,
    judge_border,
    log_chance_apart,
    names_time,
)
from tests.helpers import TWO_KINDS, Make
from tests.judging.conftest import lines_of

UNKNOWN = 15
"""The rank of a part whose name describes no use."""


def sides(n_own: int, n_other: int) -> Iterator[tuple[int, ...]]:
    """List all places of the rows of a part among its own and another part's."""
    yield from combinations(range(n_own + n_other), n_own)


def count_beyond(own: tuple[int, ...], n: int) -> int:
    """Count the rows of a part that follow the first row of the other part."""
    first = min({*range(n)} - {*own})
    return sum(place > first for place in own)


@pytest.mark.parametrize(("n_own", "n_other"), [(1, 1), (2, 5), (5, 2), (4, 4)])
def test_the_chance_of_two_parts_apart(n_own: int, n_other: int) -> None:
    """The chance is the share of all orders with at most so many rows beyond the border."""
    beyond = [count_beyond(own, n_own + n_other) for own in sides(n_own, n_other)]
    for most in range(n_own + 1):
        share = np.mean(np.array(beyond) <= most)
        assert exp(log_chance_apart(n_own, n_other, most)) == pytest.approx(share)


def test_the_chance_of_ties_is_bounded() -> None:
    """Where rows have equal times, a shuffle separates parts at most as often as the bound says."""
    times = np.array([0, 0, 1, 1, 1, 2, 2])
    for n_own in range(1, 7):
        beyond = []
        for own in sides(n_own, 7 - n_own):
            is_own = np.isin(np.arange(7), own)
            beyond.append(int((times[is_own] >= times[~is_own].min()).sum()))
        for most in range(n_own + 1):
            share = np.mean(np.array(beyond) <= most)
            assert share <= exp(log_chance_apart(n_own, 7 - n_own, most)) * (1 + 1e-9)


def test_the_chance_of_three_parts_is_bounded() -> None:
    """The bound is at least the share of orders in which three parts are apart, in any order."""
    apart = log_chance_apart(2, 2, 0)
    share = factorial(3) * factorial(2) ** 3 / factorial(6)
    assert share <= exp(bound_chance([apart, apart]))
    assert bound_chance([apart, apart]) == pytest.approx(log(factorial(3) / comb(4, 2)))


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=30),
    st.lists(st.integers(0, 9), min_size=1, max_size=30),
)
def test_borders_count_rows_on_the_wrong_side(earlier: list[int], later: list[int]) -> None:
    """Rows on the wrong side of a border are counted in the part that has fewer of them."""
    n_wrong = min(
        sum(time > min(later) for time in earlier), sum(time < max(earlier) for time in later)
    )
    n_overlapping = min(
        sum(time >= min(later) for time in earlier), sum(time <= max(earlier) for time in later)
    )
    n_smaller = min(len(earlier), len(later))

    border = judge_border(np.array(earlier), np.array(later))

    is_apart = n_wrong <= 0.05 * n_smaller and n_overlapping <= 0.5 * n_smaller
    assert (border is not None) is is_apart
    if border is not None:
        assert border[:2] == (n_wrong, n_overlapping)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_parts_are_ordered_by_time(order: tuple[int, ...]) -> None:
    """Parts in stretches of time follow each other, whatever the order of rows and of parts."""
    parts = np.repeat(order, 20)
    shuffled = np.random.default_rng(0).permutation(60)

    followed = find_succession(np.arange(60)[shuffled], parts[shuffled])

    assert followed is not None
    assert (followed.parts.tolist(), followed.n_overlapping) == ([*order], 0)


def test_some_rows_may_overlap() -> None:
    """Up to 5 % of the smaller part may be on the wrong side, and up to half of it tied."""
    times = np.arange(200)
    parts = np.repeat([0, 1], 100)
    for n_wrong, is_told in ((5, True), (6, False)):
        swapped = parts.copy()
        swapped[:n_wrong] = 1
        swapped[100 : 100 + n_wrong] = 0
        assert (find_succession(times, swapped) is not None) is is_told
    for n_tied, is_told in ((50, True), (51, False)):
        tied = np.repeat([0, 1, 2], [100 - n_tied, 2 * n_tied, 100 - n_tied])
        assert (find_succession(tied, parts) is not None) is is_told


def test_few_rows_can_be_apart_by_chance() -> None:
    """Of a million shuffles, more than one separates 11 rows from 11 others, but not 12 from 12."""
    assert 2 / comb(22, 11) > 1e-6 > 2 / comb(24, 12)
    assert find_succession(np.arange(22), np.repeat([0, 1], 11)) is None
    assert find_succession(np.arange(24), np.repeat([0, 1], 12)) is not None


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 8), st.integers(0, 10**6))
def test_shuffles_do_not_follow_each_other(k: int, seed: int) -> None:
    """Random parts follow each other by no time, not even by a month of ten rows each."""
    rng = np.random.default_rng(seed)
    parts = rng.permutation(200) * k // 200
    assert find_succession(np.arange(200) // 10, parts) is None


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 8), st.integers(0, 10**6))
def test_a_sample_shows_that_parts_are_mixed(k: int, seed: int) -> None:
    """A sample shows that random parts are mixed, but not that parts overlap a little."""
    rng = np.random.default_rng(seed)
    parts = np.arange(k * 2000) // 2000
    overlapping = parts.copy()
    for part in range(k - 1):  # 5 % of the rows, from anywhere in a part, go to the next part
        overlapping[rng.choice(np.flatnonzero(parts == part), 95, replace=False)] = part + 1
    times = np.arange(len(parts))
    sample = rng.choice(len(parts), 1000, replace=False)

    assert are_mixed(times[sample], rng.permutation(parts)[sample])
    assert not are_mixed(times[sample], overlapping[sample])


@pytest.mark.parametrize("n_late", [0, 300])
def test_many_rows_are_sampled_only_to_exclude_columns(n_late: int) -> None:
    """Where a sample does not show that parts are mixed, all rows are counted."""
    n = 100_000
    is_test = np.arange(n) >= 0.8 * n
    is_test[:n_late] = True
    data = {
        "second": np.arange(n),
        "time": np.arange(n),
        "split": np.where(is_test, "test", "train"),
    }
    found = sf.check(pd.DataFrame(data), name="split", duplicates=None)
    expected = "ok time: parts follow each other by 'time'"
    if n_late:
        expected = "note time: parts follow by 'time' but for 300 rows; time='time'?"
    assert line_on_time(found) == expected


def test_a_test_set_can_follow_mixed_parts() -> None:
    """A test set later than training and validation rows is found where these are mixed."""
    parts = np.append(np.arange(80) % 2, np.full(20, 2))
    is_last = np.array([False, False, True])
    assert find_succession(np.arange(100), parts) is None

    followed = find_last(np.arange(100), parts, is_last)
    turned = find_last(-np.arange(100), parts, is_last)

    assert followed is not None
    assert turned is not None
    assert (followed.parts.tolist(), followed.is_last_only) == ([0, 1, 2], True)
    assert turned.parts.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("parts", "ranks", "turned"),
    [
        pytest.param([0, 1], [0, 2], False, id="train_then_test"),
        pytest.param([1, 0], [0, 2], True, id="test_then_train"),
        pytest.param([0, 2, 1], [0, 1, 2], True, id="test_before_valid"),
        pytest.param([1, 0], [UNKNOWN, UNKNOWN], False, id="folds"),
        pytest.param([1, 0], [0, UNKNOWN], False, id="one_use_is_unknown"),
    ],
)
def test_parts_in_the_wrong_order(parts: list[int], ranks: list[int], turned: bool) -> None:
    """A part must not lie before one of an earlier use; parts of unknown use have no order."""
    assert is_turned(np.array(parts), np.array(ranks)) is turned


TABLES = st.lists(st.lists(st.integers(1, 40), min_size=3, max_size=3), min_size=2, max_size=5).map(
    np.array
)


@given(TABLES)
def test_shares_are_compared_as_in_scipy(table: Any) -> None:
    """Pearson's statistic and its degrees of freedom are those of a peer."""
    peer = chi2_contingency(table, correction=False)
    statistic, freedom = chi_squared(table)
    assert statistic == pytest.approx(peer.statistic, abs=1e-9)
    assert freedom == peer.dof


@pytest.mark.parametrize(("change", "is_told"), [(0.05, False), (0.2, True)])
def test_shares_that_change_with_time(change: float, is_told: bool) -> None:
    """Shares change if a peer's test of five stretches of time is below one in a thousand."""
    rng = np.random.default_rng(7)
    classes = (rng.random(1000) < np.linspace(0.5 - change, 0.5 + change, 1000)).astype(np.int64)
    blocks = np.arange(1000) // 200
    table = np.array(
        [[(classes[blocks == block] == c).sum() for c in (0, 1)] for block in range(5)]
    )

    assert change_with_time(np.arange(1000), classes) is is_told
    assert is_told is bool(chi2_contingency(table, correction=False).pvalue < 1e-3)


def test_rare_classes_and_single_times_do_not_change() -> None:
    """Classes of fewer than ten rows are left out, and so is a time that never changes."""
    assert not change_with_time(np.arange(90), np.arange(90) // 9)
    assert change_with_time(np.arange(100), np.arange(100) // 10)
    assert not change_with_time(np.zeros(100, dtype=np.int64), np.arange(100) // 50)
    assert not change_with_time(np.zeros(0), np.zeros(0, dtype=np.int64))


@given(st.lists(st.integers(0, 50), min_size=1), st.integers(1, 7))
def test_blocks_keep_equal_values_together(numbers: list[int], n_blocks: int) -> None:
    """A block starts no later than the first row of a value would be dealt."""
    blocks = block_of_rank(np.array(numbers), n_blocks)
    for number, block in zip(numbers, blocks, strict=True):
        assert block == sum(each < number for each in numbers) * n_blocks // len(numbers)


# What `check` says -------------------------------------------------------------------------

DAYS = pd.date_range("2024-01-30", periods=100).astype(str).tolist()
NEWEST = ["train"] * 80 + ["test"] * 20
LATER = [0] * 60 + [1] * 40
"""A class that is more frequent later."""


def line_on_time(found: sf.Check) -> str | None:
    """Find the line on time, without blanks that fill columns."""
    lines = [line for line in lines_of(found) if " time: " in line]
    assert len(lines) <= 1
    return lines[0] if lines else None


@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.parametrize(
    ("day", "dtype"),
    [
        pytest.param("day", pl.Date, id="dates"),
        pytest.param("day", pl.Datetime("ns"), id="times"),
        pytest.param("sold", pl.Date, id="dates_of_any_name"),
        pytest.param("day", pl.String, id="text"),
    ],
)
def test_a_test_set_of_the_newest_rows(kind: str, day: str, dtype: Any) -> None:
    """If parts follow each other by a date, this is said, and what changes with time is a note."""
    rows = pl.DataFrame({day: DAYS, "label": LATER, "split": NEWEST})
    if dtype != pl.String:
        rows = rows.with_columns(pl.col(day).str.to_date().cast(dtype))
    frame: Any = rows.lazy() if "polars" in kind else rows.to_pandas()

    found = sf.check(frame, "label", "split")

    assert line_on_time(found) == f"ok time: parts follow each other by {day!r}"
    assert found.ok
    assert not sf.check(frame, "label", "split", time=False).ok


@pytest.mark.parametrize("name", ["year", "saleDate", "week2", "TIME", "time_stamp", ("day", "")])
def test_names_of_times(name: Any) -> None:
    """Names of times are known in several spellings."""
    assert names_time(name)


@pytest.mark.parametrize("name", ["daytona", "lifetime", 1])
def test_names_of_other_columns(name: Any) -> None:
    """A word that only contains a word for times names no times."""
    assert not names_time(name)


def test_numbers_are_times_if_their_name_says_so(frame: Make) -> None:
    """Numbers of weeks can order parts."""
    df = frame({"week_1": range(100), "label": LATER, "split": NEWEST})

    found = sf.check(df, "label", "split")

    assert line_on_time(found) == "ok time: parts follow each other by 'week_1'"


def test_numbers_of_other_names_are_no_times(frame: Make) -> None:
    """Numbers such as an index do not order parts."""
    df = frame({"index": range(100), "label": LATER, "split": NEWEST})

    found = sf.check(df, "label", "split")

    assert line_on_time(found) is None
    assert not found.ok


@pytest.mark.parametrize(
    ("column", "line"),
    [
        pytest.param(
            {"fold": [row // 20 for row in range(100)]},
            "ok time: folds follow each other by 'day'",
            id="blocks",
        ),
        pytest.param(
            {"fold": [1] * 2 + [0] * 48 + [1] * 50},
            "note time: folds follow by 'day' but for 2 rows; time='day'?",
            id="overlap",
        ),
        pytest.param(
            {"split": [*["train", "valid"] * 40, *["test"] * 20]},
            "ok time: 'test' follows the rest by 'day'",
            id="mixed_valid",
        ),
        pytest.param(
            {"split": ["test"] * 20 + ["train"] * 80},
            "WARNING time: 'test' lies before 'train' by 'day'; time=False if meant",
            id="oldest_as_test",
        ),
        pytest.param(
            {"split": [*["train"] * 4, "test"] * 20},
            "note time: 'day' is mixed over parts; time='day'?",
            id="mixed",
        ),
        pytest.param({"fold": [0, 1, 2, 3, 4] * 20}, None, id="folds_may_be_mixed"),
        pytest.param(
            {"is_test": [day >= 80 for day in range(100)]},
            "ok time: folds follow each other by 'day'",
            id="flags",
        ),
        pytest.param(
            {"is_test": [day < 20 for day in range(100)]},
            "WARNING time: fold True lies before fold False by 'day'; time=False if meant",
            id="oldest_flagged",
        ),
    ],
)
def test_lines_on_time(frame: Make, column: dict[str, Any], line: str | None) -> None:
    """A line says what a column of times, which the call does not name, does to the parts."""
    (name,) = column
    found = sf.check(frame({"day": DAYS, "label": LATER, **column}), "label", name)
    assert line_on_time(found) == line


def test_mixed_dates_matter_only_if_the_label_changes(frame: Make) -> None:
    """Where what is predicted does not change with time, random parts are as good."""
    column = {"day": DAYS, "split": ["train", "train", "train", "train", "test"] * 20}
    constant = sf.check(frame({**column, "label": [0, 1] * 50}), "label", "split")
    unknown = sf.check(frame({**column, "label": LATER}), None, "split")
    numbers = sf.check(frame({**column, "label": range(100)}), "label", "split")
    lists = frame({**column, "tags": [["a"]] * 100})
    assert line_on_time(constant) is None
    assert line_on_time(unknown) is None
    assert line_on_time(numbers) == "note time: 'day' is mixed over parts; time='day'?"
    assert line_on_time(sf.check(lists, sf.margins("tags"), "split")) is None


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_columns_that_are_named_are_not_looked_at(frame: Make) -> None:
    """A column of `by` or `features` should be even in all parts, so that it cannot order them."""
    df = frame({"day": DAYS, "year": range(100), "label": LATER, "split": NEWEST})
    assert line_on_time(sf.check(df, "year", "split", features="day")) is None
    assert line_on_time(sf.check(df, "label", "split", time=False)) is None
    asked = "ok time: 'train' ends 79, 'test' starts 80"
    assert line_on_time(sf.check(df, "label", "split", time="year")) == asked


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_rows_without_a_time(frame: Make) -> None:
    """A column orders parts only if at least nine in ten rows have a time."""
    for n_missing, is_told in ((10, True), (11, False)):
        days = [None] * n_missing + DAYS[n_missing:]
        found = sf.check(frame({"day": days, "label": LATER, "split": NEWEST}), "label", "split")
        assert (line_on_time(found) is not None) is is_told


def test_the_column_that_orders_best_is_named(frame: Make) -> None:
    """Of several columns of times, one without overlap is named, dates before numbers."""
    data = {"year": [row // 30 for row in range(100)], "hour of day": range(100), "when": DAYS}
    found = sf.check(frame({**data, "split": NEWEST}), name="split")
    assert line_on_time(found) == "ok time: parts follow each other by 'when'"


def test_frames_of_a_mapping_can_follow_each_other(frame: Make) -> None:
    """Frames of the years before and after are parts that follow each other."""
    train = frame({"day": DAYS[:80], "label": LATER[:80]})
    test = frame({"day": DAYS[80:], "label": LATER[80:]})
    found = sf.check({"train": train, "test": test}, "label")
    assert line_on_time(found) == "ok time: parts follow each other by 'day'"


def test_each_fold_column_is_looked_at(frame: Make) -> None:
    """Each of several fold columns is judged by its own order in time."""
    folds = {"fold": [row // 20 for row in range(100)], "other_fold": [0, 1] * 50}
    df = frame({"day": DAYS, "label": LATER, **folds})
    text = sf.check(df, "label", ["fold", "other_fold"]).text
    assert text.count("time: ") == 1


def test_years_of_turned_parts_are_no_groups() -> None:
    """A test set of the oldest years is no set of whole groups of years, too."""
    years = [1990 + row // 40 for row in range(400)]
    data = pd.DataFrame({"year": years, "label": ["a", "b", "b", "a"] * 100})
    data["split"] = np.where(data["year"] < 1992, "test", "train")

    found = sf.check(data, "label", "split")

    assert lines_of(found)[1] == (
        "WARNING time: 'test' lies before 'train' by 'year'; time=False if meant"
    )
    assert "groups" not in found.findings["check"].tolist()
