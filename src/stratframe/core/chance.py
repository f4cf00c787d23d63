"""Estimate how much random folds differ from the other rows, and bound the chance of deviations."""

from functools import cache
from math import erfc, lgamma, log, pi, sqrt
from statistics import NormalDist

import numpy as np

from .seeds import StreamTag, word_stream
from .types import Ints, Values, Words

RARELY = 0.05
"""The probability that the distance of a random fold from the other rows exceeds the level that
`ks_level` or `tv_level` estimates."""

DRAWS = 2000
"""The number of random folds that are drawn to estimate a level."""

MANY = 50
"""The maximum number of classes whose counts are drawn separately, and also the number of quantiles
at which a distribution function is evaluated."""

WIDEST = 100
"""The maximum number of possible values of a class count that is drawn by inversion. A count with
more possible values is drawn from a normal distribution."""

KOLMOGOROV = sqrt(log(2 / RARELY) / 2)
"""The value that the Kolmogorov-Smirnov statistic of two large samples, of m and n values, exceeds
with probability `RARELY`, times sqrt(m n / (m + n)) (Smirnov 1948)."""


def tail_chances(counts: Ints, sizes: Ints, totals: Ints, n: int) -> Values:
    """Bound the chance that a random fold deviates as far as a given one, or further, to one side.

    For each cell, `counts` holds the number of rows in the cell, `sizes` the number in its stratum,
    and `totals` the number in its fold; there are n rows in all. If a count is above its
    expectation, the upper tail of the hypergeometric distribution is bounded, and otherwise the
    lower tail. Let q be the ratio of the second term of a tail to its first term. Later ratios are
    smaller, so the tail is at most its first term divided by 1 - q. About 4 standard deviations
    from the mean, where it matters, the bound is a few percent above the tail.

    Source: Feller (1968), An introduction to probability theory and its applications, volume 1,
    chapter VI.3.
    """
    x = counts.astype(np.float64)
    rest = n - sizes - totals + x
    logs = log_factorial(sizes) + log_factorial(n - sizes) + log_factorial(totals)
    logs += log_factorial(n - totals) - log_factorial(np.array(n)) - log_factorial(x)
    logs -= log_factorial(sizes - x) + log_factorial(totals - x) + log_factorial(rest)
    up = (sizes - x) * (totals - x) / ((x + 1) * (rest + 1))
    down = x * rest / ((sizes - x + 1) * (totals - x + 1))
    quotient = np.where(x * n > sizes * totals.astype(np.float64), up, down)
    chances: Values = np.minimum(np.exp(logs) / np.maximum(1 - quotient, 1e-9), 1.0)
    return chances


