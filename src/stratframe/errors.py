"""The exception and the warning of the package, and functions that write parts of messages."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Collection, Iterable, Sequence, Sized
from difflib import get_close_matches
from functools import cached_property
from itertools import count, islice, takewhile
from math import log10
from reprlib import Repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .core.types import Ints

MAX_LISTED = 5
"""The maximum number of rows, strata or columns that a message lists."""

MAX_SHOWN = 200
"""The maximum number of characters that a message shows of one value."""

FOLD_NAME = re.compile(r"(?<![a-z])(k?fold|split)s?(?![a-z])|^(inner|outer)$", re.IGNORECASE)
"""A pattern for the names that fold columns usually have."""

PART_NAME = re.compile(rf"{FOLD_NAME.pattern}|(?<![a-z])(cv|parts?)(?![a-z])", re.IGNORECASE)
"""A pattern for the names that `FOLD_NAME` matches and for less usual names of fold columns."""

HUGE = 10**30
"""Messages write whole numbers of at least this size as powers of ten."""


class StratError(ValueError):
    """Raised when a call or its data break a rule of stratframe.

    Parameters
    ----------
    message : str
        The rule and the value on the first line, then a hint.
    failures : DataFrame or callable, optional
        The failing rows, as a frame of the caller's library. The first column, `row`, holds the
        position of each row, and the other columns are those that the call names. Alternatively,
        a function that returns this frame and is called when `failures` is first read.

    Examples
    --------
    >>> raise StratError("`k` must be at least 2, got 1.")
    Traceback (most recent call last):
        ...
    stratframe.errors.StratError: `k` must be at least 2, got 1.
    """

    def __init__(self, message: str, failures: Any = None) -> None:
        super().__init__(message)
        self._given = failures

    @cached_property
    def failures(self) -> Any:
        """The failing rows, or None."""
        return self._given() if callable(self._given) else self._given

    def __reduce__(self) -> Any:
        """Make the frame of failures before pickling, because a function might not be picklable."""
        self._given = self.failures
        return super().__reduce__()


class StratWarning(UserWarning):
    """Issued when a result is valid, but might not be what was intended."""


CALLERS = ("stratframe", "polars", "pandas", "dask", "distributed", "pyspark")
"""The packages that are skipped in the search for the user's own line of code."""


def warn(message: str) -> None:
    """Issue a warning that shows the user's own line of code."""
    depth = 1
    frame = inspect.currentframe()
    while frame and str(frame.f_globals.get("__name__")).partition(".")[0] in CALLERS:
        depth += 1
        frame = frame.f_back
    warnings.warn(message, StratWarning, stacklevel=depth)


def at_most(subject: str, limit: str, got: object, count: int, noun: str) -> str:
    """State an upper limit, as in "`k` must be at most the number of rows, got 3 for 2 rows"."""
    return f"{subject} must be at most {limit}, got {describe(got)} for {plural(count, noun)}."


def above_limit(subject: str, limit: int, noun: str, got: int, why: str = "") -> str:
    """State the limit on the size of a result, as in "`repeats` must not exceed 9 columns"."""
    return f"{subject} must not exceed {plural(limit, noun)}, got {describe_count(got)}{why}."


def at_least_one(subject: str, noun: str, got: object) -> str:
    """State that a list must not be empty, as in "`by` must hold at least one entry, got []"."""
    return f"{subject} must hold at least one {noun}, got {describe(got)}."


def given_twice(subject: str, noun: str, got: str) -> str:
    """State that a list must not repeat a value, as in "`by` must hold each entry once"."""
    return f"{subject} must hold each {noun} once, got {got} twice."


def one_of(subject: str, choices: Iterable[object], got: object) -> str:
    """State the allowed values, as in "`missing` must be 'error' or 'stratum', got 'drop'"."""
    return f"{subject} must be {either(map(repr, choices))}, got {describe(got)}."


