"""Many columns balanced at once, each on its own."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from .groups import deal_evenly, hardest_first, renumbered, search
from .rounding import unequal
from .search import Stream, goal_of, place, polish
from .types import Ints
from .units import Units, gather


def balanced_rows(
    entries: Sequence[tuple[Ints, int]], n_rows: int, shares: Sequence[Fraction], stream: Stream
) -> Ints:
    """Give every row a part, so that each entry's values come close to their shares.

    The sizes of the parts are exact shares, rounded down or up.

    Parameters
    ----------
    entries : sequence of (codes, n_values)
        Of each entry the value of every row, shape (n_rows,), range 0..n_values-1.

    Returns
    -------
    ndarray of int, shape (n_rows,), range 0..n_parts-1

    References
    ----------
    Sechidis, Tsoumakas and Vlahavas (2011), On the stratification of multi-label data.
    """
    units = units_of(entries, np.arange(n_rows), n_rows, with_sizes=False)
    goal = goal_of(units.totals, np.array([float(share) for share in shares]))
    room = unequal(np.array([n_rows]), shares, [], stream(1))[0]
    parts = deal_evenly(units, shares, stream)
    room = room - np.bincount(parts[parts >= 0], minlength=len(shares))
    place(units, hardest_first(units, np.flatnonzero(parts < 0), goal, stream), goal, parts, room)
    polish(units, goal, parts, stream, moves=False)
    return renumbered(parts, shares, stream)


def balanced_groups(
    entries: Sequence[tuple[Ints, int]],
    group: Ints,
    n_groups: int,
    shares: Sequence[Fraction],
    stream: Stream,
) -> Ints:
    """Give every group a part, so that each entry's values and sizes come close to their shares.

    Parameters
    ----------
    group : ndarray of int, shape (n_rows,), range 0..n_groups-1

    Returns
    -------
    ndarray of int, shape (n_groups,), range 0..n_parts-1
    """
    return search(units_of(entries, group, n_groups, with_sizes=True), shares, stream)


def units_of(
    entries: Sequence[tuple[Ints, int]], unit: Ints, n_units: int, *, with_sizes: bool
) -> Units:
    """Count the values of every unit; of an entry of two values only the rarer one.

    The other one is as even as it and the sizes are.
    """
    pairs: list[tuple[Ints, Ints]] = []
    n_columns = 0
    for codes, n_values in entries:
        if n_values > 2:
            pairs.append((unit, codes + n_columns))
            n_columns += n_values
            continue
        sizes = np.bincount(codes, minlength=2)
        rows = np.flatnonzero(codes == sizes.argmin())
        pairs.append((unit[rows], np.full(len(rows), n_columns)))
        n_columns += 1
    if with_sizes:
        pairs.append((unit, np.full(len(unit), n_columns)))
        n_columns += 1
    units, columns = (np.concatenate(each) for each in zip(*pairs, strict=True))
    return gather(units, columns, n_units, n_columns)
