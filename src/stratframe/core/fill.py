"""New rows beside rows that already have folds: how many of each stratum go to each fold."""

from itertools import pairwise

import numpy as np

from .rounding import systematic_round
from .types import Flags, Ints, StratumTable, Values, Words

ROW_ROUNDING = 1e-9
"""The tolerance when numbers of rows are compared with shares."""

SHARE_ROUNDING = 1e-12
"""The relative tolerance within which the number of rows due counts as whole."""

MOST_LINKED = 64
"""The maximum number of folds for which all pairs of folds between which a row may move are kept in
a table, which is fast. The pairs of more folds are kept, too, if there are at least as many strata:
the table is then no larger than the table of strata and folds."""


def fill_evenly(held: StratumTable, new: Ints, draws: Words) -> StratumTable:
    """Allocate new rows so that first every stratum, then the total, is as even as possible.

    `held` counts the rows that each fold already has, and the result the new rows that it gets. The
    draws, one for each fold, break ties.
    """
    level, n_left = water_level(held, new)
    base = np.maximum(level[:, None] - held, 0)
    is_open = held <= level[:, None]
    totals = (held + base).sum(axis=0)
    extra = round_robin_remainder(is_open, n_left, totals, draws)
    filled: StratumTable = base + rebalance(is_open, extra, totals)
    return filled


def fill_by_shares(held: StratumTable, new: Ints, shares: Values, draws: Words) -> StratumTable:
    """Allocate new rows so that first every stratum, then the total, is close to unequal shares.

    This is `fill_evenly` for unequal shares, which are above 0 and sum to 1. The draws, one for
    each stratum, choose the parts that get left-over rows.
    """
    # Water filling again, in vessels as wide as their shares: parts are filled up to level * share
    # rows, and parts that already have more get no new rows.
    ratio = held / shares
    order = np.argsort(ratio, axis=1, kind="stable")
    rising = np.take_along_axis(ratio, order, axis=1)
    widths = np.cumsum(shares[order], axis=1)
    levels = (np.cumsum(np.take_along_axis(held, order, axis=1), axis=1) + new[:, None]) / widths
    n_reached = (levels >= rising).sum(axis=1)
    level = levels[np.arange(len(new)), n_reached - 1]
    due = np.maximum(level[:, None] * shares - held, 0)
    low = np.floor(due * (1 + SHARE_ROUNDING)).astype(np.int64)
    fraction = np.maximum(due - low, 0)
    totals = (held + low).sum(axis=0) - (held.sum() + new.sum()) * shares
    extra = rebalance(fraction > 0, systematic_round(fraction, draws), totals)
    filled: StratumTable = low + extra
    return filled


def water_level(held: StratumTable, new: Ints) -> tuple[Ints, Ints]:
    """Find the level to which new rows fill the emptiest folds of each stratum.

    Returns the level, which every fold of the stratum then reaches, and the number of rows left
    over, which is below the number of folds at the level.
    """
    # Water filling: rows go to the emptiest fold, like water into the deepest of k
    # communicating vessels, which makes the counts as even as `held` allows.
    rising = np.sort(held, axis=1)
    held_so_far = np.cumsum(rising, axis=1)
    # The number of rows that it takes to lift the first j folds to the level of fold j.
    cost = np.arange(held.shape[1]) * rising - (held_so_far - rising)
    n_reached = (cost <= new[:, None]).sum(axis=1)
    total = held_so_far[np.arange(len(new)), n_reached - 1] + new
    return total // n_reached, total % n_reached


def round_robin_remainder(is_open: Flags, n_left: Ints, totals: Ints, draws: Words) -> Flags:
    """Allocate each stratum's left-over rows to its open folds, at most one to each, in turn.

    Open folds are at the level; folds with the lowest totals come first, and the draws, one for
    each fold, break ties.
    """
    extra = np.zeros_like(is_open)
    totals, tie = totals.copy(), np.argsort(np.argsort(draws, kind="stable"))
    # Strata with the same open folds take turns together; these sets are in lexicographic order.
    chosen = np.flatnonzero(n_left > 0)
    packed = np.packbits(is_open[chosen], axis=1)
    order = np.lexsort(packed.T[::-1])
    packed = packed[order]
    starts = np.flatnonzero((packed[1:] != packed[:-1]).any(axis=1)) + 1
    for strata in np.split(chosen[order], starts) if len(chosen) else []:
        folds = np.flatnonzero(is_open[strata[0]])
        folds = folds[np.lexsort((tie[folds], totals[folds]))]
        n_given = n_left[strata]
        turns = np.arange(n_given.sum()) % len(folds)
        extra[np.repeat(strata, n_given), folds[turns]] = True
        totals[folds] += np.bincount(turns, minlength=len(folds))
    return extra


