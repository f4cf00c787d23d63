"""`.strat` on pandas-on-Spark frames: the folds of pandas, the index as it was."""

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

import stratframe as sf
from tests.engines.session import spark

pytest.importorskip("pyspark", reason='needs pip install "stratframe[spark]"')

import stratframe.spark as sf_spark
from stratframe.accessor import Strat as PandasOnSparkStrat

__all__ = ["spark"]

pytestmark = [
    pytest.mark.spark,
    # PySpark warns of its own ways, and leaves sockets open.
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.filterwarnings("error::stratframe.StratWarning"),
]

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    ps = pytest.importorskip(
        "pyspark.pandas", exc_type=ImportError, reason="needs a pandas that PySpark knows"
    )

FRAME = pd.DataFrame(
    {
        "id": range(60),
        "label": ["cat", "dog", "dog"] * 20,
        "price": [i * 7 % 60 / 2 for i in range(60)],
        "old": [None if i % 3 == 0 else i % 4 for i in range(60)],
    },
    index=pd.Index([f"row {i}" for i in range(60)], name="place"),
)


@pytest.fixture(autouse=True)
def _as_pandas(spark: Any) -> Iterator[None]:
    """Turn the ANSI mode off, which the pandas API on Spark does not take."""
    ansi = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", "false")
    yield
    spark.conf.set("spark.sql.ansi.enabled", ansi)


@pytest.fixture
def frame() -> Any:
    """The rows as a pandas-on-Spark frame."""
    return ps.from_pandas(FRAME)


def test_kfold_is_that_of_pandas(frame):
    """The column, the index and the other columns are those of the same call on pandas."""
    found = frame.strat.kfold(["label", sf.quantiles("price", 3)], k=4, key="id", repeats=2)
    expected = FRAME.strat.kfold(["label", sf.quantiles("price", 3)], k=4, key="id", repeats=2)
    pd.testing.assert_frame_equal(found.to_pandas().loc[FRAME.index], expected)


def test_split_and_parts(frame):
    """Parts are pandas-on-Spark frames, with the rows of pandas' parts."""
    shares = {"train": 0.7, "test": 0.3}
    parts = frame.strat.split("label", shares, key="id").strat.parts(names=["train", "test"])
    expected = FRAME.strat.split("label", shares, key="id").strat.parts(names=["train", "test"])
    assert list(parts) == ["train", "test"]
    for name, part in parts.items():
        assert isinstance(part, ps.DataFrame)
        assert sorted(part.index.to_numpy()) == sorted(expected[name].index)


def test_folds(frame):
    """Each fold has its train and valid frames, with the index."""
    folded = frame.strat.kfold("label", k=3, key="id")
    wanted = FRAME.strat.kfold("label", k=3, key="id")
    for found, expected in zip(folded.strat.folds(), wanted.strat.folds(), strict=True):
        assert found.fold == expected.fold
        assert sorted(found.valid.index.to_numpy()) == sorted(expected.valid.index)
        assert sorted(found.train.index.to_numpy()) == sorted(expected.train.index)
        assert found.train.index.name == "place"


