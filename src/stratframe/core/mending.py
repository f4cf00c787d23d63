"""Single rows moved between parts, where a table of rounded shares has totals that are off."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from .shares import chances, exact
from .types import Flags, Ints, Table, Values


def mend(table: Table, sizes: Ints, share: Values, whole: int, levels: Sequence[Ints]) -> Table:
    """Move single rows between parts where pairs that were stuck have left totals off.

    First inside each coarser stratum whose counts are not its shares rounded, then in
    the whole, where the moves go to the coarser strata that they strain least.

    Parameters
    ----------
    table : ndarray of int64, shape (n_strata, n_parts)
        Every cell its exact share rounded down or up; changed in place.

    Returns
    -------
    ndarray of int64, shape (n_strata, n_parts)
    """
    finer: list[Ints] = []
    for level in [*levels, np.zeros(len(sizes), dtype=np.int64)]:
        excess = excess_of(table, sizes, share, whole, level)
        ends = np.append(np.flatnonzero(np.diff(level)) + 1, len(level))
        for stratum in np.flatnonzero((np.abs(excess) >= 1).any(axis=1)):
            inside = slice(ends[stratum - 1] if stratum else 0, ends[stratum])
            within = [each[inside] for each in finer]
            table[inside] = balance(table[inside], sizes[inside], share, whole, within)
        finer.append(level)
    return table


def excess_of(table: Table, sizes: Ints, share: Values, whole: int, level: Ints) -> Values:
    """Compute by how many rows the counts of coarser strata are above their shares."""
    starts = np.flatnonzero(np.diff(level, prepend=-1))
    low, fraction = exact(np.add.reduceat(sizes, starts), share, whole)
    return np.add.reduceat(table, starts) - low - chances(fraction, whole)


def balance(table: Table, sizes: Ints, share: Values, whole: int, finer: Sequence[Ints]) -> Table:
    """Move single rows between parts until every total is its share rounded.

    A row moves from a part with too many to one with too few, along a path of
    strata in which the cells can give and take; such a path always exists, since a
    network of strata and parts with whole-number bounds has a whole-number flow.

    Parameters
    ----------
    finer : sequence of ndarray of int, each of shape (n_strata,)
        The levels between the strata and the whole, which should not be strained.

    Returns
    -------
    ndarray of int64, shape (n_strata, n_parts)
    """
    least, fraction = exact(sizes.sum(keepdims=True), share, whole)
    most = least + (fraction > 0)
    low, fraction = exact(sizes, share, whole)
    high = low + (fraction > 0)
    totals = table.sum(axis=0, keepdims=True)
    while (over := totals > most).any() | (under := totals < least).any():
        givers = over if over.any() else totals > least
        takers = under if under.any() else totals < most
        can_give, can_take = table > low, table < high
        path = shortest_path(can_give.T @ can_take, givers[0], takers[0])
        if not path:
            msg = "no table of rounded shares exists: the shares do not sum to 1"
            raise ValueError(msg)
        for giver, taker in pairwise(path):
            strain = np.zeros(len(sizes))
            for level in finer:
                excess = excess_of(table, sizes, share, whole, level)
                runs = np.diff(np.append(np.flatnonzero(np.diff(level, prepend=-1)), len(level)))
                strain += np.repeat(excess[:, taker] - excess[:, giver], runs)
            strain[~(can_give[:, giver] & can_take[:, taker])] = np.inf
            stratum = np.argmin(strain)
            table[stratum, giver] -= 1
            table[stratum, taker] += 1
        totals = table.sum(axis=0, keepdims=True)
    return table


def shortest_path(edges: Flags, starts: Flags, ends: Flags) -> list[int]:
    """Find a shortest path in a small graph, breadth first.

    Parameters
    ----------
    edges : ndarray of bool, shape (n, n)
        True where an edge goes from row to column.
    starts, ends : ndarray of bool, shape (n,)
        Disjoint.
    """
    queue = np.flatnonzero(starts).tolist()
    seen, before = starts.copy(), np.full(len(edges), -1)
    for node in queue:
        fresh = np.flatnonzero(edges[node] & ~seen)
        seen[fresh], before[fresh] = True, node
        hits = fresh[ends[fresh]]
        if len(hits):
            path = [int(hits[0])]
            while before[path[-1]] >= 0:
                path.append(int(before[path[-1]]))
            return path[::-1]
        queue.extend(fresh.tolist())
    return []
