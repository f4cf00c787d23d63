"""Judge how even the strata and the totals of a fold column are."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from ..core.evenness import ORDER_ROWS, TENTH, JudgedCells, tells_order
from ..core.totals import are_equal
from ..core.types import Flags, Ints, Values
from ..errors import describe, plural, plural_name, preview
from ..frames import FoldValues
from ..pipeline.fold_counts import FoldCounts, FoldTotals
from ..verbs.result_tables import stratum_names
from .labels import noun_of
from .lines import Finding, Severity, is_or_are, number_names, write_finding

Verdict: TypeAlias = Literal[
    "uneven",
    "equal counts",
    "as even as a shuffle",
    "no less even than a shuffle",
    "too few rows",
    "not judged",
    "even",
    "empty",
]
"""The verdicts on a fold, worst first."""

CLOSE = 0.01
"""The fraction up to which no note is written if a fold deviates from its share of a total."""


def stack_levels(judged: Sequence[JudgedCells]) -> JudgedCells:
    return JudgedCells(*map(np.vstack, zip(*judged, strict=True)))


def verdicts_of(counts: FoldCounts, cells: JudgedCells) -> list[Verdict]:
    good = verdicts_if_even(counts)
    bad = np.where(cells.is_uneven.any(axis=0), "uneven", "as even as a shuffle")
    if counts.each is not None:
        bad = np.full(len(counts.sizes), "equal counts")
    words = np.where(cells.is_even.all(axis=0), good, bad)
    chosen: list[Verdict] = np.where(counts.sizes == 0, "empty", words).tolist()
    return chosen


def verdicts_if_even(counts: FoldCounts) -> Any:
    """Return the verdict on each fold, or one for all, if all strata are even."""
    last = counts.levels[-1]
    even = "even" if last.strata.levels else "not judged"
    if last.off_in_order is None:
        return even
    sizes = counts.sizes
    if not tells_order(sizes.sum(), np.sum(sizes > 0), np.sum(sizes**2)):
        return "too few rows"
    return np.where(last.off_in_order < ORDER_ROWS, even, "no less even than a shuffle")


def verdict_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict on a column, which is the worst verdict on a fold with rows."""
    order: tuple[Verdict, ...] = get_args(Verdict)
    return order[min(map(order.index, verdicts), default=len(order) - 1)]


def find_balance(counts: FoldCounts, judged: Sequence[JudgedCells]) -> list[Finding]:
    """List the findings on how even the strata are, and on strata that a fold lacks."""
    if not (counts.sizes.sum() and counts.levels[-1].strata.levels):  # `by` may make no strata
        return []
    cells = stack_levels(judged)
    if counts.each is not None and not cells.is_even.all():
        return [write_each(counts, counts.each)]
    worst = find_uneven(counts, cells)
    if worst is None:
        worst = write_verdict(counts, cells)
    return [worst, *find_rare(counts, cells), *find_absent(counts, cells)]


def write_each(counts: FoldCounts, each: Ints) -> Finding:
    """Write how many rows of each stratum the parts have that take equally many of each."""
    level = counts.counted_level
    assert level is not None
    entries = [entry.name for entry in level.strata.levels]
    strata = plural_name(entries[0], "strata") if len(entries) == 1 else "strata"
    sizes = level.table.sum(axis=1)
    n_large = int((sizes > each.sum()).sum())
    counted = np.flatnonzero(each)
    names = number_names([counts.labels.values[part] for part in counted])
    parts = [f"{{{name}}} has {each[part]:,}" for name, part in zip(names, counted, strict=True)]
    noun = "row" if each[counted[-1]] == 1 else "rows"
    text = f"{{by}}: {preview(parts, len(parts))} {noun} of each of {n_large:,} {strata}"
    n_small = len(sizes) - n_large
    tail = f", {n_small:,} {is_or_are(n_small)} too small" if n_small else ""
    by = ", ".join(map(str, entries))
    return write_finding("note", "balance", n_small, text, tail, by=by, **names)


