"""Assign folds to the rows without a fold, and leave the folds of all other rows unchanged."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from .. import frames
from ..core.deal import deal_by_rank
from ..core.fill import fill_by_shares, fill_evenly
from ..core.groups.assign import extend_units
from ..core.groups.enumeration import assign_best, can_enumerate
from ..core.groups.local_search import Stream
from ..core.seeds import StreamTag, random_words
from ..core.strata import distinct_values, first_occurrence, order_of_strata
from ..core.types import Flags, Ints, StratumTable, Words
from ..errors import StratError, describe, describe_rows, plural, preview, with_full_stop
from ..frames import Frame, NewColumn
from ..terms.base import BoundTerm
from .check_data import rows_where
from .nest import Columns, DealtRows, Strata, place_rows
from .options import Options, Target, fold_target, write_groups
from .parts import (
    empty_outputs,
    part_sizes,
    warn_empty_parts,
    warn_far_parts,
    warn_missed_counts,
)
from .random_numbers import column_stream, row_numbers
from .stratify import choose_rows, nest_rows, without_orders


def extended_columns(
    options: Sequence[Options], k: int | None, columns: Columns, n_rows: int
) -> list[NewColumn]:
    return [
        extended_column(each, k, columns, column, n_rows, named=len(options) > 1)
        for each, column in zip(options, columns["name"], strict=True)
    ]


def extended_column(
    options: Options, k: int | None, columns: Columns, column: Any, n_rows: int, *, named: bool
) -> NewColumn:
    """Extend one column; if `named`, warnings give the name of the column."""
    options, parts = read_target(options, k, column)
    columns = with_old_rows(columns, parts >= 0)
    dealt = choose_rows(options, columns, n_rows)
    strata = nest_rows(without_orders(dealt), options)
    rows = np.arange(n_rows) if dealt.rows is None else dealt.rows
    folds = parts
    if dealt.group is not None:
        groups = groups_of_frame(options, columns, dealt, n_rows)
        folds = folds_of_groups(options, groups, dealt.groups, column, parts)
        group = without_gaps(groups[rows])
        strata = strata._replace(dealt=replace(strata.dealt, group=group))
    parts[rows] = extend_dealt(options, strata, folds[rows])
    sizes = {options.name: part_sizes(parts, options.target)}
    warn_empty_parts(options.target, strata.n_rows, sizes, named=named)
    if dealt.group is None:
        warn_missed_counts(options.target, sizes, named=named)
    else:
        dealt_sizes = {options.name: part_sizes(parts[rows], options.target)}
        warn_far_parts(options, strata.n_rows, dealt_sizes, named=named)
    return empty_outputs(options)[0]._replace(parts=parts)


def without_gaps(groups: Ints) -> Ints:
    """Number groups anew, in the same order, as groups without a dealt row leave gaps."""
    has_rows = np.bincount(groups) > 0
    numbers: Ints = (np.cumsum(has_rows) - 1)[groups]
    return numbers


def with_old_rows(columns: Columns, has_fold: Flags) -> Columns:
    """Let `where` also choose the rows that have a fold, so that their folds count."""
    if not columns.get("where"):
        return columns
    (where,) = columns["where"]
    flags = has_fold.copy()
    flags[rows_where(where)] = True
    library = frames.library_of(where)
    return {**columns, "where": [frames.make_frame(library, {"where": flags})["where"]]}


def groups_of_frame(options: Options, columns: Columns, dealt: DealtRows, n_rows: int) -> Ints:
    """Number the groups of all rows that `where` and `missing` choose, with -1 for other rows.

    Also rows that `rare` leaves out keep their fold, which their group must share.
    """
    assert dealt.group is not None
    if dealt.rows is None:
        return dealt.group
    alone = Options(groups=options.groups, where=options.where, missing=options.missing)
    read = {argument: columns[argument] for argument in ("groups", "where")}
    grouped = choose_rows(alone, read, n_rows)
    assert grouped.group is not None
    return place_rows(grouped.group, grouped.rows, n_rows)


def folds_of_groups(
    options: Options, groups: Ints, entries: Sequence[BoundTerm], column: Any, parts: Ints
) -> Ints:
    """Check that each group is in one fold, and return the fold of each row's group, or -1.

    `groups` is -1 for rows that the call does not choose; their folds have no meaning.
    """
    series: list[Any] = []
    for entry in entries:
        series += entry.series
    folds = np.where(groups < 0, -1, parts)
    check_whole_groups(options, groups, [*series, column], folds)
    return folds_of_units(groups, int(groups.max()) + 1, folds)[groups]


def target_of(frame: Frame, name: str, target: Target, k: int | None) -> Target:
    """Return the target of a call or, if the call gives none, the parts that a column declares."""
    if k is not None or target.names is not None:
        return target
    names = frames.declared_parts(frame, name)
    if names is None:
        return target
    return Target(len(names), "part", names)


def read_target(
    options: Options, k: int | None, column: Any, weights: Ints | None = None
) -> tuple[Options, Ints]:
    """Return the options with the final target, and the fold or part of every row (-1 for none)."""
    target = options.target
    if target.names is None:
        parts, k = frames.read_fold_numbers(column, k, weights)
        return replace(options, target=fold_target(k)), parts
    parts = frames.read_part_codes(column, target.names)
    if target.shares is None:
        counts = part_sizes(parts, target, weights).tolist()
        target = replace(target, shares=shares_of_counts(target.names, counts))
    return replace(options, target=target), parts


def shares_of_counts(names: Sequence[str], counts: Sequence[int]) -> tuple[Fraction, ...]:
    """Return the shares of the rows that have a part."""
    if len(names) == 1:
        msg = (
            f"`extend` would put all rows into the only part, {names[0]!r}."
            "\nHint: give the shares, as in `parts=0.2`."
        )
        raise StratError(msg)
    if 0 in counts:
        empty = [repr(name) for name, count in zip(names, counts, strict=True) if not count]
        msg = (
            f"`extend` needs rows in each part to find its share, but there are none in"
            f" {preview(empty, len(empty))}.\nHint: give the shares with `parts=`."
        )
        raise StratError(msg)
    return tuple(Fraction(count, sum(counts)) for count in counts)


def check_whole_groups(options: Options, groups: Ints, series: Sequence[Any], folds: Ints) -> None:
    """Raise an error if a group is already in several folds; the last series holds the folds."""
    n_groups = int(groups.max(initial=-1)) + 1
    first_folds = folds_of_units(groups, n_groups, folds)
    has_fold = folds >= 0
    is_split = np.zeros(n_groups, dtype=np.bool_)
    is_split[groups[has_fold & (folds != first_folds[groups])]] = True
    rows = np.flatnonzero(is_split[groups] & has_fold)
    if len(rows):
        raise split_error(options, groups, series, folds, rows)


def split_error(
    options: Options, groups: Ints, series: Sequence[Any], folds: Ints, rows: Ints
) -> StratError:
    """Make the error for groups in several folds; `rows` are their rows that have a fold."""
    n_split = len(distinct_values(groups[rows]))
    example = describe_split_group(options, groups, series, folds, rows[0])
    instead = ""
    if options.groups[0].only_groups:  # new rows can link groups, and are listed first
        is_link = (folds < 0) & np.isin(groups, groups[rows])
        rows = np.append(np.flatnonzero(is_link), rows)
        instead = "leave out rows that link them, or "
    verb = "is" if n_split == 1 else "are"
    kind = options.target.kind
    call = "kfold" if kind == "fold" else "split"
    msg = (
        f"`extend` needs each group in one {kind}, but {plural(n_split, 'group')} in"
        f" {describe_rows(rows)} {verb} in several: for instance"
        f" {with_full_stop(example)}\nHint: {instead}make the column with groups, as in"
        f" `df.strat.{call}(..., groups={write_groups(options.groups)})`."
    )
    columns: dict[Hashable, Any] = {}
    for place, column in enumerate(series, 1):
        columns[f"group {place}" if column.name is None else column.name] = column
    return StratError(msg, frames.rules.failing_rows(frames.library_of(series[-1]), columns, rows))


def describe_split_group(
    options: Options, groups: Ints, series: Sequence[Any], folds: Ints, row: int
) -> str:
    """Write the folds that hold the group of a row, with its values if it has any."""
    labels = options.target.names or range(options.target.n)
    in_group = (groups == groups[row]) & (folds >= 0)
    texts = [repr(labels[fold]) for fold in distinct_values(folds[in_group])]
    several_folds = f"{options.target.kind}s {preview(texts, len(texts))}"
    if any(term.uses_row_order for term in options.groups):
        return several_folds
    values = [frames.to_list(frames.take(column, np.array([row])))[0] for column in series[:-1]]
    return f"{', '.join(map(describe, values))} in {several_folds}"


def extend_dealt(options: Options, strata: Strata, folds: Ints) -> Ints:
    stream = column_stream(options, StreamTag.EXTEND)
    group = strata.dealt.group
    if group is None and strata.margins is None:
        return extend_rows(options, strata, folds, stream)
    shares = np.array(options.target.fractions(len(folds)), dtype=np.float64)
    if group is None:
        counts = np.bincount(folds[folds >= 0], minlength=len(shares))[None]
        room = fill_target(options, stream, counts, np.array([(folds < 0).sum()]))[0]
        return extend_units(strata.units(), folds, shares, stream, room).astype(np.int64)
    group_folds = folds_of_units(group, int(group.max(initial=-1)) + 1, folds)
    n_new = int((group_folds < 0).sum())
    if options.target.kind == "part" and can_enumerate(n_new, options.target.n):
        return assign_best(strata.units(), group_folds, shares, stream)[group]
    return extend_units(strata.units(), group_folds, shares, stream)[group].astype(np.int64)


def fill_target(options: Options, stream: Stream, counts: StratumTable, new: Ints) -> StratumTable:
    """Allocate new rows so that folds become even, or so that parts come close to their shares."""
    if options.target.kind == "fold":
        return fill_evenly(counts, new, stream(options.target.n))
    shares = options.target.fractions(int(counts.sum() + new.sum()))
    return fill_by_shares(counts, new, np.array(shares, dtype=np.float64), stream(len(new)))


def extend_rows(options: Options, strata: Strata, folds: Ints, stream: Stream) -> Ints:
    """Assign folds to ungrouped rows, evenly in each stratum and, as far as possible, in total."""
    new = np.flatnonzero(folds < 0)
    keys = strata.dealt.keys
    lowest = None
    if keys is not None:
        lowest = strata.lowest(keys.hash(ORDER_SALT))
        keys = keys.select(new)
    table = quota_of_new(options, strata, folds, stream, lowest)
    numbers, second = row_numbers(keys, len(new), stream, stream)
    extended = folds.copy()
    extended[new] = deal_by_rank(strata.codes[new], table, numbers, second)
    return extended


ORDER_SALT = int(random_words(0, StreamTag.EXTEND, 1)[0])
"""The salt of the key hashes that determine the order of the strata."""


def quota_of_new(
    options: Options, strata: Strata, folds: Ints, stream: Stream, lowest: Words | None
) -> StratumTable:
    """Compute how many of the new rows of each stratum go to each part.

    Strata are processed in the order of their codes or, with keys, of their lowest key hashes.
    """
    # The last column counts the rows without a fold.
    n = options.target.n + 1
    table = strata.crosstab(folds % n, n)
    order = np.arange(len(table))
    if lowest is not None:
        order = order_of_strata(lowest, strata.ancestors)
    quota = np.empty_like(table[:, :-1])
    quota[order] = fill_target(options, stream, table[order, :-1], table[order, -1])
    return quota


def folds_of_units(unit: Ints, n_units: int, folds: Ints) -> Ints:
    """Return the fold of each group, or -1 for a group without a fold."""
    rows = np.flatnonzero(folds >= 0)
    return np.append(folds[rows], -1)[first_occurrence(unit[rows], n_units)]
