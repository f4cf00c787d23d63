"""Small result frames."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pandas.testing import assert_frame_equal

from stratframe.frames.result import make_frame, to_dicts


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_both_libraries(library: str) -> None:
    """A result frame is what the constructor of the library makes."""
    columns: dict[Any, Any] = {"a": [1, 2], "b": np.array([0.5, 1.5])}
    frame = make_frame(library, columns)
    make = pl.DataFrame if library == "polars" else pd.DataFrame
    assert isinstance(frame, make)
    assert frame.equals(make(columns))
    assert to_dicts(frame) == [{"a": 1, "b": 0.5}, {"a": 2, "b": 1.5}]


def test_rows_come_in_their_order() -> None:
    """Series of pandas are put side by side by position, not by index."""
    frame = make_frame("pandas", {"a": [1, 2], "b": pd.Series(["x", "y"], index=[1, 0])})
    assert_frame_equal(frame, pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))


@pytest.mark.parametrize("label", [0, None, ("a", "b"), 1.5])
def test_labels_of_any_type(label: Any) -> None:
    """A label of any type stays in pandas, and becomes text in Polars."""
    columns = {"row": [0, 1], label: [2, 3]}
    frame = make_frame("pandas", columns)
    assert frame.columns.tolist() == ["row", label]
    assert frame.columns.nlevels == 1
    assert frame.to_numpy().tolist() == [[0, 2], [1, 3]]
    assert make_frame("polars", columns).columns == ["row", str(label)]
