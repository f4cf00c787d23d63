"""Deals: rows go to parts by rank, every cell of the table is met, all deals are equally likely."""

from collections import Counter
from fractions import Fraction
from itertools import accumulate, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import chisquare

from stratframe.core.deal import (
    cut_between_values,
    deal_by_rank,
    deal_by_table,
    round_robin,
    strata_with_ties,
)
from stratframe.core.quota import equal_quota
from stratframe.core.rounding import controlled_rounding
from stratframe.core.seeds import StreamTag, position_bits, random_words, word_stream

seeds = st.integers(0, 2**32)
shapes = st.tuples(st.integers(1, 5), st.integers(2, 5))
tables = hnp.arrays(np.int64, shapes, elements=st.integers(0, 12)).filter(np.any)


def cell_counts(codes: np.ndarray, parts: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    counts = np.zeros(shape, dtype=int)
    np.add.at(counts, (codes, parts), 1)
    return counts


def first_words(words: np.ndarray) -> Any:
    return lambda rows: words[: len(rows)]


def ranked_one_by_one(codes: Any, table: Any, numbers: Any, words: np.ndarray) -> np.ndarray:
    """Deal as the definition says, stratum by stratum; torn rows take words in row order."""
    due = [np.repeat(np.arange(table.shape[1]), row) for row in table]
    own = [np.flatnonzero(codes == stratum).tolist() for stratum in range(len(table))]
    rows = [sorted(each, key=lambda row: (numbers[row], row)) for each in own]
    split_by_cut = set()
    for ranked, parts in zip(rows, due, strict=True):
        pairs = {*zip(numbers[ranked].tolist(), parts.tolist(), strict=True)}
        n_parts = Counter(number for number, _ in pairs)
        split_by_cut |= {row for row in ranked if n_parts[int(numbers[row])] > 1}
    second = dict(zip(sorted(split_by_cut), words.tolist(), strict=False))
    dealt = np.empty(len(codes), dtype=int)
    for ranked, parts in zip(rows, due, strict=True):
        ranked = sorted(ranked, key=lambda row: (numbers[row], second.get(row, 0), row))
        dealt[ranked] = parts
    return dealt


@pytest.mark.parametrize("bits", [None, 0, 3, 16])
@pytest.mark.parametrize("dtype", [np.uint16, np.uint64])
@given(table=tables, seed=seeds, n_numbers=st.sampled_from([2, 20, 2**16]), shift=st.booleans())
def test_rows_go_to_parts_by_rank(
    bits: int | None, dtype: Any, table: Any, seed: int, n_numbers: int, shift: bool
) -> None:
    """However many bits are counted first, the deal is that of the definition."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat(np.arange(len(table)), table.sum(axis=1)))
    numbers = rng.integers(0, n_numbers, len(codes)).astype(dtype)
    if shift and dtype == np.uint64:
        numbers <<= np.uint64(48)
    words = rng.integers(0, 3, len(codes)).astype(np.uint64)
    parts = deal_by_rank(codes, table, numbers, first_words(words), bits)
    np.testing.assert_array_equal(parts, ranked_one_by_one(codes, table, numbers, words))


@pytest.mark.parametrize("n_strata", [1, 3, 40, 3000, 60_000])
def test_large_deals_do_not_depend_on_the_bits(n_strata: int) -> None:
    """Large frames of few and of many strata are dealt as if all rows were sorted."""
    n_rows = 120_000
    codes = np.random.default_rng(0).integers(0, n_strata, n_rows)
    table = equal_quota(np.bincount(codes, minlength=n_strata), np.array([2, 0, 1]))
    numbers = position_bits(word_stream(1, StreamTag.FOLD_ROWS), n_rows)
    second = first_words(random_words(1, StreamTag.FOLD_BLOCKS, n_rows))
    sorted_first, chosen = (deal_by_rank(codes, table, numbers, second, n) for n in (0, None))
    np.testing.assert_array_equal(chosen, sorted_first)
    np.testing.assert_array_equal(cell_counts(codes, chosen, table.shape), table)


def test_rows_of_one_number_take_words_in_row_order() -> None:
    """Only rows with equal numbers at a cut use random words, in their order."""
    numbers = np.array([5, 9, 5, 5, 9], dtype=np.uint16)
    asked = []

    def second(rows: np.ndarray) -> np.ndarray:
        asked.append(rows.tolist())
        return np.array([7, 3, 3], dtype=np.uint64)

    parts = deal_by_rank(np.zeros(5, dtype=int), np.array([[2, 3]]), numbers, second)
    assert asked == [[0, 2, 3]]
    assert parts.tolist() == [1, 1, 0, 0, 1]


@given(sizes=st.lists(st.integers(1, 20), min_size=1, max_size=6), k=st.integers(2, 7), seed=seeds)
def test_round_robin_meets_the_equal_quota(sizes: list[int], k: int, seed: int) -> None:
    """A round-robin deal has the counts of `equal_quota`."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    fold_permutation = np.random.default_rng(seed).permutation(k)
    draws = random_words(seed, StreamTag.FOLD_ROWS, len(codes))
    folds = round_robin(np.lexsort((draws, codes)), fold_permutation)
    expected = equal_quota(np.array(sizes), fold_permutation)
    np.testing.assert_array_equal(cell_counts(codes, folds, expected.shape), expected)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["by position", "by few numbers", "sorted first"])
