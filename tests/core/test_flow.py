"""Paths and flows in small graphs, against SciPy and all tables."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stratframe.core.flow import shortest_path, table_exists, transitive_closure

from .tables import every_table, small


@given(table=small)
def test_the_sums_of_a_table_have_a_table(table: np.ndarray) -> None:
    """Bounds around a table hold it; bounds above it hold no table of its sums."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    assert table_exists(np.zeros_like(table), table + 1, rows, columns)
    assert table_exists(table, table, rows, columns)
    assert not table_exists(table + 1, table + 2, rows, columns)


@given(table=small)
def test_table_exists_as_by_trying_all(table: np.ndarray) -> None:
    """The answer is that of trying every table."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    low, high = np.zeros_like(table), np.maximum(table[::-1, ::-1], 1)
    tried = [
        other
        for other in every_table(rows.tolist(), columns.tolist())
        if (other >= low).all() and (other <= high).all()
    ]
    assert table_exists(low, high, rows, columns) == bool(tried)
