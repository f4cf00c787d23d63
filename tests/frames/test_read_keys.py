"""Keys read from columns: what of a value is hashed, and how keys rank."""

import datetime as dt
import struct
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xxhash

from stratframe.core.hashing import hash_keys
from stratframe.errors import StratError
from stratframe.frames.read_keys import rank_key, read_key
from tests.frames.test_read_numbers import (
    FLOATS,
    INTEGERS,
    NUMERIC,
    PRESENT,
    SPANS,
    STAMPS,
    TEMPORAL,
    UNSIGNED,
    Column,
    dense_ranks,
    dtype_of,
    of_arrow,
    of_objects,
)

EPOCH = dt.datetime(1970, 1, 1)
MICROSECOND = dt.timedelta(microseconds=1)


IDENTIFIERS = [UUID(int=7919**power) for power in range(3)]


def word(value: int) -> bytes:
    """Write a whole number as 8 bytes."""
    return (value % 2**64).to_bytes(8, "little")


def hashed_as(*parts: bytes, salt: int = 7) -> int:
    """Hash a salt and then runs of bytes, each with the hash before it as the seed."""
    found = 42
    for part in (word(salt), *parts):
        found = xxhash.xxh64(part, seed=found).intdigest()
    return found


def hashes(*series: Any) -> list[int]:
    return hash_keys([read_key(each) for each in series], 7).tolist()


