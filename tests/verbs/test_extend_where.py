"""`extend` with `where`: rows that may get a fold, next to rows that stay without one."""

from typing import Any

import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import Make, at_fault, eager, make, refuse_rule, split_groups, values

N = 80
PART = [["train", "train", "train", "test"][row % 4] for row in range(N)]
DATA: dict[str, Any] = {
    "y": ["a", "b", "b", "a", "c"] * (N // 5),
    "who": [row // 2 for row in range(N)],
    "x": [row + 0.5 for row in range(N)],
    "split": PART,
    "train": [part == "train" for part in PART],
    "fold": [row % 5 if part == "train" and row < 50 else None for row, part in enumerate(PART)],
}
"""A holdout with folds on its training part, and new rows of both parts."""


def chosen(kind: str) -> dict[str, Any]:
    """List the ways to say `where`."""
    if kind.startswith("pandas"):
        return {"column": "train", "computed": lambda df: df["split"] == "train"}
    return {"column": "train", "computed": pl.col("split") == "train"}


@pytest.mark.parametrize("by", ["y", None, ["y", sf.quantiles("x", 2)], sf.margins(["y", "who"])])
@pytest.mark.parametrize("way", ["column", "computed"])
def test_other_rows_stay_null(kind: str, by: Any, way: str) -> None:
    """Rows of the test part get no fold, and the others what they get without these rows."""
    df, where = make(kind, DATA), chosen(kind)[way]
    assert None not in values(sf.extend(df, by, rare="ignore"), "fold")
    after = values(sf.extend(df, by, where=where, rare="ignore"), "fold")
    assert [fold is None for fold in after] == [part == "test" for part in PART]
    kept = [row for row in range(N) if PART[row] == "train"]
    alone = make(kind, {name: [cells[row] for row in kept] for name, cells in DATA.items()})
    assert [after[row] for row in kept] == values(sf.extend(alone, by, rare="ignore"), "fold")


def test_the_column_is_nullable(kind: str) -> None:
    """The column has the type that `kfold` gives it with `where`, even if it is full."""
    df = make(kind, {**DATA, "train": [True] * N})
    after = eager(sf.extend(df, "y", where="train"))
    again = eager(sf.kfold(df, "y", where="train", overwrite=True))
    assert after["fold"].dtype == again["fold"].dtype
    assert str(after["fold"].dtype) == "Int64"


def test_rows_that_stay_null_are_not_looked_at(frame: Make) -> None:
    """Missing values of rows that get no fold are no error, those of others are."""
    data = {**DATA, "y": [None if PART[row] == "test" else DATA["y"][row] for row in range(N)]}
    data["x"] = [None if PART[row] == "test" else DATA["x"][row] for row in range(N)]
    after = values(sf.extend(frame(data), ["y", sf.quantiles("x", 2)], where="train"), "fold")
    assert after.count(None) == N // 4


@pytest.mark.parametrize("row", [1, 61])
def test_errors_name_the_rows_of_the_frame(frame: Make, kind: str, row: int) -> None:
    """Rows at fault are positions in the frame, with a fold or without."""
    data = {**DATA, "y": [None if place == row else cell for place, cell in enumerate(DATA["y"])]}
    error = refuse_rule(
        f"Column 'y' has missing values in 1 row ({row}).",
        lambda: sf.extend(frame(data), "y", where="train"),
    )
    assert at_fault(error, kind) == {"row": [row], "y": [None]}


@pytest.mark.parametrize("missing", ["error", "null"])
def test_groups_stay_whole(frame: Make, missing: Any) -> None:
    """New rows join the fold of their group; groups without a fold are placed whole."""
    data = dict(DATA)
    data["train"] = [row % 8 < 6 for row in range(N)]
    data["fold"] = [row // 2 % 5 if data["train"][row] and row < 41 else None for row in range(N)]
    data["fold"][0], data["y"] = None, ["a", "b", "b", "a"] * (N // 4)
    if missing == "null":
        data["y"] = ["a", "b", "b", "a"] * (N // 4 - 1) + [None, "b", "b", "a"]
    found = sf.extend(frame(data), "y", groups="who", where="train", missing=missing)
    after = values(found, "fold")
    assert [fold for fold, old in zip(after, data["fold"], strict=True) if old is not None] == [
        old for old in data["fold"] if old is not None
    ]
    assert after[0] == after[1] == 0
    for who, fold, train in zip(data["who"], after, data["train"], strict=True):
        assert (fold is None) == (not train) or data["y"][who * 2] is None
    assert not split_groups(data["who"], after)


def test_clusters_as_groups(frame: Make) -> None:
    """Clusters are of the rows that have a fold or may get one, whatever the others hold."""
    train = [row % 4 != 3 for row in range(40)]
    x = [float(row // 4 * 100 + row % 4) if train[row] else None for row in range(40)]
    fold = [row // 4 % 2 if train[row] and row % 4 < 2 else None for row in range(40)]
    df = frame({"x": x, "train": train, "fold": fold})
    after = values(sf.extend(df, None, groups=sf.clusters("x", 10), where="train"), "fold")
    assert after == [row // 4 % 2 if train[row] else None for row in range(40)]


@pytest.mark.parametrize("parts", [None, {"a": 0.5, "b": 0.5}])
def test_parts_are_filled(kind: str, parts: Any) -> None:
    """Part columns, too: a part column stays null where `where` does not hold."""
    data = {"y": ["u", "v"] * 20, "new": [row >= 30 for row in range(40)]}
    part = ["a", "a", "b", "b"] * 6 + [None] * 16
    df = make(kind, data)
    if "polars" in kind:
        df = df.with_columns(part=pl.lit(pl.Series(part, dtype=pl.Enum(["a", "b"]))))
    else:
        df = df.assign(part=pd.Categorical(part, categories=["a", "b"]))
    after = values(sf.extend(df, "y", parts=parts, where="new", name="part"), "part")
    assert after[:30] == part[:30]
    assert sorted(after[30:]) == ["a"] * 5 + ["b"] * 5
