"""Exact shares of stratum sizes, in whole numbers."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np

from .types import Ints, Table, Values


def weights(shares: Sequence[Fraction], total: int) -> tuple[Values, int]:
    """Put shares over a common denominator, in integers wide enough for `total` rows."""
    denominator = lcm(*(share.denominator for share in shares))
    fits = denominator * max(total, 1) < 1 << 62
    numerators = [int(share * denominator) for share in shares]
    return np.array(numerators, dtype=np.int64 if fits else object), denominator


def exact(sizes: Ints, share: Values, whole: int) -> tuple[Table, Values]:
    """Compute exact shares of stratum sizes: the whole rows, and the fraction left.

    Parameters
    ----------
    sizes : ndarray of int, shape (n_strata,)
    share : ndarray of int, shape (n_parts,)
        Parts' weights.

    Returns
    -------
    rows : ndarray of int64, shape (n_strata, n_parts)
    fraction : ndarray of int, shape (n_strata, n_parts), range 0..whole-1
        In units of 1 / whole.
    """
    product = sizes[:, None] * share
    return (product // whole).astype(np.int64), product % whole


def chances(numerator: Values, denominator: Values | int) -> Values:
    """Divide, elementwise, to chances in floats; 0/0 is 0."""
    below: Values = np.maximum(np.asarray(denominator).astype(float), 1.0)
    found: Values = numerator.astype(float) / below
    return found
