"""What the rows of a Spark frame share across folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...frames import SharedExample, SharedRows
from .columns import Typed, check_single, functions


def shared_rows(
    rows: Any, columns: Sequence[Typed], fold: Typed, *, nulls_alike: bool
) -> tuple[SharedRows, int]:
    """Count the values of some columns, those that repeat, and those in several folds.

    Also counts the rows that lack a value, which are left out unless missing values are alike.
    """
    sf = functions()
    for each in columns:
        check_single(each)
    # Rows without a fold are one more.
    of_fold = sf.xxhash64(fold.present, fold.present.isNull())
    values = [each.present.alias(f"c{place}") for place, each in enumerate(columns)]
    table = rows.select(*values, of_fold.alias("fold"), fold.present.alias("label"))
    known, names = table, [f"c{place}" for place in range(len(columns))]
    if not nulls_alike:
        known = table.dropna(subset=names)
    cells = known.groupBy(*names, "fold").agg(
        sf.count(sf.lit(1)).alias("n"), sf.min("label").alias("label")
    )
    groups = cells.groupBy(*names).agg(
        sf.sum("n").alias("n"),
        (sf.min("fold") != sf.max("fold")).alias("split"),
        sf.sum(sf.col("n") * sf.col("n")).alias("squares"),
        sf.min("label").alias("low"),
        sf.max("label").alias("high"),
    )
    n_split = sf.when(sf.col("split"), sf.col("n"))
    example = sf.when(sf.col("split"), sf.struct(*names, "low", "high"))
    *counts, found = groups.agg(
        sf.count("n"),
        sf.count_if(sf.col("n") > 1),
        sf.count_if("split"),
        sf.sum(n_split),
        sf.sum(sf.col("n") * (sf.col("n") - 1)),
        sf.sum(sf.col("n") * sf.col("n") - sf.col("squares")),
        sf.min(example),
    ).first()
    n_values, n_repeated, n_split, n_rows, twice, twice_split = (int(each or 0) for each in counts)
    shared = SharedRows(
        n_values, n_repeated, n_split, n_rows, read_example(found), twice // 2, twice_split // 2
    )
    n_known = groups.agg(sf.sum("n")).first()[0] or 0
    return shared, table.count() - int(n_known)


def read_example(found: Any) -> SharedExample | None:
    """Read values that are in several folds, and the lowest and the highest of these."""
    if found is None:
        return None
    *values, low, high = found
    return SharedExample(None, tuple(values), (low, None if high == low else high))
