"""Draw a sample of a study, and compute its true scores and the estimates of all strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..checks import load_extra
from ..core.seeds import StreamTag, permutation, random_words
from ..core.types import Flags, Values
from .models import with_seed
from .strategies import Strategy, deal_folds
from .target import TargetColumn

STREAM = "sf.study"
"""The name of the random streams of a study, which differs from the names of fold columns."""


class Design(NamedTuple):
    """The checked arguments of a study."""

    frame: Any
    target: TargetColumn
    features: list[Any]
    strategies: dict[str, Strategy]
    estimators: dict[str, Any]
    scorer: Any
    ks: tuple[int, ...]
    size: int
    """The number of rows in a sample."""
    repeats: int
    seed: int


class Estimate(NamedTuple):
    """The estimate of one strategy on one sample, with the true score of the estimator."""

    strategy: str
    estimator: str
    k: int
    sample: int
    repeat: int
    estimate: float
    truth: float
    seconds: float
    fold_seconds: float
    error: str


class Outcome(NamedTuple):
    """The result of a call (NaN if it raised an error), the time it took, and the error message."""

    value: Any
    seconds: float
    error: str


class Sample(NamedTuple):
    """A sample, with the estimators and their true scores."""

    frame: Any
    inputs: Any
    targets: Values
    estimators: dict[str, Any]
    truths: dict[str, Outcome]


def run_sample(design: Design, number: int, known: Iterable[Estimate] = ()) -> list[Estimate]:
    """Estimate the scores on one sample for every strategy, estimator, k and repeat.

    Known estimates for a strategy, k and repeat are kept if all estimators succeeded.
    """
    successes = {each[:5]: each for each in known if not each.error}
    estimates: list[Estimate] = []
    # If BLAS uses several threads, sums depend on the number of threads.
    with load_extra("threadpoolctl", "sklearn").threadpool_limits(1):
        sample = draw_sample(design, number)
        for strategy, k, repeat in product(design.strategies, design.ks, range(design.repeats)):
            keys = [(strategy, name, k, number, repeat) for name in design.estimators]
            if successes.keys() >= set(keys):
                estimates += [successes[key] for key in keys]
            else:
                estimates += estimate_scores(design, sample, number, strategy, k, repeat)
    return estimates


def draw_sample(design: Design, number: int) -> Sample:
    """Draw the rows of a sample, and fit and score each estimator."""
    is_inside = flag_sample(len(design.frame), design.size, design.seed, number)
    sample = frames.filter_rows(design.frame, {}, lambda *_: is_inside)
    rest = frames.filter_rows(design.frame, {}, lambda *_: ~is_inside)
    seed = draw_seed(design.seed, number)
    estimators = {name: with_seed(each, seed) for name, each in design.estimators.items()}
    inputs = sample[design.features]
    targets = design.target.read(sample)
    other_inputs = rest[design.features]
    other_targets = design.target.read(rest)

    def true_score(estimator: Any) -> float:
        """Fit an estimator on the sample, and score it on all other rows."""
        model = load_extra("sklearn.base", "sklearn").clone(estimator).fit(inputs, targets)
        return check_score(design.scorer(model, other_inputs, other_targets))

    truths = {name: attempt(true_score, each) for name, each in estimators.items()}
    return Sample(sample, inputs, targets, estimators, truths)


def flag_sample(n_rows: int, size: int, seed: int, number: int) -> Flags:
    """Draw a simple random sample, and flag its rows."""
    words = random_words(seed, StreamTag.SAMPLE_ROWS, n_rows, repeat=number, name=STREAM)
    is_inside = np.zeros(n_rows, dtype=np.bool_)
    is_inside[permutation(words)[:size]] = True
    return is_inside


def draw_seed(seed: int, number: int, repeat: int = 0) -> int:
    """Draw the seed for one repeat on a sample, below 2**32, as scikit-learn requires.

    Repeat 0 gives the seed of the estimators, which is the same for all repeats on a sample.
    """
    words = random_words(seed, StreamTag.FOLD_ROWS, 1, n_parts=repeat, repeat=number, name=STREAM)
    return int(words[0] >> np.uint64(32))


def estimate_scores(
    design: Design, sample: Sample, number: int, strategy: str, k: int, repeat: int
) -> Iterator[Estimate]:
    """Deal a sample into folds once, and cross-validate every estimator with these folds."""
    seed = draw_seed(design.seed, number, repeat + 1)
    deal = design.strategies[strategy]
    folds = attempt(deal_folds, deal, sample.frame, design.target, k, seed)
    for name, estimator in sample.estimators.items():
        truth = sample.truths[name]
        score = Outcome(np.nan, 0.0, folds.error or truth.error)
        if not score.error:
            score = attempt(cross_validate, design, sample, estimator, folds.value)
        yield Estimate(
            strategy=strategy,
            estimator=name,
            k=k,
            sample=number,
            repeat=repeat,
            estimate=score.value,
            truth=truth.value,
            seconds=folds.seconds + score.seconds,
            fold_seconds=folds.seconds,
            error=score.error,
        )


def cross_validate(design: Design, sample: Sample, estimator: Any, pairs: Any) -> float:
    """Compute the mean score of an estimator over the folds."""
    scores = load_extra("sklearn.model_selection", "sklearn").cross_val_score(
        estimator,
        sample.inputs,
        sample.targets,
        scoring=design.scorer,
        cv=pairs,
        error_score="raise",
    )
    return check_score(np.mean(scores))


def check_score(score: Any) -> float:
    """Return a score as a float, or raise an error if it is not a finite number."""
    if not np.isfinite(score):
        msg = f"the score is {score}"
        raise ArithmeticError(msg)
    return float(score)


def attempt(function: Callable[..., Any], *args: Any) -> Outcome:
    """Call a function, measure the time, and turn an error into a message."""
    start = perf_counter()
    value = np.nan
    message = ""
    try:
        value = function(*args)
    except Exception as error:  # one failure must not stop the other strategies
        message = f"{type(error).__name__}: {error}".partition("\n")[0]
    return Outcome(value, perf_counter() - start, message)
