"""Assign a few whole units to parts, by local searches that try every move and every swap."""

from typing import NamedTuple

import numpy as np

from ..seeds import StreamTag, word_stream
from ..types import Ints, Parts, Values
from .local_search import MIN_GAIN, Objective, Stream, is_optimal, smallest_gain
from .units import UnitCounts, to_dense

FEW_UNITS = 64
"""The maximum number of units for which every move and every swap is tried."""

RESTARTS, PERTURBATIONS, UNEQUAL_PERTURBATIONS, PERTURBED_UNITS = 8, 240, 120, 4
"""`RESTARTS` searches run at the same time. Each is perturbed up to `PERTURBATIONS` times, or for
unequal parts `UNEQUAL_PERTURBATIONS` times, and each time up to `PERTURBED_UNITS` units change."""

LEVEL_PERTURBATIONS, LEVEL_RANK, LEVEL_RATIO = 80, 2, 1.045
"""The first search is perturbed at most `LEVEL_PERTURBATIONS` times. Of its losses, the one of rank
`LEVEL_RANK`, counted from 0, is the level for all seeds. Losses from level / `LEVEL_RATIO` to the
level count as equally good. Fewer partitions reach a lower level (docs/studies/tuning.py)."""

MAX_STEPS = 1000
"""The maximum number of changes in a descent; random partitions of 64 units need about 80."""

MANY_CELLS = 1 << 11
"""The number of cells (columns times parts) above which products of units replace counts."""


class Coordinates(NamedTuple):
    """Vectors of the units, from which a search computes the effect of every move and swap.

    Products are scalar products of counts, weighted by the scale. A search needs the products of
    the units with the deviations of the parts. With few columns, it computes them column by column.
    With many columns, it updates the products themselves, at a cost that does not depend on the
    number of columns. The results of both methods are equal except for rounding errors.
    """

    vectors: Values
    """The counts of each unit, or its products with all units; shape (n_dims, n_units)."""
    target: Values
    """The target for the sum of the vectors in each part, shape (n_dims, n_parts)."""
    scaled: Values | None
    """The counts multiplied by the scale of their columns, or None if the vectors are products."""
    norms: Values
    """The product of each unit with itself, shape (n_units,)."""
    distances: Values
    """The scaled squared distance between the counts of every two units, (n_units, n_units)."""
    min_gain: float


def make_coordinates(
    counts: Values, objective: Objective, many_cells: int = MANY_CELLS
) -> Coordinates:
    """Compute the vectors that a search needs, from counts of shape (n_columns, n_units)."""
    scaled = counts * objective.scale[:, None]
    norms = (counts * scaled).sum(axis=0)
    products = np.zeros((counts.shape[1],) * 2)
    for column, own in zip(counts, scaled, strict=True):
        products += column[:, None] * own
    distances = norms[:, None] + norms - 2 * products
    if objective.target.size <= many_cells:
        min_gain = smallest_gain(norms.max(), objective)
        return Coordinates(counts, objective.target, scaled, norms, distances, min_gain)
    totals = products.sum(axis=0)
    min_gain = smallest_gain(totals.max(), objective)
    return Coordinates(
        products, totals[:, None] * objective.shares, None, norms, distances, min_gain
    )


