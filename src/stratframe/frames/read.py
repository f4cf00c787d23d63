"""Read a column as codes of classes, as numbers, as features, or as a key to be hashed.

Columns are first converted by `to_polars`, except pandas categories and text, and values for which
Polars has no dtype.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import polars as pl

from ..checks import is_hashable
from ..core.hashing import HashedBytes, HashedWords, KeyColumn
from ..core.order import CHUNK, rank
from ..core.strata import DENSE, distinct_values, factorize_codes, first_occurrence
from ..core.types import Flags, Ints, Values, Words
from ..errors import StratError, describe_rows
from .dtypes import (
    WIDE_INTEGERS,
    dtype_of,
    has_order,
    is_encoded_by_pandas,
    is_missing,
    is_nested,
    nested_error,
    numbers_at,
    object_type,
    to_floats,
    to_polars,
    to_vectors,
    unordered_error,
    write_intervals,
)
from .libraries import Series, library_of
from .result import make_frame
from .rules import failing_rows
from .threads import check_threads

MIXED = {"mixed", "mixed-integer"}
"""The results of `infer_dtype` for objects of several types."""

NESTED = (tuple, pl.Expr)
"""The hashable Python types whose instances do not count as single values."""

TEXTS = (pl.String, pl.Categorical, pl.Enum)
"""The Polars dtypes of text."""

FEW_VALUES = 1 << 11
"""Up to this many values are encoded as Python objects, which takes less time than the expressions
that hash them and compare them with their classes."""

ROWS_PER_CODE = 16
"""With this many rows for each number of a range, a table of the range is faster than hashing."""

TEXT_BLOCK = 1 << 16
"""The number of strings that are joined at a time."""

HashValues: TypeAlias = Callable[[pl.Series], pl.Series]
"""A function that returns the hash of each value in a column."""

UNITS = {"ns": 1000, "us": 1, "ms": 1000}
"""The number of nanoseconds in a microsecond, and of microseconds in each of the other units."""


# Classes ---------------------------------------------------------------------------------


def encode_classes(
    series: Series, of_lists: str = "", hash_values: HashValues = pl.Series.hash
) -> tuple[Ints, int]:
    """Encode the classes of a column by first appearance (-1 if missing), and count the classes.

    The codes depend only on which rows are equal, and not on the library, the dtype or the order of
    the values. The error for a column of lists contains the hint `of_lists`. `hash_values` may
    return the same hash for different values.
    """
    if is_encoded_by_pandas(series):
        return factorize(series)
    numbers = numbers_at(series)
    if numbers is not None and numbers.dtype.kind != "c" and numbers.dtype.isnative:
        return encode_numbers(numbers)
    column = to_polars(series)
    if column is None:
        check_objects(series, of_lists)
        return factorize(series)
    if is_nested(column.dtype):
        raise nested_error(series.name, series.dtype, of_lists)
    if column.dtype.is_float():
        return factorize(to_floats(column))
    if not column.null_count():
        return encode_known(column, hash_values)
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[~is_missing(column)], n_classes = encode_known(column.drop_nulls(), hash_values)
    return codes, n_classes


def encode_numbers(numbers: Values) -> tuple[Ints, int]:
    """Encode an array of numbers by first appearance (-1 if NaN), and count the classes."""
    if numbers.dtype.kind == "f":
        numbers = numbers.astype(np.float64, copy=False)
    return factorize(numbers)


def encode_known(series: pl.Series, hash_values: HashValues) -> tuple[Ints, int]:
    """Encode the classes of a Polars series without nulls."""
    if not is_whole(series.dtype):
        series = series.to_physical()
    if is_whole(series.dtype):
        return factorize(series.to_numpy())
    if len(series) <= FEW_VALUES:
        return factorize_objects(python_values(series))
    codes, n_codes = factorize(hash_values(series).to_numpy())
    classes = series.gather(first_occurrence(codes, n_codes))
    blocks = [slice(start, start + CHUNK) for start in range(0, len(codes), CHUNK)]
    if all((classes.gather(codes[block]) == series[block]).all() for block in blocks):
        return codes, n_codes
    return factorize_objects(python_values(series))  # different values share a hash


def python_values(series: pl.Series) -> np.ndarray:
    return np.array(series.to_list(), dtype=object)


def is_whole(dtype: pl.DataType) -> bool:
    """Return whether a Polars dtype is boolean, or an integer dtype that numpy also has."""
    return (dtype.is_integer() and dtype not in WIDE_INTEGERS) or dtype == pl.Boolean


def factorize(values: Any) -> tuple[Ints, int]:
    """Encode an array or pandas column by first appearance, and count the classes."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and len(values):
        low = int(values.min())
        high = int(values.max())
        n_dense = max(DENSE, len(values) // ROWS_PER_CODE)
        if low > 0 and high < n_dense:
            low = 0
        if high - low < n_dense:
            return factorize_narrow(values, low, high)
    if values.dtype == object or getattr(values.dtype, "storage", "") == "python":
        # The index in which pandas 2 returns classes cannot hold integers beyond the range of
        # floats.
        return factorize_objects(np.asarray(values, dtype=object))
    codes, classes = pd.factorize(values)
    return codes, len(classes)


def factorize_narrow(values: np.ndarray, low: int, high: int) -> tuple[Ints, int]:
    """Encode integers in a narrow range, which need no hash table."""
    if values.dtype != np.uint64:
        values = values.astype(np.int64, copy=False)
    if low:
        values = values - values.dtype.type(low)
    codes, present = factorize_codes(values.astype(np.int64, copy=False), high - low + 1)
    return codes, len(present)


def factorize_objects(values: np.ndarray) -> tuple[Ints, int]:
    codes, classes = pd.factorize(values)
    known = codes >= 0
    if (classes[codes[known]] == values[known]).all():
        return codes, len(classes)
    # pandas 2 ignores text after a NUL, and all versions compare lone surrogates by their `repr`.
    places: defaultdict[Any, int] = defaultdict(count().__next__)
    codes[known] = [places[value] for value in values[known]]
    return codes, len(places)


def check_objects(series: Any, of_lists: str = "") -> None:
    """Raise if a pandas column holds nested values, or equal values of different types."""
    if object_type(series) not in MIXED:
        return
    values = series.dropna()
    for value in values:
        if isinstance(value, NESTED) or not is_hashable(value):
            raise nested_error(series.name, type(value).__name__, of_lists)
    codes, n_values = factorize(values)
    type_codes, type_classes = pd.factorize(values.map(type))
    n_pairs = len(distinct_values(codes * len(type_classes) + type_codes))
    if n_pairs > n_values:
        names = ", ".join(sorted(each.__name__ for each in type_classes))
        msg = (
            f"Column {series.name!r} mixes types whose values compare equal: {names}."
            "\nHint: cast it to one type."
        )
        raise StratError(msg)


# Numbers ---------------------------------------------------------------------------------


def read_numbers(series: Series, term: str) -> tuple[Values, Flags]:
    """Read numbers or dates as numbers with the same order and differences; flag missing values.

    The numbers are float64, int64 or uint64, and are arbitrary for missing values. Dates, times and
    durations become counts of one unit of time, and periods are numbered. A categorical column is
    read as its categories, of which text must be written numbers.
    """
    try:
        return numbers_of(series), is_missing(series)
    except (OverflowError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        msg = f"`{term}` needs numbers or dates, but column {series.name!r} is {series.dtype}."
        raise StratError(msg) from error


def has_numbers(series: Series, *, finite: bool = False) -> bool:
    """Return whether a column can be read as numbers and, if `finite`, holds no infinite value."""
    try:
        values, missing = read_numbers(series, "")
    except StratError:
        return False
    return not finite or bool(np.isfinite(values[~missing]).all())


def read_order(series: Series, term: str) -> tuple[Values, Flags]:
    """Read numbers or dates as numbers with the same order, and flag missing values.

    Decimals and large integers that would be rounded to equal floats are ranked instead.
    """
    values, missing = read_numbers(series, term)
    dtype = dtype_of(series)
    is_rounded = values.dtype == np.float64 and dtype.is_numeric() and not dtype.is_float()
    if is_rounded and np.isfinite(values[~missing]).all():
        return rank_key(series), missing
    return values, missing


def numbers_of(series: Series) -> Values:
    dtype_of_series = dtype_of(series)
    column = to_polars(series)
    if column is None:
        if dtype_of_series.is_numeric():
            return to_floats(series)
        raise TypeError
    dtype = column.dtype
    if dtype_of_series in (pl.Categorical, pl.Enum) and dtype in TEXTS:
        return to_floats(column.cast(pl.String))
    if dtype.is_temporal():
        column = column.to_physical()
    if column.dtype.is_integer() and dtype not in WIDE_INTEGERS:
        if column.null_count():
            column = column.set(column.is_null(), 0)
        return column.cast(pl.UInt64 if dtype == pl.UInt64 else pl.Int64).to_numpy()
    if dtype.is_numeric() or dtype in (pl.Boolean, pl.Null):
        return to_floats(column)
    raise TypeError


def read_times(series: Series) -> tuple[Values, Flags]:
    """Read times or other ordered values as numbers in the same order, and flag missing values.

    The numbers are arbitrary for missing values.
    """
    if has_order(series):
        return category_codes(series), is_missing(series)
    dtype = dtype_of(series)
    # Different decimals and integers beyond 64 bits could be equal as floats.
    if dtype.is_decimal() or dtype in WIDE_INTEGERS or holds_wide_objects(series):
        return rank_key(series), is_missing(series)
    if dtype.is_numeric() or dtype.is_temporal() or dtype == pl.Null:
        return read_numbers(series, "time")
    raise not_times(series, dtype)


def not_times(series: Series, dtype: pl.DataType) -> StratError:
    what: object = series.dtype
    hint = ""
    if dtype == pl.String:
        what = "text"
        convert = "pd.to_datetime" if isinstance(series, pd.Series) else "str.to_date"
        hint = f"\nHint: convert it, for example with `{convert}`."
    elif dtype == pl.Categorical:
        hint = "\nHint: give its categories an order."
    return StratError(
        f"`time` needs dates, times or numbers, but column {series.name!r} is {what}.{hint}"
    )


def category_codes(series: Any) -> Ints:
    """Return the position of each row's category, which is arbitrary for missing values."""
    codes = series.to_physical() if isinstance(series, pl.Series) else series.cat.codes
    numbers = np.where(is_missing(series), 0, codes.to_numpy())
    return numbers.astype(np.int64)


def holds_wide_objects(series: Series) -> bool:
    """Return whether a column holds Python numbers that fit no 64-bit dtype."""
    return dtype_of(series).is_numeric() and to_polars(series) is None


def read_comparable(series: Series, term: str) -> tuple[Values, Flags]:
    """Read the numbers to compare with bin edges, and flag missing values; raise for dates."""
    if dtype_of(series).is_temporal():
        msg = (
            f"`{term}` needs numbers, but column {series.name!r} is {series.dtype}."
            "\nHint: `sf.quantiles` takes dates."
        )
        raise StratError(msg)
    return read_numbers(series, term)


def read_matrix(columns: Sequence[Series], term: str) -> tuple[Values, list[int]]:
    """Read columns of numbers, booleans or vectors, and count the features in each column.

    The array of features has the shape (n_features, n_rows), and NaN for missing values.
    """
    vectors = [read_vectors(series) for series in columns]
    widths = [1 if values is None else values.shape[1] for values in vectors]
    points = np.empty((sum(widths), len(columns[0])))
    blocks = np.split(points, np.cumsum(widths)[:-1])
    for series, values, block in zip(columns, vectors, blocks, strict=True):
        block[:] = read_feature(series, term) if values is None else values.T
    return points, widths


def read_feature(series: Series, term: str) -> Values:
    dtype = dtype_of(series)
    if not (dtype.is_numeric() or dtype in (pl.Boolean, pl.Null)):
        msg = (
            f"`{term}` needs numbers, booleans or vectors as features, but column {series.name!r}"
            f" is {series.dtype}.\nHint: encode it as numeric columns, as `pd.get_dummies` and"
            " `DataFrame.to_dummies` do."
        )
        raise StratError(msg)
    try:
        return to_floats(series)
    except (OverflowError, TypeError, ValueError) as error:
        msg = f"`{term}` cannot read the numbers in column {series.name!r} as floats: {error}."
        raise StratError(msg) from error


def read_vectors(series: Series) -> Values | None:
    """Read vectors as an array, shape (n_rows, n_components); return None for other columns."""
    vectors = to_vectors(series)
    if vectors is None:
        return None
    if vectors.null_count() == len(vectors):
        return np.full((len(vectors), 1), np.nan)
    inner: Any = vectors.dtype.inner  # type: ignore[attr-defined]
    if inner not in (pl.Float32, pl.Float64) or vectors.dtype == pl.Array(inner, 0):
        vectors = vectors.cast(pl.List(pl.Float64))
    if isinstance(vectors.dtype, pl.List):
        vectors = vectors.list.to_array(check_lengths(series, vectors.list.len()))
    values: Values = vectors.to_numpy()
    missing = is_missing(vectors)  # in older Polars, missing vectors hold numbers of other rows
    if missing.any():
        values = np.where(missing[:, None], np.nan, values)
    return values


def components(name: str, series: Series) -> list[tuple[str, Series]]:
    """Split a column of vectors into one column per component; return other columns unchanged."""
    values = read_vectors(series)
    if values is None:
        return [(name, series)]
    names = {f"{name}[{i}]": each for i, each in enumerate(values.T)}
    frame = make_frame(library_of(series), names)
    return [(each, frame[each]) for each in names]


def check_lengths(series: Series, lengths: pl.Series) -> int:
    """Return the common length of vectors; raise with the rows that have a different length."""
    usual = int(lengths.drop_nulls().mode().min() or 0)  # type: ignore[arg-type]
    others = np.flatnonzero(((lengths != usual) & lengths.is_not_null()).to_numpy())
    if not usual:
        msg = f"Vectors must have at least one number, but column {series.name!r} has empty ones."
        raise StratError(msg)
    if not len(others):
        return usual
    msg = (
        f"Vectors must have equal lengths, but in column {series.name!r} the length is not {usual}"
        f" in {describe_rows(others)}."
    )
    shown: dict[Hashable, Any] = {series.name: series}
    raise StratError(msg, failing_rows(library_of(series), shown, others))


# Keys ------------------------------------------------------------------------------------


def read_key(series: Any) -> KeyColumn:
    """Read a key column without missing values as the 64-bit words or the bytes to hash.

    The bytes depend on the values and not on how the values are stored: the width and the unit of
    the dtype, and the library, do not matter.

    - Integers, booleans and floats without a fraction are read as 8 bytes, and other floats as the
      8 bytes of a double.
    - Dates are read as days since 1970, datetimes as microseconds since 1970 (in UTC if they have
      a time zone), and times of day and durations as microseconds, each as 8 bytes. Any remaining
      nanoseconds are read as 8 more bytes.
    - Text and categories are read in UTF-8, binary values as they are, and UUIDs as the 16 bytes
      that Polars and Arrow store.
    - Decimals and integers beyond 64 bits are read as the text of their digits, without trailing
      zeros after the decimal point, unless they are whole numbers that fit into 8 bytes.
    """
    column = key_values(series)
    if column is None:
        with suppress(OverflowError):  # raised for infinite values
            if object_type(series) in ("decimal", "integer"):
                return key_of_exact(series.to_list())
        raise unordered_error(series)
    dtype = column.dtype
    if dtype in (pl.String, pl.Binary):
        return key_of_text(column)
    if dtype.is_float():
        return key_of_floats(to_floats(column))
    if isinstance(dtype, pl.Datetime | pl.Duration | pl.Time):
        unit = getattr(dtype, "time_unit", "ns")
        return key_of_times(column.to_physical().to_numpy(), unit)
    if dtype in WIDE_INTEGERS or dtype.is_decimal():
        return key_of_exact(column.to_list())
    return HashedWords(words_of(numbers_of(column)))


def read_group_key(series: Series) -> KeyColumn | None:
    """Read groups as a key, with intervals as text; return None if this is impossible."""
    try:
        return read_key(write_intervals(series))
    except StratError:
        return None


def key_values(series: Any) -> pl.Series | None:
    """Convert a key to a Polars series, and categories to text; return None if impossible."""
    column = to_polars(series)
    if column is None:
        check_objects(series)
        return None
    if is_nested(column.dtype):
        raise nested_error(series.name, series.dtype)
    if column.dtype in (pl.Categorical, pl.Enum):
        return column.cast(pl.String)
    return column


def key_of_exact(values: Sequence[Any]) -> KeyColumn:
    """Read decimals and wide integers as 8 bytes if they fit, and otherwise as text."""
    encoded = [exact_bytes(value) for value in values]
    offsets = np.append(0, np.cumsum([len(each) for each in encoded], dtype=np.int64))
    return HashedBytes(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)


def exact_bytes(value: Any) -> bytes:
    """Encode a number as 8 bytes, or as text without trailing zeros; raise if it is infinite."""
    if value == int(value) and -(2**63) <= value < 2**64:
        return (int(value) % 2**64).to_bytes(8, "little")
    digits = str(value) if isinstance(value, int) else format(value, "f")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return digits.encode()


def words_of(values: np.ndarray) -> Words:
    """View whole numbers as unsigned 64-bit words; negative numbers wrap around."""
    if values.dtype != np.uint64:
        values = values.astype(np.int64, copy=False)
    return np.ascontiguousarray(values).view(np.uint64)


def key_of_floats(values: np.ndarray) -> KeyColumn:
    """Read whole floats as integers so that 1.0 equals 1, and read the bits of other floats."""
    is_whole = (np.trunc(values) == values) & (np.abs(values) < 2.0**63)
    words = values.view(np.uint64).copy()
    words[is_whole] = values[is_whole].astype(np.int64).view(np.uint64)
    return HashedWords(words)


def key_of_times(values: Ints, unit: str) -> KeyColumn:
    """Read times as whole microseconds and, if there are any, the remaining nanoseconds."""
    if unit != "ns":
        return HashedWords(words_of(values * UNITS[unit]))
    microseconds, rest = np.divmod(values, 1000)
    return HashedWords(words_of(microseconds), words_of(rest) if rest.any() else None)


def key_of_text(series: pl.Series) -> KeyColumn:
    is_text = series.dtype == pl.String
    lengths = series.str.len_bytes() if is_text else series.bin.size()
    offsets = np.append(0, np.cumsum(lengths.to_numpy(), dtype=np.int64))
    data = np.empty(offsets[-1], dtype=np.uint8)
    for start in range(0, len(series), TEXT_BLOCK):
        block = series.slice(start, TEXT_BLOCK)
        if is_text:
            joined = block.str.join("").item().encode()
        else:
            joined = b"".join(block.to_list())
        end = min(start + TEXT_BLOCK, len(series))
        data[offsets[start] : offsets[end]] = np.frombuffer(joined, dtype=np.uint8)
    return HashedBytes(data, offsets)


def rank_key(series: Any, *, by_category: bool = False) -> Ints:
    """Rank the values of a key: numbers by value, text by code point, and dates by time.

    Equal values have the same rank, and no rank is skipped. Missing values have arbitrary ranks.
    With `by_category`, ordered categories have the ranks of their order, and some may be skipped.
    """
    if by_category and has_order(series):
        return category_codes(series)
    column = key_values(series)
    if column is None:
        try:
            if object_type(series) == "mixed-integer":
                raise TypeError  # pandas would sort integers before text
            codes: Ints = pd.factorize(series, sort=True)[0]
        except (TypeError, OverflowError) as error:
            raise unordered_error(series) from error
        return codes
    dtype = column.dtype
    if dtype in (pl.String, pl.Binary, *WIDE_INTEGERS) or dtype.is_decimal():
        check_threads()
        return (column.rank("dense").cast(pl.Int64) - 1).fill_null(0).to_numpy()
    values = numbers_of(column)
    return rank(np.where(is_missing(column), values.dtype.type(0), values))
