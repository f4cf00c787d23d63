"""The findings on a fold column, from its counts, its sets of rows and its drift.

Each function looks at one thing and makes the findings on it: a severity, a number, and a line of
at most 69 letters, to which `check` adds the severity.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import islice
from math import sqrt
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from ..core.chance import RARELY
from ..core.evenness import ORDER_ROWS, SIGMAS, TENTH, JudgedCells, tells_order
from ..errors import MAX_LISTED, describe, plural, preview
from ..frames import FoldValues, SharedRows
from ..pipeline.tables import FoldCounts, LevelCounts, stratum_names
from .drift import Drifts
from .lines import WORST_FIRST, Finding, describe_sizes, number_names, write_finding

Verdict: TypeAlias = Literal[
    "uneven", "as even as a shuffle", "no less even than a shuffle", "too few rows", "even", "empty"
]
"""The verdicts on a fold, the worst first."""

CHECKS = (
    *("groups", "keys", "time", "balance", "totals", "strata", "sizes", "duplicates"),
    *("rows", "drift"),
)
"""What findings are about, in the order of their lines."""

FEW_FOLDS, FEW_COMPARISONS = 4, 10
"""The most folds or parts whose sizes a line lists, and the fewest comparisons for which it says
how many should be beyond chance by chance."""

MOST_ALONE = 3
"""The most columns of groups that a line names."""

FEW_COPIES = 1
"""Copies of up to so many percent of the rows move a score by at most a point."""

FAR, CLEAR, MOVED = 2, 0.1, 5
"""Drift is wrong above this many times the level of chance and above this distance, if at least
this many rows would have to move."""


def noun_of(labels: FoldValues) -> str:
    """Choose the word for a label: labels of text are parts, unless all are digits."""
    texts = [each for each in labels.values if isinstance(each, str)]
    is_text = 0 < len(texts) == len(labels.values)
    return "part" if is_text and not all(map(str.isdecimal, texts)) else "fold"


def are_numbered(labels: FoldValues) -> bool:
    """Return whether labels number folds: 0, 1, 2 or 1, 2, 3."""
    present = labels.present
    if not present or any(type(each) is not int for each in present):
        return False
    return present[0] in (0, 1) and present[-1] - present[0] + 1 == len(present)


def name_label(labels: FoldValues, place: int) -> str:
    """Name a label in a line; a part is written as in code."""
    value = labels.values[place]
    return describe(value) if noun_of(labels) == "part" else f"fold {value}"


# Rows and sizes -------------------------------------------------------------------------


def find_rows(labels: FoldValues) -> list[Finding]:
    """Say which folds have no rows, if folds are too few, and how many rows have none."""
    fold, n_nulls, (listed, n_empty) = noun_of(labels), labels.n_nulls, empty_folds(labels)
    if not labels.present:
        text = f"no row has a {fold}" if n_nulls else "there are no rows"
        return [write_finding("warning", "rows", n_nulls, text)]
    findings = []
    if n_empty:
        names = number_names(listed[:MAX_LISTED])
        which = preview([f"{{{each}}}" for each in names], n_empty)
        text, tail = f"{n_empty:,} {fold}s have no rows", f": {which}"
        if n_empty == 1:
            text, tail = f"{fold} {which} has no rows", ""
        findings.append(write_finding("warning", "rows", n_empty, text, tail, **names))
    elif len(labels.present) < 2:
        findings.append(write_finding("warning", "rows", 0, f"there is only one {fold}"))
    if n_nulls:
        text = f"{plural(n_nulls, 'row')} {'has' if n_nulls == 1 else 'have'} no {fold}"
        findings.append(write_finding("note", "rows", n_nulls, text))
    return findings


def find_same(known: dict[Hashable, Any], name: Any, folds: Hashable) -> list[Finding]:
    """Warn of a column with the folds of an earlier one.

    The folds are None if the columns are too many to compare.
    """
    first = known.setdefault(folds, name)
    if first is name:
        return []
    if folds is None:
        text = "equal columns: not looked for, as there are many"
        return [write_finding("note", "rows", 0, text)]
    names = {"first": repr(first), "second": repr(name)}
    return [write_finding("warning", "rows", 1, "{first} and {second} are the same", **names)]


def find_aside(columns: Sequence[Any]) -> list[Finding]:
    names = number_names([describe(str(each)) for each in columns[:MAX_LISTED]])
    listed = preview([f"{{{each}}}" for each in names], len(columns))
    text, n = "left aside (folds, or not in all frames): ", len(columns)
    tails = listed, plural(n, "column")
    return [write_finding("note", "rows", n, text, *tails, **names)] if n else []


def empty_folds(labels: FoldValues) -> tuple[list[Any], int]:
    """List some folds without rows, and count them: unused categories, and gaps in numbers."""
    values = labels.values
    empty = [value for value, size in zip(values, labels.sizes, strict=True) if not size]
    n = len(empty)
    if labels.present and all(type(value) is int for value in values):
        known, lowest, highest = set(values), min(values), max(values)
        # Folds are counted from 0 or 1; other numbers, such as years, from the first.
        start = min(lowest, 1) if 0 <= lowest <= len(values) else lowest
        n += min(highest + 1 - start - len(values), 2**62)
        gaps = (fold for fold in range(start, highest) if fold not in known)
        empty = [*empty, *islice(gaps, MAX_LISTED)]
    return empty, n


def find_sizes(
    labels: FoldValues, shared: Iterable[Shared], same_as: Callable[[], str | None]
) -> list[Finding]:
    """Say how many rows the folds have, and if sizes should be equal, or follow a column."""
    sizes = [size for size in labels.sizes if size]
    if not sizes:
        return []
    k, mean = len(sizes), sum(sizes) / len(sizes)
    off = max(abs(size - mean) for size in sizes)
    is_off = are_numbered(labels) and off > 1 and off > TENTH * mean
    rows = f"{plural(k, noun_of(labels))} of {describe_sizes(sizes)}"
    if not is_off:
        if noun_of(labels) == "fold" or k > FEW_FOLDS:
            return [write_finding("ok", "sizes", k, f"sizes: {rows}")]
        names = number_names(labels.present)
        shares = [f"{{{each}}} {n / sum(sizes):.3g}" for each, n in zip(names, sizes, strict=True)]
        return [write_finding("ok", "sizes", k, f"sizes: {', '.join(shares)}", **names)]
    pairs = sum(each.rows.n_pairs for each in shared if each.check == "groups" and each.rows)
    squares = sum(sizes) + 2 * pairs  # of group sizes; a row alone is a group
    if k < 3 or off <= SIGMAS * sqrt(squares * (k - 1)) / k:
        return [write_finding("note", "sizes", k, f"sizes: {rows}")]
    column = same_as()
    if column is not None:
        text = f"sizes: {describe_sizes(sizes)}, as each fold is one {{column}}"
        return [write_finding("note", "sizes", k, text, column=describe(column))]
    listed = ", ".join(f"{size:,}" for size in sizes[:FEW_FOLDS])
    listed = f"{listed} rows" if k <= FEW_FOLDS else describe_sizes(sizes)
    tail = "; if meant, name the parts ('train', ...)"
    return [write_finding("warning", "sizes", k, f"sizes: {listed}", tail)]


# Balance --------------------------------------------------------------------------------


def verdicts_of(counts: FoldCounts, judged: Sequence[JudgedCells]) -> list[Verdict]:
    uneven = np.any([cells.is_uneven.any(axis=0) for cells in judged], axis=0)
    even = np.all([cells.is_even.all(axis=0) for cells in judged], axis=0)
    good: Any = "even"
    if (off := counts.levels[-1].off_in_order) is not None:
        n_rows, k, squares = counts.sizes.sum(), np.sum(counts.sizes > 0), np.sum(counts.sizes**2)
        good = np.where(off < ORDER_ROWS, good, "no less even than a shuffle")
        good = good if tells_order(n_rows, k, squares) else "too few rows"
    words = np.where(even, good, np.where(uneven, "uneven", "as even as a shuffle"))
    chosen: list[Verdict] = np.where(counts.sizes == 0, "empty", words).tolist()
    return chosen


def verdict_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Choose the verdict on a column: that on its worst fold that has rows."""
    order: tuple[Verdict, ...] = get_args(Verdict)
    return order[min(map(order.index, verdicts), default=len(order) - 1)]


