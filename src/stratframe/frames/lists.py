"""Read a column of lists as tags, or as vectors of classes that all have one length."""

from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

from ..core.types import Flags, Ints
from ..errors import StratError
from .dtypes import (
    dtype_of,
    is_continuous,
    is_missing,
    is_nested,
    nested_error,
    object_type,
    objects_of,
    strict_series,
    to_polars,
    with_one_zero,
)
from .libraries import Series, to_list
from .read import MIXED, encode_classes
from .threads import check_threads

UNORDERED = (set, frozenset)
"""The Python types whose values have no positions."""

LISTS_OF_OBJECTS = (list, tuple, np.ndarray, *UNORDERED)
"""The Python types that are read as lists of values."""

LEAST_COMPONENTS = 2
"""The minimum length of lists that can be vectors."""


class ListValues(NamedTuple):
    """The values in a column of lists."""

    rows: Ints
    """The positions of the rows that have a list, ascending, shape (n_lists,)."""
    lengths: Ints
    """The number of values in each list, shape (n_lists,)."""
    values: pl.Series
    """The values of all lists, one list after another, in which NaN is null."""
    has_positions: bool
    """Whether values have positions in their lists; those of sets have none."""

    @property
    def n_components(self) -> int:
        """The number of values in each list, or 0 if the lists differ in length."""
        lengths = self.lengths
        if len(lengths) and (lengths == lengths[0]).all():
            return int(lengths[0])
        return 0


def holds_lists(series: Series) -> bool:
    """Return whether a column holds nested values; Python objects are checked one by one."""
    if dtype_of(series) != pl.Object or isinstance(series, pl.Series):
        return is_nested(dtype_of(series))
    return any(isinstance(each, LISTS_OF_OBJECTS) for each in series)


def read_lists(series: Series) -> ListValues:
    check_threads()
    column = to_polars(series)
    if column is None:
        return read_objects(series)
    inner: Any = getattr(column.dtype, "inner", None)
    if inner is None or is_nested(inner):
        raise nested_error(series.name, series.dtype)
    is_categorical = inner in (pl.Categorical, pl.Enum)
    lists = column.cast(pl.List(pl.String if is_categorical else inner))
    rows = np.flatnonzero(lists.is_not_null().to_numpy())
    lists = lists.drop_nulls()
    lengths = lists.list.len().cast(pl.Int64)
    # An empty list would become a null.
    values = lists.filter(lengths > 0).explode()
    return ListValues(rows, lengths.to_numpy(), without_nan(values), has_positions=True)


def read_objects(series: Any) -> ListValues:
    rows = np.flatnonzero(~is_missing(series))
    lists = series.iloc[rows].tolist()
    if not all(isinstance(each, LISTS_OF_OBJECTS) and getattr(each, "ndim", 1) for each in lists):
        raise nested_error(series.name, series.dtype)
    objects = pd.Series(list(chain.from_iterable(lists)), dtype=object)
    values = to_polars(objects)
    if values is None and object_type(objects) not in MIXED:
        # Decimals, and integers beyond 64 bits.
        values = strict_series(objects_of(objects, None).tolist(), None)
    if values is None or is_nested(values.dtype):
        msg = f"The lists of {series.name!r} must hold single values of the same type."
        raise StratError(msg)
    lengths = np.array([len(each) for each in lists], dtype=np.int64)
    has_positions = not any(isinstance(each, UNORDERED) for each in lists)
    return ListValues(rows, lengths, without_nan(values), has_positions)


def without_nan(values: pl.Series) -> pl.Series:
    return values.fill_nan(None) if values.dtype.is_float() else values


# Tags ------------------------------------------------------------------------------------


def read_tags(series: Series) -> tuple[list[Any], list[Ints]]:
    """List the tags in a column of lists by descending frequency, and the rows with each tag.

    Tags with equal frequency are in ascending order. Missing lists and missing values in lists are
    ignored.
    """
    lists = read_lists(series)
    pairs = pl.DataFrame({"row": np.repeat(lists.rows, lists.lengths), "tag": lists.values})
    by_tag = pairs.drop_nulls("tag").unique().sort("tag", "row")
    tags = by_tag.group_by("tag", maintain_order=True).agg("row")
    tags = tags.sort(pl.col("row").list.len(), descending=True, maintain_order=True)
    return tags["tag"].to_list(), [rows.to_numpy() for rows in tags["row"]]


# Vectors of classes ----------------------------------------------------------------------


class ListKind(NamedTuple):
    """What the lists of a column are."""

    n_components: int = 0
    """The length of the lists if they are vectors of classes, and 0 if they are tags."""
    is_soft: bool = False
    """Whether the lists are vectors that hold numbers with a fractional part."""


def kind_of_lists(series: Series) -> ListKind:
    """Tell vectors of classes, whose positions have a meaning, from lists of tags.

    Lists of one length of at least 2 are vectors if they hold only 0, 1 and booleans, or if most of
    them hold a value twice, as lists of tags do not.
    """
    lists = read_lists(series)
    n_components = lists.n_components
    if not n_components or not lists.has_positions:
        return ListKind()
    if is_continuous(lists.values):
        return ListKind(is_soft=True)
    if n_components < LEAST_COMPONENTS or lists.values.null_count() == len(lists.values):
        return ListKind()
    if are_flags(lists.values) or 2 * have_repeats(lists).sum() > len(lists.rows):
        return ListKind(n_components)
    return ListKind()


def are_flags(values: pl.Series) -> bool:
    if values.dtype == pl.Boolean:
        return True
    return values.dtype.is_numeric() and bool(((values == 0) | (values == 1)).all())


def have_repeats(lists: ListValues) -> Flags:
    """Flag the lists that hold a value twice; all lists have one length."""
    codes = encode_classes(lists.values)[0].reshape(len(lists.rows), -1)
    in_order = np.sort(codes, axis=1)
    is_repeated = (np.diff(in_order, axis=1) == 0) & (in_order[:, 1:] >= 0)
    repeats: Flags = is_repeated.any(axis=1)
    return repeats


def encode_components(series: Series, n_components: int) -> Ints:
    """Encode the classes of each component of vectors, as `encode_classes` does for a column.

    The result has the shape (n_components, n_rows), and is -1 where a vector or its component is
    missing.
    """
    lists = read_lists(series)
    codes = np.full((n_components, len(series)), -1, dtype=np.int64)
    for place, component in enumerate(codes):
        component[lists.rows] = encode_classes(lists.values.gather_every(n_components, place))[0]
    return codes


def component_values(series: Series, n_components: int, place: int) -> list[Any]:
    """List the values of one component of vectors, with None for missing values."""
    lists = read_lists(series)
    component = with_one_zero(lists.values.gather_every(n_components, place))
    values: list[Any] = [None] * len(series)
    for row, value in zip(lists.rows.tolist(), to_list(component), strict=True):
        values[row] = value
    return values