def rebalance(is_open: Flags, extra: Flags, totals: Values) -> Flags:
    """Move left-over rows between open folds until the totals are as even as possible.

    `is_open` and `extra` have the shape of the table. The totals are the numbers of rows in the
    folds, not counting left-over rows, or how far these numbers exceed the folds' shares.
    """
    if len(totals) > max(MOST_LINKED, len(extra)):
        return rebalance_many(extra.copy(), is_open & ~extra, totals)
    # In column order, because every step looks at two columns of all strata.
    gives, takes = np.asfortranarray(extra), np.asfortranarray(is_open & ~extra)
    # The number of strata in which a row may move from one fold to another: a product of floats is
    # much faster than a product of integers, and exact up to 2**53.
    links = (gives.T.astype(np.float64) @ takes.astype(np.float64)).astype(np.int64)
    all_folds, n_given, edges = np.arange(len(totals)), gives.sum(axis=0), links > 0
    reached = transitive_closure(edges)
    while True:
        # In each stratum a row may move from a fold that got one to an open fold that did not, and
        # so through several strata along a path of folds. If no path leads from any fold to a fold
        # with two rows fewer, no other choice is more even.
        now = totals + n_given
        drop = np.where(reached, now[:, None] - now, 0)
        start, end = np.unravel_index(drop.argmax(), drop.shape)
        # Moving a row lowers the sum of squares if the difference is above 1.
        if drop[start, end] < 1 + ROW_ROUNDING:
            return np.ascontiguousarray(gives)
        # No stratum is on a shortest path twice, because it would link the first of its folds
        # directly to the last. So the moves do not interfere.
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
    """Do the work of `rebalance` for many folds; the flags change in place."""
    n_given = gives.sum(axis=0)
    while (pair := steepest_drop(gives, takes, totals + n_given)) is not None:
        start, end = pair
        none = np.zeros(len(totals), np.bool_), np.zeros(len(gives), np.bool_)
        reached = spread(gives, takes, start, *none)
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
    """Find the first pair of folds with the largest drop in totals that moving rows can lower."""
    lowest = now[takes.any(axis=0)].min(initial=now.max())
    can_give: Flags = np.logical_or.reduce(gives)
    starts = np.flatnonzero(can_give & (now - lowest >= 1 + ROW_ROUNDING))
    seen, spent = np.zeros(len(now), np.bool_), np.zeros(len(gives), np.bool_)
    best, pair = 1 + ROW_ROUNDING, None
    for start in starts[np.argsort(-now[starts], kind="stable")].tolist():
        if now[start] - lowest < best:
            break
        # From here, folds that were reached from a higher start would give a smaller drop.
        if seen[start] or not can_give[start]:
            continue
        ends = np.sort(np.concatenate([*spread(gives, takes, start, seen, spent).values()]))
        can_give = np.logical_or.reduce(gives[~spent])
        if len(ends):
            end = int(ends[now[ends].argmin()])
            drop = now[start] - now[end]
            if drop > best or (drop == best and (pair is None or start < pair[0])):
                best, pair = drop, (start, end)
        if not can_give.any():
            break
    return pair


def spread(gives: Flags, takes: Flags, start: int, seen: Flags, spent: Flags) -> dict[int, Ints]:
    """Map each fold that a row can pass through from a start to the folds that it can reach next.

    The nearest folds come first. Folds already seen and strata already spent are left out; new
    folds are marked as seen, and new strata as spent.
    """
    found, queue, seen[start] = {}, [start], True
    can_give: Flags = np.logical_or.reduce(gives[~spent])
    for fold in queue:
        if can_give[fold]:
            strata = np.flatnonzero(gives[:, fold] & ~spent)
            spent[strata] = True
            can_give = np.logical_or.reduce(gives[~spent])
            found[fold] = np.flatnonzero(takes[strata].any(axis=0) & ~seen)
            seen[found[fold]] = True
            queue.extend(found[fold].tolist())
    return found


def move_row(gives: Flags, takes: Flags, links: StratumTable, giver: int, taker: int) -> None:
    """Move a row of one stratum between two folds, in place.

    `gives` and `takes` are the flags of that stratum; the counts in `links` are kept up to date.
    """
    links[giver] -= takes
    links[taker] += takes
    gives[giver], takes[giver] = False, True
    gives[taker], takes[taker] = True, False
    links[:, giver] += gives
    links[:, taker] -= gives


def shortest_path(edges: Flags, starts: Flags, ends: Flags) -> list[int]:
    """Find a shortest path between disjoint sets in a small graph; empty if there is none."""
    queue = np.flatnonzero(starts).tolist()
    seen, previous = starts.copy(), np.full(len(edges), -1)
    for node in queue:
        fresh = np.flatnonzero(edges[node] & ~seen)
        seen[fresh], previous[fresh] = True, node
        reached_ends = fresh[ends[fresh]]
        if len(reached_ends):
            path = [int(reached_ends[0])]
            while previous[path[-1]] >= 0:
                path.append(int(previous[path[-1]]))
            return path[::-1]
        queue.extend(fresh.tolist())
    return []


def transitive_closure(edges: Flags) -> Flags:
    """Mark which nodes of a small graph can be reached from which others (Warshall's algorithm)."""
    reach = edges.copy()
    for node in range(len(reach)):
        reach |= reach[:, [node]] & reach[[node]]
    return reach
