"""Count the rows that equal a row of another fold in all columns but one."""

from collections.abc import Sequence

import numpy as np

from .strata import count_pairs
from .types import Flags, Ints, Words


def count_without_each(words: Words, folds: Ints, columns: Sequence[int]) -> Ints:
    """Leave out each of the given columns, and count the rows that equal a row of another fold.

    The counts of all other columns are 0.

    `words` holds the hash of each value, shape (n_columns, n_rows). The columns are halved again
    and again: rows that agree in all columns but one also agree outside the half that holds this
    column, so that only these rows are compared further.
    """
    counts = np.zeros(len(words), dtype=np.int64)
    inside = np.asarray(columns)
    is_outside = np.ones(len(words), dtype=np.bool_)
    is_outside[inside] = False
    search_half(words, folds, inside, words[is_outside].sum(axis=0), counts)
    return counts


def search_half(
    words: Words, folds: Ints, inside: Ints, outside_words: Words, counts: Ints
) -> None:
    """Leave out the columns `inside`, and search further in both halves of these columns."""
    if len(inside) == 1 or len(inside) < len(words):
        is_split = flag_split_rows(outside_words, folds)
        words = words[:, is_split]
        folds = folds[is_split]
        outside_words = outside_words[is_split]
    if len(inside) == 1:
        counts[inside] = len(folds)
        return
    if not len(folds):
        return
    middle = len(inside) // 2
    for half, other in ((inside[:middle], inside[middle:]), (inside[middle:], inside[:middle])):
        search_half(words, folds, half, outside_words + words[other].sum(axis=0), counts)


def flag_split_rows(words: Words, folds: Ints) -> Flags:
    """Flag the rows whose word also occurs in another fold."""
    is_split = np.zeros(len(words), dtype=np.bool_)
    order = np.argsort(words)
    starts = start_of_sets(words[order])
    if len(starts) < len(words):
        sorted_folds = folds[order]
        lowest = np.minimum.reduceat(sorted_folds, starts)
        highest = np.maximum.reduceat(sorted_folds, starts)
        sizes = np.diff(np.append(starts, len(words)))
        is_split[order] = np.repeat(lowest < highest, sizes)
    return is_split


def count_split_pairs(words: Words, folds: Ints) -> int:
    """Count the pairs of rows in different folds whose words are equal."""
    order = np.lexsort((folds, words))
    words = words[order]
    folds = folds[order]
    is_new = words[1:] != words[:-1]
    all_pairs = pairs_in_runs(is_new)
    is_new |= folds[1:] != folds[:-1]
    return all_pairs - pairs_in_runs(is_new)


def start_of_sets(ascending: Words) -> Ints:
    """List the positions at which a new value starts."""
    if not len(ascending):
        return np.zeros(0, dtype=np.int64)
    return starts_of_runs(ascending[1:] != ascending[:-1])


def starts_of_runs(is_new: Flags) -> Ints:
    """List where runs start: at the first row, and at each other row that is flagged."""
    return np.append(0, np.flatnonzero(is_new) + 1)


def pairs_in_runs(is_new: Flags) -> int:
    """Count the pairs of rows within runs; the flags say which rows but the first start one."""
    return count_pairs(np.diff(np.append(starts_of_runs(is_new), len(is_new) + 1)))
