"""Controlled rounding of a table of exact shares to whole numbers; all its sums are rounded, too.

Start with the shares. Find a cycle of numbers that are not whole: to add and subtract one amount in
turn along it changes no sum. After each move one more number is whole, and stays as it is. The
direction is drawn so that no expected value changes. In the end all numbers are whole
(docs/how-it-works.md has an example). Each cell and each sum stops at the first whole number that
it reaches, which is its exact share rounded down or up. There is one sum for each stratum, which is
whole from the start, and one for each part in every coarser stratum and in all rows. (Both kinds of
sums are laminar families of cells: cells and sums are the edges of one network, in which rows flow
from the strata to the total.)

To make the moves for all strata at once, strata are joined in pairs, the pairs in pairs, and so on.
What may still move below a node is a tree of edges between the node's numbers, its ports. Adding up
two nodes joins their ports, part by part, and each part closes one cycle. No cycle leaves the
joined node, so its own numbers are still exact when it is joined in turn. When all numbers above
have moved, the numbers below follow them.

References: Cox (1987), A constructive procedure for unbiased controlled rounding; Gandhi,
Khuller, Parthasarathy and Srinivasan (2006), Dependent rounding and its applications to
approximation algorithms; Deville and Tillé (2004), Efficient balanced sampling: the cube
method, whose flight phase this is.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .order import positions_within
from .types import Ancestors, Flags, Ints, StratumTable, Values, Words

FIXED_ONE = 1 << 32
"""The value of 1 in fixed-point numbers."""

SMALL_DENOMINATOR = 1 << 30
"""Products of denominators below this limit and fixed-point numbers below 1 fit in 64 bits."""

PARTS_PER_WORD = 62
"""The number of parts for which a word has bits."""

EDGES_IN_CACHE = 1 << 16
"""The number of edges whose values stay in cache."""

PartSets: TypeAlias = NDArray[Any]
"""Sets of parts: part j is bit j % PARTS_PER_WORD of word j // PARTS_PER_WORD."""

Choose: TypeAlias = Callable[[Values, Values, int, Ints], Flags]
"""A rule that says which cycles move up and which down, such as `moves_up`."""


class Edges(NamedTuple):
    """What can move where n pairs of nodes are joined; changed in place.

    The numbers below a node that are not whole form a tree. Its leaves are the node's ports, which
    are the node's own numbers, one for each part. An edge of the tree is identified by the ports
    beyond it, on the side without port 0: the edge is a port itself, or a split of the ports. There
    are up to n_parts - 3 splits. `n_sides` is 2, or 1 for the root, which has no partner.
    """

    beyond: PartSets
    """The ports beyond each edge, for each side, shape (n_sides, n_words, n_edges, n)."""
    flow: Values
    """The rows that leave by these ports, modulo 1, in units of 1 / denominator, (n_edges, n)."""
    back: Flags
    """Whether the flow counts the rows that leave by the other ports instead, (n_edges, n)."""


class Join(NamedTuple):
    """What became of the ports of the nodes at one depth, where n pairs of nodes were joined."""

    parents: Ints
    """The node above each node, shape (n_nodes,)."""
    pairs: Ints
    """The nodes of each pair, shape (n_sides, n)."""
    moved: Values
    """How far the ports of the pairs moved, in units of 1 / denominator, (n_parts, n_sides, n)."""
    beyond: PartSets
    """As in `Edges`, in terms of the ports of the node above, (n_words, n_parts, n_sides, n)."""
    back: Flags
    """As in `Edges`, (n_parts, n_sides, n)."""


