"""Dask frames on a cluster of two processes, one of which may be killed."""

import os
import signal
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest

import stratframe as sf
from tests.engines.dask_frames import dd

distributed = pytest.importorskip("distributed", reason='needs pip install "stratframe[dask]"')
pytestmark = [
    pytest.mark.dask,
    # Workers that are killed leave sockets and warnings of `distributed` behind.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::UserWarning:distributed"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def client():
    """Start a cluster of two processes for each test: a killed one may not be started again."""
    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    cluster = distributed.LocalCluster(n_workers=2, **options)
    with cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Write a frame of many partitions."""
    rng = np.random.default_rng(0)
    n = 480_000
    home = tmp_path_factory.mktemp("rows")
    rows = pd.DataFrame({"id": rng.permutation(n), "price": rng.normal(size=n)})
    rows["label"] = rng.choice(["cat", "dog", "bird"], n, p=[0.7, 0.2, 0.1])
    rows["site"] = rng.integers(0, 500, n)
    for place in range(24):
        rows[place * 20_000 : (place + 1) * 20_000].to_parquet(home / f"{place:02}.parquet")
    return home


BY = [["label", "site"], ["label", sf.quantiles("price", 10)]]


def folds_of(rows, by):
    """Deal rows of pandas, or of Dask on the cluster, and list the folds by id."""
    folded = sf.kfold(rows, by, key="id", rare="ignore")[["id", "fold"]]
    folded = folded if isinstance(rows, pd.DataFrame) else folded.compute()
    return folded.set_index("id")["fold"].sort_index()


@pytest.mark.parametrize("by", BY, ids=str)
def test_folds_on_a_cluster_are_those_of_pandas(client, files, by):
    """Two processes deal the folds that pandas deals."""
    expected = folds_of(pd.read_parquet(files), by)
    pd.testing.assert_series_equal(folds_of(dd.read_parquet(files), by), expected)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_killed_worker_changes_nothing(client, files, share):
    """The folds are the same if a worker is killed on the way."""
    started = time.perf_counter()
    expected = folds_of(dd.read_parquet(files), BY[0])
    seconds = time.perf_counter() - started
    victim, _ = client.run(os.getpid).values()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        killer = threading.Timer(share * seconds, os.kill, (victim, signal.SIGKILL))
        killer.start()
        folds = folds_of(dd.read_parquet(files), BY[0])
        killer.join()
    pd.testing.assert_series_equal(folds, expected)
