"""Parts for whole units under a target table: placed one by one, then moved and swapped."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from .types import Draws, Ints, Values
from .units import Units, dense, table_of

Stream: TypeAlias = Callable[[int], Draws]
"""Draws so many raw words, others at each call."""

SMALL = 64
"""Units up to which every move and every swap is tried."""

REPLICAS, KICKS, KICKED = 8, 160, 4
"""Searches of few units side by side, how often each is shaken, and by how many units."""

BATCH, CELLS = 1 << 12, 1 << 17
"""Pairs of units that are tried at once, and cells of their counts."""

PATIENCE, WORTH = 16, 0.02
"""Batches in turn that gain little after which the search ends, and what is little: a
share of what is left to gain."""

LEAST = 1e-9
"""The least gain that counts, as rounding makes smaller ones of nothing."""


class Goal(NamedTuple):
    """What the parts of units should hold.

    The loss is the sum, over parts and columns, of the squared deviation from the target
    by the target. The best partition under it is NP-hard to find, as that of numbers into
    equal sums is.
    """

    target: Values
    """Rows of each column in each part, shape (n_columns, n_parts)."""
    scale: Values
    """What a squared deviation weighs: 1 / rows of the column; shape (n_columns,)."""
    shares: Values
    """Of the parts, shape (n_parts,)."""
    least: float
    """A loss that no partition into whole rows can go below."""


def goal_of(totals: Ints, shares: Values) -> Goal:
    """Make the goal of columns that are to be shared out.

    Parameters
    ----------
    totals : ndarray of int, shape (n_columns,)
    shares : ndarray of float64, shape (n_parts,)
        They sum to 1.

    Returns
    -------
    Goal

    Examples
    --------
    >>> goal_of(np.array([4, 3]), np.array([0.5, 0.5])).least
    0.33...
    """
    target = totals[:, None] * shares
    scale = 1 / np.maximum(totals, 1)
    near = np.minimum(target % 1, -target % 1)
    left = totals % len(shares)
    if (shares == shares[0]).all():
        # Of r rows left over, r parts get one more.
        spare = left * (len(shares) - left) * scale
    else:
        spare = (near**2 / shares).sum(axis=1) * scale
    return Goal(target, scale, shares, float(spare.sum()))


def loss(goal: Goal, table: Values) -> float:
    """Measure how far parts are from the goal.

    Parameters
    ----------
    goal : Goal
    table : ndarray, shape (n_columns, n_parts)

    Examples
    --------
    >>> loss(goal_of(np.array([4]), np.array([0.5, 0.5])), np.array([[3, 1]]))
    1.0
    """
    return float(((table - goal.target) ** 2 / goal.shares * goal.scale[:, None]).sum())


def is_least(found: float, goal: Goal) -> bool:
    """Say whether a loss is, but for rounding, the least that whole rows allow.

    Examples
    --------
    >>> goal = goal_of(np.array([4]), np.array([0.5, 0.5]))
    >>> is_least(0.0, goal), is_least(1.0, goal)
    (True, False)
    """
    return bool(found <= goal.least * (1 + LEAST) + LEAST)


def place(units: Units, order: Ints, goal: Goal, parts: Ints, room: Ints | None = None) -> None:
    """Give units, one after another, the part where the loss grows least.

    Parameters
    ----------
    units : Units
    order : ndarray of int, shape (n_placed,)
        The units that have no part yet, hardest first.
    goal : Goal
    parts : ndarray of int, shape (n_units,)
        Changed in place.
    room : ndarray of int, shape (n_parts,), optional
        How many more units each part takes.

    Examples
    --------
    >>> from stratframe.core.units import gather
    >>> units = gather(np.array([0, 0, 0, 1, 1, 2]), np.zeros(6, dtype=int), 3, 1)
    >>> parts = np.full(3, -1)
    >>> place(units, np.array([0, 1, 2]), goal_of(units.totals, np.array([0.5, 0.5])), parts)
    >>> parts
    array([0, 1, 1])
    """
    n_parts = len(goal.shares)
    off = table_of(units, parts, n_parts) - goal.target
    closed = np.zeros(n_parts)
    left = None if room is None else room.tolist()
    if room is not None:
        closed[room <= 0] = np.inf
    starts = units.starts
    for unit in order.tolist():
        own = slice(starts[unit], starts[unit + 1])
        columns, counts = units.columns[own], units.counts[own]
        here = off[columns]
        weights = (counts * goal.scale[columns])[:, None]
        rise = (weights * (2 * here + counts[:, None])).sum(axis=0)
        rise /= goal.shares
        rise += closed
        part = int(rise.argmin())
        parts[unit] = part
        off[columns, part] += counts
        if left is not None:
            left[part] -= 1
            if not left[part]:
                closed[part] = np.inf


def polish(
    units: Units,
    goal: Goal,
    parts: Ints,
    stream: Stream,
    *,
    moves: bool,
    movable: Ints | None = None,
) -> None:
    """Move and swap units, sampled in batches, until none of many batches gains much.

    Parameters
    ----------
    units : Units
    goal : Goal
    parts : ndarray of int, shape (n_units,), range 0..n_parts-1
        Changed in place.
    stream : Stream
    moves : bool
        Whether a unit may go to another part without one that comes back.
    movable : ndarray of int, shape (n_movable,), optional
        The units that may change their part; all by default.

    Examples
    --------
    >>> from stratframe.core.draws import Use, stream_of
    >>> from stratframe.core.units import gather
    >>> units = gather(np.array([0, 0, 1, 1, 2, 3]), np.zeros(6, dtype=int), 4, 1)
    >>> parts, goal = np.array([0, 0, 1, 1]), goal_of(units.totals, np.array([0.5, 0.5]))
    >>> polish(units, goal, parts, stream_of(0, Use.FOLD_SEARCH), moves=False)
    >>> table_of(units, parts, 2)
    array([[3, 3]])
    """
    n_units, n_parts = len(parts) if movable is None else len(movable), len(goal.shares)
    if n_units < 2:
        return
    off = table_of(units, parts, n_parts) - goal.target
    now = loss(goal, off + goal.target)
    size = max(64, min(BATCH, CELLS // max(len(goal.scale), 1)))
    idle = 0
    while idle < PATIENCE and not is_least(now, goal):
        drawn = stream(3 * size)
        one, other = (
            (words % np.uint64(n_units)).astype(np.int64)
            for words in (drawn[:size], drawn[size : 2 * size])
        )
        if movable is not None:
            one, other = movable[one], movable[other]
        to = parts[other].astype(np.int64)
        change = -dense(units, one)
        lone = (drawn[2 * size :] >> np.uint64(63)).astype(np.bool_) & moves
        change[:, ~lone] += dense(units, other[~lone])
        to[lone] = (drawn[2 * size :][lone] % np.uint64(n_parts)).astype(np.int64)
        gain = apply_best(off, goal, parts, one, np.where(lone, -1, other), to, change)
        now -= gain
        idle = 0 if gain > WORTH * (now - goal.least) else idle + 1


def rise_of(off: Values, goal: Goal, change: Values, source: Ints, to: Ints) -> Values:
    """Tell by how much the loss rises if parts take changes from each other.

    Parameters
    ----------
    off : ndarray of float64, shape (n_columns, n_parts)
        Deviations from the target.
    goal : Goal
    change : ndarray of float64, shape (n_columns, n_changes)
        What the source gains, and the other part loses.
    source, to : ndarray of int, shape (n_changes,)

    Returns
    -------
    ndarray of float64, shape (n_changes,)

    Examples
    --------
    >>> goal = goal_of(np.array([4]), np.array([0.5, 0.5]))
    >>> rise_of(np.array([[1.0, -1.0]]), goal, np.array([[-1.0]]), np.array([0]), np.array([1]))
    array([-1.])
    """
    weighted = change * goal.scale[:, None]
    gains = (weighted * (2 * off[:, source] + change)).sum(axis=0)
    losses = (weighted * (change - 2 * off[:, to])).sum(axis=0)
    rise: Values = gains / goal.shares[source] + losses / goal.shares[to]
    return rise


def apply_best(
    off: Values, goal: Goal, parts: Ints, one: Ints, other: Ints, to: Ints, change: Values
) -> float:
    """Carry out the changes of a batch that lower the loss, the best first.

    Parameters
    ----------
    off : ndarray of float64, shape (n_columns, n_parts)
        Changed in place, as are the parts.
    goal : Goal
    parts : ndarray of int, shape (n_units,)
    one, other : ndarray of int, shape (n_changes,)
        The unit that leaves its part, and the one that comes back, or -1.
    to : ndarray of int, shape (n_changes,)
        The part that it goes to.
    change : ndarray of float64, shape (n_columns, n_changes)

    Returns
    -------
    float
        By how much the loss fell.

    Examples
    --------
    >>> goal, off = goal_of(np.array([4]), np.array([0.5, 0.5])), np.array([[1.0, -1.0]])
    >>> one, none, to = np.array([0]), np.array([-1]), np.array([1])
    >>> apply_best(off, goal, np.array([0, 0, 0, 1]), one, none, to, np.array([[-1.0]]))
    1.0
    """
    source = parts[one].astype(np.int64)
    rise = rise_of(off, goal, change, source, to)
    good = np.flatnonzero((rise < -LEAST) & (source != to))
    good = good[np.argsort(rise[good], kind="stable")]
    gone: set[int] = set()
    fell = 0.0
    for place in good.tolist():
        units = {int(one[place]), int(other[place])}
        if gone & units:
            continue
        its = slice(place, place + 1)
        now = float(rise_of(off, goal, change[:, its], source[its], to[its])[0])
        if now < -LEAST:
            off[:, source[place]] += change[:, place]
            off[:, to[place]] -= change[:, place]
            parts[one[place]] = to[place]
            if other[place] >= 0:
                parts[other[place]] = source[place]
            gone |= units - {-1}
            fell -= now
    return fell


def explore(units: Units, goal: Goal, parts: Ints, stream: Stream) -> None:
    """Search partitions of few units: several descents side by side, shaken again and again.

    Parameters
    ----------
    units : Units
    goal : Goal
    parts : ndarray of int, shape (n_units,), range 0..n_parts-1
        A start; the best partition that is found replaces it.
    stream : Stream

    References
    ----------
    Lourenco, Martin and Stutzle (2003), Iterated local search.

    Examples
    --------
    >>> from stratframe.core.draws import Use, stream_of
    >>> from stratframe.core.units import gather
    >>> units = gather(np.array([0, 0, 1, 1, 2, 3]), np.zeros(6, dtype=int), 4, 1)
    >>> parts, goal = np.array([0, 0, 1, 1]), goal_of(units.totals, np.array([0.5, 0.5]))
    >>> explore(units, goal, parts, stream_of(0, Use.FOLD_SEARCH))
    >>> table_of(units, parts, 2)
    array([[3, 3]])
    """
    n_units, n_parts = len(parts), len(goal.shares)
    counts = dense(units, np.arange(n_units))
    tried = (stream(REPLICAS * n_units) % np.uint64(n_parts)).astype(np.int64)
    best = tried.reshape(REPLICAS, n_units)
    best[0] = parts
    losses = descend(counts, goal, best)
    replicas = np.arange(REPLICAS)
    for _ in range(KICKS):
        if is_least(losses.min(), goal):
            break
        drawn = stream(2 * REPLICAS * KICKED).reshape(2, KICKED, REPLICAS)
        shaken = best.copy()
        for unit, part in zip(drawn[0], drawn[1], strict=True):
            shaken[replicas, unit % np.uint64(n_units)] = part % np.uint64(n_parts)
        found = descend(counts, goal, shaken)
        better = found < losses
        best[better], losses[better] = shaken[better], found[better]
    parts[:] = best[losses.argmin()]


def descend(counts: Values, goal: Goal, parts: Ints) -> Values:
    """Take the best move or swap of each replica until none lowers its loss.

    Parameters
    ----------
    counts : ndarray of float64, shape (n_columns, n_units)
    goal : Goal
    parts : ndarray of int64, shape (n_replicas, n_units), range 0..n_parts-1
        Changed in place.

    Returns
    -------
    ndarray of float64, shape (n_replicas,)
        The losses.

    Examples
    --------
    >>> counts, goal = np.array([[2.0, 1.0, 1.0]]), goal_of(np.array([4]), np.array([0.5, 0.5]))
    >>> parts = np.array([[0, 0, 0]])
    >>> descend(counts, goal, parts), parts
    (array([0.]), array([[1, 0, 0]]))
    """
    scaled = counts * goal.scale[:, None]
    own = (counts * scaled).sum(axis=0)
    both = sum_of(counts[:, :, None] * scaled[:, None, :])
    apart = own[:, None] + own - 2 * both
    every = np.arange(len(parts))
    held = parts[:, :, None] == np.arange(len(goal.shares))
    off = np.stack([(held * row[:, None]).sum(axis=1) for row in counts]) - goal.target[:, None]
    active = every
    while len(active):
        rise, first, second, to = best_change(
            off[:, active], scaled, apart, own, goal, parts[active]
        )
        gains = rise < -LEAST
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


def sum_of(layers: Values) -> Values:
    """Add layers one after another, in the same order on every platform.

    Examples
    --------
    >>> sum_of(np.ones((3, 2)))
    array([3., 3.])
    """
    total = np.zeros(layers.shape[1:])
    for layer in layers:
        total += layer
    return total


def best_change(
    off: Values, scaled: Values, apart: Values, own: Values, goal: Goal, parts: Ints
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
    goal : Goal
    parts : ndarray of int64, shape (n_replicas, n_units)

    Returns
    -------
    rise : ndarray of float64, shape (n_replicas,)
    first, second : ndarray of int64, shape (n_replicas,)
        The unit that leaves its part, and the one that comes back; -1 for none.
    to : ndarray of int64, shape (n_replicas,)
        The part that it goes to.

    Examples
    --------
    >>> goal = goal_of(np.array([4]), np.array([0.5, 0.5]))
    >>> off, scaled = np.array([[[2.0, -2.0]]]), np.array([[0.5, 0.25, 0.25]])
    >>> own, apart = np.array([1, 0.25, 0.25]), np.zeros((3, 3))
    >>> best_change(off, scaled, apart, own, goal, np.array([[0, 0, 0]]))
    (array([-4.]), array([0]), array([-1]), array([1]))
    """
    n_replicas, n_units = parts.shape
    pull = sum_of(scaled[:, None, :, None] * off[:, :, None, :])
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
