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
    n_rows : int
    shares : sequence of Fraction
        Of the parts; they sum to 1.
    stream : Stream

    Returns
    -------
    ndarray of int, shape (n_rows,), range 0..n_parts-1

    References
    ----------
    Sechidis, Tsoumakas and Vlahavas (2011), On the stratification of multi-label data.

    Examples
    --------
    >>> from stratframe.core.draws import Use, stream_of
    >>> tags = [(np.array([0, 1, 1, 0]), 2), (np.array([0, 1, 0, 1]), 2)]
    >>> halves = [Fraction(1, 2)] * 2
    >>> parts = balanced_rows(tags, 4, halves, stream_of(0, Use.FOLD_SEARCH))
    >>> [sorted(codes[parts == 0].tolist()) for codes, _ in tags]
    [[0, 1], [0, 1]]
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
    entries, shares, stream
        As for `balanced_rows`.
    group : ndarray of int, shape (n_rows,), range 0..n_groups-1
    n_groups : int

    Returns
    -------
    ndarray of int, shape (n_groups,), range 0..n_parts-1

    Examples
    --------
    >>> from stratframe.core.draws import Use, stream_of
    >>> tags, group = [(np.array([0, 0, 1, 1, 0, 1]), 2)], np.array([0, 0, 1, 1, 2, 3])
    >>> halves, stream = [Fraction(1, 2)] * 2, stream_of(0, Use.FOLD_SEARCH)
    >>> parts = balanced_groups(tags, group, 4, halves, stream)[group]
    >>> np.bincount(parts).tolist()
    [3, 3]
    """
    return search(units_of(entries, group, n_groups, with_sizes=True), shares, stream)


def units_of(
    entries: Sequence[tuple[Ints, int]], unit: Ints, n_units: int, *, with_sizes: bool
) -> Units:
    """Count the values of every unit; of an entry of two values only the rarer one.

    The other one is as even as it and the sizes are.

    Examples
    --------
    >>> tags = [(np.array([0, 1, 1, 1]), 2)]
    >>> units_of(tags, np.arange(4), 4, with_sizes=False).totals
    array([1])
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
