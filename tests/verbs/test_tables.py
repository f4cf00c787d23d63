"""Tables of strata, `plan` and `balance`, and what all verbs that return a table share."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import TWO_KINDS, Make, columns_of, eager, make, refuse_now, strata_of, values
from tests.verbs.conftest import CLASSES

TABLES = [sf.balance, lambda df, by: sf.plan(df, by, 2, rare="ignore")]
TAKEN = ["fold", "n", "share"]
DATA = CLASSES | {"price": [row + 0.5 for row in range(8)], "id": list(range(8))}


def test_values_keep_their_type(frame: Make, kind: str) -> None:
    """Values in a table keep the type that they have in the frame."""
    data = frame(DATA)
    for found in (sf.plan(data, "size", 2), sf.balance(sf.kfold(data, k=2), "size")):
        assert isinstance(found, pd.DataFrame if kind.startswith("pandas") else pl.DataFrame)
        assert found["size"].dtype == eager(data)["size"].dtype


def test_continuous_entries_are_shown_in_bins(frame: Make) -> None:
    """A balance shows a continuous entry in up to five quantile bins, of two rows for each fold."""
    data = {"price": [row + 0.5 for row in range(40)], "label": [*"ab"] * 20}
    for k, sizes in ((2, [8] * 5), (4, [8] * 5), (5, [10] * 4), (15, [40])):
        found = columns_of(sf.balance(sf.kfold(frame(data), "price", k), "price"))
        assert found["fold"] == [fold for fold in range(k) for _ in sizes]
        assert (found["price"][0][:4], found["price"][-1][-5:]) == ("[0.5", "39.5]")
        counts = np.array(found["n"]).reshape(k, -1)
        assert counts.sum(axis=0).tolist() == sizes
    nested = sf.balance(sf.kfold(frame(data), ["label", "price"], 2), ["label", "price"])
    assert values(nested, "label") == (["a"] * 5 + ["b"] * 5) * 2


@pytest.mark.parametrize("unit", ["s", "ns"])
def test_dates_are_shown_as_dates(unit: str) -> None:
    """Quantile bins of dates are named by dates, whatever the unit."""
    days = pd.Series(pd.date_range("2024-01-01", periods=4)).astype(f"datetime64[{unit}]")
    first, last = strata_of(pd.DataFrame({"day": days}), sf.quantiles("day", 2))
    assert first == "[2024-01-01 00:00:00, 2024-01-02 00:00:00]"
    assert last == "(2024-01-02 00:00:00, 2024-01-04 00:00:00]"


def test_balance_counts_in_full(frame: Make) -> None:
    """Every fold is compared with every stratum, zero counts too; rows without one are left out."""
    found = columns_of(sf.balance(frame(DATA | {"fold": [0, 0, 1, 2, 0, None, 1, 2]}), "label"))
    assert found["fold"] == [0] * 4 + [1] * 4 + [2] * 4
    assert found["label"] == ["a", "b", "c", None] * 3
    counts = np.array([[2, 1, 0, 0], [0, 0, 1, 1], [2, 0, 0, 0]])
    sizes = counts.sum(axis=1)[:, None]
    expected = np.outer([3, 2, 2], [4, 1, 1, 1]) / 7
    figures = [counts, counts / sizes, expected, counts - expected]
    for name, each in zip(["n", "share", "expected", "deviation"], figures, strict=True):
        np.testing.assert_allclose(found[name], each.ravel())


OPTIONS: list[dict[str, Any]] = [
    {"k": 3},
    {"k": 4, "seed": 9},
    {"k": 2, "deal": "circular"},
    {"k": 3, "deal": "contiguous"},
    {"parts": {"train": 0.6, "valid": 0.2, "test": 0.2}},
    {"k": 3, "groups": "id"},
    {"parts": {"x": 3, "y": None}, "key": "id"},
    {"each": {"x": None, "y": 1}},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_plan_is_what_the_call_deals(options: dict[str, Any]) -> None:
    """The planned counts are those of the deal, stratum by stratum and part by part."""
    names = ["size", "label", "fold"]
    options = {"missing": "stratum", "rare": "ignore", "name": "fold", **options}
    verb = sf.kfold if "k" in options else sf.split
    dealt = columns_of(verb(pl.DataFrame(DATA), names[:2], **options))
    planned = columns_of(sf.plan(pl.DataFrame(DATA), names[:2], **options))
    counts = Counter(zip(*(dealt[name] for name in names), strict=True))
    rows = [*zip(*(planned[name] for name in names), strict=True)]
    assert planned["n"] == [counts[row] for row in rows]
    assert (len({*rows}), sum(planned["n"])) == (len(rows), 8)


def test_a_plan_leaves_out_what_the_deal_leaves_out(frame: Make) -> None:
    """A plan leaves out rows without a fold, and entries that only order rows."""
    planned = sf.plan(frame(DATA), ["label", "price"], 2, missing="null", rare="null")
    assert sum(values(planned, "n")) == 6
    assert list(planned.columns) == ["label", "fold", "n"]
    assert columns_of(sf.plan(frame({"x": [*range(10)]}), k=3)) == {
        "fold": [0, 1, 2],
        "n": [3, 3, 4],
    }


NAMED = [(table, sf.classes("a", name=name), name) for table in TABLES for name in TAKEN]
NAMED += [(sf.balance, [sf.quantiles("x", 2), "x"], "x")]
NAMED += [(lambda df, by: sf.balance(df, by, ["a", "b"]), "column", "column")]


@pytest.mark.parametrize(("table", "by", "taken"), NAMED)
def test_entries_need_names_of_their_own(table: Any, by: Any, taken: str) -> None:
    """An entry with the name of another column of the table is an error."""
    rows = {"x": [1.5, 2.5], "column": ["u", "v"], "a": [0, 1], "b": [1, 0], "fold": [0, 1]}

    refuse_now(
        f"{taken!r} is already a column of the result: an entry of `by` must have another"
        ' name.\nHint: rename the entry, as in `sf.classes(..., name="stratum")`.',
        lambda: table(pd.DataFrame(rows), by),
    )


def test_column_is_taken_only_in_tables_of_several_columns() -> None:
    """An entry may be called `column` where the table has one fold column."""
    df = pd.DataFrame({"column": ["u", "v"], "fold": [0, 1]})
    assert sf.balance(df, "column").columns[1] == "column"


def test_computed_strata_are_named() -> None:
    """Expressions and callables are named after their result, or by their place."""
    pandas, polars = (library.DataFrame({"x": [1, 2, 3, 4]}) for library in (pd, pl))
    assert sf.plan(pandas, lambda df: df["x"] % 2, 2).columns[0] == "x"
    assert sf.plan(pandas, lambda df: (df["x"] % 2).to_numpy(), 2).columns[0] == "stratum_1"
    assert sf.plan(polars, (pl.col("x") % 2).alias("odd"), 2).columns[0] == "odd"


@pytest.mark.parametrize("by", ["label", sf.quantiles("label", 3), sf.bins("label", [0, 1])])
def test_tables_of_no_rows(frame: Make, by: Any) -> None:
    """A table of an empty frame is empty."""
    empty = frame({"label": [], "fold": []})
    figures = ["n", "share", "expected", "deviation"]
    assert columns_of(sf.balance(empty, by)) == {name: [] for name in ["fold", "label", *figures]}
    assert columns_of(sf.plan(empty, by)) == {"label": [], "fold": [], "n": []}


LISTED: dict[str, tuple[Any, Any, Any, Any]] = {
    "classes": ("aabbb", [100, 9, None, 10, 9], ["y", "x"], "a 9, a 100, b 9, b 10, b None"),
    "bins": ("bab", [99, 20, 3], ["y", sf.bins("x", [0, 9, 99])], "a (9-99], b [0-9], b (9-99]"),
    "margins": ("yxx", [2, 1, 2], sf.margins(["x", "y"]), "x 1, x 2, y x, y y"),
}
"""Columns y and x, an entry, and the strata in their order."""


@pytest.mark.parametrize("case", LISTED)
def test_strata_are_sorted(frame: Make, case: str) -> None:
    """Numbers and bins are sorted by size, and strata in nested order."""
    y, x, by, listed = LISTED[case]
    data = frame({"y": [*y], "x": x, "fold": [0] * len(x)})
    columns = columns_of(sf.balance(data, by))
    shown = [columns[name] for name in columns if name in ("x", "y", "entry", "value")]
    for found in (strata_of(data, by), zip(*shown, strict=True)):
        names = [f"{first} {str(second).replace(', ', '-')}" for first, second in found]
        assert ", ".join(names).replace(".0", "") == listed


@pytest.mark.parametrize("kind", TWO_KINDS)
@given(st.lists(st.sampled_from([None, *range(-3, 12)]), min_size=1, max_size=30))
def test_strata_are_in_the_order_of_sort(kind: str, numbers: list[int | None]) -> None:
    """The values are those of Python's `sorted`, missing ones last."""
    found = strata_of(make(kind, {"x": [None, 0, *numbers]}), "x")
    assert list(found) == [*sorted({0, *numbers} - {None}), None]


