"""Drift of features between folds, against SciPy, NumPy and pandas called directly."""

import datetime as dt
import sys
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import ks_2samp, kstwobign, wasserstein_distance

import stratframe as sf
from tests.helpers import KINDS, Make, at_fault, eager, make, refuse, refuse_now, values

MEASURES = ["smd", "ks", "wasserstein", "tv"]
COLUMNS = ["fold", "feature", "ratio", "ks", "tv", "smd"]
IN_FULL = ["chance", "wasserstein"]
HALVES = [0, 0, 1, 1]
UNEVEN = [0, 1, 2, 30]
"""Numbers whose ranks are at other distances."""

drift = partial(sf.drift, full=True)


def exact_ratios(found: Any) -> list[float | None]:
    """The ratios of a table before they are rounded."""
    measures = [values(found, name) for name in ("ks", "tv", "chance")]
    ratios = [
        (ks if tv is None else tv) and (ks if tv is None else tv) / chance
        for ks, tv, chance in zip(*measures, strict=True)
    ]
    rounded = values(found, "ratio")
    assert [each is None for each in rounded] == [each is None for each in ratios]
    pairs = zip(rounded, ratios, strict=True)
    assert all(each is None or abs(each - exact) <= 0.005 + 1e-9 for each, exact in pairs)
    return ratios


def cells(found: Any) -> dict[tuple[Any, str], list[float | None]]:
    """The measures of every fold, in the first column, and feature."""
    names = [eager(found).columns[0], "feature", *MEASURES]
    rows = list(zip(*(values(found, name) for name in names), strict=True))
    table = {(fold, feature): list(figures) for fold, feature, *figures in rows}
    assert len(table) == len(rows)
    return table


def near(figures: list[float | None]) -> Any:
    """Compare figures up to rounding, None with None."""
    return [None if each is None else pytest.approx(each, rel=1e-9, abs=1e-12) for each in figures]


def smd(own: np.ndarray, others: np.ndarray) -> float:
    """The standardised mean difference, by its formula."""
    if len(own) < 2 or len(others) < 2:
        return np.nan
    distance = own.mean() - others.mean()
    spread = np.sqrt((own.var(ddof=1) + others.var(ddof=1)) / 2)
    if spread == 0:
        return float(np.sign(distance) * np.inf) if distance else 0.0
    return float(distance / spread)


def of_numbers(column: list[Any], folds: list[Any], fold: Any) -> list[float | None]:
    """The measures of numbers in a fold: SciPy's, and the formula of the difference of means."""
    known = [(x, own == fold) for x, own in zip(column, folds, strict=True) if x is not None]
    own = np.array([x for x, inside in known if inside], dtype=float)
    others = np.array([x for x, inside in known if not inside], dtype=float)
    if not len(own) or not len(others):
        return [None] * 4
    mean, ks = smd(own, others), ks_2samp(own, others, method="asymp").statistic
    moved = wasserstein_distance(own, others)
    moved = moved and moved / np.concatenate([own, others]).std(ddof=1)
    return [None if np.isnan(mean) else mean, ks, moved, None]


def of_classes(column: list[Any], folds: list[Any], fold: Any) -> list[float | None]:
    """The measures of classes in a fold, by `pandas.crosstab`."""
    inside = pd.Series([own == fold for own in folds])
    if inside.all() or not inside.any():
        return [None] * 4
    classes = pd.Series(["missing" if each is None else f"is {each}" for each in column])
    shares = pd.crosstab(classes, inside, normalize="columns")
    return [None, None, None, (shares[True] - shares[False]).abs().sum() / 2]


def nan() -> float:
    return float("nan")


# The measures -----------------------------------------------------------------------------


CELL = st.sampled_from([None, 0, 1, 2, 5, -7, 0.3, 2.75])


@pytest.mark.parametrize("kind", KINDS)
@given(
    rows=st.lists(
        st.tuples(CELL, st.sampled_from([None, "a", "b"]), st.sampled_from([None, 0, 1, 3])),
        min_size=1,
        max_size=40,
    )
)
def test_any_rows(kind: str, rows: list[tuple[Any, ...]]) -> None:
    """Whatever is missing, the measures are those of SciPy and pandas, and no warning comes."""
    x, c, folds = map(list, zip(*rows, strict=True))
    # All missing, a column has no type; two numbers alone are a test of their own.
    assume(any(each is not None for each in x))
    assume(sum(each is not None for each in x) != 2)
    found = cells(drift(make(kind, {"x": x, "c": c, "fold": folds}), ["x", "c"]))
    expected = {(fold, "x"): of_numbers(x, folds, fold) for fold in set(folds) - {None}}
    expected |= {(fold, "c"): of_classes(c, folds, fold) for fold in set(folds) - {None}}
    assert found == {place: near(figures) for place, figures in expected.items()}


