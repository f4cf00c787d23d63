"""Judge how evenly strata are spread over folds, allowing for rounding and for chance."""

from typing import Any, NamedTuple, Self

import numpy as np

from .chance import tail_chances
from .strata import count_pairs, sum_by
from .types import Flags, Ints, StratumTable, Values

COUNT_ROUNDING = 1e-9
"""The tolerance for floating-point errors, in rows."""

TENTH = 0.1
"""The deviation up to which a cell is never uneven, as a share of the expected number of rows."""

SIGMAS = 4
"""The number of standard deviations that chance can explain when whole groups are assigned."""

RARE_UNEVEN = 0.01
"""Chance cannot explain an uneven cell if the probability that a column of random folds has any
such cell is below this."""

RARE_LACKING = 0.05
"""Chance cannot explain a cell without rows if the probability that a column of random folds has
any such cell is below this."""

ORDER_ROWS = 2
"""With `kfold`, the running count of a fold deviates from its share by fewer rows than this. This
is true of at most one shuffle in a hundred if the folds obey the next two limits."""

LEAST_SPREAD = 100
"""The order of rows is judged only if the variances of the sizes of random folds sum to at least
this."""

ROWS_PER_FOLD = 7
"""The order of rows is judged only if the folds have at least this many rows on average."""

RARE_SIGMAS = 2.33
"""A normal variable is more than this many standard deviations below its mean in 1 % of cases."""


class JudgedCells(NamedTuple):
    """The assessment of each cell of a table; each array has the shape (n_strata, n_folds)."""

    table: StratumTable
    off: Values
    """The number of rows in the cell minus the expected number."""
    expected: Values
    """The number of rows expected from the sizes of the stratum and of the fold."""
    is_even: Flags
    """Whether the number of rows is as close to the expected number as whole rows allow."""
    is_uneven: Flags
    """Whether the deviation exceeds both `TENTH` and what rounding and chance can explain."""
    is_lacking: Flags
    """Whether the cell has no rows, and chance cannot explain this."""
    spread: Values
    """The standard deviation of the number of rows if rows or groups are assigned at random."""

    @property
    def residuals(self) -> Values:
        """The absolute Pearson residuals; expected numbers below 1 count as 1."""
        residuals: Values = np.abs(self.off) / np.sqrt(np.maximum(self.expected, 1))
        return residuals

    def excuse(self) -> Self:
        """Return the cells with none that is uneven or lacks a stratum."""
        none = np.zeros(self.table.shape, dtype=np.bool_)
        return self._replace(is_uneven=none, is_lacking=none)


class GroupRows(NamedTuple):
    """Two figures for the groups of each stratum; each array has the shape (n_strata,)."""

    n: Ints
    """The number of groups with rows of the stratum."""
    squares: Values
    """The sum over groups of (rows in the stratum - stratum's share * rows in all strata)**2."""


LEAST_LARGE = 2
"""The number of strata with equal counts below which blocks of sorted rows would have them."""


def judge_cells(
    table: StratumTable,
    slack: int = 0,
    groups: GroupRows | None = None,
    *,
    n_cells: int = 1,
    is_coarse: bool = False,
) -> JudgedCells:
    """Judge every cell of a table of strata and folds.

    A cell may deviate by `slack` rows beyond the rounding of its stratum and of its fold. `groups`
    is given if whole groups were assigned, and `n_cells` is the number of cells that are judged
    together. Coarse strata contain other strata, and may deviate by one more row after `extend`.

    Source: Johnson, Kotz and Kemp (1992), Univariate discrete distributions, chapter 6, for the
    variance of the number of rows of a stratum in a random fold.
    """
    sizes = table.sum(axis=1)
    totals = table.sum(axis=0)
    n_rows = max(int(sizes.sum()), 1)
    # All steps but one final division use integers, so equal deviations give equal floats.
    off = (table * n_rows - sizes[:, None] * totals) / n_rows
    expected = sizes[:, None] * totals / n_rows
    share = totals / n_rows
    if groups is None:
        squares = sizes * (n_rows - sizes) / max(n_rows - 1, 1)
    else:
        squares = groups.squares
    spread = np.sqrt(np.outer(squares, share * (1 - share)))
    far = np.abs(off) - COUNT_ROUNDING
    rounded = (1 + slack + sizes / n_rows)[:, None]
    is_uneven = (far > rounded + is_coarse) & (expected >= 1) & (far > TENTH * expected)
    if groups is not None:
        chance = np.where(far > SIGMAS * spread, 0.0, 1.0)
    else:
        chance = np.ones(table.shape)
        # A deviation of up to one standard deviation is never rare.
        places = np.nonzero((far > spread) & (is_uneven | (table == 0)))
        chance[places] = tail_chances(table[places], sizes[places[0]], totals[places[1]], n_rows)
    is_lacking = (table == 0) & (expected > 0) & (chance * n_cells < RARE_LACKING)
    is_uneven &= chance * n_cells < RARE_UNEVEN
    return JudgedCells(table, off, expected, far <= rounded, is_uneven, is_lacking, spread)


