"""List the columns that may explain how rows were dealt: ids of groups, sites, or times.

A candidate is a column that the call does not use otherwise, whose name does not suggest folds, and
that is known in nearly all rows. Its values are encoded at most once, when they are first needed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np

from .. import frames
from ..core.types import Flags, Ints
from ..errors import PART_NAME, StratError
from ..frames import AnyFrame
from .leaks import compared_columns

MOSTLY_KNOWN = 0.9
"""The minimum share of the rows in which a candidate has a value."""

DEALT_NAME = re.compile(
    rf"{PART_NAME.pattern}|(?<![a-z])(sets?|subset|partition|usage|holdout|train\w*|test\w*"
    r"|valid\w*|is_?train|is_?test|chunk|batch|cv\d*|k)(?![a-z])",
    re.IGNORECASE,
)
"""A pattern for the names of columns of folds or parts from any source, written as words."""

CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Za-z])")
"""A pattern for what separates the words of a name beside "_" and blanks."""


class Candidate:
    """A column that may explain how rows were dealt."""

    def __init__(self, label: Any, series: Any) -> None:
        self.label = label
        self.series = series

    @cached_property
    def classes(self) -> tuple[Ints, int] | None:
        """The code of each row (-1 if missing) and the number of values; None if it is nested."""
        with suppress(StratError):  # raised for columns of lists, for example
            return frames.encode_classes(self.series)
        return None

    @cached_property
    def has_fractions(self) -> bool:
        return frames.is_continuous(self.series)

    @cached_property
    def is_known(self) -> Flags:
        return ~frames.is_missing(self.series)

    def is_known_in(self, rows: Flags) -> bool:
        """Return whether nearly all of some rows have a value."""
        n_known = np.count_nonzero(self.is_known & rows)
        return bool(n_known >= MOSTLY_KNOWN * max(np.count_nonzero(rows), 1))


def words_of(label: Any) -> str:
    """Write the name of a column as words; of a label with several levels, the last name counts."""
    levels = label if isinstance(label, tuple) else (label,)
    *_, name = ("", *(str(each) for each in levels if str(each)))
    return CAMEL.sub(" ", name).replace("_", " ")


def names_folds(label: Any) -> bool:
    """Return whether the name of a column suggests that it holds folds or parts."""
    return bool(DEALT_NAME.search(words_of(label)))


def candidate_labels(frame: AnyFrame, names: Sequence[Any], skipped: Sequence[Any]) -> list[Any]:
    """List the columns except folds, columns that the call uses, and names that occur twice."""
    labels, _ = compared_columns(frame, names, skipped)
    return [label for label in labels if not names_folds(label)]


def read_candidates(frame: Any, labels: Sequence[Any]) -> list[Candidate]:
    """Read the columns of an eager frame; their values are not looked at yet."""
    columns = frames.read_columns(frame, labels)
    return [Candidate(label, series) for label, series in zip(labels, columns, strict=True)]
