"""Fold and part columns: values in order, codes of rows, folds 0..k-1."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from stratframe.frames.folds import fold_codes, read_fold_numbers
from tests.helpers import Make, refuse_now

from .columns import NAN, Column, of_objects, of_types


@pytest.mark.parametrize(
    "values",
    [
        [2, 0, 1, 0],
        [2, None, 0, 2, None],
        ["south", None, "north", "south"],
        [True, False, None],
        [None, None],
        [0.5, None, -1.0],
        [],
        [dt.datetime(2024, 2, 1), None, dt.datetime(2023, 1, 1)],
    ],
    ids=str,
)
def test_values_of_every_kind(column: Column, values: list[Any]) -> None:
    """Values are listed in order; the code of a row is the place of its value, or -1."""
    labels, codes = fold_codes(column(values))
    order = sorted({value for value in values if value is not None})
    assert codes.tolist() == [-1 if each is None else order.index(each) for each in values]
    sizes = [values.count(value) for value in order]
    assert labels == (order, sizes, values.count(None))
    labels, _ = fold_codes(column(values), weights=np.full(len(values), 3))
    assert labels.n_nulls == 3 * values.count(None)


@pytest.mark.parametrize("library", [pd, pl])
def test_text_that_names_parts(library: Any) -> None:
    """Parts come in the order of their use, others after them by first appearance."""
    series = library.Series(["holdout", "x", None, "Test", "b", "train", "val", "x"])
    labels, codes = fold_codes(series)
    assert labels.values == ["train", "val", "Test", "holdout", "x", "b"]
    assert codes.tolist() == [3, 4, -1, 2, 5, 0, 1, 4]
    others = library.Series(["x", "b"])
    assert fold_codes(others)[0].values == ["b", "x"]
    assert fold_codes(others, is_part=True)[0].values == ["x", "b"]


PARTS = ["train", "none", "test"]


@pytest.mark.parametrize(
    ("series", "values", "codes"),
    [
        (pd.Series([2.0, NAN, 0.0]), [0, 2], [1, -1, 0]),
        (pl.Series([1.0, NAN, None, 0.0]), [0, 1], [1, -1, -1, 0]),
        (pl.Series([0.5, 1]), [0.5, 1.0], [0, 1]),
        (pl.Series([1e300, 1]), [1.0, 1e300], [1, 0]),
        (pl.Series(["test", None, "train"], dtype=pl.Enum(PARTS)), PARTS, [2, -1, 0]),
        (pd.Series(pd.Categorical(["test", None, "train"], PARTS)), PARTS, [2, -1, 0]),
        (pl.Series(["b", "a"], dtype=pl.Categorical), ["a", "b"], [1, 0]),
    ],
    ids=str,
)
def test_floats_and_categories(series: Any, values: list[Any], codes: list[int]) -> None:
    """Floats that are whole are integers; categories and Enums keep their order."""
    labels, found = fold_codes(series)
    assert labels.values == values
    assert list(map(type, labels.values)) == list(map(type, values))
    assert found.tolist() == codes


def test_values_without_an_order() -> None:
    """Values that Python cannot order, or takes for equal, are an error."""
    rule = "A column of `name` must hold values that"
    ns = pl.Datetime("ns")
    for series, message in (
        (of_objects(0, "a"), f"{rule} can be ordered, but 'x' mixes types."),
        (pl.Series("x", [1, 2]).cast(ns), f"{rule} Python can tell apart, but 'x' is {ns}."),
        (pl.Series("x", [[1]]), "A column must hold single values, but 'x' is List(Int64)."),
    ):
        refuse_now(message, lambda series=series: fold_codes(series))


@pytest.mark.parametrize("k", [None, 3, 5])
def test_fold_numbers_of_every_kind(column: Column, k: int | None) -> None:
    """Folds are read as integers, -1 where missing; k is given, or counted."""
    folds, n_folds = read_fold_numbers(column([2, None, 0, 1]), k)
    assert (folds.dtype, folds.tolist(), n_folds) == (np.int64, [2, -1, 0, 1], k or 3)


@pytest.mark.parametrize(
    "series",
    [
        *of_types(pd.Series, [1, 0], "uint8", "float64", object, bool),
        of_objects(Decimal(1), Decimal(0)),
        pl.Series(["1", "0"]),
        *of_types(pd.Series, ["1", "0"], "str", "category"),
        *of_types(pl.Series, [1, 0], pl.UInt8, pl.Float64),
    ],
    ids=str,
)
def test_fold_numbers_of_other_dtypes(series: Any) -> None:
    """Folds may be numbers of any dtype, or text of numbers, as a CSV file may hold."""
    folds, k = read_fold_numbers(series, None)
    assert (folds.tolist(), k) == ([1, 0], 2)
    message = "`extend` needs folds 0..k-1 in 'x', but it is object."
    refuse_now(message, lambda: read_fold_numbers(of_objects(10**400), None))


@pytest.mark.parametrize(
    "verb",
    [
        pytest.param(sf.folds, id="folds"),
        pytest.param(sf.check, id="check"),
        pytest.param(sf.leaks, id="leaks"),
        pytest.param(lambda df: sf.report(df, "x"), id="report"),
    ],
)
def test_minus_one_is_no_fold(verb: Any) -> None:
    """A lone -1, which scikit-learn never tests, is an error in every verb that reads folds."""
    df = pl.DataFrame({"fold": [-1, 0, 1, -1], "x": [1, 2, 3, 4]})
    refuse_now(
        "Column 'fold' must hold folds, but has -1, which scikit-learn's `PredefinedSplit` never"
        ' tests.\nHint: replace -1 with null; `nulls="train"` then trains on these rows.',
        lambda: verb(df),
    )


def test_negative_labels(frame: Make) -> None:
    """In every kind of frame a lone -1 is no fold, and other negative numbers are labels."""
    with pytest.raises(sf.StratError, match="replace -1 with null"):
        sf.folds(frame({"fold": [-1, 0, 1, -1]}))
    for labels in ([-2, -1, 0], [-1.0, 0.0, 0.5]):
        df = frame({"fold": [*labels, labels[-1]]})
        assert [fold.fold for fold in sf.folds(df)] == labels
