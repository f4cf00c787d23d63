"""Rules on the values of columns: which rows break them, and how pandera states them.

`Rule` states what a call requires, `check_rules` finds the rows that break it and raises,
`pandera_column` states the same rule to pandera for the cause of our own error, and
`flags_check` makes checks for the schemas with which users validate.
"""

import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

from ..core.types import Flags, Ints, Values
from ..errors import MAX_LISTED, StratError, describe_rows
from .dtypes import dtype_of, is_missing, to_floats
from .libraries import library_of, take
from .result import float_column, make_frame

HAS_MISSING = "has missing values"
"""The fault that all engines report in the same words."""

MANY_FAILURES = 10_000
"""The maximum number of rows of a fault in pandera's error; more would take seconds."""

LARGEST = float(np.finfo(np.float64).max)
"""The largest finite float64."""


class Rule(NamedTuple):
    """What a call requires of the values of one column."""

    complete: bool = True
    """Whether no value may be null or NaN."""
    finite: bool = False
    """Whether no value may be infinite."""
    within: tuple[float, float] | None = None
    """The lowest and the highest value allowed, if there are bounds."""
    unique: bool = False
    """Whether no value may occur twice."""
    hint: str = ""
    """What to do about missing or repeated values; `{column}` is the column as written in code."""


class RuledColumn(NamedTuple):
    """A column and the rule that it must follow."""

    name: Hashable
    """The name of the column in the frame of failing rows."""
    text: str
    """The name of the column in the message."""
    rule: Rule
    series: Any
    missing: Flags
    """Where the value is missing, shape (n_rows,)."""
    values: Values | None = None
    """The numbers for a rule on numbers, or codes for a rule on uniqueness; shape (n_rows,)."""
    rows: Ints | None = None
    """The positions of the checked rows in the series; None for all rows, in order."""
    weights: Ints | None = None
    """How many rows each checked row stands for, shape (n_rows,); None if one."""


def broken_rows(column: RuledColumn) -> Flags:
    flags = np.zeros(len(column.missing), dtype=np.bool_)
    for _, broken in broken_rules(column):
        flags |= broken
    return flags


def check_rules(
    columns: Sequence[RuledColumn], *, in_batch: bool = False, most: int = MANY_FAILURES
) -> None:
    """Raise with all rows that break the rule of their column, if there are any.

    The rows of a batch have unknown places in the frame, and are not listed. pandera's error has at
    most `most` rows for each fault.
    """
    broken = [
        (column, fault, np.flatnonzero(flags))
        for column in columns
        for fault, flags in broken_rules(column)
        if column.weights is None or column.weights[flags].any()
    ]
    if not broken:
        return
    sentences = []
    for column, fault, rows in broken:
        where = "" if in_batch else f" in {describe_rows(positions(column, rows), column.weights)}"
        sentences.append(f"{column.text} {fault}{where}.")
    if len(sentences) > 2 * MAX_LISTED:
        sentences[MAX_LISTED:] = [f"{len(sentences) - MAX_LISTED:,} more faults are not listed."]
    hints = [
        f"Hint: {column.rule.hint}"
        for column, fault, _ in broken
        if column.rule.hint and (fault == HAS_MISSING or column.rule.unique)
    ]
    message = "\n".join(dict.fromkeys(sentences + hints))
    if in_batch or columns[0].weights is not None:
        # The rows of the frame are not at hand, so the error cannot hold them.
        raise StratError(message)
    library = library_of(columns[0].series)
    shown = {column.name: column.series for column in columns if not column.rule.unique}
    places = [positions(column, rows) for column, _, rows in broken]
    raise StratError(message, failing_rows(library, shown, *places)) from pandera_error(
        columns, few_rows(broken, most)
    )


def positions(column: RuledColumn, rows: Ints) -> Ints:
    """List checked rows of a column by their place in the frame, if that is known."""
    return rows if column.rows is None else np.sort(column.rows[rows])


def few_rows(broken: Sequence[tuple[RuledColumn, str, Ints]], most: int) -> Ints | None:
    """Choose the first rows of each fault if any fault has very many; None means all rows."""
    if all(len(rows) <= most for *_, rows in broken):
        return None
    chosen = [rows[:most] for *_, rows in broken]
    for column, _, rows in broken:
        if column.rule.unique and column.values is not None:
            # A repeated value without the next equal value would not be at fault.
            chosen.append(np.flatnonzero(column.values == column.values[rows[0]])[:2])
    return np.unique(np.concatenate(chosen))


