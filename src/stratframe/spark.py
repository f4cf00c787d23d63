"""Stratified folds as a column of Spark frames: functions for `DataFrame.transform`."""

from .engines.spark import kfold, split
from .engines.spark_tables import audit, balance, folds, parts, plan, report, strata

__all__ = ["audit", "balance", "folds", "kfold", "parts", "plan", "report", "split", "strata"]
