"""Find the row numbers at given ranks by counting how many numbers have the same leading bits.

Numbers with the same leading bits form a cell. The number of rows in each cell shows which cell
contains each rank, so only the numbers in the cells with given ranks must be sorted. Engines use
this method to find the numbers on both sides of cuts, and to find quantiles.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..core.strata import distinct_values
from ..core.types import Flags, Ints, StratumTable, Words
from .base import other_rows
from .counts import Cuts

CellCounts: TypeAlias = StratumTable
"""The number of rows in each cell of each stratum, shape (n_strata, 2**bits)."""

MAX_CELLS = 1 << 24
"""The maximum number of cells in all strata together, because the driver holds a count for each."""

MAX_BITS = 16
"""The maximum number of leading bits. More bits would hardly reduce the number of rows to sort."""

WORD = 64
"""The number of bits in the number of a row."""


def cell_bits(n_strata: int) -> int:
    """Choose the number of leading bits that define the cells of each stratum."""
    return min(MAX_BITS, max(MAX_CELLS // max(n_strata, 1), 1).bit_length() - 1)


def cells_of(codes: Ints, numbers: Words, bits: int) -> Ints:
    """Compute the cell of every row; the cells of a stratum have consecutive numbers."""
    cells = codes.astype(np.int64) << bits
    if bits:
        cells |= (numbers >> np.uint64(WORD - bits)).astype(np.int64)
    return cells


def coarser_cells(counts: CellCounts, bits: int) -> CellCounts:
    if counts.shape[1] == 1 << bits:
        return counts
    merged: CellCounts = counts.reshape(len(counts), 1 << bits, -1).sum(axis=2)
    return merged


def counts_by(codes: Ints, counts: StratumTable, n_codes: int) -> StratumTable:
    """Sum the rows of a table of counts by code; rows with the code -1 are left out."""
    sums = np.zeros((n_codes, counts.shape[1]), dtype=np.int64)
    np.add.at(sums, codes[codes >= 0], counts[codes >= 0])
    return sums


# Ranks -----------------------------------------------------------------------------------


def find_ranks(counts: Ints, ranks: Ints) -> tuple[Ints, Ints]:
    """Find the cell that contains each rank, and the number of rows before the rank in that cell.

    The cells of `counts` are in ascending order, stratum after stratum. The rank of a row is the
    number of rows before it in all strata together.
    """
    ends = np.cumsum(counts)
    cells = np.searchsorted(ends, ranks, side="right")
    return cells, ranks - (ends[cells] - counts.ravel()[cells])


def words_at(cells: Ints, ranks: Ints, cell_of_word: Ints, words: Words) -> Words:
    """Return the word at a rank in each of `cells`; `cell_of_word` has the cells of `words`."""
    order = np.lexsort((words, cell_of_word))
    starts = np.searchsorted(cell_of_word, cells, sorter=order)
    ranked: Words = words[order[starts + ranks]]
    return ranked


# Cuts ------------------------------------------------------------------------------------


def find_cuts(counts: CellCounts, cuts: Cuts) -> tuple[Ints, Ints]:
    """Find the cell of the first row after each cut, and count its rows before the cut."""
    sizes = counts.sum(axis=1)
    return find_ranks(counts, (np.cumsum(sizes) - sizes)[cuts.strata] + cuts.ranks)


def split_cells(counts: CellCounts, cuts: Cuts) -> Flags:
    """Flag, stratum after stratum, the cells that have rows on both sides of a cut."""
    cells, before = find_cuts(counts, cuts)
    flags = np.zeros(counts.size, dtype=np.bool_)
    flags[cells[before > 0]] = True
    return flags


def numbers_around(
    counts: CellCounts, cuts: Cuts, codes: Ints, numbers: Words
) -> tuple[Words, Words]:
    """Find a lower and an upper number for each cut, as described in `Engine.around`.

    `codes` and `numbers` are the strata and the numbers, in any order, of the rows in the cells
    that `split_cells` flags.
    """
    bits = (counts.shape[1] - 1).bit_length()
    cell_of_row = cells_of(codes, numbers, bits)
    cells, before = find_cuts(counts, cuts)
    inside = np.flatnonzero(before)
    expected = distinct_values(cells[inside])
    present, sizes = np.unique(cell_of_row, return_counts=True)
    if not np.array_equal(present, expected) or (sizes != counts.ravel()[expected]).any():
        raise other_rows()
    # If a cut is at the start of a cell, the first number of the cell is the upper number.
    after = (cells & ((1 << bits) - 1)).astype(np.uint64) << np.uint64((WORD - bits) % WORD)
    below = after - np.uint64(1)
    ranks = before[inside] + np.array([[-1], [0]])
    below[inside], after[inside] = words_at(cells[inside], ranks, cell_of_row, numbers)
    return below, after
