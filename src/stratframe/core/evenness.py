"""How even a table of strata and folds is, and how even it could be."""

from bisect import bisect_left

import numpy as np

from .flow import table_exists
from .strata import sum_by
from .types import Ints, StratumTable, Values


def deviations(table: StratumTable, sizes: Ints) -> Values:
    """Compute each fold's rows of each stratum, less those expected from the fold's size.

    Sizes of strata count all rows, with those that have no fold.
    """
    n_rows = int(sizes.sum())
    # In integers but for one division, so that equal deviations are equal floats.
    deviation: Values = (table * n_rows - sizes[:, None] * table.sum(axis=0)) / max(n_rows, 1)
    return deviation


def promised_deviation(sizes: Ints) -> Values:
    """Bound the deviation of each stratum that is within one row of its share, in rows.

    The share of a fold is known from its size alone, which may be a row off itself: of a stratum
    that is a fraction p of all rows, this moves the rows expected by up to p.
    """
    bound: Values = 1 + sizes / max(int(sizes.sum()), 1)
    return bound


def tv_distance(deviation: Values, totals: Ints) -> Values:
    """Compute the total variation distance of every fold's strata from those of all rows, 0..1.

    Half the sum of the absolute differences of the shares: the share of a fold's rows that would
    have to change their stratum. NaN for folds without rows. `totals` are the rows of the folds.
    """
    moved = np.abs(deviation).sum(axis=0) / 2
    distances: Values = np.where(totals, moved / np.maximum(totals, 1), np.nan)
    return distances


def random_variance(sizes: Ints, totals: Ints) -> Values:
    """Compute the variance of each stratum's rows, m p (1 - p) (n - m) / (n - 1), in random folds.

    References
    ----------
    Johnson, Kotz and Kemp (1992), Univariate discrete distributions, chapter 6.
    """
    n_rows = int(sizes.sum())
    shares = sizes[:, None] / max(n_rows, 1)
    factor = totals * (n_rows - totals) / max(n_rows - 1, 1)
    variance: Values = shares * (1 - shares) * factor
    return variance


def group_squares(codes: Ints, groups: Ints, weights: Ints | None, n_strata: int) -> Values:
    """Sum up the squared numbers of rows that the groups have in each stratum, (n_strata,)."""
    n_groups = int(groups.max(initial=-1)) + 1
    pairs, place = np.unique(codes * n_groups + groups, return_inverse=True)
    rows = sum_by(place, weights, len(pairs)).astype(np.float64)
    return np.bincount(pairs // n_groups, rows**2, n_strata)


def grouped_variance(squares: Values, totals: Ints) -> Values:
    """Compute the variance of each stratum's rows, p (1 - p) s, in folds of random groups.

    Parameters
    ----------
    squares : ndarray of float64, shape (n_strata,)
        s, as of `group_squares`.
    totals : ndarray of int64, shape (n_folds,)
        The rows of the folds, of which each has a share p.
    """
    share = totals / max(int(totals.sum()), 1)
    variance: Values = np.outer(squares, share * (1 - share))
    return variance


def optimal_max_deviation(sizes: Ints, totals: Ints) -> float:
    """Find the largest deviation that the best of all fold columns of these sizes has.

    Rows beyond the totals of the folds have none, whichever they are.

    References
    ----------
    Hoffman and Kruskal (1956), Integral boundary points of convex polyhedra.
    """
    if not len(totals) or not len(sizes):
        return 0.0
    n_rows = int(sizes.sum())
    # A fold column is an integer table with given sums, so that whether one has all cells
    # within a distance of the expected rows is a question of flow; its last column, without
    # bounds, is the rows that have no fold. Strata of equal sizes are merged, and folds of
    # equal sizes, which keeps the network small: a merged cell can be divided evenly over
    # its cells, and as its bounds are integers some integer table exists wherever a
    # fractional one does (Hoffman and Kruskal).
    merged_sizes, n_equal_strata = np.unique(sizes, return_counts=True)
    merged_totals, n_equal_folds = np.unique(totals, return_counts=True)
    n_left = n_rows - int(totals.sum())
    left = np.array([n_left] if n_left else [], dtype=np.int64)
    # Expected rows and slack are multiplied by `n_rows`, which keeps them integers.
    expected = merged_sizes[:, None] * merged_totals
    n_cells = n_equal_strata[:, None] * n_equal_folds
    row_sums = merged_sizes * n_equal_strata
    column_sums = np.append(merged_totals * n_equal_folds, left)
    any_left = np.minimum.outer(row_sums, left)

    def is_enough(slack: int) -> bool:
        """Check if all cells can be within `slack / n_rows` of the expected rows."""
        low = n_cells * np.maximum(-((slack - expected) // n_rows), 0)
        high = n_cells * ((expected + slack) // n_rows)
        low, high = np.hstack([low, 0 * any_left]), np.hstack([high, any_left])
        return table_exists(low, high, row_sums, column_sums)

    # Bracket the slack between multiples of one row, doubling and then by bisection.
    top = 1
    while not is_enough(top * n_rows):
        top *= 2
    bottom = top // 2 + 1
    top = bottom + bisect_left(range(bottom, top), True, key=lambda n: is_enough(n * n_rows))
    # In between, bounds change only where one of them crosses an integer.
    remainder = expected % n_rows
    crossings = np.concatenate([remainder, n_rows - remainder]).ravel() % n_rows
    slacks = np.unique(np.append(crossings, n_rows)) + (top - 1) * n_rows
    best = bisect_left(slacks[:-1].tolist(), True, key=is_enough)
    return float(slacks[best] / n_rows)
