"""Order the rows inside each stratum, at random or by value."""

import numpy as np

from .types import Codes, Flags, Ints, Rows, Values, Words

CHUNK = 1 << 16
"""The number of rows per pass, chosen so that the arrays of a pass fit in cache."""

ENOUGH_BITS = 24
"""The minimum number of random bits in a 64-bit word for rows to be sorted in a single step."""


def shuffled(codes: Codes, n_codes: int, draws: Words) -> Rows:
    """Sort rows by code, and shuffle the rows within a code; the draws are overwritten."""
    row_bits = bit_width(len(codes))
    code_bits = bit_width(n_codes)
    if 64 - row_bits - code_bits >= ENOUGH_BITS:
        return sort_words(draws, codes, code_bits, row_bits)
    # With few random bits, many rows would be tied and keep their order. A word without the code
    # has room for more random bits.
    return grouped(sort_words(draws, None, 0, row_bits), codes, n_codes)


def grouped(rows: Rows, codes: Codes, n_codes: int) -> Rows:
    """Sort ordered rows by code, and keep their order within a code."""
    if n_codes <= 1 << 16:
        # For 16-bit integers, NumPy uses a radix sort, which is fastest.
        return rows[np.argsort(codes[rows].astype(np.uint16), kind="stable")]
    words = np.zeros(len(rows), dtype=np.uint64)
    return rows[sort_words(words, codes[rows], bit_width(n_codes), bit_width(len(rows)))]


def bit_width(size: int) -> int:
    """Return the number of bits that the integers 0..size-1 need."""
    return max(size - 1, 0).bit_length()


def sort_words(words: Words, codes: Codes | None, code_bits: int, row_bits: int) -> Rows:
    """Sort rows by code, then by the leading bits of their words; the words are overwritten."""
    pack_words(words, codes, code_bits, row_bits)
    words.sort()
    words &= np.uint64((1 << row_bits) - 1)
    return words.view(np.int64)


def pack_words(words: Words, codes: Codes | None, code_bits: int, row_bits: int) -> None:
    """Pack the code, the leading bits and the position of each row into its word, in place."""
    # Sorting the packed words is faster than `argsort`. The words are unique, so every sorting
    # algorithm gives the same result on every platform.
    words >>= np.uint64(code_bits)
    words &= ~np.uint64((1 << row_bits) - 1)
    words |= np.arange(len(words), dtype=np.uint64)
    if codes is not None and code_bits:
        words |= codes.astype(np.uint64) << np.uint64(64 - code_bits)


def sort_values(values: Values, codes: Codes | None = None, n_codes: int = 1) -> tuple[Rows, Flags]:
    """Sort rows by code, value and position, and mark where the code or the value changes."""
    row_bits = bit_width(len(values))
    code_bits = bit_width(n_codes)
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
    """Map values to words in the same order; the words start at 0 and are shifted to full width."""
    words = ordered_words(values)
    words -= words.min(initial=2**64 - 1)
    words <<= np.uint64(64 - int(words.max(initial=0)).bit_length())
    return words


def ordered_words(values: Values) -> Words:
    """Map integers or floats to words in the same order; -0 and 0 are mapped to the same word."""
    sign = np.uint64(1 << 63)
    if values.dtype.kind == "f":
        # Positive floats sort like their bits, and negative floats in the reverse order. Adding 0
        # turns -0 into 0.
        words = (values.astype(np.float64, copy=False) + 0.0).view(np.uint64)
        return words ^ ((words.view(np.int64) >> 63).view(np.uint64) | sign)
    if values.dtype.kind == "u":
        return values.astype(np.uint64)
    return values.astype(np.int64).view(np.uint64) ^ sign


