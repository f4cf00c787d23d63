"""Select the rows of a frame that have certain labels in a fold column."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

from ..core.types import Flags, Ints
from .attach import NewColumn, column_expression
from .dtypes import WIDE_INTEGERS, dtype_of, has_order, is_missing, to_floats
from .folds import (
    FoldValues,
    fold_codes,
    fold_expression,
    label_key,
    list_labels,
    read_fold_column,
)
from .libraries import EagerFrame, Frame, FrameT, Series, keep_rows, python_error, take
from .periods import (
    Periods,
    Span,
    encode_periods,
    flag_spans,
    in_spans,
    read_readings,
    reading_expression,
)
from .read import encode_classes
from .references import read_columns
from .threads import check_threads


class ApartColumn(NamedTuple):
    """A column in which training and validation rows must not share a value."""

    name: Any
    series: Series
    codes: Ints
    """The code of each row's value, or -1 for a missing value, which equals no other value."""


class LabelRows(NamedTuple):
    """The labels in a fold or part column of all rows or, with weights, of all distinct rows."""

    name: Any
    labels: FoldValues
    series: Series
    codes: Ints
    """The position of each row's label in the list of labels, or -1 for a row without a label."""
    weights: Ints | None = None
    """The number of times that each distinct row occurs; None if all rows are listed."""
    apart: Sequence[ApartColumn] = ()
    periods: Periods | None = None
    """The periods of which the labels are the starts, if they are; otherwise None."""

    @property
    def has_ordered_categories(self) -> bool:
        """Whether the labels are ordered categories of the column."""
        return has_order(self.series)

    def count(self, flags: Flags) -> int:
        if self.weights is None:
            return int(flags.sum())
        return int(self.weights[flags].sum())


def encode_labels(
    name: Any,
    series: Series,
    weights: Ints | None = None,
    apart: Sequence[tuple[Any, Series]] = (),
    every: str | None = None,
    *,
    is_part: bool = False,
) -> LabelRows:
    periods = None
    if every is None:
        labels, codes = fold_codes(series, is_part=is_part, weights=weights)
    else:
        series, periods, codes = encode_periods(series, every)
        labels = count_labels(list_labels(series), codes, weights)
    # The codes of all rows are compared for each label, and reading them from memory takes most of
    # the time. The smallest dtype that fits is therefore the fastest.
    codes = codes.astype(np.min_scalar_type(-len(labels.values) - 1))
    columns = [ApartColumn(each, column, encode_classes(column)[0]) for each, column in apart]
    return LabelRows(name, labels, series, codes, weights, columns, periods)


def count_labels(values: list[Any], codes: Ints, weights: Ints | None) -> FoldValues:
    sizes = np.bincount(codes + 1, weights, len(values) + 1).astype(np.int64).tolist()
    return FoldValues(values, sizes[1:], sizes[0])


def read_labels(
    frame: Frame,
    name: Any,
    apart: Sequence[Any] = (),
    every: str | None = None,
    *,
    is_part: bool = False,
) -> LabelRows:
    """Encode the labels of the rows of a frame, or of the distinct rows of a lazy frame."""
    weights = None
    if isinstance(frame, pl.LazyFrame):
        series, columns, weights = collect_distinct(frame, name, apart, every)
    else:
        series = read_fold_column(frame, name)
        columns = read_columns(frame, apart)
    shared = list(zip(apart, columns, strict=True))
    return encode_labels(name, series, weights, shared, every, is_part=is_part)


def collect_distinct(
    frame: pl.LazyFrame, name: Any, apart: Sequence[Any], every: str | None
) -> tuple[Series, list[Series], Ints]:
    """Collect the labels, the columns of `apart` and the counts of the distinct rows."""
    check_threads()
    dtype = frame.collect_schema()[name]
    exprs = [fold_expression(frame, each) for each in (name, *apart)]
    if every is not None:
        exprs[0] = reading_expression(name, dtype, every)
    query = frame.select(expr.alias(str(place)) for place, expr in enumerate(exprs))
    try:
        rows = query.group_by(pl.all(), maintain_order=True).len("n").collect()
    except pl.exceptions.PanicException as error:  # raised for dates out of range
        raise python_error(name, error) from error
    series, *columns, counts = (each.rename("") for each in rows)
    if every is not None:
        zone = getattr(dtype, "time_zone", None)
        series = read_readings(name, series, zone, every, is_date=dtype == pl.Date)
    return series.rename(name), list(columns), counts.cast(pl.Int64).to_numpy()


# Flags of rows --------------------------------------------------------------------------


def flag_labels(
    rows: LabelRows, chosen: Flags, *, nulls: bool = False, apart_from: Flags | None = None
) -> Flags:
    """Flag the rows with the chosen labels and, with `nulls`, the rows without a label.

    Rows are left out if they share a value in a column of `rows.apart` with a row that has one of
    the labels `apart_from`.
    """
    flags = match_codes(rows.codes, chosen, nulls=nulls)
    if apart_from is not None:
        has_label = match_codes(rows.codes, apart_from, nulls=False)
        for each in rows.apart:
            is_shared = np.zeros(int(each.codes.max(initial=-1)) + 2, dtype=np.bool_)
            is_shared[each.codes[has_label]] = True
            is_shared[-1] = False  # missing values have the code -1
            flags &= ~is_shared[each.codes]
    return flags


def match_codes(codes: Ints, chosen: Flags, *, nulls: bool) -> Flags:
    """Flag the rows with the chosen labels; a comparison is faster than a look-up."""
    flags: Flags
    if chosen.sum() == 1 and not nulls:
        flags = codes == chosen.argmax()
    elif len(chosen) and chosen.sum() == len(chosen) - 1:
        flags = codes != chosen.argmin()
        flags = flags if nulls else flags & (codes >= 0)
    else:
        flags = np.append(chosen, nulls)[codes]
    return flags


