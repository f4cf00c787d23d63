"""Judge whether rows are equal by chance, as independent columns would give, or are copies."""

from __future__ import annotations

from collections.abc import Sequence, Set
from math import prod, sqrt
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from .. import frames
from ..core.chance import chi_squared_tail
from ..core.copies import MOST_COPIES, are_copied
from ..core.strata import distinct_values
from ..core.types import Ints, Words
from ..frames import ComparedColumn, SharedRows
from ..frames.duplicates import count_across_folds

Explanation: TypeAlias = Literal["chance", "chance in fewer"]
"""What explains equal rows: independent columns, or those of them that no other determines."""

FEW_COPIES = 1
"""A score changes by at most a percentage point if at most this percentage of rows are copies."""

LEAST_COLUMNS = 3
"""The minimum number of columns that tell copies apart from rows of the same unit, such as visits
of a patient, if another column differs in every row or is left out."""

LENIENT = 10
"""Chance can explain up to about this many times the expected number of pairs of equal rows."""

LENIENT_AGREEMENT = 5
"""Chance can explain up to about this many times the expected number of pairs that agree in one
column, among those that agree in all others. The expectation is not about independent columns, so
that it is closer."""

LENIENT_REDUCED = 2
"""The same without the columns that others determine, which make the expectation closer still."""

FEW_COLUMNS, MOSTLY = 8, 0.7
"""The maximum number of columns that are left out, one at a time, to compare rows in all other
columns. Some of the pairs that agree in them also agree in the omitted column by chance. If the
remaining pairs are copies, at least the share `MOSTLY` of them agree in the omitted column, too."""

FEW_ROWS = 1 << 12
"""The number of rows in which columns that determine others are looked for first."""

TOO_RARE = 0.01
"""The probability below which chance cannot explain why all equal rows agree in a column."""

FEW_PAIRS = 50
"""Of so few pairs, three standard deviations are not as rare as of many pairs, so that the Poisson
probability decides."""

TOO_MANY = 0.001
"""A few pairs are too many for chance if the Poisson probability of so many is below."""


class ComparedRows(NamedTuple):
    """The columns in which equal rows are looked for."""

    columns: Sequence[ComparedColumn] = ()
    """The columns that are compared; empty if an engine compares the rows."""
    left_aside: Sequence[str] = ()
    """The names of the columns that are not compared."""
    twins: Sequence[str] = ()
    """The names of the columns that are not compared because their values match the folds."""
    unique: Sequence[str] = ()
    """The names of continuous columns without repeated values, which are not compared; they show
    that no rows are equal in all columns."""
    measured: Sequence[Any] | None = None
    """For each column, its series if the values are numbers or dates, otherwise None. The whole
    field is None if the call names the columns."""
    labels: Sequence[Any] = ()
    """The labels of the compared columns, if the call does not name them."""
    has_ids: bool = False
    """Whether a column that differs in every row is not compared, or the call names a key."""
    strata: Set[Any] = frozenset()
    """The labels of the columns that `by` names."""

    @property
    def by_label(self) -> dict[Any, ComparedColumn]:
        """The columns by their labels; empty if the call names what to compare."""
        if not self.labels:
            return {}
        return dict(zip(self.labels, self.columns, strict=True))

    @property
    def check(self) -> str:
        return "duplicates"

    @property
    def noun(self) -> str:
        return "sets of equal rows"

    @property
    def are_strata(self) -> bool:
        """Whether `by` names all compared columns."""
        return {*self.labels} <= self.strata

    @property
    def is_judged(self) -> bool:
        """Whether enough columns are compared; equal rows with ids of their own can be visits."""
        return not self.has_ids or len(self.columns) >= LEAST_COLUMNS


def are_many(n_equal: float, n_rows: float) -> bool:
    """Return whether there are enough equal rows to change a score noticeably."""
    return 100 * n_equal > FEW_COPIES * n_rows


def choose_compared(compared: ComparedRows, places: Sequence[int] | Ints) -> ComparedRows:
    """Keep the columns at these places."""
    assert compared.measured is not None
    return compared._replace(
        columns=[compared.columns[place] for place in places],
        measured=[compared.measured[place] for place in places],
        labels=[compared.labels[place] for place in places],
    )


def are_enough(compared: ComparedRows, shared: SharedRows, n_rows: int) -> bool:
    """Return whether there are enough equal rows to judge; a single one is, if the call asks."""
    if compared.measured is None:
        return shared.n_split > 0
    return are_many(shared.n_rows, n_rows)


def is_explained(
    compared: ComparedRows, shared: SharedRows, folds: Ints, rows: Ints, words: Words
) -> bool:
    """Return whether chance can explain equal rows; it cannot if the call names a single column."""
    if len(compared.columns) == 1 and compared.measured is None:
        return False
    return explain_rows(compared, shared, folds, rows, words) is not None


