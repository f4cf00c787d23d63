"""Orders of rows, against numpy's own sorts."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stratframe.core import order
from stratframe.core.seeds import StreamTag, random_words

codes = hnp.arrays(np.int64, st.integers(1, 80), elements=st.integers(0, 6))
seeds = st.integers(0, 2**32)
lengths = st.integers(1, 60)
LAST_BITS = 1 + np.random.default_rng(0).integers(0, 1000, 5_000) * np.finfo(float).eps
LAST_BITS[17] = -1e300
numbers = hnp.arrays(np.float64, lengths, elements=st.floats(allow_nan=False))
numbers |= hnp.arrays(np.int64, lengths, elements=st.integers(-(2**63), 2**63 - 1))
numbers |= hnp.arrays(np.uint64, lengths, elements=st.integers(0, 2**64 - 1))
numbers |= hnp.arrays(np.float64, lengths, elements=st.integers(-3, 3).map(float))
EXTREMES = [
    np.array([-np.inf, -1e300, -1.5, -5e-324, 0.0, 5e-324, 1.5, 1e300, np.inf]),
    np.array([np.iinfo(np.int64).min, -5, -1, 0, 1, 7, np.iinfo(np.int64).max]),
    np.array([0, 1, 2**63, 2**64 - 1], dtype=np.uint64),
]


@pytest.mark.parametrize("n_codes", [7, 2**50], ids=["one step", "two steps"])
@given(column=codes, seed=seeds)
def test_shuffled_groups_codes(n_codes: int, column: np.ndarray, seed: int) -> None:
    """A shuffle has every row once, code after code, in one step and in two."""
    rows = order.shuffled(column, n_codes, random_words(seed, StreamTag.FOLD_ROWS, len(column)))
    np.testing.assert_array_equal(np.sort(rows), np.arange(len(column)))
    assert (np.diff(column[rows]) >= 0).all()


@given(column=codes)
def test_grouped_is_stable(column: np.ndarray) -> None:
    """Grouping keeps the order inside a code, as a stable sort does."""
    start = np.arange(len(column))[::-1].copy()
    expected = start[np.argsort(column[start], kind="stable")]
    np.testing.assert_array_equal(order.grouped(start, column, 7), expected)


@given(values=hnp.arrays(np.float64, st.integers(1, 60), elements=st.integers(-5, 5).map(float)))
def test_rank_as_unique(values: np.ndarray) -> None:
    """Dense ranks are the inverse of `np.unique`; zero and minus zero are equal."""
    values[values == 0] *= np.random.default_rng(0).choice([-1, 1], (values == 0).sum())
    np.testing.assert_array_equal(order.rank(values), np.unique(values, return_inverse=True)[1])


@given(column=codes, n_codes=st.integers(1, 7), seed=seeds)
def test_by_value_sorts_inside_codes(column: np.ndarray, n_codes: int, seed: int) -> None:
    """Rows are sorted by code, then by value; only equal values depend on the seed."""
    values = np.sin(np.arange(len(column)) * 7) // 0.25
    column = column % n_codes
    draws = random_words(seed, StreamTag.FOLD_ROWS, len(column))
    rows = order.by_value(column, n_codes, values, draws)
    expected = np.lexsort((values, column))
    np.testing.assert_array_equal(np.sort(rows), np.arange(len(column)))
    np.testing.assert_array_equal(column[rows], column[expected])
    np.testing.assert_array_equal(values[rows], values[expected])


@pytest.mark.parametrize("spread", [True, False])
@given(sizes=st.lists(st.integers(0, 17), min_size=1, max_size=5), k=st.integers(2, 6), seed=seeds)
def test_blocks_hold_neighbours(spread: bool, sizes: list[int], k: int, seed: int) -> None:
    """Left-over rows come last in their stratum; the others move inside blocks of k only."""
    n = sum(sizes)
    start = 0
    draws = random_words(seed, StreamTag.FOLD_BLOCKS, n)
    dealt = order.permuted_blocks(np.arange(n), np.array(sizes), k, draws, spread)
    for size in sizes:
        left = size % k
        leftover = list(range(start + size - left, start + size))
        if spread:
            leftover = [start + int((i + 0.5) * size // left) for i in range(left)]
        stay = [row for row in range(start, start + size) if row not in leftover]
        inside = dealt[start : start + size].tolist()
        assert sorted(inside[len(stay) :]) == leftover
        for block in range(0, len(stay), k):
            assert sorted(inside[block : block + k]) == stay[block : block + k]
        start += size


@given(values=numbers, seed=seeds, n_codes=st.integers(1, 9))
@example(values=LAST_BITS, seed=0, n_codes=1)
def test_sort_values_is_a_stable_sort(values: np.ndarray, seed: int, n_codes: int) -> None:
    """Any numbers are sorted by code and value, with equal ones in row order."""
    column = np.random.default_rng(seed).integers(0, n_codes, len(values))
    rows, rises = order.sort_values(values, column, n_codes)
    expected = np.lexsort((values, column))
    np.testing.assert_array_equal(rows, expected)
    pairs = list(zip(column[expected].tolist(), values[expected].tolist(), strict=True))
    assert rises.tolist() == [i == 0 or pairs[i] != pairs[i - 1] for i in range(len(pairs))]
    np.testing.assert_array_equal(order.sort_values(values)[0], np.argsort(values, kind="stable"))


@pytest.mark.parametrize("values", EXTREMES, ids=lambda values: str(values.dtype))
def test_words_have_the_order_of_the_numbers(values: np.ndarray) -> None:
    """Numbers of every kind become words in the same order."""
    words = order.ordered_words(values)
    assert len(set(order.ordered_words(np.array([0.0, -0.0])).tolist())) == 1
    assert words.dtype == np.uint64
    assert (words[1:] > words[:-1]).all()
