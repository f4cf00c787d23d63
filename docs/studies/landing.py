"""Draw what three fold columns look like: sorted, shuffled, stratified.

    python docs/studies/landing.py

Saves docs/images/landing.png, from scikit-learn's wine data. The site also has the picture for
dark and for narrow pages.
"""

from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from sklearn.datasets import load_wine
from sklearn.model_selection import KFold

import stratframe as sf

mpl.use("Agg")

IMAGES = Path(__file__).parents[1] / "images"
PANELS = {
    "sorted": "KFold(5), sorted rows",
    "shuffled": "KFold(5, shuffle=True)",
    "fold": 'df.strat.kfold("label", k=5)',
}
"""The fold columns, and what makes them."""


class Ink(NamedTuple):
    """Colours that depend on the page."""

    text: str
    paper: str
    verdicts: tuple[str, str, str]
    """Of bad, random and good columns."""


INKS = {
    "": Ink("#1f2328", "white", ("#C42B00", "#8A6400", "#00704F")),
    "-dark": Ink("#e6e6e6", "#14181e", ("#FF7F5C", "#F0B84A", "#3FCF9F")),
}
"""By the ending of a picture's name."""


def make_frame() -> pd.DataFrame:
    """Give the wine data, which are sorted by label, the three fold columns."""
    data = load_wine(as_frame=True)
    frame = data.data.assign(label=data.target_names[data.target])
    frame["label"] = frame["label"].str.replace("_", " ")
    splitters = {"sorted": KFold(5), "shuffled": KFold(5, shuffle=True, random_state=0)}
    for name, splitter in splitters.items():
        frame[name] = 0
        for fold, (_, valid) in enumerate(splitter.split(frame)):
            frame.loc[valid, name] = fold
    return frame.strat.kfold("label", k=5)


def draw_panel(ax: Axes, frame: pd.DataFrame, name: str, ink: Ink, colour: str) -> None:
    """Draw a fold column, titled with what makes it and with its verdict."""
    sf.plot(frame, "label", name, ax=ax)
    ax.get_legend().remove()
    for line in ax.lines:
        line.set(color=ink.text, path_effects=[withStroke(linewidth=2.5, foreground=ink.paper)])
    (row,) = sf.compare(frame, "label", name).to_dict("records")
    off = "each class within a row" if name == "fold" else f"up to {row['rows_off']:.0f} rows off"
    ax.set_title(f"{row['verdict'].upper()}:\n{off}", color=colour, fontsize=13, weight="bold")
    made = {"family": "monospace", "color": ink.text, "fontsize": 11, "ha": "center"}
    ax.annotate(
        PANELS[name], (0.5, 1), (0, 44), "axes fraction", textcoords="offset points", **made
    )
    ax.set(ylabel="", facecolor=ink.paper)
    ax.set_xlabel("fold and its rows", color=ink.text, fontsize=12)
    ax.tick_params(axis="x", labelsize=12, colors=ink.text)
    ax.spines[:].set_visible(False)


def draw_landing(ink: Ink, narrow: bool = False) -> Figure:
    """Draw the columns beside each other, or on a narrow page one below the other."""
    shape, size = ((3, 1), (4.2, 9.6)) if narrow else ((1, 3), (9.2, 3.7))
    figure, axes = plt.subplots(*shape, figsize=size, layout="constrained", facecolor=ink.paper)
    figure.get_layout_engine().set(hspace=0.08 if narrow else 0)
    frame = make_frame()
    for place, (ax, name) in enumerate(zip(axes.flat, PANELS, strict=True)):
        draw_panel(ax, frame, name, ink, ink.verdicts[place])
        ax.tick_params(axis="y", labelleft=narrow or not place, left=narrow or not place)
        plt.setp(ax.get_yticklabels(), color=ink.text, fontsize=12)
    legend = ["share of each label in each fold;", "dotted: in all rows"]
    figure.supxlabel(("\n" if narrow else " ").join(legend), color=ink.text, fontsize=12)
    return figure


def draw_all(folder: Path, dpi: int) -> None:
    """Draw the picture for wide and narrow, light and dark pages, and save it in a folder."""
    for narrow in (False, True):
        for ending, ink in INKS.items():
            figure = draw_landing(ink, narrow)
            figure.savefig(folder / f"landing{'-narrow' * narrow}{ending}.png", dpi=dpi)
            plt.close(figure)


if __name__ == "__main__":
    draw_landing(INKS[""]).savefig(IMAGES / "landing.png", dpi=110)
