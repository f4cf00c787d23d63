"""Codes of the values in a partition, and the strata that the driver finds for them.

Each partition counts its combinations of values. The driver numbers their strata, and a partition
then finds the stratum of each of its rows by a hash of the row's values.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from ... import frames
from ...core.hashing import HashedWords, hash_keys
from ...core.order import ordered_words
from ...core.strata import DENSE, edge_bins, factorize_codes, first_occurrence
from ...core.types import Flags, Ints, Words
from ...errors import StratError, describe
from ...terms.base import ByEdges, ByQuantiles, Term
from ..base import check_n_strata, check_term
from ..cuts import other_rows, parts_by_cuts
from .types import Use, read_column, take_places

DASK = "Dask"


class StratumIndex(NamedTuple):
    """The strata of combinations of values."""

    hashes: Words
    """The hashes of the combinations that were counted, ascending and all different."""
    strata: Ints
    """The stratum of each combination, -1 if its rows are not dealt."""


class QuantileCuts(NamedTuple):
    """The cuts of an entry inside the strata of the entries before."""

    strata: StratumIndex
    """The parent strata of the values of the entries before."""
    points: Words
    """The highest value of each bin except the last, as words; shape (n_parents, n - 1)."""


class Plan(NamedTuple):
    """What a worker must know of a call."""

    terms: tuple[Term, ...]
    """The entries of `by`, of `groups`, and of a column of folds, if any."""
    uses: tuple[Use, ...]
    """The column of each entry, then those of the key. Their types may differ between
    partitions."""
    n_by: int = 0
    """How many of the entries are those of `by`."""
    n_groups: int = 0
    """How many of the next entries are those of `groups`."""
    key: tuple[Hashable, ...] = ()
    """The columns of the key."""
    where: Hashable | None = None
    salts: tuple[int, ...] = ()
    """The salts of the numbers of rows, one for each new column."""
    computed: tuple[Hashable, ...] = ()
    """Columns that were computed for this call only."""
    present: tuple[Hashable, ...] = ()
    """Columns in which a row must have a value to be dealt."""
    filled: Hashable | None = None
    """The column to fill: only rows without a value in it are dealt."""
    for_table: bool = False
    """Whether counts also show the lowest value of each quantile bin, and have no cells."""
    floats: tuple[Hashable, ...] | None = None
    """Columns to be cut whose numbers are read as floats; None until a pass has found them."""
    cuts: Mapping[int, QuantileCuts] = {}
    """The cuts of the entries whose quantiles are known, by the place of the entry."""

    @property
    def by(self) -> list[Hashable]:
        return [use.name for use in self.uses[: len(self.terms)]]

    def before(self, place: int) -> Plan:
        return self._replace(terms=self.terms[:place], n_by=place, n_groups=0)


ColumnCodes: TypeAlias = tuple[Ints, int]
"""The values of one column as codes from 0 to n - 1, and n. Missing values have the code n - 1."""


class Combinations(NamedTuple):
    """The combinations of values that rows have."""

    codes: Ints
    """The combination of every row, numbered by first appearance; shape (n_rows,)."""
    first: Ints
    """The first row of every combination."""
    hashes: Words
    """The hash of the values of every combination, the same in every partition."""


# Values and codes ------------------------------------------------------------------------


def code_columns(series: Sequence[Any], plan: Plan, n_rows: int) -> list[ColumnCodes]:
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
    """Return whether a term cuts its column into bins, at edges or at quantiles."""
    return isinstance(term.counted_by(), ByEdges | ByQuantiles)


def code_values(term: Term, series: Any) -> ColumnCodes:
    """Encode the values of a column as classes, or as the numbers of their bins."""
    term = term.resolve([series])
    check_term(term, DASK)
    alike = term.counted_by()
    if isinstance(alike, ByEdges):
        values, missing = frames.read_comparable(series, str(term))
        # Values outside the edges are in two further bins, which the driver looks for.
        edges = np.array(alike.edges)
        codes = edge_bins(values, edges, alike.closed) + (values >= edges[0]) + (values > edges[-1])
        n_codes = len(edges) + 1
    else:
        codes, n_codes = frames.encode_classes(series)
        missing = codes < 0
    return np.where(missing, n_codes, codes), n_codes + 1


def bins_of(plan: Plan, place: int, series: Sequence[Any], n_rows: int) -> ColumnCodes:
    """Find the quantile bins of the last column inside the strata of the columns before it."""
    cuts = plan.cuts[place]
    n = cuts.points.shape[1] + 1
    parents = find_strata(series[:-1], cuts.strata, plan.before(place), n_rows)
    words, missing = number_words(series[-1], str(plan.terms[place]))
    # Bins are closed on the right, so the points below a value are counted.
    bins = parts_by_cuts(parents.clip(0), words - np.uint64(1), cuts.points)
    bins = np.where(words == 0, 0, bins).astype(np.int64)
    return np.where(missing, n, bins), n + 1


def number_words(series: Any, text: str) -> tuple[Words, Flags]:
    """Read numbers or dates as words in the same order, and flag missing values."""
    values, missing = frames.read_numbers(series, text)
    return ordered_words(values), missing


def combine_codes(columns: Sequence[ColumnCodes], n_rows: int) -> tuple[Ints, int]:
    """Combine the codes of columns into codes of combinations, numbered by first appearance."""
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
    """Take rows of each series; categories, which partitions may not share, become plain values."""
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
    """Concatenate series, in a type that holds the values of all."""
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
    """List the column of each term, with numbers as floats if their kinds differ by partition."""
    uses = plan.uses[: len(plan.terms)]
    columns = [read_column(partition, use) for use in uses]
    return [
        pd.Series(frames.dtypes.to_floats(series), index=series.index, name=series.name)
        if use.is_number and use.name in (plan.floats or ())
        else series
        for use, series in zip(uses, columns, strict=True)
    ]


def combinations_of(series: Sequence[Any], plan: Plan, n_rows: int) -> Combinations:
    columns = code_columns(series, plan, n_rows)
    codes, n_codes = combine_codes(columns, n_rows)
    first = first_occurrence(codes, n_codes)
    words = [
        HashedWords(value_words(term, each, *coded)[coded[0][first]])
        for term, each, coded in zip(plan.terms, series, columns, strict=True)
    ]
    return Combinations(codes, first, np.broadcast_to(hash_keys(words, 0), n_codes))


def value_words(term: Term, series: Any, codes: Ints, n_codes: int) -> Words:
    """List a word for each code of a column; the word of a bin is its number."""
    if cuts_numbers(term):
        return np.arange(n_codes, dtype=np.uint64)
    first = first_occurrence(codes, n_codes)[: n_codes - 1]
    return np.append(class_words(series.iloc[first]), NO_VALUE)


NO_VALUE = np.uint64(0x9E3779B97F4A7C15)
"""The word of missing values."""


def class_words(series: Any) -> Words:
    """Hash classes; equal values have the same word, whatever type they are stored in."""
    if not len(series):
        return np.zeros(0, dtype=np.uint64)
    try:
        return hash_keys([frames.read_key(series)], 0)
    except StratError:
        return hash_objects(series)


def hash_objects(series: Any) -> Words:
    """Hash values that a key cannot hold: first type by type, then by their `repr`."""
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
    """Build the index from the values of counted rows to their strata, -1 if they are not dealt."""
    found = combinations_of(columns, plan, len(strata))
    order = np.argsort(found.hashes)
    hashes, first = found.hashes[order], found.first[order]
    # Two of a million combinations share a hash with a probability of 1 in 4 * 10**7.
    equal = np.flatnonzero(hashes[1:] == hashes[:-1])
    if len(equal):
        raise same_word_error(columns, np.sort(first[equal[0] : equal[0] + 2]))
    return StratumIndex(hashes, strata[first])


def same_word_error(columns: Sequence[Any], rows: Ints) -> StratError:
    """Build the error for two rows with different values and the same word."""
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
