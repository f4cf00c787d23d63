"""Assign a few whole units to parts, by local searches that try every move and every swap."""

from typing import NamedTuple

import numpy as np

from ..seeds import StreamTag, word_stream
from ..types import Ints, Parts, Values
from .local_search import MIN_GAIN, Objective, Stream, is_optimal, smallest_gain
from .units import UnitCounts, to_dense

FEW_UNITS = 64
"""The maximum number of units for which every move and every swap is tried."""

RESTARTS = 8
"""The number of searches that run at the same time."""

PERTURBATIONS = 240
"""The maximum number of times that a search for equal parts is perturbed."""

UNEQUAL_PERTURBATIONS = 120
"""The maximum number of times that a search for unequal parts is perturbed."""

PERTURBED_UNITS = 4
"""The maximum number of units that a perturbation changes."""

LEVEL_PERTURBATIONS = 80
"""The maximum number of times that the first search, which sets the level, is perturbed."""

LEVEL_RANK = 2
"""The rank, counted from 0, of the loss of the first search that is the level for all seeds."""

LEVEL_RATIO = 1.045
"""Losses from the level divided by this to the level count as equally good. Fewer partitions reach
a lower level (docs/studies/tuning.py)."""

MAX_STEPS = 1000
"""The maximum number of changes in a descent; random partitions of 64 units need about 80."""


class UnitProducts(NamedTuple):
    """Scalar products of the counts of units, weighted by the scale of the columns.

    A search needs only the products of the units with the deviations of the parts. These are sums
    of products of units, so the cost of a search does not depend on the number of columns.
    """

    between: Values
    """The product of every two units, shape (n_units, n_units)."""
    norms: Values
    """The product of each unit with itself, shape (n_units,)."""
    targets: Values
    """The products of the units with the target of each part, shape (n_units, n_parts)."""
    distances: Values
    """The scaled squared distance between the counts of every two units, (n_units, n_units)."""
    min_gain: float


def multiply_units(counts: Values, objective: Objective) -> UnitProducts:
    """Compute the products of units from counts of shape (n_columns, n_units)."""
    n_units = counts.shape[1]
    between = np.zeros((n_units, n_units))
    # Columns are added one by one, because a matrix product adds in an order of its own on each
    # platform.
    for column, scale in zip(counts, objective.scale, strict=True):
        between += column[:, None] * (column * scale)
    norms = np.diag(between)
    totals = between.sum(axis=0)
    return UnitProducts(
        between=between,
        norms=norms,
        targets=totals[:, None] * objective.shares,
        distances=norms[:, None] + norms - 2 * between,
        min_gain=smallest_gain(totals.max(), objective),
    )


def iterated_local_search(
    units: UnitCounts,
    objective: Objective,
    parts: Parts,
    stream: Stream,
    n_perturbations: int = UNEQUAL_PERTURBATIONS,
) -> None:
    """Replace `parts`, a partition of a few units, by the best partition that a search finds."""
    products = multiply_units(to_dense(units, np.arange(len(parts))), objective)
    starts = random_starts(parts, len(objective.shares), stream)
    losses = perturb_and_descend(products, objective, starts, stream, n_perturbations)
    parts[:] = starts[draw_best(losses, stream)]


def iterated_local_search_to_level(
    units: UnitCounts, objective: Objective, parts: Parts, stream: Stream
) -> None:
    """Replace `parts` by one of many about equally good partitions of a few units, in place."""
    # Often only one partition is best, and most seeds would not find it. So a first search, which
    # does not depend on the seed, sets a level: the lower bound if the search reaches it, and
    # otherwise a loss that is easy to reach. A second search, with the seed, ends at a partition of
    # this level. If it finds none, the partition that set the level is taken.
    n_parts = len(objective.shares)
    products = multiply_units(to_dense(units, np.arange(len(parts))), objective)
    seedless = word_stream(0, StreamTag.LEVEL, n_parts)
    first = random_starts(np.arange(len(parts)) % n_parts, n_parts, seedless)
    losses = perturb_and_descend(products, objective, first, seedless, LEVEL_PERTURBATIONS)
    rank = 0 if is_optimal(losses.min(), objective) else LEVEL_RANK
    fallback = losses.argsort(kind="stable")[rank]
    level = float(losses[fallback]) * (1 + MIN_GAIN)
    starts = random_starts(parts, n_parts, stream)
    losses = perturb_and_descend(
        products, objective, starts, stream, PERTURBATIONS, level, level / LEVEL_RATIO
    )
    best = draw_best(losses, stream)
    parts[:] = starts[best] if losses[best] <= level else first[fallback]


def draw_best(losses: Values, stream: Stream) -> int:
    """Draw one of the partitions with the lowest loss, up to rounding, and return its number."""
    # The first of these partitions would usually be the result of the greedy start.
    best = np.flatnonzero(losses <= losses.min() * (1 + MIN_GAIN) + MIN_GAIN)
    return int(best[stream(1)[0] % np.uint64(len(best))])


def random_starts(parts: Parts, n_parts: int, stream: Stream) -> Ints:
    """Draw partitions to start from, shape (n_restarts, n_units); the first is `parts`."""
    drawn = (stream(RESTARTS * len(parts)) % np.uint64(n_parts)).astype(np.int64)
    starts: Ints = drawn.reshape(RESTARTS, len(parts))
    starts[0] = parts
    return starts


