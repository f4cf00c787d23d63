"""Frames of other libraries: whatever has an Arrow stream, and frames of narwhals."""

import decimal
from collections.abc import Callable
from typing import Any

import duckdb
import narwhals as nw
import narwhals.stable.v1 as nw1
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal
from sklearn.naive_bayes import GaussianNB

import stratframe as sf
from stratframe.frames.arrow import collect_narwhals
from stratframe.judging.check import Check
from stratframe.verbs.door import any_frame
from tests.helpers import refuse, refuse_rule, warned

N = 40
DATA: dict[str, list[Any]] = {
    "id": list(range(100, 100 + N)),
    "label": ["a", "b", "a", "c"] * 10,
    "who": [row // 3 for row in range(N)],
    "x": [(7 * row % 40) / 4 for row in range(N)],
    "day": [row % 12 for row in range(N)],
    "fold": [row % 3 for row in range(N)],
    "split": ["train", "train", "valid", "test"] * 10,
    "part": [None if row > 35 else row % 2 for row in range(N)],
}
POLARS = pl.DataFrame(DATA)
TABLE = pa.table(DATA)


def relation() -> Any:
    """Make a relation of DuckDB."""
    return duckdb.from_arrow(TABLE)


class Stream:
    """What has an Arrow stream, and can be read once."""

    def __init__(self) -> None:
        self.n_reads = 0

    @property
    def schema(self) -> Any:
        """Tell that this is a table."""
        return TABLE.schema

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        self.n_reads += 1
        assert self.n_reads == 1
        return TABLE.__arrow_c_stream__(requested_schema)


FRAMES: dict[str, Callable[[], Any]] = {
    "pyarrow.Table": lambda: TABLE,
    "pyarrow.Table of chunks": lambda: pa.concat_tables([TABLE[:7], TABLE[7:]]),
    "pyarrow.RecordBatch": lambda: TABLE.combine_chunks().to_batches()[0],
    "pyarrow.RecordBatchReader": TABLE.to_reader,
    "duckdb": relation,
    "a stream": Stream,
    "narwhals over pandas": lambda: nw.from_native(pd.DataFrame(DATA)),
    "narwhals over Polars": lambda: nw.from_native(POLARS),
    "narwhals over lazy": lambda: nw.from_native(POLARS.lazy()),
    "narwhals over pyarrow": lambda: nw.from_native(TABLE),
    "narwhals over duckdb": lambda: nw.from_native(relation()),
    "narwhals v1 over pyarrow": lambda: nw1.from_native(TABLE),
}
KINDS: dict[str, type] = {
    "pyarrow.Table": pa.Table,
    "pyarrow.Table of chunks": pa.Table,
    "narwhals over pandas": nw.DataFrame,
    "narwhals over Polars": nw.DataFrame,
    "narwhals over lazy": nw.LazyFrame,
    "narwhals over pyarrow": nw.DataFrame,
    "narwhals over duckdb": nw.DataFrame,
    "narwhals v1 over pyarrow": nw1.DataFrame,
}
NATIVE = {"pandas": pd.DataFrame, "Polars": pl.DataFrame, "lazy": pl.LazyFrame, "pyarrow": pa.Table}
CALLS: dict[str, Callable[[Any], Any]] = {
    "kfold": lambda df: sf.kfold(df, "label", k=4, key="id", name="new"),
    "kfold, several": lambda df: sf.kfold(df, k=2, key="id", repeats=2, name="new"),
    "kfold, overwrite": lambda df: sf.kfold(df, "label", k=2, groups="who", overwrite=True),
    "kfold, nulls": lambda df: sf.kfold(df, "part", 2, key="id", missing="null", name="new"),
    "split": lambda df: sf.split(df, "label", {"z": 0.5, "a": 0.5}, key="id", name="new"),
    "extend": lambda df: sf.extend(df, "label", key="id", name="part"),
    "sample": lambda df: sf.sample(df, "label", n=9, key="id"),
    "folds": lambda df: [frame for fold in sf.folds(df) for frame in fold],
    "folds, apart": lambda df: [each.train for each in sf.folds(df, "day", apart="who", gap=1)],
    "parts": lambda df: list(sf.parts(df).values()),
    "plan": lambda df: sf.plan(df, "label", 3, key="id"),
    "balance": lambda df: sf.balance(df, "label"),
    "report": lambda df: sf.report(df, "label"),
    "compare": lambda df: sf.compare(df, "label", ["fold", "split"]),
    "advise": lambda df: sf.advise(df, "label", [2, 3]),
    "check": lambda df: sf.check(df, "label", groups="who", key="id", features="x"),
    "drift": lambda df: sf.drift(df, ["x", "label"]),
    "leaks": lambda df: sf.leaks(df, groups="who"),
    "fingerprint": lambda df: sf.fingerprint(df, key="id"),
}


def plain(result: Any) -> Any:
    """Turn what a verb returns into Python values."""
    if isinstance(result, list):
        return [plain(each) for each in result]
    if isinstance(result, Check):
        return result.text
    if isinstance(result, str):
        return result
    native = result.to_native() if hasattr(result, "to_native") else result
    if isinstance(native, pd.DataFrame):
        native = pa.Table.from_pandas(native, preserve_index=False)
    rows = pl.DataFrame(native.collect() if isinstance(native, pl.LazyFrame) else native)
    texts = [name for name, dtype in rows.schema.items() if dtype in (pl.Enum, pl.Categorical)]
    # pandas holds whole numbers with missing values as floats.
    numbers = [name for name in ("part", "new") if name in rows.columns and name not in texts]
    types: dict[Any, Any] = dict.fromkeys(texts, pl.String) | dict.fromkeys(numbers, pl.Float64)
    return rows.cast(types).to_dict(as_series=False)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.filterwarnings("ignore:`apart` leaves less than half")
def test_every_verb_takes_tables(call: str) -> None:
    """What a verb finds in a table or writes to it is what it finds or writes in Polars."""
    found = CALLS[call](TABLE)

    assert plain(found) == plain(CALLS[call](POLARS))


@pytest.mark.parametrize("call", ["kfold", "folds", "parts"])
@pytest.mark.parametrize("each", FRAMES)
def test_the_kind_of_a_frame_stays(each: str, call: str) -> None:
    """Tables of pyarrow give tables, narwhals gives narwhals, all others give Polars frames."""
    found = CALLS[call](FRAMES[each]())

    assert plain(found) == plain(CALLS[call](POLARS))
    for result in found if isinstance(found, list) else [found]:
        assert type(result) is KINDS.get(each, pl.DataFrame)
        if each.startswith("narwhals"):
            assert type(result.to_native()) is NATIVE.get(each.rpartition(" ")[2], pl.DataFrame)


@pytest.mark.parametrize("each", FRAMES)
def test_tables_of_results(each: str) -> None:
    """Tables of results are frames of the library below narwhals, or Polars frames."""
    table = sf.report(FRAMES[each](), "label")

    assert plain(table) == plain(sf.report(POLARS, "label"))
    assert type(table) is (pd.DataFrame if each == "narwhals over pandas" else pl.DataFrame)


def test_a_table_keeps_all_but_the_new_column() -> None:
    """Chunks, types that Polars changes, and metadata stay; the new column is the last."""
    table = pa.table(
        {
            "id": pa.chunked_array([[1, 2], [3, 4]], pa.int8()),
            "code": pa.array(["a", "b"] * 2).dictionary_encode(),
            "fold": pa.array([0, None, 1, None], pa.int16()),
            "late": pa.array([1, 2, 3, 4], pa.timestamp("s")),
        }
    ).replace_schema_metadata({"source": "a file"})

    made = sf.kfold(table, "code", k=2, name="new")
    extended = sf.extend(table, None, key="id")

    assert made.drop_columns("new").equals(table, check_metadata=True)
    assert made.schema.names[-1] == "new"
    assert made.schema.field("new").type == pa.int64()
    assert made["id"].num_chunks == table["id"].num_chunks
    assert extended.drop_columns("fold").equals(table.drop_columns("fold"), check_metadata=True)
    assert extended.schema.names == table.schema.names
    assert extended["fold"].null_count == 0
    assert sf.sample(table, "code", n=2).schema.equals(table.schema, check_metadata=True)
    for fold in sf.folds(table, nulls="drop"):
        assert fold.train.schema.equals(table.schema, check_metadata=True)
    assert table.schema.names == ["id", "code", "fold", "late"]


def test_parts_of_a_table_keep_their_order() -> None:
    """The parts of a table come in the order of the call, as in other libraries."""
    parts = {"z": 0.25, "a": 0.25, "m": 0.5}

    split = sf.split(pa.table({"x": range(8)}), None, parts)

    assert list(sf.parts(split)) == list(parts)


def test_positions_of_a_table() -> None:
    """`cv`, `from_splits` and `FoldSplit` count the rows of a table."""
    pairs = [(np.arange(20), np.arange(20, 40)), (np.arange(20, 40), np.arange(20))]

    made = sf.from_splits(TABLE, pairs, name="new")

    assert type(made) is pa.Table
    for found in (sf.cv(made, "new"), list(sf.FoldSplit("new").split(TABLE, groups=made))):
        assert [valid.tolist() for _, valid in found] == [valid.tolist() for _, valid in pairs]


def test_mappings() -> None:
    """The frames of a mapping may be of any library."""
    several = {"train": TABLE, "test": relation()}
    mixed = {"train": nw.from_native(TABLE), "test": POLARS}

    assert sf.check(several).text == sf.check({"train": POLARS, "test": POLARS}).text
    assert_frame_equal(sf.leaks(mixed, key="id"), sf.leaks({**mixed, "train": POLARS}, key="id"))


@pytest.mark.parametrize("each", ["pyarrow.Table", "pyarrow.RecordBatchReader", "duckdb"])
def test_no_rows(each: str) -> None:
    """A stream without rows has its columns, and is answered as a Polars frame without rows."""
    empty = {
        "pyarrow.Table": lambda: TABLE[:0],
        "pyarrow.RecordBatchReader": lambda: pa.RecordBatchReader.from_batches(TABLE.schema, []),
        "duckdb": lambda: relation().limit(0),
    }[each]

    assert sf.balance(empty(), "label").columns == sf.balance(POLARS[:0], "label").columns
    rule = "`k` must be at most the number of rows that get a fold, got 2 for 0 rows."
    refuse_rule(rule, lambda: sf.kfold(empty(), k=2, key="id", name="new"))


# Columns that Polars cannot read ---------------------------------------------------------

UNREAD: dict[str, Any] = {
    "union": pa.UnionArray.from_sparse(
        pa.array([0, 1] * 4, pa.int8()), [pa.array(range(8)), pa.array(list("abcdefgh"))]
    ),
    "interval": pa.array([(1, 2, 3)] * 8, pa.month_day_nano_interval()),
    "run_end_encoded": pa.RunEndEncodedArray.from_arrays([2, 8], [1, 2]),
    "decimal256": pa.array([decimal.Decimal(1)] * 8, pa.decimal256(50, 2)),
    "list_view": pa.array([[1]] * 8, pa.list_view(pa.int64())),
    "in_a_list": pa.array([[(1, 2, 3)]] * 8, pa.list_(pa.month_day_nano_interval())),
}


@pytest.mark.parametrize("kind", UNREAD)
def test_columns_that_polars_cannot_read(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Columns that Polars cannot read are left aside, unless the call names them."""
    table = pa.table({"x": range(8), "odd": UNREAD[kind], "label": ["a", "b"] * 4})

    made = sf.kfold(table, "label", k=2)

    assert made.drop_columns("fold").equals(table)
    note = "left aside (Polars cannot read their types): 'odd'"
    details = sf.check(made, "label", duplicates=None).findings["detail"]
    assert [detail for detail in details if "left aside" in detail] == [note]
    message = (
        "A column that the call names must be one that Polars can read, but 'odd' is not: Polars"
        f" has no type for {table.schema.field('odd').type}.\nHint: cast or rename it first."
    )
    for call in (
        lambda: sf.kfold(table, "odd"),
        lambda: sf.kfold(table, ["label", sf.quantiles("odd", 2)]),
        lambda: sf.kfold(table, key=[pl.col("odd")]),
        lambda: sf.folds(table, name="odd"),
        lambda: sf.check({"a": table, "b": table}, groups="odd"),
    ):
        refuse(message, call)
    assert "panicked" not in capfd.readouterr().err


def test_rows_that_pyarrow_can_and_cannot_select() -> None:
    """Selected rows have the columns that Polars cannot read, unless pyarrow cannot select them."""
    columns = {"x": range(8), "fold": [0, 1] * 4}

    for fold in sf.folds(pa.table({**columns, "odd": UNREAD["interval"]})):
        assert fold.train["odd"].to_pylist() == [(1, 2, 3)] * 4
    refuse_rule(
        "Rows of the table must be ones that pyarrow can select, but Function 'array_take' has no"
        " kernel matching input types (run_end_encoded<run_ends: int64, values: int64>, uint16).",
        lambda: list(sf.folds(pa.table({**columns, "odd": UNREAD["run_end_encoded"]}))),
    )


def test_columns_that_polars_cannot_read_are_in_no_polars_frame() -> None:
    """A stream that gives a Polars frame gives it without these columns."""
    days = duckdb.sql("select range as id, interval 1 day as span, 1 as x from range(8)")

    made = sf.kfold(days, k=2, key="id")

    assert made.columns == ["id", "x", "fold"]
    assert sf.sample(days, "x", n=2, key="id").columns == ["id", "x"]


def test_repeated_names() -> None:
    """Columns that share a name are left aside, and stay in a table."""
    table = pa.table([[1, 2], [3, 4], [5, 6]], names=["x", "x", "y"])

    made = sf.kfold(table, "y", k=2, rare="ignore")

    assert made.schema.names == ["x", "x", "y", "fold"]
    message = (
        "A column that the call names must be one that Polars can read, but 'x' is not: its name"
        " occurs 2 times.\nHint: cast or rename it first."
    )
    refuse(message, lambda: sf.kfold(table, "x"))


# Errors and warnings ---------------------------------------------------------------------


def test_errors_of_a_stream() -> None:
    """An error of DuckDB while it computes the rows is one of ours."""
    wrong = duckdb.sql("select error('no such thing') as x from range(3)")

    refuse(
        "`frame` must be an Arrow stream that can be read, but reading the DuckDBPyRelation failed:"
        " Invalid Input Error: no such thing.",
        lambda: sf.kfold(wrong, k=2, key="x"),
    )


COLUMN_HINT = 'Hint: pass the frame, and name the column, as in `sf.kfold(df, "label")`.'
COLUMNS: dict[str, Any] = {
    "pyarrow.ChunkedArray": TABLE["label"],
    "pyarrow.ChunkedArray of structs": pa.chunked_array([TABLE.to_struct_array().combine_chunks()]),
    "narwhals.Series": nw.from_native(TABLE)["label"].alias(""),
    "Series of structs": POLARS.to_struct(),
}


@pytest.mark.parametrize("each", COLUMNS)
def test_columns_are_no_frames(each: str) -> None:
    """A single column is refused, although it has an Arrow stream."""
    message = (
        "`frame` must be a pandas, Polars, Dask, Spark or Arrow frame, got"
        f" {each.partition(' of ')[0]}.\n{COLUMN_HINT}"
    )

    refuse(message, lambda: sf.kfold(COLUMNS[each]))


WARNED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "kfold": ("without `key=` the folds", lambda df: sf.kfold(df, "label", name="new")),
    "split": ("without `key=` the parts", lambda df: sf.split(df, "label", name="new")),
    "extend": (
        "without `key=` the new folds",
        lambda df: sf.extend(df, "label", name="part"),
    ),
    "sample": ("without `key=` the rows of the sample", lambda df: sf.sample(df, "label", n=4)),
    "cv": ("the positions", sf.cv),
    "fingerprint": ("without `key=` the positions of rows", sf.fingerprint),
}


@pytest.mark.parametrize("verb", WARNED)
def test_a_stream_has_no_order(verb: str) -> None:
    """What depends on the order of a stream warns, but not with a key, nor for a table."""
    what, call = WARNED[verb]
    hint = "read it"
    if "key" in what:
        hint = '`key="id"` names columns that identify the rows. Alternatively, read it'
    message = (
        "The rows of this frame of duckdb may come in a different order each time it is read, and"
        f" {what} depend on the order: train and test rows that are taken separately may overlap."
        f"\nHint: {hint} once, as in `df = pl.DataFrame(df)`."
    )

    warned(message, lambda: call(relation()))
    warned(message, lambda: call(nw.from_native(relation())))
    for each in ("pyarrow.Table", "pyarrow.RecordBatch", "narwhals over pandas"):
        call(FRAMES[each]())  # warnings are errors


def test_frames_that_are_known_are_not_read() -> None:
    """Frames of pandas and Polars go through as they are, although they have Arrow streams."""
    given: list[Any] = []

    @any_frame("columns", in_order="the folds")
    def note(frame: Any) -> Any:
        given.append(frame)
        return frame

    for frame in (pd.DataFrame(DATA), POLARS, POLARS.lazy()):
        assert note(frame) is frame
        assert given.pop() is frame


def test_study_takes_tables() -> None:
    """Strategies are compared on frames of any library."""
    options: dict[str, Any] = {
        "strategies": {"plain": None},
        "estimators": GaussianNB(),
        "samples": 2,
        "k": 2,
        "sample": 20,
    }
    found = sf.study.estimates(TABLE, "label", ["x", "day"], **options)

    expected = sf.study.estimates(POLARS, "label", ["x", "day"], **options)
    clocks = ["seconds", "fold_seconds"]
    assert_frame_equal(found.drop(clocks), expected.drop(clocks))


class GeoDataFrame(pd.DataFrame):
    """A class of frames as that of GeoPandas, which remembers its coordinates."""

    _metadata = ("crs",)

    @property
    def _constructor(self) -> Any:
        return GeoDataFrame

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        raise AssertionError


# pandas 2.2 warns of classes without a constructor from its own blocks, which GeoPandas has.
@pytest.mark.filterwarnings("ignore:Passing a BlockManager:DeprecationWarning")
def test_frames_like_those_of_geopandas_stay_as_they_are() -> None:
    """A subclass of a pandas frame keeps its type and its metadata."""
    places = GeoDataFrame(DATA)
    places.crs = "EPSG:4326"

    made = sf.kfold(places, "label", k=2, name="new")
    train = next(sf.folds(made, "new")).train

    assert (type(made), made.crs) == (GeoDataFrame, "EPSG:4326")
    assert (type(train), train.crs) == (GeoDataFrame, "EPSG:4326")


@pytest.mark.filterwarnings("ignore:Dask support is moving out of Narwhals:FutureWarning")
def test_narwhals_over_dask() -> None:
    """Dask computes the folds of a narwhals frame over Dask."""
    dask = pytest.importorskip("dask.dataframe")
    rows = pd.DataFrame(DATA)
    frame = nw.from_native(dask.from_pandas(rows, npartitions=2))

    made = sf.kfold(frame, "label", k=2, key="id", name="new")

    assert type(made) is nw.LazyFrame
    expected = sf.kfold(rows, "label", k=2, key="id", name="new")["new"]
    assert made.to_native()["new"].compute().tolist() == expected.tolist()


@pytest.mark.parametrize("native", [POLARS, POLARS.lazy()])
def test_narwhals_over_a_library_without_a_stream(native: Any) -> None:
    """Narwhals itself reads the frames of a library that has no Arrow stream."""
    reading = collect_narwhals(nw.from_native(native))

    assert_frame_equal(reading.frame, POLARS)
    assert reading.unordered == ("" if native is POLARS else "narwhals")
