"""The corrected t test for scores of train-test pairs that share rows."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import load_extra
from ..core.types import Values
from ..errors import StratError, describe
from .arguments import check_range


class CorrectedT(NamedTuple):
    """The result of `corrected_t`.

    Attributes
    ----------
    mean : float
        Mean of the differences.
    standard_error : float
        Standard error of the mean.
    t : float
        The mean divided by its standard error; NaN if the standard error is 0.
    p : float
        Two-sided p-value of the mean being 0; NaN if the standard error is 0.
    low, high : float
        Bounds of the confidence interval of the mean.
    """

    mean: float
    standard_error: float
    t: float
    p: float
    low: float
    high: float


def corrected_t(
    differences: ArrayLike, n_train: float, n_test: float, level: float = 0.95
) -> CorrectedT:
    """Test whether two models differ, by their scores on repeated folds or repeated splits.

    Training sets share rows, so the scores of n pairs hold less information than n independent
    scores. The variance of their mean is therefore taken as s**2 (1 / n + n_test / n_train) and not
    as s**2 / n, where s**2 is the sample variance of the differences. The mean divided by the
    square root of this variance is compared with a t distribution of n - 1 degrees of freedom.

    Parameters
    ----------
    differences : array of float, shape (n,) or (n_repeats, k)
        The score of one model minus the score of the other, for each pair of training and
        validation rows. The scores of a single model are also accepted: then the interval of
        their mean is meaningful, but t and p are not.
    n_train, n_test : float, above 0
        Number of training and validation rows in a pair, or their shares of the rows: 4 and 1, or
        0.8 and 0.2, for 5 folds. Only their ratio counts.
    level : float, between 0 and 1
        Confidence level of the interval.

    Returns
    -------
    CorrectedT
        A named tuple of `mean`, `standard_error`, `t`, `p`, `low` and `high`. If all differences
        are equal, the standard error is 0, and `t` and `p` are NaN.

    Raises
    ------
    StratError
        If there are fewer than two differences, or if an argument is out of its range.
    ImportError
        If SciPy is not installed (extra `sklearn`).

    Notes
    -----
    The correction was derived for repeated random splits. For repeated k-fold it is an
    approximation (Bouckaert and Frank 2004), and for one run of k folds it is a rule of thumb.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error. Bouckaert and Frank (2004),
    Evaluating the replicability of significance tests for comparing learning algorithms.

    Examples
    --------
    >>> result = corrected_t([0.02, 0.04, 0.01, 0.03, 0.05], n_train=80, n_test=20)
    >>> print(f"{result.mean:.2f} {result.standard_error:.4f} {result.p:.3f}")
    0.03 0.0106 0.047
    """
    values = check_differences(differences)
    ratio = check_size("n_test", n_test) / check_size("n_train", n_train)
    confidence = check_level(level)
    n = len(values)
    mean = float(values.mean())
    if (values == values[0]).all():
        # The mean of equal numbers can be off by rounding.
        mean = float(values[0])
        return CorrectedT(mean, 0.0, np.nan, np.nan, mean, mean)
    standard_error = float(np.sqrt(values.var(ddof=1) * (1 / n + ratio)))
    distribution = load_extra("scipy.stats", "sklearn").t(n - 1)
    t = mean / standard_error
    p = float(2 * distribution.sf(abs(t)))
    margin = float(distribution.isf((1 - confidence) / 2)) * standard_error
    return CorrectedT(mean, standard_error, t, p, mean - margin, mean + margin)


def check_differences(differences: ArrayLike) -> Values:
    """Check that there are at least two finite differences, and return them in one dimension."""
    numbers = check_range("differences", differences, -np.inf, np.inf, "finite numbers")
    if numbers.size < 2:
        msg = f"`differences` must hold at least 2 numbers, got {describe(differences)}."
        raise StratError(msg)
    return numbers.ravel()


def check_size(argument: str, value: float) -> float:
    """Check that a number or share of rows is above 0, and return it."""
    rule = "one finite number above 0"
    sizes = check_range(argument, value, 0, np.inf, rule)
    if sizes.ndim or sizes == 0:
        msg = f"`{argument}` must be {rule}, got {describe(value)}."
        raise StratError(msg)
    return float(sizes)


def check_level(level: float) -> float:
    """Check that a confidence level is between 0 and 1, and return it."""
    rule = "one number between 0 and 1"
    levels = check_range("level", level, 0, 1, rule)
    if levels.ndim or levels in (0, 1):
        msg = f"`level` must be {rule}, got {describe(level)}."
        raise StratError(msg)
    return float(levels)
