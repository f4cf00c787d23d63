"""Look for ids by what they do, where no name of a column suggests one.

The rows of one unit, such as a patient or a shop, differ in something, such as the visit or the
month, which together with the id is a key. They share what belongs to the unit, or they lie
together in the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..core.strata import count_pairs, distinct_values, share_of_pairs
from ..core.types import Flags, Ints
from .candidates import Candidate, RowSample
from .ids import LEAST_VALUES, ROWS_EACH
from .sequences import names_time
from .whole_columns import count_changes

ROWS_AT_MOST = 50
"""The maximum mean number of rows of an id; groups of more rows are more often classes."""

MOST_OTHERS = 10 * ROWS_AT_MOST
"""The maximum mean number of other rows with the value of a drawn row; of ids whose sizes differ,
large ones are drawn more often."""

SAMPLED = 20_000
"""The number of rows, of values drawn at random, in which columns are compared with an id."""

LEAST_PAIRS = 20
"""The minimum number of pairs of rows with the same id."""

MOST_PAIRS = 256
"""The maximum number of pairs of rows that show first that an id determines no column."""

LEAST_EXPECTED = 10
"""The minimum number of these pairs that should agree in a column by chance, if none do."""

HARDLY_EVER = 0.01
"""The maximum share of the expected pairs that agree in a column that makes a key with the id."""

NEARLY_ALWAYS = 0.99
"""The minimum share of the pairs that agree in a column that the id determines."""

ANYWHERE = 0.9
"""If the share of all pairs of rows that agree in a column is above this, the id adds nothing."""

TOGETHER = 1.05
"""The rows of ids lie together if ids have at most this many stretches of rows on average."""


class SampledValues(NamedTuple):
    """Some values of a column, with all of their rows."""

    rows: Ints
    codes: Ints
    """The value of each of the rows."""
    n_pairs: int
    """The number of pairs of rows with the same value."""


def sample_values(codes: Ints, n_values: int, n_rows: int) -> SampledValues:
    """Draw values until their rows are about as many as said; missing values are left out."""
    sizes = np.bincount(codes[codes >= 0], minlength=n_values)
    drawn = np.random.default_rng(0).permutation(n_values)
    n_drawn = int(np.searchsorted(np.cumsum(sizes[drawn]), n_rows)) + 1
    is_drawn = np.zeros(n_values + 1, dtype=np.bool_)  # the code -1 indexes the last item
    is_drawn[drawn[:n_drawn]] = True
    rows = np.flatnonzero(is_drawn[codes])
    return SampledValues(rows, codes[rows], count_pairs(sizes[is_drawn[:-1]]))


def pairs_that_agree(codes: Ints, others: Ints) -> int:
    """Count the pairs of rows that have the same code and the same other code."""
    joint = codes * (int(others.max(initial=-1)) + 2) + others + 1
    return count_pairs(np.unique(joint, return_counts=True)[1])


def agreement(codes: Ints) -> float:
    """Return the share of all pairs of rows that have the same code."""
    return share_of_pairs(np.bincount(codes + 1))


def makes_key(n_agreeing: int, n_pairs: int, anywhere: float) -> bool:
    """Return whether pairs of rows of an id differ in a column more often than chance explains."""
    expected = anywhere * n_pairs
    return expected >= LEAST_EXPECTED and n_agreeing <= HARDLY_EVER * expected


def is_determined(n_agreeing: int, n_pairs: int, anywhere: float) -> bool:
    """Return whether pairs of rows of an id nearly always agree in a column, unlike other pairs."""
    return anywhere < ANYWHERE and n_agreeing > NEARLY_ALWAYS * n_pairs


def has_size_of_ids(codes: Ints, n_values: int) -> bool:
    n_rows = np.count_nonzero(codes >= 0)
    is_repeated = ROWS_EACH * n_values <= n_rows <= ROWS_AT_MOST * n_values
    return bool(n_values >= LEAST_VALUES and is_repeated)


def lie_together(codes: Ints, n_values: int) -> bool:
    own = codes[codes >= 0]
    return count_changes(own) + 1 <= TOGETHER * n_values


def find_acting_ids(
    candidates: Sequence[Candidate], others: Sequence[Candidate], rows: Flags
) -> list[Candidate]:
    """List the first candidate whose rows behave as those of one unit do, if any.

    `others` are the columns with which candidates are compared, and `rows` those that have a fold.
    """
    rest = ColumnsBeside(others)
    for candidate in candidates:
        if names_time(candidate.label) or candidate.has_fractions:
            continue
        if not rest.may_act(candidate) or not candidate.is_known_in(rows):
            continue
        if candidate.classes is None or not has_size_of_ids(*candidate.classes):
            continue
        if rest.act_as_of(candidate):
            return [candidate]
    return []


def may_have_size(codes: Ints, sample: RowSample) -> bool:
    """Return whether drawn rows share values as often as with 1.5 to 50 rows per value.

    Sizes of ids differ, so that rows of large ids are drawn more often.
    """
    drawn = codes[sample.is_drawn]
    n_drawn = len(drawn)
    n_pairs = count_pairs(np.bincount(drawn[drawn >= 0]))
    n_others = n_pairs * 2 * sample.n_rows / max(n_drawn**2, 1)
    return (ROWS_EACH - 1) / 2 <= n_others <= MOST_OTHERS


def repeats_too_often(codes: Ints, n_rows: int) -> bool:
    """Return whether a few drawn rows, of so many in all, share values too often for an id."""
    n_drawn = len(codes)
    n_pairs = count_pairs(np.bincount(codes[codes >= 0]))
    most = MOST_OTHERS * n_drawn**2 / (2 * n_rows)
    return n_pairs > 2 * most + LEAST_PAIRS


def may_lie_together(codes: Ints, sample: RowSample) -> bool:
    """Return whether neighbours in a sample share values as often as where rows lie together."""
    are_neighbours = np.diff(sample.rows) == 1
    alike = (codes[1:] == codes[:-1])[are_neighbours]
    return bool(alike.mean() > (1 - TOGETHER / ROWS_EACH) / 2)


def pairs_alike(codes: Ints, n_most: int) -> tuple[Ints, Ints]:
    """Draw pairs of places with the same code; -1 is left out."""
    order = np.argsort(codes, kind="stable")
    ascending = codes[order]
    first = np.flatnonzero((ascending[1:] == ascending[:-1]) & (ascending[1:] >= 0))
    if len(first) > n_most:
        first = np.random.default_rng(0).choice(first, n_most, replace=False)
    return order[first], order[first + 1]


class ColumnsBeside:
    """The columns of a frame, with which a candidate is compared in samples of rows."""

    def __init__(self, columns: Sequence[Candidate]) -> None:
        self.every = columns
        self.anywhere: dict[int, float] = {}

    @cached_property
    def columns(self) -> list[Candidate]:
        """The columns without those that are nested, and those whose values hardly repeat.

        The latter have fewer equal pairs than an id, so that no id determines them, and are keys
        without an id.
        """
        varied = [each for each in self.every if not each.hardly_repeats]
        return [each for each in varied if each.sampled_codes is not None]

    def drawn_codes(self, column: Candidate) -> Ints:
        codes = column.sampled_codes
        assert codes is not None
        return codes[column.sample.is_drawn]

    def agreement(self, place: int) -> float:
        """Return the share of all pairs of rows that agree in a column."""
        if place not in self.anywhere:
            self.anywhere[place] = agreement(self.drawn_codes(self.columns[place]))
        return self.anywhere[place]

    def may_act(self, candidate: Candidate) -> bool:
        """Return whether a sample of rows leaves it open that a candidate behaves as an id."""
        sample = candidate.sample
        if not sample.has_all:
            first = candidate.first_codes
            if candidate.hardly_repeats or first is None:
                return False
            if repeats_too_often(first, sample.n_rows):
                return False
        codes = candidate.sampled_codes
        if codes is None or not may_have_size(codes, sample):
            return False
        return may_lie_together(codes, sample) or self.may_determine(candidate)

    def may_determine(self, candidate: Candidate) -> bool:
        """Return whether a few pairs of rows of the candidate nearly all agree in some column."""
        first, second = pairs_alike(self.drawn_codes(candidate), MOST_PAIRS)
        for place, column in enumerate(self.columns):
            if column.label == candidate.label:
                continue
            codes = self.drawn_codes(column)
            n_agreeing = np.count_nonzero(codes[first] == codes[second])
            if n_agreeing > ANYWHERE * len(first) and self.agreement(place) < NEARLY_ALWAYS:
                return True
        return False

    def act_as_of(self, candidate: Candidate) -> bool:
        """Return whether another column makes a key with the candidate, whose rows share more."""
        assert candidate.classes is not None
        codes, n_values = candidate.classes
        sample = sample_values(codes, n_values, SAMPLED)
        if sample.n_pairs < LEAST_PAIRS:
            return False
        has_key = False
        is_shared = lie_together(codes, n_values)
        for place, column in enumerate(self.columns):
            if column.label == candidate.label:
                continue
            others = column.encode_at(sample.rows)
            assert others is not None
            n_agreeing = pairs_that_agree(sample.codes, others)
            figures = n_agreeing, sample.n_pairs, self.agreement(place)
            has_key |= makes_key(*figures)
            n_others = len(distinct_values(others[others >= 0]))
            is_coarser = 1 < n_others < ANYWHERE * len(distinct_values(sample.codes))
            is_shared |= is_coarser and is_determined(*figures)
        return has_key and is_shared
