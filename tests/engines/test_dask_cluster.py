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

distributed = pytest.importorskip("distributed", reason='needs pip install "stratframe[dask]"')
dd = pytest.importorskip("dask.dataframe", reason='needs pip install "stratframe[dask]"')

import stratframe.dask  # noqa: E402 - registers .strat on Dask frames

pytestmark = [
    pytest.mark.dask,
    # Workers that are killed leave sockets and warnings of `distributed` behind.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::UserWarning:distributed"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

N_FILES, N_ROWS = 24, 20_000


@pytest.fixture
def client():
    """Start a cluster of two processes for each test: a killed one may not be started again."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Write a frame of many partitions."""
    home = tmp_path_factory.mktemp("rows")
    rng = np.random.default_rng(0)
    ids = rng.permutation(N_FILES * N_ROWS)
    for place in range(N_FILES):
        pd.DataFrame(
            {
                "id": ids[place * N_ROWS : (place + 1) * N_ROWS],
                "label": rng.choice(["cat", "dog", "bird"], N_ROWS, p=[0.7, 0.2, 0.1]),
                "site": rng.integers(0, 500, N_ROWS),
                "price": rng.normal(size=N_ROWS),
            }
        ).to_parquet(home / f"{place:02}.parquet")
    return home


BY = [["label", "site"], ["label", sf.quantiles("price", 10)]]


@pytest.fixture(scope="module")
def expected(files):
    """Deal the same rows on pandas, by their ids."""
    whole = pd.read_parquet(files)
    return [
        sf.kfold(whole, by, key="id", rare="ignore").set_index("id")["fold"].sort_index()
        for by in BY
    ]


def folds_of(files, by):
    """Deal the rows of the files on the cluster, and list the folds by id."""
    folded = dd.read_parquet(files).strat.kfold(by, key="id", rare="ignore")
    return folded[["id", "fold"]].compute().set_index("id")["fold"].sort_index()


@pytest.mark.parametrize("place", range(len(BY)))
def test_folds_on_a_cluster_are_those_of_pandas(client, files, expected, place):
    """Two processes deal the folds that pandas deals."""
    pd.testing.assert_series_equal(folds_of(files, BY[place]), expected[place])


def kill_after(client, seconds, victim):
    """Kill a worker after some time, from a thread."""
    pids = list(client.run(os.getpid).values())

    def kill():
        time.sleep(seconds)
        os.kill(pids[victim], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_killed_worker_changes_nothing(client, files, expected, share):
    """A worker that is killed on the way leaves the same folds."""
    started = time.perf_counter()
    folds_of(files, BY[0])
    seconds = time.perf_counter() - started
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        thread = kill_after(client, share * seconds, victim=0)
        folds = folds_of(files, BY[0])
        thread.join()
    pd.testing.assert_series_equal(folds, expected[0])
