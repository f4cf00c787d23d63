"""Values of the stratum columns of a partition -> codes, and the strata that the driver made.

The combinations of values are counted in each partition. The driver numbers their strata, and a
partition then finds the stratum of each of its rows by the values again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from .. import frames
from ..core.strata import DENSE, edge_bins, factorize_codes, first_occurrence
from ..core.types import Draws, Flags, Ints
from ..terms.base import Term
from ..terms.bins import Bins, Quantiles
from .cut_points import parts_by_cuts
from .driver import check_n_strata, check_term, other_rows
from .quantile_cuts import ordered_words

Shorten: TypeAlias = Callable[[Ints, int], tuple[Ints, int]]
"""From codes and how many there may be to fewer of each."""


class Plan(NamedTuple):
    """What a worker must know of a call."""

    terms: tuple[Term, ...]
    by: tuple[Hashable, ...]
    """The column of each term."""
    key: tuple[Hashable, ...] = ()
    """The columns of the key; without any, rows are numbered by partition and position."""
    where: Hashable | None = None
    salts: tuple[int, ...] = ()
    """Of the numbers of rows, one for each repeat."""
    cut_shares: tuple[float, ...] = ()
    """The share of rows before each cut point, where it is known."""
    n_partitions: int = 1
    engine: str = "Dask"
    computed: tuple[Hashable, ...] = ()
    """Columns that were computed for this call only."""
    present: tuple[Hashable, ...] = ()
    """Columns without a value in which a row is not dealt."""
    filled: Hashable | None = None
    """A column that is filled: only rows without a value in it are dealt."""
    for_table: bool = False
    """Whether counts show the lowest and the highest value of each quantile bin, and no cells."""

    def before(self, place: int) -> Plan:
        """Plan what a worker does for the entries before one."""
        return self._replace(terms=self.terms[:place], by=self.by[:place], salts=())


class ColumnCodes(NamedTuple):
    """The values of one column as codes."""

    codes: Ints
    """Shape (n_rows,), range 0..n-1; missing values are n - 1."""
    n: int


class StratumIndex(NamedTuple):
    """From values to strata."""

    values: list[Any]
    """Of each term, the series of its different values; None for bins, which have a number."""
    combinations: Ints
    """The combinations of their codes, ascending; shape (n_counted,)."""
    strata: Ints
    """The stratum of each combination, -1 if its rows are not dealt."""
    prefixes: list[Ints]
    """Combinations of the first columns, ascending, where those of all are too many."""


# Values and codes ------------------------------------------------------------------------


def code_columns(series: Sequence[Any], plan: Plan, n_rows: int) -> list[ColumnCodes]:
    """Encode the values of the stratum columns."""
    return [
        bins_of(term, series[: place + 1], plan.before(place), n_rows)
        if isinstance(term, CutQuantiles)
        else code_values(term, series[place], plan.engine)
        for place, term in enumerate(plan.terms)
    ]


def code_values(term: Term, series: Any, engine: str) -> ColumnCodes:
    """Encode the values of a column; those of bins by the number of the bin."""
    term = term.resolve([series])
    check_term(term, engine)
    data, missing, n_classes = term.read([series])
    if isinstance(term, Bins):
        # Values outside, which the driver looks for, are in two further bins.
        edges = np.array(term.edges)
        data = edge_bins(data, edges, term.closed) + (data >= edges[0]) + (data > edges[-1])
        n_classes = len(edges) + 1
    return ColumnCodes(np.where(missing, n_classes, data), n_classes + 1)


@dataclass(frozen=True, eq=False)
class CutQuantiles(Quantiles):
    """Quantile bins whose cuts were found before."""

    index: StratumIndex | None = None
    """From the values of the entries before to parent strata."""
    points: Draws | None = None
    """The highest values of the bins but the last, as words; shape (n_parents, n - 1)."""


def bins_of(term: CutQuantiles, series: Sequence[Any], before: Plan, n_rows: int) -> ColumnCodes:
    """Find the bins of the last of some columns, inside the strata of the others."""
    assert term.index is not None
    assert term.points is not None
    parents = find_strata(series[:-1], term.index, before, n_rows)
    words, missing = number_words(series[-1], str(term))
    # A bin is closed on the right: the points below a value are counted.
    bins = parts_by_cuts(parents.clip(0), words - np.uint64(1), term.points)
    bins = np.where(words == 0, 0, bins).astype(np.int64)
    return ColumnCodes(np.where(missing, term.n, bins), term.n + 1)


def number_words(series: Any, text: str) -> tuple[Draws, Flags]:
    """Read numbers or dates as words of the same order, the same in every partition.

    Returns
    -------
    words : ndarray of uint64, shape (n_rows,)
        Any word where the value is missing.
    missing : ndarray of bool, shape (n_rows,)
    """
    values, missing = frames.read_interval(series, text)
    if isinstance(series.dtype, pd.CategoricalDtype):
        values = values.astype(np.float64)
    return ordered_words(values), missing


def combine(columns: Sequence[ColumnCodes], n_rows: int, shorten: Shorten) -> tuple[Ints, int]:
    """Combine the codes of columns into one code of their combination, not always dense.

    Parameters
    ----------
    shorten : callable
        Renumbers codes densely, where the combinations are too many for 64 bits.
    """
    combined, n_combined = np.zeros(n_rows, dtype=np.int64), 1
    for codes, n in columns:
        if n_combined > np.iinfo(np.int64).max // n:
            combined, n_combined = shorten(combined, n_combined)
        combined = combined * n + codes if n_combined > 1 else codes.astype(np.int64, copy=False)
        n_combined *= n
    return combined, n_combined


def compact(codes: Ints, n_codes: int) -> tuple[Ints, int]:
    """Renumber codes by first appearance."""
    if n_codes <= max(DENSE, 2 * len(codes)):
        codes, present = factorize_codes(codes, n_codes)
        return codes, len(present)
    codes, different = pd.factorize(codes)
    return codes, len(different)


def take_values(columns: Sequence[Any], rows: Ints) -> list[Any]:
    """Take rows of series as values that do not depend on the categories of a partition."""
    taken = [series.iloc[rows].reset_index(drop=True) for series in columns]
    return [
        series.astype(series.cat.categories.dtype)
        if isinstance(series.dtype, pd.CategoricalDtype)
        else series
        for series in taken
    ]


def stack(columns: Sequence[Any]) -> Any:
    """Put series one below the other."""
    filled = [series for series in columns if len(series)] or list(columns[:1])
    return filled[0] if len(filled) == 1 else pd.concat(filled, ignore_index=True)


def series_of(part: Any, plan: Plan) -> list[Any]:
    """List the column of each term."""
    return [part[name] for name in plan.by]


def codes_of(series: Sequence[Any], plan: Plan, n_rows: int) -> tuple[Ints, int]:
    """Encode the combinations of values by first appearance."""
    columns = code_columns(series, plan, n_rows)
    codes, n_codes = compact(*combine(columns, n_rows, compact))
    check_n_strata(n_codes)
    return codes, n_codes


# Strata ----------------------------------------------------------------------------------


def stratum_index(columns: Sequence[Any], strata: Ints, plan: Plan) -> StratumIndex:
    """Index counted rows by their values.

    Parameters
    ----------
    columns : sequence of Series
        Of each term.
    strata : ndarray of int, shape (n_counted,), range -1..n_strata-1
    """
    coded = code_columns(columns, plan, len(strata))
    values = [different_values(*each) for each in zip(plan.terms, columns, coded, strict=True)]
    prefixes: list[Ints] = []

    def shorten(codes: Ints, _: int) -> tuple[Ints, int]:
        different, dense = np.unique(codes, return_inverse=True)
        prefixes.append(different)
        return dense, len(different)

    combined, _ = combine(coded, len(strata), shorten)
    combinations, first = np.unique(combined, return_index=True)
    return StratumIndex(values, combinations, strata[first], prefixes)


def different_values(term: Term, series: Any, coded: ColumnCodes) -> Any:
    """List the different values of a column in the order of their codes; None for bins."""
    if isinstance(term, Bins | CutQuantiles):
        return None
    return take_values([series], first_occurrence(coded.codes, coded.n)[: coded.n - 1])[0]


def find_strata(series: Sequence[Any], index: StratumIndex, plan: Plan, n_rows: int) -> Ints:
    """Find the stratum of every row.

    Returns
    -------
    ndarray of int64, shape (n_rows,), range -1..n_strata-1
    """
    columns = [
        bins_of(term, series[: place + 1], plan.before(place), n_rows)
        if isinstance(term, CutQuantiles)
        else find_codes(term, series[place], index.values[place], plan.engine)
        for place, term in enumerate(plan.terms)
    ]
    prefixes = iter(index.prefixes)

    def shorten(codes: Ints, _: int) -> tuple[Ints, int]:
        known = next(prefixes)
        return find_sorted(known, codes), len(known)

    combined, n_combined = combine(columns, n_rows, shorten)
    if n_combined > max(DENSE, 2 * n_rows):
        return index.strata[find_sorted(index.combinations, combined)]
    table = np.full(n_combined, UNKNOWN, dtype=np.int64)
    table[index.combinations] = index.strata
    strata = table[combined]
    if strata.min(initial=0) == UNKNOWN:
        raise other_rows()
    return strata


UNKNOWN = -2
"""The stratum of values that were not counted."""


def find_sorted(known: Ints, codes: Ints) -> Ints:
    """Find the places of codes among known ones."""
    places: Ints = pd.Index(known).get_indexer(pd.Index(codes))
    if places.min(initial=0) < 0:
        raise other_rows()
    return places


def find_codes(term: Term, series: Any, values: Any, engine: str) -> ColumnCodes:
    """Encode values as the driver did."""
    local = code_values(term, series, engine)
    if values is None:
        return local
    first = first_occurrence(local.codes, local.n)[: local.n - 1]
    known = np.flatnonzero(first < len(series))
    both = stack([values, *take_values([series], first[known])])
    found = frames.encode_classes(both)[0][len(values) :]
    if found.max(initial=-1) >= len(values):
        raise other_rows()
    codes = np.zeros(local.n, dtype=np.int64)
    codes[known] = found
    codes[-1] = len(values)
    return ColumnCodes(codes[local.codes], len(values) + 1)
