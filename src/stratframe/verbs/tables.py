"""Make tables of strata and folds: `plan` and `balance`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, SupportsIndex

import numpy as np

from ..core.types import StratumTable
from ..errors import StratError
from ..frames import AnyFrame
from ..habits import suggest_arguments
from ..pipeline.fold_counts import LevelCounts
from ..pipeline.nest import Strata
from ..pipeline.options import (
    Deal,
    PartCounts,
    PartShares,
    Rare,
    Target,
    check_options,
    either_target,
    fold_target,
)
from ..pipeline.parts import warn_far_parts
from ..terms.base import By, Missing
from ..terms.by import columns_of, require_by
from .door import any_frame
from .result_tables import (
    check_table_size,
    fold_table,
    stacked_table,
    stratum_columns,
    table_order,
    table_verb,
)
from .sources import join_given, named_source, source_of


@table_verb
@suggest_arguments
@any_frame()
def balance(frame: AnyFrame, by: By, name: str | Sequence[str] = "fold") -> Any:
    """Compare the number of rows of each stratum in each fold with the expected number.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame, or mapping
        A mapping of names to frames is read as in `check`.
    by : entry or list of entries
        As for `report`.
    name : str or list of str
        One or more fold or part columns from any source. Rows without a fold are left out.

    Returns
    -------
    pandas.DataFrame (also for Dask and Spark frames) or polars.DataFrame
        One row per fold and stratum, including zero counts. The columns are `fold` (whatever the
        fold column is called), one column per entry, `n` (the number of rows), `share` (the
        stratum's share of the rows in the fold), `expected` (the number of rows in the stratum
        times the fold's share of all rows) and `deviation` (`n - expected`). Within the strata of
        earlier entries, classes are sorted by value and bins from low to high. Categories keep
        their order, and values that cannot be compared are in order of first appearance; missing
        values come last. With several fold columns, the first column is `column`.

    Raises
    ------
    StratError
        If `by` or `name` is invalid, or if the table would have more than 2**26 rows.

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
    frame, name, _ = join_given(frame, name, {"by": columns_of(require_by(by).terms)})
    source, names = named_source(frame, name)
    counted = source.collect(by, (), names)

    def table_of(column: str, _: str) -> Any:
        counts = counted.count_folds(by, column)
        folds = counts.labels.values
        check_table_size("balance", [level.strata for level in counts.shown], len(folds))
        is_margin = counts.is_marginal
        rows = [balance_rows(level, folds, is_margin=is_margin) for level in counts.shown]
        return stacked_table(source.library, rows)

    return fold_table(names, table_of)


def balance_rows(
    level: LevelCounts, folds: Sequence[Any], *, is_margin: bool
) -> dict[Hashable, Any]:
    """Make the columns of `balance` for one level, with a row for each fold and stratum."""
    order = table_order(level.strata)
    counts = level.table[order].T
    fold_sizes = counts.sum(axis=1, keepdims=True)
    stratum_sizes = counts.sum(axis=0)
    expected = fold_sizes * stratum_sizes / max(int(stratum_sizes.sum()), 1)
    return {
        "fold": [fold for fold in folds for _ in order],
        **stratum_columns(level.strata, np.tile(order, len(folds)), is_margin=is_margin),
        "n": counts.ravel(),
        "share": (counts / np.maximum(fold_sizes, 1)).ravel(),
        "expected": expected.ravel(),
        "deviation": (counts - expected).ravel(),
    }


@table_verb
@suggest_arguments
@any_frame()
def plan(
    frame: AnyFrame,
    by: By | None = None,
    k: int = 5,
    *,
    parts: PartShares | None = None,
    each: PartCounts | None = None,
    groups: Any = None,
    where: Any = None,
    deal: Deal = "random",
    key: Any = None,
    missing: Missing = "error",
    rare: Rare = "warn",
    seed: SupportsIndex | None = 0,
    name: str = "fold",
) -> Any:
    """Count the rows of each stratum that `kfold` or `split` would assign to each fold or part.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame
    by, k, groups, where, deal, key, missing, rare, seed, name
        As for `kfold`; the name is part of the seed.
    parts : mapping of name to share, optional
        As for `split`; used instead of `k`.
    each : int or mapping of name to int, optional
        As for `split`; used instead of `k`.

    Returns
    -------
    pandas.DataFrame (also for Dask and Spark frames) or polars.DataFrame
        One row per stratum and part, with one column per entry of `by` (except for entries that
        only order the rows), followed by `fold` (the fold or part) and `n` (the number of rows).

    Raises
    ------
    StratError
        If an argument, a column or a value is invalid, or if the table would have more than 2**26
        rows.

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
    target = fold_target(k)
    if parts is not None or each is not None:
        target = either_target(parts, each)
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
    if options.deal == "hash":
        msg = (
            '`plan` cannot count the rows of `deal="hash"`, which leaves the sizes to chance.'
            "\nHint: `report` measures the column that `kfold` or `split` makes."
        )
        raise StratError(msg)
    source = source_of(frame)
    strata, counts_of = source.plan(options)
    levels = strata.margins or [strata]
    check_table_size("plan", levels, target.n)
    is_margin = bool(strata.margins)
    rows = [plan_rows(level, counts_of(level), target, is_margin=is_margin) for level in levels]
    if options.groups:
        sizes = rows[0]["n"].reshape(-1, target.n).sum(axis=0)
        warn_far_parts(options, int(sizes.sum()), {options.name: sizes}, named=False)
    return stacked_table(source.library, rows)


def plan_rows(
    level: Strata, table: StratumTable, target: Target, *, is_margin: bool
) -> dict[Hashable, Any]:
    """Make the columns of `plan` for one level, with a row for each stratum and part."""
    order = table_order(level)
    labels = list(target.names or range(target.n))
    return {
        **stratum_columns(level, np.repeat(order, target.n), is_margin=is_margin),
        "fold": labels * len(order),
        "n": table[order].ravel(),
    }
