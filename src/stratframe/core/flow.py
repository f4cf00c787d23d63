"""Paths in small graphs, along which single rows are moved until all totals are right."""

import numpy as np

from .types import Flags


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


def transitive_closure(edges: Flags) -> Flags:
    """Tell which nodes of a small graph lead to which."""
    reach = edges.copy()
    for node in range(len(reach)):
        reach |= reach[:, [node]] & reach[[node]]
    return reach
