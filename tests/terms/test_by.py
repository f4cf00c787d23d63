"""What `by` may hold: labels of any kind, expressions, callables, structs."""

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import FOLDED, ROWS, Make, make, refuse, refuse_now, values
from tests.messages import (
    OTHER_INDEX,
    at_least_one,
    column_taken,
    column_twice,
    given_twice,
    last_entry,
    must_hold,
    no_column,
    not_a_column,
    not_working,
    other_length,
    other_library,
)
from tests.terms.clouds import FEATURE_ROWS

DATA: dict[str, Any] = {
    "label": ["a", "b", "a", "c", "b", "a", "c", "a"] * 3,
    "x": [i * 7 % 24 for i in range(24)],
    "v": [i * 5 % 24 / 4 + 0.125 for i in range(24)],
}

PANDAS = make("pandas", DATA)

POLARS = make("polars", DATA)


def folds(frame: Any, by: Any, **options: Any) -> list[Any]:
    return values(sf.kfold(frame, by, 3, rare="ignore", **options), "fold")


def parity() -> list[Any]:
    """Folds by a column that holds what the computed strata compute."""
    return folds(PANDAS.assign(odd=PANDAS["x"] % 2), ["odd", "label"])


# Entries --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ([], at_least_one("by", "entry", [])),
        (
            5,
            must_hold("by", 5),
        ),
        (
            [["label"]],
            must_hold("by", ["label"]),
        ),
        (
            {"label"},
            must_hold("by", {"label"}),
        ),
        (["label", "id", "label"], given_twice("by", "entry", "'label'")),
        (
            [sf.quantiles("id", 3), sf.quantiles("id", 3)],
            given_twice("by", "entry", "sf.quantiles('id', 3)"),
        ),
        (
            [sf.bins("id", [0, 9.5]), sf.bins("id", [0, 9.5])],
            given_twice("by", "entry", "sf.bins('id', [0, 9.5])"),
        ),
        (
            [sf.continuous("price"), "label"],
            last_entry("`sf.continuous`", "[sf.continuous('price'), 'label']"),
        ),
        (
            [sf.continuous("price"), sf.continuous("id")],
            last_entry("`sf.continuous`", "[sf.continuous('price'), sf.continuous('id')]"),
        ),
        (
            "lable",
            no_column("by", "lable", "label"),
        ),
        (
            ["label", sf.classes("zzz")],
            no_column("by", "zzz", known=["id", "label", "price", "tags"]),
        ),
    ],
)
@pytest.mark.parametrize(
    "verb",
    [
        sf.kfold,
        sf.split,
        sf.plan,
        sf.strata,
        lambda df, by: sf.balance(df, by, "id"),
        lambda df, by: sf.sample(df, by, n=3),
    ],
    ids=["kfold", "split", "plan", "strata", "balance", "sample"],
)
def test_by(frame: Make, kind: str, verb: Callable[..., Any], by: Any, message: str) -> None:
    """Every verb refuses the same entries of `by` in the same words, at the call."""
    refuse_now(message, lambda: verb(frame(ROWS), by), kind)


def test_hint_shows_five_columns(frame: Make, kind: str) -> None:
    """The hint of a column that is not there lists at most five columns."""
    refuse_now(
        no_column("by", "zzz", known=[f"a{place}" for place in range(7)]),
        lambda: sf.kfold(frame({f"a{place}": [1] for place in range(7)}), "zzz"),
        kind,
    )


@pytest.mark.parametrize("verb", [sf.strata, sf.balance, lambda df, by: sf.sample(df, by, n=3)])
def test_by_is_needed(frame: Make, kind: str, verb: Callable[..., Any]) -> None:
    """Where there is nothing to show without strata, `by=None` is refused."""
    refuse_now(at_least_one("by", "entry", None), lambda: verb(frame(FOLDED), None), kind)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda df: sf.kfold(df, "x"), "by"),
        (lambda df: sf.kfold(df, key="x"), "key"),
        (lambda df: sf.folds(df, "x"), "name"),
    ],
)
def test_columns_that_are_there_twice(call: Callable[..., Any], argument: str) -> None:
    """A column asked for that a pandas frame has twice is refused; others may be twice."""
    frame = pd.DataFrame([[1, 2, 3]] * 4, columns=["x", "x", "y"])
    refuse_now(
        column_twice(argument, "x"),
        lambda: call(frame),
    )
    assert sf.kfold(frame, "y", 2).shape == (4, 4)


