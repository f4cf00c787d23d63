"""Cut points of the numbers of rows, found from counts and from the few rows near the cuts.

This does the work of `deal_by_rank` in core/deal.py for rows on other machines;
tests/engines/test_cuts.py checks that the two agree. The rows of a stratum are ranked by their
numbers. The first rows, as many as its quota, go to part 0, the next to part 1, and so on. So a
row's part is the count of cut points of its stratum that are at most its own number. Counts of the
leading bits of the numbers show in which cell of these bits each cut point lies. The numbers of the
rows in that cell show where.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from ..core.deal import smallest_dtype
from ..core.order import CHUNK
from ..core.types import Flags, Ints, StratumTable, Words
from ..errors import StratError

CellCounts: TypeAlias = StratumTable
"""Rows of every stratum, counted by leading bits of their numbers; shape (n_strata, 2**bits)."""

MAX_CELLS = 1 << 24
"""The most cells of all strata together whose counts the driver holds."""

MAX_BITS = 16
"""The most leading bits to count by: more would hardly leave fewer rows near the cuts."""

WORD = 64
"""Bits in the number of a row."""

HIGHEST_WORD = np.uint64(2**64 - 1)
"""The cut point after all rows."""


OTHER_ROWS = (
    "The frame must give the same rows each time that it is computed, but a second pass found"
    " others.\nHint: write it to a Parquet file, and read that."
)
"""The message for a frame whose rows change between two passes."""


def other_rows() -> StratError:
    return StratError(OTHER_ROWS)


def counts_by(codes: Ints, counts: StratumTable, n_codes: int) -> StratumTable:
    """Sum rows of counts by code; rows with the code -1 are left out."""
    sums = np.zeros((n_codes, counts.shape[1]), dtype=np.int64)
    np.add.at(sums, codes[codes >= 0], counts[codes >= 0])
    return sums


class NearCuts(NamedTuple):
    """The counts and rows that show where the numbers of every stratum are cut."""

    counts: StratumTable
    """Counts of rows in ascending intervals of their numbers, shape (n_strata, n_intervals)."""
    lows: Words
    """The lowest number of each interval, of the same shape, or (n_intervals,) for all strata."""
    intervals: Ints
    """The interval of each row in an interval that `split_intervals` flags, in any order.
    Intervals are numbered stratum after stratum."""
    numbers: Words
    """The numbers of these rows."""


class CutPoints(NamedTuple):
    """Where the numbers of every stratum are cut."""

    points: Words
    """Shape (n_strata, n_parts - 1), nondecreasing along the parts."""
    split_by_cut: Words
    """Numbers that rows on both sides of a cut share, ascending."""


# Intervals -------------------------------------------------------------------------------


def cell_bits(n_strata: int) -> int:
    """Choose how many leading bits of the numbers define the cells of each stratum."""
    return min(MAX_BITS, (MAX_CELLS // max(n_strata, 1)).bit_length() - 1)


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


def window_widths(sizes: Ints) -> Ints:
    """Choose how far from its expected place a cut is looked for, in cells of `MAX_BITS` bits.

    References
    ----------
    Meng (2013), Scalable simple random sampling and stratified sampling.
    """
    # The number of a given rank has a standard deviation of at most 1 / (2 sqrt(n)).
    deviation = (1 << MAX_BITS) / (2 * np.sqrt(np.maximum(sizes, 1)))
    widths = np.ceil(DEVIATIONS * deviation).astype(np.int64) + 2
    return np.minimum(widths, 1 << MAX_BITS)


DEVIATIONS = 6
"""How many standard deviations from its expected place a cut is looked for."""


# Cuts ------------------------------------------------------------------------------------


def find_ranks(counts: Ints, ranks: Ints) -> tuple[Ints, Ints]:
    """Find the interval of each rank, and how many rows of this interval come before it.

    The counts are of ascending intervals, stratum after stratum. The rank of a row is how many rows
    come before it in all strata.
    """
    ends = np.cumsum(counts)
    intervals = np.searchsorted(ends, ranks, side="right")
    return intervals, ranks - (ends[intervals] - counts.ravel()[intervals])


def words_at(intervals: Ints, before: Ints, found: Ints, words: Words) -> Words:
    """Take the word of rank `before` in each interval; `found` has the interval of each word."""
    order = np.lexsort((words, found))
    taken: Words = words[order[np.searchsorted(found, intervals, sorter=order) + before]]
    return taken


def ranks_of_cuts(table: StratumTable) -> tuple[Ints, Flags]:
    """Find the rank of the first row after each cut, and flag the cuts that have such a row.

    The flags have shape (n_strata, n_parts - 1). There is one rank for each flag that is set.
    """
    cuts = np.cumsum(table).reshape(table.shape)
    is_inner = cuts[:, :-1] < cuts[:, -1:]
    return cuts[:, :-1][is_inner], is_inner


def split_intervals(counts: StratumTable, table: StratumTable) -> Flags:
    """Flag the intervals whose rows go to several parts, stratum after stratum."""
    intervals, before = find_ranks(counts, ranks_of_cuts(table)[0])
    flags = np.zeros(counts.size, dtype=np.bool_)
    flags[intervals[before > 0]] = True
    return flags


def near_cells(counts: CellCounts, codes: Ints, numbers: Words) -> NearCuts:
    """Describe what is near the cuts, with cells as the intervals."""
    bits = (counts.shape[1] - 1).bit_length()
    lows = np.arange(1 << bits, dtype=np.uint64) << np.uint64(WORD - bits)
    return NearCuts(counts, lows, cells_of(codes, numbers, bits), numbers)


def cut_points(near: NearCuts, table: StratumTable) -> CutPoints:
    ranks, is_inner = ranks_of_cuts(table)
    intervals, before = find_ranks(near.counts, ranks)
    # Where no row of the interval is before the cut, the interval's lowest number will do.
    lows = np.broadcast_to(near.lows, near.counts.shape)
    words = lows[np.unravel_index(intervals, lows.shape)]
    inside = np.flatnonzero(before)
    check_found(near, intervals[inside])
    both = before[inside] + np.array([[-1], [0]])
    last, first = words_at(intervals[inside], both, near.intervals, near.numbers)
    words[inside] = first
    points = np.full(is_inner.shape, HIGHEST_WORD)
    points[is_inner] = words
    return CutPoints(points, np.unique(first[last == first]))


def check_found(near: NearCuts, intervals: Ints) -> None:
    """Raise unless the intervals with a cut have as many rows as were counted before."""
    expected = np.unique(intervals)
    present, sizes = np.unique(near.intervals, return_counts=True)
    counts = near.counts.ravel()[expected]
    if not np.array_equal(present, expected) or not np.array_equal(sizes, counts):
        raise other_rows()


def parts_by_cuts(codes: Ints, numbers: Words, points: Words) -> Ints:
    """Find the part of every row: how many cut points of its stratum are at most its number.

    Rows with the code -1 are not dealt and get the part -1.
    """
    n_cuts = points.shape[1]
    # A binary search takes one comparison for each bit of the number of cuts.
    n_steps = n_cuts.bit_length()
    padded = np.full((n_steps and 1 << n_steps, max(len(points), 1)), HIGHEST_WORD)
    padded[:n_cuts, : len(points)] = points.T
    parts = np.empty(len(codes), dtype=smallest_dtype(n_cuts + 1))
    all_dealt = codes.min(initial=0) >= 0
    for start in range(0, len(codes), CHUNK):
        rows = slice(start, start + CHUNK)
        strata, words = codes[rows], numbers[rows]
        strata = strata if all_dealt else np.maximum(strata, 0)
        found = np.zeros(len(words), dtype=np.int64)
        for step in reversed(range(n_steps)):
            probes = padded[found + ((1 << step) - 1), strata]
            found += (probes <= words).astype(np.int64) << step
        np.minimum(found, n_cuts, out=found)
        parts[rows] = found
    if not all_dealt:
        parts[codes < 0] = -1
    return parts
