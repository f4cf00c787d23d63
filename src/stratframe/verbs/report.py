"""Measure how even fold columns are: `report`, `compare`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .. import frames
from ..checks import check_flag
from ..core.evenness import tv_distance
from ..core.types import Values
from ..frames import AnyFrame
from ..habits import suggest_arguments
from ..pipeline.fold_counts import FoldCounts, fold_table, rounded_column, table_verb, text_array
from ..progress import track
from ..terms.base import By
from ..terms.by import parse_columns, parse_groups
from .drift import DRIFT_HINT, measure_drift
from .findings import stack_levels, verdict_of, verdicts_of
from .sources import check_rows, join_given, named_source

IN_FULL = ("rms_deviation", "random", "ratio", "tv_distance")
"""The columns that only a full table has, because they make it wider than a terminal."""


@table_verb
@suggest_arguments
def report(
    frame: AnyFrame,
    by: By,
    name: str | Sequence[str] = "fold",
    *,
    groups: Any = None,
    full: bool = False,
) -> Any:
    """Report how even each fold is, compared with what whole rows and chance allow.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame, or mapping
        A mapping as for `check`.
    by : entry or list of entries
        What should be spread evenly over the folds. A continuous entry is shown as up to five
        quantile bins, fewer where a bin would have less than two rows for each fold; so is a column
        of more than ten whole numbers if most rows hold a number with less than two rows for each
        fold. Missing values are a stratum of their own, and so is each value of each margin.
    name : str or list of str
        A fold or part column from any source. Rows without a fold are left out.
    groups : column, list of columns, `sf.clusters`, `sf.linked` or `sf.similar`, optional
        Groups, each of which is in one fold: folds are compared with random folds of groups.
    full : bool
        Whether to add the columns from `rms_deviation` on.

    Returns
    -------
    pandas.DataFrame (also for Dask and Spark frames) or polars.DataFrame
        One row per fold: the fold, in a column named after the fold column (`fold` if that name is
        taken); `n`, its number of rows; `rows_off`, the largest difference, over the strata at
        every level of `by`, between its number of rows of a stratum and the number expected from
        the fold's size; `absent`, the number of joint strata that the fold lacks; and `verdict`, as
        in `check`: "even", "too few rows", "no less even than a shuffle", "as even as a shuffle" or
        "uneven"; "not judged" if `by` has only `sf.chain`, `sf.nearest` or `sf.total`; "empty" for
        a fold without rows. In full also `rms_deviation`, the root mean square of the differences
        of joint strata; `random`, the root of its expected square in a random column with these
        fold sizes; `ratio`, the first divided by the second: 0 is perfect, 1 like a random column;
        and `tv_distance`, the total variation distance from all rows (with margins, of the worst
        entry). `rows_off` and `ratio` are rounded to two decimals. With several fold columns, the
        first columns are `column` and `fold`.

    See Also
    --------
    compare : One row per column.
    check : Whether a column is fit for use.

    Notes
    -----
    On Dask and Spark frames `by` takes what `kfold` takes there, and continuous entries.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a"] * 5 + ["b"] * 3}).strat.kfold("label", k=2)
    >>> sf.report(df, "label")
       fold  n  rows_off  absent verdict
    0     0  4       0.5       0    even
    1     1  4       0.5       0    even
    """
    in_full, terms = check_flag("full", full), parse_groups(groups)
    frame, name, _ = join_given(frame, name)
    source, names = named_source(frame, name)
    read = source.collect(by, terms, names)

    def table_of(column: str, label: str) -> Any:
        counts = read.count_folds(by, column, terms)
        table: dict[Hashable, Any] = {label: counts.labels.values, "n": counts.sizes}
        table |= figure_columns(source.library, measure_folds(counts), in_full=in_full)
        return frames.make_frame(source.library, table)

    return fold_table(names, table_of, ("n", "rows_off", "absent", "verdict", *IN_FULL))


@table_verb
@suggest_arguments
def compare(
    frame: AnyFrame,
    by: By,
    names: str | Sequence[str],
    features: Any = None,
    *,
    groups: Any = None,
    full: bool = False,
) -> Any:
    """Compare fold columns: how even each one is, and how far its features drift.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame
    by : entry or list of entries
        As for `report`.
    names : str or list of str
        Fold or part columns from any source.
    features : column or list of columns, optional
        As for `drift`; not on Dask and Spark frames.
    groups : column, list of columns, `sf.clusters`, `sf.linked` or `sf.similar`, optional
        As for `report`.
    full : bool
        Whether to add the columns `rms_deviation`, `random`, `ratio` and `tv_distance`.

    Returns
    -------
    pandas.DataFrame (also for Dask and Spark frames) or polars.DataFrame
        One row per column: `column`; `rows_off`, the largest value of its folds in `report`; with
        `features`, `drift`, the largest distance of its folds and features in `drift`, divided by
        the level of chance; and `verdict`, the verdict on its worst fold. In full also the root
        mean squares of `rms_deviation` and `random` over its folds, their `ratio`, and the largest
        `tv_distance`.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a", "a", "b", "b"] * 25, "plain": [0, 1, 0, 0] * 25})
    >>> df = df.strat.kfold("label", k=2)
    >>> sf.compare(df, "label", ["plain", "fold"])
      column  rows_off verdict
    0  plain      12.5  uneven
    1   fold       0.0    even
    """
    in_full, terms = check_flag("full", full), parse_groups(groups)
    source, columns = named_source(frame, names)
    refs = parse_columns("features", features)
    if refs:
        check_rows(frame, "`compare` looks at the values of `features` in all rows", DRIFT_HINT)
        frames.check_refs(source.frame, {"features": refs})
    read = source.collect(by, terms, [*columns, *refs])

    def measure(column: Any) -> dict[str, Any]:
        folds = measure_folds(read.count_folds(by, column, terms))
        rms, random = mean_root(folds["rms_deviation"]), mean_root(folds["random"])
        found = {
            "rows_off": folds["rows_off"].max(initial=0.0),
            "verdict": verdict_of(folds["verdict"]),
            "rms_deviation": rms,
            "random": random,
            "ratio": np.nan if {*folds["verdict"]} <= {"empty"} else ratio_of(rms, random),
            "tv_distance": np.nan_to_num(folds["tv_distance"]).max(initial=0.0),
        }
        if refs:
            ratio = measure_drift(read.frame, refs, column)[2].ratio
            found["drift"] = max(ratio[~np.isnan(ratio)], default=np.nan)
        return found

    rows = [measure(column) for column in track(columns, "Columns of folds")]
    order = ("rows_off", "drift", "verdict", *IN_FULL)
    found = {name: np.array([row[name] for row in rows]) for name in order if name in rows[0]}
    table: dict[Hashable, Any] = {"column": text_array(list(map(str, columns)))}
    table |= figure_columns(source.library, found, in_full=in_full)
    return frames.make_frame(source.library, table)


def measure_folds(counts: FoldCounts) -> dict[str, Any]:
    """Measure how even the folds of a column are; each figure has a value for every fold."""
    judged = counts.judge()
    shown = judged if counts.is_marginal else judged[-1:]
    cells, joint = stack_levels(judged), stack_levels(shown)
    rms, random = mean_root(joint.off), mean_root(joint.spread)
    return {
        "rows_off": np.abs(cells.off).max(axis=0, initial=0.0),
        "absent": (joint.table == 0).sum(axis=0),
        "verdict": verdicts_of(counts, cells),
        "rms_deviation": rms,
        "random": random,
        "ratio": np.where(counts.sizes, ratio_of(rms, random), np.nan),
        "tv_distance": np.max([tv_distance(each.off, counts.sizes) for each in shown], axis=0),
    }


def ratio_of(rms: Values, random: Values) -> Values:
    """Divide the RMS deviation by that of a random fold; 0 / 0 counts as 0."""
    return np.divide(rms, random, out=np.zeros_like(rms), where=random > 0)


def mean_root(values: Values) -> Values:
    """Compute the root mean square of each column, the same to the last bit in any row order."""
    squares = np.sort(values**2, axis=0)  # a sum of floats depends on their order
    roots: Values = np.sqrt(squares.sum(axis=0) / max(len(values), 1))
    return roots


def figure_columns(library: str, found: dict[str, Any], *, in_full: bool) -> dict[Hashable, Any]:
    makers: dict[str, Callable[[Any], Any]] = {
        **dict.fromkeys(("rows_off", "drift", "ratio"), partial(rounded_column, library)),
        "tv_distance": partial(frames.float_column, library),
        "verdict": text_array,
    }
    shown = [name for name in found if in_full or name not in IN_FULL]
    return {name: makers.get(name, np.asarray)(found[name]) for name in shown}
