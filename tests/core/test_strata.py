"""Codes of strata, against pandas and numpy."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stratframe.core import strata

codes = hnp.arrays(np.int64, st.integers(1, 60), elements=st.integers(0, 8))
halves = hnp.arrays(np.int64, st.integers(1, 50), elements=st.integers(0, 12)).map(lambda n: n / 2)
nested_codes = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=60)
some_values = st.lists(st.tuples(st.integers(0, 3), st.integers(-20, 20)), min_size=1, max_size=80)
cells = st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 5))


@given(codes)
def test_factorize_codes_as_pandas(column: np.ndarray) -> None:
    """Codes are renumbered by first appearance, as by `pd.factorize`."""
    for found, wanted in zip(strata.factorize_codes(column, 9), pd.factorize(column), strict=True):
        np.testing.assert_array_equal(found, wanted)


@given(codes)
def test_distinct_values_as_numpy(column: np.ndarray) -> None:
    """Distinct values are those of `np.unique`, of an array of any dtype, size and shape."""
    for values in (column, column / 2, column.astype(str), column[:0], np.stack([column] * 2)):
        np.testing.assert_array_equal(strata.distinct_values(values), np.unique(values))


@given(codes)
def test_first_occurrence_as_numpy(column: np.ndarray) -> None:
    """The first row of every code is that of `np.unique`; absent codes have none."""
    classes, first = np.unique(column, return_index=True)
    found = strata.first_occurrence(column, 9)
    np.testing.assert_array_equal(found[classes], first)
    assert (np.delete(found, classes) == len(column)).all()
    late = np.append(np.zeros(4_997, dtype=np.int64), [1, 0, 0])
    assert strata.first_occurrence(late, 3).tolist() == [0, 4_997, 5_000]


@given(nested_codes, st.booleans())
def test_nests_children_inside_parents(pairs: list[tuple[int, int]], sparse: bool) -> None:
    """Joint strata are runs inside their parent, numbered there by first appearance."""
    parent, child = np.array(pairs).T
    parent, parents = pd.factorize(parent)
    joint, above = strata.nest_codes(parent, len(parents), child, 10**9 if sparse else 6)
    found = list(zip(parent.tolist(), child.tolist(), strict=True))
    in_order = sorted(dict.fromkeys(found), key=lambda pair: pair[0])
    np.testing.assert_array_equal(joint, [in_order.index(pair) for pair in found])
    np.testing.assert_array_equal(above, [p for p, _ in in_order])


@pytest.mark.parametrize("cut", [strata.bins_by_partition, strata.bins_by_sort])
@given(pairs=some_values, n_bins=st.integers(2, 40))
def test_quantile_bins_as_numpy(cut: Any, pairs: list[tuple[int, int]], n_bins: int) -> None:
    """Each parent is cut as if alone, where `np.quantile` does, and closed on the right."""
    parent, values = np.array(pairs).T
    bins, counts = cut(parent, values / 4, np.bincount(parent, minlength=5), n_bins)
    # A hair below i / n_bins, so that numpy's float product cannot pass an integer.
    levels = np.arange(1, n_bins) / n_bins * (1 - 1e-12)
    for stratum in range(5):
        own = values[parent == stratum] / 4
        cuts = np.unique(np.quantile(own, levels, method="inverted_cdf")) if len(own) else []
        np.testing.assert_array_equal(bins[parent == stratum], np.searchsorted(cuts, own))
        assert counts[stratum] == len(np.unique(bins[parent == stratum]))


@given(halves, st.sampled_from(["right", "left"]))
def test_edge_bins_as_cut(values: np.ndarray, closed: str) -> None:
    """Bins are those of `pd.cut` with the lowest edge included, or their mirror image."""
    edges = np.array([0.0, 1.5, 2.0, 6.0])
    if closed == "right":
        expected = pd.cut(values, edges, include_lowest=True, labels=False)
    else:
        expected = 2 - pd.cut(-values, -edges[::-1], include_lowest=True, labels=False)
    np.testing.assert_array_equal(strata.edge_bins(values, edges, closed), expected)


@given(st.lists(cells, min_size=1, max_size=40))
def test_crosstab_as_pandas(rows: list[tuple[int, int, int]]) -> None:
    """Counts are those of `pd.crosstab`, with and without weights; absent codes count 0."""
    codes, parts, weights = np.array(rows).T
    for counts, summed in ((None, None), (weights, "sum")):
        expected = pd.crosstab(codes, parts, values=counts, aggfunc=summed)
        expected = expected.reindex(index=range(5), columns=range(3)).fillna(0)
        found = strata.crosstab(codes, 5, parts, 3, counts)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, expected)


@given(parent=hnp.arrays(np.int64, st.integers(1, 20), elements=st.integers(0, 15)), data=st.data())
def test_strata_that_are_not_divided_stay(parent: np.ndarray, data: st.DataObject) -> None:
    """A level that divides no stratum changes no code, as if it had been encoded anew."""
    parent, present = strata.factorize_codes(parent, 16)
    of_parent = data.draw(hnp.arrays(np.int64, len(present), elements=st.integers(0, 2)))
    codes, parents = strata.nest_codes(parent, len(present), of_parent[parent], 3)
    np.testing.assert_array_equal(codes, parent)
    np.testing.assert_array_equal(parents, np.arange(len(present)))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
@pytest.mark.parametrize(("closed", "side"), [("right", "left"), ("left", "right")])
@pytest.mark.parametrize("more", [[], np.arange(18) + 0.5])
def test_compares_find_what_a_search_finds(dtype: str, closed: str, side: Any, more: Any) -> None:
    """Few edges, which are compared with, and many give the bins of a binary search."""
    values = np.random.default_rng(0).integers(0, 100, 1_000).astype(dtype) / np.array(4, dtype)
    edges = np.unique([0, 0.1, 3, 3.25, 17, 25, *more])
    found = strata.edge_bins(values, edges, closed)
    np.testing.assert_array_equal(found, np.searchsorted(edges[1:-1], values, side))
    assert found.dtype == np.int64
