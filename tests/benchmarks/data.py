"""Frames to measure on, and peers."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import stratframe  # noqa: F401 - gives frames their `.strat`

ROWS = 5_000_000

LIBRARIES = ["pandas", "polars"]


def labels(n_classes: int, rows: int = ROWS, dtype: str = "int64", seed: int = 1) -> np.ndarray:
    """Draw a label for every row."""
    return np.random.default_rng(seed).integers(0, n_classes, rows, dtype)


def texts(n_classes: int) -> np.ndarray:
    """Draw a string label for every row: an array of `str` objects."""
    names = np.array([f"class {i}" for i in range(n_classes)], dtype=object)
    return names[labels(n_classes)]


def normal(rows: int = ROWS, seed: int = 4) -> np.ndarray:
    """Draw normal values."""
    return np.random.default_rng(seed).normal(size=rows)


def frame_of(library: str, **columns: np.ndarray) -> Any:
    """Make a frame of numpy columns; strings get the library's own string type."""
    if library != "pandas":
        frame = pl.DataFrame(columns)
        return frame.lazy() if library == "lazy" else frame
    frame = pd.DataFrame(columns)
    return frame.astype({name: "str" for name in frame if frame[name].dtype == object})


def two_columns(library: str) -> Any:
    """Make a frame of two columns with 100,000 joint strata of about 50 rows."""
    return frame_of(library, a=labels(100, seed=2), b=labels(1_000, seed=3))


def fill(splitter: Any, y: Any, groups: Any = None) -> np.ndarray:
    """Fill a fold column from a splitter of scikit-learn."""
    fold = np.empty(len(y), dtype=np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, (_, test) in enumerate(splitter.split(fold, y, groups)):
            fold[test] = i
    return fold
