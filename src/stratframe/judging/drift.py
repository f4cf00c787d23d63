"""Measure how much features differ between each fold and the other rows: `drift`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..checks import check_flag
from ..core.chance import RARELY, ks_level, tv_level
from ..core.distances import fold_distances
from ..core.strata import crosstab
from ..core.types import Ints, Values
from ..errors import StratError, at_least_one, describe, plural
from ..frames import FoldValues, Frame
from ..habits import suggest_arguments
from ..pipeline.fold_counts import check_not_itself, check_not_swapped
from ..progress import track
from ..terms.by import parse_columns
from ..verbs.door import any_frame
from ..verbs.result_tables import fold_table, rounded_column, table_verb, text_array
from ..verbs.sources import check_rows, join_given, named_source
from .labels import noun_of
from .lines import Finding, write_finding

DRIFT_HINT = "`report` with `sf.quantiles(...)` compares the bins of a feature"
"""The hint in errors about Dask and Spark frames."""

DRIFTED = ("feature", "distance", "chance", "ratio", "ks", "tv", "smd", "wasserstein")
"""The columns of `drift` after the fold column; the columns after `chance` need `full=True`."""


FAR = 2
"""Drift is a warning only if the distance exceeds this many times the level of chance."""

CLEAR = 0.1
"""Drift is a warning only if the distance exceeds this."""

MOVED = 5
"""Drift is a warning only if at least this many rows would have to move to remove it."""

FEW_COMPARISONS = 10
"""The minimum number of comparisons for which a line says how many are expected to exceed the level
of chance."""


class Drift(NamedTuple):
    """How much features differ between each fold and the other rows; NaN if not applicable.

    All fields have the same shape: (n_folds,) or, for several features, (n_features, n_folds).
    """

    smd: Values
    ks: Values
    wasserstein: Values
    tv: Values
    chance: Values
    """The `ks` or `tv` that is exceeded in at most about 1 of 20 random folds."""

    @property
    def distance(self) -> Values:
        """The distance of each feature: `ks` for numbers, `tv` for classes."""
        return np.where(np.isnan(self.ks), self.tv, self.ks)

    @property
    def ratio(self) -> Values:
        """The distance divided by `chance`; 0 / 0 counts as 0."""
        chance = np.where(self.chance == 0, np.nan, self.chance)
        return np.where(self.distance == 0, 0.0, self.distance / chance)


@table_verb
@suggest_arguments
@any_frame()
def drift(
    frame: Frame, features: Any, name: str | Sequence[str] = "fold", *, full: bool = False
) -> Any:
    """Measure how much features differ between each fold and the other rows.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame, polars.LazyFrame, or mapping
        A mapping of names to frames is read as in `check`.
    features : column or list of columns
        Columns of numbers or dates are compared as numbers; all other columns, such as booleans and
        categoricals, are compared as classes. Among numbers, missing values are left out; among
        classes, they form a class of their own. The components of vectors are separate features,
        called "name[0]", "name[1]", ...
    name : str or list of str
        One or more fold or part columns from any source. Rows without a fold count as training
        rows: they are among the other rows of every fold.
    full : bool
        Whether to add the columns `ratio`, `ks`, `tv`, `smd` and `wasserstein`.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per fold and feature, worst first. The first column has the fold, under the name of
        the fold column (`fold` if that name is taken). It is followed by `feature`; `distance`,
        which is the Kolmogorov-Smirnov statistic for numbers (the largest difference between the
        distribution functions) and the total variation distance for classes, both from 0 to 1; and
        `chance`, the distance that is exceeded in at most about 1 of 20 random folds of this size.
        The columns that `full` adds are `ratio`, which is `distance` divided by `chance`, rounded
        to two decimals, and determines the order of the rows; `ks` and `tv`, the distances for
        numbers and for classes; and, for numbers, `smd`, the mean in the fold minus the mean in the
        other rows, divided by the root of the mean of the two variances, and `wasserstein`, the
        area between the distribution functions, divided by the standard deviation of all values. A
        measure is missing where it does not apply, or where the fold or the other rows have too few
        values. With several fold columns, the first columns are `column` and `fold`.

    Raises
    ------
    StratError
        If `features` or `name` is invalid, or if a number is infinite.

    Notes
    -----
    `chance` is the 95 % quantile of the distance over 2,000 random folds. The folds are drawn only
    from the counts (for classes, from the multivariate hypergeometric distribution), so equal
    counts give the same `chance`. It is never below the distance that rounding a share to whole
    rows can cause. If no number occurs in more than one row in 50, however, `chance` is the 95 %
    quantile of Smirnov's asymptotic distribution, sqrt(log(40) / 2) * sqrt(1 / m + 1 / (n - m)) for
    a fold of m out of n rows.

    References
    ----------
    Austin (2009), Balance diagnostics for comparing the distribution of baseline
    covariates, Statistics in Medicine 28 (the standardised mean difference).
    Smirnov (1948), Table for estimating the goodness of fit of empirical distributions, Annals
    of Mathematical Statistics 19.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> df = pd.DataFrame({"x": [1, 2, 3, 4], "c": ["a", "b", "a", "b"], "fold": [0, 0, 1, 1]})
    >>> sf.drift(df, ["x", "c"])
       fold feature  distance  chance
    0     0       x       1.0     1.0
    1     1       x       1.0     1.0
    2     0       c       0.0     1.0
    3     1       c       0.0     1.0
    """
    shown = DRIFTED if check_flag("full", full) else DRIFTED[:3]
    frame, name, _ = join_given(frame, name, {"features": parse_columns("features", features)})
    check_rows(frame, "`drift` looks at the values of all rows", DRIFT_HINT)
    frames.check_frame(frame)
    columns = named_source(frame, name)[1]
    refs = check_features(frame, features)
    eager = frames.collect_columns(frame, [*refs, *columns])
    library = frames.library_of(eager)

    def table_of(column: str, label: str) -> Any:
        labels, names, measured = measure_drift(eager, refs, column)
        flat = Drift(*(each.ravel() for each in measured))
        order = np.lexsort((-np.nan_to_num(np.abs(flat.smd)), -np.nan_to_num(flat.ratio, nan=-1.0)))
        feature, fold = np.divmod(order, max(len(labels.values), 1))
        table: dict[Hashable, Any] = {
            label: [labels.values[place] for place in fold],
            "feature": text_array([names[place] for place in feature]),
        }
        for measure in shown[1:]:
            make = rounded_column if measure == "ratio" else frames.float_column
            table[measure] = make(library, getattr(flat, measure)[order])
        return frames.make_frame(library, table)

    return fold_table(columns, table_of, shown)


def find_drift(labels: FoldValues, features: Sequence[str], found: Drift) -> Finding:
    distance = found.distance
    chance = found.chance
    compared = ~np.isnan(distance) & ~np.isnan(chance)
    n_compared = int(compared.sum())
    ratio = np.nan_to_num(found.ratio)
    if not n_compared:
        return write_finding("note", "drift", 0, "drift: nothing to compare")
    totals = np.array(labels.sizes, dtype=np.float64)
    n_rows = totals.sum() + labels.n_nulls
    rows = distance * totals * (n_rows - totals) / max(n_rows, 1)
    wrong = compared & (ratio > FAR) & (distance > CLEAR) & (rows >= MOVED)
    if wrong.any():
        worst = np.unravel_index(np.argmax(np.where(wrong, ratio, -1)), wrong.shape)
        place = feature, fold = int(worst[0]), int(worst[1])
        measure = "TV" if np.isnan(found.ks[place]) else "KS"
        far = f"{measure} {distance[place]:.2f}, chance reaches {chance[place]:.2f}"
        text = f"{{feature}} differs in {noun_of(labels)} {{fold}} ({far})"
        names = {"feature": describe(features[feature]), "fold": str(labels.values[fold])}
        finding = write_finding("warning", "drift", int(wrong.sum()), text, **names)
        return finding.on(fold=labels.values[fold])
    beyond = int((compared & (ratio > 1)).sum())
    counted = f"{beyond:,}" if beyond else "none"
    text = f"drift: {counted} of {plural(n_compared, 'comparison')} beyond chance"
    if beyond and n_compared >= FEW_COMPARISONS:
        text += f", {round(n_compared * RARELY):,} expected"
    return write_finding("note" if beyond else "ok", "drift", beyond, text)


def check_features(frame: Frame, features: Any) -> tuple[Any, ...]:
    refs = parse_columns("features", features)
    if not refs:
        raise StratError(at_least_one("`features`", "column", None))
    frames.check_refs(frame, {"features": refs})
    return refs


def measure_drift(
    frame: Any, refs: Sequence[Any], name: str
) -> tuple[FoldValues, list[str], Drift]:
    """Measure each feature in each fold of a column; return the folds, features and measures."""
    labels, codes = frames.fold_codes(frames.folds.read_fold_column(frame, name))
    columns = frames.read_columns(frame, refs)
    if len(refs) == 1:
        check_not_itself("features", refs, name)
        check_not_swapped(
            "features", refs[0], name, lambda: frames.fold_codes(columns[0])[0].values, labels
        )
    n_folds = len(labels.values)
    features = list[tuple[str, Any]]()
    # A selector among the features does not select the fold column.
    label = frames.label_of(frame, name)
    spread = frames.references.spread_columns(refs, columns)
    kept = [each for each in spread if any(each[0] is ref for ref in refs) or each[0] != label]
    for place, (ref, series) in enumerate(kept, 1):
        column = frames.references.result_name(ref, series).name
        name = f"feature {place}" if column is None else str(column)
        features += frames.read.components(name, series)
    measured = [
        numeric_drift(series, codes, n_folds, name)
        if frames.is_measured(series)
        else class_drift(series, codes, n_folds)
        for name, series in track(features, "Features")
    ]
    drifts = Drift(*map(np.stack, zip(*measured, strict=True)))
    return labels, [name for name, _ in features], drifts


def class_drift(series: Any, folds: Ints, n_folds: int) -> Drift:
    codes, n_classes = frames.encode_classes(series)
    classes = codes % (n_classes + 1)
    n_classes = n_classes + 1
    table = crosstab(classes, n_classes, folds % (n_folds + 1), n_folds + 1)
    n = len(folds)
    sizes = table.sum(axis=1)
    dealt = table[:, :n_folds]
    totals = dealt.sum(axis=0)
    sides = totals * (n - totals)
    # All operations but one division use integers, so equal distances give equal floats.
    moved = np.abs(dealt * n - sizes[:, None] * totals).sum(axis=0)
    tv = np.where(sides, moved / np.maximum(2 * sides, 1), np.nan)
    missing = np.full(n_folds, np.nan)
    return Drift(missing, missing, missing, tv, levels(tv_level, sizes, totals))


def numeric_drift(series: Any, folds: Ints, n_folds: int, name: str) -> Drift:
    values, missing = frames.read_numbers(series, "drift")
    rule = frames.Rule(complete=False, finite=True)
    column = frames.RuledColumn(name, f"Column {name!r}", rule, series, missing, values)
    frames.check_rules([column])
    known = scale_0_1(values[~missing])
    folds = folds[~missing]
    order = np.argsort(known)
    known = known[order]
    folds = folds[order]
    sizes = np.diff(np.flatnonzero(np.diff(known, prepend=-1)), append=len(known))
    totals = np.bincount(folds + 1, minlength=n_folds + 1)[1:]
    smd, ks, wasserstein = fold_distances(known, folds, n_folds)
    none = np.full(n_folds, np.nan)
    return Drift(smd, ks, wasserstein, tv=none, chance=levels(ks_level, sizes, totals))


def levels(level: Callable[[Ints, int], float], sizes: Ints, totals: Ints) -> Values:
    n = int(sizes.sum())
    found = {m: level(sizes, m) for m in set(totals.tolist()) if 0 < m < n}
    return np.array([found.get(m, np.nan) for m in totals.tolist()])


def scale_0_1(values: Values) -> Values:
    """Scale numbers to 0..1, which changes no measure and prevents overflow."""
    if not len(values):
        return values.astype(np.float64)
    least = values.min().item()
    most = values.max().item()
    if values.dtype.kind in "iu" and most - least < 2**63:
        values = values - values.min()
        most = most - least
        least = 0
    # The values are halved, because the difference between two floats can be too large for a float.
    shifted = values.astype(np.float64) / 2 - least / 2
    width = most / 2 - least / 2
    scaled: Values = shifted / width if width else np.zeros(len(values))
    return scaled
