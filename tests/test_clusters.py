"""Clusters and orders by nearness on frames, against the algorithms that they come from."""

import importlib.util
import io
import sys
import warnings
from collections import Counter
from collections.abc import Callable
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
from stratframe.core.order import shuffled
from stratframe.core.seeds import StreamTag, random_words
from stratframe.terms import algorithms, progress
from stratframe.terms import clusters as clustering
from stratframe.terms.algorithms import seeds_of

from .conftest import KINDS, eager, make, values

Make = Callable[[dict[str, Any]], Any]
FEATURES = ["x", "y", "z"]


def cloud(n: int = 200, seed: int = 3) -> dict[str, Any]:
    """Rows of three classes in no order, each round centres of its own."""
    drawn = np.random.default_rng(seed)
    label = drawn.integers(0, 3, n)
    centre = drawn.integers(0, 4, n) * 3 + label
    points = centre[:, None] * [1.0, -2.0, 0.5] + drawn.normal(size=(n, 3))
    columns = {name: points[:, place].tolist() for place, name in enumerate(FEATURES)}
    return {"id": list(range(n)), "label": [f"c{code}" for code in label], **columns}


def points_of(data: dict[str, Any]) -> np.ndarray:
    """The features of the rows, shape (n_rows, n_features)."""
    return np.column_stack([data[name] for name in FEATURES])


def round_robin(rows: list[int], k: int) -> list[int]:
    """Deal rows round k folds."""
    folds = [-1] * len(rows)
    for turn, row in enumerate(rows):
        folds[row] = turn % k
    return folds


def rows_by_value(values: list[Any]) -> list[list[int]]:
    """The rows of every value, by first appearance."""
    found: dict[Any, list[int]] = {}
    for row, value in enumerate(values):
        found.setdefault(value, []).append(row)
    return list(found.values())


# The strategies of the papers -------------------------------------------------------------


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


@pytest.mark.parametrize("nested", [True, False], ids=["SCBCV", "KCBCV"])
@pytest.mark.parametrize("k", [2, 5])
def test_scbcv_and_kcbcv(frame: Make, nested: bool, k: int) -> None:
    """Rows by distance, cluster after cluster, class after class, go round the folds."""
    data, term = cloud(), sf.clusters(FEATURES, 4, scale=None)
    by = ["label", term] if nested else term
    folds = values(sf.kfold(frame(data), by, k, deal="circular"), "fold")
    assert folds == algorithm_1(data, 4, k, KMeans, nested)


@pytest.mark.parametrize("nested", [True, False], ids=["SCBCV Mini", "KCBCV Mini"])
def test_scbcv_mini_and_kcbcv_mini(frame: Make, nested: bool) -> None:
    """The same with mini-batches, whose size comes from the rows."""

    def mini(n: int, **options: Any) -> Any:
        return MiniBatchKMeans(n, batch_size=256, tol=1e-3, **options)

    data, term = cloud(), sf.clusters(FEATURES, 4, algorithm="minibatch", scale=None)
    by = ["label", term] if nested else term
    folds = values(sf.kfold(frame(data), by, 5, deal="circular"), "fold")
    assert folds == algorithm_1(data, 4, 5, mini, nested)


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


def drawn_rows(data: dict[str, Any], k: int) -> list[list[int]]:
    """The rows of every class in the order that the seed draws."""
    codes = np.array([int(label[1]) for label in dict.fromkeys(data["label"])])
    classes = np.array([codes.tolist().index(int(label[1])) for label in data["label"]])
    rows = shuffled(classes, 3, random_words(0, StreamTag.FOLD_ROWS, len(classes), k))
    return [rows[classes[rows] == code].tolist() for code in range(3)]


def db_scv(data: dict[str, Any], k: int) -> list[int]:
    """DB-SCV as Zeng and Martinez have it, class after class from a drawn row."""
    points, rows = points_of(data), []
    for own in drawn_rows(data, k):
        here, left = own[0], set(own[1:])
        rows.append(here)
        while left:
            near = np.linalg.norm(points - points[here], axis=1)
            here = min(left, key=lambda row: near[row])
            left.remove(here)
            rows.append(here)
    return rows


def dob_scv(data: dict[str, Any], k: int) -> list[list[int]]:
    """The blocks of DOB-SCV as Moreno-Torres et al. have it, class after class."""
    points, blocks = points_of(data), []
    for own in drawn_rows(data, k):
        left = list(own)
        while left:
            near = np.linalg.norm(points - points[left[0]], axis=1)
            block = sorted(left, key=lambda row: near[row])[:k]
            left = [row for row in left if row not in block]
            blocks.append(block)
    return blocks


