"""Measure how far the folds of each strategy are from the rest of the data.

    python docs/studies/quality.py FOLDER

FOLDER holds data sets as NAME.csv.gz with numeric features and a last column `target`; those
bundled with scikit-learn are included. Saves all distances in docs/studies/quality.parquet, from
which docs/quality.md makes its tables, and the plot docs/images/quality.png.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.preprocessing import StandardScaler

import stratframe as sf

mpl.use("Agg")

RESULTS = Path(__file__).with_name("quality.parquet")
IMAGE = Path(__file__).parents[1] / "images" / "quality.png"
KS = (2, 5, 10)
SEEDS = range(20)

STRATEGIES = {
    "k-fold": lambda features, seed: {"by": None},
    "SCV": lambda features, seed: {"by": "target"},
    "SCBCV": lambda features, seed: {
        "by": ["target", sf.clusters(features, scale=None, seed=seed)],
        "deal": "circular",
    },
    "SCBCV Mini": lambda features, seed: {
        "by": ["target", sf.clusters(features, algorithm="minibatch", scale=None, seed=seed)],
        "deal": "circular",
    },
    "SCBCV, random": lambda features, seed: {
        "by": ["target", sf.clusters(features, scale=None, seed=seed)],
    },
    "DB-SCV": lambda features, seed: {
        "by": ["target", sf.chain(features, scale=None)],
        "deal": "circular",
    },
    "DOB-SCV": lambda features, seed: {"by": ["target", sf.nearest(features, scale=None)]},
}


def data_sets(folder: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield names and frames; the target of a regression is cut into five quantile bins."""
    for path in sorted(folder.glob("*.csv.gz")):
        yield path.name.removesuffix(".csv.gz"), pd.read_csv(path)
    # Without iris, which is in the folder, too.
    for load in (load_breast_cancer, load_diabetes, load_digits, load_wine):
        frame = load(as_frame=True).frame
        if load is load_diabetes:
            frame["target"] = pd.qcut(frame["target"], 5, labels=False)
        yield load.__name__.removeprefix("load_"), frame


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
    """Measure every strategy: a row for each k and seed, a column for each strategy."""
    features = [name for name in frame.columns if name != "target"]
    points = StandardScaler().fit_transform(frame[features])
    scaled = pd.DataFrame(points, columns=features).assign(target=frame["target"].to_numpy())
    apart = cdist(points, points)
    index = pd.MultiIndex.from_product([KS, seeds], names=["k", "seed"])
    distances = {
        name: [
            energy_distance(apart, folds_of(scaled, strategy(features, seed), k, seed), k)
            for k, seed in index
        ]
        for name, strategy in STRATEGIES.items()
    }
    return pd.DataFrame(distances, index)


def folds_of(frame: pd.DataFrame, call: dict, k: int, seed: int) -> np.ndarray:
    """Return the folds of one strategy."""
    return sf.kfold(frame, k=k, seed=seed, rare="ignore", **call)["fold"].to_numpy()


def ratios(found: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Divide mean distances by those of k-fold; with standard errors over seeds."""
    cells = found.groupby(level=["data set", "k"], sort=False)
    shares = cells.mean().div(cells.mean()["k-fold"], axis=0)
    # The same seeds for both: the error of a ratio is that of the mean of a - ratio b.
    apart = found - shares.mul(found["k-fold"], axis=0)
    errors = apart.groupby(level=["data set", "k"], sort=False).sem()
    return shares, errors.div(cells.mean()["k-fold"], axis=0)


def table(found: pd.DataFrame) -> pd.DataFrame:
    """Write the mean distance of k-fold, and the ratios of the others, with standard errors."""
    shares, errors = ratios(found)
    columns = {"k-fold": found["k-fold"].groupby(level=["data set", "k"], sort=False).mean()}
    columns["k-fold"] = columns["k-fold"].map("{:.4f}".format)
    return pd.DataFrame(columns | {n: write(shares[n], errors[n]) for n in shares.columns[1:]})


def means_table(found: pd.DataFrame) -> pd.DataFrame:
    """Write geometric means of ratios, with standard errors over data sets."""
    logs = np.log(ratios(found)[0]).groupby(level="k")
    means = np.exp(logs.mean())
    errors = means * logs.sem()
    return pd.DataFrame({name: write(means[name], errors[name]) for name in means.columns[1:]})


def write(values: pd.Series, errors: pd.Series) -> pd.Series:
    """Write values with their standard errors."""
    pairs = zip(values, errors, strict=True)
    return pd.Series([f"{a:.2f}±{b:.2f}" for a, b in pairs], values.index)


def draw(found: pd.DataFrame) -> None:
    """Plot every data set as a line across strategies, relative to k-fold, one panel per k."""
    all_shares = ratios(found)[0]
    figure, axes = plt.subplots(1, len(KS), figsize=(8.5, 4), sharey=True, layout="constrained")
    for axis, k in zip(axes, KS, strict=True):
        shares = all_shares.xs(k, level="k")
        places = range(len(shares.columns))
        for _, row in shares.iterrows():
            axis.plot(places, row, color="0.75", linewidth=0.8, marker=".", markersize=4)
        axis.plot(places, np.exp(np.log(shares).mean()), color="#0072b2", linewidth=2, marker="o")
        axis.axhline(1, color="0.4", linewidth=0.8, linestyle="--")
        axis.set_xticks(places, shares.columns, rotation=40, ha="right")
        axis.set_title(f"k = {k}")
        axis.set_ylim(0, 1.15)
    axes[0].set_ylabel("energy distance, relative to k-fold")
    figure.suptitle("Grey: one data set. Blue: geometric mean.", fontsize=10)
    figure.savefig(IMAGE, dpi=110)


def main(arguments: list[str]) -> None:
    """Measure, save and plot."""
    found = {}
    for name, frame in data_sets(Path(arguments[0])):
        found[name] = measure(frame)
        print(name, file=sys.stderr)
    all_found = pd.concat(found, names=["data set"])
    all_found.reset_index().to_parquet(RESULTS, index=False, compression="zstd")
    draw(all_found)


if __name__ == "__main__":
    main(sys.argv[1:])
