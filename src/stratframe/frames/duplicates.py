"""Rows with equal values: counted, found in several folds, or known not to exist.

Two missing values are equal, and so are NaN and null, and the two zeros.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ..core.strata import factorize_codes, nest_codes, sum_by
from ..core.types import Codes, Ints
from ..errors import StratError
from .dtypes import dtype_of, is_nested, nested_error, to_floats, to_polars
from .libraries import Series, take
from .read import encode_classes
from .threads import has_threads

MANY_SETS = 1 << 13
"""Unique rows among the first ones above which grouping is slower than encoding each column."""

HEAD_ROWS, MOSTLY_UNIQUE = 1 << 16, 0.9
"""First rows that are examined before all are, and the share of unique ones that is high."""


class SharedExample(NamedTuple):
    """Two rows that are equal and in different folds."""

    rows: tuple[int, int] | None = None
    """Their positions; None where rows have none."""
    values: tuple[Any, ...] = ()
    """What they share, a value of each column; empty where it is not known."""
    folds: tuple[Any, ...] = ()
    """Their folds, None for no fold."""


class SharedRows(NamedTuple):
    """How many rows are equal, and how many of these are in several folds."""

    n_values: int
    """Unique rows."""
    n_repeated: int
    """Unique rows that occur twice or more."""
    n_split: int
    """Unique rows that occur in two folds or more."""
    n_rows: int
    """All rows equal to one of these."""
    example: SharedExample | None = None
    """Two of these; None if there are none."""
    n_pairs: int = 0
    """Pairs of equal rows."""
    n_split_pairs: int = 0
    """Those in two folds."""


def count_across_folds(
    columns: Sequence[Any], folds: Ints, *, with_example: bool = False
) -> SharedRows:
    """Count the unique rows of columns, those that repeat, and those that repeat across folds.

    Rows without a fold, of which it is -1, count as one more fold.
    """
    rows, sets, n_sets = number_sets(columns)
    own = folds[rows]
    set_of_cell, sizes = count_folds_of_sets(sets, own)
    n = sum_by(set_of_cell, sizes, n_sets)
    is_split = np.bincount(set_of_cell, minlength=n_sets) > 1
    n_pairs, n_pairs_inside = (int((counts * (counts - 1)).sum()) // 2 for counts in (n, sizes))
    example = None
    if with_example and is_split.any():
        first = np.argmax(is_split[sets])
        other = np.argmax((sets == sets[first]) & (own != own[first]))
        places = np.arange(len(folds))[rows]
        example = SharedExample((int(places[first]), int(places[other])))
    return SharedRows(
        n_values=int((n > 0).sum()) + len(folds) - len(own),
        n_repeated=int((n > 1).sum()),
        n_split=int(is_split.sum()),
        n_rows=int(n[is_split].sum()),
        example=example,
        n_pairs=n_pairs,
        n_split_pairs=n_pairs - n_pairs_inside,
    )


def rows_across_folds(columns: Sequence[Any], folds: Ints) -> tuple[Ints, Ints]:
    """Find the positions of rows that equal a row of another fold, and the set of each.

    Sets are numbered from 0 by their first row, and come one after another.
    """
    rows, sets, n_sets = number_sets(columns)
    is_split = np.bincount(count_folds_of_sets(sets, folds[rows])[0], minlength=n_sets) > 1
    found = np.flatnonzero(is_split[sets])
    numbers, _ = factorize_codes(sets[found], n_sets)
    order = np.argsort(numbers, kind="stable")
    return np.arange(len(folds))[rows][found[order]], numbers[order]


def number_sets(columns: Sequence[Any]) -> tuple[slice | Ints, Codes, int]:
    """Give each set of equal rows a number, and leave out most rows that are known to be unique.

    Returns
    -------
    rows : slice or ndarray of int64
        The positions of the others, ascending.
    sets : ndarray of int64, shape (n_kept,), range 0..n_sets-1
        Not all of these numbers need be there.
    n_sets : int
    """
    frame = pl.DataFrame({str(place): to_groupable(column) for place, column in enumerate(columns)})
    rows: slice | Ints = slice(None)
    head = frame.head(HEAD_ROWS)
    # Polars compares whole rows with several threads, but hashes a column with one.
    if has_threads() and head.n_unique() >= MOSTLY_UNIQUE * len(head):
        # Rows with different hashes differ, and sorting hashes takes a fraction of the time of
        # comparing rows.
        hashes = frame.hash_rows()
        ascending = hashes.sort()
        repeated = ascending.filter(ascending == ascending.shift(1)).unique()
        rows = np.flatnonzero(hashes.is_in(repeated.implode()))
        frame = frame[rows]
    sets, n_sets = np.zeros(frame.height, dtype=np.int64), min(frame.height, 1)
    for column in frame if n_sets else ():
        codes, n_codes = encode_classes(column)
        if n_sets * (n_codes + 1) <= frame.height:
            sets, n_sets = sets * (n_codes + 1) + (codes + 1), n_sets * (n_codes + 1)
        else:
            sets, present = factorize_codes(sets, n_sets)
            sets, parents = nest_codes(sets, len(present), codes + 1, n_codes + 1)
            n_sets = len(parents)
    return rows, sets, n_sets


def count_folds_of_sets(sets: Codes, folds: Ints) -> tuple[Ints, Ints]:
    """Count the rows of each set in each fold that it has rows in: the set, and how many."""
    n_folds = int(folds.max(initial=0)) + 2
    cells = sets * n_folds + (folds + 1)
    if cells.max(initial=0) > len(cells):
        found, sizes = np.unique(cells, return_counts=True)
    else:
        counts = np.bincount(cells)
        found = np.flatnonzero(counts)
        sizes = counts[found]
    return found // n_folds, sizes


def count_equal(column: Any) -> tuple[int, int]:
    """Count the values of a column, and the pairs of rows that are equal in it."""
    codes, _ = encode_classes(pl.Series(to_groupable(column)))
    n = np.bincount(codes + 1)
    return int((n > 0).sum()), int((n * (n - 1)).sum()) // 2


def groupable(series: Series) -> Any:
    """Convert a column to one that Polars groups; None if it holds lists and the like."""
    try:
        return to_groupable(series)
    except StratError:
        return None


def to_groupable(column: Any) -> Any:
    """Convert a column to one that Polars groups: a Polars series, plain integers, or codes."""
    if isinstance(column, np.ndarray):
        return column
    dtype = dtype_of(column)
    if dtype.is_float() and column.dtype != object:  # floats may be other than the objects
        # Equal to Polars, too, are then NaN and null, -0.0 and 0.0.
        floats = pl.Series(to_floats(column) + 0.0)
        missing = floats.is_nan()
        return floats.set(missing, None) if missing.any() else floats
    if isinstance(column, pl.Series):
        if is_nested(dtype):
            raise nested_error(column.name, dtype)
        return column
    if dtype.is_integer() or dtype == pl.Boolean:
        values = to_polars(column)
        if values is not None:
            return values
    return encode_classes(column)[0]


def all_unique(series: Series) -> bool:
    """Return whether a column has two rows or more, and no two of them equal."""
    for n_rows in dict.fromkeys((min(HEAD_ROWS, len(series)), len(series))):
        codes, n_codes = encode_classes(take(series, np.arange(n_rows)))
        if n_codes + (codes.min(initial=0) < 0) < max(n_rows, 2):
            return False
    return True


def count_unique_rows(series: Sequence[Any]) -> tuple[list[Any], Ints | None]:
    """Keep one of all equal rows of Polars columns, and count them; None where all rows are kept.

    It is done where it saves time.
    """
    can_group = all(isinstance(each, pl.Series) and not is_nested(each.dtype) for each in series)
    if not (can_group and has_threads()):
        return list(series), None
    # Two columns may have the same name: they are grouped under their positions.
    rows = pl.DataFrame([column.alias(str(place)) for place, column in enumerate(series)])
    if rows.head(HEAD_ROWS).n_unique() > MANY_SETS:
        return list(series), None
    grouped = rows.group_by(pl.all(), maintain_order=True).len("n")
    kept = [grouped[str(place)].alias(column.name) for place, column in enumerate(series)]
    return kept, grouped["n"].cast(pl.Int64).to_numpy()
