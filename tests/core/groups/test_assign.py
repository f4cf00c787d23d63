"""Groups and margins assigned to parts: what must hold for any data."""

from datetime import timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stratframe.core.groups import assign
from stratframe.core.groups.assign import (
    assign_units,
    balance_rows,
    can_even_out,
    deal_similar_units,
    group_counts,
    margin_counts,
)
from stratframe.core.groups.local_search import make_objective
from stratframe.core.groups.units import (
    UnitCounts,
    list_kinds,
    list_rows,
    merge_equal_units,
    part_table,
    self_loss,
)
from stratframe.core.seeds import StreamTag, random_words, word_stream
from tests.helpers import fractions

from .partitions import THIRDS, UNEQUAL, chi, dense, every_partition, groups_of, seeds, tables

shapes = st.tuples(st.integers(1, 5), st.integers(6, 60))
codes = hnp.arrays(np.int64, shapes, elements=st.integers(0, 2))
rows_of_groups = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=60)
equal_shares = st.integers(2, 6).map(lambda k: [Fraction(1, k)] * k)
any_shares = st.integers(2, 6).map(lambda k: [1] * k)
any_shares |= st.lists(st.integers(1, 9), min_size=2, max_size=6)
any_shares |= st.lists(st.integers(1, 10**6), min_size=2, max_size=6)
any_sizes = st.lists(st.integers(1, 9) | st.integers(1, 10**9), min_size=2, max_size=12)
SHARES = [THIRDS, UNEQUAL, *([Fraction(n, 20) for n in each] for each in ([18, 2], [17, 2, 1]))]


@pytest.mark.parametrize("n_groups", [10**5, 7], ids=["sorted", "counted"])
@given(rows=rows_of_groups, names=st.permutations(range(4)), seed=st.integers(0, 9))
def test_rows_of_groups_are_counted(n_groups: int, rows: Any, names: Any, seed: int) -> None:
    """Strata and sizes are counted, whatever strata are called, weighted rows as repeated ones."""
    group, stratum = np.array(rows).T
    units = group_counts(group, n_groups, stratum, 4)
    expected = np.zeros((7, 5), dtype=int)
    np.add.at(expected, (group, stratum), 1)
    expected[:, 4] = expected.sum(axis=1)
    kept = units._replace(indptr=units.indptr[:8])
    assert sorted(dense(kept).T.tolist()) == sorted(expected.T.tolist())
    np.testing.assert_array_equal(units.totals, dense(kept).sum(axis=0))
    assert (units.data > 0).all()
    assert units.indptr[-1] == units.indptr[7]
    cells, weights = np.unique(group * 4 + stratum, return_counts=True)
    for again in (
        group_counts(group[::-1], n_groups, np.array(names)[stratum[::-1]], 4),
        group_counts(cells // 4, n_groups, cells % 4, 4, weights),
    ):
        assert all(map(np.array_equal, again, units))
    merged = merge_equal_units(kept, random_words(seed, StreamTag.FOLD_SEARCH, 5))
    counts = list(map(tuple, expected.tolist()))
    assert len({*zip(counts, merged.kinds, strict=True)}) == len({*counts})
    np.testing.assert_array_equal(np.bincount(merged.kinds) > 0, [True] * len({*counts}))
    np.testing.assert_array_equal(dense(merged), dense(kept))


def test_two_values_are_one_column() -> None:
    """An entry of two values counts the rarer one alone; an entry of three counts all of them."""
    flag = np.array([1, 1, 0, 1])
    kind = np.array([0, 2, 1, 1])
    units = margin_counts([(flag, 2), (kind, 3), (flag, 2)], np.arange(4), 4, with_sizes=True)
    expected = [flag == 0, kind == 0, kind == 1, kind == 2, flag == 0, np.ones(4)]
    np.testing.assert_array_equal(dense(units).T, expected)
    constant = margin_counts([(np.zeros(4, dtype=int), 1)], np.arange(4), 4, with_sizes=False)
    assert constant.totals.tolist() == [0]


@given(rows=codes, n_parts=st.integers(1, 4), seed=seeds)
def test_counts_of_kinds_are_counts_of_rows(rows: np.ndarray, n_parts: int, seed: int) -> None:
    """Rows counted once for each joint value have the same counts as rows counted one by one."""
    n_rows = rows.shape[1]
    margins = [(row, 3) if place % 2 else (row // 2, 2) for place, row in enumerate(rows)]
    n_kinds = int(np.prod([n_values for _, n_values in margins]))
    scale = np.random.default_rng(seed).random(3 * len(margins))
    parts = np.random.default_rng(seed).integers(-1, n_parts, n_rows)

    one_by_one = list_rows(margins, n_rows)
    by_kind = list_kinds(margins, n_kinds, n_rows)

    assert by_kind.n_units == one_by_one.n_units == n_rows
    np.testing.assert_array_equal(dense(by_kind), dense(one_by_one))
    np.testing.assert_array_equal(by_kind.totals, one_by_one.totals)
    np.testing.assert_array_equal(
        part_table(by_kind, parts, n_parts), part_table(one_by_one, parts, n_parts)
    )
    np.testing.assert_array_equal(
        self_loss(by_kind, scale)[by_kind.kinds], self_loss(one_by_one, scale)
    )


@given(rows=codes, shares=equal_shares | st.just(UNEQUAL), seed=seeds)
def test_sizes_are_shares_rounded(rows: np.ndarray, shares: list[Fraction], seed: int) -> None:
    """Parts of rows have their exact shares, rounded; one entry in thirds has even values."""
    n = rows.shape[1]
    units = margin_counts([(row, 3) for row in rows], np.arange(n), n, with_sizes=False)
    parts = balance_rows(units, shares, word_stream(seed, StreamTag.PART_SEARCH))
    assert len(parts) == n
    for part, share in enumerate(shares):
        assert abs(int((parts == part).sum()) - n * share) < 1
    units = margin_counts([(rows[0], 3)], np.arange(n), n, with_sizes=False)
    parts = balance_rows(units, THIRDS, word_stream(seed, StreamTag.FOLD_SEARCH))
    assert all(np.ptp(np.bincount(parts[rows[0] == code], minlength=3)) <= 1 for code in range(3))


def test_equal_parts_are_renumbered_at_random() -> None:
    """Over seeds three rows that are told apart take every order of thirds equally often."""
    tags = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0]])
    units = margin_counts([(tag, 2) for tag in tags], np.arange(3), 3, with_sizes=False)
    streams = [word_stream(seed, StreamTag.FOLD_SEARCH) for seed in range(600)]
    found = [balance_rows(units, THIRDS, stream) for stream in streams]
    frequency = np.unique(found, axis=0, return_counts=True)[1]
    assert len(frequency) == 6
    assert frequency.min() > 60