def broken_rules(column: RuledColumn) -> Iterator[tuple[str, Flags]]:
    """Yield each fault of a column in words, and flags of the rows that have it."""
    rule, values = column.rule, column.values
    if rule.complete and column.missing.any():
        yield HAS_MISSING, column.missing
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


def failing_rows(library: str, columns: dict[Hashable, Any], *rows: Ints) -> Callable[[], Any]:
    """Return a function that makes a frame of some rows of columns, their positions first.

    It takes a while for many rows, and is called only when the frame is asked for.
    """

    def make_failures() -> Any:
        position = "row"
        while position in columns:
            position += "_"
        found = rows[0] if len(rows) == 1 else np.unique(np.concatenate(rows))
        taken = {name: take(column, found) for name, column in columns.items()}
        return make_frame(library, {position: found, **taken})

    return make_failures


def pandera_module(library: str) -> Any:
    """Import pandera for a library, which takes a while, only when it is needed."""
    with warnings.catch_warnings():
        # pandera imports PySpark where it is installed, which warns about pandas 3.
        warnings.filterwarnings("ignore", message="PySpark", category=FutureWarning)
        return import_module(f"pandera.{library}")


def pandera_column(pandera: Any, rule: Rule) -> Any:
    bounds = rule.within or ((-LARGEST, LARGEST) if rule.finite else None)
    check = pandera.Check.in_range(*bounds) if bounds else None
    return pandera.Column(checks=check, nullable=not rule.complete, unique=rule.unique)


def pandera_error(columns: Sequence[RuledColumn], rows: Ints | None = None) -> Exception | None:
    library = library_of(columns[0].series)
    pandera = pandera_module(library)
    schema = {str(place): pandera_column(pandera, each.rule) for place, each in enumerate(columns)}
    data = {str(place): pandera_data(library, each) for place, each in enumerate(columns)}
    if rows is not None:
        data = {name: take(values, rows) for name, values in data.items()}
    try:
        with warnings.catch_warnings():
            # pandera 0.26 concatenates its findings in a way that pandas 2.2 warns about.
            warnings.simplefilter("ignore", FutureWarning)
            pandera.DataFrameSchema(schema).validate(make_frame(library, data), lazy=True)
    except pandera.errors.SchemaErrors as error:
        found: Exception = error.with_traceback(None)  # a traceback of no use to the caller
        return found
    return None


def pandera_data(library: str, column: RuledColumn) -> Any:
    """Take the numbers or codes of a rule, NaN where missing; any other column as it is."""
    if column.rule.unique:
        return column.values
    if column.values is not None:
        return float_column(library, np.where(column.missing, np.nan, column.values))
    series = column.series if column.rows is None else take(column.series, column.rows)
    return float_column(library, to_floats(series)) if dtype_of(series).is_float() else series


def flags_check(
    pandera: Any,
    library: str,
    keeps: Callable[[Any], Flags | bool],
    name: str,
    *,
    skip_nulls: bool = False,
) -> Any:
    """State a rule to pandera as a function from a column to flags, or to one answer.

    If pandera looks for missing values itself, they can be skipped, so that they are named once.
    """

    def check(data: Any) -> Any:
        is_pandas = library == "pandas"
        series = data if is_pandas else data.lazyframe.select(data.key).collect().to_series()
        flags = keeps(series)
        if flags is False and not is_pandas:
            # pandera puts the values at fault of all columns into one text column. False does not
            # fit into it, but the text of an error does.
            msg = f"Column {data.key!r} breaks the rule: {name}."
            raise StratError(msg)
        if isinstance(flags, bool):
            return flags
        if is_pandas:  # old pandas, and so pandera, sees no NaN in nullable columns
            return pd.Series(flags | (skip_nulls & data.isna().to_numpy()), index=data.index)
        return pl.LazyFrame({data.key: flags | (skip_nulls & is_missing(series))})

    return pandera.Check(check, name=name, error=name, ignore_na=False)


def part_type(names: Sequence[str], *, text: bool) -> Any:
    """Make a pandera type for parts in Polars: an Enum of the names, Categorical, or text."""
    enum = import_module("pandera.engines.polars_engine").Engine.dtype(pl.Enum(names))
    base: Any = type(enum)

    class PartType(base):  # type: ignore[misc]
        def check(self, pandera_dtype: Any, _: Any = None) -> bool:
            dtype = getattr(pandera_dtype, "type", pandera_dtype)
            if dtype == pl.Categorical:
                return True
            return bool((text and dtype in (pl.String, pl.Enum)) or dtype == pl.Enum(names))

    return PartType(pl.Series(names, dtype=pl.String))
