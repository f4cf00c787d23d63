"""From estimates to bias, standard deviation, mean squared error and its ratio: `summary`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..checks import check_flag, load_extra
from ..core.types import Flags, Ints, Values
from ..errors import StratError, given_twice, one_of
from .resample import Estimate
from .strategies import BASELINE

SHOWN = ("strategy", "estimator", "k", "mse_ratio", "low", "high")
"""The columns of a summary that is not in full, so that it fits a terminal."""

RESAMPLES = 1999
"""Bootstrap resamples of an interval."""


class Scores(NamedTuple):
    """Estimates of a study, shape (n_strategies, n_estimators, n_ks, n_samples, n_repeats)."""

    names: tuple[list[Any], list[Any], list[Any]]
    """Strategies, estimators and numbers of folds."""
    estimates: Values
    """NaN where a strategy failed."""
    truths: Values
    errors: Values
    """Estimate minus truth."""
    seconds: Values
    fold_seconds: Values
    messages: Values
    """Of errors; empty where there was none."""
    is_row: Flags
    """Which cells are a row of the frame."""


def summary(estimates: Any, baseline: str = BASELINE, *, full: bool = False) -> Any:
    """Summarize how far the estimates of each strategy are from the truth.

    Parameters
    ----------
    estimates : pandas.DataFrame or polars.DataFrame
        The frame that `sf.study.estimates` returns, or some of its rows.
    baseline : str
        The strategy that the others are compared with.
    full : bool
        Whether to add the columns from `bias` on.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per strategy, estimator and k: `strategy`, `estimator`, `k`; `mse_ratio`, the
        mean squared error, of estimate minus truth, divided by that of the baseline, and `low`
        and `high`, its 95 % bootstrap interval. In full also, of the same error, `bias`, its
        mean, `sd`, its standard deviation, and `mse`, the mean of its square, which is `bias`
        squared plus `sd` squared; `within`, the variance between the repeats of one sample;
        `seconds`, the mean time of one cross-validation, and `fold_seconds`, that of dealing
        alone; `failed`, how many estimates are missing, and `error`, the first message.

    Notes
    -----
    All means are over samples of means over the repeats of a sample. `sd` divides by the
    number of samples; it is the spread over samples and repeats together.

    The ratio uses the samples in which both the strategy and the baseline have an estimate.
    Its interval is the bias-corrected and accelerated (BCa) one of `scipy.stats.bootstrap`
    (Efron 1987), from 1999 paired resamples of whole samples. Samples of one population share
    rows, and the interval says nothing about other populations.

    The mean of r repeats on a sample has the mean squared error `mse - (1 - 1 / r) * within`.
    That is how one run of a slow strategy is compared with as many repeats of a quick one as
    take the same time.

    Raises
    ------
    StratError
        If the frame has not the columns of `estimates`, or not the baseline.
    ImportError
        Without SciPy: `pip install "stratframe[sklearn]"`.

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
    strategies, estimators, ks = scores.names
    place = find_baseline(strategies, baseline)
    rows = [
        summarize_cell(scores, (strategy, estimator, k), place)
        for strategy in range(len(strategies))
        for estimator in range(len(estimators))
        for k in range(len(ks))
        if scores.is_row[strategy, estimator, k].any()
    ]
    return results_frame(estimates, rows, None if in_full else SHOWN)


def find_baseline(strategies: list[Any], baseline: Any) -> int:
    """Find the strategy that the others are compared with."""
    if baseline not in strategies:
        raise StratError(one_of("`baseline`", strategies, baseline))
    return strategies.index(baseline)


def results_frame(
    estimates: Any, rows: Sequence[Mapping[str, Any]], names: Sequence[str] | None = None
) -> Any:
    """Make a frame of some columns, or all, in the library of the estimates."""
    library = frames.library_of(estimates)
    names = list(rows[0]) if names is None else names
    columns: dict[Any, Any] = {name: np.array([row[name] for row in rows]) for name in names}
    for name, values in columns.items():
        if values.dtype.kind == "f":
            columns[name] = frames.float_column(library, values)
    return frames.make_frame(library, columns)


# Reading --------------------------------------------------------------------------------


def read_scores(estimates: Any) -> Scores:
    """Arrange the rows of a frame of estimates by what they are estimates of."""
    frames.check_frame(estimates)
    frames.check_refs(estimates, Estimate._fields, "estimates")
    eager = frames.collect_columns(estimates, Estimate._fields)
    series = dict(zip(Estimate._fields, frames.read_columns(eager, Estimate._fields), strict=True))
    if not len(eager):
        msg = "`estimates` must have rows, got none."
        raise StratError(msg)
    keys = [number_values(series[name]) for name in Estimate._fields[:5]]
    places = tuple(codes for _, codes in keys)
    shape = tuple(len(values) for values, _ in keys)
    is_row = np.zeros(shape, dtype=np.int64)
    np.add.at(is_row, places, 1)
    if is_row.max() > 1:
        raise StratError(given_twice("`estimates`", "repeat", "some"))
    estimate, truth, seconds, fold_seconds = (
        arrange(values, places, shape)
        for values in frames.read_matrix([series[name] for name in Estimate._fields[5:9]], "study")
    )
    messages = np.full(shape, "", dtype=object)
    messages[places] = frames.to_list(series["error"])
    names = (keys[0][0], keys[1][0], keys[2][0])
    is_known = is_row.astype(np.bool_)
    return Scores(
        names, estimate, truth, estimate - truth, seconds, fold_seconds, messages, is_known
    )


