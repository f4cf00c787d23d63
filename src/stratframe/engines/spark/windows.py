"""Find the row numbers next to cuts by counting rows in windows where cuts are expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core.strata import sum_by
from ...core.types import Flags, Ints, Words
from ..base import EngineFrame, other_rows
from ..cells import cell_bits, coarser_cells, counts_by, find_cuts
from ..counts import HIGHEST_WORD, CountedCodes, Cuts
from .alike import CELL_BITS, SMALL
from .arrow import collect, places_in_lists, small_frame, unsigned, whole_column, with_sign
from .call import SparkCall, count_points
from .columns import functions

COLLECTED_ROWS = 1 << 21
"""The approximate maximum number of rows that a pass collects from windows."""

SPREAD = 5.0
"""The half-width of a window in standard deviations, if the windows contain few rows."""

ONE = np.uint64(1)


class Gaps(NamedTuple):
    """For each cut, a range of numbers that contains the rows on both sides."""

    strata: Ints
    starts: Words
    ends: Words
    """The highest number in each gap."""
    ranks: Ints
    """The number of rows before the cut in each gap."""
    sizes: Ints
    """The number of rows in each gap."""
    are_cells: Flags
    """Whether each gap is a cell. A cell has few rows, and all of them are collected."""

    def at(self, shares: Any) -> Words:
        """Return the numbers at the given shares of the length of each gap."""
        lengths = self.ends - self.starts
        inside = (lengths.astype(np.float64) * np.clip(shares, 0, 1 - 2.0**-53)).astype(np.uint64)
        return self.starts + np.where(shares < 1, np.minimum(inside, lengths), lengths)

    def windows(self, spread: float) -> tuple[Words, Words]:
        """Choose windows around the expected places of the cuts.

        References
        ----------
        Meng (2013), Scalable simple random sampling and stratified sampling.
        """
        shares = self.ranks / self.sizes
        # The last term, from Bernstein's inequality, allows for heavier tails near a gap's ends.
        widths = spread * np.sqrt(shares * (1 - shares) / self.sizes) + spread**2 / 2 / self.sizes
        widths[self.are_cells] = 1
        return self.at(shares - widths), self.at(shares + widths)


def around(
    call: SparkCall, counted: CountedCodes, salts: Sequence[int], cuts: Sequence[Cuts]
) -> list[tuple[Words, Words]]:
    cells = counted.counts.native.cells
    # Rows that were not counted by cell are searched as those of large strata.
    no_cells = np.zeros((len(counted.codes), 1 << CELL_BITS), "i1")
    words = []
    for salt, cuts_of_salt in zip(salts, cuts, strict=True):
        gaps = first_gaps(counted, cells.get(salt, no_cells), cuts_of_salt)
        words.append(search_around(call, counted, salt, gaps))
    return words


def first_gaps(counted: CountedCodes, cells: Any, cuts: Cuts) -> Gaps:
    """Choose the gap of each cut: a cell in a small stratum, or all numbers in a large stratum."""
    codes = counted.codes
    weights = counted.counts.weights
    sizes = counted.sizes
    fits = (cells.sum(axis=1) == weights) & (weights <= SMALL)
    is_large = np.zeros(len(sizes), dtype=np.bool_)
    is_large[codes[(codes >= 0) & ~fits]] = True
    bits = min(CELL_BITS, cell_bits(len(sizes)))
    counts = counts_by(codes, coarser_cells(cells, bits), len(sizes))
    counts[is_large] = sizes[is_large, None] * (np.arange(1 << bits) == 0)
    cell_of_cut, ranks = find_cuts(counts, cuts)
    are_cells = ~is_large[cuts.strata]
    starts = (cell_of_cut & ((1 << bits) - 1)).astype(np.uint64) << np.uint64(64 - bits)
    ends = np.where(are_cells, starts | (HIGHEST_WORD >> np.uint64(bits)), HIGHEST_WORD)
    return Gaps(cuts.strata, starts, ends, ranks, counts.ravel()[cell_of_cut], are_cells)


def search_around(
    call: SparkCall, counted: CountedCodes, salt: int, gaps: Gaps
) -> tuple[Words, Words]:
    """Find numbers on both sides of each cut; search again if a cut is outside its window."""
    # If a cut is at the start of a gap, the first number of the gap is the upper number.
    below = gaps.starts - ONE
    above = gaps.starts.copy()
    todo = np.flatnonzero(gaps.ranks)
    gaps = Gaps._make(each[todo] for each in gaps)
    ranks, expected = ranks_in_strata(gaps, counted.n_strata)
    spread = first_spread(gaps)
    while len(todo):
        strata, starts, ends, sizes = count_runs(call, counted, salt, gaps, spread)
        n_rows = sum_by(strata, sizes, counted.n_strata)
        if (n_rows != expected)[gaps.strata].any():
            raise other_rows()
        upto = np.cumsum(sizes)
        before = upto - sizes
        places = before[np.searchsorted(strata, gaps.strata)] + ranks
        last, first = np.searchsorted(upto, [places - 1, places], side="right")
        below[todo], above[todo] = ends[last], starts[first]
        is_missed = (last == first) & (starts < ends)[first]
        todo = todo[is_missed]
        ranks = ranks[is_missed]
        run = first[is_missed]
        within = places[is_missed] - before[run]
        # A run of rows between two windows is the gap of the next search, and is no cell.
        gaps = Gaps(strata[run], starts[run], ends[run], within, sizes[run], run < 0)
        spread *= 8
    return below, above


def ranks_in_strata(gaps: Gaps, n_strata: int) -> tuple[Ints, Ints]:
    """Rank each cut among the rows in all gaps of its stratum, and count these rows by stratum."""
    # The rows of a gap with several cuts are counted only once.
    is_repeat = np.append(False, (np.diff(gaps.strata) == 0) & (np.diff(gaps.starts) == 0))
    n_new = np.where(is_repeat[: len(gaps.strata)], 0, gaps.sizes)
    upto = np.cumsum(n_new)
    before_stratum = (upto - n_new)[np.searchsorted(gaps.strata, gaps.strata)]
    ranks = upto - gaps.sizes - before_stratum + gaps.ranks
    return ranks, sum_by(gaps.strata, n_new, n_strata)


def first_spread(gaps: Gaps) -> float:
    """Choose how wide windows are, in standard deviations; they are narrower if rows are many."""
    deviations = np.sqrt(gaps.ranks * (1 - gaps.ranks / gaps.sizes))[~gaps.are_cells]
    n_near = max(2 * SPREAD * float(deviations.sum()), 1)
    return SPREAD * min(max(COLLECTED_ROWS / n_near, 0.2), 1)


def count_runs(
    call: SparkCall, counted: CountedCodes, salt: int, gaps: Gaps, spread: float
) -> tuple[Ints, Words, Words, Ints]:
    """Collect the numbers in windows around the cuts, and count the rows between the windows.

    Returns the stratum, the lowest and highest possible numbers, and the size of each run of rows,
    in ascending order. In a run of collected rows, the lowest and highest numbers are equal.
    """
    lows, highs = gaps.windows(spread)
    table = rows_by_window(call, counted, salt, gaps, lows, highs)
    strata = whole_column(table, "stratum")
    begun = whole_column(table, "begun")
    following = np.searchsorted(gaps.strata, strata) + begun
    is_last = following == np.searchsorted(gaps.strata, strata, side="right")
    starts = np.where(begun > 0, highs[following - 1] + ONE, np.uint64(0))
    ends = np.where(is_last, HIGHEST_WORD, np.append(lows, ONE)[following] - ONE)
    is_inside = table["value"].is_not_null().to_numpy()
    numbers = unsigned(whole_column(table, "value"))
    starts = np.where(is_inside, numbers, starts)
    ends = np.where(is_inside, numbers, ends)
    return strata, starts, ends, whole_column(table, "n")


def rows_by_window(
    call: SparkCall, counted: CountedCodes, salt: int, gaps: Gaps, lows: Words, highs: Words
) -> Any:
    """Count the rows of the strata that have gaps in and between the windows around the cuts."""
    hashes = counted.counts.native
    codes = counted.codes
    are_cells = np.zeros(counted.n_strata, dtype=np.bool_)
    are_cells[gaps.strata] = gaps.are_cells
    places, lengths = places_in_lists(codes, gaps.strata)
    has_gaps = lengths > 0
    known = small_frame(
        call.frame,
        {
            "s": hashes.values[has_gaps],
            "stratum": codes[has_gaps],
            "near_only": are_cells[codes[has_gaps]],
            "lows": (with_sign(lows)[places], lengths[has_gaps]),
            "highs": (with_sign(highs)[places], lengths[has_gaps]),
        },
    )
    rows = call.rows.select(call.stratum(hashes.salt).alias("s"), call.number(salt).alias("value"))
    joined = rows.join(functions().broadcast(known), "s")
    return count_in_windows(joined, int(lengths.max()), near_only=bool(gaps.are_cells.all()))


def count_in_windows(rows: EngineFrame, n_windows: int, *, near_only: bool = False) -> Any:
    """Count the rows in windows by value, and other rows by the number of windows before them.

    The columns of `rows` are `stratum`, `value`, `near_only`, `lows` and `highs`. The lists `lows`
    and `highs` have the ends of windows in ascending order. If `near_only` is true in a row, the
    row is left out if it is outside windows. Returns a sorted frame with the columns `stratum`,
    `begun` (the number of windows that begin at or below the value), `value` (null outside windows)
    and `n`. The argument `near_only` says that all strata are; each row is then counted separately.
    """
    sf = functions()
    begun = count_points(sf.col("lows"), n_windows, sf.col("value").__ge__)
    rows = rows.select("stratum", "near_only", "value", "highs", begun.alias("begun"))
    is_inside = sf.col("value") <= sf.get("highs", sf.col("begun") - 1)
    near = sf.when(is_inside, sf.col("value")).alias("value")
    rows = rows.select("stratum", "begun", near, "near_only")
    rows = rows.filter(sf.col("value").isNotNull() | ~sf.col("near_only")).drop("near_only")
    if near_only:
        counted = rows.withColumn("n", sf.lit(1))
    else:
        counted = rows.groupBy("stratum", "begun", "value").agg(sf.count(sf.lit(1)).alias("n"))
    return collect(counted).sort("stratum", "begun", "value", nulls_last=True)
