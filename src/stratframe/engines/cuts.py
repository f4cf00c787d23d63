"""Cut points of the numbers of rows, found from quotas and the numbers on both sides of each cut.

This does the work of `deal_by_rank` in core/deal.py for rows on other machines;
tests/engines/test_cuts.py checks that the two agree. The rows of a stratum are ranked by their
numbers. The first rows, as many as its quota, go to part 0, the next to part 1, and so on. So a
row's part is the count of cut points of its stratum that are at most its own number.
"""

from __future__ import annotations

import numpy as np

from ..core.types import Flags, StratumTable, Words
from .counts import HIGHEST_WORD, Cuts


def list_cuts(table: StratumTable) -> tuple[Cuts, Flags]:
    """List the cuts with rows on both sides, and flag them, shape (n_strata, n_parts - 1)."""
    before = np.cumsum(table, axis=1)[:, :-1]
    is_inner = (before > 0) & (before < table.sum(axis=1)[:, None])
    return Cuts(np.nonzero(is_inner)[0], before[is_inner]), is_inner


def cut_points(table: StratumTable, is_inner: Flags, after: Words) -> Words:
    """Make the points of every stratum, given those of the cuts with rows on both sides.

    Returns shape (n_strata, n_parts - 1), nondecreasing along the parts.
    """
    before = np.cumsum(table, axis=1)[:, :-1]
    points = np.where(before > 0, HIGHEST_WORD, np.uint64(0))
    points[is_inner] = after
    return points
