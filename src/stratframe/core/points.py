"""Scale features, find equal points, and compute distances from centroids."""

from collections.abc import Callable

import numpy as np

from .types import Ints, Values

SCALES = ("standard", "minmax")
"""Features are scaled by their standard deviation, or by their range."""

MAX_EXPONENT = 500
"""The absolute value of a binary exponent above which squares could overflow or underflow."""

ROWS_PER_PASS = 1 << 12
"""The number of rows per pass, chosen so that their features fit in cache."""

DISTANCE_BITS = 40
"""The number of bits to which distances from centroids are rounded."""


def feature_scaling(points: Values, scale: str | None) -> tuple[Values, Values, Values]:
    """Return the points, and the origin and the unit of each feature, shape (n_features, 1).

    The origin is the mean, or the lowest value for "minmax". If `scale` is None, the unit is 1.
    Otherwise, huge or tiny values are returned multiplied by powers of two, which is exact, and the
    unit of a constant feature is infinite, so its scaled values are 0.
    """
    if not points.size:
        return points, np.zeros((len(points), 1)), np.ones((len(points), 1))
    low = per_feature(points, np.min)
    high = per_feature(points, np.max)
    exponents = np.frexp(np.maximum(-low, high))[1]
    if scale is not None and np.abs(exponents).max() > MAX_EXPONENT:
        points = np.ldexp(points, -exponents)
        low = np.ldexp(low, -exponents)
        high = np.ldexp(high, -exponents)
    if scale is None:
        return points, per_feature(points, np.mean), np.ones_like(low)
    if scale == "minmax":
        origin = low
        unit = high - low
    else:
        origin = per_feature(points, np.mean)
        unit = per_feature(points, np.std)
    return points, origin, np.where(low < high, unit, np.inf)


def per_feature(points: Values, measure: Callable[[Values], float]) -> Values:
    """Apply a function to one feature at a time so that the feature stays in cache."""
    return np.array([measure(feature) for feature in points])[:, None]


def scale_features(points: Values, scale: str | None) -> Values:
    """Scale features to comparable units, unless `scale` is None, and return points as rows."""
    if scale is None:
        return np.ascontiguousarray(points.T)
    points, origin, unit = feature_scaling(points, scale)
    rows = np.empty(points.shape[::-1])
    for start in range(0, len(rows), ROWS_PER_PASS):
        scaled = points[:, start : start + ROWS_PER_PASS] - origin
        scaled /= unit
        rows[start : start + ROWS_PER_PASS] = scaled.T
    return rows


def unique_points(points: Values) -> tuple[Ints, int]:
    """Return codes that are equal for equal points, and the number of distinct points."""
    rows = np.lexsort(points)
    is_run_start = np.zeros(len(rows), dtype=np.bool_)
    for feature in points:
        is_run_start[1:] |= feature[rows[1:]] != feature[rows[:-1]]
    codes = np.empty(len(rows), dtype=np.int64)
    codes[rows] = np.cumsum(is_run_start)
    return codes, int(is_run_start.sum()) + bool(len(rows))


def centroids(points: Values, labels: Ints, n_labels: int) -> Values:
    """Compute the mean of the points of each label; points and centroids are rows."""
    sums = [np.bincount(labels, feature, minlength=n_labels) for feature in points.T]
    return np.column_stack(sums) / np.bincount(labels, minlength=n_labels)[:, None]


def centroid_distances(points: Values, labels: Ints, centres: Values) -> Values:
    """Compute the rounded distance of each point (a row) from the centre of its label."""
    distances = np.empty(len(points))
    for start in range(0, len(points), ROWS_PER_PASS):
        chunk = slice(start, start + ROWS_PER_PASS)
        offsets = points[chunk] - centres[labels[chunk]]
        distances[chunk] = np.sqrt(np.einsum("ij,ij->i", offsets, offsets))
    # The last bits of a centre can differ between runs, because threads add in a varying order.
    # Rounding prevents these bits from deciding the order of equally distant rows.
    step = np.ldexp(1.0, int(np.frexp(distances.max(initial=0.0))[1]) - DISTANCE_BITS)
    rounded: Values = np.round(distances / step) * step
    return rounded