@pytest.mark.parametrize(
    ("by", "message"),
    [
        (
            [sf.chain("x"), "label"],
            last_entry("`sf.chain`", "[sf.chain(['x']), 'label']"),
        ),
        (
            [sf.chain("x"), sf.nearest(["y"])],
            last_entry("`sf.chain` or `sf.nearest`", "[sf.chain(['x']), sf.nearest(['y'])]"),
        ),
        (
            [sf.continuous("x"), sf.chain("y")],
            last_entry("`sf.continuous` or `sf.chain`", "[sf.continuous('x'), sf.chain(['y'])]"),
        ),
        (
            [sf.clusters(["x", "y"], 2), sf.clusters(["x", "y"], 2)],
            given_twice("by", "entry", "sf.clusters(['x', 'y'])"),
        ),
        (
            ["label", sf.clusters(["x", "yy"])],
            no_column("by", "yy", "y"),
        ),
        (
            sf.chain(("x", "y")),
            no_column("by", ("x", "y")),
        ),
        (
            sf.chain(5),
            must_hold("by", 5),
        ),
    ],
)
def test_entries(frame: Make, kind: str, by: Any, message: str) -> None:
    """What does not combine, or is no column, is refused at the call, on lazy frames too."""
    refuse_now(message, lambda: sf.kfold(frame(FEATURE_ROWS), by, 2), kind)


# Labels ---------------------------------------------------------------------------------


@pytest.mark.parametrize("label", [7, ("a", 1), dt.date(2020, 1, 1), None, 1.5])
def test_labels_of_any_kind(label: Any) -> None:
    """Pandas columns may be called by any hashable label."""
    renamed = PANDAS.copy()
    renamed.columns = pd.Index([label, "x", "v"], dtype=object, tupleize_cols=False)
    by = [label] if label is None else label
    assert folds(renamed, by) == folds(PANDAS, "label")
    assert sf.strata(renamed, by).columns[0] == label


def test_a_label_is_not_its_equal() -> None:
    """True is not the column 1."""
    frame = PANDAS.rename(columns={"label": 1})
    refuse_now(must_hold("by", True), lambda: folds(frame, True))


def test_column_levels() -> None:
    """On a frame with column levels labels are tuples, and the new column goes on top."""
    frame = PANDAS.copy()
    frame.columns = pd.MultiIndex.from_tuples([("y", "label"), ("x", "x"), ("x", "v")])
    out = sf.kfold(frame, [("y", "label")], 3)
    assert out["fold"].tolist() == folds(PANDAS, "label")
    assert [fold.fold for fold in sf.folds(out)] == [0, 1, 2]
    assert len(sf.cv(out)) == 3
    refuse_now(
        column_taken("fold", drop="columns='fold'"), lambda: sf.kfold(out, [("y", "label")], 3)
    )


# Expressions and callables --------------------------------------------------------------


@pytest.mark.parametrize(
    "odd",
    [
        lambda df: df["x"] % 2,
        lambda df: (df["x"] % 2).to_numpy(),
        lambda df: (df["x"] % 2).tolist(),
    ],
    ids=["Series", "array", "list"],
)
def test_callables_of_pandas_frames(odd: Any) -> None:
    """A callable gives a stratum for each row, as a series, an array or a list."""
    assert folds(PANDAS, [odd, "label"]) == parity()


@pytest.mark.skipif(not hasattr(pd, "col"), reason="pandas has `pd.col` from 3.0 on")
def test_expressions_of_pandas() -> None:
    """A `pd.col` expression is a stratum; one that does not work is refused."""
    assert folds(PANDAS, [pd.col("x") % 2, "label"]) == parity()
    lost = pd.col("lost") % 2
    with pytest.raises(sf.StratError, match=f"^{re.escape(not_working(lost))}"):
        folds(PANDAS, lost)


