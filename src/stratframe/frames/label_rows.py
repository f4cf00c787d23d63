"""The rows of a fold column by their label: which are those of some labels, and what they share."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

from ..core.types import Flags, Ints
from .folds import (
    FoldValues,
    count_values,
    fold_codes,
    fold_expression,
    part_codes,
    read_fold_column,
)
from .libraries import Frame, Series, label_of, take
from .read_classes import encode_classes
from .references import read_columns


class ApartColumn(NamedTuple):
    """A column of whose values rows of two labels may share none."""

    name: Any
    series: Series
    codes: Ints
    """The value of each row; -1 where it is missing, which matches nothing."""


class LabelRows(NamedTuple):
    """The rows of a fold or part column, or rows that each stand for several equal ones."""

    name: Any
    labels: FoldValues
    series: Series
    codes: Ints
    """The place of each row's label in their order; -1 where it has none."""
    weights: Ints | None = None
    """How many rows each row stands for; None if for itself."""
    apart: tuple[ApartColumn, ...] = ()

    @property
    def has_ordered_categories(self) -> bool:
        """Whether the column says itself in which order its labels are."""
        if isinstance(self.series, pl.Series):
            return self.series.dtype == pl.Enum
        dtype = self.series.dtype
        return isinstance(dtype, pd.CategoricalDtype) and bool(dtype.ordered)

    def count(self, flags: Flags) -> int:
        """Count the rows that are flagged, or that these stand for."""
        return int(flags.sum() if self.weights is None else self.weights[flags].sum())


def encode_labels(
    name: Any,
    series: Series,
    *,
    weights: Ints | None = None,
    apart: Sequence[tuple[Any, Series]] = (),
    is_part: bool = False,
) -> LabelRows:
    """Encode the rows of a fold or part column, and columns of which labels share no value."""
    # Every pair compares all codes, which takes as long as to read them: so they are small.
    values, codes = (
        part_codes(series, weights) if is_part else fold_codes(series, small=True, weights=weights)
    )
    labels = count_values(values, codes, weights)
    columns = (ApartColumn(each, column, encode_classes(column)[0]) for each, column in apart)
    return LabelRows(name, labels, series, codes, weights, tuple(columns))


def read_labels(
    frame: Frame, name: Any, apart: Sequence[Any] = (), *, is_part: bool = False
) -> LabelRows:
    """Encode the rows of a frame; of a lazy one, by one query, the rows that differ."""
    if not isinstance(frame, pl.LazyFrame):
        columns = read_columns(frame, [label_of(frame, each) for each in apart])
        shared = list(zip(apart, columns, strict=True))
        return encode_labels(name, read_fold_column(frame, name), apart=shared, is_part=is_part)
    columns = [fold_expression(frame, each).alias(str(i)) for i, each in enumerate([name, *apart])]
    rows = frame.select(columns).group_by(pl.all(), maintain_order=True).len("n").collect()
    fold, *shared_columns, counts = (each.rename("") for each in rows)
    return encode_labels(
        name,
        fold.rename(name),
        weights=counts.cast(pl.Int64).to_numpy(),
        apart=list(zip(apart, shared_columns, strict=True)),
        is_part=is_part,
    )


def flag_labels(
    rows: LabelRows, chosen: Flags, *, nulls: bool = False, apart_from: int | None = None
) -> Flags:
    """Flag the rows of chosen labels, and with `nulls` those of none.

    Parameters
    ----------
    chosen : ndarray of bool, shape (n_labels,)
    apart_from : int, optional
        Leave out the rows that share a value of `rows.apart` with a row of this label.

    Returns
    -------
    ndarray of bool, shape (n_rows,)
    """
    flags = match_codes(rows.codes, chosen, nulls=nulls)
    if apart_from is not None:
        held = rows.codes == apart_from
        for each in rows.apart:
            flags &= ~np.append(held_values(each.codes, held), False)[each.codes]
    return flags


def match_codes(codes: Ints, chosen: Flags, *, nulls: bool) -> Flags:
    """Flag the rows of chosen labels; a comparison takes a fraction of the time of a look-up."""
    flags: Flags
    if chosen.sum() == 1 and not nulls:
        flags = codes == chosen.argmax()
    elif len(chosen) and chosen.sum() == len(chosen) - 1:
        flags = codes != chosen.argmin()
        if not nulls:
            flags &= codes >= 0
    else:
        flags = np.append(chosen, nulls)[codes]
    return flags


def held_values(codes: Ints, rows: Flags) -> Flags:
    """Flag the codes that some rows have."""
    held = np.zeros(int(codes.max(initial=-1)) + 2, dtype=np.bool_)
    held[codes[rows]] = True
    return held[:-1]  # the last is that of missing values


def values_apart(rows: LabelRows, place: int) -> dict[Any, Series]:
    """List the values that rows of a label have in each column that they do not share."""
    of_label, found = np.flatnonzero(rows.codes == place), {}
    for each in rows.apart:
        codes, first = np.unique(each.codes[of_label], return_index=True)
        found[each.name] = take(each.series, of_label[first[codes >= 0]])
    return found


def shorter_list(rows: LabelRows, chosen: Flags) -> tuple[Flags, bool]:
    """Choose whether labels are matched, or those that are left out, which may be fewer."""
    has_rows = np.array(rows.labels.sizes, dtype=np.int64) > 0
    others = has_rows & ~chosen
    is_match = bool((has_rows & chosen).sum() < others.sum())
    return (has_rows & chosen, True) if is_match else (others, False)
