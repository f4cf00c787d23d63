"""Rows that are near-duplicates: one group, whatever the order of rows, the library or the data."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import polars.selectors as cs
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import AgglomerativeClustering
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import radius_neighbors_graph

import stratframe as sf
from stratframe.core.similar_pairs import near_points, near_texts
from tests.helpers import Make, refuse, split_groups, values, warned
from tests.terms.clouds import groups_of, same_partition

rng = np.random.default_rng(0)
CENTRES = rng.normal(size=(150, 6))
POINTS = np.repeat(CENTRES, 2, axis=0) + rng.normal(size=(300, 6)) / 20
WORDS = ["red", "blue", "cat", "cats", "owl", "owls", "in", "rome", "oslo", "a", "x", "night"]
TEXTS = [" ".join(rng.choice(WORDS, rng.integers(1, 7))) for _ in range(200)]
TEXTS += [text.title() for text in TEXTS[:20]] + [text.replace(" ", "  ") for text in TEXTS[5:30]]

TRIGRAMS = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5))
"""The weights of texts that the page promises."""

ROWS: dict[str, list[Any]] = {
    "text": ["a red cat", "A  red cat", "blue whales", "a red hat", "two owls", "two owls!"],
    "v": [[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.9, 0.3], [-1.0, 0.1], [-1.0, 0.0]],
    "label": ["a", "b"] * 3,
}
GROUPS = [sf.similar("text", 0.6), sf.similar("v", 0.06)]


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize(
    ("within", "unit"),
    [(0.0, 1.0), (1e-4, 1.0), (0.02, 1.0), (0.05, 1.0), (0.2, 1.0), (0.05, 1e20), (0.05, 1e-30)],
)
def test_groups_of_points_as_scikit_learn(metric: str, within: float, unit: float) -> None:
    """Groups are the connected components of scikit-learn's graph of near points."""
    graph = radius_neighbors_graph(POINTS, within, metric=metric, include_self=True)
    wanted = connected_components(graph, directed=False)[1] if within else np.arange(len(POINTS))
    distance = within * unit if metric == "euclidean" else within
    frame = pl.DataFrame({"v": POINTS * unit})
    assert same_partition(groups_of(frame, sf.similar("v", distance, metric=metric)), wanted)


@pytest.mark.parametrize("within", [0.0, 0.05, 0.1, 0.2, 0.3])
def test_groups_of_texts_are_those_of_the_whole_matrix(within: float) -> None:
    """The groups are those of single linkage on the distances of all texts."""
    different = sorted({" ".join(text.lower().split()) for text in TEXTS})
    apart = pairwise_distances(TRIGRAMS.fit(different).transform(TEXTS), metric="cosine")
    given: Any = {"metric": "precomputed", "distance_threshold": within + 1e-9}
    wanted = AgglomerativeClustering(None, linkage="single", **given).fit_predict(apart)
    assert 1 < len(set(wanted)) < 200
    found = groups_of(pl.DataFrame({"text": TEXTS}), sf.similar("text", within))
    assert same_partition(found, wanted)


@pytest.mark.parametrize("within", [0.1, 0.5])
def test_common_terms_are_left_out(within: float) -> None:
    """Texts of one pattern share most terms, which are left out; no pair of them is missed."""
    texts = [f"order {number} was sent to rome" for number in range(0, 3000, 7)]
    weights = TRIGRAMS.fit_transform(sorted(texts))
    apart = pairwise_distances(weights, metric="cosine")
    labels = np.arange(len(texts))
    seen = np.zeros(apart.shape, dtype=bool)
    # Few products at once make several blocks of texts.
    for pairs in near_texts(weights, within, labels, lambda _: None, 1 << 16):
        seen[pairs.rows, pairs.others] = seen[pairs.others, pairs.rows] = True
        found = pairs.apart * within
        np.testing.assert_allclose(found, apart[pairs.rows, pairs.others], atol=1e-9)
    np.fill_diagonal(seen, val=True)
    assert (seen == (apart <= within)).all()


def test_points_far_from_the_origin_and_close_together() -> None:
    """Where float32 cannot tell points apart, they are still compared exactly; in several tiles."""
    points = 1e6 + np.arange(5000.0)[None] / 8
    near = near_points(points.T, 0.125, np.arange(5000), lambda _: None)
    pairs = [np.column_stack([each.rows, each.others]) for each in near]
    found = np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0)
    assert found.tolist() == [[row, row + 1] for row in range(4999)]


@settings(max_examples=25)
@given(data=st.data())
def test_folds_are_free_of_order_and_library(data: st.DataObject) -> None:
    """Near pairs share a fold; rows in another order, on another library, have the same fold."""
    is_text = data.draw(st.booleans())
    rows = data.draw(st.lists(st.integers(0, 79), min_size=12, max_size=40))
    column: Any = [TEXTS[row] if is_text else POINTS[row].tolist() for row in rows]
    table = pl.DataFrame({"x": column})
    order = data.draw(st.permutations(range(len(rows))))
    groups = sf.similar("x", 0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sf.StratWarning)
        assume(len(set(groups_of(table, groups))) > 1)
        folds = sf.kfold(pd.DataFrame({"x": column}), k=2, groups=groups)["fold"].to_numpy()
        found = sf.kfold(table[order].lazy(), k=2, groups=groups).collect()["fold"]
    assert found.to_list() == folds[order].tolist()
    if not is_text:
        near = pairwise_distances(np.array(column), metric="cosine") <= 0.1 - 1e-9
        assert (folds[:, None] == folds)[near].all()


