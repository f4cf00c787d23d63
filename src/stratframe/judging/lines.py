"""Write findings as short lines: names are shortened before an ending is dropped."""

from collections.abc import Sequence
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias

from ..errors import plural

Severity: TypeAlias = Literal["leak", "warning", "note", "ok"]

WORST_FIRST: tuple[Severity, ...] = ("leak", "warning", "note", "ok")

ROOM = 69
"""The maximum number of characters in the line of a finding, without the severity."""

LETTERS = (14, 8)
"""Names are first shortened to no fewer than 14 characters and, if needed, to no fewer than 8."""


class Finding(NamedTuple):
    """One finding on a fold column."""

    severity: Severity
    check: str
    n: int
    detail: str
    line: str
    """The text, shortened to fit one line."""


def write_finding(
    severity: Severity, check: str, n: int, head: str, *tails: str, **names: str
) -> Finding:
    """Make a finding; `names` fill the placeholders, and `tails` are endings, longest first."""
    names = {key: printable(name) for key, name in names.items()}
    detail = "".join([head, *tails[:1]]).format(**names)
    return Finding(severity, check, n, detail, fit_line(head, *tails, **names))


def fit_line(head: str, *tails: str, **names: str) -> str:
    """Return a line with the first tail that fits; names are shortened if necessary."""
    text = head
    for tail, least in product((*tails, ""), LETTERS):
        short = dict(names)
        while len(text := f"{head}{tail}".format(**short)) > ROOM and short:
            longest = max(short, key=lambda each: len(short[each]))
            letters = max(len(short[longest]) - (len(text) - ROOM), least)
            if letters >= len(short[longest]):
                break
            short[longest] = cut_name(short[longest], letters)
        if len(text) <= ROOM:
            break
    return text


def number_names(values: Sequence[Any]) -> dict[str, str]:
    """Map the placeholders "name_0", "name_1", ... of a line to the values as text."""
    return {f"name_{place}": str(value) for place, value in enumerate(values)}


def printable(value: object) -> str:
    """Write a value as text; use `repr` if the text is empty, unprintable or has outer blanks."""
    text = str(value)
    if text.isprintable() and text.strip() == text != "":
        return text
    return repr(text)


def cut_name(text: str, letters: int) -> str:
    """Cut the middle out of a long name, because the end can tell it from similar names."""
    if len(text) <= letters:
        return text
    end = (letters - 1) // 2
    return f"{text[: letters - 1 - end]}\u2026{text[-end:]}"


def describe_sizes(sizes: Sequence[int]) -> str:
    least = min(sizes)
    most = max(sizes)
    if least == most:
        return plural(least, "row")
    return f"{least:,} to {most:,} rows"
