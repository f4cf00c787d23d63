"""Checked by `mypy --strict`, never run: verbs keep the type of their frame."""

from collections.abc import Iterator
from typing import Any, assert_type

import numpy as np
import pandas as pd
import polars as pl

import stratframe as sf


def keeps_pandas(df: pd.DataFrame) -> None:
    """Verbs and uses on pandas frames."""
    assert_type(df.pipe(sf.kfold, "label"), pd.DataFrame)
    assert_type(df.pipe(sf.kfold, ["label", "sex"], k=3, seed=None, repeats=2), pd.DataFrame)
    assert_type(sf.kfold(df, "label", seed=np.int64(3)), pd.DataFrame)
    assert_type(df.pipe(sf.split, "label", {"train": 0.8, "test": 0.2}), pd.DataFrame)
    assert_type(sf.split(df, parts={"train": None, "test": 20}), pd.DataFrame)
    assert_type(sf.folds(df), Iterator[sf.Fold[pd.DataFrame]])
    for fold in sf.folds(df, ["fold_1", "fold_2"], nulls="train"):
        assert_type(fold.train, pd.DataFrame)
        assert_type(fold.valid, pd.DataFrame)
    assert_type(sf.parts(df), dict[Any, pd.DataFrame])
    assert_type(sf.parts(df, names=["train", "test"])["train"], pd.DataFrame)
    assert_type(sf.FoldSplit("fold", nulls="train").get_n_splits(df), int)
    assert_type(sf.fingerprint(df, key=["site", "id"]), str)
    assert_type(sf.from_splits(df, [(np.array([0]), [1, 2])], name="outer"), pd.DataFrame)
    assert_type(sf.fingerprint({"train": df, "test": df}, key="id"), str)
    sf.FoldSplit("month", train="past", gap=1, window=12, horizon=3, step=1, apart=["site", "time"])
    sf.folds(df, "split", train=["train", "valid"], valid="test", apart="site")
    sf.split(df, "label", 0.2, repeats=20)


def keeps_polars(df: pl.DataFrame) -> None:
    """Verbs and uses on eager Polars frames."""
    assert_type(df.pipe(sf.kfold, "label"), pl.DataFrame)
    assert_type(df.pipe(sf.kfold, [pl.col("label"), sf.continuous("price")]), pl.DataFrame)
    assert_type(df.pipe(sf.split, "label", {"train": 0.8, "test": 0.2}), pl.DataFrame)
    assert_type(sf.folds(df), Iterator[sf.Fold[pl.DataFrame]])
    for train, valid in sf.folds(df):
        assert_type(train, pl.DataFrame)
        assert_type(valid, pl.DataFrame)
    assert_type(sf.parts(df)["train"], pl.DataFrame)


def keeps_lazy(df: pl.LazyFrame) -> None:
    """Verbs and uses on lazy frames, which stay lazy."""
    assert_type(df.pipe(sf.kfold, "label", k=10), pl.LazyFrame)
    assert_type(df.pipe(sf.split, "label", {"train": 0.8, "test": 0.2}), pl.LazyFrame)
    assert_type(sf.folds(df), Iterator[sf.Fold[pl.LazyFrame]])
    assert_type(sf.parts(df)["train"].collect(), pl.DataFrame)


def takes_any_entry(df: pd.DataFrame) -> None:
    """Entries of `by` are labels, terms and callables, one or a list of them."""
    sf.kfold(df, 0)
    sf.kfold(df, ("a", "x"))
    sf.kfold(df, lambda frame: frame["x"] > 0)
    sf.kfold(df, ["label", 0, sf.quantiles("price", 10), sf.bins("age", [0, 18, 65])])
    sf.kfold(df, [sf.classes("rating", name="stars"), sf.continuous("price")])
    sf.split(df, ["label", sf.total("price", pl.col("premium") / 12, name="money")])


