"""Counts of units (rows or groups) as a sparse matrix of units by columns."""

from typing import NamedTuple

import numpy as np

from ..hashing import hash_words
from ..order import positions_within
from ..strata import DENSE, sum_by
from ..types import Ints, Parts, StratumTable, Values, Words


class UnitCounts(NamedTuple):
    """A matrix of nonnegative counts in compressed sparse row (CSR) format.

    A column is a stratum, a value of a margin, or the size of the unit.
    """

    indptr: Ints
    """Where the entries of each unit start, and where the last ones end, shape (n_units + 1,)."""
    indices: Ints
    """The column of every entry, shape (n_entries,), ascending inside a unit."""
    data: Ints
    """The count of every entry, above zero, shape (n_entries,)."""
    totals: Ints
    """The sum of every column, shape (n_columns,)."""


def count_by_unit(
    unit: Ints, column: Ints, n_units: int, n_columns: int, weights: Ints | None = None
) -> UnitCounts:
    """Count the rows of each unit in each column.

    `unit` and `column` have an entry for each column in which a row counts; weights say how often.
    """
    cell_of, n_cells = unit * n_columns + column, n_units * n_columns
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


def number_columns(
    unit: Ints, column: Ints, n_units: int, n_columns: int, weights: Ints | None = None
) -> Ints:
    """Renumber columns by the units that have them, so that neither names nor order matter.

    The arguments are those of `count_by_unit`. Columns with equal counts are interchangeable.
    Returns the new number of every column.
    """
    # A random linear hash of the counts, as in `unique_rows`.
    words = hash_words(np.arange(n_units, dtype=np.uint64), np.zeros(1, dtype=np.uint64))[unit]
    sums = np.zeros(n_columns, dtype=np.uint64)
    np.add.at(sums, column, words if weights is None else words * weights.astype(np.uint64))
    numbers = np.empty(n_columns, dtype=np.int64)
    numbers[np.argsort(sums, kind="stable")] = np.arange(n_columns)
    return numbers


def entry_units(units: UnitCounts) -> Ints:
    return np.repeat(np.arange(len(units.indptr) - 1), np.diff(units.indptr))


def nonzero(units: UnitCounts, chosen: Ints) -> tuple[Ints, Ints]:
    """List the entries of chosen units, and the place of each entry's unit among the chosen."""
    starts = units.indptr[chosen]
    sizes = units.indptr[chosen + 1] - starts
    owners = np.repeat(np.arange(len(chosen)), sizes)
    return positions_within(sizes) + np.repeat(starts, sizes), owners


def to_dense(units: UnitCounts, chosen: Ints) -> Values:
    """Return the counts of chosen units as a float64 array, shape (n_columns, n_chosen)."""
    entries, owners = nonzero(units, chosen)
    table = np.zeros((len(units.totals), len(chosen)))
    table[units.indices[entries], owners] = units.data[entries]
    return table


def self_loss(units: UnitCounts, scale: Values) -> Values:
    """Compute the scaled sum of squares of each unit: what the unit alone adds to the loss."""
    squares = units.data * (units.data * scale[units.indices])
    return np.bincount(entry_units(units), squares, minlength=len(units.indptr) - 1)


def unique_rows(units: UnitCounts, draws: Words) -> tuple[Ints, Ints]:
    """Encode units as integers, one code for equal counts, and count the units of each code."""
    # Units are compared by a random linear hash of their counts. Two different units collide with a
    # probability of about 2**-64, and are then dealt as equal: less evenly, but not wrongly.
    # Overflow wraps around modulo 2**64, so differences of sums are exact.
    sums = np.zeros(len(units.indices) + 1, dtype=np.uint64)
    np.cumsum(draws[units.indices] * units.data.astype(np.uint64), out=sums[1:])
    hashes = sums[units.indptr[1:]] - sums[units.indptr[:-1]]
    _, codes, sizes = np.unique(hashes, return_inverse=True, return_counts=True)
    return codes, sizes


def part_table(units: UnitCounts, parts: Parts, n_parts: int) -> StratumTable:
    """Sum the counts of the units in each part, shape (n_columns, n_parts)."""
    part = np.repeat(parts, np.diff(units.indptr))
    has_part = part >= 0
    cells = units.indices[has_part] * n_parts + part[has_part]
    counts = np.bincount(cells, units.data[has_part], minlength=len(units.totals) * n_parts)
    return counts.astype(np.int64).reshape(-1, n_parts)
