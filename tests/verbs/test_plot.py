"""Pictures: their text, their axes, and the pixels against stored images.

`python -m tests.verbs.test_plot` draws the stored images anew; look at each.
"""

import itertools
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.testing.compare import compare_images
from matplotlib.testing.decorators import remove_ticks_and_titles

import stratframe as sf
from stratframe.verbs.plot import COLOURS, style
from tests.helpers import Make, refuse_now, refuse_rule
from tests.messages import no_column, not_installed, one_of

mpl.use("Agg")


IMAGES = Path(__file__).parents[1] / "images"

TOLERANCE = 5.0
"""The root mean square difference of pixels that versions of matplotlib may make."""


def data() -> dict[str, list[Any]]:
    """Rows of few and of many strata, two features, and columns of folds good and bad."""
    drawn = np.random.default_rng(0)
    shares = drawn.dirichlet(np.full(50, 2))
    found: dict[str, list[Any]] = {
        "label": drawn.choice(["cat", "dog"], 600, p=[0.8, 0.2]).tolist(),
        "many": drawn.choice([f"class {i:02}" for i in range(50)], 600, p=shares).tolist(),
        "x": drawn.normal(size=600).round(4).tolist(),
        "colour": drawn.choice(["red", "green", "blue"], 600).tolist(),
        "plain": drawn.integers(5, size=600).tolist(),
    }
    found["sorted"] = (np.argsort(np.argsort(found["x"])) // 120).tolist()
    found["gaps"] = [None if row % 10 == 0 else fold for row, fold in enumerate(found["plain"])]
    return found


PICTURES: dict[str, tuple[Any, str, str]] = {
    "balance_few": ("label", "plain", "balance"),
    "balance_many": ("many", "plain", "balance"),
    "drift": (["x", "colour", "many"], "sorted", "drift"),
    "sizes": (None, "gaps", "sizes"),
}


def draw(frame: Any, picture: str, path: Path) -> None:
    """Draw a picture without its text, whose pixels hang on fonts, on axes of its own size."""
    by, name, kind = PICTURES[picture]
    figure = Figure(figsize=(5, 4), dpi=80)
    ax = figure.add_axes((0.1, 0.1, 0.6, 0.8))
    sf.plot(frame, by, name, kind, ax)
    if ax.get_legend():
        ax.get_legend().remove()
    for text in list(ax.texts):
        text.remove()
    for each in figure.axes:
        each.set(xlabel="", ylabel="")
    remove_ticks_and_titles(figure)
    figure.savefig(path)


@pytest.mark.parametrize("picture", PICTURES)
def test_pictures_are_those_that_were_looked_at(frame: Make, picture: str, tmp_path: Path) -> None:
    """On every kind of frame a picture has the pixels of the stored one."""
    path = tmp_path / f"{picture}.png"
    draw(frame(data()), picture, path)
    stored = tmp_path / "stored.png"
    stored.write_bytes((IMAGES / f"{picture}.png").read_bytes())
    assert compare_images(str(stored), str(path), tol=TOLERANCE) is None


def test_a_picture_of_other_data_differs(tmp_path: Path) -> None:
    """The comparison sees what a reader would: two folds swapped are another picture."""
    rows = data()
    rows["plain"] = [{0: 1, 1: 0}.get(fold, fold) for fold in rows["plain"]]
    path, stored = tmp_path / "other.png", tmp_path / "stored.png"
    draw(pd.DataFrame(rows), "balance_few", path)
    stored.write_bytes((IMAGES / "balance_few.png").read_bytes())
    assert compare_images(str(stored), str(path), tol=TOLERANCE / 10) is not None


def texts(ax: Axes) -> tuple[str, str, list[str]]:
    """The title, the label below, and the labels of the rows of axes."""
    return ax.get_title(), ax.get_xlabel(), [label.get_text() for label in ax.get_yticklabels()]


def test_balance_names_strata_and_folds(frame: Make) -> None:
    """The largest stratum comes first; the legend names the whole and every fold."""
    ax = sf.plot(frame(data()), "label", "plain", ax=Figure().subplots())
    assert texts(ax) == (
        "Share of each stratum by plain",
        "share of the fold's rows",
        ["cat", "dog"],
    )
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["whole", "0", "1", "2", "3", "4"]


def test_balance_draws_the_shares() -> None:
    """The points are the shares of the strata in every fold, the bars those in the whole."""
    rows = pd.DataFrame({"a": ["x", "y", "y", "y"], "fold": [0, 0, 1, 1]})
    ax = sf.plot(rows, "a", ax=Figure().subplots())
    points = [
        each.get_offsets()[:, 0].tolist()
        for each in ax.collections
        if isinstance(each, PathCollection)
    ]
    assert points == [[0.5, 0.5], [1.0, 0.0]]
    assert [segment[0, 0] for segment in ax.collections[0].get_segments()] == [0.75, 0.25]


def test_bins_are_in_their_order(frame: Make) -> None:
    """Bins go upwards, however large they are; margins are named by their entry."""
    by = sf.bins("x", [-9, 0.5, 1.0, 9])
    ax = sf.plot(frame(data()), by, "plain", ax=Figure().subplots())
    assert texts(ax)[2] == ["[-9, 0.5]", "(0.5, 1]", "(1, 9]"]
    ax = sf.plot(frame(data()), sf.margins(["label", "colour"]), "plain", ax=Figure().subplots())
    assert texts(ax)[2][:2] == ["label: cat", "label: dog"]


def test_drift_names_features_worst_first(frame: Make) -> None:
    """The rows of the map are the features, the worst first, with numbers where there is room."""
    ax = sf.plot(frame(data()), ["colour", "x"], "sorted", "drift", Figure().subplots())
    assert texts(ax) == ("Features by sorted, against the other rows", "sorted", ["x", "colour"])
    assert next(text.get_text() for text in ax.texts) == "1.00"
    assert ax.figure.axes[1].get_ylabel() == "KS statistic, of classes total variation"


def test_drift_of_many_features_has_no_numbers() -> None:
    """A map of many cells is left without numbers."""
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 20))).add_prefix("x")
    rows["fold"] = np.arange(40) % 4
    ax = sf.plot(rows, [f"x{place}" for place in range(20)], kind="drift", ax=Figure().subplots())
    assert not ax.texts
    assert len(ax.get_yticklabels()) == 20


