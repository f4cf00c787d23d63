"""Order the rows of each stratum by nearness, in a chain or in blocks of nearest neighbours."""

from collections.abc import Callable

import numpy as np

from .order import shuffled
from .points import unique_points
from .strata import factorize_codes, first_occurrence
from .types import Codes, Ints, Values, Words

COMPACT_BELOW = 15 / 16
"""The share of remaining points below which removed points are dropped from the arrays."""

FEW = 1 << 13
"""The number of points per feature up to which a search compares all points. With more points, it
begins with a window of points."""

WIDEN_FROM = 1 / 8
"""A search begins with all points if half a window would hold more than this share of them."""

RUNS = 4
"""The number of runs of points per neighbour sought; the nearest point of a run gives a bound."""

TINY = 1e-150
"""The absolute tolerance for distances, in units of the feature."""

TINY_SHARE = 1e-9
"""The relative tolerance for distances."""


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
        rows[start:end] = stratum[order_points(inside, origin, unit, block, progress, few)]
    return rows


def order_points(
    points: Values,
    origin: Values,
    unit: Values,
    block: int | None,
    progress: Callable[[int], object],
    few: int,
) -> Ints:
    """Order the rows of one stratum; the arguments are as in `nearest_order`."""
    # Rows at the same point share a code; codes are numbered by first appearance.
    codes, present = factorize_codes(*unique_points(points))
    first = first_occurrence(codes, len(present))
    sizes = np.bincount(codes, minlength=len(present))
    pool = NeighbourPool(points[:, first], origin, unit, few)
    if block is None:
        return chain_order(pool, codes, sizes, progress)
    return block_order(pool, codes, sizes, block, progress)


class NeighbourPool:
    """A set of points with a search for neighbours that gives the same result on every platform.

    `points`, `origin` and `unit` are as in `feature_scaling`. If there are more than `few` points
    per feature, the points are sorted by one feature. A search can then exclude points that
    are farther away in this feature alone than the nearest points found so far.
    """

    def __init__(self, points: Values, origin: Values, unit: Values, few: int = FEW) -> None:
        self.points = points
        self.unit = unit
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
        self.numbers = np.arange(self.n_left)
        self.axis = -1
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

    def drop_removed(self) -> None:
        stays = self.lowest_squares < np.inf
        self.numbers = self.numbers[stays]
        self.lowest_squares = self.lowest_squares[stays]
        self.gather()

    def remove(self, numbers: Ints) -> None:
        self.lowest_squares[self.positions[numbers]] = np.inf
        self.n_left -= len(numbers)

    def nearest(self, point: int, count: int) -> Ints:
        """List the `count` remaining points nearest to a point, by distance and then by number."""
        if self.n_left < COMPACT_BELOW * len(self.numbers):
            self.drop_removed()
        count = min(count, self.n_left)
        if not count:
            return np.empty(0, dtype=np.int64)
        if self.axis < 0:
            return self.nearest_within(point, count, 0, len(self.numbers))[0]
        return self.nearest_in_windows(point, count)

    def nearest_in_windows(self, point: int, count: int) -> Ints:
        """Search windows of candidates along `axis`, each wider, until no other point is nearer."""
        x = self.points[self.axis, point]
        unit = self.unit[self.axis, 0]
        n = len(self.numbers)
        place = int(self.along.searchsorted(x))
        half = max(int(2 * self.half), count)
        if half > WIDEN_FROM * n:
            half = n
        low = max(place - half, 0)
        high = min(place + half, n)
        while True:
            points, square = self.nearest_within(point, count, low, high)
            reach = (square**0.5 + TINY) * unit * (1 + TINY_SHARE)
            first = int(self.along.searchsorted(x - reach))
            last = int(self.along.searchsorted(x + reach, "right"))
            if low <= first and last <= high:
                self.half += (max(place - first, last - place) - self.half) / 8
                return points
            half *= 4
            low = max(place - half, first)
            high = min(place + half, last)

    def nearest_within(self, point: int, count: int, low: int, high: int) -> tuple[Ints, float]:
        """List the nearest of candidates `low` to `high - 1`, and bound their squared distances."""
        # One matrix product gives |x - y|**2 - |x|**2 for all y. Its rounding depends on the
        # platform, so the product is only used to exclude points: a point with a lower bound above
        # the upper bounds of `count` other points is not among the nearest.
        lower = self.scaled[:, point] @ self.candidates[:, low:high]
        lower *= -2
        lower += self.lowest_squares[low:high]
        numbers = self.numbers[low:high]
        square = self.squares.item(point)
        upper = -np.inf
        for place in lowest_places(lower, count):
            error = 2 * self.error * (self.squares.item(numbers.item(place)) + square)
            upper = max(upper, lower.item(place) + error)
        if upper == np.inf:
            return numbers[:0], upper
        nearest = numbers[(lower <= upper).nonzero()[0]]
        if len(nearest) > 1:
            # The distances of these few points are computed from differences in the unscaled
            # features so that equal distances give equal floats.
            offsets = self.points[:, nearest]
            offsets -= self.points[:, point, None]
            offsets /= self.unit
            nearest = nearest[np.lexsort((nearest, (offsets**2).sum(axis=0)))[:count]]
        return nearest, max(upper + square, 0.0)


def lowest_places(bounds: Values, count: int) -> list[int]:
    """List the places of `count` low bounds, which are finite if so many bounds are finite."""
    # The lowest bounds of runs are found quickly, and are low enough.
    n_runs = RUNS * count if count > 1 else 1
    places: list[int] = []
    if width := len(bounds) // n_runs:
        runs = bounds[: width * n_runs].reshape(n_runs, width)
        lowest = runs.argmin(axis=1) + np.arange(0, runs.size, width)
        places = sorted(lowest.tolist(), key=bounds.item)[:count]
    if not places or bounds.item(places[-1]) == np.inf:
        places = np.argpartition(bounds, count - 1)[:count].tolist()
    return places


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
    queue = np.argsort(codes, kind="stable")
    ends = np.cumsum(sizes)
    heads = ends - sizes
    is_free = np.ones(len(codes), dtype=np.bool_)
    rows = np.empty_like(queue)
    row = 0
    for start in range(0, len(rows), size):
        row += int(is_free[row:].argmax())
        point = int(codes[row])
        n_rows = min(size, len(rows) - start)
        n_lacking = n_rows - int(ends[point] - heads[point])
        members = [point]
        if n_lacking >= 0:
            # Each point has at least one row left, so `n_lacking` points have enough rows.
            pool.remove(np.array([point]))
            members += pool.nearest(point, n_lacking).tolist()
        block = np.concatenate([queue[heads[each] : ends[each]] for each in members])[:n_rows]
        rows[start : start + n_rows] = block
        is_free[block] = False
        np.add.at(heads, codes[block], 1)
        used_up = [each for each in members[1:] if heads[each] == ends[each]]
        pool.remove(np.array(used_up, dtype=int))
        progress(n_rows)
    return rows
