"""Order the rows of each stratum by nearness, in a chain or in blocks of nearest neighbours."""

from collections.abc import Callable

import numpy as np

from .order import shuffled
from .points import unique_points
from .strata import factorize_codes, first_occurrence
from .types import Codes, Ints, Values, Words

COMPACT_BELOW = 15 / 16
"""The share of remaining points below which removed points are dropped from the arrays."""

FEW, WIDEN_FROM = 1 << 13, 1 / 8
"""With up to `FEW` points per feature, a search compares all points. With more, it begins with a
window of points, or with all if half a window would hold over `WIDEN_FROM` of the points."""

RUNS = 4
"""The number of runs of points per neighbour sought; the nearest point of a run gives a bound."""

TINY, TINY_SHARE = 1e-150, 1e-9
"""The absolute tolerance for distances, in units of the feature, and the relative tolerance."""


def nearest_order(
    codes: Codes,
    n_codes: int,
    features: tuple[Values, Values, Values],
    block: int | None,
    draws: Words,
    progress: Callable[[int], object],
    few: int = FEW,
) -> Ints:
    """Sort rows by code, and order the rows within a code by nearness.

    The order is a chain if `block` is None, and a sequence of blocks of `block` rows otherwise.
    `features` is the result of `feature_scaling`, and `few` is as in `NeighbourPool`. The draws
    determine the first row and the order of equally near rows; the draws are overwritten.

    Sources: Zeng and Martinez (2000), Distribution-balanced stratified cross-validation for
    accuracy estimation. Moreno-Torres, Saez and Herrera (2012), Study on the impact of
    partition-induced dataset shift on k-fold cross-validation.
    """
    points, origin, unit = features
    rows = shuffled(codes, n_codes, draws)
    ends = np.cumsum(np.bincount(codes, minlength=n_codes))
    for start, end in zip(ends - np.diff(ends, prepend=0), ends, strict=True):
        stratum = rows[start:end]
        inside = points[:, stratum]
        # Rows at the same point share a code; codes are numbered by first appearance.
        own, present = factorize_codes(*unique_points(inside))
        first, sizes = first_occurrence(own, len(present)), np.bincount(own, minlength=len(present))
        pool = NeighbourPool(inside[:, first], origin, unit, few)
        if block is None:
            rows[start:end] = stratum[chain_order(pool, own, sizes, progress)]
        else:
            rows[start:end] = stratum[block_order(pool, own, sizes, block, progress)]
    return rows


