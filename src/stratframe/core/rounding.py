"""Controlled rounding of a table of exact shares, and of its sums, to whole numbers.

The method starts from the exact shares, and repeats one step. The step finds a cycle of numbers
that are not whole, and adds and subtracts the same amount in turn along the cycle, so that cells
still add up to their sums. The amount is chosen so that one more number becomes whole; this number
is fixed from then on. The direction of the move is drawn so that no expected value changes. At the
end all numbers are whole (docs/how-it-works.md has an example). Each cell and each sum stops at the
first whole number that it reaches, which is its exact share rounded down or up. Each stratum has a
sum, which is whole from the start, and each part has a sum in every coarser stratum and in the
whole table. (Both kinds of sums form laminar families of cells. Cells and sums are therefore the
edges of a network in which rows flow from the strata to the total.)

To move the numbers of all strata at once, the strata are joined in pairs, then the pairs in pairs,
and so on. Each node of this hierarchy has a port for each part, through which its rows of that part
leave. The numbers below a node that are not yet whole form a tree, with the ports as its leaves.
When two nodes are joined, their ports are merged part by part, and each part after the first closes
a cycle. The cycle stays inside the joined node, so the node's ports still have their exact shares
when it is joined in turn. When the numbers of a node have moved, the numbers below it move too.

References: Cox (1987), A constructive procedure for unbiased controlled rounding; Gandhi,
Khuller, Parthasarathy and Srinivasan (2006), Dependent rounding and its applications to
approximation algorithms; Deville and Tillé (2004), Efficient balanced sampling: the cube
method (this algorithm is its flight phase).
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
"""The fixed-point representation of 1."""

SMALL_DENOMINATOR = 1 << 30
"""The limit below which a denominator times a fixed-point number below 1 fits in 64 bits."""

PARTS_PER_WORD = 62
"""The number of parts that one word (an integer of up to 64 bits) can hold."""

EDGES_IN_CACHE = 1 << 16
"""The number of edges that are processed at once, chosen so that their values stay in cache."""

PartSets: TypeAlias = NDArray[Any]
"""Sets of parts, as bits: part j is bit j % PARTS_PER_WORD of word j // PARTS_PER_WORD."""

Choose: TypeAlias = Callable[[Values, Values, int, Ints], Flags]
"""A function, such as `moves_up`, that decides for each cycle whether it moves up or down."""


class Edges(NamedTuple):
    """The numbers that can move when n pairs of nodes are joined; the arrays change in place.

    The numbers below a node that are not whole are the edges of a tree, with the node's ports as
    leaves. Each edge divides the ports into two sets. It is identified by the set without port 0,
    whose ports are said to be beyond the edge. Each port has an edge that separates it from all
    other ports. There are up to n_parts - 3 other edges, the splits, with several ports in both
    sets. `n_sides` is 2, or 1 for the root, which has no partner.
    """

    beyond: PartSets
    """The ports of each side that are beyond each edge, shape (n_sides, n_words, n_edges, n)."""
    flow: Values
    """The rows that leave by these ports, modulo 1, in units of 1 / denominator, (n_edges, n)."""
    back: Flags
    """Whether the flow counts the rows that leave by all other ports instead, (n_edges, n)."""


class Join(NamedTuple):
    """The result of joining n pairs of nodes at one depth."""

    parents: Ints
    """The node above each node, shape (n_nodes,)."""
    pairs: Ints
    """The nodes of each pair, shape (n_sides, n)."""
    moved: Values
    """The changes at the ports of the pairs, in units of 1 / denominator, (n_parts, n_sides, n)."""
    beyond: PartSets
    """The ports of the node above that are beyond each port, (n_words, n_parts, n_sides, n)."""
    back: Flags
    """The flag `back` of each port's edge, as in `Edges`, (n_parts, n_sides, n)."""


