"""Find the keys, groups and equal rows that occur in several folds of a Spark frame."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_
from typing import Any

from ...frames import SharedExample, SharedRows
from ..base import EngineFrame
from .columns import HELPER, Typed, functions

FOLD = f"{HELPER}fold"
"""The name of the column with a hash of each row's fold."""


def shared_rows(
    engine: Any, refs: Sequence[Any], argument: str, name: str, *, drop: bool
) -> SharedRows:
    sf = functions()
    rows, names, fold = with_values(engine, refs, argument, name, drop=drop)
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
    example, n_pairs = None, twice // 2
    if found is not None:  # an example of values in several folds, and two of these folds
        *values, low, high = found
        example = SharedExample(None, tuple(values), (low, None if high == low else high))
    return SharedRows(n_values, n_repeated, n_split, n_rows, example, n_pairs, twice_split // 2)


def with_values(
    engine: Any, refs: Sequence[Any], argument: str, name: str, *, drop: bool
) -> tuple[EngineFrame, list[str], Typed]:
    """Add columns of the values to be compared, and a column with a hash of the fold.

    Returns the rows, the names of the columns of values, and the column of folds. Unless `argument`
    is "duplicates", rows with a missing value are left out.
    """
    sf, fold, rows = functions(), engine.typed(name, "name"), engine.frame
    values = {f"{HELPER}{i}": engine.typed(ref, argument).present for i, ref in enumerate(refs)}
    rows = rows.filter(fold.present.isNotNull()) if drop else rows
    # Rows without a fold form one more fold.
    rows = rows.withColumns({**values, FOLD: sf.xxhash64(fold.present, fold.present.isNull())})
    rows = rows if argument == "duplicates" else rows.dropna(subset=list(values))
    return rows, list(values), fold


def is_split() -> Any:
    return functions().min(FOLD) != functions().max(FOLD)


def leaking_rows(engine: Any, refs: Sequence[Any], argument: str, name: str) -> EngineFrame:
    sf = functions()
    rows, names, _ = with_values(engine, refs, argument, name, drop=True)
    values = rows.groupBy(*(sf.col(name).alias(f"{name}_split") for name in names))
    split = values.agg(is_split().alias("split")).filter("split")
    same = [sf.col(name).eqNullSafe(sf.col(f"{name}_split")) for name in names]
    kept = rows.join(split, reduce(and_, same), "left_semi")
    missing = [sf.col(name).isNull() for name in names]
    check = "keys" if argument == "key" else argument
    added = {"check": sf.lit(check), "set": sf.xxhash64(*names, *missing)}
    return kept.withColumns(added).drop(*names, FOLD)
