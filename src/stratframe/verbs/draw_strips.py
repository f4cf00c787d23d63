"""Points of rows against chance, drawn on the axes of matplotlib: balance and drift."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..checks import load_extra
from ..core.types import Ints, Values
from ..errors import plural
from .draw import (
    BAD,
    BAD_MARKER,
    COLOURS,
    MARKERS,
    NEUTRAL,
    NUMBERED,
    Verdict,
    divide_rows,
    height_of,
    label_rows,
    largest,
    legend_letters,
    letters_in,
    place_legend,
    row_font,
    set_range,
    shorten,
    write_title,
)

STRATA, FEATURES = 40, 64
"""Strata and features drawn at most."""

CHANCE_BAND: dict[str, Any] = {
    "facecolor": "0.95",
    "edgecolor": "0.7",
    "hatch": "////",
    "linewidth": 0,
}
PROMISE_BAND: dict[str, Any] = {"facecolor": "#9FD9C3", "edgecolor": "#009E73", "linewidth": 0.6}
"""The bands of chance, and of what `kfold` promises."""

STRIP_COLOURS = tuple(each for each in COLOURS if each != PROMISE_BAND["edgecolor"])
"""Of folds and columns, whose points lie on the band and must not have its green."""

ROUNDING = 1e-9
"""Rows by which floats may be off."""

HEADER, HEADER_FONT = 12.0, 8.0
"""The height of a line above the first row, which says what a band is, and its font."""


class Column(NamedTuple):
    """What was measured of one fold column."""

    name: str
    folds: list[Any]
    values: Values
    """Shape (n_rows, n_folds), NaN where nothing can be measured."""
    chance: Values
    """What a random fold of the same size rarely exceeds, of the same shape."""
    limit: Values
    """What no random fold exceeds, so that values beyond it are bad, of the same shape."""
    promise: Values
    """What no fold of `kfold` exceeds, shape (n_rows,); 0 where nothing is promised."""
    verdict: Verdict


class Strip(NamedTuple):
    """Values that share a colour and a marker: of one fold, or of all folds of a column."""

    label: str
    values: Values
    """Shape (n_rows, n_points)."""
    chance: Values
    """Shape (n_rows,)."""
    limit: Values
    """Shape (n_rows, n_points)."""
    promise: Values
    """Shape (n_rows,)."""
    colour: str
    marker: str


def count_strips(columns: Sequence[Column]) -> int:
    """Count the strips of a row: folds, or columns if there are several; one for too many."""
    count = len(columns) if len(columns) > 1 else len(columns[0].folds)
    return count if count <= len(MARKERS) else 1


def styles(count: int) -> list[tuple[str, str]]:
    """List a colour and a marker for each fold or column."""
    return [(STRIP_COLOURS[place % len(STRIP_COLOURS)], MARKERS[place]) for place in range(count)]


def strips_of(columns: Sequence[Column]) -> list[Strip]:
    """Divide columns into strips: of folds, of columns if there are several, or one of all."""
    several, looks = len(columns) > 1, styles(count_strips(columns))
    if several and len(looks) == len(columns):
        parts = [(each, each.name, slice(None)) for each in columns]
    elif not several and len(looks) == len(columns[0].folds):
        folds = enumerate(columns[0].folds)
        parts = [(columns[0], str(value), slice(place, place + 1)) for place, value in folds]
    else:
        return [pooled_strip(columns)]
    return [
        Strip(
            label,
            each.values[:, part],
            largest(each.chance[:, part]),
            each.limit[:, part],
            each.promise,
            *look,
        )
        for (each, label, part), look in zip(parts, looks, strict=True)
    ]


def pooled_strip(columns: Sequence[Column]) -> Strip:
    """Pool all folds of all columns."""
    values, chance, limit = (
        np.concatenate([getattr(each, part) for each in columns], axis=1)
        for part in ("values", "chance", "limit")
    )
    label, promise = plural(values.shape[1], "fold"), columns[0].promise
    return Strip(label, values, largest(chance), limit, promise, NEUTRAL, "o")


def draw_balance(ax: Any, columns: Sequence[Column], names: list[str], entry: str) -> Any:
    """Draw the deviations of strata in rows, the worst first, on bands of `kfold` and chance."""
    strips = strips_of(columns)
    worst = largest(np.abs(np.concatenate([each.values for each in strips], axis=1)))
    shown, rest = divide_rows(ax, worst, STRATA, 2 * HEADER)
    draw_strips(ax, strips, shown, two_sided=True)
    ax.axvline(0, color="0.4", linewidth=0.8, zorder=1)
    band = max(each.chance.max(initial=1.0) for each in strips)
    top = max(band, worst.max(initial=0.0), columns[0].promise.max(initial=0.0))
    set_range(ax, -top, top)
    off = worst[rest].max(initial=0.0)
    note = f"not shown, {f'off by {format_rows(off)} or less' if off else 'not off'}"
    beside = label_rows(ax, [names[row] for row in shown.tolist()], len(rest), note, 2 * HEADER)
    bands = {
        "no better than random": max(each.chance[shown[:1]].max(initial=0.0) for each in strips),
        "within one row of its share": columns[0].promise[shown[:1]].max(initial=0.0),
    }
    write_header(ax, bands, two_sided=True)
    ax.set_ylabel(shorten(entry, letters_in(1.4 * height_of(ax), 10)))
    ax.set_xlabel("rows too few or too many")
    return finish(ax, columns, strips, beside)


def draw_drift(ax: Any, columns: Sequence[Column], names: list[str]) -> Any:
    """Draw the distances of features from the other rows, the furthest above chance first."""
    strips = strips_of(columns)
    values = np.concatenate([each.values for each in columns], axis=1)
    chance = np.concatenate([each.chance for each in columns], axis=1)
    excess = np.nan_to_num(values / np.where(chance > 0, chance, np.nan))
    shown, rest = divide_rows(ax, excess.max(axis=1, initial=0.0), FEATURES, HEADER)
    draw_strips(ax, strips, shown, two_sided=False)
    worst = largest(values)
    top = max(0.1, worst.max(initial=0.0), *(each.chance.max(initial=0.0) for each in strips))
    numbered = len(shown) <= NUMBERED
    set_range(ax, 0, top * (1.2 if numbered else 1.05))
    if top > 0.8:
        ax.set_xticks(np.linspace(0, 1, 6))
    if numbered:
        write_numbers(ax, np.where(np.isnan(values).all(axis=1), np.nan, worst)[shown])
    note = f"not shown, {excess[rest].max(initial=0.0):.1f} times chance or less"
    beside = label_rows(ax, [names[row] for row in shown.tolist()], len(rest), note, HEADER)
    limit = max(each.chance[shown[:1]].max(initial=0.0) for each in strips)
    write_header(ax, {"random folds": limit}, two_sided=False)
    ax.set_xlabel("KS or TV distance")
    return finish(ax, columns, strips, beside)


def draw_strips(ax: Any, strips: Sequence[Strip], shown: Ints, *, two_sided: bool) -> None:
    """Draw bands and points of rows; the strips of a row lie one below the other."""
    edges = np.linspace(-0.4, 0.4, len(strips) + 1)
    chance = np.array([each.chance for each in strips])
    for place, row in enumerate(shown.tolist()):
        draw_band(ax, chance[:, row], place + edges, CHANCE_BAND, two_sided=two_sided)
        if two_sided:
            ends = place + edges[[0, -1]]
            draw_band(ax, strips[0].promise[[row]], ends, PROMISE_BAND, two_sided=True)
    slot = height_of(ax) / max(len(shown), 1) * (edges[1] - edges[0])
    size = float(np.clip(1.6 * slot, 3.0, 6.5))
    most = legend_letters(ax, len(strips) + 1)
    strips = [each._replace(label=shorten(each.label, most)) for each in strips]
    for strip, middle in zip(strips, (edges[:-1] + edges[1:]) / 2, strict=True):
        draw_points(ax, strip, shown, np.arange(len(shown)) + middle, size)


def draw_band(
    ax: Any, widths: Values, edges: Values, look: dict[str, Any], *, two_sided: bool
) -> None:
    """Draw the band of a row, with a step where its strips have other limits."""
    baseline = -widths if two_sided else 0.0
    ax.stairs(
        widths, edges, baseline=baseline, orientation="horizontal", fill=True, zorder=0, **look
    )


def draw_points(ax: Any, strip: Strip, shown: Ints, heights: Values, size: float) -> None:
    """Draw the points of a strip, several of a row on a line from the least to the largest."""
    values, limit = strip.values[shown], strip.limit[shown]
    n_points = values.shape[1]
    if n_points > 1:
        ends = np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
        ax.hlines(heights, *ends, color=strip.colour, linewidth=1.2, zorder=2)
        size *= 0.75
    heights = np.repeat(heights, n_points)
    look = {"edgecolors": "0.2", "linewidths": 0.3}
    ax.scatter(
        values.ravel(),
        heights,
        s=size**2,
        color=strip.colour,
        marker=strip.marker,
        label=strip.label,
        zorder=3,
        **look,
    )
    is_bad = np.abs(values).ravel() > limit.ravel() + ROUNDING
    if is_bad.any():
        size = max(1.3 * size, 5.5)
        ax.scatter(
            values.ravel()[is_bad],
            heights[is_bad],
            s=size**2,
            color=BAD,
            marker=BAD_MARKER,
            zorder=4,
            **look,
        )


def write_header(ax: Any, bands: dict[str, float], *, two_sided: bool) -> None:
    """Write above the first row what its bands are, each over a line as long as the band."""
    bottom, top = ax.get_ylim()
    line = (bottom - top) * HEADER / max(height_of(ax) - len(bands) * HEADER, HEADER)
    for place, (text, width) in enumerate(bands.items(), 1):
        height = top - line * (len(bands) - place + 0.15)
        left = -width if two_sided else 0.0
        ax.plot([left, width], [height] * 2, color="0.35", linewidth=0.8, marker="|", markersize=5)
        ax.text(
            (left + width) / 2 if two_sided else 0.0,
            height - 0.1 * line,
            text if two_sided else f" {text}",
            ha="center" if two_sided else "left",
            va="bottom",
            fontsize=HEADER_FONT,
            bbox={"facecolor": ax.get_facecolor(), "linewidth": 0, "pad": 0.5},
        )
    ax.set_ylim(bottom, top - line * len(bands))


def format_rows(value: float) -> str:
    """Write a number of rows that may have a fraction."""
    return f"{value:.2g} rows" if value < 100 else f"{value:,.0f} rows"


def write_numbers(ax: Any, numbers: Values) -> None:
    """Write a number at the right end of every row that has one."""
    for place in np.flatnonzero(~np.isnan(numbers)).tolist():
        ax.text(
            0.99,
            place,
            f"{numbers[place]:.2f}",
            transform=ax.get_yaxis_transform(),
            ha="right",
            va="center",
            fontsize=row_font(ax, len(numbers), HEADER),
        )


def finish(ax: Any, columns: Sequence[Column], strips: Sequence[Strip], beside: float) -> Any:
    """Add the title, beside names, and a legend, for which axes may get longer."""
    names, verdicts = [each.name for each in columns], [each.verdict for each in columns]
    write_title(ax, names, verdicts, beside)
    handles, labels = ax.get_legend_handles_labels()
    if any((np.abs(each.values) > each.limit + ROUNDING).any() for each in strips):
        line = load_extra("matplotlib.lines", "plot").Line2D
        handles.append(line([], [], color=BAD, marker=BAD_MARKER, linestyle="", markersize=6))
        labels.append("worse than random")
    room = place_legend(ax, handles, labels, "lower center")
    bottom, top = ax.get_ylim()
    ax.set_ylim(bottom + (bottom - top) * room, top)
    return ax
