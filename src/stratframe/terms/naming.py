"""What strata are called: the values and the bins of their entries."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import frames
from ..core.types import Ints
from .base import Bins, Quantiles
from .entry import Entry


def stratum_values(entry: Entry, first: Ints, parent: Ints, child: Ints) -> Any:
    """Name strata by the values of an entry.

    Parameters
    ----------
    first : ndarray of int, shape (n_strata,)
        The first dealt row of each stratum.
    parent, child : ndarray of int, shape (n_dealt,)
        As `children` takes and gives them.
    """
    match entry.term:
        case Bins(edges=edges, closed=closed):
            texts = spelled(list(edges))
            names = [interval(texts, place, closed) for place in range(len(texts) - 1)]
            return [names[code] if code < len(names) else None for code in child[first].tolist()]
        case Quantiles():
            return quantile_names(entry, first, parent, child)
        case _:
            return values_at(entry, first)


def values_at(entry: Entry, places: Ints) -> Any:
    """Take the column's own values at some dealt rows."""
    return frames.take(entry.series[0], places if entry.rows is None else entry.rows[places])


def interval(edges: Sequence[str], place: int, closed: str) -> str:
    """Write the bin between two edges, with the outermost edge included."""
    opens = "[" if closed == "left" or place == 0 else "("
    closes = "]" if closed == "right" or place == len(edges) - 2 else ")"
    return f"{opens}{edges[place]}, {edges[place + 1]}{closes}"


def quantile_names(entry: Entry, first: Ints, parent: Ints, child: Ints) -> list[str | None]:
    """Name quantile bins by their cuts: each reaches up to its own highest value."""
    known = np.flatnonzero(~entry.missing)
    known = known[np.lexsort((entry.data[known], child[known], parent[known]))]
    same = (np.diff(parent[known]) == 0) & (np.diff(child[known]) == 0)
    highest = known[np.append(~same, True)[: len(known)]]
    lowest = known[np.append(True, ~same)[: len(known)]]
    # A bin starts at the cut below it; the lowest of its parent at its own lowest value.
    below = np.where(child[highest] == 0, lowest, np.roll(highest, 1))
    texts = texts_at(entry, np.append(below, highest))
    names = {
        pair: f"{'[' if pair[1] == 0 else '('}{low}, {high}]"
        for pair, low, high in zip(
            zip(parent[highest].tolist(), child[highest].tolist(), strict=True),
            texts[: len(below)],
            texts[len(below) :],
            strict=True,
        )
    }
    wanted = zip(parent[first].tolist(), child[first].tolist(), strict=True)
    return [names.get(pair) for pair in wanted]


def texts_at(entry: Entry, places: Ints) -> list[str]:
    """Write the values at some dealt rows, numbers in short."""
    return spelled(frames.to_list(values_at(entry, places)))


def spelled(values: Sequence[Any]) -> list[str]:
    """Write values, floats with the fewest digits that tell them apart."""
    if not all(isinstance(value, float) for value in values):
        return [str(value) for value in values]
    texts = [f"{value:g}" for value in values]
    for digits in range(7, 18):
        if len(set(texts)) == len(set(values)):
            break
        texts = [f"{value:.{digits}g}" for value in values]
    return texts
