"""Threads that a forked process lacks, and for which its libraries would wait for ever."""

import os
import re
from contextlib import suppress
from pathlib import Path

from ..errors import StratError

STARTED_IN = os.getpid()
"""The process that imported this module; processes forked from it have different numbers."""

TASKS = Path("/proc/self/task")
"""The threads of this process, which Linux lists."""

POLARS_THREAD = re.compile(rb"polars-\d+\n")
"""The name of a thread in the pool that Polars starts when it first needs one."""

with_threads: set[int] = set()
"""Processes that had, or may have had, Polars threads when another process was forked from them."""


def note_threads() -> None:
    names = []
    for task in TASKS.glob("*/comm"):
        with suppress(OSError):  # a thread may have ended
            names.append(task.read_bytes())
    if not names or any(map(POLARS_THREAD.fullmatch, names)):  # names are listed on Linux only
        with_threads.add(os.getpid())


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(before=note_threads)


def is_forked() -> bool:
    return os.getpid() != STARTED_IN


def has_threads() -> bool:
    """Return whether Polars can use threads, which it starts once for a process and its forks."""
    return with_threads <= {os.getpid()}


def check_threads() -> None:
    if not has_threads():
        msg = (
            "This call needs the threads of Polars, which a forked process does not have."
            '\nHint: start processes with `multiprocessing.get_context("spawn")` or `"forkserver"`.'
        )
        raise StratError(msg)
