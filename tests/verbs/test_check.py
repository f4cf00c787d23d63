"""`check`: one sentence that says whether a column is fit for use."""

from dataclasses import FrozenInstanceError
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from stratframe.verbs.check import Finding
from tests.helpers import KINDS, Make, make, refuse_now
from tests.test_promises import columns, seeds, shares

TEN = [f"p{row // 2}" for row in range(20)]
"""Ten patients, each with two rows."""

LABELS = ["a", "b"] * 10
IN_TURN = [0, 1, 2, 3, 4] * 4

CASES: dict[str, tuple[dict[str, Any], dict[str, Any], str, bool]] = {
    "even": (
        {"label": ["a"] * 7 + ["b"] * 5, "fold": [0, 1] * 6},
        {"by": "label", "columns": []},
        "fold: even (at most 1 row off).",
        True,
    ),
    "exactly even": (
        {"label": LABELS, "fold": [0, 0, 1, 1] * 5},
        {"by": "label", "columns": []},
        "fold: exactly even (no row off).",
        True,
    ),
    "sizes": (
        {"x": range(7), "fold": [0, 1, 2] * 2 + [0]},
        {"columns": []},
        "fold: 3 folds of 2 to 3 rows.",
        True,
    ),
    "as random": (
        {"label": ["a", "a", "b", "b"] * 5, "fold": [0, 1, 0, 0] * 5},
        {"by": "label", "columns": []},
        "fold: no better than random (up to 3 rows off). Not in every fold: 'b'.",
        False,
    ),
    "skewed": (
        {"label": ["a"] * 50 + ["b"] * 50, "fold": [0] * 50 + [1] * 50},
        {"by": "label", "columns": []},
        "fold: SKEWED (up to 25 rows off). Not in every fold: 'a', 'b'.",
        False,
    ),
    "leaks of a group": (
        {"label": LABELS, "patient": TEN, "fold": IN_TURN},
        {"by": "label", "groups": "patient"},
        "fold: exactly even (no row off). LEAK: 10 of 10 patients are in several folds, for"
        " instance 'p0' in folds 0 and 1.",
        False,
    ),
    "one group leaks": (
        {"who": ["x", "x", "y", "z"], "fold": [1, 0, 0, 1]},
        {"groups": ["who"], "columns": []},
        "fold: 2 folds of 2 rows. LEAK: 1 of 3 groups is in several folds, for instance 'x' in"
        " folds 0 and 1.",
        False,
    ),
    "a group with rows in no fold": (
        {"user": [7, 7, 8, 9], "fold": [1, None, 0, 1]},
        {"groups": "user", "columns": []},
        "fold: 2 folds of 1 to 2 rows. LEAK: 1 of 3 users is in several folds, for instance 7 in"
        " fold 1 and in none. 1 row has no fold.",
        False,
    ),
    "whole groups": (
        {"patient": ["p1", "p1", "p2"], "x": [1.5, 1.5, 3.5], "fold": [0, 0, 1]},
        {"groups": "patient"},
        "fold: 2 folds of 1 to 2 rows. Each of 2 patients is in one fold, and no row"
        " equals a row of another fold.",
        True,
    ),
    "copied rows": (
        {"text": ["x", "y", "z", "y"], "fold": [0, 0, 1, 1]},
        {"columns": "text"},
        "fold: 2 folds of 2 rows. LEAK: 2 rows equal a row of another fold, for instance rows 1"
        " and 3.",
        False,
    ),
    "keys in two folds": (
        {"id": [1, 2, 1], "fold": [0, 1, 1]},
        {"key": "id"},
        "fold: 2 folds of 1 to 2 rows. LEAK: 1 of 2 keys is in several folds, for instance 1 in"
        " folds 0 and 1.",
        False,
    ),
    "keys that repeat": (
        {"visit": [1, 2, 2], "fold": [0, 1, 1]},
        {"key": "visit"},
        "fold: 2 folds of 1 to 2 rows. 1 of 2 visits repeats within a fold (`groups` may repeat).",
        False,
    ),
    "unique keys": (
        {"order_id": ["x", "y", "z"], "fold": [0, 1, 1]},
        {"key": "order_id"},
        "fold: 2 folds of 1 to 2 rows. Each of 3 orders is unique.",
        True,
    ),
    "an empty fold": (
        {"x": range(4), "fold": [0, 2, 0, 2]},
        {"columns": []},
        "fold: 2 folds of 2 rows. 1 fold has no rows: 1.",
        False,
    ),
    "one fold": (
        {"x": range(4), "fold": [1] * 4},
        {"columns": []},
        "fold: 1 fold of 4 rows. There is only one fold.",
        False,
    ),
    "a rare class": (
        {"label": ["a"] * 8 + ["b"], "fold": [0, 1, 2] * 3},
        {"by": "label", "columns": []},
        "fold: even (at most 1 row off). Too rare for every fold: 'b'.",
        True,
    ),
    "rows in no fold": (
        {"label": LABELS, "x": range(20), "fold": [0, 1, 1, 0] * 4 + [None] * 4},
        {"by": "label", "columns": []},
        "fold: exactly even (no row off). 4 rows have no fold.",
        True,
    ),
    "nothing in a fold": (
        {"label": ["a", "b"], "fold": [None, None]},
        {"by": "label"},
        "fold: no row has a fold.",
        False,
    ),
    "no rows": ({"label": [], "fold": []}, {"by": "label"}, "fold: there are no rows.", False),
    "an id that hides equal rows": (
        {"id": [1, 2, 3, 4], "x": ["a", "a", "b", "b"], "fold": [0, 1, 0, 1]},
        {},
        "fold: 2 folds of 2 rows. Equal rows may be hidden by ids: 'id'.",
        True,
    ),
    "rows that are equal by chance": (
        {"x": ["a", "a", "b", "b", "a"], "y": [1] * 5, "fold": [0, 1, 0, 1, 0]},
        {},
        "fold: 2 folds of 2 to 3 rows.",
        True,
    ),
    "other columns of folds": (
        {
            "x": [0.5, 0.5, 1.5, 2.5],
            "fold": [0, 1, 0, 1],
            "inner": [0, 1, 2, 3],
            "split": ["a", "b", "c", "d"],
        },
        {},
        "fold: 2 folds of 2 rows. LEAK: 2 rows equal a row of another fold, for instance rows 0"
        " and 1 (`columns=[]` compares none).",
        False,
    ),
    "parts": (
        {"user": [1, 1, 2, 3], "split": ["train", "test", "train", "train"]},
        {"name": "split", "groups": "user", "columns": []},
        "split: 2 parts of 1 to 3 rows. LEAK: 1 of 3 users is in several parts, for instance 1 in"
        " parts train and test.",
        False,
    ),
    "several columns": (
        {"x": range(4), "fold_1": [0, 0, 1, 1], "fold_2": [0, 0, 0, 2]},
        {"name": ["fold_1", "fold_2"], "columns": []},
        "fold_1: 2 folds of 2 rows.\nfold_2: 2 folds of 1 to 3 rows. 1 fold has no rows: 1.",
        False,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_sentences(frame: Make, case: str) -> None:
    """What is wrong is said in a sentence, and is false in a condition."""
    data, options, text, ok = CASES[case]
    found = sf.check(frame(data), **options)
    assert str(found) == repr(found) == found.text == text
    assert found.ok is bool(found) is ok


def test_the_worst_comes_first(frame: Make) -> None:
    """Findings are ordered by what hurts most: leaks, then what else is wrong, then notes."""
    data = {
        "label": ["a"] * 30 + ["b"] * 30 + ["c"],
        "user": [row // 2 for row in range(60)] + [0],
        "fold": [None] + [0] * 29 + [1] * 29 + [3, 0],
    }
    found = sf.check(frame(data), "label", groups="user", columns="user")
    assert [(each.severity, each.check) for each in found.findings] == [
        ("error", "split_groups"),
        ("error", "duplicate_rows"),
        ("warning", "balance"),
        ("warning", "empty_folds"),
        ("warning", "missing_strata"),
        ("note", "unassigned_rows"),
    ]
    assert all(isinstance(each, Finding) and each.name == "fold" for each in found.findings)


def test_leaks_of_any_column_come_first(frame: Make) -> None:
    """Findings of several columns are in one order, and name their columns."""
    data = {"user": [1, 1, 2, 2], "a": [0, 0, 2, 2], "b": [0, 1, 0, 1]}
    found = sf.check(frame(data), name=["a", "b"], groups="user", columns=[])
    assert [(each.name, each.check) for each in found.findings] == [
        ("b", "split_groups"),
        ("a", "empty_folds"),
    ]


def test_a_result_cannot_be_changed() -> None:
    """What a check found is frozen."""
    found = sf.check(pd.DataFrame({"x": [1, 2], "fold": [0, 1]}))
    with pytest.raises(FrozenInstanceError):
        found.text = ""  # type: ignore[misc]


def test_in_a_notebook(frame: Make) -> None:
    """The view in a notebook has a mark, a line for each column, and no markup of the data."""
    data = {"x": ["<b>", "<b>", "y"], "fold": [0, 1, 0], "other": [0, 0, 1]}
    found = sf.check(frame(data), name=["fold", "other"], groups="x")
    html = found._repr_html_()
    assert "&#10007;" in html
    assert "&#x27;&lt;b&gt;&#x27; in folds 0 and 1" in html
    assert html.count("<br>") == 1
    assert "&#10003;" in sf.check(frame(data), name="other")._repr_html_()


@pytest.mark.parametrize("kind", KINDS)
@given(data=columns(4, 3, least=8), k=st.integers(2, 8), seed=seeds)
def test_folds_of_kfold_are_even(kind: str, data: dict[str, list[int]], k: int, seed: int) -> None:
    """A column of `kfold` is even in what it was stratified by, and in the first entry alone."""
    folds = sf.kfold(make(kind, data), ["a", "b"], k, seed=seed, rare="ignore")
    for by in ("a", ["a", "b"]):
        found = sf.check(folds, by, columns=[])
        assert found
        assert "even (" in str(found)


@pytest.mark.parametrize("kind", KINDS)
@given(data=columns(4, 3), parts=shares(3), seed=seeds)
def test_parts_of_split_are_even(
    kind: str, data: dict[str, list[int]], parts: dict[str, float], seed: int
) -> None:
    """A column of `split` is even, whatever the shares, and whether or not some part is empty."""
    made = sf.split(make(kind, data), ["a", "b"], parts, seed=seed, rare="ignore")
    found = sf.check(made, ["a", "b"], "split", columns=[])
    assert {each.check for each in found.findings} <= {"empty_folds"}
    assert str(found).startswith(("split: even (at most 1", "split: exactly even ("))


@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")  # of groups that are too large
@given(data=columns(3, 8, least=20), k=st.integers(2, 4), seed=seeds)
def test_folds_of_whole_groups_pass(data: dict[str, list[int]], k: int, seed: int) -> None:
    """Folds of whole groups are no worse than random ones, so that a pipeline may assert it."""
    frame = pl.DataFrame(data)
    if frame["b"].n_unique() < k:
        return
    folds = sf.kfold(frame, "a", k, groups="b", seed=seed, rare="ignore")
    assert sf.check(folds, "a", groups="b", columns=[])


@given(data=columns(3, least=20), k=st.integers(2, 10), seed=seeds)
def test_an_order_is_judged_by_what_its_bins_can_tell(
    data: dict[str, list[int]], k: int, seed: int
) -> None:
    """Folds along an order are not wrong where bins, which `kfold` does not use, say little."""
    frame = pl.DataFrame(data).with_columns(price=(pl.col("id") * 7.3).sin())
    for by in (sf.continuous("price"), ["a", "price"]):
        assert sf.check(sf.kfold(frame, by, k, seed=seed, rare="ignore"), by, columns=[])
    skewed = frame.sort("price").with_columns(fold=pl.int_range(pl.len()) * 2 // pl.len())
    if skewed.height >= 50:
        assert not sf.check(skewed, "price", columns=[])


def test_groups_without_a_fold_hide_no_skew() -> None:
    """Random groups are as many as have a fold."""
    labels = ["ab"[group % 2] for group in range(2000)]
    folds = [(group % 4 if group < 200 else None) for group in range(2000)]
    data = {"g": range(2000), "label": labels, "fold": folds}
    frame = pd.DataFrame(data).loc[lambda df: df.index.repeat(5)].reset_index(drop=True)
    assert "SKEWED" in str(sf.check(frame, "label", groups="g", columns=[]))
    assert "SKEWED" in str(sf.check(frame.dropna(), "label", groups="g", columns=[]))


def test_a_class_in_many_groups_should_be_in_every_fold() -> None:
    """What a fold lacks is wrong if enough groups could bring it."""
    labels = ["ab"[group % 2] for group in range(40)]
    folds = [2 * (group % 2) + group // 2 % 2 for group in range(40)]
    data = {"g": range(40), "label": labels, "fold": folds}
    frame = pd.DataFrame(data).loc[lambda df: df.index.repeat(5)]
    found = sf.check(frame, "label", groups="g", columns=[])
    assert [each[:2] for each in found.findings] == [("warning", "missing_strata")]
    few = frame.loc[frame["g"] < 6]
    assert sf.check(few, "label", groups="g", columns=[])


def test_joint_strata_that_a_fold_lacks(frame: Make) -> None:
    """Joint strata with enough rows should be in every fold; rare ones are not told of."""
    data = {"a": [0, 1] * 60, "b": [0, 0, 1, 1] * 30, "fold": [0, 1, 2, 0, 1, 2, 0, 1, 2, 0] * 12}
    moved = [
        1 if data["a"][row] == data["b"][row] == 0 else data["fold"][row] for row in range(120)
    ]
    good, bad = (
        sf.check(frame({**data, "fold": each}), ["a", "b"], columns=[])
        for each in (data["fold"], moved)
    )
    assert "missing_strata" in {each.check for each in bad.findings}
    assert "missing_strata" not in {each.check for each in good.findings}
    assert not bad


def test_groups_are_compared_with_random_groups() -> None:
    """Few large groups of one label each cannot be even, which is not their fault."""
    frame = pd.DataFrame(
        {"label": ["a"] * 400 + ["b"] * 600, "user": [i // 100 for i in range(1000)]}
    )
    folds = sf.kfold(frame, "label", groups="user", rare="ignore")
    found = sf.check(folds, "label", groups="user", columns=[])
    assert found
    assert "SKEWED" in str(sf.check(folds, "label", columns=[]))
    assert not sf.check(folds.assign(fold=[0] * 400 + [1] * 600), "label", columns=[])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "lable"}, "`by` names the column 'lable', which the frame does not have."),
        ({"groups": "who"}, "`groups` names the column 'who', which the frame does not have."),
        ({"name": []}, "`name` must hold column names, got []."),
    ],
)
def test_bad_arguments(frame: Make, options: dict[str, Any], message: str) -> None:
    """Arguments are checked as those of `report` and `audit` are."""
    data = frame({"label": ["a", "b"], "fold": [0, 1]})
    with pytest.raises(sf.StratError) as caught:
        sf.check(data, **options)
    assert str(caught.value).startswith(message)


def test_what_is_no_frame() -> None:
    """Other data than frames are refused."""
    refuse_now(
        "`frame` must be a pandas, Polars, Dask or Spark frame, got list.",
        lambda: sf.check([], "label"),  # type: ignore[arg-type]
    )
