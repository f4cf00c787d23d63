"""Clusters on frames, against the algorithms that they come from."""

import sys
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn import cluster
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import stratframe as sf
from stratframe.core.seeds import StreamTag, random_words
from stratframe.terms import algorithms
from stratframe.terms import clusters as clustering
from tests.helpers import Make, eager, refuse, strata_of, values, warned
from tests.terms.clouds import FEATURE_ROWS, FEATURES, cloud, points_of, round_robin, rows_by_value

NEAR: dict[str, Any] = {"eps": 0.9, "min_samples": 4}
MODELS: dict[str, tuple[Any, dict[str, Any]]] = {
    "ACBCV": (cluster.AgglomerativeClustering(4), {"n": 4, "algorithm": "agglomerative"}),
    "DBSCANBCV": (cluster.DBSCAN(**NEAR), {"algorithm": "dbscan", **NEAR}),
    "noise": (cluster.HDBSCAN(copy=True), {}),
    "centres": (cluster.MeanShift(bandwidth=3, bin_seeding=True), {}),
    "both": (cluster.MeanShift(bandwidth=2, bin_seeding=True, cluster_all=False), {}),
}
"""Models of scikit-learn, and the arguments of `sf.clusters` that stand for them, if any."""
FAILED = "`algorithm` must cluster every stratum, but Odd() failed on a stratum of 10 rows: needs a"
FAILED += " hundred\nHint: it may need more rows than the smallest strata have."
NO_LABELS = "`algorithm` must give every row a whole number of at least -1, got {} from Odd()."
WRONG: list[tuple[Any, str]] = [
    (ValueError("needs a hundred\nrows at least"), FAILED),
    ([0, 1], NO_LABELS.format("int64 of shape (2,)")),
    ([0.5] * 10, NO_LABELS.format("float64 of shape (10,)")),
    ([-2] * 10, NO_LABELS.format("int64 of shape (10,)")),
]


def mini_batches(n: int, **options: Any) -> Any:
    return cluster.MiniBatchKMeans(n, batch_size=256, tol=1e-3, **options)


@pytest.mark.parametrize("nested", [True, False], ids=["SCBCV", "KCBCV"])
@pytest.mark.parametrize(("algorithm", "k"), [("kmeans", 2), ("kmeans", 5), ("minibatch", 5)])
def test_scbcv_and_kcbcv(algorithm: str, k: int, nested: bool) -> None:
    """Rows are dealt in turn by cluster and distance, as in Algorithm 1 of Spezia et al."""
    data = cloud()
    term = sf.clusters(FEATURES, 4, algorithm=algorithm, scale=None)
    model = {"kmeans": cluster.KMeans, "minibatch": mini_batches}[algorithm]
    points = points_of(data)
    ordered = list[int]()
    classes = rows_by_value(data["label"] if nested else [0] * len(points))
    seeds = random_words(0, StreamTag.CLUSTERS, len(classes)) >> np.uint64(32)
    for rows, seed in zip(classes, seeds.tolist(), strict=True):
        fitted = model(4, n_init=1, random_state=seed).fit(points[rows])
        apart = fitted.transform(points[rows]).min(axis=1)
        for own in rows_by_value(fitted.labels_.tolist()):
            ordered += [rows[place] for place in sorted(own, key=apart.__getitem__)]
    by = ["label", term] if nested else term
    folds = sf.kfold(pd.DataFrame(data), by, k, deal="circular")
    assert values(folds, "fold") == round_robin(ordered, k)


@pytest.mark.parametrize("name", MODELS)
def test_clusters_of_any_model(name: str) -> None:
    """Rows are ordered by the distance to the centre of their cluster, or to the mean of noise."""
    model, options = MODELS[name]
    data = cloud()
    points = points_of(data)
    rows = list[int]()
    labels = model.fit_predict(points).tolist()
    for own in rows_by_value(labels):
        has_centre = hasattr(model, "cluster_centers_") and labels[own[0]] >= 0
        centre = model.cluster_centers_[labels[own[0]]] if has_centre else points[own].mean(axis=0)
        far = np.linalg.norm(points[own] - centre, axis=1)
        rows += [own[place] for place in np.argsort(far, kind="stable")]
    term = sf.clusters(FEATURES, scale=None, **options or {"algorithm": model})
    folds = sf.kfold(pd.DataFrame(data), term, 5, deal="circular")
    assert values(folds, "fold") == round_robin(rows, 5)


