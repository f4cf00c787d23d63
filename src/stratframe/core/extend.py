"""Rows without a fold next to rows that have one: how many of each stratum go to each fold."""

from itertools import pairwise

import numpy as np

from .flow import shortest_path, transitive_closure
from .types import Draws, Flags, Ints, Table


def fill_evenly(held: Table, new: Ints, draws: Draws) -> Table:
    """Allocate new rows so that every stratum, then the total, is as even as possible.

    Parameters
    ----------
    held : ndarray of int64, shape (n_strata, k)
        Rows that each fold has of each stratum.
    new : ndarray of int, shape (n_strata,)
        New rows.
    draws : ndarray of uint64, shape (k,)
        Break ties between equal folds.

    Returns
    -------
    ndarray of int64, shape (n_strata, k)
        How many new rows each fold gets.
    """
    level, n_left = water_level(held, new)
    base = np.maximum(level[:, None] - held, 0)
    is_open = held <= level[:, None]
    totals = (held + base).sum(axis=0)
    extra = round_robin_remainder(is_open, n_left, totals, draws)
    filled: Table = base + rebalance(is_open, extra, totals)
    return filled


def water_level(held: Table, new: Ints) -> tuple[Ints, Ints]:
    """Find the level to which new rows fill the emptiest folds of each stratum.

    Parameters
    ----------
    held : ndarray of int64, shape (n_strata, k)
    new : ndarray of int, shape (n_strata,)

    Returns
    -------
    level : ndarray of int64, shape (n_strata,)
        Rows that every fold has at least.
    n_left : ndarray of int64, shape (n_strata,)
        Rows left over, fewer than there are folds at the level.
    """
    # Water filling: rows go to the emptiest fold, like water into the deepest of k
    # communicating vessels, which makes the counts as even as `held` allows.
    rising = np.sort(held, axis=1)
    held_so_far = np.cumsum(rising, axis=1)
    # Rows that it takes to lift the first j folds to fold j.
    cost = np.arange(held.shape[1]) * rising - (held_so_far - rising)
    n_reached = (cost <= new[:, None]).sum(axis=1)
    total = held_so_far[np.arange(len(new)), n_reached - 1] + new
    return total // n_reached, total % n_reached


def round_robin_remainder(is_open: Flags, n_left: Ints, totals: Ints, draws: Draws) -> Flags:
    """Allocate each stratum's left-over rows to its open folds, at most one to each, in turn.

    Parameters
    ----------
    is_open : ndarray of bool, shape (n_strata, k)
        The folds at the level, which may get one row more.
    n_left : ndarray of int, shape (n_strata,)
        Fewer than the stratum's open folds.
    totals : ndarray of int, shape (k,)
        Rows of each fold so far; the emptiest come first.
    draws : ndarray of uint64, shape (k,)
    """
    extra = np.zeros_like(is_open)
    totals = totals.copy()
    # Strata with the same open folds take turns together.
    patterns, pattern_codes = np.unique(is_open, axis=0, return_inverse=True)
    for code, pattern in enumerate(patterns):
        strata = np.flatnonzero((pattern_codes.ravel() == code) & (n_left > 0))
        folds = np.flatnonzero(pattern)
        folds = folds[np.lexsort((draws[folds], totals[folds]))]
        rows = np.repeat(strata, n_left[strata])
        extra[rows, folds[np.arange(len(rows)) % len(folds)]] = True
        totals += extra[strata].sum(axis=0)
    return extra


def rebalance(is_open: Flags, extra: Flags, totals: Ints) -> Flags:
    """Move left-over rows between open folds until the totals are as even as possible.

    Parameters
    ----------
    is_open, extra : ndarray of bool, shape (n_strata, k)
    totals : ndarray of int, shape (k,)
        Rows of each fold without those left over.
    """
    extra = extra.copy()
    all_folds = np.arange(len(totals))
    while True:
        # In each stratum a row may move from a fold that got one to an open fold that did
        # not, and so along paths of strata. Where no path leads from a fold to one with two
        # rows fewer, no other choice is more even.
        gives, takes = extra.astype(np.int64), (is_open & ~extra).astype(np.int64)
        edges = gives.T @ takes > 0
        now = totals + gives.sum(axis=0)
        drop = np.where(transitive_closure(edges), now[:, None] - now, 0)
        start, end = np.unravel_index(drop.argmax(), drop.shape)
        if drop[start, end] < 2:
            return extra
        # No stratum is on a shortest path twice, as it would link the first of its folds
        # directly to the last. So the moves do not interfere.
        path = shortest_path(edges, all_folds == start, all_folds == end)
        for giver, taker in pairwise(path):
            stratum = int((gives[:, giver] & takes[:, taker]).argmax())
            extra[stratum, giver], extra[stratum, taker] = False, True
