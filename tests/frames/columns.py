"""Columns of pandas and Polars in dtypes of every kind."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa

Column = Callable[[list[Any]], Any]
"""Makes a column "x" of the kind under test, as the fixture `column` does."""
NAN = float("nan")


def of_objects(*values: Any) -> pd.Series:
    return pd.Series(values, name="x", dtype=object)


def of_arrow(values: list[Any], dtype: pa.DataType) -> pd.Series:
    return pd.Series(values, name="x", dtype=pd.ArrowDtype(dtype))


def of_types(make: Any, values: Any, *dtypes: Any) -> list[Any]:
    return [make(values, dtype=dtype).rename("x") for dtype in dtypes]
