"""Clusters and orders by nearness, against scikit-learn and a full distance matrix."""

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

from .data import frame_of
from .measure import fresh, interleaved, peak_above, reach, seconds

FEATURES = [f"x{i}" for i in range(20)]
MANY = 1_000_000
ORDERS = {"chain": sf.chain(FEATURES), "nearest": sf.nearest(FEATURES)}


def points(rows: int, kind: str = "blobs") -> np.ndarray:
    """Draw rows round eight centres, or round none, or copies of 1,000 rows."""
    drawn = np.random.default_rng(6)
    noise = drawn.normal(size=(rows, len(FEATURES)))
    if kind == "noise":
        return noise
    if kind == "copies":
        return noise[drawn.integers(0, 1_000, rows)]
    return 2 * drawn.normal(size=(8, len(FEATURES)))[drawn.integers(0, 8, rows)] + noise


def frame_at(where: np.ndarray) -> Any:
    """Make a pandas frame of points, with a label of two classes."""
    label = np.random.default_rng(7).integers(0, 2, len(where))
    columns = {name: where[:, place].copy() for place, name in enumerate(FEATURES)}
    return frame_of("pandas", label=label, **columns)


def scale_fit_predict(frame: pd.DataFrame) -> Callable[[], object]:
    """Make the peer that scales and clusters as we do, with scikit-learn alone."""

    def run() -> np.ndarray:
        scaled = StandardScaler().fit_transform(frame[FEATURES].to_numpy())
        model = MiniBatchKMeans(
            8,
            n_init=1,
            random_state=0,
            batch_size=MANY // BATCHES,
            tol=BATCH_TOLERANCE,
            compute_labels=False,
        )
        return model.fit(scaled).predict(scaled)

    return run


@pytest.mark.parametrize("kind", ["blobs", "noise"])
def test_minibatch_against_scikit_learn(benchmark: Any, kind: str) -> None:
    """Folds by mini-batch clusters cost little more than the clusters alone."""
    frame = frame_at(points(MANY, kind))
    by = sf.clusters(FEATURES, 8, algorithm="minibatch")
    ratio = interleaved(benchmark, lambda: frame.strat.kfold(by), scale_fit_predict(frame))
    reach(benchmark, ratio, "x the time", at_most=1.5)


@pytest.mark.parametrize("n", [4, 8, 20])
@pytest.mark.parametrize("kind", ["blobs", "noise"])
def test_minibatch_against_kmeans(benchmark: Any, kind: str, n: int) -> None:
    """On 1,000,000 rows mini-batches are faster than k-means, the deal included."""
    frame = frame_at(points(MANY, kind))
    mini, whole = (sf.clusters(FEATURES, n, algorithm=name) for name in ("minibatch", "kmeans"))
    ratio = interleaved(
        benchmark, lambda: frame.strat.kfold(mini), lambda: frame.strat.kfold(whole), 3
    )
    reach(benchmark, ratio, "x the time", at_most=1)


def by_matrix(frame: pd.DataFrame, order: str) -> Callable[[], object]:
    """Make the peer that holds all distances, and looks the nearest up row by row."""

    def run() -> list[int]:
        where = StandardScaler().fit_transform(frame[FEATURES].to_numpy())
        apart, taken, rows = cdist(where, where), np.zeros(len(where)), [0]
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
    frame = frame_at(points(5_000, "noise"))
    ratio = interleaved(
        benchmark, lambda: frame.strat.kfold(ORDERS[order]), by_matrix(frame, order)
    )
    reach(benchmark, ratio, "x the time", at_most=1)


def large(order: str, kind: str) -> tuple[int, float]:
    """Measure the peak and the seconds of 50,000 rows in two classes."""
    frame_at(points(100)).strat.kfold(["label", ORDERS[order]])
    frame, times = frame_at(points(50_000, kind)), []
    by = ["label", ORDERS[order]]
    peak = peak_above(lambda: times.append(seconds(lambda: frame.strat.kfold(by))))
    return peak, times[0]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", ["blobs", "noise", "copies"])
@pytest.mark.parametrize("what", ["memory", "time"])
def test_50000_rows(benchmark: Any, order: str, kind: str, what: str) -> None:
    """50,000 rows of 20 features in two classes fit into little memory and time."""
    peak, time = benchmark.pedantic(fresh, args=(large, order, kind), rounds=1)
    if what == "memory":
        reach(benchmark, peak / (1 << 30), "GiB", at_most=1)
    else:
        reach(benchmark, time, "s", at_most=15)


def test_many_strata(benchmark: Any) -> None:
    """Clusters in 20,000 strata cost a few milliseconds each."""
    drawn = np.random.default_rng(0)
    rows, strata = 1_000_000, 20_000
    columns = {name: drawn.normal(size=rows) for name in ("x", "y")}
    frame = frame_of("pandas", label=drawn.integers(0, strata, rows), **columns)
    by = ["label", sf.clusters(["x", "y"], 4)]
    benchmark.pedantic(lambda: frame.strat.kfold(by, rare="ignore"), rounds=1)
    reach(benchmark, benchmark.stats.stats.median / strata * 1000, "ms a stratum", at_most=4)
