"""Terms for a column of numbers: an order of the rows, quantile bins, and bins with given edges."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice, pairwise
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np

from .. import frames
from ..core.order import sort_values
from ..core.strata import DENSE, edge_bins, quantile_bins, sum_by
from ..core.types import Ints, Values
from ..errors import StratError, above_limit, describe, one_of, plural, warn, write_number
from ..frames import Rule
from .base import (
    LEFT_NULL,
    MAX_ITEMS,
    BoundTerm,
    ByEdges,
    ByQuantiles,
    ColumnRef,
    Missing,
    Substrata,
    Term,
    list_arguments,
)

MAX_BINS = 1_000_000
"""The maximum number of bins that a call can request in each stratum."""

DECILES = 10
"""The number of quantile bins that replace a continuous entry if rows cannot be ordered."""

FIVE_BINS = 5
"""The maximum number of bins that show an order."""

CUTS = 60
"""The number of finer bins that are merged into the bins that show an order. Folds are judged at
the cuts between finer bins. All whole numbers up to 5 divide 60."""

BIN_SLACK = 2
"""The slack (the number of extra rows by which counts may be off) of bins that show an order. They
need it because a bin can begin or end inside a block of rows that are dealt to all folds."""


@dataclass(frozen=True, eq=False, repr=False)
class Continuous(Term):
    """A column that orders the rows within each stratum."""

    function: ClassVar[str] = "sf.continuous"
    orders_rows: ClassVar[bool] = True
    uses_row_order: ClassVar[bool] = True

    def read(self, series: Sequence[Any]) -> BoundTerm:
        return BoundTerm(self, series, *frames.read.read_order(series[0], str(self)))

    def without_order(self) -> Quantiles:
        return Quantiles(self.columns, DECILES, warns=False, order=self, name=self.name)

    def in_bins(self, k: int) -> OrderBins:
        return OrderBins(self.columns, CUTS, warns=False, order=self, k=k, name=self.name)

    def rules(self, missing: Missing) -> list[Rule]:
        """Require finite numbers, because a row without a value has no place in the order."""
        cut = "drop these rows, or cut the column into bins, as in `sf.quantiles({column}, 10)`"
        return [Rule(missing != "null", finite=True, hint=f"{cut}; {LEFT_NULL}")]


@dataclass(frozen=True, eq=False, repr=False)
class Quantiles(Term):
    """A column that is cut at its quantiles within each parent stratum."""

    function: ClassVar[str] = "sf.quantiles"
    is_ordinal: ClassVar[bool] = True

    n: int
    warns: bool = True
    """Whether to warn if there are fewer bins than `n`."""
    order: Continuous | None = None
    """The continuous entry that the bins replace; the values must then obey its rules."""

    def __repr__(self) -> str:
        return super().__repr__() if self.order is None else repr(self.order)

    def arguments(self) -> str:
        return f"{super().arguments()}, {self.n}"

    def rules(self, missing: Missing) -> list[Rule]:
        return super().rules(missing) if self.order is None else self.order.rules(missing)

    def counted_by(self) -> ByQuantiles:
        return ByQuantiles(self.n)

    def cut(self, values: Values, parent: Ints, weights: Ints | None) -> tuple[Ints, int]:
        bins, counts = quantile_bins(parent, values, self.n, weights)
        counts = counts[counts > 0]  # strata without values have no bins
        if self.warns and (counts < self.n).any():
            self.warn_few_bins(counts)
        return bins, self.n

    def warn_few_bins(self, counts: Ints) -> None:
        """Warn that a stratum has fewer bins than `n`; `counts` has the bins of each stratum."""
        fewest = int(counts.min())
        bins = f"{plural(fewest, 'bin')} instead of {self.n}"
        if len(counts) > 1:
            n_short = int((counts < self.n).sum())
            strata = f"{n_short} of {len(counts)} strata (as few as {fewest})"
            bins = f"fewer than {self.n} bins in {strata}"
        warn(f"`{self}` produced {bins}, because equal values stay in one bin.")

    def labels(self, entry: BoundTerm, division: Substrata, parent: Ints, rows: Ints) -> Any:
        """Label each bin with an interval that ends at the highest value in the bin."""
        bins = parent * division.n + division.codes
        present, lowest, highest = extreme_rows(entry.data, bins, np.flatnonzero(~entry.missing))
        # A bin starts at the end of the bin below; the lowest bin starts at its lowest value.
        below = np.where(division.codes[highest] == 0, lowest, np.roll(highest, 1))
        texts = format_floats(frames.to_list(entry.values_at(np.append(below, highest))))
        edges = zip(present.tolist(), texts[: len(below)], texts[len(below) :], strict=True)
        names = {}
        for code, low, high in edges:
            bracket = "(" if code % division.n else "["
            names[code] = f"{bracket}{low}, {high}]"
        return [names.get(code) for code in bins[rows].tolist()]


@dataclass(frozen=True, eq=False, repr=False)
class OrderBins(Quantiles):
    """At most five bins that show an order in tables, merged from `n` finer bins."""

    k: int = 2
    """The number of folds. Strata with fewer than 10 * k rows have fewer than five bins."""

    def in_table(self, series: Sequence[Any], k: int, weights: Ints | None) -> tuple[Term, int]:
        return self, BIN_SLACK

    def divide(self, entry: BoundTerm, parent: Ints, n_parents: int) -> Substrata:
        """Cut each stratum into finer bins (cells), and merge the cells into at most five bins."""
        fine = super().divide(entry, parent, n_parents)
        cells = parent * fine.n + fine.codes
        present = np.arange(n_parents * fine.n)
        if len(present) > max(DENSE, 2 * len(cells)):
            present, cells = np.unique(cells, return_inverse=True)
        parents = present // fine.n
        is_known = present % fine.n < self.n
        sizes = sum_by(cells, entry.weights, len(present)) * is_known
        totals = sum_by(parents, sizes, n_parents)
        before = np.cumsum(sizes) - sizes - (np.cumsum(totals) - totals)[parents]
        # The number of rows before a cell determines the bin that contains the cell.
        bins = before * np.clip(totals // (2 * self.k), 1, FIVE_BINS)[parents]
        bins = np.where(is_known, bins // np.maximum(totals, 1)[parents], FIVE_BINS)
        return Substrata(bins[cells], FIVE_BINS + fine.n - self.n, cells=cells)


@dataclass(frozen=True, eq=False, repr=False)
class TimeSpan(Quantiles):
    """A column of times, with one bin from the first to the last time in each parent stratum."""

    function: ClassVar[str] = "time"
    n: int = 1

    def __repr__(self) -> str:
        return self.function

    def resolve(self, series: Sequence[Any]) -> Term:
        """Raise an error unless the column holds times."""
        frames.read_times(series[0])
        return self


@dataclass(frozen=True, eq=False, repr=False)
class Bins(Term):
    """A column that is cut at given edges."""

    function: ClassVar[str] = "sf.bins"
    is_ordinal: ClassVar[bool] = True

    edges: tuple[float, ...]
    closed: Literal["right", "left"]

    def arguments(self) -> str:
        return f"{super().arguments()}, {list_arguments(list(map(write_number, self.edges)))}"

    def counted_by(self) -> ByEdges:
        return ByEdges(self.edges, self.closed)

    def read(self, series: Sequence[Any]) -> BoundTerm:
        return BoundTerm(self, series, *frames.read_comparable(series[0], str(self)))

    def rules(self, missing: Missing) -> list[Rule]:
        (rule,) = super().rules(missing)
        return [rule._replace(within=(self.edges[0], self.edges[-1]))]

    def cut(self, values: Values, parent: Ints, weights: Ints | None) -> tuple[Ints, int]:
        return edge_bins(values, self.edges, self.closed), len(self.edges) - 1

    def labels(self, entry: BoundTerm, division: Substrata, parent: Ints, rows: Ints) -> Any:
        pattern = "({}, {}]" if self.closed == "right" else "[{}, {})"
        texts = list(map(write_number, self.edges))
        if all(edge == float(edge) for edge in self.edges):
            texts = format_floats(list(map(float, self.edges)))
        names = [pattern.format(*edges) for edges in pairwise(texts)]
        names[0] = f"[{names[0][1:]}"
        names[-1] = f"{names[-1][:-1]}]"
        codes = division.codes[rows].tolist()
        return [names[code] if code < len(names) else None for code in codes]


def extreme_rows(values: Values, bins: Ints, rows: Ints) -> tuple[Ints, Ints, Ints]:
    """List the bins of some rows, and the rows with the lowest and highest value of each bin."""
    sizes = np.bincount(bins[rows])
    in_order, _ = sort_values(values[rows], bins[rows], len(sizes))
    ascending = rows[in_order]
    present = np.flatnonzero(sizes)
    ends = np.cumsum(sizes[present])
    starts = ends - sizes[present]
    return present, ascending[starts], ascending[ends - 1]


def format_floats(values: Sequence[Any]) -> list[str]:
    """Format values as text; floats get six significant digits, or more to keep them distinct."""
    if not all(isinstance(value, float) for value in values):
        # pandas formats an hour as "0 days 01:00:00".
        are_short = isinstance(values[0], timedelta) and not any(
            getattr(value, "nanoseconds", 0) for value in values
        )
        return list(map(timedelta.__str__ if are_short else str, values))
    values = [value + 0.0 for value in values]  # -0.0 is shown as 0
    texts = [f"{value:g}" for value in values]
    for digits in range(7, 18):
        if len(set(texts)) == len(set(values)):
            break
        texts = [f"{value:.{digits}g}" for value in values]
    return texts


def exact_edge(edge: Any) -> float:
    """Convert an edge to a float or, if it is a whole number, to an integer of any size."""
    number = float(edge)  # raises an error if the edge is too large
    return int(edge) if isinstance(edge, Integral) else number


def continuous(column: ColumnRef, *, name: Hashable | None = None) -> Continuous:
    """Order rows by a column within each stratum so that similar rows go to different folds.

    For k folds, this is sorted stratification; for unequal parts, it is fractional stratification.
    The term must come last in `by`, and can occur only once.

    Parameters
    ----------
    column : column name, Polars expression, or callable that takes a pandas frame
        Numbers or dates, without missing or infinite values.
    name : hashable, optional
        Name of the stratum column in result frames.

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
    return Continuous((column,), name=name)


