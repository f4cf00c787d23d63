"""Write findings as short lines: names are shortened before an ending is dropped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias

from ..errors import plural

Severity: TypeAlias = Literal["leak", "warning", "note", "ok"]

WORST_FIRST: tuple[Severity, ...] = ("leak", "warning", "note", "ok")

CHECKS = (
    "groups",
    "keys",
    "time",
    "balance",
    "totals",
    "strata",
    "sizes",
    "duplicates",
    "rows",
    "drift",
)
"""The names of the checks, in the order of their lines."""

MOST_QUESTIONS = 2

ROOM = 69
"""The maximum number of characters in the line of a finding, without the severity."""

LETTERS = (14, 8)
"""Names are first shortened to no fewer than 14 characters and, if needed, to no fewer than 8."""


class Finding(NamedTuple):
    """One finding on a fold column."""

    severity: Severity
    check: str
    n: int
    fold: str | None
    """The label concerned; None if the finding is on no label alone."""
    level: str | None
    """The class or value concerned; None if the finding is on none alone."""
    detail: str
    line: str
    """The text, shortened to fit one line."""
    is_question: bool = False
    """Whether the finding asks what the call can answer; with `strict`, it counts as wrong."""

    def on(self, *, fold: object = None, level: str | None = None) -> Finding:
        """Say which label, and which class or value, the finding is on."""
        return self._replace(fold=None if fold is None else str(fold), level=level)

    def as_question(self) -> Finding:
        return self._replace(is_question=True)


def write_finding(
    severity: Severity, check: str, n: int, head: str, *tails: str, **names: str
) -> Finding:
    """Make a finding; `names` fill the placeholders, and `tails` are endings, longest first."""
    names = {key: printable(name) for key, name in names.items()}
    detail = "".join([head, *tails[:1]]).format(**names)
    return Finding(severity, check, n, None, None, detail, fit_line(head, *tails, **names))


def keep_questions(findings: Sequence[Finding]) -> list[Finding]:
    """Keep at most two questions: on duplicates, groups and time, in this order."""
    questions = [each for each in findings if each.is_question]
    questions.sort(key=lambda each: (each.check != "duplicates", CHECKS.index(each.check)))
    dropped = questions[MOST_QUESTIONS:]
    return [each for each in findings if not any(each is other for other in dropped)]


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(
        findings, key=lambda each: (WORST_FIRST.index(each.severity), CHECKS.index(each.check))
    )


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


def is_or_are(n: int) -> str:
    return "is" if n == 1 else "are"


def double_braces(text: str) -> str:
    """Double the braces of a text that becomes part of a line with placeholders."""
    return text.replace("{", "{{").replace("}", "}}")


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
