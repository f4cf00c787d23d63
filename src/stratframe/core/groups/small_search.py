"""Parts for few whole units under a target table: every move and every swap is tried."""

import numpy as np

from ..seeds import StreamTag, word_stream
from ..types import Ints, Values
from .counts import UnitCounts, to_dense
from .local_search import MIN_GAIN, Objective, Stream, is_optimal

FEW_UNITS = 64
"""Units up to which every move and every swap is tried."""

RESTARTS, PERTURBATIONS, PERTURBED_UNITS = 8, 240, 4
"""Searches side by side, how often each is shaken at most, and by how many units."""

LEVEL_PERTURBATIONS, LEVEL_RANK, LEVEL_RATIO = 80, 2, 1.045
"""What sets the loss that all seeds come to: so many kicks, the search of this place, and
the ratio of losses that count as alike."""


def iterated_local_search(units: UnitCounts, goal: Objective, parts: Ints, stream: Stream) -> None:
    """Search for the best partition of few units.

    Parameters
    ----------
    parts : ndarray of int, shape (n_units,), range 0..n_parts-1
        A start; the best partition that is found replaces it.
    """
    counts = to_dense(units, np.arange(len(parts)))
    found = random_starts(parts, len(goal.shares), stream)
    losses = perturb_and_descend(counts, goal, found, stream, PERTURBATIONS // 2)
    parts[:] = found[losses.argmin()]


def iterated_local_search_to_level(
    units: UnitCounts, goal: Objective, parts: Ints, stream: Stream
) -> None:
    """Search for one of the many partitions of few units that are about as good.

    The very best partition is one alone, so that a search for it gives most seeds worse
    ones. Here a first search, which knows no seed, sets the level: the least loss that
    whole rows allow, if it gets there, else one that it reaches easily. The search of the
    seed ends at a partition of that level. If it finds none, it takes that of the first.
    """
    n_parts = len(goal.shares)
    counts = to_dense(units, np.arange(len(parts)))
    seedless = word_stream(0, StreamTag.LEVEL, n_parts)
    first = random_starts(np.arange(len(parts)) % n_parts, n_parts, seedless)
    losses = perturb_and_descend(counts, goal, first, seedless, LEVEL_PERTURBATIONS)
    place = 0 if is_optimal(losses.min(), goal) else LEVEL_RANK
    fallback = losses.argsort(kind="stable")[place]
    level = losses[fallback] * (1 + MIN_GAIN)
    found = random_starts(parts, n_parts, stream)
    losses = perturb_and_descend(
        counts, goal, found, stream, PERTURBATIONS, level, level / LEVEL_RATIO
    )
    best = losses.argmin()
    parts[:] = found[best] if losses[best] <= level else first[fallback]


def random_starts(parts: Ints, n_parts: int, stream: Stream) -> Ints:
    """Draw partitions to start from, beside one that is given.

    Returns
    -------
    ndarray of int64, shape (n_replicas, n_units), range 0..n_parts-1
    """
    drawn = (stream(RESTARTS * len(parts)) % np.uint64(n_parts)).astype(np.int64)
    found: Ints = drawn.reshape(RESTARTS, len(parts))
    found[0] = parts
    return found


def perturb_and_descend(
    counts: Values,
    goal: Objective,
    parts: Ints,
    stream: Stream,
    kicks: int,
    enough: float = 0.0,
    least: float = 0.0,
) -> Values:
    """Take descents side by side, and shake each again and again.

    Parameters
    ----------
    counts : ndarray of float64, shape (n_columns, n_units)
    parts : ndarray of int64, shape (n_replicas, n_units), range 0..n_parts-1
        Changed in place.

    Returns
    -------
    ndarray of float64, shape (n_replicas,)
        The losses; infinite where none was found that is not passed by.

    References
    ----------
    Lourenco, Martin and Stutzle (2003), Iterated local search.
    """
    n_replicas, n_units = parts.shape
    replicas, n_parts = np.arange(n_replicas), np.uint64(len(goal.shares))
    losses = steepest_descent(counts, goal, parts)
    losses[losses < least] = np.inf
    for _ in range(kicks):
        if losses.min() <= enough or is_optimal(losses.min(), goal):
            break
        drawn = stream(2 * PERTURBED_UNITS * n_replicas).reshape(2, PERTURBED_UNITS, n_replicas)
        shaken = parts.copy()
        for unit, part in zip(drawn[0], drawn[1], strict=True):
            shaken[replicas, unit % np.uint64(n_units)] = part % n_parts
        found = steepest_descent(counts, goal, shaken)
        better = (least <= found) & (found < losses)
        parts[better], losses[better] = shaken[better], found[better]
    return losses


def steepest_descent(counts: Values, goal: Objective, parts: Ints) -> Values:
    """Take the best move or swap of each replica until none lowers its loss.

    Parameters
    ----------
    counts : ndarray of float64, shape (n_columns, n_units)
    parts : ndarray of int64, shape (n_replicas, n_units), range 0..n_parts-1
        Changed in place.

    Returns
    -------
    ndarray of float64, shape (n_replicas,)
        The losses.
    """
    scaled = counts * goal.scale[:, None]
    own = (counts * scaled).sum(axis=0)
    both = sum_layers(counts[:, :, None] * scaled[:, None, :])
    apart = own[:, None] + own - 2 * both
    every = np.arange(len(parts))
    held = parts[:, :, None] == np.arange(len(goal.shares))
    off = np.stack([(held * row[:, None]).sum(axis=1) for row in counts]) - goal.target[:, None]
    active = every
    while len(active):
        rise, first, second, to = best_change(
            off[:, active], scaled, apart, own, goal, parts[active]
        )
        gains = rise < -MIN_GAIN
        active, first, second, to = active[gains], first[gains], second[gains], to[gains]
        source = parts[active, first]
        swap = second >= 0
        change = -counts[:, first]
        change[:, swap] += counts[:, second[swap]]
        off[:, active, source] += change
        off[:, active, to] -= change
        parts[active, first] = to
        parts[active[swap], second[swap]] = source[swap]
    final: Values = (off**2 / goal.shares * goal.scale[:, None, None]).sum(axis=(0, 2))
    return final


def sum_layers(layers: Values) -> Values:
    """Add layers one after another, in the same order on every platform."""
    total = np.zeros(layers.shape[1:])
    for layer in layers:
        total += layer
    return total


def best_change(
    off: Values, scaled: Values, apart: Values, own: Values, goal: Objective, parts: Ints
) -> tuple[Values, Ints, Ints, Ints]:
    """Find the move or swap of each replica that lowers the loss most.

    Parameters
    ----------
    off : ndarray of float64, shape (n_columns, n_replicas, n_parts)
    scaled : ndarray of float64, shape (n_columns, n_units)
        Counts by the rows of their column.
    apart : ndarray of float64, shape (n_units, n_units)
        Scaled squared distances of the counts.
    own : ndarray of float64, shape (n_units,)
        Scaled squares of the counts.
    parts : ndarray of int64, shape (n_replicas, n_units)

    Returns
    -------
    rise : ndarray of float64, shape (n_replicas,)
    first, second : ndarray of int64, shape (n_replicas,)
        The unit that leaves its part, and the one that comes back; -1 for none.
    to : ndarray of int64, shape (n_replicas,)
        The part that it goes to.
    """
    n_replicas, n_units = parts.shape
    pull = sum_layers(scaled[:, None, :, None] * off[:, :, None, :])
    here = np.take_along_axis(pull, parts[:, :, None], axis=2)
    share = goal.shares[parts][:, :, None]
    moved = (own[:, None] - 2 * here) / share + (2 * pull + own[:, None]) / goal.shares
    np.put_along_axis(moved, parts[:, :, None], np.inf, axis=2)
    # What a unit's part gains if another of the same pull comes in its place.
    there = np.take_along_axis(pull.transpose(0, 2, 1), parts[:, :, None], axis=1)
    half = (2 * (there - here) + apart) / share
    swapped = half + half.transpose(0, 2, 1)
    swapped[parts[:, :, None] == parts[:, None, :]] = np.inf
    moved, swapped = moved.reshape(n_replicas, -1), swapped.reshape(n_replicas, -1)
    move, swap = moved.argmin(axis=1), swapped.argmin(axis=1)
    every = np.arange(n_replicas)
    rises = np.stack([moved[every, move], swapped[every, swap]])
    swaps = rises[1] < rises[0]
    first = np.where(swaps, swap // n_units, move // len(goal.shares))
    second = np.where(swaps, swap % n_units, -1)
    to = np.where(swaps, parts[every, swap % n_units], move % len(goal.shares))
    return rises.min(axis=0), first, second, to
