"""Folds and parts of Spark frames are those of pandas and Polars, whatever the partitions."""

import warnings
from datetime import date, datetime
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import stratframe as sf
from tests.engines.session import spark, spark_frame
from tests.test_golden import DATA, PARTS

pytest.importorskip("pyspark", reason='needs pip install "stratframe[spark]"')

import stratframe.spark as sf_spark

__all__ = ["spark"]

pytestmark = pytest.mark.spark

N = len(DATA["id"])
FRAME = pl.DataFrame(DATA).with_columns(
    kind=pl.Series(["xyzx"[i % 4] for i in range(N)]),
    day=pl.Series([date(2024, 1, 1 + i % 5) for i in range(N)]),
    time=pl.Series([datetime(2024, 1, 1, i % 24, i) for i in range(N)], dtype=pl.Datetime("us")),
    name=pl.Series([f"row {i * 7 % N}" for i in range(N)]),
    whole=pl.Series([float(i % 3) if i % 7 else None for i in range(N)]),
    nan=pl.Series([float(i % 3) if i % 5 else float("nan") for i in range(N)]),
    some=pl.Series([i % 5 > 0 for i in range(N)]),
    half=pl.Series([i * 31 % N / 2 for i in range(N)]),
)

BY = [
    None,
    "label",
    ["label", "sex"],
    ["sex", "label"],
    ["kind", "day", "label"],
    ["whole", "kind"],
    ["nan", "whole"],
    [sf.classes("half")],
    sf.bins("age", [0, 18, 65, 120]),
    [sf.bins("price", [0, 50, 126], closed="left"), "label", "sex"],
    [sf.bins("whole", [0, 1, 2]), "sex"],
    sf.quantiles("price", 4),
    ["label", sf.quantiles("age", 3)],
    [sf.quantiles("half", 3), "sex", sf.quantiles("time", 2), "label"],
    ["sex", sf.quantiles("whole", 3)],
    ["label", sf.quantiles("price", 70)],
]

KEYS = ["id", "name", "time", "half", ["day", "id"]]

CALLS = [
    {},
    {"repeats": 3},
    {"seed": 7, "name": "inner"},
    {"where": "some"},
    {"rare": "null"},
    {"rare": "pool"},
    {"missing": "null"},
]


def heard(call):
    """Return the result of a call, and the words of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, [str(each.message) for each in caught if each.category is sf.StratWarning]


def collected(frame: Any) -> pl.DataFrame:
    """Collect a Spark frame."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pl.DataFrame(pl.from_arrow(frame.toArrow()))


def columns_of(frame: pl.DataFrame) -> dict[str, list[Any]]:
    """List the columns that a call added, in the order of ids."""
    ordered = frame.sort("id")
    return {name: ordered[name].to_list() for name in frame.columns if name not in FRAME.columns}


shuffled = st.permutations(range(N)).map(list)
reuse = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(
    st.sampled_from(BY),
    st.sampled_from(KEYS),
    st.sampled_from(CALLS),
    st.integers(0, 9),
    shuffled,
    st.integers(2, 6),
)
@reuse
def test_folds_are_those_of_polars(spark, by, key, call, n_partitions, order, k):
    """With a key no partitioning and no order of the rows changes a fold."""
    options = {"missing": "stratum", "rare": "ignore", "key": key, **call}
    expected, warned = heard(lambda: sf.kfold(FRAME, by, k, **options))
    rows = spark_frame(spark, FRAME[order], n_partitions)
    result, words = heard(lambda: sf_spark.kfold(rows, by, k, **options))
    assert columns_of(collected(result)) == columns_of(expected)
    assert words == warned


@given(st.sampled_from(BY), st.sampled_from([PARTS, {"a": 20, "b": None}, 0.3]), st.integers(0, 9))
@settings(reuse, max_examples=12)
def test_parts_are_those_of_polars(spark, by, parts, n_partitions):
    """With a key parts are those of Polars."""
    options = {"missing": "stratum", "rare": "ignore", "key": "id"}
    expected, _ = heard(lambda: sf.split(FRAME, by, parts, **options))
    rows = spark_frame(spark, FRAME, n_partitions)
    result, _ = heard(lambda: sf_spark.split(rows, by, parts, **options))
    assert columns_of(collected(result)) == columns_of(expected)


