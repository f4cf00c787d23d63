"""The target of a study: classes or numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..checks import load_extra
from ..core.strata import distinct_values
from ..core.types import Values
from ..errors import StratError
from ..terms.base import Term
from ..terms.bins import Continuous
from ..terms.by import to_term
from ..terms.classes import Classes
from ..terms.entry import read_entry, ruled_columns

OF_CLASSES = {"binary", "multiclass"}
"""The types of targets that hold classes, as named by scikit-learn."""

MOST_CLASSES = 50
"""The maximum number of distinct whole numbers in a plain column that is treated as classes."""


class TargetColumn(NamedTuple):
    """The target column, and the term that stratifies by it."""

    name: str
    is_continuous: bool
    term: Term
    """The term that defines the strata of stratified k-fold: classes, or ten quantile bins."""

    def read(self, frame: Any) -> Values:
        """Read the target of a frame in the form that scikit-learn expects, shape (n_rows,)."""
        (series,) = frames.read_columns(frame, [self.name])
        if self.is_continuous:
            return frames.read_numbers(series, "target")[0].astype(np.float64)
        return np.array(frames.to_list(series))

    def read_numbers(self, frame: Any) -> Values:
        """Read the values of a continuous target, or the codes of classes."""
        return self.term.read(frames.read_columns(frame, [self.name])).data


def read_target(frame: Any, target: Any) -> TargetColumn:
    """Check the values of the target, and determine whether it is continuous."""
    term = to_term(target)
    if not isinstance(term, Classes | Continuous):
        msg = (
            "`target` must be a column name, `sf.classes(...)` or `sf.continuous(...)`,"
            f" got {term.function}."
        )
        raise StratError(msg)
    (name,) = term.columns
    frames.check_names("target", [name])
    frames.check_refs(frame, {"target": [name]})
    entry = read_entry(term, frames.read_columns(frame, [name]), 1)
    (column,) = ruled_columns(entry, "error")
    frames.check_rules([column._replace(rule=column.rule._replace(hint=""))])
    if isinstance(entry.term, Continuous):
        return TargetColumn(name, True, entry.term.without_order())
    if entry.term is not term:
        check_guess(name, entry.series[0], entry.n_classes)
    column_of_classes = TargetColumn(name, False, Classes((name,)))
    check_classes(column_of_classes, frame, entry.n_classes)
    return column_of_classes


def check_classes(target: TargetColumn, frame: Any, n_classes: int) -> None:
    """Raise an error unless scikit-learn finds exactly `n_classes` classes in the target."""
    labels = target.read(frame)
    multiclass = load_extra("sklearn.utils.multiclass", "sklearn")
    if (
        multiclass.type_of_target(labels) not in OF_CLASSES
        or len(distinct_values(labels)) != n_classes
    ):
        msg = (
            f"`target` must be text, whole numbers or booleans, but scikit-learn cannot read the"
            f" values of {target.name!r} as {n_classes:,} classes.\nHint: cast this column to text."
        )
        raise StratError(msg)


def check_guess(name: str, series: Any, n_classes: int) -> None:
    """Raise an error if a plain column of whole numbers could be the target of a regression."""
    if n_classes > MOST_CLASSES and frames.is_measured(series):
        msg = (
            f"`target` must be classes or numbers, but {name!r} holds {n_classes:,} different"
            f" whole numbers, which may be either.\nHint: pass `sf.continuous({name!r})` or"
            f" `sf.classes({name!r})`."
        )
        raise StratError(msg)
