"""Draw the plots of docs/diagnostics.md.

    python docs/studies/diagnostics.py

Saves docs/images/diagnostics-*.png, from scikit-learn's wine data, simulated sales of 50 shops
and simulated visits of patients.
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.datasets import load_wine
from sklearn.model_selection import KFold

import stratframe as sf

mpl.use("Agg")

IMAGES = Path(__file__).parents[1] / "images"
FEATURES = ["alcohol", "malic_acid", "color_intensity", "hue", "flavanoids", "proline"]
"""The features used on the page, out of 13."""


def wine() -> pd.DataFrame:
    """Add the fold columns of the page to the wine data."""
    data = load_wine(as_frame=True)
    frame = data.data[FEATURES].assign(label=data.target_names[data.target])
    splitters = {"unshuffled": KFold(4), "shuffled": KFold(4, shuffle=True, random_state=0)}
    for name, splitter in splitters.items():
        frame[name] = 0
        for fold, (_, valid) in enumerate(splitter.split(frame)):
            frame.loc[valid, name] = fold
    return frame.strat.kfold("label", k=4)


def shops() -> pd.DataFrame:
    """Simulate 2,000 sales of 50 shops, from the largest shop to the smallest."""
    sales = 1000 / np.arange(10, 60)
    counts = np.round(sales / sales.sum() * 2000).astype(int)
    counts[0] += 2000 - counts.sum()
    shop = np.repeat([f"shop {number}" for number in range(1, 51)], counts)
    return pd.DataFrame({"shop": shop}).strat.kfold("shop", k=5)


def visits() -> pd.DataFrame:
    """Assign 30 patients to folds in turn, some with many visits; 12 visits get no fold."""
    often = [40, 30, 24, 18, 15, *range(12, 2, -1), *[2] * 15]
    patient = np.repeat(np.arange(len(often)), often)
    return pd.DataFrame({"fold": [*(patient % 6), *[None] * 12]})


def balance() -> Figure:
    """Plot a plain and a stratified fold column, one below the other, on the same scale."""
    figure, axes = plt.subplots(2, 1, figsize=(7, 4.8), sharex=True, layout="constrained")
    for axis, name in zip(axes, ["shuffled", "fold"], strict=True):
        sf.plot(wine(), "label", name, ax=axis)
    return figure


def strata() -> Figure:
    """Plot 50 strata."""
    return sf.plot(shops(), "shop").figure


def drift() -> Figure:
    """Plot the drift of unshuffled folds of the wine data, which are sorted by label."""
    return sf.plot(wine(), [*FEATURES, "label"], "unshuffled", kind="drift").figure


def sizes() -> Figure:
    """Plot fold sizes for patients assigned regardless of their number of visits."""
    return sf.plot(visits(), kind="sizes").figure


def repeats() -> Figure:
    """Plot plain folds next to three repeats of stratified folds."""
    frame = wine().strat.kfold("label", k=4, repeats=3, name="repeat")
    names = ["shuffled", *(f"repeat_{number}" for number in (1, 2, 3))]
    return sf.plot(frame, "label", names).figure


def draw_all(folder: Path, dpi: int) -> None:
    """Draw each plot, and save it in a folder."""
    for draw in (balance, strata, repeats, drift, sizes):
        figure = draw()
        scale = 1 if figure.get_figheight() < 8 else 0.75
        figure.savefig(folder / f"diagnostics-{draw.__name__}.png", dpi=dpi * scale)
        plt.close(figure)


if __name__ == "__main__":
    draw_all(IMAGES, dpi=110)
