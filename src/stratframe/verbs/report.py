"""How good fold columns are: `report`, `compare`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..checks import check_flag
from ..core.evenness import (
    deviations,
    optimal_max_deviation,
    promised_deviation,
    random_variance,
    tv_distance,
)
from ..core.types import Flags, Ints, Values
from ..errors import plural
from ..frames import AnyFrame
from ..habits import suggest_arguments
from ..pipeline.tables import FoldCounts, fold_table, rounded_column, table_verb, text_array
from ..terms.base import By
from ..terms.by import parse_columns
from .drift import DRIFT_HINT, Drift, measure_drift
from .select import named_side
from .sides import check_rows

BETTER, SKEWED = 1 / 2, 3
"""Ratios of a fold's RMS deviation to a random fold's; between them it is "as random"."""

REPORT_ROUNDING = 1e-9
"""Rows by which floats may be off."""

EVENNESS = {
    "empty": "empty",
    "optimal": "even",
    "even": "even",
    "between": "better than random",
    "as random": "no better than random",
    "skewed": "SKEWED",
}
"""Verdicts in words that need no table beside them."""

COMPARED = ("rows_off", "optimum", "ratio")
"""The figures that `report` and `compare` round: a hundredth of a row changes no decision."""

REPORTED = ("n", *COMPARED, "missing")
"""The columns of `report` between that of the folds and the verdict."""

COMPARED_IN_FULL = ("rms_deviation", "random")
REPORTED_IN_FULL = (*COMPARED_IN_FULL, "tv_distance")
"""The columns with which a table is wider than a terminal."""


@table_verb
@suggest_arguments
def report(
    frame: AnyFrame, by: By, name: str | Sequence[str] = "fold", *, full: bool = False
) -> Any:
    """Report the imbalance of each fold, next to the optimum and to random assignment.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask, Spark or pandas-on-Spark frame
    by : entry or list of entries
        As for `strata`. Each value of each margin counts as a stratum.
    name : str or list of str
        A fold or part column from any source; of a list, each column. Rows without a fold
        are training rows: they count among all rows, with which each fold is compared.
    full : bool
        Whether to add the columns `rms_deviation`, `random` and `tv_distance`.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per fold: the fold, in a column of the name of the fold column (`fold`, if
        the table has a column of that name); `n`, its rows; `rows_off`, the largest
        difference, over the strata, of the rows in the fold and the rows expected;
        `optimum`, the largest `rows_off` of the best column with these fold sizes,
        whichever rows it leaves without a fold; `ratio`, `rms_deviation` divided by `random`:
        0 is perfect, 1 as random; `missing`, the number of strata that the fold lacks;
        `verdict`, a word. In full also `rms_deviation`, the root mean square of the
        differences; `random`, the root of its expected square in a random column with these
        fold sizes; `tv_distance`, the total variation distance to all rows (with margins, that
        of the worst entry). With two columns or more, one row per column and fold, and the
        first columns are `column` and `fold`.

    Raises
    ------
    StratError
        If `by` or `name` breaks a rule.

    See Also
    --------
    compare : one row per column

    Notes
    -----
    The verdict is the first of these that holds: "empty", the fold has no rows; "optimal",
    `rows_off` is at most `optimum`; "even", each stratum is within one row of its share of
    the fold, whose own size may be rounded; "between" even and random, `ratio` is less than a
    half; "as random", it is at most 3; "skewed", it is more than that. `rows_off`, `optimum` and
    `ratio` are rounded to two decimals, after the verdict.

    The optimum is that of single rows, assigned one by one. It does not know groups: whole
    groups are often unable to reach it, and so may be several margins at once; a continuous
    entry is shown as bins that `kfold` does not use. Otherwise `kfold` reaches it if all folds
    have the same size. If not, it keeps all counts within one row of each other at every level
    of strata, which can be slightly further from the expected counts.

    On Dask and Spark frames the table is a pandas frame, and `by` is as for `strata`.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a"] * 5 + ["b"] * 3}).strat.kfold("label", k=2)
    >>> sf.report(df, "label")
       fold  n  rows_off  optimum  ratio  missing  verdict
    0     0  4       0.5      0.5   0.68        0  optimal
    1     1  4       0.5      0.5   0.68        0  optimal
    """
    shown = (*REPORTED, *REPORTED_IN_FULL) if check_flag("full", full) else REPORTED
    side, names = named_side(frame, name)
    read = side.collect(by, names)

    def table_of(column: str, label: str) -> Any:
        """Report one fold column."""
        found = measure_folds(read.folded(by, column).crossed())
        return report_table(side.library, {label: found.folds}, found, shown)

    return fold_table(names, table_of, (*shown, "verdict"))


def report_table(
    library: str, first: dict[Hashable, Any], found: FoldReport, shown: Sequence[str]
) -> Any:
    """Make a table of the first columns, some figures and the verdicts."""
    return frames.make_frame(
        library, first | found.figures(library, shown) | {"verdict": text_array(found.verdicts())}
    )


@table_verb
@suggest_arguments
def compare(
    frame: AnyFrame,
    by: By,
    names: str | Sequence[str],
    features: Any = None,
    *,
    full: bool = False,
) -> Any:
    """Compare fold columns: how even each one is, and how far its features drift.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask, Spark or pandas-on-Spark frame
    by : entry or list of entries
        As for `report`.
    names : str or list of str
        Fold or part columns from any source.
    features : column or list of columns, optional
        As for `drift`.
    full : bool
        Whether to add the columns `rms_deviation` and `random`.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per column: `column`; `rows_off`, the largest of its folds in `report`;
        `optimum`; `ratio`, `rms_deviation` divided by `random`; with `features`, `drift`, the
        largest `ratio` of its folds and features in `drift`; in full, `rms_deviation` and
        `random`, the root mean squares of those of its folds; `verdict`, as of `report`, by
        these figures.

    Raises
    ------
    StratError
        If an argument breaks a rule.

    Notes
    -----
    On Dask and Spark frames the table is a pandas frame, `by` is as for `strata`, and `features`
    cannot be given, as drift compares the values of all rows.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a", "a", "b", "b"] * 5, "plain": [0, 1, 0, 0] * 5})
    >>> df = df.strat.kfold("label", k=2)
    >>> sf.compare(df, "label", ["plain", "fold"])
      column  rows_off  optimum  ratio    verdict
    0  plain       2.5      0.5   2.52  as random
    1   fold       0.0      0.0   0.00    optimal
    """
    more = COMPARED_IN_FULL if check_flag("full", full) else ()
    side, columns = named_side(frame, names)
    refs = parse_columns("features", features)
    if refs:
        check_rows(frame, "`compare` looks at the values of `features` in all rows", DRIFT_HINT)
        frames.check_refs(side.frame, refs, "features")
    read = side.collect(by, [*columns, *refs])
    found = stacked(
        [measure_folds(read.folded(by, column).crossed()).pooled() for column in columns]
    )
    table: dict[Hashable, Any] = {"column": text_array(list(map(str, columns)))}
    table |= found.figures(side.library, COMPARED)
    if refs:
        worst = [worst_ratio(measure_drift(read.frame, features, column)[2]) for column in columns]
        table["drift"] = rounded_column(side.library, np.array(worst))
    return report_table(side.library, table, found, more)


def worst_ratio(measured: Drift) -> float:
    """Find the largest ratio of drift to chance; NaN if there is none."""
    known = measured.ratio[~np.isnan(measured.ratio)]
    return float(known.max()) if len(known) else np.nan


class FoldReport(NamedTuple):
    """How even folds are, each field but the first of shape (n_folds,)."""

    folds: list[Any]
    n: Ints
    max_deviation: Values
    optimum: Values
    rms_deviation: Values
    random: Values
    missing: Ints
    tv_distance: Values
    is_even: Flags
    """Whether each stratum is within one row of its share."""

    @property
    def ratio(self) -> Values:
        """The RMS deviation by that of a random fold; 0 / 0 counts as 0, NaN without rows."""
        ratio = np.where(self.n, 0.0, np.nan)
        return np.divide(self.rms_deviation, self.random, out=ratio, where=self.random > 0)

    def figures(self, library: str, names: Sequence[str]) -> dict[Hashable, Any]:
        """Make columns of some figures, those that are compared rounded."""
        known = self._asdict() | {"rows_off": self.max_deviation, "ratio": self.ratio}
        figures: dict[Hashable, Any] = {name: known[name] for name in names}
        for name in {*COMPARED} & {*names}:
            figures[name] = rounded_column(library, known[name])
        if "tv_distance" in names:
            figures["tv_distance"] = frames.float_column(library, self.tv_distance)
        return figures

    def pooled(self) -> FoldReport:
        """Take the folds of a column together, as one."""
        return FoldReport(
            [None],
            np.array([self.n.sum()]),
            np.array([self.max_deviation.max(initial=0.0)]),
            np.array([self.optimum.max(initial=0.0)]),
            np.array([root_mean_square(self.rms_deviation)]),
            np.array([root_mean_square(self.random)]),
            np.array([self.missing.sum()]),
            np.array([self.tv_distance.max(initial=0.0)]),
            np.array([self.is_even.all()]),
        )

    def verdicts(self) -> list[str]:
        """Choose a word for every fold."""
        rules = {
            "empty": self.n == 0,
            "optimal": self.max_deviation <= self.optimum + REPORT_ROUNDING,
            "even": self.is_even,
            "between": self.rms_deviation < BETTER * self.random,
            "as random": self.rms_deviation <= SKEWED * self.random,
        }
        words: list[str] = np.select(list(rules.values()), list(rules), "skewed").tolist()
        return words


def describe_evenness(pooled: FoldReport) -> tuple[str, str]:
    """Describe folds taken together as one: a verdict, and how many rows they are off."""
    (verdict,), worst = pooled.verdicts(), float(pooled.max_deviation.max())
    word = EVENNESS[verdict]
    if verdict == "empty":
        return word, "no row has a fold"
    if worst <= REPORT_ROUNDING:
        return f"exactly {word}", "no row off"
    if word == "even":
        return word, "at most 1 row off"
    return word, f"up to {plural(ceil(worst - REPORT_ROUNDING), 'row')} off"


def root_mean_square(values: Values) -> float:
    """Compute the root mean square, 0 of nothing."""
    return float(np.sqrt((values**2).sum() / max(len(values), 1)))


def stacked(reports: Sequence[FoldReport]) -> FoldReport:
    """Put the folds of reports one below the other."""
    folds = [fold for each in reports for fold in each.folds]
    fields = zip(*(each[1:] for each in reports), strict=True)
    return FoldReport(folds, *map(np.concatenate, fields))


def measure_folds(folded: FoldCounts) -> FoldReport:
    """Measure how even the folds of a column are."""
    n_folds = len(folded.folds)
    # Strata in one order whatever the library: sums of floats depend on it.
    tables = [table[np.lexsort(table.T)] for table in folded.tables]
    dealt = [table[:, :n_folds] for table in tables]
    sizes = [table.sum(axis=1) for table in tables]
    totals = dealt[0].sum(axis=0)
    apart = [deviations(own, n) for own, n in zip(dealt, sizes, strict=True)]
    off = np.concatenate(apart)
    distances = [tv_distance(own, totals) for own in apart]
    chance = np.concatenate([random_variance(n, totals) for n in sizes])
    promised = np.concatenate([promised_deviation(n) for n in sizes])[:, None]
    return FoldReport(
        folds=folded.folds,
        n=totals,
        max_deviation=np.abs(off).max(axis=0, initial=0.0),
        optimum=np.full(n_folds, max(optimal_max_deviation(n, totals) for n in sizes)),
        rms_deviation=np.sqrt((off**2).sum(axis=0) / max(len(off), 1)),
        random=np.sqrt(chance.sum(axis=0) / max(len(chance), 1)),
        missing=(np.concatenate(dealt) == 0).sum(axis=0),
        tv_distance=np.max(distances, axis=0),
        is_even=np.logical_and.reduce(np.abs(off) <= promised + REPORT_ROUNDING),
    )
