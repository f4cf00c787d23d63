"""Nest entries, each inside the strata of the entries before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .. import frames
from ..core.groups.assign import group_counts, margin_counts
from ..core.groups.units import UnitCounts
from ..core.order import grouped
from ..core.strata import (
    crosstab,
    factorize_codes,
    first_occurrence,
    lowest_words,
    nest_codes,
    sum_by,
)
from ..core.types import Ints, RandomNumbers, StratumTable, Words
from ..errors import StratError, above_limit, plural
from ..terms.base import BoundTerm, RowOrder, Term
from ..terms.entry import read_entries
from ..terms.margins import name_with_column
from .options import Options
from .random_numbers import Keys

MAX_TABLE_CELLS = 2**28
"""The maximum size, in cells, of a table of strata and parts; making it takes about 6 GiB."""


Columns: TypeAlias = Mapping[str, Sequence[Any]]
"""A mapping from an argument, such as "by" or "where", to the series that the call reads for it."""


@dataclass(frozen=True)
class DealtRows:
    """The rows that a call deals, in the order in which it deals them."""

    by: list[BoundTerm]
    """The entries of `by`, with their values in these rows."""
    groups: list[BoundTerm]
    """The entries of `groups`, with their values in these rows."""
    n: int
    """The number of these rows."""
    rows: Ints | None = None
    """The positions of these rows in the frame, shape (n,); None for all rows in frame order."""
    weights: Ints | None = None
    """The number of equal rows that each row represents, shape (n,); None if all are 1."""
    keys: Keys | None = None
    """The hashed keys of these rows; None without a key, or if nothing is ranked by its hash."""
    group: Ints | None = None
    """The group of each row, shape (n,), range 0..n_groups-1, numbered by the hash of its values;
    rows without a group come last. None without groups, or before the groups are numbered."""

    @property
    def total(self) -> int:
        """The number of rows, or the sum of their weights."""
        return self.n if self.weights is None else int(self.weights.sum())

    @property
    def entries(self) -> list[BoundTerm]:
        return [*self.by, *self.groups]

    def select(self, rows: Ints | None) -> DealtRows:
        """Select some of these rows, in the given order; None selects all."""
        if rows is None:
            return self
        return replace(
            self,
            by=[entry.select(rows) for entry in self.by],
            groups=[entry.select(rows) for entry in self.groups],
            n=len(rows),
            rows=rows if self.rows is None else self.rows[rows],
            weights=None if self.weights is None else self.weights[rows],
            keys=None if self.keys is None else self.keys.select(rows),
            group=None,
        )

    def take(self, series: Sequence[Any]) -> Sequence[Any]:
        if self.rows is None:
            return series
        return [frames.take(each, self.rows) for each in series]


def place_rows(parts: Ints, rows: Ints | None, n_rows: int) -> Ints:
    """Return the part of every row of the frame, with -1 for the rows that are not dealt."""
    if rows is None:
        return parts
    placed = np.full(n_rows, -1, dtype=parts.dtype)
    placed[rows] = parts
    return placed


def bind(options: Options, columns: Columns, n_rows: int, weights: Ints | None = None) -> DealtRows:
    """Read the entries of a call from their columns, for all rows of the frame."""
    by = read_entries(options.terms, columns.get("by", ()), "by", weights)
    groups = read_entries(options.groups, columns.get("groups", ()), "groups", weights)
    return DealtRows(by, groups, n_rows, weights=weights)


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
    dealt: DealtRows
    """The dealt rows: their positions, groups, keys and weights, without the entries of `by`."""
    ancestors: tuple[Ints, ...] = ()
    """For each coarser level, from the finest to the coarsest, the stratum that contains each joint
    stratum. Each array has shape (n_strata,) and is nondecreasing."""
    order: RowOrder | None = None
    """The order of the rows inside the strata; None if no entry but `sf.total` orders the rows."""
    totals: BoundTerm | None = None
    """The entry made by `sf.total`, if there is one."""
    levels: tuple[Level, ...] = ()
    margins: MarginStrata | None = None
    """The strata of each single entry, if `by` is `sf.margins`."""

    @property
    def n_rows(self) -> int:
        return int(self.sizes.sum())

    def lowest(self, numbers: RandomNumbers) -> Words | None:
        """Return the lowest key hash in each stratum, or None if the rows have no keys."""
        if self.dealt.keys is None:
            return None
        return lowest_words(self.codes, len(self.sizes), numbers)

    def sort_rows(self, words: Words, smallest: Fraction) -> Ints:
        """Sort rows by stratum and, if an entry orders rows, inside each stratum by this order.

        The random 64-bit words break ties, and are overwritten. A block of neighbours has one row
        for the part with the smallest share.
        """
        if self.order is None:
            return grouped(np.arange(len(words)), self.codes, len(self.sizes))
        return self.order.sort(self.codes, len(self.sizes), words, smallest)

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
            return self.margins.count(self.dealt.group, len(self.codes))
        assert self.dealt.group is not None
        n_groups = int(self.dealt.group.max(initial=-1)) + 1
        return group_counts(
            self.dealt.group, n_groups, self.codes, len(self.sizes), self.dealt.weights
        )

    def crosstab(self, parts: Ints, n_parts: int) -> StratumTable:
        check_n_cells(len(self.sizes), n_parts)
        return crosstab(self.codes, len(self.sizes), parts, n_parts, self.dealt.weights)


class MarginStrata:
    """The strata of each single entry; to save memory, some are made again for each use."""

    def __init__(self, margins: Sequence[Strata | Callable[[], Strata]]) -> None:
        self.margins = margins
        self.counts: UnitCounts | None = None

    def __len__(self) -> int:
        return len(self.margins)

    def __iter__(self) -> Iterator[Strata]:
        return (margin() if callable(margin) else margin for margin in self.margins)

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


def nest_each(dealt: DealtRows) -> MarginStrata:
    """Make the strata of each single entry; strata of list values are made only when needed."""
    entries: list[BoundTerm] = []
    for entry in dealt.by:
        entries += entry.term.entries(entry)
    counts = Counter(str(entry.stratum_name) for entry in entries)
    whole_terms = {entry.term for entry in dealt.by}
    rows = replace(dealt, by=[], groups=[], group=None)
    margins: list[Strata | Callable[[], Strata]] = []
    for entry in entries:
        named = entry
        if counts[str(entry.stratum_name)] > 1:
            named = name_with_column(entry)
        make = partial(nest, [named], rows)
        margins.append(make() if entry.term in whole_terms else make)
    return MarginStrata(margins)


def nest(entries: Sequence[BoundTerm], dealt: DealtRows) -> Strata:
    """Nest entries to make the joint strata of the dealt rows."""
    codes: Ints = np.broadcast_to(np.int64(0), dealt.n)
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
        parent = codes
        division = term.divide(entry, parent, n_strata)
        order = division.order or order
        if levels:
            codes, parents = nest_codes(parent, n_strata, division.codes, division.n)
            parents_of_levels.append(parents)
            n_strata = len(parents)
        elif division.codes is entry.data and entry.rows is None:
            codes = division.codes  # already numbered by first appearance
            n_strata = division.n
        else:
            codes, present = factorize_codes(division.codes, division.n)
            n_strata = len(present)
        places = codes if term.is_nominal else division.codes
        values = partial(term.labels, entry, division, parent)
        levels.append(Level(entry.stratum_name, values, places, term, division.cells))
    if entries and codes is entries[0].data and entries[0].sizes is not None:
        sizes = entries[0].sizes
    else:
        sizes = sum_by(codes, dealt.weights, n_strata)
    return Strata(
        codes,
        sizes,
        replace(dealt, by=[]),  # the values of the entries take memory
        tuple(accumulate(reversed(parents_of_levels), lambda finer, parents: parents[finer])),
        order,
        totals,
        tuple(levels),
    )