def quantiles(column: ColumnRef, n: int, *, name: Hashable | None = None) -> Quantiles:
    """Cut a column at its quantiles within each parent stratum.

    The cuts are computed as in `np.quantile(..., method="inverted_cdf")`. Bins are closed on the
    right, as in `pd.qcut`. Equal values stay in one bin; if this leaves fewer than `n` bins, a
    warning is issued.

    Parameters
    ----------
    column : column name, Polars expression, or callable that takes a pandas frame
        Numbers, dates, or a categorical of numbers.
    n : int
        Number of bins, at least 2.
    name : hashable, optional
        Name of the stratum column in result frames.

    Returns
    -------
    Quantiles

    Raises
    ------
    StratError
        If `n` is not a whole number from 2 to 1,000,000.

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
    return Quantiles((column,), int(n), name=name)


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
    column : column name, Polars expression, or callable that takes a pandas frame
        Numbers, or a categorical of numbers. A value outside the edges raises an error.
    edges : sequence of float
        At least two numbers in increasing order. The outermost edges can be infinite. Whole numbers
        are compared exactly with columns of integers.
    closed : {"right", "left"}
        The edge that each bin includes. With "right", the first bin also includes the lowest edge;
        with "left", the last bin also includes the highest edge.
    name : hashable, optional
        Name of the stratum column in result frames.

    Returns
    -------
    Bins

    Raises
    ------
    StratError
        If the edges do not increase, or `closed` is neither "right" nor "left".

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
    shown = describe(edges, MAX_ITEMS)
    try:
        items = list(islice(edges, MAX_BINS + 2))
        numbers = tuple(exact_edge(edge) for edge in items if isinstance(edge, Real))
    except TypeError:
        items = []
        numbers = ()
    except OverflowError:
        msg = f"`edges` of `sf.bins` must be numbers that floats can hold, got {shown}."
        raise StratError(msg) from None
    if len(items) > MAX_BINS + 1:
        msg = f"`edges` of `sf.bins` must define at most {plural(MAX_BINS, 'bin')}."
        raise StratError(msg)
    is_rising = all(a < b for a, b in pairwise(numbers))
    if len(numbers) < 2 or len(numbers) < len(items) or not is_rising:
        msg = f"`edges` of `sf.bins` must be at least 2 increasing numbers, got {shown}."
        if isinstance(edges, Integral) and 1 < int(edges) <= MAX_BINS:
            n = int(edges)
            msg += f"\nHint: `sf.quantiles({frames.format_reference(column)}, {n})` makes {n} bins."
        raise StratError(msg)
    return Bins((column,), numbers, closed, name=name)
