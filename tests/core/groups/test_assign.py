"""Groups and margins assigned to parts: what must hold for any data."""

from datetime import timedelta
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stratframe.core.groups import assign
from stratframe.core.groups.assign import (
    assign_units,
    balance_rows,
    extend_units,
    group_counts,
    margin_counts,
    permute_parts,
    similarity_words,
)
from stratframe.core.groups.local_search import make_objective, total_loss
from stratframe.core.groups.units import (
    UnitCounts,
    count_by_unit,
    entry_units,
    part_table,
    to_dense,
)
from stratframe.core.seeds import StreamTag, word_stream

from .partitions import chi, tables

THIRDS = [Fraction(1, 3)] * 3
UNEQUAL = [Fraction(7, 10), Fraction(2, 10), Fraction(1, 10)]

shares_of_parts = st.sampled_from(
    [THIRDS, UNEQUAL, [Fraction(9, 10), Fraction(1, 10)], [Fraction(n, 20) for n in (17, 2, 1)]]
)

seeds = st.integers(0, 2**32)
codes = hnp.arrays(
    np.int64, st.tuples(st.integers(1, 5), st.integers(6, 60)), elements=st.integers(0, 2)
)


def entries_of(rows: np.ndarray) -> list[tuple[np.ndarray, int]]:
    """Entries of three values each, from an array of shape (n_entries, n_rows)."""
    return [(row, 3) for row in rows]


def spread(row: np.ndarray, parts: np.ndarray, k: int) -> int:
    """The largest difference of counts between folds, over the values of an entry."""
    counts = np.zeros((3, k), dtype=int)
    np.add.at(counts, (row, parts), 1)
    return int(np.ptp(counts, axis=1).max())


@given(
    rows=codes,
    shares=st.integers(2, 6).map(lambda k: [Fraction(1, k)] * k) | st.just(UNEQUAL),
    seed=seeds,
)
def test_sizes_are_shares_rounded(rows: np.ndarray, shares: list[Fraction], seed: int) -> None:
    """Every row has a part, and the parts have their exact shares, rounded down or up."""
    n = rows.shape[1]
    units = margin_counts(entries_of(rows), np.arange(n), n, with_sizes=False)
    parts = balance_rows(units, shares, word_stream(seed, StreamTag.PART_SEARCH))
    assert len(parts) == n
    for part, share in enumerate(shares):
        assert abs(int((parts == part).sum()) - n * share) < 1


@given(row=hnp.arrays(np.int64, st.integers(6, 60), elements=st.integers(0, 2)), seed=seeds)
def test_one_entry_is_as_even_as_can_be(row: np.ndarray, seed: int) -> None:
    """One entry alone comes out within 1 in every value."""
    units = margin_counts([(row, 3)], np.arange(len(row)), len(row), with_sizes=False)
    parts = balance_rows(units, THIRDS, word_stream(seed, StreamTag.FOLD_SEARCH))
    assert spread(row, parts, 3) <= 1


@given(rows=codes, seed=seeds)
def test_groups_stay_whole(rows: np.ndarray, seed: int) -> None:
    """Groups get one part each, and parts differ by a group at most."""
    n = rows.shape[1]
    group = np.arange(n) // 2
    n_groups = int(group[-1]) + 1
    halves = [Fraction(1, 2)] * 2
    units = margin_counts(entries_of(rows), group, n_groups, with_sizes=True)
    parts = assign_units(units, halves, word_stream(seed, StreamTag.FOLD_SEARCH))
    assert len(parts) == n_groups
    assert np.ptp(np.bincount(parts[group], minlength=2)) <= 2


def test_two_values_are_one_column() -> None:
    """Of an entry of two values only the rarer counts; of three all do."""
    flag, kind = np.array([1, 1, 0, 1]), np.array([0, 2, 1, 1])
    units = margin_counts([(flag, 2), (kind, 3), (flag, 2)], np.arange(4), 4, with_sizes=True)
    expected = [flag == 0, kind == 0, kind == 1, kind == 2, flag == 0, np.ones(4)]
    np.testing.assert_array_equal(to_dense(units, np.arange(4)), expected)
    constant = margin_counts([(np.zeros(4, dtype=int), 1)], np.arange(4), 4, with_sizes=False)
    assert constant.totals.tolist() == [0]


def random_units(n_groups: int, seed: int) -> tuple[UnitCounts, np.ndarray]:
    """Groups of 1 to 30 rows of three strata, of which each prefers one; also as a table."""
    drawn = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), drawn.integers(1, 30, n_groups))
    stratum = (drawn.integers(0, 3, n_groups)[group] + drawn.integers(0, 2, len(group))) % 3
    units = group_counts(group, n_groups, stratum, 3)
    return units, to_dense(units, np.arange(n_groups)).T


def best_by_chance(table: np.ndarray, shares: np.ndarray, parts: np.ndarray) -> float:
    """The least loss where 100 times the units without a part get one at random."""
    drawn = np.random.default_rng(1)
    ways = [drawn.choice(len(shares), len(parts), p=shares) for _ in range(100)]
    return min(chi(table, np.where(parts < 0, way, parts).tolist(), shares) for way in ways)


