"""Small result frames: made, extended, and listed row by row."""

from collections.abc import Hashable, Sequence
from typing import Any

import pandas as pd
import polars as pl

from ..core.types import Flags, Values
from .library import EagerFrame


def make_frame(library: str, columns: dict[Hashable, Any]) -> Any:
    """Make a frame of the caller's library."""
    if library == "polars":
        return pl.DataFrame({str(name): values for name, values in columns.items()})
    arrays = {
        name: values.reset_index(drop=True) if isinstance(values, pd.Series) else values
        for name, values in columns.items()
    }
    if all(isinstance(name, str) for name in arrays):
        return pd.DataFrame(arrays)
    # pandas would turn tuples into a MultiIndex, and None into NaN.
    frame = pd.DataFrame(dict(enumerate(arrays.values())))
    frame.columns = pd.Index(list(arrays), dtype=object, tupleize_cols=False)
    return frame


def float_column(library: str, values: Values) -> Any:
    """Make a column of floats, NaN as the missing value of the library."""
    return pl.Series(values, nan_to_null=True) if library == "polars" else values


def add_columns_of(frame: pl.DataFrame, other: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Add some columns of another frame of the same height."""
    return frame.with_columns(other.select(names).get_columns())


def fill_column_of(
    frame: pl.DataFrame, other: pl.DataFrame, name: str, missing: Flags
) -> pl.DataFrame:
    """Fill a column of text where values are missing, from another frame of the same height."""
    new = other.get_column(name).cast(pl.String)
    flags = pl.Series(missing)
    return frame.with_columns(pl.when(flags).then(new).otherwise(pl.col(name)).alias(name))


def to_dicts(frame: EagerFrame) -> list[dict[Any, Any]]:
    """List the rows of a frame as dicts."""
    return frame.to_dicts() if isinstance(frame, pl.DataFrame) else frame.to_dict("records")
