"""Unequal parts: a table whose every cell and every total is an exact share rounded."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm

import numpy as np

from .flow import shortest_path
from .types import Draws, Flags, Ints, Table, Values

HALF = 1 << 31


ONE = 1 << 32
"""Fixed-point one of the sampling below."""


def controlled_rounding(
    sizes: Ints, shares: Sequence[Fraction], levels: Sequence[Ints], draws: Draws | None
) -> Table:
    """Share every stratum out to unequal parts: each cell its share, rounded down or up.

    Neighbouring strata are joined in pairs, first inside the finest level of nesting,
    then inside the next, up to the whole frame. The whole is rounded first; then each
    pair hands its counts down to its two halves, so that a half's count too is its
    exact share rounded down or up. So not only every cell and every part's total are
    exact shares rounded, but those of the coarser strata as well. With four parts and
    more a pair now and then has no such halves: it is rounded on its own, and the
    totals are mended at the end.

    Parameters
    ----------
    sizes : ndarray of int, shape (n_strata,)
    levels : sequence of ndarray of int, each of shape (n_strata,), nondecreasing
        For each level of nesting, finest first, the coarser stratum of every stratum.
    draws : ndarray of uint64, shape (n_strata,), optional
        What rounds up is drawn with the chance that its fraction asks for; without
        draws it is the middle one of the possible ones.

    Returns
    -------
    ndarray of int64, shape (n_strata, n_parts)

    References
    ----------
    Cox (1987), A constructive procedure for unbiased controlled rounding.
    """
    share, whole = integer_weights(shares, int(sizes.sum()))
    spare = (
        np.full(len(sizes), HALF) if draws is None else (draws >> np.uint64(32)).astype(np.int64)
    )
    tree = list(pairing_tree(sizes, levels))
    total = sizes.sum(keepdims=True)
    low, fraction = floor_and_remainder(total, share, whole)
    table = systematic_round(
        low, low + (fraction > 0), total, probabilities(fraction, whole), spare[:1]
    )
    used = 1
    for opens, below in reversed(tree):
        pairs = len(below) - len(table)
        table = split_margins(table, opens, below, share, whole, spare[used : used + pairs])
        used += pairs
    return repair_margins(table, sizes, share, whole, levels)


def pairing_tree(sizes: Ints, levels: Sequence[Ints]) -> Iterator[tuple[Flags, Ints]]:
    """Join neighbouring strata in pairs, level by level, until one node is left.

    Parameters
    ----------
    sizes : ndarray of int, shape (n_strata,)

    Yields
    ------
    opens : ndarray of bool, shape (n_nodes,)
        True for the nodes that open a pair or stay alone.
    sizes : ndarray of int, shape (n_nodes,)
        Rows of the nodes that are joined.
    """
    for depth in range(len(levels) + 1):
        groups = list(levels[depth:]) or [np.zeros(len(sizes), dtype=np.int64)]
        while len(sizes) > len(starts := np.flatnonzero(np.diff(groups[0], prepend=-1))):
            place = np.arange(len(sizes)) - np.repeat(starts, np.diff(starts, append=len(sizes)))
            opens = place % 2 == 0
            yield opens, sizes
            sizes = np.add.reduceat(sizes, np.flatnonzero(opens))
            levels = [level[opens] for level in levels]
            groups = [level[opens] for level in groups]


def split_margins(
    above: Table, opens: Flags, sizes: Ints, share: Values, whole: int, spare: Ints
) -> Table:
    """Divide the counts of joined pairs between their two halves.

    Parameters
    ----------
    above : ndarray of int64, shape (n_joined, n_parts)
        Counts of the joined nodes.
    spare : ndarray of int, shape (n_pairs,), range 0..2**32-1

    Returns
    -------
    ndarray of int64, shape (n_nodes, n_parts)
    """
    table: Table = above[np.cumsum(opens) - 1]
    right = np.flatnonzero(~opens)
    left = right - 1
    both = table[left]
    low, fraction = floor_and_remainder(sizes[left], share, whole)
    other_low, other_fraction = floor_and_remainder(sizes[right], share, whole)
    high, other_high = low + (fraction > 0), other_low + (other_fraction > 0)
    # The other half too must get its share rounded down or up.
    least, most = np.maximum(low, both - other_high), np.minimum(high, both - other_low)
    fits = (least <= most).all(axis=1)
    fits &= (least.sum(axis=1) <= sizes[left]) & (sizes[left] <= most.sum(axis=1))
    carry = fraction + other_fraction
    chance = np.where(
        carry < whole,
        probabilities(fraction, carry),
        probabilities(whole - other_fraction, 2 * whole - carry),
    )
    stuck = ~fits
    least[stuck], most[stuck] = low[stuck], high[stuck]
    chance[stuck] = probabilities(fraction[stuck], whole)
    table[left] = systematic_round(least, most, sizes[left], chance, spare)
    table[right] = both - table[left]
    table[right[stuck]] = systematic_round(
        other_low[stuck],
        other_high[stuck],
        sizes[right[stuck]],
        probabilities(other_fraction[stuck], whole),
        spare[stuck],
    )
    return table


def systematic_round(low: Table, high: Table, sizes: Ints, chance: Values, spare: Ints) -> Table:
    """Round each row of a table up in so many cells that it has the right sum.

    The cells are a systematic sample: the chances are scaled to the number wanted and
    laid end to end, and every cell that holds a point `spare` + 1, 2, ... goes up.
    All in fixed point, so that every platform rounds alike.

    Parameters
    ----------
    low, high : ndarray of int64, shape (n, n_parts)
        At most 1 apart.
    sizes : ndarray of int, shape (n,)
        Wanted sums.
    chance : ndarray of float64, shape (n, n_parts), range 0..1
        Of rounding up, where `high` is above `low`.
    spare : ndarray of int, shape (n,), range 0..2**32-1
        Random, or a half.

    Returns
    -------
    ndarray of int64, shape (n, n_parts)

    References
    ----------
    Madow (1949), On the theory of systematic sampling, II.
    """
    free = high > low
    n_free = free.sum(axis=1, keepdims=True)
    need = sizes[:, None] - low.sum(axis=1, keepdims=True)
    chance = np.where(free, chance, 0.0)
    sums = chance.sum(axis=1, keepdims=True)
    tiny = np.finfo(float).tiny
    shrunk = chance * (need / np.maximum(sums, tiny))
    grown = 1 - (1 - chance) * ((n_free - need) / np.maximum(n_free - sums, tiny))
    scaled = np.where(free, np.where(sums > need, shrunk, grown), 0.0)
    ends = np.cumsum(np.rint(scaled * ONE).astype(np.int64), axis=1)
    after = n_free - np.cumsum(free, axis=1)
    ends = np.clip(ends, (need - after) * ONE, need * ONE)
    points = (ends + spare[:, None]) // ONE
    rounded: Table = low + np.diff(points, axis=1, prepend=0)
    return rounded


"""Exact shares of stratum sizes, in whole numbers."""


def integer_weights(shares: Sequence[Fraction], total: int) -> tuple[Values, int]:
    """Put shares over a common denominator, in integers wide enough for `total` rows."""
    denominator = lcm(*(share.denominator for share in shares))
    fits = denominator * max(total, 1) < 1 << 62
    numerators = [int(share * denominator) for share in shares]
    return np.array(numerators, dtype=np.int64 if fits else object), denominator


def floor_and_remainder(sizes: Ints, share: Values, whole: int) -> tuple[Table, Values]:
    """Compute exact shares of stratum sizes: the whole rows, and the fraction left.

    Parameters
    ----------
    sizes : ndarray of int, shape (n_strata,)
    share : ndarray of int, shape (n_parts,)
        Parts' weights.

    Returns
    -------
    rows : ndarray of int64, shape (n_strata, n_parts)
    fraction : ndarray of int, shape (n_strata, n_parts), range 0..whole-1
        In units of 1 / whole.
    """
    product = sizes[:, None] * share
    return (product // whole).astype(np.int64), product % whole


def probabilities(numerator: Values, denominator: Values | int) -> Values:
    """Divide, elementwise, to chances in floats; 0/0 is 0."""
    below: Values = np.maximum(np.asarray(denominator).astype(float), 1.0)
    found: Values = numerator.astype(float) / below
    return found


"""Single rows moved between parts, where a table of rounded shares has totals that are off."""


def repair_margins(
    table: Table, sizes: Ints, share: Values, whole: int, levels: Sequence[Ints]
) -> Table:
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
        excess = margin_excess(table, sizes, share, whole, level)
        ends = np.append(np.flatnonzero(np.diff(level)) + 1, len(level))
        for stratum in np.flatnonzero((np.abs(excess) >= 1).any(axis=1)):
            inside = slice(ends[stratum - 1] if stratum else 0, ends[stratum])
            within = [each[inside] for each in finer]
            table[inside] = repair_totals(table[inside], sizes[inside], share, whole, within)
        finer.append(level)
    return table


def margin_excess(table: Table, sizes: Ints, share: Values, whole: int, level: Ints) -> Values:
    """Compute by how many rows the counts of coarser strata are above their shares."""
    starts = np.flatnonzero(np.diff(level, prepend=-1))
    low, fraction = floor_and_remainder(np.add.reduceat(sizes, starts), share, whole)
    return np.add.reduceat(table, starts) - low - probabilities(fraction, whole)


def repair_totals(
    table: Table, sizes: Ints, share: Values, whole: int, finer: Sequence[Ints]
) -> Table:
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
    least, fraction = floor_and_remainder(sizes.sum(keepdims=True), share, whole)
    most = least + (fraction > 0)
    low, fraction = floor_and_remainder(sizes, share, whole)
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
                excess = margin_excess(table, sizes, share, whole, level)
                runs = np.diff(np.append(np.flatnonzero(np.diff(level, prepend=-1)), len(level)))
                strain += np.repeat(excess[:, taker] - excess[:, giver], runs)
            strain[~(can_give[:, giver] & can_take[:, taker])] = np.inf
            stratum = np.argmin(strain)
            table[stratum, giver] -= 1
            table[stratum, taker] += 1
        totals = table.sum(axis=0, keepdims=True)
    return table
