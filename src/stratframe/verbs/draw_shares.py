"""The shares of classes in every fold drawn as stacked bars on the axes of matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..checks import load_extra
from ..core.types import Ints, StratumTable, Values
from .draw import (
    COLOURS,
    LABELS,
    LETTER,
    LINE,
    PALE,
    SMALL,
    Verdict,
    height_of,
    is_laid_out,
    join_names,
    label_groups,
    letters_in,
    set_of_bars,
    shorten,
    width_of,
    write_column_names,
    write_title,
)

GAP = 0.25
"""Between the bars of two entries, of a height of 1."""

PANEL = 24.0
"""The least height of the bars of an entry, in points."""

LABEL_FONT = 9.0
"""Of the names of classes, in points."""


class Entry(NamedTuple):
    """The classes of an entry of `by`, whose shares sum to one."""

    names: list[str]
    whole: Values
    """Their shares of all rows, shape (n_classes,)."""
    is_nominal: bool
    """Whether the classes have no order, so that small ones can be pooled."""


class FoldShares(NamedTuple):
    """The rows of classes in the folds of a column."""

    name: str
    folds: list[Any]
    tables: list[StratumTable]
    """For each entry, shape (n_classes, n_folds)."""
    verdict: Verdict


def draw_shares(
    ax: Any, columns: Sequence[FoldShares], entries: Sequence[Entry], label: str
) -> Any:
    """Draw a bar for each fold, divided by its shares, and lines at the shares of all rows."""
    room = max(1, int(height_of(ax) / PANEL))
    sets = set_of_bars([len(each.folds) for each in columns])
    right = sets[-1][-1] + 0.6
    tops: list[float] = []
    ticks: list[tuple[float, str, Any]] = []
    for place, entry in enumerate(entries[:room]):
        bottom = (min(len(entries), room) - 1 - place) * (1 + GAP)
        tops.append(bottom + 1)
        kept, colours = choose_colours(entry)
        for column, places in zip(columns, sets, strict=True):
            draw_bars(ax, places, pool(column.tables[place], kept), bottom, colours)
        shares = pool(entry.whole[:, None], kept)[:, 0]
        edges = bottom + np.concatenate([[0.0], np.cumsum(shares)])
        ax.hlines(edges[1:-1], -0.6, right, color="black", linestyle=":", linewidth=1.3, zorder=3)
        labels = labels_of(entry, kept, shares, short=not is_laid_out(ax))
        ticks += zip((edges[:-1] + edges[1:]) / 2, labels, colours, strict=True)
    names, verdicts = [each.name for each in columns], [each.verdict for each in columns]
    ax.set_ylim(0, max(tops))
    if len(columns) > 1:
        ax.set_ylim(0, max(tops) * (1 + 16 / height_of(ax)))
        write_column_names(ax, names, sets, verdicts, max(tops))
    beside = label_classes(ax, ticks)
    folds = [str(fold) for each in columns for fold in each.folds]
    label_groups(ax, folds, np.concatenate(sets), beside)
    if len(entries) > room:
        label = f"{len(entries) - room} more entries"
    ax.set_ylabel(shorten(label, letters_in(1.4 * height_of(ax), 10)))
    ax.set_xlabel(f"{join_names(ax, names)} (dotted: all rows)")
    write_title(ax, names, verdicts, beside)
    return ax


def choose_colours(entry: Entry) -> tuple[Ints, list[Any]]:
    """Choose the classes that have a colour of their own, and the colours, of all others last."""
    n_classes = len(entry.names)
    if not entry.is_nominal:
        shades = load_extra("matplotlib", "plot").colormaps["cividis"]
        return np.arange(n_classes), list(shades(np.linspace(0.15, 1, n_classes)))
    if n_classes <= len(COLOURS):
        return np.arange(n_classes), list(COLOURS[:n_classes])
    largest = np.argsort(-entry.whole, kind="stable")[: len(COLOURS) - 1]
    return np.sort(largest), [*COLOURS[: len(COLOURS) - 1], PALE]


def pool(table: Values, kept: Ints) -> Values:
    """Add up the classes that are not kept."""
    pooled: Values = table[kept]
    if len(kept) < len(table):
        others = table.sum(axis=0) - pooled.sum(axis=0)
        pooled = np.vstack([pooled, others])
    return pooled


def draw_bars(ax: Any, places: Values, table: Values, bottom: float, colours: list[Any]) -> None:
    """Draw the bars of an entry in the folds of a column; a fold without rows has none."""
    shares = table / np.maximum(table.sum(axis=0), 1)
    floors = bottom + np.cumsum(shares, axis=0) - shares
    for height, floor, colour in zip(shares, floors, colours, strict=True):
        ax.bar(places, height, 0.8, floor, color=colour, edgecolor="white", linewidth=0.3)


def labels_of(entry: Entry, kept: Ints, shares: Values, *, short: bool) -> list[str]:
    """Write classes, and how many others there are, with their shares if there is room."""
    names = [entry.names[each] for each in kept]
    if len(kept) < len(entry.names):
        names.append(f"{len(entry.names) - len(kept):,} others")
    if short:
        return names
    percent = (100 * shares).tolist()
    return [
        f"{name} ({share:.0f} %)" if share >= 9.5 else f"{name} ({share:.2g} %)"
        for name, share in zip(names, percent, strict=True)
    ]


def label_classes(ax: Any, ticks: Sequence[tuple[float, str, Any]]) -> float:
    """Write the classes beside their shares, with ticks of their colours, where there is room.

    Returns
    -------
    float
        The width of the names in points.
    """
    per_point = ax.get_ylim()[1] / height_of(ax)
    ordered = sorted(ticks, key=lambda each: each[0])
    font = float(np.clip(height_of(ax) / len(ordered) / LINE, SMALL, LABEL_FONT))
    places = spread([each[0] for each in ordered], LINE * font * per_point, ax.get_ylim()[1])
    step = -(-len(ordered) // max(1, int(height_of(ax) / (LINE * font))))
    most = letters_in(LABELS * width_of(ax), font)
    texts = [shorten(each[1], most) for each in ordered]
    ax.set_yticks(places[::step], texts[::step], fontsize=font)
    ax.tick_params(axis="y", length=7, width=5)
    for tick, (_, _, colour) in zip(ax.yaxis.get_major_ticks(), ordered[::step], strict=True):
        tick.tick1line.set_markeredgecolor(colour)
    return LETTER * font * max(map(len, texts))


def spread(places: Sequence[float], least: float, top: float) -> list[float]:
    """Move places apart, upwards and then down from the top, so that texts do not overlap."""
    moved = list(places)
    for place in range(1, len(moved)):
        moved[place] = max(moved[place], moved[place - 1] + least)
    ceiling = top - least / 2
    for place in reversed(range(len(moved))):
        moved[place] = min(moved[place], ceiling)
        ceiling = moved[place] - least
    return moved