def test_folds_apart(frame):
    """Pairs by a rule have the rows of pandas, and the index, without values that they share."""
    dealt, wanted = (each.assign(site=each["id"] // 4) for each in (frame, FRAME))
    rule = {"name": "site", "train": "past", "valid": [7, 9], "gap": 1, "apart": ["old", "price"]}
    pairs = zip(dealt.strat.folds(**rule), wanted.strat.folds(**rule), strict=True)
    for found, expected in pairs:
        assert isinstance(found.train, ps.DataFrame)
        assert found.train.index.name == "place"
        assert 0 < len(expected.train) < 28
        for side in ("train", "valid"):
            rows, known = getattr(found, side).to_pandas(), getattr(expected, side)
            assert sorted(rows.index) == sorted(known.index)
            assert list(rows) == list(known)


def test_extend_keeps_folds(frame):
    """Rows with a fold keep it, all others get one, and every stratum is even."""
    found = frame.strat.extend("label", 4, key="id", name="old").to_pandas().loc[FRAME.index]
    given = FRAME["old"].notna()
    assert (found.loc[given, "old"] == FRAME.loc[given, "old"]).all()
    expected = FRAME.strat.extend("label", 4, name="old")
    counts = [pd.crosstab(each["label"], each["old"]) for each in (found, expected)]
    pd.testing.assert_frame_equal(*counts, check_dtype=False, check_column_type=False)


@pytest.mark.parametrize("verb", ["plan", "balance", "report"])
def test_tables_are_those_of_pandas(frame, verb):
    """Tables have the figures of pandas."""
    arguments: dict[str, Any] = {"by": "label"}
    if verb == "plan":
        arguments |= {"k": 4, "key": "id"}
    folded = frame.strat.kfold("label", k=4, key="id")
    expected = getattr(FRAME.strat.kfold("label", k=4, key="id").strat, verb)(**arguments)
    found = getattr(folded.strat, verb)(**arguments)
    pd.testing.assert_frame_equal(found, expected)


def test_index_of_several_levels():
    """An index of several levels, with and without names, comes back."""
    rows = FRAME.set_index(["id", "old"], append=True).rename_axis(["place", None, "old"])
    found = ps.from_pandas(rows).strat.kfold("label", key="price")
    assert list(found.index.names) == ["place", None, "old"]
    assert list(found.columns) == ["label", "price", "fold"]


def test_computed_entries_are_of_the_spark_frame(frame):
    """A callable gets the Spark frame below."""
    found = frame.strat.kfold(lambda rows: rows["price"] > 10, k=4, key="id")
    expected = FRAME.strat.kfold(lambda rows: rows["price"] > 10, k=4, key="id")
    assert found["fold"].to_pandas().loc[FRAME.index].tolist() == expected["fold"].tolist()


def test_columns_of_spark(frame):
    """Columns of Spark are columns, and names are those of the session."""
    from pyspark.sql import functions as fn

    found = frame.strat.kfold([fn.col("label"), fn.col("price") > 10], k=4, key="ID")
    expected = FRAME.strat.kfold(["label", lambda rows: rows["price"] > 10], k=4, key="id")
    assert found["fold"].to_pandas().loc[FRAME.index].tolist() == expected["fold"].tolist()


def test_callables_for_pandas_are_errors(frame):
    """A callable that needs pandas, or returns a series, says what it gets."""
    hint = "Hint: it gets a frame of Spark, as in `lambda df: df['price'] > 100`."
    for entry, message in (
        (
            lambda rows: rows["label"].str.upper(),
            "A callable must work on a pyspark.sql.DataFrame, got TypeError: 'Column' object is"
            " not callable.",
        ),
        (lambda _: frame["label"], "A callable must return a column of Spark, got Series."),
    ):
        with pytest.raises(sf.StratError) as caught:
            frame.strat.kfold(entry, key="id")
        assert str(caught.value) == f"{message}\n{hint}"
    with pytest.raises(sf.StratError, match="`where` must hold a boolean column"):
        frame.strat.kfold("label", key="id", where=frame["price"] > 10)


def test_errors(frame):
    """A column that is there, a missing key and odd names are errors of ours."""
    with pytest.raises(sf.StratError, match="has a column 'price' already"):
        frame.strat.kfold("label", key="id", name="price")
    with pytest.raises(sf.StratError, match="key"):
        frame.strat.kfold("label")
    numbered = ps.DataFrame({0: [1, 2], "b": [3, 4]})
    with pytest.raises(sf.StratError, match="must have text as names, got 0"):
        numbered.strat.kfold("b", k=2, key="b")


def test_every_method_is_a_function():
    """A method has the arguments and the docstring of the function of stratframe.spark."""
    assert set(sf_spark.__all__) <= set(vars(PandasOnSparkStrat))
    for name in sf_spark.__all__:
        function, method = getattr(sf_spark, name), getattr(PandasOnSparkStrat, name)
        wanted = list(inspect.signature(function).parameters.values())[1:]
        assert list(inspect.signature(method).parameters.values())[1:] == wanted
        page = inspect.getdoc(method) or ""
        assert page.split("\n")[0] == (inspect.getdoc(function) or "").split("\n")[0]
        assert "frame :" not in page