@pytest.mark.parametrize("shares", [[Fraction(1, 5)] * 5, [Fraction(7, 10), Fraction(3, 10)]])
def test_blocks_of_similar_rows_lose_nothing(shares: list[Fraction]) -> None:
    """Many rows dealt in blocks are about as even as rows dealt one by one."""
    drawn = np.random.default_rng(0)
    n_rows = 20_000
    rates = drawn.beta(0.5, 5, 30)
    entries = [((drawn.random(n_rows) < rate).astype(np.int64), 2) for rate in rates]
    units = margin_counts(entries, np.arange(n_rows), n_rows, with_sizes=False)
    losses = []
    for one_by_one in (1_000, n_rows):
        stream = word_stream(1, StreamTag.FOLD_SEARCH, len(shares))
        parts = balance_rows(units, shares, stream, one_by_one)
        losses.append(chi(dense(units), parts, shares))
        sizes = np.bincount(parts, minlength=len(shares))
        assert (np.abs(sizes - n_rows * np.array(shares, dtype=float)) < 1).all()
    assert losses[0] <= 1.1 * losses[1] + 0.1


@given(rows=codes, seed=seeds)
def test_groups_by_margins_are_whole(rows: np.ndarray, seed: int) -> None:
    """Groups get one part each, and parts differ by a group at most."""
    group = np.arange(rows.shape[1]) // 2
    n_groups = (rows.shape[1] + 1) // 2
    units = margin_counts([(row, 3) for row in rows], group, n_groups, with_sizes=True)
    parts = assign_units(units, [Fraction(1, 2)] * 2, word_stream(seed, StreamTag.FOLD_SEARCH))
    assert len(parts) == n_groups
    assert np.ptp(np.bincount(parts[group], minlength=2)) <= 2


