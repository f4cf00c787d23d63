"""The target of a study: classes or numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..checks import load_extra
from ..core.types import Values
from ..errors import StratError
from ..terms.base import Term
from ..terms.bins import Continuous
from ..terms.by import to_term
from ..terms.classes import Classes
from ..terms.entry import read_entry, ruled_columns

OF_CLASSES = {"binary", "multiclass"}
"""The types of targets that are classes, in the words of scikit-learn."""

MOST_CLASSES = 50
"""The maximum number of distinct whole numbers that are classes without the user saying so."""


class TargetColumn(NamedTuple):
    """The target column, and how it is read."""

    name: str
    is_continuous: bool
    term: Term
    """What stratified k-fold stratifies by: the classes, or ten quantile bins."""

    def read(self, frame: Any) -> Values:
        """Read the target of a frame as scikit-learn takes it, shape (n_rows,)."""
        (series,) = frames.read_columns(frame, [self.name])
        if self.is_continuous:
            return frames.read_numbers(series, "target")[0].astype(np.float64)
        return np.array(frames.to_list(series))

    def read_numbers(self, frame: Any) -> Values:
        """Read the values of a continuous target, or codes for classes."""
        return self.term.read(frames.read_columns(frame, [self.name])).data


def read_target(frame: Any, target: Any) -> TargetColumn:
    """Find out whether a target is continuous, and raise if it has missing or infinite values."""
    term = to_term(target)
    if not isinstance(term, Classes | Continuous):
        msg = (
            "`target` must be a column name, `sf.classes` or `sf.continuous` of one,"
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
    found = TargetColumn(name, False, Classes((name,)))
    check_classes(found, frame, entry.n_classes)
    return found


def check_classes(target: TargetColumn, frame: Any, n_classes: int) -> None:
    """Raise unless scikit-learn takes the values as labels of exactly `n_classes` classes."""
    labels = target.read(frame)
    multiclass = load_extra("sklearn.utils.multiclass", "sklearn")
    if multiclass.type_of_target(labels) not in OF_CLASSES or len(np.unique(labels)) != n_classes:
        msg = (
            f"`target` must be text, whole numbers or booleans, but scikit-learn cannot take the"
            f" values of {target.name!r} as {n_classes:,} classes.\nHint: cast it to text."
        )
        raise StratError(msg)


def check_guess(name: str, series: Any, n_classes: int) -> None:
    """Raise if a plain column of whole numbers may be the target of a regression."""
    if n_classes > MOST_CLASSES and frames.is_measured(series):
        msg = (
            f"`target` must be classes or numbers, but {name!r} holds {n_classes:,} different"
            f" whole numbers, which may be either.\nHint: `sf.continuous({name!r})` or"
            f" `sf.classes({name!r})`."
        )
        raise StratError(msg)