def test_clusters_are_numbered_by_first_appearance(frame: Make) -> None:
    """In tables clusters are numbers by first appearance inside each stratum, noise is -1."""
    data = {"x": [5.0, 9.0, 5.1, 1.0, 9.1, 1.1, 700.0]}
    term = sf.clusters("x", algorithm="dbscan", eps=0.5, min_samples=2, scale=None)
    assert list(strata_of(frame(data), term).items()) == [(0, 2), (1, 2), (2, 2), (-1, 1)]
    assert sf.plan(frame(data), term, 2).columns[0] == "cluster"
    named = sf.clusters("x", 2, scale=None, name="group")
    assert sf.plan(frame(data), named, 2).columns[0] == "group"


def test_few_distinct_rows() -> None:
    """A stratum has at most as many clusters as distinct rows, without a warning."""
    data = {"label": list("aaaabbbc"), "x": [1, 1, 2, 2, 5, 5, 5, 9], "flag": [True] * 8}
    for algorithm in ("kmeans", "minibatch", "agglomerative", cluster.BisectingKMeans()):
        by = ["label", sf.clusters(["x", "flag"], 4, algorithm=algorithm)]
        found = strata_of(pd.DataFrame(data), by)
        assert found == {("a", 0): 2, ("a", 1): 2, ("b", 0): 3, ("c", 0): 1}
    with pytest.warns(sf.StratWarning, match="at most one cluster"):
        found = strata_of(pd.DataFrame(data), ["label", sf.clusters(["x"], algorithm="dbscan")])
    assert list(found.values()) == [4, 3, 1]
    copies = pd.DataFrame({"x": [0.0] * 5_000 + [1.0, 2.0, 1.0]})
    assert strata_of(copies, sf.clusters("x", 3)) == {0: 5_000, 1: 2, 2: 1}
    data = {"label": ["a"] * 20 + ["b"] * 5, "x": list(range(25))}
    found = strata_of(pd.DataFrame(data), ["label", sf.clusters("x", algorithm=cluster.KMeans(8))])
    assert [label for label, _ in found] == ["a"] * 8 + ["b"] * 5


@pytest.mark.parametrize("nested", [False, True])
def test_auto_is_that_of_the_paper(nested: bool) -> None:
    """Iris, and each of its classes, has 4 clusters, as the paper's table says."""
    iris = load_iris(as_frame=True)
    term = sf.clusters(list(iris.data.columns), scale=None)
    found = strata_of(iris.frame, ["target", term] if nested else term)
    assert list(found) == ([*product(range(3), range(4))] if nested else list(range(4)))


def test_auto_of_odd_points() -> None:
    """One row, or one distinct row, is one cluster; a matrix of distances is points, too."""
    for x in ([1.5], [1.5] * 50):
        rows = pd.DataFrame({"x": [*x, 9.0], "c": [0] * len(x) + [1]})
        assert strata_of(rows, ["c", sf.clusters("x", scale=None)]) == {(0, 0): len(x), (1, 0): 1}
    points = np.random.default_rng(0).normal(size=(30, 2))
    apart = pd.DataFrame(cdist(points, points)).add_prefix("d")
    assert len(strata_of(apart, sf.clusters([*apart.columns]))) >= 1


@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_default_radius_and_density(monkeypatch: pytest.MonkeyPatch) -> None:
    """DBSCAN's radius is the knee of the k-distances; its density grows with the features."""
    data = cloud(400)
    seen = list[dict[str, Any]]()
    model = cluster.DBSCAN

    def remember(**options: Any) -> Any:
        seen.append(options)
        return model(**options)

    monkeypatch.setattr("sklearn.cluster.DBSCAN", remember)
    term = sf.clusters(FEATURES, algorithm="dbscan", scale=None)
    for n in (400, 30, 5):
        sf.kfold(pd.DataFrame(data).head(n), term, 2)
    assert [options["min_samples"] for options in seen] == [6, 3, 2]
    points = points_of(data)
    heights = np.sort(np.sort(cdist(points, points), axis=1)[:, 5])
    assert seen[0]["eps"] == pytest.approx(heights[np.abs(heights - seen[0]["eps"]).argmin()])
    assert np.median(heights) < seen[0]["eps"] < heights[-1]


@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_radius_without_a_knee() -> None:
    """Without a knee the radius is the median distance, or the smallest above zero."""
    term = sf.clusters("x", algorithm="dbscan", min_samples=2, scale=None)
    sizes_of = {(0, 1, 2, 3): [4], (0, 0, 0, 0, 0, 2, 4): [7], (0, 0, 5, 5, 9, 9): [2, 2, 2]}
    for points, sizes in sizes_of.items():
        assert [*strata_of(pd.DataFrame({"x": points}), term).values()] == sizes


