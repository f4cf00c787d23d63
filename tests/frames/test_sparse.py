"""Sparse columns of pandas give what the same values give in dense columns, in every verb."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import stratframe as sf
from tests.helpers import columns_of

N = 120
DRAWN = np.random.default_rng(0)
DIGITS = DRAWN.integers(0, 4, N)
DENSE = pd.DataFrame(
    {
        "id": DRAWN.permutation(N),
        "label": DRAWN.choice(["a", "b"], N),
        "fold": np.arange(N) % 4,
        "split": np.where(np.arange(N) % 5 == 0, "test", "train"),
        "y": DRAWN.random(N),
    }
)
VALUES = {
    "integers": DIGITS,
    "floats": np.where(DIGITS == 3, np.nan, DIGITS),
    "flags": DIGITS % 2 == 0,
}
FILLS = {"integers": 2, "floats": 1.0, "flags": True}
"""A value that is not stored, where it is not the default of 0, NaN or False."""
OTHERS = ["id", "label", "y", "x"]
"""The columns that hold no folds."""
LENIENT: dict[str, Any] = {"missing": "stratum", "rare": "ignore"}
CALLS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "kfold": lambda df: sf.kfold(df[OTHERS], "x", 3, **LENIENT),
    "kfold, quantiles": lambda df: sf.kfold(df[OTHERS], sf.quantiles("x", 2), 3, **LENIENT),
    "kfold, clusters": lambda df: sf.kfold(df[OTHERS], sf.clusters(["id", "y"], 3), 3),
    "kfold, order": lambda df: sf.kfold(df[OTHERS], ["label", sf.continuous("id")], 3),
    "kfold, groups": lambda df: sf.kfold(df[OTHERS], None, 2, groups="x", **LENIENT),
    "kfold, key": lambda df: sf.kfold(df[OTHERS], "label", 3, key="id"),
    "kfold, hash": lambda df: sf.kfold(df[OTHERS], k=3, key="id", deal="hash"),
    "extend": lambda df: sf.extend(df, "x", name="gaps", **LENIENT),
    "sample": lambda df: sf.sample(df, ["label", sf.quantiles("id", 2)], n=20),
    "balance": lambda df: sf.balance(df, "x"),
    "balance, name": lambda df: sf.balance(df, "label", "x"),
    "check": lambda df: sf.check(df, "x", groups="x", key="id").findings,
    "check, time": lambda df: sf.check(df, time="id", name="split").findings,
    "check, frames": lambda df: sf.check({"a": df, "b": df[:50]}, "x").findings,
    "drift": lambda df: sf.drift(df, ["x", "id"]),
    "leaks": lambda df: sf.leaks(df, groups="x", duplicates=["x", "label"]),
    "folds, apart": lambda df: [fold.train for fold in sf.folds(df, apart="id")],
    "folds, name": lambda df: [fold.train for fold in sf.folds(df, "x", nulls="drop")],
    "parts": lambda df: list(sf.parts(df, "x").values()),
    "needed": lambda df: sf.schemas.needed("x", key="id", missing="stratum").validate(df),
}
"""Calls that use the columns as strata, groups, keys, features or folds."""


def listed(result: Any) -> Any:
    if isinstance(result, pd.DataFrame):
        return columns_of(result)
    return [listed(each) for each in result] if isinstance(result, list) else result


def check_sparse(call: Callable[[pd.DataFrame], Any], kind: str, fill: Any = None) -> None:
    """Check that a call gives the same for sparse and for dense columns."""
    gaps = np.where(DRAWN.random(N) < 0.5, np.nan, DIGITS)
    dense = DENSE.assign(x=VALUES[kind], gaps=gaps)
    sparse = dense.assign(
        x=pd.arrays.SparseArray(dense["x"], fill_value=fill),
        id=pd.arrays.SparseArray(dense["id"]),
        fold=pd.arrays.SparseArray(dense["fold"]),
        gaps=pd.arrays.SparseArray(dense["gaps"]),
    )

    assert listed(call(sparse)) == listed(call(dense))


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_sparse_columns_are_read_as_dense(call: Callable[[pd.DataFrame], Any]) -> None:
    """A verb gives the same for sparse and for dense columns."""
    check_sparse(call, "floats")


@pytest.mark.parametrize("kind", VALUES)
def test_values_that_are_not_stored(kind: str) -> None:
    """It does not matter which value a sparse column does not store."""
    for fill in (None, FILLS[kind]):
        check_sparse(CALLS["kfold"], kind, fill)
        check_sparse(CALLS["folds, name"], kind, fill)


def test_frames_may_leave_out_different_values() -> None:
    """Columns of several frames that leave out different values are compared without a warning."""
    dense = DENSE.assign(x=DIGITS)
    sparse = dense.assign(x=pd.arrays.SparseArray(DIGITS, fill_value=3))
    other = dense.assign(x=pd.arrays.SparseArray(DIGITS, fill_value=1))

    found = sf.drift({"train": sparse, "test": other}, ["x"])
    expected = sf.drift({"train": dense, "test": dense}, ["x"])

    assert found.equals(expected)


def test_where_takes_sparse_flags() -> None:
    """A sparse column of booleans chooses rows, as a name and as a series."""
    dense = DENSE.assign(x=VALUES["flags"])
    sparse = dense.assign(x=pd.arrays.SparseArray(VALUES["flags"]))

    by_name = sf.kfold(sparse, "label", 3, where="x", name="new")
    by_series = sf.kfold(sparse, "label", 3, where=sparse["x"], name="new")
    expected = sf.kfold(dense, "label", 3, where="x", name="new")

    assert by_name["new"].equals(expected["new"])
    assert by_series["new"].equals(expected["new"])
