"""New rows beside old folds."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import stratframe as sf

from .data import LIBRARIES, frame_of
from .measure import interleaved, reach

ROWS = 1_000_000


def drawn(rows: int, seed: int) -> pd.DataFrame:
    """Draw rows of ten classes of unequal sizes."""
    shares = np.arange(1, 11) / 55
    return pd.DataFrame({"label": np.random.default_rng(seed).choice(10, rows, p=shares)})


def spread(label: pd.Series, fold: pd.Series) -> int:
    """The largest difference of a class's counts between folds."""
    counts = pd.crosstab(label, fold)
    return int((counts.max(axis=1) - counts.min(axis=1)).max())


def test_appends_stay_even(benchmark: Any) -> None:
    """After each of five appends of a tenth every class is within 1; no old row moves."""
    worst: list[int] = []

    def append() -> None:
        for seed in range(20):
            frame = drawn(1_000, seed).strat.kfold("label", k=5)
            for step in range(5):
                more = drawn(len(frame) // 10, 100 * seed + step)
                grown = pd.concat([frame, more], ignore_index=True).strat.extend("label")
                assert grown["fold"].iloc[: len(frame)].equals(frame["fold"])
                worst.append(spread(grown["label"], grown["fold"]))
                frame = grown

    benchmark.pedantic(append, rounds=1)
    reach(benchmark, max(worst), "rows", at_most=1)


@pytest.mark.parametrize("library", LIBRARIES)
def test_time_against_kfold(benchmark: Any, library: str) -> None:
    """A tenth of 1,000,000 rows gets its folds, against a deal of all of them."""
    label = drawn(ROWS, 0)["label"].to_numpy()
    fold = frame_of(library, label=label).strat.kfold("label")["fold"].to_numpy().astype(float)
    fold[-ROWS // 10 :] = np.nan
    given, plain = frame_of(library, label=label, fold=fold), frame_of(library, label=label)
    ratio = interleaved(
        benchmark, lambda: sf.extend(given, "label"), lambda: plain.strat.kfold("label")
    )
    reach(benchmark, ratio, "x the time")


def rows_to_extend(n_folds: int, n_strata: int = 100_000) -> tuple[np.ndarray, np.ndarray]:
    """Draw labels and folds, a tenth of them missing (-1)."""
    random = np.random.default_rng(0)
    folds = random.integers(0, n_folds, 2 * ROWS)
    folds[::10] = -1
    return random.integers(0, n_strata, 2 * ROWS), folds


def test_many_strata_and_folds(benchmark: Any) -> None:
    """100,000 strata and 100 folds, where each stratum has open folds of its own."""
    label, folds = rows_to_extend(100)
    given = frame_of("pandas", label=label, fold=np.where(folds < 0, np.nan, folds))
    benchmark.pedantic(lambda: sf.extend(given, "label", 100, rare="ignore"), rounds=3)
    reach(benchmark, benchmark.stats.stats.median, "s", at_most=8)


@pytest.mark.parametrize("n_parts", [3, 10])
def test_parts_of_many_strata(benchmark: Any, n_parts: int) -> None:
    """Parts of unequal shares in 100,000 strata."""
    label, folds = rows_to_extend(n_parts)
    names = [f"part {i}" for i in range(n_parts)]
    split = pd.Categorical.from_codes(folds, names)
    given = pd.DataFrame({"label": label, "split": split})
    total = n_parts * (n_parts + 1) / 2
    parts = {name: (i + 1) / total for i, name in enumerate(names)}
    benchmark.pedantic(
        lambda: sf.extend(given, "label", parts=parts, name="split", rare="ignore"), rounds=3
    )
    reach(benchmark, benchmark.stats.stats.median, "s", at_most=8)
