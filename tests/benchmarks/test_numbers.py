"""Columns of numbers: quantiles against pandas, bins, and orders by value."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import stratframe as sf
from stratframe.core.order import sort_values
from stratframe.core.strata import edge_bins, quantile_bins

from .data import ROWS, frame_of, labels
from .measure import fresh, interleaved, peak_above, reach


def normal(rows: int = ROWS) -> np.ndarray:
    """Draw normal values."""
    return np.random.default_rng(4).normal(size=rows)


@pytest.mark.parametrize("n_bins", [4, 10, 100])
def test_quantiles_against_qcut(benchmark: Any, n_bins: int) -> None:
    """The quantile bins of all rows take no longer than `pd.qcut`."""
    values, all_rows = normal(), np.zeros(ROWS, dtype=np.int64)
    series = pd.Series(values)
    ratio = interleaved(
        benchmark,
        lambda: quantile_bins(all_rows, values, n_bins),
        lambda: pd.qcut(series, n_bins, labels=False),
        3,
    )
    reach(benchmark, ratio, "x the time", at_most=1.2)


@pytest.mark.parametrize("n_parents", [1, 100, 100_000])
def test_quantiles_against_a_full_sort(benchmark: Any, n_parents: int) -> None:
    """Deciles inside any number of strata take less than a sort by stratum and value."""
    values, parent = normal(), labels(n_parents)
    ratio = interleaved(
        benchmark,
        lambda: quantile_bins(parent, values, 10),
        lambda: np.lexsort((values, parent)),
        3,
    )
    reach(benchmark, ratio, "x the time", at_most=0.6)


def many_quantiles() -> int:
    """Measure the peak of 1,000 quantiles in 200,000 strata."""
    frame = frame_of("pandas", label=labels(200_000, 2_000_000), x=normal(2_000_000))
    by = ["label", sf.quantiles("x", 1_000)]
    frame.head(100).strat.kfold(by, rare="ignore")
    return peak_above(lambda: frame.strat.kfold(by, rare="ignore"))


@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_memory_of_many_quantiles(benchmark: Any) -> None:
    """Memory grows with the rows, not with strata times bins."""
    peak = benchmark.pedantic(fresh, args=(many_quantiles,), rounds=1)
    reach(benchmark, peak / (1 << 30), "GiB", at_most=0.5)


@pytest.mark.parametrize("n_edges", [3, 18])
def test_bins_against_a_search(benchmark: Any, n_edges: int) -> None:
    """Few edges are compared with, which is faster than a binary search."""
    values = normal()
    edges = np.linspace(values.min(), values.max(), n_edges)
    ratio = interleaved(
        benchmark, lambda: edge_bins(values, edges, "right"), lambda: np.searchsorted(edges, values)
    )
    reach(benchmark, ratio, "x the time", at_most=0.7)


def test_order_against_argsort(benchmark: Any) -> None:
    """Values are sorted, and where they rise is marked, faster than by `argsort` alone."""
    values = normal()
    ratio = interleaved(benchmark, lambda: sort_values(values), lambda: np.argsort(values), 3)
    reach(benchmark, ratio, "x the time", at_most=1)
