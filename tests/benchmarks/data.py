"""Frames to measure on."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import stratframe  # noqa: F401 - gives frames their `.strat`

ROWS = 5_000_000

LIBRARIES = ["pandas", "polars"]


def labels(n_classes: int, rows: int = ROWS, dtype: str = "int64", seed: int = 1) -> np.ndarray:
    """Draw a label for every row."""
    drawn = np.random.default_rng(seed).integers(0, n_classes, rows)
    return drawn.astype(dtype, copy=False)


def texts(n_classes: int) -> np.ndarray:
    """Draw a string label for every row: an array of `str` objects."""
    names = np.array([f"class {i}" for i in range(n_classes)], dtype=object)
    return names[labels(n_classes)]


def frame_of(library: str, **columns: np.ndarray) -> Any:
    """Make a frame of numpy columns; strings get the library's own string type."""
    if library == "polars":
        return pl.DataFrame(columns)
    frame = pd.DataFrame(columns)
    return frame.astype({name: "str" for name in frame if frame[name].dtype == object})


def two_columns(library: str) -> Any:
    """Make a frame of two columns with 100,000 joint strata of about 50 rows."""
    return frame_of(library, a=labels(100, seed=2), b=labels(1_000, seed=3))
