"""Rows of a Spark frame without a fold get one: `extend`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import check_int
from ..core.seeds import StreamTag
from ..core.types import Ints
from ..errors import StratError
from ..habits import answer_habits
from ..pipeline.deal import empty_outputs
from ..pipeline.numbers import column_stream
from ..pipeline.options import DESCRIBED, Options, Parts, Rare, check_options, part_target
from ..terms.base import By, Missing
from .driver import CountedStrata, check_possible, not_possible, stratify_counted
from .extended import quota_of_new, read_parts
from .spark_calls import check_frame, check_types, require_key, without_orders
from .spark_columns import Call, Typed, functions, read_call, typed_column
from .spark_passes import (
    ENGINE,
    CountedCall,
    attach,
    check_keys,
    collect,
    count_values,
    find_cuts,
    key_counts,
    to_pandas,
    whole_column,
)
from .spark_quantiles import cut_quantiles

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@answer_habits
def extend(
    frame: DataFrame,
    by: By | None = None,
    k: int | None = None,
    *,
    key: Any = None,
    parts: Parts | None = None,
    groups: Any = None,
    missing: Missing = "error",
    rare: Rare = "warn",
    seed: int | None = 0,
    name: str | Sequence[str] = "fold",
) -> DataFrame:
    """Assign a fold to the rows that have none, and keep the folds of all others.

    The rows are counted when this is called; the column is lazy.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        With a column of folds 0..k-1, null in new rows, or of the names of parts.
    by : entry or list of entries, optional
        As for `kfold`.
    key : column or list of columns
        As for `kfold`. It says which of the new rows of a stratum get which fold.
    k, parts, missing, rare, seed
        As for `stratframe.extend`.
    groups : None
        Not possible on Spark frames.
    name : str or list of str
        The column, or several; each is extended by itself.

    Returns
    -------
    pyspark.sql.DataFrame
        With the column filled, where it was.

    Raises
    ------
    StratError
        If the column holds anything but folds, or if an argument, a column or a value breaks a
        rule.

    Warns
    -----
    StratWarning
        As `stratframe.extend`.
    """
    n_folds = None if k is None else check_int("k", k, 2)
    if k is not None and parts is not None:
        msg = "`extend` takes `k` for folds or `parts` for parts, got both."
        raise StratError(msg)
    if groups is not None:
        msg = "`extend` with `groups` looks at all rows of each group"
        raise not_possible(msg, ENGINE)
    names: list[Any] = list(name) if isinstance(name, list | tuple) and name else [name]
    target = DESCRIBED if parts is None else part_target(parts)
    options = check_options(
        by,
        replace(target, noun="fold"),
        key=key,
        missing=missing,
        rare=rare,
        seed=seed,
        name=names[0],
    )
    check_frame(frame)
    folds = [typed_column(frame, each, "name") for each in names]
    options = replace(options, terms=without_orders(frame, options.terms))
    check_possible(options, ENGINE)
    require_key(options)
    for each in folds:
        frame = extend_column(frame, replace(options, name=each.name, target=target), each, n_folds)
    return frame


def extend_column(frame: DataFrame, options: Options, fold: Typed, k: int | None) -> DataFrame:
    """Fill one column."""
    sf, call = functions(), read_call(frame, options)
    of_key = key_counts(call.key)
    check_types(call, options.terms)
    call = cut_quantiles(call, replace(options, target=DESCRIBED, rare="ignore"))
    values, sizes = values_of_fold(frame, fold)
    options, parts = read_parts(options, to_pandas(values), sizes, k)
    named, found, sizes = count_by_fold(call, options, fold, values)
    stream = column_stream(options, StreamTag.EXTEND)
    table = quota_of_new(options, found, np.repeat(parts, len(named.hashes)), sizes, stream)
    salt = int(stream(1)[0])
    new = new_rows(named, fold, table.sum(axis=1))
    check_keys(call.key, collect(new.call.rows.agg(sf.count(sf.lit(1)).alias("n"), *of_key)))
    (output,) = empty_outputs(options)
    given = fold.present if output.labels else fold.present.cast("bigint")
    return attach(new, [find_cuts(new, table, salt)], [salt], [output], given)


def values_of_fold(frame: DataFrame, fold: Typed) -> tuple[Any, Ints]:
    """List the values of a fold column, with null if it has it, and count the rows of each."""
    sf = functions()
    counted = frame.groupBy(fold.present.alias("value")).agg(sf.count(sf.lit(1)).alias("n"))
    table = collect(counted).sort("value")
    return table["value"].alias(fold.name), whole_column(table, "n")


def count_by_fold(
    call: Call, options: Options, fold: Typed, values: Any
) -> tuple[CountedCall, CountedStrata, Ints]:
    """Count the rows of every stratum by fold.

    Returns
    -------
    call : CountedCall
    found : CountedStrata
        With the stratum of each combination of values in each fold, one fold after another.
    sizes : ndarray of int64, shape (n_folds * n_counted,)
        The rows of each of these.
    """
    sf = functions()
    flags = [
        fold.present.isNull() if value is None else fold.present == sf.lit(value)
        for value in values.to_list()
    ]
    further = [sf.count_if(flag).alias(f"f{i}") for i, flag in enumerate(flags)]
    counts = count_values(call._replace(key=()), call.rows, options, further)
    found = stratify_counted(counts.options, counts.counted, ENGINE)
    named = CountedCall(counts.options, call, counts.counted, found, counts.salt, counts.hashes)
    sizes = [whole_column(counts.table, f"f{i}") for i in range(len(flags))]
    by_fold = found._replace(codes=np.tile(found.codes, len(flags)))
    return named, by_fold, np.concatenate(sizes)


def new_rows(named: CountedCall, fold: Typed, sizes: Ints) -> CountedCall:
    """Restrict a call to the rows without a fold, given how many each stratum has."""
    strata = named.found.strata._replace(sizes=sizes)
    found = CountedStrata(named.found.codes, strata)
    return named._replace(call=named.call._replace(where=fold.present.isNull()), found=found)
