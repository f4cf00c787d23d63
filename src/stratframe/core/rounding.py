"""Controlled rounding: tables whose every cell and total is an exact share, rounded.

The total of all strata is rounded first and then divided, half by half, down a tree of
strata. Shares are integers over one denominator and random numbers are fixed-point, so
that every platform rounds alike.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm

import numpy as np

from .flow import shortest_path
from .order import positions_within
from .types import Draws, Flags, Ints, Table, Values

FIXED_ONE = 1 << 32
"""The 1 of fixed-point numbers."""


def controlled_rounding(
    sizes: Ints, shares: Sequence[Fraction], levels: Sequence[Ints], draws: Draws | None
) -> Table:
    """Allocate every stratum to unequal parts: each cell its share, rounded down or up.

    The totals of the parts are exact shares rounded down or up too, and so are those of
    the coarser strata, but for rare tables of four or more parts.

    Parameters
    ----------
    sizes : ndarray of int, shape (n_strata,)
    levels : sequence of ndarray of int, each of shape (n_strata,), nondecreasing
        For each level of nesting, finest first, the coarser stratum of every stratum.
    draws : ndarray of uint64, shape (n_strata,), optional
        With draws a share is rounded up with the probability of its fraction; without
        them the rounding is deterministic.

    References
    ----------
    Cox (1987), A constructive procedure for unbiased controlled rounding.
    """
    total = sizes.sum(keepdims=True)
    weights, denominator = integer_weights(shares, int(total[0]))
    if draws is None:
        uniform32 = np.full(len(sizes), FIXED_ONE // 2)
    else:
        uniform32 = (draws >> np.uint64(32)).astype(np.int64)
    low, high, fraction = rounding_bounds(total, weights, denominator)
    table = systematic_round(low, high, total, divide(fraction, denominator), uniform32[:1])
    # A tree of n strata has a root and n - 1 pairs: one random number for each.
    n_used = 1
    for is_left, node_sizes in reversed(list(pairing_tree(sizes, levels))):
        fresh = uniform32[n_used : n_used + len(node_sizes) - len(table)]
        table = split_margins(table, is_left, node_sizes, weights, denominator, fresh)
        n_used += len(fresh)
    return repair_margins(table, sizes, weights, denominator, levels)


def pairing_tree(sizes: Ints, levels: Sequence[Ints]) -> Iterator[tuple[Flags, Ints]]:
    """Join neighbouring strata in pairs, from the strata up to all rows.

    Each coarser stratum is joined to one node before its level is left, so that it is a
    node of the tree and its counts are rounded shares like all others.

    Yields
    ------
    is_left : ndarray of bool, shape (n_nodes,)
        False for the right halves of pairs; nodes without a partner count as left.
    sizes : ndarray of int, shape (n_nodes,)
        Rows of the nodes that are joined.
    """
    for depth in range(len(levels) + 1):
        above = levels[depth] if depth < len(levels) else np.zeros(len(sizes), dtype=np.int64)
        while len(sizes) > len(starts := run_starts(above)):
            is_left = positions_within(np.diff(starts, append=len(sizes))) % 2 == 0
            yield is_left, sizes
            sizes = np.add.reduceat(sizes, np.flatnonzero(is_left))
            levels, above = [level[is_left] for level in levels], above[is_left]


def run_starts(codes: Ints) -> Ints:
    """Find where the runs of equal codes start."""
    return np.flatnonzero(np.diff(codes, prepend=-1))


def split_margins(
    joined: Table, is_left: Flags, sizes: Ints, weights: Values, denominator: int, uniform32: Ints
) -> Table:
    """Divide the counts of joined pairs between their two halves.

    Parameters
    ----------
    joined : ndarray of int64, shape (n_joined, n_parts)
    is_left : ndarray of bool, shape (n_nodes,)
    sizes : ndarray of int, shape (n_nodes,)
    uniform32 : ndarray of int, shape (n_pairs,), range 0..2**32-1

    Returns
    -------
    ndarray of int64, shape (n_nodes, n_parts)
    """
    table: Table = joined[np.cumsum(is_left) - 1]
    right = np.flatnonzero(~is_left)
    left = right - 1
    both = table[left]
    low, high, fraction = rounding_bounds(sizes[left], weights, denominator)
    right_low, right_high, right_fraction = rounding_bounds(sizes[right], weights, denominator)
    # What the left half leaves must be the right half's share rounded down or up, too.
    minimum, maximum = np.maximum(low, both - right_high), np.minimum(high, both - right_low)
    # Let f and g be the fractions of the halves. Of a sum rounded up from f + g < 1 the
    # one row goes left with probability f / (f + g); of f + g >= 1 rounded to one row less
    # than both rounded up, with (1 - g) / (2 - f - g). Over the rounding of the sum as
    # well, each half is rounded up with the probability of its fraction (Cox 1987).
    carry = fraction + right_fraction
    probability = np.where(
        carry < denominator,
        divide(fraction, carry),
        divide(denominator - right_fraction, 2 * denominator - carry),
    )
    # With four or more parts no left half may be possible in all parts at once. The two
    # halves are then rounded separately, and `repair_margins` corrects the sums.
    stuck = (minimum > maximum).any(axis=1)
    stuck |= (minimum.sum(axis=1) > sizes[left]) | (sizes[left] > maximum.sum(axis=1))
    minimum[stuck], maximum[stuck] = low[stuck], high[stuck]
    probability[stuck] = divide(fraction[stuck], denominator)
    table[left] = systematic_round(minimum, maximum, sizes[left], probability, uniform32)
    table[right] = both - table[left]
    table[right[stuck]] = systematic_round(
        right_low[stuck],
        right_high[stuck],
        sizes[right[stuck]],
        divide(right_fraction[stuck], denominator),
        uniform32[stuck],
    )
    return table


def systematic_round(
    low: Table, high: Table, sums: Ints, probability: Values, uniform32: Ints
) -> Table:
    """Round up a systematic sample of the cells of each row, which gives the row its sum.

    Parameters
    ----------
    low, high : ndarray of int64, shape (n, n_parts)
        At most 1 apart.
    sums : ndarray of int, shape (n,)
    probability : ndarray of float64, shape (n, n_parts), range 0..1
        Of rounding up, where `high` is above `low`.
    uniform32 : ndarray of int, shape (n,), range 0..2**32-1
        Where the sample starts.

    Returns
    -------
    ndarray of int64, shape (n, n_parts)

    References
    ----------
    Madow (1949), On the theory of systematic sampling, II.
    """
    free = high > low
    n_free = free.sum(axis=1, keepdims=True)
    need = sums[:, None] - low.sum(axis=1, keepdims=True)
    # Scale the probabilities so that they sum to the number of cells to round up: shrink
    # them, or else shrink their complements, which keeps all of them within 0..1.
    probability = np.where(free, probability, 0.0)
    total = probability.sum(axis=1, keepdims=True)
    tiny = np.finfo(float).tiny
    shrunk = probability * (need / np.maximum(total, tiny))
    grown = 1 - (1 - probability) * ((n_free - need) / np.maximum(n_free - total, tiny))
    scaled = np.where(free, np.where(total > need, shrunk, grown), 0.0)
    # Lay them end to end. A cell goes up if it holds one of the points 1 - u, 2 - u, ...,
    # of which no cell can hold two, as it is at most 1 long.
    ends = np.cumsum(np.rint(scaled * FIXED_ONE).astype(np.int64), axis=1)
    # Against rounding errors: the cells so far hold at most all the points that are needed,
    # and leave no more of them than there are free cells to come.
    n_free_after = n_free - np.cumsum(free, axis=1)
    ends = np.clip(ends, (need - n_free_after) * FIXED_ONE, need * FIXED_ONE)
    n_points = (ends + uniform32[:, None]) // FIXED_ONE
    rounded: Table = low + np.diff(n_points, axis=1, prepend=0)
    return rounded


def repair_margins(
    table: Table, sizes: Ints, weights: Values, denominator: int, levels: Sequence[Ints]
) -> Table:
    """Move single rows between parts where stuck pairs have left totals off.

    First inside each coarser stratum whose counts are not its shares rounded, then among
    all strata, where the moves go to the coarser strata that they strain least.

    Parameters
    ----------
    table : ndarray of int64, shape (n_strata, n_parts)
        Every cell its exact share rounded down or up; changed in place.
    """
    finer: list[Ints] = []
    for level in [*levels, np.zeros(len(sizes), dtype=np.int64)]:
        excess = margin_excess(table, sizes, weights, denominator, level)
        ends = np.append(np.flatnonzero(np.diff(level)) + 1, len(level))
        for stratum in np.flatnonzero((np.abs(excess) >= 1).any(axis=1)):
            inside = slice(ends[stratum - 1] if stratum else 0, ends[stratum])
            finer_inside = [codes[inside] for codes in finer]
            table[inside] = repair_totals(
                table[inside], sizes[inside], weights, denominator, finer_inside
            )
        finer.append(level)
    return table


def repair_totals(
    table: Table, sizes: Ints, weights: Values, denominator: int, finer: Sequence[Ints]
) -> Table:
    """Move single rows between parts until every total is its share rounded.

    Parameters
    ----------
    table : ndarray of int64, shape (n_strata, n_parts)
        Every cell its exact share rounded down or up, which it stays.
    finer : sequence of ndarray of int, each of shape (n_strata,)
        Levels of coarser strata between the strata and the total, to be strained little.
    """
    minimum, maximum, _ = rounding_bounds(sizes.sum(keepdims=True), weights, denominator)
    low, high, _ = rounding_bounds(sizes, weights, denominator)
    totals = table.sum(axis=0, keepdims=True)
    while (over := totals > maximum).any() | (under := totals < minimum).any():
        # From a part with too many rows to one that can take them; if none has too many,
        # from one that can give to a part with too few. The exact shares are a flow within
        # the bounds, which are integers, so an integer flow and a path to it exist.
        givers = over if over.any() else totals > minimum
        takers = under if under.any() else totals < maximum
        can_give, can_take = table > low, table < high
        path = shortest_path(can_give.T @ can_take, givers[0], takers[0])
        if not path:
            msg = "no table of rounded shares exists: the shares do not sum to 1"
            raise ValueError(msg)
        for giver, taker in pairwise(path):
            strain = np.zeros(len(sizes))
            for level in finer:
                excess = margin_excess(table, sizes, weights, denominator, level)
                lengths = np.diff(run_starts(level), append=len(level))
                strain += np.repeat(excess[:, taker] - excess[:, giver], lengths)
            strain[~(can_give[:, giver] & can_take[:, taker])] = np.inf
            stratum = np.argmin(strain)
            table[stratum, giver] -= 1
            table[stratum, taker] += 1
        totals = table.sum(axis=0, keepdims=True)
    return table


def margin_excess(
    table: Table, sizes: Ints, weights: Values, denominator: int, level: Ints
) -> Values:
    """Compute by how many rows the counts of coarser strata are above their shares.

    Returns
    -------
    ndarray of float64, shape (n_coarser, n_parts)
    """
    starts = run_starts(level)
    low, fraction = floor_and_remainder(np.add.reduceat(sizes, starts), weights, denominator)
    return np.add.reduceat(table, starts) - low - divide(fraction, denominator)


def integer_weights(shares: Sequence[Fraction], total: int) -> tuple[Values, int]:
    """Put shares over a common denominator, in integers wide enough for `total` rows."""
    denominator = lcm(*(share.denominator for share in shares))
    fits_int64 = denominator * max(total, 1) < 1 << 62
    numerators = [int(share * denominator) for share in shares]
    return np.array(numerators, dtype=np.int64 if fits_int64 else object), denominator


def floor_and_remainder(sizes: Ints, weights: Values, denominator: int) -> tuple[Table, Values]:
    """Compute exact shares of stratum sizes: the whole rows, and the remaining fraction.

    Returns
    -------
    rows : ndarray of int64, shape (n_strata, n_parts)
    fraction : ndarray of int, shape (n_strata, n_parts), range 0..denominator-1
        In units of 1 / denominator.
    """
    product = sizes[:, None] * weights
    return (product // denominator).astype(np.int64), product % denominator


def rounding_bounds(sizes: Ints, weights: Values, denominator: int) -> tuple[Table, Table, Values]:
    """Round exact shares of stratum sizes down and up, and return the fraction as well."""
    low, fraction = floor_and_remainder(sizes, weights, denominator)
    return low, low + (fraction > 0), fraction


def divide(numerator: Values, denominator: Values | int) -> Values:
    """Divide nonnegative integers of any size to floats; 0 / 0 is 0."""
    quotient: Values = numerator.astype(float) / np.maximum(
        np.asarray(denominator).astype(float), 1.0
    )
    return quotient
