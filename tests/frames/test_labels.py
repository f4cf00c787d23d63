"""The rows of a frame that labels of a fold column, or a computation, select."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pandas.testing import assert_frame_equal

from stratframe.frames import labels
from stratframe.frames.dtypes import WIDE_INTEGERS
from stratframe.frames.labels import filter_labels, read_labels
from tests.helpers import Make, values


def rows_of(frame: Any) -> list[int]:
    return values(frame, "row")


def keep(frame: Any, chosen: list[Any], *, nulls: bool = False) -> Any:
    rows = read_labels(frame, "fold")
    flags = np.array([value in chosen for value in rows.labels.values], dtype=np.bool_)
    return filter_labels(frame, rows, flags, nulls=nulls)


NUMBERS = [3, 1, 2, 5]
LABELS = {
    "dates": [date(2024, 1, day) for day in NUMBERS],
    "times": [datetime(2024, 1, 1, hour) for hour in NUMBERS],
    "durations": [timedelta(hours=hour) for hour in NUMBERS],
    "decimals": [Decimal(f"{number}.50") for number in NUMBERS],
    "numbers": NUMBERS,
    "floats": [number + 0.5 for number in NUMBERS],
    "flags": [True, False],
    "texts": [*"cabé"],
}


@pytest.mark.parametrize("name", LABELS)
def test_values_of_every_type(frame: Make, name: str) -> None:
    """The rows of several values, and all other rows, are those that a Python loop finds."""
    column = [*LABELS[name], None, *LABELS[name][::-1], LABELS[name][0]]
    made = frame({"row": list(range(len(column))), "fold": column})
    for n, nulls, equal in product(range(len(LABELS[name]) + 1), (False, True), (False, True)):
        wanted = LABELS[name][:n]
        chosen = [each for each in LABELS[name] if (each in wanted) == equal]
        held = [*chosen, *[None] * nulls]
        expected = [row for row, value in enumerate(column) if value in held]
        kept = keep(made, chosen, nulls=nulls)
        assert (type(kept), rows_of(kept)) == (type(made), expected)
        if not isinstance(made, pl.LazyFrame):
            flags = labels.flag_values(made, "fold", wanted, equal=equal, nulls=nulls)
            assert np.flatnonzero(flags).tolist() == expected


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["b", "x", "a", "c"])])
def test_categories_of_polars(dtype: Any) -> None:
    """Categories are found in lazy frames as in eager ones."""
    column = pl.Series("fold", ["b", None, "a", "c", "b"], dtype=dtype)
    made = pl.DataFrame([column, pl.Series("row", range(5))])
    for frame in (made, made.lazy()):
        assert rows_of(keep(frame, ["b", "c"])) == [0, 3, 4]
        assert rows_of(keep(frame, ["a"], nulls=True)) == [1, 2]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_nan_is_no_fold(make: Any) -> None:
    """NaN counts as null, so that such a row is in no fold."""
    made = make({"row": [0, 1, 2], "fold": [1.0, 0.0, float("nan")]})
    assert [rows_of(keep(made, [fold])) for fold in (1, 0)] == [[0], [1]]
    assert rows_of(keep(made, [0], nulls=True)) == [1, 2]


def test_pandas_frames_keep_index_and_columns() -> None:
    """Rows come with their index, and a name means a tuple under a MultiIndex."""
    folds = pd.Categorical(["b", "a", None])
    df = pd.DataFrame({("row", "n"): [0, 1, 2], ("fold", ""): folds}, index=[5, 5, 3])
    assert_frame_equal(keep(df, ["b"]), df.iloc[[0]])
    assert_frame_equal(keep(df, ["a"]), df.iloc[[1]])
    assert_frame_equal(keep(df, ["a"], nulls=True), df.iloc[[1, 2]])


@pytest.mark.parametrize("refs", [{}, {"by": ["fold"], "key": ["row"]}])
def test_rows_that_a_computation_chooses(frame: Make, refs: dict[str, list[str]]) -> None:
    """A mask over all rows keeps its rows, in order; a lazy frame is collected."""
    data = {"row": [3, 1, 2], "fold": [0, 1, 0]}
    seen = []

    def choose(columns: dict[str, list[Any]], n_rows: int) -> Any:
        seen.append(({key: [each.to_list() for each in columns[key]] for key in columns}, n_rows))
        return np.array([True, False, True])

    kept = labels.filter_rows(frame(data), refs, choose)
    assert not isinstance(kept, pl.LazyFrame)
    assert rows_of(kept) == [3, 2]
    assert seen == [({key: [data[ref] for ref in refs[key]] for key in refs}, 3)]


COLUMNS = {
    "texts": ["a", "b", None, "a", "c", None],
    "numbers": [1, 2, None, 1, 3, None],
    "fractions": [0.5, 1.5, None, 0.5, 2.5, None],
    "dates": [date(2024, 1, day) if day else None for day in (1, 2, 0, 1, 3, 0)],
    "times": [datetime(2024, 1, day) if day else None for day in (1, 2, 0, 1, 3, 0)],
    "decimals": [Decimal(day) if day else None for day in (1, 2, 0, 1, 3, 0)],
    "flags": [True, False, None, True, True, None],
}


@pytest.mark.parametrize("column", COLUMNS)
def test_rows_that_share_a_value(frame: Make, column: str) -> None:
    """Rows that share a value with a label are left out, but for missing values."""
    data = COLUMNS[column]
    df = frame({"row": list(range(6)), "fold": [0, 0, 0, 1, 1, 1], "x": data})
    rows = read_labels(df, "fold", ["x"])
    for place, own, others in ((0, data[:3], [3, 4, 5]), (1, data[3:], [0, 1, 2])):
        held = {*own} - {None}
        expected = [row for row in others if data[row] not in held]
        chosen = np.array([place == 1, place == 0])
        assert rows.count(labels.flag_labels(rows, chosen, apart_from=~chosen)) == len(expected)
        assert rows_of(filter_labels(df, rows, chosen, apart_from=~chosen)) == expected
        shared = labels.values_apart(rows, ~chosen)
        assert sorted(values(shared, "x")) == sorted(held)
        if isinstance(df, pd.DataFrame):
            unshared = np.flatnonzero(labels.flag_unshared(df, shared)).tolist()
            assert {*unshared} & {*others} == {*expected}


@pytest.mark.parametrize("dtype", ["category", "string[pyarrow]", "object"])
def test_values_of_texts(dtype: Any) -> None:
    """Values are looked up in text of every type, and in categories of others."""
    df = pd.DataFrame({"row": range(4), "x": pd.Series(["a", None, "b", "c"], dtype=dtype)})
    for held in (pd.Series(["a", "z"]), pd.Series(["a", "z"], dtype="category")):
        assert labels.flag_unshared(df, {"x": held}).tolist() == [False, True, True, True]
    assert labels.flag_unshared(df, {"x": pd.Series([], dtype=object)}).all()
    assert labels.flag_unshared(df, {}).all()


def test_a_lazy_frame_has_one_query() -> None:
    """Equal rows of a lazy frame are counted in one query, whatever its columns are called."""
    df = pl.DataFrame({"n": [0, 0, 0, 1], "0": ["a", "a", None, "a"], "len": [1, 1, 1, 1]})
    queries: list[list[str]] = []
    lazy = df.lazy().map_batches(lambda rows: queries.append(rows.columns) or rows)
    rows = read_labels(lazy, "n", ["0", "len"])
    assert queries == [["n", "0", "len"]]
    assert np.array_equal(rows.weights, [2, 1, 1])
    assert rows.labels == ([0, 1], [3, 1], 0)
    assert [each.name for each in (rows.series, *rows.apart)] == ["n", "0", "len"]
    assert rows.count(np.array([True, True, False])) == 3


@pytest.mark.parametrize("dtype", WIDE_INTEGERS)
def test_labels_of_128_bits(dtype: Any) -> None:
    """The highest integers of 128 bits are selected from a lazy frame, too."""
    bits = 128 if dtype.is_unsigned_integer() else 127
    high = 2**bits - 1
    df = pl.DataFrame({"row": range(4)}).with_columns(
        pl.Series("x", [high, high - 1, None, high], dtype=dtype)
    )

    rows = read_labels(df.lazy(), "x")
    kept = [
        filter_labels(df.lazy(), rows, np.array([is_low, not is_low])).collect()["row"].to_list()
        for is_low in (True, False)
    ]

    assert rows.labels.values == [high - 1, high]
    assert kept == [[1], [0, 3]]


def test_the_shorter_list() -> None:
    """The query matches the labels or the others, whichever are fewer, and only those with rows."""
    rows = labels.encode_labels(
        "fold", pl.Series(["a", "b", "c"], dtype=pl.Enum(["a", "b", "c", "d"]))
    )
    few, many = (
        labels.shorter_list(rows, np.array([True, n, False, not n])) for n in (False, True)
    )
    assert (few[0].tolist(), few[1]) == ([True, False, False, False], True)
    assert (many[0].tolist(), many[1]) == ([False, False, True, False], False)
