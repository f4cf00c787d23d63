"""Tables of strata and of their counts: `strata`, `plan`, `balance`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from .. import frames
from ..core.types import Ints, Table
from ..frames import Frame
from ..habits import answer_habits
from ..pipeline.deal import check_columns, deal_units, numbers_of, quota_table, stratify_rows
from ..pipeline.options import (
    Deal,
    Options,
    Parts,
    Rare,
    Target,
    check_options,
    fold_target,
    part_target,
)
from ..pipeline.strata import Strata, stratify
from ..pipeline.tables import (
    RESERVED,
    TableInput,
    check_table_size,
    fold_table,
    read_by,
    stacked_table,
    stratum_columns,
    stratum_table,
    table_order,
    table_verb,
)
from ..terms.base import By, Missing
from .select import fold_names


@table_verb
def strata(frame: Frame, by: By) -> Any:
    """List the strata of a frame: their values, row counts and shares.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    by : entry or list of entries
        As for `kfold`. Missing values are a stratum of their own; a continuous entry
        is shown as up to ten quantile bins.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per stratum: a column per entry, `n` (rows) and `share`. Classes are sorted
        by value (categories in their order; values that cannot be compared, by first
        appearance), bins upwards, inside the strata of the entries before; missing values
        come last.

    Raises
    ------
    StratError
        If `by` breaks a rule, or an entry has the name of another column of the table.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> sf.strata(pd.DataFrame({"label": ["a", "b", "a", "a"]}), "label")
      label  n  share
    0     a  3   0.75
    1     b  1   0.25
    """
    return strata_table(frames.library_of(frame), read_by(frame, by).stratify())


def strata_table(library: str, found: Strata) -> Any:
    """Make the table of strata."""

    def columns_of(level: Strata) -> dict[str, Any]:
        return {"n": level.sizes, "share": level.sizes / max(int(level.sizes.sum()), 1)}

    return stratum_table(library, found, columns_of)


@table_verb
def balance(frame: Frame, by: By, name: str | Sequence[str] = "fold") -> Any:
    """Compare the strata of every fold with those of all rows, as counts and shares.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    by : entry or list of entries
        As for `strata`.
    name : str or list of str
        A fold or part column from any source; of a list, each column. Rows without a fold
        are left out.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per fold and stratum, including zero counts: `fold` (whatever the fold column
        is called), a column per entry, `n` (rows), `share` (of the fold's rows), `expected`
        (the stratum's rows times the fold's share of all rows) and `deviation`
        (`n - expected`, in rows). Strata are in the order of `strata`. With two columns or
        more, one row per column, fold and stratum, and the first column is `column`.

    Raises
    ------
    StratError
        If `by` or `name` breaks a rule, or the table would have more than 2**26 rows.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a", "b"] * 4}).strat.kfold("label", k=2)
    >>> sf.balance(df, "label")
       fold label  n  share  expected  deviation
    0     0     a  2    0.5       2.0        0.0
    1     0     b  2    0.5       2.0        0.0
    2     1     a  2    0.5       2.0        0.0
    3     1     b  2    0.5       2.0        0.0
    """
    frames.check_frame(frame)
    names = fold_names(frame, name)
    table = read_by(frame, by, names)
    return fold_table(names, lambda column, _: balance_table(table, column))


def balance_table(table: TableInput, name: str) -> Any:
    """Make the table of one fold column."""
    values, folds = frames.fold_codes(frames.read_fold_column(table.frame, name))
    rows = np.flatnonzero(folds >= 0)
    found = table.stratify([frames.take(column, rows) for column in table.series], len(rows))
    return balance_of(frames.library_of(table.frame), found, values, folds[rows])


def balance_of(
    library: str, found: Strata, values: list[Any], folds: Ints, counts: Ints | None = None
) -> Any:
    """Compare the strata of every fold with those of all rows.

    Parameters
    ----------
    values : list
        The folds.
    folds : ndarray of int, shape (n_rows,), range 0..n_folds-1
    counts : ndarray of int, shape (n_rows,), optional
        How many rows each stands for.
    """
    check_table_size("balance", found, len(values), len(RESERVED))

    def columns_of(level: Strata) -> dict[str, Any]:
        table = level.crosstab(folds, len(values), counts).T
        sizes = table.sum(axis=1, keepdims=True)
        expected = sizes * table.sum(axis=0) / max(int(table.sum()), 1)
        columns = {
            "n": table,
            "share": table / np.maximum(sizes, 1),
            "expected": expected,
            "deviation": table - expected,
        }
        return {"fold": values} | {name: cells.ravel() for name, cells in columns.items()}

    return stratum_table(library, found, columns_of)


@table_verb
@answer_habits
def plan(
    frame: Frame,
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
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    by, k, groups, where, deal, key, missing, rare, seed, name
        As for `kfold`; the name is part of the seed.
    parts : mapping of name to share, optional
        As for `split`; instead of `k`.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per stratum and part: a column per entry of `by` (an entry that only
        orders the rows has none), `fold` (the part) and `n`.

    Raises
    ------
    StratError
        If an argument, a column or a value breaks a rule, or the table would have more than
        2**26 rows.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a", "b", "a", "a"]})
    >>> sf.plan(df, "label", parts={"train": 0.5, "test": 0.5}, rare="ignore")
      label   fold  n
    0     a  train  2
    1     a   test  1
    2     b  train  0
    3     b   test  1
    """
    options = check_options(
        by,
        fold_target(k) if parts is None else part_target(parts),
        groups=groups,
        where=where,
        deal=deal,
        key=key,
        missing=missing,
        rare=rare,
        seed=seed,
        name=name,
    )
    return plan_frame(frame, options)


def plan_frame(frame: Frame, options: Options) -> Any:
    """Count what a call of `kfold` or `split` would assign."""
    columns = check_columns(frame, options)
    eager = frames.collect_columns(frame, columns)
    series, target = frames.read_columns(eager, columns), options.target
    if len(eager):
        found = stratify_rows(options, series, len(eager))
    else:
        described = Options(options.terms, options.one_by_one, options.groups)
        found = stratify(described, series, 0)
    check_table_size("plan", found, target.n, 2)
    numbers = None if found.keys is None else numbers_of(options, found, 0)[0]
    dealt = deal_units(options, found, 0) if found.margins and len(eager) else found.codes

    def counts_of(level: Strata) -> Table:
        if found.margins or not len(eager):
            return level.crosstab(dealt, target.n)
        return quota_table(options, level, numbers=numbers)

    return plan_table(frames.library_of(frame), found, counts_of, target)


def plan_table(
    library: str, found: Strata, counts_of: Callable[[Strata], Table], target: Target
) -> Any:
    """List the rows of each stratum in each part.

    Parameters
    ----------
    counts_of : callable
        From strata to a table of shape (n_strata, n_parts).
    """

    def rows_of(level: Strata) -> dict[Hashable, Any]:
        counts = counts_of(level)
        order = table_order(level)
        labels = list(target.names or range(target.n)) * len(order)
        named = stratum_columns(level, np.repeat(order, target.n))
        return named | {"fold": labels, "n": counts[order].ravel()}

    return stacked_table(library, found, rows_of)
