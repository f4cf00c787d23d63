"""Add a fold column or a part column, or fill one: `kfold`, `split`, `extend`, expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, SupportsIndex

from .. import frames
from ..checks import check_each_once, check_flag, check_int
from ..errors import StratError
from ..frames import AnyFrameT, NewColumn
from ..habits import suggest_arguments
from ..pipeline.options import (
    NO_TARGET,
    Deal,
    Options,
    PartShares,
    Rare,
    Target,
    check_options,
    fold_target,
    part_target,
)
from ..pipeline.parts import empty_outputs, new_columns
from ..terms.base import By, Missing
from ..terms.by import parse_by
from .sources import list_names, source_of


@suggest_arguments
def kfold(
    frame: AnyFrameT,
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
    seed: SupportsIndex | None = 0,
    name: str = "fold",
    overwrite: bool = False,
) -> AnyFrameT:
    """Add a column that assigns every row to one of k folds.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame
    by : entry or list of entries, optional
        What the folds are stratified by: column names, terms such as `sf.quantiles`, Polars
        expressions, Spark columns, callables that take a pandas or Dask frame. Entries nest left
        to right. None assigns rows without strata.
    k : int
        Number of folds, from 2 to the number of rows, or of groups.
    groups : column, list of columns, `sf.clusters`, `sf.linked` or `sf.similar`, optional
        Keep each group in one fold. Strata and fold sizes are balanced as closely as the search
        manages; a continuous entry is cut into ten quantile bins. The order of the rows does not
        matter, because groups are identified by their values. Cannot be combined with
        `deal="circular"` or "contiguous", `key`, `sf.chain` or `sf.nearest`.
    where : boolean column, expression, callable or Series, optional
        Which rows get a fold; the others get null, and their values are ignored. A Series must have
        the index of the pandas frame, or the length of the Polars frame, which must not be lazy.
    deal : {"random", "circular", "contiguous", "hash"}
        "circular" uses no random numbers: the rows go to the folds in turn, in their order, from
        fold 0. (The orders of `sf.chain` and `sf.nearest` still depend on the seed.) "contiguous"
        cuts each stratum into one stretch for each fold, in the order of `sf.continuous`, otherwise
        of the `key`, otherwise of the frame. It ignores the seed. Equal values of `sf.continuous`
        stay in one fold, which moves the cut to their nearer end. It cannot be combined with
        `groups`, `sf.clusters`, `sf.chain`, `sf.nearest`, `sf.margins` or `repeats`. "hash" looks
        only at the `key` of each row, whatever the other rows are: keys may repeat, and sizes are
        left to chance. It cannot be combined with `by`, `groups`, `missing` or `rare`.
    key : column or list of columns, optional
        Rank rows by the hash of these columns instead of their position, so that neither row order
        nor the library matters. Together they must identify each row, unless `deal="hash"`.
    missing : {"error", "stratum", "null"}
        Rows with nulls or NaN in strata or groups raise an error, form a stratum of their own (in
        `groups`, each such row is a group of its own), or get no fold. In columns that order rows,
        and in features, they raise an error or get no fold.
    rare : {"warn", "error", "null", "pool", "ignore"}
        What to do with classes of the first entry that have fewer than `k` rows (with `groups`:
        that are in fewer than `k` groups): warn, raise, leave them without a fold, pool them into
        one stratum, or do nothing. "ignore" also silences the warning about three or more entries
        whose joint strata have fewer than `k` rows on average.
    repeats : int
        Number of columns to add: `fold_1`, `fold_2`, ... if more than 1.
    seed : int or None
        The same seed gives the same folds in every library. None draws a new seed.
    name : str
        Name of the new column. It is part of the seed: columns with names other than "fold" and
        "split" are independent of these two, and of each other.
    overwrite : bool
        Replace the column if it already exists, as when a notebook cell is run twice. A column that
        the call reads cannot be replaced.

    Returns
    -------
    frame of the same kind
        With int64 folds 0..k-1 (pandas and Dask: Int64 where the arguments allow nulls). Without
        `groups`, and except for equal values that stay together, the folds of every stratum, of
        every coarser stratum and of all rows differ in size by at most 1 row.

    Raises
    ------
    StratError
        If an argument, a column or a value breaks a rule.

    Warns
    -----
    StratWarning
        If classes are rare, a group is too large, quantiles produce fewer bins than asked for,
        agglomerative clusters are made from a sample of a large stratum, DBSCAN finds at most one
        cluster, equal values leave a contiguous fold without rows, or a column of a Spark frame is
        not deterministic.

    See Also
    --------
    split : Parts of unequal size.
    check : Whether the column is fit for use.

    Notes
    -----
    On Dask and Spark frames the rows are counted when this is called, and the column is lazy.
    The frame keeps its partitions and other columns, on Dask also its divisions, index and order.
    Columns are given by name; a computed column is a callable that takes the frame or, on Spark, a
    `pyspark.sql.Column`. Whatever needs the order of all rows, or their distances, is an error:
    `deal="circular"` and `"contiguous"`, `sf.continuous` (unless there are `groups`),
    `sf.clusters`, `sf.chain`, `sf.nearest`, `sf.total` and `sf.margins`. A `key` or `groups` is
    required; the folds are the same as in pandas and Polars, whatever the partitions. Rows without
    a group are an error unless `missing="null"`.

    References
    ----------
    Kohavi (1995), A study of cross-validation and bootstrap for accuracy estimation and model
    selection. Lowe (2016), Stratified validation splits for regression problems.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a", "b"] * 4})
    >>> sf.kfold(df, "label", k=2)["fold"].tolist()
    [0, 0, 0, 1, 1, 0, 1, 1]
    """
    return add_column(frame, fold_target(k), locals())


@suggest_arguments
def split(
    frame: AnyFrameT,
    by: By | None = None,
    parts: PartShares = {"train": 0.8, "test": 0.2},  # noqa: B006 - never changed
    *,
    groups: Any = None,
    where: Any = None,
    deal: Deal = "random",
    key: Any = None,
    missing: Missing = "error",
    rare: Rare = "warn",
    repeats: int = 1,
    seed: SupportsIndex | None = 0,
    name: str = "split",
    overwrite: bool = False,
) -> AnyFrameT:
    """Add a column that assigns every row to a named part: train, valid, test.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame
    by : entry or list of entries, optional
        As for `kfold`: column names and terms, which nest left to right.
    parts : mapping of name to share, or float
        Fractions that sum to 1, or counts of rows that sum to the number of rows that get a part.
        One part may be None: it takes the rest. A float is the share of "test", beside "train".
    groups : column, list of columns, `sf.clusters`, `sf.linked` or `sf.similar`, optional
        Keep each group in one part. Shares and counts are met as closely as whole groups allow, and
        no part is empty if there are at least as many groups as parts.
    where, deal, key, rare, seed, name, overwrite
        As for `kfold`.
    missing : {"error", "stratum"}
        As for `kfold`, which also has "null".
    repeats : int
        Number of columns to add: `split_1`, `split_2`, ... if more than 1. Each is drawn anew, so
        that a row may be in the same part in several columns.

    Returns
    -------
    frame of the same kind
        With a categorical (Polars: Enum, Spark: text) of the part names, in their order. Every
        stratum's count in every part, at every level, and every part's total, is its exact share
        rounded down or up, except for groups and equal values that stay together.

    Raises
    ------
    StratError
        If an argument, a column or a value breaks a rule.

    Warns
    -----
    StratWarning
        As for `kfold`; and if a part gets no row because its share is less than one row, unless
        `deal="hash"`.

    Notes
    -----
    On Dask and Spark frames everything is as for `kfold`.

    Examples
    --------
    >>> import polars as pl, stratframe as sf
    >>> df = pl.DataFrame({"label": ["a", "b"] * 5})
    >>> sf.split(df, "label", {"train": 0.6, "test": 0.4})["split"].value_counts(sort=True).rows()
    [('train', 6), ('test', 4)]
    >>> days = pl.DataFrame({"day": [2, 5, 1, 4, 3]})
    >>> sf.split(days, sf.continuous("day"), 0.4, deal="contiguous")["split"].to_list()
    ['train', 'test', 'train', 'test', 'train']
    >>> twenty = sf.split(df, "label", 0.2, repeats=20)
    >>> names = [f"split_{number}" for number in range(1, 21)]
    >>> len(sf.cv(twenty, names, train="train", valid="test"))
    20
    """
    return add_column(frame, part_target(parts), locals())


@suggest_arguments
def extend(
    frame: AnyFrameT,
    by: By | None,
    k: int | None = None,
    *,
    parts: PartShares | None = None,
    groups: Any = None,
    where: Any = None,
    key: Any = None,
    missing: Missing = "error",
    rare: Rare = "warn",
    seed: SupportsIndex | None = 0,
    name: str | Sequence[str] = "fold",
) -> AnyFrameT:
    """Assign a fold to the rows that have none, and keep the folds of all other rows.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame
        With a column of folds 0..k-1, null (or NaN) in new rows, of any type that holds whole
        numbers, including the floats that `pd.concat` makes; or with a column of part names.
    by : entry or list of entries, or None
        As for `kfold`; None deals new rows without strata. A continuous entry is cut into ten
        quantile bins over all rows.
    k : int, optional
        Number of folds; by default as many as the column has.
    parts : mapping of name to share, or float, optional
        For a part column, the shares of all rows; by default the shares of the rows with a part. A
        Polars lazy frame needs `parts` unless the column is an Enum.
    groups : column, list of columns, `sf.clusters`, `sf.linked` or `sf.similar`, optional
        New rows of a group that has a fold join it.
    where : boolean column, expression, callable or Series, optional
        Which rows may get a fold; others keep what they have, even null, and the values of rows
        that stay null are ignored. Rows that already have a fold always count.
    key, missing, rare, seed
        As for `kfold`; the key ranks the new rows of a stratum.
    name : str or list of str
        The column, or several, such as those that `repeats` made; each is extended separately.

    Returns
    -------
    frame of the same kind
        With the column filled in its place, int64 (pandas: Int64 where the arguments, such as
        `where`, allow nulls), or a categorical (Polars: Enum) of parts. Each stratum is as even, or
        as near to the shares, as the existing folds allow; the sizes come second.

    Raises
    ------
    StratError
        If the column holds anything but folds, if a group is in two folds, or if an argument, a
        column or a value breaks a rule.

    Warns
    -----
    StratWarning
        If classes are rare, quantiles produce fewer bins than asked for, a part stays empty, or a
        column of a Spark frame is not deterministic.

    Notes
    -----
    On Dask and Spark frames the rows are counted when this is called, and the column is lazy.
    A `key` is required there, and `groups` and `where` are errors.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> old = pd.DataFrame({"label": ["a", "b"] * 4}).strat.kfold("label", k=2)
    >>> new = pd.concat([old, pd.DataFrame({"label": ["a", "a", "b", "b"]})])
    >>> sf.extend(new, "label")["fold"].tolist()
    [0, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1]
    """
    given = {**locals()}
    n_folds = None if k is None else check_int("k", k, 2)
    if k is not None and parts is not None:
        msg = "`extend` takes `k` for folds or `parts` for parts, got both."
        raise StratError(msg)
    target = NO_TARGET if parts is None else part_target(parts)
    source, names = source_of(frame), list_names(name, frame)
    frames.check_names("name", names)
    check_each_once("`name`", "column", names)
    options = check_call({**given, "name": names[0]}, NO_TARGET)
    for term in options.terms:
        if term.without_order() is None:
            msg = f"`extend` does not support `{term.function}` in `by`."
            raise StratError(msg)
        if term.evens_totals:
            msg = (
                f"`extend` does not support `{term.function}` in `by`: rows that have a fold stay"
                " in it.\nHint: leave it out, or make the column anew by `kfold` or `split`."
            )
            raise StratError(msg)
    extended: AnyFrameT = source.extend(options, target, names, n_folds)
    return extended


def check_call(given: Mapping[str, Any], target: Target) -> Options:
    """Check the arguments of a verb, given by name; `target` is made from `k` or `parts`."""
    others = {"frame", "self", "k", "parts", "overwrite"}
    return check_options(target=target, **{each: given[each] for each in given.keys() - others})


def add_column(frame: AnyFrameT, target: Target, given: Mapping[str, Any]) -> AnyFrameT:
    options, source = check_call(given, target), source_of(frame)
    overwrite = check_flag("overwrite", given["overwrite"])
    assigned: AnyFrameT = source.assign(options, overwrite=overwrite)
    return assigned


def assign_expression(expr: Any, target: Target, given: Mapping[str, Any]) -> Any:
    """Make a Polars expression for folds or parts from one for strata; fields of a struct nest."""
    options = check_call({"by": None, **given}, target)

    def compute(columns: dict[str, list[Any]], n_rows: int) -> list[NewColumn]:
        fields = frames.attach.struct_fields(columns["by"][0], expr)
        terms = parse_by([field.name for field in fields]).terms
        return new_columns(replace(options, terms=terms), {"by": fields}, n_rows)

    return frames.attach.column_expression({"by": [expr]}, compute, empty_outputs(options))
