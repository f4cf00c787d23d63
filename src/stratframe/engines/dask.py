"""The verbs on Dask frames."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..habits import answer_habits
from ..pipeline.deal import empty_outputs
from ..pipeline.options import (
    Deal,
    Options,
    Parts,
    Rare,
    check_options,
    fold_target,
    part_target,
)
from ..terms.base import By, Missing
from .dask_passes import (
    attach,
    attach_parts,
    check_call,
    count_call,
    count_groups,
    find_cuts,
    without_orders,
)
from .values import stratum_index


@answer_habits
def kfold(
    frame: Any,
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
) -> Any:
    """Add a column that assigns every row to one of k folds.

    The rows are counted when this is called; the column is lazy.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    by : entry or list of entries, optional
        Columns of classes, `sf.classes`, `sf.quantiles`, `sf.bins`, and callables of the Dask
        frame. Entries nest left to right.
    k : int
        Number of folds.
    groups, where
        As for `stratframe.kfold`; a computed column is a callable of the Dask frame.
    deal : {"random"}
        Only "random" is possible.
    key : column or list of columns, optional
        Assign folds by these columns, whatever the order of rows and the partitions: the same
        folds as those of pandas and Polars frames. Without it folds depend on the partitions.
    missing, rare, repeats, seed, name, overwrite
        As for `stratframe.kfold`.

    Returns
    -------
    dask.dataframe.DataFrame
        With the partitions, divisions, index, order and columns of the frame, and int64 folds
        0..k-1 (Int64 where the arguments allow nulls).

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
    return new_frame(frame, options, overwrite)


@answer_habits
def split(
    frame: Any,
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
) -> Any:
    """Add a column that assigns every row to a named part: train, valid, test.

    The rows are counted when this is called; the column is lazy.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    by, groups, where, deal, key
        As for `kfold`.
    parts : mapping of name to share, or float
        As for `stratframe.split`.
    missing, rare, seed, name, overwrite
        As for `stratframe.split`.

    Returns
    -------
    dask.dataframe.DataFrame
        With a categorical of the part names, in their order.

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
    return new_frame(frame, options, overwrite)


def new_frame(frame: Any, options: Options, overwrite: bool) -> Any:
    """Check the columns that a call names, and add those that it makes."""
    outputs = empty_outputs(options)
    check_call(frame, options, [] if overwrite else outputs)
    if options.groups:
        options = replace(options, terms=without_orders(frame, options.terms))
        call, parts_of_rows = count_groups(frame, options)
        index = stratum_index(call.counts.columns, call.found.codes, call.plan)
        return attach_parts(call, outputs, index, parts_of_rows)
    call = count_call(frame, options)
    index = stratum_index(call.counts.columns, call.found.codes, call.plan)
    points = find_cuts(call, call.found.codes, index, call.quotas())
    return attach(call, outputs, index, points)
