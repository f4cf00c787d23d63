"""What there is to say of a fold column, from its counts, its sets of rows and its drift.

Each function looks at one thing and makes the findings on it: a severity, a number, and a line of
at most 69 letters, to which `check` adds the severity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice, product
from math import sqrt
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ..core.chance import RARELY
from ..core.evenness import TENTH, JudgedCells
from ..core.types import Flags
from ..errors import MAX_LISTED, describe, plural, preview
from ..frames import FoldValues, SharedRows
from ..pipeline.tables import FoldCounts, LevelCounts, stratum_names
from ..terms.clusters import Clusters
from .drift import Drifts

Severity: TypeAlias = Literal["leak", "warning", "note", "ok"]
Verdict: TypeAlias = Literal["even", "as even as a shuffle", "uneven", "empty"]

WORST_FIRST: tuple[Severity, ...] = ("leak", "warning", "note", "ok")

ROOM = 69
"""Letters of a line, which `check` puts after its severity."""

LETTERS = (14, 8)
"""To which a line cuts the names and values that it repeats, rather than leave out its end; and
where it has no room even so."""

FEW_FOLDS = 4
"""Folds or parts up to which a line lists their sizes."""

SIZE_SIGMAS = 4
"""Standard deviations that the sizes of random folds are rarely off."""

GROUPS_PER_FOLD = 2
"""Groups of a stratum for each fold, from which no fold should lack it."""

FEW_COMPARISONS = 10
"""Comparisons from which a line says how many are beyond chance by chance."""

FAR, CLEAR, MOVED = 2, 0.1, 5
"""A drift is wrong if it is so many times the level of chance, of at least this distance, and so
many rows would have to move."""


class Finding(NamedTuple):
    """One thing that is to be said of a column."""

    severity: Severity
    check: str
    n: int
    detail: str


class Labels(NamedTuple):
    """What the labels of a column are called: folds, or parts if they are text."""

    values: FoldValues

    @property
    def noun(self) -> str:
        """The word for one of them."""
        texts = [each for each in self.values.values if isinstance(each, str)]
        is_text = bool(texts) and len(texts) == len(self.values.values)
        return "part" if is_text and not all(each.isdecimal() for each in texts) else "fold"

    @property
    def is_numbered(self) -> bool:
        """Whether they number folds: 0, 1, 2 or 1, 2, 3."""
        present = self.values.present
        if not present or any(type(each) is not int for each in present):
            return False
        return present[0] in (0, 1) and present[-1] - present[0] + 1 == len(present)


def write_line(head: str, *tails: str, **names: str) -> str:
    """Write a line with names for its braces, of which the longest are cut until it fits.

    Parameters
    ----------
    tails : str
        What follows where there is room for it, the longest first.
    """
    text = ""
    for tail, least in product((*tails, ""), LETTERS):
        shown = dict(names)
        text = f"{head}{tail}".format(**shown)
        while len(text) > ROOM and shown:
            longest = max(shown, key=lambda each: len(shown[each]))
            letters = max(len(shown[longest]) - (len(text) - ROOM), least)
            if letters >= len(shown[longest]):
                break
            shown[longest] = cut_name(shown[longest], letters)
            text = f"{head}{tail}".format(**shown)
        if len(text) <= ROOM:
            break
    return text


def number_names(values: Sequence[Any]) -> dict[str, str]:
    """Give values numbered names, by which a line refers to them."""
    return {f"name_{place}": str(value) for place, value in enumerate(values)}


def cut_name(text: str, letters: int) -> str:
    """Cut a name to so many letters, and to the quote that ends it, if one does."""
    quote = text[-1] if text[-1:] in ("'", '"') else ""
    return text if len(text) <= letters else f"{text[: letters - 1 - len(quote)]}\u2026{quote}"


def rounded(number: float) -> str:
    """Write a number of rows with a decimal where it has one."""
    return f"{number:,.1f}".removesuffix(".0")


# Rows and sizes -------------------------------------------------------------------------


def find_rows(labels: Labels) -> list[Finding]:
    """Say which folds have no rows, that there are too few, and how many rows have none."""
    found, fold = labels.values, labels.noun
    listed, n_empty = empty_folds(found)
    findings = []
    if not found.present:
        text = f"no row has a {fold}" if found.n_nulls else "there are no rows"
        return [Finding("warning", "rows", found.n_nulls, text)]
    if n_empty:
        if n_empty == 1:
            text = write_line(f"{fold} {{empty}} has no rows", empty=str(listed[0]))
        else:
            names = number_names(listed[:MAX_LISTED])
            which = preview([f"{{{each}}}" for each in names], n_empty)
            text = write_line(f"{n_empty:,} {fold}s have no rows", f": {which}", **names)
        findings.append(Finding("warning", "rows", n_empty, text))
    elif len(found.present) < 2:
        findings.append(Finding("warning", "rows", 0, f"there is only one {fold}"))
    if found.n_nulls:
        has = "has" if found.n_nulls == 1 else "have"
        text = f"{plural(found.n_nulls, 'row')} {has} no {fold}"
        findings.append(Finding("note", "rows", found.n_nulls, text))
    return findings


def empty_folds(found: FoldValues) -> tuple[list[Any], int]:
    """List some folds without rows, and count them: unused categories, and gaps in numbers."""
    values = found.values
    empty = [value for value, size in zip(values, found.sizes, strict=True) if not size]
    n = len(empty)
    if found.present and all(type(value) is int for value in values):
        known, lowest, highest = set(values), min(values), max(values)
        # Folds are counted from 0 or 1; years, say, from the first that is there.
        start = min(lowest, 1) if 0 <= lowest <= len(values) else lowest
        n += min(highest + 1 - start - len(values), 2**62)
        gaps = (fold for fold in range(start, highest) if fold not in known)
        empty = [*empty, *islice(gaps, MAX_LISTED)]
    return empty, n


def sum_squares(labels: Labels, shared: Iterable[Shared]) -> int:
    """Sum the squared sizes of the groups, of which rows that are dealt alone are 1 each."""
    pairs = sum(each.rows.n_pairs for each in shared if each.check == "groups")
    return sum(labels.values.sizes) + 2 * pairs


def find_sizes(labels: Labels, squares: float, same_as: Callable[[], str | None]) -> list[Finding]:
    """Say how many rows the folds have, and whether equal folds were meant.

    Parameters
    ----------
    squares : float
        As of `sum_squares`.
    same_as : callable
        Finds a column that is one-to-one with the folds.
    """
    sizes = [size for size in labels.values.sizes if size]
    if not sizes:
        return []
    k, mean = len(sizes), sum(sizes) / len(sizes)
    off = max(abs(size - mean) for size in sizes)
    is_off = labels.is_numbered and off > 1 and off > TENTH * mean
    rows = f"{plural(k, labels.noun)} of {describe_sizes(sizes)}"
    if not is_off:
        return [Finding("ok", "sizes", k, list_parts(labels) or f"sizes: {rows}")]
    if k < 3 or off <= SIZE_SIGMAS * sqrt(squares * (k - 1)) / k:
        return [Finding("note", "sizes", k, f"sizes: {rows}")]
    column = same_as()
    if column is not None:
        text = f"sizes: {describe_sizes(sizes)}, as each fold is one {{column}}"
        text = write_line(text, column=describe(column))
        return [Finding("note", "sizes", k, text)]
    listed = ", ".join(f"{size:,}" for size in sizes[:FEW_FOLDS])
    listed = f"{listed} rows" if k <= FEW_FOLDS else describe_sizes(sizes)
    text = f"sizes: {listed}; if that is meant, name the parts ('train', ...)"
    return [Finding("warning", "sizes", k, text)]


def describe_sizes(sizes: Sequence[int]) -> str:
    """Describe how many rows the folds have."""
    least, most = min(sizes), max(sizes)
    return plural(least, "row") if least == most else f"{least:,} to {most:,} rows"


def list_parts(labels: Labels) -> str:
    """List the shares of a few named parts; nothing of other labels."""
    found = labels.values
    if labels.noun == "fold" or len(found.present) > FEW_FOLDS:
        return ""
    total, present = sum(found.sizes), [size for size in found.sizes if size]
    names = number_names(found.present)
    shares = [f"{{{each}}} {size / total:.3g}" for each, size in zip(names, present, strict=True)]
    return write_line(f"sizes: {', '.join(shares)}", **names)


# Balance --------------------------------------------------------------------------------


def verdicts_of(counts: FoldCounts, judged: Sequence[JudgedCells]) -> list[Verdict]:
    """Choose the word for every fold of a column."""
    uneven = np.any([cells.is_uneven.any(axis=0) for cells in judged], axis=0)
    even = np.all([cells.is_even.all(axis=0) for cells in judged], axis=0)
    words = np.where(even, "even", np.where(uneven, "uneven", "as even as a shuffle"))
    chosen: list[Verdict] = np.where(counts.sizes == 0, "empty", words).tolist()
    return chosen


def verdict_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Choose the word for a column: that of its worst fold that has rows."""
    order: tuple[Verdict, ...] = ("uneven", "as even as a shuffle", "even", "empty")
    return order[min(map(order.index, verdicts), default=len(order) - 1)]


