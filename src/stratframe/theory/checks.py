"""The arguments of formulas, checked: numbers or arrays, their ranges and shapes."""

from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from ..core.types import Ints, Values
from ..errors import StratError, plural

MAX_EXACT = 2**53
"""Whole numbers up to which floats hold every one."""


def check_class_in_folds(n: ArrayLike, count: ArrayLike, k: ArrayLike) -> list[Values]:
    """Check the rows of a frame and of a class, and folds, and broadcast them."""
    n, count, k = broadcast(
        n=whole_numbers("n", n, 1),
        count=whole_numbers("count", count, 0),
        k=whole_numbers("k", k, 1),
    )
    check_at_most_n("count", count, n)
    check_at_most_n("k", k, n)
    return [n, count, k]


def check_counts(counts: ArrayLike, classes: int = 1, rows: int = 1) -> tuple[Ints, int]:
    """Check counts, of at least so many classes and rows, and sum them."""
    found = whole_numbers("counts", counts, 0)
    if found.ndim != 1:
        msg = f"`counts` must be a sequence of whole numbers, got {counts!r}."
        raise StratError(msg)
    if len(found) < classes:
        msg = f"`counts` must be at least {plural(classes, 'whole number')}, got {len(found)}."
        raise StratError(msg)
    sizes = found.astype(np.int64)
    n = sum(sizes.tolist())
    if n < rows:
        msg = f"`counts` must sum to at least {rows}, got {n}."
        raise StratError(msg)
    return sizes, n


def whole_numbers(argument: str, value: ArrayLike, least: int) -> Values:
    """Check whole numbers of at least so much."""
    noun = "whole numbers" if argument == "counts" else "a whole number"
    rule = f"{noun} of at least {least}"
    found = in_range(argument, value, least, np.inf, rule)
    check_all(argument, value, found == np.floor(found), rule)
    check_all(argument, value, found <= MAX_EXACT, "at most 2**53")
    return found


def in_range(
    argument: str, value: ArrayLike, least: float = 0, most: float = 1, rule: str = ""
) -> Values:
    """Check finite numbers of a range, and turn them into floats."""
    rule = rule or f"a number from {least} to {most}"
    found = as_floats(value)
    if found is None:
        msg = f"`{argument}` must be {rule}, got {value!r}."
        raise StratError(msg)
    check_all(argument, value, np.isfinite(found) & (least <= found) & (found <= most), rule)
    return found


def as_floats(value: ArrayLike) -> Values | None:
    """Turn numbers into floats; what holds anything else gives None."""
    try:
        given = np.asarray(value)
        right = given.dtype.kind in "iuf" or (
            given.dtype.kind == "O"
            and all(isinstance(each, Real) and not isinstance(each, bool) for each in given.flat)
        )
        return given.astype(np.float64) if right else None
    except (ValueError, OverflowError):
        return None


def check_all(argument: str, value: ArrayLike, right: Values, rule: str) -> None:
    """Refuse the first value that is not right."""
    wrong = np.asarray(value)[~right].tolist()
    if wrong:
        msg = f"`{argument}` must be {rule}, got {wrong[0]!r}."
        raise StratError(msg)


def check_at_most_n(argument: str, values: Values, n: Values) -> None:
    """Refuse numbers above the number of rows."""
    over = values > n
    if over.any():
        rows = plural(int(n[over][0]), "row")
        msg = f"`{argument}` must be at most `n`, got {values[over][0]:,.0f} for {rows}."
        raise StratError(msg)


def broadcast(**given: Values) -> list[Values]:
    """Broadcast arrays to one shape."""
    try:
        return list(np.broadcast_arrays(*given.values()))
    except ValueError as error:
        names = ", ".join(f"`{name}`" for name in given)
        shapes = ", ".join(str(values.shape) for values in given.values())
        msg = f"The shapes of {names} must broadcast, got {shapes}."
        raise StratError(msg) from error
