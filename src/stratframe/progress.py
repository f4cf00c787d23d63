"""Progress bars for work that takes more than a second, if tqdm is installed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager, suppress
from importlib import import_module
from math import inf
from time import monotonic
from typing import Any, TypeVar, cast

PATIENCE = 1.0
"""The number of seconds before a bar appears."""

Item = TypeVar("Item")


@contextmanager
def progress_bar(total: int, what: str, unit: str = " rows") -> Iterator[Callable[[int], None]]:
    """Yield a function that counts the work done and shows it in a terminal or a notebook."""
    bar: Any = None
    done = 0
    due = monotonic() + PATIENCE

    def progress(n: int) -> None:
        """Count the work done; import tqdm only when a bar is due, as the import is slow."""
        nonlocal bar, done, due
        done += n
        if bar is not None:
            bar.update(n)
        elif done < total and monotonic() >= due:
            due = inf
            with suppress(ImportError), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # tqdm warns in notebooks without widgets
                bar = import_module("tqdm.auto").tqdm(
                    total=total,
                    initial=done,
                    desc=what,
                    unit=unit,
                    disable=None,  # shows bars only in terminals and notebooks
                    leave=None,  # keeps only the outermost bar
                )

    try:
        yield progress
    finally:
        if bar is not None:
            bar.close()


def track(
    items: Iterable[Item], what: str, unit: str = " columns", total: int | None = None
) -> Iterator[Item]:
    """Iterate over items with a progress bar; items without a length need a `total`."""
    n_items = len(cast("Sized", items)) if total is None else total
    with progress_bar(n_items, what, unit) as progress:
        for item in items:
            yield item
            progress(1)
