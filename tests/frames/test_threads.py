"""A forked process lacks the threads of its parent: calls do without, or say so, and never hang."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import stratframe as sf
from stratframe.frames import threads
from tests.frames.forked import NEEDS_THREADS, WORKS, answer

LACKS_THREADS = (
    "This call needs the threads of Polars, which a forked process does not have."
    '\nHint: start processes by `multiprocessing.get_context("spawn")` or `"forkserver"`.'
)


@pytest.mark.skipif(sys.platform != "linux", reason="where fork is the way to start processes")
@pytest.mark.parametrize("order", ["", "--first"])
def test_forked_processes(order: str) -> None:
    """After the same calls, or before any, a forked process gives the same, or one error."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.frames.forked", order]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=570)
    known, found = json.loads(ran.stdout)
    lacking = {} if order else dict.fromkeys(NEEDS_THREADS, f"StratError: {LACKS_THREADS}")
    assert found == known | lacking


@pytest.fixture
def _forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take this process for a child of one that had threads."""
    monkeypatch.setattr(threads, "with_threads", {-1})
    monkeypatch.setattr(threads, "STARTED_IN", -1)


@pytest.mark.parametrize("name", WORKS)
def test_what_needs_no_threads(name: str, request: pytest.FixtureRequest) -> None:
    """What works without threads gives the same as with them."""
    known = answer(name)
    request.getfixturevalue("_forked")
    assert answer(name) == known


@pytest.mark.usefixtures("_forked")
@pytest.mark.parametrize("call", NEEDS_THREADS.values(), ids=NEEDS_THREADS)
def test_what_needs_threads(call: Callable[[], Any]) -> None:
    """What cannot do without them says how to start processes that have them."""
    with pytest.raises(sf.StratError) as caught:
        call()
    assert str(caught.value) == LACKS_THREADS
