"""Draw which rows go where, with the calls of docs/which-rows.md, and what the studies found.

    python docs/studies/pictures.py

Saves docs/images/rows-*.png, and docs/images/study-*.png from tables that other pages print. The
site also has the pictures for dark and for narrow pages.
"""

import ast
import re
import textwrap
from collections.abc import Iterator
from functools import cache
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
"""Of folds and series, from Okabe and Ito (2008), on light and dark pages."""

LETTERS = 10
"""The size of letters in points: on a page of 390 pixels, 12 pixels."""


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


@cache
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
    """Draw a line of boxes for each fold or part, and a band of values for each column.

    On a narrow page, labels of single rows need room, so the second half of the rows is below the
    first.
    """
    labels = [*strip.lines, *strip.bands]
    is_band = np.arange(len(labels)) >= len(strip.lines)
    places = np.arange(len(labels)) + 0.6 * is_band
    n_blocks = 2 if narrow and "label" in strip.bands else 1
    halves = np.array_split(np.arange(len(strip.bands)), n_blocks)
    width = 4.2 if narrow else 8.4
    block = 0.27 * (places[-1] + 1)
    above = 0.26 if "label" in strip.bands else 0.06
    height = above + n_blocks * block + (n_blocks - 1) * 0.3 + 0.34
    figure = plt.figure(figsize=(width, height), facecolor=ink.paper)
    left = 0.75 / width
    right = 1 - (0.66 if "label" in strip.bands else 0.1) / width
    for number, rows in enumerate(halves):
        bottom = height - above - (number + 1) * block - number * 0.3
        ax = figure.add_axes((left, bottom / height, right - left, block / height))
        ax.set(xlim=(rows[0] - 0.5, rows[-1] + 0.5), ylim=(places[-1] + 0.5, -0.5), xticks=[])
        draw_rows(ax, strip, rows, places, ink)
        ax.set_yticks(places, labels, color=ink.text, fontsize=LETTERS)
        ax.set(facecolor=ink.paper)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    if "label" in strip.bands:
        count_labels(figure.axes[0], strip, ink)
    ax.set_xlabel(
        "a box is a row: coloured validates, grey trains", color=ink.text, fontsize=LETTERS
    )
    return figure


def draw_rows(ax: Axes, strip: Strip, rows: np.ndarray, places: np.ndarray, ink: Ink) -> None:
    """Draw the boxes and the bands of neighbouring rows, each line at its place."""
    n_lines = len(strip.lines)
    for place, states, colour in zip(places, strip.lines.values(), COLOURS * 3, strict=False):
        for state, shown in ((1, ink.trains), (2, colour)):
            draw_boxes(ax, rows[states[rows] == state], place, shown)
    for place, name in zip(places[n_lines:], strip.bands, strict=True):
        draw_band(ax, strip.bands[name], rows, place, ink)


def count_labels(ax: Axes, strip: Strip, ink: Ink) -> None:
    """Write how many rows of each label a fold validates, at the right of its line."""
    labels = strip.bands["label"]
    counts = [labels[states == 2].value_counts() for states in strip.lines.values()]
    for column, label in enumerate(sorted(labels.unique())):
        for place, shown in enumerate([label, *(count.get(label, 0) for count in counts)], -1):
            style = {"ha": "center", "va": "center", "fontsize": LETTERS, "color": ink.text}
            where = {"xy": (1, place), "xycoords": ax.get_yaxis_transform()}
            offset = {"xytext": (10 + 15 * column, 0), "textcoords": "offset points"}
            ax.annotate(str(shown), **where, **offset, **style)


def draw_boxes(
    ax: Axes, rows: np.ndarray, place: float, colour: object, rows_each: int = 1
) -> None:
    """Draw boxes of so many rows each, with these rows in their middle."""
    ax.bar(rows, 0.84, width=rows_each - 0.14, bottom=place - 0.42, color=colour)


