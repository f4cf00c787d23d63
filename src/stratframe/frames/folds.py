"""A fold or part column: its values in order, and the codes of the rows.

`fold_codes` reads a column of any values; `read_fold_numbers` one that must hold 0..k-1.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

from ..core.strata import first_occurrence
from ..core.types import Flags, Ints, Values
from ..errors import StratError, describe, describe_rows, plural, preview
from .dtypes import category_values, is_extension, is_missing, is_temporal, is_text, to_floats
from .libraries import EagerFrame, Frame, Series, label_of, library_of, take, to_list
from .read_classes import encode_classes
from .references import read_columns
from .validate import failing_rows

PURPOSES = {"train": 0, "valid": 1, "validation": 1, "val": 1, "dev": 1, "test": 2, "holdout": 3}
"""The order of parts that are named after what they are used for."""

FEW_FRACTIONS = 10
"""Different fractions that may be the labels of folds, such as doses, in however few rows."""

FOLD_TYPES = ("int64", "Int64", "float64")
"""Types of pandas that folds have, or get where some rows have none and a file is read."""


class FoldValues(NamedTuple):
    """The values of a fold or part column, in order."""

    values: list[Any]
    sizes: list[int]
    """Rows of each value."""
    n_nulls: int
    """Rows without a value."""

    @property
    def present(self) -> list[Any]:
        """The values that have rows."""
        return [value for value, size in zip(self.values, self.sizes, strict=True) if size]


def count_values(values: list[Any], codes: Ints, weights: Ints | None = None) -> FoldValues:
    """Count the rows of each value, or sum their weights."""
    counts = np.bincount(codes + 1, weights, len(values) + 1).astype(np.int64).tolist()
    return FoldValues(values, counts[1:], counts[0])


def sort_parts(values: list[Any], codes: Ints) -> tuple[list[Any], Ints]:
    """Sort names of parts by what they are used for, then by first appearance."""
    first = first_occurrence(np.where(codes < 0, len(values), codes), len(values) + 1)
    order = np.lexsort((first[: len(values)], purposes_of(values)))
    places = np.append(np.argsort(order), -1)
    return [values[place] for place in order], places[codes]


def purposes_of(values: Sequence[Any]) -> Ints:
    """Rank names of parts by what they are used for; the last rank is that of any others."""
    ranks = [
        PURPOSES.get(value.strip().lower(), len(PURPOSES))
        if isinstance(value, str)
        else len(PURPOSES)
        for value in values
    ]
    return np.array(ranks, dtype=np.int64)


def fold_expression(frame: pl.DataFrame | pl.LazyFrame, name: str) -> pl.Expr:
    """Refer to a fold column of a Polars frame, NaN as null; of an extension to what it stores."""
    dtype = frame.collect_schema()[name]
    column = pl.col(name).ext.storage() if is_extension(dtype) else pl.col(name)
    return column.fill_nan(None) if dtype.is_float() else column


def read_fold_column(frame: EagerFrame, name: str) -> Any:
    """Read a fold or part column of an eager frame, under a MultiIndex too."""
    return read_columns(frame, [label_of(frame, name)])[0]


def to_fold_column(values: Any, name: str) -> Any:
    """Take values as a fold column; a series keeps the name that it has."""
    if isinstance(values, pd.Series | pl.Series):
        # Neither an array nor a Polars series without a name says that it is another column.
        return values.rename(name) if values.name in (None, "") else values
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, MemoryError) as error:
        msg = f"Folds must be a column, got {describe(values)}."
        raise StratError(msg) from error
    if array.ndim != 1:
        msg = f"Folds must be a column, got an array of shape {array.shape}."
        raise StratError(msg)
    return pd.Series(array, name=name).infer_objects()


def fold_codes(
    series: Series, *, small: bool = False, weights: Ints | None = None
) -> tuple[list[Any], Ints]:
    """List the values of a fold or part column, in order, and encode its rows by them.

    Categories keep their order. Text that names parts, such as train and test, comes in the
    order of `part_codes`; anything else is sorted by value.

    Parameters
    ----------
    small : bool
        Encode in the smallest type of integers, for codes that are compared and no more:
        sums and products of them would overflow.
    weights : ndarray of int64, shape (n_rows,), optional
        How many rows each row stands for.

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
    check_never_tested(series, present)
    categories = category_values(series)
    if categories is not None:
        values = categories
    elif (purposes_of(present) < len(PURPOSES)).any() and is_text(series):
        values = sort_parts(present, codes)[0]
    else:
        values = sort_folds(present, series.name)
    places = {value: place for place, value in enumerate(values)}
    if len(places) < len(values):
        msg = (
            "A column of `name` must hold values that Python can tell apart,"
            f" but {series.name!r} is {series.dtype}."
        )
        raise StratError(msg)
    dtype = np.min_scalar_type(-len(values) - 1) if small else np.dtype(np.int64)
    found = np.array([*(places[value] for value in present), -1], dtype=dtype)[codes]
    if len(values) > FEW_FRACTIONS and isinstance(values[-1], float):
        check_few(series.name, count_values(values, found, weights))
    return values, found


