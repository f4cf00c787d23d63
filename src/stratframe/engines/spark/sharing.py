"""What the rows of a Spark frame share across folds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from ...frames import SharedExample, SharedRows
from .columns import HELPER, Typed, functions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FOLD = f"{HELPER}fold"
"""The column with a hash of each row's fold."""


def shared_rows(
    frame: DataFrame,
    columns: Sequence[Typed],
    fold: Typed,
    *,
    nulls_alike: bool,
    drop: bool,
) -> SharedRows:
    """Count the values of some columns, those that repeat, and those in several folds.

    Rows that lack a value are left out unless missing values are alike.
    """
    sf = functions()
    rows, names = with_values(frame, columns, fold, nulls_alike=nulls_alike, drop=drop)
    cells = rows.groupBy(*names, FOLD).agg(
        sf.count(sf.lit(1)).alias("n"), sf.min(fold.present).alias("label")
    )
    groups = cells.groupBy(*names).agg(
        sf.sum("n").alias("n"),
        is_split().alias("split"),
        sf.sum(sf.col("n") * sf.col("n")).alias("squares"),
        sf.min("label").alias("low"),
        sf.max("label").alias("high"),
    )
    n_split = sf.when(sf.col("split"), sf.col("n"))
    example = sf.when(sf.col("split"), sf.struct(*names, "low", "high"))
    totals: Any = groups.agg(
        sf.count("n"),
        sf.count_if(sf.col("n") > 1),
        sf.count_if("split"),
        sf.sum(n_split),
        sf.sum(sf.col("n") * (sf.col("n") - 1)),
        sf.sum(sf.col("n") * sf.col("n") - sf.col("squares")),
        sf.min(example),
    ).first()
    *counts, found = totals
    n_values, n_repeated, n_split, n_rows, twice, twice_split = (int(each or 0) for each in counts)
    example, n_pairs = read_example(found), twice // 2
    return SharedRows(n_values, n_repeated, n_split, n_rows, example, n_pairs, twice_split // 2)


def with_values(
    frame: DataFrame, columns: Sequence[Typed], fold: Typed, *, nulls_alike: bool, drop: bool
) -> tuple[DataFrame, list[str]]:
    """Add columns of what rows may share and of a hash of the fold; return the former's names."""
    sf, names = functions(), [f"{HELPER}{place}" for place in range(len(columns))]
    values = {name: each.present for name, each in zip(names, columns, strict=True)}
    rows = frame.filter(fold.present.isNotNull()) if drop else frame
    # Rows without a fold make up one more fold.
    rows = rows.withColumns({**values, FOLD: sf.xxhash64(fold.present, fold.present.isNull())})
    return rows if nulls_alike else rows.dropna(subset=names), names


def is_split() -> Any:
    """Make the column that says whether rows are in several folds."""
    return functions().min(FOLD) != functions().max(FOLD)


def leaking_rows(
    frame: DataFrame, columns: Sequence[Typed], fold: Typed, argument: str
) -> DataFrame:
    """Keep the rows that share something with a row of another fold, and hash what they share."""
    sf, nulls_alike = functions(), argument == "duplicates"
    rows, names = with_values(frame, columns, fold, nulls_alike=nulls_alike, drop=True)
    values = rows.groupBy(*(sf.col(name).alias(f"{name}_split") for name in names))
    split = values.agg(is_split().alias("split")).filter("split")
    same = [sf.col(name).eqNullSafe(sf.col(f"{name}_split")) for name in names]
    kept = rows.join(split, reduce(and_, same), "left_semi")
    missing = [sf.col(name).isNull() for name in names]
    check = "keys" if argument == "key" else argument
    added = {"check": sf.lit(check), "set": sf.xxhash64(*names, *missing)}
    return kept.withColumns(added).drop(*names, FOLD)


def read_example(found: Any) -> SharedExample | None:
    """Read values that are in several folds, and the lowest and the highest of these folds."""
    if found is None:
        return None
    *values, low, high = found
    return SharedExample(None, tuple(values), (low, None if high == low else high))
