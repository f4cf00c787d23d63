"""Count the rows that are alike in a partition, and merge the counts of partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import polars as pl

from ... import frames
from ...core.strata import first_occurrence
from ...core.types import Ints, Words
from ..base import check_n_strata
from ..cells import MAX_BITS, cell_bits, cells_of
from .kinds import numbers_in, take_places
from .rows import Plan, equal_rows, hash_entries, marks_of, read_rows

FEW_ROWS = 1 << 11
"""If a partition has at most this many rows, they are counted only when counts are merged."""


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
    values and the leading bits of a row number, and can occur several times."""
    missing: Ints
    """The number of missing values in each column of the key, and then in `where`."""
    bits: int = MAX_BITS
    """The number of leading bits that define a cell."""
    checksums: Words | None = None
    """The number of rows and the sum of their marks in each partition; shape (n_partitions, 2)."""


def count_partition(partition: Any, plan: Plan) -> Counted:
    rows = read_rows(partition, plan, plan.salts)
    places, labels = np.arange(len(rows.table)), {}
    columns = {f"u{place}": each for place, each in enumerate(rows.numbers)}
    columns |= {f"low{place}": each for place, each in rows.words.items()}
    columns |= {f"high{place}": each for place, each in rows.words.items()}
    for place, use in enumerate(plan.uses):
        values = frames.libraries.to_native(rows.partition[use.name])
        labels[str(place)] = values = numbers_in(values) if use.is_cut else values
        if place in rows.words:
            labels[f"low{place}"] = values
    counts = pl.DataFrame({"n": np.ones_like(places), **columns})
    ones = np.ones(len(places), np.uint8)
    cells = [(cells_of(places, each, MAX_BITS), ones) for each in rows.numbers]
    counted = Counted(rows.table.hstack(counts), labels, cells, rows.missing)
    return counted if len(places) <= FEW_ROWS else merge_counts([counted])


def merge_counts(several: Sequence[Counted]) -> Counted:
    table = pl.concat([each.table for each in several], how="vertical_relaxed")
    table = table.with_row_index("row")
    keys, row = table.columns[1 : table.columns.index("n")], pl.col("row")
    codes, n_codes = equal_rows(table[keys])
    first = first_occurrence(codes, n_codes)
    check_n_strata(n_codes)
    labels = {
        name: join_series([each.labels[name] for each in several]) for name in several[0].labels
    }
    cut = [name[3:] for name in labels if name.startswith("low")]
    grouped = (
        table.with_columns(pl.Series("code", codes))
        .group_by("code", maintain_order=True)
        .agg(
            pl.col("n").sum(),
            pl.col("^(u|low).*$").min(),
            pl.col("^high.*$").max(),
            *(row.get(pl.col(f"high{i}").arg_max()).alias(f"row {i}") for i in cut),
            *(row.get(pl.col(f"low{i}").arg_min()).alias(f"row low{i}") for i in cut),
        )
    )
    rows = {name: grouped[f"row {name}"].to_numpy() for i in cut for name in (i, f"low{i}")}
    entries, most = table[first][keys], grouped["n"].to_numpy().max(initial=0)
    cells, bits, checksums = merge_cells(several, codes, entries, most)
    return Counted(
        entries.hstack(grouped.drop("code", pl.selectors.starts_with("row "))),
        {name: plain(each.iloc[rows.get(name, first)]) for name, each in labels.items()},
        cells,
        np.sum([each.missing for each in several], axis=0),
        bits,
        checksums,
    )


def merge_cells(
    several: Sequence[Counted], codes: Ints, entries: pl.DataFrame, most: int
) -> tuple[list[Cells], int, Words]:
    """Merge the cells and the checksums of partitions.

    `codes` has the place in `entries` for each row of the tables; `most` is the largest count.
    """
    n_salts, is_new = len(several[0].cells), any(each.checksums is None for each in several)
    hashes = hash_entries(entries) if is_new else np.zeros(0, np.uint64)
    bits = min(*(each.bits for each in several), cell_bits(len(entries) * max(n_salts, 1)))
    cells: list[list[Cells]] = [[] for _ in range(n_salts)]
    start, checksums = 0, []
    for each in several:
        own = codes[start : (start := start + len(each.table))]
        sums = each.checksums
        if sums is None:
            numbers = [each.table["u0"].to_numpy()] if n_salts else []
            sums = np.array([[len(own), marks_of(hashes[own], numbers).sum()]], dtype=np.uint64)
        checksums.append(sums)
        for found, (cell, n) in zip(cells, each.cells, strict=True):
            leading = (cell & ((1 << each.bits) - 1)) >> (each.bits - bits)
            found.append((own[cell >> each.bits] << bits | leading, n))
    n_cells = len(entries) << bits
    return [sum_cells(each, n_cells, most) for each in cells], bits, np.concatenate(checksums)


def sum_cells(several: Sequence[Cells], n_cells: int, most: int) -> Cells:
    """Sum the counts of equal cells, unless so many cells are possible that repeats are rare."""
    cells, counts = map(np.concatenate, zip(*several, strict=True))
    if n_cells >= 8 * len(cells):
        return cells.astype(np.int32), counts
    sums = np.zeros(n_cells, np.min_scalar_type(most))
    np.add.at(sums, cells, counts.astype(sums.dtype))
    found = np.flatnonzero(sums)
    return found.astype(np.int32), sums[found]


def join_series(columns: Sequence[Any]) -> Any:
    """Concatenate series into a type that can hold all their values."""
    if len(columns) == 1:
        return columns[0]
    if len({series.dtype for series in columns}) == 1:
        return pd.concat(columns, ignore_index=True)
    columns = list(map(plain, columns))
    missing = [frames.is_missing(series) for series in columns]
    known = [x[~flags] for x, flags in zip(columns, missing, strict=True) if not flags.all()]
    present = ~np.concatenate(missing)
    places = np.where(present, np.cumsum(present) - 1, -1)
    return take_places(pd.concat(known or columns[:1], ignore_index=True), places)


def plain(series: Any) -> Any:
    """Replace categories with their values, because partitions can have different categories."""
    if not isinstance(series.dtype, pd.CategoricalDtype):
        return series
    return take_places(pd.Series(series.cat.categories), series.cat.codes).rename(series.name)
