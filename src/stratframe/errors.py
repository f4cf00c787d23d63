"""The one exception, the one warning, and the sentences that several places need."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Sized
from difflib import get_close_matches
from itertools import count, islice, takewhile
from math import log10
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .core.types import Ints

MAX_LISTED = 5
"""Rows, strata or columns that a message lists before it ends in dots."""

MAX_SHOWN = 200
"""Letters of a value that a message shows."""

MAX_START = 40
"""Letters of a longer text that it shows."""

IRREGULAR = {"child": "children", "man": "men", "mouse": "mice", "person": "people"}
"""Names of groups whose plural no rule gives."""

FOLD_NAME = re.compile(r"(?<![a-z])(k?fold|split)s?(?![a-z])|^(inner|outer)$", re.IGNORECASE)
"""What columns of folds and parts are often called."""

PART_NAME = re.compile(rf"{FOLD_NAME.pattern}|(?<![a-z])(cv|parts?)(?![a-z])", re.IGNORECASE)
"""And what they may be called."""

HUGE = 10**30
"""Whole numbers from here on are not written out."""


class StratError(ValueError):
    """Raised when a call or its data break a rule of stratframe.

    Parameters
    ----------
    message : str
        The rule and the value on the first line, then a hint.
    failures : DataFrame or callable, optional
        The failing rows, in the caller's own frame library: the columns that the call
        names, preceded by `row`, the position in the frame; or a function without arguments
        that makes this frame, called when it is first asked for.

    Examples
    --------
    >>> raise StratError("`k` must be at least 2, got 1.")
    Traceback (most recent call last):
        ...
    stratframe.errors.StratError: `k` must be at least 2, got 1.
    """

    def __init__(self, message: str, failures: Any = None) -> None:
        super().__init__(message)
        self._failures = failures

    @property
    def failures(self) -> Any:
        """The failing rows, or None."""
        if callable(self._failures):
            self._failures = self._failures()
        return self._failures

    @failures.setter
    def failures(self, failures: Any) -> None:
        self._failures = failures

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy the rows themselves, as a function may not be pickled."""
        state = {name: value for name, value in vars(self).items() if name != "_failures"}
        return type(self), self.args, state | {"failures": self.failures}


class StratWarning(UserWarning):
    """Issued when a result is valid, but may not be what was intended."""


CALLERS = ("stratframe", "polars", "pandas", "dask", "distributed", "pyspark")
"""Packages that call ours on behalf of a user, as `pipe` and `collect` do."""


def warn(message: str) -> None:
    """Warn the user's own line, whatever the depth of the call."""
    depth, frame = 1, inspect.currentframe()
    while frame is not None and is_called_by(frame.f_globals):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, StratWarning, stacklevel=depth)


def is_called_by(names: Mapping[str, object]) -> bool:
    """Return whether a frame of the stack, by its global names, is of one of these packages."""
    return str(names.get("__name__")).partition(".")[0] in CALLERS


def at_least(subject: str, minimum: object, got: object) -> str:
    """State the lowest value: "`k` must be at least 2, got 1."."""
    return f"{subject} must be at least {minimum}, got {describe(got)}."


def at_most(subject: str, limit: str, got: object, count: int, noun: str) -> str:
    """State the highest value: "`k` must be at most the number of rows, got 3 for 2 rows."."""
    return f"{subject} must be at most {limit}, got {describe(got)} for {plural(count, noun)}."


def above_limit(subject: str, limit: int, noun: str, got: int, why: str = "") -> str:
    """State a limit on what a call may make: "`repeats` must be at most 9 columns, got 10."."""
    return f"{subject} must be at most {plural(limit, noun)}, got {describe_count(got)}{why}."


def at_least_one(subject: str, noun: str, got: object) -> str:
    """State that a list must not be empty: "`by` must hold at least one entry, got []."."""
    return f"{subject} must hold at least one {noun}, got {describe(got)}."


def given_twice(subject: str, noun: str, got: str) -> str:
    """State that a list must not repeat itself: "`by` must hold each entry once, ..."."""
    return f"{subject} must hold each {noun} once, got {got} twice."


