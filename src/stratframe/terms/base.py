"""What the pipeline asks of an entry of `by`: one base class, with defaults.

A new kind of entry is one subclass of `Term` in one file of this folder. It says how it reads its
columns, which values it needs, how it divides strata or orders rows, and what its strata are
called, where the defaults will not do; these are for one column of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from .. import frames
from ..checks import check_encodable
from ..core.order import by_value
from ..core.types import Flags, Ints, Values, Words
from ..errors import StratError, describe, preview
from ..frames import Rule

ColumnRef: TypeAlias = Any
"""Where a column comes from: its name, a Polars expression, or for pandas a callable
of the frame or a `pd.col` expression."""

Missing: TypeAlias = Literal["error", "stratum", "null"]
"""What becomes of missing classes."""

MAX_ITEMS = 12
"""Features, edges or entries of a term that a message lists."""

LEFT_NULL = 'in `kfold`, `missing="null"` leaves their fold null.'

MISSING_CLASS_HINT = f'`missing="stratum"` makes missing values a stratum of their own; {LEFT_NULL}'


@dataclass(frozen=True, eq=False)
class EncodedColumns:
    """The columns of a term, and their values on the rows that are dealt as arrays."""

    series: Sequence[Any]
    """The whole columns: one, or the features."""
    data: Values
    """Codes of classes, -1 where missing, or numbers, shape (n_dealt,); features have
    the shape (n_features, n_dealt)."""
    missing: Flags
    """Where the value is missing, shape (n_dealt,)."""
    n_classes: int = 0
    """How many classes; 0 for numbers."""
    rows: Ints | None = None
    """Positions of the dealt rows in the column; None for all, in its order."""
    weights: Ints | None = None
    """How many rows each dealt row stands for, shape (n_dealt,); None for one."""
    widths: Sequence[int] = ()
    """How many features each column holds: one, or the components of its vectors."""

    def values_at(self, rows: Ints) -> Any:
        """Take the column's own values at some dealt rows."""
        return frames.take(self.series[0], rows if self.rows is None else self.rows[rows])


class Substrata(NamedTuple):
    """Strata divided by one more entry."""

    codes: Ints
    """The child of every row inside its parent stratum, shape (n_rows,), range 0..n-1."""
    n: int
    """The highest number of children."""
    order: RowOrder | None = None
    """How the rows of a child are ordered, if the entry says."""
    labels: Ints | None = None
    """What tables call the child of every row, where that is not its code."""
    cells: Ints | None = None
    """Of an order, the finer bins of all parents, ascending, that every row is in."""


class ByValue(NamedTuple):
    """Rows of one value are alike."""


class ByEdges(NamedTuple):
    """Rows between the same edges are alike."""

    edges: tuple[float, ...]
    closed: Literal["right", "left"]


class ByQuantiles(NamedTuple):
    """Rows between the same quantiles of their parent stratum are alike; these are found first."""

    n: int
    """How many bins the quantiles make."""


CountedBy: TypeAlias = ByValue | ByEdges | ByQuantiles
"""What makes rows alike where they are counted, as on frames larger than one machine. Of each
kind of rows the term gets one, with the highest value of its bin, and how many these are."""


class RowOrder(NamedTuple):
    """An order of the rows inside their stratum."""

    sort: Callable[[Ints, int, Words, Fraction], Ints]
    """From codes, their number, random words for ties (overwritten) and the smallest share of a
    part to row numbers, stratum after stratum."""
    starts_at_random: bool = False
    """Whether the order starts from a random row, which a circular deal needs words for."""
    spread_leftover: bool = True
    """Whether the rows that fill no block of k are taken evenly along the order, not from its
    end."""
    values: Values | None = None
    """What it sorts by, if by values."""


def value_order(values: Values) -> RowOrder:
    """Order rows by value, equal values at random."""

    def sort(codes: Ints, n_codes: int, words: Words, _: Fraction) -> Ints:
        return by_value(codes, n_codes, values, words)

    return RowOrder(sort, values=values)