def find_balance(
    counts: FoldCounts, judged: Sequence[JudgedCells], labels: FoldValues
) -> list[Finding]:
    """Say how even the strata are, or which stratum a fold lacks although it is large enough."""
    if not (counts.sizes.sum() and counts.levels[-1].strata.levels):  # an order alone has none
        return []
    by, words = name_entries(counts), verdicts_of(counts, judged)
    found, word = find_uneven(counts, judged, labels), verdict_of(words)
    if found is None and word == "even":
        text = f"{{by}}: {describe_even(counts, labels)}"
        found = write_finding("ok", "balance", 0, text, by=by)
    elif found is None:
        n, tails = words.count(word), [", even in bins but not in order"]
        if word == "too few rows":
            n, tails = 0, [" to tell an even order from a shuffle"]
        elif word == "as even as a shuffle":
            n = sum(int((~cells.is_even).sum()) for cells in judged)
            sizes = np.maximum(counts.sizes, 1)
            points = 100 * max((np.abs(cells.off) / sizes).max(initial=0.0) for cells in judged)
            tails = [f", shares within {points:.{0 if points >= 10 else 1}f} points"]
        found = write_finding("note", "balance", n, f"{{by}}: {word}", *tails, by=by)
    return [found, *find_rare(counts, by, labels), *find_absent(counts, judged, labels)]


