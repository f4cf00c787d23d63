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
from scipy.stats import ks_2samp, wasserstein_distance

import stratframe as sf
from tests.helpers import TWO_KINDS, Make, at_fault, eager, make, refuse, values

MEASURES = ["smd", "ks", "wasserstein", "tv"]
COLUMNS = ["fold", "feature", "distance", "chance"]
IN_FULL = ["ratio", "ks", "tv", "smd", "wasserstein"]
HALVES = [0, 0, 1, 1]
UNEVEN = [0, 1, 2, 30]
"""Numbers whose ranks are at other distances."""

drift = partial(sf.drift, full=True)


def cells(found: Any) -> dict[tuple[Any, str], list[float | None]]:
    """The measures of every fold, in the first column, and feature."""
    names = [eager(found).columns[0], "feature", *MEASURES]
    rows = list(zip(*(values(found, name) for name in names), strict=True))
    assert len({row[:2] for row in rows}) == len(rows)
    return {row[:2]: [*row[2:]] for row in rows}


def near(figures: list[float | None], within: float = 1e-12) -> Any:
    return [each if each is None else pytest.approx(each, rel=1e-9, abs=within) for each in figures]


def smd(own: np.ndarray, others: np.ndarray) -> float | None:
    if len(own) < 2 or len(others) < 2:
        return None
    distance = own.mean() - others.mean()
    spread = np.sqrt((own.var(ddof=1) + others.var(ddof=1)) / 2)
    if spread == 0:
        return float(np.sign(distance) * np.inf) if distance else 0.0
    return float(distance / spread)


def of_numbers(column: list[Any], folds: list[Any], fold: Any) -> list[float | None]:
    known = [(x, each == fold) for x, each in zip(column, folds, strict=True) if x is not None]
    own = np.array([x for x, inside in known if inside], dtype=float)
    others = np.array([x for x, inside in known if not inside], dtype=float)
    if not len(own) or not len(others):
        return [None] * 4
    moved = wasserstein_distance(own, others)
    moved = moved and moved / np.concatenate([own, others]).std(ddof=1)
    return [smd(own, others), ks_2samp(own, others, method="asymp").statistic, moved, None]


def of_classes(column: list[Any], folds: list[Any], fold: Any) -> list[float | None]:
    inside = pd.Series([own == fold for own in folds])
    if inside.all() or not inside.any():
        return [None] * 4
    classes = pd.Series(["missing" if each is None else f"is {each}" for each in column])
    shares = pd.crosstab(classes, inside, normalize="columns")
    return [None, None, None, (shares[True] - shares[False]).abs().sum() / 2]


NUMBER = st.sampled_from([None, 0, 1, 2, 5, -7, 0.3, 2.75])
ROW = st.tuples(NUMBER, st.sampled_from([None, "a", "b"]), st.sampled_from([None, 0, 1, 3]))


@pytest.mark.parametrize("kind", TWO_KINDS)
@given(rows=st.lists(ROW, min_size=1, max_size=40))
def test_any_rows(kind: str, rows: list[tuple[Any, ...]]) -> None:
    """The measures are those of SciPy and pandas, whatever is missing."""
    x, c, folds = map(list, zip(*rows, strict=True))
    # All missing, a column has no type; two numbers alone are a test of their own.
    assume(any(each is not None for each in x))
    assume(sum(each is not None for each in x) != 2)
    found = cells(drift(make(kind, {"x": x, "c": c, "fold": folds}), ["x", "c"]))
    expected = {(fold, "x"): of_numbers(x, folds, fold) for fold in set(folds) - {None}}
    expected |= {(fold, "c"): of_classes(c, folds, fold) for fold in set(folds) - {None}}
    assert found == {place: near(figures) for place, figures in expected.items()}


@pytest.mark.parametrize("value", [7, "a", 0.1, 1e-9 / 3, 1e15 / 7])
def test_constants_do_not_drift(frame: Make, value: Any) -> None:
    """All measures of a constant column are exactly 0."""
    table = drift(frame({"x": [value] * 10, "fold": [0] * 3 + [1] * 7}), "x")
    figures = [None, None, None, 0] if value == "a" else [0, 0, 0, None]
    assert cells(table) == {(0, "x"): figures, (1, "x"): figures}
    assert [values(table, name) for name in ("distance", "chance", "ratio")] == [[0, 0]] * 3


