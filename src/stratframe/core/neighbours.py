"""Orders of rows by nearness: chains and blocks of nearest neighbours inside strata."""

from collections.abc import Callable

import numpy as np

from .features import feature_scaling, unique_points
from .order import shuffled
from .strata import factorize_codes, first_occurrence
from .types import Codes, Ints, Values, Words

COMPACT_BELOW = 15 / 16
"""Share of remaining points below which the removed ones are dropped from the arrays."""


def nearest_order(
    codes: Codes,
    n_codes: int,
    points: Values,
    scale: str | None,
    block: int | None,
    draws: Words,
    progress: Callable[[int], object],
) -> Ints:
    """Order rows by their code, and inside a code by nearness.

    The draws choose the first row, and among equally near ones; they are overwritten.

    Sources: Zeng and Martinez (2000), Distribution-balanced stratified cross-validation for
    accuracy estimation. Moreno-Torres, Saez and Herrera (2012), Study on the impact of
    partition-induced dataset shift on k-fold cross-validation.
    """
    points, origin, unit = feature_scaling(points, scale)
    rows = shuffled(codes, n_codes, draws)
    ends = np.cumsum(np.bincount(codes, minlength=n_codes))
    for start, end in zip(ends - np.diff(ends, prepend=0), ends, strict=True):
        stratum = rows[start:end]
        inside = points[:, stratum]
        if block is None:
            rows[start:end] = stratum[chain_order(inside, origin, unit, progress)]
        else:
            rows[start:end] = stratum[block_order(inside, origin, unit, block, progress)]
    return rows


class NeighbourPool:
    """Points from which the nearest ones are taken, exactly and alike on every platform.

    Points, origin and unit are those of `feature_scaling`.
    """

    def __init__(self, points: Values, origin: Values, unit: Values) -> None:
        self.points, self.unit = points, unit
        self.scaled = (points - origin) / unit
        self.squares = (self.scaled**2).sum(axis=0)
        # Error of a distance, as a share of the two squares: that of the product and of
        # the sum over the features, and that of the scaling (Higham 2002, section 3.1).
        self.error = 4 * (len(points) + 8) * float(np.finfo(np.float64).eps)
        # The arrays of candidates: their numbers, coordinates and squares less the error,
        # infinite for those removed; and where in them each point is.
        self.numbers, self.candidates = np.arange(points.shape[1]), self.scaled
        self.lowest_squares = self.squares * (1 - self.error)
        self.positions = np.arange(points.shape[1])
        self.n_left = points.shape[1]

    def remove(self, numbers: Ints) -> None:
        """Remove points from the pool."""
        self.lowest_squares[self.positions[numbers]] = np.inf
        self.n_left -= len(numbers)

    def compact(self) -> None:
        """Drop removed points from the arrays."""
        stays = self.lowest_squares < np.inf
        self.numbers, self.lowest_squares = self.numbers[stays], self.lowest_squares[stays]
        self.candidates = np.ascontiguousarray(self.candidates[:, stays])
        self.positions[self.numbers] = np.arange(len(self.numbers))

    def nearest(self, point: int, count: int) -> Ints:
        """List the remaining points nearest to one, nearest first; ties by their number."""
        if self.n_left < COMPACT_BELOW * len(self.numbers):
            self.compact()
        count = min(count, self.n_left)
        if not count:
            return np.empty(0, dtype=np.int64)
        # |x - y|**2 less |x|**2, which is the same for all y, by one matrix product. Its
        # rounding depends on the platform, so it only selects candidates: a point whose
        # lower bound is above the upper bounds of `count` others is not among the nearest.
        lower = self.scaled[:, point] @ self.candidates
        lower *= -2
        lower += self.lowest_squares
        best = np.array([lower.argmin()])
        if count > 1:
            best = np.argpartition(lower, count - 1)[:count]
        squares = self.squares[self.numbers[best]] + self.squares[point]
        upper = lower[best] + 2 * self.error * squares
        chosen = np.flatnonzero(lower <= upper.max())
        if len(chosen) > 1:
            # These few are measured from the differences of the unscaled features, which
            # makes equal distances equal floats.
            offsets = self.points[:, self.numbers[chosen]] - self.points[:, [point]]
            offsets /= self.unit
            chosen = chosen[np.argsort((offsets**2).sum(axis=0), kind="stable")[:count]]
        return self.numbers[chosen]


def group_points(points: Values) -> tuple[Codes, Ints, Ints]:
    """Encode points as integers by first appearance; list their first rows and numbers of rows."""
    codes, present = factorize_codes(*unique_points(points))
    return codes, first_occurrence(codes, len(present)), np.bincount(codes, minlength=len(present))


def chain_order(
    points: Values, origin: Values, unit: Values, progress: Callable[[int], object]
) -> Ints:
    """Go from the first point always to the nearest one that was not visited yet."""
    # Rows that are the same point follow one another, so each point is visited once.
    codes, first, sizes = group_points(points)
    pool = NeighbourPool(points[:, first], origin, unit)
    turns = np.empty(len(first), dtype=np.int64)
    point = 0
    for turn in range(len(first)):
        turns[point] = turn
        pool.remove(np.array([point]))
        progress(int(sizes[point]))
        if pool.n_left:
            point = int(pool.nearest(point, 1)[0])
    return np.argsort(turns[codes], kind="stable")


def block_order(
    points: Values, origin: Values, unit: Values, size: int, progress: Callable[[int], object]
) -> Ints:
    """Make blocks of the first row that is left and those nearest to it.

    Of equally near points the one that appears first gives all its rows first.
    """
    codes, first, sizes = group_points(points)
    pool = NeighbourPool(points[:, first], origin, unit)
    # The remaining rows of each point are `queue[heads[point] : ends[point]]`.
    queue, ends = np.argsort(codes, kind="stable"), np.cumsum(sizes)
    heads = ends - sizes
    free = np.ones(len(codes), dtype=np.bool_)
    rows = np.empty_like(queue)
    row = 0
    for start in range(0, len(rows), size):
        row += int(free[row:].argmax())
        point, wanted = int(codes[row]), min(size, len(rows) - start)
        lacking = wanted - int(ends[point] - heads[point])
        members = [point]
        if lacking >= 0:
            # Each point has a row left, so that `lacking` points are enough.
            pool.remove(np.array([point]))
            members += pool.nearest(point, lacking).tolist()
        block = np.concatenate([queue[heads[each] : ends[each]] for each in members])[:wanted]
        rows[start : start + wanted] = block
        free[block] = False
        np.add.at(heads, codes[block], 1)
        used_up = [each for each in members[1:] if heads[each] == ends[each]]
        pool.remove(np.array(used_up, dtype=int))
        progress(wanted)
    return rows