def one_of(subject: str, choices: Sequence[object], got: object) -> str:
    """State the choices: "`deal` must be 'random', 'circular' or 'hash', got 'fair'."."""
    *first, last = map(repr, choices)
    listed = f"{', '.join(first)} or {last}" if first else last
    return f"{subject} must be {listed}, got {describe(got)}."


def no_such_column(argument: str, name: object, known: Sequence[object]) -> str:
    """State that a frame lacks a column, with the hint that its name deserves."""
    msg = f"`{argument}` names the column {describe(name)}, which the frame does not have."
    if argument == "name" and name in ("fold", "split"):  # as it is if the call names none
        msg = f"There is no column {name!r}."
    several = list_in_text(name, known)
    if isinstance(name, tuple) or several:
        return f"{msg}\n{several_columns(several)}"
    if argument == "name":
        return f"{msg}\n{suggest_fold_column(name, known)}"
    return f"{msg}\n{suggest_name(name, known)}"


def several_columns(names: Sequence[str]) -> str:
    """Hint at the list of columns, and write it if they are known."""
    listed = f": `[{', '.join(names)}]`" if names else ""
    return f"Hint: several columns go in a list{listed}."


def list_in_text(name: object, known: Sequence[object]) -> list[str]:
    """Write the columns that text with commas, or a tuple, names; none unless it names several."""
    if isinstance(name, str):
        name = tuple(name.split(",")) if len(name) <= MAX_SHOWN else ()
    if not isinstance(name, tuple) or not 1 < len(name) <= MAX_LISTED:
        return []
    parts = [each.strip() if isinstance(each, str) else each for each in name]
    if not all(isinstance(each, Hashable) for each in parts):
        return []
    if not {*known}.issuperset(parts):
        return []
    return [f'"{part}"' if isinstance(part, str) else describe(part) for part in parts]


def suggest_name(name: object, known: Sequence[object]) -> str:
    """Hint at the nearest of the known names, or list them."""
    near = nearest_name(name, known)
    if near is not None:
        return f"Hint: did you mean {near}?"
    return with_full_stop(f"Hint: the columns are {preview(map(describe, known), len(known))}")


def nearest_name(name: object, known: Sequence[object]) -> str | None:
    """Write the nearest of the known names as in code; None if none is near."""
    if isinstance(name, str) and len(name) > MAX_SHOWN:
        return None
    texts = {str(each): each for each in known}
    close = get_close_matches(str(name), texts, n=1)
    return repr(texts[close[0]]) if close else None


def list_repeats(name: object, known: Collection[object]) -> list[str]:
    """List the columns that `repeats` made of a name: name_1, name_2, ..."""
    return list(takewhile(known.__contains__, (f"{name}_{i}" for i in count(1))))


def suggest_fold_column(name: object, known: Sequence[object]) -> str:
    """Hint at the columns of `repeats`, at another column, or at the verb that adds this one."""
    repeats = list_repeats(name, known)
    if repeats:
        listed = ", ".join(f'"{each}"' for each in repeats[:MAX_LISTED])
        dots = ", ..." if len(repeats) > MAX_LISTED else ""
        return f"Hint: `repeats` added several columns: `name=[{listed}{dots}]`."
    call = f"`df.strat.{'split' if name == 'split' else 'kfold'}(..., name={describe(name)})`"
    if name == "split" and "fold" in known:
        return f"Hint: {call} adds it; `df.strat.folds()` reads 'fold'."
    if name in ("fold", "split"):
        alike = [describe(each) for each in known if PART_NAME.search(str(each))]
        if alike:
            looks = "looks like one" if len(alike) == 1 else "look like some"
            listed = preview(alike, len(alike))
            return f"Hint: `name=` says which column holds the folds: {listed} {looks}."
        return f"Hint: add it first, as in {call}."
    near = nearest_name(name, known)
    asked = "" if near is None else f"did you mean {near}? If not, "
    return f"Hint: {asked}add it first, as in {call} or `split`."


