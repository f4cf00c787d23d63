"""A forked process lacks the threads of its parent: calls do without, or say so, and never hang."""

import json
import os
import subprocess
import sys

import pytest

from tests.frames.forked import NEEDS_THREADS

LACKS_THREADS = "This call needs the threads of Polars, which a forked process does not have."
LACKS_THREADS += '\nHint: start processes with `multiprocessing.get_context("spawn")` or'
LACKS_THREADS += ' `"forkserver"`.'


@pytest.mark.skipif(sys.platform != "linux", reason="where fork is the way to start processes")
def test_forked_processes() -> None:
    """Before any call, or after the same calls, a forked process gives the same, or one error."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.frames.forked"]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "2"}
    ran = subprocess.run(command, env=env, capture_output=True, check=True, timeout=570)
    known, before, after = json.loads(ran.stdout)
    lacking = dict.fromkeys(NEEDS_THREADS, f"StratError: {LACKS_THREADS}")
    assert before == known
    assert after == known | lacking
