"""Check the values of columns against rules, and express the rules in pandera.

`Rule` describes the requirements of a call, and `check_rules` raises an error if rows break a rule.
`pandera_column` expresses a rule in pandera so that the cause of this error can be an error of
pandera. `flags_check` makes the checks for the public schemas.
"""

import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

from ..core.strata import distinct_values
from ..core.types import Flags, Ints, Values
from ..errors import MAX_LISTED, StratError, describe_rows, write_number
from .dtypes import dtype_of, is_missing, to_floats
from .libraries import library_of, take, to_native
from .result import float_column, make_frame
from .threads import has_threads

HAS_MISSING = "has missing values"
HAS_INFINITE = "has infinite values"
"""The description of missing values that all engines use in messages."""

MANY_FAILURES = 10_000
"""The maximum number of rows with each fault in an error of pandera; more rows take seconds."""

LARGEST = float(np.finfo(np.float64).max)
"""The largest finite float64."""


class Rule(NamedTuple):
    """The requirements of a call for the values of one column."""

    complete: bool = True
    """Whether null and NaN are forbidden."""
    finite: bool = False
    """Whether infinite values are forbidden."""
    within: tuple[float, float] | None = None
    """The lowest and the highest allowed value; None if there are no bounds."""
    unique: bool = False
    """Whether repeated values are forbidden."""
    hint: str = ""
    """The advice for missing or repeated values; `{column}` is replaced by code for the column."""


class RuledColumn(NamedTuple):
    """A column and the rule for its values."""

    name: Hashable
    """The name of the column in the frame of failing rows."""
    text: str
    """The name of the column in the message."""
    rule: Rule
    series: Any
    missing: Flags
    """Flags of the missing values, shape (n_rows,)."""
    values: Values | None = None
    """The numbers to check, or codes to check for uniqueness, shape (n_rows,)."""
    rows: Ints | None = None
    """The positions of the checked rows in the series; None if all rows are checked in order."""
    weights: Ints | None = None
    """The number of rows that each checked row represents, shape (n_rows,); None if always 1."""


class Fault(NamedTuple):
    """A rule that rows of a column break."""

    column: RuledColumn
    what: str
    """The description of the fault."""
    rows: Ints
    """The positions of the rows with the fault among the checked rows, ascending."""


def broken_rows(column: RuledColumn) -> Flags:
    flags = np.zeros(len(column.missing), dtype=np.bool_)
    for _, broken in broken_rules(column):
        flags |= broken
    return flags


def check_rules(
    columns: Sequence[RuledColumn], *, in_batch: bool = False, most: int = MANY_FAILURES
) -> None:
    """Raise an error with all rows that break the rule of a column, if there are any such rows.

    With `in_batch`, the rows are not listed, because their positions in the frame are unknown. The
    error of pandera contains at most `most` rows with each fault.
    """
    faults = find_faults(columns)
    if not faults:
        return
    message = describe_faults(faults, in_batch=in_batch)
    if in_batch or columns[0].weights is not None:
        # The rows of the frame are not available, so the error does not contain them.
        raise StratError(message)
    library = library_of(columns[0].series)
    shown = {column.name: column.series for column in columns if not column.rule.unique}
    places = [positions(fault.column, fault.rows) for fault in faults]
    raise StratError(message, failing_rows(library, shown, *places)) from pandera_error(
        columns, few_rows(faults, most)
    )


def find_faults(columns: Sequence[RuledColumn]) -> list[Fault]:
    """List the faults of columns; with weights, those that no row of the frame has are left out."""
    faults = []
    for column in columns:
        for what, flags in broken_rules(column):
            if column.weights is None or column.weights[flags].any():
                faults.append(Fault(column, what, np.flatnonzero(flags)))
    return faults


def describe_faults(faults: Sequence[Fault], *, in_batch: bool) -> str:
    """Write a sentence for each fault, and the hints below them."""
    sentences = []
    hints = []
    for column, what, rows in faults:
        where = ""
        if not in_batch:
            where = f" in {describe_rows(positions(column, rows), column.weights)}"
        sentences.append(f"{column.text} {what}{where}.")
        if column.rule.hint and (what == HAS_MISSING or column.rule.unique):
            hints.append(f"Hint: {column.rule.hint}")
    if len(sentences) > 2 * MAX_LISTED:
        sentences[MAX_LISTED:] = [f"{len(sentences) - MAX_LISTED:,} more faults are not listed."]
    return "\n".join(dict.fromkeys(sentences + hints))


def positions(column: RuledColumn, rows: Ints) -> Ints:
    """Convert positions among the checked rows to sorted positions in the series."""
    return rows if column.rows is None else np.sort(column.rows[rows])


def few_rows(faults: Sequence[Fault], most: int) -> Ints | None:
    """List the first rows with each fault; return None if at most `most` rows have each fault."""
    if all(len(fault.rows) <= most for fault in faults):
        return None
    chosen = [fault.rows[:most] for fault in faults]
    for column, _, rows in faults:
        if column.rule.unique and column.values is not None:
            # A value counts as repeated only if a second row with this value is also listed.
            chosen.append(np.flatnonzero(column.values == column.values[rows[0]])[:2])
    return distinct_values(np.concatenate(chosen))


