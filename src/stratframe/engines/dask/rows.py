"""Read the rows of a partition into a Polars frame.

The frame has a column for each entry of a call, named "0", "1" and so on. Without entries, it has
one column of zeros, named "all". Rows are alike if they are equal in these columns, and the strata
of rows are looked up by these columns.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ... import frames
from ...core.hashing import HashedWords, hash_keys
from ...core.order import ordered_words
from ...core.strata import edge_bins
from ...core.types import Ints, Words
from ...terms.base import ByEdges, ByQuantiles, Term
from ..base import check_term, other_rows
from ..counts import parts_by_cuts
from .kinds import Use, numbers_in

DASK = "Dask"

NO_VALUE = np.uint64(0x9E3779B97F4A7C15)
"""The 64-bit word that replaces a missing value when a row is hashed."""


class Plan(NamedTuple):
    """The description of a call for the workers."""

    terms: tuple[Term, ...]
    """The entries of `by` and `groups`, and one for the fold column if there is one."""
    names: tuple[Hashable, ...]
    """The column of each entry."""
    n_by: int
    n_groups: int
    key: tuple[Hashable, ...]
    where: Hashable | None
    present: tuple[Hashable, ...]
    """The columns in which a dealt row must have a value."""
    salts: tuple[int, ...] = ()
    """The salts of the row numbers (hashes of the keys) that are counted."""
    read_as: Mapping[Use, str] | None = None
    """The result of `choose_types`, or None before the first pass."""
    cuts: Mapping[int, tuple[pl.DataFrame, Words]] = {}
    """The known quantiles of entries, by the places of the entries. Each item has an index of the
    strata of the earlier entries, and the highest word of each bin except the last bin, shape
    (n_strata, n_bins - 1)."""

    @property
    def columns(self) -> list[Hashable]:
        where = () if self.where is None else (self.where,)
        return list(dict.fromkeys([*self.names, *self.key, *where, *self.present]))

    @property
    def uses(self) -> list[Use]:
        """The use that each entry makes of its column; two entries can use a column differently."""
        pairs = zip(self.names, self.terms, strict=True)
        return [Use(x, isinstance(term.counted_by(), ByEdges | ByQuantiles)) for x, term in pairs]

    def before(self, place: int) -> Plan:
        terms, names = self.terms[:place], self.names[:place]
        return self._replace(terms=terms, names=names, n_by=place, n_groups=0)


class Rows(NamedTuple):
    """The dealt rows of a partition."""

    partition: Any
    """A pandas frame of the dealt rows."""
    positions: Ints
    """The positions of the dealt rows in the partition."""
    missing: Ints
    """The number of missing values in each column of the key, and then in `where`."""
    table: pl.DataFrame
    words: dict[int, Words]
    """The words of the values in each entry that is cut at quantiles, by the place of the entry."""
    numbers: list[Words]
    """The row numbers under each salt; all 0 if a key or `where` has missing values, which is
    an error."""


def read_rows(
    partition: Any, plan: Plan, salts: Sequence[int] = (), *, keyed: bool = False
) -> Rows:
    """Read the dealt rows of a partition; with `keyed`, leave out rows with a missing key."""
    flags, missing = np.ones(len(partition), np.bool_), np.zeros(len(plan.key) + 1, np.int64)
    if plan.where is not None:
        flags, unknown = frames.read_flags(partition[plan.where], repr(plan.where))
        missing[-1] = np.count_nonzero(unknown)
    for name in (*plan.present, *(plan.key if keyed else ())):
        flags = flags & ~frames.is_missing(partition[name])
    positions = np.flatnonzero(flags)
    rows = partition if len(positions) == len(partition) else partition.iloc[positions]
    missing[:-1] = [np.count_nonzero(frames.is_missing(rows[name])) for name in plan.key]
    numbers = dict.fromkeys(salts, np.zeros(len(rows), np.uint64))
    if salts and len(rows) and not missing.any():
        columns = [frames.read_key(rows[name]) for name in plan.key]
        numbers = {salt: hash_keys(columns, salt) for salt in numbers}
    everyone = {"all": pl.Series(np.zeros(len(rows), np.int8))}
    table, words = dict[str, pl.Series](), dict[int, Words]()
    for place, use in enumerate(plan.uses):
        name, term, kind = use.name, plan.terms[place], (plan.read_as or {}).get(use)
        if not use.is_cut:
            check_term(term.resolve([rows[name]]), DASK)
            table[str(place)] = read_classes(rows[name], as_objects=kind == "objects")
            continue
        series, alike = numbers_in(rows[name]), term.counted_by()
        if isinstance(alike, ByEdges):
            values, lacks = frames.read_comparable(series, str(term))
            # Values outside the edges get two extra bins, for which the driver raises an error.
            bins = edge_bins(values, alike.edges, alike.closed) + (values >= alike.edges[0])
            bins += values > alike.edges[-1]
        else:
            values, lacks = frames.read_numbers(series, str(term))
            own = ordered_words(values.astype(np.float64) if kind == "floats" else values)
            words[place] = own
            if place not in plan.cuts:
                continue
            index, points = plan.cuts[place]
            parents = find_codes(pl.DataFrame(table or everyone), index)[0].clip(0)
            # Bins are closed on the right, so only points below a value are counted.
            bins = np.where(own == 0, 0, parts_by_cuts(parents, own - np.uint64(1), points))
        table[str(place)] = pl.Series(bins.astype(np.int64)).set(pl.Series(lacks), None)
    found = [numbers[salt] for salt in salts]
    return Rows(rows, positions, missing, pl.DataFrame(table or everyone), words, found)


def read_classes(series: Any, *, as_objects: bool) -> pl.Series:
    """Read classes into a Polars type that does not depend on how pandas stores the values."""
    column = None if as_objects else frames.dtypes.to_polars(series)
    if column is None or frames.dtypes.is_nested(column.dtype):
        frames.encode_classes(series)  # raises an error if the values cannot be classes
        texts = [None if x is None else f"{type(x).__name__} {x!r}" for x in frames.to_list(series)]
        return pl.Series(texts, dtype=pl.String)
    dtype = column.dtype
    if column.null_count() == len(column):
        return column.cast(pl.Null)
    if dtype.is_float():
        return column.cast(pl.Float64).fill_nan(None)
    column = column.to_physical() if dtype.is_temporal() else column
    if column.dtype in (pl.Categorical, pl.Enum):
        return column.cast(pl.String)
    return column.cast(pl.Int64) if column.dtype.is_integer() and dtype != pl.UInt64 else column


# Rows that are alike ---------------------------------------------------------------------


def hash_entries(table: pl.DataFrame) -> Words:
    """Hash each row of a table; the hash does not depend on the types of the columns."""
    columns = []
    for each in table:
        words, present = np.full(len(each), NO_VALUE), each.is_not_null().to_numpy()
        if present.any():
            words[present] = hash_keys([frames.read_key(each.drop_nulls())], 0)
        columns.append(HashedWords(words))
    return hash_keys(columns, 0)


def equal_rows(table: pl.DataFrame) -> tuple[Ints, int]:
    """Give equal rows the same code, in order of first appearance, and count the codes."""
    codes, n_codes = np.zeros(len(table), np.int64), min(1, len(table))
    for column in table:
        own, n_own = frames.encode_classes(column)
        codes, n_codes = frames.read.factorize(codes * (n_own + 1) + own + 1)
    return codes, n_codes


def make_index(table: pl.DataFrame, codes: Ints) -> pl.DataFrame:
    """Add codes and hashes to a table of entries, so that `find_codes` can look them up."""
    words = pl.Series("word", hash_entries(table))
    return table.with_columns(pl.Series("code", codes, pl.Int64), words)


def find_codes(table: pl.DataFrame, index: pl.DataFrame) -> tuple[Ints, Words]:
    """Look up the code and the hash of every row; raise an error if a row is not in the index."""
    known = index.drop("code", "word")
    rows = table[known.columns]
    if rows.schema != known.schema:  # equal numbers can have different types
        rows = rows.cast(known.schema, strict=False)
    places = equal_rows(pl.concat([known, rows]))[0][len(known) :]
    if places.max(initial=-1) >= len(known):
        raise other_rows()
    return index["code"].to_numpy()[places], index["word"].to_numpy()[places]


def marks_of(words: Words, numbers: Sequence[Words]) -> Words:
    """Compute the value that each row adds to the checksum of its partition."""
    # If one factor is odd, any change in the other factor changes the product.
    return (words | np.uint64(1)) * numbers[0] if numbers else words


def same_rows(
    partition: Any, plan: Plan, index: pl.DataFrame, checksums: Words, salts: Sequence[int] = ()
) -> tuple[Rows, Ints]:
    """Read rows and look up their codes; raise an error if rows changed after they were counted."""
    n = len(plan.salts[:1])
    rows = read_rows(partition, plan, (*plan.salts[:n], *salts))
    codes, words = find_codes(rows.table, index)
    if not are_counted(marks_of(words, rows.numbers[:n]), checksums):
        raise other_rows()
    return rows._replace(numbers=rows.numbers[n:]), codes


def are_counted(marks: Words, checksums: Words) -> bool:
    """Return whether the rows are made up of whole counted partitions, in any order.

    If few columns are read from files, Dask can merge partitions; it can also leave partitions out.
    """
    counts = checksums[:, 0].astype(np.int64)
    if not len(marks):
        return not counts.all()
    sums = np.append(np.uint64(0), np.cumsum(marks, dtype=np.uint64))
    starts, seen = [0], {0}
    while starts and starts[-1] < len(marks):
        start = starts.pop()
        near = np.flatnonzero(start + counts <= len(marks))
        ends = start + counts[near]
        ends = ends[sums[ends] - sums[start] == checksums[near, 1]]
        found = sorted({*ends.tolist()} - seen)  # the last start is tried first
        starts, seen = [*starts, *found], seen.union(found)
    return bool(starts)
