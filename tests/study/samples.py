"""Small populations and counting strategies for the tests of `sf.study`."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl

FEATURES = ["x", "y"]
STOP_AT: list[int] = []
CALLS: list[int] = []
"""Seeds of the calls of strategies; those name only this module, so that they stay the same."""


def population(n_rows: int = 120, seed: int = 0) -> pd.DataFrame:
    drawn = np.random.default_rng(seed)
    label = drawn.random(n_rows) < 0.3
    points = drawn.normal(size=(n_rows, 2)) + label[:, None]
    return pd.DataFrame(points, columns=FEATURES).assign(
        label=np.where(label, "yes", "no"), price=points.sum(axis=1) + drawn.normal(size=n_rows)
    )


def to_library(frame: pd.DataFrame, library: str) -> Any:
    if library == "pandas":
        return frame
    copy = pl.DataFrame(frame.to_dict("list"))
    return copy.lazy() if library == "lazy" else copy


def results(frame: Any) -> pd.DataFrame:
    if isinstance(frame, pl.DataFrame):
        frame = pd.DataFrame(frame.to_dict(as_series=False))
    return frame.drop(columns=["seconds", "fold_seconds"])
