"""Stratum sizes -> how many rows of each stratum go to each of k equal folds, or into a sample."""

import numpy as np

from .types import Ints, StratumTable, Words


def equal_quota(sizes: Ints, fold_permutation: Ints) -> StratumTable:
    """Allocate every stratum to k equal folds, round robin.

    The counts of the folds differ by at most 1 in every run of consecutive strata: over all rows,
    in every stratum, and in every coarser stratum.
    """
    # The rows of all strata, one stratum after another, take the seats 0, 1, ..., k-1, 0, 1, ... in
    # turn; seat j is fold `fold_permutation[j]`. The n mod k rows of a stratum that remain after
    # equal counts take the first seats from the stratum's start on.
    k = len(fold_permutation)
    starts = (np.cumsum(sizes) - sizes)[:, None]
    extra = (np.arange(k) - starts) % k < (sizes % k)[:, None]
    table = np.empty((len(sizes), k), dtype=np.int64)
    table[:, fold_permutation] = (sizes // k)[:, None] + extra
    return table


def proportional_allocation(sizes: Ints, total: int, draws: Words) -> Ints:
    """Allocate a sample in proportion to stratum sizes by largest remainder (Hamilton's method)."""
    quota, remainder = np.divmod(sizes * total, max(int(sizes.sum()), 1))
    first = np.lexsort((draws, -remainder))[: total - int(quota.sum())]
    quota[first] += 1
    return quota


def equal_allocation(sizes: Ints, total: int, draws: Words) -> Ints:
    """Allocate a sample to strata in equal numbers, taking all rows of strata that have fewer."""
    if len(sizes) == 0:
        return sizes
    ascending = np.sort(sizes)
    n_as_large = len(sizes) - np.arange(len(sizes))
    n_before = np.cumsum(ascending) - ascending
    # The smallest stratum that is not needed in full sets the level for itself and all larger
    # strata; the strata before it give all their rows.
    cut = int(np.argmax(n_before + ascending * n_as_large >= total))
    level = (total - int(n_before[cut])) // int(n_as_large[cut])
    quota = np.minimum(sizes, level)
    open_strata = np.flatnonzero(sizes > level)
    order = open_strata[np.argsort(draws[open_strata], kind="stable")]
    quota[order[: total - int(quota.sum())]] += 1
    return quota
