"""What a user may write in `by`: column names, terms, expressions."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from numbers import Integral, Real
from typing import Any, TypeAlias

from . import frames
from .errors import StratError

Ref: TypeAlias = Any
"""Where a column comes from: its name, a Polars expression, or for pandas a callable
of the frame or a `pd.col` expression."""


@dataclass(frozen=True, eq=False)
class Plain:
    """A column as it stands: classes, or continuous if it holds fractions."""

    column: Ref
    name: Hashable | None = None


@dataclass(frozen=True, eq=False)
class Classes:
    """A column taken as classes, floats too."""

    column: Ref
    name: Hashable | None = None


@dataclass(frozen=True, eq=False)
class Continuous:
    """A column that orders the rows inside their stratum."""

    column: Ref
    name: Hashable | None = None


@dataclass(frozen=True, eq=False)
class Quantiles:
    """A column cut at its quantiles inside the parent stratum."""

    column: Ref
    n: int
    name: Hashable | None = None
    quiet: bool = False
    """Whether fewer bins than `n` are nothing to warn of."""


@dataclass(frozen=True, eq=False)
class Bins:
    """A column cut at given edges."""

    column: Ref
    edges: tuple[float, ...]
    closed: str
    name: Hashable | None = None


Term: TypeAlias = Plain | Classes | Continuous | Quantiles | Bins
By: TypeAlias = Hashable | Term | Sequence[Hashable | Term]
"""One entry or a list of entries."""


def classes(column: Ref, *, name: Hashable | None = None) -> Classes:
    """Take a column as classes, even a float column with fractions.

    Parameters
    ----------
    column : column name, Polars expression, or callable of a pandas frame
    name : hashable, optional
        What its stratum column is called in result frames.

    Returns
    -------
    Classes

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"rating": [0.5, 0.5, 1.0, 1.0]})
    >>> sf.strata(df, sf.classes("rating"))
       rating  n  share
    0     0.5  2    0.5
    1     1.0  2    0.5
    """
    return Classes(column, name)


def continuous(column: Ref, *, name: Hashable | None = None) -> Continuous:
    """Order rows by a column inside their stratum, so that neighbours part.

    Sorted stratification for k folds, fractional stratification for unequal parts.
    It comes last in `by`, and only once.

    Parameters
    ----------
    column : column name, Polars expression, or callable of a pandas frame
        Numbers or dates, none missing or infinite.
    name : hashable, optional
        What its stratum column is called in result frames.

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
    return Continuous(column, name)


def quantiles(column: Ref, n: int, *, name: Hashable | None = None) -> Quantiles:
    """Cut a column at its quantiles inside the parent stratum.

    Cut where `np.quantile(..., method="inverted_cdf")` does, closed on the right as
    `pd.qcut`. Equal values never part; a warning says where that makes fewer bins.

    Parameters
    ----------
    column : column name, Polars expression, or callable of a pandas frame
        Numbers, dates, or a categorical of numbers.
    n : int
        Bins, at least 2.
    name : hashable, optional
        What its stratum column is called in result frames.

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
    >>> sf.strata(df, sf.quantiles("price", 2))
         price  n  share
    0   [1, 3]  3    0.5
    1  (3, 60]  3    0.5
    """
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 2:
        msg = f"`n` of `sf.quantiles` must be a whole number of at least 2, got {n!r}."
        raise StratError(msg)
    return Quantiles(column, int(n), name)


