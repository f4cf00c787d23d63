"""The picture of a study shows its ratios and intervals."""

import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import refuse
from tests.study.test_statistics import drawn_estimates

mpl.use("Agg")


@pytest.fixture
def results() -> pd.DataFrame:
    return sf.study.summary(drawn_estimates())


def test_each_k_has_a_panel_and_each_estimator_a_colour(results: pd.DataFrame) -> None:
    """Points are the ratios, lines their intervals, on a logarithmic axis."""
    figure = sf.study.plot(results)
    assert [ax.get_title() for ax in figure.axes] == ["k = 2", "k = 5"]
    first, ax = figure.axes
    assert ax.get_xscale() == "log"
    names = [label.get_text() for label in first.get_yticklabels()]
    assert names == ["stratified k-fold (SCV)", "other"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b"]
    chosen = results.query("k == 5 and estimator == 'b'")
    points = next(line for line in ax.get_lines() if line.get_label() == "b")
    np.testing.assert_allclose(points.get_xdata(), chosen["mse_ratio"])
    ends = np.array(ax.collections[1].get_segments())[:, :, 0]
    np.testing.assert_allclose(ends, chosen[["low", "high"]])
    assert points.get_color() == "#E69F00"


def test_the_label_says_what_is_compared(results: pd.DataFrame) -> None:
    """The label names the strategy whose ratios are 1, or else the baseline."""

    def compared(rows: pd.DataFrame) -> str:
        label = sf.study.plot(rows).get_supxlabel()
        return label.split("\n")[0].removeprefix("mean squared error of the score, that of ")

    assert compared(results) == "stratified k-fold (SCV) = 1"
    assert compared(sf.study.summary(drawn_estimates(), "other")) == "other = 1"
    assert compared(results[results["strategy"] == "other"]) == "the baseline = 1"
    figure = sf.study.plot(sf.study.differences(drawn_estimates()))
    label = "mean squared error of the difference, that of stratified k-fold (SCV) = 1"
    assert figure.get_supxlabel() == f"{label}\nleft of the line: closer to the true difference"
    assert [line.get_label() for line in figure.axes[0].get_lines()[1:]] == ["a - b"]


@pytest.mark.parametrize(("n_letters", "ks"), [(10, [5]), (35, [2, 5, 10]), (100, [2, 5, 10])])
def test_long_names_leave_room_for_the_panels(n_letters: int, ks: list[int]) -> None:
    """However long the names, panels keep a third of the figure, and the legend is above them."""
    names = [("a strategy of the literature " * 4)[: n_letters - 1] + end for end in "abcd"]
    keys = pd.MultiIndex.from_product([names, names, ks], names=["strategy", "estimator", "k"])
    figure = sf.study.plot(keys.to_frame(index=False).assign(mse_ratio=1.1, low=1.0, high=1.2))
    figure.draw_without_rendering()
    panels = [ax.get_window_extent() for ax in figure.axes]
    assert sum(each.width for each in panels) >= figure.bbox.width / 3
    assert all(each.height >= figure.bbox.height / 3 for each in panels)
    legend = figure.legends[0].get_window_extent()
    assert all(figure.bbox.padded(1).contains(*end) for end in (legend.min, legend.max))
    assert legend.y0 >= max(ax.title.get_window_extent().y1 for ax in figure.axes) - 1


def test_polars_is_drawn_alike(results: pd.DataFrame) -> None:
    """A summary of Polars gives the same picture."""
    figures = [sf.study.plot(each) for each in (results, pl.DataFrame(results.to_dict("list")))]
    first, second = ([line.get_xdata() for line in each.axes[0].get_lines()] for each in figures)
    np.testing.assert_array_equal(first[1], second[1])


def test_rows_without_a_ratio_or_an_interval(results: pd.DataFrame) -> None:
    """Rows without a ratio are left out, and those without an interval have a point alone."""
    results.loc[results["strategy"] == "SCV", "mse_ratio"] = np.nan
    results[["low", "high"]] = np.nan
    figure = sf.study.plot(results[results["estimator"] == "a"])
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["other"]
    assert not figure.legends
    figure.draw_without_rendering()


@pytest.mark.parametrize(("least", "most"), [(0.7, 1.3), (0.5, 400), (0.02, 1), (1, 2e4)])
def test_ticks_span_the_ratios(results: pd.DataFrame, least: float, most: float) -> None:
    """However far the ratios reach, there are some ticks, on both sides of the middle."""
    results[["mse_ratio", "low", "high"]] = 1.0
    results.loc[0, ["mse_ratio", "low", "high"]] = [least, least, most]
    ax = sf.study.plot(results).axes[0]
    low, high = ax.get_xlim()
    ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
    assert 2 <= len(ticks) <= 6
    assert min(ticks) < np.sqrt(low * high) < max(ticks)
    assert np.any(np.isclose(ticks, 1))


def test_bad_results(results: pd.DataFrame) -> None:
    """A frame that is no summary, or has no ratio, is an error."""
    message = "`results` must have a positive ratio to draw, got none in 8 rows."
    refuse(message, lambda: sf.study.plot(results.assign(mse_ratio=np.nan)))
    rule = (
        "`results` names the column 'high', which the frame does not have."
        "\nHint: the columns are 'strategy', 'estimator', 'k', 'mse_ratio', 'low'."
    )
    refuse(rule, lambda: sf.study.plot(results.drop(columns=["high"])))


def test_without_matplotlib(results: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "stratframe\[plot\]"'):
        sf.study.plot(results)
