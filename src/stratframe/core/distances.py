"""Measure how far the values in each fold are from the values in all other rows."""

from math import nan, sqrt

import numpy as np

from .types import Ints, Values


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
    n, gaps, spread = len(values), np.diff(values), sqrt(variance(values))
    place, found = np.arange(1, n), np.full((3, n_folds), nan)
    for fold in range(n_folds):
        is_own = folds == fold
        m = int(np.count_nonzero(is_own))
        if 0 < m < n:
            # The difference between the distribution functions after each value, times m (n - m).
            # Integers are used so that equal differences give equal floats.
            apart = np.abs(np.cumsum(is_own[:-1]) * n - place * m)
            sides = m * (n - m)
            ks = int((apart * (gaps > 0)).max()) / sides
            moved = float((apart * gaps).sum()) / sides
            own, others = values[is_own], values[~is_own]
            either = sqrt((variance(own) + variance(others)) / 2)
            smd = standardize(float(own.mean() - others.mean()), either)
            found[:, fold] = smd, ks, standardize(moved, spread)
    return found


def variance(values: Values) -> float:
    """Estimate the variance, which is exactly 0 for equal values and NaN for fewer than two."""
    return float((values - values[0]).var(ddof=1)) if len(values) > 1 else nan


def standardize(distance: float, spread: float) -> float:
    """Divide a distance by a standard deviation; 0 / 0 gives 0."""
    if spread == 0:
        return float(np.copysign(np.inf, distance)) if distance else 0.0
    return distance / spread
