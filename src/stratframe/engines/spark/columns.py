"""Columns of Spark: the numbers of rows, the hashes of strata, and what a call reads.

All of them are Spark's own expressions, so that no row passes through Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ...checks import load_extra
from ...core.seeds import StreamTag, random_words
from ...errors import StratError, list_values, warn
from ...frames import format_reference, is_computed
from ...frames.folds import minutes_of, no_dates
from ...frames.references import (
    EXPRESSIONS,
    SparkColumn,
    expression_error,
    label_error,
)
from ...terms.base import ByEdges, Term

WHOLE = ("boolean", "tinyint", "smallint", "int", "bigint")
"""Types of Spark that are hashed as 64-bit integers."""

FLOATS = ("float", "double")
"""Types whose missing values are null or NaN."""

NESTED_TYPES = ("array", "map", "struct", "variant")
"""The prefixes of types that hold several values."""

SIGN_BIT = -(2**63)
"""The bit that turns unsigned words into signed integers of the same order, by exclusive or."""

END_OF_INTEGERS = 2.0**63
"""Floats of this magnitude or more are not 64-bit integers."""


class Typed(NamedTuple):
    """A column of a frame that a call reads."""

    column: Any
    """The pyspark.sql.Column."""
    dtype: str
    """Spark's name of its type."""
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


class StratumColumn(NamedTuple):
    """The column that rows are counted by for one entry."""

    typed: Typed
    code: Any
    """The value, or the number of the bin, as a column: rows with the same code are alike."""
    is_value: bool = True
    """Whether `code` is a value rather than a bin."""


class SparkCall(NamedTuple):
    """The columns of a frame that a call reads."""

    frame: Any
    """The frame, with the columns that the call adds for itself."""
    terms: tuple[Term, ...] = ()
    """The entries of `by`, of `groups`, and of a column of folds, if any."""
    strata: tuple[StratumColumn, ...] = ()
    """The column of each entry."""
    n_by: int = 0
    """How many of the entries are those of `by`."""
    n_groups: int = 0
    """How many of the next entries are those of `groups`."""
    key: tuple[Typed, ...] = ()
    where: Any | None = None
    helpers: tuple[str, ...] = ()
    """The names of the columns that the call added."""
    filled: Typed | None = None
    """The column to fill in the rows that are dealt."""
    needs_values: bool = False
    """Whether a row that lacks a value in an entry of `by` or `groups` is not dealt."""
    salts: tuple[int, ...] = ()
    """The salts of the numbers of rows, one for each new column."""
    seed: int = 0
    """The seed that gives the salts for the hashes of strata."""

    @property
    def rows(self) -> Any:
        """The rows that `where` marks."""
        return self.frame if self.where is None else self.frame.filter(self.where)

    def stratum(self, salt: int) -> Any:
        """Make the column of the hashes that identify the strata of rows."""
        return stratum_column([each.code for each in self.strata], salt)

    def number(self, salt: int) -> Any:
        return number_column(self.key, salt)

    def before(self, place: int) -> SparkCall:
        """Restrict the call to the entries before one, and to rows that are dealt."""
        rows = self.frame
        if self.needs_values:
            for each in self.strata[: self.n_by + self.n_groups]:
                rows = rows.filter(each.typed.present.isNotNull())
        return self._replace(
            frame=rows,
            terms=self.terms[:place],
            strata=self.strata[:place],
            n_by=place,
            n_groups=0,
            key=(),
            salts=(),
        )


def functions() -> Any:
    return load_extra("pyspark.sql.functions", "spark")


def signed(word: int) -> int:
    """Return the signed integer that has the same bits as a 64-bit word."""
    return word - 2**64 if word >= 2**63 else word


# Numbers of rows -------------------------------------------------------------------------


def number_column(key: Sequence[Typed], salt: int) -> Any:
    """Make the column of the numbers of rows, as signed integers in the order of the words."""
    words = [word for column in key for word in columns_to_hash(column)]
    return hash_column(words, salt).bitwiseXOR(functions().lit(SIGN_BIT))


def hash_column(words: Sequence[Any], salt: int) -> Any:
    """Hash columns of 64-bit integers, floats or bytes by XXH64, under a salt."""
    sf = functions()
    # A small literal would be an integer of 32 bits, which has another hash.
    return sf.xxhash64(sf.lit(signed(salt)).cast("bigint"), *words)


def columns_to_hash(typed: Typed) -> list[Any]:
    """List the columns that Spark must hash in place of a column of a key.

    Spark skips nulls when it hashes. Values are hashed as `frames.read_key` reads them, not as they
    are stored.
    """
    sf = functions()
    column, dtype = typed.column, typed.dtype
    if dtype in WHOLE or typed.is_decimal:
        return [whole_numbers(typed)]
    if dtype in FLOATS:
        value, whole = column.cast("double"), whole_numbers(typed)
        return [whole, sf.when(whole.isNull(), value)]
    if dtype == "date":
        return [sf.unix_date(column).cast("bigint")]
    if dtype.startswith("time("):
        return [sf.time_to_micros(column)]
    if dtype in ("binary", "timestamp", "timestamp_ntz") or is_string(dtype) or is_duration(dtype):
        return [column]
    raise unhashable(typed.name, dtype)