def check_never_tested(series: Series, labels: Sequence[Any]) -> None:
    """Raise if -1 is the one negative number beside other folds: what is never tested elsewhere."""
    numbers = [label for label in labels if type(label) in (int, float)]
    if len(labels) < 2 or len(numbers) < len(labels) or not all(x == x // 1 for x in numbers):
        return
    if min(numbers) != -1:
        return
    msg = (
        f"Column {series.name!r} must hold folds, but has -1, which scikit-learn's"
        ' `PredefinedSplit` never tests.\nHint: make it null; `nulls="train"` then trains on'
        " these rows."
    )
    raise StratError(msg)


def check_few(name: object, labels: FoldValues) -> None:
    """Raise if fractions are nearly as many as their rows: measurements, and no folds."""
    n_labels, n_rows = len(labels.present), sum(labels.sizes)
    if 2 * n_labels > n_rows:
        msg = (
            f"Column {name!r} must hold folds, but it has {n_labels:,} different fractions in"
            f" {plural(n_rows, 'row')}.\nHint: name the fold column, such as 'fold'; several"
            f" columns to stratify by go in a list, as in `['label', {describe(name)}]`."
        )
        raise StratError(msg)


def part_codes(series: Series, weights: Ints | None = None) -> tuple[list[Any], Ints]:
    """List the values of a part column, text in the order of its purpose, and encode its rows."""
    values, codes = fold_codes(series, weights=weights)
    if category_values(series) is None and all(isinstance(value, str) for value in values):
        return sort_parts(values, codes)
    return values, codes


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


def are_folds(series: pd.Series, k: int) -> Flags | bool:
    """Flag the rows of a pandas column with one of k folds or none; False for other types."""
    if str(series.dtype) not in FOLD_TYPES:
        return False
    numbers = to_floats(series)
    whole = (np.trunc(numbers) == numbers) & (numbers >= 0) & (numbers < k)
    return np.asarray(is_missing(series) | whole)


def has_all_folds(series: Series, k: int) -> bool:
    """Return whether each of k folds has a row."""
    numbers = np.unique(to_floats(series))
    return int(((np.trunc(numbers) == numbers) & (numbers >= 0) & (numbers < k)).sum()) == k


def read_fold_numbers(
    series: Series, k: int | None, weights: Ints | None = None
) -> tuple[Ints, int]:
    """Read a column of folds 0..k-1 of any dtype, and count the folds if k is None.

    Parameters
    ----------
    weights : ndarray of int64, shape (n_rows,), optional
        How many rows each row stands for.

    Returns
    -------
    folds : ndarray of int64, shape (n_rows,), range -1..k-1
        -1 where the fold is missing.
    k : int
    """
    missing = is_missing(series)
    numbers = np.where(missing, -1, fold_floats(series))
    check_start(series, numbers[~missing], k)
    check_fold_range(series, numbers, missing, k, weights)
    folds = numbers.astype(np.int64)
    return folds, count_folds(series, folds[~missing]) if k is None else k


def declared_parts(frame: Frame, name: str) -> tuple[str, ...] | None:
    """List the names of parts in a column, in order; None if it holds folds.

    Of a lazy frame only an Enum declares them, as no data are read.
    """
    if isinstance(frame, pl.LazyFrame):
        declared = category_values(pl.Series(name, [], frame.collect_schema()[name]))
        return None if declared is None else tuple(declared)
    if not holds_names(read_fold_column(frame, name)):
        return None
    return tuple(part_codes(read_fold_column(frame, name))[0])


def holds_names(series: Series) -> bool:
    """Return whether a column holds text that is no number."""
    if not is_text(series):
        return False
    try:
        to_floats(series)
    except (TypeError, ValueError, pl.exceptions.PolarsError):
        return True
    return False


def are_parts(series: Series, names: Sequence[str], *, text: bool) -> Flags | bool:
    """Flag the rows with one of some parts or none; False for a column of another type.

    Parameters
    ----------
    text : bool
        Whether the column may be text; else its categories are the names, in their order. A
        Categorical of Polars has none of its own, and is taken by its values.
    """
    if isinstance(series, pl.Series):
        return np.asarray((series.is_null() | series.cast(pl.String).is_in(names)).to_numpy())
    if not (text and is_text(series)) and category_values(series) != list(names):
        return False
    return np.asarray(series.isna() | series.isin(names))


def read_part_codes(series: Series, names: Sequence[str]) -> Ints:
    """Read a column of names of parts, -1 where the part is missing."""
    values, codes = fold_codes(series)
    present = set(codes.tolist())
    others = [value for code, value in enumerate(values) if value not in names and code in present]
    if others:
        listed = preview(map(repr, others), len(others))
        msg = f"`parts` must name all parts of {series.name!r}, but it also has {listed}."
        raise StratError(msg)
    places = [names.index(value) if value in names else -1 for value in values]
    return np.array([*places, -1], dtype=np.int64)[codes]


def fold_floats(series: Series) -> Values:
    """Read a fold column as floats, or raise if it holds no numbers."""
    try:
        if is_temporal(series):
            raise TypeError
        return to_floats(series)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        hint = '\nHint: if it holds parts, give their shares, as in `parts={"train": 0.8, ...}`.'
        msg = (
            f"`extend` needs folds 0..k-1 in {series.name!r}, but it is {series.dtype}."
            f"{hint if is_text(series) else ''}"
        )
        raise StratError(msg) from error


def check_start(series: Series, numbers: Values, k: int | None) -> None:
    """Raise if folds are 1, 2, ... without a gap and none is 0, unless there are to be more."""
    present = np.unique(numbers)
    n_folds = len(present)
    if n_folds < 2 or present[0] != 1 or (np.diff(present) != 1).any():
        return
    if k not in (None, n_folds):
        return
    name = series.name
    subtract = f"df[{name!r}] -= 1"
    if isinstance(series, pl.Series):
        subtract = f"df = df.with_columns(pl.col({name!r}) - 1)"
    counted = ", counted from 1" if k else ""
    hint = (
        subtract
        if k
        else f"`k={n_folds + 1}` if fold 0 has no rows; if they count from 1: {subtract}"
    )
    msg = (
        f"`extend` needs folds 0..k-1 in {name!r}, but found folds 1..{n_folds}{counted}."
        f"\nHint: {hint}"
    )
    raise StratError(msg)


def check_fold_range(
    series: Series, numbers: Values, missing: Flags, k: int | None, weights: Ints | None
) -> None:
    """Raise unless all numbers that are not missing are integers from 0 to k-1."""
    wrong = (numbers < 0) | (np.trunc(numbers) != numbers) | ~np.isfinite(numbers)
    if k is not None:
        wrong |= numbers > min(k, 2**53) - 1  # a huge k is no float
    rows = np.flatnonzero(wrong & ~missing)
    if len(rows):
        highest = "k-1" if k is None else describe(k - 1)
        msg = (
            f"`extend` needs folds 0..{highest} in {series.name!r}, but there are others in"
            f" {describe_rows(rows, weights)}."
        )
        if weights is not None:
            raise StratError(msg)
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
