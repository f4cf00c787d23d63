"""Random words, against numpy's own bit generator."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stratframe.core.seeds import (
    FROZEN_TAGS,
    OPEN_LAYOUT,
    StreamTag,
    permutation,
    position_bits,
    random_words,
    stream_entropy,
    word_stream,
)

FROZEN = [tag for tag in StreamTag if tag < FROZEN_TAGS]


def seed_words(number: int) -> list[int]:
    """Split an integer into words of 32 bits, the lowest first, as `SeedSequence` does."""
    n_words = max(-(-number.bit_length() // 32), 1)
    return [number >> 32 * place & 0xFFFFFFFF for place in range(n_words)]


def padded_words(entropy: list[int]) -> tuple[int, ...]:
    """List the words that `SeedSequence` mixes: at least four, the last ones zeros."""
    words = [word for number in entropy for word in seed_words(number)]
    return (*words, *[0] * (4 - len(words)))


def decoded(words: tuple[int, ...]) -> tuple[int, int, int, int, str]:
    """Read a use back from its words, if its seed has one word or the layout is the open one."""
    row = np.trim_zeros(np.array(words, dtype="<u4"), "b") if any(words[1:]) else words[:1]
    assert len(row) > 1
    if row[-1] == OPEN_LAYOUT:
        text = row[:-1].tobytes().rstrip(b"\0")[:-1].decode()
        seed, tag, n_parts, repeat, name = text.split(" ", 4)
        return int(seed), int(tag), int(n_parts), int(repeat), name
    has_two = len(row) > 2 and row[2] in (1, 2)
    numbers = int(row[1]) + (int(row[2]) << 32 if has_two else 0)
    name = row[3 if has_two else 2 :].tobytes().rstrip(b"\0")[:-1].decode()
    return int(row[0]), numbers % 16, numbers // 16 % 65_536, numbers // 16 // 65_536, name


@given(seed=st.integers(0, 2**70), tag=st.sampled_from(FROZEN))
def test_words_are_those_of_numpy(seed: int, tag: StreamTag) -> None:
    """The words are the raw output of PCG64DXSM, seeded by the seed and the tag, or their text."""
    text = int.from_bytes(f"{seed} {int(tag)} 0 0 \1".encode(), "little")
    entropy = [seed, int(tag)] if tag in FROZEN else [text, OPEN_LAYOUT]
    source = np.random.PCG64DXSM(np.random.SeedSequence(entropy))
    np.testing.assert_array_equal(random_words(seed, tag, 5), source.random_raw(5))


def test_words_stay_as_they_are() -> None:
    """Words of a known seed are the same under every version of numpy."""
    assert random_words(0, StreamTag.FOLD_ROWS, 2).tolist() == [
        5095898702908088964,
        4337974566608382337,
    ]
    assert random_words(7, StreamTag.PART_QUOTA, 1, 3, 2).tolist() == [8952126629070651911]
    assert random_words(3, StreamTag.FOLD_ROWS, 1, 5, 0, "a").tolist() == [1756832806729137084]
    words = [int(random_words(3, StreamTag.FOLD_ROWS, 1, 5 + more)[0]) for more in (0, 65_536)]
    assert words == [5478055185557216304, 13143563699805739388]
    assert word_stream(0, StreamTag.FOLD_ROWS)(1).tolist() == [5095898702908088964]


@given(entropy=st.lists(st.integers(0, 2**100), min_size=1, max_size=4))
@example(entropy=[0])
@example(entropy=[2**32, 0])
def test_words_are_all_that_numpy_sees(entropy: list[int]) -> None:
    """NumPy mixes the words of its integers, with zeros up to four: equal words, one stream."""
    words = np.array(padded_words(entropy), dtype=np.uint32)
    expected = np.random.SeedSequence(words).generate_state(8)
    np.testing.assert_array_equal(np.random.SeedSequence(entropy).generate_state(8), expected)


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=12).filter(
    # In the frozen layout such a beginning reads as that of a repeat from 4,096 on.
    lambda name: name[:4] not in ("\1\0\0\0", "\2\0\0\0")
)


any_size = st.integers(0, 2**70)
uses = st.one_of(
    st.tuples(
        st.integers(0, 2**32 - 1),
        st.integers(1, 40),
        st.integers(0, 2**17),
        st.integers(0, 10_000),
        names,
    ),
    # Uses with a new tag may have any seed, numbers and name.
    st.tuples(
        st.integers(0, 2**130),
        st.integers(16, 2**70),
        any_size,
        any_size,
        st.text(st.characters(exclude_categories=["Cs"])),
    ),
)


@settings(max_examples=50)
@given(use=uses)
@example(use=(0, 16, 65_536, 10_000, ""))
@example(use=(0, 15, 65_535, 10_000, "\0\0\0\0"))
@example(use=(0, 15, 65_535, 4_095, "\3\0\0\0"))
def test_words_give_their_use_back(use: tuple[int, int, int, int, str]) -> None:
    """A use can be read from its words, so that no two uses share a stream."""
    assert decoded(padded_words(stream_entropy(*use))) == use


@given(seed=st.integers(0, 2**130), tag=st.sampled_from(FROZEN), name=st.text(max_size=9))
@settings(max_examples=10)
def test_old_words_end_otherwise_than_new_ones(seed: int, tag: StreamTag, name: str) -> None:
    """No use of the frozen layout has a stream of the open one, under seeds of any size."""
    for n_parts, repeat in product((0, 65_535), (0, 4_095, 4_096, 10_000)):
        words = padded_words(stream_entropy(seed, tag, n_parts, repeat, name))
        assert words[-1] != OPEN_LAYOUT
    assert stream_entropy(seed, tag, 65_536, 0, name)[-1] == OPEN_LAYOUT


@pytest.mark.parametrize("sizes", [[5], [2, 3], [1, 0, 4]])
def test_a_stream_goes_on(sizes: list[int]) -> None:
    """Words drawn bit by bit are those drawn at once."""
    stream = word_stream(3, StreamTag.EXTEND, 4)
    drawn = np.concatenate([stream(size) for size in sizes])
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


def test_equal_words_keep_their_order() -> None:
    """Words that tie are ordered by their place, on every platform."""
    drawn = np.tile(np.array([1, 0], dtype=np.uint64), 500)
    expected = [*range(1, 1_000, 2), *range(0, 1_000, 2)]
    assert permutation(drawn).tolist() == expected


def test_permutations_are_equally_likely() -> None:
    """Over seeds every order of three comes equally often."""
    orders = [permutation(random_words(seed, StreamTag.FOLD_NUMBERS, 3)) for seed in range(600)]
    frequency = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(frequency) == 6
    assert frequency.min() > 60
