"""Rows of a frame that a fold or a computation selects."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pandas.testing import assert_frame_equal

from stratframe.frames.filters import filter_labels, filter_rows, filter_values
from stratframe.frames.label_rows import read_labels

Make = Callable[[dict[str, Any]], Any]
NAN = float("nan")


def rows_of(frame: Any) -> list[int]:
    """List the column "row" of a frame."""
    eager = frame.collect() if isinstance(frame, pl.LazyFrame) else frame
    return [int(row) for row in eager["row"].to_list()]


def keep(frame: Any, chosen: list[Any], *, nulls: bool = False) -> Any:
    """Keep the rows of some folds."""
    rows = read_labels(frame, "fold")
    flags = np.array([value in chosen for value in rows.labels.values], dtype=np.bool_)
    return filter_labels(frame, rows, flags, nulls=nulls)


@pytest.mark.parametrize("folds", [[1, 0, None, 1], ["b", "a", None, "b"], [1.0, 0.0, None, 1.0]])
def test_folds_of_every_kind(frame: Make, folds: list[Any]) -> None:
    """Some folds and the others share no row; nulls are in neither unless asked for."""
    made = frame({"row": [0, 1, 2, 3], "fold": folds})
    one, other = folds[:2]
    assert type(keep(made, [one])) is type(made)
    assert rows_of(keep(made, [one])) == [0, 3]
    assert rows_of(keep(made, [one], nulls=True)) == [0, 2, 3]
    assert rows_of(keep(made, [other])) == [1]
    assert rows_of(keep(made, [other], nulls=True)) == [1, 2]
    assert rows_of(keep(made, [one, other])) == [0, 1, 3]
    assert rows_of(keep(made, [])) == []
    assert rows_of(keep(made, [], nulls=True)) == [2]


LABELS = {
    "dates": [date(2024, 1, day) for day in (3, 1, 2, 5)],
    "times": [datetime(2024, 1, 1, hour) for hour in (3, 1, 2, 5)],
    "durations": [timedelta(hours=hour) for hour in (3, 1, 2, 5)],
    "decimals": [Decimal(f"{number}.50") for number in (3, 1, 2, 5)],
    "numbers": [3, 1, 2, 5],
    "floats": [3.5, 1.5, 2.5, 5.5],
    "flags": [True, False],
    "texts": ["c", "a", "b", "é"],
}


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("equal", [True, False])
def test_values_of_every_type(frame: Make, name: str, equal: bool) -> None:
    """Rows of several values, and those of the others, are those that Python finds."""
    column = [*LABELS[name], None, *LABELS[name][::-1], LABELS[name][0]]
    made = frame({"row": list(range(len(column))), "fold": column})
    for n in range(len(LABELS[name]) + 1):
        wanted = LABELS[name][:n]
        for nulls in (False, True):
            expected = [
                row
                for row, value in enumerate(column)
                if (nulls if value is None else (value in wanted) == equal)
            ]
            chosen = [each for each in LABELS[name] if (each in wanted) == equal]
            assert rows_of(keep(made, chosen, nulls=nulls)) == expected
            if not isinstance(made, pl.LazyFrame):
                found = filter_values(made, "fold", wanted, equal=equal, nulls=nulls)
                assert rows_of(found) == expected


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
    """NaN counts as null: it is in no fold."""
    made = make({"row": [0, 1, 2], "fold": [1.0, 0.0, NAN]})
    assert rows_of(keep(made, [1])) == [0]
    assert rows_of(keep(made, [0])) == [1]
    assert rows_of(keep(made, [0], nulls=True)) == [1, 2]


def test_pandas_frames_keep_index_and_columns() -> None:
    """Rows come with their index, and a name means a tuple under a MultiIndex."""
    df = pd.DataFrame(
        {("row", "n"): [0, 1, 2], ("fold", ""): pd.Categorical(["b", "a", None])}, index=[5, 5, 3]
    )
    assert_frame_equal(keep(df, ["b"]), df.iloc[[0]])
    assert_frame_equal(keep(df, ["a"]), df.iloc[[1]])
    assert_frame_equal(keep(df, ["a"], nulls=True), df.iloc[[1, 2]])


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
