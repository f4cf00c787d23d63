"""Whole groups against scikit-learn's `StratifiedGroupKFold`."""

import warnings
from collections.abc import Iterable
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import StratifiedGroupKFold

import stratframe as sf

from .data import LIBRARIES, frame_of
from .measure import interleaved, reach

INSTANCES = 80


def pareto(
    seed: int, fewest: int = 30, most: int = 5_000, ks: tuple[int, ...] = (5, 10)
) -> tuple[pd.DataFrame, int]:
    """Draw groups of Pareto sizes with classes of their own, and a number of folds."""
    drawn = np.random.default_rng(seed)
    n_groups = int(np.exp(drawn.uniform(np.log(fewest), np.log(most))))
    n_classes, alpha = int(drawn.integers(2, 11)), drawn.uniform(1.1, 1.5)
    sizes = np.minimum(np.ceil(3 * drawn.pareto(alpha, n_groups) + 1), 20_000).astype(int)
    return grouped(drawn, sizes, n_classes), ks[seed % len(ks)]


def grouped(drawn: np.random.Generator, sizes: np.ndarray, n_classes: int) -> pd.DataFrame:
    """Draw the classes of groups of given sizes, each with shares of its own; rows shuffled."""
    shares = drawn.dirichlet(np.full(n_classes, 0.7), len(sizes))
    label = [drawn.choice(n_classes, n, p=share) for n, share in zip(sizes, shares, strict=True)]
    group = np.repeat(np.arange(len(sizes)), sizes)
    frame = pd.DataFrame({"label": np.concatenate(label), "group": group})
    return frame.sample(frac=1, random_state=0).reset_index(drop=True)


