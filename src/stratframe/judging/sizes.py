"""Judge the labels of a fold column, the rows without one, and the sizes of the folds.

The rules are functions of the numbers and sizes of the folds that have rows; the words are below.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import sqrt
from typing import Any

import numpy as np

from .. import frames
from ..core.evenness import SIGMAS, TENTH
from ..core.types import Ints
from ..errors import MAX_LISTED, describe, plural, preview
from ..frames import FoldValues
from .candidates import names_folds
from .labels import are_numbered, noun_of
from .lines import Finding, describe_sizes, number_names, write_finding

FEW_FOLDS = 4
"""The maximum number of folds for which a line lists all sizes."""

HIGHEST_FIRST = 2
"""The maximum of the lowest fold: 0 or 1, or 2 if fold 1 is lost."""

MOST_LOST = 3
"""At most one of this many folds is lost; numbers with more gaps are names."""


def lost_folds(name: Any, numbers: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """List the numbers of folds that have no rows, in a column with this name.

    Gaps in other numbers, such as years or ids of sites, are not listed, because nothing is lost.
    A lost fold 0 cannot be seen, because folds can start at 1.
    """
    lowest, highest = min(numbers), max(numbers)
    if not (names_folds(name) and 0 <= lowest <= HIGHEST_FIRST):
        return []
    start = min(lowest, 1)
    n_lost = highest + 1 - start - len(numbers)
    if n_lost > max(1, len(numbers) // MOST_LOST) or not look_dealt(np.array(sizes)):
        return []
    known = {*numbers}
    return [number for number in range(start, highest) if number not in known]


def look_dealt(sizes: Ints) -> bool:
    """Return whether the sizes are as equal as those of a deal, be it of rows at random."""
    mean = sizes.mean()
    return bool(np.abs(sizes - mean).max() <= max(1, TENTH * mean, SIGMAS * sqrt(mean)))


def are_unequal(sizes: Ints) -> bool:
    """Return whether a fold deviates from the mean by more than a row and more than a tenth."""
    mean = sizes.mean()
    return bool(np.abs(sizes - mean).max() > max(1, TENTH * mean))


def exceed_chance(sizes: Ints, squares: float) -> bool:
    """Return whether sizes deviate by more than four standard deviations of a random deal.

    `squares` is the sum of the squared sizes of the groups that are dealt; a lone row is a group.
    Two folds are never judged, because a column of two numbers can be flags.
    """
    k = len(sizes)
    deviation = sqrt(squares * (k - 1)) / k
    return k >= 3 and bool(np.abs(sizes - sizes.mean()).max() > SIGMAS * deviation)


# Words -------------------------------------------------------------------------------------


def find_rows(labels: FoldValues, name: Any) -> list[Finding]:
    """List the findings on folds without rows, on too few folds, and on rows without a fold."""
    fold, n_nulls = noun_of(labels), labels.n_nulls
    if not labels.present:
        text = f"no row has a {fold}" if n_nulls else "there are no rows"
        return [write_finding("warning", "rows", n_nulls, text)]
    findings = []
    empty = empty_labels(labels, name)
    if empty:
        findings.append(describe_empty(empty, fold))
    elif len(labels.present) < 2:
        findings.append(write_finding("warning", "rows", 0, f"there is only one {fold}"))
    if n_nulls:
        text = f"{plural(n_nulls, 'row')} {'has' if n_nulls == 1 else 'have'} no {fold}"
        findings.append(write_finding("note", "rows", n_nulls, text))
    return findings


def empty_labels(labels: FoldValues, name: Any) -> list[Any]:
    """List the labels without rows: unused categories, and the numbers of lost folds."""
    sizes = labels.sizes
    empty = [value for value, size in zip(labels.values, sizes, strict=True) if not size]
    if all(type(value) is int for value in labels.values):
        empty += lost_folds(name, labels.values, [size for size in sizes if size])
    return empty


def describe_empty(empty: Sequence[Any], fold: str) -> Finding:
    n = len(empty)
    names = number_names(empty[:MAX_LISTED])
    which = preview([f"{{{each}}}" for each in names], n)
    if n == 1:
        text = f"{fold} {which} has no rows"
        return write_finding("warning", "rows", 1, text, **names).on(fold=empty[0])
    return write_finding("warning", "rows", n, f"{n:,} {fold}s have no rows", f": {which}", **names)


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


def find_aside(columns: Sequence[Any], why: str) -> list[Finding]:
    """Note the columns that are not looked at."""
    if not columns:
        return []
    n = len(columns)
    names = number_names([describe(str(each)) for each in columns[:MAX_LISTED]])
    listed = preview([f"{{{each}}}" for each in names], n)
    text = f"left aside ({why}): "
    return [write_finding("note", "rows", n, text, listed, plural(n, "column"), **names)]


def find_sizes(
    labels: FoldValues, n_group_pairs: int, same_as: Callable[[], str | None]
) -> list[Finding]:
    """Write the finding on the sizes of the folds, which should be equal if folds are numbered.

    `n_group_pairs` is the number of pairs of rows of the same group, and `same_as` looks for a
    column whose values are the folds.
    """
    sizes = np.array([size for size in labels.sizes if size], dtype=np.int64)
    k = len(sizes)
    if not k:
        return []
    shown = describe_sizes(sizes.tolist())
    rows = f"{plural(k, noun_of(labels))} of {shown}"
    if not (are_numbered(labels) and are_unequal(sizes)):
        if noun_of(labels) == "fold" or k > FEW_FOLDS:
            return [write_finding("ok", "sizes", k, f"sizes: {rows}")]
        return [list_shares(labels)]
    # The sum of the squared sizes of groups; a row without others is a group.
    if not exceed_chance(sizes, int(sizes.sum()) + 2 * n_group_pairs):
        return [write_finding("note", "sizes", k, f"sizes: {rows}")]
    column = same_as()
    if column is not None:
        text = f"sizes: {shown}, as each fold is one {{column}}"
        return [write_finding("note", "sizes", k, text, column=describe(column))]
    if k <= FEW_FOLDS:
        shown = ", ".join(f"{size:,}" for size in sizes.tolist()) + " rows"
    tail = "; if intended, name the parts ('train', ...)"
    return [write_finding("warning", "sizes", k, f"sizes: {shown}", tail)]


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
