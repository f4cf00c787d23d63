"""Judge equal rows in different folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..errors import describe, plural
from ..frames import FoldValues, SharedRows
from .labels import noun_of
from .lines import WORST_FIRST, Finding, double_braces, write_finding

FEW_COPIES = 1
"""A score changes by at most a percentage point if at most this percentage of rows are copies."""

LEAST_COLUMNS = 3
"""The minimum number of columns that tell copies apart from rows of the same unit, such as visits
of a patient, if another column differs in every row."""


class ComparedRows(NamedTuple):
    """The columns in which equal rows are looked for."""

    columns: Sequence[Any] = ()
    """The columns that are compared; empty if an engine compares the rows."""
    left_aside: Sequence[str] = ()
    """The names of the columns that are not compared."""
    unique: Sequence[str] = ()
    """The names of continuous columns without repeated values; they show that no rows are equal."""
    measured: Sequence[Any] | None = None
    """For each column, its series if the values are numbers or dates, otherwise None. The whole
    field is None if the call names the columns."""
    labels: Sequence[Any] = ()
    """The labels of the compared columns, if the call does not name them."""
    has_ids: bool = False
    """Whether a column that differs in every row is not compared, or the call names a key."""
    are_strata: bool = False
    """Whether `by` names all compared columns."""

    @property
    def check(self) -> str:
        return "duplicates"

    @property
    def noun(self) -> str:
        return "sets of equal rows"

    @property
    def is_judged(self) -> bool:
        """Whether enough columns are compared; equal rows with ids of their own can be visits."""
        return not self.has_ids or len(self.columns) >= LEAST_COLUMNS


class EqualRows(NamedTuple):
    """How many rows are equal, and whether chance can explain it."""

    compared: ComparedRows
    rows: SharedRows | None = None
    """The counts for the rows with a fold; None if nothing was compared."""
    by_chance: bool = False
    has_places: bool = True
    """Whether the positions of rows are meaningful to the user."""


def worse_of(first: EqualRows, second: EqualRows, labels: FoldValues) -> EqualRows:
    """Return the one with the worse finding, or the first if both are as bad."""

    def rank(shared: EqualRows) -> int:
        return WORST_FIRST.index(find_duplicates(shared, labels).severity)

    return min(first, second, key=rank)


def find_duplicates(shared: EqualRows, labels: FoldValues) -> Finding:
    """Write the finding on rows that equal a row of another fold."""
    compared, rows, fold = shared.compared, shared.rows, noun_of(labels)
    if rows is None:
        text = "duplicates: not looked for, as no column tells rows apart"
        return write_finding("note", "duplicates", 0, text)
    if compared.unique:
        differ = "differs" if len(compared.unique) == 1 else "differ"
        tails = [f", as {each} {differ} in every row" for each in list_columns(compared.unique)]
        return write_finding("ok", "duplicates", 0, "duplicates: none", *tails)
    tails = [""]
    if compared.left_aside:
        tails = [f" (without {each})" for each in list_columns(compared.left_aside)] + tails
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


def are_many(n_equal: int, n_rows: int) -> bool:
    """Return whether there are enough equal rows to change a score noticeably."""
    return 100 * n_equal > FEW_COPIES * n_rows


def list_columns(names: Sequence[str]) -> list[str]:
    """Return the names of columns as text, and a shorter text for lines without room for names."""
    listed = double_braces(", ".join(map(describe, names)))
    return [listed, describe(names[0]) if len(names) == 1 else plural(len(names), "column")]
