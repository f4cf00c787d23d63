"""The sampled search, against every partition and every single change."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.core.groups import local_search as search
from stratframe.core.groups.assign import assign_units, deal_equal_units, group_counts
from stratframe.core.groups.local_search import (
    delta_loss,
    greedy_assign,
    make_objective,
    sampled_local_search,
    total_loss,
)
from stratframe.core.groups.units import part_table
from stratframe.core.seeds import StreamTag, word_stream

from .partitions import chi, seeds, shares, tables, units_of


@given(table=tables, shares=shares, seed=seeds)
def test_loss_is_chi_square(table: np.ndarray, shares: np.ndarray, seed: int) -> None:
    """The loss is the sum of squared deviations by their targets."""
    parts = np.random.default_rng(seed).integers(0, len(shares), len(table))
    units = units_of(table)
    objective = make_objective(units.totals, shares)
    found = total_loss(objective, part_table(units, parts, len(shares)))
    assert found == pytest.approx(chi(table, parts.tolist(), shares))


@given(table=tables, shares=shares)
def test_no_partition_is_below_the_lower_bound(table: np.ndarray, shares: np.ndarray) -> None:
    """Of all partitions none has a loss below the lower bound."""
    table = table[:5]
    if not table.sum(axis=0).all():
        return
    every = product(range(len(shares)), repeat=len(table))
    best = min(chi(table, list(parts), shares) for parts in every)
    assert make_objective(table.sum(axis=0), shares).lower_bound <= best + 1e-9


def test_single_rows_reach_the_lower_bound() -> None:
    """Where all units are single rows, the lower bound is the loss of an equal quota."""
    totals = np.array([7, 9, 10])
    even = np.array([[3, 2, 2], [3, 3, 3], [4, 3, 3]])
    objective = make_objective(totals, np.full(3, 1 / 3))
    assert total_loss(objective, even) == pytest.approx(objective.lower_bound)


@given(table=tables, shares=shares, seed=seeds)
def test_greedy_assign_takes_the_smallest_rise(
    table: np.ndarray, shares: np.ndarray, seed: int
) -> None:
    """Each unit goes where the loss is then smallest."""
    units, parts = units_of(table), np.full(len(table), -1)
    order = np.random.default_rng(seed).permutation(len(table))
    objective = make_objective(units.totals, shares)
    greedy_assign(units, order, objective, parts)
    held = np.zeros((table.shape[1], len(shares)))
    for unit in order:
        tried = []
        for part in range(len(shares)):
            more = held.copy()
            more[:, part] += table[unit]
            tried.append(total_loss(objective, more))
        assert tried[parts[unit]] == pytest.approx(min(tried))
        held[:, parts[unit]] += table[unit]


@given(table=tables, shares=shares, seed=seeds)
def test_delta_loss_is_the_difference(table: np.ndarray, shares: np.ndarray, seed: int) -> None:
    """The rise of a swap is the loss after it less that before."""
    drawn = np.random.default_rng(seed)
    parts = drawn.integers(0, len(shares), len(table))
    one, other = drawn.choice(len(table), 2, replace=False)
    if parts[one] == parts[other]:
        return
    units = units_of(table)
    objective = make_objective(units.totals, shares)
    off = part_table(units, parts, len(shares)) - objective.target
    change = (table[other] - table[one]).astype(float)[:, None]
    found = delta_loss(off, objective, change, parts[[one]], parts[[other]])
    after = parts.copy()
    after[[one, other]] = parts[[other, one]]
    rise = chi(table, after.tolist(), shares) - chi(table, parts.tolist(), shares)
    assert found[0] == pytest.approx(rise, abs=1e-9)


@given(table=tables, shares=shares, seed=seeds, moves=st.booleans())
def test_search_never_raises_the_loss(
    table: np.ndarray, shares: np.ndarray, seed: int, moves: bool
) -> None:
    """A search never leaves a larger loss, and without moves no part grows."""
    units = units_of(table)
    objective = make_objective(units.totals, shares)
    parts = np.random.default_rng(seed).integers(0, len(shares), len(table))
    before, sizes = total_loss(objective, part_table(units, parts, len(shares))), np.bincount(parts)
    sampled_local_search(
        units, objective, parts, word_stream(seed, StreamTag.FOLD_SEARCH), moves=moves
    )
    assert total_loss(objective, part_table(units, parts, len(shares))) <= before + 1e-9
    if not moves:
        np.testing.assert_array_equal(np.bincount(parts), sizes)


def test_search_keeps_other_units() -> None:
    """Units that may not move keep their part."""
    units = units_of(np.random.default_rng(0).integers(1, 9, (30, 3)))
    objective, parts = make_objective(units.totals, np.full(3, 1 / 3)), np.zeros(30, dtype=int)
    movable = np.arange(0, 30, 2)
    sampled_local_search(
        units, objective, parts, word_stream(0, StreamTag.FOLD_SEARCH), moves=True, movable=movable
    )
    assert (parts[1::2] == 0).all()
    assert (parts[movable] != 0).any()


@given(table=tables, seed=seeds)
def test_equal_units_are_dealt_evenly(table: np.ndarray, seed: int) -> None:
    """Of m units of equal counts every part first has its share of m, rounded down."""
    units = units_of(np.repeat(table, 7, axis=0))
    thirds = [Fraction(1, 3)] * 3
    parts = deal_equal_units(units, thirds, word_stream(seed, StreamTag.FOLD_SEARCH))
    rows = np.repeat(table, 7, axis=0)
    for kind in np.unique(rows, axis=0):
        own = parts[(rows == kind).all(axis=1)]
        assert np.bincount(own[own >= 0], minlength=3).tolist() == [len(own) // 3] * 3


@pytest.mark.parametrize("least", [17, 9], ids=["sampled", "all changes"])
def test_single_rows_are_as_even_as_can_be(least: int) -> None:
    """Groups of one row each come out as evenly as rows do."""
    stratum = np.repeat([0, 1, 2], [least, 21, 30])
    n, stream = len(stratum), word_stream(0, StreamTag.FOLD_SEARCH)
    units = group_counts(np.arange(n), n, stratum, 3)
    parts = assign_units(units, [Fraction(1, 5)] * 5, stream)
    for code in range(3):
        counts = np.bincount(parts[stratum == code], minlength=5)
        assert counts.max() - counts.min() <= 1
    assert np.ptp(np.bincount(parts)) <= 1


def test_search_stops_at_the_lower_bound() -> None:
    """Where the lower bound is reached, the search ends: no batch is drawn in vain."""
    drawn, stream = list[int](), word_stream(0, StreamTag.FOLD_SEARCH)
    units = units_of(np.ones((40, 1), dtype=int))
    objective, parts = make_objective(units.totals, np.full(4, 1 / 4)), np.arange(40) % 4
    parts[:2] = 3
    sampled_local_search(
        units, objective, parts, lambda size: drawn.append(size) or stream(size), moves=True
    )
    assert np.bincount(parts).tolist() == [10] * 4
    assert len(drawn) < search.MAX_IDLE_BATCHES
