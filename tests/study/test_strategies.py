"""The default strategies deal as the calls that the page names, and the study uses them."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

import stratframe as sf
from stratframe.study.strategies import check_strategies, deal_folds
from stratframe.study.target import read_target
from tests.study.samples import FEATURES, population, to_library

SHARED = [
    "k-fold",
    "SCV",
    "SCBCV, random",
    "DB-SCV",
    "DOB-SCV",
    "nearest, with target",
    "margins",
    "SCV, then PC1",
]


def default_strategy(name: str, frame: Any, target: str) -> Any:
    return check_strategies(None, read_target(frame, target), FEATURES, frame)[name]


def folds_of(strategy: Any, frame: Any, k: int, seed: int) -> list[int]:
    folds = np.empty(len(frame), dtype=int)
    target = read_target(frame, "label")
    for fold, (_, test) in enumerate(deal_folds(strategy, frame, target, k, seed)):
        folds[test] = fold
    return folds.tolist()


@pytest.mark.parametrize(
    ("library", "target", "more"),
    [("pandas", "label", ["KCBCV", "SCBCV"]), ("polars", "price", ["sorted"])],
)
def test_the_default_strategies(library: str, target: str, more: list[str]) -> None:
    """The default strategies are those of the literature, which balance the target."""
    frame = to_library(population(), library)
    read = read_target(frame, target)
    found = check_strategies(None, read, FEATURES, frame)
    assert sorted(found) == sorted(SHARED + more)
    assert len(np.array(sf.cv(sf.kfold(frame, read.term, 2))[0][0])) == 60
    for name, strategy in found.items():
        folds = np.array(folds_of(strategy, frame, 5, 1))
        assert np.ptp(np.bincount(folds)) <= 1
        if name not in ("k-fold", "KCBCV", "nearest, with target", "sorted"):
            counts = sf.balance(to_library(population().assign(fold=folds), library), read.term)
            assert np.ptp(np.array(counts["deviation"])) < 2, name


def test_nearest_with_the_target_among_the_features() -> None:
    """The target becomes features of zeros and ones: one for two classes, three for three."""
    frame = population()
    found = default_strategy("nearest, with target", frame, "label")
    # The first row is of the class "no", so that "yes" is 1.
    assert frame["label"][0] == "no"
    numbers = frame.assign(label=(frame["label"] == "yes").astype(float))
    expected = numbers.strat.kfold(sf.nearest([*FEATURES, "label"]), 3, seed=4)["fold"]
    assert folds_of(found, frame, 3, 4) == expected.tolist()
    town = np.array(["a", "b", "c"] * 40)
    three = frame.assign(town=town, a=town == "a", b=town == "b", c=town == "c")
    found = default_strategy("nearest, with target", three, "town")
    expected = three.strat.kfold(sf.nearest([*FEATURES, "a", "b", "c"]), 3, seed=4)["fold"]
    assert folds_of(found, three, 3, 4) == expected.tolist()


@pytest.mark.parametrize("target", ["label", "price"])
def test_the_first_component_orders_the_rows(target: str) -> None:
    """Within the strata of the target, rows are sorted by the component of scaled features."""
    frame = population()
    strata = "label" if target == "label" else sf.quantiles("price", 10)
    scaled = StandardScaler().fit_transform(frame[FEATURES])
    component = PCA(1, svd_solver="full").fit_transform(scaled)[:, 0]
    found = default_strategy("SCV, then PC1", frame, target)
    expected = frame.assign(c=component).strat.kfold([strata, sf.continuous("c")], 4, seed=2)
    assert folds_of(found, frame, 4, 2) == expected["fold"].tolist()


def test_the_populations_of_the_study() -> None:
    """The study has eight standardized populations, three of them regressions."""
    path = str(Path(__file__).parents[2] / "docs" / "studies" / "strategies.py")
    study = runpy.run_path(path, run_name="study")
    found = list(study["populations"](None))
    assert len(found) == 8
    assert sum(each.is_regression for each in found) == 3
    for each in found:
        features = each.frame.drop("target").to_numpy()
        np.testing.assert_allclose(features.mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(features.std(axis=0), 1)
        assert each.frame.height >= 2 * each.size
    assert study["imbalanced"]()[1].mean() == pytest.approx(0.05, abs=0.01)
