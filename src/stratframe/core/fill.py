"""Allocate the new rows of each stratum to folds that already have rows."""

from itertools import pairwise

import numpy as np

from .rounding import systematic_round
from .types import Flags, Ints, StratumTable, Values, Words

ROW_ROUNDING = 1e-9
"""The tolerance for rounding errors when numbers of rows are compared."""

SHARE_ROUNDING = 1e-12
"""The relative tolerance within which a number of rows is treated as a whole number."""

MOST_LINKED = 64
"""The number of folds up to which `rebalance` keeps a table of all pairs of folds, which is fast.
With more folds, it keeps this table only if there are at least as many strata as folds. The table
is then no larger than the table of strata and folds."""


def fill_evenly(held: StratumTable, new: Ints, draws: Words) -> StratumTable:
    """Allocate new rows evenly, first in each stratum and then in total, as far as `held` allows.

    `held` counts the rows of each stratum that each fold already has, and the result counts the new
    rows. The draws, one for each fold, break ties.
    """
    level, n_left = water_level(held, new)
    base = np.maximum(level[:, None] - held, 0)
    is_open = held <= level[:, None]
    totals = (held + base).sum(axis=0)
    extra = round_robin_remainder(is_open, n_left, totals, draws)
    filled: StratumTable = base + rebalance(is_open, extra, totals)
    return filled


def fill_by_shares(held: StratumTable, new: Ints, shares: Values, draws: Words) -> StratumTable:
    """Allocate new rows by shares, first in each stratum, then in total, as far as `held` allows.

    The shares are above 0 and sum to 1. The draws, one for each stratum, determine the parts
    that get left-over rows. `fill_evenly` does the same for equal shares.
    """
    # Parts are filled up to the same ratio of rows to share, which is the level. Parts that already
    # have a higher ratio get no new rows.
    ratio = held / shares
    order = np.argsort(ratio, axis=1, kind="stable")
    sorted_ratio = np.take_along_axis(ratio, order, axis=1)
    # The level of each stratum if only its first j parts get new rows.
    rows_so_far = np.cumsum(np.take_along_axis(held, order, axis=1), axis=1) + new[:, None]
    shares_so_far = np.cumsum(shares[order], axis=1)
    levels = rows_so_far / shares_so_far
    n_filled = (levels >= sorted_ratio).sum(axis=1)
    level = levels[np.arange(len(new)), n_filled - 1]
    due = np.maximum(level[:, None] * shares - held, 0)
    low = np.floor(due * (1 + SHARE_ROUNDING)).astype(np.int64)
    fraction = np.maximum(due - low, 0)
    totals = (held + low).sum(axis=0) - (held.sum() + new.sum()) * shares
    extra = rebalance(fraction > 0, systematic_round(fraction, draws), totals)
    filled: StratumTable = low + extra
    return filled


def water_level(held: StratumTable, new: Ints) -> tuple[Ints, Ints]:
    """Find the number of rows up to which the smallest folds of each stratum can be filled.

    Returns this level, and the number of new rows that are then left over. There are always fewer
    left-over rows than folds that reach the level.
    """
    # Each new row goes to the smallest fold, which makes the counts as even as `held` allows.
    rising = np.sort(held, axis=1)
    held_so_far = np.cumsum(rising, axis=1)
    # The number of new rows that fill the first j folds up to the number of rows of fold j.
    cost = np.arange(held.shape[1]) * rising - (held_so_far - rising)
    n_reached = (cost <= new[:, None]).sum(axis=1)
    total = held_so_far[np.arange(len(new)), n_reached - 1] + new
    return total // n_reached, total % n_reached


