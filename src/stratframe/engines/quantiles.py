"""Order statistics of the numbers of every stratum, found by counts of more and more bits.

Numbers become words of 64 bits that have their order. Counts of the leading bits show in which
cell of these bits a rank lies; the next bits of the rows of these cells alone are counted next,
until few rows are left, which are sorted, or no bits.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.types import Flags, Ints, Values, Words
from .cuts import HIGHEST_WORD, MAX_BITS, WORD, CellCounts, cells_of

MAX_COUNTS = 1 << 21
"""Cells of all strata together, whose counts a worker makes."""

SORTED_ROWS = 1 << 21
"""Rows that the driver sorts rather than to have them counted again."""


class QuantileRanks(NamedTuple):
    """QuantileRanks that are looked for."""

    owners: Ints
    """The parent stratum of each, shape (n_ranks,)."""
    cells: Ints
    """The cell in which each is, at first its parent stratum."""
    ranks: Ints
    """How many rows of the cell are below it."""
    prefixes: Words
    """The bits of its word that are known."""


def ordered_words(values: Values) -> Words:
    """Turn float64, int64 or uint64 into words of the same order; both zeros are one."""
    if values.dtype == np.uint64:
        return values
    sign = np.uint64(1 << (WORD - 1))
    if values.dtype.kind != "f":
        return values.view(np.uint64) ^ sign
    bits = (values + 0.0).view(np.uint64)
    return np.where(bits & sign, ~bits, bits | sign)


def first_ranks(counts: CellCounts, n: int) -> QuantileRanks:
    """List the ranks of the quantiles i / n of every stratum that has rows.

    References
    ----------
    Hyndman and Fan (1996), Sample quantiles in statistical packages, definition 1.
    """
    sizes = counts.sum(axis=1)
    filled = np.flatnonzero(sizes)
    ranks = -(-np.arange(1, n) * sizes[filled, None] // n) - 1
    owners = np.repeat(filled, n - 1)
    return QuantileRanks(owners, owners, ranks.ravel(), np.zeros(len(owners), dtype=np.uint64))


def next_bits(n_cells: int, used: int) -> int:
    """Choose how many further bits are counted; none where there are too many cells."""
    return min(MAX_BITS, max(MAX_COUNTS // max(n_cells, 1), 1).bit_length() - 1, WORD - used)


def narrow(ranks: QuantileRanks, counts: CellCounts) -> tuple[QuantileRanks, Ints, int]:
    """Find the cells of ranks by counts of the next bits.

    Returns the ranks in the new cells, which are counted up from 0, the number of each new cell
    among all, as `cells_of` numbers them, and how many rows these cells have.
    """
    bits = (counts.shape[1] - 1).bit_length()
    ends = np.cumsum(counts)
    starts = ends - counts.ravel()
    places = starts[ranks.cells << bits] + ranks.ranks
    found = np.searchsorted(ends, places, side="right")
    cells, new = np.unique(found, return_inverse=True)
    leading = (found & ((1 << bits) - 1)).astype(np.uint64)
    prefixes = ranks.prefixes << np.uint64(bits) | leading
    narrowed = QuantileRanks(ranks.owners, new, places - starts[found], prefixes)
    return narrowed, cells, int(counts.ravel()[cells].sum())


def cell_places(
    strata: Ints, words: Words, rounds: Sequence[tuple[Ints, int]]
) -> tuple[Ints | slice, Ints]:
    """Find the rows in the cells of the last round, and the place of each among these.

    A round is its cells, ascending, and how many bits it took.
    """
    rows, places, used = np.arange(len(words)), strata, 0
    for cells, bits in rounds:
        own = cells_of(places, words[rows] << np.uint64(used), bits)
        found = np.searchsorted(cells, own).clip(max=max(len(cells) - 1, 0))
        inside: Flags = cells[found] == own if len(cells) else np.zeros(len(own), dtype=np.bool_)
        rows, places, used = rows[inside], found[inside], used + bits
    return rows, places


def words_at(ranks: QuantileRanks, cells: Ints, words: Words) -> Words:
    """Take the words at ranks, given all rows of their cells."""
    order = np.lexsort((words, cells))
    starts = np.searchsorted(cells[order], ranks.cells)
    found: Words = words[order[starts + ranks.ranks]]
    return found


def points_of(ranks: QuantileRanks, words: Words, n_strata: int, n: int) -> Words:
    """Put different words into a row for each stratum, filled up with the highest."""
    points = np.full((n_strata, n - 1), HIGHEST_WORD)
    owners = ranks.owners.reshape(-1, n - 1)[:, 0]
    rows = words.reshape(-1, n - 1)
    again = np.zeros(rows.shape, dtype=np.bool_)
    again[:, 1:] = rows[:, 1:] == rows[:, :-1]
    points[owners] = np.sort(np.where(again, HIGHEST_WORD, rows), axis=1)
    return points
