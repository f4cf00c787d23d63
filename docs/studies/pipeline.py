"""Draw how a frame gets its folds: frame, strata, quota, deal, column.

    python docs/studies/pipeline.py

Saves docs/images/pipeline.png. The site also has the picture for dark and for narrow pages.
"""

from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import stratframe as sf

mpl.use("Agg")

IMAGES = Path(__file__).parents[1] / "images"
K = 3
COLOURS = {"cat": "#56B4E9", "dog": "#E69F00", "owl": "#009E73"}
"""Of the labels, from Okabe and Ito (2008)."""

STEPS = {
    "frame": "rows with a label",
    "strata": "which rows are alike",
    "quota": "how many go where",
    "deal": "which ones, at random",
    "column": "each row has a fold",
}


class Ink(NamedTuple):
    """Colours that depend on the page."""

    text: str
    pale: str
    paper: str


INKS = {"": Ink("#1f2328", "#6a7178", "white"), "-dark": Ink("#e6e6e6", "#a0a7ae", "#14181e")}
"""By the ending of a picture's name."""


def make_frame() -> pd.DataFrame:
    """Make twelve rows of three labels in mixed order, and give them folds."""
    labels = ["cat", "dog", "cat", "owl", "cat", "dog", "dog", "cat", "owl", "dog", "cat", "owl"]
    return pd.DataFrame({"label": labels}).strat.kfold("label", k=K)


def write(ax: Axes, x: float, y: float, text: object, colour: str, **how: object) -> None:
    """Write a text, centred unless told otherwise."""
    ax.text(x, y, str(text), color=colour, **({"ha": "center", "va": "center"} | how))


def draw_cell(ax: Axes, x: float, y: float, text: object, label: str, width: float = 1) -> None:
    """Draw a cell of a table in the colour of its label."""
    ax.add_patch(plt.Rectangle((x, y), width, 0.86, color=COLOURS[label], linewidth=0))
    write(ax, x + width / 2, y + 0.43, text, "black")


def draw_frame(ax: Axes, frame: pd.DataFrame, ink: Ink) -> None:
    """Draw the labels in their order."""
    write(ax, 2, -0.5, "label", ink.pale)
    for row, label in enumerate(frame["label"]):
        draw_cell(ax, 1.1, row, label, label, 1.8)


def draw_strata(ax: Axes, frame: pd.DataFrame, ink: Ink) -> None:
    """Draw the labels by stratum, and the size of each stratum."""
    write(ax, 1.5, -0.5, "label", ink.pale)
    write(ax, 3, -0.5, "n", ink.pale)
    start = 0
    for label, size in frame["label"].value_counts().sort_index().items():
        for row in range(start, start + size):
            draw_cell(ax, 0.6, row, label, label, 1.8)
        write(ax, 3, start + size / 2, size, ink.text)
        start += size


def draw_quota(ax: Axes, frame: pd.DataFrame, ink: Ink) -> None:
    """Draw how many rows of each stratum every fold gets, and the sizes of the folds."""
    counts = sf.balance(frame, "label").pivot(index="label", columns="fold", values="n")
    write(ax, 2.6, 1.5, "fold", ink.pale)
    for fold in counts.columns:
        write(ax, 1.6 + fold, 2.5, fold, ink.pale)
        write(ax, 1.6 + fold, 6.5, counts[fold].sum(), ink.text)
    for row, label in enumerate(counts.index):
        write(ax, 0.5, 3.43 + row, label, ink.text)
        for fold, count in counts.loc[label].items():
            draw_cell(ax, 1.15 + fold, 3 + row, count, label, 0.9)
    write(ax, 0.5, 6.5, "size", ink.pale)


def draw_deal(ax: Axes, frame: pd.DataFrame, ink: Ink) -> None:
    """Draw the rows of every stratum, and the fold that each is given."""
    write(ax, 1.2, -0.5, "row", ink.pale)
    write(ax, 3.2, -0.5, "fold", ink.pale)
    order = frame.sort_values(["label", "fold"], kind="stable")
    for place, (row, label, fold) in enumerate(order.itertuples()):
        draw_cell(ax, 0.7, place, row, label)
        arrow = {"arrowstyle": "->", "color": ink.pale}
        ax.annotate("", (2.7, place + 0.43), (1.8, place + 0.43), arrowprops=arrow)
        write(ax, 3.2, place + 0.43, fold, ink.text)


def draw_column(ax: Axes, frame: pd.DataFrame, ink: Ink) -> None:
    """Draw the frame with its fold column."""
    write(ax, 1.4, -0.5, "label", ink.pale)
    write(ax, 3, -0.5, "fold", ink.text, weight="bold")
    for row, label, fold in frame.itertuples():
        draw_cell(ax, 0.5, row, label, label, 1.8)
        draw_cell(ax, 2.5, row, fold, label)


DRAW = dict(zip(STEPS, (draw_frame, draw_strata, draw_quota, draw_deal, draw_column), strict=True))


def draw_pipeline(ink: Ink, narrow: bool = False) -> Figure:
    """Draw the steps beside each other, or on a narrow page two in a line."""
    shape, size = ((3, 2), (4.2, 10.5)) if narrow else ((1, 5), (8.4, 3.9))
    figure, axes = plt.subplots(*shape, figsize=size, layout="constrained", facecolor=ink.paper)
    frame = make_frame()
    for place, (ax, (step, meaning)) in enumerate(zip(axes.flat, STEPS.items(), strict=False), 1):
        ax.set(xlim=(0, 4), ylim=(len(frame) + 0.1, -1))
        ax.set_title(f"{place}. {step}", color=ink.text, weight="bold", fontsize=12, pad=20)
        write(ax, 2, -1.5, meaning, ink.pale, fontsize=9)
        DRAW[step](ax, frame, ink)
    for ax in axes.flat:
        ax.axis("off")
    return figure


def draw_all(folder: Path, dpi: int) -> None:
    """Draw the picture for wide and narrow, light and dark pages, and save it in a folder."""
    for narrow in (False, True):
        for ending, ink in INKS.items():
            figure = draw_pipeline(ink, narrow)
            figure.savefig(folder / f"pipeline{'-narrow' * narrow}{ending}.png", dpi=dpi)
            plt.close(figure)


if __name__ == "__main__":
    draw_pipeline(INKS[""]).savefig(IMAGES / "pipeline.png", dpi=110)