def find_balance(
    counts: FoldCounts, judged: Sequence[JudgedCells], labels: Labels
) -> list[Finding]:
    """Say how even the strata are, or which a fold lacks though there is enough of them."""
    if not counts.sizes.sum():
        return []
    by, pairs = name_entries(counts), list(zip(counts.levels, judged, strict=True))
    found = find_uneven(counts, pairs, by, labels)
    n_off = sum(int((~cells.is_even).sum()) for cells in judged)
    if found is None and n_off:
        sizes = np.maximum(counts.sizes, 1)
        points = 100 * max((np.abs(cells.off) / sizes).max(initial=0.0) for cells in judged)
        off = f"shares within {points:.{0 if points >= 10 else 1}f} points"
        text = write_line(f"{{by}}: as even as a shuffle, {off}", by=by)
        found = Finding("note", "balance", n_off, text)
    elif found is None:
        text = write_line(f"{{by}}: {describe_even(counts, labels)}", by=by)
        found = Finding("ok", "balance", 0, text)
    return [found, *find_rare(counts, by, labels)]


def describe_even(counts: FoldCounts, labels: Labels) -> str:
    """Say what an even column is as even as."""
    orders = [len(level.strata.sizes) for level in counts.levels if level.is_order]
    if orders:
        return f"even in {plural(orders[-1], 'bin')}, as even as an order allows"
    sizes = counts.sizes[counts.sizes > 0]
    if labels.is_numbered and int(np.ptp(sizes)) <= 1:
        tables = [level.table[:, counts.sizes > 0] for level in counts.levels]
        means = [table.mean(axis=1, keepdims=True) for table in tables]
        if all((np.abs(t - mean) < 1).all() for t, mean in zip(tables, means, strict=True)):
            noun = "class" if all(level.is_class for level in counts.levels) else "stratum"
            return f"even, each {noun} within a row of its share"
    return "even, as far as whole rows allow"


