"""Allocate the rows of each stratum to equal folds, to parts by fixed counts, or to a sample."""

import numpy as np

from .types import Ints, StratumTable, Words


def equal_quota(sizes: Ints, fold_permutation: Ints) -> StratumTable:
    """Allocate the rows of every stratum to k equal folds, by round robin.

    In every run of consecutive strata, the counts of the folds differ by at most 1. This includes
    single strata, coarser strata and the whole table.
    """
    # The rows of all strata, one stratum after another, go to the folds in turn, in the order of
    # `fold_permutation`. Each fold gets n // k of the n rows of a stratum, and the n mod k rows
    # that remain go to the folds that are next in turn at the start of the stratum.
    k = len(fold_permutation)
    starts = (np.cumsum(sizes) - sizes)[:, None]
    extra = (np.arange(k) - starts) % k < (sizes % k)[:, None]
    table = np.empty((len(sizes), k), dtype=np.int64)
    table[:, fold_permutation] = (sizes // k)[:, None] + extra
    return table


def each_quota(sizes: Ints, counts: Ints, rest: int) -> StratumTable:
    """Allocate fixed counts of rows of every stratum to the parts, and all others to part `rest`.

    A stratum that has no more rows than the counts sum to is in part `rest` as a whole. The count
    of part `rest` is 0.
    """
    is_large = sizes > counts.sum()
    table = np.where(is_large[:, None], counts, 0)
    table[:, rest] = sizes - table.sum(axis=1)
    return table


def proportional_allocation(sizes: Ints, total: int, draws: Words) -> Ints:
    """Allocate a sample in proportion to stratum sizes, by the largest remainder method."""
    quota, remainder = np.divmod(sizes * total, max(int(sizes.sum()), 1))
    first = np.lexsort((draws, -remainder))[: total - int(quota.sum())]
    quota[first] += 1
    return quota


def equal_allocation(sizes: Ints, total: int, draws: Words) -> Ints:
    """Allocate a sample to strata in equal numbers; smaller strata contribute all their rows."""
    if len(sizes) == 0:
        return sizes
    ascending = np.sort(sizes)
    n_as_large = len(sizes) - np.arange(len(sizes))
    n_before = np.cumsum(ascending) - ascending
    # Stratum `cut`, in ascending order of size, is the first that has enough rows for an equal
    # share of the rest of the sample. All smaller strata contribute all their rows.
    cut = int(np.argmax(n_before + ascending * n_as_large >= total))
    level = (total - int(n_before[cut])) // int(n_as_large[cut])
    quota = np.minimum(sizes, level)
    open_strata = np.flatnonzero(sizes > level)
    order = open_strata[np.argsort(draws[open_strata], kind="stable")]
    quota[order[: total - int(quota.sum())]] += 1
    return quota
