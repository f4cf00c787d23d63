"""How a finding is written in one line: names are shortened before the end is dropped."""

from collections.abc import Sequence
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias

from ..errors import plural

Severity: TypeAlias = Literal["leak", "warning", "note", "ok"]

WORST_FIRST: tuple[Severity, ...] = ("leak", "warning", "note", "ok")

ROOM = 69
"""The maximum number of characters of a line, which `check` prints after the severity."""

LETTERS = (14, 8)
"""The minimum number of characters that a shortened name keeps: at first, and as a last resort."""


class Finding(NamedTuple):
    """One thing to say about a column."""

    severity: Severity
    check: str
    n: int
    detail: str
    """The whole text."""
    line: str
    """As much of the text as a line holds."""


def write_finding(
    severity: Severity, check: str, n: int, head: str, *tails: str, **names: str
) -> Finding:
    """Write a finding; names fill its placeholders, and tails are endings, longest first."""
    names = {each: printable(name) for each, name in names.items()}
    detail = "".join([head, *tails[:1]]).format(**names)
    return Finding(severity, check, n, detail, fit_line(head, *tails, **names))


def fit_line(head: str, *tails: str, **names: str) -> str:
    """Write a line with the first tail that fits, if need be with shortened names."""
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
    """Give values numbered names, for the placeholders of a line."""
    return {f"name_{place}": str(value) for place, value in enumerate(values)}


def printable(value: object) -> str:
    """Write a value as text, or as in code if it has control characters or outer blanks."""
    text = str(value)
    return text if text.isprintable() and text.strip() == text != "" else repr(text)


def cut_name(text: str, letters: int) -> str:
    """Cut the middle out of a name, because its end may distinguish it from similar names."""
    end = (letters - 1) // 2
    return text if len(text) <= letters else f"{text[: letters - 1 - end]}\u2026{text[-end:]}"


def describe_sizes(sizes: Sequence[int]) -> str:
    least, most = min(sizes), max(sizes)
    return plural(least, "row") if least == most else f"{least:,} to {most:,} rows"
