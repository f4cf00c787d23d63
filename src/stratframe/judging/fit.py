"""Let pictures fit: names keep apart, numbers keep in their cells, axes keep to their room."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, radians, sin
from typing import Any, NamedTuple

import numpy as np

LEAST_PART = 1 / 3
"""The minimum fraction of their width and height that axes keep when they are made smaller."""


class Room(NamedTuple):
    """The edges within which axes, their names and their titles must stay, in pixels."""

    left: float
    right: float
    bottom: float
    top: float


class Drawn(NamedTuple):
    """What is drawn beside and inside axes."""

    beside: Any = None
    """The legend or the axes of the colour scale, if there is one."""
    numbers: Sequence[Any] = ()


def room_of(ax: Any) -> Room:
    """Measure the room of axes before anything is drawn on them.

    Names have the room of the names that are there already, or the rest of the figure if no axes
    are below. The room between axes is that of the title of the lower ones.
    """
    box = ax.bbox
    figure = ax.get_figure(root=True)
    others = [
        each
        for each in figure.axes
        if each is not ax and each.bbox.x0 < box.x1 and each.bbox.x1 > box.x0
    ]
    above = [each for each in others if each.bbox.y0 >= box.y1]
    has_below = any(each.bbox.y1 <= box.y0 for each in others)
    return Room(
        left=names_of(ax.yaxis).x0,
        right=box.x1,
        bottom=names_of(ax.xaxis).y0 if has_below else figure.bbox.y0,
        top=min([names_of(each.xaxis).y0 for each in above], default=figure.bbox.y1),
    )


def names_of(axis: Any) -> Any:
    """Return the box of the names on an axis, or of its axes if there are none."""
    return axis.get_tightbbox() or axis.axes.bbox


def fit(axes: Sequence[Any], drawn: Sequence[Drawn], rooms: Sequence[Room]) -> None:
    """Remove numbers that are larger than their cells, and names that would overlap.

    In figures without a layout engine, axes are made smaller until names, titles and legends are
    within their rooms.
    """
    figures = [ax.get_figure(root=True) for ax in axes]
    layouts = {figure: figure.get_layout_engine() for figure in figures}
    for figure, layout in layouts.items():
        if layout is not None:
            layout.execute(figure)
    for ax, each, room, figure in zip(axes, drawn, rooms, figures, strict=True):
        if layouts[figure] is None:
            keep_inside(ax, each.beside, room)
        unit = ax.bbox.size / np.abs([np.subtract(*ax.get_xlim()), np.subtract(*ax.get_ylim())])
        if any((text.get_window_extent().size > unit).any() for text in each.numbers):
            for text in each.numbers:
                text.remove()
        thin_names(ax.xaxis, unit[0])
        thin_names(ax.yaxis, unit[1])


def keep_inside(ax: Any, beside: Any, room: Room) -> None:
    """Make axes smaller until their names, their title and what is beside them have room.

    The height comes first, because the width of a colour scale depends on it.
    """
    below, above = divide(
        room.bottom - names_of(ax.xaxis).y0,
        ax.title.get_window_extent().y1 - room.top,
        ax.bbox.height,
    )
    for each in axes_of(ax, beside):
        x, y, width, height = pixels_of(each)
        move(each, x, y + below, width, height - below - above)
    pixels_after = 0 if beside is None else beside.get_tightbbox().x1 - room.right
    before, after = divide(room.left - names_of(ax.yaxis).x0, pixels_after, ax.bbox.width)
    x, y, width, height = pixels_of(ax)
    move(ax, x + before, y, width - before - after, height)
    for each in axes_of(beside):
        x, y, width, height = pixels_of(each)
        move(each, x - after, y, width, height)


def axes_of(*drawn: Any) -> list[Any]:
    """List the axes among what is drawn; a legend is none, and moves with its axes."""
    return [each for each in drawn if hasattr(each, "set_position")]


def pixels_of(ax: Any) -> Any:
    """Return the left and lower edge, the width and the height of axes, without names."""
    return ax.get_position().bounds * np.tile(ax.figure.bbox.size, 2)


def move(ax: Any, x: float, y: float, width: float, height: float) -> None:
    ax.set_position(np.array([x, y, width, height]) / np.tile(ax.figure.bbox.size, 2))
    ax.set_in_layout(True)  # `set_position` takes axes out of the layout


def divide(before: float, after: float, length: float) -> tuple[float, float]:
    """Limit what axes give up at both ends, in pixels, to what they can spare of their length."""
    before = max(0.0, before)
    after = max(0.0, after)
    part = min(1.0, (1 - LEAST_PART) * length / max(before + after, 1.0))
    return before * part, after * part


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