def counts_of_each(table: StratumTable) -> Ints | None:
    """Find the counts of a column that takes equally many rows of each stratum, if it is one.

    All parts but the rest have the same number of rows in each stratum that has more rows than
    these numbers sum to, and no rows in the other strata. There are at least two such large strata.
    Returns the numbers, shape (n_parts,), in which the rest has 0.
    """
    most = table.max(axis=0, initial=0)
    has_other_counts = ((table != most) & (table > 0)).any(axis=0)
    if has_other_counts.sum() > 1:
        return None
    rests = np.flatnonzero(has_other_counts) if has_other_counts.any() else range(len(most))
    sizes = table.sum(axis=1)
    for rest in rests:
        counts: Ints = most.copy()
        counts[rest] = 0
        is_large = sizes > counts.sum()
        expected = np.where(is_large[:, None], counts, 0)
        expected[:, rest] = sizes - expected.sum(axis=1)
        if is_large.sum() >= LEAST_LARGE and counts.any() and (table == expected).all():
            return counts
    return None


def order_deviations(table: StratumTable, parents: Ints) -> Values:
    """Compute the largest deviation of each fold's running counts from its share, shape (n_folds,).

    The rows of the table are in order, parent by parent. In each parent, running counts start at 0,
    and are compared with the fold's share of the parent's rows up to the same place.
    """
    first = np.searchsorted(parents, parents, "left")
    end = np.searchsorted(parents, parents, "right")
    upto = np.cumsum(table, axis=0)
    upto -= (upto - table)[first]
    totals = upto[end - 1]
    rows = upto.sum(axis=1, keepdims=True)
    off = np.abs(upto * rows[end - 1] - rows * totals) / np.maximum(rows[end - 1], 1)
    return np.asarray(off.max(axis=0, initial=0.0))


def tells_order(n_rows: int, k: Any, squares: Any) -> Flags:
    """Return whether there are enough rows to judge how evenly k folds are spread along an order.

    `squares` is the sum of the squared fold sizes.
    """
    spread = n_rows - squares / max(n_rows, 1)
    return np.asarray((spread >= LEAST_SPREAD) & (n_rows >= ROWS_PER_FOLD * k))


def is_beyond_shuffles(table: StratumTable) -> bool:
    """Return whether fewer pairs of rows share both stratum and fold than in 99 % of shuffles."""
    share = ((table.sum(axis=0) / max(table.sum(), 1)) ** 2).sum()
    alike = count_pairs(table.sum(axis=1))
    both = count_pairs(table)
    return bool(both < alike * share - RARE_SIGMAS * np.sqrt(alike * share))


def tv_distance(off: Values, totals: Ints) -> Values:
    """Compute the total variation distance between the stratum shares of each fold and of all rows.

    The distance is half the sum of the absolute differences between shares, and lies between 0 and
    1. It is the share of a fold's rows whose stratum would have to change for a distance of 0, and
    is NaN for folds without rows. `totals` holds the number of rows of each fold.
    """
    moved = np.sort(np.abs(off), axis=0).sum(axis=0) / 2  # the order of strata has no effect
    distances: Values = np.where(totals, moved / np.maximum(totals, 1), np.nan)
    return distances


def group_rows(codes: Ints, groups: Ints, weights: Ints | None, n_strata: int) -> GroupRows:
    n_groups = int(groups.max(initial=-1)) + 1
    pairs, place = np.unique(codes * n_groups + groups, return_inverse=True)
    rows = sum_by(place, weights, len(pairs)).astype(np.float64)
    strata = pairs // max(n_groups, 1)
    counts = np.bincount(strata, minlength=n_strata)
    # The sum of (rows - share * size)**2 over all groups, even those without rows of the stratum.
    sizes = sum_by(groups, weights, n_groups).astype(np.float64)
    share = np.bincount(strata, rows, n_strata) / max(sizes.sum(), 1)
    crossed = np.bincount(strata, rows * sizes[pairs % max(n_groups, 1)], n_strata)
    squares = np.bincount(strata, rows**2, n_strata) - 2 * share * crossed
    return GroupRows(counts, np.maximum(squares + share**2 * (sizes**2).sum(), 0))
