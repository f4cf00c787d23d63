"""The sizes of folds drawn as bars on the axes of matplotlib."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from ..core.types import Ints, Values
from .draw import (
    COLOURS,
    LETTER,
    LINE,
    LONG,
    NUMBERED,
    PALE,
    SMALL,
    cut_middle,
    height_of,
    join_names,
    legend_letters,
    letters_in,
    place_legend,
    plain_text,
    shorten,
    width_of,
)

FONT = 9.0
"""Of the names of folds, in points."""

NARROW = 60.0
"""Points below which a bar is too narrow for lines of words, so that names are upright."""

DEEP = 0.35
"""The height of names of folds, at most, as a share of the axes before they make room."""


class FoldSizes(NamedTuple):
    """The rows of the folds of a column."""

    name: str
    folds: list[Any]
    sizes: Ints
    """Shape (n_folds + 1,); the last counts the rows without a fold."""


def draw_sizes(ax: Any, columns: Sequence[FoldSizes]) -> Any:
    """Draw the rows of every fold, and of no fold; the bars of several columns side by side."""
    folds = list(dict.fromkeys(fold for each in columns for fold in each.folds))
    labels = [str(fold) for fold in folds]
    if any(each.sizes[-1] for each in columns):
        labels.append("none")
    n_bars, width = len(labels) * len(columns), 0.8 / len(columns)
    depth, most = label_groups(ax, labels), legend_letters(ax, len(columns))
    for place, (column, colour) in enumerate(zip(columns, bar_colours(len(columns)), strict=True)):
        column = column._replace(name=shorten(column.name, most))
        groups = np.array([*map(folds.index, column.folds), len(folds)])
        bars = draw_bars(ax, column, groups + (place + 0.5) * width - 0.4, width, colour)
        write_sizes(ax, bars, column.sizes, n_bars, depth)
    ax.set_ylabel("rows")
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.yaxis.set_major_formatter("{x:,.0f}")
    title = join_names(ax, columns)
    ax.set_xlabel(title)
    ax.set_title(f"Sizes of {title}")
    if 1 < len(columns) <= len(COLOURS):
        handles, names = ax.get_legend_handles_labels()
        room = place_legend(ax, handles, names, "upper center", depth)
        ax.margins(y=ax.margins()[1] + room)
    return ax


def bar_colours(count: int) -> list[str]:
    """List a colour for each column; a neutral one for more than can be told apart."""
    return list(COLOURS[:count]) if count <= len(COLOURS) else [PALE] * count


def draw_bars(ax: Any, column: FoldSizes, places: Values, width: float, colour: str) -> list[Any]:
    """Draw a bar for each fold of a column, and a hatched one for the rows without a fold."""
    shape: dict[str, Any] = {"width": width, "facecolor": colour, "edgecolor": "white"}
    shape["linewidth"] = 0.3
    bars = [ax.bar(places[:-1], column.sizes[:-1], label=column.name, **shape)]
    if column.sizes[-1]:
        bars.append(ax.bar(places[-1:], column.sizes[-1:], hatch="///", **shape))
    return bars


def write_sizes(ax: Any, bars: Sequence[Any], sizes: Ints, n_bars: int, depth: float) -> None:
    """Write the rows above their bars where there is room: upright, if the bars are narrow."""
    pitch = 0.9 * width_of(ax) / n_bars
    font = min(pitch, 8.0)
    if font < SMALL:
        return
    texts = [f"{size:,}" for size in sizes.tolist()]
    longest = LETTER * font * max(map(len, texts))
    is_upright = longest > pitch
    for container, part in zip(bars, (texts[:-1], texts[-1:]), strict=False):
        ax.bar_label(container, part, fontsize=font, padding=2, rotation=90 if is_upright else 0)
    room = (longest if is_upright else font) + 4
    height = height_of(ax) - depth
    ax.margins(y=max(ax.margins()[1], room / max(height - room, room)))


def label_groups(ax: Any, labels: Sequence[str]) -> float:
    """Write the folds below their bars: all, on several lines or upright, or some of many.

    Returns
    -------
    float
        The height of the labels in points.
    """
    pitch = 0.9 * width_of(ax) / len(labels)
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
    which = range(0, len(labels), step)
    ax.set_xticks(which, [plain_text(labels[place]) for place in which])
    ax.tick_params(axis="x", rotation=90 if is_upright else 0, labelsize=FONT)
    ax.set_xlim(-0.6, len(labels) - 0.4)
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