def whole_numbers(typed: Typed) -> Any:
    """Read numbers as 64-bit integers, null where they are not such integers."""
    sf = functions()
    column, dtype = typed.column, typed.dtype
    if dtype in WHOLE:
        return column.cast("bigint")
    if dtype not in FLOATS:
        whole = column.try_cast("bigint")
        return sf.when(whole == column, whole)
    value = column.cast("double")
    whole = value.try_cast("bigint")
    return sf.when((whole.cast("double") == value) & (sf.abs(value) < END_OF_INTEGERS), whole)


def is_string(dtype: str) -> bool:
    """Return whether a type is text, with a collation or without."""
    return dtype.startswith(("string", "char", "varchar"))


def is_duration(dtype: str) -> bool:
    """Return whether a type is an interval of days, hours, minutes or seconds."""
    return dtype.startswith("interval ") and "month" not in dtype and "year" not in dtype


def unhashable(name: str, dtype: str) -> StratError:
    msg = (
        "A column of `key` must hold whole numbers of 64 bits, text, dates or times, but"
        f" {name!r} is {dtype}.\nHint: cast it to text."
    )
    return StratError(msg)


# Strata ----------------------------------------------------------------------------------


def stratum_column(codes: Sequence[Any], salt: int) -> Any:
    """Hash the values that define a stratum, including missing values."""
    missing = sum((code.isNull().cast("bigint") * 2**place for place, code in enumerate(codes)))
    # Nulls do not change a hash, so the places of nulls are hashed as well.
    places = [missing] if codes else []
    return hash_column([*codes, *places], salt)


def stratum_of_term(term: Term, typed: Typed) -> StratumColumn:
    """Choose the column that rows are counted by for an entry: values or bins."""
    alike = term.counted_by()
    if isinstance(alike, ByEdges):
        return StratumColumn(typed, bin_column(typed.present, alike), is_value=False)
    return StratumColumn(typed, typed.present)


def bin_column(column: Any, bins: ByEdges) -> Any:
    """Count the edges below each value; values outside the edges are in two further bins."""
    sf = functions()
    first, *inner, last = (sf.lit(float(edge)) for edge in bins.edges)
    value = column.cast("double")
    above = [value > edge if bins.closed == "right" else value >= edge for edge in inner]
    # The outermost edges are closed.
    flags = [value >= first, *above, value > last]
    return sum((flag.cast("int") for flag in flags[1:]), flags[0].cast("int"))


# What a call reads -----------------------------------------------------------------------


def optimized_plan(frame: Any, columns: Sequence[Typed]) -> Any:
    """Optimize the plan of some columns without caches, which an executor may lose."""
    query = frame.select(*(each.column for each in columns))._jdf.queryExecution()
    return query.sparkSession().sessionState().optimizer().execute(query.analyzed())


def warn_of_changes(frame: Any, columns: Sequence[Typed]) -> bool:
    """Warn of columns that may differ each time they are computed; return whether it warned."""
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


def row_with_fraction(frame: Any, typed: Typed) -> Any:
    """Find a row whose value has a fraction, if there is any; infinities have none."""
    value = typed.present.cast("double")
    whole = functions().abs(value) >= END_OF_INTEGERS
    fractions = frame.filter(whole_numbers(typed).isNull() & value.isNotNull() & ~whole)
    return fractions.select(typed.column.alias("value")).limit(1)


def typed_column(frame: Any, ref: Any, argument: str) -> Typed:
    """Find a column by its name, or compute it; text is compared by its bytes."""
    is_named = argument == "name" or not is_computed(ref)
    if not is_named and isinstance(ref, EXPRESSIONS) and not isinstance(ref, SparkColumn):
        msg = (
            f"`{argument}` takes column names, columns of Spark and callables of the frame on"
            f" Spark frames, got {format_reference(ref)}."
        )
        raise StratError(msg)
    typed = named_column(frame, ref, argument) if is_named else computed_column(frame, ref)
    if is_string(typed.dtype) and "collate" in typed.dtype:
        # A collation may equate texts that Arrow, hashes and other libraries tell apart.
        binary = functions().collate(typed.column, "UTF8_BINARY")
        return typed._replace(column=binary, dtype="string")
    return typed


def named_column(frame: Any, ref: Any, argument: str) -> Typed:
    """Find a column by its name, as Spark would."""
    compared = compared_names(frame)
    wanted = compared(ref) if isinstance(ref, str) else None
    found = [each for each in frame.dtypes if compared(each[0]) == wanted]
    if len(found) != 1:
        raise label_error(ref, argument, [ref] * len(found) or frame.columns, "pandas")
    ((name, dtype),) = found
    return Typed(functions().col(quoted(name)), dtype, name)


