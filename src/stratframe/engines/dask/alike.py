"""Counts of rows that are alike, of one partition and of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

from ... import frames
from ...core.types import Ints, Words
from ..base import check_n_strata
from ..cells import MAX_BITS, cell_bits, cells_of
from .kinds import numbers_in, take_places
from .rows import Plan, hash_entries, marks_of, read_rows

FEW_ROWS = 1 << 11
"""The most rows of a partition that are counted only together with those of others."""


class Counted(NamedTuple):
    """The rows of some partitions, counted, or those of one before they are."""

    table: pl.DataFrame
    """A row for each combination of entries. After these, `n` counts the rows, `u` and a place are
    the lowest number under a salt, and `high` and `low` and a place are the words of the highest
    and of the lowest value of an entry that is cut at quantiles."""
    labels: dict[str, Any]
    """For the place of each entry, a series with a value of each combination, of bins the highest.
    Those at `low` and a place are the lowest."""
    cells: list[tuple[Ints, Ints]]
    """For each salt, the cells of combinations and leading bits, and how many rows each has."""
    missing: Ints
    """How many values are missing in each column of the key, and in `where`."""
    bits: int = MAX_BITS
    """How many leading bits are counted by."""
    checksums: Words | None = None
    """How many rows each partition has, and the sum of their marks; shape (n_partitions, 2)."""


def count_partition(partition: Any, plan: Plan) -> Counted:
    rows = read_rows(partition, plan, plan.salts)
    places, labels = np.arange(len(rows.table)), {}
    columns = {f"u{place}": each for place, each in enumerate(rows.numbers)}
    columns |= {f"low{place}": each for place, each in rows.words.items()}
    columns |= {f"high{place}": each for place, each in rows.words.items()}
    for place, name in enumerate(plan.names):
        values = rows.partition[name]
        labels[str(place)] = values = numbers_in(values) if name in plan.cut else values
        if place in rows.words:
            labels[f"low{place}"] = values
    counts = pl.DataFrame({"n": np.ones_like(places), **columns})
    table = rows.table.hstack(counts)
    cells = [(cells_of(places, each, MAX_BITS), np.ones_like(places)) for each in rows.numbers]
    counted = Counted(table, labels, cells, rows.missing)
    return counted if len(places) <= FEW_ROWS else merge_counts([counted])


def merge_counts(several: Sequence[Counted]) -> Counted:
    """Merge the counts of partitions, in their order."""
    table = pl.concat([each.table for each in several], how="vertical_relaxed")
    keys, row = table.columns[: table.columns.index("n")], pl.col("row")
    labels = {
        name: join_series([each.labels[name] for each in several]) for name in several[0].labels
    }
    cut = [name[3:] for name in labels if name.startswith("low")]
    n_salts, is_new = len(several[0].cells), any(each.checksums is None for each in several)
    with_codes = is_new or n_salts > 0
    grouped = (
        table.with_row_index("row")
        .group_by(keys, maintain_order=True)
        .agg(
            pl.col("n").sum(),
            pl.col("^(u|low).*$").min(),
            pl.col("^high.*$").max(),
            row if with_codes else row.first(),
            *(row.get(pl.col(f"high{i}").arg_max()).alias(f"row {i}") for i in cut),
            *(row.get(pl.col(f"low{i}").arg_min()).alias(f"row low{i}") for i in cut),
        )
    )
    check_n_strata(len(grouped))
    rows = grouped["row"]
    firsts = {name: rows.list.first() if with_codes else rows for name in labels}
    firsts |= {name: grouped[f"row {name}"] for i in cut for name in (i, f"low{i}")}
    labels = {name: plain(each.iloc[firsts[name].to_numpy()]) for name, each in labels.items()}
    codes, hashes = np.zeros(len(table), np.int64), np.zeros(len(rows), np.uint64)
    if with_codes:
        lengths = rows.list.len().to_numpy()
        codes[rows.explode().to_numpy()] = np.repeat(np.arange(len(rows)), lengths)
    if is_new:
        hashes = hash_entries(grouped[keys])
    bits = min(*(each.bits for each in several), cell_bits(len(rows) * max(n_salts, 1)))
    cells: list[list[Any]] = [[] for _ in range(n_salts)]
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
    return Counted(
        grouped.drop(pl.selectors.starts_with("row")),
        labels,
        [sum_cells(*map(np.concatenate, zip(*each, strict=True))) for each in cells],
        np.sum([each.missing for each in several], axis=0),
        bits,
        np.concatenate(checksums),
    )


def sum_cells(cells: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Sum up counts by cell."""
    if cells.max(initial=0) < 8 * len(cells):  # a table of all cells takes less time than a hash
        sums = np.bincount(cells, counts).astype(np.int64)
        return np.flatnonzero(sums), sums[sums > 0]
    summed = pl.DataFrame({"cell": cells, "n": counts}).group_by("cell").agg(pl.col("n").sum())
    return summed["cell"].to_numpy(), summed["n"].to_numpy()


def join_series(columns: Sequence[Any]) -> Any:
    """Concatenate series, in a type that holds the values of all."""
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
    """Turn categories, which partitions may not share, into their values."""
    if not isinstance(series.dtype, pd.CategoricalDtype):
        return series
    return take_places(pd.Series(series.cat.categories), series.cat.codes).rename(series.name)
