"""Swap rows of one stratum between parts, so that totals of numbers come near to their shares.

A swap changes no count of any stratum in any part. The loss of totals is the sum, over parts and
columns, of (total - target)**2 / target. To minimise it is NP-hard, as multiway number partitioning
is; swaps that lower it are sampled until many samples in a row have none.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from .groups.local_search import Stream
from .order import grouped
from .types import Codes, Ints, Parts, Values

BATCH, MAX_IDLE_BATCHES, MAX_SWAPS = 1 << 11, 60, 10_000
"""Pairs of rows of which the best is swapped, batches in a row without a gain after which the
search ends, and swaps at most."""

MIN_GAIN, NEAR_ENOUGH = 1e-9, 1e-18
"""The smallest share of the loss that counts as a gain, and a loss at which the search ends: totals
are then within a billionth of their shares."""


def swap_for_totals(
    codes: Codes, parts: Parts, values: Values, shares: Sequence[Fraction], stream: Stream
) -> Parts:
    """Swap rows of one stratum until totals are near their shares of the sums of all rows.

    The values have the shape (n_columns, n_rows). The targets by which squares are divided are
    shares of the sums of absolute values, so that numbers may be negative.
    """
    numbers = scaled(values)
    sizes = np.bincount(codes)
    order = grouped(np.arange(len(codes)), codes, len(sizes))
    numbers, swapped = numbers[:, order], parts[order].astype(np.int64)
    size, start = (np.repeat(each, sizes) for each in (sizes, np.cumsum(sizes) - sizes))
    share, n_rows = np.array(shares, dtype=np.float64), np.uint64(max(len(codes), 1))
    off = np.array([np.bincount(swapped, column, len(share)) for column in numbers])
    off = off.reshape(-1, len(share))
    off -= share * np.cumsum(off, axis=1)[:, -1:]
    n_idle = n_swaps = 0
    while n_idle < MAX_IDLE_BATCHES and n_swaps < MAX_SWAPS:
        loss = np.cumsum(off**2 / share)[-1] if off.size else 0.0
        if loss <= NEAR_ENOUGH:
            break
        drawn = stream(2 * BATCH).reshape(2, BATCH)
        first = (drawn[0] % n_rows).astype(np.int64)
        second = start[first] + (drawn[1] % size[first].astype(np.uint64)).astype(np.int64)
        here, there = swapped[first], swapped[second]
        rise = np.zeros(BATCH)
        for column, deviation in zip(numbers, off, strict=True):
            gained = column[second] - column[first]
            # (d + gained)**2 - d**2 = gained (2 d + gained) for a deviation d; there with -gained.
            rise += gained * (2 * deviation[here] + gained) / share[here]
            rise += gained * (gained - 2 * deviation[there]) / share[there]
        rise[here == there] = 0
        best = rise.argmin()
        if rise[best] > -MIN_GAIN * loss:
            n_idle += 1
            continue
        n_idle, n_swaps = 0, n_swaps + 1
        one, other = first[best], second[best]
        gained = numbers[:, other] - numbers[:, one]
        off[:, here[best]] += gained
        off[:, there[best]] -= gained
        swapped[one], swapped[other] = there[best], here[best]
    found = np.empty_like(parts)
    found[order] = swapped
    return found


def group_totals(values: Values, group: Ints, n_groups: int) -> Values:
    """Sum values by group, shape (n_columns, n_groups), up to a factor for each column.

    Rows are added by value, so that their order does not matter.
    """
    largest = np.abs(values).max(axis=1, keepdims=True, initial=0.0)
    totals = np.zeros((len(values), n_groups))
    for column, total in zip(values / np.where(largest > 0, largest, 1), totals, strict=True):
        order = np.lexsort((column, group))
        total[:] = np.bincount(group[order], column[order], n_groups)
    return totals


def scaled(values: Values) -> Values:
    """Divide columns by the sums of their absolute values, first by the largest, as these are finite.

    Columns of zeros are left out.
    """
    largest = np.abs(values).max(axis=1, initial=0.0)
    columns = values[largest > 0] / largest[largest > 0, None]
    return columns / np.cumsum(np.abs(columns), axis=1)[:, -1:]
