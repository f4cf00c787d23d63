"""How far random folds are from the other rows: the distances that one in twenty exceeds."""

from collections.abc import Sequence
from math import exp, lgamma, log, nan, pi, sqrt

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

COUNTED_SUMS = 2**18
"""Sums of deviations up to which the distances of classes are counted out, in some hundredths of a
second: those of 100 rare classes of two rows, 30 of ten, or any number of single rows."""

NEVER = 1e-15
"""Probability of a sum of deviations below which it is left out."""

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

    At most one in twenty: of two classes, or where the rows outside the largest class can be
    counted out, by the exact distribution. Otherwise approximately, by a gamma distribution.
    Never less than a fold has that is within one row of its share.
    """
    n, sizes = int(sizes.sum()), np.sort(sizes[sizes > 0])
    levels = {}
    for m in set(totals):
        if not 0 < m < n:
            levels[m] = nan
        elif len(sizes) == 2:
            levels[m] = exact_level(sizes[:1], n, m) / (m * (n - m))
        else:
            counted = counted_level(sizes, n, m)
            level = gamma_level(sizes, n, m) if counted is None else counted
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
    first, last = likely_counts(sizes, n, m)
    lengths = last - first + 1
    owners = np.repeat(sizes, lengths)
    starts = np.repeat(first - np.cumsum(lengths) + lengths, lengths)
    counts = starts + np.arange(len(owners))
    level = rarely_exceeded(np.abs(n * counts - m * owners), hypergeometric(counts, owners, n, m))
    return max(level, rounding_deviation(sizes, n, m))


def likely_counts(sizes: Ints, n: int, m: int) -> tuple[Ints, Ints]:
    """Find the fewest and the most rows of each class that a random fold has."""
    means = m * sizes / n
    reach = FAR * np.sqrt(means * (n - sizes) / n * (n - m) / n) + FAR
    first = np.maximum(np.ceil(means - reach).astype(np.int64), np.maximum(0, m + sizes - n))
    last = np.minimum(np.floor(means + reach).astype(np.int64), np.minimum(m, sizes))
    return first, last


def rarely_exceeded(deviations: Ints, probabilities: Values) -> int:
    """Find the least of some deviations that are exceeded with a probability of 5 % at most."""
    order = np.argsort(-deviations)
    beyond = np.cumsum(probabilities[order])
    # With a tolerance, lest the last bit decides where they meet 5 % exactly.
    place = int(np.searchsorted(beyond, RARELY * (1 + 1e-9), side="right"))
    return int(deviations[order[min(place, len(order) - 1)]])


def counted_level(sizes: Ints, n: int, m: int) -> float | None:
    """Count out the level of the distance of classes, the largest last, if few enough are rare."""
    found = rare_deviations(sizes[:-1], n, m)
    if found is None:
        return None
    drawn, moved, chances = found
    rare = np.full(len(drawn), sizes[:-1].sum())
    chances *= hypergeometric(drawn, rare, n, m) / binomial(drawn, rare, m / n)
    moved = moved + np.abs(n * (m - drawn) - m * int(sizes[-1]))
    return rarely_exceeded(moved, chances) / (2 * m * (n - m))


def rare_deviations(sizes: Ints, n: int, m: int) -> tuple[Ints, Ints, Values] | None:
    """List the numbers of rows of a fold, and the deviations of classes, and the chances of both.

    Ascending sizes of classes; deviations are summed, times n. The rows of a class are taken as
    binomial: given how many there are of all, they are then those of a random fold.
    """
    n_single, base = int((sizes == 1).sum()), int(sizes.sum()) + 1
    (first,), (last,) = likely_counts(np.array([n_single]), n, m)
    drawn = np.arange(first, last + 1)
    chances = binomial(drawn, np.full_like(drawn, n_single), m / n)
    moved = n * drawn + m * (n_single - 2 * drawn)
    n_counted = 0
    for size in sizes[n_single:].tolist():
        n_counted += len(drawn) * (size + 1)
        if n_counted > COUNTED_SUMS or n * base**2 >= 2**63:
            return None
        counts = np.arange(size + 1)
        each = binomial(counts, np.full_like(counts, size), m / n)
        # Pairs of numbers as one number, as these sort much faster.
        pairs = np.add.outer(moved * base + drawn, np.abs(n * counts - m * size) * base + counts)
        pairs, places = np.unique(pairs, return_inverse=True)
        summed = np.bincount(places.ravel(), np.outer(chances, each).ravel())
        chances = summed[summed > NEVER]
        moved, drawn = np.divmod(pairs[summed > NEVER], base)
    return drawn, moved, chances


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

    By three binomial ones.
    """
    others, left = n - sizes, m - drawn
    possible = (drawn <= sizes) & (left >= 0) & (left <= others)
    drawn, left = np.where(possible, drawn, 0), np.where(possible, left, 0)
    of_fold = binomial(np.array([m]), np.array([n]), m / n)
    both = binomial(drawn, sizes, m / n) * binomial(left, others, m / n)
    return np.where(possible, both / of_fold, 0.0)


def binomial(counts: Ints, sizes: Ints, share: float) -> Values:
    """Compute binomial probabilities, by Loader's deviances, in which nothing large cancels.

    References
    ----------
    Loader (2000), Fast and accurate computation of binomial probabilities.
    """
    logs = log_rest(sizes) - log_rest(counts) - log_rest(sizes - counts)
    logs -= deviance(counts, sizes * share) + deviance(sizes - counts, sizes * (1 - share))
    chances: Values = np.exp(logs)
    return chances


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
