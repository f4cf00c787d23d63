"""Pictures of a fold column: `plot`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from .. import frames
from ..checks import check_one_of, load_extra
from ..core.types import Ints, Values
from ..errors import StratError
from ..frames import Frame
from ..pipeline.tables import stratum_names, table_order
from .drift import main_measure, measure_drift
from .report import FoldCounts, read_folds

Kind: TypeAlias = Literal["balance", "drift", "sizes"]
"""What a picture shows."""

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
"""Told apart by the colour-blind, too: Okabe and Ito (2008), Color universal design."""

MARKERS = "os^DvPX*"
"""One for each colour, so that folds are told apart without it."""

DRAWN, LONG = 500, 40
"""Strata, features or folds that a picture shows at most, and letters of a name."""

ROWS, WRITTEN = 40, 12
"""Rows of an axis above which its labels get smaller, and rows and columns of a heat map up
to which its cells have numbers."""


def plot(frame: Frame, by: Any, name: str = "fold", kind: Kind = "balance", ax: Any = None) -> Any:
    """Plot how strata, features or rows are distributed over the folds of a column.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    by : entry or list of entries
        As for `strata`; with `kind="drift"` the features, as for `drift`; with
        `kind="sizes"` it may be None.
    name : str
        A fold or part column from any source. Rows without a fold are training rows.
    kind : {"balance", "drift", "sizes"}
        The share of each stratum in every fold, next to its share of all rows; how far each
        feature in every fold is from the other rows; or the number of rows in every fold.
    ax : matplotlib.axes.Axes, optional
        Draw here; by default in a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    StratError
        If an argument breaks a rule, or there is nothing to draw.
    ImportError
        Without matplotlib: `pip install "stratframe[plot]"`. `kind="drift"` also needs SciPy:
        `pip install "stratframe[drift]"`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a", "b"] * 10}).strat.kfold("label", k=5)
    >>> sf.plot(df, "label").get_title()
    'Share of each stratum by fold'
    """
    check_one_of("kind", kind, get_args(Kind))
    pyplot = load_extra("matplotlib.pyplot", "plot")
    check_axes(ax)
    if kind == "drift":
        folds, names, figures = measure_drift(frame, by, name)
        check_any(name, folds)
        check_few(len(names), "features")
        ax = axes(pyplot, len(names)) if ax is None else ax
        return draw_drift(ax, folds, names, main_measure(figures), name)
    if kind == "sizes":
        frames.check_frame(frame)
        frames.check_refs(frame, [name], "name")
        series = frames.read_fold_column(frames.collect_columns(frame, [name]), name)
        folds, codes = frames.fold_codes(series)
        check_any(name, folds)
        sizes = np.bincount(codes % (len(folds) + 1), minlength=len(folds) + 1)
        return draw_sizes(axes(pyplot, 0) if ax is None else ax, folds, sizes, name)
    folded = read_folds(frame, by, name)
    check_any(name, folded.folds)
    check_few(sum(len(table) for table in folded.tables), "strata")
    names, shares = shares_of(folded)
    ax = axes(pyplot, len(names)) if ax is None else ax
    return draw_balance(ax, folded.folds, names, shares, name)


def check_axes(ax: Any) -> None:
    """Refuse what nothing can be drawn on."""
    if ax is not None and not isinstance(ax, load_extra("matplotlib.axes", "plot").Axes):
        msg = f"`ax` must be a matplotlib Axes, got {type(ax).__name__}."
        raise StratError(msg)


def check_few(n_rows: int, what: str) -> None:
    """Refuse more rows than a picture can show."""
    if n_rows > DRAWN:
        msg = (
            f"`plot` draws at most {DRAWN} {what}, got {n_rows:,}."
            "\nHint: `report` and `drift` give tables."
        )
        raise StratError(msg)


def check_any(name: str, folds: Sequence[Any]) -> None:
    """Refuse a column without folds, or with more than can be drawn."""
    if not folds:
        msg = f"Column {name!r} must hold folds to be drawn, but has none."
        raise StratError(msg)
    check_few(len(folds), "folds")


def axes(pyplot: Any, n_rows: int) -> Any:
    """Open a figure that is as high as its rows need."""
    return pyplot.subplots(figsize=(7, max(3.5, 1.5 + 0.15 * n_rows)), layout="constrained")[1]


def shares_of(folded: FoldCounts) -> tuple[list[str], Values]:
    """Name the strata for a picture, and tell their shares.

    Returns
    -------
    shares : ndarray of float64, shape (n_strata, n_folds + 1)
        In every fold, and last in the whole. NaN in folds without rows.
    """
    names: list[str] = []
    parts: list[Values] = []
    several = len(folded.tables) > 1
    for table, one in zip(folded.tables, folded.strata, strict=True):
        order: Ints = table_order(one)
        own = stratum_names(one, order, with_entry=several)
        if folded.nominal:
            sizes = table[order].sum(axis=1)
            by_size = sorted(range(len(own)), key=lambda place: (-sizes[place], own[place]))
            own, order = [own[place] for place in by_size], order[by_size]
        counts = np.column_stack([table[:, :-1], table.sum(axis=1)])[order]
        totals = counts.sum(axis=0)
        parts.append(np.where(totals, counts / np.maximum(totals, 1), np.nan))
        names += own
    return names, np.concatenate(parts)


def draw_balance(
    ax: Any, folds: Sequence[Any], names: Sequence[str], shares: Values, name: str
) -> Any:
    """Draw the share of each stratum in every fold, and that in the whole as a bar."""
    places, n_folds = np.arange(len(names)), len(folds)
    size = 36 if len(names) <= ROWS // 2 else 14
    ax.vlines(shares[:, -1], places - 0.35, places + 0.35, color="0.4", linewidth=2, label="whole")
    for fold, (value, offset) in enumerate(zip(folds, offsets(n_folds), strict=True)):
        colour, marker = style(fold, n_folds)
        ax.scatter(
            shares[:, fold],
            places + offset,
            s=size,
            color=colour,
            marker=marker,
            linewidths=0,
            label=written(value),
        )
    label_rows(ax, names)
    ax.set_xlim(left=-0.01 * np.nanmax(shares))
    ax.set_xlabel("share of the fold's rows")
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    ax.set_title(f"Share of each stratum by {written(name)}")
    ax.legend(
        title=written(name),
        loc="upper left",
        bbox_to_anchor=(1, 1),
        ncols=1 + n_folds // 20,
        fontsize="small",
        frameon=False,
    )
    return ax


def draw_drift(
    ax: Any, folds: Sequence[Any], names: Sequence[str], figures: Values, name: str
) -> Any:
    """Draw a heat map of the drift of features in folds, the worst feature first.

    Parameters
    ----------
    figures : ndarray of float64, shape (n_features, n_folds)
    """
    order = np.argsort(-np.nan_to_num(figures).max(axis=1), kind="stable")
    figures = figures[order]
    top = max(0.2, float(np.nan_to_num(figures).max()))
    image = ax.imshow(figures, cmap="cividis", vmin=0, vmax=top, aspect="auto")
    if max(figures.shape) <= WRITTEN:
        for row, column in np.ndindex(*figures.shape):
            value = figures[row, column]
            colour = "black" if value > top / 2 else "white"
            text = "" if np.isnan(value) else f"{value:.2f}"
            ax.text(column, row, text, ha="center", va="center", color=colour, fontsize="small")
    label_rows(ax, [str(names[place]) for place in order.tolist()])
    ax.set_xticks(np.arange(len(folds)), [written(value) for value in folds])
    ax.set_xlabel(written(name))
    ax.set_title(f"Features by {written(name)}, against the other rows")
    ax.figure.colorbar(image, ax=ax, label="KS statistic, of classes total variation")
    return ax


def draw_sizes(ax: Any, folds: Sequence[Any], sizes: Ints, name: str) -> Any:
    """Draw the rows of every fold, and those that have none.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_folds + 1,)
        Last the rows without a fold.
    """
    labels = [written(value) for value in folds]
    ax.margins(y=0.1)
    bars = ax.bar(np.arange(len(folds)), sizes[:-1], color=COLOURS[0])
    ax.bar_label(bars, [f"{size:,}" for size in sizes[:-1]], fontsize="small")
    if sizes[-1]:
        rest = ax.bar([len(folds)], sizes[-1:], color="0.8", hatch="//", edgecolor="0.4")
        ax.bar_label(rest, [f"{sizes[-1]:,}"], fontsize="small")
        labels.append("none")
    ax.set_xticks(np.arange(len(labels)), labels)
    ax.set_xlabel(written(name))
    ax.set_ylabel("rows")
    ax.set_title(f"Rows by {written(name)}")
    return ax


def written(value: object) -> str:
    """Write a value as plain text: not as mathematics, not too long, in every legend."""
    text = str(value)
    text = text if len(text) <= LONG else text[: LONG - 1] + "\u2026"
    # A legend leaves out what starts with an underscore; a thin space goes before it.
    space = "\u2009" if text.startswith("_") else ""
    return space + text.replace("$", r"\$")


def label_rows(ax: Any, names: Sequence[str]) -> None:
    """Write the names of rows, the first at the top; smaller where they are many."""
    size = "medium" if len(names) <= ROWS // 2 else 7
    ax.set_yticks(np.arange(len(names)), [written(each) for each in names], fontsize=size)
    ax.set_ylim(len(names) - 0.5, -0.5)


def offsets(n_folds: int) -> Values:
    """Spread the folds of a row over its height, so that none hides another."""
    return np.linspace(-0.25, 0.25, n_folds) if n_folds > 1 else np.zeros(1)


def style(fold: int, n_folds: int) -> tuple[Any, str]:
    """Choose the colour and the marker of a fold."""
    marker = MARKERS[fold % len(MARKERS)]
    if n_folds <= len(COLOURS):
        return COLOURS[fold], marker
    colours = load_extra("matplotlib", "plot").colormaps["cividis"]
    return colours(fold / (n_folds - 1)), marker
