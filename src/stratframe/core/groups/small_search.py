"""Parts for a few whole units: local searches that try every move and every swap."""

from typing import NamedTuple

import numpy as np

from ..seeds import StreamTag, word_stream
from ..types import Ints, Parts, Values
from .local_search import MIN_GAIN, Objective, Stream, is_optimal, smallest_gain
from .units import UnitCounts, to_dense

FEW_UNITS = 64
"""The maximum number of units for which every move and every swap is tried."""

RESTARTS, PERTURBATIONS, UNEQUAL_PERTURBATIONS, PERTURBED_UNITS = 8, 240, 120, 4
"""The number of searches side by side, the maximum number of perturbations of each (for equal and
for unequal parts), and the number of units that a perturbation changes."""

LEVEL_PERTURBATIONS, LEVEL_RANK, LEVEL_RATIO = 80, 2, 1.045
"""What sets the loss that the searches of all seeds reach: the number of perturbations of a first
search, the rank of the restart whose loss is taken, and the ratio up to which losses count as
equally good. Fewer partitions reach a lower level (docs/studies/tuning.py)."""

MAX_STEPS = 1000
"""The maximum number of changes in a descent. Each lowers the loss, so none is undone; random
partitions of 64 units need about 80."""

MANY_CELLS = 1 << 11
"""The number of columns times parts above which the search uses products of units, not counts."""


class Coordinates(NamedTuple):
    """Vectors of the units, by which a search measures every move and swap.

    Write <x, y> for products of counts weighted by the scale. A search needs the products of the
    units with the deviations of the parts. It computes them from the deviations of the columns; if
    there are many columns, it keeps track of the products themselves, whose cost does not grow with
    the number of columns. Both are exact except for rounding.
    """

    vectors: Values
    """The counts of each unit, or its products with all units; shape (n_rows, n_units)."""
    target: Values
    """The sum of the vectors of each part if it held its exact share, shape (n_rows, n_parts)."""
    scaled: Values | None
    """Counts divided by the totals of their columns; None where the vectors are products."""
    norms: Values
    """Products of the units with themselves, shape (n_units,)."""
    distances: Values
    """Scaled squared distances between the counts of units, shape (n_units, n_units)."""
    min_gain: float
    """The smallest gain that counts."""


def make_coordinates(
    counts: Values, objective: Objective, many_cells: int = MANY_CELLS
) -> Coordinates:
    """Compute what all searches for one objective need; counts are (n_columns, n_units)."""
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
    """Search for the best partition of few units, from the partition `parts`, in place."""
    units_at = make_coordinates(to_dense(units, np.arange(len(parts))), objective)
    starts = random_starts(parts, len(objective.shares), stream)
    losses = perturb_and_descend(units_at, objective, starts, stream, n_perturbations)
    parts[:] = starts[draw_best(losses, stream)]


def iterated_local_search_to_level(
    units: UnitCounts, objective: Objective, parts: Parts, stream: Stream
) -> None:
    """Search for one of the many partitions of few units that are about equally good, in place."""
    # There is only one best partition, so a search for it would give most seeds a worse one.
    # Instead, a first search that does not depend on the seed sets a level: the lower bound if it
    # gets there, otherwise a loss that it reaches easily. The search that uses the seed stops at a
    # partition of that level, or otherwise takes the partition of the first search.
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
    """Draw one of the partitions that share the lowest loss, up to rounding."""
    # The first of them would mostly be the one to which the greedy start leads.
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
    """Descend from several partitions side by side, and again from perturbed ones, in place.

    The search ends at a loss of `enough` or less. Partitions with a loss below the minimum are
    ignored. Returns the losses, infinite where all partitions found were ignored.

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
    """Apply the best move or swap of each partition until none lowers its loss; return losses."""
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
    """Sum the vectors of the units of each part, shape (n_rows, n_restarts, n_parts)."""
    in_part = parts[:, :, None] == np.arange(n_parts)
    if units_at.scaled is None:
        return np.stack([(in_part * row[:, None]).sum(axis=1) for row in units_at.vectors])
    # Sums of whole numbers are exact, in whatever order they are added.
    held = units_at.vectors @ in_part.astype(np.float64)
    return np.ascontiguousarray(held.transpose(1, 0, 2))


def inner_products(units_at: Coordinates, deviation: Values) -> Values:
    """Compute the products of the units with the deviations of the parts.

    The deviations have the shape (n_rows, n_restarts, n_parts), the products (n_restarts, n_units,
    n_parts).
    """
    if units_at.scaled is None:
        return deviation.transpose(1, 0, 2).copy()
    # NumPy adds along the first axis of such an array in order, so its sums agree everywhere.
    terms = np.multiply(units_at.scaled[:, None, :, None], deviation[:, :, None, :], order="C")
    products: Values = terms.sum(axis=0)
    return products


def losses_of(
    units_at: Coordinates, objective: Objective, deviation: Values, parts: Parts
) -> Values:
    """Compute the loss of each partition, shape (n_restarts,), from its deviations."""
    losses: Values
    if units_at.scaled is not None:
        squares = deviation**2 / objective.shares * objective.scale[:, None, None]
        losses = squares.sum(axis=(0, 2))
        return losses
    # The deviations d of a part are the sum of its units minus its share s of all units. So
    # |d|**2 / s is the sum of the products of d with its units, divided by s, minus the sum of the
    # products with all units.
    own = np.take_along_axis(deviation, parts.T[:, :, None], axis=2)[:, :, 0]
    losses = (own / objective.shares[parts.T]).sum(axis=0) - deviation.sum(axis=0).sum(axis=1)
    return losses


def best_change(
    products: Values, distances: Values, norms: Values, shares: Values, parts: Parts
) -> tuple[Values, Ints, Ints, Ints]:
    """Find the move or swap of each partition that lowers the loss most.

    Returns the rise in loss, the unit that leaves its part, the unit that replaces it or -1, and
    the part that the first unit goes to.
    """
    n_restarts, n_units = parts.shape
    # Write <x, y> for products of counts weighted by the scale, d_a for the deviations of
    # part a, and s_a for its share: the loss is the sum of |d_a|**2 / s_a. `products` holds
    # <x_u, d_a>.
    restart = np.arange(n_restarts)[:, None]
    own_product = products[restart, np.arange(n_units), parts][:, :, None]
    share = shares[parts][:, :, None]
    # A move of u from part a to b changes the loss by
    # (|x_u|**2 - 2 <x_u, d_a>) / s_a + (2 <x_u, d_b> + |x_u|**2) / s_b.
    moves = (2 * products + norms[:, None]) / shares
    moves += (norms[:, None] - 2 * own_product) / share
    moves[restart, np.arange(n_units), parts] = np.inf
    # Where v replaces u, the loss of part a changes by (2 <x_v - x_u, d_a> + |x_v - x_u|**2) / s_a.
    # The loss of v's part changes by the same with u and v exchanged. The arrays are large: work in
    # place.
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
