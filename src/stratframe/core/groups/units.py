"""Count the rows of each unit (a group or a single row), and hold the counts in a sparse matrix."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ..hashing import hash_words
from ..order import positions_within, sort_values
from ..strata import DENSE, sum_by
from ..types import Ints, Parts, StratumTable, Values, Words


class UnitCounts(NamedTuple):
    """A matrix of counts in compressed sparse row (CSR) format, with one row for each kind of unit.

    A column is a stratum, a value of a margin, or the size of the unit.
    """

    indptr: Ints
    """The start of each kind's entries, followed by the number of entries, shape (n_kinds + 1,)."""
    indices: Ints
    """The column of each entry, in ascending order within a kind, shape (n_entries,)."""
    data: Ints
    """The count of each entry, which is above 0, shape (n_entries,)."""
    totals: Ints
    """The sum of each column over all units, shape (n_columns,)."""
    kinds: Ints | None = None
    """The kind of each unit, shape (n_units,). Units of a kind have equal counts. None if each unit
    has a row of its own, and nobody has compared them."""

    @property
    def n_units(self) -> int:
        return len(self.indptr) - 1 if self.kinds is None else len(self.kinds)

    def kinds_of(self, chosen: Ints) -> Ints:
        return chosen if self.kinds is None else self.kinds[chosen]


def count_by_unit(
    unit: Ints, column: Ints, n_units: int, n_columns: int, weights: Ints | None = None
) -> UnitCounts:
    """Count the rows of each unit in each column.

    `unit` and `column` have an entry for each row and each column in which the row is counted. A
    weight is the number of rows that an entry represents.
    """
    cells, counts = count_cells(unit * n_columns + column, n_units * n_columns, weights)
    indptr = np.searchsorted(cells, np.arange(n_units + 1) * n_columns)
    totals = sum_by(column, weights, n_columns)
    return UnitCounts(indptr, cells % n_columns, counts, totals)


def count_cells(cell_of: Ints, n_cells: int, weights: Ints | None = None) -> tuple[Ints, Ints]:
    """List the cells that have rows, in ascending order, and count the rows in each of them."""
    if n_cells <= max(DENSE, 4 * len(cell_of)):
        table = sum_by(cell_of, weights, n_cells)
        cells = np.flatnonzero(table)
        return cells, table[cells]
    if weights is None:
        cells, counts = np.unique(cell_of, return_counts=True)
        return cells, counts
    cells, places = np.unique(cell_of[weights > 0], return_inverse=True)
    return cells, sum_by(places, weights[weights > 0], len(cells))


def list_rows(
    entries: Iterable[tuple[Ints, int]], n_rows: int, weights: Ints | None = None
) -> UnitCounts:
    """Make the matrix of units that are single rows, in each of whose columns they count once.

    For each margin, `entries` has the value of every row and the number of values. A weight is the
    number of units that have the counts of a row.
    """
    pairs: list[tuple[Ints, Ints]] = []
    totals: list[Ints] = []
    n_columns = 0
    for codes, n_values in entries:
        sizes = sum_by(codes, weights, max(n_values, 2))
        rows, columns, sizes = counted_values(np.arange(n_rows), codes, sizes)
        pairs.append((rows, columns + n_columns))
        totals.append(sizes)
        n_columns += len(sizes)
    units, columns = (np.concatenate(each) for each in zip(*pairs, strict=True))
    # Entries are not counted, only sorted, and sorted runs are merged fast.
    indices = columns[np.argsort(units, kind="stable")]
    indptr = np.append(0, np.cumsum(np.bincount(units, minlength=n_rows)))
    ones = np.ones(len(indices), dtype=np.int64)
    return UnitCounts(indptr, indices, ones, np.concatenate(totals))


def list_kinds(entries: Sequence[tuple[Ints, int]], n_kinds: int, n_rows: int) -> UnitCounts:
    """Make the matrix of units that are single rows, with one row for each joint value.

    The arguments are those of `list_rows`; `n_kinds` is the number of possible joint values.
    """
    kinds = np.zeros(n_rows, dtype=np.int64)
    for codes, n_values in entries:
        kinds *= n_values
        kinds += codes
    sizes = np.bincount(kinds, minlength=n_kinds)
    present = np.flatnonzero(sizes)
    numbers = [n_values for _, n_values in entries]
    codes_of_present = np.unravel_index(present, numbers)
    units = list_rows(
        zip(codes_of_present, numbers, strict=True), len(present), weights=sizes[present]
    )
    n_entries_of_kinds = np.zeros(n_kinds, dtype=np.int64)
    n_entries_of_kinds[present] = np.diff(units.indptr)
    indptr = np.append(0, np.cumsum(n_entries_of_kinds))
    return units._replace(indptr=indptr, kinds=kinds)


