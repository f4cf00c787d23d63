"""The versions of all that takes part, beside the figures."""

from importlib.metadata import version
from typing import Any

import polars as pl

PEERS = (
    "numpy",
    "pandas",
    "polars",
    "scikit-learn",
    "scipy",
    "iterative-stratification",
    "dask",
    "pyspark",
)


def pytest_benchmark_update_machine_info(config: Any, machine_info: dict[str, Any]) -> None:
    """Add the versions of the libraries, and the threads that Polars uses."""
    machine_info["versions"] = {name: version(name) for name in PEERS}
    machine_info["polars_threads"] = pl.thread_pool_size()
