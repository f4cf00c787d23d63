"""`check`: its text, its table and its answer; the lines are in `test_lines.py`."""

from itertools import chain
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import TWO_KINDS, Make, make, refuse_now, values

FORTY = [row + 0.5 for row in range(40)]

WRONG: dict[str, Any] = {
    "label": ["a"] * 20 + ["b"] * 20,
    "who": [f"p{row // 2}" for row in range(40)],
    "x": FORTY,
    "good": [0, 1] * 20,
    "bad_fold": [0, 2] * 18 + [2, 0] * 2,
    "worse": [0] * 20 + [1] * 20,
}
"""Twenty people of two rows each, and three fold columns, each with faults of its own."""


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_the_text_of_several_columns(frame: Make) -> None:
    """The first line is the answer for all columns, and the findings of each come worst first."""
    found = sf.check(frame(WRONG), "label", ["good", "bad_fold", "worse"], groups="who")

    leak = "  LEAK     20 of 20 groups are in several folds, such as 'p0' in folds 0 and "
    rest = [
        "  ok       sizes: 2 folds of 20 rows",
        "  ok       duplicates: none, as 'x' differs in every row",
    ]
    assert found.text.splitlines() == [
        "0 of 3 fold columns are fit for use",
        "bad_fold is not fit for use: 1 leak, 1 warning",
        f"{leak}2",
        "  WARNING  fold 1 has no rows",
        "  ok       label: even, each class within a row of its share",
        *rest,
        "good is not fit for use: 1 leak",
        f"{leak}1",
        "  ok       label: even, each class within a row of its share",
        *rest,
        "worse is not fit for use: 1 warning",
        "  WARNING  label: all 20 rows of 'a' are in fold 0",
        "  ok       each of 20 groups is in one fold",
        *rest,
    ]
    assert values(found.findings, "severity")[:4] == ["leak", "leak", "warning", "warning"]


def test_fit_columns_are_counted(frame: Make) -> None:
    """The first line says how many of several columns are fit for use."""
    names = ["good", "bad_fold", "worse"]

    found = sf.check(frame(WRONG), "label", names, duplicates=None)

    assert found.text.startswith("1 of 3 fold columns is fit for use\n")


def test_the_text_is_what_is_printed() -> None:
    """A check prints its text."""
    found = sf.check(pd.DataFrame(WRONG), "label", "good")
    assert repr(found) == found.text
    assert str(found) == found.text


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_findings_name_the_fold_and_the_class(frame: Make) -> None:
    """The columns `fold` and `level` name what a finding is on, or are empty."""
    found = sf.check(frame(WRONG), "label", ["bad_fold", "worse"], groups="who").findings
    named = [*zip(*(values(found, name) for name in ("check", "fold", "level")), strict=True)]
    assert named[:3] == [("groups", None, None), ("rows", "1", None), ("strata", "0", "a")]
    assert all((fold, level) == (None, None) for _, fold, level in named[3:])


