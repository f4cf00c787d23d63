"""Stratified folds as a column of Spark frames: functions for `DataFrame.transform`."""

from .engines.spark import kfold, split

__all__ = ["kfold", "split"]
