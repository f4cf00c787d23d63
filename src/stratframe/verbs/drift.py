"""How far the features of every fold are from those of the other rows: `drift`."""

from __future__ import annotations

from collections.abc import Hashable
from math import sqrt
from typing import Any

import numpy as np

from .. import frames
from ..checks import load_extra
from ..core.evenness import deviations, tv_distance
from ..core.strata import crosstab
from ..core.types import Ints, Values
from ..errors import StratError, at_least_one
from ..frames import Frame
from ..pipeline.tables import table_verb, text_array
from ..terms.by import parse_columns

MEASURES = ("smd", "ks", "wasserstein", "tv")
"""The columns of the measures."""


@table_verb
def drift(frame: Frame, features: Any, name: str = "fold") -> Any:
    """Measure how far the features of every fold are from those of the other rows.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
    features : column or list of columns
        Numbers, dates, or any other column, as classes. Booleans and categoricals are
        classes. Missing numbers are left out; missing classes are a class of their own.
    name : str
        A fold or part column from any source. Rows without a fold are training rows: they
        are among the other rows of every fold.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per fold and feature, the worst first: `fold`; `feature`; for numbers `smd`,
        the mean in the fold minus that of the other rows, divided by the root of the mean
        of their two variances; `ks`, the Kolmogorov-Smirnov statistic, the largest
        difference of the distribution functions; `wasserstein`, the mean distance that
        values would have to move, divided by the standard deviation of all values; and for
        classes `tv`, the total variation distance. The worst has the largest `ks` or `tv`,
        both of which range from 0 to 1. A measure is missing where it does not apply, or
        where one side has too few values.

    Raises
    ------
    StratError
        If `features` or `name` breaks a rule, or a number is infinite.
    ImportError
        Without SciPy: `pip install "stratframe[drift]"`.

    References
    ----------
    Austin (2009), Balance diagnostics for comparing the distribution of baseline
    covariates, Statistics in Medicine 28 (the standardised mean difference).

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": [1, 2, 3, 4], "c": ["a", "b", "a", "b"], "fold": [0, 0, 1, 1]})
    >>> sf.drift(df, ["x", "c"])[["fold", "feature", "ks", "tv"]]
       fold feature   ks   tv
    0     0       x  1.0  NaN
    1     1       x  1.0  NaN
    2     0       c  NaN  0.0
    3     1       c  NaN  0.0
    """
    folds, names, figures = measure_drift(frame, features, name)
    flat = figures.reshape(-1, len(MEASURES))
    worst = np.nan_to_num(main_measure(flat), nan=-1.0)
    order = np.lexsort((-np.nan_to_num(np.abs(flat[:, 0])), -worst))
    feature, fold = np.divmod(order, max(len(folds), 1))
    library = frames.library_of(frame)
    table: dict[Hashable, Any] = {
        "fold": [folds[place] for place in fold],
        "feature": text_array([names[place] for place in feature]),
    }
    for place, measure in enumerate(MEASURES):
        table[measure] = frames.float_column(library, flat[order, place])
    return frames.make_frame(library, table)


def measure_drift(frame: Frame, features: Any, name: str) -> tuple[list[Any], list[str], Values]:
    """Measure every feature in every fold.

    Returns
    -------
    figures : ndarray of float64, shape (n_features, n_folds, 4)
    """
    load_extra("scipy.stats", "drift")
    frames.check_all_refs(frame, {"name": [name]})
    refs = parse_columns("features", features)
    if not refs:
        raise StratError(at_least_one("`features`", "column", None))
    frames.check_refs(frame, refs, "features")
    eager = frames.collect_columns(frame, [*refs, name])
    folds, codes = frames.fold_codes(frames.read_fold_column(eager, name))
    names, figures = [], np.empty((len(refs), len(folds), len(MEASURES)))
    for place, (ref, series) in enumerate(zip(refs, frames.read_columns(eager, refs), strict=True)):
        column = frames.result_name(ref, series)
        names.append(f"feature {place + 1}" if column is None else str(column))
        if frames.is_measured(series):
            figures[place] = numeric_drift(series, codes, len(folds), names[-1])
        else:
            figures[place] = class_drift(series, codes, len(folds))
    return folds, names, figures


