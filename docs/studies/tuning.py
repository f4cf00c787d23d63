"""Show what the tuned constants of the searches for undivided units trade.

    python docs/studies/tuning.py    # a few minutes

Prints a table for each constant, whose own value is marked with a star. Losses are ratios to the
least loss of an instance over all values and seeds; "partitions" counts the different ones of
ten seeds.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from stratframe.core.groups import assign, local_search, small_search
from stratframe.core.groups.local_search import make_objective, total_loss
from stratframe.core.groups.units import part_table
from stratframe.core.seeds import StreamTag, word_stream

SEEDS = range(10)
STRATA = 8
UNEQUAL = [Fraction(7, 10), Fraction(2, 10), Fraction(1, 10)]


@contextmanager
def constants(module: ModuleType, **values: Any) -> Iterator[None]:
    """Give constants of a module other values for a while."""
    before = {name: getattr(module, name) for name in values}
    vars(module).update(values)
    try:
        yield
    finally:
        vars(module).update(before)


def equal_shares(k: int) -> list[Fraction]:
    """List the shares of k folds."""
    return [Fraction(1, k)] * k


def draw_groups(n_groups: int, instance: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw groups of 10 rows and more, and strata of which each group has shares of its own."""
    drawn = np.random.default_rng(instance)
    sizes = (10 + 20 * drawn.pareto(2, n_groups)).clip(max=400).astype(int)
    shares = drawn.dirichlet(np.full(STRATA, 0.7), n_groups)
    strata = [drawn.choice(STRATA, n, p=share) for n, share in zip(sizes, shares, strict=True)]
    return np.repeat(np.arange(n_groups), sizes), np.concatenate(strata)


def search_groups(n_groups: int, instance: int, seed: int, shares: list[Fraction]) -> dict:
    """Assign groups, and measure the loss, how far sizes are off, and the seconds."""
    group, stratum = draw_groups(n_groups, instance)
    began = time.process_time()
    stream = word_stream(seed, StreamTag.FOLD_SEARCH, len(shares))
    units = assign.group_counts(group, n_groups, stratum, STRATA)
    parts = assign.assign_units(units, shares, stream)
    seconds = time.process_time() - began
    weights = np.array(shares, dtype=float)
    held = part_table(units, parts, len(shares))
    missed = np.abs(held[-1] - len(group) * weights).max() / np.median(np.bincount(group))
    return {
        "instance": instance,
        "loss": total_loss(make_objective(units.totals, weights), held),
        "size missed": missed,
        "partition": parts.tobytes(),
        "seconds": seconds,
    }


def draw_labels(n_rows: int, instance: int) -> list[tuple[np.ndarray, int]]:
    """Draw a hundred sparse labels, each at a rate from Beta(0.5, 5)."""
    drawn = np.random.default_rng(instance)
    return [((drawn.random(n_rows) < rate).astype(int), 2) for rate in drawn.beta(0.5, 5, 100)]


def search_rows(n_rows: int, instance: int, seed: int) -> dict:
    """Balance rows over labels, and measure the worst label's range and the seconds."""
    entries, began = draw_labels(n_rows, instance), time.process_time()
    stream = word_stream(seed, StreamTag.FOLD_SEARCH, 10)
    units = assign.margin_counts(entries, np.arange(n_rows), n_rows, with_sizes=False)
    parts = assign.balance_rows(units, equal_shares(10), stream, assign.ONE_BY_ONE)
    ranges = [np.ptp(np.bincount(parts[codes == 1], minlength=10)) for codes, _ in entries]
    seconds = time.process_time() - began
    return {"worst range": max(ranges), "mean range": np.mean(ranges), "seconds": seconds}


def compare(module: ModuleType, name: str, values: list[Any], run: Callable[[], list]) -> None:
    """Print the means over all runs for each value of a constant."""
    chosen, runs = getattr(module, name), []
    for value in values:
        with constants(module, **{name: value}):
            label = f"{value}{' *' if value == chosen else ''}"
            runs += [{name: label, **each} for each in run()]
    table = pd.DataFrame(runs)
    if "loss" in table:
        table["loss"] /= table.groupby("instance")["loss"].transform("min")
    if "partition" in table:
        counts = table.groupby([name, "instance"], sort=False)["partition"].nunique()
        table = table.drop(columns="partition").groupby(name, sort=False).mean()
        table["partitions"] = counts.groupby(level=0, sort=False).mean()
        table = table.drop(columns="instance")
    else:
        table = table.groupby(name, sort=False).mean()
    print(table.round(3).to_string(), end="\n\n")


def few_groups() -> list[dict]:
    """Search few groups under several seeds."""
    return [
        search_groups(n_groups, n_groups + instance, seed, equal_shares(3))
        for n_groups in (9, 16, 40)
        for instance in range(3)
        for seed in SEEDS
    ]


def many_groups() -> list[dict]:
    """Search more groups than every change of which can be tried."""
    return [search_groups(400, instance, 0, equal_shares(10)) for instance in range(5)]


def unequal_groups() -> list[dict]:
    """Search groups for unequal parts."""
    return [search_groups(n, instance, 0, UNEQUAL) for instance in range(6) for n in (20, 40)]


def many_rows() -> list[dict]:
    """Balance many rows of which nearly all have labels of their own."""
    return [search_rows(100_000, instance, 0) for instance in range(2)]


def main() -> None:
    """Print a table for each constant."""
    compare(small_search, "LEVEL_RATIO", [1.0, 1.01, 1.045, 1.1, 1.5], few_groups)
    compare(small_search, "LEVEL_RANK", [0, 1, 2, 4, 7], few_groups)
    weights = assign.SIZE_WEIGHTS
    compare(assign, "SIZE_WEIGHTS", [weights[:n] for n in (0, 1, 2, 5)], unequal_groups)
    compare(assign, "ONE_BY_ONE", [1_000, 10_000, 30_000, 100_000], many_rows)
    compare(local_search, "LITTLE_GAIN", [0.0, 0.005, 0.02, 0.1], many_groups)


if __name__ == "__main__":
    main()
