"""Small tables of groups, and the loss of their partitions as it is defined."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stratframe.core.groups.assign import group_counts
from stratframe.core.groups.units import UnitCounts

HALVES = [Fraction(1, 2)] * 2
THIRDS = [Fraction(1, 3)] * 3
UNEQUAL = [Fraction(7, 10), Fraction(2, 10), Fraction(1, 10)]
tables = hnp.arrays(
    np.int64, st.tuples(st.integers(3, 7), st.integers(1, 3)), elements=st.integers(0, 6)
).filter(lambda table: table.sum(axis=0).all() and table.sum(axis=1).all())
seeds = st.integers(0, 2**32)


def groups_of(table: np.ndarray) -> UnitCounts:
    """Groups with given counts of strata, shape (n_groups, n_strata)."""
    group, stratum = np.nonzero(table)
    return group_counts(group, len(table), stratum, table.shape[1], table[group, stratum])


def dense(units: UnitCounts) -> np.ndarray:
    table = np.zeros((len(units.indptr) - 1, len(units.totals)), dtype=int)
    table[np.repeat(np.arange(len(table)), np.diff(units.indptr)), units.indices] = units.data
    return table if units.kinds is None else table[units.kinds]


def chi(table: np.ndarray, parts: np.ndarray, shares: list[Fraction]) -> Any:
    """The loss of one or more partitions as it is defined: squared deviations by their targets."""
    held = np.stack([(parts == part) @ table for part in range(len(shares))], axis=-2)
    target = np.array(shares, dtype=float)[:, None] * table.sum(axis=0)
    return ((held - target) ** 2 / target).sum(axis=(-2, -1))


def every_partition(n_units: int, n_parts: int) -> np.ndarray:
    return np.array([*product(range(n_parts), repeat=n_units)])
