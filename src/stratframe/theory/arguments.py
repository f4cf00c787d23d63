"""Check the arguments of formulas, which are numbers or arrays, and convert them to arrays."""

from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from ..core.types import Flags, Ints, Values
from ..errors import StratError, describe, plural

MAX_EXACT = 2**53
"""The limit up to which floats represent every integer exactly."""


def check_class_in_folds(n: ArrayLike, count: ArrayLike, k: ArrayLike) -> list[Values]:
    """Check and broadcast the numbers of rows (n), of rows in a class (count) and of folds (k)."""
    n, count, k = broadcast(
        n=check_integers("n", n, 1),
        count=check_integers("count", count, 0),
        k=check_integers("k", k, 1),
    )
    check_at_most_n("count", count, n)
    check_at_most_n("k", k, n)
    return [n, count, k]


def check_counts(counts: ArrayLike, min_classes: int = 1, min_rows: int = 1) -> tuple[Ints, int]:
    """Check the numbers of rows in classes, and return these numbers and their sum."""
    numbers = check_integers("counts", counts, 0)
    if numbers.ndim != 1:
        msg = f"`counts` must be a sequence of whole numbers, got {describe(counts)}."
        raise StratError(msg)
    if len(numbers) < min_classes:
        rule = f"at least {plural(min_classes, 'whole number')}"
        msg = f"`counts` must hold {rule}, got {len(numbers)}."
        raise StratError(msg)
    sizes = numbers.astype(np.int64)
    # Python's integers cannot overflow.
    n = sum(sizes.tolist())
    if n < min_rows:
        msg = f"`counts` must sum to at least {min_rows}, got {n}."
        raise StratError(msg)
    return sizes, n


def check_integers(argument: str, value: ArrayLike, minimum: int) -> Values:
    """Check that all values are integers, and return them as floats."""
    noun = "a whole number"
    if argument == "counts":
        noun = "whole numbers"
    rule = f"{noun} of at least {minimum}"
    numbers = check_range(argument, value, minimum, np.inf, rule)
    check_all(argument, value, numbers == np.floor(numbers), rule)
    check_all(argument, value, numbers <= MAX_EXACT, "at most 2**53")
    return numbers


def check_range(
    argument: str, value: ArrayLike, minimum: float = 0, maximum: float = 1, rule: str = ""
) -> Values:
    """Check that all values are finite numbers within a range, and return them as floats."""
    rule = rule or f"a number from {minimum} to {maximum}"
    numbers = as_floats(value)
    if numbers is None:
        msg = f"`{argument}` must be {rule}, got {describe(value)}."
        raise StratError(msg)
    valid = np.isfinite(numbers) & (minimum <= numbers) & (numbers <= maximum)
    check_all(argument, value, valid, rule)
    return numbers


def as_floats(value: ArrayLike) -> Values | None:
    """Convert numbers to floats; return None if any value is not a number."""
    try:
        array = np.asarray(value)
        is_numeric = array.dtype.kind in "iuf" or (
            array.dtype.kind == "O"
            and all(isinstance(each, Real) and not isinstance(each, bool) for each in array.flat)
        )
        return array.astype(np.float64) if is_numeric else None
    except (ValueError, OverflowError, MemoryError):
        return None


def check_all(argument: str, value: ArrayLike, valid: Flags, rule: str) -> None:
    """Raise an error if any value is invalid; the message shows the first invalid value."""
    invalid = np.asarray(value)[~valid].tolist()
    if invalid:
        msg = f"`{argument}` must be {rule}, got {describe(invalid[0])}."
        raise StratError(msg)


def check_at_most_n(argument: str, values: Values, n: Values) -> None:
    """Raise an error if any value is greater than the number of rows."""
    over = values > n
    if over.any():
        rows = plural(int(n[over][0]), "row")
        msg = f"`{argument}` must be at most `n`, got {values[over][0]:,.0f} for {rows}."
        raise StratError(msg)


def broadcast(**arguments: Values) -> list[Values]:
    """Broadcast arrays to a common shape, or raise an error with their names and shapes."""
    try:
        return list(np.broadcast_arrays(*arguments.values()))
    except ValueError as error:
        names = ", ".join(f"`{name}`" for name in arguments)
        shapes = ", ".join(str(values.shape) for values in arguments.values())
        msg = f"The shapes of {names} must broadcast, got {shapes}."
        raise StratError(msg) from error
