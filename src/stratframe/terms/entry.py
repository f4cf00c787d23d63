"""An entry of `by`: a term that was read on the rows of a frame."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from .. import frames
from ..core.types import Flags, Ints, Values
from ..frames import ResultName, RuledColumn
from .base import Missing, StrataTerm, Term


@dataclass(frozen=True, eq=False)
class BoundTerm:
    """One entry of `by` or `groups` on the rows that are dealt."""

    term: Term
    series: tuple[Any, ...]
    """The whole columns: one, or the features."""
    names: tuple[ResultName, ...]
    """What the columns are called."""
    data: Values
    """Codes of classes, -1 where missing, or numbers; shape (n_dealt,). Features have
    the shape (n_features, n_dealt)."""
    missing: Flags
    """Where the value is missing, shape (n_dealt,)."""
    n_classes: int
    """How many classes; 0 for numbers."""
    place: int
    """Its place in the argument, from 1."""
    argument: Literal["by", "groups"] = "by"
    """The argument that it comes from."""
    rows: Ints | None = None
    """Positions of the dealt rows in the column; None for all, in its order."""
    sizes: Ints | None = None
    """The rows of each class, shape (n_classes,), where they were counted already."""
    weights: Ints | None = None
    """How many rows each dealt row stands for, shape (n_dealt,); None for one."""

    @property
    def is_nameless(self) -> bool:
        """Whether the entry is computed, and its result has no name."""
        return self.names[0].is_missing

    @property
    def text(self) -> str:
        """The entry as messages show it."""
        if self.is_nameless:
            return f"entry {self.place} of `{self.argument}`"
        return repr(self.names[0].name)

    @property
    def code(self) -> str:
        """The entry as a hint puts it into a term."""
        return "..." if self.is_nameless else repr(self.names[0].name)

    @property
    def n_rows(self) -> int:
        """How many rows are dealt."""
        return len(self.missing) if self.weights is None else int(self.weights.sum())

    def values_at(self, rows: Ints) -> Any:
        """Take the column's own values at some dealt rows."""
        return frames.take(self.series[0], rows if self.rows is None else self.rows[rows])


def read_entry(
    term: Term,
    series: Sequence[Any],
    place: int,
    argument: Literal["by", "groups"] = "by",
    weights: Ints | None = None,
) -> BoundTerm:
    """Read the columns of a term into arrays."""
    term = term.resolve(series)
    reading = term.read(series)
    names = frames.result_names(term.columns, series)
    return BoundTerm(term, tuple(series), names, *reading, place, argument, weights=weights)


def select_rows(entry: BoundTerm, rows: Ints) -> BoundTerm:
    """Restrict an entry to some of its rows, in their order."""
    positions = rows if entry.rows is None else entry.rows[rows]
    return replace(
        entry,
        data=entry.data[..., rows],
        missing=entry.missing[rows],
        rows=positions,
        sizes=None,
        weights=None if entry.weights is None else entry.weights[rows],
    )


def without_order(entry: BoundTerm) -> BoundTerm:
    """Let an entry that orders rows make strata instead, if it can."""
    term = entry.term.without_order()
    return entry if term is None else replace(entry, term=term)


def stratum_name(entry: BoundTerm, term: StrataTerm) -> Hashable:
    """Name the strata of an entry in result frames."""
    if term.name is not None:
        return term.name
    return term.default_name(f"stratum_{entry.place}" if entry.is_nameless else entry.names[0].name)


def ruled_columns(entry: BoundTerm, missing: Missing) -> list[RuledColumn]:
    """State what a call needs of the columns of an entry."""
    several = entry.data.ndim == 2
    columns: list[RuledColumn] = []
    rules = entry.term.rules(missing)
    for place, ((name, is_nameless), series, rule) in enumerate(
        zip(entry.names, entry.series, rules, strict=True)
    ):
        values = entry.data[place] if several else entry.data
        text = f"Column {name!r}"
        if is_nameless:
            name = f"feature {place + 1}" if several else f"entry {entry.place}"
            text = (
                f"Feature {place + 1} of entry {entry.place} of `{entry.argument}`"
                if several
                else entry.text.capitalize()
            )
        columns.append(
            RuledColumn(
                name,
                text,
                rule._replace(hint=rule.hint.format(column=entry.code)),
                series,
                np.isnan(values) if several else entry.missing,
                None if entry.term.is_nominal else values,
                entry.rows,
                entry.weights,
            )
        )
    return columns
