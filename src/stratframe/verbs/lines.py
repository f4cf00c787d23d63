"""How a finding is written: a line that fits, with its names cut rather than its end left out."""

from collections.abc import Sequence
from itertools import product
from typing import Any

from ..errors import plural

ROOM = 69
"""Letters of a line, which `check` puts after its severity."""

LETTERS = (14, 8)
"""To which a line cuts its names, rather than leave out its end, and where that is too much."""


def write_line(head: str, *tails: str, **names: str) -> str:
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


def cut_name(text: str, letters: int) -> str:
    """Cut a name to so many letters, and to the quote that ends it, if one does."""
    quote = text[-1] if text[-1:] in ("'", '"') else ""
    return text if len(text) <= letters else f"{text[: letters - 1 - len(quote)]}\u2026{quote}"


def describe_sizes(sizes: Sequence[int]) -> str:
    """Describe how many rows the folds have."""
    least, most = min(sizes), max(sizes)
    return plural(least, "row") if least == most else f"{least:,} to {most:,} rows"
