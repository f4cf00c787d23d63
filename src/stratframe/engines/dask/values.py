"""Values of the stratum columns of a partition -> codes, and the strata that the driver made.

The combinations of values are counted in each partition. The driver numbers their strata, and a
partition then finds the stratum of each of its rows by a hash of the values.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from ... import frames
from ...core.hashing import HashedWords, hash_keys
from ...core.strata import DENSE, edge_bins, factorize_codes, first_occurrence
from ...core.types import Flags, Ints, Words
from ...errors import StratError, describe
from ...terms.base import ByEdges, ByQuantiles, Term
from ..base import check_n_strata, check_term
from ..cuts import other_rows, parts_by_cuts
from ..quantiles import ordered_words
from .types import Use, read_column, take_places

DASK = "Dask"


class StratumIndex(NamedTuple):
    """From values to strata."""

    hashes: Words
    """Of the combinations of values that were counted: they differ, and ascend."""
    strata: Ints
    """The stratum of each combination, -1 if its rows are not dealt."""


class QuantileCuts(NamedTuple):
    """The cuts of an entry inside the strata of the entries before."""

    strata: StratumIndex
    """From the values of the entries before to parent strata."""
    points: Words
    """The highest values of the bins but the last, as words; shape (n_parents, n - 1)."""


class Plan(NamedTuple):
    """What a worker must know of a call."""

    terms: tuple[Term, ...]
    """The entries of `by`, of `groups`, and of a column of folds, if any."""
    uses: tuple[Use, ...]
    """The column of each, and then those of the key: all whose types may differ."""
    n_by: int = 0
    """How many of the entries are of `by`."""
    n_groups: int = 0
    """How many of the entries after these are of `groups`."""
    key: tuple[Hashable, ...] = ()
    """The columns of the key."""
    where: Hashable | None = None
    salts: tuple[int, ...] = ()
    """Of the numbers of rows, one for each column that is made."""
    computed: tuple[Hashable, ...] = ()
    """Columns that were computed for this call only."""
    present: tuple[Hashable, ...] = ()
    """Columns without a value in which a row is not dealt."""
    filled: Hashable | None = None
    """A column that is filled: only rows without a value in it are dealt."""
    for_table: bool = False
    """Whether counts show the lowest value of each quantile bin, too, and no cells."""
    floats: tuple[Hashable, ...] | None = None
    """Columns to be cut whose numbers are read as floats; None until a pass has found it out."""
    cuts: Mapping[int, QuantileCuts] = {}
    """By their place, the entries whose quantiles are known."""

    @property
    def by(self) -> list[Hashable]:
        """The column of each entry."""
        return [use.name for use in self.uses[: len(self.terms)]]

    def before(self, place: int) -> Plan:
        """Plan what a worker does for the entries before one."""
        return self._replace(terms=self.terms[:place], n_by=place, n_groups=0)


ColumnCodes: TypeAlias = tuple[Ints, int]
"""The values of one column as codes, range 0..n-1, and n; missing values are n - 1."""


class Combinations(NamedTuple):
    """The combinations of values that rows have."""

    codes: Ints
    """The combination of every row, by first appearance; shape (n_rows,)."""
    first: Ints
    """The first row of every combination."""
    hashes: Words
    """Of the values of every combination: the same in every partition."""


# Values and codes ------------------------------------------------------------------------


def code_columns(series: Sequence[Any], plan: Plan, n_rows: int) -> list[ColumnCodes]:
    """Encode the values of the stratum columns."""
    return [
        bins_of(plan, place, series[: place + 1], n_rows)
        if is_cut(term)
        else code_values(term, series[place])
        for place, term in enumerate(plan.terms)
    ]


def is_cut(term: Term) -> bool:
    """Return whether rows are counted by the quantiles of a term."""
    return isinstance(term.counted_by(), ByQuantiles)


def cuts_numbers(term: Term) -> bool:
    """Return whether a term cuts its column at numbers."""
    return isinstance(term.counted_by(), ByEdges | ByQuantiles)


def code_values(term: Term, series: Any) -> ColumnCodes:
    """Encode the values of a column; those of bins by the number of the bin."""
    term = term.resolve([series])
    check_term(term, DASK)
    alike = term.counted_by()
    if isinstance(alike, ByEdges):
        values, missing = frames.read_comparable(series, str(term))
        # Values outside, which the driver looks for, are in two further bins.
        edges = np.array(alike.edges)
        codes = edge_bins(values, edges, alike.closed) + (values >= edges[0]) + (values > edges[-1])
        n_codes = len(edges) + 1
    else:
        codes, n_codes = frames.encode_classes(series)
        missing = codes < 0
    return np.where(missing, n_codes, codes), n_codes + 1


def bins_of(plan: Plan, place: int, series: Sequence[Any], n_rows: int) -> ColumnCodes:
    """Find the bins of an entry, the last of some columns, inside the strata of the others."""
    cuts = plan.cuts[place]
    n = cuts.points.shape[1] + 1
    parents = find_strata(series[:-1], cuts.strata, plan.before(place), n_rows)
    words, missing = number_words(series[-1], str(plan.terms[place]))
    # A bin is closed on the right: the points below a value are counted.
    bins = parts_by_cuts(parents.clip(0), words - np.uint64(1), cuts.points)
    bins = np.where(words == 0, 0, bins).astype(np.int64)
    return np.where(missing, n, bins), n + 1


def number_words(series: Any, text: str) -> tuple[Words, Flags]:
    """Read numbers or dates as words of their order, and flag missing values."""
    values, missing = frames.read_numbers(series, text)
    return ordered_words(values), missing


def combine_codes(columns: Sequence[ColumnCodes], n_rows: int) -> tuple[Ints, int]:
    """Combine the codes of columns into one code of their combination, by first appearance."""
    combined, n_combined = np.zeros(n_rows, dtype=np.int64), 1
    for codes, n in columns:
        if n_combined > np.iinfo(np.int64).max // n:
            combined, n_combined = compact(combined, n_combined)
        combined = combined * n + codes if n_combined > 1 else codes.astype(np.int64, copy=False)
        n_combined *= n
    codes, n_codes = compact(combined, n_combined)
    check_n_strata(n_codes)
    return codes, n_codes


def compact(codes: Ints, n_codes: int) -> tuple[Ints, int]:
    """Renumber codes by first appearance."""
    if n_codes <= max(DENSE, 2 * len(codes)):
        codes, present = factorize_codes(codes, n_codes)
        return codes, len(present)
    codes, different = pd.factorize(codes)
    return codes, len(different)


def take_values(columns: Sequence[Any], rows: Sequence[Ints]) -> list[Any]:
    """Take rows of each series as values that do not depend on the categories of a partition."""
    taken = [
        series.iloc[chosen].reset_index(drop=True)
        for series, chosen in zip(columns, rows, strict=True)
    ]
    return [
        take_places(pd.Series(series.cat.categories), series.cat.codes).rename(series.name)
        if isinstance(series.dtype, pd.CategoricalDtype)
        else series
        for series in taken
    ]


def stack(columns: Sequence[Any]) -> Any:
    """Put series one below the other, in a type that holds the values of all."""
    if len({series.dtype for series in columns}) == 1:
        return pd.concat(columns, ignore_index=True) if len(columns) > 1 else columns[0]
    missing = [frames.is_missing(series) for series in columns]
    known = [
        series[~flags] for series, flags in zip(columns, missing, strict=True) if not flags.all()
    ]
    values = pd.concat(known or columns[:1], ignore_index=True)
    present = ~np.concatenate(missing)
    places = np.where(present, np.cumsum(present) - 1, -1)
    return take_places(values, places).reset_index(drop=True)


def series_of(partition: Any, plan: Plan) -> list[Any]:
    """List the column of each term, its numbers as floats where partitions differ."""
    uses = plan.uses[: len(plan.terms)]
    columns = [read_column(partition, use) for use in uses]
    return [
        pd.Series(frames.dtypes.to_floats(series), index=series.index, name=series.name)
        if use.is_number and use.name in (plan.floats or ())
        else series
        for use, series in zip(uses, columns, strict=True)
    ]


def combinations_of(series: Sequence[Any], plan: Plan, n_rows: int) -> Combinations:
    """Encode the combinations of values, and hash each."""
    columns = code_columns(series, plan, n_rows)
    codes, n_codes = combine_codes(columns, n_rows)
    first = first_occurrence(codes, n_codes)
    words = [
        HashedWords(value_words(term, each, *coded)[coded[0][first]])
        for term, each, coded in zip(plan.terms, series, columns, strict=True)
    ]
    return Combinations(codes, first, np.broadcast_to(hash_keys(words, 0), n_codes))


def value_words(term: Term, series: Any, codes: Ints, n_codes: int) -> Words:
    """List a word for each code of a column; that of a bin is its number."""
    if cuts_numbers(term):
        return np.arange(n_codes, dtype=np.uint64)
    first = first_occurrence(codes, n_codes)[: n_codes - 1]
    return np.append(class_words(series.iloc[first]), NO_VALUE)


NO_VALUE = np.uint64(0x9E3779B97F4A7C15)
"""The word of missing values."""


def class_words(series: Any) -> Words:
    """Hash values of classes: equal ones have one word, whatever type they are stored in."""
    if not len(series):
        return np.zeros(0, dtype=np.uint64)
    try:
        return hash_keys([frames.read_key(series)], 0)
    except StratError:
        return hash_objects(series)


def hash_objects(series: Any) -> Words:
    """Hash values that have no place in a key: each type by itself, or else as Python writes it."""
    values = pd.Series(series.tolist(), dtype=object)
    types, names = pd.factorize(values.map(type))
    if len(names) == 1:
        return hash_keys([frames.read_key(values.map(repr))], 0)
    words = np.empty(len(values), dtype=np.uint64)
    for place in range(len(names)):
        rows = np.flatnonzero(types == place)
        words[rows] = class_words(values.iloc[rows])
    return words


# Strata ----------------------------------------------------------------------------------


def stratum_index(columns: Sequence[Any], strata: Ints, plan: Plan) -> StratumIndex:
    """Index counted rows, by their values, by stratum; -1 for those that are not dealt."""
    found = combinations_of(columns, plan, len(strata))
    order = np.argsort(found.hashes)
    hashes, first = found.hashes[order], found.first[order]
    # Of a million combinations of any values, two share a hash once in 4 * 10**7 times.
    equal = np.flatnonzero(hashes[1:] == hashes[:-1])
    if len(equal):
        raise same_word_error(columns, np.sort(first[equal[0] : equal[0] + 2]))
    return StratumIndex(hashes, strata[first])


def same_word_error(columns: Sequence[Any], rows: Ints) -> StratError:
    """Build the error for two rows whose values differ, but not their words."""
    pairs = [(column.name, frames.to_list(column.iloc[rows])) for column in columns]
    name, (one, other) = next((name, pair) for name, pair in pairs if pair[0] != pair[1])
    msg = (
        f"{DASK} frames tell classes apart by a hash of their values, which {describe(one)} and"
        f" {describe(other)} in column {name!r} share.\nHint: give the column one type, as with"
        f' `.astype({{{name!r}: "str"}})`.'
    )
    return StratError(msg)


def find_strata(series: Sequence[Any], index: StratumIndex, plan: Plan, n_rows: int) -> Ints:
    """Find the stratum of every row, -1 if it is not dealt."""
    found = combinations_of(series, plan, n_rows)
    return strata_of(found, index)[found.codes]


def strata_of(found: Combinations, index: StratumIndex) -> Ints:
    """Find the stratum of every combination of values, or raise if it was not counted."""
    order = np.argsort(found.hashes)
    hashes = found.hashes[order]
    places = np.searchsorted(index.hashes, hashes)
    if places.max(initial=-1) >= len(index.hashes) or (index.hashes[places] != hashes).any():
        raise other_rows()
    strata = np.empty(len(order), dtype=np.int64)
    strata[order] = index.strata[places]
    return strata
