"""Margins: several entries, each balanced on its own."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .. import frames
from ..core.types import Ints
from ..errors import StratError, at_least_one, warn
from .base import BoundTerm, Substrata, Term, list_arguments
from .classes import RARE, Classes, Plain

MOST_TAGS = 2_000
"""The maximum number of list values that become an entry each."""


@dataclass(frozen=True, eq=False, repr=False)
class Margins(Term):
    """Entries that are each balanced on their own; `columns` holds these entries."""

    function: ClassVar[str] = "sf.margins"

    def arguments(self) -> str:
        return list_arguments([frames.format_reference(entry) for entry in self.columns])


@dataclass(frozen=True, eq=False, repr=False)
class PlainMargin(Plain):
    """A plain column of margins, which may hold lists."""

    def resolve(self, series: Sequence[Any]) -> Term:
        is_of_lists = frames.holds_lists(series[0])
        return Tags(self.columns) if is_of_lists else super().resolve(series)


@dataclass(frozen=True, eq=False, repr=False)
class Tags(Classes):
    """A column of lists; each value is an entry of its own: whether a row has the value."""

    def read(self, series: Sequence[Any]) -> BoundTerm:
        """Read which rows have no list; an empty list is not missing."""
        missing = frames.is_missing(series[0])
        return BoundTerm(self, series, np.zeros(len(missing), dtype=np.int64), missing, 2)

    def entries(self, entry: BoundTerm) -> list[BoundTerm]:
        """Make an entry of each value; those beyond the most frequent form one entry together."""
        tags, rows = frames.read_tags(entry.series[0])
        if len(tags) > MOST_TAGS:
            n_rare = len(tags) - MOST_TAGS
            warn(
                f"{self.columns[0]!r} holds {len(tags):,} different values: the {MOST_TAGS:,} most"
                f" frequent are each balanced on their own, and the other {n_rare:,} as one."
            )
            tags[MOST_TAGS:], rows[MOST_TAGS:] = [RARE], [np.concatenate(rows[MOST_TAGS:])]
        if not len(entry.missing):
            return [entry]
        if not tags:
            raise StratError(at_least_one(f"The lists of {self.columns[0]!r}", "value", []))
        # The data are the rows of the column that hold the value.
        return [
            replace(entry, term=Tags(self.columns, name=tag), data=own)
            for tag, own in zip(tags, rows, strict=True)
        ]

    def divide(self, entry: BoundTerm, parent: Ints, n_parents: int) -> Substrata:
        """Divide rows by whether they have the value; missing lists are the last child."""
        codes = np.zeros(len(entry.series[0]), dtype=np.int64)
        codes[entry.data] = 1
        codes = codes if entry.rows is None else codes[entry.rows]
        return Substrata(np.where(entry.missing, 2, codes), 3)

    def labels(self, entry: BoundTerm, division: Substrata, parent: Ints, rows: Ints) -> Any:
        return [(False, True, None)[code] for code in division.codes[rows]]


def name_with_column(entry: BoundTerm) -> BoundTerm:
    """Put the column before the value in the name of a list entry; leave other entries alone."""
    if not isinstance(entry.term, Tags):
        return entry
    name = f"{entry.names[0].name}: {entry.term.name}"
    return replace(entry, term=replace(entry.term, name=name))


def margins(entries: Hashable | Term | Sequence[Hashable | Term]) -> Margins:
    """Balance each of several entries on its own, not their joint strata.

    Use it for multi-label indicators, and for many columns whose joint strata are too sparse. It
    must be the only entry of `by`. The sizes of parts stay within 1 row of even.

    Parameters
    ----------
    entries : list of entries, or one
        Columns of classes, and terms: `sf.classes`, `sf.quantiles`, `sf.bins`,
        `sf.clusters`. A continuous column is an error: cut it first. In a column of lists, each
        value is an entry: whether a row has it, however often and at whatever place. The value
        names the entry, with the column before it if another entry has the same name. Beyond 2,000
        values, the rarer values are a single entry, with a warning.

    Returns
    -------
    Margins

    Raises
    ------
    StratError
        If there are no entries, or one of them orders rows.

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
    is_one = frames.is_computed(entries) or frames.libraries.is_label(entries)
    given: list[Any] = list(entries) if isinstance(entries, list | tuple) else [entries] * is_one
    if not given or entries is None:
        msg = f"`sf.margins` must hold a list of entries, got {frames.format_reference(entries)}."
        raise StratError(msg)
    for entry in given:
        if isinstance(entry, Margins) or (isinstance(entry, Term) and entry.orders_rows):
            msg = (
                f"`sf.margins` must hold entries that make strata, got `{entry.function}`."
                "\nHint: `sf.quantiles` cuts a continuous column."
            )
            raise StratError(msg)
    return Margins(tuple(given))
