"""New rows next to old folds, against every allocation."""

import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stratframe.core.fill import fill_by_shares, fill_evenly
from stratframe.core.seeds import StreamTag, random_words


def helds(most: int, folds: st.SearchStrategy[int]) -> st.SearchStrategy[np.ndarray]:
    return hnp.arrays(np.int64, st.tuples(st.integers(1, most), folds), elements=st.integers(0, 6))


def draws(n: int) -> np.ndarray:
    return random_words(0, StreamTag.EXTEND, n)


def filled_one_by_one(old: np.ndarray, n_new: int) -> np.ndarray:
    """The most even that can be: row by row to the emptiest fold, the first of equal ones."""
    grown = old.copy()
    for _ in range(n_new):
        grown[grown.argmin()] += 1
    return grown


@given(held=helds(12, st.integers(2, 5)), data=st.data())
@settings(max_examples=100)
def test_every_stratum_is_as_even_as_can_be(held: np.ndarray, data: st.DataObject) -> None:
    """Each stratum ends as even as its old folds allow; full folds beside them change nothing."""
    new = np.array(data.draw(st.lists(st.integers(0, 9), min_size=len(held), max_size=len(held))))
    n_folds = held.shape[1]
    words = draws(held.shape[1] + 70)
    table = fill_evenly(held, new, words[:n_folds])
    assert (table >= 0).all()
    np.testing.assert_array_equal(table.sum(axis=1), new)
    for old, added in zip(held, table, strict=True):
        expected = np.sort(filled_one_by_one(old, added.sum()))
        np.testing.assert_array_equal(np.sort(old + added), expected)
    # So many folds are searched in another way, which keeps no table of their pairs.
    full = np.full((len(held), 70), 100)
    found = fill_evenly(np.hstack([held, full]), new, words)
    np.testing.assert_array_equal(found, np.hstack([table, 0 * full]))


@given(held=helds(4, st.just(3)), data=st.data())
def test_totals_are_as_even_as_the_strata_allow(held: np.ndarray, data: st.DataObject) -> None:
    """Of all tables that keep the strata as even, none makes the folds' totals more even."""
    new = np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(held), max_size=len(held))))
    table = fill_evenly(held, new, draws(3))
    ways = []
    for old, n_new in zip(held, new.tolist(), strict=True):
        even = np.sort(filled_one_by_one(old, n_new)).tolist()
        every = [np.bincount(chosen, minlength=3) for chosen in product(range(3), repeat=n_new)]
        every = np.unique(np.array(every, dtype=int).reshape(-1, 3), axis=0)
        ways.append([added for added in every if np.sort(old + added).tolist() == even])
    best = min(int(np.ptp((held + np.array(tables)).sum(axis=0))) for tables in product(*ways))
    assert np.ptp((held + table).sum(axis=0)) == best


HELD = st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=1, max_size=6)


@given(held=HELD, data=st.data())
def test_strata_are_as_near_as_they_can_be(held: list[Any], data: st.DataObject) -> None:
    """New rows go where the share is least filled: moving one of them makes no stratum nearer."""
    table = np.array(held)
    new = np.array(data.draw(st.lists(st.integers(0, 12), min_size=len(held), max_size=len(held))))
    every = [[0.6, 0.2, 0.2], [0.5, 0.25, 0.25], [0.8, 0.1, 0.1]]
    shares = np.array(data.draw(st.sampled_from(every)))
    words = np.random.default_rng(0).integers(0, 2**63, len(new)).astype(np.uint64)
    added = fill_by_shares(table, new, shares, words)
    assert (added >= 0).all()
    np.testing.assert_array_equal(added.sum(axis=1), new)
    # Every cell is within a row of what fractions of rows would make best.
    for row, total, cells in zip(table, new, added, strict=True):
        low = 0.0
        high = (row.sum() + total) / shares.min() + 1
        for _ in range(80):
            middle = (low + high) / 2
            is_low = np.maximum(middle * shares - row, 0).sum() < total
            low, high = (middle, high) if is_low else (low, middle)
        due = np.maximum(high * shares - row, 0)
        assert np.abs(cells - due).max() < 1 + 1e-6


@pytest.mark.parametrize("n_parts", [2, 3, 5])
def test_shares_of_many_strata(n_parts: int) -> None:
    """New rows bring each of many strata near its shares, and the total to within one row."""
    drawn = np.random.default_rng(n_parts)
    held = np.zeros((3_000, n_parts), dtype=np.int64)
    shares = drawn.dirichlet(np.full(n_parts, 5.0))
    new = drawn.poisson(10, len(held))
    table = fill_by_shares(held, new, shares, draws(len(held)))
    np.testing.assert_array_equal(table.sum(axis=1), new)
    assert (np.abs(table - new[:, None] * shares) < 1).all()
    assert (np.abs(table.sum(axis=0) - new.sum() * shares) < 1).all()


@pytest.mark.parametrize(("n_strata", "k"), [(1, 50_000), (20, 2_000)])
def test_memory_of_many_folds_is_linear(n_strata: int, k: int) -> None:
    """Many folds take memory for each cell, not for each pair of folds."""
    drawn = np.random.default_rng(3)
    held = drawn.integers(0, 3, (n_strata, k))
    new = drawn.integers(0, 2 * k, n_strata)
    tracemalloc.start()
    table = fill_evenly(held, new, draws(k))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_array_equal(table.sum(axis=1), new)
    assert peak < 150 * held.size
