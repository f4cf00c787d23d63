"""`kfold` and `split` on Spark frames: passes that count, and one expression that deals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..checks import load_extra
from ..core.types import Draws, Ints, Table
from ..errors import StratError, plural
from ..frames import NewColumn
from ..frames.references import check_new
from ..pipeline.deal import empty_outputs
from ..pipeline.options import Deal, Options, Parts, Rare, check_options, fold_target, part_target
from ..terms.base import By, Missing
from .cut_points import CutPoints, cut_points, torn_cells
from .driver import (
    MAX_STRATA,
    Counted,
    CountedStrata,
    check_key,
    check_n_strata,
    check_possible,
    quotas,
    repeated_keys,
    salts,
    stratify_counted,
)
from .spark_columns import (
    Call,
    Typed,
    functions,
    quoted,
    read_call,
    signed,
    stratum_salts,
    whole_numbers,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

HELPER = "__stratframe_"
"""How the names of columns begin that no result keeps."""

FEW_ROWS = 1 << 20
"""Rows whose numbers are collected without counting first."""

MAX_BITS = 12
"""Leading bits beyond which more would only mean more counts."""

UNROLLED = 64
"""Cut points up to which each comparison is an expression of its own."""


class Named(NamedTuple):
    """The strata of a frame, and the hashes that name their rows."""

    found: CountedStrata
    salt: int
    hashes: Ints
    """The hash of each counted row, shape (n_counted,), ascending."""
    codes: Ints
    """The joint stratum of each, -1 if it is not dealt; shape (n_counted,)."""

    def look_up(self, hashes: Ints) -> Ints:
        """Find the strata of rows by their hashes."""
        places = np.searchsorted(self.hashes, hashes)
        return self.codes[places.clip(max=len(self.codes) - 1)]


# Verbs -----------------------------------------------------------------------------------


def add_columns(frame: DataFrame, options: Options, overwrite: bool) -> DataFrame:
    """Check a call, count the rows, and add the columns that it makes."""
    outputs = empty_outputs(options)
    check_frame(frame)
    check_possible(options, "Spark")
    if not overwrite:
        check_new(frame, frame.columns, [each.name for each in outputs])
    require_key(options)
    call = read_call(frame, options)
    named, counted = count_strata(frame, call, options)
    cuts = [
        find_cuts(frame, call, named, table, salt)
        for table, salt in zip(
            quotas(options, counted, named.found), salts(options), strict=True
        )
    ]
    return attach(frame, call, named, cuts, outputs, salts(options))


def check_frame(frame: Any) -> None:
    """Raise unless an object is a frame of Spark."""
    sql = load_extra("pyspark.sql", "spark")
    if not isinstance(frame, sql.DataFrame):
        msg = f"`frame` must be a pyspark.sql.DataFrame, got {type(frame).__name__}."
        raise StratError(msg)


def require_key(options: Options) -> None:
    """Raise if a call has no key."""
    if not options.key:
        msg = (
            "Spark frames need a `key`, because their rows have no order.\nHint: name the columns"
            ' that identify a row, as in `key="id"`.'
        )
        raise StratError(msg)


# Passes ----------------------------------------------------------------------------------


def dealt_rows(frame: DataFrame, call: Call) -> DataFrame:
    """Keep the rows that `where` marks."""
    if call.where is None:
        return frame
    n_missing = frame.filter(call.where.isNull()).count()
    if n_missing:
        msg = (
            f"The column of `where` has missing values in {plural(n_missing, 'row')}."
            "\nHint: fill it, as in `coalesce(..., lit(False))`."
        )
        raise StratError(msg)
    return frame.filter(call.where)


def count_strata(frame: DataFrame, call: Call, options: Options) -> tuple[Named, Counted]:
    """Count the rows of every stratum, and find the lowest of their numbers."""
    sf = functions()
    lowest = [sf.min(call.number(salt)).alias(f"u{i}") for i, salt in enumerate(salts(options))]
    valid = [sf.count(valid_key(each)).alias(f"k{i}") for i, each in enumerate(call.key)]
    codes = [each.code.alias(f"c{i}") for i, each in enumerate(call.strata)]
    values = [
        each.value.alias(f"v{i}") for i, each in enumerate(call.strata) if each.value is not None
    ]
    counted = (
        dealt_rows(frame, call)
        .groupBy(*codes)
        .agg(sf.count(sf.lit(1)).alias("n"), *lowest, *valid, *values)
        .limit(MAX_STRATA + 1)
    )
    salt, table = collect_named(counted, call, options.seed)
    check_n_strata(len(table))
    sizes = whole_column(table, "n")
    check_keys(call.key, sizes, [whole_column(table, f"k{i}") for i in range(len(call.key))])
    series = [
        table[f"c{i}" if each.value is None else f"v{i}"].alias(each.name)
        for i, each in enumerate(call.strata)
    ]
    numbers = [unsigned(whole_column(table, f"u{i}")) for i in range(len(lowest))]
    rows = Counted(series, sizes, np.array(numbers).reshape(len(lowest), len(table)))
    found = stratify_counted(options, rows, "Spark")
    hashes = whole_column(table, "s")
    return Named(found, salt, hashes, found.codes), rows


def collect_named(counted: DataFrame, call: Call, seed: int) -> tuple[int, Any]:
    """Collect counted rows by their hashes, under a salt that gives each another."""
    sf = functions()
    columns = [each._replace(code=sf.col(f"c{i}")) for i, each in enumerate(call.strata)]
    for salt in stratum_salts(seed):
        named = counted.withColumn("s", Call(columns, call.key).stratum(salt))
        table = collect(named).sort("s")
        if table["s"].n_unique() == len(table):
            break
    return salt, table


def collect(frame: DataFrame) -> Any:
    """Collect a small frame as one of Polars."""
    polars = load_extra("polars", "spark")
    return polars.from_arrow(frame.toArrow())


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


def valid_key(typed: Typed) -> Any:
    """Give the values of a key column that can be hashed, null for the others."""
    return whole_numbers(typed) if typed.dtype.startswith("decimal") else typed.present


def check_keys(key: Sequence[Typed], sizes: Ints, valid: Sequence[Ints]) -> None:
    """Raise if values of the key are missing, or are no whole numbers."""
    n_rows = int(sizes.sum())
    check_key({each.name: n_rows - int(n.sum()) for each, n in zip(key, valid, strict=True)})


def choose_bits(n_rows: int, n_strata: int, n_cuts: int) -> int:
    """Choose how many leading bits of the numbers are counted: about as many cells as rows left."""
    if n_rows <= FEW_ROWS:
        return 0
    cells = (n_cuts * n_rows / n_strata) ** 0.5
    return min(max(round(np.log2(max(cells, 1))), 1), MAX_BITS)


def find_cuts(
    frame: DataFrame, call: Call, named: Named, table: Table, salt: int
) -> CutPoints:
    """Find the cut points of every stratum for one column."""
    sf = functions()
    sizes = named.found.strata.sizes
    bits = choose_bits(int(sizes.sum()), len(sizes), table.shape[1] - 1)
    number = call.number(salt)
    rows = dealt_rows(frame, call).select(
        call.stratum(named.salt).alias("s"),
        number.alias("u"),
        (sf.shiftright(number, 64 - bits) if bits else sf.lit(0)).cast("int").alias("cell"),
    )
    counts = count_cells(rows, named, bits) if bits else sizes[:, None]
    flags = torn_cells(counts, table).reshape(counts.shape)
    codes, numbers = collect_cells(rows, named, flags, bits)
    cuts = cut_points(counts, table, codes, numbers)
    if len(cuts.torn):
        raise keys_of(frame, call, salt, cuts.torn)
    return cuts


def count_cells(rows: DataFrame, named: Named, bits: int) -> Table:
    """Count the rows of every stratum by the leading bits of their numbers.

    Returns
    -------
    ndarray of int64, shape (n_strata, 2**bits)
    """
    sf = functions()
    cells = collect(rows.groupBy("s", "cell").agg(sf.count(sf.lit(1)).alias("n")))
    codes = named.look_up(whole_column(cells, "s"))
    dealt = codes >= 0
    n_strata = len(named.found.strata.sizes)
    places = (codes << bits) + whole_column(cells, "cell") + (1 << bits >> 1)
    counts = np.bincount(places[dealt], whole_column(cells, "n")[dealt], n_strata << bits)
    return counts.astype(np.int64).reshape(n_strata, 1 << bits)


def collect_cells(
    rows: DataFrame, named: Named, flags: np.ndarray, bits: int
) -> tuple[Ints, Draws]:
    """Collect the strata and numbers of the rows in some cells.

    Parameters
    ----------
    flags : ndarray of bool, shape (n_strata, 2**bits)
    """
    sf = functions()
    dealt = np.flatnonzero(named.codes >= 0)
    wanted = flags[named.codes[dealt]]
    places = dealt[wanted.any(axis=1)]
    if not len(places):
        return np.zeros(0, np.int64), np.zeros(0, np.uint64)
    cells = wanted[wanted.any(axis=1)]
    if len(places) < len(named.codes) or bits:
        lists = np.nonzero(cells)[1] - (1 << bits >> 1)
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


def keys_of(frame: DataFrame, call: Call, salt: int, torn: Draws) -> StratError:
    """Build the error for rows of one key between which a stratum should be cut."""
    sf = functions()
    numbers = [sf.lit(number).cast("bigint") for number in with_sign(torn[:1000]).tolist()]
    columns = [each.column.alias(f"{i}") for i, each in enumerate(call.key)]
    rows = dealt_rows(frame, call).filter(call.number(salt).isin(numbers)).select(*columns)
    names = [each.name for each in call.key]
    table = collect(rows.limit(1000))
    table.columns = names
    return repeated_keys(names, table.to_pandas())


# The new columns -------------------------------------------------------------------------


def attach(
    frame: DataFrame,
    call: Call,
    named: Named,
    cuts: Sequence[CutPoints],
    outputs: Sequence[NewColumn],
    salts: Sequence[int],
) -> DataFrame:
    """Add the columns, by the cut points of the stratum of each row."""
    sf = functions()
    lists: dict[str, Any] = {f"{HELPER}s": named.hashes}
    dealt = named.codes >= 0
    for repeat, cut in enumerate(cuts):
        points = with_sign(cut.points)[named.codes[dealt]]
        lengths = np.where(dealt, points.shape[1], 0)
        lists[f"{HELPER}{repeat}"] = (points.ravel(), lengths)
    known = small_frame(frame, lists)
    stratum = call.stratum(named.salt)
    if call.where is not None:
        stratum = sf.when(call.where, stratum)
    joined = frame.join(sf.broadcast(known), stratum == sf.col(f"{HELPER}s"), "left")
    columns = {
        output.name: new_column(call, stratum, repeat, cuts[repeat], salts[repeat], output)
        for repeat, output in enumerate(outputs)
    }
    return joined.withColumns(columns).drop(*lists)


def new_column(
    call: Call, stratum: Any, repeat: int, cut: CutPoints, salt: int, output: NewColumn
) -> Any:
    """Count the cut points that are at most the number of each row."""
    sf = functions()
    points = sf.col(f"{HELPER}{repeat}")
    part = count_at_most(points, call.number(salt), cut.points.shape[1]).cast("bigint")
    if output.labels is not None:
        names = sf.array(*map(sf.lit, output.labels))
        part = sf.get(names, part.cast("int"))
    changed = sf.raise_error(sf.lit(CHANGED))
    of_known = sf.when(points.isNull(), changed).when(sf.size(points) > 0, part)
    return sf.when(stratum.isNotNull(), of_known)


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


def kfold(
    frame: DataFrame,
    by: By | None = None,
    k: int = 5,
    *,
    groups: Any = None,
    where: Any = None,
    deal: Deal = "random",
    key: Any = None,
    missing: Missing = "error",
    rare: Rare = "warn",
    repeats: int = 1,
    seed: int | None = 0,
    name: str = "fold",
    overwrite: bool = False,
) -> DataFrame:
    """Add a column that assigns every row to one of k folds."""
    options = check_options(
        by,
        fold_target(k),
        groups=groups,
        where=where,
        deal=deal,
        key=key,
        missing=missing,
        rare=rare,
        repeats=repeats,
        seed=seed,
        name=name,
    )
    return add_columns(frame, options, overwrite)


def split(
    frame: DataFrame,
    by: By | None = None,
    parts: Parts = {"train": 0.8, "test": 0.2},  # noqa: B006 - never changed
    *,
    groups: Any = None,
    where: Any = None,
    deal: Deal = "random",
    key: Any = None,
    missing: Missing = "error",
    rare: Rare = "warn",
    seed: int | None = 0,
    name: str = "split",
    overwrite: bool = False,
) -> DataFrame:
    """Add a column that assigns every row to a named part: train, valid, test."""
    options = check_options(
        by,
        part_target(parts),
        groups=groups,
        where=where,
        deal=deal,
        key=key,
        missing=missing,
        rare=rare,
        seed=seed,
        name=name,
    )
    return add_columns(frame, options, overwrite)
