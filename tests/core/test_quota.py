"""Quota tables and allocations, against scikit-learn and closed formulas."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from stratframe.core.quota import (
    each_quota,
    equal_allocation,
    equal_quota,
    proportional_allocation,
)
from stratframe.core.seeds import StreamTag, random_words

seeds = st.integers(0, 2**32)
strata_sizes = st.lists(st.integers(1, 30), min_size=1, max_size=12)


@given(sizes=st.lists(st.integers(10, 40), min_size=1, max_size=6), k=st.integers(2, 10))
def test_equal_quota_as_scikit_learn(sizes: list[int], k: int) -> None:
    """Where folds take turns in order the table is the allocation of `StratifiedKFold`."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    folds = StratifiedKFold(k).split(labels, labels)
    expected = [np.bincount(labels[valid], minlength=len(sizes)) for _, valid in folds]
    np.testing.assert_array_equal(equal_quota(np.array(sizes), np.arange(k)).T, expected)


@given(sizes=strata_sizes, k=st.integers(2, 40), data=st.data())
def test_equal_quota_in_every_run(sizes: list[int], k: int, data: st.DataObject) -> None:
    """Columns of any run of strata differ by at most 1, under any permutation."""
    fold_permutation = np.array(data.draw(st.permutations(range(k))))
    table = equal_quota(np.array(sizes), fold_permutation)
    np.testing.assert_array_equal(table.sum(axis=1), sizes)
    start = data.draw(st.integers(0, len(sizes) - 1))
    stop = data.draw(st.integers(start + 1, len(sizes)))
    assert np.ptp(table[start:stop].sum(axis=0)) <= 1
    assert table.dtype == np.int64


@given(sizes=strata_sizes, data=st.data(), seed=seeds)
def test_shares_are_largest_remainders(sizes: list[int], data: st.DataObject, seed: int) -> None:
    """Quotas are shares rounded down or up, and the largest remainders go up."""
    total = data.draw(st.integers(0, sum(sizes)))
    draws = random_words(seed, StreamTag.PART_QUOTA, len(sizes))
    quota = proportional_allocation(np.array(sizes), total, draws)
    exact = [Fraction(size * total, sum(sizes)) for size in sizes]
    pairs = list(zip(exact, quota.tolist(), strict=True))
    up = [share % 1 for share, q in pairs if q > share]
    down = [share % 1 for share, q in pairs if q < share]
    assert quota.sum() == total
    assert all(abs(q - share) < 1 for share, q in pairs)
    assert not up or not down or min(up) >= max(down)


@given(sizes=strata_sizes, data=st.data(), seed=seeds)
def test_equal_quotas_fill_to_one_level(sizes: list[int], data: st.DataObject, seed: int) -> None:
    """Strata that are not full get quotas within one row of each other."""
    total = data.draw(st.integers(0, sum(sizes)))
    draws = random_words(seed, StreamTag.PART_QUOTA, len(sizes))
    quota = equal_allocation(np.array(sizes), total, draws)
    assert quota.sum() == total
    assert (quota <= sizes).all()
    not_full = quota[quota < sizes]
    assert len(not_full) == 0 or quota.max() - not_full.min() <= 1


@pytest.mark.parametrize(("sizes", "quota"), [([], []), ([1, 5], [1, 5]), ([2, 3, 3], [2, 3, 2])])
def test_equal_allocation_at_its_ends(sizes: list[int], quota: list[int]) -> None:
    """All rows are taken whole, and a full stratum gets no row more, even by the first draw."""
    draws = np.arange(len(sizes), dtype=np.uint64)
    assert equal_allocation(np.array(sizes, dtype=int), sum(quota), draws).tolist() == quota


def test_equal_draws_take_strata_in_turn() -> None:
    """Where draws tie the first strata get one row more, on every platform."""
    draws = np.tile(np.array([1, 0], dtype=np.uint64), 500)
    quota = equal_allocation(np.full(1_000, 5), 2_250, draws)
    assert np.flatnonzero(quota == 3).tolist() == list(range(1, 501, 2))


@given(
    sizes=strata_sizes, counts=st.lists(st.integers(1, 5), min_size=1, max_size=3), data=st.data()
)
def test_each_stratum_gives_its_counts_or_stays_whole(
    sizes: list[int], counts: list[int], data: st.DataObject
) -> None:
    """A stratum of more rows than the counts sum to gives each part its count."""
    rest = data.draw(st.integers(0, len(counts)))
    wanted = [*counts[:rest], 0, *counts[rest:]]

    table = each_quota(np.array(sizes, dtype=int), np.array(wanted), rest)

    for size, row in zip(sizes, table.tolist(), strict=True):
        expected = list(wanted) if size > sum(wanted) else [0] * len(wanted)
        expected[rest] = size - sum(expected)
        assert row == expected
