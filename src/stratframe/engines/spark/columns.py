"""Columns of Spark: the numbers of rows, the names of strata, and what a call reads.

All are Spark's own expressions, so that no row passes through Python.
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
"""How the names of types begin that hold several values."""

SIGN_BIT = -(2**63)
"""What is added to a word without a sign so that whole numbers with one have its order."""

END_OF_INTEGERS = 2.0**63
"""The magnitude from which floats are no 64-bit integers."""


class Typed(NamedTuple):
    """A column of a frame that a call reads."""

    column: Any
    """The pyspark.sql.Column."""
    dtype: str
    """What Spark calls its type."""
    name: str

    @property
    def is_decimal(self) -> bool:
        """Whether its values are decimals."""
        return self.dtype.startswith("decimal")

    @property
    def present(self) -> Any:
        """Itself, null where it is NaN."""
        if self.dtype not in FLOATS:
            return self.column
        return functions().when(~functions().isnan(self.column), self.column)


class StratumColumn(NamedTuple):
    """What rows are counted by for an entry of `by`."""

    typed: Typed
    code: Any
    """The column that rows of one value, or of one bin, share."""
    is_value: bool = True
    """False if `code` is a bin."""


class SparkCall(NamedTuple):
    """The columns of a frame that a call reads."""

    frame: Any
    """With the columns that the call adds for itself."""
    terms: tuple[Term, ...] = ()
    """The entries of `by`, of `groups`, and of a column of folds, if any."""
    strata: tuple[StratumColumn, ...] = ()
    """The column of each."""
    n_by: int = 0
    """How many of the entries are of `by`."""
    n_groups: int = 0
    """How many of the entries after these are of `groups`."""
    key: tuple[Typed, ...] = ()
    where: Any | None = None
    helpers: tuple[str, ...] = ()
    """The names of the columns that the call added."""
    filled: Typed | None = None
    """A column that is filled in the rows that are dealt."""
    needs_values: bool = False
    """Whether a row that lacks a value in an entry of `by` or `groups` is not dealt."""
    salts: tuple[int, ...] = ()
    """Of the numbers of rows, one for each column that is made."""
    seed: int = 0
    """By which salts for the hashes of strata are drawn."""

    @property
    def rows(self) -> Any:
        """The rows that `where` marks."""
        return self.frame if self.where is None else self.frame.filter(self.where)

    def stratum(self, salt: int) -> Any:
        """Make the column of the hash that names the stratum of a row."""
        return stratum_column([each.code for each in self.strata], salt)

    def number(self, salt: int) -> Any:
        """Make the column of the numbers of rows."""
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
    """Import Spark's functions of columns."""
    return load_extra("pyspark.sql.functions", "spark")


def signed(word: int) -> int:
    """Write a 64-bit word as the integer with a sign that has its bits."""
    return word - 2**64 if word >= 2**63 else word


# Numbers of rows -------------------------------------------------------------------------


def number_column(key: Sequence[Typed], salt: int) -> Any:
    """Make the column of the numbers of rows, as integers whose order is that of the words."""
    words = [word for column in key for word in columns_to_hash(column)]
    return hash_column(words, salt).bitwiseXOR(functions().lit(SIGN_BIT))


def hash_column(words: Sequence[Any], salt: int) -> Any:
    """Hash columns of 64-bit integers, floats or bytes by XXH64, under a salt."""
    sf = functions()
    # A small literal would be an integer of 32 bits, which is hashed otherwise.
    return sf.xxhash64(sf.lit(signed(salt)).cast("bigint"), *words)


