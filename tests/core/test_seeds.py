"""Random words, against numpy's own bit generator."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.core.seeds import StreamTag, permutation, position_bits, random_words, word_stream


@given(seed=st.integers(0, 2**70), tag=st.sampled_from(StreamTag))
def test_words_are_those_of_numpy(seed: int, tag: StreamTag) -> None:
    """The words are the raw output of PCG64DXSM, seeded by the seed and the tag, or their text."""
    text = int.from_bytes(f"{seed} {int(tag)} 0 0 \1".encode(), "little")
    entropy = [seed, int(tag)] if tag < 16 else [text, 0xFFFFFFF0]
    source = np.random.PCG64DXSM(np.random.SeedSequence(entropy))
    np.testing.assert_array_equal(random_words(seed, tag, 5), source.random_raw(5))


@pytest.mark.parametrize("seeds", [[0, 1, 81, 2**32 - 1], [2**32, 81 * 2**32 + 5, 2**130]], ids=str)
def test_no_two_uses_share_a_stream(seeds: list[int]) -> None:
    """Random words differ by seed, tag, parts, repeat and name."""
    n_parts = (0, 1, 65_535, 65_536, 2**17)
    repeats = (0, 1, 4_095, 4_096, 10_000)
    names = ("", "\0", "\0\0\0\0", "\3\0\0\0", "\3", "a", "0 a", "é" * 9)
    uses = [*product(seeds, (1, 15, 16, 40), n_parts, repeats, names)]
    words = {int(random_words(seed, tag, 1, *others)[0]) for seed, tag, *others in uses}
    assert len(words) == len(uses)


def test_words_stay_as_they_are() -> None:
    """Words of a known seed are the same under every version of numpy."""
    first = [5095898702908088964, 4337974566608382337]
    assert random_words(0, StreamTag.FOLD_ROWS, 2).tolist() == first
    assert random_words(7, StreamTag.PART_QUOTA, 1, 3, 2).tolist() == [8952126629070651911]
    assert random_words(3, StreamTag.FOLD_ROWS, 1, 5, 0, "a").tolist() == [1756832806729137084]
    words = [int(random_words(3, StreamTag.FOLD_ROWS, 1, 5 + more)[0]) for more in (0, 65_536)]
    assert words == [5478055185557216304, 13143563699805739388]
    assert word_stream(0, StreamTag.FOLD_ROWS)(1).tolist() == first[:1]


@pytest.mark.parametrize("sizes", [[5], [2, 3], [1, 0, 4]])
def test_a_stream_goes_on(sizes: list[int]) -> None:
    """Words drawn bit by bit are those drawn at once."""
    drawn = np.concatenate([*map(word_stream(3, StreamTag.EXTEND, 4), sizes)])
    np.testing.assert_array_equal(drawn, random_words(3, StreamTag.EXTEND, 5, 4))


@pytest.mark.parametrize("n_rows", [0, 1, 4, 7, 12, 20])
def test_rows_take_sixteen_bits_of_a_word(n_rows: int) -> None:
    """Row i has the bits 16 (i mod 4) to 16 (i mod 4) + 15 of word i // 4, at any start."""
    bits = position_bits(word_stream(2, StreamTag.FOLD_ROWS, 5), n_rows)
    words = random_words(2, StreamTag.FOLD_ROWS, 5, 5).tolist()
    assert bits.dtype == np.uint16
    assert bits.tolist() == [words[i // 4] >> 16 * (i % 4) & 0xFFFF for i in range(n_rows)]
    source = np.random.PCG64DXSM(np.random.SeedSequence([2, int(StreamTag.FOLD_ROWS) + 16 * 5]))
    assert source.advance(2).random_raw(3).tolist() == words[2:]


def test_permutations_are_equally_likely() -> None:
    """Over seeds every order of three comes equally often; words that tie keep their order."""
    drawn = np.tile(np.array([1, 0], dtype=np.uint64), 500)
    assert permutation(drawn).tolist() == [*range(1, 1_000, 2), *range(0, 1_000, 2)]
    orders = [permutation(random_words(seed, StreamTag.FOLD_NUMBERS, 3)) for seed in range(600)]
    frequency = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(frequency) == 6
    assert frequency.min() > 60