EXACT = ["0.50", "-3", "12345678901234567890123"]
WHOLE = [5, -3, 2**40]
DATES = [dt.date(1970, 1, 2), dt.date(1969, 12, 31), dt.date(2024, 2, 29)]
MOMENTS = [
    dt.datetime(1970, 1, 1, 0, 0, 1),
    dt.datetime(1969, 12, 31, 23, 59, 59),
    dt.datetime(2024, 2, 29, 12),
]
TEXTS = ["", "é", "a long text of more than thirty-two bytes, for whole stripes"]
BYTES_OF: dict[str, tuple[list[bytes], list[Any]]] = {
    "whole": (
        [word(value) for value in WHOLE],
        [
            pl.Series(WHOLE),
            pl.Series(WHOLE, dtype=pl.Float64),
            pl.Series(WHOLE, dtype=pl.Int128),
            pl.Series([Decimal(value) for value in WHOLE]),
            pd.Series(WHOLE),
            pd.Series(WHOLE, dtype=object),
            pd.Series(WHOLE, dtype="Int64"),
            pd.Series(WHOLE, dtype="float64"),
            pd.Series(WHOLE, dtype="category"),
            of_arrow(WHOLE, pa.int64()),
            of_arrow(WHOLE, pa.float64()),
        ],
    ),
    "narrow": (
        [word(1), word(0), word(1)],
        [
            pl.Series([True, False, True]),
            pl.Series([1, 0, 1], dtype=pl.Int8),
            pd.Series([True, False, True]),
            pd.Series([True, False, True], dtype="boolean"),
            pd.Series([1, 0, 1], dtype="uint8"),
            pd.Series([1, 0, 1], dtype="float32"),
            of_arrow([True, False, True], pa.bool_()),
        ],
    ),
    "unsigned": (
        [word(2**64 - 1), word(2**63), word(1)],
        [series.drop_nulls()[[0, 1, 2]] for series in (pl.Series([2**64 - 1, 2**63, 1]),)]
        + [pd.Series([2**64 - 1, 2**63, 1], dtype=dtype) for dtype in ("uint64", "UInt64")],
    ),
    "fractions": (
        [struct.pack("<d", value) for value in (0.5, -1.25, 1e300)],
        [
            pl.Series([0.5, -1.25, 1e300]),
            pd.Series([0.5, -1.25, 1e300]),
            pd.Series([0.5, -1.25, 1e300], dtype="Float64"),
        ],
    ),
    "decimals": (
        [b"0.5", word(-3), b"12345678901234567890123"],
        [
            pl.Series([Decimal(x) for x in EXACT], dtype=pl.Decimal(38, 2)),
            pl.Series([Decimal(x) for x in EXACT], dtype=pl.Decimal(38, 9)),
            of_objects([Decimal(x) for x in EXACT]),
            of_arrow([Decimal(x) for x in EXACT], pa.decimal128(38, 4)),
        ],
    ),
    "wide": (
        [word(-1), word(2**63), str(-(2**100)).encode()],
        [
            pl.Series([-1, 2**63, -(2**100)], dtype=pl.Int128),
            of_objects([-1, 2**63, -(2**100)]),
        ],
    ),
    "identifiers": (
        [each.bytes for each in IDENTIFIERS],
        [
            of_objects(IDENTIFIERS),
            of_objects([each.bytes for each in IDENTIFIERS]),
            of_arrow([each.bytes for each in IDENTIFIERS], pa.binary(16)),
            pl.Series([each.bytes for each in IDENTIFIERS]),
        ],
    ),
    "dates": (
        [word((day - EPOCH.date()).days) for day in DATES],
        [pl.Series(DATES), of_objects(DATES), of_arrow(DATES, pa.date32())],
    ),
    "moments": (
        [word((moment - EPOCH) // MICROSECOND) for moment in MOMENTS],
        [
            *(pl.Series(MOMENTS, dtype=pl.Datetime(unit)) for unit in ("ms", "us", "ns")),
            pl.Series(MOMENTS).dt.replace_time_zone("UTC"),
            *(pd.Series(MOMENTS, dtype=f"datetime64[{unit}]") for unit in ("s", "ms", "us", "ns")),
            pd.Series(MOMENTS).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
            of_objects(MOMENTS),
            of_arrow(MOMENTS, pa.timestamp("ms")),
        ],
    ),
    "spans": (
        [word(value) for value in (86_400_000_000, -1_000_000, 0)],
        [
            pl.Series([dt.timedelta(1), dt.timedelta(seconds=-1), dt.timedelta(0)]),
            pd.Series([dt.timedelta(1), dt.timedelta(seconds=-1), dt.timedelta(0)]),
        ],
    ),
    "times": (
        [word(3_600_000_000), word(1), word(0)],
        [
            pl.Series([dt.time(1), dt.time(microsecond=1), dt.time()]),
            of_objects([dt.time(1), dt.time(microsecond=1), dt.time()]),
        ],
    ),
    "text": (
        [text.encode() for text in TEXTS],
        [
            pl.Series(TEXTS),
            pl.Series(TEXTS, dtype=pl.Categorical),
            pl.Series(TEXTS, dtype=pl.Enum(TEXTS[::-1])),
            pl.Series([text.encode() for text in TEXTS]),
            pd.Series(TEXTS),
            pd.Series(TEXTS, dtype=object),
            pd.Series(TEXTS, dtype="string[python]"),
            pd.Series(TEXTS, dtype="string[pyarrow]"),
            pd.Series(TEXTS, dtype="category"),
            of_arrow(TEXTS, pa.string()),
            of_arrow(TEXTS, pa.large_string()),
        ],
    ),
}


@pytest.mark.parametrize(
    ("expected", "series"),
    [
        pytest.param(expected, each, id=f"{name} {type(each).__module__[:6]} {each.dtype}")
        for name, (expected, columns) in BYTES_OF.items()
        for each in columns
    ],
)
def test_values_are_hashed_as_they_are(expected: list[bytes], series: Any) -> None:
    """Neither library nor width nor unit changes the bytes of a value."""
    assert hashes(series) == [hashed_as(value) for value in expected]


def test_columns_are_chained() -> None:
    """The hash of a column is the seed of the next; nanoseconds are chained where there are any."""
    keys = pd.Series([1, 2]), pl.Series(["a", "b"])
    assert hashes(*keys) == [hashed_as(word(1), b"a"), hashed_as(word(2), b"b")]
    for series in (
        pl.Series([5_000, 5_001], dtype=pl.Datetime("ns")),
        pd.Series(np.array([5_000, 5_001], dtype="datetime64[ns]")),
    ):
        assert hashes(series) == [hashed_as(word(5)), hashed_as(word(5), word(1))]


def test_many_texts_of_many_lengths() -> None:
    """Blocks of rows of one length and of several are hashed alike."""
    texts = [("é" * (i % 7) + str(i) * (i % 5)) for i in range(70_000)]
    expected = [hashed_as(text.encode()) for text in texts[::1000]]
    for series in (pl.Series(texts), pd.Series(texts), pd.Series(texts, dtype=object)):
        assert hashes(series)[::1000] == expected


@pytest.mark.parametrize("values", [[1, "a"], [dt.date(2024, 1, 1), 1.5], [object(), object()]])
def test_keys_of_mixed_types(values: list[Any]) -> None:
    """Objects that no type of column holds are an error."""
    with pytest.raises(StratError, match=r"'x' (mixes types|is )"):
        read_key(of_objects(values))


@pytest.mark.parametrize("read", [read_key, rank_key])
def test_keys_of_nested_columns(read: Any) -> None:
    """Lists are no keys."""
    for series in (pl.Series("x", [[1]]), of_objects([[1]])):
        with pytest.raises(StratError, match="must hold single values, but 'x' is"):
            read(series)


@pytest.mark.parametrize(
    "values",
    [INTEGERS, FLOATS, STAMPS, SPANS, ["b", None, "B", "a", "b"], ["é", None, "a", "z", "é"]],
)
def test_ranks_of_every_kind(column: Column, values: list[Any]) -> None:
    """Keys rank as Python sorts them: numbers, dates, and strings by code point."""
    ranks = rank_key(column(values))
    present = [values[row] for row in PRESENT]
    order = sorted(set(present))
    assert dense_ranks(ranks[PRESENT]) == [order.index(value) for value in present]


@pytest.mark.parametrize("series", [*NUMERIC[:9], *UNSIGNED, *TEMPORAL], **dtype_of)
def test_ranks_of_other_dtypes(series: Any) -> None:
    """Keys of objects, exact numbers and all dates rank by value."""
    assert dense_ranks(rank_key(series)[PRESENT]) == [2, 0, 1, 2]


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(["b", None, "10", "9", "b"], dtype="category"),
        pd.Series(pd.Categorical(["b", None, "10", "9", "b"], categories=["b", "9", "10"])),
        pl.Series(["b", None, "10", "9", "b"], dtype=pl.Categorical),
        pl.Series(["b", None, "10", "9", "b"], dtype=pl.Enum(["b", "9", "10"])),
        pl.Series([b"b", None, b"10", b"9", b"b"]),
    ],
    **dtype_of,
)
def test_ranks_of_categories(series: Any) -> None:
    """Categories and bytes rank as text, not in the order of the categories."""
    assert dense_ranks(rank_key(series)[PRESENT]) == [2, 0, 1, 2]