def test_missing_numbers_are_left_out(frame: Make) -> None:
    """Missing numbers, NaN too, count on neither side."""
    full = cells(drift(frame({"x": [1.5, 3.5, 2.5, 9.0], "fold": HALVES}), "x"))
    column = [1.5, None, 3.5, 2.5, nan(), 9.0, None]
    found = cells(drift(frame({"x": column, "fold": [0, 0, 0, 1, 1, 1, None]}), "x"))
    assert found == full


def test_a_column_of_nothing() -> None:
    """A column without any value gives the same in all kinds of frame."""
    data = {"x": [None] * 4, "fold": HALVES}
    found = [cells(drift(make(kind, data), "x")) for kind in KINDS]
    assert all(table == found[0] for table in found)


def test_constants_do_not_drift(frame: Make) -> None:
    """A column of one value is 0 by all its measures, and so are its chance and its ratio."""
    data = frame({"x": [7] * 4, "c": ["a"] * 4, "fold": HALVES})
    found = cells(drift(data, ["x", "c"]))
    assert found[0, "x"] == found[1, "x"] == [0, 0, 0, None]
    assert found[0, "c"] == found[1, "c"] == [None, None, None, 0]
    table = drift(data, ["x", "c"])
    assert values(table, "chance") == values(table, "ratio") == [0] * 4


@pytest.mark.parametrize("value", [0.1, -0.7, 1e-9 / 3, 12345.678, 1e15 / 7])
def test_constant_fractions_do_not_drift(frame: Make, value: float) -> None:
    """A column of one fraction is 0 by all its measures, though sums of it are rounded."""
    data = frame({"x": [value] * 10, "fold": [0] * 3 + [1] * 7})
    assert cells(drift(data, "x")) == {(0, "x"): [0, 0, 0, None], (1, "x"): [0, 0, 0, None]}


def test_constant_folds_that_differ(frame: Make) -> None:
    """Folds of one value each, another one, are infinitely far apart by their own spread."""
    fractions = frame({"x": [0.1] * 3 + [0.2] * 7, "fold": [0] * 3 + [1] * 7})
    assert values(drift(fractions, "x"), "smd") == [-np.inf, np.inf]
    found = cells(drift(frame({"x": [1, 1, 2, 2], "fold": HALVES}), "x"))
    assert found[0, "x"] == [-np.inf, 1, pytest.approx(np.sqrt(3)), None]
    assert found[1, "x"] == [np.inf, 1, pytest.approx(np.sqrt(3)), None]


def test_two_rows(frame: Make) -> None:
    """Two folds of one row are compared without a warning; chance is no more than 1."""
    table = drift(frame({"x": [1, 2], "fold": [0, 1]}), "x")
    assert cells(table)[0, "x"] == cells(table)[1, "x"] == near([None, 1, np.sqrt(2), None])
    assert values(table, "chance") == [1, 1]


