"""The level of chance of distances, against random folds and SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, hypergeom

from stratframe.core.chance import DRAWS, chi_squared_tail, draw_rows, ks_level, tv_level
from tests.helpers import some_slow

WORDS = (np.arange(DRAWS, dtype=np.uint64) * np.uint64(2**64 // DRAWS)) + np.uint64(2**40)
CLASSES = {
    "halves": [500, 500],
    "three": [71, 59, 48],
    "ten": [100] * 10,
    "many rows": [100_000] * 4 + [300, 7],
    "fifty": [20] * 50,
    "sixty": [10] * 60,
    "pairs": [2] * 200,
    "triples beside one": [3] * 300 + [10_000],
    "single rows beside one": [1] * 300 + [300],
    "rare ones of many sizes": [1] * 50 + [2] * 20 + [7] * 3 + [1000],
    "a thousand": [10_000 // place for place in range(1, 201)],
    "three rare rows": [997, 3],
    "one row": [999, 1],
}
NUMBERS = {
    "distinct": [1] * 400,
    "few distinct": [1] * 40,
    "five values": [200] * 5,
    "counts": [380, 10, 6, 4],
    "rounded": [20 + 2 * abs(place) for place in range(-30, 31)],
    "half of them 0": [500] + [1] * 500,
    "most of them 0": [900] + [1] * 100,
    "most in the middle": [1] * 150 + [200] + [1] * 150,
}
WHOLE = {"three rare rows": 0.0, "one row": 0.0, "ten": 0.015, "counts": 0.015, "pairs": 0.01}
"""Columns of which whole rows can only be exceeded less often than by 2 % of folds."""


@given(n=st.integers(1, 300), data=st.data())
def test_rows_of_a_class_are_hypergeometric(n: int, data: st.DataObject) -> None:
    """The count of a class is SciPy's quantile, whatever the number of rows drawn."""
    size = data.draw(st.integers(1, n))
    most = data.draw(st.integers(0, n))
    drawn = np.arange(DRAWS) % (min(most, 3) + 1) + max(most - 3, 0)
    counts = draw_rows(drawn, size, n, WORDS)
    expected = hypergeom.ppf((WORDS >> np.uint64(11)) / 2.0**53, n, size, drawn)
    assert counts is not None or hypergeom.std(n, size, most) > 4
    assert counts is None or np.mean(counts != expected) <= 0.001


@pytest.mark.parametrize("k", some_slow([2, 20], [20]))
@pytest.mark.parametrize("column", [*CLASSES, *NUMBERS])
def test_one_random_fold_in_twenty_exceeds_the_level(column: str, k: int) -> None:
    """The level is exceeded by 2 to 6 % of random folds, or fewer where few rows decide."""
    sizes = np.array(CLASSES.get(column) or NUMBERS[column])
    n = int(sizes.sum())
    drawn = np.random.default_rng(k)
    exceeded = []
    for m in range(n // k, n // k + 8):
        counts = drawn.multivariate_hypergeometric(sizes, m, 500, "marginals")
        apart = (n * counts - m * sizes) / (m * (n - m))
        if column in CLASSES:
            distance = np.abs(apart).sum(axis=1) / 2
            level = tv_level(sizes, m)
        else:
            distance = np.abs(np.cumsum(apart, axis=1)).max(axis=1)
            level = ks_level(sizes, m)
        exceeded += [distance > level + 1e-9]
    assert WHOLE.get(column, 0.02) <= np.mean(exceeded) <= 0.06


def test_rounding_is_never_beyond_chance() -> None:
    """A fold with the only row of a class is as good as chance allows, in any order of classes."""
    sizes = np.array([40, 30, 20, 0, 10])
    assert len({tv_level(each, 20) for each in (sizes, sizes, sizes[::-1])}) == 1
    for m in (500, 200, 50, 20, 10):
        for level in (tv_level, ks_level):
            assert level(np.array([999, 1]), m) == pytest.approx(1 / m)


def test_numbers_without_ties_have_the_limit() -> None:
    """The level of distinct numbers is Smirnov's; a constant has none."""
    expected = np.sqrt(np.log(40) / 2 * (1 / 20 + 1 / 80))
    assert ks_level(np.ones(100, dtype=np.int64), 20) == pytest.approx(expected)
    assert ks_level(np.array([9]), 3) == 0
    assert tv_level(np.ones(100, dtype=np.int64), 20) == 1


@given(st.integers(1, 500), st.floats(0, 2000))
def test_the_tail_of_chi_squared_variables(freedom: int, statistic: float) -> None:
    """The tail equals that of SciPy, for even and odd degrees of freedom."""
    expected = chi2.sf(statistic, freedom)
    assert chi_squared_tail(statistic, freedom) == pytest.approx(expected, rel=1e-8, abs=1e-300)
