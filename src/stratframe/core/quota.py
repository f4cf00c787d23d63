"""Stratum sizes and shares -> how many rows of each stratum go to each part."""

import numpy as np

from .types import Draws, Ints, Table


def equal_quota(sizes: Ints, numbering: Ints) -> Table:
    """Share every stratum out to k folds, going round the table.

    The rows of all strata, one stratum after another, take the seats 0, 1, ..., k-1,
    0, 1, ... in turn; seat j is fold `numbering[j]`. So the counts of the folds differ
    by at most 1 in every run of consecutive strata: in the whole, in every stratum,
    and in every stratum that the strata are nested in.

    Parameters
    ----------
    sizes : ndarray of int, shape (n_strata,)
    numbering : ndarray of int, shape (k,)
        A permutation of 0..k-1.

    Returns
    -------
    ndarray of int64, shape (n_strata, k)
    """
    k = len(numbering)
    starts = (np.cumsum(sizes) - sizes)[:, None]
    extra = (np.arange(k) - starts) % k < (sizes % k)[:, None]
    table = np.empty((len(sizes), k), dtype=np.int64)
    table[:, numbering] = (sizes // k)[:, None] + extra
    return table


def proportional_allocation(sizes: Ints, total: int, draws: Draws) -> Ints:
    """Allocate a sample to strata by their sizes, by largest remainder.

    Parameters
    ----------
    sizes : ndarray of int, shape (n_strata,)
    draws : ndarray of uint64, shape (n_strata,)
        Break ties.

    Returns
    -------
    ndarray of int64, shape (n_strata,)

    References
    ----------
    Hamilton's method of apportionment.
    """
    quota, remainder = np.divmod(sizes * total, max(int(sizes.sum()), 1))
    first = np.lexsort((draws, -remainder))[: total - int(quota.sum())]
    quota[first] += 1
    return quota


def equal_allocation(sizes: Ints, total: int, draws: Draws) -> Ints:
    """Allocate a sample to strata in equal numbers; small strata pass on what they lack.

    Parameters
    ----------
    sizes : ndarray of int, shape (n_strata,)
    draws : ndarray of uint64, shape (n_strata,)
        Say which strata get the rows that are left over.

    Returns
    -------
    ndarray of int64, shape (n_strata,)
    """
    if len(sizes) == 0:
        return sizes
    ascending = np.sort(sizes)
    larger = len(sizes) - np.arange(len(sizes))
    before = np.cumsum(ascending) - ascending
    # The first stratum, by size, that cannot give its all sets the level for the rest.
    cut = int(np.argmax(before + ascending * larger >= total))
    level = (total - int(before[cut])) // int(larger[cut])
    quota = np.minimum(sizes, level)
    open_strata = np.flatnonzero(sizes > level)
    order = open_strata[np.argsort(draws[open_strata], kind="stable")]
    quota[order[: total - int(quota.sum())]] += 1
    return quota
