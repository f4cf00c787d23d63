"""Estimate scores on samples of a population, and compare strategies by estimation error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, product
from numbers import Integral
from typing import Any, SupportsIndex

import numpy as np

from .. import frames
from ..checks import (
    check_each_once,
    check_flag,
    check_int,
    check_ks,
    check_seed,
    load_extra,
)
from ..errors import StratError, above_limit, at_least_one, at_most, describe, plural, warn
from ..frames import Frame
from ..progress import track
from ..terms.by import parse_columns
from ..verbs.door import any_frame
from .cache import cache_folder, run_cached
from .models import check_estimators, check_metric
from .resample import Design, Estimate
from .statistics import summary
from .strategies import check_strategies
from .target import read_target

MOST_ROWS = 500
"""The default number of rows in a sample is a third of all rows, but at most this number."""

MAX_RUNS = 10_000
"""The maximum number of times that a strategy deals a sample into k folds."""


@any_frame()
def compare(
    frame: Frame,
    target: Any,
    features: Any,
    strategies: Mapping[str, Any] | None = None,
    estimators: Any = None,
    *,
    k: int | Iterable[int] = (2, 5, 10),
    sample: int | None = None,
    samples: int = 100,
    repeats: int = 4,
    metric: Any = None,
    n_jobs: int | None = 1,
    seed: SupportsIndex | None = 0,
    cache: Any = None,
    progress: bool = True,
    full: bool = False,
) -> Any:
    """Measure which folds give cross-validated scores closest to the true scores.

    Samples are drawn from the frame, which serves as a population. Each estimator is fitted on a
    whole sample and scored on all other rows; this score is close to the true score. Each strategy
    deals the sample into folds, and the cross-validated score is compared with the true score.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or polars.LazyFrame
        The population: at least a few hundred independent rows, and preferably a few thousand.
        Strategies can use all columns.
    target : column, `sf.classes` or `sf.continuous`
        The variable to predict: classes or numbers. A plain column with more than 50 distinct whole
        numbers is an error, because the numbers could be either.
    features : column or list of columns
        The columns that are passed to the estimators, as a frame of the caller's library.
    strategies : dict, optional
        Strategies by name. A strategy is a value for `by` in `kfold`, a dict of arguments of
        `kfold` (where `rare` defaults to "ignore"), or a function of a frame, k and a seed that
        returns a frame with a column `fold`. The strategies are compared with "SCV", which
        stratifies by the classes of the target, or by ten quantile bins, and is added if necessary.
        The default strategies, listed in `docs/study-evidence.md`, require numeric features.
    estimators : dict, list or estimator, optional
        scikit-learn estimators. In each sample, every `random_state` that is not a whole number is
        set to the same seed. Other sources of randomness, such as `cv=KFold(shuffle=True)` in a
        search, are not seeded. The default estimators are a linear model, nearest neighbours, a
        decision tree and a support vector machine.
    k : int or iterable of int
        Numbers of folds.
    sample : int, optional
        Number of rows in a sample. The default is a third of all rows, but at most 500. At least as
        many rows must remain outside the sample.
    samples : int
        Number of samples. They are drawn independently, so different samples can share rows.
    repeats : int
        Number of times that each strategy deals a sample into folds, with different seeds.
    metric : str or callable, optional
        A scikit-learn scorer, for which larger scores are better. The default is accuracy for
        classes, and the negative mean absolute error for numbers.
    n_jobs : int, optional
        Number of processes, as in joblib. It affects the times, but no other results.
    seed : int or None
        The same seed gives the same samples and folds. None draws a new seed.
    cache : path, optional
        A folder for finished samples. A call with the same data and arguments reads these samples,
        so a study can be stopped and resumed, or extended with more `samples`. Failed estimates are
        computed again. Functions and classes are identified by name and code; if anything that they
        call or read changes, use a new folder. The times are those of the first run.
    progress : bool
        Whether to show a progress bar in a terminal.
    full : bool
        Whether to add the bias, standard deviation, times and failures, as in `summary`.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per strategy, estimator and k, as described for `summary`.

    Raises
    ------
    StratError
        If an argument is invalid.
    ImportError
        If scikit-learn is not installed: `pip install "stratframe[sklearn]"`.

    Warns
    -----
    StratWarning
        If a strategy or an estimator fails on a sample. With `full=True`, the columns `failed` and
        `error` describe these failures.

    See Also
    --------
    estimates : Compute the estimates that are summarized.
    summary : Summarize estimates.
    differences : Summarize the errors of differences between two estimators.
    plot : Plot the result.

    Examples
    --------
    >>> import stratframe as sf
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> iris = load_iris(as_frame=True).frame
    >>> features = list(iris.columns[:4])
    >>> strategies = {"k-fold": None, "DOB-SCV": ["target", sf.nearest(features)]}
    >>> found = sf.study.compare(
    ...     iris, "target", features, strategies, GaussianNB(), k=2, samples=20, repeats=2
    ... )
    >>> found.round(3)
      strategy   estimator  k  mse_ratio    low   high
    0      SCV  GaussianNB  2      1.000  1.000  1.000
    1   k-fold  GaussianNB  2      1.290  1.018  1.633
    2  DOB-SCV  GaussianNB  2      1.119  0.836  1.498
    """
    in_full = check_flag("full", full)
    scores = estimates(
        frame,
        target,
        features,
        strategies,
        estimators,
        k=k,
        sample=sample,
        samples=samples,
        repeats=repeats,
        metric=metric,
        n_jobs=n_jobs,
        seed=seed,
        cache=cache,
        progress=progress,
    )
    return summary(scores, full=in_full)


@any_frame()
def estimates(
    frame: Frame,
    target: Any,
    features: Any,
    strategies: Mapping[str, Any] | None = None,
    estimators: Any = None,
    *,
    k: int | Iterable[int] = (2, 5, 10),
    sample: int | None = None,
    samples: int = 100,
    repeats: int = 4,
    metric: Any = None,
    n_jobs: int | None = 1,
    seed: SupportsIndex | None = 0,
    cache: Any = None,
    progress: bool = True,
) -> Any:
    """Compute cross-validated scores and true scores on samples from a population.

    `compare` returns `summary(estimates(...))`; see `compare` for arguments, errors and warnings.

    Parameters
    ----------
    frame, target, features, strategies, estimators
        As for `compare`.
    k, sample, samples, repeats, metric, n_jobs, seed, cache, progress
        As for `compare`.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        One row per strategy, estimator, k, sample and repeat, with the columns `strategy`,
        `estimator`, `k`, `sample` and `repeat`; `estimate`, the mean score of the folds; `truth`,
        the score that the estimator, fitted on the whole sample, has on all other rows; `seconds`,
        the time for making folds and cross-validating; `fold_seconds`, the time for making folds;
        and `error`, the error message, if any. A failed estimate or truth is missing.

    Examples
    --------
    >>> import stratframe as sf
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> iris = load_iris(as_frame=True).frame
    >>> found = sf.study.estimates(
    ...     iris, "target", iris.columns[0], {"SCV": "target"}, DummyClassifier(), k=2, samples=2
    ... )
    >>> len(found), found.columns.tolist()[5:]
    (8, ['estimate', 'truth', 'seconds', 'fold_seconds', 'error'])
    """
    load_extra("sklearn", "sklearn")
    frames.check_frame(frame)
    eager = frames.collect_columns(frame, frames.column_names(frame))
    column = read_target(eager, target)
    names = check_inputs(eager, features, column.name)
    named_strategies = check_strategies(strategies, column, names, eager)
    size = check_size(sample, len(eager))
    design = Design(
        eager,
        column,
        names,
        named_strategies,
        check_estimators(estimators, column),
        check_metric(metric, column),
        check_numbers(k, size),
        size,
        check_int("repeats", repeats, 1),
        check_seed(seed),
    )
    if design.repeats > MAX_RUNS:
        raise StratError(above_limit("`repeats`", MAX_RUNS, "run", design.repeats))
    check_jobs(n_jobs)
    check_flag("progress", progress)
    n_samples = check_int("samples", samples, 1)
    scores = run_samples(design, n_samples, n_jobs, cache, progress=progress)
    warn_of_failures(scores)
    return estimates_frame(design, n_samples, scores)


def check_inputs(frame: Any, features: Any, target: Any) -> list[Any]:
    """List the features, and raise an error if any is not a column or is the target."""
    names = list(parse_columns("features", list_features(features)))
    frames.check_names("features", names)
    check_each_once("`features`", "column", names)
    frames.check_refs(frame, {"features": names})
    if target in names:
        msg = f"`features` must not include the target, got {target!r}."
        raise StratError(msg)
    return names


def list_features(features: Any) -> list[Any]:
    """List column names from a list, an index, an array or a single name."""
    if isinstance(features, str) or not isinstance(features, Iterable):
        return [features]
    try:
        names = list(features)
    except (TypeError, MemoryError, OverflowError):  # a 0-d array, or a range that is too long
        return [features]
    if all(isinstance(each, str | tuple) for each in names):
        return [str(each) if isinstance(each, str) else each for each in names]
    return names if isinstance(features, list | tuple) else [features]


def check_numbers(k: Any, size: int) -> tuple[int, ...]:
    """List the distinct numbers of folds, and raise an error if any exceeds the sample size."""
    ks = tuple(dict.fromkeys(check_ks("k", k)))
    if not ks:
        raise StratError(at_least_one("`k`", "number of folds", []))
    if max(ks) > size:
        raise StratError(at_most("`k`", "`sample`", max(ks), size, "row"))
    return ks


def check_jobs(n_jobs: object) -> None:
    """Raise an error unless joblib accepts the value as a number of processes."""
    is_whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not (is_whole and n_jobs):
        msg = f"`n_jobs` must be None, or a whole number other than 0, got {describe(n_jobs)}."
        raise StratError(msg)


def check_size(sample: Any, n_rows: int) -> int:
    """Check the number of rows in a sample, or return the default number."""
    size = min(MOST_ROWS, n_rows // 3)
    if sample is not None:
        size = check_int("sample", sample, 2)
    if size < 2 or n_rows - size < size:
        msg = (
            f"At least as many rows must stay outside a sample as are in it, got"
            f" {plural(n_rows, 'row')} for a sample of {describe(size)}."
            f"\nHint: pass `sample={max(2, n_rows // 3)}`, or add rows. The true score is measured"
            " on the rows outside the sample."
        )
        raise StratError(msg)
    return size


def run_samples(
    design: Design, samples: int, n_jobs: int | None, cache: Any, *, progress: bool
) -> list[Estimate]:
    """Run all samples in parallel, with a progress bar if `progress` is True."""
    parallel = load_extra("sklearn.utils.parallel", "sklearn")
    folder = cache_folder(cache, design)
    run = parallel.delayed(run_cached)
    results = parallel.Parallel(n_jobs=n_jobs, return_as="generator")(
        run(design, number, folder) for number in range(samples)
    )
    if progress:
        results = track(results, "sf.study", " samples", samples)
    return list(chain.from_iterable(results))


def warn_of_failures(scores: list[Estimate]) -> None:
    """Warn if any estimates failed, and show the first error message."""
    failures = [each for each in scores if each.error]
    if failures:
        first = failures[0]
        warn(
            f"{len(failures):,} of {plural(len(scores), 'estimate')} failed, the first for"
            f" {first.strategy!r} with {first.estimator!r} and k={first.k}: {first.error}"
        )


def estimates_frame(design: Design, samples: int, scores: list[Estimate]) -> Any:
    """Make a frame of all estimates, sorted by strategy, estimator, k, sample and repeat."""
    by_key = {each[:5]: each for each in scores}
    numbers = range(design.repeats)
    keys = product(design.strategies, design.estimators, design.ks, range(samples), numbers)
    values = map(np.array, zip(*(by_key[key] for key in keys), strict=True))
    arrays: dict[Any, Any] = dict(zip(Estimate._fields, values, strict=True))
    library = frames.library_of(design.frame)
    for name in ("estimate", "truth"):
        arrays[name] = frames.float_column(library, arrays[name])
    return frames.make_frame(library, arrays)
