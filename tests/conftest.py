"""Fixtures: every kind of frame that the contract names."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import settings

import stratframe as sf  # noqa: F401 - registers .strat

settings.register_profile("stratframe", deadline=None, max_examples=25, derandomize=True)
settings.load_profile("stratframe")

KINDS = ["pandas", "pandas-nullable", "pandas-pyarrow", "polars", "polars-lazy"]


def make(kind: str, data: dict[str, Any]) -> Any:
    """Make a frame of a kind from columns of Python values; None is missing."""
    if kind == "polars":
        return pl.DataFrame(data, strict=False)
    if kind == "polars-lazy":
        return pl.LazyFrame(data, strict=False)
    frame = pd.DataFrame(data)
    if kind == "pandas":
        return frame
    backend = "numpy_nullable" if kind == "pandas-nullable" else "pyarrow"
    with np.errstate(invalid="ignore"):  # pandas 2.2 casts infinities to see if they are whole
        return frame.convert_dtypes(dtype_backend=backend)


def eager(frame: Any) -> Any:
    """Collect a lazy frame; others stay."""
    return frame.collect() if isinstance(frame, pl.LazyFrame) else frame


def values(frame: Any, column: str) -> list[Any]:
    """List a column of any frame, None where missing."""
    found = eager(frame)[column]
    items = found.to_list() if isinstance(found, pl.Series) else found.astype(object).tolist()
    return [None if item is None or item is pd.NA or item != item else item for item in items]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of frame."""
    return str(request.param)


@pytest.fixture
def frame(kind: str) -> Callable[[dict[str, Any]], Any]:
    """Make a frame of the kind under test."""
    return lambda data: make(kind, data)
