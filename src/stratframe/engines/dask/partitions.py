"""What a worker does with one partition, a pandas frame: it numbers rows and adds columns."""

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
    """The rows of a partition that are dealt."""

    partition: Any
    """A pandas frame of these rows."""
    positions: Ints
    """Their positions in the partition, shape (n_rows,)."""
    missing: Ints
    """How many values are missing in each column of the key, and in `where`."""


def select_dealt(partition: Any, plan: Plan) -> DealtRows:
    """Select the rows that are dealt, and count missing values of the key among them."""
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
    """Hash the keys of rows for each salt; all are 0 if one is missing, which is an error."""
    if rows.missing.any() or not len(rows.partition):
        return [np.zeros(len(rows.partition), dtype=np.uint64) for _ in plan.salts]
    columns = [frames.read_key(rows.partition[name]) for name in plan.key]
    return [hash_keys(columns, salt) for salt in plan.salts]


# Checksums -------------------------------------------------------------------------------


def checksum(found: Combinations, numbers: Sequence[Words]) -> Words:
    """Compute a checksum of the rows of a partition, to tell if a second pass finds others.

    It does not depend on the order of the rows. It holds how many rows there are, and the sum of
    their numbers times a hash of their values.
    """
    # The factors are odd, so that no change of a number is lost. Rows that are dealt by groups have
    # no numbers: there the values alone decide.
    words = (found.hashes | np.uint64(1))[found.codes]
    if numbers:
        words *= numbers[0]
    return np.array([len(words), words.sum(dtype=np.uint64)], dtype=np.uint64)


# Quantiles -------------------------------------------------------------------------------


def take_numbers(
    partition: Any, plan: Plan, index: StratumIndex, rounds: Sequence[tuple[Ints, int]]
) -> list[tuple[Ints, Words]]:
    """Take the rows whose value in the last column is in a cell of the last round.

    The last column is the one that is cut, and the index is of the entries before it. Returns the
    place of each row's cell among these cells, which is its parent stratum if there was no round
    yet, and the word of each row.
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
    """Count the rows in the cells of the last round by the next bits of their words."""
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
    """Find the rows whose key has a hash from `low` to `high`: their folds and their hashes."""
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
    """Keep the rows of some sets, or of some hashes of keys, and add the set of each row."""
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
        # A row that is not dealt has a negative cell, which would take a flag of the last stratum.
        rows_near = np.flatnonzero(flags[cells_of(codes, numbers, bits)] & (codes >= 0))
        near.append((codes[rows_near].astype(np.int32), numbers[rows_near]))
    return near


def same_rows(
    rows: DealtRows, plan: Plan, index: StratumIndex, counted: Words
) -> tuple[Ints, list[Words]]:
    """Find the strata and numbers of rows, or raise if these are not the rows that were counted."""
    found = combinations_of(series_of(rows.partition, plan), plan, len(rows.partition))
    numbers = numbers_of_rows(rows, plan)
    if not np.array_equal(checksum(found, numbers), counted):
        raise other_rows()
    return strata_of(found, index)[found.codes], numbers


def merge_near(several: Sequence[Sequence[tuple[Ints, Words]]]) -> list[tuple[Ints, Words]]:
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
    """Add columns of parts to a partition, or fill one; without an index, rows are one stratum."""
    rows = select_dealt(partition, plan)
    if index is None or counted is None:
        check_key(zip(map(str, [*plan.key, plan.where]), rows.missing.tolist(), strict=True))
        codes, numbers = np.zeros(len(rows.positions), np.int64), numbers_of_rows(rows, plan)
    else:
        codes, numbers = same_rows(rows, plan, index, counted)
    # Groups have no cut points, and so their rows need no numbers.
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
    """Attach the parts of all rows as columns, and drop the columns computed for the call."""
    columns = [output._replace(parts=each) for output, each in zip(outputs, parts, strict=True)]
    return attach_pandas(partition.drop(columns=list(plan.computed)), columns)


def empty_like(meta: Any, plan: Plan, outputs: Sequence[NewColumn]) -> Any:
    """Make a frame without rows that shows the columns and types of the result."""
    return attach_placed(meta, plan, outputs, [output.parts for output in outputs])
