"""Continuous columns, quantiles and bins."""

import operator
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from math import inf
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import Make, folds_of, refuse, strata_of, warned


def test_fewer_quantiles(frame: Make) -> None:
    """Quantiles that make fewer bins than asked for cause a warning with the number of bins."""
    message = "`sf.quantiles('x', 5)` produced 2 bins instead of 5, because equal values stay in"
    message += " one bin."
    warned(message, lambda: sf.kfold(frame({"x": [1] * 8 + [2, 3]}), sf.quantiles("x", 5), 2))
    data = {"label": ["a"] * 6 + ["b"] * 6, "x": [1, 2, 3, 4, 5, 6, 1, 1, 1, 1, 1, 2]}
    rule = "`sf.quantiles('x', 3)` produced fewer than 3 bins in 1 of 2 strata (as few as 2),"
    rule += " because equal values stay in one bin."
    warned(rule, lambda: sf.kfold(frame(data), ["label", sf.quantiles("x", 3)], 2))


def test_a_categorical_of_numbers_counts_by_its_values() -> None:
    """Bins and quantiles of a categorical take its numbers, whatever their order."""
    frame = pd.DataFrame({"a": [10, 9, 2] * 4})
    ordered = pd.CategoricalDtype([10, 2, 9], ordered=True)
    texts = pl.DataFrame({"a": ["10", "9", "2"] * 4}, {"a": pl.Enum(["10", "2", "9"])})
    for term in (sf.bins("a", [0, 5, 9, 10]), sf.quantiles("a", 3)):
        expected = folds_of(frame, term)
        assert folds_of(frame.astype({"a": ordered}), term) == expected
        assert folds_of(texts, term) == expected


def test_names_of_bins_tell_them_apart() -> None:
    """Bins of large or close numbers are named with as many digits as it takes."""
    frame = pd.DataFrame({"a": range(1_000_000, 1_000_040), "b": np.arange(40) / 2**20 + 1})
    for column in ("a", "b"):
        named = strata_of(frame, sf.quantiles(column, 8))
        assert len(named) == 8
        assert all(len({*name[1:-1].split(", ")}) == 2 for name in named)
    edges = [20230101, 20230102, 20230103]
    named = strata_of(pd.DataFrame({"a": edges}), sf.bins("a", edges))
    assert named == {"[20230101, 20230102]": 2, "(20230102, 20230103]": 1}
    left = strata_of(pd.DataFrame({"a": edges}), sf.bins("a", edges, closed="left"))
    assert left == {"[20230101, 20230102)": 1, "[20230102, 20230103]": 2}


DECIMALS = [1 + Decimal(i) / 10**20 for i in range(20)]
WIDE = [10**30 + i for i in range(20)]


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(pd.Series(DECIMALS), id="pandas decimals"),
        pytest.param(pl.Series(DECIMALS), id="Polars decimals"),
        pytest.param(pd.Series(WIDE, dtype=object), id="pandas integers"),
        pytest.param(pl.Series(WIDE, dtype=pl.Int128), id="Polars integers"),
    ],
)
@pytest.mark.parametrize("options", [{"deal": "contiguous"}, {}], ids=["cut", "dealt"])
def test_orders_of_numbers_beyond_floats(column: Any, options: dict[str, Any]) -> None:
    """Numbers that are one and the same float are ordered as the numbers they are."""
    library: Any = pd if isinstance(column, pd.Series) else pl

    folds = folds_of(library.DataFrame({"x": column}), sf.continuous("x"), 4, **options)

    ranks = library.DataFrame({"x": range(20)})
    assert folds == folds_of(ranks, sf.continuous("x"), 4, **options)


def test_an_order_of_infinite_decimals_is_refused() -> None:
    """An infinite decimal has no place in an order."""
    frame = pd.DataFrame({"x": [Decimal("Infinity"), Decimal(1), Decimal(2)]})
    rule = "Column 'x' has infinite values in 1 row (0)."
    refuse(rule, lambda: sf.kfold(frame, sf.continuous("x"), 2))


@pytest.mark.parametrize("closed", ["right", "left"])
def test_edges_of_large_integers_are_exact(frame: Make, closed: Any) -> None:
    """Nanoseconds since 1970, which no float tells apart, fall between edges of integers."""
    start = 1_700_000_000_000_000_001
    df = frame({"t": [start + i for i in range(100)]})
    edges = [start, start + 49, start + 99]
    names = f"[{edges[0]}, {edges[1]}]", f"({edges[1]}, {edges[2]}]"
    if closed == "left":
        names = f"[{edges[0]}, {edges[1]})", f"[{edges[1]}, {edges[2]}]"
    n_first = 50 if closed == "right" else 49
    found = strata_of(df, sf.bins("t", edges, closed=closed))
    assert found == {names[0]: n_first, names[1]: 100 - n_first}


def test_values_beyond_edges_of_large_integers(frame: Make) -> None:
    """A value just beyond an edge is outside, and the message shows all digits of the edges."""
    start = 1_700_000_000_000_000_001
    df = frame({"t": [start - 1, start, start + 1]})
    rule = f"Column 't' has values outside {start} to {start + 1} in 1 row (0)."
    refuse(rule, lambda: sf.kfold(df, sf.bins("t", [start, start + 1]), 2))
    assert str(sf.bins("t", [start, start + 1])) == f"sf.bins('t', [{start}, {start + 1}])"


@given(
    values=st.lists(st.integers(0, 2**64 - 1), min_size=2),
    edges=st.lists(st.integers(-(2**65), 2**65) | st.floats(-1e20, 1e20), max_size=6),
    closed=st.sampled_from(["right", "left"]),
)
def test_bins_of_unsigned_integers_are_exact(
    values: list[int], edges: list[float], closed: Any
) -> None:
    """Each value is compared with each edge as Python compares numbers."""
    edges = [-inf, *sorted({*edges}), inf]
    frame = pl.DataFrame({"x": values}, {"x": pl.UInt64})
    is_below = operator.lt if closed == "right" else operator.le
    expected = Counter(sum(is_below(edge, value) for edge in edges[1:-1]) for value in values)
    found = strata_of(frame, sf.bins("x", edges, closed=closed))
    assert sorted(found.values()) == sorted(expected.values())


def test_bins_of_durations_have_the_same_names_in_all_libraries(frame: Make) -> None:
    """Durations are written as Python writes them."""
    hours = frame({"a": [timedelta(hours=hour) for hour in (-30, -20, 5, 8, 40, 50)]})
    names = sf.plan(hours, sf.quantiles("a", 2), 2)["a"]
    assert {*names} == {"[-2 days, 18:00:00, 5:00:00]", "(5:00:00, 2 days, 2:00:00]"}