@pytest.mark.parametrize("shares", [THIRDS, UNEQUAL], ids=["equal", "unequal"])
@pytest.mark.parametrize("n_groups", [12, 150])
def test_groups_are_nearer_than_chance(shares: list[Fraction], n_groups: int) -> None:
    """Strata and sizes are nearer to their shares than in the best of 100 random partitions."""
    units, table = random_units(n_groups, 0)
    weights = np.array(shares, dtype=float)
    best = best_by_chance(table, weights, np.full(n_groups, -1))
    for seed in range(2):
        stream = word_stream(seed, StreamTag.PART_SEARCH, 3)
        parts = assign_units(units, shares, stream)
        assert parts.shape == (n_groups,)
        assert chi(table, parts.tolist(), weights) < best


@pytest.mark.parametrize("n_groups", [40, 150])
def test_sizes_of_unequal_parts_go_before_strata(n_groups: int) -> None:
    """Unequal parts have their sizes to within half a group of the median size."""
    group = np.repeat(np.arange(n_groups), np.random.default_rng(2).integers(1, 30, n_groups))
    # Strata that are large groups as a whole, so that strata and sizes are at odds.
    stratum = np.minimum(np.bincount(group)[group] // 10, 2)
    stream = word_stream(0, StreamTag.PART_SEARCH, 3)
    parts = assign_units(group_counts(group, n_groups, stratum, 3), UNEQUAL, stream)
    sizes = np.bincount(parts[group], minlength=3)
    off = np.abs(sizes - len(group) * np.array(UNEQUAL, dtype=float))
    assert off.max() <= np.median(np.bincount(group)) / 2


@pytest.mark.parametrize("sizes", [[90, 2, 2, 2, 2, 2], [50, 3, 1]], ids=str)
def test_sizes_that_no_partition_meets_end_the_search(sizes: list[int]) -> None:
    """One huge group goes to the largest part, and gains of rounding do not alternate for ever."""
    group, shares = np.repeat(np.arange(len(sizes)), sizes), [Fraction(n, 10) for n in (8, 1, 1)]
    units = group_counts(group, len(sizes), np.zeros(len(group), dtype=int), 1)
    parts = assign_units(units, shares, word_stream(0, StreamTag.PART_SEARCH, 3))
    assert parts[0] == 0
    assert (parts[1:] > 0).all()


def test_equal_parts_are_renumbered_at_random() -> None:
    """Over seeds equal parts take every permutation equally often; unequal ones keep theirs."""
    parts = np.array([0, 1, 2, 2])
    streams = [word_stream(seed, StreamTag.FOLD_SEARCH) for seed in range(600)]
    renumbered = [permute_parts(parts, THIRDS, stream) for stream in streams]
    frequency = np.unique(renumbered, axis=0, return_counts=True)[1]
    assert len(frequency) == 6
    assert frequency.min() > 60
    assert permute_parts(parts, UNEQUAL, streams[0]).tolist() == parts.tolist()


@given(table=tables, shares=shares_of_parts, seed=seeds)
def test_a_part_that_would_be_empty_gets_the_unit_that_costs_least(
    table: np.ndarray, shares: list[Fraction], seed: int
) -> None:
    """No part is empty; of partitions that the search left so the loss is the least without."""
    table = table[table.sum(axis=1) > 0]
    assume(len(table) >= len(shares) and (table.sum(axis=0) > 0).all())
    unit, column = np.nonzero(table)
    units = group_counts(unit, len(table), column, table.shape[1], table[unit, column])
    found = assign_units(units, shares, word_stream(seed, StreamTag.PART_SEARCH))
    assert len(set(found.tolist())) == len(shares)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assign, "fill_empty_parts", lambda *_: None)
        plain = assign_units(units, shares, word_stream(seed, StreamTag.PART_SEARCH))
    if len(set(plain.tolist())) == len(shares):
        assert found.tolist() == plain.tolist()
        return
    counts, weights = to_dense(units, np.arange(len(table))).T, np.array(shares, dtype=float)
    every = product(range(len(shares)), repeat=len(table))
    least = min(chi(counts, [*p], weights) for p in every if len(set(p)) == len(shares))
    assert chi(counts, found.tolist(), weights) == pytest.approx(least)


def test_many_units_fill_a_small_part() -> None:
    """Of many groups the one that costs least goes to a part whose share is less than a group."""
    shares = [Fraction(9_998, 10_000), Fraction(1, 10_000), Fraction(1, 10_000)]
    units, _ = random_units(500, 6)
    parts = assign_units(units, shares, word_stream(0, StreamTag.PART_SEARCH))
    sizes = np.bincount(entry_units(units), units.data) // 2
    assert np.bincount(parts).tolist() == [498, 1, 1]
    assert sizes[parts > 0].tolist() == [1, 1]


