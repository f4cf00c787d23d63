"""Stratified folds as a column of Spark frames: functions for `DataFrame.transform`.

Importing this registers `.strat` on frames of the pandas API on Spark, where the installed
pandas has them.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from .accessor import documented
from .checks import load_extra
from .engines.spark import kfold, split
from .engines.spark_extend import extend
from .engines.spark_tables import audit, balance, folds, parts, plan, report, strata
from .errors import StratError
from .verbs.select import Fold

__all__ = [
    "audit",
    "balance",
    "extend",
    "folds",
    "kfold",
    "parts",
    "plan",
    "report",
    "split",
    "strata",
]

Back = Callable[[Any], Any]


def to_spark(frame: Any) -> tuple[Any, Back]:
    """Take the Spark frame below a pandas-on-Spark frame, and the way back to its index."""
    names = list(frame.columns)
    odd = [name for name in names if not isinstance(name, str)]
    if odd:
        msg = (
            f"Columns of a pandas-on-Spark frame must have text as names, got {odd[0]!r}. Rename "
            "them: `df.columns = df.columns.map(str)`."
        )
        raise StratError(msg)
    index = [f"__index_{level}__" for level in range(frame.index.nlevels)]
    levels = list(frame.index.names)

    def back(rows: Any) -> Any:
        """Make a pandas-on-Spark frame, with the index that was."""
        made = rows.pandas_api(index_col=index)
        made.index.names = levels
        return made

    return frame.spark.frame(index_col=index), back


def as_it_is(result: Any, _: Back) -> Any:
    """Return a result that is a pandas frame already."""
    return result


def whole_frame(result: Any, back: Back) -> Any:
    """Turn a Spark frame back."""
    return back(result)


def each_fold(result: Any, back: Back) -> Any:
    """Turn the frames of folds back as they are asked for."""
    return (Fold(fold, back(train), back(valid)) for fold, train, valid in result)


def each_part(result: Any, back: Back) -> dict[Any, Any]:
    """Turn the frames of parts back."""
    return {name: back(part) for name, part in result.items()}


def method(verb: Callable[..., Any], turn: Callable[[Any, Back], Any]) -> Callable[..., Any]:
    """Make a method of a verb on Spark frames: same arguments, same documentation."""

    @wraps(verb)
    def call(self: PandasOnSparkStrat, *args: Any, **kwargs: Any) -> Any:
        rows, back = to_spark(self._frame)
        return turn(verb(rows, *args, **kwargs), back)

    signature = inspect.signature(verb)
    first, *others = signature.parameters.values()
    call.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[first.replace(name="self", annotation=inspect.Parameter.empty), *others]
    )
    return documented(verb)(call)


class PandasOnSparkStrat:
    """Stratified folds on this frame; every method is a function of `stratframe.spark`."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __repr__(self) -> str:
        """Say what this is, and where its help is."""
        return "<stratified folds on a pandas-on-Spark frame; see help(df.strat)>"

    kfold = method(kfold, whole_frame)
    split = method(split, whole_frame)
    extend = method(extend, whole_frame)
    folds = method(folds, each_fold)
    parts = method(parts, each_part)
    strata = method(strata, as_it_is)
    plan = method(plan, as_it_is)
    balance = method(balance, as_it_is)
    report = method(report, as_it_is)
    audit = method(audit, as_it_is)


def register() -> None:
    """Register `.strat` on pandas-on-Spark frames, where the installed pandas has them."""
    with warnings.catch_warnings():
        # It warns of an environment variable that it then sets.
        warnings.simplefilter("ignore")
        try:
            extensions = import_module("pyspark.pandas.extensions")
        except ImportError:
            return
    extensions.register_dataframe_accessor("strat")(PandasOnSparkStrat)


load_extra("pyspark", "spark")
register()
