"""How far the numbers of each group are from those of all other rows, from one sorted pass.

Let F be the distribution function of all n values and F_g that of a group of m of them. As F
is a mean of F_g and that of the others, F_g differs from the others by n / (n - m) times its
difference from F; and between two values of the group F_g is constant while F is_run_start. So both
distances need nothing but the places of the group's values among all values.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import nan, sqrt
from typing import NamedTuple

import numpy as np

from .types import Ints, Values

PASS = 1 << 16
"""Values that are worked on at a time, in arrays that fit into a cache."""


class Moments(NamedTuple):
    """The moments of some values."""

    n: int = 0
    mean: float = 0.0
    squares: float = 0.0
    """The sum of squared deviations from the mean."""

    @property
    def variance(self) -> float:
        """The estimated variance, NaN from fewer than two values."""
        return self.squares / (self.n - 1) if self.n > 1 else nan


class SortedValues(NamedTuple):
    """All values in ascending order, and the places in it of the values of each group."""

    values: Values
    """Shape (n_values,)."""
    places: Ints
    """Places of the values, group by group, ascending in each group; shape (n_values,)."""
    sizes: Ints
    """The values of each group, first of those without a group; shape (n_groups + 1,)."""


class Ranks(NamedTuple):
    """The distribution function of all values, n times over, and its integral."""

    before: Ints
    """How many values are less than each, shape (n_values,)."""
    up_to: Ints
    """How many values are less than or equal to each, shape (n_values,)."""
    integral: Values
    """The integral up to each value, shape (n_values,)."""


class GroupDistances(NamedTuple):
    """How far each group is from all other rows; each of shape (n_groups,), NaN if undefined."""

    smd: Values
    """The standardised mean difference; undefined where a side has fewer than two values."""
    ks: Values
    """The statistic of Kolmogorov and Smirnov."""
    wasserstein: Values
    """The distance of Wasserstein, of order 1, by the standard deviation of all values."""


class Block(NamedTuple):
    """Some values of consecutive groups, group by group."""

    groups: Ints
    """The groups, shape (n_groups,)."""
    starts: Ints
    """Where each group starts in the block, shape (n_groups,)."""
    sizes: Ints
    """The values that each value's group has, in the block or not, shape (n_here,)."""
    ranks: Ints
    """The rank of each value in its group, from 0, shape (n_here,)."""
    places: Ints
    """The place of each value among all values, shape (n_here,)."""
    ends: Ints
    """The place of the next value of its group, or of the last of all, shape (n_here,)."""


def sort_groups(values: Values, groups: Ints, n_groups: int) -> SortedValues:
    """Sort values, and find where those of each group are; group -1 is none."""
    sizes = np.bincount(groups + 1, minlength=n_groups + 1)
    ends = np.cumsum(sizes)
    by_group = values[np.argsort(groups.astype(np.min_scalar_type(-n_groups - 1)), kind="stable")]
    for start, end in zip((ends - sizes).tolist(), ends.tolist(), strict=True):
        by_group[start:end].sort()
    # Sorted runs are merged by a stable sort, which is faster than a sort of them all.
    order = np.argsort(by_group, kind="stable")
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return SortedValues(by_group[order], places, sizes)


def group_distances(known: SortedValues) -> GroupDistances:
    """Compare the values of every group with those of all other rows."""
    values, sizes = known.values, known.sizes
    ranks, n_groups = distribution(values), len(sizes)
    statistic, area = np.zeros(n_groups, dtype=np.int64), np.zeros(n_groups)
    moments = [Moments()] * n_groups
    for block in blocks(known):
        groups = block.groups
        statistic[groups] = np.maximum(statistic[groups], kolmogorov_smirnov(ranks, block))
        area[groups] += wasserstein(values, ranks, block)
        for group, more in zip(groups.tolist(), block_moments(values, block), strict=True):
            moments[group] = add_moments(moments[group], more)
    others, spread = moments_of_others(moments), sqrt(variance(values))
    n_others = len(values) - sizes
    # Integers up to the one division, so that equal differences are equal floats.
    ks = statistic / np.maximum(sizes * n_others, 1)
    moved = np.maximum(area, 0) / np.maximum(n_others, 1)
    distances = GroupDistances(
        smd=np.array(list(map(mean_difference, moments, others))),
        ks=ks,
        wasserstein=np.array([standardize(distance, spread) for distance in moved.tolist()]),
    )
    has_both = (sizes > 0) & (n_others > 0)
    return GroupDistances(*(np.where(has_both, each, np.nan)[1:] for each in distances))


