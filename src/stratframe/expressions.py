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
    """Make a Polars expression of the folds of another; the fields of a struct nest."""
    return expression(
        expr, deal_of(None, k, None, deal=deal, missing=missing, rare=rare, seed=seed, name=name)
    )


def split_expr(
    expr: Any, parts: Parts, *, deal: str, missing: str, rare: str, seed: int | None, name: str
) -> Any:
    """Make a Polars expression of the parts of another; the fields of a struct nest."""
    return expression(
        expr,
        deal_of(
            None, 0, check_parts(parts), deal=deal, missing=missing, rare=rare, seed=seed, name=name
        ),
    )


def expression(expr: Any, call: Deal) -> Any:
    """Make a Polars expression of a call whose strata are those of another expression."""

    def compute(series: list[Any], n_rows: int) -> list[Dealt]:
        fields = frames.fields(series[0])
        terms = parse([field.name for field in fields])
        return columns_of(replace(call, terms=terms), fields, n_rows)

    return frames.expression([expr], compute, call.outputs)