def repair_runs(rows: Rows, ascending: Values, is_run_start: Flags, n_lost: int) -> None:
    """Sort, in place, runs of values that differ only in the `n_lost` lowest bits of their words.

    Rows and values are already sorted by all higher bits, and `is_run_start` marks changes of code.
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
    has_fall = np.zeros(run[-1] + 1, dtype=np.bool_)
    has_fall[run[1:][falls]] = True
    places = np.flatnonzero(has_fall[run])
    order = places[np.lexsort((ascending[places], run[places]))]
    rows[places] = rows[order]
    ascending[places] = ascending[order]


def rank(values: Values) -> Ints:
    """Compute dense ranks of values, starting at 0; equal values have equal ranks."""
    rows, is_run_start = sort_values(values)
    ranks = np.empty(len(rows), dtype=np.int64)
    ranks[rows] = np.cumsum(is_run_start) - 1
    return ranks


def by_value(codes: Codes, n_codes: int, values: Values, draws: Words) -> Rows:
    """Sort rows by code, then by value; rows with equal values are in random order."""
    rows, is_run_start = sort_values(values)
    tied = ~is_run_start
    tied[:-1] |= tied[1:]
    if tied.any():
        tied_rows = rows[tied]
        runs = np.cumsum(is_run_start[tied]) - 1
        rows[tied] = tied_rows[shuffled(runs, int(runs[-1]) + 1, draws[tied_rows])]
    return rows if n_codes == 1 else grouped(rows, codes, n_codes)


def positions_within(sizes: Ints) -> Ints:
    """Number the members of each run from 0, given the sizes of consecutive runs."""
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def permuted_blocks(
    rows: Rows, sizes: Ints, k: int, draws: Words, spread_leftover: bool = True
) -> Rows:
    """Shuffle ordered rows in blocks of k neighbours; left-over rows come last in each stratum.

    If the rows of a stratum are then dealt to k folds in turn, each block gives every fold one
    random row. Permuted blocks allocate patients to the arms of a clinical trial in the same way.
    A stratum of n rows has r = n mod k left-over rows. They are the rows at the positions
    floor((i + 1/2) n / r) for i = 0, ..., r - 1, and so are spread over the whole order. Without
    `spread_leftover`, they are the last r rows. The draws are overwritten.

    Sources: Zelen (1974), The randomization and stratification of patients to clinical trials. Lowe
    (2016), Stratified validation splits for regression problems.
    """
    n_left = sizes % k
    last = np.repeat(np.cumsum(sizes) - n_left, n_left) + positions_within(n_left)
    leftover = spread_positions(sizes, n_left) if spread_leftover else last
    in_block = np.ones(len(rows), dtype=np.bool_)
    in_block[leftover] = False
    # Without left-over rows, the size of every stratum is a multiple of k. So no block
    # contains rows of two strata.
    n_blocked = len(rows) - len(leftover)
    blocks = rows[in_block].reshape(-1, k)
    blocks = shuffle_within_rows(blocks, draws[:n_blocked].reshape(-1, k))
    left_rows = rows[~in_block]
    strata = np.repeat(np.arange(len(sizes)), n_left)
    is_last = np.zeros(len(rows), dtype=np.bool_)
    is_last[last] = True
    order = np.empty_like(rows)
    order[~is_last] = blocks.ravel()
    order[last] = left_rows[shuffled(strata, len(sizes), draws[n_blocked:])]
    return order


def spread_positions(sizes: Ints, n_left: Ints) -> Ints:
    """List the positions floor((i + 1/2) n / r) of the r left-over rows of each stratum."""
    index = positions_within(n_left)
    positions: Ints = (2 * index + 1) * np.repeat(sizes, n_left)
    positions //= 2 * np.repeat(n_left, n_left)
    positions += np.repeat(np.cumsum(sizes) - sizes, n_left)
    return positions


def shuffle_within_rows(blocks: Ints, draws: Words) -> Ints:
    """Shuffle each row of a matrix separately; `draws` has the same shape and is overwritten."""
    # The lowest bits of a word hold the column; in `pack_words` they hold the position.
    mask = np.uint64((1 << bit_width(blocks.shape[1])) - 1)
    draws &= ~mask
    draws |= np.arange(blocks.shape[1], dtype=np.uint64)
    draws.sort(axis=1)
    draws &= mask
    return np.take_along_axis(blocks, draws.view(np.int64), axis=1)
