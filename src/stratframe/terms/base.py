"""The base class of all terms, with the methods that the pipeline calls.

To add a kind of term, write a subclass of `Term` in a new module of this folder. The subclass
defines how columns are read, which values are allowed, how strata are divided or rows are ordered,
and how strata are labelled. The default methods suit a single column of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
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
"""A reference to a column: its name, a Polars expression or, for pandas, a `pd.col` expression
or a callable that takes the frame."""

Missing: TypeAlias = Literal["error", "stratum", "null"]
"""How to treat missing values."""

MAX_ITEMS = 12
"""The maximum number of features, edges or entries of a term that a message lists."""

LEFT_NULL = 'in `kfold`, `missing="null"` leaves the fold of these rows null.'

MISSING_CLASS_HINT = f'`missing="stratum"` makes missing values a stratum of their own; {LEFT_NULL}'


@dataclass(frozen=True, eq=False)
class BoundTerm:
    """An entry of `by` or `groups`, with the values of its columns in the rows that are dealt."""

    term: Term
    series: Sequence[Any]
    """The columns of the entry, including the rows that are not dealt."""
    data: Values
    """Class codes (-1 for missing values) or numbers, shape (n_dealt,); the values of features
    have the shape (n_features, n_dealt)."""
    missing: Flags
    """Flags for the dealt rows with missing values, shape (n_dealt,)."""
    n_classes: int = 0
    """The number of classes; 0 if the values are numbers."""
    sizes: Ints | None = None
    """The number of rows in each class, shape (n_classes,); None if not counted yet."""
    widths: Sequence[int] = ()
    """The number of features in each column: 1, or the length of the vectors in the column."""
    rows: Ints | None = None
    """The positions of the dealt rows in the columns; None if all rows are dealt in frame order."""
    weights: Ints | None = None
    """The number of rows that each dealt row represents, shape (n_dealt,); None if always 1."""
    argument: Literal["by", "groups"] = "by"
    place: int = 1
    """The place of the entry in the argument, counted from 1."""
    names: Sequence[ResultName] = ()

    @property
    def position(self) -> str:
        return f"entry {self.place} of `{self.argument}`"

    @property
    def text(self) -> str:
        """The name of the column in messages, or the place of the entry if there is no name."""
        column = self.names[0]
        return self.position if column.is_unnamed else repr(column.name)

    @property
    def code(self) -> str:
        """The column as code in a hint, or "..." if the column has no name."""
        column = self.names[0]
        return "..." if column.is_unnamed else repr(column.name)

    @property
    def stratum_name(self) -> Hashable:
        if self.term.name is not None:
            return self.term.name
        if self.term.default_name is not None:
            return self.term.default_name
        if self.names[0].is_unnamed:
            return f"stratum_{self.place}"
        return self.names[0].name

    @property
    def n_rows(self) -> int:
        """The number of dealt rows, or the sum of their weights."""
        if self.weights is None:
            return len(self.missing)
        return int(self.weights.sum())

    def select(self, rows: Ints) -> BoundTerm:
        """Select some of the dealt rows, in the given order."""
        return replace(
            self,
            data=self.data[..., rows],
            missing=self.missing[rows],
            sizes=None,
            rows=rows if self.rows is None else self.rows[rows],
            weights=None if self.weights is None else self.weights[rows],
        )

    def values_at(self, rows: Ints) -> Any:
        return frames.take(self.series[0], rows if self.rows is None else self.rows[rows])


class Substrata(NamedTuple):
    """The division of parent strata into child strata by one more entry."""

    codes: Ints
    """The code of each row's child stratum within its parent, shape (n_rows,), range 0..n-1."""
    n: int
    """The maximum number of children of a parent stratum."""
    order: RowOrder | None = None
    """The order of the rows within each child stratum, if the entry orders rows."""
    labels: Ints | None = None
    """The label of each row's child stratum in tables; None if the label is the code."""
    cells: Ints | None = None
    """If the bins show an order, the finer bin of each row, ascending across all parent strata."""


class ByValue(NamedTuple):
    """Rows are counted by value."""


class ByEdges(NamedTuple):
    """Rows are counted by bin; the user gives the edges of the bins."""

    edges: tuple[float, ...]
    closed: Literal["right", "left"]


class ByQuantiles(NamedTuple):
    """Rows are counted by bin; the edges are quantiles of the parent stratum, computed first."""

    n: int


CountedBy: TypeAlias = ByValue | ByEdges | ByQuantiles
"""How rows of Dask and Spark frames are counted. The term then reads one row for each value, or one
for the highest value in each bin. The weight of a row is the number of rows that it represents."""


class RowOrder(NamedTuple):
    """An order of the rows within each stratum."""

    sort: Callable[[Ints, int, Words, Fraction], Ints]
    """A function that returns the positions of the rows, ordered by stratum and then within strata.
    Its arguments are the stratum code of each row, the number of codes, random 64-bit integers
    (words) that break ties and are overwritten, and the smallest share of a part."""
    starts_at_random: bool = False
    """Whether the order starts from a random row; if so, even circular deals need random words."""
    spread_leftover: bool = True
    """Whether left-over rows, which do not fill a block of k rows, are taken from evenly spaced
    places in the order, rather than from its end."""
    values: Values | None = None
    """The values that define the order, if rows are sorted by value."""


def value_order(values: Values) -> RowOrder:
    """Order rows by value, and rows with equal values at random."""

    def sort(codes: Ints, n_codes: int, words: Words, _: Fraction) -> Ints:
        return by_value(codes, n_codes, values, words)

    return RowOrder(sort, values=values)


