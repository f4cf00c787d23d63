"""Add or extend a column of folds or parts: `kfold`, `split`, `extend`, Polars expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, SupportsIndex

from .. import frames
from ..checks import check_each_once, check_flag, check_int, check_name
from ..errors import StratError
from ..frames import AnyFrameT, NewColumn
from ..habits import suggest_arguments
from ..pipeline.options import (
    NO_TARGET,
    PARTS,
    Deal,
    Options,
    PartCounts,
    PartShares,
    Rare,
    check_options,
    either_target,
    fold_target,
    part_target,
)
from ..pipeline.parts import empty_outputs, new_columns
from ..terms.base import By, Missing, Term
from ..terms.by import parse_by
from .door import any_frame
from .sources import list_names, source_of


@suggest_arguments
@any_frame("columns", in_order="the folds")
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
        What to stratify by: column names, terms such as `sf.quantiles`, Polars expressions, Spark
        columns, or callables that take a pandas or Dask frame. Entries nest from left to right.
        With None, the rows are not stratified.
    k : int
        Number of folds: at least 2, and (except with `deal="hash"`) at most the number of rows or
        groups.
    groups : column, list of columns, `sf.clusters`, `sf.linked` or `sf.similar`, optional
        The columns or term that identify groups; each group is kept in one fold. Strata and fold
        sizes are balanced as closely as the search allows; a continuous entry is cut into ten
        quantile bins. The order of the rows does not matter. Groups cannot be combined with
        `deal="circular"`, `deal="contiguous"`, `key`, `sf.chain` or `sf.nearest`.
    where : boolean column, expression, callable or Series, optional
        The rows that get a fold; all other rows get null, and their values are ignored. A pandas
        Series must have the index of the frame. A Polars Series must have the length of the frame,
        which must not be lazy.
    deal : {"random", "circular", "contiguous", "hash"}
        "random" assigns the rows of each stratum at random. "circular" uses no random numbers: the
        rows, in their order, go to folds 0, 1, ... in turn. (The orders of `sf.chain` and
        `sf.nearest` still depend on the seed.) "contiguous" cuts the ordered rows of each stratum
        into one stretch for each fold, and ignores the seed. The rows are ordered by
        `sf.continuous` or, without it, by the `key` (ordered categories in their order); otherwise
        they keep the order of the frame. Equal values of `sf.continuous` stay in one fold: a cut
        between them moves to the end that is nearer to the exact share. "contiguous" cannot be
        combined with `groups`, `sf.clusters`, `sf.chain`, `sf.nearest`, `sf.total`, `sf.margins` or
        `repeats`. "hash" assigns each row according to its `key` only, whatever the other rows are;
        keys may repeat, and sizes are left to chance. "hash" cannot be combined with `by`,
        `groups`, `missing` or `rare`.
    key : column or list of columns, optional
        Rank rows by the hash of these columns instead of by position, so that the folds do not
        depend on row order or library. Together, the columns must identify each row, except with
        `deal="hash"`.
    missing : {"error", "stratum", "null"}
        What to do with rows that have null or NaN in a column of `by` or `groups`: raise an error,
        make a stratum of these rows (in `groups`, make each row a group of its own), or leave them
        without a fold. For columns that order rows and for features, "stratum" also raises an
        error.
    rare : {"warn", "error", "null", "pool", "ignore"}
        What to do with classes of the first entry that have fewer than `k` rows (with `groups`:
        that are in fewer than `k` groups): warn, raise an error, leave their rows without a fold,
        pool the classes into one stratum, or do nothing. "ignore" also silences the warning that
        the joint strata of three or more entries have fewer than `k` rows on average.
    repeats : int
        Number of columns to add. Several columns are called `fold_1`, `fold_2`, ...
    seed : int or None
        The same seed gives the same folds in every library. None draws a new seed.
    name : str
        Name of the new column. The name is part of the seed, so columns with different names are
        independent; only "fold" and "split" count as the same name.
    overwrite : bool
        Whether to replace the column if it already exists, for example when a notebook cell is run
        twice. A column that the call reads cannot be replaced.

    Returns
    -------
    frame of the same kind
        The frame with a new column of int64 folds 0..k-1 (in pandas and Dask, Int64 where the
        arguments allow nulls). Without `groups`, `sf.margins` and `deal="hash"`, any two folds
        differ by at most 1 row in every stratum, in every coarser stratum and in total, except
        where `deal="contiguous"` keeps equal values together.

    Raises
    ------
    StratError
        If an argument, a column or a value is invalid.

    Warns
    -----
    StratWarning
        If classes are rare, a group is too large, quantiles produce fewer bins than asked for,
        agglomerative clusters are made from a sample of a large stratum, DBSCAN finds at most one
        cluster, equal values leave a contiguous fold without rows, or a column of a Spark frame is
        not deterministic.

    See Also
    --------
    split : Add a column of parts, which can have unequal sizes.
    check : Check whether the column is fit for use.

    Notes
    -----
    On Dask and Spark frames, the rows are counted when the function is called, and the new column
    is lazy. The frame keeps its partitions and other columns; a Dask frame also keeps its
    divisions, index and order. Columns are given by name; a computed column is given as a callable
    that takes the frame or, on Spark, as a `pyspark.sql.Column`. Arguments that need all rows at
    once raise an error: `deal="circular"`, `deal="contiguous"`, `sf.continuous` (unless there are
    `groups`), `sf.clusters`, `sf.chain`, `sf.nearest`, `sf.total` and `sf.margins`. A `key` or
    `groups` is required. The folds are the same as in pandas and Polars, whatever the partitions.
    Rows without a group raise an error, except with `missing="null"`.

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

    All rows of a patient in one fold, and the ill ones in both:

    >>> visits = pd.DataFrame({"patient": list("aaabbccddd"), "ill": [1] * 3 + [0] * 4 + [1] * 3})
    >>> sf.kfold(visits, "ill", k=2, groups="patient")["fold"].tolist()
    [1, 1, 1, 0, 0, 1, 1, 0, 0, 0]
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
    return add_column(frame, options, overwrite)


@suggest_arguments
@any_frame("columns", in_order="the parts")
def split(
    frame: AnyFrameT,
    by: By | None = None,
    parts: PartShares = PARTS,
    *,
    each: PartCounts | None = None,
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
    """Add a column that assigns every row to a named part, such as train, valid or test.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame
    by : entry or list of entries, optional
        As for `kfold`: column names and terms, which nest from left to right.
    parts : mapping of name to share, or float
        Fractions that sum to 1, or counts that sum to the number of rows that get a part. One share
        may be None; its part takes the remaining rows. A float is the share of "test"; all other
        rows are in "train".
    each : int or mapping of name to int, optional
        Counts of rows of each joint stratum, in place of `parts`: `each=2` puts two rows of each
        stratum in "test" and the others in "train", and `{"train": None, "valid": 1, "test": 1}`
        one in "valid" and one in "test". One part is None, and gets the rest. A stratum that has no
        more rows than the counts sum to stays whole in the rest. Cannot be combined with `groups`,
        `sf.margins`, `sf.total`, `deal="circular"` and `deal="hash"`. `extend` deals new rows by
        shares, not by these counts.
    groups : column, list of columns, `sf.clusters`, `sf.linked` or `sf.similar`, optional
        As for `kfold`. Shares and counts are met as closely as whole groups allow, and no part is
        empty if there are at least as many groups as parts. Up to 10,000 assignments of groups to
        parts are all tried.
    where, key, seed, name, overwrite
        As for `kfold`.
    deal : {"random", "circular", "contiguous", "hash"}
        As for `kfold`. With `each`, "contiguous" gives each part exactly its count, in the order
        of the parts: `each=2` tests on the last two rows of each stratum. Equal values are then
        parted by the key or, without one, by the order of the frame.
    rare : {"warn", "error", "null", "pool", "ignore"}
        As for `kfold`. With `each`, this is about joint strata that are too small for the counts,
        and "null" and "pool" are errors.
    missing : {"error", "stratum"}
        As for `kfold`, but without "null".
    repeats : int
        Number of columns to add. Several columns are called `split_1`, `split_2`, ... Each column
        is drawn independently, so a row can be in the same part in several columns.

    Returns
    -------
    frame of the same kind
        The frame with a new column of part names, which is a categorical in the order of `parts`
        (Polars: Enum, Spark: text). Without `groups`, `sf.margins` and `deal="hash"`, the size of
        every part, in total and in every stratum at every level, is its exact share rounded down or
        up, except where `deal="contiguous"` keeps equal values together.

    Raises
    ------
    StratError
        If an argument, a column or a value is invalid.

    Warns
    -----
    StratWarning
        As for `kfold`, if a part gets no rows because its share is less than one row (except with
        `deal="hash"`), and if whole groups leave a part far from its share (except with
        `rare="ignore"`). With `each`, only if strata stay whole (except with `rare="ignore"`), or
        if equal values are parted.

    Notes
    -----
    For Dask and Spark frames, see the notes on `kfold`.

    Examples
    --------
    >>> import polars as pl, stratframe as sf
    >>> df = pl.DataFrame({"label": ["a", "b"] * 5})
    >>> sf.split(df, "label", {"train": 0.6, "test": 0.4})["split"].value_counts(sort=True).rows()
    [('train', 6), ('test', 4)]

    All rows of a patient in one part:

    >>> ill = [1, 1, 0, 0, 0, 0, 1, 1, 0, 0]
    >>> visits = pl.DataFrame({"patient": list("aabbccddee"), "ill": ill})
    >>> visits = sf.split(visits, "ill", 0.4, groups="patient")
    >>> visits.filter(split="test")["patient"].to_list()
    ['a', 'a', 'c', 'c']

    The newest rows, in shares or in counts:

    >>> days = pl.DataFrame({"day": [2, 5, 1, 4, 3]})
    >>> sf.split(days, sf.continuous("day"), 0.4, deal="contiguous")["split"].to_list()
    ['train', 'test', 'train', 'test', 'train']
    >>> last = sf.split(days, sf.continuous("day"), each=1, deal="contiguous")
    >>> last["split"].to_list()
    ['train', 'test', 'train', 'train', 'train']

    Repeated holdouts:

    >>> twenty = sf.split(df, "label", 0.2, repeats=20)
    >>> names = [f"split_{number}" for number in range(1, 21)]
    >>> len(sf.cv(twenty, names, train="train", valid="test"))
    20
    """
    options = check_options(
        by,
        either_target(parts, each),
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
    return add_column(frame, options, overwrite)


@suggest_arguments
@any_frame("columns", in_order="the new folds")
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
    """Assign folds to the rows without a fold, and keep the folds of all other rows.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame
        A frame with a column of folds 0..k-1 or of part names that is null (or NaN) in new rows.
        Folds can be of any type that holds whole numbers, such as the floats that `pd.concat`
        makes.
    by : entry or list of entries, or None
        As for `kfold`; with None, the new rows are not stratified. A continuous entry is cut into
        ten quantile bins of all rows.
    k : int, optional
        Number of folds; by default, the number of folds in the column.
    parts : mapping of name to share or count, or float, optional
        For a column of parts, the share of all rows that each part should have, or its number of
        rows, old ones included, as in ``{"evaluate": 500, "rest": None}``, where None is the rest.
        By default, its share of the rows that have a part. A Polars lazy frame needs `parts` unless
        the column is an Enum.
    groups : column, list of columns, `sf.clusters`, `sf.linked` or `sf.similar`, optional
        As for `kfold`. If a group already has a fold, its new rows get the same fold.
    where : boolean column, expression, callable or Series, optional
        The new rows that can get a fold; all other new rows stay null, and their values are
        ignored. Rows that already have a fold keep it and always count.
    key, missing, rare, seed
        As for `kfold`; only new rows are ranked by the key.
    name : str or list of str
        The column to extend, or a list of columns, each of which is extended separately.

    Returns
    -------
    frame of the same kind
        The frame with the column filled in its place. Folds are int64 (pandas: Int64 where
        arguments such as `where` allow nulls); parts are a categorical (Polars: Enum). Each stratum
        is spread as evenly, or as close to the shares, as the existing folds allow; total sizes
        come second.

    Raises
    ------
    StratError
        If the column contains values that are not folds or parts, if a group is in two folds, or if
        an argument, a column or a value is invalid.

    Warns
    -----
    StratWarning
        If classes are rare, quantiles produce fewer bins than asked for, a part stays empty, whole
        groups leave a part far from its share, or a column of a Spark frame is not deterministic.

    Notes
    -----
    On Dask and Spark frames, the rows are counted when the function is called, and the new column
    is lazy. `key` is required; `groups` and `where` raise an error.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> old = pd.DataFrame({"label": ["a", "b"] * 4}).strat.kfold("label", k=2)
    >>> new = pd.concat([old, pd.DataFrame({"label": ["a", "a", "b", "b"]})])
    >>> sf.extend(new, "label")["fold"].tolist()
    [0, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1]
    """
    n_folds = None if k is None else check_int("k", k, 2)
    if k is not None and parts is not None:
        msg = "`extend` takes `k` for folds or `parts` for parts, got both."
        raise StratError(msg)
    target = NO_TARGET if parts is None else part_target(parts)
    source = source_of(frame)
    names = list_names(name, frame)
    frames.check_names("name", names)
    check_each_once("`name`", "column", names)
    options = check_options(
        by,
        NO_TARGET,
        groups=groups,
        where=where,
        key=key,
        missing=missing,
        rare=rare,
        seed=seed,
        name=names[0],
    )
    check_can_extend(options.terms)
    extended: AnyFrameT = source.extend(options, target, names, n_folds)
    return extended


def check_can_extend(terms: Sequence[Term]) -> None:
    """Raise if a term needs to deal all rows at once."""
    for term in terms:
        if term.without_order() is None:
            msg = f"`extend` does not support `{term.function}` in `by`."
            raise StratError(msg)
        if term.evens_totals:
            msg = (
                f"`extend` does not support `{term.function}` in `by`: rows that have a fold keep"
                " it.\nHint: leave this term out, or make the column again with `kfold` or `split`."
            )
            raise StratError(msg)


def add_column(frame: AnyFrameT, options: Options, overwrite: bool) -> AnyFrameT:
    source = source_of(frame)
    overwrite = check_flag("overwrite", overwrite)
    if not frames.libraries.has_column(frame, options.name):  # only a known column can be a tuple
        check_name(options.name)
    assigned: AnyFrameT = source.assign(options, overwrite=overwrite)
    return assigned


def assign_expression(expr: Any, options: Options) -> Any:
    """Return a Polars expression of folds or parts that are stratified by `expr`."""

    def compute(columns: dict[str, list[Any]], n_rows: int) -> list[NewColumn]:
        fields = frames.attach.struct_fields(columns["by"][0], expr)
        terms = parse_by([field.name for field in fields]).terms
        return new_columns(replace(options, terms=terms), {"by": fields}, n_rows)

    return frames.attach.column_expression({"by": [expr]}, compute, empty_outputs(options))
