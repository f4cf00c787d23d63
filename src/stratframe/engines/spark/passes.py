"""Passes over Spark frames: two or three that count, and the one that adds the columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...checks import load_extra
from ...core.types import Flags, Ints, StratumTable, Words
from ...errors import StratError, plural
from ...frames import NewColumn
from ..base import MAX_STRATA, CountedCodes, Counts, NearCuts, check_key, check_n_strata
from ..cuts import cells_split_by_cut
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

ENGINE = "Spark"

HELPER = "__stratframe_"
"""How the names of columns begin that no result keeps."""

COLLECTED_ROWS = 1 << 20
"""Rows whose numbers are collected without counting first."""

MAX_CELL_BITS = 12
"""Leading bits beyond which more would only mean more counts."""

MAX_WORDS = 32
"""Words of packed counts that each stratum may have."""

WORD_BITS = 63
"""Bits of a sum that may hold counts, as the sign is none."""

UNROLLED = 64
"""Cut points up to which each comparison is an expression of its own."""


class Hashes(NamedTuple):
    """By what counted rows are known again."""

    salt: int
    """Of the hashes that name the combinations of values."""
    values: Ints
    """The hash of each combination, ascending; shape (n_combinations,)."""


class StratumCodes(NamedTuple):
    """The strata of counted rows, and the sizes of these."""

    hashes: Hashes
    codes: Ints
    """Shape (n_combinations,), -1 for one that is not dealt."""
    sizes: Ints
    """Shape (n_strata,)."""

    def look_up(self, hashes: Ints) -> Ints:
        """Find the strata of rows by their hashes, -1 for those that are not dealt."""
        known = self.hashes.values
        found: Ints = self.codes[np.searchsorted(known, hashes).clip(max=len(known) - 1)]
        return found


# Counts ----------------------------------------------------------------------------------


def check_where(call: SparkCall) -> None:
    """Raise if `where` does not say of every row whether it is dealt."""
    if call.where is None:
        return
    n_missing = call.frame.filter(call.where.isNull()).count()
    if n_missing:
        msg = (
            f"The column of `where` has missing values in {plural(n_missing, 'row')}."
            "\nHint: fill it, as in `coalesce(..., lit(False))`."
        )
        raise StratError(msg)


def count_rows(call: SparkCall, *, for_table: bool) -> Counts:
    """Count rows by the values of the stratum columns, and find the lowest of their numbers."""
    sf = functions()
    codes = [each.code.alias(f"c{i}") for i, each in enumerate(call.strata)]
    totals = [sf.count(sf.lit(1)).alias("n")]
    totals += [sf.min(call.number(salt)).alias(f"u{i}") for i, salt in enumerate(call.salts)]
    totals += key_counts(call.key) if call.salts else []
    for i, each in enumerate(call.strata):
        if not each.is_value:
            totals.append(sf.min(each.typed.present).alias(f"low{i}"))
            totals.append(sf.max(each.typed.present).alias(f"high{i}"))
    counted = call.rows.groupBy(*codes).agg(*totals).limit(MAX_STRATA + 1)
    hashes, table = collect_named(counted, call)
    check_n_strata(len(table))
    if call.salts:
        check_keys(call.key, table)
    return read_counts(call, hashes, table, for_table=for_table)


def read_counts(call: SparkCall, hashes: Hashes, table: Any, *, for_table: bool) -> Counts:
    """Read counted rows: of bins the highest values, and for a table then the lowest."""
    columns = []
    for i, each in enumerate(call.strata):
        high, low = (f"c{i}",) * 2 if each.is_value else (f"high{i}", f"low{i}")
        values = table[high].append(table[low]) if for_table else table[high]
        values = values.alias(each.typed.name)
        columns.append(to_pandas(values) if for_table else values)
    weights, lowest, n_salts = whole_column(table, "n"), None, len(call.salts)
    if n_salts:
        lowest = np.array([unsigned(whole_column(table, f"u{i}")) for i in range(n_salts)])
        lowest = np.tile(lowest, 1 + for_table)
    if for_table:
        weights = np.append(weights, np.zeros_like(weights))
    ends = (call.n_by, call.n_by + call.n_groups)
    pieces = columns[: ends[0]], columns[ends[0] : ends[1]], columns[ends[1] :]
    arguments: list[str] = ["by", "groups", "name"]
    named = dict(zip(arguments, pieces, strict=True))
    return Counts(named, weights, lowest, hashes)


def to_pandas(series: Any) -> Any:
    """Turn a small Polars series into one of pandas, whole numbers with gaps into Int64."""
    pandas = load_extra("pandas", "spark")
    if series.dtype.is_integer() and series.null_count():
        return pandas.Series(series.to_list(), dtype="Int64", name=series.name)
    # pyarrow leaves dates and decimals what they are.
    return series.to_arrow().to_pandas().rename(series.name)


def collect_named(counted: DataFrame, call: SparkCall) -> tuple[Hashes, Any]:
    """Collect counted rows by their hashes, under a salt that gives each another."""
    codes = [functions().col(f"c{i}") for i in range(len(call.strata))]
    for salt in stratum_salts(call.seed):
        table = collect(counted.withColumn("s", stratum_column(codes, salt))).sort("s")
        if table["s"].n_unique() == len(table):
            return Hashes(salt, whole_column(table, "s")), table
    msg = "No salt gives every stratum another hash."
    raise AssertionError(msg)


def key_counts(key: Sequence[Typed]) -> list[Any]:
    """Count the values of each column of a key that are there, and the whole decimals."""
    sf = functions()
    counts = [sf.count(each.present).alias(f"k{i}") for i, each in enumerate(key)]
    decimals = [(i, whole_numbers(each)) for i, each in enumerate(key) if each.is_decimal]
    return counts + [sf.count(whole).alias(f"d{i}") for i, whole in decimals]


def collect(frame: DataFrame) -> Any:
    """Collect a small frame as one of Polars."""
    return as_polars(frame.toArrow())


def as_polars(table: Any) -> Any:
    """Turn an Arrow table into a frame of Polars."""
    return load_extra("polars", "spark").from_arrow(table)


def whole_column(table: Any, name: str) -> Ints:
    """Take a column of integers, 0 where they are null."""
    values: Ints = table[name].fill_null(0).cast(int).to_numpy()
    return values


def unsigned(values: Ints) -> Words:
    """Turn integers with a sign into the words whose order they have."""
    return values.astype(np.int64).view(np.uint64) ^ np.uint64(2**63)


def with_sign(words: Words) -> Ints:
    """Turn words into integers with a sign that have their order."""
    return (words ^ np.uint64(2**63)).view(np.int64)


def check_keys(key: Sequence[Typed], table: Any) -> None:
    """Raise if values of the key are missing, or are decimals with a fraction."""
    n_rows = int(table["n"].sum())
    check_key({each.name: n_rows - int(table[f"k{i}"].sum()) for i, each in enumerate(key)})
    for i, each in enumerate(key):
        if each.is_decimal and table[f"d{i}"].sum() < n_rows:
            raise unhashable(each.name, each.dtype)


# Cut points ------------------------------------------------------------------------------


class Cells(NamedTuple):
    """How the rows of each stratum are counted by the leading bits of their numbers."""

    bits: int
    """How many leading bits; 0 if rows are not counted again."""
    width: int = 0
    """Bits that hold the count of a cell, where those of a stratum are packed into words."""

    @property
    def log_packed(self) -> int:
        """How many cells a word holds, a power of two: its exponent."""
        return (WORD_BITS // self.width).bit_length() - 1

    @property
    def n_words(self) -> int:
        """How many words a stratum has."""
        return max((1 << self.bits) >> self.log_packed, 1)


def choose_cells(sizes: Ints, n_cuts: int) -> Cells:
    """Choose how rows are counted, given the sizes of strata."""
    n_rows = int(sizes.sum())
    if n_rows <= COLLECTED_ROWS:
        return Cells(0)
    # About as many cells as rows in those with a cut.
    bits = round(np.log2(max(n_cuts * n_rows / len(sizes), 4)) / 2)
    packed = Cells(bits + 1, int(sizes.max()).bit_length())
    if packed.width <= WORD_BITS // 2 and packed.n_words <= MAX_WORDS:
        return packed
    return Cells(min(bits, MAX_CELL_BITS))


def rows_near_cuts(
    call: SparkCall, strata: StratumCodes, table: StratumTable, salt: int
) -> NearCuts:
    """Find the rows in cells with a cut point, for one column."""
    sf = functions()
    cells = choose_cells(strata.sizes, table.shape[1] - 1)
    stratum = call.stratum(strata.hashes.salt)
    rows = call.rows.select(stratum.alias("s"), call.number(salt).alias("u"))
    cell = sf.shiftright("u", 64 - cells.bits) + 2**cells.bits // 2 if cells.bits else sf.lit(0)
    rows = rows.select("s", "u", cell.cast("int").alias("cell"))
    counts = count_cells(rows, strata, cells)
    flags = cells_split_by_cut(counts, table).reshape(counts.shape)
    return NearCuts(counts, *collect_cells(rows, strata, flags))


def count_cells(rows: DataFrame, strata: StratumCodes, cells: Cells) -> StratumTable:
    """Count the rows of every stratum by the leading bits of their numbers."""
    if not cells.bits:
        return strata.sizes[:, None]
    if cells.width:
        return count_packed(rows, strata, cells)
    sf = functions()
    counted = collect(rows.groupBy("s", "cell").agg(sf.count(sf.lit(1)).alias("n")))
    codes = strata.look_up(whole_column(counted, "s"))
    dealt = codes >= 0
    places = (codes << cells.bits) + whole_column(counted, "cell")
    n_strata = len(strata.sizes)
    counts = np.bincount(places[dealt], whole_column(counted, "n")[dealt], n_strata << cells.bits)
    return counts.astype(np.int64).reshape(n_strata, 1 << cells.bits)


def count_packed(rows: DataFrame, strata: StratumCodes, cells: Cells) -> StratumTable:
    """Count as `count_cells`, with the counts of several cells in the bits of one sum.

    Rows of many small strata have nearly each a cell of its own, and so a group by cells would
    send nearly every row to another task.
    """
    sf = functions()
    one, width, packed = sf.lit(1).cast("bigint"), cells.width, 1 << cells.log_packed
    place = (sf.col("cell").bitwiseAND(packed - 1) * width).cast("int")
    word = sf.shiftright("cell", cells.log_packed)
    bit = sf.call_function("shiftleft", one, place)
    sums = [sf.sum(sf.when(word == i, bit)).alias(f"w{i}") for i in range(cells.n_words)]
    counted = collect(rows.groupBy("s").agg(*sums))
    codes = strata.look_up(whole_column(counted, "s"))
    words = np.array([whole_column(counted, f"w{i}") for i in range(cells.n_words)])
    shifts = np.arange(min(packed, 1 << cells.bits)) * width
    unpacked = (words.T[:, :, None] >> shifts) & ((1 << width) - 1)
    counts = np.zeros((len(strata.sizes), 1 << cells.bits), dtype=np.int64)
    dealt = codes >= 0
    np.add.at(counts, codes[dealt], unpacked.reshape(len(codes), -1)[dealt])
    return counts


def collect_cells(rows: DataFrame, strata: StratumCodes, flags: Flags) -> tuple[Ints, Words]:
    """Collect the strata and numbers of the rows in flagged cells, shape (n_strata, 2**bits)."""
    sf = functions()
    dealt = np.flatnonzero(strata.codes >= 0)
    wanted = flags[strata.codes[dealt]]
    places = dealt[wanted.any(axis=1)]
    if not len(places):
        return np.zeros(0, np.int64), np.zeros(0, np.uint64)
    cells = wanted[wanted.any(axis=1)]
    if len(places) < len(strata.codes) or not cells.all():
        lists = np.nonzero(cells)[1].astype(np.int32)
        known = small_frame(
            rows,
            {"s": strata.hashes.values[places], "cells": (lists, np.count_nonzero(cells, axis=1))},
        )
        rows = rows.join(sf.broadcast(known), "s").filter(sf.array_contains("cells", rows.cell))
    table = collect(rows.select("s", "u"))
    return strata.look_up(whole_column(table, "s")), unsigned(whole_column(table, "u"))


def small_frame(frame: DataFrame, columns: dict[str, Any]) -> DataFrame:
    """Make a frame of arrays, and of lists that are given by their values and lengths."""
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
    """Collect the keys of rows that have some numbers, at most a thousand for each salt."""
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


# The new columns -------------------------------------------------------------------------


def attach(
    call: SparkCall,
    counted: CountedCodes,
    outputs: Sequence[NewColumn],
    points: Sequence[Words],
) -> DataFrame:
    """Add the columns, by the cut points of the stratum of each row."""
    sf, codes = functions(), counted.codes
    lists: dict[str, Any] = {}
    columns = {}
    for repeat, (cuts, output) in enumerate(zip(points, outputs, strict=True)):
        known, number = sf.col(f"{HELPER}{repeat}"), sf.col(f"{HELPER}u{repeat}")
        n_cuts = cuts.shape[1]
        of_rows = with_sign(cuts)[codes[codes >= 0]]
        lists[f"{HELPER}{repeat}"] = (of_rows.ravel(), np.where(codes < 0, 0, n_cuts))
        part = sf.when(sf.size(known) > 0, count_at_most(known, number, n_cuts))
        columns[output.name] = new_column(known, part, output)
        if call.filled is not None:
            given = call.filled.present
            given = given if output.labels else given.cast("bigint")
            columns[output.name] = sf.coalesce(given, columns[output.name])
    # A projection of their own lets each number be computed once, not for each cut point.
    numbers = {f"{HELPER}u{repeat}": call.number(salt) for repeat, salt in enumerate(call.salts)}
    return join_columns(call, counted.counts.native, lists, columns, numbers)


def attach_parts(
    call: SparkCall, hashes: Hashes, parts: Sequence[Ints], outputs: Sequence[NewColumn]
) -> DataFrame:
    """Add the columns, by the parts of the combinations of values; -1 for none."""
    sf, lists, columns = functions(), {}, {}
    for repeat, (of_rows, output) in enumerate(zip(parts, outputs, strict=True)):
        part = sf.col(f"{HELPER}{repeat}")
        lists[f"{HELPER}{repeat}"] = of_rows
        columns[output.name] = new_column(part, sf.when(part >= 0, part), output)
    return join_columns(call, hashes, lists, columns, {})


def join_columns(
    call: SparkCall,
    hashes: Hashes,
    lists: dict[str, Any],
    columns: dict[str, Any],
    numbers: dict[str, Any],
) -> DataFrame:
    """Join what is known of each stratum to its rows, and add columns that are made of it."""
    sf = functions()
    known = {f"{HELPER}s": hashes.values, **lists}
    stratum = call.stratum(hashes.salt)
    if call.where is not None:
        stratum = sf.when(call.where, stratum)
    rows = call.frame.withColumns({**numbers, f"{HELPER}t": stratum})
    joined = look_up(rows, f"{HELPER}t", known)
    drops = [*known, *numbers, f"{HELPER}t", *call.helpers]
    result: DataFrame = joined.withColumns(columns).drop(*drops)
    return result


def look_up(rows: DataFrame, stratum: str, known: dict[str, Any]) -> DataFrame:
    """Join what is known of each stratum to its rows, by the column of their hashes.

    The first of the known columns, as of a `small_frame`, are the hashes, each of them once.
    """
    sf = functions()
    name = next(iter(known))
    # Where hashes cannot repeat, Spark leaves the join out of plans that read none of its
    # columns. One partition holds them all, so that nothing need be sent to find that out.
    unique = small_frame(rows, known).coalesce(1).dropDuplicates([name])
    return rows.join(sf.broadcast(unique), sf.col(stratum) == sf.col(name), "left")


def new_column(known: Any, part: Any, output: NewColumn) -> Any:
    """Turn the part of each row into a column, null where the row is not dealt."""
    sf = functions()
    changed = sf.raise_error(sf.lit(CHANGED))
    of_known = sf.when(known.isNull(), changed).otherwise(part_column(part, output))
    return sf.when(sf.col(f"{HELPER}t").isNotNull(), of_known)


def part_column(part: Any, output: NewColumn) -> Any:
    """Turn numbers of parts into folds, or into the names of parts."""
    sf = functions()
    if output.labels is None:
        return part.cast("bigint")
    return sf.get(sf.array(*map(sf.lit, output.labels)), part.cast("int"))


CHANGED = (
    "The frame must give the same rows each time that it is computed, but has a stratum that it"
    " did not have when its folds were made. Save or cache it before."
)
"""What Spark raises if a row is in no stratum that was counted."""


def count_at_most(points: Any, number: Any, n_cuts: int) -> Any:
    """Count the points that are at most a number."""
    sf = functions()
    if n_cuts > UNROLLED:
        return sf.size(sf.filter(points, lambda point: point <= number))
    flags = [(number >= sf.get(points, sf.lit(place))).cast("int") for place in range(n_cuts)]
    return sum(flags[1:], flags[0])
