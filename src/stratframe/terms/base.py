"""What the pipeline asks of an entry of `by`: one base class, with defaults.

A new kind of entry is one subclass of `Term` in one file of this folder. It says how it reads its
columns, which values it allows, how it divides strata or orders rows, and what its strata are
called. The defaults suit a single column of numbers; a subclass overrides those that do not fit.
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
from ..frames import ResultName, Rule

ColumnRef: TypeAlias = Any
"""Where a column comes from: its name, a Polars expression or, for pandas, a callable
of the frame or a `pd.col` expression."""

Missing: TypeAlias = Literal["error", "stratum", "null"]
"""What happens to missing values."""

MAX_ITEMS = 12
"""The maximum number of features, edges or entries of a term that a message lists."""

LEFT_NULL = 'in `kfold`, `missing="null"` leaves their fold null.'

MISSING_CLASS_HINT = f'`missing="stratum"` makes missing values a stratum of their own; {LEFT_NULL}'


@dataclass(frozen=True, eq=False)
class BoundTerm:
    """One entry of `by` or `groups`, and the values of its columns in the rows that are dealt."""

    term: Term
    series: Sequence[Any]
    """The whole columns: a single one, or all that hold the features."""
    data: Values
    """Class codes, -1 where missing, or numbers, shape (n_dealt,); features have the shape
    (n_features, n_dealt)."""
    missing: Flags
    """Where the value is missing, shape (n_dealt,)."""
    n_classes: int = 0
    """The number of classes; 0 for numbers."""
    sizes: Ints | None = None
    """The number of rows of each class, shape (n_classes,), if already counted."""
    widths: Sequence[int] = ()
    """How many features each column holds: one, or as many as its vectors have components."""
    rows: Ints | None = None
    """Positions of the dealt rows in the column; None for all rows, in the order of the column."""
    weights: Ints | None = None
    """How many rows each dealt row stands for, shape (n_dealt,); None for one row each."""
    argument: Literal["by", "groups"] = "by"
    """The argument that the entry comes from."""
    place: int = 1
    """The entry's place in the argument, counted from 1."""
    names: Sequence[ResultName] = ()
    """What the columns are called."""

    @property
    def position(self) -> str:
        """The entry's place in the call, as messages show it."""
        return f"entry {self.place} of `{self.argument}`"

    @property
    def text(self) -> str:
        """The entry as messages show it."""
        return self.position if self.names[0].is_unnamed else repr(self.names[0].name)

    @property
    def code(self) -> str:
        """The column as a hint writes it inside a term."""
        return "..." if self.names[0].is_unnamed else repr(self.names[0].name)

    @property
    def stratum_name(self) -> Hashable:
        column = f"stratum_{self.place}" if self.names[0].is_unnamed else self.names[0].name
        found = (self.term.name, self.term.default_name, column)
        return next((name for name in found if name is not None), None)

    @property
    def n_rows(self) -> int:
        """The number of dealt rows, each counted as often as its weight says."""
        return len(self.missing) if self.weights is None else int(self.weights.sum())

    def values_at(self, rows: Ints) -> Any:
        return frames.take(self.series[0], rows if self.rows is None else self.rows[rows])


class Substrata(NamedTuple):
    """Strata divided by one more entry."""

    codes: Ints
    """The child of every row inside its parent stratum, shape (n_rows,), range 0..n-1."""
    n: int
    """The maximum number of children of a parent."""
    order: RowOrder | None = None
    """How the rows of a child are ordered, if the entry orders them."""
    labels: Ints | None = None
    """What tables call the child of every row, if it is not the code."""
    cells: Ints | None = None
    """The finer bin of every row, ascending across all parents, if bins show an order."""


class ByValue(NamedTuple):
    """Rows with the same value are alike."""


class ByEdges(NamedTuple):
    """Rows between the same edges are alike."""

    edges: tuple[float, ...]
    closed: Literal["right", "left"]


class ByQuantiles(NamedTuple):
    """Rows between the same quantiles of their parent stratum, computed beforehand, are alike."""

    n: int
    """How many bins the quantiles make."""


CountedBy: TypeAlias = ByValue | ByEdges | ByQuantiles
"""What makes rows alike when they are counted, as in frames larger than one machine. The term
then gets one row of each kind, with the highest value of its bin, and the number of such rows."""


class RowOrder(NamedTuple):
    """An order of the rows inside their stratum."""

    sort: Callable[[Ints, int, Words, Fraction], Ints]
    """A function of the codes of rows, the number of codes, random words for ties (overwritten) and
    the smallest share of a part. It returns the positions of the rows, stratum after stratum."""
    starts_at_random: bool = False
    """Whether the order starts from a random row, so that circular deals need random words, too."""
    spread_leftover: bool = True
    """Whether the rows that fill no block of k are taken evenly along the order, rather than from
    its end."""
    values: Values | None = None
    """The values by which it sorts, if it sorts by value."""


def value_order(values: Values) -> RowOrder:
    """Order rows by value, and rows with equal values at random."""

    def sort(codes: Ints, n_codes: int, words: Words, _: Fraction) -> Ints:
        return by_value(codes, n_codes, values, words)

    return RowOrder(sort, values=values)


