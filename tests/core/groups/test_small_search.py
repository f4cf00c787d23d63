"""The search of few units, against every partition and every single change."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from stratframe.core.groups.local_search import make_objective, total_loss
from stratframe.core.groups.small_search import (
    LEVEL_RATIO,
    best_change,
    inner_products,
    iterated_local_search,
    iterated_local_search_to_level,
    make_coordinates,
    steepest_descent,
)
from stratframe.core.groups.units import part_table, to_dense
from stratframe.core.seeds import StreamTag, word_stream

from .partitions import chi, seeds, shares, tables, units_of


@given(table=tables, shares=shares, seed=seeds)
def test_best_change_is_the_best_of_all(table: np.ndarray, shares: np.ndarray, seed: int) -> None:
    """Of all moves and swaps the one is found that lowers the loss most, and by how much."""
    drawn = np.random.default_rng(seed)
    parts = drawn.integers(0, len(shares), (3, len(table)))
    units = units_of(table)
    objective = make_objective(units.totals, shares)
    units_at = make_coordinates(to_dense(units, np.arange(len(table))), objective)
    off = np.stack(
        [part_table(units, row, len(shares)) - objective.target for row in parts], axis=1
    )
    products = inner_products(units_at, off)
    rise, first, second, to = best_change(
        products, units_at.distances, units_at.norms, shares, parts
    )
    for restart, row in enumerate(parts.tolist()):
        before = chi(table, row, shares)
        tried = []
        for unit, part in product(range(len(row)), range(len(shares))):
            if part != row[unit]:
                tried.append(chi(table, [*row[:unit], part, *row[unit + 1 :]], shares))
        for one, other in product(range(len(row)), repeat=2):
            if row[one] != row[other]:
                swapped = list(row)
                swapped[one], swapped[other] = row[other], row[one]
                tried.append(chi(table, swapped, shares))
        assert before + rise[restart] == pytest.approx(min(tried), abs=1e-9)
        after = list(row)
        if second[restart] >= 0:
            after[second[restart]] = row[first[restart]]
        after[first[restart]] = int(to[restart])
        assert chi(table, after, shares) == pytest.approx(min(tried), abs=1e-9)


@pytest.mark.parametrize("many", [0, 2_000], ids=["products", "counts"])
@given(table=tables, shares=shares, seed=seeds)
def test_descent_ends_where_no_change_helps(
    many: int, table: np.ndarray, shares: np.ndarray, seed: int
) -> None:
    """A descent returns the losses of its partitions, which no move lowers."""
    units = units_of(table)
    objective = make_objective(units.totals, shares)
    units_at = make_coordinates(to_dense(units, np.arange(len(table))), objective, many)
    parts = np.random.default_rng(seed).integers(0, len(shares), (4, len(table)))
    found = steepest_descent(units_at, objective, parts)
    for restart, row in enumerate(parts.tolist()):
        assert found[restart] == pytest.approx(chi(table, row, shares), abs=1e-9)
        for unit, part in product(range(len(row)), range(len(shares))):
            moved = [*row[:unit], part, *row[unit + 1 :]]
            assert chi(table, moved, shares) >= found[restart] - 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_search_finds_the_best_partition(seed: int) -> None:
    """For nine units and three parts the best of all partitions is found."""
    table = np.random.default_rng(seed).integers(0, 30, (9, 2)) + 1
    units = units_of(table)
    objective, parts = make_objective(units.totals, np.full(3, 1 / 3)), np.zeros(9, dtype=int)
    iterated_local_search(units, objective, parts, word_stream(seed, StreamTag.FOLD_SEARCH))
    best = min(chi(table, [0, *rest], objective.shares) for rest in product(range(3), repeat=8))
    assert chi(table, parts.tolist(), objective.shares) == pytest.approx(best)


@pytest.mark.slow
@pytest.mark.parametrize(("n_units", "distinct"), [(9, 2), (30, 15)])
def test_all_seeds_reach_one_level(n_units: int, distinct: int) -> None:
    """Seeds give different partitions whose losses are within the ratio of equally good ones."""
    table = np.random.default_rng(0).integers(1, 60, (n_units, 3))
    units = units_of(table)
    objective = make_objective(units.totals, np.full(3, 1 / 3))
    found: dict[bytes, float] = {}
    for seed in range(20):
        stream = word_stream(seed, StreamTag.FOLD_SEARCH)
        parts = (stream(n_units) % np.uint64(3)).astype(int)
        iterated_local_search_to_level(units, objective, parts, stream)
        found[parts.tobytes()] = total_loss(objective, part_table(units, parts, 3))
    assert max(found.values()) <= LEVEL_RATIO * min(found.values())
    assert len(found) >= distinct


def test_the_level_of_few_partitions_is_the_best() -> None:
    """On seven units the level is the best of all partitions, under every seed."""
    table = np.random.default_rng(1).integers(1, 30, (7, 2))
    units = units_of(table)
    objective = make_objective(units.totals, np.full(3, 1 / 3))
    best = min(chi(table, list(rest), objective.shares) for rest in product(range(3), repeat=7))
    for seed in range(5):
        parts = np.zeros(7, dtype=int)
        iterated_local_search_to_level(
            units, objective, parts, word_stream(seed, StreamTag.FOLD_SEARCH)
        )
        assert chi(table, parts.tolist(), objective.shares) == pytest.approx(best)


@pytest.mark.parametrize("shares", [[1 / 2, 1 / 2], [0.6, 0.4]], ids=str)
def test_seeds_choose_among_equally_good_partitions(shares: list[float]) -> None:
    """Of the best of all partitions, 60 seeds find at least half as many as 60 random draws."""
    table = np.random.default_rng(3).integers(1, 5, (11, 1))
    units, objective = units_of(table), make_objective(table.sum(axis=0), np.array(shares))
    losses = {
        parts: chi(table, list(parts), objective.shares) for parts in product(range(2), repeat=11)
    }
    best = {parts for parts, loss in losses.items() if loss < min(losses.values()) + 1e-9}
    search = iterated_local_search if shares[0] != shares[1] else iterated_local_search_to_level
    found = set()
    for seed in range(60):
        stream, parts = word_stream(seed, StreamTag.FOLD_SEARCH), np.arange(11) % 2
        search(units, objective, parts, stream)
        found.add(tuple(parts.tolist()))
    assert found <= best
    assert len(found) >= len(best) * (1 - (1 - 1 / len(best)) ** 60) / 2