@pytest.mark.parametrize("few_rows", [0, 1 << 20])
@pytest.mark.parametrize(("n_strata", "k"), [(1, 5), (3, 70), (2000, 4)])
def test_many_rows(spark, monkeypatch, few_rows, n_strata, k):
    """Large and small strata get the folds of Polars, whichever way rows are counted."""
    from stratframe.engines import spark_passes

    monkeypatch.setattr(spark_passes, "FEW_ROWS", few_rows)
    rng = np.random.default_rng(0)
    n = 40_000
    data = {"id": rng.permutation(n), "g": rng.integers(0, n_strata, n)}
    frame = pl.DataFrame(data).with_columns(big=pl.col("g") * (pl.col("id") % 3 > 0))
    rows = spark_frame(spark, frame, 5).cache()
    options = {"key": "id", "rare": "ignore", "repeats": 2}
    for by in ("g", ["big", "g"]):
        expected = sf.kfold(frame, by, k, **options).sort("id")
        result = collected(sf_spark.kfold(rows, by, k, **options)).sort("id")
        assert result.equals(expected.select(result.columns))


@pytest.mark.parametrize("margin", [0, 0.002])
def test_quantiles_of_many_rows(spark, monkeypatch, margin):
    """Quantiles are found near where they are expected, or else by a sort."""
    from stratframe.engines import spark_quantiles

    monkeypatch.setattr(spark_quantiles, "FEW_ROWS", 0)
    monkeypatch.setattr(spark_quantiles, "MARGIN", margin)
    rng = np.random.default_rng(0)
    n = 20_000
    frame = pl.DataFrame({"id": rng.permutation(n), "g": rng.integers(0, 3, n)}).with_columns(
        x=pl.Series(rng.normal(size=n)),
        ties=pl.Series(rng.poisson(2.5, n)),
        day=pl.date(2024, 1, 1) + pl.duration(days=pl.Series(rng.integers(0, 900, n))),
        flag=pl.Series(rng.random(n) < 0.2),
    )
    rows = spark_frame(spark, frame, 4).cache()
    options = {"key": "id", "rare": "ignore"}
    for by in (
        sf.quantiles("x", 10),
        ["g", sf.quantiles("ties", 7)],
        ["g", sf.quantiles("day", 4), sf.quantiles("x", 3)],
        sf.quantiles("flag", 2),
    ):
        expected, warned = heard(lambda by=by: sf.kfold(frame, by, **options))
        result, words = heard(lambda by=by: sf_spark.kfold(rows, by, **options))
        assert collected(result).sort("id").equals(expected.sort("id"))
        assert words == warned


def test_partitions_columns_and_order_stay(spark):
    """Only a column is added: partitions, order and the types of the others stay."""
    rows = spark_frame(spark, FRAME, 4).cache()
    result = rows.transform(sf_spark.kfold, by="label", key="id")
    assert result.rdd.getNumPartitions() == 4
    assert result.dtypes == [*rows.dtypes, ("fold", "bigint")]
    assert collected(result.drop("fold")).equals(collected(rows))


def test_names_may_need_quotes(spark):
    """Names with dots, spaces and backquotes are names."""
    frame = pl.DataFrame({"a.b": ["x", "y"] * 10, "the `id`": range(20)})
    rows = spark_frame(spark, frame)
    options = {"key": "the `id`", "name": "my.fold"}
    result = collected(sf_spark.kfold(rows, "a.b", 2, **options))
    assert result.equals(sf.kfold(frame, "a.b", 2, **options))


def test_columns_may_be_computed(spark):
    """A callable of the frame gives a column of Spark."""
    rows = spark_frame(spark, FRAME)
    result = sf_spark.kfold(rows, lambda df: df["age"] > 40, key="id", where=lambda df: df["some"])
    expected = sf.kfold(FRAME, pl.col("age") > 40, key="id", where="some")
    assert columns_of(collected(result)) == columns_of(expected)