VISITS = {"id": [row // 3 for row in range(150)], "y": [0, 1] * 75}
"""Fifty ids of three rows each."""


def test_strict_counts_questions(frame: Make) -> None:
    """With `strict`, a column is unfit while a finding asks what an argument answers."""
    made = sf.kfold(frame(VISITS), "y")

    found = sf.check(made, "y", duplicates=None, strict=True)

    assert not found.ok
    assert found.text.startswith("fold is not fit for use: 1 question\n  note     'id': 50 of 50")
    assert sf.check(made, "y", duplicates=None).ok


def test_a_leak_is_told_once(frame: Make) -> None:
    """With `strict`, a leak is not told as a question, too."""
    whole = sf.kfold(frame(VISITS), "y", groups="id")

    found = sf.check(whole, "y", groups="id", duplicates="y", strict=True)

    assert found.text.count("LEAK") == 1


def test_a_bad_column_raises(frame: Make) -> None:
    """`raise_if_wrong` of a bad column raises with its text."""
    found = sf.check(frame(WRONG), "label", "worse")
    refuse_now(found.text, found.raise_if_wrong)


def test_a_good_column_does_not_raise(frame: Make) -> None:
    """`raise_if_wrong` of a good column does nothing."""
    sf.check(frame(WRONG), "label", "good").raise_if_wrong()


def test_in_a_notebook() -> None:
    """The view in a notebook has a line for each finding; what looks like markup is text."""
    data = {"x": ["<b>", "<b>", "&amp;"], "<i>": [0, 1, 0], "fold": [0, 0, 1]}
    found = sf.check(pd.DataFrame(data), name=["<i>", "fold"], groups="x")
    shown = "".join(ElementTree.fromstring(found._repr_html_()).itertext()).splitlines()
    assert len(shown) == len(found.text.splitlines())
    assert shown[0] == found.text.splitlines()[0]
    assert all(any(each in line for line in shown) for each in values(found.findings, "detail"))
    assert "'<b>' in folds 0 and 1" in "".join(shown)


def test_a_notebook_shows_whole_names() -> None:
    """The view in a notebook does not cut the names that the printed lines cut."""
    name = "what the household of the person spent on food in the last four weeks"
    found = sf.check(pd.DataFrame({name: [1, 1, 1, 2], "fold": [0, 1, 0, 1]}), name)
    assert name not in found.text
    assert name in found._repr_html_()


CHECKS = {
    "balance",
    "drift",
    "duplicates",
    "groups",
    "keys",
    "rows",
    "sizes",
    "strata",
    "time",
    "totals",
}
"""The names of the checks, as users read them in the table of findings."""

SHORT = ("label", "user", "price", "fold")
LONG = ("class_of_the_disease", "number_of_the_person", "income_per_household", "fold_of_all_rows")
CELLS = [[*"abc"], [None, *range(6)], [0.25, 1.5, 2.75, None], [0, 1, 2, 3, None]]
ROWS = st.lists(st.tuples(*map(st.sampled_from, CELLS)), min_size=1, max_size=30)


@pytest.mark.parametrize("names", [SHORT, LONG], ids=["short", "long"])
@given(rows=ROWS, times=st.sampled_from([1, 1, 40]), kind=st.sampled_from(TWO_KINDS))
def test_every_check_has_one_form(names: Any, rows: list[Any], times: int, kind: str) -> None:
    """The answer is that of the findings, whose lines of 80 letters come worst first."""
    by, who, x, name = names
    data = dict(zip(names, map(list, zip(*rows * times, strict=True)), strict=True))
    made = make(kind, {**data, "id": range(len(data[x]))})
    found = sf.check(made, by, name, groups=who, key=[who, x], features=[x, by])
    assert isinstance(found.findings, pl.DataFrame if "polars" in kind else pd.DataFrame)
    assert list(found.findings.columns) == [
        "name",
        "severity",
        "check",
        "n",
        "fold",
        "level",
        "detail",
    ]
    marks = {"leak": "LEAK", "warning": "WARNING", "note": "note", "ok": "ok"}
    severities = values(found.findings, "severity")
    first, *others = str(found).splitlines()
    details = values(found.findings, "detail")
    for line, severity, detail in zip(others, severities, details, strict=True):
        assert line == f"  {marks[severity]:8} {detail}" or len(detail) > 69
        assert line.startswith(f"  {marks[severity]:8} {detail[:3]}")
    assert severities == sorted(severities, key=list(marks).index)
    assert set(values(found.findings, "check")) <= CHECKS
    is_wrong = bool({"leak", "warning"} & {*severities})
    assert found.ok is not is_wrong
    assert first.startswith(f"{name} is {'not fit for use: ' if is_wrong else 'fit for use'}")
    assert max(map(len, chain([first], others))) <= 80


@pytest.mark.parametrize(
    ("argument", "example"),
    [
        ("by", "label"),
        ("key", "label"),
        ("features", "label"),
        ("duplicates", "label"),
        ("time", "day"),
    ],
)
def test_the_fold_column_is_no_other_argument(frame: Make, argument: str, example: str) -> None:
    """Folds are compared by other columns than their own."""
    refuse_now(
        f"`{argument}` must name columns other than the fold column, but includes 'fold'.\n"
        f'Hint: name a column by which to compare the folds, as in `{argument}="{example}"`.',
        lambda: sf.check(frame({"label": ["a", "b"], "fold": [0, 1]}), **{argument: "fold"}),
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(
            {"duplicates": False},
            "`duplicates` must hold column names or expressions, got False.",
            id="duplicates_are_a_flag",
        ),
        pytest.param(
            {"duplicates": []},
            "`duplicates` must hold at least one column, got [].",
            id="no_duplicates",
        ),
        pytest.param(
            {"features": []}, "`features` must hold at least one column, got [].", id="no_features"
        ),
        pytest.param({"time": []}, "`time` must hold at least one column, got [].", id="no_time"),
        pytest.param({"by": []}, "`by` must hold at least one entry, got [].", id="no_strata"),
        pytest.param({"name": []}, "`name` must hold column names, got [].", id="no_name"),
    ],
)
def test_bad_arguments(frame: Make, options: dict[str, Any], message: str) -> None:
    """A wrong argument is refused in these words, on a frame without rows, too."""
    rows = {"label": ["a", "b"], "x": [0.5, 1.5], "fold": [0, 1]}

    for data in (rows, {name: [] for name in rows}):
        refuse_now(message, lambda data=data: sf.check(frame(data), **options))
