"""Fold columns drawn on the axes of matplotlib: points of rows against chance, and bars."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log10
from typing import Any, NamedTuple

import numpy as np

from ..checks import load_extra
from ..core.types import Ints, Values
from ..errors import plural

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#F0E442")
"""Colours that the colour-blind can distinguish: Okabe and Ito (2008), Color universal design."""

MARKERS = "os^DvPX*<>"
"""A marker for each fold or column, up to this many; of more, all share a neutral strip."""

STRATA, FEATURES, NUMBERED = 40, 64, 20
"""Strata and features drawn at most, and features up to which numbers are written."""

LONG = 40
"""Letters of a name drawn at most."""

PITCH, SMALL = 8.0, 6.0
"""The least height of a row, and the smallest font, in points."""

LABELS = 0.58
"""The width of the names of rows, at most, as a share of the axes before they make room."""

LEGEND = 0.35
"""The height of a legend, at most, as a share of the axes, if its names can be shortened."""

BESIDE = 150
"""The width in points of what a label of an axis says besides the columns."""

LETTER, LINE = 0.62, 1.25
"""The width of a letter and the height of a line, in sizes of the font."""

LEGEND_FONT = 8.0
"""In points."""

COMPACT = {"handlelength": 1.2, "handletextpad": 0.4, "columnspacing": 1.2}
"""The spaces in a legend, in sizes of the font: `arrange_legend` counts with them."""

CHANCE, OPTIMUM, NEUTRAL, PALE = "0.9", "0.7", "0.25", "0.6"
"""The greys of the bands, and of strips and bars that have no colour."""

LINEAR = 25
"""Rows above which deviations need a logarithmic scale, so that single rows can be seen."""


class Column(NamedTuple):
    """What was measured of one fold column."""

    name: str
    folds: list[Any]
    values: Values
    """Shape (n_rows, n_folds), NaN where nothing can be measured."""
    chance: Values
    """What a random fold of the same size rarely exceeds, of the same shape."""
    optimum: float = 0.0
    """The largest value of the best column."""


class Strip(NamedTuple):
    """Values that share a colour and a marker: of one fold, or of all folds of a column."""

    label: str
    values: Values
    """Shape (n_rows, n_points)."""
    chance: Values
    """Shape (n_rows,)."""
    optimum: float
    colour: str
    marker: str


def count_strips(columns: Sequence[Column]) -> int:
    """Count the strips of a row: folds, or columns if there are several; one for too many."""
    count = len(columns) if len(columns) > 1 else len(columns[0].folds)
    return count if count <= len(MARKERS) else 1


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
            label, each.values[:, part], largest(each.chance[:, part]), each.optimum, colour, marker
        )
        for (each, label, part), (colour, marker) in zip(parts, looks, strict=True)
    ]


def pooled_strip(columns: Sequence[Column]) -> Strip:
    """Pool all folds of all columns."""
    values, chance = (
        np.concatenate([getattr(each, part) for each in columns], axis=1)
        for part in ("values", "chance")
    )
    label, optimum = plural(values.shape[1], "fold"), max(each.optimum for each in columns)
    return Strip(label, values, largest(chance), optimum, NEUTRAL, "o")


def largest(values: Values) -> Values:
    """Find the largest value of each row, 0 if there is none."""
    found: Values = np.nan_to_num(values).max(axis=1, initial=0.0)
    return found


def styles(count: int) -> list[tuple[str, str]]:
    """List a colour and a marker for each fold or column."""
    return [(COLOURS[place % len(COLOURS)], MARKERS[place]) for place in range(count)]


def draw_balance(ax: Any, columns: Sequence[Column], names: list[str], entry: str) -> Any:
    """Draw the deviations of strata in rows, the worst first, on bands of chance and optimum."""
    strips = strips_of(columns)
    worst = largest(np.abs(np.concatenate([each.values for each in strips], axis=1)))
    shown, rest = divide_rows(ax, worst, STRATA)
    draw_strips(ax, strips, shown, two_sided=True)
    ax.axvline(0, color="0.4", linewidth=0.8, zorder=1)
    band = max(max(each.optimum, each.chance.max(initial=0.0)) for each in strips)
    scale_deviations(ax, max(1.0, band, worst.max(initial=0.0)))
    off = worst[rest].max(initial=0.0)
    note = f"not shown, {f'off by {format_rows(off)} or less' if off else 'not off'}"
    label_rows(ax, [names[row] for row in shown.tolist()], len(rest), note)
    ax.set_ylabel(shorten(entry, letters_in(1.4 * height_of(ax), 10)))
    title = join_names(ax, columns)
    ax.set_xlabel(f"deviation in rows, by {title}")
    ax.set_title(f"Balance of {title}")
    return add_legend(ax, {"optimum": OPTIMUM, "chance": CHANCE})


def draw_drift(ax: Any, columns: Sequence[Column], names: list[str]) -> Any:
    """Draw the distances of features from the other rows, the furthest above chance first."""
    strips = strips_of(columns)
    values = np.concatenate([each.values for each in columns], axis=1)
    chance = np.concatenate([each.chance for each in columns], axis=1)
    excess = np.nan_to_num(values / np.where(chance > 0, chance, np.nan))
    shown, rest = divide_rows(ax, excess.max(axis=1, initial=0.0), FEATURES)
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
    label_rows(ax, [names[row] for row in shown.tolist()], len(rest), note)
    title = join_names(ax, columns)
    ax.set_xlabel(f"KS or TV distance, by {title}")
    ax.set_title(f"Drift of {title}")
    return add_legend(ax, {"chance": CHANCE})


def divide_rows(ax: Any, worst: Values, most: int) -> tuple[Ints, Ints]:
    """Divide rows, the worst first, into those that can be read on axes and the others."""
    order = np.argsort(-worst, kind="stable")
    room = max(1, int(height_of(ax) / PITCH) - 1)
    return order[: min(most, room)], order[min(most, room) :]


def height_of(ax: Any) -> float:
    """Estimate the height of axes in points, without what a layout engine moves below them."""
    height: float = ax.get_window_extent().height / ax.figure.dpi * 72
    return max(1.0, height - 30 if is_laid_out(ax) else height)


def is_laid_out(ax: Any) -> bool:
    """Return whether the figure makes room for what is outside of axes."""
    return ax.figure.get_layout_engine() is not None and ax.get_subplotspec() is not None


def draw_strips(ax: Any, strips: Sequence[Strip], shown: Ints, *, two_sided: bool) -> None:
    """Draw bands and points of rows; the strips of a row lie one below the other."""
    edges = np.linspace(-0.4, 0.4, len(strips) + 1)
    bands = {CHANCE: np.array([each.chance for each in strips])}
    if two_sided:
        bands[OPTIMUM] = np.array([np.full(len(each.chance), each.optimum) for each in strips])
    for grey, widths in bands.items():
        for place, row in enumerate(shown.tolist()):
            draw_band(ax, widths[:, row], place + edges, grey, two_sided=two_sided)
    slot = height_of(ax) / max(len(shown), 1) * (edges[1] - edges[0])
    size = float(np.clip(1.6 * slot, 3.0, 6.5))
    most = legend_letters(ax, len(strips) + len(bands))
    strips = [each._replace(label=shorten(each.label, most)) for each in strips]
    for strip, middle in zip(strips, (edges[:-1] + edges[1:]) / 2, strict=True):
        draw_points(ax, strip, shown, np.arange(len(shown)) + middle, size)


def draw_band(ax: Any, widths: Values, edges: Values, grey: str, *, two_sided: bool) -> None:
    """Draw the band of a row, with a step where its strips have other limits."""
    baseline = -widths if two_sided else 0.0
    ax.stairs(
        widths, edges, baseline=baseline, orientation="horizontal", fill=True, color=grey, zorder=0
    )


def draw_points(ax: Any, strip: Strip, shown: Ints, heights: Values, size: float) -> None:
    """Draw the points of a strip, several of a row on a line from the least to the largest."""
    values = strip.values[shown]
    n_points = values.shape[1]
    if n_points > 1:
        ends = np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
        ax.hlines(heights, *ends, color=strip.colour, linewidth=1.2, zorder=2)
        size *= 0.75
    ax.scatter(
        values.ravel(),
        np.repeat(heights, n_points),
        s=size**2,
        color=strip.colour,
        marker=strip.marker,
        edgecolors="0.2",
        linewidths=0.3,
        label=strip.label,
        zorder=3,
    )


def scale_deviations(ax: Any, top: float) -> None:
    """Set the scale of deviations: in rows, and logarithmic above one row if some are large."""
    set_range(ax, -top, top)
    if top > LINEAR:
        ax.set_xscale("symlog", linthresh=1)
        set_range(ax, -top, top)
        ticks = deviation_ticks(max(map(abs, ax.get_xlim())), int(width_of(ax) / 30))
        ax.set_xticks(ticks, [format_deviation(tick) for tick in ticks])


def set_range(ax: Any, low: float, high: float) -> None:
    """Widen the range of the x axis, and that of axes which share it."""
    ax.update_datalim([(low, 0), (high, 0)])
    ax.use_sticky_edges = False
    ax.margins(x=0.03 if low else 0.0)
    ax.autoscale_view(scaley=False)


def deviation_ticks(top: float, most: int) -> list[float]:
    """List 0 and powers of ten on both sides of it, at most so many."""
    decades = int(log10(top)) + 1
    step = ceil(2 * decades / max(most - 1, 2))
    powers = [10.0**power for power in range((decades - 1) % step, decades, step)]
    return [*(-each for each in reversed(powers)), 0.0, *powers]


def format_deviation(value: float) -> str:
    """Write a tick with its sign, large powers of ten in short."""
    text = f"{abs(value):,.0f}" if abs(value) < 1e6 else f"{abs(value):.0e}".replace("e+0", "e")
    return ("\u2212" if value < 0 else "+" if value > 0 else "") + text


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
            fontsize=row_font(ax, len(numbers)),
        )


def label_rows(ax: Any, names: list[str], n_more: int, note: str) -> None:
    """Write the names of rows, the first at the top, and how many are not shown."""
    size = row_font(ax, len(names))
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
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color="0.85", linewidth=0.6)
    ax.set_axisbelow(True)


def row_font(ax: Any, n_rows: int) -> float:
    """Choose the size of font that the height of a row has room for."""
    return float(np.clip(0.85 * height_of(ax) / max(n_rows, 1), SMALL, 9))


def add_legend(ax: Any, bands: dict[str, str]) -> Any:
    """Add a legend of points and bands, for which axes without a layout get longer."""
    handles, labels = ax.get_legend_handles_labels()
    patch = load_extra("matplotlib.patches", "plot").Patch
    handles += [patch(color=grey) for grey in bands.values()]
    room = place_legend(ax, handles, [*labels, *bands], "lower center")
    bottom, top = ax.get_ylim()
    ax.set_ylim(bottom + (bottom - top) * room, top)
    return ax


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


def width_of(ax: Any) -> float:
    """Estimate the width of axes in points."""
    return float(ax.get_window_extent().width / ax.figure.dpi * 72)


def join_names(ax: Any, columns: Sequence[Any]) -> str:
    """Name the columns of a picture, or the first and the last of many."""
    most = letters_in(width_of(ax) - BESIDE, 10)
    names = [str(each.name) for each in columns]
    if len(names) == 1:
        return shorten(names[0], most)
    texts = (", ".join(names), f"{names[0]}, \u2026, {names[-1]}", plural(len(names), "column"))
    return shorten(next((text for text in texts if len(text) <= most), texts[-1]))


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
