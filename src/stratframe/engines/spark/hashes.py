"""Compute the hashes that number rows, and the hashes that identify strata."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from ...errors import StratError
from .columns import FLOATS, Typed, functions, is_duration, is_string

WHOLE = ("boolean", "tinyint", "smallint", "int", "bigint")
"""Spark types that are hashed as 64-bit integers."""

UNSIGNED = "decimal(20,0)"
"""The Spark type that holds unsigned 64-bit integers."""

SIGN_BIT = -(2**63)
"""Exclusive or with this bit turns unsigned words into signed integers in the same order."""

END_OF_INTEGERS = 2.0**63
"""Floats of this magnitude or more are not 64-bit integers."""


def salted_hash(words: Sequence[Any], salt: int) -> Any:
    """Hash columns of 64-bit integers, floats or bytes with XXH64 and a salt."""
    sf = functions()
    signed = salt - 2**64 if salt >= 2**63 else salt
    # A small literal would be a 32-bit integer, which has a different hash.
    return sf.xxhash64(sf.lit(signed).cast("bigint"), *words)


def number_column(key: Sequence[Typed], salt: int) -> Any:
    """Compute row numbers, as signed integers in the same order as the words of `hash_keys`."""
    words = []
    for column in key:
        words += columns_to_hash(column)
    return salted_hash(words, salt).bitwiseXOR(functions().lit(SIGN_BIT))


def stratum_column(codes: Sequence[Any], salt: int) -> Any:
    """Hash the values that define a stratum, including missing values."""
    missing = sum((code.isNull().cast("bigint") * 2**place for place, code in enumerate(codes)))
    # Nulls do not change a hash, so the places of nulls are hashed as well.
    places = [missing] if codes else []
    return salted_hash([*codes, *places], salt)


def columns_to_hash(typed: Typed) -> list[Any]:
    """List the columns that Spark hashes instead of a key column.

    These columns have the values that `frames.read_key` returns, whatever the type of the key
    column. Spark skips nulls when it computes a hash.
    """
    sf = functions()
    column = typed.column
    dtype = typed.dtype
    if dtype in WHOLE or typed.is_decimal:
        return [whole_numbers(typed)]
    if dtype in FLOATS:
        whole = whole_numbers(typed)
        return [whole, sf.when(whole.isNull(), column.cast("double"))]
    if dtype == "date":
        return [sf.unix_date(column).cast("bigint")]
    if dtype.startswith("time("):
        return [sf.time_to_micros(column)]
    if dtype in ("binary", "timestamp", "timestamp_ntz") or is_string(dtype) or is_duration(dtype):
        return [column]
    raise unhashable(typed.name, dtype)


def whole_numbers(typed: Typed) -> Any:
    """Convert numbers to 64-bit integers; numbers that are not 64-bit integers become null.

    Spark reads unsigned integers as decimals, and has no type for them. From 2**63 on they become
    the negative integers with the same bits, which pandas and Polars hash.
    """
    sf = functions()
    column = typed.column
    if typed.dtype in WHOLE:
        return column.cast("bigint")
    if typed.dtype not in FLOATS:
        whole = column.try_cast(UNSIGNED)
        # Integers of more than 63 bits reach Spark as decimals only.
        end = sf.lit(Decimal(2**64))
        signed = sf.when(whole < sf.lit(Decimal(2**63)), whole).otherwise(whole - end)
        return sf.when((whole == column) & (whole < end), signed.try_cast("bigint"))
    value = column.cast("double")
    whole = value.try_cast("bigint")
    return sf.when((whole.cast("double") == value) & (sf.abs(value) < END_OF_INTEGERS), whole)


def unhashable(name: str, dtype: str) -> StratError:
    msg = (
        "A column of `key` must hold 64-bit integers, text, dates or times, but"
        f" {name!r} is {dtype}.\nHint: cast it to text."
    )
    return StratError(msg)
