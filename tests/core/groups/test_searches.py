"""What searches find: the best of all partitions, or one that no change of a unit betters."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.core.groups.assign import assign_units, balance_rows, group_counts, margin_counts
from stratframe.core.groups.local_search import (
    assign_by_arrays,
    assign_by_lists,
    make_objective,
)
from stratframe.core.groups.units import UnitCounts
from stratframe.core.seeds import StreamTag, word_stream
from tests.helpers import fractions

from .partitions import HALVES, THIRDS, chi, dense, every_partition, groups_of, seeds, tables

SIX_AND_FOUR = [Fraction(6, 10), Fraction(4, 10)]


def assigned(units: UnitCounts, shares: list[Fraction], seed: int = 0) -> np.ndarray:
    return assign_units(units, shares, word_stream(seed, StreamTag.FOLD_SEARCH))


@pytest.mark.parametrize("shares", [THIRDS, SIX_AND_FOUR], ids=["equal", "unequal"])
@pytest.mark.parametrize("table_seed", range(3))
def test_few_groups_get_the_best_partition(shares: list[Fraction], table_seed: int) -> None:
    """For seven groups the loss is that of the best of all partitions, under every seed."""
    units = groups_of(np.random.default_rng(table_seed).integers(1, 30, (7, 2)))
    table = dense(units)
    best = chi(table, every_partition(7, len(shares)), shares).min()
    for seed in range(5):
        assert chi(table, assigned(units, shares, seed), shares) == pytest.approx(best)


@pytest.mark.parametrize("n_strata", [3, 700], ids=["counts", "products"])
@given(table=tables, seed=seeds)
def test_no_change_of_few_groups_helps(n_strata: int, table: np.ndarray, seed: int) -> None:
    """Neither a move of a group nor a swap of two lowers the loss, for any number of strata."""
    units = groups_of(np.tile(table, n_strata)[:, :n_strata])
    table = dense(units)
    parts = assigned(units, THIRDS, seed)
    found = chi(table, parts, THIRDS)
    changes = [{unit: part} for unit in range(len(parts)) for part in range(3)]
    changes += [{a: parts[b], b: parts[a]} for a, b in combinations(range(len(parts)), 2)]
    changed = np.tile(parts, (len(changes), 1))
    for row, change in zip(changed, changes, strict=True):
        row[[*change]] = [*change.values()]
    full = [row for row in changed if len({*row.tolist()}) == 3]
    assert chi(table, np.array(full), THIRDS).min() >= found - 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(("n_groups", "distinct"), [(9, 1), (30, 13)])
def test_all_seeds_reach_one_level(n_groups: int, distinct: int) -> None:
    """Losses of 20 seeds are within 4.5 % of each other; most partitions of many groups differ."""
    units = groups_of(np.random.default_rng(0).integers(1, 60, (n_groups, 3)))
    every = [assigned(units, THIRDS, seed) for seed in range(20)]
    losses = chi(dense(units), np.array(every), THIRDS)
    assert losses.max() <= 1.045 * losses.min()
    # Partitions that only number their parts otherwise are the same.
    assert len({tuple(map(parts.tolist().index, parts.tolist())) for parts in every}) >= distinct


@pytest.mark.parametrize("shares", [HALVES, SIX_AND_FOUR], ids=["equal", "unequal"])
def test_seeds_choose_among_equally_good_partitions(shares: list[Fraction]) -> None:
    """60 seeds find at least half as many of the best partitions as 60 random draws of them."""
    units = groups_of(np.random.default_rng(3).integers(1, 5, (11, 1)))
    every = every_partition(11, 2)
    losses = chi(dense(units), every, shares)
    best = {*map(tuple, every[losses < losses.min() + 1e-9].tolist())}
    found = {tuple(assigned(units, shares, seed).tolist()) for seed in range(60)}
    assert found <= best
    assert len(found) >= len(best) * (1 - (1 - 1 / len(best)) ** 60) / 2


@pytest.mark.parametrize("least", [17, 9], ids=["sampled", "all changes"])
def test_single_rows_are_as_even_as_can_be(least: int) -> None:
    """Groups of one row each come out as evenly as rows do."""
    stratum = np.repeat([0, 1, 2], [least, 21, 30])
    units = group_counts(np.arange(len(stratum)), len(stratum), stratum, 3)
    parts = assigned(units, [Fraction(1, 5)] * 5)
    for inside in (stratum == 0, stratum == 1, stratum == 2, stratum >= 0):
        assert np.ptp(np.bincount(parts[inside], minlength=5)) <= 1


def test_search_stops_at_the_lower_bound() -> None:
    """Where no partition of whole rows can be better, the search ends: nothing is drawn in vain."""
    stream = word_stream(0, StreamTag.FOLD_SEARCH)
    drawn = list[int]()
    units = margin_counts([(np.arange(90) // 30, 3)], np.arange(90), 90, with_sizes=False)
    parts = balance_rows(units, THIRDS, lambda size: drawn.append(size) or stream(size))
    assert np.bincount(parts).tolist() == [30] * 3
    assert sum(drawn) < 1_000


@pytest.mark.parametrize("has_room", [True, False])
@given(table=tables, weights=st.lists(st.integers(1, 9), min_size=2, max_size=5), seed=seeds)
def test_lists_and_arrays_assign_units_alike(
    has_room: bool, table: np.ndarray, weights: list[int], seed: int
) -> None:
    """Units get the same parts by lists and by arrays, also if parts take one unit but the last."""
    units = groups_of(table)
    shares = fractions(weights)
    objective = make_objective(units.totals, shares)
    order = np.random.default_rng(seed).permutation(len(table))
    n_left = [-1] * len(shares) if has_room else [1] * (len(shares) - 1) + [len(table)]
    by_lists, by_arrays = np.full((2, len(table)), -1)

    assign_by_lists(units, order, objective, by_lists, (-2 * objective.target).tolist(), [*n_left])
    assign_by_arrays(units, order, objective, by_arrays, -2 * objective.target, [*n_left])

    assert by_lists.tolist() == by_arrays.tolist()
    assert by_lists.min() >= 0
