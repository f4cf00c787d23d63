"""Look, without being asked, for a time by which parts follow each other, or should do so.

Rows are given by the number of their part and by their time as a number. Rows without one of the
two are left out before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from math import lgamma, log
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.chance import chi_squared_tail, log_factorial
from ..core.types import Flags, Ints, Values
from ..errors import StratError, describe, plural
from ..frames import FoldValues
from .asked import Asked
from .candidates import MOSTLY_KNOWN, Candidate, candidate_labels, words_of
from .labels import name_label, noun_of
from .leaks import name_of
from .lines import Finding, write_finding

TIME_NAME = re.compile(
    r"(?<![a-z])(years?|yr|jahr|date|datum|time|timestamp|epoch|days?|weeks?|months?|quarter"
    r"|wave|period|season|round)(?![a-z])",
    re.IGNORECASE,
)
"""A pattern for the names of numbers that are times, written as words."""

MOST_OVERLAP = 0.05
"""The maximum share of the smaller of two parts whose rows are on the wrong side of the other."""

MOST_TIED = 0.5
"""The same if rows with the time of the border count as well, of which a year can have many."""

SHUFFLED = log(1e-6)
"""Parts follow each other only if the logarithm of the chance of this in a shuffle is below."""

BLOCKS = 5
"""The number of stretches of time in which the shares of classes are compared."""

LEAST_ROWS = 10
"""The minimum number of rows of a class that is compared; fewer do not fit the distribution."""

CHANGED = 1e-3
"""The shares of classes change over time if the probability of such a table is below this."""

MOST_CLASSES = 10
"""Numbers of more values than this are compared in as many classes as there are stretches."""


class Succession(NamedTuple):
    """Parts that follow each other in time, up to a few rows."""

    parts: Ints
    """The parts that have rows, the earliest first."""
    n_overlapping: int
    """The number of rows that are not on their side of the next or the previous part."""
    is_last_only: bool = False
    """Whether only the last part follows, and the other parts are mixed with each other."""


class Border(NamedTuple):
    """How far two parts overlap in time."""

    n_wrong: int
    """The number of rows of one part that are strictly on the wrong side of the other part."""
    n_overlapping: int
    """The same with the rows that have the time of the border."""
    log_chance: float
    """A bound of the chance that a shuffle separates the two parts as well as this."""


# Parts that follow each other --------------------------------------------------------------


def find_succession(times: Values, parts: Ints) -> Succession | None:
    """Order the parts by time if they follow each other; `parts` holds the part of each row."""
    present, times_of_parts = split_by_part(times, parts)
    if len(present) < 2:
        return None
    middle = [np.partition(own, (len(own) - 1) // 2)[(len(own) - 1) // 2] for own in times_of_parts]
    order = np.argsort(np.array(middle), kind="stable")
    borders = []
    for earlier, later in pairwise(order):
        border = judge_border(times_of_parts[earlier], times_of_parts[later])
        if border is None:
            return None
        borders.append(border)
    if bound_chance([border.log_chance for border in borders]) >= SHUFFLED:
        return None
    return Succession(present[order], sum(border.n_overlapping for border in borders))


def find_last(times: Values, parts: Ints, is_last: Flags) -> Succession | None:
    """Compare the parts flagged by `is_last`, such as a test set, with all other rows together."""
    followed = find_succession(times, is_last[parts].astype(np.int64))
    if followed is None:
        return None
    present = np.flatnonzero(np.bincount(parts))
    is_late = is_last[present] == followed.parts[1]
    in_order = present[np.argsort(is_late, kind="stable")]
    return Succession(in_order, followed.n_overlapping, is_last_only=True)


def split_by_part(times: Values, parts: Ints) -> tuple[Ints, list[Values]]:
    """List the parts that have rows, and the times of the rows of each."""
    sizes = np.bincount(parts)
    narrow = parts.astype(np.min_scalar_type(len(sizes)))  # few bits are sorted much faster
    by_part = times[np.argsort(narrow, kind="stable")]
    present = np.flatnonzero(sizes)
    return present, np.split(by_part, np.cumsum(sizes[present])[:-1])


def judge_border(earlier: Values, later: Values) -> Border | None:
    """Count the rows of two parts that overlap, or return None if there are too many."""
    end, start = earlier.max(), later.min()
    n_smaller = min(len(earlier), len(later))
    n_wrong = min(int((earlier > start).sum()), int((later < end).sum()))
    if n_wrong > MOST_OVERLAP * n_smaller:
        return None
    n_late = int((earlier >= start).sum())
    n_early = int((later <= end).sum())
    n_overlapping = min(n_late, n_early)
    if n_overlapping > MOST_TIED * n_smaller:
        return None
    chances = [
        log_chance_apart(len(earlier), len(later), n_late),
        log_chance_apart(len(later), len(earlier), n_early),
    ]
    return Border(n_wrong, n_overlapping, min(chances))


def log_chance_apart(n_own: int, n_other: int, n_beyond: int) -> float:
    """Compute the log of the chance that at most so many rows of a part lie beyond the other's end.

    Of the orders of a rows and b other rows, in which at most c of the a rows follow the first of
    the b rows, there are C(b + c, c): the a - c first rows are fixed, and the rest is free. If
    several rows have the same time, the chance is smaller.
    """
    return log_choose(n_other + n_beyond, n_beyond) - log_choose(n_own + n_other, n_own)


def log_choose(n: int, m: int) -> float:
    log_n, log_m, log_rest = log_factorial(np.array([n, m, n - m]))
    return float(log_n - log_m - log_rest)


def bound_chance(log_chances: Sequence[float]) -> float:
    """Bound the log of the chance that all neighbours are apart, for any order of the parts.

    The first and second part, the third and fourth, and so on have no row in common, and neither do
    the second and third, the fourth and fifth, and so on; the chances in each series multiply.
    """
    n_orders = lgamma(len(log_chances) + 2)
    return min(sum(log_chances[::2]), sum(log_chances[1::2])) + n_orders


def is_turned(parts: Ints, ranks: Ints) -> bool:
    """Return whether a part, such as a test set, lies before one that should come first.

    `ranks` holds the rank of the use of each part, which is `len(PURPOSES)` if it is unknown.
    """
    in_order = ranks[parts]
    return bool((in_order < len(frames.PURPOSES)).all() and (np.diff(in_order) < 0).any())


# Shares that change with time --------------------------------------------------------------


def change_with_time(times: Values, classes: Ints) -> bool:
    """Return whether the shares of the classes differ between five stretches of time."""
    blocks = block_of_rank(times, BLOCKS)
    n_classes = int(classes.max(initial=-1)) + 1
    table = np.bincount(blocks * n_classes + classes, minlength=BLOCKS * n_classes)
    table = table.reshape(BLOCKS, n_classes)
    table = table[:, table.sum(axis=0) >= LEAST_ROWS]
    table = table[table.sum(axis=1) > 0]
    if min(table.shape) < 2:
        return False
    statistic, freedom = chi_squared(table)
    return chi_squared_tail(statistic, freedom) < CHANGED


def block_of_rank(values: Values, n_blocks: int) -> Ints:
    """Divide rows, sorted by value, into blocks of about the same size; equal values stay whole."""
    ranks = np.searchsorted(np.sort(values), values)
    return ranks * n_blocks // max(len(values), 1)


def chi_squared(table: Ints) -> tuple[float, int]:
    """Compute Pearson's statistic of a table without empty rows or columns, and its freedom."""
    n = table.sum()
    expected = table.sum(axis=1, keepdims=True) * (table.sum(axis=0) / n)
    statistic = float(((table - expected) ** 2 / expected).sum())
    return statistic, (table.shape[0] - 1) * (table.shape[1] - 1)