def describe_even(counts: FoldCounts, labels: FoldValues) -> str:
    if counts.levels[-1].off_in_order is not None:
        return f"even in order, within {ORDER_ROWS} rows at every cut"
    sizes = counts.sizes[counts.sizes > 0]
    if are_numbered(labels) and int(np.ptp(sizes)) <= 1:
        tables = [level.table[:, counts.sizes > 0] for level in counts.levels]
        means = [table.mean(axis=1, keepdims=True) for table in tables]
        if all((np.abs(t - mean) < 1).all() for t, mean in zip(tables, means, strict=True)):
            noun = "class" if all(level.is_class for level in counts.levels) else "stratum"
            return f"even, each {noun} within a row of its share"
    return "even, as far as whole rows allow"


def find_uneven(
    counts: FoldCounts, judged: Sequence[JudgedCells], labels: FoldValues
) -> Finding | None:
    """Name the worst cell, if any is uneven; a stratum that a fold lacks comes first."""
    flagged = [cells.is_lacking for cells in judged]
    are_absent = any(flags.any() for flags in flagged)
    if not are_absent:
        flagged = [cells.is_uneven for cells in judged]
    weights = [np.where(flags, c.residuals, -1) for flags, c in zip(flagged, judged, strict=True)]
    place = int(np.argmax([each.max(initial=-1) for each in weights]))
    if not flagged[place].any():
        return None
    level, worst = counts.levels[place], np.argmax(weights[place])
    stratum, fold = map(int, np.unravel_index(worst, weights[place].shape))
    expected = f"{judged[place].expected[stratum, fold]:,.1f}".removesuffix(".0")
    tails = [f" ({expected} expected)"]
    if are_absent:
        check, n = "strata", sum(int(flags.any(axis=1).sum()) for flags in flagged)
        said, fold = describe_absent(level, stratum, fold)
        tails = tails if level.table[stratum, fold] == 0 else []
    else:
        check, n = "balance", sum(int(flags.sum()) for flags in flagged)
        n_rows = plural(int(level.table[stratum, fold]), "row")
        said = f"uneven, {{fold}} has {n_rows} of {{stratum}}"
    names = name_cell(counts, level, stratum, fold, labels)
    return write_finding("warning", check, n, f"{{by}}: {said}", *tails, **names)


