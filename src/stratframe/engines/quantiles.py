"""Find quantiles in every stratum by counting rows according to the leading bits of their values.

Values are converted to 64-bit words that have the same order. Words with the same leading bits form
a cell, and the number of rows in each cell shows which cell contains each quantile. The next round
counts only the rows in the cells with quantiles, by their next bits. The search ends when these
rows are few enough to be sorted, or when all bits are known.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ..core.types import Flags, Ints, StratumTable, Words
from .cells import MAX_BITS, WORD, cells_of, find_ranks, words_at
from .counts import HIGHEST_WORD

Round = tuple[Ints, int]
"""The cells that contain quantiles, in ascending order and numbered as in `cells_of`, and the
number of bits by which rows were counted in the round."""

MAX_COUNTS = 1 << 21
"""The maximum number of cells in which a worker counts rows, in all strata together."""

SORTED_ROWS = 1 << 21
"""The maximum number of rows that the driver sorts. If there are more, another round follows."""


def next_bits(n_cells: int, used: int) -> int:
    """Choose the number of bits for the next round, or return 0 if there are too many cells."""
    return min(MAX_BITS, max(MAX_COUNTS // max(n_cells, 1), 1).bit_length() - 1, WORD - used)


def quantile_words(
    n_strata: int,
    n: int,
    count: Callable[[Sequence[Round], int, int], StratumTable],
    take: Callable[[Sequence[Round]], tuple[Ints, Words]],
) -> Words:
    """Find the i / n quantiles (0 < i < n) of every stratum as words, shape (n_strata, n - 1).

    The function `count` takes the rounds so far, the number of cells that contain quantiles, and
    the number of bits to count by. It returns the number of rows in each cell with each value of
    these bits. The function `take` takes the rounds, and returns the cell and the word of each row
    in the cells of the last round. In a stratum without rows, all quantiles are the highest word.

    References
    ----------
    Hyndman and Fan (1996), Sample quantiles in statistical packages, definition 1.
    """
    if n == 1:
        return np.empty((n_strata, 0), dtype=np.uint64)
    bits = next_bits(n_strata, 0)
    counts = count([], n_strata, bits)
    sizes = counts.sum(axis=1)
    filled = np.flatnonzero(sizes)
    # The cell of each quantile, the number of rows before it in the cell, and its known bits.
    cells = np.repeat(filled, n - 1)
    before = (-(-np.arange(1, n) * sizes[filled, None] // n) - 1).ravel()
    words = np.zeros(len(cells), dtype=np.uint64)
    rounds: list[Round] = []
    used = 0
    while True:
        cell_of_quantile, before = find_ranks(counts, (np.cumsum(sizes) - sizes)[cells] + before)
        leading = cell_of_quantile & ((1 << bits) - 1)
        words = words << np.uint64(bits) | leading.astype(np.uint64)
        # From here on, `cells` has the place of each quantile's cell among the cells of the round.
        searched, cells = np.unique(cell_of_quantile, return_inverse=True)
        rounds = [*rounds, (searched, bits)]
        used += bits
        if used == WORD or not bits or counts.ravel()[searched].sum() <= SORTED_ROWS:
            break
        bits = next_bits(len(searched), used)
        counts = count(rounds, len(searched), bits)
        sizes = counts.sum(axis=1)
    if used < WORD:
        words = words_at(cells, before, *take(rounds))
    points = np.full((n_strata, n - 1), HIGHEST_WORD)
    points[filled] = words.reshape(-1, n - 1)
    return points


def cell_places(strata: Ints, words: Words, rounds: Sequence[Round]) -> tuple[Ints, Ints]:
    """Find the rows in the cells of the last round, and the place of each row's cell among them."""
    rows = np.arange(len(words))
    places = strata
    used = 0
    for cells, bits in rounds:
        cell_of_row = cells_of(places, words[rows] << np.uint64(used), bits)
        nearest = np.searchsorted(cells, cell_of_row).clip(max=max(len(cells) - 1, 0))
        is_inside: Flags = np.zeros(len(rows), dtype=np.bool_)
        if len(cells):
            is_inside = cells[nearest] == cell_of_row
        rows = rows[is_inside]
        places = nearest[is_inside]
        used += bits
    return rows, places
