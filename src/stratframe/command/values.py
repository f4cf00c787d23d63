"""Turn the texts of options into the arguments of verbs."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..errors import StratError, describe
from ..frames.references import CONDITION
from ..terms.parse_text import parse_entry

ENTRIES = ("by", "groups")
"""The arguments that take terms."""


def read_values(texts: Mapping[str, Any], columns: Sequence[object]) -> dict[str, Any]:
    """Convert the texts of options to entries, names and parts; `by` is None if left out."""
    values: dict[str, Any] = {"by": None}
    for argument, text in texts.items():
        values[argument] = read_value(argument, text, columns)
    return values


def read_value(argument: str, text: Any, columns: Sequence[object]) -> Any:
    """Convert the text of an option, or the list of texts of a repeated option."""
    if argument == "where":
        return check_where(text, columns)
    if argument == "parts":
        return read_parts(text)
    if argument == "each":
        return int(text) if text.isdecimal() else read_parts(text, argument)
    if not isinstance(text, list):
        return text
    if argument == "duplicates" and text == ["none"] and "none" not in columns:
        return None
    if argument in ENTRIES:
        entries = [parse_entry(f"`{argument}`", each, columns) for each in text]
    else:
        entries = text
    # An entry that must be alone, such as clusters in `groups`, must not be in a list.
    return entries[0] if len(entries) == 1 else entries


def check_where(text: str, columns: Sequence[object]) -> str:
    if text not in columns and CONDITION.search(text):
        msg = f"`where` must be a column of true and false, got {describe(text)}."
        raise StratError(msg)
    return text


def read_parts(text: str, argument: str = "parts") -> dict[str, float | None] | float:
    """Read the shares of named parts, or a single number, which is the share of the test part."""
    with suppress(ValueError):
        share = float(text)
        if 0 < share < 1:
            return share
    parts: dict[str, float | None] = {}
    items = text.split(",")
    with suppress(ValueError):
        for item in items:
            name, size = item.split("=")
            parts[name.strip()] = read_size(size.strip())
    if len(parts) < len(items) or "" in parts:
        msg = (
            "`parts` must name each part once, as in train=0.8,test=rest, or be the share of the"
            f" test part, such as 0.2, got {describe(text)}."
        )
        if argument == "each":
            msg = (
                "`each` must be a number of rows, or name each part once, as in"
                f" train=rest,test=2, got {describe(text)}."
            )
        raise StratError(msg)
    return parts


def read_size(text: str) -> float | None:
    """Read the size of a part: a count of rows, a fraction, or None for all other rows."""
    if text in ("rest", "None"):
        return None
    return int(text) if text.isdecimal() else float(text)
