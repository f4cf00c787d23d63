"""Paths and flows in small graphs, against SciPy and all tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse.csgraph import shortest_path as distances_of

from stratframe.core.flow import fill_in_turn, shortest_path, table_exists, transitive_closure

from .tables import every_table, small

graphs = st.integers(2, 7).flatmap(lambda n: hnp.arrays(np.bool_, (n, n)))


@given(edges=graphs, data=st.data())
def test_shortest_path_as_scipy(edges: np.ndarray, data: st.DataObject) -> None:
    """A path follows edges from a start to an end, and has the length that SciPy finds."""
    roles = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(edges), max_size=len(edges)))
    )
    starts, ends = roles == 1, roles == 2
    distances = distances_of(edges, unweighted=True)[starts][:, ends]
    path = shortest_path(edges, starts, ends)
    if not np.isfinite(distances).any():
        assert path == []
        return
    assert len(path) - 1 == distances.min()
    assert starts[path[0]]
    assert ends[path[-1]]
    assert edges[path[:-1], path[1:]].all()


@given(edges=graphs)
def test_transitive_closure_as_scipy(edges: np.ndarray) -> None:
    """A node reaches another one exactly if SciPy finds a finite distance by an edge or more."""
    lengths = distances_of(edges, unweighted=True)
    expected = (edges[:, :, None] & np.isfinite(lengths)[None]).any(axis=1)
    np.testing.assert_array_equal(transitive_closure(edges), expected)


@pytest.mark.parametrize(
    ("amount", "filled"), [(0, [0, 0, 0]), (3, [2, 0, 1]), (6, [2, 0, 4]), (9, [2, 0, 4])]
)
def test_cells_fill_in_turn(amount: int, filled: list[int]) -> None:
    """Each cell takes up to its room before the next one takes anything."""
    assert fill_in_turn(amount, np.array([2, 0, 4])).tolist() == filled


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


def test_tables_are_found_along_long_paths() -> None:
    """Where rows share only neighbouring columns, units move through all of them."""
    n = 6
    low, high = np.zeros((n - 1, n), dtype=int), np.zeros((n - 1, n), dtype=int)
    high[np.arange(n - 1), np.arange(n - 1)] = high[np.arange(n - 1), np.arange(1, n)] = 2
    row_sums, column_sums = np.full(n - 1, 2), np.array([0, 2, 2, 2, 2, 2])
    assert table_exists(low, high, row_sums, column_sums)
    assert not table_exists(low, high, row_sums, np.array([0, 0, 2, 2, 2, 4]))
