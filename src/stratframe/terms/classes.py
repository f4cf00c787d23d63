"""Terms for a column of classes: a plain column, and `sf.classes`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .. import frames
from ..core.strata import sum_by
from ..core.types import Ints
from .base import BoundTerm, ColumnRef, Substrata, Term
from .bins import BIN_SLACK, Continuous

RARE = "(rare)"
"""The label that tables show for the class into which the rare classes are pooled."""

MANY_VALUES = 10
"""A column with more than this many distinct whole numbers might be continuous."""


@dataclass(frozen=True, eq=False, repr=False)
class Classes(Term):
    """A column of classes."""

    function: ClassVar[str] = "sf.classes"
    is_nominal: ClassVar[bool] = True

    is_guessed: bool = False
    """Whether the user gave a plain column, and did not declare it as classes."""
    is_pooled: bool = False
    """Whether the rare classes were pooled into one class, which has the highest code."""

    def may_be_number(self, series: Sequence[Any]) -> bool:
        return self.is_guessed and frames.is_measured(series[0])

    def in_table(self, series: Sequence[Any], k: int, weights: Ints | None) -> tuple[Term, int]:
        """Show a plain column of whole numbers in ordered bins if most rows hold a rare value."""
        if not frames.is_measured(series[0]):
            return self, 0
        codes, n_values = frames.encode_classes(series[0])
        if n_values <= MANY_VALUES:
            return self, 0
        known = codes >= 0
        sizes = sum_by(codes[known], None if weights is None else weights[known], n_values)
        if self.is_guessed and 2 * sizes[sizes < 2 * k].sum() > sizes.sum():
            bins = Continuous(self.columns, name=self.name).in_bins(k)
            return replace(bins, order=None), BIN_SLACK  # classes can be missing
        return self, BIN_SLACK

    def read(self, series: Sequence[Any]) -> BoundTerm:
        """Encode the classes in order of first appearance."""
        ref = self.columns[0]
        column = "..." if frames.is_computed(ref) else repr(ref)
        margins = (
            f"`sf.margins({column})`, as the only entry, balances each value of the lists, or each"
            " position of vectors of classes."
        )
        codes, n_classes = frames.encode_classes(series[0], margins)
        return BoundTerm(self, series, codes, codes < 0, n_classes)

    def divide(self, entry: BoundTerm, parent: Ints, n_parents: int) -> Substrata:
        # Pooled codes are not in order of first appearance, so `nest` renumbers a copy of them.
        if not (entry.missing.any() or self.is_pooled):
            return Substrata(entry.data, entry.n_classes)
        return Substrata(np.where(entry.missing, entry.n_classes, entry.data), entry.n_classes + 1)

    def labels(self, entry: BoundTerm, division: Substrata, parent: Ints, rows: Ints) -> Any:
        """Label each stratum with its value in the column, and the pooled class with `RARE`."""
        values = frames.with_one_zero(entry.values_at(rows))
        if not self.is_pooled:
            return values
        texts = [None if value is None else str(value) for value in frames.to_list(values)]
        is_rare = division.codes[rows] == entry.n_classes - 1
        return [RARE if rare else text for text, rare in zip(texts, is_rare, strict=True)]


@dataclass(frozen=True, eq=False, repr=False)
class Plain(Classes):
    """A plain column: continuous if any value has a fractional part, and classes otherwise."""

    def __repr__(self) -> str:
        return self.arguments()

    def resolve(self, series: Sequence[Any]) -> Term:
        if frames.is_continuous(series[0]):
            return Continuous(self.columns, name=self.name)
        return Classes(self.columns, is_guessed=True, name=self.name)


def classes(column: ColumnRef, *, name: Hashable | None = None) -> Classes:
    """Treat a column as classes, even if it holds floats that are not whole numbers.

    Parameters
    ----------
    column : column name, Polars expression, or callable that takes a pandas frame
    name : hashable, optional
        Name of the stratum column in result frames.

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
    return Classes((column,), name=name)
