"""One column of either library -> arrays: codes of classes, numbers, ranks."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ..core.order import CHUNK
from ..core.strata import first_occurrence
from ..core.types import Ints, Values
from ..errors import StratError
from .dtypes import WIDE, is_float, is_missing, is_object, to_floats

MIXED = {"mixed", "mixed-integer"}
"""What it calls object columns whose values are of several kinds."""


NESTED = (list, dict, set, tuple, bytearray, np.ndarray)


def encode_classes(series: Any) -> tuple[Ints, int]:
    """Give numbers to the classes of a column by first appearance.

    Returns
    -------
    codes : ndarray of int64, shape (n_rows,), range -1..n_classes-1
        -1 where the value is missing.
    """
    if is_float(series):
        codes, classes = pd.factorize(to_floats(series))
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
        raise nested_error(series.name, series.dtype)
    known = series.drop_nulls() if series.null_count() else series
    codes, n_classes = encode_known(known)
    if len(known) < len(series):
        spread = np.full(len(series), -1, dtype=np.int64)
        spread[~is_missing(series)] = codes
        codes = spread
    return codes, n_classes


def encode_known(series: pl.Series) -> tuple[Ints, int]:
    """Give numbers to the classes of a Polars column without nulls.

    Text is told apart by its hashes, which are checked against the text itself.
    """
    if series.dtype == pl.String:
        codes, classes = pd.factorize(hash_values(series))
        if codes_match_values(series, codes, len(classes)):
            return codes, len(classes)
        series = series.cast(pl.Categorical)
    physical = series.to_physical()
    if not (physical.dtype.is_integer() or physical.dtype == pl.Boolean) or physical.dtype in WIDE:
        physical = series.rank("dense")
    codes, classes = pd.factorize(physical.to_numpy())
    return codes, len(classes)


def hash_values(series: pl.Series) -> Values:
    """Hash every value of a Polars column; different values may have one hash.

    Returns
    -------
    ndarray of uint64, shape (n_rows,)
    """
    return series.hash().to_numpy()


def codes_match_values(series: pl.Series, codes: Ints, n_codes: int) -> bool:
    """Say whether all rows of every code have one value."""
    classes = series.gather(first_occurrence(codes, n_codes))
    for start in range(0, len(series), CHUNK):
        part = classes.gather(codes[start : start + CHUNK])
        if not (part == series.slice(start, CHUNK)).all():
            return False
    return True


def nested_error(name: object, kind: object) -> StratError:
    """Make the error for columns of lists and the like."""
    return StratError(f"A column must hold single values, but {name!r} is {kind}.")


def check_objects(series: Any) -> None:
    """Refuse Python objects that are nested, or equal though of different types."""
    if isinstance(series.dtype, pd.ArrowDtype):
        if any(word in str(series.dtype) for word in ("list", "struct", "map")):
            raise nested_error(series.name, series.dtype)
        return
    if not is_object(series.dtype):
        return
    if pd.api.types.infer_dtype(series, skipna=True) not in MIXED:
        return
    known = series.dropna()
    kinds = known.map(type)
    for kind in kinds.unique():
        if issubclass(kind, NESTED):
            raise nested_error(series.name, kind.__name__)
    codes, classes = pd.factorize(known)
    kind_codes, kind_classes = pd.factorize(kinds)
    if len(np.unique(codes * len(kind_classes) + kind_codes)) > len(classes):
        types = ", ".join(sorted(kind.__name__ for kind in kind_classes))
        msg = (
            f"Column {series.name!r} mixes types that cannot be told apart: {types}."
            "\nHint: cast it to one type."
        )
        raise StratError(msg)
