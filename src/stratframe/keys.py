"""`key`: the rows in the order of one or several columns that name each row once."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .core.types import Ints
from .entries import column_numbers
from .frames import ranks
from .schemas import Rule


def key_rules(key: Sequence[Any], places: Ints | None) -> list[Rule]:
    """Say what a call asks of its keys: none missing, and together none twice.

    Parameters
    ----------
    places : ndarray of int, shape (n_rows,), optional
        The rank of every row's keys, if none is missing.
    """
    rules = [
        Rule(
            f"key {place}" if series.name is None else series.name,
            key_text(series, place),
            series,
            column_numbers(series),
        )
        for place, series in enumerate(key, start=1)
    ]
    if places is not None:
        texts = ", ".join(rule.text for rule in rules)
        rules.append(Rule("key", f"`key` ({texts})", places, unique=True))
    return rules


def key_text(series: Any, place: int) -> str:
    """Name a key column for messages."""
    return f"entry {place} of `key`" if series.name is None else repr(series.name)


def key_order(key: Sequence[Any]) -> tuple[Ints, Ints]:
    """Order the rows by their keys, the first key first.

    Returns
    -------
    rows : ndarray of int64, shape (n_rows,)
    places : ndarray of int64, shape (n_rows,)
        The dense rank of every row's keys; the highest is below n_rows - 1 if keys repeat.
    """
    ranked = [ranks.ranks(series) for series in key]
    rows = np.lexsort(ranked[::-1])
    repeats = np.logical_and.reduce([np.diff(ranks[rows]) == 0 for ranks in ranked])
    places = np.empty(len(rows), dtype=np.int64)
    places[rows] = np.cumsum(np.append(False, ~repeats)[: len(rows)])
    return rows, places
