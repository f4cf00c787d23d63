"""Estimators of a study, and the metric that they are scored by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

from ..checks import check_each_once, load_extra
from ..errors import StratError, at_least_one, describe
from .target import TargetColumn


def check_estimators(estimators: Any, target: TargetColumn) -> dict[str, Any]:
    """Name the estimators, choose them if there are none, and raise for what cannot be fitted."""
    if estimators is None:
        return default_regressors() if target.is_continuous else default_classifiers()
    if isinstance(estimators, Mapping):
        for each in estimators.values():
            check_estimator(each)
        named = by_text("`estimators`", estimators)
    else:
        is_list = isinstance(estimators, Sequence) and not isinstance(estimators, str)
        given = estimators if is_list else [estimators]
        for each in given:
            check_estimator(each)
        named = name_estimators(given)
    if not named:
        raise StratError(at_least_one("`estimators`", "estimator", estimators))
    return named


def by_text(subject: str, given: Mapping[Any, Any]) -> dict[str, Any]:
    """Take names as text, and raise if two are the same then."""
    check_each_once(subject, "name", map(str, given))
    return {str(name): each for name, each in given.items()}


def name_estimators(estimators: Sequence[Any]) -> dict[str, Any]:
    """Name estimators after their classes, with a number from the second on."""
    named: dict[str, Any] = {}
    for each in estimators:
        name = type(each).__name__
        count = sum(type(other).__name__ == name for other in named.values())
        named[f"{name}_{count + 1}" if count else name] = each
    return named


def check_estimator(estimator: Any) -> None:
    """Raise unless an object is an estimator of scikit-learn."""
    if isinstance(estimator, type):
        name = estimator.__name__
        msg = f"`estimators` must hold objects, got the class {name}.\nHint: `{name}()`."
        raise StratError(msg)
    for method in ("fit", "get_params"):
        if not hasattr(estimator, method):
            msg = (
                "`estimators` must hold estimators of scikit-learn, got"
                f" {type(estimator).__name__}, which has no `{method}`."
            )
            raise StratError(msg)


def default_classifiers() -> dict[str, Any]:
    """Make four classifiers that are quick to fit."""
    return {
        "logistic regression": scaled(
            load_extra("sklearn.linear_model", "sklearn").LogisticRegression(max_iter=1000)
        ),
        "nearest neighbours": scaled(
            load_extra("sklearn.neighbors", "sklearn").KNeighborsClassifier()
        ),
        "decision tree": load_extra("sklearn.tree", "sklearn").DecisionTreeClassifier(),
        "support vectors": scaled(load_extra("sklearn.svm", "sklearn").SVC()),
    }


def default_regressors() -> dict[str, Any]:
    """Make four regressors that are quick to fit."""
    preprocessing = load_extra("sklearn.preprocessing", "sklearn")
    svr = load_extra("sklearn.compose", "sklearn").TransformedTargetRegressor(
        load_extra("sklearn.svm", "sklearn").SVR(), transformer=preprocessing.StandardScaler()
    )
    return {
        "ridge": scaled(load_extra("sklearn.linear_model", "sklearn").Ridge()),
        "nearest neighbours": scaled(
            load_extra("sklearn.neighbors", "sklearn").KNeighborsRegressor()
        ),
        "decision tree": load_extra("sklearn.tree", "sklearn").DecisionTreeRegressor(),
        "support vectors": scaled(svr),
    }


def scaled(estimator: Any) -> Any:
    """Put standardization of the features before an estimator."""
    scaler = load_extra("sklearn.preprocessing", "sklearn").StandardScaler()
    return load_extra("sklearn.pipeline", "sklearn").make_pipeline(scaler, estimator)


def check_metric(metric: Any, target: TargetColumn) -> Any:
    """Find the scorer of a metric; by default one that is a mean over rows."""
    if metric is None:
        metric = "neg_mean_absolute_error" if target.is_continuous else "accuracy"
    if callable(metric):
        if takes_predictions(metric):
            name = getattr(metric, "__name__", metric)
            msg = (
                f"`metric` must be a scorer, a function of an estimator, X and y, got {name}."
                f"\nHint: `sklearn.metrics.make_scorer({name})`."
            )
            raise StratError(msg)
        return metric
    try:
        return load_extra("sklearn.metrics", "sklearn").get_scorer(metric)
    except (ValueError, TypeError) as error:
        msg = (
            "`metric` must be the name of a scorer of scikit-learn, or a function, got"
            f" {describe(metric)}."
            "\nHint: `sklearn.metrics.get_scorer_names()` lists them."
        )
        raise StratError(msg) from error


def takes_predictions(metric: Any) -> bool:
    """Return whether a metric is one of scikit-learn's that is no scorer."""
    module = str(getattr(metric, "__module__", ""))
    return module.startswith("sklearn.metrics.") and not hasattr(metric, "_score_func")


def with_seed(estimator: Any, seed: int) -> Any:
    """Clone an estimator, and seed what is random in it and has no seed of its own."""
    cloned = load_extra("sklearn.base", "sklearn").clone(estimator)
    params = cloned.get_params()
    seeds = {
        name: seed
        for name, value in params.items()
        if name.rpartition("__")[2] == "random_state" and not isinstance(value, Integral)
    }
    return cloned.set_params(**seeds)
