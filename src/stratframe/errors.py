"""The one exception, the one warning, and how their messages are put together."""

import os
import sys
import warnings
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

SHOWN = 5
"""Rows or strata that a message names before it only counts them."""


class StratError(ValueError):
    """The call or the data break a rule of stratframe.

    Parameters
    ----------
    message : str
        The rule and the value on the first line, then a hint.
    failures : DataFrame, optional
        The rows at fault, in the caller's own frame library: the columns that the
        call names, and first of all `row`, the position in the frame.

    Examples
    --------
    >>> raise StratError("`k` must be at least 2, got 1.")
    Traceback (most recent call last):
        ...
    stratframe.errors.StratError: `k` must be at least 2, got 1.
    """

    def __init__(self, message: str, failures: Any = None) -> None:
        super().__init__(message)
        self.failures = failures


class StratWarning(UserWarning):
    """The result is right, but may not be what was meant."""


def warn(message: str) -> None:
    """Warn the caller of the package, whatever the depth of the call."""
    home = os.path.join(os.path.dirname(__file__), "")
    depth, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(home):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, StratWarning, stacklevel=depth)


def some(items: Iterable[object], total: int) -> str:
    """List a few items, and say that there are more."""
    shown = [str(item) for item in items][:SHOWN]
    return ", ".join(shown) + (", ..." if total > len(shown) else "")


def nearest(name: object, names: Iterable[object]) -> str:
    """Make the hint for a name that is not there."""
    known = list(names)
    texts = {str(each): each for each in known}
    close = get_close_matches(str(name), texts, n=1)
    if close:
        return f"Hint: did you mean {texts[close[0]]!r}?"
    return ended(f"Hint: the columns are {some(map(repr, known), len(known))}")


def ended(text: str) -> str:
    """End a sentence with a full stop, unless it ends in dots."""
    return text if text.endswith("...") else f"{text}."


def plural(count: int, noun: str) -> str:
    """Count things in words."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
