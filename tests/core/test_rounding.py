"""Controlled rounding, against exact fractions."""

from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.core.rounding import (
    controlled_rounding,
    divide,
    floor_and_remainder,
    integer_weights,
    pairing_tree,
    repair_totals,
    rounding_bounds,
    systematic_round,
)
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


@given(sizes=strata_sizes, steps=st.lists(st.booleans(), min_size=12, max_size=12))
def test_every_coarser_stratum_is_a_node(sizes: list[int], steps: list[bool]) -> None:
    """The pairing tree sums strata, passes each coarser stratum, and ends at the total."""
    level = np.cumsum(steps[: len(sizes)])
    level -= level[0]
    tree = list(pairing_tree(np.array(sizes), [level]))
    nodes = [node_sizes.tolist() for _, node_sizes in tree] + [[sum(sizes)]]
    for (is_left, below), above in zip(tree, nodes[1:], strict=True):
        assert np.add.reduceat(below, np.flatnonzero(is_left)).tolist() == above
        assert not (~is_left[1:] & ~is_left[:-1]).any()
    assert np.bincount(level, sizes).tolist() in nodes
    assert sum((~is_left).sum() for is_left, _ in tree) == len(sizes) - 1


@given(
    fractions=st.lists(st.integers(1, 99), min_size=1, max_size=7).filter(
        lambda cells: sum(cells) % 100 == 0
    )
    | st.lists(st.integers(1, 98), min_size=1, max_size=6).map(
        lambda cells: [*cells, 100 - sum(cells) % 100] if sum(cells) % 100 else cells
    ),
    uniform32=st.integers(0, 2**32 - 1),
)
def test_a_systematic_sample_has_its_sum(fractions: list[int], uniform32: int) -> None:
    """A row whose probabilities sum to an integer has that many cells rounded up."""
    probability = np.array([fractions]) / 100
    need = sum(fractions) // 100
    low = np.zeros((1, len(fractions)), dtype=np.int64)
    rounded = systematic_round(
        low, low + 1, np.array([need]), probability, np.array([uniform32], dtype=np.int64)
    )
    assert rounded.sum() == need
    assert set(rounded.ravel().tolist()) <= {0, 1}


def test_systematic_rounding_has_the_probabilities() -> None:
    """Over all starts, evenly spaced, each cell goes up as often as its probability says."""
    probability, n = np.array([[0.5, 0.25, 0.9, 0.35]]), 4000
    starts = np.linspace(0, 2**32 - 1, n).astype(np.int64)
    low = np.zeros((n, 4), dtype=np.int64)
    rounded = systematic_round(
        low, low + 1, np.full(n, 2), np.repeat(probability, n, axis=0), starts
    )
    np.testing.assert_allclose(rounded.mean(axis=0), probability[0], atol=2 / n)


@pytest.mark.parametrize(("need", "up"), [(1, [1 / 3, 1 / 3, 1 / 3, 0]), (2, [2 / 3] * 3 + [0])])
def test_probabilities_are_scaled_to_the_sum(need: int, up: list[float]) -> None:
    """Probabilities whose sum is too large or too small are scaled; fixed cells stay."""
    n = 3000
    low = np.zeros((n, 4), dtype=np.int64)
    high = low + np.array([1, 1, 1, 0])
    starts = np.linspace(0, 2**32 - 1, n).astype(np.int64)
    rounded = systematic_round(low, high, np.full(n, need), np.full((n, 4), 0.5), starts)
    assert (rounded.sum(axis=1) == need).all()
    np.testing.assert_allclose(rounded.mean(axis=0), up, atol=2 / n)


def test_totals_are_repaired_along_paths() -> None:
    """A total that is off by two rows is corrected, in the coarser strata that have too many."""
    sizes, shares = np.array([1, 1, 1, 1]), [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]
    weights, denominator = integer_weights(shares, 4)
    table = np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]])
    repaired = repair_totals(table.copy(), sizes, weights, denominator, [])
    assert_rounded(repaired, sizes.tolist(), shares)
    in_strata = [np.array([0, 0, 1, 1])]
    repaired = repair_totals(table.copy(), sizes, weights, denominator, in_strata)
    assert_rounded(repaired, sizes.tolist(), shares)
    assert repaired[:2, 0].sum() == repaired[2:, 0].sum() == 1


def test_shares_that_do_not_sum_to_one_have_no_table() -> None:
    """Where no table has all its totals rounded, an error says so instead of a wrong table."""
    weights, denominator = integer_weights([Fraction(1, 2), Fraction(1, 4)], 8)
    with pytest.raises(ValueError, match="the shares do not sum to 1"):
        repair_totals(np.array([[4, 4]]), np.array([8]), weights, denominator, [])


@given(
    sizes=strata_sizes,
    shares=st.lists(st.integers(1, 50), min_size=2, max_size=8).map(fractions),
)
def test_floor_and_remainder_are_exact(sizes: list[int], shares: list[Fraction]) -> None:
    """Whole rows and remainder add up to the exact share; bounds are its floor and ceiling."""
    weights, denominator = integer_weights(shares, sum(sizes))
    rows, remainder = floor_and_remainder(np.array(sizes), weights, denominator)
    low, high, _ = rounding_bounds(np.array(sizes), weights, denominator)
    for i, j in np.ndindex(rows.shape):
        exact = sizes[i] * shares[j]
        assert int(rows[i, j]) + Fraction(int(remainder[i, j]), denominator) == exact
        assert (low[i, j], high[i, j]) == (floor(exact), ceil(exact))


def test_divide_integers_of_any_size() -> None:
    """Quotients are floats, 0 / 0 is 0, and integers beyond 64 bits are no exception."""
    assert divide(np.array([1, 0, 3]), np.array([2, 0, 3])).tolist() == [0.5, 0.0, 1.0]
    assert divide(np.array([10**30], dtype=object), 4 * 10**30).tolist() == [0.25]
