"""What the pipeline asks of an entry of `by`: the `Term` protocol.

A new kind of entry is one class in one file of this folder. It answers which columns it
reads, how it reads them, which values it needs, how it divides strata or orders rows, and
what its strata are called; `ColumnTerm` has the answers that most terms of one column share.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeGuard,
    runtime_checkable,
)

from .. import frames
from ..checks import is_unicode
from ..core.order import by_value
from ..core.types import Flags, Ints, Values, Words
from ..errors import StratError, describe
from ..frames import Rule

if TYPE_CHECKING:
    from .entry import BoundTerm

ColumnRef: TypeAlias = Any
"""Where a column comes from: its name, a Polars expression, or for pandas a callable
of the frame or a `pd.col` expression."""

Missing: TypeAlias = Literal["error", "stratum", "null"]
"""What becomes of missing classes."""


class EncodedColumns(NamedTuple):
    """The columns of a term as arrays."""

    data: Values
    """Codes of classes, -1 where missing, or numbers, of shape (n_rows,); features have
    the shape (n_features, n_rows)."""
    missing: Flags
    """Where the value is missing, shape (n_rows,)."""
    n_classes: int = 0
    """How many classes; 0 for numbers."""


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


def value_order(values: Values) -> RowOrder:
    """Order rows by value, equal values at random."""
    return RowOrder(partial(sort_by_value, values))


def sort_by_value(values: Values, codes: Ints, n_codes: int, words: Words, _: Fraction) -> Ints:
    """Sort rows by stratum and value."""
    return by_value(codes, n_codes, values, words)


@runtime_checkable
class Term(Protocol):
    """One entry of `by`; it is a `StrataTerm`, or an `OrderTerm`."""

    function: ClassVar[str]
    """The function that makes it, as messages show it: "sf.quantiles"."""
    is_nominal: ClassVar[bool]
    """Whether its values are classes, which may be rare and have no order of their own."""
    orders_rows: ClassVar[bool]
    """Whether it is an `OrderTerm`, which comes last."""
    uses_row_order: ClassVar[bool]
    """Whether what it makes of rows depends on the order in which they come."""

    @property
    def columns(self) -> tuple[ColumnRef, ...]:
        """Where its columns come from."""
        ...

    @property
    def name(self) -> Hashable | None:
        """The name that the user gave it for result frames."""
        ...

    def __str__(self) -> str:
        """Write the term as it is written in code."""
        ...

    def check_k(self, k: int) -> None:
        """Raise if the term does not fit this number of folds."""

    def resolve(self, series: Sequence[Any], /) -> Term:
        """Choose the term that this one stands for on its columns."""
        ...

    def without_order(self) -> StrataTerm | None:
        """Choose the term that takes its place where rows have no order; None if none can."""
        ...

    def counted_by(self) -> CountedBy | None:
        """Say what makes rows alike where they are counted; None if it needs all rows at once."""
        ...

    def read(self, series: Sequence[Any], /) -> EncodedColumns:
        """Read its columns into arrays."""
        ...

    def rules(self, missing: Missing, /) -> list[Rule]:
        """State what it needs of the values of each of its columns."""
        ...


@runtime_checkable
class StrataTerm(Term, Protocol):
    """A term that divides the strata of the entries before it."""

    def default_name(self, column: Hashable, /) -> Hashable:
        """Name its column in result frames, where the user did not."""
        ...

    def divide(self, entry: BoundTerm, parent: Ints, n_parents: int) -> Substrata:
        """Divide the strata so far."""
        ...

    def labels(self, entry: BoundTerm, division: Substrata, parent: Ints, rows: Ints) -> Any:
        """Name the children that some rows are in, for tables."""
        ...


@runtime_checkable
class OrderTerm(Term, Protocol):
    """A term that orders the rows inside their stratum."""

    def row_order(self, data: Values) -> RowOrder:
        """Order the rows."""
        ...


def is_term(entry: object) -> TypeGuard[Term]:
    """Return whether an entry of `by` is a term, not a label or an expression."""
    # Expressions of pandas answer to every name that they are asked for.
    if isinstance(entry, str) or frames.is_frame(entry):
        return False  # The check of a protocol takes a while, and asks lazy frames for columns.
    return isinstance(entry, Term) and not frames.is_computed(entry)


def check_entry_name(function: str, name: object) -> None:
    """Raise unless a name can be that of a column."""
    if not frames.is_label(name) or (isinstance(name, str) and not is_unicode(name)):
        msg = f"`name` of `{function}` must be able to name a column, got {describe(name)}."
        raise StratError(msg)


By: TypeAlias = Hashable | Term | Sequence[Hashable | Term]
"""One entry or a list of entries."""


class ColumnTerm:
    """What terms of one column share."""

    function: ClassVar[str] = ""
    is_nominal: ClassVar[bool] = False
    orders_rows: ClassVar[bool] = False
    uses_row_order: ClassVar[bool] = False
    columns: tuple[ColumnRef, ...]
    name: Hashable | None

    def __post_init__(self) -> None:
        """Check the name."""
        check_entry_name(self.function, self.name)

    def __str__(self) -> str:
        """Write the term as it is written in code."""
        return f"{self.function}({', '.join([self.shown_column, *self.shown_arguments()])})"

    @property
    def shown_column(self) -> str:
        """The column, as it is written in code."""
        return frames.format_reference(self.columns[0])

    def shown_arguments(self) -> list[str]:
        """Write the arguments after the column."""
        return []

    def check_k(self, k: int) -> None:
        """Any number of folds will do."""

    def resolve(self, series: Sequence[Any], /) -> Any:
        """Stay this term, whatever the column holds."""
        return self

    def without_order(self) -> Any:
        """Stay this term, which orders nothing."""
        return self

    def counted_by(self) -> CountedBy | None:
        """Take rows of one value as alike."""
        return ByValue()

    def default_name(self, column: Hashable) -> Hashable:
        """Call it as its column."""
        return column

    def rules(self, missing: Missing, /) -> list[Rule]:
        """Need classes that are there, unless `missing` says what becomes of them."""
        return [Rule(present=missing == "error", hint=MISSING_CLASS_HINT)]


LEFT_NULL = 'in `kfold`, `missing="null"` leaves their fold null.'

MISSING_CLASS_HINT = f'`missing="stratum"` makes missing values a stratum of their own; {LEFT_NULL}'