def bins(
    column: Ref, edges: Sequence[float], *, closed: str = "right", name: Hashable | None = None
) -> Bins:
    """Cut a column at given edges.

    Parameters
    ----------
    column : column name, Polars expression, or callable of a pandas frame
        Numbers, or a categorical of numbers. A value outside the edges is an error.
    edges : sequence of float
        At least 2, increasing; the outermost may be infinite.
    closed : {"right", "left"}
        Which edge belongs to a bin. The lowest (with "left" the highest) edge of all
        is included too.
    name : hashable, optional
        What its stratum column is called in result frames.

    Returns
    -------
    Bins

    Raises
    ------
    StratError
        If the edges do not increase, or `closed` is neither side.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"age": [0, 18, 19, 64]})
    >>> sf.strata(df, sf.bins("age", [0, 18, 65]))
            age  n  share
    0   [0, 18]  2    0.5
    1  (18, 65]  2    0.5
    """
    if closed not in ("right", "left"):
        msg = f"`closed` of `sf.bins` must be 'right' or 'left', got {closed!r}."
        raise StratError(msg)
    try:
        given = list(edges)
    except TypeError:
        given = []
    numbers = [edge for edge in given if isinstance(edge, Real) and not isnan(edge)]
    climbs = all(a < b for a, b in pairwise(numbers))
    if len(numbers) < 2 or len(numbers) < len(given) or not climbs:
        msg = f"`edges` of `sf.bins` must be at least 2 increasing numbers, got {edges!r}."
        raise StratError(msg)
    return Bins(column, tuple(float(edge) for edge in numbers), closed, name)


def parse(by: By | None) -> tuple[Term, ...]:
    """Turn `by` into terms, and check how they combine.

    Parameters
    ----------
    by : entry, list of entries, or None

    Returns
    -------
    tuple of Term

    Raises
    ------
    StratError
        If the list is empty, an entry stands twice, or a continuous one is not last.

    Examples
    --------
    >>> parse("label")
    (Plain(column='label', name=None),)
    """
    if by is None:
        return ()
    entries = by if isinstance(by, list) else [by]
    if not entries:
        msg = "`by` must hold at least one entry, got []."
        raise StratError(msg)
    terms = tuple(entry if isinstance(entry, Term) else Plain(entry) for entry in entries)
    for place, term in enumerate(terms):
        if any(same(term, other) for other in terms[:place]):
            msg = f"`by` must hold each entry once, got {shown(term)} twice."
            raise StratError(msg)
    orders = [term for term in terms if isinstance(term, Continuous)]
    if orders and (len(orders) > 1 or terms[-1] is not orders[0]):
        listed = ", ".join(shown(term) for term in terms)
        msg = f"`sf.continuous` must be the last entry of `by`, and only once, got [{listed}]."
        raise StratError(msg)
    return terms


def parse_some(by: By | None) -> tuple[Term, ...]:
    """Turn `by` into terms where there must be some.

    Examples
    --------
    >>> parse_some(None)
    Traceback (most recent call last):
        ...
    stratframe.errors.StratError: `by` must hold at least one entry, got None.
    """
    terms = parse(by)
    if not terms:
        msg = "`by` must hold at least one entry, got None."
        raise StratError(msg)
    return terms


def same(term: Term, other: Term) -> bool:
    """Say whether two terms ask for the same.

    Examples
    --------
    >>> same(classes("a"), classes("a")), same(classes("a"), continuous("a"))
    (True, False)
    """
    fields = vars(term).keys() - {"column", "name"}
    return (
        type(term) is type(other)
        and frames.same(term.column, other.column)
        and all(getattr(term, field) == getattr(other, field) for field in fields)
    )


def shown(term: Term) -> str:
    """Write a term as it stands in code.

    Examples
    --------
    >>> shown(Plain("a")), shown(quantiles("a", 5)), shown(bins("a", [0, 1]))
    ("'a'", "sf.quantiles('a', 5)", "sf.bins('a', [0, 1])")
    """
    column = frames.shown(term.column)
    match term:
        case Plain():
            return column
        case Quantiles():
            return f"sf.quantiles({column}, {term.n})"
        case Bins():
            return f"sf.bins({column}, [{', '.join(f'{edge:.15g}' for edge in term.edges)}])"
        case _:
            return f"sf.{type(term).__name__.lower()}({column})"
