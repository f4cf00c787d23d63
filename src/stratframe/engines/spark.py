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
    """Add a column that assigns every row to one of k folds.

    The rows are counted when this is called; the column is lazy.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
    by : entry or list of entries, optional
        Columns of classes, `sf.classes`, `sf.quantiles`, `sf.bins`, and callables of the Spark
        frame that return a column. Entries nest left to right.
    k : int
        Number of folds.
    groups, where
        As for `stratframe.kfold`; a computed column is a callable of the Spark frame. With
        `groups` the folds do not depend on the partitions, but are not those of pandas.
    deal : {"random"}
        Only "random" is possible.
    key : column or list of columns
        The columns that identify a row; needed without `groups`. The folds are those of pandas
        and Polars frames, whatever the partitions.
    missing, rare, repeats, seed, name, overwrite
        As for `stratframe.kfold`.

    Returns
    -------
    pyspark.sql.DataFrame
        With the partitions and columns of the frame, and folds 0..k-1 as `bigint`.

    Raises
    ------
    StratError
        If an argument, a column or a value breaks a rule, or if the call needs all rows at once.

    Warns
    -----
    StratWarning
        As `stratframe.kfold`.
    """
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
    """Add a column that assigns every row to a named part: train, valid, test.

    The rows are counted when this is called; the column is lazy.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
    by, groups, where, deal, key
        As for `kfold`.
    parts : mapping of name to share, or float
        As for `stratframe.split`.
    missing, rare, seed, name, overwrite
        As for `stratframe.split`.

    Returns
    -------
    pyspark.sql.DataFrame
        With the names of the parts as text, as Spark has no categories.

    Raises
    ------
    StratError
        If an argument, a column or a value breaks a rule, or if the call needs all rows at once.

    Warns
    -----
    StratWarning
        As `stratframe.split`.
    """
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
        names = [each.name for each in outputs]
        check_new(frame, [name for name in names if is_taken(frame, name)], names)
    if options.groups:
        call, found, parts_of_rows, _ = count_groups(frame, options)
        return attach_parts(call, found, parts_of_rows, outputs)
    require_key(options)
    named = count_call(frame, options)
    of_repeats = salts(options)
    tables = zip(named.quotas(), of_repeats, strict=True)
    cuts = [find_cuts(named, table, salt) for table, salt in tables]
    return attach(named, cuts, of_repeats, outputs)


def is_taken(frame: Any, name: str) -> bool:
    """Return whether Spark would replace a column of a frame by one of this name."""
    if frame.sparkSession.conf.get("spark.sql.caseSensitive") == "true":
        return name in frame.columns
    return name.lower() in map(str.lower, frame.columns)
