"""The chance that folds drawn at random lack a class, to the last digit of a float."""

from collections.abc import Iterator
from decimal import Context, Decimal, localcontext
from math import comb

DIGITS = Context(prec=60)
"""The decimal arithmetic of probabilities, 42 digits finer than floats."""


def missing_one(n: int, count: int, k: int) -> float:
    """Compute the chance that any one of the folds lacks a class."""
    with localcontext(DIGITS):
        return float(next(lacking(n, count, k)) / k)


def missing_any(n: int, count: int, k: int) -> float:
    """Compute the chance that some fold lacks a class, by inclusion and exclusion.

    Let s be the sum over single folds. Counts of folds are negatively associated (Joag-Dev
    and Proschan 1983), so that all folds have the class with a chance of exp(-s) at most,
    and the sum over j folds is s**j / j! at most. From s = 40 on the result is 1 in floats;
    below, cancelling takes 18 of 60 digits. Partial sums lie above and below the result in
    turn (Bonferroni), so that they are off by less than their last term.
    """
    if count < k:
        return 1.0
    with localcontext(DIGITS):
        sums = lacking(n, count, k)
        single = total = next(sums)
        if single > 40:
            return 1.0
        for j, each in enumerate(sums, 2):
            total += each if j % 2 else -each
            if each <= single * Decimal("1e-30"):
                break
        return min(float(total), 1.0)


def lacking(n: int, count: int, k: int) -> Iterator[Decimal]:
    """Sum the chances that j folds lack a class, over all choices of j folds, for j = 1..k."""
    size, longer = divmod(n, k)
    chance = Decimal(1)
    for j in range(1, k + 1):
        left = n - j * size
        chance *= none_of(left + size, count, size)
        each, total = chance, Decimal(0)
        # So many of the j folds have one row more.
        for more in range(min(j, longer) + 1):
            if not each:
                break
            total += comb(longer, more) * comb(k - longer, j - more) * each
            each *= none_of(left - more, count, 1)
        yield total


def none_of(n: int, count: int, rows: int) -> Decimal:
    """Compute C(n - count, rows) / C(n, rows), the chance that rows lack a class."""
    few, many = sorted((count, rows))
    # The result is below exp(-few * many / n); exp(-800) is 0 in floats, even times 2**53.
    # So the product has less than sqrt(800 n) factors.
    if few + many > n or few * many > 800 * n:
        return Decimal(0)
    found = Decimal(1)
    for left in range(n, n - few, -1):
        found *= Decimal(left - many) / left
    return found
