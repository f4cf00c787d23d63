"""Hash keys to 64-bit words on every engine with XXH64, as Spark's `xxhash64` does."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from .seeds import StreamTag, random_words
from .types import Ints, Words

SPARK_SEED = 42

PRIMES = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
P1, P2, P3, P4, P5 = (np.uint64(prime) for prime in PRIMES)
LANES = tuple(
    np.uint64(start % 2**64) for start in (PRIMES[0] + PRIMES[1], PRIMES[1], 0, -PRIMES[0])
)
"""The numbers that are added to the seed to start the four lanes."""

BLOCK = 1 << 16
"""The number of rows per pass, chosen to fit in cache and include many texts of equal length."""


class HashedWords(NamedTuple):
    """A column of a key that consists of 64-bit words."""

    words: Words
    rest: Words | None = None
    """A second word of every row, which is also hashed if it is not 0; shape (n_rows,)."""

    def hash(self, seeds: Words) -> Words:
        """Hash every row, with one seed for each row or a single seed for all rows."""
        hashes = hash_words(self.words, seeds)
        if self.rest is None:
            return hashes
        return np.where(self.rest == 0, hashes, hash_words(self.rest, hashes))


class HashedBytes(NamedTuple):
    """A column of a key that consists of bytes, such as text in UTF-8."""

    data: np.ndarray
    """The bytes of all rows, one row after another."""
    offsets: Ints
    """The start of each row in `data`, followed by the end of the last row; shape (n_rows + 1,)."""

    def hash(self, seeds: Words) -> Words:
        return hash_bytes(self.data, self.offsets, seeds)


KeyColumn: TypeAlias = HashedWords | HashedBytes


def hash_keys(columns: Sequence[KeyColumn], salt: int) -> Words:
    """Hash the rows of a key as Spark's `xxhash64(salt, column, ...)` does, with a 64-bit salt."""
    hashes = hash_words(np.array([salt], np.uint64), np.array([SPARK_SEED], np.uint64))
    for column in columns:
        hashes = column.hash(hashes)
    return hashes


def hash_groups(columns: Sequence[KeyColumn]) -> Words:
    return hash_keys(columns, int(random_words(0, StreamTag.GROUPS, 1)[0]))


def repeated_words(words: Words) -> Ints:
    """List, in ascending order, the rows whose words occur more than once."""
    # The upper halves of words are faster to sort, and few of them are repeated. Whole words are
    # compared only for rows that have the same highest 16 bits as a repeated half.
    halves = (words >> np.uint64(32)).astype(np.uint32)
    is_shared = np.zeros(1 << 16, dtype=np.bool_)
    is_shared[repeats_of(halves) >> 16] = True
    rows = np.flatnonzero(is_shared[halves >> 16])
    return rows[np.isin(words[rows], repeats_of(words[rows]))]


def repeats_of(values: np.ndarray) -> np.ndarray:
    """List the repeated values, with one copy for each occurrence after the first."""
    ascending = np.sort(values)
    repeats: np.ndarray = ascending[1:][ascending[1:] == ascending[:-1]]
    return repeats


def are_dense_and_unique(column: KeyColumn) -> bool:
    """Return whether all words differ and their range is at most about 8 times their number."""
    if isinstance(column, HashedBytes) or column.rest is not None or not len(column.words):
        return False
    values = column.words.view(np.int64)
    low = int(values.min())
    high = int(values.max())
    if high - low > 8 * len(values):
        return False
    is_present = np.zeros(high - low + 1, dtype=np.bool_)
    is_present[values - low] = True
    return int(np.count_nonzero(is_present)) == len(values)


def hash_words(words: Words, seeds: Words) -> Words:
    """Hash the 64-bit word of every row, with one seed for each row or a single seed for all rows.

    Source: Collet, xxHash fast digest algorithm, section XXH64.
    """
    hashes = np.empty(np.broadcast_shapes(words.shape, seeds.shape), dtype=np.uint64)
    words = np.broadcast_to(words, len(hashes))
    seeds = np.broadcast_to(seeds, len(hashes))
    start_of_word = np.array([P5]) + np.uint64(8)
    for start in range(0, len(hashes), BLOCK):
        rows = slice(start, start + BLOCK)
        hashes[rows] = avalanche(mix_word(seeds[rows] + start_of_word, words[rows]))
    return hashes


