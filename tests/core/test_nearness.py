"""Orders by nearness, against searches through all distances."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stratframe.core.nearness import nearest_order
from stratframe.core.order import by_value
from stratframe.core.points import feature_scaling
from stratframe.core.seeds import StreamTag, random_words

ignored = int
"""A `progress` that does nothing."""

seeds = st.integers(0, 2**32)
grids = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 3), st.integers(1, 40)),
    elements=st.integers(0, 3).map(float),
)


@pytest.fixture(scope="module", params=[8_192, 0], ids=["few", "many"])
def few(request: pytest.FixtureRequest) -> int:
    """All points are looked at, as where they are few, or those near along a feature."""
    return int(request.param)


def plain(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points with neither origin nor unit."""
    return points, np.zeros((len(points), 1)), np.ones((len(points), 1))


def shuffled_rows(codes: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """The rows of each code in the order of their draws."""
    return by_value(codes, 4, np.zeros(len(codes)), draws.copy())


def order_of(points: np.ndarray, block: int | None, few: int) -> np.ndarray:
    """A chain of points, or blocks of a size, from the first row on."""
    codes, draws = np.zeros(points.shape[1], dtype=int), np.zeros(points.shape[1], dtype=np.uint64)
    return nearest_order(codes, 1, plain(points), block, draws, ignored, few)


def slow(points: np.ndarray, block: int | None, unit: Any = 1.0) -> list[int]:
    """The definition: the next row is the first free one, or the nearest, the first of equals.

    Rows that are one point are together, at the place of the first of them. Distances are sums of
    squared differences, which are alike for rows that are equally far.
    """
    apart = (((points[:, :, None] - points[:, None, :]) / unit) ** 2).sum(axis=0)
    first = (apart == 0).argmax(axis=1)
    free, rows = np.arange(1, len(apart)), [0]
    seed = 0
    while len(free):
        if block is not None and len(rows) % block == 0:
            seed = found = free[0]
        else:
            here = apart[rows[-1] if block is None else seed, free]
            found = free[np.lexsort((free, first[free], here))[0]]
        rows.append(int(found))
        free = free[free != found]
    return rows


@given(points=grids, block=st.sampled_from([None, 1, 2, 3, 5, 50]))
def test_orders_are_those_of_the_definition(
    few: int, points: np.ndarray, block: int | None
) -> None:
    """On a grid, where most distances are equal, the order is exactly the definition's."""
    assert order_of(points, block, few).tolist() == slow(points, block)


@pytest.mark.parametrize("offset", [1e6, 1e9, 2.0**50])
@pytest.mark.parametrize("block", [None, 4])
def test_rounding_changes_no_order(offset: float, block: int | None, few: int) -> None:
    """A large offset, under which a matrix product rounds, leaves the order as it is."""
    points = np.random.default_rng(0).integers(0, 9, size=(3, 200)).astype(float)
    here, there = order_of(points, block, few), order_of(points + offset, block, few)
    np.testing.assert_array_equal(here, there)


@pytest.mark.parametrize("scale", ["standard", "minmax"])
def test_scaled_distances_that_are_equal_stay_equal(scale: str, few: int) -> None:
    """Steps of one unit are equally far after scaling, and equals come in the drawn order."""
    points = np.round(np.arange(60.0)[None, :] * np.array([[10.0], [0.0]]) + np.array([[1], [30]]))
    codes, features = np.zeros(60, dtype=int), feature_scaling(points, scale)
    for seed in range(5):
        drawn = random_words(seed, StreamTag.FOLD_ROWS, 60)
        order = shuffled_rows(codes, drawn)
        rows = nearest_order(codes, 1, features, None, drawn, ignored, few)
        np.testing.assert_array_equal(rows, order[slow(points[:1, order], None)])


KINDS = {
    "normal": lambda drawn, shape: drawn.normal(size=shape),
    "heavy tails": lambda drawn, shape: drawn.standard_cauchy(size=shape) ** 3,
    "grid": lambda drawn, shape: drawn.integers(0, 9, size=shape).astype(float),
    "clusters": lambda drawn, shape: (
        drawn.integers(0, 4, size=shape) + drawn.normal(size=shape) / 1e6
    ),
    "far away": lambda drawn, shape: 1e9 + drawn.normal(size=shape),
    "one odd": lambda drawn, shape: np.where(
        np.arange(shape[1]) == 7, 1e12, drawn.normal(size=shape)
    ),
}


@pytest.mark.parametrize("block", [None, 7])
@pytest.mark.parametrize("scale", [None, "standard"])
@pytest.mark.parametrize("n_features", [1, 3, 9])
@pytest.mark.parametrize("kind", KINDS)
def test_many_rows_as_by_all_distances(
    kind: str, n_features: int, scale: Any, block: int | None, few: int
) -> None:
    """Chains and blocks of many rows go where all distances say, of points of every shape."""
    points = KINDS[kind](np.random.default_rng(n_features), (n_features, 403))
    features = feature_scaling(points, scale)
    codes, draws = np.zeros(403, dtype=int), np.zeros(403, dtype=np.uint64)
    found = nearest_order(codes, 1, features, block, draws, ignored, few)
    assert found.tolist() == slow(features[0], block, features[2][:, :, None])


@given(points=grids, seed=seeds, block=st.sampled_from([None, 3]))
def test_strata_are_ordered_one_by_one(
    few: int, points: np.ndarray, seed: int, block: int | None
) -> None:
    """Every row is there once, stratum after stratum, and each has its own order."""
    n = points.shape[1]
    codes = np.arange(n) * 7 % 3
    reported: list[int] = []
    drawn = random_words(seed, StreamTag.FOLD_ROWS, n)
    start = shuffled_rows(codes, drawn)
    rows = nearest_order(codes, 4, plain(points), block, drawn, reported.append, few)
    np.testing.assert_array_equal(np.sort(rows), np.arange(n))
    assert (np.diff(codes[rows]) >= 0).all()
    assert sum(reported) == n
    for code in range(3):
        own = start[codes[start] == code]
        if len(own):
            np.testing.assert_array_equal(
                rows[codes[rows] == code], own[slow(points[:, own], block)]
            )


def test_the_first_row_is_drawn() -> None:
    """Over seeds a chain starts at every row, equally often."""
    points, codes = np.arange(4.0)[None, :], np.zeros(4, dtype=int)
    starts = []
    for seed in range(800):
        draws = random_words(seed, StreamTag.FOLD_ROWS, 4)
        starts.append(nearest_order(codes, 1, plain(points), None, draws, ignored)[0])
    assert np.bincount(starts, minlength=4).min() > 150
