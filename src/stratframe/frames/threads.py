"""Threads that a forked process lacks, and for which its libraries would wait for ever."""

import os
import re
from pathlib import Path

from ..errors import StratError

STARTED_IN = os.getpid()
"""The process that imported this module; those that are forked from it have other numbers."""

TASKS = Path("/proc/self/task")
"""The threads of this process, on Linux."""

POLARS_THREAD = re.compile(r"polars-\d+\n")

with_threads: set[int] = set()
"""Processes in which Polars had started its threads when another was forked from them."""


def note_threads() -> None:
    """Note whether Polars has threads, before a fork; where none are listed, it may have some."""
    names = [(task / "comm").read_text() for task in TASKS.glob("*")]
    if not names or any(map(POLARS_THREAD.fullmatch, names)):
        with_threads.add(os.getpid())


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(before=note_threads)


def is_forked() -> bool:
    """Return whether this process was forked from that which imported stratframe."""
    return os.getpid() != STARTED_IN


def has_threads() -> bool:
    """Return whether Polars can use threads: those of this process, or of none before it."""
    return with_threads <= {os.getpid()}


def check_threads() -> None:
    """Raise if Polars would wait for threads that a fork has left behind."""
    if not has_threads():
        msg = (
            "This call needs the threads of Polars, which a forked process does not have."
            '\nHint: start processes by `multiprocessing.get_context("spawn")` or `"forkserver"`.'
        )
        raise StratError(msg)
