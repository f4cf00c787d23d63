"""Add a fold column or a part column, or fill one: `kfold`, `split`, `extend`, expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

from .. import frames
from ..checks import check_int
from ..errors import StratError
from ..frames import FrameT, NewColumn
from ..frames.which_library import Frame
from ..habits import answer_habits
from ..pipeline.deal import check_columns, empty_outputs, new_columns
from ..pipeline.extend import extended_columns
from ..pipeline.options import (
    DESCRIBED,
    Arguments,
    Deal,
    Options,
    Parts,
    Rare,
    Target,
    check_options,
    fold_target,
    part_target,
)
from ..terms.base import By, Missing
from ..terms.by import parse_by


@answer_habits
def kfold(
    frame: FrameT,
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
) -> FrameT:
    """Add a column that assigns every row to one of k folds.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    by : entry or list of entries, optional
        What the folds are stratified by: column names, terms such as `sf.quantiles`,
        Polars expressions, callables of a pandas frame. Entries nest left to right.
        None assigns rows without strata.
    k : int
        Number of folds, from 2 to the number of rows, or of groups.
    groups : column, list of columns or `sf.clusters`, optional
        Keep each group in one fold. Strata and fold sizes are balanced as closely as the
        search manages; a continuous entry is cut into ten quantile bins. Not with
        `deal="circular"`, `key`, `sf.chain` or `sf.nearest`.
    where : boolean column, expression or callable, optional
        Which rows get a fold; the others are null, and their values are not looked at.
    deal : {"random", "circular"}
        "circular" uses no random numbers: the rows go to the folds in turn, in their
        order, from fold 0. (Clusters and neighbour orders still depend on the seed.)
    key : column or list of columns, optional
        Rank rows by the hash of these columns instead of their position, so that neither
        row order nor the library matters. Together they must identify each row uniquely.
    missing : {"error", "stratum", "null"}
        Nulls and NaN in strata and groups raise an error, form a stratum of their own (in
        `groups`, each such row is a group of its own), or get no fold. In columns that
        order rows and in features they raise an error or get no fold.
    rare : {"warn", "error", "null", "pool", "ignore"}
        What to do with classes of the first entry that have fewer than `k` rows (with
        `groups`: that are in fewer than `k` groups): warn, raise, leave them without a
        fold, make them one stratum, or nothing. "ignore" also silences the warning about
        three entries or more whose joint strata have fewer than `k` rows on average.
    repeats : int
        Number of columns to add: `fold_1`, `fold_2`, ... if more than 1.
    seed : int or None
        The same seed gives the same folds in every library. None draws a new one.
    name : str
        Name of the new column. It is part of the seed: columns of other names than "fold"
        and "split" are independent of these, and of each other.
    overwrite : bool
        Replace the column if it is there already, as when a notebook cell is run twice.

    Returns
    -------
    frame of the same kind
        With int64 folds 0..k-1 (pandas: Int64 where the arguments allow nulls). The
        folds of every stratum, of every coarser stratum and of all rows differ in size by
        at most 1 row (without `groups`).

    Raises
    ------
    StratError
        If an argument, a column or a value breaks a rule.

    Warns
    -----
    StratWarning
        If classes are rare, a group is too large, quantiles produce fewer bins than asked
        for, agglomerative clusters are made from a sample of a large stratum, or DBSCAN
        finds at most one cluster.

    See Also
    --------
    split : Parts of unequal size.
    balance : Rows of every stratum in every fold.

    References
    ----------
    Kohavi (1995), A study of cross-validation and bootstrap for accuracy estimation
    and model selection. Lowe (2016), Stratified validation splits for regression
    problems.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a", "b"] * 4})
    >>> sf.kfold(df, "label", k=2)["fold"].tolist()
    [0, 0, 0, 1, 1, 0, 1, 1]
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
    frame: FrameT,
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
) -> FrameT:
    """Add a column that assigns every row to a named part: train, valid, test.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    by : entry or list of entries, optional
        As for `kfold`.
    parts : mapping of name to share, or float
        Fractions that sum to 1, or counts of rows that sum to the number of rows dealt.
        One part may be None, which takes the rest. A float is the share of "test", beside
        "train".
    groups : column, list of columns or `sf.clusters`, optional
        As for `kfold`. Shares and counts are then met as closely as whole groups allow.
    where, deal, key, rare, seed
        As for `kfold`.
    missing : {"error", "stratum"}
        Nulls and NaN in strata and groups raise an error, or form a stratum of their own
        (in `groups`, each such row is a group of its own).
    name, overwrite
        As for `kfold`.

    Returns
    -------
    frame of the same kind
        With a categorical (Polars: Enum) of the part names, in their order. Every
        stratum's count in every part, and every part's total, is its exact share
        rounded down or up.

    Raises
    ------
    StratError
        If an argument, a column or a value breaks a rule.

    Warns
    -----
    StratWarning
        If classes are rare, a group is too large, quantiles produce fewer bins than asked
        for, agglomerative clusters are made from a sample of a large stratum, or DBSCAN
        finds at most one cluster.

    References
    ----------
    Lowe (2016), Stratified validation splits for regression problems (fractional
    stratification).

    Examples
    --------
    >>> import polars as pl, stratframe as sf
    >>> df = pl.DataFrame({"label": ["a", "b"] * 5})
    >>> sf.split(df, "label", {"train": 0.6, "test": 0.4})["split"].value_counts(sort=True)
    shape: (2, 2)
    ┌───────┬───────┐
    │ split ┆ count │
    │ ---   ┆ ---   │
    │ enum  ┆ u32   │
    ╞═══════╪═══════╡
    │ train ┆ 6     │
    │ test  ┆ 4     │
    └───────┴───────┘
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


@answer_habits
def extend(
    frame: FrameT,
    by: By | None = None,
    k: int | None = None,
    *,
    parts: Parts | None = None,
    groups: Any = None,
    where: Any = None,
    missing: Missing = "error",
    rare: Rare = "warn",
    seed: int | None = 0,
    name: str | Sequence[str] = "fold",
) -> FrameT:
    """Assign a fold to the rows that have none, and keep the folds of all others.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
        With a column of folds 0..k-1, null (or NaN) in new rows, of any type that holds
        whole numbers, including the floats that `pd.concat` makes; or with a column of the
        names of parts.
    by : entry or list of entries, optional
        As for `kfold`. A continuous entry is cut into ten quantile bins over all rows.
    k : int, optional
        Number of folds; by default as many as the column has.
    parts : mapping of name to share, or float, optional
        Of a part column, the shares of all rows; by default those of the rows that have a
        part. A lazy frame needs it unless the column is an Enum.
    groups : column, list of columns or `sf.clusters`, optional
        New rows of a group that has a fold join it.
    where : boolean column, expression or callable, optional
        Which rows may get a fold; others keep what they have, null too, and the values of
        rows that stay null are not looked at. Rows that have a fold count in any case.
    missing, rare, seed
        As for `kfold`.
    name : str or list of str
        The column, or several, such as those of `repeats`; each is extended by itself.

    Returns
    -------
    frame of the same kind
        With the column filled, int64 (pandas: Int64 where the arguments, such as `where`,
        allow nulls). Each stratum is as even as the given folds allow, and then the fold
        sizes are. Parts are a categorical (Polars: Enum); each stratum is as near to their
        shares as the given parts allow.

    Raises
    ------
    StratError
        If the column holds anything but folds, if a group is in two folds, or if an
        argument, a column or a value breaks a rule.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> old = pd.DataFrame({"label": ["a", "b"] * 4}).strat.kfold("label", k=2)
    >>> new = pd.concat([old, pd.DataFrame({"label": ["a", "a", "b", "b"]})])
    >>> sf.extend(new, "label")["fold"].tolist()
    [0, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1]
    """
    n_folds = None if k is None else check_int("k", k, 2)
    target = given_target(k, parts)
    names: list[Any] = list(name) if isinstance(name, list | tuple) and name else [name]
    options = check_options(
        by,
        replace(target, noun="fold"),
        groups=groups,
        where=where,
        missing=missing,
        rare=rare,
        seed=seed,
        name=names[0],
    )
    check_no_order(options)
    columns = check_columns(frame, options)
    frames.check_refs(frame, names, "name")
    frames.warn_row_order(frame, takes_key=False)
    several = [
        options_of_column(frame, options, target if k is None else None, each) for each in names
    ]
    return frames.attach_columns(
        frame,
        columns + [frames.label_of(frame, each) for each in names],
        partial(extended_columns, several, n_folds),
        [output for each in several for output in empty_outputs(each)],
    )


def given_target(k: int | None, parts: Parts | None) -> Target:
    """Check the parts that a column is extended to, if any; a number of folds excludes them."""
    if k is not None and parts is not None:
        msg = "`extend` takes `k` for folds or `parts` for parts, got both."
        raise StratError(msg)
    return DESCRIBED if parts is None else part_target(parts)


def check_no_order(options: Options) -> None:
    """Raise if an entry only orders the rows."""
    for term in options.terms:
        if term.without_order() is None:
            msg = f"`extend` does not support `{term.function}` in `by`."
            raise StratError(msg)


def options_of_column(frame: Frame, options: Options, target: Target | None, name: str) -> Options:
    """Give the options of a call for one of the columns that it extends; None holds folds."""
    if target is None:
        target = DESCRIBED
    elif target.names is None and (names := frames.declared_parts(frame, name)) is not None:
        target = Target(len(names), "part", names)
    return replace(options, target=target, name=name)


def add_columns(frame: FrameT, options: Options, overwrite: bool) -> FrameT:
    """Check the columns that a call names, and add those that it makes."""
    outputs = empty_outputs(options)
    columns = check_columns(frame, options, [] if overwrite else outputs)
    if not options.key:
        frames.warn_row_order(frame, takes_key=not options.groups)
    return frames.attach_columns(frame, columns, partial(new_columns, options), outputs)


def assign_expression(expr: Any, target: Target, **given: Unpack[Arguments]) -> Any:
    """Make a Polars expression of the folds or parts of another; the fields of a struct nest."""
    options = check_options(None, target, **given)

    def compute(series: list[Any], n_rows: int) -> list[NewColumn]:
        fields = frames.struct_fields(series[0], expr)
        terms = parse_by([field.name for field in fields]).terms
        return new_columns(replace(options, terms=terms), fields, n_rows)

    return frames.column_expression([expr], compute, empty_outputs(options))
