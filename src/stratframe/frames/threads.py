"""Recognize forked processes that lack the threads of Polars and would wait for them forever."""

import os
import re
from contextlib import suppress
from pathlib import Path

from ..errors import StratError

STARTED_IN = os.getpid()
"""The id of the process that imported this module; a forked process has a different id."""

TASKS = Path("/proc/self/task")
"""The directory in which Linux lists the threads of this process."""

POLARS_THREAD = re.compile(rb"polars-\d+\n")
"""A pattern for the name of a Polars thread; Polars starts its threads when it first needs them."""

with_threads: set[int] = set()
"""The ids of the processes that may have had Polars threads when they forked."""


def note_threads() -> None:
    names = []
    for task in TASKS.glob("*/comm"):
        with suppress(OSError):  # a thread may have ended
            names.append(task.read_bytes())
    if not names or any(map(POLARS_THREAD.fullmatch, names)):  # only Linux lists thread names
        with_threads.add(os.getpid())


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(before=note_threads)


def is_forked() -> bool:
    return os.getpid() != STARTED_IN


def has_threads() -> bool:
    """Return whether Polars can use threads: not if a process that had them forked this one."""
    return with_threads <= {os.getpid()}


def check_threads() -> None:
    if not has_threads():
        msg = (
            "This call needs the threads of Polars, which a forked process does not have."
            '\nHint: start processes with `multiprocessing.get_context("spawn")` or `"forkserver"`.'
        )
        raise StratError(msg)
