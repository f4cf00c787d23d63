"""The closed formulas, against SciPy, scikit-learn, enumeration and simulation."""

import time
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import comb, exp
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom
from sklearn.model_selection import StratifiedKFold

from stratframe.errors import StratError
from stratframe.theory import formulas as theory

untyped: Any = theory
"""The module for calls that type checkers refuse."""


def fold_sizes(n: int, k: int) -> list[int]:
    """As `np.array_split` cuts rows."""
    return [len(part) for part in np.array_split(np.arange(n), k)]


@st.composite
def frames(draw: st.DrawFn, most: int = 60) -> tuple[int, int, int]:
    """Rows, rows of a class, folds."""
    n = draw(st.integers(1, most))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


def test_variances_of_a_known_case() -> None:
    """1,200 rows, 8 folds and a share of 27% have these variances."""
    binomial = theory.variance_random(1200, 8, 0.27, replace=True)
    assert round(binomial, 6) == 0.001314
    assert round(theory.variance_random(1200, 8, 0.27), 6) == 0.001151
    stratified = theory.variance_stratified(1200, 8, 324)
    assert round(stratified, 6) == 0.000011
    assert round(stratified / binomial, 4) == 0.0085


@pytest.mark.parametrize(("n", "k", "count"), [(6, 3, 2), (8, 2, 3), (8, 8, 3), (9, 1, 4)])
def test_variance_random_is_that_of_all_folds(n: int, k: int, count: int) -> None:
    """Over every fold that can be drawn the share has just this variance."""
    shares = [np.mean(np.array(rows) < count) for rows in combinations(range(n), n // k)]
    assert theory.variance_random(n, k, count / n) == pytest.approx(np.var(shares), abs=1e-15)


def test_variance_random_of_permutations() -> None:
    """Shares in folds of shuffled rows have this variance; drawn rows have the other."""
    rng = np.random.default_rng(0)
    n, k, count, trials = 40, 4, 12, 20_000
    label = np.arange(n) < count
    shuffled = rng.permuted(np.tile(label, (trials, 1)), axis=1)[:, : n // k].mean(axis=1)
    drawn = label[rng.integers(0, n, (trials, n // k))].mean(axis=1)
    # The standard error of a variance is about sqrt(2 / trials) of it: 1%.
    assert theory.variance_random(n, k, count / n) == pytest.approx(shuffled.var(), rel=0.04)
    assert theory.variance_random(n, k, count / n, replace=True) == pytest.approx(
        drawn.var(), rel=0.04
    )


@pytest.mark.parametrize(
    ("counts", "k"), [((324, 876), 8), ((7, 13), 5), ((10, 6), 4), ((5, 5), 2)]
)
def test_variance_stratified_is_that_of_scikit_learn(counts: tuple[int, int], k: int) -> None:
    """The folds of `StratifiedKFold` have this variance where they are of one size."""
    labels = np.repeat([0, 1], counts)
    folds = StratifiedKFold(k).split(labels, labels)
    shares = [np.mean(labels[valid] == 0) for _, valid in folds]
    found = theory.variance_stratified(sum(counts), k, counts[0])
    assert found == pytest.approx(np.var(shares), abs=1e-15)


@given(frames())
def test_probability_missing_is_hypergeometric(case: tuple[int, int, int]) -> None:
    """It is the mean, over the folds, of the hypergeometric probability of no row."""
    n, count, k = case
    expected = np.mean([hypergeom.pmf(0, n, count, rows) for rows in fold_sizes(n, k)])
    assert theory.probability_missing(*case) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(
    ("n", "count", "k"),
    [
        (20_000, 200, 10),
        (20_000, 19_000, 5000),
        (10**6, 999_990, 200_000),
        (123_457, 700, 11),
        (10**9, 40, 7),
        (10**9, 3000, 10),
        (10**9, 10**8, 10**9 // 5),
        (10**9, 6000, 100),
    ],
)
def test_probability_missing_is_exact_for_many_rows(n: int, count: int, k: int) -> None:
    """Of up to a billion rows it is the quotient of exact binomials, to the last digits."""
    size, longer = divmod(n, k)

    def none(rows: int) -> Fraction:
        few, many = sorted((rows, count))
        return Fraction(comb(n - many, few), comb(n, few))

    expected = ((k - longer) * none(size) + (longer * none(size + 1) if longer else 0)) / k
    assert theory.probability_missing(n, count, k) == pytest.approx(float(expected), rel=1e-14)
    logs = hypergeom.logpmf(0, n, count, size)
    assert theory.probability_missing(n, count, k) == pytest.approx(exp(logs), rel=1e-3)


def test_probability_missing_is_zero_where_floats_end() -> None:
    """Of a large class in a large fold it is 0 at once, and just above it is not."""
    start = time.perf_counter()
    assert theory.probability_missing(10**15, 10**14, 10) == 0
    assert theory.probability_any_missing(10**15, 10**14, 10) == 0
    assert time.perf_counter() - start < 1
    assert 0 < theory.probability_missing(10**6, 6600, 10) < 1e-300


def chance_by_enumeration(n: int, count: int, k: int) -> Fraction:
    """Place the class's rows in every way, and count the ways that leave a fold without."""
    folds = np.repeat(np.arange(k), fold_sizes(n, k))
    ways = [len({*folds[list(rows)].tolist()}) for rows in combinations(range(n), count)]
    return Fraction(sum(filled < k for filled in ways), len(ways))


@pytest.mark.parametrize("n", range(1, 10))
def test_probability_any_missing_is_that_of_all_placements(n: int) -> None:
    """It is the share of all placements of the class, also where k does not divide n."""
    for count in range(n + 1):
        for k in range(1, n + 1):
            expected = float(chance_by_enumeration(n, count, k))
            assert theory.probability_any_missing(n, count, k) == pytest.approx(expected, rel=1e-15)


def chance_by_counting(n: int, count: int, k: int) -> float:
    """Count placements with every fold filled, fold by fold, in whole numbers."""
    ways = [1] + [0] * count
    for rows in fold_sizes(n, k):
        ways = [
            sum(ways[total - own] * comb(rows, own) for own in range(1, min(rows, total) + 1))
            for total in range(count + 1)
        ]
    return float(1 - Fraction(ways[count], comb(n, count)))


@pytest.mark.parametrize(
    ("n", "count", "k"),
    [
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
    ],
)
def test_probability_any_missing_is_exact_where_terms_cancel(n: int, count: int, k: int) -> None:
    """It is the exact number of such placements by the number of all, to the last digits."""
    expected = chance_by_counting(n, count, k)
    assert theory.probability_any_missing(n, count, k) == pytest.approx(expected, rel=1e-15)


def test_probability_any_missing_of_many_folds_and_rows() -> None:
    """Of a thousand folds of a million rows it is how often a random class misses one."""
    rng = np.random.default_rng(0)
    n, count, k, trials = 1_000_003, 7_000, 1000, 1000
    rows = [rng.choice(n, count, replace=False, shuffle=False) for _ in range(trials)]
    missing = [len(np.unique(row % k)) < k for row in rows]
    found = theory.probability_any_missing(n, count, k)
    assert found == pytest.approx(np.mean(missing), abs=4 * (found * (1 - found) / trials) ** 0.5)


def test_probability_any_missing_of_fewer_rows_than_folds() -> None:
    """A class of fewer rows than folds is surely missing; one of all rows never is."""
    assert theory.probability_any_missing(10**9, 9, 10) == 1.0
    assert theory.probability_any_missing(10**6, 10**6, 10**6) == 0.0
    assert theory.probability_any_missing(50, 0, 1) == 1.0
    assert theory.probability_any_missing(10**6, 10**5, 10**5) == 1.0


@given(frames(most=400))
def test_probabilities_are_in_range(case: tuple[int, int, int]) -> None:
    """Both lie in 0..1; that of any fold is at least that of one, and k times it at most."""
    one, several = theory.probability_missing(*case), theory.probability_any_missing(*case)
    assert 0 <= one <= several <= 1
    assert several <= case[2] * one * (1 + 1e-12) or several == 1


@given(frames(most=200))
def test_probabilities_fall_as_the_class_grows(case: tuple[int, int, int]) -> None:
    """One more row of the class never makes a fold without it more probable."""
    n, count, k = case
    for function in (theory.probability_missing, theory.probability_any_missing):
        found = function(n, np.arange(count + 1), k)
        assert (np.diff(found) <= 0).all()


def test_ber_bias_of_simulated_folds() -> None:
    """Simulated errors of folds, scored on the classes that they have, are off by it."""
    rng = np.random.default_rng(0)
    k, n0, n1, error0, error1, trials = 10, 50, 4, 0.1, 0.4, 40_000
    scores0 = rng.binomial(n0 // k, error0, (trials, k)) / (n0 // k)
    scores1 = rng.random((trials, n1)) < error1
    folds = scores0.copy()
    folds[:, :n1] = (scores0[:, :n1] + scores1) / 2
    rates = folds.mean(axis=1)
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
    """Means of correlated normal scores have this variance."""
    k, variance, trials = 5, 2.0, 40_000
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


def deviation_of_scikit_learn(counts: list[int], k: int) -> float:
    """Measure the folds of `StratifiedKFold`."""
    labels = np.repeat(np.arange(len(counts)), counts)
    folds = [labels[valid] for _, valid in StratifiedKFold(k).split(labels, labels)]
    shares = [np.bincount(fold, minlength=len(counts)) / len(fold) for fold in folds]
    return float(np.abs(np.array(shares) - np.array(counts) / len(labels)).max())


@given(counts=st.lists(st.integers(10, 40), min_size=2, max_size=6), k=st.integers(2, 10))
def test_largest_deviation_as_scikit_learn(counts: list[int], k: int) -> None:
    """It is the largest deviation in the folds of `StratifiedKFold`."""
    expected = deviation_of_scikit_learn(counts, k)
    assert theory.largest_deviation(counts, k) == pytest.approx(expected, abs=1e-14)


def test_largest_deviation_of_a_known_case() -> None:
    """23, 7 and 3 rows are off by 2/33 in three folds, and by 7/33 in ten."""
    assert theory.largest_deviation([23, 7, 3], 3) == pytest.approx(2 / 33, abs=1e-15)
    assert theory.largest_deviation((23, 7, 3), 10) == pytest.approx(7 / 33, abs=1e-15)


def test_largest_deviation_of_more_folds_than_rows() -> None:
    """Only the folds that have rows count: each is of one class alone."""
    for k in (4, 5, 10**12):
        assert theory.largest_deviation([3, 1, 0], k) == 0.75
    assert theory.largest_deviation([9], 4) == 0


def test_largest_deviation_takes_blocks_of_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes taken a few at a time give the result of all at once; many take no time."""
    counts = np.random.default_rng(0).integers(0, 9, 50)
    at_once = theory.largest_deviation(counts, 7)
    monkeypatch.setattr(theory, "CELLS", 21)
    assert theory.largest_deviation(counts, 7) == at_once
    monkeypatch.undo()
    start = time.perf_counter()
    theory.largest_deviation(np.random.default_rng(0).integers(1, 99, 100_000), 20)
    assert time.perf_counter() - start < 2


@given(counts=st.lists(st.integers(2, 8), min_size=2, max_size=4))
def test_largest_k_is_where_scikit_learn_fills_every_fold(counts: list[int]) -> None:
    """Up to this k the folds of `StratifiedKFold` have every class, and beyond they do not."""
    labels = np.repeat(np.arange(len(counts)), counts)
    found = theory.largest_k(counts)
    held = [
        all(
            len(np.unique(labels[valid])) == len(counts)
            for _, valid in StratifiedKFold(k).split(labels, labels)
        )
        for k in range(2, found + 1)
    ]
    assert all(held)
    assert type(found) is int
    # With one fold more than rows of the rarest class a fold lacks it, by the pigeonhole.
    assert theory.probability_any_missing(len(labels), min(counts), found + 1) == 1


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([265, 735], 0.22),  # haberman
        ([985, 15], 0.94),  # dis
        ([150, 35, 30], 0.30),  # new_thyroid
        ([10, 53, 681, 638, 199, 18], 0.23),  # wine_quality_red
        ([50, 50, 50], 0.00),  # iris
    ],
)
def test_imbalance_of_published_data(counts: list[int], expected: float) -> None:
    """Data sets have the index that the paper's table gives them."""
    assert round(theory.imbalance(counts), 2) == expected


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=8).filter(any))
def test_imbalance_is_in_range(counts: list[int]) -> None:
    """It is the formula in floats, in 0..1, whatever the order; 0 and 1 are its ends."""
    shares, k = np.array(counts) / sum(counts), len(counts)
    found = theory.imbalance(counts)
    assert found == pytest.approx(k / (k - 1) * ((shares - 1 / k) ** 2).sum(), abs=1e-12)
    assert 0 <= found <= 1
    assert found == theory.imbalance(counts[::-1])
    assert theory.imbalance([counts[0] + 1] * k) == 0
    assert theory.imbalance([counts[0] + 1] + [0] * (k - 1)) == 1


CALLS: list[tuple[Callable[..., Any], list[Any]]] = [
    (theory.variance_random, [[1200, 900], [[8], [3], [1]], 0.27]),
    (theory.variance_random, [50, 5, [0, 0.5, 1]]),
    (theory.variance_stratified, [[1200, 900], [[8], [7]], 324]),
    (theory.probability_missing, [[100, 103], [[4], [12]], 10]),
    (theory.probability_any_missing, [[100, 103], [[4], [12], [60]], 10]),
    (theory.ber_bias, [10, [3, 12], [[0.1], [0.2]], 0.4]),
    (theory.variance_of_mean, [[1, 2.5], [[5], [10]], 0.1]),
]


@pytest.mark.parametrize(("function", "arguments"), CALLS)
def test_arrays_broadcast(function: Callable[..., Any], arguments: list[Any]) -> None:
    """Arrays give what their elements give, in the shape that they broadcast to."""
    arrays = np.broadcast_arrays(*arguments)
    found = function(*arguments)
    assert isinstance(found, np.ndarray)
    assert found.dtype == np.float64
    assert found.shape == arrays[0].shape
    for at in np.ndindex(found.shape):
        single = function(*(values[at].item() for values in arrays))
        assert type(single) is float
        assert found[at] == single


@pytest.mark.parametrize(("function", "arguments"), CALLS)
def test_empty_arrays_give_empty_arrays(function: Callable[..., Any], arguments: list[Any]) -> None:
    """No elements give none."""
    assert function(*[np.array([])] * len(arguments)).shape == (0,)


def test_numbers_of_any_kind_are_taken() -> None:
    """Whole floats, NumPy scalars, fractions and nullable columns are numbers too."""
    assert theory.probability_missing(1e2, np.int8(4), np.array(5)) == (
        theory.probability_missing(100, 4, 5)
    )
    assert untyped.variance_random(10, 2, Fraction(1, 2)) == theory.variance_random(10, 2, 0.5)
    counts = pd.Series([23, 7, 3], dtype="Int64")
    assert theory.largest_k(counts) == 3
    assert theory.imbalance(counts) == theory.imbalance([23, 7, 3])


nan = float("nan")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: theory.variance_random(9, 0, 0.5),
            "`k` must be a whole number of at least 1, got 0.",
        ),
        (
            lambda: theory.variance_random(9, 2.5, 0.5),
            "`k` must be a whole number of at least 1, got 2.5.",
        ),
        (
            lambda: theory.variance_random(9, [2, nan], 0.5),
            "`k` must be a whole number of at least 1, got nan.",
        ),
        (
            lambda: theory.variance_random(9, "2", 0.5),
            "`k` must be a whole number of at least 1, got '2'.",
        ),
        (
            lambda: theory.variance_random(9, True, 0.5),
            "`k` must be a whole number of at least 1, got True.",
        ),
        (
            lambda: theory.variance_random(9, [[2], [2, 3]], 0.5),
            "`k` must be a whole number of at least 1, got [[2], [2, 3]].",
        ),
        (
            lambda: theory.variance_random(float("inf"), 2, 0.5),
            "`n` must be a whole number of at least 1, got inf.",
        ),
        (
            lambda: theory.variance_random(2**60, 2, 0.5),
            "`n` must be at most 2**53, got 1152921504606846976.",
        ),
        (lambda: theory.variance_random(8, 9, 0.5), "`k` must be at most `n`, got 9 for 8 rows."),
        (
            lambda: theory.variance_random(1, 1, 0.5),
            "`n` must be at least 2 without `replace`, got 1.",
        ),
        (lambda: theory.variance_random(9, 3, 1.5), "`p` must be a number from 0 to 1, got 1.5."),
        (lambda: theory.variance_random(9, 3, nan), "`p` must be a number from 0 to 1, got nan."),
        (
            lambda: untyped.variance_random(9, 3, None),
            "`p` must be a number from 0 to 1, got None.",
        ),
        (
            lambda: theory.variance_random([9, 9], [3, 3, 3], 0.5),
            "The shapes of `n`, `k`, `p` must broadcast, got (2,), (3,), ().",
        ),
        (
            lambda: theory.variance_stratified(0, 1, 0),
            "`n` must be a whole number of at least 1, got 0.",
        ),
        (lambda: theory.variance_stratified(1, 2, 1), "`k` must be at most `n`, got 2 for 1 row."),
        (
            lambda: theory.variance_stratified(9, 2, 10),
            "`count` must be at most `n`, got 10 for 9 rows.",
        ),
        (
            lambda: theory.probability_missing(9, -1, 2),
            "`count` must be a whole number of at least 0, got -1.",
        ),
        (
            lambda: theory.probability_missing(9000, [2, 9001], 2),
            "`count` must be at most `n`, got 9,001 for 9,000 rows.",
        ),
        (
            lambda: theory.probability_any_missing(9, 2, 10),
            "`k` must be at most `n`, got 10 for 9 rows.",
        ),
        (
            lambda: theory.ber_bias(0, 1, 0.1, 0.1),
            "`k` must be a whole number of at least 1, got 0.",
        ),
        (
            lambda: theory.ber_bias(2, -3, 0.1, 0.1),
            "`count` must be a whole number of at least 0, got -3.",
        ),
        (
            lambda: theory.ber_bias(2, 1, -0.1, 0.1),
            "`error0` must be a number from 0 to 1, got -0.1.",
        ),
        (
            lambda: theory.ber_bias(2, 1, 0.1, nan),
            "`error1` must be a number from 0 to 1, got nan.",
        ),
        (
            lambda: theory.variance_of_mean(-1.0, 2, 0),
            "`variance` must be a finite number of at least 0, got -1.0.",
        ),
        (
            lambda: theory.variance_of_mean(nan, 2, 0),
            "`variance` must be a finite number of at least 0, got nan.",
        ),
        (
            lambda: theory.variance_of_mean(1, 2, 1.5),
            "`rho` must be a number from -1 to 1, got 1.5.",
        ),
        (
            lambda: theory.variance_of_mean(1, [2, 5], -0.5),
            "`rho` must be at least -1/(k - 1), got -0.5 for 5 folds.",
        ),
        (lambda: theory.largest_k([]), "`counts` must be at least 1 whole number, got 0."),
        (
            lambda: theory.largest_k([3, -1]),
            "`counts` must be whole numbers of at least 0, got -1.",
        ),
        (
            lambda: theory.largest_k([3, nan]),
            "`counts` must be whole numbers of at least 0, got nan.",
        ),
        (lambda: theory.largest_k(5), "`counts` must be a sequence of whole numbers, got 5."),
        (
            lambda: theory.largest_deviation([3, 2], 0),
            "`k` must be a whole number of at least 1, got 0.",
        ),
        (
            lambda: untyped.largest_deviation([3, 2], [2, 3]),
            "`k` must be one whole number of at least 1, got [2, 3].",
        ),
        (lambda: theory.largest_deviation([0, 0], 2), "`counts` must sum to at least 1, got 0."),
        (lambda: theory.imbalance([5]), "`counts` must be at least 2 whole numbers, got 1."),
        (lambda: theory.imbalance([0, 0]), "`counts` must sum to at least 1, got 0."),
    ],
)
def test_bad_arguments(call: Callable[[], object], message: str) -> None:
    """An argument that breaks a rule is named with the rule and the value."""
    with pytest.raises(StratError) as caught:
        call()
    assert str(caught.value) == message
