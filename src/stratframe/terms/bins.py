"""Numbers: an order of the rows (continuous), quantile bins, bins with given edges."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from math import lcm
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from .. import frames
from ..core.strata import edge_bins, quantile_bins, sum_by
from ..core.types import Ints, Values
from ..errors import StratError, above_limit, describe, one_of, plural, preview, warn
from ..frames import Rule
from .base import (
    LEFT_NULL,
    ByEdges,
    ByQuantiles,
    ColumnRef,
    ColumnTerm,
    EncodedColumns,
    Missing,
    RowOrder,
    Substrata,
    value_order,
)

if TYPE_CHECKING:
    from .entry import BoundTerm

MAX_BINS = 1_000_000
"""Bins of a stratum that a call may ask for."""

MAX_EDGES_SHOWN = 12
"""Edges that a message lists."""

DECILES = 10
"""Bins into which a continuous entry is cut where an order is of no use."""

FIVE_BINS = 5
"""Bins that show how even an order is, at most."""


class NumericTerm(ColumnTerm):
    """What terms of numbers share."""

    def read(self, series: Sequence[Any], /) -> EncodedColumns:
        """Read numbers, dates or a categorical of numbers."""
        return EncodedColumns(*frames.read_ordinal(series[0], str(self)))


@dataclass(frozen=True, eq=False)
class Continuous(NumericTerm):
    """A column that orders the rows inside their stratum."""

    function: ClassVar[str] = "sf.continuous"
    orders_rows: ClassVar[bool] = True
    uses_row_order: ClassVar[bool] = True

    columns: tuple[ColumnRef, ...]
    name: Hashable | None = None

    def row_order(self, data: Values) -> RowOrder:
        """Order the rows by value."""
        return value_order(data)

    def counted_by(self) -> None:
        """Need all rows at once, as their order does."""
        return

    def without_order(self) -> Quantiles:
        """Cut the column at its deciles."""
        return Quantiles(self.columns, DECILES, self.name, warns=False)

    def in_bins(self, k: int) -> OrderBins:
        """Cut the column into bins that show how even k folds are in its order."""
        return OrderBins(self.columns, FIVE_BINS, self.name, k=k)

    def rules(self, missing: Missing, /) -> list[Rule]:
        """Need finite numbers: what has no value has no place in the order."""
        cut = "drop these rows, or cut the column, as in `sf.quantiles({column}, 10)`"
        return [Rule(missing != "null", finite=True, hint=f"{cut}; {LEFT_NULL}")]


@dataclass(frozen=True, eq=False)
class Quantiles(NumericTerm):
    """A column cut at its quantiles inside the parent stratum."""

    function: ClassVar[str] = "sf.quantiles"

    columns: tuple[ColumnRef, ...]
    n: int
    name: Hashable | None = None
    warns: bool = True
    """Whether fewer bins than `n` are worth a warning."""

    def shown_arguments(self) -> list[str]:
        """Write the number of bins."""
        return [str(self.n)]

    def counted_by(self) -> ByQuantiles:
        """Take rows of one bin as alike, once its cuts are found."""
        return ByQuantiles(self.n)

    def divide(self, entry: BoundTerm, parent: Ints, n_parents: int) -> Substrata:
        """Cut the values of every parent stratum at their quantiles."""
        return cut_present(entry, parent, self.cut)

    def cut(self, values: Values, parent: Ints, weights: Ints | None) -> tuple[Ints, int]:
        """Find the bin of every value, and warn if there are fewer than asked for."""
        bins, counts = quantile_bins(parent, values, self.n, weights)
        self.warn_few(counts)
        return bins, self.n

    def warn_few(self, counts: Ints) -> None:
        """Warn if strata got fewer bins than asked for; 0 is a stratum without values."""
        counts = counts[counts > 0]
        short = counts < self.n
        if short.any() and self.warns:
            produced = f"{plural(int(counts.min()), 'bin')} instead of {self.n}"
            if len(counts) > 1:
                produced = (
                    f"fewer bins than {self.n} in {short.sum()} of {len(counts)} strata"
                    f" (as few as {counts.min()})"
                )
            warn(f"`{self}` produced {produced}, because equal values stay in one bin.")

    def labels(self, entry: BoundTerm, division: Substrata, parent: Ints, rows: Ints) -> Any:
        """Name a bin by its cuts: it reaches up to its own highest value."""
        child = division.codes
        known = np.flatnonzero(~entry.missing)
        known = known[np.lexsort((entry.data[known], child[known], parent[known]))]
        same = (np.diff(parent[known]) == 0) & (np.diff(child[known]) == 0)
        highest = known[np.append(~same, True)[: len(known)]]
        lowest = known[np.append(True, ~same)[: len(known)]]
        # A bin starts at the cut below it; the lowest of its parent at its own lowest value.
        below = np.where(child[highest] == 0, lowest, np.roll(highest, 1))
        texts = format_floats(frames.to_list(entry.values_at(np.append(below, highest))))
        names = {
            (stratum, bin_): f"{'[' if bin_ == 0 else '('}{low}, {high}]"
            for stratum, bin_, low, high in zip(
                parent[highest].tolist(),
                child[highest].tolist(),
                texts[: len(below)],
                texts[len(below) :],
                strict=True,
            )
        }
        wanted = zip(parent[rows].tolist(), child[rows].tolist(), strict=True)
        return [names.get(pair) for pair in wanted]


@dataclass(frozen=True, eq=False)
class OrderBins(Quantiles):
    """Bins that show how even an order is: up to `n`, fewer where a stratum has few rows."""

    k: int = 2
    """The number of folds: each should have two rows of a bin."""
    is_guessed: bool = False
    """Whether a column of whole numbers was taken as continuous, and the user did not say so."""
    warns: bool = False

    def counted_by(self) -> ByQuantiles:
        """Take rows as alike between cuts that are those of any number of bins up to `n`."""
        return ByQuantiles(lcm(*range(1, self.n + 1)))

    def cut(self, values: Values, parent: Ints, weights: Ints | None) -> tuple[Ints, int]:
        """Find the bin of every value."""
        sizes = sum_by(parent, weights, int(parent.max(initial=-1)) + 1)
        wanted = np.clip(sizes // (2 * self.k), 1, self.n)[parent]
        bins = np.zeros(len(values), dtype=np.int64)
        for n in range(2, self.n + 1):
            rows = np.flatnonzero(wanted == n)
            if len(rows):
                own = None if weights is None else weights[rows]
                bins[rows] = quantile_bins(parent[rows], values[rows], n, own)[0]
        return bins, self.n


@dataclass(frozen=True, eq=False)
class Bins(ColumnTerm):
    """A column cut at given edges."""

    function: ClassVar[str] = "sf.bins"

    columns: tuple[ColumnRef, ...]
    edges: tuple[float, ...]
    closed: Literal["right", "left"]
    name: Hashable | None = None

    def shown_arguments(self) -> list[str]:
        """Write the edges."""
        edges = (f"{edge:.15g}" for edge in self.edges)
        return [f"[{preview(edges, len(self.edges), MAX_EDGES_SHOWN)}]"]

    def counted_by(self) -> ByEdges:
        """Take rows of one bin as alike."""
        return ByEdges(self.edges, self.closed)

    def read(self, series: Sequence[Any], /) -> EncodedColumns:
        """Read numbers that compare with the edges."""
        return EncodedColumns(*frames.read_comparable(series[0], str(self)))

    def rules(self, missing: Missing, /) -> list[Rule]:
        """Need values between the outermost edges."""
        return [
            rule._replace(within=(self.edges[0], self.edges[-1])) for rule in super().rules(missing)
        ]

    def divide(self, entry: BoundTerm, parent: Ints, n_parents: int) -> Substrata:
        """Find the bin of every value."""
        return cut_present(entry, parent, self.cut)

    def cut(self, values: Values, *_: Ints | None) -> tuple[Ints, int]:
        """Find the bin of every value, and count the bins."""
        return edge_bins(values, np.array(self.edges), self.closed), len(self.edges) - 1

    def labels(self, entry: BoundTerm, division: Substrata, parent: Ints, rows: Ints) -> Any:
        """Name a bin by its edges."""
        texts = format_floats(self.edges)
        names = [interval(texts, place, self.closed) for place in range(len(texts) - 1)]
        codes = division.codes[rows].tolist()
        return [names[code] if code < len(names) else None for code in codes]


def cut_present(
    entry: BoundTerm, parent: Ints, cut: Callable[[Values, Ints, Ints | None], tuple[Ints, int]]
) -> Substrata:
    """Cut the values that are there; missing ones are the last child."""
    weights = entry.weights
    if not entry.missing.any():
        return Substrata(*cut(entry.data, parent, weights))
    known = ~entry.missing
    codes, n = cut(entry.data[known], parent[known], None if weights is None else weights[known])
    children = np.full(len(parent), n, dtype=np.int64)
    children[known] = codes
    return Substrata(children, n + 1)


def interval(edges: Sequence[str], place: int, closed: str) -> str:
    """Write the bin between two edges, with the outermost edge included."""
    opens = "[" if closed == "left" or place == 0 else "("
    closes = "]" if closed == "right" or place == len(edges) - 2 else ")"
    return f"{opens}{edges[place]}, {edges[place + 1]}{closes}"


def format_floats(values: Sequence[Any]) -> list[str]:
    """Write values, floats with the fewest digits that tell them apart."""
    if not all(isinstance(value, float) for value in values):
        return [str(value) for value in values]
    texts = [f"{value:g}" for value in values]
    for digits in range(7, 18):
        if len(set(texts)) == len(set(values)):
            break
        texts = [f"{value:.{digits}g}" for value in values]
    return texts


def continuous(column: ColumnRef, *, name: Hashable | None = None) -> Continuous:
    """Order rows by a column within each stratum, so that similar rows go to different folds.

    Sorted stratification for k folds, fractional stratification for unequal parts.
    It must be the last entry of `by`, and only once.

    Parameters
    ----------
    column : column name, Polars expression, or callable of a pandas frame
        Numbers or dates, none missing or infinite.
    name : hashable, optional
        Name of its stratum column in result frames.

    Returns
    -------
    Continuous

    References
    ----------
    Lowe (2016), Stratified validation splits for regression problems.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"price": [1, 2, 3, 40, 50, 60]})
    >>> df.strat.kfold(sf.continuous("price"), k=3)["fold"].tolist()
    [0, 2, 1, 1, 0, 2]
    """
    return Continuous((column,), name)


def quantiles(column: ColumnRef, n: int, *, name: Hashable | None = None) -> Quantiles:
    """Cut a column at its quantiles within each parent stratum.

    The cuts are those of `np.quantile(..., method="inverted_cdf")`; bins are closed on the
    right, as in `pd.qcut`. Equal values stay in one bin, with a warning if that produces
    fewer bins than `n`.

    Parameters
    ----------
    column : column name, Polars expression, or callable of a pandas frame
        Numbers, dates, or a categorical of numbers.
    n : int
        Number of bins, at least 2.
    name : hashable, optional
        Name of its stratum column in result frames.

    Returns
    -------
    Quantiles

    Raises
    ------
    StratError
        If `n` is not a whole number of at least 2.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"price": [1, 2, 3, 40, 50, 60]})
    >>> sf.plan(df, sf.quantiles("price", 2), k=2)
         price  fold  n
    0   [1, 3]     0  2
    1   [1, 3]     1  1
    2  (3, 60]     0  1
    3  (3, 60]     1  2
    """
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 2:
        msg = f"`n` of `sf.quantiles` must be a whole number of at least 2, got {describe(n)}."
        raise StratError(msg)
    if n > MAX_BINS:
        raise StratError(above_limit("`n` of `sf.quantiles`", MAX_BINS, "bin", int(n)))
    return Quantiles((column,), int(n), name)


def bins(
    column: ColumnRef,
    edges: Sequence[float],
    *,
    closed: Literal["right", "left"] = "right",
    name: Hashable | None = None,
) -> Bins:
    """Cut a column at given edges.

    Parameters
    ----------
    column : column name, Polars expression, or callable of a pandas frame
        Numbers, or a categorical of numbers. A value outside the edges is an error.
    edges : sequence of float
        At least 2, increasing; the outermost may be infinite.
    closed : {"right", "left"}
        Which edge belongs to a bin. The lowest edge (with "left" the highest) is always
        included.
    name : hashable, optional
        Name of its stratum column in result frames.

    Returns
    -------
    Bins

    Raises
    ------
    StratError
        If the edges do not increase, or `closed` is neither of the two.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"age": [0, 18, 19, 64]})
    >>> sf.plan(df, sf.bins("age", [0, 18, 65]), k=2)
            age  fold  n
    0   [0, 18]     0  1
    1   [0, 18]     1  1
    2  (18, 65]     0  1
    3  (18, 65]     1  1
    """
    if not isinstance(closed, str) or closed not in ("right", "left"):
        raise StratError(one_of("`closed` of `sf.bins`", ("right", "left"), closed))
    try:
        given = list(islice(edges, MAX_BINS + 2))
        numbers = tuple(float(edge) for edge in given if isinstance(edge, Real))
    except TypeError:
        given, numbers = [], ()
    except OverflowError:
        msg = f"`edges` of `sf.bins` must be numbers that floats can hold, got {show_edges(edges)}."
        raise StratError(msg) from None
    if len(given) > MAX_BINS + 1:
        msg = f"`edges` of `sf.bins` must make at most {plural(MAX_BINS, 'bin')}."
        raise StratError(msg)
    climbs = all(a < b for a, b in pairwise(numbers))
    if len(numbers) < 2 or len(numbers) < len(given) or not climbs:
        msg = (
            f"`edges` of `sf.bins` must be at least 2 increasing numbers, got {show_edges(edges)}."
        )
        raise StratError(msg)
    return Bins((column,), numbers, closed, name)


def show_edges(edges: object) -> str:
    """Show edges in a message."""
    return describe(edges, MAX_EDGES_SHOWN)
