"""Look, without being asked, for a time by which parts follow each other, or should do so.

Rows are given by the number of their part and by their time as a number. Rows without one of the
two are left out before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from math import lgamma, log
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.chance import chi_squared_tail, log_factorial
from ..core.strata import distinct_values
from ..core.types import Flags, Ints, Values
from ..errors import StratError, describe, plural
from ..frames import FoldValues
from .asked import Asked
from .candidates import MOSTLY_KNOWN, Candidate, candidate_labels, words_of
from .compared import name_of
from .labels import name_label, noun_of
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

SAMPLED = 1 << 14
"""The maximum number of rows that are read to see that no column orders the parts."""

MIXED = 0.2
"""The share of the sampled rows on the wrong side above which the parts are mixed."""

LEAST_MIXED = 5
"""The number of sampled rows on the wrong side up to which the parts are not called mixed."""

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
    in_order, times_of_parts = sort_parts(times, parts)
    borders = []
    for earlier, later in pairwise(times_of_parts):
        border = judge_border(earlier, later)
        if border is None:
            return None
        borders.append(border)
    if bound_chance([border.log_chance for border in borders]) >= SHUFFLED:
        return None
    return Succession(in_order, sum(border.n_overlapping for border in borders))


def are_mixed(times: Values, parts: Ints) -> bool:
    """Return whether a sample of the rows shows that the parts do not follow each other.

    At most 5 % of a part may be on the wrong side of its neighbour; 20 % of a sample are more than
    chance makes of these.
    """
    for earlier, later in pairwise(sort_parts(times, parts)[1]):
        n_smaller = min(len(earlier), len(later))
        if count_wrong(earlier, later) > max(MIXED * n_smaller, LEAST_MIXED):
            return True
    return False


def sort_parts(times: Values, parts: Ints) -> tuple[Ints, list[Values]]:
    """Sort the parts that have rows by their median time, and list the times of each."""
    present, times_of_parts = split_by_part(times, parts)
    middle = [np.partition(own, (len(own) - 1) // 2)[(len(own) - 1) // 2] for own in times_of_parts]
    order = np.argsort(np.array(middle), kind="stable")
    return present[order], [times_of_parts[place] for place in order]


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
    n_smaller = min(len(earlier), len(later))
    n_wrong = count_wrong(earlier, later)
    if n_wrong > MOST_OVERLAP * n_smaller:
        return None
    n_late = int((earlier >= later.min()).sum())
    n_early = int((later <= earlier.max()).sum())
    n_overlapping = min(n_late, n_early)
    if n_overlapping > MOST_TIED * n_smaller:
        return None
    chances = [
        log_chance_apart(len(earlier), len(later), n_late),
        log_chance_apart(len(later), len(earlier), n_early),
    ]
    return Border(n_wrong, n_overlapping, min(chances))


def count_wrong(earlier: Values, later: Values) -> int:
    """Count the rows strictly on the wrong side, in the part that has fewer of them."""
    n_late = int((earlier > later.min()).sum())
    n_early = int((later < earlier.max()).sum())
    return min(n_late, n_early)


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
    series: Any
    is_date: bool
    """Whether the column holds dates, rather than numbers whose name says that they are times."""

    def read(self, rows: Ints) -> tuple[Values, Ints]:
        """Read the times of some rows as numbers; also return the rows, without those that lack it.

        Text of an expected format may turn out not to be in it; then no row has a time.
        """
        series = frames.take(self.series, rows)
        read = frames.read_dates(series) if self.is_date else frames.read_numbered_times(series)
        if read is None:
            return np.zeros(0), rows[:0]
        times, is_missing = read
        return times[~is_missing], rows[~is_missing]


class FoundTime(NamedTuple):
    """What was found of times for which the call does not ask."""

    findings: list[Finding]
    follows: str | None = None
    """The name of the column by which the parts follow each other, in either order, or None."""


def list_time_labels(frame: Any, names: Sequence[Any], asked: Asked) -> list[Any]:
    """List the columns that can hold times, except folds, `by` and `features`.

    A feature should have the same distribution in all folds, so that it cannot order them.
    """
    if not asked.looks_for_time:
        return []
    skipped = [*asked.named["by"], *asked.named["features"]]
    return frames.list_possible_times(frame, candidate_labels(frame, names, skipped), names_time)


def names_time(label: Any) -> bool:
    """Return whether the name of a column says that its numbers are times."""
    return TIME_NAME.search(words_of(label)) is not None


def list_time_columns(candidates: Sequence[Candidate]) -> list[TimeColumn]:
    """List the columns of dates, and those of numbers whose names say that they are times."""
    columns = []
    for candidate in candidates:
        is_named = names_time(candidate.label)
        if not is_named and frames.is_of_numbers(candidate.series):
            continue
        head = frames.spread_rows(candidate.series)
        is_date = frames.read_dates(head) is not None
        is_number = is_named and frames.read_numbered_times(head) is not None
        if is_date or is_number:
            name = describe(name_of(candidate.label))
            columns.append(TimeColumn(name, candidate.series, is_date))
    return columns


def look_for_time(
    columns: Sequence[TimeColumn],
    series: Any,
    labels: FoldValues,
    folds: Ints,
    predicted: Any | None,
) -> FoundTime:
    """Look for a column by which the parts follow each other, or else for mixed dates.

    `predicted` is the column of what is predicted, if the call names one.
    """
    if len(labels.present) < 2:
        return FoundTime([])
    ranks = frames.purposes_of_column(series.name, labels.values)
    dealt = np.flatnonzero(folds >= 0)
    sample = draw_rows(dealt)
    followed = []
    for column in columns:
        succession = judge_column(column, folds, ranks, dealt, sample)
        if succession is not None:
            followed.append((column, succession))
    if not followed:
        return FoundTime(find_mixed(columns, labels, ranks, sample, predicted))
    column, best = min(
        followed,
        key=lambda each: (
            is_turned(each[1].parts, ranks),
            each[1].n_overlapping,
            not each[0].is_date,
        ),
    )
    if is_turned(best.parts, ranks):
        return FoundTime([describe_turned(best, labels, ranks, column.name)], column.name)
    return FoundTime([describe_succession(best, labels, column.name)], column.name)


def draw_rows(rows: Ints) -> Ints:
    if len(rows) <= SAMPLED:
        return rows
    places = distinct_values(np.random.default_rng(0).integers(len(rows), size=SAMPLED))
    chosen: Ints = rows[places]
    return chosen


def judge_column(
    column: TimeColumn, folds: Ints, ranks: Ints, rows: Ints, sample: Ints
) -> Succession | None:
    """Order the parts by a column, which is read in full only if a sample does not exclude this."""
    times, known = column.read(sample)
    if not are_mostly_known(known, sample):
        return None
    parts = folds[known]
    present = np.flatnonzero(np.bincount(parts))
    is_last = ranks == ranks[present].max()
    has_last = len(present) > 2 and bool((ranks[present] < len(frames.PURPOSES)).all())
    may_follow = not are_mixed(times, parts)
    has_last = has_last and not are_mixed(times, is_last[parts].astype(np.int64))
    if not (may_follow or has_last):
        return None
    times, known = column.read(rows)
    if not are_mostly_known(known, rows):
        return None
    followed = find_succession(times, folds[known]) if may_follow else None
    if followed is None and has_last:
        return find_last(times, folds[known], is_last)
    return followed


def are_mostly_known(known: Ints, rows: Ints) -> bool:
    return len(known) >= max(1, MOSTLY_KNOWN * len(rows))


def find_mixed(
    columns: Sequence[TimeColumn],
    labels: FoldValues,
    ranks: Ints,
    sample: Ints,
    predicted: Any | None,
) -> list[Finding]:
    """Write a note on the first column of dates with which what is predicted changes.

    Only parts whose names describe a use can be out of order.
    """
    if predicted is None or (ranks == len(frames.PURPOSES)).all():
        return []
    for column in columns:
        times, known = column.read(sample)
        if column.is_date and are_mostly_known(known, sample):
            classes = encode_predicted(frames.take(predicted, known))
            if classes is None:
                return []
            if change_with_time(times[classes >= 0], classes[classes >= 0]):
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
    n = followed.n_overlapping
    text = f"time: {noun}s follow each other by {{column}}"
    if n:  # the line has room for a hint, too
        text = f"time: {noun}s follow by {{column}}"
    if followed.is_last_only:
        text = "time: {last} follows the rest by {column}"
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
