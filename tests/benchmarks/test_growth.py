"""How the time for a row grows with the rows, for every verb."""

from collections.abc import Callable
from itertools import pairwise
from time import process_time
from typing import Any

import numpy as np
import pytest

import stratframe as sf

from .data import LIBRARIES, frame_of

SIZES = (10_000, 100_000, 1_000_000)

MOST = 15.0
"""Times that ten times the rows may take."""

LEAST_SECONDS = 0.01
"""Below it a call is no measure of its rows."""

X = ["x1", "x2"]

SLOW = ("nearest", "chain")
"""Measured up to 100,000 rows."""

CALLS: dict[str, Callable[[Any], object]] = {
    "kfold": lambda df: sf.kfold(df, "label", name="new"),
    "kfold key": lambda df: sf.kfold(df, "label", key="id", name="new"),
    "kfold groups": lambda df: sf.kfold(df, "label", groups="group", name="new"),
    "continuous": lambda df: sf.kfold(df, sf.continuous("x1"), name="new"),
    "quantiles": lambda df: sf.kfold(df, sf.quantiles("x1", 10), name="new"),
    "margins": lambda df: sf.kfold(df, sf.margins(["label", "tag"]), name="new"),
    "clusters": lambda df: sf.kfold(df, sf.clusters(X, 5), name="new"),
    "nearest": lambda df: sf.kfold(df, sf.nearest(X), name="new"),
    "chain": lambda df: sf.kfold(df, sf.chain(X), name="new"),
    "split": lambda df: sf.split(df, "label", 0.2),
    "extend": lambda df: sf.extend(df, "label", 5, name="given"),
    "sample": lambda df: sf.sample(df, "label", frac=0.1),
    "folds": lambda df: sum(len(each.train) for each in sf.folds(df)),
    "parts": lambda df: sf.parts(df, "fold"),
    "cv": lambda df: list(sf.cv(df)),
    "plan": lambda df: sf.plan(df, "label"),
    "advise": lambda df: sf.advise(df, "label"),
    "check": lambda df: sf.check(df, "label", groups="group", duplicates=None),
    "check duplicates": lambda df: sf.check(df, "label"),
    "balance": lambda df: sf.balance(df, "label"),
    "report": lambda df: sf.report(df, "label"),
    "compare": lambda df: sf.compare(df, "label", "fold"),
    "drift": lambda df: sf.drift(df, X),
    "leaks": lambda df: sf.leaks(df, groups="group"),
}


def frame(library: str, rows: int) -> Any:
    """Make a frame of labels, groups of ten rows, ids, features and folds."""
    drawn = np.random.default_rng(0)
    given = drawn.integers(0, 5, rows).astype(float)
    given[::10] = np.nan
    columns = {
        "label": drawn.integers(0, 5, rows),
        "tag": drawn.integers(0, 3, rows),
        "group": drawn.integers(0, rows // 10, rows),
        "id": np.arange(rows),
        "fold": drawn.integers(0, 5, rows),
        "given": given,
    }
    return frame_of(library, **columns, **{name: drawn.normal(size=rows) for name in X})


def least_seconds(call: Callable[[Any], object], df: Any) -> float:
    """Time a call on the processor, the fastest of four, or a long one once."""
    times: list[float] = []
    while len(times) < 4 and sum(times) < 1:
        start = process_time()
        call(df)
        times.append(process_time() - start)
    return min(times)


@pytest.mark.parametrize("library", LIBRARIES)
def test_growth(library: str) -> None:
    """Ten times the rows take at most 15 times as long; the table has nanoseconds a row."""
    frames = {rows: frame(library, rows) for rows in SIZES}
    too_slow = []
    print(f"\n{library:18}" + "".join(f"{rows:>12,}" for rows in SIZES))
    for name, call in CALLS.items():
        call(frames[SIZES[0]])  # imports are no cost of rows
        measured = SIZES[: 2 if name in SLOW else 3]
        times = [least_seconds(call, frames[rows]) for rows in measured]
        figures = [1e9 * each / rows for each, rows in zip(times, measured, strict=True)]
        print(f"{name:18}" + "".join(f"{each:12,.0f}" for each in figures))
        grown = [b / max(a, LEAST_SECONDS) for a, b in pairwise(times)]
        if max(grown) > MOST:
            too_slow.append((name, [round(each, 1) for each in grown]))
    assert too_slow == []
