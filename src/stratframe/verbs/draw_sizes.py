"""The sizes of folds drawn as bars on the axes of matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.types import Ints, Values
from .draw import (
    COLOURS,
    LETTER,
    PALE,
    SMALL,
    Verdict,
    height_of,
    join_names,
    label_groups,
    legend_letters,
    place_legend,
    shorten,
    width_of,
    write_title,
)


class FoldSizes(NamedTuple):
    """The rows of the folds of a column."""

    name: str
    folds: list[Any]
    sizes: Ints
    """Shape (n_folds + 1,); the last counts the rows without a fold."""
    verdict: Verdict
    exact: float | None
    """The rows of each fold if all had the same; None if they need not, as of parts."""


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
    names = [each.name for each in columns]
    exact = sorted({each.exact for each in columns if each.exact is not None})
    for size in exact:
        ax.axhline(size, color="black", linestyle=":", linewidth=1.3)
    means = f" (dotted: {exact[0]:,.4g} rows each)" if len(exact) == 1 else " (dotted: equal sizes)"
    ax.set_xlabel(join_names(ax, names) + (means if exact else ""))
    n_equal = sum(int(np.ptp(each.sizes[:-1])) <= 1 for each in columns)
    verdicts = [each.verdict for each in columns]
    write_title(ax, names, verdicts, good="have equal sizes", n_good=n_equal)
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
        ax.bar_label(
            container,
            part,
            fontsize=font,
            padding=2,
            rotation=90 if is_upright else 0,
            bbox={"facecolor": ax.get_facecolor(), "linewidth": 0, "pad": 0.3},
            zorder=3,
        )
    room = (longest if is_upright else font) + 4
    height = height_of(ax) - depth
    ax.margins(y=max(ax.margins()[1], room / max(height - room, room)))