def chi_squared_tail(statistic: float, freedom: int) -> float:
    """Compute the probability that a chi-squared variable exceeds a number.

    For 2m degrees of freedom, the tail is the probability of fewer than m events of a Poisson
    variable with half the number as its mean; for an odd number of degrees, the terms are taken at
    halves, and the tail of one degree is added.

    Source: Abramowitz and Stegun (1964), Handbook of mathematical functions, 26.4.4 and 26.4.5.
    """
    half = statistic / 2
    if half <= 0:
        return 1.0
    powers = np.arange(freedom // 2) + freedom % 2 / 2
    logs = powers * log(half) - half - np.array([lgamma(power + 1) for power in powers])
    first = erfc(sqrt(half)) if freedom % 2 else 0.0
    return min(first + float(np.exp(logs).sum()), 1.0)


def log_factorial(numbers: Ints | Values) -> Values:
    """Compute log(x!) for whole numbers x, with Stirling's series from 32 on (error below 1e-9)."""
    small = np.cumsum(np.log(np.maximum(np.arange(32), 1)))
    x = np.maximum(np.asarray(numbers, dtype=np.float64), 1)
    series = (x + 0.5) * np.log(x) - x + log(2 * pi) / 2 + 1 / (12 * x) - 1 / (360 * x**3)
    logs: Values = np.where(x < len(small), small[np.minimum(x, 31).astype(np.int64)], series)
    return logs


def ks_level(sizes: Ints, m: int) -> float:
    """Estimate the Kolmogorov-Smirnov statistic that is exceeded in 1 of 20 random folds of m rows.

    `sizes` holds the number of rows with each distinct value, in ascending order of the values.
    """
    n = int(sizes.sum())
    if sizes.max() * MANY <= n:
        return min(1.0, KOLMOGOROV * sqrt(1 / m + 1 / (n - m)))
    ends = np.cumsum(sizes)
    is_step = (sizes * MANY > n) | (len(sizes) <= MANY)
    is_step |= np.diff((ends - 1) * MANY // n, append=MANY) > 0
    steps = np.diff(ends[is_step], prepend=0)
    is_joined = np.diff(np.flatnonzero(is_step), prepend=-1) > 1
    words = chance_words(steps, m, 2)
    moved = random_deviations(steps, m, words[0])
    # Within a run of joined steps, the difference between the distribution functions is roughly a
    # Brownian bridge, whose maximum has a known distribution. Within a single step, it is linear.
    variance = np.where(is_joined, steps * m * (n - m), 0)[:, None]
    rise = np.sqrt(moved**2 - 2 * variance * np.log1p(-uniform(words[1])))
    highest = (np.abs(2 * np.cumsum(moved, axis=0) - moved) + rise) / 2
    level = rarely_exceeded(highest.max(axis=0))
    return max(level, rounding_deviation(ends, n, m)) / (m * (n - m))


def tv_level(sizes: Ints, m: int) -> float:
    """Estimate the total variation distance that is exceeded in 1 of 20 random folds of m rows.

    The level is at least the distance that rounding a class count to a whole number can cause.
    """
    n = int(sizes.sum())
    ascending = np.sort(sizes[sizes > 0])
    rare = ascending[:-MANY]
    pooled = ascending[-MANY:]
    if len(rare):
        pooled = np.append(pooled, rare.sum())
    words = chance_words(pooled, m, 2)
    moved = random_deviations(pooled, m, words[0])
    if len(rare):
        moved[-1] = rare_deviations(rare, n, m, moved[-1], words[1, 0])
    level = rarely_exceeded(np.abs(moved).sum(axis=0)) / 2
    return min(max(level, rounding_deviation(pooled, n, m)) / (m * (n - m)), 1.0)


def rounding_deviation(sizes: Ints, n: int, m: int) -> int:
    """Compute the largest rounding error of a class count in a fold, times n."""
    over = m * sizes % n
    return int(np.where(over, np.maximum(over, n - over), 0).max(initial=0))


def rarely_exceeded(distances: Values) -> float:
    return float(np.sort(distances)[-1 - int(RARELY * len(distances))])


def random_deviations(sizes: Ints, m: int, words: Words) -> Values:
    """Draw the deviations of class counts from their shares, times n, in random folds of m rows.

    The counts of a fold have a multivariate hypergeometric distribution. The counts of rare classes
    are drawn one after another, and the counts of frequent classes from a normal approximation.
    Words and deviations have the shape (n_classes, DRAWS).
    """
    n = n_left = int(sizes.sum())
    left = np.full(DRAWS, m)
    moved = np.empty(words.shape)
    ascending = np.argsort(sizes, kind="stable")
    for place, rarest in enumerate(ascending.tolist()):
        size = int(sizes[rarest])
        counts = draw_rows(left, size, n_left, words[rarest])
        if counts is None:
            others = ascending[place:]
            normal_counts = draw_normally(left, sizes[others], n_left, words[others])
            moved[others] = n * normal_counts - m * sizes[others, None]
            break
        moved[rarest] = n * counts - m * size
        left = left - counts
        n_left -= size
    return moved


def draw_normally(drawn: Ints, sizes: Ints, n: int, words: Words) -> Values:
    """Draw the counts of classes among `drawn` of n rows from a normal approximation."""
    shares = sizes[:, None] / n
    normal = np.sqrt(shares) * normal_quantiles()[words >> np.uint64(53)]
    normal -= shares * normal.sum(axis=0)
    spread = np.sqrt(drawn * (n - drawn) / max(n - 1, 1))
    counts: Values = shares * drawn + spread * normal
    return counts


def draw_rows(drawn: Ints, size: int, n: int, words: Words) -> Ints | None:
    """Draw the count of a class among `drawn` of n rows; return None if it varies too widely."""
    numbers = np.arange(drawn.min(), drawn.max() + 1)
    mean = numbers * (size / n)
    reach = 7 * np.sqrt(mean * (1 - size / n)) + 7
    fewest = np.maximum(0, numbers + size - n)
    most = np.minimum(numbers, size)
    first = np.maximum(fewest, np.ceil(mean - reach).astype(np.int64))
    width = int((np.minimum(most, mean + reach) - first).max()) + 1
    if width > WIDEST:
        return None
    # The ratios of the probabilities of successive counts have a simple formula.
    x = first[:, None] + np.arange(width - 1)
    m = numbers[:, None]
    ratios = np.maximum((size - x) * (m - x), 0) / ((x + 1) * (n - size - m + x + 1))
    chances = np.cumprod(np.column_stack([np.ones(len(first)), ratios]), axis=1)
    up_to = np.cumsum(chances, axis=1)
    up_to /= up_to[:, -1:]
    row = drawn - int(numbers[0])
    counts: Ints = first[row] + (up_to[row] > uniform(words)[:, None]).argmax(axis=1)
    return counts


def rare_deviations(sizes: Ints, n: int, m: int, moved: Values, words: Words) -> Values:
    """Draw the sum of absolute deviations of rare classes, times n, given the sum of deviations.

    The counts are distributed as independent binomial variables, conditional on their total. Sums
    over the classes are approximately normal.
    """
    share = m / n
    log_factorials = np.cumsum(np.log(np.maximum(np.arange(sizes[-1] + 1), 1)))
    mean = variance = covariance = 0.0
    for size, times in zip(*np.unique(sizes, return_counts=True), strict=True):
        expected = size * share
        square = size * share * (1 - share)
        reach = 7 * sqrt(square) + 7
        x = np.arange(max(0, int(expected - reach)), min(size, int(expected + reach)) + 1)
        logs = log_factorials[size] - log_factorials[x] - log_factorials[size - x]
        chances = np.exp(logs + x * log(share) + (size - x) * log(1 - share))
        apart = np.abs(x - expected)
        mean += times * (chances @ apart)
        variance += times * (square - (chances @ apart) ** 2)
        covariance += times * (chances @ (apart * (x - expected)))
    slope = covariance / (sizes.sum() * share * (1 - share))
    spread = sqrt(max(variance - slope * covariance, 0))
    normal = normal_quantiles()[words >> np.uint64(53)]
    summed: Values = n * (mean + spread * normal) + slope * moved
    if sizes[-1] * m > n:
        return summed
    # The expected count of each class is at most 1. So the sum is the deviation of the total plus
    # twice the expected counts of the classes that the fold lacks, and changes in steps.
    step = 2 * m * sizes[0]
    stepped: Values = moved + np.rint((summed - moved) / step) * step
    return stepped


@cache
def normal_quantiles() -> Values:
    """Return the standard normal quantiles at 2,048 equally spaced probabilities."""
    return np.array([NormalDist().inv_cdf((place + 0.5) / 2048) for place in range(2048)])


def uniform(words: Words) -> Values:
    numbers: Values = (words >> np.uint64(11)) / 2.0**53
    return numbers


def chance_words(sizes: Ints, m: int, n_uses: int) -> Words:
    """Draw 64-bit words of shape (n_uses, n_classes, DRAWS); they depend only on `sizes` and m."""
    stream = word_stream(0, StreamTag.CHANCE, m, name=" ".join(map(str, sizes.tolist())))
    return stream(n_uses * len(sizes) * DRAWS).reshape(n_uses, len(sizes), DRAWS)
