"""A fold or part column: its values in order, and the codes of the rows.

`fold_codes` reads a column of any values; `read_fold_numbers` one that must hold 0..k-1.
"""

from typing import Any

import numpy as np
import polars as pl

from ..core.strata import first_occurrence
from ..core.types import Flags, Ints, Values
from ..errors import StratError, count_rows, preview
from .dtypes import category_values, is_missing, is_temporal, to_floats
from .library import EagerFrame, Frame, Series, label_of, library_of, take, to_list
from .read_classes import encode_classes
from .references import read_columns
from .validate import failing_rows


def fold_values(frame: Frame, name: str) -> tuple[list[Any], int]:
    """List the values of a fold or part column, in order, and count its nulls.

    Categories keep their order, with those that no row has. A lazy frame runs
    one small query.
    """
    if isinstance(frame, pl.LazyFrame):
        counts = frame.select(fold_expression(frame, name)).group_by(name).len().collect()
        values, codes = fold_codes(counts[name])
        return values, int(counts["len"].filter(codes < 0).sum())
    values, codes = fold_codes(read_fold_column(frame, name))
    return values, int((codes < 0).sum())


def fold_expression(frame: pl.DataFrame | pl.LazyFrame, name: str) -> pl.Expr:
    """Refer to a fold column of a Polars frame, NaN as null."""
    holds_floats = frame.collect_schema()[name].is_float()
    return pl.col(name).fill_nan(None) if holds_floats else pl.col(name)


def read_fold_column(frame: EagerFrame, name: str) -> Any:
    """Read a fold or part column of an eager frame, under a MultiIndex too."""
    return read_columns(frame, [label_of(frame, name)])[0]


def fold_codes(series: Series) -> tuple[list[Any], Ints]:
    """List the values of a fold or part column, in order, and encode its rows by them.

    Returns
    -------
    values : list
    codes : ndarray of int64, shape (n_rows,), range -1..len(values)-1
        -1 where the fold is missing.
    """
    codes, n_codes = encode_classes(series)
    if codes.min(initial=0) < 0:
        first = first_occurrence(np.where(codes < 0, n_codes, codes), n_codes + 1)[:n_codes]
    else:
        first = first_occurrence(codes, n_codes)
    present = to_list(take(series, first))
    categories = category_values(series)
    values = sort_folds(present, series.name) if categories is None else categories
    places = {value: place for place, value in enumerate(values)}
    if len(places) < len(values):
        msg = (
            "A column of `name` must hold values that Python can tell apart,"
            f" but {series.name!r} is {series.dtype}."
        )
        raise StratError(msg)
    return values, np.array([*(places[value] for value in present), -1], dtype=np.int64)[codes]


def sort_folds(values: list[Any], name: object) -> list[Any]:
    """Sort the values of a fold column, integral floats as ints."""
    try:
        return sorted(floats_to_ints(values))
    except TypeError as error:
        msg = f"A column of `name` must hold values that can be ordered, but {name!r} mixes types."
        raise StratError(msg) from error


def floats_to_ints(values: list[Any]) -> list[Any]:
    """Convert integral floats to ints: pandas stores integers with nulls as floats."""
    floats = [value for value in values if isinstance(value, float)]
    if not all(value.is_integer() and abs(value) < 2**63 for value in floats):
        return values
    return [int(value) if isinstance(value, float) else value for value in values]


def read_fold_numbers(series: Series, k: int | None) -> tuple[Ints, int]:
    """Read a column of folds 0..k-1 of any dtype, and count the folds if k is None.

    Returns
    -------
    folds : ndarray of int64, shape (n_rows,), range -1..k-1
        -1 where the fold is missing.
    k : int
    """
    missing = is_missing(series)
    numbers = np.where(missing, -1, fold_floats(series))
    check_fold_range(series, numbers, missing, k)
    folds = numbers.astype(np.int64)
    return folds, count_folds(series, folds[~missing]) if k is None else k


def fold_floats(series: Series) -> Values:
    """Read a fold column as floats, or raise if it holds no numbers."""
    try:
        if is_temporal(series):
            raise TypeError
        return to_floats(series)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        msg = f"`extend` needs folds 0..k-1 in {series.name!r}, but it is {series.dtype}."
        raise StratError(msg) from error


def check_fold_range(series: Series, numbers: Values, missing: Flags, k: int | None) -> None:
    """Raise unless all numbers that are not missing are integers from 0 to k-1."""
    wrong = (numbers < 0) | (np.trunc(numbers) != numbers) | ~np.isfinite(numbers)
    if k is not None:
        wrong |= numbers > k - 1
    rows = np.flatnonzero(wrong & ~missing)
    if len(rows):
        highest = "k-1" if k is None else str(k - 1)
        msg = (
            f"`extend` needs folds 0..{highest} in {series.name!r}, but there are others in"
            f" {count_rows(rows)}."
        )
        raise StratError(msg, failing_rows(library_of(series), {series.name: series}, rows))


def count_folds(series: Series, folds: Ints) -> int:
    """Count the folds, or raise unless each of 0..highest has a row."""
    present = np.unique(folds)
    n_folds = int(folds.max(initial=-1)) + 1
    if n_folds < 2 or len(present) < n_folds:
        listed = preview(present.tolist(), len(present)) or "none"
        msg = (
            f"`extend` needs folds 0..k-1 in {series.name!r}, but found {listed}."
            "\nHint: say how many there are, as in `k=5`."
        )
        raise StratError(msg)
    return n_folds