def scikit_learn(frame: pd.DataFrame, k: int) -> np.ndarray:
    """Fill a fold column from `StratifiedGroupKFold`."""
    folds = np.empty(len(frame), dtype=int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = StratifiedGroupKFold(k).split(folds, frame["label"], frame["group"])
        for fold, (_, test) in enumerate(peer):
            folds[test] = fold
    return folds


def loss(frame: pd.DataFrame, folds: Any, k: int) -> float:
    """The squared deviations of strata and sizes by their targets."""
    counts = pd.crosstab(frame["label"], np.asarray(folds)).reindex(columns=range(k), fill_value=0)
    counts = np.vstack([counts.to_numpy(), counts.sum().to_numpy()])
    target = counts.sum(axis=1, keepdims=True) / k
    return float(((counts - target) ** 2 / target).sum())


def ratios_of_loss(instances: Iterable[tuple[pd.DataFrame, int]]) -> list[float]:
    """Divide the losses by those of the peer, where it takes the classes."""
    ratios = []
    for frame, k in instances:
        if frame["label"].value_counts().max() >= k:
            ours = frame.strat.kfold("label", k=k, groups="group", rare="ignore")["fold"]
            theirs = loss(frame, scikit_learn(frame, k), k)
            ratios.append(loss(frame, ours, k) / theirs if theirs else 1.0)
    return ratios


@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
@pytest.mark.parametrize("groups", ["many", "few"])
def test_loss_against_scikit_learn(benchmark: Any, groups: str) -> None:
    """On Pareto groups the loss is never above the peer's, and mostly far below."""
    instances = (
        map(pareto, range(INSTANCES))
        if groups == "many"
        else (pareto(seed, 10, 400, (3, 5, 10)) for seed in range(1_000, 1_400))
    )
    ratios: list[float] = []
    benchmark.pedantic(lambda: ratios.extend(ratios_of_loss(instances)), rounds=1)
    benchmark.extra_info.update(above=sum(ratio > 1 + 1e-9 for ratio in ratios), n=len(ratios))
    reach(benchmark, median(ratios), "x the loss", at_most=0.9)
    assert not benchmark.extra_info["above"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_time_against_scikit_learn(benchmark: Any, library: str) -> None:
    """1,000,000 rows in 100,000 groups are dealt many times faster."""
    drawn = np.random.default_rng(1)
    columns = {
        "label": drawn.integers(3, size=1_000_000),
        "group": drawn.integers(100_000, size=1_000_000),
    }
    frame, plain = frame_of(library, **columns), pd.DataFrame(columns)
    ratio = interleaved(
        benchmark,
        lambda: frame.strat.kfold("label", groups="group"),
        lambda: scikit_learn(plain, 5),
        1,
    )
    reach(benchmark, 1 / ratio, "x faster", at_least=20)


def forty(seed: int, largest: int) -> pd.DataFrame:
    """Draw 40 groups with counts that no other has, none larger than a fifth of the rows."""
    drawn = np.random.default_rng(seed)
    while True:
        frame = grouped(drawn, drawn.integers(5, largest + 1, 40), 3)
        counts = pd.crosstab(frame["group"], frame["label"])
        if not counts.duplicated().any() and counts.sum(axis=1).max() <= len(frame) / 5:
            return frame


def columns_near_the_best(frame: pd.DataFrame) -> int:
    """Count columns of 100 seeds that differ by more than numbers, within 5 % of the best loss."""
    losses: dict[tuple[int, ...], float] = {}
    for seed in range(100):
        folds = frame.strat.kfold("label", groups="group", seed=seed)["fold"]
        by_group = folds.groupby(frame["group"]).first()
        renumbered = tuple(pd.factorize(by_group)[0].tolist())
        losses[renumbered] = loss(frame, folds, 5)
    best = min(losses.values())
    return sum(found <= 1.05 * best for found in losses.values())


@pytest.mark.parametrize("largest", [30, 100])
def test_seeds_give_many_columns(benchmark: Any, largest: int) -> None:
    """Of 100 seeds many give columns of their own, each about as good as the best."""
    found: list[int] = []
    benchmark.pedantic(
        lambda: found.extend(columns_near_the_best(forty(s, largest)) for s in range(10)), rounds=1
    )
    benchmark.extra_info["all"] = sorted(found)
    reach(benchmark, median(found), "columns", at_least=30)


def test_split_of_groups(benchmark: Any) -> None:
    """The test part is within a median group of its share of rows, wherever that is possible."""
    worst: list[float] = []

    def compare() -> None:
        for seed in range(INSTANCES):
            frame, _ = pareto(seed)
            sizes = frame["group"].value_counts()
            if sizes.max() > 0.8 * len(frame):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", sf.StratWarning)
                split = frame.strat.split("label", groups="group", rare="ignore")["split"]
            worst.append(abs((split == "test").sum() - 0.2 * len(frame)) / sizes.median())

    benchmark.pedantic(compare, rounds=1)
    benchmark.extra_info["above_1"] = sum(each > 1 for each in worst)
    reach(benchmark, max(worst), "median groups", at_most=1)


def test_polars_like_pandas(benchmark: Any) -> None:
    """A Polars frame of the same rows gets the same folds."""
    frame, k = pareto(6)
    polars = pl.DataFrame(frame.to_dict("list"))
    ours = benchmark.pedantic(lambda: polars.strat.kfold("label", k=k, groups="group"), rounds=3)
    assert (
        ours["fold"].to_list() == frame.strat.kfold("label", k=k, groups="group")["fold"].tolist()
    )


@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
@pytest.mark.parametrize(("groups", "k", "strata"), [(50, 5, 50_000), (64, 64, 5_000)])
def test_few_groups_of_many_strata(benchmark: Any, groups: int, k: int, strata: int) -> None:
    """The search of few groups does not grow with the strata."""
    drawn = np.random.default_rng(0)
    rows = 1_000_000
    frame = frame_of(
        "pandas", label=drawn.integers(0, strata, rows), g=drawn.integers(0, groups, rows)
    )
    benchmark.pedantic(lambda: frame.strat.kfold("label", k, groups="g", rare="ignore"), rounds=3)
    reach(benchmark, benchmark.stats.stats.median, "s", at_most=5)