def write_verdict(counts: FoldCounts, cells: JudgedCells) -> Finding:
    """Write how even the strata are, if none is uneven."""
    words = verdicts_of(counts, cells)
    word = verdict_of(words)
    by = name_entries(counts)
    if word == "even":
        text = f"{{by}}: {describe_even(counts, cells.off)}"
        return write_finding("ok", "balance", 0, text, by=by)
    text = f"{{by}}: {word}"
    if word == "too few rows":
        tail = " to tell an even order from a shuffle"
        return write_finding("note", "balance", 0, text, tail, by=by)
    if word == "as even as a shuffle":
        n_uneven = int((~cells.is_even).sum())
        points = 100 * (np.abs(cells.off) / np.maximum(counts.sizes, 1)).max()
        decimals = 0 if points >= 10 else 1
        tail = f", shares within {points:.{decimals}f} points"
        return write_finding("note", "balance", n_uneven, text, tail, by=by)
    tail = ", even in bins but not in order"
    return write_finding("note", "balance", words.count(word), text, tail, by=by)


def describe_even(counts: FoldCounts, off: Values) -> str:
    """Write how far the strata are from their shares at most; `off` holds rows, by stratum."""
    if counts.levels[-1].off_in_order is not None:
        return f"even in order, within {ORDER_ROWS} rows at every cut"
    noun = "class" if all(level.is_class for level in counts.levels) else "stratum"
    most = float(np.abs(off).max(initial=0.0))
    rows = "a row" if round(most, 1) <= 1 else f"{most:.1f} rows"
    return f"even, each {noun} within {rows} of its share"


def find_uneven(counts: FoldCounts, cells: JudgedCells) -> Finding | None:
    """Write the warning on the worst uneven cell; strata that a fold lacks take precedence."""
    is_lacking = bool(cells.is_lacking.any())
    flags = cells.is_lacking if is_lacking else cells.is_uneven
    if not flags.any():
        return None
    worst = np.argmax(np.where(flags, cells.residuals, -1))
    stratum, fold = map(int, np.unravel_index(worst, flags.shape))
    tail = f" ({cells.expected[stratum, fold]:,.1f}".removesuffix(".0") + " expected)"
    if is_lacking:
        n_strata = int(flags.any(axis=1).sum())
        said, place = describe_absent(cells.table[stratum], fold)
        tails = [tail] if place == fold else []
        return write_cell("warning", "strata", n_strata, counts, (stratum, place), said, *tails)
    rows = plural(int(cells.table[stratum, fold]), "row")
    said = f"uneven, {{fold}} has {rows} of {{stratum}}"
    return write_cell("warning", "balance", int(flags.sum()), counts, (stratum, fold), said, tail)


def write_cell(
    severity: Severity,
    check: str,
    n: int,
    counts: FoldCounts,
    cell: tuple[int, int],
    said: str,
    *tails: str,
) -> Finding:
    """Write a finding on a stratum in a fold."""
    stratum, fold = cell
    label = counts.labels.values[fold]
    names = {
        "by": name_entries(counts),
        "stratum": name_strata(counts, np.array([stratum]))[0],
        "fold": f"{noun_of(counts.labels)} {label}",
    }
    found = write_finding(severity, check, n, f"{{by}}: {said}", *tails, **names)
    return found.on(fold=label, level=text_of(counts, stratum))


def describe_absent(own: Ints, fold: int) -> tuple[str, int]:
    """Write that a fold lacks a stratum or that one fold has all of it; also return the fold."""
    rows = plural(int(own.sum()), "row")
    if np.count_nonzero(own) > 1:
        return f"{{fold}} has none of {rows} of {{stratum}}", fold
    return f"all {rows} of {{stratum}} are in {{fold}}", int(np.argmax(own))


def count_units(counts: FoldCounts) -> tuple[Ints, Flags]:
    """Count the rows of each stratum or, with groups, the groups; also flag the classes."""
    units = [
        level.table.sum(axis=1) if level.groups is None else level.groups.n
        for level in counts.levels
    ]
    is_class = [np.full(len(level.table), level.is_class) for level in counts.levels]
    return np.concatenate(units), np.concatenate(is_class)


def find_rare(counts: FoldCounts, cells: JudgedCells) -> list[Finding]:
    """Write a note on classes with fewer rows, or groups, than there are folds."""
    n_units, is_class = count_units(counts)
    k = len(counts.labels.present)
    rare = np.flatnonzero(is_class & (n_units > 0) & (n_units < k))
    if not len(rare) or k < 2:
        return []
    by, fold = name_entries(counts), noun_of(counts.labels)
    unit = "row" if counts.levels[0].groups is None else "group"
    n_lacking = k - np.count_nonzero(cells.table[rare], axis=1)
    size, name, n = min(zip(n_units[rare], name_strata(counts, rare), n_lacking, strict=True))
    if len(rare) > 1:
        text = f"{{by}}: {len(rare):,} classes have fewer {unit}s than {fold}s"
        tail = f", such as {{name}} with {size}"
        return [write_finding("note", "strata", len(rare), text, tail, by=by, name=name)]
    have = "has" if n == 1 else "have"
    text = f"{{by}}: {{name}} has {plural(int(size), unit)}, so {n} of {k} {fold}s {have} none"
    found = write_finding("note", "strata", 1, text, by=by, name=name)
    return [found.on(level=text_of(counts, rare[0]))]


