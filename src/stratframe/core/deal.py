"""Deal rows by a quota table: which part every row goes to."""

import numpy as np

from .order import CHUNK, positions_within, shuffled
from .types import Draws, Ints, Table, Values

TICKETS = 1 << 16
"""Tickets from which a row first draws its part, allocated to the parts by their shares."""

ROOMY = 64
"""Rows per cell of the table, on average, from which `deal_by_surplus` is faster than a sort."""


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


def deal_by_surplus(codes: Ints, table: Table, draws: Draws) -> Ints:
    """Deal rows at random without sorting them: draw parts freely, then move the surplus.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows,), range 0..n_strata-1
    table : ndarray of int64, shape (n_strata, n_parts)
        Its rows sum to the rows of the strata.
    draws : ndarray of uint64, shape (n_rows,)

    Returns
    -------
    ndarray of int, shape (n_rows,), range 0..n_parts-1
    """
    # Cells that came out above their quota give their surplus, drawn at random, to the
    # cells of the same stratum below theirs. All rows of a stratum are exchangeable at
    # each step, so that all deals with the counts of the table are equally likely. The
    # surplus is of the order of sqrt(n): hardly any row moves.
    n_parts = table.shape[1]
    parts, counts = draw_parts(codes, table, draws)
    surplus = counts - table.ravel()
    moved = surplus_rows(codes, parts, n_parts, counts, surplus, draws)
    # Surplus and lack of a stratum are equal and both run stratum by stratum, so that
    # every row moves inside its stratum.
    lacking = np.repeat(np.arange(table.size), np.maximum(-surplus, 0))
    parts[moved] = lacking % n_parts
    return parts


def draw_parts(codes: Ints, table: Table, draws: Draws) -> tuple[Ints, Ints]:
    """Draw a part for every row by the parts' shares, and count the cells.

    Returns
    -------
    parts : ndarray of int, shape (n_rows,), range 0..n_parts-1
    counts : ndarray of int64, shape (n_strata * n_parts,)
    """
    n_parts = table.shape[1]
    dtype = smallest_dtype(n_parts)
    ends = np.cumsum(table.sum(axis=0)) * TICKETS // max(int(table.sum()), 1)
    tickets = np.repeat(np.arange(n_parts, dtype=dtype), np.diff(ends, prepend=0))
    parts = np.empty(len(codes), dtype=dtype)
    counts = np.zeros(table.size, dtype=np.int64)
    chunk = max(CHUNK, 4 * table.size)
    for start in range(0, len(codes), chunk):
        rows = slice(start, start + chunk)
        # The high 16 bits draw the part; the low 48 are left for `surplus_rows`.
        parts[rows] = tickets[(draws[rows] >> np.uint64(48)).astype(np.intp)]
        counts += np.bincount(codes[rows] * n_parts + parts[rows], minlength=table.size)
    return parts, counts


def surplus_rows(
    codes: Ints, parts: Ints, n_parts: int, counts: Ints, surplus: Ints, draws: Draws
) -> Ints:
    """Choose the rows that cells above their quota give away, at random, cell after cell.

    Parameters
    ----------
    counts : ndarray of int64, shape (n_strata * n_parts,)
        Rows of each cell.
    surplus : ndarray of int64, shape (n_strata * n_parts,)
        Rows above the quota; negative below.

    Returns
    -------
    ndarray of int64, shape (sum of the positive surpluses,)
    """
    # The rows of a cell with the lowest low bits are a random sample. To find them without
    # sorting all, only rows below a bound are sorted. It leaves as many rows as wanted plus
    # five standard deviations, and some for small counts; where that is too few after all,
    # the bound is lifted.
    wanted = np.maximum(surplus, 0)
    n_below = wanted + 5 * np.sqrt(wanted) + 5
    bounds = np.minimum(n_below / np.maximum(counts, 1), 1.0) * (wanted > 0)
    while True:
        rows, cells, low = rows_below(codes, parts, n_parts, bounds, draws)
        n_found = np.bincount(cells, minlength=len(wanted))
        short = n_found < wanted
        if not short.any():
            rows = rows[shuffled(cells, len(wanted), low << np.uint64(16))]
            return rows[positions_within(n_found) < np.repeat(wanted, n_found)]
        bounds[short] = 1.0


def rows_below(
    codes: Ints, parts: Ints, n_parts: int, bounds: Values, draws: Draws
) -> tuple[Ints, Ints, Draws]:
    """Find the rows whose low 48 bits are below the bound of their cell.

    Parameters
    ----------
    bounds : ndarray of float64, shape (n_strata * n_parts,), range 0..1

    Returns
    -------
    rows, cells : ndarray of int64, shape (n_found,)
    low : ndarray of uint64, shape (n_found,)
        The low bits.
    """
    mask = np.uint64((1 << 48) - 1)
    limits = (bounds * 2.0**48).astype(np.uint64)
    highest = limits.max(initial=0)
    chunks = []
    for start in range(0, len(codes), CHUNK):
        low = draws[start : start + CHUNK] & mask
        # The largest bound first: most rows fail it, before their cell is looked up.
        rows = np.flatnonzero(low < highest) + start
        cells = codes[rows] * n_parts + parts[rows]
        low = low[rows - start]
        keep = low < limits[cells]
        chunks.append((rows[keep], cells[keep], low[keep]))
    rows, cells, low = (np.concatenate(column) for column in zip(*chunks, strict=True))
    return rows, cells, low