def find_uneven(
    counts: FoldCounts, pairs: Sequence[tuple[LevelCounts, JudgedCells]], by: str, labels: Labels
) -> Finding | None:
    """Say which cell is the worst, if any is uneven; a stratum that a fold lacks comes first."""
    absent = [lacking_cells(level, cells) for level, cells in pairs]
    chosen = absent if any(flags.any() for flags in absent) else [c.is_uneven for _, c in pairs]
    worst: tuple[float, LevelCounts, JudgedCells, tuple[int, int]] | None = None
    for (level, cells), flags in zip(pairs, chosen, strict=True):
        if flags.any():
            stratum, fold = cells._replace(is_uneven=flags).worst
            weight = float(cells.weights[stratum, fold])
            if worst is None or weight > worst[0]:
                worst = weight, level, cells, (stratum, fold)
    if worst is None:
        return None
    _, level, cells, (stratum, fold) = worst
    rows, expected = int(level.table[stratum, fold]), rounded(cells.expected[stratum, fold])
    names = {
        "by": by,
        "fold": f"{labels.noun} {counts.folds[fold]}",
        "stratum": name_stratum(counts, level, stratum),
    }
    if chosen is absent:
        size = plural(int(level.table[stratum].sum()), "row")
        n = sum(int(flags.any(axis=1).sum()) for flags in absent)
        text = f"{{by}}: {{fold}} has none of {size} of {{stratum}}"
        return Finding("warning", "strata", n, write_line(text, f" ({expected} expected)", **names))
    n = sum(int(flags.sum()) for flags in chosen)
    text = f"{{by}}: uneven, {{fold}} has {plural(rows, 'row')} of {{stratum}}"
    return Finding("warning", "balance", n, write_line(text, f" ({expected} expected)", **names))


def lacking_cells(level: LevelCounts, cells: JudgedCells) -> Flags:
    """Flag the cells without rows of a stratum that has enough rows, or groups, for all folds."""
    lacking: Flags = cells.is_uneven & (level.table == 0)
    if isinstance(level.term, Clusters):
        return np.zeros_like(lacking)
    if level.groups is not None:
        k = int((level.table.sum(axis=0) > 0).sum())
        lacking &= (level.groups.n >= GROUPS_PER_FOLD * k)[:, None]
    return lacking


