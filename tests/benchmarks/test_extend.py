"""Extending."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import stratframe as sf

from .data import LIBRARIES, frame_of, labels
from .measure import race, take

ROWS = 1_000_000


@pytest.mark.parametrize("library", LIBRARIES)
def test_time_against_kfold(benchmark: Any, library: str) -> None:
    """A tenth of 1,000,000 rows of ten classes gets folds, against a deal of all of them."""
    label = np.random.default_rng(0).choice(10, ROWS, p=np.arange(1, 11) / 55)
    fold = frame_of(library, label=label).strat.kfold("label")["fold"].to_numpy().astype(float)
    fold[-ROWS // 10 :] = np.nan
    given = frame_of(library, label=label, fold=fold)
    plain = frame_of(library, label=label)
    race(benchmark, lambda: sf.extend(given, "label"), lambda: plain.strat.kfold("label"))


@pytest.mark.parametrize("n", [100, 3, 10], ids=["100 folds", "3 parts", "10 parts"])
def test_many_strata(benchmark: Any, n: int) -> None:
    """100,000 strata and 100 folds, or parts of unequal shares; a tenth of the rows has none."""
    rows = 2 * ROWS
    label = labels(100_000, rows)
    folds = labels(n, rows, seed=0)
    folds[::10] = -1
    names = [f"part {i}" for i in range(n)]
    parts = {name: 2 * (i + 1) / (n * (n + 1)) for i, name in enumerate(names)}
    fold = np.where(folds < 0, np.nan, folds)
    split = pd.Categorical.from_codes(folds, names)
    given = pd.DataFrame({"label": label, "fold": fold, "split": split})
    options: dict[str, Any] = {"k": n} if n == 100 else {"parts": parts, "name": "split"}
    take(benchmark, lambda: sf.extend(given, "label", rare="ignore", **options), 8, 3)