def test_measures_do_not_depend_on_scale_or_place(frame: Make) -> None:
    """A unit of measurement changes nothing."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=30)
    folds = [0, 1, 2] * 10
    expected = cells(drift(frame({"x": x.tolist(), "fold": folds}), "x"))
    for column in (x * 1000, x / 1000 + 5):
        found = cells(drift(frame({"x": column.tolist(), "fold": folds}), "x"))
        assert found == {place: near(figures) for place, figures in expected.items()}


@pytest.mark.parametrize("scale", [1e300, 1e-200])
def test_numbers_whose_squares_do_not_fit(scale: float) -> None:
    """Very large and very small numbers are compared as others are."""
    x = np.array([1.0, 3.0, 2.5, 4.0])
    expected = cells(drift(pd.DataFrame({"x": x, "fold": HALVES}), "x"))
    found = cells(drift(pd.DataFrame({"x": x * scale, "fold": HALVES}), "x"))
    assert found == {place: near(figures) for place, figures in expected.items()}


# The table --------------------------------------------------------------------------------


def test_columns_of_the_table(frame: Make, kind: str) -> None:
    """The table has its columns in order, measures as floats, which are null where missing."""
    data = frame({"x": [1, 2, 3, 4], "c": list("abab"), "fold": HALVES})
    assert list(sf.drift(data, ["x", "c"]).columns) == COLUMNS
    found = drift(data, ["x", "c"])
    assert list(found.columns) == COLUMNS + IN_FULL
    dtype = pl.Float64 if "polars" in kind else float
    assert all(found[name].dtype == dtype for name in MEASURES)
    assert (found["tv"].null_count() if "polars" in kind else found["tv"].isna().sum()) == 2


def test_a_fold_column_of_nothing(frame: Make) -> None:
    """Without folds the table has no rows."""
    assert len(drift(frame({"x": [1, 2], "fold": [None, None]}), "x")) == 0


def test_worst_first(frame: Make) -> None:
    """Rows are in the order of `ratio`, ties in that of the size of `smd`, missing last."""
    rng = np.random.default_rng(4)
    data: dict[str, Any] = {f"x{place}": rng.integers(0, 4, 24).tolist() for place in range(4)}
    data |= {f"c{place}": rng.choice(["a", "b"], 24).tolist() for place in range(3)}
    data["fold"] = [0, 1, 2, None] * 6
    data["gone"] = [None if fold == 1 else 1.5 for fold in data["fold"]]
    found = drift(frame(data), [name for name in data if name != "fold"])
    assert len(found) == 24
    table = zip(exact_ratios(found), values(found, "smd"), strict=True)
    keys = [(-1.0 if worst is None else worst, abs(own or 0)) for worst, own in table]
    assert keys == sorted(keys, reverse=True)
    assert (values(found, "feature")[-1], values(found, "fold")[-1]) == ("gone", 1)


def test_ties_go_by_the_standardised_difference(frame: Make) -> None:
    """Of features at one `ks` that with the larger `smd` comes first, infinite ones foremost."""
    data = {"near": [1, 2, 3, 4], "far": [1, 2, 30, 31], "farthest": [1, 1, 2, 2], "fold": HALVES}
    found = drift(frame(data), ["near", "far", "farthest"])
    assert values(found, "ks") == [1] * 6
    assert values(found, "feature") == ["farthest"] * 2 + ["far"] * 2 + ["near"] * 2
    assert values(found, "fold") == [0, 1] * 3


def test_full_ties_keep_their_order(frame: Make) -> None:
    """What ties in full is in the order of the features, then of the folds."""
    data = frame({"b": list("xyxy"), "a": list("xyxy"), "fold": [0, 0, 1, 1]})
    found = drift(data, ["b", "a"])
    assert values(found, "feature") == ["b", "b", "a", "a"]
    assert values(found, "fold") == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("folds", "expected"),
    [
        ([3, 3, 1, 1], [1, 3]),
        ([3.0, 3.0, None, 1.0], [1, 3]),
        (["b", "b", "a", "a"], ["a", "b"]),
        ([True, True, False, False], [False, True]),
    ],
    ids=str,
)
def test_folds_of_all_types(frame: Make, folds: list[Any], expected: list[Any]) -> None:
    """Folds keep their values; whole floats are the folds that they were."""
    found = drift(frame({"x": [1, 2, 3, 4], "fold": folds}), "x")
    assert sorted(set(values(found, "fold"))) == expected
    assert all(type(fold) is not float for fold in values(found, "fold"))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_parts_without_rows(library: str) -> None:
    """A part that no row has is there, without measures, and last."""
    categories = ["train", "valid", "test"]
    parts = ["train", "train", "test", "test"]
    if library == "pandas":
        data: Any = pd.DataFrame({"x": UNEVEN, "fold": pd.Categorical(parts, categories)})
    else:
        data = pl.DataFrame({"x": UNEVEN, "fold": pl.Series(parts, dtype=pl.Enum(categories))})
    found = drift(data, "x")
    assert values(found, "fold") == ["train", "test", "valid"]
    assert cells(found)["valid", "x"] == [None] * 4


# Types ------------------------------------------------------------------------------------


def as_numbers(folds: list[Any] | None = None) -> Any:
    """The table of UNEVEN, as numbers."""
    found = cells(drift(pd.DataFrame({"x": UNEVEN, "fold": folds or HALVES}), "x"))
    return {place: near(figures) for place, figures in found.items()}


@pytest.mark.parametrize(
    "column",
    [
        [dt.datetime(2024, 1, 1) + dt.timedelta(days=day) for day in UNEVEN],
        [dt.datetime(1960, 1, 1) + dt.timedelta(microseconds=day) for day in UNEVEN],
        [dt.date(2024, 1, 1) + dt.timedelta(days=day) for day in UNEVEN],
        [dt.timedelta(days=day) for day in UNEVEN],
        [dt.timedelta(microseconds=-day) * -1 for day in UNEVEN],
        [dt.time(0, minute) for minute in UNEVEN],
        [Decimal(number) / 8 for number in UNEVEN],
    ],
    ids=["days", "microseconds", "dates", "durations", "short", "times", "decimals"],
)
def test_dates_are_numbers(frame: Make, column: list[Any]) -> None:
    """Dates, times, durations and decimals are numbers; missing ones are left out."""
    assert cells(drift(frame({"x": column, "fold": HALVES}), "x")) == as_numbers()
    gaps = frame({"x": [None, *column, None], "fold": [0, *HALVES, 1]})
    assert cells(drift(gaps, "x")) == as_numbers()


def test_nanoseconds_that_floats_cannot_tell_apart() -> None:
    """Timestamps that differ by nanoseconds are told apart."""
    start = 1_700_000_000_000_000_000
    column = np.array(UNEVEN, dtype=np.int64) + start
    assert len(set(column.astype(float).tolist())) == 1
    tables: list[Any] = [
        pd.DataFrame({"x": column.view("datetime64[ns]"), "fold": HALVES}),
        pd.DataFrame({"x": column.view("datetime64[ns]"), "fold": HALVES}, dtype=object),
        pl.DataFrame({"x": pl.Series(column).cast(pl.Datetime("ns")), "fold": HALVES}),
    ]
    for data in tables:
        assert cells(drift(data, "x")) == as_numbers()


@pytest.mark.parametrize("start", [2**60, -(2**63)])
def test_whole_numbers_that_floats_cannot_tell_apart(frame: Make, kind: str, start: int) -> None:
    """Large whole numbers are told apart, beside missing ones too where the library has them."""
    column: list[Any] = [start + number for number in UNEVEN]
    assert cells(drift(frame({"x": column, "fold": HALVES}), "x")) == as_numbers()
    gaps = {"x": [None, *column], "fold": [0, *HALVES]}
    if kind.startswith("pandas"):
        dtype = "int64[pyarrow]" if kind == "pandas-pyarrow" else "Int64"
        gaps["x"] = pd.array(gaps["x"], dtype=dtype)
        assert cells(drift(pd.DataFrame(gaps), "x")) == as_numbers()
    else:
        assert cells(drift(frame(gaps), "x")) == as_numbers()


def test_whole_numbers_from_end_to_end(frame: Make) -> None:
    """The least and the largest whole number are compared without overflow."""
    low, high = -(2**63), 2**63 - 1
    even = cells(drift(frame({"x": [low, high, low, high], "fold": HALVES}), "x"))
    assert even == {(0, "x"): [0, 0, 0, None], (1, "x"): [0, 0, 0, None]}
    odd = cells(drift(frame({"x": [low, low, high, high], "fold": HALVES}), "x"))
    assert odd == {
        (0, "x"): [-np.inf, 1, pytest.approx(np.sqrt(3)), None],
        (1, "x"): [np.inf, 1, pytest.approx(np.sqrt(3)), None],
    }


@pytest.mark.parametrize("dtype", ["uint64", "UInt64", "uint64[pyarrow]", pl.UInt64])
def test_unsigned_numbers_from_end_to_end(dtype: Any) -> None:
    """Unsigned numbers are compared without overflow, and told apart near their end."""
    library: Any = pl if dtype is pl.UInt64 else pd
    high = 2**64 - 1
    column = library.Series([0, high, 0, high], dtype=dtype)
    found = cells(drift(library.DataFrame({"x": column, "fold": HALVES}), "x"))
    assert found == {(0, "x"): [0, 0, 0, None], (1, "x"): [0, 0, 0, None]}
    column = library.Series([high - 30 + number for number in UNEVEN], dtype=dtype)
    found = cells(drift(library.DataFrame({"x": column, "fold": HALVES}), "x"))
    assert found == as_numbers()


def test_what_is_a_class() -> None:
    """Strings, booleans and categories are classes, those of numbers too."""
    data = pd.DataFrame({"fold": HALVES})
    data["word"], data["flag"] = list("abab"), [True, False, True, True]
    data["rank"] = pd.Categorical([1, 2, 1, 2])
    data["yes"] = pd.Series([True, None, False, True], dtype=object)
    data["mixed"] = pd.Series([1, "a", 1, "b"], dtype=object)
    features = list(data.columns[1:])
    found = cells(drift(data, features))
    assert {name: found[0, name] for name in features} == {
        "word": [None, None, None, 0],
        "flag": [None, None, None, 0.5],
        "rank": [None, None, None, 0],
        "yes": [None, None, None, 0.5],
        "mixed": [None, None, None, 0.5],
    }
    table = pl.DataFrame({"word": list("abab"), "fold": HALVES})
    for dtype in (pl.String, pl.Categorical, pl.Enum(["c", "b", "a"]), pl.Binary):
        found = cells(drift(table.with_columns(pl.col("word").cast(dtype)), "word"))
        assert found[0, "word"] == [None, None, None, 0]


# Features ---------------------------------------------------------------------------------


def test_a_feature_that_is_repeated_is_listed_twice() -> None:
    """Each entry of `features` has its rows."""
    found = drift(pd.DataFrame({"x": UNEVEN, "fold": HALVES}), ["x", "x"])
    assert values(found, "feature") == ["x"] * 4


def test_computed_features() -> None:
    """Expressions and callables are named after their result, or by their place."""
    data = {"x": UNEVEN, "fold": HALVES}
    for table in (pl.DataFrame(data), pl.LazyFrame(data)):
        found = cells(drift(table, ["x", (pl.col("x") * 2).alias("double")]))
        assert found[0, "double"] == near(found[0, "x"])
    tripled = [lambda df: df["x"] * 2, lambda df: (df["x"] * 3).to_numpy()]
    found = cells(drift(pd.DataFrame(data), tripled))
    assert set(found) == {(fold, name) for fold in (0, 1) for name in ("x", "feature 2")}
    assert found[0, "feature 2"] == near(found[0, "x"])


@pytest.mark.parametrize("label", [0, (1, 2), ("a", "x")])
def test_labels_of_all_types(label: Any) -> None:
    """Numbers and tuples name features, under column levels too."""
    labels = pd.Index([label, "fold"], dtype=object, tupleize_cols=False)
    if label == ("a", "x"):
        labels = pd.MultiIndex.from_tuples([label, ("fold", "")])
    data = pd.DataFrame(list(zip(UNEVEN, HALVES, strict=True)), columns=labels)
    expected = {(fold, str(label)): figures for (fold, _), figures in as_numbers().items()}
    assert cells(drift(data, [label])) == expected


# Bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (
            ["price", "zzz"],
            "`features` names the column 'zzz', which the frame does not have.\n"
            "Hint: the columns are 'price', 'fold'.",
        ),
        (None, "`features` must hold at least one column, got None."),
        ([["price"]], "`features` must hold column names or expressions, got ['price']."),
    ],
)
def test_bad_features(features: Any, message: str) -> None:
    """Features that are not there are refused."""
    data = pd.DataFrame({"price": UNEVEN, "fold": HALVES})
    refuse_now(message, lambda: drift(data, features))


def test_infinite_numbers_are_refused(frame: Make, kind: str) -> None:
    """Numbers that are infinite are an error, with their rows, those without a fold too."""
    inf = float("inf")
    data = frame({"x": [1.5, inf, None, -inf], "fold": [0, 0, 1, None]})
    error = refuse("Column 'x' has infinite values in 2 rows (1, 3).", lambda: drift(data, "x"))
    assert at_fault(error, kind) == {"row": [1, 3], "x": [inf, -inf]}


@pytest.mark.parametrize("features", ["x", "c"])
def test_scipy_is_not_needed(monkeypatch: pytest.MonkeyPatch, features: str) -> None:
    """Numbers and classes are compared without SciPy."""
    data = pd.DataFrame({"x": UNEVEN, "c": list("abab"), "fold": HALVES})
    expected = drift(data, features)
    for name in [name for name in sys.modules if name.partition(".")[0] == "scipy"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "scipy", None)
    pd.testing.assert_frame_equal(drift(data, features), expected)


def test_objects_that_mix_types() -> None:
    """Objects that make no one type of numbers are an error that says so."""
    mixed = pd.Series([dt.date(2024, 1, 1), dt.timedelta(1)] * 2, dtype=object, name="x")
    data = pd.DataFrame({"x": mixed, "n": pd.Series([10**400, 1, 2, 3], dtype=object), "fold": 0})
    message = "`drift` needs numbers or dates, but column 'n' is object."
    refuse(message, lambda: drift(data, "n"))


# Chance -----------------------------------------------------------------------------------


def exceeded(column: list[Any], m: int, n_folds: int = 400) -> float:
    """The share of random folds of m rows that drift further than `chance`."""
    drawn = np.random.default_rng(0)
    over = []
    for _ in range(n_folds):
        fold = drawn.permutation(len(column)) < m
        found = drift(pd.DataFrame({"x": column, "fold": fold}), "x")
        over.append((exact_ratios(found)[0] or 0) > 1 + 1e-9)
    return float(np.mean(over))


NORMAL = np.random.default_rng(1).normal(size=400).tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "at_least"),
    [
        (NORMAL, 0.02),
        ([float(value > 0) for value in NORMAL], 0.02),
        ([float(value > 1.8) for value in NORMAL], 0.005),
        ([round(value) for value in NORMAL], 0.02),
        (["a" if value > 0 else "b" for value in NORMAL], 0.02),
        ([str(round(2 * value)) for value in NORMAL], 0.02),
        ([str(place % 100) for place in range(400)], 0.0),
        ([float(place < 1) for place in range(400)], 0.0),
        ([float(place < 3) for place in range(400)], 0.0),
        (["a"] * 397 + ["b", "c", "c"], 0.01),
        ([0] * 380 + [1] * 10 + [2] * 6 + [3] * 4, 0.005),
    ],
    ids=[
        "numbers",
        "halves",
        "rare",
        "few",
        "two classes",
        "classes",
        "many classes",
        "one row",
        "three rows",
        "rare classes",
        "counts",
    ],
)
def test_one_random_fold_in_twenty_exceeds_chance(column: list[Any], at_least: float) -> None:
    """About 5 % of random folds have a ratio above 1, and never many more."""
    assert at_least <= exceeded(column, 80) <= 0.08


def test_chance_of_many_numbers_is_that_of_smirnov() -> None:
    """Without ties chance is the 95 % quantile of the limit, within what SciPy computes."""
    data = pd.DataFrame({"x": range(1000), "fold": [0, 1, 2, 3] * 250})
    found = drift(data, "x")
    expected = kstwobign.ppf(0.95) * np.sqrt(1 / 250 + 1 / 750)
    np.testing.assert_allclose(found["chance"], expected, rtol=1e-3)
    np.testing.assert_allclose(found["ratio"], (found["ks"] / found["chance"]).round(2))


def test_chance_of_two_classes_is_that_of_a_share() -> None:
    """With two classes, as numbers or not, chance is nearly 1.96 standard deviations."""
    flags = [0] * 700 + [1] * 300
    data = pd.DataFrame({"x": flags, "c": np.array(flags, dtype=str), "fold": [0, 1, 2, 3] * 250})
    found = drift(data, ["x", "c"]).groupby("feature")["chance"].first()
    expected = 1.96 * np.sqrt(0.3 * 0.7 * (1 / 250 + 1 / 750))
    np.testing.assert_allclose(found, expected, rtol=0.03)


def test_one_hot_columns_do_not_top_the_list() -> None:
    """Rare rows, one in each of many columns, are noise: what drifts comes first."""
    drawn = np.random.default_rng(0)
    data = {f"is {place}": np.eye(1000)[place] for place in range(30)}
    data |= {"x": np.arange(1000) % 700, "fold": np.arange(1000) * 25 // 1000}
    shuffled = drawn.permutation(25).repeat(40)
    found = drift(pd.DataFrame(data).assign(fold=shuffled), list(data)[:-1])
    assert set(found["feature"].head(20)) == {"x"}
    assert found.loc[found["feature"] != "x", "ratio"].max() == 1


def test_sorted_numbers_are_no_noise_and_ids_are(frame: Make) -> None:
    """Sorted folds drift far beyond chance; unique texts always, which is chance."""
    data = {"x": range(60), "id": [f"row {row}" for row in range(60)], "fold": [0] * 30 + [1] * 30}
    found = drift(frame(data), ["x", "id"])
    assert values(found, "feature") == ["x", "x", "id", "id"]
    ratios = values(found, "ratio")
    assert min(ratios[:2]) > 2
    assert ratios[2:] == [1, 1]
