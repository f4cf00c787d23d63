"""Deal rows to parts according to a table of quotas.

Suppose that the rows of all strata form one sequence, sorted by stratum and within a stratum by
their random numbers. The quotas cut this sequence into pieces. In this example, stratum a has 10
rows, 6 for part 0 and 4 for part 1, and stratum b has 6 rows, 3 for each part::

    stratum                a                       b
    number   0      1/4   1/2     3/4         1/4 1/2 3/4    1
    rows     | o o o | o o | o o o | o o | o o | o | o | o o |
    ends             3     5       8     10    12  13  14    16
    cuts                      6          10        13        16
    parts    | 0 0 0 | 0 0 | ? ? ? | 1 1 | 0 0 | 0 | 1 | 1 1 |

The rank of a row is its position in this sequence, counted from 0. The row of rank r belongs to the
quota j with cut[j - 1] <= r < cut[j], and goes to the part of this quota. To find the parts, it is
not necessary to sort all rows. The leading bits of a row's number, two bits in the example, give
its cell, and the counts of the cells show where each cell ends. All rows of a cell without a
cut inside go to the same part, whatever their order. Ranks are needed only for the rows of a cell
that a cut splits, such as the third cell. Tie breaks are needed only if rows with equal numbers are
on both sides of the cut.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from .order import CHUNK, bit_width, pack_words
from .rounding import numerators_of
from .types import Codes, Flags, Ints, Parts, RandomNumbers, Rows, StratumTable, Words

TieBreaks: TypeAlias = Callable[[Ints], Words]
"""A function that returns a random 64-bit word for each row of an ascending array of rows."""

FEW_ROWS = 1 << 12
"""The number of rows below which sorting all rows is faster than counting them first."""

CELLS_IN_CACHE = 1 << 15
"""The maximum number of cells for which the counts of a histogram fit in cache."""

MANY_ROWS = 1 << 20
"""The maximum number of rows that are counted at once."""

POSITION_BITS = 16
"""The number of bits of the random numbers that rows get by position if there is no key."""


def smallest_dtype(n_parts: int) -> np.dtype[np.signedinteger]:
    """Return the smallest signed dtype that holds -1..n_parts-1."""
    return np.min_scalar_type(-n_parts - 1)


def round_robin(rows: Rows, fold_permutation: Ints) -> Parts:
    """Deal ordered rows to the folds in turn, in the order given by a permutation of the folds."""
    k = len(fold_permutation)
    folds = np.empty(len(rows), dtype=smallest_dtype(k))
    n_rounds = -(-len(rows) // k)
    folds[rows] = np.tile(fold_permutation.astype(folds.dtype), n_rounds)[: len(rows)]
    return folds


def deal_by_table(rows: Rows, table: StratumTable) -> Parts:
    """Deal ordered rows: in each stratum, the first go to part 0, the next to part 1, and so on."""
    parts = np.empty(len(rows), dtype=smallest_dtype(table.shape[1]))
    parts[rows] = np.repeat(part_of_quotas(table), table.ravel())
    return parts


def cut_between_values(
    table: StratumTable, is_run_start: Flags, shares: Sequence[Fraction]
) -> StratumTable:
    """Move the cuts between quotas, so that ordered rows with equal values go to the same part.

    A cut inside a run of equal values moves to the end of the run that is nearer to the exact
    share of the parts before the cut, or to the later end if the two ends are equally near. Every
    stratum starts a new run.
    """
    cuts = np.cumsum(table)
    edges = np.append(np.flatnonzero(is_run_start), len(is_run_start))
    before = edges[np.searchsorted(edges, cuts, side="right") - 1]
    after = edges[np.searchsorted(edges, cuts)]
    numerators, denominator = numerators_of(shares, len(is_run_start))
    sizes = table.sum(axis=1)
    starts = (np.cumsum(sizes) - sizes)[:, None]
    # The exact places of the cuts, in units of 1 / denominator.
    exact = starts * denominator + sizes[:, None] * np.cumsum(numerators)
    is_nearer_before = 2 * exact.ravel() < (before + after) * denominator
    moved = np.where(is_nearer_before.astype(np.bool_), before, after)
    return np.diff(moved, prepend=0).reshape(table.shape)


def strata_with_ties(table: StratumTable, is_run_start: Flags) -> Flags:
    """Flag the strata in which a cut between quotas parts ordered rows with equal values."""
    cuts = np.cumsum(table)
    has_next = cuts < len(is_run_start)
    is_tied = np.zeros(len(cuts), dtype=np.bool_)
    is_tied[has_next] = ~is_run_start[cuts[has_next]]
    return np.asarray(is_tied.reshape(table.shape).any(axis=1))


def part_of_quotas(table: StratumTable) -> Parts:
    n_strata, n_parts = table.shape
    return np.tile(np.arange(n_parts, dtype=smallest_dtype(n_parts)), n_strata)


def deal_by_rank(
    codes: Codes,
    table: StratumTable,
    numbers: RandomNumbers,
    tie_breaks: TieBreaks,
    bits: int | None = None,
) -> Parts:
    """Deal the rows of each stratum by rank: the lowest to part 0, the next to part 1, and so on.

    Rows are ranked by their random numbers. If rows on both sides of a cut have equal numbers, they
    are ranked by their tie breaks, which are requested at most once, and then by position. The
    quotas of a stratum sum to its number of rows. `bits` is the number of leading bits that give
    the cell of a row; by default it is chosen for speed.
    """
    n_strata, n_parts = table.shape
    if bits is None:
        bits = histogram_bits(len(codes), n_strata, n_parts)
    part_of_quota = part_of_quotas(table)
    parts = np.empty(len(codes), dtype=part_of_quota.dtype)
    if bits == 0:
        in_order = np.repeat(part_of_quota, table.ravel())
        parts[rank_rows(codes, n_strata, numbers, 0, in_order, tie_breaks)] = in_order
        return parts
    cells, counts = histogram(codes, numbers, bits, n_strata << bits)
    ends = np.cumsum(counts)
    cuts = np.cumsum(table)
    part_of_cell = parts_of_cells(ends, cuts, part_of_quota)
    for start in range(0, len(cells), CHUNK):
        chunk = slice(start, start + CHUNK)
        np.take(part_of_cell, cells[chunk], out=parts[chunk], mode="clip")
    rows = np.flatnonzero(parts < 0)
    if not len(rows):
        return parts
    cells = cells[rows]
    in_order = np.repeat(part_of_quota, rows_of_quotas(cells, counts, ends, cuts))
    order = rank_rows(
        cells, len(ends), numbers[rows], bits, in_order, lambda tied: tie_breaks(rows[tied])
    )
    parts[rows[order]] = in_order
    return parts


def histogram_bits(n_rows: int, n_strata: int, n_parts: int) -> int:
    """Choose how many leading bits give the cell of a row; with 0, all rows are sorted."""
    # With at least about 32 cells for each part, cuts split few of the cells, and few rows are
    # sorted. More cells take no more time as long as their counts fit in cache.
    if n_rows < FEW_ROWS:
        return 0
    per_stratum = max(32 * n_parts, min(CELLS_IN_CACHE, n_rows // 4) // n_strata)
    bits = min(per_stratum.bit_length() - 1, POSITION_BITS)
    while bits and n_strata << bits > n_rows:
        bits -= 1
    return bits if 1 << bits > 2 * n_parts else 0


def histogram(codes: Codes, numbers: RandomNumbers, bits: int, n_cells: int) -> tuple[Codes, Ints]:
    """Find the cell of each row, from its stratum and leading bits, and count rows by cell."""
    shift = numbers.dtype.type(8 * numbers.itemsize - bits)
    cells = np.empty(len(codes), dtype=np.min_scalar_type(-n_cells))
    counts = np.zeros(n_cells, dtype=np.int64)
    chunk = max(CHUNK, min(4 * n_cells, MANY_ROWS))
    for start in range(0, len(codes), chunk):
        rows = slice(start, start + chunk)
        cell = np.left_shift(codes[rows], bits, dtype=np.int64)
        np.bitwise_or(cell.view(np.uint64), numbers[rows] >> shift, out=cell.view(np.uint64))
        counts += np.bincount(cell, minlength=n_cells)
        cells[rows] = cell
    return cells, counts


def parts_of_cells(ends: Ints, cuts: Ints, part_of_quota: Parts) -> Parts:
    """Return the part of the rows of each cell, or -1 if a cut splits the cell."""
    cell = np.searchsorted(ends, cuts[:-1], side="right")
    starts = ends[cell - 1]
    starts[cell == 0] = 0
    is_split = starts < cuts[:-1]
    lengths = np.diff(cell + is_split, prepend=0, append=len(ends))
    parts = np.repeat(part_of_quota, lengths)
    parts[cell[is_split]] = -1
    return parts


def rows_of_quotas(cells: Codes, counts: Ints, ends: Ints, cuts: Ints) -> Ints:
    """Count the rows of each quota in the cells that a cut splits.

    `cells` holds the cell of each row in these cells; `counts` and `ends` describe all cells.
    """
    is_among = np.zeros(len(counts), dtype=np.bool_)
    is_among[cells] = True
    among = np.flatnonzero(is_among)
    before = np.cumsum(counts[among]) - counts[among]
    # Of the split cells that start below a cut, only the last can have rows above the cut.
    last = np.searchsorted(ends[among] - counts[among], cuts) - 1
    below = before[last] + np.minimum(cuts - (ends - counts)[among][last], counts[among][last])
    return np.diff(np.where(last < 0, 0, below), prepend=0)


def rank_rows(
    cells: Codes,
    n_cells: int,
    numbers: RandomNumbers,
    bits: int,
    part_of_rank: Parts,
    tie_breaks: TieBreaks,
) -> Rows:
    """Sort rows by cell, then by random number, and by tie break if a cut splits equal numbers.

    The cell of a row already includes the leading `bits` bits of its number.
    """
    # A word holds the cell, as many further bits of the random number as fit, and the position of
    # the row. Only rows that are then still tied across a cut are ranked again.
    words = numbers.astype(np.uint64)
    words <<= np.uint64(64 - 8 * numbers.itemsize + bits)
    row_bits = bit_width(len(cells))
    cell_bits = bit_width(n_cells)
    pack_words(words, cells, cell_bits, row_bits)
    words.sort()
    order = (words & np.uint64((1 << row_bits) - 1)).view(np.int64)
    words >>= np.uint64(row_bits)
    is_run_start = np.ones(len(words), dtype=np.bool_)
    np.not_equal(words[1:], words[:-1], out=is_run_start[1:])
    if row_bits + cell_bits + 8 * numbers.itemsize - bits > 64:
        rank_again(order, is_run_start, part_of_rank, lambda tied: numbers[tied])
    rank_again(order, is_run_start, part_of_rank, tie_breaks)
    return order


def rank_again(
    order: Rows, is_run_start: Flags, part_of_rank: Parts, further: Callable[[Ints], RandomNumbers]
) -> None:
    """Sort, in place, each run of tied rows that contains a cut, by the numbers from `further`."""
    is_cut = ~is_run_start[1:] & (part_of_rank[1:] != part_of_rank[:-1])
    if not is_cut.any():
        return
    run = np.cumsum(is_run_start)
    is_split = np.zeros(run[-1] + 1, dtype=np.bool_)
    is_split[run[1:][is_cut]] = True
    places = np.flatnonzero(is_split[run])
    by_row = np.argsort(order[places])
    rows = order[places][by_row]
    numbers = further(rows)
    again = np.lexsort((numbers, run[places][by_row]))
    order[places] = rows[again]
    numbers = numbers[again]
    is_run_start[places[1:]] |= numbers[1:] != numbers[:-1]
