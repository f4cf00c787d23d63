"""A column of folds, checked and read."""

from typing import Any

import numpy as np
import polars as pl

from ..core.types import Ints
from ..errors import StratError, plural, some
from .columns import floats, missing
from .kinds import library
from .ordered import is_temporal
from .tables import rows_at


def folds_of(series: Any, k: int | None) -> tuple[Ints, int]:
    """Read a column of folds 0..k-1, in whatever type it came.

    Returns
    -------
    folds : ndarray of int64, shape (n_rows,), range -1..k-1
        -1 where the fold is missing.
    """
    gaps = missing(series)
    try:
        if is_temporal(series):
            raise TypeError
        values = floats(series)
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
            f" {plural(len(rows), 'row')} ({some(rows[:6].tolist(), len(rows))})."
        )
        raise StratError(msg, rows_at(library(series), {series.name: series}, rows))
    folds = values.astype(np.int64)
    if k is None:
        # As many folds as the highest says are there only if there are as many values.
        present = len(np.unique(folds[~gaps]))
        if highest < 1 or present < highest + 1:
            seen = some(sorted(set(folds[~gaps].tolist())), len(set(folds[~gaps].tolist())))
            msg = (
                f"`extend` needs folds 0..k-1 in {series.name!r}, but found"
                f" {seen or 'none'}.\nHint: say how many there are, as in `k=5`."
            )
            raise StratError(msg)
    return folds, int(top) + 1
