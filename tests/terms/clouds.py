"""Rows in clouds, the deal round the folds of papers, and which rows are of one group."""

from typing import Any

import numpy as np
import pandas as pd

import stratframe as sf

FEATURE_ROWS: dict[str, Any] = {"label": ["a", "b"] * 5, "x": [n + 0.5 for n in range(10)]}
FEATURE_ROWS |= {"y": [n * n for n in range(10)]}
FEATURES = ["x", "y", "z"]


def cloud(n: int = 200, seed: int = 3) -> dict[str, Any]:
    """Rows of three classes in no order, each round centres of its own."""
    drawn = np.random.default_rng(seed)
    label = drawn.integers(0, 3, n)
    centre = drawn.integers(0, 4, n) * 3 + label
    points = centre[:, None] * [1.0, -2.0, 0.5] + drawn.normal(size=(n, 3))
    columns = {name: points[:, place].tolist() for place, name in enumerate(FEATURES)}
    return {"id": list(range(n)), "label": [f"c{code}" for code in label], **columns}


def points_of(data: dict[str, Any]) -> np.ndarray:
    return np.column_stack([data[name] for name in FEATURES])


def round_robin(rows: list[int], k: int) -> list[int]:
    return [turn % k for turn in np.argsort(rows).tolist()]


def groups_of(frame: Any, groups: Any) -> list[int]:
    """List the group of every row, as `leaks` finds them of rows that all have their own fold."""
    n = len(frame)
    named = sf.leaks(frame.with_columns(fold=np.arange(n)), groups=groups, duplicates=None)
    found = dict(enumerate(range(n))) | {row: n + own for own, row in named["set", "row"].rows()}
    return list(found.values())


def same_partition(one: Any, other: Any) -> bool:
    return bool((pd.factorize(np.asarray(one))[0] == pd.factorize(np.asarray(other))[0]).all())


def rows_by_value(values: list[Any]) -> list[list[int]]:
    found: dict[Any, list[int]] = {}
    for row, value in enumerate(values):
        found.setdefault(value, []).append(row)
    return list(found.values())
