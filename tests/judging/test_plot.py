"""`plot` draws shares, balance, drift and leaks, titled with what `check` finds."""

import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import TWO_KINDS, Make, make, refuse_now, some_slow

mpl.use("Agg")
LABELS = ["a"] * 30 + ["b"] * 20 + ["c"] * 10
DATA = {"label": LABELS, "fold": [0] * 20 + [1, 2] * 20, "who": [row // 3 for row in range(60)]}


def title_of(ax: Any) -> str:
    return " ".join(ax.get_title().split())


def heights(ax: Any) -> np.ndarray:
    return np.array([[bar.get_height() for bar in container] for container in ax.containers])


def cells(ax: Any) -> np.ndarray:
    """List the shades of the cells of a matrix, NaN where there is none."""
    (mesh,) = ax.collections
    shape = len(ax.get_yticks()), len(ax.get_xticks())
    return np.ma.filled(np.ma.masked_invalid(mesh.get_array().astype(float)), np.nan).reshape(shape)


def texts(labels: Any) -> list[str]:
    return [label.get_text() for label in labels]


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_bars_are_shares(frame: Make) -> None:
    """Each bar shows the shares of a fold, and dotted lines those of all rows."""
    ax = sf.plot(frame(DATA), "label")
    table = pd.crosstab(pd.Series(LABELS), pd.Series(DATA["fold"]))
    np.testing.assert_allclose(heights(ax), table / table.sum())
    lines = [line.get_ydata()[0] for line in ax.get_lines()]
    np.testing.assert_allclose(lines, [30 / 60, 50 / 60])
    assert texts(ax.get_xticklabels()) == ["0\n20", "1\n20", "2\n20"]
    assert texts(ax.get_legend().get_texts()) == ["c", "b", "a", "all rows"]
    assert title_of(ax) == "fold: fold 0 has none of 20 rows of 'b' (6.7 expected)"
    assert title_of(ax).partition(": ")[2] in str(sf.check(frame(DATA), "label"))


def test_the_title_is_the_worst_finding() -> None:
    """The title is the worst finding, and a `$` in a name starts no formula."""
    data = sf.kfold(pd.DataFrame({"label": LABELS}), "label", 5, name="a$b$c")
    title = title_of(sf.plot(data, "label", "a$b$c"))
    assert title == r"a\$b\$c: even, each class within a row of its share"


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_bars_without_by_are_rows(frame: Make) -> None:
    """Without `by`, bars show the numbers of rows, with a line at their mean."""
    data = {"fold": [0] * 90 + [1] * 5 + [2] * 5}
    ax = sf.plot(frame(data))
    assert heights(ax).tolist() == [[90, 5, 5]]
    assert [line.get_ydata()[0] for line in ax.get_lines()] == [pytest.approx(100 / 3)]
    assert title_of(ax).startswith("fold: 90, 5, 5 rows; if intended, name the parts")
    parts = sf.plot(frame({"split": ["train"] * 8 + ["test"] * 2}), name="split")
    assert texts(parts.get_xticklabels()) == ["train\n8", "test\n2"]
    assert not parts.get_lines()
    assert title_of(parts) == "split: train 0.8, test 0.2"


@pytest.mark.parametrize(
    ("by", "n"), [("label", 7), ("label", 28), ("label", 46), (sf.quantiles("x", 46), 46)]
)
def test_each_of_many_classes_has_a_colour(by: Any, n: int) -> None:
    """Up to 48 classes or bins have colours of their own, and names; none is grey."""
    label = [f"class {row % n:02}" for row in range(1380)]
    data = pd.DataFrame({"label": label, "x": np.arange(1380.0)})
    data["fold"] = np.arange(1380) // 7 % 5
    ax = sf.plot(data, by)
    n_classes = len(ax.containers)
    colours = {mpl.colors.to_hex(container[0].get_facecolor()) for container in ax.containers}
    assert n_classes == n
    assert len(colours) == n_classes
    assert mpl.colors.to_hex("0.75") not in colours
    named = texts(ax.get_legend().get_texts())
    assert len(set(named)) == n_classes + 1
    ax.figure.draw_without_rendering()
    legend = ax.get_legend().get_window_extent()
    assert ax.figure.bbox.padded(1).contains(*legend.min)
    assert ax.figure.bbox.padded(1).contains(*legend.max)


def test_more_classes_than_colours_are_pooled() -> None:
    """Beyond 48 classes, the smallest are pooled in grey on top."""
    names = [f"class {number:02}" for number in range(50)]
    data = pd.DataFrame({"label": np.repeat(names, range(10, 60))})
    data["fold"] = np.arange(len(data)) % 2
    ax = sf.plot(data, "label")
    assert len(ax.containers) == 49
    assert mpl.colors.to_hex(ax.containers[-1][0].get_facecolor()) == mpl.colors.to_hex("0.75")
    assert texts(ax.get_legend().get_texts())[:2] == ["2 others", "class 49"]
    np.testing.assert_allclose(heights(ax).sum(axis=0), 1)


def test_a_legend_without_room_has_the_largest_classes() -> None:
    """On small axes of the caller the legend names as many classes as have room, and says so."""
    names = [f"class {number:02}" for number in range(40)]
    data = pd.DataFrame({"label": np.repeat(names, range(10, 50))})
    data["fold"] = np.arange(len(data)) % 2
    _, own = plt.subplots(figsize=(4, 3))
    ax = sf.plot(data, "label", ax=own)
    named = texts(ax.get_legend().get_texts())
    assert named[0] == "class 39"
    assert named[-1] == f"and {40 - len(named) + 2} more"
    assert ax.get_legend().get_window_extent().height < own.figure.bbox.height


def test_a_class_of_five_percent_can_be_seen() -> None:
    """A class of 5 % has a colour and a line of its own, and is eight pixels high."""
    data = pd.DataFrame({"label": [*["a"] * 5, *[f"b{each}" for each in range(19)] * 5] * 10})
    data["fold"] = np.arange(1000) // 100 % 5
    ax = sf.plot(data, "label")
    ax.figure.draw_without_rendering()
    rare = ax.containers[0][0]
    assert rare.get_height() == pytest.approx(0.05)
    assert rare.get_window_extent().height >= 8
    assert ax.get_lines()[0].get_ydata()[0] == pytest.approx(0.05)


def test_an_order_is_drawn_in_bins() -> None:
    """A continuous column is drawn in bins from dark to light, with the title of its check."""
    data = pd.DataFrame({"x": np.random.default_rng(0).normal(size=200)}).strat.kfold("x")
    ax = sf.plot(data, "x")
    np.testing.assert_allclose(heights(ax), 0.2, atol=0.03)
    light = [np.dot(each[0].get_facecolor()[:3], (0.3, 0.59, 0.11)) for each in ax.containers]
    assert light == sorted(light)
    assert title_of(ax) == "fold: even in order, within 2 rows at every cut"


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_a_matrix_of_balance_has_the_rows_too_many(frame: Make) -> None:
    """Cells show deviations with their numbers, and are white where the fold is even."""
    ax = sf.plot(frame(DATA), "label", kind="balance")
    table = sf.balance(pd.DataFrame(DATA), "label")
    off = table.pivot(index="label", columns="fold", values="deviation")
    np.testing.assert_allclose(cells(ax), np.where(np.abs(off) <= 1 + 1 / 6, 0, off), atol=1e-9)
    assert texts(ax.get_yticklabels()) == ["a", "b", "c"]
    assert texts(ax.texts)[:3] == ["+10", "-5", "-5"]
    assert title_of(ax) == "fold: fold 0 has none of 20 rows of 'b' (6.7 expected)"
    assert ax.get_xlabel() == "fold"


def test_the_worst_strata_are_drawn() -> None:
    """Of many strata the 15 worst are drawn, the worst first, and a line says so."""
    data = pd.DataFrame({"shop": np.repeat(np.arange(40).astype(str), 20)})
    data["fold"] = np.arange(800) % 4
    for number in range(17, 35):
        data.loc[data["shop"] == str(number), "fold"] = number % 3
    data.loc[data["shop"] == "20", "fold"] = 3
    ax = sf.plot(data, "shop", kind="balance")
    shops = texts(ax.get_yticklabels())
    assert (shops[0], len(shops), ax.get_ylabel()) == ("20", 15, "shop, 15 worst of 40")


def test_bars_of_margins() -> None:
    """Bars show the worst of several margins, which the legend names."""
    data = pd.DataFrame({"x": [0, 1] * 20, "y": [0] * 20 + [1] * 20, "fold": [0, 1] * 20})

    ax = sf.plot(data, sf.margins(["x", "y"]))

    assert heights(ax).tolist() == [[1, 0], [0, 1]]
    assert ax.get_legend().get_title().get_text() == "x, of 2 margins"


def test_titles_of_whole_groups() -> None:
    """What counts as even is wider for whole groups."""
    seen = pd.DataFrame({"ill": [0, 1] * 20, "ward": [0] * 20 + [*range(1, 21)]})
    seen["fold"] = seen["ward"].gt(0).astype(int)
    assert "even" in title_of(sf.plot(seen, "ill", groups="ward"))


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_a_matrix_of_drift_is_by_chance(frame: Make) -> None:
    """Cells are distances divided by chance, the same as those of `drift`."""
    rng = np.random.default_rng(0)
    data = {"x": rng.normal(size=60).tolist(), "y": np.arange(60.0).tolist(), "fold": DATA["fold"]}
    ax = sf.plot(frame(data), kind="drift", features=["x", "y"])
    table = sf.drift(pd.DataFrame(data), ["x", "y"], full=True)
    ratio = (table["distance"] / table["chance"]).to_numpy()
    expected = table.assign(ratio=ratio).pivot(index="feature", columns="fold", values="ratio")
    np.testing.assert_allclose(cells(ax), expected)
    assert texts(ax.get_yticklabels()) == ["x", "y"]
    assert title_of(ax).startswith("fold: 'y' differs in fold 0 (KS ")


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_a_matrix_of_leaks_counts_sets_in_both_folds(frame: Make) -> None:
    """Cells count the groups that two folds share."""
    ax = sf.plot(frame(DATA), kind="leaks", groups="who")
    held = pd.crosstab(pd.Series(DATA["who"]), pd.Series(DATA["fold"])).gt(0).to_numpy(dtype=float)
    np.testing.assert_array_equal(cells(ax), held.T @ held + np.diag([np.nan] * 3))
    assert title_of(ax).startswith("fold: 14 of 20 groups are in several folds")


def test_leaks_are_of_the_first_that_is_given() -> None:
    """Groups come before keys, and these before equal rows."""
    data = pd.DataFrame(DATA | {"x": [row % 7 * 1.5 for row in range(60)]})
    assert "keys are in several folds" in title_of(sf.plot(data, kind="leaks", key="who"))
    equal = title_of(sf.plot(data, kind="leaks", duplicates="x"))
    assert equal.startswith("fold: 60 rows (100 %) equal a row of another fold")
    assert title_of(sf.plot(data, kind="leaks")) == "fold: no row equals a row of another fold"


def test_leaks_of_rows_without_a_group() -> None:
    """Rows without a group share nothing, which the title leaves out."""
    data = pd.DataFrame({"fold": DATA["fold"], "who": None})

    ax = sf.plot(data, kind="leaks", groups="who")

    assert (title_of(ax), np.nansum(cells(ax))) == ("fold", 0)


def test_leaks_without_columns_to_compare() -> None:
    """If no columns tell rows apart, cells are empty rather than 0."""
    ax = sf.plot(pd.DataFrame({"fold": DATA["fold"]}), kind="leaks")

    assert np.isnan(cells(ax)).all()
    assert "no column tells rows apart" in title_of(ax)


def test_dates_are_written_as_days() -> None:
    """Dates in the place of folds are written as days, with their numbers of rows."""
    days = pd.date_range("2024", periods=3).repeat(40)

    ax = sf.plot(pd.DataFrame({"label": ["a", "b"] * 60, "day": days}), "label", "day")

    assert texts(ax.get_xticklabels()) == [f"2024-01-0{day}\n40" for day in (1, 2, 3)]


def test_names_of_many_folds() -> None:
    """Every second of many folds is named, and the axis says how many rows each has."""
    data = pd.DataFrame({"label": ["a", "b"] * 60, "fold": np.arange(120) // 2 % 20})

    ax = sf.plot(data, "label")

    assert ax.get_xlabel() == "fold (6 rows)"
    assert texts(ax.get_xticklabels()) == [str(fold) for fold in range(0, 20, 2)]
    assert not sf.plot(data, "label", kind="balance").texts


REPEATED = sf.kfold(pl.DataFrame({"label": LABELS}), "label", 3, repeats=3)
"""Three fold columns of one label."""


def test_several_columns_have_axes_each() -> None:
    """Several fold columns are drawn side by side, with one legend."""
    axes = sf.plot(REPEATED, "label", "fold")

    assert [title_of(ax).partition(":")[0] for ax in axes] == ["fold_1", "fold_2", "fold_3"]
    assert [ax.get_legend() is None for ax in axes] == [True, True, False]


def test_columns_are_drawn_on_the_axes_of_the_caller() -> None:
    """The axes of the call are those that it returns, of one column or of several."""
    _, own = plt.subplots(3)

    drawn = sf.plot(REPEATED, "label", "fold", kind="balance", ax=own)

    assert list(drawn) == list(own)
    assert sf.plot(REPEATED, "label", "fold_2", ax=own[0]) is own[0]


@pytest.mark.parametrize("n_folds", [2, 60])
@pytest.mark.parametrize("kind", ["shares", "balance", "drift", "leaks"])
def test_long_names_and_many_folds_have_room(kind: Any, n_folds: int) -> None:
    """However long the names are, axes keep a third of the figure."""
    long = [f"{'n' * 59}{each}" for each in "abc"]
    names = [f"{'f' * 59}{fold}" for fold in range(n_folds)]
    data = pd.DataFrame({"x" * 60: long * 80, "who": range(240)})
    data["fold"] = [names[row % n_folds] for row in range(240)]
    features = ["x" * 60, "who"] if kind == "drift" else None
    ax = sf.plot(data, "x" * 60, kind=kind, groups="who", features=features)
    ax.figure.draw_without_rendering()
    box = ax.get_window_extent()
    whole = ax.figure.bbox
    title = ax.title.get_window_extent()
    assert box.width > whole.width / 3
    assert box.height > whole.height / 3
    assert all(whole.padded(1).contains(*corner) for corner in (title.min, title.max))


def boxes(texts: Any) -> Any:
    return np.array([text.get_window_extent().extents for text in texts])


@pytest.mark.parametrize(("rows", "n_folds", "shows"), [(2_000, 2, True), (200_000, 10, False)])
def test_numbers_are_in_their_cells(kind: str, rows: int, n_folds: int, shows: bool) -> None:
    """If a number is wider than its cell, no cell has a number."""
    label = np.arange(rows) * 2 // rows
    who = np.arange(rows) // 2
    fold = np.where(np.arange(rows) % 2, 0, who * 2 * n_folds // rows)
    frame = make(kind, {"label": label, "who": who, "fold": fold})
    for options in ({"by": "label", "kind": "balance"}, {"kind": "leaks", "groups": "who"}):
        ax = sf.plot(frame, **options)
        ax.figure.draw_without_rendering()
        assert bool(ax.texts) == shows
        widths = [text.get_window_extent().width for text in ax.texts]
        assert max(widths, default=0) < ax.bbox.width / n_folds


@pytest.mark.parametrize("letters", [1, 12])
@pytest.mark.parametrize("kind", ["shares", "balance", "leaks"])
@pytest.mark.parametrize("size", some_slow([(2.5, 1.5), (5, 3)], [(5, 3)]))
def test_names_do_not_overlap(kind: Any, letters: int, size: tuple[float, float]) -> None:
    """If names have no room, only every n-th is drawn."""
    names = np.array([f"{each}{'W' * (letters - 1)}" for each in range(40)])
    data = pd.DataFrame({"label": names.repeat(40), "fold": np.tile(names, 40)})
    _, own = plt.subplots(figsize=size)
    ax = sf.plot(data, "label", kind=kind, groups="label" if kind == "leaks" else None, ax=own)
    ax.figure.draw_without_rendering()
    across = boxes(ax.get_xticklabels())
    down = boxes(ax.get_yticklabels())
    down = down[np.argsort(down[:, 1])]
    assert (down[1:, 1] >= down[:-1, 3]).all()
    if ax.get_xticklabels()[0].get_rotation():  # each starts where the one before is below it
        letter = ax.get_xticklabels()[0].get_fontsize() * ax.figure.dpi / 72
        assert (np.diff(across[:, 2]) * np.sin(np.radians(35)) >= letter).all()
    else:
        assert (across[1:, 0] > across[:-1, 2]).all()
    assert 1 < len(across) < 40


def test_each_of_the_worst_has_a_cell_that_differs_from_paper() -> None:
    """Beside a stratum that is far off, rows are chosen only if one can see a colour in them."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"shop": rng.choice([f"shop {each}" for each in range(50)], 3000)})
    data = data.strat.kfold("shop", k=12)
    data.loc[data["shop"].isin(["shop 3", "shop 4"]), "fold"] = 1
    ax = sf.plot(data, "shop", kind="balance")
    (mesh,) = ax.collections
    colours = mesh.to_rgba(cells(ax))[:, :, :3]
    darkest = colours.min(axis=(1, 2))
    assert darkest.max() < 0.92
    assert set(texts(ax.get_yticklabels())[:2]) == {"shop 3", "shop 4"}


def test_the_worst_have_no_empty_rows() -> None:
    """Strata and features without anything to show are not among the worst."""
    rows = np.arange(960)
    data = pd.DataFrame({"shop": (rows // 24).astype(str), "fold": rows % 12, "x": rows % 12})
    data.loc[data["shop"] == "17", "fold"] = 0
    data[empty := [f"empty {each}" for each in range(20)]] = np.nan
    ax = sf.plot(data, "shop", kind="balance")
    assert (texts(ax.get_yticklabels()), ax.get_ylabel()) == (["17"], "shop, 1 worst of 40")
    ax = sf.plot(data, kind="drift", features=[*empty, "x"])
    assert (texts(ax.get_yticklabels()), ax.get_ylabel()) == (["x"], "1 worst of 21 features")


@pytest.mark.parametrize("kind", ["shares", "balance", "leaks"])
def test_a_picture_keeps_to_its_axes(kind: Any) -> None:
    """A picture on one of several axes covers no other axes."""
    names = np.array(["the first class", "the second class", "the third class"])
    data = pd.DataFrame({"class": names.repeat(30), "fold": np.tile(names, 30)})
    _, (_, own, _) = plt.subplots(1, 3, figsize=(12, 3), sharey=kind == "shares")
    start = own.get_tightbbox().x0
    end = own.bbox.x1
    ax = sf.plot(data, "class", kind=kind, groups="class" if kind == "leaks" else None, ax=own)
    beside = ax.get_legend() if kind == "shares" else ax.figure.axes[-1]
    assert beside.get_tightbbox().x1 == pytest.approx(end)
    assert ax.bbox.x1 < beside.get_window_extent().x1
    assert kind == "shares" or ax.yaxis.get_tightbbox().x0 >= start - 1
    assert ax.get_in_layout()


def test_labels_of_neighbouring_columns_are_apart(kind: str) -> None:
    """The names and sizes below three pictures side by side do not touch."""
    names = ["stratified folds of rows", "group folds of patients", "random folds of all rows"]
    data = {name: np.arange(3000) * (1 + place) % 10 for place, name in enumerate(names)}
    frame = make(kind, {"label": np.arange(3000) % 3} | data)
    _, own = plt.subplots(1, 3, figsize=(9, 3))
    for axes in (sf.plot(frame, "label", names), sf.plot(frame, "label", names, ax=own)):
        axes[0].figure.draw_without_rendering()
        labels = [ax.xaxis.label.get_window_extent() for ax in axes]
        assert all(left.x1 < right.x0 for left, right in pairwise(labels))


@pytest.mark.parametrize("shape", [(2, 1), (3, 2)])
@pytest.mark.parametrize("kind", ["shares", "balance"])
def test_lower_labels_are_not_cut(kind: Any, shape: tuple[int, int]) -> None:
    """On subplots of the caller, names and titles stay inside the figure and off other axes."""
    parts = ["a long training part", "validation of the model", "the last test part"]
    data = pd.DataFrame({"label": list("abc") * 100, "part": np.repeat(parts, 100)})
    figure, grid = plt.subplots(*shape, figsize=(8, 3 * shape[0]), squeeze=False)
    for own in grid.flat:
        sf.plot(data, "label", "part", kind=kind, ax=own)
    figure.draw_without_rendering()
    for column in grid.T:
        for ax in column:
            assert ax.xaxis.get_tightbbox().y0 >= -1
            assert ax.title.get_window_extent().y1 <= figure.bbox.y1 + 1
            assert ax.bbox.height > figure.bbox.height / shape[0] / 4
        for above, below in pairwise(column):
            assert above.xaxis.get_tightbbox().y0 >= below.title.get_window_extent().y1 - 1


def test_names_of_margins_are_whole() -> None:
    """Names of an entry and its value of up to 36 letters are shown, not cut to 20."""
    states = ["Utah", "Ulm", "Uppsala"]
    data = pd.DataFrame({"school": [f"University of {state}" for state in states] * 40})
    data["degree"] = ["bachelor of science", "master of arts"] * 60
    data["fold"] = np.arange(120) // 3 % 4
    ax = sf.plot(data, sf.margins(["school", "degree"]), kind="balance")
    names = [f"school: University of {state}" for state in sorted(states)]
    assert texts(ax.get_yticklabels())[:4] == [*names, "degree: bachelor of science"]
    joint = sf.plot(data, ["degree", "school"], kind="balance")
    assert texts(joint.get_yticklabels())[2] == "(bachelor…science, Universi… of Ulm)"
    joint.figure.draw_without_rendering()
    assert joint.bbox.width > joint.figure.bbox.width / 3


def test_a_picture_has_the_colours_of_the_style() -> None:
    """On dark paper, even cells and lines have the colours of the style; classes keep theirs."""
    light = sf.plot(pd.DataFrame(DATA), "label")
    with plt.style.context("dark_background"):
        dark = sf.plot(pd.DataFrame(DATA), "label")
        even = pd.DataFrame({"label": LABELS}).strat.kfold("label", k=2)
        matrix = sf.plot(even, "label", kind="balance")
    (mesh,) = matrix.collections
    np.testing.assert_allclose(mesh.to_rgba(0.0)[:3], 0, atol=0.01)
    assert mpl.colors.to_hex(dark.get_lines()[0].get_color()) == "#ffffff"
    colours = [
        [container[0].get_facecolor() for container in ax.containers] for ax in (light, dark)
    ]
    assert colours[0] == colours[1]


def test_line_breaks_are_shown_as_repr_does(kind: str) -> None:
    """Names and values with line breaks or control characters are as `repr` writes them."""
    odd = ["a\nb", "\x1b[31m", "plain"]
    data = {"la\tbel": [*odd] * 9, "fo\nld": [each for each in odd for _ in range(9)]}
    shown = [r"'\x1b[31m'", r"'a\nb'", "plain"]
    ax = sf.plot(make(kind, data), "la\tbel", "fo\nld")
    ax.figure.draw_without_rendering()
    assert [text.split("\n")[0] for text in texts(ax.get_xticklabels())] == shown
    assert texts(ax.get_legend().get_texts()) == [*shown[::-1], "all rows"]
    assert ax.get_legend().get_title().get_text() == r"'la\tbel'"
    assert title_of(ax).startswith(r"'fo\nld': even")
    ax = sf.plot(make(kind, data), "la\tbel", "fo\nld", "balance")
    assert texts(ax.get_yticklabels()) == shown
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"'fo\nld'", r"'la\tbel'")


DRAWN = pd.DataFrame({"who": [*range(61)] * 2, "none": None, "fold": 0, "other": 0})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda: sf.plot(DRAWN, kind="sizes"),
            "`kind` must be 'shares', 'balance', 'drift' or 'leaks', got 'sizes'.",
            id="kind",
        ),
        pytest.param(
            lambda: sf.plot(DRAWN, kind="balance"),
            "`by` must hold at least one entry, got None.",
            id="balance_of_nothing",
        ),
        pytest.param(
            lambda: sf.plot(DRAWN, kind="drift"),
            "`features` must hold at least one column, got None.",
            id="drift_of_nothing",
        ),
        pytest.param(
            lambda: sf.plot(DRAWN, kind="leaks", duplicates=None),
            '`kind="leaks"` must have `groups`, `key` or `duplicates` to compare, got none.',
            id="leaks_of_nothing",
        ),
        pytest.param(
            lambda: sf.plot(DRAWN, ax=3),
            "`ax` must be a plain matplotlib Axes, got int.",
            id="no_axes",
        ),
        pytest.param(
            lambda: sf.plot(DRAWN, name=["fold", "other"], ax=plt.subplots()[1]),
            "`ax` must be one Axes for each column, got 1 for 2.",
            id="one_axes_for_two",
        ),
        pytest.param(
            lambda: sf.plot(DRAWN, name=["fold", "other"], ax=plt.subplots(1, 2, sharex=True)[1]),
            "`ax` must have its own x axis.\nHint: leave out `sharex`.",
            id="shared_axis",
        ),
        pytest.param(
            lambda: sf.plot(DRAWN, name="who"),
            "Column 'who' of `plot` must not exceed 60 folds, got 61.\n"
            "Hint: `report` and `drift` give tables.",
            id="too_many_folds",
        ),
        pytest.param(
            lambda: sf.plot(DRAWN, name="none"),
            "Column 'none' must hold folds to be drawn, but has none.",
            id="no_folds",
        ),
    ],
)
def test_bad_arguments(call: Callable[[], Any], message: str) -> None:
    """What cannot be drawn is refused."""
    refuse_now(message, call)


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra."""
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "stratframe\[plot\]"'):
        sf.plot(pd.DataFrame(DATA), "label")
