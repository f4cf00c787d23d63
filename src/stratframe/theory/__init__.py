"""Closed-form formulas for the balance of folds and its effect on cross-validation."""

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
    "ber_bias",
    "imbalance",
    "largest_deviation",
    "largest_k",
    "probability_any_missing",
    "probability_missing",
    "variance_of_mean",
    "variance_random",
    "variance_stratified",
]
