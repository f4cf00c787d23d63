"""Count the rows with equal values, and find equal rows in different folds."""

from collections.abc import Sequence
from contextlib import suppress
from math import inf
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ..core.strata import (
    DENSE,
    count_pairs,
    distinct_values,
    factorize_codes,
    nest_codes,
    sum_by,
)
from ..core.types import Codes, Flags, Ints, Words
from .compared_column import ComparedColumn
from .dtypes import dtype_of, is_nested, numbers_at, to_floats
from .libraries import Series, take, value_at
from .threads import has_threads

MANY_SETS = 1 << 13
"""If the first `HEAD_ROWS` rows contain more distinct rows than this, grouping the rows is slower
than encoding each column."""

HEAD_ROWS = 1 << 16
"""The number of rows in a quick check before all rows are read."""

FIRST_ROWS = 1 << 10
"""The number of rows in a first check, in which most columns of few values repeat one."""

MOSTLY_UNIQUE = 0.9
"""The share of distinct hashes below which repeated rows are not listed."""

SAMPLED = 1 << 13
"""The expected number of rows in a sample of more rows; it has some 80 rows of 1 % of copies."""

STRIDED = 1 << 10
"""The number of rows, from all over a frame, that show how many values a column has."""

MOST_CANDIDATES = 16
"""The maximum number of columns among which those that choose a sample are looked for."""

START_BITS = 22
"""The number of leading bits of a hash that are compared first, to exclude most unique hashes."""


class SharedExample(NamedTuple):
    """Two equal rows in different folds."""

    rows: tuple[int, int] | None = None
    """The positions of the two rows; None if the rows of the source have no positions."""
    values: tuple[Any, ...] = ()
    """The values that the two rows share, one for each column; empty if the values are unknown."""
    folds: tuple[Any, ...] = ()
    """The folds of the two rows, with None for a row without a fold."""


class SharedRows(NamedTuple):
    """Counts of equal rows, in total and in different folds."""

    n_values: int
    """The number of distinct rows."""
    n_repeated: int
    """The number of distinct rows that occur at least twice."""
    n_split: int
    """The number of distinct rows that occur in at least two folds."""
    n_rows: int
    """The number of rows that equal a row in a different fold."""
    example: SharedExample | None = None
    """Two equal rows in different folds; None if there are no such rows."""
    n_pairs: int = 0
    """The number of pairs of equal rows."""
    n_split_pairs: int = 0
    """The number of pairs of equal rows in different folds."""
    largest: int = 0
    """The number of rows that equal the most frequent row, with itself."""


class HashedRows(NamedTuple):
    """The hashes of the values in all rows, or in a sample that keeps copies together."""

    rows: Ints
    """The positions of the rows."""
    words: Words
    """The hash of each value, shape (n_columns, n_rows)."""
    places: Sequence[int]
    """The places of the columns that did not choose the sample. Rows that are equal in all columns
    but one of these are sampled together."""


def count_across_folds(
    columns: Sequence[ComparedColumn],
    folds: Ints,
    rows: Ints | None = None,
    words: Words | None = None,
) -> SharedRows:
    """Count distinct rows and pairs of equal rows, in total and in different folds.

    If `rows` is given, only the rows at these positions are compared. Rows without a fold (coded
    -1) are treated as one more fold.
    """
    places, sets, n_sets = number_sets(columns, rows, words)
    fold_of_row = folds[places]
    set_of_cell, cell_sizes = count_folds_of_sets(sets, fold_of_row)
    set_sizes = sum_by(set_of_cell, cell_sizes, n_sets)
    is_split = np.bincount(set_of_cell, minlength=n_sets) > 1
    n_pairs = count_pairs(set_sizes)
    n_compared = len(folds) if rows is None else len(rows)
    return SharedRows(
        n_values=int((set_sizes > 0).sum()) + n_compared - len(places),
        n_repeated=int((set_sizes > 1).sum()),
        n_split=int(is_split.sum()),
        n_rows=int(set_sizes[is_split].sum()),
        example=find_example(places, sets, fold_of_row, is_split),
        n_pairs=n_pairs,
        n_split_pairs=n_pairs - count_pairs(cell_sizes),
        # The rows that are no longer compared differ from all others.
        largest=max(int(set_sizes.max(initial=0)), min(n_compared, 1)),
    )


def count_with_example(
    columns: Sequence[ComparedColumn],
    rows: Ints,
    folds: Ints,
    values: list[Any],
    words: Words | None = None,
) -> SharedRows:
    """Count as in `count_across_folds`; the example has the shared values and the fold labels."""
    shared = count_across_folds(columns, folds, rows, words)
    if shared.example is None or shared.example.rows is None:
        return shared
    first, second = sorted(shared.example.rows, key=lambda row: folds[row])
    named = [column.series for column in columns if not isinstance(column.series, np.ndarray)]
    example = shared.example._replace(
        rows=(first, second),
        values=tuple(value_at(series, first) for series in named),
        folds=(values[folds[first]], values[folds[second]]),
    )
    return shared._replace(example=example)


