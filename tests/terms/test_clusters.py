"""Clusters on frames, against the algorithms that they come from."""

import sys
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.spatial.distance import cdist
from sklearn.cluster import (
    DBSCAN,
    HDBSCAN,
    AgglomerativeClustering,
    BisectingKMeans,
    KMeans,
    MeanShift,
    MiniBatchKMeans,
)
from sklearn.datasets import load_iris
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import stratframe as sf
from stratframe.core.seeds import StreamTag
from stratframe.terms import algorithms
from stratframe.terms import clusters as clustering
from stratframe.terms.algorithms import seeds_of
from tests.helpers import Make, eager, evaluate, make, refuse, refuse_now, strata_of, values
from tests.terms.clouds import FEATURE_ROWS, FEATURES, cloud, points_of, round_robin, rows_by_value

# The strategies of the papers -----------------------------------------------------------


def algorithm_1(data: dict[str, Any], n: int, k: int, model: Any, nested: bool) -> list[int]:
    """SCBCV as Algorithm 1 of Spezia et al. has it, or KCBCV: positions in the frame itself."""
    points = points_of(data)
    classes = rows_by_value(data["label"] if nested else [0] * len(points))
    index_list: list[int] = []
    for rows, seed in zip(classes, seeds_of(0, StreamTag.CLUSTERS, len(classes)), strict=True):
        fitted = model(n, n_init=1, random_state=seed).fit(points[rows])
        apart = fitted.transform(points[rows])
        for own in rows_by_value(fitted.labels_.tolist()):
            near = sorted(own, key=lambda place: apart[place].min())
            index_list += [rows[place] for place in near]
    return round_robin(index_list, k)


def mini_batches(n: int, **options: Any) -> Any:
    """Make mini-batches, whose size comes from the rows."""
    return MiniBatchKMeans(n, batch_size=256, tol=1e-3, **options)


@pytest.mark.parametrize("nested", [True, False], ids=["SCBCV", "KCBCV"])
@pytest.mark.parametrize(
    ("algorithm", "model", "k"),
    [("kmeans", KMeans, 2), ("kmeans", KMeans, 5), ("minibatch", mini_batches, 5)],
    ids=["2 folds", "5 folds", "Mini"],
)
def test_scbcv_and_kcbcv(frame: Make, algorithm: str, model: Any, k: int, nested: bool) -> None:
    """Rows by distance, cluster after cluster, class after class, go round the folds."""
    data, term = cloud(), sf.clusters(FEATURES, 4, algorithm=algorithm, scale=None)
    by = ["label", term] if nested else term
    folds = values(sf.kfold(frame(data), by, k, deal="circular"), "fold")
    assert folds == algorithm_1(data, 4, k, model, nested)


@pytest.mark.parametrize(
    ("term", "model"),
    [
        (
            sf.clusters(FEATURES, 4, algorithm="agglomerative", scale=None),
            AgglomerativeClustering(4),
        ),
        (
            sf.clusters(FEATURES, algorithm="dbscan", eps=0.9, min_samples=4, scale=None),
            DBSCAN(eps=0.9, min_samples=4),
        ),
        (sf.clusters(FEATURES, algorithm=HDBSCAN(copy=True), scale=None), HDBSCAN(copy=True)),
    ],
    ids=["ACBCV", "DBSCANBCV", "any"],
)
def test_clusters_without_centroids(frame: Make, term: Any, model: Any) -> None:
    """Rows of a cluster, noise too, are ordered by the distance to their mean."""
    data = cloud()
    points = points_of(data)
    index_list: list[int] = []
    for rows in rows_by_value(model.fit_predict(points).tolist()):
        far = np.linalg.norm(points[rows] - points[rows].mean(axis=0), axis=1)
        index_list += [rows[place] for place in np.argsort(far, kind="stable")]
    folds = values(sf.kfold(frame(data), term, 5, deal="circular"), "fold")
    assert folds == round_robin(index_list, 5)


