"""Plot the results of a study."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from math import ceil
from typing import Any

import numpy as np

from .. import frames
from ..checks import load_extra
from ..errors import StratError
from ..judging import palette
from ..judging.picture_names import short_text
from .statistics import SHOWN, read_series
from .strategies import BASELINE

RATIOS = [*SHOWN[3:]]
"""The columns with the ratio and the ends of its interval."""

MARKERS = "os^DvP*<>d"
"""The markers of estimators, which are repeated if there are more estimators than markers."""

SHORT_LABEL = 24
"""The number of characters in a name that fits the default width."""

MOST_LETTERS = 40
"""The maximum number of characters of a name that are drawn."""

FEW_TIMES = 8
"""The ratio of the axis limits below which ticks are placed at multiples of a round number."""


def plot(results: Any) -> Any:
    """Plot the ratios of mean squared errors in a study.

    Parameters
    ----------
    results : pandas.DataFrame or polars.DataFrame
        The result of `sf.study.compare`, `sf.study.summary` or `sf.study.differences`.

    Returns
    -------
    matplotlib.figure.Figure
        A figure with a panel for each k, a row for each strategy, and a colour for each estimator
        or pair of estimators. Each ratio is a point on its 95 % interval, on a logarithmic axis.
        Strategies to the left of the line at 1 give estimates closer to the truth than those of
        the baseline, which is stratified k-fold by default. Rows without a ratio are left out.

    Raises
    ------
    StratError
        If the frame lacks a column of these results, or contains no positive ratio.
    ImportError
        If matplotlib is not installed: `pip install "stratframe[plot]"`.

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
    has_pairs = frames.libraries.has_column(results, "pair")
    rows = read_results(results, "pair" if has_pairs else "estimator")
    ks = list(dict.fromkeys(rows["k"]))
    strategies = list(dict.fromkeys(rows["strategy"]))
    estimators = list(dict.fromkeys(rows["estimator"]))
    size = figure_size(len(ks), strategies, len(estimators))
    shape = {"sharex": True, "sharey": True, "squeeze": False, "layout": "constrained"}
    figure, axes = pyplot.subplots(1, len(ks), figsize=size, **shape)
    for ax, k in zip(axes[0], ks, strict=True):
        draw_panel(ax, rows[rows["k"] == k], strategies, estimators)
        ax.set_title(f"k = {k}")
    noun = "difference" if has_pairs else "score"
    figure.supxlabel(
        f"mean squared error of the {noun}, that of {name_baseline(rows)} = 1\n"
        f"left of the line: closer to the true {noun}",
        size="medium",
    )
    scale_ratios(axes[0, 0], rows)
    label_rows(axes[0, 0], strategies)
    if len(estimators) > 1:
        place = {"loc": "outside upper center", "ncols": 2, "frameon": False}
        figure.legend(*axes[0, 0].get_legend_handles_labels(), fontsize="small", **place)
    return figure


def figure_size(n_ks: int, strategies: list[Any], n_estimators: int) -> tuple[float, float]:
    """Return the width and the height of the figure, in inches."""
    longest = max(len(name_strategy(each)) for each in strategies)
    width = max(5.0, 2.0 + 2.6 * n_ks) + 0.07 * max(longest - SHORT_LABEL, 0)
    height_of_row = max(0.3, 0.09 * n_estimators)
    height_of_legend = 0.2 * ceil(n_estimators / 2)
    return width, 1.9 + len(strategies) * height_of_row + height_of_legend


def name_baseline(rows: Any) -> str:
    """Return the label of the only strategy whose ratios are all exactly 1, if there is one."""
    is_one = (rows[RATIOS] == 1).all(axis=1).groupby(rows["strategy"]).all()
    if is_one.sum() != 1:
        return "the baseline"
    return name_strategy(is_one.idxmax())


def name_strategy(strategy: Any) -> str:
    """Return the label of a strategy, which is "stratified k-fold (SCV)" for the baseline."""
    if strategy == BASELINE:
        strategy = f"stratified k-fold ({BASELINE})"
    return short_text(strategy, MOST_LETTERS)


def read_results(results: Any, coloured: str) -> Any:
    """Read the rows that have a ratio, and rename the column named by `coloured` to `estimator`."""
    columns = read_series(results, [*SHOWN[:1], coloured, *SHOWN[2:]], "results")
    lists: dict[Any, Any] = dict(zip(SHOWN, map(frames.to_list, columns), strict=True))
    rows = frames.make_frame("pandas", lists).astype(dict.fromkeys(RATIOS, float))
    known = rows[rows["mse_ratio"] > 0]
    if known.empty:
        msg = f"`results` must have a positive ratio to draw, got none in {len(rows)} rows."
        raise StratError(msg)
    return known


def draw_panel(ax: Any, rows: Any, strategies: list[Any], estimators: list[Any]) -> None:
    """Draw the ratios for one k; the estimators of a strategy are drawn one below another."""
    ax.axvline(1, color=palette.ink(), linewidth=0.8, zorder=1)
    shifts = np.zeros(1)
    if len(estimators) > 1:
        shifts = np.linspace(-0.3, 0.3, len(estimators))
    looks = zip(estimators, shifts, cycle(palette.COLOURS[:6]), cycle(MARKERS), strict=False)
    for estimator, shift, colour, marker in looks:
        points = rows[rows["estimator"] == estimator]
        heights = [strategies.index(each) + shift for each in points["strategy"]]
        ax.hlines(heights, points["low"], points["high"], color=colour, linewidth=1.2, zorder=2)
        look = {"color": colour, "marker": marker, "markersize": 4, "linestyle": "", "zorder": 3}
        ax.plot(points["mse_ratio"], heights, label=short_text(estimator, MOST_LETTERS), **look)
    pale = palette.mix(palette.ink(), palette.paper_of(ax), palette.GRID)
    ax.grid(axis="x", color=pale, linewidth=0.6)
    ax.set_axisbelow(True)


def scale_ratios(ax: Any, rows: Any) -> None:
    """Set a logarithmic scale for all panels, with tick labels in decimal notation."""
    ends = rows[RATIOS].to_numpy()
    ends = ends[np.isfinite(ends) & (ends > 0)]
    low = min(ends.min(), 0.9) / 1.05
    high = max(ends.max(), 1.1) * 1.05
    ticker = load_extra("matplotlib.ticker", "plot")
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    if high / low < FEW_TIMES:
        locator = ticker.MaxNLocator(5, steps=[1, 2, 5, 10])
    else:
        locator = ticker.LogLocator(numticks=6)
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_locator(ticker.NullLocator())


def label_rows(ax: Any, strategies: Sequence[Any]) -> None:
    """Label the rows with the names of strategies, with the first strategy at the top."""
    ax.set_yticks(np.arange(len(strategies)), [name_strategy(each) for each in strategies])
    ax.set_ylim(len(strategies) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