def draw_band(ax: Axes, values: pd.Series, rows: np.ndarray, place: float, ink: Ink) -> None:
    """Draw a cell for each run of equal values, and write the value where there is room."""
    is_date = pd.api.types.is_datetime64_dtype(values)
    codes = pd.Categorical(values.dt.month if is_date else values).codes
    top = max(codes.max(), 1) if is_date or codes.max() < 3 else 1
    between = mpl.colors.LinearSegmentedColormap.from_list("", ink.greys)
    written = values.dt.strftime("%b") if is_date else values.astype(str)
    box = 72 * ax.bbox.width / ax.figure.dpi / len(rows)  # in points
    starts = rows[np.flatnonzero(np.diff(codes[rows], prepend=-1))]
    for start, end in zip(starts, [*starts[1:], rows[-1] + 1], strict=True):
        code = codes[start] if top == codes.max() else codes[start] % 2
        middle, length = (start + end - 1) / 2, end - start
        draw_boxes(ax, np.array([middle]), place, between(code / top), length)
        fits = 0.6 * LETTERS * len(written[start]) <= box * length
        if fits and (values.is_monotonic_increasing or not is_date):
            style = {"color": ink.text, "fontsize": LETTERS}
            ax.text(middle, place, written[start], ha="center", va="center", **style)


# What the studies found -----------------------------------------------------------------


class Study(NamedTuple):
    """A picture of printed tables: points with intervals, for each panel, series and row."""

    panels: dict[str, dict[str, pd.DataFrame]]
    """By title and name; frames have the middle and the ends of each interval, by row."""
    meaning: str
    line: float
    is_log: bool = True


def read_table(page: str, call: str, n_columns: int) -> pd.DataFrame:
    """Read the last columns of a table that a page prints, by what stands before them."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    printed = re.split(r"^(?:>>>|```)", text.split(f">>> {call}\n")[1], maxsplit=1, flags=re.M)[0]
    rows = [line.rsplit(maxsplit=n_columns) for line in printed.splitlines()]
    kept = [row for row in rows if len(row) > n_columns and row[-1][-1].isdigit()]
    return pd.DataFrame([row[-n_columns:] for row in kept], [row[0].strip() for row in kept])


def by_k(table: pd.DataFrame, ks: tuple[int, ...] = (2, 5, 10)) -> dict[str, pd.DataFrame]:
    """Divide a table of ratios and intervals into those of each k."""
    values = table.astype(float).drop(index="SCV")
    return {f"k = {k}": values.iloc[:, 3 * n : 3 * n + 3] for n, k in enumerate(ks)}


def read_evidence() -> Study:
    """Read the squared errors of scores by k."""
    panels = by_k(read_table("study-evidence", "print(overall.to_string())", 9))
    return Study(
        {k: {"": each} for k, each in panels.items()},
        "squared error, SCV = 1 (left: closer to the truth)",
        1,
    )


def read_choice() -> Study:
    """Read the squared errors of scores and of differences by k."""
    tables = {
        "score": "print(study.ratios(scores, names).to_string())",
        "difference": "print(study.ratios(gaps, names).to_string())",
    }
    found = {name: by_k(read_table("study-choice", call, 9)) for name, call in tables.items()}
    panels = {k: {name: found[name][k] for name in found} for k in found["score"]}
    return Study(panels, "squared error, SCV = 1 (left: closer to the truth)", 1)


def read_plans() -> Study:
    """Read the squared errors of numbers of folds and runs."""
    table = read_table("study-choice", "print(pd.concat(of, axis=1).to_string())", 7)
    k = ""
    names = []
    for index, fits in zip(table.index, table[0], strict=True):
        *given, runs = index.split()
        k = given[0] if given else k
        names.append(f"{k} folds, {runs} run{'s' * (runs != '1')} ({fits} fits)")
    values = table.drop(columns=0).astype(float).set_axis(names)
    panels = {"error of a score": values.iloc[:, :3], "error of a difference": values.iloc[:, 3:]}
    return Study(
        {name: {"": each} for name, each in panels.items()},
        "squared error, 5 folds, 1 run = 1 (left: closer to the truth)",
        1,
    )


def read_compared() -> Study:
    """Read the ratios of the example of a study."""
    table = read_table("study-compare", 'found.drop(columns="estimator").round(3)', 4)
    values = table.drop(columns=0).astype(float)
    values.index = [name.split(maxsplit=1)[1] for name in values.index]
    return Study({"k = 2": {"": values}}, "squared error, SCV = 1 (left: closer to the truth)", 1)


def read_paper() -> Study:
    """Read the mean bias of the paper's strategies beside that of SCV."""
    call = 'print(study["sizes_table"](raw, "bias").to_string())'
    table = read_table("paper-study", call, 8).drop(columns=0)
    names = ["k-fold", "ACBCV", "KCBCV", "KCBCV Mini", "DBSCANBCV", "SCBCV", "SCBCV Mini"]
    cells = [f"{kind}, {k} folds" for kind in ("balanced", "imbalanced") for k in (2, 10)]
    panels = {}
    for place, cell in enumerate(cells):
        pair = table.iloc[2 * place : 2 * place + 2]
        panels[cell] = {index.split()[-1]: spread(row, names) for index, row in pair.iterrows()}
    return Study(panels, "bias minus that of SCV, in points, with two standard errors", 0, False)


