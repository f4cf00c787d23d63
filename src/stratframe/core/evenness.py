"""How even a table of strata and folds is, and how even it could be."""

from itertools import pairwise

import numpy as np

from .flow import shortest_path
from .types import Ints, Table, Values


def deviations(table: Table, sizes: Ints) -> Values:
    """Compute the rows that every fold has of each stratum, less its share of the whole.

    In whole numbers but for one division, so that equal deviations are equal floats.

    Parameters
    ----------
    table : ndarray of int64, shape (n_strata, n_folds)
    sizes : ndarray of int64, shape (n_strata,)
        Rows of the whole, those without a fold too.

    Returns
    -------
    ndarray of float64, shape (n_strata, n_folds)
    """
    whole = int(sizes.sum())
    found: Values = (table * whole - sizes[:, None] * table.sum(axis=0)) / max(whole, 1)
    return found


def tv_distance(off: Values, totals: Ints) -> Values:
    """Measure how far the shares of the strata in every fold are from those in the whole.

    Parameters
    ----------
    off : ndarray of float64, shape (n_strata, n_folds)
        As `deviations` gives them.
    totals : ndarray of int64, shape (n_folds,)
        Rows of the folds.

    Returns
    -------
    ndarray of float64, shape (n_folds,), range 0..1
        Half the sum of the absolute differences, the total variation distance: the share
        of a fold's rows that would have to change their stratum. NaN for folds without rows.
    """
    moved = np.abs(off).sum(axis=0) / 2
    found: Values = np.where(totals, moved / np.maximum(totals, 1), np.nan)
    return found


def random_variance(sizes: Ints, totals: Ints) -> Values:
    """Tell by how much the rows of strata in folds vary that are drawn at random.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_strata,)
        Rows of the whole.
    totals : ndarray of int64, shape (n_folds,)
        Rows of the folds.

    Returns
    -------
    ndarray of float64, shape (n_strata, n_folds)
        The variance of the hypergeometric distribution, m p (1 - p) (n - m) / (n - 1).

    References
    ----------
    Johnson, Kotz and Kemp (1992), Univariate discrete distributions, chapter 6.
    """
    n_rows = int(sizes.sum())
    shares = sizes[:, None] / max(n_rows, 1)
    found: Values = shares * (1 - shares) * (totals * (n_rows - totals) / max(n_rows - 1, 1))
    return found


def least_deviation(sizes: Ints, dealt: Ints, totals: Ints) -> float:
    """Find the largest deviation that the best of all columns of these sizes has.

    A column is a table of whole rows whose sums are given. Whether there is one with all
    cells within some distance of the expected rows is the question whether a network of
    strata and folds has a flow. Strata of one size are alike, and folds of one size are,
    so that the network is small; where their sum can be shared out, each cell's can, as
    networks with whole bounds have whole flows (Hoffman and Kruskal, 1956).

    Parameters
    ----------
    sizes, dealt : ndarray of int64, shape (n_strata,)
        Rows of the whole, and those of them that have a fold.
    totals : ndarray of int64, shape (n_folds,)
        Rows of the folds.
    """
    if not len(totals) or not len(sizes):
        return 0.0
    whole = int(sizes.sum())
    pairs, n_alike = np.unique(sizes * (whole + 1) + dealt, return_counts=True)
    kinds = np.column_stack(np.divmod(pairs, whole + 1))
    widths, n_wide = np.unique(totals, return_counts=True)
    due, cells = kinds[:, :1] * widths, n_alike[:, None] * n_wide
    rows, columns = kinds[:, 1] * n_alike, widths * n_wide

    def fits(slack: int) -> bool:
        """Say whether all cells can be within so many rows, times the rows of the whole."""
        low = np.maximum(-((slack - due) // whole), 0)
        return table_exists(low * cells, (due + slack) // whole * cells, rows, columns)

    top = whole
    while not fits(top):
        top *= 2
    below, top = (top // whole) // 2, top // whole
    while top - below > 1:
        middle = (below + top) // 2
        below, top = (below, middle) if fits(middle * whole) else (middle, top)
    # Bounds of cells change only where one is a whole number of rows away.
    rest = due % whole
    steps = np.unique(np.append(np.concatenate([rest, whole - rest]).ravel() % whole, whole))
    steps += (top - 1) * whole
    first, last = 0, len(steps) - 1
    while first < last:
        middle = (first + last) // 2
        first, last = (first, middle) if fits(int(steps[middle])) else (middle + 1, last)
    return float(steps[last] / whole)


def table_exists(low: Table, high: Table, rows: Ints, columns: Ints) -> bool:
    """Say whether a table of whole numbers within bounds has given sums.

    Parameters
    ----------
    low, high : ndarray of int64, shape (n_rows, n_columns)
        Bounds of the cells.
    rows, columns : ndarray of int64, shape (n_rows,) and (n_columns,)
        The sums; both have one total.
    """
    room = high - low
    extra = rows - low.sum(axis=1)
    if (room < 0).any() or (extra < 0).any() or (extra > room.sum(axis=1)).any():
        return False
    table = low + np.clip(extra[:, None] - (np.cumsum(room, axis=1) - room), 0, room)
    while (off := table.sum(axis=0) - columns).any():
        # As floats, whose product is many times faster than that of booleans.
        give, take = ((each > 0).astype(np.float32) for each in (table - low, high - table))
        path = shortest_path(give.T @ take > 0, off > 0, off < 0)
        arcs = list(pairwise(path))
        if not arcs:
            return False
        rooms = [np.minimum((table - low)[:, giver], (high - table)[:, to]) for giver, to in arcs]
        amount = min(off[path[0]], -off[path[-1]], *(room.sum() for room in rooms))
        for (giver, taker), free in zip(arcs, rooms, strict=True):
            moved = np.clip(amount - (np.cumsum(free) - free), 0, free)
            table[:, giver] -= moved
            table[:, taker] += moved
    return True
