"""Judge groups and keys: each should be in one fold, and each key in one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from .. import frames
from ..core.types import Ints
from ..errors import describe
from ..frames import ComparedColumn, FoldValues, SharedRows
from ..frames.duplicates import count_across_folds, count_with_example
from .labels import noun_of
from .lines import Finding, is_or_are, number_names, write_finding

MOST_ALONE = 3
"""The maximum number of group columns that a shortened line names after the first column."""


class ComparedUnits(NamedTuple):
    """The groups or keys to look for in several folds."""

    check: Literal["groups", "keys"]
    columns: Sequence[ComparedColumn]
    """The columns in which rows are compared; empty if an engine compares the rows."""
    noun: str
    """The plural noun for the groups or keys, such as "patients"."""
    names: Sequence[str] = ()
    """The names of the group columns, if there are several."""
    nearest: Callable[[Ints], Ints | None] | None = None
    """A function that takes the folds of leaking rows and ranks groups by their rows' distance."""

    @property
    def known(self) -> Any:
        """Flags for the rows that have a group or a key."""
        first = self.columns[0].series
        if isinstance(first, np.ndarray):
            return first >= 0
        are_missing = [frames.is_missing(column.series) for column in self.columns]
        return ~np.logical_or.reduce(are_missing)


class SharedUnits(NamedTuple):
    """How many of the groups or keys are in several folds."""

    compared: ComparedUnits
    rows: SharedRows
    """The counts for the rows with a fold."""
    n_partly: int = 0
    """The number of groups or keys that are in one fold and also in rows without a fold."""
    alone: Sequence[SharedRows] = ()
    """The counts for each group column by itself, if there are several."""


def count_units(compared: ComparedUnits, values: list[Any], folds: Ints) -> SharedUnits:
    """Count the groups or keys that are in several folds."""
    columns, known = compared.columns, compared.known
    has_fold = folds >= 0
    words = frames.duplicates.row_words(columns)
    shared = count_with_example(columns, np.flatnonzero(known & has_fold), folds, values, words)
    n_partly = 0
    if not has_fold.all():
        every = count_across_folds(columns, folds, np.flatnonzero(known), words)
        n_partly = every.n_split - shared.n_split
    alone = []
    for column in columns if compared.names else ():
        rows = np.flatnonzero(has_fold & ~frames.is_missing(column.series))
        alone.append(count_with_example([column], rows, folds, values))
    return SharedUnits(compared, shared, n_partly, alone)


def find_units(shared: SharedUnits, labels: FoldValues) -> list[Finding]:
    """List the findings on groups or keys in several folds, and on keys that repeat."""
    found = [*find_split(shared, labels), *find_partly(shared, labels)]
    named = zip(shared.compared.names, shared.alone, strict=True)
    alone = [(name, own) for name, own in named if own.n_split]
    return [*found, find_alone(alone, noun_of(labels))] if alone else found


def find_split(shared: SharedUnits, labels: FoldValues) -> list[Finding]:
    """Write whether groups or keys are in several folds; there is no finding without values."""
    check = shared.compared.check
    noun = shared.compared.noun
    rows = shared.rows
    fold = noun_of(labels)
    if rows.n_split:
        return [write_leak(shared, labels)]
    if check == "keys" and rows.n_repeated:
        repeat = "repeats" if rows.n_repeated == 1 else "repeat"
        text = f"{write_count(shared, rows.n_repeated)} {repeat} within a {fold}"
        tail = " (`groups` may repeat)"
        return [write_finding("warning", check, rows.n_repeated, text, tail, noun=noun)]
    if not rows.n_values:
        return []
    what = "is unique" if check == "keys" else f"is in one {fold}"
    each = f"each of {rows.n_values:,} {{noun}}"
    text = f"{each if rows.n_values > 1 else write_count(shared, 1)} {what}"
    return [write_finding("ok", check, rows.n_values, text, noun=noun)]


def write_leak(shared: SharedUnits, labels: FoldValues) -> Finding:
    """Write that groups or keys are in several folds, with an example if there is room."""
    check = shared.compared.check
    rows = shared.rows
    fold = noun_of(labels)
    text = f"{write_count(shared, rows.n_split)} {is_or_are(rows.n_split)} in several {fold}s"
    names = {"noun": shared.compared.noun}
    example = rows.example
    if example is None or not example.values or len(example.folds) < 2:
        return write_finding("leak", check, rows.n_split, text, **names)
    value = example.values[0] if len(example.values) == 1 else example.values
    low, high = map(str, example.folds)
    names |= {"value": describe(value), "low": low, "high": high}
    tails = [
        f", such as {{value}} in {fold}s {{low}} and {{high}}",
        ", such as {value} in {low} and {high}",
        ", such as {value}",
    ]
    finding = write_finding("leak", check, rows.n_split, text, *tails, **names)
    return finding.on(level=str(value)) if rows.n_split == 1 else finding


def find_partly(shared: SharedUnits, labels: FoldValues) -> list[Finding]:
    """Write a note on groups or keys that are in a fold and in rows without one."""
    n = shared.n_partly
    check = shared.compared.check
    fold = noun_of(labels)
    if not n:
        return []
    text = f"{write_count(shared, n)} {is_or_are(n)} in a {fold} and in rows without one"
    return [write_finding("note", check, n, text, noun=shared.compared.noun)]


def write_count(shared: SharedUnits, n: int) -> str:
    """Write a number of groups or keys and the number of all, as in "2 of 9 patients"."""
    n_values = shared.rows.n_values
    if n_values == 1:
        return f"the only {shared.compared.check.removesuffix('s')}"
    return f"{n:,} of {n_values:,} {{noun}}"


def find_alone(alone: Sequence[tuple[str, SharedRows]], fold: str) -> Finding:
    """Write a note on the columns of a list of groups whose own values are in several folds."""
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
