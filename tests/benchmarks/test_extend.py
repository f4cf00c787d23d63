"""New rows beside old folds."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import stratframe as sf

from .data import LIBRARIES, frame_of, labels
from .measure import find, race, reach, take

ROWS = 1_000_000


def drawn(rows: int, seed: int) -> pd.DataFrame:
    """Draw rows of ten classes of unequal sizes."""
    shares = np.arange(1, 11) / 55
    return pd.DataFrame({"label": np.random.default_rng(seed).choice(10, rows, p=shares)})


def worst_spread() -> int:
    """Append a tenth five times to 20 frames; find the largest difference of a class's counts."""
    worst = 0
    for seed in range(20):
        frame = drawn(1_000, seed).strat.kfold("label", k=5)
        for step in range(5):
            more = drawn(len(frame) // 10, 100 * seed + step)
            grown = pd.concat([frame, more], ignore_index=True).strat.extend("label")
            assert grown["fold"].iloc[: len(frame)].equals(frame["fold"])
            counts = pd.crosstab(grown["label"], grown["fold"]).to_numpy()
            worst, frame = max(worst, int(np.ptp(counts, axis=1).max())), grown
    return worst


def test_appends_stay_even(benchmark: Any) -> None:
    """After each of five appends of a tenth every class is within 1; no old row moves."""
    reach(benchmark, find(benchmark, worst_spread)[0], "rows", at_most=1)


@pytest.mark.parametrize("library", LIBRARIES)
def test_time_against_kfold(benchmark: Any, library: str) -> None:
    """A tenth of 1,000,000 rows gets its folds, against a deal of all of them."""
    label = drawn(ROWS, 0)["label"].to_numpy()
    fold = frame_of(library, label=label).strat.kfold("label")["fold"].to_numpy().astype(float)
    fold[-ROWS // 10 :] = np.nan
    given, plain = frame_of(library, label=label, fold=fold), frame_of(library, label=label)
    race(benchmark, lambda: sf.extend(given, "label"), lambda: plain.strat.kfold("label"))


@pytest.mark.parametrize("n", [100, 3, 10])
def test_many_strata(benchmark: Any, n: int) -> None:
    """100,000 strata and 100 folds, or parts of unequal shares; a tenth of the rows has none."""
    rows = 2 * ROWS
    label, folds = labels(100_000, rows), labels(n, rows, seed=0)
    folds[::10] = -1
    names = [f"part {i}" for i in range(n)]
    parts = {name: 2 * (i + 1) / (n * (n + 1)) for i, name in enumerate(names)}
    fold, split = np.where(folds < 0, np.nan, folds), pd.Categorical.from_codes(folds, names)
    given = pd.DataFrame({"label": label, "fold": fold, "split": split})
    options: dict[str, Any] = {"k": n} if n == 100 else {"parts": parts, "name": "split"}
    take(benchmark, lambda: sf.extend(given, "label", rare="ignore", **options), 8, 3)
