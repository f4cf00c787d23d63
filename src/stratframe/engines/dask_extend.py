"""Rows of a Dask frame without a fold get one: `extend`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import frames
from ..checks import check_int, load_extra
from ..core.groups.local_search import Stream
from ..core.seeds import StreamTag
from ..core.strata import crosstab
from ..core.types import Draws, Ints, Table
from ..errors import StratError, plural
from ..habits import answer_habits
from ..pipeline.deal import empty_outputs
from ..pipeline.extend import fill_target, target_of_counts
from ..pipeline.numbers import column_stream
from ..pipeline.options import (
    DESCRIBED,
    Options,
    Parts,
    Rare,
    Target,
    check_options,
    fold_target,
    part_target,
)
from ..terms.base import By, Missing
from ..terms.classes import Classes
from .dask_passes import (
    ENGINE,
    CountedCall,
    check_dask,
    count_call,
    count_frame,
    find_cuts,
    fixed_partitions,
    without_orders,
)
from .driver import (
    Counted,
    CountedStrata,
    check_possible,
    not_possible,
    stratify_counted,
    sum_by,
)
from .partitions import empty_like, fill_column
from .values import StratumIndex, find_strata, stratum_index

dask: Any = load_extra("dask", "dask")
dd: Any = load_extra("dask.dataframe", "dask")


@answer_habits
def extend(
    frame: Any,
    by: By | None = None,
    k: int | None = None,
    *,
    parts: Parts | None = None,
    groups: Any = None,
    missing: Missing = "error",
    rare: Rare = "warn",
    seed: int | None = 0,
    name: str | Sequence[str] = "fold",
) -> Any:
    """Assign a fold to the rows that have none, and keep the folds of all others.

    The rows are counted when this is called; the column is lazy. Which of the new rows of a
    stratum get which fold depends on the partitions.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        With a column of folds 0..k-1, null in new rows, or of the names of parts.
    by : entry or list of entries, optional
        As for `kfold`.
    k, parts, missing, rare, seed
        As for `stratframe.extend`.
    groups : None
        Not possible on Dask frames.
    name : str or list of str
        The column, or several; each is extended by itself.

    Returns
    -------
    dask.dataframe.DataFrame
        With the column filled.

    Raises
    ------
    StratError
        If the column holds anything but folds, or if an argument, a column or a value breaks a
        rule.
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
        by, replace(target, noun="fold"), missing=missing, rare=rare, seed=seed, name=names[0]
    )
    check_dask(frame)
    frames.check_all_refs(frame._meta, options.columns())
    frames.check_refs(frame._meta, names, "name")
    options = replace(options, terms=without_orders(frame, options.terms))
    check_possible(options, ENGINE)
    for each in names:
        frame = extend_column(frame, replace(options, name=each, target=target), n_folds)
    return frame


def extend_column(frame: Any, options: Options, k: int | None) -> Any:
    """Fill one column, whose name is that of the options."""
    described = replace(
        options, terms=(*options.terms, Classes((options.name,))), target=DESCRIBED, rare="ignore"
    )
    call = count_call(frame, described, n_further=1)
    sizes, (*columns, folds) = call.counts.sizes, call.counts.columns
    options = replace(options, terms=call.options.terms[:-1])
    options, parts = read_parts(options, folds, sizes, k)
    found = stratify_counted(options, Counted(columns, sizes), ENGINE)
    stream = column_stream(options, StreamTag.EXTEND)
    table = quota_of_new(options, found, parts, sizes, stream)
    n_by = len(columns)
    plan = call.plan.before(n_by)._replace(
        filled=options.name, salts=(int(stream(1)[0]),), cut_shares=()
    )
    index = stratum_index(columns, found.codes, plan)
    new = fixed_partitions(call.frame)
    counts = count_frame(new, plan)
    codes = find_strata(counts.columns, index, plan, len(counts.sizes))
    new_call = CountedCall(options, new, plan, counts, found)
    (points,) = find_cuts(new_call, codes, index, [table])
    return fill(new_call, index, points)


def read_parts(options: Options, folds: Any, sizes: Ints, k: int | None) -> tuple[Options, Ints]:
    """Read the folds or parts of counted rows, and aim at as many.

    Returns
    -------
    options : Options
    parts : ndarray of int64, shape (n_counted,), range -1..k-1
    """
    target, column = options.target, frames.make_frame("pandas", {options.name: folds})
    if target.names is None and k is None:
        names = frames.declared_parts(column, options.name)
        target = target if names is None else Target(len(names), "part", names)
    if target.names is None:
        try:
            parts, k = frames.read_fold_numbers(folds, k)
        except StratError as error:
            raise count_failures(error, sizes) from None
        return replace(options, target=fold_target(k)), parts
    parts = frames.read_part_codes(folds, target.names)
    counts = sum_by(parts[parts >= 0], sizes[parts >= 0], target.n)
    return replace(options, target=target_of_counts(target, counts)), parts


def count_failures(error: StratError, sizes: Ints) -> StratError:
    """Let an error about counted rows state how many rows these stand for."""
    if error.failures is None:
        return error
    n_rows = int(sizes[error.failures["row"].to_numpy()].sum())
    text = re.sub(r" in [\d,]+ rows? \(.*\)\.", f" in {plural(n_rows, 'row')}.", str(error))
    return StratError(text)


def quota_of_new(
    options: Options, found: CountedStrata, parts: Ints, sizes: Ints, stream: Stream
) -> Table:
    """Compute how many new rows of each stratum go to each part."""
    codes, n_strata = found.codes, len(found.strata.sizes)
    shares = np.array([float(share) for share in options.target.fractions(found.n_dealt)])
    given, new = (parts >= 0) & (codes >= 0), (parts < 0) & (codes >= 0)
    held = crosstab(codes[given], n_strata, parts[given], len(shares), sizes[given])
    wanted = sum_by(codes[new], sizes[new], n_strata)
    return fill_target(options, shares, stream, held, wanted)


def fill(call: CountedCall, index: StratumIndex, points: Draws) -> Any:
    """Fill the column, partition by partition, when the frame is computed."""
    frame, plan = call.frame, call.plan
    (output,) = empty_outputs(call.options)
    given = (plan, output, points.shape[1] + 1, dask.delayed(index), dask.delayed(points))
    call_for = dask.delayed(fill_column, pure=False)
    filled = [call_for(part, number, *given) for number, part in enumerate(frame.to_delayed())]
    meta = empty_like(frame._meta, plan, [output])
    return dd.from_delayed(filled, meta=meta, divisions=frame.divisions, verify_meta=False)
