"""Rules on the values of columns: which rows break them, and pandera's word on it.

`Rule` states what a call needs, `check_rules` finds the rows that break it and raises,
`pandera_column` states the same rule to pandera, for schemas that users validate with and
for the cause of our own error.
"""

import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

from ..core.types import Flags, Ints, Values
from ..errors import StratError, rows_at_fault
from .dtypes import is_float, to_floats
from .tables import float_column, make_frame
from .which_library import library_of, take

LARGEST = 1.7976931348623157e308
"""The largest finite float64."""


class Rule(NamedTuple):
    """What a call needs of the values of one column."""

    present: bool = True
    """No null or NaN."""
    finite: bool = False
    """No infinity."""
    within: tuple[float, float] | None = None
    """No value below the first or above the second number."""
    unique: bool = False
    """No value twice."""
    hint: str = ""
    """What to do about missing values; `{column}` is the column as written in code."""


class RuledColumn(NamedTuple):
    """A column and the rule that it must keep."""

    name: Hashable
    """The column, as the frame of failing rows calls it."""
    text: str
    """The column, as the message calls it."""
    rule: Rule
    series: Any
    missing: Flags
    """Where the value is missing, shape (n_rows,)."""
    values: Values | None = None
    """The numbers of a rule on numbers; of a rule on uniqueness, codes. Shape (n_rows,)."""
    rows: Ints | None = None
    """The positions of the checked rows in the series; None for all, in its order."""


def broken_rows(column: RuledColumn) -> Flags:
    """Flag the rows that break any part of a rule."""
    flags = np.zeros(len(column.missing), dtype=np.bool_)
    for _, broken in broken_rules(column):
        flags |= broken
    return flags


def check_rules(columns: Sequence[RuledColumn]) -> None:
    """Raise with all rows that break the rule of their column, if there are any."""
    faults = [
        (column, fault, positions(column, flags))
        for column in columns
        for fault, flags in broken_rules(column)
    ]
    if not faults:
        return
    sentences = [rows_at_fault(column.text, fault, rows) for column, fault, rows in faults]
    hints = [
        f"Hint: {column.rule.hint}"
        for column, fault, _ in faults
        if fault == MISSING and column.rule.hint
    ]
    library = library_of(columns[0].series)
    shown = {column.name: column.series for column in columns if not column.rule.unique}
    rows = np.unique(np.concatenate([rows for *_, rows in faults]))
    message = "\n".join(dict.fromkeys(sentences + hints))
    raise StratError(message, failing_rows(library, shown, rows)) from pandera_error(columns)


def positions(column: RuledColumn, flags: Flags) -> Ints:
    """List the flagged rows of a column by their place in the frame."""
    rows = np.flatnonzero(flags)
    return rows if column.rows is None else np.sort(column.rows[rows])


MISSING = "has missing values"


def broken_rules(column: RuledColumn) -> Iterator[tuple[str, Flags]]:
    """Find the rows that break each part of a rule."""
    rule, values = column.rule, column.values
    if rule.present and column.missing.any():
        yield MISSING, column.missing
    if values is None:
        return
    if rule.unique and (flags := np.bincount(values)[values] > 1).any():
        yield "must identify each row, but repeats", flags
    known = ~column.missing
    if rule.finite and (flags := known & ~np.isfinite(values)).any():
        # Infinite values also lie outside all bounds: they are named once.
        yield "has infinite values", flags
        return
    if rule.within is not None:
        low, high = rule.within
        flags = known & ((values < low) | (values > high))
        if flags.any():
            yield f"has values outside {low:.15g} to {high:.15g}", flags


def failing_rows(library: str, columns: dict[Hashable, Any], rows: Ints) -> Any:
    """Make a frame of some rows of columns, their positions first."""
    position = "row"
    while position in columns:
        position += "_"
    return make_frame(
        library, {position: rows, **{name: take(each, rows) for name, each in columns.items()}}
    )


def pandera_module(library: str) -> Any:
    """Import pandera for a library, which takes a while, only when it is needed."""
    with warnings.catch_warnings():
        # pandera imports pyspark where there is one, which warns of new versions of pandas.
        warnings.filterwarnings("ignore", "PySpark", FutureWarning)
        return import_module(f"pandera.{library}")


def pandera_column(pandera: Any, rule: Rule) -> Any:
    """State a rule to pandera."""
    checks = []
    if rule.finite:
        checks.append(pandera.Check.in_range(-LARGEST, LARGEST))
    if rule.within is not None:
        checks.append(pandera.Check.in_range(*rule.within))
    return pandera.Column(checks=checks, nullable=not rule.present, unique=rule.unique)


def pandera_error(columns: Sequence[RuledColumn]) -> Exception | None:
    """Let pandera check the columns, and return the error that it raises."""
    library = library_of(columns[0].series)
    pandera = pandera_module(library)
    schema = {str(place): pandera_column(pandera, each.rule) for place, each in enumerate(columns)}
    data: dict[Hashable, Any] = {
        str(place): pandera_data(library, column) for place, column in enumerate(columns)
    }
    try:
        with warnings.catch_warnings():
            # pandera 0.26 concatenates its findings in a way that pandas 2.2 warns of.
            warnings.simplefilter("ignore", FutureWarning)
            pandera.DataFrameSchema(schema).validate(make_frame(library, data), lazy=True)
    except pandera.errors.SchemaErrors as error:
        found: Exception = error
        return found
    return None


def pandera_data(library: str, column: RuledColumn) -> Any:
    """Take the numbers of a column, NaN where missing; the classes of any other."""
    if column.rule.unique:
        return column.values
    if column.values is not None:
        return float_column(library, np.where(column.missing, np.nan, column.values))
    series = column.series if column.rows is None else take(column.series, column.rows)
    return float_column(library, to_floats(series)) if is_float(series) else series


def flags_check(pandera: Any, library: str, keeps: Callable[[Any], Flags | bool], name: str) -> Any:
    """State a rule to pandera as a function from a column to flags, or to one answer."""

    def check(data: Any) -> Any:
        if library == "pandas":
            flags = keeps(data)
            return flags if isinstance(flags, bool) else pd.Series(flags, index=data.index)
        flags = keeps(data.lazyframe.select(data.key).collect().to_series())
        return flags if isinstance(flags, bool) else pl.LazyFrame({data.key: flags})

    return pandera.Check(check, name=name, error=name, ignore_na=False)


def category_list(series: Any) -> list[Any]:
    """List the categories of a pandas column in their order."""
    categories: list[Any] = series.cat.categories.tolist()
    return categories
