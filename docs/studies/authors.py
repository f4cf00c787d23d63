"""Run the splitters of the authors of a published comparison on the samples of `paper.py`.

    PYTHONPATH=CODE python docs/studies/authors.py FOLDER

CODE is a folder with their repository, amspezia/K-Fold-Partitioning-Methods on GitHub, whose
modules need kneed, matplotlib, pmlb and seaborn; FOLDER holds the data sets of `paper.py`. Saves
docs/studies/authors.parquet: how even classes and sizes are in their folds, and the scores of a
decision tree. Takes a few minutes.
"""

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from kfoldmethods.experiments.estimate_clustering_parameters import find_suitable_eps
from kfoldmethods.splitters.ACBCV import ACBCVSplitter
from kfoldmethods.splitters.CBCV import CBCVSplitter
from kfoldmethods.splitters.DBSCANBCV import DBSCANBCVSplitter
from kfoldmethods.splitters.SCBCV import SCBCVSplitter
from paper import (
    CLUSTERS,
    KS,
    SAMPLES,
    choose_metric,
    data_sets,
    draw_rows,
    fit_folds,
    split_target,
    tune,
)
from sklearn.model_selection import StratifiedKFold
from tqdm import tqdm

from stratframe.core.evenness import judge_cells

RESULT = Path(__file__).with_suffix(".parquet")

SEED = 123
"""The seed of all splitters, as in the authors' settings."""


def splitters(frame: pd.DataFrame, n_clusters: int) -> dict[str, Any]:
    """Make the splitters with the settings of the authors, for a data set."""
    points, _ = split_target(frame)
    at_least = 2 * points.shape[1]
    radius = find_suitable_eps(points, at_least - 1)
    number = {"n_clusters": n_clusters}
    return {
        "SCV": (StratifiedKFold, {}),
        "KCBCV": (CBCVSplitter, number | {"minibatch_kmeans": False}),
        "KCBCV Mini": (CBCVSplitter, number | {"minibatch_kmeans": True}),
        "SCBCV": (SCBCVSplitter, number | {"minibatch_kmeans": False}),
        "SCBCV Mini": (SCBCVSplitter, number | {"minibatch_kmeans": True}),
        "ACBCV": (ACBCVSplitter, number),
        "DBSCANBCV": (DBSCANBCVSplitter, {"eps": radius, "min_samples": at_least}),
    }


def take_folds(splitter: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the fold of each row, by the positions of the test rows as the splitter has them."""
    folds = np.full(len(y), -1)
    for fold, (_, test) in enumerate(splitter.split(x, y)):
        assert (folds[test] < 0).all()
        folds[test] = fold
    assert (folds >= 0).all()
    return folds


def unevenness(folds: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Sum the squared deviations of classes, and what they are in random folds of these sizes."""
    table = pd.crosstab(y, folds).to_numpy()
    cells = judge_cells(table)
    return {
        "squares": float((cells.off**2).sum()),
        "by_chance": float((cells.spread**2).sum()),
        "size_range": int(np.ptp(table.sum(axis=0))),
    }


def measure(name: str, frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield a row for each sample, k and splitter on one data set."""
    model, metric = {"DT": tune(frame, "DT")}, choose_metric(frame)
    made = splitters(frame, CLUSTERS[name])
    for number, rows in enumerate(draw_rows(frame, SAMPLES, 1)):
        sample = frame.iloc[rows].reset_index(drop=True)
        x, y = split_target(sample)
        for k in KS:
            for strategy, (make, options) in made.items():
                splitter = make(n_splits=k, shuffle=True, random_state=SEED, **options)
                folds = take_folds(splitter, x, y)
                (scored,) = fit_folds(sample, model, folds, metric)
                row = {"data_set": name, "strategy": strategy, "k": k, "number": number}
                yield row | unevenness(folds, y) | {"score": scored["score"]}


def main(arguments: list[str]) -> None:
    """Measure all data sets of a folder, and save the result."""
    warnings.simplefilter("ignore")
    frames = list(data_sets(Path(arguments[0])))
    found = [row for name, frame in tqdm(frames) for row in measure(name, frame)]
    small = {"k": "int8", "number": "int16", "size_range": "int16"}
    names = {"data_set": "category", "strategy": "category"}
    table = pd.DataFrame(found).astype(small | names)
    table.to_parquet(RESULT, index=False, compression="zstd")


if __name__ == "__main__":
    main(sys.argv[1:])
