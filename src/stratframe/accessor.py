"""`.strat` on pandas and Polars frames, and on Polars expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import getdoc
from typing import Any, Generic, TypeVar

import pandas as pd
import polars as pl

from .core.types import Ints
from .frames import FrameT
from .habits import answer_habits
from .pipeline.options import Deal, Parts, Rare, fold_target, part_target
from .terms.base import By, Missing
from .verbs import advise as advice
from .verbs import assign, select, tables
from .verbs import audit as audits
from .verbs import drift as drifts
from .verbs import leaks as leaking
from .verbs import plot as plots
from .verbs import report as reports
from .verbs.audit_checks import KeptNulls
from .verbs.plot import Kind
from .verbs.select import Allocation, Fold, Nulls

MethodT = TypeVar("MethodT", bound=Callable[..., Any])


def documented(function: Callable[..., Any]) -> Callable[[MethodT], MethodT]:
    """Give a method the docstring of its function, without the parameter `frame`."""

    def document(method: MethodT) -> MethodT:
        page = getdoc(function) or ""
        method.__doc__ = re.sub(r"^frame : .*\n(?: +.*\n)*", "", page, count=1, flags=re.MULTILINE)
        return method

    return document


class Strat(Generic[FrameT]):
    """Stratified folds on this frame; every method is a function of stratframe."""

    def __init__(self, frame: FrameT) -> None:
        self._frame: FrameT = frame

    def __repr__(self) -> str:
        """Say what this is, and where its help is."""
        return f"<stratified folds on a {type(self._frame).__name__}; see help(df.strat)>"

    @documented(assign.kfold)
    @answer_habits
    def kfold(
        self,
        by: By | None = None,
        k: int = 5,
        *,
        groups: Any = None,
        where: Any = None,
        deal: Deal = "random",
        key: Any = None,
        missing: Missing = "error",
        rare: Rare = "warn",
        repeats: int = 1,
        seed: int | None = 0,
        name: str = "fold",
        overwrite: bool = False,
    ) -> FrameT:
        return assign.kfold(
            self._frame,
            by,
            k,
            groups=groups,
            where=where,
            deal=deal,
            key=key,
            missing=missing,
            rare=rare,
            repeats=repeats,
            seed=seed,
            name=name,
            overwrite=overwrite,
        )

    @documented(assign.split)
    @answer_habits
    def split(
        self,
        by: By | None = None,
        parts: Parts = {"train": 0.8, "test": 0.2},  # noqa: B006 - never changed
        *,
        groups: Any = None,
        where: Any = None,
        deal: Deal = "random",
        key: Any = None,
        missing: Missing = "error",
        rare: Rare = "warn",
        seed: int | None = 0,
        name: str = "split",
        overwrite: bool = False,
    ) -> FrameT:
        return assign.split(
            self._frame,
            by,
            parts,
            groups=groups,
            where=where,
            deal=deal,
            key=key,
            missing=missing,
            rare=rare,
            seed=seed,
            name=name,
            overwrite=overwrite,
        )

    @documented(assign.extend)
    @answer_habits
    def extend(
        self,
        by: By | None = None,
        k: int | None = None,
        *,
        parts: Parts | None = None,
        groups: Any = None,
        where: Any = None,
        missing: Missing = "error",
        rare: Rare = "warn",
        seed: int | None = 0,
        name: str | Sequence[str] = "fold",
    ) -> FrameT:
        return assign.extend(
            self._frame,
            by,
            k,
            parts=parts,
            groups=groups,
            where=where,
            missing=missing,
            rare=rare,
            seed=seed,
            name=name,
        )

    @documented(select.sample)
    @answer_habits
    def sample(
        self,
        by: By,
        *,
        n: int | None = None,
        frac: float | None = None,
        allocation: Allocation = "proportional",
        seed: int | None = 0,
    ) -> Any:
        return select.sample(self._frame, by, n=n, frac=frac, allocation=allocation, seed=seed)

    @documented(select.folds)
    def folds(
        self, name: str | Sequence[str] = "fold", *, nulls: Nulls = "error"
    ) -> Iterator[Fold[FrameT]]:
        return select.folds(self._frame, name, nulls=nulls)

    @documented(select.parts)
    def parts(self, name: str = "split", names: Sequence[Any] | None = None) -> dict[Any, FrameT]:
        return select.parts(self._frame, name, names)

    @documented(select.cv)
    def cv(
        self, name: str | Sequence[str] = "fold", *, nulls: Nulls = "error"
    ) -> list[tuple[Ints, Ints]]:
        return select.cv(self._frame, name, nulls=nulls)

    @documented(tables.strata)
    def strata(self, by: By) -> Any:
        return tables.strata(self._frame, by)

    @documented(tables.plan)
    @answer_habits
    def plan(
        self,
        by: By | None = None,
        k: int = 5,
        *,
        parts: Parts | None = None,
        groups: Any = None,
        where: Any = None,
        deal: Deal = "random",
        key: Any = None,
        missing: Missing = "error",
        rare: Rare = "warn",
        seed: int | None = 0,
        name: str = "fold",
    ) -> Any:
        return tables.plan(
            self._frame,
            by,
            k,
            parts=parts,
            groups=groups,
            where=where,
            deal=deal,
            key=key,
            missing=missing,
            rare=rare,
            seed=seed,
            name=name,
        )

    @documented(tables.balance)
    def balance(self, by: By, name: str | Sequence[str] = "fold") -> Any:
        return tables.balance(self._frame, by, name)

    @documented(reports.report)
    def report(self, by: By, name: str | Sequence[str] = "fold") -> Any:
        return reports.report(self._frame, by, name)

    @documented(reports.compare)
    def compare(self, by: By, names: str | Sequence[str], features: Any = None) -> Any:
        return reports.compare(self._frame, by, names, features)

    @documented(advice.advise)
    def advise(self, by: By, ks: int | Iterable[int] = range(2, 21), *, groups: Any = None) -> Any:
        return advice.advise(self._frame, by, ks, groups=groups)

    @documented(drifts.drift)
    def drift(self, features: Any, name: str | Sequence[str] = "fold") -> Any:
        return drifts.drift(self._frame, features, name)

    @documented(audits.audit)
    def audit(
        self,
        name: str | Sequence[str] = "fold",
        *,
        by: By | None = None,
        groups: Any = None,
        key: Any = None,
        columns: Any = None,
        nulls: KeptNulls = "train",
    ) -> Any:
        return audits.audit(
            self._frame, name, by=by, groups=groups, key=key, columns=columns, nulls=nulls
        )

    @documented(leaking.leaks)
    def leaks(
        self,
        name: str | Sequence[str] = "fold",
        *,
        columns: Any = None,
        groups: Any = None,
        key: Any = None,
    ) -> Any:
        return leaking.leaks(self._frame, name, columns=columns, groups=groups, key=key)

    @documented(plots.plot)
    def plot(
        self,
        by: Any = None,
        name: str | Sequence[str] = "fold",
        kind: Kind = "balance",
        ax: Any = None,
    ) -> Any:
        return plots.plot(self._frame, by, name, kind, ax)


class StratExpr:
    """Stratified folds of a Polars column, or of a struct whose fields nest."""

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def __repr__(self) -> str:
        """Say what this is, and where its help is."""
        return "<stratified folds of a Polars expression; see help(pl.col('label').strat)>"

    @answer_habits
    def kfold(
        self,
        k: int = 5,
        *,
        deal: Deal = "random",
        missing: Missing = "error",
        rare: Rare = "warn",
        seed: int | None = 0,
        name: str = "fold",
    ) -> pl.Expr:
        """Assign every row to one of k folds.

        Parameters
        ----------
        k, deal, missing, rare, seed
            As for `stratframe.kfold`. Columns such as `groups` and `key` need the verb of
            the frame.
        name : str
            The name of the result, whatever the expression is called.

        Returns
        -------
        polars.Expr
            Int64 folds 0..k-1, the column that `kfold` adds to the frame.

        Raises
        ------
        StratError
            If an argument breaks a rule; if a value does, when the expression is run.

        Examples
        --------
        >>> import polars as pl, stratframe
        >>> df = pl.DataFrame({"label": ["a", "b"] * 4})
        >>> df.with_columns(pl.col("label").strat.kfold(k=2))["fold"].to_list()
        [0, 0, 0, 1, 1, 0, 1, 1]
        """
        folds: pl.Expr = assign.assign_expression(
            self._expr,
            fold_target(k),
            deal=deal,
            missing=missing,
            rare=rare,
            seed=seed,
            name=name,
        )
        return folds

    @answer_habits
    def split(
        self,
        parts: Parts = {"train": 0.8, "test": 0.2},  # noqa: B006 - never changed
        *,
        deal: Deal = "random",
        missing: Missing = "error",
        rare: Rare = "warn",
        seed: int | None = 0,
        name: str = "split",
    ) -> pl.Expr:
        """Assign every row to a named part: train, valid, test.

        Parameters
        ----------
        parts, deal, missing, rare, seed
            As for `stratframe.split`. Columns such as `groups` and `key` need the verb of
            the frame.
        name : str
            The name of the result, whatever the expression is called.

        Returns
        -------
        polars.Expr
            An Enum of the names of parts, the column that `split` adds to the frame.

        Raises
        ------
        StratError
            If an argument breaks a rule; if a value does, when the expression is run.

        Examples
        --------
        >>> import polars as pl, stratframe
        >>> df = pl.DataFrame({"label": ["a", "b"] * 2})
        >>> expr = pl.col("label").strat.split({"a": 2, "b": 2}, rare="ignore")
        >>> df.select(expr)["split"].to_list()
        ['a', 'a', 'b', 'b']
        """
        labels: pl.Expr = assign.assign_expression(
            self._expr,
            part_target(parts),
            deal=deal,
            missing=missing,
            rare=rare,
            seed=seed,
            name=name,
        )
        return labels


def register() -> None:
    """Register `.strat` on pandas and Polars frames, and on Polars expressions."""
    pd.api.extensions.register_dataframe_accessor("strat")(Strat)
    pl.api.register_dataframe_namespace("strat")(Strat)
    pl.api.register_lazyframe_namespace("strat")(Strat)
    pl.api.register_expr_namespace("strat")(StratExpr)
