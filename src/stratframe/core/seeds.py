"""Raw random bits: the one place where a seed becomes numbers."""

from collections.abc import Callable
from enum import IntEnum

import numpy as np

from .types import Draws, Numbers


class StreamTag(IntEnum):
    """The purpose of a stream of random words."""

    # No tag is 0: `SeedSequence` pads its words with zeros, so that the streams of
    # [seed + 2**32 * tag, 0] and of [seed, tag] would be one.
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
"""Room for purposes; each number of parts has its own set of them."""

N_PART_COUNTS = 1 << 16
"""Room for numbers of parts; each repeat has its own set of them."""


def random_words(
    seed: int, tag: StreamTag, size: int, n_parts: int = 0, repeat: int = 0, name: str = ""
) -> Draws:
    """Draw raw 64-bit words, the same on every platform and under every NumPy.

    Columns drawn under one seed are independent of each other, such as a split and the
    folds of its training part, folds of two sizes or columns of two names: purpose, number
    of parts, repeat and name select the stream. The name is empty for a column that is
    called as its verb calls it.

    Returns
    -------
    ndarray of uint64, shape (size,)
    """
    return word_stream(seed, tag, n_parts, repeat, name)(size)


def word_stream(
    seed: int, tag: StreamTag, n_parts: int = 0, repeat: int = 0, name: str = ""
) -> Callable[[int], Draws]:
    """Make a stream whose every call draws the given number of further words."""
    stream_id = tag + N_TAGS * (n_parts % N_PART_COUNTS + N_PART_COUNTS * repeat)
    entropy = [seed, stream_id]
    if name:
        # The last byte keeps names apart that end in zeros, which are padding.
        entropy.append(int.from_bytes(name.encode() + b"\x01", "little"))
    # NumPy keeps the bits of a bit generator and of `SeedSequence` stable, but not the
    # numbers that a `Generator` makes of them (NEP 19).
    source = np.random.PCG64DXSM(np.random.SeedSequence(entropy))
    return source.random_raw


def position_bits(stream: Callable[[int], Draws], n_rows: int) -> Numbers:
    """Draw 16 random bits for every row: row i has the bits i mod 4 of word i // 4.

    Returns
    -------
    ndarray of uint16, shape (n_rows,)
    """
    words = stream(-(-n_rows // 4))
    return words.astype("<u8", copy=False).view("<u2")[:n_rows].astype(np.uint16, copy=False)


def permutation(draws: Draws) -> np.ndarray:
    """Turn n random words into a random order of 0..n-1."""
    return np.argsort(draws, kind="stable")
