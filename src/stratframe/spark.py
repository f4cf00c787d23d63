"""Stratified folds on Spark frames: functions for `DataFrame.transform`.

The functions are those of `stratframe`, which take frames of every library. Importing this
registers `.strat` on frames of the pandas API on Spark, where the installed pandas has them.
"""

import warnings
from importlib import import_module

from .accessor import Strat
from .checks import load_extra
from .verbs.advise import advise
from .verbs.assign import extend, kfold, split
from .verbs.check import check
from .verbs.report import compare, report
from .verbs.sample import sample
from .verbs.select import folds, parts
from .verbs.tables import balance, plan

__all__ = [
    "advise",
    "balance",
    "check",
    "compare",
    "extend",
    "folds",
    "kfold",
    "parts",
    "plan",
    "report",
    "sample",
    "split",
]


def register() -> None:
    """Register `.strat` on pandas-on-Spark frames, where the installed pandas has them."""
    with warnings.catch_warnings():
        # It warns of an environment variable that it then sets.
        warnings.simplefilter("ignore")
        try:
            extensions = import_module("pyspark.pandas.extensions")
        except ImportError:
            return
    extensions.register_dataframe_accessor("strat")(Strat)


load_extra("pyspark", "spark")
register()
