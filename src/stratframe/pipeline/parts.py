"""Compute how many rows of each stratum go to each part, and assign the rows to the parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from .. import frames
from ..core.deal import cut_between_values, deal_by_rank, deal_by_table, round_robin
from ..core.groups.assign import assign_units, balance_rows
from ..core.groups.enumeration import assign_best, can_enumerate
from ..core.groups.units import unique_rows
from ..core.order import grouped, permuted_blocks, sort_values
from ..core.quota import equal_quota
from ..core.rounding import controlled_rounding
from ..core.seeds import StreamTag, permutation
from ..core.strata import order_of_strata, renumbered, sum_by
from ..core.systematic import systematic_deal
from ..core.totals import group_totals, swap_for_totals
from ..core.types import Ints, StratumTable, Words
from ..errors import MAX_LISTED, list_values, plural, warn, with_full_stop
from ..frames import Frame, NewColumn
from ..progress import track
from .check_data import explain_largest
from .nest import Columns, Strata, check_n_cells, stratify
from .options import Options, Target
from .random_numbers import column_stream, row_numbers, row_streams

TOTALS = StreamTag.FOLD_TOTALS, StreamTag.PART_TOTALS
"""The tags of the random streams from which pairs of rows to swap are drawn."""


def new_columns(options: Options, columns: Columns, n_rows: int) -> list[NewColumn]:
    # Only tables need the levels, and each level holds a code for every row.
    strata = stratify(options, columns, n_rows)._replace(levels=())
    new = [
        column._replace(parts=place_rows(deal_rows(options, strata, repeat), strata.rows, n_rows))
        for repeat, column in enumerate(track(empty_outputs(options), "New columns"))
    ]
    target, n_dealt, tied = options.target, strata.n_rows, options.way.in_stretches
    if tied or (target.names and min(target.fractions(n_dealt)) * n_dealt < 1):
        sizes = {column.name: part_sizes(column.parts, target) for column in new}
        warn_empty_parts(target, n_dealt, sizes, named=len(new) > 1, tied=tied)
    if strata.groups is not None:
        sizes = {column.name: part_sizes(column.parts, target) for column in new}
        warn_far_parts(options, n_dealt, sizes, named=len(new) > 1)
    return new


def check_columns(
    frame: Frame, options: Options, new: Sequence[NewColumn] = (), *, overwrite: bool = False
) -> dict[str, list[Any]]:
    """Check the columns that a call reads and adds; in a lazy frame, also check the types read."""
    named = options.columns()
    names = [column.name for column in new]
    frames.check_refs(frame, named, names, overwrite=overwrite)
    empty = frames.references.empty_columns(frame, named | {"key": []})
    if empty is not None:
        described = Options(options.terms, options.marginal, options.groups, where=options.where)
        stratify(described, empty, 0)
    return named


def empty_outputs(options: Options) -> list[NewColumn]:
    """Make an empty column for each new column of a call, to declare its name and type."""
    nullable = "null" in (options.missing, options.rare) or options.where is not None
    names = [options.name]
    if options.repeats > 1:
        names = [f"{options.name}_{repeat + 1}" for repeat in range(options.repeats)]
    empty = np.empty(0, dtype=np.int64)
    return [NewColumn(name, empty, options.target.names, nullable) for name in names]


def part_sizes(parts: Ints, target: Target, weights: Ints | None = None) -> Ints:
    """Count the rows in each part; `parts` is -1 for a row without a part."""
    has_part = parts >= 0
    return sum_by(parts[has_part], None if weights is None else weights[has_part], target.n)


def warn_empty_parts(
    target: Target, n_rows: int, sizes: Mapping[str, Ints], *, named: bool, tied: bool = False
) -> None:
    """Warn about empty parts; `sizes` holds the number of rows in each part of each column.

    Folds are checked only if equal values are `tied` to one fold, as other folds can then be empty.
    """
    lines = []
    parts = list(map(repr, target.names or ())) or [f"Fold {fold}" for fold in range(target.n)]
    for place, part in enumerate(parts if target.names or tied else ()):
        empty = [name for name, held in sizes.items() if not held[place]]
        if empty:
            columns = f" in {list_values(empty)}" if named else ""
            share = float(target.fractions(n_rows)[place] * n_rows)
            why = f"its share of {plural(n_rows, 'row')} is {share:.10g}"
            fault = f": {why}." if share < 1 else f", and no new rows are left for it ({why})."
            if tied and share >= 1:
                fault = f": {why}, but equal values stay in one {target.kind}."
            lines.append(f"{part} has no rows{columns}{fault}")
    if lines:
        warn(" ".join(lines[:MAX_LISTED]) + " ..." * (len(lines) > MAX_LISTED))


FAR_OF_LARGEST, FAR_OF_OWN = 0.1, 0.5
"""A part is far from its share if it is off by more than `FAR_OF_LARGEST` times the largest share,
or by more than `FAR_OF_OWN` times its own share."""


def warn_far_parts(
    options: Options, n_rows: int, sizes: Mapping[str, Ints], *, named: bool
) -> None:
    """Warn about parts that whole groups leave far from their shares; `sizes` as above."""
    target = options.target
    if target.names is None or options.rare == "ignore" or not n_rows:
        return
    shares = [float(share * n_rows) for share in target.fractions(n_rows)]
    lines = []
    for column, held in sizes.items():
        for name, share, size in zip(target.names, shares, held.tolist(), strict=True):
            off = abs(size - share)
            # Without groups, too, whole rows can be off by up to one row.
            if off >= 1 and (off > FAR_OF_LARGEST * max(shares) or off > FAR_OF_OWN * share):
                where = f" in {column!r}" if named else ""
                has = f"{name!r} has {plural(size, 'row')}{where}"
                lines.append(f"{has} (its share is {share:.10g})")
    if lines:
        listed = "; ".join(lines[:MAX_LISTED]) + " ..." * (len(lines) > MAX_LISTED)
        warn(
            f"Whole groups do not meet the shares of `parts`: {with_full_stop(listed)}"
            "\nHint: choose shares that these groups can meet, or fewer entries in `by`;"
            ' `rare="ignore"` silences this warning.'
        )


def place_rows(parts: Ints, rows: Ints | None, n_rows: int) -> Ints:
    """Return the part of every row of the frame, with -1 for the rows that are not dealt."""
    if rows is None:
        return parts
    placed = np.full(n_rows, -1, dtype=parts.dtype)
    placed[rows] = parts
    return placed


def deal_rows(options: Options, strata: Strata, repeat: int) -> Ints:
    """Deal the rows of all strata, and return the part of every dealt row."""
    if strata.groups is not None or strata.margins:
        return deal_units(options, strata, repeat)
    if options.way.in_stretches:
        shares = options.target.fractions(strata.n_rows)
        return cut_stretches(strata, quota_table(options, strata), shares)
    if strata.totals is None:
        return deal_strata(options, strata, repeat)
    order = strata.totals.term.row_order(strata.totals.data)
    parts = deal_strata(options, strata._replace(order=order), repeat)
    stream = column_stream(options, *TOTALS, repeat=repeat)
    shares = options.target.fractions(strata.n_rows)
    return swap_for_totals(strata.codes, parts, strata.totals.data, shares, stream)


def deal_strata(options: Options, strata: Strata, repeat: int) -> Ints:
    """Deal the rows of each stratum in the order of the strata, or at random without an order."""
    is_ordered = strata.order is not None or not options.way.is_drawn
    if is_ordered and strata.keys is None:
        return deal_in_order(options, strata, repeat)
    streams = row_streams(options, repeat)
    numbers, second = row_numbers(strata.keys, len(strata.codes), *streams)
    lowest = strata.lowest(numbers)
    if is_ordered:
        # Only `sf.total` gives strata an order beside keys; without it, keys order the strata.
        assert lowest is not None
        order = order_of_strata(lowest, strata.ancestors)
        codes = np.argsort(order)[strata.codes]
        in_turn = reorder_quotas(strata, order)._replace(codes=codes)
        return deal_in_order(options, in_turn, repeat)
    table = quota_table(options, strata, repeat, lowest)
    return deal_by_rank(strata.codes, table, numbers, second)


def cut_stretches(strata: Strata, table: StratumTable, shares: Sequence[Fraction]) -> Ints:
    """Cut every stratum along its order into one stretch of rows for each part."""
    codes, n_strata = strata.codes, len(strata.sizes)
    values = None if strata.order is None else strata.order.values
    if values is None:
        return deal_by_table(grouped(np.arange(len(codes)), codes, n_strata), table)
    rows, is_run_start = sort_values(values, codes, n_strata)
    return deal_by_table(rows, cut_between_values(table, is_run_start, shares))


def deal_in_order(options: Options, strata: Strata, repeat: int) -> Ints:
    order, n_rows, k = strata.order, len(strata.codes), options.target.n
    first, second = row_streams(options, repeat)
    needs_words = options.way.is_drawn or (order is not None and order.starts_at_random)
    words = first(n_rows) if needs_words else np.zeros(n_rows, dtype=np.uint64)
    rows = sort_rows(strata, words, min(options.target.fractions(n_rows)))
    if options.target.kind == "part":
        table = quota_table(options, strata, repeat)
        draws = second(table.size + n_rows) if options.way.is_drawn else None
        return systematic_deal(rows, table, draws)
    if order is not None and options.way.is_drawn:
        rows = permuted_blocks(rows, strata.sizes, k, second(n_rows), order.spread_leftover)
    return round_robin(rows, draw_fold_permutation(options, repeat))


def deal_units(options: Options, strata: Strata, repeat: int) -> Ints:
    """Deal whole groups, or deal single rows so that every margin is balanced."""
    target, group = options.target, strata.groups
    shares = target.fractions(strata.n_rows)
    stream = column_stream(options, StreamTag.FOLD_SEARCH, StreamTag.PART_SEARCH, repeat=repeat)
    if group is None:
        return balance_rows(strata.units(), shares, stream)
    n_groups = int(group.max()) + 1
    check_n_cells(len(strata.sizes), target.n)
    sizes = sum_by(group, strata.weights, n_groups)
    largest, fair = int(sizes.max()), max(shares) * int(sizes.sum())
    if repeat == 0 and largest > ceil(fair):
        why = explain_largest(strata.grouped_by, group, sizes)
        excess = f"{largest - float(fair):.10g}"
        warn(
            f"The largest group has {plural(largest, 'row')}, but the largest {target.kind} should"
            f" have {float(fair):.10g}, so one {target.kind} will be at least {excess}"
            f" {'row' if excess == '1' else 'rows'} too large.{why}"
        )
    units = strata.units()
    if target.kind == "part" and can_enumerate(n_groups, target.n):
        parts = assign_best(units, np.full(n_groups, -1), shares, stream)
    else:
        parts = assign_units(units, shares, stream)
    if strata.totals is not None:
        totals = group_totals(strata.totals.data, group, n_groups)
        alike, _ = unique_rows(units, stream(len(units.totals)))
        stream = column_stream(options, *TOTALS, repeat=repeat)
        parts = swap_for_totals(alike, parts, totals, shares, stream)
    return parts[group]


def sort_rows(strata: Strata, words: Words, share: Fraction) -> Ints:
    """Sort rows by stratum and, if an entry orders rows, inside each stratum by this order.

    The random 64-bit words break ties, and are overwritten. A block of neighbours has one row
    for the smallest part, whose share is `share`.
    """
    if strata.order is None:
        return grouped(np.arange(len(words)), strata.codes, len(strata.sizes))
    return strata.order.sort(strata.codes, len(strata.sizes), words, share)


def draw_fold_permutation(options: Options, repeat: int) -> Ints:
    """Return the order in which folds receive rows: a random order, or 0..k-1 if none is drawn."""
    k = options.target.n
    if not options.way.is_drawn:
        return np.arange(k)
    return permutation(column_stream(options, StreamTag.FOLD_NUMBERS, repeat=repeat)(k))


def quota_table(
    options: Options, strata: Strata, repeat: int = 0, lowest: Words | None = None
) -> StratumTable:
    """Compute how many rows of each stratum go to each part.

    Strata are processed in the order of their codes or, with keys, of their lowest key hashes.
    """
    sizes, target = strata.sizes, options.target
    check_n_cells(len(sizes), target.n)
    if lowest is not None:
        order = order_of_strata(lowest, strata.ancestors)
        table = np.empty((len(sizes), target.n), dtype=np.int64)
        table[order] = quota_table(options, reorder_quotas(strata, order), repeat)
        return table
    if target.kind == "fold":
        return equal_quota(sizes, draw_fold_permutation(options, repeat))
    words, n_words = None, len(sizes) * (target.n - 1)
    if options.way.is_drawn:
        words = column_stream(options, StreamTag.PART_QUOTA, repeat=repeat)(n_words)
    elif options.way.in_stretches:  # the highest words give a left-over row to the first part
        words = np.full(n_words, 2**64 - 1, dtype=np.uint64)
    return controlled_rounding(sizes, target.fractions(strata.n_rows), strata.ancestors, words)


def reorder_quotas(strata: Strata, order: Ints) -> Strata:
    """Put the sizes and the ancestors of strata, from which quotas are made, in the given order."""
    ancestors = tuple(renumbered(strata.ancestors, order))
    return strata._replace(sizes=strata.sizes[order], ancestors=ancestors)
