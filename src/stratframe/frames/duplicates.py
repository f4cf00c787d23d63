"""Rows that are alike: counted once, found in two folds; columns in which none are."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ..core.types import Ints
from ..errors import StratError
from .classes import encode_classes
from .library import take

INTEGERS = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)
"""Types of whole numbers that fit in an Int64."""

MANY_KINDS = 1 << 13
"""Different rows at first glance above which grouping is slower than numbering them."""

HEAD_ROWS, MOSTLY_UNIQUE = 1 << 16, 0.9
"""Rows that are looked at before all are, and the share of different ones that is most."""


class SharedRows(NamedTuple):
    """How often rows are alike, and in how many folds."""

    n_values: int
    """Different rows."""
    n_repeated: int
    """Those of them that stand twice or more."""
    n_split: int
    """Those that stand in two folds or more."""
    n_rows: int
    """The rows that these are."""


def count_across_folds(columns: Sequence[Any], folds: Ints) -> SharedRows:
    """Count the rows that are alike, and those that are so across folds.

    Missing values are alike. Polars groups the rows of both libraries.

    Parameters
    ----------
    folds : ndarray of int, shape (n_rows,)
        -1 for rows without a fold, which are a fold of their own here.
    """
    rows = pl.DataFrame({str(place): to_groupable(each) for place, each in enumerate(columns)})
    alike = candidate_duplicates(rows)
    rows = pack_integers(rows) if alike is None else rows
    known = rows.with_columns(pl.Series("fold", folds))
    known = known if alike is None else known.filter(alike)
    fold = pl.col("fold")
    groups = known.lazy().group_by(rows.columns)
    found = groups.agg(pl.len().alias("n"), (fold.min() != fold.max()).alias("split"))
    n_values, *counts = (
        found.select(
            pl.len().alias("values"),
            (pl.col("n") > 1).sum().alias("repeated"),
            pl.col("split").sum().alias("split"),
            pl.col("n").filter("split").sum().alias("rows"),
        )
        .collect()
        .row(0)
    )
    return SharedRows(n_values + rows.height - known.height, *counts)


def pack_integers(rows: pl.DataFrame) -> pl.DataFrame:
    """Put columns of whole numbers into one, as digits, while their ranges leave room.

    Rows are equal if they were; one column is grouped in half the time of several.
    """
    wholes = [each for each in rows if each.dtype in INTEGERS and not each.null_count()]
    digits, room = pl.lit(0, dtype=pl.Int64), 1
    names: list[str] = []
    for each in wholes if rows.height else []:
        least, most = each.min(), each.max()
        width = int(most) - int(least) + 1  # type: ignore[arg-type]
        if room * width < 2**62:
            digits = digits * width + (pl.col(each.name).cast(pl.Int64) - least)
            room, names = room * width, [*names, each.name]
    return rows.select(pl.exclude(names), digits.alias("packed")) if len(names) > 1 else rows


def candidate_duplicates(rows: pl.DataFrame) -> pl.Series | None:
    """Flag the rows that may have an equal one, by their hashes; None if most may.

    Rows of different hashes differ. Hashes are sorted in a fraction of the time in which
    rows are grouped.
    """
    head = rows.head(HEAD_ROWS).hash_rows()
    if head.n_unique() < MOSTLY_UNIQUE * len(head):
        return None
    hashes = rows.hash_rows()
    ordered = hashes.sort()
    return hashes.is_in(ordered.filter(ordered == ordered.shift(1)).unique().implode())


def to_groupable(column: Any) -> Any:
    """Turn a column into what Polars can group: numbers as they are, others as classes.

    What is alike is made the same: NaN and null, and the two zeros.
    """
    if isinstance(column, np.ndarray):
        return column
    if isinstance(column, pl.Series) and not (
        column.dtype.is_nested() or column.dtype == pl.Object
    ):
        return column.fill_nan(None) + 0.0 if column.dtype.is_float() else column
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iub":
        return column.to_numpy(dtype=column.dtype.newbyteorder("="))
    if column.dtype in (np.float16, np.float32, np.float64):
        return to_groupable(pl.Series(column.to_numpy(dtype=np.float64)))
    try:
        return encode_classes(column)[0]
    except TypeError as error:
        msg = f"Column {column.name!r} holds values that cannot be compared: {error}."
        raise StratError(msg) from error


def all_unique(series: Any) -> bool:
    """Say whether no value of a column stands twice, and there are two at least."""
    for n_rows in dict.fromkeys((min(HEAD_ROWS, len(series)), len(series))):
        codes, n_codes = encode_classes(take(series, np.arange(n_rows)))
        if n_codes + (codes.min(initial=0) < 0) < max(n_rows, 2):
            return False
    return True


def count_unique_rows(series: Sequence[Any]) -> tuple[list[Any], Ints | None]:
    """Keep one row of all that are equal, where the library counts them faster than we do.

    Returns
    -------
    counts : ndarray of int64, shape (n_kept,), or None
        How many rows each stands for; None where all rows are kept.
    """
    if not all(isinstance(column, pl.Series) for column in series):
        return list(series), None
    if any(column.dtype.is_nested() or column.dtype == pl.Object for column in series):
        return list(series), None
    # Names may stand twice: each column gets its place as its name for the while.
    frame = pl.DataFrame([column.alias(str(place)) for place, column in enumerate(series)])
    if frame.head(HEAD_ROWS).n_unique() > MANY_KINDS:
        return list(series), None
    found = frame.group_by(pl.all()).len("n")
    kept = [found[str(place)].alias(column.name) for place, column in enumerate(series)]
    return kept, found["n"].cast(pl.Int64).to_numpy()
