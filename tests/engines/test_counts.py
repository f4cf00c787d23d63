"""What engines and the pipeline tell each other holds at its limits."""

import numpy as np
import pytest

from stratframe.engines.base import PartsByNumber, check_n_strata, parts_by_number
from stratframe.engines.cells import cell_bits
from tests.helpers import refuse_now


@pytest.mark.parametrize("n_cuts", [1, 2, 3, 4])
def test_the_part_of_a_row_is_how_many_points_its_number_reaches(n_cuts):
    """A point is the lowest number of its part, and the highest number is in the last part."""
    points = np.arange(1, n_cuts + 1, dtype=np.uint64)[None] * np.uint64(10)
    numbers = np.array([0, 9, 10, 10 * n_cuts - 1, 10 * n_cuts, 2**64 - 1], dtype=np.uint64)
    parts = PartsByNumber(np.zeros(1, np.int64), points)
    found = parts_by_number(np.zeros(len(numbers), np.int64), numbers, parts)
    assert found.tolist() == [0, 0, 1, n_cuts - 1, n_cuts, n_cuts]


def test_rows_outside_all_strata_have_no_part():
    """The stratum -1 has the part -1; in others the points count from the first part."""
    parts = PartsByNumber(np.array([0, 2]), np.array([[4, 9], [5, 6]], dtype=np.uint64))
    numbers = np.array([3, 4, 4, 10, 5], dtype=np.uint64)
    assert parts_by_number(np.array([0, -1, 0, 0, 1]), numbers, parts).tolist() == [0, -1, 1, 2, 3]


def test_the_driver_holds_the_counts_of_so_many_strata():
    """The largest number of strata is allowed, and one more is an error that says what to do."""
    check_n_strata(2**22)
    refuse_now(
        "`by` must make at most 4,194,304 strata, because the driver holds their counts, got"
        " 4,194,305.\nHint: `sf.quantiles` and `sf.bins` make few strata of many numbers.",
        lambda: check_n_strata(2**22 + 1),
    )


@pytest.mark.parametrize(("n_strata", "bits"), [(0, 16), (1 << 20, 4), (1 << 24, 0), (1 << 25, 0)])
def test_more_strata_are_counted_by_fewer_bits(n_strata, bits):
    """All cells together stay below a limit, down to one for each stratum."""
    assert cell_bits(n_strata) == bits
