"""Write the findings on a fold column: on its counts, its shared rows and its drift.

Each function judges one property of the column. A finding has a severity, a number, and a line of
at most 69 characters, which `check` prints after the severity.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import islice
from math import ceil, sqrt
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from .. import frames
from ..core.chance import RARELY
from ..core.evenness import ORDER_ROWS, SIGMAS, TENTH, JudgedCells, tells_order
from ..core.totals import are_equal
from ..core.types import Ints, StratumTable
from ..errors import MAX_LISTED, describe, plural, preview
from ..frames import FoldValues, SharedRows
from ..pipeline.fold_counts import FoldCounts, FoldTotals
from ..verbs.result_tables import stratum_names
from .drift import Drift
from .lines import WORST_FIRST, Finding, describe_sizes, number_names, write_finding

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

CHECKS = (
    "groups",
    "keys",
    "time",
    "balance",
    "totals",
    "strata",
    "sizes",
    "duplicates",
    "rows",
    "drift",
)
"""The names of the checks, in the order of their lines."""

FEW_FOLDS, FEW_COMPARISONS = 4, 10
"""The maximum number of folds for which a line lists all sizes, and the minimum number of
comparisons for which a line says how many are expected to exceed the level of chance."""

MOST_ALONE = 3
"""The maximum number of group columns that a shortened line names after the first column."""

FEW_COPIES = 1
"""A score changes by at most a percentage point if at most this percentage of rows are copies."""

LEAST_COLUMNS = 3
"""The minimum number of columns that tell copies apart from rows of the same unit, such as visits
of a patient, if another column differs in every row."""

CLOSE = 0.01
"""The fraction up to which no note is written if a fold deviates from its share of a total."""

FAR, CLEAR, MOVED = 2, 0.1, 5
"""Drift is a warning if the distance exceeds `FAR` times the level of chance and exceeds `CLEAR`,
and if at least `MOVED` rows would have to move to remove the drift."""


def noun_of(labels: FoldValues) -> str:
    """Return "part" if all labels are text and not all consist of digits, otherwise "fold"."""
    texts = [each for each in labels.values if isinstance(each, str)]
    is_text = 0 < len(texts) == len(labels.values)
    return "part" if is_text and not all(map(str.isdecimal, texts)) else "fold"


def are_numbered(labels: FoldValues) -> bool:
    """Return whether the labels are consecutive fold numbers: 0, 1, 2 or 1, 2, 3."""
    present = labels.present
    if not present or any(type(each) is not int for each in present):
        return False
    return present[0] in (0, 1) and present[-1] - present[0] + 1 == len(present)


def name_label(labels: FoldValues, place: int) -> str:
    """Return a label as text for a line: parts are written as in code, folds as in "fold 2"."""
    value = labels.values[place]
    return describe(value) if noun_of(labels) == "part" else f"fold {value}"


# Rows and sizes -------------------------------------------------------------------------


def find_rows(labels: FoldValues) -> list[Finding]:
    """List the findings on folds without rows, on too few folds, and on rows without a fold."""
    fold, n_nulls, values, findings = noun_of(labels), labels.n_nulls, labels.values, []
    if not labels.present:
        text = f"no row has a {fold}" if n_nulls else "there are no rows"
        return [write_finding("warning", "rows", n_nulls, text)]
    listed = [value for value, size in zip(values, labels.sizes, strict=True) if not size]
    n_empty = len(listed)  # unused categories; gaps in numbers are added below
    if all(type(value) is int for value in values):
        known, lowest, highest = set(values), min(values), max(values)
        # Fold numbers start at 0 or 1; other numbers, such as years, start at the lowest.
        start = min(lowest, 1) if 0 <= lowest <= len(values) else lowest
        n_empty += min(highest + 1 - start - len(values), 2**62)
        listed += islice((fold for fold in range(start, highest) if fold not in known), MAX_LISTED)
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
    """Write a warning if a column has the same folds as an earlier column.

    `folds` is None if there are too many columns to compare.
    """
    first = known.setdefault(folds, name)
    if first is name:
        return []
    if folds is None:
        text = "equal columns: not looked for, as there are too many columns"
        return [write_finding("note", "rows", 0, text)]
    names = {"first": repr(first), "second": repr(name)}
    return [write_finding("warning", "rows", 1, "{first} and {second} are the same", **names)]


def find_aside(columns: Sequence[Any]) -> list[Finding]:
    names = number_names([describe(str(each)) for each in columns[:MAX_LISTED]])
    listed = preview([f"{{{each}}}" for each in names], len(columns))
    text, n = "left aside (folds, not once in each frame): ", len(columns)
    tails = listed, plural(n, "column")
    return [write_finding("note", "rows", n, text, *tails, **names)] if n else []


def find_unread(columns: Sequence[str]) -> list[Finding]:
    """Note the columns of Arrow data that Polars cannot read."""
    if not columns:
        return []
    names = number_names([describe(name) for name in columns[:MAX_LISTED]])
    listed = preview([f"{{{each}}}" for each in names], len(columns))
    n = len(columns)
    text = "left aside (Polars cannot read their types): "
    return [write_finding("note", "rows", n, text, listed, plural(n, "column"), **names)]


def find_sizes(
    labels: FoldValues, shared: Iterable[Shared], same_as: Callable[[], str | None]
) -> list[Finding]:
    """Write the finding on the sizes of the folds, which should be equal if folds are numbered."""
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
        return [list_shares(labels)]
    pairs = sum(each.rows.n_pairs for each in shared if each.check == "groups" and each.rows)
    squares = sum(sizes) + 2 * pairs  # the sum of squared group sizes; a lone row is a group
    if k < 3 or off <= SIGMAS * sqrt(squares * (k - 1)) / k:
        return [write_finding("note", "sizes", k, f"sizes: {rows}")]
    column = same_as()
    if column is not None:
        text = f"sizes: {describe_sizes(sizes)}, as each fold is one {{column}}"
        return [write_finding("note", "sizes", k, text, column=describe(column))]
    listed = ", ".join(f"{size:,}" for size in sizes[:FEW_FOLDS])
    listed = f"{listed} rows" if k <= FEW_FOLDS else describe_sizes(sizes)
    tail = "; if intended, name the parts ('train', ...)"
    return [write_finding("warning", "sizes", k, f"sizes: {listed}", tail)]


def list_shares(labels: FoldValues) -> Finding:
    """Write the shares of a few parts, sorted by use if all labels describe a use."""
    sizes = np.array([size for size in labels.sizes if size])
    purposes = frames.purposes_of(labels.present)
    by_use = np.arange(len(sizes))
    if (purposes < len(frames.PURPOSES)).all():
        by_use = np.argsort(purposes, kind="stable")
    names = number_names([labels.present[place] for place in by_use])
    shares = (sizes[by_use] / sizes.sum()).tolist()
    listed = [f"{{{name}}} {share:.3g}" for name, share in zip(names, shares, strict=True)]
    return write_finding("ok", "sizes", len(names), f"sizes: {', '.join(listed)}", **names)


# Balance --------------------------------------------------------------------------------


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
    return write_finding("warning", check, n, f"{{by}}: {said}", tail, **names)


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
        found.append(write_finding("note", "strata", len(rare), f"{{by}}: {text}", tail, **names))
    lacks = (table == 0) & ~cells.is_even & (is_class & (n_units >= k))[:, None]
    if lacks.any() and k > 1 and not cells.is_lacking.any():
        (stratum, place), n = np.argwhere(lacks)[0].tolist(), int(lacks.any(axis=1).sum())
        text, place = describe_absent(table[stratum], place)
        if n > 1:
            text = f"{n:,} classes are not in every {fold}, such as {{stratum}}"
        names = name_cell(counts, stratum, place)
        found.append(write_finding("note", "strata", n, f"{{by}}: {text}", **names))
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
    names: list[str] = []
    for level in counts.levels:
        n = len(level.table)
        own, rows = rows[rows < n], rows[rows >= n] - n
        found = stratum_names(level.strata, own, with_entry=counts.is_marginal)
        names += map(describe, found) if level.is_class else found
    return names


def find_totals(labels: FoldValues, totals: FoldTotals) -> Finding:
    (names, ratio, is_far), sizes = totals, np.array(labels.sizes)
    wrong = is_far & (np.abs(ratio) > TENTH)
    if wrong.any():
        column, fold = divmod(int(np.argmax(np.abs(ratio) * wrong)), len(sizes))
        more = f"{abs(round(100 * ratio[column, fold]))} % "
        more += "more" if ratio[column, fold] > 0 else "less"
        text = f"total of {{column}}: {noun_of(labels)} {{fold}} has {more} than its share"
        shown = {"column": describe(names[column]), "fold": str(labels.values[fold])}
        return write_finding("warning", "totals", int(wrong.sum()), text, **shown)
    # The intended share of a part is known only to within a row.
    rounded = 0 if are_equal(sizes) else 1 / np.maximum(sizes, 1)
    n_off, most = int((np.abs(ratio) > CLOSE + rounded).sum()), 100 * np.abs(ratio).max()
    # The percentage is rounded up, but the rounding errors of sums are ignored.
    within = f"{most:.0f}" if most >= 10 else f"{ceil(round(100 * most, 6)) / 100:g}"
    text, of = f"{{of}}: totals within {within} % of their shares", dict.fromkeys(map(str, names))
    return write_finding("note" if n_off else "ok", "totals", n_off, text, of=", ".join(of))


# Shared rows ----------------------------------------------------------------------------


class Shared(NamedTuple):
    """The groups, keys or equal rows to look for, and how many of them are in several folds."""

    check: Literal["groups", "keys", "duplicates"]
    columns: Sequence[Any] = ()
    """The columns in which rows are compared; empty if an engine compares the rows."""
    noun: str = "sets of equal rows"
    """The plural noun for the groups or keys, such as "patients"."""
    names: Sequence[str] = ()
    """The names of the group columns, if there are several."""
    left_aside: Sequence[str] = ()
    """The names of the columns that are not compared."""
    unique: Sequence[str] = ()
    """The names of continuous columns without repeated values; they show that no rows are equal."""
    measured: Sequence[Any] | None = None
    """For each column, its series if the values are numbers or dates, otherwise None. The whole
    field is None if the call names the columns."""
    labels: Sequence[Any] = ()
    """The labels of the compared columns, if the call does not name them."""
    has_ids: bool = False
    """Whether a column that differs in every row is not compared, or the call names a key."""
    are_strata: bool = False
    """Whether `by` names all compared columns."""
    nearest: Callable[[Ints], Ints | None] | None = None
    """A function that takes the folds of leaking rows and ranks groups by their rows' distance."""
    rows: SharedRows | None = None
    """The counts for the rows with a fold; None if nothing was compared."""
    n_partly: int = 0
    """The number of groups or keys that are in one fold and also in rows without a fold."""
    alone: Sequence[SharedRows] = ()
    """The counts for each group column by itself, if there are several."""
    by_chance: bool = False
    has_places: bool = True
    """Whether the positions of rows are meaningful to the user."""

    @property
    def is_judged(self) -> bool:
        """Whether enough columns are compared; equal rows with ids of their own can be visits."""
        return not self.has_ids or len(self.columns) >= LEAST_COLUMNS

    @property
    def known(self) -> Any:
        """Flags for the rows that have a group or a key; for duplicates, flags for all rows."""
        if self.check == "duplicates":
            return np.ones(len(self.columns[0]), dtype=np.bool_)
        if isinstance(self.columns[0], np.ndarray):
            return self.columns[0] >= 0
        return ~np.logical_or.reduce([frames.is_missing(series) for series in self.columns])


