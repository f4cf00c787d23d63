"""Stratified folds as a column of your data frame.

`import stratframe as sf` gives pandas and Polars frames the accessor `.strat`; every
method of it is a function here too, for `df.pipe(sf.kfold, "label")`.
"""

from . import schemas
from .accessors import register
from .assign import extend, kfold, split
from .audits import audit
from .core import theory
from .diagnostics import balance, plan, strata
from .drifts import drift
from .errors import StratError, StratWarning
from .features import chain, clusters, nearest
from .plotting import plot
from .reports import advise, report
from .terms import bins, classes, continuous, margins, quantiles
from .use import Fold, cv, folds, parts, sample

register()

__version__ = "0.1.0"

__all__ = [
    "Fold",
    "StratError",
    "StratWarning",
    "advise",
    "audit",
    "balance",
    "bins",
    "chain",
    "classes",
    "clusters",
    "continuous",
    "cv",
    "drift",
    "extend",
    "folds",
    "kfold",
    "margins",
    "nearest",
    "parts",
    "plan",
    "plot",
    "quantiles",
    "report",
    "sample",
    "schemas",
    "split",
    "strata",
    "theory",
]
