"""Count the rows that are alike in a partition, and merge the counts of partitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import polars as pl

from ... import frames
from ...core.strata import first_occurrence, lowest_words, sum_by
from ...core.types import Ints, Words
from ..base import check_n_strata
from ..cells import MAX_BITS, cell_bits, cells_of
from .kinds import numbers_in, take_places
from .rows import Groups, Plan, equal_rows, hash_entries, marks_of, read_rows

FEW_ROWS = 1 << 11
"""If a partition has at most this many rows, they are counted only when counts are merged."""


NUMBERS = pl.selectors.matches("^(n|(u|high|low)[0-9]+)$")
"""The columns of a table of counts that are no entries."""

Cells: TypeAlias = tuple[Ints, np.ndarray]


class Counted(NamedTuple):
    """Counted rows of one or more partitions. In a small partition, each is a single row."""

    table: pl.DataFrame
    """A row for each combination of values. The first columns are the entries. The column `n` has
    the counts, and the columns `u0`, `u1` and so on have the lowest row number with each salt. For
    an entry that is cut at quantiles, the columns `high` and `low`, followed by the place of the
    entry, have the words of the highest and lowest values."""
    labels: dict[str, Any]
    """A series for each entry, with a value for each combination. The key is the place of the
    entry. If the entry is cut at quantiles, this series has the highest values, and a series with
    the key `low`, followed by the place, has the lowest values."""
    cells: list[Cells]
    """For each salt, the cells and their counts. A cell consists of the place of a combination of
    values and the leading bits of a row number, and can occur several times. The list is empty if
    each combination is a single row, whose number is in the table."""
    missing: Ints
    """The number of missing values in each column of the key, and then in `where`."""
    bits: int = MAX_BITS
    """The number of leading bits that define a cell."""
    checksums: Words | None = None
    """The number of rows and the sum of their marks in each partition; shape (n_partitions, 2).
    None if each combination is a single row."""


def count_partition(partition: Any, plan: Plan) -> Counted:
    rows = read_rows(partition, plan, plan.salts)
    n_rows = len(rows.positions)
    columns: dict[str, Ints | Words] = {"n": np.ones(n_rows, np.int64)}
    columns |= {f"u{i}": numbers for i, numbers in enumerate(rows.numbers)}
    columns |= {f"low{place}": words for place, words in rows.words.items()}
    columns |= {f"high{place}": words for place, words in rows.words.items()}
    labels = {}
    for place, use in enumerate(plan.uses):
        values = frames.libraries.to_native(rows.partition[use.name])
        if use.is_cut:
            values = numbers_in(values)
        labels[str(place)] = values
        if place in rows.words:
            labels[f"low{place}"] = values
    counted = Counted(pl.DataFrame(columns), labels, [], rows.missing)
    if n_rows > FEW_ROWS:
        return merge_alike([counted], rows.groups)
    entries = rows.groups.table[rows.groups.codes]
    return counted._replace(table=entries.hstack(counted.table))


def merge_counts(several: Sequence[Counted]) -> Counted:
    table = pl.concat([each.table for each in several], how="vertical_relaxed")
    entries = table[table.columns[: table.columns.index("n")]]
    codes, n_codes = equal_rows(entries, len(entries))
    groups = Groups(entries[first_occurrence(codes, n_codes)], codes)
    return merge_alike(several, groups)


def merge_alike(several: Sequence[Counted], groups: Groups) -> Counted:
    """Merge the counts of rows that are alike; the entries in the tables are not read."""
    entries = groups.table
    codes = groups.codes
    n_codes = len(entries)
    check_n_strata(n_codes)
    first = first_occurrence(codes, n_codes)
    table = pl.concat([each.table.select(NUMBERS) for each in several])
    sums, rows_of_ends = sum_alike(table, codes, n_codes)
    # The codes of each partition are the places of its combinations in the merged table.
    places = np.split(codes, np.cumsum([len(each.table) for each in several])[:-1])
    n_salts = len(table.select(pl.selectors.starts_with("u")).columns)
    bits = min(*(each.bits for each in several), cell_bits(n_codes * max(n_salts, 1)))
    largest = sums["n"].to_numpy().max(initial=0)
    return Counted(
        table=entries.hstack(sums),
        labels=merge_labels(several, rows_of_ends, first),
        cells=merge_cells(several, places, n_salts, n_codes, bits, largest),
        missing=np.sum([each.missing for each in several], axis=0),
        bits=bits,
        checksums=merge_checksums(several, places, entries),
    )


def merge_labels(
    several: Sequence[Counted], rows_of_ends: Mapping[str, Ints], first: Ints
) -> dict[str, Any]:
    """Find the labels of merged rows: the values at the ends of bins, or of the `first` rows."""
    labels = {}
    for name in several[0].labels:
        series = join_series([each.labels[name] for each in several])
        rows = rows_of_ends.get(name, first)
        # An index of the rows would travel to the driver beside the values.
        labels[name] = plain(series.iloc[rows]).reset_index(drop=True)
    return labels


def sum_alike(
    table: pl.DataFrame, codes: Ints, n_codes: int
) -> tuple[pl.DataFrame, dict[str, Ints]]:
    """Merge the rows with equal codes, in the order of the codes.

    For each entry that is cut at quantiles, also find the rows with its highest values, under the
    place of the entry, and those with its lowest values, under `low` and the place.
    """
    sums: dict[str, Ints | Words] = {"n": sum_by(codes, table["n"].to_numpy(), n_codes)}
    rows_of_ends = {}
    for name in table.columns:
        if not name.startswith(("u", "low", "high")):
            continue
        words = table[name].to_numpy()
        if name.startswith("high"):
            sums[name] = ~lowest_words(codes, n_codes, ~words)
        else:
            sums[name] = lowest_words(codes, n_codes, words)
        if not name.startswith("u"):
            at_end = np.flatnonzero(words == sums[name][codes])
            rows = at_end[first_occurrence(codes[at_end], n_codes)]
            rows_of_ends[name.removeprefix("high")] = rows
    return pl.DataFrame(sums), rows_of_ends


def merge_cells(
    several: Sequence[Counted],
    places: Sequence[Ints],
    n_salts: int,
    n_entries: int,
    bits: int,
    largest: int,
) -> list[Cells]:
    """Merge the cells of partitions for each salt, as cells that are defined by `bits` bits.

    `places` has the place of each combination of values in the merged table, which has `n_entries`
    combinations; `largest` is the largest count of one of them.
    """
    merged = []
    for salt in range(n_salts):
        cells_of_salt = [
            cells_in(each, places_of_each, salt, bits)
            for each, places_of_each in zip(several, places, strict=True)
        ]
        merged.append(sum_cells(cells_of_salt, n_entries << bits, largest))
    return merged


def cells_in(counted: Counted, places: Ints, salt: int, bits: int) -> Cells:
    """List the cells of a partition, with the places of combinations in the merged table."""
    if counted.checksums is None:
        numbers = counted.table[f"u{salt}"].to_numpy()
        return cells_of(places, numbers, bits), np.ones(len(numbers), np.uint8)
    cell, n = counted.cells[salt]
    leading = (cell & ((1 << counted.bits) - 1)) >> (counted.bits - bits)
    return places[cell >> counted.bits] << bits | leading, n


def merge_checksums(
    several: Sequence[Counted], places: Sequence[Ints], entries: pl.DataFrame
) -> Words:
    """Join the checksums of partitions, and compute those of new partitions."""
    is_any_new = any(each.checksums is None for each in several)
    hashes: Words = np.zeros(0, np.uint64)
    if is_any_new:
        hashes = hash_entries(entries)
    checksums = []
    for each, places_of_each in zip(several, places, strict=True):
        sums = each.checksums
        if sums is None:
            numbers = [each.table["u0"].to_numpy()] if "u0" in each.table.columns else []
            marks = marks_of(hashes[places_of_each], numbers)
            sums = np.array([[len(marks), marks.sum()]], dtype=np.uint64)
        checksums.append(sums)
    return np.concatenate(checksums)


def sum_cells(several: Sequence[Cells], n_cells: int, largest: int) -> Cells:
    """Sum the counts of equal cells, unless so many cells are possible that repeats are rare."""
    cells, counts = map(np.concatenate, zip(*several, strict=True))
    if n_cells >= 8 * len(cells):
        return cells.astype(np.int32), counts
    sums = np.zeros(n_cells, np.min_scalar_type(largest))
    np.add.at(sums, cells, counts.astype(sums.dtype))
    filled = np.flatnonzero(sums)
    return filled.astype(np.int32), sums[filled]


def join_series(columns: Sequence[Any]) -> Any:
    """Concatenate series into a type that can hold all their values."""
    if len(columns) == 1:
        return columns[0]
    if len({series.dtype for series in columns}) == 1:
        return pd.concat(columns, ignore_index=True)
    columns = list(map(plain, columns))
    has_value = [~frames.is_missing(series) for series in columns]
    values = [
        series[flags] for series, flags in zip(columns, has_value, strict=True) if flags.any()
    ]
    flags = np.concatenate(has_value)
    places = np.where(flags, np.cumsum(flags) - 1, -1)
    return take_places(pd.concat(values or columns[:1], ignore_index=True), places)


def plain(series: Any) -> Any:
    """Replace categories with their values, because partitions can have different categories."""
    if not isinstance(series.dtype, pd.CategoricalDtype):
        return series
    return take_places(pd.Series(series.cat.categories), series.cat.codes).rename(series.name)
