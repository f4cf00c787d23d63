"""Assign whole units to parts by a greedy algorithm and a local search with random samples."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple, TypeAlias

import numpy as np

from ..order import CHUNK
from ..types import Ints, Parts, Values, Words
from .units import UnitCounts, dense_reader, n_entries, nonzero, part_table, self_loss

Stream: TypeAlias = Callable[[int], Words]
"""A function that draws a given number of new random 64-bit words on each call."""

BATCH = 1 << 12
"""The maximum number of pairs of units in a batch."""

CELLS_PER_BATCH = 1 << 17
"""The maximum number of cells (pairs times columns) in a batch of more than `LEAST_BATCH` pairs."""

LEAST_BATCH = 64
"""The minimum number of pairs of units in a batch, however many columns there are."""

MAX_IDLE_BATCHES = 16
"""The search ends after this many consecutive batches with small gains."""

LITTLE_GAIN = 0.02
"""A gain is small if it is at most this times the difference between the loss and its lower bound.
The search takes longer if this limit is lower (docs/studies/tuning.py)."""

PRODUCTS_PER_ENTRY = 14
"""If units are assigned by lists, an entry takes as long as this many products in addition."""

PRODUCTS_BY_LISTS = 140
"""The number of products, on average for each unit, up to which lists are faster than arrays. A
unit also adds at most this many numbers to the lists, which take more memory than arrays."""

MIN_GAIN = 1e-9
"""A change is made only if its gain is above this."""

ROUNDING = 1e-12
"""A change is made only if its gain is above this times the largest summand of any gain. Smaller
gains can be rounding errors, and a search that follows them might not end."""


class Objective(NamedTuple):
    """The target counts of the parts, and the scale and the lower bound of the loss.

    The loss is the sum of (count - target)**2 / target over parts and columns. Minimising it is
    NP-hard, as is multiway number partitioning.
    """

    target: Values
    """The target count of each column in each part, shape (n_columns, n_parts)."""
    scale: Values
    """The factor of squared deviations in each column, which is 1 / total, shape (n_columns,)."""
    shares: Values
    lower_bound: float
    """A lower bound on the loss of any partition of whole rows."""
    min_gain: float = MIN_GAIN


def make_objective(totals: Ints, shares: Sequence[Fraction] | Values) -> Objective:
    """Make the objective for columns with the given totals; the shares sum to 1."""
    shares = np.asarray(shares, dtype=np.float64)
    target = totals[:, None] * shares
    scale = 1 / np.maximum(totals, 1)
    n_parts = len(shares)
    if (shares == shares[0]).all():
        # At best, r parts hold q + 1 of n = q k + r rows, and k - r parts hold q rows. The squared
        # deviations sum to r (k - r) / k. Divided by the target n / k, they sum to r (k - r) / n.
        remainder = totals % n_parts
        column_bounds = remainder * (n_parts - remainder) * scale
    else:
        distance = np.minimum(target % 1, -target % 1)
        column_bounds = (distance**2 / shares).sum(axis=1) * scale
    return Objective(target, scale, shares, float(column_bounds.sum()))


def total_loss(objective: Objective, table: Values) -> float:
    """Compute the loss of a table of counts, shape (n_columns, n_parts)."""
    squares = (table - objective.target) ** 2
    return float((squares / objective.shares * objective.scale[:, None]).sum())


def is_optimal(loss: float, objective: Objective) -> bool:
    return bool(loss <= objective.lower_bound * (1 + MIN_GAIN) + MIN_GAIN)


def smallest_gain(heaviest: float, objective: Objective) -> float:
    """Compute the smallest gain for which a change is made, given the heaviest summand."""
    return max(MIN_GAIN, ROUNDING * heaviest / float(objective.shares.min()))


def greedy_assign(
    units: UnitCounts, order: Ints, objective: Objective, parts: Parts, room: Ints | None = None
) -> None:
    """Assign each unit in turn, in place, to the part for which the loss increases least.

    `order` lists the units without a part, hardest first. `room` is the number of units that each
    part can still take; by default there is no limit.
    """
    n_parts = len(objective.shares)
    n_left = [-1] * n_parts if room is None else room.tolist()
    doubled = 2 * (part_table(units, parts, n_parts) - objective.target)
    n_products = int(n_entries(units, order).sum()) * (n_parts + PRODUCTS_PER_ENTRY)
    if max(n_products, doubled.size) <= PRODUCTS_BY_LISTS * len(order):
        assign_by_lists(units, order, objective, parts, doubled.tolist(), n_left)
    else:
        assign_by_arrays(units, order, objective, parts, doubled, n_left)


def assign_by_arrays(
    units: UnitCounts,
    order: Ints,
    objective: Objective,
    parts: Parts,
    doubled: Values,
    n_left: list[int],
) -> None:
    """Assign each unit in turn, in place, with array operations on the entries of the unit.

    `doubled` holds twice the deviation of each column in each part, and `n_left` the number of
    units that each part can still take, negative if there is no limit. Both change in place.
    """
    # In each column of a unit, the squared deviation d**2 increases by count (2 d + count).
    closed = np.where(np.array(n_left) == 0, np.inf, 0)
    for chunk, ends, columns, counts, scaled in entries_in_turn(units, order, objective):
        counts_of_parts = counts[:, None]
        scaled_of_parts = scaled[:, None]
        start = 0
        for unit, end in zip(chunk.tolist(), ends.tolist(), strict=True):
            own = columns[start:end]
            rise = np.add.reduce(
                scaled_of_parts[start:end] * (doubled[own] + counts_of_parts[start:end]), axis=0
            )
            rise /= objective.shares
            rise += closed
            part = int(rise.argmin())
            parts[unit] = part
            doubled[own, part] += 2 * counts[start:end]
            n_left[part] -= 1
            if n_left[part] == 0:
                closed[part] = np.inf
            start = end


def assign_by_lists(
    units: UnitCounts,
    order: Ints,
    objective: Objective,
    parts: Parts,
    doubled: list[list[float]],
    n_left: list[int],
) -> None:
    """Assign each unit in turn, in place, to the same part as `assign_by_arrays`.

    An array operation on a few numbers takes longer than a loop over them.
    """
    # All lists that are zipped have an item for each part; a strict `zip` takes longer.
    shares = objective.shares.tolist()
    closed = [inf if n == 0 else 0.0 for n in n_left]
    no_rise = [0.0] * len(shares)
    for chunk, ends, *entries in entries_in_turn(units, order, objective):
        columns, counts, scaled = (each.tolist() for each in entries)
        chosen: list[int] = []
        start = 0
        for end in ends.tolist():
            rise = no_rise
            # The order of the operations is that of the arrays, so that rounding errors are equal.
            for place in range(start, end):
                count = counts[place]
                factor = scaled[place]
                own = doubled[columns[place]]
                rise = [x + factor * (d + count) for x, d in zip(rise, own, strict=False)]
            rise = [x / share + y for x, share, y in zip(rise, shares, closed, strict=False)]
            part = rise.index(min(rise))
            chosen.append(part)
            for place in range(start, end):
                doubled[columns[place]][part] += 2 * counts[place]
            n_left[part] -= 1
            if n_left[part] == 0:
                closed[part] = inf
            start = end
        parts[chunk] = chosen


def entries_in_turn(
    units: UnitCounts, order: Ints, objective: Objective
) -> Iterator[tuple[Ints, Ints, Ints, Values, Values]]:
    """Yield some of the units at a time, with the end of the entries of each unit.

    The other arrays hold the column, the count and the scaled count of each entry.
    """
    for start in range(0, len(order), CHUNK):
        chunk = order[start : start + CHUNK]
        entries, _ = nonzero(units, chunk)
        columns = units.indices[entries]
        counts = units.data[entries].astype(np.float64)
        ends = np.cumsum(n_entries(units, chunk))
        yield chunk, ends, columns, counts, counts * objective.scale[columns]


def sampled_local_search(
    units: UnitCounts,
    objective: Objective,
    parts: Parts,
    stream: Stream,
    *,
    moves: bool,
    movable: Ints | None = None,
) -> None:
    """Try random swaps of units in batches, until several consecutive batches gain little.

    With `moves`, units can also move without a swap, which changes the number of units in a part.
    Only `movable` units change their part; by default all units are movable.
    """
    movable = np.arange(len(parts)) if movable is None else movable
    n_movable = np.uint64(len(movable))
    n_parts = np.uint64(len(objective.shares))
    if n_movable < 2:
        return
    deviation = part_table(units, parts, int(n_parts)) - objective.target
    loss = total_loss(objective, deviation + objective.target)
    heaviest = self_loss(units, objective.scale).max()
    objective = objective._replace(min_gain=smallest_gain(heaviest, objective))
    size = max(LEAST_BATCH, min(BATCH, CELLS_PER_BATCH // max(len(objective.scale), 1)))
    counts_of = dense_reader(units, size)
    n_idle = 0
    while n_idle < MAX_IDLE_BATCHES and not is_optimal(loss, objective):
        drawn = stream(3 * size).reshape(3, size)
        first, second = movable[drawn[:2] % n_movable]
        to = parts[second].astype(np.int64)
        change = counts_of(second)
        if moves:
            is_move = (drawn[2] >> np.uint64(63)).astype(np.bool_)
            change *= ~is_move
            to[is_move] = (drawn[2, is_move] % n_parts).astype(np.int64)
            second = np.where(is_move, -1, second)
        change -= counts_of(first)
        gain = apply_improving_moves(deviation, objective, parts, first, second, to, change)
        loss -= gain
        n_idle += 1
        if gain > LITTLE_GAIN * (loss - objective.lower_bound):
            n_idle = 0


def delta_loss(
    deviation: Values, objective: Objective, change: Values, source: Ints, to: Ints
) -> Values:
    """Compute how much each change between two parts increases the loss.

    `change` holds what part `source` gains and part `to` loses, shape (n_columns, n_changes).
    """
    # A change increases the squared deviation d**2 of the source by change (2 d + change). For the
    # part `to`, the sign of the change is reversed.
    weighted = change * objective.scale[:, None]
    at_source = (weighted * (2 * deviation[:, source] + change)).sum(axis=0)
    at_target = (weighted * (change - 2 * deviation[:, to])).sum(axis=0)
    rise: Values = at_source / objective.shares[source] + at_target / objective.shares[to]
    return rise


def apply_improving_moves(
    deviation: Values,
    objective: Objective,
    parts: Parts,
    first: Ints,
    second: Ints,
    to: Ints,
    change: Values,
) -> float:
    """Apply the changes of a batch that lower the loss, best first, and return the gain.

    The first unit moves to the part `to`. The second unit, if it is not -1, replaces the first unit
    in its old part. `change` is as in `delta_loss`.
    """
    source = parts[first].astype(np.int64)
    rise = delta_loss(deviation, objective, change, source, to)
    improving = np.flatnonzero((rise < -objective.min_gain) & (source != to))
    improving = improving[np.argsort(rise[improving], kind="stable")]
    moved: set[int] = set()
    total_gain = 0.0
    for index in improving.tolist():
        pair = {int(first[index]), int(second[index])} - {-1}
        # Once a unit has moved, all other changes that involve it are out of date. Other changes
        # between the same parts are still valid, but their gains are computed again.
        if moved & pair:
            continue
        only = slice(index, index + 1)
        now = float(delta_loss(deviation, objective, change[:, only], source[only], to[only])[0])
        if now < -objective.min_gain:
            deviation[:, source[index]] += change[:, index]
            deviation[:, to[index]] -= change[:, index]
            parts[first[index]] = to[index]
            if second[index] >= 0:
                parts[second[index]] = source[index]
            moved |= pair
            total_gain -= now
    return total_gain
