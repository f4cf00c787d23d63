"""Order statistics found by counts of bits are those of a sort."""

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stratframe.core.order import ordered_words
from stratframe.core.strata import quantile_bins
from stratframe.engines.cells import WORD, cells_of
from stratframe.engines.counts import parts_by_cuts
from stratframe.engines.quantiles import cell_places, next_bits, quantile_words


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


def test_fewer_bits_are_counted_of_more_cells():
    """The counts of all cells fit into the memory of a worker, and a word has 64 bits."""
    n_cells = (0, 1, 1 << 5, (1 << 5) + 1, 1 << 20, 1 << 21, 1 << 30)
    assert [next_bits(n, 0) for n in n_cells] == [16, 16, 16, 15, 1, 0, 0]
    assert [next_bits(1, used) for used in (47, 48, 60, WORD)] == [16, 16, 4, 0]