def blocks(known: SortedValues) -> Iterator[Block]:
    """Divide the values, group by group, into blocks of one size."""
    n, ends = len(known.values), np.cumsum(known.sizes)
    starts = ends - known.sizes
    for first in range(0, n, PASS):
        rows = np.arange(first, min(first + PASS, n))
        low, high = np.searchsorted(ends, rows[[0, -1]], side="right")
        groups = low + np.flatnonzero(known.sizes[low : high + 1])
        opens = np.maximum(starts[groups] - first, 0)
        lengths = np.diff(np.append(opens, len(rows)))
        places = known.places[first : first + len(rows) + 1]
        nexts = np.append(places[1:], n - 1)[: len(rows)]
        nexts[ends[groups][ends[groups] <= rows[-1] + 1] - first - 1] = n - 1
        ranks = rows - np.repeat(starts[groups], lengths)
        sizes = np.repeat(known.sizes[groups], lengths)
        yield Block(groups, opens, sizes, ranks, places[: len(rows)], nexts)


def distribution(values: Values) -> Ranks:
    """Count the values before each, and integrate their distribution function."""
    count = np.arange(len(values) + 1)
    before, up_to = count[:-1], count[1:]
    is_run_start = values[1:] != values[:-1]
    if not is_run_start.all():
        before = np.maximum.accumulate(np.where(np.append(True, is_run_start), before, 0))
        closes = np.where(np.append(is_run_start, True), up_to, len(values))
        up_to = np.minimum.accumulate(closes[::-1])[::-1]
    integral = np.zeros(len(values))
    np.cumsum((values[1:] - values[:-1]) * count[1:-1], out=integral[1:])
    return Ranks(before, up_to, integral)


def kolmogorov_smirnov(ranks: Ranks, block: Block) -> Ints:
    """Find the largest difference of each group's distribution function from the others'.

    Just after a value of the group F_g is largest against F, and just before one smallest. Of
    equal values in a group, all but one understate the difference, which changes no maximum.
    The result is times the numbers of values on both sides.
    """
    n, m = len(ranks.before), block.sizes
    above = (block.ranks + 1) * n - ranks.up_to[block.places] * m
    below = ranks.before[block.places] * m - block.ranks * n
    statistic: Ints = np.maximum.reduceat(np.maximum(above, below), block.starts)
    return statistic


def wasserstein(values: Values, ranks: Ranks, block: Block) -> Values:
    """Integrate the difference of each group's distribution function from the others'.

    From a value of the group to the next, or to the last of all, F_g is a constant that F
    crosses at most once, at the quantile of F to that constant. The result is times the number
    of other values, and is added up over blocks.

    References
    ----------
    Vallender (1974), Calculation of the Wasserstein distance between probability distributions
    on the line, Theory of Probability and its Applications 18.
    """
    places, ends, integral = block.places, block.ends, ranks.integral
    level = (block.ranks + 1) * (len(values) / block.sizes)
    crossing = np.minimum(np.maximum(level.astype(np.int64), places), ends)
    middle, low, high = values[crossing], values[places], values[ends]
    constant = level * ((middle - low) - (high - middle))
    middle, low, high = integral[crossing], integral[places], integral[ends]
    area = constant - ((middle - low) - (high - middle))
    # Up to the first value of the group F_g is 0.
    area += np.where(block.ranks, 0.0, low)
    integrals: Values = np.add.reduceat(area, block.starts)
    return integrals


def block_moments(values: Values, block: Block) -> list[Moments]:
    """Compute the moments of the values of each group that are in a block."""
    own, starts = values[block.places], block.starts
    n_here = np.diff(np.append(starts, len(own)))
    means = np.add.reduceat(own, starts) / n_here
    squares = np.add.reduceat((own - np.repeat(means, n_here)) ** 2, starts)
    return list(map(Moments, n_here.tolist(), means.tolist(), squares.tolist()))


def moments_of_others(moments: Sequence[Moments]) -> list[Moments]:
    """Compute, for each group, the moments of all other groups together.

    From sums of what is before and after it: a difference from the sum of all would cancel.
    """
    before = accumulate(moments[:-1], add_moments, initial=Moments())
    after = [*accumulate(moments[:0:-1], add_moments, initial=Moments())]
    return list(map(add_moments, before, reversed(after)))


def add_moments(some: Moments, more: Moments) -> Moments:
    """Compute the moments of two sets of values together.

    References
    ----------
    Chan, Golub and LeVeque (1983), Algorithms for computing the sample variance, The American
    Statistician 37.
    """
    n = some.n + more.n
    if not some.n or not more.n:
        return some if some.n else more
    apart = more.mean - some.mean
    mean = some.mean + apart * (more.n / n)
    return Moments(n, mean, some.squares + more.squares + apart**2 * (some.n * more.n / n))


def mean_difference(own: Moments, others: Moments) -> float:
    """Divide the difference of two means by the root of the mean variance."""
    spread = sqrt((own.variance + others.variance) / 2)
    return standardize(own.mean - others.mean, spread)


def variance(values: Values) -> float:
    """Estimate the variance of numbers, NaN from fewer than two."""
    return float(values.var(ddof=1)) if len(values) > 1 else nan


def standardize(distance: float, spread: float) -> float:
    """Divide a distance by a standard deviation; 0 / 0 counts as 0."""
    if spread == 0:
        return float(np.copysign(np.inf, distance)) if distance else 0.0
    return distance / spread
