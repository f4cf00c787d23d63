"""Entries on a frame -> strata: which rows are alike, in what order, and which are dealt."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from ..core.strata import crosstab, factorize_codes, nest_codes
from ..core.types import Flags, Ints, Table
from ..terms.base import Division, OrderTerm, RowOrder, StrataTerm
from ..terms.by import hand_out
from ..terms.entry import Entry, read_entry, select_rows, stratum_name, without_order
from .options import Options
from .validate import check_enough, check_values, keep_frequent


class Level(NamedTuple):
    """One level of nesting: the strata down to one entry of `by`."""

    name: Hashable
    values: Callable[[Ints], Any]
    """From the first dealt row of each stratum to the values that name it."""
    places: Ints
    """The place of every row among the strata of its parent, shape (n_dealt,): classes by first
    appearance, bins upwards."""
    is_nominal: bool = False
    """Whether they are classes, which tables order by value where values can be compared."""


class Strata(NamedTuple):
    """The strata of a frame."""

    codes: Ints
    """The joint stratum of every dealt row, shape (n_dealt,), range 0..n_strata-1."""
    sizes: Ints
    """The rows of every joint stratum, shape (n_strata,)."""
    coarser: tuple[Ints, ...] = ()
    """For each level of nesting above, finest first, the stratum that holds each joint
    stratum; each of shape (n_strata,), nondecreasing."""
    order: RowOrder | None = None
    """How the rows are ordered inside their stratum; None for at random."""
    rows: Ints | None = None
    """The positions of the dealt rows; None if all are, in the order of the frame."""
    levels: tuple[Level, ...] = ()
    groups: Ints | None = None
    """The group of every dealt row, shape (n_dealt,), range 0..n_groups-1, numbered by
    first appearance; None where rows are dealt one by one."""
    margins: tuple[Strata, ...] = ()
    """The strata of each entry by itself, where each is balanced on its own."""

    @property
    def marginal_codes(self) -> list[tuple[Ints, int]]:
        """The codes of each of these entries, and how many there are."""
        return [(margin.codes, len(margin.sizes)) for margin in self.margins]

    def crosstab(self, parts: Ints, n_parts: int, counts: Ints | None = None) -> Table:
        """Count the rows of each stratum in each part; with `counts` a row stands for several."""
        return crosstab(self.codes, len(self.sizes), parts, n_parts, counts)


def stratify(
    options: Options, series: Sequence[Any], n_rows: int, *, ordered: bool = True
) -> Strata:
    """Fit the entries of a call, each inside the strata of the entries before it.

    Parameters
    ----------
    series : sequence of Series
        The columns of each term of `by`, one term after another, then those of `groups`
        and of `key`.
    ordered : bool
        Without it, and with groups, a continuous entry is cut into bins.
    """
    entries = read_entries(options, series)
    n_by, n_read = len(options.terms), sum(len(entry.series) for entry in entries)
    rows = check_values(entries, options, series[n_read : n_read + len(options.key)])
    if rows is not None:
        entries = [select_rows(entry, rows) for entry in entries]
    entries = dealt_entries(entries, options, n_rows)
    rows = entries[0].rows if entries else rows
    stratum_entries, group_entries = entries[:n_by], entries[n_by:]
    groups = None
    if group_entries or not ordered:
        stratum_entries = [without_order(entry) for entry in stratum_entries]
    if group_entries:
        groups = group_codes(group_entries, rows, n_rows, options.seed)
        n_groups = int(groups.max(initial=-1)) + 1
        check_enough(n_groups, options.target, "the number of groups", "group")
    if options.one_by_one:
        margins = tuple(nest([entry], rows, n_rows, options.seed) for entry in stratum_entries)
        return nest([], rows, n_rows)._replace(groups=groups, margins=margins)
    return nest(stratum_entries, rows, n_rows, options.seed)._replace(groups=groups)


def read_entries(options: Options, series: Sequence[Any]) -> list[Entry]:
    """Read the entries of `by`, then those of `groups`."""
    handed = hand_out([*options.terms, *options.groups], series)
    n_by = len(options.terms)
    by = [
        read_entry(term, columns, place) for place, (term, columns) in enumerate(handed[:n_by], 1)
    ]
    groups = [
        read_entry(term, columns, place, "groups")
        for place, (term, columns) in enumerate(handed[n_by:], 1)
    ]
    return by + groups


def dealt_entries(entries: list[Entry], options: Options, n_rows: int) -> list[Entry]:
    """Restrict entries to the rows that are dealt, and raise if these are too few."""
    if entries and options.missing == "null":
        entries = keep(entries, ~np.logical_or.reduce([entry.missing for entry in entries]))
    limit = "the number of rows dealt"
    check_enough(len(entries[0].missing) if entries else n_rows, options.target, limit, "row")
    nested = options.terms and not options.one_by_one
    if nested and options.rare != "ignore" and entries[0].term.is_nominal:
        entries = keep(entries, keep_frequent(entries[0], options))
        check_enough(len(entries[0].missing), options.target, limit, "row")
    return entries


def keep(entries: list[Entry], flags: Flags) -> list[Entry]:
    """Restrict entries to the flagged rows."""
    if flags.all():
        return entries
    return [select_rows(entry, np.flatnonzero(flags)) for entry in entries]


def group_codes(entries: Sequence[Entry], rows: Ints | None, n_rows: int, seed: int) -> Ints:
    """Encode the groups of the rows; a row without one is a group by itself.

    Returns
    -------
    ndarray of int64, shape (n_dealt,), range 0..n_groups-1
        By first appearance.
    """
    strata = nest(entries, rows, n_rows, seed)
    codes = strata.codes.copy()
    alone = np.logical_or.reduce([entry.missing for entry in entries])
    codes[alone] = len(strata.sizes) + np.arange(alone.sum())
    return factorize_codes(codes, len(strata.sizes) + int(alone.sum()))[0]


def nest(entries: Sequence[Entry], rows: Ints | None, n_rows: int, seed: int = 0) -> Strata:
    """Nest entries into joint strata, on the rows that are dealt."""
    codes = np.zeros(n_rows if rows is None else len(rows), dtype=np.int64)
    n_strata = min(1, len(codes))
    order: RowOrder | None = None
    coarser: list[Ints] = []
    levels: list[Level] = []
    for entry in entries:
        term = entry.term
        if isinstance(term, OrderTerm):
            order = term.row_order(entry.data)
            break
        term, parent = cast("StrataTerm", term), codes
        division = term.divide(entry, parent, n_strata, seed)
        order = division.order or order
        if levels:
            codes, parents = nest_codes(parent, n_strata, division.codes, division.n)
            coarser = [parents, *(level[parents] for level in coarser)]
            n_strata = len(parents)
        else:
            codes, n_strata = first_level(entry, division)
        places = codes if term.is_nominal else division.codes
        values = partial(term.labels, entry, division, parent)
        levels.append(Level(stratum_name(entry, term), values, places, term.is_nominal))
    sizes = np.bincount(codes, minlength=n_strata)
    return Strata(codes, sizes, tuple(coarser), order, rows, tuple(levels))


def first_level(entry: Entry, division: Division) -> tuple[Ints, int]:
    """Encode the strata of a first entry by first appearance, unless they are already."""
    if division.codes is entry.data and entry.rows is None:
        return division.codes, division.n
    codes, present = factorize_codes(division.codes, division.n)
    return codes, len(present)
