"""Whole groups.

The peer is scikit-learn's `StratifiedGroupKFold`, or Polars' count of the same columns. Cases of
groups have sizes from a Pareto distribution (alpha 1.1 to 1.5) and 2 to 10 classes, whose shares
differ between groups: 80 cases of 30 to 5,000 groups with k = 5 and 10, and 400 of 10 to 400
groups with k = 3, 5 and 10. The peer makes the shares of each class even over folds, stratframe
its [loss](how-it-works.md#whole-groups), which counts sizes, too.
"""

from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedGroupKFold

import stratframe as sf

from .data import LIBRARIES, fill, frame_of, labels
from .measure import find, race, reach, take

pytestmark = pytest.mark.filterwarnings("ignore::stratframe.StratWarning")

INSTANCES = 80
ROWS = 1_000_000


def pareto(
    seed: int, fewest: int = 30, most: int = 5_000, ks: tuple[int, ...] = (5, 10)
) -> tuple[pd.DataFrame, int]:
    """Draw groups of Pareto sizes with classes of their own, and a number of folds."""
    drawn = np.random.default_rng(seed)
    n_groups = int(np.exp(drawn.uniform(np.log(fewest), np.log(most))))
    n_classes = int(drawn.integers(2, 11))
    alpha = drawn.uniform(1.1, 1.5)
    sizes = np.minimum(np.ceil(3 * drawn.pareto(alpha, n_groups) + 1), 20_000).astype(int)
    return grouped(drawn, sizes, n_classes), ks[seed % len(ks)]


def grouped(drawn: np.random.Generator, sizes: np.ndarray, n_classes: int) -> pd.DataFrame:
    """Draw the classes of groups of given sizes, each with shares of its own; rows shuffled."""
    shares = drawn.dirichlet(np.full(n_classes, 0.7), len(sizes))
    label = [drawn.choice(n_classes, n, p=share) for n, share in zip(sizes, shares, strict=True)]
    group = np.repeat(np.arange(len(sizes)), sizes)
    frame = pd.DataFrame({"label": np.concatenate(label), "group": group})
    return frame.sample(frac=1, random_state=0).reset_index(drop=True)


def loss(frame: pd.DataFrame, folds: Any, k: int) -> float:
    """The squared deviations of strata and sizes by their targets."""
    counts = pd.crosstab(frame["label"], np.asarray(folds)).reindex(columns=range(k), fill_value=0)
    counts = np.vstack([counts.to_numpy(), counts.sum().to_numpy()])
    target = counts.sum(axis=1, keepdims=True) / k
    return float(((counts - target) ** 2 / target).sum())


def spread(frame: pd.DataFrame, folds: Any, k: int) -> float:
    """What the peer minimizes: how far the shares of a class vary over folds, averaged."""
    counts = pd.crosstab(frame["label"], np.asarray(folds)).reindex(columns=range(k), fill_value=0)
    shares = counts.to_numpy() / counts.sum(axis=1).to_numpy()[:, None]
    return float(shares.std(axis=1).mean())


def ratio_of_spread(frame: pd.DataFrame, k: int) -> float:
    """Divide the spread of shares by that of the peer."""
    ours = frame.strat.kfold("label", k=k, groups="group", rare="ignore")["fold"]
    theirs = spread(frame, fill(StratifiedGroupKFold(k), frame["label"], frame["group"]), k)
    return spread(frame, ours, k) / theirs if theirs else 1.0


def ratio_of_loss(frame: pd.DataFrame, k: int) -> float:
    """Divide the loss by that of the peer."""
    ours = frame.strat.kfold("label", k=k, groups="group", rare="ignore")["fold"]
    theirs = loss(frame, fill(StratifiedGroupKFold(k), frame["label"], frame["group"]), k)
    return loss(frame, ours, k) / theirs if theirs else 1.0


def draw_cases(groups: str) -> list[tuple[pd.DataFrame, int]]:
    """Draw frames and numbers of folds; the peer takes no rarer classes."""
    cases = [pareto(*each) for each in CASES[groups]]
    return [(df, k) for df, k in cases if df["label"].value_counts().max() >= k]


CASES = {
    "many": [(seed,) for seed in range(INSTANCES)],
    "few": [(seed, 10, 400, (3, 5, 10)) for seed in range(1_000, 1_400)],
}


@pytest.mark.parametrize("groups", CASES, ids="{} groups".format)
def test_loss_against_scikit_learn(benchmark: Any, groups: str) -> None:
    """On Pareto groups the loss is never above the peer's, and mostly far below."""
    cases = draw_cases(groups)
    (ratios,) = find(benchmark, lambda: [ratio_of_loss(*each) for each in cases])
    above = sum(ratio > 1 + 1e-9 for ratio in ratios)
    benchmark.extra_info["details"] = f"higher in {above} of {len(ratios)}"
    reach(benchmark, median(ratios), "x the loss", at_most=0.9)
    assert not above


@pytest.mark.parametrize("groups", CASES, ids="{} groups".format)
def test_spread_against_scikit_learn(benchmark: Any, groups: str) -> None:
    """By what the peer minimizes, neither is more even in general."""
    (ratios,) = find(benchmark, lambda: [ratio_of_spread(*each) for each in draw_cases(groups)])
    above = [ratio for ratio in ratios if ratio > 1 + 1e-9]
    benchmark.extra_info["details"] = (
        f"higher in {len(above)} of {len(ratios)}, there {median(above):.2f} in the median, "
        f"at most {max(ratios):.2f}"
    )
    reach(benchmark, median(ratios), "x the spread")