def find_absent(counts: FoldCounts, cells: JudgedCells) -> list[Finding]:
    """Write a note on classes that a fold lacks although they have enough rows, or groups.

    There is no note if some of them are the subject of a warning.
    """
    n_units, is_class = count_units(counts)
    k = len(counts.labels.present)
    has_enough = is_class & (n_units >= k)
    lacks = (cells.table == 0) & ~cells.is_even & has_enough[:, None]
    if not lacks.any() or k < 2 or cells.is_lacking.any():
        return []
    stratum, fold = np.argwhere(lacks)[0].tolist()
    n_strata = int(lacks.any(axis=1).sum())
    said, place = describe_absent(cells.table[stratum], fold)
    if n_strata == 1:
        return [write_cell("note", "strata", 1, counts, (stratum, place), said)]
    by, name = name_entries(counts), name_strata(counts, np.array([stratum]))[0]
    text = f"{{by}}: {n_strata:,} classes are not in every {noun_of(counts.labels)}"
    tail = ", such as {stratum}"
    return [write_finding("note", "strata", n_strata, text + tail, by=by, stratum=name)]


def name_entries(counts: FoldCounts) -> str:
    if counts.is_marginal:
        return f"{len(counts.levels)} margins"
    return ", ".join(str(level.name) for level in counts.levels[-1].strata.levels) or "order"


def name_strata(counts: FoldCounts, rows: Ints) -> list[str]:
    """Name the strata in ascending `rows` of the table; classes are written as in code."""
    return [describe(text) if is_class else text for text, is_class in list_strata(counts, rows)]


def list_strata(counts: FoldCounts, rows: Ints) -> list[tuple[str, bool]]:
    """Write the strata in ascending `rows` of the table as text, and say which are classes."""
    texts: list[tuple[str, bool]] = []
    for level in counts.levels:
        n = len(level.table)
        own, rows = rows[rows < n], rows[rows >= n] - n
        found = stratum_names(level.strata, own, with_entry=counts.is_marginal)
        texts += [(text, level.is_class) for text in found]
    return texts


def text_of(counts: FoldCounts, stratum: int) -> str:
    return list_strata(counts, np.array([stratum]))[0][0]


def find_totals(labels: FoldValues, totals: FoldTotals) -> Finding:
    """Write the finding on how far the folds are from their shares of the totals."""
    names, ratio, is_far = totals
    wrong = is_far & (np.abs(ratio) > TENTH)
    if wrong.any():
        column, fold = np.unravel_index(np.argmax(np.abs(ratio) * wrong), wrong.shape)
        more = "more" if ratio[column, fold] > 0 else "less"
        percent = abs(round(100 * ratio[column, fold]))
        said = f"{noun_of(labels)} {{fold}} has {percent} % {more} than its share"
        label = labels.values[fold]
        shown = {"column": describe(names[column]), "fold": str(label)}
        text = f"total of {{column}}: {said}"
        return write_finding("warning", "totals", int(wrong.sum()), text, **shown).on(fold=label)
    # The intended share of a part is known only to within a row.
    sizes = np.array(labels.sizes)
    rounded = 0 if are_equal(sizes) else 1 / np.maximum(sizes, 1)
    n_off = int((np.abs(ratio) > CLOSE + rounded).sum())
    most = 100 * np.abs(ratio).max()
    # The percentage is rounded up, but the rounding errors of sums are ignored.
    within = f"{most:.0f}" if most >= 10 else f"{ceil(round(100 * most, 6)) / 100:g}"
    text = f"{{of}}: totals within {within} % of their shares"
    if most > 100 * TENTH:
        text = f"{{of}}: totals up to {within} % off their shares, which chance explains"
    of = ", ".join(dict.fromkeys(map(str, names)))
    return write_finding("note" if n_off else "ok", "totals", n_off, text, of=of)