def broken_rules(column: RuledColumn) -> Iterator[tuple[str, Flags]]:
    """Yield a description of each fault of a column, and flags of the rows with this fault."""
    rule = column.rule
    values = column.values
    if rule.complete and column.missing.any():
        yield HAS_MISSING, column.missing
    if values is None:
        return
    if rule.unique and (flags := np.bincount(values)[values] > 1).any():
        yield "must identify each row, but repeats", flags
    known = ~column.missing
    if rule.finite and (flags := known & ~np.isfinite(values)).any():
        # Infinite values are also outside all bounds, but are reported only once.
        yield HAS_INFINITE, flags
        return
    if rule.within is not None:
        low, high = rule.within
        flags = known & ((values < low) | (values > high))
        if flags.any():
            yield f"has values outside {write_number(low)} to {write_number(high)}", flags


def failing_rows(library: str, columns: dict[Hashable, Any], *rows: Ints) -> Callable[[], Any]:
    """Return a function that makes a frame of the failing rows, with a column of their positions.

    The function is slow for many rows, and is called only when a user requests the frame.
    """

    def make_failures() -> Any:
        position = "row"
        while position in columns:
            position += "_"
        places = rows[0] if len(rows) == 1 else distinct_values(np.concatenate(rows))
        values = {name: take(column, places) for name, column in columns.items()}
        return make_frame(library, {position: places, **values})

    return make_failures


def pandera_module(library: str) -> Any:
    """Import pandera for a library when it is first needed, because the import is slow."""
    with warnings.catch_warnings():
        # pandera imports PySpark if it is installed, and PySpark warns about pandas 3.
        warnings.filterwarnings("ignore", message="PySpark", category=FutureWarning)
        return import_module(f"pandera.{library}")


def pandera_column(pandera: Any, rule: Rule) -> Any:
    bounds = rule.within
    if bounds is None and rule.finite:
        bounds = (-LARGEST, LARGEST)
    check = pandera.Check.in_range(*bounds) if bounds else None
    return pandera.Column(checks=check, nullable=not rule.complete, unique=rule.unique)


def pandera_error(columns: Sequence[RuledColumn], rows: Ints | None = None) -> Exception | None:
    library = library_of(columns[0].series)
    if library == "polars" and not has_threads():
        return None  # pandera would wait for the threads of Polars forever
    pandera = pandera_module(library)
    schema = {str(place): pandera_column(pandera, each.rule) for place, each in enumerate(columns)}
    data = {str(place): pandera_data(library, each) for place, each in enumerate(columns)}
    if rows is not None:
        data = {name: take(values, rows) for name, values in data.items()}
    try:
        with warnings.catch_warnings():
            # pandera 0.26 concatenates failure cases in a way that pandas 2.2 warns about.
            warnings.simplefilter("ignore", FutureWarning)
            pandera.DataFrameSchema(schema).validate(make_frame(library, data), lazy=True)
    except pandera.errors.SchemaErrors as error:
        cause: Exception = error.with_traceback(None)  # the traceback does not help users
        return cause
    return None


def pandera_data(library: str, column: RuledColumn) -> Any:
    """Return the numbers (NaN if missing) or codes of a rule, or else the column itself."""
    if column.rule.unique:
        return column.values
    if column.values is not None:
        return float_column(library, np.where(column.missing, np.nan, column.values))
    series = column.series if column.rows is None else take(column.series, column.rows)
    if dtype_of(series).is_float():
        return float_column(library, to_floats(series))
    return series


def flags_check(
    pandera: Any,
    library: str,
    keeps: Callable[[Any], Flags | bool],
    name: str,
    *,
    skip_nulls: bool = False,
) -> Any:
    """Make a pandera check from a function that returns flags for the rows of a column, or a bool.

    With `skip_nulls`, missing values pass the check, because pandera reports them separately.
    """
    check = partial(check_flags, library=library, keeps=keeps, name=name, skip_nulls=skip_nulls)
    return pandera.Check(check, name=name, error=name, ignore_na=False)


def check_flags(
    data: Any, *, library: str, keeps: Callable[[Any], Flags | bool], name: str, skip_nulls: bool
) -> Any:
    is_pandas = library == "pandas"
    flags = keeps(to_native(data) if is_pandas else polars_column(data))
    if flags is False and not is_pandas:
        # pandera collects the failing values of all columns in one text column. The column
        # cannot hold False, but it can hold the message of an error.
        msg = f"Column {data.key!r} breaks the rule: {name}."
        raise StratError(msg)
    if isinstance(flags, bool):
        return flags
    if is_pandas:  # pandera uses `isna`, which can miss NaN in nullable columns
        return pd.Series(flags | (skip_nulls & data.isna().to_numpy()), index=data.index)
    return pl.LazyFrame({data.key: flags | (skip_nulls & is_missing(polars_column(data)))})


def polars_column(data: Any) -> pl.Series:
    """Return the column of a container in which pandera passes Polars data to a check."""
    column: pl.Series = data.lazyframe.select(data.key).collect().to_series()
    return column


def part_type(names: Sequence[str], *, text: bool) -> Any:
    """Make a pandera dtype that accepts `pl.Enum(names)`, Categorical or, with `text`, any text."""
    return polars_schemas().PartType(names, text=text)


def make_schema(library: str, columns: dict[Any, Any], **options: Any) -> Any:
    if library == "polars":
        return polars_schemas().PolarsSchema(columns, **options)
    return pandera_module(library).DataFrameSchema(columns, **options)


def polars_schemas() -> Any:
    pandera_module("polars")
    return import_module("stratframe.frames.polars_schemas")
