"""Plot why a circular deal of clusters is biased and one in random blocks is not.

    python docs/studies/bias.py

Saves docs/images/bias.png, for six blobs of 50 rows and for scikit-learn's breast cancer data.
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, make_blobs

import stratframe as sf
from stratframe.terms.clusters import cluster

mpl.use("Agg")

IMAGE = Path(__file__).parents[1] / "images" / "bias.png"
K = 10
DEALS = 200


def blobs() -> pd.DataFrame:
    """Make six well-separated blobs of 50 rows, so that every cluster starts at fold 0."""
    points, _ = make_blobs([50] * 6, centers=20 * np.eye(6), random_state=0)
    return pd.DataFrame(points, columns=list("abcdef"))


def mean_places(frame: pd.DataFrame, deal: str, count: int) -> np.ndarray:
    """Return the mean position of each fold's rows between centre (0) and rim (1).

    Returns
    -------
    ndarray of float64, shape (count, k)
    """
    term = sf.clusters(list(frame.columns), 6, seed=0)
    points = np.ascontiguousarray(frame.to_numpy().T)
    labels, distances = cluster(term, points, np.zeros(len(frame), dtype=int), 1)
    ranked = pd.Series(distances).groupby(labels)
    places = ((ranked.rank() - 0.5) / ranked.transform("size")).to_numpy()
    dealt = frame.strat.kfold(term, K, deal=deal, repeats=count)
    folds = [dealt[name] for name in dealt.columns[len(frame.columns) :]]
    return np.array([[places[fold == i].mean() for i in range(K)] for fold in folds])


def main() -> None:
    """Plot both data sets side by side."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    sets = {
        "six blobs of 50 rows": blobs(),
        "breast cancer, six clusters": load_breast_cancer(as_frame=True).data,
    }
    for axis, (title, frame) in zip(axes, sets.items(), strict=True):
        drawn = mean_places(frame, "random", DEALS)
        axis.plot(drawn[:40].T, color="0.82", linewidth=0.7)
        axis.axhline(0.5, color="0.4", linewidth=0.8, linestyle="--")
        for deal, found, colour, mark in [
            ("random, mean of 200 deals", drawn.mean(axis=0), "#0072b2", "o"),
            ("circular, always", mean_places(frame, "circular", 2)[0], "#d55e00", "s"),
        ]:
            axis.plot(found, color=colour, linewidth=2, marker=mark, label=deal)
        axis.set_title(title)
        axis.set_xlabel("fold")
        axis.set_xticks(range(K))
    axes[0].set_ylabel("mean place of a fold's rows\nfrom centre (0) to rim (1)")
    axes[0].legend(frameon=False, loc="upper left")
    figure.savefig(IMAGE, dpi=110)


if __name__ == "__main__":
    main()
