"""Arguments of formulas: what is read, how it broadcasts, and the message of each rule."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe import theory
from stratframe.errors import StratError
from tests.helpers import refuse_now

CALLS: list[tuple[Callable[..., Any], list[Any]]] = [
    (theory.variance_random, [[1200, 900], [[8], [3], [1]], 0.27]),
    (theory.variance_random, [50, 5, [0, 0.5, 1]]),
    (theory.variance_stratified, [[1200, 900], [[8], [7]], 324]),
    (theory.probability_missing, [[100, 103], [[4], [12]], 10]),
    (theory.probability_any_missing, [[100, 103], [[4], [12], [60]], 10]),
    (theory.ber_bias, [10, [3, 12], [[0.1], [0.2]], 0.4]),
    (theory.variance_of_mean, [[1, 2.5], [[5], [10]], 0.1]),
]
NAN = float("nan")
INF = float("inf")
DAY = np.datetime64("2024-01-01")
NO_NUMBERS = [True, [Fraction(1), True], ["1"], DAY, [[1], [1, 2]], 1j, [10**400]]
K = "`k` must be a whole number of at least 1, got"
COUNT = "`count` must be a whole number of at least 0, got"
COUNTS = "`counts` must be whole numbers of at least 0, got"
BAD_CALLS: list[Any] = [
    pytest.param(lambda: theory.variance_random(9, 0, 0.5), f"{K} 0.", id="no_folds"),
    pytest.param(lambda: theory.variance_random(9, 2.5, 0.5), f"{K} 2.5.", id="k_is_a_fraction"),
    pytest.param(lambda: theory.variance_random(9, True, 0.5), f"{K} True.", id="k_is_a_flag"),
    pytest.param(
        lambda: theory.variance_random(INF, 2, 0.5),
        "`n` must be a whole number of at least 1, got inf.",
        id="n_is_infinite",
    ),
    pytest.param(
        lambda: theory.variance_random(2**60, 2, 0.5),
        "`n` must be at most 2**53, got 1152921504606846976.",
        id="n_that_floats_cannot_hold",
    ),
    pytest.param(
        lambda: theory.variance_random(8, 9, 0.5),
        "`k` must be at most `n`, got 9 for 8 rows.",
        id="more_folds_than_rows",
    ),
    pytest.param(
        lambda: theory.variance_random(1, 1, 0.5),
        "`n` must be at least 2 without `replace`, got 1.",
        id="one_row_without_replace",
    ),
    pytest.param(
        lambda: theory.variance_random(9, 3, 0.5, replace="no"),
        "`replace` must be True or False, got 'no'.",
        id="replace_is_text",
    ),
    pytest.param(
        lambda: theory.largest_k(range(10**15)),
        f"{COUNTS} range of 1,000,000,000,000,000 values.",
        id="too_many_counts",
    ),
    pytest.param(
        lambda: theory.variance_random(9, 3, 1.5),
        "`p` must be a number from 0 to 1, got 1.5.",
        id="p_above_1",
    ),
    pytest.param(
        lambda: theory.variance_random(9, 3, NAN),
        "`p` must be a number from 0 to 1, got nan.",
        id="p_is_nan",
    ),
    pytest.param(
        lambda: theory.variance_random(9, 3, None),
        "`p` must be a number from 0 to 1, got None.",
        id="p_is_none",
    ),
    pytest.param(
        lambda: theory.variance_random([9, 9], [3, 3, 3], 0.5),
        "The shapes of `n`, `k`, `p` must broadcast, got (2,), (3,), ().",
        id="shapes_that_do_not_broadcast",
    ),
    pytest.param(
        lambda: theory.variance_stratified(0, 1, 0),
        "`n` must be a whole number of at least 1, got 0.",
        id="no_rows",
    ),
    pytest.param(
        lambda: theory.variance_stratified(1, 2, 1),
        "`k` must be at most `n`, got 2 for 1 row.",
        id="stratified_with_more_folds_than_rows",
    ),
    pytest.param(
        lambda: theory.variance_stratified(9, 2, 10),
        "`count` must be at most `n`, got 10 for 9 rows.",
        id="class_larger_than_the_rows",
    ),
    pytest.param(lambda: theory.probability_missing(9, -1, 2), f"{COUNT} -1.", id="negative_class"),
    pytest.param(
        lambda: theory.probability_missing(9000, [2, 9001], 2),
        "`count` must be at most `n`, got 9,001 for 9,000 rows.",
        id="one_class_larger_than_the_rows",
    ),
    pytest.param(
        lambda: theory.probability_any_missing(9, 2, 10),
        "`k` must be at most `n`, got 10 for 9 rows.",
        id="missing_anywhere_with_more_folds_than_rows",
    ),
    pytest.param(lambda: theory.ber_bias(0, 1, 0.1, 0.1), f"{K} 0.", id="bias_without_folds"),
    pytest.param(
        lambda: theory.ber_bias(2, -3, 0.1, 0.1), f"{COUNT} -3.", id="bias_of_a_negative_class"
    ),
    pytest.param(
        lambda: theory.ber_bias(2, 1, -0.1, 0.1),
        "`error0` must be a number from 0 to 1, got -0.1.",
        id="negative_error",
    ),
    pytest.param(
        lambda: theory.ber_bias(2, 1, 0.1, NAN),
        "`error1` must be a number from 0 to 1, got nan.",
        id="error_is_nan",
    ),
    pytest.param(
        lambda: theory.variance_of_mean(-1.0, 2, 0),
        "`variance` must be a finite number of at least 0, got -1.0.",
        id="negative_variance",
    ),
    pytest.param(
        lambda: theory.variance_of_mean(1, 2, 1.5),
        "`rho` must be a number from -1 to 1, got 1.5.",
        id="rho_above_1",
    ),
    pytest.param(
        lambda: theory.variance_of_mean(1, [2, 5], -0.5),
        "`rho` must be at least -1/(k - 1), got -0.5 for 5 folds.",
        id="rho_below_its_least",
    ),
    pytest.param(
        lambda: theory.largest_k([]),
        "`counts` must hold at least 1 whole number, got 0.",
        id="no_counts",
    ),
    pytest.param(lambda: theory.largest_k([3, -1]), f"{COUNTS} -1.", id="negative_count"),
    pytest.param(
        lambda: theory.largest_k(5),
        "`counts` must be a sequence of whole numbers, got 5.",
        id="counts_are_a_number",
    ),
    pytest.param(
        lambda: theory.largest_deviation([3, 2], 0), f"{K} 0.", id="deviation_without_folds"
    ),
    pytest.param(
        lambda: theory.largest_deviation([3, 2], [2, 3]),
        "`k` must be one whole number of at least 1, got [2, 3].",
        id="deviation_of_two_ks",
    ),
    pytest.param(
        lambda: theory.largest_deviation([0, 0], 2),
        "`counts` must sum to at least 1, got 0.",
        id="deviation_of_no_rows",
    ),
    pytest.param(
        lambda: theory.imbalance([5]),
        "`counts` must hold at least 2 whole numbers, got 1.",
        id="imbalance_of_one_class",
    ),
    pytest.param(
        lambda: theory.imbalance([0, 0]),
        "`counts` must sum to at least 1, got 0.",
        id="imbalance_of_no_rows",
    ),
]


@pytest.mark.parametrize(("function", "arguments"), CALLS)
def test_arrays_broadcast(function: Callable[..., Any], arguments: list[Any]) -> None:
    """Arrays give the results of their elements, in the shape that they broadcast to."""
    arrays = np.broadcast_arrays(*arguments)
    found = function(*arguments)
    assert isinstance(found, np.ndarray)
    assert found.dtype == np.float64
    assert found.shape == arrays[0].shape
    for at in np.ndindex(found.shape):
        single = function(*(values[at].item() for values in arrays))
        assert type(single) is float
        assert found[at] == single
    assert function(*[np.array([])] * len(arguments)).shape == (0,)


def test_numbers_of_any_type_are_accepted() -> None:
    """Integral floats, NumPy scalars, fractions and nullable columns are numbers too."""
    found = theory.probability_missing(1e2, np.int8(4), np.array(5))
    assert found == theory.probability_missing(100, 4, 5)
    assert theory.variance_random(10, 2, Fraction(1, 2)) == theory.variance_random(10, 2, 0.5)
    counts = pd.Series([23, 7, 3], dtype="Int64")
    assert theory.largest_k(counts) == 3
    assert theory.imbalance(counts) == theory.imbalance([23, 7, 3])


@pytest.mark.parametrize(("call", "message"), BAD_CALLS)
def test_bad_arguments(call: Callable[[], Any], message: str) -> None:
    """An argument that breaks a rule is named with the rule and the value."""
    refuse_now(message, call)


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_other_objects_are_not_numbers(value: Any) -> None:
    """Booleans, texts, dates, ragged lists and what exceeds floats are not read as numbers."""
    with pytest.raises(StratError, match=r"^`p` must be a number from 0 to 1, got "):
        theory.variance_random(9, 3, value)


@given(st.lists(st.fractions(0, 10**300), min_size=1))
def test_exact_numbers_become_their_nearest_floats(numbers: list[Any]) -> None:
    """Fractions are read as floats; decimals, which are no real numbers to Python, are not."""
    assert theory.variance_of_mean(numbers, 1, 0).tolist() == [float(number) for number in numbers]
    with pytest.raises(StratError, match=r"^`variance` must be a finite"):
        theory.variance_of_mean([*map(Decimal, range(len(numbers)))], 1, 0)
