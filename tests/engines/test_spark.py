"""What is only of Spark: its columns and names, passes over the rows, its cross-validator."""

import gc
import warnings
from datetime import datetime
from typing import Any

import numpy as np
import polars as pl
import pytest

import stratframe as sf
from tests.engines import frames
from tests.engines.frames import N, collect_spark, heard
from tests.engines.session import spark_frame
from tests.helpers import columns_of, evaluate, refuse_now

pytest.importorskip("pyspark", reason='needs pip install "stratframe[spark]"')

import stratframe.spark as sf_spark
from stratframe.pipeline.check_data import UNIQUE_KEY_HINT

pytestmark = pytest.mark.spark

FRAME, FOLDED = (
    pl.from_pandas(each).with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
    for each in (frames.FRAME, frames.FOLDED)
)


def added(frame: Any) -> dict[str, list[Any]]:
    """List the columns that a call added, in the order of ids."""
    rows = frame if isinstance(frame, pl.DataFrame) else collect_spark(frame)
    return columns_of(rows.sort("id").drop(set(rows.columns) & set(FRAME.columns)))


def refused(message: str, rows: Any, by: Any, **options: Any) -> None:
    """Check the error of a call with a key."""
    refuse_now(message, lambda: sf_spark.kfold(rows, by, **{"key": "id", **options}))


# Passes ----------------------------------------------------------------------------------


def counting(frame: Any) -> tuple[Any, Any]:
    """Count the rows of a frame each time that they are read."""
    n_read = frame.sparkSession.sparkContext.accumulator(0)

    def count(batches: Any) -> Any:
        for batch in batches:
            n_read.add(batch.num_rows)
            yield batch

    return frame.mapInArrow(count, frame.schema), n_read


