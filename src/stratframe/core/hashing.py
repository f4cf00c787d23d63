"""Keys -> 64-bit words by XXH64, the same on every engine: Spark's `xxhash64` of the columns."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .types import Ints, Words

SPARK_SEED = 42
"""The seed of Spark's `xxhash64`."""

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
"""What the seed is added to at the start of the four lanes."""

BLOCK = 1 << 13
"""Rows per pass, so that the passes of a hash stay in cache."""

FEW_WORDS = 1 << 12
"""Words up to which a sort finds equal ones fastest."""

STRIPE = 32
"""Bytes that a round of four lanes takes."""


class HashedWords(NamedTuple):
    """A column of 64-bit words."""

    words: Words
    """Shape (n_rows,)."""
    rest: Words | None = None
    """Words that are hashed, too, where they are not 0; shape (n_rows,)."""

    def hash(self, seeds: Words) -> Words:
        """Hash every row, with a seed for each or one for all."""
        hashes = hash_words(self.words, seeds)
        if self.rest is None:
            return hashes
        return np.where(self.rest == 0, hashes, hash_words(self.rest, hashes))


class HashedBytes(NamedTuple):
    """A column of bytes, such as text in UTF-8."""

    data: np.ndarray
    """The bytes of all rows, one row after another."""
    offsets: Ints
    """Where each row starts, and the last one ends; shape (n_rows + 1,)."""

    def hash(self, seeds: Words) -> Words:
        """Hash every row, with a seed for each or one for all."""
        return hash_bytes(self.data, self.offsets, seeds)


KeyColumn: TypeAlias = HashedWords | HashedBytes
"""A column of a key."""


def hash_keys(columns: Sequence[KeyColumn], salt: int) -> Words:
    """Hash the rows of a key, as Spark's `xxhash64(salt, column, ...)` does; the salt is a word."""
    hashes = hash_words(np.array([salt], np.uint64), np.array([SPARK_SEED], np.uint64))
    for column in columns:
        hashes = column.hash(hashes)
    return hashes


def repeated_words(words: Words) -> Ints:
    """List the rows whose word another row has, too, in ascending order."""
    repeats, pool, lowest_bit = words[:0], words, 64
    while len(pool) > FEW_WORDS and lowest_bit > 0:
        # Each round looks at other bits, so that words which shared a slot part.
        bits = len(pool).bit_length()
        lowest_bit = max(lowest_bit - bits, 0)
        equal, pool = compare_by_slot(pool, lowest_bit, bits)
        repeats = np.append(repeats, equal)
    pool = np.sort(pool)
    repeats = np.append(repeats, pool[1:][pool[1:] == pool[:-1]])
    return np.flatnonzero(np.isin(words, repeats)) if len(repeats) else np.empty(0, np.int64)


def compare_by_slot(words: Words, lowest_bit: int, bits: int) -> tuple[Words, Words]:
    """Compare words that share some bits with one of them: equal ones, and those left over."""
    # The last word of a slot stays in it, and the others are compared with that one.
    shift, mask = np.uint64(lowest_bit), np.uint64((1 << bits) - 1)
    last = np.empty(1 << bits, dtype=np.min_scalar_type(len(words)))
    equal, others = [], []
    for start in range(0, len(words), BLOCK):
        chunk = words[start : start + BLOCK]
        last[(chunk >> shift) & mask] = np.arange(start, start + len(chunk), dtype=last.dtype)
    for start in range(0, len(words), BLOCK):
        chunk = words[start : start + BLOCK]
        winners = last[(chunk >> shift) & mask]
        lost = np.flatnonzero(winners != np.arange(start, start + len(chunk)))
        is_equal = words[winners[lost]] == chunk[lost]
        equal.append(chunk[lost[is_equal]])
        others.append(chunk[lost[~is_equal]])
    return np.concatenate(equal), np.concatenate(others)


def are_dense_and_unique(column: KeyColumn) -> bool:
    """Return whether words all differ, if they are close enough together to mark each."""
    if isinstance(column, HashedBytes) or column.rest is not None or not len(column.words):
        return False
    values = column.words.view(np.int64)
    low, high = int(values.min()), int(values.max())
    if high - low > 8 * len(values):
        return False
    seen = np.zeros(high - low + 1, dtype=np.bool_)
    seen[values - low] = True
    return int(np.count_nonzero(seen)) == len(values)


def hash_words(words: Words, seeds: Words) -> Words:
    """Hash one 64-bit word of every row, with the hash of the columns before or one seed for all.

    References
    ----------
    Collet, XXH64, as specified in the documentation of xxHash.
    """
    hashes = np.empty(np.broadcast_shapes(words.shape, seeds.shape), dtype=np.uint64)
    words, seeds = np.broadcast_to(words, len(hashes)), np.broadcast_to(seeds, len(hashes))
    start_of_word = np.array([P5]) + np.uint64(8)
    for start in range(0, len(hashes), BLOCK):
        rows = slice(start, start + BLOCK)
        hashes[rows] = avalanche(mix_word(seeds[rows] + start_of_word, words[rows]))
    return hashes