def test_scbcv_on_a_shuffled_frame(frame: Make) -> None:
    """Folds belong to the rows of the frame itself: permuted by key, they are permuted."""
    data = cloud()
    order = np.random.default_rng(9).permutation(len(data["id"])).tolist()
    turned = {name: [column[row] for row in order] for name, column in data.items()}
    by = ["label", sf.clusters(FEATURES, 4)]
    here = values(sf.kfold(frame(data), by, key="id", deal="circular"), "fold")
    there = values(sf.kfold(frame(turned), by, key="id", deal="circular"), "fold")
    assert there == [here[row] for row in order]


# Meanings -------------------------------------------------------------------------------


@pytest.mark.slow
def test_random_deal_takes_the_bias_out() -> None:
    """Dealt round, fold 0 gets the rows nearest to the centres; in blocks at random no fold."""
    data = cloud(600)
    frame = pl.DataFrame(data)
    term = sf.clusters(FEATURES, 4, scale=None, seed=0)
    model = KMeans(4, n_init=1, random_state=seeds_of(0, StreamTag.CLUSTERS, 1)[0])
    far = model.fit_transform(points_of(data)).min(axis=1)

    def mean_distances(deal: str, seed: int) -> np.ndarray:
        folds = sf.kfold(frame, term, 5, deal=deal, seed=seed)["fold"].to_numpy()
        return np.array([far[folds == fold].mean() for fold in range(5)])

    circular = mean_distances("circular", 0)
    assert np.abs(np.diff(circular)).max() > 0
    over_seeds = np.array([mean_distances("random", seed) for seed in range(100)])
    firsts = np.bincount(over_seeds.argmin(axis=1), minlength=5)
    assert firsts.min() > 5
    assert np.ptp(over_seeds.mean(axis=0)) < 0.1 * np.ptp(circular)


