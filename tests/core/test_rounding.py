"""Controlled rounding, against exact fractions."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.core.rounding import controlled_rounding, moves_up, round_total, systematic_round
from stratframe.core.seeds import StreamTag, random_words
from tests.helpers import fractions

Shares = list[Fraction]
Levels = Sequence[np.ndarray]
seeds = st.integers(0, 2**32)
strata_sizes = st.lists(st.integers(0, 30), min_size=1, max_size=24)
some_numbers = st.lists(st.integers(1, 50), min_size=2, max_size=6)
TINY = [
    ([5, 7], [7, 2, 1], [[0, 0]]),
    ([9, 7, 5, 2], [7, 2, 1], []),
    ([1, 1, 1], [1, 1, 1], [[0, 0, 1]]),
    ([3, 1, 2, 5], [5, 4, 3], [[0, 1, 1, 1]]),
    ([2, 3], [5, 3, 2, 1], []),
    ([1, 4, 2], [1, 2, 3, 1], [[0, 0, 1]]),
    ([2, 0, 1], [3, 3, 2, 3], [[0, 1, 1]]),
    ([3, 4], [5, 4, 3, 2, 1], []),
    ([7], [6, 5, 4, 3, 2, 1], []),
    ([3, 3, 4, 1, 2, 2, 5], [3, 5], [[0, 0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1, 1]]),
]


def shares_of(least: int, most: int) -> st.SearchStrategy[Shares]:
    tops = st.sampled_from([1, 3, 50, 2**36]).map(lambda top: st.integers(1, top))
    return tops.flatmap(lambda n: st.lists(n, min_size=least, max_size=most)).map(fractions)


@st.composite
def nested_levels(draw: st.DrawFn, n_strata: int, n_levels: int) -> list[np.ndarray]:
    codes = np.arange(n_strata)
    levels = []
    for _ in range(n_levels):
        steps = draw(st.lists(st.booleans(), min_size=n_strata, max_size=n_strata))
        codes = np.cumsum(np.append(False, steps[1:]))[codes]
        codes = np.unique(codes, return_inverse=True)[1]
        levels.append(codes)
    return levels


def rounded(sizes: list[int], shares: Shares, levels: Levels, seed: int | None) -> np.ndarray:
    n_words = len(sizes) * (len(shares) - 1)
    draws = None if seed is None else random_words(seed, StreamTag.PART_QUOTA, n_words)
    return controlled_rounding(np.array(sizes), shares, levels, draws)


def assert_rounded(table: Any, sizes: list[int], shares: Shares, levels: Levels = ()) -> None:
    """Check every stratum and coarser stratum, and all rows."""
    np.testing.assert_array_equal(table.sum(axis=1), sizes)
    for level in [np.arange(len(sizes)), *levels, np.zeros(len(sizes), dtype=int)]:
        for code in np.unique(level):
            size = int(np.array(sizes)[level == code].sum())
            for share, count in zip(shares, table[level == code].sum(axis=0).tolist(), strict=True):
                assert floor(size * share) <= count <= ceil(size * share)


@pytest.mark.parametrize(("least", "most"), [(2, 3), (4, 8), (9, 40), (60, 130)])
@given(data=st.data(), sizes=strata_sizes, seed=st.none() | seeds)
def test_every_level_is_rounded(least: int, most: int, sizes: Any, seed: Any, data: Any) -> None:
    """Cells, coarser strata of all levels and totals are exact shares, rounded down or up."""
    if most > 40:
        sizes = sizes[:6]
    shares = data.draw(shares_of(least, most))
    levels = data.draw(nested_levels(len(sizes), data.draw(st.integers(0, 4))))
    assert_rounded(rounded(sizes, shares, levels, seed), sizes, shares, levels)


@pytest.mark.parametrize("n", [1, 10**7])
def test_rounding_is_exact_where_int64_would_overflow(n: int) -> None:
    """Shares with huge denominators are rounded exactly, in integers of any size."""
    first = [Fraction(1, prime) for prime in (999983, 999979, 999961, 999959)]
    shares = [*first, 1 - sum(first)]
    levels = [np.array([0, 0, 1, 1])]
    sizes = [n, 3 * n + 1, 7, 0]
    for seed in (None, *range(20)):
        assert_rounded(rounded(sizes, shares, levels, seed), sizes, shares, levels)


@pytest.mark.parametrize("denominator", [10, 2**29, 2**30 + 1, 2**45, 2**70])
def test_moves_keep_the_mean(denominator: int) -> None:
    """The share of 2**32 random numbers that moves up keeps the mean, to within one of them."""
    kind = np.min_scalar_type(-3 * denominator)
    for low, room in [(1, 3), (0, 5), (5, 0), (0, 0), (denominator // 3, denominator // 2)]:
        share = Fraction(low, low + room) if low + room else Fraction(1)
        # Random numbers from here on move up.
        first = floor((1 - share) * 2**32)
        near = np.clip(np.arange(first - 1, first + 3), 0, 2**32 - 1)
        up = moves_up(np.full(4, low, kind), np.full(4, room, kind), denominator, near)
        assert up.tolist() == [Fraction(int(u), 2**32) >= 1 - share for u in near]


@given(data=st.data(), sizes=strata_sizes, numbers=some_numbers)
def test_high_draws_favour_first_parts(data: Any, sizes: list[int], numbers: list[int]) -> None:
    """Left-over rows go to the first parts that may take them."""
    levels = data.draw(nested_levels(len(sizes), 1))
    shares = fractions(numbers)
    draws = np.full(len(sizes) * (len(shares) - 1), 2**64 - 1, dtype=np.uint64)
    totals = controlled_rounding(np.array(sizes), shares, levels, draws).sum(axis=0)
    exact = [sum(sizes) * share for share in shares]
    may_take = [part for part, rows in enumerate(exact) if rows.denominator > 1]
    takes = [part for part in may_take if totals[part] > exact[part]]
    assert takes[:1] == may_take[:1]
    if len(shares) <= 3:
        assert takes == may_take[: len(takes)]


def every_rounding(sizes: Any, shares: Shares, levels: Levels) -> Iterator[tuple[Fraction, Any]]:
    """All tables that chance can lead to, each with its probability."""
    taken: list[bool] = []

    def choose(low: np.ndarray, room: np.ndarray, *_: object) -> np.ndarray:
        nonlocal probability, n_chosen
        ups = np.ones(len(low), dtype=bool)
        for i, (down, up) in enumerate(zip(low.tolist(), room.tolist(), strict=True)):
            if not down or not up:
                ups[i] = not up
                continue
            if n_chosen == len(taken):
                taken.append(True)
            ups[i] = taken[n_chosen]
            n_chosen += 1
            probability *= Fraction(down if ups[i] else up, down + up)
        return ups

    while True:
        probability = Fraction(1)
        n_chosen = 0
        table = controlled_rounding(np.array(sizes), shares, levels, None, choose)
        yield probability, table
        while taken and not taken[-1]:
            taken.pop()
        if not taken:
            return
        taken[-1] = False


@pytest.mark.parametrize(("sizes", "numbers", "levels"), TINY)
def test_means_are_exact_shares(sizes: list[int], numbers: list[int], levels: Any) -> None:
    """Over all possible roundings, the mean of each cell is exactly its share."""
    shares = fractions(numbers)
    coarser = [np.array(level) for level in levels]
    probabilities, tables = zip(*every_rounding(sizes, shares, coarser), strict=True)
    for table in tables:
        assert_rounded(table, sizes, shares, coarser)
    assert sum(probabilities) == 1
    mean = np.tensordot(np.array(probabilities), np.array(tables, dtype=object), 1)
    assert mean.tolist() == [[size * share for share in shares] for size in sizes]


@given(cells=st.lists(st.integers(1, 98), min_size=1, max_size=6), seed=seeds)
def test_a_systematic_sample_has_its_sum(cells: list[int], seed: int) -> None:
    """If fractions sum to a whole number, that many of them are rounded up."""
    cells = [*cells, -sum(cells) % 100]
    draws = np.array([seed << 31], dtype=np.uint64)
    assert systematic_round(np.array([cells]) / 100, draws).sum() == sum(cells) // 100


def test_systematic_rounding_has_the_probabilities() -> None:
    """Over evenly spaced starts each fraction is rounded up with its own frequency."""
    fraction = np.array([[0.5, 0.25, 0.9, 0.35, 0]])
    n = 4000
    starts = np.linspace(0, 2.0**64, n, endpoint=False).astype(np.uint64)
    up = systematic_round(np.repeat(fraction, n, axis=0), starts)
    assert (up.sum(axis=1) == 2).all()
    np.testing.assert_allclose(up.mean(axis=0), fraction[0], atol=2 / n)


@given(n_rows=st.integers(0, 10**12), shares=shares_of(2, 8), seed=seeds)
def test_totals_are_rounded_with_one_word(n_rows: int, shares: Shares, seed: int) -> None:
    """A total is divided into its shares, rounded down or up."""
    total = round_total(n_rows, shares, random_words(seed, StreamTag.PART_SEARCH, 1))
    assert_rounded(total[None], [n_rows], shares)
