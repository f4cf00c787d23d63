"""Closed-form formulas for the balance of folds and its effect on cross-validation."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..checks import check_flag
from ..core.types import Ints, Values
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
    """Compute the variance of the share of a class in one fold of a random k-fold split.

    A fold has n / k rows, which are drawn without replacement. The variance is therefore exactly
    p (1 - p) (k - 1) / (n - 1).

    Parameters
    ----------
    n : int or array of int, range 1..2**53
        Number of rows in the frame; at least 2 unless `replace` is True.
    k : int or array of int, range 1..n
        Number of folds.
    p : float or array of float, range 0..1
        Share of the class in the frame.
    replace : bool
        Whether rows are drawn with replacement. The variance is then p (1 - p) k / n.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    StratError
        If an argument is out of its range.

    References
    ----------
    Cochran (1977), Sampling techniques, section 3.2, on the variance of a proportion.

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
    """Compute the variance of the share of a class in one fold of a stratified k-fold split.

    Let r = count mod k. Then r folds have one more row of the class than the other folds. For folds
    of n / k rows, the variance is therefore r (k - r) / n**2.

    Parameters
    ----------
    n, k
        As for `variance_random`.
    count : int or array of int, range 0..n
        Number of rows in the class.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    StratError
        If an argument is out of its range.

    References
    ----------
    Kohavi (1995), A study of cross-validation and bootstrap for accuracy estimation and model
    selection, on stratified folds. The formula follows from the variance of a Bernoulli variable.

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
    """Compute the probability that a fold of a random k-fold split lacks a class.

    For a fold of m rows, the probability is C(n - count, m) / C(n, m). If k does not divide n,
    n mod k folds have one more row, and the result is the mean probability over the k folds.

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
    Johnson, Kemp and Kotz (2005), Univariate discrete distributions, chapter 6, on the
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
    """Compute the probability that at least one fold of a random k-fold split lacks a class.

    Parameters
    ----------
    n, count, k
        As for `variance_stratified`. If k does not divide n, n mod k folds have one more row.

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
    chapter 4, on the inclusion-exclusion principle.

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

    If class 1 has fewer rows than there are folds, k - count stratified folds lack class 1, and
    their scores depend on class 0 only. The bias of the mean over folds is then
    (k - count) / (2 k) * (error0 - error1). If every fold has class 1, the bias is 0.

    Parameters
    ----------
    k : int or array of int, range 1..2**53
        Number of folds.
    count : int or array of int, range 0..2**53
        Number of rows in class 1. Class 0 is assumed to be in every fold.
    error0, error1 : float or array of float, range 0..1
        Expected error rates of the two classes.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    StratError
        If an argument is out of its range.

    References
    ----------
    Forman and Scholz (2010), Apples-to-apples in cross-validation studies, on the scores of folds
    that lack a class. The formula follows from the expected scores of the folds.

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
    """Compute the variance of the mean score over folds with correlated scores.

    The result is variance / k * (1 + (k - 1) rho). The training sets of the folds overlap, so the
    scores of k folds contain less information than k independent scores.

    Parameters
    ----------
    variance : float or array of float, at least 0
        Variance of the score of a single fold.
    k : int or array of int, range 1..2**53
        Number of folds.
    rho : float or array of float, range -1 / (k - 1)..1
        Correlation between the scores of two folds.

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
    """Return the smallest count, which is the largest k for which all folds can have all classes.

    Parameters
    ----------
    counts : sequence of int, shape (n_classes,), range 0..2**53
        Number of rows in each class; there must be at least one class.

    Returns
    -------
    int

    Raises
    ------
    StratError
        If `counts` is invalid.

    Examples
    --------
    >>> largest_k([23, 7, 3])
    3
    """
    return int(check_counts(counts, min_rows=0)[0].min())


def largest_deviation(counts: ArrayLike, k: int) -> float:
    """Compute the largest deviation of a class share in a stratified fold from the overall share.

    The rows are sorted by class and dealt to the folds in turn. With counts (23, 7, 3) and
    three folds, two folds have (8, 2, 1) rows and one has (7, 3, 1) rows; with ten folds, the
    deviation is larger. Folds without rows are ignored.

    Parameters
    ----------
    counts : sequence of int, shape (n_classes,), range 0..2**53
        Number of rows in each class, in the order of the deal; there must be at least one row.
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
    # If there are fewer rows than folds, the first n folds have one row each.
    n_folds = min(int(folds), n)
    low, n_long = divmod(n, n_folds)
    each = sizes // n_folds
    return max(
        float(np.abs((each + extra) / (low + longer) - sizes / n)[count > 0].max(initial=0.0))
        for (extra, longer), count in count_kinds(sizes, n_folds, n_long).items()
    )


def count_kinds(sizes: Ints, n_folds: int, n_long: int) -> dict[tuple[int, int], Ints]:
    """Count, for each class, the folds in which the class and the fold have one more row or not.

    The keys are the additional rows of the class and of the fold. The first `n_long` folds have
    one more row in all.
    """
    # A class has one more row in `more` consecutive folds that begin at `starts`; the first fold
    # follows the last.
    more = sizes % n_folds
    starts = (np.cumsum(sizes) - sizes) % n_folds
    until = np.minimum(starts + more, n_folds)
    wrapped = starts + more - until
    both = np.maximum(np.minimum(until, n_long) - starts, 0) + np.minimum(wrapped, n_long)
    return {
        (0, 0): n_folds - more - n_long + both,
        (0, 1): n_long - both,
        (1, 0): more - both,
        (1, 1): both,
    }


def imbalance(counts: ArrayLike) -> float:
    """Compute an index of class imbalance, from 0 for equal counts to 1 for a single class.

    For K classes and N rows, the index is K / (K - 1) * sum((count / N - 1 / K)**2).

    Parameters
    ----------
    counts : sequence of int, shape (n_classes,), range 0..2**53
        Number of rows in each class; there must be at least two classes and at least one row.

    Returns
    -------
    float

    Raises
    ------
    StratError
        If `counts` is invalid.

    Notes
    -----
    Equation 1 of the paper below has the factor K instead of K / (K - 1), so the index for a single
    class would be K - 1. The values in the table of the paper agree with K / (K - 1). For the data
    set new_thyroid, with classes of 150, 35 and 30 rows, the table has 0.30, whereas the factor K
    gives 0.60. For two classes, the factors are equal.

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
    # Integers are used so that rounding errors cannot move the result out of the range 0..1.
    squares = sum(size * size for size in sizes.tolist())
    return float((k * squares - n * n) / ((k - 1) * n * n))


def elementwise(function: Callable[[int, int, int], float], arrays: list[Values]) -> Result:
    """Apply a function of integers to the elements of arrays that have the same shape."""
    whole = [array.astype(np.int64) for array in arrays]
    return as_scalar(np.vectorize(function, otypes=[np.float64])(*whole))


def as_scalar(values: Values) -> Result:
    """Convert a zero-dimensional array to a float; return other arrays unchanged."""
    return values if np.ndim(values) else float(values)