def test_categories_keep_their_order() -> None:
    """Categories are listed in their order, and objects without an order as they appear."""
    sizes = ["low", "mid", "high"]
    rows = ["high", "low", "mid"]
    assert list(strata_of(pd.DataFrame({"x": pd.Categorical(rows, sizes)}), "x")) == sizes
    assert list(strata_of(pl.DataFrame({"x": pl.Series(rows, dtype=pl.Enum(sizes))}), "x")) == sizes
    frame = pd.DataFrame({"x": pd.Series([2j, 1j, 2j]), "y": list("bab")})
    assert list(strata_of(frame, ["x", "y"])) == [(2j, "b"), (1j, "a")]


def test_parts_of_text_are_in_their_order(frame: Make) -> None:
    """Parts of text are listed by their use, as `parts` does, and other labels sorted."""
    parts = ["test", "train", "valid", "extra", "train", "test", None]
    df = frame({"label": [*"abababc"], "split": parts})
    names = ["train", "valid", "test", "extra"]
    assert list(sf.parts(df)) == names
    assert list(dict.fromkeys(values(sf.balance(df, "label", "split"), "fold"))) == names
    assert values(sf.report(df, "label", "split"), "split") == names
    rule: dict[str, Any] = {"valid": names, "nulls": "drop"}
    assert [fold.fold for fold in sf.folds(df, "split", **rule)] == names
    held = [valid.tolist() for _, valid in sf.cv(df, "split", **rule)]
    assert held == [[1, 4], [2], [0, 5], [3]]
    other = frame({"label": list("abab"), "fold": ["south", "north", "west", "east"]})
    assert values(sf.report(other, "label"), "fold") == ["east", "north", "south", "west"]


