"""Time against peers, each in one process, call by call in turns."""

import subprocess
import sys
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import StratifiedKFold

import stratframe as sf

from .data import LIBRARIES, ROWS, frame_of, labels, texts, two_columns
from .measure import interleaved, reach

PARTS = {"train": 0.8, "valid": 0.1, "test": 0.1}


def scikit_learn(y: np.ndarray) -> Callable[[], object]:
    """Make the peer that fills a fold column from `StratifiedKFold`."""
    rows = np.zeros(len(y))

    def fill() -> np.ndarray:
        fold = np.empty(len(y), dtype=np.int64)
        for i, (_, test) in enumerate(StratifiedKFold(5, shuffle=True).split(rows, y)):
            fold[test] = i
        return fold

    return fill


def native(frame: pl.DataFrame, *by: str) -> Callable[[], object]:
    """Make the peer that shuffles row numbers inside strata in Polars."""
    numbers = pl.int_range(pl.len()).shuffle(seed=1)
    return lambda: frame.with_columns((numbers.over(*by) % 5).alias("fold"))


def neighbourhood(label: pd.Series) -> Callable[[], object]:
    """Make the peer that encodes, draws and sorts, and does nothing else."""

    def encode_draw_sort() -> None:
        pd.factorize(label)
        np.sort(np.random.PCG64DXSM(1).random_raw(len(label)))

    return encode_draw_sort


@pytest.mark.parametrize(("n_classes", "bar"), [(3, 5), (1_000, 20)])
def test_int_label_against_scikit_learn(benchmark: Any, n_classes: int, bar: float) -> None:
    """An int64 label of a pandas frame is dealt many times faster than by scikit-learn."""
    y = labels(n_classes)
    frame = frame_of("pandas", y=y)
    ratio = interleaved(benchmark, lambda: frame.strat.kfold("y", k=5), scikit_learn(y))
    reach(benchmark, 1 / ratio, "x faster", at_least=bar)


@pytest.mark.parametrize("library", LIBRARIES)
def test_string_label_against_scikit_learn(benchmark: Any, library: str) -> None:
    """A string label of 3 classes is dealt many times faster than by scikit-learn."""
    y = texts(3)
    frame = frame_of(library, y=y)
    ratio = interleaved(benchmark, lambda: frame.strat.kfold("y", k=5), scikit_learn(y), 5)
    reach(benchmark, 1 / ratio, "x faster", at_least=20)


@pytest.mark.parametrize("library", LIBRARIES)
def test_many_strata_against_few(benchmark: Any, library: str) -> None:
    """100,000 joint strata of two columns take hardly longer than 3 classes of one."""
    many, few = two_columns(library), frame_of(library, y=labels(3))
    ratio = interleaved(
        benchmark, lambda: many.strat.kfold(["a", "b"], k=5), lambda: few.strat.kfold("y", k=5)
    )
    reach(benchmark, ratio, "x the time", at_most=1.8)


def test_many_strata_against_scikit_learn(benchmark: Any) -> None:
    """100,000 joint strata of a pandas frame, against scikit-learn on their codes."""
    frame = two_columns("pandas")
    joint = (frame["a"] * 1_000 + frame["b"]).to_numpy()
    ratio = interleaved(
        benchmark, lambda: frame.strat.kfold(["a", "b"], k=5), scikit_learn(joint), 1
    )
    reach(benchmark, 1 / ratio, "x faster")


def test_many_strata_against_native_polars(benchmark: Any) -> None:
    """100,000 joint strata of a Polars frame, against a shuffle over both columns."""
    frame = two_columns("polars")
    ratio = interleaved(
        benchmark, lambda: frame.strat.kfold(["a", "b"], k=5), native(frame, "a", "b")
    )
    reach(benchmark, 1 / ratio, "x faster")


@pytest.mark.parametrize("make", [labels, texts])
def test_polars_against_native(benchmark: Any, make: Callable[[int], np.ndarray]) -> None:
    """A Polars frame is dealt no slower than by a native shuffle over the label."""
    frame = frame_of("polars", y=make(3))
    ratio = interleaved(benchmark, lambda: frame.strat.kfold("y", k=5), native(frame, "y"))
    reach(benchmark, ratio, "x the time", at_most=1)


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
    ratio = interleaved(benchmark, lambda: frame.strat.kfold("y", k=5, key="key"), sort, 3)
    # Polars sorts on all cores.
    reach(benchmark, ratio, "x the time", at_most=1 if library == "pandas" else None)


@pytest.mark.parametrize("n_classes", [3, 1_000])
def test_against_the_physical_neighbourhood(benchmark: Any, n_classes: int) -> None:
    """A deal costs little more than to encode the label, draw and sort."""
    frame = frame_of("pandas", y=labels(n_classes))
    ratio = interleaved(benchmark, lambda: frame.strat.kfold("y", k=5), neighbourhood(frame["y"]))
    reach(benchmark, ratio, "x the time", at_most=2)


@pytest.mark.parametrize("library", LIBRARIES)
def test_split_against_kfold(benchmark: Any, library: str) -> None:
    """Three unequal parts of 100,000 strata take hardly longer than five equal folds."""
    frame = two_columns(library)
    ratio = interleaved(
        benchmark,
        lambda: frame.strat.split(["a", "b"], PARTS),
        lambda: frame.strat.kfold(["a", "b"], k=5),
    )
    reach(benchmark, ratio, "x the time", at_most=2)


def test_continuous_against_argsort(benchmark: Any) -> None:
    """A continuous column, against one `np.argsort` of it."""
    price = np.random.default_rng(4).random(ROWS)
    frame = frame_of("pandas", price=price)
    ratio = interleaved(
        benchmark, lambda: frame.strat.kfold(sf.continuous("price"), k=5), lambda: np.argsort(price)
    )
    reach(benchmark, ratio, "x the time")


@pytest.mark.parametrize("library", LIBRARIES)
def test_small_frame(benchmark: Any, library: str) -> None:
    """A frame of 1,000 rows takes hardly any time."""
    frame = frame_of(library, y=labels(3, rows=1_000))
    benchmark.pedantic(lambda: frame.strat.kfold("y", k=5), rounds=500, warmup_rounds=5)
    reach(benchmark, benchmark.stats.stats.median * 1e3, "ms", at_most=2)


IMPORT = """
import pandas, polars
from time import perf_counter
start = perf_counter()
import stratframe
print(perf_counter() - start)
"""


def test_import(benchmark: Any) -> None:
    """`import stratframe` costs hardly more than `import pandas, polars`."""
    times: list[float] = []

    def start_up() -> None:
        ran = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, check=True)
        times.append(float(ran.stdout))

    benchmark.pedantic(start_up, rounds=9, warmup_rounds=1)
    reach(benchmark, median(times[1:]) * 1e3, "ms", at_most=60)
