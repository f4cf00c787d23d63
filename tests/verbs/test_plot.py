"""Pictures: their text, their axes, and the pixels against stored images.

`python -m tests.verbs.test_plot` draws the stored images anew; look at each.
"""

import itertools
import sys
from pathlib import Path
from typing import Any, get_args

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle, StepPatch
from matplotlib.testing.compare import compare_images
from matplotlib.testing.decorators import remove_ticks_and_titles

import stratframe as sf
from stratframe.core.evenness import promised_deviation, random_variance
from stratframe.verbs.draw import BAD, BAD_TEXT, COLOURS, GOOD_TEXT, RANDOM_TEXT
from stratframe.verbs.draw_strips import (
    CHANCE_BAND,
    FEATURES,
    PROMISE_BAND,
    STRATA,
    styles,
)
from stratframe.verbs.plot import Kind
from tests.helpers import Make, columns_of, refuse_now, refuse_rule

mpl.use("Agg")


IMAGES = Path(__file__).parents[1] / "images"

TOLERANCE = 5.0
"""The root mean square difference of pixels that versions of matplotlib may make."""


def in_order(drawn: Any) -> list[str]:
    """Rename classes so that they appear in the order of their names."""
    names = dict(zip(dict.fromkeys(drawn.tolist()), sorted(set(drawn.tolist())), strict=True))
    return [names[each] for each in drawn.tolist()]


