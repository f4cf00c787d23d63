"""Orders of the rows inside their strata."""

import numpy as np

from .types import Draws, Flags, Ints, Values

CHUNK = 1 << 16
"""Rows to a pass, so that the passes around a sort stay in cache."""

ENOUGH_BITS = 24
"""Random bits of a sort key below which the sort is done in two steps."""


def shuffled(codes: Ints, n_codes: int, draws: Draws) -> Ints:
    """Order rows by their code, and at random inside a code.

    One sort does both: its keys hold the code, random bits and the row number,
    from high bits to low. Where the code leaves fewer than 24 random bits the rows
    are shuffled first and then sorted by code.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows,), range 0..n_codes-1
    draws : ndarray of uint64, shape (n_rows,)
        Used up: its memory becomes the result.

    Returns
    -------
    ndarray of int64, shape (n_rows,)
        Row numbers.
    """
    row_bits, code_bits = bit_width(len(codes)), bit_width(n_codes)
    if 64 - row_bits - code_bits >= ENOUGH_BITS:
        return sort_keys(draws, codes, code_bits, row_bits)
    return grouped(sort_keys(draws, None, 0, row_bits), codes, n_codes)


def grouped(rows: Ints, codes: Ints, n_codes: int) -> Ints:
    """Sort an order of rows by code; rows of one code keep their order.

    Parameters
    ----------
    rows : ndarray of int64, shape (n_rows,)
    codes : ndarray of int, shape (n_rows,), range 0..n_codes-1

    Returns
    -------
    ndarray of int64, shape (n_rows,)
    """
    keys = np.zeros(len(rows), dtype=np.uint64)
    return rows[sort_keys(keys, codes[rows], bit_width(n_codes), bit_width(len(rows)))]


def bit_width(size: int) -> int:
    """Count the bits that hold 0..size-1."""
    return max(size - 1, 0).bit_length()


def sort_keys(keys: Draws, codes: Ints | None, code_bits: int, row_bits: int) -> Ints:
    """Put codes above and row numbers below the random bits, sort, and read the rows.

    Parameters
    ----------
    keys : ndarray of uint64, shape (n_rows,)
        Random bits; used up.
    codes : ndarray of int, shape (n_rows,), optional

    Returns
    -------
    ndarray of int64, shape (n_rows,)
    """
    row_mask = np.uint64((1 << row_bits) - 1)
    for start in range(0, len(keys), CHUNK):
        part = keys[start : start + CHUNK]
        part >>= np.uint64(code_bits)
        part &= ~row_mask
        part |= np.arange(start, start + len(part), dtype=np.uint64)
        if codes is not None and code_bits:
            high = codes[start : start + CHUNK].astype(np.uint64)
            part |= high << np.uint64(64 - code_bits)
    keys.sort()
    keys &= row_mask
    return keys.view(np.int64)


def sort_values(values: Values) -> tuple[Ints, Flags]:
    """Sort rows by value, and mark where the value rises.

    Parameters
    ----------
    values : ndarray of numbers, shape (n_rows,), without NaN

    Returns
    -------
    rows : ndarray of int64, shape (n_rows,)
        Row numbers; equal values in any order.
    rises : ndarray of bool, shape (n_rows,)
        True where a sorted row is the first of its value.
    """
    rows = np.argsort(values)
    ascending = values[rows]
    rises = np.ones(len(rows), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=rises[1:])
    return rows, rises


def rank(values: Values) -> Ints:
    """Rank values densely from 0; equal values share a rank.

    Parameters
    ----------
    values : ndarray of numbers, shape (n_rows,), without NaN

    Returns
    -------
    ndarray of int64, shape (n_rows,)
    """
    rows, rises = sort_values(values)
    ranks = np.empty(len(rows), dtype=np.int64)
    ranks[rows] = np.cumsum(rises) - 1
    return ranks


def by_value(codes: Ints, n_codes: int, values: Values, draws: Draws) -> Ints:
    """Order rows by their code, then by value, and at random among equal values.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows,), range 0..n_codes-1
    values : ndarray of numbers, shape (n_rows,), without NaN
    draws : ndarray of uint64, shape (n_rows,)
        Break ties.

    Returns
    -------
    ndarray of int64, shape (n_rows,)
        Row numbers.
    """
    rows, rises = sort_values(values)
    tied = ~rises
    tied[:-1] |= tied[1:]
    if tied.any():
        n_runs = int(rises[tied].sum())
        runs = np.full(len(rows), -1, dtype=np.int64)
        runs[rows[tied]] = np.cumsum(rises[tied]) - 1
        equals = np.flatnonzero(runs >= 0)
        rows[tied] = equals[shuffled(runs[equals], n_runs, draws[equals])]
    return rows if n_codes == 1 else grouped(rows, codes, n_codes)


def permuted_blocks(rows: Ints, sizes: Ints, k: int, draws: Draws, apart: bool = True) -> Ints:
    """Shuffle an order inside blocks of k neighbours, the left-over rows last.

    Of a stratum of n rows the r = n mod k rows at the places floor((i + 1/2) n / r),
    i < r, are taken out and form a block of their own at the end of their stratum.

    Parameters
    ----------
    rows : ndarray of int, shape (n_rows,)
        Row numbers, stratum after stratum, each in its order.
    sizes : ndarray of int, shape (n_strata,)
        Rows of each stratum.
    draws : ndarray of uint64, shape (n_rows,)
        Used up.

    Returns
    -------
    ndarray of int64, shape (n_rows,)

    References
    ----------
    Lowe (2016), Stratified validation splits for regression problems.
    """
    ends, left = np.cumsum(sizes), sizes % k
    turn = np.arange(left.sum()) - np.repeat(np.cumsum(left) - left, left)
    last = np.repeat(ends - left, left) + turn
    odd = last
    if apart:
        odd = (2 * turn + 1) * np.repeat(sizes, left) // (2 * np.repeat(left, left))
        odd += np.repeat(ends - sizes, left)
    stays = np.ones(len(rows), dtype=np.bool_)
    stays[odd] = False
    taken = rows[~stays]
    strata = np.repeat(np.arange(len(sizes)), left)
    n_blocked = len(rows) - len(taken)
    blocked = shuffle_within_rows(rows[stays].reshape(-1, k), draws[:n_blocked].reshape(-1, k))
    dealt = np.empty_like(rows)
    stays[:] = True
    stays[last] = False
    dealt[stays] = blocked.ravel()
    dealt[last] = taken[shuffled(strata, len(sizes), draws[n_blocked:])]
    return dealt


def shuffle_within_rows(blocks: Ints, draws: Draws) -> Ints:
    """Shuffle every row of a matrix by itself.

    Parameters
    ----------
    blocks : ndarray of int64, shape (n_blocks, k)
    draws : ndarray of uint64, shape (n_blocks, k)
        Used up.

    Returns
    -------
    ndarray of int64, shape (n_blocks, k)
    """
    mask = np.uint64((1 << bit_width(blocks.shape[1])) - 1)
    draws &= ~mask
    draws |= np.arange(blocks.shape[1], dtype=np.uint64)
    draws.sort(axis=1)
    draws &= mask
    return np.take_along_axis(blocks, draws.view(np.int64), axis=1)
