"""Orders of rows by nearness: chains and blocks of nearest neighbours inside strata."""

from collections.abc import Callable

import numpy as np

from .features import feature_scaling, unique_points
from .order import shuffled
from .strata import factorize_codes, first_occurrence
from .types import Draws, Ints, Values

COMPACT_BELOW = 15 / 16
"""Share of rows left at which those taken are dropped from the arrays."""


def nearest_order(
    codes: Ints,
    n_codes: int,
    points: Values,
    scale: str | None,
    block: int | None,
    draws: Draws,
    advance: Callable[[int], object],
) -> Ints:
    """Order rows by their code, and inside a code by nearness.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows,), range 0..n_codes-1
    points : ndarray of float64, shape (n_features, n_rows), finite
    draws : ndarray of uint64, shape (n_rows,)
        Used up. They say which row is next at random, and which of equally near ones.

    Returns
    -------
    ndarray of int64, shape (n_rows,)
        Row numbers.

    References
    ----------
    Zeng and Martinez (2000), Distribution-balanced stratified cross-validation for
    accuracy estimation. Moreno-Torres, Saez and Herrera (2012), Study on the impact of
    partition-induced dataset shift on k-fold cross-validation.
    """
    points, origin, unit = feature_scaling(points, scale)
    rows = shuffled(codes, n_codes, draws)
    ends = np.cumsum(np.bincount(codes, minlength=n_codes))
    for start, end in zip(ends - np.diff(ends, prepend=0), ends, strict=True):
        own = rows[start:end]
        near = points[:, own]
        if block is None:
            rows[start:end] = own[chain_order(near, origin, unit, advance)]
        else:
            rows[start:end] = own[block_order(near, origin, unit, block, advance)]
    return rows


class NeighbourPool:
    """Points, those of them that are taken, and the nearest of the others.

    A matrix product finds who may be nearest, within the bounds of its rounding; the
    few that it cannot tell apart are measured exactly, each feature's difference before
    its scaling. So the order is the same on every platform, and equal distances are
    equal.

    Parameters
    ----------
    points : ndarray of float64, shape (n_features, n_points)
    origin, unit : ndarray of float64, shape (n_features, 1)
        As `units` gives them.
    """

    def __init__(self, points: Values, origin: Values, unit: Values) -> None:
        self.points, self.unit = points, unit
        self.scaled = (points - origin) / unit
        self.squares = (self.scaled**2).sum(axis=0)
        # Error of a distance, as a share of the two squares: that of the product and of
        # the sum over the features, and that of the scaling (Higham 2002, section 3.1).
        self.slack = 4 * (len(points) + 8) * float(np.finfo(np.float64).eps)
        self.places = np.arange(points.shape[1])
        self.rows, self.crowd = self.places.copy(), self.scaled
        self.lowest = self.squares * (1 - self.slack)
        self.left = points.shape[1]

    def take(self, rows: Ints) -> None:
        """Take points out."""
        self.lowest[self.places[rows]] = np.inf
        self.left -= len(rows)

    def thin(self) -> None:
        """Drop the points that are taken from the arrays."""
        stays = self.lowest < np.inf
        self.rows, self.lowest = self.rows[stays], self.lowest[stays]
        self.crowd = np.ascontiguousarray(self.crowd[:, stays])
        self.places[self.rows] = np.arange(len(self.rows))

    def nearest(self, row: int, count: int) -> Ints:
        """List the points not taken that are nearest to one, the nearest first.

        Equally near ones come in the order of their numbers.
        """
        if self.left < COMPACT_BELOW * len(self.rows):
            self.thin()
        count = min(count, self.left)
        if not count:
            return np.empty(0, dtype=np.int64)
        near = self.scaled[:, row] @ self.crowd
        near *= -2
        near += self.lowest
        best = np.array([near.argmin()])
        if count > 1:
            best = np.argpartition(near, count - 1)[:count]
        rounding = self.squares[self.rows[best]] + self.squares[row]
        found = np.flatnonzero(near <= (near[best] + 2 * self.slack * rounding).max())
        if len(found) > 1:
            apart = self.points[:, self.rows[found]] - self.points[:, [row]]
            apart /= self.unit
            found = found[np.argsort((apart**2).sum(axis=0), kind="stable")[:count]]
        return self.rows[found]


def group_points(points: Values) -> tuple[Ints, Ints, Ints]:
    """Give the rows that are the same point one number, by first appearance.

    Parameters
    ----------
    points : ndarray of float64, shape (n_features, n_rows)

    Returns
    -------
    codes : ndarray of int64, shape (n_rows,), range 0..n_points-1
    first : ndarray of int64, shape (n_points,)
        The first row of each point.
    sizes : ndarray of int64, shape (n_points,)
        Its rows.
    """
    codes, present = factorize_codes(*unique_points(points))
    return codes, first_occurrence(codes, len(present)), np.bincount(codes, minlength=len(present))


def chain_order(
    points: Values, origin: Values, unit: Values, advance: Callable[[int], object]
) -> Ints:
    """Go from the first point always to the nearest that is not yet taken.

    Rows that are the same point follow one another, so each point is visited once.

    Parameters
    ----------
    points : ndarray of float64, shape (n_features, n_rows)
    origin, unit : ndarray of float64, shape (n_features, 1)

    Returns
    -------
    ndarray of int64, shape (n_rows,)
    """
    codes, first, sizes = group_points(points)
    crowd = NeighbourPool(points[:, first], origin, unit)
    turns = np.empty(len(first), dtype=np.int64)
    point = 0
    for turn in range(len(first)):
        turns[point] = turn
        crowd.take(np.array([point]))
        advance(int(sizes[point]))
        if crowd.left:
            point = int(crowd.nearest(point, 1)[0])
    return np.argsort(turns[codes], kind="stable")


def block_order(
    points: Values, origin: Values, unit: Values, size: int, advance: Callable[[int], object]
) -> Ints:
    """Put together the first row not yet taken and those nearest to it, and again.

    Of equally near points the one that appears first gives all its rows first.

    Parameters
    ----------
    points : ndarray of float64, shape (n_features, n_rows)
    origin, unit : ndarray of float64, shape (n_features, 1)

    Returns
    -------
    ndarray of int64, shape (n_rows,)
    """
    codes, first, sizes = group_points(points)
    crowd = NeighbourPool(points[:, first], origin, unit)
    queue, ends = np.argsort(codes, kind="stable"), np.cumsum(sizes)
    heads = ends - sizes
    free = np.ones(len(codes), dtype=np.bool_)
    rows = np.empty_like(queue)
    row = 0
    for start in range(0, len(rows), size):
        row += int(free[row:].argmax())
        point, wanted = int(codes[row]), min(size, len(rows) - start)
        lacking = wanted - int(ends[point] - heads[point])
        near = [point]
        if lacking >= 0:
            crowd.take(np.array([point]))
            near += crowd.nearest(point, lacking).tolist()
        block = np.concatenate([queue[heads[each] : ends[each]] for each in near])[:wanted]
        rows[start : start + wanted] = block
        free[block] = False
        np.add.at(heads, codes[block], 1)
        crowd.take(np.array([each for each in near[1:] if heads[each] == ends[each]], dtype=int))
        advance(wanted)
    return rows
