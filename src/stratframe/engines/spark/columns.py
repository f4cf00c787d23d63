"""Find or compute the columns of a Spark frame, and check that a call can read them.

The engine uses only built-in Spark expressions, so that rows do not pass through Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from ...checks import load_extra
from ...core.clock import DAY, SECOND
from ...errors import StratError, list_values, warn
from ...frames import format_reference, is_computed
from ...frames.periods import MINUTE, Span, minutes_of, no_dates
from ...frames.references import EXPRESSIONS, SparkColumn, expression_error, label_error

HELPER = "__stratframe_"
"""The prefix of helper columns, which are dropped from all results."""

FLOATS = ("float", "double")
INTEGERS = ("tinyint", "smallint", "int", "bigint")
"""Types in which both null and NaN are missing values."""

NESTED_TYPES = ("array", "map", "struct", "variant")
"""Prefixes of the names of nested types."""


class Typed(NamedTuple):
    """A column that a call reads from a frame."""

    column: Any
    """The column, as a pyspark.sql.Column."""
    dtype: str
    """The name of the column's type in Spark."""
    name: str

    @property
    def is_decimal(self) -> bool:
        return self.dtype.startswith("decimal")

    @property
    def present(self) -> Any:
        """The column, with null in place of NaN."""
        if self.dtype not in FLOATS:
            return self.column
        return functions().when(~functions().isnan(self.column), self.column)


def functions() -> Any:
    return load_extra("pyspark.sql.functions", "spark")


def is_string(dtype: str) -> bool:
    return dtype.startswith(("string", "char", "varchar"))


def is_duration(dtype: str) -> bool:
    """Return whether a type is an interval of days, hours, minutes or seconds."""
    return dtype.startswith("interval ") and "month" not in dtype and "year" not in dtype


def optimized_plan(frame: Any, columns: Sequence[Typed]) -> Any:
    """Optimize the plan of some columns, ignoring cached data, which an executor can lose."""
    query = frame.select(*(each.column for each in columns))._jdf.queryExecution()
    return query.sparkSession().sessionState().optimizer().execute(query.analyzed())


def warn_of_changes(frame: Any, columns: Sequence[Typed]) -> bool:
    """Warn about columns that can differ each time they are computed; return whether any exist."""
    try:
        plan = optimized_plan(frame, columns)
        if plan.deterministic():
            return False
        changing = [each for each in columns if not optimized_plan(frame, [each]).deterministic()]
    except Exception:  # Spark Connect and some platforms show no plan
        return False
    names = list(dict.fromkeys(each.name for each in changing))
    numbered = "monotonically_increasing_id()" in plan.toString()
    msg = (
        "The columns of a call must be the same each time that the frame is computed, but"
        f" {list_values(names)} {'is' if len(names) == 1 else 'are'} not deterministic"
        f"{' (`monotonically_increasing_id`)' if numbered else ''}: parts may overlap."
        "\nHint: write the frame to a table and read that, or use `df = df.localCheckpoint()`."
        " `persist` is not enough, because Spark recomputes what a lost executor held."
    )
    warn(msg)
    return True


def typed_column(frame: Any, ref: Any, argument: str) -> Typed:
    """Find a column by its name, or compute it. Text with a collation is compared by its bytes."""
    is_named = argument == "name" or not is_computed(ref)
    if not is_named and isinstance(ref, EXPRESSIONS) and not isinstance(ref, SparkColumn):
        msg = (
            f"`{argument}` takes column names, Spark columns and callables that take a"
            f" Spark frame, got {format_reference(ref)}."
        )
        raise StratError(msg)
    if is_named:
        typed = named_column(frame, ref, argument)
    else:
        typed = computed_column(frame, ref)
    if is_string(typed.dtype) and "collate" in typed.dtype:
        # Texts that are equal in a collation can differ in Arrow, hashes and other libraries.
        binary = functions().collate(typed.column, "UTF8_BINARY")
        return typed._replace(column=binary, dtype="string")
    return typed


def named_column(frame: Any, ref: Any, argument: str) -> Typed:
    compared = compared_names(frame)
    wanted = compared(ref) if isinstance(ref, str) else None
    columns = [column for column in frame.dtypes if compared(column[0]) == wanted]
    if len(columns) != 1:
        raise label_error(ref, argument, [ref] * len(columns) or frame.columns, "pandas")
    ((name, dtype),) = columns
    escaped = name.replace("`", "``")
    return Typed(functions().col(f"`{escaped}`"), dtype, name)


def compared_names(frame: Any) -> Callable[[str], str]:
    """Return the function that a Spark session applies to names before comparing them."""
    setting = frame.sparkSession.conf.get("spark.sql.caseSensitive")
    return str if setting.lower() == "true" else str.lower


