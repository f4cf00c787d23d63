"""Compare strategies by the error of the difference between two close models.

    python docs/studies/choices.py [FOLDER [CACHE]]

FOLDER holds the data sets of docs/studies/strategies.py; without it, there are 6 populations, with
it 8. CACHE is a folder for finished samples, from which a stopped run goes on. Saves
docs/studies/choices.parquet. Takes about an hour on two cores.
"""

import os

# One thread in each process; it is too late to say so when NumPy is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import sys
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from strategies import Population, populations, run, save

import stratframe as sf

RESULT = Path(__file__).with_suffix(".parquet")

NAMES = {
    *("breast_cancer", "imbalanced", "blobs", "diabetes", "friedman", "heavy tail"),
    *("contraceptive", "wine alcohol"),
}
"""Populations of more than two features and at most three classes, on which boosting is quick."""

PAIRS = [
    ("linear", "linear, penalized"),
    ("linear", "linear, fewer features"),
    ("boosted, depth 2", "boosted, depth 4"),
]
"""The close models; the other pairs of the five are there for comparison."""

SAMPLES = 100
REPEATS = 2


def leave_out_columns(features: pl.DataFrame) -> pl.DataFrame:
    """Leave out the third column, and every fourth after it."""
    return features[:, [place for place in range(features.width) if place % 4 != 2]]


def models(is_regression: bool) -> dict[str, Any]:
    """Make two boosted models and three linear ones, each two of them close."""
    boosted = HistGradientBoostingRegressor if is_regression else HistGradientBoostingClassifier
    linear = Ridge() if is_regression else LogisticRegression(tol=1e-2, max_iter=200)
    penalized = Ridge(30) if is_regression else LogisticRegression(C=0.05, tol=1e-2, max_iter=200)
    return {
        "linear": linear,
        "linear, penalized": penalized,
        "linear, fewer features": make_pipeline(FunctionTransformer(leave_out_columns), linear),
        "boosted, depth 2": boosted(max_iter=30, max_depth=2, min_samples_leaf=5),
        "boosted, depth 4": boosted(max_iter=30, max_depth=4, min_samples_leaf=5),
    }


def strategies(is_regression: bool, features: list[str]) -> dict[str, Any]:
    """List plain folds, and those of clusters and of neighbours within the target."""
    target = sf.quantiles("target", 10) if is_regression else sf.classes("target")
    return {
        "k-fold": None,
        "SCV": target,
        "SCBCV, random": [target, sf.clusters(features, 4)],
        "DB-SCV": {"by": [target, sf.chain(features)], "deal": "circular"},
        "DOB-SCV": [target, sf.nearest(features)],
    }


def run_close(each: Population, cache: Path) -> pl.DataFrame:
    """Estimate the scores of close models on a population."""
    return run(
        each,
        strategies=strategies(each.is_regression, each.frame.columns[:-1]),
        estimators=models(each.is_regression),
        k=(5, 10),
        samples=SAMPLES,
        repeats=REPEATS,
        cache=cache,
    )


def main(arguments: list[str]) -> None:
    """Run all populations, and save the estimates."""
    folder = Path(arguments[0]) if arguments else None
    cache = Path(arguments[1] if len(arguments) > 1 else tempfile.mkdtemp())
    sklearn.set_config(assume_finite=True, skip_parameter_validation=True)
    save([run_close(each, cache) for each in populations(folder) if each.name in NAMES], RESULT)


if __name__ == "__main__":
    main(sys.argv[1:])