def describe_absent(level: LevelCounts, stratum: int, fold: int) -> tuple[str, int]:
    """Say which fold lacks a stratum, or has all of its rows; also return that fold."""
    rows, holds = plural(int(level.table[stratum].sum()), "row"), level.table[stratum].nonzero()[0]
    if len(holds) > 1:
        return f"{{fold}} has none of {rows} of {{stratum}}", fold
    return f"all {rows} of {{stratum}} are in {{fold}}", int(holds[0])


def find_absent(
    counts: FoldCounts, judged: Sequence[JudgedCells], labels: FoldValues
) -> list[Finding]:
    """Note the classes with enough rows, or groups, that by chance are not in every fold."""
    if any(cells.is_lacking.any() for cells in judged):
        return []
    absent: list[tuple[LevelCounts, int, int]] = []
    k = len(labels.present)
    for level, cells in zip(counts.levels, judged, strict=True):
        units = level.table.sum(axis=1) if level.groups is None else level.groups.n
        lacks = (level.table == 0) & ~cells.is_even & (units >= k)[:, None] & level.is_class
        absent += [(level, stratum, fold) for stratum, fold in np.argwhere(lacks).tolist()]
    strata = {(id(level), stratum) for level, stratum, _ in absent}
    if not absent or k < 2:
        return []
    level, stratum, fold = absent[0]
    said, fold = describe_absent(level, stratum, fold)
    if len(strata) > 1:
        said = f"{len(strata):,} classes are not in every {noun_of(labels)}, such as {{stratum}}"
    names = name_cell(counts, level, stratum, fold, labels)
    return [write_finding("note", "strata", len(strata), f"{{by}}: {said}", **names)]


def name_cell(
    counts: FoldCounts, level: LevelCounts, stratum: int, fold: int, labels: FoldValues
) -> dict[str, str]:
    """Name the entries of `by`, a stratum and a fold, for the braces of a line."""
    cell = name_stratum(counts, level, stratum), f"{noun_of(labels)} {counts.folds[fold]}"
    return {"by": name_entries(counts), "stratum": cell[0], "fold": cell[1]}


def find_rare(counts: FoldCounts, by: str, labels: FoldValues) -> list[Finding]:
    """Note the classes that have fewer rows, or groups, than there are folds."""
    k, fold, unit = len(labels.present), noun_of(labels), "row"
    rare: list[tuple[int, str, int]] = []
    for level in counts.levels if k > 1 else ():
        sizes, n_held = level.table.sum(axis=1), (level.table > 0).sum(axis=1)
        if level.groups is not None:
            sizes, unit = level.groups.n, "group"
        places = np.flatnonzero((sizes > 0) & (sizes < k)).tolist() if level.is_class else ()
        rare += [
            (int(sizes[i]), name_stratum(counts, level, i), k - int(n_held[i])) for i in places
        ]
    if not rare:
        return []
    (size, name, lacking), tails = min(rare), []
    have = "has" if lacking == 1 else "have"
    text = f"{{name}} has {plural(size, unit)}, so {lacking} of {k} {fold}s {have} none"
    if len(rare) > 1:
        text = f"{len(rare):,} classes have fewer {unit}s than {fold}s"
        tails = [f", such as {{name}} with {size}"]
    return [write_finding("note", "strata", len(rare), f"{{by}}: {text}", *tails, by=by, name=name)]


def name_stratum(counts: FoldCounts, level: LevelCounts, place: int) -> str:
    """Name a stratum in a line; classes are written as in code, others in words."""
    (name,) = stratum_names(level.strata, np.array([place]), with_entry=counts.is_marginal)
    return describe(name) if level.is_class else name


def name_entries(counts: FoldCounts) -> str:
    if counts.is_marginal:
        return f"{len(counts.levels)} margins"
    return ", ".join(str(level.name) for level in counts.levels[-1].strata.levels) or "order"


# Sets -----------------------------------------------------------------------------------


