"""Unequal parts along an order: runs, chances, and the source's own method."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, ks_2samp

from stratframe.core.rounding import controlled_rounding
from stratframe.core.seeds import StreamTag, random_words
from stratframe.core.systematic import systematic_deal
from tests.helpers import fractions

shares = st.lists(st.integers(1, 40), min_size=2, max_size=6).map(fractions)
seeds = st.none() | st.integers(0, 2**32)


def deal(sizes: list[int], parts: list[Fraction], seed: int | None) -> tuple[np.ndarray, ...]:
    n_words = len(sizes) * (len(parts) - 1)
    quota_draws = None if seed is None else random_words(seed, StreamTag.PART_QUOTA, n_words)
    table = controlled_rounding(np.array(sizes), parts, [], quota_draws)
    n = sum(sizes)
    draws = None if seed is None else random_words(seed, StreamTag.PART_SPREAD, table.size + n)
    return table, systematic_deal(np.arange(n), table, draws)


@given(st.lists(st.integers(1, 300), min_size=1, max_size=3), shares, seeds)
def test_runs_hold_each_share(sizes: list[int], parts: list[Fraction], seed: int | None) -> None:
    """In each stratum every run of the order holds each part's share to within 3 rows."""
    table, found = deal(sizes, parts, seed)
    for counts, (start, stop) in zip(table, pairwise(np.cumsum([0, *sizes])), strict=True):
        inside = found[start:stop]
        np.testing.assert_array_equal(np.bincount(inside, minlength=len(parts)), counts)
        for part, count in enumerate(counts):
            shares_so_far = np.arange(len(inside) + 1) * count / len(inside)
            excess = np.cumsum(np.append(0, inside == part)) - shares_so_far
            assert np.ptp(excess) <= 3


@pytest.mark.slow
@pytest.mark.parametrize("numbers", [[8, 2], [8, 1, 1], [4, 3, 2, 1]])
def test_every_row_has_every_chance(numbers: list[int]) -> None:
    """Over seeds each row of the order comes to each part as often as the part's share."""
    parts = fractions(numbers)
    n = 2 * sum(numbers)
    n_seeds = 3000
    counts = np.zeros((n, len(parts)))
    for seed in range(n_seeds):
        counts[np.arange(n), deal([n], parts, seed)[1]] += 1
    for row in counts:
        assert chisquare(row, [n_seeds * float(part) for part in parts]).pvalue > 1e-5


def fractional(values: np.ndarray, parts: list[float], rng: np.random.Generator) -> np.ndarray:
    """Fractional stratification as its source describes it, block by block and recursively."""
    found = np.full(len(values), -1)
    rows = np.argsort(values)
    precision = max(len(values) // 10, 1)
    while len(rows):
        taken = np.bincount(found[found >= 0], minlength=len(parts))
        left = np.maximum(np.array(parts) * len(values) - taken, 0)
        share = left / left.sum()
        for block in np.array_split(rows, precision):
            shuffled = rng.permutation(block)
            ends = np.cumsum(np.floor(share * len(block) + 1e-9).astype(int))
            for part, (start, stop) in enumerate(pairwise([0, *ends])):
                found[shuffled[start:stop]] = part
        rows = rows[found[rows] < 0]
        if precision == 1 and len(rows):
            found[rows] = rng.choice(len(parts), len(rows), p=share)
            break
        precision = max(precision // 2, 1)
    return found


@pytest.mark.parametrize("numbers", [[8, 2], [89, 11], [8, 1, 1], [5, 2, 2, 1]])
def test_no_farther_from_the_whole_than_the_source(numbers: list[int]) -> None:
    """The KS distance of each part from the whole is no larger than with the source's method."""
    rng = np.random.default_rng(0)
    parts = fractions(numbers)
    values = np.sort(rng.lognormal(size=1000))
    ours, theirs = np.zeros((2, len(parts)))
    for seed in range(20):
        found = deal([len(values)], parts, seed)[1]
        source = fractional(values, [float(part) for part in parts], rng)
        for part in range(len(parts)):
            ours[part] += ks_2samp(values[found == part], values).statistic
            theirs[part] += ks_2samp(values[source == part], values).statistic
    assert (ours <= theirs).all(), (ours / 20, theirs / 20)
