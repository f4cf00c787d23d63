"""What `by` may hold: labels of any kind, expressions, callables, structs."""

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import (
    FOLDED,
    ROWS,
    Make,
    evaluate,
    folds_of,
    make,
    refuse,
    refuse_now,
    strata_of,
)
from tests.terms.clouds import FEATURE_ROWS

DATA: dict[str, Any] = {
    "label": ["a", "b", "a", "c", "b", "a", "c", "a"] * 3,
    "x": [i * 7 % 24 for i in range(24)],
    "v": [i * 5 % 24 / 4 + 0.125 for i in range(24)],
}

PANDAS = make("pandas", DATA)

POLARS = make("polars", DATA)


def parity() -> list[Any]:
    """Folds by a column that holds what the computed strata compute."""
    return folds_of(PANDAS.assign(odd=PANDAS["x"] % 2), ["odd", "label"])


# Entries --------------------------------------------------------------------------------


NO_ENTRIES = {
    "[]": "`by` must hold at least one entry, got [].",
    "[['label']]": (
        "`by` must hold column names, terms such as `sf.quantiles`, or expressions, got ['label']."
    ),
    "True": "`by` must hold column names, terms such as `sf.quantiles`, or expressions, got True.",
    "sf.chain(5)": (
        "`by` must hold column names, terms such as `sf.quantiles`, or expressions, got 5.\n"
        "Hint: `by` comes first; the number of folds is `k=5`."
    ),
    "['label', 'y', 'label']": "`by` must hold each entry once, got 'label' twice.",
    "[sf.bins('x', [0, 9.5]), sf.bins('x', [0, 9.5])]": (
        "`by` must hold each entry once, got sf.bins('x', [0, 9.5]) twice."
    ),
    "[sf.clusters(['x', 'y'], 2), sf.clusters(['x', 'y'], 2)]": (
        "`by` must hold each entry once, got sf.clusters(['x', 'y']) twice."
    ),
    "[sf.continuous('x'), 'label']": (
        "`sf.continuous` must be the last entry of `by`, and only once, got"
        " [sf.continuous('x'), 'label']."
    ),
    "[sf.chain('x'), sf.chain(['y'])]": (
        "`sf.chain` must be the last entry of `by`, and only once, got [sf.chain(['x']),"
        " sf.chain(['y'])]."
    ),
    "[sf.continuous('x'), sf.nearest('y')]": (
        "`sf.continuous` or `sf.nearest` must be the last entry of `by`, and only once, got"
        " [sf.continuous('x'), sf.nearest(['y'])]."
    ),
    "['label', sf.classes('zzz')]": (
        "`by` names the column 'zzz', which the frame does not have.\n"
        "Hint: the columns are 'label', 'x', 'y', 1."
    ),
    "['label', sf.clusters(['x', 'yy'])]": (
        "`by` names the column 'yy', which the frame does not have.\nHint: did you mean 'y'?"
    ),
    "sf.chain(('x', 'y'))": (
        "`by` names the column ('x', 'y'), which the frame does not have.\n"
        'Hint: several columns go in a list: `["x", "y"]`.'
    ),
}
"""What is no `by`, and the message of each; the frame has a column 1, which True is not."""


@pytest.mark.parametrize("by", NO_ENTRIES)
def test_by(by: str) -> None:
    """What is no entry of `by`, or cannot be with others, is refused."""
    df = pd.DataFrame({**FEATURE_ROWS, 1: 0})
    refuse_now(NO_ENTRIES[by], lambda: sf.kfold(df, evaluate(by), 2))


@pytest.mark.parametrize(
    "verb",
    [
        sf.kfold,
        sf.split,
        sf.plan,
        lambda df, by: sf.balance(df, by, "id"),
        lambda df, by: sf.sample(df, by, n=3),
    ],
    ids=["kfold", "split", "plan", "balance", "sample"],
)
def test_by_of_all_verbs(frame: Make, verb: Callable[..., Any]) -> None:
    """Every verb refuses a wrong `by` at the call, on lazy frames and in expressions too."""
    message = (
        "`by` names the column 'lable', which the frame does not have.\nHint: did you mean 'label'?"
    )
    df = frame(ROWS)
    refuse_now(message, lambda: verb(df, "lable"))
    if not isinstance(df, pd.DataFrame):
        refuse_now(message, lambda: verb(df, pl.col("lable").str.to_uppercase()))


def test_hint_shows_five_columns() -> None:
    """The hint of a column that is not there lists at most five columns."""
    refuse_now(
        "`by` names the column 'zzz', which the frame does not have.\n"
        "Hint: the columns are 'a0', 'a1', 'a2', 'a3', 'a4', ...",
        lambda: sf.kfold(pd.DataFrame({f"a{place}": [1] for place in range(7)}), "zzz"),
    )


@pytest.mark.parametrize("verb", [sf.report, sf.balance, lambda df, by: sf.sample(df, by, n=3)])
def test_by_is_needed(verb: Callable[..., Any]) -> None:
    """Where there is nothing to show without strata, `by=None` is refused."""
    refuse_now(
        "`by` must hold at least one entry, got None.", lambda: verb(pd.DataFrame(FOLDED), None)
    )


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
        f"`{argument}` names the column 'x', which the frame has 2 times.\n"
        "Hint: rename or drop the others first.",
        lambda: call(frame),
    )
    assert sf.kfold(frame, "y", 2).shape == (4, 4)


