"""Count the rows of a Spark frame that are alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core.seeds import StreamTag, random_words
from ...core.types import Ints, StratumTable
from ..base import MAX_STRATA, EngineFrame, check_key, check_n_strata
from ..counts import Counts, by_argument
from .arrow import collect, unsigned, whole_column
from .call import SparkCall
from .columns import HELPER, functions
from .hashes import stratum_column, unhashable, whole_numbers

CELL_BITS = 6
"""The number of leading bits of row numbers that define the cells of small strata."""

COUNT_BITS = 13
"""The number of bits for the count of a cell."""

CELLS_IN_SUM = 4
"""The number of counts in a sum. A sum is a double, which has 53 exact bits and never overflows."""

SMALL = (1 << 16) - 1
"""The maximum number of rows in a small stratum, in which rows are counted by cell. In a larger
stratum, a window contains fewer rows than a cell. If a count needs more bits than it has, the
counts of the stratum do not add up to its size."""

MAX_COUNTED = 4
"""The maximum number of salts with which rows are counted by cell."""


class Hashes(NamedTuple):
    """The hashes that identify counted rows in later passes."""

    salt: int
    """The salt with which combinations of values are hashed."""
    values: Ints
    """The hash of each combination of values, ascending; shape (n_combinations,)."""
    cells: Mapping[int, StratumTable]
    """For each salt, the counts of cells in each combination, valid for those with few rows."""


def count(
    call: SparkCall, *, before: int | None = None, salts: Sequence[int] = ()
) -> tuple[SparkCall, Counts]:
    counted = call if before is None else call.before(before)
    sf, strata = functions(), counted.strata
    totals = [sf.count(sf.lit(1)).alias("n")]
    for i, each in enumerate(strata):
        if not each.is_value:
            totals.append(sf.min(each.typed.present).alias(f"low{i}"))
            totals.append(sf.max(each.typed.present).alias(f"high{i}"))
    key = [(f"k{i}", each) for i, each in enumerate(call.key)] if salts else []
    for name, column in key:
        totals.append(sf.count(column.present).alias(name))
        if column.is_decimal:
            totals.append(sf.count(whole_numbers(column)).alias(f"{name}_whole"))
    made = [call.number(salt).alias(f"{HELPER}u{i}") for i, salt in enumerate(salts)]
    rows = counted.rows.select("*", *made)  # Spark Connect refuses `withColumns` without columns.
    totals += [sf.min(f"{HELPER}u{i}").alias(f"u{i}") for i in range(len(salts))]
    rows, sums = with_cells(rows, salts)
    codes = [each.code.alias(f"c{i}") for i, each in enumerate(strata)]
    alike = rows.groupBy(*codes).agg(*totals, *sums).limit(MAX_STRATA + 1)
    salt, table = collect_named(alike, counted)
    check_n_strata(len(table))
    check_key((column.name, (table["n"] - table[name]).sum()) for name, column in key)
    for name, column in key:
        if column.is_decimal and (table[f"{name}_whole"] < table["n"]).any():
            raise unhashable(column.name, column.dtype)
    columns = [
        table[f"c{i}" if each.is_value else f"high{i}"].alias(each.typed.name)
        for i, each in enumerate(strata)
    ]
    lowest = [unsigned(whole_column(table, f"u{i}")) for i in range(len(salts))]
    return call, Counts(
        by_argument(columns, counted.n_by, counted.n_groups),
        whole_column(table, "n"),
        np.array(lowest) if salts else None,
        {
            i: table[f"low{i}"].alias(each.typed.name)
            for i, each in enumerate(strata[: counted.n_by])
            if not each.is_value
        },
        Hashes(salt, whole_column(table, "s"), read_cells(table, salts)),
    )


def collect_named(counted: EngineFrame, call: SparkCall) -> tuple[int, Any]:
    """Collect counted rows and their hashes, with a salt that makes these hashes distinct."""
    codes = [functions().col(f"c{i}") for i in range(len(call.strata))]
    for salt in map(int, random_words(call.seed, StreamTag.LEVEL, 8)):
        table = collect(counted.withColumn("s", stratum_column(codes, salt))).sort("s")
        if table["s"].n_unique() == len(table):
            return salt, table
    msg = "No salt gives every stratum a distinct hash."
    raise AssertionError(msg)


def with_cells(rows: EngineFrame, salts: Sequence[int]) -> tuple[EngineFrame, list[Any]]:
    """Build sums that count rows by cell, with the counts of several cells in the bits of one sum.

    Grouping by cell would shuffle nearly all rows if there were many small strata, in which most
    cells have a single row. The frame `rows` has columns of row numbers. Returns the frame with
    additional columns, and the sums.
    """
    sf, one, sums = functions(), functions().lit(1).cast("bigint"), []
    for i in range(min(len(salts), MAX_COUNTED)):
        name = f"{HELPER}u{i}"
        cell = (sf.shiftright(name, 64 - CELL_BITS) + (1 << CELL_BITS) // 2).cast("int")
        shift = cell.bitwiseAND(CELLS_IN_SUM - 1) * COUNT_BITS
        bit = sf.call_function("shiftleft", one, shift).cast("double")
        word = sf.shiftright(cell, CELLS_IN_SUM.bit_length() - 1)
        rows = rows.withColumns({f"{name}_sum": word, f"{name}_bit": bit})
        for place in range((1 << CELL_BITS) // CELLS_IN_SUM):
            own = sf.when(sf.col(f"{name}_sum") == place, sf.col(f"{name}_bit"))
            sums.append(sf.sum(own).alias(f"u{i}_{place}"))
    return rows, sums


def read_cells(table: Any, salts: Sequence[int]) -> dict[int, StratumTable]:
    """Read the counts of cells from the bits of sums; counts can be wrong if one is too large."""
    cells = {}
    for i, salt in enumerate(salts[:MAX_COUNTED]):
        names = [f"u{i}_{place}" for place in range((1 << CELL_BITS) // CELLS_IN_SUM)]
        sums = table.select(names).fill_null(0).to_numpy().clip(0, 2.0**53).astype(np.int64)
        shifts = np.arange(CELLS_IN_SUM) * COUNT_BITS
        counts = (sums[:, :, None] >> shifts) & ((1 << COUNT_BITS) - 1)
        cells[salt] = counts.reshape(len(table), 1 << CELL_BITS).astype(np.int16)
    return cells