def test_constant_folds_that_differ(frame: Make) -> None:
    """Folds of one value each are infinitely far apart; single rows have no spread."""
    fractions = frame({"x": [0.1] * 3 + [0.2] * 7, "fold": [0] * 3 + [1] * 7})
    assert values(drift(fractions, "x"), "smd") == [-np.inf, np.inf]
    table = drift(frame({"x": [1, 2], "fold": [0, 1]}), "x")
    assert cells(table)[0, "x"] == cells(table)[1, "x"] == near([None, 1, np.sqrt(2), None])
    assert values(table, "chance") == [1, 1]


@pytest.mark.parametrize(("scale", "place"), [(0.001, 5), (1e300, 0), (1e-200, 0)])
def test_measures_do_not_depend_on_scale_or_place(frame: Make, scale: float, place: float) -> None:
    """A unit of measurement changes nothing, even if squares do not fit into floats."""
    x = np.random.default_rng(3).normal(size=30)
    folds = [0, 1, 2] * 10
    frames = [frame({"x": each.tolist(), "fold": folds}) for each in (x, x * scale + place)]
    one, other = (cells(drift(each, "x")) for each in frames)
    assert other == {cell: near(figures) for cell, figures in one.items()}


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_columns_of_the_table(frame: Make, kind: str) -> None:
    """The table has its columns in order, as floats, which are null where a measure is missing."""
    data = frame({"x": [1, 2, 3, 4], "c": list("abab"), "fold": HALVES})
    found = drift(data, ["x", "c"])
    assert list(found.columns) == COLUMNS + IN_FULL
    short = sf.drift(data, ["x", "c"])
    assert list(short.columns) == COLUMNS
    assert all(values(short, name) == values(found, name) for name in COLUMNS)
    dtype = pl.Float64 if "polars" in kind else float
    assert all(found[name].dtype == dtype for name in [*COLUMNS[2:], *IN_FULL])
    assert values(found, "ks") == [1, 1, None, None]
    assert values(found, "tv") == [None, None, 0, 0]
    assert values(found, "distance") == [1, 1, 0, 0]
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
    pairs = zip(values(found, "distance"), values(found, "chance"), strict=True)
    ratios = [far and far / chance for far, chance in pairs]
    assert values(found, "ratio") == near(ratios, 0.005 + 1e-9)
    table = zip(ratios, values(found, "smd"), strict=True)
    keys = [(-1.0 if worst is None else worst, abs(own or 0)) for worst, own in table]
    assert keys == sorted(keys, reverse=True)
    assert (values(found, "feature")[-1], values(found, "fold")[-1]) == ("gone", 1)


def test_ties_go_by_the_standardised_difference(frame: Make) -> None:
    """Ties of `ratio` are ordered by the size of `smd`, and then by the order of features."""
    data = {
        "near": [1, 2, 3, 4],
        "far": [1, 2, 30, 31],
        "farthest": [1, 1, 2, 2],
        "fold": HALVES,
        "b": list("xyxy"),
        "a": list("xyxy"),
    }
    found = drift(frame(data), ["b", "near", "far", "farthest", "a"])
    assert values(found, "distance") == [1] * 6 + [0] * 4
    names = ["farthest", "far", "near", "b", "a"]
    assert values(found, "feature") == [name for name in names for _ in range(2)]
    assert values(found, "fold") == [0, 1] * 5


def test_parts_without_rows() -> None:
    """A part without rows is listed last, without measures."""
    names = ["train", "valid", "test"]
    parts = ["train", "train", "test", "test"]
    pandas = pd.DataFrame({"x": UNEVEN, "fold": pd.Categorical(parts, names)})
    polars = pl.DataFrame({"x": UNEVEN, "fold": pl.Series(parts, dtype=pl.Enum(names))})
    for data in (pandas, polars):
        found = drift(data, "x")
        assert values(found, "fold") == ["train", "test", "valid"]
        assert cells(found)["valid", "x"] == [None] * 4


def as_numbers() -> Any:
    found = cells(drift(pd.DataFrame({"x": UNEVEN, "fold": HALVES}), "x"))
    return {place: near(figures) for place, figures in found.items()}


