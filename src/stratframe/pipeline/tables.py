"""Strata as the rows of a result: read for a table, ordered, and named."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Concatenate, NamedTuple, ParamSpec, Protocol, cast, overload

import numpy as np

from .. import frames
from ..core.strata import first_occurrence
from ..core.types import Ints, StratumTable, Values
from ..errors import StratError, above_limit, plural
from ..frames import AnyFrame, Frame, PandasFrame, PolarsFrame, PolarsTable
from ..terms.base import Term
from ..terms.by import Entries, split_series
from ..terms.entry import read_entry
from .options import Options
from .strata import Level, Strata
from .validate import check_values

RESERVED = ("n", "share", "fold", "expected", "deviation")
"""Names that the tables use themselves."""

ALL_ROWS = "all rows"
"""What the one stratum is called where all entries only order the rows."""

DECIMALS = 2
"""Of the figures that no reader needs more exactly, so that tables fit a terminal."""

MAX_TABLE_ROWS = 2**26
"""Rows that a table of strata and parts may have: in pandas, 8 GiB while it is made."""

P = ParamSpec("P")


class TableVerb(Protocol[P]):
    """A verb that returns a table in the library of its frame, collected if that was lazy."""

    @overload
    def __call__(self, frame: PandasFrame, /, *args: P.args, **kwargs: P.kwargs) -> PandasFrame: ...
    @overload
    def __call__(self, frame: PolarsFrame, /, *args: P.args, **kwargs: P.kwargs) -> PolarsTable: ...
    @overload
    def __call__(self, frame: AnyFrame, /, *args: P.args, **kwargs: P.kwargs) -> Any: ...


def table_verb(function: Callable[Concatenate[Frame, P], Any]) -> TableVerb[P]:
    """Type a verb as one that returns a table; the function itself stays as it is."""
    return cast("TableVerb[P]", function)


class FoldCounts(NamedTuple):
    """A fold column, counted by strata."""

    folds: list[Any]
    """The folds or parts, in order."""
    tables: list[StratumTable]
    """Rows of the strata in every fold, and last in none; of margins a table for each."""
    strata: list[Strata]
    """What the rows of each table are."""
    nominal: bool
    """Whether all entries are of classes, which have no order of their own."""
    of_order: bool = False
    """Whether some strata are bins that only show an entry by which rows are ordered."""


class Folded(NamedTuple):
    """Rows with their strata, and with their folds in a column."""

    strata: Strata
    folds: list[Any]
    """The folds or parts, in order."""
    codes: Ints
    """The fold of every row, shape (n_dealt,), range -1..n_folds-1."""
    nominal: bool
    """As of `FoldCounts`."""
    of_order: bool = False
    """As of `FoldCounts`."""

    def crossed(self) -> FoldCounts:
        """Count the rows of every stratum in every fold."""
        levels, n_parts = list(self.strata.margins or [self.strata]), len(self.folds) + 1
        # Rows without a fold have the code -1, which is the last column of a table.
        tables = [level.crosstab(self.codes % n_parts, n_parts) for level in levels]
        return FoldCounts(self.folds, tables, levels, self.nominal, self.of_order)


def check_not_itself(argument: str, refs: Sequence[Any], name: Hashable) -> None:
    """Raise if one of the references is the fold column itself."""
    if any(frames.is_column(ref, name) for ref in refs):
        shown = frames.format_reference(name)
        msg = (
            f"`{argument}` must be other columns than the folds, but both are {shown}.\nHint: name"
            f' what the folds are compared by, as in `{argument}="label"`.'
        )
        raise StratError(msg)


def check_not_swapped(by: Any, name: object, folded: Folded) -> Folded:
    """Raise if a single column of `by` looks like folds, and the fold column like labels."""
    if not isinstance(by, str) or not isinstance(name, str):
        return folded
    if FOLD_NAME.search(by) and not FOLD_NAME.search(name):
        (level,), n_strata = folded.strata.levels, len(folded.strata.sizes)
        compared = frames.to_list(level.values(first_occurrence(folded.strata.codes, n_strata)))
        folds = frames.count_values(folded.folds, folded.codes, folded.strata.weights)
        if look_like_folds(compared) and not look_like_folds(folds.present, folds.sizes):
            msg = (
                f"`by` must be what folds are compared by, but {by!r} looks like the folds, and"
                f' {name!r} does not.\nHint: swap them, `by="{name}"` and "{by}" as the fold'
                f' column; or if this is meant, `by=sf.classes("{by}")`.'
            )
            raise StratError(msg)
    return folded


def look_like_folds(values: Sequence[Any], sizes: Sequence[int] = ()) -> bool:
    """Return whether values are names of parts, or 0..k-1 of about the same sizes."""
    if len(values) < 2 or any(isinstance(value, bool) for value in values):
        return False
    is_part = frames.purposes_of(values) < len(frames.PURPOSES)
    are_even = 2 * max(sizes, default=0) <= 3 * min(sizes, default=0)
    return bool(is_part.any()) or (are_even and {*values} == {*range(len(values))})


FOLD_NAME = re.compile(r"(?<![a-z])(k?fold|split)s?(?![a-z])|^(inner|outer)$", re.IGNORECASE)
"""What columns of folds and parts are often called."""


def show_order(terms: Sequence[Term]) -> bool:
    """Return whether a term cuts bins in place of one that orders rows, which has no warning."""
    return any(getattr(term, "warns", True) is False for term in terms)


def tabulated(entries: Entries, series: Sequence[Any]) -> Options:
    """Describe rows by entries, of which continuous ones are cut into bins."""
    terms = entries.terms
    if not entries.marginal:
        handed = split_series(entries.terms, series)
        terms = tuple(tabulated_term(term, columns) for term, columns in handed)
    return Options(terms, entries.marginal)


def tabulated_term(term: Term, series: Sequence[Any]) -> Term:
    """Cut a continuous entry into bins; others stay as they are."""
    term = term.resolve(series)
    binned = term.without_order()
    if binned is None or binned is term:
        return term
    check_values([read_entry(term, series, 1)], Options(), ())
    return binned


def check_table_size(verb: str, strata: Strata, n_parts: int, n_figures: int) -> None:
    """Raise if a table of one row per stratum and part would be too large.

    Parameters
    ----------
    n_figures : int
        The columns of the table besides those of the strata.
    """
    n_strata = sum(len(level.sizes) for level in strata.margins or [strata])
    n_rows = n_strata * n_parts
    if n_rows <= MAX_TABLE_ROWS:
        return
    n_columns = n_figures + (2 if strata.margins else len(strata.levels))
    size = (
        f" ({plural(n_strata, 'stratum', 'strata')} x {plural(n_parts, 'part')}),"
        f" some {n_rows * n_columns * 8 / 2**30:,.1f} GiB"
    )
    subject = f"The table of `{verb}`"
    hint = "\nHint: name fewer entries in `by`, or cut them into fewer strata."
    raise StratError(above_limit(subject, MAX_TABLE_ROWS, "row", n_rows, size) + hint)


def stratum_table(
    library: str, strata: Strata, columns_of: Callable[[Strata], dict[str, Any]]
) -> Any:
    """Make a table of strata, or of folds and strata, in the caller's library.

    Parameters
    ----------
    columns_of : callable
        From strata to columns of one value per stratum; with `fold`, a list of the folds,
        of one value per fold and stratum.
    """

    def rows_of(level: Strata) -> dict[Hashable, Any]:
        columns = columns_of(level)
        folds = columns.pop("fold", None)
        n_folds = 1 if folds is None else len(folds)
        order = table_order(level)
        rows: dict[Hashable, Any] = {}
        if folds is not None:
            rows["fold"] = [fold for fold in folds for _ in level.sizes]
        rows.update(stratum_columns(level, np.tile(order, n_folds)))
        for name, cells in columns.items():
            rows[name] = cells.reshape(n_folds, len(order))[:, order].ravel()
        return rows

    return stacked_table(library, strata, rows_of)


def stacked_table(
    library: str, strata: Strata, rows_of: Callable[[Strata], dict[Hashable, Any]]
) -> Any:
    """Make one table of strata; of margins one below the other, named by entry and value."""
    if not strata.margins:
        return frames.make_frame(library, rows_of(strata))
    table: dict[Hashable, list[Any]] = {}
    for margin in strata.margins:
        entry = margin.levels[0].name
        for column, cells in rows_of(margin).items():
            values = frames.to_list(cells)
            if column == entry:
                table.setdefault("entry", []).extend([str(entry)] * len(values))
                column, values = "value", format_values(values)
            table.setdefault(column, []).extend(values)
    return frames.make_frame(library, table)


def fold_table(
    names: Sequence[Any], table_of: Callable[[Any, str], Any], columns: Sequence[str] = ()
) -> Any:
    """Make one table of several fold columns: of two or more, one below the other.

    Parameters
    ----------
    table_of : callable
        From a fold column, and what its folds are called, to a table.
    columns : sequence of str
        The other columns. A column that has the name of one of them is called `fold`.
    """
    if len(names) == 1:
        name = names[0]
        return table_of(name, name if isinstance(name, str) and name not in columns else "fold")
    tables = [table_of(name, "fold") for name in names]
    if "column" in frames.column_names(tables[0]):
        raise StratError(taken_name("column"))
    return frames.stack_frames(list(map(str, names)), tables)


def format_values(values: Sequence[Any]) -> list[str | None]:
    """Write values, None where they are missing."""
    return [None if value is None or value != value else str(value) for value in values]


def table_order(strata: Strata) -> Ints:
    """Order strata for a table, nested: classes by value, bins upwards, missing values last."""
    first = first_occurrence(strata.codes, len(strata.sizes))
    keys = [level_order(level, first) for level in strata.levels]
    return np.lexsort(keys[::-1]) if keys else np.arange(len(strata.sizes))


def level_order(level: Level, first: Ints) -> Ints:
    """Place the strata of a level: by value, or by first appearance if values cannot compare."""
    ranks = frames.rank_values(level.values(first)) if level.is_nominal else None
    return level.places[first] if ranks is None else ranks


def stratum_columns(strata: Strata, which: Ints) -> dict[Hashable, Any]:
    """Name some strata by the values of their entries, a column for each entry."""
    columns: dict[Hashable, Any] = {}
    first = first_occurrence(strata.codes, len(strata.sizes))[which]
    for level in strata.levels:
        if level.name in RESERVED or level.name in columns:
            raise StratError(taken_name(level.name))
        columns[level.name] = level.values(first)
    return columns


def taken_name(name: Hashable) -> str:
    """State that an entry is called as another column of the result."""
    return (
        f"{name!r} is already a column of the result: an entry of `by` needs another"
        ' name.\nHint: give it one, as in `sf.classes(..., name="stratum")`.'
    )


def stratum_names(strata: Strata, which: Ints, *, with_entry: bool) -> list[str]:
    """Name some strata in words, the values of several entries in brackets."""
    if not strata.levels:
        return [ALL_ROWS] * len(which)
    first = first_occurrence(strata.codes, len(strata.sizes))[which]
    columns = [format_values(frames.to_list(level.values(first))) for level in strata.levels]
    names = [[text or "missing" for text in row] for row in zip(*columns, strict=True)]
    entry = f"{strata.levels[0].name}: " if with_entry else ""
    return [entry + (row[0] if len(row) == 1 else f"({', '.join(row)})") for row in names]


def text_array(texts: Sequence[str]) -> Any:
    """Make a column of text, which may be empty."""
    return np.array(texts, dtype=np.str_)


def rounded_column(library: str, values: Values) -> Any:
    """Make a column of floats of few decimals, NaN as the missing value of the library."""
    return frames.float_column(library, values.round(DECIMALS))
