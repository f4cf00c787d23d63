"""Read the columns of terms from a frame, and state the rules that their values must obey."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from .. import frames
from ..core.types import Ints, Values
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
        replace(read_entry(term, series, place), argument=argument, weights=weights)
        for place, (term, series) in enumerate(split_series(terms, columns, argument), 1)
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
    is_nominal = entry.term.is_nominal
    # Vectors of classes are one column with one rule, whatever the number of their components.
    has_features = entry.data.ndim == 2 and not is_nominal
    rules = entry.term.rules(missing)
    blocks = split_features(entry) if has_features else [entry.data]
    columns: list[RuledColumn] = []
    for place, (series, values) in enumerate(zip(entry.series, blocks, strict=True)):
        rule = rules[place]
        hint = rule.hint.format(column=entry.code)
        if is_nominal and entry.argument == "groups":
            hint = MISSING_GROUP_HINT
        name, text = name_column(entry, place, has_features=has_features)
        columns.append(
            RuledColumn(
                name,
                text,
                rule._replace(hint=hint),
                series,
                np.isnan(values) if has_features else entry.missing,
                None if is_nominal else values,
                entry.rows,
                entry.weights,
            )
        )
    return columns


def split_features(entry: BoundTerm) -> list[Values]:
    """Return the values of each column of features, with one number for each vector."""
    widths = entry.widths or [1] * len(entry.data)
    blocks = np.split(entry.data, np.cumsum(widths)[:-1])
    return [block[0] if len(block) == 1 else largest_components(block) for block in blocks]


def largest_components(vectors: Values) -> Values:
    """Return the largest absolute component of each vector, or NaN if it contains NaN."""
    largest: Values = np.abs(vectors).max(axis=0, initial=0)
    return largest


def name_column(entry: BoundTerm, place: int, *, has_features: bool) -> tuple[Hashable, str]:
    """Return the name of a column in frames of failing rows, and its name in messages."""
    column = entry.names[place]
    if not column.is_unnamed:
        return column.name, f"Column {column.name!r}"
    if has_features:
        return f"feature {place + 1}", f"Feature {place + 1} of {entry.position}"
    return f"entry {entry.place}", entry.position.capitalize()
