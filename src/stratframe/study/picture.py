"""The picture of a study: `plot`."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np

from .. import frames
from ..checks import load_extra
from ..core.types import Values
from ..errors import StratError
from ..verbs.draw import COLOURS, short_text
from .statistics import SHOWN
from .strategies import BASELINE

TICKS = (
    (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 3, 5, 10),
    (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10),
    tuple(step * 10.0**power for power in range(-6, 6) for step in (1, 2, 5)),
    tuple(10.0**power for power in range(-6, 7)),
)
"""Ratios that an axis may name: of the first list that spans it and has not too many."""

MARKERS = "os^DvP*<>d"
"""One for each estimator, up to so many."""

SHORT, MOST_LETTERS = 24, 40
"""Letters of a name that a figure has room for as it is, and that are drawn of a longer one."""

MOST_TICKS = 6
"""Ticks that a panel has room for."""


def plot(results: Any) -> Any:
    """Plot the mean squared errors of a study, relative to stratified k-fold.

    Parameters
    ----------
    results : pandas.DataFrame or polars.DataFrame
        What `sf.study.compare`, `sf.study.summary` or `sf.study.differences` returns.

    Returns
    -------
    matplotlib.figure.Figure
        A panel for each k, a row for each strategy and a colour for each estimator, or pair of
        them: the ratio as a point on its 95 % interval, on a logarithmic axis. Left of the line
        at 1, the estimates are closer to the truth than those of stratified k-fold, or of the
        baseline that `summary` or `differences` was given. Rows without a ratio are left out.

    Raises
    ------
    StratError
        If the frame is not such a summary, or there is nothing to draw.
    ImportError
        Without matplotlib: `pip install "stratframe[plot]"`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import pandas as pd, stratframe as sf
    >>> results = pd.DataFrame({"strategy": ["SCV", "DOB-SCV"], "estimator": "ridge", "k": 5})
    >>> results = results.assign(mse_ratio=[1, 0.9], low=[1, 0.8], high=[1, 1.1])
    >>> len(sf.study.plot(results).axes)
    1
    """
    pyplot = load_extra("matplotlib.pyplot", "plot")
    of_pairs = frames.has_column(results, "pair")
    rows = read_results(results, "pair" if of_pairs else "estimator")
    compared = "difference" if of_pairs else "score"
    ks, strategies, estimators = (
        list(dict.fromkeys(row[name] for row in rows)) for name in ("k", "strategy", "estimator")
    )
    longest = max(len(name_strategy(each)) for each in strategies)
    size = (
        max(5.0, 2.0 + 2.6 * len(ks)) + 0.07 * max(longest - SHORT, 0),
        1.9 + len(strategies) * max(0.3, 0.09 * len(estimators)) + 0.2 * ceil(len(estimators) / 2),
    )
    shape = {"sharex": True, "sharey": True, "squeeze": False, "layout": "constrained"}
    figure, axes = pyplot.subplots(1, len(ks), figsize=size, **shape)
    for ax, k in zip(axes[0], ks, strict=True):
        draw_panel(ax, [row for row in rows if row["k"] == k], strategies, estimators)
        ax.set_title(f"k = {k}")
    figure.supxlabel(
        f"mean squared error of the {compared}, that of {name_baseline(rows)} = 1\n"
        f"left of the line: closer to the true {compared}",
        size="medium",
    )
    scale_ratios(axes[0, 0], rows)
    label_rows(axes[0, 0], strategies)
    if len(estimators) > 1:
        handles, labels = axes[0, 0].get_legend_handles_labels()
        place = {"loc": "outside upper center", "ncols": 2, "frameon": False}
        figure.legend(handles, labels, fontsize="small", **place)
    return figure


def name_baseline(rows: Sequence[dict[str, Any]]) -> str:
    """Name the strategy that the others are compared with: its ratios are all exactly 1."""
    others = {row["strategy"] for row in rows if {row[name] for name in SHOWN[3:]} != {1}}
    own = [row["strategy"] for row in rows if row["strategy"] not in others]
    return name_strategy(own[0]) if len(set(own)) == 1 else "the baseline"


def name_strategy(strategy: Any) -> str:
    """Name a strategy, and stratified k-fold in full."""
    name = f"stratified k-fold ({BASELINE})" if strategy == BASELINE else strategy
    return short_text(name, MOST_LETTERS)


def read_results(results: Any, coloured: str) -> list[dict[str, Any]]:
    """List the rows of a summary that have a ratio, what has a colour as the estimator."""
    frames.check_frame(results)
    names = [coloured if name == "estimator" else name for name in SHOWN]
    frames.check_refs(results, names, "results")
    eager = frames.collect_columns(results, names)
    columns = [frames.to_list(series) for series in frames.read_columns(eager, names)]
    rows: list[dict[str, Any]] = [
        dict(zip(SHOWN, values, strict=True)) for values in zip(*columns, strict=True)
    ]
    known = [row for row in rows if row["mse_ratio"]]
    if not known:
        msg = f"`results` must have a positive ratio to draw, got none in {len(rows)} rows."
        raise StratError(msg)
    return known


def draw_panel(
    ax: Any, rows: Sequence[dict[str, Any]], strategies: list[Any], estimators: list[Any]
) -> None:
    """Draw the ratios of one k, the estimators of a strategy one below the other."""
    ax.axvline(1, color="0.4", linewidth=0.8, zorder=1)
    shifts = np.linspace(-0.3, 0.3, len(estimators)) if len(estimators) > 1 else np.zeros(1)
    for place, estimator in enumerate(estimators):
        chosen = [row for row in rows if row["estimator"] == estimator]
        heights = np.array([strategies.index(row["strategy"]) for row in chosen]) + shifts[place]
        colour = COLOURS[place % len(COLOURS)]
        low, ratio, high = (
            np.array([row[name] for row in chosen], dtype=np.float64)
            for name in ("low", "mse_ratio", "high")
        )
        ax.hlines(heights, low, high, color=colour, linewidth=1.2, zorder=2)
        ax.plot(
            ratio,
            heights,
            color=colour,
            marker=MARKERS[place % len(MARKERS)],
            markersize=4,
            linestyle="",
            label=short_text(estimator, MOST_LETTERS),
            zorder=3,
        )
    ax.grid(axis="x", color="0.85", linewidth=0.6)
    ax.set_axisbelow(True)


def scale_ratios(ax: Any, rows: Sequence[dict[str, Any]]) -> None:
    """Set a logarithmic scale for all panels, with ticks that read as plain numbers."""
    ends: Values = np.array([row[name] or 1 for row in rows for name in SHOWN[3:]], dtype=float)
    ends = ends[np.isfinite(ends) & (ends > 0)]
    low, high = min(ends.min(), 0.9) / 1.05, max(ends.max(), 1.1) * 1.05
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    spanning = [ticks for ticks in TICKS if ticks[0] / 2 <= low and high <= ticks[-1] * 2]
    lists = [[tick for tick in ticks if low <= tick <= high] for ticks in spanning or TICKS]
    ticks = next((each for each in lists if len(each) <= MOST_TICKS), lists[-1])
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_xticks([], minor=True)


def label_rows(ax: Any, strategies: Sequence[Any]) -> None:
    """Write the names of strategies, the first at the top."""
    ax.set_yticks(np.arange(len(strategies)), [name_strategy(each) for each in strategies])
    ax.set_ylim(len(strategies) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