MOMENTS = [dt.timedelta(microseconds=n) for n in UNEVEN]
DATED = {
    "durations": MOMENTS,
    "microseconds": [dt.datetime(1960, 1, 1) + each for each in MOMENTS],
    "dates": [dt.date(2024, 1, 1) + dt.timedelta(days=n) for n in UNEVEN],
    "times": [dt.time(0, n) for n in UNEVEN],
    "decimals": [Decimal(n) / 8 for n in UNEVEN],
}


@pytest.mark.parametrize("kind", TWO_KINDS)
@pytest.mark.parametrize("column", DATED.values(), ids=list(DATED))
def test_dates_are_numbers(frame: Make, column: list[Any]) -> None:
    """Dates, times, durations and decimals are numbers; missing ones are left out."""
    assert cells(drift(frame({"x": column, "fold": HALVES}), "x")) == as_numbers()
    gaps = frame({"x": [None, *column, None], "fold": [0, *HALVES, 1]})
    assert cells(drift(gaps, "x")) == as_numbers()


UNSIGNED = ["uint64", "UInt64", "uint64[pyarrow]", pl.UInt64]


@pytest.mark.parametrize("dtype", ["int64", "Int64", "int64[pyarrow]", pl.Int64, *UNSIGNED])
def test_whole_numbers_from_end_to_end(dtype: Any) -> None:
    """All numbers of a type are told apart, beside missing ones too, and without overflow."""
    low, high = (0, 2**64 - 1) if dtype in UNSIGNED else (-(2**63), 2**63 - 1)

    def found(column: list[int | None]) -> dict[tuple[Any, str], list[float | None]]:
        library: Any = pd if isinstance(dtype, str) else pl
        data = {"x": library.Series(column, dtype=dtype), "fold": [0] * (len(column) - 4) + HALVES}
        return cells(drift(library.DataFrame(data), "x"))

    assert found([low, high, low, high]) == {(fold, "x"): [0, 0, 0, None] for fold in (0, 1)}
    far = pytest.approx(np.sqrt(3))
    apart = {(0, "x"): [-np.inf, 1, far, None], (1, "x"): [np.inf, 1, far, None]}
    assert found([low, low, high, high]) == apart
    for start in (low, 2**60, high - 30):  # floats hold no such numbers
        column = [start + number for number in UNEVEN]
        assert found(column) == as_numbers()
        if dtype not in ("int64", "uint64"):
            assert found([None, *column]) == as_numbers()


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
    assert values(drift(pd.DataFrame(data), ["x", "x"]), "feature") == ["x"] * 4


@pytest.mark.parametrize("kind", TWO_KINDS)
def test_infinite_numbers_are_refused(frame: Make, kind: str) -> None:
    """Infinite numbers are an error with their rows, even if these have no fold."""
    inf = float("inf")
    data = frame({"x": [1.5, inf, None, -inf], "fold": [0, 0, 1, None]})
    error = refuse("Column 'x' has infinite values in 2 rows (1, 3).", lambda: drift(data, "x"))
    assert at_fault(error, kind) == {"row": [1, 3], "x": [inf, -inf]}


def test_scipy_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers and classes are compared without SciPy."""
    data = pd.DataFrame({"x": UNEVEN, "c": list("abab"), "fold": HALVES})
    expected = drift(data, ["x", "c"])
    for name in [name for name in sys.modules if name.partition(".")[0] == "scipy"] + ["scipy"]:
        monkeypatch.setitem(sys.modules, name, None)
    pd.testing.assert_frame_equal(drift(data, ["x", "c"]), expected)


def test_noise_does_not_top_the_list() -> None:
    """Rare rows, one in each of many columns, and unique texts are noise: what drifts is first."""
    data = {f"is {place}": np.eye(1000)[place] for place in range(30)}
    data |= {"id": np.arange(1000).astype(str), "x": np.arange(1000) % 700}
    folds = np.random.default_rng(0).permutation(25).repeat(40)
    found = drift(pd.DataFrame(data).assign(fold=folds), list(data))
    assert set(found["feature"].head(20)) == {"x"}
    assert found.loc[found["feature"] == "x", "ratio"].max() > 2
    assert found.loc[found["feature"] != "x", "ratio"].max() == 1
