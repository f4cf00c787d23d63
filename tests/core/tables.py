"""Small tables, and all tables with given sums."""

from itertools import product

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

small = hnp.arrays(
    np.int64,
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
    elements=st.integers(0, 3),
)


def rows_of(total: int, n_cells: int) -> list[tuple[int, ...]]:
    """All rows of whole numbers with one sum."""
    return [row for row in product(range(total + 1), repeat=n_cells) if sum(row) == total]


def every_table(rows: list[int], columns: list[int]) -> list[np.ndarray]:
    """All tables of whole numbers with given sums."""
    tables = product(*(rows_of(total, len(columns)) for total in rows))
    return [np.array(table) for table in tables if np.sum(table, axis=0).tolist() == columns]
