"""Judge how even the strata and the totals of a fold column are."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from ..core.evenness import ORDER_ROWS, TENTH, JudgedCells, tells_order
from ..core.totals import are_equal
from ..core.types import Ints, StratumTable
from ..errors import describe, plural
from ..frames import FoldValues
from ..pipeline.fold_counts import FoldCounts, FoldTotals
from ..verbs.result_tables import stratum_names
from .labels import are_numbered, noun_of
from .lines import Finding, write_finding

Verdict: TypeAlias = Literal[
    "uneven",
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
    good: Any = "even" if counts.levels[-1].strata.levels else "not judged"
    if (off := counts.levels[-1].off_in_order) is not None:
        n_rows, k, squares = counts.sizes.sum(), np.sum(counts.sizes > 0), np.sum(counts.sizes**2)
        good = np.where(off < ORDER_ROWS, good, "no less even than a shuffle")
        good = good if tells_order(n_rows, k, squares) else "too few rows"
    bad = np.where(cells.is_uneven.any(axis=0), "uneven", "as even as a shuffle")
    words = np.where(cells.is_even.all(axis=0), good, bad)
    chosen: list[Verdict] = np.where(counts.sizes == 0, "empty", words).tolist()
    return chosen


def verdict_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict on a column, which is the worst verdict on a fold with rows."""
    order: tuple[Verdict, ...] = get_args(Verdict)
    return order[min(map(order.index, verdicts), default=len(order) - 1)]


def find_balance(counts: FoldCounts, judged: Sequence[JudgedCells]) -> list[Finding]:
    """List the findings on how even the strata are, and on strata that a fold lacks."""
    if not (counts.sizes.sum() and counts.levels[-1].strata.levels):  # `by` may make no strata
        return []
    cells, by = stack_levels(judged), name_entries(counts)
    words, found = verdicts_of(counts, cells), find_uneven(counts, cells)
    word = verdict_of(words)
    if found is None and word == "even":
        text = f"{{by}}: {describe_even(counts, cells.table)}"
        found = write_finding("ok", "balance", 0, text, by=by)
    elif found is None:
        n, tail = words.count(word), ", even in bins but not in order"
        if word == "too few rows":
            n, tail = 0, " to tell an even order from a shuffle"
        elif word == "as even as a shuffle":
            n = int((~cells.is_even).sum())
            points = 100 * (np.abs(cells.off) / np.maximum(counts.sizes, 1)).max()
            tail = f", shares within {points:.{0 if points >= 10 else 1}f} points"
        found = write_finding("note", "balance", n, f"{{by}}: {word}", tail, by=by)
    return [found, *find_lacking(counts, cells)]


def describe_even(counts: FoldCounts, table: StratumTable) -> str:
    if counts.levels[-1].off_in_order is not None:
        return f"even in order, within {ORDER_ROWS} rows at every cut"
    table, sizes = table[:, counts.sizes > 0], counts.sizes[counts.sizes > 0]
    is_within = np.abs(table - table.mean(axis=1, keepdims=True)) < 1
    if are_numbered(counts.labels) and are_equal(sizes) and is_within.all():
        noun = "class" if all(level.is_class for level in counts.levels) else "stratum"
        return f"even, each {noun} within a row of its share"
    return "even, as far as whole rows allow"


def find_uneven(counts: FoldCounts, cells: JudgedCells) -> Finding | None:
    """Write the warning on the worst uneven cell; strata that a fold lacks take precedence."""
    is_lacking = bool(cells.is_lacking.any())
    flags = cells.is_lacking if is_lacking else cells.is_uneven
    if not flags.any():
        return None
    worst = np.argmax(np.where(flags, cells.residuals, -1))
    stratum, fold = map(int, np.unravel_index(worst, flags.shape))
    check, n, n_rows = "balance", int(flags.sum()), int(cells.table[stratum, fold])
    said = f"uneven, {{fold}} has {plural(n_rows, 'row')} of {{stratum}}"
    tail = f" ({cells.expected[stratum, fold]:,.1f}".removesuffix(".0") + " expected)"
    if is_lacking:
        check, n = "strata", int(flags.any(axis=1).sum())
        said, place = describe_absent(cells.table[stratum], fold)
        fold, tail = place, tail if place == fold else ""
    names = name_cell(counts, stratum, fold)
    found = write_finding("warning", check, n, f"{{by}}: {said}", tail, **names)
    return found.on(fold=counts.labels.values[fold], level=text_of(counts, stratum))


