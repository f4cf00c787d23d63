"""Whole groups under the target table."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..deal import deal_by_table, smallest_dtype
from ..order import shuffled
from ..rounding import controlled_rounding, floor_and_remainder, integer_weights
from ..types import Ints
from .counts import UnitCounts, count_by_unit, part_table, self_loss, unique_rows
from .local_search import (
    Objective,
    Stream,
    greedy_assign,
    is_optimal,
    make_objective,
    sampled_local_search,
    total_loss,
)
from .small_search import FEW_UNITS, iterated_local_search, iterated_local_search_to_level

PERTURB_UP_TO, N_PERTURBATIONS, SHAKEN = 5_000, 8, 5
"""Units up to which a sampled search is shaken, how often, and one of how many units."""

SIZE_WEIGHTS = (10.0, 1e2, 1e3, 1e4, 1e6)
"""By how much more sizes count, step by step, where unequal parts miss theirs."""


def assign_groups(
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
    return assign_units(group_counts(group, n_groups, stratum, n_strata), shares, stream)


def group_counts(group: Ints, n_groups: int, stratum: Ints, n_strata: int) -> UnitCounts:
    """Count the strata of every group; the last column counts all its rows, its size."""
    sizes = np.full(len(group), n_strata)
    columns = np.concatenate([stratum, sizes])
    return count_by_unit(np.concatenate([group, group]), columns, n_groups, n_strata + 1)


def assign_units(units: UnitCounts, shares: Sequence[Fraction], stream: Stream) -> Ints:
    """Give every unit a part, so that all columns come close to their shares.

    Returns
    -------
    ndarray of int, shape (n_units,), range 0..n_parts-1
    """
    goal = make_objective(units.totals, np.array([float(share) for share in shares]))
    parts = deal_equal_units(units, shares, stream)
    greedy_assign(units, hardest_first(units, np.flatnonzero(parts < 0), goal, stream), goal, parts)
    search_further(units, goal, parts, stream)
    if len(set(shares)) > 1:
        parts = meet_part_sizes(units, goal, parts, stream)
    return permute_parts(parts, shares, stream)


def extend_units(
    units: UnitCounts, parts: Ints, k: int, stream: Stream, room: Ints | None = None
) -> Ints:
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
    goal, new = make_objective(units.totals, np.full(k, 1 / k)), np.flatnonzero(parts < 0)
    found = parts.astype(smallest_dtype(k))
    greedy_assign(units, hardest_first(units, new, goal, stream), goal, found, room)
    if room is None:
        search_from_perturbed(units, goal, found, stream, new)
    else:
        sampled_local_search(units, goal, found, stream, moves=False, movable=new)
    return found


def search_further(units: UnitCounts, goal: Objective, parts: Ints, stream: Stream) -> None:
    """Search on from a partition: through all changes of few units, or through samples.

    Parameters
    ----------
    parts : ndarray of int, shape (n_units,)
        Changed in place.
    """
    if len(parts) > FEW_UNITS:
        search_from_perturbed(units, goal, parts, stream, np.arange(len(parts)))
    elif (goal.shares == goal.shares[0]).all():
        iterated_local_search_to_level(units, goal, parts, stream)
    else:
        iterated_local_search(units, goal, parts, stream)


def search_from_perturbed(
    units: UnitCounts, goal: Objective, parts: Ints, stream: Stream, movable: Ints
) -> None:
    """Search through samples, and of units that are not many again from shaken partitions.

    Parameters
    ----------
    parts : ndarray of int, shape (n_units,)
        Changed in place.
    movable : ndarray of int, shape (n_movable,)
        The units that may change their part.
    """
    n_movable, n_parts = len(movable), len(goal.shares)
    sampled_local_search(units, goal, parts, stream, moves=True, movable=movable)
    best = total_loss(goal, part_table(units, parts, n_parts))
    for _ in range(N_PERTURBATIONS if 2 <= n_movable <= PERTURB_UP_TO else 0):
        if is_optimal(best, goal):
            break
        other, count = parts.copy(), max(2, n_movable // SHAKEN)
        unit, part = stream(2 * count).reshape(2, count)
        other[movable[unit % np.uint64(n_movable)]] = part % np.uint64(n_parts)
        sampled_local_search(units, goal, other, stream, moves=True, movable=movable)
        found = total_loss(goal, part_table(units, other, n_parts))
        if found < best:
            parts[:], best = other, found


def meet_part_sizes(units: UnitCounts, goal: Objective, parts: Ints, stream: Stream) -> Ints:
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
    last = units.indices == len(units.totals) - 1
    owners = np.repeat(np.arange(len(parts)), np.diff(units.indptr))
    sizes[owners[last]] = units.data[last]
    near = np.median(sizes) / 2
    for weight in SIZE_WEIGHTS:
        held = np.bincount(parts, sizes, minlength=len(goal.shares))
        if np.abs(held - goal.target[-1]).max() <= near:
            break
        scale = goal.scale.copy()
        scale[-1] *= weight
        heavy = goal._replace(scale=scale, lower_bound=0.0)
        anew = np.full_like(parts, -1)
        greedy_assign(
            units, hardest_first(units, np.arange(len(parts)), heavy, stream), heavy, anew
        )
        starts = (parts, anew)
        for start in starts:
            search_further(units, heavy, start, stream)
        parts = min(
            starts, key=lambda start: total_loss(heavy, part_table(units, start, len(held)))
        )
    return parts


def deal_equal_units(units: UnitCounts, shares: Sequence[Fraction], stream: Stream) -> Ints:
    """Deal units of equal counts to the parts, each its whole share of each kind.

    Returns
    -------
    ndarray of int, shape (n_units,), range -1..n_parts-1
        -1 for the units that are left over.
    """
    codes, sizes = unique_rows(units, stream(len(units.totals)))
    table, _ = floor_and_remainder(sizes, *integer_weights(shares, len(codes)))
    order = shuffled(codes, len(sizes), stream(len(codes)))
    parts = deal_by_table(order, np.column_stack([table, sizes - table.sum(axis=1)]))
    parts[parts == len(shares)] = -1
    return parts


def hardest_first(units: UnitCounts, left: Ints, goal: Objective, stream: Stream) -> Ints:
    """Order units by their own weight in the loss, equals by draws."""
    weight = self_loss(units, goal.scale)[left]
    return left[np.lexsort((stream(len(left)), -weight))]


def permute_parts(parts: Ints, shares: Sequence[Fraction], stream: Stream) -> Ints:
    """Draw new numbers for parts of equal shares, which then mean nothing."""
    if len(set(shares)) > 1:
        return parts
    return np.argsort(stream(len(shares)), kind="stable")[parts]


"""Many columns balanced at once, each on its own."""


def balance_rows(
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
    units = margin_counts(entries, np.arange(n_rows), n_rows, with_sizes=False)
    goal = make_objective(units.totals, np.array([float(share) for share in shares]))
    room = controlled_rounding(np.array([n_rows]), shares, [], stream(1))[0]
    parts = deal_equal_units(units, shares, stream)
    room = room - np.bincount(parts[parts >= 0], minlength=len(shares))
    greedy_assign(
        units, hardest_first(units, np.flatnonzero(parts < 0), goal, stream), goal, parts, room
    )
    sampled_local_search(units, goal, parts, stream, moves=False)
    return permute_parts(parts, shares, stream)


def balance_groups(
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
    return assign_units(margin_counts(entries, group, n_groups, with_sizes=True), shares, stream)


def margin_counts(
    entries: Sequence[tuple[Ints, int]], unit: Ints, n_units: int, *, with_sizes: bool
) -> UnitCounts:
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
    return count_by_unit(units, columns, n_units, n_columns)
