"""Call functions on the partitions of a Dask frame, and merge their results."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
import pandas as pd
import polars as pl

from ... import frames
from ...checks import load_extra
from ...core.types import Flags, Ints, StratumTable, Words
from ...errors import StratError
from ...frames import NewColumn
from ...frames.attach import attach_pandas
from ...pipeline.nest import place_rows
from ..base import PartsByNumber, check_key, file_is_gone, parts_by_number, read_filled
from ..cells import WORD, cells_of
from ..quantiles import Round, cell_places
from .kinds import Kinds, choose_types, kinds_in, numbers_in
from .rows import Plan, find_codes, hash_entries, read_rows, same_rows

dask: Any = load_extra("dask", "dask")
dd: Any = load_extra("dask.dataframe", "dask")
delayed: Any = load_extra("dask.delayed", "dask")

FAN_IN = 16
"""The maximum number of results that one task merges."""

KEYS_AT_ONCE = 1 << 24
"""The approximate maximum number of key hashes that the driver holds at once."""


class Columns:
    """The columns that a call reads from a frame."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    @cached_property
    def tasks(self) -> tuple[dict[Any, Any], list[Any]]:
        """The tasks that read the partitions, and the tasks' keys. All passes share them."""
        # `optimize` would combine partitions of files when few columns are read.
        expr = self.frame.expr.simplify().lower_completely().simplify().fuse()
        return expr.__dask_graph__(), expr.__dask_keys__()


class DaskCall(NamedTuple):
    """The columns of a call on a Dask frame."""

    frame: Any
    """The frame, with additional columns that are computed for the call."""
    plan: Plan
    wanted: Columns


def over_partitions(
    call: DaskCall,
    function: Callable[..., Any],
    merge: Callable[[Sequence[Any]], Any],
    plan: Plan | None = None,
) -> tuple[DaskCall, Any]:
    """Call a function on each partition, and merge the results in the order of the partitions.

    The function takes a partition with the columns that the call reads, and the plan. The first
    pass of a call also chooses how to read columns with several kinds of values.
    """
    whole = call.plan
    bound = partial(function, plan=(plan or whole)._replace(read_as=whole.read_as))
    kinds, result = compute_tree(
        call.wanted,
        partial(read_typed, plan=whole, function=bound),
        partial(merge_typed, plan=whole, merge=merge),
    )
    if whole.read_as is None:
        call = call._replace(plan=whole._replace(read_as=choose_types(kinds, whole)))
        if result is None:
            return over_partitions(call, function, merge, plan)
    if isinstance(result, StratError):
        raise result
    return call, result


def compute_tree(
    columns: Columns, read: Callable[[Any, int], Any], merge: Callable[[Sequence[Any]], Any]
) -> Any:
    """Read each partition, given its number, and merge a few results at a time, in their order."""
    of_one = dask.delayed(read, traverse=False)
    of_few = dask.delayed(merge, traverse=False)
    reads, keys = columns.tasks
    graph = {**reads, **of_one.dask, **of_few.dask}
    name = f"stratframe-{uuid4().hex}"
    tasks: list[Any] = [(operator.call, of_one.key, key, number) for number, key in enumerate(keys)]
    level = 0
    while level == 0 or len(tasks) > 1:
        keys = [f"{name}-{level}-{place}" for place in range(len(tasks))]
        graph |= zip(keys, tasks, strict=True)
        groups = [keys[start : start + FAN_IN] for start in range(0, len(keys), FAN_IN)]
        tasks = [(operator.call, of_few.key, group) for group in groups]
        level += 1
    graph[name] = tasks[0]
    return compute(delayed.Delayed(name, graph))[0]


def compute(*tasks: Any) -> tuple[Any, ...]:
    """Compute tasks; raise an error of ours if a file was removed after the frame was made."""
    try:
        results: tuple[Any, ...] = dask.compute(*tasks, traverse=False)
    except FileNotFoundError as error:
        raise file_is_gone(str(error)) from error
    return results


Typed = tuple[Kinds, Any]
"""The kinds of values in some partitions, and the result of applying a function to these
partitions. The result is an error if values cannot be read, and None if classes must be read again
as objects."""


