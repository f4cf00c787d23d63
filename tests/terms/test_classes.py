"""Classes: values of every type, and those that compare equal."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import stratframe as sf
from tests.helpers import FOLDED, Make, refuse_now, strata_of

BALANCES = (
    "\nHint: `sf.margins('tags')`, as the only entry, balances each value of the lists, or each"
    " position of vectors of classes."
)
STRATA: list[Any] = [
    pytest.param(lambda df: sf.kfold(df, "tags", name="new"), id="kfold"),
    pytest.param(lambda df: sf.plan(df, ["label", "tags"]), id="plan"),
    pytest.param(lambda df: sf.advise(df, sf.classes("tags")), id="advise"),
    pytest.param(lambda df: sf.kfold(df, groups="tags", name="new"), id="groups"),
    pytest.param(lambda df: sf.extend(df, "tags", 2), id="extend"),
]
NESTED: list[Any] = [
    pytest.param(lambda df: sf.parts(df, "tags"), id="parts"),
    pytest.param(lambda df: sf.drift(df, "tags"), id="drift"),
    pytest.param(lambda df: sf.leaks(df, duplicates=["id", "tags"]), id="leaks"),
]
"""Calls of verbs that `tests/test_junk.py` gives no column of lists."""


def test_whole_floats_are_classes_and_fractions_are_not() -> None:
    """A float column is continuous as soon as any value has a fraction."""
    whole = pd.DataFrame({"a": [1.0, 2.0] * 6})
    assert strata_of(whole, "a") == {1: 6, 2: 6}
    assert "a" not in sf.plan(whole + 0.5, "a", 2).columns
    assert "a" in sf.plan(whole + 0.5, sf.classes("a"), 2).columns


@pytest.mark.parametrize("call", STRATA)
def test_strata_of_lists(frame: Make, kind: str, call: Callable[[Any], Any]) -> None:
    """A column of lists is no stratum, and the error says that its margins can be balanced."""
    dtype = "List(String)" if "polars" in kind else "list"
    message = f"A column must hold single values, but 'tags' is {dtype}.{BALANCES}"
    refuse_now(message, lambda: call(frame(FOLDED)))


@pytest.mark.parametrize("call", NESTED)
def test_lists_where_no_strata_are_meant(
    frame: Make, kind: str, call: Callable[[Any], Any]
) -> None:
    """A column of lists is refused at the call by verbs without strata, too."""
    dtype = "List(String)" if "polars" in kind else "list"
    message = f"A column must hold single values, but 'tags' is {dtype}."
    refuse_now(message, lambda: call(frame(FOLDED)))


@pytest.mark.parametrize("value", [{"a": 1}, {1}, (1,), np.array([1]), bytearray(b"a")])
def test_nested_objects(value: object) -> None:
    """The error on a pandas column of Python containers names their type; margins take lists."""
    balances = BALANCES.replace("tags", "x") if isinstance(value, set | tuple | np.ndarray) else ""
    message = f"A column must hold single values, but 'x' is {type(value).__name__}.{balances}"
    refuse_now(message, lambda: sf.kfold(pd.DataFrame({"x": [value, value]}), "x", 2))


@pytest.mark.parametrize(("other", "types"), [(True, "bool, int, str"), (1.0, "float, int, str")])
def test_mixed_types(other: object, types: str) -> None:
    """Equal values of different types are refused; others may mix."""
    df = pd.DataFrame({"x": pd.Series([1, other, "a"], dtype=object)})
    message = f"Column 'x' mixes types whose values compare equal: {types}.\n"
    refuse_now(f"{message}Hint: cast it to one type.", lambda: sf.kfold(df, "x", 2))


def test_the_two_zeros_are_one_class(frame: Make) -> None:
    """A class or bin of both zeros is shown without a sign, whichever comes first."""
    zeros = frame({"id": [*range(6)], "a": [-0.0, 0.0, 1.0, 1.0, 0.0, -0.0]})
    assert {str(value) for value in sf.plan(zeros, "a", 2, key="id")["a"]} == {"0.0", "1.0"}
    assert {*sf.plan(zeros, sf.quantiles("a", 2), 2, key="id")["a"]} == {"[0, 0]", "(0, 1]"}
    typed = sf.bins("a", [-0.0, 0.5, 1])
    assert {*sf.plan(zeros, typed, 2, key="id")["a"]} == {"[0, 0.5]", "(0.5, 1]"}
    objects = pd.DataFrame({"id": range(4), "a": pd.Series([-0.0, 0, None, 0.0], dtype=object)})
    assert {*sf.plan(objects, "a", 2, key="id", missing="null")["a"].map(str)} == {"0.0"}


def test_objects_that_floats_would_round_or_refuse() -> None:
    """Integers among floats are shown as they are; groups of them come by first appearance."""
    values = [2**53, 2**53 + 1, 0.5, 2.5, 2**53 + 2, 2**53 + 3] * 4
    df = pd.DataFrame({"g": pd.Series(values, dtype=object)})
    huge = pd.DataFrame({"g": pd.Series([*values[:5], 10**400] * 4, dtype=object)})
    assert {*sf.plan(df, sf.classes("g"), 2)["g"]} == {*values}
    folds = [sf.kfold(each, k=3, groups="g", seed=1)["fold"] for each in (df, huge)]
    pd.testing.assert_series_equal(*folds)
