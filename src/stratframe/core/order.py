"""Orders of the rows inside their strata."""

import numpy as np

from .types import Codes, Flags, Ints, Rows, Values, Words

CHUNK = 1 << 16
"""The number of rows per pass, low enough for the passes around a sort to stay in cache."""

ENOUGH_BITS = 24
"""The number of random bits of a sort word below which the sort is done in two steps."""


def shuffled(codes: Codes, n_codes: int, draws: Words) -> Rows:
    """Order rows by their code, and at random inside a code; the draws are overwritten."""
    row_bits, code_bits = bit_width(len(codes)), bit_width(n_codes)
    if 64 - row_bits - code_bits >= ENOUGH_BITS:
        return sort_words(draws, codes, code_bits, row_bits)
    # Few random bits would tie often, and ties keep the order of the rows. A word without the code
    # has room for more random bits.
    return grouped(sort_words(draws, None, 0, row_bits), codes, n_codes)


def grouped(rows: Rows, codes: Codes, n_codes: int) -> Rows:
    """Sort an order of rows stably by code."""
    if n_codes <= 1 << 16:
        # NumPy uses a radix sort for 16-bit integers, which is fastest.
        return rows[np.argsort(codes[rows].astype(np.uint16), kind="stable")]
    words = np.zeros(len(rows), dtype=np.uint64)
    return rows[sort_words(words, codes[rows], bit_width(n_codes), bit_width(len(rows)))]


def bit_width(size: int) -> int:
    """Count the bits that are needed to hold 0..size-1."""
    return max(size - 1, 0).bit_length()


def sort_words(words: Words, codes: Codes | None, code_bits: int, row_bits: int) -> Rows:
    """Sort rows by code, then by random bits, which are overwritten."""
    pack_words(words, codes, code_bits, row_bits)
    words.sort()
    words &= np.uint64((1 << row_bits) - 1)
    return words.view(np.int64)


def pack_words(words: Words, codes: Codes | None, code_bits: int, row_bits: int) -> None:
    """Put codes above the leading bits of words, and row numbers below them, in place."""
    # Plain values are then sorted, which is faster than `argsort`. The words are unique, so every
    # sort is stable, and its result is the same on every platform.
    words >>= np.uint64(code_bits)
    words &= ~np.uint64((1 << row_bits) - 1)
    words |= np.arange(len(words), dtype=np.uint64)
    if codes is not None and code_bits:
        words |= codes.astype(np.uint64) << np.uint64(64 - code_bits)


def sort_values(values: Values, codes: Codes | None = None, n_codes: int = 1) -> tuple[Rows, Flags]:
    """Sort rows by code, value and position, and mark where the code or the value changes."""
    row_bits, code_bits = bit_width(len(values)), bit_width(n_codes)
    rows = sort_words(leading_words(values), codes, code_bits, row_bits)
    ascending = values[rows]
    is_run_start = np.zeros(len(rows), dtype=np.bool_)
    is_run_start[:1] = True
    if codes is not None:
        sizes = np.bincount(codes, minlength=n_codes)
        is_run_start[(np.cumsum(sizes) - sizes)[sizes > 0]] = True
    repair_runs(rows, ascending, is_run_start, code_bits + row_bits)
    is_run_start[1:] |= ascending[1:] != ascending[:-1]
    return rows, is_run_start


def leading_words(values: Values) -> Words:
    """Map values to words in the same order, from 0, and shift them to use the highest bits."""
    words = ordered_words(values)
    words -= words.min(initial=2**64 - 1)
    words <<= np.uint64(64 - int(words.max(initial=0)).bit_length())
    return words


def ordered_words(values: Values) -> Words:
    """Map integers or floats to words in the same order; both zeros to one word."""
    sign = np.uint64(1 << 63)
    if values.dtype.kind == "f":
        # Floats sort like their bits, but negative floats in reverse. Adding 0 turns -0 into 0.
        words = (values.astype(np.float64, copy=False) + 0.0).view(np.uint64)
        return words ^ ((words.view(np.int64) >> 63).view(np.uint64) | sign)
    if values.dtype.kind == "u":
        return values.astype(np.uint64)
    return values.astype(np.int64).view(np.uint64) ^ sign