def round_robin_remainder(is_open: Flags, n_left: Ints, totals: Ints, draws: Words) -> Flags:
    """Allocate the left-over rows of each stratum to its open folds in turn, at most one to each.

    Open folds have been filled to the level. Folds with the lowest totals come first, and the
    draws, one for each fold, break ties.
    """
    extra = np.zeros_like(is_open)
    totals = totals.copy()
    tie = np.argsort(np.argsort(draws, kind="stable"))
    # Strata with the same open folds are treated together, in lexicographic order of the folds.
    unfinished = np.flatnonzero(n_left > 0)
    if not len(unfinished):
        return extra
    packed = np.packbits(is_open[unfinished], axis=1)
    order = np.lexsort(packed.T[::-1])
    packed = packed[order]
    starts = np.flatnonzero((packed[1:] != packed[:-1]).any(axis=1)) + 1
    for strata in np.split(unfinished[order], starts):
        folds = np.flatnonzero(is_open[strata[0]])
        folds = folds[np.lexsort((tie[folds], totals[folds]))]
        n_given = n_left[strata]
        turns = np.arange(n_given.sum()) % len(folds)
        extra[np.repeat(strata, n_given), folds[turns]] = True
        totals[folds] += np.bincount(turns, minlength=len(folds))
    return extra


def rebalance(is_open: Flags, extra: Flags, totals: Values) -> Flags:
    """Move left-over rows between open folds until the totals are as even as possible.

    `is_open` and `extra` have the shape of the table. `totals` holds the number of rows of each
    fold, not counting left-over rows, or this number minus the fold's share of all rows.
    """
    if len(totals) > max(MOST_LINKED, len(extra)):
        return rebalance_many(extra.copy(), is_open & ~extra, totals)
    # Column-major order is faster, because every step reads two columns of all strata.
    gives = np.asfortranarray(extra)
    takes = np.asfortranarray(is_open & ~extra)
    # The number of strata in which a row can move from one fold to another. A product of floats is
    # much faster than a product of integers, and exact up to 2**53.
    links = (gives.T.astype(np.float64) @ takes.astype(np.float64)).astype(np.int64)
    all_folds = np.arange(len(totals))
    n_given = gives.sum(axis=0)
    edges = links > 0
    reached = transitive_closure(edges)
    while True:
        # In each stratum, a left-over row can move to an open fold without one. Moves in several
        # strata form a path of folds. If no path leads from any fold to a fold whose total is lower
        # by more than 1, no other allocation is more even.
        now = totals + n_given
        drop = np.where(reached, now[:, None] - now, 0)
        start, end = np.unravel_index(drop.argmax(), drop.shape)
        # Moving a row lowers the sum of squares only if the difference is above 1.
        if drop[start, end] < 1 + ROW_ROUNDING:
            return np.ascontiguousarray(gives)
        # A shortest path uses each stratum at most once, because a stratum used twice would link
        # two distant folds of the path directly. So the moves do not interfere.
        path = [int(start), int(end)]
        if not edges[start, end]:
            path = shortest_path(edges, all_folds == start, all_folds == end)
        for giver, taker in pairwise(path):
            stratum = (gives[:, giver] & takes[:, taker]).argmax()
            move_row(gives[stratum], takes[stratum], links, giver, taker)
            n_given[giver] -= 1
            n_given[taker] += 1
        # With many strata, nearly all moves leave the edges unchanged.
        if (edges != (edges := links > 0)).any():
            reached = transitive_closure(edges)


def rebalance_many(gives: Flags, takes: Flags, totals: Values) -> Flags:
    """Rebalance many folds as `rebalance` does; the flags change in place."""
    n_given = gives.sum(axis=0)
    while (pair := steepest_drop(gives, takes, totals + n_given)) is not None:
        start, end = pair
        reached = spread(
            gives, takes, start, np.zeros(len(totals), np.bool_), np.zeros(len(gives), np.bool_)
        )
        path = [end]
        while path[-1] != start:
            path.append(next(fold for fold, folds in reached.items() if path[-1] in folds))
        for taker, giver in pairwise(path):
            stratum = (gives[:, giver] & takes[:, taker]).argmax()
            gives[stratum, [giver, taker]] = False, True
            takes[stratum, [giver, taker]] = True, False
            n_given[giver] -= 1
            n_given[taker] += 1
    return gives