def no_such_column(
    argument: str,
    name: object,
    known: Sequence[object],
    index: Collection[object] = (),
    owner: str = "the frame does",
) -> str:
    """State that a frame does not have a column, and suggest what to do instead."""
    msg = f"`{argument}` names the column {describe(name)}, which {owner} not have."
    if argument == "name" and name in ("fold", "split"):  # the default values of `name`
        msg = f"There is no column {name!r}."
    near = nearest_name(name, known)
    names: Sequence[Any] = name if isinstance(name, tuple) else []
    if isinstance(name, str):
        names = [each.strip() for each in name.split(",")]
    if name in index:
        hint = "it is in the index: `df = df.reset_index()` makes it a column."
    elif 1 < len(names) <= MAX_LISTED and {*known}.issuperset(names):
        hint = f"several columns go in a list: `{write_list(names)}`."
    elif isinstance(name, tuple):
        hint = "several columns go in a list."
    elif argument == "name":
        hint = suggest_fold_column(name, known, near)
    elif near is not None:
        hint = f"did you mean {near}?"
    else:
        hint = with_full_stop(f"the columns are {list_values(known)}")
    return f"{msg}\nHint: {hint}"


def nearest_name(name: object, known: Sequence[object]) -> str | None:
    """Return the closest known name, written as code, or None if no name is close."""
    if isinstance(name, str) and len(name) > MAX_SHOWN:
        return None
    texts = {str(each): each for each in known}
    close = get_close_matches(str(name), texts, n=1)
    return repr(texts[close[0]]) if close else None


def suggest_fold_column(name: object, known: Sequence[object], near: str | None) -> str:
    """Suggest another fold column, or the call that adds the missing column."""
    call = f"`df.strat.{'split' if name == 'split' else 'kfold'}(..., name={describe(name)})`"
    if name == "split" and "fold" in known:
        return f"{call} adds it; `df.strat.folds()` reads 'fold'."
    alike = [each for each in known if PART_NAME.search(str(each))]
    if name not in ("fold", "split"):
        question = "" if near is None else f"did you mean {near}? If not, "
        return f"{question}add the column first, as in {call} or `split`."
    if not alike:
        return f"add it first, as in {call}."
    predicate = "looks like a fold column"
    if len(alike) > 1:
        predicate = "look like fold columns"
    return f"pass the fold column as `name=`: {list_values(alike)} {predicate}."


def list_repeats(name: object, known: Collection[object]) -> list[str]:
    """List the columns name_1, name_2, ... that a call with `repeats` has added."""
    return list(takewhile(known.__contains__, (f"{name}_{i}" for i in count(1))))


