"""How far random folds are from the other rows: the distances that one in twenty exceeds."""

from collections.abc import Sequence
from math import erfc, exp, lgamma, log, nan, pi, sqrt

import numpy as np

from .types import Ints, Values

RARELY = 0.05
"""How often a random fold differs by more."""

KOLMOGOROV = sqrt(log(2 / RARELY) / 2)
"""The largest difference of the distribution functions of m and n values that is so rare, times
sqrt(m n / (m + n)): half the harmonic mean of m and n, under the root (Smirnov 1948)."""

FEW_VALUES, MANY_CLASSES = 32, 1000
"""Distinct numbers up to which ties are accounted for, and distinct sizes of classes, the
largest ones, whose differences are taken as correlated."""

STIRLING_FROM = 16
"""Numbers below which Stirling's series is not exact to the last digits."""

RARE_NORMAL = 1.6448536269514722
"""What a standard normal variable exceeds as rarely."""

NEWTON_STEPS = 50
"""Steps of Newton's method that are enough from any start; nearly always 5 are."""

NEARLY_NORMAL = 1e8
"""Shape of a gamma distribution from which the formula of Wilson and Hilferty is exact."""


def ks_critical_value(values: Values) -> float:
    """Approximate the Kolmogorov-Smirnov statistic that one in twenty random folds exceeds.

    Times sqrt(m n / (m + n)), for m values in the fold and n others, all of them ascending. By
    the limit of Smirnov or, where few values are distinct, by a sum over the steps of the
    distribution function, at each of which the difference is nearly normal. Both are upper
    bounds.
    """
    steps = np.flatnonzero(values[1:] != values[:-1]) + 1
    if not len(steps):
        return 0.0
    if len(steps) > FEW_VALUES:
        return KOLMOGOROV
    shares = steps / len(values)
    spreads = np.sqrt(2 * shares * (1 - shares)).tolist()
    low, high = 0.0, KOLMOGOROV
    for _ in range(50):
        middle = (low + high) / 2
        # Both tails of a normal distribution are the complementary error function.
        is_rare = sum(erfc(middle / spread) for spread in spreads) < RARELY
        low, high = (low, middle) if is_rare else (middle, high)
    return high


def tv_critical_values(sizes: Ints, totals: Sequence[int]) -> list[float]:
    """Approximate the total variation distances that one in twenty random folds exceeds.

    A gamma distribution with the mean and the variance of the distance. The rows of a class
    in a random fold are hypergeometric; the mean of their absolute deviation has a closed
    form (Diaconis and Zabell 1991), and two of them are correlated as if they were normal.
    """
    n = int(sizes.sum())
    sizes, times = np.unique(sizes[sizes > 0], return_counts=True)
    base, covariance = sizes * (n - sizes) / n, shared_variance(sizes, times, n)
    levels = {}
    for m in set(totals):
        if not 0 < m < n:
            levels[m] = nan
            continue
        per_row = m * (n - m) / (n * (n - 1))
        mean = mean_deviation(sizes, n, m)
        variance = (times * (base * per_row - mean**2)).sum() + covariance * per_row
        # From rows of the fold to a difference of shares, and half the sum over the classes.
        unit = (1 / m + 1 / (n - m)) / 2
        expected = float((times * mean).sum() * unit)
        levels[m] = min(1.0, gamma_quantile(expected, float(variance * unit**2)))
    return [levels[m] for m in totals]


def shared_variance(sizes: Ints, times: Ints, n: int) -> float:
    """Sum the covariances of the absolute deviations of classes, in a unit of the fold's size.

    Distinct sizes of classes are ascending, and so many times each comes.
    """
    sizes, times = sizes[-MANY_CLASSES:], times[-MANY_CLASSES:]
    spreads = np.sqrt(sizes * (n - sizes) / max(n, 1))
    odds = np.sqrt(sizes / np.maximum(n - sizes, 1))
    rho = -np.minimum(np.outer(odds, odds), 1)
    shared = 2 / pi * (np.sqrt(1 - rho**2) + rho * np.arcsin(rho) - 1)
    pairs = np.outer(times, times) - np.diag(times)
    return float((pairs * shared * np.outer(spreads, spreads)).sum())


