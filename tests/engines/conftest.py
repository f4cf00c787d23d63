"""Fixture: every engine, as `frame` is every kind of frame."""

from collections.abc import Iterator

import pytest

from tests.engines.frames import EngineFrames, on_dask, on_duckdb, on_spark
from tests.engines.session import spark

__all__ = ["engine", "spark"]


@pytest.fixture(
    params=[
        "duckdb",
        pytest.param("dask", marks=pytest.mark.dask),
        pytest.param("spark", marks=pytest.mark.spark),
    ]
)
def engine(request: pytest.FixtureRequest) -> Iterator[EngineFrames]:
    if request.param == "spark":
        yield from on_spark(request.getfixturevalue("spark"))
    else:
        yield from {"duckdb": on_duckdb, "dask": on_dask}[request.param]()


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Compute Dask frames without threads and processes, and leave text as pandas has it."""
    from tests.engines.dask_frames import ONE_THREAD, dask

    with dask.config.set(ONE_THREAD):
        yield
