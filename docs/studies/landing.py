"""Draw where the visits of patients go: in a shuffle that leaks, and in folds of whole patients.

    python docs/studies/landing.py

Saves docs/images/landing.png. The site also has the picture for dark and for narrow pages.
"""

from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from sklearn.model_selection import KFold

import stratframe as sf

mpl.use("Agg")

IMAGES = Path(__file__).parents[1] / "images"
K = 5
VISITS = {
    "ann": 5,
    "bob": 3,
    "cem": 6,
    "dan": 4,
    "eva": 6,
    "fay": 3,
    "gus": 5,
    "hal": 6,
    "ida": 4,
    "jim": 4,
    "kai": 2,
    "lea": 2,
}
"""The number of visits of each patient."""

ILL = ("bob", "dan", "fay", "jim", "ida")

PANELS = {
    "shuffled": "KFold(5, shuffle=True)",
    "fold": 'df.strat.kfold("label", k=5,\n    groups="patient")',
}
"""The fold columns, and what makes them."""

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9")
"""Of folds, from Okabe and Ito (2008), on light and dark pages."""

NUMBERS = ("white", "black", "white", "black", "black")
"""Of the number in a cell of each fold."""

MEANING = ("a line is a patient, a box is a visit", "in the colour and number of its fold")


class Ink(NamedTuple):
    """Colours that depend on the page."""

    text: str
    paper: str
    verdicts: dict[str, str]
    """Of leaking and of good columns."""


INKS = {
    "": Ink("#1f2328", "white", {"shuffled": "#C42B00", "fold": "#00704F"}),
    "-dark": Ink("#e6e6e6", "#14181e", {"shuffled": "#FF7F5C", "fold": "#3FCF9F"}),
}
"""By the ending of a picture's name."""


def make_frame() -> pd.DataFrame:
    """Give the visits the two fold columns."""
    patient = np.repeat(list(VISITS), list(VISITS.values()))
    frame = pd.DataFrame({"patient": patient})
    frame["label"] = np.where(frame["patient"].isin(ILL), "ill", "well")
    frame["shuffled"] = 0
    for fold, (_, valid) in enumerate(KFold(K, shuffle=True, random_state=0).split(frame)):
        frame.loc[valid, "shuffled"] = fold
    return frame.strat.kfold("label", k=K, groups="patient")


def write_verdict(frame: pd.DataFrame, name: str) -> str:
    """Write in two lines whether patients are in several folds, as `check` says."""
    check = sf.check(frame, "label", name, groups="patient", duplicates=None)
    n_torn = int((frame.groupby("patient")[name].nunique() > 1).sum())
    if n_torn:
        return f"LEAKS: {n_torn} of {len(VISITS)} patients\nare in several folds"
    assert check.ok
    return f"FIT FOR USE: each of {len(VISITS)}\npatients is in one fold"


def count_ill(frame: pd.DataFrame, name: str) -> str:
    """Write how many visits each fold has, and how many of these are of ill patients."""
    sizes = frame[name].value_counts().sort_index()
    ill = frame.loc[frame["label"] == "ill", name].value_counts().reindex(sizes.index, fill_value=0)
    return f"visits per fold: {join(sizes)}\nof ill patients: {join(ill)}"


def join(counts: pd.Series) -> str:
    """Write counts in a line."""
    return ", ".join(map(str, counts))


def draw_panel(ax: Axes, frame: pd.DataFrame, name: str, ink: Ink) -> None:
    """Draw a line of boxes for each patient, titled with what makes the column, and its verdict."""
    for line, (_, visits) in enumerate(frame.groupby("patient", sort=False)):
        for place, fold in enumerate(visits[name]):
            ax.add_patch(plt.Rectangle((place, line), 0.92, 0.88, color=COLOURS[fold], linewidth=0))
            style = {"ha": "center", "va": "center", "fontsize": 10, "color": NUMBERS[fold]}
            ax.text(place + 0.46, line + 0.46, str(fold), **style)
    ax.set(xlim=(0, max(VISITS.values())), ylim=(len(VISITS), 0), xticks=[], facecolor=ink.paper)
    names = [f"{patient}, ill" if patient in ILL else patient for patient in VISITS]
    ax.set_yticks(np.arange(len(names)) + 0.46, names, color=ink.text, fontsize=10)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    style = {"color": ink.verdicts[name], "fontsize": 13, "weight": "bold"}
    ax.set_title(write_verdict(frame, name), loc="left", **style)
    made = {"family": "monospace", "color": ink.text, "fontsize": 11, "va": "bottom"}
    ax.annotate(PANELS[name], (0, 1), (0, 46), "axes fraction", textcoords="offset points", **made)
    ax.set_xlabel(count_ill(frame, name), color=ink.text, fontsize=11, loc="left")


def draw_landing(ink: Ink, narrow: bool = False) -> Figure:
    """Draw the columns beside each other, or on a narrow page one below the other."""
    shape, size = ((2, 1), (4.2, 10.4)) if narrow else ((1, 2), (8.4, 5.2))
    figure, axes = plt.subplots(*shape, figsize=size, layout="constrained", facecolor=ink.paper)
    figure.get_layout_engine().set(hspace=0.08, wspace=0.12)
    frame = make_frame()
    for ax, name in zip(axes.flat, PANELS, strict=True):
        draw_panel(ax, frame, name, ink)
    boxes = [Patch(color=colour, label=f"fold {fold}") for fold, colour in enumerate(COLOURS)]
    figure.legend(
        handles=boxes,
        loc="outside lower center",
        ncols=3 if narrow else K,
        title=("\n" if narrow else " ").join(MEANING),
        frameon=False,
        labelcolor=ink.text,
        fontsize=11,
        title_fontproperties={"size": 11},
    ).get_title().set_color(ink.text)
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
