"""Progress bars from tqdm, if it is installed, for work that takes more than a second."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager, suppress
from importlib import import_module
from math import inf
from time import monotonic
from typing import Any, TypeVar, cast

PATIENCE = 1.0
"""Seconds before a bar appears."""

Item = TypeVar("Item")


@contextmanager
def progress_bar(total: int, what: str, unit: str = " rows") -> Iterator[Callable[[int], None]]:
    """Yield a function that counts the work done, with a bar on a terminal or in a notebook."""
    bar: Any = None
    done, due = 0, monotonic() + PATIENCE

    def progress(n: int) -> None:
        """Count the work done; import tqdm, which takes a while, only when a bar is due."""
        nonlocal bar, done, due
        done += n
        if bar is not None:
            bar.update(n)
        elif done < total and monotonic() >= due:
            due = inf
            with suppress(ImportError), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about notebooks without widgets
                look = {"total": total, "initial": done, "desc": what, "unit": unit}
                # Outside notebooks it appears only on a terminal; only the outermost bar stays.
                bar = import_module("tqdm.auto").tqdm(**look, disable=None, leave=None)

    try:
        yield progress
    finally:
        if bar is not None:
            bar.close()


def track(
    items: Iterable[Item], what: str, unit: str = " columns", total: int | None = None
) -> Iterator[Item]:
    """Iterate over items with a progress bar; `total` is for items without a length."""
    n_items = len(cast("Sized", items)) if total is None else total
    with progress_bar(n_items, what, unit) as progress:
        for item in items:
            yield item
            progress(1)
