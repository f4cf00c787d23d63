"""What `by` may hold: labels of any kind, expressions, callables, structs."""

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf

from .conftest import make, values

DATA: dict[str, Any] = {
    "label": ["a", "b", "a", "c", "b", "a", "c", "a"] * 3,
    "x": [i * 7 % 24 for i in range(24)],
    "v": [i * 5 % 24 / 4 + 0.125 for i in range(24)],
}
PANDAS = make("pandas", DATA)
POLARS = make("polars", DATA)


def folds(frame: Any, by: Any, **options: Any) -> list[Any]:
    return values(sf.kfold(frame, by, 3, rare="ignore", **options), "fold")


def parity() -> list[Any]:
    """Folds by a column that holds what the computed strata compute."""
    return folds(PANDAS.assign(odd=PANDAS["x"] % 2), ["odd", "label"])


@pytest.mark.parametrize(
    "odd",
    [
        lambda df: df["x"] % 2,
        lambda df: (df["x"] % 2).to_numpy(),
        lambda df: (df["x"] % 2).tolist(),
    ],
    ids=["Series", "array", "list"],
)
def test_callables_of_pandas_frames(odd: Any) -> None:
    """A callable gives a stratum for each row, as a series, an array or a list."""
    assert folds(PANDAS, [odd, "label"]) == parity()


@pytest.mark.skipif(not hasattr(pd, "col"), reason="pandas has `pd.col` from 3.0 on")
def test_expressions_of_pandas() -> None:
    """A `pd.col` expression is a stratum; one that does not work is refused."""
    assert folds(PANDAS, [pd.col("x") % 2, "label"]) == parity()
    with pytest.raises(sf.StratError, match="must be a working expression"):
        folds(PANDAS, pd.col("lost") % 2)


@pytest.mark.parametrize("lazy", [False, True])
def test_expressions_of_polars(lazy: bool) -> None:
    """A Polars expression is a stratum, eagerly and lazily, patterns of names too."""
    frame = POLARS.lazy() if lazy else POLARS
    assert folds(frame, [pl.col("x") % 2, "label"]) == parity()
    assert folds(frame, pl.col("^lab.*$")) == folds(POLARS, "label")
    assert len(sf.strata(frame, pl.col("^lab.*$"))) == 3
    with pytest.raises(sf.StratError, match="must be a working expression"):
        folds(frame, pl.col("label") - dt.date(2020, 1, 1))


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        (lambda df: df[["x"]], "A callable must return one value a row, got DataFrame."),
        (lambda df: 1, "A callable must return one value a row, got int."),
        (
            lambda df: df["x"].sort_values(),
            "A callable must return its values in the order of the frame, got another index.",
        ),
        (
            lambda df: df["x"].head(3),
            "A computed column must give one value for each of the 24 rows",
        ),
    ],
)
def test_callables_that_do_not_fit(odd: Any, message: str) -> None:
    """A callable that returns no column, too short a one, or one in another order is refused."""
    with pytest.raises(sf.StratError) as caught:
        folds(PANDAS, odd)
    assert str(caught.value).startswith(message)


def test_terms_take_computed_columns() -> None:
    """Quantiles, bins and orders may be of expressions and callables."""
    double = POLARS.with_columns(w=pl.col("v") * 2)
    for term in (sf.quantiles, lambda column, n: sf.continuous(column), sf.bins):
        more = [0, 6, 99] if term is sf.bins else 3
        assert folds(POLARS, term(pl.col("v") * 2, more)) == folds(double, term("w", more))
        assert folds(PANDAS, term(lambda df: df["v"] * 2, more)) == folds(double, term("w", more))


@pytest.mark.parametrize("label", [7, ("a", 1), dt.date(2020, 1, 1), None, 1.5])
def test_labels_of_any_kind(label: Any) -> None:
    """Pandas columns may be called by any hashable label."""
    renamed = PANDAS.copy()
    renamed.columns = pd.Index([label, "x", "v"], dtype=object, tupleize_cols=False)
    by = [label] if label is None else label
    assert folds(renamed, by) == folds(PANDAS, "label")
    assert sf.strata(renamed, by).columns[0] == label


def test_a_label_is_not_its_equal() -> None:
    """True is not the column 1."""
    with pytest.raises(sf.StratError, match="must hold column names"):
        folds(PANDAS.rename(columns={"label": 1}), True)


def test_column_levels() -> None:
    """On a frame with column levels labels are tuples, and the new column goes on top."""
    frame = PANDAS.copy()
    frame.columns = pd.MultiIndex.from_tuples([("y", "label"), ("x", "x"), ("x", "v")])
    out = sf.kfold(frame, [("y", "label")], 3)
    assert out["fold"].tolist() == folds(PANDAS, "label")
    assert [fold.fold for fold in sf.folds(out)] == [0, 1, 2]
    assert len(sf.cv(out)) == 3
    with pytest.raises(sf.StratError, match="has a column 'fold' already"):
        sf.kfold(out, [("y", "label")], 3)


