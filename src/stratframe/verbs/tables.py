"""What a column is worth, as tables: `strata`, `plan`, `balance`."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from .. import frames
from ..frames import Frame
from ..pipeline.deal import counted, deal_units, strata_of, table_of
from ..pipeline.options import Parts, check_parts, deal_of
from ..pipeline.strata import Strata, stratify
from ..pipeline.tables import read_terms, stacked, stratum_columns, table, table_order
from ..terms.base import By
from .assign import check_columns


def strata(frame: Frame, by: By) -> Any:
    """List the strata of a frame: their values, rows and share.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    by : entry or list of entries
        As for `kfold`. Missing values are a stratum of their own; a continuous entry
        is shown by up to ten quantile bins.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per stratum, classes by first appearance, bins upwards: a column per
        entry, `n`, `share`.

    Raises
    ------
    StratError
        If `by` breaks a rule, or an entry has the name of a column of the table.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> sf.strata(pd.DataFrame({"label": ["a", "b", "a", "a"]}), "label")
      label  n  share
    0     a  3   0.75
    1     b  1   0.25
    """
    terms, eager, series = read_terms(frame, by, [])
    found = stratify(terms, series, len(eager))

    def columns_of(one: Strata) -> dict[str, Any]:
        return {"n": one.sizes, "share": one.sizes / max(len(one.codes), 1)}

    return table(frames.library_of(frame), found, columns_of)


def balance(frame: Frame, by: By, name: str = "fold") -> Any:
    """Compare the strata of every fold with those of the whole, row counts in full.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    by : entry or list of entries
        As for `strata`.
    name : str
        A fold or part column, whoever made it. Rows without a fold are left out.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per fold and stratum, zero counts too: `fold`, a column per entry, `n`
        (rows), `share` (of the fold's rows), `expected` (the stratum's rows times the
        fold's share of all rows) and `deviation` (`n - expected`, in rows).

    Raises
    ------
    StratError
        If `by` or `name` breaks a rule.

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
    frames.check_refs(frame, [name], "name")
    terms, eager, series = read_terms(frame, by, [name])
    values, folds = frames.fold_codes(frames.read_fold_column(eager, name))
    rows = np.flatnonzero(folds >= 0)
    folds, n_folds = folds[rows], len(values)
    found = stratify(terms, [frames.take(column, rows) for column in series], len(rows))

    def columns_of(one: Strata) -> dict[str, Any]:
        counts = counted(one, folds, n_folds).T
        sizes = counts.sum(axis=1, keepdims=True)
        expected = sizes * counts.sum(axis=0) / max(len(folds), 1)
        columns = {
            "n": counts,
            "share": counts / np.maximum(sizes, 1),
            "expected": expected,
            "deviation": counts - expected,
        }
        return {"fold": values} | {name: cells.ravel() for name, cells in columns.items()}

    return table(frames.library_of(frame), found, columns_of)


def plan(
    frame: Frame,
    by: By | None = None,
    k: int = 5,
    *,
    parts: Parts | None = None,
    groups: Any = None,
    deal: str = "random",
    key: Any = None,
    missing: str = "error",
    rare: str = "warn",
    seed: int | None = 0,
) -> Any:
    """Count what the same call of `kfold` or `split` would deal, before dealing.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    by, k, groups, deal, key, missing, rare, seed
        As for `kfold`.
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
        If an argument, a column or a value breaks a rule.

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
    shares = None if parts is None else check_parts(parts)
    call = deal_of(
        by,
        k,
        shares,
        groups=groups,
        deal=deal,
        key=key,
        missing=missing,
        rare=rare,
        seed=seed,
    )
    check_columns(frame, call)
    eager = frames.collect_columns(frame, call.refs)
    series = frames.read_columns(eager, call.refs)
    if len(eager):
        found = strata_of(call, series, len(eager))
    else:
        strata_series = series[: len(call.strata_columns)]
        found = stratify(call.terms, strata_series, 0, groups=call.groups)
    labels = list(range(call.k)) if call.parts is None else list(call.parts)
    dealt = deal_units(call, found, 0) if found.margins and len(eager) else found.codes

    def rows_of(one: Strata) -> dict[Hashable, Any]:
        if found.margins:
            counts = counted(one, dealt, call.k)
        else:
            counts = table_of(call, one) if len(eager) else np.zeros((0, call.k), dtype=np.int64)
        order = table_order(one)
        columns = stratum_columns(one, np.repeat(order, call.k))
        return columns | {"fold": labels * len(one.sizes), "n": counts[order].ravel()}

    return stacked(frames.library_of(frame), found, rows_of)
