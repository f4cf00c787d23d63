"""A checked call and its columns -> the part of every row."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any

import numpy as np

from ..core import seeds as draws
from ..core.deal import ROOMY, deal_by_surplus, deal_by_table, round_robin
from ..core.groups.assign import assign_groups, balance_groups, balance_rows
from ..core.neighbours import nearest_order
from ..core.order import by_value, permuted_blocks, shuffled
from ..core.quota import equal_quota
from ..core.rounding import controlled_rounding
from ..core.seeds import StreamTag
from ..core.strata import crosstab
from ..core.systematic import systematic_deal
from ..core.types import Draws, Ints, Table
from ..errors import StratError, plural, warn
from ..frames import NewColumn
from ..terms.base import Nearest
from ..terms.progress import bar
from .options import Deal, shares_of
from .strata import Strata, stratify


def columns_of(call: Deal, series: Sequence[Any], n_rows: int) -> list[NewColumn]:
    """Deal the rows of a frame whose columns were read."""
    strata = strata_of(call, series, n_rows)
    return [
        column._replace(parts=spread_out(deal_rows(call, strata, repeat), strata.rows, n_rows))
        for repeat, column in enumerate(call.outputs)
    ]


def strata_of(call: Deal, series: Sequence[Any], n_rows: int, *, ordered: bool = True) -> Strata:
    """Stratify the rows of a frame whose columns were read."""
    if n_rows == 0:
        msg = "A frame must have rows to be dealt, got none."
        raise StratError(msg)
    n_columns = len(call.strata_columns)
    return stratify(
        call.terms,
        series[:n_columns],
        n_rows,
        key=series[n_columns:],
        missing=call.missing,
        rare=call.rare,
        seed=call.seed,
        groups=call.groups,
        ordered=ordered,
        parts=(call.k, "folds" if call.parts is None else "parts"),
    )


def spread_out(parts: Ints, rows: Ints | None, n_rows: int) -> Ints:
    """Put the parts of the dealt rows at their places in the frame, -1 elsewhere."""
    if rows is None:
        return parts
    placed = np.full(n_rows, -1, dtype=parts.dtype)
    placed[rows] = parts
    return placed


def deal_rows(call: Deal, strata: Strata, repeat: int) -> Ints:
    """Deal the rows of all strata: their table spent along their order.

    Returns
    -------
    ndarray of int, shape (n_dealt,), range 0..k-1
    """
    if strata.groups is not None or strata.margins:
        return deal_units(call, strata, repeat)
    codes, n_strata, n_rows = strata.codes, len(strata.sizes), len(strata.codes)
    draw = partial(draws.random_words, call.seed, n_parts=call.k, repeat=repeat)
    use = StreamTag.FOLD_ROWS if call.parts is None else StreamTag.PART_ROWS
    if not call.circular and strata.order is None and n_rows >= ROOMY * n_strata * call.k:
        return deal_by_surplus(codes, table_of(call, strata, repeat), draw(use, n_rows))
    in_order = call.circular and strata.near is None
    ties = np.zeros(n_rows, dtype=np.uint64) if in_order else draw(use, n_rows)
    rows = ordered(strata, ties, smallest_share(call, n_rows))
    if call.parts is None:
        if strata.order is not None and not call.circular:
            apart = not isinstance(strata.near, Nearest)
            rows = permuted_blocks(
                rows, strata.sizes, call.k, draw(StreamTag.FOLD_BLOCKS, n_rows), apart
            )
        return round_robin(rows, numbering_of(call, repeat))
    table = table_of(call, strata, repeat)
    if call.circular:
        return systematic_deal(rows, table, None)
    if strata.order is None:
        return deal_by_table(rows, table)
    return systematic_deal(rows, table, draw(StreamTag.PART_SPREAD, table.size + n_rows))


def deal_units(call: Deal, strata: Strata, repeat: int) -> Ints:
    """Deal whole groups, or rows whose entries are balanced one by one.

    Returns
    -------
    ndarray of int, shape (n_dealt,), range 0..k-1
    """
    n_rows, group = len(strata.codes), strata.groups
    shares = [Fraction(1, call.k)] * call.k
    use = StreamTag.FOLD_SEARCH
    if call.parts is not None:
        shares, use = shares_of(call.parts, n_rows), StreamTag.PART_SEARCH
    stream = draws.word_stream(call.seed, use, call.k, repeat)
    entries = strata.marginal
    if group is None:
        return balance_rows(entries, n_rows, shares, stream)
    n_groups = int(group.max()) + 1
    if repeat == 0:
        tell(group, shares, "fold" if call.parts is None else "part")
    if entries:
        return balance_groups(entries, group, n_groups, shares, stream)[group]
    return assign_groups(group, n_groups, strata.codes, len(strata.sizes), shares, stream)[group]


def tell(group: Ints, shares: Sequence[Fraction], part: str) -> None:
    """Warn if a group has more rows than the largest part should."""
    largest, fair = int(np.bincount(group).max()), max(shares) * len(group)
    if largest > ceil(fair):
        warn(
            f"The largest group has {plural(largest, 'row')}, more than the {float(fair):.10g} of"
            f" the largest {part}: at best one {part} has {largest - float(fair):.10g} too many."
        )


def smallest_share(call: Deal, n_rows: int) -> Fraction:
    """Tell the share of the smallest part."""
    return Fraction(1, call.k) if call.parts is None else min(shares_of(call.parts, n_rows))


def ordered(strata: Strata, draws: Draws, share: Fraction) -> Ints:
    """Order rows by their stratum, and inside it at random or as its order says.

    Parameters
    ----------
    draws : ndarray of uint64, shape (n_dealt,)
        Shuffle, or break ties; used up.

    Returns
    -------
    ndarray of int64, shape (n_dealt,)
        Row numbers.
    """
    codes, n_strata, near = strata.codes, len(strata.sizes), strata.near
    if strata.order is None:
        return shuffled(codes, n_strata, draws)
    if near is None:
        return by_value(codes, n_strata, strata.order, draws)
    block = None
    if isinstance(near, Nearest):
        block = near.block or max(round(1 / share), 2)
    with bar(len(codes), "Nearest rows") as advance:
        return nearest_order(codes, n_strata, strata.order, near.scale, block, draws, advance)


def counted(strata: Strata, parts: Ints, k: int, counts: Ints | None = None) -> Table:
    """Count the rows of each stratum in each part; with `counts` each stands for so many.

    Returns
    -------
    ndarray of int64, shape (n_strata, k)
    """
    return crosstab(strata.codes, len(strata.sizes), parts, k, counts)


def numbering_of(call: Deal, repeat: int) -> Ints:
    """Draw the numbers of the folds round the table."""
    if call.circular:
        return np.arange(call.k)
    return draws.permutation(
        draws.random_words(call.seed, StreamTag.FOLD_NUMBERS, call.k, call.k, repeat)
    )


def table_of(call: Deal, strata: Strata, repeat: int = 0) -> Table:
    """Compute how many rows of each stratum go to each part.

    Returns
    -------
    ndarray of int64, shape (n_strata, k)
    """
    if strata.groups is not None:
        return counted(strata, deal_units(call, strata, repeat), call.k)
    if call.parts is None:
        return equal_quota(strata.sizes, numbering_of(call, repeat))
    shares = shares_of(call.parts, len(strata.codes))
    if call.circular:
        return controlled_rounding(strata.sizes, shares, strata.coarser, None)
    spare = draws.random_words(call.seed, StreamTag.PART_QUOTA, len(strata.sizes), call.k)
    return controlled_rounding(strata.sizes, shares, strata.coarser, spare)
