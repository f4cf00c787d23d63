"""Deal unequal parts along an order so that every run of rows holds each part's share."""

from heapq import heapify, heappop, heappush
from typing import TypeAlias

import numpy as np

from .deal import smallest_dtype
from .order import positions_within
from .types import Flags, Ints, Parts, Rows, StratumTable, Words

Tree: TypeAlias = "int | tuple[Tree, Tree]"
"""A part, or two branches between which the rows are divided."""

RUN_BOUND = 3.0
"""The maximum number of rows by which a part may miss its share of any run of the order."""


def systematic_deal(rows: Rows, table: StratumTable, draws: Words | None) -> Parts:
    """Deal ordered rows to unequal parts, each part evenly along the order.

    `draws` holds one word for each quota, and then one for each row. Without draws every stratum
    starts with its first part, and nothing is swapped.

    Sources: Madow (1949), On the theory of systematic sampling, II. Lowe (2016), Stratified
    validation splits for regression problems (fractional stratification).
    """
    n_strata, n_parts = table.shape
    totals = table.sum(axis=0)
    # Rows are divided between two branches at a time, down a Huffman tree. A systematic sample from
    # a random start gives every row its exact probability of each branch, and misses a branch's
    # share of any run by less than 1 row; few branchings lead to large parts.
    tree = huffman_tree(totals.tolist())
    starts = None if draws is None else draws[: table.size].reshape(n_parts, n_strata)
    parts = np.empty(len(rows), dtype=smallest_dtype(n_parts))
    stack: list[tuple[Tree, Ints]] = [(tree, np.arange(len(rows)))]
    n_branchings = 0
    while stack:
        node, positions = stack.pop()
        if isinstance(node, int):
            parts[positions] = node
            continue
        in_first = systematic_sample(table, node, None if starts is None else starts[n_branchings])
        stack += [(node[0], positions[in_first]), (node[1], positions[~in_first])]
        n_branchings += 1
    if draws is not None and swaps_keep_bound(tree, totals):
        swap_pairs(parts, table.sum(axis=1), draws[table.size :])
    by_row = np.empty_like(parts)
    by_row[rows] = parts
    return by_row


def huffman_tree(totals: list[int]) -> Tree:
    """Join parts two by two, the smallest first; the branch of the first part comes first.

    Source: Huffman (1952), A method for the construction of minimum-redundancy codes.
    """
    heap: list[tuple[int, int, Tree]] = [(n, part, part) for part, n in enumerate(totals)]
    heapify(heap)
    while len(heap) > 1:
        (n, part, tree), (other_n, other_part, other) = heappop(heap), heappop(heap)
        pair = (tree, other) if part < other_part else (other, tree)
        # The first part of a branch, which no other branch has, breaks ties between equal sizes.
        heappush(heap, (n + other_n, min(part, other_part), pair))
    return heap[0][2]


def leaves(tree: Tree) -> list[int]:
    return [tree] if isinstance(tree, int) else leaves(tree[0]) + leaves(tree[1])


def systematic_sample(table: StratumTable, node: tuple[Tree, Tree], starts: Words | None) -> Flags:
    """Divide the rows at a branching evenly along the order: True for rows of the first branch.

    There is a random start for each stratum; without starts the first branch has the first row.
    """
    n_first = table[:, leaves(node[0])].sum(axis=1)
    sizes = n_first + table[:, leaves(node[1])].sum(axis=1)
    divisor = np.maximum(sizes, 1)
    if starts is None:
        offset = divisor - 1
    else:
        offset = (starts % divisor.astype(np.uint64)).astype(np.int64)
    # If m of n rows are to be taken, row i is taken if the step from (offset + i m) / n to
    # (offset + (i + 1) m) / n reaches an integer, that is, if (offset + i m) mod n >= n - m.
    phase = positions_within(sizes) * np.repeat(n_first, sizes)
    phase += np.repeat(offset, sizes)
    phase %= np.repeat(divisor, sizes)
    in_first: Flags = phase >= np.repeat(sizes - n_first, sizes)
    return in_first


def swaps_keep_bound(tree: Tree, totals: Ints) -> bool:
    """Check whether every run stays within `RUN_BOUND` if neighbours are swapped."""
    n_rows = max(int(totals.sum()), 1)

    def largest_miss(node: Tree, branch_sizes: tuple[int, ...]) -> float:
        """Bound how far a part below a node can miss its share of a run, in rows."""
        # A branching misses its share by less than 1 row, of which the part has its share of the
        # branch; a swap at either end of the run adds at most the part's share of all rows, or 1
        # minus this share if that is smaller.
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
    """Swap rows 1 and 2, 3 and 4 ... of every stratum, each pair with probability 1/2."""
    ends = np.cumsum(sizes)
    heads = (draws >> np.uint64(63)).astype(np.bool_)
    swapped = (positions_within(sizes) % 2 == 0) & heads
    # The last row of a stratum has no partner after it.
    swapped[ends[sizes > 0] - 1] = False
    first = np.flatnonzero(swapped)
    parts[first], parts[first + 1] = parts[first + 1], parts[first].copy()
