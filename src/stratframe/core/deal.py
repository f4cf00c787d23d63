"""Deal rows by a quota table: which part every row goes to."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from .order import CHUNK, bit_width, pack_keys
from .types import Draws, Flags, Ints, Numbers, Table

SecondNumbers: TypeAlias = Callable[[Ints], Draws]
"""From ascending row numbers to a random word for each."""

FEW_ROWS = 1 << 12
"""Rows below which it is faster to sort all than to count first."""

CELLS = 1 << 15
"""Cells of a histogram that stay in cache."""

MANY_ROWS = 1 << 20
"""Rows counted at once, at most."""

NUMBER_BITS = 16
"""Bits of the numbers by position."""


def smallest_dtype(n_parts: int) -> np.dtype[np.signedinteger]:
    """Choose the smallest signed dtype that holds -1..n_parts-1."""
    return np.min_scalar_type(-n_parts - 1)


def round_robin(rows: Ints, fold_permutation: Ints) -> Ints:
    """Deal rows to k folds in turn.

    Parameters
    ----------
    rows : ndarray of int, shape (n_rows,)
        Row numbers in the order of the deal.
    fold_permutation : ndarray of int, shape (k,)
        The order in which the folds take turns.

    Returns
    -------
    ndarray of int, shape (n_rows,), range 0..k-1
        The fold of every row, by row number.
    """
    k = len(fold_permutation)
    folds = np.empty(len(rows), dtype=smallest_dtype(k))
    n_rounds = -(-len(rows) // k)
    folds[rows] = np.tile(fold_permutation.astype(folds.dtype), n_rounds)[: len(rows)]
    return folds


def deal_by_table(rows: Ints, table: Table) -> Ints:
    """Deal ordered rows: the first of each stratum to part 0, the next to part 1, and so on.

    Parameters
    ----------
    rows : ndarray of int, shape (n_rows,)
        Row numbers, stratum after stratum, each shuffled.
    table : ndarray of int64, shape (n_strata, n_parts)

    Returns
    -------
    ndarray of int, shape (n_rows,), range 0..n_parts-1
    """
    n_strata, n_parts = table.shape
    dtype = smallest_dtype(n_parts)
    parts = np.empty(len(rows), dtype=dtype)
    parts[rows] = np.repeat(np.tile(np.arange(n_parts, dtype=dtype), n_strata), table.ravel())
    return parts


def deal_by_rank(codes: Ints, table: Table, numbers: Numbers, second: SecondNumbers) -> Ints:
    """Deal the rows of each stratum by rank: the lowest to part 0, the next to part 1, and so on.

    Rows are ranked by their number. Rows of one number that a cut point tears apart are ranked
    by their second number, and then by row.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows,), range 0..n_strata-1
    table : ndarray of int64, shape (n_strata, n_parts)
        Its rows sum to the rows of the strata.
    numbers : ndarray of uint16 or uint64, shape (n_rows,)
    second : function
        Gives the second number of rows; called at most once.

    Returns
    -------
    ndarray of int, shape (n_rows,), range 0..n_parts-1
    """
    n_strata, n_parts = table.shape
    bits = histogram_bits(len(codes), n_strata, n_parts)
    due = np.tile(np.arange(n_parts, dtype=smallest_dtype(n_parts)), n_strata)
    parts = np.empty(len(codes), dtype=due.dtype)
    if bits == 0:
        in_order = np.repeat(due, table.ravel())
        order = rank_rows(codes, n_strata, numbers, 0, in_order, second)
        parts[order] = in_order
        return parts
    cells, counts = histogram(codes, numbers, bits, n_strata << bits)
    ends, cuts = np.cumsum(counts), np.cumsum(table)
    part_of_cell = parts_of_cells(ends, cuts, due)
    for start in range(0, len(cells), CHUNK):
        chunk = slice(start, start + CHUNK)
        np.take(part_of_cell, cells[chunk], out=parts[chunk], mode="clip")
    rows = np.flatnonzero(parts < 0)
    if not len(rows):
        return parts
    cells = cells[rows]
    in_order = np.repeat(due, rows_of_quotas(cells, counts, ends, cuts))
    places = rank_rows(
        cells, len(ends), numbers[rows], bits, in_order, lambda tied: second(rows[tied])
    )
    parts[rows[places]] = in_order
    return parts


def histogram_bits(n_rows: int, n_strata: int, n_parts: int) -> int:
    """Choose how many leading bits of the numbers to count by; 0 for a sort of all rows."""
    # In a histogram of the numbers of each stratum the cut points fall into few cells: at most
    # one in 32. All rows of the others have their part at once, and only those of cells with
    # a cut point are sorted. More cells cost nothing while their counts stay in cache.
    if n_rows < FEW_ROWS:
        return 0
    per_stratum = max(32 * n_parts, min(CELLS, n_rows // 4) // n_strata)
    bits = min(per_stratum.bit_length() - 1, NUMBER_BITS)
    while bits and n_strata << bits > n_rows:
        bits -= 1
    return bits if 1 << bits > 2 * n_parts else 0


def histogram(codes: Ints, numbers: Numbers, bits: int, n_cells: int) -> tuple[Ints, Ints]:
    """Count rows by stratum and by the leading bits of their numbers.

    Returns
    -------
    cells : ndarray of int, shape (n_rows,), range 0..n_cells-1
        The cell of every row.
    counts : ndarray of int64, shape (n_cells,)
    """
    shift = numbers.dtype.type(8 * numbers.itemsize - bits)
    cells = np.empty(len(codes), dtype=np.min_scalar_type(-n_cells))
    counts = np.zeros(n_cells, dtype=np.int64)
    chunk = max(CHUNK, min(4 * n_cells, MANY_ROWS))
    for start in range(0, len(codes), chunk):
        rows = slice(start, start + chunk)
        found = np.left_shift(codes[rows], bits, dtype=np.int64)
        np.bitwise_or(found.view(np.uint64), numbers[rows] >> shift, out=found.view(np.uint64))
        counts += np.bincount(found, minlength=n_cells)
        cells[rows] = found
    return cells, counts


def parts_of_cells(ends: Ints, cuts: Ints, due: Ints) -> Ints:
    """Find the part of all rows of a cell.

    Parameters
    ----------
    ends : ndarray of int64, shape (n_cells,)
        How many rows the cells up to each have; rows are counted from the first stratum.
    cuts : ndarray of int64, shape (n_strata * n_parts,)
        How many rows the quotas up to each have.
    due : ndarray of int, shape (n_strata * n_parts,)
        The part of each quota.

    Returns
    -------
    ndarray of int, shape (n_cells,), range -1..n_parts-1
        -1 for a cell with rows of several parts.
    """
    cell = np.searchsorted(ends, cuts[:-1], side="right")
    is_torn = starts_of(cell, ends) < cuts[:-1]
    lengths = np.diff(cell + is_torn, prepend=0, append=len(ends))
    parts = np.repeat(due, lengths)
    parts[cell[is_torn]] = -1
    return parts


def starts_of(cells: Ints, ends: Ints) -> Ints:
    """Count the rows before each of some cells."""
    starts = ends[cells - 1]
    starts[cells == 0] = 0
    return starts


def rows_of_quotas(cells: Ints, counts: Ints, ends: Ints, cuts: Ints) -> Ints:
    """Count the rows of each quota that are in some cells.

    Parameters
    ----------
    cells : ndarray of int, shape (n_rows,)
        The cell of every row of these cells.
    counts, ends, cuts
        The rows of all cells, and how many the cells and the quotas up to each have.

    Returns
    -------
    ndarray of int64, shape (n_strata * n_parts,)
    """
    is_among = np.zeros(len(counts), dtype=np.bool_)
    is_among[cells] = True
    among = np.flatnonzero(is_among)
    before = np.cumsum(counts[among]) - counts[among]
    # The last of these cells that starts below a cut holds all or some rows below it.
    last = np.searchsorted(ends[among] - counts[among], cuts) - 1
    below = before[last] + np.minimum(cuts - (ends - counts)[among][last], counts[among][last])
    return np.diff(np.where(last < 0, 0, below), prepend=0)


def rank_rows(
    cells: Ints, n_cells: int, numbers: Numbers, bits: int, parts: Ints, second: SecondNumbers
) -> Ints:
    """Rank rows by cell, by number and, where a cut point tears equal ones, by second number.

    Parameters
    ----------
    cells : ndarray of int, shape (n_rows,), range 0..n_cells-1
    numbers : ndarray of uint16 or uint64, shape (n_rows,)
    bits : int
        Leading bits of the numbers that the cells hold already.
    parts : ndarray of int, shape (n_rows,)
        The part of every rank.

    Returns
    -------
    ndarray of int64, shape (n_rows,)
        Row numbers by rank.
    """
    # A key holds the cell, as many further bits of the number as there is room for, and the
    # row. Only rows that are still equal and torn apart are ranked again.
    keys = numbers.astype(np.uint64)
    keys <<= np.uint64(64 - 8 * numbers.itemsize + bits)
    row_bits, cell_bits = bit_width(len(cells)), bit_width(n_cells)
    pack_keys(keys, cells, cell_bits, row_bits)
    keys.sort()
    order = (keys & np.uint64((1 << row_bits) - 1)).view(np.int64)
    keys >>= np.uint64(row_bits)
    opens = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=opens[1:])
    if row_bits + cell_bits + 8 * numbers.itemsize - bits > 64:
        rank_again(order, opens, parts, lambda tied: numbers[tied])
    rank_again(order, opens, parts, second)
    return order


def rank_again(order: Ints, opens: Flags, parts: Ints, key: Callable[[Ints], Numbers]) -> None:
    """Sort by a further key, in place, the runs of equal rows that a cut point tears apart.

    Parameters
    ----------
    order : ndarray of int64, shape (n_rows,)
    opens : ndarray of bool, shape (n_rows,)
        Where a sorted row differs from the one before it.
    parts : ndarray of int, shape (n_rows,)
        The part of every rank.
    """
    is_torn = ~opens[1:] & (parts[1:] != parts[:-1])
    if not is_torn.any():
        return
    runs = np.cumsum(opens)
    torn_runs = np.zeros(runs[-1] + 1, dtype=np.bool_)
    torn_runs[runs[1:][is_torn]] = True
    places = np.flatnonzero(torn_runs[runs])
    by_row = np.argsort(order[places])
    rows, runs = order[places][by_row], runs[places][by_row]
    keys = key(rows)
    again = np.lexsort((keys, runs))
    order[places] = rows[again]
    keys = keys[again]
    opens[places[1:]] |= keys[1:] != keys[:-1]
