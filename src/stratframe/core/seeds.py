"""Raw random bits: the one place where a seed becomes numbers.

Each use of randomness has a stream of its own, named by five things: the seed, the purpose (a tag),
the number of parts, the repeat and the name of the column. `SeedSequence` reads them as one
sequence of 32-bit words, padded with zeros up to four words, in one of two layouts::

    frozen      seed ... | tag + 16 (n_parts + 65,536 repeat) | bytes of the name, 1
    open        bytes of "seed tag n_parts repeat name", 1 | OPEN_LAYOUT

The frozen layout has room for tags 1 to 15 and for fewer than 65,536 parts; it cannot change,
because folds that users have already made depend on it. Everything else has the open layout, in
which numbers may be of any size: a new purpose takes the next tag, from 16 on. No two uses share a
stream, whatever their layouts:

- No sequence ends in a zero, so padding cannot make two sequences equal: no tag is 0, and names end
  in a byte of value 1.
- No sequence of the frozen layout ends in `OPEN_LAYOUT`. In the last word of a name the highest
  byte other than 0 is 1; without a name, the last word has a tag in its lowest four bits, or is the
  repeat divided by 4,096.
- In the open layout all five can be read from the text: numbers have no spaces and the name is
  last.
- In the frozen layout, for seeds of the same number of words, numbers and names take up separate
  words. From repeat 4,096 on numbers take two words, of which the second is 1 or 2 up to repeat
  10,000. A name begins with such a word only if its first byte is 1 or 2 and the next three are 0.

A longer seed (from 2**32 on) can give the same words as a shorter seed with a different use:
5 + 2**32 * 81 for 22 folds gives the words of seed 5 for 5 folds in a column "a". Only a seed made
for that purpose does so, and a different layout would change existing folds.
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


FROZEN_TAGS, FROZEN_PART_COUNTS = 16, 1 << 16
"""The frozen layout has room for tags and for numbers of parts below these limits."""

OPEN_LAYOUT = 0xFFFFFFF0
"""The last word of the open layout."""


def random_words(
    seed: int, tag: StreamTag, size: int, n_parts: int = 0, repeat: int = 0, name: str = ""
) -> Words:
    """Draw raw 64-bit words, the same on every platform and with every version of NumPy.

    Columns drawn with one seed are independent of each other, such as a split and the folds of its
    training part, or columns with different numbers of folds or different names: the purpose, the
    number of parts, the repeat and the name select the stream. The name is empty for a column that
    has the default name of its verb.
    """
    return word_stream(seed, tag, n_parts, repeat, name)(size)


def word_stream(
    seed: int, tag: StreamTag, n_parts: int = 0, repeat: int = 0, name: str = ""
) -> Callable[[int], Words]:
    """Make a stream, each call of which draws the given number of further words."""
    # NumPy keeps the bits of a bit generator and of `SeedSequence` stable, but not the numbers that
    # a `Generator` makes from them (NEP 19).
    entropy = stream_entropy(seed, tag, n_parts, repeat, name)
    return np.random.PCG64DXSM(np.random.SeedSequence(entropy)).random_raw


def stream_entropy(seed: int, tag: int, n_parts: int, repeat: int, name: str) -> list[int]:
    """List the integers that `SeedSequence` splits into the words of a stream."""
    if tag >= FROZEN_TAGS or n_parts >= FROZEN_PART_COUNTS:
        text = f"{seed:d} {tag:d} {n_parts:d} {repeat:d} {name}"
        return [text_integer(text), OPEN_LAYOUT]
    entropy = [seed, tag + FROZEN_TAGS * (n_parts + FROZEN_PART_COUNTS * repeat)]
    return [*entropy, text_integer(name)] if name else entropy


def text_integer(text: str) -> int:
    """Turn text into an integer; a last byte of 1 preserves zero bytes at the text's end."""
    return int.from_bytes(text.encode() + b"\x01", "little")


def position_bits(stream: Callable[[int], Words], n_rows: int) -> RandomNumbers:
    """Draw 16 random bits for every row: row i gets quarter i mod 4 of word i // 4."""
    words = stream(-(-n_rows // 4))
    return words.astype("<u8", copy=False).view("<u2")[:n_rows].astype(np.uint16, copy=False)


def permutation(draws: Words) -> np.ndarray:
    return np.argsort(draws, kind="stable")