# Reading -----------------------------------------------------------------------------------


class TimeColumn(NamedTuple):
    """A column by whose times parts may follow each other."""

    name: str
    times: Values
    """The time of each row as a number, which is arbitrary if the time is missing."""
    is_known: Flags
    is_date: bool
    """Whether the column holds dates, rather than numbers whose name says that they are times."""


class FoundTime(NamedTuple):
    """What was found of times for which the call does not ask."""

    findings: list[Finding]
    follows: str | None = None
    """The name of the column by which the parts follow each other, or None."""


def list_time_labels(frame: Any, names: Sequence[Any], asked: Asked) -> list[Any]:
    """List the columns that can hold times, except folds, `by` and `features`.

    A feature should have the same distribution in all folds, so that it cannot order them.
    """
    if not asked.looks_for_time:
        return []
    skipped = [*asked.named["by"], *asked.named["features"]]
    return [
        label
        for label in candidate_labels(frame, names, skipped)
        if frames.may_hold_times(frame, label, is_named=names_time(label))
    ]


def names_time(label: Any) -> bool:
    """Return whether the name of a column says that its numbers are times."""
    return TIME_NAME.search(words_of(label)) is not None


def read_time_columns(candidates: Sequence[Candidate]) -> list[TimeColumn]:
    """Read the columns of dates, and those of numbers whose names say that they are times."""
    columns = []
    for candidate in candidates:
        read = frames.read_dates(candidate.series)
        is_date = read is not None
        if read is None and names_time(candidate.label):
            read = frames.read_numbered_times(candidate.series)
        if read is not None:
            times, is_missing = read
            name = describe(name_of(candidate.label))
            columns.append(TimeColumn(name, times, ~is_missing, is_date))
    return columns


