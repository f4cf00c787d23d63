"""Encode and hash a column in which rows are compared, as rarely as possible.

All missing values count as equal, whether they are NaN or null, and -0.0 is equal to 0.0.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from ..core.types import Ints, Words
from ..errors import StratError
from .dtypes import dtype_of, is_nested, nested_error, numbers_at, to_floats, to_polars
from .libraries import take
from .read import encode_classes

SHORT = 1 << 14
"""A column of at most this many rows keeps its hashes, and is always encoded as a whole."""


class ComparedColumn:
    """A column in which rows are compared, or an array of whole numbers.

    The hashes of the columns of a row are added up, so that each column has a `seed` of its own.
    """

    def __init__(self, series: Any, seed: int = 0) -> None:
        self.series = series
        self.seed = seed

    def __len__(self) -> int:
        return len(self.series)

    @property
    def is_short(self) -> bool:
        return len(self.series) <= SHORT

    @cached_property
    def is_comparable(self) -> bool:
        """Whether no values are nested, and none are equal to values of another type."""
        try:
            _ = self.hashable
        except StratError:
            return False
        return True

    @cached_property
    def narrow_classes(self) -> tuple[Ints, int]:
        """The same as `classes`, but in the smallest dtype that also holds each code plus 1."""
        series = pl.Series(self.series) if isinstance(self.series, np.ndarray) else self.series
        codes, n_codes = encode_classes(series)
        return codes.astype(np.min_scalar_type(-n_codes - 2)), n_codes

    @property
    def classes(self) -> tuple[Ints, int]:
        """The code of each row (-1 if missing), and the number of codes."""
        codes, n_codes = self.narrow_classes
        return codes.astype(np.int64), n_codes

    @cached_property
    def hashable(self) -> Any:
        """The column as Polars can hash it; many kinds of pandas columns become codes."""
        hashable = to_hashable(self.series)
        return pl.Series(self.narrow_classes[0]) if hashable is None else hashable

    @cached_property
    def cached_words(self) -> Words:
        return hash_values(self.hashable, self.seed)

    @property
    def words(self) -> Words:
        """The hash of each value."""
        return self.cached_words if self.is_short else hash_values(self.hashable, self.seed)

    def words_at(self, rows: Ints) -> Words:
        """Hash the values in some rows."""
        if self.is_short:
            return self.cached_words[rows]
        return hash_values(take(self.hashable, rows), self.seed)

    def comparable_numbers(self, rows: Ints) -> Any:
        """Return numbers that are equal where some rows are: whole numbers, or hashes."""
        if dtype_of(self.hashable).is_integer():
            numbers = numbers_at(self.hashable, rows)
            if numbers is not None:
                return numbers
        return self.words_at(rows)

    def classes_at(self, rows: Ints | None) -> tuple[Ints, int]:
        """Return codes of some rows, or of all, and the number of possible codes."""
        if rows is None:
            return self.classes
        if self.is_short or 2 * len(rows) > len(self):
            codes, n_codes = self.narrow_classes
            return codes[rows].astype(np.int64), n_codes
        return encode_classes(take(self.hashable, rows))

    def value_sizes(self, rows: Ints) -> Ints:
        """Count the rows with each value; the first count is that of missing values."""
        codes, n_codes = self.narrow_classes
        if len(rows) < len(self):
            return np.bincount(codes[rows] + 1)
        if n_codes <= SHORT:
            return self.few_value_sizes
        return np.bincount(codes + 1)

    @cached_property
    def few_value_sizes(self) -> Ints:
        """The counts of all rows, which are kept where there are few values."""
        return np.bincount(self.narrow_classes[0] + 1)

    def rows_of_rare_values(self, rows: Ints, most: int) -> Ints:
        """List those of the given rows whose value occurs in at most `most` of them."""
        codes = self.narrow_classes[0][rows] + 1
        return rows[np.bincount(codes)[codes] <= most]


def columns_to_compare(columns: Sequence[Any]) -> list[ComparedColumn]:
    """Give each column of a row a seed of its own."""
    return [ComparedColumn(series, seed) for seed, series in enumerate(columns)]


def to_hashable(column: Any) -> Any:
    """Convert a column to one that Polars can hash; return None if it must be encoded first."""
    if isinstance(column, np.ndarray):
        return pl.Series(column)
    dtype = dtype_of(column)
    if isinstance(column, pl.Series):
        if is_nested(dtype):
            raise nested_error(column.name, dtype)
        return column
    is_number = dtype.is_float() or dtype.is_integer() or dtype == pl.Boolean
    if is_number and column.dtype != object:
        return to_polars(column) if is_shared(column) else column
    if dtype == pl.String and str(getattr(column.dtype, "storage", "")).startswith("pyarrow"):
        return to_polars(column)
    return None  # as floats, different objects could be equal


def is_shared(series: Any) -> bool:
    """Return whether a Polars series can hold a pandas column of numbers without a copy."""
    if not isinstance(series.dtype, np.dtype) or not series.dtype.isnative:
        return False
    is_kept = series.dtype.kind in "iu" or series.dtype == np.float64
    return is_kept and bool(series.to_numpy().flags.c_contiguous)


def hash_values(series: Any, seed: int) -> Words:
    """Hash the values of a column that Polars can hash."""
    if dtype_of(series).is_float():
        # NaN must equal null, and -0.0 must equal 0.0.
        values = to_floats(series) + 0.0
        values[np.isnan(values)] = np.nan
        series = pl.Series(values)
    hashed = to_polars(series)
    assert hashed is not None
    return hashed.hash(seed).to_numpy()