def test_sizes_count_the_rows_of_folds(frame: Make) -> None:
    """Bars have the sizes of the folds; rows without a fold have a bar of their own."""
    rows = data()
    ax = sf.plot(frame(rows), None, "gaps", "sizes", Figure().subplots())
    sizes = pd.Series(rows["gaps"]).value_counts().sort_index().tolist()
    assert [bar.get_height() for bar in ax.patches] == [*sizes, 60]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1", "2", "3", "4", "none"]
    assert ax.get_ylabel() == "rows"


def test_a_new_figure_is_as_high_as_it_must_be() -> None:
    """Without axes a figure is made, higher for more strata, whose labels do not overlap."""
    from matplotlib import pyplot

    frame = pd.DataFrame(data())
    few, many = (sf.plot(frame, by, "plain") for by in ("label", "many"))
    assert isinstance(few, Axes)
    assert many.figure.get_figheight() > 2 * few.figure.get_figheight()
    many.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in many.get_yticklabels()]
    assert all(upper.y0 >= lower.y1 - 1 for upper, lower in itertools.pairwise(boxes))
    pyplot.close("all")


@pytest.mark.parametrize("n_folds", [2, 8, 20])
def test_folds_have_styles_of_their_own(n_folds: int) -> None:
    """No two folds look the same; up to eight have the colours of Okabe and Ito."""
    styles = [style(fold, n_folds) for fold in range(n_folds)]
    assert len(set(styles)) == n_folds
    if n_folds <= 8:
        assert [colour for colour, _ in styles] == list(COLOURS[:n_folds])


def test_bad_input(frame: Make, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong is said word for word."""
    rows = frame(data())
    message = one_of("kind", ["balance", "drift", "sizes"], "pie")
    refuse_now(message, lambda: sf.plot(rows, "label", "plain", "pie"), kind)
    nothing = frame({"a": [1, 2], "fold": [None, None]})
    message = "Column 'fold' must hold folds to be drawn, but has none."
    refuse_now(message, lambda: sf.plot(nothing, "a"), kind)
    message = no_column("name", "plan", "plain")
    refuse_now(message, lambda: sf.plot(rows, None, "plan", "sizes"), kind)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError) as caught:
        sf.plot(rows, "label", "plain")
    assert str(caught.value) == not_installed("matplotlib", "plot")


def test_names_are_plain_text() -> None:
    """Names with dollars, underscores or many letters are written as text, in the legend too."""
    frame = pd.DataFrame(
        {"$a_b$": ["$x^$", "$x^$", "y" * 99, "z"], "fold": ["_tr", "te$^$", "_tr", "te$^$"]}
    )
    ax = sf.plot(frame, "$a_b$", ax=Figure().subplots())
    ax.figure.canvas.draw()
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["whole", "\u2009_tr", r"te\$^\$"]
    assert max(len(label.get_text()) for label in ax.get_yticklabels()) == 40
    for kind in ("sizes", "drift"):
        ax = sf.plot(frame, "$a_b$", "fold", kind, Figure().subplots())
        ax.figure.canvas.draw()


def test_pictures_have_bounds() -> None:
    """More strata, features or folds than a picture can show are an error."""
    frame = pd.DataFrame({"a": range(600), "fold": [0, 1] * 300})
    rule = "`plot` draws at most 500 {}, got 600."
    refuse_rule(rule.format("strata"), lambda: sf.plot(frame, "a"))
    refuse_rule(rule.format("folds"), lambda: sf.plot(frame, "fold", "a"))
    message = "`ax` must be a matplotlib Axes, got Figure."
    refuse_now(message, lambda: sf.plot(frame, "fold", "fold", ax=Figure()))


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for each in PICTURES:
        draw(pd.DataFrame(data()), each, IMAGES / f"{each}.png")
