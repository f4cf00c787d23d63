"""Raw random bits: the one place where a seed becomes numbers."""

from enum import IntEnum

import numpy as np

from .types import Draws


class Use(IntEnum):
    """What a stream of draws is for. Never zero, so that no two seeds share a stream."""

    ROWS = 1
    NUMBERING = 2
    BLOCKS = 3
    QUOTA = 4
    SPREAD = 5
    SWAPS = 6


STREAMS = 16
"""Tags that one repeat may use; repeat `r` has the tags from `STREAMS * r` on."""


def raw(seed: int, use: Use, size: int, repeat: int = 0) -> Draws:
    """Draw raw 64-bit words, the same on every platform and numpy.

    The stream is that of `PCG64DXSM` under `SeedSequence([seed, tag])`: NumPy
    promises the bits of a bit generator, but not the numbers that a `Generator`
    makes of them (NEP 19).

    Parameters
    ----------
    seed : int
        At least 0.
    use : Use
        What the draws are for.
    size : int
        How many.
    repeat : int
        Which repetition of the deal, from 0.

    Returns
    -------
    ndarray of uint64, shape (size,)

    Examples
    --------
    >>> raw(0, Use.ROWS, 2)
    array([5095898702908088964, 4337974566608382337], dtype=uint64)
    """
    sequence = np.random.SeedSequence([seed, use + STREAMS * repeat])
    return np.random.PCG64DXSM(sequence).random_raw(size)


def permutation(draws: Draws) -> np.ndarray:
    """Turn draws into a random order of 0..n-1.

    Parameters
    ----------
    draws : ndarray of uint64, shape (n,)

    Returns
    -------
    ndarray of int64, shape (n,)

    Examples
    --------
    >>> permutation(np.array([9, 2, 5], dtype=np.uint64))
    array([1, 2, 0])
    """
    return np.argsort(draws, kind="stable")