@pytest.mark.filterwarnings("ignore:The largest group:stratframe.StratWarning")
@pytest.mark.parametrize("groups", GROUPS, ids=str)
def test_all_verbs(frame: Make, groups: Any) -> None:
    """The verbs that take groups find the same ones."""
    data = frame(ROWS)
    folded = sf.kfold(data, k=3, groups=groups)
    assert None not in values(folded, "fold")
    assert not split_groups([0, 0, 2, 0, 4, 4], values(folded, "fold"))
    found = sf.check(folded, groups=groups, duplicates=None).text
    assert "each of 3 groups of similar rows is in one fold" in found
    assert sum(values(sf.plan(data, "label", 3, groups=groups, rare="ignore"), "n")) == 6
    sf.advise(data, "label", 3, groups=groups)
    sf.report(folded, "label", groups=groups)
    partly = frame({**ROWS, "fold": [0, None, 1, None, 2, None]})
    assert values(sf.extend(partly, None, 3, groups=groups), "fold") == [0, 0, 1, 0, 2, 2]
    split = frame({**ROWS, "fold": [0, None, 1, 1, 2, None]})
    held = frame({**ROWS, "text": [None, *ROWS["text"][1:]], "fold": [0, None, 1, None, 1, None]})
    filled = sf.extend(held, None, 2, groups=sf.similar("text", 0.6), missing="null")
    assert values(filled, "fold") == [0, 0, 1, 0, 1, 1]  # the first row is of no group
    message = r"1 group in 3 rows \(1, 0, 3\) is in several.* in folds 0, 1"
    with pytest.raises(sf.StratError, match=message):
        values(sf.extend(split, None, 3, groups=groups), "fold")


def test_leaks_list_the_nearest_first(frame: Make) -> None:
    """Sets are listed by how near their rows in different folds are."""
    rows = {**ROWS, "fold": [0, 0, 1, 1, 0, 2]}
    for groups in GROUPS:
        found = sf.leaks(frame(rows), groups=groups, duplicates=None)
        assert values(found, "row") == [4, 5, 0, 1, 3]
        assert values(found, "set") == [0, 0, 1, 1, 1]
        some = {**ROWS, "fold": [None, 0, 1, 1, 0, 2]}
        assert values(sf.leaks(frame(some), groups=groups, duplicates=None), "row") == [4, 5, 1, 3]
    rows["fold"] = [0, 1, 1, 1, 0, 0]
    found = sf.leaks(frame(rows), groups=sf.similar("text", 0.6), duplicates=None)
    assert values(found, "row") == [0, 1, 3]


@pytest.mark.parametrize(
    ("scale", "start", "step"),
    [
        (1.0, 0.0, 3.0),
        (1.0, 0.0, 1e5),
        (1.0, 1e6, 40.0),
        (1e-6, 1e6, 3.0),
        (1e-6, -3e7, 1e5),
        (1e6, -3e7, 3.0),
        (1e6, 0.0, 1e5),
    ],
)
def test_the_nearest_in_any_unit(scale: float, start: float, step: float) -> None:
    """Rows are listed by their distance relative to `within`, for numbers of any size."""
    order = np.random.default_rng(0).permutation(20)
    first = np.arange(20) * step
    x = (start + np.concatenate([first, first + (1000 + order) / 4000])) * scale
    df = pd.DataFrame({"x": x, "fold": np.repeat([0, 1], 20)})
    found = sf.leaks(df, groups=sf.similar("x", 0.4 * scale, metric="euclidean"), duplicates=None)
    pairs = [[row, row + 20] for row in np.argsort(order)]
    assert found["row"].tolist() == np.ravel(pairs).tolist()


@pytest.mark.parametrize("within", [1, 0])
def test_a_group_that_swallows_the_data(within: float) -> None:
    """The warning says what to do, if anything can be done."""
    df = pd.DataFrame({"x": [*(np.arange(8) * within), 20, 30], "y": 0.0})
    advice = ": a `within` below 1 joins fewer rows." if within else "."
    message = "The largest group has 8 rows, but the largest fold should have 5, so one fold will"
    message += f" be at least 3 rows too large. The largest has 80 % of the rows{advice}"
    groups = sf.similar(["x", "y"], within, metric="euclidean")
    warned(message, lambda: sf.kfold(df, k=2, groups=groups))


