"""Swap rows between parts so that the totals of numeric columns come close to their shares.

The two rows of a swap are in the same stratum, so the number of rows of each stratum in each part
stays the same. Each swap lowers the loss, which is the sum of (total - target)**2 / target over
parts and columns. Minimising this loss is NP-hard, as is multiway number partitioning.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from .evenness import SIGMAS
from .groups.local_search import Stream
from .order import grouped
from .types import Codes, Flags, Ints, Parts, Values

PAIRS_PER_BATCH, MAX_VAIN_BATCHES, MAX_SWAPS = 1 << 11, 60, 10_000
"""A batch has `PAIRS_PER_BATCH` pairs of rows; the best is swapped if this lowers the loss. The
search ends after `MAX_VAIN_BATCHES` consecutive batches without a swap, or `MAX_SWAPS` swaps."""

LEAST_GAIN, NEAR_ENOUGH = 1e-9, 1e-18
"""Rows are swapped if this lowers the loss by at least the fraction `LEAST_GAIN`. The search ends
when the loss is at most `NEAR_ENOUGH`; totals are then within about a billionth of their shares."""


def swap_for_totals(
    codes: Codes, parts: Parts, values: Values, shares: Sequence[Fraction], stream: Stream
) -> Parts:
    """Swap rows of the same stratum until the total of each part is close to its share.

    `values` has the shape (n_columns, n_rows) and can hold negative numbers. Squared deviations are
    therefore divided by the part's share of the sum of absolute values.
    """
    numbers = bounded(values)
    scale = np.cumsum(np.abs(numbers), axis=1)[:, -1:]
    numbers /= scale + (scale == 0)
    sizes, share = np.bincount(codes), np.array(shares, dtype=np.float64)
    order = grouped(np.arange(len(codes)), codes, len(sizes))
    size, start = (np.repeat(each, sizes) for each in (sizes, np.cumsum(sizes) - sizes))
    numbers, part = numbers[:, order], parts[order].astype(np.int64)
    off = np.array([np.bincount(part, column, len(share)) for column in numbers])
    off -= share * np.cumsum(off, axis=1)[:, -1:]
    n_idle = n_swaps = 0
    while n_idle < MAX_VAIN_BATCHES and n_swaps < MAX_SWAPS:
        loss = np.cumsum(off**2 / share)[-1]
        if loss <= NEAR_ENOUGH:
            break
        drawn = stream(2 * PAIRS_PER_BATCH).reshape(2, PAIRS_PER_BATCH)
        first = (drawn[0] % np.uint64(len(part))).astype(np.int64)
        second = start[first] + (drawn[1] % size[first].astype(np.uint64)).astype(np.int64)
        here, there = part[first], part[second]
        rise = np.zeros(PAIRS_PER_BATCH)
        for column, deviation in zip(numbers, off, strict=True):
            # A gain changes the squared deviation d**2 of the part `here` by gain (gain + 2 d). The
            # part `there` loses what the part `here` gains.
            gain = column[second] - column[first]
            rise += gain * (gain + 2 * deviation[here]) / share[here]
            rise += gain * (gain - 2 * deviation[there]) / share[there]
        rise[here == there] = 0
        best = rise.argmin()
        if rise[best] > -LEAST_GAIN * loss:
            n_idle += 1
            continue
        n_idle, n_swaps = 0, n_swaps + 1
        pair = [first[best], second[best]]
        gains = numbers[:, pair[1]] - numbers[:, pair[0]]
        off[:, here[best]] += gains
        off[:, there[best]] -= gains
        part[pair] = part[pair[::-1]]
    swapped = np.empty_like(parts)
    swapped[order] = part
    return swapped


def group_totals(values: Values, group: Ints, n_groups: int) -> Values:
    """Sum the scaled values of each group; the result has the shape (n_columns, n_groups)."""
    # Rows are added in the order of their values, so that their order in the frame has no effect.
    columns, order = bounded(values), np.lexsort((*values, group))
    return np.array([np.bincount(group[order], each[order], n_groups) for each in columns])


def bounded(values: Values) -> Values:
    """Divide each column by its largest absolute value, so that sums do not overflow."""
    largest: Values = np.abs(values).max(axis=1, keepdims=True)
    columns: Values = values / (largest + (largest == 0))
    return columns


def measure_totals(values: Values, folds: Ints, sizes: Ints, units: Ints) -> tuple[Values, Flags]:
    """Compute the relative deviations of totals from their shares, and flag large deviations.

    Both results have the shape (n_columns, n_folds). A deviation is large if chance cannot
    explain it. `units` holds the group of each row; without groups, each row is its own group.
    """
    values = bounded(values)
    shares, n_units = sizes / len(folds), int(units.max()) + 1
    held = np.array([np.bincount(folds, column, len(sizes)) for column in values])

    def compare(shares: Values) -> tuple[Values, Values]:
        off = held - values.sum(axis=1, keepdims=True) * shares
        even = np.abs(values).sum(axis=1, keepdims=True) * shares
        return off, np.divide(off, even, out=np.zeros_like(off), where=even > 0)

    off, ratio = compare(shares)
    if are_equal(sizes):  # the targets may be equal totals, or totals in proportion to rows
        others = compare((sizes > 0) / np.count_nonzero(sizes))
        is_nearer = np.abs(others[1]).max(axis=1) < np.abs(ratio).max(axis=1)
        off, ratio = np.where(is_nearer[:, None], others, (off, ratio))
    # The standard deviation of a fold's total if its units are a simple random sample.
    apart = values - values.mean(axis=1, keepdims=True)
    squares = np.array([(np.bincount(units, column) ** 2).sum() for column in apart])[:, None]
    spread = np.sqrt(shares * (1 - shares) * squares * n_units / max(n_units - 1, 1))
    return ratio, np.abs(off) > SIGMAS * spread


def are_equal(sizes: Ints) -> bool:
    """Return whether the sizes of nonempty folds differ by at most 1."""
    return bool(np.ptp(sizes[sizes > 0]) <= 1)
