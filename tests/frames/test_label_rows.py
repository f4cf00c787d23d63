"""The rows of a fold column by their label, and the values that they share."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from stratframe.frames.filters import drop_values
from stratframe.frames.label_rows import (
    encode_labels,
    flag_labels,
    read_labels,
    shorter_list,
    values_apart,
)
from tests.helpers import Make, values

COLUMNS = {
    "texts": ["a", "b", None, "a", "c", None],
    "numbers": [1, 2, None, 1, 3, None],
    "fractions": [0.5, 1.5, None, 0.5, 2.5, None],
    "dates": [dt.date(2024, 1, day) if day else None for day in (1, 2, 0, 1, 3, 0)],
    "times": [dt.datetime(2024, 1, day) if day else None for day in (1, 2, 0, 1, 3, 0)],
    "decimals": [Decimal(day) if day else None for day in (1, 2, 0, 1, 3, 0)],
    "flags": [True, False, None, True, True, None],
}


@pytest.mark.parametrize("column", COLUMNS)
def test_rows_that_share_a_value(frame: Make, column: str) -> None:
    """Rows that share a value with a label are left out, but for missing values."""
    data = COLUMNS[column]
    df = frame({"row": list(range(6)), "fold": [0, 0, 0, 1, 1, 1], "x": data})
    rows = read_labels(df, "fold", ["x"])
    for place, others in ((0, [3, 4, 5]), (1, [0, 1, 2])):
        held = {
            value for value, fold in zip(data, [0, 0, 0, 1, 1, 1], strict=True) if fold == place
        }
        expected = [row for row in others if data[row] is None or data[row] not in held]
        chosen = np.array([place == 1, place == 0])
        flags = flag_labels(rows, chosen, apart_from=place)
        assert rows.count(flags) == len(expected)
        shared = values_apart(rows, place)
        assert sorted(values({"x": shared["x"]}, "x")) == sorted(held - {None})
        if isinstance(df, pd.DataFrame):
            assert np.flatnonzero(flags).tolist() == expected
            kept = drop_values(df, shared)
            assert set(kept["row"].tolist()) & set(others) == set(expected)


@pytest.mark.parametrize("dtype", ["category", "string[pyarrow]", "object"])
def test_values_of_texts(dtype: Any) -> None:
    """Values are looked up in text of every type, and in categories of others."""
    df = pd.DataFrame({"row": range(4), "x": pd.Series(["a", None, "b", "c"], dtype=dtype)})
    for held in (pd.Series(["a", "z"]), pd.Series(["a", "z"], dtype="category")):
        assert drop_values(df, {"x": held})["row"].tolist() == [1, 2, 3]
    assert drop_values(df, {"x": pd.Series([], dtype=object)}).equals(df)
    assert drop_values(df, {}).equals(df)


def test_a_lazy_frame_has_one_query() -> None:
    """Equal rows of a lazy frame are counted in one query, whatever its columns are called."""
    df = pl.DataFrame({"n": [0, 0, 0, 1], "0": ["a", "a", None, "a"], "len": [1, 1, 1, 1]})
    queries = []

    def seen(rows: pl.DataFrame) -> pl.DataFrame:
        queries.append(rows.columns)
        return rows

    lazy = df.lazy().map_batches(seen)
    rows = read_labels(lazy, "n", ["0", "len"])
    assert queries == [["n", "0", "len"]]
    assert rows.weights is not None
    assert rows.weights.tolist() == [2, 1, 1]
    assert rows.labels == ([0, 1], [3, 1], 0)
    assert [each.name for each in rows.apart] == ["0", "len"]
    assert rows.series.name == "n"
    assert rows.count(np.array([True, True, False])) == 3


def test_the_shorter_list() -> None:
    """Labels are matched, or those that are left out, whichever are fewer; none without rows."""
    column = pl.Series("fold", ["a", "b", "c"], dtype=pl.Enum(["a", "b", "c", "d"]))
    rows = encode_labels("fold", column)
    flags, is_match = shorter_list(rows, np.array([True, False, False, True]))
    assert (flags.tolist(), is_match) == ([True, False, False, False], True)
    flags, is_match = shorter_list(rows, np.array([True, True, False, False]))
    assert (flags.tolist(), is_match) == ([False, False, True, False], False)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pd.Series(["a"], dtype="category"), False),
        (pd.Series(pd.Categorical(["a"], ordered=True)), True),
        (pd.Series(["a"]), False),
        (pl.Series(["a"], dtype=pl.Enum(["a"])), True),
        (pl.Series(["a"], dtype=pl.Categorical), False),
        (pl.Series([1]), False),
    ],
)
def test_categories_in_order(column: Any, expected: bool) -> None:
    """Ordered categories and Enums say their order themselves."""
    assert encode_labels("fold", column).has_ordered_categories is expected