def random_units(n_groups: int, seed: int) -> tuple[UnitCounts, np.ndarray]:
    """Groups of 1 to 30 rows of three strata, of which each prefers one, and their sizes."""
    drawn = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), drawn.integers(1, 30, n_groups))
    stratum = (drawn.integers(0, 3, n_groups)[group] + drawn.integers(0, 2, len(group))) % 3
    return group_counts(group, n_groups, stratum, 3), np.bincount(group)


@pytest.mark.parametrize("shares", [THIRDS, UNEQUAL], ids=["equal", "unequal"])
@pytest.mark.parametrize("spread", [0.5, 1.5], ids=["similar sizes", "some large"])
def test_blocks_of_similar_groups_lose_nothing(shares: list[Fraction], spread: float) -> None:
    """Many groups dealt in blocks are within a row of the shares, as groups dealt one by one."""
    drawn = np.random.default_rng(0)
    counts = np.ceil(drawn.lognormal(1, spread, (20_000, 6))).astype(int)
    units = units_of(counts * (drawn.random(counts.shape) < 0.5))

    for one_by_one in (2_000, 20_000):
        stream = word_stream(1, StreamTag.FOLD_SEARCH, len(shares))
        parts = assign_units(units, shares, stream, one_by_one)
        assert chi(dense(units), parts, shares) < 0.05


def test_groups_that_can_make_up_for_the_largest() -> None:
    """Each part needs as many rows of the chosen groups as the largest group has in any column."""
    units = units_of(np.array([[6, 1], [3, 1], [3, 2], [6, 2]]))
    assert can_even_out(units, np.array([0, 1, 2]), Fraction(1, 2))
    assert not can_even_out(units, np.array([1, 2]), Fraction(1, 2))
    assert not can_even_out(units, np.array([0, 1, 2]), Fraction(1, 3))


@pytest.mark.parametrize(("largest", "n_left"), [(30, 300), (30_000, 3_000)])
def test_no_blocks_beside_a_large_group(largest: int, n_left: int) -> None:
    """If the groups left could not make up for the largest one, no group is dealt in a block."""
    counts = np.random.default_rng(0).integers(1, 30, (3_000, 3))
    counts[0] = largest
    units = units_of(counts)
    parts = np.full(3_000, -1)

    objective = make_objective(units.totals, THIRDS)
    deal_similar_units(
        units, parts, objective, THIRDS, word_stream(1, StreamTag.FOLD_SEARCH, 3), 300
    )

    assert (parts < 0).sum() == n_left


def units_of(counts: np.ndarray) -> UnitCounts:
    """Groups with these numbers of rows in each stratum, shape (n_groups, n_strata)."""
    group, stratum = np.nonzero(counts)
    numbered = np.unique(group, return_inverse=True)[1]
    weights = counts[group, stratum]
    return group_counts(numbered, numbered.max() + 1, stratum, counts.shape[1], weights)


def best_by_chance(units: UnitCounts, shares: list[Fraction], parts: np.ndarray) -> float:
    """The least loss where 100 times the units without a part get one at random."""
    chances = np.array(shares, dtype=float)
    size = (100, len(parts))
    ways = np.random.default_rng(1).choice(len(shares), size, p=chances)
    return float(chi(dense(units), np.where(parts < 0, ways, parts), shares).min())


@pytest.mark.parametrize("shares", [THIRDS, UNEQUAL], ids=["equal", "unequal"])
@pytest.mark.parametrize("n_groups", [12, 150])
def test_groups_are_nearer_than_chance(shares: list[Fraction], n_groups: int) -> None:
    """Strata and sizes are nearer to their shares than in the best of 100 random partitions."""
    units, _ = random_units(n_groups, 0)
    best = best_by_chance(units, shares, np.full(n_groups, -1))
    for seed in range(2):
        parts = assign_units(units, shares, word_stream(seed, StreamTag.PART_SEARCH, 3))
        assert parts.shape == (n_groups,)
        assert chi(dense(units), parts, shares) < best


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
    group = np.repeat(np.arange(len(sizes)), sizes)
    shares = [Fraction(n, 10) for n in (8, 1, 1)]
    units = group_counts(group, len(sizes), np.zeros(len(group), dtype=int), 1)
    parts = assign_units(units, shares, word_stream(0, StreamTag.PART_SEARCH, 3))
    assert parts[0] == 0
    assert (parts[1:] > 0).all()