def compared_names(frame: Any) -> Callable[[str], str]:
    """Choose how the session compares names: by default in lower case."""
    setting = frame.sparkSession.conf.get("spark.sql.caseSensitive")
    return str if setting.lower() == "true" else str.lower


def computed_column(frame: Any, ref: Any) -> Typed:
    """Compute a column from a column of Spark, or a callable of the frame that returns one."""
    column = call_on_spark(frame, ref) if callable(ref) else ref
    errors = load_extra("pyspark.errors", "spark")
    try:
        # A filter takes only columns with one value a row: no aggregate, window or generator.
        ((name, dtype),) = frame.filter(column.isNull()).select(column).dtypes
        # An aggregate refuses columns that are drawn anew in each pass.
        frame.agg(functions().count(column)).dtypes  # noqa: B018
    except (errors.PySparkException, ValueError) as error:
        msg = (
            f"{expression_error(column, first_line(error))}"
            "\nHint: it must give each row a value of its own; add what looks at other rows with"
            " `withColumn` before."
        )
        raise StratError(msg) from error
    return Typed(column, dtype, name)


def first_line(error: Exception) -> str:
    """Take the reason from a Spark error, without the plans that follow it."""
    return str(error).partition("\n")[0].rstrip(";.")


def call_on_spark(frame: Any, ref: Callable[[Any], Any]) -> Any:
    hint = "Hint: it gets a frame of Spark, as in `lambda df: df['price'] > 100`."
    try:
        column = ref(frame)
    except Exception as error:
        reason = f"{type(error).__name__}: {first_line(error)}"
        msg = f"A callable must work on a pyspark.sql.DataFrame, got {reason}.\n{hint}"
        raise StratError(msg) from error
    if not isinstance(column, SparkColumn):
        msg = f"A callable must return a column of Spark, got {type(column).__name__}.\n{hint}"
        raise StratError(msg)
    return column


def quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def literals(typed: Typed, values: Sequence[Any]) -> list[Any]:
    """Write values as literals; dates and times pass as text, which no time zone shifts."""
    if typed.dtype not in ("date", "timestamp", "timestamp_ntz"):
        return list(values)
    # Spark reads Python's dates and times in the time zone of the driver.
    return [functions().lit(value.isoformat()).cast(typed.dtype) for value in values]


PERIODS = {"1d": "day", "1w": "week", "1mo": "month", "1q": "quarter", "1y": "year"}
"""Spark's names of calendar periods."""


def by_period(typed: Typed, every: str | None) -> Typed:
    """Find the start of each value's calendar period, in the time zone of the session."""
    if every is None:
        return typed
    times, minutes = ("timestamp", "timestamp_ntz"), minutes_of(every)
    if typed.dtype not in (times if minutes else ("date", *times)):
        raise no_dates(typed.name, typed.dtype, every)
    if not minutes and every not in PERIODS:
        listed = ", ".join(map(repr, PERIODS))
        msg = f"`every` must be hours, minutes or one of {listed} on Spark, got {every!r}."
        raise StratError(msg)
    # The start of a period has no time zone, because some clocks skip midnight and Spark collects
    # times in UTC.
    dtype, day = "date" if typed.dtype == "date" else "timestamp_ntz", typed.column.cast("date")
    if minutes:
        clock = typed.column.cast(dtype)
        passed = functions().hour(clock) * 60 + functions().minute(clock)
        since = functions().make_dt_interval(mins=passed - passed % minutes)
        return typed._replace(column=day.cast(dtype) + since, dtype=dtype)
    start = day if every == "1d" else functions().trunc(day, PERIODS[every])
    return typed._replace(column=start.cast(dtype), dtype=dtype)


def check_single(typed: Typed) -> None:
    """Raise unless a column holds single values of a type that Arrow has."""
    if typed.dtype.startswith("interval") and not is_duration(typed.dtype):
        msg = (
            f"A column must hold values that Arrow has, but {typed.name!r} is {typed.dtype}."
            "\nHint: cast it to text."
        )
        raise StratError(msg)
    if typed.dtype.startswith(NESTED_TYPES):
        msg = f"A column must hold single values, but {typed.name!r} is {typed.dtype}."
        raise StratError(msg)


def check_boolean(typed: Typed) -> None:
    if typed.dtype != "boolean":
        msg = f"`where` must be a boolean column, but {typed.name!r} is {typed.dtype}."
        raise StratError(msg)


def stratum_salts(seed: int) -> Iterable[int]:
    """Draw salts for the hashes of strata; the next one is used if two strata share a hash."""
    return map(int, random_words(seed, StreamTag.LEVEL, 8))
