"""Parts for whole units under a target table: placed one by one, then samples of changes."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from ..types import Draws, Ints, Values
from .counts import UnitCounts, part_table, to_dense

Stream: TypeAlias = Callable[[int], Draws]
"""Draws so many raw words, others at each call."""

BATCH, CELLS = 1 << 12, 1 << 17
"""Pairs of units that are tried at once, and cells of their counts."""

PATIENCE, WORTH = 16, 0.02
"""Batches in turn that gain little after which the search ends, and what is little: a
share of what is left to gain."""

MIN_GAIN = 1e-9
"""The least gain that counts, as rounding makes smaller ones of nothing."""


class Objective(NamedTuple):
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
    lower_bound: float
    """A loss that no partition into whole rows can go below."""


def make_objective(totals: Ints, shares: Values) -> Objective:
    """Make the goal of columns that are to be shared out.

    Parameters
    ----------
    totals : ndarray of int, shape (n_columns,)
    shares : ndarray of float64, shape (n_parts,)
        They sum to 1.
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
    return Objective(target, scale, shares, float(spare.sum()))


def total_loss(goal: Objective, table: Values) -> float:
    """Measure how far parts are from the goal.

    Parameters
    ----------
    table : ndarray, shape (n_columns, n_parts)
    """
    return float(((table - goal.target) ** 2 / goal.shares * goal.scale[:, None]).sum())


def is_optimal(found: float, goal: Objective) -> bool:
    """Say whether a loss is, but for rounding, the least that whole rows allow."""
    return bool(found <= goal.lower_bound * (1 + MIN_GAIN) + MIN_GAIN)


def greedy_assign(
    units: UnitCounts, order: Ints, goal: Objective, parts: Ints, room: Ints | None = None
) -> None:
    """Give units, one after another, the part where the loss grows least.

    Parameters
    ----------
    order : ndarray of int, shape (n_placed,)
        The units that have no part yet, hardest first.
    parts : ndarray of int, shape (n_units,)
        Changed in place.
    room : ndarray of int, shape (n_parts,), optional
        How many more units each part takes.
    """
    n_parts = len(goal.shares)
    off = part_table(units, parts, n_parts) - goal.target
    closed = np.zeros(n_parts)
    left = None if room is None else room.tolist()
    if room is not None:
        closed[room <= 0] = np.inf
    starts = units.indptr
    for unit in order.tolist():
        own = slice(starts[unit], starts[unit + 1])
        columns, counts = units.indices[own], units.data[own]
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


def sampled_local_search(
    units: UnitCounts,
    goal: Objective,
    parts: Ints,
    stream: Stream,
    *,
    moves: bool,
    movable: Ints | None = None,
) -> None:
    """Move and swap units, sampled in batches, until none of many batches gains much.

    Parameters
    ----------
    parts : ndarray of int, shape (n_units,), range 0..n_parts-1
        Changed in place.
    movable : ndarray of int, shape (n_movable,), optional
        The units that may change their part; all by default.
    """
    n_units, n_parts = len(parts) if movable is None else len(movable), len(goal.shares)
    if n_units < 2:
        return
    off = part_table(units, parts, n_parts) - goal.target
    now = total_loss(goal, off + goal.target)
    size = max(64, min(BATCH, CELLS // max(len(goal.scale), 1)))
    idle = 0
    while idle < PATIENCE and not is_optimal(now, goal):
        drawn = stream(3 * size)
        one, other = (
            (words % np.uint64(n_units)).astype(np.int64)
            for words in (drawn[:size], drawn[size : 2 * size])
        )
        if movable is not None:
            one, other = movable[one], movable[other]
        to = parts[other].astype(np.int64)
        change = -to_dense(units, one)
        lone = (drawn[2 * size :] >> np.uint64(63)).astype(np.bool_) & moves
        change[:, ~lone] += to_dense(units, other[~lone])
        to[lone] = (drawn[2 * size :][lone] % np.uint64(n_parts)).astype(np.int64)
        gain = apply_improving_moves(off, goal, parts, one, np.where(lone, -1, other), to, change)
        now -= gain
        idle = 0 if gain > WORTH * (now - goal.lower_bound) else idle + 1


def delta_loss(off: Values, goal: Objective, change: Values, source: Ints, to: Ints) -> Values:
    """Tell by how much the loss rises if parts take changes from each other.

    Parameters
    ----------
    off : ndarray of float64, shape (n_columns, n_parts)
        Deviations from the target.
    change : ndarray of float64, shape (n_columns, n_changes)
        What the source gains, and the other part loses.
    source, to : ndarray of int, shape (n_changes,)

    Returns
    -------
    ndarray of float64, shape (n_changes,)
    """
    weighted = change * goal.scale[:, None]
    gains = (weighted * (2 * off[:, source] + change)).sum(axis=0)
    losses = (weighted * (change - 2 * off[:, to])).sum(axis=0)
    rise: Values = gains / goal.shares[source] + losses / goal.shares[to]
    return rise


def apply_improving_moves(
    off: Values, goal: Objective, parts: Ints, one: Ints, other: Ints, to: Ints, change: Values
) -> float:
    """Carry out the changes of a batch that lower the loss, the best first.

    Parameters
    ----------
    off : ndarray of float64, shape (n_columns, n_parts)
        Changed in place, as are the parts.
    parts : ndarray of int, shape (n_units,)
    one, other : ndarray of int, shape (n_changes,)
        The unit that leaves its part, and the one that comes back, or -1.
    to : ndarray of int, shape (n_changes,)
        The part that it goes to.
    change : ndarray of float64, shape (n_columns, n_changes)
    """
    source = parts[one].astype(np.int64)
    rise = delta_loss(off, goal, change, source, to)
    good = np.flatnonzero((rise < -MIN_GAIN) & (source != to))
    good = good[np.argsort(rise[good], kind="stable")]
    gone: set[int] = set()
    fell = 0.0
    for place in good.tolist():
        units = {int(one[place]), int(other[place])}
        if gone & units:
            continue
        its = slice(place, place + 1)
        now = float(delta_loss(off, goal, change[:, its], source[its], to[its])[0])
        if now < -MIN_GAIN:
            off[:, source[place]] += change[:, place]
            off[:, to[place]] -= change[:, place]
            parts[one[place]] = to[place]
            if other[place] >= 0:
                parts[other[place]] = source[place]
            gone |= units - {-1}
            fell -= now
    return fell