@given(table=tables, shares=st.sampled_from(SHARES), seed=seeds)
def test_no_part_is_empty(table: np.ndarray, shares: list[Fraction], seed: int) -> None:
    """If the best partitions leave a part empty, the best of those that leave none is found."""
    units = groups_of(table)
    found = assign_units(units, shares, word_stream(seed, StreamTag.PART_SEARCH))
    assert len(set(found.tolist())) == len(shares)
    every = every_partition(len(table), len(shares))
    losses = chi(dense(units), every, shares)
    least = losses[[len(set(parts)) == len(shares) for parts in every.tolist()]].min()
    if least > losses.min() + 1e-6:
        assert chi(dense(units), found, shares) == pytest.approx(least)


def test_many_units_fill_a_small_part() -> None:
    """A part whose share is less than a group gets the group that costs least, of many groups."""
    shares = [Fraction(9_998, 10_000), Fraction(1, 10_000), Fraction(1, 10_000)]
    units, sizes = random_units(500, 6)
    parts = assign_units(units, shares, word_stream(0, StreamTag.PART_SEARCH))
    assert np.bincount(parts).tolist() == [498, 1, 1]
    assert sizes[parts > 0].tolist() == [1, 1]


def extended(units: UnitCounts, before: np.ndarray, room: Any = None) -> np.ndarray:
    stream = word_stream(0, StreamTag.EXTEND, 3)
    return assign.extend_units(units, before, np.full(3, 1 / 3), stream, room)


@pytest.mark.parametrize("n_groups", [20, 150])
def test_extended_groups_keep_their_fold(n_groups: int) -> None:
    """Groups with a fold keep it, and new ones bring strata nearer than chance does."""
    units, _ = random_units(n_groups, 4)
    drawn = np.random.default_rng(5)
    before = np.where(drawn.random(n_groups) < 0.5, drawn.integers(0, 3, n_groups), -1)
    found = extended(units, before)
    np.testing.assert_array_equal(found[before >= 0], before[before >= 0])
    assert chi(dense(units), found, THIRDS) < best_by_chance(units, THIRDS, before)


def test_extended_rows_fill_the_room() -> None:
    """With room given, every fold takes that many new units; a single one goes where it fits."""
    units = group_counts(np.arange(30), 30, np.arange(30) % 4, 4)
    found = extended(units, np.where(np.arange(30) < 10, 0, -1), np.array([0, 12, 8]))
    assert np.bincount(found[10:]).tolist() == [0, 12, 8]
    units = group_counts(np.repeat(np.arange(4), [5, 3, 1, 2]), 4, np.zeros(11, dtype=int), 1)
    assert extended(units, np.array([0, 1, 2, -1])).tolist() == [0, 1, 2, 2]


def test_groups_of_a_million_rows() -> None:
    """A search over groups of a million rows ends, with each group in a fold of its own."""
    rows = np.array([228190, 987437, 597183, 754553, 794559, 820269, 54666, 519073])
    stream = word_stream(0, StreamTag.FOLD_SEARCH, 4)
    group = np.repeat(np.arange(4), 2)
    stratum = np.tile([0, 1], 4)
    parts = assign_units(group_counts(group, 4, stratum, 2, rows), [Fraction(1, 4)] * 4, stream)
    assert sorted(parts) == [0, 1, 2, 3]


@pytest.mark.slow
@settings(max_examples=1_000, deadline=timedelta(seconds=10))
@given(rows=any_sizes, weights=any_shares, n_strata=st.integers(1, 3), seed=seeds)
def test_every_search_ends(rows: list[int], weights: list[int], n_strata: int, seed: int) -> None:
    """Groups of any sizes get parts of any shares, within seconds."""
    shares = fractions(weights)
    row = np.arange(len(rows))
    n_groups = (len(rows) + 1) // 2
    units = group_counts(row // 2, n_groups, row % n_strata, n_strata, np.array(rows))
    parts = assign_units(units, shares, word_stream(seed, StreamTag.PART_SEARCH, len(shares)))
    assert parts.shape == (n_groups,)
    assert 0 <= parts.min() <= parts.max() < len(shares)
