"""Classes: values of every type, and those that compare equal."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import FOLDED, Make, folds_of, refuse_now, strata_of

CLASSES: dict[str, list[Any]] = {
    "unsigned": [np.uint8(i % 3) for i in range(24)],
    "huge": [2**63 + i % 3 for i in range(24)],
    "bytes": [bytes([i % 3]) for i in range(24)],
    "time": [dt.time(i % 3) for i in range(24)],
    "aware": [dt.datetime(2020, 1, 1 + i % 3, tzinfo=dt.UTC) for i in range(24)],
    "infinite": [(1.0, float("inf"), -0.0)[i % 3] for i in range(24)],
}


@pytest.mark.parametrize("name", list(CLASSES))
def test_classes_of_every_type(name: str) -> None:
    """Classes of every sensible type give the folds that numbers would give."""
    expected = folds_of(pd.DataFrame({"a": [i % 3 for i in range(24)]}), "a")
    assert folds_of(pd.DataFrame({"a": pd.Series(CLASSES[name])}), "a") == expected
    assert folds_of(pl.DataFrame({"a": CLASSES[name]}), "a") == expected


def test_other_types_of_polars_and_pandas() -> None:
    """Decimals, wide integers, enums, periods, intervals and sparse columns are classes too."""
    base = pl.DataFrame({"a": [i % 3 for i in range(24)]})
    expected = folds_of(base, "a")
    for dtype in (pl.Int128, pl.Decimal(10, 2), pl.Float32, pl.Duration("ms"), pl.Null):
        cast = base.with_columns(pl.col("a").cast(dtype, strict=False))
        missing = "stratum" if dtype == pl.Null else "error"
        found = folds_of(cast, "a", missing=missing)
        assert (found == expected) is (dtype != pl.Null)
    numbers = base["a"].to_pandas() if hasattr(base["a"], "to_arrow") else base["a"].to_list()
    series = pd.Series(list(numbers))
    for column in (
        pd.PeriodIndex.from_ordinals(series, freq="M"),
        pd.arrays.IntervalArray.from_arrays(series, series + 1),
        pd.arrays.SparseArray(series),
    ):
        assert folds_of(pd.DataFrame({"a": column}), "a") == expected


def test_whole_floats_are_classes_and_fractions_are_not() -> None:
    """A float column is continuous as soon as any value has a fraction."""
    whole = pd.DataFrame({"a": [1.0, 2.0] * 6})
    assert strata_of(whole, "a") == {1: 6, 2: 6}
    assert "a" not in sf.plan(whole.assign(a=whole["a"] + 0.5), "a", 2).columns
    assert "a" in sf.plan(whole.assign(a=whole["a"] + 0.5), sf.classes("a"), 2).columns


@pytest.mark.parametrize(
    "call",
    [
        lambda df: sf.kfold(df, "tags", name="new"),
        lambda df: sf.plan(df, ["label", "tags"]),
        lambda df: sf.sample(df, "tags", n=1),
        lambda df: sf.kfold(df, key="tags", name="new"),
        lambda df: sf.balance(df, "label", "tags"),
        lambda df: list(sf.folds(df, "tags")),
        lambda df: sf.cv(df, "tags"),
        lambda df: sf.parts(df, "tags"),
        lambda df: sf.report(df, "tags"),
        lambda df: sf.drift(df, "tags"),
        lambda df: sf.check(df, "tags"),
        lambda df: sf.check(df, groups="tags"),
        lambda df: sf.leaks(df, key="tags"),
        lambda df: sf.leaks(df, duplicates=["id", "tags"]),
    ],
)
def test_nested_columns(frame: Make, kind: str, call: Callable[..., Any]) -> None:
    """A column of lists is refused at the call, whatever names it."""
    dtype = "List(String)" if "polars" in kind else "list"
    refuse_now(
        f"A column must hold single values, but 'tags' is {dtype}.", lambda: call(frame(FOLDED))
    )


@pytest.mark.parametrize("value", [{"a": 1}, {1}, (1,), np.array([1]), bytearray(b"a")])
def test_nested_objects(value: object) -> None:
    """A pandas column of Python containers is refused by their type."""
    refuse_now(
        f"A column must hold single values, but 'x' is {type(value).__name__}.",
        lambda: sf.kfold(pd.DataFrame({"x": [value, value]}), "x", 2),
    )


@pytest.mark.parametrize(
    ("mixed", "types"), [([1, True, "a"], "bool, int, str"), ([2, 2.0, "a"], "float, int, str")]
)
def test_mixed_types(mixed: list[object], types: str) -> None:
    """Equal values of different types are refused; others may mix."""
    refuse_now(
        f"Column 'x' mixes types whose values compare equal: {types}.\nHint: cast it to one type.",
        lambda: sf.kfold(pd.DataFrame({"x": pd.Series(mixed, dtype=object)}), "x", 2),
    )
