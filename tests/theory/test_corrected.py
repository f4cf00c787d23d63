"""The corrected t test, against the formula of its paper and SciPy's distribution."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import stratframe as sf
from stratframe import theory

SCORES = st.lists(
    st.integers(-1000, 1000).map(lambda thousandths: thousandths / 1000), min_size=2, max_size=50
)


@given(SCORES, st.integers(1, 1000), st.integers(1, 1000), st.sampled_from([0.5, 0.9, 0.99]))
def test_figures_are_those_of_the_paper(
    differences: list[float], n_train: int, n_test: int, level: float
) -> None:
    """Mean, error, t, p and interval follow the formula of Nadeau and Bengio, written out."""
    if len(set(differences)) == 1:
        return
    n = len(differences)
    mean = sum(differences) / n
    variance = sum((each - mean) ** 2 for each in differences) / (n - 1)
    standard_error = ((1 / n + n_test / n_train) * variance) ** 0.5
    low, high = stats.t.interval(level, n - 1, loc=mean, scale=standard_error)

    result = theory.corrected_t(differences, n_train, n_test, level)

    assert result.mean == pytest.approx(mean, abs=1e-15)
    assert result.standard_error == pytest.approx(standard_error)
    assert result.t == pytest.approx(mean / standard_error, abs=1e-12)
    p = 2 * stats.t.cdf(-abs(mean / standard_error), n - 1)
    assert result.p == pytest.approx(p)
    assert (result.low, result.high) == pytest.approx((low, high), abs=1e-12)


def test_no_test_rows_give_the_plain_t_test() -> None:
    """With hardly any test rows, the result is that of SciPy's t test of one sample."""
    differences = [0.1, 0.3, -0.1, 0.2, 0.15]

    result = theory.corrected_t(differences, 1e15, 1)

    plain = stats.ttest_1samp(differences, 0)
    interval = plain.confidence_interval(0.95)
    expected = plain.statistic, plain.pvalue, interval.low, interval.high
    assert (result.t, result.p, result.low, result.high) == pytest.approx(expected)


def test_shares_and_tables_are_accepted() -> None:
    """Shares in place of numbers of rows, and a table of repeats by folds, change nothing."""
    differences = [0.1, 0.3, -0.1, 0.2]

    assert theory.corrected_t(differences, 0.8, 0.2) == theory.corrected_t(differences, 4, 1)
    table = np.array(differences).reshape(2, 2)
    assert theory.corrected_t(table, 4, 1) == theory.corrected_t(differences, 4, 1)


@pytest.mark.parametrize("difference", [0.0, 0.1, -0.3])
def test_equal_differences_have_no_p(difference: float) -> None:
    """Equal differences have a standard error of exactly 0, and neither t nor p."""
    result = theory.corrected_t([difference] * 7, 80, 20)

    assert (result.mean, result.standard_error) == (difference, 0)
    assert np.isnan([result.t, result.p]).all()
    assert (result.low, result.high) == (difference, difference)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            {"differences": [0.1]},
            "`differences` must hold at least 2 numbers, got [0.1].",
            id="one_difference",
        ),
        pytest.param(
            {"differences": [0.1, np.nan]},
            "`differences` must be finite numbers, got nan.",
            id="missing_difference",
        ),
        pytest.param(
            {"n_train": 0},
            "`n_train` must be one finite number above 0, got 0.",
            id="no_training_rows",
        ),
        pytest.param(
            {"n_test": [20, 20]},
            "`n_test` must be one finite number above 0, got [20, 20].",
            id="sizes_of_each_pair",
        ),
        pytest.param(
            {"level": 95}, "`level` must be one number between 0 and 1, got 95.", id="percent"
        ),
        pytest.param(
            {"level": 1}, "`level` must be one number between 0 and 1, got 1.", id="certainty"
        ),
    ],
)
def test_arguments_are_checked(arguments: dict[str, Any], message: str) -> None:
    """Each rule of an argument has its message."""
    right: dict[str, Any] = {"differences": [0.1, 0.2], "n_train": 80, "n_test": 20}

    with pytest.raises(sf.StratError) as caught:
        theory.corrected_t(**(right | arguments))

    assert str(caught.value) == message
