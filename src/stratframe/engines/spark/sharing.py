"""Find the keys, groups and equal rows that occur in several folds of a Spark frame."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_
from typing import Any

from ...frames import SharedExample, SharedRows
from ..base import EngineFrame
from .arrow import run
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
    totals = groups.agg(
        sf.count("n"),
        sf.count_if(sf.col("n") > 1),
        sf.count_if("split"),
        sf.sum(sf.when(sf.col("split"), sf.col("n"))),
        sf.sum(sf.col("n") * (sf.col("n") - 1)),
        sf.sum(sf.col("n") * sf.col("n") - sf.col("squares")),
        sf.max("n"),
        sf.min(sf.when(sf.col("split"), sf.struct(*names, "low", "high"))),
    )
    *counts, split = run(totals.first)
    numbers = [int(n or 0) for n in counts]
    n_values, n_repeated, n_split, n_rows, twice, twice_split, largest = numbers
    return SharedRows(
        n_values=n_values,
        n_repeated=n_repeated,
        n_split=n_split,
        n_rows=n_rows,
        example=None if split is None else read_example(split),
        n_pairs=twice // 2,
        n_split_pairs=twice_split // 2,
        largest=largest,
    )


def read_example(split: Any) -> SharedExample:
    """Read values that are in several folds, followed by the lowest and highest of these folds."""
    *values, low, high = split
    return SharedExample(None, tuple(values), (low, None if high == low else high))


def with_values(
    engine: Any, refs: Sequence[Any], argument: str, name: str, *, drop: bool
) -> tuple[EngineFrame, list[str], Typed]:
    """Add columns of the values to be compared, and a column with a hash of the fold.

    Returns the rows, the names of the columns of values, and the column of folds. Unless `argument`
    is "duplicates", rows with a missing value are left out.
    """
    sf = functions()
    fold = engine.typed(name, "name")
    values = {f"{HELPER}{i}": engine.typed(ref, argument).present for i, ref in enumerate(refs)}
    rows = engine.frame
    if drop:
        rows = rows.filter(fold.present.isNotNull())
    # Rows without a fold form one more fold.
    rows = rows.withColumns({**values, FOLD: sf.xxhash64(fold.present, fold.present.isNull())})
    if argument != "duplicates":
        rows = rows.dropna(subset=list(values))
    return rows, list(values), fold


def is_split() -> Any:
    return functions().min(FOLD) != functions().max(FOLD)


def leaking_rows(engine: Any, refs: Sequence[Any], argument: str, name: str) -> EngineFrame:
    sf = functions()
    rows, names, _ = with_values(engine, refs, argument, name, drop=True)
    values = rows.groupBy(*(sf.col(name).alias(f"{name}_split") for name in names))
    split = values.agg(is_split().alias("split")).filter("split")
    is_same = [sf.col(name).eqNullSafe(sf.col(f"{name}_split")) for name in names]
    leaking = rows.join(split, reduce(and_, is_same), "left_semi")
    is_missing = [sf.col(name).isNull() for name in names]
    check = "keys" if argument == "key" else argument
    new = {"check": sf.lit(check), "set": sf.xxhash64(*names, *is_missing)}
    return leaking.withColumns(new).drop(*names, FOLD)
