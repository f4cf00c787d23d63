"""What a worker does with one partition, a pandas frame: count its rows, add its columns.

Partitions are counted by the values of their stratum columns, and the counts of several are
merged by the same values. The driver numbers the strata of these; a partition then finds the
stratum of each of its rows by the values again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from .. import frames
from ..core.hashing import HashedWords, KeyColumn, hash_keys
from ..core.strata import DENSE, edge_bins, factorize_codes, first_occurrence
from ..core.types import Draws, Flags, Ints, Table
from ..frames import NewColumn
from ..frames.attach import attach_pandas
from ..terms.base import Term
from ..terms.bins import Bins
from .cut_points import cell_bits, cells_of, coarser_cells, parts_by_cuts
from .driver import check_n_strata, check_term, lowest_by, other_rows

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
    engine: str = "Dask"
    computed: tuple[Hashable, ...] = ()
    """Columns that were computed for this call only."""


class Counts(NamedTuple):
    """Rows of some partitions, counted by the values of the stratum columns."""

    columns: list[Any]
    """A series for each term, with one row for each combination of values."""
    sizes: Ints
    """Shape (n_counted,)."""
    lowest: Draws
    """The lowest number of these rows, shape (n_repeats, n_counted)."""
    cells: list[Table]
    """Of each repeat, the rows by the leading bits of their numbers, shape (n_counted, 2**bits)."""
    missing: Ints
    """How many values are missing in each column of the key, and in `where`."""


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


def take(columns: Sequence[Any], rows: Ints) -> list[Any]:
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


# Rows ------------------------------------------------------------------------------------


class Rows(NamedTuple):
    """The rows of a partition that are dealt, as far as `where` says."""

    part: Any
    """A pandas frame of these rows."""
    positions: Ints
    """Where they are in the partition, shape (n_rows,)."""
    number: int
    """Which partition it is."""
    missing: Ints
    """As in `Counts`."""


def select_rows(part: Any, plan: Plan, number: int) -> Rows:
    """Select the rows that `where` flags, and count missing values of the key among them."""
    positions, missing = np.arange(len(part)), np.zeros(len(plan.key) + 1, dtype=np.int64)
    if plan.where is not None:
        flags, unknown = frames.read_flags(part[plan.where], repr(plan.where))
        missing[-1] = np.count_nonzero(unknown)
        positions = np.flatnonzero(flags)
        part = part.iloc[positions]
    for place, name in enumerate(plan.key):
        missing[place] = np.count_nonzero(frames.is_missing(part[name]))
    return Rows(part, positions, number, missing)


def row_numbers(rows: Rows, plan: Plan) -> list[Draws]:
    """Give rows their numbers, by key or else by partition and position, for each repeat."""
    if rows.missing.any() or not len(rows.part):
        return [np.zeros(len(rows.part), dtype=np.uint64) for _ in plan.salts]
    columns: list[KeyColumn] = [frames.read_key(rows.part[name]) for name in plan.key]
    if not plan.key:
        partition = np.full(len(rows.part), rows.number, dtype=np.uint64)
        columns = [HashedWords(partition), HashedWords(rows.positions.astype(np.uint64))]
    return [hash_keys(columns, salt) for salt in plan.salts]


def series_of(part: Any, plan: Plan) -> list[Any]:
    """List the column of each term."""
    return [part[name] for name in plan.by]


# Counts ----------------------------------------------------------------------------------


def count_partition(part: Any, plan: Plan, number: int) -> Counts:
    """Count the rows of a partition."""
    rows = select_rows(part, plan, number)
    series = series_of(rows.part, plan)
    codes, n_codes = codes_of(series, plan, len(rows.part))
    sizes = np.bincount(codes, minlength=n_codes)
    numbers = row_numbers(rows, plan)
    bits = cell_bits(n_codes * max(len(numbers), 1))
    first = first_occurrence(codes, n_codes)
    lowest = [lowest_by(codes, words, n_codes) for words in numbers]
    return Counts(
        take(series, first),
        sizes,
        np.array(lowest, dtype=np.uint64).reshape(len(numbers), n_codes),
        [count_cells(codes, words, bits, sizes) for words in numbers],
        rows.missing,
    )


def codes_of(series: Sequence[Any], plan: Plan, n_rows: int) -> tuple[Ints, int]:
    """Encode the combinations of values by first appearance."""
    columns = [
        code_values(term, each, plan.engine) for term, each in zip(plan.terms, series, strict=True)
    ]
    codes, n_codes = compact(*combine(columns, n_rows, compact))
    check_n_strata(n_codes)
    return codes, n_codes


def count_cells(codes: Ints, numbers: Draws, bits: int, sizes: Ints) -> Table:
    """Count rows by code and by the leading bits of their numbers, in a small type."""
    counts = np.zeros(len(sizes) << bits, dtype=np.min_scalar_type(int(sizes.max(initial=0))))
    np.add.at(counts, cells_of(codes, numbers, bits), counts.dtype.type(1))
    return counts.reshape(len(sizes), 1 << bits)


def merge_counts(several: Sequence[Counts], plan: Plan) -> Counts:
    """Merge the counts of partitions, in their order."""
    lengths = [len(each.sizes) for each in several]
    columns = [stack(list(each)) for each in zip(*(each.columns for each in several), strict=True)]
    codes, n_codes = codes_of(columns, plan, sum(lengths))
    first = first_occurrence(codes, n_codes)
    sizes = np.zeros(n_codes, dtype=np.int64)
    np.add.at(sizes, codes, np.concatenate([each.sizes for each in several]))
    words = np.concatenate([each.lowest for each in several], axis=1)
    lowest = [lowest_by(codes, each, n_codes) for each in words]
    parts = np.split(codes, np.cumsum(lengths)[:-1])
    return Counts(
        take(columns, first),
        sizes,
        np.array(lowest, dtype=np.uint64).reshape(len(words), n_codes),
        [
            merge_cells([each.cells[repeat] for each in several], parts, sizes)
            for repeat in range(len(words))
        ],
        np.sum([each.missing for each in several], axis=0),
    )


def merge_cells(several: Sequence[Table], codes: Sequence[Ints], sizes: Ints) -> Table:
    """Add up the counts of cells, in as many bits as all of them have."""
    filled = [each for each in several if len(each)]
    n_cells = min((each.shape[1] for each in filled), default=1)
    bits = min(n_cells.bit_length() - 1, cell_bits(len(sizes)))
    counts = np.zeros((len(sizes), 1 << bits), np.min_scalar_type(int(sizes.max(initial=0))))
    for each, rows in zip(several, codes, strict=True):
        # A combination is counted once in each table, so that no row is added twice.
        if len(each):
            counts[rows] += coarser_cells(each, bits).astype(counts.dtype, copy=False)
    return counts


# Strata ----------------------------------------------------------------------------------


def stratum_index(columns: Sequence[Any], strata: Ints, plan: Plan) -> StratumIndex:
    """Index counted rows by their values.

    Parameters
    ----------
    columns : sequence of Series
        Of each term.
    strata : ndarray of int, shape (n_counted,), range -1..n_strata-1
    """
    coded = [
        code_values(term, series, plan.engine)
        for term, series in zip(plan.terms, columns, strict=True)
    ]
    values = [different_values(*each) for each in zip(plan.terms, columns, coded, strict=True)]
    prefixes: list[Ints] = []

    def shorten(codes: Ints, _: int) -> tuple[Ints, int]:
        different, dense = np.unique(codes, return_inverse=True)
        prefixes.append(different)
        return dense, len(different)

    combined, _ = combine(coded, len(strata), shorten)
    order = np.argsort(combined)
    return StratumIndex(values, combined[order], strata[order], prefixes)


def different_values(term: Term, series: Any, coded: ColumnCodes) -> Any:
    """List the different values of a column in the order of their codes; None for bins."""
    if isinstance(term, Bins):
        return None
    return take([series], first_occurrence(coded.codes, coded.n)[: coded.n - 1])[0]


def find_strata(series: Sequence[Any], index: StratumIndex, plan: Plan, n_rows: int) -> Ints:
    """Find the stratum of every row.

    Returns
    -------
    ndarray of int64, shape (n_rows,), range -1..n_strata-1
    """
    columns = [
        find_codes(term, each, values, plan.engine)
        for term, each, values in zip(plan.terms, series, index.values, strict=True)
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
    both = stack([values, *take([series], first[known])])
    found = frames.encode_classes(both)[0][len(values) :]
    if found.max(initial=-1) >= len(values):
        raise other_rows()
    codes = np.zeros(local.n, dtype=np.int64)
    codes[known] = found
    codes[-1] = len(values)
    return ColumnCodes(codes[local.codes], len(values) + 1)


# Columns ---------------------------------------------------------------------------------


def rows_near_cuts(
    part: Any, plan: Plan, number: int, index: StratumIndex, torn: Sequence[Flags]
) -> list[tuple[Ints, Draws]]:
    """Find the rows in cells with a cut point.

    Parameters
    ----------
    torn : sequence of ndarray of bool, shape (n_strata * 2**bits,)
        Of each repeat.

    Returns
    -------
    list of (codes, numbers)
        The strata and numbers of these rows, for each repeat.
    """
    rows = select_rows(part, plan, number)
    codes = find_strata(series_of(rows.part, plan), index, plan, len(rows.part))
    n_strata = int(index.strata.max(initial=0)) + 1
    near = []
    for flags, numbers in zip(torn, row_numbers(rows, plan), strict=True):
        bits = (len(flags) // n_strata).bit_length() - 1
        found = np.flatnonzero(flags[cells_of(codes.clip(0), numbers, bits)] & (codes >= 0))
        near.append((codes[found].astype(np.int32), numbers[found]))
    return near


def merge_near(several: Sequence[Sequence[tuple[Ints, Draws]]]) -> list[tuple[Ints, Draws]]:
    """Put rows near cuts one below the other, for each repeat."""
    return [
        (
            np.concatenate([codes for codes, _ in repeat]),
            np.concatenate([numbers for _, numbers in repeat]),
        )
        for repeat in zip(*several, strict=True)
    ]


def equal_keys(part: Any, plan: Plan, number: int, torn: Sequence[Draws]) -> Any:
    """Take the keys of the rows that share their number with others at a cut point."""
    rows = select_rows(part, plan, number)
    is_torn = np.zeros(len(rows.part), dtype=np.bool_)
    for numbers, shared in zip(row_numbers(rows, plan), torn, strict=True):
        is_torn |= np.isin(numbers, shared)
    return rows.part.loc[is_torn, list(plan.key)]


def add_columns(
    part: Any,
    numbers: Any,
    plan: Plan,
    outputs: Sequence[NewColumn],
    index: StratumIndex,
    points: Sequence[Draws],
) -> Any:
    """Add the new columns to a partition, and drop those that were computed for them.

    Parameters
    ----------
    numbers : Series
        The number of the partition.
    points : sequence of ndarray of uint64, shape (n_strata, n_parts - 1)
        The cut points of each repeat.
    """
    rows = select_rows(part, plan, int(numbers.iloc[0]) if len(numbers) else 0)
    codes = find_strata(series_of(rows.part, plan), index, plan, len(rows.part))
    columns = []
    for output, words, cuts in zip(outputs, row_numbers(rows, plan), points, strict=True):
        parts = parts_by_cuts(codes, words, cuts)
        columns.append(output._replace(parts=place(parts, rows.positions, len(part))))
    return attach_pandas(part.drop(columns=list(plan.computed)), columns)


def number_series(number: int) -> Any:
    """Make a series of one number."""
    return pd.Series([number], dtype=np.int64)


def stack_frames(several: Sequence[Any]) -> Any:
    """Put frames one below the other."""
    return pd.concat(several)


def place(parts: Ints, positions: Ints, n_rows: int) -> Ints:
    """Put the parts of rows at their positions, -1 elsewhere."""
    if len(positions) == n_rows:
        return parts
    placed = np.full(n_rows, -1, dtype=parts.dtype)
    placed[positions] = parts
    return placed


def empty_like(meta: Any, plan: Plan, outputs: Sequence[NewColumn]) -> Any:
    """Make the frame without rows that tells what the result will be."""
    return attach_pandas(meta.drop(columns=list(plan.computed)), outputs)