@dataclass(frozen=True, eq=False, repr=False)
class Term:
    """One entry of `by`: it divides the strata of the entries before it, or orders their rows."""

    function: ClassVar[str] = ""
    """The function that makes it, as messages show it: "sf.quantiles"."""
    is_nominal: ClassVar[bool] = False
    """Whether its values are classes, which may be rare and have no order of their own."""
    orders_rows: ClassVar[bool] = False
    """Whether it only orders the rows, by `row_order`, and so comes last."""
    evens_totals: ClassVar[bool] = False
    """Whether the totals of its columns are to be even, beside what its order does."""
    uses_row_order: ClassVar[bool] = False
    """Whether what it makes of rows depends on the order in which they come."""
    group_noun: ClassVar[str] = ""
    """What the groups are called that it makes; nothing if it makes none."""
    only_groups: ClassVar[bool] = False
    """Whether it makes no strata, and so is for `groups` alone."""
    has_features: ClassVar[bool] = False
    """Whether a column may be of vectors, and a reference give several columns."""
    default_name: ClassVar[str | None] = None
    """What result frames call it where the user does not; None for as its column."""

    columns: tuple[ColumnRef, ...]
    """Where its columns come from."""
    name: Hashable | None = field(default=None, kw_only=True)
    """The name that the user gave it for result frames."""

    def __post_init__(self) -> None:
        """Raise unless the name can be that of a column."""
        subject, name = f"`name` of `{self.function}`", self.name
        if not frames.libraries.is_label(name):
            msg = f"{subject} must be able to name a column, got {describe(name)}."
            raise StratError(msg)
        if isinstance(name, str):
            check_encodable(subject, name)

    def __repr__(self) -> str:
        """Write the term as it is written in code."""
        return f"{self.function}({self.arguments()})"

    def arguments(self) -> str:
        """Write the arguments as they are written in code."""
        return frames.format_reference(self.columns[0])

    def check_k(self, k: int) -> None:
        """Raise if the term does not fit this number of folds."""

    def resolve(self, series: Sequence[Any]) -> Term:
        """Choose the term that this one stands for on its columns."""
        return self

    def without_order(self) -> Term | None:
        """Choose the term that takes its place where rows have no order; None if none can."""
        return self

    def counted_by(self) -> CountedBy | None:
        """Say what makes rows alike where they are counted; None if it needs all rows at once."""
        return None if self.uses_row_order or self.only_groups else ByValue()

    def read(self, series: Sequence[Any]) -> EncodedColumns:
        """Read its columns into arrays: numbers, dates or a categorical of numbers."""
        return EncodedColumns(series, *frames.read_numbers(series[0], str(self)))

    def entries(self, entry: Any) -> list[Any]:
        """List the entries that it makes of its columns, which were read as one, for margins."""
        return [entry]

    def rules(self, missing: Missing) -> list[Rule]:
        """State what it needs of the values of each of its columns."""
        return [Rule(present=missing == "error", hint=MISSING_CLASS_HINT)]

    def divide(self, entry: EncodedColumns, parent: Ints, n_parents: int) -> Substrata:
        """Divide the strata so far; missing values are the last child."""
        if not entry.missing.any():
            return Substrata(*self.cut(entry.data, parent, entry.weights))
        known = np.flatnonzero(~entry.missing)
        weights = None if entry.weights is None else entry.weights[known]
        codes, n = self.cut(entry.data[known], parent[known], weights)
        children = np.full(len(parent), n, dtype=np.int64)
        children[known] = codes
        return Substrata(children, n + 1)

    def cut(self, values: Values, parent: Ints, weights: Ints | None) -> tuple[Ints, int]:
        """Find the child of every value, and the highest number of children."""
        raise NotImplementedError

    def labels(self, entry: EncodedColumns, division: Substrata, parent: Ints, rows: Ints) -> Any:
        """Name the children that some rows are in, for tables."""
        return (division.codes if division.labels is None else division.labels)[rows]

    def row_order(self, data: Values) -> RowOrder | None:
        """Order the rows; None for at random."""
        return value_order(data)

    def number_groups(self, entry: EncodedColumns, codes: Ints) -> Ints:
        """Rank the groups that it makes by what their rows hold, whatever the order of these."""
        raise NotImplementedError

    def explain_group(self, entry: EncodedColumns, rows: Ints) -> str:
        """Say why a group is as large as it is."""
        return ""

    def nearest_groups(self, entry: EncodedColumns, groups: Ints, folds: Ints) -> Ints | None:
        """Rank groups by how near two of their rows in different folds are, if it knows."""
        return None


def list_arguments(items: Sequence[object]) -> str:
    """Write a list of a term's arguments, a long one in part."""
    return f"[{preview(items, len(items), MAX_ITEMS)}]"


By: TypeAlias = Hashable | Term | Sequence[Hashable | Term]
"""One entry or a list of entries."""