class NeighbourPool:
    """A set of points with a search for neighbours that gives the same result on every platform.

    `points`, `origin` and `unit` are as in `feature_scaling`. If there are more than `few` points
    per feature, the points are sorted by one feature. A search can then exclude points that
    are farther away in this feature alone than the nearest points found so far.
    """

    def __init__(self, points: Values, origin: Values, unit: Values, few: int = FEW) -> None:
        self.points, self.unit = points, unit
        self.scaled = (points - origin) / unit
        self.squares = (self.scaled**2).sum(axis=0)
        # The error of a squared distance, as a share of the sum of the two squared lengths. It
        # comes from the product, the sum over features and the scaling (Higham 2002, Accuracy and
        # stability of numerical algorithms, section 3.1).
        self.error = 4 * (len(points) + 8) * float(np.finfo(np.float64).eps)
        # `numbers`, `candidates` and `lowest_squares` hold the number of each candidate, its
        # coordinates, and its squared length minus the error (infinite once the point is removed).
        # `positions` gives the place of each point in these arrays.
        self.n_left = points.shape[1]
        self.numbers, self.axis = np.arange(self.n_left), -1
        self.lowest_squares = self.squares * (1 - self.error)
        self.positions = np.empty(self.n_left, dtype=np.int64)
        if self.n_left > few * len(points):
            # The feature with the widest interquartile range separates the points best.
            quarters = [self.n_left // 4, 3 * self.n_left // 4]
            low, high = np.partition(self.scaled, quarters, axis=1)[:, quarters].T
            self.axis = int((high - low).argmax())
            self.numbers = np.argsort(points[self.axis], kind="stable")
            self.lowest_squares = self.lowest_squares[self.numbers]
        self.half = float(self.n_left**0.5)
        self.gather()

    def gather(self) -> None:
        self.candidates = np.ascontiguousarray(self.scaled[:, self.numbers])
        self.along = self.points[self.axis, self.numbers]
        self.positions[self.numbers] = np.arange(len(self.numbers))

    def remove(self, numbers: Ints) -> None:
        self.lowest_squares[self.positions[numbers]] = np.inf
        self.n_left -= len(numbers)

    def nearest(self, point: int, count: int) -> Ints:
        """List the `count` remaining points nearest to a point, by distance and then by number."""
        if self.n_left < COMPACT_BELOW * len(self.numbers):
            stays = self.lowest_squares < np.inf
            self.numbers, self.lowest_squares = self.numbers[stays], self.lowest_squares[stays]
            self.gather()
        count, n = min(count, self.n_left), len(self.numbers)
        if not count:
            return np.empty(0, dtype=np.int64)
        if self.axis < 0:
            return self.nearest_within(point, count, 0, n)[0]
        x, unit = self.points[self.axis, point], self.unit[self.axis, 0]
        place, half = int(self.along.searchsorted(x)), max(int(2 * self.half), count)
        if half > WIDEN_FROM * n:
            half = n
        low, high = max(place - half, 0), min(place + half, n)
        while True:
            found, square = self.nearest_within(point, count, low, high)
            reach = (square**0.5 + TINY) * unit * (1 + TINY_SHARE)
            first = int(self.along.searchsorted(x - reach))
            last = int(self.along.searchsorted(x + reach, "right"))
            if low <= first and last <= high:
                self.half += (max(place - first, last - place) - self.half) / 8
                return found
            half *= 4
            low, high = max(place - half, first), min(place + half, last)

    def nearest_within(self, point: int, count: int, low: int, high: int) -> tuple[Ints, float]:
        """List the nearest of candidates `low` to `high - 1`, and bound their squared distances."""
        # One matrix product gives |x - y|**2 - |x|**2 for all y. Its rounding depends on the
        # platform, so the product is only used to exclude points: a point with a lower bound above
        # the upper bounds of `count` other points is not among the nearest.
        lower = self.scaled[:, point] @ self.candidates[:, low:high]
        lower *= -2
        lower += self.lowest_squares[low:high]
        numbers, n_runs = self.numbers[low:high], RUNS * count if count > 1 else 1
        others: list[int] = []
        if width := len(lower) // n_runs:
            # The nearest point of each run is found quickly, and gives an upper bound.
            runs = lower[: width * n_runs].reshape(n_runs, width)
            nearest = runs.argmin(axis=1) + np.arange(0, runs.size, width)
            others = sorted(nearest.tolist(), key=lower.item)[:count]
        if not others or lower.item(others[-1]) == np.inf:
            others = np.argpartition(lower, count - 1)[:count].tolist()
        square, upper = self.squares.item(point), -np.inf
        for each in others:
            error = 2 * self.error * (self.squares.item(numbers.item(each)) + square)
            upper = max(upper, lower.item(each) + error)
        if upper == np.inf:
            return numbers[:0], upper
        chosen = numbers[(lower <= upper).nonzero()[0]]
        if len(chosen) > 1:
            # The distances of these few points are computed from differences in the unscaled
            # features so that equal distances give equal floats.
            offsets = self.points[:, chosen]
            offsets -= self.points[:, point, None]
            offsets /= self.unit
            chosen = chosen[np.lexsort((chosen, (offsets**2).sum(axis=0)))[:count]]
        return chosen, max(upper + square, 0.0)


def chain_order(
    pool: NeighbourPool, codes: Codes, sizes: Ints, progress: Callable[[int], object]
) -> Ints:
    """Order rows in a chain that goes from each point to the nearest unvisited point."""
    # Rows at the same point follow one another, so each point is visited once.
    turns = np.empty(len(sizes), dtype=np.int64)
    point = 0
    for turn in range(len(sizes)):
        turns[point] = turn
        pool.remove(np.array([point]))
        progress(int(sizes[point]))
        if pool.n_left:
            point = int(pool.nearest(point, 1)[0])
    return np.argsort(turns[codes], kind="stable")


def block_order(
    pool: NeighbourPool, codes: Codes, sizes: Ints, size: int, progress: Callable[[int], object]
) -> Ints:
    """Order rows in blocks, each with the first remaining row and the rows nearest to it.

    If points are equally near, the rows of the point that appears first come first.
    """
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
            # Each point has at least one row left, so `lacking` points have enough rows.
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
