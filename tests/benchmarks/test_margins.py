"""Many labels at once against iterative stratification."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold

import stratframe as sf
from stratframe.terms.by import parse_by

from .data import frame_of
from .measure import interleaved, reach

CASES = [(50_000, 20), (10_000, 100)]


def labels(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    """Draw sparse labels, each at a rate from Beta(0.5, 5)."""
    drawn = np.random.default_rng(seed)
    return (drawn.random((rows, columns)) < drawn.beta(0.5, 5, columns)).astype(np.int8)


def ours(made: np.ndarray) -> Callable[[], np.ndarray]:
    """Make the call that balances all labels."""
    names = [f"y{place}" for place in range(made.shape[1])]
    columns = {name: made[:, place].copy() for place, name in enumerate(names)}
    frame = frame_of("pandas", **columns)
    return lambda: frame.strat.kfold(sf.margins(names))["fold"].to_numpy()


def peer(made: np.ndarray) -> Callable[[], np.ndarray]:
    """Make the peer that fills a fold column from `MultilabelStratifiedKFold`."""
    rows = np.zeros(len(made))

    def fill() -> np.ndarray:
        fold = np.empty(len(made), dtype=np.int64)
        stratifier = MultilabelStratifiedKFold(5, shuffle=True, random_state=0)
        for i, (_, test) in enumerate(stratifier.split(rows, made)):
            fold[test] = i
        return fold

    return fill


def spreads(made: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """The largest difference of each label's counts between folds."""
    return np.ptp(np.array([made[folds == i].sum(axis=0) for i in range(5)]), axis=0)


@pytest.mark.parametrize(("rows", "columns"), CASES)
def test_spread_against_the_peer(benchmark: Any, rows: int, columns: int) -> None:
    """No worse than the peer in the worst and in the mean label; sizes within 1."""
    found: list[tuple[np.ndarray, np.ndarray]] = []

    def compare() -> None:
        for seed in range(10):
            made = labels(rows, columns, seed)
            folds = ours(made)()
            assert np.ptp(np.bincount(folds)) <= 1
            found.append((spreads(made, folds), spreads(made, peer(made)())))

    benchmark.pedantic(compare, rounds=1)
    benchmark.extra_info |= {
        "worst": [(int(a.max()), int(b.max())) for a, b in found],
        "mean": [(round(float(a.mean()), 2), round(float(b.mean()), 2)) for a, b in found],
    }
    assert all(a.max() <= b.max() and a.mean() <= b.mean() for a, b in found)
    bar = 1 if columns == 20 else None
    reach(benchmark, max(int(a.max()) for a, _ in found), "rows", at_most=bar)


@pytest.mark.parametrize(("rows", "columns", "bar"), [(50_000, 20, 1 / 3), (10_000, 100, 2)])
@pytest.mark.parametrize("seed", range(3))
def test_time_against_the_peer(
    benchmark: Any, rows: int, columns: int, bar: float, seed: int
) -> None:
    """Three times faster on 50,000 rows, at most twice the time on 100 labels."""
    made = labels(rows, columns, seed)
    reach(benchmark, interleaved(benchmark, ours(made), peer(made)), "x the time", at_most=bar)


def test_million_rows(benchmark: Any) -> None:
    """1,000,000 rows of 50 labels are no slower than by the peer, and no worse."""
    made = labels(1_000_000, 50)
    mine, theirs = ours(made), peer(made)
    ratio = interleaved(benchmark, mine, theirs, 1)
    here, there = spreads(made, mine()), spreads(made, theirs())
    benchmark.extra_info |= {"worst": (int(here.max()), int(there.max()))}
    assert here.max() <= there.max()
    assert here.mean() <= there.mean()
    reach(benchmark, ratio, "x the time", at_most=1 / 3)


def test_many_margins(benchmark: Any) -> None:
    """Whether a column is given twice is seen without comparing each with each."""
    names = [f"y{place}" for place in range(10_000)]
    benchmark.pedantic(lambda: parse_by(sf.margins(names)), rounds=3)
    reach(benchmark, benchmark.stats.stats.median, "s", at_most=1)