def describe(value: object, listed: int = MAX_LISTED) -> str:
    """Show a value in a message as in code; of data only the type, of what is long the size.

    Parameters
    ----------
    listed : int
        How many entries a list or dict may have to be shown.
    """
    kind = type(value).__name__
    if is_data(value):
        return kind
    if isinstance(value, str):
        return describe_text(value)
    if isinstance(value, int) and abs(value) >= HUGE:
        return describe_count(value)
    size = size_of(value)
    counted = kind if size is None else f"{kind} of {plural(size, 'value')}"
    if (size or 0) > listed or any(map(is_long, entries_of(value))):
        return counted
    try:
        text = repr(value)
    except Exception:  # a class of the caller may raise anything
        return kind
    if "\n" in text:
        return kind
    text = re.sub(r"( at)? 0x[0-9a-fA-F]+", "", text)  # an address tells nobody anything
    return counted if size is not None and len(text) > MAX_SHOWN else shorten(text)


def is_data(value: object) -> bool:
    """Return whether a value is an array, a series or a frame, of whatever library."""
    kind = type(value)
    is_array = hasattr(kind, "__array__") and hasattr(kind, "__len__")
    return (is_array and not isinstance(value, str)) or hasattr(kind, "columns")


def is_long(value: object) -> bool:
    """Return whether a value is too long, or is data, to be shown as one of several."""
    return is_data(value) or (size_of(value) or 0) > MAX_SHOWN


def size_of(value: object) -> int | None:
    """Count the entries of a value; None if it has none, or more than can be counted."""
    try:
        return len(value) if isinstance(value, Sized) else None
    except Exception:  # a range may be too long, and a class of the caller raise anything
        return None


def entries_of(value: object) -> Iterable[object]:
    """List what Python's own containers hold."""
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list | tuple | set | frozenset) else ()


def describe_text(text: str) -> str:
    """Show text as in code, and of long text the start."""
    if len(text) <= MAX_SHOWN:
        return repr(text)
    return f"{text[:MAX_START]!r}... ({len(text):,} letters)"


def describe_count(number: int) -> str:
    """Write a whole number with commas; of a huge one, how large it is."""
    if abs(number) < HUGE:
        return f"{number:,}"
    return f"about {'-' if number < 0 else ''}10**{round(log10(abs(number)))}"


def shorten(text: str) -> str:
    """Cut text that is too long for a message."""
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def rows_at_fault(subject: str, fault: str, rows: Ints, weights: Ints | None = None) -> str:
    """State what is wrong in which rows: "Column 'id' has missing values in 1 row (3)."."""
    return f"{subject} {fault} in {describe_rows(rows, weights)}."


def describe_rows(rows: Ints, weights: Ints | None = None) -> str:
    """Count the rows at fault and list the first of them: "2 rows (2, 5)".

    Rows that stand for several, as `weights` says, are counted alone.
    """
    if weights is not None:
        return plural(int(weights[rows].sum()), "row")
    return f"{plural(len(rows), 'row')} ({preview(rows[: MAX_LISTED + 1], len(rows))})"


def preview(items: Iterable[object], total: int, most: int = MAX_LISTED) -> str:
    """List a few items, with dots if there are more."""
    listed = [shorten(str(item)) for item in islice(items, most)]
    return ", ".join(listed) + (", ..." if total > len(listed) else "")


def with_full_stop(text: str) -> str:
    """End a sentence with a full stop, unless it ends in dots."""
    return text if text.endswith("...") else f"{text}."


def plural(count: int, noun: str, many: str = "") -> str:
    """Count things in words: "1 row", "2 rows"."""
    return f"1 {noun}" if count == 1 else f"{describe_count(count)} {many or f'{noun}s'}"


def plural_name(name: object, otherwise: str = "groups") -> str:
    """Name the things that a column tells apart: "users" of "user" or "user_id", else "groups"."""
    is_word = isinstance(name, str) and re.fullmatch(r"[A-Za-z][a-z]{2,}(_id)?", name)
    if not is_word:
        return otherwise
    noun = str(name).lower().removesuffix("_id")
    if noun in IRREGULAR:
        return IRREGULAR[noun]
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    if re.search(r"(ss|us|x|ch|sh)$", noun):
        return f"{noun}es"
    return noun if noun.endswith("s") else f"{noun}s"
