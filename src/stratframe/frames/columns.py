"""One column of either library -> arrays: codes of classes, numbers, ranks."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.order import CHUNK
from ..core.strata import first_rows
from ..core.types import Flags, Ints, Values
from ..errors import StratError

FLOATS = {"floating", "mixed-integer-float"}
"""What `infer_dtype` calls object columns of numbers that may have fractions."""

MIXED = {"mixed", "mixed-integer"}
"""What it calls object columns whose values are of several kinds."""


NESTED = (list, dict, set, tuple, bytearray, np.ndarray)


def missing(series: Any) -> Flags:
    """Flag the rows that are null or NaN.

    Returns
    -------
    ndarray of bool, shape (n_rows,)
    """
    if isinstance(series, pd.Series):
        flags: Flags = np.asarray(series.isna(), dtype=np.bool_)
        if isinstance(series.dtype, pd.ArrowDtype | pd.Float64Dtype | pd.Float32Dtype):
            # A NaN inside a nullable float is not NA to pandas; to us it is missing.
            kind = pd.api.types.is_float_dtype(series.dtype)
            return flags | np.isnan(floats(series)) if kind else flags
        return flags
    gaps = series.is_null()
    gaps = gaps | series.is_nan().fill_null(True) if series.dtype.is_float() else gaps
    return np.asarray(gaps.to_numpy(), dtype=np.bool_)


def is_object(dtype: Any) -> bool:
    """Say whether a pandas dtype is that of Python objects."""
    return isinstance(dtype, np.dtype) and dtype.kind == "O"


def is_float(series: Any) -> bool:
    """Say whether a column holds floats."""
    if isinstance(series, pl.Series):
        return series.dtype.is_float()
    if is_object(series.dtype):
        return pd.api.types.infer_dtype(series, skipna=True) in FLOATS
    return pd.api.types.is_float_dtype(series.dtype)


def is_decimal(series: Any) -> bool:
    """Say whether a column holds decimals, which are exact."""
    if isinstance(series, pl.Series):
        return series.dtype.is_decimal()
    if is_object(series.dtype):
        return pd.api.types.infer_dtype(series, skipna=True) == "decimal"
    return isinstance(series.dtype, pd.ArrowDtype) and "decimal" in str(series.dtype)


def is_continuous(series: Any) -> bool:
    """Say whether a column holds any fraction."""
    return (is_float(series) or is_decimal(series)) and has_fractions(floats(series))


def has_fractions(values: Values) -> bool:
    """Say whether any number has a fraction; NaN and infinities have none.

    Parameters
    ----------
    values : ndarray of float64, shape (n_rows,)
    """
    for start in range(0, len(values), CHUNK):
        part = values[start : start + CHUNK]
        if ((np.trunc(part) != part) & ~np.isnan(part)).any():
            return True
    return False


def floats(series: Any) -> Values:
    """Read numbers as float64, NaN where they are missing.

    Returns
    -------
    ndarray of float64, shape (n_rows,)
    """
    if isinstance(series, pl.Series):
        return series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if isinstance(series.dtype, np.dtype) and not is_object(series.dtype):
        return np.asarray(series, dtype=np.float64)
    if is_object(series.dtype):
        series = series.where(series.notna(), np.nan).astype("float64")
    if isinstance(series.dtype, pd.ArrowDtype):
        series = series.astype("Float64")
    values: Values = series.to_numpy(dtype=np.float64, na_value=np.nan)
    return values


def encode(series: Any) -> tuple[Ints, int]:
    """Give numbers to the classes of a column by first appearance.

    Returns
    -------
    codes : ndarray of int64, shape (n_rows,), range -1..n_classes-1
        -1 where the value is missing.
    """
    if is_float(series):
        codes, classes = pd.factorize(floats(series))
    elif isinstance(series, pl.Series):
        return encode_polars(series)
    else:
        check_objects(series)
        codes, classes = pd.factorize(series)
        if str(series.dtype) == "null[pyarrow]":  # one missing class to pandas 2
            return np.full(len(series), -1, dtype=np.int64), 0
    return codes, len(classes)


def encode_polars(series: pl.Series) -> tuple[Ints, int]:
    """Give numbers to the classes of a Polars column, which has no fractions."""
    if series.dtype.is_nested() or series.dtype == pl.Object:
        raise nested(series.name, series.dtype)
    known = series.drop_nulls() if series.null_count() else series
    codes, n_classes = encode_known(known)
    if len(known) < len(series):
        spread = np.full(len(series), -1, dtype=np.int64)
        spread[~missing(series)] = codes
        codes = spread
    return codes, n_classes


def encode_known(series: pl.Series) -> tuple[Ints, int]:
    """Give numbers to the classes of a Polars column without nulls.

    Text is told apart by its hashes, which are checked against the text itself.
    """
    if series.dtype == pl.String:
        codes, classes = pd.factorize(hashes(series))
        if are_classes(series, codes, len(classes)):
            return codes, len(classes)
        series = series.cast(pl.Categorical)
    physical = series.to_physical()
    if not (physical.dtype.is_integer() or physical.dtype == pl.Boolean) or physical.dtype in WIDE:
        physical = series.rank("dense")
    codes, classes = pd.factorize(physical.to_numpy())
    return codes, len(classes)


def hashes(series: pl.Series) -> Values:
    """Hash every value of a Polars column; different values may have one hash.

    Returns
    -------
    ndarray of uint64, shape (n_rows,)
    """
    return series.hash().to_numpy()


def are_classes(series: pl.Series, codes: Ints, n_codes: int) -> bool:
    """Say whether all rows of every code have one value."""
    classes = series.gather(first_rows(codes, n_codes))
    for start in range(0, len(series), CHUNK):
        part = classes.gather(codes[start : start + CHUNK])
        if not (part == series.slice(start, CHUNK)).all():
            return False
    return True


WIDE = tuple(getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name))
"""Integers that numpy does not have."""


def nested(name: object, kind: object) -> StratError:
    """Make the error for columns of lists and the like."""
    return StratError(f"A column must hold single values, but {name!r} is {kind}.")


def check_objects(series: Any) -> None:
    """Refuse Python objects that are nested, or equal though of different types."""
    if isinstance(series.dtype, pd.ArrowDtype):
        if any(word in str(series.dtype) for word in ("list", "struct", "map")):
            raise nested(series.name, series.dtype)
        return
    if not is_object(series.dtype):
        return
    if pd.api.types.infer_dtype(series, skipna=True) not in MIXED:
        return
    known = series.dropna()
    kinds = known.map(type)
    for kind in kinds.unique():
        if issubclass(kind, NESTED):
            raise nested(series.name, kind.__name__)
    codes, classes = pd.factorize(known)
    kind_codes, kind_classes = pd.factorize(kinds)
    if len(np.unique(codes * len(kind_classes) + kind_codes)) > len(classes):
        types = ", ".join(sorted(kind.__name__ for kind in kind_classes))
        msg = (
            f"Column {series.name!r} mixes types that cannot be told apart: {types}."
            "\nHint: cast it to one type."
        )
        raise StratError(msg)