@pytest.mark.parametrize(
    ("n_strata", "n_alone", "options", "n_passes"),
    [
        (3, 0, {}, 2),
        (3, 0, {"repeats": 2}, 3),
        (3, 0, {"k": 70}, 2),
        (1, 0, {"k": 2, "key": "few", "seed": 1}, 3),
        (2000, 0, {}, 2),
        (2000, 0, {"repeats": 9}, 10),
        (2000, 9000, {}, 2),
        (2000, 9000, {"k": 70}, 2),
    ],
    ids=str,
)
def test_cuts_take_one_pass_after_the_counts(spark, n_strata, n_alone, options, n_passes):
    """There is one more where a cut is not where it is expected, as keys repeat."""
    rng, n = np.random.default_rng(0), 80_000 if "seed" in options else 40_000
    labels = np.where(np.arange(n) < n_alone, -1, rng.integers(0, n_strata, n))
    frame = pl.DataFrame({"id": rng.permutation(n), "g": labels})
    frame = frame.with_columns(few=pl.col("id") // 200)
    call = {"key": "id", "rare": "ignore", **options}
    rows, n_read = counting(spark_frame(spark, frame, 3))
    result = sf_spark.kfold(rows, "g", **call)
    assert n_read.value == n_passes * n
    result = collect_spark(result).sort("id")
    if "seed" in options:  # which other libraries refuse, because the key repeats
        assert result.group_by("few").agg(pl.col("fold").n_unique())["fold"].max() == 1
        assert result["fold"].sum() == n // 2
    else:
        assert result.equals(sf.kfold(frame, "g", **call).sort("id"))


@pytest.mark.parametrize(
    ("verb", "options", "n_passes"),
    [
        ("kfold", {"key": "id"}, 2),
        ("kfold", {"key": "id", "where": "some"}, 3),
        ("kfold", {"key": "id", "repeats": 2}, 3),
        ("kfold", {"key": "id", "by": sf.quantiles("price", 3)}, 4),
        ("kfold", {"groups": "age"}, 1),
        ("extend", {"by": None, "key": "id", "name": "old"}, 2),
    ],
    ids=str,
)
def test_passes_over_the_rows(spark, verb, options, n_passes):
    """Rows are read as often as the page says, and once more for the new columns."""
    old = pl.when("some").then(pl.col("id") % 4)
    made = spark_frame(
        spark, FRAME.with_columns(old=old).select("id", "age", "price", "some", "old")
    )
    rows, n_read = counting(made)
    result = getattr(sf_spark, verb)(rows, **options)
    assert n_read.value == n_passes * N
    collect_spark(result)
    assert n_read.value == (n_passes + 1) * N


def test_quantiles_of_many_rows(spark, tmp_path):
    """Above a million rows, quantiles are those of Polars, too: Spark does not sort the values."""
    rng, n = np.random.default_rng(0), 1_100_000
    days = pl.Series(rng.integers(0, 900, n))
    frame = pl.DataFrame({"id": np.arange(n), "g": rng.integers(0, 3, n)}).with_columns(
        day=pl.date(2024, 1, 1) + pl.duration(days=days), flag=days < 200
    )
    frame.write_parquet(tmp_path / "rows.parquet")
    rows = spark.read.parquet(str(tmp_path / "rows.parquet"))
    for by in (["g", sf.quantiles("day", 4)], sf.quantiles("flag", 2)):
        expected, warned = heard(lambda by=by: sf.kfold(frame, by, key="id"))
        result, words = heard(lambda by=by: sf_spark.kfold(rows, by, key="id"))
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


# Columns and names ----------------------------------------------------------------------


def test_nan_is_missing(spark):
    """NaN is missing as null is, in classes and in keys."""
    nan = pl.Series([float(i % 3) if i % 5 else float("nan") for i in range(N)])
    frame = FRAME.with_columns(nan=nan)
    rows, by = spark_frame(spark, frame, 3), ["nan", "whole"]
    for missing in ("stratum", "null"):
        options = {"key": "id", "missing": missing, "rare": "ignore"}
        assert added(sf_spark.kfold(rows, by, **options)) == added(sf.kfold(frame, by, **options))
    refused(
        "Column 'nan' has missing values in 12 rows.",
        rows,
        "label",
        key=["id", "nan"],
    )


def test_partitions_columns_and_order_stay(spark):
    """Only a column is added: partitions, order and the types of the others stay."""
    rows = spark_frame(spark, FRAME, 4).cache()
    result = rows.transform(sf_spark.kfold, by="label", key="id")
    assert result.rdd.getNumPartitions() == 4
    assert result.dtypes == [*rows.dtypes, ("fold", "bigint")]
    assert collect_spark(result.drop("fold")).equals(collect_spark(rows))


@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE_CI_AI"])
def test_text_with_a_collation_is_compared_by_its_bytes(spark, collation):
    """Texts that a collation takes for one are classes, groups, keys and parts of their own."""
    from pyspark.sql import functions as fn

    texts = ["a", "A", "b", "\u00e4"]
    frame = pl.DataFrame({"id": range(40), "text": texts * 10, "half": [i / 2 for i in range(40)]})
    frame = frame.with_columns(
        name=pl.Series([text * (i // 4 + 1) for i, text in enumerate(frame["text"])])
    )
    rows = spark_frame(spark, frame, 3)
    for name in ("text", "name"):
        rows = rows.withColumn(name, fn.collate(name, collation))
    dtypes = rows.dtypes
    for by, key in (("text", "id"), (["text", sf.quantiles("half", 2)], "id"), (None, "name")):
        expected = sf.kfold(frame, by, 2, key=key)
        result = sf_spark.kfold(rows, by, 2, key=key)
        assert result.dtypes == [*dtypes, ("fold", "bigint")]
        assert collect_spark(result).sort("id").equals(expected)
    grouped = collect_spark(sf_spark.kfold(rows, groups="text", k=4)).group_by("text").agg("fold")
    assert all(len(set(folds)) == 1 for folds in grouped["fold"])
    by_text = {"by": "text", "k": 2, "key": "id", "rare": "ignore"}
    assert columns_of(sf_spark.plan(rows, **by_text)) == columns_of(sf.plan(frame, **by_text))
    parted = collect_spark(sf_spark.parts(rows, "text")["A"])
    assert parted["text"].unique().to_list() == ["A"]


def test_names_may_need_quotes(spark):
    """Names with dots, spaces and backquotes are names."""
    frame = pl.DataFrame({"a.b": ["x", "y"] * 10, "the `id`": range(20)})
    rows = spark_frame(spark, frame)
    options = {"key": "the `id`", "name": "my.fold"}
    result = collect_spark(sf_spark.kfold(rows, "a.b", 2, **options))
    assert result.equals(sf.kfold(frame, "a.b", 2, **options))


def test_columns_of_spark_are_columns(spark):
    """`F.col("label")` is the column, and an expression of Spark is what it computes."""
    from pyspark.sql import functions as fn

    rows = spark_frame(spark, FRAME)
    expected = sf.kfold(FRAME, ["label", pl.col("age") > 40], key="id", where="some")
    for label, key, some in (
        (fn.col("label"), fn.col("id"), fn.col("some")),
        (rows["label"], [rows.id], ~(rows.some == fn.lit(False))),
    ):
        by = [label, sf.classes(rows["age"] > 40)]
        result = sf_spark.kfold(rows, by, key=key, where=some)
        assert added(result) == added(expected)
    by = ["label", sf.quantiles("age", 3)]
    result = sf_spark.split(rows, [fn.col("label"), sf.quantiles(fn.col("age"), 3)], key=rows["id"])
    assert added(result) == added(sf.split(FRAME, by, key="id"))
    whole = sf_spark.kfold(rows, "label", 3, groups=fn.col("age"))
    assert collect_spark(whole).equals(
        collect_spark(sf_spark.kfold(rows, "label", 3, groups="age"))
    )
    folded = sf_spark.kfold(rows, "label", key="id")
    by = [fn.col("label"), (fn.col("age") % 2).alias("odd")]
    assert sf_spark.balance(folded, by).columns[:3].tolist() == ["fold", "label", "odd"]
    found = sf_spark.check(folded, groups=fn.col("age"), key=fn.col("id"), by=fn.col("label"))
    named = sf_spark.check(folded, groups="age", key="id", by="label")
    kept = ["severity", "check", "n"]
    assert found.findings[kept].equals(named.findings[kept])


def test_columns_of_spark_must_have_a_value_in_each_row(spark):
    """An expression that Spark cannot evaluate row by row is an error with Spark's reason."""
    from pyspark.sql import Window
    from pyspark.sql import functions as fn

    rows = spark_frame(spark, FRAME)
    numbered = fn.row_number().over(Window.orderBy("id"))
    for column, reason in (
        (fn.col("lable"), "lable"),
        (fn.max("age"), "max"),
        (numbered, "window"),
        (fn.explode(fn.array("age")), "generator"),
        (fn.col("*"), "isnull"),
        # What each pass draws anew.
        (fn.rand(3), "rand"),
        (fn.expr("uuid()"), "uuid"),
        (fn.monotonically_increasing_id(), "monotonically"),
    ):
        keyed = [{"by": each, "key": "id"} for each in (column, [sf.classes(column)])]
        for options in (*keyed, {"groups": column}, {"key": column}):
            with pytest.raises(sf.StratError) as caught:
                sf_spark.kfold(rows, **options)
            first, hint = str(caught.value).split("\n")
            start = f"A computed column must be a working expression, got {column}: ["
            assert first.startswith(start)
            assert reason in first.removeprefix(start)
            assert hint == (
                "Hint: it must give each row a value of its own; a column that looks at other rows"
                " must be added with `withColumn` first."
            )
    with pytest.raises(sf.StratError, match="`name` must hold column names, got Column<'age'>"):
        sf_spark.balance(rows, "label", fn.col("age"))


def test_columns_of_spark_are_for_spark_frames(spark):
    """A column of Spark is no column of pandas or Polars."""
    from pyspark.sql import functions as fn

    for frame, library in ((FRAME.to_pandas(), "pandas"), (FRAME, "polars")):
        for argument in ("by", "key", "groups", "where"):
            with pytest.raises(sf.StratError) as caught:
                sf.kfold(frame, **{argument: fn.col("some")})
            assert str(caught.value) == (
                f"`{argument}` takes Polars expressions on Polars frames, and callables or"
                f" `pd.col` on pandas frames, got Column<'some'> on a {library} frame."
            )


def test_names_are_compared_as_the_session_says(spark):
    """Upper and lower case of names are one by default, and two where the session says so."""
    rows = spark_frame(spark, FOLDED)
    result = sf_spark.kfold(rows, "LABEL", key="Id", where="SOME", name="new")
    assert collect_spark(result).equals(
        collect_spark(sf_spark.kfold(rows, "label", key="id", where="some", name="new"))
    )
    table = sf_spark.balance(rows, "Sex", "FOLD")
    assert columns_of(table) == columns_of(sf.balance(FOLDED, "sex", "fold").rename({"sex": "Sex"}))
    filled = sf_spark.extend(rows, "LABEL", key="ID", name="FOLD")
    assert filled.columns == rows.columns
    assert collect_spark(filled).equals(collect_spark(sf_spark.extend(rows, "label", key="id")))
    with pytest.raises(sf.StratError, match="'FOLD' already"):
        sf_spark.kfold(rows, "label", key="id", name="FOLD")
    twice = rows.withColumnRenamed("sex", "LABEL")
    refused(
        "`by` names the column 'label', which the frame has 2 times."
        "\nHint: rename or drop the others first.",
        twice,
        "label",
        name="new",
    )
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        expected = sf.kfold(FOLDED, "label", key="id", name="ID")
        found = collect_spark(sf_spark.kfold(twice, "label", key="id", name="ID").drop("LABEL"))
        assert found.sort("id")["ID"].to_list() == expected.sort("id")["ID"].to_list()
        refused(
            "`by` names the column 'Label', which the frame does not have."
            "\nHint: did you mean 'label'?",
            rows,
            "Label",
            name="new",
        )
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


# Cross-validation ------------------------------------------------------------------------


def test_the_cross_validator_of_spark_takes_the_column(spark):
    """Spark's `CrossValidator(foldCol=...)` trains on the folds, but on no null ones."""
    from pyspark.errors import PySparkException
    from pyspark.ml.evaluation import RegressionEvaluator
    from pyspark.ml.feature import VectorAssembler
    from pyspark.ml.regression import LinearRegression
    from pyspark.ml.tuning import CrossValidator

    rows = VectorAssembler(inputCols=["age"], outputCol="x").transform(spark_frame(spark, FRAME))
    folded = sf_spark.kfold(rows, "label", 2, key="id", where="some")
    validator = CrossValidator(
        estimator=LinearRegression(featuresCol="x", labelCol="price", maxIter=1),
        estimatorParamMaps=[{}],
        evaluator=RegressionEvaluator(labelCol="price"),
        numFolds=2,
        foldCol="fold",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(PySparkException):
            validator.fit(folded)
        gc.collect()  # A failed fit leaves a pool of threads open.
        assert len(validator.fit(folded.dropna(subset=["fold"])).avgMetrics) == 1


# Errors ----------------------------------------------------------------------------------

MONTHS = "rows.selectExpr('id', 'make_ym_interval(cast(id % 3 as int), 0) as v')"
NO_ARROW = (
    "A column must hold values that Arrow supports, but 'v' is interval year to month."
    "\nHint: cast it to text."
)
CALLABLE = "\nHint: it gets a Spark frame, as in `lambda df: df['price'] > 100`."
RESERVED = (
    "A column must not have a name that begins with '__stratframe_', got '__stratframe_s'."
    "\nHint: rename it, because the call adds such columns temporarily."
)
REFUSED = {
    "type('DataFrame', (), {'__module__': 'pyspark.pandas.frame'})()": (
        "`frame` must be a pyspark.sql.DataFrame, got a pyspark.pandas.frame.DataFrame."
        "\nHint: take the Spark frame below it, `df.to_spark()`."
    ),
    "rows, pl.col('age')": (
        "`by` takes column names, Spark columns and callables of the frame on Spark frames,"
        ' got col("age").'
    ),
    "rows.select('*', rows['age'].alias('label')), 'label'": (
        "`by` names the column 'label', which the frame has 2 times."
        "\nHint: rename or drop the others first."
    ),
    "rows.selectExpr('id', 'array(label) labels'), 'labels'": (
        "A column must hold single values, but 'labels' is array<string>."
    ),
    "rows.withColumn('cents', rows['price'].cast('decimal(9,2)')), key='cents'": (
        "A column of `key` must hold 64-bit integers, text, dates or times, but 'cents'"
        " is decimal(9,2).\nHint: cast it to text."
    ),
    # More rows of one key than the bits that count the rows of a small stratum can say.
    "rows.sparkSession.range(500).selectExpr('7L as id')": (
        f"`key` ('id') must identify each row, but repeats in 500 rows.\nHint: {UNIQUE_KEY_HINT}"
    ),
    "rows, where=lambda df: df['sex'] == 'f'": (
        "The column of `where` has missing values in 15 rows."
        "\nHint: fill it, as in `coalesce(..., lit(False))`."
    ),
    "rows.withColumnRenamed('sex', '__stratframe_s'), 'label'": RESERVED,
    "rows, name='__stratframe_s'": RESERVED,
    f"{MONTHS}, sf.classes('v')": NO_ARROW,
    f"{MONTHS}, groups='v', key=None": NO_ARROW,
    "rows, lambda df: df['label'].str.upper()": (
        "A callable must work on a pyspark.sql.DataFrame, got TypeError: 'Column' object is not"
        f" callable.{CALLABLE}"
    ),
    **{
        f"rows, where=lambda _: {result}": (
            f"A callable must return a Spark column, got {got}.{CALLABLE}"
        )
        for result, got in {"'label'": "str", "5": "int", "pl.Series([1])": "Series"}.items()
    },
}
"""Arguments of `kfold` beside the key, and the message of each."""


@pytest.mark.parametrize("given", REFUSED)
def test_what_is_no_column_of_spark_is_an_error(spark, given):
    """Columns are there once, of single values that Spark can hash and hand over."""
    call = f"(lambda *given, **named: kfold(*given, **{{'key': 'id', **named}}))({given})"
    rows = spark_frame(spark, FRAME)
    refuse_now(REFUSED[given], lambda: evaluate(call, kfold=sf_spark.kfold, rows=rows))


def test_a_frame_that_changes_is_an_error(spark):
    """A stratum that was not counted is an error when the folds are read, never a null."""
    from pyspark.errors import PySparkException
    from pyspark.sql import functions as fn

    rows = spark_frame(spark, FRAME)
    random = fn.java_method(fn.lit("java.util.UUID"), fn.lit("randomUUID"))
    unstable = rows.withColumn("r", random)
    with pytest.raises((sf.StratError, PySparkException), match="must give the same rows"):
        collect_spark(sf_spark.kfold(unstable, "r", key="id", rare="ignore"))


def test_strata_of_other_sizes_are_an_error(spark):
    """A second pass that finds more or fewer rows in a stratum than the first is an error."""
    from pyspark.sql import functions as fn

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
U_COLUMN = ".withColumn('u', fn.monotonically_increasing_id())"
STEPS = {
    f"rows{U_COLUMN}": NUMBERED,
    f"rows{U_COLUMN}.cache().filter('id > 2').withColumn('u', fn.col('u') + 1)": NUMBERED,
    "rows.withColumn('u', fn.rand(0))": DRAWN,
    "rows.withColumn('u', fn.uuid())": DRAWN,
    "rows.withColumn('u', fn.udf(lambda _: 0, 'int').asNondeterministic()('id'))": DRAWN,
    "rows.filter(fn.rand(0) < 0.9)": WARNED.format("'u', 'id', 'some' are", ""),
    f"rows.withColumnRenamed('u', 'v'){U_COLUMN}.cache().withColumn('u', fn.col('v'))": None,
    f"rows{U_COLUMN}.localCheckpoint().cache()": None,
    "rows.withColumn('u', fn.row_number().over(Window.orderBy('id')))": None,
    "rows.sample(0.9, seed=0).limit(9)": None,
    "kfold(rows, 'label', key='id', name='u', overwrite=True)": None,
}
"""Steps that make the column `u`, and the warning of a call that reads it."""


@pytest.mark.parametrize("step", STEPS)
def test_columns_that_may_change_are_warned_of(spark, step):
    """What Spark does not call deterministic warns, through a cache too, unless it is unread."""
    from pyspark.sql import Window, functions

    rows = spark_frame(spark, FRAME.with_columns(u="age"), 3)
    made = evaluate(step, rows=rows, fn=functions, Window=Window, kfold=sf_spark.kfold)
    _, words = heard(lambda: sf_spark.kfold(made, key=["u", "id"], where="some", deal="hash"))
    assert words == [STEPS[step]] * (STEPS[step] is not None)


CHANGING = [
    "kfold(rows, 'label', key='u')",
    "split(rows, parts=0.5, key='u', where='some')",
    "kfold(rows, groups='u')",
    "extend(rows, None, key='u', name=['old', 'part'])",
    "sample(rows, 'label', n=9, key='u')",
    "plan(rows, ['label', sf.quantiles('u', 2)], key='u')",
    "advise(rows, 'u', [2])",
    "folds(rows, 'u')",
    "folds(rows, 'old', apart='u', nulls='drop')",
    "parts(rows, 'u')",
    "leaks(rows, groups='u', name='old')",
    "check(rows, 'u', 'old', groups='u', key='u')",
    "balance(rows, 'u', ['old', 'part'])",
    "report(rows, 'u', ['old', 'part'])",
    "compare(rows, 'u', ['old', 'part'])",
    "rows.transform(kfold, key='u', deal='hash')",
]


@pytest.mark.parametrize("call", CHANGING)
def test_columns_that_may_change_are_warned_of_once(spark, call):
    """Every verb warns once, at the line of its call, of a column of any argument."""
    from pyspark.sql import functions as fn

    old = pl.when("some").then(pl.col("id") % 2)
    rows = spark_frame(spark, FRAME.with_columns(old=old, part=old.cast(pl.String)).head(16), 2)
    rows = rows.withColumn("u", fn.monotonically_increasing_id())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate(call, rows=rows, **{name: getattr(sf_spark, name) for name in sf_spark.__all__})
    ours = [each for each in caught if "deterministic" in str(each.message)]
    assert [(str(each.message), each.filename) for each in ours] == [(NUMBERED, "<string>")]


# Values that Spark reads otherwise than Python ------------------------------------------


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
@pytest.mark.parametrize(
    "value",
    [
        "timestamp_ntz'2024-03-10 00:30:00' + make_dt_interval(0, cast(id % 6 as int))",
        "timestamp'2024-03-10 00:30:00' + make_dt_interval(0, cast(id % 6 as int))",
        "date_add(date'1582-10-08', cast(id % 6 as int))",
        "date_add(date'0900-02-26', cast(id % 6 as int))",
    ],
)
def test_rows_of_times_are_those_of_their_label(spark, zone, value):
    """Folds and parts of dates and times hold the rows of their labels, in every time zone."""
    old = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        rows = spark.range(60).selectExpr("id", f"{value} as at")
        expected = [sorted(range(place, 60, 6)) for place in range(6)]
        found = [sorted(r.id for r in fold.valid.collect()) for fold in sf.folds(rows, "at")]
        assert found == expected
        parts = sf.parts(rows, "at").values()
        assert sorted(sorted(r.id for r in part.collect()) for part in parts) == sorted(expected)
    finally:
        spark.conf.set("spark.sql.session.timeZone", old)


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Sao_Paulo", "America/Havana"])
@pytest.mark.parametrize("every", ["1d", "6h", "40m"])
def test_periods_are_those_of_the_clock_of_the_session(spark, zone, every):
    """Folds by periods have the rows of Polars in the session's zone, where clocks change too."""
    rows = spark.range(48).selectExpr(
        "id", "timestamp'2018-11-02 00:00:00Z' + make_dt_interval(0, cast(id * 2 as int)) as at"
    )
    times = pl.datetime_range(
        datetime(2018, 11, 2), datetime(2018, 11, 5, 22), "2h", time_zone="UTC", eager=True
    )
    frame = pl.DataFrame({"id": range(48), "at": times.dt.convert_time_zone(zone)})
    rule = {"every": every, "train": "past", "gap": 1, "last": 30}
    old = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        expected = list(sf.folds(frame, "at", **rule))
        for found, each in zip(sf.folds(rows, "at", **rule), expected, strict=True):
            clock = pl.Series([each.fold.replace(tzinfo=None)])  # may have skipped the start
            assert found.fold == clock.dt.truncate(every)[0]
            for part, wanted in zip(found, each, strict=True):
                assert sorted(row.id for row in part.collect()) == wanted["id"].to_list()
    finally:
        spark.conf.set("spark.sql.session.timeZone", old)


def test_periods_that_spark_does_not_have(spark):
    """Spark has no multiples of days and longer periods, and dates have no hours."""
    rows = spark.sql("select timestamp'2024-01-01' as at, date'2024-01-01' as day")
    refuse_now(
        "`every` must be hours, minutes or one of '1d', '1w', '1mo', '1q', '1y' on Spark, got"
        " '2mo'.",
        lambda: sf.folds(rows, "at", every="2mo"),
    )
    message = "`every='6h'` needs times, but column 'day' is date."
    refuse_now(message, lambda: sf.folds(rows, "day", every="6h"))
