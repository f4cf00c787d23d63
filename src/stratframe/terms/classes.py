"""Classes: a column as it is, or taken as classes whatever it holds."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .. import frames
from ..core.types import Ints
from ..frames import Rule
from .base import ColumnTerm, Division, Missing, Reading, Ref
from .bins import Continuous

if TYPE_CHECKING:
    from .entry import Entry


@dataclass(frozen=True, eq=False)
class Classes(ColumnTerm):
    """A column of classes."""

    function: ClassVar[str] = "sf.classes"
    is_nominal: ClassVar[bool] = True

    columns: tuple[Ref, ...]
    name: Hashable | None = None

    def read(self, series: Sequence[Any], /) -> Reading:
        """Encode the classes by first appearance."""
        codes, n_classes = frames.encode_classes(series[0])
        return Reading(codes, codes < 0, n_classes)

    def divide(self, entry: Entry, parent: Ints, n_parents: int, seed: int) -> Division:
        """Divide strata by class, missing values last."""
        if not entry.missing.any():
            return Division(entry.data, entry.n_classes)
        return Division(np.where(entry.missing, entry.n_classes, entry.data), entry.n_classes + 1)

    def labels(self, entry: Entry, division: Division, parent: Ints, rows: Ints) -> Any:
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
        kind = Continuous if frames.is_continuous(series[0]) else Classes
        return kind(self.columns, self.name)


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


def classes(column: Ref, *, name: Hashable | None = None) -> Classes:
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
    >>> sf.strata(df, sf.classes("rating"))
       rating  n  share
    0     0.5  2    0.5
    1     1.0  2    0.5
    """
    return Classes((column,), name)
