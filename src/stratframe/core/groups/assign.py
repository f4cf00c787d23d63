"""Parts for whole units, so that every column of their counts comes close to its shares."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from ..deal import deal_by_table, smallest_dtype
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
    entry_units,
    number_columns,
    part_table,
    self_loss,
    unique_rows,
)

PERTURB_UP_TO, SAMPLED_PERTURBATIONS, PERTURB_ONE_IN = 5_000, 8, 5
"""The maximum number of units for which a sampled search is perturbed, how often it is perturbed,
and n if one unit in n is perturbed each time."""

ONE_BY_ONE, LARGEST_BLOCK = 30_000, 100
"""The number of units that are dealt one by one after blocks of similar units, and the maximum size
of such a block. Dealing more units one by one takes longer (docs/studies/tuning.py)."""

SIZE_WEIGHTS = (10.0, 1e2, 1e3, 1e4, 1e6)
"""The factors by which sizes count more, step by step, where unequal parts miss their sizes.
docs/studies/tuning.py shows the effect on strata."""


WEIGHTED_WORK, WORK_OF_CALLS = 1_500_000, 3_000
"""The maximum number of products of units that are computed to perturb few units where sizes are
missed, and the number of products that the calls of one perturbation count as. The limit keeps the
search below a second, because there may be no partition that meets the sizes."""


def balance_rows(
    rows: UnitCounts, shares: Sequence[Fraction], stream: Stream, one_by_one: int = ONE_BY_ONE
) -> Ints:
    """Give every row a part, so that margins come close to their shares.

    The sizes of the parts are exact shares, rounded down or up.

    Source: Sechidis, Tsoumakas and Vlahavas (2011), On the stratification of multi-label data.
    """
    objective = make_objective(rows.totals, shares)
    room = round_total(len(rows.indptr) - 1, shares, stream(1))
    parts = deal_equal_units(rows, shares, stream)
    deal_similar_units(rows, parts, objective, shares, stream, one_by_one)
    room = room - np.bincount(parts[parts >= 0], minlength=len(shares))
    order = hardest_first(rows, np.flatnonzero(parts < 0), objective, stream)
    greedy_assign(rows, order, objective, parts, room)
    # Swaps only: the sizes are right already.
    sampled_local_search(rows, objective, parts, stream, moves=False)
    return permute_parts(parts, shares, stream)


def extend_units(
    units: UnitCounts, parts: Parts, shares: Values, stream: Stream, room: Ints | None = None
) -> Ints:
    """Give a fold to the units that have none yet; the others keep theirs.

    `room` is the number of new units that each fold can take; without it there is no limit.
    """
    objective, new = make_objective(units.totals, shares), np.flatnonzero(parts < 0)
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
    """Count the rows of every group in each stratum; the last column is the size of the group."""
    stratum = number_columns(group, stratum, n_groups, n_strata, weights)[stratum]
    sizes = np.full(len(group), n_strata)
    columns = np.concatenate([stratum, sizes])
    if weights is not None:
        weights = np.concatenate([weights, weights])
    return count_by_unit(np.concatenate([group, group]), columns, n_groups, n_strata + 1, weights)


def margin_counts(
    entries: Iterable[tuple[Ints, int]], unit: Ints, n_units: int, *, with_sizes: bool
) -> UnitCounts:
    """Count the values of every unit, and if `with_sizes`, its rows in a last column.

    Groups need sizes. For each margin `entries` gives every row's value and the number of values.
    """
    pairs: list[tuple[Ints, Ints]] = []
    n_columns = 0
    for codes, n_values in entries:
        if with_sizes:
            codes = number_columns(unit, codes, n_units, n_values)[codes]
        if n_values > 2:
            pairs.append((unit, codes + n_columns))
            n_columns += n_values
            continue
        # Of two values only the rarer is counted: together with the sizes it determines the other.
        sizes = np.bincount(codes, minlength=2)
        rows = np.flatnonzero(codes == sizes.argmin())
        pairs.append((unit[rows], np.full(len(rows), n_columns)))
        n_columns += 1
    if with_sizes:
        pairs.append((unit, np.full(len(unit), n_columns)))
        n_columns += 1
    units, columns = (np.concatenate(each) for each in zip(*pairs, strict=True))
    return count_by_unit(units, columns, n_units, n_columns)


def assign_units(units: UnitCounts, shares: Sequence[Fraction], stream: Stream) -> Ints:
    """Give every unit a part, so that all columns come close to their shares.

    The last column is the size of the units. No part is empty if there are at least as many units
    as parts. Returns the parts, shape (n_units,), range 0..n_parts-1.
    """
    objective = make_objective(units.totals, shares)
    parts = deal_equal_units(units, shares, stream)
    order = hardest_first(units, np.flatnonzero(parts < 0), objective, stream)
    greedy_assign(units, order, objective, parts)
    improve(units, objective, parts, stream)
    if len(set(shares)) > 1:
        parts = meet_part_sizes(units, objective, parts, stream)
    fill_empty_parts(units, objective, parts, stream, np.arange(len(parts)))
    return permute_parts(parts, shares, stream)


def deal_equal_units(units: UnitCounts, shares: Sequence[Fraction], stream: Stream) -> Ints:
    """Deal units with equal counts at random; each part gets its share of them, rounded down.

    Units that are left over have no part yet.
    """
    codes, sizes = unique_rows(units, stream(len(units.totals)))
    table, _ = floor_and_remainder(sizes, *numerators_of(shares, len(codes)))
    order = shuffled(codes, len(sizes), stream(len(codes)))
    parts = deal_by_table(order, np.column_stack([table, sizes - table.sum(axis=1)]))
    parts[parts == len(shares)] = -1
    return parts


def deal_similar_units(
    units: UnitCounts,
    parts: Parts,
    objective: Objective,
    shares: Sequence[Fraction],
    stream: Stream,
    one_by_one: int,
) -> None:
    """Deal most left-over units, if there are many, at random in blocks of similar units, in place.

    The units that then still have no part are to be dealt one by one.
    """
    left = np.flatnonzero(parts < 0)
    numerators, size = numerators_of(shares, len(left))
    n_blocks = (len(left) - one_by_one) // size
    if n_blocks <= 0 or size > LARGEST_BLOCK:
        return
    # Half of the units that are left to be dealt one by one are the hardest, which even out rare
    # columns; the other half have the fewest columns, and then even out one column after another.
    n_hardest = (len(left) - n_blocks * size) // 2
    others = hardest_first(units, left, objective, stream)[n_hardest:]
    n_entries = np.diff(units.indptr)[others]
    chosen = others[np.lexsort((stream(len(others)), -n_entries))[: n_blocks * size]]
    words = similarity_words(units, stream(len(units.totals)))
    blocks = chosen[np.argsort(words[chosen], kind="stable")].reshape(n_blocks, size)
    blocks = shuffle_within_rows(blocks, stream(blocks.size).reshape(blocks.shape))
    parts[blocks] = np.repeat(np.arange(len(shares)), numerators.astype(np.int64))


def similarity_words(units: UnitCounts, draws: Words) -> Words:
    """Encode units as words that sort units with the same frequent columns next to each other.

    One draw for each column breaks ties between columns.
    """
    # The bits, from high to low, stand for the 64 most frequent columns; each is set if a unit has
    # its column. Sums of these bits are exact modulo 2**64, as in `unique_rows`.
    order = np.lexsort((draws, -units.totals))[:64]
    bits = np.zeros(len(units.totals), dtype=np.uint64)
    bits[order] = np.uint64(1) << np.arange(63, 63 - len(order), -1, dtype=np.uint64)
    sums = np.zeros(len(units.indices) + 1, dtype=np.uint64)
    np.cumsum(bits[units.indices], out=sums[1:])
    return sums[units.indptr[1:]] - sums[units.indptr[:-1]]


def hardest_first(units: UnitCounts, chosen: Ints, objective: Objective, stream: Stream) -> Ints:
    """Order units by what each alone adds to the loss, largest first, with ties at random."""
    loss = self_loss(units, objective.scale)[chosen]
    return chosen[np.lexsort((stream(len(chosen)), -loss))]


def improve(
    units: UnitCounts,
    objective: Objective,
    parts: Parts,
    stream: Stream,
    n_perturbations: int = UNEQUAL_PERTURBATIONS,
) -> None:
    """Improve a partition in place, by trying all changes of few units or samples of changes.

    Partitions of few units into unequal parts are perturbed at most `n_perturbations` times.
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
    """Search by samples of changes, and from perturbed partitions if there are not many units.

    Only the movable units change their part, in place.
    """
    n_movable, n_parts = len(movable), len(objective.shares)
    sampled_local_search(units, objective, parts, stream, moves=True, movable=movable)
    best = total_loss(objective, part_table(units, parts, n_parts))
    n_perturbations = SAMPLED_PERTURBATIONS if 2 <= n_movable <= PERTURB_UP_TO else 0
    for _ in range(n_perturbations):
        if is_optimal(best, objective):
            break
        perturbed, count = parts.copy(), max(2, n_movable // PERTURB_ONE_IN)
        unit, part = stream(2 * count).reshape(2, count)
        perturbed[movable[unit % np.uint64(n_movable)]] = part % np.uint64(n_parts)
        sampled_local_search(units, objective, perturbed, stream, moves=True, movable=movable)
        loss = total_loss(objective, part_table(units, perturbed, n_parts))
        if loss < best:
            parts[:], best = perturbed, loss


def meet_part_sizes(units: UnitCounts, objective: Objective, parts: Parts, stream: Stream) -> Ints:
    """Search again with sizes that count more and more, until they are met within half a unit."""
    # Users who ask for unequal shares ask for sizes, so sizes take precedence over strata.
    sizes = np.zeros(len(parts))
    is_size = units.indices == len(units.totals) - 1
    sizes[entry_units(units)[is_size]] = units.data[is_size]
    tolerance = np.median(sizes) / 2
    n_units, (n_columns, n_parts) = len(parts), objective.target.shape
    work = WORK_OF_CALLS + n_units * (n_units + n_parts + 2 * n_columns)
    n_left = WEIGHTED_WORK // work
    for weight in SIZE_WEIGHTS:
        held = np.bincount(parts, sizes, minlength=n_parts)
        if np.abs(held - objective.target[-1]).max() <= tolerance:
            break
        scale = objective.scale.copy()
        scale[-1] *= weight
        heavier = objective._replace(scale=scale, lower_bound=0.0)
        # One search goes on from the partition so far, and one starts afresh.
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
    """Move a unit from a part with several units to each empty part, at the least loss, in place.

    Only the movable units change their part; ties are broken at random.
    """
    shares, n_parts = objective.shares, len(objective.shares)
    empty = np.flatnonzero(np.bincount(parts, minlength=n_parts) == 0)
    if not len(empty):
        return
    owners, scaled = entry_units(units), units.data * objective.scale[units.indices]
    norms, ties = self_loss(units, objective.scale), stream(len(parts))
    for part in empty:
        free = movable[np.bincount(parts)[parts[movable]] > 1]
        if not len(free):
            break
        # The rise in loss of a move as in `best_change`, with its two products in one sum.
        ratio = (part_table(units, parts, n_parts) - objective.target) / shares
        apart = ratio[units.indices, parts[owners]] - ratio[units.indices, part]
        rise = norms * (1 / shares[parts] + 1 / shares[part])
        rise -= 2 * np.bincount(owners, scaled * apart, minlength=len(parts))
        parts[free[np.lexsort((ties[free], rise[free]))[0]]] = part
    sampled_local_search(units, objective, parts, stream, moves=False, movable=movable)


def permute_parts(parts: Parts, shares: Sequence[Fraction], stream: Stream) -> Ints:
    """Renumber parts at random if all shares are equal, so that the parts are exchangeable."""
    if len(set(shares)) > 1:
        return parts
    return np.argsort(stream(len(shares)), kind="stable")[parts]
