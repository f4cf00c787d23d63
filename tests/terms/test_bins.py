"""Continuous columns, quantiles and bins."""

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import ROWS, Make, eager, folds_of, refuse, refuse_now, strata_of, warned


@pytest.mark.parametrize("n", [1, 0, True, 2.5, "3", None])
def test_number_of_quantiles(n: Any) -> None:
    """Quantile bins are a whole number of at least 2."""
    refuse_now(
        f"`n` of `sf.quantiles` must be a whole number of at least 2, got {n!r}.",
        lambda: sf.quantiles("price", n),
    )


@pytest.mark.parametrize(
    "edges", [[], [1], [1, 1], [2, 1], [0, float("nan"), 2], [0, None, 2], [0, "a"], "ab", 5, None]
)
def test_edges(edges: Any) -> None:
    """Edges of bins are two or more increasing numbers."""
    refuse_now(
        f"`edges` of `sf.bins` must be at least 2 increasing numbers, got {edges!r}.",
        lambda: sf.bins("price", edges),
    )


def test_closed() -> None:
    """Bins are closed on one of two sides."""
    message = "`closed` of `sf.bins` must be 'right' or 'left', got 'both'."
    refuse_now(message, lambda: sf.bins("price", [0, 1], closed="both"))


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        (sf.continuous("label"), "sf.continuous('label')"),
        (sf.quantiles("label", 5), "sf.quantiles('label', 5)"),
        (sf.bins("label", [0, 1]), "sf.bins('label', [0, 1])"),
    ],
)
def test_terms_of_numbers(frame: Make, term: Any, shown: str) -> None:
    """Text is refused at the call where a term cuts or orders numbers, and so are categories."""
    df = frame(ROWS)
    categories = [df.astype({"label": "category"})] if isinstance(df, pd.DataFrame) else []
    if isinstance(df, pl.DataFrame):
        categories = [df.cast({"label": pl.Categorical})]
    for each in (df, *categories):
        dtype = eager(each)["label"].dtype
        message = f"`{shown}` needs numbers or dates, but column 'label' is {dtype}."
        refuse_now(message, lambda each=each: sf.kfold(each, term))


def test_fewer_quantiles(frame: Make) -> None:
    """Quantiles that make fewer bins than asked for warn, and say how many."""
    warned(
        "`sf.quantiles('x', 5)` produced 2 bins instead of 5, because equal values stay in"
        " one bin.",
        lambda: sf.kfold(frame({"x": [1] * 8 + [2, 3]}), sf.quantiles("x", 5), 2),
    )


def test_fewer_quantiles_inside_strata(frame: Make) -> None:
    """Inside strata the warning says in how many, and the fewest bins of any."""
    data = {"label": ["a"] * 6 + ["b"] * 6, "x": [1, 2, 3, 4, 5, 6, 1, 1, 1, 1, 1, 2]}
    warned(
        "`sf.quantiles('x', 3)` produced fewer bins than 3 in 1 of 2 strata (as few as 2),"
        " because equal values stay in one bin.",
        lambda: sf.kfold(frame(data), ["label", sf.quantiles("x", 3)], 2),
    )


def test_dates_order_rows() -> None:
    """Continuous dates, times and spans of either library and unit give the same folds."""
    day = dt.datetime(2020, 1, 1)
    moments = [day + dt.timedelta(hours=7 * (i * 11 % 24)) for i in range(24)]
    expected = folds_of(pd.DataFrame({"t": [i * 11 % 24 for i in range(24)]}), sf.continuous("t"))
    series = pd.Series(moments)
    columns: list[Any] = [
        pd.DataFrame({"t": series.astype(kind)})
        for kind in ("datetime64[ns]", "datetime64[s]", "timestamp[us][pyarrow]", object)
    ]
    columns += [
        pd.DataFrame({"t": series.dt.tz_localize("Europe/Rome")}),
        pd.DataFrame({"t": series - day}),
        pd.DataFrame({"t": [dt.time(0, minute=i * 11 % 24) for i in range(24)]}),
        pl.DataFrame({"t": moments}),
        pl.DataFrame({"t": moments}).with_columns(pl.col("t").dt.cast_time_unit("ns")),
        pl.DataFrame({"t": [dt.time(0, minute=i * 11 % 24) for i in range(24)]}),
        pl.DataFrame({"t": [moment - day for moment in moments]}),
    ]
    for frame in columns:
        assert folds_of(frame, sf.continuous("t")) == expected


def test_a_categorical_of_numbers_counts_by_its_values() -> None:
    """Bins and quantiles of a categorical take its numbers, whatever their order."""
    frame = pd.DataFrame({"a": [10, 9, 2] * 4})
    ordered = pd.CategoricalDtype([10, 2, 9], ordered=True)
    texts = pl.DataFrame({"a": ["10", "9", "2"] * 4}).with_columns(
        pl.col("a").cast(pl.Enum(["10", "2", "9"]))
    )
    for term in (sf.bins("a", [0, 5, 9, 10]), sf.quantiles("a", 3)):
        expected = folds_of(frame, term)
        assert folds_of(frame.astype({"a": ordered}), term) == expected
        assert folds_of(texts, term) == expected


@pytest.mark.parametrize(
    "days",
    [
        pd.Series(pd.to_datetime(["2020-01-03", "2020-01-01"])),
        pd.Series(pd.to_datetime(["2020-01-03", "2020-01-01"]).date),
        pd.Series(pd.to_datetime(["2020-01-03", "2020-01-01"]), dtype="timestamp[us][pyarrow]"),
        pl.Series(["2020-01-03", "2020-01-01"]).str.to_date(),
    ],
    ids=["numpy", "object", "pyarrow", "polars"],
)
def test_bins_take_no_dates(days: Any) -> None:
    """Edges are numbers, so dates are refused in bins, with quantiles as the way out."""
    frame = (pl if isinstance(days, pl.Series) else pd).DataFrame({"day": days})
    refuse(
        "`sf.bins('day', [0, 1])` needs numbers, but column 'day' is"
        f" {frame['day'].dtype}.\n"
        "Hint: `sf.quantiles` takes dates.",
        lambda: sf.plan(frame, sf.bins("day", [0, 1]), 2),
    )


def test_names_of_bins_tell_them_apart() -> None:
    """Bins of large or close numbers are named with as many digits as it takes."""
    frame = pd.DataFrame({"a": range(1_000_000, 1_000_040), "b": np.arange(40) / 2**20 + 1})
    for term in (sf.quantiles("a", 8), sf.quantiles("b", 8)):
        named = list(strata_of(frame, term))
        assert len(named) == 8
        assert all(len({*name[1:-1].split(", ")}) == 2 for name in named)
    edges = [20230101, 20230102, 20230103]
    named = strata_of(pd.DataFrame({"a": edges}), sf.bins("a", edges))
    assert named == {"[20230101, 20230102]": 2, "(20230102, 20230103]": 1}
