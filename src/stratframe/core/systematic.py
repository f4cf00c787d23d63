"""Deal unequal parts along an order so that every run of it holds each part's share."""

from heapq import heapify, heappop, heappush
from typing import TypeAlias

import numpy as np

from .deal import smallest_dtype
from .types import Draws, Flags, Ints, Table

Tree: TypeAlias = "int | tuple[Tree, Tree]"
"""A part, or two branches that the rows are divided between."""

RUN_BOUND = 3.0
"""Rows by which a part may miss its share of any run of the order."""


def systematic_deal(rows: Ints, table: Table, draws: Draws | None) -> Ints:
    """Deal ordered rows to unequal parts, each part evenly along the order.

    Parts are joined two by two, smallest first (Huffman's tree). At each branching
    the rows there are divided by systematic sampling from a random start, so that a
    row has its exact chance of every part, and the count of a branch in any run of the
    rows misses its share by less than 1. Where that leaves room (`swaps_fit`),
    neighbours then change places at random, pair by pair.

    Parameters
    ----------
    rows : ndarray of int, shape (n_rows,)
        Row numbers, stratum after stratum, each in its order.
    table : ndarray of int64, shape (n_strata, n_parts)
    draws : ndarray of uint64, shape (n_strata * n_parts + n_rows,), optional
        Without draws every stratum starts with its first part, and nothing is swapped.

    Returns
    -------
    ndarray of int, shape (n_rows,), range 0..n_parts-1
        The part of every row, in the rows' own order.

    References
    ----------
    Madow (1949), On the theory of systematic sampling, II. Lowe (2016), Stratified
    validation splits for regression problems (fractional stratification).
    """
    n_strata, n_parts = table.shape
    totals = table.sum(axis=0)
    tree = huffman_tree(totals.tolist())
    starts = None if draws is None else draws[: table.size].reshape(n_parts, n_strata)
    parts = np.empty(len(rows), dtype=smallest_dtype(n_parts))
    stack: list[tuple[Tree, Ints]] = [(tree, np.arange(len(rows)))]
    depth = 0
    while stack:
        node, places = stack.pop()
        if isinstance(node, int):
            parts[places] = node
            continue
        goes = systematic_sample(table, node, None if starts is None else starts[depth])
        stack += [(node[0], places[goes]), (node[1], places[~goes])]
        depth += 1
    if draws is not None and swaps_keep_bound(tree, totals):
        swap_pairs(parts, table.sum(axis=1), draws[table.size :])
    dealt = np.empty_like(parts)
    dealt[rows] = parts
    return dealt


def huffman_tree(totals: list[int]) -> Tree:
    """Join parts two by two, the smallest first; the branch of the first part comes first."""
    heap: list[tuple[int, int, Tree]] = [(n, part, part) for part, n in enumerate(totals)]
    heapify(heap)
    while len(heap) > 1:
        (n, part, tree), (other_n, other_part, other) = heappop(heap), heappop(heap)
        pair = (tree, other) if part < other_part else (other, tree)
        heappush(heap, (n + other_n, min(part, other_part), pair))
    return heap[0][2]


def leaves(tree: Tree) -> list[int]:
    """List the parts of a branch."""
    return [tree] if isinstance(tree, int) else leaves(tree[0]) + leaves(tree[1])


def systematic_sample(table: Table, node: tuple[Tree, Tree], starts: Draws | None) -> Flags:
    """Divide the rows of a branching between its two branches, evenly along the order.

    Parameters
    ----------
    table : ndarray of int64, shape (n_strata, n_parts)
    starts : ndarray of uint64, shape (n_strata,), optional
        Random starts; without them the first branch has the first row.

    Returns
    -------
    ndarray of bool, shape (rows of the parts of `node`,)
        True for the rows of the first branch.
    """
    first = table[:, leaves(node[0])].sum(axis=1)
    sizes = first + table[:, leaves(node[1])].sum(axis=1)
    wide = np.maximum(sizes, 1)
    start = wide - 1 if starts is None else (starts % wide.astype(np.uint64)).astype(np.int64)
    places = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    steps = places * np.repeat(first, sizes)
    steps += np.repeat(start, sizes)
    steps %= np.repeat(wide, sizes)
    goes: Flags = steps >= np.repeat(sizes - first, sizes)
    return goes


def swaps_keep_bound(tree: Tree, totals: Ints) -> bool:
    """Say whether neighbours may be swapped with every run still within three rows.

    A part misses its share of a run by less than the sum, over the branches that lead
    to it, of its size over the branch's; a swap at either end of the run adds at most
    the smaller of the part's share and the rest.

    Parameters
    ----------
    totals : ndarray of int, shape (n_parts,)
    """
    whole = max(int(totals.sum()), 1)

    def widest(node: Tree, path: tuple[int, ...]) -> float:
        if isinstance(node, int):
            n = int(totals[node])
            swap = 2 * min(n, whole - n) / whole
            return sum(n / branch for branch in path if branch) + swap
        return max(widest(b, (*path, int(totals[leaves(b)].sum()))) for b in node)

    return widest(tree, ()) <= RUN_BOUND


def swap_pairs(parts: Ints, sizes: Ints, draws: Draws) -> None:
    """Swap the 1st and 2nd, the 3rd and 4th row ... of every stratum, each pair by a coin.

    Parameters
    ----------
    parts : ndarray of int, shape (n_rows,)
        Parts along the order; changed in place.
    sizes : ndarray of int, shape (n_strata,)
    draws : ndarray of uint64, shape (n_rows,)
        The highest bit of the first row's draw is the coin.
    """
    ends = np.cumsum(sizes)
    place = np.arange(len(parts)) - np.repeat(ends - sizes, sizes)
    opens = (place % 2 == 0) & (draws >> np.uint64(63)).astype(np.bool_)
    opens[ends[sizes > 0] - 1] = False
    first = np.flatnonzero(opens)
    parts[first], parts[first + 1] = parts[first + 1], parts[first].copy()
