"""Errors of the differences between two estimators' scores: `differences`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import check_flag
from ..core.types import Flags, Ints, Values
from ..errors import StratError
from .statistics import (
    Scores,
    describe_cell,
    find_baseline,
    mean,
    mean_rows,
    ratio_interval,
    read_scores,
    results_frame,
    summarize_cell,
)
from .strategies import BASELINE

COLUMNS = (
    *("strategy", "pair", "k", "mse_ratio", "low", "high"),
    *("bias", "sd", "mse", "correct", "regret"),
    *("within", "seconds", "fold_seconds", "failed", "error"),
)

SHOWN = COLUMNS[:6]
"""The columns of a result that is not in full, so that it fits a terminal."""

MEANS = ("mse", "within", "seconds", "fold_seconds")
"""The columns that are averaged over pairs."""

ALL = "all"
"""The name of all pairs together."""

TIE = 1e-6
"""Scores that differ by at most this part of the larger are equal: the rest is rounding."""

Cell = tuple[int, Ints, int]
"""The places of a strategy, of some pairs, and of a k."""


def differences(
    estimates: Any, baseline: str = BASELINE, *, pooled: bool = False, full: bool = False
) -> Any:
    """Summarize how far the differences between two estimators' scores are from the truth.

    Cross-validation is often used to choose between models. Then what counts is not how far a
    score is from the truth, as in `sf.study.summary`, but how far the difference of two is:
    errors that both scores share cancel.

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
        Whether to add the columns from `bias` on.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per strategy, pair of estimators and k: `strategy`, `pair`, "A - B" or "all",
        `k`; `mse_ratio`, the mean squared error, of (estimate A - estimate B) minus
        (truth A - truth B), divided by that of the baseline, and `low` and `high`, its 95 %
        bootstrap interval. In full also, of the same error, `bias`, its mean, `sd`, its
        standard deviation, and `mse`, the mean of its square, which is `bias` squared plus `sd`
        squared; `correct`, how often the estimator with the better estimate is the better in
        truth; `regret`, how much lower the truth of the one with the best estimate is than the
        best truth, on average; `within`, the variance between the repeats of one sample;
        `seconds`, the mean time of cross-validating both, and `fold_seconds`, that of dealing
        alone; `failed`, how many differences are missing, and `error`, the first message.

    Notes
    -----
    A difference needs both estimates of a repeat. Means, standard deviations and intervals are
    made of the differences as those of `sf.study.summary` are of single estimates, by the same
    bootstrap of whole samples.

    The larger score is the better. Scores that differ by no more than a millionth of the larger
    are equal: where estimates are, `correct` counts 1/2 and `regret` averages over the best,
    as a coin would choose; where truths are, there is no better estimator, and the sample does
    not count in `correct`. Both are those of one run: for the mean of several, average `estimate`
    over `repeat` before.

    Pooled, `mse` and `within` are means over the pairs, `bias` and `sd` the roots of the mean
    squares, `correct` is the share of pairs, `regret` that of choosing among all estimators, of
    repeats in which none is missing, and `seconds` the mean time of a pair. The ratio is that of
    the means over pairs, so that pairs with large errors weigh more; and pairs that share an
    estimator are not independent.

    Training sets share rows, so that the variance of a mean, estimated from the spread of the
    splits, is too low for a test of the difference (Nadeau and Bengio 2003), and the usual
    interval of a single score may cover far less than it says (Bates, Hastie and Tibshirani
    2024). Here neither is used: the error is measured, on rows outside of the sample. The truth
    is that of the two models fitted on this sample, not the mean over samples, and it has an
    error of its own: where two models are nearly equal, `correct` is partly a coin.

    References
    ----------
    C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine Learning
    52, 239-281.

    S. Bates, T. Hastie and R. Tibshirani (2024). Cross-validation: what does it estimate and how
    well does it do it? Journal of the American Statistical Association 119, 1434-1445.

    Raises
    ------
    StratError
        If the frame has not the columns of `estimates`, not the baseline, or fewer than two
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
    place = find_baseline(gaps.names[0], baseline)
    has_rows: Flags = np.any(gaps.is_row, axis=(3, 4))
    if is_pooled:
        rows = [
            pool_row(scores, gaps, (strategy, np.flatnonzero(has_rows[strategy, :, k]), k), place)
            for strategy, k in np.argwhere(has_rows.any(axis=1))
        ]
    else:
        rows = [
            pair_row(scores, gaps, (strategy, np.array([pair]), k), place)
            for strategy, pair, k in np.argwhere(has_rows)
        ]
    return results_frame(estimates, rows, None if in_full else SHOWN)