def number_values(series: Any) -> tuple[list[Any], Ints]:
    """List the different values of a column by first appearance, and number its rows."""
    values = frames.to_list(series)
    places = {value: place for place, value in enumerate(dict.fromkeys(values))}
    return list(places), np.array([places[value] for value in values])


def arrange(values: Values, places: tuple[Ints, ...], shape: tuple[int, ...]) -> Values:
    """Put values at their places in an array, NaN elsewhere."""
    arranged = np.full(shape, np.nan)
    arranged[places] = values
    return arranged


# Statistics -----------------------------------------------------------------------------


def summarize_cell(
    scores: Scores, place: tuple[int, int, int], baseline: int
) -> dict[str, float | str | int]:
    """Summarize one strategy, estimator and k."""
    errors, others = scores.errors[place], scores.errors[(baseline, *place[1:])]
    return {
        "strategy": scores.names[0][place[0]],
        "estimator": scores.names[1][place[1]],
        "k": scores.names[2][place[2]],
        **ratio_interval(mean_rows(errors**2), mean_rows(others**2)),
        **describe_cell(scores, place),
    }


def describe_cell(scores: Scores, place: tuple[int, int, int]) -> dict[str, float | str | int]:
    """Describe the errors of one strategy, estimator and k."""
    errors = scores.errors[place]
    bias = mean(mean_rows(errors))
    missing = scores.is_row[place] & np.isnan(errors)
    messages = [message for message in scores.messages[place].flat if message]
    return {
        "bias": bias,
        "sd": mean(mean_rows((errors - bias) ** 2)) ** 0.5,
        "mse": mean(mean_rows(errors**2)),
        "within": mean(variance_rows(scores.estimates[place])),
        "seconds": mean(mean_rows(scores.seconds[place])),
        "fold_seconds": mean(mean_rows(scores.fold_seconds[place])),
        "failed": int(missing.sum()),
        "error": messages[0] if messages else "",
    }


def mean(values: Values) -> float:
    """Average the values that are not NaN; NaN if there are none."""
    return float(mean_rows(values[None])[0])


def mean_rows(values: Values) -> Values:
    """Average each row of an array, without NaN, shape (n_rows,); NaN if nothing is left."""
    known = ~np.isnan(values)
    counts = known.sum(axis=1)
    sums = np.where(known, values, 0.0).sum(axis=1)
    found: Values = np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    return found


def variance_rows(values: Values) -> Values:
    """Estimate the variance of each row of an array; NaN for fewer than two values."""
    counts = (~np.isnan(values)).sum(axis=1)
    squares = mean_rows((values - mean_rows(values)[:, None]) ** 2) * counts
    spare = np.full(len(counts), np.nan)
    found: Values = np.divide(squares, counts - 1, out=spare, where=counts > 1)
    return found


def ratio_interval(squares: Values, base: Values) -> dict[str, float]:
    """Divide two means over the samples that both have, with the interval of the ratio."""
    both = ~np.isnan(squares) & ~np.isnan(base)
    found = bootstrap_ratio(squares[both], base[both])
    return dict(zip(("mse_ratio", "low", "high"), found, strict=True))


def bootstrap_ratio(squares: Values, base: Values) -> tuple[float, float, float]:
    """Divide two paired means, with the bootstrap interval of the ratio."""
    if not len(base) or not base.sum():
        return np.nan, np.nan, np.nan
    ratio = float(squares.sum() / base.sum())
    if len(base) < 2:
        return ratio, np.nan, np.nan
    if np.allclose(squares, ratio * base, rtol=1e-9, atol=0):
        # The ratio is the same in every resample, of which BCa makes NaN.
        return ratio, ratio, ratio
    stats = load_extra("scipy.stats", "sklearn")
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        # Of two or three samples there may be no BCa interval: NaN says so.
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        found = stats.bootstrap(
            (squares, base),
            ratio_of_means,
            paired=True,
            vectorized=True,
            n_resamples=RESAMPLES,
            random_state=np.random.default_rng(0),
        ).confidence_interval
    return ratio, float(found.low), float(found.high)


def ratio_of_means(squares: Values, base: Values, axis: int = -1) -> Values:
    """Divide the means along an axis."""
    ratio: Values = squares.mean(axis=axis) / base.mean(axis=axis)
    return ratio
