"""A key -> what can be hashed, or ranks.

Values are hashed as they are, not as they are stored, so that no width, unit or library
matters:

- whole numbers and booleans, and floats without a fraction, as 8 bytes; other floats as the
  8 bytes of a double;
- dates as days, times of day and durations as microseconds, and datetimes as microseconds
  since 1970 (UTC if they have a time zone), each as 8 bytes; nanoseconds beyond, if any, as
  8 bytes more;
- text and categories in UTF-8, binary values as they are, UUIDs as their 16 bytes, which is what
  Polars and Arrow hold of them;
- decimals and integers beyond 64 bits, unless they are whole numbers that fit, as the text of
  their digits, without trailing zeros.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl

from ..core.hashing import HashedBytes, HashedWords, KeyColumn
from ..core.order import rank
from ..core.types import Ints, Words
from ..errors import StratError
from .dtypes import (
    WIDE,
    is_decimal,
    is_nested,
    is_object,
    nested_error,
    object_type,
    to_floats,
)
from .libraries import Series
from .read_classes import check_objects
from .read_numbers import from_arrow, gather_categories, periods, read_ordinal, sorted_codes

TEXT_BLOCK = 1 << 16
"""Strings that are joined at once."""

UNITS = {"ns": 1000, "us": 1, "ms": 1000, "s": 1_000_000}
"""Nanoseconds in a microsecond, and microseconds in the longer units of time."""


def read_key(series: Series) -> KeyColumn:
    """Read a column of a key, without missing values, as words or bytes to be hashed."""
    if isinstance(series, pl.Series):
        return key_of_polars(series)
    dtype: Any = series.dtype
    if isinstance(dtype, pd.PeriodDtype):
        return HashedWords(periods(series).view(np.uint64))
    if isinstance(dtype, pd.CategoricalDtype):
        return key_of_categories(series)
    if isinstance(dtype, np.dtype | pd.DatetimeTZDtype) and dtype.kind in "mM":
        unit = str(series.dt.unit)
        return key_of_times(np.asarray(series, dtype=f"{dtype.kind}8[{unit}]").view(np.int64), unit)
    if is_object(dtype) or pd.api.types.is_string_dtype(dtype):
        return key_of_objects(series)
    if pd.api.types.is_float_dtype(dtype):
        return key_of_floats(to_floats(series))
    if isinstance(dtype, pd.ArrowDtype):
        return key_of_polars(from_arrow(series))
    return HashedWords(words_of(read_ordinal(series, "key")[0]))


def read_group_key(series: Series) -> KeyColumn | None:
    """Read a column of groups as that of a key, intervals as text; None where a key cannot be."""
    if isinstance(series, pd.Series):
        dtype: Any = series.dtype
        if isinstance(getattr(dtype, "categories", series).dtype, pd.IntervalDtype):
            series = series.astype(str)
    try:
        return read_key(series)
    except (StratError, UnicodeError):
        return None


def key_of_polars(series: pl.Series) -> KeyColumn:
    """Read a Polars column."""
    dtype = series.dtype
    if is_nested(dtype):
        raise nested_error(series.name, dtype)
    if dtype in (pl.Categorical, pl.Enum):
        series, dtype = series.cast(pl.String), pl.String()
    if dtype in (pl.String, pl.Binary):
        return bytes_of(series)
    if dtype.is_float():
        return key_of_floats(to_floats(series))
    if isinstance(dtype, pl.Datetime | pl.Duration):
        return key_of_times(series.to_physical().to_numpy(), dtype.time_unit)
    if dtype == pl.Time:
        return key_of_times(series.to_physical().to_numpy(), "ns")
    if dtype in WIDE or dtype.is_decimal():
        return key_of_exact(series.to_list())
    return HashedWords(words_of(read_ordinal(series, "key")[0]))


def key_of_categories(series: pd.Series) -> KeyColumn:
    """Read a pandas categorical by the values of its categories."""
    return read_key(pd.Series(series.cat.categories).iloc[series.cat.codes])


def key_of_objects(series: pd.Series) -> KeyColumn:
    """Read a pandas column of text or of Python objects, which Polars must have a type for."""
    check_objects(series)
    if isinstance(series.dtype, pd.ArrowDtype) or getattr(series.dtype, "storage", "") == "pyarrow":
        return key_of_polars(from_arrow(series))
    try:
        if is_object(series.dtype) and object_type(series) == "mixed-integer":
            raise TypeError
        values = series.tolist()
        if all(isinstance(value, Decimal) for value in values):
            return key_of_exact(values)  # Polars has no room for some
        if all(isinstance(value, UUID) for value in values):
            values = [value.bytes for value in values]
        return key_of_polars(pl.Series(str(series.name), values, strict=True))
    except (TypeError, OverflowError, pl.exceptions.PolarsError) as error:
        if object_type(series) == "integer":  # of which the first fits into 64 bits
            return key_of_exact(series.tolist())
        raise mixed_error(series) from error


def key_of_exact(values: Sequence[Any]) -> KeyColumn:
    """Read decimals and wide integers: as words where they fit, else as their digits."""
    return joined([exact_bytes(value) for value in values])


def exact_bytes(value: Any) -> bytes:
    """Write an exact number as a word, or in digits without trailing zeros; raise if infinite."""
    if value == int(value) and -(2**63) <= value < 2**64:
        return (int(value) % 2**64).to_bytes(8, "little")
    digits = str(value) if isinstance(value, int) else format(value, "f")
    return (digits.rstrip("0").rstrip(".") if "." in digits else digits).encode()


def joined(values: Sequence[bytes]) -> HashedBytes:
    """Join the bytes of rows."""
    offsets = np.append(0, np.cumsum([len(value) for value in values], dtype=np.int64))
    return HashedBytes(np.frombuffer(b"".join(values), dtype=np.uint8), offsets)


def mixed_error(series: pd.Series) -> StratError:
    """Build the error for objects that have no common type."""
    msg = (
        f"A column of `key` must hold values that can be ordered, but {series.name!r} mixes types."
    )
    return StratError(msg)


def words_of(values: np.ndarray) -> Words:
    """View whole numbers as words; those of 64 bits without a sign wrap around."""
    whole = values if values.dtype == np.uint64 else values.astype(np.int64, copy=False)
    return np.ascontiguousarray(whole).view(np.uint64)


def key_of_floats(values: np.ndarray) -> KeyColumn:
    """Read floats: whole ones as integers, so that 1.0 is 1, others by their bits."""
    is_whole = (np.trunc(values) == values) & (np.abs(values) < 2.0**63)
    words = values.view(np.uint64).copy()
    words[is_whole] = values[is_whole].astype(np.int64).view(np.uint64)
    return HashedWords(words)


def key_of_times(values: Ints, unit: str) -> KeyColumn:
    """Read times as microseconds, and the nanoseconds beyond."""
    if unit != "ns":
        return HashedWords(words_of(values * UNITS[unit]))
    microseconds, rest = np.divmod(values, 1000)
    return HashedWords(words_of(microseconds), words_of(rest) if rest.any() else None)


def bytes_of(series: pl.Series) -> KeyColumn:
    """Join the text or bytes of a Polars column, and list where each row ends."""
    is_text = series.dtype == pl.String
    lengths = series.str.len_bytes() if is_text else series.bin.size()
    offsets = np.append(0, np.cumsum(lengths.to_numpy(), dtype=np.int64))
    data = np.empty(offsets[-1], dtype=np.uint8)
    for start in range(0, len(series), TEXT_BLOCK):
        block = series.slice(start, TEXT_BLOCK)
        joined = block.str.join("").item().encode() if is_text else b"".join(block.to_list())
        end = min(start + TEXT_BLOCK, len(series))
        data[offsets[start] : offsets[end]] = np.frombuffer(joined, dtype=np.uint8)
    return HashedBytes(data, offsets)


def rank_key(series: Series) -> Ints:
    """Rank the values of a key: numbers by value, strings by code point, dates by time.

    Returns
    -------
    ndarray of int64, shape (n_rows,)
        Dense ranks; any number where the value is missing.
    """
    return rank_polars(series) if isinstance(series, pl.Series) else rank_pandas(series)


def rank_polars(series: pl.Series) -> Ints:
    """Rank the values of a Polars key."""
    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    if is_nested(series.dtype):
        raise nested_error(series.name, series.dtype)
    if series.dtype in (pl.String, pl.Binary, *WIDE) or series.dtype.is_decimal():
        return rank(series.rank("dense").fill_null(0).to_numpy())
    return rank_numbers(series)


def rank_pandas(series: pd.Series) -> Ints:
    """Rank the values of a pandas key."""
    dtype: Any = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return gather_categories(series, rank_key(pd.Series(dtype.categories)), -1)
    check_objects(series)
    of_numpy = isinstance(dtype, np.dtype | pd.DatetimeTZDtype) and not is_object(dtype)
    if of_numpy or (pd.api.types.is_numeric_dtype(dtype) and not is_decimal(series)):
        return rank_numbers(series)
    try:
        if is_object(dtype) and object_type(series) == "mixed-integer":
            raise TypeError  # pandas would sort integers before text
        return sorted_codes(series)
    except TypeError as error:
        raise mixed_error(series) from error


def rank_numbers(series: Series) -> Ints:
    """Rank the numbers or dates of a key."""
    values, missing = read_ordinal(series, "key")
    return rank(np.where(missing, values.dtype.type(0), values))
