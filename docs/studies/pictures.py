"""Draw which rows go where, with the calls of docs/which-rows.md.

    python docs/studies/pictures.py

Saves docs/images/rows-*.png. The site also has the pictures for dark and for narrow pages.
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

mpl.use("Agg")

DOCS = Path(__file__).parents[1]
BLOCK = re.compile(
    r"^```python\n(.*?)^```$(?:\n\n!\[[^\]]*\]\(images/([\w-]+)\.png\))?", re.M | re.S
)
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
"""Of folds, from Okabe and Ito (2008)."""


class Ink(NamedTuple):
    """Colours that depend on the page."""

    text: str
    paper: str
    trains: str
    greys: tuple[str, str]
    """The ends of the colours of bands."""


INKS = {
    "": Ink("#1f2328", "white", "#d3dae1", ("#eceff2", "#aab3bc")),
    "-dark": Ink("#e6e6e6", "#14181e", "#39424c", ("#252c34", "#56616c")),
}
"""By the ending of a picture's name."""


# Which rows go where --------------------------------------------------------------------


class Strip(NamedTuple):
    """What a call gives: the colour of each row in each line, and the bands below."""

    lines: dict[str, np.ndarray]
    """By fold or part, for each row of the frame: 2 validates, 1 trains, 0 is unused."""
    bands: pd.DataFrame


def run_page() -> dict[str, Strip]:
    """Run the code of the page, and keep what the last line of each block with a picture gives."""
    names: dict[str, object] = {}
    strips = {}
    for code, image in BLOCK.findall((DOCS / "which-rows.md").read_text(encoding="utf-8")):
        *steps, last = ast.parse(code).body
        exec(compile(ast.Module(steps if image else [*steps, last], []), "page", "exec"), names)
        if image:
            given = eval(compile(ast.Expression(last.value), "page", "eval"), names)
            frame = names["by_day" if "by_day" in code else "visits"]
            named = [name for name in frame if f'"{name}"' in code] or ["label", "patient"]
            strips[image] = Strip(read_lines(given, frame), frame[named])
    return strips


def read_lines(given: object, frame: pd.DataFrame) -> dict[str, np.ndarray]:
    """Say of each row whether it validates (2), trains (1) or neither (0), in each fold or part."""
    if isinstance(given, pd.DataFrame):
        column = given[given.columns[-1]]
        if isinstance(column.dtype, pd.CategoricalDtype):
            role = {part: 1 if part == "train" else 2 for part in column.cat.categories}
            return {part: value * (column == part).to_numpy() for part, value in role.items()}
        given = given.strat.folds()
    if not isinstance(given, dict):
        given = {write_label(pair.fold): pair for pair in given}
    return {
        label: frame.index.isin(pair.train.index) + 2 * frame.index.isin(pair.valid.index)
        for label, pair in given.items()
    }


def write_label(value: object) -> str:
    """Write the label of a fold: the month of a date, and numbers with what they are."""
    if isinstance(value, str):
        return value
    return f"{value:%B}" if hasattr(value, "month") else f"fold {value}"


def draw_strip(strip: Strip, ink: Ink, narrow: bool = False) -> Figure:
    """Draw a line of boxes for each fold or part, and a band of values for each column."""
    labels = [*strip.lines, *strip.bands]
    places = np.arange(len(labels)) + 0.6 * (np.arange(len(labels)) >= len(strip.lines))
    size = np.array([4.2 if narrow else 8.4, 0.26 * places[-1] + 0.7])
    figure, ax = plt.subplots(figsize=size, facecolor=ink.paper)
    left, bottom = (0.7, 0.36) / size
    right, top = 1 - ((0.62, 0.26) if "label" in strip.bands else (0.1, 0.06)) / size
    figure.subplots_adjust(left=left, bottom=bottom, right=right, top=top)
    ax.set(xlim=(-0.5, len(strip.bands) - 0.5), ylim=(places[-1] + 0.5, -0.5), xticks=[])
    for place, (states, colour) in enumerate(zip(strip.lines.values(), COLOURS * 3, strict=False)):
        for state, shown in ((1, ink.trains), (2, colour)):
            draw_boxes(ax, np.flatnonzero(states == state), place, shown)
    for place, name in zip(places[len(strip.lines) :], strip.bands, strict=True):
        draw_band(ax, strip.bands[name], place, ink, narrow)
    if "label" in strip.bands:
        count_labels(ax, strip, ink)
    ax.set_yticks(places, labels, color=ink.text, fontsize=9)
    ax.set(facecolor=ink.paper)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("a box is a row: coloured validates, grey trains", color=ink.text, fontsize=8)
    return figure


def count_labels(ax: Axes, strip: Strip, ink: Ink) -> None:
    """Write how many rows of each label a fold validates, at the right of its line."""
    labels = strip.bands["label"]
    counts = [labels[states == 2].value_counts() for states in strip.lines.values()]
    for column, label in enumerate(sorted(labels.unique())):
        for place, shown in enumerate([label, *(count.get(label, 0) for count in counts)], -1):
            style = {"ha": "center", "va": "center", "fontsize": 8, "color": ink.text}
            where = {"xy": (1, place), "xycoords": ax.get_yaxis_transform()}
            offset = {"xytext": (10 + 14 * column, 0), "textcoords": "offset points"}
            ax.annotate(str(shown), **where, **offset, **style)


def draw_boxes(
    ax: Axes, rows: np.ndarray, place: float, colour: object, rows_each: int = 1
) -> None:
    """Draw boxes of so many rows each, with these rows in their middle."""
    ax.bar(rows, 0.84, width=rows_each - 0.14, bottom=place - 0.42, color=colour)


def draw_band(ax: Axes, values: pd.Series, place: float, ink: Ink, narrow: bool) -> None:
    """Draw a cell for each run of equal values, and write the value where there is room."""
    is_date = pd.api.types.is_datetime64_dtype(values)
    codes = pd.Categorical(values.dt.month if is_date else values).codes
    top = max(codes.max(), 1) if is_date or codes.max() < 3 else 1
    between = mpl.colors.LinearSegmentedColormap.from_list("", ink.greys)
    written = values.dt.strftime("%b") if is_date else values.astype(str)
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    for start, end in zip(starts, [*starts[1:], len(codes)], strict=True):
        code = codes[start] if top == codes.max() else codes[start] % 2
        middle, length = (start + end - 1) / 2, end - start
        draw_boxes(ax, np.array([middle]), place, between(code / top), length)
        fits = len(written[start]) <= (1.1 if narrow else 2) * length
        if fits and (values.is_monotonic_increasing or not is_date):
            style = {"color": ink.text, "fontsize": 7 if narrow else 8}
            ax.text(middle, place, written[start], ha="center", va="center", **style)


def draw_all(folder: Path, dpi: int) -> None:
    """Draw each picture for wide and narrow, light and dark pages, and save it in a folder."""
    for name, strip in run_page().items():
        for narrow in (False, True):
            for ending, ink in INKS.items():
                figure = draw_strip(strip, ink, narrow)
                figure.savefig(folder / f"{name}{'-narrow' * narrow}{ending}.png", dpi=dpi)
                plt.close(figure)


if __name__ == "__main__":
    for name, strip in run_page().items():
        draw_strip(strip, INKS[""]).savefig(DOCS / "images" / f"{name}.png", dpi=110)