def hash_bytes(data: np.ndarray, offsets: Ints, seeds: Words) -> Words:
    """Hash the bytes of every row; `data` and `offsets` are the fields of `HashedBytes`."""
    n_rows = len(offsets) - 1
    hashes = np.empty(n_rows, dtype=np.uint64)
    seeds = np.broadcast_to(seeds, n_rows)
    for start in range(0, n_rows, BLOCK):
        rows = slice(start, min(start + BLOCK, n_rows))
        ends = offsets[start : rows.stop + 1]
        hashes[rows] = hash_ragged(data[ends[0] : ends[-1]], ends - ends[0], seeds[rows])
    return hashes


def hash_ragged(data: np.ndarray, offsets: Ints, seeds: Words) -> Words:
    lengths = np.diff(offsets)
    if (lengths == lengths[0]).all():
        return hash_rows(data.reshape(len(lengths), lengths[0]), seeds)
    hashes = np.empty(len(lengths), dtype=np.uint64)
    # Counting lengths is faster than `np.unique`, which sorts or hashes them.
    for n_bytes in np.flatnonzero(np.bincount(lengths)).tolist():
        rows = np.flatnonzero(lengths == n_bytes)
        block = np.empty((len(rows), 0), dtype=np.uint8)
        if n_bytes:
            # A dtype that is as wide as a row allows whole rows to be copied at once.
            runs: np.ndarray = np.ndarray(len(data) - n_bytes + 1, f"V{n_bytes}", data, strides=1)
            block = runs[offsets[rows]].view(np.uint8).reshape(len(rows), n_bytes)
        hashes[rows] = hash_rows(block, seeds[rows])
    return hashes


def hash_rows(block: np.ndarray, seeds: Words) -> Words:
    """Hash rows of equal length; `block` has the shape (n_rows, n_bytes)."""
    n_bytes = block.shape[1]
    n_words = n_bytes // 8
    n_striped = n_bytes // 32 * 4
    words = np.ascontiguousarray(block[:, : 8 * n_words].view("<u8").T, dtype=np.uint64)
    if n_striped:
        state = mix_stripes(words[:n_striped], seeds)
    else:
        state = seeds + P5
    state = state + np.uint64(n_bytes)
    for word in words[n_striped:]:
        state = mix_word(state, word)
    place = 8 * n_words
    if place + 4 <= n_bytes:
        state ^= block[:, place : place + 4].view("<u4")[:, 0].astype(np.uint64) * P1
        state = rotate(state, 23) * P2 + P3
        place += 4
    for byte in range(place, n_bytes):
        state ^= block[:, byte].astype(np.uint64) * P5
        state = rotate(state, 11) * P1
    return avalanche(state)


def mix_stripes(words: Words, seeds: Words) -> Words:
    lanes = [seeds + start for start in LANES]
    for place, word in enumerate(words):
        lanes[place % 4] = mix_lane(lanes[place % 4], word)
    state = np.zeros_like(lanes[0])
    for lane, turn in zip(lanes, (1, 7, 12, 18), strict=True):
        state += rotate(lane.copy(), turn)
    for lane in lanes:
        state = (state ^ mix_lane(np.zeros_like(lane), lane)) * P1 + P4
    return state


def mix_lane(lane: Words, words: Words) -> Words:
    return rotate(lane + words * P2, 31) * P1


def mix_word(state: Words, words: Words) -> Words:
    mixed = rotate(words * P2, 31)
    mixed *= P1
    mixed ^= state
    mixed = rotate(mixed, 27)
    mixed *= P1
    mixed += P4
    return mixed


def rotate(words: Words, by: int) -> Words:
    """Rotate the bits of words to the left, in place."""
    low = words >> np.uint64(64 - by)
    words <<= np.uint64(by)
    words |= low
    return words


def avalanche(state: Words) -> Words:
    """Finish a hash in place, so that each bit of the state affects each bit of the result."""
    state ^= state >> np.uint64(33)
    state *= P2
    state ^= state >> np.uint64(29)
    state *= P3
    state ^= state >> np.uint64(32)
    return state