def find_rare(counts: FoldCounts, by: str, labels: Labels) -> list[Finding]:
    """Note the classes that have fewer rows than there are folds."""
    k = len(labels.values.present)
    rare: list[tuple[int, str, int]] = []
    for level in counts.levels if k > 1 else []:
        if level.is_class:
            sizes, lacking = level.table.sum(axis=1), (level.table == 0).sum(axis=1)
            n_empty = len(counts.folds) - k
            places = np.flatnonzero((sizes > 0) & (sizes < k)).tolist()
            rare += [
                (int(sizes[i]), name_stratum(counts, level, i), int(lacking[i]) - n_empty)
                for i in places
            ]
    if not rare:
        return []
    size, name, lacking = min(rare)
    rows, fold = plural(size, "row"), labels.noun
    if len(rare) == 1:
        have = "has" if lacking == 1 else "have"
        text = f"{{by}}: {{name}} has {rows}, so {lacking} of {k} {fold}s {have} none"
    else:
        text = f"{{by}}: {len(rare):,} classes have fewer rows than {fold}s"
    tails = [] if len(rare) == 1 else [f", such as {{name}} with {size}"]
    return [Finding("note", "strata", len(rare), write_line(text, *tails, by=by, name=name))]


def name_stratum(counts: FoldCounts, level: LevelCounts, place: int) -> str:
    """Name a stratum in a line: classes as in code, others in words."""
    (name,) = stratum_names(level.strata, np.array([place]), with_entry=counts.is_marginal)
    return describe(name) if level.is_class else name


def name_entries(counts: FoldCounts) -> str:
    """Name the entries of `by` as the start of a line."""
    if counts.is_marginal:
        return f"{len(counts.levels)} margins"
    names = [str(level.name) for level in counts.levels[-1].strata.levels]
    return ", ".join(names) if names else "order"


# Sets -----------------------------------------------------------------------------------


class Shared(NamedTuple):
    """What rows share across the folds of a column."""

    check: Literal["groups", "keys"]
    noun: str
    """What the groups or keys are called: "patients"."""
    rows: SharedRows
    """Of the rows that have a fold."""
    n_partly: int = 0
    """How many are in one fold, and in rows without a fold."""
    alone: tuple[tuple[str, SharedRows], ...] = ()
    """Of groups of several columns, what each column is called and shares by itself."""


def find_shared(shared: Shared, labels: Labels) -> list[Finding]:
    """Say which groups or keys are in several folds."""
    check, noun, rows, n_partly, alone = shared
    fold, findings = labels.noun, []
    total = f"{rows.n_values:,} {{noun}}"
    if rows.n_split:
        text = f"{rows.n_split:,} of {total} {is_or_are(rows.n_split)} in several {fold}s"
        text = write_line(text, *such_as(rows, fold), noun=noun, **example_of(rows))
        findings.append(Finding("leak", check, rows.n_split, text))
    elif check == "keys" and rows.n_repeated:
        repeat = "repeats" if rows.n_repeated == 1 else "repeat"
        text = f"{rows.n_repeated:,} of {total} {repeat} within a {fold}"
        text = write_line(text, " (`groups` may repeat)", noun=noun)
        findings.append(Finding("warning", check, rows.n_repeated, text))
    elif rows.n_values:
        what = "is unique" if check == "keys" else f"is in one {fold}"
        text = write_line(f"each of {total} {what}", noun=noun)
        findings.append(Finding("ok", check, rows.n_values, text))
    if n_partly:
        text = f"{n_partly:,} of {total} {is_or_are(n_partly)} in a {fold} and in rows without one"
        findings.append(Finding("note", check, n_partly, write_line(text, noun=noun)))
    for name, own in alone:
        if own.n_split:
            counted = f"{own.n_split:,} of {own.n_values:,} {is_or_are(own.n_split)}"
            text = write_line(f"{{name}} alone: {counted} in several {fold}s", name=name)
            findings.append(Finding("note", check, own.n_split, text))
    return findings


def is_or_are(n: int) -> str:
    """Choose the verb for some of several."""
    return "is" if n == 1 else "are"


