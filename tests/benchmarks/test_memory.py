"""Memory above the input frame at the peak, each call in a fresh process."""

from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import polars as pl
import pytest

import stratframe as sf

from .data import LIBRARIES, ROWS, frame_of, labels, texts
from .measure import fresh, peak_above, reach, seconds

MIB = 1 << 20

PROCESSES = 3


def class_peak(library: str) -> int:
    """Measure the peak of a deal by one int64 column."""
    frame_of(library, y=labels(3, rows=1_000)).strat.kfold("y", k=5)
    frame = frame_of(library, y=labels(3))
    return peak_above(lambda: frame.strat.kfold("y", k=5))


def continuous_peak(library: str) -> int:
    """Measure the peak of a deal by one continuous float64 column."""
    drawn = np.random.default_rng(4)
    by = sf.continuous("price")
    frame_of(library, price=drawn.random(1_000)).strat.kfold(by, k=5)
    frame = frame_of(library, price=drawn.random(ROWS))
    return peak_above(lambda: frame.strat.kfold(by, k=5))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("peak", "bar"), [(class_peak, 32), (continuous_peak, 64)])
def test_bytes_a_row(benchmark: Any, peak: Callable[[str], int], bar: float, library: str) -> None:
    """A deal takes few bytes a row at its peak, the 8 of the new column included."""
    found: list[int] = []
    benchmark.pedantic(lambda: found.append(fresh(peak, library)), rounds=PROCESSES)
    reach(benchmark, median(found) / ROWS, "bytes a row", at_most=bar)


HUGE = 100_000_000


def huge(library: str) -> tuple[int, float]:
    """Measure the peak and the seconds of a deal of 100,000,000 rows."""
    frame_of(library, y=labels(3, rows=1_000, dtype="int8")).strat.kfold("y", k=5)
    drawn = np.random.default_rng(1).integers(0, 3, HUGE, dtype=np.int8)
    frame, times = frame_of(library, y=drawn), []
    peak = peak_above(lambda: times.append(seconds(lambda: frame.strat.kfold("y", k=5))))
    return peak, times[0]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("what", ["memory", "time"])
def test_hundred_million_rows(benchmark: Any, library: str, what: str) -> None:
    """100,000,000 rows of an int8 label fit into little memory and time."""
    peak, time = benchmark.pedantic(fresh, args=(huge, library), rounds=1)
    if what == "memory":
        reach(benchmark, peak / (1 << 30), "GiB", at_most=4)
    else:
        reach(benchmark, time, "s", at_most=25)


def with_fold(query: pl.LazyFrame, way: str) -> pl.LazyFrame:
    """Add a column to a query in one of several ways."""
    match way:
        case "kfold":
            return query.strat.kfold("label", k=5)
        case "key":
            return query.strat.kfold("label", k=5, key="id")
        case "split":
            return query.strat.split(["label", sf.quantiles("x0", 4)], 0.2)
        case _:
            return query


def sink_peak(folder: Path, way: str) -> int:
    """Measure the peak of a query from Parquet to Parquet, with a column added in some way."""

    def sink(name: str) -> None:
        query = with_fold(pl.scan_parquet(folder / name), way)
        query.sink_parquet(folder / f"{way}-{name}", row_group_size=GROUP)

    sink("small.parquet")
    return peak_above(lambda: sink("large.parquet"))


def sink_seconds(folder: Path, way: str) -> float:
    """Measure the CPU seconds of such a query."""
    start = process_time()
    query = with_fold(pl.scan_parquet(folder / "large.parquet"), way)
    query.sink_parquet(folder / f"{way}.parquet", row_group_size=GROUP)
    return process_time() - start


GROUP = 125_000
"""Rows of a row group."""


@pytest.fixture(scope="module", params=[1_000_000, 4_000_000])
def folder(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a Parquet file of 60 columns, and a small one like it."""
    made, drawn = tmp_path_factory.mktemp("parquet"), np.random.default_rng(5)
    n_rows = request.param
    numbers = {f"x{i}": drawn.random(n_rows) for i in range(58)}
    columns = {"id": drawn.permutation(n_rows), "label": texts(3)[:n_rows], **numbers}
    frame = pl.DataFrame(columns)
    frame.write_parquet(made / "large.parquet", row_group_size=GROUP)
    frame.head(1_000).write_parquet(made / "small.parquet")
    (made / "bar").write_text({1_000_000: "430", 4_000_000: "550"}[n_rows])
    return made


@pytest.mark.parametrize("way", ["kfold", "key", "split"])
def test_lazy_sink(benchmark: Any, folder: Path, way: str) -> None:
    """A column added to a wide Parquet file on the way to another: the frame streams."""
    peaks: list[int] = []
    benchmark.pedantic(lambda: peaks.append(fresh(sink_peak, folder, way)), rounds=PROCESSES)
    plain = median(fresh(sink_peak, folder, "plain") for _ in range(PROCESSES))
    benchmark.extra_info |= {"plain": round(plain / MIB)}
    reach(benchmark, median(peaks) / MIB, "MiB", at_most=float((folder / "bar").read_text()))


@pytest.mark.parametrize("way", ["kfold", "key"])
def test_time_of_a_lazy_sink(benchmark: Any, folder: Path, way: str) -> None:
    """The labels are read twice, which takes little time."""
    times: list[float] = []
    benchmark.pedantic(lambda: times.append(fresh(sink_seconds, folder, way)), rounds=PROCESSES)
    plain = median(fresh(sink_seconds, folder, "plain") for _ in range(PROCESSES))
    reach(benchmark, median(times) / plain, "x the time", at_most=1.3)