def computed_column(frame: Any, ref: Any) -> Typed:
    """Check a Spark column, or the Spark column that a callable returns for the frame."""
    column = call_on_spark(frame, ref) if callable(ref) else ref
    errors = load_extra("pyspark.errors", "spark")
    try:
        # A filter rejects aggregates, windows and generators, which do not have one value per row.
        ((name, dtype),) = frame.filter(column.isNull()).select(column).dtypes
        # Aggregate functions reject columns that are not deterministic.
        frame.agg(functions().count(column)).dtypes  # noqa: B018
    except (errors.PySparkException, ValueError) as error:
        msg = (
            f"{expression_error(column, first_line(error))}"
            "\nHint: the column must give each row a value of its own; a column that looks at other"
            " rows must first be added with `withColumn`."
        )
        raise StratError(msg) from error
    return Typed(column, dtype, name)


def first_line(error: Exception) -> str:
    """Return the first line of a Spark error, without the query plans that follow."""
    return str(error).partition("\n")[0].rstrip(";.")


def call_on_spark(frame: Any, ref: Callable[[Any], Any]) -> Any:
    hint = "Hint: it gets a Spark frame, as in `lambda df: df['price'] > 100`."
    try:
        column = ref(frame)
    except Exception as error:
        reason = f"{type(error).__name__}: {first_line(error)}"
        msg = f"A callable must work on a pyspark.sql.DataFrame, got {reason}.\n{hint}"
        raise StratError(msg) from error
    if not isinstance(column, SparkColumn):
        msg = f"A callable must return a Spark column, got {type(column).__name__}.\n{hint}"
        raise StratError(msg)
    return column


def literals(typed: Typed, values: Sequence[Any]) -> list[Any]:
    """Convert values to literals; dates and times pass as text so that no time zone shifts them."""
    if typed.dtype not in ("date", "timestamp", "timestamp_ntz"):
        return list(values)
    # Spark would interpret Python dates and times in the time zone of the driver.
    return [functions().lit(value.isoformat()).cast(typed.dtype) for value in values]


TIMES = ("timestamp", "timestamp_ntz")
"""Types of times, with the session's time zone and without a time zone."""


def by_period(typed: Typed, every: str | None) -> Typed:
    """Replace each value with the start of its period or day, as the session's clock shows it.

    The result is whole numbers, as those of `frames.periods.reading_expression`.
    """
    if every is None:
        return typed
    minutes = minutes_of(every)
    sf = functions()
    value = typed.column
    day = sf.unix_date(value.cast("date")).cast("bigint")
    number = day * DAY
    if typed.dtype != "date":
        passed = sf.hour(value) * 60 + sf.minute(value)
        if minutes:
            number = number + (passed - passed % minutes).cast("bigint") * MINUTE
        if typed.dtype == "timestamp":
            reading = day * (DAY // SECOND) + passed * 60 + sf.second(value)
            number = number + reading - sf.unix_seconds(value)
    return typed._replace(column=number, dtype="bigint")


def check_periods(typed: Typed, every: str) -> None:
    """Raise an error if the values of a column have no periods of the given length."""
    if typed.dtype not in (TIMES if minutes_of(every) else ("date", *TIMES)):
        hint = ""
        if is_string(typed.dtype):
            hint = f"df = df.withColumn({typed.name!r}, to_timestamp({typed.name!r}))"
        raise no_dates(typed.name, typed.dtype, every, hint)


def spans_condition(typed: Typed, spans: Sequence[Span]) -> Any:
    """Build a condition that is true for the dates or times in any of the given spans."""
    sf = functions()

    def literal(instant: int) -> Any:
        if typed.dtype == "timestamp":
            return sf.timestamp_micros(sf.lit(instant))
        start = datetime(1970, 1, 1) + timedelta(microseconds=instant)
        return sf.lit(start.isoformat()).cast(typed.dtype)

    is_in_any = sf.lit(False)
    for first, end in spans:
        is_within = typed.column >= literal(first)
        if end is not None:
            is_within = is_within & (typed.column < literal(end))
        is_in_any = is_in_any | is_within
    return is_in_any


def check_column(typed: Typed, argument: str) -> None:
    if argument == "where" and typed.dtype != "boolean":
        msg = f"`where` must be a boolean column, but {typed.name!r} is {typed.dtype}."
        raise StratError(msg)
    if typed.dtype.startswith("interval") and not is_duration(typed.dtype):
        msg = (
            f"A column must hold values that Arrow supports, but {typed.name!r} is {typed.dtype}."
            "\nHint: cast it to text."
        )
        raise StratError(msg)
    if typed.dtype.startswith(NESTED_TYPES):
        msg = f"A column must hold single values, but {typed.name!r} is {typed.dtype}."
        raise StratError(msg)
