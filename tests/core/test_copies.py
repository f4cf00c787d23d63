"""Copied values are told from values that repeat by chance, by how many values occur how often."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.core.copies import are_copied

SIZES = st.lists(st.tuples(st.integers(1, 8), st.integers(0, 60)), max_size=8)


@given(SIZES)
def test_copies_are_told_by_the_rule(numbers: list[tuple[int, int]]) -> None:
    """For some j from 2 to 5, at least 20 values occur j times, and their square is above a bound.

    The bound is three times (j + 1) / j of the upper limits of the numbers beside it.
    """
    sizes = [size for size, times in numbers for _ in range(times)]
    times = Counter(sizes)

    def limit(n: int) -> Fraction:
        return n + 2 * Fraction(float(np.sqrt(n))) + 3

    expected = any(
        times[j] >= 20
        and times[j] ** 2 > Fraction(3 * (j + 1), j) * limit(times[j - 1]) * limit(times[j + 1])
        for j in (2, 3, 4, 5)
    )
    assert are_copied(np.array(sizes, dtype=np.int64)) is expected


def test_copies_are_found() -> None:
    """Copies are values that occur two to five times: all of 25 values, or half of 100."""
    for copies in (2, 3, 4, 5):
        for n in (25, 10_000):
            assert are_copied(np.full(n, copies))
        for n in (100, 10_000):
            assert are_copied(np.repeat([1, copies], n // 2))


def test_values_that_occur_more_often_are_not_judged() -> None:
    """Values that all occur six times or more, and columns without values, are no copies."""
    assert not are_copied(np.full(1000, 6))
    assert not are_copied(np.zeros(0, dtype=np.int64))


def draw_values(drawn: np.random.Generator, column: str, n: int) -> np.ndarray:
    if column == "ages":
        return drawn.integers(18, 91, n)
    if column == "birthdays":
        return drawn.integers(0, 365, n)
    if column == "zip codes":
        return drawn.choice(3000, n, p=drawn.dirichlet([0.5] * 3000))
    return np.round(drawn.lognormal(4, 1, n), 1)


@pytest.mark.parametrize("column", ["ages", "birthdays", "zip codes", "prices"])
def test_values_that_repeat_by_chance_are_no_copies(column: str) -> None:
    """None of 200 random columns of 100 to 10,000 rows looks copied."""
    for seed in range(200):
        drawn = np.random.default_rng(seed)
        values = draw_values(drawn, column, int(100 ** drawn.uniform(1, 2)))
        sizes = np.unique(values, return_counts=True)[1]
        assert not are_copied(sizes)
