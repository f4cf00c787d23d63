"""Renumber, nest and count the codes of strata, and put values into bins."""

from collections.abc import Sequence
from math import ceil, floor
from typing import Any, Literal, TypeVar

import numpy as np

from .order import sort_values
from .types import Ancestors, Codes, Flags, Ints, Parts, RandomNumbers, StratumTable, Values, Words

DtypeT = TypeVar("DtypeT", bound=np.dtype[Any])
"""The type of the values of an array, which its distinct values have, too."""

DENSE = 1 << 16
"""The number of codes up to which a lookup table is used regardless of the number of rows."""

FEW_PER_STRATUM = 4
"""The average size of strata below which it pays to check first whether any stratum is divided."""

FIRST_ROWS = 1 << 10
"""The first search for codes reads this many rows, the second its square, the third all rows."""

ROWS_PER_BIN = 200
"""The average number of rows per bin from which on `np.partition` finds quantiles faster than a
sort."""

MOST_PARENTS = 1 << 16
"""The maximum number of strata for which `np.partition` finds quantiles."""

FEW_CUTS = 16
"""The number of cuts up to which comparing values with each cut is faster than a binary search."""


def distinct_values(values: np.ndarray[Any, DtypeT]) -> np.ndarray[Any, DtypeT]:
    """Return the sorted distinct values of an array.

    Since NumPy 2.3, `np.unique` puts values into a hash table, unless it also counts them, which
    takes some 40 times as long as this for a million different numbers.
    """
    ascending: Any = np.sort(values, axis=None)
    is_first = np.ones(len(ascending), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=is_first[1:])
    distinct: np.ndarray[Any, DtypeT] = ascending[is_first]
    return distinct


def first_occurrence(codes: Codes, n_codes: int) -> Ints:
    """Return the first row of each code, or the number of rows if no row has the code."""
    first = np.full(n_codes, len(codes), dtype=np.int64)
    # The first rows nearly always contain all codes.
    for n_rows in sorted({min(FIRST_ROWS, len(codes)), min(FIRST_ROWS**2, len(codes)), len(codes)}):
        # The last assignment to a repeated index takes effect, so rows are assigned backwards.
        first[codes[:n_rows][::-1]] = np.arange(n_rows - 1, -1, -1, dtype=np.int64)
        if first.max(initial=0) < n_rows:
            break
    return first


def lowest_words(codes: Codes, n_codes: int, words: RandomNumbers) -> Words:
    lowest = np.full(n_codes, 2**64 - 1, dtype=np.uint64)
    np.minimum.at(lowest, codes, words)
    return lowest


def order_of_strata(lowest: Words, ancestors: Ancestors) -> Ints:
    """Sort strata by their lowest random numbers, and keep each coarser stratum together."""
    columns = [lowest]
    for parents in ancestors:
        starts = np.flatnonzero(np.diff(parents, prepend=-1))
        columns.append(np.minimum.reduceat(lowest, starts)[parents])
    return np.lexsort(columns)


def renumbered(ancestors: Ancestors, order: Ints) -> Ancestors:
    """Renumber coarser strata by an order of joint strata that makes each coarser stratum a run."""
    return tuple(np.cumsum(np.diff(parents[order], prepend=-1) != 0) - 1 for parents in ancestors)


def crosstab(
    codes: Codes, n_codes: int, parts: Parts, n_parts: int, weights: Ints | None = None
) -> StratumTable:
    return sum_by(codes * n_parts + parts, weights, n_codes * n_parts).reshape(n_codes, n_parts)


def sum_by(codes: Ints, weights: Ints | None, n_codes: int) -> Ints:
    """Count the rows of every code, or sum their weights; the result has the shape (n_codes,)."""
    if weights is None:
        return np.bincount(codes, minlength=n_codes)
    # `np.bincount` would convert the weights to floats.
    sums = np.zeros(n_codes, dtype=np.int64)
    np.add.at(sums, codes, weights)
    return sums


