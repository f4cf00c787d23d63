"""Closed-form formulas for the balance of folds and its effect on cross-validation."""

from .corrected import CorrectedT, corrected_t
from .formulas import (
    ber_bias,
    imbalance,
    largest_deviation,
    largest_k,
    probability_any_missing,
    probability_missing,
    variance_of_mean,
    variance_random,
    variance_stratified,
)

__all__ = [
    "CorrectedT",
    "ber_bias",
    "corrected_t",
    "imbalance",
    "largest_deviation",
    "largest_k",
    "probability_any_missing",
    "probability_missing",
    "variance_of_mean",
    "variance_random",
    "variance_stratified",
]
