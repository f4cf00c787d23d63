"""`by` on a frame -> strata: which rows are alike, in what order, and which get no part."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..core.strata import factorize_codes, nest_codes
from ..core.types import Flags, Ints, Values
from ..terms.base import (
    DECILES,
    Chain,
    Classes,
    Clusters,
    Continuous,
    Nearest,
    Ordering,
    Quantiles,
    Term,
)
from ..terms.by import margins_of, with_columns
from ..terms.clusters import cluster
from ..terms.entry import Entry, children, pick, read_entry
from ..terms.naming import stratum_values
from .validate import check_enough, check_groups, check_margins, check_order, check_values, frequent


class Level(NamedTuple):
    """One level of nesting: the strata down to one entry of `by`."""

    name: Hashable
    values: Callable[[Ints], Any]
    """From the first dealt row of each stratum to the values that name it."""
    places: Ints
    """By what tables order the strata of one parent, shape (n_dealt,): classes by first
    appearance, bins upwards."""


class Strata(NamedTuple):
    """The strata of a frame."""

    codes: Ints
    """The joint stratum of every dealt row, shape (n_dealt,), range 0..n_strata-1."""
    sizes: Ints
    """The rows of every joint stratum, shape (n_strata,)."""
    coarser: tuple[Ints, ...]
    """For each level of nesting above, finest first, the stratum that holds each joint
    stratum; each of shape (n_strata,), nondecreasing."""
    order: Values | None
    """What orders the rows inside their stratum: a number for each, shape (n_dealt,), or
    features, shape (n_features, n_dealt)."""
    near: Chain | Nearest | None
    """How features order them."""
    rows: Ints | None
    """The positions of the dealt rows; None if all are, in the order of the frame."""
    levels: tuple[Level, ...]
    groups: Ints | None = None
    """The group of every dealt row, shape (n_dealt,), range 0..n_groups-1, numbered by
    first appearance; None where rows are dealt one by one."""
    margins: "tuple[Strata, ...]" = ()
    """The strata of each entry by itself, where these are balanced one by one."""

    @property
    def marginal(self) -> list[tuple[Ints, int]]:
        """The codes of each of these entries, and how many there are."""
        return [(margin.codes, len(margin.sizes)) for margin in self.margins]


def stratify(
    terms: Sequence[Term],
    series: Sequence[Any],
    n_rows: int,
    *,
    key: Sequence[Any] = (),
    missing: str = "stratum",
    rare: str = "ignore",
    seed: int = 0,
    parts: tuple[int, str] | None = None,
    groups: Sequence[Term] = (),
    ordered: bool = True,
) -> Strata:
    """Fit the entries of `by`, each inside the strata of the entries before it."""
    alone = margins_of(terms)
    terms = alone or terms
    given = with_columns([*terms, *groups], series)
    entries = [
        read_entry(term, own, place) for place, (term, own) in enumerate(given[: len(terms)], 1)
    ]
    check_margins(entries) if alone else check_order(entries)
    entries += [
        replace(read_entry(term, own, place), is_group=True)
        for place, (term, own) in enumerate(given[len(terms) :], 1)
    ]
    rows = check_values(entries, missing, key)
    if rows is not None:
        entries = [pick(entry, rows) for entry in entries]
    if entries and missing == "null":
        entries = keep(entries, ~np.logical_or.reduce([entry.missing for entry in entries]))
    if parts is not None:
        check_enough(len(entries[0].missing) if entries else n_rows, parts)
        if terms and not alone and rare != "ignore" and isinstance(entries[0].term, Classes):
            entries = keep(entries, frequent(entries[0], rare, parts))
            check_enough(len(entries[0].missing), parts)
    rows = entries[0].rows if entries else rows
    by, together = entries[: len(terms)], entries[len(terms) :]
    found = None
    if together or not ordered:
        by = [binned(entry) for entry in by]
    if together:
        found = group_codes(together, rows, n_rows, seed)
        if parts is not None:
            check_groups(found, parts)
    if alone:
        every = tuple(fit([entry], rows, n_rows, seed) for entry in by)
        return fit([], rows, n_rows)._replace(groups=found, margins=every)
    return fit(by, rows, n_rows, seed)._replace(groups=found)


def group_codes(entries: Sequence[Entry], rows: Ints | None, n_rows: int, seed: int) -> Ints:
    """Give numbers to the groups that the rows are in; a row without one is one by itself.

    Returns
    -------
    ndarray of int64, shape (n_dealt,), range 0..n_groups-1
        By first appearance.
    """
    found = fit(entries, rows, n_rows, seed)
    codes = found.codes.copy()
    alone = np.logical_or.reduce([entry.missing for entry in entries])
    codes[alone] = len(found.sizes) + np.arange(alone.sum())
    return factorize_codes(codes, len(found.sizes) + int(alone.sum()))[0]


def binned(entry: Entry) -> Entry:
    """Cut a continuous entry into ten quantile bins, as whole groups follow no order."""
    if not isinstance(entry.term, Continuous):
        return entry
    return replace(entry, term=Quantiles(entry.term.column, DECILES, entry.term.name, quiet=True))


def keep(entries: list[Entry], flags: Flags) -> list[Entry]:
    """Restrict entries to the flagged rows."""
    return entries if flags.all() else [pick(entry, np.flatnonzero(flags)) for entry in entries]


def fit(entries: Sequence[Entry], rows: Ints | None, n_rows: int, seed: int = 0) -> Strata:
    """Nest the entries into joint strata, on the rows that are dealt."""
    codes = np.zeros(n_rows if rows is None else len(rows), dtype=np.int64)
    n_strata = min(1, len(codes))
    order: Values | None = None
    near: Chain | Nearest | None = None
    coarser: list[Ints] = []
    levels: list[Level] = []
    for entry in entries:
        if isinstance(entry.term, Ordering):
            order = entry.data
            near = None if isinstance(entry.term, Continuous) else entry.term
            break
        parent = codes
        if isinstance(entry.term, Clusters):
            found = cluster(entry.term, entry.data, codes, n_strata, seed)
            child, n_children, order = found.codes, found.n_clusters, found.distances
            values: Callable[[Ints], Any] = partial(np.take, found.labels)
        else:
            child, n_children = children(entry, codes)
            values = partial(stratum_values, entry, parent=parent, child=child)
        if levels:
            codes, parents = nest_codes(parent, n_strata, child, n_children)
            coarser = [parents, *(level[parents] for level in coarser)]
            n_strata = len(parents)
        else:
            codes, n_strata = numbered(entry, child, n_children)
        places = codes if isinstance(entry.term, Classes) else child
        levels.append(Level(entry.name, values, places))
    sizes = np.bincount(codes, minlength=n_strata)
    return Strata(codes, sizes, tuple(coarser), order, near, rows, tuple(levels))


def numbered(entry: Entry, child: Ints, n_children: int) -> tuple[Ints, int]:
    """Give the strata of a first entry numbers by first appearance, unless they are already."""
    if child is entry.data and entry.rows is None:
        return child, n_children
    codes, present = factorize_codes(child, n_children)
    return codes, len(present)
