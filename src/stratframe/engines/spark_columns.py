"""Columns of Spark: the numbers of rows, the names of strata, and what a call reads.

All are Spark's own expressions, so that no row passes through Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..checks import load_extra
from ..core.seeds import StreamTag, random_words
from ..errors import StratError, no_such_column
from ..frames import format_reference, is_computed
from ..frames.references import EXPRESSIONS
from ..pipeline.options import Options
from ..terms.base import Term
from ..terms.bins import Bins

WHOLE = ("boolean", "tinyint", "smallint", "int", "bigint")
"""Types of Spark that are hashed as 64-bit integers."""

FLOATS = ("float", "double")
"""Types whose missing values are null or NaN."""

NESTED = ("array", "map", "struct", "variant")
"""How the names of types begin that hold several values."""

SIGN_BIT = -(2**63)
"""What is added to a word without a sign so that whole numbers with one have its order."""

HIGHEST = 2.0**63
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
    """Whether this is the value itself."""


class Call(NamedTuple):
    """The columns of a frame that a call reads."""

    frame: Any
    """With the columns that the call adds for itself."""
    strata: tuple[StratumColumn, ...] = ()
    key: tuple[Typed, ...] = ()
    where: Any | None = None
    helpers: tuple[str, ...] = ()
    """The names of the columns that the call added."""

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

    def parents(self, place: int) -> Call:
        """Restrict the call to the entries before one."""
        return self._replace(strata=self.strata[:place], key=())


def functions() -> Any:
    """Import Spark's functions of columns."""
    return load_extra("pyspark.sql.functions", "spark")


def signed(word: int) -> int:
    """Write a 64-bit word as the integer with a sign that has its bits."""
    return word - 2**64 if word >= 2**63 else word


# Numbers of rows -------------------------------------------------------------------------


def number_column(key: Sequence[Typed], salt: int) -> Any:
    """Make the column of the numbers of rows, as integers whose order is that of the words.

    Parameters
    ----------
    key : sequence of Typed
        The columns of the key.
    salt : int
        A 64-bit word.
    """
    words = [word for column in key for word in hashed_columns(column)]
    return hash_column(words, salt).bitwiseXOR(functions().lit(SIGN_BIT))


def hash_column(words: Sequence[Any], salt: int) -> Any:
    """Hash columns of 64-bit integers, floats or bytes by XXH64, under a salt."""
    sf = functions()
    # A small literal would be an integer of 32 bits, which is hashed otherwise.
    return sf.xxhash64(sf.lit(signed(salt)).cast("bigint"), *words)


def hashed_columns(typed: Typed) -> list[Any]:
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
    if dtype.startswith(("string", "char", "varchar")):
        # Text with a collation is hashed by it, unless it is bytes.
        return [column.cast("binary")]
    if dtype in ("binary", "timestamp", "timestamp_ntz") or is_duration(dtype):
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
    return sf.when((whole.cast("double") == value) & (sf.abs(value) < HIGHEST), whole)


def is_duration(dtype: str) -> bool:
    """Return whether a type is an interval of days, hours, minutes or seconds."""
    return dtype.startswith("interval") and "month" not in dtype and "year" not in dtype


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
    if isinstance(term, Bins):
        return StratumColumn(typed, bin_column(typed.present, term), is_value=False)
    return StratumColumn(typed, typed.present)


def bin_column(column: Any, term: Bins) -> Any:
    """Count the edges below the values of a column: those outside are bins, too."""
    sf = functions()
    first, *inner, last = (sf.lit(float(edge)) for edge in term.edges)
    value = column.cast("double")
    above = [value > edge if term.closed == "right" else value >= edge for edge in inner]
    # The outermost edges are closed.
    flags = [value >= first, *above, value > last]
    return sum((flag.cast("int") for flag in flags[1:]), flags[0].cast("int"))


# What a call reads -----------------------------------------------------------------------


def read_call(frame: Any, options: Options) -> Call:
    """Find the columns that a call names, and check their types."""
    named = options.columns()
    by = [typed_column(frame, ref, "by") for ref in named["by"]]
    key = [typed_column(frame, ref, "key") for ref in named["key"]]
    for typed in (*by, *key):
        check_single(typed)
    for typed in key:
        hashed_columns(typed)
    strata = [stratum_of_term(*each) for each in zip(options.terms, by, strict=True)]
    return Call(frame, tuple(strata), tuple(key), where_column(frame, options.where))


def has_fractions(frame: Any, typed: Typed) -> bool:
    """Return whether a column holds any number with a fraction; infinities have none."""
    if typed.dtype not in FLOATS and not typed.is_decimal:
        return False
    value = typed.present.cast("double")
    whole = functions().abs(value) >= HIGHEST
    fractions = frame.filter(whole_numbers(typed).isNull() & value.isNotNull() & ~whole)
    return not fractions.select(functions().lit(1)).limit(1).isEmpty()


def typed_column(frame: Any, ref: Any, argument: str) -> Typed:
    """Find a column by its name, or compute it."""
    if isinstance(ref, EXPRESSIONS):
        msg = (
            f"`{argument}` takes column names and callables of the frame on Spark frames, got"
            f" {format_reference(ref)}."
        )
        raise StratError(msg)
    if is_computed(ref):
        column = ref(frame)
        name, dtype = frame.select(column).dtypes[0]
        return Typed(column, dtype, name)
    count = frame.columns.count(ref)
    if count == 0:
        raise StratError(no_such_column(argument, ref, frame.columns))
    if count > 1:
        msg = (
            f"`{argument}` names the column {ref!r}, which the frame has {count} times."
            "\nHint: rename or drop the others first."
        )
        raise StratError(msg)
    return Typed(functions().col(quoted(ref)), dict(frame.dtypes)[ref], ref)


def quoted(name: str) -> str:
    """Quote the name of a column, which may have dots."""
    return f"`{name.replace('`', '``')}`"


def check_single(typed: Typed) -> None:
    """Raise unless a column holds single values."""
    if typed.dtype.startswith(NESTED):
        msg = f"A column must hold single values, but {typed.name!r} is {typed.dtype}."
        raise StratError(msg)


def where_column(frame: Any, ref: Any) -> Any | None:
    """Find the column that says which rows are dealt."""
    if ref is None:
        return None
    typed = typed_column(frame, ref, "where")
    if typed.dtype != "boolean":
        msg = f"`where` must be a boolean column, but {typed.name!r} is {typed.dtype}."
        raise StratError(msg)
    return typed.column


def stratum_salts(seed: int) -> Iterable[int]:
    """Draw salts for the hashes that name strata; a second one if two strata share a hash."""
    return map(int, random_words(seed, StreamTag.LEVEL, 8))
