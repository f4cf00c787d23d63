"""Libraries of frames, names and labels of columns, rows by position."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from stratframe.frames.libraries import (
    check_frame,
    column_names,
    label_of,
    library_of,
    take,
    to_list,
)
from tests.helpers import refuse_now

Make = Callable[[dict[str, Any]], Any]


def test_every_kind_is_a_frame(frame: Make, kind: str) -> None:
    """All five kinds pass; each is of one library, and so are its columns."""
    made = frame({"x": [1, 2]})
    check_frame(made)
    series = made.collect()["x"] if isinstance(made, pl.LazyFrame) else made["x"]
    assert library_of(made) == library_of(series) == kind.partition("-")[0]
    assert column_names(made) == ["x"]


FOREIGN = type("DataFrame", (), {"__module__": "modin.pandas.dataframe"})()
HINT = "\nHint: convert it, as with `.compute()` or `.toPandas()`."


@pytest.mark.parametrize(
    ("other", "got"),
    [
        ({"x": [1]}, "dict."),
        (pl.Series([1]), "Series."),
        (None, "NoneType."),
        (FOREIGN, f"modin.DataFrame.{HINT}"),
    ],
)
def test_other_objects_are_no_frames(other: object, got: str) -> None:
    """The message names the type, of a frame its package too, and says what to do."""
    refuse_now(f"`frame` must be a pandas or Polars frame, got {got}", lambda: check_frame(other))


def test_column_names_of_a_query_read_no_data() -> None:
    """The names of a lazy frame come from its schema."""
    lazy = pl.LazyFrame({"x": [1]}).with_columns(
        pl.col("x").map_batches(lambda _: pytest.fail("read"), return_dtype=pl.Int64).alias("y")
    )
    assert column_names(lazy) == ["x", "y"]


def test_label_of_a_name_under_a_multiindex() -> None:
    """A name means a tuple filled up with empty strings; a tuple stays what it is."""
    flat = pd.DataFrame({"a": [1]})
    nested = pd.concat({"a": flat, "b": flat}, axis=1)
    assert label_of(flat, "fold") == "fold"
    assert label_of(pl.DataFrame({"a": [1]}), "fold") == "fold"
    assert label_of(nested, "fold") == ("fold", "")
    assert label_of(nested, ("a", "a")) == ("a", "a")


def test_take_by_position(column: Callable[[list[Any]], Any]) -> None:
    """Rows are taken by position, in the given order, whatever the index."""
    series = column(["a", "b", None, "d"])
    if isinstance(series, pd.Series):
        series.index = pd.Index([3, 2, 1, 0])
    assert to_list(take(series, np.array([3, 0, 0, 2]))) == ["d", "a", "a", None]


@pytest.mark.parametrize("values", [[1, None], ["a", None], [1.5, None], [True, None]])
def test_to_list_of_every_kind(column: Callable[[list[Any]], Any], values: list[Any]) -> None:
    """A column is a list of Python values, None where missing."""
    assert to_list(column(values)) == values


def test_to_list_of_other_missing_values() -> None:
    """NaN, NaT and NA are None in series, arrays and lists."""
    assert to_list([1, float("nan"), pd.NA, pd.NaT, None]) == [1, None, None, None, None]
    for values in (np.array([1.0, np.nan]), pl.Series([1.0, float("nan")])):
        assert to_list(values) == [1.0, None]
    day = pd.Timestamp("2024-01-01")
    assert to_list(pd.Series([day, pd.NaT])) == [day, None]
