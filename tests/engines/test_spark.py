"""What is only of Spark: its columns and names, passes over the rows, its cross-validator."""

import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.engines import frames
from tests.engines.frames import N, collect_spark, heard
from tests.engines.session import spark_frame
from tests.helpers import columns_of, refuse_now, refused

pytest.importorskip("pyspark", reason='needs pip install "stratframe[spark]"')

from pyspark.sql import Window
from pyspark.sql import functions as fn

import stratframe.spark as sf_spark

pytestmark = pytest.mark.spark
FRAME, FOLDED = (
    pl.from_pandas(each).with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
    for each in (frames.FRAME, frames.FOLDED)
)


def by_id(frame: Any) -> pl.DataFrame:
    """Collect a frame of Spark, or take one of Polars, in the order of ids."""
    return (frame if isinstance(frame, pl.DataFrame) else collect_spark(frame)).sort("id")


@contextmanager
def setting(session: Any, name: str, value: str) -> Iterator[None]:
    """Change a setting of the session for a while."""
    old = session.conf.get(f"spark.sql.{name}")
    session.conf.set(f"spark.sql.{name}", value)
    try:
        yield
    finally:
        session.conf.set(f"spark.sql.{name}", old)


def counting(frame: Any) -> tuple[Any, Any]:
    """Count the rows of a frame each time that they are read."""
    n_read = frame.sparkSession.sparkContext.accumulator(0)

    def count(batches: Any) -> Any:
        for batch in batches:
            n_read.add(batch.num_rows)
            yield batch

    return frame.mapInArrow(count, frame.schema), n_read


PASSES = [
    ("kfold", {"by": "g"}, 2),
    ("kfold", {"by": "g", "repeats": 2}, 3),
    ("kfold", {"by": "g", "k": 70}, 2),
    ("kfold", {"by": "many"}, 2),
    ("kfold", {"by": "many", "repeats": 9}, 10),
    ("kfold", {"by": "mixed"}, 2),
    ("kfold", {"by": "mixed", "k": 70}, 2),
    ("kfold", {"where": "some"}, 3),
    ("kfold", {"by": sf.quantiles("many", 3)}, 4),
    ("kfold", {"groups": "many", "key": None}, 1),
    ("extend", {"by": None, "name": "old"}, 2),
]


@pytest.mark.parametrize(("verb", "options", "n_passes"), PASSES, ids=str)
def test_passes_over_the_rows(spark, verb, options, n_passes):
    """Rows are read as often as the page says, and once more for the new columns."""
    rng = np.random.default_rng(0)
    n = 40_000
    frame = pl.DataFrame({"id": rng.permutation(n), "many": rng.integers(0, 2000, n)})
    mixed = pl.when(pl.int_range(n) < 9000).then(-1).otherwise("many")
    frame = frame.with_columns(g=rng.integers(0, 3, n), some=pl.col("id") > 9, mixed=mixed)
    frame = frame.with_columns(old=pl.when("some").then(pl.col("id") % 4))
    options = {"key": "id", "rare": "ignore", **options}
    rows, n_read = counting(spark_frame(spark, frame, 3))
    result = getattr(sf_spark, verb)(rows, **options)
    assert n_read.value == n_passes * n
    assert by_id(result).equals(by_id(getattr(sf, verb)(frame, **options)))
    assert n_read.value == (n_passes + 1) * n


