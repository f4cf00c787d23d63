"""`.strat` on Polars expressions."""

import polars as pl
import pytest

from tests.helpers import evaluate, refuse_rule, warned

RULES = {
    "pl.struct('gaps', 'y').strat.kfold(2)": "Column 'gaps' has missing values in 1 row (1).",
    "pl.col('far').strat.split()": "Column 'far' has infinite values in 1 row (2).",
    "pl.col('y').strat.kfold(5)": (
        "`k` must be at most the number of rows that get a fold, got 5 for 4 rows."
    ),
    "pl.struct('y', 'tags').strat.kfold(2)": (
        "A column must hold single values, but 'tags' is List(String)."
    ),
}
"""Expressions on four rows, and the rules that they break."""


@pytest.mark.parametrize("code", RULES)
def test_data_of_expressions(code: str) -> None:
    """Through an expression the first line of the error is the rule."""
    data = {"y": ["a"] * 4, "gaps": [1, None, 1, 1], "far": [1.5, 2.5, float("inf"), 3.5]}
    frame = pl.DataFrame({**data, "tags": [["t"]] * 4})
    for each in (frame, frame.lazy()):
        refuse_rule(RULES[code], lambda each=each: each.with_columns(evaluate(code)))
    rule = "`k` must be at most the number of rows that get a fold, got 2 for 0 rows."
    refuse_rule(rule, lambda: frame.clear().with_columns(pl.col("y").strat.kfold(2)))


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