def such_as(rows: SharedRows, fold: str) -> list[str]:
    """Write ends of a line with a value that is in several folds and two of these, or alone."""
    if not example_of(rows):
        return []
    places = f", such as {{value}} in {fold}s {{low}} and {{high}}"
    return [places, ", such as {value} in {low} and {high}", ", such as {value}"]


def example_of(rows: SharedRows) -> dict[str, str]:
    """Name a value that is in several folds, and two of these; nothing if none is known."""
    if rows.example is None or not rows.example.values or len(rows.example.folds) < 2:
        return {}
    values, (low, high) = rows.example.values, rows.example.folds
    shown = describe(values[0] if len(values) == 1 else values)
    return {"value": shown, "low": str(low), "high": str(high)}


class Duplicates(NamedTuple):
    """Rows that equal a row of another fold."""

    rows: SharedRows | None
    """None if none were compared."""
    by_chance: bool = False
    """Whether chance, or columns that depend on each other, may explain them."""
    left_aside: tuple[str, ...] = ()
    """Columns that were not compared."""
    why_not: str = "no columns to compare"
    """Why none were compared."""


def find_duplicates(found: Duplicates, labels: Labels) -> list[Finding]:
    """Say how many rows equal a row of another fold, and what was not compared."""
    rows, by_chance, left_aside, why_not = found
    if rows is None:
        return [Finding("note", "duplicates", 0, f"duplicates: {why_not}")]
    n, fold, tails = rows.n_rows, labels.noun, []
    if left_aside:
        listed = ", ".join(map(describe, left_aside)).replace("{", "{{").replace("}", "}}")
        tails = [f" (without {listed})", f" (without {plural(len(left_aside), 'column')})"]
    if not n:
        text = write_line(f"duplicates: no row equals a row of another {fold}", *tails)
        return [Finding("ok", "duplicates", 0, text)]
    if by_chance:
        text = write_line(
            f"duplicates: {n:,} equal rows, with so few values maybe by chance", *tails
        )
        return [Finding("note", "duplicates", n, text)]
    equal = "equals a row" if n == 1 else "equal rows"
    text = f"{plural(n, 'row')} {equal} of other {fold}s"
    if rows.example is not None and rows.example.rows is not None:
        first, second = sorted(rows.example.rows)
        example = f", such as rows {first:,} and {second:,}"
        tails = [*(f"{example}{tail}" for tail in tails), example]
    return [Finding("leak", "duplicates", n, write_line(text, *tails))]


# Drift ----------------------------------------------------------------------------------


def find_drift(found: Drifts, labels: Labels) -> list[Finding]:
    """Say whether a feature differs in a fold by more than chance and its size explain."""
    distance, chance = found.measured.distance, found.measured.chance
    compared = ~np.isnan(distance) & ~np.isnan(chance)
    n_compared, ratio = int(compared.sum()), np.nan_to_num(found.measured.ratio)
    if not n_compared:
        return [Finding("note", "drift", 0, "drift: nothing to compare")]
    totals = np.array(labels.values.sizes, dtype=np.float64)
    n_rows = totals.sum() + labels.values.n_nulls
    rows = distance * totals * (n_rows - totals) / max(n_rows, 1)
    wrong = compared & (ratio > FAR) & (distance > CLEAR) & (rows >= MOVED)
    if wrong.any():
        place = np.unravel_index(np.argmax(np.where(wrong, ratio, -1)), wrong.shape)
        measure = "TV" if np.isnan(found.measured.ks[place]) else "KS"
        far = f"{measure} {distance[place]:.2f}, chance reaches {chance[place]:.2f}"
        text = write_line(
            f"{{feature}} differs in {labels.noun} {{fold}} ({far})",
            feature=describe(found.features[place[0]]),
            fold=str(found.folds[place[1]]),
        )
        return [Finding("warning", "drift", int(wrong.sum()), text)]
    beyond = int((compared & (ratio > 1)).sum())
    if not beyond:
        text = f"drift: none of {plural(n_compared, 'comparison')} beyond chance"
        return [Finding("ok", "drift", 0, text)]
    text = f"drift: {beyond:,} of {plural(n_compared, 'comparison')} beyond chance"
    if n_compared >= FEW_COMPARISONS:
        text += f", {round(n_compared * RARELY):,} expected"
    return [Finding("note", "drift", beyond, text)]


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by severity; of equal severity they stay in their order."""
    return sorted(findings, key=lambda finding: WORST_FIRST.index(finding.severity))
