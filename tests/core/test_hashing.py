"""Hashes of words and bytes, against the library of XXH64."""

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from stratframe.core.hashing import HashedBytes, HashedWords, are_dense_and_unique, repeated_words

words = st.integers(0, 2**64 - 1)
DENSE = [[3, 1, 2], [-3, 1, 2]]
OTHERS = [[3, 1, 3], [0, 2**40], [-(2**63), 2**63 - 1], []]


@given(values=st.lists(words, min_size=1), seed=words)
def test_words(values: list[int], seed: int) -> None:
    """Words are hashed as their 8 bytes, the lowest first."""
    found = HashedWords(np.array(values, np.uint64)).hash(np.array([seed], np.uint64))
    expected = [xxhash.xxh64(value.to_bytes(8, "little"), seed).intdigest() for value in values]
    assert found.tolist() == expected


@given(rows=st.lists(st.tuples(st.binary(max_size=100), words), min_size=1))
def test_bytes(rows: list[tuple[bytes, int]]) -> None:
    """Bytes of any length are hashed, each row with a seed of its own."""
    data = np.frombuffer(b"".join(row for row, _ in rows), dtype=np.uint8)
    offsets = np.cumsum([0] + [len(row) for row, _ in rows])
    seeds = np.array([seed for _, seed in rows], np.uint64)
    expected = [xxhash.xxh64(row, seed).intdigest() for row, seed in rows]
    assert HashedBytes(data, offsets).hash(seeds).tolist() == expected


@pytest.mark.parametrize("n_rows", [0, 1, 2**16, 2**16 + 1, 2**18 - 9])
def test_blocks_of_rows(n_rows: int) -> None:
    """Rows are hashed in blocks, and none is left out."""
    values = np.arange(n_rows, dtype=np.uint64)
    seeds = np.array([42], np.uint64)
    by_word = HashedWords(values).hash(seeds)
    data = values.view(np.uint8)
    np.testing.assert_array_equal(HashedBytes(data, np.arange(n_rows + 1) * 8).hash(seeds), by_word)
    step = max(n_rows // 5, 1)
    expected = [xxhash.xxh64(value.tobytes(), 42).intdigest() for value in values[::step]]
    assert by_word[::step].tolist() == expected


@given(values=st.lists(st.integers(0, 20), max_size=60), high=st.booleans())
def test_repeated_words(values: list[int], high: bool) -> None:
    """All rows that share a word are found, however words crowd."""
    shared = np.array(values, dtype=np.uint64) << np.uint64(59 if high else 0)
    expected = [row for row, value in enumerate(values) if values.count(value) > 1]
    assert repeated_words(shared).tolist() == expected


def test_repeated_words_among_many() -> None:
    """A few repeats among many rows are found."""
    shared = HashedWords(np.arange(100_000, dtype=np.uint64)).hash(np.array([1], np.uint64))
    shared[[7, 99_999, 500]] = shared[[8, 8, 90_000]]
    assert repeated_words(shared).tolist() == [7, 8, 500, 90_000, 99_999]
    assert repeated_words(np.zeros(50_000, np.uint64)).tolist() == list(range(50_000))


@pytest.mark.parametrize("values", [*DENSE, *OTHERS], ids=str)
def test_dense_and_unique(values: list[int]) -> None:
    """Whole numbers close together are marked; others are left to the hashes."""
    found = np.array(values, dtype=np.int64).view(np.uint64)
    assert are_dense_and_unique(HashedWords(found)) is (values in DENSE)
    assert not are_dense_and_unique(HashedWords(found, found))
    assert not are_dense_and_unique(HashedBytes(found.view(np.uint8), np.arange(len(found) + 1)))
