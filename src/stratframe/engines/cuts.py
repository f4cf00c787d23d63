"""Cut points of the numbers of rows, found from counts and from the few rows near the cuts.

This is `deal_by_rank` of core/deal.py for rows that are elsewhere: tests/engines/test_cuts.py holds
the two together. The rows of a stratum are ranked by their numbers, and the first of them,
as many as its quota says, go to part 0, and so on. So a row's part is the number of cut points of
its stratum that are at most its own number. Counts of the leading bits of the numbers show in
which cell of these bits each cut point lies; the numbers of the rows in these cells show where.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from ..core.deal import smallest_dtype
from ..core.order import CHUNK
from ..core.types import Flags, Ints, StratumTable, Words
from ..errors import StratError

CellCounts: TypeAlias = StratumTable
"""Rows of every stratum by the leading bits of their numbers, shape (n_strata, 2**bits)."""

MAX_CELLS = 1 << 24
"""Cells of all strata together, whose counts the driver holds."""

MAX_BITS = 16
"""Leading bits beyond which more would hardly leave fewer rows near the cuts."""

WORD = 64
"""Bits of a number."""

HIGHEST_WORD = np.uint64(2**64 - 1)
"""The cut point behind all rows."""


OTHER_ROWS = (
    "The frame must give the same rows each time that it is computed, but a second pass found"
    " others.\nHint: write it to a Parquet file, and read that."
)
"""What the driver says of a frame whose rows change between two passes."""


def other_rows() -> StratError:
    """Build the error for a frame that gives other rows in a second pass."""
    return StratError(OTHER_ROWS)


def counts_by(codes: Ints, counts: StratumTable, n_codes: int) -> StratumTable:
    """Sum rows of counts by code; rows with the code -1 are left out."""
    sums = np.zeros((n_codes, counts.shape[1]), dtype=np.int64)
    np.add.at(sums, codes[codes >= 0], counts[codes >= 0])
    return sums


class NearCuts(NamedTuple):
    """What shows where the numbers of every stratum are cut."""

    counts: StratumTable
    """Rows by ascending intervals of their numbers, shape (n_strata, n_intervals)."""
    lows: Words
    """The lowest number of each interval: of the same shape, or the same for all strata."""
    intervals: Ints
    """The interval, counted stratum after stratum, of each row in those that `split_intervals`
    flags; in any order."""
    numbers: Words
    """The numbers of these rows."""


class CutPoints(NamedTuple):
    """Where the numbers of every stratum are cut."""

    points: Words
    """Shape (n_strata, n_parts - 1), nondecreasing along the parts."""
    split_by_cut: Words
    """Numbers that two rows of a stratum share between which it should be cut, ascending."""


# Intervals -------------------------------------------------------------------------------


def cell_bits(n_strata: int) -> int:
    """Choose how many leading bits of the numbers make the cells of each stratum."""
    return min(MAX_BITS, (MAX_CELLS // max(n_strata, 1)).bit_length() - 1)


def cells_of(codes: Ints, numbers: Words, bits: int) -> Ints:
    """Find the cell of every row: those of a stratum are consecutive."""
    cells = codes.astype(np.int64) << bits
    if bits:
        cells |= (numbers >> np.uint64(WORD - bits)).astype(np.int64)
    return cells


def coarser_cells(counts: CellCounts, bits: int) -> CellCounts:
    """Merge the cells of counts into those of fewer leading bits."""
    if counts.shape[1] == 1 << bits:
        return counts
    merged: CellCounts = counts.reshape(len(counts), 1 << bits, -1).sum(axis=2)
    return merged


def window_widths(sizes: Ints) -> Ints:
    """Choose how many cells of `MAX_BITS` bits around its place a cut is looked for.

    References
    ----------
    Meng (2013), Scalable simple random sampling and stratified sampling.
    """
    # The number of a given rank has a standard deviation of at most 1 / (2 sqrt(n)).
    deviation = (1 << MAX_BITS) / (2 * np.sqrt(np.maximum(sizes, 1)))
    widths = np.ceil(DEVIATIONS * deviation).astype(np.int64) + 2
    return np.minimum(widths, 1 << MAX_BITS)


DEVIATIONS = 6
"""Standard deviations beyond which a cut point is not expected."""


# Cuts ------------------------------------------------------------------------------------


def find_ranks(counts: Ints, ranks: Ints) -> tuple[Ints, Ints]:
    """Find the interval of each rank, and how many rows of this interval are before it.

    The counts are of ascending intervals of the numbers of each stratum, stratum after stratum;
    the rank of a row is how many rows of all these are before it.
    """
    ends = np.cumsum(counts)
    intervals = np.searchsorted(ends, ranks, side="right")
    return intervals, ranks - (ends[intervals] - counts.ravel()[intervals])


def words_at(intervals: Ints, before: Ints, found: Ints, words: Words) -> Words:
    """Take the words that have some words of their interval before them, given all words there."""
    order = np.lexsort((words, found))
    taken: Words = words[order[np.searchsorted(found, intervals, sorter=order) + before]]
    return taken


def ranks_of_cuts(table: StratumTable) -> tuple[Ints, Flags]:
    """Rank the first rows after the cuts, and flag the cuts that have such a row.

    The flags have the shape (n_strata, n_parts - 1), and there are as many ranks as flags are set.
    """
    cuts = np.cumsum(table).reshape(table.shape)
    is_inner = cuts[:, :-1] < cuts[:, -1:]
    return cuts[:, :-1][is_inner], is_inner


def split_intervals(counts: StratumTable, table: StratumTable) -> Flags:
    """Flag the intervals whose rows go to several parts, counted stratum after stratum."""
    intervals, before = find_ranks(counts, ranks_of_cuts(table)[0])
    flags = np.zeros(counts.size, dtype=np.bool_)
    flags[intervals[before > 0]] = True
    return flags


def near_cells(counts: CellCounts, codes: Ints, numbers: Words) -> NearCuts:
    """Say what is near the cuts where the intervals are cells, and which rows are in these."""
    bits = (counts.shape[1] - 1).bit_length()
    lows = np.arange(1 << bits, dtype=np.uint64) << np.uint64(WORD - bits)
    return NearCuts(counts, lows, cells_of(codes, numbers, bits), numbers)


def cut_points(near: NearCuts, table: StratumTable) -> CutPoints:
    """Find the cut points of every stratum."""
    ranks, is_inner = ranks_of_cuts(table)
    intervals, before = find_ranks(near.counts, ranks)
    # Where no row of the interval is before the cut, its lowest number will do.
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
    """Raise unless the intervals with a cut have the rows that were counted before."""
    expected = np.unique(intervals)
    present, sizes = np.unique(near.intervals, return_counts=True)
    counts = near.counts.ravel()[expected]
    if not np.array_equal(present, expected) or not np.array_equal(sizes, counts):
        raise other_rows()


def parts_by_cuts(codes: Ints, numbers: Words, points: Words) -> Ints:
    """Find the part of every row: how many cut points of its stratum are at most its number.

    Rows with the code -1 are not dealt, and get the part -1.
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
