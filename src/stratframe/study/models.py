"""Check the estimators and the metric of a study, and provide default estimators."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

from ..checks import check_each_once, load_extra
from ..errors import StratError, at_least_one, describe
from .target import TargetColumn


def check_estimators(estimators: Any, target: TargetColumn) -> dict[str, Any]:
    """Check and name the estimators, or return the default estimators if none are given."""
    if estimators is None:
        return default_estimators(target.is_continuous)
    if isinstance(estimators, Mapping):
        check_each_estimator(estimators.values(), estimators)
        return by_text("`estimators`", estimators)
    if not isinstance(estimators, Sequence) or isinstance(estimators, str):
        estimators = [estimators]
    check_each_estimator(estimators, estimators)
    return name_estimators(estimators)


def check_each_estimator(models: Collection[Any], argument: Any) -> None:
    """Raise an error unless there are models, and all are scikit-learn estimators."""
    for model in models:
        check_estimator(model)
    if not models:
        raise StratError(at_least_one("`estimators`", "estimator", argument))


def by_text(subject: str, mapping: Mapping[Any, Any]) -> dict[str, Any]:
    """Convert names to text, and raise an error if two names become the same text."""
    check_each_once(subject, "name", map(str, mapping))
    return {str(name): each for name, each in mapping.items()}


def name_estimators(estimators: Iterable[Any]) -> dict[str, Any]:
    """Name estimators after their classes; the second of a class gets the suffix _2, and so on."""
    named: dict[str, Any] = {}
    for each in estimators:
        name = type(each).__name__
        count = sum(type(other).__name__ == name for other in named.values())
        named[f"{name}_{count + 1}" if count else name] = each
    return named


def check_estimator(estimator: Any) -> None:
    """Raise an error unless an object is a scikit-learn estimator."""
    if isinstance(estimator, type):
        name = estimator.__name__
        msg = f"`estimators` must hold objects, got the class {name}.\nHint: pass `{name}()`."
        raise StratError(msg)
    for method in ("fit", "get_params"):
        if not hasattr(estimator, method):
            msg = (
                "`estimators` must hold scikit-learn estimators, got"
                f" {type(estimator).__name__}, which has no `{method}`."
            )
            raise StratError(msg)


def default_estimators(is_continuous: bool) -> dict[str, Any]:
    """Make four estimators that are fast to fit; all except the tree standardize features."""
    linear = load_extra("sklearn.linear_model", "sklearn")
    neighbors = load_extra("sklearn.neighbors", "sklearn")
    tree = load_extra("sklearn.tree", "sklearn")
    svm = load_extra("sklearn.svm", "sklearn")
    compose = load_extra("sklearn.compose", "sklearn")
    pipeline = load_extra("sklearn.pipeline", "sklearn")
    preprocessing = load_extra("sklearn.preprocessing", "sklearn")

    def scaled(model: Any) -> Any:
        return pipeline.make_pipeline(preprocessing.StandardScaler(), model)

    if is_continuous:
        target_scaler = preprocessing.StandardScaler()
        support = compose.TransformedTargetRegressor(svm.SVR(), transformer=target_scaler)
        return {
            "ridge": scaled(linear.Ridge()),
            "nearest neighbours": scaled(neighbors.KNeighborsRegressor()),
            "decision tree": tree.DecisionTreeRegressor(),
            "support vectors": scaled(support),
        }
    return {
        "logistic regression": scaled(linear.LogisticRegression(max_iter=1000)),
        "nearest neighbours": scaled(neighbors.KNeighborsClassifier()),
        "decision tree": tree.DecisionTreeClassifier(),
        "support vectors": scaled(svm.SVC()),
    }


def check_metric(metric: Any, target: TargetColumn) -> Any:
    """Return the scorer for a metric; the default metrics are means over rows."""
    if metric is None:
        metric = "accuracy"
        if target.is_continuous:
            metric = "neg_mean_absolute_error"
    if callable(metric):
        module = str(getattr(metric, "__module__", ""))
        if module.startswith("sklearn.metrics.") and not hasattr(metric, "_score_func"):
            name = getattr(metric, "__name__", metric)
            msg = (
                f"`metric` must be a scorer (a function of an estimator, X and y), got {name}."
                f"\nHint: pass `sklearn.metrics.make_scorer({name})`."
            )
            raise StratError(msg)
        return metric
    try:
        return load_extra("sklearn.metrics", "sklearn").get_scorer(metric)
    except (ValueError, TypeError) as error:
        msg = (
            "`metric` must be the name of a scikit-learn scorer, or a function, got"
            f" {describe(metric)}."
            "\nHint: `sklearn.metrics.get_scorer_names()` lists the names."
        )
        raise StratError(msg) from error


def with_seed(estimator: Any, seed: int) -> Any:
    """Clone an estimator, and set every `random_state` that is not a whole number to the seed."""
    cloned = load_extra("sklearn.base", "sklearn").clone(estimator)
    seeds = {
        name: seed
        for name, value in cloned.get_params().items()
        if name.rpartition("__")[2] == "random_state" and not isinstance(value, Integral)
    }
    return cloned.set_params(**seeds)
