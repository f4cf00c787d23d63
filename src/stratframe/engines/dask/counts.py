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
from .rows import Plan, look_up, make_index, marks_of, read_rows
from .types import numbers_in, take_places

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
    cells: list[pl.DataFrame]
    """For each salt, rows counted by combination and leading bits of their numbers."""
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
    for place, name in enumerate(plan.names):
        values = rows.partition[name]
        labels[str(place)] = values = numbers_in(values) if name in plan.cut else values
        if place in rows.words:
            labels[f"low{place}"] = values
            columns |= {f"{end}{place}": rows.words[place] for end in ("high", "low")}
    counts = pl.DataFrame({"n": np.ones_like(places), **columns})
    table = rows.table.hstack(counts)
    cells = [cells_of(places, each, MAX_BITS) for each in rows.numbers]
    cells = [pl.DataFrame({"cell": each, "n": counts["n"]}) for each in cells]
    counted = Counted(table, labels, cells, rows.missing)
    return counted if len(places) <= FEW_ROWS else merge_counts([counted])


def merge_counts(several: Sequence[Counted]) -> Counted:
    """Merge the counts of partitions, in their order."""
    table = pl.concat([each.table for each in several], how="vertical_relaxed")
    keys, row = table.columns[: table.columns.index("n")], pl.col("row")
    labels = {name: stack([each.labels[name] for each in several]) for name in several[0].labels}
    taken = dict.fromkeys(labels, row.first())
    for name in [name for name in labels if name.startswith("low")]:
        taken[name] = row.get(pl.col(name).arg_min())
        taken[name[3:]] = row.get(pl.col(f"high{name[3:]}").arg_max())
    grouped = (
        table.with_row_index("row")
        .group_by(keys, maintain_order=True)
        .agg(
            pl.col("n").sum(),
            pl.col("^(u|low).*$").min(),
            pl.col("^high.*$").max(),
            *(each.alias(f"row {name}") for name, each in taken.items()),
        )
    )
    check_n_strata(len(grouped))
    labels = {
        name: plain(each.iloc[grouped[f"row {name}"].to_numpy()]) for name, each in labels.items()
    }
    codes, words = look_up(table, make_index(grouped.select(keys), np.arange(len(grouped))))
    n_salts, start, sums = len(several[0].cells), 0, []
    bits = min(*(each.bits for each in several), cell_bits(len(grouped) * max(n_salts, 1)))
    cells: list[list[pl.DataFrame]] = [[] for _ in range(n_salts)]
    for each in several:
        own = slice(start, start := start + len(each.table))
        sums.append(each.checksums)
        if each.checksums is None:
            numbers = [each.table["u0"].to_numpy()] if n_salts else []
            total = marks_of(words[own], numbers).sum(dtype=np.uint64)
            sums[-1] = np.array([[len(each.table), total]], dtype=np.uint64)
        for found, held in zip(cells, each.cells, strict=True):
            cell = held["cell"].to_numpy()
            leading = (cell & ((1 << each.bits) - 1)) >> (each.bits - bits)
            cell = pl.Series("cell", codes[own][cell >> each.bits] << bits | leading)
            found.append(held.with_columns(cell))
    return Counted(
        grouped.drop(pl.selectors.starts_with("row ")),
        labels,
        [pl.concat(each).group_by("cell").agg(pl.col("n").sum()) for each in cells],
        np.sum([each.missing for each in several], axis=0),
        bits,
        np.concatenate(sums),
    )


def stack(columns: Sequence[Any]) -> Any:
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