# Labels ---------------------------------------------------------------------------------


@pytest.mark.parametrize("label", [7, ("a", 1), dt.date(2020, 1, 1), None, 1.5])
def test_labels_of_any_kind(label: Any) -> None:
    """Pandas columns may be called by any hashable label."""
    renamed = PANDAS.copy()
    renamed.columns = pd.Index([label, "x", "v"], dtype=object, tupleize_cols=False)
    by = [label] if label is None else label
    assert folds_of(renamed, by) == folds_of(PANDAS, "label")
    assert sf.plan(renamed, by, 3).columns[0] == label


def test_column_levels() -> None:
    """On a frame with column levels labels are tuples, and the new column goes on top."""
    frame = PANDAS.copy()
    frame.columns = pd.MultiIndex.from_tuples([("y", "label"), ("x", "x"), ("x", "v")])
    out = sf.kfold(frame, [("y", "label")], 3)
    assert out["fold"].tolist() == folds_of(PANDAS, "label")
    assert [fold.fold for fold in sf.folds(out)] == [0, 1, 2]
    assert len(sf.cv(out)) == 3
    refuse_now(
        "The frame has a column 'fold' already. `overwrite=True` replaces it.\n"
        "Hint: df = df.drop(columns='fold')",
        lambda: sf.kfold(out, [("y", "label")], 3),
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
    assert folds_of(PANDAS, [odd, "label"]) == parity()


@pytest.mark.skipif(not hasattr(pd, "col"), reason="pandas has `pd.col` from 3.0 on")
def test_expressions_of_pandas() -> None:
    """A `pd.col` expression is a stratum; one that does not work is refused."""
    assert folds_of(PANDAS, [pd.col("x") % 2, "label"]) == parity()
    lost = pd.col("lost") % 2
    rule = f"A computed column must be a working expression, got {lost}: "
    with pytest.raises(sf.StratError, match=f"^{re.escape(rule)}"):
        folds_of(PANDAS, lost)


@pytest.mark.parametrize("lazy", [False, True])
def test_expressions_of_polars(lazy: bool) -> None:
    """A Polars expression is a stratum, eagerly and lazily, patterns of names too."""
    frame = POLARS.lazy() if lazy else POLARS
    assert folds_of(frame, [pl.col("x") % 2, "label"]) == parity()
    assert folds_of(frame, pl.col("^lab.*$")) == folds_of(POLARS, "label")
    assert len(strata_of(frame, pl.col("^lab.*$"))) == 3
    wrong = pl.col("label") - dt.date(2020, 1, 1)
    rule = f"A computed column must be a working expression, got {wrong}: "
    with pytest.raises(sf.StratError, match=f"^{re.escape(rule)}"):
        folds_of(frame, wrong)


def test_terms_take_computed_columns() -> None:
    """Quantiles, bins and orders may be of expressions and callables."""
    double = POLARS.with_columns(w=pl.col("v") * 2)
    for term in (sf.quantiles, lambda column, n: sf.continuous(column), sf.bins):
        more = [0, 6, 99] if term is sf.bins else 3
        assert folds_of(POLARS, term(pl.col("v") * 2, more)) == folds_of(double, term("w", more))
        assert folds_of(PANDAS, term(lambda df: df["v"] * 2, more)) == folds_of(
            double, term("w", more)
        )


@pytest.mark.parametrize("argument", ["by", "key"])
def test_references_of_the_other_library(frame: Make, kind: str, argument: str) -> None:
    """Polars takes expressions and pandas callables; the other way round is refused."""
    reference = len if "polars" in kind else pl.col("label")
    refuse_now(
        f"`{argument}` takes Polars expressions on Polars frames, and callables or `pd.col`"
        f" on pandas frames, got {reference} on a {kind.partition('-')[0]} frame.",
        lambda: sf.kfold(frame(ROWS), **{argument: reference}),
    )


@pytest.fixture(params=["polars", "polars-lazy"])
def polars(request: pytest.FixtureRequest) -> Any:
    """Polars frames, eager and lazy."""
    return make(request.param, ROWS)


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
        f"A computed column must give one value for each of the 10 rows, got {length} from {expr}.",
        lambda: sf.kfold(polars, [*more, expr], 2),
    )


def some(df: pd.DataFrame) -> Any:
    """Take three of the rows."""
    return df["id"].head(3)


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (lambda df: 3, "A callable must return one value a row, got int."),
        (lambda df: df, "A callable must return one value a row, got DataFrame."),
        (
            lambda df: df["id"][::-1],
            "A callable must return its values in the order of the frame, got another index.",
        ),
        (
            some,
            "A computed column must give one value for each of the 10 rows, got 3 from"
            " <function some>.",
        ),
    ],
    ids=["number", "frame", "order", "height"],  # a function has another address each time
)
def test_callables(reference: Callable[..., Any], message: str) -> None:
    """A callable that does not return a value for each row, in their order, is refused."""
    refuse_now(message, lambda: sf.kfold(make("pandas", ROWS), reference))
