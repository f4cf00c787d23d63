"""A column -> codes of its classes: equal values share a code, missing values have -1.

Codes count up by first appearance, so that they depend on which rows are equal and on
nothing else: not on the library, the dtype, or the order of the values.
"""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.order import CHUNK
from ..core.strata import DENSE, factorize_codes, first_occurrence
from ..core.types import Ints, Values
from ..errors import StratError
from .dtypes import (
    WIDE,
    is_float,
    is_missing,
    is_nested,
    is_object,
    nested_error,
    object_type,
    to_floats,
)
from .libraries import Series

MIXED = {"mixed", "mixed-integer"}
"""Types that `infer_dtype` gives objects of several types."""

NESTED = (list, dict, set, tuple, bytearray, np.ndarray)
"""Python types that hold several values."""


def encode_classes(series: Series) -> tuple[Ints, int]:
    """Encode the classes of a column by first appearance, -1 where missing; and count them."""
    if is_float(series):
        return factorize(to_floats(series))
    if isinstance(series, pl.Series):
        return encode_polars(series)
    check_objects(series)
    if str(series.dtype) == "null[pyarrow]":
        # pandas 2 makes a class of what is missing here.
        return np.full(len(series), -1, dtype=np.int64), 0
    plain = isinstance(series.dtype, np.dtype) and series.dtype.kind in "iu"
    return factorize(series.to_numpy() if plain else series)


def encode_polars(series: pl.Series) -> tuple[Ints, int]:
    """Encode the classes of a Polars column that holds no floats."""
    if is_nested(series.dtype):
        raise nested_error(series.name, series.dtype)
    if not series.null_count():
        return encode_present(series)
    codes = np.full(len(series), -1, dtype=np.int64)
    present, n_classes = encode_present(series.drop_nulls())
    codes[~is_missing(series)] = present
    return codes, n_classes


def encode_present(series: pl.Series) -> tuple[Ints, int]:
    """Encode the classes of a Polars column without nulls."""
    series = series.alias("")  # Polars would read a name such as "^x$" as a pattern
    if series.dtype == pl.String:
        codes, n_codes = factorize(hash_values(series))
        if codes_match_values(series, codes, n_codes):
            return codes, n_codes
        series = series.cast(pl.Categorical)
    physical = series.to_physical()
    if not (physical.dtype.is_integer() or physical.dtype == pl.Boolean) or physical.dtype in WIDE:
        physical = series.rank("dense")
    return factorize(physical.to_numpy())


def hash_values(series: pl.Series) -> Values:
    """Hash every value of a Polars column to a uint64; unequal values may share a hash."""
    return series.hash().to_numpy()


def codes_match_values(series: pl.Series, codes: Ints, n_codes: int) -> bool:
    """Return whether all rows of every code have the same value."""
    classes = series.gather(first_occurrence(codes, n_codes))
    for start in range(0, len(series), CHUNK):
        expected = classes.gather(codes[start : start + CHUNK])
        if not (expected == series.slice(start, CHUNK)).all():
            return False
    return True


def factorize(values: Any) -> tuple[Ints, int]:
    """Encode an array or pandas column by first appearance, and count its classes."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and len(values):
        low, high = int(values.min()), int(values.max())
        low = 0 if low > 0 and high < DENSE else low
        if high - low < DENSE:
            # Whole numbers close together need no hash table.
            wide = values.astype(np.int64, copy=False) if values.dtype != np.uint64 else values
            shifted = wide - wide.dtype.type(low) if low else wide
            codes, present = factorize_codes(shifted.astype(np.int64, copy=False), high - low + 1)
            return codes, len(present)
    if isinstance(values.dtype, pd.ArrowDtype) and str(values.dtype).startswith("dictionary"):
        # Codes of a dictionary may stand for equal values, or for none.
        dictionary: Any = values
        values = dictionary.astype(pd.ArrowDtype(dictionary.dtype.pyarrow_dtype.value_type))
    codes, classes = pd.factorize(values)
    return codes, len(classes)


def check_objects(series: pd.Series) -> None:
    """Raise if a pandas column is nested, or holds equal values of different types."""
    if isinstance(series.dtype, pd.ArrowDtype):
        if any(word in str(series.dtype) for word in ("list", "struct", "map")):
            raise nested_error(series.name, series.dtype)
        return
    if not is_object(series.dtype) or object_type(series) not in MIXED:
        return
    values = series.dropna()
    types = values.map(type)
    for each in types.unique():
        if issubclass(each, NESTED):
            raise nested_error(series.name, each.__name__)
    codes, n_values = factorize(values)
    type_codes, type_classes = pd.factorize(types)
    n_pairs = len(np.unique(codes * len(type_classes) + type_codes))
    if n_pairs > n_values:
        names = ", ".join(sorted(each.__name__ for each in type_classes))
        msg = (
            f"Column {series.name!r} mixes types whose values compare equal: {names}."
            "\nHint: cast it to one type."
        )
        raise StratError(msg)
