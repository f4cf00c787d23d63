"""`.strat` on Polars expressions."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import stratframe as sf
from tests.helpers import make, refuse_now, refuse_rule, values
from tests.messages import (
    NO_ROWS,
    RARE,
    at_least,
    at_most,
    infinite_values,
    missing_values,
    one_of,
    parts_of,
    single_values,
)

DATA: dict[str, Any] = {
    "label": ["a", "b", "a", "c", "b", "a", "c", "a"] * 3,
    "x": [i * 7 % 24 for i in range(24)],
    "v": [i * 5 % 24 / 4 + 0.125 for i in range(24)],
}

POLARS = make("polars", DATA)


def folds(frame: Any, by: Any, **options: Any) -> list[Any]:
    return values(sf.kfold(frame, by, 3, rare="ignore", **options), "fold")


def test_expressions_compose() -> None:
    """The expression namespace gives the folds of the verb, under its own name."""
    out = POLARS.with_columns(
        pl.col("label").strat.kfold(k=3),
        pl.struct("label", "x").strat.kfold(k=3, name="both", rare="ignore", seed=5),
        pl.col("v").strat.split({"train": 0.5, "test": 0.5}, name="half"),
        (pl.col("x") % 2).strat.kfold(k=3, deal="circular", name="odd"),
    )
    assert out.columns == ["label", "x", "v", "fold", "both", "half", "odd"]
    assert values(out, "fold") == folds(POLARS, "label")
    assert values(out, "both") == folds(POLARS, ["label", "x"], seed=5, name="both")
    half = sf.split(POLARS, "v", {"train": 0.5, "test": 0.5}, name="half")
    assert values(out, "half") == values(half, "half")
    odd = POLARS.with_columns(odd=pl.col("x") % 2)
    assert values(out, "odd") == folds(odd, "odd", deal="circular")
    lazy = POLARS.lazy().select(pl.col("label").strat.kfold(k=3).alias("renamed")).collect()
    assert values(lazy, "renamed") == folds(POLARS, "label")


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        (lambda: pl.col("x").strat.kfold(1), at_least("k", 2, 1)),
        (
            lambda: pl.col("x").strat.kfold(rare="no"),
            one_of("rare", RARE, "no"),
        ),
        (
            lambda: pl.col("x").strat.split({"a": 1}),
            parts_of({"a": 1}),
        ),
        (
            lambda: pl.col("x").strat.split(missing="null"),
            one_of("missing", ["error", "stratum"], "null"),
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
            missing_values("x", [1]),
        ),
        (
            pl.col("x").strat.split(),
            {"x": [1.5, 2.5, float("inf")]},
            infinite_values("x", [2]),
        ),
        (
            pl.col("x").strat.kfold(5, rare="ignore"),
            {"x": [1, 1]},
            at_most("k", "rows dealt", 5, 2, "row"),
        ),
        (pl.col("x").strat.kfold(2), {"x": []}, NO_ROWS),
        (
            pl.struct("y", "x").strat.kfold(2),
            {"x": [["a"]] * 2, "y": [1, 1]},
            single_values("x", "List(String)"),
        ),
    ],
)
def test_data_of_expressions(lazy: bool, expr: pl.Expr, data: dict[str, Any], rule: str) -> None:
    """Through an expression the first line of the error is the rule."""
    frame = pl.LazyFrame(data) if lazy else pl.DataFrame(data)
    refuse_rule(rule, lambda: frame.with_columns(expr))
