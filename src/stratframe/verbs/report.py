"""How good a fold column is, fold by fold, and what each k would cost: `report`, `advise`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import frames, theory
from ..checks import check_int
from ..core.evenness import deviations, least_deviation, random_variance, tv_distance
from ..core.types import Ints, Table
from ..errors import StratError, plural
from ..frames import Frame
from ..pipeline.strata import Strata
from ..pipeline.tables import read_by, table_verb, text_array
from ..terms.base import By
from ..theory.arguments import MAX_EXACT

THIN = 5
"""Rows of the rarest stratum in a fold below which a verdict says so."""


@table_verb
def report(frame: Frame, by: By, name: str = "fold") -> Any:
    """Report the imbalance of each fold, next to the optimum and to random assignment.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    by : entry or list of entries
        As for `strata`. Each value of each margin counts as a stratum.
    name : str
        A fold or part column from any source. Rows without a fold are training rows: they
        count among all rows, with which each fold is compared.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per fold: `fold`; `n`, its rows; `max_deviation` and `rms_deviation`, the
        largest and the root mean square, over the strata, of the rows in the fold minus the
        rows expected; `tv_distance`, the total variation distance to all rows (with margins,
        that of the worst entry); `missing`, the number of strata that the fold lacks. Then
        two references: `optimum`, the `max_deviation` of the best column with these fold
        sizes, and `random`, the root of the expected mean square of a random column with
        these fold sizes.

    Raises
    ------
    StratError
        If `by` or `name` breaks a rule.

    Notes
    -----
    The optimum is that of single rows. Whole groups, or several margins at once, may be
    unable to reach it; a continuous entry is shown as bins that `kfold` does not use.
    Otherwise `kfold` reaches it if all folds have the same size. If not, it keeps all counts
    within one row of each other at every level of strata, which can be slightly further from
    the expected counts.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a"] * 5 + ["b"] * 3}).strat.kfold("label", k=2)
    >>> sf.report(df, "label")[["fold", "n", "max_deviation", "optimum"]]
       fold  n  max_deviation  optimum
    0     0  4            0.5      0.5
    1     1  4            0.5      0.5
    """
    folded = read_folds(frame, by, name)
    n_folds = len(folded.folds)
    # Strata in one order whatever the library: sums of floats hang on it.
    tables = [table[np.lexsort(table.T)] for table in folded.tables]
    dealt = [table[:, :n_folds] for table in tables]
    sizes = [table.sum(axis=1) for table in tables]
    totals = dealt[0].sum(axis=0)
    apart = [deviations(own, n) for own, n in zip(dealt, sizes, strict=True)]
    off = np.concatenate(apart)
    distances = [tv_distance(own, totals) for own in apart]
    chance = np.concatenate([random_variance(n, totals) for n in sizes])
    least = [
        least_deviation(n, own.sum(axis=1), totals) for own, n in zip(dealt, sizes, strict=True)
    ]
    library = frames.library_of(frame)
    return frames.make_frame(
        library,
        {
            "fold": folded.folds,
            "n": totals,
            "max_deviation": np.abs(off).max(axis=0, initial=0.0),
            "rms_deviation": np.sqrt((off**2).sum(axis=0) / max(len(off), 1)),
            "tv_distance": frames.float_column(library, np.max(distances, axis=0)),
            "missing": (np.concatenate(dealt) == 0).sum(axis=0),
            "optimum": np.full(n_folds, max(least)),
            "random": np.sqrt(chance.sum(axis=0) / max(len(chance), 1)),
        },
    )


@table_verb
def advise(frame: Frame, by: By, ks: int | Iterable[int] = range(2, 21)) -> Any:
    """Report the expected imbalance for each k, and whether folds can hold every stratum.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    by : entry or list of entries
        As for `strata`. Each value of each margin counts as a stratum.
    ks : iterable of int
        Numbers of folds, each at least 2.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per k: `k`; `fold_size` and `rarest_per_fold`, the mean rows of a fold and
        of the rarest stratum in it; `folds_lacking`, how many folds must lack a stratum;
        `largest_deviation`, of a stratum's share in a fold from its share of all rows, for
        `kfold` by classes, bins and clusters (margins and a continuous entry may deviate
        further); `probability_any_missing`, that plain k-fold leaves a fold without the
        rarest stratum; `variance_random` and `variance_stratified`, of the rarest stratum's
        share in a fold under plain and under stratified k-fold, and `ratio`, the latter
        divided by the former; `verdict`, in words. Where k is larger than the number of
        rows, only `k`, `folds_lacking` and `verdict` are given.

    Raises
    ------
    StratError
        If `by` breaks a rule, or a k is not a whole number of at least 2.

    See Also
    --------
    stratframe.theory : the formulas

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a"] * 90 + ["b"] * 10})
    >>> sf.advise(df, "label", [5, 20])[["k", "rarest_per_fold", "folds_lacking"]]
        k  rarest_per_fold  folds_lacking
    0   5              2.0              0
    1  20              0.5             10
    """
    try:
        wanted = [check_int("ks", k, 2) for k in list(ks)]  # type: ignore[arg-type]
    except TypeError:
        wanted = [check_int("ks", ks, 2)]
    if max(wanted, default=0) > MAX_EXACT:
        msg = f"`ks` must be at most 2**53, got {max(wanted)}."
        raise StratError(msg)
    table = read_by(frame, by)
    strata = table.stratify()
    sizes = [level.sizes for level in strata.margins or [strata]]
    library = frames.library_of(frame)
    ks = [k for k in wanted if len(table.frame)]
    return frames.make_frame(library, advice(ks, sizes, library))


def advice(ks: Sequence[int], sizes: Sequence[Ints], library: str) -> dict[Hashable, Any]:
    """Make the columns of `advise`.

    Parameters
    ----------
    sizes : sequence of ndarray of int, each of shape (n_strata,)
        Rows of the strata, of each entry where these are balanced one by one.
    """
    n_rows = int(sizes[0].sum())
    rarest = int(min(entry.min(initial=n_rows) for entry in sizes))

    def figures(of_k: Callable[[int], float]) -> Any:
        """Compute one figure for each k that the rows suffice for."""
        return frames.float_column(
            library, np.array([of_k(k) if k <= n_rows else np.nan for k in ks])
        )

    def missing(k: int) -> float:
        """Compute the chance that plain k-fold leaves a fold without the rarest stratum."""
        return float(theory.probability_any_missing(n_rows, rarest, k))

    def random(k: int) -> float:
        """Compute the variance of a share in a fold drawn at random."""
        return float(theory.variance_random(n_rows, k, rarest / n_rows))

    def stratified(k: int) -> float:
        """Compute the variance of a share in a stratified fold."""
        return rarest < n_rows and float(theory.variance_stratified(n_rows, k, rarest))

    return {
        "k": np.array(ks, dtype=np.int64),
        "fold_size": figures(lambda k: n_rows / k),
        "rarest_per_fold": figures(lambda k: rarest / k),
        "folds_lacking": np.maximum(np.array(ks, dtype=np.int64) - rarest, 0),
        "largest_deviation": figures(
            lambda k: max(theory.largest_deviation(entry, k) for entry in sizes)
        ),
        "probability_any_missing": figures(
            lambda k: theory.probability_any_missing(n_rows, rarest, k)
        ),
        "variance_random": figures(random),
        "variance_stratified": figures(stratified),
        "ratio": figures(lambda k: stratified(k) / random(k) if rarest < n_rows else np.nan),
        "verdict": text_array([verdict(k, n_rows, rarest) for k in ks]),
    }


def verdict(k: int, n_rows: int, rarest: int) -> str:
    """Say in words what k folds do to the rarest stratum."""
    if k > n_rows:
        return f"not possible: only {plural(n_rows, 'row')}"
    if k > rarest:
        return f"short: {plural(k - rarest, 'fold')} must lack a stratum"
    least, most = rarest // k, -(-rarest // k)
    rows = plural(least, "row") if least == most else f"{least} to {most} rows"
    return f"{'thin' if least < THIN else 'good'}: {rows} of the rarest stratum per fold"


class FoldCounts(NamedTuple):
    """A fold column, counted by strata."""

    folds: list[Any]
    """The folds or parts, in order."""
    tables: list[Table]
    """Rows of the strata in every fold, and last in none; of margins a table for each."""
    strata: list[Strata]
    """What the rows of each table are."""
    nominal: bool
    """Whether all entries are of classes, which have no order of their own."""


def read_folds(frame: Frame, by: By, name: str) -> FoldCounts:
    """Count the strata of a frame in every fold of a column."""
    frames.check_all_refs(frame, {"name": [name]})
    table = read_by(frame, by, [name])
    series = [*table.series, frames.read_fold_column(table.frame, name)]
    options, counts = table.options, None
    nominal = not options.one_by_one and all(term.is_nominal for term in options.terms)
    if nominal:
        series, counts = frames.count_unique_rows(series)
    folds, codes = frames.fold_codes(series.pop())
    found = table.stratify(series, len(codes))
    strata = list(found.margins or [found])
    n_parts = len(folds) + 1
    # Rows without a fold have the code -1, which is the last column of a table.
    tables = [level.crosstab(codes % n_parts, n_parts, counts) for level in strata]
    return FoldCounts(folds, tables, strata, nominal)
