"""Lost folds are told from names, and sizes of a deal from others."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from stratframe.judging.sizes import look_dealt, lost_folds
from tests.helpers import Make
from tests.judging.conftest import lines_of


@pytest.mark.parametrize(
    ("numbers", "lost"),
    [
        pytest.param([0, 2], [1], id="one_of_three"),
        pytest.param([2, 3, 4], [1], id="fold_1_of_four"),
        pytest.param([0, 1, 2, 4, 6, 7], [3, 5], id="two_of_eight"),
        pytest.param([1, 2, 3], [], id="folds_from_1"),
        pytest.param([0, 1, 4], [], id="more_gaps_than_a_third"),
        pytest.param([3, 4, 6], [], id="names_from_3"),
        pytest.param([3, 7, 12, 40], [], id="sites"),
        pytest.param([202412, 202501], [], id="months"),
        pytest.param([-1, 1, 2], [], id="negative"),
    ],
)
def test_gaps_in_numbers(numbers: list[int], lost: list[int]) -> None:
    """A gap in the numbers of folds is a lost fold; numbers that are names lack nothing."""
    assert lost_folds("fold", numbers, [10] * len(numbers)) == lost


@given(st.integers(2, 30), st.data())
def test_a_lost_fold_is_found_unless_it_is_fold_0(k: int, data: Any) -> None:
    """A missing number between fold 0 and the last is a lost fold; folds from 1 lack nothing."""
    lost = data.draw(st.integers(1, k - 1))
    numbers = [fold for fold in range(k + 1) if fold != lost]
    assert lost_folds("cv_fold", numbers, [20] * k) == [lost]
    assert lost_folds("fold", range(1, k + 1), [20] * k) == []


@pytest.mark.parametrize(
    ("sizes", "is_dealt"),
    [
        pytest.param([100, 110, 90], True, id="within_a_tenth"),
        pytest.param([2, 3, 1], True, id="within_a_row"),
        pytest.param([100, 130, 70], True, id="within_four_deviations_of_random_sizes"),
        pytest.param([1000, 1250, 750], False, id="beyond"),
    ],
)
def test_sizes_of_a_deal(sizes: list[int], is_dealt: bool) -> None:
    """Folds look dealt if sizes are within a tenth, a row or four deviations of the mean."""
    assert look_dealt(np.array(sizes)) is is_dealt
    assert bool(lost_folds("fold", [0, 2, 3], sizes)) is is_dealt


def test_labels_that_are_names(frame: Make) -> None:
    """Months in a column called `split` are names: 202412 to 202501 is no lost fold."""
    df = frame({"split": [202411, 202412, 202501, 202502] * 5})
    found = sf.check(df, name="split", duplicates=None)
    assert lines_of(found) == ["split is fit for use", "ok sizes: 4 folds of 5 rows"]