def mean_deviation(sizes: Ints, n: int, m: int) -> Values:
    """Compute the mean absolute deviation of the rows of each class in a fold of m of n rows.

    References
    ----------
    Diaconis and Zabell (1991), Closed form summation for classical distributions, Statistical
    Science 6.
    """
    above = m * sizes // n + 1
    others = n - sizes - m + above
    deviation: Values = 2 * above * others / n * hypergeometric(above, sizes, n, m)
    return deviation


def hypergeometric(drawn: Ints, sizes: Ints, n: int, m: int) -> Values:
    """Compute the probability that m of n rows hold given numbers of rows of each class.

    By Loader's deviances, in which nothing large cancels.

    References
    ----------
    Loader (2000), Fast and accurate computation of binomial probabilities.
    """
    others, left = n - sizes, m - drawn
    possible = (drawn <= sizes) & (left >= 0) & (left <= others)
    drawn, left = np.where(possible, drawn, 0), np.where(possible, left, 0)
    logs = log_rest(sizes) - log_rest(drawn) - log_rest(sizes - drawn)
    logs += log_rest(others) - log_rest(left) - log_rest(others - left)
    constant = log_rest(np.array([n, m, n - m]))
    logs += constant[1] + constant[2] - constant[0]
    logs -= deviance(drawn, sizes * (m / n)) + deviance(sizes - drawn, sizes * ((n - m) / n))
    logs -= deviance(left, others * (m / n)) + deviance(others - left, others * ((n - m) / n))
    return np.where(possible, np.exp(logs), 0.0)


def deviance(counts: Ints | Values, means: Values) -> Values:
    """Compute count log(count / mean) + mean - count."""
    apart = counts - means
    ratio = np.where(counts > 0, apart / np.where(means > 0, means, 1), 0.0)
    result: Values = counts * np.log1p(ratio) - apart
    return result


def log_rest(numbers: Ints | Values) -> Values:
    """Compute the logarithm of the factorial of x, less x log(x) - x, by Stirling's series."""
    large = np.maximum(numbers, STIRLING_FROM).astype(np.float64)
    per_square = 1 / large**2
    series = np.polyval([1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12], per_square) / large
    rest: Values = np.log(2 * pi * large) / 2 + series
    small = np.flatnonzero(numbers < STIRLING_FROM)
    few = numbers[small].tolist()
    rest[small] = [lgamma(x + 1) - (x * log(x) - x if x else 0.0) for x in few]
    return rest


def gamma_quantile(mean: float, variance: float) -> float:
    """Compute the quantile of a gamma distribution that it exceeds rarely.

    References
    ----------
    Wilson and Hilferty (1931), The distribution of chi-square, Proceedings of the National
    Academy of Sciences 17: where the iteration starts.
    """
    if variance <= 1e-24 * mean**2:
        return mean
    shape, log_p = mean**2 / variance, log(1 - RARELY)
    if shape < 1:
        x = (log_p + lgamma(shape + 1)) / shape
    else:
        x = log(shape) + 3 * log(1 - 1 / (9 * shape) + RARE_NORMAL / sqrt(9 * shape))
    # Newton's method on logarithms, in which the distribution function is concave.
    for _ in range(NEWTON_STEPS if shape < NEARLY_NORMAL else 0):
        log_cdf, series = gamma_cdf(shape, exp(x))
        step = (log_cdf - log_p) * series / shape
        x -= step
        if abs(step) < 1e-14:
            break
    return exp(x) * variance / mean


def gamma_cdf(shape: float, x: float) -> tuple[float, float]:
    """Compute the logarithm of a gamma distribution function, and the series that is in it.

    References
    ----------
    Abramowitz and Stegun (1964), Handbook of mathematical functions, 6.5.29.
    """
    n_terms = int(max(x - shape, 0) + 12 * sqrt(shape + x) + 40)
    series = 1 + float(np.cumprod(x / (shape + np.arange(1, n_terms + 1))).sum())
    a, mean = np.array([shape]), np.array([x])
    log_first = -deviance(a, mean) - log_rest(a)
    return float(log_first[0]) + log(series), series
