"""One entry of `by`, read from its column: codes of classes, or numbers to cut or sort."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from .. import frames
from ..core.strata import edge_bins, quantile_bins
from ..core.types import Flags, Ints, Values
from ..errors import warn
from ..schemas import Rule
from .base import Bins, Classes, Continuous, Features, Margins, Plain, Quantiles, Term
from .by import refs_of, shown, verb

LARGEST = 1e145
"""Up to this a feature needs no scale for its squares to be floats."""

Fitted: TypeAlias = Classes | Continuous | Quantiles | Bins | Features
"""A term that says how its column is taken."""


@dataclass(frozen=True, eq=False)
class Entry:
    """One entry of `by` on the rows that are dealt."""

    term: Fitted
    series: tuple[Any, ...]
    """The whole columns: one, or the features."""
    data: Values
    """Codes of classes, -1 where missing, or numbers; shape (n_dealt,). Features have
    the shape (n_features, n_dealt)."""
    n_classes: int
    """How many classes; 0 for numbers."""
    missing: Flags
    """Where the value is missing, shape (n_dealt,)."""
    place: int = 1
    """Which entry of `by` it is, from 1."""
    rows: Ints | None = None
    """Positions of the dealt rows in the column; None for all, in its order."""
    is_group: bool = False
    """Whether it says which rows belong together, and is no entry of `by`."""

    @property
    def name(self) -> Hashable:
        """The name of the entry in result frames."""
        if self.term.name is not None:
            return self.term.name
        if isinstance(self.term, Features):
            return verb(self.term).removeprefix("sf.").removesuffix("s")
        return f"stratum_{self.place}" if self.is_nameless else self.column

    @property
    def column(self) -> Hashable:
        """The name of the entry's column; None for a computed one without a name."""
        return frames.result_name(refs_of(self.term)[0], self.series[0])

    @property
    def is_nameless(self) -> bool:
        """Whether the entry is computed, and its result has no name."""
        return frames.is_computed(refs_of(self.term)[0]) and self.column is None

    @property
    def text(self) -> str:
        """The entry as messages show it."""
        source = "groups" if self.is_group else "by"
        return f"entry {self.place} of `{source}`" if self.is_nameless else repr(self.column)

    @property
    def code(self) -> str:
        """The entry as a hint puts it into a term."""
        return "..." if self.is_nameless else repr(self.column)


def read_entry(term: Term, series: Sequence[Any], place: int = 1) -> Entry:
    """Read the columns of an entry into arrays."""
    if isinstance(term, Features):
        points = frames.read_matrix(series, shown(term))
        return Entry(term, tuple(series), points, 0, np.zeros(points.shape[1], np.bool_), place)
    (column,) = series
    assert not isinstance(term, Margins)
    if isinstance(term, Plain):
        kind = Continuous if frames.is_continuous(column) else Classes
        term = kind(term.column, term.name)
    if isinstance(term, Classes):
        codes, n_classes = frames.encode_classes(column)
        return Entry(term, (column,), codes, n_classes, codes < 0, place)
    read = frames.read_comparable if isinstance(term, Bins) else frames.read_ordinal
    values, missing = read(column, shown(term))
    return Entry(term, (column,), values, 0, missing, place)


def pick(entry: Entry, places: Ints) -> Entry:
    """Restrict an entry to some of its rows, in their order."""
    rows = places if entry.rows is None else entry.rows[places]
    return replace(entry, data=entry.data[..., places], missing=entry.missing[places], rows=rows)


