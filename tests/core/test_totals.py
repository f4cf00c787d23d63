"""Swaps that even out totals, on arrays."""

import numpy as np
import pytest

from stratframe.core.seeds import StreamTag, word_stream
from stratframe.core.totals import are_equal, group_totals, measure_totals, swap_for_totals

from .groups.partitions import HALVES


def swapped(codes: list[int], parts: list[int], *values: list[float]) -> list[int]:
    stream = word_stream(0, StreamTag.FOLD_TOTALS)
    numbers = np.array(values, dtype=np.float64)
    return swap_for_totals(np.array(codes), np.array(parts), numbers, HALVES, stream).tolist()


@pytest.mark.parametrize("factor", [1, 1e-300, 5e-324, 1e308, -1])
def test_totals_become_equal(factor: float) -> None:
    """Only rows of one stratum are swapped, whatever the size and the sign of the numbers."""
    ones = [factor, factor, 0, 0]
    found = swapped([0, 0, 0, 0], [0, 0, 1, 1], ones)
    assert sorted(found[:2]) == sorted(found[2:]) == [0, 1]
    assert swapped([0, 0, 1, 1], [0, 0, 1, 1], ones) == [0, 0, 1, 1]
    assert sorted(swapped([0, 0, 1, 1], [0, 1, 0, 1], ones)) == [0, 0, 1, 1]


@pytest.mark.parametrize("values", [[0.0] * 4, [2.0, -2.0, 2.0, -2.0], [3.0] * 4])
def test_nothing_to_gain(values: list[float]) -> None:
    """Parts stay as they are where totals are equal, also if all numbers are zero."""
    assert swapped([0] * 4, [0, 0, 1, 1], values, [0.0] * 4) == [0, 0, 1, 1]


def test_totals_of_groups_do_not_depend_on_the_order_of_rows() -> None:
    """Rows are added in the order of their values."""
    rng = np.random.default_rng(0)
    values = rng.lognormal(0, 9, (2, 3_000))
    group = rng.integers(0, 9, 3_000)
    found = group_totals(values, group, 9)
    for _ in range(20):
        order = rng.permutation(3_000)
        assert (group_totals(values[:, order], group[order], 9) == found).all()
    np.testing.assert_allclose(found[0], np.bincount(group, values[0]) / values[0].max())


@pytest.mark.parametrize("n", [16, 17, 18, 40])
def test_a_total_is_large_beyond_four_standard_deviations(n: int) -> None:
    """The total of a fold with one row, drawn at random, varies as the values do."""
    values = np.append(np.linspace(0, 0.01, n - 1), 1.0)
    folds = np.repeat([0, 1], [n - 1, 1])
    sizes = np.array([n - 1, 1])
    _, is_large = measure_totals(values[None], folds, sizes, np.arange(n))
    assert is_large.tolist() == [[values[-1] - values.mean() > 4 * values.std()] * 2]


def test_empty_folds_do_not_make_sizes_unequal() -> None:
    """Sizes are equal if those of the folds with rows differ by at most one."""
    assert are_equal(np.array([5, 0, 6]))
    assert not are_equal(np.array([5, 0, 7]))
