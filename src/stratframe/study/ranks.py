"""Count how often each strategy is best, and test whether the ranks of strategies differ."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from .. import frames
from ..checks import check_flag, load_extra
from ..core.types import Ints, Values
from ..errors import StratError, at_least_one, describe, given_twice
from ..terms.base import ColumnRef
from ..terms.by import parse_columns
from .statistics import number_values, read_series

TOLERANCE = 1e-9
"""The maximum difference that is treated as a rounding error, for values of about 1 or less."""

MORE_CASES = '\nHint: `cases=["population", "estimator"]` tells more cases apart.'

Cases = ColumnRef | Sequence[ColumnRef]


def wins(
    summary: Any,
    measure: str = "mse",
    *,
    cases: Cases = "estimator",
    tolerance: float = TOLERANCE,
) -> Any:
    """Count how often each strategy has the value nearest to zero.

    Wins do not show how much better a strategy is. Even if n strategies are equally good, each wins
    about one case in n. `sf.study.summary` computes ratios of mean squared errors.

    Parameters
    ----------
    summary : pandas.DataFrame or polars.DataFrame
        The result of `sf.study.summary` with `full=True`, several of these results in one frame, or
        any frame with the columns `strategy` and `k` and the columns that `measure` and `cases`
        name.
    measure : str
        A column in which the value nearest to zero is best, such as `"mse"`, `"bias"` or `"sd"`.
    cases : column or list of columns
        The columns that identify a case, such as `["population", "estimator"]` if the frame has a
        column `population`.
    tolerance : float
        Values that differ by at most this amount are tied. Tied strategies share a win.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per k and strategy, with the columns `k`, `strategy`, `wins` and `cases` (the number
        of cases). A case is left out if any strategy lacks a value.

    Raises
    ------
    StratError
        If a column is missing, or a strategy has two values in a case.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> found = pd.DataFrame({"strategy": ["SCV", "k-fold"] * 2, "estimator": ["a", "a", "b", "b"]})
    >>> sf.study.wins(found.assign(k=5, mse=[0.1, 0.2, 0.3, 0.3]))
       k strategy  wins  cases
    0  5      SCV   1.5      2
    1  5   k-fold   0.5      2
    """
    strategies, tables = read_cases(summary, measure, cases)
    noise = check_tolerance(tolerance)
    n = len(strategies)
    columns: dict[Hashable, Any] = {
        "k": np.repeat([*tables], n),
        "strategy": strategies * len(tables),
        "wins": np.concatenate([count_wins(table, noise) for table in tables.values()]),
        "cases": np.repeat([len(table) for table in tables.values()], n),
    }
    return frames.make_frame(frames.library_of(summary), columns)


def friedman(
    summary: Any,
    measure: str = "mse",
    *,
    cases: Cases = "estimator",
    signed: bool = False,
    tolerance: float = TOLERANCE,
) -> Any:
    """Apply Friedman's test for differences between the ranks of strategies.

    Parameters
    ----------
    summary, measure, cases
        As for `wins`.
    signed : bool
        Whether to rank the values with their signs. By default, absolute values are ranked, because
        only the size of a bias matters.
    tolerance : float
        Values that differ by at most this amount are tied, so that rounding errors do not affect
        the ranks.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per k, with the columns `k`, `statistic`, `p`, `strategies` and `cases`. The
        statistic and p are computed by `scipy.stats.friedmanchisquare`, and are missing if all
        strategies are tied in all cases. The last two columns hold the numbers of strategies and
        cases. A case is left out if any strategy lacks a value.

    Notes
    -----
    The test assumes that cases are independent. Estimators that are fitted on the same samples are
    not independent, and p can then be too small or too large.

    Raises
    ------
    StratError
        If a column is missing, a strategy has two values in a case, or there are fewer than
        three strategies or two cases.
    ImportError
        If SciPy is not installed: `pip install "stratframe[sklearn]"`.

    References
    ----------
    Friedman (1937), The use of ranks to avoid the assumption of normality implicit in the
    analysis of variance, Journal of the American Statistical Association 32.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> found = pd.DataFrame({"strategy": ["a", "b", "c"] * 4, "estimator": [*"llltttnnnsss"]})
    >>> found = found.assign(k=5, mse=[1, 2, 3, 1, 2, 3, 1, 3, 2, 1, 2, 2])
    >>> sf.study.friedman(found).round(3)
       k  statistic      p  strategies  cases
    0  5      6.533  0.038           3      4
    """
    strategies, tables = read_cases(summary, measure, cases)
    is_signed = check_flag("signed", signed)
    noise = check_tolerance(tolerance)
    check_enough(strategies, tables)
    tests = [rank_test(each if is_signed else np.abs(each), noise) for each in tables.values()]
    statistics = np.array([each.statistic for each in tests], dtype=np.float64)
    p = np.array([each.pvalue for each in tests], dtype=np.float64)
    library = frames.library_of(summary)
    columns: dict[Hashable, Any] = {
        "k": list(tables),
        "statistic": frames.float_column(library, statistics),
        "p": frames.float_column(library, p),
        "strategies": [len(strategies)] * len(tables),
        "cases": [len(table) for table in tables.values()],
    }
    return frames.make_frame(library, columns)


# Reading --------------------------------------------------------------------------------


def read_cases(summary: Any, measure: str, cases: Any) -> tuple[list[Any], dict[Any, Values]]:
    """Return the strategies and, for each k, the values in all cases without missing values."""
    frames.check_frame(summary)
    case_refs = parse_columns("cases", cases)
    if not case_refs:
        raise StratError(at_least_one("`cases`", "column", None))
    refs = {"summary": ("k", "strategy"), "cases": case_refs, "measure": [measure]}
    frames.check_refs(summary, refs)
    *series, measured = read_series(summary, ["k", "strategy", *case_refs, measure], "summary")
    k_values, names, *keys = map(frames.to_list, series)
    ks, k_numbers = number_values(k_values)
    strategies, strategy_numbers = number_values(names)
    _, case_numbers = number_values(list(zip(*keys, strict=True)))
    ((values,), _) = frames.read_matrix([measured], "study")
    columns: dict[Hashable, Any] = {
        "k": k_numbers,
        "case": case_numbers,
        "strategy": strategy_numbers,
        "value": values,
    }
    tables = tables_of_cases(frames.make_frame("pandas", columns), len(ks))
    return strategies, dict(zip(ks, tables, strict=True))


def tables_of_cases(rows: Any, n_ks: int) -> list[Values]:
    """Make a table of cases and strategies for each k, without cases that lack a value."""
    if rows.duplicated(["k", "case", "strategy"]).any():
        raise StratError(
            given_twice("`summary`", "strategy of a case", "some strategies") + MORE_CASES
        )
    wide = rows.pivot(index=["k", "case"], columns="strategy", values="value").dropna()
    places = wide.index.get_level_values("k")
    return [wide[places == place].to_numpy() for place in range(n_ks)]


def check_enough(strategies: Sequence[Any], tables: dict[Any, Values]) -> None:
    """Raise an error if there are too few strategies or cases for Friedman's test."""
    if len(strategies) < 3:
        msg = f"`summary` must have at least three strategies, got {len(strategies)}."
        raise StratError(msg)
    for k, table in tables.items():
        if len(table) < 2:
            msg = (
                "`cases` must give at least two cases in which every strategy has a value, got"
                f" {len(table)} for k={k}.{MORE_CASES}"
            )
            raise StratError(msg)


