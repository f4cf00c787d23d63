"""What a column is worth, as tables: `strata`, `plan`, `balance`."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from . import frames
from .arguments import Parts, check_parts, deal_of
from .assign import check_columns
from .core.strata import first_rows
from .core.types import Ints
from .dealing import strata_of, table_of
from .entries import read_entry
from .errors import StratError
from .frames import Frame, columns
from .parsing import parse_some, refs_of, with_columns
from .strata import Strata, check_values, stratify
from .terms import DECILES, By, Continuous, Plain, Quantiles, Term

RESERVED = ("n", "share", "fold", "expected", "deviation")
"""Names that the tables use themselves."""


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
    share = found.sizes / max(len(found.codes), 1)
    return table(frames.library(frame), found, {"n": found.sizes, "share": share})


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
    values, _ = frames.part_values(eager, name)
    folds = frames.codes_of(eager, name, values)
    rows = np.flatnonzero(folds >= 0)
    folds, n_folds = folds[rows], len(values)
    found = stratify(terms, [frames.take(column, rows) for column in series], len(rows))
    counts = np.bincount(
        folds * len(found.sizes) + found.codes, minlength=n_folds * len(found.sizes)
    ).reshape(n_folds, len(found.sizes))
    sizes = counts.sum(axis=1, keepdims=True)
    expected = sizes * counts.sum(axis=0) / max(len(folds), 1)
    columns = {
        "n": counts,
        "share": counts / np.maximum(sizes, 1),
        "expected": expected,
        "deviation": counts - expected,
    }
    tidy = {column: cells.ravel() for column, cells in columns.items()}
    return table(frames.library(frame), found, {"fold": values, **tidy})


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
    eager = frames.collected(frame, call.refs)
    series = frames.read(eager, call.refs)
    if len(eager):
        found = strata_of(call, series, len(eager))
        counts = table_of(call, found)
    else:
        n_columns = len(call.columns) + len(call.group_columns)
        found = stratify(call.terms, series[:n_columns], 0, groups=call.groups)
        counts = np.zeros((0, call.k), dtype=np.int64)
    labels = list(range(call.k)) if call.parts is None else list(call.parts)
    order = table_order(found)
    columns = stratum_columns(found, np.repeat(order, call.k))
    columns |= {"fold": labels * len(found.sizes), "n": counts[order].ravel()}
    return frames.like(frames.library(frame), columns)


def read_terms(frame: Frame, by: By, more: Sequence[str]) -> tuple[list[Term], Any, list[Any]]:
    """Read the columns of `by`, with continuous entries cut for show.

    Returns
    -------
    terms : list of Term
    frame : DataFrame
        Collected, if it was lazy, with the columns of `by` and those of `more`.
    series : list of Series

    Examples
    --------
    >>> import polars as pl
    >>> terms, frame, series = read_terms(pl.LazyFrame({"a": [1], "b": [2]}), "a", [])
    >>> frame.columns, series[0].to_list()
    (['a'], [1])
    """
    frames.check_frame(frame)
    terms = parse_some(by)
    refs = [ref for term in terms for ref in refs_of(term)]
    frames.check_refs(frame, refs, "by")
    eager = frames.collected(frame, [*refs, *more])
    series = frames.read(eager, refs)
    return (
        [shown_term(term, own) for term, own in with_columns(terms, series)],
        eager,
        series,
    )


def shown_term(term: Term, series: Sequence[Any]) -> Term:
    """Cut a continuous entry into quantile bins; others stay as they are.

    Examples
    --------
    >>> import polars as pl
    >>> shown_term(Continuous("price"), [pl.Series([1, 2])]).n
    10
    """
    if isinstance(term, Plain) and columns.is_continuous(series[0]):
        term = Continuous(term.column, term.name)
    if isinstance(term, Continuous):
        check_values([read_entry(term, series)], "stratum", [])
        return Quantiles(term.column, DECILES, term.name, quiet=True)
    return term


def table(library: str, found: Strata, columns: dict[str, Any]) -> Any:
    """Make a table of strata, or of folds and strata, in the caller's library.

    Parameters
    ----------
    library : {"pandas", "polars"}
    found : Strata
    columns : dict of name to values
        One for each stratum; with `fold`, a list of the folds, each stratum in each.

    Examples
    --------
    >>> import polars as pl
    >>> found = stratify(parse_some("a"), [pl.Series("a", ["x", "y", "x"])], 3)
    >>> table("pandas", found, {"n": np.array([2, 1])})
       a  n
    0  x  2
    1  y  1
    """
    folds = columns.pop("fold", None)
    n_folds = 1 if folds is None else len(folds)
    order = table_order(found)
    named = stratum_columns(found, np.tile(order, n_folds))
    if folds is not None:
        named = {"fold": [fold for fold in folds for _ in range(len(found.sizes))], **named}
    ordered = {
        name: cells.reshape(n_folds, len(order))[:, order].ravel()
        for name, cells in columns.items()
    }
    return frames.like(library, named | ordered)


def table_order(found: Strata) -> Ints:
    """Order strata for a table: classes by first appearance, bins upwards.

    Examples
    --------
    >>> import polars as pl
    >>> found = stratify([Quantiles("a", 2)], [pl.Series([9, 8, 1, 2])], 4)
    >>> table_order(found)
    array([1, 0])
    """
    first = first_rows(found.codes, len(found.sizes))
    keys = [level.places[first] for level in found.levels]
    return np.lexsort(keys[::-1]) if keys else np.arange(len(found.sizes))


def stratum_columns(found: Strata, strata: Ints) -> dict[Hashable, Any]:
    """Name strata by the values of their entries, a column for each.

    Raises
    ------
    StratError
        If an entry has the name of another, or of a column of the tables.

    Examples
    --------
    >>> import polars as pl
    >>> found = stratify(parse_some("a"), [pl.Series("a", ["x", "y", "x"])], 3)
    >>> stratum_columns(found, np.array([1, 0]))["a"].to_list()
    ['y', 'x']
    """
    columns: dict[Hashable, Any] = {}
    first = first_rows(found.codes, len(found.sizes))[strata]
    for level in found.levels:
        if level.name in RESERVED or level.name in columns:
            msg = (
                f"An entry of `by` must have a name of its own in the table, got {level.name!r}.\n"
                'Hint: give it one, as in `sf.classes(..., name="stratum")`.'
            )
            raise StratError(msg)
        columns[level.name] = level.values(first)
    return columns
