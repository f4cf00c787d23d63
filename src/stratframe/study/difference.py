"""Summarize the errors of estimated differences between the scores of two estimators."""

from __future__ import annotations

from itertools import product
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
"""The columns of a result with `full=False`, which fit into a terminal."""

CHOICES = ("correct", "regret")
COLUMNS_OF_PAIRS = (*SHOWN_OF_PAIRS, *MOMENTS, *CHOICES, *COSTS)

ALL = "all"
"""The value of `pair` in rows that pool all pairs."""

POOLED = ["strategy", "k"]
"""The columns that identify a row of pooled pairs."""

RUN = [*POOLED, "sample", "repeat"]
"""The columns that identify a set of folds that estimators share."""

TIE = 1e-6
"""Two scores are treated as equal if they differ by at most this fraction of the larger score."""


def differences(
    estimates: Any, baseline: str = BASELINE, *, pooled: bool = False, full: bool = False
) -> Any:
    """Summarize the errors of estimated differences between the scores of two estimators.

    These errors matter for the choice between two models: errors that both scores share cancel out.

    Parameters
    ----------
    estimates : pandas.DataFrame or polars.DataFrame
        The frame that `sf.study.estimates` returns, or some of its rows, with at least two
        estimators.
    baseline : str
        The strategy with which the other strategies are compared.
    pooled : bool
        Whether to pool all pairs of estimators into one row per strategy and k.
    full : bool
        Whether to add the columns from `bias` to `error`.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per strategy, pair of estimators and k, with the columns of `sf.study.summary`. The
        error is (estimate A - estimate B) - (truth A - truth B). The column `pair`, with the value
        "A - B" or "all", replaces `estimator`. With `full=True`, there are also `correct`, how
        often the estimator with the higher estimate also has the higher true score; and `regret`,
        the mean difference between the best true score and the true score of the estimator with the
        best estimate. `seconds` is the mean time for cross-validating both estimators.

    Notes
    -----
    A difference can be computed only for repeats in which both estimators have an estimate. Two
    scores are treated as equal if they differ by at most a millionth of the larger score. A repeat
    with equal estimates counts 1/2 in `correct`, and its `regret` is averaged over the best
    estimators. A repeat with equal true scores does not count in `correct`. `correct` and `regret`
    refer to a single run; for the mean of several runs, average `estimate` over `repeat` first.

    With `pooled=True`, most columns are means over the pairs. However, `bias` and `sd` are root
    mean squares, `failed` is a sum, and `regret` is the regret of choosing among all estimators, in
    repeats without missing estimates. `mse_ratio` is a ratio of means over pairs, so pairs with
    large errors have more weight. Pairs that share an estimator are not independent.

    The error is measured on the rows outside the sample. It is not estimated from the spread over
    the folds, because the training sets of the folds share rows (`docs/study-choice.md`). The true
    scores are those of the two models fitted on the sample, and are themselves measured with an
    error. If two models are nearly equal, `correct` therefore depends partly on chance.

    Raises
    ------
    StratError
        If the frame lacks a column of `estimates` or the baseline, or has fewer than two
        estimators.
    ImportError
        If SciPy is not installed: `pip install "stratframe[sklearn]"`.

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
    is_pooled = check_flag("pooled", pooled)
    in_full = check_flag("full", full)
    scores = read_scores(estimates)
    gaps = subtract_scores(scores)
    place = find_baseline(gaps, baseline)
    labels = {"strategy": gaps.labels["strategy"], "k": gaps.labels["k"]}
    if is_pooled:
        table = describe_pool(scores, gaps, place)
    else:
        table = describe_pairs(gaps, place)
        labels["pair"] = gaps.labels["estimator"]
    return results_frame(estimates, table, labels, COLUMNS_OF_PAIRS if in_full else SHOWN_OF_PAIRS)


# Pairs ----------------------------------------------------------------------------------


def describe_pairs(gaps: Scores, baseline: int) -> Any:
    """Summarize the differences for each strategy, pair of estimators and k."""
    ratios = divide_squares(gaps.rows, baseline)
    table = describe_cells(gaps.rows).join([ratios, over_samples(gaps.rows, CHOICES)])
    return table.rename_axis(index={"estimator": "pair"})


def describe_pool(scores: Scores, gaps: Scores, baseline: int) -> Any:
    """Summarize the differences for each strategy and k, with all pairs in one row."""
    choices = scores.rows.groupby(POOLED)[[*RUN[2:], "estimator", "estimate", "truth"]]
    table = pool_cells(describe_cells(gaps.rows)).assign(
        pair=ALL,
        correct=over_samples(gaps.rows, ["correct"], POOLED)["correct"],
        regret=choices.apply(average_regret),
    )
    return table.join(divide_squares(gaps.rows, baseline, POOLED))


def subtract_scores(scores: Scores) -> Scores:
    """Compute the score differences of each pair of estimators; pairs replace the estimators."""
    names = scores.labels["estimator"]
    if len(names) < 2:
        msg = (
            f"`estimates` must have at least two estimators, got only {names[0]!r}."
            "\nHint: `sf.study.estimates` takes a dict of `estimators`; `sf.study.summary` is for"
            " the scores of one estimator."
        )
        raise StratError(msg)
    both = scores.rows.merge(scores.rows, on=RUN, suffixes=("", "_other"))
    both = both[both["estimator"] < both["estimator_other"]]
    if both.empty:
        msg = (
            "`estimates` must have two estimators with the same strategy, k, sample and repeat, got"
            " none.\nHint: `sf.study.estimates` makes such a frame."
        )
        raise StratError(msg)
    estimates = both[["estimate", "estimate_other"]].to_numpy().T
    truths = both[["truth", "truth_other"]].to_numpy().T
    off = both["off"] - both["off_other"]
    gaps = both.assign(
        pair=both["estimator"] * len(names) + both["estimator_other"],
        estimate=estimates[0] - estimates[1],
        off=off,
        square=off**2,
        seconds=both["seconds"] + both["seconds_other"] - both["fold_seconds"],
        error=both["error"].where(both["error"] != "", both["error_other"]),
        correct=count_correct(estimates, truths),
        regret=find_regret(estimates, truths),
    )
    pairs = [f"{one} - {other}" for one, other in product(names, names)]
    rows = gaps.drop(columns="estimator").rename(columns={"pair": "estimator"})
    return Scores(rows, scores.labels | {"estimator": pairs})


def pool_cells(cells: Any) -> Any:
    """Pool the rows of all pairs of estimators into one row for each strategy and k."""
    roots = ["bias", "sd"]
    cells = cells.assign(error=cells["error"].where(cells["error"] != ""))
    cells[roots] **= 2
    groups = cells.groupby(level=POOLED)
    means = groups[[*MOMENTS, *COSTS[:3]]].mean()
    means[roots] **= 0.5
    return means.assign(failed=groups["failed"].sum(), error=groups["error"].first().fillna(""))


def average_regret(rows: Any) -> float:
    """Compute the mean regret of choosing among all estimators, for one strategy and k."""
    estimates = rows.pivot(index=RUN[2:], columns="estimator", values="estimate")
    truths = rows.pivot(index=RUN[2:], columns="estimator", values="truth")
    regret = find_regret(estimates.to_numpy().T, truths.to_numpy().T)
    choices = estimates.assign(regret=regret)
    return float(choices["regret"].groupby(level="sample").mean().mean())


# Choices --------------------------------------------------------------------------------


def count_correct(estimates: Values, truths: Values) -> Values:
    """Return 1 if the estimator with the higher estimate has the higher true score, otherwise 0.

    Equal estimates give 1/2, and equal true scores give NaN. The first axis holds the two scores.
    """
    better = compare_two(truths)
    correct: Values = np.where(better, (1 + compare_two(estimates) * better) / 2, np.nan)
    return correct


def compare_two(values: Values) -> Values:
    """Return the sign of the first value minus the second value; 0 if they are nearly equal."""
    gaps = values[0] - values[1]
    is_tie = np.abs(gaps) <= TIE * np.abs(values).max(axis=0)
    signs: Values = np.where(is_tie, 0.0, np.sign(gaps))
    return signs


def find_regret(estimates: Values, truths: Values) -> Values:
    """Subtract the truth of the best estimate from the best truth, shape (n, ...) to (...)."""
    best = estimates.max(axis=0)
    is_best = best - estimates <= TIE * np.maximum(np.abs(best), np.abs(estimates))
    total = np.where(is_best, truths, 0.0).sum(axis=0)
    n_best = np.where(is_best.any(axis=0), is_best.sum(axis=0), np.nan)
    regret: Values = np.maximum(truths.max(axis=0) - total / n_best, 0.0)
    return regret
