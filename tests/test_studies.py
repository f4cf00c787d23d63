"""The studies behind the pages of docs/ run, and measure what they say."""

import runpy
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import energy_distance
from sklearn.datasets import load_breast_cancer, load_wine

import stratframe as sf

STUDIES = Path(__file__).parents[1] / "docs" / "studies"


@pytest.fixture(scope="module")
def quality() -> dict[str, Any]:
    """The names of the study of quality."""
    return runpy.run_path(str(STUDIES / "quality.py"))


def test_energy_distance_is_scipys(quality: dict[str, Any]) -> None:
    """The distance of a fold to the rest is SciPy's, squared, averaged over the folds."""
    drawn = np.random.default_rng(0)
    points = drawn.normal(size=90)
    folds = drawn.integers(0, 3, 90)
    expected = [energy_distance(points[folds == i], points[folds != i]) ** 2 for i in range(3)]
    found = quality["energy_distance"](cdist(points[:, None], points[:, None]), folds, 3)
    assert found == pytest.approx(np.mean(expected))


@pytest.fixture(scope="module")
def distances(quality: dict[str, Any]) -> pd.DataFrame:
    """The stored distances of the study of quality."""
    return pd.read_parquet(quality["RESULTS"]).set_index(["data set", "k", "seed"])


def test_quality_is_that_of_the_folds_of_today(quality: Any, distances: pd.DataFrame) -> None:
    """The stored distances are those of the folds as they are now: else run the study again."""
    found = quality["measure"](load_wine(as_frame=True).frame, range(2))
    stored = distances.loc["wine"].loc[found.index]
    assert distances["SCV"].groupby("data set").mean().nunique() == 17
    by_sklearn = [name for name in found.columns if name.startswith("SCBCV")]
    exact = found.columns.drop(by_sklearn)
    np.testing.assert_allclose(found[exact], stored[exact], rtol=1e-9)
    # The clusters of another version of scikit-learn may differ a little.
    np.testing.assert_allclose(found[by_sklearn].mean(), stored[by_sklearn].mean(), rtol=0.1)


def test_errors_of_quality(quality: dict[str, Any]) -> None:
    """The errors of ratios are those of the mean over seeds, with k-fold at the same seeds."""
    drawn = np.random.default_rng(0)
    names = ["data set", "k", "seed"]
    index = pd.MultiIndex.from_product([["a", "b"], [2], range(20)], names=names)
    found = pd.DataFrame(drawn.uniform(1, 2, (40, 2)), index, ["k-fold", "SCV"])
    found["half"] = found["k-fold"] / 2
    shares, errors = quality["ratios"](found)
    np.testing.assert_allclose(shares["half"], 0.5)
    np.testing.assert_allclose(errors["half"], 0, atol=1e-12)
    rows = drawn.integers(0, 20, (4000, 20))
    means = {name: found.loc["a", name].to_numpy()[rows].mean(axis=1) for name in found}
    expected = np.std(means["SCV"] / means["k-fold"])
    assert errors.loc[("a", 2), "SCV"] == pytest.approx(expected, rel=0.1)


def test_bias_of_the_circular_deal() -> None:
    """Fold 0 is nearest to the centres and the last fold farthest, unless blocks are shuffled."""
    study = runpy.run_path(str(STUDIES / "bias.py"))
    frame = study["blobs"]()
    circular = study["mean_places"](frame, "circular", 2)
    assert (np.diff(circular[0]) > 0.01).all()
    np.testing.assert_array_equal(circular[0], circular[1])
    drawn = study["mean_places"](frame, "random", 200).mean(axis=0)
    assert np.ptp(drawn) < 0.01


@pytest.fixture(scope="module")
def paper() -> dict[str, Any]:
    """The names of the study that redoes a paper's experiment."""
    return runpy.run_path(str(STUDIES / "paper.py"))


@pytest.fixture
def sample() -> pd.DataFrame:
    """The wine data in random order, target last."""
    return load_wine(as_frame=True).frame.sample(frac=1, random_state=0, ignore_index=True)