class Shared(NamedTuple):
    """What rows share across the folds of a column."""

    check: Literal["groups", "keys", "duplicates"]
    noun: str
    """What the groups or keys are called: "patients"."""
    rows: SharedRows | None
    """What the rows that have a fold share; None if nothing was compared."""
    n_partly: int = 0
    """How many groups or keys are in one fold, and also in rows without a fold."""
    alone: tuple[tuple[str, SharedRows], ...] = ()
    """With groups of several columns, the name of each, and what rows share in it alone."""
    by_chance: bool = False
    """Whether chance explains equal rows."""
    is_named: bool = False
    """Whether the call names the columns in which rows are equal."""
    left_aside: Sequence[str] = ()
    """Columns that were not compared."""
    unique: Sequence[str] = ()
    """Columns that differ in every row."""
    why_not: str = ""
    """Why nothing was compared."""
    has_places: bool = True
    """Whether the positions of rows mean something."""


def find_shared(shared: Shared, labels: FoldValues) -> list[Finding]:
    """Say which groups or keys are in several folds, or how many rows equal one of another fold."""
    rows, fold = shared.rows, noun_of(labels)
    if rows is None:
        text = f"{shared.check}: {{why}}"
        return [write_finding("note", shared.check, 0, text, why=shared.why_not)]
    if shared.check == "duplicates":
        return [find_duplicates(shared, rows, labels)]
    check, noun, findings = shared.check, shared.noun, []
    total = f"{rows.n_values:,} {{noun}}"
    if rows.n_split:
        text = f"{rows.n_split:,} of {total} {is_or_are(rows.n_split)} in several {fold}s"
        tails, names = such_as(rows, fold)
        findings.append(
            write_finding("leak", check, rows.n_split, text, *tails, noun=noun, **names)
        )
    elif check == "keys" and rows.n_repeated:
        repeat = "repeats" if rows.n_repeated == 1 else "repeat"
        text = f"{rows.n_repeated:,} of {total} {repeat} within a {fold}"
        tail = " (`groups` may repeat)"
        findings.append(write_finding("warning", check, rows.n_repeated, text, tail, noun=noun))
    elif rows.n_values:
        what = "is unique" if check == "keys" else f"is in one {fold}"
        text = f"each of {total} {what}"
        findings.append(write_finding("ok", check, rows.n_values, text, noun=noun))
    if n := shared.n_partly:
        text = f"{n:,} of {total} {is_or_are(n)} in a {fold} and in rows without one"
        findings.append(write_finding("note", check, n, text, noun=noun))
    alone = [(name, own) for name, own in shared.alone if own.n_split]
    return [*findings, find_alone(alone, fold)] if alone else findings


def find_alone(alone: Sequence[tuple[str, SharedRows]], fold: str) -> Finding:
    """Note how many values of each column of groups are in several folds; a line names three."""
    counts = [f"{own.n_split:,} of {own.n_values:,}" for _, own in alone]
    names = number_names([name for name, _ in alone])
    listed = [f"; {{{name}}} {count}" for name, count in zip(names, counts, strict=True)]
    tails = [
        f"{''.join(listed[1:shown])}; {len(alone) - shown:,} more"
        for shown in range(min(len(alone) - 1, MOST_ALONE), 0, -1)
    ]
    text = f"{{name_0}} alone: {counts[0]} {is_or_are(alone[0][1].n_split)} in several {fold}s"
    n = sum(own.n_split for _, own in alone)
    return write_finding("note", "groups", n, text, "".join(listed[1:]), *tails, **names)


def is_or_are(n: int) -> str:
    return "is" if n == 1 else "are"


def such_as(rows: SharedRows, fold: str) -> tuple[list[str], dict[str, str]]:
    """Write ends of a line with an example in several folds, and their names; none if unknown."""
    example = rows.example
    if example is None or not example.values or len(example.folds) < 2:
        return [], {}
    shown = describe(example.values[0] if len(example.values) == 1 else example.values)
    names = {"value": shown, "low": str(example.folds[0]), "high": str(example.folds[1])}
    places = f", such as {{value}} in {fold}s {{low}} and {{high}}"
    return [places, ", such as {value} in {low} and {high}", ", such as {value}"], names


