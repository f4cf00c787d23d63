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
