"""Checks of single arguments: integers, choices, seeds, optional libraries."""

from collections.abc import Hashable, Iterable, Sequence
from importlib import import_module
from numbers import Integral
from secrets import randbits
from typing import Any

from .errors import StratError, at_least, given_twice, one_of


def check_int(argument: str, value: object, minimum: int) -> int:
    """Raise unless a value is an integer of at least `minimum`."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        msg = f"`{argument}` must be a whole number, got {value!r}."
        raise StratError(msg)
    if value < minimum:
        raise StratError(at_least(f"`{argument}`", minimum, value))
    return int(value)


def check_one_of(argument: str, value: object, choices: Sequence[str]) -> None:
    """Raise unless a value is one of a few strings."""
    if not isinstance(value, str) or value not in choices:
        raise StratError(one_of(f"`{argument}`", choices, value))


def check_choices(**arguments: tuple[object, Sequence[str]]) -> None:
    """Raise unless each argument, given with its choices, is one of them."""
    for argument, (value, choices) in arguments.items():
        check_one_of(argument, value, choices)


def check_each_once(subject: str, noun: str, items: Iterable[Hashable]) -> None:
    """Raise if one of several items is given twice."""
    seen: set[Hashable] = set()
    for item in items:
        if item in seen:
            raise StratError(given_twice(subject, noun, repr(item)))
        seen.add(item)


def check_seed(seed: object) -> int:
    """Check a seed, and draw one for None."""
    return randbits(63) if seed is None else check_int("seed", seed, 0)


def load_extra(module: str, extra: str) -> Any:
    """Import a module, or raise with the name of the extra that installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        msg = f'{module.partition(".")[0]} is not installed: pip install "stratframe[{extra}]"'
        raise ImportError(msg) from error