@dataclass(frozen=True, eq=False, repr=False)
class Term:
    """An entry of `by` that divides the strata of earlier entries or orders their rows."""

    function: ClassVar[str] = ""
    """The name of the function that makes the term, such as "sf.quantiles"."""
    is_nominal: ClassVar[bool] = False
    """Whether the values are classes, which can be rare and often have no order."""
    is_ordinal: ClassVar[bool] = False
    """Whether the strata are bins, which have an order."""
    orders_rows: ClassVar[bool] = False
    """Whether the term only orders rows, and must therefore be the last entry."""
    evens_totals: ClassVar[bool] = False
    """Whether rows are swapped after the deal to give each part its share of the column totals."""
    uses_row_order: ClassVar[bool] = False
    """Whether the result depends on the order of the rows in the frame."""
    group_noun: ClassVar[str] = ""
    """A noun for the groups that the term makes; empty if the term makes no groups."""
    only_groups: ClassVar[bool] = False
    """Whether the term makes groups only, and is not allowed in `by`."""
    has_features: ClassVar[bool] = False
    """Whether a column can hold vectors, and a reference can select several columns."""
    default_name: ClassVar[str | None] = None
    """The default name in result frames; None for the name of the column."""

    columns: tuple[ColumnRef, ...]
    name: Hashable | None = field(default=None, kw_only=True)
    """The name that the user gave to the term for result frames."""

    def __post_init__(self) -> None:
        subject = f"`name` of `{self.function}`"
        if not frames.libraries.is_label(self.name):
            msg = f"{subject} must be a valid column name, got {describe(self.name)}."
            raise StratError(msg)
        if isinstance(self.name, str):
            check_encodable(subject, self.name)

    def __repr__(self) -> str:
        return f"{self.function}({self.arguments()})"

    def arguments(self) -> str:
        return ", ".join(map(frames.format_reference, self.columns))

    def check_k(self, k: int) -> None:
        """Raise an error if the term cannot be used with k folds."""

    def resolve(self, series: Sequence[Any]) -> Term:
        """Choose the kind of term from the values of the columns; by default, keep the term."""
        return self

    def without_order(self) -> Term | None:
        """Return the term to use if rows cannot be ordered; None if the order is required."""
        return self

    def counted_by(self) -> CountedBy | None:
        """Return how rows can be counted for this term; None if the term needs every row."""
        if self.uses_row_order or self.only_groups:
            return None
        return ByValue()

    def in_bins(self, k: int) -> Term:
        """Return bins that show the order in tables of k folds; by default, the term itself."""
        return self

    def in_table(self, series: Sequence[Any], k: int, weights: Ints | None) -> tuple[Term, int]:
        """Return the term for tables, and its slack (the extra rows by which counts may be off)."""
        return self, 0

    def may_be_number(self, series: Sequence[Any]) -> bool:
        """Return whether the classes are whole numbers that the user did not declare as classes."""
        return False

    def read(self, series: Sequence[Any]) -> BoundTerm:
        """Read the columns into arrays; the default reads numbers, dates or categorical numbers."""
        return BoundTerm(self, series, *frames.read_numbers(series[0], str(self)))

    def entries(self, entry: BoundTerm) -> list[BoundTerm]:
        """List the entries into which margins split an entry; by default, only the entry itself."""
        return [entry]

    def rules(self, missing: Missing) -> list[Rule]:
        """Return the rules for the values, with one rule for each column."""
        return [Rule(complete=missing == "error", hint=MISSING_CLASS_HINT)]

    def divide(self, entry: BoundTerm, parent: Ints, n_parents: int) -> Substrata:
        """Divide each parent stratum; missing values form the last child."""
        if not entry.missing.any():
            return Substrata(*self.cut(entry.data, parent, entry.weights))
        known = np.flatnonzero(~entry.missing)
        weights = None if entry.weights is None else entry.weights[known]
        codes, n = self.cut(entry.data[known], parent[known], weights)
        children = np.full(len(parent), n, dtype=np.int64)
        children[known] = codes
        return Substrata(children, n + 1)

    def cut(self, values: Values, parent: Ints, weights: Ints | None) -> tuple[Ints, int]:
        """Return the child of each value, and the maximum number of children of a parent."""
        raise NotImplementedError

    def labels(self, entry: BoundTerm, division: Substrata, parent: Ints, rows: Ints) -> Any:
        """Return the labels, for tables, of the child strata that contain the given rows."""
        if division.labels is None:
            return division.codes[rows]
        return division.labels[rows]

    def row_order(self, data: Values) -> RowOrder | None:
        """Return the order of the rows; None for a random order."""
        return value_order(data)

    def number_groups(self, entry: BoundTerm, codes: Ints) -> Ints:
        """Number the groups by the values of their rows, independently of the order of the rows."""
        raise NotImplementedError

    def explain_group(self, entry: BoundTerm, rows: Ints) -> str:
        """Return a sentence that explains why the largest group is large; empty by default."""
        return ""

    def nearest_groups(self, entry: BoundTerm, groups: Ints, folds: Ints) -> Ints | None:
        """Rank groups by the shortest distance between their rows in different folds, if known."""
        return None


def list_arguments(items: Sequence[object]) -> str:
    """Format arguments of a term as a list, and shorten a long list."""
    return f"[{preview(items, len(items), MAX_ITEMS)}]"


By: TypeAlias = Hashable | Term | Sequence[Hashable | Term]
"""One entry or a list of entries."""
