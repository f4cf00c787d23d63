"""The verbs on Spark frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..frames.references import check_new
from ..habits import answer_habits
from ..pipeline.deal import empty_outputs
from ..pipeline.options import Deal, Options, Parts, Rare, check_options, fold_target, part_target
from ..terms.base import By, Missing
from .driver import check_possible, salts
from .spark_calls import check_frame, count_call, count_groups, require_key
from .spark_passes import ENGINE, attach, attach_parts, find_cuts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@answer_habits
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


@answer_habits
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


def add_columns(frame: Any, options: Options, overwrite: bool) -> DataFrame:
    """Check a call, count the rows, and add the columns that it makes."""
    outputs = empty_outputs(options)
    check_frame(frame)
    check_possible(options, ENGINE)
    if not overwrite:
        check_new(frame, frame.columns, [each.name for each in outputs])
    if options.groups:
        return attach_parts(*count_groups(frame, options), outputs)
    require_key(options)
    named = count_call(frame, options)
    of_repeats = salts(options)
    tables = zip(named.quotas(), of_repeats, strict=True)
    cuts = [find_cuts(named, table, salt) for table, salt in tables]
    return attach(named, cuts, of_repeats, outputs)