def read_typed(partition: Any, number: int, *, plan: Plan, function: Callable[[Any], Any]) -> Typed:
    kinds: Kinds = {}
    if plan.read_as is None:
        kinds = kinds_in(partition, number, plan)
    try:
        return kinds, function(partition)
    except StratError as error:  # raised later, unless mixed types are the cause
        return kinds, error


def merge_typed(
    several: Sequence[Typed], *, plan: Plan, merge: Callable[[Sequence[Any]], Any]
) -> Typed:
    kinds: Kinds = {}
    for kinds_of_few, _ in several:
        for use, partitions in kinds_of_few.items():
            kinds[use] = {**partitions, **kinds.get(use, {})}
    if "objects" in choose_types(kinds, plan).values():
        return kinds, None
    results = [result for _, result in several]
    for result in results:
        if result is None or isinstance(result, StratError):
            return kinds, result
    return kinds, merge(results)


def join_arrays(several: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    return tuple(np.concatenate(each) for each in zip(*several, strict=True))


# Quantiles -------------------------------------------------------------------------------


def take_numbers(
    partition: Any, plan: Plan, index: pl.DataFrame, rounds: Sequence[Round]
) -> tuple[Ints, Words]:
    """Find the rows whose value in the last entry is in one of the cells of the last round.

    The cells become smaller in each round of the search, which starts with the parent strata.
    Returns the place of each row's cell, and the word of each row's value.
    """
    rows = read_rows(partition, plan)
    missing = frames.is_missing(numbers_in(rows.partition[plan.names[-1]]))
    parents = find_codes(rows.groups.table, index)[0][rows.groups.codes]
    positions = np.flatnonzero(~missing & (parents >= 0))
    words = rows.words[len(plan.terms) - 1][positions]
    inside, cells = cell_places(parents[positions], words, rounds)
    return cells, words[inside]


def count_numbers(
    partition: Any,
    plan: Plan,
    index: pl.DataFrame,
    rounds: Sequence[Round],
    n_cells: int,
    bits: int,
) -> StratumTable:
    """Count the rows in each cell of the last round by the next `bits` bits of their words."""
    cells, words = take_numbers(partition, plan, index, rounds)
    words = words << np.uint64(sum(used for _, used in rounds))
    counts = np.bincount(cells_of(cells, words, bits), minlength=n_cells << bits)
    return counts.reshape(n_cells, 1 << bits)


# Keys ------------------------------------------------------------------------------------


def rows_near_cuts(
    partition: Any,
    plan: Plan,
    index: pl.DataFrame,
    checksums: Words,
    flagged: Sequence[np.ndarray],
    bits: int,
) -> list[tuple[Ints, Words]]:
    """For each salt, find the strata and numbers of the rows in flagged cells; flags are packed."""
    rows, codes = same_rows(partition, plan, index, checksums, plan.salts)
    rows_of_salts = []
    for packed, numbers in zip(flagged, rows.numbers, strict=True):
        is_flagged = np.unpackbits(packed).view(np.bool_)
        # Rows that are not dealt have negative cells, which index flags of the last stratum.
        is_near = is_flagged[cells_of(codes, numbers, bits)] & (codes >= 0)
        rows_of_salts.append((codes[is_near].astype(np.int32), numbers[is_near]))
    return rows_of_salts


def merge_near(several: Sequence[Sequence[tuple[Ints, Words]]]) -> list[tuple[Any, ...]]:
    return [join_arrays(each) for each in zip(*several, strict=True)]


def equal_keys(partition: Any, plan: Plan, salts: Sequence[int], numbers: Sequence[Words]) -> Any:
    """Return the keys of the rows whose number with a salt is in the array for this salt."""
    rows = read_rows(partition, plan, salts)
    pairs = zip(rows.numbers, numbers, strict=True)
    is_wanted = np.logical_or.reduce([np.isin(*pair) for pair in pairs])
    return rows.partition.loc[is_wanted, list(plan.key)]


Keys = tuple[pl.DataFrame, int]
"""A table with a hash of the key and a hash of the fold for each row, and the highest key hash up
to which the table is complete. If a row has no fold, the hash of the fold is 0."""


def keys_and_folds(call: DaskCall) -> Iterator[tuple[Words, Ints]]:
    """Yield batches of key hashes and folds (-1 if missing), with equal keys in the same batch."""
    last = -1
    while last < 2**WORD - 1:
        function = partial(hashes_of_keys, first=last + 1)
        merge = partial(merge_keys, first=last + 1)
        call, (rows, last) = over_partitions(call, function, merge)
        folds = rows["fold"].to_numpy()
        yield rows["hash"].to_numpy(), np.where(folds == 0, -1, pd.factorize(folds)[0])


def hashes_of_keys(partition: Any, plan: Plan, first: int) -> Keys:
    rows = read_rows(partition, plan, [0], keyed=True)
    folds = rows.groups.table[["0"]]
    words = np.where(folds["0"].is_null(), np.uint64(0), hash_entries(folds))
    keys = pl.DataFrame({"hash": rows.numbers[0], "fold": words[rows.groups.codes]})
    if first:
        keys = keys.filter(pl.col("hash") >= first)
    return keys, 2**WORD - 1


def merge_keys(several: Sequence[Keys], first: int) -> Keys:
    """Merge keys; if the driver cannot hold all of them, keep the keys with the lowest hashes."""
    rows = pl.concat([keys for keys, _ in several])
    last = min(end for _, end in several)
    while len(rows := rows.filter(pl.col("hash") <= last)) > KEYS_AT_ONCE and last > first:
        last = (first + last) // 2
    return rows, last


# Results ---------------------------------------------------------------------------------


def over_rows(frame: Any, meta: Any, function: Callable[[Any], Any]) -> Any:
    """Call a function on each partition when the frame is computed."""
    # Without `delayed`, Dask would confuse partial functions in which two options are swapped.
    bound = dask.delayed(function, traverse=False)
    return frame.map_partitions(apply, bound, meta=meta, enforce_metadata=False)


def apply(partition: Any, function: Callable[[Any], Any]) -> Any:
    return function(partition)


def flags_of(partition: Any, *, flag: Callable[[Any], Flags]) -> Any:
    return pd.Series(flag(partition), index=partition.index)


def add_sets(
    partition: Any, *, find_sets: Callable[[Any], Ints], check: str, old_labels: Sequence[Any]
) -> Any:
    """Add the columns `check` and `set` to some columns."""
    return partition[list(old_labels)].assign(check=check, set=find_sets(partition))


def has_set(partition: Any) -> Flags:
    return np.asarray(partition["set"] >= 0)


def sets_of_rows(partition: Any, *, plan: Plan, index: pl.DataFrame, checksums: Words) -> Ints:
    """Find the code of each row in the index, or -1 if it has none."""
    rows, codes = same_rows(partition, plan, index, checksums)
    return place_rows(codes, rows.positions, len(partition))


def sets_of_keys(partition: Any, *, plan: Plan, keys: Words) -> Ints:
    """Find the place of each row's hash of the key in the ascending `keys`, or -1."""
    rows = read_rows(partition, plan, [0], keyed=True)
    hashes = rows.numbers[0]
    is_leaking = np.isin(hashes, keys)
    places = np.where(is_leaking, np.searchsorted(keys, hashes), -1)
    return place_rows(places, rows.positions, len(partition))


def add_columns(
    partition: Any,
    *,
    plan: Plan,
    index: pl.DataFrame | None,
    checksums: Words | None,
    outputs: Sequence[NewColumn],
    parts: Sequence[PartsByNumber],
    salts: Sequence[int],
    fill: bool,
    old_labels: Sequence[Any],
) -> Any:
    """Add columns of parts to some columns; without an index, all rows form one stratum."""
    if index is None or checksums is None:
        rows = read_rows(partition, plan, salts)
        check_key(zip(plan.key_and_where(), rows.missing.tolist(), strict=True))
        codes = np.zeros(len(rows.positions), np.int64)
    else:
        rows, codes = same_rows(partition, plan, index, checksums, salts)
    # Groups have no cut points, so their rows need no numbers.
    numbers = rows.numbers or [np.broadcast_to(np.uint64(0), len(codes))] * len(parts)
    positions = rows.positions if len(codes) < len(partition) else None
    columns = []
    for output, words, cuts in zip(outputs, numbers, parts, strict=True):
        new_parts = place_rows(parts_by_number(codes, words, cuts), positions, len(partition))
        if fill:
            old_parts = read_filled(partition[plan.names[-1]], output, cuts.points.shape[1] + 1)
            new_parts = np.where(new_parts < 0, old_parts, new_parts)
        columns.append(output._replace(parts=new_parts))
    return attach_pandas(partition[list(old_labels)], columns)
