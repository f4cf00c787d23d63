"""Measure which folds give cross-validated scores closest to the true scores: `sf.study`."""

from .difference import differences
from .estimate import compare, estimates
from .picture import plot
from .ranks import friedman, wins
from .statistics import summary

__all__ = ["compare", "differences", "estimates", "friedman", "plot", "summary", "wins"]
