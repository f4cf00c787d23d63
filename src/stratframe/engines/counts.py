"""Data that engines and the pipeline exchange: counted rows, their strata, and cuts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.deal import smallest_dtype
from ..core.order import CHUNK
from ..core.strata import sum_by
from ..core.types import Ints, Words

HIGHEST_WORD = np.uint64(2**64 - 1)
"""The highest 64-bit word, which is the cut point for a cut after the last row."""


class Counts(NamedTuple):
    """The counted rows of an engine's frame. Each counted row represents rows that are alike."""

    columns: dict[str, list[Any]]
    """A list of pandas or Polars series for each of `by`, `groups` and `name`. Each series belongs
    to an entry, has the name of its column, and holds a value for each counted row: for a bin, the
    highest value in the bin, or any value in it if the edges are given. Several counted rows can
    have the same values."""
    weights: Ints
    """The number of rows that each counted row represents, shape (n_counted,)."""
    lowest: Words | None = None
    """For each salt, the lowest number of the represented rows, shape (n_salts, n_counted)."""
    lows: Mapping[int, Any] = {}
    """For each entry of `by` with quantile bins, a series with the lowest value in the bin of each
    counted row. Other entries need none. The keys are the places of the entries in `by`."""
    native: Any = None
    """Private data with which the engine finds the rows of the frame again."""


def by_argument(columns: Sequence[Any], n_by: int, n_groups: int) -> dict[str, list[Any]]:
    """Group the columns of counted rows by the argument that they belong to."""
    series = list(columns)
    end = n_by + n_groups
    return {"by": series[:n_by], "groups": series[n_by:end], "name": series[end:]}


class CountedCodes(NamedTuple):
    """Counted rows and the codes of their strata."""

    counts: Counts
    codes: Ints
    """The stratum of each counted row, or -1 if its rows are not dealt; shape (n_counted,)."""
    n_strata: int

    @property
    def sizes(self) -> Ints:
        """The number of dealt rows in each stratum, shape (n_strata,)."""
        is_dealt = self.codes >= 0
        return sum_by(self.codes[is_dealt], self.counts.weights[is_dealt], self.n_strata)


class Cuts(NamedTuple):
    """Cuts that divide the rows of each stratum when the rows are ranked by their numbers."""

    strata: Ints
    """The stratum of each cut, ascending; shape (n_cuts,)."""
    ranks: Ints
    """The number of rows before each cut in its stratum; each cut has rows on both sides."""


class PartsByNumber(NamedTuple):
    """Cut points between row numbers, which divide the rows of each stratum into parts.

    The part of a row is `first` plus the number of points that are at most the row's number.
    """

    first: Ints
    """The part of the rows in each stratum with numbers below all points, or -1 if the stratum has
    no points and its rows are not dealt; shape (n_strata,)."""
    points: Words
    """The lowest number in each part after `first`, nondecreasing; shape (n_strata, n_points)."""


def parts_by_number(codes: Ints, numbers: Words, parts: PartsByNumber) -> Ints:
    """Find the part of every row from its stratum and its number, or -1 if the row is not dealt."""
    part_of_row = parts_by_cuts(codes, numbers, parts.points)
    if parts.first.any():
        part_of_row = np.where(part_of_row < 0, -1, part_of_row + parts.first[codes])
    return part_of_row


def parts_by_cuts(codes: Ints, numbers: Words, points: Words) -> Ints:
    """Find the part of every row by counting the points that are at most the number of the row.

    Only the points of the row's stratum are counted. Rows with the code -1 are not dealt and get
    the part -1.
    """
    n_cuts = points.shape[1]
    # A binary search needs one comparison for each bit of the number of cuts.
    n_steps = n_cuts.bit_length()
    padded = np.full((n_steps and 1 << n_steps, max(len(points), 1)), HIGHEST_WORD)
    padded[:n_cuts, : len(points)] = points.T
    parts = np.empty(len(codes), dtype=smallest_dtype(n_cuts + 1))
    is_all_dealt = codes.min(initial=0) >= 0
    for start in range(0, len(codes), CHUNK):
        rows = slice(start, start + CHUNK)
        strata = codes[rows] if is_all_dealt else np.maximum(codes[rows], 0)
        words = numbers[rows]
        n_reached = np.zeros(len(words), dtype=np.int64)
        for step in reversed(range(n_steps)):
            probes = padded[n_reached + ((1 << step) - 1), strata]
            n_reached += (probes <= words).astype(np.int64) << step
        np.minimum(n_reached, n_cuts, out=n_reached)
        parts[rows] = n_reached
    if not is_all_dealt:
        parts[codes < 0] = -1
    return parts
