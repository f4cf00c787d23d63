"""Order statistics found by counts of bits are those of a sort."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.core.strata import quantile_bins
from stratframe.engines.cells import WORD, cells_of
from stratframe.engines.counts import parts_by_cuts
from stratframe.engines.quantiles import cell_places, next_bits, ordered_words, quantile_words


def found_points(parent, words, n_parents, n):
    """Find the cuts of the quantiles as an engine does, some bits at a time."""

    def take(rounds):
        rows, cells = cell_places(parent, words, rounds)
        return cells, words[rows]

    def count(rounds, n_cells, bits):
        cells, inside = take(rounds)
        inside = inside << np.uint64(sum(used for _, used in rounds))
        counts = np.bincount(cells_of(cells, inside, bits), minlength=n_cells << bits)
        return counts.reshape(n_cells, 1 << bits)

    return quantile_words(n_parents, n, count, take)


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from([-2.5, -0.0, 0.0, 1.0, 1.5, 7e300, -np.inf])),
        min_size=1,
        max_size=60,
    ),
    st.integers(2, 7),
    st.sampled_from([1, 1 << 3, 1 << 5, 1 << 18]),
    st.sampled_from([0, 4, 100]),
)
def test_bins_are_those_of_the_quantiles(rows, n, most_counts, few_rows):
    """Bins by cuts are the quantile bins of each parent, whatever the bits of a round."""
    parent = np.array([row[0] for row in rows])
    values = np.array([row[1] for row in rows])
    words = ordered_words(values)
    limits = {"MAX_COUNTS": most_counts, "SORTED_ROWS": few_rows}
    with patch.multiple("stratframe.engines.quantiles", **limits):
        points = found_points(parent, words, 4, n)
    bins = parts_by_cuts(parent, words - np.uint64(1), points)
    # Where two quantiles are one value, the number of a bin is left out.
    for stratum in set(parent.tolist()):
        _, numbered = np.unique(bins[parent == stratum], return_inverse=True)
        expected = quantile_bins(parent, values, n)[0][parent == stratum]
        np.testing.assert_array_equal(numbered, expected)


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