def describe_absent(own: Ints, fold: int) -> tuple[str, int]:
    """Write that a fold lacks a stratum or that one fold has all of it; also return the fold."""
    rows = plural(int(own.sum()), "row")
    if np.count_nonzero(own) > 1:
        return f"{{fold}} has none of {rows} of {{stratum}}", fold
    return f"all {rows} of {{stratum}} are in {{fold}}", int(np.argmax(own))


def find_lacking(counts: FoldCounts, cells: JudgedCells) -> list[Finding]:
    """Write notes on classes with fewer rows than folds, and on other classes that a fold lacks.

    With groups, the number of groups that contain a class is used instead of its number of rows.
    """
    levels, table, found = counts.levels, cells.table, list[Finding]()
    units = [each.table.sum(axis=1) if each.groups is None else each.groups.n for each in levels]
    is_class = np.repeat([level.is_class for level in levels], list(map(len, units)))
    n_units, k, fold = np.concatenate(units), len(counts.labels.present), noun_of(counts.labels)
    rare = np.flatnonzero(is_class & (n_units > 0) & (n_units < k))
    if len(rare) and k > 1:
        n_lacking = k - np.count_nonzero(table[rare], axis=1)
        size, name, n = min(zip(n_units[rare], name_strata(counts, rare), n_lacking, strict=True))
        unit, tail = "row" if levels[0].groups is None else "group", ""
        have = "has" if n == 1 else "have"
        text = f"{{name}} has {plural(int(size), unit)}, so {n} of {k} {fold}s {have} none"
        if len(rare) > 1:
            text = f"{len(rare):,} classes have fewer {unit}s than {fold}s"
            tail = f", such as {{name}} with {size}"
        names = {"by": name_entries(counts), "name": name}
        finding = write_finding("note", "strata", len(rare), f"{{by}}: {text}", tail, **names)
        if len(rare) == 1:
            finding = finding.on(level=text_of(counts, rare[0]))
        found.append(finding)
    lacks = (table == 0) & ~cells.is_even & (is_class & (n_units >= k))[:, None]
    if lacks.any() and k > 1 and not cells.is_lacking.any():
        (stratum, place), n = np.argwhere(lacks)[0].tolist(), int(lacks.any(axis=1).sum())
        text, place = describe_absent(table[stratum], place)
        if n > 1:
            text = f"{n:,} classes are not in every {fold}, such as {{stratum}}"
        names = name_cell(counts, stratum, place)
        finding = write_finding("note", "strata", n, f"{{by}}: {text}", **names)
        if n == 1:
            label = counts.labels.values[place]
            finding = finding.on(fold=label, level=text_of(counts, stratum))
        found.append(finding)
    return found


def name_entries(counts: FoldCounts) -> str:
    if counts.is_marginal:
        return f"{len(counts.levels)} margins"
    return ", ".join(str(level.name) for level in counts.levels[-1].strata.levels) or "order"


def name_cell(counts: FoldCounts, stratum: int, fold: int) -> dict[str, str]:
    (name,), label = name_strata(counts, np.array([stratum])), counts.labels.values[fold]
    named = {"by": name_entries(counts), "stratum": name}
    return named | {"fold": f"{noun_of(counts.labels)} {label}"}


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
    (names, ratio, is_far), sizes = totals, np.array(labels.sizes)
    wrong = is_far & (np.abs(ratio) > TENTH)
    if wrong.any():
        column, fold = divmod(int(np.argmax(np.abs(ratio) * wrong)), len(sizes))
        more = f"{abs(round(100 * ratio[column, fold]))} % "
        more += "more" if ratio[column, fold] > 0 else "less"
        text = f"total of {{column}}: {noun_of(labels)} {{fold}} has {more} than its share"
        shown = {"column": describe(names[column]), "fold": str(labels.values[fold])}
        found = write_finding("warning", "totals", int(wrong.sum()), text, **shown)
        return found.on(fold=labels.values[fold])
    # The intended share of a part is known only to within a row.
    rounded = 0 if are_equal(sizes) else 1 / np.maximum(sizes, 1)
    n_off, most = int((np.abs(ratio) > CLOSE + rounded).sum()), 100 * np.abs(ratio).max()
    # The percentage is rounded up, but the rounding errors of sums are ignored.
    within = f"{most:.0f}" if most >= 10 else f"{ceil(round(100 * most, 6)) / 100:g}"
    text, of = f"{{of}}: totals within {within} % of their shares", dict.fromkeys(map(str, names))
    return write_finding("note" if n_off else "ok", "totals", n_off, text, of=", ".join(of))
