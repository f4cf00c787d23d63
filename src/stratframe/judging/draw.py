"""Draw the two kinds of pictures of fold columns: stacked bars and matrices."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from math import ceil, radians, sin
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..checks import load_extra
from ..core.types import Ints, Values
from .lines import cut_name, describe_sizes, printable

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#F0E442")
"""Colours for classes; colour-blind readers can tell the colours apart (Okabe and Ito 2008)."""

SHADES = (
    "#440154",
    "#482878",
    "#3E4989",
    "#31688E",
    "#26828E",
    "#1F9E89",
    "#35B779",
    "#6DCD59",
    "#B4DE2C",
    "#FDE725",
)
"""Colours of bins, from dark to light: ten colours of the viridis palette."""

OTHERS = "0.75"
"""The colour of pooled classes."""

GRID = "0.88"
"""The colour of the lines between cells."""

EMPTY = "0.95"
"""The colour of empty cells."""

TOO_FEW = "#2166AC"
"""The colour of the lower end of a signed scale."""

TOO_MANY = "#B2182B"
"""The colour of the upper end of a scale."""

NAME_LETTERS = 20
"""The maximum length of a name."""

SLANTED_LETTERS = 16
"""The maximum length of a slanted fold name."""

SHORT_NAME = 4
"""The maximum length of a fold name that is never slanted."""

TITLE = 13
"""The number of characters per inch of width in a title, before axes are narrowed for a legend."""

LABEL_LETTERS = 12
"""The number of characters per inch of width in the names of folds."""

LEAST = 20
"""The minimum number of characters in a line."""

FOLDS_WITH_NUMBERS = 10
"""The maximum number of folds for which a matrix shows numbers."""

CELLS_WITH_NUMBERS = 150
"""The maximum number of cells for which a matrix shows numbers."""

LEAST_WIDTH = 1 / 3
"""The minimum fraction of their width that axes keep when they are narrowed."""

SLANTED = {"rotation": 35, "ha": "right", "rotation_mode": "anchor", "fontsize": "small"}
LEGEND: dict[str, Any] = {
    "loc": "center left",
    "bbox_to_anchor": (1, 0.5),
    "frameon": False,
    "fontsize": "small",
    "title_fontsize": "small",
    "handlelength": 1.2,
}


class Bars(NamedTuple):
    """The share of each class in each fold or, without classes, the number of rows in each fold."""

    folds: list[Any]
    sizes: Ints
    heights: Values
    """Shape (n_classes, n_folds) or, without classes, (1, n_folds)."""
    marks: list[float]
    """The heights of the dotted lines."""
    colours: Sequence[str] = COLOURS[:1]
    classes: Sequence[str] = ()
    """The names of the classes, from the bottom up; empty if `heights` has numbers of rows."""
    heading: str = ""
    """The names of the entries that form the classes."""


class Matrix(NamedTuple):
    """A matrix of values: its rows are strata, features or folds, and its columns are folds."""

    folds: list[Any]
    rows: list[Any]
    values: Values
    """Shape (n_rows, n_folds); NaN where there is no value."""
    shades: Values
    """The values that determine the colours of the cells."""
    side: str
    """The label of the vertical axis, such as "feature"."""
    scale: str
    """The label of the colour scale, such as "rows too many"."""
    white: float = 0.0
    """The largest absolute value that is drawn in white."""
    is_signed: bool = False

    @property
    def limit(self) -> float:
        """The upper end of a colour scale that covers all values and is not entirely white."""
        largest = float(np.abs(np.nan_to_num(self.values)).max(initial=0.0))
        return max(largest, 3 * self.white, 1.0)


Extras: TypeAlias = tuple[Any, Sequence[Any]]
"""The legend or the axes of the colour scale (None without either), and the texts in the cells."""


def draw_bars(ax: Any, bars: Bars, name: Any, title: str, *, with_legend: bool) -> Extras:
    write_title(ax, title)
    places = np.arange(len(bars.folds))
    tops = bars.heights.cumsum(axis=0)
    stacks = [
        ax.bar(places, heights, 0.85, top - heights, color=colour)
        for heights, top, colour in zip(bars.heights, tops, bars.colours, strict=True)
    ]
    lines = [ax.axhline(mark, color="black", linestyle=":", linewidth=1) for mark in bars.marks]
    ax.spines[["top", "right"]].set_visible(False)
    name_folds(ax, name, bars.folds, bars.sizes.tolist())
    if not bars.classes:
        ax.set_ylabel("rows (dotted: equal sizes)" if bars.marks else "rows")
        return None, []
    ax.set_ylim(0, 1)
    ax.set_yticks([0, 0.5, 1], ["0", "50 %", "100 %"])
    if not with_legend:
        return None, []
    return add_legend(ax, bars, stacks, lines), []


def add_legend(ax: Any, bars: Bars, stacks: Sequence[Any], lines: Sequence[Any]) -> Any:
    """Add a legend that lists the classes from the top down, and then the dotted lines."""
    labels = [short_text(each) for each in bars.classes[::-1]]
    if lines:
        labels.append("all rows")
    heading = short_text(bars.heading, 24)
    return ax.legend([*stacks[::-1], *lines[:1]], labels, title=heading, **LEGEND)


def draw_matrix(
    ax: Any, matrix: Matrix, name: Any, title: str, limit: float, *, with_scale: bool
) -> Extras:
    write_title(ax, title)
    mesh = ax.pcolormesh(
        np.ma.masked_invalid(matrix.shades),
        cmap=colour_scale(matrix.white / limit, is_signed=matrix.is_signed),
        vmin=-limit if matrix.is_signed else 0,
        vmax=limit,
        edgecolors=GRID,
        linewidth=0.5,
    )
    ax.set_facecolor(EMPTY)
    ax.invert_yaxis()
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set_yticks(np.arange(len(matrix.rows)) + 0.5, map(short_text, matrix.rows))
    ax.set_ylabel(plain_text(matrix.side))
    name_folds(ax, name, matrix.folds)
    is_small = len(matrix.folds) <= FOLDS_WITH_NUMBERS and matrix.values.size <= CELLS_WITH_NUMBERS
    numbers = write_numbers(ax, matrix, mesh) if is_small else []
    if not with_scale:
        return None, numbers
    ticks = load_extra("matplotlib.ticker", "plot").MaxNLocator(5, integer=True)
    scale = ax.figure.colorbar(mesh, ax=ax, label=plain_text(matrix.scale), ticks=ticks)
    return scale.ax, numbers


def colour_scale(white: float, *, is_signed: bool) -> Any:
    """Make a scale from 0 (-1 if it is signed) to 1, which is white up to the size `white`."""
    points = [(0.0, "white"), (white, "white"), (1.0, TOO_MANY)]
    if is_signed:
        points = [
            (0.0, TOO_FEW),
            (0.5 - white / 2, "white"),
            (0.5 + white / 2, "white"),
            (1.0, TOO_MANY),
        ]
    scales = load_extra("matplotlib.colors", "plot").LinearSegmentedColormap
    return scales.from_list("matrix", points)


def write_numbers(ax: Any, matrix: Matrix, mesh: Any) -> list[Any]:
    decimals = 1 if matrix.white and matrix.limit < 10 else 0
    sign = "+" if matrix.is_signed else ""
    texts = []
    for row, fold in np.argwhere(~np.isnan(matrix.values)):
        number = round(float(matrix.values[row, fold]), decimals)
        text = f"{number:{sign},.{decimals}f}" if number else "0"
        is_dark = np.dot(mesh.to_rgba(matrix.shades[row, fold])[:3], (0.3, 0.59, 0.11)) < 0.5
        colour = "w" if is_dark else "k"
        texts.append(
            ax.text(fold + 0.5, row + 0.5, text, color=colour, ha="center", va="center", size=8)
        )
    return texts


def sides_of(ax: Any) -> tuple[float, float]:
    """Return the left edge of the row names and the right edge of the axes, in pixels."""
    return (ax.yaxis.get_tightbbox() or ax.bbox).x0, ax.bbox.x1


def fit(
    axes: Sequence[Any], extras: Sequence[Extras], sides: Sequence[tuple[float, float]]
) -> None:
    """Remove numbers that are larger than their cells, and names that would overlap.

    In figures without a layout engine, axes are narrowed until names and legends are within
    `sides`.
    """
    figures = [ax.get_figure(root=True) for ax in axes]
    layouts = {figure: figure.get_layout_engine() for figure in figures}
    for figure, layout in layouts.items():
        if layout is not None:
            layout.execute(figure)
    for ax, (beside, numbers), (left, right), figure in zip(
        axes, extras, sides, figures, strict=True
    ):
        if layouts[figure] is None:
            keep_inside(ax, beside, left, right)
        unit = ax.bbox.size / np.abs([np.subtract(*ax.get_xlim()), np.subtract(*ax.get_ylim())])
        if any((text.get_window_extent().size > unit).any() for text in numbers):
            for text in numbers:
                text.remove()
        thin_names(ax.xaxis, unit[0])
        thin_names(ax.yaxis, unit[1])


def keep_inside(ax: Any, beside: Any, left: float, right: float) -> None:
    """Narrow axes until their row names and the legend or scale `beside` fit between edges."""
    pixels_before = max(0, left - sides_of(ax)[0])
    pixels_after = 0
    if beside is not None:
        pixels_after = max(0, beside.get_tightbbox().x1 - right)
    part = min(1, (1 - LEAST_WIDTH) * ax.bbox.width / max(pixels_before + pixels_after, 1))
    # Positions are fractions of the width of the figure.
    before = pixels_before * part / ax.figure.bbox.width
    after = pixels_after * part / ax.figure.bbox.width
    for each in {ax, beside} & set(ax.figure.axes):  # a legend moves with its axes
        x, y, width, height = each.get_position().bounds
        if each is ax:
            x += before
            width = width - before - after
        else:
            x -= after
        each.set_position([x, y, width, height])
        each.set_in_layout(True)  # `set_position` takes axes out of the layout


def thin_names(axis: Any, unit: float) -> None:
    """Keep only every n-th name on an axis if names overlap; a data unit is `unit` pixels long."""
    labels = axis.get_ticklabels()
    places = axis.get_ticklocs()
    if not labels:  # the neighbouring axes show the names
        return
    letter = labels[0].get_fontsize() * axis.figure.dpi / 72
    angle = labels[0].get_rotation()
    widths, heights = np.transpose([label.get_window_extent().size for label in labels])
    if angle:
        room = letter / sin(radians(angle))
    elif axis.axis_name == "x":
        room = widths.max() + letter / 4
    else:
        room = heights.max()
    n = ceil(room / unit / np.diff(places, append=np.inf).min())
    if n > 1:
        axis.set_ticks(places[::n], [label.get_text() for label in labels[::n]])


def write_title(ax: Any, text: str) -> None:
    """Write a title in lines that fit, and let matplotlib wrap lines of wide characters."""
    lines = plain_text(textwrap.fill(text, letters_in(ax, TITLE)))
    ax.set_title(lines, fontsize="medium", wrap=True)


def name_folds(ax: Any, name: Any, folds: Sequence[Any], sizes: Sequence[int] = ()) -> None:
    names = [short_text(fold) for fold in folds]
    rows = [f"{size:,}" for size in sizes]
    label = short_text(name)
    room = letters_in(ax, LABEL_LETTERS)
    longest = max(map(len, names))
    is_slanted = len(names) * (longest + 1) > room and longest > SHORT_NAME
    if is_slanted:
        names = [short_text(fold, SLANTED_LETTERS) for fold in folds]
    elif rows and len(names) * (max(longest, *map(len, rows)) + 1) <= room:
        names = [f"{fold}\n{size}" for fold, size in zip(names, rows, strict=True)]
        label += " and its rows"
    if rows and "\n" not in names[0]:
        label += f" ({describe_sizes(sizes)})"
    ax.set_xticks(
        np.arange(len(names)) + (0 if rows else 0.5), names, **(SLANTED if is_slanted else {})
    )
    ax.set_xlabel(label)


def letters_in(ax: Any, per_inch: int) -> int:
    return max(LEAST, int(per_inch * ax.get_window_extent().width / ax.figure.dpi))


def short_text(value: object, most: int = NAME_LETTERS) -> str:
    text = cut_name(" ".join(printable(value).removesuffix(" 00:00:00").split()), most)
    # A legend omits text that starts with an underscore, so a thin space is put before the text.
    return plain_text(f"\u2009{text}" if text.startswith("_") else text)


def plain_text(text: str) -> str:
    """Escape dollar signs, because matplotlib reads text between them as mathematics."""
    return text.replace("$", r"\$")
