"""Labels.

5,000,000 rows and k = 5, unless the case says otherwise. Folds by a label are compared with
`StratifiedKFold`, which fills a column.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import StratifiedKFold

import stratframe as sf
from stratframe.core.order import sort_values
from stratframe.core.strata import edge_bins, quantile_bins

from .data import LIBRARIES, ROWS, fill, frame_of, labels, normal, texts, two_columns
from .measure import find, race, reach, take

PARTS = {"train": 0.8, "valid": 0.1, "test": 0.1}
BY = ["a", "b"]


@pytest.mark.parametrize(
    ("library", "label", "faster"),
    [
        ("pandas", lambda: labels(3), 5),
        ("pandas", lambda: labels(1_000), 20),
        ("pandas", lambda: texts(3), 20),
        ("polars", lambda: texts(3), 20),
    ],
    ids=[
        "pandas-3 classes",
        "pandas-1,000 classes",
        "pandas-3 classes of text",
        "polars-3 classes of text",
    ],
)
def test_label_against_scikit_learn(
    benchmark: Any, library: str, label: Callable[[], np.ndarray], faster: float
) -> None:
    """A label is dealt many times faster than `StratifiedKFold` fills a column."""
    y = label()
    peer = StratifiedKFold(5, shuffle=True)
    frame = frame_of(library, y=y)
    race(benchmark, lambda: frame.strat.kfold("y", k=5), lambda: fill(peer, y), 1 / faster, 5)


@pytest.mark.parametrize("library", LIBRARIES)
def test_many_strata_against_few(benchmark: Any, library: str) -> None:
    """100,000 joint strata of two columns take hardly longer than 3 classes of one."""
    many = two_columns(library)
    few = frame_of(library, y=labels(3))
    race(benchmark, lambda: many.strat.kfold(BY, k=5), lambda: few.strat.kfold("y", k=5), 1.8)


def test_many_strata_against_scikit_learn(benchmark: Any) -> None:
    """1,000,000 pandas rows of 70,000 joint strata are dealt 100 times faster than by codes."""
    frame = two_columns("pandas").head(1_000_000)
    peer = StratifiedKFold(5, shuffle=True)
    joint = (frame["a"] * 1_000 + frame["b"]).to_numpy()
    race(
        benchmark,
        lambda: frame.strat.kfold(BY, k=5, rare="ignore"),
        lambda: fill(peer, joint),
        1 / 100,
        rounds=1,
    )


@pytest.mark.parametrize(
    ("make", "by", "bar"),
    [
        (lambda: frame_of("polars", y=labels(3)), ["y"], 1),
        (lambda: frame_of("polars", y=texts(3)), ["y"], 1),
        (lambda: two_columns("polars"), BY, None),
    ],
    ids=["polars-3 classes", "polars-3 classes of text", "polars-100,000 strata"],
)
def test_polars_against_native(
    benchmark: Any, make: Callable[[], pl.DataFrame], by: list[str], bar: float | None
) -> None:
    """A Polars frame is dealt no slower than row numbers are shuffled inside classes in Polars."""
    frame = make()
    numbers = pl.int_range(pl.len()).shuffle(seed=1)
    native = (numbers.over(*by) % 5).alias("fold")
    race(benchmark, lambda: frame.strat.kfold(by, k=5), lambda: frame.with_columns(native), bar)


@pytest.mark.parametrize("n_classes", [3, 1_000], ids="{:,} classes".format)
def test_against_the_physical_neighbourhood(benchmark: Any, n_classes: int) -> None:
    """A deal costs little more than to encode the label, draw and sort."""
    frame = frame_of("pandas", y=labels(n_classes))

    def encode_draw_sort() -> None:
        pd.factorize(frame["y"])
        np.sort(np.random.PCG64DXSM(1).random_raw(ROWS))

    race(benchmark, lambda: frame.strat.kfold("y", k=5), encode_draw_sort, 2)


@pytest.mark.parametrize("library", LIBRARIES)
def test_split_against_kfold(benchmark: Any, library: str) -> None:
    """Three unequal parts of 100,000 strata take hardly longer than five equal folds."""
    frame = two_columns(library)
    race(benchmark, lambda: frame.strat.split(BY, PARTS), lambda: frame.strat.kfold(BY, k=5), 2)


def test_continuous_against_argsort(benchmark: Any) -> None:
    """A continuous column, against one `np.argsort` of it."""
    price = np.random.default_rng(4).random(ROWS)
    by = sf.continuous("price")
    frame = frame_of("pandas", price=price)
    race(benchmark, lambda: frame.strat.kfold(by, k=5), lambda: np.argsort(price))


@pytest.mark.parametrize("library", LIBRARIES)
def test_contiguous_against_continuous(benchmark: Any, library: str) -> None:
    """Cutting an order into stretches takes no longer than dealing along it."""
    frame = frame_of(library, x=normal(), y=labels(3))
    by = ["y", sf.continuous("x")]
    cut = partial(frame.strat.kfold, by, k=5, deal="contiguous")
    race(benchmark, cut, lambda: frame.strat.kfold(by, k=5), 2)


@pytest.mark.parametrize("n_bins", [4, 10, 100], ids="{} bins".format)
def test_quantiles_against_qcut(benchmark: Any, n_bins: int) -> None:
    """The quantile bins of all rows take no longer than `pd.qcut`."""
    values = normal()
    parent = np.zeros(ROWS, dtype=np.int64)
    cut = partial(pd.qcut, pd.Series(values), n_bins, labels=False)
    race(benchmark, lambda: quantile_bins(parent, values, n_bins), cut, 1.2, 3)


@pytest.mark.parametrize("n_parents", [1, 100, 100_000], ids="{:,} strata".format)
def test_quantiles_against_a_full_sort(benchmark: Any, n_parents: int) -> None:
    """Deciles inside any number of strata take less than a sort by stratum and value."""
    values = normal()
    parent = labels(n_parents)
    sort = partial(np.lexsort, (values, parent))
    race(benchmark, lambda: quantile_bins(parent, values, 10), sort, 0.6, 3)


@pytest.mark.parametrize("n_edges", [3, 18], ids="{} edges".format)
def test_bins_against_a_search(benchmark: Any, n_edges: int) -> None:
    """Few edges are compared with, which is faster than a binary search."""
    values = normal()
    edges = np.linspace(values.min(), values.max(), n_edges)
    find_bins = partial(edge_bins, values, edges, "right")
    race(benchmark, find_bins, lambda: np.searchsorted(edges, values), 0.7)


def test_order_against_argsort(benchmark: Any) -> None:
    """Values are sorted, and where they rise is marked, faster than by `argsort` alone."""
    values = normal()
    race(benchmark, lambda: sort_values(values), lambda: np.argsort(values), 1, 3)


def test_totals(benchmark: Any) -> None:
    """Totals of two columns are even within a ten-thousandth of a percent in at most 2 s."""
    weights = {name: np.exp(normal(1_000_000, seed)) for seed, name in enumerate("vw")}
    frame = pl.DataFrame({"y": labels(3, 1_000_000), **weights})
    by = ["y", sf.total("v", "w")]
    sums = frame.strat.kfold(by).group_by("fold").agg(pl.col("v", "w").sum()).drop("fold")
    assert np.abs(sums.to_numpy() / sums.mean().to_numpy() - 1).max() < 1e-6
    take(benchmark, lambda: frame.strat.kfold(by), 2, 3)


KEYS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "dense": lambda ids: ids,
    "wide": lambda ids: ids * 2**40 - 2**62,
    "text": lambda ids: np.char.add("user-", ids.astype(str)).astype(object),
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("key", KEYS)
def test_key_against_a_sort(benchmark: Any, library: str, key: str) -> None:
    """Folds by key take less time than to sort the key column alone on as many threads."""
    ids = np.random.default_rng(6).permutation(ROWS)
    frame = frame_of(library, y=labels(3), key=KEYS[key](ids))
    sort = frame["key"].sort if library == "polars" else frame["key"].sort_values
    # Polars sorts on all cores.
    bar = 1 if library == "pandas" else None
    race(benchmark, lambda: frame.strat.kfold("y", k=5, key="key"), sort, bar, 3)


@pytest.mark.parametrize("library", LIBRARIES)
def test_key_of_text_against_none(benchmark: Any, library: str) -> None:
    """A key of text takes at most eleven times as long as no key."""
    ids = np.random.default_rng(6).permutation(ROWS)
    frame = frame_of(library, y=labels(3), key=KEYS["text"](ids))
    keyed = partial(frame.strat.kfold, "y", k=5, key="key")
    race(benchmark, keyed, lambda: frame.strat.kfold("y", k=5), 11, 5)


@pytest.mark.parametrize("library", LIBRARIES)
def test_small_frame(benchmark: Any, library: str) -> None:
    """A frame of 1,000 rows takes at most 2 ms."""
    frame = frame_of(library, y=labels(3, rows=1_000))
    take(benchmark, lambda: frame.strat.kfold("y", k=5), 2e-3, 500, warmup=5)


IMPORT = """
import pandas, polars
from time import perf_counter
start = perf_counter()
import stratframe
print(perf_counter() - start)
"""


def test_import(benchmark: Any, tmp_path: Path) -> None:
    """`import stratframe` costs hardly more than `import pandas, polars`."""
    command = [sys.executable, "-c", IMPORT]
    # Without stored bytecode, each import would compile the package anew.
    stored = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path)}
    times = find(benchmark, lambda: float(subprocess.check_output(command, env=stored)), 10)
    reach(benchmark, min(times[1:]) * 1e3, "ms", at_most=45)
