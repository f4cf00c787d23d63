"""Judge the labels of a fold column, the rows without one, and the sizes of the folds."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import islice
from math import sqrt
from typing import Any

import numpy as np

from .. import frames
from ..core.evenness import SIGMAS, TENTH
from ..errors import MAX_LISTED, describe, plural, preview
from ..frames import FoldValues
from .labels import are_numbered, noun_of
from .lines import Finding, describe_sizes, number_names, write_finding

FEW_FOLDS = 4
"""The maximum number of folds for which a line lists all sizes."""


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
        finding = write_finding("warning", "rows", n_empty, text, tail, **names)
        findings.append(finding.on(fold=listed[0]) if n_empty == 1 else finding)
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
    labels: FoldValues, n_group_pairs: int, same_as: Callable[[], str | None]
) -> list[Finding]:
    """Write the finding on the sizes of the folds, which should be equal if folds are numbered.

    `n_group_pairs` is the number of pairs of rows of the same group, and `same_as` looks for a
    column whose values are the folds.
    """
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
    # The sum of the squared sizes of groups; a row without others is a group.
    squares = sum(sizes) + 2 * n_group_pairs
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
