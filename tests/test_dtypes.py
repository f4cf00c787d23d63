"""Values of every dtype: wide, exact, missing, and what is no number."""

import datetime as dt
import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import stratframe as sf
from tests.helpers import folds_of, refuse, refuse_now, refuse_rule, strata_of, values

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
        'Hint: `nulls="train"` keeps them in every training set, `nulls="drop"` in none.',
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


def test_decimals_are_exact() -> None:
    """Decimals that float64 cannot tell apart are classes and keys of their own."""
    exact = [Decimal(10**19 + i) for i in (3, 1, 2, 0, 4, 5)]
    expected = folds_of(pd.DataFrame({"a": [10**19 + i for i in (3, 1, 2, 0, 4, 5)]}), key="a")
    arrow = pd.Series(exact, dtype=pd.ArrowDtype(pa.decimal128(38, 0)))
    frames = [pd.DataFrame({"a": pd.Series(exact, dtype=object)}), pd.DataFrame({"a": arrow})]
    for frame in [*frames, pl.DataFrame({"a": exact}, schema={"a": pl.Decimal(38, 0)})]:
        assert len(strata_of(frame, "a")) == 6
        assert folds_of(frame, key="a") == expected


def test_decimals_with_fractions_are_continuous(frame: Any) -> None:
    """Decimals count as floats do: with a fraction the column is continuous."""
    data = frame({"a": [Decimal("0.5"), Decimal("1.5"), Decimal("2.25")]})
    assert "a" not in sf.plan(data, "a", 2).columns


@pytest.mark.parametrize("dtype", ["str", "string", "string[pyarrow]", object])
def test_digits_are_no_numbers(dtype: Any) -> None:
    """Text of digits is refused where numbers are asked for, on every dtype of text."""
    frame = pd.DataFrame({"a": pd.Series(list("1234"), dtype=dtype)})
    message = (
        f"`sf.quantiles('a', 2)` needs numbers or dates, but column 'a' is {frame['a'].dtype}."
    )
    refuse(message, lambda: folds_of(frame, sf.quantiles("a", 2)))
    assert len(strata_of(frame.astype("category"), sf.quantiles("a", 2))) == 2


def test_dates_have_one_key() -> None:
    """Dates are keys and groups by their day, whatever they are stored in."""
    days = [dt.date(1960, 1, 1) + dt.timedelta(i * 37 % 100) for i in range(60)]
    frames = [pl.DataFrame({"a": days}), pd.DataFrame({"a": days})]
    for kind in (pa.date32(), pa.date64()):
        arrow = pd.Series(days).astype(pd.ArrowDtype(kind))
        frames += [pd.DataFrame({"a": arrow}), pd.DataFrame({"a": arrow.astype("category")})]
    options: list[Any] = [{"key": "a"}, {"groups": "a"}, {"key": "a", "deal": "hash"}]
    for call in options:
        first, *others = (values(sf.kfold(frame, **call), "fold") for frame in frames)
        assert all(each == first for each in others)


def test_keys_of_any_ordered_type() -> None:
    """Identifiers, periods and categories are keys; a missing category is refused."""
    base = [3, 1, 2, 0, 5, 4]
    expected = folds_of(pd.DataFrame({"a": base}), key="a")
    identifiers = [uuid.UUID(int=i) for i in base]
    as_bytes = folds_of(pl.DataFrame({"a": [each.bytes for each in identifiers]}), key="a")
    assert folds_of(pd.DataFrame({"a": identifiers}), key="a") == as_bytes
    assert folds_of(pd.DataFrame({"a": [each.bytes for each in identifiers]}), key="a") == as_bytes
    for column in (
        pd.Series(pd.PeriodIndex.from_ordinals(base, freq="D")),
        pd.Series(pd.Categorical(base, categories=[5, 3, 1, 0, 2, 4])),
        pd.Series(pd.arrays.IntegerArray(np.array(base), np.zeros(6, dtype=bool))),
    ):
        assert folds_of(pd.DataFrame({"a": column}), key="a") == expected
    gaps = pd.DataFrame({"a": pd.Categorical([1, 2, None])})
    refuse_rule("Column 'a' has missing values in 1 row (2).", lambda: folds_of(gaps, k=2, key="a"))


def test_many_missing_rows_are_counted_fast(frame: Any) -> None:
    """An error names five of very many rows at fault, and holds all of them."""
    data = {"a": [1, None] * 20_000}
    rule = "Column 'a' has missing values in 20,000 rows (1, 3, 5, 7, 9, ...)."
    error = refuse_rule(rule, lambda: sf.kfold(frame(data), "a"))
    assert len(error.failures) == 20_000


def test_hashes_that_meet_part_no_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of one hash are told apart by the text itself."""
    frame = pl.DataFrame({"a": ["x", "y", None, "z", "y", "x"] * 5})
    expected = folds_of(frame, "a", missing="stratum")
    monkeypatch.setattr(
        "stratframe.frames.read.hash_values",
        lambda series: np.minimum(series.str.len_bytes().to_numpy(), 1),
    )
    assert folds_of(frame, "a", missing="stratum") == expected
