"""Classes: values of every type, and those that compare equal."""

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import FOLDED, Make, evaluate, folds_of, refuse_now, strata_of

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
    """Decimals, wide integers, periods, intervals and sparse columns are classes too."""
    base = pl.DataFrame({"a": [i % 3 for i in range(24)]})
    expected = folds_of(base, "a")
    for dtype in (pl.Int128, pl.Decimal(10, 2), pl.Float32, pl.Duration("ms")):
        assert folds_of(base.cast(dtype), "a") == expected
    nulls = base.select(pl.lit(None).alias("a"), pl.col("a").alias("b"))
    assert strata_of(nulls, "a") == {None: 24}
    series = pd.Series(base["a"].to_list())
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


NESTED = [
    "sf.kfold(df, 'tags', name='new')",
    "sf.plan(df, ['label', 'tags'])",
    "sf.kfold(df, key='tags', name='new')",
    "list(sf.folds(df, 'tags'))",
    "sf.parts(df, 'tags')",
    "sf.drift(df, 'tags')",
    "sf.check(df, groups='tags')",
    "sf.leaks(df, duplicates=['id', 'tags'])",
]


@pytest.mark.parametrize("call", NESTED)
def test_nested_columns(frame: Make, kind: str, call: str) -> None:
    """A column of lists is refused at the call, whatever names it."""
    dtype = "List(String)" if "polars" in kind else "list"
    message = f"A column must hold single values, but 'tags' is {dtype}."
    refuse_now(message, lambda: evaluate(call, df=frame(FOLDED)))


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
