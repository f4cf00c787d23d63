"""The level of chance of distances, against SciPy and exact fractions."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaincinv
from scipy.stats import gamma, hypergeom, norm

from stratframe.core import chance
from stratframe.core.chance import (
    gamma_quantile,
    hypergeometric,
    ks_critical_value,
    tv_critical_values,
)


@given(exponent=st.floats(-2.5, 12))
def test_gamma_quantile_is_scipys(exponent: float) -> None:
    """The quantile of a gamma distribution is that of SciPy, for any shape."""
    shape = 10**exponent
    expected = gammaincinv(shape, 0.95) / shape
    assert gamma_quantile(1.0, 1 / shape) == pytest.approx(expected, rel=1e-11)


def test_gamma_quantile_of_no_shape() -> None:
    """A variance that is too large for a float leaves 0, and one too small the mean."""
    assert gamma_quantile(1.0, 1e6) == 0
    assert gamma_quantile(1.0, 1e-25) == 1


@given(
    n=st.integers(1, 200),
    size=st.integers(0, 200),
    m=st.integers(0, 200),
    drawn=st.integers(0, 200),
)
def test_hypergeometric_is_exact(n: int, size: int, m: int, drawn: int) -> None:
    """The probabilities are those of exact counts."""
    size, m = min(size, n), min(m, n)
    ways = comb(size, drawn) * comb(n - size, m - drawn) if drawn <= m else 0
    (found,) = hypergeometric(np.array([drawn]), np.array([size]), n, m)
    assert found == pytest.approx(ways / comb(n, m), rel=1e-11, abs=1e-300)


def test_hypergeometric_of_many_rows_is_scipys() -> None:
    """Of millions of rows the probabilities are SciPy's, as far as these go."""
    n, m, sizes = 5_000_000, 1_000_000, np.array([1, 10, 1_000, 100_000, 2_000_000, 4_999_999])
    drawn = m * sizes // n + 1
    expected = hypergeom.pmf(drawn, n, sizes, m)
    np.testing.assert_allclose(hypergeometric(drawn, sizes, n, m), expected, rtol=1e-8)


def by_scipy(sizes: np.ndarray, m: int) -> float:
    """The distance of classes that one in twenty folds exceeds, pair by pair."""
    n = int(sizes.sum())
    above = m * sizes // n + 1
    mean = 2 * above * (n - sizes - m + above) / n * hypergeom.pmf(above, n, sizes, m)
    spread = sizes * (n - sizes) / n * (m * (n - m) / (n * (n - 1)))
    variance = (spread - mean**2).sum()
    for first in range(len(sizes)):
        for second in range(len(sizes)):
            if first != second:
                odds = [sizes[each] / max(n - sizes[each], 1) for each in (first, second)]
                rho = -min(np.sqrt(odds[0] * odds[1]), 1)
                shared = 2 / np.pi * (np.sqrt(1 - rho**2) + rho * np.arcsin(rho) - 1)
                variance += shared * np.sqrt(spread[first] * spread[second])
    unit = (1 / m + 1 / (n - m)) / 2
    mean, variance = mean.sum() * unit, variance * unit**2
    if variance <= 1e-12 * mean**2:
        return min(1.0, mean)
    return min(1.0, gamma.ppf(0.95, mean**2 / variance, scale=variance / mean))


@given(sizes=st.lists(st.integers(1, 40), min_size=2, max_size=8), data=st.data())
def test_tv_critical_values_are_those_of_the_definition(
    sizes: list[int], data: st.DataObject
) -> None:
    """Of each size of fold the level is that of the definition, with SciPy."""
    counts = np.array(sizes)
    totals = data.draw(st.lists(st.integers(1, int(counts.sum()) - 1), max_size=4))
    expected = [by_scipy(counts, m) for m in totals]
    assert tv_critical_values(counts, totals) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_no_chance_without_both_sides() -> None:
    """A fold of no rows, or of all, has no level of chance."""
    assert np.isnan(tv_critical_values(np.array([3, 4]), [0, 7])).all()
    assert np.isnan(tv_critical_values(np.array([0]), [0])).all()


def test_ks_critical_value_of_two_values_is_normal() -> None:
    """With one step the level is that of a share."""
    expected = norm.ppf(0.975) * np.sqrt(0.3 * 0.7)
    assert ks_critical_value(np.repeat([0.0, 1.0], [3, 7])) == pytest.approx(expected)


def test_ks_critical_value_of_many_values_is_the_limit() -> None:
    """With many distinct values the level is Smirnov's, and with one there is none."""
    assert ks_critical_value(np.arange(100.0)) == chance.KOLMOGOROV
    assert ks_critical_value(np.ones(9)) == 0
