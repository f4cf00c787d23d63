"""Assign whole units to parts so that each part holds about its share of every count."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain

import numpy as np

from ..deal import smallest_dtype
from ..order import shuffle_within_rows, shuffled
from ..rounding import floor_and_remainder, numerators_of, round_total
from ..types import Ints, Parts, Values, Words
from .local_search import (
    Objective,
    Stream,
    greedy_assign,
    is_optimal,
    make_objective,
    sampled_local_search,
    total_loss,
)
from .small_search import (
    FEW_UNITS,
    UNEQUAL_PERTURBATIONS,
    iterated_local_search,
    iterated_local_search_to_level,
)
from .units import (
    UnitCounts,
    count_by_unit,
    counted_values,
    list_kinds,
    list_rows,
    merge_equal_units,
    n_entries,
    nonzero,
    number_columns,
    part_table,
    self_loss,
)

PERTURB_UP_TO = 5_000
"""The maximum number of units for which a sampled search is repeated from perturbed partitions."""

SAMPLED_PERTURBATIONS = 8
"""The number of perturbed partitions from which a sampled search is repeated."""

PERTURB_ONE_IN = 5
"""A perturbation changes up to one unit in this many, or two."""

LARGEST_BLOCK = 100
"""The maximum number of similar units in a block that is dealt at once."""

ONE_BY_ONE = 30_000
"""About the number of units that remain after blocks are dealt. They are dealt one by one, which
takes longer (docs/studies/tuning.py)."""

MOST_KINDS = 2
"""The number of joint values of all margins, for each row, up to which rows of equal values are
numbered by their joint value."""

SIZE_WEIGHTS = (10.0, 1e2, 1e3, 1e4, 1e6)
"""The weights of sizes in the loss, tried in turn until unequal parts have the right sizes.
docs/studies/tuning.py shows how the weights affect strata."""

WEIGHTED_WORK = 1_500_000
"""While sizes are wrong, perturbations of few units compute at most this many products. So this
search takes less than a second even if no partition has the right sizes."""

WORK_OF_CALLS = 3_000
"""The function calls of one perturbation take as long as this many products."""


def balance_rows(
    rows: UnitCounts, shares: Sequence[Fraction], stream: Stream, one_by_one: int = ONE_BY_ONE
) -> Ints:
    """Assign every row to a part so that each part holds about its share of every margin count.

    The size of each part is its exact share of the rows, rounded down or up.

    Source: Sechidis, Tsoumakas and Vlahavas (2011), On the stratification of multi-label data.
    """
    objective = make_objective(rows.totals, shares)
    room = round_total(rows.n_units, shares, stream(1))
    rows = merge_equal_units(rows, stream(len(rows.totals)))
    parts = deal_equal_units(rows, shares, stream)
    deal_similar_units(rows, parts, objective, shares, stream, one_by_one)
    room = room - np.bincount(parts[parts >= 0], minlength=len(shares))
    order = hardest_first(rows, np.flatnonzero(parts < 0), objective, stream)
    greedy_assign(rows, order, objective, parts, room)
    # Only swaps are tried, because the sizes are already right.
    sampled_local_search(rows, objective, parts, stream, moves=False)
    return permute_parts(parts, shares, stream)


def extend_units(
    units: UnitCounts, parts: Parts, shares: Values, stream: Stream, room: Ints | None = None
) -> Ints:
    """Assign a fold to each unit that has none; all other units keep their folds.

    `room` is the number of new units that each fold can take; by default there is no limit.
    """
    objective = make_objective(units.totals, shares)
    new = np.flatnonzero(parts < 0)
    extended = parts.astype(smallest_dtype(len(shares)))
    greedy_assign(units, hardest_first(units, new, objective, stream), objective, extended, room)
    if room is None:
        search_from_perturbed(units, objective, extended, stream, new)
        fill_empty_parts(units, objective, extended, stream, new)
    else:
        sampled_local_search(units, objective, extended, stream, moves=False, movable=new)
    return extended


def group_counts(
    group: Ints, n_groups: int, stratum: Ints, n_strata: int, weights: Ints | None = None
) -> UnitCounts:
    """Count the rows of each group in each stratum; the last column is the size of the group."""
    stratum = number_columns(group, stratum, n_groups, n_strata, weights)[stratum]
    sizes = np.full(len(group), n_strata)
    columns = np.concatenate([stratum, sizes])
    if weights is not None:
        weights = np.concatenate([weights, weights])
    return count_by_unit(np.concatenate([group, group]), columns, n_groups, n_strata + 1, weights)


def margin_counts(
    entries: Iterable[tuple[Ints, int]], unit: Ints, n_units: int, *, with_sizes: bool
) -> UnitCounts:
    """Count the rows of each unit with each value of each margin.

    For each margin, `entries` has the value of every row and the number of values. With
    `with_sizes`, which groups need, the last column is the number of rows of the unit. Without it,
    each row is a unit.
    """
    if with_sizes:
        return margin_counts_of_groups(entries, unit, n_units)
    remaining = iter(entries)
    read: list[tuple[Ints, int]] = []
    n_kinds = 1
    for codes, n_values in remaining:
        read.append((codes, n_values))
        n_kinds *= n_values
        if n_kinds > MOST_KINDS * n_units:
            return list_rows(chain(read, remaining), n_units)
    return list_kinds(read, n_kinds, n_units)


def margin_counts_of_groups(
    entries: Iterable[tuple[Ints, int]], group: Ints, n_groups: int
) -> UnitCounts:
    pairs: list[tuple[Ints, Ints]] = []
    n_columns = 0
    for codes, n_values in entries:
        numbers = number_columns(group, codes, n_groups, n_values)[codes]
        sizes = np.bincount(numbers, minlength=max(n_values, 2))
        groups, columns, sizes = counted_values(group, numbers, sizes)
        pairs.append((groups, columns + n_columns))
        n_columns += len(sizes)
    pairs.append((group, np.full(len(group), n_columns)))
    groups, columns = (np.concatenate(each) for each in zip(*pairs, strict=True))
    return count_by_unit(groups, columns, n_groups, n_columns + 1)


def assign_units(
    units: UnitCounts, shares: Sequence[Fraction], stream: Stream, one_by_one: int = ONE_BY_ONE
) -> Ints:
    """Assign every unit to a part so that each part holds about its share of every count.

    The last column of `units` holds the size of each unit. No part is empty if there are at least
    as many units as parts. Returns the parts, shape (n_units,), range 0..n_parts-1.
    """
    objective = make_objective(units.totals, shares)
    units = merge_equal_units(units, stream(len(units.totals)))
    parts = deal_equal_units(units, shares, stream)
    deal_similar_units(units, parts, objective, shares, stream, one_by_one)
    order = hardest_first(units, np.flatnonzero(parts < 0), objective, stream)
    greedy_assign(units, order, objective, parts)
    improve(units, objective, parts, stream)
    if len(set(shares)) > 1:
        parts = meet_part_sizes(units, objective, parts, stream)
    fill_empty_parts(units, objective, parts, stream, np.arange(len(parts)))
    return permute_parts(parts, shares, stream)


def deal_equal_units(units: UnitCounts, shares: Sequence[Fraction], stream: Stream) -> Ints:
    """Deal units with equal counts at random; each part gets its share of them, rounded down.

    The units that are left over have no part yet. The kinds of the units are known.
    """
    assert units.kinds is not None
    n_parts = len(shares)
    sizes = np.bincount(units.kinds)
    numerators, denominator = numerators_of(shares, units.n_units)
    # A kind of fewer units has less than one for each part; a table of all kinds can be too large.
    is_large = (sizes * numerators.max() >= denominator).astype(np.bool_)
    table, _ = floor_and_remainder(sizes[is_large], numerators, denominator)
    order = shuffled(units.kinds, len(sizes), stream(units.n_units))
    order = order[np.repeat(is_large, sizes)]
    quotas = np.column_stack([table, sizes[is_large] - table.sum(axis=1)])
    part_of_quota = np.append(np.arange(n_parts), -1).astype(smallest_dtype(n_parts))
    parts = np.full(units.n_units, -1, dtype=part_of_quota.dtype)
    parts[order] = np.repeat(np.tile(part_of_quota, len(table)), quotas.ravel())
    return parts


def deal_similar_units(
    units: UnitCounts,
    parts: Parts,
    objective: Objective,
    shares: Sequence[Fraction],
    stream: Stream,
    one_by_one: int,
) -> None:
    """Deal left-over units, if there are many, at random in blocks of similar units, in place.

    The last `one_by_one` units, or slightly more, remain without a part, and are dealt later. If
    they could not make up for the largest units, no unit is dealt here.
    """
    left = np.flatnonzero(parts < 0)
    numerators, size = numerators_of(shares, len(left))
    n_blocks = (len(left) - one_by_one) // size
    if n_blocks <= 0 or size > LARGEST_BLOCK:
        return
    # Half of the units that are dealt one by one are the hardest units, which spreads rare columns
    # evenly. The other half have the fewest columns, and can even out one column at a time.
    n_hardest = (len(left) - n_blocks * size) // 2
    others = hardest_first(units, left, objective, stream)[n_hardest:]
    n_columns = n_entries(units, others)
    most_columns_first = others[np.lexsort((stream(len(others)), -n_columns))]
    chosen = most_columns_first[: n_blocks * size]
    is_left = parts < 0
    is_left[chosen] = False
    if not can_even_out(units, np.flatnonzero(is_left), min(shares)):
        return
    words = similarity_words(units, stream(len(units.totals)))
    blocks = chosen[np.argsort(words[units.kinds_of(chosen)], kind="stable")].reshape(
        n_blocks, size
    )
    blocks = shuffle_within_rows(blocks, stream(blocks.size).reshape(blocks.shape))
    parts[blocks] = np.repeat(np.arange(len(shares)), numerators.astype(np.int64))


def can_even_out(units: UnitCounts, chosen: Ints, share: Fraction) -> bool:
    """Return whether the chosen units can make up for the largest unit in each column.

    Blocks give each part its share of a column. A part that also gets the largest unit can keep to
    its share only if the chosen units have at least as many rows for each part.
    """
    largest = np.ones(len(units.totals), dtype=np.int64)
    np.maximum.at(largest, units.indices, units.data)
    entries, _ = nonzero(units, chosen)
    rows = np.bincount(units.indices[entries], units.data[entries], minlength=len(largest))
    return bool((largest <= np.maximum(rows * float(share), 1)).all())


def similarity_words(units: UnitCounts, draws: Words) -> Words:
    """Return a 64-bit word for each kind of unit.

    The words sort units with the same frequent columns together. The draws, one for each column,
    break ties between columns.
    """
    # The bits of a word, from high to low, are for the 64 most frequent columns. A bit is 1 if the
    # unit has rows in the column. Sums of bits are exact modulo 2**64, as in `unique_rows`.
    order = np.lexsort((draws, -units.totals))[:64]
    bits = np.zeros(len(units.totals), dtype=np.uint64)
    bits[order] = np.uint64(1) << np.arange(63, 63 - len(order), -1, dtype=np.uint64)
    sums = np.zeros(len(units.indices) + 1, dtype=np.uint64)
    np.cumsum(bits[units.indices], out=sums[1:])
    return sums[units.indptr[1:]] - sums[units.indptr[:-1]]


def hardest_first(units: UnitCounts, chosen: Ints, objective: Objective, stream: Stream) -> Ints:
    """Sort units by their contribution to the loss, largest first, with ties in random order."""
    loss = self_loss(units, objective.scale)[units.kinds_of(chosen)]
    return chosen[np.lexsort((stream(len(chosen)), -loss))]


def improve(
    units: UnitCounts,
    objective: Objective,
    parts: Parts,
    stream: Stream,
    n_perturbations: int = UNEQUAL_PERTURBATIONS,
) -> None:
    """Improve a partition in place: try all changes of a few units, or random changes of many.

    Partitions of a few units into unequal parts are perturbed at most `n_perturbations` times.
    """
    if len(parts) > FEW_UNITS:
        search_from_perturbed(units, objective, parts, stream, np.arange(len(parts)))
    elif (objective.shares == objective.shares[0]).all():
        iterated_local_search_to_level(units, objective, parts, stream)
    else:
        iterated_local_search(units, objective, parts, stream, n_perturbations)


def search_from_perturbed(
    units: UnitCounts, objective: Objective, parts: Parts, stream: Stream, movable: Ints
) -> None:
    """Improve a partition in place by a sampled search and, if units are few, by further searches.

    The further searches start from perturbed copies. Only `movable` units change their part.
    """
    n_movable = len(movable)
    n_parts = len(objective.shares)
    sampled_local_search(units, objective, parts, stream, moves=True, movable=movable)
    if not 2 <= n_movable <= PERTURB_UP_TO:
        return
    best = total_loss(objective, part_table(units, parts, n_parts))
    for _ in range(SAMPLED_PERTURBATIONS):
        if is_optimal(best, objective):
            break
        perturbed = parts.copy()
        count = max(2, n_movable // PERTURB_ONE_IN)
        unit, part = stream(2 * count).reshape(2, count)
        perturbed[movable[unit % np.uint64(n_movable)]] = part % np.uint64(n_parts)
        sampled_local_search(units, objective, perturbed, stream, moves=True, movable=movable)
        loss = total_loss(objective, part_table(units, perturbed, n_parts))
        if loss < best:
            parts[:] = perturbed
            best = loss


def meet_part_sizes(units: UnitCounts, objective: Objective, parts: Parts, stream: Stream) -> Ints:
    """Repeat the search with larger weights until parts are off by at most half a median unit."""
    # Users who choose unequal shares want parts of this size, so sizes take precedence over strata.
    sizes = np.zeros(len(parts))
    entries, owners = nonzero(units, np.arange(len(parts)))
    is_size = units.indices[entries] == len(units.totals) - 1
    sizes[owners[is_size]] = units.data[entries[is_size]]
    tolerance = np.median(sizes) / 2
    n_units = len(parts)
    n_columns, n_parts = objective.target.shape
    work = WORK_OF_CALLS + n_units * (n_units + n_parts + 2 * n_columns)
    n_left = WEIGHTED_WORK // work
    for weight in SIZE_WEIGHTS:
        held = np.bincount(parts, sizes, minlength=n_parts)
        if np.abs(held - objective.target[-1]).max() <= tolerance:
            break
        scale = objective.scale.copy()
        scale[-1] *= weight
        heavier = objective._replace(scale=scale, lower_bound=0.0)
        # One search starts from the current partition, and the other from a new partition.
        afresh = np.full_like(parts, -1)
        order = hardest_first(units, np.arange(len(parts)), heavier, stream)
        greedy_assign(units, order, heavier, afresh)
        for each in (parts, afresh):
            n_perturbations = min(UNEQUAL_PERTURBATIONS, n_left)
            improve(units, heavier, each, stream, n_perturbations)
            n_left -= n_perturbations
        losses = [total_loss(heavier, part_table(units, p, n_parts)) for p in (parts, afresh)]
        parts = afresh if losses[1] < losses[0] else parts
    return parts


def fill_empty_parts(
    units: UnitCounts, objective: Objective, parts: Parts, stream: Stream, movable: Ints
) -> None:
    """Fill each empty part with the unit whose move increases the loss least, in place.

    Only `movable` units change their part; ties are broken at random.
    """
    shares = objective.shares
    n_parts = len(shares)
    empty = np.flatnonzero(np.bincount(parts, minlength=n_parts) == 0)
    if not len(empty):
        return
    every = np.arange(len(parts))
    entries, owners = nonzero(units, every)
    columns = units.indices[entries]
    scaled = units.data[entries] * objective.scale[columns]
    norms = self_loss(units, objective.scale)[units.kinds_of(every)]
    ties = stream(len(parts))
    for part in empty:
        free = movable[np.bincount(parts)[parts[movable]] > 1]
        if not len(free):
            break
        # The increase in loss due to a move, as in `best_change`, with both products in one sum.
        ratio = (part_table(units, parts, n_parts) - objective.target) / shares
        apart = ratio[columns, parts[owners]] - ratio[columns, part]
        rise = norms * (1 / shares[parts] + 1 / shares[part])
        rise -= 2 * np.bincount(owners, scaled * apart, minlength=len(parts))
        parts[free[np.lexsort((ties[free], rise[free]))[0]]] = part
    sampled_local_search(units, objective, parts, stream, moves=False, movable=movable)


def permute_parts(parts: Parts, shares: Sequence[Fraction], stream: Stream) -> Ints:
    """If all shares are equal, renumber parts at random so that the parts are exchangeable."""
    if len(set(shares)) > 1:
        return parts
    return np.argsort(stream(len(shares)), kind="stable")[parts]
