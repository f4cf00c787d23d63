"""The probability that folds drawn at random lack a class, to the last digit of a float."""

from collections.abc import Iterator
from decimal import Context, Decimal, localcontext
from math import comb

DIGITS = Context(prec=60)
"""Decimal arithmetic, about 43 digits finer than floats."""

SURELY_MISSING = 40
"""Sum over single folds from which 1 - exp(-sum) is 1 in floats."""

NEGLIGIBLE = Decimal("1e-25")
"""Terms of an alternating sum that are left out, as a share of the first."""


MANY_FACTORS = 256
"""Factors of a product from which its logarithm is computed instead."""

LARGE = 1000
"""Numbers from which Stirling's series has all the digits of `DIGITS` that matter."""

STIRLING = [
    DIGITS.divide(Decimal(numerator), Decimal(denominator))
    for numerator, denominator in (
        (-3617, 122400),
        (1, 156),
        (-691, 360360),
        (1, 1188),
        (-1, 1680),
        (1, 1260),
        (-1, 360),
        (1, 12),
    )
]
"""Coefficients of Stirling's series, the last one first."""

HALF = Decimal("0.5")


def missing_one(n: int, count: int, k: int) -> float:
    """Compute the probability that a given fold, any of the k, lacks a class."""
    with localcontext(DIGITS):
        return float(next(missing_sums(n, count, k)) / k)


def missing_any(n: int, count: int, k: int) -> float:
    """Compute the probability that some fold lacks a class.

    References
    ----------
    Joag-Dev and Proschan (1983), Negative association of random variables with
    applications.
    """
    if count < k:
        return 1.0
    with localcontext(DIGITS):
        # Inclusion and exclusion. Let s be the sum over single folds. The counts of folds are
        # negatively associated (Joag-Dev and Proschan), so that all folds have the class with
        # probability exp(-s) at most, and the sum over j folds is s**j / j! at most. So from
        # s = 40 on the result is 1 in floats; below, cancellation costs 18 of 60 digits.
        sums = missing_sums(n, count, k)
        single = total = next(sums)
        if single > SURELY_MISSING:
            return 1.0
        # Partial sums are alternately above and below the result (Bonferroni), so that they
        # are off by less than the first term left out.
        for j, term in enumerate(sums, 2):
            total += term if j % 2 else -term
            if term <= single * NEGLIGIBLE:
                break
        return min(float(total), 1.0)


def missing_sums(n: int, count: int, k: int) -> Iterator[Decimal]:
    """Yield, for j = 1..k, the probability that j folds lack a class, summed over all j folds."""
    # Of the k folds `n_longer` have `size` + 1 rows, the others `size`.
    size, n_longer = divmod(n, k)
    all_short = Decimal(1)
    by_logs = min(count, size) > MANY_FACTORS and n - count >= LARGE
    log_all = log_arrangements(n, count) if by_logs else Decimal(0)
    for j in range(1, k + 1):
        n_left = n - j * size
        if all_short and by_logs and n_left - count >= LARGE and count * size <= 800 * n:
            all_short = (log_arrangements(n_left, count) - log_all).exp()
        else:
            all_short *= none_drawn(n_left + size, count, size)
        yield sum_over_longer(j, all_short, (k - n_longer, n_longer), n_left, count)


def sum_over_longer(
    j: int, all_short: Decimal, n_folds: tuple[int, int], n_left: int, count: int
) -> Decimal:
    """Sum the probability that j folds lack a class over all choices of short and longer folds.

    Parameters
    ----------
    all_short : Decimal
        The probability for j short folds.
    n_folds : tuple of int
        The short and the longer folds.
    n_left : int
        The rows outside j short folds.
    """
    n_short, n_longer = n_folds
    probability, first = all_short, max(j - n_short, 0)
    for longer in range(first):
        probability *= none_drawn(n_left - longer, count, 1)
    term = comb(n_longer, first) * comb(n_short, j - first) * probability
    total = term
    for longer in range(first, min(j, n_longer)):
        if not term:
            break
        # From one quotient of binomials to the next.
        others = n_left - longer
        ways = (n_longer - longer) * (j - longer) * (others - count)
        term *= Decimal(ways) / ((longer + 1) * (n_short - j + longer + 1) * others)
        total += term
    return total


def log_arrangements(n: int, count: int) -> Decimal:
    """Compute the logarithm of n! / (n - count)!, by Stirling's series.

    References
    ----------
    Abramowitz and Stegun (1964), Handbook of mathematical functions, 6.1.41.
    """
    found = Decimal(-count)
    for sign, number in ((1, n), (-1, n - count)):
        x, series = Decimal(number), Decimal(0)
        for coefficient in STIRLING:
            series = series / (x * x) + coefficient
        found += sign * ((x + HALF) * x.ln() + series / x)
    return found


def none_drawn(n: int, count: int, size: int) -> Decimal:
    """Compute C(n - count, size) / C(n, size), the probability that a sample lacks a class."""
    # It is symmetric in the class and the sample.
    few, many = sorted((count, size))
    # The result is below exp(-few * many / n); exp(-800) is 0 in floats, even times 2**53.
    # So the product has less than sqrt(800 n) factors.
    if few + many > n or few * many > 800 * n:
        return Decimal(0)
    probability = Decimal(1)
    for left in range(n, n - few, -1):
        probability *= Decimal(left - many) / left
    return probability
