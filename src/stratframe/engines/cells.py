"""Where ranks lie among the numbers of rows, found from counts by the leading bits of numbers.

Counts of the leading bits show in which cell of these bits each rank lies, and the numbers of the
rows in that cell show where. Engines that hold many rows find the numbers on both sides of cuts,
and order statistics, in this way.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..core.types import Flags, Ints, StratumTable, Words
from .base import other_rows
from .counts import Cuts

CellCounts: TypeAlias = StratumTable
"""Rows of every stratum, counted by leading bits of their numbers; shape (n_strata, 2**bits)."""

MAX_CELLS = 1 << 24
"""The most cells of all strata together whose counts the driver holds."""

MAX_BITS = 16
"""The most leading bits to count by: more would hardly leave fewer rows near the cuts."""

WORD = 64
"""Bits in the number of a row."""


def cell_bits(n_strata: int) -> int:
    """Choose how many leading bits of the numbers define the cells of each stratum."""
    return min(MAX_BITS, max(MAX_CELLS // max(n_strata, 1), 1).bit_length() - 1)


def cells_of(codes: Ints, numbers: Words, bits: int) -> Ints:
    """Find the cell of every row; the cells of a stratum have consecutive numbers."""
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
    """Sum rows of counts by code; rows with the code -1 are left out."""
    sums = np.zeros((n_codes, counts.shape[1]), dtype=np.int64)
    np.add.at(sums, codes[codes >= 0], counts[codes >= 0])
    return sums


# Ranks -----------------------------------------------------------------------------------


def find_ranks(counts: Ints, ranks: Ints) -> tuple[Ints, Ints]:
    """Find the cell of each rank, and how many rows of this cell come before it.

    The counts are of ascending cells, stratum after stratum. The rank of a row is how many rows
    come before it in all strata.
    """
    ends = np.cumsum(counts)
    cells = np.searchsorted(ends, ranks, side="right")
    return cells, ranks - (ends[cells] - counts.ravel()[cells])


def words_at(cells: Ints, before: Ints, found: Ints, words: Words) -> Words:
    """Take the word of rank `before` in each cell; `found` has the cell of each word."""
    order = np.lexsort((words, found))
    taken: Words = words[order[np.searchsorted(found, cells, sorter=order) + before]]
    return taken


# Cuts ------------------------------------------------------------------------------------


def find_cuts(counts: CellCounts, cuts: Cuts) -> tuple[Ints, Ints]:
    """Find the cell of the first row after each cut, and how many of its rows come before it."""
    sizes = counts.sum(axis=1)
    return find_ranks(counts, (np.cumsum(sizes) - sizes)[cuts.strata] + cuts.ranks)


def split_cells(counts: CellCounts, cuts: Cuts) -> Flags:
    """Flag the cells with rows on both sides of a cut, stratum after stratum."""
    cells, before = find_cuts(counts, cuts)
    flags = np.zeros(counts.size, dtype=np.bool_)
    flags[cells[before > 0]] = True
    return flags


def numbers_around(
    counts: CellCounts, cuts: Cuts, codes: Ints, numbers: Words
) -> tuple[Words, Words]:
    """Find numbers on both sides of each cut, as `Engine.around` does.

    `codes` and `numbers` are the strata and the numbers of the rows in the cells that `split_cells`
    flags, in any order.
    """
    bits = (counts.shape[1] - 1).bit_length()
    own = cells_of(codes, numbers, bits)
    cells, before = find_cuts(counts, cuts)
    inside = np.flatnonzero(before)
    expected, (present, sizes) = np.unique(cells[inside]), np.unique(own, return_counts=True)
    if not np.array_equal(present, expected) or (sizes != counts.ravel()[expected]).any():
        raise other_rows()
    # Where no row of the cell comes before the cut, the lowest number of the cell will do.
    after = (cells & ((1 << bits) - 1)).astype(np.uint64) << np.uint64((WORD - bits) % WORD)
    below = after - np.uint64(1)
    ranks = before[inside] + np.array([[-1], [0]])
    below[inside], after[inside] = words_at(cells[inside], ranks, own, numbers)
    return below, after
