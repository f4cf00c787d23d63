"""Checks of single arguments: integers, choices, seeds, optional libraries."""

from collections.abc import Hashable, Iterable, Sequence
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
"""The maximum number of values of k that a call may compare."""


def check_int(argument: str, value: object, minimum: int) -> int:
    """Raise unless a value is an integer of at least `minimum`."""
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
    """Convert a decimal, or a float of a different width, to the float with the same digits."""
    is_other = isinstance(share, Decimal | np.floating) and not isinstance(share, float)
    return float(str(share)) if is_other else share


def check_flag(argument: str, value: object) -> bool:
    """Raise unless a value is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise StratError(one_of(f"`{argument}`", (True, False), value))
    return bool(value)


def check_one_of(argument: str, value: object, choices: Sequence[str]) -> None:
    """Raise unless a value is one of a few strings."""
    if not isinstance(value, str) or value not in choices:
        raise StratError(one_of(f"`{argument}`", choices, value))


def is_hashable(value: object) -> bool:
    """Return whether a value, and all that it holds, can be hashed."""
    try:
        hash(value)
    except (TypeError, ValueError):  # a memoryview raises ValueError
        return False
    return True


def check_ks(argument: str, given: Any) -> list[int]:
    """Check one number of folds, or several."""
    shown = describe(given)  # before reading, because an iterator may show its position
    try:
        ks = [given] if isinstance(given, str) else list(islice(given, MAX_KS + 1))
    except TypeError:
        ks = [given]
    if len(ks) > MAX_KS:
        msg = f"`{argument}` must hold at most {plural(MAX_KS, 'number')}, got {shown}."
        raise StratError(msg)
    return [check_int(argument, k, 2) for k in ks]


def check_each_once(subject: str, noun: str, items: Iterable[Hashable]) -> None:
    """Raise if one of several items is given twice."""
    seen: set[Hashable] = set()
    for item in items:
        if item in seen:
            raise StratError(given_twice(subject, noun, describe(item)))
        seen.add(item)


def check_name(name: object) -> str:
    """Raise unless a value can be the name of a new column."""
    if not isinstance(name, str) or not name:
        msg = f"`name` must be a non-empty string, got {describe(name)}."
        raise StratError(msg)
    check_encodable("`name`", name)
    return name


def check_encodable(subject: str, text: str) -> None:
    """Raise for half of a surrogate pair, which can be neither stored in frames nor hashed."""
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        msg = f"{subject} must be text that UTF-8 can encode, got {describe(text)}."
        raise StratError(msg)


def check_seed(seed: object) -> int:
    """Check a seed, a whole number of any integer type; None draws a seed at random."""
    if seed is None:
        return randbits(63)
    if not isinstance(seed, bool | np.bool_) and isinstance(seed, SupportsIndex):
        with suppress(TypeError):  # which an array of several numbers raises
            seed = index(seed)
    return check_int("seed", seed, 0)


def load_extra(module: str, extra: str) -> Any:
    """Import a module, or raise with the name of the extra that installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        msg = f'{module.partition(".")[0]} is not installed: pip install "stratframe[{extra}]"'
        raise ImportError(msg) from error