def test_a_column_may_be_replaced(spark):
    """`overwrite=True` replaces a fold column where it is."""
    frame = FRAME.select(pl.lit("x").alias("fold"), "label", "id")
    rows = spark_frame(spark, frame)
    result = sf_spark.kfold(rows, "label", key="id", overwrite=True)
    assert result.columns == ["fold", "label", "id"]
    expected = sf.kfold(frame, "label", key="id", overwrite=True)
    assert collected(result).sort("id").equals(expected.sort("id"))
    refused(
        "The frame has a column 'fold' already. `overwrite=True` replaces it."
        "\nHint: df = df.drop('fold')",
        rows,
        "label",
        key="id",
    )
    with pytest.raises(sf.StratError, match="'FOLD' already"):
        sf_spark.kfold(rows, "label", key="id", name="FOLD")


# Tables ----------------------------------------------------------------------------------

FOLDED = sf.kfold(FRAME.with_columns(plain=pl.col("id") % 3), "label", 4, where="some")
FOLDED = sf.split(FOLDED, "label", {"test": 0.3, "train": 0.7}, rare="ignore")
FOLDED = FOLDED.with_columns(pl.col("split").cast(pl.String))

TABLED = [
    "label",
    ["kind", "sex"],
    sf.quantiles("price", 4),
    ["label", sf.quantiles("age", 3)],
    ["sex", "price"],
    [sf.bins("age", [0, 18, 65, 120]), "whole"],
    sf.continuous("age", name="years"),
    ["day", "some"],
]


def cells(table: Any) -> dict[str, list[Any]]:
    """List the columns of a table of any library, None where missing."""
    columns = {name: list(table[name]) for name in table.columns}
    return {
        name: [None if value is None or value != value else value for value in values]
        for name, values in columns.items()
    }


@pytest.mark.parametrize("by", TABLED, ids=str)
def test_tables_are_those_of_polars(spark, by):
    """Tables of strata and of folds are those of Polars."""
    rows = spark_frame(spark, FOLDED, 3).cache()
    assert cells(sf_spark.strata(rows, by)) == cells(sf.strata(FOLDED, by))
    for name in ("fold", "split", ["fold", "plain"]):
        assert cells(sf_spark.balance(rows, by, name)) == cells(sf.balance(FOLDED, by, name))
        assert cells(sf_spark.report(rows, by, name)) == cells(sf.report(FOLDED, by, name))


@pytest.mark.parametrize(
    ("by", "options"),
    [
        ("label", {"k": 4}),
        (["label", "sex"], {"parts": PARTS, "missing": "stratum", "seed": 3}),
        ([sf.quantiles("price", 3), "kind"], {"k": 3, "where": "some", "name": "inner"}),
        (["label", "sex"], {"k": 3, "missing": "null"}),
    ],
    ids=str,
)
def test_a_plan_is_that_of_polars(spark, by, options):
    """A plan is that of Polars."""
    options = {"key": "id", "rare": "ignore", **options}
    found = sf_spark.plan(spark_frame(spark, FRAME, 3), by, **options)
    assert cells(found) == cells(sf.plan(FRAME, by, **options))


