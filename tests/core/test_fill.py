"""New rows next to old folds, against every allocation, and paths, against SciPy."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse.csgraph import shortest_path as distances_of

from stratframe.core.fill import (
    fill_by_shares,
    fill_evenly,
    rebalance,
    rebalance_many,
    shortest_path,
    transitive_closure,
    water_level,
)
from stratframe.core.seeds import StreamTag, random_words

helds = hnp.arrays(
    np.int64, st.tuples(st.integers(1, 12), st.integers(2, 5)), elements=st.integers(0, 6)
)


@given(held=helds, data=st.data())
def test_every_stratum_is_as_even_as_can_be(held: np.ndarray, data: st.DataObject) -> None:
    """All new rows are allocated, and each stratum ends as even as its old folds allow."""
    new = np.array(data.draw(st.lists(st.integers(0, 9), min_size=len(held), max_size=len(held))))
    table = fill_evenly(held, new, random_words(0, StreamTag.EXTEND, held.shape[1]))
    assert (table >= 0).all()
    np.testing.assert_array_equal(table.sum(axis=1), new)
    for old, added in zip(held, table, strict=True):
        # The emptiest fold first, row by row, is the most even that can be.
        grown = old.copy()
        for _ in range(added.sum()):
            grown[grown.argmin()] += 1
        np.testing.assert_array_equal(np.sort(old + added), np.sort(grown))


@given(
    held=hnp.arrays(np.int64, st.tuples(st.integers(1, 4), st.just(3)), elements=st.integers(0, 4)),
    data=st.data(),
)
def test_totals_are_as_even_as_the_strata_allow(held: np.ndarray, data: st.DataObject) -> None:
    """Of all tables that keep the strata as even, none makes the folds' totals more even."""
    new = np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(held), max_size=len(held))))
    table = fill_evenly(held, new, random_words(0, StreamTag.EXTEND, 3))
    found = (held + table).sum(axis=0)
    level, left = water_level(held, new)
    ways = []
    for old, line, spare in zip(held, level, left, strict=True):
        base = np.maximum(line - old, 0)
        open_folds = np.flatnonzero(old <= line)
        ways.append(
            [
                base + np.bincount(list(chosen), minlength=3)
                for chosen in product(open_folds, repeat=spare)
                if len(set(chosen)) == spare
            ]
        )
    best = min(int(np.ptp((held + np.array(tables)).sum(axis=0))) for tables in product(*ways))
    assert np.ptp(found) == best


@pytest.mark.parametrize("n_parts", [2, 3, 5])
def test_shares_of_many_strata(n_parts: int) -> None:
    """Of many strata, new rows bring each near its shares and the total to within one row."""
    drawn = np.random.default_rng(n_parts)
    shares = drawn.dirichlet(np.full(n_parts, 5.0))
    held = np.zeros((3_000, n_parts), dtype=np.int64)
    new = drawn.poisson(10, len(held))
    table = fill_by_shares(held, new, shares, random_words(0, StreamTag.EXTEND, len(held)))
    np.testing.assert_array_equal(table.sum(axis=1), new)
    assert (np.abs(table - new[:, None] * shares) < 1).all()
    assert (np.abs(table.sum(axis=0) - new.sum() * shares) < 1).all()


graphs = st.integers(2, 7).flatmap(lambda n: hnp.arrays(np.bool_, (n, n)))


@given(edges=graphs, data=st.data())
def test_shortest_path_as_scipy(edges: np.ndarray, data: st.DataObject) -> None:
    """A path follows edges from a start to an end, and has the length that SciPy finds."""
    roles = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(edges), max_size=len(edges)))
    )
    starts, ends = roles == 1, roles == 2
    distances = distances_of(edges, unweighted=True)[starts][:, ends]
    path = shortest_path(edges, starts, ends)
    if not np.isfinite(distances).any():
        assert path == []
        return
    assert len(path) - 1 == distances.min()
    assert starts[path[0]]
    assert ends[path[-1]]
    assert edges[path[:-1], path[1:]].all()


@given(edges=graphs)
def test_transitive_closure_as_scipy(edges: np.ndarray) -> None:
    """A node reaches another one exactly if SciPy finds a finite distance by an edge or more."""
    lengths = distances_of(edges, unweighted=True)
    expected = (edges[:, :, None] & np.isfinite(lengths)[None]).any(axis=1)
    np.testing.assert_array_equal(transitive_closure(edges), expected)


@given(data=st.data(), shape=st.tuples(st.integers(1, 12), st.integers(2, 5)))
@settings(max_examples=200)
def test_many_folds_get_what_few_do(data: st.DataObject, shape: tuple[int, int]) -> None:
    """The search that keeps no table of pairs of folds moves the same rows."""
    state = data.draw(hnp.arrays(np.int8, shape, elements=st.integers(0, 2)))
    is_open, extra = state > 0, state > 1
    totals = data.draw(hnp.arrays(np.int64, shape[1], elements=st.integers(0, 9)))
    for scale in (1, 0.7):
        found = rebalance_many(extra.copy(), is_open & ~extra, totals * scale)
        np.testing.assert_array_equal(found, rebalance(is_open, extra, totals * scale))


@pytest.mark.parametrize(("n_strata", "k"), [(1, 50_000), (20, 2_000)])
def test_memory_of_many_folds_is_linear(n_strata: int, k: int) -> None:
    """Many folds take memory for each cell, not for each pair of folds."""
    drawn = np.random.default_rng(3)
    held, new = drawn.integers(0, 3, (n_strata, k)), drawn.integers(0, 2 * k, n_strata)
    tracemalloc.start()
    table = fill_evenly(held, new, random_words(0, StreamTag.EXTEND, k))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_array_equal(table.sum(axis=1), new)
    assert peak < 150 * held.size
