"""Clusters and neighbours.

20 features; "blobs" are rows around eight centres, "noise" has none. Clusters are compared with
scikit-learn's fit and predict with the same batches, neighbours with a full distance matrix.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.cluster import MiniBatchKMeans
from sklearn.preprocessing import StandardScaler

import stratframe as sf
from stratframe.terms.algorithms import BATCH_TOLERANCE, BATCHES

from .data import frame_of, normal
from .measure import find, fresh, peak_and_seconds, race, reach_both, take

FEATURES = [f"x{i}" for i in range(20)]
MANY = 1_000_000
ORDERS = {"chain": sf.chain(FEATURES), "nearest": sf.nearest(FEATURES)}


def draw(rows: int, kind: str = "blobs") -> pd.DataFrame:
    """Draw rows of two classes round eight centres, or round none, or copies of 1,000 rows."""
    drawn = np.random.default_rng(6)
    points = drawn.normal(size=(rows, len(FEATURES)))
    if kind == "blobs":
        points += 2 * drawn.normal(size=(8, len(FEATURES)))[drawn.integers(0, 8, rows)]
    elif kind == "copies":
        points = points[drawn.integers(0, 1_000, rows)]
    frame = pd.DataFrame(points, columns=FEATURES)
    return frame.assign(label=np.random.default_rng(7).integers(0, 2, rows))


def scale_fit_predict(frame: pd.DataFrame) -> np.ndarray:
    """Scale and cluster as we do, with scikit-learn alone."""
    scaled = StandardScaler().fit_transform(frame[FEATURES].to_numpy())
    options = {"tol": BATCH_TOLERANCE, "batch_size": MANY // BATCHES, "compute_labels": False}
    model = MiniBatchKMeans(8, n_init=1, random_state=0, **options)
    return model.fit(scaled).predict(scaled)


@pytest.mark.parametrize("kind", ["blobs", "noise"])
def test_minibatch_against_scikit_learn(benchmark: Any, kind: str) -> None:
    """Folds by mini-batch clusters cost little more than the clusters alone."""
    frame = draw(MANY, kind)
    by = sf.clusters(FEATURES, 8, algorithm="minibatch")
    race(benchmark, lambda: frame.strat.kfold(by), lambda: scale_fit_predict(frame), 1.5)


@pytest.mark.parametrize("n", [4, 8, 20], ids="{} clusters".format)
@pytest.mark.parametrize("kind", ["blobs", "noise"])
def test_minibatch_against_kmeans(benchmark: Any, kind: str, n: int) -> None:
    """On 1,000,000 rows mini-batches are faster than k-means, the deal included."""
    frame = draw(MANY, kind)
    mini, whole = (sf.clusters(FEATURES, n, algorithm=name) for name in ("minibatch", "kmeans"))
    race(benchmark, lambda: frame.strat.kfold(mini), lambda: frame.strat.kfold(whole), 1, 3)


def by_matrix(frame: pd.DataFrame, order: str) -> Callable[[], object]:
    """Make the peer that holds all distances, and looks the nearest up row by row."""

    def run() -> list[int]:
        where = StandardScaler().fit_transform(frame[FEATURES].to_numpy())
        apart = cdist(where, where)
        taken = np.zeros(len(where))
        rows = [0]
        taken[0] = np.inf
        while len(rows) < len(where):
            near = apart[rows[-1]] + taken
            if order == "chain":
                found = [int(near.argmin())]
            else:
                found = np.argpartition(near, 3)[:4].tolist()
                rows += found
                taken[found] = np.inf
                found = [int(taken.argmin())] if len(rows) < len(where) else []
            taken[found] = np.inf
            rows += found
        return rows

    return run


@pytest.mark.parametrize("order", ORDERS)
def test_5000_rows_against_a_matrix(benchmark: Any, order: str) -> None:
    """5,000 rows are ordered no slower than from a matrix of all distances."""
    frame = draw(5_000, "noise")
    race(benchmark, lambda: frame.strat.kfold(ORDERS[order]), by_matrix(frame, order), 1)


def large(order: str, kind: str) -> tuple[int, float]:
    """Measure the peak and the seconds of 50,000 rows in two classes."""
    by = ["label", ORDERS[order]]
    draw(100).strat.kfold(by)
    frame = draw(50_000, kind)
    return peak_and_seconds(lambda: frame.strat.kfold(by))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", ["blobs", "noise", "copies"])
def test_50000_rows(benchmark: Any, order: str, kind: str) -> None:
    """50,000 rows of 20 features in two classes fit into little memory and time."""
    (found,) = find(benchmark, lambda: fresh(large, order, kind))
    reach_both(benchmark, found, gib=1, most_seconds=15)


def test_many_strata(benchmark: Any) -> None:
    """Clusters in 20,000 strata cost at most 4 milliseconds each."""
    label = np.random.default_rng(0).integers(0, 20_000, MANY)
    frame = frame_of("pandas", label=label, x=normal(MANY, 1), y=normal(MANY, 2))
    by = ["label", sf.clusters(["x", "y"], 4)]
    take(benchmark, lambda: frame.strat.kfold(by, rare="ignore"), 20_000 * 4e-3)
