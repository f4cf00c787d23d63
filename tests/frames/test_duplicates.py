"""Equal rows: counted, found across folds, known not to exist."""

import datetime as dt
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratframe.frames import ComparedColumn, columns_to_compare, duplicates

from .columns import Column


def counted(rows: list[Any], folds: Any) -> duplicates.SharedRows:
    """Count rows, given as one hashable value each, pair by pair; the first is the example."""
    groups = pd.Series(folds).groupby(pd.factorize(pd.Series(rows, dtype=object))[0])
    sizes = groups.size()
    split = groups.nunique() > 1
    pairs = [(i, j) for i, j in combinations(range(len(rows)), 2) if rows[i] == rows[j]]
    across = [(i, j) for i, j in pairs if folds[i] != folds[j]]
    return duplicates.SharedRows(
        n_values=len(sizes),
        n_repeated=(sizes > 1).sum(),
        n_split=split.sum(),
        n_rows=sizes[split].sum(),
        example=duplicates.SharedExample(across[0]) if across else None,
        n_pairs=len(pairs),
        n_split_pairs=len(across),
        largest=max(sizes, default=0),
    )


@pytest.mark.parametrize("n_values", [3, 40, 5000])
def test_rows_of_several_columns(n_values: int) -> None:
    """Rows are equal if all their columns are, whether few or most repeat; objects as in Python."""
    rng = np.random.default_rng(0)
    data = {"a": rng.integers(-3, n_values, 400), "b": rng.integers(0, 3, 400).astype(np.int8)}
    data["c"] = rng.integers(0, 2, 400).astype(str)
    data["d"] = rng.integers(2**63, 2**63 + 2, 400, dtype=np.uint64)
    folds = rng.integers(-1, 4, 400)
    expected = counted(list(zip(*(each.tolist() for each in data.values()), strict=True)), folds)
    for make in (pd.Series, pl.Series):
        columns = columns_to_compare([make(each) for each in data.values()])
        assert duplicates.count_across_folds(columns, folds) == expected
        rows, sets = duplicates.rows_across_folds(columns, folds)
        assert (len(rows), len(set(sets.tolist()))) == (expected.n_rows, expected.n_split)
    merged_by_floats = columns_to_compare([pd.Series([2**60 + 1, 2**60, 1.5], dtype=object)])
    assert duplicates.count_across_folds(merged_by_floats, np.arange(3)).n_values == 3


@pytest.mark.parametrize("n_words", [1, 7, 1000, 2**63])
@given(data=st.data())
def test_hashes_may_collide(n_words: int, data: st.DataObject) -> None:
    """Rows are equal by their values, whatever their hashes are, of all rows and of some."""
    n, n_values = data.draw(st.tuples(st.integers(1, 90), st.sampled_from([2, 9, 400])))
    draw = st.lists(st.integers(0, n_values), min_size=n, max_size=n)
    columns = [data.draw(draw) for _ in range(2)]
    folds = np.arange(n) % 3
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1))))
    series = [pd.Series(columns[0]), pl.Series(columns[1])]
    compared = columns_to_compare(series)
    words = duplicates.row_words(compared) % np.uint64(n_words)
    kept = [(columns[0][row], columns[1][row]) for row in rows]
    expected = counted(kept, folds[rows])
    if expected.example is not None:
        places = rows[[*(expected.example.rows or ())]].tolist()
        expected = expected._replace(example=duplicates.SharedExample((places[0], places[1])))
    assert duplicates.count_across_folds(compared, folds, rows, words) == expected
    for column, each in zip(columns, compared, strict=True):
        assert duplicates.all_unique(each) == (n > 1 and len(set(column)) == n)


UNIQUE: list[list[Any]] = [[1, 2, 3], [1, None, 3], ["a", "b"]]
OTHERS: list[list[Any]] = [[1, 2, 1], [1, None, None], [1], [None], [], ["a", "a"]]


def test_unique_columns(column: Column) -> None:
    """A column is unique if it has two rows or more, and no two of them are equal."""
    unique = [duplicates.all_unique(ComparedColumn(column(values))) for values in UNIQUE]
    others = [duplicates.all_unique(ComparedColumn(column(values))) for values in OTHERS]
    assert unique == [True] * len(UNIQUE)
    assert others == [False] * len(OTHERS)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([*range(40), None], (39 + 30) * 10 / 2 / 20),
        ([round(row / 10, 1) for row in range(40)], (39 + 30) * 10 / 2 / 20),
        ([0.25, 0.35, 0.36, 0.36, None], (1 + 2) / 20),
        ([1.5, 1e308, -1e308, float("inf")], 0),
        ([1 / 3, 1 / 3], 0),
        ([dt.date(2024, 1, 1)] * 2, float("inf")),
    ],
)
def test_numbers_that_repeat_by_chance(values: list[Any], expected: float) -> None:
    """Pairs of equal numbers are expected as those up to ten steps apart, equal ones left out."""
    for series in (pd.Series(values), pl.Series(values)):
        assert duplicates.expect_repeats(series) == pytest.approx(expected)


def test_unique_rows_are_counted() -> None:
    """Equal rows of Polars columns are kept once, under the names of the columns."""
    one = pl.Series("x", ["a", "b", "a", None, None] * 20_000)
    two = pl.Series("x", [1.5, 2, 1.5, 0, 0] * 20_000)
    kept, counts = duplicates.count_unique_rows([one, two])
    assert [series.name for series in kept] == ["x", "x"]
    rows = dict(zip(zip(*kept, strict=True), counts.tolist(), strict=True))
    assert rows == {("a", 1.5): 40_000, ("b", 2.0): 20_000, (None, 0.0): 40_000}


LEFT = [
    pl.Series([1, 1]),
    pd.Series([1]).repeat(70_000),
    pl.Series([[1]] * 70_000),
    pl.Series(np.arange(70_000)),
    pl.Series([object()] * 70_000, dtype=pl.Object),
]


@pytest.mark.parametrize("series", LEFT, ids=["few", "pandas", "lists", "many values", "objects"])
def test_rows_are_kept_where_counting_is_slower(series: Any) -> None:
    """Few rows, columns of pandas, nested ones and those of many values stay as they are."""
    kept, counts = duplicates.count_unique_rows([series])
    assert kept[0] is series
    assert counts is None
