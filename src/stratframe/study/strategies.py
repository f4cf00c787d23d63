"""Check the strategies of a study, provide default strategies, and deal folds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from inspect import signature
from typing import Any, TypeAlias

import numpy as np

from .. import frames
from ..checks import load_extra
from ..core.types import Ints, Values
from ..errors import StratError, StratWarning, at_least_one
from ..frames.references import EXPRESSIONS
from ..pipeline.options import Options
from ..terms.base import Term
from ..terms.bins import continuous, quantiles
from ..terms.by import parse_by, parse_columns
from ..terms.classes import classes
from ..terms.clusters import clusters
from ..terms.margins import margins
from ..terms.neighbours import chain, nearest
from ..verbs.deals import kfold
from ..verbs.select import cv
from .models import by_text
from .target import TargetColumn

Strategy: TypeAlias = Callable[[Any, int, int], Any] | dict[str, Any]
"""A dict of arguments of `kfold`, or a function of a frame, k and a seed that returns a frame with
a column `fold`."""

BASELINE = "SCV"
"""The name of stratified k-fold, which is the default baseline of comparisons."""

OWN_ARGUMENTS = {"frame", "k", "repeats", "seed", "name", "overwrite", "groups"}
"""The arguments of `kfold` that a strategy must not contain."""

N_CLUSTERS = 4
"""The number of clusters in the default strategies, within each class or among all rows."""

MARGIN_FEATURES = 5
"""The maximum number of features that the default margins balance, to limit the time."""


def check_strategies(
    strategies: Any, target: TargetColumn, features: list[Any], frame: Any
) -> dict[str, Strategy]:
    """Check the strategies, or use the default strategies, and add the baseline."""
    if strategies is None:
        strategies = default_strategies(target, features)
    if not isinstance(strategies, Mapping):
        msg = (
            "`strategies` must be a dict from names to values of `by`, arguments of `kfold` or"
            f" functions, got {type(strategies).__name__}."
        )
        raise StratError(msg)
    if not strategies:
        raise StratError(at_least_one("`strategies`", "strategy", dict(strategies)))
    first = {} if BASELINE in strategies else {BASELINE: target.term}
    named = by_text("`strategies`", first | dict(strategies))
    return {name: check_strategy(name, each, frame) for name, each in named.items()}


def check_strategy(name: str, strategy: Any, frame: Any) -> Any:
    """Return a function unchanged; turn any other strategy into arguments of `kfold`."""
    if callable(strategy) and not isinstance(strategy, EXPRESSIONS):
        return strategy
    arguments: dict[str, Any] = {"by": strategy}
    if isinstance(strategy, Mapping):
        arguments = dict(strategy)
    if arguments.get("groups") is not None:
        msg = (
            f"The strategy {name!r} must not hold `groups`: samples are drawn row by row, so the"
            " true score would also be measured on groups that are in the sample."
        )
        raise StratError(msg)
    known = signature(kfold).parameters.keys() - OWN_ARGUMENTS
    unknown = [each for each in arguments if each not in known]
    if unknown:
        msg = (
            f"The strategy {name!r} must hold only arguments of `kfold`, got {unknown[0]!r}."
            f"\nHint: the arguments are {', '.join(map(repr, sorted(known)))}."
        )
        raise StratError(msg)
    terms = parse_by(arguments.get("by")).terms
    key = parse_columns("key", arguments.get("key"))
    frames.check_refs(frame, Options(terms, key=key).columns())
    return arguments


def default_strategies(target: TargetColumn, features: list[Any]) -> dict[str, Any]:
    """Return strategies, most of them from the literature, for classes or a continuous target."""
    strata = target.term
    strategies: dict[str, Any] = {"k-fold": None, BASELINE: strata}
    if target.is_continuous:
        strategies["sorted"] = continuous(target.name)
    else:
        strategies["KCBCV"] = {"by": clusters(features, N_CLUSTERS), "deal": "circular"}
        strategies["SCBCV"] = {"by": [strata, clusters(features, N_CLUSTERS)], "deal": "circular"}
    cuts = [quantiles(name, 4) for name in features[:MARGIN_FEATURES]]
    return strategies | {
        "SCBCV, random": [strata, clusters(features, N_CLUSTERS)],
        "DB-SCV": {"by": [strata, chain(features)], "deal": "circular"},
        "DOB-SCV": [strata, nearest(features)],
        "nearest, with target": partial(deal_with_target, target=target, features=features),
        "margins": margins([strata, *cuts]),
        "SCV, then PC1": partial(deal_by_component, target=target, features=features),
    }


def deal_with_target(
    frame: Any, k: int, seed: int, *, target: TargetColumn, features: list[Any]
) -> Any:
    """Deal blocks of nearest neighbours, with the target as an additional feature.

    Each class is encoded as a column of zeros and ones; for two classes, one column is enough.
    """
    numbers = target.read_numbers(frame)
    if not target.is_continuous:
        is_class = numbers == np.arange(numbers.max() + 1)[:, None]
        numbers = is_class[1:] if len(is_class) == 2 else is_class
    points = np.vstack([read_features(frame, features), numbers])
    columns: dict[Any, Values] = {f"x{place}": values for place, values in enumerate(points)}
    return kfold(frames.make_frame("pandas", columns), nearest([*columns]), k, seed=seed)


def deal_by_component(
    frame: Any, k: int, seed: int, *, target: TargetColumn, features: list[Any]
) -> Any:
    """Deal the rows of each stratum in the order of the first principal component."""
    scaled = load_extra("sklearn.preprocessing", "sklearn").scale(read_features(frame, features).T)
    pca = load_extra("sklearn.decomposition", "sklearn").PCA(1, svd_solver="full")
    columns: dict[Any, Values] = {
        "stratum": target.read_numbers(frame),
        "component": pca.fit_transform(scaled)[:, 0],
    }
    strata: Term = classes("stratum")
    if target.is_continuous:
        strata = quantiles("stratum", 10)
    by = [strata, continuous("component")]
    return kfold(frames.make_frame("pandas", columns), by, k, seed=seed, rare="ignore")


def read_features(frame: Any, features: list[Any]) -> Values:
    """Read the features of a frame as numbers, shape (n_features, n_rows)."""
    return frames.read_matrix(frames.read_columns(frame, features), "sf.study")[0]


def deal_folds(
    strategy: Strategy, frame: Any, target: TargetColumn, k: int, seed: int
) -> Sequence[tuple[Ints, Ints]]:
    """Deal the rows of a frame into folds, and list the training and test rows of each fold."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StratWarning)
        if isinstance(strategy, dict):
            arguments = {"rare": "ignore", "overwrite": True, **strategy}
            dealt = kfold(frame, k=k, seed=seed, **arguments)
        else:  # a function could change the frame, which is shared
            dealt = strategy(deepcopy(frame), k, seed)
    if not frames.libraries.has_column(dealt, "fold"):
        msg = f"A strategy must return a frame with the column 'fold', got {type(dealt).__name__}."
        raise StratError(msg)
    pairs = cv(dealt, "fold")
    n_rows = len(pairs[0][0]) + len(pairs[0][1])
    is_read = target.name in frames.column_names(dealt)
    msg = ""
    if n_rows != len(frame):
        msg = f"A strategy must return the {len(frame)} rows of its frame, got {n_rows}."
    elif len(pairs) != k:
        msg = f"A strategy must deal k={k} folds, got {len(pairs)}."
    elif is_read and (target.read(dealt) != target.read(frame)).any():
        msg = "A strategy must return its rows in their original order."
    if msg:
        raise StratError(msg)
    return pairs
