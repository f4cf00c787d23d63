"""Rows with equal values: counted, found in several folds, or known not to exist.

Two missing values count as equal, and so do NaN and null, and the two zeros.
"""

from collections.abc import Sequence
from contextlib import suppress
from math import inf
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ..core.strata import factorize_codes, nest_codes, sum_by
from ..core.types import Codes, Ints, Words
from ..errors import StratError
from .dtypes import dtype_of, is_nested, nested_error, to_floats, to_polars
from .libraries import Series, take
from .read import encode_classes
from .threads import has_threads

MANY_SETS = 1 << 13
"""The maximum number of distinct rows among the first rows for which grouping is not slower than
encoding each column."""

HEAD_ROWS, MOSTLY_UNIQUE = 1 << 16, 0.9
"""The number of rows that are examined first, and the share of unique rows that counts as high."""

START_BITS = 22
"""The number of leading bits of words that are compared to rule out most unique words."""


class SharedExample(NamedTuple):
    """Two rows that are equal and in different folds."""

    rows: tuple[int, int] | None = None
    """Their positions; None where rows have no positions."""
    values: tuple[Any, ...] = ()
    """The values that they share, one for each column; empty where the values are unknown."""
    folds: tuple[Any, ...] = ()
    """Their folds; None for no fold."""


class SharedRows(NamedTuple):
    """How many rows are equal, and how many of these are in several folds."""

    n_values: int
    """The number of distinct rows."""
    n_repeated: int
    """The number of distinct rows that occur twice or more."""
    n_split: int
    """The number of distinct rows that occur in two folds or more."""
    n_rows: int
    """The number of rows that equal a row in a different fold."""
    example: SharedExample | None = None
    """Two equal rows in different folds; None if there are none."""
    n_pairs: int = 0
    """The number of pairs of equal rows."""
    n_split_pairs: int = 0
    """The number of pairs of equal rows in different folds."""


