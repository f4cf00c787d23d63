"""The term `sf.margins`: several entries that are balanced separately."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .. import frames
from ..core.types import Ints
from ..errors import StratError, at_least_one, warn
from .base import BoundTerm, ColumnRef, Substrata, Term, list_arguments
from .classes import RARE, Classes, Plain

MOST_TAGS = 2_000
"""The maximum number of separate entries that are made for the values of a column of lists."""


@dataclass(frozen=True, eq=False, repr=False)
class Margins(Term):
    """Several entries that are balanced separately; the entries are stored in `columns`."""

    function: ClassVar[str] = "sf.margins"

    def arguments(self) -> str:
        return list_arguments([frames.format_reference(entry) for entry in self.columns])


@dataclass(frozen=True, eq=False, repr=False)
class PlainMargin(Plain):
    """A plain column in `sf.margins`, which can also be a column of lists."""

    def resolve(self, series: Sequence[Any]) -> Term:
        """Choose between classes, tags and vectors from all rows, whether they are dealt or not."""
        if not frames.holds_lists(series[0]):
            return super().resolve(series)
        kind = frames.kind_of_lists(series[0])
        if kind.is_soft:
            raise StratError(soft_labels(self.columns[0], series[0].name))
        if kind.n_components:
            return Vectors(self.columns, n_components=kind.n_components)
        return Tags(self.columns)


def soft_labels(ref: ColumnRef, name: object) -> str:
    column = "..." if frames.is_computed(ref) else repr(ref)
    owner = "" if name is None else f" of {name!r}"
    return (
        f"An entry of `sf.margins` must define strata, but the vectors{owner} hold fractions."
        f"\nHint: `sf.clusters({column})` makes strata of similar vectors, and `sf.quantiles` cuts"
        " a column that holds one component into bins."
    )


@dataclass(frozen=True, eq=False, repr=False)
class Vectors(Classes):
    """A column of vectors of one length, each component of which is an entry."""

    n_components: int = 0
    """The length of the vectors."""

    def read(self, series: Sequence[Any]) -> BoundTerm:
        """Read the classes of each component; a row is missing if any component is missing."""
        codes = frames.encode_components(series[0], self.n_components)
        return BoundTerm(self, series, codes, np.logical_or.reduce(codes < 0))

    def entries(self, entry: BoundTerm) -> list[BoundTerm]:
        entries = []
        for place, codes in enumerate(entry.data):
            name = f"{entry.stratum_name}[{place}]"
            term = Component(self.columns, n_components=self.n_components, place=place, name=name)
            n_classes = int(codes.max(initial=-1)) + 1
            entries.append(
                replace(entry, term=term, data=codes, missing=codes < 0, n_classes=n_classes)
            )
        return entries


@dataclass(frozen=True, eq=False, repr=False)
class Component(Vectors):
    """One component of a column of vectors; its name has the column and the place."""

    place: int = 0
    """The place of the component in the vectors, counted from 0."""

    def labels(self, entry: BoundTerm, division: Substrata, parent: Ints, rows: Ints) -> Any:
        return frames.component_values(entry.values_at(rows), self.n_components, self.place)


@dataclass(frozen=True, eq=False, repr=False)
class Tags(Classes):
    """A column of lists, or an entry that says which of the lists contain a given value."""

    def read(self, series: Sequence[Any]) -> BoundTerm:
        """Read which lists are missing; an empty list is not missing."""
        missing = frames.is_missing(series[0])
        return BoundTerm(self, series, np.zeros(len(missing), dtype=np.int64), missing, 2)

    def entries(self, entry: BoundTerm) -> list[BoundTerm]:
        """Make an entry for each value; values beyond the 2,000 most frequent share one entry."""
        tags, rows = frames.read_tags(entry.series[0])
        if len(tags) > MOST_TAGS:
            n_rare = len(tags) - MOST_TAGS
            warn(
                f"{self.columns[0]!r} holds {len(tags):,} different values: the {MOST_TAGS:,} most"
                f" frequent values are balanced separately, and the other {n_rare:,} as one entry."
            )
            tags[MOST_TAGS:] = [RARE]
            rows[MOST_TAGS:] = [np.concatenate(rows[MOST_TAGS:])]
        if not len(entry.missing):
            return [entry]
        if not tags:
            raise StratError(at_least_one(f"The lists of {self.columns[0]!r}", "value", []))
        # The data of an entry are the positions of the lists that contain the value.
        return [
            replace(entry, term=Tags(self.columns, name=tag), data=rows_of_tag)
            for tag, rows_of_tag in zip(tags, rows, strict=True)
        ]

    def divide(self, entry: BoundTerm, parent: Ints, n_parents: int) -> Substrata:
        codes = np.zeros(len(entry.series[0]), dtype=np.int64)
        codes[entry.data] = 1
        codes = codes if entry.rows is None else codes[entry.rows]
        return Substrata(np.where(entry.missing, 2, codes), 3)

    def labels(self, entry: BoundTerm, division: Substrata, parent: Ints, rows: Ints) -> Any:
        return [(False, True, None)[code] for code in division.codes[rows]]


def name_with_column(entry: BoundTerm) -> BoundTerm:
    """Name the entry of a tag or component "column: name"; return other entries unchanged."""
    if not isinstance(entry.term, Tags | Component):
        return entry
    name = f"{entry.names[0].name}: {entry.term.name}"
    return replace(entry, term=replace(entry.term, name=name))


def margins(entries: Hashable | Term | Sequence[Hashable | Term]) -> Margins:
    """Balance several entries separately, instead of their joint strata.

    Use this term for multi-label indicators, or for many columns whose joint strata are too sparse.
    It must be the only entry of `by`. Without `groups`, the size of each part is within 1 row of
    its share.

    Parameters
    ----------
    entries : entry or list of entries
        Columns of classes, or the terms `sf.classes`, `sf.quantiles`, `sf.bins` and `sf.clusters`.
        A continuous column raises an error; cut it into bins first. In a column of lists, each
        value becomes an entry, which says whether a list contains the value. The entry is named
        after the value; if another entry has this name, the column name is put first. If there are
        more than 2,000 values, the rarer values share a single entry, and a warning is issued. In
        a column of vectors, each component becomes an entry, such as `labels[0]`. Lists of one
        length of at least 2 are vectors if they hold only 0, 1 and booleans, or if most of them
        hold a value twice; vectors of fractions raise an error.

    Returns
    -------
    Margins

    Raises
    ------
    StratError
        If there are no entries, an entry orders rows, or vectors hold fractions.

    References
    ----------
    Sechidis, Tsoumakas and Vlahavas (2011), On the stratification of multi-label data.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"sun": [1, 0, 1, 0, 1, 0], "sea": [1, 1, 0, 0, 0, 0]})
    >>> folded = df.strat.kfold(sf.margins(["sun", "sea"]), k=2)
    >>> folded.groupby("fold")["sea"].sum().tolist()
    [1, 1]
    """
    listed: list[Any] = []
    if isinstance(entries, list | tuple):
        listed = list(entries)
    elif frames.is_computed(entries) or frames.libraries.is_label(entries):
        listed = [entries]
    if not listed or entries is None:
        msg = f"`sf.margins` must hold a list of entries, got {frames.format_reference(entries)}."
        raise StratError(msg)
    for entry in listed:
        if isinstance(entry, Margins) or (isinstance(entry, Term) and entry.orders_rows):
            msg = (
                f"`sf.margins` must hold entries that define strata, got `{entry.function}`."
                "\nHint: `sf.quantiles` cuts a continuous column into bins."
            )
            raise StratError(msg)
    return Margins(tuple(listed))
