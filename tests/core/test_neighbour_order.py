"""Orders by nearness, against searches through all exact distances."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import cdist

from stratframe.core.neighbour_order import NeighbourPool, nearest_order
from stratframe.core.order import shuffled
from stratframe.core.points import feature_scaling
from stratframe.core.seeds import StreamTag, random_words

ignored = int
seeds = st.integers(0, 2**32)
shapes = st.tuples(st.integers(1, 3), st.integers(1, 40))
grids = hnp.arrays(np.float64, shapes, elements=st.integers(0, 3).map(float))
KINDS = {
    "normal": lambda drawn, shape: drawn.normal(size=shape),
    "heavy tails": lambda drawn, shape: drawn.standard_cauchy(size=shape) ** 3,
    "grid": lambda drawn, shape: drawn.integers(0, 30, size=shape).astype(float),
    "clusters": lambda drawn, shape: drawn.integers(4, size=shape) + drawn.normal(0, 1e-6, shape),
    "far away": lambda drawn, shape: drawn.normal(1e9, size=shape),
    "one odd": lambda drawn, shape: drawn.normal(size=shape) + 1e12 * (np.arange(shape[1]) == 7),
}


@pytest.fixture(scope="module", params=[8_192, 0], ids=["few", "many"])
def few(request: pytest.FixtureRequest) -> int:
    """All points are looked at, as where they are few, or those near along a feature."""
    return int(request.param)


def plain(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return points, np.zeros((len(points), 1)), np.ones((len(points), 1))


def order_of(points: np.ndarray, block: int | None, few: int) -> np.ndarray:
    codes = np.zeros(points.shape[1], dtype=int)
    draws = np.zeros(points.shape[1], dtype=np.uint64)
    return nearest_order(codes, 1, plain(points), block, draws, ignored, few)


def squares(points: np.ndarray, weights: list[Fraction]) -> list[list[Fraction]]:
    rows = np.array([[Fraction(x) for x in row] for row in points.T.tolist()])
    return [((rows - row) ** 2 @ np.array(weights)).tolist() for row in rows]


def slow(apart: Sequence[Sequence[Any]], block: int | None) -> list[int]:
    """By definition the next row is the first free one, or the nearest, the first of equal ones."""
    first = [next(row for row in range(len(apart)) if here[row] == 0) for here in apart]
    free = list(range(1, len(apart)))
    rows = [0]
    here = 0
    while free:
        found = min(free, key=lambda row: (apart[here][row], first[row], row))
        if block is not None and len(rows) % block == 0:
            here = found = free[0]
        elif block is None:
            here = found
        rows.append(found)
        free.remove(found)
    return rows


@given(points=grids, block=st.sampled_from([None, 1, 2, 3, 5, 50]))
def test_orders_are_as_defined(few: int, points: np.ndarray, block: int | None) -> None:
    """The order is that of the definition, computed with exact fractions."""
    expected = slow(squares(points, [Fraction(1)] * len(points)), block)
    assert order_of(points, block, few).tolist() == expected


@pytest.mark.parametrize("block", [None, 4])
def test_rounding_changes_no_order(block: int | None, few: int) -> None:
    """A large offset, under which a matrix product rounds, leaves the order as it is."""
    points = np.random.default_rng(0).integers(0, 9, size=(3, 200)).astype(float)
    here = order_of(points, block, few)
    for offset in (1e6, 1e9, 2.0**50):
        np.testing.assert_array_equal(here, order_of(points + offset, block, few))


@pytest.mark.parametrize("scale", ["standard", "minmax"])
def test_scaled_distances_that_are_equal_stay_equal(scale: str, few: int) -> None:
    """Steps of one unit are equally far after scaling, and equals come in the drawn order."""
    points = np.array([10.0 * np.arange(60) + 1, np.full(60, 30.0)])
    codes = np.zeros(60, dtype=int)
    for seed in range(5):
        drawn = random_words(seed, StreamTag.FOLD_ROWS, 60)
        order = shuffled(codes, 1, drawn.copy())
        rows = nearest_order(codes, 1, feature_scaling(points, scale), None, drawn, ignored, few)
        expected = slow(squares(points[:, order], [Fraction(1), Fraction(0)]), None)
        np.testing.assert_array_equal(rows, order[expected])


@pytest.mark.parametrize("block", [None, 10])
@pytest.mark.parametrize("n_features", [1, 4, 30])
def test_many_rows_against_scipy(n_features: int, block: int | None, few: int) -> None:
    """Chains and blocks of many rows go where SciPy's distances say."""
    points = np.random.default_rng(1).normal(size=(n_features, 403))
    assert order_of(points, block, few).tolist() == slow(cdist(points.T, points.T).tolist(), block)


