"""Groups, or equal rows, in the folds that they are in, drawn on the axes of matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.types import Flags
from .draw import (
    BAD,
    BAD_MARKER,
    COLOURS,
    GOOD_TEXT,
    Verdict,
    height_of,
    join_names,
    label_groups,
    label_rows,
    letters_in,
    rows_in,
    set_of_bars,
    shorten,
    write_column_names,
    write_title,
)


class FoldLeaks(NamedTuple):
    """Which groups are in which folds of a column."""

    name: str
    folds: list[Any]
    cells: Flags
    """Shape (n_groups, n_folds), with a last column for no fold if some rows have none."""
    n_leaks: int
    """How many groups are in several folds."""
    n_groups: int
    """How many there are; 0 of equal rows, as all others equal none."""
    verdict: Verdict


def draw_leaks(ax: Any, columns: Sequence[FoldLeaks], names: list[str], label: str) -> Any:
    """Draw a point for each fold that a group is in; those of a group that leaks are joined."""
    n_shown = min(len(names), rows_in(ax))
    sets = set_of_bars([each.cells.shape[1] for each in columns])
    size = float(np.clip(0.6 * height_of(ax) / max(n_shown, 1), 3.5, 8))
    for column, places in zip(columns, sets, strict=True):
        cells = column.cells[:n_shown]
        leaks = cells.sum(axis=1) > 1
        fine, bad = (np.nonzero(cells & each[:, None]) for each in (~leaks, leaks))
        ax.scatter(places[fine[1]], fine[0], s=size**2, color=COLOURS[0], zorder=3)
        ax.scatter(places[bad[1]], bad[0], s=size**2, color=BAD, marker=BAD_MARKER, zorder=3)
        rows = np.flatnonzero(leaks)
        ends = [places[np.flatnonzero(cells[row])[[0, -1]]] for row in rows]
        ax.hlines(rows, *np.array(ends).reshape(-1, 2).T, color=BAD, linewidth=1.2, zorder=2)
    labels = [
        str(fold) for each in columns for fold in [*each.folds, "none"][: each.cells.shape[1]]
    ]
    n_leaks = max(each.n_leaks for each in columns)
    n_others = max(each.n_groups for each in columns) - n_shown
    if n_leaks > n_shown:
        more, note = n_leaks - n_shown, "not shown, in several folds too"
    else:
        more, note = max(n_others, 0), "not shown, each in one fold"
    beside = label_rows(ax, names[:n_shown], more, note)
    label_groups(ax, labels, np.concatenate(sets), beside)
    if not names and all(each.verdict.colour == GOOD_TEXT for each in columns):
        ax.text(0.5, 0.5, "nothing leaks", transform=ax.transAxes, ha="center", va="center")
    ax.set_ylabel(shorten(label, letters_in(1.4 * height_of(ax), 10)))
    columns_named, verdicts = [each.name for each in columns], [each.verdict for each in columns]
    ax.set_xlabel(join_names(ax, columns_named))
    if len(columns) == 1:
        columns_named = [""]
    else:
        bottom, _ = ax.get_ylim()
        ax.set_ylim(bottom, -0.5 - 16 / height_of(ax) * (bottom + 0.5))
        write_column_names(ax, columns_named, sets, verdicts, -0.5)
    write_title(ax, columns_named, verdicts, beside, good="do not leak")
    return ax