def test_totals(benchmark: Any) -> None:
    """On Pareto groups totals are more even than without `sf.total`, at no larger loss."""

    def ratio_of_totals(frame: pd.DataFrame, k: int) -> float:
        """Divide the worst deviation of a total by that without `sf.total`."""
        weights = np.random.default_rng(k).lognormal(size=len(frame))
        frame = frame.assign(weight=weights)
        found = []
        for by in ("label", ["label", sf.total("weight")]):
            folds = frame.strat.kfold(by, k=k, groups="group", rare="ignore")["fold"]
            sums = frame["weight"].groupby(folds).sum()
            found.append((loss(frame, folds, k), float((sums / sums.mean() - 1).abs().max())))
        assert found[1][0] <= found[0][0] * (1 + 1e-9)
        return found[1][1] / found[0][1]

    cases = draw_cases("many")[::4]
    (ratios,) = find(benchmark, lambda: [ratio_of_totals(*each) for each in cases])
    assert max(ratios) <= 1 + 1e-9
    reach(benchmark, median(ratios), "x the deviation", at_most=0.9)


@pytest.mark.parametrize("library", LIBRARIES)
def test_time_against_scikit_learn(benchmark: Any, library: str) -> None:
    """1,000,000 rows in 100,000 groups are dealt 20 times as fast."""
    label = labels(3, ROWS, seed=1)
    group = labels(100_000, ROWS, seed=2)
    frame = frame_of(library, label=label, group=group)
    peer = StratifiedGroupKFold(5)
    race(
        benchmark,
        lambda: frame.strat.kfold("label", groups="group"),
        lambda: fill(peer, label, group),
        1 / 20,
        1,
    )


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
        losses[tuple(pd.factorize(by_group)[0].tolist())] = loss(frame, folds, 5)
    return sum(found <= 1.05 * min(losses.values()) for found in losses.values())


@pytest.mark.parametrize("largest", [30, 100], ids=["of 5 to 30 rows", "of 5 to 100 rows"])
def test_seeds_give_many_columns(benchmark: Any, largest: int) -> None:
    """Of 100 seeds many give columns of their own, each about as good as the best."""
    frames = [forty(seed, largest) for seed in range(3)]
    (found,) = find(benchmark, lambda: [columns_near_the_best(each) for each in frames])
    benchmark.extra_info["details"] = f"{min(found)} to {max(found)} in three frames"
    reach(benchmark, median(found), "columns", at_least=30)


def test_split_of_groups(benchmark: Any) -> None:
    """The test part is within a median group of its share of rows, wherever that is possible."""

    def off(frame: pd.DataFrame) -> float:
        split = frame.strat.split("label", groups="group", rare="ignore")["split"]
        rows_off = abs((split == "test").sum() - 0.2 * len(frame))
        return float(rows_off / frame["group"].value_counts().median())

    frames = [pareto(seed)[0] for seed in range(INSTANCES)]
    frames = [df for df in frames if df["group"].value_counts().max() <= 0.8 * len(df)]
    (found,) = find(benchmark, lambda: [off(each) for each in frames])
    reach(benchmark, max(found), "median groups", at_most=1)


@pytest.mark.parametrize(
    ("by", "n_groups", "bar"),
    [(["a"], 200_000, 2), (["a"], 1_000_000, 4), (["a", "b"], 200_000, 5)],
    ids=["200,000 groups", "1,000,000 groups", "200,000 groups, two columns"],
)
def test_many_groups_against_a_count(
    benchmark: Any, by: list[str], n_groups: int, bar: float
) -> None:
    """Many groups take a few times as long as Polars takes to count the same columns."""
    n_rows = 2_000_000
    groups = labels(n_groups, n_rows, seed=3)
    frame = frame_of("polars", a=labels(3, n_rows), b=labels(5, n_rows, seed=2), g=groups)
    race(
        benchmark,
        lambda: frame.strat.kfold(by, groups="g", rare="ignore"),
        lambda: frame.group_by(*by, "g").len(),
        bar,
        5,
    )


@pytest.mark.parametrize("library", LIBRARIES)
def test_groups_of_a_small_frame(benchmark: Any, library: str) -> None:
    """A frame of 1,000 rows and 200 groups takes at most 3 ms."""
    frame = frame_of(library, y=labels(3, rows=1_000), g=labels(200, rows=1_000, seed=2))
    take(benchmark, lambda: frame.strat.kfold("y", groups="g"), 3e-3, 200, warmup=5)


@pytest.mark.parametrize(
    ("groups", "k", "strata"),
    [(50, 5, 50_000), (64, 64, 5_000)],
    ids=["50 groups, 50,000 strata", "64 groups and folds, 5,000 strata"],
)
def test_few_groups_of_many_strata(benchmark: Any, groups: int, k: int, strata: int) -> None:
    """The search of few groups does not grow with the strata."""
    frame = frame_of("pandas", label=labels(strata, ROWS), g=labels(groups, ROWS, seed=2))
    take(benchmark, lambda: frame.strat.kfold("label", k, groups="g", rare="ignore"), 5, 3)
