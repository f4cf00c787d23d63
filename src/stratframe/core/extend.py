"""New rows beside rows that have a fold: how many of each stratum go to each fold."""

from itertools import pairwise

import numpy as np

from .flow import shortest_path, transitive_closure
from .types import Draws, Flags, Ints, Table


def fill_evenly(held: Table, new: Ints, draws: Draws) -> Table:
    """Share new rows out so that every stratum, then the whole, is as even as can be.

    Parameters
    ----------
    held : ndarray of int64, shape (n_strata, k)
        Rows that each fold has of each stratum.
    new : ndarray of int, shape (n_strata,)
        Rows to be shared out.
    draws : ndarray of uint64, shape (k,)
        Say which of equal folds comes first.

    Returns
    -------
    ndarray of int64, shape (n_strata, k)
        How many new rows each fold gets.
    """
    level, left = water_level(held, new)
    base = np.maximum(level[:, None] - held, 0)
    open_seats = held <= level[:, None]
    extra = round_robin_remainder(open_seats, left, (held + base).sum(axis=0), draws)
    filled: Table = base + rebalance(open_seats, extra, (held + base).sum(axis=0))
    return filled


def water_level(held: Table, new: Ints) -> tuple[Ints, Ints]:
    """Find up to where new rows fill the folds of each stratum, the emptiest first.

    Parameters
    ----------
    held : ndarray of int64, shape (n_strata, k)
    new : ndarray of int, shape (n_strata,)

    Returns
    -------
    level : ndarray of int64, shape (n_strata,)
        Rows that every fold below has then.
    left : ndarray of int64, shape (n_strata,)
        Rows left over, fewer than there are folds at the level.
    """
    rising = np.sort(held, axis=1)
    below = np.cumsum(rising, axis=1)
    # Rows that it takes to lift the first j folds to the next one.
    cost = np.arange(held.shape[1]) * rising - (below - rising)
    reached = (cost <= new[:, None]).sum(axis=1)
    total = below[np.arange(len(new)), reached - 1] + new
    return total // reached, total % reached


def round_robin_remainder(open_seats: Flags, left: Ints, totals: Ints, draws: Draws) -> Flags:
    """Give each stratum's left-over rows to open folds, round the table.

    Parameters
    ----------
    open_seats : ndarray of bool, shape (n_strata, k)
        The folds that may get one row more.
    left : ndarray of int, shape (n_strata,)
        Fewer than the stratum's open folds.
    totals : ndarray of int, shape (k,)
        Rows of each fold so far; the emptiest come first.
    draws : ndarray of uint64, shape (k,)

    Returns
    -------
    ndarray of bool, shape (n_strata, k)
    """
    extra = np.zeros_like(open_seats)
    totals = totals.copy()
    patterns, pattern = np.unique(open_seats, axis=0, return_inverse=True)
    for place, folds in enumerate(patterns):
        own = np.flatnonzero((pattern.ravel() == place) & (left > 0))
        table = np.flatnonzero(folds)
        table = table[np.lexsort((draws[table], totals[table]))]
        rows = np.repeat(own, left[own])
        extra[rows, table[np.arange(len(rows)) % len(table)]] = True
        totals += extra[own].sum(axis=0)
    return extra


def rebalance(open_seats: Flags, extra: Flags, totals: Ints) -> Flags:
    """Move left-over rows between open folds until no fold has two more than another.

    A row moves along a path of strata, in each from a fold that got one to an open fold
    that did not. Where no path leads down any more, the totals are as even as the
    strata allow. (No stratum is on a shortest path twice: it would lead past the rest.)

    Parameters
    ----------
    open_seats, extra : ndarray of bool, shape (n_strata, k)
    totals : ndarray of int, shape (k,)
        Rows of each fold without those left over.

    Returns
    -------
    ndarray of bool, shape (n_strata, k)
    """
    extra = extra.copy()
    while True:
        gives, takes = extra.astype(np.int64), (open_seats & ~extra).astype(np.int64)
        edges = gives.T @ takes > 0
        now = totals + gives.sum(axis=0)
        drop = np.where(transitive_closure(edges), now[:, None] - now, 0)
        start, end = np.unravel_index(drop.argmax(), drop.shape)
        if drop[start, end] < 2:
            return extra
        every = np.arange(len(totals))
        for giver, taker in pairwise(shortest_path(edges, every == start, every == end)):
            stratum = int((gives[:, giver] & takes[:, taker]).argmax())
            extra[stratum, giver], extra[stratum, taker] = False, True
