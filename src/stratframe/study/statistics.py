"""Summarize estimates: bias, standard deviation, mean squared error, and ratios to a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..checks import check_flag, load_extra
from ..core.types import Ints
from ..errors import StratError, given_twice, one_of
from .resample import Estimate
from .strategies import BASELINE

SHOWN = ("strategy", "estimator", "k", "mse_ratio", "low", "high")
"""The columns of a summary with `full=False`, which fit into a terminal."""

MOMENTS = ("bias", "sd", "mse")
COSTS = ("within", "seconds", "fold_seconds", "failed", "error")
COLUMNS = (*SHOWN, *MOMENTS, *COSTS)

KEYS = [*Estimate._fields[:5]]
"""The columns that identify an estimate."""

CELL = KEYS[:3]
"""The columns that identify a row of a summary."""

SAMPLE = KEYS[:4]
"""The columns that identify a sample within a row of a summary."""


class Scores(NamedTuple):
    """The estimates of a study, with labels replaced by numbers."""

    rows: Any
    """A pandas frame with the columns of `Estimate`, and also `off`, the estimate minus the truth,
    and `square`, the square of `off`. If the estimate failed, `off` and `square` are NaN."""
    labels: dict[str, list[Any]]
    """The strategies, estimators and values of k, in the order in which they are numbered."""


def summary(estimates: Any, baseline: str = BASELINE, *, full: bool = False) -> Any:
    """Summarize the errors of the estimates of each strategy.

    Parameters
    ----------
    estimates : pandas.DataFrame or polars.DataFrame
        The frame that `sf.study.estimates` returns, or some of its rows.
    baseline : str
        The strategy with which the other strategies are compared.
    full : bool
        Whether to add the columns from `bias` to `error`.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per strategy, estimator and k, with the columns `strategy`, `estimator` and `k`;
        `mse_ratio`, the mean squared error (of the estimate minus the truth) divided by the mean
        squared error of the baseline; and `low` and `high`, the ends of the 95 % interval of the
        ratio. With `full=True`, there are also `bias`, the mean error; `sd`, the standard deviation
        of the error; `mse`, the mean squared error, which equals `bias**2 + sd**2`; `within`, the
        mean variance between the repeats of a sample; `seconds`, the mean time of one
        cross-validation; `fold_seconds`, the mean time for making folds; `failed`, the number of
        missing estimates; and `error`, the first error message.

    Notes
    -----
    Means are taken first over the repeats of each sample, and then over the samples. `sd` measures
    the spread over both samples and repeats, without a correction for small samples.

    The ratio uses the samples in which both the strategy and the baseline have an estimate. The
    interval is Student's t interval for the log of the ratio, with a standard error from the paired
    samples by the delta method. The samples share rows of one population, and the interval does not
    apply to other populations.

    The mean of r repeats on a sample has the mean squared error `mse - (1 - 1 / r) * within`. With
    this formula, one run of a slow strategy can be compared with several repeats of a fast strategy
    that take the same time.

    Raises
    ------
    StratError
        If the frame lacks a column of `estimates`, or the baseline.
    ImportError
        If SciPy is not installed: `pip install "stratframe[sklearn]"`.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> rows = pd.DataFrame(
    ...     {"strategy": ["SCV", "SCV", "k-fold", "k-fold"], "sample": [0, 1, 0, 1]}
    ... ).assign(estimator="ridge", k=5, repeat=0, truth=0.4, seconds=1.0, fold_seconds=0.1)
    >>> found = sf.study.summary(rows.assign(estimate=[0.4, 0.6, 0.2, 0.8], error=""))
    >>> found[["strategy", "mse_ratio"]].round(2)
      strategy  mse_ratio
    0      SCV        1.0
    1   k-fold        5.0
    """
    in_full = check_flag("full", full)
    scores = read_scores(estimates)
    place = find_baseline(scores, baseline)
    table = describe_cells(scores.rows).join(divide_squares(scores.rows, place))
    return results_frame(estimates, table, scores.labels, COLUMNS if in_full else SHOWN)


def find_baseline(scores: Scores, baseline: Any) -> int:
    """Return the number of the baseline, or raise an error if no strategy has this name."""
    strategies = scores.labels["strategy"]
    if baseline not in strategies:
        raise StratError(one_of("`baseline`", strategies, baseline))
    return strategies.index(baseline)


def results_frame(
    estimates: Any, table: Any, labels: dict[str, list[Any]], names: Sequence[str]
) -> Any:
    """Make a frame of columns, in the library of the estimates, and replace numbers by labels."""
    library = frames.library_of(estimates)
    rows = table.reset_index()
    columns: dict[Any, Any] = {}
    for name in names:
        values = rows[name].to_numpy()
        if name in labels:
            values = np.array([labels[name][place] for place in values])
        is_float = values.dtype.kind == "f"
        columns[name] = frames.float_column(library, values) if is_float else values
    return frames.make_frame(library, columns)


# Reading --------------------------------------------------------------------------------


def read_scores(estimates: Any) -> Scores:
    """Read a frame of estimates, and subtract the truth from each estimate."""
    names = Estimate._fields
    series = read_series(estimates, names, "estimates")
    *keys, errors = [frames.to_list(each) for each in (*series[:5], series[9])]
    labels, codes = zip(*map(number_values, keys), strict=True)
    columns = [*codes, *frames.read_matrix(series[5:9], "study")[0], errors]
    rows = frames.make_frame("pandas", dict(zip(names, columns, strict=True)))
    if rows.duplicated(KEYS).any():
        raise StratError(given_twice("`estimates`", "repeat", "some repeats"))
    off = rows["estimate"] - rows["truth"]
    labels_of_cells = dict(zip(CELL, labels[:3], strict=True))
    return Scores(rows.assign(off=off, square=off**2), labels_of_cells)


def read_series(frame: Any, refs: Sequence[Any], argument: str) -> Any:
    """Read columns, and raise an error if the argument is not a frame or has no rows."""
    frames.check_frame(frame)
    frames.check_refs(frame, {argument: refs})
    eager = frames.collect_columns(frame, refs)
    if not len(eager):
        msg = f"`{argument}` must have rows, got none."
        raise StratError(msg)
    return frames.read_columns(eager, refs)


def number_values(values: Sequence[Any]) -> tuple[list[Any], Ints]:
    """List the distinct values in order of first appearance, and give the place of each value."""
    places = {value: place for place, value in enumerate(dict.fromkeys(values))}
    return list(places), np.array([places[value] for value in values])


# Statistics -----------------------------------------------------------------------------


def over_samples(rows: Any, names: Sequence[str], by: Sequence[str] = CELL) -> Any:
    """Average columns over the repeats of each sample and then over samples, ignoring NaN."""
    return rows.groupby([*by, "sample"])[[*names]].mean().groupby(level=by).mean()


def describe_cells(rows: Any) -> Any:
    """Compute all columns of a summary except the ratio and its interval."""
    means = over_samples(rows, ["off", "square", "seconds", "fold_seconds"])
    means.columns = ["bias", "mse", "seconds", "fold_seconds"]
    joined = rows.join(means["bias"], on=CELL)
    apart = joined.assign(apart=(joined["off"] - joined["bias"]) ** 2)
    known = rows.assign(failed=rows["off"].isna(), error=rows["error"].where(rows["error"] != ""))
    cells = known.groupby(CELL)
    return means.assign(
        sd=over_samples(apart, ["apart"])["apart"] ** 0.5,
        within=rows.groupby(SAMPLE)["estimate"].var().groupby(level=CELL).mean(),
        failed=cells["failed"].sum(),
        error=cells["error"].first().fillna(""),
    )


def divide_squares(rows: Any, baseline: int, by: Sequence[str] = CELL) -> Any:
    """Divide mean squared errors by those of the baseline, over samples in which both are known."""
    both = squares_with_baseline(rows, baseline, by)
    samples = both.groupby(level=by)
    means = samples.mean()
    ratio = means["square"] / means["baseline"].where(means["baseline"] > 0)
    relative = both / samples.transform("mean")
    error = (relative["square"] - relative["baseline"]).groupby(level=by).sem()
    quantile = load_extra("scipy.stats", "sklearn").t.ppf(0.975, samples.size() - 1)
    factor = np.exp(quantile * error)
    ratios = means.assign(mse_ratio=ratio, low=ratio / factor, high=ratio * factor)
    return ratios[["mse_ratio", "low", "high"]]


def squares_with_baseline(rows: Any, baseline: int, by: Sequence[str]) -> Any:
    """Average the squared errors of each sample, with those of the baseline on the same sample."""
    squares = rows.groupby(SAMPLE)["square"].mean().reset_index()
    of_baseline = squares[squares["strategy"] == baseline].drop(columns="strategy")
    of_baseline = of_baseline.rename(columns={"square": "baseline"})
    both = squares.merge(of_baseline, on=SAMPLE[1:]).dropna()
    return both.groupby([*by, "sample"])[["square", "baseline"]].mean()
