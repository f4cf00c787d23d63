"""What a column is worth, as tables: `strata`, `plan`, `balance`."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from . import frames
from .arguments import Parts, check_parts, deal_of
from .assign import check_columns
from .core.strata import first_rows
from .core.types import Ints
from .dealing import counted, deal_units, strata_of, table_of
from .entries import read_entry
from .errors import StratError
from .frames import Frame, columns
from .parsing import all_refs, parse_some, with_columns
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

    def columns_of(one: Strata) -> dict[str, Any]:
        return {"n": one.sizes, "share": one.sizes / max(len(one.codes), 1)}

    return table(frames.library(frame), found, columns_of)


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

    return table(frames.library(frame), found, columns_of)


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

    return stacked(frames.library(frame), found, rows_of)


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
    refs = all_refs(terms)
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


def table(library: str, found: Strata, columns_of: Callable[[Strata], dict[str, Any]]) -> Any:
    """Make a table of strata, or of folds and strata, in the caller's library.

    Parameters
    ----------
    library : {"pandas", "polars"}
    found : Strata
    columns_of : callable
        From strata to values, one for each stratum; with `fold`, a list of the folds,
        each stratum in each.

    Examples
    --------
    >>> import polars as pl
    >>> found = stratify(parse_some("a"), [pl.Series("a", ["x", "y", "x"])], 3)
    >>> table("pandas", found, lambda one: {"n": one.sizes})
       a  n
    0  x  2
    1  y  1
    """

    def rows_of(one: Strata) -> dict[Hashable, Any]:
        columns = columns_of(one)
        folds = columns.pop("fold", None)
        n_folds = 1 if folds is None else len(folds)
        order = table_order(one)
        named = stratum_columns(one, np.tile(order, n_folds))
        if folds is not None:
            named = {"fold": [fold for fold in folds for _ in one.sizes], **named}
        return named | {
            name: cells.reshape(n_folds, len(order))[:, order].ravel()
            for name, cells in columns.items()
        }

    return stacked(library, found, rows_of)


def stacked(library: str, found: Strata, rows_of: Callable[[Strata], dict[Hashable, Any]]) -> Any:
    """Make one table of strata; of margins one after another, named by entry and value.

    Examples
    --------
    >>> import polars as pl
    >>> from stratframe import margins
    >>> found = stratify(parse_some(margins(["a", "b"])), [pl.Series([7, 8]), pl.Series([1, 1])], 2)
    >>> stacked("pandas", found, lambda one: stratum_columns(one, np.arange(len(one.sizes))))
      entry value
    0     a     7
    1     a     8
    2     b     1
    """
    if not found.margins:
        return frames.like(library, rows_of(found))
    every: dict[Hashable, list[Any]] = {}
    for margin in found.margins:
        name = margin.levels[0].name
        for column, cells in rows_of(margin).items():
            listed = cells if isinstance(cells, list) else frames.listed(cells)
            if column == name:
                every.setdefault("entry", []).extend([str(name)] * len(listed))
                column, listed = "value", texts(listed)
            every.setdefault(column, []).extend(listed)
    return frames.like(library, every)


def texts(values: Sequence[Any]) -> list[str | None]:
    """Write values, None where they are missing.

    Examples
    --------
    >>> texts([1, None, "x"])
    ['1', None, 'x']
    """
    return [None if value is None or value != value else str(value) for value in values]


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