def test_rows_of_one_key_are_looked_for_once_more(spark):
    """Repeated keys move a cut from where it is expected, which costs one more pass."""
    frame = pl.DataFrame({"id": np.random.default_rng(0).permutation(80_000)})
    rows, n_read = counting(spark_frame(spark, frame.with_columns(few=pl.col("id") // 200), 3))
    result = sf_spark.kfold(rows, k=2, key="few", seed=1)
    assert n_read.value == 3 * 80_000
    result = collect_spark(result)
    assert result.group_by("few").agg(pl.col("fold").n_unique())["fold"].max() == 1
    assert result["fold"].sum() == 40_000


def test_many_rows_and_strata(spark, tmp_path):
    """Above a million rows Spark does not sort values, and counts fewer cells of many strata."""
    rng = np.random.default_rng(0)
    n = 1_100_000
    days = pl.Series(rng.integers(0, 900, n))
    ids = np.arange(n)
    frame = pl.DataFrame({"id": ids, "g": rng.integers(0, 3, n), "flag": days < 200})
    day = pl.date(2024, 1, 1) + pl.duration(days=days)
    frame = frame.with_columns(day=day, four=pl.col("id") // 4)
    frame.write_parquet(tmp_path / "rows.parquet")
    rows = spark.read.parquet(str(tmp_path / "rows.parquet"))
    options = {"key": "id", "rare": "ignore"}
    for by in (["g", sf.quantiles("day", 4)], sf.quantiles("flag", 2), "four"):
        expected, warned = heard(lambda by=by: sf.kfold(frame, by, **options))
        result, words = heard(lambda by=by: sf_spark.kfold(rows, by, **options))
        assert collect_spark(result).sort("id").equals(expected)
        assert words == warned


def test_counts_leave_out_the_joins_of_other_columns(spark, capsys):
    """A fold column costs nothing where it is not read: no later pass joins its cut points."""
    rows = spark_frame(spark, FRAME)
    folded = sf_spark.kfold(rows, ["label", sf.quantiles("price", 3)], key="id")
    folded = sf_spark.kfold(folded, groups="age", name="grouped")
    for names, n_joins in ((["label"], 0), (["grouped"], 1), (["fold"], 2)):
        folded.groupBy(names).count().explain()
        assert capsys.readouterr().out.count("HashJoin") == n_joins


def test_nan_is_missing(spark):
    """NaN is missing in classes as null is."""
    nan = pl.Series([float(i % 3) if i % 5 else float("nan") for i in range(N)])
    frame = FRAME.with_columns(nan=nan)
    rows = spark_frame(spark, frame, 3)
    by = ["nan", "whole"]
    for missing in ("stratum", "null"):
        options = {"key": "id", "missing": missing, "rare": "ignore"}
        found, expected = (by_id(sf.kfold(each, by, **options)) for each in (rows, frame))
        assert found["fold"].equals(expected["fold"])


def test_partitions_columns_and_order_stay(spark):
    """Only a column is added: partitions, order and the types of the others stay."""
    rows = spark_frame(spark, FRAME, 4).cache()
    result = rows.transform(sf_spark.kfold, by="label", key="id")
    assert result.rdd.getNumPartitions() == 4
    assert result.dtypes == [*rows.dtypes, ("fold", "bigint")]
    assert collect_spark(result.drop("fold")).equals(collect_spark(rows))


@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE_CI_AI"])
def test_text_with_a_collation_is_compared_by_its_bytes(spark, collation):
    """Texts that a collation treats as equal stay different classes, groups, keys and parts."""
    texts = ["a", "A", "b", "\u00e4"] * 10
    frame = pl.DataFrame({"id": range(40), "text": texts, "half": [i / 2 for i in range(40)]})
    names = [text * (i // 4 + 1) for i, text in enumerate(texts)]
    frame = frame.with_columns(name=pl.Series(names))
    rows = spark_frame(spark, frame, 3)
    for name in ("text", "name"):
        rows = rows.withColumn(name, fn.collate(name, collation))
    keyed = [{"by": by, "key": "id"} for by in ("text", ["text", sf.quantiles("half", 2)])]
    for options in (*keyed, {"key": "name"}, {"groups": "text"}):
        result = sf.kfold(rows, k=2, **options)
        assert result.dtypes == [*rows.dtypes, ("fold", "bigint")]
        assert by_id(result).equals(sf.kfold(frame, k=2, **options))
    assert set(collect_spark(sf.parts(rows, "text")["A"])["text"]) == {"A"}


SAME = [
    pytest.param(
        lambda rows: sf_spark.kfold(
            rows,
            [rows["label"], sf.classes(rows["age"] > 40)],
            key=[rows.id],
            where=~rows.some,
        ),
        lambda rows: sf_spark.kfold(
            rows, ["label", lambda df: df.age > 40], key="id", where=lambda df: ~df.some
        ),
        id="computed_columns_of_kfold",
    ),
    pytest.param(
        lambda rows: sf_spark.split(
            rows,
            [fn.col("label"), sf.quantiles(fn.col("age"), 3)],
            key=rows["id"],
            name="new",
        ),
        lambda rows: sf_spark.split(rows, ["label", sf.quantiles("age", 3)], key="id", name="new"),
        id="columns_of_split",
    ),
    pytest.param(
        lambda rows: sf_spark.kfold(rows, "label", 3, groups=fn.col("age")),
        lambda rows: sf_spark.kfold(rows, "label", 3, groups="age"),
        id="groups",
    ),
    pytest.param(
        lambda rows: sf_spark.balance(
            rows, [fn.col("label"), (fn.col("age") % 2).alias("odd")], "plain"
        ),
        lambda rows: sf_spark.balance(
            rows.withColumn("odd", rows.age % 2), ["label", "odd"], "plain"
        ),
        id="columns_of_balance",
    ),
    pytest.param(
        lambda rows: (
            sf_spark.check(
                rows, fn.col("label"), "plain", groups=fn.col("age"), key=fn.col("id")
            ).findings
        ),
        lambda rows: sf_spark.check(rows, "label", "plain", groups="age", key="id").findings,
        id="columns_of_check",
    ),
    pytest.param(
        lambda rows: sf_spark.kfold(rows, "LABEL", key="Id", where="SOME"),
        lambda rows: sf_spark.kfold(rows, "label", key="id", where="some"),
        id="other_case_of_kfold",
    ),
    pytest.param(
        lambda rows: sf_spark.extend(rows, "LABEL", key="ID", name="SPLIT"),
        lambda rows: sf_spark.extend(rows, "label", key="id", name="split"),
        id="other_case_of_extend",
    ),
]
"""Calls with columns of Spark, or names in other cases, and the same calls with the names."""


@pytest.mark.parametrize(("call", "call_by_names"), SAME)
def test_columns_of_spark_are_columns(spark, call, call_by_names):
    """`F.col("label")` and "LABEL" are the column "label", and an expression what it computes."""
    rows = spark_frame(spark, FOLDED.drop("fold"))
    found = call(rows)
    expected = call_by_names(rows)
    if isinstance(found, pd.DataFrame):
        tables = [each.drop(columns="detail", errors="ignore") for each in (found, expected)]
        assert columns_of(tables[0]) == columns_of(tables[1])
    else:
        assert by_id(found).equals(by_id(expected))


NO_VALUE = [
    pytest.param(lambda: fn.col("lable"), "lable", id="misspelt"),
    pytest.param(lambda: fn.max("age"), "max", id="aggregate"),
    pytest.param(lambda: fn.col("*"), "isnull", id="all_columns"),
    pytest.param(lambda: fn.row_number().over(Window.orderBy("id")), "window", id="window"),
    pytest.param(lambda: fn.explode(fn.array("age")), "generator", id="several_rows"),
    # What each pass draws anew.
    pytest.param(lambda: fn.rand(3), "rand", id="random"),
    pytest.param(lambda: fn.expr("uuid()"), "uuid", id="uuid"),
    pytest.param(lambda: fn.monotonically_increasing_id(), "monotonically", id="row_number"),
]
OWN_VALUE = "Hint: the column must give each row a value of its own; a column that looks at other"
OWN_VALUE += " rows must first be added with `withColumn`."


@pytest.mark.parametrize(("make_column", "reason"), NO_VALUE)
def test_columns_of_spark_must_have_a_value_in_each_row(spark, make_column, reason):
    """An expression that Spark cannot evaluate row by row is an error with Spark's reason."""
    rows = spark_frame(spark, FRAME)
    named = make_column()
    for given in ({"by": named}, {"by": [sf.classes(named)]}, {"groups": named}, {"key": named}):
        options = {} if "groups" in given else {"key": "id"}
        first, hint = str(refused(lambda each=options | given: sf.kfold(rows, **each))).split("\n")
        start, rest = first.split(": [", 1)
        assert start == f"A computed column must be a working expression, got {named}"
        assert reason in rest
        assert hint == OWN_VALUE


@pytest.mark.parametrize("argument", ["by", "key", "groups", "where"])
def test_columns_of_spark_are_for_spark_frames(spark, argument):
    """A column of Spark is no column of pandas or Polars, and never a name."""
    some = fn.col("some")
    rule = f"`{argument}` takes Polars expressions on Polars frames, and callables or `pd.col` on"
    rule += " pandas frames, got Column<'some'> on a"
    for frame, library in ((FRAME.to_pandas(), "pandas"), (FRAME, "polars")):
        given = {"frame": frame, argument: some}
        refuse_now(f"{rule} {library} frame.", lambda given=given: sf.kfold(**given))
    with pytest.raises(sf.StratError, match="`name` must hold column names, got Column<'some'>"):
        sf_spark.balance(spark_frame(spark, FRAME), "label", some)


def test_names_in_two_cases_are_two_where_the_session_says_so(spark):
    """With `spark.sql.caseSensitive` the columns "label" and "LABEL" are different columns."""
    rows = spark_frame(spark, FRAME).withColumnRenamed("sex", "LABEL")
    with setting(spark, "caseSensitive", "true"):
        found = collect_spark(sf_spark.kfold(rows, "label", key="id", name="ID").drop("LABEL"))
        expected = sf.kfold(FRAME, "label", key="id", name="ID").sort("id")
        assert found.sort("id")["ID"].equals(expected["ID"])
        message = "`by` names the column 'Label', which the frame does not have."
        message += "\nHint: did you mean 'label'?"
        refuse_now(message, lambda: sf_spark.kfold(rows, "Label", key="id"))


def test_the_cross_validator_of_spark_takes_the_column(spark):
    """Spark's `CrossValidator(foldCol=...)` trains on the folds, but on no null ones."""
    from pyspark.errors import PySparkException
    from pyspark.ml.evaluation import RegressionEvaluator
    from pyspark.ml.feature import VectorAssembler
    from pyspark.ml.regression import LinearRegression
    from pyspark.ml.tuning import CrossValidator

    rows = VectorAssembler(inputCols=["age"], outputCol="x").transform(spark_frame(spark, FRAME))
    folded = sf_spark.kfold(rows, "label", 2, key="id", where="some")
    options = {"estimatorParamMaps": [{}], "evaluator": RegressionEvaluator(labelCol="price")}
    model = LinearRegression(featuresCol="x", labelCol="price", maxIter=1)
    validator = CrossValidator(estimator=model, numFolds=2, foldCol="fold", **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(PySparkException):
            validator.fit(folded)
        gc.collect()  # A failed fit leaves a pool of threads open.
        assert len(validator.fit(folded.dropna(subset=["fold"])).avgMetrics) == 1


CAST = ".\nHint: cast it to text."
NO_ARROW = f"A column must hold values that Arrow supports, but 'v' is interval year to month{CAST}"
CALLABLE = "\nHint: it gets a Spark frame, as in `lambda df: df['price'] > 100`."
RESERVED = "A column must not have a name that begins with '__stratframe_', got '__stratframe_s'."
RESERVED += "\nHint: rename it, because the call adds such columns temporarily."


class FrameOfPandasOnSpark:
    """An object that says that it comes from the pandas of Spark."""


FrameOfPandasOnSpark.__name__ = "DataFrame"
FrameOfPandasOnSpark.__module__ = "pyspark.pandas.frame"


def with_months(rows):
    """Make a column of a type that Arrow does not have."""
    return rows.selectExpr("id", "make_ym_interval(cast(id % 3 as int), 0) as v")


def with_nan(rows):
    """Make a column in which one value is NaN."""
    cosine = fn.when(rows.id > 2, rows.half).otherwise(fn.acos("id"))
    return rows.withColumn("nan", cosine)


def returned(result, got):
    """Make a case of a callable that returns no column of Spark."""
    message = f"A callable must return a Spark column, got {got}.{CALLABLE}"
    return lambda rows: sf_spark.kfold(rows, key="id", where=lambda _: result), message


REFUSED = [
    (
        lambda _: sf_spark.kfold(FrameOfPandasOnSpark(), key="id"),
        "`frame` must be a pandas, Polars, Dask, Spark or Arrow frame, got"
        " pyspark.pandas.DataFrame.\nHint: pass `df.to_spark()`.",
    ),
    (
        lambda rows: sf_spark.kfold(rows, pl.col("age"), key="id"),
        "`by` takes column names, Spark columns and callables that take a Spark frame, got"
        ' col("age").',
    ),
    (
        lambda rows: sf_spark.kfold(
            rows.select("*", rows["age"].alias("label")), "label", key="id"
        ),
        "`by` names the column 'label', which occurs 2 times in the frame.\nHint: rename or drop"
        " all but one of these columns first.",
    ),
    (
        lambda rows: sf_spark.kfold(
            rows.selectExpr("id", "array(label) labels"), "labels", key="id"
        ),
        "A column must hold single values, but 'labels' is array<string>.",
    ),
    (
        lambda rows: sf_spark.kfold(
            rows.withColumn("cents", rows["price"].cast("decimal(9,2)")), key="cents"
        ),
        "A column of `key` must hold 64-bit integers, text, dates or times, but 'cents' is"
        f" decimal(9,2){CAST}",
    ),
    # More rows of one key than the bits that count them can say; a thousand are listed.
    (
        lambda rows: sf_spark.kfold(rows.sparkSession.range(9000).selectExpr("7L as id"), key="id"),
        "`key` ('id') must identify each row, but repeats in 1,000 rows.\nHint: in `kfold` and"
        " `split`, pass `groups=` so that rows that belong together stay in one fold or part, or"
        ' pass `deal="hash"`, which allows repeated keys.',
    ),
    (
        lambda rows: sf_spark.kfold(with_nan(rows), key="nan"),
        "Column 'nan' has missing values in 1 row.",
    ),
    (
        lambda rows: sf_spark.kfold(rows, key="id", where=lambda df: df["sex"] == "f"),
        "The column of `where` has missing values in 15 rows.\nHint: fill the missing values, as"
        " in `coalesce(..., lit(False))`.",
    ),
    (
        lambda rows: sf_spark.kfold(
            rows.withColumnRenamed("sex", "__stratframe_s"), "label", key="id"
        ),
        RESERVED,
    ),
    (lambda rows: sf_spark.kfold(rows, key="id", name="__stratframe_s"), RESERVED),
    (lambda rows: sf_spark.kfold(with_months(rows), sf.classes("v"), key="id"), NO_ARROW),
    (
        lambda rows: sf_spark.kfold(rows, lambda df: df["label"].str.upper(), key="id"),
        "A callable must work on a pyspark.sql.DataFrame, got TypeError: 'Column' object is not"
        f" callable.{CALLABLE}",
    ),
    returned("label", "str"),
    returned(pl.Series([1]), "Series"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_is_no_column_of_spark_is_an_error(spark, call, message):
    """A column must exist once and hold single values that Spark can hash and hand over."""
    refuse_now(message, lambda: call(spark_frame(spark, FRAME)))


def test_a_frame_that_changes_is_an_error(spark):
    """A stratum that was not counted is an error when the folds are read, never a null."""
    from pyspark.errors import PySparkException

    random = fn.java_method(fn.lit("java.util.UUID"), fn.lit("randomUUID"))
    unstable = spark_frame(spark, FRAME).withColumn("r", random)
    with pytest.raises((sf.StratError, PySparkException), match="must give the same rows"):
        collect_spark(sf_spark.kfold(unstable, "r", key="id", rare="ignore"))


def test_strata_of_other_sizes_are_an_error(spark):
    """A second pass that finds more or fewer rows in a stratum than the first is an error."""
    random = fn.substring(fn.java_method(fn.lit("java.util.UUID"), fn.lit("randomUUID")), 1, 1)
    unstable = spark.range(30_000).filter(random < "8").withColumn("label", fn.col("id") % 8)
    with (
        pytest.warns(sf.StratWarning, match="'label', 'id' are not deterministic"),
        pytest.raises(sf.StratError, match="must give the same rows each time"),
    ):
        sf_spark.kfold(unstable, "label", key="id")


WARNED = (
    "The columns of a call must be the same each time that the frame is computed, but {} not"
    " deterministic{}: parts may overlap.\nHint: write the frame to a table and read that, or use"
    " `df = df.localCheckpoint()`. `persist` is not enough, because Spark recomputes what a lost"
    " executor held."
)
DRAWN = WARNED.format("'u' is", "")
NUMBERED = WARNED.format("'u' is", " (`monotonically_increasing_id`)")


def numbered(rows):
    return rows.withColumn("u", fn.monotonically_increasing_id())


def by_own_function(rows):
    zero = fn.udf(lambda _: 0, "int").asNondeterministic()
    return rows.withColumn("u", zero("id"))


STEPS = [
    pytest.param(numbered, NUMBERED, id="row_numbers"),
    pytest.param(
        lambda rows: numbered(rows).cache().filter("id > 2").withColumn("u", fn.col("u") + 1),
        NUMBERED,
        id="row_numbers_through_a_cache",
    ),
    pytest.param(lambda rows: rows.withColumn("u", fn.rand(0)), DRAWN, id="random_numbers"),
    pytest.param(lambda rows: rows.withColumn("u", fn.uuid()), DRAWN, id="uuids"),
    pytest.param(by_own_function, DRAWN, id="own_function"),
    pytest.param(
        lambda rows: rows.filter(fn.rand(0) < 0.9),
        WARNED.format("'u', 'id', 'some' are", ""),
        id="random_rows",
    ),
    pytest.param(
        lambda rows: (
            numbered(rows.withColumnRenamed("u", "v")).cache().withColumn("u", fn.col("v"))
        ),
        None,
        id="row_numbers_that_are_not_read",
    ),
    pytest.param(lambda rows: numbered(rows).localCheckpoint().cache(), None, id="checkpoint"),
    pytest.param(
        lambda rows: rows.withColumn("u", fn.row_number().over(Window.orderBy("id"))),
        None,
        id="ranks",
    ),
    pytest.param(lambda rows: rows.sample(0.9, seed=0).limit(9), None, id="seeded_sample"),
    pytest.param(
        lambda rows: sf_spark.kfold(rows, "label", key="id", name="u", overwrite=True),
        None,
        id="folds",
    ),
]
"""Steps that make the column `u`, and the warning of a call that reads it."""


@pytest.mark.parametrize(("step", "warning"), STEPS)
def test_columns_that_may_change_are_warned_of(spark, step, warning):
    """What Spark does not call deterministic warns, through a cache too, unless it is unread."""
    made = step(spark_frame(spark, FRAME.with_columns(u="age"), 3))
    _, words = heard(lambda: sf_spark.kfold(made, key=["u", "id"], where="some", deal="hash"))
    assert words == ([] if warning is None else [warning])


CHANGING = [
    pytest.param(lambda rows: sf_spark.kfold(rows, "label", key="u"), id="kfold"),
    pytest.param(lambda rows: sf_spark.split(rows, parts=0.5, key="u", where="some"), id="split"),
    pytest.param(lambda rows: sf_spark.kfold(rows, groups="u"), id="kfold_of_groups"),
    pytest.param(
        lambda rows: sf_spark.extend(rows, None, key="u", name=["old", "part"]), id="extend"
    ),
    pytest.param(lambda rows: sf_spark.sample(rows, "label", n=9, key="u"), id="sample"),
    pytest.param(
        lambda rows: sf_spark.plan(rows, ["label", sf.quantiles("u", 2)], key="u"), id="plan"
    ),
    pytest.param(lambda rows: sf_spark.advise(rows, "u", [2]), id="advise"),
    pytest.param(lambda rows: sf_spark.folds(rows, "u"), id="folds"),
    pytest.param(
        lambda rows: sf_spark.folds(rows, "old", apart="u", nulls="drop"), id="folds_apart"
    ),
    pytest.param(lambda rows: sf_spark.parts(rows, "u"), id="parts"),
    pytest.param(lambda rows: sf_spark.leaks(rows, groups="u", name="old"), id="leaks"),
    pytest.param(lambda rows: sf_spark.check(rows, "u", "old", groups="u", key="u"), id="check"),
    pytest.param(lambda rows: sf_spark.balance(rows, "u", ["old", "part"]), id="balance"),
    pytest.param(lambda rows: sf_spark.report(rows, "u", ["old", "part"]), id="report"),
    pytest.param(lambda rows: sf_spark.compare(rows, "u", ["old", "part"]), id="compare"),
    pytest.param(lambda rows: rows.transform(sf_spark.kfold, key="u", deal="hash"), id="transform"),
]


@pytest.mark.parametrize("call", CHANGING)
def test_columns_that_may_change_are_warned_of_once(spark, call):
    """Every verb warns once, at the line of its call, of a column of any argument."""
    old = pl.when("some").then(pl.col("id") % 2)
    rows = spark_frame(spark, FRAME.with_columns(old=old, part=old.cast(pl.String)).head(16), 2)
    rows = numbered(rows)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(rows)
    ours = [each for each in caught if "deterministic" in str(each.message)]
    assert [(str(each.message), each.filename) for each in ours] == [(NUMBERED, __file__)]


INSTANTS = ["timestamp_ntz'2024-03-10 00:30:00'", "timestamp'2024-03-10 00:30:00'"]
INSTANTS = [f"{start} + make_dt_interval(0, cast(id % 6 as int))" for start in INSTANTS]
INSTANTS += [f"date_add(date'{day}', cast(id % 6 as int))" for day in ("1582-10-08", "0900-02-26")]


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
@pytest.mark.parametrize("value", INSTANTS)
def test_rows_of_times_are_those_of_their_label(spark, zone, value):
    """Folds and parts of dates and times hold the rows of their labels, in every time zone."""
    with setting(spark, "session.timeZone", zone):
        rows = spark.range(60).selectExpr("id", f"{value} as at")
        expected = [list(range(place, 60, 6)) for place in range(6)]
        found = [sorted(r.id for r in fold.valid.collect()) for fold in sf.folds(rows, "at")]
        assert found == expected
        parts = sf.parts(rows, "at").values()
        assert sorted(sorted(r.id for r in part.collect()) for part in parts) == expected


@pytest.mark.parametrize(
    ("zone", "every", "gap"),
    [
        ("Asia/Tokyo", "2d", "7h"),
        ("America/Sao_Paulo", "2d", "7h"),
        ("America/Sao_Paulo", "6h", "1d"),
        ("America/Havana", "2d", "7h"),
        ("America/Havana", "40m", 1),
    ],
)
def test_periods_are_those_of_the_clock_of_the_session(spark, zone, every, gap):
    """Folds by periods have the rows of Polars in the session's zone, where clocks change too."""
    at = "timestamp'2018-11-02 00:00:00Z' + make_dt_interval(0, cast(id * 2 as int)) as at"
    rows = spark.range(48).selectExpr("id", at)
    times = [datetime(2018, 11, 2) + timedelta(hours=2 * place) for place in range(48)]
    times = pl.Series(times, dtype=pl.Datetime("us")).dt.replace_time_zone("UTC")
    frame = pl.DataFrame({"id": range(48), "at": times.dt.convert_time_zone(zone)})
    rule = {"every": every, "train": "past", "gap": gap, "last": 30, "horizon": 2}
    expected = list(sf.folds(frame, "at", **rule))
    with setting(spark, "session.timeZone", zone):
        for found, each in zip(sf.folds(rows, "at", **rule), expected, strict=True):
            assert found.fold.isoformat() == each.fold.isoformat()
            for part, wanted in zip(found, each, strict=True):
                assert sorted(row.id for row in part.collect()) == wanted["id"].to_list()


@pytest.mark.parametrize("zone", ["Europe/Berlin", "+01:00"])
def test_the_past_is_earlier_where_clocks_go_back(spark, zone):
    """In the hour that a session's clock repeats, training rows are earlier in UTC."""
    with setting(spark, "session.timeZone", zone):
        at = "timestamp'2024-10-26 23:50:00Z' + make_dt_interval(0, 0, cast(id * 10 as int))"
        rows = spark.range(18).selectExpr("id", f"{at} as at")
        folds = list(sf.folds(rows, "at", every="15m", train="past", last=6))
        found = [[[row.id for row in part.collect()] for part in fold] for fold in folds]
        assert len({fold.fold for fold in folds}) == 6
        assert all(max(train) < min(valid) for train, valid in found)
        (same,) = sf.folds(rows, "at", every="15m", train="past", valid=folds[2].fold)
        assert [[row.id for row in part.collect()] for part in same] == found[2]


def test_columns_without_times_on_spark(spark):
    """Dates have no hours, and text is converted by a call that the error names."""
    rows = spark.sql("select '2024-01-01' as text, date'2024-01-01' as day")
    message = "`every='6h'` needs times, but column 'day' is date."
    refuse_now(message, lambda: sf.folds(rows, "day", every="6h"))
    hint = "Hint: df = df.withColumn('text', to_timestamp('text'))"
    message = f"`every` needs dates or times, but column 'text' is string.\n{hint}"
    refuse_now(message, lambda: sf.folds(rows, "text", every="1d"))


def test_zones_that_python_does_not_know(spark):
    """A time zone of Java alone is refused, with the names to use."""
    rows = spark.range(4).selectExpr("id", "timestamp'2024-01-01' as at")
    with setting(spark, "session.timeZone", "GMT+5"):
        needs = "`every` needs a time zone that Python knows, but that of the session is 'GMT+5'."
        hint = "Hint: name a region such as 'Europe/Paris', or an offset such as '+05:30'."
        refuse_now(f"{needs}\n{hint}", lambda: sf.folds(rows, "at", every="1d"))
