"""The verbs on Dask frames that return tables or parts of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, get_args

import numpy as np

from .. import frames
from ..checks import check_one_of
from ..core.types import Table
from ..frames import FoldValues, SharedRows
from ..habits import answer_habits
from ..pipeline.options import Deal, Options, Parts, Rare, check_options, fold_target, part_target
from ..pipeline.strata import Strata
from ..pipeline.tables import fold_table
from ..terms.base import By, Missing
from ..terms.by import parse, require_by
from ..terms.classes import Classes
from ..verbs.audit_checks import (
    Check,
    KeptNulls,
    checks_table,
    list_checks,
)
from ..verbs.report import REPORTED, report_table
from ..verbs.select import (
    Fold,
    Nulls,
    fold_names,
)
from ..verbs.tables import plan_table, strata_table
from .dask_passes import (
    CountedCall,
    check_call,
    check_dask,
    count_call,
    count_groups,
    shared_keys,
    without_orders,
)
from .driver import Counted, stratify_counted
from .tables import (
    LIBRARY,
    CountedFolds,
    count_values,
    dict_of_parts,
    list_folds,
    plan_of_groups,
)


def strata(frame: Any, by: By) -> Any:
    """List the strata of a frame: their values, row counts and shares.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    by : entry or list of entries
        As for `kfold`. Missing values are a stratum of their own; a continuous entry is shown
        as up to ten quantile bins.

    Returns
    -------
    pandas.DataFrame
        As of `stratframe.strata`.

    Raises
    ------
    StratError
        If `by` breaks a rule.
    """
    return strata_table(LIBRARY, count_by(frame, by).found.strata)


@answer_habits
def plan(
    frame: Any,
    by: By | None = None,
    k: int = 5,
    *,
    parts: Parts | None = None,
    groups: Any = None,
    where: Any = None,
    deal: Deal = "random",
    key: Any = None,
    missing: Missing = "error",
    rare: Rare = "warn",
    seed: int | None = 0,
    name: str = "fold",
) -> Any:
    """Count the rows of each stratum that `kfold` or `split` would assign to each part.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    by, k, groups, where, deal, key, missing, rare, seed, name
        As for `kfold`.
    parts : mapping of name to share, optional
        As for `split`; instead of `k`.

    Returns
    -------
    pandas.DataFrame
        As of `stratframe.plan`.

    Raises
    ------
    StratError
        If an argument, a column or a value breaks a rule.
    """
    target = fold_target(k) if parts is None else part_target(parts)
    options = check_options(
        by,
        target,
        groups=groups,
        where=where,
        deal=deal,
        key=key,
        missing=missing,
        rare=rare,
        seed=seed,
        name=name,
    )
    check_call(frame, options)
    if options.groups:
        return plan_groups(frame, options)
    call = count_call(frame, options, for_table=True)

    def counts_of(_: Strata) -> Table:
        return call.quotas()[0]

    return plan_table(LIBRARY, call.found.strata, counts_of, target)


def plan_groups(frame: Any, options: Options) -> Any:
    """Count the rows of each stratum that whole groups would take to each part."""
    options = replace(options, terms=without_orders(frame, options.terms))
    call, (parts_of_rows,) = count_groups(frame, options, for_table=True)
    return plan_of_groups(call.found.strata, parts_of_rows, call.counts.sizes, options.target)


def balance(frame: Any, by: By, name: str | Sequence[str] = "fold") -> Any:
    """Compare the strata of every fold with those of all rows, as counts and shares.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    by : entry or list of entries
        As for `strata`.
    name : str or list of str
        A fold or part column from any source; of a list, each column. Rows without a fold are
        left out.

    Returns
    -------
    pandas.DataFrame
        As of `stratframe.balance`.

    Raises
    ------
    StratError
        If `by` or `name` breaks a rule.
    """

    def table_of(column: str, _: str) -> Any:
        """Compare the folds of one column."""
        return count_by_fold(frame, by, column, drop=True).compared()

    return fold_table(names_of(frame, name), table_of)


def report(frame: Any, by: By, name: str | Sequence[str] = "fold") -> Any:
    """Report the imbalance of each fold, next to the optimum and to random assignment.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    by : entry or list of entries
        As for `strata`.
    name : str or list of str
        A fold or part column from any source; of a list, each column.

    Returns
    -------
    pandas.DataFrame
        As of `stratframe.report`.

    Raises
    ------
    StratError
        If `by` or `name` breaks a rule.
    """

    def table_of(column: str, label: str) -> Any:
        """Report the folds of one column."""
        return report_table(LIBRARY, count_by_fold(frame, by, column).crossed(), label)

    return fold_table(names_of(frame, name), table_of, REPORTED)


def audit(
    frame: Any,
    name: str | Sequence[str] = "fold",
    *,
    by: By | None = None,
    groups: Any = None,
    key: Any = None,
    nulls: KeptNulls = "train",
) -> Any:
    """Check a fold column for groups and keys that leak and for folds that lack strata.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    name : str or list of str
        A fold or part column from any source; of a list, each column.
    by, groups, key, nulls
        As for `stratframe.audit`.

    Returns
    -------
    pandas.DataFrame
        As of `stratframe.audit`, without the check for equal rows.

    Raises
    ------
    StratError
        If an argument names no column, or a column cannot be compared.
    """
    check_one_of("nulls", nulls, get_args(KeptNulls))

    def table_of(column: str, _: str) -> Any:
        """Audit one fold column."""
        return checks_table(LIBRARY, checks_of_column(frame, column, by, groups, key, nulls))

    return fold_table(names_of(frame, name), table_of)


def folds(
    frame: Any, name: str | Sequence[str] = "fold", *, nulls: Nulls = "error"
) -> Iterator[Fold[Any]]:
    """Iterate over the folds of a column: fold, train and valid frames, which are lazy.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        The folds are counted when this is called.
    name : str or list of str
        The fold column; for a list, all folds of each column in turn.
    nulls : {"error", "train", "drop"}
        As for `stratframe.folds`.

    Yields
    ------
    Fold
        In the order of the fold numbers; rows keep their order.

    Raises
    ------
    StratError
        If the column does not exist, has a single fold, or has nulls that `nulls` does not
        allow.
    """
    check_one_of("nulls", nulls, get_args(Nulls))
    columns = [(column, values_of(frame, column)) for column in names_of(frame, name)]
    train = partial(select, frame, frames.filter_other, nulls=nulls == "train")
    return list_folds(columns, nulls, train, partial(select, frame, frames.filter_equal))


def parts(frame: Any, name: str = "split", names: Sequence[Any] | None = None) -> dict[Any, Any]:
    """Split a frame into a dict of lazy frames, one per part.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        The parts are counted when this is called.
    name : str
        The part column.
    names : list of part names, optional
        As for `stratframe.parts`.

    Returns
    -------
    dict of part name to dask.dataframe.DataFrame

    Raises
    ------
    StratError
        If the column does not exist, or `names` has other names than the column.
    """
    (column,) = names_of(frame, name)
    count = partial(values_of, frame, column, is_part=True)
    return dict_of_parts(column, names, count, partial(select, frame, frames.filter_equal))


# Counts ----------------------------------------------------------------------------------


def names_of(frame: Any, name: object) -> list[Any]:
    """List the names of fold columns, and check that they are there."""
    check_dask(frame)
    return fold_names(frame._meta, name)


def tabulated(frame: Any, by: By) -> Options:
    """Describe rows by entries, those of numbers with fractions cut into bins."""
    check_dask(frame)
    entries = require_by(by)
    options = Options(entries.terms, entries.one_by_one)
    frames.check_all_refs(frame._meta, options.columns())
    options = replace(options, terms=without_orders(frame, options.terms))
    check_call(frame, options)
    return options


def count_by(frame: Any, by: By) -> CountedCall:
    """Count the strata of a frame for a table."""
    return count_call(frame, tabulated(frame, by), for_table=True)


def count_by_fold(frame: Any, by: By | None, name: str, *, drop: bool = False) -> CountedFolds:
    """Count the strata of a frame in every fold of a column; with `drop` in folds only."""
    options = Options() if by is None else tabulated(frame, by)
    both = replace(options, terms=(*options.terms, Classes((name,))))
    call = count_call(frame, both, for_table=True, present=(name,) if drop else ())
    columns = call.counts.columns
    options = replace(call.options, terms=call.options.terms[:-1])
    found = stratify_counted(options, Counted(columns[:-1], call.counts.sizes), "Dask")
    return CountedFolds(found.strata, columns[:-1], columns[-1], call.counts.sizes)


def values_of(frame: Any, name: str, *, is_part: bool = False) -> FoldValues:
    """List the values of a fold or part column, and count the rows of each."""
    counted = count_by_fold(frame, None, name)
    return count_values(counted.folds, counted.sizes, is_part=is_part)


def select(frame: Any, choose: Any, name: str, value: Any, **options: Any) -> Any:
    """Keep some rows of every partition."""
    return frame.map_partitions(
        choose, name, value, meta=frame._meta, enforce_metadata=False, **options
    )


# Checks ----------------------------------------------------------------------------------


def checks_of_column(
    frame: Any, name: str, by: By | None, groups: Any, key: Any, nulls: KeptNulls
) -> list[Check]:
    """Run the checks of one fold column whose arguments were given."""
    (_, _, group_terms, keys) = parse(None, groups, key)
    named = Options(groups=group_terms, key=keys)
    check_call(frame, named)
    found = values_of(frame, name)
    if not sum(found.sizes) + found.n_nulls:
        return []
    drop = nulls == "drop"
    return list_checks(
        found,
        nulls,
        groups=shared_groups(frame, name, named, drop=drop) if group_terms else None,
        keys=shared_keys(frame, name, keys, drop=drop) if keys else None,
        counts=None if by is None else count_by_fold(frame, by, name).crossed(),
    )


def shared_groups(frame: Any, name: str, options: Options, *, drop: bool) -> SharedRows:
    """Count the groups of a frame, and those in several folds."""
    by = [Classes(term.columns) for term in options.groups]
    counted = count_by_fold(frame, by, name, drop=drop)
    sizes = counted.sizes
    alone = np.logical_or.reduce([frames.is_missing(series) for series in counted.columns])
    _, fold_of_row = frames.fold_codes(counted.folds)
    n_folds = int(fold_of_row.max(initial=-1)) + 2
    table = counted.strata.crosstab(fold_of_row % n_folds, n_folds, np.where(alone, 0, sizes))
    n_rows, is_split = table.sum(axis=1), (table > 0).sum(axis=1) > 1
    n_values = int((n_rows > 0).sum() + sizes[alone].sum())
    n_repeated, n_split = int((n_rows > 1).sum()), int(is_split.sum())
    return SharedRows(n_values, n_repeated, n_split, int(n_rows[is_split].sum()))
