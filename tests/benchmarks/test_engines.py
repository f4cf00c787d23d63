"""Beyond one machine.

8,000,000 rows of six columns in eight Parquet files are read, get folds by key and are written, by
two processes of Dask or two threads of Spark; the peer reads and writes alone. Times are medians
of the CPU seconds of all processes, and memory is that of all processes together.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from statistics import median
from threading import Event, Thread
from typing import Any, TypeAlias

import numpy as np
import polars as pl
import pytest

import stratframe as sf

from .measure import find, fresh, peak_above, reach, rounded

psutil = pytest.importorskip("psutil", reason='comes with pip install "stratframe[dask]"')

ROUNDS = 3
"""Interleaved copies with and without folds, after one of each that does not count."""

BY: dict[str, Any] = {"plain": None, "3 classes": "label", "100,000 strata": ["a", "b"]}

Copy: TypeAlias = Callable[[Path, Any], None]
"""Copies the table in a folder, with folds by some entries or, by None, without."""


def write_table(folder: Path, n_files: int, n_rows: int) -> None:
    """Write a table of six columns in Parquet files of `n_rows` rows."""
    (folder / "rows").mkdir()
    drawn = np.random.default_rng(0)
    ids = drawn.permutation(n_files * n_rows)
    names = np.array(["cat", "dog", "bird"], dtype=object)
    for part in range(n_files):
        columns = {
            "id": ids[part * n_rows : (part + 1) * n_rows],
            "label": names[drawn.choice(3, n_rows, p=[0.7, 0.2, 0.1])],
            "a": drawn.integers(0, 320, n_rows),
            "b": drawn.integers(0, 313, n_rows),
            "x": drawn.normal(size=n_rows),
            "y": drawn.normal(size=n_rows),
        }
        pl.DataFrame(columns).write_parquet(folder / "rows" / f"{part:02}.parquet")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write 8,000,000 rows in 8 files."""
    folder = tmp_path_factory.mktemp("engines")
    write_table(folder, 8, 1_000_000)
    return folder


# Engines ---------------------------------------------------------------------------------


@contextmanager
def dask() -> Iterator[Copy]:
    """Start a cluster of two processes."""
    from dask import dataframe as dd
    from distributed import Client, LocalCluster

    def copy(folder: Path, by: Any) -> None:
        frame = dd.read_parquet(folder / "rows")
        folded = frame if by is None else sf.kfold(frame, by, key="id")
        folded.to_parquet(folder / "dask", write_index=False)

    workers = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**workers) as cluster, Client(cluster):
        yield copy


@contextmanager
def spark() -> Iterator[Copy]:
    """Start a session of two threads."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.getOrCreate()

    def copy(folder: Path, by: Any) -> None:
        frame = session.read.parquet(str(folder / "rows"))
        folded = frame if by is None else sf.kfold(frame, by, key="id")
        folded.write.mode("overwrite").parquet(str(folder / "spark"))

    try:
        yield copy
    finally:
        session.stop()


ENGINES = {"dask": dask, "spark": spark}


# Measurements ----------------------------------------------------------------------------


def running() -> list[Any]:
    """List this process and all that it started."""
    here = psutil.Process()
    return [here, *here.children(recursive=True)]


def cpu_seconds() -> float:
    return sum(sum(process.cpu_times()[:2]) for process in running())


def cpu_of_copies(engine: str, folder: Path) -> dict[str, float]:
    """Measure the median CPU seconds of a copy with each kind of strata, in turns."""
    seconds: dict[str, list[float]] = {case: [] for case in BY}
    with ENGINES[engine]() as copy:
        for _ in range(ROUNDS + 1):
            for case, by in BY.items():
                before = cpu_seconds()
                copy(folder, by)
                seconds[case].append(cpu_seconds() - before)
    return {case: median(of_case[1:]) for case, of_case in seconds.items()}


@cache
def measured(engine: str, folder: Path) -> dict[str, float]:
    return fresh(cpu_of_copies, engine, folder)


def peak_of_copy(folder: Path, by: Any) -> int:
    """Measure the peak memory of a copy on Dask, in bytes."""
    peak = 0
    done = Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.1):
            peak = max(peak, sum(process.memory_info().rss for process in running()))

    with dask() as copy:
        watcher = Thread(target=watch)
        watcher.start()
        copy(folder, by)
        done.set()
        watcher.join()
    return peak


@pytest.mark.parametrize(
    ("engine", "case", "bar"),
    [
        ("dask", "3 classes", 1.8),
        ("dask", "100,000 strata", 2.6),
        ("spark", "3 classes", 2),
        ("spark", "100,000 strata", 5),
    ],
    ids=["dask-3 classes", "dask-100,000 strata", "spark-3 classes", "spark-100,000 strata"],
)
def test_folds_against_a_copy(
    benchmark: Any, folder: Path, engine: str, case: str, bar: float | None
) -> None:
    """Reading, dealing by key and writing take little more CPU time than reading and writing."""
    pytest.importorskip({"dask": "dask", "spark": "pyspark"}[engine])

    (seconds,) = find(benchmark, lambda: measured(engine, folder))

    plain = seconds["plain"]
    benchmark.extra_info["details"] = f"{rounded(seconds[case])} s, {rounded(plain)} s"
    reach(benchmark, seconds[case] / plain, "x the time", at_most=bar)


@pytest.mark.parametrize(
    ("case", "bar"), [("3 classes", 2), ("plain", None)], ids=["3 classes", "a plain copy"]
)
def test_peak_memory_of_many_rows(
    benchmark: Any, tmp_path: Path, case: str, bar: float | None
) -> None:
    """Folds of 50,000,000 rows in 64 files need little memory."""
    pytest.importorskip("dask")
    write_table(tmp_path, 64, 781_250)

    (peak,) = find(benchmark, lambda: fresh(peak_of_copy, tmp_path, BY[case]))

    reach(benchmark, peak / 2**30, "GiB", at_most=bar)


def peak_of_many_strata() -> int:
    """Measure the memory that the driver needs for 1,000,000 strata on Dask, in bytes."""
    import dask as library
    import pandas as pd
    from dask import dataframe as dd

    rows = np.arange(2_000_000)
    frame = dd.from_pandas(pd.DataFrame({"id": rows, "label": rows % 1_000_000}), npartitions=8)
    with library.config.set(scheduler="synchronous"):
        return peak_above(lambda: sf.kfold(frame, "label", k=2, key="id"))


def test_memory_of_many_strata(benchmark: Any) -> None:
    """The driver needs less than 1 GiB for a million strata."""
    pytest.importorskip("dask")

    (peak,) = find(benchmark, lambda: fresh(peak_of_many_strata))

    reach(benchmark, peak / 2**30, "GiB", at_most=1)