def find_shared(shared: Shared, labels: FoldValues) -> list[Finding]:
    """List the findings on groups or keys in several folds, or on equal rows in different folds."""
    rows, fold = shared.rows, noun_of(labels)
    if rows is None:
        text = f"{shared.check}: not looked for, as no column tells rows apart"
        return [write_finding("note", shared.check, 0, text)]
    if shared.check == "duplicates":
        return [find_duplicates(shared, rows, labels)]
    check, noun, findings = shared.check, shared.noun, []
    if rows.n_split:
        counted = count_groups(shared, rows.n_split)
        text = f"{counted} {is_or_are(rows.n_split)} in several {fold}s"
        tails, names = list[str](), {"noun": noun}
        if (example := rows.example) and example.values and len(example.folds) > 1:
            shown = example.values[0] if len(example.values) == 1 else example.values
            low, high = map(str, example.folds)
            names |= {"value": describe(shown), "low": low, "high": high}
            such_as = ", such as {value}"
            tails = [f"{such_as} in {fold}s {{low}} and {{high}}", such_as + " in {low} and {high}"]
            tails.append(such_as)
        findings.append(write_finding("leak", check, rows.n_split, text, *tails, **names))
    elif check == "keys" and rows.n_repeated:
        repeat = "repeats" if rows.n_repeated == 1 else "repeat"
        text = f"{count_groups(shared, rows.n_repeated)} {repeat} within a {fold}"
        tail = " (`groups` may repeat)"
        findings.append(write_finding("warning", check, rows.n_repeated, text, tail, noun=noun))
    elif rows.n_values:
        what = "is unique" if check == "keys" else f"is in one {fold}"
        each = f"each of {rows.n_values:,} {{noun}}"
        text = f"{each if rows.n_values > 1 else count_groups(shared, 1)} {what}"
        findings.append(write_finding("ok", check, rows.n_values, text, noun=noun))
    if n := shared.n_partly:
        text = f"{count_groups(shared, n)} {is_or_are(n)} in a {fold} and in rows without one"
        findings.append(write_finding("note", check, n, text, noun=noun))
    named = zip(shared.names, shared.alone, strict=True)
    alone = [(name, own) for name, own in named if own.n_split]
    return [*findings, find_alone(alone, fold)] if alone else findings