def perturb_and_descend(
    products: UnitProducts,
    objective: Objective,
    parts: Parts,
    stream: Stream,
    n_perturbations: int,
    enough: float = 0.0,
    minimum: float = 0.0,
) -> Values:
    """Improve several partitions in place, by descents from them and then from perturbed copies.

    The search ends at a loss of at most `enough`. Partitions with a loss below `minimum` are
    ignored. Returns the losses; a loss is infinite if all partitions of a search were ignored.

    Source: Lourenco, Martin and Stutzle (2003), Iterated local search.
    """
    n_restarts, n_units = parts.shape
    restarts = np.arange(n_restarts)
    n_parts = np.uint64(len(objective.shares))
    losses = steepest_descent(products, objective, parts)
    losses[losses < minimum] = np.inf
    for _ in range(n_perturbations):
        if losses.min() <= enough or is_optimal(losses.min(), objective):
            break
        drawn = stream(2 * PERTURBED_UNITS * n_restarts).reshape(2, PERTURBED_UNITS, n_restarts)
        perturbed = parts.copy()
        for unit, part in zip(drawn[0], drawn[1], strict=True):
            perturbed[restarts, unit % np.uint64(n_units)] = part % n_parts
        new_losses = steepest_descent(products, objective, perturbed)
        better = (minimum <= new_losses) & (new_losses < losses)
        parts[better], losses[better] = perturbed[better], new_losses[better]
    return losses


def steepest_descent(products: UnitProducts, objective: Objective, parts: Parts) -> Values:
    """Apply the best change to each partition until none lowers its loss, and return the losses."""
    deviations = unit_deviations(products, parts, len(objective.shares))
    active = np.arange(len(parts))
    for _ in range(MAX_STEPS):
        rise, first, second, to = best_change(
            deviations[active], products.distances, products.norms, objective.shares, parts[active]
        )
        improves = rise < -products.min_gain
        active, first, second, to = (each[improves] for each in (active, first, second, to))
        if not len(active):
            break
        source = parts[active, first]
        is_swap = second >= 0
        change = -products.between[first]
        change[is_swap] += products.between[second[is_swap]]
        deviations[active, :, source] += change
        deviations[active, :, to] -= change
        parts[active, first] = to
        parts[active[is_swap], second[is_swap]] = source[is_swap]
    return losses_of(deviations, objective.shares, parts)


def unit_deviations(products: UnitProducts, parts: Parts, n_parts: int) -> Values:
    """Compute the products of the units with the deviations of the parts.

    The deviation of a part is the sum of the counts of its units minus its target. The result has
    the shape (n_restarts, n_units, n_parts).
    """
    in_part = parts[:, :, None] == np.arange(n_parts)
    held = [(in_part * row[:, None]).sum(axis=1) for row in products.between]
    return np.stack(held, axis=1) - products.targets


def losses_of(deviations: Values, shares: Values, parts: Parts) -> Values:
    """Compute the losses of partitions, shape (n_restarts,)."""
    # The deviation d of a part is the sum of its units minus its share s of all units. So
    # |d|**2 / s is the sum of the products of d with the units of the part, divided by s, minus the
    # sum of the products of d with all units. NumPy adds along the first axis of an array in order,
    # so sums are equal on all platforms.
    by_unit = deviations.transpose(1, 0, 2).copy()
    own = np.take_along_axis(by_unit, parts.T[:, :, None], axis=2)[:, :, 0]
    of_parts = by_unit.sum(axis=0).T.copy()
    losses: Values = (own / shares[parts.T]).sum(axis=0) - of_parts.sum(axis=0)
    return losses


def best_change(
    deviations: Values, distances: Values, norms: Values, shares: Values, parts: Parts
) -> tuple[Values, Ints, Ints, Ints]:
    """Find the move or swap of each partition that lowers the loss most.

    Returns the increase in loss, the unit that leaves its part, the unit that replaces it or -1,
    and the new part of the first unit.
    """
    n_restarts, n_units = parts.shape
    # Let <x, y> be the scalar product weighted by the scale, d_a the deviation of part a, and s_a
    # its share. The loss is the sum of |d_a|**2 / s_a. `deviations` holds <x_u, d_a>.
    restart = np.arange(n_restarts)[:, None]
    own_product = deviations[restart, np.arange(n_units), parts][:, :, None]
    share = shares[parts][:, :, None]
    # A move of unit u from part a to part b changes the loss by
    # (|x_u|**2 - 2 <x_u, d_a>) / s_a + (2 <x_u, d_b> + |x_u|**2) / s_b.
    moves = (2 * deviations + norms[:, None]) / shares
    moves += (norms[:, None] - 2 * own_product) / share
    moves[restart, np.arange(n_units), parts] = np.inf
    # If v replaces u, the loss of part a changes by (2 <x_v - x_u, d_a> + |x_v - x_u|**2) / s_a.
    # The loss of v's part changes by the same term with u and v exchanged. The arrays are large, so
    # they are changed in place.
    one_side = deviations.transpose(0, 2, 1)[restart, parts]
    one_side -= own_product
    one_side *= 2
    one_side += distances
    one_side /= share
    swaps = one_side + one_side.transpose(0, 2, 1)
    swaps[parts[:, :, None] == parts[:, None, :]] = np.inf
    moves = moves.reshape(n_restarts, -1)
    swaps = swaps.reshape(n_restarts, -1)
    move = moves.argmin(axis=1)
    swap = swaps.argmin(axis=1)
    restarts = np.arange(n_restarts)
    rises = np.stack([moves[restarts, move], swaps[restarts, swap]])
    is_swap = rises[1] < rises[0]
    first = np.where(is_swap, swap // n_units, move // len(shares))
    second = np.where(is_swap, swap % n_units, -1)
    to = np.where(is_swap, parts[restarts, swap % n_units], move % len(shares))
    return rises.min(axis=0), first, second, to