@pytest.mark.filterwarnings("ignore:The largest group:stratframe.StratWarning")
@pytest.mark.parametrize("groups", [*GROUPS, sf.clusters("v", 3)], ids=str)
def test_rows_without_a_fold_link_no_others(frame: Make, groups: Any) -> None:
    """Judges compare the rows that have a fold, as `kfold` did; others may hold anything."""
    rows: dict[str, list[Any]] = {name: [None, *column] for name, column in ROWS.items()}
    df = frame({**rows, "ok": [False, *[True] * 6]})
    options: list[dict[str, Any]] = [{"where": "ok"}, {"missing": "null"}]
    for each in options:
        folded = sf.kfold(df, k=3, groups=groups, **each)
        assert sf.check(folded, groups=groups, duplicates=None)
        assert values(folded, "fold")[0] is None
        again = sf.extend(folded, None, 3, groups=groups, **each)
        assert values(again, "fold") == values(folded, "fold")


@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e308])
def test_a_distance_beyond_all_others(unit: float) -> None:
    """A distance far above all others links all rows, for numbers of any size."""
    table = pl.DataFrame({"x": [unit, unit, unit, unit / 2, 0]})
    assert len(set(groups_of(table, sf.similar("x", 1.7e308, metric="euclidean")))) == 1


def test_a_selector_does_not_mean_the_folds() -> None:
    """A selector that gives the fold column, or a column twice, is refused."""
    frame = pl.DataFrame({"x": [1.0, 2, 3, 4], "y": [1.0, 2, 2, 1], "fold": [0, 1, 0, 1]})
    folded = "must name columns other than the fold column"
    numbers = sf.similar(cs.numeric(), 0.01)
    twice = sf.similar(["x", cs.float()], 0.01)
    floats = sf.similar(cs.float(), 0.0)
    for verb in (sf.check, sf.leaks):
        verb(frame, groups=sf.similar(cs.float(), 0.01), duplicates=None)
    for message, call in (
        (folded, lambda: sf.check(frame, groups=numbers, duplicates=None)),
        (folded, lambda: sf.leaks(frame, groups=numbers, duplicates=None)),
        (folded, lambda: sf.balance(frame, sf.clusters(cs.numeric(), 2))),
        ("each column once, got 'x' twice", lambda: sf.kfold(frame, groups=twice, name="new")),
        ("1 group in 2 rows", lambda: sf.extend(frame, None, 2, groups=floats)),
    ):
        with pytest.raises(sf.StratError, match=message):
            call()


@pytest.mark.parametrize("within", [-1, 1, 1.5, float("nan"), "0.1", None, True])
def test_bad_distances(within: Any) -> None:
    """Cosine distances must be at least 0 and below 1."""
    rule = "`within` must be a number of at least 0, and"
    refuse(f"{rule} below 1 with the cosine, got {within!r}.", lambda: sf.similar("v", within))
    for far, shown in ((float("inf"), "inf"), (10**400, "about 10**400")):
        message = f"{rule} finite, got {shown}."
        refuse(message, lambda far=far: sf.similar("v", far, metric="euclidean"))


def test_bad_input(frame: Make) -> None:
    """Rows without a direction, or that cannot be compared, are refused and listed."""

    def call(groups: Any, **changed: Any) -> Any:
        return lambda: values(sf.kfold(frame({**ROWS, **changed}), k=2, groups=groups), "fold")

    zeros = [[0.0, 0.0], *ROWS["v"][1:]]
    euclidean = '\nHint: `metric="euclidean"` measures distances.'
    message = "`sf.similar` compares directions, but all numbers of 1 row (0) are 0."
    error = refuse(message + euclidean, call(sf.similar("v"), v=zeros))
    assert values(error.failures, "row") == [0]
    assert call(sf.similar("v", metric="euclidean"), v=zeros)()
    message = "`sf.similar` compares all texts, but the text of 2 rows (1, 4) is blank."
    message += "\nHint: drop these rows, or exclude them with `where`."
    blank = refuse(message, call(sf.similar("text"), text=["a", " ", "b", "c", "", "d"]))
    assert values(blank.failures, "row") == [1, 4]
    message = "`sf.similar` compares directions by the cosine, but a number has no direction,"
    message += f" got sf.similar('x', 0.05).{euclidean}"
    refuse(message, call(sf.similar("x"), x=[1.5, 2, 3, 4, 5, 6]))
    both = sf.margins(["label", sf.similar("v")])
    alone = "compares text only in a single column, and only by the cosine"
    for message, refused in (
        ("Column 'text' has missing values", call(sf.similar("text"), text=[None, *"abcde"])),
        (alone, call(sf.similar(["text", "label"]))),
        (alone, call(sf.similar("text", metric="euclidean"))),
        ("given in `groups`, not in `by`", lambda: sf.kfold(frame(ROWS), sf.similar("v"))),
        ("given in `groups`, not in `by`", lambda: sf.kfold(frame(ROWS), both)),
        ("leave out `key`", lambda: sf.kfold(frame(ROWS), groups=sf.similar("v"), key="label")),
        ("`features` of `sf.similar` must hold at least one", lambda: sf.similar([])),
        ("`metric` must be", lambda: sf.similar("v", metric="manhattan")),  # type: ignore[arg-type]
    ):
        with pytest.raises(sf.StratError, match=message):
            refused()
