"""The verbs on Spark frames that return tables or parts of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, get_args

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
    list_names,
)
from ..verbs.tables import plan_table, strata_table
from .driver import Counted, check_possible, stratify_counted
from .spark_calls import check_frame, count_call, count_groups, require_key, without_orders
from .spark_columns import Typed, check_single, functions, typed_column
from .spark_passes import ENGINE, CountedCall, collect, to_pandas
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
    frame : pyspark.sql.DataFrame
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
    frame : pyspark.sql.DataFrame
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
    check_frame(frame)
    check_possible(options, ENGINE)
    if options.groups:
        return plan_groups(frame, options)
    require_key(options)
    call = count_call(frame, options, for_table=True)

    def counts_of(_: Strata) -> Table:
        return call.quotas()[0]

    return plan_table(LIBRARY, call.found.strata, counts_of, target)


def plan_groups(frame: Any, options: Options) -> Any:
    """Count the rows of each stratum that whole groups would take to each part."""
    _, found, (parts_of_rows,), strata = count_groups(frame, options, for_table=True)
    return plan_of_groups(strata, parts_of_rows, found.counted.sizes, options.target)


def balance(frame: Any, by: By, name: str | Sequence[str] = "fold") -> Any:
    """Compare the strata of every fold with those of all rows, as counts and shares.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
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
        return count_folds(frame, by, column, drop=True).compared()

    return fold_table(names_of(frame, name), table_of)


def report(frame: Any, by: By, name: str | Sequence[str] = "fold") -> Any:
    """Report the imbalance of each fold, next to the optimum and to random assignment.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
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
        return report_table(LIBRARY, count_folds(frame, by, column).crossed(), label)

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
    frame : pyspark.sql.DataFrame
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
        return checks_table(LIBRARY, run_checks(frame, column, by, groups, key, nulls))

    return fold_table(names_of(frame, name), table_of)


def folds(
    frame: Any, name: str | Sequence[str] = "fold", *, nulls: Nulls = "error"
) -> Iterator[Fold[Any]]:
    """Iterate over the folds of a column: fold, train and valid frames, which are lazy.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
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
    train = partial(filter_other, frame, nulls=nulls == "train")
    return list_folds(columns, nulls, train, partial(filter_equal, frame))


def parts(frame: Any, name: str = "split", names: Sequence[Any] | None = None) -> dict[Any, Any]:
    """Split a frame into a dict of lazy frames, one per part.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The parts are counted when this is called.
    name : str
        The part column.
    names : list of part names, optional
        As for `stratframe.parts`.

    Returns
    -------
    dict of part name to pyspark.sql.DataFrame

    Raises
    ------
    StratError
        If the column does not exist, or `names` has other names than the column.
    """
    (column,) = names_of(frame, name)
    count = partial(values_of, frame, column, is_part=True)
    return dict_of_parts(column, names, count, partial(filter_equal, frame))


# Counts ----------------------------------------------------------------------------------


def names_of(frame: Any, name: object) -> list[Any]:
    """List the names of fold columns, and check that they are there."""
    check_frame(frame)
    names = list_names(name)
    for each in names:
        fold_column(frame, each)
    return names


def fold_column(frame: Any, name: Any) -> Typed:
    """Find a fold column."""
    typed = typed_column(frame, name, "name")
    check_single(typed)
    return typed


def tabulated(frame: Any, by: By) -> Options:
    """Describe rows by entries, those of numbers with fractions cut into bins."""
    check_frame(frame)
    entries = require_by(by)
    options = Options(entries.terms, entries.one_by_one)
    options = replace(options, terms=without_orders(frame, options.terms))
    check_possible(options, ENGINE)
    return options


def count_by(frame: Any, by: By) -> CountedCall:
    """Count the strata of a frame for a table."""
    return count_call(frame, tabulated(frame, by), for_table=True)


