"""Judge the numbers and the sizes of folds: numbers that are missing, and folds that are unequal.

Each function takes the numbers or the sizes of the folds that have rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np

from ..core.evenness import SIGMAS, TENTH
from ..core.types import Ints
from .names import says_folds

HIGHEST_FIRST = 2
"""The maximum of the lowest fold: 0 or 1, or 2 if fold 1 is lost."""

MOST_LOST = 3
"""At most one of this many folds is lost; numbers with more gaps are names."""


def lost_folds(name: Any, numbers: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """List the numbers of folds that have no rows, in a column with this name.

    Gaps in other numbers, such as years or ids of sites, are not listed, because nothing is lost.
    A lost fold 0 cannot be seen, because folds can start at 1.
    """
    lowest, highest = min(numbers), max(numbers)
    if not (says_folds(name) and 0 <= lowest <= HIGHEST_FIRST):
        return []
    start = min(lowest, 1)
    n_lost = highest + 1 - start - len(numbers)
    if n_lost > max(1, len(numbers) // MOST_LOST) or not look_dealt(np.array(sizes)):
        return []
    known = {*numbers}
    return [number for number in range(start, highest) if number not in known]


def look_dealt(sizes: Ints) -> bool:
    """Return whether the sizes are as equal as those of a deal, be it of rows at random."""
    mean = sizes.mean()
    return bool(np.abs(sizes - mean).max() <= max(1, TENTH * mean, SIGMAS * sqrt(mean)))


def are_unequal(sizes: Ints) -> bool:
    """Return whether a fold deviates from the mean by more than a row and more than a tenth."""
    mean = sizes.mean()
    return bool(np.abs(sizes - mean).max() > max(1, TENTH * mean))


def exceed_chance(sizes: Ints, squares: float) -> bool:
    """Return whether sizes deviate by more than four standard deviations of a random deal.

    `squares` is the sum of the squared sizes of the groups that are dealt; a lone row is a group.
    Two folds are never judged, because a column of two numbers can be flags.
    """
    k = len(sizes)
    deviation = sqrt(squares * (k - 1)) / k
    return k >= 3 and bool(np.abs(sizes - sizes.mean()).max() > SIGMAS * deviation)