def count_pairs(sizes: Ints) -> int:
    """Count the pairs of rows within sets of the given sizes."""
    return int((sizes * (sizes - 1)).sum()) // 2


def share_of_pairs(sizes: Ints) -> float:
    """Return the share of all pairs of rows that are within sets of the given sizes."""
    n = int(sizes.sum())
    return count_pairs(sizes) / max(n * (n - 1) / 2, 1)


def factorize_codes(codes: Codes, n_codes: int, parents: Ints | None = None) -> tuple[Codes, Ints]:
    """Renumber codes by first appearance, parent by parent if the parents of codes are given.

    Returns the new code of each row, and the old code of each new code.
    """
    first = first_occurrence(codes, n_codes)
    present = np.flatnonzero(first < len(codes))
    columns = [first[present]]
    if parents is not None:
        columns.append(parents[present])
    present = present[np.lexsort(columns)]
    new_codes = np.empty(n_codes, dtype=np.int64)
    new_codes[present] = np.arange(len(present))
    return np.take(new_codes, codes, mode="clip"), present


def nest_codes(parent: Codes, n_parents: int, child: Codes, n_children: int) -> tuple[Codes, Ints]:
    """Combine two columns of codes into joint strata.

    Joint strata are numbered parent by parent, and by first appearance within a parent. Returns the
    joint stratum of each row, and the parent of each joint stratum.
    """
    if n_parents * FEW_PER_STRATUM > len(parent):
        # Small parents often have one child each, and then the codes of the parents are enough.
        first = first_occurrence(parent, n_parents)
        if (child == child[first][parent]).all():
            return parent, np.arange(n_parents)
    n_joint = n_parents * n_children
    joint = parent * n_children + child
    if n_joint <= max(DENSE, 2 * len(joint)):
        codes, present = factorize_codes(joint, n_joint, np.arange(n_joint) // n_children)
        return codes, present // n_children
    values, joint = np.unique(joint, return_inverse=True)
    codes, present = factorize_codes(joint, len(values), values // n_children)
    return codes, values[present] // n_children


def quantile_bins(
    parent: Ints, values: Values, n_bins: int, weights: Ints | None = None
) -> tuple[Ints, Ints]:
    """Divide the values of each stratum into bins, at the quantiles of the stratum.

    The cuts are given by `np.quantile(values, i / n_bins, method="inverted_cdf")`. Bins are
    closed on the right. Equal values stay in one bin, so there can be fewer bins than `n_bins`. The
    weight of a row is the number of rows that it represents, which can be 0. Returns the bin of
    each row, numbered upwards from 0 in each stratum, and the number of bins of each stratum.

    Source: Hyndman and Fan (1996), Sample quantiles in statistical packages, definition 1.
    """
    sizes = np.bincount(parent)
    n_at_most = np.count_nonzero(sizes) * n_bins
    has_large_bins = len(parent) >= ROWS_PER_BIN * n_at_most and len(sizes) <= MOST_PARENTS
    if has_large_bins and weights is None:
        return bins_by_partition(parent, values, sizes, n_bins)
    return bins_by_sort(parent, values, sizes, n_bins, weights)


def bins_by_partition(parent: Ints, values: Values, sizes: Ints, n_bins: int) -> tuple[Ints, Ints]:
    """Make quantile bins one stratum at a time, which is fast for a few large strata."""
    bins = np.empty(len(values), dtype=np.int64)
    counts = np.zeros(len(sizes), dtype=np.int64)
    in_order = np.argsort(parent.astype(np.uint16), kind="stable")
    for stratum, rows in enumerate(np.split(in_order, np.cumsum(sizes)[:-1])):
        if len(rows):
            # Quantile i is at position ceil(i n / n_bins) - 1. Integers are used because a rounding
            # error of floats could move the position by 1.
            places = -(-np.arange(1, n_bins) * len(rows) // n_bins) - 1
            inside = values[rows]
            cuts = distinct_values(np.partition(inside, places)[places])
            bins_of_rows = count_cuts(inside, cuts, "left")
            bins[rows] = bins_of_rows
            counts[stratum] = bins_of_rows.max() + 1
    return bins, counts


def bins_by_sort(
    parent: Ints, values: Values, sizes: Ints, n_bins: int, weights: Ints | None = None
) -> tuple[Ints, Ints]:
    """Make quantile bins with a single sort of all rows, for any number of strata."""
    rows, rises = sort_values(values, parent, len(sizes))
    present = np.flatnonzero(sizes)
    lengths = sizes[present]
    starts = np.cumsum(lengths) - lengths
    in_order = None if weights is None else weights[rows]
    opens_bin = bin_starts(rises, starts, lengths, n_bins, in_order)
    counts = np.zeros(len(sizes), dtype=np.int64)
    counts[present] = np.add.reduceat(opens_bin, starts, dtype=np.int64) + 1
    n_opened = np.cumsum(opens_bin)
    bins = np.empty(len(rows), dtype=np.int64)
    bins[rows] = n_opened - np.repeat(n_opened[starts], lengths)
    return bins, counts


def bin_starts(
    rises: Flags, starts: Ints, lengths: Ints, n_bins: int, weights: Ints | None
) -> Flags:
    """Mark the sorted rows that start a bin, other than the first bin of each stratum.

    `rises` marks the first row of each value in each stratum. `starts` and `lengths` describe the
    strata that have rows.
    """
    totals = lengths
    before = starts
    upto = np.arange(1, len(rises) + 1)
    if weights is not None:
        upto = np.cumsum(weights)
        totals = np.maximum(np.add.reduceat(weights, starts), 1)
        before = upto[starts] - weights[starts]
    # Quantile i is at position ceil(i n / n_bins), counted from 1. So there are
    # floor(p n_bins / n) quantiles up to position p, but at most n_bins - 1.
    n_cuts = upto - np.repeat(before, lengths)
    n_cuts *= n_bins
    n_cuts //= np.repeat(totals, lengths)
    np.minimum(n_cuts, n_bins - 1, out=n_cuts)
    is_cut = np.diff(n_cuts, prepend=0) > 0
    is_cut[starts] = n_cuts[starts] > 0
    # A run of equal values with a cut is the last of its bin, and the next run starts a new bin.
    run = np.cumsum(rises, out=n_cuts)
    follows_cut = np.zeros(len(rises) + 2, dtype=np.bool_)
    follows_cut[1 + run[is_cut]] = True
    opens_bin: Flags = rises & follows_cut[run]
    opens_bin[starts] = False
    return opens_bin


def edge_bins(values: Values, edges: Sequence[float] | Values, closed: str) -> Ints:
    """Return the bin of each value between increasing edges; no value lies outside the edges."""
    # The outermost edges always belong to a bin, so values are compared with inner edges only.
    inner = edges[1:-1]
    if values.dtype.kind not in "iu":
        side: Literal["left", "right"] = "left" if closed == "right" else "right"
        return count_cuts(values, np.asarray(inner, dtype=np.float64), side)
    # Floats cannot hold all whole numbers, so integers are compared with integers.
    limits = np.iinfo(values.dtype)
    cuts = [floor(edge) if closed == "right" else ceil(edge) - 1 for edge in inner]
    in_range = [min(cut, limits.max) for cut in cuts if cut >= limits.min]
    n_below = count_cuts(values, np.array(in_range, dtype=values.dtype), "left")
    return n_below + (len(cuts) - len(in_range))


def count_cuts(values: Values, cuts: Values, side: Literal["left", "right"]) -> Ints:
    """Count the cuts below each value, or, with side "right", the cuts at or below it."""
    if len(cuts) > FEW_CUTS:
        return np.searchsorted(cuts, values, side=side)
    is_above = np.greater if side == "left" else np.greater_equal
    values = values.astype(np.result_type(values, cuts), copy=False)
    n_below = np.zeros(len(values), dtype=np.int8)
    for cut in cuts:
        n_below += is_above(values, cut).view(np.int8)
    return n_below.astype(np.int64)
