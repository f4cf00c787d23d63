"""Cut points deal as ranks do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratframe import StratError
from stratframe.core.deal import deal_by_rank
from stratframe.core.quota import equal_quota
from stratframe.engines.cells import (
    MAX_BITS,
    cell_bits,
    cells_of,
    coarser_cells,
    numbers_around,
    split_cells,
)
from stratframe.engines.counted import cut_points, list_cuts
from stratframe.engines.counts import HIGHEST_WORD, parts_by_cuts


def histogram(codes, numbers, bits, n_strata):
    """Count rows by cell."""
    cells = cells_of(codes, numbers, bits)
    return np.bincount(cells, minlength=n_strata << bits).reshape(n_strata, 1 << bits)


def found_cuts(codes, numbers, bits, table):
    """Find the cut points as an engine does, and the numbers that rows on both sides share."""
    counts = histogram(codes, numbers, bits, len(table))
    cuts = list_cuts(table)
    near = split_cells(counts, cuts)[cells_of(codes, numbers, bits)]
    below, after = numbers_around(counts, cuts, codes[near], numbers[near])
    return cut_points(table, after), after[below == after].tolist()


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_cut_points_deal_by_rank(data):
    """The part of a row is the number of cut points at or below its number."""
    n_rows = data.draw(st.integers(1, 300))
    n_strata = data.draw(st.integers(1, 20))
    n_parts = data.draw(st.integers(2, 9))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    codes = rng.integers(0, n_strata, n_rows)
    codes[:n_strata] = np.arange(min(n_strata, n_rows))
    n_strata = int(codes.max()) + 1
    numbers = rng.permutation(n_rows).astype(np.uint64) << np.uint64(rng.integers(0, 56))
    table = equal_quota(np.bincount(codes, minlength=n_strata), rng.permutation(n_parts))
    points, shared = found_cuts(codes, numbers, data.draw(st.integers(0, 10)), table)
    assert not shared
    parts = parts_by_cuts(codes, numbers, points)
    expected = deal_by_rank(codes, table, numbers, lambda rows: numbers[rows])
    np.testing.assert_array_equal(parts, expected)


def test_equal_numbers_between_which_a_stratum_is_cut_are_listed():
    """Equal numbers are no matter, unless a cut point falls between them."""
    numbers = np.array([5, 5, 7, 7], dtype=np.uint64)
    codes = np.zeros(4, dtype=np.int64)
    assert not found_cuts(codes, numbers, 3, np.array([[2, 2]]))[1]
    assert found_cuts(codes, numbers, 3, np.array([[3, 1]]))[1] == [7]


def test_rows_that_are_not_dealt_have_no_part():
    """A row outside all strata has the part -1."""
    points = np.array([[4, 9]], dtype=np.uint64)
    parts = parts_by_cuts(np.array([0, -1, 0, 0]), np.array([3, 4, 4, 10], dtype=np.uint64), points)
    assert parts.tolist() == [0, -1, 1, 2]


@pytest.mark.parametrize("n_cuts", [1, 2, 3, 4])
def test_the_highest_number_is_in_the_last_part(n_cuts):
    """No number is behind the last part, however many cut points there are."""
    points = np.arange(n_cuts, dtype=np.uint64)[None]
    assert parts_by_cuts(np.array([0]), np.array([HIGHEST_WORD]), points).tolist() == [n_cuts]


def test_a_cut_behind_all_rows_is_the_highest_word():
    """A stratum with no row for its last parts is cut behind all of its rows."""
    table = np.array([[1, 0, 0]])
    points, _ = found_cuts(np.array([0]), np.array([8], dtype=np.uint64), 4, table)
    assert points.tolist() == [[int(HIGHEST_WORD)] * 2]


def test_cells_have_fewer_bits_for_many_strata():
    """The counts of all cells fit into the memory of the driver."""
    assert [cell_bits(n) for n in (0, 1, 3, 100_000, 1 << 24)] == [16, 16, 16, 7, 0]


def test_cells_merge_into_those_of_fewer_bits():
    """Counts of fewer leading bits are sums of neighbouring cells."""
    rng = np.random.default_rng(0)
    codes, numbers = rng.integers(0, 3, 500), rng.integers(0, 2**63, 500).astype(np.uint64)
    fine = histogram(codes, numbers, 6, 3)
    np.testing.assert_array_equal(coarser_cells(fine, 2), histogram(codes, numbers, 2, 3))


def test_a_frame_that_changes_between_passes_is_an_error():
    """Rows near the cuts must be those that were counted."""
    codes, numbers = np.zeros(4, dtype=np.int64), np.arange(4, dtype=np.uint64)
    counts = histogram(codes, numbers, 1, 1)
    with pytest.raises(StratError, match="must give the same rows each time") as caught:
        numbers_around(counts, list_cuts(np.array([[1, 3]])), codes[:3], numbers[:3])
    assert str(caught.value) == (
        "The frame must give the same rows each time that it is computed, but a second pass"
        " found others.\nHint: write it to a Parquet file, and read that."
    )


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_cells_have_room_whatever_the_type_of_codes(dtype):
    """Codes of few bits, such as those of categories, take the leading bits of a number, too."""
    numbers = np.array([0, 2**64 - 1], dtype=np.uint64)
    cells = cells_of(np.array([0, 100], dtype=dtype), numbers, MAX_BITS)
    assert cells.tolist() == [0, (101 << MAX_BITS) - 1]


@pytest.mark.parametrize(("n_strata", "bits"), [(0, 16), (1 << 20, 4), (1 << 24, 0), (1 << 25, 0)])
def test_more_strata_are_counted_by_fewer_bits(n_strata, bits):
    """All cells together stay below a limit, down to one for each stratum."""
    assert cell_bits(n_strata) == bits