def explain_rows(
    compared: ComparedRows, shared: SharedRows, folds: Ints, rows: Ints, words: Words
) -> Explanation | None:
    """Return what explains equal rows: chance in all columns, in fewer columns, or nothing."""
    if explains_rows(compared, shared, folds, rows, words):
        is_chance = explains_copied_columns(compared, folds, rows, words, LENIENT_AGREEMENT)
        return "chance" if is_chance else None
    if compared.measured is None:
        return None
    fewer = leave_out_determined(compared, shared, rows)
    if len(fewer.columns) == len(compared.columns):
        return None
    words = frames.duplicates.row_words(fewer.columns)
    if not explains_rows(fewer, shared, folds, rows, words, LENIENT_REDUCED):
        return None
    is_chance = explains_copied_columns(fewer, folds, rows, words, LENIENT_REDUCED)
    return "chance in fewer" if is_chance else None


def explains_copied_columns(
    compared: ComparedRows, folds: Ints, rows: Ints, words: Words, lenient: int
) -> bool:
    """Return whether chance can explain the equal rows with rare values of each copied column."""
    return all(
        explains_rare_values(compared, column, folds, rows, words, lenient)
        for column in compared.columns
    )


def explains_rare_values(
    compared: ComparedRows,
    column: ComparedColumn,
    folds: Ints,
    rows: Ints,
    words: Words,
    lenient: int,
) -> bool:
    """Return whether chance can explain the equal rows with rare values of a copied column.

    Rows that share a frequent value, such as a missing one, can be equal by chance in such numbers
    that they hide the copies of all others. If columns are independent, so are the other columns
    in the rows that are chosen by the values of this one, and the same rules hold.
    """
    sizes = column.value_sizes(rows)
    if sizes.max(initial=0) <= MOST_COPIES or not are_copied(sizes):
        return True
    rare = column.rows_of_rare_values(rows, MOST_COPIES)
    shared = count_across_folds(compared.columns, folds, rare, words)
    if not are_enough(compared, shared, len(rows)):
        return True
    return explains_rows(compared, shared, folds, rare, words, lenient)


def explains_rows(
    compared: ComparedRows,
    shared: SharedRows,
    folds: Ints,
    rows: Ints,
    words: Words,
    lenient: int = LENIENT_AGREEMENT,
) -> bool:
    """Return whether chance can explain the equal rows among the rows at these positions."""
    columns, measured = compared.columns, compared.measured
    sizes = [column.value_sizes(rows) for column in columns]
    alone = [frames.duplicates.count_values(each) for each in sizes]
    if measured is None:
        return is_chance(shared, alone, len(rows), nearly_unique(shared, alone))
    # Constant columns do not tell rows apart.
    varied = [each for each in sizes if np.count_nonzero(each) > 1]
    if len(varied) < 2:
        is_meant = bool(compared.left_aside) or compared.are_strata
        return is_meant or not any(map(are_copied, varied))
    flags = [
        is_unique and may_be_copied(shared, column, own, len(rows))
        for is_unique, column, own in zip(nearly_unique(shared, alone), alone, sizes, strict=True)
    ]
    repeats = [
        frames.duplicates.expect_repeats(frames.take(series, rows))
        if is_unique and series is not None
        else 0.0
        for series, is_unique in zip(measured, flags, strict=True)
    ]
    if is_chance(shared, alone, len(rows), flags, repeats):
        return True
    return agrees_by_chance(columns, shared, alone, folds, rows, words, lenient)


def leave_out_determined(compared: ComparedRows, shared: SharedRows, rows: Ints) -> ComparedRows:
    """Leave out columns that another column determines, as a species determines the genus.

    Rows that agree in the other columns agree in these, too, so that they say nothing of chance.
    Copies agree in all columns, but a column is only said to determine others if it has at most
    half as many values as there are distinct rows, so that not only copies share its values.
    """
    words = [column.words[rows] for column in compared.columns]
    n_values = np.array([len(distinct_values(own)) for own in words])
    is_left = np.ones(len(words), dtype=np.bool_)
    for place in np.argsort(-n_values, kind="stable").tolist():
        if not is_left[place] or 2 * n_values[place] > shared.n_values:
            continue
        others = np.flatnonzero(is_left & (n_values <= n_values[place])).tolist()
        others.remove(place)
        is_left[find_determined(words, place, others)] = False
    return choose_compared(compared, np.flatnonzero(is_left))


def find_determined(words: Sequence[Words], place: int, others: Sequence[int]) -> list[int]:
    """List those of the other columns that the column at this place determines."""
    determined = [*others]
    # A few rows show of most columns that they are not determined.
    for some in (slice(FEW_ROWS), slice(None)):
        first, second = neighbours_alike(words[place][some])
        determined = [
            other for other in determined if (words[other][first] == words[other][second]).all()
        ]
        if not determined:
            break
    return determined


def neighbours_alike(words: Words) -> tuple[Ints, Ints]:
    """Return the places of pairs of equal words that link all places with the same word."""
    order = np.argsort(words)
    ascending = words[order]
    first = np.flatnonzero(ascending[1:] == ascending[:-1])
    return order[first], order[first + 1]


