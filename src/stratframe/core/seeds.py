"""Raw random bits: the one place where a seed becomes numbers."""

from collections.abc import Callable
from enum import IntEnum

import numpy as np

from .types import Draws


class StreamTag(IntEnum):
    """What a stream of draws is for. Never zero, so that no two seeds share a stream."""

    FOLD_ROWS = 1
    FOLD_NUMBERS = 2
    FOLD_BLOCKS = 3
    PART_ROWS = 4
    PART_QUOTA = 5
    PART_SPREAD = 6
    SAMPLE_ROWS = 7
    SAMPLE_QUOTA = 8
    SAMPLE_SPREAD = 9
    CLUSTERS = 10
    CLUSTER_SAMPLES = 11
    FOLD_SEARCH = 12
    PART_SEARCH = 13
    EXTEND = 14
    LEVEL = 15


N_TAGS = 16
"""Tags for uses, of which each number of parts has its own."""

N_PART_TAGS = 1 << 16
"""Numbers of parts with tags of their own, of which each repeat has its own."""


def random_words(seed: int, use: StreamTag, size: int, n_parts: int = 0, repeat: int = 0) -> Draws:
    """Draw raw 64-bit words, the same on every platform and numpy.

    The stream is that of `PCG64DXSM` under `SeedSequence([seed, tag])`: NumPy
    promises the bits of a bit generator, but not the numbers that a `Generator`
    makes of them (NEP 19). The use, the number of parts and the repeat make the tag,
    so that columns dealt with one seed know nothing of each other: a split and the
    folds of its training part, or folds of two sizes.

    Returns
    -------
    ndarray of uint64, shape (size,)
    """
    return word_stream(seed, use, n_parts, repeat)(size)


def permutation(draws: Draws) -> np.ndarray:
    """Turn draws into a random order of 0..n-1.

    Parameters
    ----------
    draws : ndarray of uint64, shape (n,)

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    return np.argsort(draws, kind="stable")


def word_stream(
    seed: int, use: StreamTag, n_parts: int = 0, repeat: int = 0
) -> Callable[[int], Draws]:
    """Make a stream of raw words that is drawn from bit by bit."""
    tag = use + N_TAGS * (n_parts % N_PART_TAGS + N_PART_TAGS * repeat)
    source = np.random.PCG64DXSM(np.random.SeedSequence([seed, tag]))
    return lambda size: source.random_raw(size)
