"""Deal ordered rows to unequal parts; each part gets about its share of every run of rows."""

from heapq import heapify, heappop, heappush
from typing import TypeAlias

import numpy as np

from .deal import smallest_dtype
from .order import positions_within
from .types import Flags, Ints, Parts, Rows, StratumTable, Words

Tree: TypeAlias = "int | tuple[Tree, Tree]"
"""A part, or a pair of branches between which rows are divided."""

RUN_BOUND = 3.0
"""Neighbours are swapped only if no part then deviates by more rows than this from any run's
share."""


def systematic_deal(rows: Rows, table: StratumTable, draws: Words | None) -> Parts:
    """Deal ordered rows to unequal parts, and spread each part evenly over the order.

    `draws` holds a random 64-bit word for each quota, followed by one for each row. Without draws,
    every stratum starts with its first part, and no neighbours are swapped.

    Sources: Madow (1949), On the theory of systematic sampling, II. Lowe (2016), Stratified
    validation splits for regression problems (fractional stratification).
    """
    n_strata, n_parts = table.shape
    totals = table.sum(axis=0)
    # A Huffman tree of the parts divides the rows between two branches at a time. In a
    # systematic sample with a random start, every row goes to each branch with exactly the right
    # probability, and the number of rows from any run that go to a branch deviates from its share
    # by less than 1. The path to a large part has few branchings.
    tree = huffman_tree(totals.tolist())
    # The random starts of the strata for each branching, if there are draws.
    starts: list[Words | None] = [None] * n_parts
    if draws is not None:
        starts = list(draws[: table.size].reshape(n_parts, n_strata))
    parts = np.empty(len(rows), dtype=smallest_dtype(n_parts))
    stack: list[tuple[Tree, Ints]] = [(tree, np.arange(len(rows)))]
    n_branchings = 0
    while stack:
        node, positions = stack.pop()
        if isinstance(node, int):
            parts[positions] = node
            continue
        in_first = systematic_sample(table, node, starts[n_branchings])
        stack += [(node[0], positions[in_first]), (node[1], positions[~in_first])]
        n_branchings += 1
    if draws is not None and swaps_keep_bound(tree, totals):
        swap_pairs(parts, table.sum(axis=1), draws[table.size :])
    by_row = np.empty_like(parts)
    by_row[rows] = parts
    return by_row


def huffman_tree(totals: list[int]) -> Tree:
    """Build a Huffman tree of the parts; of two branches, the one with the lowest part comes first.

    Source: Huffman (1952), A method for the construction of minimum-redundancy codes.
    """
    heap: list[tuple[int, int, Tree]] = [(n, part, part) for part, n in enumerate(totals)]
    heapify(heap)
    while len(heap) > 1:
        n, part, tree = heappop(heap)
        other_n, other_part, other = heappop(heap)
        pair = (tree, other) if part < other_part else (other, tree)
        # Ties between equal sizes are broken by the lowest part, which differs between branches.
        heappush(heap, (n + other_n, min(part, other_part), pair))
    return heap[0][2]


def leaves(tree: Tree) -> list[int]:
    if isinstance(tree, int):
        return [tree]
    return leaves(tree[0]) + leaves(tree[1])


def systematic_sample(table: StratumTable, node: tuple[Tree, Tree], starts: Words | None) -> Flags:
    """Divide the rows of a node evenly between its branches: True for rows of the first branch.

    Each stratum has a random start; without starts, its first row goes to the first branch.
    """
    n_first = table[:, leaves(node[0])].sum(axis=1)
    sizes = n_first + table[:, leaves(node[1])].sum(axis=1)
    divisor = np.maximum(sizes, 1)
    if starts is None:
        offset = divisor - 1
    else:
        offset = (starts % divisor.astype(np.uint64)).astype(np.int64)
    # When m of n rows are selected, row i is among them if there is an integer above (offset + i m)
    # / n and up to (offset + (i + 1) m) / n, that is, if (offset + i m) mod n >= n - m.
    phase = positions_within(sizes) * np.repeat(n_first, sizes)
    phase += np.repeat(offset, sizes)
    phase %= np.repeat(divisor, sizes)
    in_first: Flags = phase >= np.repeat(sizes - n_first, sizes)
    return in_first


def swaps_keep_bound(tree: Tree, totals: Ints) -> bool:
    """Return whether `RUN_BOUND` holds for every run if neighbouring rows are swapped."""
    n_rows = max(int(totals.sum()), 1)

    def largest_miss(node: Tree, branch_sizes: tuple[int, ...]) -> float:
        """Bound the deviation of the parts below a node from their shares of a run, in rows."""
        # The error of a branching is less than 1 row. It is divided among the parts of the branch
        # in proportion to their sizes. A swap at either end of the run adds at most the part's
        # share of all rows, or 1 minus this share if that is smaller.
        if isinstance(node, int):
            n = int(totals[node])
            swap = 2 * min(n, n_rows - n) / n_rows
            return sum(n / size for size in branch_sizes if size) + swap
        return max(
            largest_miss(branch, (*branch_sizes, int(totals[leaves(branch)].sum())))
            for branch in node
        )

    return largest_miss(tree, ()) <= RUN_BOUND


def swap_pairs(parts: Parts, sizes: Ints, draws: Words) -> None:
    """Swap the parts of rows 1 and 2, 3 and 4, ... of a stratum, each pair with probability 1/2."""
    ends = np.cumsum(sizes)
    heads = (draws >> np.uint64(63)).astype(np.bool_)
    is_swapped = (positions_within(sizes) % 2 == 0) & heads
    # The last row of a stratum must not be swapped with the first row of the next stratum.
    is_swapped[ends[sizes > 0] - 1] = False
    first = np.flatnonzero(is_swapped)
    parts[first], parts[first + 1] = parts[first + 1], parts[first].copy()
