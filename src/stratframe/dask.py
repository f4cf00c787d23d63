"""Stratified folds for Dask frames. Importing this module registers their accessor `.strat`.

The functions are the same as in `stratframe`; they accept the frames of all libraries.
"""

from .accessor import Strat
from .checks import load_extra
from .judging.advise import advise
from .judging.check import check
from .judging.leaks import leaks
from .judging.report import compare, report
from .verbs.deals import extend, kfold, split
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
    "leaks",
    "parts",
    "plan",
    "report",
    "sample",
    "split",
]

load_extra("dask.dataframe.extensions", "dask").register_dataframe_accessor("strat")(Strat)
