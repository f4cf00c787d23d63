"""Tables: strata, plan and balance."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import (
    FOLDED,
    KINDS,
    ROWS,
    Make,
    columns_of,
    eager,
    make,
    refuse,
    refuse_now,
    refuse_rule,
    values,
)

DATA: dict[str, Any] = {
    "label": ["a", "b", None, "a", "a", "b", "c", "a"],
    "size": [1, 1, 2, 2, 1, 1, 2, 1],
    "price": [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5],
    "id": list(range(8)),
}


def test_strata_counts_as_value_counts(frame: Make, kind: str) -> None:
    """Strata are listed by value, missing ones last, in the caller's library."""
    found = sf.strata(frame(DATA), "label")
    assert columns_of(found) == {
        "label": ["a", "b", "c", None],
        "n": [4, 2, 1, 1],
        "share": [0.5, 0.25, 0.125, 0.125],
    }
    assert isinstance(found, pd.DataFrame if kind.startswith("pandas") else pl.DataFrame)


def test_strata_keep_the_type_of_their_values(frame: Make) -> None:
    """The values in a table have the type that they have in the frame."""
    data = frame(DATA)
    assert sf.strata(data, "label")["label"].dtype == eager(data)["label"].dtype


def test_continuous_entries_are_shown_in_bins(frame: Make) -> None:
    """A continuous entry is shown by quantile bins, without a warning of few of them."""
    found = sf.strata(frame(DATA), "price")
    assert values(found, "n") == [1] * 8
    assert values(found, "price")[:2] == ["[0.5, 0.5]", "(0.5, 1.5]"]


def test_dates_are_shown_as_dates() -> None:
    """Quantile bins of dates are named by dates, whatever the unit."""
    days = pd.Series(pd.date_range("2024-01-01", periods=4))
    for unit in ("s", "ns"):
        frame = pd.DataFrame({"day": days.astype(f"datetime64[{unit}]")})
        found = sf.strata(frame, sf.quantiles("day", 2))["day"].tolist()
        assert found == [
            "[2024-01-01 00:00:00, 2024-01-02 00:00:00]",
            "(2024-01-02 00:00:00, 2024-01-04 00:00:00]",
        ]


def test_balance_counts_in_full(frame: Make) -> None:
    """Every fold is compared with every stratum, zero counts too, against crosstab."""
    data = DATA | {"fold": [0, 0, 1, 2, 0, None, 1, 2]}
    found = sf.balance(frame(data), "label")
    assert values(found, "fold") == [0] * 4 + [1] * 4 + [2] * 4
    assert values(found, "label") == ["a", "b", "c", None] * 3
    table = pd.crosstab(
        pd.Series(data["fold"]).dropna(), pd.Series(data["label"]).fillna("missing")
    )
    counts = table[["a", "b", "c", "missing"]].to_numpy()
    np.testing.assert_array_equal(values(found, "n"), counts.ravel())
    sizes, strata = counts.sum(axis=1), counts.sum(axis=0)
    expected = np.outer(sizes, strata) / 7
    np.testing.assert_allclose(values(found, "expected"), expected.ravel())
    np.testing.assert_allclose(values(found, "deviation"), (counts - expected).ravel())
    np.testing.assert_allclose(values(found, "share"), (counts / sizes[:, None]).ravel())


def test_balance_of_parts_is_in_their_order(frame: Make) -> None:
    """A part column is compared part by part, in the order of the call."""
    data = sf.split(frame(DATA), parts={"train": 6, "test": 2})
    found = sf.balance(data, "size", "split")
    assert values(found, "fold") == ["train"] * 2 + ["test"] * 2
    assert sum(values(found, "n")) == 8


@pytest.mark.parametrize(
    "options",
    [
        {"k": 3},
        {"k": 4, "seed": 9},
        {"k": 2, "deal": "circular"},
        {"parts": {"train": 0.6, "valid": 0.2, "test": 0.2}},
        {"parts": {"x": 3, "y": None}, "key": "id"},
    ],
    ids=str,
)
def test_a_plan_is_what_the_call_deals(frame: Make, options: dict[str, Any]) -> None:
    """The planned counts are those of the deal, stratum by stratum and part by part."""
    by = ["size", "label"]
    shared = {"missing": "stratum", "rare": "ignore", **options}
    planned = sf.plan(frame(DATA), by, **shared)
    if "parts" in options:
        dealt = sf.split(frame(DATA), by, name="fold", **shared)
    else:
        dealt = sf.kfold(frame(DATA), by, **shared)
    names = ["size", "label", "fold"]
    rows = list(zip(*(values(dealt, name) for name in names), strict=True))
    found = {
        tuple(row): n
        for *row, n in zip(*(values(planned, name) for name in [*names, "n"]), strict=True)
    }
    assert found == {stratum: rows.count(stratum) for stratum in found}
    assert sum(found.values()) == 8