def test_db_scv(frame: Make) -> None:
    """In every class a chain goes from a drawn row to the nearest row, and round the folds."""
    data = cloud()
    by = ["label", sf.chain(FEATURES, scale=None)]
    folds = values(sf.kfold(frame(data), by, 5, deal="circular"), "fold")
    assert folds == round_robin(db_scv(data, 5), 5)


@pytest.mark.parametrize("k", [2, 4])
def test_dob_scv(frame: Make, k: int) -> None:
    """A drawn row and its k - 1 nearest of those left in the class are in k folds."""
    data = cloud()
    by = ["label", sf.nearest(FEATURES, scale=None)]
    blocks = dob_scv(data, k)
    folds = values(sf.kfold(frame(data), by, k), "fold")
    assert all(len({folds[row] for row in block}) == len(block) for block in blocks)
    assert any(folds[block[0]] != 0 for block in blocks)
    circular = values(sf.kfold(frame(data), by, k, deal="circular"), "fold")
    assert circular == round_robin([row for block in blocks for row in block], k)


@pytest.mark.parametrize("kind", ["pandas", "polars-lazy"])
def test_twins_part(kind: str) -> None:
    """Pairs of twins, far from all others, are always parted."""
    order = np.random.default_rng(0).permutation(40).tolist()
    data = {"x": [10.0 * (row // 2) + 0.1 * (row % 2) for row in order]}
    for seed in range(20):
        folds = values(sf.kfold(make(kind, data), sf.nearest("x"), 2, seed=seed), "fold")
        by_row = dict(zip(order, folds, strict=True))
        assert all(by_row[row] != by_row[row + 1] for row in range(0, 40, 2))


# Meanings ---------------------------------------------------------------------------------


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
    table = sf.strata(frame(data), term)
    assert values(table, "cluster") == [0, 1, 2, -1]
    assert values(table, "n") == [2, 2, 2, 1]
    named = sf.clusters("x", 2, scale=None, name="group")
    assert sf.strata(frame(data), named).columns[0] == "group"


def test_few_distinct_rows(frame: Make) -> None:
    """A stratum has no more clusters than distinct rows, without a word of scikit-learn's."""
    data = {"label": list("aaaabbbc"), "x": [1, 1, 2, 2, 5, 5, 5, 9], "flag": [True] * 8}
    for algorithm in ("kmeans", "minibatch", "agglomerative", BisectingKMeans()):
        by = ["label", sf.clusters(["x", "flag"], 4, algorithm=algorithm)]
        assert values(sf.strata(frame(data), by), "n") == [2, 2, 3, 1]
    with pytest.warns(sf.StratWarning, match="no second cluster"):
        table = sf.strata(frame(data), ["label", sf.clusters(["x"], algorithm="dbscan")])
    assert values(table, "n") == [4, 3, 1]


def test_many_copies_of_few_rows() -> None:
    """Distinct rows are counted among all rows, however many copies come first."""
    frame = pl.DataFrame({"x": [0.0] * 5_000 + [1.0, 2.0, 1.0]})
    assert sf.strata(frame, sf.clusters("x", 3))["n"].to_list() == [5_000, 2, 1]


@pytest.mark.parametrize("nested", [False, True])
def test_auto_is_that_of_the_paper(nested: bool) -> None:
    """Iris has 4 clusters, as the paper's table says; so has each class of it."""
    iris = load_iris(as_frame=True)
    features = list(iris.data.columns)
    term = sf.clusters(features, scale=None)
    table = sf.strata(iris.frame, ["target", term] if nested else term)
    assert table.groupby("target").size().tolist() == [4] * 3 if nested else len(table) == 4


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
        found = values(sf.strata(frame(data), term), "n")
    assert sorted(found) == sorted(Counter(labels.tolist()).values())


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
        table = eager(sf.strata(frame(data), by))
    assert [str(each.message).partition("\n")[0] for each in caught] == [
        "`sf.clusters` with algorithm='agglomerative' merged a sample of 30 rows in 2 strata of"
        " more, and gave the other rows to the nearest centre."
    ]
    assert values(table, "n") == [25] * 8


def test_objects(frame: Make) -> None:
    """An object is cloned, given a seed and the number of clusters, and uses its centres."""
    data = cloud()
    model = BisectingKMeans(n_clusters=2)
    table = sf.strata(frame(data), sf.clusters(FEATURES, 5, algorithm=model))
    assert len(values(table, "n")) == 5
    assert not hasattr(model, "labels_")
    assert model.n_clusters == 2
    assert len(values(sf.strata(frame(data), sf.clusters(FEATURES, algorithm=model)), "n")) == 2
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
            assert values(sf.strata(frame({"x": [unit * x for x in steps]}), term), "n") == [10, 10]


def test_pipelines_are_seeded() -> None:
    """The steps of a pipeline get the seed and the number of clusters."""
    noise = np.random.default_rng(0).normal(size=(300, 3))
    frame = pd.DataFrame(noise, columns=FEATURES)
    model = make_pipeline(StandardScaler(), KMeans(3, n_init=1))
    term = sf.clusters(FEATURES, 5, algorithm=model)
    tables = [sf.strata(frame, term) for _ in range(3)]
    assert len(tables[0]) == 5
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


def test_objects_on_small_strata(frame: Make) -> None:
    """A stratum with fewer distinct rows than the object's own number has as many clusters."""
    data = {"label": ["a"] * 20 + ["b"] * 5, "x": list(range(25))}
    table = sf.strata(frame(data), ["label", sf.clusters("x", algorithm=KMeans(8))])
    assert values(table, "label") == ["a"] * 8 + ["b"] * 5


def test_centres_beside_noise() -> None:
    """Noise is ordered by its mean, and leaves the other clusters the centres of the fit."""
    points = np.array([[0.0], [0.1], [0.3], [5.0], [5.2], [90.0], [70.0]])
    model = MeanShift(bandwidth=1.0, cluster_all=False)
    fitted = MeanShift(bandwidth=1.0, cluster_all=False).fit(points)
    known = fitted.labels_ >= 0
    term = sf.clusters("x", algorithm=model, scale=None)
    found = clustering.cluster(term, points.T, np.zeros(7, dtype=int), 1, 0)
    expected = np.abs(points[known] - fitted.cluster_centers_[fitted.labels_[known]]).ravel()
    np.testing.assert_allclose(found.distances[known], expected, atol=1e-9)


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
    assert values(sf.strata(frame({"x": [1.0, -1.0, 2.0, 3.0]}), term), "n") == [3, 1]
    assert values(sf.strata(frame({"x": [1.0, -1.0, 1.0]}), term), "n") == [3]


def test_features_of_any_numeric_type(kind: str) -> None:
    """Integers, booleans and floats, nullable or not, are features of the same value."""
    x, flag = [1, 5, 2, 7, 3, 9, 4, 8], [True, False] * 4
    whole = make(kind, {"x": x, "flag": flag})
    floats = make(kind, {"x": [float(v) for v in x], "flag": [float(v) for v in flag]})
    for term in (sf.clusters, sf.chain, sf.nearest):
        by = term(["x", "flag"])
        here, there = (values(sf.kfold(each, by, 3), "fold") for each in (whole, floats))
        assert here == there


def test_features_may_be_computed() -> None:
    """Features are expressions on Polars frames and callables on pandas frames, too."""
    data = cloud(40)
    frame, lazy = pd.DataFrame(data), pl.LazyFrame(data)
    for term in (sf.clusters, sf.chain, sf.nearest):
        one = sf.kfold(frame, term([lambda df: df["x"] * 2, "y"]), 4)["fold"].tolist()
        two = sf.kfold(lazy, term([pl.col("x") * 2, "y"]), 4).collect()["fold"].to_list()
        assert one == two


@pytest.mark.parametrize("scale", ["standard", "minmax"])
@pytest.mark.parametrize("term", [sf.clusters, sf.chain, sf.nearest])
def test_scales_make_units_alike(frame: Make, scale: str, term: Any) -> None:
    """Scaled features count alike, whatever their units; a constant one does not count."""
    data = cloud(60)
    data["one"] = [0.1] * 60
    moved = {**data, "y": [1024 * y for y in data["y"]]}
    more = [*FEATURES, "one"]
    here = values(sf.kfold(frame(data), term(FEATURES, scale=scale), 4), "fold")
    there = values(sf.kfold(frame(moved), term(more, scale=scale), 4), "fold")
    raw = values(sf.kfold(frame(moved), term(FEATURES, scale=None), 4), "fold")
    assert here == there
    assert here != raw


def test_seeds(frame: Make) -> None:
    """The seed of the call starts clusters and chains; a term's own goes before it."""
    data = cloud()
    noise = np.random.default_rng(5).normal(size=(200, 3))
    data |= {name: noise[:, place].tolist() for place, name in enumerate(FEATURES)}

    def sizes(seed: int, own: int | None) -> list[int]:
        term = sf.clusters(FEATURES, 5, seed=own)
        return [n // 4 for n in values(sf.plan(frame(data), term, k=4, seed=seed), "n")]

    counts = {tuple(sorted(sizes(seed, None))) for seed in range(5)}
    assert len(counts) > 1
    assert len({tuple(sorted(sizes(seed, 1))) for seed in range(5)}) == 1
    chains = {
        tuple(values(sf.kfold(frame(data), sf.chain("x"), deal="circular", seed=seed), "fold"))
        for seed in range(5)
    }
    assert len(chains) == 5


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


def test_orders_have_no_column(frame: Make) -> None:
    """An entry that orders rows has no column in tables, and makes no strata."""
    data = cloud(30)
    for term in (sf.chain(FEATURES), sf.nearest(FEATURES)):
        table = eager(sf.strata(frame(data), ["label", term]))
        assert list(table.columns) == ["label", "n", "share"]
        assert values(sf.strata(frame(data), term), "n") == [30]


def test_clusters_before_other_entries(frame: Make) -> None:
    """Entries that follow nest inside the clusters, and may order the rows anew."""
    data = cloud()
    term = sf.clusters(FEATURES, 3)
    for last in ("label", sf.continuous("x"), sf.chain("y"), sf.clusters("z", 2, name="more")):
        folds = values(sf.kfold(frame(data), [term, last], 5), "fold")
        assert max(Counter(folds).values()) - min(Counter(folds).values()) <= 1
        for n in values(sf.plan(frame(data), [term, last], 5), "n"):
            assert n >= 0


@pytest.mark.parametrize("deal", ["random", "circular"])
def test_samples_and_parts_along_orders(frame: Make, deal: str) -> None:
    """Parts and samples have their exact sizes along every order, and take rows from all over."""
    data = cloud(100)
    for term in (sf.chain(FEATURES), sf.nearest(FEATURES), sf.clusters(FEATURES, 4)):
        by = ["label", term]
        parts = {"train": 0.8, "test": 0.2}
        found = Counter(values(sf.split(frame(data), by, parts, deal=deal), "split"))
        assert found == {"train": 80, "test": 20}
        assert len(eager(sf.sample(frame(data), by, n=7))) == 7
        assert len(eager(sf.sample(frame(data), by, n=0))) == 0


@pytest.mark.parametrize("deal", ["random", "circular"])
def test_blocks_of_a_split(kind: str, deal: str) -> None:
    """Of ten groups of ten rows each, far apart, a tenth of the rows has one of each group."""
    x = [1_000.0 * (row % 10) + row / 100 for row in range(100)]
    for block in (None, 10):
        by = sf.nearest("x", block)
        out = sf.split(make(kind, {"x": x}), by, {"train": 0.9, "test": 0.1}, deal=deal)
        parts = values(out, "split")
        held = Counter(row % 10 for row in range(100) if parts[row] == "test")
        assert len(held) >= 8


def test_repeats_have_orders_of_their_own() -> None:
    """Repeated columns start their chains anew, and the first is that of one repeat."""
    frame = pl.DataFrame(cloud())
    by = ["label", sf.chain(FEATURES)]
    many = sf.kfold(frame, by, 5, repeats=3, deal="circular")
    assert many["fold_1"].to_list() == sf.kfold(frame, by, 5, deal="circular")["fold"].to_list()
    assert len({tuple(many[f"fold_{i}"]) for i in (1, 2, 3)}) == 3


# Extras and the bar -----------------------------------------------------------------------


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.mark.parametrize("terminal", [True, False])
def test_bar_shows_on_a_terminal_only(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """An order by nearness that takes long shows a bar, but only on a terminal."""
    stream = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", 0)
    sf.kfold(pl.DataFrame(cloud(50)), sf.chain(FEATURES))
    assert ("50/50" in stream.getvalue()) == terminal


def test_a_short_order_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """An order that is done in less than two seconds shows nothing."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    sf.kfold(pl.DataFrame(cloud(50)), sf.chain(FEATURES))
    assert "50/50" not in stream.getvalue()


def test_orders_need_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains and blocks work without scikit-learn, and without tqdm they show no bar."""
    for module in ("sklearn", "tqdm", "kneed"):
        monkeypatch.setitem(sys.modules, module, None)
    for term in (sf.chain(FEATURES), sf.nearest(FEATURES)):
        assert set(sf.kfold(pl.DataFrame(cloud(50)), term)["fold"]) == set(range(5))


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


def test_the_fixtures_see_the_extras() -> None:
    """The extras are installed where these tests run, and every kind of frame is tried."""
    assert all(importlib.util.find_spec(name) for name in ("sklearn", "kneed", "tqdm"))
    assert len(KINDS) == 5
