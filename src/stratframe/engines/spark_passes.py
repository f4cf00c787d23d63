"""Passes over Spark frames: two or three that count, and the one that adds the columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..checks import load_extra
from ..core.types import Draws, Flags, Ints, Table
from ..errors import StratError, plural
from ..frames import NewColumn
from ..pipeline.options import Options
from ..terms.base import Term
from ..terms.bins import Quantiles
from .cut_points import CutPoints, cut_points, torn_cells
from .driver import (
    MAX_STRATA,
    Counted,
    CountedStrata,
    check_key,
    check_n_strata,
    quotas,
    repeated_keys,
    salts,
    stratify_counted,
    with_bins,
)
from .spark_columns import (
    Call,
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

FEW_ROWS = 1 << 20
"""Rows whose numbers are collected without counting first."""

MAX_BITS = 12
"""Leading bits beyond which more would only mean more counts."""

MAX_WORDS = 32
"""Words of packed counts that each stratum may have."""

WORD_BITS = 63
"""Bits of a sum that may hold counts, as the sign is none."""

UNROLLED = 64
"""Cut points up to which each comparison is an expression of its own."""


class CountedCall(NamedTuple):
    """A call whose rows were counted."""

    options: Options
    """With the bins of the counted rows."""
    call: Call
    """With columns of the bins of quantiles."""
    counted: Counted
    found: CountedStrata
    salt: int
    """Of the hashes that name the strata of rows."""
    hashes: Ints
    """The hash of each counted row, shape (n_counted,), ascending."""

    def look_up(self, hashes: Ints) -> Ints:
        """Find the strata of rows by their hashes, -1 for those that are not dealt."""
        codes = self.found.codes
        found: Ints = codes[np.searchsorted(self.hashes, hashes).clip(max=len(codes) - 1)]
        return found

    def quotas(self) -> list[Table]:
        """Compute how many rows of each stratum go to each part, for each repeat."""
        return quotas(self.options, self.counted, self.found)


# Counts ----------------------------------------------------------------------------------


def check_where(call: Call) -> None:
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


class CountedRows(NamedTuple):
    """The rows of a call, counted by the values of its stratum columns."""

    options: Options
    """With the bins of the counted rows."""
    counted: Counted
    salt: int
    """Of the hashes that name the combinations of values."""
    table: Any
    """A polars.DataFrame with a row for each combination, by ascending hash `s`."""

    @property
    def hashes(self) -> Ints:
        """The hash of each combination, shape (n_counted,), ascending."""
        return whole_column(self.table, "s")


def count_rows(
    call: Call, rows: DataFrame, options: Options, *, for_table: bool = False
) -> CountedCall:
    """Count rows by stratum, and find the lowest of their numbers.

    Parameters
    ----------
    rows : pyspark.sql.DataFrame
        Those of the call, or some of them.
    for_table : bool
        Also find the highest value of each quantile bin, by which tables call it.
    """
    found = count_values(call, rows, options, for_table=for_table)
    strata = stratify_counted(found.options, found.counted, ENGINE)
    return CountedCall(found.options, call, found.counted, strata, found.salt, found.hashes)


def count_values(
    call: Call,
    rows: DataFrame,
    options: Options,
    further: Sequence[Any] = (),
    *,
    for_table: bool = False,
) -> CountedRows:
    """Count rows by the values of the stratum columns.

    Parameters
    ----------
    further : sequence of Column
        Aggregates that are computed, too.
    """
    sf = functions()
    numbers = salts(options) if call.key else []
    lowest = [sf.min(call.number(salt)).alias(f"u{i}") for i, salt in enumerate(numbers)]
    codes = [each.code.alias(f"c{i}") for i, each in enumerate(call.strata)]
    totals = [sf.count(sf.lit(1)).alias("n"), *lowest, *key_counts(call.key), *further]
    for i, each in enumerate(call.strata):
        if not each.is_value:
            totals.append(sf.min(each.typed.present).alias(f"low{i}"))
            totals.append(sf.max(each.typed.present).alias(f"high{i}"))
    salt, table = collect_named(
        rows.groupBy(*codes).agg(*totals).limit(MAX_STRATA + 1), call, options.seed
    )
    check_n_strata(len(table))
    check_keys(call.key, table)
    terms, counted = read_counted(call, table, options, for_table=for_table)
    if lowest:
        words = np.array([unsigned(whole_column(table, f"u{i}")) for i in range(len(lowest))])
        counted = counted._replace(lowest=np.tile(words, 1 + for_table))
    return CountedRows(replace(options, terms=terms), counted, salt, table)


def read_counted(
    call: Call, table: Any, options: Options, *, for_table: bool
) -> tuple[tuple[Term, ...], Counted]:
    """Read counted rows, whose quantiles become terms that know the bins of these rows.

    For a table each counted row is followed by one that stands for no rows, and has the highest
    values of its bins.
    """
    terms, columns = list(options.terms), []
    sizes = whole_column(table, "n")
    for i, each in enumerate(call.strata):
        low = high = f"c{i}" if each.is_value else f"low{i}"
        term = terms[i]
        if isinstance(term, Quantiles):
            bins = table[f"c{i}"].fill_null(term.n).to_numpy().astype(np.int64)
            terms[i] = with_bins(term, np.tile(bins, 1 + for_table))
            high = f"high{i}"
        values = [table[name].alias(each.typed.name) for name in (low, high)]
        columns.append(to_pandas(values[0].append(values[1])) if for_table else values[0])
    if for_table:
        sizes = np.append(sizes, np.zeros_like(sizes))
    return tuple(terms), Counted(columns, sizes)


def to_pandas(series: Any) -> Any:
    """Turn a small Polars series into one of pandas, whole numbers with gaps into Int64."""
    pandas = load_extra("pandas", "spark")
    if series.dtype.is_integer() and series.null_count():
        return pandas.Series(series.to_list(), dtype="Int64", name=series.name)
    # pyarrow leaves dates and decimals what they are.
    return series.to_arrow().to_pandas().rename(series.name)


def collect_named(counted: DataFrame, call: Call, seed: int) -> tuple[int, Any]:
    """Collect counted rows by their hashes, under a salt that gives each another."""
    codes = [functions().col(f"c{i}") for i in range(len(call.strata))]
    for salt in stratum_salts(seed):
        table = collect(counted.withColumn("s", stratum_column(codes, salt))).sort("s")
        if table["s"].n_unique() == len(table):
            return salt, table
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


def unsigned(values: Ints) -> Draws:
    """Turn integers with a sign into the words whose order they have."""
    return values.astype(np.int64).view(np.uint64) ^ np.uint64(2**63)


def with_sign(words: Draws) -> Ints:
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
    if n_rows <= FEW_ROWS:
        return Cells(0)
    # About as many cells as rows in those with a cut.
    bits = round(np.log2(max(n_cuts * n_rows / len(sizes), 4)) / 2)
    packed = Cells(bits + 1, int(sizes.max()).bit_length())
    if packed.width <= WORD_BITS // 2 and packed.n_words <= MAX_WORDS:
        return packed
    return Cells(min(bits, MAX_BITS))


def find_cuts(named: CountedCall, table: Table, salt: int) -> CutPoints:
    """Find the cut points of every stratum for one column."""
    sf, call = functions(), named.call
    cells = choose_cells(named.found.strata.sizes, table.shape[1] - 1)
    rows = call.rows.select(call.stratum(named.salt).alias("s"), call.number(salt).alias("u"))
    cell = sf.shiftright("u", 64 - cells.bits) + 2**cells.bits // 2 if cells.bits else sf.lit(0)
    rows = rows.select("s", "u", cell.cast("int").alias("cell"))
    counts = count_cells(rows, named, cells)
    flags = torn_cells(counts, table).reshape(counts.shape)
    codes, numbers = collect_cells(rows, named, flags)
    cuts = cut_points(counts, table, codes, numbers)
    if len(cuts.torn):
        raise keys_of(call, salt, cuts.torn)
    return cuts


def count_cells(rows: DataFrame, named: CountedCall, cells: Cells) -> Table:
    """Count the rows of every stratum by the leading bits of their numbers.

    Returns
    -------
    ndarray of int64, shape (n_strata, 2**bits)
    """
    if not cells.bits:
        return named.found.strata.sizes[:, None]
    if cells.width:
        return count_packed(rows, named, cells)
    sf = functions()
    counted = collect(rows.groupBy("s", "cell").agg(sf.count(sf.lit(1)).alias("n")))
    codes = named.look_up(whole_column(counted, "s"))
    dealt = codes >= 0
    places = (codes << cells.bits) + whole_column(counted, "cell")
    n_strata = len(named.found.strata.sizes)
    counts = np.bincount(places[dealt], whole_column(counted, "n")[dealt], n_strata << cells.bits)
    return counts.astype(np.int64).reshape(n_strata, 1 << cells.bits)


def count_packed(rows: DataFrame, named: CountedCall, cells: Cells) -> Table:
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
    codes = named.look_up(whole_column(counted, "s"))
    words = np.array([whole_column(counted, f"w{i}") for i in range(cells.n_words)])
    shifts = np.arange(min(packed, 1 << cells.bits)) * width
    unpacked = (words.T[:, :, None] >> shifts) & ((1 << width) - 1)
    counts = np.zeros((len(named.found.strata.sizes), 1 << cells.bits), dtype=np.int64)
    dealt = codes >= 0
    np.add.at(counts, codes[dealt], unpacked.reshape(len(codes), -1)[dealt])
    return counts


def collect_cells(rows: DataFrame, named: CountedCall, flags: Flags) -> tuple[Ints, Draws]:
    """Collect the strata and numbers of the rows in some cells.

    Parameters
    ----------
    flags : ndarray of bool, shape (n_strata, 2**bits)
    """
    sf = functions()
    dealt = np.flatnonzero(named.found.codes >= 0)
    wanted = flags[named.found.codes[dealt]]
    places = dealt[wanted.any(axis=1)]
    if not len(places):
        return np.zeros(0, np.int64), np.zeros(0, np.uint64)
    cells = wanted[wanted.any(axis=1)]
    if len(places) < len(named.found.codes) or not cells.all():
        lists = np.nonzero(cells)[1].astype(np.int32)
        known = small_frame(
            rows, {"s": named.hashes[places], "cells": (lists, np.count_nonzero(cells, axis=1))}
        )
        rows = rows.join(sf.broadcast(known), "s").filter(sf.array_contains("cells", rows.cell))
    table = collect(rows.select("s", "u"))
    return named.look_up(whole_column(table, "s")), unsigned(whole_column(table, "u"))


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


def keys_of(call: Call, salt: int, torn: Draws) -> StratError:
    """Build the error for rows of one key between which a stratum should be cut."""
    sf = functions()
    numbers = [sf.lit(number).cast("bigint") for number in with_sign(torn[:1000]).tolist()]
    columns = [each.column.alias(f"{i}") for i, each in enumerate(call.key)]
    rows = call.rows.filter(call.number(salt).isin(numbers)).select(*columns)
    names = [each.name for each in call.key]
    table = collect(rows.limit(1000))
    table.columns = names
    return repeated_keys(names, table.to_pandas())


# The new columns -------------------------------------------------------------------------


def attach(
    named: CountedCall,
    cuts: Sequence[CutPoints],
    salts: Sequence[int],
    outputs: Sequence[NewColumn],
    given: Any = None,
) -> DataFrame:
    """Add the columns, by the cut points of the stratum of each row.

    Parameters
    ----------
    cuts, salts, outputs : sequence
        Of each repeat.
    given : Column, optional
        The values that rows have already.
    """
    sf, codes = functions(), named.found.codes
    lists: dict[str, Any] = {}
    columns = {}
    for repeat, (cut, output) in enumerate(zip(cuts, outputs, strict=True)):
        points, number = sf.col(f"{HELPER}{repeat}"), sf.col(f"{HELPER}u{repeat}")
        n_cuts = cut.points.shape[1]
        of_rows = with_sign(cut.points)[codes[codes >= 0]]
        lists[f"{HELPER}{repeat}"] = (of_rows.ravel(), np.where(codes < 0, 0, n_cuts))
        part = sf.when(sf.size(points) > 0, count_at_most(points, number, n_cuts))
        new = new_column(points, part, output)
        columns[output.name] = new if given is None else sf.coalesce(given, new)
    # A projection of their own lets each number be computed once, not for each cut point.
    numbers = {f"{HELPER}u{repeat}": named.call.number(salt) for repeat, salt in enumerate(salts)}
    return join_columns(named.call, named.salt, {"s": named.hashes, **lists}, columns, numbers)


def attach_parts(
    call: Call, found: CountedRows, parts: Sequence[Ints], outputs: Sequence[NewColumn]
) -> DataFrame:
    """Add the columns, by the parts of the combinations of values; -1 for none."""
    sf, lists, columns = functions(), {}, {}
    for repeat, (of_rows, output) in enumerate(zip(parts, outputs, strict=True)):
        part = sf.col(f"{HELPER}{repeat}")
        lists[f"{HELPER}{repeat}"] = of_rows
        columns[output.name] = new_column(part, sf.when(part >= 0, part), output)
    return join_columns(call, found.salt, {"s": found.hashes, **lists}, columns, {})


def join_columns(
    call: Call,
    salt: int,
    lists: dict[str, Any],
    columns: dict[str, Any],
    numbers: dict[str, Any],
) -> DataFrame:
    """Join what is known of each stratum to its rows, and add columns that are made of it."""
    sf = functions()
    known = {f"{HELPER}s" if name == "s" else name: values for name, values in lists.items()}
    stratum = call.stratum(salt)
    if call.where is not None:
        stratum = sf.when(call.where, stratum)
    joined = call.frame.withColumns({**numbers, f"{HELPER}t": stratum}).join(
        sf.broadcast(small_frame(call.frame, known)),
        sf.col(f"{HELPER}t") == sf.col(f"{HELPER}s"),
        "left",
    )
    drops = [*known, *numbers, f"{HELPER}t", *call.helpers]
    result: DataFrame = joined.withColumns(columns).drop(*drops)
    return result


def new_column(known: Any, part: Any, output: NewColumn) -> Any:
    """Turn the part of each row into a column, null where the row is not dealt."""
    sf = functions()
    part = part.cast("bigint")
    if output.labels is not None:
        names = sf.array(*map(sf.lit, output.labels))
        part = sf.get(names, part.cast("int"))
    changed = sf.raise_error(sf.lit(CHANGED))
    of_known = sf.when(known.isNull(), changed).otherwise(part)
    return sf.when(sf.col(f"{HELPER}t").isNotNull(), of_known)


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