def values_apart(rows: LabelRows, chosen: Flags) -> dict[Any, Series]:
    """Return the distinct values in each column of `rows.apart`, in rows with given labels."""
    with_label = np.flatnonzero(match_codes(rows.codes, chosen, nulls=False))
    values = {}
    for each in rows.apart:
        codes, first = np.unique(each.codes[with_label], return_index=True)
        values[each.name] = take(each.series, with_label[first[codes >= 0]])
    return values


def shorter_list(rows: LabelRows, chosen: Flags) -> tuple[Flags, bool]:
    """Return the chosen labels and True if they are a minority; else the other labels and False."""
    has_rows = np.array(rows.labels.sizes, dtype=np.int64) > 0
    wanted = has_rows & chosen
    others = has_rows & ~chosen
    is_match = bool(wanted.sum() < others.sum())
    return (wanted if is_match else others), is_match


# Selected rows --------------------------------------------------------------------------


def filter_labels(
    frame: FrameT,
    rows: LabelRows,
    chosen: Flags,
    *,
    nulls: bool = False,
    apart_from: Flags | None = None,
) -> FrameT:
    if not isinstance(frame, pd.DataFrame):
        check_threads()
    if not isinstance(frame, pl.LazyFrame):
        flags = flag_labels(rows, chosen, nulls=nulls, apart_from=apart_from)
        flagged: FrameT = keep_rows(frame, flags)
        return flagged
    kept = frame.filter(has_label(frame, rows, chosen, nulls=nulls))
    shared = {} if apart_from is None else values_apart(rows, apart_from)
    for name, values in shared.items():
        is_shared = is_one_of(fold_expression(frame, name), values)
        kept = kept.filter((~is_shared).fill_null(True))
    return kept


def has_label(frame: pl.LazyFrame, rows: LabelRows, chosen: Flags, *, nulls: bool) -> pl.Expr:
    """Build an expression that is true for the rows with the chosen labels."""
    if rows.periods is not None:
        dtype = frame.collect_schema()[rows.name]
        return in_spans(rows.name, dtype, rows.periods.spans(chosen), nulls=nulls)
    listed, is_match = shorter_list(rows, chosen)
    labels: Any = rows.series
    values = labels.filter(match_codes(rows.codes, listed, nulls=False)).unique()
    wanted = is_one_of(fold_expression(frame, rows.name), values)
    if not is_match:
        wanted = ~wanted
    return wanted.fill_null(True) if nulls else wanted


def is_one_of(column: pl.Expr, values: Any) -> pl.Expr:
    """Build an expression that is true for the given values, and null for missing values."""
    if values.dtype == pl.Categorical:
        column = column.cast(pl.String)
        values = values.cast(pl.String)
    # Times would lose their nanoseconds if they were converted to Python objects. Polars refuses
    # Python integers of more than 127 bits.
    is_exact = not (values.dtype.is_temporal() or values.dtype in WIDE_INTEGERS)
    if is_exact and len(values) == 1:
        return column.eq(values[0])
    return column.is_in(values.implode())


def flag_values(
    frame: EagerFrame,
    name: str,
    values: Sequence[Any],
    *,
    equal: bool,
    nulls: bool = False,
) -> Flags:
    """Flag the rows with the given labels, or with all others; with `nulls`, also rows without."""
    rows = read_labels(frame, name)
    known = set(map(label_key, values))
    chosen = [(label_key(label) in known) == equal for label in rows.labels.values]
    return flag_labels(rows, np.array(chosen, dtype=np.bool_), nulls=nulls)


def flag_times(frame: EagerFrame, name: str, spans: Sequence[Span], *, nulls: bool) -> Flags:
    """Flag the rows with times in the given spans and, with `nulls`, the rows without a time."""
    return flag_spans(read_fold_column(frame, name), spans, nulls=nulls)


def flag_unshared(frame: pd.DataFrame, values: Mapping[str, Any]) -> Flags:
    """Flag the rows that have none of the given values in the column of these values."""
    flags: Flags = np.ones(len(frame), dtype=np.bool_)
    for name, column_values in values.items():
        series = read_fold_column(frame, name)
        shared = pd.Series(column_values)
        if str(shared.dtype).startswith(("category", "dictionary")):  # `isin` would find no match
            shared = pd.Series(shared.tolist())
        if dtype_of(series).is_float() and series.dtype != object:  # in pyarrow, -0.0 is not 0.0
            is_shared = np.isin(to_floats(series), to_floats(shared))
        else:
            is_shared = np.asarray(series.isin(shared), dtype=np.bool_)
        flags &= ~is_shared | is_missing(series)
    return flags


def filter_rows(
    frame: Frame,
    refs: Mapping[str, Sequence[Any]],
    choose: Callable[[dict[str, list[Any]], int], Flags],
) -> EagerFrame:
    """Keep the rows that `choose` flags; `choose` takes the referenced columns and the row count.

    A lazy frame is filtered in one query so that only the kept rows are held in memory.
    """
    if not isinstance(frame, pd.DataFrame):
        check_threads()
    if isinstance(frame, pl.LazyFrame):
        none = NewColumn("chosen", np.zeros(0, dtype=np.int64), None, nullable=False)

        def flag(columns: dict[str, list[Any]], n_rows: int) -> list[NewColumn]:
            return [none._replace(parts=choose(columns, n_rows).astype(np.int64))]

        return frame.filter(column_expression(refs, flag, [none]) == 1).collect()
    columns = {argument: read_columns(frame, entries) for argument, entries in refs.items()}
    chosen: EagerFrame = keep_rows(frame, choose(columns, len(frame)))
    return chosen