@pytest.mark.parametrize("nulls", ["train", "drop"])
def test_an_audit_is_that_of_polars(spark, nulls):
    """An audit finds groups and keys in several folds, and strata that a fold lacks."""
    who = pl.Series([i // 2 if i % 9 else None for i in range(N)])
    frame = FOLDED.with_columns(who=who)
    rows = spark_frame(spark, frame, 3).cache()
    for options in (
        {},
        {"groups": "who", "key": ["label", "age"]},
        {"key": "sex", "by": ["label", "sex"]},
        {"groups": ["label", "sex"], "by": sf.quantiles("price", 9), "key": "id"},
    ):
        for name in ("fold", ["split", "plain"]):
            expected = sf.audit(frame, name, nulls=nulls, **options)
            expected = expected.filter(pl.col("check") != "duplicate_rows")
            found = sf_spark.audit(rows, name, nulls=nulls, **options)
            assert cells(found) == cells(expected)


def test_folds_and_parts_are_lazy_frames(spark):
    """Training and validation frames, and parts, are Spark frames with the rows of Polars."""
    rows = spark_frame(spark, FOLDED, 3).cache()
    for nulls in ("train", "drop"):
        pairs = zip(sf_spark.folds(rows, nulls=nulls), sf.folds(FOLDED, nulls=nulls), strict=True)
        for found, expected in pairs:
            assert found.fold == expected.fold
            assert ids(found.train) == ids(expected.train)
            assert ids(found.valid) == ids(expected.valid)
    parted, expected = sf_spark.parts(rows), sf.parts(FOLDED)
    assert list(parted) == list(expected) == ["train", "test"]
    assert all(ids(parted[part]) == ids(expected[part]) for part in expected)
    with pytest.raises(sf.StratError, match="must give every row a fold, but 12 rows have none"):
        sf_spark.folds(rows)
    with pytest.raises(sf.StratError, match="has no part 'dev'"):
        sf_spark.parts(rows, names=["dev"])


def ids(frame: Any) -> list[int]:
    """List the ids of a frame in order."""
    found = frame if isinstance(frame, pl.DataFrame) else collected(frame.select("id"))
    return found["id"].sort().to_list()


# Groups ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by", "options"),
    [
        (None, {"groups": "who"}),
        ("label", {"groups": "who", "repeats": 2}),
        (["label", "sex"], {"groups": ["who", "kind"], "missing": "stratum"}),
        (["sex", "label"], {"groups": "who", "missing": "null", "where": "some"}),
        (["label", "price"], {"groups": "who"}),
        (["label", sf.quantiles("age", 3)], {"groups": "who", "seed": 5}),
    ],
    ids=str,
)
def test_groups_are_whole(spark, by, options):
    """Whole groups get the same folds for any partitions, as even as those of Polars."""
    frame = FRAME.with_columns(who=pl.int_range(N) // 3)
    (expected, warned) = heard(lambda: sf.kfold(frame, by, 3, **options))
    found = []
    for n_partitions in (1, 5):
        rows = spark_frame(spark, frame[::-1] if n_partitions > 1 else frame, n_partitions)
        result, words = heard(lambda rows=rows: sf_spark.kfold(rows, by, 3, **options))
        found.append(collected(result).sort("id"))
        assert words == warned
    assert found[0].equals(found[1])
    groups = options["groups"] if isinstance(options["groups"], list) else [options["groups"]]
    new = [name for name in expected.columns if name not in frame.columns]
    for name in new:
        known = found[0].filter(pl.col(name).is_not_null())
        assert known.group_by(groups).agg(pl.col(name).n_unique())[name].max() == 1
        assert known.height == expected[name].count()
        sizes = known[name].value_counts()["count"]
        assert sizes.max() - sizes.min() <= 3


def test_a_plan_of_groups_is_what_is_dealt(spark):
    """A plan of whole groups has the counts of the folds."""
    rows = spark_frame(spark, FRAME.with_columns(who=pl.int_range(N) // 3), 3)
    options = {"groups": "who", "k": 3, "rare": "ignore"}
    found = sf_spark.plan(rows, ["kind", "some"], **options)
    dealt = collected(sf_spark.kfold(rows, ["kind", "some"], **options))
    counts = dealt.group_by("kind", "some", "fold").len()
    expected = {row[:3]: row[3] for row in counts.rows()}
    for row in found.itertuples(index=False):
        assert expected.get((row.kind, row.some, row.fold), 0) == row.n


def test_expressions_of_other_libraries_are_errors(spark):
    """An expression of Polars is no column of Spark."""
    refused(
        '`by` takes column names and callables of the frame on Spark frames, got col("age").',
        spark_frame(spark, FRAME),
        pl.col("age"),
        key="id",
    )


def test_rows_without_a_group_are_an_error(spark):
    """Rows without a group are counted together, and so cannot be groups of their own."""
    refused(
        "`groups` must have no missing values on Spark frames, where rows without a group are"
        ' counted together.\nHint: fill them, or in `kfold` use `missing="null"`, which leaves'
        " their fold null.",
        spark_frame(spark, FRAME),
        "label",
        groups="sex",
        missing="stratum",
    )


# Extend ----------------------------------------------------------------------------------


def counts_of(frame: pl.DataFrame, by: list[str], name: str) -> list[Any]:
    """Count the rows of strata in every fold, sorted inside each stratum."""
    counts = frame.group_by(*by, name).len().group_by(pl.lit(0), *by).agg(pl.col("len").sort())
    return sorted(counts.rows(), key=str)


def near(counts: list[Any], others: list[Any]) -> bool:
    """Return whether counts differ by at most 1 row: which are rounded up is drawn."""
    pairs = zip(counts, others, strict=True)
    return all(max(map(abs, np.subtract(a[-1], b[-1]))) <= 1 for a, b in pairs)


@pytest.mark.parametrize("options", [{}, {"seed": 3}, {"k": 4}, {"missing": "null"}], ids=str)
def test_extended_folds_are_as_even_as_those_of_polars(spark, options):
    """Given folds stay, and each stratum has the counts that Polars gives it."""
    folds = pl.Series([i * i % 4 if i % 3 else None for i in range(N)], dtype=pl.Float64)
    frame = FRAME.with_columns(fold=folds)
    by = ["label", "sex", sf.quantiles("age", 2)]
    options = {"missing": "stratum", **options}
    expected = sf.extend(frame, by, **options)
    found = []
    for n_partitions in (1, 4):
        rows = spark_frame(spark, frame[::-1] if n_partitions > 1 else frame, n_partitions)
        result = sf_spark.extend(rows, by, key="id", **options)
        assert dict(result.dtypes)["fold"] == "bigint"
        found.append(collected(result).sort("id"))
    assert found[0].equals(found[1])
    given = frame.sort("id")["fold"].cast(pl.Int64)
    assert ((given == found[0]["fold"]) | given.is_null()).all()
    assert found[0]["fold"].null_count() == expected["fold"].null_count()
    assert counts_of(found[0], ["label"], "fold") == counts_of(expected, ["label"], "fold")


@pytest.mark.parametrize("parts", [None, PARTS], ids=str)
def test_extended_parts_are_near_their_shares(spark, parts):
    """New rows of a part column get parts, by given shares or by those of the column."""
    names = pl.Series([list(PARTS)[i % 7 % 3] if i % 4 else None for i in range(N)])
    frame = FRAME.with_columns(split=names, other=names)
    expected = sf.extend(frame, "label", parts=parts, name=["split", "other"])
    rows = spark_frame(spark, frame, 3)
    names = ["split", "other"]
    found = collected(sf_spark.extend(rows, "label", key="id", parts=parts, name=names))
    for name in names:
        assert found[name].null_count() == 0
        assert near(counts_of(found, [], name), counts_of(expected, [], name))
        assert near(counts_of(found, ["label"], name), counts_of(expected, ["label"], name))


def test_extend_needs_a_key_and_takes_no_groups(spark):
    """New rows are dealt by key; groups are not extended."""
    rows = spark_frame(spark, FOLDED)
    refused(
        "`extend` with `groups` looks at all rows of each group, which is not possible on Spark"
        " frames.\nHint: `sf.quantiles` and `sf.bins` make strata of numbers.",
        rows,
        "label",
        groups="age",
        verb="extend",
    )
    with pytest.raises(sf.StratError, match="Spark frames need a `key`"):
        sf_spark.extend(rows, "label")
    refused("Column 'sex' has missing values in 3 rows.", rows, "label", key="sex", verb="extend")


# Spark's own -----------------------------------------------------------------------------


def test_the_cross_validator_of_spark_takes_the_column(spark):
    """Spark's `CrossValidator(foldCol=...)` trains on the folds of the column."""
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator
    from pyspark.ml.feature import VectorAssembler
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    rows = spark_frame(spark, FRAME.with_columns(y=(pl.col("label") == "a").cast(pl.Int64)))
    folded = rows.transform(sf_spark.kfold, by="label", k=3, key="id")
    features = VectorAssembler(inputCols=["age", "price"], outputCol="x").transform(folded)
    model = LogisticRegression(featuresCol="x", labelCol="y", maxIter=2)
    validator = CrossValidator(
        estimator=model,
        estimatorParamMaps=ParamGridBuilder().addGrid(model.regParam, [0.1, 1.0]).build(),
        evaluator=MulticlassClassificationEvaluator(labelCol="y"),
        numFolds=3,
        foldCol="fold",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(validator.fit(features).avgMetrics) == 2


# Errors ----------------------------------------------------------------------------------


def refused(message: str, rows: Any, *args: Any, verb: str = "kfold", **options: Any):
    """Compare the message of an error, and return it."""
    with pytest.raises(sf.StratError) as caught:
        getattr(sf_spark, verb)(rows, *args, **options)
    assert str(caught.value) == message
    return caught.value


def test_what_needs_all_rows_is_an_error(spark):
    """Orders and distances of all rows are errors that say what to do."""
    rows = spark_frame(spark, FRAME)
    refused(
        "A continuous entry of `by` sorts all rows, which is not possible on Spark frames, got"
        " sf.continuous('price').\nHint: cut it, as in `sf.quantiles('price', 10)`, or take its"
        " values as they are, `sf.classes('price')`.",
        rows,
        "price",
        key="id",
    )
    refused(
        '`deal="circular"` deals rows in their order, which is not possible on Spark frames.'
        "\nHint: `sf.quantiles` and `sf.bins` make strata of numbers.",
        rows,
        "label",
        key="id",
        deal="circular",
    )


def test_a_key_is_needed(spark):
    """Rows of Spark have no order, and so they need a key."""
    refused(
        "Spark frames need a `key`, because their rows have no order.\nHint: name the columns that"
        ' identify a row, as in `key="id"`.',
        spark_frame(spark, FRAME),
        "label",
    )


def test_keys_must_be_there(spark):
    """Missing keys, and decimals with a fraction, are errors."""
    rows = spark_frame(spark, FRAME)
    refused("Column 'sex' has missing values in 15 rows.", rows, "label", key="sex")
    refused("Column 'nan' has missing values in 12 rows.", rows, "label", key=["id", "nan"])
    fractions = rows.withColumn("cents", rows["price"].cast("decimal(9,2)"))
    refused(
        "A column of `key` must hold whole numbers of 64 bits, text, dates or times, but 'cents'"
        " is decimal(9,2).\nHint: cast it to text.",
        fractions,
        "label",
        key="cents",
    )


def test_repeated_keys_at_a_cut_are_an_error(spark):
    """Repeated keys between which a stratum would be cut are listed."""
    frame = pl.DataFrame({"id": [7] * 10})
    error = refused(
        "`key` ('id') must identify each row, but repeats in 10 rows.",
        spark_frame(spark, frame),
        key="id",
    )
    assert error.failures["id"].tolist() == [7] * 10


def test_columns_must_be_there(spark):
    """A column that the frame does not have, or has twice, is an error."""
    rows = spark_frame(spark, FRAME)
    message = "`by` names the column 'lable', which the frame does not have."
    refused(f"{message}\nHint: did you mean 'label'?", rows, "lable", key="id")
    twice = rows.select("*", rows["age"].alias("label"))
    refused(
        "`by` names the column 'label', which the frame has 2 times."
        "\nHint: rename or drop the others first.",
        twice,
        "label",
        key="id",
    )
    nested = rows.selectExpr("id", "array(label) labels")
    refused(
        "A column must hold single values, but 'labels' is array<string>.",
        nested,
        "labels",
        key="id",
    )


def test_where_must_be_boolean(spark):
    """`where` takes a boolean column without missing values."""
    rows = spark_frame(spark, FRAME)
    refused(
        "`where` must be a boolean column, but 'age' is bigint.",
        rows,
        "label",
        key="id",
        where="age",
    )
    refused(
        "The column of `where` has missing values in 15 rows."
        "\nHint: fill it, as in `coalesce(..., lit(False))`.",
        rows,
        "label",
        key="id",
        where=lambda df: df["sex"] == "f",
    )


def test_frames_of_others_are_errors():
    """A frame of another library is an error."""
    refused("`frame` must be a pyspark.sql.DataFrame, got DataFrame.", FRAME, "label", key="id")


def test_a_frame_that_changes_is_an_error(spark):
    """A stratum that was not counted is an error when the folds are read, never a null."""
    from pyspark.errors import PySparkException
    from pyspark.sql import functions as fn

    rows = spark_frame(spark, FRAME)
    random = fn.java_method(fn.lit("java.util.UUID"), fn.lit("randomUUID"))
    unstable = rows.withColumn("r", random)
    with pytest.raises((sf.StratError, PySparkException), match="must give the same rows"):
        collected(sf_spark.kfold(unstable, "r", key="id", rare="ignore"))
