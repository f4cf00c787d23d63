"""Pictures of fold columns: `plot`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from .. import frames
from ..checks import check_one_of, load_extra
from ..errors import StratError, at_least_one, describe
from ..frames import Frame
from ..habits import suggest_arguments
from .draw import LONG
from .draw_leaks import draw_leaks
from .draw_shares import FoldShares, draw_shares
from .draw_sizes import FoldSizes, draw_sizes
from .draw_strips import FEATURES, STRATA, Column, count_strips, draw_balance, draw_drift
from .plot_data import count_fold_rows, measure_features, measure_shares, measure_strata
from .plot_leaks import measure_leaks
from .select import fold_names
from .sides import check_rows

Kind: TypeAlias = Literal["balance", "shares", "drift", "leaks", "sizes"]
"""What a picture shows."""

WIDTH, LOWEST, HIGHEST = 7.0, 3.2, 12.0
"""Inches of a figure."""

NAMED: dict[Kind, dict[str, str]] = {
    "balance": {"y": "strata"},
    "shares": {"x": "folds", "y": "classes"},
    "drift": {"y": "features"},
    "leaks": {"x": "folds", "y": "groups"},
    "sizes": {"x": "folds"},
}
"""What the labels of axes name."""


@suggest_arguments
def plot(
    frame: Frame,
    by: Any = None,
    name: str | Sequence[str] = "fold",
    kind: Kind = "balance",
    ax: Any = None,
    *,
    groups: Any = None,
    key: Any = None,
    columns: Any = None,
) -> Any:
    """Plot how good a fold column is; the title says it in words.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    by : entry or list of entries, optional
        As for `strata`; with `kind="drift"` the features, as for `drift`; not needed with
        `kind="leaks"` and `kind="sizes"`.
    name : str or list of str
        A fold or part column from any source. Rows without a fold are training rows. Of
        several columns, such as repeats, each has a colour that all its folds share, on a
        line from the least to the largest; or their bars, or points, are side by side.
    kind : {"balance", "shares", "drift", "leaks", "sizes"}
        How many rows too many or too few each fold has of each stratum, the worst strata
        first; which share of each fold every class has, on lines at its share of all rows; how
        far each feature in every fold is from the other rows; the groups, or the equal rows,
        that are in several folds, and in which; or the number of rows in every fold.
    ax : matplotlib.axes.Axes, optional
        Draw here; by default in a new figure.
    groups, key, columns
        Of `kind="leaks"`, one of them: as for `audit`.

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
    The verdict in the title is that of `compare`: "even" is its "optimal" or "even". The inner
    band of `balance` is what `kfold` promises: each stratum is within one row of its share of the
    fold, whose own size may be rounded. The hatched band reaches to three standard deviations of
    a random fold of the same size; what is beyond both is drawn as a red cross. So is a
    feature that is 1.5 times as far from the other rows as one in twenty random folds; features
    are ordered by that multiple.

    At most 40 strata or groups or 64 features are drawn, fewer where there is no room; a line says
    how many are not shown. More than ten folds, or columns, share one neutral strip. More than
    seven classes are pooled, the smallest, in `shares`; continuous entries are cut into bins.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a", "b"] * 10}).strat.kfold("label", k=5)
    >>> sf.plot(df, "label").get_title()
    'fold: exactly even, no row off'
    """
    check_one_of("kind", kind, get_args(Kind))
    pyplot = load_extra("matplotlib.pyplot", "plot")
    check_axes(ax, kind)
    check_rows(frame, "`plot` reads all rows", "`balance` and `report` give the figures as tables")
    frames.check_frame(frame)
    names = fold_names(frame, name)
    check_arguments(kind, by, {"groups": groups, "key": key, "columns": columns})
    if kind == "leaks":
        leaks, rows, label = measure_leaks(frame, names, groups, key, columns)
        return draw_leaks(ax or new_axes(pyplot, 0.2 * len(rows)), leaks, rows, label)
    if kind == "sizes":
        counts = [count_fold_rows(frame, each) for each in names]
        return draw_sizes(ax or new_axes(pyplot, 0, longest_fold(counts)), counts)
    if kind == "shares":
        shares, entries, label = measure_shares(frame, by, names)
        ax = ax or new_axes(pyplot, max(1.5, 0.8 * len(entries)), longest_fold(shares))
        return draw_shares(ax, shares, entries, label)
    if kind == "drift":
        strips, features = measure_features(frame, by, names)
        ax = ax or new_axes(pyplot, height_of_rows(len(features), FEATURES, strips))
        return draw_drift(ax, strips, features)
    strips, strata, label = measure_strata(frame, by, names)
    ax = ax or new_axes(pyplot, 0.3 + height_of_rows(len(strata), STRATA, strips))
    return draw_balance(ax, strips, strata, label)


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
    for side, named in NAMED[kind].items():
        if len(getattr(ax, f"get_shared_{side}_axes")().get_siblings(ax)) > 1:
            msg = (
                f"`ax` must have {'an' if side == 'x' else 'a'} {side} axis of its own, which"
                f" names {named}, got one that is shared.\nHint: leave out `share{side}`."
            )
            raise StratError(msg)


def check_arguments(kind: Kind, by: Any, compared: dict[str, Any]) -> None:
    """Raise unless the arguments are those of a kind of picture."""
    given = {name: value for name, value in compared.items() if value is not None}
    if kind == "leaks":
        check_compared(by, given)
    elif given:
        name = next(iter(given))
        msg = f'`{name}` is for `kind="leaks"` only, got `kind="{kind}"`.'
        raise StratError(msg)
    elif by is None and kind != "sizes":
        noun = "feature" if kind == "drift" else "entry"
        hint = 'Hint: only `kind="sizes"` and `kind="leaks"` need none.'
        msg = f"{at_least_one('`by`', noun, by)}\n{hint}"
        raise StratError(msg)


def check_compared(by: Any, given: dict[str, Any]) -> None:
    """Raise if a picture of leaks is given `by`, or several things to compare."""
    if by is not None:
        msg = (
            f'`kind="leaks"` takes no `by`, got {describe(by)}.'
            f"\nHint: name the groups, as in `groups={describe(by)}`."
        )
        raise StratError(msg)
    if len(given) > 1:
        first, second, *_ = given
        msg = (
            f'`kind="leaks"` compares groups, keys or rows, got `{first}` and `{second}`.'
            "\nHint: `audit` takes all, and gives a table."
        )
        raise StratError(msg)


# Figures --------------------------------------------------------------------------------


def new_axes(pyplot: Any, height: float, n_letters: int = 0) -> Any:
    """Open a figure that is as high as its rows need, and names below it, or as is allowed."""
    names = 0.03 * float(np.clip(n_letters - 12, 0, LONG - 12))
    size = WIDTH, float(np.clip(1.7 + height, LOWEST, HIGHEST)) + names
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def height_of_rows(count: int, most: int, columns: Sequence[Column]) -> float:
    """Choose the inches for rows of strips, and for a line that says how many are not shown."""
    return min(count, most + 1) * float(np.clip(0.05 * count_strips(columns), 0.25, 0.45))


def longest_fold(columns: Sequence[FoldSizes] | Sequence[FoldShares]) -> int:
    """Count the letters of the longest name of a fold."""
    return max(len(str(fold)) for each in columns for fold in each.folds)
