"""Features as points, against scikit-learn's scalers and numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from stratframe.core.points import (
    centroid_distances,
    centroids,
    feature_scaling,
    scale_features,
    unique_points,
)

SCALERS = {"standard": StandardScaler(), "minmax": MinMaxScaler()}
shapes = st.tuples(st.integers(1, 3), st.integers(1, 40))
few_values = hnp.arrays(np.float64, shapes, elements=st.integers(-2, 2).map(float))


@pytest.mark.parametrize("scale", SCALERS)
@pytest.mark.parametrize("n_rows", [2, 3, 10_000])
def test_scaled_as_scikit_learn(scale: str, n_rows: int) -> None:
    """Features are scaled as scikit-learn's scalers do, row by row."""
    points = np.random.default_rng(0).normal(3, [[0.1], [7], [1e4]], size=(3, n_rows))
    found = scale_features(points, scale)
    assert found.flags.c_contiguous
    np.testing.assert_allclose(found, SCALERS[scale].fit_transform(points.T), atol=1e-9)


@pytest.mark.parametrize("scale", [*SCALERS, None])
def test_constant_and_empty_features(scale: str | None) -> None:
    """Constant features become zero, and features without rows stay empty."""
    assert (scale_features(np.full((2, 7), 0.1), scale) == (0.1 if scale is None else 0)).all()
    assert scale_features(np.empty((2, 0)), scale).shape == (0, 2)


@pytest.mark.parametrize("scale", SCALERS)
@pytest.mark.parametrize("power", [-1020, -600, 600, 1000])
def test_huge_and_tiny_features(scale: str, power: int) -> None:
    """A feature of huge or tiny numbers is scaled as the same one near 1."""
    points = np.random.default_rng(1).normal(size=(2, 50)).round(3)
    moved = np.ldexp(points, [[0], [power]])
    found = scale_features(moved, scale)
    expected = scale_features(points, scale)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_units_without_a_scale() -> None:
    """Without a scale the points stay as they are, in units of 1."""
    points = np.random.default_rng(2).normal(1e6, 3, size=(4, 30))
    found, origin, unit = feature_scaling(points, None)
    assert found is points
    np.testing.assert_allclose(origin.ravel(), points.mean(axis=1))
    assert (unit == 1).all()


@given(points=few_values)
def test_unique_points_as_numpy(points: np.ndarray) -> None:
    """Rows share a code exactly if they are one point; zero and minus zero are equal."""
    points[points == 0] *= np.random.default_rng(0).choice([-1, 1], (points == 0).sum())
    codes, n_points = unique_points(points)
    rows, inverse = np.unique(points.T, axis=0, return_inverse=True)
    assert n_points == len(rows)
    assert len(set(zip(codes.tolist(), inverse.ravel().tolist(), strict=True))) == n_points
    assert set(codes.tolist()) == set(range(n_points))


def test_means_and_distances() -> None:
    """Means are those of the rows; distances are Euclidean, across passes."""
    drawn = np.random.default_rng(3)
    points = drawn.normal(size=(10_000, 3))
    labels = drawn.integers(0, 4, 10_000)
    centres = centroids(points, labels, 4)
    for label in range(4):
        np.testing.assert_allclose(centres[label], points[labels == label].mean(axis=0))
    expected = np.linalg.norm(points - centres[labels], axis=1)
    np.testing.assert_allclose(centroid_distances(points, labels, centres), expected, atol=1e-11)
    # The last bits of a centre order no rows that are equally far from it.
    points = np.array([[0.1], [0.3], [0.5]])
    centre = np.array([[0.3 + 1e-16]])
    far = centroid_distances(points, np.zeros(3, dtype=int), centre)
    assert far[0] == far[2] > far[1]