def count_groups(shared: Shared, n: int) -> str:
    """Write a number of groups or keys and the number of all, as in "2 of 9 patients"."""
    n_values = shared.rows.n_values if shared.rows else 0
    if n_values == 1:
        return f"the only {shared.check.removesuffix('s')}"
    return f"{n:,} of {n_values:,} {{noun}}"


def find_alone(alone: Sequence[tuple[str, SharedRows]], fold: str) -> Finding:
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


def worse_of(first: Shared, second: Shared, labels: FoldValues) -> Shared:
    """Return the one with the worse finding, or the first if both are as bad."""

    def rank(shared: Shared) -> int:
        return min(WORST_FIRST.index(each.severity) for each in find_shared(shared, labels))

    return min(first, second, key=rank)


def is_or_are(n: int) -> str:
    return "is" if n == 1 else "are"


def find_duplicates(shared: Shared, rows: SharedRows, labels: FoldValues) -> Finding:
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
    counted, equal = f"{n:,} rows ({share} %)", f" equal a row of another {fold}"
    if shared.measured is not None and not are_many(n, sum(labels.sizes)):
        listed = "; `leaks()` lists them"
        endings = [f"{listed}{tail}" for tail in tails]
        return write_finding("note", "duplicates", n, f"{counted}{equal}", *endings)
    if shared.by_chance or not shared.is_judged:
        endings = describe_doubt(shared, equal, tails)
        return write_finding("note", "duplicates", n, counted, *endings)
    if shared.has_places and rows.example is not None and rows.example.rows is not None:
        first, second = sorted(rows.example.rows)
        tails = [f", such as rows {first:,} and {second:,}{tail}" for tail in tails]
    return write_finding("leak", "duplicates", n, f"{counted}{equal}", *tails)