def columns_to_hash(typed: Typed) -> list[Any]:
    """List what Spark must hash in place of a column of a key; it passes over nulls.

    Values are hashed as `frames.read_key` says, not as they are stored.
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
    """Read numbers as 64-bit integers, null where they are none."""
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
    """Build the error for a column that cannot be hashed."""
    msg = (
        "A column of `key` must hold whole numbers of 64 bits, text, dates or times, but"
        f" {name!r} is {dtype}.\nHint: cast it to text."
    )
    return StratError(msg)


# Strata ----------------------------------------------------------------------------------


def stratum_column(codes: Sequence[Any], salt: int) -> Any:
    """Hash the values that make a stratum, missing ones too."""
    missing = sum((code.isNull().cast("bigint") * 2**place for place, code in enumerate(codes)))
    # Nulls do not change a hash, and so their places are hashed as well.
    places = [missing] if codes else []
    return hash_column([*codes, *places], salt)


def stratum_of_term(term: Term, typed: Typed) -> StratumColumn:
    """Choose what rows are counted by for an entry: a value, or a bin."""
    alike = term.counted_by()
    if isinstance(alike, ByEdges):
        return StratumColumn(typed, bin_column(typed.present, alike), is_value=False)
    return StratumColumn(typed, typed.present)


def bin_column(column: Any, bins: ByEdges) -> Any:
    """Count the edges below the values of a column: those outside are bins, too."""
    sf = functions()
    first, *inner, last = (sf.lit(float(edge)) for edge in bins.edges)
    value = column.cast("double")
    above = [value > edge if bins.closed == "right" else value >= edge for edge in inner]
    # The outermost edges are closed.
    flags = [value >= first, *above, value > last]
    return sum((flag.cast("int") for flag in flags[1:]), flags[0].cast("int"))


# What a call reads -----------------------------------------------------------------------


def optimized_plan(frame: Any, columns: Sequence[Typed]) -> Any:
    """Optimize the plan of some columns without what is cached, which an executor may lose."""
    query = frame.select(*(each.column for each in columns))._jdf.queryExecution()
    return query.sparkSession().sessionState().optimizer().execute(query.analyzed())


def warn_of_changes(frame: Any, columns: Sequence[Typed]) -> bool:
    """Warn of columns that may differ each time they are computed; return whether any may."""
    try:
        plan = optimized_plan(frame, columns)
        if plan.deterministic():
            return False
        changing = [each for each in columns if not optimized_plan(frame, [each]).deterministic()]
    except Exception:  # Spark Connect shows no plan, nor do all platforms
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
        # Arrow, hashes and other libraries tell texts apart that a collation does not.
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
    """Choose what the session compares of names: by default their lower case."""
    setting = frame.sparkSession.conf.get("spark.sql.caseSensitive")
    return str if setting.lower() == "true" else str.lower


def computed_column(frame: Any, ref: Any) -> Typed:
    """Compute a column from a column of Spark, or a callable of the frame that returns one."""
    column = call_on_spark(frame, ref) if callable(ref) else ref
    errors = load_extra("pyspark.errors", "spark")
    try:
        # What a filter takes has one value a row: no aggregate, window or generator.
        ((name, dtype),) = frame.filter(column.isNull()).select(column).dtypes
        # Nor does an aggregate take what is drawn anew in each pass.
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
    """Take the reason of an error of Spark, which ends in plans."""
    return str(error).partition("\n")[0].rstrip(";.")


def call_on_spark(frame: Any, ref: Callable[[Any], Any]) -> Any:
    """Call a function on a frame, and raise unless it returns a column of Spark."""
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
    """Quote the name of a column, which may have dots."""
    return f"`{name.replace('`', '``')}`"


def literals(typed: Typed, values: Sequence[Any]) -> list[Any]:
    """Write values of a column as literals: dates and times as text, which no time zone moves."""
    if typed.dtype not in ("date", "timestamp", "timestamp_ntz"):
        return list(values)
    # Spark makes literals of Python's dates and times by the zone of the driver.
    return [functions().lit(value.isoformat()).cast(typed.dtype) for value in values]


PERIODS = {"1d": "day", "1w": "week", "1mo": "month", "1q": "quarter", "1y": "year"}
"""What Spark calls calendar periods."""


def by_period(typed: Typed, every: str | None) -> Typed:
    """Take the start of the calendar period of each date or time, by the clock of the session."""
    if every is None:
        return typed
    times, minutes = ("timestamp", "timestamp_ntz"), minutes_of(every)
    if typed.dtype not in (times if minutes else ("date", *times)):
        raise no_dates(typed.name, typed.dtype, every)
    if not minutes and every not in PERIODS:
        listed = ", ".join(map(repr, PERIODS))
        msg = f"`every` must be hours, minutes or one of {listed} on Spark, got {every!r}."
        raise StratError(msg)
    # The start of a time has no time zone: some clocks skip midnight, and Spark collects UTC.
    dtype, day = "date" if typed.dtype == "date" else "timestamp_ntz", typed.column.cast("date")
    if minutes:
        clock = typed.column.cast(dtype)
        passed = functions().hour(clock) * 60 + functions().minute(clock)
        since = functions().make_dt_interval(mins=passed - passed % minutes)
        return typed._replace(column=day.cast(dtype) + since, dtype=dtype)
    start = day if every == "1d" else functions().trunc(day, PERIODS[every])
    return typed._replace(column=start.cast(dtype), dtype=dtype)


def check_single(typed: Typed) -> None:
    """Raise unless a column holds single values, which Spark can hand over."""
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
    """Raise unless a column can say which rows are dealt."""
    if typed.dtype != "boolean":
        msg = f"`where` must be a boolean column, but {typed.name!r} is {typed.dtype}."
        raise StratError(msg)


def stratum_salts(seed: int) -> Iterable[int]:
    """Draw salts for the hashes that name strata; a second one if two strata share a hash."""
    return map(int, random_words(seed, StreamTag.LEVEL, 8))
