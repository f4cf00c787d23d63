"""What engines and the pipeline exchange: counted rows, their strata, and cuts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.deal import smallest_dtype
from ..core.order import CHUNK
from ..core.strata import sum_by
from ..core.types import Ints, Words

HIGHEST_WORD = np.uint64(2**64 - 1)
"""The cut point after all rows."""


class Counts(NamedTuple):
    """The rows of an engine's frame, counted by the values that make them alike."""

    columns: dict[str, list[Any]]
    """A pandas or Polars series for each entry of `by`, `groups` and `name`, with a value for
    each counted row, named like the column. A bin is given by its highest value. Several counted
    rows may have the same values."""
    weights: Ints
    """How many rows each counted row stands for, shape (n_counted,)."""
    lowest: Words | None = None
    """The lowest number among the rows of each counted row, for each salt; shape (n_salts,
    n_counted)."""
    lows: Mapping[int, Any] = {}
    """For the place of each entry of `by` that is counted by bins, a series of the lowest value of
    each bin."""
    native: Any = None
    """What the engine needs to find these rows again. No other module looks inside."""


def by_argument(columns: Sequence[Any], n_by: int, n_groups: int) -> dict[str, list[Any]]:
    """Divide the columns of counted rows among the arguments that they come from."""
    given, end = list(columns), n_by + n_groups
    return {"by": given[:n_by], "groups": given[n_by:end], "name": given[end:]}


class CountedCodes(NamedTuple):
    """Counted rows and their strata."""

    counts: Counts
    codes: Ints
    """The stratum of each counted row, -1 if it is not dealt; shape (n_counted,)."""
    n_strata: int

    @property
    def sizes(self) -> Ints:
        """How many rows of each stratum are dealt, shape (n_strata,)."""
        dealt = self.codes >= 0
        return sum_by(self.codes[dealt], self.counts.weights[dealt], self.n_strata)


class Cuts(NamedTuple):
    """Cuts in strata whose rows are ranked by their numbers."""

    strata: Ints
    """The stratum of each cut, ascending; shape (n_cuts,)."""
    ranks: Ints
    """How many rows of the stratum come before each cut: at least one, but not all."""


class PartsByNumber(NamedTuple):
    """A row's part is `first` plus the number of points in its stratum up to the row's number."""

    first: Ints
    """The part of the rows whose number is below all points, or -1 if a stratum without points has
    no part; shape (n_strata,)."""
    points: Words
    """The lowest number of each further part, nondecreasing; shape (n_strata, n_points)."""


def parts_by_number(codes: Ints, numbers: Words, parts: PartsByNumber) -> Ints:
    """Find the part of every row from its stratum and its number, -1 if it is not dealt."""
    found = parts_by_cuts(codes, numbers, parts.points)
    if parts.first.any():
        found = np.where(found < 0, found, found + parts.first[codes])
    return found


def parts_by_cuts(codes: Ints, numbers: Words, points: Words) -> Ints:
    """Find the part of every row: how many cut points of its stratum are at most its number.

    Rows with the code -1 are not dealt and get the part -1.
    """
    n_cuts = points.shape[1]
    # A binary search takes one comparison for each bit of the number of cuts.
    n_steps = n_cuts.bit_length()
    padded = np.full((n_steps and 1 << n_steps, max(len(points), 1)), HIGHEST_WORD)
    padded[:n_cuts, : len(points)] = points.T
    parts = np.empty(len(codes), dtype=smallest_dtype(n_cuts + 1))
    all_dealt = codes.min(initial=0) >= 0
    for start in range(0, len(codes), CHUNK):
        rows = slice(start, start + CHUNK)
        strata, words = codes[rows], numbers[rows]
        strata = strata if all_dealt else np.maximum(strata, 0)
        found = np.zeros(len(words), dtype=np.int64)
        for step in reversed(range(n_steps)):
            probes = padded[found + ((1 << step) - 1), strata]
            found += (probes <= words).astype(np.int64) << step
        np.minimum(found, n_cuts, out=found)
        parts[rows] = found
    if not all_dealt:
        parts[codes < 0] = -1
    return parts
