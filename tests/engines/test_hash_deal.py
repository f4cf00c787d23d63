"""`deal="hash"` on every engine: the folds of pandas and Polars, whose keys are hashed alike."""

import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stratframe as sf
from tests.engines.frames import FRAME, N
from tests.engines.session import spark_frame


@pytest.mark.parametrize(
    ("options", "column"),
    [({"key": "whole"}, "Column 'whole'"), ({"key": "id", "where": "flag"}, "where|'flag'")],
)
def test_gaps_are_errors(engine, options, column):
    """A row without a key, or of which `where` does not say whether it is dealt, is an error."""
    frame = engine.local(FRAME.assign(flag=[None, *[True] * (N - 1)]).astype({"flag": "boolean"}))
    with pytest.raises(Exception, match=f"({column}).* has missing values"):
        engine.rows(sf.kfold(engine.spread(frame, [20]), deal="hash", **options))


TIMES = [datetime(1970, 1, 1), datetime(1, 1, 2), datetime(9999, 12, 31), datetime(1582, 10, 10)]
TIMES += [datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(2024, 2, 29, 1, 2, 3, 4)]
SPANS = [timedelta(*each) for each in ((0,), (1,), (-1,), (0, 1, 2), (1000,), (0, 0, -1))]
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
    "time": pl.Series([each.time() for each in TIMES[2:]] + [time(0, 0, 0, 1), time(1)]),
    "duration": pl.Series(SPANS),
    "decimal": pl.Series([0, 1, -1, 123456789, 5, 7]).cast(pl.Decimal(20, 2)),
    "wide": pl.Series([2**63 - 1, -(2**63), -1, 9, 5, 7]).cast(pl.Decimal(38, 0)),
    "uint64": pl.Series([0, 5, 2**63 - 1, 2**63, 2**63 + 5, 2**64 - 1], dtype=pl.UInt64),
    "unsigned": pl.Series([Decimal(x) for x in (0, 2**63, 2**64 - 1, -(2**63), -1, 7)]),
}


def check_folds(engine, frame, **options):
    """Compare the folds of a Polars frame with those on an engine, whose types are the same."""
    frame = frame.with_columns(id=pl.int_range(pl.len()))
    arrow = frame.to_pandas(use_pyarrow_extension_array=True)
    found = engine.rows(sf.kfold(engine.spread(arrow, [2]), **options))
    expected = sf.kfold(frame, **options).select("^fold.*$").to_dict(as_series=False)
    assert {name: found[name] for name in expected} == expected


def skip_durations(engine, name):
    if engine.name == "DuckDB" and name == "duration":
        pytest.skip("DuckDB has intervals of months, which Polars does not read")


@pytest.mark.parametrize("name", COLUMNS)
def test_keys_of_all_types_are_hashed_alike(engine, name):
    """Keys have the folds of Polars, at the extremes of each type."""
    skip_durations(engine, name)
    check_folds(engine, pl.DataFrame({"key": COLUMNS[name]}), key="key", deal="hash", k=100)


def test_keys_of_any_values_are_hashed_alike(engine):
    """Keys of several columns of any values have the folds of Polars."""
    values = [
        st.integers(-(2**63), 2**63 - 1),
        st.floats(allow_nan=False),
        st.text(max_size=70),
        st.binary(max_size=70),
        st.dates(date(1, 1, 1)),
        st.datetimes(datetime(1, 1, 2)),
    ]

    @given(st.lists(st.tuples(*values), min_size=10, max_size=50), st.integers(0, 9))
    @settings(max_examples=engine.n_examples)
    def check(rows, seed):
        frame = pl.DataFrame(rows, schema=list("abcdef"), orient="row", strict=False)
        frame = frame.with_columns(pl.col("c").str.replace_all("\0", " ", literal=True))
        options = {"deal": "hash", "k": 100, "repeats": 2, "seed": seed}
        check_folds(engine, frame, key=list("abcdef"), **options)

    check()


def test_unsigned_keys_rank_rows_as_in_polars(engine):
    """Keys on both sides of 2**63 have the folds of Polars in a random deal."""
    values = pl.Series([*range(30), *range(2**63 - 9, 2**63 + 9), 2**64 - 1], dtype=pl.UInt64)
    frame = pl.DataFrame({"key": values}).with_columns(label=pl.int_range(pl.len()) % 3)
    check_folds(engine, frame, by="label", key="key", k=4)


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.filterwarnings("ignore:The largest group:stratframe.StratWarning")
def test_groups_of_all_types_are_those_of_polars(engine, name):
    """Groups have the folds of Polars by their values, at the extremes of each type."""
    skip_durations(engine, name)
    check_folds(engine, pl.DataFrame({"who": pl.concat([COLUMNS[name]] * 3)}), k=2, groups="who")


@pytest.mark.spark
@pytest.mark.parametrize("value", [Decimal("1.5"), Decimal(2**64), Decimal(-(2**63) - 1)], ids=str)
def test_decimals_of_spark_that_are_no_integers_of_64_bits(spark, value):
    """Keys that Spark cannot hash as pandas does are an error, by the rule that they break."""
    from pyspark.errors import PySparkException

    dtype = pl.Decimal(38, 1)
    frame = pl.DataFrame({"key": pl.Series([Decimal(1), Decimal(2**64 - 1), value], dtype=dtype)})
    rows = spark_frame(spark, frame)
    message = "A decimal key must hold whole numbers of 64 bits, but 'key' has other values."

    dealt = sf.kfold(rows, None, 2, key="key", deal="hash")
    with pytest.raises(PySparkException, match=message):
        dealt.collect()
    with pytest.raises(sf.StratError, match="must hold 64-bit integers"):
        sf.kfold(rows, None, 2, key="key")


@pytest.mark.spark
def test_the_published_query_is_right(spark):
    """The SQL of the recipe gives five folds, and train and test, under seed 0."""
    recipe = Path(__file__).parents[2] / "docs" / "recipes" / "fold-from-id.md"
    queries = re.findall("```sql\n(.*?)```", recipe.read_text(encoding="utf-8"), re.DOTALL)
    frame = pl.DataFrame({"user": [f"user {number}" for number in range(500)]})
    spark.createDataFrame(frame.rows(), frame.columns).createOrReplaceTempView("visits")
    for verb, query in zip((sf.kfold, sf.split), queries, strict=True):
        found = {row.user: row[-1] for row in spark.sql(query).collect()}
        assert found == dict(verb(frame, key="user", deal="hash").iter_rows())


@pytest.mark.spark
def test_spark_runs_no_job_before(spark):
    """The column is an expression: no job runs at the call, and the plan has no join."""
    rows = spark.range(1000)
    before = spark.sparkContext.statusTracker().getJobIdsForGroup(None)
    made = sf.kfold(rows, key="id", deal="hash", where=rows.id > 10, k=70)
    assert spark.sparkContext.statusTracker().getJobIdsForGroup(None) == before
    plan = made._jdf.queryExecution().toString()
    assert [word for word in ("Join", "Exchange") if word in plan] == []
