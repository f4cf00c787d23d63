"""Judge equal rows in different folds, and rows that are equal in all columns but one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import frames
from ..core.near_copies import count_split_pairs, count_without_each, flag_split_rows
from ..core.strata import count_pairs, distinct_values, share_of_pairs
from ..core.types import Ints, Values, Words
from ..errors import describe, plural
from ..frames import ComparedColumn, FoldValues, SharedRows
from ..frames.duplicates import HashedRows, count_across_folds, count_with_example
from .behaviour import (
    SAMPLED,
    agreement,
    has_size_of_ids,
    makes_key,
    pairs_that_agree,
    sample_values,
)
from .compared import matches_folds
from .copies import (
    LEAST_COLUMNS,
    ComparedRows,
    are_enough,
    are_many,
    are_repeated,
    choose_compared,
    explain_rows,
    have_ids,
    is_explained,
    is_within,
)
from .ids import ROWS_EACH, is_id
from .labels import noun_of
from .lines import WORST_FIRST, Finding, Severity, double_braces, write_finding

LEAST_ROWS = 100
"""The minimum number of rows in which nearly equal rows are looked for."""

LEAST_EQUAL = 5
"""More rows than this must be equal in all columns but one, whatever their share."""

MOST_JUDGED = 4
"""The maximum number of columns that are left out to judge the rows that are equal in all others;
those that hide most rows come first."""

ALONE = 0.1
"""Rows are copies only if each other column hides less than this share of as many rows. Rows that
are similar by nature, such as those of a household, differ now in one column, now in another."""

COMPARABLE = 0.1
"""If chance makes more than this share of as many rows equal in all columns, it may make the others
equal in all but one, too."""

OFTEN = 0.15
"""Equal rows may be of the same unit if more than this share of the pairs of rows with the same id
are equal."""

SURELY = 0.7
"""A sample shows enough equal rows if it shows this share of what is needed, as it can be small."""


class NearlyEqual(NamedTuple):
    """Rows that equal a row of another fold in all columns but one, beyond chance."""

    column: Any
    """The label of the column in which the rows differ."""
    n_rows: int
    """The number of these rows, without those that are equal in all columns."""
    is_leak: bool
    """Whether they are copies; otherwise it is a question."""
    labels: Sequence[Any]
    """The labels of the columns in which the rows are equal."""


class EqualRows(NamedTuple):
    """How many rows are equal, and whether chance can explain it."""

    compared: ComparedRows
    rows: SharedRows | None = None
    """The counts for the rows with a fold; None if nothing was compared."""
    by_chance: bool = False
    """Whether chance can explain it or, beside a column that differs in every row, visits can."""
    nearly: NearlyEqual | None = None
    has_places: bool = True
    """Whether the positions of rows are meaningful to the user."""


# Equal rows -----------------------------------------------------------------------------


def count_equal_rows(compared: ComparedRows, values: list[Any], folds: Ints) -> EqualRows:
    """Count the rows that equal a row of another fold, and judge whether they are copies."""
    compared = leave_out_twins(compared, folds)
    rows = np.flatnonzero(folds >= 0)
    if compared.unique:
        return count_beside_unique(compared, values, folds, rows)
    columns = compared.columns
    if not columns:
        return EqualRows(compared)
    words = frames.duplicates.row_words(columns)
    shared = count_with_example(columns, rows, folds, values, words)
    is_asked = compared.measured is None or compared.is_judged
    is_judged = is_asked and are_enough(compared, shared, len(rows))
    by_chance = is_judged and is_explained(compared, shared, folds, rows, words)
    nearly = None
    if compared.measured is not None and not (is_judged and not by_chance):
        nearly = find_hidden_copies(compared, shared, folds, rows)
    if nearly is not None and by_chance and shared.n_rows > COMPARABLE * nearly.n_rows:
        nearly = nearly._replace(is_leak=False)
    return EqualRows(compared, shared, by_chance, nearly)


def leave_out_twins(compared: ComparedRows, folds: Ints) -> ComparedRows:
    """Leave out the columns whose values match the folds one-to-one, which no other fold shares."""
    if compared.measured is None:
        return compared
    rows = np.flatnonzero(folds >= 0)
    is_twin = np.array([matches_folds(each, folds, rows) for each in compared.columns], np.bool_)
    if not is_twin.any():
        return compared
    twins = [str(compared.labels[place]) for place in np.flatnonzero(is_twin).tolist()]
    return choose_compared(compared, np.flatnonzero(~is_twin))._replace(twins=twins)


# Nearly equal rows ----------------------------------------------------------------------


def count_beside_unique(
    compared: ComparedRows, values: list[Any], folds: Ints, rows: Ints
) -> EqualRows:
    """Compare rows in all columns but those that differ in every row, and judge these rows."""
    none = EqualRows(compared, SharedRows(len(rows), 0, 0, 0))
    columns = compared.columns
    if len(columns) < LEAST_COLUMNS or len(rows) < LEAST_ROWS:
        return none
    if may_have_copies(columns, folds, len(rows)):
        words = frames.duplicates.row_words(columns)
        shared = count_with_example(columns, rows, folds, values, words)
        if not are_many(shared.n_rows, len(rows)) or are_repeated(shared, rows, words):
            return none
        explanation = explain_rows(compared, shared, folds, rows, words)
        if explanation != "chance":
            is_asked = explanation is not None or may_be_units(compared, shared, rows)
            return EqualRows(compared, shared, by_chance=is_asked)
    return none


def may_have_copies(columns: Sequence[ComparedColumn], folds: Ints, n_rows: int) -> bool:
    """Return whether all rows or a sample have many that equal a row of another fold."""
    (sample,) = hash_dealt_rows(columns, folds, for_each=False)
    is_split = flag_split_rows(sample.words.sum(axis=0), folds[sample.rows])
    if len(is_split) == n_rows:
        return are_many(int(is_split.sum()), n_rows)
    if not are_many(int(is_split.sum()), SURELY * len(is_split)):
        return False
    return not is_surely_chance(columns, sample, folds, range(len(columns)))


def hash_dealt_rows(
    columns: Sequence[ComparedColumn], folds: Ints, *, for_each: bool = True
) -> list[HashedRows]:
    """Hash the values of all rows, or of samples, and keep the rows that have a fold."""
    hashed = []
    for sample in frames.duplicates.hash_rows(columns, for_each=for_each):
        has_fold = folds[sample.rows] >= 0
        if has_fold.all():
            hashed.append(sample)
            continue
        words = sample.words[:, has_fold]
        hashed.append(sample._replace(rows=sample.rows[has_fold], words=words))
    return hashed


def find_hidden_copies(
    compared: ComparedRows, in_all: SharedRows, folds: Ints, rows: Ints
) -> NearlyEqual | None:
    """Find the column without which most rows equal a row of another fold, beyond chance.

    `in_all` counts the rows that are equal in all columns.
    """
    if len(compared.columns) <= LEAST_COLUMNS or len(rows) < LEAST_ROWS:
        return None
    if not are_worth_telling(len(rows) - in_all.n_rows, len(rows)):
        return None
    hashed = hash_dealt_rows(compared.columns, folds)
    is_sampled = len(hashed) > 1
    shares = share_hidden_rows(hashed, folds)
    n_hidden = shares * len(rows)
    is_enough = are_worth_telling(n_hidden / SURELY if is_sampled else n_hidden, len(rows))
    most_first = np.argsort(-shares, kind="stable")[:MOST_JUDGED]
    for place in most_first[is_enough[most_first]].tolist():
        others = np.delete(np.arange(len(shares)), place)
        sample = next(each for each in hashed if place in each.places)
        if is_sampled and is_surely_chance(compared.columns, sample, folds, others):
            continue
        found = judge_hidden(compared, in_all, folds, rows, shares, place)
        if found is not None:
            return found
    return None


def are_worth_telling(n_hidden: Any, n_rows: int) -> Any:
    """Return whether a column hides enough copies to report; `n_hidden` may be an array."""
    return are_many(n_hidden, n_rows) & (n_hidden > LEAST_EQUAL)


def judge_hidden(
    compared: ComparedRows,
    in_all: SharedRows,
    folds: Ints,
    rows: Ints,
    shares: Values,
    place: int,
) -> NearlyEqual | None:
    """Judge all rows without the column at this place; return None if nothing speaks of copies.

    `in_all` counts the rows that are equal in all columns. `shares` holds the share of the rows
    that each column hides, or about that share.
    """
    others = np.delete(np.arange(len(shares)), place)
    without = choose_compared(compared, others)
    words = frames.duplicates.row_words(without.columns)
    in_others = count_across_folds(without.columns, folds, rows, words)
    n_hidden = in_others.n_rows - in_all.n_rows
    if not are_worth_telling(n_hidden, len(rows)) or are_repeated(in_others, rows, words):
        return None
    explanation = explain_rows(without, in_others, folds, rows, words)
    if explanation == "chance":
        return None
    is_doubtful = explanation is not None or may_be_units(without, in_others, rows)
    may_be_copies = hides_copies(compared, place)
    if is_doubtful and not may_be_copies:
        return None
    is_alone = shares[others].max() < ALONE * shares[place]
    is_leak = bool(may_be_copies and is_alone and not is_doubtful)
    return NearlyEqual(
        column=compared.labels[place],
        n_rows=n_hidden,
        is_leak=is_leak and not is_of_design(compared, place),
        labels=without.labels,
    )


def may_be_units(compared: ComparedRows, shared: SharedRows, rows: Ints) -> bool:
    """Return whether equal rows may be of the same unit, as a column of ids says."""
    named = [is_id(label) for label in compared.labels]
    for column in itertools.compress(compared.columns, named):
        sizes = column.value_sizes(rows)
        n_alike = count_pairs(sizes)
        if ROWS_EACH * np.count_nonzero(sizes) <= len(rows) and shared.n_pairs > OFTEN * n_alike:
            return True
    return have_ids(compared.columns, shared, rows)


def hides_copies(compared: ComparedRows, place: int) -> bool:
    """Return whether a column can differ in copies: a label, or numbers with fractions."""
    is_label = compared.labels[place] in compared.strata
    return is_label or frames.is_continuous(compared.columns[place].series)


def is_of_design(compared: ComparedRows, place: int) -> bool:
    """Return whether a column identifies rows together with another column, whose values repeat.

    A year does so together with a school, and a method together with a sample. Rows that differ in
    such a column alone are repeated measurements rather than copies.
    """
    codes = compared.columns[place].classes[0]
    anywhere = agreement(codes)
    for other, column in enumerate(compared.columns):
        units, n_units = column.classes
        if other == place or not has_size_of_ids(units, n_units):
            continue
        sample = sample_values(units, n_units, SAMPLED)
        if makes_key(pairs_that_agree(sample.codes, codes[sample.rows]), sample.n_pairs, anywhere):
            return True
    return False


def share_hidden_rows(hashed: Sequence[HashedRows], folds: Ints) -> Values:
    """Share the rows that equal a row of another fold in all columns but one, and differ in it."""
    shares = np.zeros(len(hashed[0].words))
    for sample in hashed:
        own_folds = folds[sample.rows]
        n_equal = flag_split_rows(sample.words.sum(axis=0), own_folds).sum()
        n_without = count_without_each(sample.words, own_folds, sample.places)
        n_hidden = n_without[sample.places] - n_equal
        shares[sample.places] = n_hidden / max(len(own_folds), 1)
    return shares


def is_surely_chance(
    columns: Sequence[ComparedColumn], sample: HashedRows, folds: Ints, places: Sequence[int] | Ints
) -> bool:
    """Return whether chance explains the equal rows of a sample in the columns at these places.

    Nearly unique columns are left to the rules for all rows.
    """
    words = sample.words[places]
    rows = words.sum(axis=0)
    n_distinct = len(distinct_values(rows))
    if any(2 * len(distinct_values(own)) > n_distinct for own in words):
        return False
    n_rows = len(columns[0])
    expected = n_rows * len(rows) / 2
    # Columns that choose the sample have too few values in it.
    some = frames.duplicates.strided_rows(n_rows)
    for place in places:
        expected *= share_equal_pairs(columns[place].words_at(some))
    return is_within(count_split_pairs(rows, folds[sample.rows]), expected)


def share_equal_pairs(words: Words) -> float:
    """Return the share of all pairs of rows that have equal words."""
    return share_of_pairs(np.unique(words, return_counts=True)[1])


# Words ----------------------------------------------------------------------------------


def worse_of(first: EqualRows, second: EqualRows, labels: FoldValues) -> EqualRows:
    """Return the one with the worse finding, or the first if both are as bad."""

    def rank(shared: EqualRows) -> int:
        found = find_duplicates(shared, labels)
        return min(WORST_FIRST.index(each.severity) for each in found)

    return min(first, second, key=rank)


def find_duplicates(shared: EqualRows, labels: FoldValues) -> list[Finding]:
    """List the findings on rows that equal a row of another fold, in all columns or all but one."""
    if shared.compared.unique:
        finding = find_beside_unique(shared, labels)
    else:
        finding = find_equal_rows(shared, labels)
    if shared.nearly is None:
        return [finding]
    nearly = find_nearly_equal(shared, shared.nearly, labels)
    # Beside copies, "no row equals a row of another fold" would seem to say that there are none.
    return [nearly] if finding.severity == "ok" else [finding, nearly]


def find_equal_rows(shared: EqualRows, labels: FoldValues) -> Finding:
    """Write the finding on rows that equal a row of another fold in all columns."""
    compared, rows, fold = shared.compared, shared.rows, noun_of(labels)
    if rows is None:
        text = "duplicates: not looked for, as no column tells rows apart"
        return write_finding("note", "duplicates", 0, text)
    tails = [""]
    if left_out := [*compared.left_aside, *compared.twins]:
        tails = [f" (without {each})" for each in list_columns(left_out)] + tails
    n = rows.n_rows
    if not n:
        text = f"duplicates: no row equals a row of another {fold}"
        return write_finding("ok", "duplicates", 0, text, *tails)
    counted, equal = write_share(n, labels), f" equal a row of another {fold}"
    if compared.measured is not None and not are_many(n, sum(labels.sizes)):
        listed = "; `leaks()` lists them"
        endings = [f"{listed}{tail}" for tail in tails]
        return write_finding("note", "duplicates", n, f"{counted}{equal}", *endings)
    if shared.by_chance or not compared.is_judged:
        endings = describe_doubt(compared, equal, tails)
        finding = write_finding("note", "duplicates", n, counted, *endings)
        return finding if compared.is_judged else finding.as_question()
    if shared.has_places and rows.example is not None and rows.example.rows is not None:
        first, second = sorted(rows.example.rows)
        tails = [f", such as rows {first:,} and {second:,}{tail}" for tail in tails]
    return write_finding("leak", "duplicates", n, f"{counted}{equal}", *tails)


def find_beside_unique(shared: EqualRows, labels: FoldValues) -> Finding:
    """Write the finding on rows that differ in some columns, each of which has no equal values."""
    compared = shared.compared
    n = 0 if shared.rows is None else shared.rows.n_rows
    differ = "differs" if len(compared.unique) == 1 else "differ"
    listed = list_columns(compared.unique)
    if n:
        text = f"{write_share(n, labels)} equal a row of another {noun_of(labels)}"
        tails = [f" in all but {each}, which {differ} in every row" for each in listed]
        short = [f" in all but {each}" for each in listed]
        if shared.by_chance:
            return write_finding("note", "duplicates", n, text, *tails, *short).as_question()
        return write_finding("leak", "duplicates", n, text, *tails, *short)
    tails = [f", as {each} {differ} in every row" for each in listed]
    if len(compared.columns) < LEAST_COLUMNS and sum(labels.sizes) >= LEAST_ROWS:
        return write_finding(
            "note", "duplicates", 0, "duplicates: not judged", *tails
        ).as_question()
    return write_finding("ok", "duplicates", 0, "duplicates: none", *tails)


def find_nearly_equal(shared: EqualRows, nearly: NearlyEqual, labels: FoldValues) -> Finding:
    """Write the finding on rows that equal a row of another fold in all columns but one."""
    listed = list_columns(shared.compared.unique)[0] if shared.compared.unique else ""
    unique = f" and {listed}" if listed else ""
    n = nearly.n_rows
    text = (
        f"{write_share(n, labels)} equal a row of another {noun_of(labels)} in all but {{column}}"
    )
    call = double_braces(write_call(nearly.labels))
    tails = [f"{unique}; `leaks({call})` lists them", unique]
    severity: Severity = "leak" if nearly.is_leak else "note"
    column = describe(nearly.column)
    finding = write_finding(severity, "duplicates", n, text, *tails, column=column)
    return finding if nearly.is_leak else finding.as_question()


def write_share(n_equal: int, labels: FoldValues) -> str:
    """Write a number of rows and their share, as in "42 rows (0.6 %)"."""
    percent = 100 * n_equal / sum(labels.sizes)
    share = "under 0.1"
    if percent >= 0.1:
        share = f"{percent:.{0 if percent >= 10 else 1}f}"
    return f"{n_equal:,} rows ({share} %)"


def describe_doubt(compared: ComparedRows, equal: str, tails: Sequence[str]) -> list[str]:
    """Write that equal rows may be no copies, and the call that judges them; longest first."""
    doubt, question = ", maybe by chance", " equal by chance?"
    if not compared.is_judged:
        doubt, question = ", not judged", " equal, not judged;"
    plain = [f"{equal}{doubt}{tail}" for tail in tails]
    if compared.labels and not compared.are_strata:
        call = double_braces(write_call(compared.labels))
        return [f"{plain[0]}; {call} judges them", f"{question} {call}", *plain, equal]
    return [*plain, equal]


def write_call(labels: Sequence[Any]) -> str:
    """Write the argument that names the compared columns."""
    if len(labels) == 1 and not isinstance(labels[0], tuple):
        return f"duplicates={labels[0]!r}"
    return f"duplicates={[*labels]!r}"


def list_columns(names: Sequence[str]) -> list[str]:
    """Return the names of columns as text, and a shorter text for lines without room for names."""
    listed = double_braces(", ".join(map(describe, names)))
    return [listed, describe(names[0]) if len(names) == 1 else plural(len(names), "column")]