def test_all_deals_are_equally_likely(how: str) -> None:
    """Over seeds every assignment with the counts of the table is equally frequent."""
    table = np.array([[2, 1, 1], [1, 1, 0]])
    codes = np.array([0, 1, 0, 0, 1, 0])
    frequency: Counter[tuple[int, ...]] = Counter()
    for seed in range(9600):
        numbers = position_bits(word_stream(seed, StreamTag.FOLD_ROWS), 6)
        if how == "by few numbers":
            numbers >>= np.uint16(15)
        if how == "sorted first":
            draws = random_words(seed, StreamTag.FOLD_ROWS, 6)
            parts = deal_by_table(np.lexsort((draws, codes)), table)
        else:
            second = random_words(seed, StreamTag.FOLD_BLOCKS, 6)
            parts = deal_by_rank(codes, table, numbers, first_words(second))
        frequency[tuple(parts.tolist())] += 1
    assert len(frequency) == len(set(permutations([0, 0, 1, 2]))) * 2 == 24
    assert chisquare(list(frequency.values())).pvalue > 0.001


SHARES = [
    [Fraction(4, 5), Fraction(1, 5)],
    [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)],
    [Fraction(7, 10), Fraction(1, 5), Fraction(1, 10)],
    [Fraction(1, 10**18 + 9), 1 - Fraction(1, 10**18 + 9)],
]


@given(
    runs=st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=6), min_size=1, max_size=4),
    shares=st.sampled_from(SHARES),
)
def test_cuts_between_values_are_nearest(runs: list[list[int]], shares: list[Fraction]) -> None:
    """A cut inside equal values moves to the end nearer to the exact share, else the later one."""
    sizes = np.array([sum(each) for each in runs])
    highest = np.full(len(sizes) * (len(shares) - 1), 2**64 - 1, dtype=np.uint64)
    table = controlled_rounding(sizes, shares, (), highest)
    is_run_start = np.concatenate(
        [np.arange(length) == 0 for stratum in runs for length in stratum]
    )

    found = cut_between_values(table, is_run_start, shares)

    expected = []
    for stratum, quotas in zip(runs, table.tolist(), strict=True):
        ends = [0, *accumulate(stratum)]
        cuts = [0]
        for part in range(1, len(shares) + 1):
            cut = sum(quotas[:part])
            exact = sum(stratum) * sum(shares[:part])
            before = max(end for end in ends if end <= cut)
            after = min(end for end in ends if end >= cut)
            cuts.append(before if exact - before < after - exact else after)
        expected.append(np.diff(cuts).tolist())
    assert found.tolist() == expected


def test_cuts_are_nearest_to_exact_shares() -> None:
    """A test part of 21.6 rows takes 25 rows, not 17: the share is not rounded first."""
    is_run_start = np.isin(np.arange(108), [0, 83, 91])
    table = np.array([[87, 21]])
    found = cut_between_values(table, is_run_start, [Fraction(4, 5), Fraction(1, 5)])
    assert found.tolist() == [[83, 25]]


@given(
    strata=st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1, max_size=5),
    data=st.data(),
)
def test_strata_whose_equal_values_are_parted(strata: list[list[int]], data: st.DataObject) -> None:
    """A stratum has ties if two neighbours of equal value are in different parts."""
    first = [data.draw(st.integers(0, len(values))) for values in strata]
    table = [[cut, len(values) - cut] for cut, values in zip(first, strata, strict=True)]
    values = [(stratum, value) for stratum, own in enumerate(strata) for value in sorted(own)]
    is_run_start = [
        place == 0 or values[place] != values[place - 1] for place in range(len(values))
    ]

    flags = strata_with_ties(np.array(table), np.array(is_run_start))

    expected = []
    for cut, own in zip(first, map(sorted, strata), strict=True):
        expected.append(0 < cut < len(own) and own[cut - 1] == own[cut])
    assert flags.tolist() == expected
