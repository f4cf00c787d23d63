"""Random words, against numpy's own bit generator."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.core.seeds import (
    StreamTag,
    permutation,
    position_bits,
    random_words,
    word_stream,
)


@given(seed=st.integers(0, 2**70), tag=st.sampled_from(StreamTag))
def test_words_are_those_of_numpy(seed: int, tag: StreamTag) -> None:
    """The words are the raw output of PCG64DXSM, seeded by the seed and the tag."""
    source = np.random.PCG64DXSM(np.random.SeedSequence([seed, int(tag)]))
    np.testing.assert_array_equal(random_words(seed, tag, 5), source.random_raw(5))


def test_words_stay_as_they_are() -> None:
    """Words of a known seed are the same under every version of numpy."""
    assert random_words(0, StreamTag.FOLD_ROWS, 2).tolist() == [
        5095898702908088964,
        4337974566608382337,
    ]
    assert random_words(7, StreamTag.PART_QUOTA, 1, 3, 2).tolist() == [8952126629070651911]


def test_streams_differ() -> None:
    """No two tags, numbers of parts or repeats share a word."""
    words = [
        int(random_words(0, tag, 1, n_parts, repeat)[0])
        for tag in StreamTag
        for n_parts in (0, 1, 2, 16, (1 << 16) - 1)
        for repeat in range(3)
    ]
    assert len(set(words)) == len(words)


@given(seed=st.integers(0, 2**32 - 1), tag=st.sampled_from(StreamTag))
def test_no_large_seed_repeats_a_tag(seed: int, tag: StreamTag) -> None:
    """A seed whose second word is a tag has other streams than the seed of its first word."""
    larger = seed + 2**32 * int(tag)
    words = random_words(seed, tag, 1)[0]
    assert all(random_words(larger, other, 1)[0] != words for other in StreamTag)


@pytest.mark.parametrize("sizes", [[5], [2, 3], [1, 0, 4]])
def test_a_stream_goes_on(sizes: list[int]) -> None:
    """Words drawn bit by bit are those drawn at once."""
    stream = word_stream(3, StreamTag.EXTEND, 4)
    drawn = np.concatenate([stream(size) for size in sizes])
    np.testing.assert_array_equal(drawn, random_words(3, StreamTag.EXTEND, 5, 4))


@pytest.mark.parametrize("n_rows", [0, 1, 4, 7, 12])
def test_rows_take_sixteen_bits_of_a_word(n_rows: int) -> None:
    """Row i has the bits 16 (i mod 4) to 16 (i mod 4) + 15 of word i // 4, at any start."""
    bits = position_bits(word_stream(2, StreamTag.FOLD_ROWS, 5), n_rows)
    words = random_words(2, StreamTag.FOLD_ROWS, 3, 5).tolist()
    assert bits.tolist() == [words[i // 4] >> 16 * (i % 4) & 0xFFFF for i in range(n_rows)]
    source = np.random.PCG64DXSM(np.random.SeedSequence([2, int(StreamTag.FOLD_ROWS) + 16 * 5]))
    assert source.advance(2).random_raw(1).tolist() == words[2:]


def test_permutations_are_equally_likely() -> None:
    """Over seeds every order of three comes equally often."""
    orders = [permutation(random_words(seed, StreamTag.FOLD_NUMBERS, 3)) for seed in range(600)]
    frequency = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(frequency) == 6
    assert frequency.min() > 60
