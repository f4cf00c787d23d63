"""Names in pictures: cut to the room that they have, and safe for matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.types import Ints
from ..pipeline.nest import Strata
from ..verbs.result_tables import stratum_texts
from .lines import cut_name, printable

NAME_LETTERS = 20
"""The maximum length of a name, unless it has more room."""

FEWEST_LETTERS = 3
"""No part of a name is cut to fewer letters."""

LETTERS_EACH_INCH = 12
"""The number of letters per inch of the width of axes, in names along the axes."""

LEAST = 20
"""The minimum number of letters in a line."""


class Name(NamedTuple):
    """The name of a row or class: a pattern, such as "({}, {})", and the texts that it joins."""

    pattern: str
    texts: tuple[str, ...]

    def write(self) -> str:
        return self.pattern.format(*map(one_line, self.texts))

    def fit(self, letters: int) -> str:
        """Cut the longest texts until the name has at most so many letters."""
        texts = [one_line(text) for text in self.texts]
        room = letters - len(self.pattern.format(*[""] * len(texts)))
        most = max(map(len, texts))
        while most > FEWEST_LETTERS and sum(min(len(text), most) for text in texts) > room:
            most -= 1
        return drawable(self.pattern.format(*(cut_name(text, most) for text in texts)))


def name_value(value: Any) -> Name:
    return Name("{}", (str(value),))


def name_strata(strata: Strata, which: Ints, entry: str | None = None) -> list[Name]:
    """Name strata by their values, after the name of their entry if it is given."""
    names = []
    for texts in stratum_texts(strata, which):
        pattern = "{}" if len(texts) == 1 else f"({', '.join(['{}'] * len(texts))})"
        if entry is None:
            names.append(Name(pattern, texts))
        else:
            names.append(Name(f"{{}}: {pattern}", (entry, *texts)))
    return names


def short_text(value: object, most: int = NAME_LETTERS) -> str:
    return drawable(cut_name(one_line(value), most))


def one_line(value: object) -> str:
    return " ".join(printable(value).removesuffix(" 00:00:00").split())


def drawable(text: str) -> str:
    """Let matplotlib show a text as it is; a legend omits what starts with an underscore."""
    return plain_text(f"\u2009{text}" if text.startswith("_") else text)


def plain_text(text: str) -> str:
    """Escape dollar signs, because matplotlib reads text between them as mathematics."""
    return text.replace("$", r"\$")


def letters_in(ax: Any, each_inch: float = LETTERS_EACH_INCH) -> int:
    return max(LEAST, int(each_inch * ax.get_window_extent().width / ax.figure.dpi))


def longest(names: Sequence[Name]) -> int:
    return int(np.max([len(name.write()) for name in names], initial=0))
