"""`.strat` on Polars expressions."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from tests.helpers import make, refuse_now, refuse_rule, warned

DATA: dict[str, Any] = {
    "label": ["a", "b", "a", "c", "b", "a", "c", "a"] * 3,
    "x": [i * 7 % 24 for i in range(24)],
    "v": [i * 5 % 24 / 4 + 0.125 for i in range(24)],
}

POLARS = make("polars", DATA)


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        (lambda: pl.col("x").strat.kfold(1), "`k` must be at least 2, got 1."),
        (
            lambda: pl.col("x").strat.split(missing="null"),
            "`missing` must be 'error' or 'stratum', got 'null'.",
        ),
    ],
)
def test_arguments_of_expressions(expr: Callable[[], pl.Expr], message: str) -> None:
    """A wrong argument of an expression is refused when it is written."""
    refuse_now(message, expr)


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(
    ("expr", "data", "rule"),
    [
        (
            pl.struct("x", "y").strat.kfold(2),
            {"x": [1, None, 1, 1], "y": ["a"] * 4},
            "Column 'x' has missing values in 1 row (1).",
        ),
        (
            pl.col("x").strat.split(),
            {"x": [1.5, 2.5, float("inf")]},
            "Column 'x' has infinite values in 1 row (2).",
        ),
        (
            pl.col("x").strat.kfold(5, rare="ignore"),
            {"x": [1, 1]},
            "`k` must be at most the number of rows that get a fold, got 5 for 2 rows.",
        ),
        (
            pl.col("x").strat.kfold(2),
            {"x": []},
            "`k` must be at most the number of rows that get a fold, got 2 for 0 rows.",
        ),
        (
            pl.struct("y", "x").strat.kfold(2),
            {"x": [["a"]] * 2, "y": [1, 1]},
            "A column must hold single values, but 'x' is List(String).",
        ),
    ],
)
def test_data_of_expressions(lazy: bool, expr: pl.Expr, data: dict[str, Any], rule: str) -> None:
    """Through an expression the first line of the error is the rule."""
    frame = pl.LazyFrame(data) if lazy else pl.DataFrame(data)
    refuse_rule(rule, lambda: frame.with_columns(expr))


# Inside `.over` -------------------------------------------------------------------------

CITIES = pl.DataFrame(
    {"city": [f"city {row // 6}" for row in range(600)], "y": ["well", "ill", "well"] * 200}
)
"""A hundred cities of six rows."""


def sizes(frame: pl.DataFrame, name: str) -> list[int]:
    return sorted(frame[name].value_counts()["count"].to_list())


@pytest.mark.parametrize("seed", range(5))
def test_each_group_of_over_starts_anew(seed: int) -> None:
    """Inside `.over` each group is dealt alone with the same draws: sizes add up unevenly."""
    fold = pl.col("y").strat.kfold(k=5, seed=seed, rare="ignore").over("city")
    assert sizes(CITIES.with_columns(fold), "fold") == [100, 100, 100, 100, 200]


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(
    "expr", [pl.col("y"), pl.struct("y", "x"), pl.col("y").cast(pl.Categorical)]
)
def test_warnings_inside_over_name_the_column(expr: pl.Expr, lazy: bool) -> None:
    """A warning of an expression inside `.over` names the column, as one outside does."""
    frame = pl.LazyFrame({"y": ["a"] * 8 + ["b"], "x": [1] * 9, "all": [0] * 9})
    fold = expr.strat.kfold(k=3).over("all")
    message = (
        "1 class of 'y' has fewer rows than the 3 folds: 'b' (1 row).\n"
        "Hint: `df.strat.advise('y')` shows what each k does to it; `rare=\"ignore\"` silences this"
        " warning."
    )
    warned(message, lambda: (frame if lazy else frame.collect()).with_columns(fold))


@pytest.mark.parametrize("by", [pl.col("y"), pl.struct("x", "y")])
def test_errors_inside_over_name_the_column(by: pl.Expr) -> None:
    """An error of an expression inside `.over` names the column."""
    frame = pl.DataFrame({"y": ["a", None, "a", "a"], "x": [1] * 4, "all": [0] * 4})
    fold = by.strat.kfold(k=2).over("all")
    refuse_rule("Column 'y' has missing values in 1 row (1).", lambda: frame.with_columns(fold))