def count_across_folds(
    columns: Sequence[Any],
    folds: Ints,
    rows: Ints | None = None,
    words: Words | None = None,
) -> SharedRows:
    """Count the distinct rows of columns, those that repeat, and those that repeat across folds.

    All rows are compared, or only `rows`. Rows without a fold (-1) count as one more fold.
    """
    places, sets, n_sets = number_sets(columns, rows, words)
    own = folds[places]
    set_of_cell, sizes = count_folds_of_sets(sets, own)
    n = sum_by(set_of_cell, sizes, n_sets)
    is_split = np.bincount(set_of_cell, minlength=n_sets) > 1
    n_pairs, n_pairs_inside = (int((counts * (counts - 1)).sum()) // 2 for counts in (n, sizes))
    example = None
    if is_split.any():
        first = np.argmax(is_split[sets])
        other = np.argmax((sets == sets[first]) & (own != own[first]))
        example = SharedExample((int(places[first]), int(places[other])))
    n_compared = len(folds) if rows is None else len(rows)
    return SharedRows(
        n_values=int((n > 0).sum()) + n_compared - len(own),
        n_repeated=int((n > 1).sum()),
        n_split=int(is_split.sum()),
        n_rows=int(n[is_split].sum()),
        example=example,
        n_pairs=n_pairs,
        n_split_pairs=n_pairs - n_pairs_inside,
    )


def count_values(column: Any, rows: Ints) -> SharedRows:
    n = np.bincount(encode_classes(column)[0][rows] + 1)
    n_pairs = int((n * (n - 1)).sum()) // 2
    return SharedRows(int((n > 0).sum()), int((n > 1).sum()), 0, 0, n_pairs=n_pairs)


def expect_repeats(series: Series) -> float:
    """Estimate the number of pairs of equal numbers from the pairs one to ten steps apart.

    A step is 1, 0.1 or 0.01. The estimate is 0 for numbers with more decimals, which should not
    repeat, and infinite for dates, which may.
    """
    if dtype_of(series).is_temporal():
        return inf
    with suppress(OverflowError), np.errstate(over="ignore"):
        values = to_floats(series)
        values = np.sort(values[np.isfinite(values)])
        for decimals in range(3):
            if np.array_equal(values, values.round(decimals)):
                near = np.searchsorted(values, values + 10.5 / 10**decimals, "right")
                return float((near - np.searchsorted(values, values, "right")).sum()) / 20
    return 0.0


def rows_across_folds(
    columns: Sequence[Any], folds: Ints, rows: Ints | None = None
) -> tuple[Ints, Ints]:
    """Find the positions of the rows that equal a row in a different fold, and the set of each.

    Sets are numbered from 0 by their first row, and listed one after another.
    """
    places, sets, n_sets = number_sets(columns, rows)
    is_split = np.bincount(count_folds_of_sets(sets, folds[places])[0], minlength=n_sets) > 1
    found = np.flatnonzero(is_split[sets])
    numbers, _ = factorize_codes(sets[found], n_sets)
    order = np.argsort(numbers, kind="stable")
    return places[found[order]], numbers[order]


def number_sets(
    columns: Sequence[Any], rows: Ints | None = None, words: Words | None = None
) -> tuple[Ints, Codes, int]:
    """Number the sets of equal rows, and leave out most rows that are known to be unique.

    Rows with different words differ, and sorting words takes a fraction of the time that comparing
    rows takes.

    Returns
    -------
    places : ndarray of int64
        The positions of the rows that are left, ascending.
    sets : ndarray of int64, shape (n_kept,), range 0..n_sets-1
        Some of these numbers may not occur.
    n_sets : int
    """
    words = row_words(columns) if words is None else words
    rows = None if rows is None or len(rows) == len(words) else rows
    words = words if rows is None else words[rows]
    kept = repeated_rows(words)
    n = len(words) if kept is None else len(kept)
    sets, n_sets = np.zeros(n, dtype=np.int64), min(n, 1)
    del words
    chosen = rows if kept is None else kept if rows is None else rows[kept]
    for column in columns if n_sets else ():
        own = column if chosen is None else take(column, chosen)
        codes, n_codes = encode_classes(to_groupable(own))
        if n_sets * (n_codes + 1) <= n:
            sets, n_sets = sets * (n_codes + 1) + (codes + 1), n_sets * (n_codes + 1)
        else:
            sets, present = factorize_codes(sets, n_sets)
            sets, parents = nest_codes(sets, len(present), codes + 1, n_codes + 1)
            n_sets = len(parents)
    return np.arange(n) if chosen is None else chosen, sets, n_sets


def repeated_rows(words: Words) -> Ints | None:
    """List the rows that share their word with another row; None if there are many."""
    for part in (words[:HEAD_ROWS], words):
        ascending = pl.Series(part).sort().to_numpy() if has_threads() else np.sort(part)
        repeats = ascending[1:][ascending[1:] == ascending[:-1]]
        if len(repeats) > (1 - MOSTLY_UNIQUE) * len(part):
            return None
    is_start = np.zeros(1 << START_BITS, dtype=np.bool_)
    shift = np.uint64(64 - START_BITS)
    is_start[repeats >> shift] = True
    rows = np.flatnonzero(is_start[words >> shift]) if len(repeats) else np.zeros(0, dtype=np.int64)
    return rows[np.isin(words[rows], repeats)]


def row_words(columns: Sequence[Any]) -> Words:
    """Hash each row to a word, the sum of the hashes of its values."""
    words = np.zeros(len(columns[0]), dtype=np.uint64)
    for place, column in enumerate(columns):
        words += column_words(column, place)
    return words


def column_words(column: Any, place: int) -> Words:
    """Hash the values of a column; at a different place, equal values get different hashes."""
    series = to_groupable(column)
    if dtype_of(series).is_float():
        # NaN and null are equal, too, and so are -0.0 and 0.0.
        values = to_floats(series) + 0.0
        values[np.isnan(values)] = np.nan
        series = pl.Series(values)
    hashed = to_polars(series)
    assert hashed is not None
    return hashed.hash(place).to_numpy()


def count_folds_of_sets(sets: Codes, folds: Ints) -> tuple[Ints, Ints]:
    """Count the rows of each set in each of its folds; return the set and count of each pair."""
    n_folds = int(folds.max(initial=0)) + 2
    cells = sets * n_folds + (folds + 1)
    if cells.max(initial=0) > len(cells):
        found, sizes = np.unique(cells, return_counts=True)
    else:
        counts = np.bincount(cells)
        found = np.flatnonzero(counts)
        sizes = counts[found]
    return found // n_folds, sizes


def groupable(series: Series) -> Any:
    """Convert a column to one that Polars can group; None if it holds lists and the like."""
    with suppress(StratError):
        return to_groupable(series)
    return None


def to_groupable(column: Any) -> Any:
    """Convert a column to one that Polars hashes: codes, except for Polars columns and numbers."""
    if isinstance(column, np.ndarray):
        return pl.Series(column)
    dtype = dtype_of(column)
    if isinstance(column, pl.Series) and is_nested(dtype):
        raise nested_error(column.name, dtype)
    is_number = dtype.is_float() or dtype.is_integer() or dtype == pl.Boolean
    if isinstance(column, pl.Series) or (is_number and column.dtype != object):
        return column
    if dtype == pl.String and str(getattr(column.dtype, "storage", "")).startswith("pyarrow"):
        return to_polars(column)
    return pl.Series(encode_classes(column)[0])  # floats may merge objects


def all_unique(column: Any) -> bool:
    """Return whether a column has two rows or more, all of them different."""
    for n_rows in dict.fromkeys((min(HEAD_ROWS, len(column)), len(column))):
        _, sets, _ = number_sets([column[:n_rows]])
        if n_rows < 2 or len(np.unique(sets)) < len(sets):
            return False
    return True


def count_unique_rows(series: Sequence[Any]) -> tuple[list[Any], Ints | None]:
    """Keep one row of each set of equal rows in Polars columns, with counts, if that saves time."""
    can_group = all(isinstance(each, pl.Series) and not is_nested(each.dtype) for each in series)
    if not (can_group and has_threads()):
        return list(series), None
    # Two columns may have the same name, so they are grouped under their positions.
    rows = pl.DataFrame([column.alias(str(place)) for place, column in enumerate(series)])
    if rows.head(HEAD_ROWS).n_unique() > MANY_SETS:
        return list(series), None
    grouped = rows.group_by(pl.all(), maintain_order=True).len("n")
    kept = [grouped[str(place)].alias(column.name) for place, column in enumerate(series)]
    return kept, grouped["n"].cast(pl.Int64).to_numpy()
