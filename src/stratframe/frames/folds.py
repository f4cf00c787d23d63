"""A fold or part column: its values in order, and the codes of the rows."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
import polars as pl

from ..core.strata import first_occurrence
from ..core.types import Flags, Ints
from ..errors import StratError, describe, describe_rows, plural, preview
from .dtypes import category_values, dtype_of, is_missing, is_text, to_polars
from .libraries import (
    EagerFrame,
    Frame,
    Series,
    library_of,
    python_error,
    take,
    to_list,
    to_native,
)
from .read import encode_classes
from .references import read_columns
from .rules import failing_rows
from .threads import check_threads

PURPOSES = {"train": 0, "valid": 1, "validation": 1, "val": 1, "dev": 1, "test": 2, "holdout": 3}
"""The order of parts that are named after their use."""

FEW_FRACTIONS = 10
"""The maximum number of different fractions, such as doses, in a fold column of any length."""

FOLD_TYPES = ("int64", "Int64", "float64")
"""The types of fold columns in pandas, also as read from files where some rows have no fold."""

DATES = (pl.Date, pl.Datetime, pl.Null)
"""Types that have calendar periods, and the type of columns without any value."""

MINUTE = timedelta(minutes=1)

ColumnT = TypeVar("ColumnT", pl.Series, pl.Expr)
"""A column, or an expression for one."""


class FoldValues(NamedTuple):
    """The values of a fold or part column, in order."""

    values: list[Any]
    sizes: list[int]
    """The number of rows with each value."""
    n_nulls: int
    """The number of rows without a value."""

    @property
    def present(self) -> list[Any]:
        """The values that have rows."""
        return [value for value, size in zip(self.values, self.sizes, strict=True) if size]


def purposes_of(values: Sequence[Any]) -> Ints:
    """Rank part names by their use; all other names have the last rank."""
    texts = [value.strip().lower() if isinstance(value, str) else "" for value in values]
    return np.array([PURPOSES.get(text, len(PURPOSES)) for text in texts], dtype=np.int64)


def fold_expression(
    frame: pl.DataFrame | pl.LazyFrame, name: str, every: str | None = None
) -> pl.Expr:
    """Make the expression of a fold column, with NaN as null and extensions as their storage."""
    dtype = frame.collect_schema()[name]
    if every is not None:
        if not has_periods(dtype, every):
            raise no_dates(name, dtype, every)
        return start_of_period(pl.col(name), dtype, every)
    if isinstance(dtype, getattr(pl, "BaseExtension", ())):  # in newer versions only
        return pl.col(name).ext.storage()
    return pl.col(name).fill_nan(None) if dtype.is_float() else pl.col(name)


def check_every(every: Any) -> None:
    if not (isinstance(every, str) and re.fullmatch("[1-9][0-9]{0,3}(m|h|d|w|mo|q|y)", every)):
        msg = (
            '`every` must be a period such as "15m", "6h", "1d", "1w", "1mo", "1q" or "1y", got'
            f" {describe(every)}."
        )
        raise StratError(msg)
    minutes = minutes_of(every)
    if minutes is not None and 24 * 60 % minutes:
        msg = f'Hours and minutes of `every` must divide a day, as "6h" does, got {every!r}.'
        raise StratError(msg)


def minutes_of(every: str) -> int | None:
    """Count the minutes of a period of hours or minutes; None for days and longer periods."""
    of_unit = {"m": 1, "h": 60}.get(every[-1])
    return None if of_unit is None else int(every[:-1]) * of_unit


def has_periods(dtype: pl.DataType, every: str) -> bool:
    """Return whether a type has periods of this length: dates have no hours."""
    return dtype in DATES and not (dtype == pl.Date and minutes_of(every))


def to_periods(series: Series, every: str) -> Any:
    """Find the start of the calendar period that each date or time is in, in its time zone."""
    check_threads()
    if isinstance(series, pd.Series):
        categorical = isinstance(series.dtype, pd.CategoricalDtype)
        series = series.astype(series.cat.categories.dtype) if categorical else series
        if series.dtype == object and dtype_of(series).is_temporal():
            series = series.infer_objects()
    own_zone = getattr(series.dtype, "tz", None)  # a pandas time zone, which Polars may not know
    column = to_polars(series if own_zone is None else series.dt.tz_localize(None))
    if column is None or not has_periods(column.dtype, every):
        raise no_dates(series.name, series.dtype, every)
    try:
        starts = start_of_period(column, column.dtype, every).alias(str(series.name))
    except pl.exceptions.PanicException as error:
        raise python_error(series.name, error) from error
    if own_zone is not None:
        return in_zone(starts.to_pandas(), own_zone)
    return in_zone(starts, getattr(column.dtype, "time_zone", None))


def start_of_period(column: ColumnT, dtype: pl.DataType, every: str) -> ColumnT:
    """Find the start of the period of each date or time, by the clock of its time zone."""
    if dtype == pl.Null:  # without any value
        return column.cast(pl.Date)
    if isinstance(dtype, pl.Datetime):
        # The earliest times in nanoseconds cannot be moved back to the start of their year, and
        # the latest cannot be moved to another time zone.
        column = column.dt.cast_time_unit("us") if dtype.time_unit == "ns" else column
        column = column.dt.replace_time_zone(None)
    return column.dt.truncate(every)


def in_zone(starts: Any, zone: Any) -> Any:
    """Find when the clock of a time zone, if there is one, first shows or skips each start."""
    if zone is None:
        return starts

    def first(times: Any) -> Any:
        if isinstance(times, pd.Series):
            flags = np.ones(len(times), dtype=np.bool_)
            return times.dt.tz_localize(zone, ambiguous=flags, nonexistent="NaT")
        return times.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")

    found = first(starts)
    rows = np.flatnonzero(is_missing(found) & ~is_missing(starts))
    later, shown = take(starts, rows), take(found, rows)
    # Where the clock skips a start, the first later minute that it shows is taken. (pandas'
    # "shift_forward" is wrong where clocks move by anything other than an hour.)
    is_polars = isinstance(starts, pl.Series)
    while is_missing(shown).any():
        later = later + MINUTE
        shown = shown.fill_null(first(later)) if is_polars else shown.fillna(first(later))
    return found.scatter(rows, shown) if is_polars else found.fillna(shown)


def period_starts(series: pd.Series, every: str) -> Any:
    """Return the starts of periods as a pandas column whose type distinguishes dates from times."""
    starts = to_periods(series, every)
    if isinstance(starts, pl.Series):
        starts = starts.to_pandas(use_pyarrow_extension_array=True)
    return starts.set_axis(series.index)


def no_dates(name: object, dtype: object, every: str) -> StratError:
    needs = "`every` needs dates or times"
    if minutes_of(every):
        needs = f"`every={every!r}` needs times"
    return StratError(f"{needs}, but column {name!r} is {dtype}.")


def rank_periods(starts: Sequence[Any], every: str) -> Ints:
    """Number periods from 0 by their ascending starts, including periods without rows."""
    # The starts lose their zone, whose clock may have skipped them.
    local = [each.replace(tzinfo=None) if isinstance(each, datetime) else each for each in starts]
    times = pl.Series(local).dt.truncate(every)
    if minutes := minutes_of(every):  # there may be too many to list
        since: pl.Series = times - times[0]
        return (since.dt.total_minutes() // minutes).to_numpy()
    between = pl.date_range if times.dtype == pl.Date else pl.datetime_range
    places = between(times[0], times[-1], every, eager=True).search_sorted(times)
    return places.cast(pl.Int64).to_numpy()


def read_fold_column(frame: EagerFrame, name: str) -> Any:
    return read_columns(frame, [name])[0]


def to_fold_column(values: Any, name: str) -> Any:
    """Convert values to a fold column; a series keeps its own name, if it has one."""
    if isinstance(values, pd.Series | pl.Series):
        # A series without a name does not say that it is a different column.
        return to_native(values.rename(name) if values.name in (None, "") else values)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, MemoryError) as error:
        msg = f"Folds must be a column, got {describe(values)}."
        raise StratError(msg) from error
    if array.ndim != 1:
        msg = f"Folds must be a column, got an array of shape {array.shape}."
        raise StratError(msg)
    return pd.Series(array, name=name).infer_objects()


def encode_values(series: Series) -> tuple[list[Any], Ints]:
    """List a column's values in order of appearance, and encode its rows; -1 where missing."""
    codes, n_values = encode_classes(series)
    has_missing = int(codes.min(initial=0) < 0)  # -1 is the last place
    first = first_occurrence(codes, n_values + has_missing)[:n_values]
    return to_list(take(series, first)), codes


