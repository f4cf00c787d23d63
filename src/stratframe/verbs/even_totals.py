"""Findings on the totals that `sf.total` evens out."""

from __future__ import annotations

from math import ceil

import numpy as np

from .. import frames
from ..core.evenness import SIGMAS, TENTH
from ..core.totals import bounded
from ..core.types import Flags, Ints, Values
from ..errors import describe
from ..pipeline.local_source import LocalSource
from ..pipeline.nest import stratify
from ..pipeline.options import Options
from ..terms.base import Term
from ..terms.entry import read_entry
from .findings import noun_of
from .lines import Finding, write_finding

CLOSE = 0.01
"""The share of a total that a fold may be off without a note."""


def find_totals(
    source: LocalSource, term: Term, name: str, groups: tuple[Term, ...] = ()
) -> list[Finding]:
    columns = source.read_folded(Options((term,), groups=groups), name)
    labels, folds = frames.fold_codes(columns["name"][0])
    sizes, entry = np.array(labels.sizes), read_entry(term, columns["by"], 1)
    units = stratify(Options(groups=groups), {"groups": columns["groups"]}, len(folds)).groups
    units = np.arange(len(folds)) if units is None else units
    ratio, is_far = measure_totals(bounded(entry.data), folds, sizes, units)
    wrong = is_far & (np.abs(ratio) > TENTH)
    names = [
        f"column {place}" if each.is_unnamed else each.name
        for place, (each, n) in enumerate(zip(entry.names, entry.widths, strict=True), 1)
        for _ in range(n)
    ]
    if wrong.any():
        column, fold = divmod(int(np.argmax(np.abs(ratio) * wrong)), len(sizes))
        more = f"{abs(round(100 * ratio[column, fold]))} % "
        more += "more" if ratio[column, fold] > 0 else "less"
        text = f"total of {{column}}: {noun_of(labels)} {{fold}} has {more} than its share"
        shown = {"column": describe(names[column]), "fold": str(labels.values[fold])}
        return [write_finding("warning", "totals", int(wrong.sum()), text, **shown)]
    # The share that a part was given is known to within a row.
    rounded = 0 if have_equal_sizes(sizes) else 1 / np.maximum(sizes, 1)
    n_off, most = int((np.abs(ratio) > CLOSE + rounded).sum()), 100 * np.abs(ratio).max()
    # Rounded up, but not for the rounding errors of sums.
    within = f"{most:.0f}" if most >= 10 else f"{ceil(round(100 * most, 6)) / 100:g}"
    head, of = f"{{of}}: totals within {within} % of their shares", dict.fromkeys(map(str, names))
    return [write_finding("note" if n_off else "ok", "totals", n_off, head, of=", ".join(of))]


def measure_totals(values: Values, folds: Ints, sizes: Ints, units: Ints) -> tuple[Values, Flags]:
    """Measure how far the totals of folds are off, relative to their shares, and if chance is less.

    Both results have the shape (n_columns, n_folds). Units are dealt whole: groups, or rows.
    """
    shares, n_units = sizes / len(folds), int(units.max()) + 1
    held = np.array([np.bincount(folds, column, len(sizes)) for column in values])

    def compare(shares: Values) -> tuple[Values, Values]:
        off = held - values.sum(axis=1, keepdims=True) * shares
        even = np.abs(values).sum(axis=1, keepdims=True) * shares
        return off, np.divide(off, even, out=np.zeros_like(off), where=even > 0)

    off, ratio = compare(shares)
    if have_equal_sizes(sizes):  # totals may follow the number of folds, or of their rows
        others = compare((sizes > 0) / np.count_nonzero(sizes))
        is_nearer = np.abs(others[1]).max(axis=1) < np.abs(ratio).max(axis=1)
        off, ratio = np.where(is_nearer[:, None], others, (off, ratio))
    # A fold has its share of the units, which differ by how far their rows are from the mean.
    apart = values - values.mean(axis=1, keepdims=True)
    squares = np.array([(np.bincount(units, column) ** 2).sum() for column in apart])[:, None]
    spread = np.sqrt(shares * (1 - shares) * squares * n_units / max(n_units - 1, 1))
    return ratio, np.abs(off) > SIGMAS * spread


def have_equal_sizes(sizes: Ints) -> bool:
    return bool(np.ptp(sizes[sizes > 0]) <= 1)
