"""Stratified folds as a column of Dask frames: importing this registers `.strat` on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .accessor import documented
from .checks import load_extra
from .engines import dask as verbs
from .engines import dask_extend
from .engines import dask_tables as tables
from .engines.dask import kfold, split
from .engines.dask_extend import extend
from .engines.dask_tables import audit, balance, folds, parts, plan, report, strata
from .habits import answer_habits
from .pipeline.options import Deal, Parts, Rare
from .terms.base import By, Missing
from .verbs.audit_checks import KeptNulls
from .verbs.select import Fold, Nulls

__all__ = [
    "audit",
    "balance",
    "extend",
    "folds",
    "kfold",
    "parts",
    "plan",
    "report",
    "split",
    "strata",
]


class DaskStrat:
    """Stratified folds on this Dask frame; every method is a function of `stratframe.dask`."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __repr__(self) -> str:
        """Say what this is, and where its help is."""
        return "<stratified folds on a Dask frame; see help(df.strat)>"

    @documented(verbs.kfold)
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
    ) -> Any:
        return verbs.kfold(
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

    @documented(verbs.split)
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
    ) -> Any:
        return verbs.split(
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

    @documented(dask_extend.extend)
    @answer_habits
    def extend(
        self,
        by: By | None = None,
        k: int | None = None,
        *,
        parts: Parts | None = None,
        groups: Any = None,
        missing: Missing = "error",
        rare: Rare = "warn",
        seed: int | None = 0,
        name: str | Sequence[str] = "fold",
    ) -> Any:
        return dask_extend.extend(
            self._frame,
            by,
            k,
            parts=parts,
            groups=groups,
            missing=missing,
            rare=rare,
            seed=seed,
            name=name,
        )

    @documented(tables.folds)
    def folds(
        self, name: str | Sequence[str] = "fold", *, nulls: Nulls = "error"
    ) -> Iterator[Fold[Any]]:
        return tables.folds(self._frame, name, nulls=nulls)

    @documented(tables.parts)
    def parts(self, name: str = "split", names: Sequence[Any] | None = None) -> dict[Any, Any]:
        return tables.parts(self._frame, name, names)

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

    @documented(tables.report)
    def report(self, by: By, name: str | Sequence[str] = "fold") -> Any:
        return tables.report(self._frame, by, name)

    @documented(tables.audit)
    def audit(
        self,
        name: str | Sequence[str] = "fold",
        *,
        by: By | None = None,
        groups: Any = None,
        key: Any = None,
        nulls: KeptNulls = "train",
    ) -> Any:
        return tables.audit(self._frame, name, by=by, groups=groups, key=key, nulls=nulls)


def register() -> None:
    """Register `.strat` on Dask frames."""
    load_extra("dask.dataframe.extensions", "dask").register_dataframe_accessor("strat")(DaskStrat)


register()
