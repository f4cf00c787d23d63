"""Whether the parts or folds of a column are apart in time, and come in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.strata import factorize_codes, first_occurrence, nest_codes
from ..core.types import Flags, Ints, Values
from ..engines.source import CountedFrame
from ..errors import StratError, plural, plural_name
from ..frames import FoldValues
from .findings import is_or_are, name_label, noun_of
from .lines import Finding, write_finding


class Times(NamedTuple):
    """When rows are, each in its stratum."""

    series: Any
    values: Values
    """Numbers in the order of the times, shape (n_rows,)."""
    strata: Ints
    """The stratum of every row, such as a user; -1 for a row that lacks one, or a time."""
    n_strata: int
    noun: str
    """What the strata are called: "users"; nothing if there is one for all rows."""
    needed: str
    """The columns in which a row with a stratum has a value."""


class Spans(NamedTuple):
    """When each label starts and ends in each stratum, stratum by stratum as they start."""

    strata: Ints
    labels: Ints
    low: Values
    high: Values

    def neighbours(self, chosen: Flags) -> Ints:
        """Pair each of some spans with the next one of its stratum; shape (2, n_pairs)."""
        places = np.flatnonzero(chosen)
        first, second = places[:-1], places[1:]
        same = self.strata[first] == self.strata[second]
        return np.stack([first[same], second[same]])


def read_times(columns: Sequence[Any], refs: Sequence[Any]) -> Times:
    """Read a column of times, the last of some, and strata of the others."""
    *others, series = columns
    values, missing = frames.read_times(series)
    strata, n_strata = np.zeros(len(values), dtype=np.int64), 1
    for column in others if len(values) else ():
        codes, n_codes = frames.encode_classes(column)
        missing = missing | (codes < 0)
        strata, parents = nest_codes(strata, n_strata, codes + 1, n_codes + 1)
        n_strata = len(parents)
    noun = plural_name(refs[0] if len(refs) == 2 else None) if others else ""
    needed = " or ".join(map(frames.format_reference, refs))
    return Times(series, values, np.where(missing, -1, strata), n_strata, noun, needed)


def find_spans(times: Times, codes: Ints, n_labels: int) -> Spans:
    """Find when each label starts and ends in each stratum."""
    rows = np.flatnonzero((times.strata >= 0) & (codes >= 0))
    values, labels = times.values[rows], codes[rows].astype(np.int64)
    if not len(rows):
        return Spans(labels, labels, values, values)
    strata, present = factorize_codes(times.strata[rows], times.n_strata)
    cells, parents = nest_codes(strata, len(present), labels, n_labels)
    first, strata = first_occurrence(cells, len(parents)), present[parents]
    low, high = values[first], values[first]
    np.minimum.at(low, cells, values)
    np.maximum.at(high, cells, values)
    order = np.lexsort((high, low, strata))
    return Spans(*(each[order] for each in (strata, labels[first], low, high)))


def rank_labels(labels: FoldValues, series: Any) -> Ints:
    """Rank labels by when their rows should be; -1 for those that may be at any time."""
    purposes, in_order = frames.purposes_of(labels.values), np.arange(len(labels.values))
    is_known = purposes < len(frames.PURPOSES)
    if is_known.all():
        return purposes
    known = frames.dtypes.category_values(series) or []
    # Categories that are sorted may be made of text, which has no order.
    is_declared = frames.dtypes.has_order(series) or known != sorted(map(str, known))
    if is_declared or not frames.dtypes.is_text(series):
        return in_order
    return np.where(is_known, purposes, -1)


class Dated(NamedTuple):
    """The rows of a column of folds, and when they are."""

    times: Times
    labels: FoldValues
    codes: Ints
    ranks: Ints
    """As of `rank_labels`."""
    weights: Ints | None = None
    """How many rows each row stands for; None if for itself."""
    has_all: bool = True
    """Whether all rows are there, and not only the first and last of each label and stratum."""

    def count(self, rows: Any) -> int:
        """Count rows, given their positions."""
        return len(rows) if self.weights is None else int(self.weights[rows].sum())

    def count_side(
        self, label: int, place: Ints, limits: Values, is_beyond: Callable[..., Flags]
    ) -> tuple[int, int]:
        """Count the rows of a label that are beyond the limit of their place, and all of them."""
        rows = np.flatnonzero((self.codes == label) & (self.times.strata >= 0))
        held = rows[place[rows] >= 0]
        beyond = held[is_beyond(self.times.values[held], limits[place[held]])]
        return self.count(beyond), self.count(rows)

    def when(self, label: int, value: Any) -> str:
        """Write the time of some row of a label, given its number, for a template."""
        is_it = (self.codes == label) & (self.times.strata >= 0) & (self.times.values == value)
        shown = frames.libraries.value_at(self.times.series, int(np.argmax(is_it)))
        text = re.sub(r" 00:00:00([+-][0-9:]+)?$", "", str(shown))
        return text.replace("{", "{{").replace("}", "}}")


def find_time(dated: Dated) -> list[Finding]:
    """Say whether labels are apart in time and in order, in each stratum; and what has no time."""
    times, labels, codes = dated.times, dated.labels, dated.codes
    spans = find_spans(times, codes, len(labels.values))
    untimed = set(np.flatnonzero(labels.sizes).tolist()).difference(spans.labels.tolist())
    if untimed:
        label, needed = min(untimed), times.needed.replace(" or ", " and ")
        text, shown = "time: no row of {label} has {needed}", name_label(labels, label)
        n = labels.sizes[label]
        return [write_finding("warning", "time", n, text, label=shown, needed=needed)]
    found = [judge_spans(dated, spans)]
    if n := dated.count(np.flatnonzero((codes >= 0) & (times.strata < 0))):
        text = f"time: {plural(n, 'row')} without {{needed}} {is_or_are(n)} left out"
        found.append(write_finding("note", "time", n, text, needed=times.needed))
    return found


def judge_spans(dated: Dated, spans: Spans) -> Finding:
    """Say whether labels are apart in time and in order, in each stratum."""
    noun, fold, ranks = dated.times.noun, noun_of(dated.labels), dated.ranks[spans.labels]
    pairs, ranked = spans.neighbours(ranks >= -1), spans.neighbours(ranks >= 0)
    if not pairs.size:
        text = f"time: there are no two {fold}s to compare{' in any of the {noun}' * bool(noun)}"
        return write_finding("note", "time", 0, text, noun=noun)
    meeting = pairs[:, spans.high[pairs[0]] >= spans.low[pairs[1]]]
    is_turned = (ranks[meeting] >= 0).all(axis=0) & (ranks[meeting[0]] > ranks[meeting[1]])
    wrong = np.where(is_turned, meeting[::-1], meeting)
    turned = ranked[::-1, ranks[ranked[0]] > ranks[ranked[1]]]
    if turned.size and (fold == "part" or not wrong.size):
        wrong = np.unique(np.hstack([wrong, turned]), axis=1)
    if wrong.size:
        return describe_wrong(dated, spans, wrong, is_leak=fold == "part" or meeting.size > 0)
    (first, second), names = usual_pair(dated, spans, pairs)
    if len(first) < pairs.shape[1]:
        text, tails = f"each {fold} ends", ["before the next one starts"]
    else:
        text, tails = "{first} ends", ["before {second} starts"]
        if not noun:
            end, start = border(dated, spans, first[0], second[0])
            tails.insert(0, f"{end}, {{second}} starts {start}")
    if noun:
        tails = [f"{tails[0]} in each of {len(np.unique(spans.strata[pairs])):,} {{noun}}"]
    return write_finding("ok", "time", 0, f"time: {text} ", *tails, **names)


def usual_pair(dated: Dated, spans: Spans, pairs: Ints) -> tuple[Ints, dict[str, str]]:
    """Choose the pairs of spans whose labels are those of most strata, and name these."""
    labels = spans.labels[pairs]
    found, places, n = np.unique(labels, axis=1, return_inverse=True, return_counts=True)
    first, second = found[:, np.argmax(n)].tolist()
    names = {
        "first": name_label(dated.labels, first),
        "second": name_label(dated.labels, second),
        "noun": dated.times.noun,
    }
    return pairs[:, places.ravel() == np.argmax(n)], names


def border(dated: Dated, spans: Spans, first: int, second: int) -> tuple[str, str]:
    """Write when one span ends, and another starts."""
    end = dated.when(int(spans.labels[first]), spans.high[first])
    return end, dated.when(int(spans.labels[second]), spans.low[second])


def describe_wrong(dated: Dated, spans: Spans, wrong: Ints, *, is_leak: bool) -> Finding:
    """Say by how many rows, of the smaller side, labels are not apart; or that they change places.

    The labels in the first row of `wrong` should be earlier than those in the second.
    """
    (first, second), names = usual_pair(dated, spans, wrong)
    noun, n, n_strata = dated.times.noun, len(first), len(np.unique(spans.strata))
    is_back = bool((spans.high[second] < spans.low[first]).all())
    if is_back or not dated.has_all:
        text, ends, tails = "{first} does not end before {second} starts", (first[0], second[0]), []
        if is_back:
            text, ends = "{second} ends before {first} starts", ends[::-1]
        if noun:
            text = f"{text} in {n:,} of {n_strata:,} {{noun}}"
        else:
            tails = [f" ({', '.join(border(dated, spans, *ends))})"]
        if is_leak:
            return write_finding("leak", "time", n, f"time: {text}", *tails, **names)
        text = f"time: {noun_of(dated.labels)}s are apart, but {text}"
        return write_finding("note", "time", n, text, *tails, **names)
    place = np.full(dated.times.n_strata + 1, -1)
    place[spans.strata[first]] = np.arange(n)
    place = place[dated.times.strata]  # -1, of rows without a stratum, is the last
    early = dated.count_side(spans.labels[first[0]], place, spans.low[second], np.greater_equal)
    late = dated.count_side(spans.labels[second[0]], place, spans.high[first], np.less_equal)
    (n_rows, total), own, word, other = early, "{first}", "earlier", "{second}"
    if late[0] < n_rows:
        (n_rows, total), own, word, other = late, "{second}", "later", "{first}"
    if noun:
        text = f"in {n:,} of {n_strata:,} {{noun}}, {plural(n_rows, 'row')} of {own}"
        text = f"{text} {is_or_are(n_rows)} not {word} than {other}"
        return write_finding("leak", "time", n_rows, text, **names)
    text = f"{n_rows:,} of {plural(total, 'row')} of {own} {is_or_are(n_rows)} not {word} than all"
    end, start = border(dated, spans, first[0], second[0])
    tail = f" ({{first}} ends {end}, {{second}} starts {start})"
    return write_finding("leak", "time", n_rows, f"{text} rows of {other}", tail, **names)


# Engines --------------------------------------------------------------------------------


def find_on(source: CountedFrame, refs: Sequence[Any], name: Any) -> list[Finding]:
    """Find it where rows are counted: by the spans of labels, and if they overlap by their rows."""

    def dated(columns: Sequence[Any], folds: Any, weights: Ints | None, *, has_all: bool) -> Dated:
        labels, codes = frames.fold_codes(folds, weights=weights)
        times, ranks = read_times(columns, refs), rank_labels(labels, folds)
        return Dated(times, labels, codes, ranks, weights, has_all)

    found = find_time(dated(*source.spans(refs, name), has_all=False))
    if found[0].severity == "leak":
        with suppress(StratError):  # of more values than the driver can hold
            rows = source.label_rows(name, refs)
            columns = [each.series for each in rows.apart]
            exact = find_time(dated(columns, rows.series, rows.weights, has_all=True))
            found = exact if exact[0].severity == "leak" else found
    return found
