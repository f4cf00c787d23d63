"""Draw the two kinds of pictures of fold columns: stacked bars and matrices."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from ..checks import load_extra
from ..core.types import Ints, Values
from . import palette
from .fit import Drawn
from .lines import describe_sizes
from .picture_names import Name, letters_in, plain_text, short_text

SLANTED_LETTERS = 16
"""The maximum length of a slanted fold name."""

SHORT_NAME = 4
"""The maximum length of a fold name that is never slanted."""

ROW_LETTERS = 36
"""The maximum length of the name of a row of a matrix, where axes are wide enough."""

ROW_PART = 0.6
"""The part of the width of axes that the names of rows may have, before axes are narrowed."""

TITLE = 13
"""The number of letters per inch of width in a title, before axes are narrowed for a legend."""

LEGEND_LETTERS = 24
"""The maximum length of the heading of a legend."""

LEGEND_LINES = 16
"""The maximum number of names in a column of a legend."""

LEGEND_LINE = 0.17
"""The height of a line of a legend in inches."""

LEGEND_PART = 0.75
"""The part of the width of axes that a legend of several columns may take."""

FOLDS_WITH_NUMBERS = 10
"""The maximum number of folds for which a matrix shows numbers."""

CELLS_WITH_NUMBERS = 150
"""The maximum number of cells for which a matrix shows numbers."""

DARK = 0.5
"""The brightness of a cell below which its number is white."""

SLANTED = {"rotation": 35, "ha": "right", "rotation_mode": "anchor", "fontsize": "small"}
LEGEND: dict[str, Any] = {
    "loc": "center left",
    "bbox_to_anchor": (1, 0.5),
    "frameon": False,
    "fontsize": "small",
    "title_fontsize": "small",
    "handlelength": 1.2,
    "columnspacing": 1.0,
}


class Bars(NamedTuple):
    """The share of each class in each fold or, without classes, the number of rows in each fold."""

    folds: list[Any]
    sizes: Ints
    heights: Values
    """Shape (n_classes, n_folds) or, without classes, (1, n_folds)."""
    marks: list[float]
    """The heights of the dotted lines."""
    colours: Sequence[Any] = palette.COLOURS[:1]
    classes: Sequence[Name] = ()
    """The names of the classes, from the bottom up; empty if `heights` has numbers of rows."""
    heading: str = ""
    """The names of the entries that form the classes."""


class Matrix(NamedTuple):
    """A matrix of values: its rows are strata, features or folds, and its columns are folds."""

    folds: list[Any]
    rows: Sequence[Name]
    values: Values
    """Shape (n_rows, n_folds); NaN where there is no value."""
    shades: Values
    """The values that determine the colours of the cells."""
    side: str
    """The label of the vertical axis, such as "feature"."""
    scale: str
    """The label of the colour scale, such as "rows too many"."""
    blank: float = 0.0
    """The largest absolute value that is drawn without a colour."""
    is_signed: bool = False

    @property
    def limit(self) -> float:
        """The upper end of a colour scale that covers all values and is not entirely blank."""
        largest = float(np.abs(np.nan_to_num(self.values)).max(initial=0.0))
        return max(largest, 3 * self.blank, 1.0)


def draw_bars(ax: Any, bars: Bars, name: Any, title: str, *, with_legend: bool) -> Drawn:
    write_title(ax, title)
    places = np.arange(len(bars.folds))
    tops = bars.heights.cumsum(axis=0)
    edges = {"edgecolor": palette.paper_of(ax), "linewidth": 0.4 if bars.classes else 0}
    stacks = [
        ax.bar(places, heights, 0.85, top - heights, color=colour, **edges)
        for heights, top, colour in zip(bars.heights, tops, bars.colours, strict=True)
    ]
    dotted = {"color": palette.ink(), "linestyle": ":", "linewidth": 1}
    lines = [ax.axhline(mark, **dotted) for mark in bars.marks]
    ax.spines[["top", "right"]].set_visible(False)
    name_folds(ax, name, bars.folds, bars.sizes.tolist())
    if not bars.classes:
        ax.set_ylabel("rows (dotted: equal sizes)" if bars.marks else "rows")
        return Drawn()
    ax.set_ylim(0, 1)
    ax.set_yticks([0, 0.5, 1], ["0", "50 %", "100 %"])
    return Drawn(add_legend(ax, bars, stacks, lines) if with_legend else None)


def add_legend(ax: Any, bars: Bars, stacks: Sequence[Any], lines: Sequence[Any]) -> Any:
    """Add a legend that lists the classes from the top down, and then the dotted lines."""
    shown, n_columns = legend_entries(ax, bars)
    handles = [stacks[place] for place in shown]
    labels = [bars.classes[place].fit(LEGEND_LETTERS) for place in shown]
    if lines:
        handles.append(lines[0])
        labels.append("all rows")
    if len(shown) < len(bars.classes):
        handles.append(load_extra("matplotlib.patches", "plot").Patch(alpha=0))
        labels.append(f"and {len(bars.classes) - len(shown)} more")
    heading = short_text(bars.heading, LEGEND_LETTERS)
    return ax.legend(handles, labels, title=heading, ncols=n_columns, **LEGEND)


def legend_entries(ax: Any, bars: Bars) -> tuple[list[int], int]:
    """Choose the classes of a legend, all or the largest that have room, and its columns."""
    width, height = ax.get_window_extent().size / ax.figure.dpi
    room = max(1, int(LEGEND_PART * width / legend_column(bars)))
    n_columns = min(room, ceil(len(bars.classes) / LEGEND_LINES))
    n_lines = max(LEGEND_LINES // 2, int(height / LEGEND_LINE))
    n_names = min(len(bars.classes), n_columns * n_lines)
    largest = np.argsort(-bars.heights.sum(axis=1), kind="stable")[:n_names]
    return np.sort(largest)[::-1].tolist(), n_columns


def legend_column(bars: Bars) -> float:
    """Estimate the width of a column of a legend, in inches."""
    longest = max(len(name.fit(LEGEND_LETTERS)) for name in bars.classes)
    return 0.45 + 0.075 * longest


def draw_matrix(
    ax: Any, matrix: Matrix, name: Any, title: str, limit: float, *, with_scale: bool
) -> Drawn:
    write_title(ax, title)
    paper = palette.paper_of(ax)
    mesh = ax.pcolormesh(
        np.ma.masked_invalid(matrix.shades),
        cmap=palette.colour_scale(paper, matrix.blank / limit, is_signed=matrix.is_signed),
        vmin=-limit if matrix.is_signed else 0,
        vmax=limit,
        edgecolors=palette.mix(palette.ink(), paper, palette.GRID),
        linewidth=0.5,
    )
    ax.set_facecolor(palette.mix(palette.ink(), paper, palette.EMPTY))
    ax.invert_yaxis()
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    most = min(ROW_LETTERS, letters_in(ax, ROW_PART * 12))
    ax.set_yticks(np.arange(len(matrix.rows)) + 0.5, [row.fit(most) for row in matrix.rows])
    ax.set_ylabel(plain_text(matrix.side))
    name_folds(ax, name, matrix.folds)
    is_small = len(matrix.folds) <= FOLDS_WITH_NUMBERS and matrix.values.size <= CELLS_WITH_NUMBERS
    numbers = write_numbers(ax, matrix, mesh) if is_small else []
    if not with_scale:
        return Drawn(numbers=numbers)
    ticks = load_extra("matplotlib.ticker", "plot").MaxNLocator(5, integer=True)
    scale = ax.figure.colorbar(mesh, ax=ax, label=plain_text(matrix.scale), ticks=ticks)
    return Drawn(scale.ax, numbers)


def write_numbers(ax: Any, matrix: Matrix, mesh: Any) -> list[Any]:
    decimals = 1 if matrix.blank and matrix.limit < 10 else 0
    sign = "+" if matrix.is_signed else ""
    texts = []
    for row, fold in np.argwhere(~np.isnan(matrix.values)):
        number = round(float(matrix.values[row, fold]), decimals)
        text = f"{number:{sign},.{decimals}f}" if number else "0"
        is_dark = np.dot(mesh.to_rgba(matrix.shades[row, fold])[:3], (0.3, 0.59, 0.11)) < DARK
        colour = "w" if is_dark else "k"
        texts.append(
            ax.text(fold + 0.5, row + 0.5, text, color=colour, ha="center", va="center", size=8)
        )
    return texts


def write_title(ax: Any, text: str) -> None:
    """Write a title in lines that fit, and let matplotlib wrap lines of wide characters."""
    lines = plain_text(textwrap.fill(text, letters_in(ax, TITLE)))
    ax.set_title(lines, fontsize="medium", wrap=True)


def name_folds(ax: Any, name: Any, folds: Sequence[Any], sizes: Sequence[int] = ()) -> None:
    """Name the folds, with their sizes where both have room, and the column below them."""
    names = [short_text(fold) for fold in folds]
    rows = [f"{size:,}" for size in sizes]
    label = short_text(name)
    room = letters_in(ax)
    longest = max(map(len, names))
    is_slanted = len(names) * (longest + 1) > room and longest > SHORT_NAME
    if is_slanted:
        names = [short_text(fold, SLANTED_LETTERS) for fold in folds]
    elif rows and len(names) * (max(longest, *map(len, rows)) + 1) <= room:
        names = [f"{fold}\n{size}" for fold, size in zip(names, rows, strict=True)]
        label += " and its rows"
    if rows and "\n" not in names[0]:
        label += f" ({describe_sizes(sizes)})"
    places = np.arange(len(names)) + (0 if rows else 0.5)
    ax.set_xticks(places, names, **(SLANTED if is_slanted else {}))
    ax.set_xlabel(textwrap.fill(label, room))