def check_tolerance(tolerance: Any) -> float:
    """Check that a tolerance is a non-negative number."""
    if isinstance(tolerance, Real) and not isinstance(tolerance, bool) and float(tolerance) >= 0:
        return float(tolerance)
    msg = f"`tolerance` must be a number of at least 0, got {describe(tolerance)}."
    raise StratError(msg)


# Statistics -----------------------------------------------------------------------------


def count_wins(values: Values, tolerance: float) -> Values:
    """Count the wins of each strategy, shape (..., n_strategies).

    The values have the shape (..., n_cases, n_strategies).
    """
    size = np.abs(values)
    is_best = size <= size.min(axis=-1, keepdims=True) + tolerance
    counts: Values = (is_best / is_best.sum(axis=-1, keepdims=True)).sum(axis=-2)
    return counts


def rank_test(values: Values, tolerance: float) -> Any:
    """Apply Friedman's test, with ties, to values of shape (..., n_cases, n_strategies)."""
    friedmanchisquare = load_extra("scipy.stats", "sklearn").friedmanchisquare
    with np.errstate(invalid="ignore", divide="ignore"):
        return friedmanchisquare(*np.moveaxis(places_of(values, tolerance), -1, 0), axis=-1)


def places_of(values: Values, tolerance: float) -> Ints:
    """Rank values along the last axis, starting from 0; tied values have the same rank."""
    order = np.argsort(values, axis=-1)
    steps = np.diff(np.take_along_axis(values, order, -1), axis=-1) > tolerance
    ascending = np.zeros(values.shape, dtype=np.int64)
    ascending[..., 1:] = np.cumsum(steps, axis=-1)
    numbers = np.empty_like(ascending)
    np.put_along_axis(numbers, order, ascending, -1)
    return numbers
