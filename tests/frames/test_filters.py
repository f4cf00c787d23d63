"""Rows of a frame that a fold or a computation selects."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pandas.testing import assert_frame_equal

from stratframe.frames.filters import filter_equal, filter_other, filter_rows

Make = Callable[[dict[str, Any]], Any]
NAN = float("nan")


def rows_of(frame: Any) -> list[int]:
    """List the column "row" of a frame."""
    eager = frame.collect() if isinstance(frame, pl.LazyFrame) else frame
    return [int(row) for row in eager["row"].to_list()]


@pytest.mark.parametrize("folds", [[1, 0, None, 1], ["b", "a", None, "b"], [1.0, 0.0, None, 1.0]])
def test_folds_of_every_kind(frame: Make, folds: list[Any]) -> None:
    """One fold and the others share no row; nulls are in neither unless asked for."""
    made = frame({"row": [0, 1, 2, 3], "fold": folds})
    assert type(filter_equal(made, "fold", folds[0])) is type(made)
    assert type(filter_other(made, "fold", folds[0], nulls=True)) is type(made)
    assert rows_of(filter_equal(made, "fold", folds[0])) == [0, 3]
    assert rows_of(filter_other(made, "fold", folds[0], nulls=False)) == [1]
    assert rows_of(filter_other(made, "fold", folds[0], nulls=True)) == [1, 2]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_nan_is_no_fold(make: Any) -> None:
    """NaN counts as null: it is in no fold."""
    made = make({"row": [0, 1, 2], "fold": [1.0, 0.0, NAN]})
    assert rows_of(filter_equal(made, "fold", 1)) == [0]
    assert rows_of(filter_other(made, "fold", 1, nulls=False)) == [1]
    assert rows_of(filter_other(made, "fold", 1, nulls=True)) == [1, 2]


def test_pandas_frames_keep_index_and_columns() -> None:
    """Rows come with their index, and a name means a tuple under a MultiIndex."""
    df = pd.DataFrame(
        {("row", "n"): [0, 1, 2], ("fold", ""): pd.Categorical(["b", "a", None])}, index=[5, 5, 3]
    )
    assert_frame_equal(filter_equal(df, "fold", "b"), df.iloc[[0]])
    assert_frame_equal(filter_other(df, "fold", "b", nulls=False), df.iloc[[1]])
    assert_frame_equal(filter_other(df, "fold", "b", nulls=True), df.iloc[[1, 2]])


@pytest.mark.parametrize("refs", [["row"], [], ["fold", "row"]])
def test_rows_that_a_computation_chooses(frame: Make, refs: list[str]) -> None:
    """A mask over all rows keeps its rows, in order; a lazy frame is collected."""
    made = frame({"row": [3, 1, 2], "fold": [0, 1, 0]})
    seen = []

    def choose(series: list[Any]) -> Any:
        seen.append([each.to_list() for each in series])
        return np.array([True, False, True])

    kept = filter_rows(made, refs, choose)
    assert not isinstance(kept, pl.LazyFrame)
    assert rows_of(kept) == [3, 2]
    data = {"row": [3, 1, 2], "fold": [0, 1, 0]}
    assert seen == [[data[ref] for ref in refs]]