@pytest.mark.parametrize("lazy", [False, True])
def test_expressions_of_polars(lazy: bool) -> None:
    """A Polars expression is a stratum, eagerly and lazily, patterns of names too."""
    frame = POLARS.lazy() if lazy else POLARS
    assert folds(frame, [pl.col("x") % 2, "label"]) == parity()
    assert folds(frame, pl.col("^lab.*$")) == folds(POLARS, "label")
    assert len(sf.strata(frame, pl.col("^lab.*$"))) == 3
    wrong = pl.col("label") - dt.date(2020, 1, 1)
    with pytest.raises(sf.StratError, match=f"^{re.escape(not_working(wrong))}"):
        folds(frame, wrong)


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        (lambda df: df[["x"]], not_a_column("DataFrame")),
        (lambda df: 1, not_a_column("int")),
        (
            lambda df: df["x"].sort_values(),
            OTHER_INDEX,
        ),
        (
            lambda df: df["x"].head(3),
            other_length(24, 3, "").removesuffix("."),
        ),
    ],
)
def test_callables_that_do_not_fit(odd: Any, message: str) -> None:
    """A callable that returns no column, too short a one, or one in another order is refused."""
    with pytest.raises(sf.StratError) as caught:
        folds(PANDAS, odd)
    assert str(caught.value).startswith(message)


def test_terms_take_computed_columns() -> None:
    """Quantiles, bins and orders may be of expressions and callables."""
    double = POLARS.with_columns(w=pl.col("v") * 2)
    for term in (sf.quantiles, lambda column, n: sf.continuous(column), sf.bins):
        more = [0, 6, 99] if term is sf.bins else 3
        assert folds(POLARS, term(pl.col("v") * 2, more)) == folds(double, term("w", more))
        assert folds(PANDAS, term(lambda df: df["v"] * 2, more)) == folds(double, term("w", more))


@pytest.mark.parametrize("argument", ["by", "key"])
def test_references_of_the_other_library(frame: Make, kind: str, argument: str) -> None:
    """Polars takes expressions and pandas callables; the other way round is refused."""
    reference = len if "polars" in kind else pl.col("label")
    refuse_now(
        other_library(argument, reference, kind.partition("-")[0]),
        lambda: sf.kfold(frame(ROWS), **{argument: reference}),
    )


@pytest.fixture(params=["polars", "polars-lazy"])
def polars(request: pytest.FixtureRequest) -> Any:
    """Polars frames, eager and lazy."""
    return make(request.param, ROWS)


@pytest.mark.parametrize("verb", [sf.kfold, sf.strata, sf.plan])
def test_expression_of_a_column_that_is_not_there(polars: Any, verb: Callable[..., Any]) -> None:
    """An expression over a column that is not there is refused at the call as the name is."""
    refuse_now(
        no_column("by", "lable", "label"),
        lambda: verb(polars, pl.col("lable").str.to_uppercase()),
    )


@pytest.mark.parametrize("expr", [pl.col("label", "id"), pl.col("^(label|id)$")])
def test_expression_of_two_columns(polars: Any, expr: pl.Expr) -> None:
    """An expression that makes several columns is no entry, and none of them is picked."""
    message = f"An entry of `by` must give one column, got 2 from {expr}."
    refuse_now(message, lambda: sf.kfold(polars, expr))


@pytest.mark.parametrize(
    ("expr", "length"), [(pl.col("id").sum(), 1), (pl.col("id").head(6), 6), (pl.lit(1), 1)]
)
@pytest.mark.parametrize("more", [[], ["label"]])
def test_expression_of_another_length(
    polars: Any, expr: pl.Expr, length: int, more: list[str]
) -> None:
    """An expression that does not give a value for each row is refused."""
    refuse(
        other_length(10, length, expr),
        lambda: sf.kfold(polars, [*more, expr], 2),
    )


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (lambda df: 3, not_a_column("int")),
        (lambda df: df, not_a_column("DataFrame")),
        (lambda df: None, not_a_column("NoneType")),
        (
            lambda df: df["id"][::-1],
            OTHER_INDEX,
        ),
    ],
)
def test_callables(reference: Callable[..., Any], message: str) -> None:
    """A callable that does not return a value for each row, in their order, is refused."""
    refuse_now(message, lambda: sf.kfold(make("pandas", ROWS), reference))


def test_callable_of_another_length() -> None:
    """A callable that returns fewer values than rows is refused."""

    def some(df: pd.DataFrame) -> Any:
        return df["id"].head(3)

    refuse_now(
        other_length(10, 3, some),
        lambda: sf.kfold(make("pandas", ROWS), some),
    )
