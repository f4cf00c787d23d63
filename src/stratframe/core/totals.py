"""Swap rows between parts so that the totals of numeric columns come close to their shares.

The two rows of a swap are in the same stratum, so the number of rows of each stratum in each part
stays the same. Each swap lowers the loss, which is the sum of (total - target)**2 / target over
parts and columns. Minimising this loss is NP-hard, as is multiway number partitioning.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from .evenness import SIGMAS
from .groups.local_search import Stream
from .order import grouped
from .types import Codes, Flags, Ints, Parts, Values

PAIRS_PER_BATCH = 1 << 11
"""The number of pairs of rows in a batch; the best pair is swapped if this lowers the loss."""

MAX_VAIN_BATCHES = 60
"""The search ends after this many consecutive batches without a swap."""

MAX_SWAPS = 10_000
"""The search ends after this many swaps."""

LEAST_GAIN = 1e-9
"""Rows are swapped if this lowers the loss by at least this fraction."""

NEAR_ENOUGH = 1e-18
"""The search ends when the loss is at most this; totals are then within about a billionth of their
shares."""


def swap_for_totals(
    codes: Codes, parts: Parts, values: Values, shares: Sequence[Fraction], stream: Stream
) -> Parts:
    """Swap rows of the same stratum until the total of each part is close to its share.

    `values` has the shape (n_columns, n_rows) and can hold negative numbers. Squared deviations are
    therefore divided by the part's share of the sum of absolute values.
    """
    sizes = np.bincount(codes)
    order = grouped(np.arange(len(codes)), codes, len(sizes))
    numbers = unit_columns(values)[:, order]
    part = parts[order].astype(np.int64)
    batches = batches_of_pairs(sizes, stream)
    search_swaps(numbers, part, np.array(shares, dtype=np.float64), batches)
    swapped = np.empty_like(parts)
    swapped[order] = part
    return swapped


def search_swaps(
    numbers: Values, part: Ints, share: Values, batches: Iterator[tuple[Ints, Ints]]
) -> None:
    """Swap, in place, the parts of the best pair of rows of each batch if this lowers the loss."""
    off = deviations_from_shares(numbers, part, share)
    n_vain = 0
    n_swaps = 0
    while n_vain < MAX_VAIN_BATCHES and n_swaps < MAX_SWAPS:
        loss = np.cumsum(off**2 / share)[-1]
        if loss <= NEAR_ENOUGH:
            break
        first, second = next(batches)
        rise = rises_of_loss(numbers, part, share, off, first, second)
        best = rise.argmin()
        if rise[best] > -LEAST_GAIN * loss:
            n_vain += 1
            continue
        n_vain = 0
        n_swaps += 1
        pair = [first[best], second[best]]
        gains = numbers[:, pair[1]] - numbers[:, pair[0]]
        off[:, part[pair[0]]] += gains
        off[:, part[pair[1]]] -= gains
        part[pair] = part[pair[::-1]]


def unit_columns(values: Values) -> Values:
    """Divide each column by the sum of its absolute values."""
    numbers = bounded(values)
    scale = np.cumsum(np.abs(numbers), axis=1)[:, -1:]
    numbers /= scale + (scale == 0)
    return numbers


def deviations_from_shares(numbers: Values, part: Ints, share: Values) -> Values:
    """Compute how far the total of each part is from its share, shape (n_columns, n_parts)."""
    off = np.array([np.bincount(part, column, len(share)) for column in numbers])
    off -= share * np.cumsum(off, axis=1)[:, -1:]
    return off


def batches_of_pairs(sizes: Ints, stream: Stream) -> Iterator[tuple[Ints, Ints]]:
    """Draw batches of pairs of rows without end; the two rows of a pair share a stratum.

    The rows are sorted by stratum, and `sizes` holds the number of rows in each stratum.
    """
    size = np.repeat(sizes, sizes)
    start = np.repeat(np.cumsum(sizes) - sizes, sizes)
    while True:
        words = stream(2 * PAIRS_PER_BATCH).reshape(2, PAIRS_PER_BATCH)
        first = (words[0] % np.uint64(len(size))).astype(np.int64)
        second = start[first] + (words[1] % size[first].astype(np.uint64)).astype(np.int64)
        yield first, second


def rises_of_loss(
    numbers: Values, part: Ints, share: Values, off: Values, first: Ints, second: Ints
) -> Values:
    """Compute by how much a swap of each pair of rows would raise the loss."""
    here = part[first]
    there = part[second]
    rise = np.zeros(len(first))
    for column, deviation in zip(numbers, off, strict=True):
        # A gain changes the squared deviation d**2 of the part `here` by gain (gain + 2 d). The
        # part `there` loses what the part `here` gains.
        gain = column[second] - column[first]
        rise += gain * (gain + 2 * deviation[here]) / share[here]
        rise += gain * (gain - 2 * deviation[there]) / share[there]
    rise[here == there] = 0
    return rise


def group_totals(values: Values, group: Ints, n_groups: int) -> Values:
    """Sum the scaled values of each group; the result has the shape (n_columns, n_groups)."""
    # Rows are added in the order of their values, so that their order in the frame has no effect.
    order = np.lexsort((*values, group))
    columns = bounded(values)
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
    shares = sizes / len(folds)
    totals = np.array([np.bincount(folds, column, len(sizes)) for column in values])
    off, ratio = compare_totals(totals, values, shares)
    if are_equal(sizes):  # the targets may be equal totals, or totals in proportion to rows
        equal_shares = (sizes > 0) / np.count_nonzero(sizes)
        equal_off, equal_ratio = compare_totals(totals, values, equal_shares)
        is_nearer = np.abs(equal_ratio).max(axis=1) < np.abs(ratio).max(axis=1)
        off = np.where(is_nearer[:, None], equal_off, off)
        ratio = np.where(is_nearer[:, None], equal_ratio, ratio)
    return ratio, np.abs(off) > SIGMAS * spread_of_totals(values, shares, units)


def compare_totals(totals: Values, values: Values, shares: Values) -> tuple[Values, Values]:
    """Compute the deviations of totals from their shares, and the same as ratios."""
    off = totals - values.sum(axis=1, keepdims=True) * shares
    even = np.abs(values).sum(axis=1, keepdims=True) * shares
    return off, np.divide(off, even, out=np.zeros_like(off), where=even > 0)


def spread_of_totals(values: Values, shares: Values, units: Ints) -> Values:
    """Compute the standard deviation of a fold's total if its units are a simple random sample."""
    n_units = int(units.max()) + 1
    apart = values - values.mean(axis=1, keepdims=True)
    squares = np.array([(np.bincount(units, column) ** 2).sum() for column in apart])[:, None]
    spread: Values = np.sqrt(shares * (1 - shares) * squares * n_units / max(n_units - 1, 1))
    return spread


def are_equal(sizes: Ints) -> bool:
    """Return whether the sizes of nonempty folds differ by at most 1."""
    return bool(np.ptp(sizes[sizes > 0]) <= 1)
