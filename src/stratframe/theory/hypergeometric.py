"""Probabilities that random folds lack a class, accurate to the last digit of a float."""

from collections.abc import Iterator
from decimal import Context, Decimal, localcontext
from math import comb

DIGITS = Context(prec=60)
"""The context for decimal arithmetic with 60 digits (floats have about 16 digits)."""

SURELY_MISSING = 40
"""The sum s of probabilities above which 1 - exp(-s) is 1 in floats."""

NEGLIGIBLE = Decimal("1e-25")
"""The fraction of the first term below which the terms of an alternating sum are omitted."""


def missing_one(n: int, count: int, k: int) -> float:
    """Compute the probability that one of the k folds, chosen at random, lacks a class."""
    with localcontext(DIGITS):
        return float(next(missing_sums(n, count, k)) / k)


def missing_any(n: int, count: int, k: int) -> float:
    """Compute the probability that at least one fold lacks a class.

    References
    ----------
    Joag-Dev and Proschan (1983), Negative association of random variables with
    applications.
    """
    if count < k:
        return 1.0
    with localcontext(DIGITS):
        # This is the inclusion-exclusion principle. Let s be the sum, over the folds, of the
        # probability that a fold lacks the class. The class counts of the folds are negatively
        # associated (Joag-Dev and Proschan), so all folds have the class with probability at most
        # exp(-s), and the sum over sets of j folds is at most s**j / j!. If s is above 40, the
        # result is 1 in floats; otherwise, cancellation costs at most 18 of the 60 digits.
        sums = missing_sums(n, count, k)
        single = total = next(sums)
        if single > SURELY_MISSING:
            return 1.0
        # Partial sums are alternately above and below the result (Bonferroni), so the error is less
        # than the first term that is omitted.
        for j, term in enumerate(sums, 2):
            total += term if j % 2 else -term
            if term <= single * NEGLIGIBLE:
                break
        return min(float(total), 1.0)


def missing_sums(n: int, count: int, k: int) -> Iterator[Decimal]:
    """Yield, for j = 1..k, the sum over sets of j folds of the chance that all j lack the class."""
    # `n_longer` of the k folds have `size` + 1 rows, and the other folds have `size` rows.
    size, n_longer = divmod(n, k)
    n_short = k - n_longer
    all_short = Decimal(1)
    for j in range(1, k + 1):
        n_left = n - j * size
        all_short *= none_drawn(n_left + size, count, size)
        # Start with the smallest number of longer folds among the j folds; add one at a time.
        first = max(j - n_short, 0)
        term = all_short * none_drawn(n_left, count, first)
        term *= comb(n_longer, first) * comb(n_short, j - first)
        total = term
        for longer in range(first, min(j, n_longer)):
            others = n_left - longer
            ways = (n_longer - longer) * (j - longer) * (others - count)
            term *= Decimal(ways) / ((longer + 1) * (n_short - j + longer + 1) * others)
            total += term
        yield total


def none_drawn(n: int, count: int, size: int) -> Decimal:
    """Compute C(n - count, size) / C(n, size), the probability that a sample lacks a class."""
    # The probability does not change if the sizes of the class and the sample are exchanged.
    few, many = sorted((count, size))
    # The result is below exp(-few * many / n), and exp(-800) is 0 in floats, even if multiplied by
    # 2**53. The product therefore has fewer than sqrt(800 n) factors.
    if few + many > n or few * many > 800 * n:
        return Decimal(0)
    probability = Decimal(1)
    for left in range(n, n - few, -1):
        probability *= Decimal(left - many) / left
    return probability