class BoundedRepr(Repr):
    """A `repr` that shows arrays and frames by their type, and long values by type and size."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.maxother = MAX_SHOWN
        self.most = self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = most

    def repr1(self, x: Any, level: int) -> str:
        """Write a value, which can be an element of another value."""
        kind = type(x).__name__
        if is_data(x):
            return kind
        if isinstance(x, str):
            return describe_text(x)
        if isinstance(x, int) and abs(x) >= HUGE:
            return describe_count(x)
        try:
            size = len(x) if isinstance(x, Sized) else None
        except Exception:  # a range can be too long, and a user's class can raise any error
            size = None
        if size is None:
            return super().repr1(x, level)
        text = super().repr1(x, level) if size <= self.most else ""
        if 0 < len(text) <= MAX_SHOWN:
            return text
        return f"{kind} of {plural(size, 'value')}"

    def repr_dict(self, x: dict[Any, Any], level: int) -> str:
        """Write a dict without sorting its keys, because their order can be the order of parts."""
        if level <= 0:
            return "{...}"
        pairs = (f"{self.repr1(key, level - 1)}: {self.repr1(x[key], level - 1)}" for key in x)
        return f"{{{', '.join(pairs)}}}"

    def repr_datetime(self, x: Any, level: int) -> str:  # noqa: ARG002
        """Write a time with a time zone as its clock shows it, with the offset from UTC."""
        return repr(x) if x.tzinfo is None else str(x)

    def repr_Timestamp(self, x: Any, level: int) -> str:  # noqa: N802
        """Write a pandas timestamp with a time zone as other times."""
        return self.repr_datetime(x, level)

    def repr_instance(self, x: Any, level: int) -> str:
        """Write any other object without its memory address."""
        return re.sub(r"( at)? 0x[0-9a-fA-F]+", "", super().repr_instance(x, level))


def describe(value: object, most: int = MAX_LISTED) -> str:
    """Write a value for a message; a collection of more than `most` elements as type and size."""
    text = BoundedRepr(most).repr(value)
    return type(value).__name__ if "\n" in text else text


def describe_text(text: str) -> str:
    if len(text) > MAX_SHOWN:
        return f"{text[:40]!r}... ({len(text):,} characters)"
    return repr(str(text))


def is_data(value: object) -> bool:
    """Return whether a value is an array, a series or a frame of any library."""
    kind = type(value)
    is_array = hasattr(kind, "__array__") and hasattr(kind, "__len__")
    return (is_array and not isinstance(value, str)) or hasattr(kind, "columns")


def describe_count(number: int) -> str:
    """Write a whole number with commas, or as a power of ten if it is huge."""
    if abs(number) < HUGE:
        return f"{number:,}"
    return f"about {'-' if number < 0 else ''}10**{round(log10(abs(number)))}"


def write_number(number: float) -> str:
    """Write an integer of 64 bits with all its digits, and any other number with 15 digits."""
    is_short = isinstance(number, int) and abs(number) < 2**64
    return str(number) if is_short else f"{number:.15g}"


def describe_rows(rows: Ints, weights: Ints | None = None) -> str:
    """Write how many rows are at fault, and list the first few, as in "2 rows (2, 5)".

    If rows have `weights`, the sum of the weights is written, and no rows are listed.
    """
    if weights is not None:
        return plural(int(weights[rows].sum()), "row")
    return f"{plural(len(rows), 'row')} ({preview(rows[: MAX_LISTED + 1], len(rows))})"


def shorten(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def preview(items: Iterable[object], total: int, most: int = MAX_LISTED) -> str:
    """List the first items, followed by dots if there are more items."""
    texts = [shorten(str(item)) for item in islice(items, most)]
    return ", ".join(texts) + (", ..." if total > len(texts) else "")


def list_values(values: Sequence[object]) -> str:
    """List the first values, written as code."""
    return preview(map(describe, values), len(values))


def write_list(names: Sequence[object]) -> str:
    texts = [f'"{name}"' if isinstance(name, str) else describe(name) for name in names]
    return f"[{preview(texts, len(texts))}]"


def name_frames(n: int) -> str:
    """Write a mapping of names to n frames, as in `{"train": train, "test": test}`."""
    names = {2: ["train", "test"], 3: ["train", "valid", "test"]}.get(n, ["a", "b", "..."])
    items = [name if name == "..." else f'"{name}": {name}' for name in names]
    return f"{{{', '.join(items)}}}"


def either(texts: Iterable[str]) -> str:
    """List alternatives, as in "a, b or c"."""
    *first, last = texts
    return f"{', '.join(first)} or {last}" if first else last


def with_full_stop(text: str) -> str:
    """End a sentence with a full stop, unless it ends in dots."""
    return text if text.endswith("...") else f"{text}."


def plural(count: int, noun: str, many: str = "") -> str:
    """Write a number with its noun, as in "1 row" or "2 rows"."""
    if count == 1:
        return f"1 {noun}"
    return f"{describe_count(count)} {many or f'{noun}s'}"


IRREGULAR = {
    "child": "children",
    "datum": "data",
    "man": "men",
    "mouse": "mice",
    "person": "people",
}
"""Nouns that can name groups, with their irregular plurals."""

NO_NOUN = re.compile("all|any|both|each|her|his|its|our|that|their|this|wh(at|en|ere|ich|om?|ose)")
"""A pattern for words that have no plural, because they are not nouns."""


def plural_name(name: object, otherwise: str = "groups") -> str:
    """Return the plural of a column name, as in "users" for "user_id", or else `otherwise`."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][a-z]{2,}(_id)?", name):
        return otherwise
    noun = name.lower().removesuffix("_id")
    if NO_NOUN.fullmatch(noun):
        return otherwise
    if noun in IRREGULAR.values():
        return noun
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    if noun.endswith(("ss", "us", "x", "ch", "sh")):
        return f"{noun}es"
    return IRREGULAR.get(noun) or f"{noun.removesuffix('s')}s"
