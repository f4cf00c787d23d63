"""Count the rows of each unit (a group or a single row), and hold the counts in a sparse matrix."""

from typing import NamedTuple

import numpy as np

from ..hashing import hash_words
from ..order import positions_within
from ..strata import DENSE, sum_by
from ..types import Ints, Parts, StratumTable, Values, Words


class UnitCounts(NamedTuple):
    """A matrix of counts in compressed sparse row (CSR) format, with one row for each unit.

    A column is a stratum, a value of a margin, or the size of the unit.
    """

    indptr: Ints
    """The start of each unit's entries, followed by the number of entries, shape (n_units + 1,)."""
    indices: Ints
    """The column of each entry, in ascending order within a unit, shape (n_entries,)."""
    data: Ints
    """The count of each entry, which is above 0, shape (n_entries,)."""
    totals: Ints
    """The sum of each column, shape (n_columns,)."""
    kinds: Ints | None = None
    """A code for units with equal counts, shape (n_units,), if it is known without a comparison."""


def count_by_unit(
    unit: Ints, column: Ints, n_units: int, n_columns: int, weights: Ints | None = None
) -> UnitCounts:
    """Count the rows of each unit in each column.

    `unit` and `column` have an entry for each row and each column in which the row is counted. A
    weight is the number of rows that an entry represents.
    """
    cell_of = unit * n_columns + column
    n_cells = n_units * n_columns
    if n_cells <= max(DENSE, 4 * len(cell_of)):
        table = sum_by(cell_of, weights, n_cells)
        cells = np.flatnonzero(table)
        counts = table[cells]
    elif weights is None:
        cells, counts = np.unique(cell_of, return_counts=True)
    else:
        cells, places = np.unique(cell_of[weights > 0], return_inverse=True)
        counts = sum_by(places, weights[weights > 0], len(cells))
    indptr = np.searchsorted(cells, np.arange(n_units + 1) * n_columns)
    totals = sum_by(column, weights, n_columns)
    return UnitCounts(indptr, cells % n_columns, counts, totals)


def list_by_unit(
    unit: Ints, column: Ints, n_units: int, n_columns: int, kinds: Ints | None = None
) -> UnitCounts:
    """Make the matrix of units that are single rows, in each of whose columns they count once.

    For each margin in turn, `unit` lists units in ascending order.
    """
    # Entries are not counted, only sorted, and sorted runs are merged fast.
    indices = column[np.argsort(unit, kind="stable")]
    indptr = np.append(0, np.cumsum(np.bincount(unit, minlength=n_units)))
    totals = np.bincount(column, minlength=n_columns)
    return UnitCounts(indptr, indices, np.ones(len(indices), dtype=np.int64), totals, kinds)


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


def entry_units(units: UnitCounts) -> Ints:
    return np.repeat(np.arange(len(units.indptr) - 1), np.diff(units.indptr))


def nonzero(units: UnitCounts, chosen: Ints) -> tuple[Ints, Ints]:
    """List the entries of the chosen units, and the position of each entry's unit in `chosen`."""
    starts = units.indptr[chosen]
    sizes = units.indptr[chosen + 1] - starts
    owners = np.repeat(np.arange(len(chosen)), sizes)
    return positions_within(sizes) + np.repeat(starts, sizes), owners


def to_dense(units: UnitCounts, chosen: Ints) -> Values:
    """Return the counts of the chosen units as a float64 array, shape (n_columns, n_chosen)."""
    entries, owners = nonzero(units, chosen)
    table = np.zeros((len(units.totals), len(chosen)))
    table[units.indices[entries], owners] = units.data[entries]
    return table


def self_loss(units: UnitCounts, scale: Values) -> Values:
    """Compute the scaled sum of squares of each unit, which is its own contribution to the loss."""
    squares = units.data * (units.data * scale[units.indices])
    return np.bincount(entry_units(units), squares, minlength=len(units.indptr) - 1)


def unique_rows(units: UnitCounts, draws: Words) -> tuple[Ints, Ints]:
    """Return the same code for units with equal counts, and the number of units with each code."""
    if units.kinds is not None:
        return units.kinds, np.bincount(units.kinds)
    # Units are compared by a random linear hash of their counts. Two different units have the same
    # hash with a probability of about 2**-64. They would then be dealt as if they were equal, and
    # the parts would be less even but still valid. Sums wrap around at 2**64, so differences are
    # exact.
    sums = np.zeros(len(units.indices) + 1, dtype=np.uint64)
    np.cumsum(draws[units.indices] * units.data.astype(np.uint64), out=sums[1:])
    hashes = sums[units.indptr[1:]] - sums[units.indptr[:-1]]
    _, codes, sizes = np.unique(hashes, return_inverse=True, return_counts=True)
    return codes, sizes


def part_table(units: UnitCounts, parts: Parts, n_parts: int) -> StratumTable:
    """Sum the counts of the units in each part, shape (n_columns, n_parts)."""
    part = np.repeat(parts, np.diff(units.indptr))
    cells = units.indices * n_parts + part
    counts = units.data
    if parts.min(initial=0) < 0:
        has_part = part >= 0
        cells = cells[has_part]
        counts = counts[has_part]
    n_cells = len(units.totals) * n_parts
    if counts.max(initial=1) == 1:  # counting is much faster than adding
        return np.bincount(cells, minlength=n_cells).reshape(-1, n_parts)
    return np.bincount(cells, counts, minlength=n_cells).astype(np.int64).reshape(-1, n_parts)
