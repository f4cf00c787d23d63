"""Rows with equal values: counted, found in several folds, or known not to exist.

Two missing values are equal, and so are NaN and null, and the two zeros. Polars groups
the rows of pandas frames too.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ..core.types import Ints
from ..errors import StratError
from .door import is_nested, nested_error
from .libraries import Series, take
from .read import encode_classes

INTEGERS = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)
"""Integers that fit in an Int64."""

MANY_VALUES = 1 << 13
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
    """Count the unique rows, those that repeat, and those that repeat across folds.

    Parameters
    ----------
    columns : sequence of Series or ndarray, each of shape (n_rows,)
    folds : ndarray of int, shape (n_rows,)
        -1 for rows without a fold, which count as one more fold.
    """
    compared, names = comparable_rows(columns, folds)
    n, first = pl.col("n"), pl.col("first")
    counted = {"n": pl.len().cast(pl.Int64), "first": pl.min("row")}
    cells = compared.lazy().group_by([*names, "fold"]).agg(**counted)
    if names == ["packed"]:  # with the fold in it, as grouping by one column takes half the time
        n_folds = int(folds.max(initial=0)) + 2
        cell = pl.col("packed") * n_folds + pl.col("fold") + 1
        cells = compared.lazy().group_by(cell=cell).agg(**counted)
        cells = cells.with_columns(packed=pl.col("cell") // n_folds)
    sets = cells.group_by(names).agg(
        n.sum(), squares=(n * n).sum(), split=pl.len() > 1, first=first.min()
    )
    n_values, n_repeated, n_split, n_rows, n_pairs, n_split_pairs, example_row = (
        sets.select(
            pl.len().alias("values"),
            (n > 1).sum().alias("repeated"),
            pl.col("split").sum(),
            n.filter("split").sum().alias("rows"),
            (n * (n - 1) // 2).sum().alias("pairs"),
            ((n * n - pl.col("squares")) // 2).sum().alias("split_pairs"),
            first.filter("split").min(),
        )
        .collect()
        .row(0)
    )
    example = None
    if with_example and example_row is not None:
        example = SharedExample((example_row, find_equal(compared, names, example_row)))
    n_values += len(folds) - compared.height
    return SharedRows(n_values, n_repeated, n_split, n_rows, example, n_pairs, n_split_pairs)


def find_equal(compared: pl.DataFrame, names: Sequence[str], row: int) -> int:
    """Find the first row of another fold that equals a row."""
    place = (compared["row"] == row).arg_true()[0]
    alike = [pl.col(name).eq_missing(pl.col(name).get(place)) for name in names]
    found = compared.filter(pl.col("fold") != pl.col("fold").get(place), *alike)
    return int(found["row"][0])


def rows_across_folds(columns: Sequence[Any], folds: Ints) -> tuple[Ints, Ints]:
    """Find the rows that equal a row of another fold, one set of equal rows after another.

    Parameters
    ----------
    columns, folds
        As for `count_across_folds`.

    Returns
    -------
    rows : ndarray of int64, shape (n_found,)
        Positions, ascending within a set.
    sets : ndarray of int64, shape (n_found,)
        A number for each set of equal rows, from 0, by its first row.
    """
    compared, names = comparable_rows(columns, folds)
    fold = pl.col("fold")
    found = (
        compared.lazy()
        .group_by(names)
        .agg("row", (fold.min() != fold.max()).alias("split"))
        .filter("split")
        .select("row", first=pl.col("row").list.min())
        .sort("first")
        .with_row_index("set")
        .explode("row")
        .sort("set", "row")
        .collect()
    )
    return tuple(found[name].cast(pl.Int64).to_numpy() for name in ("row", "set"))  # type: ignore[return-value]


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


def comparable_rows(columns: Sequence[Any], folds: Ints) -> tuple[pl.DataFrame, list[str]]:
    """Put columns into a frame whose rows can be grouped, without rows known to be unique.

    Returns
    -------
    rows : polars.DataFrame
        With `fold` and `row`, the position.
    names : list of str
        The columns to group by.
    """
    rows = pl.DataFrame({str(place): to_groupable(column) for place, column in enumerate(columns)})
    candidates = candidate_duplicates(rows)
    if candidates is None:
        rows = pack_integers(rows, int(folds.max(initial=0)) + 2)
    compared = rows.with_columns(pl.Series("fold", folds), row=pl.int_range(len(folds)))
    if candidates is not None:
        compared = compared.filter(candidates)
    return compared, rows.columns


def to_groupable(column: Any) -> Any:
    """Convert a column to one that Polars groups: plain numbers, a Polars series, or codes."""
    if isinstance(column, np.ndarray):
        return column
    if isinstance(column, pl.Series):
        return groupable_polars(column)
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iub":
        return column.to_numpy(dtype=column.dtype.newbyteorder("="))
    if column.dtype in (np.float16, np.float32, np.float64):
        return groupable_polars(pl.Series(column.to_numpy(dtype=np.float64)))
    try:
        return encode_classes(column)[0]
    except TypeError as error:
        msg = f"Column {column.name!r} holds values that cannot be compared: {error}."
        raise StratError(msg) from error


def groupable_polars(series: pl.Series) -> pl.Series:
    """Make equal floats the same to Polars: NaN and null, -0.0 and 0.0."""
    if is_nested(series.dtype):
        raise nested_error(series.name, series.dtype)
    return series.fill_nan(None) + 0.0 if series.dtype.is_float() else series


def candidate_duplicates(rows: pl.DataFrame) -> pl.Series | None:
    """Flag the rows that share their hash with another; None if that would be most rows.

    Rows with different hashes differ, and sorting hashes takes a fraction of the time of
    grouping rows.
    """
    head = rows.head(HEAD_ROWS).hash_rows()
    if head.n_unique() < MOSTLY_UNIQUE * len(head):
        return None
    hashes = rows.hash_rows()
    ascending = hashes.sort()
    return hashes.is_in(ascending.filter(ascending == ascending.shift(1)).unique().implode())


def pack_integers(rows: pl.DataFrame, room: int) -> pl.DataFrame:
    """Pack columns of integers into one, as digits, while an Int64 has room for them.

    And for one more digit, of which there are `room`.

    Grouping by one column takes half the time of grouping by several.
    """
    integers = [column for column in rows if column.dtype in INTEGERS and not column.null_count()]
    packed = pl.lit(0, dtype=pl.Int64)
    names: list[str] = []
    for column in integers if rows.height else []:
        lowest: Any = column.min()
        n_digits = int(column.max()) - int(lowest) + 1  # type: ignore[arg-type]
        if room * n_digits < 2**62:
            packed = packed * n_digits + (pl.col(column.name).cast(pl.Int64) - lowest)
            room *= n_digits
            names.append(column.name)
    return rows.select(pl.exclude(names), packed.alias("packed")) if len(names) > 1 else rows


def all_unique(series: Series) -> bool:
    """Return whether a column has two rows or more, and no two of them equal."""
    for n_rows in dict.fromkeys((min(HEAD_ROWS, len(series)), len(series))):
        codes, n_codes = encode_classes(take(series, np.arange(n_rows)))
        if n_codes + (codes.min(initial=0) < 0) < max(n_rows, 2):
            return False
    return True


def count_unique_rows(series: Sequence[Any]) -> tuple[list[Any], Ints | None]:
    """Keep one of all equal rows of Polars columns, where that saves time.

    Returns
    -------
    columns : list of Series, each of shape (n_kept,)
    counts : ndarray of int64, shape (n_kept,), or None
        How many rows each kept row counts for; None where all rows are kept.
    """
    if not all(isinstance(column, pl.Series) and not is_nested(column.dtype) for column in series):
        return list(series), None
    # Two columns may have the same name: they are grouped under their positions.
    rows = pl.DataFrame([column.alias(str(place)) for place, column in enumerate(series)])
    if rows.head(HEAD_ROWS).n_unique() > MANY_VALUES:
        return list(series), None
    grouped = rows.group_by(pl.all(), maintain_order=True).len("n")
    kept = [grouped[str(place)].alias(column.name) for place, column in enumerate(series)]
    return kept, grouped["n"].cast(pl.Int64).to_numpy()
