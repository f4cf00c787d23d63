"""Measure how far the folds of each strategy are from the rest of the data.

    python docs/studies/quality.py [FOLDER]

FOLDER holds data sets as NAME.csv.gz with numeric features and a last column `target`; the
data sets bundled with scikit-learn are always included. Prints the table of docs/quality.md
and saves the plot docs/images/quality.png.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from scipy.stats import gmean
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

import stratframe as sf

mpl.use("Agg")

IMAGE = Path(__file__).parents[1] / "images" / "quality.png"
KS = (2, 5, 10)
SEEDS = range(20)

STRATEGIES = {
    "k-fold": lambda features: {"by": None},
    "SCV": lambda features: {"by": "target"},
    "SCBCV": lambda features: {
        "by": ["target", sf.clusters(features, scale=None)],
        "deal": "circular",
    },
    "SCBCV Mini": lambda features: {
        "by": ["target", sf.clusters(features, algorithm="minibatch", scale=None)],
        "deal": "circular",
    },
    "SCBCV, random": lambda features: {
        "by": ["target", sf.clusters(features, scale=None)],
    },
    "DB-SCV": lambda features: {
        "by": ["target", sf.chain(features, scale=None)],
        "deal": "circular",
    },
    "DOB-SCV": lambda features: {"by": ["target", sf.nearest(features, scale=None)]},
}


def data_sets(folder: Path | None) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield names and frames; the target of a regression is cut into five quantile bins."""
    for path in sorted(folder.glob("*.csv.gz")) if folder else []:
        yield path.name.removesuffix(".csv.gz"), pd.read_csv(path)
    for load in (load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine):
        frame = load(as_frame=True).frame
        if load is load_diabetes:
            frame["target"] = pd.qcut(frame["target"], 5, labels=False)
        yield f"{load.__name__.removeprefix('load_')} (scikit-learn)", frame


def energy_distance(apart: np.ndarray, folds: np.ndarray, k: int) -> float:
    """Return the mean energy distance between a fold and the remaining rows.

    2 E|X - Y| - E|X - X'| - E|Y - Y'| (Szekely and Rizzo 2013, Energy statistics).

    Parameters
    ----------
    apart : ndarray of float64, shape (n_rows, n_rows)
        Distances between all pairs of rows.
    folds : ndarray of int, shape (n_rows,), range 0..k-1
    k : int
    """
    inside = (folds[:, None] == np.arange(k)).astype(float)
    sizes = inside.sum(axis=0)
    others = len(folds) - sizes
    within = (inside * (apart @ inside)).sum(axis=0)
    across = inside.T @ apart.sum(axis=1) - within
    rest = apart.sum() - within - 2 * across
    return float(np.mean(2 * across / (sizes * others) - within / sizes**2 - rest / others**2))


def measure(frame: pd.DataFrame, seeds: range = SEEDS) -> pd.DataFrame:
    """Average energy distances over seeds, with a row per k and a column per strategy."""
    features = [name for name in frame.columns if name != "target"]
    points = StandardScaler().fit_transform(frame[features])
    scaled = pd.DataFrame(points, columns=features).assign(target=frame["target"].to_numpy())
    apart = cdist(points, points)
    return pd.DataFrame(
        {
            name: [
                np.mean(
                    [
                        energy_distance(apart, folds_of(scaled, strategy(features), k, seed), k)
                        for seed in seeds
                    ]
                )
                for k in KS
            ]
            for name, strategy in STRATEGIES.items()
        },
        index=pd.Index(KS, name="k"),
    )


def folds_of(frame: pd.DataFrame, call: dict, k: int, seed: int) -> np.ndarray:
    """Return the folds of one strategy."""
    return sf.kfold(frame, k=k, seed=seed, rare="ignore", **call)["fold"].to_numpy()


def draw(found: pd.DataFrame) -> None:
    """Plot every data set as a line across strategies, relative to k-fold, one panel per k."""
    figure, axes = plt.subplots(1, len(KS), figsize=(12, 4.6), sharey=True, layout="constrained")
    for axis, k in zip(axes, KS, strict=True):
        shares = found.xs(k, level="k").div(found.xs(k, level="k")["k-fold"], axis=0)
        places = range(len(shares.columns))
        for _, row in shares.iterrows():
            axis.plot(places, row, color="0.75", linewidth=0.8, marker=".", markersize=4)
        axis.plot(places, gmean(shares), color="#0072b2", linewidth=2, marker="o")
        axis.axhline(1, color="0.4", linewidth=0.8, linestyle="--")
        axis.set_xticks(places, shares.columns, rotation=40, ha="right")
        axis.set_title(f"k = {k}")
        axis.set_ylim(0, 1.15)
    axes[0].set_ylabel("energy distance of a fold to the rest,\nrelative to plain k-fold")
    figure.suptitle("Grey: one data set. Blue: geometric mean.", fontsize=10)
    figure.savefig(IMAGE, dpi=110)


def table(found: pd.DataFrame) -> str:
    """Format the table: the distance of k-fold, and the others relative to it."""
    shares = found.div(found["k-fold"], axis=0)
    lines = [
        "| data set | k | k-fold | " + " | ".join(shares.columns[1:]) + " |",
        "|---|---|---|" + "---|" * (len(shares.columns) - 1),
    ]
    for (name, k), row in shares.iterrows():
        first = f"{found.loc[(name, k), 'k-fold']:.4f}"
        cells = " | ".join(f"{share:.2f}" for share in row.iloc[1:])
        lines.append(f"| {name} | {k} | {first} | {cells} |")
    for k in KS:
        cells = " | ".join(f"{mean:.2f}" for mean in gmean(shares.xs(k, level="k"))[1:])
        lines.append(f"| **geometric mean** | {k} | | {cells} |")
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    """Measure, print and plot."""
    folder = Path(arguments[0]) if arguments else None
    found = {}
    for name, frame in data_sets(folder):
        found[name] = measure(frame)
        print(name, file=sys.stderr)
    all_found = pd.concat(found, names=["data set"])
    print(table(all_found))
    draw(all_found)


if __name__ == "__main__":
    main(sys.argv[1:])