def find_example(
    places: Ints, sets: Codes, fold_of_row: Ints, is_split: Flags
) -> SharedExample | None:
    """Find the first row that equals a row in a different fold, and the first such other row."""
    if not is_split.any():
        return None
    first = np.argmax(is_split[sets])
    is_other = (sets == sets[first]) & (fold_of_row != fold_of_row[first])
    return SharedExample((int(places[first]), int(places[np.argmax(is_other)])))


def count_values(sizes: Ints) -> SharedRows:
    """Count distinct rows and pairs of equal rows, from the number of rows with each value."""
    return SharedRows(
        n_values=int((sizes > 0).sum()),
        n_repeated=int((sizes > 1).sum()),
        n_split=0,
        n_rows=0,
        n_pairs=count_pairs(sizes),
        largest=int(sizes.max(initial=0)),
    )


def expect_repeats(series: Series) -> float:
    """Estimate the number of pairs of equal numbers from the number of pairs 1 to 10 steps apart.

    A step is 1, 0.1 or 0.01, depending on the number of decimals. The estimate is 0 for numbers
    with more decimals, which seldom repeat, and infinite for dates, which often repeat.
    """
    if dtype_of(series).is_temporal():
        return inf
    with suppress(OverflowError), np.errstate(over="ignore"):
        values = to_floats(series)
        values = np.sort(values[np.isfinite(values)])
        for decimals in range(3):
            if np.array_equal(values, values.round(decimals)):
                # The last row with the same number, and the last one at most 10 steps above.
                last_equal = np.searchsorted(values, values, "right")
                last_near = np.searchsorted(values, values + 10.5 / 10**decimals, "right")
                return float((last_near - last_equal).sum()) / 20
    return 0.0


def rows_across_folds(
    columns: Sequence[ComparedColumn], folds: Ints, rows: Ints | None = None
) -> tuple[Ints, Ints]:
    """Return the positions of the rows that equal a row in a different fold, and the set of each.

    Sets of equal rows are numbered from 0 by first appearance. The rows are sorted by set.
    """
    places, sets, n_sets = number_sets(columns, rows)
    set_of_cell, _ = count_folds_of_sets(sets, folds[places])
    is_split = np.bincount(set_of_cell, minlength=n_sets) > 1
    shared = np.flatnonzero(is_split[sets])
    numbers, _ = factorize_codes(sets[shared], n_sets)
    order = np.argsort(numbers, kind="stable")
    return places[shared[order]], numbers[order]


def number_sets(
    columns: Sequence[ComparedColumn], rows: Ints | None = None, words: Words | None = None
) -> tuple[Ints, Codes, int]:
    """Number the sets of equal rows, and leave out most of the unique rows.

    Words are hashes of rows, so rows with different words are different. Sorting words is much
    faster than comparing rows.

    Returns
    -------
    places : ndarray of int64
        The positions of the remaining rows, in ascending order.
    sets : ndarray of int64, shape (n_kept,), range 0..n_sets-1
        The set of each remaining row. Some numbers may be unused.
    n_sets : int
    """
    places = rows_to_compare(columns, rows, words)
    n = len(columns[0]) if places is None else len(places)
    sets = np.zeros(n, dtype=np.int64)
    n_sets = min(n, 1)
    for column in columns if n_sets else ():
        codes, n_codes = column.classes_at(places)
        if n_sets * (n_codes + 1) <= n:
            sets = sets * (n_codes + 1) + (codes + 1)
            n_sets *= n_codes + 1
        else:
            sets, present = factorize_codes(sets, n_sets)
            sets, parents = nest_codes(sets, len(present), codes + 1, n_codes + 1)
            n_sets = len(parents)
    return np.arange(n) if places is None else places, sets, n_sets


def rows_to_compare(
    columns: Sequence[ComparedColumn], rows: Ints | None, words: Words | None
) -> Ints | None:
    """List the rows that remain if most of the unique rows are left out; None stands for all."""
    words = row_words(columns) if words is None else words
    if rows is None or len(rows) == len(words):
        return find_repeated(words)
    words = words[rows]
    repeated = find_repeated(words)
    return rows if repeated is None else rows[repeated]


def find_repeated(words: Words) -> Ints | None:
    """List the rows whose word occurs more than once; return None if there are many such rows."""
    for part in (words[:HEAD_ROWS], words):
        ascending = np.sort(part)
        repeats = ascending[1:][ascending[1:] == ascending[:-1]]
        if len(repeats) > (1 - MOSTLY_UNIQUE) * len(part):
            return None
    if not len(repeats):
        return np.zeros(0, dtype=np.int64)
    is_start = np.zeros(1 << START_BITS, dtype=np.bool_)
    shift = np.uint64(64 - START_BITS)
    is_start[repeats >> shift] = True
    rows = np.flatnonzero(is_start[words >> shift])
    return rows[np.isin(words[rows], repeats)]


def row_words(columns: Sequence[ComparedColumn]) -> Words:
    """Return a word for each row: the sum of the hashes of the values in the row."""
    words = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        words += column.words
    return words


