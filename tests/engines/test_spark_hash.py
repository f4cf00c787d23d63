"""Numbers of rows, from Spark's own `xxhash64`, are those of `core.hashing`, bit for bit."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import stratframe as sf
from stratframe.core.hashing import hash_keys
from stratframe.frames import read_key
from tests.engines.session import spark, spark_frame

__all__ = ["spark"]

pytestmark = pytest.mark.spark

SALTS = [0, 1, 2**31, 2**63 - 1, 2**63, 2**64 - 12345]

TIMES = [
    datetime(1970, 1, 1),
    datetime(1, 1, 2),
    datetime(9999, 12, 31),
    datetime(1969, 12, 31, 23, 59, 59, 999999),
    datetime(2024, 2, 29, 1, 2, 3, 4),
    datetime(1582, 10, 10),
]

COLUMNS: dict[str, pl.Series] = {
    "int64": pl.Series([0, 1, -1, 2**63 - 1, -(2**63), 5]),
    "int32": pl.Series([0, 1, -1, 2**31 - 1, -(2**31), 5], dtype=pl.Int32),
    "int16": pl.Series([0, 1, -1, 2**15 - 1, -(2**15), 5], dtype=pl.Int16),
    "int8": pl.Series([0, 1, -1, 127, -128, 5], dtype=pl.Int8),
    "boolean": pl.Series([True, False, True, False, True, True]),
    "float64": pl.Series([0.0, -0.0, 1.5, -(2.0**63), float("inf"), 1e300]),
    "large": pl.Series([2.0**63, -float("inf"), 2.0**63 - 1024, 5e-324, -7.0, 0.1]),
    "float32": pl.Series([0.1, -0.0, 1.5, 3.0, float("inf"), 1e30], dtype=pl.Float32),
    "text": pl.Series(["", "a", "é", "x" * 31, "y" * 32, "日本語" * 30]),
    "binary": pl.Series([b"", b"\x00", b"\xff\xfe", b"x" * 40, b"abc", b"abcde"]),
    "date": pl.Series([each.date() for each in TIMES]),
    "naive": pl.Series(TIMES, dtype=pl.Datetime("us")),
    "zoned": pl.Series(TIMES, dtype=pl.Datetime("us")).dt.replace_time_zone("UTC"),
    "duration": pl.Series(
        [timedelta(*each) for each in ((0,), (1,), (-1,), (0, 1, 2), (1000,), (0, 0, -1))]
    ),
    "decimal": pl.Series([Decimal(x) for x in (0, 1, -1, 123456789, 5, 7)]).cast(pl.Decimal(20, 2)),
    "wide": pl.Series([Decimal(x) for x in (2**63 - 1, -(2**63), -1, 9, 5, 7)]).cast(
        pl.Decimal(38, 0)
    ),
}


def numbers(session: Any, frame: pl.DataFrame, salt: int) -> list[int]:
    """Number the rows of a frame in Spark, as words without a sign."""
    from stratframe.engines.spark.columns import typed_column
    from stratframe.engines.spark.hashes import number_column

    spark_rows = spark_frame(session, frame)
    key = [typed_column(spark_rows, name, "key") for name in frame.columns]
    rows = spark_rows.select(number_column(key, salt).alias("u")).collect()
    return [row.u + 2**63 for row in rows]


def expected(frame: pl.DataFrame, salt: int) -> list[int]:
    """Number the rows of a frame without Spark."""
    return hash_keys([read_key(series) for series in frame], salt).tolist()


@pytest.mark.parametrize("names", [[name] for name in COLUMNS] + [*map(list, pairwise(COLUMNS))])
def test_all_types_are_hashed_alike(spark, names):
    """Keys of one column and of two have the numbers of pandas and Polars, at their extremes."""
    frame = pl.DataFrame({name: COLUMNS[name] for name in names})
    for salt in SALTS[:: len(names) + 1]:
        assert numbers(spark, frame, salt) == expected(frame, salt)


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.filterwarnings("ignore:The largest group:stratframe.StratWarning")
def test_groups_of_all_types_are_those_of_polars(spark, name):
    """Groups have the folds of Polars by their values, at the extremes of each type."""
    rows = pl.DataFrame({"id": range(18), "who": pl.concat([COLUMNS[name]] * 3)})
    expected = rows.strat.kfold(k=2, groups="who")["fold"].to_list()
    found = sf.kfold(spark_frame(spark, rows), k=2, groups="who").orderBy("id").collect()
    assert [row.fold for row in found] == expected


def test_times_of_day_are_hashed_alike(spark):
    """Times of day are hashed as microseconds."""
    from pyspark.sql import functions as sf

    from stratframe.engines.spark.columns import typed_column
    from stratframe.engines.spark.hashes import number_column

    if not hasattr(sf, "time_to_micros"):
        pytest.skip("this Spark has no times of day")
    times = [time(0), time(1), time(23, 59, 59, 999999), time(0, 0, 0, 1)]
    texts = pl.DataFrame({"text": [each.isoformat(timespec="microseconds") for each in times]})
    rows = spark_frame(spark, texts).select(sf.to_time("text").alias("time"))
    found = rows.select(number_column([typed_column(rows, "time", "key")], 7)).collect()
    assert [row[0] + 2**63 for row in found] == expected(pl.DataFrame({"time": times}), 7)


@given(
    st.lists(
        st.tuples(
            st.integers(-(2**63), 2**63 - 1),
            st.floats(allow_nan=False),
            st.text(max_size=70),
            st.binary(max_size=70),
            st.dates(date(1, 1, 1)),
            st.datetimes(datetime(1, 1, 2)),
        ),
        min_size=10,
        max_size=50,
    ),
    st.sampled_from(SALTS),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_values_are_hashed_alike(spark, rows, salt):
    """Keys of several columns of any values have the numbers of pandas and Polars."""
    frame = pl.DataFrame(rows, schema=list("abcdef"), orient="row", strict=False)
    frame = frame.with_columns(pl.col("c").str.replace_all("\0", " ", literal=True))
    assert numbers(spark, frame, salt) == expected(frame, salt)