@given(points=grids, seed=seeds, block=st.sampled_from([None, 3]))
def test_strata_are_ordered_apart(few: int, points: np.ndarray, seed: int, block: Any) -> None:
    """Each stratum gets the order that it has by itself."""
    n = points.shape[1]
    reported = list[int]()
    codes = np.arange(n) * 7 % 3
    drawn = random_words(seed, StreamTag.FOLD_ROWS, n)
    start = shuffled(codes, 4, drawn.copy())
    rows = nearest_order(codes, 4, plain(points), block, drawn, reported.append, few)
    np.testing.assert_array_equal(np.sort(rows), np.arange(n))
    assert (np.diff(codes[rows]) >= 0).all()
    assert sum(reported) == n
    for code in range(3):
        own = start[codes[start] == code]
        if len(own):
            expected = slow(squares(points[:, own], [Fraction(1)] * len(points)), block)
            np.testing.assert_array_equal(rows[codes[rows] == code], own[expected])


def test_the_first_row_is_drawn() -> None:
    """Over seeds a chain starts at every row, equally often."""
    points = np.arange(4.0)[None, :]
    codes = np.zeros(4, dtype=int)
    starts = []
    for seed in range(800):
        draws = random_words(seed, StreamTag.FOLD_ROWS, 4)
        starts.append(nearest_order(codes, 1, plain(points), None, draws, ignored)[0])
    assert np.bincount(starts, minlength=4).min() > 150


def test_pool_counts_the_points_left(few: int) -> None:
    """A pool that is asked for more points than are left returns all that are left."""
    pool = NeighbourPool(*plain(np.array([[0.0, 4.0, 3.0]])), few)
    pool.remove(np.array([0]))
    assert pool.nearest(0, 9).tolist() == [2, 1]
    pool.remove(np.array([1, 2]))
    assert pool.nearest(0, 9).tolist() == []


@pytest.mark.parametrize(
    ("n_features", "scale"), [(1, None), (1, "standard"), (3, None), (9, "standard")]
)
@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_points_are_found(kind: str, n_features: int, scale: Any, few: int) -> None:
    """The pool finds the points that a full scan of distances finds."""
    drawn = np.random.default_rng(n_features)
    values = KINDS[kind](drawn, (n_features, 1_500))
    points, origin, unit = feature_scaling(np.unique(values, axis=1), scale)
    pool = NeighbourPool(points, origin, unit, few)
    left = np.arange(points.shape[1])
    while len(left):
        point = int(drawn.integers(points.shape[1]))
        count = int(drawn.integers(1, 9))
        offsets = (points[:, left] - points[:, [point]]) / unit
        expected = left[np.lexsort((left, (offsets**2).sum(axis=0)))[:count]]
        np.testing.assert_array_equal(pool.nearest(point, count), expected)
        gone = np.union1d(expected[:2], drawn.choice(left, min(len(left), 40), replace=False))
        pool.remove(gone)
        left = np.setdiff1d(left, gone)


def test_time_grows_little_faster_than_points() -> None:
    """The search looks at few of many points, and not at all of them for each point."""
    points = np.random.default_rng(0).normal(size=(2, 40_000))
    pool = NeighbourPool(*plain(points))
    seen = []
    look = pool.nearest_within
    pool.nearest_within = lambda *args: seen.append(args[3] - args[2]) or look(*args)
    for point in range(200):
        pool.nearest(point, 4)
    assert np.mean(seen) < 4_000
