"""Pictures of fold columns: `plot`, and what it measures; `draw` puts it on axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from .. import frames
from ..checks import check_one_of, load_extra
from ..core.evenness import deviations, optimal_max_deviation, random_variance
from ..core.types import StratumTable
from ..errors import StratError, at_least_one
from ..frames import Frame
from ..habits import suggest_arguments
from ..pipeline.tables import stratum_names, table_order
from ..terms.by import parse_columns
from .draw import (
    FEATURES,
    LONG,
    STRATA,
    Column,
    count_strips,
    draw_balance,
    draw_drift,
)
from .draw_sizes import FoldSizes, draw_sizes
from .drift import measure_drift
from .select import fold_names
from .sides import check_rows, side_of

Kind: TypeAlias = Literal["balance", "drift", "sizes"]
"""What a picture shows."""

DRAWN = 500
"""Folds of a column that a picture shows at most."""

WIDTH, LOWEST, HIGHEST = 7.0, 3.2, 12.0
"""Inches of a figure."""

LABELLED: dict[Kind, str] = {"balance": "strata", "drift": "features", "sizes": "folds"}
"""What the labels of an axis name."""


@suggest_arguments
def plot(
    frame: Frame,
    by: Any = None,
    name: str | Sequence[str] = "fold",
    kind: Kind = "balance",
    ax: Any = None,
) -> Any:
    """Plot how strata, features or rows are distributed over the folds of a column.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    by : entry or list of entries, optional
        As for `strata`; with `kind="drift"` the features, as for `drift`; not needed with
        `kind="sizes"`.
    name : str or list of str
        A fold or part column from any source. Rows without a fold are training rows. Of
        several columns, such as repeats, each has a colour that all its folds share, on a
        line from the least to the largest; in `sizes`, their bars are side by side.
    kind : {"balance", "drift", "sizes"}
        How many rows more or fewer than expected each fold has of each stratum, the worst
        strata first, on bands of the optimum and of random folds, as in `report`; how far
        each feature in every fold is from the other rows, next to what a random fold would
        show; or the number of rows in every fold.
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
        Without matplotlib: `pip install "stratframe[plot]"`.

    Notes
    -----
    At most 40 strata or 64 features are drawn, fewer where there is no room; a line says how
    many are not shown. Deviations are drawn in rows, on a logarithmic scale if some exceed
    25 rows. More than ten folds, or columns, share one neutral strip. Chance of a stratum is two
    standard deviations of a random fold of the same size; chance of a feature is the distance
    that one in twenty such folds exceeds, and features are ordered by the largest multiple
    of it.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a", "b"] * 10}).strat.kfold("label", k=5)
    >>> sf.plot(df, "label").get_xlabel()
    'deviation in rows, by fold'
    """
    check_one_of("kind", kind, get_args(Kind))
    pyplot = load_extra("matplotlib.pyplot", "plot")
    check_axes(ax, kind)
    check_rows(frame, "`plot` reads all rows", "`balance` and `report` give the figures as tables")
    frames.check_frame(frame)
    names = fold_names(frame, name)
    if kind == "sizes":
        counts = [count_fold_rows(frame, each) for each in names]
        ax = new_axes(pyplot, 0, [], longest_fold(counts)) if ax is None else ax
        return draw_sizes(ax, counts)
    check_by(by, kind)
    if kind == "drift":
        columns, features = measure_features(frame, by, names)
        ax = new_axes(pyplot, min(len(features), FEATURES + 1), columns) if ax is None else ax
        return draw_drift(ax, columns, features)
    columns, strata, entry = measure_strata(frame, by, names)
    ax = new_axes(pyplot, min(len(strata), STRATA + 1), columns) if ax is None else ax
    return draw_balance(ax, columns, strata, entry)


# Checks ---------------------------------------------------------------------------------


def check_axes(ax: Any, kind: Kind) -> None:
    """Raise unless a picture can be drawn on `ax`, with labels that it alone has."""
    if ax is None:
        return
    if not isinstance(ax, load_extra("matplotlib.axes", "plot").Axes):
        msg = f"`ax` must be a matplotlib Axes, got {type(ax).__name__}."
        raise StratError(msg)
    if hasattr(ax, "zaxis"):
        msg = f"`ax` must be a matplotlib Axes of two dimensions, got {type(ax).__name__}."
        raise StratError(msg)
    side = "x" if kind == "sizes" else "y"
    if len(getattr(ax, f"get_shared_{side}_axes")().get_siblings(ax)) > 1:
        msg = (
            f"`ax` must have {'an' if side == 'x' else 'a'} {side} axis of its own, which names"
            f" {LABELLED[kind]}, got one that is shared.\nHint: leave out `share{side}`."
        )
        raise StratError(msg)


def check_by(by: Any, kind: Kind) -> None:
    """Raise if there is no entry or feature."""
    if by is None:
        noun = "feature" if kind == "drift" else "entry"
        msg = f'{at_least_one("`by`", noun, by)}\nHint: only `kind="sizes"` needs none.'
        raise StratError(msg)


def check_plotted_folds(name: str, folds: Sequence[Any]) -> None:
    """Raise if a column has no folds, or more than can be drawn."""
    if not folds:
        msg = f"Column {name!r} must hold folds to be drawn, but has none."
        raise StratError(msg)
    if len(folds) > DRAWN:
        msg = (
            f"`plot` draws at most {DRAWN} folds, got {len(folds):,}."
            "\nHint: `report` and `drift` give tables."
        )
        raise StratError(msg)


def new_axes(pyplot: Any, n_rows: int, columns: Sequence[Column], n_letters: int = 0) -> Any:
    """Open a figure that is as high as its rows need, and names below it, or as is allowed."""
    height = 1.7 + n_rows * (np.clip(0.05 * count_strips(columns), 0.25, 0.45) if columns else 0)
    names = 0.03 * float(np.clip(n_letters - 12, 0, LONG - 12))
    size = WIDTH, float(np.clip(height, LOWEST, HIGHEST)) + names
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def longest_fold(counts: Sequence[FoldSizes]) -> int:
    """Count the letters of the longest name of a fold."""
    return max(len(str(fold)) for each in counts for fold in each.folds)


# Measurement ----------------------------------------------------------------------------


def count_fold_rows(frame: Frame, name: str) -> FoldSizes:
    """Count the rows of every fold, and those without one."""
    series = frames.read_fold_column(frames.collect_columns(frame, [name]), name)
    folds, codes = frames.fold_codes(series)
    check_plotted_folds(name, folds)
    n_parts = len(folds) + 1
    return FoldSizes(name, folds, np.bincount(codes % n_parts, minlength=n_parts))


def measure_strata(
    frame: Frame, by: Any, fold_columns: Sequence[str]
) -> tuple[list[Column], list[str], str]:
    """Measure the deviations of strata in columns, and name the strata and their entries."""
    read = side_of(frame).collect(by, fold_columns)
    columns, levels, orders = [], [], []
    for name in fold_columns:
        counts = read.folded(by, name).crossed()
        check_plotted_folds(name, counts.folds)
        levels, orders = counts.strata, [table_order(level) for level in counts.strata]
        tables = [table[order] for table, order in zip(counts.tables, orders, strict=True)]
        columns.append(measure_column(name, counts.folds, tables))
    several = len(levels) > 1
    names = [
        text
        for level, order in zip(levels, orders, strict=True)
        for text in stratum_names(level, order, with_entry=several)
    ]
    entry = "" if several else ", ".join(str(level.name) for level in levels[0].levels)
    return columns, names, entry


def measure_column(name: str, folds: list[Any], tables: Sequence[StratumTable]) -> Column:
    """Measure the deviations of strata in the folds of a column, next to chance and optimum.

    Parameters
    ----------
    tables : sequence of ndarray of int64, shape (n_strata, n_folds + 1)
        Rows of the strata in every fold, and last in none; of margins a table for each.
    """
    off, chance, least = [], [], []
    for table in tables:
        sizes, dealt = table.sum(axis=1), table[:, :-1]
        totals = dealt.sum(axis=0)
        off.append(deviations(dealt, sizes))
        chance.append(2 * np.sqrt(random_variance(sizes, totals)))
        least.append(optimal_max_deviation(sizes, totals))
    return Column(name, folds, np.concatenate(off), np.concatenate(chance), max(least))


def measure_features(
    frame: Frame, features: Any, names: Sequence[str]
) -> tuple[list[Column], list[str]]:
    """Measure the drift of features in columns, and name the features."""
    refs = parse_columns("by", features)
    frames.check_refs(frame, refs, "features")
    eager = frames.collect_columns(frame, [*refs, *names])
    columns: list[Column] = []
    labels: list[str] = []
    for name in names:
        folds, labels, measured = measure_drift(eager, features, name)
        check_plotted_folds(name, folds)
        columns.append(Column(name, folds, measured.main, measured.chance))
    return columns, labels