def test_ranks_are_dense() -> None:
    """Without missing values ranks start at 0 and leave no gap."""
    values = np.random.default_rng(0).integers(0, 50, 200) * 7
    expected = pd.Series(values).rank(method="dense").astype(int) - 1
    for series in (pd.Series(values), pl.Series(values), pd.Series(values, dtype=object)):
        np.testing.assert_array_equal(rank_key(series), expected)
    texts = [f"{value:04}" for value in values]
    for series in (pd.Series(texts), pl.Series(texts), pd.Series(texts, dtype="category")):
        np.testing.assert_array_equal(rank_key(series), expected)


@pytest.mark.parametrize("values", [[1, "a"], [dt.date(2024, 1, 1), 1.5]])
def test_ranks_of_mixed_types(values: list[Any]) -> None:
    """Types that Python cannot order are an error."""
    with pytest.raises(StratError) as caught:
        rank_key(of_objects(values))
    assert str(caught.value) == (
        "A column of `key` must hold values that can be ordered, but 'x' mixes types."
    )


def test_decimals_that_polars_cannot_hold() -> None:
    """Decimals of many digits are hashed as their digits; infinite ones have none."""
    wide = pd.Series([Decimal("1" * 40), Decimal("1E-400"), Decimal("1.50")])
    texts = pd.Series(["1" * 40, "0." + "0" * 399 + "1", "1.5"])
    assert hash_keys([read_key(wide)], 7).tolist() == hash_keys([read_key(texts)], 7).tolist()
    with pytest.raises(StratError):
        read_key(pd.Series([Decimal("Infinity"), Decimal(1)]))
