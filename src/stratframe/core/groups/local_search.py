"""Parts for whole units: an objective, a greedy start, and a sampled local search."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from ..types import Ints, Parts, Values, Words
from .units import UnitCounts, part_table, self_loss, to_dense

Stream: TypeAlias = Callable[[int], Words]
"""A function that draws the given number of random words, new words at each call."""

BATCH, CELLS_PER_BATCH = 1 << 12, 1 << 17
"""The maximum number of pairs of units that are tried at once, and of cells of their counts."""

MAX_IDLE_BATCHES, LITTLE_GAIN = 16, 0.02
"""The number of consecutive batches of little gain after which the search ends, and the share of
the loss above the lower bound up to which a gain is little. A smaller share takes longer
(docs/studies/tuning.py)."""

MIN_GAIN, ROUNDING = 1e-9, 1e-12
"""The smallest gain that counts, and the rounding error of sums, as a share of what a unit alone
adds to the loss. Smaller gains may be nothing but rounding, and could go on for ever."""


class Objective(NamedTuple):
    """What the parts of units should hold.

    The loss is the sum, over parts and columns, of (count - target)**2 / target. To minimise it is
    NP-hard, like multiway number partitioning.
    """

    target: Values
    """The target count of each column in each part, shape (n_columns, n_parts)."""
    scale: Values
    """What squared deviations are multiplied by: 1 / total of the column; shape (n_columns,)."""
    shares: Values
    """Shares of the parts, shape (n_parts,)."""
    lower_bound: float
    """A loss that no partition of whole rows can go below."""
    min_gain: float = MIN_GAIN
    """The smallest gain that counts."""


def make_objective(totals: Ints, shares: Sequence[Fraction] | Values) -> Objective:
    """Make the objective for columns with given totals; shares sum to 1."""
    shares = np.asarray(shares, dtype=np.float64)
    target = totals[:, None] * shares
    scale = 1 / np.maximum(totals, 1)
    n_parts = len(shares)
    if (shares == shares[0]).all():
        # At best r parts hold q + 1 of n = q k + r rows, and the others hold q. The squared
        # deviations then sum to r (k - r) / k; divided by the target, to r (k - r) / n.
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
    """Compute the smallest gain that counts, given the largest term of a gain."""
    return max(MIN_GAIN, ROUNDING * heaviest / float(objective.shares.min()))


def greedy_assign(
    units: UnitCounts, order: Ints, objective: Objective, parts: Parts, room: Ints | None = None
) -> None:
    """Give each unit in turn the part where the loss grows least, in place.

    The order lists the units that have no part yet, hardest first. `room` is the number of further
    units that each part can take; without it there is no limit.
    """
    n_parts = len(objective.shares)
    deviation = part_table(units, parts, n_parts) - objective.target
    room = np.full(n_parts, len(order) + 1) if room is None else room
    n_left, closed = room.tolist(), np.where(room > 0, 0, np.inf)
    starts = units.indptr
    for unit in order.tolist():
        entries = slice(starts[unit], starts[unit + 1])
        columns, counts = units.indices[entries], units.data[entries]
        # (d + count)**2 - d**2 = count (2 d + count) for a deviation d, in the columns of the unit.
        scaled = (counts * objective.scale[columns])[:, None]
        rise = (scaled * (2 * deviation[columns] + counts[:, None])).sum(axis=0)
        rise /= objective.shares
        rise += closed
        part = int(rise.argmin())
        parts[unit] = part
        deviation[columns, part] += counts
        n_left[part] -= 1
        if not n_left[part]:
            closed[part] = np.inf


def sampled_local_search(
    units: UnitCounts,
    objective: Objective,
    parts: Parts,
    stream: Stream,
    *,
    moves: bool,
    movable: Ints | None = None,
) -> None:
    """Swap or move units, sampled in batches, until many batches in a row gain little.

    With `moves`, units may also move alone, which changes the number of units of a part. Only
    `movable` units, by default all, change their part.
    """
    movable = np.arange(len(parts)) if movable is None else movable
    n_movable, n_parts = np.uint64(len(movable)), np.uint64(len(objective.shares))
    if n_movable < 2:
        return
    deviation = part_table(units, parts, int(n_parts)) - objective.target
    loss = total_loss(objective, deviation + objective.target)
    heaviest = self_loss(units, objective.scale).max()
    objective = objective._replace(min_gain=smallest_gain(heaviest, objective))
    size = max(64, min(BATCH, CELLS_PER_BATCH // max(len(objective.scale), 1)))
    n_idle = 0
    while n_idle < MAX_IDLE_BATCHES and not is_optimal(loss, objective):
        drawn = stream(3 * size).reshape(3, size)
        first, second = movable[drawn[:2] % n_movable]
        to = parts[second].astype(np.int64)
        change = -to_dense(units, first)
        is_move = (drawn[2] >> np.uint64(63)).astype(np.bool_) & moves
        change[:, ~is_move] += to_dense(units, second[~is_move])
        to[is_move] = (drawn[2, is_move] % n_parts).astype(np.int64)
        second = np.where(is_move, -1, second)
        gain = apply_improving_moves(deviation, objective, parts, first, second, to, change)
        loss -= gain
        n_idle = 0 if gain > LITTLE_GAIN * (loss - objective.lower_bound) else n_idle + 1


def delta_loss(
    deviation: Values, objective: Objective, change: Values, source: Ints, to: Ints
) -> Values:
    """Compute how much the loss rises with each change between two parts.

    A change is what the source gains and the other part loses, shape (n_columns, n_changes).
    """
    # (d + change)**2 - d**2 = change (2 d + change) for a deviation d; likewise with -change.
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

    The first unit goes to the part `to`, and the second unit, if it is not -1, takes its place;
    `change` is as in `delta_loss`.
    """
    source = parts[first].astype(np.int64)
    rise = delta_loss(deviation, objective, change, source, to)
    improving = np.flatnonzero((rise < -objective.min_gain) & (source != to))
    improving = improving[np.argsort(rise[improving], kind="stable")]
    moved: set[int] = set()
    total_gain = 0.0
    for index in improving.tolist():
        pair = {int(first[index]), int(second[index])} - {-1}
        # Once a unit has moved, other changes that involve it are out of date. Changes that only
        # share a part with it are still valid, but must be measured again.
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
