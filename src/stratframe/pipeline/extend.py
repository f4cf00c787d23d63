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
from ..core.strata import first_occurrence, order_of_strata, sum_by
from ..core.types import Flags, Ints, StratumTable, Words
from ..errors import StratError, describe, describe_rows, plural, preview, with_full_stop
from ..frames import Frame, NewColumn
from .check_data import rows_where
from .nest import Columns, DealtRows, Strata, place_rows
from .options import Options, Target, fold_target, write_groups
from .parts import empty_outputs, part_sizes, warn_empty_parts, warn_far_parts
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
    options, parts = read_given(options, k, column)
    columns = with_held_rows(columns, parts >= 0)
    dealt = choose_rows(options, columns, n_rows)
    strata = nest_rows(without_orders(dealt), options)
    rows = np.arange(n_rows) if dealt.rows is None else dealt.rows
    known = parts
    if dealt.group is not None:
        groups = groups_of_frame(options, columns, dealt, n_rows)
        series = [each for entry in dealt.groups for each in entry.series]
        known = np.where(groups < 0, -1, parts)
        check_whole_groups(options, groups, [*series, column], known)
        known = folds_of_units(groups, int(groups.max()) + 1, known)[groups]
        group = np.unique(groups[rows], return_inverse=True)[1]
        strata = strata._replace(dealt=replace(strata.dealt, group=group))
    parts[rows] = extend_dealt(options, strata, known[rows])
    sizes = {options.name: part_sizes(parts, options.target)}
    warn_empty_parts(options.target, strata.n_rows, sizes, named=named)
    if dealt.group is not None:
        of_dealt = {options.name: part_sizes(parts[rows], options.target)}
        warn_far_parts(options, strata.n_rows, of_dealt, named=named)
    (output,) = empty_outputs(options)
    return output._replace(parts=parts)


def with_held_rows(columns: Columns, is_held: Flags) -> Columns:
    """Let `where` also choose the rows that have a fold, so that their folds count."""
    if not columns.get("where"):
        return columns
    (where,) = columns["where"]
    flags = is_held.copy()
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
    chosen = {argument: columns[argument] for argument in ("groups", "where")}
    every = choose_rows(alone, chosen, n_rows)
    assert every.group is not None
    return place_rows(every.group, every.rows, n_rows)


def target_of(frame: Frame, name: str, target: Target, k: int | None) -> Target:
    """Return the target of a call or, if the call gives none, the parts that a column declares."""
    names = frames.declared_parts(frame, name) if k is None and target.names is None else None
    return target if names is None else Target(len(names), "part", names)


def read_given(
    options: Options, k: int | None, column: Any, weights: Ints | None = None
) -> tuple[Options, Ints]:
    """Return the options with the final target, and the fold or part of every row (-1 for none)."""
    target = options.target
    if target.names is None:
        parts, k = frames.read_fold_numbers(column, k, weights)
        return replace(options, target=fold_target(k)), parts
    parts = frames.read_part_codes(column, target.names)
    if target.shares is None:  # take the shares from the rows that have a part
        held = parts >= 0
        weights = None if weights is None else weights[held]
        counts = sum_by(parts[held], weights, target.n).tolist()
        if target.n == 1:
            msg = (
                f"`extend` would put all rows into the only part, {target.names[0]!r}."
                "\nHint: give the shares, as in `parts=0.2`."
            )
            raise StratError(msg)
        if 0 in counts:
            names = [repr(name) for name, n in zip(target.names, counts, strict=True) if not n]
            msg = (
                f"`extend` needs rows in each part to find its share, but there are none in"
                f" {preview(names, len(names))}.\nHint: give the shares with `parts=`."
            )
            raise StratError(msg)
        target = replace(target, shares=tuple(Fraction(n, sum(counts)) for n in counts))
    return replace(options, target=target), parts


