"""Tell a column of copied values from a column whose values repeat by chance."""

import numpy as np

from .types import Ints, Values

MOST_COPIES = 5
"""The largest number of rows with one value that `are_copied` looks at."""

LEAST_VALUES = 20
"""The minimum number of values that occur equally often; fewer can be chance."""

CLEARLY = 3
"""The factor by which the bound of `are_copied` is raised, because its counts are random."""


def are_copied(sizes: Ints) -> bool:
    """Return whether values occur j times too often for independent draws, for a j from 2 to 5.

    `sizes` holds the number of rows with each value. If the values of rows are drawn independently,
    the number of rows with a value has a Poisson distribution, whose mean depends on the value. By
    the Cauchy-Schwarz inequality, the expected numbers f_j of values that occur j times then
    satisfy f_j^2 <= (j + 1) / j f_(j-1) f_(j+1). If all rows are copied once, f_1 and f_3 are 0.
    """
    numbers = np.bincount(np.minimum(sizes, MOST_COPIES + 2), minlength=MOST_COPIES + 3)
    highest = upper_limits(numbers)
    j = np.arange(2, MOST_COPIES + 1)
    bound = CLEARLY * (j + 1) / j * highest[j - 1] * highest[j + 1]
    is_beyond = numbers[j].astype(np.float64) ** 2 > bound
    return bool((is_beyond & (numbers[j] >= LEAST_VALUES)).any())


def upper_limits(counts: Ints) -> Values:
    """Return an upper limit of about two standard deviations for the expectation of each count."""
    limits: Values = counts + 2 * np.sqrt(counts) + 3
    return limits
