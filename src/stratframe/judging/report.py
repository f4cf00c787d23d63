"""Measure how even fold columns are: `report` and `compare`."""

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
from ..pipeline.fold_counts import FoldCounts
from ..progress import track
from ..terms.base import By
from ..terms.by import columns_of, parse_columns, parse_groups, require_by
from ..verbs.door import any_frame
from ..verbs.result_tables import fold_table, rounded_column, table_verb, text_array
from ..verbs.sources import check_rows, join_given, named_source
from .balance import stack_levels, verdict_of, verdicts_of
from .drift import DRIFT_HINT, measure_drift

IN_FULL = ("rms_deviation", "random", "ratio", "tv_distance")
"""The columns that only full tables have, because a terminal is too narrow for all columns."""


@table_verb
@suggest_arguments
@any_frame()
def report(
    frame: AnyFrame,
    by: By,
    name: str | Sequence[str] = "fold",
    *,
    groups: Any = None,
    full: bool = False,
) -> Any:
    """Report how even each fold is, compared with perfectly even folds and with random folds.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame, or mapping
        A mapping of names to frames is read as in `check`.
    by : entry or list of entries
        The columns or terms whose values should be spread evenly over the folds. A continuous entry
        is cut into five quantile bins, or fewer if a bin would have fewer than two rows per fold.
        Whole numbers count as continuous if the column has more than ten different values and most
        rows have a value that occurs less than twice per fold on average. Missing values form a
        stratum of their own, and so does each value of each margin.
    name : str or list of str
        One or more fold or part columns from any source. Rows without a fold are left out.
    groups : column, list of columns, `sf.clusters`, `sf.linked` or `sf.similar`, optional
        The columns or term that identify groups. The folds are then compared with random folds of
        whole groups.
    full : bool
        Whether to add the columns `rms_deviation`, `random`, `ratio` and `tv_distance`.

    Returns
    -------
    pandas.DataFrame (also for Dask and Spark frames) or polars.DataFrame
        One row per fold. The first column has the fold, under the name of the fold column (`fold`
        if that name is taken). It is followed by `n`, the number of rows in the fold; `rows_off`,
        the largest difference, over the strata at every level of `by`, between the number of rows
        of a stratum in the fold and the number expected from the size of the fold; `absent`, the
        number of joint strata that the fold lacks; and `verdict`, which is, as in `check`, "even",
        "too few rows", "no less even than a shuffle", "as even as a shuffle" or "uneven", or "not
        judged" if `by` has only `sf.chain`, `sf.nearest` or `sf.total`, or "empty" if the fold has
        no rows. The columns that `full` adds are `rms_deviation`, the root mean square of the
        differences over the joint strata; `random`, the root of the expected square of
        `rms_deviation` in random folds of the same sizes; `ratio`, which is `rms_deviation` divided
        by `random` (0 if perfectly even, about 1 if random); and `tv_distance`, the total variation
        distance between the strata of the fold and of all rows (with margins, the largest distance
        of an entry). `rows_off` and `ratio` are rounded to two decimals. With several fold columns,
        the first columns are `column` and `fold`.

    See Also
    --------
    compare : Compare fold columns, with one row per column.
    check : Check whether a column is fit for use.

    Notes
    -----
    On Dask and Spark frames, `by` takes the entries that `kfold` takes, and continuous ones too.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"label": ["a"] * 5 + ["b"] * 3}).strat.kfold("label", k=2)
    >>> sf.report(df, "label")
       fold  n  rows_off  absent verdict
    0     0  4       0.5       0    even
    1     1  4       0.5       0    even
    """
    in_full = check_flag("full", full)
    terms = parse_groups(groups)
    refs = {"by": columns_of(require_by(by).terms), "groups": columns_of(terms)}
    frame, name, _ = join_given(frame, name, refs)
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
@any_frame()
def compare(
    frame: AnyFrame,
    by: By,
    names: str | Sequence[str],
    features: Any = None,
    *,
    groups: Any = None,
    full: bool = False,
) -> Any:
    """Compare how even several fold columns are and, optionally, how features drift.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), Dask or Spark frame
    by : entry or list of entries
        As for `report`.
    names : str or list of str
        Fold or part columns from any source.
    features : column or list of columns, optional
        As for `drift`; not supported on Dask and Spark frames.
    groups : column, list of columns, `sf.clusters`, `sf.linked` or `sf.similar`, optional
        As for `report`.
    full : bool
        Whether to add the columns `rms_deviation`, `random`, `ratio` and `tv_distance`.

    Returns
    -------
    pandas.DataFrame (also for Dask and Spark frames) or polars.DataFrame
        One row per fold column: `column`, its name; `rows_off`, the largest `rows_off` of a fold in
        `report`; with `features`, `drift`, the largest `ratio` of a fold and a feature in the table
        of `drift`; and `verdict`, the verdict on the worst fold. The columns that `full` adds are
        `rms_deviation` and `random`, the root mean squares over the folds of these two columns of
        `report`; `ratio`, the first divided by the second; and `tv_distance`, its largest value.

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
    in_full = check_flag("full", full)
    terms = parse_groups(groups)
    source, columns = named_source(frame, names)
    refs = parse_columns("features", features)
    if refs:
        check_rows(frame, "`compare` looks at the values of `features` in all rows", DRIFT_HINT)
        frames.check_refs(source.frame, {"features": refs})
    read = source.collect(by, terms, [*columns, *refs])

    def measure(column: Any) -> dict[str, Any]:
        folds = measure_folds(read.count_folds(by, column, terms))
        rms = mean_root(folds["rms_deviation"])
        random = mean_root(folds["random"])
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
    judged = counts.judge()
    shown = judged if counts.is_marginal else judged[-1:]
    cells = stack_levels(judged)
    joint = stack_levels(shown)
    rms = mean_root(joint.off)
    random = mean_root(joint.spread)
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
    """Divide RMS deviations by the RMS deviations of random folds; 0 / 0 counts as 0."""
    return np.divide(rms, random, out=np.zeros_like(rms), where=random > 0)


def mean_root(values: Values) -> Values:
    squares = np.sort(values**2, axis=0)  # rounding errors depend on the order of the terms
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
