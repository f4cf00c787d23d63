"""Frames of 5,000 columns against frames of 500: the time of a column is the same."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratframe as sf

from .data import frame_of
from .measure import interleaved, reach

ROWS, FEW, MANY = 200, 500, 5_000


def features(n: int) -> list[str]:
    """Name the features of a frame."""
    return [f"x{place}" for place in range(n)]


def wide(kind: str, n: int) -> Any:
    """Make a frame of many features, and a fold column."""
    drawn = np.random.default_rng(0).normal(size=(n, ROWS))
    columns = dict(zip(features(n), drawn, strict=True)) | {"fold": np.arange(ROWS) % 5}
    frame = frame_of("pandas" if kind == "pandas" else "polars", **columns)
    return frame.lazy() if kind == "lazy" else frame


def collected(frame: Any) -> Any:
    """Collect a lazy frame."""
    return frame.collect() if hasattr(frame, "collect") else frame


CALLS: dict[str, Callable[[Any, list[str]], Any]] = {
    "nearest": lambda df, names: collected(sf.kfold(df, sf.nearest(names), name="new")),
    "clusters": lambda df, names: collected(sf.kfold(df, sf.clusters(names, 3), name="new")),
    "check": lambda df, names: sf.check(df, duplicates=names),
    "leaks": lambda df, names: sf.leaks(df, duplicates=names),
    "drift": lambda df, names: sf.drift(df, names),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy"])
def test_time_of_a_column(benchmark: Any, kind: str, call: str) -> None:
    """A column of 5,000 takes at most 1.5 times as long as a column of 500."""
    few, many = wide(kind, FEW), wide(kind, MANY)
    ratio = interleaved(
        benchmark,
        lambda: CALLS[call](many, features(MANY)),
        lambda: CALLS[call](few, features(FEW)),
        rounds=3,
    )
    reach(benchmark, ratio * FEW / MANY, "x the time of a column", at_most=1.5)
