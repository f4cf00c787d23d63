"""How even a table of strata and folds is, compared with what whole rows and chance allow."""

from typing import Any, NamedTuple

import numpy as np

from .chance import tail_chances
from .strata import sum_by
from .types import Flags, Ints, StratumTable, Values

COUNT_ROUNDING = 1e-9
"""The floating-point error that is allowed for, in rows."""

TENTH = 0.1
"""The share of its expected rows by which a cell may deviate, whatever the reason."""

SIGMAS = 4
"""With whole groups, hardly any of many cells deviates by more standard deviations than this."""

RARE_UNEVEN, RARE_LACKING = 0.01, 0.05
"""The chances below which a cell counts as uneven or as lacking: the chance that any cell of a
random column deviates as much, and the chance that any fold of a random column lacks a stratum."""

ORDER_ROWS, LEAST_SPREAD, ROWS_PER_FOLD = 2, 100, 7
"""Running counts of `kfold` deviate by fewer rows than the first number. So do those of at most one
shuffle in a hundred, if the variances of the sizes of random folds sum to at least the second
number, and each fold has on average at least as many rows as the third number."""

RARE_SIGMAS = 2.33
"""One normal variable in a hundred is more than this many standard deviations below its mean."""


class JudgedCells(NamedTuple):
    """How far each cell of a table is from even; each array has the shape (n_strata, n_folds)."""

    table: StratumTable
    """The rows of the cell."""
    off: Values
    """The number of rows in the cell minus the expected number."""
    expected: Values
    """The number of rows expected from the sizes of the stratum and of the fold."""
    is_even: Flags
    """Whether the cell is as close to the expected number as whole rows allow."""
    is_uneven: Flags
    """Whether the cell deviates by more than whole rows, `TENTH`, and chance explain."""
    is_lacking: Flags
    """Whether the cell has no rows, and chance does not explain this."""
    spread: Values
    """The standard deviation of the number of rows if rows, or whole groups, go to random folds."""

    @property
    def residuals(self) -> Values:
        """How much each cell deviates for its size: the absolute Pearson residual."""
        residuals: Values = np.abs(self.off) / np.sqrt(np.maximum(self.expected, 1))
        return residuals


class GroupRows(NamedTuple):
    """The groups of each stratum; each array has the shape (n_strata,)."""

    n: Ints
    """The number of groups that have rows of the stratum."""
    squares: Values
    """The sum over all groups of (rows of the stratum - its share * size of the group)**2."""


def judge_cells(
    table: StratumTable,
    slack: int = 0,
    groups: GroupRows | None = None,
    *,
    n_cells: int = 1,
    is_coarse: bool = False,
) -> JudgedCells:
    """Judge every cell of a table of strata and folds.

    `n_cells` is the number of cells that are judged together. The slack is the number of rows by
    which a cell may deviate beyond the rounding of its stratum and of its fold. Groups are given
    where whole groups were assigned. Coarse strata contain other strata: after `extend` they may
    deviate by one more row.

    Source: Johnson, Kotz and Kemp (1992), Univariate discrete distributions, chapter 6: the
    variance of the number of a stratum's rows in a fold of single rows drawn at random.
    """
    sizes, totals = table.sum(axis=1), table.sum(axis=0)
    n_rows = max(int(sizes.sum()), 1)
    # In integers except for one division, so that equal deviations give equal floats.
    off = (table * n_rows - sizes[:, None] * totals) / n_rows
    expected, share = sizes[:, None] * totals / n_rows, totals / n_rows
    squares = sizes * (n_rows - sizes) / max(n_rows - 1, 1) if groups is None else groups.squares
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


def order_deviations(table: StratumTable, parents: Ints) -> Values:
    """Measure the largest deviation of each fold's running counts from its share, (n_folds,).

    The table lists cells in order, parent by parent; shares are of the parent's rows.
    """
    first, end = (np.searchsorted(parents, parents, side) for side in ("left", "right"))
    upto = np.cumsum(table, axis=0)
    upto -= (upto - table)[first]
    totals, rows = upto[end - 1], upto.sum(axis=1, keepdims=True)
    off = np.abs(upto * rows[end - 1] - rows * totals) / np.maximum(rows[end - 1], 1)
    return np.asarray(off.max(axis=0, initial=0.0))


def tells_order(n_rows: int, k: Any, squares: Any) -> Flags:
    """Return whether there are enough rows to judge the order of k folds.

    `squares` is the sum of the squared fold sizes.
    """
    spread = n_rows - squares / max(n_rows, 1)
    return np.asarray((spread >= LEAST_SPREAD) & (n_rows >= ROWS_PER_FOLD * k))


def is_beyond_shuffles(table: StratumTable) -> bool:
    """Return whether fewer pairs of rows of a stratum share a fold than in 99 of 100 shuffles."""
    share = ((table.sum(axis=0) / max(table.sum(), 1)) ** 2).sum()
    alike, both = (float((rows * (rows - 1)).sum() / 2) for rows in (table.sum(axis=1), table))
    return bool(both < alike * share - RARE_SIGMAS * np.sqrt(alike * share))


def tv_distance(off: Values, totals: Ints) -> Values:
    """Compute the total variation distance between the strata of each fold and of all rows, 0..1.

    The distance is half the sum of the absolute differences of the shares: the share of a fold's
    rows that would have to change their stratum. It is NaN for folds without rows. `totals` holds
    the number of rows of each fold.
    """
    moved = np.sort(np.abs(off), axis=0).sum(axis=0) / 2  # the same in any order of strata
    distances: Values = np.where(totals, moved / np.maximum(totals, 1), np.nan)
    return distances


def group_rows(codes: Ints, groups: Ints, weights: Ints | None, n_strata: int) -> GroupRows:
    n_groups = int(groups.max(initial=-1)) + 1
    pairs, place = np.unique(codes * n_groups + groups, return_inverse=True)
    rows, strata = sum_by(place, weights, len(pairs)).astype(np.float64), pairs // max(n_groups, 1)
    counts = np.bincount(strata, minlength=n_strata)
    # The sum of (rows - share * size)**2 over all groups, including groups without rows.
    sizes = sum_by(groups, weights, n_groups).astype(np.float64)
    share = np.bincount(strata, rows, n_strata) / max(sizes.sum(), 1)
    crossed = np.bincount(strata, rows * sizes[pairs % max(n_groups, 1)], n_strata)
    squares = np.bincount(strata, rows**2, n_strata) - 2 * share * crossed
    return GroupRows(counts, np.maximum(squares + share**2 * (sizes**2).sum(), 0))
