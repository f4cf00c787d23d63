"""A term whose columns were read from a frame."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from .. import frames
from ..core.types import Ints
from ..frames import ResultName, RuledColumn
from .base import LEFT_NULL, EncodedColumns, Missing, Term

MISSING_GROUP_HINT = f'`missing="stratum"` makes each of these rows a group of its own; {LEFT_NULL}'


@dataclass(frozen=True, eq=False, kw_only=True)
class BoundTerm(EncodedColumns):
    """One entry of `by` or `groups` on the rows that are dealt."""

    term: Term
    names: tuple[ResultName, ...]
    """What the columns are called."""
    place: int
    """Its place in the argument, from 1."""
    argument: Literal["by", "groups"] = "by"
    """The argument that it comes from."""
    sizes: Ints | None = None
    """The number of rows of each class, shape (n_classes,), if they are counted already."""

    @property
    def position(self) -> str:
        """Its place in the call, as messages show it."""
        return f"entry {self.place} of `{self.argument}`"

    @property
    def text(self) -> str:
        """The entry as messages show it."""
        return self.position if self.names[0].is_unnamed else repr(self.names[0].name)

    @property
    def code(self) -> str:
        """The column as a hint writes it inside a term."""
        return "..." if self.names[0].is_unnamed else repr(self.names[0].name)

    @property
    def stratum_name(self) -> Hashable:
        column = f"stratum_{self.place}" if self.names[0].is_unnamed else self.names[0].name
        found = (self.term.name, self.term.default_name, column)
        return next((name for name in found if name is not None), None)

    @property
    def n_rows(self) -> int:
        """How many rows are dealt, those that one row stands for included."""
        return len(self.missing) if self.weights is None else int(self.weights.sum())


def read_entry(
    term: Term,
    series: Sequence[Any],
    place: int,
    argument: Literal["by", "groups"] = "by",
    weights: Ints | None = None,
) -> BoundTerm:
    term = term.resolve(series)
    if term.has_features:
        spread = frames.references.spread_columns(term.columns, series)
        refs, series = zip(*spread, strict=True)
        term = replace(term, columns=refs)
    columns = replace(term.read(series), weights=weights)
    names = tuple(map(frames.references.result_name, term.columns, series))
    return BoundTerm(**vars(columns), term=term, names=names, place=place, argument=argument)


def select_rows(entry: BoundTerm, rows: Ints) -> BoundTerm:
    return replace(
        entry,
        data=entry.data[..., rows],
        missing=entry.missing[rows],
        rows=rows if entry.rows is None else entry.rows[rows],
        sizes=None,
        weights=None if entry.weights is None else entry.weights[rows],
    )


def ruled_columns(entry: BoundTerm, missing: Missing) -> list[RuledColumn]:
    """Pair each column of an entry with the rule that its values must keep."""
    rules, is_nominal = entry.term.rules(missing), entry.term.is_nominal
    several = entry.data.ndim == 2
    columns: list[RuledColumn] = []
    blocks = [entry.data]
    if several:
        # A vector is judged by its component farthest from zero, which is NaN if any is.
        parts = np.split(entry.data, np.cumsum(entry.widths or [1] * len(entry.data))[:-1])
        blocks = [
            part[0] if len(part) == 1 else np.abs(part).max(axis=0, initial=0) for part in parts
        ]
    read = zip(entry.names, entry.series, blocks, strict=True)
    for place, (column, series, values) in enumerate(read, 1):
        name, text, rule = column.name, f"Column {column.name!r}", rules[place - 1]
        if column.is_unnamed and several:
            name, text = f"feature {place}", f"Feature {place} of {entry.position}"
        elif column.is_unnamed:
            name, text = f"entry {entry.place}", entry.position.capitalize()
        hint = rule.hint.format(column=entry.code)
        if is_nominal and entry.argument == "groups":
            hint = MISSING_GROUP_HINT
        columns.append(
            RuledColumn(
                name,
                text,
                rule._replace(hint=hint),
                series,
                np.isnan(values) if several else entry.missing,
                None if is_nominal else values,
                entry.rows,
                entry.weights,
            )
        )
    return columns
