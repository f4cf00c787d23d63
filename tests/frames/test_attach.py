"""New columns: attached to every kind of frame, or built by an expression."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from stratframe.frames.attach import (
    NewColumn,
    attach_columns,
    column_expression,
    pandas_column,
    polars_column,
    polars_dtype,
    struct_fields,
)

Make = Callable[[dict[str, Any]], Any]
DATA = {"a": [1, 2, 3, 4], "b": ["x", "y", None, "x"]}
FOLDS = NewColumn("fold", np.array([0, 1, 0, 1]), None, nullable=False)
SPARSE = NewColumn("sparse", np.array([0, -1, 2, 1]), None, nullable=True)
SPLIT = NewColumn("split", np.array([1, 0, -1, 1]), ("train", "test", "none"), nullable=True)
CASES = {
    "folds": ([FOLDS], {"fold": [0, 1, 0, 1]}),
    "nulls": ([SPARSE], {"sparse": [0, None, 2, 1]}),
    "parts": ([SPLIT], {"split": ["test", "train", None, "test"]}),
    "several": (
        [FOLDS, SPARSE, SPLIT],
        {"fold": [0, 1, 0, 1], "sparse": [0, None, 2, 1], "split": ["test", "train", None, "test"]},
    ),
}
each_case = pytest.mark.parametrize(("columns", "expected"), CASES.values(), ids=CASES.keys())


def give(columns: Sequence[NewColumn]) -> Any:
    """Make a computation that gives these columns."""
    return lambda read, n_rows: list(columns)


def listed(series: Any) -> list[Any]:
    return [None if pd.isna(value) else value for value in series.to_list()]


@each_case
def test_columns_of_every_kind(
    frame: Make, columns: list[NewColumn], expected: dict[str, list[Any]]
) -> None:
    """New columns come last; all others stay equal, and the given frame does not change."""
    made = frame(DATA)
    attached = attach_columns(made, {"by": ["a"]}, give(columns), columns)
    assert type(attached) is type(made)
    if isinstance(made, pl.LazyFrame):
        made, attached = made.collect(), attached.collect()
    assert list(made.columns) == list(DATA)
    assert list(attached.columns) == [*DATA, *expected]
    assert attached[list(DATA)].equals(made)
    assert {name: listed(attached[name]) for name in expected} == expected


@pytest.mark.parametrize("columns", [[FOLDS], [FOLDS, SPARSE]])
def test_the_computation_reads_the_referenced_columns(
    frame: Make, kind: str, columns: list[NewColumn]
) -> None:
    """It gets the columns by argument, in order of reference, and the height, and runs once."""
    seen = []

    def compute(read: dict[str, list[Any]], n_rows: int) -> list[NewColumn]:
        named = {argument: [listed(each) for each in series] for argument, series in read.items()}
        seen.append((named, n_rows))
        return columns

    ref: Any = pl.col("a") + 1 if "polars" in kind else lambda df: df["a"] + 1
    attached = attach_columns(
        frame(DATA), {"by": ["b"], "key": [ref], "where": []}, compute, columns
    )
    if isinstance(attached, pl.LazyFrame):
        attached.collect()
    assert seen == [({"by": [DATA["b"]], "key": [[2, 3, 4, 5]], "where": []}, 4)]


@pytest.mark.parametrize("columns", [[FOLDS], [FOLDS, SPARSE]])
def test_columns_under_a_multiindex(columns: list[NewColumn]) -> None:
    """The name of a new column is filled up to the levels of the others."""
    df = pd.DataFrame(np.zeros((4, 2)), columns=pd.MultiIndex.from_product([["a"], ["b", "c"]]))
    attached = attach_columns(df, {}, give(columns), columns)
    assert attached.columns.tolist()[2:] == [(column.name, "") for column in columns]


@pytest.mark.parametrize("column", [FOLDS, FOLDS._replace(nullable=True), SPARSE, SPLIT])
def test_dtypes_of_columns(column: NewColumn) -> None:
    """Folds are int64, in pandas Int64 where the arguments allow nulls; parts are categories."""
    expected: Any = "Int64" if column.nullable else "int64"
    if column.labels is not None:
        expected = pd.CategoricalDtype(list(column.labels))
    assert pd.Series(pandas_column(column)).dtype == expected
    series = polars_column(column)
    assert (series.name, series.dtype) == (column.name, polars_dtype(column.labels))
    assert SPARSE.parts.tolist() == [0, -1, 2, 1]


@pytest.mark.parametrize("lazy", [False, True])
@each_case
def test_expressions(columns: list[NewColumn], expected: dict[str, list[Any]], lazy: bool) -> None:
    """An expression gives one column, or a struct of several, of the dtypes in its schema."""
    df = pl.DataFrame(DATA)
    query = (df.lazy() if lazy else df).select(
        column_expression({"by": ["a"]}, give(columns), columns)
    )
    schema = query.collect_schema()
    series = query.lazy().collect().to_series()
    assert {series.name: series.dtype} == schema
    assert series.name == columns[0].name
    fields = struct_fields(series, pl.all())
    assert {field.name: field.to_list() for field in fields} == expected
    assert [field.dtype for field in fields] == [polars_dtype(each.labels) for each in columns]


def test_a_series_without_a_name_gets_that_of_its_expression() -> None:
    """Polars passes series without names inside `.over`; the expression knows the column."""
    root, pattern = pl.col("root"), pl.col("^r.*$")
    for name, expr, expected in (
        ("given", root, "given"),
        ("", root.str.to_uppercase(), "root"),
        ("", root.alias("result"), "result"),
        ("", pattern, str(pattern)),
    ):
        (field,) = struct_fields(pl.Series(name, ["a"]), expr)
        assert field.name == expected


def test_expressions_of_many_columns() -> None:
    """Of many columns an expression passes each where it is referenced, and checks heights."""
    names = [f"x{place}" for place in range(60)]
    frame = pl.LazyFrame({name: [place, -place] for place, name in enumerate(names)})
    refs: list[Any] = [pl.col("x1") * 2, *names, "x0"]
    seen: list[list[int]] = []

    def compute(read: dict[str, list[Any]], n_rows: int) -> list[NewColumn]:
        seen.extend(column.to_list() for column in read["by"])
        return [FOLDS._replace(parts=np.zeros(n_rows, dtype=np.int64))]

    assert (
        frame.select(column_expression({"by": refs}, compute, [FOLDS])).collect()["fold"].len() == 2
    )
    assert seen == [[2, -2], *([place, -place] for place in range(len(names))), [0, 0]]
    scalar = column_expression({"by": [*refs, pl.col("x1").first()]}, compute, [FOLDS])
    with pytest.raises(Exception, match="2 rows, got 1 from"):
        frame.select(scalar).collect()
