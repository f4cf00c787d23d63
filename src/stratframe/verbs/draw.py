"""What the pictures of fold columns share: colours, titles, names and legends."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from ..checks import load_extra
from ..core.types import Ints, Values
from ..errors import plural

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#000000", "#F0E442")
"""Colours that the colour-blind can distinguish: Okabe and Ito (2008), Color universal design.
Their eighth, vermilion, is that of what is bad."""

BAD, BAD_MARKER = "#D55E00", "X"
"""What is worse than chance, or leaks."""

GOOD_TEXT, RANDOM_TEXT, BAD_TEXT, TEXT = "#00704F", "#8A6400", "#C42B00", ""
"""Titles by their verdict, dark enough to be read; others have the colour of all text."""

MARKERS = "os^DvP*<>d"
"""A marker for each fold or column, up to this many; of more, all share a neutral strip."""

NUMBERED = 20
"""Features, or folds, up to which all numbers and names are written."""

LONG = 40
"""Letters of a name drawn at most."""

PITCH, SMALL = 8.0, 6.0
"""The least height of a row, and the smallest font, in points."""

LABELS = 0.58
"""The width of the names of rows, at most, as a share of the axes before they make room."""

LEGEND = 0.35
"""The height of a legend, at most, as a share of the axes, if its names can be shortened."""

MARGIN = 40
"""Points beside axes that names have before these become narrower."""

BESIDE = 150
"""The width in points of what a label of an axis says besides the columns."""

LETTER, TITLE_LETTER, LINE = 0.62, 0.56, 1.25
"""The width of a letter, of one in a sentence, and the height of a line, in sizes of the font."""

LEGEND_FONT = 8.0
"""In points."""

COMPACT = {"handlelength": 1.2, "handletextpad": 0.4, "columnspacing": 1.2}
"""The spaces in a legend, in sizes of the font: `arrange_legend` counts with them."""

NEUTRAL, PALE = "0.25", "0.6"
"""The greys of strips and bars that have no colour."""

FONT = 9.0
"""Of the names of folds, in points."""

NARROW = 60.0
"""Points below which a bar is too narrow for lines of words, so that names are upright."""

DEEP = 0.35
"""The height of names of folds, at most, as a share of the axes before they make room."""

TITLE, CLAUSED, LEAST_TITLE = 12.0, 9.5, 8.0
"""The sizes of the font of a title: at most, below which a clause gets a line, and at least."""

TITLE_LINES = 3
"""Lines of a title, one for each verdict; of more, the columns are counted."""


class Verdict(NamedTuple):
    """What the title says of a column."""

    text: str
    colour: str = TEXT


def largest(values: Values) -> Values:
    """Find the largest value of each row, 0 if there is none."""
    found: Values = np.nan_to_num(values).max(axis=1, initial=0.0)
    return found


def write_title(
    ax: Any,
    names: Sequence[str],
    verdicts: Sequence[Verdict],
    beside: float = 0.0,
    *,
    good: str = "are even",
    n_good: int | None = None,
) -> None:
    """Write the verdict of a column, or of several a line for each verdict, as the title.

    Parameters
    ----------
    names : sequence of str
        The columns, which go before their verdicts; "" for none.
    beside : float
        As of `label_groups`.
    good : str
        What the good ones of many columns are.
    n_good : int, optional
        How many these are; by default those whose verdict has the colour of good ones.
    """
    columns: dict[Verdict, list[str]] = {}
    for name, verdict in zip(names, verdicts, strict=True):
        columns.setdefault(verdict, []).append(name)
    lines = [
        f"{join_names(ax, own)}: {verdict.text}" if own[0] != "" else verdict.text
        for verdict, own in columns.items()
    ]
    colour = verdicts[0].colour if len({each.colour for each in verdicts}) == 1 else TEXT
    if len(lines) > TITLE_LINES:
        if n_good is None:
            n_good = sum(each.colour == GOOD_TEXT for each in verdicts)
        lines = [f"{n_good} of {len(names)} columns {good}"]
    room = width_beside(ax, beside) / TITLE_LETTER
    least = CLAUSED if len(lines) == 1 else LEAST_TITLE
    lines = [part for line in lines for part in break_clause(line, room / least)]
    font = float(np.clip(room / max(map(len, lines)), LEAST_TITLE, TITLE))
    width = max(20, round(room / font))
    lines = [part for line in lines for part in textwrap.wrap(line, width)]
    ax.set_title("\n".join(lines), fontsize=font, color=text_colour(colour))


def text_colour(colour: str) -> str:
    """Choose the colour of all text, which a style sets, where there is none."""
    return colour or str(load_extra("matplotlib", "plot").rcParams["text.color"])


def break_clause(line: str, most: float) -> list[str]:
    """Break a line that has too many letters before its last clause."""
    first, comma, last = line.rpartition(", ")
    return [line] if len(line) <= most or not comma else [f"{first},", last]


def divide_rows(ax: Any, worst: Values, most: int, above: float = 0.0) -> tuple[Ints, Ints]:
    """Divide rows, the worst first, into those that can be read on axes and the others.

    Parameters
    ----------
    above : float
        Points that are taken above the first row.
    """
    order = np.argsort(-worst, kind="stable")
    n_shown = min(most, rows_in(ax, above))
    return order[:n_shown], order[n_shown:]


def rows_in(ax: Any, above: float = 0.0) -> int:
    """Count the rows that can be read on axes, and one that says how many are not shown."""
    return max(1, int((height_of(ax) - above) / PITCH) - 1)


def set_of_bars(counts: Sequence[int]) -> list[Values]:
    """Place the folds of columns side by side, with a gap between columns."""
    starts = np.cumsum([0, *counts[:-1]]) + 0.8 * np.arange(len(counts))
    return [start + np.arange(count) for start, count in zip(starts, counts, strict=True)]


def height_of(ax: Any) -> float:
    """Estimate the height of axes in points, without what a layout engine moves below them."""
    height: float = ax.get_window_extent().height / ax.figure.dpi * 72
    return max(1.0, height - 40 if is_laid_out(ax) else height)


def is_laid_out(ax: Any) -> bool:
    """Return whether the figure makes room for what is outside of axes."""
    return ax.figure.get_layout_engine() is not None and ax.get_subplotspec() is not None


def set_range(ax: Any, low: float, high: float) -> None:
    """Widen the range of the x axis, and that of axes which share it."""
    ax.update_datalim([(low, 0), (high, 0)])
    ax.use_sticky_edges = False
    ax.margins(x=0.03 if low else 0.0)
    ax.autoscale_view(scaley=False)


def write_column_names(
    ax: Any,
    names: Sequence[str],
    sets: Sequence[Values],
    verdicts: Sequence[Verdict],
    height: float,
) -> None:
    """Write the name of each column above what is drawn of it, in the colour of its verdict."""
    pitch = 0.9 * width_of(ax) / (sets[-1][-1] + 1)
    for name, places, verdict in zip(names, sets, verdicts, strict=True):
        ax.text(
            (places[0] + places[-1]) / 2,
            height,
            shorten(name, letters_in(pitch * len(places), FONT)),
            ha="center",
            va="bottom",
            fontsize=FONT,
            color=text_colour(verdict.colour),
        )


def label_rows(ax: Any, names: list[str], n_more: int, note: str, above: float = 0.0) -> float:
    """Write the names of rows, the first at the top, and how many are not shown.

    Parameters
    ----------
    above : float
        As of `divide_rows`.

    Returns
    -------
    float
        The width of the names in points.
    """
    size = row_font(ax, len(names), above)
    most = letters_in(LABELS * width_of(ax), size)
    labels = [shorten(each, most) for each in names]
    if n_more:
        ax.text(
            0.5,
            len(labels),
            note,
            transform=ax.get_yaxis_transform(),
            ha="center",
            va="center",
            fontsize=size,
            style="italic",
        )
        labels.append(f"{n_more:,} more")
    ax.set_yticks(np.arange(len(labels)), labels, fontsize=size)
    ax.set_ylim(max(len(labels), 1) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color="0.85", linewidth=0.6)
    ax.set_axisbelow(True)
    return LETTER * size * max(map(len, labels), default=0)


def row_font(ax: Any, n_rows: int, above: float) -> float:
    """Choose the size of font that the height of a row has room for."""
    return float(np.clip(0.78 * (height_of(ax) - above) / max(n_rows, 1), SMALL, FONT))


def label_groups(
    ax: Any, labels: Sequence[str], places: Values | None = None, beside: float = 0.0
) -> float:
    """Write the folds below their bars: all, on several lines or upright, or some of many.

    Parameters
    ----------
    places : ndarray of float64, shape (n_labels,), optional
        Where they are; by default at 0, 1, 2, ...
    beside : float
        Points that names beside the axes take from their width, if the figure makes room.

    Returns
    -------
    float
        The height of the labels in points.
    """
    places = np.arange(float(len(labels))) if places is None else places
    pitch = 0.9 * width_beside(ax, beside) / (places[-1] + 1)
    labels = [cut_middle(" ".join(each.split()), LONG) for each in labels]
    longest = LETTER * FONT * max(map(len, labels)) + 4
    is_wide = longest > pitch and len(labels) <= NUMBERED
    is_upright = is_wide and pitch < NARROW
    step = 1 if is_wide else ceil(longest / pitch)
    depth = DEEP * height_of(ax) if is_wide else FONT
    if is_wide:
        along, across = (depth, pitch) if is_upright else (pitch, depth)
        size = letters_in(along, FONT), max(1, int(across / (LINE * FONT)))
        labels = [wrap(each, *size) for each in labels]
    ax.set_xticks(places[::step], [plain_text(each) for each in labels[::step]])
    ax.tick_params(axis="x", rotation=90 if is_upright else 0, labelsize=FONT)
    ax.set_xlim(-0.6, places[-1] + 0.6)
    return depth_of(labels, upright=is_upright)


def wrap(text: str, width: int, n_lines: int) -> str:
    """Break a text into lines, between words if they fit so, and else anywhere."""
    lines = textwrap.wrap(text, width)
    if len(lines) > n_lines:
        text = cut_middle(text, width * n_lines)
        lines = [text[start : start + width] for start in range(0, len(text), width)]
    return "\n".join(lines)


def depth_of(labels: Sequence[str], *, upright: bool) -> float:
    """Estimate the height of labels in points."""
    if upright:
        return LETTER * FONT * max(len(line) for each in labels for line in each.split("\n"))
    return LINE * FONT * (1 + max(each.count("\n") for each in labels))


def place_legend(
    ax: Any, handles: Sequence[Any], labels: Sequence[str], inside: str, depth: float = 13.0
) -> float:
    """Place a legend below axes if their figure makes room for it, or inside.

    Parameters
    ----------
    depth : float
        The height of the labels of the x axis, in points.

    Returns
    -------
    float
        The share by which the axes must be longer to hold a legend that is inside.
    """
    n_columns, width = arrange_legend(labels, room_beside(ax) / LEGEND_FONT)
    order = [place for first in range(n_columns) for place in range(first, len(labels), n_columns)]
    ax.legend(
        [handles[place] for place in order],
        [labels[place] for place in order],
        **(below_label(ax, width, depth) if is_laid_out(ax) else {"loc": inside}),
        borderaxespad=0.2,
        ncols=n_columns,
        fontsize=LEGEND_FONT,
        frameon=False,
        **COMPACT,
    )
    if is_laid_out(ax):
        return 0.0
    height = LEGEND_FONT * (1.0 + 1.6 * ceil(len(labels) / n_columns))
    return height / max(height_of(ax) - height, height)


def legend_letters(ax: Any, n_labels: int) -> int:
    """Count the letters that names in a legend may have, so that it leaves room for the axes."""
    n_lines = max(3, int(LEGEND * height_of(ax) / (1.6 * LEGEND_FONT)))
    n_columns = ceil(n_labels / n_lines)
    return letters_in(room_beside(ax) / n_columns - 4 * LEGEND_FONT, LEGEND_FONT)


def room_beside(ax: Any) -> float:
    """Estimate the width in points that a legend may have."""
    if not is_laid_out(ax):
        return width_of(ax)
    place = ax.get_subplotspec().get_topmost_subplotspec()
    share = len(place.colspan) / place.get_gridspec().ncols
    return float(ax.figure.get_figwidth() * 72 * 0.95 * share)


def below_label(ax: Any, width: float, depth: float) -> dict[str, Any]:
    """Choose the place of a legend below the label of the x axis."""
    down = (1.3 * ax.xaxis.label.get_size() + depth + 12) / 72
    shift = load_extra("matplotlib.transforms", "plot").ScaledTranslation
    # A legend that is wider than the axes extends to the left, below the names of rows.
    is_wide = width * LEGEND_FONT > 0.85 * width_of(ax)
    return {
        "loc": "upper right" if is_wide else "upper center",
        "bbox_to_anchor": (1.0 if is_wide else 0.5, 0),
        "bbox_transform": ax.transAxes + shift(0, -down, ax.figure.dpi_scale_trans),
    }


def arrange_legend(labels: Sequence[str], room: float) -> tuple[int, float]:
    """Count the columns of a legend that fit into a width, and estimate theirs.

    Both widths are in sizes of the font. The labels fill one line after another.
    """
    widths = [2.8 + 0.6 * len(label) for label in labels]

    def width_of_columns(count: int) -> float:
        """Add up the widest entries of the columns, and the space between these."""
        return sum(max(widths[first::count]) for first in range(count)) - 1.2

    fitting = (count for count in range(len(labels), 1, -1) if width_of_columns(count) <= room)
    n_columns = next(fitting, 1)
    return n_columns, width_of_columns(n_columns)


def width_beside(ax: Any, names: float) -> float:
    """Estimate the width of axes in points after names beside them, if the figure makes room."""
    width = width_of(ax)
    return max(width - max(names - MARGIN, 0), width / 3) if is_laid_out(ax) else width


def width_of(ax: Any) -> float:
    """Estimate the width of axes in points."""
    return float(ax.get_window_extent().width / ax.figure.dpi * 72)


def join_names(ax: Any, names: Sequence[object]) -> str:
    """Name the columns of a picture, or the first and the last of many."""
    most = letters_in(width_of(ax) - BESIDE, 10)
    texts = [str(each) for each in names]
    if len(texts) == 1:
        return shorten(texts[0], most)
    joined = (", ".join(texts), f"{texts[0]}, \u2026, {texts[-1]}", plural(len(texts), "column"))
    return shorten(next((text for text in joined if len(text) <= most), joined[-1]))


def shorten(value: object, most: int = LONG) -> str:
    """Write a value as plain text: not as mathematics, not too long, in every legend."""
    text = cut_middle(str(value), most)
    # A legend leaves out what starts with an underscore; a thin space goes before it.
    space = "\u2009" if text.startswith("_") else ""
    return space + plain_text(text)


def cut_middle(text: str, most: int) -> str:
    """Cut a text to a number of letters; its end stays, as it may be all that tells it apart."""
    if len(text) <= most:
        return text
    n_last = (most - 1) // 2
    return f"{text[: most - 1 - n_last]}\u2026{text[len(text) - n_last :]}"


def plain_text(text: str) -> str:
    """Write dollars as such, not as the ends of mathematics."""
    return text.replace("$", r"\$")


def letters_in(points: float, font: float) -> int:
    """Count the letters that there is room for, of a name that is shown: 8 to `LONG`."""
    return int(np.clip(points / (LETTER * font), 8, LONG))
