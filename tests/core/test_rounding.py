"""Controlled rounding, against exact fractions."""

from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.core.rounding import controlled_rounding
from stratframe.core.seeds import StreamTag, random_words

seeds = st.integers(0, 2**32)


strata_sizes = st.lists(st.integers(1, 30), min_size=1, max_size=12)


def fractions(numbers: list[int]) -> list[Fraction]:
    return [Fraction(number, sum(numbers)) for number in numbers]


def assert_rounded(table: np.ndarray, sizes: list[int], shares: list[Fraction]) -> None:
    """Every cell and every total is its exact share rounded down or up."""
    np.testing.assert_array_equal(table.sum(axis=1), sizes)
    for size, counts in [*zip(sizes, table, strict=True), (sum(sizes), table.sum(axis=0))]:
        for share, count in zip(shares, counts, strict=True):
            assert floor(size * share) <= count <= ceil(size * share)


@given(
    sizes=strata_sizes,
    shares=st.lists(st.integers(1, 50), min_size=2, max_size=8).map(fractions),
    seed=st.none() | seeds,
    data=st.data(),
)
def test_every_level_is_rounded(
    sizes: list[int], shares: list[Fraction], seed: int | None, data: st.DataObject
) -> None:
    """Cells and totals are rounded shares, with coarser strata within 2 rows."""
    steps = data.draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes)))
    level = np.cumsum(steps) - steps[0]
    draws = None if seed is None else random_words(seed, StreamTag.PART_QUOTA, len(sizes))
    table = controlled_rounding(np.array(sizes), shares, [level], draws)
    assert_rounded(table, sizes, shares)
    bound = 1 if len(shares) < 4 else 2
    for coarse in np.unique(level):
        inside = level == coarse
        exact = [int(np.array(sizes)[inside].sum()) * share for share in shares]
        assert all(
            abs(count - share) <= bound
            for count, share in zip(table[inside].sum(axis=0).tolist(), exact, strict=True)
        )


@pytest.mark.parametrize(
    ("sizes", "numbers"),
    [
        ([2, 4, 6], [3, 2, 2, 2, 3]),
        ([9, 9, 5, 10], [10, 15, 20, 45, 10]),
        ([4, 8, 7, 9, 3, 9, 3], [4, 5, 5, 4]),
    ],
)
def test_tables_on_which_separate_rounding_fails(sizes: list[int], numbers: list[int]) -> None:
    """Tables on which rounding stratum by stratum misses a total are right."""
    shares, level = fractions(numbers), np.array([0, 1, 2, 2, 2, 2, 2])[: len(sizes)]
    for seed in range(200):
        draws = random_words(seed, StreamTag.PART_QUOTA, len(sizes)) if seed else None
        table = controlled_rounding(np.array(sizes), shares, [level], draws)
        assert_rounded(table, sizes, shares)
        last = table[level == level[-1]].sum(axis=0)
        size = sum(np.array(sizes)[level == level[-1]].tolist())
        assert all(abs(n - size * share) < 1 for n, share in zip(last, shares, strict=True))


def test_stuck_pairs_are_repaired() -> None:
    """Tables of four or more parts are right even where a pair has no split."""
    rng = np.random.default_rng(0)
    for seed in range(3000):
        sizes = rng.integers(1, 15, rng.integers(2, 9)).tolist()
        shares = fractions(rng.integers(1, 20, rng.integers(4, 8)).tolist())
        table = controlled_rounding(
            np.array(sizes), shares, [], random_words(seed, StreamTag.PART_QUOTA, len(sizes))
        )
        assert_rounded(table, sizes, shares)


def test_rounding_is_exact_where_int64_would_overflow() -> None:
    """Shares with huge denominators are rounded exactly, in integers of any size."""
    primes = (999983, 999979, 999961)
    first = [Fraction(1, prime) for prime in primes]
    shares = [*first, 1 - sum(first, Fraction(0))]
    sizes = [10**7, 3 * 10**6 + 1, 7]
    assert_rounded(
        controlled_rounding(np.array(sizes), shares, [], random_words(0, StreamTag.PART_QUOTA, 3)),
        sizes,
        shares,
    )


@pytest.mark.slow
@pytest.mark.parametrize("numbers", [[8, 1, 1], [7, 3], [1, 1, 1]])
def test_rounding_is_unbiased(numbers: list[int]) -> None:
    """Over seeds each cell's mean is its exact share, to within a twentieth of a row."""
    sizes, shares = np.array([3, 1, 2, 5, 3, 3, 4, 7]), fractions(numbers)
    n = 4000
    total = sum(
        controlled_rounding(sizes, shares, [], random_words(seed, StreamTag.PART_QUOTA, len(sizes)))
        for seed in range(n)
    )
    exact = sizes[:, None] * np.array([float(share) for share in shares])
    assert np.abs(total / n - exact).max() < 0.05
