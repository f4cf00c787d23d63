"""Which strategy gives the truest cross-validated score: `sf.study`."""

from .difference import differences
from .estimate import compare, estimates
from .picture import plot
from .statistics import summary

__all__ = ["compare", "differences", "estimates", "plot", "summary"]
