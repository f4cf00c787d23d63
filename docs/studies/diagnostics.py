"""Draw the plots of docs/diagnostics.md.

    python docs/studies/diagnostics.py

Saves docs/images/diagnostics-*.png, from scikit-learn's wine data. The site also has the pictures
for narrow and for dark pages.
"""

import runpy
from pathlib import Path

import matplotlib as mpl
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


def shares() -> Figure:
    """Plot the shares of labels in unshuffled, shuffled and stratified folds."""
    return sf.plot(wine(), "label", ["unshuffled", "shuffled", "fold"])[0].figure


def drift() -> Figure:
    """Plot the drift of unshuffled folds of the wine data, which are sorted by label."""
    features = [*FEATURES, "label"]
    return sf.plot(wine(), name="unshuffled", kind="drift", features=features).figure


def draw_all(folder: Path, dpi: int) -> None:
    """Draw each plot for wide and narrow, light and dark pages, and save it in a folder."""
    gallery = runpy.run_path(str(Path(__file__).with_name("gallery.py")))
    for ending, style in gallery["STYLES"].items():
        with mpl.rc_context(style):
            for draw in (shares, drift):
                gallery["save"](draw(), folder, f"diagnostics-{draw.__name__}", ending, dpi)


if __name__ == "__main__":
    for draw in (shares, drift):
        draw().savefig(IMAGES / f"diagnostics-{draw.__name__}.png", dpi=110)
