"""Units that are dealt whole: rows or groups, each with its counts of every column."""

from typing import NamedTuple

import numpy as np

from ..strata import DENSE
from ..types import Draws, Ints, Table, Values


class UnitCounts(NamedTuple):
    """Counts of units, only those above zero, unit after unit."""

    indptr: Ints
    """Where the entries of each unit start, and the last end; shape (n_units + 1,)."""
    indices: Ints
    """The column of every entry, shape (n_entries,), ascending inside a unit."""
    data: Ints
    """Its rows, shape (n_entries,)."""
    totals: Ints
    """The rows of every column, shape (n_columns,)."""


def count_by_unit(unit: Ints, column: Ints, n_units: int, n_columns: int) -> UnitCounts:
    """Count the columns of every unit.

    Parameters
    ----------
    unit : ndarray of int, shape (n_pairs,), range 0..n_units-1
    column : ndarray of int, shape (n_pairs,), range 0..n_columns-1
        A row of a unit has a pair for each column that it counts in.
    """
    keys, n_cells = unit * n_columns + column, n_units * n_columns
    if n_cells <= max(DENSE, 4 * len(keys)):
        table = np.bincount(keys, minlength=n_cells)
        cells = np.flatnonzero(table)
        counts = table[cells]
    else:
        cells, counts = np.unique(keys, return_counts=True)
    starts = np.searchsorted(cells, np.arange(n_units + 1) * n_columns)
    totals = np.bincount(column, minlength=n_columns)
    return UnitCounts(starts, cells % n_columns, counts, totals)


def nonzero(units: UnitCounts, which: Ints) -> tuple[Ints, Ints]:
    """List the entries of some units.

    Parameters
    ----------
    which : ndarray of int, shape (n_which,)

    Returns
    -------
    places : ndarray of int64, shape (n_found,)
        Into `indices` and `data`.
    owners : ndarray of int64, shape (n_found,), range 0..n_which-1
    """
    sizes = units.indptr[which + 1] - units.indptr[which]
    owners = np.repeat(np.arange(len(which)), sizes)
    before = np.cumsum(sizes) - sizes
    return np.arange(len(owners)) + np.repeat(units.indptr[which] - before, sizes), owners


def to_dense(units: UnitCounts, which: Ints) -> Values:
    """Write the counts of some units in full.

    Returns
    -------
    ndarray of float64, shape (n_columns, n_which)
    """
    places, owners = nonzero(units, which)
    table = np.zeros((len(units.totals), len(which)))
    table[units.indices[places], owners] = units.data[places]
    return table


def self_loss(units: UnitCounts, scale: Values) -> Values:
    """Tell how much each unit weighs in the loss by itself.

    Parameters
    ----------
    scale : ndarray of float64, shape (n_columns,)

    Returns
    -------
    ndarray of float64, shape (n_units,)
    """
    owners = np.repeat(np.arange(len(units.indptr) - 1), np.diff(units.indptr))
    weights = units.data * (units.data * scale[units.indices])
    return np.bincount(owners, weights, minlength=len(units.indptr) - 1)


def unique_rows(units: UnitCounts, draws: Draws) -> tuple[Ints, Ints]:
    """Give units of equal counts one number.

    Told apart by a random sum of their entries: two kinds have the same one with a
    chance of 2**-64, and would then be dealt as one, less evenly but not wrongly.

    Parameters
    ----------
    draws : ndarray of uint64, shape (n_columns,)

    Returns
    -------
    codes : ndarray of int64, shape (n_units,), range 0..n_kinds-1
    sizes : ndarray of int64, shape (n_kinds,)
    """
    sums = np.zeros(len(units.indices) + 1, dtype=np.uint64)
    np.cumsum(draws[units.indices] * units.data.astype(np.uint64), out=sums[1:])
    marks = sums[units.indptr[1:]] - sums[units.indptr[:-1]]
    _, codes, sizes = np.unique(marks, return_inverse=True, return_counts=True)
    return codes, sizes


def part_table(units: UnitCounts, parts: Ints, n_parts: int) -> Table:
    """Count the columns of the units that each part holds.

    Parameters
    ----------
    parts : ndarray of int, shape (n_units,), range -1..n_parts-1
        -1 for a unit that has none yet.

    Returns
    -------
    ndarray of int64, shape (n_columns, n_parts)
    """
    part = np.repeat(parts, np.diff(units.indptr))
    held = part >= 0
    cells = units.indices[held] * n_parts + part[held]
    counts = np.bincount(cells, units.data[held], minlength=len(units.totals) * n_parts)
    return counts.astype(np.int64).reshape(-1, n_parts)
