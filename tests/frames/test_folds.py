"""Fold and part columns: values in order, codes of rows, folds 0..k-1."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from stratframe.errors import StratError
from stratframe.frames.folds import fold_codes, read_fold_column, read_fold_numbers
from stratframe.frames.label_rows import read_labels
from tests.helpers import refuse_now

Column = Callable[[list[Any]], Any]
Make = Callable[[dict[str, Any]], Any]
NAN = float("nan")


@pytest.mark.parametrize(
    "values",
    [
        [2, 0, 1, 0],
        [2, None, 0, 2, None],
        ["south", None, "north", "south"],
        [dt.datetime(2024, 2, 1), None, dt.datetime(2023, 1, 1)],
        [True, False, None],
        [None, None],
        [0.5, None, -1.0],
    ],
)
def test_values_of_every_kind(frame: Make, values: list[Any]) -> None:
    """Values are listed in order without nulls, and nulls are counted."""
    expected = sorted({value for value in values if value is not None})
    sizes = [values.count(value) for value in expected]
    found = read_labels(frame({"fold": values}), "fold").labels
    assert found == (expected, sizes, values.count(None))
    assert found.present == expected


@pytest.mark.parametrize("library", [pd, pl])
def test_text_that_names_parts(library: Any) -> None:
    """Parts come in the order of their use, others after them by first appearance."""
    column = library.Series(["holdout", "x", None, "Test", "b", "train", "val", "x"])
    listed, codes = fold_codes(column)
    assert listed == ["train", "val", "Test", "holdout", "x", "b"]
    assert codes.tolist() == [3, 4, -1, 2, 5, 0, 1, 4]


@pytest.mark.parametrize("values", [[2, None, 0, 2], ["b", "a", None], [None], []])
def test_codes_of_every_kind(column: Column, values: list[Any]) -> None:
    """A code is the position of the row's value in the order, -1 where missing."""
    listed, codes = fold_codes(column(values))
    order = sorted({value for value in values if value is not None})
    assert listed == order
    assert codes.tolist() == [-1 if each is None else order.index(each) for each in values]


def test_codes_as_numpy_makes_them() -> None:
    """Without nulls the codes are the inverse of `np.unique`."""
    folds = np.random.default_rng(0).integers(-3, 9, 500)
    values, inverse = np.unique(folds, return_inverse=True)
    for series in (pd.Series(folds), pl.Series(folds)):
        listed, codes = fold_codes(series)
        assert listed == values.tolist()
        np.testing.assert_array_equal(codes, inverse)


def test_integral_floats_are_folds() -> None:
    """Integers that pandas stores as floats, because of a null, are integers again."""
    values, codes = fold_codes(pd.Series([2.0, NAN, 0.0]))
    assert values == [0, 2]
    assert all(type(value) is int for value in values)
    assert codes.tolist() == [1, -1, 0]
    assert fold_codes(pl.Series([0.5, 1.0]))[0] == [0.5, 1.0]
    assert fold_codes(pl.Series([1e300, 1.0]))[0] == [1.0, 1e300]


@pytest.mark.parametrize("lazy", [False, True])
def test_nan_is_no_fold(lazy: bool) -> None:
    """NaN and null are one missing value in Polars too."""
    df = pl.DataFrame({"fold": [1.0, NAN, None, 0.0]})
    assert read_labels(df.lazy() if lazy else df, "fold").labels == ([0, 1], [1, 1], 2)


@pytest.mark.parametrize("lazy", [False, True])
def test_enums_keep_their_order(lazy: bool) -> None:
    """The parts of an Enum keep its order, with those that no row has."""
    parts = pl.Series("split", ["test", None, "train"], dtype=pl.Enum(["train", "none", "test"]))
    df = parts.to_frame()
    assert read_labels(df.lazy() if lazy else df, "split").labels == (
        ["train", "none", "test"],
        [1, 0, 1],
        1,
    )
    assert fold_codes(parts)[1].tolist() == [2, -1, 0]


