"""Codes of classes, numbers, and what is hashed of a key: all that is read from columns."""

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
from stratframe.core.order import CHUNK
from stratframe.errors import StratError
from stratframe.frames.read import encode_classes, rank_key, read_comparable, read_key, read_numbers
from tests.helpers import refuse_now

from .columns import NAN, Column, of_arrow, of_objects, of_types


def assert_codes_of(series: Any, values: list[Any]) -> None:
    codes, n_classes = encode_classes(series)
    expected, unique = pd.factorize(np.array([*values, None], dtype=object)[:-1])
    np.testing.assert_array_equal(codes, expected)
    assert n_classes == len(unique)


@pytest.mark.parametrize(
    "values",
    [
        ["b", "a", None, "b", "", "c"],
        [3, 1, None, 3, -5],
        [2**62 + 1, 2**62, 2**62 + 1],
        [1.5, None, -1.5, 1.5],
        [True, False, None, True],
        [None, None],
        [],
        [dt.datetime(2024, 1, 2), None, dt.datetime(2023, 1, 1), dt.datetime(2024, 1, 2)],
    ],
)
def test_codes_of_every_kind(column: Column, values: list[Any]) -> None:
    """Classes are numbered by first appearance, alike in every kind of frame."""
    assert_codes_of(column(values), values)


LETTERS = ["b", None, "a", "b"]
LONG = [Decimal(10**19 + 1), Decimal("0.5"), None, Decimal(10**19), Decimal("0.50")]
"""Decimals that floats cannot tell apart."""
TEXTS = (object, "string[python]", "string[pyarrow]")
LISTS = pa.list_(pa.int64())
TWICE = pa.DictionaryArray.from_arrays(pa.array([2, 3, 1, None, 3]), pa.array(list("zaba")))
"""A dictionary that holds values twice, and one without rows."""
UNSIGNED_64 = np.array([2**63, 1, 2**63 + 1], dtype=np.uint64)
NOT_NULL = [
    pd.arrays.FloatingArray(np.array([0.0, -0.0, NAN]), np.zeros(3, dtype=bool)),
    pd.arrays.ArrowExtensionArray(pa.array([0.0, -0.0, NAN], from_pandas=False)),
]
"""Floats of pandas in which NaN is not null."""
AS_THEY_ARE = [["a", 1, None, "a"], [True, "a"], [2, "2"], ["a", b"a"], [1, 1.0, None]]
AS_THEY_ARE += [["\ud800", "a", None], [2**62 + 1, None, 2**62]]
WIDE_MIX = pd.Index([2**60 + 1, 2**60, 1.5], dtype=object)
EPOCH = dt.datetime(1970, 1, 1)
EAST = dt.timezone(dt.timedelta(hours=1))
NOON = [EPOCH.replace(hour=h, tzinfo=zone) for h, zone in ((12, dt.UTC), (13, EAST), (12, EAST))]
"""Twice one time, of two zones, and another."""


