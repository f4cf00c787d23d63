"""Read a fold or part column as an ordered list of values and a code for each row."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

from ..core.strata import first_occurrence
from ..core.types import Flags, Ints
from ..errors import StratError, describe, describe_rows, plural, preview
from .dtypes import category_values, dtype_of, is_text
from .libraries import (
    EagerFrame,
    Frame,
    Series,
    library_of,
    take,
    to_list,
    to_native,
)
from .purposes import PURPOSES, purposes_of
from .read import encode_classes
from .references import read_columns
from .rules import failing_rows

FEW_FRACTIONS = 10
"""A fold column of any length can hold up to this many different numbers if some are fractions."""

FOLD_TYPES = ("int64", "Int64", "float64")
"""The pandas dtypes of fold columns; float64 results from files in which some rows lack a fold."""


class FoldValues(NamedTuple):
    """The distinct values of a fold or part column, in order."""

    values: list[Any]
    sizes: list[int]
    """The number of rows with each value."""
    n_nulls: int
    """The number of rows without a value."""

    @property
    def present(self) -> list[Any]:
        """The values that occur in at least one row."""
        return [value for value, size in zip(self.values, self.sizes, strict=True) if size]


def fold_expression(frame: pl.DataFrame | pl.LazyFrame, name: str) -> pl.Expr:
    """Build an expression for the folds of a column: NaN as null, extensions as storage."""
    dtype = frame.collect_schema()[name]
    if isinstance(dtype, getattr(pl, "BaseExtension", ())):  # older Polars has no extension types
        return pl.col(name).ext.storage()
    if dtype.is_float():
        return pl.col(name).fill_nan(None)
    return pl.col(name)


def read_fold_column(frame: EagerFrame, name: str) -> Any:
    return read_columns(frame, [name])[0]


def to_fold_column(values: Any, name: str) -> Any:
    """Convert values to a fold column; a series with a name keeps its name."""
    if isinstance(values, pd.Series | pl.Series):
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
    """List the values of a column in order of appearance, and encode the rows (-1 if missing)."""
    codes, n_values = encode_classes(series)
    has_missing = int(codes.min(initial=0) < 0)  # the code -1 indexes the last item
    first = first_occurrence(codes, n_values + has_missing)[:n_values]
    return list_labels(take(series, first)), codes


def list_labels(series: Series) -> list[Any]:
    """List values that are not missing; times with a time zone become pandas timestamps."""
    zone = getattr(series.dtype, "time_zone", None)
    if isinstance(series, pl.Series) and zone is not None:
        to_list(series)  # raises if Python cannot represent a time
        # The time zones of Polars and Python can be of different years, and `to_list` would then
        # give other instants.
        unit = series.dtype.time_unit  # type: ignore[attr-defined]
        instants = series.to_physical().to_numpy().view(f"datetime64[{unit}]")
        return pd.DatetimeIndex(instants, tz="UTC").tz_convert(zone).tolist()
    return tell_apart(to_list(series))


def tell_apart(values: list[Any]) -> list[Any]:
    """Convert times with a time zone to pandas timestamps, which are compared as instants.

    Python takes two times of one zone for equal if the clock shows the same at both.
    """
    return [pd.Timestamp(value) if has_zone(value) else value for value in values]


def has_zone(value: Any) -> bool:
    return isinstance(value, datetime) and value.tzinfo is not None


def label_key(label: Any) -> Any:
    """Return the key by which labels are looked up: times with a zone are compared as instants."""
    if has_zone(label):
        with suppress(OverflowError, ValueError):  # raised at the ends of the calendar
            return label.astimezone(UTC)
    return label


def places_of(labels: Iterable[Any]) -> dict[Any, int]:
    """Number labels by the keys by which they are looked up."""
    return {label_key(label): place for place, label in enumerate(labels)}


def fold_codes(
    series: Series, *, is_part: bool = False, weights: Ints | None = None
) -> tuple[FoldValues, Ints]:
    """Sort and count the values of a fold or part column, and encode the rows (-1 if missing).

    Categories keep their order. Text with part names such as "train" and "test" is sorted by use
    and then by first appearance, and so is all text if `is_part` is true. Other values are sorted
    by value. With `weights`, a row is counted as often as its weight says.
    """
    present, codes = encode_values(series)
    check_never_tested(series, present)
    values = order_values(series, present, is_part=is_part)
    places = {value: place for place, value in enumerate(values)}
    if len(places) < len(values):
        msg = (
            "A column of `name` must hold values that Python can tell apart,"
            f" but {series.name!r} is {series.dtype}."
        )
        raise StratError(msg)
    ordered_codes = np.array([*(places[value] for value in present), -1], dtype=np.int64)[codes]
    counts = np.bincount(ordered_codes + 1, weights, len(values) + 1).astype(np.int64).tolist()
    labels = FoldValues(values, counts[1:], counts[0])
    if len(values) > FEW_FRACTIONS and isinstance(values[-1], float):
        check_few(series.name, labels)
    return labels, ordered_codes


def order_values(series: Series, present: list[Any], *, is_part: bool) -> list[Any]:
    """List the values of a fold or part column in the order that `fold_codes` describes."""
    categories = category_values(series)
    if categories is not None:
        return categories
    ranks = purposes_of(present)
    if (is_part or (ranks < len(PURPOSES)).any()) and is_text(series):
        return [present[place] for place in np.argsort(ranks, kind="stable")]
    return sort_folds(present, series.name)


def check_never_tested(
    series: Series,
    labels: Sequence[Any],
    then: str = '`nulls="train"` then trains on these rows',
    failures: Any = None,
) -> None:
    """Raise if -1 is the only negative fold, because scikit-learn never tests the rows with -1."""
    numbers = [label for label in labels if type(label) in (int, float)]
    if len(labels) < 2 or len(numbers) < len(labels) or not all(x == x // 1 for x in numbers):
        return
    if min(numbers) != -1:
        return
    msg = (
        f"Column {series.name!r} must hold folds, but has -1, which scikit-learn's"
        f" `PredefinedSplit` never tests.\nHint: replace -1 with null; {then}."
    )
    raise StratError(msg, failures)


def check_few(name: object, labels: FoldValues) -> None:
    """Raise if there are over half as many fractions as rows, which must be measurements."""
    n_labels = len(labels.present)
    n_rows = sum(labels.sizes)
    if 2 * n_labels > n_rows:
        msg = (
            f"Column {name!r} must hold folds, but it has {n_labels:,} different fractions in"
            f" {plural(n_rows, 'row')}.\nHint: name the fold column, such as 'fold'; several"
            f" columns to stratify by go in a list, as in `['label', {describe(name)}]`."
        )
        raise StratError(msg)


def sort_folds(values: list[Any], name: object) -> list[Any]:
    """Sort the values of a fold column, and convert floats to integers if all floats are whole."""
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
    """Flag the rows that have one of `k` folds or no fold; return False if the dtype is wrong."""
    if str(series.dtype) not in FOLD_TYPES:
        return False
    values, codes = encode_values(series)
    return np.array([*(is_fold(value, k) for value in values), True])[codes]


def has_all_folds(series: Series, k: int) -> bool:
    return sum(is_fold(value, k) for value in encode_values(series)[0]) == k


def are_parts(series: Series, names: Sequence[str], *, text: bool) -> Flags | bool:
    """Flag the rows that have a part in `names` or no part; return False if the dtype is wrong.

    The categories of a pandas column must equal `names` in order, unless `text` is true and the
    column holds text. For a Polars column, only the values are checked.
    """
    is_any = isinstance(series, pl.Series) or (text and is_text(series))
    if not is_any and category_values(series) != list(names):
        return False
    values, codes = encode_values(series)
    return np.array([*(value in names for value in values), True])[codes]


# Columns that `extend` fills ------------------------------------------------------------


def read_part_codes(series: Series, names: Sequence[str]) -> Ints:
    """Read a column of part names as codes, with -1 for a missing part."""
    present, codes = encode_values(series)
    others = sorted({*present}.difference(names), key=str)
    if others:
        listed = preview(map(repr, others), len(others))
        msg = f"`parts` must name all parts of {series.name!r}, but the column also has {listed}."
        raise StratError(msg)
    return np.array([*map(names.index, present), -1], dtype=np.int64)[codes]


def declared_parts(frame: Frame, name: str) -> tuple[str, ...] | None:
    """List the part names of a column in order; return None if the column holds folds.

    The data of a lazy frame are not read, so part names are known only for an Enum column.
    """
    if isinstance(frame, pl.LazyFrame):
        declared = category_values(pl.Series(name, [], frame.collect_schema()[name]))
        return None if declared is None else tuple(declared)
    series = read_fold_column(frame, name)
    if not is_text(series) or to_numbers(series, encode_values(series)[0]) is not None:
        return None
    return tuple(fold_codes(series, is_part=True)[0].values)


def to_numbers(series: Series, values: Sequence[Any]) -> list[float] | None:
    try:
        return None if dtype_of(series).is_temporal() else [float(value) for value in values]
    except (TypeError, ValueError, OverflowError):
        return None


def read_fold_numbers(
    series: Series, k: int | None, weights: Ints | None = None
) -> tuple[Ints, int]:
    """Read the folds 0..k-1 in a column of any dtype (-1 if missing), and return them and `k`.

    If `k` is None, the folds are counted. The weight of a row is how many rows it represents.
    """
    values, codes = encode_values(series)
    numbers = to_numbers(series, values)
    if numbers is None:
        msg = f"`extend` needs folds 0..k-1 in {series.name!r}, but it is {series.dtype}."
        if is_text(series):
            msg += (
                '\nHint: if it holds parts, give their shares, as in `parts={"train": 0.8, ...}`.'
            )
        raise StratError(msg)
    present = sorted({*numbers})
    check_start(series, present, k)
    check_range(series, numbers, codes, k, weights)
    if k is None and (len(present) < 2 or present != [*range(len(present))]):
        listed = preview(map(int, present), len(present)) or "none"
        msg = (
            f"`extend` needs folds 0..k-1 in {series.name!r}, but found {listed}."
            "\nHint: say how many folds there are, as in `k=5`."
        )
        raise StratError(msg)
    return np.array([*numbers, -1], dtype=np.int64)[codes], k or len(present)


def check_start(series: Series, present: Sequence[float], k: int | None) -> None:
    """Raise if the folds present are 1, 2, ... without a gap, and `k` is None or their number."""
    name = series.name
    n_folds = len(present)
    if n_folds < 2 or k not in (None, n_folds) or present != [*range(1, n_folds + 1)]:
        return
    hint = f"df[{name!r}] -= 1"
    if isinstance(series, pl.Series):
        hint = f"df = df.with_columns(pl.col({name!r}) - 1)"
    if k is None:
        hint = f"if fold 0 is empty, pass `k={n_folds + 1}`. If folds start at 1, write {hint}"
    msg = (
        f"`extend` needs folds 0..k-1 in {name!r}, but found folds 1..{n_folds}"
        f"{', counted from 1' if k else ''}.\nHint: {hint}"
    )
    raise StratError(msg)


def check_range(
    series: Series, numbers: Sequence[float], codes: Ints, k: int | None, weights: Ints | None
) -> None:
    """Raise if a number is none of 0..k-1 or, if `k` is None, no whole number from 0."""
    # Floats cannot represent all whole numbers above 2**53.
    is_wrong = [not is_fold(number, min(k or 2**53, 2**53)) for number in numbers]
    rows = np.flatnonzero(np.array([*is_wrong, False])[codes])
    if not len(rows):
        return
    failures = None
    if weights is None:
        failures = failing_rows(library_of(series), {series.name: series}, rows)
    present = sorted({*numbers})
    check_never_tested(series, present, "`extend` then gives these rows a fold", failures)
    highest = "k-1" if k is None else describe(k - 1)
    others = [f"{x:.15g}" for x, wrong in zip(numbers, is_wrong, strict=True) if wrong]
    msg = (
        f"`extend` needs folds 0..{highest} in {series.name!r}, but found"
        f" {preview(others, len(others))} in {describe_rows(rows, weights)}."
    )
    raise StratError(msg, failures)
