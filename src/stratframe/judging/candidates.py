"""List the columns that may explain how rows were dealt: ids of groups, sites, or times.

A candidate is a column that the call does not use otherwise, whose name does not suggest folds, and
that is known in nearly all rows. Its values are encoded at most once, when they are first needed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from math import isqrt
from typing import Any

import numpy as np

from .. import frames
from ..core.strata import distinct_values
from ..core.types import Flags, Ints
from ..errors import PART_NAME, StratError
from ..frames import ComparedColumn, Frame
from .compared import compared_columns

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

FEW_ROWS = 1 << 15
"""In a frame with at most this many rows, all rows are looked at at once."""

BLOCKS = 8
"""The number of places of a larger frame at which neighbouring rows are sampled."""

BLOCK_ROWS = 1 << 10
"""The number of neighbouring rows that are sampled at each of these places."""

DRAWN = 8
"""Of n rows, this number times the square root of n are drawn at random. If each row shares its
value with one other row, the drawn rows hold 32 pairs of equal values on average."""


FIRST_DRAWN = 1 << 10
"""The number of drawn rows that are looked at first, which tell most columns of few values."""

LEAST_REPEATED = 3
"""If fewer values than this are repeated in a sample, hardly any rows share a value."""


@dataclass(frozen=True, eq=False)
class RowSample:
    """Some rows of a frame: blocks of neighbouring rows, and rows drawn at random."""

    n_rows: int
    """The number of rows of the frame."""
    rows: Ints
    """The positions of the rows in the sample, in ascending order."""
    is_drawn: Flags
    """Whether each of them was drawn at random."""

    @property
    def has_all(self) -> bool:
        return len(self.rows) == self.n_rows

    @cached_property
    def first_rows(self) -> Ints:
        """Some of the drawn rows, which are looked at first."""
        drawn = self.rows[self.is_drawn]
        return drawn[:: max(len(drawn) // FIRST_DRAWN, 1)]


@cache
def sample_rows(n_rows: int) -> RowSample:
    """Sample rows of a frame, or take all rows of a small one."""
    if n_rows <= FEW_ROWS:
        return RowSample(n_rows, np.arange(n_rows), np.ones(n_rows, dtype=np.bool_))
    starts = np.linspace(0, n_rows - BLOCK_ROWS, BLOCKS).astype(np.int64)
    in_blocks = (starts[:, None] + np.arange(BLOCK_ROWS)).ravel()
    drawn = np.random.default_rng(0).integers(n_rows, size=DRAWN * isqrt(n_rows))
    rows = distinct_values(np.concatenate([in_blocks, drawn]))
    is_drawn = np.zeros(len(rows), dtype=np.bool_)
    is_drawn[np.searchsorted(rows, drawn)] = True
    return RowSample(n_rows, rows, is_drawn)


class Candidate:
    """A column that may explain how rows were dealt."""

    def __init__(self, label: Any, column: ComparedColumn) -> None:
        self.label = label
        self.column = column
        self.series = column.series

    @cached_property
    def has_classes(self) -> bool:
        """Whether no values are nested."""
        try:
            _ = self.column.narrow_classes
        except StratError:
            return False
        return True

    @property
    def classes(self) -> tuple[Ints, int] | None:
        """The code of each row (-1 if missing) and the number of values; None if it is nested."""
        return self.column.classes if self.has_classes else None

    @property
    def sample(self) -> RowSample:
        return sample_rows(len(self.series))

    @cached_property
    def sampled_codes(self) -> Ints | None:
        """The codes of the rows of the sample; None if the column is nested."""
        return self.encode_at(self.sample.rows)

    @cached_property
    def first_codes(self) -> Ints | None:
        """The codes of the rows that are looked at first; None if the column is nested."""
        return self.encode_at(self.sample.first_rows)

    @cached_property
    def hardly_repeats(self) -> bool:
        """Whether fewer than three pairs of rows in the sample of a larger frame share a number."""
        if self.sample.has_all:
            return False
        numbers = frames.numbers_at(self.series, self.sample.rows)
        if numbers is None:
            return False
        numbers.sort()
        return int(np.count_nonzero(numbers[1:] == numbers[:-1])) < LEAST_REPEATED

    def encode_at(self, rows: Ints) -> Ints | None:
        """Return codes of some rows; None if the column is nested."""
        if self.sample.has_all:
            return None if self.classes is None else self.classes[0][rows]
        numbers = frames.numbers_at(self.series, rows)
        if numbers is not None:
            return frames.encode_numbers(numbers)[0]
        with suppress(StratError):
            return frames.encode_classes(frames.take(self.series, rows))[0]
        return None

    @cached_property
    def has_fractions(self) -> bool:
        return frames.is_continuous(self.series)

    @cached_property
    def is_known(self) -> Flags:
        if self.sample.has_all and self.classes is not None:
            return self.classes[0] >= 0
        return ~frames.is_missing(self.series)

    def is_known_in(self, rows: Flags) -> bool:
        """Return whether nearly all of some rows have a value."""
        n_rows = int(np.count_nonzero(rows))
        return int(np.count_nonzero(self.is_known & rows)) >= MOSTLY_KNOWN * n_rows


def words_of(label: Any) -> str:
    """Write the name of a column as words; of a label with several levels, the last name counts."""
    levels = label if isinstance(label, tuple) else (label,)
    *_, name = ("", *(str(each) for each in levels if str(each)))
    return CAMEL.sub(" ", name).replace("_", " ")


def names_folds(label: Any) -> bool:
    """Return whether the name of a column suggests that it holds folds or parts."""
    return bool(DEALT_NAME.search(words_of(label)))


def candidate_labels(frame: Frame, names: Sequence[Any], skipped: Sequence[Any]) -> list[Any]:
    """List the columns except folds, columns that the call uses, and names that occur twice."""
    labels, _ = compared_columns(frame, names, skipped)
    return [label for label in labels if not names_folds(label)]


def read_candidates(
    frame: Any, refs: Sequence[Any], known: Mapping[Any, ComparedColumn]
) -> list[Candidate]:
    """Read the columns of an eager frame; their values are not looked at yet.

    `known` holds the columns that are compared, by their labels, so that they are encoded once.
    """
    are_known = [not frames.is_computed(ref) and ref in known for ref in refs]
    others = [ref for ref, is_known in zip(refs, are_known, strict=True) if not is_known]
    new = iter(frames.read_columns(frame, others))
    return [
        Candidate(ref, known[ref] if is_known else ComparedColumn(next(new)))
        for ref, is_known in zip(refs, are_known, strict=True)
    ]