def test_rows_of_a_cluster_are_dealt_in_blocks_of_neighbours(kind: str) -> None:
    """In a random deal every block of k rows in order of distance is in k folds."""
    data, k = cloud(), 4
    out = sf.kfold(make(kind, data), ["label", sf.clusters(FEATURES, 3, scale=None)], k)
    folds, points = values(out, "fold"), points_of(data)
    classes = rows_by_value(data["label"])
    for rows, seed in zip(classes, seeds_of(0, StreamTag.CLUSTERS, len(classes)), strict=True):
        fitted = KMeans(3, n_init=1, random_state=seed).fit(points[rows])
        far = fitted.transform(points[rows]).min(axis=1)
        for own in rows_by_value(fitted.labels_.tolist()):
            ordered = [rows[place] for place in sorted(own, key=lambda place: far[place])]
            n, left = len(own), len(own) % k
            taken = {int((i + 0.5) * n // left) for i in range(left)}
            stay = [row for place, row in enumerate(ordered) if place not in taken]
            for start in range(0, len(stay), k):
                assert len({folds[row] for row in stay[start : start + k]}) == k


def test_clusters_are_numbered_by_first_appearance(frame: Make) -> None:
    """In tables clusters are numbers by first appearance inside each stratum, noise is -1."""
    data = {"x": [5.0, 9.0, 5.1, 1.0, 9.1, 1.1, 700.0]}
    term = sf.clusters("x", algorithm="dbscan", eps=0.5, min_samples=2, scale=None)
    assert list(strata_of(frame(data), term).items()) == [(0, 2), (1, 2), (2, 2), (-1, 1)]
    assert sf.plan(frame(data), term, 2).columns[0] == "cluster"
    named = sf.clusters("x", 2, scale=None, name="group")
    assert sf.plan(frame(data), named, 2).columns[0] == "group"


def test_few_distinct_rows(frame: Make) -> None:
    """A stratum has no more clusters than distinct rows, without a word of scikit-learn's."""
    data = {"label": list("aaaabbbc"), "x": [1, 1, 2, 2, 5, 5, 5, 9], "flag": [True] * 8}
    for algorithm in ("kmeans", "minibatch", "agglomerative", BisectingKMeans()):
        by = ["label", sf.clusters(["x", "flag"], 4, algorithm=algorithm)]
        found = strata_of(frame(data), by)
        assert found == {("a", 0): 2, ("a", 1): 2, ("b", 0): 3, ("c", 0): 1}
    with pytest.warns(sf.StratWarning, match="at most one cluster"):
        found = strata_of(frame(data), ["label", sf.clusters(["x"], algorithm="dbscan")])
    assert list(found.values()) == [4, 3, 1]


def test_many_copies_of_few_rows() -> None:
    """Distinct rows are counted among all rows, however many copies come first."""
    frame = pl.DataFrame({"x": [0.0] * 5_000 + [1.0, 2.0, 1.0]})
    assert strata_of(frame, sf.clusters("x", 3)) == {0: 5_000, 1: 2, 2: 1}


@pytest.mark.parametrize("nested", [False, True])
def test_auto_is_that_of_the_paper(nested: bool) -> None:
    """Iris has 4 clusters, as the paper's table says; so has each class of it."""
    iris = load_iris(as_frame=True)
    features = list(iris.data.columns)
    term = sf.clusters(features, scale=None)
    found = strata_of(iris.frame, ["target", term] if nested else term)
    names = [(target, place) for target in range(3) for place in range(4)]
    assert list(found) == (names if nested else list(range(4)))


def test_auto_of_one_row() -> None:
    """One row is one cluster, and one distinct row too."""
    assert algorithms.estimate(np.array([[1.0, 2.0]]), 0) == 1
    assert algorithms.estimate(np.ones((50, 2)), 0) == 1


def test_default_radius_and_density(monkeypatch: pytest.MonkeyPatch) -> None:
    """DBSCAN's radius is the knee of the k-distances; its density grows with the features."""
    points = points_of(cloud(400))
    seen: list[dict[str, Any]] = []

    def remember(**options: Any) -> Any:
        seen.append(options)
        return DBSCAN(**options)

    monkeypatch.setattr("sklearn.cluster.DBSCAN", remember)
    algorithms.dbscan(None, None, points, 0, 0)
    algorithms.dbscan(None, None, points[:30], 0, 0)
    algorithms.dbscan(None, None, points[:5], 0, 0)
    assert [options["min_samples"] for options in seen] == [6, 3, 2]
    heights = np.sort(np.sort(cdist(points, points), axis=1)[:, 5])
    assert seen[0]["eps"] == pytest.approx(heights[np.abs(heights - seen[0]["eps"]).argmin()])
    assert np.median(heights) < seen[0]["eps"] < heights[-1]


@pytest.mark.parametrize(
    ("points", "radius"),
    [
        ([[0.0], [1.0], [2.0], [3.0]], 1.0),
        ([[0.0], [0.0], [0.0], [0.0], [2.0]], 2.0),
        ([[0.0], [0.0], [5.0], [5.0]], 1.0),
    ],
    ids=["no knee", "median of zero", "all zero"],
)
def test_radius_without_a_knee(points: list[list[float]], radius: float) -> None:
    """Without a knee the radius is the median distance, or the smallest above zero."""
    assert algorithms.radius(np.array(points), 1) == pytest.approx(radius)


def test_dbscan_is_scikit_learns(frame: Make) -> None:
    """With its default radius DBSCAN parts the rows as scikit-learn's does."""
    data = cloud()
    points = points_of(data)
    near = NearestNeighbors(n_neighbors=5).fit(points).kneighbors()[0][:, -1]
    term = sf.clusters(FEATURES, algorithm="dbscan", scale=None)
    assert np.isclose(near, algorithms.radius(points, 5), rtol=1e-8).any()
    labels = DBSCAN(eps=algorithms.radius(points, 5), min_samples=6).fit(points).labels_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sf.StratWarning)
        found = strata_of(frame(data), term)
    assert sorted(found.values()) == sorted(Counter(labels.tolist()).values())


def test_large_strata_are_merged_from_a_sample(
    frame: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Agglomerative clusters of a large stratum come from a sample, and that is said once."""
    monkeypatch.setattr(algorithms, "LARGEST_TREE", 30)
    monkeypatch.setattr(clustering, "LARGEST_TREE", 30)
    x = [float(row % 4 * 100 + row % 7) for row in range(200)]
    by = ["half", sf.clusters("x", 4, algorithm="agglomerative")]
    data = {"half": [row // 100 for row in range(200)], "x": x}
    with pytest.warns(sf.StratWarning) as caught:
        found = strata_of(frame(data), by)
    (rule,) = [str(each.message).partition("\n")[0] for each in caught]
    assert rule == (
        "`sf.clusters` with algorithm='agglomerative' merged a sample of 30 rows in 2 larger"
        " strata, and assigned the other rows to the nearest centre."
    )
    assert list(found.values()) == [25] * 8


def test_objects(frame: Make) -> None:
    """An object is cloned, given a seed and the number of clusters, and uses its centres."""
    data = cloud()
    model = BisectingKMeans(n_clusters=2)
    assert len(strata_of(frame(data), sf.clusters(FEATURES, 5, algorithm=model))) == 5
    assert not hasattr(model, "labels_")
    assert model.n_clusters == 2
    assert len(strata_of(frame(data), sf.clusters(FEATURES, algorithm=model))) == 2
    points = points_of(data)
    shifted = sf.clusters(FEATURES, algorithm=MeanShift(bandwidth=3), scale=None)
    folds = values(sf.kfold(frame(data), shifted, 5, deal="circular"), "fold")
    fitted = MeanShift(bandwidth=3).fit(points)
    far = np.linalg.norm(points - fitted.cluster_centers_[fitted.labels_], axis=1)
    rows = [
        row
        for own in rows_by_value(fitted.labels_.tolist())
        for row in sorted(own, key=lambda row: far[row])
    ]
    assert folds == round_robin(rows, 5)


def test_the_radius_holds_equal_steps(frame: Make) -> None:
    """Rows in equal steps are neighbours all or none, in whatever unit they are measured."""
    steps = [*range(10), *range(30, 40)]
    for unit in (1, 9, 0.1, 7e-5):
        for scale in ("standard", "minmax", None):
            term = sf.clusters("x", algorithm="dbscan", scale=scale)
            assert strata_of(frame({"x": [unit * x for x in steps]}), term) == {0: 10, 1: 10}


def test_pipelines_are_seeded() -> None:
    """The steps of a pipeline get the seed and the number of clusters."""
    noise = np.random.default_rng(0).normal(size=(300, 3))
    frame = pd.DataFrame(noise, columns=FEATURES)
    model = make_pipeline(StandardScaler(), KMeans(3, n_init=1))
    term = sf.clusters(FEATURES, 5, algorithm=model)
    first, *others = [strata_of(frame, term) for _ in range(3)]
    assert len(first) == 5
    assert others == [first, first]


def test_objects_on_small_strata(frame: Make) -> None:
    """A stratum with fewer distinct rows than the object's own number has as many clusters."""
    data = {"label": ["a"] * 20 + ["b"] * 5, "x": list(range(25))}
    found = strata_of(frame(data), ["label", sf.clusters("x", algorithm=KMeans(8))])
    assert [label for label, _ in found] == ["a"] * 8 + ["b"] * 5


def test_centres_beside_noise() -> None:
    """Noise is ordered by its mean, and leaves the other clusters the centres of the fit."""
    points = np.array([[0.0], [0.1], [0.3], [5.0], [5.2], [90.0], [70.0]])
    model = MeanShift(bandwidth=1.0, cluster_all=False)
    fitted = MeanShift(bandwidth=1.0, cluster_all=False).fit(points)
    known = fitted.labels_ >= 0
    term = sf.clusters("x", algorithm=model, scale=None)
    _, distances = clustering.cluster(term, points.T, np.zeros(7, dtype=int), 1)
    expected = np.abs(points[known] - fitted.cluster_centers_[fitted.labels_[known]]).ravel()
    np.testing.assert_allclose(distances[known], expected, atol=1e-9)


def test_more_clusters_than_a_tree_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample that is merged holds at least as many rows as clusters are asked for."""
    monkeypatch.setattr(algorithms, "LARGEST_TREE", 20)
    points = np.random.default_rng(0).normal(size=(60, 1))
    labels, _ = algorithms.agglomerative(points, 30, 0)
    assert len(set(labels.tolist())) == 30


def test_auto_of_a_distance_matrix() -> None:
    """Features that happen to be a matrix of distances are features like others."""
    points = np.random.default_rng(0).normal(size=(30, 2))
    assert algorithms.estimate(cdist(points, points), 0) >= 1


class Halves:
    """The least that can be an algorithm: no parameters, no centres."""

    def fit_predict(self, points: np.ndarray) -> np.ndarray:
        """Part rows at zero."""
        return (points[:, 0] > 0).astype(np.int64) * 10**12


def test_the_least_object(frame: Make) -> None:
    """Anything with `fit_predict` clusters; fewer than three distinct rows are one cluster."""
    term = sf.clusters("x", algorithm=Halves(), scale=None)
    assert strata_of(frame({"x": [1.0, -1.0, 2.0, 3.0]}), term) == {0: 3, 1: 1}
    assert strata_of(frame({"x": [1.0, -1.0, 1.0]}), term) == {0: 3}


def test_tables_show_clusters_of_seed_0(frame: Make) -> None:
    """`balance` fits the clusters that `kfold` with seed 0 did: even in each."""
    by = ["label", sf.clusters(FEATURES, 4)]
    out = sf.kfold(frame(cloud()), by, 5)
    table = eager(sf.balance(out, by))
    counts = Counter[int]()
    for label, cluster, n in zip(table["label"], table["cluster"], table["n"], strict=True):
        counts[label, cluster] += n
    largest = {key: -(-n // 5) for key, n in counts.items()}
    for label, cluster, n in zip(table["label"], table["cluster"], table["n"], strict=True):
        assert largest[label, cluster] - 1 <= n <= largest[label, cluster]


# Extras ---------------------------------------------------------------------------------


def test_missing_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without scikit-learn a term of clusters, and without kneed DBSCAN, names the extra."""
    frame, term = pd.DataFrame(cloud()), sf.clusters(FEATURES, algorithm="dbscan", scale=None)
    monkeypatch.setitem(sys.modules, "kneed", None)
    with pytest.raises(ImportError) as caught:
        sf.kfold(frame, term)
    assert str(caught.value) == 'kneed is not installed: pip install "stratframe[cluster]"'
    given = sf.clusters(FEATURES, algorithm="dbscan", eps=0.9, scale=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sf.StratWarning)
        assert len(sf.kfold(frame, given)) == len(frame)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError) as caught:
        sf.clusters(FEATURES)
    assert str(caught.value) == 'sklearn is not installed: pip install "stratframe[cluster]"'


# Bad input ------------------------------------------------------------------------------


BAD_ARGUMENTS = {
    "n=0": "`n` must be at least 1, got 0.",
    "n=2.0": "`n` must be a whole number, got 2.0.\nHint: `n=2`.",
    "n=True": "`n` must be a whole number, got True.",
    "n=None": "`n` must be a whole number, got None.",
    "n='many'": "`n` of `sf.clusters` must be a whole number or 'auto', got 'many'.",
    "algorithm='kmedoids'": (
        "`algorithm` must be 'kmeans', 'minibatch', 'agglomerative' or 'dbscan', got 'kmedoids'."
    ),
    "algorithm=3": "`algorithm` must have scikit-learn's `fit_predict`, got 3.",
    "algorithm=KMeans": (
        "`algorithm` must have scikit-learn's `fit_predict`, got <class"
        " 'sklearn.cluster._kmeans.KMeans'>.\n"
        "Hint: pass an object, KMeans()."
    ),
    "n=3, algorithm='dbscan'": (
        "`n` must be 'auto' for 'dbscan', which finds the number itself, got 3."
    ),
    "n=3, algorithm=HDBSCAN()": "`n` must be 'auto' for an object without `n_clusters`, got 3.",
    "eps=0.5": "`eps` and `min_samples` are for algorithm='dbscan', got 'kmeans'.",
    "min_samples=5, algorithm=HDBSCAN()": (
        "`eps` and `min_samples` are for algorithm='dbscan', got HDBSCAN()."
    ),
    "eps=0, algorithm='dbscan'": "`eps` of `sf.clusters` must be a finite number above 0, got 0.",
    "eps=nan, algorithm='dbscan'": (
        "`eps` of `sf.clusters` must be a finite number above 0, got nan."
    ),
    "min_samples=0, algorithm='dbscan'": "`min_samples` must be at least 1, got 0.",
    "seed=-1": "`seed` must be at least 0, got -1.",
}
"""Arguments of `sf.clusters`, and the message of each."""


@pytest.mark.parametrize("code", BAD_ARGUMENTS)
def test_arguments_of_clusters(code: str) -> None:
    """A wrong argument of `sf.clusters` is refused where the term is made."""
    known = {"KMeans": KMeans, "HDBSCAN": HDBSCAN}
    call = f"sf.clusters(['x', 'y'], {code})"
    refuse_now(BAD_ARGUMENTS[code], lambda: evaluate(call, **known))


class Odd:
    """An algorithm that answers as it is told."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __repr__(self) -> str:
        return "Odd()"

    def fit_predict(self, points: np.ndarray) -> Any:
        """Answer, or fail."""
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            ValueError("needs a hundred\nrows at least"),
            "`algorithm` must cluster every stratum, but Odd() failed on one of 10 rows: needs a"
            " hundred\nHint: it may need more rows than the smallest strata have.",
        ),
        (
            [0, 1],
            "`algorithm` must give every row a whole number of at least -1, got int64 of shape"
            " (2,) from Odd().",
        ),
        (
            [0.5] * 10,
            "`algorithm` must give every row a whole number of at least -1, got float64 of shape"
            " (10,) from Odd().",
        ),
        (
            [-2] * 10,
            "`algorithm` must give every row a whole number of at least -1, got int64 of shape"
            " (10,) from Odd().",
        ),
    ],
)
def test_objects_that_fail(answer: Any, message: str) -> None:
    """An object that fails, or gives no labels, is named."""
    term = sf.clusters("x", algorithm=Odd(answer))
    refuse(message, lambda: sf.kfold(pd.DataFrame(FEATURE_ROWS), term))


@pytest.mark.parametrize("algorithm", ["kmeans", "minibatch", "agglomerative", "dbscan"])
def test_small_strata_are_fitted_like_others(
    algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One thread without repeated checks gives small strata the clusters of an ordinary fit."""
    drawn = np.random.default_rng(0)
    sizes = [3, 40, 255, 256, 257, 600]
    parent = np.repeat(np.arange(len(sizes)), sizes)
    points = drawn.normal(size=(2, len(parent)))
    n = "auto" if algorithm == "dbscan" else 4
    term = sf.clusters(["x", "y"], n, algorithm=algorithm)
    found = clustering.cluster(term, points, parent, len(sizes))
    monkeypatch.setattr(clustering, "ONE_THREAD", 0)
    expected = clustering.cluster(term, points, parent, len(sizes))
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