@pytest.mark.parametrize("n_groups", [20, 150])
def test_extended_groups_keep_their_fold(n_groups: int) -> None:
    """Groups with a fold keep it, and new ones bring strata nearer than chance does."""
    units, table = random_units(n_groups, 4)
    thirds, drawn = np.full(3, 1 / 3), np.random.default_rng(5)
    before = np.where(drawn.random(n_groups) < 0.5, drawn.integers(0, 3, n_groups), -1)
    found = extend_units(units, before, thirds, word_stream(0, StreamTag.EXTEND, 3))
    np.testing.assert_array_equal(found[before >= 0], before[before >= 0])
    assert chi(table, found.tolist(), thirds) < best_by_chance(table, thirds, before)


def test_extended_rows_fill_the_room() -> None:
    """With room given, every fold takes that many new units."""
    units = group_counts(np.arange(30), 30, np.arange(30) % 4, 4)
    before = np.where(np.arange(30) < 10, 0, -1)
    room = np.array([0, 12, 8])
    found = extend_units(
        units, before, np.full(3, 1 / 3), word_stream(0, StreamTag.EXTEND, 3), room
    )
    assert (np.bincount(found) - np.bincount(before[:10], minlength=3)).tolist() == [0, 12, 8]


def test_a_single_new_group_goes_where_it_fits_best() -> None:
    """With one unit to assign there is nothing to search: it goes to the emptiest fold."""
    units = group_counts(np.repeat(np.arange(4), [5, 3, 1, 2]), 4, np.zeros(11, dtype=int), 1)
    found = extend_units(
        units, np.array([0, 1, 2, -1]), np.full(3, 1 / 3), word_stream(0, StreamTag.EXTEND, 3)
    )
    assert found.tolist() == [0, 1, 2, 2]


@pytest.mark.parametrize("shares", [[Fraction(1, 5)] * 5, [Fraction(7, 10), Fraction(3, 10)]])
def test_blocks_of_similar_rows_lose_nothing(shares: list[Fraction]) -> None:
    """Many rows dealt in blocks are about as even as rows dealt one by one."""
    drawn = np.random.default_rng(0)
    n_rows = 20_000
    rates = drawn.beta(0.5, 5, 30)
    entries = [((drawn.random(n_rows) < rate).astype(np.int64), 2) for rate in rates]
    losses = []
    for one_by_one in (1_000, n_rows):
        stream = word_stream(1, StreamTag.FOLD_SEARCH, len(shares))
        units = margin_counts(entries, np.arange(n_rows), n_rows, with_sizes=False)
        parts = balance_rows(units, shares, stream, one_by_one)
        objective = make_objective(units.totals, shares)
        losses.append(total_loss(objective, part_table(units, parts, len(shares))))
        sizes = np.bincount(parts, minlength=len(shares))
        assert (np.abs(sizes - n_rows * np.array(shares, dtype=float)) < 1).all()
    assert losses[0] <= 1.1 * losses[1] + 0.1


def test_words_put_frequent_columns_first() -> None:
    """Units next to each other by their words share the most frequent columns."""
    table = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 1], [0, 0, 1], [1, 1, 0]])
    units = count_by_unit(*np.nonzero(table), *table.shape)
    words = similarity_words(units, np.array([1, 0, 0], dtype=np.uint64))
    assert (words >> np.uint64(61)).tolist() == [0b101, 0b110, 0b100, 0b100, 0b011]


def test_groups_of_a_million_rows() -> None:
    """A search of groups that stand for a million rows ends, each in a fold of its own."""
    rows = np.array([228190, 987437, 597183, 754553, 794559, 820269, 54666, 519073])
    stream = word_stream(0, StreamTag.FOLD_SEARCH, 4)
    group, stratum = np.repeat(np.arange(4), 2), np.tile([0, 1], 4)
    parts = assign_units(group_counts(group, 4, stratum, 2, rows), [Fraction(1, 4)] * 4, stream)
    assert sorted(parts) == [0, 1, 2, 3]


any_shares = st.one_of(
    st.integers(2, 6).map(lambda k: [1] * k),
    st.lists(st.integers(1, 9), min_size=2, max_size=6),
    st.lists(st.integers(1, 10**6), min_size=2, max_size=6),
)


@pytest.mark.slow
@settings(max_examples=1_000, deadline=timedelta(seconds=10))
@given(
    rows=st.lists(st.integers(1, 9) | st.integers(1, 10**9), min_size=2, max_size=12),
    weights=any_shares,
    n_strata=st.integers(1, 3),
    seed=seeds,
)
def test_every_search_ends(rows: list[int], weights: list[int], n_strata: int, seed: int) -> None:
    """Groups of any sizes get parts of any shares, within seconds."""
    shares = [Fraction(weight, sum(weights)) for weight in weights]
    group, n_groups = np.arange(len(rows)) // 2, (len(rows) + 1) // 2
    stream = word_stream(seed, StreamTag.PART_SEARCH, len(shares))
    stratum = np.arange(len(rows)) % n_strata
    units = group_counts(group, n_groups, stratum, n_strata, np.array(rows))
    parts = assign_units(units, shares, stream)
    assert parts.shape == (n_groups,)
    assert 0 <= parts.min() <= parts.max() < len(shares)
