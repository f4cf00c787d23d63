"""Rows without a fold next to rows that have one: how many of each stratum go to each fold."""

from itertools import pairwise

import numpy as np

from .flow import shortest_path, transitive_closure
from .rounding import systematic_round
from .types import Draws, Flags, Ints, Table, Values


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


def fill_by_shares(held: Table, new: Ints, shares: Values, draws: Draws) -> Table:
    """Allocate new rows so that every stratum, then the total, is near unequal shares.

    Parameters
    ----------
    held : ndarray of int64, shape (n_strata, n_parts)
        Rows that each part has of each stratum.
    new : ndarray of int, shape (n_strata,)
        New rows.
    shares : ndarray of float64, shape (n_parts,)
        Above 0, and 1 in sum.
    draws : ndarray of uint64, shape (n_strata,)
        Choose the parts that get left-over rows.

    Returns
    -------
    ndarray of int64, shape (n_strata, n_parts)
        How many new rows each part gets.
    """
    # Water filling again, in vessels as wide as their shares: up to the level all parts
    # have level * share rows, and those that had more keep what they had.
    ratio = held / shares
    order = np.argsort(ratio, axis=1, kind="stable")
    rising = np.take_along_axis(ratio, order, axis=1)
    widths = np.cumsum(shares[order], axis=1)
    levels = (np.cumsum(np.take_along_axis(held, order, axis=1), axis=1) + new[:, None]) / widths
    n_reached = (levels >= rising).sum(axis=1)
    level = levels[np.arange(len(new)), n_reached - 1]
    due = np.maximum(level[:, None] * shares - held, 0)
    low = np.floor(due * (1 + SHARE_ROUNDING)).astype(np.int64)
    is_open = due > low
    uniform32 = (draws >> np.uint64(32)).astype(np.int64)
    table = systematic_round(low, low + is_open, new, np.maximum(due - low, 0), uniform32)
    totals = (held + low).sum(axis=0) - (held.sum() + new.sum()) * shares
    extra = rebalance(is_open, (table - low).astype(np.bool_), totals)
    filled: Table = low + extra
    return filled


ROW_ROUNDING = 1e-9
"""By so much differences of rows and shares may be off."""

SHARE_ROUNDING = 1e-12
"""By this share a whole number of rows due may be off."""

STRATA_PER_PASS = 1 << 16
"""Strata whose moves are counted at once."""


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
    totals, tie = totals.copy(), np.argsort(np.argsort(draws, kind="stable"))
    # Strata with the same open folds take turns together.
    for strata in equal_rows(is_open, np.flatnonzero(n_left > 0)):
        folds = np.flatnonzero(is_open[strata[0]])
        folds = folds[np.lexsort((tie[folds], totals[folds]))]
        n_given = n_left[strata]
        turns = np.arange(n_given.sum()) % len(folds)
        extra[np.repeat(strata, n_given), folds[turns]] = True
        totals[folds] += np.bincount(turns, minlength=len(folds))
    return extra


def equal_rows(flags: Flags, chosen: Ints) -> list[Ints]:
    """Group chosen rows of a table of flags that are equal, in lexicographic order.

    Parameters
    ----------
    flags : ndarray of bool, shape (n_rows, n_columns)
    chosen : ndarray of int, shape (n_chosen,), increasing
    """
    if not len(chosen):
        return []
    packed = np.packbits(flags[chosen], axis=1)
    order = np.lexsort(packed.T[::-1])
    packed = packed[order]
    starts = np.flatnonzero((packed[1:] != packed[:-1]).any(axis=1)) + 1
    return np.split(chosen[order], starts)


def rebalance(is_open: Flags, extra: Flags, totals: Values) -> Flags:
    """Move left-over rows between open folds until the totals are as even as possible.

    Parameters
    ----------
    is_open, extra : ndarray of bool, shape (n_strata, k)
    totals : ndarray of int or float, shape (k,)
        Rows of each fold without those left over, or by how many they are above its share.
    """
    # By column, as every step looks at two columns of all strata.
    gives, takes = np.asfortranarray(extra), np.asfortranarray(is_open & ~extra)
    all_folds, links, n_given = np.arange(len(totals)), count_links(gives, takes), gives.sum(axis=0)
    edges = links > 0
    reached = transitive_closure(edges)
    while True:
        # In each stratum a row may move from a fold that got one to an open fold that did
        # not, and so along paths of strata. Where no path leads from a fold to one with two
        # rows fewer, no other choice is more even.
        now = totals + n_given
        drop = np.where(reached, now[:, None] - now, 0)
        start, end = np.unravel_index(drop.argmax(), drop.shape)
        # A row moved lowers the sum of squares if the difference is above 1.
        if drop[start, end] < 1 + ROW_ROUNDING:
            return np.ascontiguousarray(gives)
        # No stratum is on a shortest path twice, as it would link the first of its folds
        # directly to the last. So the moves do not interfere.
        path = [int(start), int(end)]
        if not edges[start, end]:
            path = shortest_path(edges, all_folds == start, all_folds == end)
        for giver, taker in pairwise(path):
            stratum = (gives[:, giver] & takes[:, taker]).argmax()
            move_row(gives[stratum], takes[stratum], links, giver, taker)
            n_given[giver] -= 1
            n_given[taker] += 1
        # Where strata are many, nearly all moves leave the links as they are.
        if (edges != (edges := links > 0)).any():
            reached = transitive_closure(edges)


def move_row(gives: Flags, takes: Flags, links: Table, giver: int, taker: int) -> None:
    """Move a row of one stratum between two folds, and keep the counts of links up to date.

    Parameters
    ----------
    gives, takes : ndarray of bool, shape (k,)
        Of the stratum; changed in place, as are the links.
    links : ndarray of int64, shape (k, k)
        As of `count_links`.
    """
    links[giver] -= takes
    links[taker] += takes
    gives[giver], takes[giver] = False, True
    gives[taker], takes[taker] = True, False
    links[:, giver] += gives
    links[:, taker] -= gives


def count_links(gives: Flags, takes: Flags) -> Table:
    """Count the strata in which a row may move from one fold to another.

    Parameters
    ----------
    gives, takes : ndarray of bool, shape (n_strata, k)

    Returns
    -------
    ndarray of int64, shape (k, k)
    """
    links = np.zeros((gives.shape[1],) * 2, dtype=np.int64)
    for start in range(0, len(gives), STRATA_PER_PASS):
        strata = slice(start, start + STRATA_PER_PASS)
        # A product of floats is much faster than one of integers, and exact up to 2**24.
        product = gives[strata].T.astype(np.float32) @ takes[strata].astype(np.float32)
        links += product.astype(np.int64)
    return links