def find_duplicates(shared: Shared, rows: SharedRows, labels: FoldValues) -> Finding:
    """Say how many rows equal a row of another fold, and which columns may hide copies."""
    n, fold, tails = rows.n_rows, noun_of(labels), [""]
    if shared.unique:
        differ = "differs" if len(shared.unique) == 1 else "differ"
        tails = [f", as {each} {differ} in every row" for each in list_columns(shared.unique)]
        return write_finding("ok", "duplicates", 0, "duplicates: none", *tails)
    if shared.left_aside:
        tails = [f" (without {each})" for each in list_columns(shared.left_aside)] + tails
    if not n:
        text = f"duplicates: no row equals a row of another {fold}"
        return write_finding("ok", "duplicates", 0, text, *tails)
    percent = 100 * n / sum(labels.sizes)
    share = f"{percent:.{0 if percent >= 10 else 1}f}" if percent >= 0.1 else "under 0.1"
    text = f"{n:,} rows ({share} %) equal a row of another {fold}"
    if shared.by_chance:
        return write_finding("note", "duplicates", n, f"{text}, maybe by chance", *tails)
    if not shared.is_named and not are_many(n, sum(labels.sizes)):
        listed = "; `leaks()` lists them"
        return write_finding("note", "duplicates", n, text, *(f"{listed}{tail}" for tail in tails))
    if shared.has_places and rows.example is not None and rows.example.rows is not None:
        first, second = sorted(rows.example.rows)
        tails = [f", such as rows {first:,} and {second:,}{tail}" for tail in tails]
    return write_finding("leak", "duplicates", n, text, *tails)


def are_many(n_equal: int, n_rows: int) -> bool:
    """Return whether equal rows are so many that copies could move a score."""
    return 100 * n_equal > FEW_COPIES * n_rows


def list_columns(names: Sequence[str]) -> list[str]:
    """Write columns by their names, and as a count for a line that has no room for names."""
    listed = ", ".join(map(describe, names)).replace("{", "{{").replace("}", "}}")
    return [listed, describe(names[0]) if len(names) == 1 else plural(len(names), "column")]


# Drift ----------------------------------------------------------------------------------


def find_drift(found: Drifts, labels: FoldValues) -> Finding:
    """Say whether a feature differs in a fold by more than chance and fold size explain."""
    distance, chance = found.measured.distance, found.measured.chance
    compared = ~np.isnan(distance) & ~np.isnan(chance)
    n_compared, ratio = int(compared.sum()), np.nan_to_num(found.measured.ratio)
    if not n_compared:
        return write_finding("note", "drift", 0, "drift: nothing to compare")
    totals = np.array(labels.sizes, dtype=np.float64)
    n_rows = totals.sum() + labels.n_nulls
    rows = distance * totals * (n_rows - totals) / max(n_rows, 1)
    wrong = compared & (ratio > FAR) & (distance > CLEAR) & (rows >= MOVED)
    if wrong.any():
        place = np.unravel_index(np.argmax(np.where(wrong, ratio, -1)), wrong.shape)
        measure = "TV" if np.isnan(found.measured.ks[place]) else "KS"
        far = f"{measure} {distance[place]:.2f}, chance reaches {chance[place]:.2f}"
        text = f"{{feature}} differs in {noun_of(labels)} {{fold}} ({far})"
        names = {
            "feature": describe(found.features[place[0]]),
            "fold": str(found.folds[place[1]]),
        }
        return write_finding("warning", "drift", int(wrong.sum()), text, **names)
    beyond = int((compared & (ratio > 1)).sum())
    counted = f"{beyond:,}" if beyond else "none"
    text = f"drift: {counted} of {plural(n_compared, 'comparison')} beyond chance"
    if beyond and n_compared >= FEW_COMPARISONS:
        text += f", {round(n_compared * RARELY):,} expected"
    return write_finding("note" if beyond else "ok", "drift", beyond, text)


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by severity, and then by what they are about."""
    return sorted(
        findings, key=lambda each: (WORST_FIRST.index(each.severity), CHECKS.index(each.check))
    )
