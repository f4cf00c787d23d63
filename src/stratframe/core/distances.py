"""How far the values in each fold are from the values in all other rows."""

from math import nan, sqrt

import numpy as np

from .types import Ints, Values


def fold_distances(values: Values, folds: Ints, n_folds: int) -> Values:
    """Compare the values in every fold with the values in all other rows, shape (3, n_folds).

    The values are in ascending order; rows of fold -1 have no fold. There are three distances,
    which are NaN where they are undefined: the difference of means, divided by the square root of
    the mean variance, which needs two values on each side; the Kolmogorov-Smirnov statistic; and
    the Wasserstein distance of order 1, divided by the standard deviation of all values. The last
    two compare the two distribution functions: by their largest difference, and by the area between
    them (Vallender 1974, Calculation of the Wasserstein distance between probability distributions
    on the line, Theory of Probability and its Applications 18).
    """
    n, gaps, spread = len(values), np.diff(values), sqrt(variance(values))
    place, found = np.arange(1, n), np.full((3, n_folds), nan)
    for fold in range(n_folds):
        is_own = folds == fold
        m = int(np.count_nonzero(is_own))
        if 0 < m < n:
            # The difference of the distribution functions after each value, times m (n - m): in
            # integers, so that equal differences give equal floats.
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
    """Estimate the variance of values; exactly 0 if all are equal, NaN for fewer than two."""
    return float((values - values[0]).var(ddof=1)) if len(values) > 1 else nan


def standardize(distance: float, spread: float) -> float:
    """Divide a distance by a standard deviation; 0 / 0 counts as 0."""
    if spread == 0:
        return float(np.copysign(np.inf, distance)) if distance else 0.0
    return distance / spread
