"""Passes over a Dask frame: call a function on each partition, and merge what it returns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import count, repeat
from typing import Any, NamedTuple

import numpy as np

from ...checks import load_extra
from ...core.types import Ints, Words
from ...errors import StratError
from ..base import Counts, check_key
from ..cuts import WORD, other_rows
from ..quantiles import quantile_words
from .counts import PartitionCounts, count_partition, merge_counts, with_categories
from .partitions import (
    count_numbers,
    keys_in_range,
    merge_near,
    rows_of_sets,
    take_numbers,
)
from .types import mixed_numbers
from .values import Plan, StratumIndex, cuts_numbers, stratum_index

dask: Any = load_extra("dask", "dask")
dd: Any = load_extra("dask.dataframe", "dask")

FAN_IN = 8
"""How many results of partitions are merged at once."""

KEYS_AT_ONCE = 1 << 24
"""About how many hashes of keys the driver holds at once."""


class DaskCall(NamedTuple):
    """The columns of a call on a Dask frame."""

    frame: Any
    """The frame, with the columns that are computed for the call."""
    plan: Plan
    """What a worker must know of the call."""


def over_partitions(
    frame: Any,
    plan: Plan,
    function: Callable[..., Any],
    *args: Any,
    own: Iterable[Any] | None = None,
) -> list[Any]:
    """Call a function on each partition, with only the columns that the call reads."""
    where = [] if plan.where is None else [plan.where]
    filled = [] if plan.filled is None else [plan.filled]
    untyped = [use.name for use in plan.uses] if plan.floats is None else []
    wanted = list(dict.fromkeys([*plan.by, *plan.key, *where, *plan.present, *filled, *untyped]))
    return on_each(partitions_of(frame[wanted]), plan, function, args, own)


def on_each(
    rows: Any, plan: Plan, function: Callable[..., Any], args: Any, own: Iterable[Any] | None
) -> list[Any]:
    """Call a function on each partition, with its own item of `own` if there are such items."""
    if isinstance(own, np.ndarray) and len(own) != rows.npartitions:
        raise other_rows()
    call = dask.delayed(function, pure=False)
    shared, *given = (dask.delayed(each, traverse=False) for each in (plan, *args))
    partitions = rows.to_delayed(optimize_graph=False)
    pairs = zip(partitions, repeat(()) if own is None else zip(own), strict=False)
    return [call(partition, shared, *one, *given) for partition, one in pairs]


def merged(results: Sequence[Any], merge: Callable[..., Any], *args: Any) -> Any:
    """Merge the results of partitions in their order, a few at a time, and compute the result."""
    call = dask.delayed(merge, pure=False)
    results = [call([result], *args) for result in results] if len(results) == 1 else results
    while len(results) > 1:
        results = [
            call(list(results[start : start + FAN_IN]), *args)
            for start in range(0, len(results), FAN_IN)
        ]
    return results[0].compute()


def count_frame(frame: Any, plan: Plan) -> tuple[PartitionCounts, tuple[Hashable, ...]]:
    """Count the rows that are alike, and find the columns to read as floats."""
    results = over_partitions(frame, plan, count_partition, own=count())
    held, counts = merged(results, merge_counts, plan)
    if isinstance(counts, StratError):
        raise counts
    floats = mixed_numbers(plan.uses, held) if plan.floats is None else plan.floats
    check_key(zip(map(str, [*plan.key, plan.where]), counts.missing.tolist(), strict=True))
    columns = [
        series if cuts_numbers(term) else with_categories(series, frame._meta[name])
        for series, term, name in zip(counts.columns, plan.terms, plan.by, strict=True)
    ]
    return counts._replace(columns=columns), floats


def order_statistics(frame: Any, plan: Plan, index: StratumIndex, n_strata: int, n: int) -> Words:
    """Find the quantiles of the last column of a plan in each stratum, as words."""

    def count_cells(*found: Any) -> Any:
        return merged(over_partitions(frame, plan, count_numbers, index, *found), np.sum, 0)

    def take(rounds: Any) -> Any:
        return merged(over_partitions(frame, plan, take_numbers, index, rounds), merge_near)[0]

    return quantile_words(n_strata, n, count_cells, take)


def keys_and_folds(call: DaskCall, counts: Counts) -> Iterator[tuple[Words, Ints]]:
    """Collect hashes of keys and their folds in batches; one key is always in one batch."""
    codes = np.arange(len(counts.weights))
    index = stratum_index(counts.native.columns, codes, call.plan)
    n_passes = max(1, -(-int(counts.weights.sum()) // KEYS_AT_ONCE))
    for place in range(n_passes):
        low, high = (2**WORD * edge // n_passes for edge in (place, place + 1))
        results = over_partitions(call.frame, call.plan, keys_in_range, index, low, high - 1)
        ((folds, hashes),) = merged(results, merge_near)
        yield hashes, folds


def leaks_lazily(
    call: DaskCall, counts: PartitionCounts, check: str, sets: StratumIndex | Words
) -> Any:
    """Keep the rows of some sets, or of some hashes of keys, when the frame is computed."""
    meta = call.frame._meta.drop(columns=list(call.plan.computed)).assign(check="", set=0)
    return counted_partitions(call, counts, rows_of_sets, meta, check, sets)


def counted_partitions(
    call: DaskCall, counts: PartitionCounts, function: Callable[..., Any], meta: Any, *args: Any
) -> Any:
    """Call a function on each partition and its checksum, when the frame is computed."""
    rows = partitions_of(call.frame)
    made = on_each(rows, call.plan, function, args, counts.checksums)
    return dd.from_delayed(made, meta=meta, divisions=rows.divisions, verify_meta=False)


def partitions_of(frame: Any) -> Any:
    """Optimize a frame, but keep its partitions the same, whichever columns are read."""
    # `optimize` would join partitions of files when few columns are read, so that passes
    # over other columns would have other partitions.
    return dd.DataFrame(frame.expr.simplify().lower_completely().simplify().fuse())