def count_folds(frame: Any, by: By | None, name: str, *, drop: bool = False) -> CountedFolds:
    """Count the strata of a frame in every fold of a column; with `drop` in folds only."""
    options = Options() if by is None else tabulated(frame, by)
    both = replace(options, terms=(*options.terms, Classes((name,))))
    rows = frame.filter(fold_column(frame, name).present.isNotNull()) if drop else frame
    call = count_call(rows, both, for_table=True)
    *columns, folds = call.counted.columns
    options = replace(call.options, terms=call.options.terms[:-1])
    found = stratify_counted(options, Counted(columns, call.counted.sizes), ENGINE)
    return CountedFolds(found.strata, columns, folds, call.counted.sizes)


def values_of(frame: Any, name: str, *, is_part: bool = False) -> FoldValues:
    """List the values of a fold or part column, and count the rows of each."""
    sf, fold = functions(), fold_column(frame, name).present.alias(name)
    counts = collect(frame.groupBy(fold).agg(sf.count(sf.lit(1)).alias(f"{name} n"))).sort(name)
    folds, sizes = to_pandas(counts[name]), counts[f"{name} n"].to_numpy()
    return count_values(folds, sizes, is_part=is_part)


def filter_equal(frame: Any, name: str, value: Any) -> Any:
    """Keep the rows of a fold."""
    return frame.filter(fold_column(frame, name).present == functions().lit(value))


def filter_other(frame: Any, name: str, value: Any, *, nulls: bool) -> Any:
    """Keep the rows of the other folds, and those without one if `nulls`."""
    fold = fold_column(frame, name).present
    other = fold != functions().lit(value)
    return frame.filter(other | fold.isNull() if nulls else other)


# Checks ----------------------------------------------------------------------------------


def run_checks(
    frame: Any, name: str, by: By | None, groups: Any, key: Any, nulls: KeptNulls
) -> list[Check]:
    """Run the checks of one fold column whose arguments were given."""
    named = parse(None, groups, key)
    check_possible(Options(groups=named.groups), ENGINE)
    found = values_of(frame, name)
    if not sum(found.sizes) + found.n_nulls:
        return []
    fold = fold_column(frame, name)
    rows = frame.filter(fold.present.isNotNull()) if nulls == "drop" else frame
    groups = keys = None
    if named.groups:
        columns = [typed_column(frame, term.columns[0], "groups") for term in named.groups]
        shared, n_alone = shared_rows(rows, columns, fold)
        groups = shared._replace(n_values=shared.n_values + n_alone)
    if named.key:
        keys = shared_rows(rows, [typed_column(frame, ref, "key") for ref in named.key], fold)
    counts = None if by is None else count_folds(frame, by, name).crossed()
    return list_checks(found, nulls, groups=groups, keys=keys, counts=counts)


def shared_rows(rows: Any, columns: Sequence[Typed], fold: Typed) -> tuple[SharedRows, int]:
    """Count the values of some columns, those that repeat, and those in several folds.

    Returns
    -------
    shared : SharedRows
    n_without : int
        Rows that lack a value.
    """
    sf = functions()
    for each in columns:
        check_single(each)
    # Rows without a fold are one more.
    of_fold = sf.xxhash64(fold.present, fold.present.isNull())
    values = [each.present.alias(f"c{place}") for place, each in enumerate(columns)]
    table = rows.select(*values, of_fold.alias("fold"))
    known = table.dropna(subset=[f"c{place}" for place in range(len(columns))])
    groups = known.groupBy(*known.columns[:-1]).agg(
        sf.count(sf.lit(1)).alias("n"), (sf.min("fold") != sf.max("fold")).alias("split")
    )
    n_split = sf.when(sf.col("split"), sf.col("n"))
    counts = groups.agg(
        sf.count("n"), sf.count_if(sf.col("n") > 1), sf.count_if("split"), sf.sum(n_split)
    ).first()
    shared = SharedRows(*(int(count or 0) for count in counts))
    n_known = groups.agg(sf.sum("n")).first()[0] or 0
    return shared, table.count() - int(n_known)