# Pairs ----------------------------------------------------------------------------------


def list_pairs(n_estimators: int) -> Ints:
    """List all pairs of estimators, shape (2, n_pairs)."""
    return np.array(np.triu_indices(n_estimators, 1))


def subtract_scores(scores: Scores) -> Scores:
    """Subtract the scores of each two estimators: pairs take the place of estimators."""
    strategies, estimators, ks = scores.names
    if len(estimators) < 2:
        msg = (
            f"`estimates` must have at least two estimators, got {estimators[0]!r} alone."
            "\nHint: `sf.study.estimates` takes a dict of `estimators`; `sf.study.summary` is for"
            " the scores of one."
        )
        raise StratError(msg)
    first, second = list_pairs(len(estimators))
    is_row = scores.is_row[:, first] & scores.is_row[:, second]
    if not is_row.any():
        msg = (
            "`estimates` must have two estimators of one strategy, k, sample and repeat, got none."
            "\nHint: `sf.study.estimates` gives such rows."
        )
        raise StratError(msg)
    names = [f"{estimators[a]} - {estimators[b]}" for a, b in zip(first, second, strict=True)]
    messages, fold_seconds = scores.messages[:, first], scores.fold_seconds[:, first]
    messages = np.where(messages == "", scores.messages[:, second], messages)
    return Scores(
        (strategies, names, ks),
        scores.estimates[:, first] - scores.estimates[:, second],
        scores.truths[:, first] - scores.truths[:, second],
        scores.errors[:, first] - scores.errors[:, second],
        scores.seconds[:, first] + scores.seconds[:, second] - fold_seconds,
        fold_seconds,
        np.where(is_row, messages, ""),
        is_row,
    )


# Rows -----------------------------------------------------------------------------------


def pair_row(scores: Scores, gaps: Scores, cell: Cell, baseline: int) -> dict[str, Any]:
    """Summarize one strategy, pair and k."""
    strategy, pairs, k = cell
    summary = summarize_cell(gaps, (strategy, pairs[0], k), baseline)
    return arrange_row(summary | {"pair": summary["estimator"]}, scores, cell)


def pool_row(scores: Scores, gaps: Scores, cell: Cell, baseline: int) -> dict[str, Any]:
    """Summarize one strategy and k, all pairs together."""
    strategy, pairs, k = cell
    squares, base = (
        np.array([mean_rows(gaps.errors[each, pair, k] ** 2) for pair in pairs])
        for each in (strategy, baseline)
    )
    is_lost = np.isnan(squares) | np.isnan(base)
    ratio = ratio_interval(
        *(mean_rows(np.where(is_lost, np.nan, each).T) for each in (squares, base))
    )
    found = [describe_cell(gaps, (strategy, pair, k)) for pair in pairs]
    columns: dict[str, list[Any]] = {name: [each[name] for each in found] for name in found[0]}
    summary = {
        "strategy": gaps.names[0][strategy],
        "pair": ALL,
        "k": gaps.names[2][k],
        **ratio,
        **{name: mean(np.square(columns[name])) ** 0.5 for name in ("bias", "sd")},
        **{name: mean(np.array(columns[name])) for name in MEANS},
        "failed": sum(columns["failed"]),
        "error": next(filter(None, columns["error"]), ""),
    }
    return arrange_row(summary, scores, cell)


def arrange_row(summary: dict[str, Any], scores: Scores, cell: Cell) -> dict[str, Any]:
    """Add what choosing by the estimates gives, and put the columns in order."""
    strategy, pairs, k = cell
    members = list_pairs(len(scores.names[1]))[:, pairs]
    estimates, truths = (each[strategy, :, k] for each in (scores.estimates, scores.truths))
    correct = count_correct(estimates[members], truths[members])
    chosen = np.unique(members)
    choice = {
        "correct": mean(mean_rows(np.moveaxis(correct, 0, 1).reshape(correct.shape[1], -1))),
        "regret": mean(mean_rows(find_regret(estimates[chosen], truths[chosen]))),
    }
    return {name: (summary | choice)[name] for name in COLUMNS}


# Choices --------------------------------------------------------------------------------


def count_correct(estimates: Values, truths: Values) -> Values:
    """Say whether the better of two is so in truth, shape (2, ...) to (...).

    1 if it is, 1/2 if the estimates are equal, NaN if the truths are.
    """
    agreement = compare_two(estimates) * compare_two(truths)
    is_open = compare_two(truths) == 0
    correct: Values = np.where(is_open, np.nan, (1 + agreement) / 2)
    return correct


def compare_two(values: Values) -> Values:
    """Return the sign of the first minus the second, 0 if they are equal but for rounding."""
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
