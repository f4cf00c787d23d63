"""Unequal parts along an order: runs and chances."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from stratframe.core.rounding import controlled_rounding
from stratframe.core.seeds import StreamTag, random_words
from stratframe.core.systematic import systematic_deal

shares = st.lists(st.integers(1, 40), min_size=2, max_size=6).map(
    lambda numbers: [Fraction(number, sum(numbers)) for number in numbers]
)


def deal(sizes: list[int], parts: list[Fraction], seed: int | None) -> tuple[np.ndarray, ...]:
    """Deal strata of given sizes, their rows in order."""
    n_words = len(sizes) * (len(parts) - 1)
    quota_draws = None if seed is None else random_words(seed, StreamTag.PART_QUOTA, n_words)
    table = controlled_rounding(np.array(sizes), parts, [], quota_draws)
    n = sum(sizes)
    draws = None if seed is None else random_words(seed, StreamTag.PART_SPREAD, table.size + n)
    return table, systematic_deal(np.arange(n), table, draws)


@given(
    sizes=st.lists(st.integers(1, 300), min_size=1, max_size=3),
    parts=shares,
    seed=st.none() | st.integers(0, 2**32),
)
def test_every_run_holds_each_share(
    sizes: list[int], parts: list[Fraction], seed: int | None
) -> None:
    """In each stratum every run of the order holds each part's share to within 3 rows."""
    table, found = deal(sizes, parts, seed)
    for counts, (start, stop) in zip(table, pairwise(np.cumsum([0, *sizes])), strict=True):
        inside = found[start:stop]
        np.testing.assert_array_equal(np.bincount(inside, minlength=len(parts)), counts)
        for part, count in enumerate(counts):
            excess = np.cumsum(np.append(0, inside == part)) - (
                np.arange(len(inside) + 1) * count / len(inside)
            )
            assert np.ptp(excess) <= 3


@pytest.mark.slow
@pytest.mark.parametrize("numbers", [[8, 2], [8, 1, 1], [4, 3, 2, 1]])
def test_every_row_has_every_chance(numbers: list[int]) -> None:
    """Over seeds each row of the order comes to each part as often as the part's share."""
    parts = [Fraction(number, sum(numbers)) for number in numbers]
    n, n_seeds = 2 * sum(numbers), 3000
    counts = np.zeros((n, len(parts)))
    for seed in range(n_seeds):
        counts[np.arange(n), deal([n], parts, seed)[1]] += 1
    for row in counts:
        assert chisquare(row, [n_seeds * float(part) for part in parts]).pvalue > 1e-5
