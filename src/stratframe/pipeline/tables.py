"""Columns of `by` and of folds, read for a table; strata laid out as its rows."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from .. import frames
from ..core.strata import first_occurrence
from ..core.types import Ints
from ..errors import StratError
from ..frames import Frame
from ..terms.base import DECILES, By, Continuous, Plain, Quantiles, Term
from ..terms.by import all_refs, parse_some, with_columns
from ..terms.entry import read_entry
from .strata import Strata
from .validate import check_values

RESERVED = ("n", "share", "fold", "expected", "deviation")
"""Names that the tables use themselves."""


def read_terms(frame: Frame, by: By, more: Sequence[str]) -> tuple[list[Term], Any, list[Any]]:
    """Read the columns of `by`, with continuous entries cut for show."""
    frames.check_frame(frame)
    terms = parse_some(by)
    refs = all_refs(terms)
    frames.check_refs(frame, refs, "by")
    eager = frames.collect_columns(frame, [*refs, *more])
    series = frames.read_columns(eager, refs)
    return (
        [shown_term(term, own) for term, own in with_columns(terms, series)],
        eager,
        series,
    )


def shown_term(term: Term, series: Sequence[Any]) -> Term:
    """Cut a continuous entry into quantile bins; others stay as they are."""
    if isinstance(term, Plain) and frames.is_continuous(series[0]):
        term = Continuous(term.column, term.name)
    if isinstance(term, Continuous):
        check_values([read_entry(term, series)], "stratum", [])
        return Quantiles(term.column, DECILES, term.name, quiet=True)
    return term


def table(library: str, found: Strata, columns_of: Callable[[Strata], dict[str, Any]]) -> Any:
    """Make a table of strata, or of folds and strata, in the caller's library."""

    def rows_of(one: Strata) -> dict[Hashable, Any]:
        columns = columns_of(one)
        folds = columns.pop("fold", None)
        n_folds = 1 if folds is None else len(folds)
        order = table_order(one)
        named = stratum_columns(one, np.tile(order, n_folds))
        if folds is not None:
            named = {"fold": [fold for fold in folds for _ in one.sizes], **named}
        return named | {
            name: cells.reshape(n_folds, len(order))[:, order].ravel()
            for name, cells in columns.items()
        }

    return stacked(library, found, rows_of)


def stacked(library: str, found: Strata, rows_of: Callable[[Strata], dict[Hashable, Any]]) -> Any:
    """Make one table of strata; of margins one after another, named by entry and value."""
    if not found.margins:
        return frames.make_frame(library, rows_of(found))
    every: dict[Hashable, list[Any]] = {}
    for margin in found.margins:
        name = margin.levels[0].name
        for column, cells in rows_of(margin).items():
            listed = frames.to_list(cells)
            if column == name:
                every.setdefault("entry", []).extend([str(name)] * len(listed))
                column, listed = "value", texts(listed)
            every.setdefault(column, []).extend(listed)
    return frames.make_frame(library, every)


def texts(values: Sequence[Any]) -> list[str | None]:
    """Write values, None where they are missing."""
    return [None if value is None or value != value else str(value) for value in values]


def table_order(found: Strata) -> Ints:
    """Order strata for a table: classes by first appearance, bins upwards."""
    first = first_occurrence(found.codes, len(found.sizes))
    keys = [level.places[first] for level in found.levels]
    return np.lexsort(keys[::-1]) if keys else np.arange(len(found.sizes))


def stratum_columns(found: Strata, strata: Ints) -> dict[Hashable, Any]:
    """Name strata by the values of their entries, a column for each."""
    columns: dict[Hashable, Any] = {}
    first = first_occurrence(found.codes, len(found.sizes))[strata]
    for level in found.levels:
        if level.name in RESERVED or level.name in columns:
            msg = (
                f"An entry of `by` must have a name of its own in the table, got {level.name!r}.\n"
                'Hint: give it one, as in `sf.classes(..., name="stratum")`.'
            )
            raise StratError(msg)
        columns[level.name] = level.values(first)
    return columns


def stratum_names(found: Strata, strata: Ints, *, of_entry: bool = False) -> list[str]:
    """Name strata in words, the values of several entries in brackets."""
    first = first_occurrence(found.codes, len(found.sizes))[strata]
    listed = [texts(frames.to_list(level.values(first))) for level in found.levels]
    names = [[text or "missing" for text in each] for each in zip(*listed, strict=True)]
    entry = f"{found.levels[0].name}: " if of_entry else ""
    return [entry + (each[0] if len(each) == 1 else f"({', '.join(each)})") for each in names]


def words(texts: Sequence[str]) -> Any:
    """Make a column of texts, which may be empty."""
    return np.array(texts, dtype=np.str_)