def check_whole_groups(options: Options, groups: Ints, series: Sequence[Any], folds: Ints) -> None:
    """Raise an error if a group is already in several folds; the last series holds the folds."""
    n_groups = int(groups.max(initial=-1)) + 1
    known = folds_of_units(groups, n_groups, folds)
    is_split = np.zeros(n_groups, dtype=np.bool_)
    is_split[groups[(folds >= 0) & (folds != known[groups])]] = True
    rows = np.flatnonzero(is_split[groups] & (folds >= 0))
    if not len(rows):
        return
    shown: dict[Hashable, Any] = {
        f"group {place}" if column.name is None else column.name: column
        for place, column in enumerate(series, 1)
    }
    kind, labels = options.target.kind, options.target.names or range(options.target.n)
    of_first = folds[(groups == groups[rows[0]]) & (folds >= 0)]
    found = [repr(labels[part]) for part in np.unique(of_first)]
    example = f"{kind}s {preview(found, len(found))}"
    if not any(term.uses_row_order for term in options.groups):
        values = [frames.to_list(frames.take(column, rows[:1]))[0] for column in series[:-1]]
        example = f"{', '.join(map(describe, values))} in {example}"
    n_split = int(is_split.sum())
    verb = "kfold" if kind == "fold" else "split"
    instead = ""
    if options.groups[0].only_groups:  # new rows can link groups, and are listed first
        rows = np.append(np.flatnonzero((folds < 0) & np.isin(groups, groups[rows])), rows)
        instead = "leave out rows that link them, or "
    msg = (
        f"`extend` needs each group in one {kind}, but {plural(n_split, 'group')} in"
        f" {describe_rows(rows)} {'is' if n_split == 1 else 'are'} in several: for instance"
        f" {with_full_stop(example)}\nHint: {instead}make the column with groups, as in"
        f" `df.strat.{verb}(..., groups={write_groups(options.groups)})`."
    )
    raise StratError(msg, frames.rules.failing_rows(frames.library_of(series[-1]), shown, rows))


def extend_dealt(options: Options, strata: Strata, folds: Ints) -> Ints:
    stream, group = column_stream(options, StreamTag.EXTEND), strata.dealt.group
    if group is None and strata.margins is None:
        return extend_rows(options, strata, folds, stream)
    shares = np.array(options.target.fractions(len(folds)), dtype=np.float64)
    if group is None:
        held = np.bincount(folds[folds >= 0], minlength=len(shares))[None]
        room = fill_target(options, stream, held, np.array([(folds < 0).sum()]))[0]
        return extend_units(strata.units(), folds, shares, stream, room).astype(np.int64)
    given = folds_of_units(group, int(group.max(initial=-1)) + 1, folds)
    n_new = int((given < 0).sum())
    if options.target.kind == "part" and can_enumerate(n_new, options.target.n):
        return assign_best(strata.units(), given, shares, stream)[group]
    return extend_units(strata.units(), given, shares, stream)[group].astype(np.int64)


def fill_target(options: Options, stream: Stream, held: StratumTable, new: Ints) -> StratumTable:
    """Allocate new rows so that folds become even, or so that parts come close to their shares."""
    if options.target.kind == "fold":
        return fill_evenly(held, new, stream(options.target.n))
    shares = options.target.fractions(int(held.sum() + new.sum()))
    return fill_by_shares(held, new, np.array(shares, dtype=np.float64), stream(len(new)))


def extend_rows(options: Options, strata: Strata, folds: Ints, stream: Stream) -> Ints:
    """Assign folds to ungrouped rows, evenly in each stratum and, as far as possible, in total."""
    new, keys, lowest = np.flatnonzero(folds < 0), strata.dealt.keys, None
    if keys is not None:
        lowest = strata.lowest(keys.hash(ORDER_SALT))
        keys = keys._replace(dealt=new if keys.dealt is None else keys.dealt[new])
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
    held = np.flatnonzero(folds >= 0)
    return np.append(folds[held], -1)[first_occurrence(unit[held], n_units)]
