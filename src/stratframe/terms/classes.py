"""Classes: a column as it is, or taken as classes whatever it holds."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .. import frames
from ..core.types import Flags, Ints
from ..frames import Rule
from .base import ColumnRef, ColumnTerm, EncodedColumns, Missing, Substrata
from .bins import Continuous

if TYPE_CHECKING:
    from .entry import BoundTerm


@dataclass(frozen=True, eq=False)
class Classes(ColumnTerm):
    """A column of classes."""

    function: ClassVar[str] = "sf.classes"
    is_nominal: ClassVar[bool] = True

    columns: tuple[ColumnRef, ...]
    name: Hashable | None = None
    is_guessed: bool = False
    """Whether a plain column was taken as classes, and the user did not say so."""

    def read(self, series: Sequence[Any], /) -> EncodedColumns:
        """Encode the classes by first appearance."""
        codes, n_classes = frames.encode_classes(series[0])
        return EncodedColumns(codes, codes < 0, n_classes)

    def divide(self, entry: BoundTerm, parent: Ints, n_parents: int) -> Substrata:
        """Divide strata by class, missing values last."""
        if not entry.missing.any():
            return Substrata(entry.data, entry.n_classes)
        return Substrata(np.where(entry.missing, entry.n_classes, entry.data), entry.n_classes + 1)

    def labels(self, entry: BoundTerm, division: Substrata, parent: Ints, rows: Ints) -> Any:
        """Name a stratum by the column's own value."""
        return entry.values_at(rows)


@dataclass(frozen=True, eq=False)
class Plain(Classes):
    """A column as it is: classes, or continuous if it holds fractions."""

    def __str__(self) -> str:
        """Write the column."""
        return self.shown_column

    def resolve(self, series: Sequence[Any], /) -> Classes | Continuous:
        """Take the column as continuous if it holds fractions."""
        if frames.is_continuous(series[0]):
            return Continuous(self.columns, self.name)
        return Classes(self.columns, self.name, is_guessed=True)


@dataclass(frozen=True, eq=False)
class Pooled(Classes):
    """A column of classes whose rare ones were made one, the last."""

    def divide(self, entry: BoundTerm, parent: Ints, n_parents: int) -> Substrata:
        """Divide strata by class."""
        return Substrata(entry.data.copy(), entry.n_classes)

    def labels(self, entry: BoundTerm, division: Substrata, parent: Ints, rows: Ints) -> Any:
        """Name a stratum by the column's own value, the rare ones by that word."""
        values = frames.to_list(entry.values_at(rows))
        pooled = (division.codes[rows] == entry.n_classes - 1).tolist()
        return [
            "(rare)" if is_pooled else None if value is None else str(value)
            for value, is_pooled in zip(values, pooled, strict=True)
        ]


def pool_classes(entry: BoundTerm, codes: Ints, is_rare: Flags) -> BoundTerm:
    """Make the rare classes of an entry one; in its codes missing values are the last class."""
    return replace(
        entry,
        term=Pooled(entry.term.columns, entry.term.name),
        data=np.where(is_rare[codes], len(is_rare), codes),
        missing=np.zeros(len(codes), dtype=np.bool_),
        n_classes=len(is_rare) + 1,
    )


@dataclass(frozen=True, eq=False)
class Groups(Classes):
    """A column that says which rows belong together."""

    def rules(self, missing: Missing, /) -> list[Rule]:
        """Need groups that are there, unless `missing` says what becomes of them."""
        return [Rule(present=missing == "error", hint=MISSING_GROUP_HINT)]


MISSING_GROUP_HINT = (
    '`missing="stratum"` makes each of these rows a group of its own;'
    ' in `kfold`, `missing="null"` leaves their fold null.'
)


def classes(column: ColumnRef, *, name: Hashable | None = None) -> Classes:
    """Take a column as classes, even a float column with fractions.

    Parameters
    ----------
    column : column name, Polars expression, or callable of a pandas frame
    name : hashable, optional
        Name of its stratum column in result frames.

    Returns
    -------
    Classes

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"rating": [0.5, 0.5, 1.0, 1.0]})
    >>> sf.plan(df, sf.classes("rating"), k=2)
       rating  fold  n
    0     0.5     0  1
    1     0.5     1  1
    2     1.0     0  1
    3     1.0     1  1
    """
    return Classes((column,), name)