def rules_of(entry: Entry, missing: str) -> list[Rule]:
    """Say what a call asks of the values of an entry, column by column."""
    if isinstance(entry.term, Features):
        hint = "drop these rows, or fill the gaps first."
        squares_fit = entry.term.scale is not None or not np.isfinite(entry.data).all()
        names = [
            frames.result_name(ref, series)
            for ref, series in zip(entry.term.features, entry.series, strict=True)
        ]
        return [
            Rule(
                f"feature {place}" if name is None else name,
                f"feature {place} of entry {entry.place} of `by`" if name is None else repr(name),
                series,
                finite=True,
                within=None if squares_fit else (-LARGEST, LARGEST),
                hint=hint,
            )
            for place, (name, series) in enumerate(zip(names, entry.series, strict=True), start=1)
        ]
    (series,) = entry.series
    name = f"entry {entry.place}" if entry.is_nameless else entry.column
    if isinstance(entry.term, Continuous):
        hint = f"drop these rows, or cut the column, as in `sf.quantiles({entry.code}, 10)`."
        return [Rule(name, entry.text, series, finite=True, hint=hint)]
    hint = (
        '`missing="stratum"` makes missing values a stratum of their own;'
        ' in `kfold`, `missing="null"` leaves their fold null.'
    )
    if entry.is_group:
        hint = (
            '`missing="stratum"` makes each of these rows a group of its own;'
            ' in `kfold`, `missing="null"` leaves their fold null.'
        )
    edges = entry.term.edges if isinstance(entry.term, Bins) else None
    within = None if edges is None else (edges[0], edges[-1])
    present = missing == "error"
    return [Rule(name, entry.text, series, present=present, within=within, hint=hint)]


def numbers_of(entry: Entry) -> list[Values | None]:
    """Take the numbers of an entry by column, NaN where missing; None for other classes."""
    if isinstance(entry.term, Features):
        return list(entry.data)
    if isinstance(entry.term, Classes):
        return [column_numbers(series) for series in entry.series]
    return [np.where(entry.missing, np.nan, entry.data)]


def column_numbers(series: Any) -> Values | None:
    """Take the numbers of a float column, whose NaN counts as missing in every library."""
    return frames.to_floats(series) if frames.is_float(series) else None


def is_broken(entry: Entry, rule: Rule) -> bool:
    """Say, in one pass and without pandera, whether any row breaks a rule of its entry."""
    if rule.present and entry.missing.any():
        return True
    known = entry.data if not entry.missing.any() else entry.data[..., ~entry.missing]
    if rule.finite and not np.isfinite(known).all():
        return True
    if rule.within is None or not known.size:
        return False
    low, high = rule.within
    return bool(known.min() < low or known.max() > high)


def children(entry: Entry, parent: Ints) -> tuple[Ints, int]:
    """Give numbers to the classes or bins of an entry inside each parent, missing ones last.

    Parameters
    ----------
    parent : ndarray of int, shape (n_dealt,)
        The stratum of every row so far.

    Returns
    -------
    child : ndarray of int64, shape (n_dealt,), range 0..n_children-1
    """
    codes, n_children = entry.data, entry.n_classes
    if not isinstance(entry.term, Classes):
        codes = np.zeros(len(entry.data), dtype=np.int64)
        known = ~entry.missing
        codes[known], n_children = cut(entry.term, entry.data[known], parent[known])
    if entry.missing.any():
        codes, n_children = np.where(entry.missing, n_children, codes), n_children + 1
    return codes, n_children


def cut(term: Fitted, values: Values, parent: Ints) -> tuple[Ints, int]:
    """Cut numbers into the bins of a term, inside each parent."""
    if isinstance(term, Bins):
        return edge_bins(values, np.array(term.edges), term.closed), len(term.edges) - 1
    assert isinstance(term, Quantiles)
    found, counts = quantile_bins(parent, values, term.n)
    counts = counts[counts > 0]
    short = counts < term.n
    if short.any() and not term.quiet:
        several = len(counts) > 1
        where = f" in {short.sum()} of {len(counts)} strata" if several else ""
        warn(
            f"`{shown(term)}` made fewer bins than asked for{where}: {counts.min()} of {term.n}"
            f"{' at the fewest' if several else ''}. Equal values are never parted."
        )
    return found, term.n
