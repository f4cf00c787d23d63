"""Memory above the input frame at the peak, each call in a fresh process."""

from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import polars as pl
import pytest

import stratframe as sf

from .data import LIBRARIES, ROWS, frame_of, labels
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
        case "beside":
            fold = query.strat.kfold("label", k=5).select("fold")
            return pl.concat([query, fold], how="horizontal")
        case "reverse":  # the cheapest expression that needs its whole column
            return query.with_columns(pl.col("label").reverse().alias("fold"))
        case _:
            return query


def sink_peak(folder: Path, way: str) -> int:
    """Measure the peak of a query from Parquet to Parquet, with a column added in some way."""

    def sink(name: str) -> None:
        with_fold(pl.scan_parquet(folder / name), way).sink_parquet(folder / f"{way}-{name}")

    sink("small.parquet")
    return peak_above(lambda: sink("large.parquet"))


@pytest.fixture(scope="module", params=[1_000_000, 262_144, None])
def folder(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a Parquet file of 60 columns and 1,000,000 rows, and a small one like it.

    The rows of a row group are all of them, a quarter, and as many as Polars chooses.
    """
    drawn = np.random.default_rng(5)
    columns = {f"x{i}": drawn.random(1_000_000) for i in range(59)}
    frame = pl.DataFrame({"label": labels(10, rows=1_000_000, dtype="float64"), **columns})
    made = tmp_path_factory.mktemp("parquet")
    frame.write_parquet(made / "large.parquet", row_group_size=request.param)
    frame.head(1_000).write_parquet(made / "small.parquet")
    return made


@pytest.mark.parametrize(("way", "bar"), [("kfold", 100), ("beside", None), ("reverse", None)])
def test_lazy_sink(benchmark: Any, folder: Path, way: str, bar: float | None) -> None:
    """A column added to a wide Parquet file takes little memory on the way to another.

    `kfold` is the verb; `beside` sets its column beside a second scan of the file; `reverse`
    is Polars alone, with an expression that, as every fold does, needs its whole column.
    """
    grown: list[int] = []
    plain: list[int] = []

    def both() -> None:
        plain.append(fresh(sink_peak, folder, "plain"))
        grown.append(fresh(sink_peak, folder, way))

    benchmark.pedantic(both, rounds=5)
    more = median(grown) - median(plain)
    benchmark.extra_info |= {"MiB": round(median(grown) / MIB), "plain": round(median(plain) / MIB)}
    reach(benchmark, more / MIB, "MiB", at_most=bar)