def test_expressions_compose() -> None:
    """The expression namespace gives the folds of the verb, under its own name."""
    out = POLARS.with_columns(
        pl.col("label").strat.kfold(k=3),
        pl.struct("label", "x").strat.kfold(k=3, name="both", rare="ignore", seed=5),
        pl.col("v").strat.split({"train": 0.5, "test": 0.5}, name="half"),
        (pl.col("x") % 2).strat.kfold(k=3, deal="circular", name="odd"),
    )
    assert out.columns == ["label", "x", "v", "fold", "both", "half", "odd"]
    assert values(out, "fold") == folds(POLARS, "label")
    assert values(out, "both") == folds(POLARS, ["label", "x"], seed=5)
    half = sf.split(POLARS, "v", {"train": 0.5, "test": 0.5})
    assert values(out, "half") == values(half, "split")
    odd = POLARS.with_columns(odd=pl.col("x") % 2)
    assert values(out, "odd") == folds(odd, "odd", deal="circular")
    lazy = POLARS.lazy().select(pl.col("label").strat.kfold(k=3).alias("renamed")).collect()
    assert values(lazy, "renamed") == folds(POLARS, "label")


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
    expected = folds(pd.DataFrame({"a": [i % 3 for i in range(24)]}), "a")
    assert folds(pd.DataFrame({"a": pd.Series(CLASSES[name])}), "a") == expected
    assert folds(pl.DataFrame({"a": CLASSES[name]}), "a") == expected


def test_other_types_of_polars_and_pandas() -> None:
    """Decimals, wide integers, enums, periods, intervals and sparse columns are classes too."""
    base = pl.DataFrame({"a": [i % 3 for i in range(24)]})
    expected = folds(base, "a")
    for dtype in (pl.Int128, pl.Decimal(10, 2), pl.Float32, pl.Duration("ms"), pl.Null):
        cast = base.with_columns(pl.col("a").cast(dtype, strict=False))
        missing = "stratum" if dtype == pl.Null else "error"
        found = folds(cast, "a", missing=missing)
        assert (found == expected) is (dtype != pl.Null)
    numbers = base["a"].to_pandas() if hasattr(base["a"], "to_arrow") else base["a"].to_list()
    series = pd.Series(list(numbers))
    for column in (
        pd.PeriodIndex.from_ordinals(series, freq="M"),
        pd.arrays.IntervalArray.from_arrays(series, series + 1),
        pd.arrays.SparseArray(series),
    ):
        assert folds(pd.DataFrame({"a": column}), "a") == expected


def test_dates_order_rows() -> None:
    """Continuous dates, times and spans of either library and unit give the same folds."""
    day = dt.datetime(2020, 1, 1)
    moments = [day + dt.timedelta(hours=7 * (i * 11 % 24)) for i in range(24)]
    expected = folds(pd.DataFrame({"t": [i * 11 % 24 for i in range(24)]}), sf.continuous("t"))
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
        assert folds(frame, sf.continuous("t")) == expected


def test_whole_floats_are_classes_and_fractions_are_not() -> None:
    """A float column is continuous as soon as any value has a fraction."""
    whole = pd.DataFrame({"a": [1.0, 2.0] * 6})
    assert len(sf.strata(whole, "a")) == 2
    assert "a" not in sf.plan(whole.assign(a=whole["a"] + 0.5), "a", 2).columns
    assert "a" in sf.plan(whole.assign(a=whole["a"] + 0.5), sf.classes("a"), 2).columns


def test_text_is_no_number() -> None:
    """Text, in columns or categories, is refused where numbers are asked for."""
    for frame in (PANDAS, PANDAS.astype({"label": "category"}), POLARS,
                  POLARS.with_columns(pl.col("label").cast(pl.Categorical))):  # fmt: skip
        with pytest.raises(sf.StratError, match=r"needs numbers or dates, but column 'label' is"):
            folds(frame, sf.quantiles("label", 2))


def test_a_categorical_of_numbers_counts_by_its_values() -> None:
    """Bins and quantiles of a categorical take its numbers, whatever their order."""
    frame = pd.DataFrame({"a": [10, 9, 2] * 4})
    ordered = pd.CategoricalDtype([10, 2, 9], ordered=True)
    texts = pl.DataFrame({"a": ["10", "9", "2"] * 4}).with_columns(
        pl.col("a").cast(pl.Enum(["10", "2", "9"]))
    )
    for term in (sf.bins("a", [0, 5, 9, 10]), sf.quantiles("a", 3)):
        expected = folds(frame, term)
        assert folds(frame.astype({"a": ordered}), term) == expected
        assert folds(texts, term) == expected
