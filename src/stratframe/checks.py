"""Checks of single arguments: whole numbers, words, seeds."""

from collections.abc import Sequence
from importlib import import_module
from numbers import Integral
from secrets import randbits
from typing import Any

from .errors import StratError


def whole(argument: str, value: object, least: int) -> int:
    """Check a whole number."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        msg = f"`{argument}` must be a whole number, got {value!r}."
        raise StratError(msg)
    if value < least:
        msg = f"`{argument}` must be at least {least}, got {value}."
        raise StratError(msg)
    return int(value)


def check_choice(argument: str, value: object, choices: Sequence[str]) -> None:
    """Check an argument that is one of a few words."""
    if not isinstance(value, str) or value not in choices:
        *first, last = (repr(choice) for choice in choices)
        msg = f"`{argument}` must be {', '.join(first)} or {last}, got {value!r}."
        raise StratError(msg)


def check_seed(seed: object) -> int:
    """Check a seed, and draw one for None."""
    return randbits(63) if seed is None else whole("seed", seed, 0)


"""Libraries that come with an extra, imported when first needed."""


def load(module: str, extra: str) -> Any:
    """Import a module, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        msg = f'{module.partition(".")[0]} is not installed: pip install "stratframe[{extra}]"'
        raise ImportError(msg) from error
