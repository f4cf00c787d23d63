"""Read the rows of a partition, and group those that are alike.

Rows are alike if they have the same class or bin in each entry of a call. A Polars frame has a row
for each group, and a column for each entry, named "0", "1" and so on. Without entries, it has one
column of zeros, named "all". The strata of groups are looked up by these columns.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ... import frames
from ...core.hashing import HashedWords, hash_keys
from ...core.order import ordered_words
from ...core.strata import edge_bins, first_occurrence
from ...core.types import Flags, Ints, Words
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
    computed: Mapping[Hashable, Hashable] = {}
    """The names of columns that are computed for the call, by their labels in the frame, which no
    other column has. Errors and tables contain the names."""
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

    def key_and_where(self) -> list[str]:
        """Name the columns of the key, and then that of `where`, for a message."""
        labels = [*self.key, self.where]
        return [str(self.computed.get(label, label)) for label in labels]

    def before(self, place: int) -> Plan:
        """Restrict the plan to its first `place` entries."""
        return self._replace(
            terms=self.terms[:place], names=self.names[:place], n_by=place, n_groups=0
        )


class Groups(NamedTuple):
    """Groups of rows that are alike, in the order of their first rows."""

    table: pl.DataFrame
    """The entries of each group."""
    codes: Ints
    """The place in the table of each row's group."""


class Rows(NamedTuple):
    """The dealt rows of a partition."""

    partition: Any
    """A pandas frame of the dealt rows."""
    positions: Ints
    """The positions of the dealt rows in the partition."""
    missing: Ints
    """The number of missing values in each column of the key, and then in `where`."""
    groups: Groups
    words: dict[int, Words]
    """The words of the values in each entry that is cut at quantiles, by the place of the entry."""
    numbers: list[Words]
    """The row numbers under each salt; all 0 if a key or `where` has missing values, which is
    an error."""


def read_rows(
    partition: Any, plan: Plan, salts: Sequence[int] = (), *, keyed: bool = False
) -> Rows:
    """Read the dealt rows of a partition; with `keyed`, leave out rows with a missing key."""
    is_dealt, n_unknown = flag_dealt(partition, plan, keyed=keyed)
    positions = np.flatnonzero(is_dealt)
    rows = partition
    if len(positions) < len(partition):
        rows = partition.iloc[positions]
    n_missing = [np.count_nonzero(frames.is_missing(rows[name])) for name in plan.key]
    missing = np.array([*n_missing, n_unknown], np.int64)
    if len(rows) and not missing.any():
        numbers = numbers_of_rows(rows, plan.key, salts)
    else:
        numbers = [np.zeros(len(rows), np.uint64)] * len(salts)
    groups, words = group_rows(rows, plan)
    return Rows(rows, positions, missing, groups, words, numbers)


def flag_dealt(partition: Any, plan: Plan, *, keyed: bool) -> tuple[Flags, int]:
    """Flag the dealt rows of a partition, and count the missing values in `where`."""
    is_dealt: Flags = np.ones(len(partition), np.bool_)
    n_unknown = 0
    if plan.where is not None:
        name = repr(plan.computed.get(plan.where, plan.where))
        is_dealt, is_unknown = frames.read_flags(partition[plan.where], name)
        n_unknown = int(np.count_nonzero(is_unknown))
    for label in plan.present:
        is_dealt = is_dealt & ~frames.is_missing(partition[label])
    for label in plan.key if keyed else ():
        is_dealt = is_dealt & ~frames.is_missing(partition[label])
    return is_dealt, n_unknown


def numbers_of_rows(rows: Any, key: Sequence[Hashable], salts: Sequence[int]) -> list[Words]:
    """Compute the number of each row with each salt; a salt that repeats is used once."""
    if not salts:
        return []
    columns = [frames.read_key(rows[name]) for name in key]
    numbers = {salt: hash_keys(columns, salt) for salt in dict.fromkeys(salts)}
    return [numbers[salt] for salt in salts]


def group_rows(rows: Any, plan: Plan) -> tuple[Groups, dict[int, Words]]:
    """Group rows by their classes and bins; also return the words of entries cut at quantiles."""
    entries: dict[str, Any] = {}
    words: dict[int, Words] = {}
    read_as = plan.read_as or {}
    for place, use in enumerate(plan.uses):
        term = plan.terms[place]
        series = rows[use.name]
        alike = term.counted_by()
        if not use.is_cut:
            check_term(term.resolve([series]), DASK)
            as_objects = read_as.get(use) == "objects"
            if as_objects or series.dtype == object:
                series = read_classes(series, as_objects=as_objects)
            entries[str(place)] = series
        elif isinstance(alike, ByEdges):
            entries[str(place)] = read_bins(series, term, alike)
        else:
            values, lacks_value = frames.read_numbers(numbers_in(series), str(term))
            if read_as.get(use) == "floats":
                values = values.astype(np.float64)
            words[place] = ordered_words(values)
            if place in plan.cuts:
                parents = group_equal(entries, len(rows))
                bins = bins_in_parents(words[place], parents, *plan.cuts[place])
                entries[str(place)] = with_nulls(bins, lacks_value)
    return group_equal(entries, len(rows)), words


