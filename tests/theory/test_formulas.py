"""The closed formulas, against scikit-learn, enumeration and simulation."""

import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.model_selection import StratifiedKFold

from stratframe import theory

PUBLISHED = {
    "haberman": ([265, 735], 0.22),
    "dis": ([985, 15], 0.94),
    "new_thyroid": ([150, 35, 30], 0.30),
    "wine_quality_red": ([10, 53, 681, 638, 199, 18], 0.23),
    "iris": ([50, 50, 50], 0.00),
}


@pytest.mark.parametrize(("n", "k", "count"), [(6, 3, 2), (8, 2, 3), (8, 8, 3), (9, 1, 4)])
def test_variance_random_is_that_of_all_folds(n: int, k: int, count: int) -> None:
    """The variance is that of the share over all folds that can be drawn."""
    shares = [np.mean(np.array(rows) < count) for rows in combinations(range(n), n // k)]
    assert theory.variance_random(n, k, count / n) == pytest.approx(np.var(shares), abs=1e-15)
    drawn = binom.var(n // k, count / n) / (n // k) ** 2
    assert theory.variance_random(n, k, count / n, replace=True) == pytest.approx(drawn)


@pytest.mark.parametrize(("a", "b", "k"), [(324, 876, 8), (7, 13, 5), (10, 6, 4), (5, 5, 2)])
def test_variance_stratified_is_that_of_scikit_learn(a: int, b: int, k: int) -> None:
    """The folds of `StratifiedKFold` have this variance where they are of one size."""
    labels = np.repeat([0, 1], [a, b])
    shares = [np.mean(labels[valid] == 0) for _, valid in StratifiedKFold(k).split(labels, labels)]
    assert theory.variance_stratified(a + b, k, a) == pytest.approx(np.var(shares), abs=1e-15)


def test_ber_bias_of_simulated_folds() -> None:
    """The bias is that of simulated folds, each scored on the classes that it has."""
    rng = np.random.default_rng(0)
    k = 10
    n0 = 50
    n1 = 4
    error0 = 0.1
    error1 = 0.4
    trials = 40_000
    scores0 = rng.binomial(n0 // k, error0, (trials, k)) / (n0 // k)
    scores1 = rng.random((trials, n1)) < error1
    # The first folds have a row of the rare class each, the others are scored on the other class.
    scores0[:, :n1] = (scores0[:, :n1] + scores1) / 2
    rates = scores0.mean(axis=1)
    bias = rates.mean() - (error0 + error1) / 2
    standard_error = rates.std() / trials**0.5
    assert abs(bias - theory.ber_bias(k, n1, error0, error1)) < 4 * standard_error
    assert standard_error < 0.001


def test_ber_bias_is_none_with_enough_rows() -> None:
    """With a row for each fold, or with equal errors, there is no bias."""
    np.testing.assert_array_equal(theory.ber_bias(10, np.array([10, 11, 99]), 0.1, 0.4), 0.0)
    assert theory.ber_bias(10, 3, 0.2, 0.2) == 0
    assert theory.ber_bias(10, 3, 0.1, 0.4) == pytest.approx(7 / 20 * -0.3)


@pytest.mark.parametrize("rho", [-0.2, 0.0, 0.5, 0.9])
def test_variance_of_mean_of_correlated_scores(rho: float) -> None:
    """The variance is that of simulated means of correlated scores."""
    k = 5
    variance = 2.0
    trials = 40_000
    covariance = variance * (np.full((k, k), rho) + (1 - rho) * np.eye(k))
    scores = np.random.default_rng(0).multivariate_normal(np.zeros(k), covariance, trials)
    expected = theory.variance_of_mean(variance, k, rho)
    assert scores.mean(axis=1).var() == pytest.approx(expected, rel=4 * (2 / trials) ** 0.5)


def test_variance_of_mean_at_its_ends() -> None:
    """Fully correlated scores gain nothing, uncorrelated ones a k-th; it is never negative."""
    k = np.arange(2, 200)
    np.testing.assert_allclose(theory.variance_of_mean(3.0, k, 1), 3.0)
    np.testing.assert_allclose(theory.variance_of_mean(3.0, k, 0), 3.0 / k)
    lowest = theory.variance_of_mean(3.0, k, -1 / (k - 1))
    assert ((lowest >= 0) & (lowest < 1e-15)).all()
    assert theory.variance_of_mean(3.0, 1, 0.3) == 3.0


@given(st.lists(st.integers(0, 12), min_size=1, max_size=6).filter(any), st.integers(1, 30))
def test_largest_deviation_of_a_deal(counts: list[int], k: int) -> None:
    """The deviation is that of rows dealt to the folds in turn, one class after another."""
    n = sum(counts)
    folds = np.arange(n) % min(k, n)
    labels = np.repeat(np.arange(len(counts)), counts)
    table = np.histogram2d(labels, folds, (range(len(counts) + 1), range(min(k, n) + 1)))[0]
    off = table / table.sum(axis=0) - np.array(counts)[:, None] / n
    assert theory.largest_deviation(counts, k) == pytest.approx(np.abs(off).max(), abs=1e-14)


def test_largest_deviation_of_many_folds() -> None:
    """Time and memory do not depend on the rows and folds, in all of the range."""
    assert theory.largest_deviation([2**40, 5], 2**40) == pytest.approx(0.5, abs=1e-9)
    assert theory.largest_deviation([2**53, 2**53], 2**53) == 0
    assert theory.largest_deviation([1] * 100_000, 2**53) == pytest.approx(1, abs=1e-4)
    start = time.process_time()
    theory.largest_deviation(np.random.default_rng(0).integers(1, 99, 100_000), 20)
    assert time.process_time() - start < 2


@given(counts=st.lists(st.integers(2, 8), min_size=2, max_size=4))
def test_largest_k_is_where_scikit_learn_fills_every_fold(counts: list[int]) -> None:
    """Up to the largest k, and not beyond, all folds of `StratifiedKFold` have every class."""
    labels = np.repeat(np.arange(len(counts)), counts)
    found = theory.largest_k(counts)
    for k in range(2, found + 1):
        for _, valid in StratifiedKFold(k).split(labels, labels):
            assert len(np.unique(labels[valid])) == len(counts)
    assert type(found) is int
    # With one fold more than rows of the rarest class a fold lacks it, by the pigeonhole.
    assert theory.probability_any_missing(len(labels), min(counts), found + 1) == 1


@pytest.mark.parametrize("name", PUBLISHED)
def test_imbalance_of_published_data(name: str) -> None:
    """Data sets have the index that the paper's table gives them."""
    assert round(theory.imbalance(PUBLISHED[name][0]), 2) == PUBLISHED[name][1]


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=8).filter(any))
def test_imbalance_is_in_range(counts: list[int]) -> None:
    """The index follows its formula, is in 0..1, and does not depend on the order of classes."""
    shares = np.array(counts) / sum(counts)
    k = len(counts)
    found = theory.imbalance(counts)
    assert found == pytest.approx(k / (k - 1) * ((shares - 1 / k) ** 2).sum(), abs=1e-12)
    assert 0 <= found <= 1
    assert found == theory.imbalance(counts[::-1])
    assert theory.imbalance([counts[0] + 1] * k) == 0
    assert theory.imbalance([counts[0] + 1] + [0] * (k - 1)) == 1