def test_a_plan_leaves_out_what_the_deal_leaves_out(frame: Make) -> None:
    """Rows that get no fold are not planned; an entry that orders rows has no column."""
    planned = sf.plan(frame(DATA), ["label", "price"], 2, missing="null", rare="null")
    assert sum(values(planned, "n")) == 6
    assert list(planned.columns) == ["label", "fold", "n"]


def test_entries_need_names_of_their_own(frame: Make) -> None:
    """An entry called like a column of the table, or like another, is an error."""
    df = frame({"n": [1, 2], "x": [1.5, 2.5], "column": ["a", "b"], "a": [0, 1], "b": [1, 0]})
    message = (
        "{!r} is already a column of the result: an entry of `by` needs another name.\n"
        'Hint: give it one, as in `sf.classes(..., name="stratum")`.'
    )
    refuse_now(message.format("n"), lambda: sf.strata(df, "n"))
    refuse_now(message.format("x"), lambda: sf.strata(df, [sf.quantiles("x", 2), "x"]))
    refuse_now(message.format("column"), lambda: sf.balance(df, "column", ["a", "b"]))
    assert sf.balance(df, "column", "a").columns[1] == "column"
    assert sf.strata(df, sf.classes("n", name="number")).columns[0] == "number"


def test_computed_strata_are_named() -> None:
    """Expressions and callables are named after their result, or by their place."""
    frame = pd.DataFrame({"x": [1, 2, 3]})
    assert "x" in sf.strata(frame, lambda df: df["x"] % 2).columns
    assert "stratum_1" in sf.strata(frame, lambda df: (df["x"] % 2).to_numpy()).columns
    odd = (pl.col("x") % 2).alias("odd")
    assert "odd" in sf.strata(pl.DataFrame({"x": [1, 2, 3]}), odd).columns


@pytest.mark.parametrize(
    "by",
    [sf.classes("id", name="fold"), sf.classes("id", name="n"), sf.classes("id", name="share")],
)
@pytest.mark.parametrize("table", [sf.strata, sf.balance, lambda df, by: sf.plan(df, by, 2)])
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_names_of_the_tables(table: Callable[..., Any], by: Any) -> None:
    """An entry that is called as a column of the table itself is refused."""
    refuse(
        f"{by.name!r} is already a column of the result: an entry of `by` needs another"
        " name.\n"
        'Hint: give it one, as in `sf.classes(..., name="stratum")`.',
        lambda: table(pd.DataFrame(FOLDED), by),
    )


@pytest.mark.parametrize("by", ["label", sf.quantiles("label", 3), sf.bins("label", [0, 1])])
@pytest.mark.parametrize(
    ("table", "columns"),
    [
        (sf.strata, ["label", "n", "share"]),
        (sf.balance, ["fold", "label", "n", "share", "expected", "deviation"]),
        (sf.plan, ["label", "fold", "n"]),
    ],
)
def test_tables_of_no_rows(frame: Make, table: Callable[..., Any], columns: Any, by: Any) -> None:
    """A diagnostic of an empty frame is an empty table."""
    found = table(frame({"label": [], "fold": []}), by)
    assert found.shape == (0, len(columns))
    assert list(found.columns) == columns


def test_plan_without_strata(frame: Make) -> None:
    """A plan without strata needs no column, of a lazy frame neither."""
    assert values(sf.plan(frame(ROWS), k=3), "n").count(3) == 2


# The order of strata ----------------------------------------------------------------------


def test_strata_are_sorted_by_value_inside_their_parents(frame: Make) -> None:
    """Numbers go by size, not as text, and strata of several entries in nested order."""
    data = {"city": list("babbaab"), "size": [10, 9, 9, 10, 100, 9, None], "fold": [0] * 7}
    nested = [("a", 9), ("a", 100), ("b", 9), ("b", 10), ("b", None)]
    by = ["city", "size"]
    for found in (
        sf.strata(frame(data), by),
        sf.balance(frame(data), by),
        sf.plan(frame(data), by, 2, missing="stratum", rare="ignore"),
    ):
        rows = list(zip(values(found, "city"), values(found, "size"), strict=True))
        assert list(dict.fromkeys(rows)) == nested


