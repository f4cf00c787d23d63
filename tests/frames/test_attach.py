"""New columns: attached to every kind of frame, or built by an expression."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from stratframe.frames import NewColumn
from stratframe.frames.attach import column_expression, struct_fields
from stratframe.pipeline.local_source import LocalSource
from tests.helpers import Make, eager, values

DATA = {"a": [1, 2, 3, 4], "b": ["x", "y", None, "x"]}
FOLDS = NewColumn("fold", np.array([0, 1, 0, 1]), None, nullable=False)
SPARSE = NewColumn("sparse", np.array([0, -1, 2, 1]), None, nullable=True)


@pytest.mark.parametrize("columns", [[FOLDS], [FOLDS, SPARSE]])
def test_computations_read_what_they_refer_to(frame: Make, kind: str, columns: Any) -> None:
    """The function of a lazy verb gets the referenced columns and the height, and runs once."""
    seen = []

    def compute(read: dict[str, list[Any]], n_rows: int) -> list[NewColumn]:
        named = {name: [values({"x": each}, "x") for each in read[name]] for name in read}
        seen.append((named, n_rows))
        return columns

    ref: Any = pl.col("a") + 1 if "polars" in kind else lambda df: df["a"] + 1
    refs = {"by": ["b"], "key": [ref], "where": []}
    eager(LocalSource(frame(DATA)).attach(refs, compute, columns))
    assert seen == [({"by": [DATA["b"]], "key": [[2, 3, 4, 5]], "where": []}, 4)]


def test_a_series_without_a_name_gets_that_of_its_expression() -> None:
    """Polars passes series without names inside `.over`; the expression knows the column."""
    root = pl.col("root")
    pattern = pl.col("^r.*$")
    for name, expr, expected in (
        ("given", root, "given"),
        ("", root.str.to_uppercase(), "root"),
        ("", root.alias("result"), "result"),
        ("", pattern, str(pattern)),
    ):
        (field,) = struct_fields(pl.Series(name, ["a"]), expr)
        assert field.name == expected


def test_expressions_of_many_columns() -> None:
    """An expression of many columns passes each where it is referenced, and checks heights."""
    names = [f"x{place}" for place in range(60)]
    frame = pl.LazyFrame({name: [place, -place] for place, name in enumerate(names)})
    refs: list[Any] = [pl.col("x1") * 2, *names, "x0"]
    seen: list[list[int]] = []

    def compute(read: dict[str, list[Any]], n_rows: int) -> list[NewColumn]:
        seen.extend(column.to_list() for column in read["by"])
        return [FOLDS._replace(parts=np.zeros(n_rows, dtype=np.int64))]

    folds = frame.select(column_expression({"by": refs}, compute, [FOLDS])).collect()["fold"]
    assert len(folds) == 2
    assert seen == [[2, -2], *([place, -place] for place in range(60)), [0, 0]]
    scalar = column_expression({"by": [*refs, pl.col("x1").first()]}, compute, [FOLDS])
    with pytest.raises(Exception, match="2 rows, got 1 from"):
        frame.select(scalar).collect()
