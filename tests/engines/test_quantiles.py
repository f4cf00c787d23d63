"""Order statistics found by counts of bits are those of a sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.core.strata import quantile_bins
from stratframe.engines.cuts import WORD, cells_of, parts_by_cuts
from stratframe.engines.quantiles import (
    cell_places,
    first_ranks,
    narrow,
    next_bits,
    ordered_words,
    points_of,
    words_at,
)


def found_points(parent, words, n_parents, n, bits, few_rows):
    """Find the cuts of the quantiles as an engine does, some bits at a time."""
    rounds, ranks, n_cells, used = [], None, n_parents, 0
    while True:
        rows, cells = cell_places(parent, words, rounds)
        step = min(bits, WORD - used)
        counts = np.bincount(
            cells_of(cells, words[rows] << np.uint64(used), step), minlength=n_cells << step
        ).reshape(n_cells, 1 << step)
        ranks = first_ranks(counts, n) if ranks is None else ranks
        ranks, split_by_cut, n_rows = narrow(ranks, counts)
        rounds, n_cells, used = [*rounds, (split_by_cut, step)], len(split_by_cut), used + step
        if used == WORD:
            return points_of(ranks, ranks.prefixes, n_parents, n)
        if n_rows <= few_rows:
            rows, cells = cell_places(parent, words, rounds)
            return points_of(ranks, words_at(ranks, cells, words[rows]), n_parents, n)


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from([-2.5, -0.0, 0.0, 1.0, 1.5, 7e300, -np.inf])),
        min_size=1,
        max_size=60,
    ),
    st.integers(2, 7),
    st.sampled_from([1, 3, 16]),
    st.sampled_from([0, 4, 100]),
)
def test_bins_are_those_of_the_quantiles(rows, n, bits, few_rows):
    """Bins by cuts are the quantile bins of each parent, whatever the bits of a round."""
    parent = np.array([row[0] for row in rows])
    values = np.array([row[1] for row in rows])
    words = ordered_words(values)
    points = found_points(parent, words, 4, n, bits, few_rows)
    bins = parts_by_cuts(parent, words - np.uint64(1), points)
    np.testing.assert_array_equal(bins, quantile_bins(parent, values, n)[0])


@pytest.mark.parametrize(
    "values",
    [
        np.array([-np.inf, -1e300, -1.5, -5e-324, 0.0, 5e-324, 1.5, 1e300, np.inf]),
        np.array([np.iinfo(np.int64).min, -5, -1, 0, 1, 7, np.iinfo(np.int64).max]),
        np.array([0, 1, 2**63, 2**64 - 1], dtype=np.uint64),
    ],
    ids=lambda values: str(values.dtype),
)
def test_words_have_the_order_of_the_numbers(values):
    """Numbers of every kind become words in the same order."""
    words = ordered_words(values)
    assert words.dtype == np.uint64
    assert (words[1:] > words[:-1]).all()


def test_both_zeros_are_one_word():
    """Minus zero equals zero."""
    assert len(set(ordered_words(np.array([0.0, -0.0])).tolist())) == 1


def test_fewer_bits_are_counted_of_more_cells():
    """The counts of all cells fit into the memory of a worker, and a word has 64 bits."""
    n_cells = (0, 1, 1 << 5, (1 << 5) + 1, 1 << 20, 1 << 21, 1 << 30)
    assert [next_bits(n, 0) for n in n_cells] == [16, 16, 16, 15, 1, 0, 0]
    assert [next_bits(1, used) for used in (47, 48, 60, WORD)] == [16, 16, 4, 0]
