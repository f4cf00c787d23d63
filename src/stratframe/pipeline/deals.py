"""Deal the rows of all strata: a function for each value of `deal`, and one for units.

Folds are parts, too: a part is where a row goes. Only `target.kind` tells the folds of `kfold` from
the parts of `split`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np

from ..core.deal import (
    cut_between_values,
    deal_by_rank,
    deal_by_table,
    round_robin,
    strata_with_ties,
)
from ..core.groups.assign import assign_units, balance_rows
from ..core.groups.enumeration import assign_best, can_enumerate
from ..core.groups.units import merge_equal_units
from ..core.order import grouped, permuted_blocks, sort_values
from ..core.quota import each_quota, equal_quota
from ..core.rounding import controlled_rounding
from ..core.seeds import StreamTag, permutation
from ..core.strata import order_of_strata, renumbered, sum_by
from ..core.systematic import systematic_deal
from ..core.totals import group_totals, swap_for_totals
from ..core.types import Flags, Ints, StratumTable, Words
from ..errors import plural, warn
from ..terms.base import BoundTerm, RowOrder
from .check_data import explain_largest
from .nest import Strata, check_n_cells
from .options import Deal, Options, Target
from .random_numbers import column_stream, row_numbers, row_streams

TOTALS = StreamTag.FOLD_TOTALS, StreamTag.PART_TOTALS
"""The tags of the random streams from which pairs of rows to swap are drawn."""


def deal_rows(options: Options, strata: Strata, repeat: int) -> Ints:
    """Deal the rows of all strata, and return the part of every dealt row."""
    if strata.dealt.group is not None or strata.margins:
        return deal_units(options, strata, repeat)
    if strata.totals is not None:
        return deal_with_totals(options, strata, strata.totals, repeat)
    return DEALS[options.deal](options, strata, repeat)


def deal_at_random(options: Options, strata: Strata, repeat: int) -> Ints:
    """Deal by random numbers or key hashes; if an entry orders the rows, spread neighbours."""
    if strata.order is not None:
        return deal_neighbours(options, strata, strata.order, repeat)
    streams = row_streams(options, repeat)
    numbers, tie_breaks = row_numbers(strata.dealt.keys, len(strata.codes), *streams)
    table = quota_table(options, strata, repeat, strata.lowest(numbers))
    return deal_by_rank(strata.codes, table, numbers, tie_breaks)


def deal_neighbours(options: Options, strata: Strata, order: RowOrder, repeat: int) -> Ints:
    """Deal neighbours in the order of the rows to different folds or parts."""
    tie_breaks, draws = row_streams(options, repeat)
    n_rows = len(strata.codes)
    rows = strata.sort_rows(tie_breaks(n_rows), min(options.target.fractions(n_rows)))
    if options.target.kind == "part":
        table = quota_table(options, strata, repeat)
        return systematic_deal(rows, table, draws(table.size + n_rows))
    k = options.target.n
    rows = permuted_blocks(rows, strata.sizes, k, draws(n_rows), order.spread_leftover)
    return round_robin(rows, fold_order(options, repeat))


def deal_with_totals(options: Options, strata: Strata, totals: BoundTerm, repeat: int) -> Ints:
    """Deal at random, then swap rows of a stratum so that the totals of `sf.total` become even.

    A single number orders the rows, so that its totals are nearly even before rows are swapped. No
    other `deal` goes with totals.
    """
    row_order = totals.term.row_order(totals.data)
    if row_order is not None and strata.dealt.keys is not None:
        strata = number_by_keys(options, strata, repeat)
    parts = deal_at_random(options, strata._replace(order=row_order), repeat)
    shares = options.target.fractions(strata.n_rows)
    stream = column_stream(options, *TOTALS, repeat=repeat)
    return swap_for_totals(strata.codes, parts, totals.data, shares, stream)


def number_by_keys(options: Options, strata: Strata, repeat: int) -> Strata:
    """Number strata by their lowest key hashes.

    Quotas are drawn in this order if rows are dealt by the hashes of their keys, as they are
    without `sf.total`. So the counts are the same with and without it.
    """
    numbers, _ = row_numbers(strata.dealt.keys, len(strata.codes), *row_streams(options, repeat))
    lowest = strata.lowest(numbers)
    assert lowest is not None  # as the rows have keys
    sorted_strata = order_of_strata(lowest, strata.ancestors)
    codes = np.argsort(sorted_strata)[strata.codes]
    return reorder_strata(strata, sorted_strata)._replace(codes=codes)


def deal_in_turn(options: Options, strata: Strata, repeat: int) -> Ints:
    """Deal the rows of each stratum in their order, to folds in turn or to parts by their quotas.

    Nothing is drawn, unless an order needs a random start.
    """
    words = np.zeros(len(strata.codes), dtype=np.uint64)
    if strata.order is not None and strata.order.starts_at_random:
        words = row_streams(options, repeat)[0](len(words))
    rows = strata.sort_rows(words, min(options.target.fractions(len(words))))
    if options.target.kind == "part":
        return systematic_deal(rows, quota_table(options, strata, repeat), None)
    return round_robin(rows, fold_order(options, repeat))


def deal_in_stretches(options: Options, strata: Strata, repeat: int) -> Ints:
    """Cut every stratum along its order into one stretch of rows for each part."""
    codes = strata.codes
    n_strata = len(strata.sizes)
    table = quota_table(options, strata, repeat)
    values = None if strata.order is None else strata.order.values
    if values is None:
        return deal_by_table(grouped(np.arange(len(codes)), codes, n_strata), table)
    rows, is_run_start = sort_values(values, codes, n_strata)
    if options.target.each is not None:  # counts are exact, and equal values can be parted
        warn_ties(strata_with_ties(table, is_run_start))
        return deal_by_table(rows, table)
    shares = options.target.fractions(strata.n_rows)
    return deal_by_table(rows, cut_between_values(table, is_run_start, shares))


def warn_ties(has_ties: Flags) -> None:
    """Warn about the strata in which rows with equal values are in different parts."""
    n_tied = int(has_ties.sum())
    if n_tied:
        warn(
            f"In {n_tied:,} of {plural(len(has_ties), 'stratum', 'strata')}, rows with equal values"
            " are in different parts: they are ordered by the key or, without one, as in the frame."
        )


DEALS: dict[Deal, Callable[[Options, Strata, int], Ints]] = {
    "random": deal_at_random,
    "circular": deal_in_turn,
    "contiguous": deal_in_stretches,
}


def deal_units(options: Options, strata: Strata, repeat: int) -> Ints:
    """Deal whole groups, or deal single rows so that every margin is balanced."""
    target = options.target
    shares = target.fractions(strata.n_rows)
    stream = column_stream(options, StreamTag.FOLD_SEARCH, StreamTag.PART_SEARCH, repeat=repeat)
    group = strata.dealt.group
    if group is None:
        return balance_rows(strata.units(), shares, stream)
    check_n_cells(len(strata.sizes), target.n)
    n_groups = int(group.max()) + 1
    if repeat == 0:
        sizes = sum_by(group, strata.dealt.weights, n_groups)
        warn_large_group(target, strata.dealt.groups, group, sizes)
    units = strata.units()
    if target.kind == "part" and can_enumerate(n_groups, target.n):
        parts = assign_best(units, np.full(n_groups, -1), shares, stream)
    else:
        parts = assign_units(units, shares, stream)
    if strata.totals is not None:
        totals = group_totals(strata.totals.data, group, n_groups)
        kinds = merge_equal_units(units, stream(len(units.totals))).kinds
        assert kinds is not None
        swaps = column_stream(options, *TOTALS, repeat=repeat)
        parts = swap_for_totals(kinds, parts, totals, shares, swaps)
    return parts[group]


def warn_large_group(
    target: Target, entries: Sequence[BoundTerm], group: Ints, sizes: Ints
) -> None:
    """Warn if the largest group is larger than the largest part should be."""
    largest = int(sizes.max())
    n_rows = int(sizes.sum())
    fair = max(target.fractions(n_rows)) * n_rows
    if largest <= ceil(fair):
        return
    why = explain_largest(entries, group, sizes)
    excess = f"{largest - float(fair):.10g}"
    noun = "row" if excess == "1" else "rows"
    warn(
        f"The largest group has {plural(largest, 'row')}, but the largest {target.kind} should"
        f" have {float(fair):.10g}, so one {target.kind} will be at least {excess} {noun} too"
        f" large.{why}"
    )


def fold_order(options: Options, repeat: int) -> Ints:
    """Return the order in which folds receive rows: a random order, or 0..k-1 if none is drawn."""
    k = options.target.n
    if options.deal != "random":
        return np.arange(k)
    return permutation(column_stream(options, StreamTag.FOLD_NUMBERS, repeat=repeat)(k))


def quota_table(
    options: Options, strata: Strata, repeat: int = 0, lowest: Words | None = None
) -> StratumTable:
    """Compute how many rows of each stratum go to each part.

    Strata are processed in the order of their codes or, with keys, of their lowest key hashes.
    """
    sizes = strata.sizes
    target = options.target
    check_n_cells(len(sizes), target.n)
    if lowest is not None and target.each is None:
        sorted_strata = order_of_strata(lowest, strata.ancestors)
        table = np.empty((len(sizes), target.n), dtype=np.int64)
        table[sorted_strata] = quota_table(options, reorder_strata(strata, sorted_strata), repeat)
        return table
    if target.each is not None:
        counts = np.array([count or 0 for count in target.each], dtype=np.int64)
        return each_quota(sizes, counts, target.each.index(None))
    if target.kind == "fold":
        return equal_quota(sizes, fold_order(options, repeat))
    n_words = len(sizes) * (target.n - 1)
    words = None
    if options.deal == "random":
        words = column_stream(options, StreamTag.PART_QUOTA, repeat=repeat)(n_words)
    elif options.deal == "contiguous":  # the highest words give a left-over row to the first part
        words = np.full(n_words, 2**64 - 1, dtype=np.uint64)
    return controlled_rounding(sizes, target.fractions(strata.n_rows), strata.ancestors, words)


def reorder_strata(strata: Strata, sorted_strata: Ints) -> Strata:
    """Put the sizes and the ancestors of strata, from which quotas are made, in the given order."""
    ancestors = tuple(renumbered(strata.ancestors, sorted_strata))
    return strata._replace(sizes=strata.sizes[sorted_strata], ancestors=ancestors)