def test_published_folds_ignore_class(paper: dict[str, Any], sample: pd.DataFrame) -> None:
    """Positions of a sorted copy keep the sizes of folds even, but not their classes."""
    for code in paper["CODES"]:
        folds = paper["make_folds"](sample, "SCBCV", 10, 0, 4, code)
        counts = pd.crosstab(sample["target"], folds).to_numpy()
        assert np.ptp(counts.sum(axis=0)) <= 1
        off = np.ptp(counts, axis=1).max()
        assert off > 3 if code == "published" else off <= 1


STORED = {
    "quality": {"data set": 17, "k": 3, "seed": 20},
    "choices": {"population": 8, "sample": 100, "estimator": 5, "strategy": 5, "k": 2, "repeat": 2},
    "rows": {"population": 3, "sample": 200, "estimator": 3, "repeat": 2},
    "authors": {"data_set": 13, "number": 20, "strategy": 7, "k": 2},
}
"""The numbers of different values in the columns that tell the rows of a stored table apart."""


def test_stored_tables_are_complete() -> None:
    """Each combination of values has its row, once, and no figure is missing."""
    for name, sizes in STORED.items():
        rows = pd.read_parquet(STUDIES / f"{name}.parquet")
        assert rows[[*sizes]].nunique().to_dict() == sizes, name
        assert len(rows) == len(rows[[*sizes]].drop_duplicates()) == prod(sizes.values()), name
        assert rows.notna().all(axis=None), name


def test_permutation_keeps_samples(paper: dict[str, Any]) -> None:
    """Shuffled strategies keep the scores of a sample together, and learners in step."""
    drawn = np.random.default_rng(0).random((3, 1, 4, 5))
    mixed = paper["permute"](np.concatenate([drawn, drawn + 1], axis=1))
    np.testing.assert_allclose(mixed[:, :, 1], mixed[:, :, 0] + 1)
    np.testing.assert_array_equal(np.sort(mixed[7, :, 0], axis=1), np.sort(drawn[:, 0], axis=1))
    assert (mixed[0, :, 0] != drawn[:, 0]).any()


def test_scores_of_the_paper_study_are_those_of_the_folds_of_today(paper: dict[str, Any]) -> None:
    """The stored scores belong to the folds as they are now: else run the study again."""
    assert paper["FOLDS"].read_text() == f"{paper['hash_folds']()}\n"


def test_estimates_are_those_of_the_folds_of_today() -> None:
    """The stored estimates are those of the folds as they are now: else run the study again."""
    study = runpy.run_path(str(STUDIES / "strategies.py"), run_name="study")
    each = study["population"]("breast_cancer", *load_breast_cancer(return_X_y=True), size=150)
    name = "nearest neighbours"
    stored = pd.read_parquet(study["RESULT"])
    stored = stored[stored["population"].eq(each.name) & stored["estimator"].eq(name)]
    found = sf.study.estimates(
        each.frame,
        sf.classes("target"),
        each.frame.columns[:-1],
        estimators={name: study["CLASSIFIERS"][name]},
        k=(2, 5, 10),
        sample=each.size,
        samples=1,
        repeats=study["REPEATS"],
    ).to_pandas()
    keys = ["strategy", "k", "sample", "repeat"]
    rows = (each.astype({"strategy": str}).set_index(keys) for each in (found, stored))
    found, stored = (each["estimate"] for each in rows)
    # The clusters of another version of scikit-learn may differ.
    found = found[[not name.startswith(("KCBCV", "SCBCV")) for name, *_ in found.index]]
    assert len(found) == 7 * 3 * 2
    np.testing.assert_allclose(found, stored[found.index], atol=1e-6)


def test_scores_by_neighbours_are_too_high_where_models_are_wrong() -> None:
    """Scores are too high by 1 point where one row in ten is wrong, by 4 where one in three is."""
    study = runpy.run_path(str(STUDIES / "tables.py"))
    found = study["too_high"](study["read"]("strategies"))
    highest = found["DB-SCV"].str.split(" to ").str[1].astype(float)
    assert (highest[found["wrong"] >= 33] > 4).all()
    assert (highest[found["wrong"] >= 10] > 1).all()
    assert (highest[found["wrong"] < 10] < 1).all()
