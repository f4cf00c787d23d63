"""`.strat` on pandas and Polars frames, and on Polars expressions."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic

import pandas as pd
import polars as pl

from .core.types import Ints
from .frames import FrameT
from .pipeline.options import Parts
from .terms.base import By
from .verbs import (
    assign,
)
from .verbs import (
    assign as expressions,
)
from .verbs import (
    audit as audits,
)
from .verbs import (
    drift as drifts,
)
from .verbs import (
    plot as plotting,
)
from .verbs import (
    report as reports,
)
from .verbs import (
    select as use,
)
from .verbs import (
    tables as diagnostics,
)
from .verbs.select import Fold


class Strat(Generic[FrameT]):
    """Stratified folds on this frame; every method is a function of stratframe."""

    def __init__(self, frame: FrameT) -> None:
        self._frame: FrameT = frame

    def kfold(
        self,
        by: By | None = None,
        k: int = 5,
        *,
        groups: Any = None,
        deal: str = "random",
        key: Any = None,
        missing: str = "error",
        rare: str = "warn",
        repeats: int = 1,
        seed: int | None = 0,
        name: str = "fold",
    ) -> FrameT:
        """Add a column that says which of k folds every row is in."""
        return assign.kfold(
            self._frame,
            by,
            k,
            groups=groups,
            deal=deal,
            key=key,
            missing=missing,
            rare=rare,
            repeats=repeats,
            seed=seed,
            name=name,
        )

    def split(
        self,
        by: By | None = None,
        parts: Parts = {"train": 0.8, "test": 0.2},  # noqa: B006 - never changed
        *,
        groups: Any = None,
        deal: str = "random",
        key: Any = None,
        missing: str = "error",
        rare: str = "warn",
        seed: int | None = 0,
        name: str = "split",
    ) -> FrameT:
        """Add a column that names the part every row is in: train, valid, test."""
        return assign.split(
            self._frame,
            by,
            parts,
            groups=groups,
            deal=deal,
            key=key,
            missing=missing,
            rare=rare,
            seed=seed,
            name=name,
        )

    def extend(
        self,
        by: By | None = None,
        k: int | None = None,
        *,
        groups: Any = None,
        missing: str = "error",
        rare: str = "warn",
        seed: int | None = 0,
        name: str = "fold",
    ) -> FrameT:
        """Give a fold to the rows that have none, and leave all others where they are."""
        return assign.extend(
            self._frame,
            by,
            k,
            groups=groups,
            missing=missing,
            rare=rare,
            seed=seed,
            name=name,
        )

    def sample(
        self,
        by: By,
        *,
        n: int | None = None,
        frac: float | None = None,
        allocation: str = "proportional",
        seed: int | None = 0,
    ) -> Any:
        """Draw a stratified sample of rows, in their old order."""
        return use.sample(self._frame, by, n=n, frac=frac, allocation=allocation, seed=seed)

    def folds(
        self, name: str | Sequence[str] = "fold", *, nulls: str = "error"
    ) -> Iterator[Fold[FrameT]]:
        """Iterate over the folds of a column: fold, train and valid frames."""
        return use.folds(self._frame, name, nulls=nulls)

    def parts(self, name: str = "split") -> dict[Any, FrameT]:
        """Take a frame apart by its part column."""
        return use.parts(self._frame, name)

    def cv(
        self, name: str | Sequence[str] = "fold", *, nulls: str = "error"
    ) -> list[tuple[Ints, Ints]]:
        """Turn fold columns into what scikit-learn takes as `cv=`."""
        return use.cv(self._frame, name, nulls=nulls)

    def strata(self, by: By) -> Any:
        """List the strata of a frame: their values, rows and share."""
        return diagnostics.strata(self._frame, by)

    def plan(
        self,
        by: By | None = None,
        k: int = 5,
        *,
        parts: Parts | None = None,
        groups: Any = None,
        deal: str = "random",
        key: Any = None,
        missing: str = "error",
        rare: str = "warn",
        seed: int | None = 0,
    ) -> Any:
        """Count what the same call of `kfold` or `split` would deal, before dealing."""
        return diagnostics.plan(
            self._frame,
            by,
            k,
            parts=parts,
            groups=groups,
            deal=deal,
            key=key,
            missing=missing,
            rare=rare,
            seed=seed,
        )

    def balance(self, by: By, name: str = "fold") -> Any:
        """Compare the strata of every fold with those of the whole, row counts in full."""
        return diagnostics.balance(self._frame, by, name)

    def report(self, by: By, name: str = "fold") -> Any:
        """Say for each fold how far from even it is, against the optimum and a random column."""
        return reports.report(self._frame, by, name)

    def advise(self, by: By, ks: int | Iterable[int] = range(2, 21)) -> Any:
        """Say for each number of folds what it would cost, and whether every fold can be full."""
        return reports.advise(self._frame, by, ks)

    def drift(self, features: Any, name: str = "fold") -> Any:
        """Measure how far the features of every fold are from those of the other rows."""
        return drifts.drift(self._frame, features, name)

    def audit(
        self,
        name: str | Sequence[str] = "fold",
        *,
        by: By | None = None,
        groups: Any = None,
        key: Any = None,
        columns: Any = None,
    ) -> Any:
        """Check a fold column for rows that leak and for folds that lack something."""
        return audits.audit(self._frame, name, by=by, groups=groups, key=key, columns=columns)

    def plot(self, by: Any, name: str = "fold", kind: str = "balance", ax: Any = None) -> Any:
        """Draw how a fold column shares out strata, features or rows."""
        return plotting.plot(self._frame, by, name, kind, ax)


class StratExpr:
    """Stratified folds of a Polars column, or of a struct whose fields nest."""

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def kfold(
        self,
        k: int = 5,
        *,
        deal: str = "random",
        missing: str = "error",
        rare: str = "warn",
        seed: int | None = 0,
        name: str = "fold",
    ) -> pl.Expr:
        """Say which of k folds every row is in."""
        folds: pl.Expr = expressions.kfold_expr(
            self._expr, k, deal=deal, missing=missing, rare=rare, seed=seed, name=name
        )
        return folds

    def split(
        self,
        parts: Parts = {"train": 0.8, "test": 0.2},  # noqa: B006 - never changed
        *,
        deal: str = "random",
        missing: str = "error",
        rare: str = "warn",
        seed: int | None = 0,
        name: str = "split",
    ) -> pl.Expr:
        """Name the part every row is in: train, valid, test."""
        parted: pl.Expr = expressions.split_expr(
            self._expr, parts, deal=deal, missing=missing, rare=rare, seed=seed, name=name
        )
        return parted


def register() -> None:
    """Give pandas and Polars frames and Polars expressions their `.strat`."""
    pd.api.extensions.register_dataframe_accessor("strat")(Strat)
    pl.api.register_dataframe_namespace("strat")(Strat)
    pl.api.register_lazyframe_namespace("strat")(Strat)
    pl.api.register_expr_namespace("strat")(StratExpr)