@dataclass(frozen=True, eq=False, repr=False)
class Term:
    """One entry of `by`: it divides the strata of the entries before it, or orders their rows."""

    function: ClassVar[str] = ""
    """The function that makes the term, as messages show it, such as "sf.quantiles"."""
    is_nominal: ClassVar[bool] = False
    """Whether its values are classes, which may be rare and have no order of their own."""
    is_ordinal: ClassVar[bool] = False
    """Whether its strata are bins, which have an order."""
    orders_rows: ClassVar[bool] = False
    """Whether it only orders the rows, by `row_order`, and so comes last."""
    evens_totals: ClassVar[bool] = False
    """Whether the totals of its columns are made even, too, once the rows are dealt."""
    uses_row_order: ClassVar[bool] = False
    """Whether its result depends on the order in which the rows come."""
    group_noun: ClassVar[str] = ""
    """What the groups that it makes are called; empty if it makes none."""
    only_groups: ClassVar[bool] = False
    """Whether it makes no strata, and so is for `groups` alone."""
    has_features: ClassVar[bool] = False
    """Whether a column may hold vectors, and one reference may stand for several columns."""
    default_name: ClassVar[str | None] = None
    """Its name in result frames unless the user gives one; None for the name of its column."""

    columns: tuple[ColumnRef, ...]
    """Where its columns come from."""
    name: Hashable | None = field(default=None, kw_only=True)
    """The name that the user gave it for result frames."""

    def __post_init__(self) -> None:
        subject, name = f"`name` of `{self.function}`", self.name
        if not frames.libraries.is_label(name):
            msg = f"{subject} must be able to name a column, got {describe(name)}."
            raise StratError(msg)
        if isinstance(name, str):
            check_encodable(subject, name)

    def __repr__(self) -> str:
        return f"{self.function}({self.arguments()})"

    def arguments(self) -> str:
        """Write the arguments as in code."""
        return ", ".join(map(frames.format_reference, self.columns))

    def check_k(self, k: int) -> None:
        """Raise if the term does not work with this number of folds."""

    def resolve(self, series: Sequence[Any]) -> Term:
        """Return the term that this one stands for, given its columns."""
        return self

    def without_order(self) -> Term | None:
        """Return the term that takes its place where rows have no order; None if there is none."""
        return self

    def counted_by(self) -> CountedBy | None:
        """Say what makes rows alike when they are counted; None if the term needs all rows."""
        return None if self.uses_row_order or self.only_groups else ByValue()

    def in_bins(self, k: int) -> Term:
        """Return the term that shows its order in tables of k folds; itself if it has no order."""
        return self

    def in_table(self, series: Sequence[Any], k: int, weights: Ints | None) -> tuple[Term, int]:
        """Return the term that tables of k folds show, and the slack of its cells, in rows."""
        return self, 0

    def may_be_number(self, series: Sequence[Any]) -> bool:
        """Return whether it takes whole numbers as classes without the user saying so."""
        return False

    def read(self, series: Sequence[Any]) -> BoundTerm:
        """Read its columns into arrays; by default numbers, dates or a categorical of numbers."""
        return BoundTerm(self, series, *frames.read_numbers(series[0], str(self)))

    def entries(self, entry: BoundTerm) -> list[BoundTerm]:
        """List the entries that margins make of an entry; by default, only the entry itself."""
        return [entry]

    def rules(self, missing: Missing) -> list[Rule]:
        """State what it requires of the values in each of its columns."""
        return [Rule(complete=missing == "error", hint=MISSING_CLASS_HINT)]

    def divide(self, entry: BoundTerm, parent: Ints, n_parents: int) -> Substrata:
        """Divide the strata made so far; missing values are the last child."""
        if not entry.missing.any():
            return Substrata(*self.cut(entry.data, parent, entry.weights))
        known = np.flatnonzero(~entry.missing)
        weights = None if entry.weights is None else entry.weights[known]
        codes, n = self.cut(entry.data[known], parent[known], weights)
        children = np.full(len(parent), n, dtype=np.int64)
        children[known] = codes
        return Substrata(children, n + 1)

    def cut(self, values: Values, parent: Ints, weights: Ints | None) -> tuple[Ints, int]:
        """Find the child of every value, and the maximum number of children of a parent."""
        raise NotImplementedError

    def labels(self, entry: BoundTerm, division: Substrata, parent: Ints, rows: Ints) -> Any:
        """Name the children that some rows are in, for tables."""
        return (division.codes if division.labels is None else division.labels)[rows]

    def row_order(self, data: Values) -> RowOrder | None:
        """Return the order of the rows; None for a random order."""
        return value_order(data)

    def number_groups(self, entry: BoundTerm, codes: Ints) -> Ints:
        """Rank the groups that it makes by the values of their rows, whatever the row order."""
        raise NotImplementedError

    def explain_group(self, entry: BoundTerm, rows: Ints) -> str:
        """Say why a group is as large as it is."""
        return ""

    def nearest_groups(self, entry: BoundTerm, groups: Ints, folds: Ints) -> Ints | None:
        """Rank groups by the least distance between rows in different folds; None if unknown."""
        return None


def list_arguments(items: Sequence[object]) -> str:
    """Write arguments of a term as a list, cut short if it is long."""
    return f"[{preview(items, len(items), MAX_ITEMS)}]"


By: TypeAlias = Hashable | Term | Sequence[Hashable | Term]
"""One entry or a list of entries."""
