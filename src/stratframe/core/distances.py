"""Measure how far the values in each fold are from the values in all other rows."""

from math import nan, sqrt

import numpy as np

from .types import Flags, Ints, Values


def fold_distances(values: Values, folds: Ints, n_folds: int) -> Values:
    """Compute three distances of the values in each fold from all other values.

    The values are in ascending order, and the result has the shape (3, n_folds). Rows with fold -1
    have no fold. Undefined distances are NaN.

    - The standardised mean difference is the difference between the means, divided by the square
      root of the average of the variances. Each side must have at least two values.
    - The Kolmogorov-Smirnov statistic is the largest difference between the distribution functions.
    - The Wasserstein distance of order 1 is the area between the distribution functions, divided by
      the standard deviation of all values (Vallender 1974, Theory of Probability and its
      Applications 18).
    """
    distances = np.full((3, n_folds), nan)
    gaps = np.diff(values)
    rises = gaps > 0
    spread = sqrt(variance(values))
    for fold in range(n_folds):
        is_inside = folds == fold
        if is_inside.any() and not is_inside.all():
            distances[:, fold] = distances_of_rows(values, gaps, rises, spread, is_inside)
    return distances


def distances_of_rows(
    values: Values, gaps: Values, rises: Flags, spread: float, is_inside: Flags
) -> tuple[float, float, float]:
    """Compute the three distances of the values inside a fold from the values outside."""
    n = len(values)
    m = int(np.count_nonzero(is_inside))
    # The difference between the distribution functions after each value, times m (n - m).
    # Integers are used so that equal differences give equal floats.
    apart = np.cumsum(is_inside[:-1] * n - m)
    np.abs(apart, out=apart)
    sides = m * (n - m)
    ks = int((apart * rises).max()) / sides
    moved = float((apart * gaps).sum()) / sides
    inside = values[is_inside]
    outside = values[~is_inside]
    either = sqrt((variance(inside) + variance(outside)) / 2)
    smd = standardize(float(inside.mean() - outside.mean()), either)
    return smd, ks, standardize(moved, spread)


def variance(values: Values) -> float:
    """Estimate the variance, which is exactly 0 for equal values and NaN for fewer than two."""
    if len(values) < 2:
        return nan
    return float((values - values[0]).var(ddof=1))


def standardize(distance: float, spread: float) -> float:
    """Divide a distance by a standard deviation; 0 / 0 gives 0."""
    if spread == 0:
        return float(np.copysign(np.inf, distance)) if distance else 0.0
    return distance / spread
