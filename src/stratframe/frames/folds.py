"""A column of folds, checked and read."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.strata import first_occurrence
from ..core.types import Ints
from ..errors import StratError, plural, preview
from .classes import encode_classes
from .dtypes import is_missing, is_temporal, to_floats
from .library import Frame, FrameT, label_of, library_of, take, to_list
from .references import read_columns
from .validate import failing_rows


def read_fold_numbers(series: Any, k: int | None) -> tuple[Ints, int]:
    """Read a column of folds 0..k-1, in whatever type it came.

    Returns
    -------
    folds : ndarray of int64, shape (n_rows,), range -1..k-1
        -1 where the fold is missing.
    """
    gaps = is_missing(series)
    try:
        if is_temporal(series):
            raise TypeError
        values = to_floats(series)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        msg = f"`extend` needs folds 0..k-1 in {series.name!r}, but it is {series.dtype}."
        raise StratError(msg) from error
    values = np.where(gaps, -1, values)
    highest = values.max(initial=-1)
    top = highest if k is None else k - 1
    wrong = ~gaps & ((values < 0) | (values > top) | (values % 1 != 0) | ~np.isfinite(values))
    if wrong.any():
        rows = np.flatnonzero(wrong)
        bound = "k-1" if k is None else str(k - 1)
        msg = (
            f"`extend` needs folds 0..{bound} in {series.name!r}, but there are others in"
            f" {plural(len(rows), 'row')} ({preview(rows[:6].tolist(), len(rows))})."
        )
        raise StratError(msg, failing_rows(library_of(series), {series.name: series}, rows))
    folds = values.astype(np.int64)
    if k is None:
        # As many folds as the highest says are there only if there are as many values.
        present = len(np.unique(folds[~gaps]))
        if highest < 1 or present < highest + 1:
            seen = preview(sorted(set(folds[~gaps].tolist())), len(set(folds[~gaps].tolist())))
            msg = (
                f"`extend` needs folds 0..k-1 in {series.name!r}, but found"
                f" {seen or 'none'}.\nHint: say how many there are, as in `k=5`."
            )
            raise StratError(msg)
    return folds, int(top) + 1


def fold_values(frame: Frame, name: str) -> tuple[list[Any], int]:
    """List the values of a fold or part column, in order, and count its nulls.

    Categories are in their own order, with those that no row has. A lazy frame runs
    one small query.
    """
    if isinstance(frame, pl.LazyFrame):
        counts = frame.select(fold_expression(frame, name)).group_by(name).len().collect()
        values, codes = fold_codes(counts[name])
        return values, int(counts["len"].filter(codes < 0).sum())
    values, codes = fold_codes(read_fold_column(frame, name))
    return values, int((codes < 0).sum())


def read_fold_column(frame: Any, name: str) -> Any:
    """Read a fold or part column of an eager frame, under column levels too."""
    return read_columns(frame, [label_of(frame, name)])[0]


def fold_codes(series: Any) -> tuple[list[Any], Ints]:
    """List the values of a fold or part column, in order, and number its rows by them.

    Returns
    -------
    codes : ndarray of int64, shape (n_rows,), range -1..len(values)-1
        -1 where the fold is missing.
    """
    codes, n_codes = encode_classes(series)
    known = np.where(codes < 0, n_codes, codes) if codes.min(initial=0) < 0 else codes
    first = first_occurrence(known, n_codes + 1)[:n_codes]
    found = to_list(take(series, first))
    values = category_values(series)
    if values is None:
        try:
            values = sorted(floats_to_ints(found))
        except TypeError as error:
            msg = (
                "A column of `name` must hold values that can be ordered,"
                f" but {series.name!r} mixes types."
            )
            raise StratError(msg) from error
    places = {value: place for place, value in enumerate(values)}
    if len(places) < len(values):
        msg = (
            "A column of `name` must hold values that Python can tell apart,"
            f" but {series.name!r} is {series.dtype}."
        )
        raise StratError(msg)
    return values, np.array([*(places[value] for value in found), -1], dtype=np.int64)[codes]


def category_values(series: Any) -> list[Any] | None:
    """List the values that a column of categories may have; None if it is none."""
    if isinstance(series.dtype, pl.Enum):
        return series.dtype.categories.to_list()
    return series.cat.categories.tolist() if isinstance(series.dtype, pd.CategoricalDtype) else None


def fold_expression(frame: pl.DataFrame | pl.LazyFrame, name: str) -> pl.Expr:
    """Refer to a fold column of a Polars frame, NaN as null."""
    floats = frame.collect_schema()[name].is_float()
    return pl.col(name).fill_nan(None) if floats else pl.col(name)


def floats_to_ints(values: list[Any]) -> list[Any]:
    """Turn whole floats into ints: the folds of a column that met a null in pandas."""
    floats = [value for value in values if isinstance(value, float)]
    if not all(value.is_integer() and abs(value) < 2**63 for value in floats):
        return values
    return [int(value) if isinstance(value, float) else value for value in values]


def filter_equal(frame: FrameT, name: str, value: Any) -> FrameT:
    """Keep the rows whose column has a value."""
    if isinstance(frame, pd.DataFrame):
        column = frame[label_of(frame, name)]
        return frame[np.asarray((column == value).fillna(False), dtype=np.bool_)]
    return frame.filter(fold_expression(frame, name) == value)


def filter_other(frame: FrameT, name: str, value: Any, *, nulls: bool) -> FrameT:
    """Keep the rows whose column has another value, and with `nulls` those without one."""
    if isinstance(frame, pd.DataFrame):
        column = frame[label_of(frame, name)]
        keep = np.asarray((column != value).fillna(True), dtype=np.bool_)
        return frame[keep if nulls else keep & ~is_missing(column)]
    other = fold_expression(frame, name)
    return frame.filter(other.ne_missing(value) if nulls else other != value)
