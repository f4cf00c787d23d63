"""Passes over Spark frames that count rows, or collect those near the cuts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...checks import load_extra
from ...core.types import Flags, Ints, StratumTable, Words
from ...errors import StratError, plural
from ...frames.rules import HAS_MISSING
from ..base import (
    MAX_STRATA,
    CountedCodes,
    Counts,
    by_argument,
    check_key,
    check_n_strata,
)
from ..cuts import (
    MAX_BITS,
    NearCuts,
    cell_bits,
    cells_of,
    coarser_cells,
    counts_by,
    near_cells,
    other_rows,
    split_intervals,
    window_widths,
)
from .columns import (
    SparkCall,
    Typed,
    functions,
    stratum_column,
    stratum_salts,
    unhashable,
    whole_numbers,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

HELPER = "__stratframe_"
"""The prefix of helper columns, which no result keeps."""

COLLECTED_ROWS = 1 << 20
"""The most rows around expected cut points that the pass which counts cells may collect."""

MAX_CELL_BITS = 14
"""The most leading bits of a cell: more would only mean more counts."""

MAX_WORDS = 32
"""The most words of packed counts that a stratum may have."""

EXACT_BITS = 53
"""Bits of a sum that may hold counts. Sums are doubles, which never fail and are exact up to
here."""

UNROLLED = 64
"""The most cut points for which each comparison is an expression of its own."""


class Hashes(NamedTuple):
    """The hashes by which counted rows are found again."""

    salt: int
    """The salt of the hashes of combinations of values."""
    values: Ints
    """The hash of each combination, ascending; shape (n_combinations,)."""
    cells: Sequence[StratumTable] = ()
    """For each salt of the numbers, the rows of each combination in `FIRST_CELLS`, if counted."""


class StratumCodes(NamedTuple):
    """The strata of counted rows, and their sizes."""

    hashes: Hashes
    codes: Ints
    """The stratum of each combination, -1 if it is not dealt; shape (n_combinations,)."""
    weights: Ints
    """How many rows each combination has."""
    sizes: Ints
    """How many rows of each stratum are dealt, shape (n_strata,)."""

    def look_up(self, hashes: Ints) -> Ints:
        """Find the strata of rows by their hashes, -1 for those that are not dealt."""
        known = self.hashes.values
        found: Ints = self.codes[np.searchsorted(known, hashes).clip(max=len(known) - 1)]
        return found

    def first_cells(self, repeat: int) -> StratumTable | None:
        """Return the counts of cells of the first pass, or None if some did not fit their bits."""
        if not self.sizes.any():
            return self.sizes[:, None]
        if not self.hashes.cells:
            return None
        cells, dealt = self.hashes.cells[repeat], self.codes >= 0
        fits = (cells.sum(axis=1) == self.weights) & (self.weights <= SMALL)
        if not fits[dealt].all():
            return None
        n_strata = len(self.sizes)
        cells = coarser_cells(cells, min(FIRST_CELLS.bits, cell_bits(n_strata)))
        return counts_by(self.codes, cells, n_strata)


class Cells(NamedTuple):
    """How the rows of each stratum are counted by the leading bits of their numbers."""

    bits: int
    """The number of leading bits."""
    width: int = 0
    """The bits for the count of a cell if counts are packed into words, or else 0."""

    @property
    def log_packed(self) -> int:
        """The exponent of the number of cells that a word holds, which is a power of two."""
        return (EXACT_BITS // self.width).bit_length() - 1

    @property
    def n_words(self) -> int:
        return max((1 << self.bits) >> self.log_packed, 1)


FIRST_CELLS = Cells(6, 6)
"""The cells before the sizes of strata are known: enough for small strata."""

SMALL = (1 << 11) - 1
"""The most rows of a combination for which all sums of `FIRST_CELLS` are exact: 7 cells of 6 bits
leave 11 of 53 bits to the last one."""


# Counts ----------------------------------------------------------------------------------


def check_where(call: SparkCall) -> None:
    """Raise if `where` has missing values, which takes a pass."""
    if call.where is None:
        return
    n_missing = call.frame.filter(call.where.isNull()).count()
    if n_missing:
        msg = (
            f"The column of `where` {HAS_MISSING} in {plural(n_missing, 'row')}."
            "\nHint: fill it, as in `coalesce(..., lit(False))`."
        )
        raise StratError(msg)


def count_rows(call: SparkCall, *, for_table: bool) -> Counts:
    sf = functions()
    codes = [each.code.alias(f"c{i}") for i, each in enumerate(call.strata)]
    numbers = [f"{HELPER}u{i}" for i in range(len(call.salts))]
    totals = [sf.count(sf.lit(1)).alias("n")]
    totals += [sf.min(number).alias(number) for number in numbers]
    totals += key_counts(call.key) if call.salts else []
    for i, each in enumerate(call.strata):
        if not each.is_value:
            totals.append(sf.min(each.typed.present).alias(f"low{i}"))
            totals.append(sf.max(each.typed.present).alias(f"high{i}"))
    made = [call.number(salt).alias(f"{HELPER}u{i}") for i, salt in enumerate(call.salts)]
    rows = call.rows.select("*", *made)  # Spark Connect refuses `withColumns` without columns.
    packed = numbers if len(numbers) * FIRST_CELLS.n_words <= UNROLLED and not for_table else []
    for number in packed:
        rows, sums = pack(rows, number, FIRST_CELLS)
        totals += sums
    counted = rows.groupBy(*codes).agg(*totals).limit(MAX_STRATA + 1)
    hashes, table = collect_named(counted, call)
    check_n_strata(len(table))
    if call.salts:
        check_keys(call.key, table)
    cells = [unpack(table, number, FIRST_CELLS) for number in packed]
    return read_counts(call, hashes._replace(cells=cells), table, for_table=for_table)


def read_counts(call: SparkCall, hashes: Hashes, table: Any, *, for_table: bool) -> Counts:
    """Read counted rows, with the highest values of bins; for a table, the lowest follow."""
    columns = []
    for i, each in enumerate(call.strata):
        high, low = (f"c{i}",) * 2 if each.is_value else (f"high{i}", f"low{i}")
        values = table[high].append(table[low]) if for_table else table[high]
        values = values.alias(each.typed.name)
        columns.append(to_pandas(values) if for_table else values)
    weights, lowest, n_salts = whole_column(table, "n"), None, len(call.salts)
    if n_salts:
        words = [unsigned(whole_column(table, f"{HELPER}u{i}")) for i in range(n_salts)]
        lowest = np.tile(np.array(words), 1 + for_table)
    if for_table:
        weights = np.append(weights, np.zeros_like(weights))
    return Counts(by_argument(columns, call.n_by, call.n_groups), weights, lowest, hashes)


def to_pandas(series: Any) -> Any:
    """Turn a small Polars series into a pandas series; integers with nulls become Int64."""
    pandas = load_extra("pandas", "spark")
    if series.dtype.is_integer() and series.null_count():
        return pandas.Series(series.to_list(), dtype="Int64", name=series.name)
    # pyarrow leaves dates and decimals as they are.
    return series.to_arrow().to_pandas().rename(series.name)


def collect_named(counted: DataFrame, call: SparkCall) -> tuple[Hashes, Any]:
    """Collect counted rows with their hashes, under a salt that gives each row its own."""
    codes = [functions().col(f"c{i}") for i in range(len(call.strata))]
    for salt in stratum_salts(call.seed):
        table = collect(counted.withColumn("s", stratum_column(codes, salt))).sort("s")
        if table["s"].n_unique() == len(table):
            return Hashes(salt, whole_column(table, "s")), table
    msg = "No salt gives every stratum another hash."
    raise AssertionError(msg)


def key_counts(key: Sequence[Typed]) -> list[Any]:
    """Count the values in each column of a key, and its whole numbers if it holds decimals."""
    sf = functions()
    counts = [sf.count(each.present).alias(f"k{i}") for i, each in enumerate(key)]
    decimals = [(i, whole_numbers(each)) for i, each in enumerate(key) if each.is_decimal]
    return counts + [sf.count(whole).alias(f"d{i}") for i, whole in decimals]


def collect(frame: DataFrame) -> Any:
    return as_polars(frame.toArrow())


def as_polars(table: Any) -> Any:
    return load_extra("polars", "spark").from_arrow(table)


def whole_column(table: Any, name: str) -> Ints:
    """Take a column of integers, 0 where they are null."""
    values: Ints = table[name].fill_null(0).cast(int).to_numpy()
    return values


def unsigned(values: Ints) -> Words:
    """Turn signed integers into words of the same order."""
    return values.astype(np.int64).view(np.uint64) ^ np.uint64(2**63)


def with_sign(words: Words) -> Ints:
    """Turn words into signed integers of the same order."""
    return (words ^ np.uint64(2**63)).view(np.int64)


def check_keys(key: Sequence[Typed], table: Any) -> None:
    """Raise if values of the key are missing, or are decimals with a fraction."""
    n_rows = int(table["n"].sum())
    check_key((each.name, n_rows - int(table[f"k{i}"].sum())) for i, each in enumerate(key))
    for i, each in enumerate(key):
        if each.is_decimal and table[f"d{i}"].sum() < n_rows:
            raise unhashable(each.name, each.dtype)


# Cut points ------------------------------------------------------------------------------


def choose_cells(sizes: Ints, n_cuts: int) -> Cells:
    # There should be about as many cells as rows in the cells with a cut.
    bits = round(np.log2(max(n_cuts * int(sizes.sum()) / len(sizes), 4)) / 2)
    packed = Cells(bits + 1, int(sizes.max()).bit_length())
    if packed.width <= EXACT_BITS // 2 and packed.n_words <= MAX_WORDS:
        return packed
    return Cells(min(bits, MAX_CELL_BITS))


def expected_cells(sizes: Ints, table: StratumTable, bits: int) -> Flags:
    """Flag the cells around the places where cuts are expected, shape (n_strata, 2**bits)."""
    cells, widths = np.arange(1 << bits), window_widths(sizes)[:, None]
    flags = np.zeros((len(sizes), len(cells)), dtype=np.bool_)
    for cuts in np.cumsum(table, axis=1).T[:-1]:
        places = (cuts << MAX_BITS) // np.maximum(sizes, 1)
        ends = (places[:, None] + np.hstack([-widths, widths])) >> (MAX_BITS - bits)
        flags |= (ends[:, :1] <= cells) & (cells <= ends[:, 1:])
    return flags


def near_cuts(
    call: SparkCall, counted: CountedCodes, tables: Sequence[StratumTable]
) -> list[NearCuts]:
    counts = counted.counts
    strata = StratumCodes(counts.native, counted.codes, counts.weights, counted.sizes)
    return [rows_near_cuts(call, strata, each, repeat) for repeat, each in enumerate(tables)]


def rows_near_cuts(
    call: SparkCall, strata: StratumCodes, table: StratumTable, repeat: int
) -> NearCuts:
    counts = strata.first_cells(repeat)
    if counts is None:
        cells = choose_cells(strata.sizes, table.shape[1] - 1)
        # For windows, a quarter as many cells are narrow enough, and take fewer counts.
        wide = Cells(max(cells.bits - 2, 1))
        expected = expected_cells(strata.sizes, table, wide.bits)
        if int(expected.sum(axis=1) @ strata.sizes) >> wide.bits <= COLLECTED_ROWS:
            cells = wide
        else:
            expected = np.zeros((len(strata.sizes), 1 << cells.bits), dtype=np.bool_)
        rows = numbered_rows(call, strata, repeat, cells.bits)
        if cells.width:
            counts = count_packed(rows, strata, cells)
            check_sizes(counts, strata.sizes)
        else:
            counts, codes, numbers = count_cells(rows, strata, expected)
            check_sizes(counts, strata.sizes)
            flags = split_intervals(counts, table)
            if not (flags & ~expected.ravel()).any():
                inside = flags[cells_of(codes, numbers, cells.bits)]
                return near_cells(counts, codes[inside], numbers[inside])
    flags = split_intervals(counts, table).reshape(counts.shape)
    rows = numbered_rows(call, strata, repeat, counts.shape[1].bit_length() - 1)
    return near_cells(counts, *collect_cells(rows, strata, flags))


def check_sizes(counts: StratumTable, sizes: Ints) -> None:
    """Raise unless a second pass finds as many rows in each stratum as the first."""
    if not np.array_equal(counts.sum(axis=1), sizes):
        raise other_rows()


def numbered_rows(call: SparkCall, strata: StratumCodes, repeat: int, bits: int) -> DataFrame:
    """Select the stratum, the number and the cell of each row."""
    stratum, number = call.stratum(strata.hashes.salt), call.number(call.salts[repeat])
    rows: DataFrame = call.rows.select(stratum.alias("s"), number.alias("u"))
    return rows.select("s", "u", leading("u", bits).alias("cell"))


def leading(number: str, bits: int) -> Any:
    """Make the column of the leading bits of signed numbers, from 0 upwards."""
    sf = functions()
    cell = sf.shiftright(number, 64 - bits) + 2**bits // 2 if bits else sf.lit(0)
    return cell.cast("int")


def count_cells(
    rows: DataFrame, strata: StratumCodes, expected: Flags
) -> tuple[StratumTable, Ints, Words]:
    """Count the rows of every stratum by cell, and collect those of the cells that are flagged.

    Returns the counts, and the strata and the numbers of the rows that were collected.
    """
    sf = functions()
    near, (n_strata, n_cells) = sf.lit(None).cast("bigint"), expected.shape
    if expected.any():
        known = frame_of_cells(rows, strata, expected)
        rows = rows.join(sf.broadcast(known), "s", "left")
        near = sf.when(sf.get("cells", rows.cell), rows.u)
    grouped = rows.groupBy("s", "cell", near.alias("u"))
    counted = collect(grouped.agg(sf.count(sf.lit(1)).alias("n")))
    codes, sizes = strata.look_up(whole_column(counted, "s")), whole_column(counted, "n")
    places, dealt = codes * n_cells + whole_column(counted, "cell"), codes >= 0
    counts = np.bincount(places[dealt], sizes[dealt], n_strata * n_cells).astype(np.int64)
    # Rows with the same number have the same key, which repeats.
    times = sizes * (dealt & counted["u"].is_not_null().to_numpy())
    numbers = unsigned(whole_column(counted, "u"))
    return counts.reshape(expected.shape), np.repeat(codes, times), np.repeat(numbers, times)


def pack(rows: DataFrame, number: str, cells: Cells) -> tuple[DataFrame, list[Any]]:
    """Count rows by cell, with the counts of several cells in the bits of one sum.

    In many small strata nearly every row has a cell of its own, so that grouping by cells would
    send nearly every row to another task. Returns the rows with further columns, and the sums.
    """
    sf, word, bit = functions(), f"{number}_word", f"{number}_bit"
    cell, one = leading(number, cells.bits), sf.lit(1).cast("bigint")
    place = (cell.bitwiseAND((1 << cells.log_packed) - 1) * cells.width).cast("int")
    flag = sf.call_function("shiftleft", one, place).cast("double")
    rows = rows.withColumns({word: sf.shiftright(cell, cells.log_packed), bit: flag})
    words = [sf.when(sf.col(word) == i, sf.col(bit)) for i in range(cells.n_words)]
    return rows, [sf.sum(each).alias(f"{number}_{i}") for i, each in enumerate(words)]


def unpack(table: Any, number: str, cells: Cells) -> StratumTable:
    """Read the counts of cells from the bits of sums; sums that are too large give wrong counts."""
    packed, mask = 1 << cells.log_packed, (1 << cells.width) - 1
    counts = np.zeros((len(table), 1 << cells.bits), dtype=np.min_scalar_type(-mask))
    for i in range(cells.n_words):
        sums = table[f"{number}_{i}"].fill_null(0).clip(0, 1 << EXACT_BITS)
        word = sums.to_numpy().astype(np.int64)
        for place in range(min(packed, 1 << cells.bits)):
            counts[:, i * packed + place] = (word >> (place * cells.width)) & mask
    return counts


def count_packed(rows: DataFrame, strata: StratumCodes, cells: Cells) -> StratumTable:
    rows, sums = pack(rows, "u", cells)
    counted = collect(rows.groupBy("s").agg(*sums))
    codes = strata.look_up(whole_column(counted, "s"))
    return counts_by(codes, unpack(counted, "u", cells), len(strata.sizes))


def frame_of_cells(rows: DataFrame, strata: StratumCodes, flags: Flags) -> DataFrame:
    """Make a frame of the flags of each combination that is dealt and has a flagged cell."""
    dealt = np.flatnonzero(strata.codes >= 0)
    places = dealt[np.any(flags[strata.codes[dealt]], axis=1)]
    cells: Flags = flags[strata.codes[places]]
    lists = (cells.ravel(), np.full(len(places), flags.shape[1]))
    return small_frame(rows, {"s": strata.hashes.values[places], "cells": lists})


def collect_cells(rows: DataFrame, strata: StratumCodes, flags: Flags) -> tuple[Ints, Words]:
    """Collect the strata and numbers of the rows in flagged cells, shape (n_strata, 2**bits)."""
    if not flags.any():
        return np.zeros(0, np.int64), np.zeros(0, np.uint64)
    sf = functions()
    known = sf.broadcast(frame_of_cells(rows, strata, flags))
    near = rows.join(known, "s").filter(sf.get("cells", rows.cell))
    table = collect(near.select("s", "u"))
    return strata.look_up(whole_column(table, "s")), unsigned(whole_column(table, "u"))


def small_frame(frame: DataFrame, columns: dict[str, Any]) -> DataFrame:
    """Make a frame of columns; a pair of values and lengths becomes a column of lists."""
    arrow = load_extra("pyarrow", "spark")
    arrays = {}
    for name, values in columns.items():
        if isinstance(values, tuple):
            offsets = np.append(0, np.cumsum(values[1])).astype(np.int32)
            arrays[name] = arrow.ListArray.from_arrays(offsets, values[0])
        else:
            arrays[name] = arrow.array(values)
    return frame.sparkSession.createDataFrame(arrow.table(arrays))


def collect_keys(call: SparkCall, numbers: Sequence[Words]) -> Any:
    """Collect the keys of rows with the given numbers, at most a thousand in all."""
    sf = functions()
    columns = [each.column.alias(f"{i}") for i, each in enumerate(call.key)]
    listed = sf.lit(False)
    for found, salt in zip(numbers, call.salts, strict=True):
        if len(found):
            words = [sf.lit(each).cast("bigint") for each in with_sign(found[:1000]).tolist()]
            listed = listed | call.number(salt).isin(words)
    table = collect(call.rows.filter(listed).select(*columns).limit(1000))
    table.columns = [each.name for each in call.key]
    return table.to_pandas()
