"""Fixtures: every kind of frame that the contract names."""

import gc
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import stratframe as sf  # noqa: F401 - registers .strat
from tests.helpers import KINDS, eager, fixture_of_kinds, make, values

__all__ = ["KINDS", "eager", "frame", "kind", "make", "values"]

settings.register_profile("stratframe", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=2_500)
settings.load_profile("stratframe")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Use no workers for single files, where they cost more time, and for benchmarks."""
    paths = [Path(arg) for arg in config.args]
    return None if all(path.is_dir() and path.name != "benchmarks" for path in paths) else 0


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let the garbage collector look seldom: modules and thousands of cases stay.

    They are not frozen, as Hypothesis asks the collector what refers to its random numbers.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.set_threshold(10_000)
        gc.enable()


@pytest.fixture(autouse=True)
def no_open_figures() -> Iterator[None]:
    """Close what a test has drawn: pyplot warns of many open figures."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


kind = fixture_of_kinds(KINDS)


@pytest.fixture
def frame(kind: str) -> Callable[[dict[str, Any]], Any]:
    """Make a frame of the kind under test."""
    return lambda data: make(kind, data)
