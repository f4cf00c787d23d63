"""Fixture: every engine, as `frame` is every kind of frame."""

from collections.abc import Iterator

import pytest

from tests.engines.frames import EngineFrames, duck_frame, on_dask, on_duckdb, on_spark
from tests.engines.session import spark

__all__ = ["duck_frame", "engine", "spark"]


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
    elif request.param == "duckdb":
        yield from on_duckdb(request.getfixturevalue("duck_frame"))
    else:
        yield from on_dask()


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Compute Dask frames without threads and processes, and leave text as pandas has it."""
    from tests.engines.dask_frames import ONE_THREAD, dask

    with dask.config.set(ONE_THREAD):
        yield
