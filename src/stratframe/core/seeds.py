"""Streams of random 64-bit words, which depend on the seed and on the use of the words.

Each use has its own stream, which is identified by five values: the seed, the purpose (a tag), the
number of parts, the repeat and the name of the column. They are encoded as a sequence of 32-bit
words for `SeedSequence`, which pads the sequence with zeros to at least four words. There are two
layouts::

    frozen      seed ... | tag + 16 (n_parts + 65,536 repeat) | bytes of the name, 1
    open        bytes of "seed tag n_parts repeat name", 1 | OPEN_LAYOUT

The frozen layout has room for tags 1 to 15 and for fewer than 65,536 parts. It cannot change,
because users' existing folds depend on it. All other uses have the open layout, in which
numbers can be of any size; a new purpose gets the next free tag. With the exception below, no two
uses share a stream:

- No sequence ends in a zero word, because no tag is 0 and a byte of value 1 follows the name. So
  padding cannot make two sequences equal.
- No sequence of the frozen layout ends in `OPEN_LAYOUT`. The highest nonzero byte in the last word
  of a name is 1. Without a name, the last word has a tag in its lowest four bits, or it is the
  repeat divided by 4,096.
- In the open layout, all five values can be read from the text, because numbers contain no spaces
  and the name comes last.
- In the frozen layout, if two seeds take the same number of words, the number after one seed has
  the same place as the number after the other. From repeat 4,096 on, this number takes two words,
  and the second word is 1 or 2 up to repeat 10,000. A name begins with such a word only if its
  first byte is 1 or 2 and the next three bytes are 0.

The exception is a seed of 2**32 or more, which can give the same words as a shorter seed with a
different use: 5 + 2**32 * 81 for 22 folds gives the words of seed 5 for 5 folds in a column "a".
This is very unlikely to happen by accident, and a different layout would change existing folds.
"""

from collections.abc import Callable
from enum import IntEnum

import numpy as np

from .types import RandomNumbers, Words


class StreamTag(IntEnum):
    """The purpose of a stream of random words; tags from 16 on have the open layout."""

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
    GROUPS = 16
    FOLD_HASH = 17
    PART_HASH = 18
    CHANCE = 19
    FOLD_TOTALS = 20
    PART_TOTALS = 21


FROZEN_TAGS = 16
"""The frozen layout is used for tags below this limit."""

FROZEN_PART_COUNTS = 1 << 16
"""The frozen layout is used for numbers of parts below this limit."""

OPEN_LAYOUT = 0xFFFFFFF0
"""The last word of every sequence in the open layout."""


def random_words(
    seed: int, tag: StreamTag, size: int, n_parts: int = 0, repeat: int = 0, name: str = ""
) -> Words:
    """Draw raw 64-bit words, which are the same on every platform and in every version of NumPy.

    The tag, the number of parts, the repeat and the name select the stream. So columns with the
    same seed are independent, for example a split and the folds of its training part, or columns
    with different names. The name is empty if the column has the default name of its verb.
    """
    return word_stream(seed, tag, n_parts, repeat, name)(size)


def word_stream(
    seed: int, tag: StreamTag, n_parts: int = 0, repeat: int = 0, name: str = ""
) -> Callable[[int], Words]:
    """Return a stream: a function that draws the given number of new words at each call."""
    # NumPy guarantees that the bits of bit generators and of `SeedSequence` stay the same, but not
    # the numbers that a `Generator` makes from them (NEP 19).
    entropy = stream_entropy(seed, tag, n_parts, repeat, name)
    return np.random.PCG64DXSM(np.random.SeedSequence(entropy)).random_raw


def stream_entropy(seed: int, tag: int, n_parts: int, repeat: int, name: str) -> list[int]:
    """Return the integers that `SeedSequence` splits into the words of a stream."""
    if tag >= FROZEN_TAGS or n_parts >= FROZEN_PART_COUNTS:
        text = f"{seed:d} {tag:d} {n_parts:d} {repeat:d} {name}"
        return [text_integer(text), OPEN_LAYOUT]
    entropy = [seed, tag + FROZEN_TAGS * (n_parts + FROZEN_PART_COUNTS * repeat)]
    return [*entropy, text_integer(name)] if name else entropy


def text_integer(text: str) -> int:
    """Encode text as an integer; a final byte of 1 preserves zero bytes at the end of the text."""
    return int.from_bytes(text.encode() + b"\x01", "little")


def position_bits(stream: Callable[[int], Words], n_rows: int) -> RandomNumbers:
    """Draw 16 random bits for every row: row i gets quarter i mod 4 of word i // 4."""
    words = stream(-(-n_rows // 4))
    return words.astype("<u8", copy=False).view("<u2")[:n_rows].astype(np.uint16, copy=False)


def permutation(draws: Words) -> np.ndarray:
    return np.argsort(draws, kind="stable")