def iterated_local_search(
    units: UnitCounts,
    objective: Objective,
    parts: Parts,
    stream: Stream,
    n_perturbations: int = UNEQUAL_PERTURBATIONS,
) -> None:
    """Replace `parts`, a partition of a few units, by the best partition that a search finds."""
    units_at = make_coordinates(to_dense(units, np.arange(len(parts))), objective)
    starts = random_starts(parts, len(objective.shares), stream)
    losses = perturb_and_descend(units_at, objective, starts, stream, n_perturbations)
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
    units_at = make_coordinates(to_dense(units, np.arange(len(parts))), objective)
    seedless = word_stream(0, StreamTag.LEVEL, n_parts)
    first = random_starts(np.arange(len(parts)) % n_parts, n_parts, seedless)
    losses = perturb_and_descend(units_at, objective, first, seedless, LEVEL_PERTURBATIONS)
    rank = 0 if is_optimal(losses.min(), objective) else LEVEL_RANK
    fallback = losses.argsort(kind="stable")[rank]
    level = float(losses[fallback]) * (1 + MIN_GAIN)
    starts = random_starts(parts, n_parts, stream)
    losses = perturb_and_descend(
        units_at, objective, starts, stream, PERTURBATIONS, level, level / LEVEL_RATIO
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
    units_at: Coordinates,
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
    restarts, n_parts = np.arange(n_restarts), np.uint64(len(objective.shares))
    losses = steepest_descent(units_at, objective, parts)
    losses[losses < minimum] = np.inf
    for _ in range(n_perturbations):
        if losses.min() <= enough or is_optimal(losses.min(), objective):
            break
        drawn = stream(2 * PERTURBED_UNITS * n_restarts).reshape(2, PERTURBED_UNITS, n_restarts)
        perturbed = parts.copy()
        for unit, part in zip(drawn[0], drawn[1], strict=True):
            perturbed[restarts, unit % np.uint64(n_units)] = part % n_parts
        new_losses = steepest_descent(units_at, objective, perturbed)
        better = (minimum <= new_losses) & (new_losses < losses)
        parts[better], losses[better] = perturbed[better], new_losses[better]
    return losses


def steepest_descent(units_at: Coordinates, objective: Objective, parts: Parts) -> Values:
    """Apply the best change to each partition until none lowers its loss, and return the losses."""
    vectors = units_at.vectors
    deviation = held_vectors(units_at, parts, len(objective.shares)) - units_at.target[:, None]
    products = inner_products(units_at, deviation)
    active = np.arange(len(parts))
    for _ in range(MAX_STEPS):
        rise, first, second, to = best_change(
            products[active], units_at.distances, units_at.norms, objective.shares, parts[active]
        )
        improves = rise < -units_at.min_gain
        active, first, second, to = (each[improves] for each in (active, first, second, to))
        if not len(active):
            break
        source = parts[active, first]
        is_swap = second >= 0
        change = -vectors[:, first]
        change[:, is_swap] += vectors[:, second[is_swap]]
        deviation[:, active, source] += change
        deviation[:, active, to] -= change
        for part in (source, to):
            changed = inner_products(units_at, deviation[:, active, part][:, :, None])
            products[active, :, part] = changed[:, :, 0]
        parts[active, first] = to
        parts[active[is_swap], second[is_swap]] = source[is_swap]
    return losses_of(units_at, objective, deviation, parts)


def held_vectors(units_at: Coordinates, parts: Parts, n_parts: int) -> Values:
    """Sum the vectors of the units in each part, shape (n_dims, n_restarts, n_parts)."""
    in_part = parts[:, :, None] == np.arange(n_parts)
    if units_at.scaled is None:
        return np.stack([(in_part * row[:, None]).sum(axis=1) for row in units_at.vectors])
    # Sums of whole numbers are exact in any order.
    held = units_at.vectors @ in_part.astype(np.float64)
    return np.ascontiguousarray(held.transpose(1, 0, 2))


def inner_products(units_at: Coordinates, deviation: Values) -> Values:
    """Compute the products of the units with the deviations of the parts.

    The deviations have the shape (n_dims, n_restarts, n_parts), and the products have the shape
    (n_restarts, n_units, n_parts).
    """
    if units_at.scaled is None:
        return deviation.transpose(1, 0, 2).copy()
    # NumPy adds along the first axis of this array in order, so sums are equal on all platforms.
    terms = np.multiply(units_at.scaled[:, None, :, None], deviation[:, :, None, :], order="C")
    products: Values = terms.sum(axis=0)
    return products


def losses_of(
    units_at: Coordinates, objective: Objective, deviation: Values, parts: Parts
) -> Values:
    """Compute the losses of partitions from their deviations, shape (n_restarts,)."""
    losses: Values
    if units_at.scaled is not None:
        squares = deviation**2 / objective.shares * objective.scale[:, None, None]
        losses = squares.sum(axis=(0, 2))
        return losses
    # The deviation d of a part is the sum of its units minus its share s of all units. So
    # |d|**2 / s is the sum of the products of d with the units of the part, divided by s, minus the
    # sum of the products of d with all units.
    own = np.take_along_axis(deviation, parts.T[:, :, None], axis=2)[:, :, 0]
    losses = (own / objective.shares[parts.T]).sum(axis=0) - deviation.sum(axis=0).sum(axis=1)
    return losses


def best_change(
    products: Values, distances: Values, norms: Values, shares: Values, parts: Parts
) -> tuple[Values, Ints, Ints, Ints]:
    """Find the move or swap of each partition that lowers the loss most.

    Returns the increase in loss, the unit that leaves its part, the unit that replaces it or -1,
    and the new part of the first unit.
    """
    n_restarts, n_units = parts.shape
    # Let <x, y> be the scalar product weighted by the scale, d_a the deviation of part a, and s_a
    # its share. The loss is the sum of |d_a|**2 / s_a. `products` holds <x_u, d_a>.
    restart = np.arange(n_restarts)[:, None]
    own_product = products[restart, np.arange(n_units), parts][:, :, None]
    share = shares[parts][:, :, None]
    # A move of unit u from part a to part b changes the loss by
    # (|x_u|**2 - 2 <x_u, d_a>) / s_a + (2 <x_u, d_b> + |x_u|**2) / s_b.
    moves = (2 * products + norms[:, None]) / shares
    moves += (norms[:, None] - 2 * own_product) / share
    moves[restart, np.arange(n_units), parts] = np.inf
    # If v replaces u, the loss of part a changes by (2 <x_v - x_u, d_a> + |x_v - x_u|**2) / s_a.
    # The loss of v's part changes by the same term with u and v exchanged. The arrays are large, so
    # they are changed in place.
    one_side = products.transpose(0, 2, 1)[restart, parts]
    one_side -= own_product
    one_side *= 2
    one_side += distances
    one_side /= share
    swaps = one_side + one_side.transpose(0, 2, 1)
    swaps[parts[:, :, None] == parts[:, None, :]] = np.inf
    moves, swaps = moves.reshape(n_restarts, -1), swaps.reshape(n_restarts, -1)
    move, swap = moves.argmin(axis=1), swaps.argmin(axis=1)
    restarts = np.arange(n_restarts)
    rises = np.stack([moves[restarts, move], swaps[restarts, swap]])
    is_swap = rises[1] < rises[0]
    first = np.where(is_swap, swap // n_units, move // len(shares))
    second = np.where(is_swap, swap % n_units, -1)
    to = np.where(is_swap, parts[restarts, swap % n_units], move % len(shares))
    return rises.min(axis=0), first, second, to