def group_equal(entries: Mapping[str, Any], n_rows: int) -> Groups:
    """Group rows that are equal in every entry."""
    codes, n_codes = equal_rows(entries.values(), n_rows)
    if not entries:
        return Groups(pl.DataFrame({"all": pl.Series(np.zeros(n_codes, np.int8))}), codes)
    first = first_occurrence(codes, n_codes)
    # Text is slow to convert, so only the first row of each group is.
    columns = {
        name: read_classes(frames.take(series, first), as_objects=False)
        for name, series in entries.items()
    }
    return Groups(pl.DataFrame(columns), codes)


def read_bins(series: Any, term: Term, alike: ByEdges) -> pl.Series:
    """Find the bins of values; values outside the edges get two extra bins.

    The driver raises an error for the extra bins.
    """
    values, lacks_value = frames.read_comparable(numbers_in(series), str(term))
    bins = edge_bins(values, alike.edges, alike.closed) + (values >= alike.edges[0])
    bins += values > alike.edges[-1]
    return with_nulls(bins, lacks_value)


def bins_in_parents(words: Words, parents: Groups, index: pl.DataFrame, points: Words) -> Ints:
    """Find the bins between the quantiles of each parent stratum; bins are closed on the right."""
    codes = find_codes(parents.table, index)[0].clip(0)[parents.codes]
    # Only points below a value are counted.
    return np.where(words == 0, 0, parts_by_cuts(codes, words - np.uint64(1), points))


def with_nulls(bins: Ints, lacks_value: Flags) -> pl.Series:
    return pl.Series(bins.astype(np.int64)).set(pl.Series(lacks_value), None)


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
    if dtype.is_temporal():
        column = column.to_physical()
    if column.dtype in (pl.Categorical, pl.Enum):
        return column.cast(pl.String)
    if column.dtype.is_integer() and dtype != pl.UInt64:
        return column.cast(pl.Int64)
    return column


# Rows that are alike ---------------------------------------------------------------------


def hash_entries(table: pl.DataFrame) -> Words:
    """Hash each row of a table; the hash does not depend on the types of the columns."""
    columns = []
    for column in table:
        words = np.full(len(column), NO_VALUE)
        has_value = column.is_not_null().to_numpy()
        if has_value.any():
            words[has_value] = hash_keys([frames.read_key(column.drop_nulls())], 0)
        columns.append(HashedWords(words))
    return hash_keys(columns, 0)


def equal_rows(columns: Iterable[Any], n_rows: int) -> tuple[Ints, int]:
    """Give equal rows the same code, in order of first appearance, and count the codes."""
    codes: Ints = np.zeros(n_rows, np.int64)
    n_codes = min(1, n_rows)
    for column in columns:
        classes, n_classes = frames.encode_classes(column)
        if n_codes == 1 and classes.min(initial=0) >= 0:
            codes, n_codes = classes, n_classes  # already numbered by first appearance
        else:
            codes, n_codes = frames.read.factorize(codes * (n_classes + 1) + classes + 1)
    return codes, n_codes


def make_index(table: pl.DataFrame, codes: Ints) -> pl.DataFrame:
    """Add codes and hashes to a table of entries, so that `find_codes` can look them up."""
    words = pl.Series("word", hash_entries(table))
    return table.with_columns(pl.Series("code", codes, pl.Int64), words)


def find_codes(table: pl.DataFrame, index: pl.DataFrame) -> tuple[Ints, Words]:
    """Look up the code and the hash of every row; raise an error if a row is not in the index."""
    entries = index.drop("code", "word")
    rows = table[entries.columns]
    if rows.schema != entries.schema:  # equal numbers can have different types
        rows = rows.cast(entries.schema, strict=False)
    both = pl.concat([entries, rows])
    places = equal_rows(both, len(both))[0][len(entries) :]
    if places.max(initial=-1) >= len(entries):
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
    codes, words = find_codes(rows.groups.table, index)
    group_of_row = rows.groups.codes
    if not are_counted(marks_of(words[group_of_row], rows.numbers[:n]), checksums):
        raise other_rows()
    return rows._replace(numbers=rows.numbers[n:]), codes[group_of_row]


def are_counted(marks: Words, checksums: Words) -> bool:
    """Return whether the rows are made up of whole counted partitions, in any order.

    If few columns are read from files, Dask can merge partitions; it can also leave partitions out.
    """
    counts = checksums[:, 0].astype(np.int64)
    if not len(marks):
        return not counts.all()
    sums = np.append(np.uint64(0), np.cumsum(marks, dtype=np.uint64))
    starts = [0]
    seen = {0}
    while starts and starts[-1] < len(marks):
        start = starts.pop()
        partitions = np.flatnonzero(start + counts <= len(marks))
        ends = start + counts[partitions]
        is_counted = sums[ends] - sums[start] == checksums[partitions, 1]
        new_starts = set(ends[is_counted].tolist()) - seen
        starts += sorted(new_starts)  # the last start is tried first
        seen |= new_starts
    return bool(starts)
