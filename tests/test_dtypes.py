"""Values of every dtype in calls: wide and missing ones.

How columns of each dtype are read is tested in `frames`; their folds are frozen.
"""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import stratframe as sf
from tests.helpers import folds_of, refuse_now, refuse_rule

NAN = float("nan")


def nan_columns() -> list[Any]:
    """Float columns with a NaN that is not null, of every library that has them."""
    data = np.array([1.0, NAN, 2.0, 1.0])
    arrow = pd.arrays.ArrowExtensionArray(pa.array(data))
    masked = pd.arrays.FloatingArray(data, np.zeros(4, dtype=bool))
    frames = [pd.DataFrame({"a": column}) for column in (data, arrow, masked)]
    return [*frames, pl.DataFrame({"a": data})]


@pytest.mark.parametrize("frame", nan_columns(), ids=["numpy", "pyarrow", "nullable", "polars"])
def test_nan_is_missing(frame: Any) -> None:
    """A NaN is missing in classes, keys and fold columns, however the library stores it."""
    refuse_rule("Column 'a' has missing values in 1 row (1).", lambda: folds_of(frame, "a", 2))
    refuse_rule(
        "Column 'a' has missing values in 1 row (1).", lambda: folds_of(frame, k=2, key="a")
    )
    assert folds_of(frame, "a", 2, missing="null")[1] is None
    refuse_now(
        "Column 'a' must give every row a fold, but 1 row has none.\n"
        'Hint: `nulls="drop"` keeps them in no training set, `nulls="train"` in every one.',
        lambda: sf.folds(frame, "a"),
    )
    assert [fold.fold for fold in sf.folds(frame, "a", nulls="train")] == [1, 2]
    assert len(sf.cv(frame, "a", nulls="drop")) == 2


WIDE = np.array([5, 2**63 + 10, 7, 2**63 + 11, 1, 2, 2**63 + 9, 11, 12], dtype=np.uint64)


@pytest.mark.parametrize("by", [None, sf.continuous("a"), sf.quantiles("a", 3), "a"])
def test_unsigned_integers_keep_their_order(by: Any) -> None:
    """Unsigned 64-bit integers are told apart and ordered exactly, on every dtype."""
    key = "a" if by is None else None
    order = np.argsort(np.argsort(WIDE)) if key is None else np.array(WIDE, np.uint64).view(int)
    expected = folds_of(pd.DataFrame({"a": order}), by, key=key)
    frames = [pd.DataFrame({"a": pd.Series(WIDE, dtype=t)}) for t in ("u8", "UInt64")]
    frames += [pd.DataFrame({"a": pd.Series(WIDE, dtype="uint64[pyarrow]")})]
    for frame in [*frames, pl.DataFrame({"a": WIDE})]:
        assert folds_of(frame, by, key=key) == expected
