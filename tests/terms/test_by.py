"""What `by` may hold: labels of any kind, expressions, callables."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import ROWS, Make, folds_of, refuse, refuse_now, refused, strata_of

DATA: dict[str, Any] = {
    "label": ["a", "b", "a", "c", "b", "a", "c", "a"] * 3,
    "x": [i * 7 % 24 for i in range(24)],
    "v": [i * 5 % 24 / 4 + 0.125 for i in range(24)],
}
PANDAS = pd.DataFrame(DATA)
POLARS = pl.DataFrame(DATA)
PARITY = folds_of(PANDAS.assign(odd=PANDAS["x"] % 2), ["odd", "label"])
WITH_BY = [
    pytest.param(sf.kfold, {}, id="kfold"),
    pytest.param(sf.split, {}, id="split"),
    pytest.param(sf.plan, {}, id="plan"),
    pytest.param(sf.balance, {"name": "id"}, id="balance"),
    pytest.param(sf.sample, {"n": 3}, id="sample"),
]
TERMS = [
    pytest.param(lambda w: sf.continuous(w), id="continuous"),
    pytest.param(lambda w: sf.quantiles(w, 3), id="quantiles"),
    pytest.param(lambda w: sf.bins(w, [0, 6, 99]), id="bins"),
    pytest.param(lambda w: sf.clusters([w, "x"], 3), id="clusters"),
    pytest.param(lambda w: sf.chain([w, "x"]), id="chain"),
    pytest.param(lambda w: sf.nearest([w, "x"]), id="nearest"),
]
IN_ORDER = "in the order of the frame, got a different index."
COMPUTED: dict[str, Callable[[pd.DataFrame], Any]] = {
    "callable must return one value per row, got int.": lambda _: 3,
    "callable must return one value per row, got DataFrame.": lambda df: df,
    f"callable must return its values {IN_ORDER}": lambda df: df["id"][::-1],
    "computed column must give one value for each of the 10 rows, got 3": lambda df: df["id"][:3],
}


@pytest.mark.parametrize(("verb", "options"), WITH_BY)
def test_by_of_all_verbs(frame: Make, verb: Any, options: dict[str, Any]) -> None:
    """Every verb refuses a wrong `by` at the call, on lazy frames and in expressions too."""
    message = "`by` names the column 'lable', which the frame does not have."
    message += "\nHint: did you mean 'label'?"
    df = frame(ROWS)
    wrong = ["lable"] if isinstance(df, pd.DataFrame) else ["lable", pl.col("lable") + "."]
    for by in wrong:
        refuse_now(message, lambda by=by: verb(df, by, **options))


@pytest.mark.parametrize("label", [7, ("a", 1), dt.date(2020, 1, 1), None, 1.5])
def test_labels_of_any_kind(label: Any) -> None:
    """Pandas columns may be called by any hashable label."""
    names = pd.Index([label, "x", "v"], dtype=object, tupleize_cols=False)
    renamed = PANDAS.set_axis(names, axis=1)
    by = [label] if label is None else label
    assert folds_of(renamed, by) == folds_of(PANDAS, "label")
    assert sf.plan(renamed, by, 3).columns[0] == label


def test_column_levels() -> None:
    """On a frame with column levels labels are tuples, and the new column goes on top."""
    names = pd.MultiIndex.from_tuples([("y", "label"), ("x", "x"), ("x", "v")])
    frame = PANDAS.set_axis(names, axis=1)
    out = sf.kfold(frame, [("y", "label")], 3)
    assert out["fold"].tolist() == folds_of(PANDAS, "label")
    assert [fold.fold for fold in sf.folds(out)] == [0, 1, 2]
    assert len(sf.cv(out)) == 3
    repeated = sf.kfold(frame, [("y", "label")], 3, repeats=2)
    assert list(repeated.columns[3:]) == [("fold_1", ""), ("fold_2", "")]
    with pytest.raises(sf.StratError, match=r"^The frame has a column 'fold' already"):
        sf.kfold(out, [("y", "label")], 3)


def test_columns_that_are_there_twice() -> None:
    """A column that a pandas frame has twice is refused if the call names it, and else ignored."""
    frame = pd.DataFrame([[1, 2, 3]] * 4, columns=["x", "x", "y"])
    message = "names the column 'x', which occurs 2 times in the frame.\n"
    message += "Hint: rename or drop all but one of these columns first."
    refuse_now(f"`by` {message}", lambda: sf.kfold(frame, "x"))
    refuse_now(f"`name` {message}", lambda: sf.folds(frame, "x"))
    refuse_now(f"`key` {message}", lambda: sf.kfold(frame, key="x"))
    assert sf.kfold(frame, "y", 2).shape == (4, 4)


@pytest.mark.parametrize("values", [pd.Series, pd.Series.to_numpy, pd.Series.tolist])
def test_callables_of_pandas_frames(values: Callable[[pd.Series], Any]) -> None:
    """A callable gives a stratum for each row, as a series, an array or a list."""
    assert folds_of(PANDAS, [lambda df: values(df["x"] % 2), "label"]) == PARITY


@pytest.mark.skipif(not hasattr(pd, "col"), reason="pandas has `pd.col` from 3.0 on")
def test_expressions_of_pandas() -> None:
    """A `pd.col` expression is a stratum; one that does not work is refused."""
    assert folds_of(PANDAS, [pd.col("x") % 2, "label"]) == PARITY
    with pytest.raises(sf.StratError, match=r"^A computed column must be a working expression"):
        folds_of(PANDAS, pd.col("lost") % 2)


@pytest.mark.parametrize("frame", [POLARS, POLARS.lazy()], ids=["eager", "lazy"])
def test_expressions_of_polars(frame: Any) -> None:
    """A Polars expression of one column, by a pattern too, is a stratum; others are refused."""
    assert folds_of(frame, [pl.col("x") % 2, "label"]) == PARITY
    assert folds_of(frame, pl.col("^lab.*$")) == folds_of(POLARS, "label")
    assert len(strata_of(frame, pl.col("^lab.*$"))) == 3
    with pytest.raises(sf.StratError, match=r"^A computed column must be a working expression"):
        folds_of(frame, pl.col("label") - dt.date(2020, 1, 1))
    for expr in (pl.col("label", "x"), pl.col("^(label|x)$")):
        message = f"An entry of `by` must give one column, got 2 from {expr}."
        refuse_now(message, lambda expr=expr: sf.kfold(frame, expr))
    for expr, length in ((pl.col("x").sum(), 1), (pl.col("x").head(6), 6), (pl.lit(1), 1)):
        message = "A computed column must give one value for each of the 24 rows"
        for by in ([expr], ["label", expr]):
            refuse(f"{message}, got {length} from {expr}.", lambda by=by: sf.kfold(frame, by, 2))


@pytest.mark.parametrize("make_term", TERMS)
def test_terms_take_computed_columns(make_term: Callable[[Any], Any]) -> None:
    """Quantiles, bins and orders may be of expressions and callables."""
    expected = folds_of(POLARS.with_columns(w=pl.col("v") * 2), make_term("w"))
    for frame in (POLARS, POLARS.lazy()):
        assert folds_of(frame, make_term(pl.col("v") * 2)) == expected
    assert folds_of(PANDAS, make_term(lambda df: df["v"] * 2)) == expected


@pytest.mark.parametrize("argument", ["by", "key"])
def test_references_of_the_other_library(frame: Make, kind: str, argument: str) -> None:
    """Polars takes expressions and pandas callables; the other way round is refused."""
    reference = len if "polars" in kind else pl.col("label")
    message = f"`{argument}` takes Polars expressions on Polars frames, and callables or `pd.col`"
    message += f" on pandas frames, got {reference} on a {kind.partition('-')[0]} frame."
    refuse_now(message, lambda: sf.kfold(frame(ROWS), **{argument: reference}))


@pytest.mark.parametrize("message", COMPUTED)
def test_callables(message: str) -> None:
    """A callable that does not return a value for each row, in their order, is refused."""
    error = refused(lambda: sf.kfold(pd.DataFrame(ROWS), COMPUTED[message]))
    assert str(error).partition(" from ")[0] == f"A {message}"
