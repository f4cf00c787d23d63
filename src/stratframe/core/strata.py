"""Codes of strata: numbering, nesting, bins."""

from typing import Literal

import numpy as np

from .types import Flags, Ints, Table, Values

DENSE = 1 << 16
"""Up to this many codes a lookup table is made whatever the number of rows."""

HEAD = 1 << 16
"""Rows in which codes are looked for before all rows are."""


def first_occurrence(codes: Ints, n_codes: int) -> Ints:
    """Find the first row of every code.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows,), range 0..n_codes-1

    Returns
    -------
    ndarray of int64, shape (n_codes,)
        The row number; n_rows for a code that no row has.
    """
    first = np.full(n_codes, len(codes), dtype=np.int64)
    # Mostly all codes stand among the first rows.
    for n_rows in dict.fromkeys((min(HEAD, len(codes)), len(codes))):
        # Of repeated indices the last assignment stands, so the rows go backwards.
        first[codes[:n_rows][::-1]] = np.arange(n_rows - 1, -1, -1, dtype=np.int64)
        if first.max(initial=0) < n_rows:
            break
    return first


def crosstab(
    codes: Ints, n_codes: int, parts: Ints, n_parts: int, counts: Ints | None = None
) -> Table:
    """Count the rows of every code in every part.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows,), range 0..n_codes-1
    parts : ndarray of int, shape (n_rows,), range 0..n_parts-1
    counts : ndarray of int, shape (n_rows,), optional
        How many rows each stands for.

    Returns
    -------
    ndarray of int64, shape (n_codes, n_parts)
    """
    held = np.bincount(codes * n_parts + parts, counts, minlength=n_codes * n_parts)
    return held.astype(np.int64, copy=False).reshape(n_codes, n_parts)


def factorize_codes(codes: Ints, n_codes: int, parents: Ints | None = None) -> tuple[Ints, Ints]:
    """Give codes numbers by first appearance, inside their parent where they have one.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows,), range 0..n_codes-1
    parents : ndarray of int, shape (n_codes,), optional
        The parent of every code. Codes are numbered parent by parent.

    Returns
    -------
    codes : ndarray of int64, shape (n_rows,), range 0..n_present-1
    present : ndarray of int64, shape (n_present,)
        The old code of every new one.
    """
    first = first_occurrence(codes, n_codes)
    present = np.flatnonzero(first < len(codes))
    keys = (first[present],) if parents is None else (first[present], parents[present])
    present = present[np.lexsort(keys)]
    rank = np.empty(n_codes, dtype=np.int64)
    rank[present] = np.arange(len(present))
    return rank[codes], present


def nest_codes(parent: Ints, n_parents: int, child: Ints, n_children: int) -> tuple[Ints, Ints]:
    """Join two columns of codes into one: children inside their parents.

    Joint strata are numbered parent by parent, and inside a parent by first
    appearance, so that every parent is a run of consecutive numbers.

    Parameters
    ----------
    parent : ndarray of int, shape (n_rows,), range 0..n_parents-1
    child : ndarray of int, shape (n_rows,), range 0..n_children-1

    Returns
    -------
    codes : ndarray of int64, shape (n_rows,), range 0..n_joint-1
    parents : ndarray of int64, shape (n_joint,), nondecreasing
        The parent of every joint stratum.
    """
    n_joint = n_parents * n_children
    joint = parent * n_children + child
    if n_joint <= max(DENSE, 2 * len(joint)):
        codes, present = factorize_codes(joint, n_joint, np.arange(n_joint) // n_children)
        return codes, present // n_children
    values, joint = np.unique(joint, return_inverse=True)
    codes, present = factorize_codes(joint, len(values), values // n_children)
    return codes, values[present] // n_children


def sort_by_stratum(parent: Ints, values: Values) -> tuple[Ints, Flags, Flags]:
    """Sort rows by stratum and value, and mark where either changes.

    Parameters
    ----------
    parent : ndarray of int, shape (n_rows,)
    values : ndarray of numbers, shape (n_rows,), without NaN

    Returns
    -------
    rows : ndarray of int64, shape (n_rows,)
        Row numbers in sorted order.
    opens : ndarray of bool, shape (n_rows,)
        True where a sorted row is the first of its stratum.
    rises : ndarray of bool, shape (n_rows,)
        True where a sorted row is the first of its stratum or of its value.
    """
    rows = np.lexsort((values, parent))
    opens = np.ones(len(rows), dtype=np.bool_)
    opens[1:] = np.diff(parent[rows]) != 0
    rises = opens.copy()
    rises[1:] |= values[rows][1:] != values[rows][:-1]
    return rows, opens, rises


def quantile_bins(parent: Ints, values: Values, n_bins: int) -> tuple[Ints, Table]:
    """Cut the values of every stratum at its own quantiles.

    The cuts are those of `np.quantile(values, i / n_bins, method="inverted_cdf")`,
    the value at place ceil(i n / n_bins) of n sorted ones, in whole numbers, so that
    no product of floats is rounded up past its place. Bins are closed on the right;
    equal values are never parted, so there may be fewer bins than asked for.

    Parameters
    ----------
    parent : ndarray of int, shape (n_rows,), range 0..n_parents-1
    values : ndarray of numbers, shape (n_rows,), without NaN

    Returns
    -------
    bins : ndarray of int64, shape (n_rows,), range 0..n_bins-1
        Numbered upwards inside each stratum.
    counts : ndarray of int64, shape (n_parents,)
        How many bins each stratum got.

    References
    ----------
    Hyndman and Fan (1996), Sample quantiles in statistical packages, definition 1.
    """
    rows, opens, rises = sort_by_stratum(parent, values)
    starts = np.flatnonzero(opens)
    sizes = np.diff(np.append(starts, len(rows)))
    places = -(-np.arange(1, n_bins) * sizes[:, None] // n_bins) - 1
    run = np.cumsum(rises) - 1
    cut_runs = np.zeros(len(rows) + 1, dtype=np.bool_)
    cut_runs[1 + run[starts[:, None] + places]] = True
    steps = rises & cut_runs[run] & ~opens
    climbed = np.cumsum(steps)
    bins = np.empty(len(rows), dtype=np.int64)
    bins[rows] = climbed - np.repeat(climbed[starts], sizes)
    counts = np.zeros(int(parent.max(initial=-1)) + 1, dtype=np.int64)
    counts[parent[rows[starts]]] = np.add.reduceat(steps, starts, dtype=np.int64) + 1
    return bins, counts


def edge_bins(values: Values, edges: Values, closed: str) -> Ints:
    """Find the bin of every value between given edges.

    Parameters
    ----------
    values : ndarray of numbers, shape (n_rows,), within the edges
    edges : ndarray of float64, shape (n_bins + 1,), increasing

    Returns
    -------
    ndarray of int64, shape (n_rows,), range 0..n_bins-1
    """
    side: Literal["left", "right"] = "left" if closed == "right" else "right"
    places = np.searchsorted(edges, values, side=side) - 1
    return places.clip(0, len(edges) - 2)