def hash_rows(columns: Sequence[ComparedColumn], *, for_each: bool = True) -> list[HashedRows]:
    """Hash the values of all rows or, of many rows, of two samples, or of one if not `for_each`.

    Some columns choose a sample: it consists of the rows whose hash in these columns is small. Rows
    that agree in these columns are all sampled or all left out, so that the expected share of
    copies is that of the frame. For each column, at least one of the two samples is chosen by
    others.
    """
    n = len(columns[0])
    places = range(len(columns))
    if columns[0].is_short or len(columns) < 2:
        return [HashedRows(np.arange(n), np.array([column.words for column in columns]), places)]
    some = strided_rows(n)
    few_words = [column.words_at(some) for column in columns[:MOST_CANDIDATES]]
    n_values = [len(distinct_values(own)) for own in few_words]
    most_first = np.argsort(n_values)[::-1].tolist()
    first = choose_columns(few_words, most_first[: len(most_first) // 2])
    others = [place for place in places if place not in first]
    samples = [hash_sample(columns, first, others)]
    if for_each:
        second = choose_columns(few_words, [place for place in most_first if place not in first])
        samples.append(hash_sample(columns, second, first))
    return samples


def choose_columns(words: Sequence[Words], places: Sequence[int]) -> list[int]:
    """Choose as many of the columns at these places as have many joint values."""
    chosen: list[int] = []
    joint = np.zeros(len(words[0]), dtype=np.uint64)
    for place in places:
        chosen.append(place)
        joint = joint + words[place]
        if 2 * len(distinct_values(joint)) > len(joint):
            break
    return chosen


def hash_sample(
    columns: Sequence[ComparedColumn], chosen: Sequence[int], places: Sequence[int]
) -> HashedRows:
    """Hash the values of the rows whose hash in the chosen columns is small."""
    joint = row_words([columns[place] for place in chosen])
    rows = np.flatnonzero(are_small(joint))
    words = [column.words_at(rows) for column in columns]
    return HashedRows(rows, np.array(words).reshape(len(columns), len(rows)), places)


def are_small(words: Words) -> Flags:
    """Flag the words below a bound, so that `SAMPLED` of many different words are expected."""
    return words < np.uint64((SAMPLED << 64) // len(words))


def strided_rows(n: int) -> Ints:
    """List rows at equal distances."""
    return np.arange(0, n, max(n // STRIDED, 1))


def count_folds_of_sets(sets: Codes, folds: Ints) -> tuple[Ints, Ints]:
    """Return the set and the number of rows for each pair of a set and a fold with common rows."""
    n_folds = int(folds.max(initial=0)) + 2
    cells = sets * n_folds + (folds + 1)
    if cells.max(initial=0) > max(DENSE, len(cells)):
        present, sizes = np.unique(cells, return_counts=True)
    else:
        counts = np.bincount(cells)
        present = np.flatnonzero(counts)
        sizes = counts[present]
    return present // n_folds, sizes


def all_unique(column: ComparedColumn) -> bool:
    """Return whether a column has at least two rows and no repeated value."""
    numbers = numbers_at(column.hashable)
    if numbers is None and column.is_short:
        return len(column) > 1 and int(column.value_sizes(np.arange(len(column))).max()) == 1
    for n_rows in sorted({min(n, len(column)) for n in (FIRST_ROWS, HEAD_ROWS, len(column))}):
        if n_rows < 2 or has_repeats(column.hashable[:n_rows]):
            return False
    return True


def has_repeats(series: Series) -> bool:
    """Return whether two rows of a column have the same value; missing values are equal."""
    numbers = numbers_at(series)
    if numbers is not None:
        ascending = np.sort(numbers)  # NaN is last
        if ascending[-1] == ascending[-1]:
            return bool((ascending[1:] == ascending[:-1]).any())
    _, sets, _ = number_sets([ComparedColumn(series)])
    return len(distinct_values(sets)) < len(sets)


def seem_unique(column: ComparedColumn) -> bool:
    """Return whether no value repeats in a sample of the values of a column of many rows."""
    if has_repeats(take(column.hashable, strided_rows(len(column)))):
        return False
    words = column.words
    sampled = words[are_small(words)]
    return len(distinct_values(sampled)) == len(sampled)


def count_unique_rows(series: Sequence[Any]) -> tuple[list[Any], Ints | None]:
    """Return distinct rows and their counts or, if grouping saves no time, all rows and None."""
    can_group = all(isinstance(each, pl.Series) and not is_nested(each.dtype) for each in series)
    if len(series[0]) <= HEAD_ROWS or not (can_group and has_threads()):
        return list(series), None
    # The columns are named by position, because two columns may have the same name.
    rows = pl.DataFrame([column.alias(str(place)) for place, column in enumerate(series)])
    if rows.head(HEAD_ROWS).n_unique() > MANY_SETS:
        return list(series), None
    grouped = rows.group_by(pl.all(), maintain_order=True).len("n")
    distinct = [grouped[str(place)].alias(column.name) for place, column in enumerate(series)]
    return distinct, grouped["n"].cast(pl.Int64).to_numpy()