def controlled_rounding(
    sizes: Ints,
    shares: Sequence[Fraction],
    levels: Ancestors,
    draws: Words | None,
    choose: Choose | None = None,
) -> StratumTable:
    """Allocate every stratum to unequal parts so that each count is its share rounded down or up.

    The counts in coarser strata and in the whole table are rounded in the same way. The expected
    value of every count is its exact share. There are n_parts - 1 draws for each stratum. Without
    draws, the more probable of two moves is made, or the upward move if both are equally probable.
    If `choose` is given, it replaces `moves_up`, which chooses the moves by the draws.
    """
    n_parts = len(shares)
    numerators, denominator = numerators_of(shares, int(sizes.sum()))
    table, remainder = floor_and_remainder(sizes, numerators, denominator)
    # The dtype must hold sums over all parts.
    dtype = np.min_scalar_type(-(n_parts + 1) * denominator)
    exact = np.ascontiguousarray(remainder.T, dtype=dtype)
    moves = np.zeros((n_parts, 1), dtype=dtype)
    numbers = leading_halves(draws, (n_parts - 1, len(sizes)))
    joins = join_nodes(exact, levels, denominator, numbers, choose or moves_up)
    for join in reversed(list(joins)):
        moves = moves_below(join, moves)
    table += ((exact + moves) // denominator).T.astype(np.int64)
    return table


def leading_halves(draws: Words | None, shape: tuple[int, int]) -> Ints:
    """Return random numbers below 2**32 in the given shape; without draws, each is one half."""
    if draws is None:
        return np.full(shape, FIXED_ONE // 2, dtype=np.int64)
    return (draws >> np.uint64(32)).astype(np.int64).reshape(shape)


def pairing_tree(n_strata: int, levels: Ancestors) -> Iterator[Flags]:
    """Join neighbouring strata in pairs, depth by depth, until only the root is left.

    Each coarser stratum is joined into one node before the next level begins. So it is a node of
    the tree, and its counts are rounded as all other counts are. Yields flags for the nodes at each
    depth: False for the right node of a pair, and True for all other nodes. The root comes last.
    """
    levels = [*levels, np.zeros(n_strata, dtype=np.int64)]
    while levels:
        starts = np.flatnonzero(np.diff(levels[0], prepend=-1))
        n_nodes = len(levels[0])
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
    """Join nodes depth by depth, from the strata to the root, and move numbers that are not whole.

    `exact` holds the shares modulo 1, in units of 1 / denominator, shape (n_parts, n_strata);
    `uniform32` holds random numbers below 2**32, shape (n_parts - 1, n_strata).
    """
    n_parts, n_strata = exact.shape
    sets = port_sets(n_parts)
    splits = np.zeros((len(sets), max(n_parts - 3, 0), n_strata), dtype=sets.dtype)
    for is_left in pairing_tree(n_strata, levels):
        n_nodes = len(is_left)
        lefts = np.flatnonzero(is_left)
        rights = np.flatnonzero(~is_left)
        pairs = lefts[None]
        if n_nodes > 1:
            pairs = np.stack([rights - 1, rights])
        parents = np.cumsum(is_left) - 1
        edges = edges_below(exact[:, pairs], splits[:, :, pairs], denominator)
        # A tree of n strata has n - 1 pairs and a root, each with its own random numbers.
        numbers = uniform32[:, n_nodes - pairs.shape[1] : n_nodes]
        close_cycles(edges, denominator, numbers, choose)
        shape = -1, *pairs.shape
        beyond = edges.beyond[0].reshape(len(sets), *shape)[:, :n_parts]
        moved = edges.flow.reshape(shape)[:n_parts] - exact[:, pairs]
        back = edges.back.reshape(shape)[:n_parts]
        yield Join(parents, pairs, moved, beyond.copy(), back.copy())
        splits = splits[:, :, lefts]
        splits[:, :, parents[pairs[0]]] = splits_between(edges.beyond[0], n_parts)
        exact = np.add.reduceat(exact, lefts, axis=1, dtype=exact.dtype) % denominator


def port_sets(n_parts: int) -> PartSets:
    """List the ports beyond each port's edge: the port itself, or for port 0 all other ports."""
    word, bit = np.divmod(np.arange(n_parts, dtype=np.int64), PARTS_PER_WORD)
    dtype = np.min_scalar_type(-(1 << min(n_parts, PARTS_PER_WORD)))
    sets = np.zeros((word[-1] + 1, n_parts), dtype=dtype)
    sets[word, np.arange(n_parts)] = np.left_shift(np.int64(1), bit)
    sets[:, 0] = sets[:, 1:].sum(axis=1)
    return sets


def holds(sets: PartSets, part: int) -> Flags:
    """Mark the sets that contain a part; the words of each set are on the first axis."""
    word, bit = divmod(part, PARTS_PER_WORD)
    has_part: Flags = (sets[word] & (1 << bit)) != 0
    return has_part


def edges_below(ports: Values, splits: PartSets, denominator: int) -> Edges:
    """List the edges below nodes that are to be joined.

    `ports` holds the shares of the nodes modulo 1, shape (n_parts, n_sides, n). `splits` has the
    shape (n_words, n_splits, n_sides, n), and is filled up with empty sets.
    """
    n_parts, n_sides, n = ports.shape
    n_words, n_splits = splits.shape[:2]
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


def close_cycles(edges: Edges, denominator: int, uniform32: Ints, choose: Choose) -> None:
    """Join the ports of both sides, part by part, for as many pairs at a time as fit in cache."""
    n_at_once = max(EDGES_IN_CACHE // len(edges.flow), 1)
    for start in range(0, edges.flow.shape[1], n_at_once):
        pairs = slice(start, start + n_at_once)
        views = Edges(*(each[..., pairs] for each in edges))
        for part, numbers in enumerate(uniform32[:, pairs], start=1):
            close_cycle(views, part, denominator, numbers, choose)


def close_cycle(edges: Edges, part: int, denominator: int, uniform32: Ints, choose: Choose) -> None:
    """Join the ports of both sides for one part, and move rows along the cycle that this closes."""
    beyond, flow, back = edges
    on_left = holds(beyond[0], part)
    on_cycle = on_left
    if len(beyond) > 1:
        on_cycle = on_left ^ holds(beyond[1], part)
    # The cycle enters by the left port and leaves by the right port, or at the root by port 0.
    # `along` is the flow of each edge in this direction, and 0 for edges that are not on the cycle.
    # Products are much faster here than `np.where`.
    forward = on_cycle & (on_left == back)
    backward = on_cycle & (on_left != back)
    direction = forward.view(np.int8) - backward.view(np.int8)
    along = direction * flow + backward.astype(flow.dtype) * denominator
    room = denominator - along.max(axis=0)
    low = denominator - (on_cycle * (denominator - along)).max(axis=0)
    up = choose(low, room, denominator, uniform32)
    flow += direction * np.where(up, room, -low)
    # Of the edges that became whole, the one with the largest set is cut. A tree is left, and the
    # order of the edges has no effect. Other whole edges cannot move any more. The ports beyond an
    # edge of the cycle are now those that were beyond this edge or the cut edge, but not both.
    whole = on_cycle & (along == np.where(up, denominator - room, low))
    cut = largest_set(beyond.reshape(-1, *flow.shape), whole).reshape(*beyond.shape[:2], 1, -1)
    back ^= on_cycle & ((beyond & ~cut) == 0).all(axis=(0, 1))
    beyond ^= on_cycle * cut


def moves_up(low: Values, room: Values, denominator: int, uniform32: Ints) -> Flags:
    """Draw whether cycles move up by `room` or down by `low`; expected values do not change."""
    wide = np.int64 if denominator < SMALL_DENOMINATOR else object
    total = low.astype(wide) + room.astype(wide)
    up: Flags = uniform32.astype(wide) * total >= room.astype(wide) * FIXED_ONE
    return up


def largest_set(sets: PartSets, is_candidate: Flags) -> PartSets:
    """Return the candidate that is largest as an integer, or the empty set if there is none."""
    largest = np.empty_like(sets, shape=(len(sets), sets.shape[2]))
    for word in reversed(range(len(sets))):
        largest[word] = (is_candidate * sets[word]).max(axis=0)
        is_candidate = is_candidate & (sets[word] == largest[word])
    return largest


def splits_between(sets: PartSets, n_parts: int) -> PartSets:
    """List the distinct splits: sets of two or more ports, but not of all ports except port 0."""
    n_splits = max(n_parts - 3, 0)
    splits = np.zeros_like(sets, shape=(len(sets), n_splits, sets.shape[2]))
    is_large = (sets & (sets - 1)).any(axis=0) | ((sets != 0).sum(axis=0) > 1)
    left = is_large & (sets != port_sets(n_parts)[:, :1, None]).any(axis=0)
    for split in range(n_splits):
        splits[:, split] = largest_set(sets, left)
        left &= (sets != splits[:, [split]]).any(axis=0)
    return splits


def moves_below(join: Join, moves: Values) -> Values:
    """Compute the total changes at the ports of nodes, given the changes at the nodes above."""
    # A port of a node is an edge of the tree below the node above. All rows that leave by the ports
    # beyond this edge pass through the edge.
    through = np.zeros_like(join.moved)
    for part, above in enumerate(moves[:, join.parents[join.pairs[0]]]):
        through += holds(join.beyond, part) * above
    below: Values = moves[:, join.parents]
    below[:, join.pairs] = join.moved + np.where(join.back, -through, through)
    return below


def round_total(n_rows: int, shares: Sequence[Fraction], draw: Words) -> Ints:
    """Round the share of each part in `n_rows` rows, with one random 64-bit word for all parts."""
    numerators, denominator = numerators_of(shares, n_rows)
    rows, remainder = floor_and_remainder(np.array([n_rows]), numerators, denominator)
    up = systematic_round(remainder.astype(float) / float(denominator), draw)
    rounded: Ints = (rows + up)[0]
    return rounded


def systematic_round(fraction: Values, draws: Words) -> Flags:
    """Draw which fractions in each row of an array to round up, without changing the row's sum.

    The sums must be whole numbers. There is one draw for each row.

    Source: Madow (1949), On the theory of systematic sampling, II.
    """
    is_open = fraction > 0
    need = np.rint(fraction.sum(axis=1, keepdims=True)).astype(np.int64)
    # The fractions are intervals of length at most 1, placed end to end. A fraction is rounded up
    # if its interval contains one of the points 1 - u, 2 - u, ...; it contains at most one.
    ends = np.cumsum(np.rint(fraction * FIXED_ONE).astype(np.int64), axis=1)
    # Clipping guards against rounding errors: the intervals so far never contain more points than
    # are needed, and the points that are still needed never outnumber the open fractions to come.
    n_open_after = is_open.sum(axis=1, keepdims=True) - np.cumsum(is_open, axis=1)
    ends = np.clip(ends, (need - n_open_after) * FIXED_ONE, need * FIXED_ONE)
    n_points = (ends + (draws >> np.uint64(32)).astype(np.int64)[:, None]) // FIXED_ONE
    up: Flags = np.diff(n_points, axis=1, prepend=0).astype(np.bool_)
    return up


def numerators_of(shares: Sequence[Fraction], total: int) -> tuple[Values, int]:
    """Write shares as integers over a common denominator, in a dtype wide enough for `total`."""
    denominator = lcm(*(share.denominator for share in shares))
    fits_int64 = denominator * max(total, 1) < 1 << 62
    numerators = [int(share * denominator) for share in shares]
    return np.array(numerators, dtype=np.int64 if fits_int64 else object), denominator


def floor_and_remainder(
    sizes: Ints, numerators: Values, denominator: int
) -> tuple[StratumTable, Values]:
    """Compute exact shares of sizes, as whole rows and remainders in units of 1 / denominator."""
    product = sizes[:, None] * numerators
    rows = product // denominator
    return rows.astype(np.int64), product - rows * denominator
