"""`deal="hash"` on every engine: the folds of pandas, and no pass over the rows."""

import re
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.engines.frames import FRAME, N
from tests.engines.test_engines import KEYS, ORDERS
from tests.test_golden import PARTS

BY_USER = {"key": "user", "deal": "hash"}

CALLS = [
    {"k": 7},
    {"k": 100, "repeats": 3, "seed": 5},
    {"k": 2, "where": "some", "name": "inner"},
    {"parts": PARTS},
    {"parts": 0.3, "where": lambda df: df["age"] > 20, "seed": 5},
]


def dealt(frame, options):
    """Deal rows by `kfold`, or by `split` where there are parts."""
    verb = sf.split if "parts" in options else sf.kfold
    return verb(frame, deal="hash", **options)


@pytest.mark.parametrize("key", [*KEYS, "kind", ["label", "who"]], ids=str)
@pytest.mark.parametrize("options", CALLS)
def test_folds_are_those_of_pandas(engine, key, options):
    """The key decides, also one that repeats, whatever the partitions and the order."""
    frame = engine.local(FRAME).dropna(subset=key)
    expected = engine.rows(dealt(frame, {"key": key, **options}))
    for order, cuts in ORDERS:
        rows = engine.spread(frame.iloc[order], cuts)
        assert engine.rows(dealt(rows, {"key": key, **options})) == expected


@pytest.mark.parametrize(
    ("options", "column"),
    [({"key": "whole"}, "Column 'whole'"), ({"key": "id", "where": "flag"}, "where|'flag'")],
)
def test_gaps_are_errors(engine, options, column):
    """A row without a key, or of which `where` does not say whether it is dealt, is an error."""
    frame = engine.local(FRAME.assign(flag=[None, *[True] * (N - 1)]).astype({"flag": "boolean"}))
    with pytest.raises(Exception, match=f"({column}).* has missing values"):
        engine.rows(dealt(engine.spread(frame, [20]), options))


@pytest.mark.spark
def test_the_published_query_is_right(spark):
    """The SQL of the recipe gives five folds, and train and test, under seed 0."""
    recipe = Path(__file__).parents[2] / "docs" / "recipes" / "fold-from-id.md"
    queries = re.findall("```sql\n(.*?)```", recipe.read_text(encoding="utf-8"), re.DOTALL)
    users = [f"user {number}" for number in range(500)]
    spark.createDataFrame([(user,) for user in users], ["user"]).createOrReplaceTempView("visits")
    folds, parts = ({row.user: row[-1] for row in spark.sql(each).collect()} for each in queries)
    frame = pl.DataFrame({"user": users})
    assert folds == dict(sf.kfold(frame, **BY_USER).iter_rows())
    assert parts == dict(sf.split(frame, **BY_USER).iter_rows())


@pytest.mark.dask
def test_dask_reads_nothing_before():
    """The column is a function of each partition: nothing is computed at the call."""
    dd = pytest.importorskip("dask.dataframe")
    read = []

    def piece(place):
        read.append(place)
        return FRAME.iloc[place::3]

    rows = dd.from_map(piece, range(3), meta=FRAME.iloc[:0])
    made = dealt(rows, {"key": "id", "repeats": 2})
    assert (read, made.npartitions, made.divisions) == ([], 3, rows.divisions)
    assert len(made.compute(scheduler="synchronous")) == N
    assert sorted(read) == [0, 1, 2]


@pytest.mark.spark
def test_spark_runs_no_job_before(spark):
    """The column is an expression: no job runs at the call, and the plan has no join."""
    rows = spark.range(1000)
    before = spark.sparkContext.statusTracker().getJobIdsForGroup(None)
    made = dealt(rows, {"key": "id", "where": rows.id > 10, "k": 70})
    assert spark.sparkContext.statusTracker().getJobIdsForGroup(None) == before
    plan = made._jdf.queryExecution().toString()
    assert "Join" not in plan
    assert "Exchange" not in plan


@pytest.mark.dask
def test_a_key_may_have_any_name():
    """A missing key is found whatever its column is called, by labels of one text too."""
    dd = pytest.importorskip("dask.dataframe")
    for names in (["None"], [1, "1"]):
        rows = pd.DataFrame(
            {name: [3, None, 5] for name in names[:1]} | dict.fromkeys(names[1:], 7)
        )
        made = dealt(dd.from_pandas(rows, npartitions=1), {"key": names})
        with pytest.raises(sf.StratError, match=f"Column '{names[0]}' has missing values in 1 row"):
            made.compute(scheduler="synchronous")
