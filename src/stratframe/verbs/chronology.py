"""Whether the parts or folds of a column are apart in time, and come in their order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.strata import first_occurrence, nest_codes
from ..core.types import Flags, Ints, Values
from ..engines.source import CountedFrame
from ..errors import StratError, plural, plural_name
from ..frames import FoldValues
from .findings import is_or_are, name_label, noun_of
from .lines import Finding, write_finding


class Dated(NamedTuple):
    """The rows of a column of folds that have a fold, a stratum such as a user, and a time."""

    labels: FoldValues
    ranks: Ints
    """When the rows of each label should be; -1 of those that may be at any time."""
    codes: Ints
    """The label of every row, shape (n_rows,)."""
    strata: Ints
    values: Values
    """Numbers in the order of the times."""
    times: Any
    """The series of the times."""
    weights: Ints
    """How many rows each row stands for."""
    noun: str
    """What the strata are called: "users"; nothing if there is one for all rows."""
    has_all: bool
    """Whether all rows are there, and not only the first and last of each label and stratum."""


class Spans(NamedTuple):
    """When each label starts and ends in each stratum, stratum by stratum as they start."""

    strata: Ints
    labels: Ints
    low: Values
    high: Values

    def neighbours(self, chosen: Flags) -> Ints:
        """Pair each of some spans with the next one of its stratum; shape (2, n_pairs)."""
        places = np.flatnonzero(chosen)
        pairs = np.stack([places[:-1], places[1:]])
        return pairs[:, self.strata[pairs[0]] == self.strata[pairs[1]]]


def find_time(
    columns: Sequence[Any],
    refs: Sequence[Any],
    folds: Any,
    weights: Ints | None = None,
    *,
    has_all: bool = True,
) -> list[Finding]:
    """Say whether labels are apart in time and in order, and what has no time.

    The last column has the times; labels are compared inside the strata of those before it.
    """
    labels, codes = frames.fold_codes(folds, weights=weights)
    weights = np.ones(len(codes), dtype=np.int64) if weights is None else weights
    lacks = np.logical_or.reduce([frames.is_missing(each) for each in columns])
    values, rows = frames.read_times(columns[-1])[0], np.flatnonzero((codes >= 0) & ~lacks)
    strata, n_strata = np.zeros(len(rows), dtype=np.int64), 1
    for column in columns[:-1] if len(rows) else ():
        strata, parents = nest_codes(
            strata, n_strata, *frames.encode_classes(frames.take(column, rows))
        )
        n_strata = len(parents)
    listed = " or ".join(map(frames.format_reference, refs))
    untimed = set(np.flatnonzero(labels.sizes).tolist()).difference(codes[rows].tolist())
    if untimed:
        label = min(untimed)
        text, names = (
            "time: all rows of {label} lack {listed}",
            {"label": name_label(labels, label)},
        )
        n = labels.sizes[label]
        return [write_finding("warning", "time", n, text, **names, listed=listed)]
    dated = Dated(
        labels,
        rank_labels(labels, folds),
        codes[rows].astype(np.int64),
        strata,
        values[rows],
        frames.take(columns[-1], rows),
        weights[rows],
        plural_name(refs[0] if len(refs) == 2 else None) if len(refs) > 1 else "",
        has_all,
    )
    found = [judge_spans(dated, find_spans(dated, n_strata))]
    if n := int(weights[(codes >= 0) & lacks].sum()):
        text = f"time: {plural(n, 'row')} without {{listed}} {is_or_are(n)} left out"
        found.append(write_finding("note", "time", n, text, listed=listed))
    return found


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


def find_spans(dated: Dated, n_strata: int) -> Spans:
    """Find when each label starts and ends in each stratum."""
    cells, strata = nest_codes(dated.strata, n_strata, dated.codes, len(dated.ranks))
    first = first_occurrence(cells, len(strata))
    low, high = dated.values[first], dated.values[first]
    np.minimum.at(low, cells, dated.values)
    np.maximum.at(high, cells, dated.values)
    order = np.lexsort((high, low, strata))
    return Spans(*(each[order] for each in (strata, dated.codes[first], low, high)))


def judge_spans(dated: Dated, spans: Spans) -> Finding:
    """Say whether labels are apart in time and in order, in each stratum."""
    fold, ranks = noun_of(dated.labels), dated.ranks[spans.labels]
    pairs, ranked = spans.neighbours(ranks >= -1), spans.neighbours(ranks >= 0)
    if not pairs.size:
        text = f"time: there are no two {fold}s to compare"
        text += " in any of the {noun}" if dated.noun else ""
        return write_finding("note", "time", 0, text, noun=dated.noun)
    meeting = pairs[:, spans.high[pairs[0]] >= spans.low[pairs[1]]]
    is_turned = (ranks[meeting] >= 0).all(axis=0) & (ranks[meeting[0]] > ranks[meeting[1]])
    wrong = np.where(is_turned, meeting[::-1], meeting)
    turned = ranked[::-1, ranks[ranked[0]] > ranks[ranked[1]]]
    if turned.size and (fold == "part" or not wrong.size):
        wrong = np.unique(np.hstack([wrong, turned]), axis=1)
    if wrong.size:
        return describe_wrong(dated, spans, wrong, is_leak=fold == "part" or meeting.size > 0)
    (first, second), names = usual_pair(dated, spans, pairs)
    text, tails = f"each {fold} ends", ["before the next one starts"]
    if len(first) == pairs.shape[1]:
        text, tails = "{first} ends", ["before {second} starts"]
        if not dated.noun:
            ends = (spans.labels[first[0]], spans.high[first[0]])
            starts = (spans.labels[second[0]], spans.low[second[0]])
            when, then = (write_time(dated, *each) for each in (ends, starts))
            tails.insert(0, f"{when}, {{second}} starts {then}")
    if dated.noun:
        tails = [f"{tails[0]} in each of {len(np.unique(spans.strata[pairs])):,} {{noun}}"]
    return write_finding("ok", "time", 0, f"time: {text} ", *tails, **names)


def usual_pair(dated: Dated, spans: Spans, pairs: Ints) -> tuple[Ints, dict[str, str]]:
    """Choose the pairs of spans whose labels are those of most strata, and name these."""
    found, places, n = np.unique(
        spans.labels[pairs], axis=1, return_inverse=True, return_counts=True
    )
    names = [name_label(dated.labels, label) for label in found[:, np.argmax(n)]]
    named = dict(zip(("first", "second"), names, strict=True)) | {"noun": dated.noun}
    return pairs[:, places.ravel() == np.argmax(n)], named


def write_time(dated: Dated, label: int, value: Any) -> str:
    """Write the time of some row of a label, given its number, for a template."""
    row = int(np.argmax((dated.codes == label) & (dated.values == value)))
    text = str(frames.libraries.value_at(dated.times, row))
    return re.sub(r" 00:00:00([+-][0-9:]+)?$", "", text).replace("{", "{{").replace("}", "}}")


def describe_wrong(dated: Dated, spans: Spans, wrong: Ints, *, is_leak: bool) -> Finding:
    """Say by how many rows, of the smaller side, labels are not apart; or that they change places.

    The labels in the first row of `wrong` should be earlier than those in the second.
    """
    (first, second), names = usual_pair(dated, spans, wrong)
    n, n_strata, fold = len(first), len(np.unique(spans.strata)), noun_of(dated.labels)
    where = f" in {n:,} of {n_strata:,} {{noun}}" if dated.noun else ""
    is_turned = bool((spans.high[second] < spans.low[first]).all())
    if is_turned or not dated.has_all:
        text = "{first} does not end before {second} starts"
        text = ("{second} ends before {first} starts" if is_turned else text) + where
        if is_leak:
            return write_finding("leak", "time", n, f"time: {text}", **names)
        return write_finding("note", "time", n, f"time: {fold}s are apart, but {text}", **names)
    place = np.full(n_strata, -1)
    place[spans.strata[first]] = np.arange(n)
    place, sides = place[dated.strata], []
    for own, name, limits, is_beyond, word, other in (
        (first, "{first}", spans.low[second], np.greater_equal, "earlier", "{second}"),
        (second, "{second}", spans.high[first], np.less_equal, "later", "{first}"),
    ):
        rows = np.flatnonzero(dated.codes == spans.labels[own[0]])
        held = rows[place[rows] >= 0]
        beyond = held[is_beyond(dated.values[held], limits[place[held]])]
        n, total = (int(dated.weights[each].sum()) for each in (beyond, rows))
        text = f"{n:,} of {plural(total, 'row')} of {name} {is_or_are(n)} not {word} than"
        sides.append((n, f"{text} {other}{where}" if where else f"{text} all rows of {other}"))
    n, text = min(sides, key=lambda side: side[0])
    return write_finding("leak", "time", n, text, **names)


def find_on(source: CountedFrame, refs: Sequence[Any], name: Any) -> list[Finding]:
    """Find it where rows are counted: by the spans of labels, and if they overlap by their rows."""
    found = find_time(*source.spans(refs, name), has_all=False)
    if found[0].severity == "leak":
        with suppress(StratError):  # of more values than the driver can hold
            rows = source.label_rows(name, refs)
            exact = find_time([each.series for each in rows.apart], refs, rows.series, rows.weights)
            found = exact if exact[0].severity == "leak" else found
    return found
