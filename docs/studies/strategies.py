"""Compare strategies by the error of the scores that they estimate, on 12 populations.

    python docs/studies/strategies.py [FOLDER [CACHE]]

FOLDER holds the data sets contraceptive, vowel and wine_quality_red of the Penn Machine
Learning Benchmarks as NAME.csv.gz; without it, there are 8 populations. CACHE is a folder for
finished samples, from which a stopped run goes on. Saves docs/studies/strategies.parquet, which
docs/study-evidence.md reads. Takes about an hour on two cores.
"""

import os

# One thread in each process; it is too late to say so when NumPy is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import sklearn
from sklearn import datasets
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import scale
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import stratframe as sf

RESULT = Path(__file__).with_suffix(".parquet")

N_ROWS = 5000
"""Rows of a generated population."""

CLASSIFIERS = {
    "linear": LogisticRegression(tol=1e-2, max_iter=200),
    "nearest neighbours": KNeighborsClassifier(),
    "tree": DecisionTreeClassifier(),
    "support vectors": SVC(),
}
REGRESSORS = {
    "linear": Ridge(),
    "nearest neighbours": KNeighborsRegressor(),
    "tree": DecisionTreeRegressor(),
    "support vectors": SVR(),
}

SAMPLES = 100
REPEATS = 2
"""Two repeats show what more of them are worth."""


class Population(NamedTuple):
    """Standardized features, a target, and the size of the samples."""

    name: str
    frame: pl.DataFrame
    is_regression: bool
    size: int


# Populations ----------------------------------------------------------------------------


def populations(folder: Path | None) -> Iterator[Population]:
    """Yield all populations: bundled with scikit-learn, generated, and in a folder."""
    yield population("breast_cancer", *datasets.load_breast_cancer(return_X_y=True), size=150)
    yield population("digits", *datasets.load_digits(return_X_y=True))
    yield regression("diabetes", *datasets.load_diabetes(return_X_y=True), size=150)
    yield population("imbalanced", *imbalanced())
    yield population("blobs", *blobs())
    yield population("moons", *datasets.make_moons(N_ROWS, noise=0.3, random_state=0))
    yield regression("friedman", *datasets.make_friedman1(N_ROWS, noise=1, random_state=0))
    yield regression("heavy tail", *heavy_tail())
    if folder is None:
        return
    for name in ("contraceptive", "vowel", "wine_quality_red"):
        yield population(name, *read_columns(folder / f"{name}.csv.gz", "target"))
    wine = folder / "wine_quality_red.csv.gz"
    yield regression("wine alcohol", *read_columns(wine, "alcohol", "target"))


def read_columns(path: Path, target: str, *left_out: str) -> tuple[np.ndarray, np.ndarray]:
    """Read the features and the target of a data set."""
    data = pl.read_csv(path).drop(left_out)
    return data.drop(target).to_numpy(), data[target].to_numpy()


def imbalanced() -> tuple[np.ndarray, np.ndarray]:
    """Generate two classes, one of them with a twentieth of the rows."""
    return datasets.make_classification(
        N_ROWS, 8, n_informative=5, weights=[0.95], class_sep=1.5, random_state=0
    )


def blobs() -> tuple[np.ndarray, np.ndarray]:
    """Generate three classes of four blobs each."""
    points, blob = datasets.make_blobs(N_ROWS, 5, centers=12, cluster_std=3, random_state=0)
    return points, blob % 3


def heavy_tail() -> tuple[np.ndarray, np.ndarray]:
    """Generate a target with errors of Student's t distribution with 2.5 degrees of freedom."""
    drawn = np.random.default_rng(0)
    points = drawn.normal(size=(N_ROWS, 6))
    signal = points[:, 0] + np.abs(points[:, 1]) + points[:, 2] * points[:, 3]
    return points, signal + drawn.standard_t(2.5, N_ROWS)


def population(name: str, points: np.ndarray, target: np.ndarray, size: int = 200) -> Population:
    """Make a population of classes, without constant features."""
    kept = scale(points[:, points.std(axis=0) > 0].astype(np.float64))
    columns = {f"x{place}": values for place, values in enumerate(kept.T)}
    return Population(name, pl.DataFrame(columns | {"target": target}), False, size)


def regression(name: str, points: np.ndarray, target: np.ndarray, size: int = 200) -> Population:
    """Make a population with a standardized target, whose errors are in standard deviations."""
    return population(name, points, scale(target), size)._replace(is_regression=True)


# Runs -----------------------------------------------------------------------------------


def run(each: Population, **options: Any) -> pl.DataFrame:
    """Estimate the scores on a population."""
    found = sf.study.estimates(
        each.frame,
        (sf.continuous if each.is_regression else sf.classes)("target"),
        each.frame.columns[:-1],
        sample=each.size,
        n_jobs=2,
        **options,
    )
    print(each.name, file=sys.stderr, flush=True)
    return found.select(
        pl.lit(each.name).alias("population"),
        pl.lit(each.is_regression).alias("regression"),
        pl.all(),
    )


def save(found: list[pl.DataFrame], path: Path) -> None:
    """Save the results with the smallest types that hold them, and rounded times."""
    texts = [pl.col(name).cast(pl.Categorical) for name in ("population", "strategy", "estimator")]
    counts = [pl.col(name).cast(pl.Int16) for name in ("k", "sample", "repeat")]
    scores = pl.col("estimate", "truth").cast(pl.Float32)
    times = pl.col("seconds", "fold_seconds").round_sig_figs(2).cast(pl.Float32)
    rows = pl.concat(found).with_columns(*texts, *counts, scores, times)
    rows.write_parquet(path, compression="zstd", compression_level=19)


def main(arguments: list[str]) -> None:
    """Run all populations, and save the estimates."""
    folder = Path(arguments[0]) if arguments else None
    cache = Path(arguments[1] if len(arguments) > 1 else tempfile.mkdtemp())
    sklearn.set_config(assume_finite=True, skip_parameter_validation=True)
    found = [
        run(
            each,
            estimators=REGRESSORS if each.is_regression else CLASSIFIERS,
            k=(2, 5, 10),
            samples=SAMPLES,
            repeats=REPEATS,
            cache=cache,
        )
        for each in populations(folder)
    ]
    save(found, RESULT)


if __name__ == "__main__":
    main(sys.argv[1:])
