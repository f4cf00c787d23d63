"""Rows of a frame: taken by position, sampled, or by the value of a fold column."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.strata import first_rows
from ..core.types import Flags, Ints
from ..errors import StratError
from .attach import batched
from .columns import encode, missing
from .kinds import Frame, FrameT, label_of
from .refs import read


def take(data: Any, rows: Ints) -> Any:
    """Take rows of an eager frame or series by position."""
    if isinstance(data, pd.DataFrame | pd.Series):
        return data.iloc[rows]
    return data[rows] if isinstance(data, pl.DataFrame) else data.gather(rows)


def sample(frame: Any, refs: Sequence[Any], choose: Callable[[list[Any]], Flags]) -> Any:
    """Keep the rows that a computation on the named columns chooses, in their old order.

    A lazy frame runs as one query, so that only the chosen rows are kept.
    """
    if isinstance(frame, pl.LazyFrame):
        mask = batched(refs, lambda series, _: pl.Series(choose(series)), pl.Boolean)
        return frame.filter(mask).collect()
    chosen = choose(read(frame, refs))
    return frame[chosen] if isinstance(frame, pd.DataFrame) else frame.filter(chosen)


def part_values(frame: Frame, name: str) -> tuple[list[Any], int]:
    """List the values of a fold or part column, in order, and count its nulls.

    Categories are in their own order, with those that no row has. A lazy frame runs
    one small query.
    """
    if isinstance(frame, pl.LazyFrame):
        counts = frame.select(part_expr(frame, name)).group_by(name).len().collect()
        values, codes = fold_codes(counts[name])
        return values, int(counts["len"].filter(codes < 0).sum())
    values, codes = fold_codes(fold_column(frame, name))
    return values, int((codes < 0).sum())


def fold_column(frame: Any, name: str) -> Any:
    """Read a fold or part column of an eager frame, under column levels too."""
    return read(frame, [label_of(frame, name)])[0]


def fold_codes(series: Any) -> tuple[list[Any], Ints]:
    """List the values of a fold or part column, in order, and number its rows by them.

    Returns
    -------
    codes : ndarray of int64, shape (n_rows,), range -1..len(values)-1
        -1 where the fold is missing.
    """
    codes, n_codes = encode(series)
    known = np.where(codes < 0, n_codes, codes) if codes.min(initial=0) < 0 else codes
    first = first_rows(known, n_codes + 1)[:n_codes]
    found = listed(take(series, first))
    values = declared(series)
    if values is None:
        try:
            values = sorted(whole_numbers(found))
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


def declared(series: Any) -> list[Any] | None:
    """List the values that a column of categories may have; None if it is none."""
    if isinstance(series.dtype, pl.Enum):
        return series.dtype.categories.to_list()
    return series.cat.categories.tolist() if isinstance(series.dtype, pd.CategoricalDtype) else None


def part_expr(frame: pl.DataFrame | pl.LazyFrame, name: str) -> pl.Expr:
    """Refer to a fold column of a Polars frame, NaN as null."""
    floats = frame.collect_schema()[name].is_float()
    return pl.col(name).fill_nan(None) if floats else pl.col(name)


def whole_numbers(values: list[Any]) -> list[Any]:
    """Turn whole floats into ints: the folds of a column that met a null in pandas."""
    floats = [value for value in values if isinstance(value, float)]
    if not all(value.is_integer() and abs(value) < 2**63 for value in floats):
        return values
    return [int(value) if isinstance(value, float) else value for value in values]


def where(frame: FrameT, name: str, value: Any) -> FrameT:
    """Keep the rows whose column has a value."""
    if isinstance(frame, pd.DataFrame):
        column = frame[label_of(frame, name)]
        return frame[np.asarray((column == value).fillna(False), dtype=np.bool_)]
    return frame.filter(part_expr(frame, name) == value)


def where_not(frame: FrameT, name: str, value: Any, *, nulls: bool) -> FrameT:
    """Keep the rows whose column has another value, and with `nulls` those without one."""
    if isinstance(frame, pd.DataFrame):
        column = frame[label_of(frame, name)]
        keep = np.asarray((column != value).fillna(True), dtype=np.bool_)
        return frame[keep if nulls else keep & ~missing(column)]
    other = part_expr(frame, name)
    return frame.filter(other.ne_missing(value) if nulls else other != value)


def listed(series: Any) -> list[Any]:
    """Turn a series, array or list into a list of Python values, None where missing."""
    if isinstance(series, pl.Series):
        values = series.to_list()
    else:
        values = series if isinstance(series, list) else series.tolist()
    return [
        None if value is pd.NA or value is pd.NaT or value != value else value for value in values
    ]
