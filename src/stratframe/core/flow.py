"""Integer flows between strata and parts, found along augmenting paths."""

from itertools import pairwise

import numpy as np

from .types import Flags, Ints, StratumTable


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
    """Mark which nodes of a small graph can be reached from which (Warshall's algorithm)."""
    reach = edges.copy()
    for node in range(len(reach)):
        reach |= reach[:, [node]] & reach[[node]]
    return reach


def table_exists(low: StratumTable, high: StratumTable, row_sums: Ints, column_sums: Ints) -> bool:
    """Check if some integer table within bounds has given sums of its rows and columns.

    References
    ----------
    Ford and Fulkerson (1962), Flows in networks.
    """
    room = high - low
    need = row_sums - low.sum(axis=1)
    if (room < 0).any() or (need < 0).any() or (need > room.sum(axis=1)).any():
        return False
    # Start with the right row sums, cells filled from the left; then move units inside
    # rows, from columns that have too many to columns that have too few.
    table = low + fill_in_turn(need, room)
    while (excess := table.sum(axis=0) - column_sums).any():
        # As floats, whose product is many times faster than that of booleans.
        give, take = ((cells > 0).astype(np.float32) for cells in (table - low, high - table))
        path = shortest_path(give.T @ take > 0, excess > 0, excess < 0)
        if not path:
            return False
        augment(table, low, high, path, min(excess[path[0]], -excess[path[-1]]))
    return True


def augment(
    table: StratumTable, low: StratumTable, high: StratumTable, path: list[int], wanted: int
) -> None:
    """Move up to `wanted` units along a path of columns, changing the table in place."""
    arcs = list(pairwise(path))
    # A shortest path visits no column twice, so that its arcs do not share cells.
    rooms = [np.minimum((table - low)[:, giver], (high - table)[:, taker]) for giver, taker in arcs]
    amount = min(wanted, *(room.sum() for room in rooms))
    for (giver, taker), room in zip(arcs, rooms, strict=True):
        moved = fill_in_turn(amount, room)
        table[:, giver] -= moved
        table[:, taker] += moved


def fill_in_turn(amount: Ints | int, room: Ints) -> Ints:
    """Fill the cells along the last axis in turn, each up to its room."""
    filled_before = np.cumsum(room, axis=-1) - room
    filled: Ints = np.clip(np.expand_dims(amount, -1) - filled_before, 0, room)
    return filled