def describe_doubt(shared: Shared, equal: str, tails: Sequence[str]) -> list[str]:
    """Write that equal rows may be no copies, and the call that judges them; longest first."""
    doubt, question = ", maybe by chance", " equal by chance?"
    if not shared.is_judged:
        doubt, question = ", not judged", " equal, not judged;"
    plain = [f"{equal}{doubt}{tail}" for tail in tails]
    if shared.labels and not shared.are_strata:
        call = double_braces(write_call(shared.labels))
        return [f"{plain[0]}; {call} judges them", f"{question} {call}", *plain, equal]
    return [*plain, equal]


def write_call(labels: Sequence[Any]) -> str:
    """Write the argument that names the compared columns."""
    if len(labels) == 1 and not isinstance(labels[0], tuple):
        return f"duplicates={labels[0]!r}"
    return f"duplicates={[*labels]!r}"


def are_many(n_equal: int, n_rows: int) -> bool:
    """Return whether there are enough equal rows to change a score noticeably."""
    return 100 * n_equal > FEW_COPIES * n_rows


def list_columns(names: Sequence[str]) -> list[str]:
    """Return the names of columns as text, and a shorter text for lines without room for names."""
    listed = double_braces(", ".join(map(describe, names)))
    return [listed, describe(names[0]) if len(names) == 1 else plural(len(names), "column")]


def double_braces(text: str) -> str:
    """Double the braces of a text that becomes part of a line with placeholders."""
    return text.replace("{", "{{").replace("}", "}}")


# Drift ----------------------------------------------------------------------------------


def find_drift(labels: FoldValues, features: Sequence[str], found: Drift) -> Finding:
    distance, chance = found.distance, found.chance
    compared = ~np.isnan(distance) & ~np.isnan(chance)
    n_compared, ratio = int(compared.sum()), np.nan_to_num(found.ratio)
    if not n_compared:
        return write_finding("note", "drift", 0, "drift: nothing to compare")
    totals = np.array(labels.sizes, dtype=np.float64)
    n_rows = totals.sum() + labels.n_nulls
    rows = distance * totals * (n_rows - totals) / max(n_rows, 1)
    wrong = compared & (ratio > FAR) & (distance > CLEAR) & (rows >= MOVED)
    if wrong.any():
        worst = np.unravel_index(np.argmax(np.where(wrong, ratio, -1)), wrong.shape)
        place = feature, fold = int(worst[0]), int(worst[1])
        measure = "TV" if np.isnan(found.ks[place]) else "KS"
        far = f"{measure} {distance[place]:.2f}, chance reaches {chance[place]:.2f}"
        text = f"{{feature}} differs in {noun_of(labels)} {{fold}} ({far})"
        names = {"feature": describe(features[feature]), "fold": str(labels.values[fold])}
        return write_finding("warning", "drift", int(wrong.sum()), text, **names)
    beyond = int((compared & (ratio > 1)).sum())
    counted = f"{beyond:,}" if beyond else "none"
    text = f"drift: {counted} of {plural(n_compared, 'comparison')} beyond chance"
    if beyond and n_compared >= FEW_COMPARISONS:
        text += f", {round(n_compared * RARELY):,} expected"
    return write_finding("note" if beyond else "ok", "drift", beyond, text)


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(
        findings, key=lambda each: (WORST_FIRST.index(each.severity), CHECKS.index(each.check))
    )
