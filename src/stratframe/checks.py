"""Checks of single arguments, such as integers, choices and seeds, and of optional libraries."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from importlib import import_module
from itertools import islice
from numbers import Integral
from operator import index
from secrets import randbits
from typing import Any, SupportsIndex

import numpy as np

from .errors import HUGE, StratError, describe, given_twice, one_of, plural

MAX_KS = 10_000
"""The maximum number of values of k that one call can compare."""


def check_int(argument: str, value: object, minimum: int) -> int:
    """Check that a value is an integer of at least `minimum`, and return the integer."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        msg = f"`{argument}` must be a whole number, got {describe(value)}."
        if isinstance(value, float) and value.is_integer() and minimum <= value < HUGE:
            msg += f"\nHint: `{argument}={value:.0f}`."
        raise StratError(msg)
    if value < minimum:
        msg = f"`{argument}` must be at least {minimum}, got {describe(value)}."
        raise StratError(msg)
    return int(value)


def plain_share(share: Any) -> Any:
    """Convert a `Decimal` or a NumPy float (not float64) to the float with the same digits."""
    is_other = isinstance(share, Decimal | np.floating) and not isinstance(share, float)
    return float(str(share)) if is_other else share


def check_flag(argument: str, value: object) -> bool:
    """Check that a value is True or False, and return it as a bool."""
    if not isinstance(value, bool | np.bool_):
        raise StratError(one_of(f"`{argument}`", (True, False), value))
    return bool(value)


def check_one_of(argument: str, value: object, choices: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise StratError(one_of(f"`{argument}`", choices, value))


def is_hashable(value: object) -> bool:
    """Return whether a value and all its elements can be hashed."""
    try:
        hash(value)
    except (TypeError, ValueError):  # a memoryview raises ValueError
        return False
    return True


def check_ks(argument: str, value: Any) -> list[int]:
    """Check one or several numbers of folds, and return them as a list."""
    text = describe(value)  # before the values are read, which can change the text of an iterator
    ks = [value]
    if not isinstance(value, str):
        with suppress(TypeError):  # raised if the value is a single number
            ks = list(islice(value, MAX_KS + 1))
    if len(ks) > MAX_KS:
        msg = f"`{argument}` must hold at most {plural(MAX_KS, 'number')}, got {text}."
        raise StratError(msg)
    return [check_int(argument, k, 2) for k in ks]


def check_each_once(
    subject: str,
    noun: str,
    items: Iterable[Hashable],
    key: Callable[[Hashable], Hashable] = lambda item: item,
) -> None:
    """Raise if an item is listed twice; items are the same if their keys are equal."""
    seen: set[Hashable] = set()
    for item in items:
        if key(item) in seen:
            raise StratError(given_twice(subject, noun, describe(item)))
        seen.add(key(item))


def check_name(name: object) -> str:
    """Check that a value can be the name of a new column, and return the name."""
    if not isinstance(name, str) or not name:
        msg = f"`name` must be a non-empty string, got {describe(name)}."
        raise StratError(msg)
    check_encodable("`name`", name)
    return name


def check_encodable(subject: str, text: str) -> None:
    """Raise an error if a text has an unpaired surrogate, which frames cannot store."""
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        msg = f"{subject} must be text that UTF-8 can encode, got {describe(text)}."
        raise StratError(msg)


def check_seed(seed: object) -> int:
    """Check a seed of any integer type, or draw a random seed if None is given."""
    if seed is None:
        return randbits(63)
    if not isinstance(seed, bool | np.bool_) and isinstance(seed, SupportsIndex):
        with suppress(TypeError):  # raised by an array of several numbers
            seed = index(seed)
    return check_int("seed", seed, 0)


def load_extra(module: str, extra: str) -> Any:
    """Import a module, or raise an error that names the extra to install."""
    try:
        return import_module(module)
    except ImportError as error:
        msg = f'{module.partition(".")[0]} is not installed: pip install "stratframe[{extra}]"'
        raise ImportError(msg) from error
