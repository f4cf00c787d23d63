"""Counts of the rows of one partition by their values, and how such counts are merged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from ...core.strata import first_occurrence, lowest_words, sum_by
from ...core.types import Ints, StratumTable, Words
from ...errors import StratError
from ..cuts import cell_bits, cells_of, coarser_cells
from .partitions import DealtRows, checksum, numbers_of_rows, select_dealt
from .types import HeldTypes, held_types, merge_types
from .values import (
    Combinations,
    Plan,
    combinations_of,
    is_cut,
    number_words,
    series_of,
    stack,
    take_values,
)


class PartitionCounts(NamedTuple):
    """The rows of some partitions, counted by the values of the stratum columns."""

    columns: list[Any]
    """A series for each term, with one row for each combination of values."""
    sizes: Ints
    """Shape (n_counted,)."""
    lowest: Words
    """The lowest number among these rows, shape (n_repeats, n_counted)."""
    cells: list[StratumTable]
    """For each repeat, rows counted by leading bits of their numbers, shape (n_counted,
    2**bits)."""
    missing: Ints
    """How many values are missing in each column of the key, and in `where`."""
    checksums: Words
    """The result of `checksum` for each partition, shape (n_partitions, 2)."""


TypedCounts: TypeAlias = tuple[HeldTypes, PartitionCounts | StratError]
"""The types that some partitions hold in the columns whose types are not known yet, and the counts
of these partitions. If they cannot be counted, an error takes the place of the counts; it is raised
unless the types are the reason."""


# Counts ----------------------------------------------------------------------------------


def count_partition(partition: Any, plan: Plan, number: int) -> TypedCounts:
    rows = select_dealt(partition, plan)
    held = held_types(rows.partition, number, plan.uses if plan.floats is None else ())
    try:
        return held, count_dealt(rows, plan)
    except StratError as error:
        return held, error


def count_dealt(rows: DealtRows, plan: Plan) -> PartitionCounts:
    series = series_of(rows.partition, plan)
    found = combinations_of(series, plan, len(rows.partition))
    sizes = np.bincount(found.codes, minlength=len(found.first))
    numbers = numbers_of_rows(rows, plan)
    bits = cell_bits(len(sizes) * max(len(numbers), 1))
    cells = [cells_of(found.codes, each, bits) for each in numbers if not plan.for_table]
    return PartitionCounts(
        *shown_rows(series, found, sizes, numbers, plan),
        [count_cells(each, bits, sizes) for each in cells],
        rows.missing,
        checksum(found, numbers)[None],
    )


def with_categories(series: Any, meta: Any) -> Any:
    """Give values the categories of the column, if these are known and hold all values."""
    dtype = meta.dtype
    if not isinstance(dtype, pd.CategoricalDtype) or UNKNOWN_CATEGORIES in dtype.categories:
        return series
    known = series.isin(dtype.categories) | series.isna()
    return series.astype(dtype) if known.all() else series


UNKNOWN_CATEGORIES = "__UNKNOWN_CATEGORIES__"
"""The only category of a column whose categories Dask does not know."""


def shown_rows(
    series: Sequence[Any], found: Combinations, sizes: Ints, numbers: Sequence[Words], plan: Plan
) -> tuple[list[Any], Ints, Words]:
    """Show the values of every combination, its size and its lowest numbers.

    A bin is shown by its highest value. For a table, rows that stand for no rows follow, with the
    lowest values of bins.
    """
    n_codes, n_ends, shown = len(sizes), 2 if plan.for_table else 1, []
    for term, each in zip(plan.terms, series, strict=True):
        ends = [found.first] * n_ends
        if is_cut(term):
            words, _ = number_words(each, str(term))
            sides = (words, ~words)[:n_ends]
            ends = [extreme_rows(found.codes, n_codes, side) for side in sides]
        shown.append(np.concatenate(ends))
    if plan.for_table:
        sizes = np.append(sizes, np.zeros_like(sizes))
    lowest = np.empty((len(numbers), len(sizes)), dtype=np.uint64)
    for repeat, each in enumerate(numbers):
        lowest[repeat] = lowest_words(found.codes, len(sizes), each)
    return take_values(series, shown), sizes, lowest


def extreme_rows(codes: Ints, n_codes: int, words: Words) -> Ints:
    """Find the first row with the highest word of every code."""
    highest = np.zeros(n_codes, dtype=np.uint64)
    np.maximum.at(highest, codes, words)
    rows = np.flatnonzero(words == highest[codes])
    return rows[first_occurrence(codes[rows], n_codes)]


def count_cells(cells: Ints, bits: int, sizes: Ints) -> StratumTable:
    """Count rows by code and cell, in the smallest type that holds the counts."""
    counts = np.zeros(len(sizes) << bits, dtype=np.min_scalar_type(int(sizes.max(initial=0))))
    np.add.at(counts, cells, counts.dtype.type(1))
    return counts.reshape(len(sizes), 1 << bits)


def merge_counts(several: Sequence[TypedCounts], plan: Plan) -> TypedCounts:
    """Merge the counts of partitions, in their order; raise if their types differ."""
    held = merge_types([types for types, _ in several], plan.uses)
    counted = []
    for _, counts in several:
        if isinstance(counts, StratError):
            return held, counts
        counted.append(counts)
    return held, add_counts(counted, plan)


def add_counts(several: Sequence[PartitionCounts], plan: Plan) -> PartitionCounts:
    """Add up the counts of partitions, in their order."""
    columns = [stack(list(each)) for each in zip(*(each.columns for each in several), strict=True)]
    lengths = [len(each.sizes) for each in several]
    found = combinations_of(columns, plan, sum(lengths))
    sizes = sum_by(found.codes, np.concatenate([each.sizes for each in several]), len(found.first))
    parts = np.split(found.codes, np.cumsum(lengths)[:-1])
    lowest = np.concatenate([each.lowest for each in several], axis=1)
    return PartitionCounts(
        *shown_rows(columns, found, sizes, list(lowest), plan),
        [merge_cells(each, parts, sizes) for each in zip(*(x.cells for x in several), strict=True)],
        np.sum([each.missing for each in several], axis=0),
        np.concatenate([each.checksums for each in several]),
    )


def merge_cells(
    several: Sequence[StratumTable], codes: Sequence[Ints], sizes: Ints
) -> StratumTable:
    """Add up the counts of cells, by as many leading bits as all of them have."""
    filled = [each for each in several if len(each)]
    n_cells = min((each.shape[1] for each in filled), default=1)
    bits = min(n_cells.bit_length() - 1, cell_bits(len(sizes)))
    counts = np.zeros((len(sizes), 1 << bits), np.min_scalar_type(int(sizes.max(initial=0))))
    for each, rows in zip(several, codes, strict=True):
        # A table has each combination once, so that `+=` adds all of its counts.
        if len(each):
            counts[rows] += coarser_cells(each, bits).astype(counts.dtype, copy=False)
    return counts
