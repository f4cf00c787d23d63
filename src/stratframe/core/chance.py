"""How far random folds are from the other rows: the distances that one in twenty exceeds."""

from collections.abc import Sequence
from math import comb, exp, lgamma, log, nan, pi, sqrt

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

COUNTED_ROWS = 64
"""Rows outside the largest class up to which the distances of classes are counted out, in less
than a tenth of a second."""

FAR = 9
"""No random fold has a class so many standard deviations, and as many rows, off its share."""

STIRLING_FROM = 16
"""Numbers below which Stirling's series is not exact to the last digits."""

RARE_NORMAL = 1.6448536269514722
"""What a standard normal variable exceeds as rarely."""

NEWTON_STEPS = 50
"""Steps of Newton's method that are enough from any start; nearly always 5 are."""

NEARLY_NORMAL = 1e8
"""Shape of a gamma distribution from which the formula of Wilson and Hilferty is exact."""


def ks_critical_values(values: Values, totals: Ints) -> Values:
    """Compute the Kolmogorov-Smirnov statistics that at most one in twenty random folds exceeds.

    For folds of given sizes, of all values, ascending. By the limit of Smirnov or, where few
    values are distinct, by the exact tails at the steps of the distribution function, summed
    over them. Both are upper bounds; with one step, the second is exact.
    """
    n = len(values)
    steps = np.flatnonzero(values[1:] != values[:-1]) + 1
    levels = np.minimum(1, KOLMOGOROV * np.sqrt(1 / totals + 1 / (n - totals)))
    if len(steps) > FEW_VALUES:
        return levels
    for m in set(totals.tolist()):
        level = exact_level(steps, n, m) / (m * (n - m)) if len(steps) else 0.0
        levels[totals == m] = np.minimum(levels[totals == m], level)
    return levels


def tv_critical_values(sizes: Ints, totals: Sequence[int]) -> list[float]:
    """Compute the total variation distances that one in twenty random folds exceeds.

    At most one in twenty: of two classes, or where few rows are outside the largest class, by the
    exact distribution. Otherwise approximately, by a gamma distribution. Never less than a fold
    has that is within one row of its share.
    """
    n, sizes = int(sizes.sum()), np.sort(sizes[sizes > 0])
    levels = {}
    for m in set(totals):
        if not 0 < m < n:
            levels[m] = nan
        elif len(sizes) == 2:
            levels[m] = exact_level(sizes[:1], n, m) / (m * (n - m))
        else:
            find_level = counted_level if n - sizes[-1] <= COUNTED_ROWS else gamma_level
            level = find_level(sizes, n, m)
            levels[m] = min(1.0, max(level, rounding_deviation(sizes, n, m) / (m * (n - m))))
    return [levels[m] for m in totals]


def rounding_deviation(sizes: Ints, n: int, m: int) -> int:
    """Find how far the rows of a class in a fold are from their share if it is rounded, times n."""
    over = m * sizes % n
    return int(np.where(over, np.maximum(over, n - over), 0).max(initial=0))


def exact_level(sizes: Ints, n: int, m: int) -> int:
    """Find the deviation of a class, times n, that at most one in twenty folds exceeds.

    Of several classes, the tails are summed.
    """
    means = m * sizes / n
    reach = FAR * np.sqrt(means * (n - sizes) / n * (n - m) / n) + FAR
    first = np.maximum(np.ceil(means - reach).astype(np.int64), np.maximum(0, m + sizes - n))
    last = np.minimum(np.floor(means + reach).astype(np.int64), np.minimum(m, sizes))
    lengths = last - first + 1
    owners = np.repeat(sizes, lengths)
    starts = np.repeat(first - np.cumsum(lengths) + lengths, lengths)
    counts = starts + np.arange(len(owners))
    level = rarely_exceeded(np.abs(n * counts - m * owners), hypergeometric(counts, owners, n, m))
    return max(level, rounding_deviation(sizes, n, m))


def rarely_exceeded(deviations: Ints, probabilities: Values) -> int:
    """Find the least of some deviations that are exceeded with a probability of 5 % at most."""
    order = np.argsort(-deviations)
    beyond = np.cumsum(probabilities[order])
    # With a tolerance, lest the last bit decides where they meet 5 % exactly.
    place = int(np.searchsorted(beyond, RARELY * (1 + 1e-9), side="right"))
    return int(deviations[order[min(place, len(order) - 1)]])


def counted_level(sizes: Ints, n: int, m: int) -> float:
    """Count out the level of the distance of classes, the largest last."""
    rare = int(sizes[:-1].sum())
    drawn, moved = np.zeros((2, 1), np.int64)
    ways: Values = np.ones(1)
    for size in sizes[:-1].tolist():
        counts = np.arange(size + 1)
        each = [comb(size, count) for count in counts.tolist()]
        all_drawn = np.add.outer(drawn, counts).ravel()
        all_moved = np.add.outer(moved, np.abs(n * counts - m * size)).ravel()
        states, places = np.unique(np.stack([all_drawn, all_moved]), axis=1, return_inverse=True)
        (drawn, moved), weights = states, np.outer(ways, each).ravel()
        ways = np.bincount(places.ravel(), weights)
    per_total = hypergeometric(drawn, np.full(len(drawn), rare), n, m)
    all_ways = np.array([float(comb(rare, count)) for count in range(rare + 1)])
    moved = moved + np.abs(n * (m - drawn) - m * int(sizes[-1]))
    return rarely_exceeded(moved, per_total * ways / all_ways[drawn]) / (2 * m * (n - m))


def gamma_level(sizes: Ints, n: int, m: int) -> float:
    """Approximate the level of the distance of classes by a gamma distribution.

    It has the mean and the variance of the distance. The rows of a class in a random fold are
    hypergeometric; the mean of their absolute deviation has a closed form (Diaconis and Zabell
    1991), and two of them are correlated as if they were normal.
    """
    sizes, times = np.unique(sizes, return_counts=True)
    base, covariance = sizes * (n - sizes) / n, shared_variance(sizes, times, n)
    per_row = m * (n - m) / (n * (n - 1))
    mean = mean_deviation(sizes, n, m)
    variance = (times * (base * per_row - mean**2)).sum() + covariance * per_row
    # From rows of the fold to a difference of shares, and half the sum over the classes.
    unit = (1 / m + 1 / (n - m)) / 2
    return gamma_quantile(float((times * mean).sum() * unit), float(variance * unit**2))


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
