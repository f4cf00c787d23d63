"""Probabilities of missing classes, against SciPy, exact fractions and enumeration."""

import time
from fractions import Fraction
from math import comb, exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from stratframe import theory

MANY = [(20_000, 200, 10), (20_000, 19_000, 5000), (10**6, 999_990, 200_000), (123_457, 700, 11)]
MANY += [(10**9, 40, 7), (10**9, 3000, 10), (10**9, 10**8, 10**9 // 5), (10**9, 6000, 100)]
FEW = [(n, count, k) for n in range(1, 10) for count in range(n + 1) for k in range(1, n + 1)]
CANCELLING = [
    (100, 12, 10),
    (103, 12, 10),
    (203, 30, 20),
    (203, 95, 20),
    (500, 60, 37),
    (500, 40, 40),
    (20_000, 200, 10),
    (20_003, 70, 7),
    (120, 100, 50),
    (119, 100, 50),
]


def fold_sizes(n: int, k: int) -> list[int]:
    return [len(part) for part in np.array_split(np.arange(n), k)]


@st.composite
def frames(draw: st.DrawFn, most: int = 60) -> tuple[int, int, int]:
    n = draw(st.integers(1, most))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


@given(frames())
def test_probability_missing_is_hypergeometric(case: tuple[int, int, int]) -> None:
    """The probability is the mean over folds of the hypergeometric probability of no row."""
    n, count, k = case
    expected = np.mean([hypergeom.pmf(0, n, count, rows) for rows in fold_sizes(n, k)])
    assert theory.probability_missing(*case) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(("n", "count", "k"), MANY)
def test_probability_missing_is_exact_for_many_rows(n: int, count: int, k: int) -> None:
    """With up to a billion rows the probability is a quotient of exact binomials."""
    size, longer = divmod(n, k)

    def none(rows: int) -> Fraction:
        few, many = sorted((rows, count))
        return Fraction(comb(n - many, few), comb(n, few))

    expected = ((k - longer) * none(size) + (longer * none(size + 1) if longer else 0)) / k
    assert theory.probability_missing(n, count, k) == pytest.approx(float(expected), rel=1e-14)
    logs = hypergeom.logpmf(0, n, count, size)
    assert theory.probability_missing(n, count, k) == pytest.approx(exp(logs), rel=1e-3)


def test_probability_missing_is_zero_where_floats_end() -> None:
    """A probability below the least float is 0 at once; one just above it is not 0."""
    start = time.process_time()
    assert theory.probability_missing(10**15, 10**14, 10) == 0
    assert theory.probability_any_missing(10**15, 10**14, 10) == 0
    assert time.process_time() - start < 1
    assert 0 < theory.probability_missing(10**6, 6600, 10) < 1e-300


def test_probability_any_missing_by_all_placements() -> None:
    """The chance is the share of all placements in which a fold lacks a class."""
    for n, count, k in [*FEW, *CANCELLING]:
        # Count placements with every fold filled, fold by fold, in whole numbers.
        ways = [1] + [0] * count
        for rows in fold_sizes(n, k):
            chosen = [0, *(comb(rows, own) for own in range(1, count + 1))]
            ways = np.convolve(*np.array([ways, chosen], dtype=object))[: count + 1].tolist()
        expected = float(1 - Fraction(ways[count], comb(n, count)))
        found = theory.probability_any_missing(n, count, k)
        assert found == pytest.approx(expected, rel=1e-15), (n, count, k)


def test_probability_any_missing_of_fewer_rows_than_folds() -> None:
    """A class of fewer rows than folds is surely missing; one of all rows never is."""
    assert theory.probability_any_missing(10**9, 9, 10) == 1.0
    assert theory.probability_any_missing(10**6, 10**6, 10**6) == 0.0
    assert theory.probability_any_missing(50, 0, 1) == 1.0
    assert theory.probability_any_missing(10**6, 10**5, 10**5) == 1.0


@given(frames(most=400))
def test_probabilities_are_in_range(case: tuple[int, int, int]) -> None:
    """Both are in 0..1; that of any fold is between that of one fold and k times that."""
    one = theory.probability_missing(*case)
    several = theory.probability_any_missing(*case)
    assert 0 <= one <= several <= 1
    assert several <= case[2] * one * (1 + 1e-12) or several == 1


@given(frames(most=200))
def test_probabilities_fall_as_the_class_grows(case: tuple[int, int, int]) -> None:
    """One more row of the class never makes a fold without it more probable."""
    n, count, k = case
    for function in (theory.probability_missing, theory.probability_any_missing):
        assert (np.diff(function(n, np.arange(count + 1), k)) <= 0).all()