def look_for_time(
    columns: Sequence[TimeColumn],
    series: Any,
    labels: FoldValues,
    folds: Ints,
    read_classes: Callable[[], Ints | None],
) -> FoundTime:
    """Look for a column by which the parts follow each other, or else for mixed dates.

    `read_classes` encodes what is predicted, with -1 for a missing value.
    """
    if len(labels.present) < 2:
        return FoundTime([])
    ranks = frames.purposes_of_column(series.name, labels.values)
    columns = [column for column in columns if is_mostly_known(column, folds)]
    found = [judge_column(column, folds, ranks) for column in columns]
    followed = [(column, own) for column, own in zip(columns, found, strict=True) if own]
    if not followed:
        is_named = bool((ranks < len(frames.PURPOSES)).any())
        dates = [column for column in columns if column.is_date and is_named]
        return FoundTime(find_mixed(dates, labels, folds, read_classes))
    column, best = min(
        followed,
        key=lambda each: (
            is_turned(each[1].parts, ranks),
            each[1].n_overlapping,
            not each[0].is_date,
        ),
    )
    if is_turned(best.parts, ranks):
        return FoundTime([describe_turned(best, labels, ranks, column.name)])
    return FoundTime([describe_succession(best, labels, column.name)], column.name)


def is_mostly_known(column: TimeColumn, folds: Ints) -> bool:
    """Return whether almost all rows with a fold have a time."""
    has_fold = folds >= 0
    n_known = np.count_nonzero(has_fold & column.is_known)
    return bool(n_known >= MOSTLY_KNOWN * np.count_nonzero(has_fold))


def judge_column(column: TimeColumn, folds: Ints, ranks: Ints) -> Succession | None:
    rows = np.flatnonzero((folds >= 0) & column.is_known)
    times, parts = column.times[rows], folds[rows]
    followed = find_succession(times, parts)
    if followed is None and len(ranks) > 2 and (ranks < len(frames.PURPOSES)).all():
        return find_last(times, parts, ranks == ranks.max())
    return followed


def find_mixed(
    columns: Sequence[TimeColumn],
    labels: FoldValues,
    folds: Ints,
    read_classes: Callable[[], Ints | None],
) -> list[Finding]:
    """Write a note on the first column of dates with which what is predicted changes."""
    classes = read_classes() if columns else None
    if classes is None:
        return []
    for column in columns:
        rows = np.flatnonzero((folds >= 0) & column.is_known & (classes >= 0))
        if change_with_time(column.times[rows], classes[rows]):
            return [describe_mixed(labels, column.name)]
    return []


def encode_predicted(series: Any) -> Ints | None:
    """Encode the classes of a column, or stretches of its numbers; None for lists."""
    with suppress(StratError):
        codes, n_values = frames.encode_classes(series)
        if n_values <= MOST_CLASSES or not frames.is_measured(series):
            return codes
        values, missing = frames.read_numbers(series, "by")
        blocks = np.full(len(codes), -1, dtype=np.int64)
        blocks[~missing] = block_of_rank(values[~missing], BLOCKS)
        return blocks
    return None


# Words -------------------------------------------------------------------------------------


def describe_succession(followed: Succession, labels: FoldValues, column: str) -> Finding:
    noun = noun_of(labels)
    names = {"column": column, "last": name_label(labels, int(followed.parts[-1]))}
    text = f"time: {noun}s follow each other by {{column}}"
    if followed.is_last_only:
        text = "time: {last} follows the rest by {column}"
    n = followed.n_overlapping
    if not n:
        return write_finding("ok", "time", 0, text, **names)
    text += f" but for {plural(n, 'row')}"
    tails = "; if none should overlap, pass time={column}", "; time={column}?"
    return write_finding("note", "time", n, text, *tails, **names)


def describe_turned(followed: Succession, labels: FoldValues, ranks: Ints, column: str) -> Finding:
    """Name the first part that lies before a part that should come first."""
    place = int(np.argmax(np.diff(ranks[followed.parts]) < 0))
    early, late = followed.parts[place : place + 2].tolist()
    names = {
        "early": name_label(labels, early),
        "late": name_label(labels, late),
        "column": column,
    }
    text = "time: {early} lies before {late} by {column}"
    tails = "; if this is meant, pass time=False", "; time=False if meant"
    return write_finding("warning", "time", labels.sizes[early], text, *tails, **names)


def describe_mixed(labels: FoldValues, column: str) -> Finding:
    text = f"time: {{column}} is mixed over {noun_of(labels)}s"
    tails = (
        ", and what is predicted changes with it; if new rows come later, pass time={column}",
        "; time={column}?",
    )
    return write_finding("note", "time", 0, text, *tails, column=column).as_question()