def repair_runs(rows: Rows, ascending: Values, is_run_start: Flags, n_lost: int) -> None:
    """Sort the runs of values that differ only in the lowest bits of their words, in place.

    Rows and their values are sorted except for these bits; `is_run_start` marks where codes start.
    """
    falls = ascending[1:] < ascending[:-1]
    falls &= ~is_run_start[1:]
    if not falls.any():
        return
    words = leading_words(ascending)
    words >>= np.uint64(n_lost)
    starts = is_run_start.copy()
    starts[1:] |= words[1:] != words[:-1]
    run = np.cumsum(starts)
    chosen = np.zeros(run[-1] + 1, dtype=np.bool_)
    chosen[run[1:][falls]] = True
    places = np.flatnonzero(chosen[run])
    order = places[np.lexsort((ascending[places], run[places]))]
    rows[places], ascending[places] = rows[order], ascending[order]


def rank(values: Values) -> Ints:
    """Rank values densely from 0; equal values share a rank."""
    rows, is_run_start = sort_values(values)
    ranks = np.empty(len(rows), dtype=np.int64)
    ranks[rows] = np.cumsum(is_run_start) - 1
    return ranks


def by_value(codes: Codes, n_codes: int, values: Values, draws: Words) -> Rows:
    """Order rows by their code, then by value, and at random among equal values."""
    rows, is_run_start = sort_values(values)
    tied = ~is_run_start
    tied[:-1] |= tied[1:]
    if tied.any():
        # Only tied rows are shuffled, run by run.
        tied_rows = rows[tied]
        runs = np.cumsum(is_run_start[tied]) - 1
        rows[tied] = tied_rows[shuffled(runs, int(runs[-1]) + 1, draws[tied_rows])]
    return rows if n_codes == 1 else grouped(rows, codes, n_codes)


def positions_within(sizes: Ints) -> Ints:
    """Number the members of each of several consecutive runs from 0."""
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def permuted_blocks(
    rows: Rows, sizes: Ints, k: int, draws: Words, spread_leftover: bool = True
) -> Rows:
    """Shuffle an order inside blocks of k neighbours, with left-over rows at the end.

    Dealt to k folds in turn, each block then gives every fold one row at random, just as permuted
    blocks allocate patients to the arms of a clinical trial. A stratum of n rows has r = n mod k
    rows left over. These are the rows at the positions floor((i + 1/2) n / r), i < r, so that they
    too are spread over the order; without `spread_leftover` they are the last r rows. The draws are
    overwritten.

    Sources: Zelen (1974), The randomization and stratification of patients to clinical trials. Lowe
    (2016), Stratified validation splits for regression problems.
    """
    ends, n_left = np.cumsum(sizes), sizes % k
    index = positions_within(n_left)
    last = np.repeat(ends - n_left, n_left) + index
    leftover = last
    if spread_leftover:
        # (i + 1/2) n / r in whole numbers: (2 i + 1) n // (2 r).
        leftover = (2 * index + 1) * np.repeat(sizes, n_left) // (2 * np.repeat(n_left, n_left))
        leftover += np.repeat(ends - sizes, n_left)
    in_block = np.ones(len(rows), dtype=np.bool_)
    in_block[leftover] = False
    # Without its left-over rows the size of every stratum is a multiple of k, so no block of the
    # matrix reaches into the next stratum.
    n_blocked = len(rows) - len(leftover)
    blocks = rows[in_block].reshape(-1, k)
    blocks = shuffle_within_rows(blocks, draws[:n_blocked].reshape(-1, k))
    left_rows, strata = rows[~in_block], np.repeat(np.arange(len(sizes)), n_left)
    is_last = np.zeros(len(rows), dtype=np.bool_)
    is_last[last] = True
    order = np.empty_like(rows)
    order[~is_last] = blocks.ravel()
    order[last] = left_rows[shuffled(strata, len(sizes), draws[n_blocked:])]
    return order


def shuffle_within_rows(blocks: Ints, draws: Words) -> Ints:
    """Shuffle each row of a matrix separately; the draws, one for each cell, are overwritten."""
    # The low bits of a word hold the column, just as the low bits in `sort_words` hold the row.
    mask = np.uint64((1 << bit_width(blocks.shape[1])) - 1)
    draws &= ~mask
    draws |= np.arange(blocks.shape[1], dtype=np.uint64)
    draws.sort(axis=1)
    draws &= mask
    return np.take_along_axis(blocks, draws.view(np.int64), axis=1)