@pytest.mark.parametrize("kind", KINDS)
@given(st.lists(st.sampled_from([None, *range(-3, 12)]), min_size=1, max_size=30))
def test_strata_are_in_the_order_of_sort(kind: str, numbers: list[int | None]) -> None:
    """The values are those of Python's `sorted`, missing ones last."""
    found = values(sf.strata(make(kind, {"x": [None, 0, *numbers]}), "x"), "x")
    assert found == [*sorted({0, *numbers} - {None}), None]


def test_bins_follow_classes_upwards(frame: Make) -> None:
    """Inside the sorted classes bins go upwards, not by their text."""
    data = {"label": list("bbbbaaaa"), "x": [100, 9, 20, 3, 7, 80, 10, 2]}
    found = sf.strata(frame(data), ["label", sf.bins("x", [0, 9, 20, 100])])
    bins = ["[0, 9]", "(9, 20]", "(20, 100]"]
    assert values(found, "label") == ["a"] * 3 + ["b"] * 3
    assert values(found, "x") == bins * 2


def test_categories_keep_their_order() -> None:
    """Categories are listed in their order, and objects that do not compare as they come."""
    sizes = ["low", "mid", "high"]
    frame = pd.DataFrame({"x": pd.Categorical(["high", "low", "mid"], sizes)})
    assert sf.strata(frame, "x")["x"].tolist() == sizes
    polars = pl.DataFrame({"x": pl.Series(["high", "low", "mid"], dtype=pl.Enum(sizes))})
    assert sf.strata(polars, "x")["x"].to_list() == sizes
    frame = pd.DataFrame({"x": pd.Series([2j, 1j, 2j]), "y": list("bab")})
    assert sf.strata(frame, ["x", "y"])["x"].tolist() == [2j, 1j]


def test_margins_are_sorted_each(frame: Make) -> None:
    """Of margins each entry is sorted by itself."""
    found = sf.strata(frame({"b": [2, 1, 2], "a": list("yxx")}), sf.margins(["b", "a"]))
    assert values(found, "value") == ["1", "2", "x", "y"]


TEXT_PARTS = {
    "label": ["a", "b", "a", "b", "a", "b", "c"],
    "split": ["test", "train", "valid", "extra", "train", "test", None],
}


def test_parts_of_text_are_in_their_order(frame: Make) -> None:
    """Parts that were read from a file are listed by what they are for, as `parts` does."""
    df, names = frame(TEXT_PARTS), ["train", "valid", "test", "extra"]
    assert list(sf.parts(df)) == names
    assert list(dict.fromkeys(values(sf.balance(df, "label", "split"), "fold"))) == names
    assert values(sf.report(df, "label", "split"), "split") == names
    rule = {"valid": names, "nulls": "drop"}
    assert [fold.fold for fold in sf.folds(df, "split", **rule)] == names
    held = [[1, 4], [2], [0, 5], [3]]
    assert [valid.tolist() for _, valid in sf.cv(df, "split", **rule)] == held


def test_text_that_names_no_parts_is_sorted(frame: Make) -> None:
    """Folds of other names come in the order of their names, whatever the order of the rows."""
    df = frame({"label": list("abab"), "fold": ["south", "north", "west", "east"]})
    assert values(sf.report(df, "label"), "fold") == ["east", "north", "south", "west"]


def test_tables_that_are_too_large(frame: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of more rows than the limit is an error that gives its size; others are made."""
    monkeypatch.setattr("stratframe.pipeline.tables.MAX_TABLE_ROWS", 10)
    data = frame({"a": list("abcdef") * 2, "b": [0, 1] * 6, "fold": [0, 1] * 6})
    assert len(sf.plan(data, "b")) == 10
    rule = "The table of `plan` must be at most 10 rows, got 30 (6 strata x 5 parts), some 0.0 GiB."
    for by in ("a", sf.margins(["a"])):
        refuse_rule(rule, lambda by=by: sf.plan(data, by, rare="ignore"))
    rule = (
        "The table of `balance` must be at most 10 rows, got 12 (6 strata x 2 parts), some 0.0 GiB."
    )
    refuse_rule(rule, lambda: sf.balance(data, "a"))


def test_a_plan_beyond_memory_is_refused_at_once() -> None:
    """Hundreds of millions of rows are refused with their size."""
    data = pd.DataFrame({"a": range(100_000)})
    message = (
        "The table of `plan` must be at most 67,108,864 rows, got 200,000,000"
        " (100,000 strata x 2,000 parts), some 4.5 GiB."
        "\nHint: name fewer entries in `by`, or cut them into fewer strata."
    )
    refuse(message, lambda: sf.plan(data, "a", 2_000, rare="ignore"))