def spread(row: pd.Series, names: list[str]) -> pd.DataFrame:
    """Return each value with the ends two standard errors away."""
    pairs = np.array([cell.split("±") for cell in row], dtype=float)
    ends = [pairs[:, 0] + 2 * side * pairs[:, 1] for side in (0, -1, 1)]
    return pd.DataFrame(np.transpose(ends), names)


STUDIES = {
    "study-advice": read_plans,
    "study-choice": read_choice,
    "study-compare": read_compared,
    "study-evidence": read_evidence,
    "study-paper": read_paper,
}
"""By the name of the picture."""


def draw_study(study: Study, ink: Ink, narrow: bool = False) -> Figure:
    """Draw a panel beside the other, or on a narrow page one below the other."""
    n, n_rows = len(study.panels), len(next(iter(next(iter(study.panels.values())).values())))
    shape, size = ((n, 1), (4.2, n)) if narrow else ((1, n), (8.4, 1))
    height = size[1] * (0.4 + 0.27 * n_rows) + 0.7
    axes = {"sharex": True, "sharey": True, "squeeze": False, "layout": "constrained"}
    figure, grid = plt.subplots(*shape, figsize=(size[0], height), facecolor=ink.paper, **axes)
    for ax, (title, panel) in zip(grid.flat, study.panels.items(), strict=True):
        draw_intervals(ax, panel, ink, study.line)
        ax.set_title(title, color=ink.text, fontsize=10)
    ax.set_xscale("log" if study.is_log else "linear")
    if study.is_log:
        ax.xaxis.set_major_locator(mpl.ticker.FixedLocator([0.5, 0.7, 1, 1.4, 2]))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_locator(mpl.ticker.NullLocator())
    ax.set_ylim(n_rows - 0.5, -0.5)
    if len(panel) > 1:
        style = {"frameon": False, "labelcolor": ink.text, "fontsize": LETTERS, "ncols": len(panel)}
        figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", **style)
    meaning = textwrap.fill(study.meaning, 40) if narrow else study.meaning
    figure.supxlabel(meaning, color=ink.text, fontsize=LETTERS)
    return figure


def draw_intervals(ax: Axes, panel: dict[str, pd.DataFrame], ink: Ink, line: float) -> None:
    """Draw a point on its interval for each row, and colours for series."""
    ax.axvline(line, color=ink.text, linewidth=0.8)
    for place, (name, table) in enumerate(panel.items()):
        middle, low, high = table.to_numpy().T
        rows = np.arange(len(table)) + 0.24 * (place - (len(panel) - 1) / 2)
        look = {"color": COLOURS[place], "marker": "os"[place], "markersize": 4}
        ends = np.array([middle - low, high - middle])
        ax.errorbar(middle, rows, xerr=ends, linestyle="", elinewidth=1.5, label=name, **look)
    ax.set_yticks(range(len(table)), table.index)
    ax.tick_params(colors=ink.text, labelsize=LETTERS, length=0)
    ax.grid(axis="x", color=ink.trains, linewidth=0.6)
    ax.set(facecolor=ink.paper, axisbelow=True)
    ax.spines[:].set_visible(False)


# All pictures ---------------------------------------------------------------------------


def draw_figures(ink: Ink, narrow: bool = False) -> Iterator[tuple[str, Figure]]:
    """Draw each picture, with its name."""
    for name, strip in run_page().items():
        yield name, draw_strip(strip, ink, narrow)
    for name, read in STUDIES.items():
        yield name, draw_study(read(), ink, narrow)


def draw_all(folder: Path, dpi: int) -> None:
    """Draw each picture for wide and narrow, light and dark pages, and save it in a folder."""
    for narrow in (False, True):
        for ending, ink in INKS.items():
            for name, figure in draw_figures(ink, narrow):
                figure.savefig(folder / f"{name}{'-narrow' * narrow}{ending}.png", dpi=dpi)
                plt.close(figure)


if __name__ == "__main__":
    for name, figure in draw_figures(INKS[""]):
        figure.savefig(DOCS / "images" / f"{name}.png", dpi=110)
