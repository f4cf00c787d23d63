"""Few whole units: the best of all assignments."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.core.groups.enumeration import assign_best, can_enumerate
from stratframe.core.seeds import StreamTag, word_stream

from .partitions import HALVES, THIRDS, UNEQUAL, dense, groups_of, seeds, tables

SHARES = [HALVES, THIRDS, UNEQUAL, [Fraction(9, 10), Fraction(1, 10)]]


def loss_of(table: np.ndarray, parts: list[int], shares: list[Fraction]) -> Fraction:
    """The loss of one assignment, in exact fractions."""
    loss = Fraction(0)
    for column in table.T.tolist():
        for part, share in enumerate(shares):
            target = share * sum(column)
            held = sum(n for n, each in zip(column, parts, strict=True) if each == part)
            loss += (held - target) ** 2 / target
    return loss


def best_of_all(
    table: np.ndarray, given: list[int], shares: list[Fraction]
) -> set[tuple[int, ...]]:
    """All assignments of least loss, of those that leave the fewest parts empty, by a loop."""
    best: set[tuple[int, ...]] = set()
    least: tuple[int, Fraction] | None = None
    choices = [range(len(shares)) if part < 0 else [part] for part in given]
    for parts in product(*choices):
        rank = (len(shares) - len(set(parts)), loss_of(table, [*parts], shares))
        if least is None or rank < least:
            best = set()
            least = rank
        if rank == least:
            best.add(parts)
    return best


@given(table=tables, shares=st.sampled_from(SHARES), seed=seeds, data=st.data())
def test_the_best_of_all_assignments(
    table: np.ndarray, shares: list[Fraction], seed: int, data: st.DataObject
) -> None:
    """Units without a part get those of the least loss, and no part is empty that can be filled."""
    part = st.integers(-1, len(shares) - 1)
    before = data.draw(st.lists(part, min_size=len(table), max_size=len(table)))
    units = groups_of(table)

    stream = word_stream(seed, StreamTag.PART_SEARCH, len(shares))
    found = assign_best(units, np.array(before), shares, stream)

    assert tuple(found.tolist()) in best_of_all(dense(units), before, shares)


def test_the_seed_decides_among_equal_losses() -> None:
    """Over seeds each of the best assignments comes equally often."""
    table = np.array([[2, 1], [2, 1], [1, 2]])
    units = groups_of(table)
    best = best_of_all(dense(units), [-1] * 3, UNEQUAL)

    streams = [word_stream(seed, StreamTag.PART_SEARCH, 3) for seed in range(600)]
    found = [tuple(assign_best(units, np.full(3, -1), UNEQUAL, each).tolist()) for each in streams]

    counts = [found.count(each) for each in best]
    assert sum(counts) == 600
    assert min(counts) > 600 / len(best) - 5 * np.sqrt(600 / len(best))


@pytest.mark.parametrize(
    ("n_units", "n_parts", "is_possible"),
    [
        pytest.param(13, 2, True, id="8,192 assignments"),
        pytest.param(14, 2, False, id="16,384 assignments"),
        pytest.param(4, 10, True, id="10,000 assignments"),
        pytest.param(8, 3, True, id="6,561 assignments"),
        pytest.param(9, 3, False, id="19,683 assignments"),
        pytest.param(2, 101, False, id="10,201 assignments"),
        pytest.param(10**9, 10**9, False, id="more than a number can hold"),
    ],
)
def test_how_many_assignments_are_tried(n_units: int, n_parts: int, is_possible: bool) -> None:
    """Up to 10,000 assignments are tried."""
    assert can_enumerate(n_units, n_parts) is is_possible