def data() -> dict[str, list[Any]]:
    """Rows of few and of many strata, two features, and columns of folds good and bad."""
    drawn = np.random.default_rng(0)
    shares = drawn.dirichlet(np.full(50, 2))
    found: dict[str, list[Any]] = {
        "label": drawn.choice(["cat", "dog"], 600, p=[0.8, 0.2]).tolist(),
        "many": in_order(drawn.choice([f"class {i:02}" for i in range(50)], 600, p=shares)),
        "x": drawn.normal(size=600).round(4).tolist(),
        "colour": in_order(drawn.choice(["red", "green", "blue"], 600)),
        "plain": drawn.integers(5, size=600).tolist(),
    }
    found["sorted"] = (np.argsort(np.argsort(found["x"])) // 120).tolist()
    found["twelve"] = drawn.integers(12, size=600).tolist()
    found["user"] = [f"user {number}" for number in np.argsort(found["x"]) // 25]
    found["whole"] = (np.argsort(found["x"]) // 25 % 5).tolist()
    found["gaps"] = [None if row % 10 == 0 else fold for row, fold in enumerate(found["plain"])]
    return found


PICTURES: dict[str, tuple[Any, Any, str]] = {
    "balance_few": ("label", "plain", "balance"),
    "balance_many": ("many", "plain", "balance"),
    "balance_strip": ("colour", "twelve", "balance"),
    "balance_several": (["label", "colour"], ["plain", "sorted", "twelve"], "balance"),
    "shares": ("label", "plain", "shares"),
    "shares_many": ("many", ["plain", "sorted"], "shares"),
    "shares_margins": (sf.margins(["label", "colour"]), "sorted", "shares"),
    "shares_bins": (sf.bins("x", [-9, -1, 0, 1, 9]), "sorted", "shares"),
    "drift": (["x", "colour", "many"], "sorted", "drift"),
    "leaks": ("user", "plain", "leaks"),
    "leaks_none": ("user", "whole", "leaks"),
    "leaks_several": ("user", ["plain", "whole"], "leaks"),
    "sizes": (None, "gaps", "sizes"),
    "sizes_several": (None, ["plain", "gaps"], "sizes"),
}


def draw(frame: Any, picture: str, path: Path) -> None:
    """Draw a picture without its text, whose pixels hang on fonts, on axes of its own size."""
    by, name, kind = PICTURES[picture]
    figure = Figure(figsize=(5, 4), dpi=80)
    ax = figure.add_axes((0.1, 0.1, 0.6, 0.8))
    if kind == "leaks":
        sf.plot(frame, None, name, kind, ax, groups=by)
    else:
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


def points(ax: Axes) -> dict[str, list[list[float]]]:
    """The points that each entry of the legend names: their values, row by row."""
    n_rows = len([label for label in texts(ax)[2] if not label.endswith(" more")])
    return {
        str(each.get_label()): each.get_offsets()[:, 0].reshape(n_rows, -1).round(9).tolist()
        for each in ax.collections
        if isinstance(each, PathCollection) and not str(each.get_label()).startswith("_")
    }


def crosses(ax: Axes) -> list[list[float]]:
    """The places of the red crosses."""
    return [
        place
        for each in ax.collections
        if isinstance(each, PathCollection) and (each.get_facecolor()[:1] == to_rgba(BAD)).all()
        for place in each.get_offsets().tolist()
    ]


def bands(ax: Axes, look: dict[str, Any]) -> list[list[float]]:
    """The upper limits of the bands of a kind, row by row, from strip to strip."""
    rgb = to_rgba(look["facecolor"])
    found = [each for each in ax.patches if isinstance(each, StepPatch)]
    return [each.get_data().values.tolist() for each in found if each.get_facecolor() == rgb]


def legend(ax: Axes) -> list[str]:
    """The texts of the legend."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


def new(width: float = 7, height: float = 5, layout: str | None = "constrained") -> Axes:
    """Axes of a figure that is not kept."""
    ax: Axes = Figure(figsize=(width, height), layout=layout).subplots()
    return ax


# Balance --------------------------------------------------------------------------------


def test_balance_names_strata_and_folds(frame: Make) -> None:
    """The labels name the entry, the legend the folds; texts inside the axes name the bands."""
    ax = sf.plot(frame(data()), "label", "plain", ax=new())
    title = "plain: no better than random, up to 10 rows off"
    assert texts(ax) == (title, "rows too few or too many", ["cat", "dog"])
    assert ax.get_ylabel() == "label"
    assert legend(ax) == ["0", "1", "2", "3", "4"]
    headers = ["no better than random", "within one row of its share"]
    assert [text.get_text() for text in ax.texts] == headers


def test_balance_draws_what_report_tells(frame: Make) -> None:
    """Points are rows minus those expected; bands, the promise and three standard deviations."""
    rows = {"a": ["x", "x", "x", "y", "y", "z"] * 4, "fold": [0, 1, 1] * 8}
    ax = sf.plot(frame(rows), "a", ax=new())
    found = points(ax)
    counts = pd.crosstab(rows["a"], rows["fold"])
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / 24
    off = (counts - expected).loc[texts(ax)[2]].round(9)
    assert found == {str(fold): off[[fold]].to_numpy().tolist() for fold in (0, 1)}
    assert abs(off).max(axis=1).is_monotonic_decreasing
    sizes = counts.sum(axis=1).loc[texts(ax)[2]].to_numpy()
    np.testing.assert_allclose(np.ravel(bands(ax, PROMISE_BAND)), promised_deviation(sizes))
    chance = 3 * np.sqrt(random_variance(sizes, counts.sum(axis=0).to_numpy()))
    np.testing.assert_allclose(bands(ax, CHANCE_BAND), chance)


def test_rows_without_a_fold_are_expected_too() -> None:
    """As in `report`, a fold is compared with all rows, also those that have no fold."""
    rows = pd.DataFrame({"label": list("aabaabbb"), "fold": [0, 0, 0, 1, 1, 1, None, None]})
    ax = sf.plot(rows, "label", ax=new())
    assert points(ax) == {"0": [[0.5], [-0.5]], "1": [[0.5], [-0.5]]}


@given(
    label=st.lists(st.sampled_from("abcde"), min_size=4, max_size=60),
    k=st.integers(2, 7),
    seed=st.integers(0, 99),
    as_parts=st.booleans(),
)
def test_what_kfold_makes_is_inside_the_promise(
    label: list[str], k: int, seed: int, as_parts: bool
) -> None:
    """No point of `kfold` or of `split` ever leaves the inner band, whatever the sizes."""
    rows, k = pd.DataFrame({"label": label}), min(k, len(label))
    if as_parts:
        sizes = {"train": 0.6, "valid": 0.3, "test": 0.1}
        rows = rows.strat.split("label", sizes, seed=seed, rare="ignore", name="fold")
    else:
        rows = rows.strat.kfold("label", k=k, seed=seed, rare="ignore")
    ax = sf.plot(rows, "label", ax=new())
    worst = np.abs([row for strip in points(ax).values() for row in [strip]]).max(axis=(0, 2))
    assert (worst <= np.ravel(bands(ax, PROMISE_BAND)) + 1e-9).all()
    assert not crosses(ax)
    assert ax.title.get_color() == GOOD_TEXT
    assert "even, " in ax.get_title()


@pytest.mark.parametrize(
    ("name", "words", "colour"),
    [
        ("even", "even, at most 1 row off", GOOD_TEXT),
        ("plain", "no better than random, up to 10 rows off", RANDOM_TEXT),
        ("biased", "SKEWED, up to 96 rows off", BAD_TEXT),
    ],
)
@pytest.mark.parametrize("kind_of_plot", ["balance", "shares"])
def test_the_title_is_the_verdict(name: str, words: str, colour: str, kind_of_plot: Any) -> None:
    """The title says in words, and in its colour, whether a column is good, random or bad."""
    rows = pd.DataFrame(data()).strat.kfold("label", name="even")
    rows = rows.sort_values("label").assign(biased=np.arange(600) // 120)
    ax = sf.plot(rows, "label", name, kind_of_plot, new())
    assert (ax.get_title(), ax.title.get_color()) == (f"{name}: {words}", colour)


def test_what_is_worse_than_random_is_crossed_out() -> None:
    """Points beyond chance and the promise are red crosses; a skewed column has some."""
    rows = pd.DataFrame(data()).sort_values("label").assign(biased=np.arange(600) // 120)
    ax = sf.plot(rows, "label", "biased", ax=new())
    limits = np.maximum(bands(ax, CHANCE_BAND), bands(ax, PROMISE_BAND))
    values = np.hstack(list(points(ax).values()))
    expected = values[np.abs(values) > limits]
    assert sorted(x for x, _ in crosses(ax)) == pytest.approx(sorted(expected))
    assert len(expected)
    assert legend(ax)[-1] == "worse than random"
    assert not crosses(sf.plot(rows, "label", "plain", ax=new()))


def test_deviations_have_a_linear_scale() -> None:
    """However large they are, deviations are as long as they are many rows."""
    rows = pd.DataFrame({"a": ["often"] * 99_000 + ["seldom"] * 1000, "fold": range(100_000)})
    rows["fold"] //= 20_000
    ax = sf.plot(rows, "a", ax=new())
    assert ax.get_xscale() == "linear"
    left, right = ax.get_xlim()
    assert left == -right


def test_many_strata_are_cut_off_with_a_line() -> None:
    """At most 40 strata are drawn, the worst; a line says how many are not, and how far off."""
    rows = pd.DataFrame({"a": np.arange(600) // 2, "fold": 0})
    rows.loc[1::2, "fold"] = 1
    rows.loc[590:, "fold"] = 0
    ax = sf.plot(rows, "a", ax=new(7, 12))
    names = texts(ax)[2]
    assert names[:5] == ["295", "296", "297", "298", "299"]
    assert names[-1] == "260 more"
    assert len(names) == STRATA + 1
    assert ax.texts[0].get_text() == "not shown, off by 0.017 rows or less"


def test_small_axes_show_fewer_strata() -> None:
    """In print size only as many strata are drawn as have room for their names."""
    rows = pd.DataFrame(data())
    ax = sf.plot(rows, "many", "plain", ax=new(3.5, 2.5))
    ax.figure.draw_without_rendering()
    names = texts(ax)[2]
    assert 8 < len(names) < 25
    assert names[-1] == f"{51 - len(names)} more"
    check_rows_are_apart(ax)


def check_rows_are_apart(ax: Axes) -> None:
    """Check that the labels of rows overlap by no more than a pixel."""
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(upper.y0 >= lower.y1 - 1 for upper, lower in itertools.pairwise(boxes))


def test_folds_of_other_sizes_have_other_bands() -> None:
    """The chance of a part of a split is that of its size."""
    rows = pd.DataFrame({"a": ["x", "y"] * 50}).strat.split("a", {"train": 0.9, "test": 0.1})
    ax = sf.plot(rows, "a", "split", ax=new())
    assert list(points(ax)) == ["train", "test"]
    train, test = bands(ax, CHANCE_BAND)[0]
    assert train == test
    rows = pd.DataFrame({"a": ["x", "y"] * 50, "fold": [0] * 60 + [1] * 30 + [2] * 10})
    first, second, third = bands(sf.plot(rows, "a", ax=new()), CHANCE_BAND)[0]
    assert first > second > third


def test_many_folds_share_a_strip(frame: Make) -> None:
    """Above ten folds a line with neutral points runs from the least to the largest."""
    ax = sf.plot(frame(data()), "label", "twelve", ax=new())
    assert legend(ax) == ["12 folds"]
    (values,) = points(ax).values()
    assert np.shape(values) == (2, 12)
    (lines,) = [each for each in ax.collections if isinstance(each, LineCollection)]
    ends = [segment[:, 0] for segment in lines.get_segments()]
    np.testing.assert_allclose(ends, [[min(row), max(row)] for row in values])


def test_several_columns_have_a_strip_each(frame: Make) -> None:
    """Of several columns, each has a colour, and its points are those of all its folds."""
    rows = frame(data())
    both = sf.plot(rows, "label", ["plain", "twelve"], ax=new())
    assert legend(both) == ["plain", "twelve"]
    lines = [sf.plot(rows, "label", each, ax=new()).get_title() for each in ("plain", "twelve")]
    assert both.get_title() == "\n".join(lines)
    for name in ("plain", "twelve"):
        alone = points(sf.plot(rows, "label", name, ax=new())).values()
        assert sorted(points(both)[name]) == sorted(np.hstack(list(alone)).tolist())
    several = sf.plot(rows, ["x", "colour"], ["plain", "sorted"], "drift", new())
    assert legend(several) == ["plain", "sorted", "worse than random"]
    assert [np.shape(each) for each in points(several).values()] == [(2, 5), (2, 5)]


def test_many_columns_share_a_strip() -> None:
    """Above ten columns all folds share one strip, named by the first and the last."""
    rows = pd.DataFrame({"a": ["x", "y"] * 20}).strat.kfold("a", k=4, repeats=11)
    names = [f"fold_{place}" for place in range(1, 12)]
    ax = sf.plot(rows, "a", names, ax=new())
    assert legend(ax) == ["44 folds"]
    assert ax.get_title() == "fold_1, \u2026, fold_11: exactly even, no row off"


@pytest.mark.parametrize(
    ("by", "names", "label"),
    [
        (sf.bins("x", [-9, 0.5, 1.0, 9]), {"(0.5, 1]", "(1, 9]", "[-9, 0.5]"}, "x"),
        (["label", "colour"], {"(cat, red)", "(dog, blue)"}, "label, colour"),
        (sf.margins(["label", "colour"]), {"label: cat", "label: dog", "colour: red"}, ""),
    ],
    ids=["bins", "nested", "margins"],  # those of sets differ from run to run
)
def test_strata_are_named(frame: Make, by: Any, names: set[str], label: str) -> None:
    """Bins, joint strata and values of margins are rows; margins are named by their entry."""
    ax = sf.plot(frame(data()), by, "plain", ax=new())
    assert names <= set(texts(ax)[2])
    assert ax.get_ylabel() == label


def test_continuous_entries_are_drawn_in_bins(frame: Make) -> None:
    """A continuous entry has ten rows."""
    ax = sf.plot(frame(data()), sf.continuous("x"), "sorted", ax=new())
    assert len(texts(ax)[2]) == 10


# Drift ----------------------------------------------------------------------------------


def test_drift_names_features_worst_first(frame: Make) -> None:
    """Rows are features, the furthest above chance first, with the largest distance as number."""
    ax = sf.plot(frame(data()), ["colour", "x"], "sorted", "drift", new())
    title = "sorted: DRIFTS, up to 7.2 times chance"
    assert texts(ax) == (title, "KS or TV distance", ["x", "colour"])
    assert [ax.texts[place].get_text() for place in (0, -1)] == ["1.00", " random folds"]
    assert legend(ax) == ["0", "1", "2", "3", "4", "worse than random"]


def test_drift_draws_the_measures_of_drift(frame: Make) -> None:
    """Points are the KS statistics of numbers and the TV distances of classes; bands, chance."""
    rows, features = frame(data()), ["colour", "x"]
    ax = sf.plot(rows, features, "plain", "drift", new())
    table = pd.DataFrame(columns_of(sf.drift(rows, features, "plain", full=True))).sort_values(
        "plain"
    )
    main = table["ks"].astype(float).fillna(table["tv"].astype(float))
    for place, feature in enumerate(texts(ax)[2]):
        is_own = table["feature"] == feature
        np.testing.assert_allclose([row[place][0] for row in points(ax).values()], main[is_own])
        np.testing.assert_allclose(bands(ax, CHANCE_BAND)[place], table["chance"][is_own])


@pytest.mark.parametrize(("n_features", "n_numbers"), [(20, 20), (21, 0)])
def test_numbers_are_written_of_up_to_twenty_features(n_features: int, n_numbers: int) -> None:
    """Numbers are written for up to 20 features."""
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(40, n_features))).add_prefix("x")
    ax = sf.plot(rows.assign(fold=np.arange(40) % 4), list(rows), kind="drift", ax=new(7, 8))
    assert (len(ax.texts) - 1, len(ax.get_yticklabels())) == (n_numbers, n_features)


def test_many_features_are_cut_off_with_a_line() -> None:
    """At most 64 features are drawn; a line says how many are not, and how far off they are."""
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 70))).add_prefix("x")
    features = list(rows)
    rows["fold"] = np.arange(40) % 4
    ax = sf.plot(rows, features, kind="drift")
    assert texts(ax)[2][-1] == "6 more"
    assert len(ax.get_yticklabels()) == FEATURES + 1
    assert ax.texts[0].get_text().endswith("times chance or less")
    assert ax.figure.get_figheight() <= 12
    ax.figure.draw_without_rendering()
    check_rows_are_apart(ax)


def test_features_without_a_measure_are_drawn_empty() -> None:
    """A feature that is missing in all rows has a row, but neither points nor a number."""
    rows = pd.DataFrame({"x": [np.nan] * 8, "y": range(8), "c": ["one"] * 8, "fold": [0, 1] * 4})
    ax = sf.plot(rows, ["x", "y", "c"], kind="drift", ax=new())
    assert texts(ax)[2] == ["y", "x", "c"]
    assert [text.get_text() for text in ax.texts] == ["0.25", "0.00", " random folds"]
    ax.figure.draw_without_rendering()


# Shares ---------------------------------------------------------------------------------


def heights(ax: Axes) -> list[list[float]]:
    """The heights of the bars, class by class."""
    return [[bar.get_height() for bar in each] for each in ax.containers]


def test_shares_are_those_of_the_folds(frame: Make) -> None:
    """A bar for each fold is divided by its shares; lines and names are at those of all rows."""
    rows = pd.DataFrame(data())
    ax = sf.plot(frame(data()), "label", "plain", "shares", new())
    shares = pd.crosstab(rows["label"], rows["plain"], normalize="columns")
    np.testing.assert_allclose(heights(ax), shares)
    whole = rows["label"].value_counts(normalize=True)
    (lines,) = [each for each in ax.collections if isinstance(each, LineCollection)]
    assert [each[0][1] for each in lines.get_segments()] == pytest.approx([whole["cat"]])
    assert texts(ax)[2] == [f"{each} ({100 * whole[each]:.0f} %)" for each in ("cat", "dog")]
    assert ax.get_yticks() == pytest.approx([whole["cat"] / 2, (1 + whole["cat"]) / 2])
    assert [each.get_text() for each in ax.get_xticklabels()] == list("01234")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("plain (dotted: all rows)", "label")


def test_shares_of_all_rows_have_those_without_a_fold() -> None:
    """Rows without a fold count in the whole, and folds without rows have no bar."""
    rows = pd.DataFrame({"a": list("xxyy"), "fold": pd.Categorical([0, 0, None, 0], [0, 1])})
    ax = sf.plot(rows, "a", kind="shares", ax=new())
    assert heights(ax) == [pytest.approx([2 / 3, 0]), pytest.approx([1 / 3, 0])]
    assert texts(ax)[2] == ["x (50 %)", "y (50 %)"]


def test_shares_of_several_columns_are_side_by_side(frame: Make) -> None:
    """Each column has a set of bars under its name, and the title a line for each verdict."""
    ax = sf.plot(frame(data()), "label", ["plain", "sorted"], "shares", new())
    assert np.shape(heights(ax)) == (4, 5)
    places = sorted({bar.get_x() for bar in ax.patches})
    assert np.diff(places).round(9).tolist() == [1] * 4 + [1.8] + [1] * 4
    assert [text.get_text() for text in ax.texts] == ["plain", "sorted"]
    assert len(ax.get_title().split("\n")) == 2


def test_many_classes_are_pooled() -> None:
    """Of fifty classes the six largest have a colour of their own, the others one grey."""
    rows = pd.DataFrame(data())
    ax = sf.plot(rows, "many", "plain", "shares", new())
    largest = rows["many"].value_counts().index[:6]
    names = texts(ax)[2]
    assert {name.split(" (")[0] for name in names[:-1]} == set(largest)
    assert names[-1].startswith("44 others (")
    np.testing.assert_allclose(np.sum(heights(ax), axis=0), 1)
    colours = {bars[0].get_facecolor() for bars in ax.containers}
    assert len(colours) == 7


def test_rare_classes_have_names_that_do_not_overlap() -> None:
    """Names of classes with small shares are moved apart."""
    rows = pd.DataFrame({"a": [*"zyxw", *["often"] * 996], "fold": np.arange(1000) % 4})
    ax = sf.plot(rows, "a", kind="shares", ax=new())
    ax.figure.draw_without_rendering()
    assert texts(ax)[2] == ["often (100 %)", *(f"{each} (0.1 %)" for each in "wxyz")]
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(lower.y1 <= upper.y0 + 1 for lower, upper in itertools.pairwise(boxes))


def test_margins_have_bars_of_their_own() -> None:
    """The bars of each entry are below those of the one before, and fill their own height."""
    ax = sf.plot(pd.DataFrame(data()), sf.margins(["label", "colour"]), "plain", "shares", new())
    assert np.shape(heights(ax)) == (2 + 3, 5)
    floors = [bars[0].get_y() for bars in ax.containers]
    assert floors[0] == pytest.approx(1.25)
    assert floors[2] == 0
    names = [text.split(" (")[0] for text in texts(ax)[2]]
    assert names == ["colour: blue", "colour: green", "colour: red", "label: cat", "label: dog"]


def test_margins_without_room_are_counted() -> None:
    """In small axes the last entries are left out, and the label says how many."""
    tags = [f"tag {place}" for place in range(12)]
    rows = pd.DataFrame(dict.fromkeys(tags, [0, 1] * 10)).assign(fold=[0, 0, 1, 1] * 5)
    ax = sf.plot(rows, sf.margins(tags), kind="shares", ax=new(3, 3))
    n_drawn = len(ax.containers) // 2
    assert 1 < n_drawn < 12
    assert ax.get_ylabel() == f"{12 - n_drawn} more entries"


def test_shares_of_numbers_are_those_of_bins() -> None:
    """A continuous entry is cut into ten bins, which keep their order and are not pooled."""
    ax = sf.plot(pd.DataFrame(data()), "x", "sorted", "shares", new())
    assert len(ax.containers) == 10
    assert [name.split(" (")[-1] for name in texts(ax)[2]] == ["10 %)"] * 10


# Leaks ----------------------------------------------------------------------------------


def dots(ax: Axes) -> list[list[float]]:
    """The places of the points of groups that are in one fold."""
    return [
        place
        for each in ax.collections
        if isinstance(each, PathCollection) and (each.get_facecolor()[:1] != to_rgba(BAD)).any()
        for place in each.get_offsets().tolist()
    ]


VISITS = {
    "patient": ["ann", "bob", "ann", "cy", "bob", "dora", "ann", "cy"],
    "fold": [0, 0, 1, 1, 2, 2, 2, 1],
    "whole": [0, 1, 0, 2, 1, 0, 0, 2],
}


def test_leaks_are_the_groups_in_several_folds(frame: Make) -> None:
    """Groups in the most folds are on top, with a red cross in each; others have a dot."""
    ax = sf.plot(frame(VISITS), kind="leaks", groups="patient", ax=new())
    assert texts(ax) == ("2 of 4 patients leak", "fold", ["ann", "bob", "cy", "dora"])
    assert ax.title.get_color() == BAD_TEXT
    assert sorted(crosses(ax)) == [[0, 0], [0, 1], [1, 0], [2, 0], [2, 1]]
    assert sorted(dots(ax)) == [[1, 2], [2, 3]]
    assert ax.get_ylabel() == "patient"
    assert [each.get_text() for each in ax.get_xticklabels()] == ["0", "1", "2"]


def test_folds_without_leaks_say_so(frame: Make) -> None:
    """Without leaks the first groups are drawn, each in its fold."""
    ax = sf.plot(frame(VISITS), name="whole", kind="leaks", groups="patient", ax=new())
    assert texts(ax)[::2] == ("none of 4 patients is in two folds", ["ann", "bob", "cy", "dora"])
    assert ax.title.get_color() == GOOD_TEXT
    assert not crosses(ax)
    assert sorted(dots(ax)) == [[0, 0], [0, 3], [1, 1], [2, 2]]


def test_leaks_of_several_columns_share_their_rows(frame: Make) -> None:
    """A group has one row for all columns, in which it may leak or not."""
    ax = sf.plot(frame(VISITS), None, ["fold", "whole"], "leaks", new(), groups="patient")
    title = "fold: 2 of 4 patients leak\nwhole: none of 4 patients is in two folds"
    assert texts(ax) == (title, "fold, whole", ["ann", "bob", "cy", "dora"])
    assert {x for x, _ in crosses(ax)} == {0, 1, 2}
    assert {round(x, 9) for x, _ in dots(ax)} == {1, 2, 3.8, 4.8, 5.8}
    assert [text.get_text() for text in ax.texts] == ["fold", "whole"]


def test_rows_without_a_fold_leak_too() -> None:
    """As in `audit`, rows without a fold train all folds: they have a column of their own."""
    rows = {"user": ["a", "a", "b", None, None], "fold": [0, None, 1, 0, 1]}
    ax = sf.plot(pd.DataFrame(rows), kind="leaks", groups="user", ax=new())
    assert texts(ax)[::2] == ("1 of 4 users leaks", ["a", "b", "2 more"])
    assert [each.get_text() for each in ax.get_xticklabels()] == ["0", "1", "none"]
    assert sorted(crosses(ax)) == [[0, 0], [2, 0]]


def test_keys_and_equal_rows_leak(frame: Make) -> None:
    """Keys are drawn as groups are; equal rows are named by their positions."""
    rows = frame(VISITS)
    ax = sf.plot(rows, kind="leaks", key="patient", ax=new())
    assert texts(ax)[::2] == ("2 of 4 patients leak", ["ann", "bob", "cy", "dora"])
    ax = sf.plot(rows, kind="leaks", key=["patient", "whole"], ax=new())
    assert texts(ax)[0] == "2 of 4 keys leak"
    ax = sf.plot(rows, kind="leaks", columns="patient", ax=new())
    assert texts(ax)[0] == "5 rows equal a row of another fold"
    assert texts(ax)[2] == ["rows 0, 2, ...", "rows 1, 4"]
    ax = sf.plot(rows, name="whole", kind="leaks", columns="patient", ax=new())
    assert texts(ax)[::2] == ("no row equals a row of another fold", [])
    assert [text.get_text() for text in ax.texts] == ["nothing leaks"]


def test_rows_that_cannot_be_compared() -> None:
    """Where an id hides equal rows, or values are few, the title says so; no column is an error."""
    rows = pd.DataFrame({"id": range(6), "x": [1.5, 2.5] * 3, "label": list("ab") * 3})
    rows["fold"] = [0, 0, 1] * 2
    ax = sf.plot(rows, kind="leaks", ax=new())
    assert (ax.get_title(), len(ax.texts)) == ("cannot tell, hidden by ids: 'id'", 0)
    ax = sf.plot(rows[["label", "fold"]], kind="leaks", ax=new())
    assert ax.get_title().startswith("cannot tell, too few values")
    assert ax.title.get_color() == RANDOM_TEXT
    message = (
        '`kind="leaks"` must have columns to compare, got none.'
        '\nHint: name groups, as in `groups="patient"`.'
    )
    refuse_now(message, lambda: sf.plot(rows[["fold"]], kind="leaks"))
    refuse_now(message, lambda: sf.plot(rows, kind="leaks", columns=[]))


def test_clusters_are_groups() -> None:
    """Groups may be clusters of features, as in `audit`."""
    rows = pd.DataFrame({"x": [0.0, 0.1, 9.0, 9.1], "fold": [0, 1, 0, 0]})
    ax = sf.plot(rows, kind="leaks", groups=sf.clusters("x", 2), ax=new())
    assert ax.get_title() == "1 of 2 groups leaks"


def test_leaks_are_those_of_audit() -> None:
    """The title counts what `audit` counts."""
    rows = pd.DataFrame(data())
    table = rows.strat.audit("plain", groups="user")
    n = table.loc[table["check"] == "split_groups", "n"].item()
    ax = sf.plot(rows, name="plain", kind="leaks", groups="user", ax=new(7, 12))
    assert ax.get_title() == f"{n} of 24 users leak"
    assert len(texts(ax)[2]) == 24


def test_many_leaks_are_cut_off_with_a_line() -> None:
    """At most 40 groups are drawn, the worst; a line says how many others leak."""
    rows = pd.DataFrame({"user": np.arange(200) // 4, "fold": np.arange(200) % 2})
    rows.loc[rows["user"] == 33, "fold"] = [0, 1, 2, 3]
    ax = sf.plot(rows, kind="leaks", groups="user", ax=new(7, 12))
    names = texts(ax)[2]
    assert names[0] == "33"
    assert names[-1] == "10 more"
    assert len(names) == 41
    assert ax.texts[0].get_text() == "not shown, in several folds too"
    rows["fold"] = rows["user"] % 2
    ax = sf.plot(rows, kind="leaks", groups="user", ax=new(7, 12))
    assert texts(ax)[2][-1] == "30 more"
    assert ax.texts[0].get_text() == "not shown, each in one fold"


# Sizes ----------------------------------------------------------------------------------


def bars(ax: Axes) -> list[float]:
    """The heights of the bars of axes."""
    return [bar.get_height() for bar in ax.patches if isinstance(bar, Rectangle)]


def test_sizes_count_the_rows_of_folds(frame: Make) -> None:
    """Bars have the sizes of the folds; rows without a fold have a bar; `by` is not needed."""
    rows = data()
    ax = sf.plot(frame(rows), name="gaps", kind="sizes", ax=new())
    sizes = pd.Series(rows["gaps"]).value_counts().sort_index().tolist()
    assert bars(ax) == [*sizes, 60]
    assert [text.get_text() for text in ax.texts] == [str(size) for size in [*sizes, 60]]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1", "2", "3", "4", "none"]
    assert ax.get_title() == f"gaps: {min(sizes)} to {max(sizes)} rows"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("gaps (dotted: 108 rows each)", "rows")
    assert [line.get_ydata()[0] for line in ax.get_lines()] == [108]


@pytest.mark.parametrize(
    ("folds", "words", "line"),
    [
        ([0, 1, 2] * 4, "4 rows each", 4),
        ([1, 2, 3, 1] * 2, "2 to 4 rows", 8 / 3),
        ([0, 1, 2, 0], "1 to 2 rows", 4 / 3),
        (["train", "train", "test", "train"], "train 75 %, test 25 %", None),
        ([2019, 2020, 2020, 2020], "2019 25 %, 2020 75 %", None),
    ],
    ids=["equal", "unequal", "rounded", "parts", "years"],
)
def test_sizes_are_described(folds: list[Any], words: str, line: float | None) -> None:
    """Numbered folds have a line at their equal size; parts, which may differ, have shares.

    The title has the colour of text, as sizes alone do not say whether folds are good.
    """
    ax = sf.plot(pd.DataFrame({"fold": folds}), kind="sizes", ax=new())
    assert (ax.get_title(), ax.title.get_color()) == (f"fold: {words}", "black")
    found = [each.get_ydata()[0] for each in ax.get_lines()]
    assert found == ([] if line is None else [pytest.approx(line)])


def test_titles_without_a_verdict_follow_the_style() -> None:
    """A title that is neither good nor bad has the colour of text, as on a dark background."""
    with mpl.style.context("dark_background"):
        ax = sf.plot(pd.DataFrame({"fold": list("aab")}), kind="sizes", ax=new())
    assert ax.title.get_color() == "white"


def test_sizes_of_several_columns_are_grouped(frame: Make) -> None:
    """The bars of a fold stand side by side, without gaps or overlap, one for each column."""
    rows = data()
    ax = sf.plot(frame(rows), None, ["plain", "gaps", "twelve"], "sizes", new())
    assert legend(ax) == ["plain", "gaps", "twelve"]
    assert len(bars(ax)) == 5 + 6 + 12
    boxes = sorted(bar.get_bbox().intervalx.tolist() for bar in ax.patches)
    assert all(left[1] <= right[0] + 1e-9 for left, right in itertools.pairwise(boxes))


def test_columns_of_equal_sizes_are_counted() -> None:
    """Of many columns of different sizes the title says how many have equal ones."""
    columns = {f"fold_{place}": [0] * (10 - place) + [1] * place for place in range(1, 6)}
    ax = sf.plot(pd.DataFrame(columns), name=list(columns), kind="sizes", ax=new())
    assert ax.get_title() == "1 of 5 columns have equal sizes"
    assert ax.title.get_color() == "black"


def test_sizes_of_many_columns_have_one_colour() -> None:
    """More columns than colours have no legend."""
    rows = pd.DataFrame({"a": ["x", "y"] * 20}).strat.kfold("a", k=4, repeats=9)
    ax = sf.plot(rows, name=[f"fold_{place}" for place in range(1, 10)], kind="sizes", ax=new())
    assert ax.get_legend() is None
    assert len(bars(ax)) == 36


@pytest.mark.parametrize(("width", "n_texts"), [(7, 50), (3.5, 0)])
def test_sizes_of_fifty_folds_can_be_read(width: float, n_texts: int) -> None:
    """Of 50 folds the sizes are upright where there is room, and labels do not overlap."""
    rows = pd.DataFrame({"fold": np.random.default_rng(0).integers(50, size=5000)})
    ax = sf.plot(rows, kind="sizes", ax=new(width, 3))
    ax.figure.draw_without_rendering()
    assert len(ax.texts) == n_texts
    assert all(text.get_rotation() == 90 for text in ax.texts)
    for texts_of_axis in (ax.get_xticklabels(), ax.texts):
        boxes = [text.get_window_extent() for text in texts_of_axis]
        assert all(left.x1 <= right.x0 + 1 for left, right in itertools.pairwise(boxes))
    top = ax.get_window_extent().y1
    assert all(text.get_window_extent().y1 <= top + 1 for text in ax.texts)


def test_long_names_of_parts_are_upright() -> None:
    """Names of folds that are wider than their bars are written upright."""
    rows = pd.DataFrame({"fold": [f"the month of {month}" for month in range(12)] * 3})
    ax = sf.plot(rows, kind="sizes", ax=new(5, 4))
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {90.0}
    assert len(ax.get_xticklabels()) == 12


# Figures --------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_strata", "n_folds"), [(2, 5), (10, 10), (60, 10), (400, 3)])
def test_a_new_figure_is_as_high_as_it_must_be(n_strata: int, n_folds: int) -> None:
    """Without axes a figure is made, higher for more strata up to 12 inches."""
    rows = pd.DataFrame({"a": np.arange(800) % n_strata, "fold": np.arange(800) // 7 % n_folds})
    ax = sf.plot(rows, "a")
    ax.figure.draw_without_rendering()
    assert 3 <= ax.figure.get_figheight() <= 12
    assert (ax.figure.get_figheight() > 11) == (n_strata >= 40)
    check_rows_are_apart(ax)
    inside = ax.figure.bbox.padded(1)
    for each in (ax.get_legend(), ax.title, ax.xaxis.label, ax.yaxis.label):
        box = each.get_window_extent()
        assert inside.x0 <= box.x0
        assert inside.y0 <= box.y0
        assert box.x1 <= inside.x1
        assert box.y1 <= inside.y1


KINDS_OF_PLOT = get_args(Kind)


def arguments(kind: str, label: str) -> dict[str, Any]:
    """What a kind of picture needs of rows with a label and a number x."""
    if kind in {"balance", "shares"}:
        return {"by": label}
    return {"drift": {"by": ["x", label]}, "leaks": {"groups": label}}.get(kind, {})


def long_names(n_letters: int, count: int) -> list[str]:
    """Names of so many letters that differ only at their ends."""
    text = "the wards of the hospital beside the old river " * 3
    return [f"{text[: n_letters - 2]}{place:02}" for place in range(count)]


@pytest.mark.parametrize(
    ("n_letters", "n_folds"), [(10, 3), (10, 20), (30, 5), (35, 10), (100, 3), (100, 20)]
)
@pytest.mark.parametrize("kind_of_plot", KINDS_OF_PLOT)
def test_long_names_leave_room_for_the_axes(
    n_letters: int, n_folds: int, kind_of_plot: str
) -> None:
    """However long names are, axes keep half of the width and of the height of the figure."""
    folds, strata = long_names(n_letters, n_folds), long_names(n_letters, 3)
    label = strata[0]
    rows = pd.DataFrame({label: np.resize(strata, 240), "x": np.arange(240.0)})
    rows = rows.assign(fold=np.repeat(folds, 240 // n_folds))
    ax = sf.plot(rows, name="fold", kind=kind_of_plot, **arguments(kind_of_plot, label))
    ax.figure.draw_without_rendering()
    inside, whole = ax.get_window_extent(), ax.figure.bbox
    assert inside.width >= whole.width / 2
    assert inside.height >= whole.height / 2
    if kind_of_plot not in {"balance", "drift"}:
        texts = [each.get_text() for each in ax.get_xticklabels()]
        assert len(set(texts)) == n_folds
        boxes = [each.get_window_extent() for each in ax.get_xticklabels()]
        assert all(left.x1 <= right.x0 + 2 for left, right in itertools.pairwise(boxes))


@pytest.mark.parametrize("n_letters", [30, 100])
@pytest.mark.parametrize("kind_of_plot", KINDS_OF_PLOT)
def test_long_names_fit_into_small_axes(n_letters: int, kind_of_plot: str) -> None:
    """Beside other axes long names are shortened further, and legends stay below them."""
    folds = long_names(n_letters, 5)
    rows = pd.DataFrame({"a": np.resize(folds, 200), "fold": np.repeat(folds, 40)})
    rows = rows.assign(other=rows["a"], x=np.arange(200.0))
    given = arguments(kind_of_plot, "a")
    figure = Figure(figsize=(8, 3), layout="constrained")
    for ax, names in zip(figure.subplots(1, 2), ["fold", ["fold", "other"]], strict=True):
        sf.plot(rows, name=names, kind=kind_of_plot, ax=ax, **given)
    figure.draw_without_rendering()
    for ax in figure.axes:
        inside = ax.get_window_extent()
        assert inside.width >= figure.bbox.width / 5
        assert inside.height >= figure.bbox.height / 3
    drawn = figure.axes[1].get_legend()
    assert (drawn is None) == (kind_of_plot in {"shares", "leaks"})
    if drawn is not None:
        label_box = figure.axes[1].xaxis.label.get_window_extent()
        assert drawn.get_window_extent().y1 <= label_box.y0 + 1


@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
@pytest.mark.parametrize("kind_of_plot", KINDS_OF_PLOT)
def test_plots_fit_beside_each_other(layout: str | None, kind_of_plot: str) -> None:
    """Two plots in one figure do not overlap, whatever the layout of the figure."""
    figure = Figure(figsize=(9, 4), layout=layout)
    rows = pd.DataFrame(data())
    given = arguments(kind_of_plot, "label")
    for ax, name in zip(figure.subplots(1, 2), ["plain", ["plain", "sorted"]], strict=True):
        sf.plot(rows, name=name, kind=kind_of_plot, ax=ax, **given)
    figure.draw_without_rendering()
    left, right = (ax.get_tightbbox() for ax in figure.axes)
    assert left.x1 <= right.x0
    for ax in figure.axes:
        legend_box = ax.get_legend().get_window_extent() if ax.get_legend() else None
        if legend_box and layout is None:
            assert ax.get_window_extent().padded(1).containsy(legend_box.y0)
        elif legend_box:
            assert legend_box.y1 <= ax.xaxis.label.get_window_extent().y0 + 1


@pytest.mark.parametrize("kind_of_plot", KINDS_OF_PLOT)
def test_titles_fit_into_a_grid(kind_of_plot: Any) -> None:
    """In four plots of one figure, titles are inside the figure and apart from each other."""
    figure = Figure(figsize=(7, 5.5), layout="constrained")
    rows = pd.DataFrame(data()).strat.kfold("label", k=5)
    names = ["fold", "plain", "sorted", ["fold", "plain", "sorted"]]
    for ax, name in zip(figure.subplots(2, 2).flat, names, strict=True):
        sf.plot(rows, name=name, kind=kind_of_plot, ax=ax, **arguments(kind_of_plot, "label"))
    figure.draw_without_rendering()
    boxes = [ax.title.get_window_extent() for ax in figure.axes]
    assert all(0 <= box.x0 <= box.x1 <= figure.bbox.x1 for box in boxes)
    for left, right in (boxes[:2], boxes[2:]):
        assert left.x1 <= right.x0


def test_legends_inside_cover_no_rows() -> None:
    """In a figure without a layout, axes get longer for a legend below the last row."""
    ax = sf.plot(pd.DataFrame(data()), "colour", "plain", ax=new(5, 3, None))
    ax.figure.draw_without_rendering()
    last = ax.transData.transform((0, 2.4))[1]
    assert ax.get_legend().get_window_extent().y1 <= last + 2


@pytest.mark.parametrize("count", [2, 6, 10])
def test_folds_have_styles_of_their_own(count: int) -> None:
    """No two folds have the same marker; up to six have different colours of Okabe and Ito.

    None has the green of the band that they lie on, nor the red of what is bad.
    """
    found = styles(count)
    assert len({marker for _, marker in found}) == count
    colours = [colour for colour, _ in found]
    assert len(set(colours)) == min(count, 6)
    assert set(colours) <= set(COLOURS)
    band = {PROMISE_BAND["facecolor"], PROMISE_BAND["edgecolor"]}
    assert not set(colours) & {*band, BAD, GOOD_TEXT}


# Bad input ------------------------------------------------------------------------------


def test_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong is said word for word."""
    rows = pd.DataFrame(data())
    message = "`kind` must be 'balance', 'shares', 'drift', 'leaks' or 'sizes', got 'pie'."
    refuse_now(message, lambda: sf.plot(rows, "label", "plain", "pie"))
    nothing = pd.DataFrame({"a": [1, 2], "fold": [None, None]})
    message = "Column 'fold' must hold folds to be drawn, but has none."
    refuse_now(message, lambda: sf.plot(nothing, "a"))
    message = "`name` names the column 'zzz', which the frame does not have."
    for kind in KINDS_OF_PLOT:
        given = arguments(kind, "label") | {"name": ["plain", "zzz"], "kind": kind}
        refuse_rule(message, lambda given=given: sf.plot(rows, **given))
    for noun, kind in [("entry", "balance"), ("entry", "shares"), ("feature", "drift")]:
        message = (
            f"`by` must hold at least one {noun}, got None."
            '\nHint: only `kind="sizes"` and `kind="leaks"` need none.'
        )
        refuse_now(message, lambda kind=kind: sf.plot(rows, name="plain", kind=kind))
    message = (
        "`kind=\"leaks\"` takes no `by`, got 'label'."
        "\nHint: name the groups, as in `groups='label'`."
    )
    refuse_now(message, lambda: sf.plot(rows, "label", "plain", "leaks"))
    message = (
        '`kind="leaks"` compares groups, keys or rows, got `groups` and `columns`.'
        "\nHint: `audit` takes all, and gives a table."
    )
    refuse_now(
        message, lambda: sf.plot(rows, name="plain", kind="leaks", groups="user", columns="x")
    )
    for kind in ("balance", "shares", "drift", "sizes"):
        message = f'`groups` is for `kind="leaks"` only, got `kind="{kind}"`.'
        refuse_now(message, lambda kind=kind: sf.plot(rows, "label", "plain", kind, groups="user"))
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError) as caught:
        sf.plot(rows, "label", "plain")
    assert str(caught.value) == 'matplotlib is not installed: pip install "stratframe[plot]"'


def test_names_are_plain_text() -> None:
    """Names with dollars, underscores or many letters are written as text, in the legend too."""
    frame = pd.DataFrame(
        {"$a_b$": ["$x^$", "$x^$", "y" * 99, "z"], "fold": ["_tr", "te$^$", "_tr", "te$^$"]}
    )
    ax = sf.plot(frame, "$a_b$", ax=new())
    ax.figure.draw_without_rendering()
    assert legend(ax)[:2] == ["\u2009_tr", r"te\$^\$"]
    assert ax.get_ylabel() == r"\$a_b\$"
    assert max(len(label.get_text()) for label in ax.get_yticklabels()) == 40
    for kind in KINDS_OF_PLOT:
        ax = sf.plot(frame.assign(x=1), kind=kind, ax=new(), **arguments(kind, "$a_b$"))
        ax.figure.draw_without_rendering()


def test_pictures_have_bounds() -> None:
    """More folds than a picture can show, and what is no place to draw, are errors."""
    frame = pd.DataFrame({"a": range(600), "fold": [0, 1] * 300, "x": 1.5})
    rule = "`plot` draws at most 500 folds, got 600."
    for kind in KINDS_OF_PLOT:
        given = arguments(kind, "fold") | {"name": "a", "kind": kind}
        refuse_rule(rule, lambda given=given: sf.plot(frame, **given))
    message = "`ax` must be a matplotlib Axes, got Figure."
    refuse_now(message, lambda: sf.plot(frame, "fold", "fold", ax=Figure()))
    solid = Figure().add_subplot(projection="3d")
    message = "`ax` must be a matplotlib Axes of two dimensions, got Axes3D."
    for kind in KINDS_OF_PLOT:
        refuse_now(message, lambda kind=kind: sf.plot(frame, "fold", "fold", kind, solid))


@pytest.mark.parametrize(
    ("kind", "sides"),
    [
        ("balance", {"y": "strata"}),
        ("shares", {"x": "folds", "y": "classes"}),
        ("drift", {"y": "features"}),
        ("leaks", {"x": "folds", "y": "groups"}),
        ("sizes", {"x": "folds"}),
    ],
    ids=KINDS_OF_PLOT,
)
def test_named_axes_are_not_shared(kind: Any, sides: dict[str, str]) -> None:
    """Axes that share the names of what they show are refused: the last plot would name all."""
    frame = pd.DataFrame({"a": range(6), "x": 1.5, "fold": [0, 1] * 3})
    for side in ("x", "y"):
        first, second = Figure().subplots(2, 1, **{f"share{side}": True})
        given = arguments(kind, "a") | {"kind": kind}
        if side not in sides:
            for ax in (first, second):
                sf.plot(frame, ax=ax, **given)
            continue
        message = (
            f"`ax` must have {'an' if side == 'x' else 'a'} {side} axis of its own, which names"
            f" {sides[side]}, got one that is shared.\nHint: leave out `share{side}`."
        )
        refuse_now(message, lambda ax=first, given=given: sf.plot(frame, ax=ax, **given))


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for each in PICTURES:
        draw(pd.DataFrame(data()), each, IMAGES / f"{each}.png")
