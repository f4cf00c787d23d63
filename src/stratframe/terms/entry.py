"""Read the columns of terms from a frame, and state the rules that their values must obey."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from .. import frames
from ..core.types import Ints
from ..frames import RuledColumn
from .base import LEFT_NULL, BoundTerm, Missing, Term
from .by import split_series

MISSING_GROUP_HINT = f'`missing="stratum"` makes each of these rows a group of its own; {LEFT_NULL}'


def read_entries(
    terms: Sequence[Term],
    columns: Sequence[Any],
    argument: Literal["by", "groups"],
    weights: Ints | None = None,
) -> list[BoundTerm]:
    """Read the entries of an argument from `columns`, which is in the order of the entries."""
    return [
        replace(read_entry(term, own, place), argument=argument, weights=weights)
        for place, (term, own) in enumerate(split_series(terms, columns, argument), 1)
    ]


def read_entry(term: Term, series: Sequence[Any], place: int = 1) -> BoundTerm:
    term = term.resolve(series)
    if term.has_features:
        spread = frames.references.spread_columns(term.columns, series)
        refs, series = zip(*spread, strict=True)
        term = replace(term, columns=refs)
    names = tuple(map(frames.references.result_name, term.columns, series))
    return replace(term.read(series), place=place, names=names)


def ruled_columns(entry: BoundTerm, missing: Missing) -> list[RuledColumn]:
    """Pair each column of an entry with the rule that its values must obey."""
    rules, is_nominal = entry.term.rules(missing), entry.term.is_nominal
    # Vectors of classes are one column with one rule, whatever the number of their components.
    several = entry.data.ndim == 2 and not is_nominal
    columns: list[RuledColumn] = []
    blocks = [entry.data]
    if several:
        # A vector is represented by its largest absolute component, or by NaN if it contains NaN.
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
