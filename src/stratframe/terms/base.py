"""What a user may write in `by`, and the terms of one column."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from numbers import Integral, Real
from typing import Any, TypeAlias

from ..errors import StratError

DECILES = 10
"""Bins into which a continuous entry is cut where an order is of no use."""

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


@dataclass(frozen=True, eq=False)
class Clusters:
    """Clusters of the rows by their features, inside the parent stratum."""

    features: tuple[Ref, ...]
    n: int | None
    """How many; None to estimate it, or to leave it to the algorithm."""
    algorithm: Any
    """The name of one, or an object with `fit_predict`."""
    scale: str | None
    eps: float | None
    min_samples: int | None
    seed: int | None
    """None for that of the call."""
    name: Hashable | None = None


@dataclass(frozen=True, eq=False)
class Chain:
    """Features that order the rows of a stratum: from each to the nearest."""

    features: tuple[Ref, ...]
    scale: str | None
    name: Hashable | None = None


@dataclass(frozen=True, eq=False)
class Nearest:
    """Features that order the rows of a stratum: neighbours, block by block."""

    features: tuple[Ref, ...]
    block: int | None
    scale: str | None
    name: Hashable | None = None


@dataclass(frozen=True, eq=False)
class Margins:
    """Entries that are balanced each on its own."""

    entries: "tuple[Plain | Classes | Quantiles | Bins | Clusters, ...]"


Features: TypeAlias = Clusters | Chain | Nearest
"""A term of several numeric columns."""
Ordering: TypeAlias = Continuous | Chain | Nearest
"""A term that orders rows and makes no strata."""
Term: TypeAlias = Plain | Classes | Quantiles | Bins | Ordering | Clusters | Margins
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


def margins(entries: Sequence[Hashable | Term]) -> Margins:
    """Balance each of several entries on its own, not the strata that they make together.

    For multi-label indicators, and for many columns whose joint strata are too sparse. It
    stands alone in `by`. Sizes stay within 1 of even.

    Parameters
    ----------
    entries : list of entries
        Columns of classes, and terms: `sf.classes`, `sf.quantiles`, `sf.bins`,
        `sf.clusters`. A continuous column is an error: cut it.

    Returns
    -------
    Margins

    Raises
    ------
    StratError
        If there are none, or one of them orders rows.

    References
    ----------
    Sechidis, Tsoumakas and Vlahavas (2011), On the stratification of multi-label data.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"sun": [1, 0, 1, 0, 1, 0], "sea": [1, 1, 0, 0, 0, 0]})
    >>> folded = df.strat.kfold(sf.margins(["sun", "sea"]), k=2)
    >>> folded.groupby("fold")["sea"].sum().tolist()
    [1, 1]
    """
    given = list(entries) if isinstance(entries, list | tuple) else []
    if not given:
        msg = f"`sf.margins` must hold a list of entries, got {entries!r}."
        raise StratError(msg)
    found: list[Any] = []
    for entry in given:
        if isinstance(entry, Ordering | Margins):
            name = type(entry).__name__.lower()
            msg = (
                f"`sf.margins` must hold entries that make strata, got `sf.{name}`."
                "\nHint: `sf.quantiles` cuts a continuous column."
            )
            raise StratError(msg)
        found.append(entry if isinstance(entry, Term) else Plain(entry))
    return Margins(tuple(found))
