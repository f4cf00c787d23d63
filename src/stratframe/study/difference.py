"""Errors of the differences between two estimators' scores: `differences`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import check_flag
from ..core.types import Values
from ..errors import StratError
from .statistics import (
    COSTS,
    MOMENTS,
    Scores,
    describe_cells,
    divide_squares,
    find_baseline,
    over_samples,
    read_scores,
    results_frame,
)
from .strategies import BASELINE

SHOWN_OF_PAIRS = ("strategy", "pair", "k", "mse_ratio", "low", "high")
"""The columns of a short result, which fits a terminal."""

CHOICES = ("correct", "regret")
COLUMNS_OF_PAIRS = (*SHOWN_OF_PAIRS, *MOMENTS, *CHOICES, *COSTS)

ALL = "all"
"""The name of all pairs together."""

POOLED = ["strategy", "k"]
RUN = [*POOLED, "sample", "repeat"]
"""`POOLED` identifies a row of pooled pairs, and `RUN` what the two scores of a pair share."""

TIE = 1e-6
"""Scores that differ by at most this fraction of the larger are equal, up to rounding error."""


def differences(
    estimates: Any, baseline: str = BASELINE, *, pooled: bool = False, full: bool = False
) -> Any:
    """Summarize how far the differences between two estimators' scores are from the truth.

    This is what matters in choosing between models: errors that both share cancel out.

    Parameters
    ----------
    estimates : pandas.DataFrame or polars.DataFrame
        The frame that `sf.study.estimates` returns, or some of its rows, with two estimators
        or more.
    baseline : str
        The strategy that the others are compared with.
    pooled : bool
        Whether to pool all pairs of estimators in one row.
    full : bool
        Whether to add the columns from `bias` onwards.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per strategy, pair of estimators and k, with the columns of `sf.study.summary`. Here
        the error is (estimate A - estimate B) minus (truth A - truth B), and `pair`, "A - B" or
        "all", takes the place of the estimator. With `full=True` there are also `correct`, how
        often the estimator with the better estimate is also better in truth; and `regret`, the mean
        of the best truth minus the truth of the estimator with the best estimate. `seconds` is the
        mean time of cross-validating both estimators.

    Notes
    -----
    A difference needs both estimates of a repeat. Scores that differ by no more than a millionth of
    the larger are equal. If the estimates are equal, `correct` counts 1/2 and `regret` averages
    over the best estimators, as if a coin chose among them. If the truths are equal, the sample
    does not count in `correct`. Both columns describe a single run: for the mean of several runs,
    average `estimate` over `repeat` first.

    With `pooled=True`, columns are means over the pairs. The exceptions are `bias` and `sd`, which
    are root mean squares, and `regret`, which is the regret of choosing among all estimators, in
    repeats in which none is missing. The ratio is a ratio of means over pairs, so that pairs with
    large errors weigh more. Pairs that share an estimator are not independent.

    The error is measured on rows outside the sample, not estimated from the spread over the
    splits, whose training sets share rows (`docs/study-choice.md`). The truth belongs to the two
    models fitted on this sample, and has an error of its own: where two models are nearly equal,
    `correct` is partly the toss of a coin.

    Raises
    ------
    StratError
        If the frame lacks a column of `estimates` or the baseline, or has fewer than two
        estimators.
    ImportError
        Without SciPy: `pip install "stratframe[sklearn]"`.

    Examples
    --------
    >>> import pandas as pd, stratframe as sf
    >>> rows = pd.DataFrame(
    ...     {"strategy": ["SCV"] * 4 + ["k-fold"] * 4, "estimator": ["ridge", "tree"] * 4}
    ... ).assign(k=5, sample=[0, 0, 1, 1] * 2, repeat=0, seconds=1.0, fold_seconds=0.1, error="")
    >>> rows["truth"] = [0.8, 0.7] * 4
    >>> rows["estimate"] = [0.7, 0.7, 0.9, 0.8, 0.6, 0.8, 0.8, 0.8]
    >>> found = sf.study.differences(rows, full=True)
    >>> found[["strategy", "pair", "mse_ratio", "bias", "correct", "regret"]].round(3)
      strategy          pair  mse_ratio  bias  correct  regret
    0      SCV  ridge - tree        1.0 -0.05     0.75   0.025
    1   k-fold  ridge - tree       10.0 -0.20     0.25   0.075
    """
    is_pooled, in_full = check_flag("pooled", pooled), check_flag("full", full)
    scores = read_scores(estimates)
    gaps = subtract_scores(scores)
    place = find_baseline(gaps, baseline)
    cells = describe_cells(gaps.rows)
    if is_pooled:
        regrets = scores.rows.groupby(POOLED)[[*RUN[2:], "estimator", "estimate", "truth"]]
        table = pool_cells(cells).assign(
            pair=ALL,
            correct=over_samples(gaps.rows, ["correct"], POOLED)["correct"],
            regret=regrets.apply(average_regret),
        )
        table = table.join(divide_squares(gaps.rows, place, POOLED))
    else:
        table = cells.join([divide_squares(gaps.rows, place), over_samples(gaps.rows, CHOICES)])
        table = table.rename_axis(index={"estimator": "pair"})
    strategies, pairs, ks = gaps.labels.values()
    labels = {"strategy": strategies, "k": ks} | ({} if is_pooled else {"pair": pairs})
    return results_frame(estimates, table, labels, COLUMNS_OF_PAIRS if in_full else SHOWN_OF_PAIRS)


# Pairs ----------------------------------------------------------------------------------


def subtract_scores(scores: Scores) -> Scores:
    """Subtract the scores of each pair of estimators; pairs take the place of estimators."""
    names = scores.labels["estimator"]
    if len(names) < 2:
        msg = (
            f"`estimates` must have at least two estimators, got {names[0]!r} alone."
            "\nHint: `sf.study.estimates` takes a dict of `estimators`; `sf.study.summary` is for"
            " the scores of one."
        )
        raise StratError(msg)
    both = scores.rows.merge(scores.rows, on=RUN, suffixes=("", "_other"))
    both = both[both["estimator"] < both["estimator_other"]]
    if both.empty:
        msg = (
            "`estimates` must have two estimators of one strategy, k, sample and repeat, got none."
            "\nHint: `sf.study.estimates` gives such rows."
        )
        raise StratError(msg)
    estimates, truths, off = (
        both[[name, f"{name}_other"]].to_numpy().T for name in ("estimate", "truth", "off")
    )
    gaps = both.assign(
        pair=both["estimator"] * len(names) + both["estimator_other"],
        estimate=estimates[0] - estimates[1],
        off=off[0] - off[1],
        square=(off[0] - off[1]) ** 2,
        seconds=both["seconds"] + both["seconds_other"] - both["fold_seconds"],
        error=both["error"].where(both["error"] != "", both["error_other"]),
        correct=count_correct(estimates, truths),
        regret=find_regret(estimates, truths),
    )
    pairs = [f"{one} - {other}" for one in names for other in names]
    rows = gaps.drop(columns="estimator").rename(columns={"pair": "estimator"})
    return Scores(rows, scores.labels | {"estimator": pairs})


def pool_cells(cells: Any) -> Any:
    """Describe the errors of each strategy and k, over all pairs together."""
    roots = ["bias", "sd"]
    cells = cells.assign(error=cells["error"].where(cells["error"] != ""))
    cells[roots] **= 2
    groups = cells.groupby(level=POOLED)
    means = groups[[*MOMENTS, *COSTS[:3]]].mean()
    means[roots] **= 0.5
    return means.assign(failed=groups["failed"].sum(), error=groups["error"].first().fillna(""))


def average_regret(rows: Any) -> float:
    """Average the regret of choosing among all estimators of a strategy and k."""
    index, columns = RUN[2:], "estimator"
    estimates, truths = (
        rows.pivot(index=index, columns=columns, values=name) for name in ("estimate", "truth")
    )
    found = estimates.assign(regret=find_regret(estimates.to_numpy().T, truths.to_numpy().T))
    return float(found["regret"].groupby(level="sample").mean().mean())


# Choices --------------------------------------------------------------------------------


def count_correct(estimates: Values, truths: Values) -> Values:
    """Flag whether the higher estimate goes with the higher truth, shape (2, ...) to (...).

    Equal estimates count 1/2, and equal truths give NaN.
    """
    better = compare_two(truths)
    correct: Values = np.where(better, (1 + compare_two(estimates) * better) / 2, np.nan)
    return correct


def compare_two(values: Values) -> Values:
    """Return the sign of the first value minus the second, 0 if they differ only by rounding."""
    gaps = values[0] - values[1]
    is_tie = np.abs(gaps) <= TIE * np.abs(values).max(axis=0)
    signs: Values = np.where(is_tie, 0.0, np.sign(gaps))
    return signs


def find_regret(estimates: Values, truths: Values) -> Values:
    """Subtract the truth of the best estimate from the best truth, shape (n, ...) to (...)."""
    best = estimates.max(axis=0)
    is_best = best - estimates <= TIE * np.maximum(np.abs(best), np.abs(estimates))
    picked = np.where(is_best, truths, 0.0).sum(axis=0)
    n_best = np.where(is_best.any(axis=0), is_best.sum(axis=0), np.nan)
    regret: Values = np.maximum(truths.max(axis=0) - picked / n_best, 0.0)
    return regret
