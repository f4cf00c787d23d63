"""Assign a few whole units to parts by trying all assignments."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..types import Flags, Ints, Parts, Values
from .local_search import Objective, Stream, make_objective, smallest_gain
from .units import UnitCounts, part_table, self_loss, to_dense

MAX_ASSIGNMENTS = 10_000
"""The maximum number of assignments that are tried; trying them takes about 10 milliseconds."""


def can_enumerate(n_units: int, n_parts: int) -> bool:
    """Return whether all assignments of the units to the parts can be tried."""
    # With two parts or more, more units than this have too many assignments. The first comparison
    # keeps the power small.
    return n_units < MAX_ASSIGNMENTS.bit_length() and n_parts**n_units <= MAX_ASSIGNMENTS


def assign_best(
    units: UnitCounts, parts: Parts, shares: Sequence[Fraction] | Values, stream: Stream
) -> Ints:
    """Assign each unit without a part so that the loss is least; all other units keep their part.

    Of the assignments that leave the fewest parts empty, one of those with the least loss is drawn.
    """
    objective = make_objective(units.totals, shares)
    new = np.flatnonzero(parts < 0)
    n_parts = len(objective.shares)
    tried = list_assignments(len(new), n_parts)
    is_held = np.bincount(parts[parts >= 0], minlength=n_parts) > 0
    n_filled = count_filled(tried, is_held)
    tried = tried[n_filled == n_filled.max()]
    losses = rises_of(units, parts, new, objective, tried)
    # Losses that differ less than this can be equal but for rounding errors.
    least_gain = smallest_gain(self_loss(units, objective.scale).sum(), objective)
    best = np.flatnonzero(losses <= losses.min() + least_gain)
    drawn = best[stream(1)[0] % np.uint64(len(best))]
    extended = parts.astype(np.int64)
    extended[new] = tried[drawn]
    return extended


def list_assignments(n_units: int, n_parts: int) -> Ints:
    """List all assignments of units to parts, shape (n_parts ** n_units, n_units)."""
    numbers = np.arange(n_parts**n_units)[:, None]
    return numbers // n_parts ** np.arange(n_units) % n_parts


def count_filled(assignments: Ints, is_held: Flags) -> Ints:
    """Count the parts that each assignment fills; parts that hold units already do not count."""
    is_first = ~is_held[assignments]
    for unit in range(1, assignments.shape[1]):
        is_first[:, unit] &= (assignments[:, :unit] != assignments[:, [unit]]).all(axis=1)
    n_filled: Ints = is_first.sum(axis=1)
    return n_filled


def rises_of(
    units: UnitCounts, parts: Parts, new: Ints, objective: Objective, assignments: Ints
) -> Values:
    """Compute how much each assignment of the new units increases the loss.

    Let <x, y> be the scalar product weighted by the scale, and d_a the deviation of part a, whose
    share is s_a. If part a gets the new units u, its loss |d_a|**2 / s_a increases by the sum of
    (2 <x_u, d_a> + <x_u, x_v>) / s_a over these units u and all pairs u, v of them.
    """
    deviation = part_table(units, parts, len(objective.shares)) - objective.target
    with_deviation = np.zeros((len(new), len(objective.shares)))
    with_units = np.zeros((len(new), len(new)))
    # Columns are added in their order, so that sums are equal on all platforms.
    counts = to_dense(units, new)
    for column, scale, own in zip(counts, objective.scale, deviation, strict=True):
        with_deviation += (column * scale)[:, None] * own
        with_units += (column * scale)[:, None] * column
    with_deviation = (2 * with_deviation + np.diag(with_units)[:, None]) / objective.shares
    rises = np.zeros(len(assignments))
    for unit, part in enumerate(assignments.T):
        rises += with_deviation[unit, part]
        for other in range(unit):
            is_same = assignments[:, other] == part
            rises += is_same * (2 * with_units[unit, other] / objective.shares[part])
    return rises