def main_measure(figures: Values) -> Values:
    """Take the measure by which features of both kinds compare: `ks` or `tv`."""
    ks, tv = figures[..., 1], figures[..., 3]
    found: Values = np.where(np.isnan(ks), tv, ks)
    return found


def class_drift(series: Any, folds: Ints, n_folds: int) -> Values:
    """Measure how far the classes of a column are in each fold from those of the others.

    Returns
    -------
    ndarray of float64, shape (n_folds, 4)
    """
    codes, n_classes = frames.encode_classes(series)
    classes, n_classes = codes % (n_classes + 1), n_classes + 1
    table = crosstab(classes, n_classes, folds % (n_folds + 1), n_folds + 1)
    sizes, dealt = table.sum(axis=1), table[:, :n_folds]
    totals = dealt.sum(axis=0)
    others = len(folds) - totals
    found = np.full((n_folds, len(MEASURES)), np.nan)
    # The whole is a mean of the fold and the others, so that it is nearer to the fold.
    rise = np.where(others, len(folds) / np.maximum(others, 1), np.nan)
    found[:, 3] = tv_distance(deviations(dealt, sizes), totals) * rise
    return found


def numeric_drift(series: Any, folds: Ints, n_folds: int, name: str) -> Values:
    """Measure how far the numbers of a column are in each fold from those of the others.

    Returns
    -------
    ndarray of float64, shape (n_folds, 4)
    """
    values, missing = frames.read_interval(series, "drift")
    rule = frames.Rule(present=False, finite=True)
    column = frames.RuledColumn(name, f"Column {name!r}", rule, series, missing, values)
    frames.check_rules([column])
    known = scale_0_1(values[~missing])
    # SciPy sorts both sides of every fold; what is in order is sorted in half the time.
    order = np.argsort(known, kind="stable")
    known, held = known[order], folds[~missing][order]
    return np.array(
        [numeric_distances(known[held == f], known[held != f]) for f in range(n_folds)]
    ).reshape(n_folds, len(MEASURES))


def scale_0_1(values: Values) -> Values:
    """Shift and stretch numbers to 0..1, which changes no measure and keeps them in range."""
    if not len(values):
        return values.astype(np.float64)
    least, most = values.min().item(), values.max().item()
    if values.dtype.kind in "iu" and most - least < 2**63:
        values, least, most = values - values.min(), 0, most - least
    # Halves, as the difference of two floats may be too large for one.
    shifted = values.astype(np.float64) / 2 - least / 2
    width = most / 2 - least / 2
    found: Values = shifted / width if width else np.zeros(len(values))
    return found


def numeric_distances(own: Values, others: Values) -> tuple[float, float, float, float]:
    """Compare the numbers of a fold with those of the other rows."""
    if not len(own) or not len(others):
        return np.nan, np.nan, np.nan, np.nan
    stats = load_extra("scipy.stats", "drift")
    with np.errstate(divide="ignore", invalid="ignore"):  # of the p-value, which is not used
        ks = float(stats.ks_2samp(own, others, method="asymp").statistic)
    spread = sqrt((variance(own) + variance(others)) / 2)
    whole = sqrt(variance(np.concatenate([own, others])))
    return (
        standardize(float(own.mean() - others.mean()), spread),
        ks,
        standardize(float(stats.wasserstein_distance(own, others)), whole),
        np.nan,
    )


def variance(values: Values) -> float:
    """Estimate the variance of numbers, NaN from fewer than two."""
    return float(values.var(ddof=1)) if len(values) > 1 else np.nan


def standardize(distance: float, spread: float) -> float:
    """Divide a distance by a standard deviation; 0 / 0 counts as 0."""
    if spread == 0:
        return float(np.copysign(np.inf, distance)) if distance else 0.0
    return distance / spread