def hash_bytes(data: np.ndarray, offsets: Ints, seeds: Words) -> Words:
    """Hash a run of bytes of every row, as of `HashedBytes`, with one seed or one for each."""
    n_rows = len(offsets) - 1
    hashes = np.empty(n_rows, dtype=np.uint64)
    seeds = np.broadcast_to(seeds, n_rows)
    for start in range(0, n_rows, BLOCK):
        rows = slice(start, min(start + BLOCK, n_rows))
        ends = offsets[start : rows.stop + 1]
        hashes[rows] = hash_ragged(data[ends[0] : ends[-1]], ends - ends[0], seeds[rows])
    return hashes


def hash_ragged(data: np.ndarray, offsets: Ints, seeds: Words) -> Words:
    """Hash the bytes of rows, those of one length together."""
    lengths = np.diff(offsets)
    if (lengths == lengths[0]).all():
        return hash_rows(data.reshape(len(lengths), lengths[0]), seeds)
    hashes = np.empty(len(lengths), dtype=np.uint64)
    for n_bytes in distinct_lengths(lengths):
        rows = np.flatnonzero(lengths == n_bytes)
        hashes[rows] = hash_rows(rows_of_bytes(data, offsets[rows], n_bytes), seeds[rows])
    return hashes


def distinct_lengths(lengths: Ints) -> list[int]:
    """List the different lengths of rows."""
    if lengths.max() < len(lengths):
        # A count is faster than a sort, or than the hashes of `np.unique`.
        return np.flatnonzero(np.bincount(lengths)).tolist()
    distinct: list[int] = np.unique(lengths).tolist()
    return distinct


def rows_of_bytes(data: np.ndarray, starts: Ints, n_bytes: int) -> np.ndarray:
    """Gather runs of bytes of one length as rows."""
    if n_bytes == 0:
        return np.empty((len(starts), 0), dtype=np.uint8)
    # Whole rows are copied at once as values of a type that is as wide.
    runs = as_strided(data[:n_bytes].view(f"V{n_bytes}"), (len(data) - n_bytes + 1,), (1,))
    return runs[starts].view(np.uint8).reshape(len(starts), n_bytes)


def hash_rows(block: np.ndarray, seeds: Words) -> Words:
    """Hash the bytes of rows of one length, shape (n_rows, n_bytes)."""
    n_bytes = block.shape[1]
    n_striped = n_bytes // STRIPE * STRIPE
    state = mix_stripes(block[:, :n_striped], seeds) if n_striped else seeds + P5
    state = state + np.uint64(n_bytes)
    place = n_striped
    while place + 8 <= n_bytes:
        state = mix_word(state, read_words(block, place, "<u8"))
        place += 8
    if place + 4 <= n_bytes:
        state ^= read_words(block, place, "<u4") * P1
        state = rotate(state, 23) * P2 + P3
        place += 4
    for byte in range(place, n_bytes):
        state ^= block[:, byte].astype(np.uint64) * P5
        state = rotate(state, 11) * P1
    return avalanche(state)


def mix_stripes(block: np.ndarray, seeds: Words) -> Words:
    """Take up whole stripes in four lanes, and merge these."""
    lanes = [seeds + start for start in LANES]
    for start in range(0, block.shape[1], STRIPE):
        for lane in range(4):
            word = read_words(block, start + 8 * lane, "<u8")
            lanes[lane] = mix_lane(lanes[lane], word)
    state = np.zeros_like(lanes[0])
    for place, turn in enumerate((1, 7, 12, 18)):
        state += rotate(lanes[place].copy(), turn)
    for words in lanes:
        state = (state ^ mix_lane(np.zeros_like(words), words)) * P1 + P4
    return state


def read_words(block: np.ndarray, place: int, dtype: str) -> Words:
    """Read the little-endian word of every row that starts at a byte."""
    n_bytes = np.dtype(dtype).itemsize
    words = as_strided(
        block[:1, place : place + n_bytes].view(dtype)[0], (len(block),), block.strides[:1]
    )
    return words.astype(np.uint64)


def mix_lane(lane: Words, words: Words) -> Words:
    """Take up a word in a lane."""
    state = words * P2
    state += lane
    return multiply(rotate(state, 31), P1)


def mix_word(state: Words, words: Words) -> Words:
    """Take up a word in a state."""
    mixed = multiply(rotate(words * P2, 31), P1)
    mixed ^= state
    return multiply(rotate(mixed, 27), P1) + P4


def multiply(words: Words, prime: np.uint64) -> Words:
    """Multiply words in place."""
    words *= prime
    return words


def rotate(words: Words, by: int) -> Words:
    """Rotate the bits of words to the left, in place."""
    low = words >> np.uint64(64 - by)
    words <<= np.uint64(by)
    words |= low
    return words


def avalanche(state: Words) -> Words:
    """Let every bit of a state change every bit of its hash, in place."""
    state ^= state >> np.uint64(33)
    state *= P2
    state ^= state >> np.uint64(29)
    state *= P3
    state ^= state >> np.uint64(32)
    return state