@pytest.mark.parametrize(
    ("series", "values"),
    [
        (pl.Series([2**100, None, 5, 2**100], dtype=pl.Int128), [2**100, None, 5, 2**100]),
        (pl.Series([2**63, None, 2**63 + 1], dtype=pl.UInt64), [2**63, None, 2**63 + 1]),
        (pl.Series(LONG, dtype=pl.Decimal(38, 2)), LONG),
        (of_objects(*LONG), LONG),
        (of_arrow(LONG, pa.decimal128(38, 2)), LONG),
        (pl.Series([dt.date(2024, 1, 2), None, dt.date(2023, 1, 1)]), [2024, None, 2023]),
        (of_objects(*NOON), [1, 1, 2]),
        (of_objects(dt.date(2024, 1, 2), None), [2024, None]),
        (pl.Series([b"b", None, b"a", b"b"]), [b"b", None, b"a", b"b"]),
        *((x, LETTERS) for x in of_types(pl.Series, LETTERS, pl.Categorical, pl.Enum([*"abc"]))),
        (pd.Series(LETTERS, dtype="category"), LETTERS),
        (pd.Series(pd.PeriodIndex(["2024", None, "2023"], freq="Y")), ["2024", None, "2023"]),
        (pd.Series(pd.interval_range(0, 2)), ["0-1", "1-2"]),
        (pl.Series([None] * 2), [None] * 2),
        (of_arrow([None] * 2, pa.null()), [None] * 2),
        (pd.Series([0.0, -0.0, NAN]), [0, 0, None]),
        *((pd.Series(array), [0, 0, None]) for array in NOT_NULL),
        *((series, [1, 2, 3]) for series in of_types(pd.Series, UNSIGNED_64, "u8", "UInt64")),
        (pd.Series(pd.array(TWICE, dtype=pd.ArrowDtype(TWICE.type))), ["b", "a", "a", None, "a"]),
        (pl.Series([0.0, -0.0, NAN, None]), [0, 0, None, None]),
        *((of_objects(*held), held) for held in AS_THEY_ARE),
        (of_objects("b", NAN, pd.NA, "a", None), ["b", None, None, "a", None]),
        (of_objects(*pd.to_datetime([1, None, 2])), [1, None, 2]),
        (of_objects(2**60 + 1, 2**60, 1.0, 1), [1, 2, 3, 3]),
        (pd.Series(pd.Categorical.from_codes([0, 1, 2, 0], WIDE_MIX)), [1, 2, 3, 1]),
        (of_objects(EPOCH, EPOCH.replace(tzinfo=dt.UTC)), [1, 2]),
        (of_objects(dt.time(1), dt.time(1, tzinfo=dt.UTC)), [1, 2]),
        (of_objects(pd.Timestamp(1), EPOCH, dt.datetime(3000, 1, 1)), [1, 2, 3]),
        (of_objects(*WIDE_MIX), [1, 2, 3]),
        (of_objects(np.True_, 2**63), [1, 2]),
        *((series, [1, 2, 3]) for series in of_types(pd.Series, ["a\0b", "a\0c", "a"], *TEXTS)),
        (of_objects("\ud800", "'\\ud800'", "\ud800"), [1, 2, 1]),
        *((pd.Series(made), [1, 2, 1]) for made in ([1j, 2j, 1j], pd.cut([1, 9, 2], [0, 5, 10]))),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_codes_of_other_dtypes(series: Any, values: list[Any]) -> None:
    """Equal values share a code, whatever the dtype."""
    assert_codes_of(series, values)


def test_hashes_that_meet_part_no_class() -> None:
    """Texts of one hash are told apart by the text itself, in whichever row they are."""
    for values in (["x", "y", None, "z", "y", "x"], [*["a", "bb"] * CHUNK, "c"]):
        codes, n = encode_classes(pl.Series(values), hash_values=lambda x: x.str.len_bytes())
        expected, classes = pd.factorize(np.array(values, dtype=object))
        np.testing.assert_array_equal(codes, expected)
        assert n == len(classes)


@pytest.mark.parametrize(
    ("series", "what"),
    [
        (pl.Series("x", [[1]]), "List(Int64)"),
        (pl.Series("x", [{"a": 1}]), "Struct({'a': Int64})"),
        (pl.Series("x", [object()], dtype=pl.Object), "Object"),
        (of_arrow([[1]], LISTS), pd.ArrowDtype(LISTS)),
        (of_objects([1]), "list"),
    ],
    ids=lambda value: "",
)
def test_nested_columns(series: Any, what: Any) -> None:
    """Lists, structs and Python objects in Polars are neither classes nor keys."""
    for read in (encode_classes, read_key, rank_key):
        refuse_now(
            f"A column must hold single values, but 'x' is {what}.", lambda read=read: read(series)
        )


INTEGERS = [3, None, -1, 2, 3]
DIGITS = ["3.5", None, "-1", "2", "3.5"]
FLOATS = [0.5, None, -1.5, 0.25, 0.5]
DAYS = [dt.date(2024, 3, 1), None, dt.date(2023, 1, 1), dt.date(2024, 2, 1), dt.date(2024, 3, 1)]
STAMPS = [day and dt.datetime(day.year, day.month, day.day, 6) for day in DAYS]
TIMES = [dt.time(9), None, dt.time(1), dt.time(5, 30), dt.time(9)]
SPANS = [dt.timedelta(9), None, dt.timedelta(-1), dt.timedelta(0, 5), dt.timedelta(9)]
WIDE = [2**64 - 1, None, 2**63, 2**63 + 1, 2**64 - 1]
DECIMALS = [Decimal("3.5"), None, Decimal("-1"), Decimal("2.25"), Decimal("3.5")]
PRESENT = np.array([0, 2, 3, 4])
"""Positions of the values in these columns; all rank 2, 0, 1, 2."""


def dense_ranks(values: Any) -> list[int]:
    return np.unique(np.asarray(values), return_inverse=True)[1].tolist()


DAY = 86_400
OF_TIME = {
    (60 * DAY, -365 * DAY, 31 * DAY, 60 * DAY): [
        pl.Series("x", DAYS),
        pl.Series("x", STAMPS),
        of_objects(*DAYS),
        of_objects(*STAMPS),
        pd.Series(STAMPS, name="x", dtype="datetime64[s]"),
        pd.Series(STAMPS, name="x").dt.tz_localize("Europe/Amsterdam"),
        pd.Series(pd.PeriodIndex(STAMPS, freq="D"), name="x"),
        of_arrow(DAYS, pa.date32()),
        of_arrow(STAMPS, pa.timestamp("us")),
    ],
    (9 * 3600, 3600, 5 * 3600 + 1800, 9 * 3600): [
        pl.Series("x", TIMES),
        of_objects(*TIMES),
        of_arrow(TIMES, pa.time64("us")),
    ],
    (9 * DAY, -DAY, 5, 9 * DAY): [
        pl.Series("x", SPANS),
        of_objects(*SPANS),
        of_arrow(SPANS, pa.duration("ms")),
        pd.Series(SPANS, name="x", dtype="timedelta64[ms]"),
    ],
}
"""Columns by the seconds from 2024-01-01, from midnight, or that they last."""
TEMPORAL = [(seconds, series) for seconds, columns in OF_TIME.items() for series in columns]
NUMERIC = [
    of_objects(*INTEGERS),
    of_objects(*FLOATS),
    of_objects(*DECIMALS),
    pl.Series("x", DECIMALS),
    of_arrow(DECIMALS, pa.decimal128(9, 4)),
    pl.Series("x", [2**100, None, -(2**100), 5, 2**100], dtype=pl.Int128),
    pl.Series("x", INTEGERS, dtype=pl.Int8),
    pd.Series(INTEGERS, name="x", dtype="Int16"),
    *of_types(pd.Series, FLOATS, "Float32", "float16", ">f8", "Sparse[float64]", "category"),
    pd.Series(DIGITS, name="x", dtype="category"),
    *of_types(pl.Series, DIGITS, pl.Categorical, pl.Enum(["3.5", "2", "-1"])),
]
UNSIGNED = [pl.Series("x", WIDE, dtype=pl.UInt64), of_arrow(WIDE, pa.uint64())]
UNSIGNED += of_types(pd.Series, WIDE, "UInt64")


def describe_series(value: Any) -> str:
    if isinstance(value, tuple):
        return ""
    return f"{type(value).__module__.partition('.')[0]} {value.dtype}"


@pytest.mark.parametrize("series", [*NUMERIC, *UNSIGNED], ids=describe_series)
def test_order_in_other_dtypes(series: Any) -> None:
    """Objects, decimals, wide integers and categories of numbers keep their order, also as keys."""
    values, missing = read_numbers(series, "term")
    np.testing.assert_array_equal(missing, [False, True, False, False, False])
    assert values.dtype in (np.float64, np.int64, np.uint64)
    assert dense_ranks(values[PRESENT]) == [2, 0, 1, 2]
    if not isinstance(series.dtype, pd.CategoricalDtype | pl.Categorical | pl.Enum):  # as text
        assert dense_ranks(rank_key(series)[PRESENT]) == [2, 0, 1, 2]


@pytest.mark.parametrize("values", [[True, False, None], [2, -3, None], [0.5, -1.5, None]])
def test_values_that_edges_compare_with(column: Column, values: list[Any]) -> None:
    """Numbers and booleans are read by value, as edges are."""
    found, missing = read_comparable(column(values), "term")
    np.testing.assert_array_equal(missing, [False, False, True])
    np.testing.assert_array_equal(found[:2], np.array(values[:2], dtype=float))


def test_nulls_alone_are_numbers() -> None:
    """A column of nulls has an order: all are missing."""
    for series in (pl.Series([None, None]), of_objects(None, None)):
        assert read_numbers(series, "term")[1].tolist() == [True, True]


@pytest.mark.parametrize(
    "series",
    [
        *of_types(pl.Series, ["a"], pl.String, pl.Categorical),
        *of_types(pd.Series, ["a"], None, "category"),
        *of_types(pd.Series, ["1"], *TEXTS),
        pl.Series("x", [[1]]),
        pl.Series("x", [object()], dtype=pl.Object),
        pd.Series([1j], name="x"),
        of_arrow([b"a"], pa.binary()),
        of_objects(object()),
        of_objects(dt.date(2024, 1, 1), 1.5),
    ],
    ids=describe_series,
)
def test_columns_without_order(series: Any) -> None:
    """The message names the term, the column and its dtype."""
    message = f"`sf.quantiles('x', 3)` needs numbers or dates, but column 'x' is {series.dtype}."
    for read in (read_numbers, read_comparable):
        refuse_now(message, lambda read=read: read(series, "sf.quantiles('x', 3)"))


@pytest.mark.parametrize(("seconds", "series"), TEMPORAL, ids=describe_series)
def test_dates_are_numbers_without_edges(seconds: tuple[int, ...], series: Any) -> None:
    """Differences of dates and times are in proportion to time, and edges do not compare."""
    values, missing = read_numbers(series, "drift")
    np.testing.assert_array_equal(missing, [False, True, False, False, False])
    assert values.dtype == np.int64
    steps = np.diff(values[PRESENT])
    expected = np.diff(seconds)
    np.testing.assert_allclose(steps / steps[0], expected / expected[0], rtol=1e-12)
    assert steps[0] < 0
    assert dense_ranks(rank_key(series)[PRESENT]) == [2, 0, 1, 2]
    message = f"`sf.bins('x', [1, 2])` needs numbers, but column 'x' is {series.dtype}."
    message += "\nHint: `sf.quantiles` takes dates."
    refuse_now(message, lambda: read_comparable(series, "sf.bins('x', [1, 2])"))


MICROSECOND = dt.timedelta(microseconds=1)


def word(value: int) -> bytes:
    return (value % 2**64).to_bytes(8, "little")


def hashed_as(*parts: bytes, salt: int = 7) -> int:
    """Hash a salt and then runs of bytes, each with the hash before it as the seed."""
    found = 42
    for part in (word(salt), *parts):
        found = xxhash.xxh64(part, seed=found).intdigest()
    return found


def hashes(*series: Any) -> list[int]:
    return hash_keys([read_key(each) for each in series], 7).tolist()


EXACT = [Decimal(text) for text in ("0.50", "-3", "12345678901234567890123")]
WHOLE = [5, -3, 2**40]
LARGE = [2**64 - 1, 2**63, 1]
PARTS = [0.5, -1.25, 1e300]
GREAT = [-1, 2**63, -(2**100)]
SECOND = dt.timedelta(seconds=1)
DATES = [dt.date(1970, 1, 2), dt.date(1969, 12, 31), dt.date(2024, 2, 29)]
MOMENTS = [EPOCH + SECOND, EPOCH - SECOND, dt.datetime(2024, 2, 29, 12)]
CLOCK = [dt.time(1), dt.time(microsecond=1), dt.time()]
PERIODS = [dt.timedelta(1), -SECOND, dt.timedelta(0)]
UUIDS = [UUID(int=7919**power) for power in range(3)]
BYTES = [each.bytes for each in UUIDS]
WORDS = ["", "é", "a long text of more than thirty-two bytes, for whole stripes"]
BYTES_OF: list[tuple[list[bytes], list[Any]]] = [
    (
        [word(value) for value in WHOLE],
        [
            *of_types(pl.Series, WHOLE, pl.Int64, pl.Float64, pl.Int128),
            pl.Series([Decimal(value) for value in WHOLE]),
            *of_types(pd.Series, WHOLE, "int64", object, "Int64", "float64"),
            pd.Series(pd.Categorical(WHOLE, WHOLE[::-1])),
            pd.Series(pd.PeriodIndex.from_ordinals(WHOLE, freq="D")),
            *(of_arrow(WHOLE, dtype) for dtype in (pa.int64(), pa.float64())),
        ],
    ),
    (
        [word(1), word(0), word(1)],
        [
            *(pl.Series([1, 0, 1]).cast(dtype) for dtype in (pl.Boolean, pl.Int8)),
            *of_types(pd.Series, [1, 0, 1], "bool", "boolean", "uint8", "float32"),
            of_arrow([True, False, True], pa.bool_()),
        ],
    ),
    ([*map(word, LARGE)], [pl.Series(LARGE), *of_types(pd.Series, LARGE, "uint64", "UInt64")]),
    (
        [struct.pack("<d", value) for value in PARTS],
        [pl.Series(PARTS), *of_types(pd.Series, PARTS, "float64", "Float64")],
    ),
    (
        [b"0.5", word(-3), b"12345678901234567890123"],
        [
            *of_types(pl.Series, EXACT, pl.Decimal(38, 2), pl.Decimal(38, 9)),
            of_objects(*EXACT),
            of_arrow(EXACT, pa.decimal128(38, 4)),
        ],
    ),
    (
        [word(-1), word(2**63), str(-(2**100)).encode()],
        [pl.Series(GREAT, dtype=pl.Int128), of_objects(*GREAT)],
    ),
    (
        BYTES,
        [pl.Series(BYTES), of_arrow(BYTES, pa.binary(16)), of_objects(*BYTES), of_objects(*UUIDS)],
    ),
    (
        [word((day - EPOCH.date()).days) for day in DATES],
        [
            pl.Series(DATES),
            of_objects(*DATES),
            of_arrow(DATES, pa.date32()),
            of_arrow(DATES, pa.date64()),
            of_arrow(DATES, pa.date64()).astype("category"),
        ],
    ),
    (
        [word((moment - EPOCH) // MICROSECOND) for moment in MOMENTS],
        [
            *of_types(pl.Series, MOMENTS, *map(pl.Datetime, ("ms", "us", "ns"))),
            pl.Series(MOMENTS).dt.replace_time_zone("UTC"),
            *of_types(pd.Series, MOMENTS, "M8[s]", "M8[ns]"),
            pd.Series(MOMENTS).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
            of_objects(*MOMENTS),
            of_arrow(MOMENTS, pa.timestamp("ms")),
        ],
    ),
    ([*map(word, (86_400_000_000, -1_000_000, 0))], [pl.Series(PERIODS), pd.Series(PERIODS)]),
    ([word(3_600_000_000), word(1), word(0)], [pl.Series(CLOCK), of_objects(*CLOCK)]),
    (
        [text.encode() for text in WORDS],
        [
            *of_types(pl.Series, WORDS, pl.String, pl.Categorical, pl.Enum(WORDS[::-1])),
            pl.Series([text.encode() for text in WORDS]),
            *of_types(pd.Series, WORDS, "str", "category", *TEXTS),
            *(of_arrow(WORDS, dtype) for dtype in (pa.string(), pa.large_string())),
        ],
    ),
]


@pytest.mark.parametrize(
    ("expected", "series"),
    [(expected, each) for expected, columns in BYTES_OF for each in columns],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_values_are_hashed_as_they_are(expected: list[bytes], series: Any) -> None:
    """The bytes of a value do not depend on the library, the width or the unit."""
    assert hashes(series) == [hashed_as(value) for value in expected]


def test_columns_are_chained() -> None:
    """The hash of a column is the seed of the next; nanoseconds are chained where there are any."""
    keys = pd.Series([1, 2]), pl.Series(["a", "b"])
    assert hashes(*keys) == [hashed_as(word(1), b"a"), hashed_as(word(2), b"b")]
    moments = np.array([5_000, 5_001], dtype="datetime64[ns]")
    for series in (pl.Series(moments), pd.Series(moments)):
        assert hashes(series) == [hashed_as(word(5)), hashed_as(word(5), word(1))]


RANKED = ["b", None, "10", "9", "b"]
CASES = ["é", None, "B", "a", "é"]


@pytest.mark.parametrize(
    "series",
    [
        *of_types(pd.Series, CASES, "str", object, "string"),
        pl.Series(CASES),
        pl.Series([b"b", None, b"10", b"9", b"b"]),
        pd.Series(RANKED, dtype="category"),
        pd.Series(pd.Categorical(RANKED, categories=["b", "9", "10"])),
        *of_types(pl.Series, RANKED, pl.Categorical, pl.Enum(["b", "9", "10"])),
    ],
    ids=describe_series,
)
def test_ranks_of_text(series: Any) -> None:
    """Text, bytes and categories rank by code point, whatever the order of the categories."""
    assert dense_ranks(rank_key(series)[PRESENT]) == [2, 0, 1, 2]


def test_ranks_are_dense() -> None:
    """Without missing values ranks start at 0 and leave no gap."""
    values = np.random.default_rng(0).integers(0, 50, 200) * 7
    expected = pd.Series(values).rank(method="dense").astype(int) - 1
    for series in (pd.Series(values), pl.Series(values), pd.Series(values, dtype=object)):
        np.testing.assert_array_equal(rank_key(series), expected)
        padded = type(series)([f"{value:04}" for value in series])
        np.testing.assert_array_equal(rank_key(padded), expected)


MIXES = "mixes types"
NO_KEYS = [
    (of_objects(1, "a"), MIXES),
    (of_objects(dt.date(2024, 1, 1), 1.5), MIXES),
    (of_objects(dt.date(2024, 1, 1), dt.datetime(2024, 1, 1)), MIXES),
    (of_objects(object(), object()), MIXES),
    (of_objects(Decimal("Infinity"), Decimal(1)), MIXES),
    (pd.Series([1j, 2j], name="x"), "is complex128"),
    (pd.Series(pd.interval_range(0, 2), name="x"), "is interval[int64, right]"),
]


@pytest.mark.parametrize(("series", "what"), NO_KEYS)
def test_keys_without_order(series: Any, what: str) -> None:
    """Values of several types, or of a type without an order, cannot be keys."""
    message = f"A column of `key` must hold values that can be ordered, but 'x' {what}."
    refuse_now(message, lambda: read_key(series))
    if what == MIXES and not any(isinstance(value, Decimal) for value in series):
        with pytest.raises(StratError, match=MIXES):
            rank_key(series)


def test_decimals_that_polars_cannot_hold() -> None:
    """Decimals of many digits are hashed as their digits; infinite ones have none."""
    wide = pd.Series([Decimal("1" * 40), Decimal("1E-400"), Decimal("1.50")])
    texts = pd.Series(["1" * 40, "0." + "0" * 399 + "1", "1.5"])
    assert hashes(wide) == hashes(texts)
