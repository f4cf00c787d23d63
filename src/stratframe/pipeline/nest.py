"""Select the rows that a call deals, and divide them into strata by the entries of the call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .. import frames
from ..core.groups.assign import group_counts, margin_counts
from ..core.groups.units import UnitCounts
from ..core.strata import (
    crosstab,
    factorize_codes,
    first_occurrence,
    lowest_words,
    nest_codes,
    sum_by,
)
from ..core.types import Ints, RandomNumbers, StratumTable, Words
from ..errors import StratError, above_limit, plural, preview, warn
from ..terms.base import BoundTerm, RowOrder, Term
from ..terms.entry import read_entries, select_rows
from ..terms.margins import name_with_column
from .check_data import check_enough, check_values, rows_where
from .options import Options
from .random_numbers import Keys, key_order, rank_groups
from .rare import treat_rare

MANY_ENTRIES = 3
"""The minimum number of entries in `by` for a warning about sparse joint strata."""

MAX_TABLE_CELLS = 2**28
"""The maximum size, in cells, of a table of strata and parts; making it takes about 6 GiB."""

Columns: TypeAlias = Mapping[str, Sequence[Any]]
"""A mapping from an argument, such as "by" or "where", to the series that the call reads for it."""


class Level(NamedTuple):
    """The strata that one entry of `by` defines inside the strata of the entries before it."""

    name: Hashable
    values: Callable[[Ints], Any]
    """A function that returns the values that name the strata, given one row of each stratum."""
    places: Ints
    """For every row, a number that ranks its stratum inside the parent stratum, shape (n_dealt,).
    Classes are ranked by first appearance, and bins in ascending order."""
    term: Term
    cells: Ints | None = None
    """The cell of every row, as in `Substrata`, if the strata are bins of a continuous entry."""


class Strata(NamedTuple):
    """The strata of the rows that a call deals."""

    codes: Ints
    """The joint stratum of every dealt row, shape (n_dealt,), range 0..n_strata-1."""
    sizes: Ints
    """The number of rows in every joint stratum, shape (n_strata,)."""
    ancestors: tuple[Ints, ...] = ()
    """For each coarser level, from the finest to the coarsest, the stratum that contains each joint
    stratum. Each array has shape (n_strata,) and is nondecreasing."""
    order: RowOrder | None = None
    """The order of the rows inside the strata; None if no entry but `sf.total` orders the rows."""
    totals: BoundTerm | None = None
    """The entry made by `sf.total`, if there is one."""
    rows: Ints | None = None
    """The positions of the dealt rows; None for all rows in the order of the frame."""
    levels: tuple[Level, ...] = ()
    groups: Ints | None = None
    """The group of every dealt row, shape (n_dealt,), range 0..n_groups-1; None without groups.
    Groups are numbered by the hash of their values; rows without a group come last."""
    grouped_by: tuple[BoundTerm, ...] = ()
    """The entries of `groups`."""
    margins: MarginStrata | None = None
    """The strata of each single entry, if `by` is `sf.margins`."""
    keys: Keys | None = None
    """The hashed keys of the dealt rows, if key hashes rank the rows."""
    weights: Ints | None = None
    """The number of equal rows that each row represents, shape (n_dealt,); None if all are 1."""
    in_turn: bool = False
    """Whether `kfold` without a key deals these strata in turn, because none is a bin of an
    order."""

    @property
    def n_rows(self) -> int:
        return int(self.sizes.sum())

    def lowest(self, numbers: RandomNumbers) -> Words | None:
        """Return the lowest key hash in each stratum, or None if the rows have no keys."""
        if self.keys is None:
            return None
        return lowest_words(self.codes, len(self.sizes), numbers)

    def first_rows(self) -> Strata:
        """Keep only the first row of each stratum, which is enough to name the stratum."""
        first = first_occurrence(self.codes, len(self.sizes))
        levels = tuple(
            level._replace(
                values=partial(frames.take, level.values(first)), places=level.places[first]
            )
            for level in self.levels
        )
        return self._replace(codes=np.arange(len(first)), levels=levels)

    def units(self) -> UnitCounts:
        """Count the rows of each unit by stratum or, with margins, by the value of each entry."""
        if self.margins is not None:
            return self.margins.count(self.groups, len(self.codes))
        assert self.groups is not None
        n_groups = int(self.groups.max(initial=-1)) + 1
        return group_counts(self.groups, n_groups, self.codes, len(self.sizes), self.weights)

    def crosstab(self, parts: Ints, n_parts: int) -> StratumTable:
        check_n_cells(len(self.sizes), n_parts)
        return crosstab(self.codes, len(self.sizes), parts, n_parts, self.weights)


class MarginStrata:
    """The strata of each single entry; to save memory, some are made again for each use."""

    def __init__(self, made: Sequence[Strata | Callable[[], Strata]]) -> None:
        self.made = made
        self.counts: UnitCounts | None = None

    def __len__(self) -> int:
        return len(self.made)

    def __iter__(self) -> Iterator[Strata]:
        return (each() if callable(each) else each for each in self.made)

    def count(self, groups: Ints | None, n_rows: int) -> UnitCounts:
        """Count the values of each entry in every unit, and keep the counts for all repeats."""
        if self.counts is None:
            codes = ((margin.codes, len(margin.sizes)) for margin in self)
            unit = np.arange(n_rows) if groups is None else groups
            n_units = int(unit.max(initial=-1)) + 1
            self.counts = margin_counts(codes, unit, n_units, with_sizes=groups is not None)
        return self.counts


def check_n_cells(n_strata: int, n_parts: int) -> None:
    n_cells = n_strata * n_parts
    if n_cells > MAX_TABLE_CELLS:
        size = f" ({plural(n_strata, 'stratum', 'strata')} x {plural(n_parts, 'part')})"
        hint = '\nHint: take fewer folds, or make fewer strata, as with `rare="pool"`.'
        subject = "The table of strata and parts"
        raise StratError(above_limit(subject, MAX_TABLE_CELLS, "cell", n_cells, size) + hint)


def stratify(
    options: Options,
    columns: Columns,
    n_rows: int,
    weights: Ints | None = None,
    *,
    ordered: bool = True,
    always_dealt: Ints | None = None,
) -> Strata:
    """Divide the rows by each entry of a call, inside the strata of the entries before it.

    With groups, or if `ordered` is False, a continuous entry is cut into bins. The rows in
    `always_dealt` are dealt even if `where` leaves them out.
    """
    entries = read_entries(options.terms, columns.get("by", ()), "by", weights)
    entries += read_entries(options.groups, columns.get("groups", ()), "groups", weights)
    keys, where = columns.get("key", ()), columns.get("where", ())
    rows = rows_where(where[0]) if where else None
    if rows is not None and always_dealt is not None:
        rows = np.union1d(rows, always_dealt)
    entries = select_rows(entries, rows)
    hashed, keyed = check_values(entries, options, keys, rows), rows
    in_order = any(entry.term.uses_row_order or entry.term.evens_totals for entry in entries)
    if hashed is not None and (in_order or not options.way.is_drawn or options.marginal):
        dealt_keys = keys if rows is None else [frames.take(each, rows) for each in keys]
        order = key_order(dealt_keys, by_category=options.way.in_stretches)[0]
        entries, rows = select_rows(entries, order), order if rows is None else rows[order]
    n_dealt = n_rows if rows is None else len(rows)
    n_dealt = n_dealt if weights is None else int(weights.sum())
    entries, groups = dealt_entries(entries, options, n_dealt)
    rows = entries[0].rows if entries else rows
    by = [entry for entry in entries if entry.argument == "by"]
    if groups is not None or not ordered:
        by = [replace(entry, term=entry.term.without_order() or entry.term) for entry in by]
    strata = nest([] if options.marginal else by, rows, n_rows, weights)
    grouped_by = tuple(entry for entry in entries if entry.argument == "groups")
    strata = strata._replace(groups=groups, grouped_by=grouped_by)
    if options.marginal:
        return strata._replace(margins=nest_each(by, rows, n_rows))
    if hashed is not None and strata.order is None and options.way.is_drawn:
        dealt = rows if keyed is None or rows is None else np.searchsorted(keyed, rows)
        strata = strata._replace(keys=hashed._replace(dealt=dealt))
    if len(strata.levels) >= MANY_ENTRIES and options.rare != "ignore":
        warn_sparse(strata, options.target.n)
    return strata


def warn_sparse(strata: Strata, n_parts: int) -> None:
    n_rows, n_strata, names = strata.n_rows, len(strata.sizes), strata.levels
    counts = [int(level.max(initial=-1)) + 1 for level in reversed(strata.ancestors)] + [n_strata]
    sparse = [
        repr(level.name)
        for level, count in zip(names, counts, strict=True)
        if n_rows < n_parts * count
    ]
    if sparse:
        unbalanced = f"{preview(sparse, len(sparse))} {'is' if len(sparse) == 1 else 'are'}"
        warn(
            f"The {len(names)} entries of `by` divide {plural(n_rows, 'row')} into {n_strata:,}"
            f" joint strata, with fewer than {n_parts} rows each on average:"
            f" {unbalanced} hardly balanced.\nHint: `sf.margins([...])` balances each entry"
            " on its own."
        )


def dealt_entries(
    entries: list[BoundTerm], options: Options, n_rows: int
) -> tuple[list[BoundTerm], Ints | None]:
    """Restrict entries to the rows that are dealt, and encode the groups of these rows."""
    if entries and options.missing == "null":
        missing = np.logical_or.reduce([entry.missing for entry in entries])
        entries = select_rows(entries, np.flatnonzero(~missing) if missing.any() else None)
    groups = group_codes(entries) if options.groups else None
    check_enough(entries[0].n_rows if entries else n_rows, entries, groups, options.target)
    nested = options.terms and not options.marginal
    if nested and options.rare != "ignore" and entries[0].term.is_nominal:
        first, kept = treat_rare(entries[0], groups, options)
        entries = select_rows([first, *entries[1:]], kept)
        if kept is not None:
            groups = group_codes(entries) if options.groups else None
            check_enough(entries[0].n_rows, entries, groups, options.target)
    return entries, groups


def group_codes(entries: Sequence[BoundTerm]) -> Ints:
    """Number the groups of the dealt rows by the hash of their values.

    Each row without a group forms its own group. These groups come last, in the order of the rows.
    """
    entries = [entry for entry in entries if entry.argument == "groups"]
    strata = nest(entries, entries[0].rows, len(entries[0].missing))
    if not entries[0].term.is_nominal:
        return entries[0].term.number_groups(entries[0], strata.codes)
    alone = np.logical_or.reduce([entry.missing for entry in entries])
    grouped = np.flatnonzero(~alone)
    codes, present = factorize_codes(strata.codes[grouped], len(strata.sizes))
    first = grouped[first_occurrence(codes, len(present))]
    groups = np.empty(len(alone), dtype=np.int64)
    groups[grouped] = rank_groups([entry.values_at(first) for entry in entries])[codes]
    groups[alone] = len(present) + np.arange(len(alone) - len(grouped))
    return groups


def nest_each(entries: Sequence[BoundTerm], rows: Ints | None, n_rows: int) -> MarginStrata:
    """Make the strata of each single entry; strata of list values are made only when needed."""
    found = [each for entry in entries for each in entry.term.entries(entry)]
    names = Counter(str(each.stratum_name) for each in found)
    given = {entry.term for entry in entries}
    made: list[Strata | Callable[[], Strata]] = []
    for each in found:
        own = name_with_column(each) if names[str(each.stratum_name)] > 1 else each
        make = partial(nest, [own], rows, n_rows)
        made.append(make() if each.term in given else make)
    return MarginStrata(made)


def nest(
    entries: Sequence[BoundTerm],
    rows: Ints | None,
    n_rows: int,
    weights: Ints | None = None,
) -> Strata:
    """Nest the entries to make the joint strata of the dealt rows."""
    weights = weights if weights is None or rows is None else weights[rows]
    codes: Ints = np.broadcast_to(np.int64(0), n_rows if rows is None else len(rows))
    n_strata = min(1, len(codes))
    order: RowOrder | None = None
    totals: BoundTerm | None = None
    parents_of_levels: list[Ints] = []
    levels: list[Level] = []
    for entry in entries:
        term = entry.term
        if term.evens_totals:  # counts are as without it, so it does not order the rows here
            totals = entry
            break
        if term.orders_rows:
            order = term.row_order(entry.data)
            break
        parent, division = codes, term.divide(entry, codes, n_strata)
        order = division.order or order
        if levels:
            codes, parents = nest_codes(parent, n_strata, division.codes, division.n)
            parents_of_levels.append(parents)
            n_strata = len(parents)
        elif division.codes is entry.data and entry.rows is None:
            codes, n_strata = division.codes, division.n  # already numbered by first appearance
        else:
            codes, present = factorize_codes(division.codes, division.n)
            n_strata = len(present)
        places = codes if term.is_nominal else division.codes
        values = partial(term.labels, entry, division, parent)
        levels.append(Level(entry.stratum_name, values, places, term, division.cells))
    counted = entries[0].sizes if entries and codes is entries[0].data else None
    sizes = sum_by(codes, weights, n_strata) if counted is None else counted
    above = tuple(accumulate(reversed(parents_of_levels), lambda finer, parents: parents[finer]))
    return Strata(codes, sizes, above, order, totals, rows, tuple(levels), weights=weights)
