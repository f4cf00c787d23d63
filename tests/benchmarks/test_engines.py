"""Beyond one machine.

50,000,000 rows of six columns in 64 Parquet files are read, get folds by key and are written, by
two processes of Dask or two threads of Spark; the peer reads and writes alone. Times are CPU
seconds of all processes, and memory is that of all processes together.
"""

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import polars as pl
import pytest

from .measure import find, fresh, reach

psutil = pytest.importorskip("psutil", reason='comes with pip install "stratframe[dask]"')

ROWS = 50_000_000
PARTITIONS = 64

BY: dict[str, Any] = {"plain": None, "3 classes": "label", "100,000 strata": ["a", "b"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a table of six columns in 64 files."""
    made = tmp_path_factory.mktemp("engines")
    drawn = np.random.default_rng(0)
    (made / "rows").mkdir()
    ids = drawn.permutation(ROWS)
    n_rows = ROWS // PARTITIONS
    names = np.array(["cat", "dog", "bird"], dtype=object)
    for part in range(PARTITIONS):
        columns = {
            "id": ids[part * n_rows : (part + 1) * n_rows],
            "label": names[drawn.choice(3, n_rows, p=[0.7, 0.2, 0.1])],
            "a": drawn.integers(0, 320, n_rows),
            "b": drawn.integers(0, 313, n_rows),
            "x": drawn.normal(size=n_rows),
            "y": drawn.normal(size=n_rows),
        }
        pl.DataFrame(columns).write_parquet(made / "rows" / f"{part:02}.parquet")
    return made


def measured(call: Callable[[], object]) -> tuple[float, int]:
    """Measure the CPU seconds and the peak memory of this process and all that it started."""
    here = psutil.Process()
    peak = [0]
    done = Event()

    def watch() -> None:
        while not done.wait(0.1):
            running = [here, *here.children(recursive=True)]
            peak[0] = max(peak[0], sum(process.memory_info().rss for process in running))

    def cpu() -> float:
        running = [here, *here.children(recursive=True)]
        return sum(sum(process.cpu_times()[:2]) for process in running)

    before = cpu()
    watcher = Thread(target=watch)
    watcher.start()
    call()
    done.set()
    watcher.join()
    return cpu() - before, peak[0]


def on_dask(folder: Path, by: Any) -> tuple[float, int]:
    """Measure Dask with two processes."""
    from dask import dataframe as dd
    from distributed import Client, LocalCluster

    from stratframe.dask import kfold

    def run() -> None:
        frame = dd.read_parquet(folder / "rows")
        folded = frame if by is None else kfold(frame, by, key="id")
        folded.to_parquet(folder / "dask", write_index=False)

    workers = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**workers) as cluster, Client(cluster):
        return measured(run)


def on_spark(folder: Path, by: Any) -> tuple[float, int]:
    """Measure Spark with two threads."""
    from pyspark.sql import SparkSession

    from stratframe.spark import kfold

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.getOrCreate()

    def run() -> None:
        frame = session.read.parquet(str(folder / "rows"))
        folded = frame if by is None else kfold(frame, by, key="id")
        folded.write.mode("overwrite").parquet(str(folder / "spark"))

    try:
        return measured(run)
    finally:
        session.stop()


ENGINES = {"dask": on_dask, "spark": on_spark}


@pytest.mark.parametrize(
    ("engine", "case", "bar"),
    [
        ("dask", "3 classes", 2.3),
        ("dask", "100,000 strata", 3.2),
        ("spark", "3 classes", 2),
        ("spark", "100,000 strata", 5),
    ],
    ids=["dask-3 classes", "dask-100,000 strata", "spark-3 classes", "spark-100,000 strata"],
)
def test_folds_against_a_copy(
    benchmark: Any, folder: Path, engine: str, case: str, bar: float
) -> None:
    """Reading, dealing by key and writing take little more CPU time than reading and writing."""
    pytest.importorskip({"dask": "dask", "spark": "pyspark"}[engine])
    run = ENGINES[engine]
    ((seconds, peak),) = find(benchmark, lambda: fresh(run, folder, BY[case]))
    plain, _ = fresh(run, folder, None)
    benchmark.extra_info["details"] = f"{seconds:.0f} s, {plain:.0f} s; {peak / 2**30:.2g} GiB"
    reach(benchmark, seconds / plain, "x the time", at_most=bar)
    if engine == "dask":
        assert peak < 2 * 2**30
