"""Closed formulas for the balance of folds, and for its effect on cross-validation."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..checks import check_flag
from ..core.types import Values
from ..errors import StratError, describe
from .arguments import (
    broadcast,
    check_at_most_n,
    check_class_in_folds,
    check_counts,
    check_integers,
    check_range,
)
from .hypergeometric import missing_any, missing_one

Result: TypeAlias = Any
"""A float if all arguments are scalars, otherwise an ndarray of float64."""


def variance_random(n: ArrayLike, k: ArrayLike, p: ArrayLike, *, replace: bool = False) -> Result:
    """Compute the variance of a class's share in a fold, for plain random k-fold.

    The fold has n / k rows. Rows of folds are drawn without replacement, so the variance is exactly
    p (1 - p) (k - 1) / (n - 1).

    Parameters
    ----------
    n : int or array of int, range 1..2**53
        Number of rows of the frame; at least 2 without `replace`.
    k : int or array of int, range 1..n
        Number of folds.
    p : float or array of float, range 0..1
        Share of the class in the frame.
    replace : bool
        Whether rows are drawn with replacement: the variance is then p (1 - p) k / n (binomial).

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    StratError
        If an argument is out of its range.

    References
    ----------
    Cochran (1977), Sampling techniques, section 3.2: the variance of a proportion.

    Examples
    --------
    >>> round(variance_random(1200, 8, 0.27), 6)
    0.001151
    >>> round(variance_random(1200, 8, 0.27, replace=True), 6)
    0.001314
    """
    n, k, p = broadcast(
        n=check_integers("n", n, 1), k=check_integers("k", k, 1), p=check_range("p", p)
    )
    check_at_most_n("k", k, n)
    if check_flag("replace", replace):
        return as_scalar(p * (1 - p) * k / n)
    if (n < 2).any():
        msg = "`n` must be at least 2 without `replace`, got 1."
        raise StratError(msg)
    return as_scalar(p * (1 - p) * (k - 1) / (n - 1))


def variance_stratified(n: ArrayLike, k: ArrayLike, count: ArrayLike) -> Result:
    """Compute the variance of a class's share in a fold, for stratified k-fold.

    With r = count mod k, r folds have one more row of the class than the others; so the variance is
    r (k - r) / n**2, for folds of n / k rows.

    Parameters
    ----------
    n, k
        As for `variance_random`.
    count : int or array of int, range 0..n
        Number of rows of the class.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    StratError
        If an argument is out of its range.

    References
    ----------
    Kohavi (1995), A study of cross-validation and bootstrap for accuracy estimation
    and model selection: stratified folds. The variance is that of a Bernoulli variable.

    Examples
    --------
    >>> round(variance_stratified(1200, 8, 324), 6)
    1.1e-05
    >>> variance_stratified(1200, 8, np.array([320, 321]))
    array([0.00000000e+00, 4.86111111e-06])
    """
    n, count, k = check_class_in_folds(n, count, k)
    remainder = count % k
    return as_scalar(remainder * (k - remainder) / n**2)


def probability_missing(n: ArrayLike, count: ArrayLike, k: ArrayLike) -> Result:
    """Compute the probability that a fold of plain random k-fold lacks a class.

    For a fold of m rows it is C(n - count, m) / C(n, m). Where k does not divide n, n mod k folds
    have one more row; the fold is then any of the k folds with equal probability.

    Parameters
    ----------
    n, count, k
        As for `variance_stratified`.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    StratError
        If an argument is out of its range.

    References
    ----------
    Johnson, Kemp and Kotz (2005), Univariate discrete distributions, chapter 6: the
    hypergeometric distribution.

    Examples
    --------
    >>> probability_missing(4, 2, 2) == 1 / 6
    True
    >>> print(f"{probability_missing(20_000, 200, 10):.3g}")
    6.31e-10
    """
    return elementwise(missing_one, check_class_in_folds(n, count, k))


def probability_any_missing(n: ArrayLike, count: ArrayLike, k: ArrayLike) -> Result:
    """Compute the probability that some fold of plain random k-fold lacks a class.

    Parameters
    ----------
    n, count, k
        As for `variance_stratified`; where k does not divide n, n mod k folds have one more row.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    StratError
        If an argument is out of its range.

    References
    ----------
    Feller (1968), An introduction to probability theory and its applications, volume 1,
    chapter 4: inclusion and exclusion.

    Examples
    --------
    >>> probability_any_missing(4, 2, 2) == 1 / 3, probability_any_missing(100, 4, 5)
    (True, 1.0)
    >>> print(f"{probability_any_missing(20_000, 200, 10):.3g}")
    6.31e-09
    """
    return elementwise(missing_any, check_class_in_folds(n, count, k))


def ber_bias(k: ArrayLike, count: ArrayLike, error0: ArrayLike, error1: ArrayLike) -> Result:
    """Compute the bias of the cross-validated balanced error rate of two classes.

    With fewer rows of class 1 than folds, k - count stratified folds lack class 1 and are scored on
    class 0 alone. The bias of the mean over the folds is then
    (k - count) / (2 k) * (error0 - error1); otherwise there is no such bias.

    Parameters
    ----------
    k : int or array of int, range 1..2**53
    count : int or array of int, range 0..2**53
        Number of rows of class 1; class 0 is in every fold.
    error0, error1 : float or array of float, range 0..1
        Expected error rates of the classes.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    StratError
        If an argument is out of its range.

    References
    ----------
    Forman and Scholz (2010), Apples-to-apples in cross-validation studies: scores of
    folds that lack a class. The formula is the mean of their expectations.

    Examples
    --------
    >>> round(ber_bias(10, 4, 0.1, 0.4), 12), ber_bias(10, 12, 0.1, 0.4)
    (-0.09, 0.0)
    """
    k, count, error0, error1 = broadcast(
        k=check_integers("k", k, 1),
        count=check_integers("count", count, 0),
        error0=check_range("error0", error0),
        error1=check_range("error1", error1),
    )
    return as_scalar(np.where(k > count, (k - count) / (2 * k) * (error0 - error1), 0.0))


def variance_of_mean(variance: ArrayLike, k: ArrayLike, rho: ArrayLike) -> Result:
    """Compute the variance of a mean over folds whose scores are correlated.

    It is variance / k * (1 + (k - 1) rho): the training rows of folds overlap, so the scores
    of k folds carry less information than k independent scores.

    Parameters
    ----------
    variance : float or array of float, at least 0
        Variance of one fold's score.
    k : int or array of int, range 1..2**53
    rho : float or array of float, range -1 / (k - 1)..1
        Correlation of the scores of two folds.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    StratError
        If an argument is out of its range.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error. Bengio and Grandvalet
    (2004), No unbiased estimator of the variance of k-fold cross-validation.

    Examples
    --------
    >>> variance_of_mean(0.5, 10, np.array([0, 0.5, 1]))
    array([0.05 , 0.275, 0.5  ])
    """
    variance, k, rho = broadcast(
        variance=check_range("variance", variance, 0, np.inf, "a finite number of at least 0"),
        k=check_integers("k", k, 1),
        rho=check_range("rho", rho, -1, 1),
    )
    low = rho < -1 / np.maximum(k - 1, 1)
    if low.any():
        msg = f"`rho` must be at least -1/(k - 1), got {rho[low][0]} for {k[low][0]:,.0f} folds."
        raise StratError(msg)
    return as_scalar(variance / k * (1 + (k - 1) * rho))


def largest_k(counts: ArrayLike) -> int:
    """Return the largest k with which every fold can have every class: the smallest count.

    Parameters
    ----------
    counts : sequence of int, shape (n_classes,), range 0..2**53
        Number of rows of each class; at least one class.

    Returns
    -------
    int

    Raises
    ------
    StratError
        If `counts` is not such a sequence.

    Examples
    --------
    >>> largest_k([23, 7, 3])
    3
    """
    return int(check_counts(counts, min_rows=0)[0].min())


def largest_deviation(counts: ArrayLike, k: int) -> float:
    """Compute the largest deviation of a class's share in a stratified fold from that in the frame.

    The folds are those of a round-robin deal without renumbering. With counts (23, 7, 3), two of
    three folds have (8, 2, 1) rows and one has (7, 3, 1); ten folds deviate further. Folds without
    rows are ignored.

    Parameters
    ----------
    counts : sequence of int, shape (n_classes,), range 0..2**53
        Number of rows of each class, in the order of the deal; at least one row.
    k : int, range 1..2**53
        Number of folds.

    Returns
    -------
    float

    Raises
    ------
    StratError
        If an argument is out of its range.

    Examples
    --------
    >>> round(largest_deviation([23, 7, 3], 3) * 33, 9)
    2.0
    >>> round(largest_deviation([23, 7, 3], 10) * 33, 9)
    7.0
    """
    sizes, n = check_counts(counts)
    folds = check_integers("k", k, 1)
    if folds.ndim:
        msg = f"`k` must be one whole number of at least 1, got {describe(k)}."
        raise StratError(msg)
    # A round-robin deal of fewer rows than folds gives the first folds one row each.
    n_folds = min(int(folds), n)
    low, n_long = divmod(n, n_folds)
    each, more = np.divmod(sizes, n_folds)
    starts = (np.cumsum(sizes) - sizes) % n_folds
    # A class has one more row in the `more` folds from `starts` on, where the first fold follows
    # the last. So there are four kinds of folds, and their numbers say which kinds occur.
    until = np.minimum(starts + more, n_folds)
    wrapped = starts + more - until
    both = np.maximum(np.minimum(until, n_long) - starts, 0) + np.minimum(wrapped, n_long)
    kinds = {
        (0, 0): n_folds - more - n_long + both,
        (0, 1): n_long - both,
        (1, 0): more - both,
        (1, 1): both,
    }
    return max(
        float(np.abs((each + extra) / (low + longer) - sizes / n)[count > 0].max(initial=0.0))
        for (extra, longer), count in kinds.items()
    )


def imbalance(counts: ArrayLike) -> float:
    """Compute the index of class imbalance: 0 for equal counts, 1 for a single class.

    For K classes and N rows it is K / (K - 1) * sum((count / N - 1 / K)**2).

    Parameters
    ----------
    counts : sequence of int, shape (n_classes,), range 0..2**53
        Number of rows of each class; at least two classes, and at least one row.

    Returns
    -------
    float

    Raises
    ------
    StratError
        If `counts` is not such a sequence.

    Notes
    -----
    The paper prints the factor K, with which a single class would have K - 1, not 1. Its table has
    the values for K / (K - 1): for two classes both factors are the same, but new_thyroid, with
    150, 35 and 30 rows, has 0.30 there, whereas K gives 0.60.

    References
    ----------
    Spezia, Fontanari and Recamonde-Mendoza (2025), Comparing cluster-based
    cross-validation strategies for machine learning model evaluation, equation 1.

    Examples
    --------
    >>> imbalance([50, 50]), imbalance([9, 0, 0])
    (0.0, 1.0)
    >>> round(imbalance([225, 81]), 2), round(imbalance([150, 35, 30]), 2)
    (0.22, 0.3)
    """
    sizes, n = check_counts(counts, min_classes=2)
    k = len(sizes)
    # In integers, so that rounding cannot move the result out of the range 0..1.
    squares = sum(size * size for size in sizes.tolist())
    return float((k * squares - n * n) / ((k - 1) * n * n))


def elementwise(function: Callable[[int, int, int], float], arrays: list[Values]) -> Result:
    """Apply a function of integers to each element of arrays of one shape."""
    whole = [array.astype(np.int64) for array in arrays]
    return as_scalar(np.vectorize(function, otypes=[np.float64])(*whole))


def as_scalar(values: Values) -> Result:
    """Turn an array without dimensions into a float."""
    return values if np.ndim(values) else float(values)