def fold_codes(
    series: Series, *, is_part: bool = False, weights: Ints | None = None
) -> tuple[FoldValues, Ints]:
    """Count the values of a fold or part column, in order, and encode its rows; -1 where missing.

    Categories keep their order. Text that names parts, such as train and test, is ordered by
    purpose, then by first appearance, and so is any text that is known to name parts. Anything else
    is sorted by value. Each row may stand for as many rows as its weight.
    """
    present, codes = encode_values(series)
    check_never_tested(series, present)
    values, ranks = category_values(series), purposes_of(present)
    if values is None and (is_part or (ranks < len(PURPOSES)).any()) and is_text(series):
        values = [present[place] for place in np.argsort(ranks, kind="stable")]
    elif values is None:
        values = sort_folds(present, series.name)
    places = {value: place for place, value in enumerate(values)}
    if len(places) < len(values):
        msg = (
            "A column of `name` must hold values that Python can tell apart,"
            f" but {series.name!r} is {series.dtype}."
        )
        raise StratError(msg)
    found = np.array([*(places[value] for value in present), -1], dtype=np.int64)[codes]
    counts = np.bincount(found + 1, weights, len(values) + 1).astype(np.int64).tolist()
    labels = FoldValues(values, counts[1:], counts[0])
    if len(values) > FEW_FRACTIONS and isinstance(values[-1], float):
        check_few(series.name, labels)
    return labels, found


