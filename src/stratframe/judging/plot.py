"""Draw pictures of fold columns: `plot`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from .. import frames
from ..checks import check_one_of, load_extra
from ..errors import StratError, above_limit
from ..frames import Frame
from ..habits import suggest_arguments
from ..progress import track
from ..terms.base import By
from ..verbs.door import any_frame
from ..verbs.sources import check_rows, join_given, named_source
from .asked import AUTO, read_arguments
from .draw import (
    LEGEND_LINES,
    ROW_LETTERS,
    Bars,
    Matrix,
    draw_bars,
    draw_matrix,
    legend_column,
)
from .fit import fit, room_of
from .lines import Finding, cut_name, printable, worst_first
from .picture_names import NAME_LETTERS, longest
from .pictures import PICTURES, Picture

Kind: TypeAlias = Literal["shares", "balance", "drift", "leaks"]

MAX_COLUMNS = 20
"""The maximum number of fold columns."""

ABREAST = 5
"""The maximum number of pictures side by side."""

SINGLE_WIDTH = 5.0
"""The width of a figure with one picture, in inches, with a legend of one column."""

EACH_WIDTH = 2.6
"""The width of each of several pictures."""

LETTER_WIDTH = 0.1
"""The width that each letter of a long name adds to a figure."""


@suggest_arguments
@any_frame()
def plot(
    frame: Frame | Mapping[str, Frame],
    by: By | None = None,
    name: str | Sequence[str] = "fold",
    kind: Kind = "shares",
    ax: Any = None,
    *,
    groups: Any = None,
    key: Any = None,
    features: Any = None,
    duplicates: Any = AUTO,
) -> Any:
    """Plot how good a fold column is; the title is the worst finding on what is drawn.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame, polars.LazyFrame, or mapping
        A mapping of names to frames is read as in `check`.
    by : entry or list of entries, optional
        For `kind="shares"` and `kind="balance"`; as for `report`.
    name : str or list of str
        One or more fold or part columns from any source; each column is drawn on Axes of its own.
        Rows without a fold are left out, but `kind="drift"` counts them as training rows.
    kind : {"shares", "balance", "drift", "leaks"}
        "shares" shows the share of each class in each fold, with dotted lines for the shares in all
        rows, or, without `by`, the number of rows in each fold. "balance" shows how many rows too
        many or too few each fold has of each stratum. "drift" shows the distance of each fold from
        the other rows in each feature, divided by the distance that chance can explain. "leaks"
        shows how many groups, keys or sets of equal rows any two folds share.
    ax : matplotlib.axes.Axes, optional
        The Axes to draw on, one for each column; by default, the Axes of a new figure.
    groups, key, features, duplicates
        As for `check`. `kind="drift"` needs `features`. `kind="leaks"` shows `groups` if they are
        given, otherwise `key` if it is given, and otherwise `duplicates`. With `groups`, balance is
        compared with a shuffle of whole groups.

    Returns
    -------
    matplotlib.axes.Axes
        One Axes or, for several columns, an array of Axes.

    Raises
    ------
    StratError
        If an argument is invalid, or if there is nothing or too much to draw.
    ImportError
        If matplotlib is not installed; `pip install "stratframe[plot]"` installs it.

    Notes
    -----
    Cells have no colour where nothing is wrong. If there are more than 15 strata or features, at
    most the worst 15 are drawn. The 48 largest classes or bins have colours of their own. With
    `sf.margins`, the bars show only the worst margin. Letters, lines and paper have the colours of
    the matplotlib style.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a", "b"] * 10}).strat.kfold("label", k=5)
    >>> sf.plot(df, "label").get_title()
    'fold: even, each class within a row of its share'
    """
    check_one_of("kind", kind, get_args(Kind))
    load_extra("matplotlib.pyplot", "plot")
    asked = read_arguments(by=by, groups=groups, key=key, duplicates=duplicates, features=features)
    frame, name, _ = join_given(frame, name, asked.named)
    check_rows(frame, "`plot` reads all rows", "`balance` and `report` give the figures as tables")
    frames.check_frame(frame)
    names = named_source(frame, name)[1]
    if len(names) > MAX_COLUMNS:
        msg = above_limit("`name` of `plot`", MAX_COLUMNS, "column", len(names))
        raise StratError(msg + "\nHint: `compare` has a row for each column.")
    axes = None if ax is None else check_axes(ax, len(names), kind)
    drawn = PICTURES[kind](frame, names, asked)
    pictures = list(track(drawn, "Pictures", " columns", len(names)))
    if axes is None:
        axes = make_axes([drawing for _, drawing in pictures])
    draw_all(axes, names, pictures)
    return axes[0] if len(names) == 1 else np.array(axes, dtype=object)


def check_axes(ax: Any, n_columns: int, kind: Kind) -> list[Any]:
    """Check the Axes of the caller: plain ones, as many as fold columns, with their own axes."""
    axes = list(np.ravel(ax)) if isinstance(ax, list | tuple | np.ndarray) else [ax]
    for each in axes:
        is_axes = isinstance(each, load_extra("matplotlib.axes", "plot").Axes)
        if not is_axes or each.name != "rectilinear":
            msg = f"`ax` must be a plain matplotlib Axes, got {type(each).__name__}."
            raise StratError(msg)
        for side in "x" if kind == "shares" else "xy":
            if len(getattr(each, f"get_shared_{side}_axes")().get_siblings(each)) > 1:
                msg = f"`ax` must have its own {side} axis.\nHint: leave out `share{side}`."
                raise StratError(msg)
    if len(axes) != n_columns:
        msg = f"`ax` must be one Axes for each column, got {len(axes)} for {n_columns}."
        raise StratError(msg)
    return axes


def make_axes(drawings: Sequence[Bars | Matrix]) -> list[Any]:
    """Make a figure with Axes for each picture."""
    n_rows = ceil(len(drawings) / ABREAST)
    n_columns = ceil(len(drawings) / n_rows)
    width = SINGLE_WIDTH if n_columns == 1 else 1.0 + EACH_WIDTH * n_columns
    width += max(extra_width(drawing) for drawing in drawings)
    height = max(height_of(drawing) for drawing in drawings)
    figure, grid = load_extra("matplotlib.pyplot", "plot").subplots(
        n_rows,
        n_columns,
        figsize=(width, n_rows * height),
        squeeze=False,
        layout="constrained",
    )
    axes = list(grid.flat)
    for unused in axes[len(drawings) :]:
        figure.delaxes(unused)
    return axes[: len(drawings)]


def extra_width(drawing: Bars | Matrix) -> float:
    """Return the width, in inches, that long names and legends of several columns need."""
    if isinstance(drawing, Matrix):
        letters = min(longest(drawing.rows), ROW_LETTERS)
        return LETTER_WIDTH * max(0, letters - NAME_LETTERS)
    n_columns = ceil(len(drawing.classes) / LEGEND_LINES)
    return n_columns * legend_column(drawing) - 0.6 if n_columns > 1 else 0.0


def height_of(drawing: Bars | Matrix) -> float:
    """Return the height of a picture in inches: its rows, or its legend, have room."""
    if isinstance(drawing, Matrix):
        return float(np.clip(1.3 + 0.24 * len(drawing.rows), 3.0, 5.0))
    n_lines = min(len(drawing.classes), LEGEND_LINES)
    return float(np.clip(1.6 + 0.18 * n_lines, 3.4, 4.6))


def draw_all(axes: Sequence[Any], names: Sequence[Any], pictures: Sequence[Picture]) -> None:
    """Draw the pictures with one scale for all matrices, and without repeated legends."""
    rooms = [room_of(ax) for ax in axes]
    limit = max((each.limit for _, each in pictures if isinstance(each, Matrix)), default=1.0)
    legends = [getattr(each, "classes", None) for _, each in pictures]
    drawn = []
    for place, (ax, name, (findings, drawing)) in enumerate(
        zip(axes, names, pictures, strict=True)
    ):
        title = title_of(name, findings)
        is_last = legends[place : place + 1] != legends[place + 1 : place + 2]
        if isinstance(drawing, Bars):
            drawn.append(draw_bars(ax, drawing, name, title, with_legend=is_last))
        else:
            drawn.append(draw_matrix(ax, drawing, name, title, limit, with_scale=is_last))
    fit(axes, drawn, rooms)


def title_of(name: Any, findings: Sequence[Finding]) -> str:
    """Write the name of a column and the worst finding, without what the axes name."""
    title = cut_name(printable(name), 24)
    if not findings:
        return title
    worst = worst_first(findings)[0]
    subject, _, said = worst.line.partition(": ")
    is_named = worst.check in ("balance", "strata", "sizes") or subject in ("drift", "duplicates")
    return f"{title}: {said if is_named and said else worst.line}"
