"""How a finding is written: a line that fits, its names cut rather than its end left out."""

from collections.abc import Sequence
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias

from ..errors import plural

Severity: TypeAlias = Literal["leak", "warning", "note", "ok"]

WORST_FIRST: tuple[Severity, ...] = ("leak", "warning", "note", "ok")

ROOM = 69
"""Letters of a line, which `check` puts after its severity."""

LETTERS = (14, 8)
"""Letters that a name keeps when the end of the line is to stay, and when there is no other way."""


class Finding(NamedTuple):
    """One thing that is to be said of a column."""

    severity: Severity
    check: str
    n: int
    detail: str
    """All of it."""
    line: str
    """As much of it as a line holds."""


def write_finding(
    severity: Severity, check: str, n: int, head: str, *tails: str, **names: str
) -> Finding:
    """Write a finding, its names in braces; the tails are ways to end it, the longest first."""
    names = {each: printable(name) for each, name in names.items()}
    detail = "".join([head, *tails[:1]]).format(**names)
    return Finding(severity, check, n, detail, fit_line(head, *tails, **names))


def fit_line(head: str, *tails: str, **names: str) -> str:
    """Write a line with names for its braces, cut until it fits, and the first tail that does."""
    text = head
    for tail, least in product((*tails, ""), LETTERS):
        shown = dict(names)
        while len(text := f"{head}{tail}".format(**shown)) > ROOM and shown:
            longest = max(shown, key=lambda each: len(shown[each]))
            letters = max(len(shown[longest]) - (len(text) - ROOM), least)
            if letters >= len(shown[longest]):
                break
            shown[longest] = cut_name(shown[longest], letters)
        if len(text) <= ROOM:
            break
    return text


def number_names(values: Sequence[Any]) -> dict[str, str]:
    """Give values numbered names, by which a line refers to them."""
    return {f"name_{place}": str(value) for place, value in enumerate(values)}


def printable(value: object) -> str:
    """Write a value as text; line breaks, control characters and blanks at an end as in code."""
    text = str(value)
    return text if text.isprintable() and text.strip() == text != "" else repr(text)


def cut_name(text: str, letters: int) -> str:
    """Cut the middle out of a name, as its end may tell it from others that begin alike."""
    end = (letters - 1) // 2
    return text if len(text) <= letters else f"{text[: letters - 1 - end]}\u2026{text[-end:]}"


def describe_sizes(sizes: Sequence[int]) -> str:
    """Describe how many rows the folds have."""
    least, most = min(sizes), max(sizes)
    return plural(least, "row") if least == most else f"{least:,} to {most:,} rows"