def check_never_tested(
    series: Series,
    labels: Sequence[Any],
    then: str = '`nulls="train"` then trains on these rows',
    failures: Any = None,
) -> None:
    """Raise if -1 is the only negative fold: other tools never test the rows in it."""
    numbers = [label for label in labels if type(label) in (int, float)]
    if len(labels) < 2 or len(numbers) < len(labels) or not all(x == x // 1 for x in numbers):
        return
    if min(numbers) != -1:
        return
    msg = (
        f"Column {series.name!r} must hold folds, but has -1, which scikit-learn's"
        f" `PredefinedSplit` never tests.\nHint: make it null; {then}."
    )
    raise StratError(msg, failures)


def check_few(name: object, labels: FoldValues) -> None:
    """Raise if there are over half as many fractions as rows: these are measurements, not folds."""
    n_labels, n_rows = len(labels.present), sum(labels.sizes)
    if 2 * n_labels > n_rows:
        msg = (
            f"Column {name!r} must hold folds, but it has {n_labels:,} different fractions in"
            f" {plural(n_rows, 'row')}.\nHint: name the fold column, such as 'fold'; several"
            f" columns to stratify by go in a list, as in `['label', {describe(name)}]`."
        )
        raise StratError(msg)


def sort_folds(values: list[Any], name: object) -> list[Any]:
    """Sort the values of a fold column; pandas stores whole numbers with nulls as floats."""
    floats = [value for value in values if isinstance(value, float)]
    if all(value.is_integer() and abs(value) < 2**63 for value in floats):
        values = [int(value) if isinstance(value, float) else value for value in values]
    try:
        return sorted(values)
    except (TypeError, OverflowError) as error:
        msg = f"A column of `name` must hold values that can be ordered, but {name!r} mixes types."
        raise StratError(msg) from error


def is_fold(value: Any, k: int) -> bool:
    return bool(0 <= value < k and value // 1 == value)


def are_folds(series: pd.Series, k: int) -> Flags | bool:
    """Flag the rows of a pandas column that have one of k folds or none; False for other types."""
    if str(series.dtype) not in FOLD_TYPES:
        return False
    values, codes = encode_values(series)
    return np.array([*(is_fold(value, k) for value in values), True])[codes]


def has_all_folds(series: Series, k: int) -> bool:
    return sum(is_fold(value, k) for value in encode_values(series)[0]) == k


def are_parts(series: Series, names: Sequence[str], *, text: bool) -> Flags | bool:
    """Flag the rows that have one of the named parts or none; False for a column of a wrong type.

    The categories must be the names, in their order, unless the column may be text. A Polars
    Categorical declares no categories, and is judged by its values.
    """
    is_any = isinstance(series, pl.Series) or (text and is_text(series))
    if not is_any and category_values(series) != list(names):
        return False
    values, codes = encode_values(series)
    return np.array([*(value in names for value in values), True])[codes]


# Columns that are filled ----------------------------------------------------------------


def read_part_codes(series: Series, names: Sequence[str]) -> Ints:
    """Read a column of part names as codes, -1 where the part is missing."""
    present, codes = encode_values(series)
    others = sorted({*present}.difference(names), key=str)
    if others:
        listed = preview(map(repr, others), len(others))
        msg = f"`parts` must name all parts of {series.name!r}, but it also has {listed}."
        raise StratError(msg)
    return np.array([*map(names.index, present), -1], dtype=np.int64)[codes]


def declared_parts(frame: Frame, name: str) -> tuple[str, ...] | None:
    """List the part names of a column, in order; None if the column holds folds.

    In a lazy frame only an Enum declares part names, because no data are read.
    """
    if isinstance(frame, pl.LazyFrame):
        declared = category_values(pl.Series(name, [], frame.collect_schema()[name]))
        return None if declared is None else tuple(declared)
    series = read_fold_column(frame, name)
    if not is_text(series) or to_numbers(series, encode_values(series)[0]) is not None:
        return None
    return tuple(fold_codes(series, is_part=True)[0].values)


def to_numbers(series: Series, values: Sequence[Any]) -> list[float] | None:
    """Convert the values of a column to floats; None if they are not numbers."""
    try:
        return None if dtype_of(series).is_temporal() else [float(value) for value in values]
    except (TypeError, ValueError, OverflowError):
        return None


def read_fold_numbers(
    series: Series, k: int | None, weights: Ints | None = None
) -> tuple[Ints, int]:
    """Read folds 0..k-1 from a column of any dtype, -1 where missing; count them if k is None.

    Each row may stand for as many rows as its weight.
    """
    values, codes = encode_values(series)
    numbers = to_numbers(series, values)
    if numbers is None:
        hint = '\nHint: if it holds parts, give their shares, as in `parts={"train": 0.8, ...}`.'
        msg = (
            f"`extend` needs folds 0..k-1 in {series.name!r}, but it is {series.dtype}."
            f"{hint if is_text(series) else ''}"
        )
        raise StratError(msg)
    present = sorted({*numbers})
    check_start(series, present, k)
    # Beyond 2**53 floats skip whole numbers.
    is_wrong = [not is_fold(each, min(k or 2**53, 2**53)) for each in numbers]
    rows = np.flatnonzero(np.array([*is_wrong, False])[codes])
    if len(rows):
        failing = failing_rows(library_of(series), {series.name: series}, rows)
        failures = None if weights is not None else failing
        check_never_tested(series, present, "`extend` then gives these rows a fold", failures)
        highest = "k-1" if k is None else describe(k - 1)
        others = [f"{x:.15g}" for x, wrong in zip(numbers, is_wrong, strict=True) if wrong]
        msg = (
            f"`extend` needs folds 0..{highest} in {series.name!r}, but found"
            f" {preview(others, len(others))} in {describe_rows(rows, weights)}."
        )
        raise StratError(msg, failures)
    if k is None and (len(present) < 2 or present != [*range(len(present))]):
        listed = preview(map(int, present), len(present)) or "none"
        msg = (
            f"`extend` needs folds 0..k-1 in {series.name!r}, but found {listed}."
            "\nHint: say how many there are, as in `k=5`."
        )
        raise StratError(msg)
    return np.array([*numbers, -1], dtype=np.int64)[codes], k or len(present)


def check_start(series: Series, present: Sequence[float], k: int | None) -> None:
    """Raise if folds are numbered from 1 without a gap, and k is None or their number."""
    n_folds, name = len(present), series.name
    if n_folds < 2 or k not in (None, n_folds) or present != [*range(1, n_folds + 1)]:
        return
    is_polars = isinstance(series, pl.Series)
    hint = f"df = df.with_columns(pl.col({name!r}) - 1)" if is_polars else f"df[{name!r}] -= 1"
    if k is None:
        hint = f"`k={n_folds + 1}` if fold 0 has no rows; if they count from 1: {hint}"
    msg = (
        f"`extend` needs folds 0..k-1 in {name!r}, but found folds 1..{n_folds}"
        f"{', counted from 1' if k else ''}.\nHint: {hint}"
    )
    raise StratError(msg)
