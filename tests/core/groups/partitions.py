"""Small tables of units, and the loss of their partitions as it is defined."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stratframe.core.groups.units import UnitCounts, count_by_unit

SHARES = [[1 / 2, 1 / 2], [1 / 3, 1 / 3, 1 / 3], [0.8, 0.1, 0.1]]
shares = st.sampled_from(SHARES).map(np.array)
tables = hnp.arrays(
    np.int64, st.tuples(st.integers(2, 7), st.integers(1, 3)), elements=st.integers(0, 6)
).filter(lambda table: table.sum(axis=0).all())
seeds = st.integers(0, 2**32)


def units_of(table: np.ndarray) -> UnitCounts:
    """Units with given counts, shape (n_units, n_columns)."""
    unit, column = np.divmod(np.repeat(np.arange(table.size), table.ravel()), table.shape[1])
    return count_by_unit(unit, column, *table.shape)


def chi(table: np.ndarray, parts: list[int], shares: np.ndarray) -> float:
    """The loss as it is defined: squared deviations by their targets."""
    found = 0.0
    for part, share in enumerate(shares):
        held = table[np.array(parts) == part].sum(axis=0)
        target = table.sum(axis=0) * share
        found += ((held - target) ** 2 / target).sum()
    return found
