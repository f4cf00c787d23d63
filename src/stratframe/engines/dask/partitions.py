"""What a worker does with one partition, a pandas frame: number its rows, add its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ... import frames
from ...core.hashing import hash_keys
from ...core.types import Ints, StratumTable, Words
from ...frames import NewColumn
from ...frames.attach import attach_pandas
from ...pipeline.deal import place_rows
from ..base import PartsByNumber, check_key, parts_by_number, read_filled
from ..cuts import cells_of, other_rows
from ..quantiles import cell_places
from .values import (
    Combinations,
    Plan,
    StratumIndex,
    combinations_of,
    find_strata,
    number_words,
    series_of,
    strata_of,
)

# Rows ------------------------------------------------------------------------------------


class DealtRows(NamedTuple):
    """The rows of a partition that are dealt, as far as `where` says."""

    partition: Any
    """A pandas frame of these rows."""
    positions: Ints
    """Where they are in the partition, shape (n_rows,)."""
    missing: Ints
    """How many values are missing in each column of the key, and in `where`."""


def select_dealt(partition: Any, plan: Plan) -> DealtRows:
    """Select the rows that `where` flags, and count missing values of the key among them."""
    n_rows, missing = len(partition), np.zeros(len(plan.key) + 1, dtype=np.int64)
    flags = np.ones(n_rows, dtype=np.bool_)
    if plan.where is not None:
        flags, unknown = frames.read_flags(partition[plan.where], repr(plan.where))
        missing[-1] = np.count_nonzero(unknown)
    for name in plan.present:
        flags = flags & ~frames.is_missing(partition[name])
    if plan.filled is not None:
        flags = flags & frames.is_missing(partition[plan.filled])
    positions = np.flatnonzero(flags)
    if len(positions) < n_rows:
        partition = partition.iloc[positions]
    for place, name in enumerate(plan.key):
        missing[place] = np.count_nonzero(frames.is_missing(partition[name]))
    return DealtRows(partition, positions, missing)


def numbers_of_rows(rows: DealtRows, plan: Plan) -> list[Words]:
    """Hash the keys of rows for each repeat; all are 0 if one is missing, which is an error."""
    if rows.missing.any() or not len(rows.partition):
        return [np.zeros(len(rows.partition), dtype=np.uint64) for _ in plan.salts]
    columns = [frames.read_key(rows.partition[name]) for name in plan.key]
    return [hash_keys(columns, salt) for salt in plan.salts]


# Checksums -------------------------------------------------------------------------------


def checksum(found: Combinations, numbers: Sequence[Words]) -> Words:
    """Sum up the rows of a partition, in any order, so that other rows are noticed.

    Returns how many rows there are, and the sum of their numbers times a hash of their values.
    """
    # Odd factors, so that no change of a number is lost; of groups, whose rows have no
    # numbers, the values decide alone.
    words = (found.hashes | np.uint64(1))[found.codes]
    if numbers:
        words *= numbers[0]
    return np.array([len(words), words.sum(dtype=np.uint64)], dtype=np.uint64)


# Quantiles -------------------------------------------------------------------------------


def take_numbers(
    partition: Any, plan: Plan, index: StratumIndex, rounds: Sequence[tuple[Ints, int]]
) -> list[tuple[Ints, Words]]:
    """Take the numbers of the rows whose last column, which is cut, is in a cell that is looked at.

    The index is of the entries before. Returns the place of each row's cell among these, at first
    its parent stratum, and its word.
    """
    rows = select_dealt(partition, plan)
    series = series_of(rows.partition, plan)
    words, missing = number_words(series[-1], str(plan.terms[-1]))
    parents = find_strata(series[:-1], index, plan.before(len(series) - 1), len(rows.partition))
    known = np.flatnonzero(~missing & (parents >= 0))
    found, cells = cell_places(parents[known], words[known], rounds)
    return [(cells, words[known][found])]


def count_numbers(
    partition: Any,
    plan: Plan,
    index: StratumIndex,
    rounds: Sequence[tuple[Ints, int]],
    n_cells: int,
    bits: int,
) -> StratumTable:
    """Count the rows of the cells that are looked at by the next bits of their numbers."""
    ((cells, words),) = take_numbers(partition, plan, index, rounds)
    words = words << np.uint64(sum(used for _, used in rounds))
    counts = np.bincount(cells_of(cells, words, bits), minlength=n_cells << bits)
    return counts.reshape(n_cells, 1 << bits)


# Keys ------------------------------------------------------------------------------------


def hashed_keys(rows: DealtRows, plan: Plan) -> tuple[DealtRows, Words]:
    """Restrict rows to those with a key, and hash the keys."""
    lacks = np.logical_or.reduce([frames.is_missing(rows.partition[name]) for name in plan.key])
    known = rows.partition[~lacks]
    rows = rows._replace(partition=known, missing=np.zeros_like(rows.missing))
    return rows, numbers_of_rows(rows, plan._replace(salts=(0,)))[0]


def keys_in_range(
    partition: Any, plan: Plan, index: StratumIndex, low: int, high: int
) -> list[tuple[Ints, Words]]:
    """Find the folds of the rows whose hash of the key is in a range, and these hashes."""
    rows, hashes = hashed_keys(select_dealt(partition, plan), plan)
    inside = (hashes >= np.uint64(low)) & (hashes <= np.uint64(high))
    strata = find_strata(series_of(rows.partition, plan), index, plan, len(rows.partition))
    return [(strata[inside].astype(np.int32), hashes[inside])]


def rows_of_sets(
    partition: Any,
    plan: Plan,
    counted: Words,
    check: str,
    sets: StratumIndex | Words,
) -> Any:
    """Keep the rows of some sets, or of some hashes of keys, and say which set each is of."""
    rows = select_dealt(partition, plan)
    if isinstance(sets, StratumIndex):
        found, _ = same_rows(rows, plan, sets, counted)
    else:
        rows, hashes = hashed_keys(rows, plan)
        found = np.searchsorted(sets, hashes)
        found[~np.isin(hashes, sets)] = -1
    kept = np.flatnonzero(found >= 0)
    columns = rows.partition.drop(columns=list(plan.computed))
    return columns.iloc[kept].assign(check=check, set=found[kept])


# Columns ---------------------------------------------------------------------------------


def rows_near_cuts(
    partition: Any,
    plan: Plan,
    counted: Words,
    index: StratumIndex,
    flagged: Sequence[np.ndarray],
    bits: int,
) -> list[tuple[Ints, Words]]:
    """Find the strata and numbers of the rows in flagged cells, for each salt; flags are packed."""
    rows = select_dealt(partition, plan)
    codes, words = same_rows(rows, plan, index, counted)
    near = []
    for packed, numbers in zip(flagged, words, strict=True):
        flags = np.unpackbits(packed).view(np.bool_)
        # A row that is not dealt has a cell below 0, which is one of the last stratum.
        rows_near = np.flatnonzero(flags[cells_of(codes, numbers, bits)] & (codes >= 0))
        near.append((codes[rows_near].astype(np.int32), numbers[rows_near]))
    return near


def same_rows(
    rows: DealtRows, plan: Plan, index: StratumIndex, counted: Words
) -> tuple[Ints, list[Words]]:
    """Find the strata and numbers of rows, and check that these are the counted ones."""
    found = combinations_of(series_of(rows.partition, plan), plan, len(rows.partition))
    numbers = numbers_of_rows(rows, plan)
    if not np.array_equal(checksum(found, numbers), counted):
        raise other_rows()
    return strata_of(found, index)[found.codes], numbers


def merge_near(several: Sequence[Sequence[tuple[Ints, Words]]]) -> list[tuple[Ints, Words]]:
    """Put rows near cuts one below the other, for each repeat."""
    return [
        (
            np.concatenate([codes for codes, _ in repeat]),
            np.concatenate([numbers for _, numbers in repeat]),
        )
        for repeat in zip(*several, strict=True)
    ]


def equal_keys(partition: Any, plan: Plan, split_by_cut: Sequence[Words]) -> Any:
    """Take the keys of the rows that share their number with others at a cut point."""
    rows = select_dealt(partition, plan)
    is_split_by_cut = np.zeros(len(rows.partition), dtype=np.bool_)
    for numbers, shared in zip(numbers_of_rows(rows, plan), split_by_cut, strict=True):
        is_split_by_cut |= np.isin(numbers, shared)
    return rows.partition.loc[is_split_by_cut, list(plan.key)]


def add_columns(
    partition: Any,
    plan: Plan,
    counted: Words | None,
    outputs: Sequence[NewColumn],
    index: StratumIndex | None,
    parts: Sequence[PartsByNumber],
) -> Any:
    """Add columns of parts to a partition, or fill one; without an index rows are one stratum."""
    rows = select_dealt(partition, plan)
    if index is None or counted is None:
        check_key(zip(map(str, [*plan.key, plan.where]), rows.missing.tolist(), strict=True))
        codes, numbers = np.zeros(len(rows.positions), np.int64), numbers_of_rows(rows, plan)
    else:
        codes, numbers = same_rows(rows, plan, index, counted)
    # Groups have no points, and their rows no numbers.
    numbers = numbers or [np.broadcast_to(np.uint64(0), len(codes))] * len(parts)
    dealt = [parts_by_number(codes, *each) for each in zip(numbers, parts, strict=True)]
    if plan.filled is not None:
        given = read_filled(partition[plan.filled], outputs[0], parts[0].points.shape[1] + 1)
        given[rows.positions] = dealt[0]
        return attach_placed(partition, plan, outputs, [given])
    positions = rows.positions if len(rows.positions) < len(partition) else None
    placed = [place_rows(each, positions, len(partition)) for each in dealt]
    return attach_placed(partition, plan, outputs, placed)


def attach_placed(
    partition: Any, plan: Plan, outputs: Sequence[NewColumn], parts: Sequence[Ints]
) -> Any:
    """Attach columns of the parts of all rows, and drop those that were computed for the call."""
    columns = [output._replace(parts=each) for output, each in zip(outputs, parts, strict=True)]
    return attach_pandas(partition.drop(columns=list(plan.computed)), columns)


def empty_like(meta: Any, plan: Plan, outputs: Sequence[NewColumn]) -> Any:
    """Make the frame without rows that tells what the result will be."""
    return attach_placed(meta, plan, outputs, [output.parts for output in outputs])
