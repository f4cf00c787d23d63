"""How even tables are, against loops and other libraries."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import hypergeom

from stratframe.core.chance import tail_chances
from stratframe.core.evenness import GroupRows, counts_of_each, group_rows, judge_cells

shapes = st.tuples(st.integers(1, 3), st.integers(1, 3))
small = hnp.arrays(np.int64, shapes, elements=st.integers(0, 3))
group_members = st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(1, 3))


@given(small, st.sampled_from([1, 4, 30]), st.integers(0, 2), st.booleans())
@example(table=np.array([[24, 261], [6, 9]]), times=1, slack=2, coarse=True)
@pytest.mark.parametrize("in_groups", [False, True])
def test_cells_are_judged(
    in_groups: bool, table: np.ndarray, times: int, slack: int, coarse: bool
) -> None:
    """A cell is even within 1, its share and the slack; uneven beyond a tenth, and chance."""
    table = table * times
    sizes = table.sum(axis=1)
    totals = table.sum(axis=0)
    n = max(int(table.sum()), 1)
    groups = GroupRows(sizes, 3.0 * sizes) if in_groups else None
    found = judge_cells(table, slack, groups, n_cells=table.size, is_coarse=coarse)
    for stratum, fold in np.ndindex(table.shape):
        expected = Fraction(int(sizes[stratum] * totals[fold]), n)
        off = table[stratum, fold] - expected
        assert found.expected[stratum, fold] == pytest.approx(float(expected))
        assert found.off[stratum, fold] == pytest.approx(float(off))
        rounded = 1 + slack + Fraction(int(sizes[stratum]), n)
        is_even = abs(off) <= rounded
        is_far = abs(off) > rounded + coarse and expected >= 1 and abs(off) > expected / 10
        x = table[stratum, fold]
        dealt = hypergeom(n, sizes[stratum], totals[fold])
        chance = table.size * (dealt.sf(x - 1) if off > 0 else dealt.cdf(x))
        if in_groups:
            share = Fraction(int(totals[fold]), n)
            chance = off**2 <= 48 * int(sizes[stratum]) * share * (1 - share)
        assert found.is_even[stratum, fold] == is_even
        if not 0.0088 < chance < 0.01:  # the chance that is compared is 11 % above at most
            assert found.is_uneven[stratum, fold] == (is_far and chance < 0.01)
        assert found.is_lacking[stratum, fold] == (not x and expected > 0 and chance < 0.05)


def test_tails_are_bounded() -> None:
    """The chance of a cell is never below the tail of SciPy, and 11 % above it where it is rare."""
    rng = np.random.default_rng(0)
    for n in rng.integers(2, 3_000, 2_000).tolist():
        size, total = rng.integers(1, n, 2).tolist()
        x = int(rng.integers(max(0, size + total - n), min(size, total) + 1))
        dealt = hypergeom(n, size, total)
        exact = dealt.sf(x - 1) if x * n > size * total else dealt.cdf(x)
        (bound,) = tail_chances(np.array([x]), np.array([size]), np.array([total]), n)
        assert exact * (1 - 1e-9) <= bound
        assert exact > 0.01 or bound <= 1.12 * exact + 1e-300


def test_no_rows_are_even() -> None:
    """Without rows, strata or folds no cell is uneven."""
    for shape in ((0, 2), (2, 0), (2, 2)):
        found = judge_cells(np.zeros(shape, dtype=np.int64))
        assert found.is_even.all()
        assert not found.is_uneven.any()


@given(rows=st.lists(group_members), weighted=st.booleans())
def test_groups_are_counted_in_strata(rows: list[tuple[int, int, int]], weighted: bool) -> None:
    """Counts and sums of squares are those of a table of strata and groups."""
    codes, groups, weights = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    found = group_rows(codes, groups, weights if weighted else None, 3)
    held = np.zeros((3, 5))
    np.add.at(held, (codes, groups), weights if weighted else 1)
    shares = held.sum(axis=1, keepdims=True) / max(held.sum(), 1)
    squares = ((held - shares * held.sum(axis=0)) ** 2).sum(axis=1)
    np.testing.assert_array_equal(found.n, np.count_nonzero(held, axis=1))
    np.testing.assert_allclose(found.squares, squares, atol=1e-9)


@given(rows=st.lists(group_members, min_size=1), k=st.integers(2, 3))
def test_random_groups_vary_as_all_their_folds_do(rows: list[tuple[int, int, int]], k: int) -> None:
    """The variance over all ways to give each group a fold, of the rows beyond those expected."""
    codes, groups, weights = np.array(rows).T
    ways = [np.array(folds) for folds in product(range(k), repeat=5)]
    share = np.bincount(codes, weights, 3) / weights.sum()
    dealt = [weights * (folds[groups] == 0) for folds in ways]
    counts = [np.bincount(codes, rows, 3) - share * rows.sum() for rows in dealt]
    even = np.ones((3, k), dtype=np.int64)
    units = group_rows(codes, groups, weights, 3)
    expected = np.repeat(np.var(counts, axis=0)[:, None], k, axis=1)
    np.testing.assert_allclose(judge_cells(even, groups=units).spread ** 2, expected, atol=1e-9)


def list_equal_counts(table: list[list[int]]) -> list[list[int]]:
    """List the counts of each column that is the rest, by trying each part and each count."""
    found = []
    n_parts = len(table[0])
    for rest in range(n_parts):
        others = [part for part in range(n_parts) if part != rest]
        for counts in product(*(range(max(row[part] for row in table) + 1) for part in others)):
            wanted = dict(zip(others, counts, strict=True))
            large = [row for row in table if sum(row) > sum(counts)]
            is_each = all(row[part] == wanted[part] for row in large for part in others)
            is_whole = all(row[rest] == sum(row) for row in table if row not in large)
            if is_each and is_whole and len(large) > 1 and sum(counts):
                found.append([wanted.get(part, 0) for part in range(n_parts)])
    return found


@given(
    sizes=st.lists(st.integers(1, 7), min_size=1, max_size=5),
    counts=st.lists(st.integers(0, 3), min_size=1, max_size=2),
    change=st.none() | st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 3)),
)
def test_equal_counts_are_found(
    sizes: list[int], counts: list[int], change: tuple[int, int, int] | None
) -> None:
    """Parts with equal counts are those that a search finds, if those of the other part differ."""
    table = []
    for size in sizes:
        row = counts if size > sum(counts) else [0] * len(counts)
        table.append([size - sum(row), *row])
    if change is not None:
        stratum, part, n_rows = change
        table[stratum % len(table)][part % len(table[0])] = n_rows

    found = counts_of_each(np.array(table))

    expected = list_equal_counts(table)
    assert found.tolist() in expected if found is not None else not expected