def tables_of_pandas(df: pd.DataFrame) -> None:
    """Tables of a pandas frame are pandas frames."""
    assert_type(sf.balance(df, ["label", "sex"], "fold"), pd.DataFrame)
    assert_type(sf.plan(df, "label", 3, missing="stratum", rare="ignore"), pd.DataFrame)
    assert_type(sf.report(df, "label"), pd.DataFrame)
    assert_type(sf.advise(df, "label", range(2, 5)), pd.DataFrame)
    assert_type(sf.drift(df, ["x", "y"], name="fold"), pd.DataFrame)
    assert_type(sf.leaks(df, groups="patient", name="fold"), pd.DataFrame)
    assert_type(sf.check(df, "label", groups="patient", duplicates=None), sf.Check)
    assert_type(sf.compare(df, "label", ["fold_1", "fold_2"], ["x"]), pd.DataFrame)
    assert_type(sf.sample(df, "label", n=5, allocation="equal"), pd.DataFrame)


def tables_of_polars(df: pl.DataFrame, lazy: pl.LazyFrame) -> None:
    """Tables of Polars frames are eager Polars frames, those of lazy frames, too."""
    assert_type(sf.balance(df, "label"), pl.DataFrame)
    assert_type(sf.balance(lazy, "label"), pl.DataFrame)
    assert_type(sf.plan(lazy, "label", parts={"a": 0.5, "b": 0.5}), pl.DataFrame)
    assert_type(sf.report(lazy, pl.col("label"), groups="patient"), pl.DataFrame)
    assert_type(sf.leaks(lazy, duplicates=["x", "y"]), pl.DataFrame)
    assert_type(sf.compare(lazy, "label", "fold"), pl.DataFrame)
    assert_type(sf.sample(lazy, "label", frac=0.5), pl.DataFrame)
    assert_type(sf.sample(lazy, "label", each=10), pl.DataFrame)
    assert_type(sf.plan(lazy, "label", each={"train": None, "test": 2}), pl.DataFrame)


def several_frames(df: pd.DataFrame, lazy: pl.LazyFrame) -> None:
    """Frames by name are judged as one of their library."""
    assert_type(sf.check({"train": df, "test": df}, "label", time=["user", "day"]), sf.Check)
    assert_type(sf.balance({"train": df, "test": df}, "label"), pd.DataFrame)
    assert_type(sf.leaks({"train": lazy, "test": lazy}, groups="patient"), pl.DataFrame)
    sf.plot({"train": df, "test": df}, "label")


def is_generic(fold: sf.Fold[pl.DataFrame]) -> pl.DataFrame:
    """A fold names the type of its frames."""
    return assert_type(fold.train, pl.DataFrame)


def refuses(df: pd.DataFrame, text: str) -> None:
    """What is wrong is seen by the checker: an ignore that is not needed is an error."""
    sf.kfold(text, "label")  # type: ignore[type-var]
    sf.kfold(df, "label", k="5")  # type: ignore[arg-type]
    sf.kfold(df, "label", folds=5)  # type: ignore[call-arg]
    sf.kfold(df, "label", n_splits=5)  # type: ignore[call-arg]
    sf.FoldSplit("fold", nulls="keep")  # type: ignore[arg-type]
    sf.kfold(df, "label", deal="fair")  # type: ignore[arg-type]
    sf.kfold(df, "label", missing="drop")  # type: ignore[arg-type]
    sf.kfold(df, "label", rare="drop")  # type: ignore[arg-type]
    sf.sample(df, "label", n=5, allocation="fair")  # type: ignore[call-overload]
    sf.balance(text, "label")  # type: ignore[call-overload]
    sf.leaks(df, "fold")  # type: ignore[call-overload]
    sf.check({"train": text, "test": text})  # type: ignore[dict-item]
    sf.folds(df, nulls="keep")  # type: ignore[arg-type]
    sf.folds(df, gap=1.5)  # type: ignore[arg-type]
    sf.folds(df, step="1mo")  # type: ignore[arg-type]
    sf.plot(df, "label", kind="pie")  # type: ignore[arg-type]
    sf.split(df, "label", [0.8, 0.2])  # type: ignore[arg-type]
    sf.split(df, "label", each=[1, 2])  # type: ignore[arg-type]
    sf.quantiles("price")  # type: ignore[call-arg]
