"""Groups and margins assigned to parts: what must hold for any data."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stratframe.core.groups.assign import balance_groups, balance_rows, margin_counts
from stratframe.core.groups.counts import to_dense
from stratframe.core.seeds import StreamTag, word_stream

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


@given(rows=codes, k=st.integers(2, 6), seed=seeds)
def test_sizes_are_within_one(rows: np.ndarray, k: int, seed: int) -> None:
    """Every row has a part, and the parts' sizes differ by at most 1."""
    n = rows.shape[1]
    shares = [Fraction(1, k)] * k
    parts = balance_rows(entries_of(rows), n, shares, word_stream(seed, StreamTag.FOLD_SEARCH))
    assert len(parts) == n
    assert np.ptp(np.bincount(parts, minlength=k)) <= 1


@given(rows=codes, seed=seeds)
def test_unequal_sizes_are_shares_rounded(rows: np.ndarray, seed: int) -> None:
    """Unequal parts have their exact shares of the rows, rounded down or up."""
    n = rows.shape[1]
    shares = [Fraction(7, 10), Fraction(2, 10), Fraction(1, 10)]
    parts = balance_rows(entries_of(rows), n, shares, word_stream(seed, StreamTag.PART_SEARCH))
    for part, share in enumerate(shares):
        assert abs(int((parts == part).sum()) - n * share) < 1


@given(row=hnp.arrays(np.int64, st.integers(6, 60), elements=st.integers(0, 2)), seed=seeds)
def test_one_entry_is_as_even_as_can_be(row: np.ndarray, seed: int) -> None:
    """One entry alone comes out within 1 in every value."""
    thirds = [Fraction(1, 3)] * 3
    parts = balance_rows([(row, 3)], len(row), thirds, word_stream(seed, StreamTag.FOLD_SEARCH))
    assert spread(row, parts, 3) <= 1


@pytest.mark.parametrize("seed", range(3))
def test_sparse_tags_are_as_even_as_can_be(seed: int) -> None:
    """Twenty sparse tags of 5,000 rows come out within 1 each."""
    drawn = np.random.default_rng(seed)
    tags = (drawn.random((5_000, 20)) < drawn.beta(0.5, 5, 20)).astype(int).T
    parts = balance_rows(
        [(tag, 2) for tag in tags],
        5_000,
        [Fraction(1, 5)] * 5,
        word_stream(seed, StreamTag.FOLD_SEARCH),
    )
    assert max(spread(tag, parts, 5) for tag in tags) <= 1


@given(rows=codes, seed=seeds)
def test_groups_stay_whole(rows: np.ndarray, seed: int) -> None:
    """Groups get one part each, and parts differ by a group at most."""
    n = rows.shape[1]
    group = np.arange(n) // 2
    n_groups = int(group[-1]) + 1
    halves = [Fraction(1, 2)] * 2
    parts = balance_groups(
        entries_of(rows), group, n_groups, halves, word_stream(seed, StreamTag.FOLD_SEARCH)
    )
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