def test_categories_keep_their_order() -> None:
    """The parts of a pandas categorical keep its order, those of Polars are sorted."""
    parts = pd.Categorical(["test", None, "train"], categories=["train", "none", "test"])
    df = pd.DataFrame({"split": parts})
    assert read_labels(df, "split").labels == (["train", "none", "test"], [1, 0, 1], 1)
    assert fold_codes(df["split"])[1].tolist() == [2, -1, 0]
    assert fold_codes(pl.Series(["b", "a"], dtype=pl.Categorical))[0] == ["a", "b"]


def test_columns_under_a_multiindex() -> None:
    """A fold column is read by its name, or by its tuple."""
    df = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("fold", "")]))
    assert read_fold_column(df, "fold").tolist() == [2]
    assert read_labels(df, "fold").labels == ([2], [1], 0)


def test_mixed_values_have_no_order() -> None:
    """Values that Python cannot order are an error."""
    with pytest.raises(StratError) as caught:
        fold_codes(pd.Series([0, "a"], name="fold", dtype=object))
    assert str(caught.value) == (
        "A column of `name` must hold values that can be ordered, but 'fold' mixes types."
    )


def test_values_that_python_takes_for_equal() -> None:
    """Nanoseconds that Python's datetime drops would join two folds."""
    series = pl.Series("fold", [1, 2]).cast(pl.Datetime("ns"))
    with pytest.raises(StratError, match="Python can tell apart, but 'fold' is Datetime"):
        fold_codes(series)


@pytest.mark.parametrize("k", [None, 3, 5])
def test_fold_numbers_of_every_kind(column: Column, k: int | None) -> None:
    """Folds are read as integers, -1 where missing; k is given, or counted."""
    folds, n_folds = read_fold_numbers(column([2, None, 0, 1]), k)
    assert folds.dtype == np.int64
    assert folds.tolist() == [2, -1, 0, 1]
    assert n_folds == (k or 3)


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([1, 0], dtype="uint8"),
        pd.Series([1.0, 0.0]),
        pd.Series([1, 0], dtype=object),
        pd.Series([Decimal(1), Decimal(0)], dtype=object),
        pd.Series([True, False]),
        pl.Series([1, 0], dtype=pl.UInt8),
        pl.Series([1.0, 0.0]),
    ],
)
def test_fold_numbers_of_other_dtypes(series: Any) -> None:
    """Any dtype of numbers does."""
    folds, k = read_fold_numbers(series, None)
    assert (folds.tolist(), k) == ([1, 0], 2)


@pytest.mark.parametrize(
    "series", [pl.Series("x", [[1]]), pd.Series([10**400], name="x", dtype=object)]
)
def test_columns_without_folds(series: Any) -> None:
    """Lists, and numbers that floats cannot hold, are no folds."""
    with pytest.raises(StratError) as caught:
        read_fold_numbers(series, None)
    assert str(caught.value) == f"`extend` needs folds 0..k-1 in 'x', but it is {series.dtype}."


@pytest.mark.parametrize("verb", [sf.folds, sf.cv, sf.check])
def test_minus_one_beside_folds(frame: Make, verb: Any) -> None:
    """What scikit-learn never tests is no fold; other negative labels are labels."""
    message = (
        "Column 'fold' must hold folds, but has -1, which scikit-learn's `PredefinedSplit` never"
        ' tests.\nHint: make it null; `nulls="train"` then trains on these rows.'
    )
    refuse_now(message, lambda: verb(frame({"fold": [-1, 0, 1, -1]})))
    months = {"fold": [-2, -1, 0, 0], "x": [1, 2, 3, 4]}
    assert [fold.fold for fold in sf.folds(frame(months))] == [-2, -1, 0]
    fractions = {"fold": [-1.0, 0.0, 0.5, 0.5]}
    assert [fold.fold for fold in sf.folds(frame(fractions))] == [-1, 0, 0.5]