def steepest_drop(gives: Flags, takes: Flags, now: Values) -> tuple[int, int] | None:
    """Find the first pair of folds with the largest difference in totals that moves can reduce."""
    lowest = now[takes.any(axis=0)].min(initial=now.max())
    can_give: Flags = np.logical_or.reduce(gives)
    starts = np.flatnonzero(can_give & (now - lowest >= 1 + ROW_ROUNDING))
    is_seen = np.zeros(len(now), np.bool_)
    is_spent = np.zeros(len(gives), np.bool_)
    best = 1 + ROW_ROUNDING
    pair = None
    for start in starts[np.argsort(-now[starts], kind="stable")].tolist():
        if now[start] - lowest < best:
            break
        # From this start, folds that an earlier start reached cannot give a larger difference.
        if is_seen[start] or not can_give[start]:
            continue
        reached = spread(gives, takes, start, is_seen, is_spent)
        ends = np.sort(np.concatenate([*reached.values()]))
        can_give = np.logical_or.reduce(gives[~is_spent])
        if len(ends):
            end = int(ends[now[ends].argmin()])
            drop = now[start] - now[end]
            if drop > best or (drop == best and (pair is None or start < pair[0])):
                best = drop
                pair = (start, end)
        if not can_give.any():
            break
    return pair


def spread(
    gives: Flags, takes: Flags, start: int, is_seen: Flags, is_spent: Flags
) -> dict[int, Ints]:
    """Find the folds that a row can reach from a starting fold, by a breadth-first search.

    Returns a dictionary of the folds on the way, nearest first, with the folds that were first
    reached from each of them. The search ignores the flagged folds and strata, and flags the folds
    and strata that it uses.
    """
    reached = {}
    queue = [start]
    is_seen[start] = True
    can_give: Flags = np.logical_or.reduce(gives[~is_spent])
    for fold in queue:
        if can_give[fold]:
            strata = np.flatnonzero(gives[:, fold] & ~is_spent)
            is_spent[strata] = True
            can_give = np.logical_or.reduce(gives[~is_spent])
            reached[fold] = np.flatnonzero(takes[strata].any(axis=0) & ~is_seen)
            is_seen[reached[fold]] = True
            queue.extend(reached[fold].tolist())
    return reached


def move_row(gives: Flags, takes: Flags, links: StratumTable, giver: int, taker: int) -> None:
    """Move a row of a stratum between two folds; `gives`, `takes` and `links` change in place."""
    links[giver] -= takes
    links[taker] += takes
    gives[giver], takes[giver] = False, True
    gives[taker], takes[taker] = True, False
    links[:, giver] += gives
    links[:, taker] -= gives


def shortest_path(edges: Flags, starts: Flags, ends: Flags) -> list[int]:
    """Return a shortest path between two disjoint sets in a small graph, or an empty list."""
    queue = np.flatnonzero(starts).tolist()
    is_seen = starts.copy()
    previous = np.full(len(edges), -1)
    for node in queue:
        fresh = np.flatnonzero(edges[node] & ~is_seen)
        is_seen[fresh] = True
        previous[fresh] = node
        reached_ends = fresh[ends[fresh]]
        if len(reached_ends):
            path = [int(reached_ends[0])]
            while previous[path[-1]] >= 0:
                path.append(int(previous[path[-1]]))
            return path[::-1]
        queue.extend(fresh.tolist())
    return []


def transitive_closure(edges: Flags) -> Flags:
    """Mark the nodes of a small graph that can be reached from each node (Warshall's algorithm)."""
    reach = edges.copy()
    for node in range(len(reach)):
        reach |= reach[:, [node]] & reach[[node]]
    return reach