def test_tables_that_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of more rows than the limit is an error that gives its size; others are made."""
    monkeypatch.setattr("stratframe.verbs.result_tables.MAX_TABLE_ROWS", 10)
    data = pd.DataFrame({"a": list("abcdef") * 2, "b": [0, 1] * 6, "fold": [0, 1] * 6})
    assert len(sf.plan(data, "b")) == 10
    of = "must not exceed 10 rows, got 12 (6 strata x 2 parts)."
    hint = "\nHint: name fewer entries in `by`, or cut them into fewer strata."
    for verb, table in zip(("balance", "plan"), TABLES, strict=True):
        for by in (sf.classes("a"), sf.margins(["a"])):
            refuse_now(f"The table of `{verb}` {of}{hint}", partial(table, data, by))


LEAKS: dict[str, Any] = {"key": "id", "duplicates": "x"}
READS_FOLDS: dict[str, Callable[..., Any]] = {
    "balance": lambda df, name="fold": sf.balance(df, "label", name),
    "report": lambda df, name="fold": sf.report(df, "label", name),
    "compare": lambda df, name="fold": sf.compare(df, "label", name, "x"),
    "drift": lambda df, name="fold": sf.drift(df, ["x", "label"], name),
    "leaks": lambda df, name="fold": sf.leaks(df, groups="who", **LEAKS, name=name),
}

VERBS: dict[str, Callable[..., Any]] = {
    "plan": lambda df: sf.plan(df, "label", 2, missing="stratum"),
    "advise": lambda df: sf.advise(df, "label", [2, 3]),
    **READS_FOLDS,
}
DRAWN = np.random.default_rng(0)
SIXTY: dict[str, list[Any]] = {
    "label": DRAWN.choice(["a", "b", None], 60).tolist(),
    "x": DRAWN.choice([0.5, 0.0, -0.0, None], 60).tolist(),
    "who": DRAWN.integers(0, 30, 60).tolist(),
    "id": [row // 2 for row in range(60)],
    "fold": DRAWN.choice([0, 1, 4, None], 60).tolist(),
    "part": DRAWN.choice([0, 1], 60).tolist(),
}


@pytest.mark.parametrize("verb", VERBS)
def test_frames_without_rows(frame: Make, kind: str, verb: str) -> None:
    """A table of no rows has all of its columns, whatever the types."""
    full = frame(SIXTY)
    is_compared = verb == "compare"
    columns = list(VERBS[verb](full).columns)
    assert eager(full).equals(eager(frame(SIXTY)))
    for empty in (full.head(0), frame({name: [] for name in SIXTY})):
        found = VERBS[verb](empty)
        assert isinstance(found, pl.DataFrame if "polars" in kind else pd.DataFrame)
        assert (list(found.columns), len(found)) == (columns, int(is_compared))
        if verb in READS_FOLDS:
            several = VERBS[verb](empty, ["fold", "part"])
            assert list(several.columns) == list(VERBS[verb](full, ["fold", "part"]).columns)
            assert len(several) == (2 if is_compared else 0)


@pytest.mark.parametrize("verb", ["balance", "report", "drift", "leaks"])
def test_several_fold_columns(frame: Make, verb: str) -> None:
    """A table of several fold columns has the rows of each below those of the one before."""
    df = frame(SIXTY)
    table = READS_FOLDS[verb]
    found = columns_of(table(df, ["fold", "part"]))
    first, second = (columns_of(table(df, name)) for name in ("fold", "part"))
    assert list(found) == ["column", *first]
    assert [{"part": "fold"}.get(name, name) for name in second] == list(first)
    n_first, n_second = (len(next(iter(each.values()))) for each in (first, second))
    assert found.pop("column") == ["fold"] * n_first + ["part"] * n_second
    expected = [one + other for one, other in zip(first.values(), second.values(), strict=True)]
    assert list(found.values()) == expected


@pytest.mark.parametrize("verb", VERBS)
def test_a_lazy_frame_is_collected_once(verb: str) -> None:
    """One query reads the columns that the call names, for all fold columns."""
    read: list[str] = []

    def note(column: pl.Series) -> pl.Series:
        read.append(column.name)
        return column

    lazy = pl.LazyFrame({**SIXTY, "costly": SIXTY["x"]})
    noted = [pl.col(name).map_batches(note, dtype) for name, dtype in lazy.collect_schema().items()]
    names = [["fold", "part"]] if verb in READS_FOLDS else []
    found = VERBS[verb](lazy.with_columns(noted), *names)
    assert {*SIXTY} >= {*read} > set()
    assert len(set(read)) == len(read)
    assert columns_of(found) == columns_of(VERBS[verb](pl.DataFrame(SIXTY), *names))


NAMED_READS: dict[str, Callable[..., Any]] = {
    "folds": lambda df, name: [values(fold.valid, "id") for fold in sf.folds(df, name)],
    "cv": lambda df, name: [valid.tolist() for _, valid in sf.cv(df, name)],
    "check": lambda df, name: str(sf.check(df, "label", name)),
    "extend": lambda df, name: columns_of(sf.extend(df, "label", name=name)),
}


@pytest.mark.parametrize("verb", [*READS_FOLDS, *NAMED_READS])
def test_a_name_means_its_repeats(verb: str) -> None:
    """Where there is no `fold`, every verb reads what `repeats` made of it."""
    read = NAMED_READS.get(verb) or (lambda df, name: columns_of(READS_FOLDS[verb](df, name)))
    rows = {"label": ["a", "b"] * 30, **{name: SIXTY[name] for name in ("x", "who", "id")}}
    three = sf.kfold(pl.LazyFrame(rows), "label", 2, repeats=3)
    assert read(three, "fold") == read(three, ["fold_1", "fold_2", "fold_3"])
    whole = sf.kfold(three, "label", 2)
    assert read(whole, "fold") == read(whole, ["fold"])
