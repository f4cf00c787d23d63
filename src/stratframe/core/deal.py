"""Spend a quota table along an order: which part every row goes to."""

import numpy as np

from .order import CHUNK, shuffled
from .types import Draws, Ints, Table

TICKETS = 1 << 16
"""Tickets from which a row first draws its part, dealt to the parts by share."""

ROOMY = 64
"""Rows to a cell of the table, on average, from which `settle` beats a sort."""


def smallest_dtype(n_parts: int) -> np.dtype[np.signedinteger]:
    """Choose the smallest signed dtype that holds -1..n_parts-1."""
    return np.min_scalar_type(-n_parts - 1)


def round_robin(rows: Ints, numbering: Ints) -> Ints:
    """Deal rows to k folds, one after another round the table.

    Parameters
    ----------
    rows : ndarray of int, shape (n_rows,)
        Row numbers in the order of the deal.
    numbering : ndarray of int, shape (k,)
        The fold at each seat.

    Returns
    -------
    ndarray of int, shape (n_rows,), range 0..k-1
        The fold of every row, in the rows' own order.
    """
    k = len(numbering)
    folds = np.empty(len(rows), dtype=smallest_dtype(k))
    folds[rows] = np.tile(numbering.astype(folds.dtype), -(-len(rows) // k))[: len(rows)]
    return folds


def deal_by_table(rows: Ints, table: Table) -> Ints:
    """Deal rows, stratum after stratum: the first of a stratum to part 0, and so on.

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

    Every row draws a part by itself, from its high bits. Cells of the table that come
    out too full give their surplus, the rows lowest in the other bits, to the cells of
    the same stratum that lack rows. Rows of a stratum are treated alike throughout, so
    that all deals with the table's counts are equally likely.

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
    n_parts = table.shape[1]
    parts, counts = draw_parts(codes, table, draws)
    surplus = counts - table.ravel()
    moved = surplus_rows(codes, parts, n_parts, counts, surplus, draws)
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
        parts[rows] = tickets[(draws[rows] >> np.uint64(48)).astype(np.intp)]
        counts += np.bincount(codes[rows] * n_parts + parts[rows], minlength=table.size)
    return parts, counts


def surplus_rows(
    codes: Ints, parts: Ints, n_parts: int, counts: Ints, surplus: Ints, draws: Draws
) -> Ints:
    """Choose the rows that too full cells give away, at random, cell after cell.

    Only rows whose low bits are below a bound for their cell are looked at; it is so
    high that a cell hardly ever has too few of them, and is lifted where one does.

    Parameters
    ----------
    counts : ndarray of int64, shape (n_strata * n_parts,)
        Rows of each cell.
    surplus : ndarray of int64, shape (n_strata * n_parts,)
        Rows above its quota; negative where rows lack.

    Returns
    -------
    ndarray of int64, shape (surplus of the too full cells,)
    """
    wanted = np.maximum(surplus, 0)
    # Five deviations of a binomial above its mean, and some for small counts.
    reach = wanted + 5 * np.sqrt(wanted) + 5
    bounds = np.minimum(reach / np.maximum(counts, 1), 1.0) * (wanted > 0)
    while True:
        rows, cells, low = rows_below(codes, parts, n_parts, bounds, draws)
        found = np.bincount(cells, minlength=len(wanted))
        short = found < wanted
        if not short.any():
            rows = rows[shuffled(cells, len(wanted), low << np.uint64(16))]
            place = np.arange(len(rows)) - np.repeat(np.cumsum(found) - found, found)
            return rows[place < np.repeat(wanted, found)]
        bounds[short] = 1.0


def rows_below(
    codes: Ints, parts: Ints, n_parts: int, bounds: Ints, draws: Draws
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
    found = []
    for start in range(0, len(codes), CHUNK):
        low = draws[start : start + CHUNK] & mask
        rows = np.flatnonzero(low < highest) + start
        cells = codes[rows] * n_parts + parts[rows]
        low = low[rows - start]
        keep = low < limits[cells]
        found.append((rows[keep], cells[keep], low[keep]))
    rows, cells, low = (np.concatenate(column) for column in zip(*found, strict=True))
    return rows, cells, low
