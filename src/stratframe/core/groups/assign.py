"""Whole groups under the target table."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..deal import smallest, spend
from ..order import shuffled
from ..rounding import exact, unequal, weights
from ..types import Ints
from .counts import Units, gather, hardness, kinds, table_of
from .local_search import Goal, Stream, goal_of, is_least, loss, place, polish
from .small_search import SMALL, explore, explore_alike

FEW, SHAKES, SHAKEN = 5_000, 8, 5
"""Units up to which a sampled search is shaken, how often, and one of how many units."""

SIZE_WEIGHTS = (10.0, 1e2, 1e3, 1e4, 1e6)
"""By how much more sizes count, step by step, where unequal parts miss theirs."""


def whole_groups(
    group: Ints,
    n_groups: int,
    stratum: Ints,
    n_strata: int,
    shares: Sequence[Fraction],
    stream: Stream,
) -> Ints:
    """Give every group a part, so that strata and sizes come close to their shares.

    Parameters
    ----------
    group : ndarray of int, shape (n_rows,), range 0..n_groups-1
    stratum : ndarray of int, shape (n_rows,), range 0..n_strata-1

    Returns
    -------
    ndarray of int, shape (n_groups,), range 0..n_parts-1
    """
    return search(group_units(group, n_groups, stratum, n_strata), shares, stream)


def group_units(group: Ints, n_groups: int, stratum: Ints, n_strata: int) -> Units:
    """Count the strata of every group; the last column counts all its rows, its size."""
    sizes = np.full(len(group), n_strata)
    columns = np.concatenate([stratum, sizes])
    return gather(np.concatenate([group, group]), columns, n_groups, n_strata + 1)


def search(units: Units, shares: Sequence[Fraction], stream: Stream) -> Ints:
    """Give every unit a part, so that all columns come close to their shares.

    Returns
    -------
    ndarray of int, shape (n_units,), range 0..n_parts-1
    """
    goal = goal_of(units.totals, np.array([float(share) for share in shares]))
    parts = deal_evenly(units, shares, stream)
    place(units, hardest_first(units, np.flatnonzero(parts < 0), goal, stream), goal, parts)
    improve(units, goal, parts, stream)
    if len(set(shares)) > 1:
        parts = of_right_size(units, goal, parts, stream)
    return renumbered(parts, shares, stream)


def join(units: Units, parts: Ints, k: int, stream: Stream, room: Ints | None = None) -> Ints:
    """Give a fold to the units that have none yet; the others keep theirs.

    Parameters
    ----------
    parts : ndarray of int, shape (n_units,), range -1..k-1
    room : ndarray of int, shape (k,), optional
        How many new units each fold takes.

    Returns
    -------
    ndarray of int, shape (n_units,), range 0..k-1
    """
    goal, new = goal_of(units.totals, np.full(k, 1 / k)), np.flatnonzero(parts < 0)
    found = parts.astype(smallest(k))
    place(units, hardest_first(units, new, goal, stream), goal, found, room)
    if room is None:
        shake(units, goal, found, stream, new)
    else:
        polish(units, goal, found, stream, moves=False, movable=new)
    return found


def improve(units: Units, goal: Goal, parts: Ints, stream: Stream) -> None:
    """Search on from a partition: through all changes of few units, or through samples.

    Parameters
    ----------
    parts : ndarray of int, shape (n_units,)
        Changed in place.
    """
    if len(parts) > SMALL:
        shake(units, goal, parts, stream, np.arange(len(parts)))
    elif (goal.shares == goal.shares[0]).all():
        explore_alike(units, goal, parts, stream)
    else:
        explore(units, goal, parts, stream)


def shake(units: Units, goal: Goal, parts: Ints, stream: Stream, movable: Ints) -> None:
    """Search through samples, and of units that are not many again from shaken partitions.

    Parameters
    ----------
    parts : ndarray of int, shape (n_units,)
        Changed in place.
    movable : ndarray of int, shape (n_movable,)
        The units that may change their part.
    """
    n_movable, n_parts = len(movable), len(goal.shares)
    polish(units, goal, parts, stream, moves=True, movable=movable)
    best = loss(goal, table_of(units, parts, n_parts))
    for _ in range(SHAKES if 2 <= n_movable <= FEW else 0):
        if is_least(best, goal):
            break
        other, count = parts.copy(), max(2, n_movable // SHAKEN)
        unit, part = stream(2 * count).reshape(2, count)
        other[movable[unit % np.uint64(n_movable)]] = part % np.uint64(n_parts)
        polish(units, goal, other, stream, moves=True, movable=movable)
        found = loss(goal, table_of(units, other, n_parts))
        if found < best:
            parts[:], best = other, found


def of_right_size(units: Units, goal: Goal, parts: Ints, stream: Stream) -> Ints:
    """Search on with sizes that count more and more, until they are met within a unit.

    Parts of unequal shares are asked for by their size, so that it goes before strata.
    Each time one search goes on, and one starts anew.

    Parameters
    ----------
    parts : ndarray of int, shape (n_units,)

    Returns
    -------
    ndarray of int, shape (n_units,)
    """
    sizes = np.zeros(len(parts))
    last = units.columns == len(units.totals) - 1
    owners = np.repeat(np.arange(len(parts)), np.diff(units.starts))
    sizes[owners[last]] = units.counts[last]
    near = np.median(sizes) / 2
    for weight in SIZE_WEIGHTS:
        held = np.bincount(parts, sizes, minlength=len(goal.shares))
        if np.abs(held - goal.target[-1]).max() <= near:
            break
        scale = goal.scale.copy()
        scale[-1] *= weight
        heavy = goal._replace(scale=scale, least=0.0)
        anew = np.full_like(parts, -1)
        place(units, hardest_first(units, np.arange(len(parts)), heavy, stream), heavy, anew)
        starts = (parts, anew)
        for start in starts:
            improve(units, heavy, start, stream)
        parts = min(starts, key=lambda start: loss(heavy, table_of(units, start, len(held))))
    return parts


def deal_evenly(units: Units, shares: Sequence[Fraction], stream: Stream) -> Ints:
    """Deal units of equal counts to the parts, each its whole share of each kind.

    Returns
    -------
    ndarray of int, shape (n_units,), range -1..n_parts-1
        -1 for the units that are left over.
    """
    codes, sizes = kinds(units, stream(len(units.totals)))
    table, _ = exact(sizes, *weights(shares, len(codes)))
    order = shuffled(codes, len(sizes), stream(len(codes)))
    parts = spend(order, np.column_stack([table, sizes - table.sum(axis=1)]))
    parts[parts == len(shares)] = -1
    return parts


def hardest_first(units: Units, left: Ints, goal: Goal, stream: Stream) -> Ints:
    """Order units by their own weight in the loss, equals by draws."""
    weight = hardness(units, goal.scale)[left]
    return left[np.lexsort((stream(len(left)), -weight))]


def renumbered(parts: Ints, shares: Sequence[Fraction], stream: Stream) -> Ints:
    """Draw new numbers for parts of equal shares, which then mean nothing."""
    if len(set(shares)) > 1:
        return parts
    return np.argsort(stream(len(shares)), kind="stable")[parts]


"""Many columns balanced at once, each on its own."""


def balanced_rows(
    entries: Sequence[tuple[Ints, int]], n_rows: int, shares: Sequence[Fraction], stream: Stream
) -> Ints:
    """Give every row a part, so that each entry's values come close to their shares.

    The sizes of the parts are exact shares, rounded down or up.

    Parameters
    ----------
    entries : sequence of (codes, n_values)
        Of each entry the value of every row, shape (n_rows,), range 0..n_values-1.

    Returns
    -------
    ndarray of int, shape (n_rows,), range 0..n_parts-1

    References
    ----------
    Sechidis, Tsoumakas and Vlahavas (2011), On the stratification of multi-label data.
    """
    units = units_of(entries, np.arange(n_rows), n_rows, with_sizes=False)
    goal = goal_of(units.totals, np.array([float(share) for share in shares]))
    room = unequal(np.array([n_rows]), shares, [], stream(1))[0]
    parts = deal_evenly(units, shares, stream)
    room = room - np.bincount(parts[parts >= 0], minlength=len(shares))
    place(units, hardest_first(units, np.flatnonzero(parts < 0), goal, stream), goal, parts, room)
    polish(units, goal, parts, stream, moves=False)
    return renumbered(parts, shares, stream)


def balanced_groups(
    entries: Sequence[tuple[Ints, int]],
    group: Ints,
    n_groups: int,
    shares: Sequence[Fraction],
    stream: Stream,
) -> Ints:
    """Give every group a part, so that each entry's values and sizes come close to their shares.

    Parameters
    ----------
    group : ndarray of int, shape (n_rows,), range 0..n_groups-1

    Returns
    -------
    ndarray of int, shape (n_groups,), range 0..n_parts-1
    """
    return search(units_of(entries, group, n_groups, with_sizes=True), shares, stream)


def units_of(
    entries: Sequence[tuple[Ints, int]], unit: Ints, n_units: int, *, with_sizes: bool
) -> Units:
    """Count the values of every unit; of an entry of two values only the rarer one.

    The other one is as even as it and the sizes are.
    """
    pairs: list[tuple[Ints, Ints]] = []
    n_columns = 0
    for codes, n_values in entries:
        if n_values > 2:
            pairs.append((unit, codes + n_columns))
            n_columns += n_values
            continue
        sizes = np.bincount(codes, minlength=2)
        rows = np.flatnonzero(codes == sizes.argmin())
        pairs.append((unit[rows], np.full(len(rows), n_columns)))
        n_columns += 1
    if with_sizes:
        pairs.append((unit, np.full(len(unit), n_columns)))
        n_columns += 1
    units, columns = (np.concatenate(each) for each in zip(*pairs, strict=True))
    return gather(units, columns, n_units, n_columns)
