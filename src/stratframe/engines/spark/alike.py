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
from .columns import HELPER, Typed, functions
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
    key = call.key if salts else ()
    numbers = [call.number(salt).alias(f"{HELPER}u{i}") for i, salt in enumerate(salts)]
    rows = counted.rows.select("*", *numbers)  # Spark Connect refuses `withColumns` without columns
    rows, sums = with_cells(rows, salts)
    codes = [each.code.alias(f"c{i}") for i, each in enumerate(counted.strata)]
    totals = [*totals_of_entries(counted), *totals_of_key(key), *lowest_numbers(len(salts)), *sums]
    salt, table = collect_named(rows.groupBy(*codes).agg(*totals).limit(MAX_STRATA + 1), counted)
    check_n_strata(len(table))
    check_counted_key(table, key)
    hashes = Hashes(salt, whole_column(table, "s"), read_cells(table, salts))
    return call, read_counts(table, counted, len(salts), hashes)


def totals_of_entries(call: SparkCall) -> list[Any]:
    """Count rows as `n`, and find the ends of bins as `low` and `high` with the entry's place."""
    sf = functions()
    totals = [sf.count(sf.lit(1)).alias("n")]
    for i, each in enumerate(call.strata):
        if not each.is_value:
            totals.append(sf.min(each.typed.present).alias(f"low{i}"))
            totals.append(sf.max(each.typed.present).alias(f"high{i}"))
    return totals


def totals_of_key(key: Sequence[Typed]) -> list[Any]:
    """Count the values of each column of the key and, of decimals, the whole numbers."""
    sf = functions()
    totals = []
    for i, column in enumerate(key):
        totals.append(sf.count(column.present).alias(f"k{i}"))
        if column.is_decimal:
            totals.append(sf.count(whole_numbers(column)).alias(f"k{i}_whole"))
    return totals


def lowest_numbers(n_salts: int) -> list[Any]:
    return [functions().min(f"{HELPER}u{i}").alias(f"u{i}") for i in range(n_salts)]


def check_counted_key(table: Any, key: Sequence[Typed]) -> None:
    """Raise an error if a column of the key lacks values, or if a decimal is no whole number."""
    check_key((column.name, (table["n"] - table[f"k{i}"]).sum()) for i, column in enumerate(key))
    for i, column in enumerate(key):
        if column.is_decimal and (table[f"k{i}_whole"] < table["n"]).any():
            raise unhashable(column.name, column.dtype)


def read_counts(table: Any, call: SparkCall, n_salts: int, hashes: Hashes) -> Counts:
    """Read the counted rows from a collected table."""
    columns = []
    lows = {}
    for i, each in enumerate(call.strata):
        name = f"c{i}" if each.is_value else f"high{i}"
        columns.append(table[name].alias(each.typed.name))
        if not each.is_value and i < call.n_by:
            lows[i] = table[f"low{i}"].alias(each.typed.name)
    lowest = None
    if n_salts:
        lowest = np.array([unsigned(whole_column(table, f"u{i}")) for i in range(n_salts)])
    return Counts(
        columns=by_argument(columns, call.n_by, call.n_groups),
        weights=whole_column(table, "n"),
        lowest=lowest,
        lows=lows,
        native=hashes,
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
    sf = functions()
    one = sf.lit(1).cast("bigint")
    sums = []
    for i in range(min(len(salts), MAX_COUNTED)):
        name = f"{HELPER}u{i}"
        cell = (sf.shiftright(name, 64 - CELL_BITS) + (1 << CELL_BITS) // 2).cast("int")
        shift = cell.bitwiseAND(CELLS_IN_SUM - 1) * COUNT_BITS
        bit = sf.call_function("shiftleft", one, shift).cast("double")
        word = sf.shiftright(cell, CELLS_IN_SUM.bit_length() - 1)
        rows = rows.withColumns({f"{name}_sum": word, f"{name}_bit": bit})
        for place in range((1 << CELL_BITS) // CELLS_IN_SUM):
            bit_of_sum = sf.when(sf.col(f"{name}_sum") == place, sf.col(f"{name}_bit"))
            sums.append(sf.sum(bit_of_sum).alias(f"u{i}_{place}"))
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
