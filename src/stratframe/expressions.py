"""Polars expressions of fold and part columns, behind `pl.col(...).strat`."""

from dataclasses import replace
from typing import Any

from . import frames
from .arguments import Deal, Parts, check_parts, deal_of
from .dealing import columns_of
from .frames import Dealt
from .parsing import parse


def kfold_expr(
    expr: Any, k: int, *, deal: str, missing: str, rare: str, seed: int | None, name: str
) -> Any:
    """Make a Polars expression of the folds of another; the fields of a struct nest.

    Returns
    -------
    polars.Expr

    Examples
    --------
    >>> import polars as pl, stratframe
    >>> df = pl.DataFrame({"label": ["a", "b"] * 4})
    >>> df.with_columns(pl.col("label").strat.kfold(k=2))["fold"].to_list()
    [1, 0, 1, 1, 0, 1, 0, 0]
    """
    return expression(
        expr, deal_of(None, k, None, deal=deal, missing=missing, rare=rare, seed=seed, name=name)
    )


def split_expr(
    expr: Any, parts: Parts, *, deal: str, missing: str, rare: str, seed: int | None, name: str
) -> Any:
    """Make a Polars expression of the parts of another; the fields of a struct nest.

    Returns
    -------
    polars.Expr

    Examples
    --------
    >>> import polars as pl, stratframe
    >>> df = pl.DataFrame({"label": ["a", "b"] * 2})
    >>> df.select(pl.col("label").strat.split({"a": 2, "b": 2}, rare="ignore"))["split"].to_list()
    ['b', 'a', 'a', 'b']
    """
    return expression(
        expr,
        deal_of(
            None, 0, check_parts(parts), deal=deal, missing=missing, rare=rare, seed=seed, name=name
        ),
    )


def expression(expr: Any, call: Deal) -> Any:
    """Make a Polars expression of a call whose strata are those of another expression.

    Examples
    --------
    >>> import polars as pl
    >>> call = deal_of(None, 2, None, deal="circular")
    >>> pl.DataFrame({"a": [7, 7, 8, 8]}).select(expression(pl.col("a"), call))["fold"].to_list()
    [0, 1, 0, 1]
    """

    def compute(series: list[Any], n_rows: int) -> list[Dealt]:
        fields = frames.fields(series[0])
        terms = parse([field.name for field in fields])
        return columns_of(replace(call, terms=terms), fields, n_rows)

    return frames.expression([expr], compute, call.outputs)
