"""A progress bar for what takes its time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 2.0
"""Seconds before a bar shows."""


@contextmanager
def bar(total: int, what: str) -> Iterator[Callable[[int], object]]:
    """Show a bar on a terminal, if tqdm is installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield lambda count: None
        return
    with tqdm(total=total, desc=what, unit=" rows", delay=PATIENCE, disable=None) as shown:
        yield shown.update