def controlled_rounding(
    sizes: Ints,
    shares: Sequence[Fraction],
    levels: Ancestors,
    draws: Words | None,
    choose: Choose | None = None,
) -> StratumTable:
    """Allocate every stratum to unequal parts: each cell gets its share, rounded down or up.

    The counts of every coarser stratum and of all rows are rounded likewise. The mean of every
    count is its exact share. There are n_parts - 1 draws for each stratum. Without draws the
    likelier of two moves is made, or the upward move if both are equally likely. `choose` replaces
    the rule by which the draws choose the moves.
    """
    n_strata, n_parts = len(sizes), len(shares)
    numerators, denominator = numerators_of(shares, int(sizes.sum()))
    table, remainder = floor_and_remainder(sizes, numerators, denominator)
    uniform32 = np.full((n_parts - 1, n_strata), FIXED_ONE // 2, dtype=np.int64)
    if draws is not None:
        uniform32 = (draws >> np.uint64(32)).astype(np.int64).reshape(n_parts - 1, n_strata)
    # Wide enough for a sum over all parts.
    dtype = np.min_scalar_type(-(n_parts + 1) * denominator)
    exact = np.ascontiguousarray(remainder.T, dtype=dtype)
    moves = np.zeros((n_parts, 1), dtype=dtype)
    joins = join_nodes(exact, levels, denominator, uniform32, choose or moves_up)
    for join in reversed(list(joins)):
        moves = moves_below(join, moves)
    table += ((exact + moves) // denominator).T.astype(np.int64)
    return table


def pairing_tree(n_strata: int, levels: Ancestors) -> Iterator[Flags]:
    """Join neighbouring strata in pairs, from the strata up to all rows, and then the root alone.

    Each coarser stratum is joined into one node before the next level begins, so it is a node of
    the tree and its counts are rounded shares like all other counts. Yields a flag for each node:
    False for the right half of a pair; nodes without a partner count as left.
    """
    levels = [*levels, np.zeros(n_strata, dtype=np.int64)]
    while levels:
        starts, n_nodes = np.flatnonzero(np.diff(levels[0], prepend=-1)), len(levels[0])
        if len(starts) == n_nodes:
            levels = levels[1:]
            continue
        is_left = positions_within(np.diff(starts, append=n_nodes)) % 2 == 0
        yield is_left
        levels = [level[is_left] for level in levels]
    yield np.ones(1, dtype=np.bool_)


def join_nodes(
    exact: Values, levels: Ancestors, denominator: int, uniform32: Ints, choose: Choose
) -> Iterator[Join]:
    """Join nodes from the strata up to the root, and move what is not whole, depth by depth.

    `exact` holds the shares modulo 1, in units of 1 / denominator, shape (n_parts, n_strata);
    `uniform32` holds numbers below 2**32, shape (n_parts - 1, n_strata).
    """
    n_parts, n_strata = exact.shape
    sets = port_sets(n_parts)
    splits = np.zeros((len(sets), max(n_parts - 3, 0), n_strata), dtype=sets.dtype)
    for is_left in pairing_tree(n_strata, levels):
        n_nodes, lefts, rights = len(is_left), np.flatnonzero(is_left), np.flatnonzero(~is_left)
        pairs = np.stack([rights - 1, rights]) if n_nodes > 1 else lefts[None]
        parents = np.cumsum(is_left) - 1
        edges = edges_below(exact[:, pairs], splits[:, :, pairs], denominator)
        # A tree of n strata has n - 1 pairs and a root, each with random numbers of its own.
        own = uniform32[:, n_nodes - pairs.shape[1] : n_nodes]
        n_at_once = max(EDGES_IN_CACHE // len(edges.flow), 1)
        for start in range(0, pairs.shape[1], n_at_once):
            some = slice(start, start + n_at_once)
            for part in range(1, n_parts):
                close_cycle(
                    Edges(*(each[..., some] for each in edges)),
                    part,
                    denominator,
                    own[part - 1, some],
                    choose,
                )
        shape = -1, *pairs.shape
        beyond = edges.beyond[0].reshape(len(sets), *shape)[:, :n_parts]
        moved = edges.flow.reshape(shape)[:n_parts] - exact[:, pairs]
        back = edges.back.reshape(shape)[:n_parts]
        yield Join(parents, pairs, moved, beyond.copy(), back.copy())
        splits = splits[:, :, lefts]
        splits[:, :, parents[pairs[0]]] = splits_between(edges.beyond[0], n_parts)
        exact = np.add.reduceat(exact, lefts, axis=1, dtype=exact.dtype) % denominator


def port_sets(n_parts: int) -> PartSets:
    """List the ports beyond each port: only the port itself, but beyond port 0 all other ports."""
    word, bit = np.divmod(np.arange(n_parts, dtype=np.int64), PARTS_PER_WORD)
    dtype = np.min_scalar_type(-(1 << min(n_parts, PARTS_PER_WORD)))
    sets = np.zeros((word[-1] + 1, n_parts), dtype=dtype)
    sets[word, np.arange(n_parts)] = np.left_shift(np.int64(1), bit)
    sets[:, 0] = sets[:, 1:].sum(axis=1)
    return sets


def holds(sets: PartSets, part: int) -> Flags:
    """Mark the sets that hold a part, given their words along the first axis."""
    word, bit = divmod(part, PARTS_PER_WORD)
    has_part: Flags = (sets[word] & (1 << bit)) != 0
    return has_part


def edges_below(ports: Values, splits: PartSets, denominator: int) -> Edges:
    """List the edges below nodes that are to be joined.

    Ports are the shares of the nodes, modulo 1, shape (n_parts, n_sides, n). Splits have the
    shape (n_words, n_splits, n_sides, n), with empty sets where a node has fewer splits.
    """
    (n_parts, n_sides, n), (n_words, n_splits) = ports.shape, splits.shape[:2]
    beyond = np.zeros((n_sides, n_words, n_parts + n_splits, n_sides, n), dtype=splits.dtype)
    for side in range(n_sides):
        beyond[side, :, :n_parts, side] = port_sets(n_parts)[:, :, None]
        beyond[side, :, n_parts:, side] = splits[:, :, side]
    through = np.zeros((n_splits, n_sides, n), dtype=ports.dtype)
    for part in range(1, n_parts if n_splits else 1):
        through += holds(splits, part) * ports[part]
    flow = np.concatenate([ports, through % denominator])
    back = np.zeros(flow.shape, dtype=np.bool_)
    back[0] = True
    return Edges(beyond.reshape(n_sides, n_words, -1, n), flow.reshape(-1, n), back.reshape(-1, n))


def close_cycle(edges: Edges, part: int, denominator: int, uniform32: Ints, choose: Choose) -> None:
    """Join the ports of both sides for one part, and move rows along the cycle that this closes."""
    beyond, flow, back = edges
    on_left = holds(beyond[0], part)
    on_cycle = on_left ^ holds(beyond[1], part) if len(beyond) > 1 else on_left
    # The cycle runs from the right port to the left port. `along` is what its edges hold in that
    # direction, and 0 elsewhere. Products are much faster here than `np.where`.
    forward, backward = on_cycle & (on_left == back), on_cycle & (on_left != back)
    direction = forward.view(np.int8) - backward.view(np.int8)
    along = direction * flow + backward.astype(flow.dtype) * denominator
    room = denominator - along.max(axis=0)
    low = denominator - (on_cycle * (denominator - along)).max(axis=0)
    up = choose(low, room, denominator, uniform32)
    flow += direction * np.where(up, room, -low)
    # One edge that became whole is cut, so that the rest is a tree again; other edges that became
    # whole cannot move any more either. Beyond an edge of the cycle are now the ports that were
    # beyond this edge or beyond the cut edge, but not beyond both. The edge with the largest set is
    # cut, whatever the order of the edges.
    whole = on_cycle & (along == np.where(up, denominator - room, low))
    cut = largest_set(beyond.reshape(-1, *flow.shape), whole).reshape(*beyond.shape[:2], 1, -1)
    back ^= on_cycle & ((beyond & ~cut) == 0).all(axis=(0, 1))
    beyond ^= on_cycle * cut


def moves_up(low: Values, room: Values, denominator: int, uniform32: Ints) -> Flags:
    """Draw which cycles move up by `room` and which down by `low`, so that no mean changes."""
    wide = np.int64 if denominator < SMALL_DENOMINATOR else object
    low, room, uniform32 = (each.astype(wide) for each in (low, room, uniform32))
    up: Flags = uniform32 * (low + room) >= room * FIXED_ONE
    return up


def largest_set(sets: PartSets, chosen: Flags) -> PartSets:
    """Find the largest of the chosen sets, read as numbers; the empty set if none is chosen."""
    largest = np.empty_like(sets, shape=(len(sets), sets.shape[2]))
    for word in reversed(range(len(sets))):
        largest[word] = (chosen * sets[word]).max(axis=0)
        chosen = chosen & (sets[word] == largest[word])
    return largest


def splits_between(sets: PartSets, n_parts: int) -> PartSets:
    """List the splits among sets of ports, each once: sets of two or more ports, but not of all."""
    n_splits = max(n_parts - 3, 0)
    splits = np.zeros_like(sets, shape=(len(sets), n_splits, sets.shape[2]))
    is_large = (sets & (sets - 1)).any(axis=0) | ((sets != 0).sum(axis=0) > 1)
    left = is_large & (sets != port_sets(n_parts)[:, :1, None]).any(axis=0)
    for split in range(n_splits):
        splits[:, split] = largest_set(sets, left)
        left &= (sets != splits[:, [split]]).any(axis=0)
    return splits


def moves_below(join: Join, moves: Values) -> Values:
    """Compute how far the numbers of nodes move in total, given the moves of the nodes above."""
    # The ports of a node are edges of the tree below the node above: what leaves by the ports
    # beyond an edge goes through that edge.
    through = np.zeros_like(join.moved)
    for part, above in enumerate(moves[:, join.parents[join.pairs[0]]]):
        through += holds(join.beyond, part) * above
    below: Values = moves[:, join.parents]
    below[:, join.pairs] = join.moved + np.where(join.back, -through, through)
    return below


def round_total(n_rows: int, shares: Sequence[Fraction], draw: Words) -> Ints:
    """Round the shares of a number of rows, with a single random word for all parts."""
    numerators, denominator = numerators_of(shares, n_rows)
    rows, remainder = floor_and_remainder(np.array([n_rows]), numerators, denominator)
    up = systematic_round(remainder.astype(float) / float(denominator), draw)
    rounded: Ints = (rows + up)[0]
    return rounded


def systematic_round(fraction: Values, draws: Words) -> Flags:
    """Draw which fractions of each row to round up, so that the sum of the row does not change.

    The sums are whole numbers; there is one draw for each row.

    Source: Madow (1949), On the theory of systematic sampling, II.
    """
    is_open = fraction > 0
    need = np.rint(fraction.sum(axis=1, keepdims=True)).astype(np.int64)
    # Lay the fractions end to end. A fraction is rounded up if it holds one of the points
    # 1 - u, 2 - u, ...; it cannot hold two, because it is at most 1 long.
    ends = np.cumsum(np.rint(fraction * FIXED_ONE).astype(np.int64), axis=1)
    # A guard against rounding errors: the fractions so far hold no more points than are needed,
    # and the points still needed do not outnumber the open fractions to come.
    n_open_after = is_open.sum(axis=1, keepdims=True) - np.cumsum(is_open, axis=1)
    ends = np.clip(ends, (need - n_open_after) * FIXED_ONE, need * FIXED_ONE)
    n_points = (ends + (draws >> np.uint64(32)).astype(np.int64)[:, None]) // FIXED_ONE
    up: Flags = np.diff(n_points, axis=1, prepend=0).astype(np.bool_)
    return up


def numerators_of(shares: Sequence[Fraction], total: int) -> tuple[Values, int]:
    """Put shares over a common denominator, in integers wide enough for `total` rows."""
    denominator = lcm(*(share.denominator for share in shares))
    fits_int64 = denominator * max(total, 1) < 1 << 62
    numerators = [int(share * denominator) for share in shares]
    return np.array(numerators, dtype=np.int64 if fits_int64 else object), denominator


def floor_and_remainder(
    sizes: Ints, numerators: Values, denominator: int
) -> tuple[StratumTable, Values]:
    """Compute exact shares of sizes: whole rows, and the remainder in units of 1 / denominator."""
    product = sizes[:, None] * numerators
    rows = product // denominator
    return rows.astype(np.int64), product - rows * denominator
