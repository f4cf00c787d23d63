"""Checked by `pyright`, never run: what checkers see of `.strat` without the plugin."""
# pyright: reportUnnecessaryTypeIgnoreComment=true

from typing import assert_type

import pandas as pd
import polars as pl

import stratframe as sf


def pandas_is_not_checked(df: pd.DataFrame) -> None:
    """`df.strat` counts as a column, and nothing is known of its methods."""
    assert_type(df.strat, pd.Series)
    df.strat.kfold("label", k="5")


def polars_is_refused(eager: pl.DataFrame, lazy: pl.LazyFrame) -> None:
    """Neither frames nor expressions have the attribute."""
    eager.strat.kfold("label")  # pyright: ignore[reportAttributeAccessIssue]
    lazy.strat.kfold("label")  # pyright: ignore[reportAttributeAccessIssue]
    pl.col("label").strat.kfold()  # pyright: ignore[reportAttributeAccessIssue]


def functions_are_checked(df: pd.DataFrame, lazy: pl.LazyFrame) -> None:
    """`pipe` checks the arguments, and returns the type of the frame."""
    assert_type(df.pipe(sf.kfold, "label"), pd.DataFrame)
    df.pipe(sf.kfold, "label", k="5")  # pyright: ignore[reportArgumentType, reportCallIssue]
    lazy.pipe(sf.kfold, "label", k="5")  # pyright: ignore[reportArgumentType]
