"""Judge whether the folds or parts of a column follow each other in time without overlap."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.order import sort_values
from ..core.strata import distinct_values, nest_codes
from ..core.types import Flags, Ints, Values
from ..engines.engine_source import EngineSource
from ..errors import StratError, plural, plural_name
from ..frames import FoldValues
from .labels import name_label, noun_of
from .lines import Finding, double_braces, is_or_are, write_finding


class Spans(NamedTuple):
    """The time span of each label in each stratum, such as a user; sorted by stratum and start."""

    labels: FoldValues
    noun: str
    """The plural noun for the strata, such as "users"; empty if all rows are one stratum."""
    strata: Ints
    codes: Ints
    """The label of each span."""
    first: Ints
    """The position of the earliest row of each span."""
    last: Ints
    of_rows: Ints
    """The span to which each row belongs."""
    values: Values
    """The time of each row, as a number."""
    are_parts: bool
    """Whether the labels are parts, which have an order in time that they must keep."""

    @property
    def kind(self) -> str:
        return "part" if self.are_parts else "fold"

    def count_strata(self, n: int) -> str:
        """Write a number of strata and the number of all strata, as in "2 of 9 users"."""
        total = int(self.strata[-1]) + 1
        return "the only group" if total == 1 else f"{n:,} of {total:,} {{noun}}"

    def neighbours(self, chosen: Flags) -> Ints:
        """Pair each chosen span with the next chosen span of its stratum; shape (2, n_pairs)."""
        places = np.flatnonzero(chosen)
        pairs = np.stack([places[:-1], places[1:]])
        return pairs[:, self.strata[pairs[0]] == self.strata[pairs[1]]]

    def usual(self, pairs: Ints) -> Ints:
        """Return the pairs of the two labels that are paired most often."""
        joint = self.codes[pairs[0]] * len(self.labels.values) + self.codes[pairs[1]]
        _, places, n = np.unique(joint, return_inverse=True, return_counts=True)
        return pairs[:, places == np.argmax(n)]

    def names(self, first: Ints, second: Ints) -> dict[str, str]:
        return {"first": self.name(first[0]), "second": self.name(second[0]), "noun": self.noun}

    def name(self, span: int) -> str:
        label = self.labels.values[self.codes[span]]
        if isinstance(label, bool):
            return f"{self.kind} {label}"
        return name_label(self.labels, int(self.codes[span]))


def find_time(
    columns: Sequence[Any],
    refs: Sequence[Any],
    folds: Any,
    weights: Ints | None = None,
    *,
    has_all: bool = True,
) -> list[Finding]:
    """List the findings on the order of the labels in time and on rows without a time.

    The last column has the times; labels are compared within the strata of the other columns. If
    `has_all` is false, only the first and last rows of each label in each stratum are given.
    """
    labels, codes = frames.fold_codes(folds, weights=weights)
    weights = np.ones(len(codes), dtype=np.int64) if weights is None else weights
    lacks = np.logical_or.reduce([frames.is_missing(each) for each in columns])
    values = frames.read_given_times(columns[-1])[0]
    rows = np.flatnonzero((codes >= 0) & ~lacks)
    listed = " or ".join(map(frames.format_reference, refs))
    n_timed = np.bincount(codes[rows], minlength=len(labels.sizes))
    untimed = np.flatnonzero((np.array(labels.sizes) > 0) & (n_timed == 0))
    if len(untimed):
        n, label = labels.sizes[untimed[0]], name_label(labels, untimed[0])
        text = "time: all rows of {label} lack {listed}"
        return [write_finding("warning", "time", n, text, label=label, listed=listed)]
    strata, n_strata = np.zeros(len(rows), dtype=np.int64), 1
    for column in columns[:-1]:
        classes = frames.encode_classes(frames.take(column, rows))
        strata, parents = nest_codes(strata, n_strata, *classes)
        n_strata = len(parents)
    noun = plural_name(refs[0] if len(refs) == 2 else None) if len(refs) > 1 else ""
    weights, times = weights[rows], frames.take(columns[-1], rows)
    ranks, are_parts = rank_in_time(labels, folds)
    spans = find_spans(labels, noun, strata, n_strata, codes[rows], values[rows], are_parts)
    found = [judge_order(spans, ranks, times, weights if has_all else None)]
    if n := sum(labels.sizes) - int(weights.sum()):
        text = f"time: {plural(n, 'row')} without {{listed}} {is_or_are(n)} left out"
        found.append(write_finding("note", "time", n, text, listed=listed))
    return found


def rank_in_time(labels: FoldValues, series: Any) -> tuple[Ints, bool]:
    """Return the rank that each label should have in time, or -1 if the rank does not matter.

    Also return whether the labels are parts, such as text, rather than folds.
    """
    purposes = frames.purposes_of_column(series.name, labels.values)
    if (purposes < len(frames.PURPOSES)).all():
        return purposes, True
    return rank_labels(labels, series), noun_of(labels) == "part"


def rank_labels(labels: FoldValues, series: Any) -> Ints:
    has_rows = np.array(labels.sizes, dtype=np.int64) > 0
    purposes = np.full(len(labels.values), len(frames.PURPOSES))
    purposes[has_rows] = frames.purposes_of(labels.present)
    is_known = purposes < len(frames.PURPOSES)
    known = frames.dtypes.category_values(series) or []
    # Sorted categories were probably made from text, which has no order of its own.
    is_free = frames.dtypes.is_text(series) and known == sorted(map(str, known))
    if is_known[has_rows].all() or (is_free and not frames.dtypes.has_order(series)):
        return np.where(is_known, purposes, -1)
    return np.arange(len(purposes))


def find_spans(
    labels: FoldValues,
    noun: str,
    strata: Ints,
    n_strata: int,
    codes: Ints,
    values: Values,
    are_parts: bool,
) -> Spans:
    of_rows, parents = nest_codes(strata, n_strata, codes, len(labels.values))
    ascending, _ = sort_values(values, of_rows, len(parents))
    ends = np.cumsum(np.bincount(of_rows))
    first, last = ascending[np.append(0, ends[:-1])], ascending[ends - 1]
    order = np.lexsort((codes[first], values[last], values[first], parents))
    first, last, of_rows = first[order], last[order], np.argsort(order)[of_rows]
    return Spans(labels, noun, strata[first], codes[first], first, last, of_rows, values, are_parts)


def judge_order(spans: Spans, ranks: Ints, times: Any, weights: Ints | None) -> Finding:
    """Judge whether the labels of each stratum follow each other in time without overlap.

    `weights` is None if only some rows are given, in which case rows cannot be counted.
    """
    ranks = ranks[spans.codes]
    low, high = spans.values[spans.first], spans.values[spans.last]
    pairs, ranked = spans.neighbours(ranks >= -1), spans.neighbours(ranks >= 0)
    if not pairs.size:
        text = f"time: there are no two {spans.kind}s to compare"
        text += " in any of the {noun}" if spans.noun else ""
        return write_finding("note", "time", 0, text, noun=spans.noun)
    wrong = meeting = pairs[:, high[pairs[0]] >= low[pairs[1]]]
    turned = ranked[:, ranks[ranked[0]] > ranks[ranked[1]]]
    if turned.size and (spans.are_parts or not meeting.size):
        wrong = np.unique(np.hstack([meeting, turned]), axis=1)
    if not wrong.size:
        return describe_right(spans, pairs, times)
    is_back = (ranks[wrong] >= 0).all(axis=0) & (ranks[wrong[0]] > ranks[wrong[1]])
    early, late = spans.usual(np.where(is_back, wrong[::-1], wrong))
    is_turned = bool((high[late] < low[early]).all())
    if not is_turned and weights is not None:
        return describe_overlap(spans, early, late, weights)
    text = "{first} does not end before {second} starts"
    text = "time: " + ("{second} ends before {first} starts" if is_turned else text)
    n, names = len(early), spans.names(early, late)
    text += f" in {spans.count_strata(n)}" if spans.noun else ""
    is_leak = spans.are_parts or meeting.size > 0
    return write_finding("leak" if is_leak else "note", "time", n, text, **names)


def describe_right(spans: Spans, pairs: Ints, times: Any) -> Finding:
    first, second = spans.usual(pairs)
    texts = [f"each {spans.kind} ends before the next one starts"]
    if len(first) == pairs.shape[1]:
        texts = ["{first} ends before {second} starts"]
        if not spans.noun:
            rows = (int(spans.last[first[0]]), int(spans.first[second[0]]))
            shown = [write_time(frames.libraries.value_at(times, row)) for row in rows]
            end, start = map(double_braces, shown)
            texts.insert(0, f"{{first}} ends {end}, {{second}} starts {start}")
    if spans.noun:
        n = len(distinct_values(spans.strata[pairs]))
        texts = [f"{texts[0]} in " + ("1 group" if n == 1 else f"each of {n:,} {{noun}}")]
    return write_finding("ok", "time", 0, "time: ", *texts, **spans.names(first, second))


def write_time(value: Any) -> str:
    """Write a time: midnight as its date, and a whole float as an integer.

    In pandas, integers become floats where some are missing.
    """
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return re.sub(r" 00:00:00([+-][0-9:]+)?$", "", str(value))


def describe_overlap(spans: Spans, early: Ints, late: Ints, weights: Ints) -> Finding:
    """Count, for each of two labels, the rows that overlap the other label; report the fewer."""
    low, high = spans.values[spans.first], spans.values[spans.last]
    partner = np.full(len(spans.codes), -1)
    partner[early], partner[late] = late, early
    other, codes = partner[spans.of_rows], spans.codes[spans.of_rows]
    is_early, is_late = codes == spans.codes[early[0]], codes == spans.codes[late[0]]
    n_early = int(weights[is_early & (other >= 0) & (spans.values >= low[other])].sum())
    n_late = int(weights[is_late & (other >= 0) & (spans.values <= high[other])].sum())
    n = min(n_early, n_late)
    has_fewer = n_early <= n_late
    if (high[early] == low[late]).all():
        text = write_tie(n, is_early=has_fewer)
    else:
        n_rows = int(weights[is_early if has_fewer else is_late].sum())
        text = write_overlap(n, n_rows, "" if spans.noun else "all rows of ", is_early=has_fewer)
    if spans.noun:
        text += f" in {spans.count_strata(len(early))}"
    return write_finding("leak", "time", n, text, **spans.names(early, late))


def write_tie(n: int, *, is_early: bool) -> str:
    has = "has" if n == 1 else "have"
    if is_early:
        return f"{plural(n, 'row')} of {{first}} {has} the time at which {{second}} starts"
    return f"{plural(n, 'row')} of {{second}} {has} the time at which {{first}} ends"


def write_overlap(n: int, n_rows: int, all_rows: str, *, is_early: bool) -> str:
    share = f"{n:,} of {plural(n_rows, 'row')}"
    if is_early:
        return f"{share} of {{first}} {is_or_are(n)} not earlier than {all_rows}{{second}}"
    return f"{share} of {{second}} {is_or_are(n)} not later than {all_rows}{{first}}"


def find_on(source: EngineSource, refs: Sequence[Any], name: Any) -> list[Finding]:
    """Judge the times of a Dask or Spark frame by spans or, if the spans overlap, by all rows."""
    found = find_time(*source.spans(refs, name), has_all=False)
    if found[0].severity == "leak":
        with suppress(StratError):  # raised if there are more values than the driver can hold
            rows = source.label_rows(name, refs)
            return find_time([each.series for each in rows.apart], refs, rows.series, rows.weights)
    return found
