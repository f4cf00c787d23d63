"""What a worker does with one partition, a pandas frame: count its rows, add its columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ... import frames
from ...core.hashing import HashedWords, KeyColumn, hash_keys
from ...core.order import CHUNK
from ...core.strata import first_occurrence, lowest_words, sum_by
from ...core.types import Ints, StratumTable, Words
from ...errors import StratError
from ...frames import NewColumn
from ...frames.attach import attach_pandas
from ...terms.base import Term
from ..cuts import (
    HIGHEST,
    MAX_BITS,
    cell_bits,
    cells_of,
    coarser_cells,
    other_rows,
    parts_by_cuts,
    window_cells,
    window_widths,
)
from ..quantiles import cell_places
from .types import HeldType, agree, cast_column, held_types
from .values import (
    Combinations,
    Plan,
    StratumIndex,
    codes_of,
    combinations_of,
    find_strata,
    is_cut,
    number_words,
    series_of,
    stack,
    strata_of,
    take_values,
)


class NearRows(NamedTuple):
    """Rows whose numbers are near the expected cut points of their stratum."""

    widths: Ints
    """How many cells from the expected ones all rows are there, shape (n_counted,)."""
    codes: Ints
    """The counted row of each, shape (n_near,)."""
    numbers: Words
    """Shape (n_near,)."""


class PartitionCounts(NamedTuple):
    """Rows of some partitions, counted by the values of the stratum columns."""

    columns: list[Any]
    """A series for each term, with one row for each combination of values."""
    sizes: Ints
    """Shape (n_counted,)."""
    lowest: Words
    """The lowest number of these rows, shape (n_repeats, n_counted)."""
    cells: list[StratumTable]
    """Of each repeat, the rows by the leading bits of their numbers, shape (n_counted, 2**bits)."""
    missing: Ints
    """How many values are missing in each column of the key, and in `where`."""
    near: list[NearRows]
    """Of each repeat; empty if they are looked for in a pass of their own."""
    checksums: Words
    """Of each partition, as `checksum` makes them; shape (n_partitions, 2)."""
    held: list[frozenset[HeldType]]
    """What the partitions hold in the columns whose types are not known yet."""


class NotCounted(NamedTuple):
    """Partitions whose rows are counted once their columns have one type."""

    held: list[frozenset[HeldType]]
    """As in `PartitionCounts`."""


# Rows ------------------------------------------------------------------------------------


class Rows(NamedTuple):
    """The rows of a partition that are dealt, as far as `where` says."""

    partition: Any
    """A pandas frame of these rows."""
    positions: Ints
    """Where they are in the partition, shape (n_rows,)."""
    number: int
    """Which partition it is."""
    missing: Ints
    """As in `PartitionCounts`."""


def select_dealt(partition: Any, plan: Plan, number: int) -> Rows:
    """Select the rows that `where` flags, and count missing values of the key among them."""
    n_rows, missing = len(partition), np.zeros(len(plan.key) + 1, dtype=np.int64)
    flags = np.ones(n_rows, dtype=np.bool_)
    if plan.where is not None:
        flags, unknown = frames.read_flags(partition[plan.where], repr(plan.where))
        missing[-1] = np.count_nonzero(unknown)
    for name in plan.present:
        flags = flags & ~frames.is_missing(partition[name])
    if plan.filled is not None:
        flags = flags & frames.is_missing(partition[plan.filled])
    positions = np.flatnonzero(flags)
    if len(positions) < n_rows:
        partition = partition.iloc[positions]
    for place, name in enumerate(plan.key):
        missing[place] = np.count_nonzero(frames.is_missing(partition[name]))
    return Rows(partition, positions, number, missing)


def numbers_of_rows(rows: Rows, plan: Plan) -> list[Words]:
    """Give rows their numbers, by key or else by partition and position, for each repeat."""
    if rows.missing.any() or not len(rows.partition):
        return [np.zeros(len(rows.partition), dtype=np.uint64) for _ in plan.salts]
    columns = read_keys(rows.partition, plan)
    if not plan.key:
        partition = np.full(len(rows.partition), rows.number, dtype=np.uint64)
        columns = [HashedWords(partition), HashedWords(rows.positions.astype(np.uint64))]
    return [hash_keys(columns, salt) for salt in plan.salts]


def read_keys(partition: Any, plan: Plan) -> list[KeyColumn]:
    """Read the columns of the key, in the type that all partitions have."""
    types = plan.types.key if plan.types else ()
    return [
        frames.read_key(cast_column(partition[name], common))
        for name, common in zip_longest(plan.key, types[: len(plan.key)])
    ]


# Checksums -------------------------------------------------------------------------------


def checksum(found: Combinations, numbers: Sequence[Words]) -> Words:
    """Sum up the rows of a partition, in any order, so that other rows are noticed.

    Returns how many rows there are, and the sum of their numbers times a hash of their values.
    """
    # Odd factors, so that no change of a number is lost; of groups, whose rows have no
    # numbers, the values decide alone.
    factors, codes = found.hashes() | np.uint64(1), found.codes
    sums = np.zeros(-(-len(codes) // CHUNK), dtype=np.uint64)
    for place in range(len(sums)):
        rows = slice(place * CHUNK, (place + 1) * CHUNK)
        words = factors[codes[rows]]
        sums[place] = (words * numbers[0][rows] if numbers else words).sum(dtype=np.uint64)
    return np.array([len(codes), sums.sum(dtype=np.uint64)], dtype=np.uint64)


def check_same(found: Combinations, numbers: Sequence[Words], counted: Words) -> None:
    """Raise unless the rows of a partition are those that were counted."""
    if not np.array_equal(checksum(found, numbers), counted):
        raise other_rows()


# Counts ----------------------------------------------------------------------------------


def count_partition(partition: Any, plan: Plan, number: int) -> PartitionCounts | NotCounted:
    """Count the rows of a partition."""
    rows = select_dealt(partition, plan, number)
    if plan.types is not None:
        return count_rows(rows, plan, [])
    held = held_types(rows.partition, plan.uses)
    try:
        return count_rows(rows, plan, held)
    except StratError:
        # It is raised again if the types of the other partitions do not change it.
        return NotCounted(held)


def count_rows(rows: Rows, plan: Plan, held: list[frozenset[HeldType]]) -> PartitionCounts:
    """Count the rows of a partition that are dealt."""
    series = series_of(rows.partition, plan)
    found = combinations_of(series, plan, len(rows.partition))
    codes, n_codes = found.codes, found.n
    sizes = np.bincount(codes, minlength=n_codes)
    numbers = numbers_of_rows(rows, plan)
    bits = cell_bits(n_codes * max(len(numbers), 1))
    cells = [] if plan.for_table else [cells_of(codes, each, bits) for each in numbers]
    near = []
    if cells and bits == MAX_BITS and plan.cut_shares:
        near = [near_rows(*each, sizes, plan) for each in zip(cells, numbers, strict=True)]
    weights = shown_weights(sizes, plan)
    return PartitionCounts(
        take_values(series, shown_rows(series, codes, n_codes, plan)),
        weights,
        lowest_of_repeats(codes, numbers, n_codes, len(weights)),
        [count_cells(each, bits, sizes) for each in cells],
        rows.missing,
        near,
        checksum(found, numbers)[None],
        held,
    )


def near_rows(cells: Ints, numbers: Words, sizes: Ints, plan: Plan) -> NearRows:
    """Take the rows near the expected cut points, if strata are spread over the partitions."""
    # A stratum in a few partitions only has wider windows in truth; another pass finds out.
    widths = window_widths(sizes * plan.n_partitions // 4)
    rows = np.flatnonzero(window_cells(widths, plan.cut_shares)[cells])
    return NearRows(widths, cells[rows] >> MAX_BITS, numbers[rows])


def with_categories(series: Any, meta: Any) -> Any:
    """Give values the categories that the column is known to have."""
    dtype = meta.dtype
    if not isinstance(dtype, pd.CategoricalDtype) or UNKNOWN_CATEGORIES in dtype.categories:
        return series
    known = series.isin(dtype.categories) | series.isna()
    return series.astype(dtype) if known.all() else series


UNKNOWN_CATEGORIES = "__UNKNOWN_CATEGORIES__"
"""The only category of a column whose categories Dask does not know."""


def lowest_of_repeats(codes: Ints, words: Sequence[Words], n_codes: int, n_shown: int) -> Words:
    """Find the lowest word of every code, for each repeat; further rows have the highest."""
    lowest = np.full((len(words), n_shown), HIGHEST)
    for repeat, each in enumerate(words):
        lowest[repeat, :n_codes] = lowest_words(codes, n_codes, each)
    return lowest


def shown_weights(sizes: Ints, plan: Plan) -> Ints:
    """Give every shown row the rows that it stands for: none to those that follow for a table."""
    return np.append(sizes, np.zeros_like(sizes)) if plan.for_table else sizes


def shown_rows(series: Sequence[Any], codes: Ints, n_codes: int, plan: Plan) -> list[Ints]:
    """Choose the row that shows the value of each code in each column: of bins the highest.

    For a table, those with the lowest values follow.
    """
    first = first_occurrence(codes, n_codes)
    shown = []
    for term, each in zip(plan.terms, series, strict=True):
        words = number_words(each, str(term))[0] if is_cut(term) else None
        highest = first if words is None else extreme_rows(codes, n_codes, words)
        if plan.for_table:
            lowest = first if words is None else extreme_rows(codes, n_codes, ~words)
            highest = np.append(highest, lowest)
        shown.append(highest)
    return shown


def extreme_rows(codes: Ints, n_codes: int, words: Words) -> Ints:
    """Find a row of the highest word of every code."""
    highest = np.zeros(n_codes, dtype=np.uint64)
    np.maximum.at(highest, codes, words)
    rows = np.flatnonzero(words == highest[codes])
    return rows[first_occurrence(codes[rows], n_codes)]


def count_cells(cells: Ints, bits: int, sizes: Ints) -> StratumTable:
    """Count rows by code and by the leading bits of their numbers, in a small type."""
    counts = np.zeros(len(sizes) << bits, dtype=np.min_scalar_type(int(sizes.max(initial=0))))
    np.add.at(counts, cells, counts.dtype.type(1))
    return counts.reshape(len(sizes), 1 << bits)


def merge_counts(
    several: Sequence[PartitionCounts | NotCounted], plan: Plan
) -> PartitionCounts | NotCounted:
    """Merge the counts of partitions, in their order, if these hold the same types."""
    held = [frozenset().union(*each) for each in zip(*(each.held for each in several), strict=True)]
    counted = [each for each in several if isinstance(each, PartitionCounts)]
    if len(counted) < len(several) or not agree(held):
        return NotCounted(held)
    return add_counts(counted, plan, held)


def add_counts(
    several: Sequence[PartitionCounts], plan: Plan, held: list[frozenset[HeldType]]
) -> PartitionCounts:
    """Add up the counts of partitions, in their order."""
    lengths = [len(each.sizes) for each in several]
    columns = [stack(list(each)) for each in zip(*(each.columns for each in several), strict=True)]
    codes, n_codes = codes_of(columns, plan, sum(lengths))
    sizes = sum_by(codes, np.concatenate([each.sizes for each in several]), n_codes)
    words = np.concatenate([each.lowest for each in several], axis=1)
    parts = np.split(codes, np.cumsum(lengths)[:-1])
    weights = shown_weights(sizes, plan)
    fine = all(len(each.near) == len(each.cells) for each in several)
    fine = fine and cell_bits(n_codes * max(len(words), 1)) == MAX_BITS
    near = zip(*(each.near for each in several), strict=True) if fine else ()
    return PartitionCounts(
        take_values(columns, shown_rows(columns, codes, n_codes, plan)),
        weights,
        lowest_of_repeats(codes, list(words), n_codes, len(weights)),
        [merge_cells(each, parts, sizes) for each in zip(*(x.cells for x in several), strict=True)],
        np.sum([each.missing for each in several], axis=0),
        [merge_windows(each, parts, sizes) for each in near],
        np.concatenate([each.checksums for each in several]),
        held,
    )


def merge_windows(several: Sequence[NearRows], codes: Sequence[Ints], sizes: Ints) -> NearRows:
    """Put rows near cut points one below the other; the narrowest window of a stratum counts."""
    widths = np.full(len(sizes), 1 << MAX_BITS, dtype=np.int64)
    for each, rows in zip(several, codes, strict=True):
        widths[rows] = np.minimum(widths[rows], each.widths)
    return NearRows(
        widths,
        np.concatenate([rows[each.codes] for each, rows in zip(several, codes, strict=True)]),
        np.concatenate([each.numbers for each in several]),
    )


def merge_cells(
    several: Sequence[StratumTable], codes: Sequence[Ints], sizes: Ints
) -> StratumTable:
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


# Quantiles -------------------------------------------------------------------------------


def numbers_in_cells(
    partition: Any, plan: Plan, number: int, index: StratumIndex, rounds: Sequence[tuple[Ints, int]]
) -> tuple[Ints, Words, Ints]:
    """Find the rows whose last column, which is cut, is in one of the cells that are looked at.

    The index is of the entries before. Returns the place of each row's cell among these, at first
    its parent stratum, its word, and the missing values as in `PartitionCounts`.
    """
    rows = select_dealt(partition, plan, number)
    series = series_of(rows.partition, plan)
    words, missing = number_words(series[-1], str(plan.terms[-1]))
    parents = find_strata(series[:-1], index, plan.before(len(series) - 1), len(rows.partition))
    known = np.flatnonzero(~missing & (parents >= 0))
    found, cells = cell_places(parents[known], words[known], rounds)
    return cells, words[known][found], rows.missing


def count_numbers(
    partition: Any,
    plan: Plan,
    number: int,
    index: StratumIndex,
    rounds: Sequence[tuple[Ints, int]],
    n_cells: int,
    bits: int,
) -> StratumTable:
    """Count the rows of the cells that are looked at by the next bits of their numbers."""
    cells, words, _ = numbers_in_cells(partition, plan, number, index, rounds)
    words = words << np.uint64(sum(used for _, used in rounds))
    counts = np.bincount(cells_of(cells, words, bits), minlength=n_cells << bits)
    return counts.reshape(n_cells, 1 << bits)


def add_tables(several: Sequence[StratumTable]) -> StratumTable:
    """Add up tables of one shape."""
    total: StratumTable = np.sum(several, axis=0)
    return total


def take_numbers(
    partition: Any, plan: Plan, number: int, index: StratumIndex, rounds: Sequence[tuple[Ints, int]]
) -> list[tuple[Ints, Words]]:
    """Take the numbers of the rows in the cells that are looked at."""
    cells, words, _ = numbers_in_cells(partition, plan, number, index, rounds)
    return [(cells, words)]


# Keys ------------------------------------------------------------------------------------


def keys_in_range(
    partition: Any, plan: Plan, number: int, index: StratumIndex, low: int, high: int
) -> tuple[Words, Ints, int]:
    """Find the hashes of keys in a range, the stratum of each, and how many rows lack a key."""
    rows = select_dealt(partition, plan, number)
    lacks = np.logical_or.reduce([frames.is_missing(rows.partition[name]) for name in plan.key])
    known = rows.partition[~lacks]
    rows = rows._replace(partition=known, missing=np.zeros_like(rows.missing))
    (hashes,) = numbers_of_rows(rows, plan)
    inside = (hashes >= np.uint64(low)) & (hashes <= np.uint64(high))
    strata = find_strata(series_of(known, plan), index, plan, len(known))
    return hashes[inside], strata[inside].astype(np.int32), int(lacks.sum())


def merge_keys(several: Sequence[tuple[Words, Ints, int]]) -> tuple[Words, Ints, int]:
    """Put the keys of partitions one below the other."""
    hashes, strata, n_without = zip(*several, strict=True)
    return np.concatenate(hashes), np.concatenate(strata), sum(n_without)


def resolve_term(partition: Any, term: Term) -> Term:
    """Choose the term that one stands for on the column of a partition."""
    resolved: Term = term.resolve([partition.iloc[:, 0]])
    return resolved


# Columns ---------------------------------------------------------------------------------


def rows_near_cuts(
    partition: Any,
    plan: Plan,
    number: int,
    index: StratumIndex,
    split_by_cut: Sequence[tuple[Ints, int]],
    checksums: Words,
) -> list[tuple[Ints, Words]]:
    """Find the strata and numbers of the rows in cells with a cut point, for each salt.

    `split_by_cut` lists these cells, and how many there are in all, for each salt.
    """
    rows = select_dealt(partition, plan, number)
    codes, words = same_rows(rows, plan, index, checksums[number])
    n_strata = int(index.strata.max(initial=0)) + 1
    strata = codes if codes.min(initial=0) >= 0 else np.maximum(codes, 0)
    near = []
    for (cells, n_cells), numbers in zip(split_by_cut, words, strict=True):
        flags = np.zeros(n_cells, dtype=np.bool_)
        flags[cells] = True
        bits = (n_cells // n_strata).bit_length() - 1
        is_near = flags[cells_of(strata, numbers, bits)]
        found = np.flatnonzero(is_near if strata is codes else is_near & (codes >= 0))
        near.append((codes[found].astype(np.int32), numbers[found]))
    return near


def same_rows(
    rows: Rows, plan: Plan, index: StratumIndex, counted: Words
) -> tuple[Ints, list[Words]]:
    """Find the strata and numbers of rows, and check that these are the counted ones."""
    found = combinations_of(series_of(rows.partition, plan), plan, len(rows.partition))
    numbers = numbers_of_rows(rows, plan)
    check_same(found, numbers, counted)
    return strata_of(found, index)[found.codes], numbers


def merge_near(several: Sequence[Sequence[tuple[Ints, Words]]]) -> list[tuple[Ints, Words]]:
    """Put rows near cuts one below the other, for each repeat."""
    return [
        (
            np.concatenate([codes for codes, _ in repeat]),
            np.concatenate([numbers for _, numbers in repeat]),
        )
        for repeat in zip(*several, strict=True)
    ]


def equal_keys(partition: Any, plan: Plan, number: int, split_by_cut: Sequence[Words]) -> Any:
    """Take the keys of the rows that share their number with others at a cut point."""
    rows = select_dealt(partition, plan, number)
    is_split_by_cut = np.zeros(len(rows.partition), dtype=np.bool_)
    for numbers, shared in zip(numbers_of_rows(rows, plan), split_by_cut, strict=True):
        is_split_by_cut |= np.isin(numbers, shared)
    return rows.partition.loc[is_split_by_cut, list(plan.key)]


def add_by_cuts(
    partition: Any,
    plan: Plan,
    number: int,
    counted: Words,
    outputs: Sequence[NewColumn],
    index: StratumIndex,
    points: Sequence[Words],
) -> Any:
    """Add columns to a partition by cut points, or fill one."""
    rows = select_dealt(partition, plan, number)
    codes, numbers = same_rows(rows, plan, index, counted)
    columns = []
    for output, words, cuts in zip(outputs, numbers, points, strict=True):
        parts = parts_by_cuts(codes, words, cuts)
        if plan.filled is None:
            parts = place(parts, rows.positions, len(partition))
        else:
            given = read_given(partition[plan.filled], output, cuts.shape[1] + 1)
            given[rows.positions] = parts
            parts = given
        columns.append(output._replace(parts=parts))
    return attach_pandas(partition.drop(columns=list(plan.computed)), columns)


def add_by_values(
    partition: Any,
    plan: Plan,
    number: int,
    counted: Words,
    outputs: Sequence[NewColumn],
    index: StratumIndex,
    parts: Sequence[Ints],
) -> Any:
    """Add the parts of counted rows to a partition, by the values that were counted."""
    rows = select_dealt(partition, plan, number)
    places, _ = same_rows(rows, plan, index, counted)
    columns = [
        output._replace(parts=place(each[places], rows.positions, len(partition)))
        for output, each in zip(outputs, parts, strict=True)
    ]
    return attach_pandas(partition.drop(columns=list(plan.computed)), columns)


def read_given(given: Any, output: NewColumn, n_parts: int) -> Ints:
    """Read the folds or parts that the rows of a partition have."""
    if output.labels is None:
        return frames.read_fold_numbers(given, n_parts)[0]
    return frames.read_part_codes(given, output.labels)


def stack_parts(several: Sequence[Any]) -> Any:
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
    return attach_pandas(meta.drop(columns=list(plan.computed)), list(outputs))