def test_the_radius_holds_equal_steps() -> None:
    """Rows in equal steps are either all neighbours or none, in any unit."""
    steps = [*range(10), *range(30, 40)]
    for unit in (1, 9, 0.1, 7e-5):
        for scale in ("standard", "minmax", None):
            term = sf.clusters("x", algorithm="dbscan", scale=scale)
            assert strata_of(pd.DataFrame({"x": [unit * x for x in steps]}), term) == {0: 10, 1: 10}


def test_large_strata_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strata above the limit are clustered by a sample, and a warning counts it."""
    monkeypatch.setattr(algorithms, "LARGEST_TREE", 30)
    monkeypatch.setattr(clustering, "LARGEST_TREE", 30)
    x = [float(row % 4 * 100 + row % 7) for row in range(200)]
    df = pd.DataFrame({"half": [row // 100 for row in range(200)], "x": x})
    message = "`sf.clusters` with algorithm='agglomerative' clustered a sample of 30 rows in 2"
    message += " larger strata, and assigned the other rows to the nearest centre.\nHint: 'kmeans'"
    message += " and 'minibatch' use all rows."
    by = ["half", sf.clusters("x", 4, algorithm="agglomerative")]
    assert list(warned(message, lambda: strata_of(df, by)).values()) == [25] * 8
    # The sample holds as many rows as clusters are asked for.
    points = pd.DataFrame({"x": np.random.default_rng(0).normal(size=60).tolist()})
    with pytest.warns(sf.StratWarning, match="clustered a sample"):
        assert len(strata_of(points, sf.clusters("x", 40, algorithm="agglomerative"))) == 40


def test_objects() -> None:
    """An estimator, or a pipeline of them, is cloned with the seed and the number of clusters."""
    data = cloud()
    model = cluster.BisectingKMeans(n_clusters=2)
    assert len(strata_of(pd.DataFrame(data), sf.clusters(FEATURES, 5, algorithm=model))) == 5
    assert not hasattr(model, "labels_")
    assert model.n_clusters == 2
    assert len(strata_of(pd.DataFrame(data), sf.clusters(FEATURES, algorithm=model))) == 2
    pipeline = make_pipeline(StandardScaler(), cluster.KMeans(3, n_init=1))
    term = sf.clusters(FEATURES, 5, algorithm=pipeline)
    first, *others = [strata_of(pd.DataFrame(data), term) for _ in range(3)]
    assert len(first) == 5
    assert others == [first, first]


@dataclass(repr=False, eq=False)
class Odd:
    """The least that can be an algorithm: no parameters, no centres."""

    answer: Any

    def __repr__(self) -> str:
        return "Odd()"

    def fit_predict(self, points: np.ndarray) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer(points) if callable(self.answer) else self.answer


def test_the_least_object() -> None:
    """Anything with `fit_predict` clusters; fewer than three distinct rows are one cluster."""
    halves = Odd(lambda points: (points[:, 0] > 0).astype(np.int64) * 10**12)
    term = sf.clusters("x", algorithm=halves, scale=None)
    assert strata_of(pd.DataFrame({"x": [1.0, -1.0, 2.0, 3.0]}), term) == {0: 3, 1: 1}
    assert strata_of(pd.DataFrame({"x": [1.0, -1.0, 1.0]}), term) == {0: 3}


@pytest.mark.parametrize(("answer", "message"), WRONG)
def test_objects_that_fail(answer: Any, message: str) -> None:
    """An object that fails, or gives no labels, is named."""
    term = sf.clusters("x", algorithm=Odd(answer))
    refuse(message, lambda: sf.kfold(pd.DataFrame(FEATURE_ROWS), term))


def test_missing_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters without scikit-learn, and DBSCAN without kneed, are errors that name the extra."""
    frame = pd.DataFrame(cloud())
    term = sf.clusters(FEATURES, algorithm="dbscan", scale=None)
    calls = {"kneed": lambda: sf.kfold(frame, term), "sklearn": lambda: sf.clusters(FEATURES)}
    for module, call in calls.items():
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ImportError) as caught:
            call()
        assert str(caught.value) == f'{module} is not installed: pip install "stratframe[sklearn]"'


def test_tables_show_the_clusters_that_were_dealt(frame: Make) -> None:
    """`balance` finds the clusters of `kfold`, whatever the seed of the call."""
    by = ["label", sf.clusters(FEATURES, 4)]
    table = eager(sf.balance(sf.kfold(frame(cloud()), by, 5, seed=7), by))
    assert len(table) == 5 * 3 * 4
    assert abs(table["deviation"]).max() < 1
