"""The accessor `.strat` of pandas and Polars frames, and of Polars expressions."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, SupportsIndex, cast

import pandas as pd
import polars as pl

from .habits import Params, ResultT, no_such_method, suggest_arguments
from .judging import advise as advise_verb
from .judging import check as check_verb
from .judging import drift as drift_verb
from .judging import leaks as leaks_verb
from .judging import plot as plot_verb
from .judging import report as report_verb
from .pipeline.options import (
    PARTS,
    Deal,
    PartCounts,
    PartShares,
    Rare,
    check_options,
    either_target,
    fold_target,
)
from .terms.base import Missing
from .verbs import deals, select, tables
from .verbs import fingerprint as fingerprint_verb
from .verbs import from_splits as from_splits_verb
from .verbs import sample as sample_verb


def method(
    verb: Callable[Concatenate[Any, Params], ResultT],
) -> Callable[Concatenate[Strat, Params], ResultT]:
    """Make a method from a verb, with a signature, types and a docstring that omit the frame."""
    # The method is wrapped again below, and a traceback should show a single wrapper.
    inner: Callable[Concatenate[Any, Params], ResultT] = inspect.unwrap(verb)

    @wraps(verb)
    def call(self: Strat, *args: Params.args, **kwargs: Params.kwargs) -> ResultT:
        return inner(self._frame, *args, **kwargs)

    wrapper: Any = call
    del wrapper.__wrapped__  # `inspect` would look up the signature and annotations there
    wrapper.__qualname__ = f"Strat.{verb.__name__}"
    signature = inspect.signature(verb)
    frame, *others = signature.parameters.values()
    self_parameter = frame.replace(name="self", annotation=inspect.Parameter.empty)
    wrapper.__signature__ = signature.replace(parameters=[self_parameter, *others])
    wrapper.__doc__ = re.sub(
        r"^frame : .*\n(?: +.*\n)*",
        "",
        inspect.getdoc(verb) or "",
        count=1,
        flags=re.MULTILINE,
    )
    wrapper = suggest_arguments(wrapper)
    # This step is last: since Python 3.14, wrappers copy `__annotate__`, not `__annotations__`.
    wrapper.__annotations__ = {**verb.__annotations__}
    del wrapper.__annotations__[frame.name]
    return cast("Callable[Concatenate[Strat, Params], ResultT]", wrapper)


def refuse_name(accessor: object, name: str) -> NoReturn:
    """Raise an error for an unknown name; Python calls this only if there is no such method."""
    raise no_such_method(type(accessor), name, vars(Strat))


class Strat:
    """Stratified folds for a frame; every method is also a function of stratframe."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __repr__(self) -> str:
        return f"<stratified folds on a {type(self._frame).__name__}; see help(df.strat)>"

    if not TYPE_CHECKING:  # otherwise, type checkers would accept any name as a method
        __getattr__ = refuse_name

    kfold = method(deals.kfold)
    split = method(deals.split)
    extend = method(deals.extend)
    sample = method(sample_verb.sample)
    folds = method(select.folds)
    parts = method(select.parts)
    cv = method(select.cv)
    from_splits = method(from_splits_verb.from_splits)
    fingerprint = method(fingerprint_verb.fingerprint)
    plan = method(tables.plan)
    balance = method(tables.balance)
    report = method(report_verb.report)
    compare = method(report_verb.compare)
    advise = method(advise_verb.advise)
    check = method(check_verb.check)
    drift = method(drift_verb.drift)
    leaks = method(leaks_verb.leaks)
    plot = method(plot_verb.plot)


class StratExpr:
    """Stratified folds for a Polars expression; fields of a struct nest like entries of `by`."""

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def __repr__(self) -> str:
        return "<stratified folds of a Polars expression; see help(pl.col('label').strat)>"

    if not TYPE_CHECKING:
        __getattr__ = refuse_name

    @suggest_arguments
    def kfold(
        self,
        k: int = 5,
        *,
        deal: Deal = "random",
        missing: Missing = "error",
        rare: Rare = "warn",
        seed: SupportsIndex | None = 0,
        name: str = "fold",
    ) -> pl.Expr:
        """Assign every row to one of k folds.

        Parameters
        ----------
        k, deal, missing, rare, seed
            As for `stratframe.kfold`; arguments that name other columns, such as `groups`, are
            only available on frames.
        name : str
            The name of the result; the name of the expression is not kept.

        Returns
        -------
        polars.Expr
            The folds 0..k-1 as Int64, the same as in the column that `kfold` adds to a frame.

        Examples
        --------
        >>> import polars as pl, stratframe
        >>> df = pl.DataFrame({"label": ["a", "b"] * 4})
        >>> df.with_columns(pl.col("label").strat.kfold(k=2))["fold"].to_list()
        [0, 0, 0, 1, 1, 0, 1, 1]
        """
        options = check_options(
            None, fold_target(k), deal=deal, missing=missing, rare=rare, seed=seed, name=name
        )
        column: pl.Expr = deals.assign_expression(self._expr, options)
        return column

    @suggest_arguments
    def split(
        self,
        parts: PartShares = PARTS,
        *,
        each: PartCounts | None = None,
        deal: Deal = "random",
        missing: Missing = "error",
        rare: Rare = "warn",
        seed: SupportsIndex | None = 0,
        name: str = "split",
    ) -> pl.Expr:
        """Assign every row to a named part, such as train or test.

        Parameters
        ----------
        parts, each, deal, missing, rare, seed
            As for `stratframe.split`; arguments that name other columns, such as `groups`, are
            only available on frames.
        name : str
            The name of the result; the name of the expression is not kept.

        Returns
        -------
        polars.Expr
            The part names as an Enum, the same as in the column that `split` adds to a frame.

        Examples
        --------
        >>> import polars as pl, stratframe
        >>> df = pl.DataFrame({"label": ["a", "b"] * 2})
        >>> expr = pl.col("label").strat.split({"a": 2, "b": 2}, rare="ignore")
        >>> df.select(expr)["split"].to_list()
        ['a', 'a', 'b', 'b']
        """
        options = check_options(
            None,
            either_target(parts, each),
            deal=deal,
            missing=missing,
            rare=rare,
            seed=seed,
            name=name,
        )
        column: pl.Expr = deals.assign_expression(self._expr, options)
        return column


def register() -> None:
    """Register `.strat` on pandas and Polars frames, and on Polars expressions.

    Series get none: it would hide a label "strat" of a row of pandas.
    """
    for frame, register_as, namespace in (
        (pd.DataFrame, pd.api.extensions.register_dataframe_accessor, Strat),
        (pl.DataFrame, pl.api.register_dataframe_namespace, Strat),
        (pl.LazyFrame, pl.api.register_lazyframe_namespace, Strat),
        (pl.Expr, pl.api.register_expr_namespace, StratExpr),
    ):
        # Both libraries warn if the name is taken, even if this module has registered it.
        with warnings.catch_warnings():
            if getattr(getattr(frame, "strat", None), "__module__", None) == __name__:
                warnings.simplefilter("ignore")
            register_as("strat")(namespace)