def counted_values(unit: Ints, codes: Ints, sizes: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the unit and the column of each row that counts, and the sizes of the columns.

    The columns of a margin are its values. Of two values, only the rarer is counted: the size of a
    unit minus its count is the other count.
    """
    if len(sizes) > 2:
        return unit, codes, sizes
    rarer = int(sizes.argmin())
    rows = np.flatnonzero(codes == rarer)
    return unit[rows], np.zeros(len(rows), dtype=np.int64), sizes[rarer : rarer + 1]


def number_columns(
    unit: Ints, column: Ints, n_units: int, n_columns: int, weights: Ints | None = None
) -> Ints:
    """Renumber columns by their counts in all units, so that their order has no effect.

    The arguments are those of `count_by_unit`. Columns with equal counts are interchangeable.
    Returns the new number of each column.
    """
    # Columns are sorted by a random linear hash of their counts, as in `unique_rows`.
    words = hash_words(np.arange(n_units, dtype=np.uint64), np.zeros(1, dtype=np.uint64))[unit]
    sums = np.zeros(n_columns, dtype=np.uint64)
    if weights is not None:
        words = words * weights.astype(np.uint64)
    np.add.at(sums, column, words)
    numbers = np.empty(n_columns, dtype=np.int64)
    numbers[np.argsort(sums, kind="stable")] = np.arange(n_columns)
    return numbers


def n_entries(units: UnitCounts, chosen: Ints) -> Ints:
    """Count the entries of each chosen unit, which are the columns in which it has rows."""
    kinds = units.kinds_of(chosen)
    return units.indptr[kinds + 1] - units.indptr[kinds]


def nonzero(units: UnitCounts, chosen: Ints) -> tuple[Ints, Ints]:
    """List the entries of the chosen units, and the position of each entry's unit in `chosen`."""
    return entries_of_kinds(units, units.kinds_of(chosen))


def entries_of_kinds(units: UnitCounts, kinds: Ints) -> tuple[Ints, Ints]:
    starts = units.indptr[kinds]
    sizes = units.indptr[kinds + 1] - starts
    owners = np.repeat(np.arange(len(kinds)), sizes)
    return positions_within(sizes) + np.repeat(starts, sizes), owners


def to_dense(units: UnitCounts, chosen: Ints) -> Values:
    """Return the counts of the chosen units as a float64 array, shape (n_columns, n_chosen)."""
    return dense_kinds(units, units.kinds_of(chosen))


def dense_kinds(units: UnitCounts, kinds: Ints) -> Values:
    entries, owners = entries_of_kinds(units, kinds)
    table = np.zeros((len(units.totals), len(kinds)))
    table[units.indices[entries], owners] = units.data[entries]
    return table


def dense_reader(units: UnitCounts, n_chosen: int) -> Callable[[Ints], Values]:
    """Return a function that is `to_dense` of units of which `n_chosen` are chosen many times."""
    n_kinds = len(units.indptr) - 1
    if n_kinds > n_chosen:
        return partial(to_dense, units)
    table = dense_kinds(units, np.arange(n_kinds))
    return lambda chosen: np.take(table, units.kinds_of(chosen), axis=1)


def self_loss(units: UnitCounts, scale: Values) -> Values:
    """Compute the scaled sum of squares of a unit of each kind.

    This is the unit's own contribution to the loss.
    """
    squares = units.data * (units.data * scale[units.indices])
    n_kinds = len(units.indptr) - 1
    owners = np.repeat(np.arange(n_kinds), np.diff(units.indptr))
    return np.bincount(owners, squares, minlength=n_kinds)


def merge_equal_units(units: UnitCounts, draws: Words) -> UnitCounts:
    """Find the units with equal counts, and keep the counts once for each kind of unit."""
    if units.kinds is not None:
        return units
    # Units are compared by a random linear hash of their counts. Two different units have the same
    # hash with a probability of about 2**-64. They would then be dealt as if they were equal, and
    # the parts would be less even but still valid. Sums wrap around at 2**64, so differences are
    # exact.
    sums = np.zeros(len(units.indices) + 1, dtype=np.uint64)
    np.cumsum(draws[units.indices] * units.data.astype(np.uint64), out=sums[1:])
    hashes = sums[units.indptr[1:]] - sums[units.indptr[:-1]]
    in_order, is_first = sort_values(hashes)
    kinds = np.empty(len(hashes), dtype=np.int64)
    kinds[in_order] = np.cumsum(is_first) - 1
    first = in_order[is_first]
    entries, _ = nonzero(units, first)
    indptr = np.append(0, np.cumsum(n_entries(units, first)))
    return UnitCounts(indptr, units.indices[entries], units.data[entries], units.totals, kinds)


def part_table(units: UnitCounts, parts: Parts, n_parts: int) -> StratumTable:
    """Sum the counts of the units in each part, shape (n_columns, n_parts)."""
    if units.kinds is None:
        part = np.repeat(parts, np.diff(units.indptr))
        columns = units.indices
        counts = units.data
    else:
        # The units of a kind in a part are counted once.
        dealt = np.flatnonzero(parts >= 0)
        cell_of = units.kinds[dealt] * n_parts + parts[dealt]
        cells, sizes = count_cells(cell_of, (len(units.indptr) - 1) * n_parts)
        entries, owners = entries_of_kinds(units, cells // n_parts)
        part = (cells % n_parts)[owners]
        columns = units.indices[entries]
        counts = units.data[entries] * sizes[owners]
    cells = columns * n_parts + part
    if part.min(initial=0) < 0:
        has_part = part >= 0
        cells = cells[has_part]
        counts = counts[has_part]
    n_cells = len(units.totals) * n_parts
    if counts.max(initial=1) == 1:  # counting is much faster than adding
        return np.bincount(cells, minlength=n_cells).reshape(-1, n_parts)
    return np.bincount(cells, counts, minlength=n_cells).astype(np.int64).reshape(-1, n_parts)
