"""Paths and flows in small graphs, against SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse.csgraph import shortest_path as distances_of

from stratframe.core.flow import fill_in_turn, shortest_path, transitive_closure

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
