"""Memory.

The peak above the input frame, each call in a fresh process. Lazy frames go from Parquet to
Parquet, 60 columns in row groups of 125,000 rows ([which frames
stream](how-it-works.md#lazy-frames)).
"""

from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import polars as pl
import pytest

import stratframe as sf

from .data import LIBRARIES, ROWS, frame_of, labels, normal, texts
from .measure import find, fresh, peak_above, peak_and_seconds, reach, reach_both

MIB = 1 << 20

PROCESSES = 3

HUGE = 100_000_000


def deal(library: str, kind: str, rows: int) -> tuple[int, float]:
    """Measure the peak and the seconds of a deal by a label, or in order of a column."""
    by = sf.continuous("y") if kind == "continuous" else "y"

    def make(n: int) -> Any:
        return frame_of(library, y=normal(n) if by != "y" else labels(3, n, kind))

    make(1_000).strat.kfold(by, k=5)
    frame = make(rows)
    return peak_and_seconds(lambda: frame.strat.kfold(by, k=5))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    ("kind", "bar"), [("int64", 32), ("continuous", 64)], ids=["classes", "continuous"]
)
def test_bytes_a_row(benchmark: Any, kind: str, bar: float, library: str) -> None:
    """A deal takes few bytes a row at its peak, the 8 of the new column included."""
    found = find(benchmark, lambda: fresh(deal, library, kind, ROWS)[0], PROCESSES)
    reach(benchmark, median(found) / ROWS, "bytes a row", at_most=bar)


@pytest.mark.parametrize("library", LIBRARIES)
def test_hundred_million_rows(benchmark: Any, library: str) -> None:
    """100,000,000 rows of an int8 label fit into little memory and time."""
    (found,) = find(benchmark, lambda: fresh(deal, library, "int8", HUGE))
    reach_both(benchmark, found, gib=4, most_seconds=25)


def many_quantiles() -> int:
    """Measure the peak of 1,000 quantiles in 200,000 strata."""
    frame = frame_of("pandas", label=labels(200_000, 2_000_000), x=normal(2_000_000))
    by = ["label", sf.quantiles("x", 1_000)]
    frame.head(100).strat.kfold(by, rare="ignore")
    return peak_above(lambda: frame.strat.kfold(by, rare="ignore"))


@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_many_quantiles(benchmark: Any) -> None:
    """Memory grows with the rows, not with strata times bins."""
    (peak,) = find(benchmark, lambda: fresh(many_quantiles))
    reach(benchmark, peak / 2**30, "GiB", at_most=0.5)


def many_tags() -> int:
    """Measure the peak of 50,000 rows with some of 2,000 tags."""
    drawn = np.random.default_rng(0)
    weights = 1 / np.arange(2, 2_002)
    tags = drawn.choice(2_000, (50_000, 3), p=weights / weights.sum())
    frame = pl.DataFrame({"tags": tags})
    by = sf.margins("tags")
    frame.head(100).strat.kfold(by)
    return peak_above(lambda: frame.strat.kfold(by))


def test_many_tags(benchmark: Any) -> None:
    """Memory grows with the tags that rows have, not with rows times tags."""
    (peak,) = find(benchmark, lambda: fresh(many_tags))
    reach(benchmark, peak / MIB, "MiB", at_most=300)


WAYS: dict[str, Any] = {
    "plain": lambda query: query,
    "kfold": lambda query: query.strat.kfold("label", k=5),
    "key": lambda query: query.strat.kfold("label", k=5, key="id"),
    "split": lambda query: query.strat.split(["label", sf.quantiles("x0", 4)], 0.2),
}
"""How a column is added to a query."""

GROUP = 125_000
"""Rows of a row group."""


def sink(folder: Path, way: str, name: str = "large.parquet") -> None:
    """Run a query from Parquet to Parquet, with a column added in some way."""
    query = WAYS[way](pl.scan_parquet(folder / name))
    query.sink_parquet(folder / f"{way}-{name}", row_group_size=GROUP)


def sink_peak(folder: Path, way: str) -> int:
    """Measure the peak of such a query."""
    sink(folder, way, "small.parquet")
    return peak_above(lambda: sink(folder, way))


def sink_seconds(folder: Path, way: str) -> float:
    """Measure the CPU seconds of such a query."""
    start = process_time()
    sink(folder, way)
    return process_time() - start


@pytest.fixture(
    scope="module",
    params=[(1_000_000, 430), (4_000_000, 550)],
    ids=["1,000,000 rows", "4,000,000 rows"],
)
def wide(request: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Write a Parquet file of 60 columns, and a small one like it; with the MiB of a query."""
    made = tmp_path_factory.mktemp("parquet")
    drawn = np.random.default_rng(5)
    n_rows, bar = request.param
    numbers = {f"x{i}": drawn.random(n_rows) for i in range(58)}
    columns = {"id": drawn.permutation(n_rows), "label": texts(3)[:n_rows], **numbers}
    frame = pl.DataFrame(columns)
    frame.write_parquet(made / "large.parquet", row_group_size=GROUP)
    frame.head(1_000).write_parquet(made / "small.parquet")
    return made, bar


@pytest.mark.parametrize("way", ["kfold", "key", "split"])
def test_lazy_sink(benchmark: Any, wide: tuple[Path, int], way: str) -> None:
    """A column added to a wide Parquet file on the way to another: the frame streams."""
    folder, bar = wide
    peaks = find(benchmark, lambda: fresh(sink_peak, folder, way), PROCESSES)
    plain = median(fresh(sink_peak, folder, "plain") for _ in range(PROCESSES))
    benchmark.extra_info["details"] = f"the plain query {plain / MIB:.0f} MiB"
    reach(benchmark, median(peaks) / MIB, "MiB", at_most=bar)


@pytest.mark.parametrize("way", ["kfold", "key"])
def test_time_of_a_lazy_sink(benchmark: Any, wide: tuple[Path, int], way: str) -> None:
    """The labels are read twice, which takes little time."""
    times = find(benchmark, lambda: fresh(sink_seconds, wide[0], way), PROCESSES)
    plain = median(fresh(sink_seconds, wide[0], "plain") for _ in range(PROCESSES))
    reach(benchmark, median(times) / plain, "x the time", at_most=1.3)
