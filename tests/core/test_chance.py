"""The level of chance of distances, against SciPy and exact fractions."""

from itertools import product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaincinv
from scipy.stats import gamma, hypergeom

from stratframe.core import chance
from stratframe.core.chance import (
    counted_level,
    gamma_level,
    gamma_quantile,
    hypergeometric,
    ks_critical_values,
    rounding_deviation,
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
    """The quantile of a gamma distribution of the distance, pair by pair."""
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
        return float(mean)
    return float(gamma.ppf(0.95, mean**2 / variance, scale=variance / mean))


@given(sizes=st.lists(st.integers(1, 40), min_size=2, max_size=8), data=st.data())
def test_gamma_level_is_that_of_the_definition(sizes: list[int], data: st.DataObject) -> None:
    """The approximate level of a distance is that of the definition, with SciPy."""
    counts = np.array(sizes)
    n = int(counts.sum())
    m = data.draw(st.integers(1, n - 1))
    assert gamma_level(counts, n, m) == pytest.approx(by_scipy(counts, m), rel=1e-6, abs=1e-9)


def counted_out(sizes: list[int], m: int) -> float:
    """The distance that at most 5 % of folds exceed, over all tables."""
    n, chances = sum(sizes), dict[float, float]()
    for counts in product(*(range(size + 1) for size in sizes)):
        if sum(counts) == m:
            apart = zip(counts, sizes, strict=True)
            tv = sum(abs(x / m - (size - x) / (n - m)) for x, size in apart) / 2
            ways = prod(map(comb, sizes, counts)) / comb(n, m)
            chances[round(tv, 12)] = chances.get(round(tv, 12), 0.0) + ways
    return min(
        level
        for level in chances
        if sum(chances[each] for each in chances if each > level) <= 0.05 + 1e-9
    )


def rounded(sizes: list[int], m: int) -> float:
    """The largest distance of one class whose share is rounded up or down."""
    n = sum(sizes)
    return rounding_deviation(np.array(sizes), n, m) / (m * (n - m))


@given(
    rare=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    most=st.integers(4, 60),
    data=st.data(),
)
def test_level_of_rare_classes_is_exact(rare: list[int], most: int, data: st.DataObject) -> None:
    """With few rows outside the largest class, one in twenty of all folds is counted out."""
    sizes = [*rare, most]
    m = data.draw(st.integers(1, sum(sizes) - 1))
    (found,) = tv_critical_values(np.array(sizes[::-1]), [m])
    assert found == pytest.approx(max(counted_out(sizes, m), rounded(sizes, m)))


@given(rare=st.integers(1, 300), others=st.integers(300, 100_000), data=st.data())
def test_level_of_two_classes_is_scipys(rare: int, others: int, data: st.DataObject) -> None:
    """Of two classes, as of two numbers, the level is exact: the tails are SciPy's."""
    n = rare + others
    m = data.draw(st.integers(1, n - 1))
    (found,) = tv_critical_values(np.array([others, rare]), [m])
    drawn = np.arange(rare + 1)
    apart = np.abs(drawn / m - (rare - drawn) / (n - m))
    chances = hypergeom.pmf(drawn, n, rare, m)
    assert chances[apart > found * (1 + 1e-9)].sum() <= 0.05 * (1 + 1e-6)
    if found > rounded([rare, others], m):
        assert chances[apart > found * (1 - 1e-9)].sum() > 0.05 * (1 - 1e-6)
    if rare < others:
        values = np.repeat([0.0, 1.0], [others, rare])
        assert ks_critical_values(values, np.array([m])) <= found * (1 + 1e-9)


def test_rare_rows_are_no_drift() -> None:
    """A fold with the only row of a class is as good as chance allows, whatever k is."""
    for k in (2, 5, 20, 50, 100):
        m = 1000 // k
        assert tv_critical_values(np.array([999, 1]), [m]) == pytest.approx([1 / m])


@pytest.mark.parametrize("k", [2, 5, 10, 20])
@pytest.mark.parametrize("most", [1, 400, 10_000])
@pytest.mark.parametrize("n_single", [66, 3000])
def test_level_of_single_rows_is_scipys(n_single: int, most: int, k: int) -> None:
    """Of many classes of one row the level is exact: their rows are as those of one class."""
    n = n_single + most
    m = n // k
    (found,) = tv_critical_values(np.array([1] * n_single + [most]), [m])
    drawn = np.arange(n_single + 1)
    apart = (
        drawn / m
        + (n_single - drawn) / (n - m)
        + np.abs((m - drawn) / m - (n - m - n_single + drawn) / (n - m))
    )
    chances = hypergeom.pmf(drawn, n, n_single, m)
    assert chances[apart / 2 > found + 1e-9].sum() <= 0.05 * (1 + 1e-6)
    if found > rounded([1] * n_single + [most], m) + 1e-9:
        assert chances[apart / 2 > found - 1e-9].sum() > 0.05 * (1 - 1e-6)


def exceeding(sizes: list[int], m: int) -> float:
    """The share of random folds that exceed the level."""
    counts, n = np.array(sizes), sum(sizes)
    (level,) = tv_critical_values(counts, [m])
    drawn = np.random.default_rng(0).multivariate_hypergeometric(counts, m, 20_000, "marginals")
    apart = np.abs(drawn / m - (counts - drawn) / (n - m)).sum(axis=1) / 2
    return float((apart > level + 1e-9).mean())


@pytest.mark.parametrize("k", [2, 5, 20])
@pytest.mark.parametrize("rare", [[2] * 40, [3] * 30, [1] * 50 + [2] * 20 + [7] * 3, [10] * 20])
def test_level_of_many_rare_classes_is_rarely_exceeded(rare: list[int], k: int) -> None:
    """Of many rare classes, too, at most one in twenty folds exceeds the level."""
    sizes = [*rare, 1000]
    n = sum(sizes)
    assert counted_level(np.array(sizes), n, n // k) is not None
    assert exceeding(sizes, n // k) <= 0.054


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 5, 20])
@pytest.mark.parametrize("rare", [[3] * 300, [20] * 50])
def test_approximate_level_is_near(rare: list[int], k: int) -> None:
    """Of classes that are too many to be counted out, one in twelve folds exceeds the level."""
    sizes = [*rare, 10_000]
    n = sum(sizes)
    assert counted_level(np.array(sizes), n, n // k) is None
    assert 0.04 <= exceeding(sizes, n // k) <= 0.085


def test_large_frames_are_not_counted_out() -> None:
    """Where deviations of rare classes do not fit into 64 bits, the level is approximate."""
    sizes = np.array([1] * 5000 + [2, 10**15])
    assert counted_level(sizes, int(sizes.sum()), 10**12) is None


def test_no_chance_without_both_sides() -> None:
    """A fold of no rows, or of all, has no level of chance."""
    assert np.isnan(tv_critical_values(np.array([3, 4]), [0, 7])).all()
    assert np.isnan(tv_critical_values(np.array([0]), [0])).all()


def test_ks_critical_value_of_two_values_is_that_of_classes() -> None:
    """With one step the level is that of two classes of the same sizes."""
    values, totals = np.repeat([0.0, 1.0], [30, 170]), np.array([20, 50, 50])
    expected = tv_critical_values(np.array([30, 170]), totals.tolist())
    assert ks_critical_values(values, totals) == pytest.approx(expected)


def test_ks_critical_value_of_few_values_sums_the_tails() -> None:
    """With several steps the exact tails at each add up to one in twenty at most."""
    steps, n, m = np.array([6, 10, 197]), 200, 40
    values = np.repeat([0.0, 1.0, 2.0, 3.0], np.diff([0, *steps, n]))
    (level,) = ks_critical_values(values, np.array([m]))
    drawn = np.arange(m + 1)
    apart = np.abs(drawn / m - (steps[:, None] - drawn) / (n - m))
    chances = hypergeom.pmf(drawn, n, steps[:, None], m)
    assert chances[apart > level + 1e-12].sum() <= 0.05 < chances[apart > level - 1e-12].sum()


def test_ks_critical_value_of_many_values_is_the_limit() -> None:
    """With many distinct values the level is Smirnov's, and with one there is none."""
    (level,) = ks_critical_values(np.arange(100.0), np.array([20]))
    assert level == pytest.approx(chance.KOLMOGOROV * np.sqrt(1 / 20 + 1 / 80))
    assert ks_critical_values(np.ones(9), np.array([3])) == 0
