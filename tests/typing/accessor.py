"""Checked by `mypy --strict` with the plugin, never run: `.strat` is typed as the functions are."""

from collections.abc import Iterator
from typing import Any, TypeVar, assert_type

import pandas as pd
import polars as pl

import stratframe as sf

FrameT = TypeVar("FrameT", pd.DataFrame, pl.LazyFrame)


class Visits(pd.DataFrame):
    """A frame of one's own."""


def keeps_the_frame(
    df: pd.DataFrame, visits: Visits, eager: pl.DataFrame, lazy: pl.LazyFrame
) -> None:
    """Results have the type of the frame, through a chain, too."""
    assert_type(df.strat.kfold(["label", sf.quantiles("price", 10)], k=3), pd.DataFrame)
    assert_type(visits.strat.split("label", {"train": 0.8, "test": 0.2}), Visits)
    assert_type(eager.strat.extend(None).strat.kfold("label", name="inner"), pl.DataFrame)
    assert_type(lazy.strat.kfold("label").filter(pl.col("fold") == 0), pl.LazyFrame)
    assert_type(df.strat.folds(), Iterator[sf.Fold[pd.DataFrame]])
    assert_type(lazy.strat.parts(names=["train"]), dict[Any, pl.LazyFrame])
    accessor = eager.strat
    assert_type(accessor.kfold(), pl.DataFrame)
    assert_type(eager.strat.from_splits([([0], [1])]), pl.DataFrame)


def any_frame(frame: FrameT, either: pd.DataFrame | pl.DataFrame) -> FrameT:
    """So have those of a frame of any type, and of one of two."""
    assert_type(either.strat.kfold(), pd.DataFrame | pl.DataFrame)
    return frame.strat.kfold("label")


def tables(df: pd.DataFrame, lazy: pl.LazyFrame) -> None:
    """Tables are in the library of the frame, and eager."""
    assert_type(df.strat.balance("label"), pd.DataFrame)
    assert_type(df.strat.sample("label", n=5), pd.DataFrame)
    assert_type(lazy.strat.leaks(groups="patient"), pl.DataFrame)
    assert_type(lazy.strat.advise("label", range(2, 5)), pl.DataFrame)
    assert_type(lazy.strat.check("label").ok, bool)
    assert_type(lazy.strat.fingerprint(key="id"), str)


def expressions(eager: pl.DataFrame) -> None:
    """Folds of an expression are an expression."""
    assert_type(pl.col("label").strat.kfold(k=3), pl.Expr)
    assert_type(eager.with_columns(pl.struct("a", "b").strat.split(0.2)), pl.DataFrame)


def refuses(df: pd.DataFrame, eager: pl.DataFrame, lazy: pl.LazyFrame) -> None:
    """Wrong types, unknown arguments and unknown methods are errors on every frame."""
    df.strat.kfold("label", k="5")  # type: ignore[arg-type]
    df.strat.balance()  # type: ignore[call-arg]
    eager.strat.kfold("label", n_splits=5)  # type: ignore[call-arg]
    eager.strat.kfold("label", rare="drop")  # type: ignore[arg-type]
    lazy.strat.stratify("label")  # type: ignore[attr-defined]
    pl.col("label").strat.kfold(k="5")  # type: ignore[arg-type]
    pl.col("label").strat.check()  # type: ignore[attr-defined]
    pl.Series([1]).strat.kfold()  # type: ignore[attr-defined]