def agrees_by_chance(
    columns: Sequence[ComparedColumn],
    shared: SharedRows,
    alone: Sequence[SharedRows],
    folds: Ints,
    rows: Ints,
    words: Words,
    lenient: int,
) -> bool:
    """Return whether pairs that agree in all columns but one agree in it as other pairs do.

    Copies agree in all columns. If a pair of rows agrees by chance in all columns but one, it
    agrees in the remaining column about as often as any other pair does.
    """
    found = shared.n_split_pairs
    n_pairs = len(rows) * (len(rows) - 1) // 2
    rarest = sorted((each.n_pairs, place) for place, each in enumerate(alone))
    for equal, place in rarest[:FEW_COLUMNS]:
        n_alike = equal - shared.n_pairs
        most, _ = rarest[rarest[0][1] == place]
        if most < n_pairs and not is_within(found, most * n_alike / (n_pairs - most), lenient):
            continue  # even an upper bound on `expected` is too small
        others = [*columns[:place], *columns[place + 1 :]]
        own = words - columns[place].words
        agreeing = count_across_folds(others, folds, rows, own)
        n_others = n_pairs - agreeing.n_pairs
        expected = agreeing.n_split_pairs * (n_alike / n_others if n_others else 1)
        mostly = expected + MOSTLY * (agreeing.n_split_pairs - expected)
        if found < mostly and is_within(found, expected, lenient):
            return True
    return False


def nearly_unique(shared: SharedRows, alone: Sequence[SharedRows]) -> list[bool]:
    """Flag the columns with more than half as many values as there are distinct rows.

    Rows would be the wrong measure, because copies of all rows halve the share of distinct values.
    """
    return [2 * column.n_values > shared.n_values for column in alone]


def may_be_copied(shared: SharedRows, column: SharedRows, sizes: Ints, n_rows: int) -> bool:
    """Return whether a nearly unique column shows copies rather than units, such as patients.

    If each value of a column determines the whole row, and most values repeat, all rows of a unit
    are equal, and the column must show copies by itself.
    """
    is_unit = column.n_values == shared.n_values and 2 * column.n_values <= n_rows
    return not is_unit or are_copied(sizes)


def is_chance(
    shared: SharedRows,
    alone: Sequence[SharedRows],
    n_rows: int,
    are_unique: Sequence[bool],
    repeats: Sequence[float] = (),
) -> bool:
    """Return whether independent columns with the same counts could give as many equal rows.

    If a column is nearly unique, its pairs of equal values are attributed to copies, unless chance
    can repeat its numbers in rows that agree in all other columns. Pairs that share a frequent
    value are not.
    """
    n_pairs, equal = n_rows * (n_rows - 1) / 2, [each.n_pairs for each in alone]
    alike = prod(n / n_pairs for n in equal)
    for place, each in enumerate(alone):
        others = alike * n_pairs / max(each.n_pairs, 1)
        own = min(repeats[place], 1) if repeats else 0
        is_rare = (own * others) ** shared.n_pairs < TOO_RARE
        if are_unique[place] and is_rare:
            equal[place] = max(equal[place] - shared.n_pairs, pairs_of_frequent_value(each))
    return is_within(shared.n_split_pairs, n_rows**2 / 2 * prod(n / n_pairs for n in equal))


def pairs_of_frequent_value(column: SharedRows) -> int:
    """Count the pairs with a value that occurs more often than copies do and has most pairs."""
    n_pairs = column.largest * (column.largest - 1) // 2
    is_frequent = column.largest > MOST_COPIES and 2 * n_pairs > column.n_pairs
    return n_pairs if is_frequent else 0


def is_within(found: float, expected: float, lenient: int = LENIENT) -> bool:
    """Return whether chance gives as many pairs: some `lenient` times the expected, or a few."""
    mean = lenient * expected
    if found <= mean + 3 * sqrt(mean):
        return True
    # The chance of `found` events or more is the complement of a chi-squared tail.
    return found <= FEW_PAIRS and 1 - chi_squared_tail(2 * expected, 2 * round(found)) > TOO_MANY


def are_repeated(shared: SharedRows, rows: Ints, words: Words) -> bool:
    """Return whether most rows repeat, but not as copies do: as the visits of patients do."""
    if 2 * shared.n_values > len(rows):
        return False
    return not are_copied(np.unique(words[rows], return_counts=True)[1])


def have_ids(columns: Sequence[ComparedColumn], shared: SharedRows, rows: Ints) -> bool:
    """Return whether most rows repeat, and a column that can hold ids determines all others.

    The rows may be copies of a table with ids, or two visits of each patient.
    """
    if 2 * shared.n_values > len(rows):
        return False
    return any(
        not frames.is_continuous(column.series)
        and np.count_nonzero(column.value_sizes(rows)) >= shared.n_values
        for column in columns
    )
