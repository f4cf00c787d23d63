"""Partitions of a Dask frame may store a column in several types: one exact type, or an error."""

from datetime import date, datetime
from decimal import Decimal
from itertools import cycle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import stratframe as sf

dask = pytest.importorskip("dask", reason='needs pip install "stratframe[dask]"')
dd = pytest.importorskip("dask.dataframe", reason='needs pip install "stratframe[dask]"')

import stratframe.dask  # noqa: E402 - registers .strat on Dask frames

pytestmark = pytest.mark.dask

N = 60
WHOLE = [i * 7 % 20 for i in range(N)]
HOUR = pd.Timestamp("2024-05-01")
VALUES = {
    "whole": WHOLE,
    "holes": [x if i % 5 else None for i, x in enumerate(WHOLE)],
    "text": [f"{x}" for x in WHOLE],
    "flag": [x % 2 > 0 for x in WHOLE],
    "some": [bool(x % 2) if i % 5 else None for i, x in enumerate(WHOLE)],
    "time": [HOUR + pd.Timedelta(hours=x) for x in WHOLE],
    "aware": [HOUR.tz_localize("UTC") + pd.Timedelta(hours=x) for x in WHOLE],
    "wait": [pd.Timedelta(hours=x) for x in WHOLE],
    "day": [date(2024, 5, 1 + x) for x in WHOLE],
    "price": [Decimal(x) / 4 for x in WHOLE],
}
TOGETHER = [
    ("whole", ["int64", "float64"]),
    ("whole", ["int32", "float32"]),
    ("whole", ["int64", "uint64"]),
    ("whole", ["uint8", "uint64"]),
    ("whole", ["object", "Int64", "int16[pyarrow]"]),
    ("whole", ["category", "int64"]),
    ("holes", ["Int64", "float64"]),
    ("holes", ["category", "Int64", "object"]),
    ("text", ["object", "category"]),
    ("text", ["str", "string[pyarrow]", "category"]),
    ("flag", ["bool", "object"]),
    ("some", ["boolean", "object", "bool[pyarrow]"]),
    ("time", ["datetime64[s]", "datetime64[ns]"]),
    ("time", ["datetime64[us]", "object", "timestamp[ms][pyarrow]"]),
    ("aware", ["datetime64[s, UTC]", "datetime64[us, UTC]"]),
    ("aware", ["datetime64[s, UTC]", pd.ArrowDtype(pa.timestamp("us", "UTC"))]),
    ("wait", ["timedelta64[s]", "timedelta64[ns]", "duration[us][pyarrow]"]),
    ("day", ["object", "date32[day][pyarrow]"]),
    ("price", ["object", pd.ArrowDtype(pa.decimal128(9, 2))]),
]
"""Types that hold the same values."""


@pytest.fixture(autouse=True)
def _one_thread():
    """Compute without threads and processes, and leave text as pandas has it."""
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        yield


def in_types(values, dtypes, name="x"):
    """Store values in three partitions in types that take turns, beside ids."""
    pieces = np.array_split(np.arange(len(values)), 3)
    parts = [
        pd.DataFrame(
            {"id": rows, name: pd.Series([values[row] for row in rows], dtype=object).astype(dtype)}
        )
        for rows, dtype in zip(pieces, cycle(dtypes), strict=False)
    ]
    return dd.from_map(lambda place: parts[place], range(3), meta=parts[0].iloc[:0])


def plain(values):
    """Store values in the one type that pandas chooses for them."""
    return pd.DataFrame({"id": range(len(values)), "x": pd.Series(values)})


@pytest.mark.parametrize(("name", "dtypes"), TOGETHER, ids=str)
def test_classes_of_several_types_are_those_of_one(name, dtypes):
    """Equal values are one class in whatever types the partitions store them."""
    options = {"key": "id", "missing": "stratum", "rare": "ignore"}
    by = sf.classes("x")
    expected = sf.kfold(plain(VALUES[name]), by, 3, **options)["fold"].tolist()
    lazy = in_types(VALUES[name], dtypes)
    assert lazy.strat.kfold(by, 3, **options)["fold"].compute().tolist() == expected
    sizes, found = (sf.plan(each, by, 3, **options)["n"] for each in (plain(VALUES[name]), lazy))
    assert sorted(found) == sorted(sizes)


@pytest.mark.parametrize(("name", "dtypes"), TOGETHER, ids=str)
def test_quantiles_of_several_types_are_those_of_one(name, dtypes):
    """Numbers are cut at the same values in whatever types the partitions store them."""
    if name == "text":
        pytest.skip("text has no quantiles")
    options = {"key": "id", "missing": "stratum", "rare": "ignore"}
    by = sf.quantiles("x", 2 if name in ("flag", "some") else 4)
    expected = sf.kfold(plain(VALUES[name]), by, 3, **options)["fold"].tolist()
    lazy = in_types(VALUES[name], dtypes)
    assert lazy.strat.kfold(by, 3, **options)["fold"].compute().tolist() == expected
    sizes, found = (sf.plan(each, by, 3, **options)["n"] for each in (plain(VALUES[name]), lazy))
    assert found.tolist() == sizes.tolist()


@pytest.mark.parametrize(("name", "dtypes"), TOGETHER, ids=str)
def test_groups_of_several_types_are_those_of_one(name, dtypes):
    """A group has the fold of its values in whatever types its partitions store them."""
    options = {"groups": "x", "missing": "null", "rare": "ignore"}
    expected = sf.kfold(plain(VALUES[name]), None, 2, **options)["fold"]
    found = in_types(VALUES[name], dtypes).strat.kfold(None, 2, **options)["fold"].compute()
    assert found.astype("Int64").tolist() == expected.astype("Int64").tolist()


@pytest.mark.parametrize(("name", "dtypes"), TOGETHER, ids=str)
def test_keys_of_several_types_are_those_of_one(name, dtypes):
    """A key gives a row the same number in whatever type its partition stores it."""
    if name in ("holes", "some"):
        pytest.skip("a key has no missing values")
    options = {"key": ["x", "id"], "rare": "ignore"}
    expected = sf.kfold(plain(VALUES[name]), None, 3, **options)["fold"].tolist()
    lazy = in_types(VALUES[name], dtypes)
    assert lazy.strat.kfold(None, 3, **options)["fold"].compute().tolist() == expected


@pytest.mark.parametrize(
    ("values", "dtypes", "message"),
    [
        ([1, 2, 3] * 4, ["int64", "string"], "got int64 and string."),
        ([True, False] * 6, ["bool", "int64"], "got bool and int64."),
        (["1.5", "2.5"] * 6, ["float64", "string"], "got float64 and string."),
        ([HOUR, HOUR] * 6, ["datetime64[s]", "string"], "got datetime64[s] and string."),
        (
            [HOUR.tz_localize("UTC")] * 12,
            ["datetime64[s, UTC]", "datetime64[s, Europe/Rome]"],
            "got datetime64[s, Europe/Rome] and datetime64[s, UTC].",
        ),
        (
            [HOUR] * 4 + [HOUR.tz_localize("UTC")] * 8,
            ["datetime64[s]", *[pd.ArrowDtype(pa.timestamp("us", "UTC"))] * 2],
            "got datetime64[s] and timestamp[us, tz=UTC][pyarrow].",
        ),
        (
            [2**53 + i % 3 for i in range(12)],
            ["int64", "float64"],
            "got float64 and int64, and float64 does not hold all of its values exactly.",
        ),
        (
            [2**63 + i % 3 if i > 4 else i for i in range(12)],
            ["int64", "uint64", "uint64"],
            "got int64 and uint64, and int64 does not hold all of its values exactly.",
        ),
    ],
    ids=lambda each: each if isinstance(each, str) else None,
)
@pytest.mark.parametrize("use", ["classes", "quantiles", "key"])
def test_types_that_clash_are_an_error_that_names_them(use, values, dtypes, message):
    """Types without an exact common one are an error with the column and its types."""
    message = (
        f"Column 'x' must have one type in all partitions, {message}"
        "\nHint: cast it first, as in `df.astype({...})`."
    )
    by = {"classes": sf.classes("x"), "quantiles": sf.quantiles("x", 2), "key": None}[use]
    key = ["x", "id"] if use == "key" else "id"
    with pytest.raises(sf.StratError) as caught:
        in_types(values, dtypes).strat.kfold(by, 2, key=key)["fold"].compute()
    assert str(caught.value) == message


def test_all_clashes_are_named_at_once():
    """Every column whose types clash is named in one error."""
    lazy = in_types([1, 2, 3] * 4, ["int64", "bool"]).assign(y=lambda df: df["x"])
    with pytest.raises(sf.StratError) as caught:
        lazy.strat.kfold(sf.classes("x"), 2, key=["y", "id"])
    assert [line.split(" must")[0] for line in str(caught.value).splitlines()[:2]] == [
        "Column 'x'",
        "Column 'y'",
    ]


def test_objects_of_several_kinds_are_classes():
    """Objects that differ from one partition to the next are classes, but no key."""
    values = [1, 2, 1, 2, "a", "b", "a", "b", date(2024, 1, 1), "a", 1, 2]
    lazy = in_types(values, ["object"])
    expected = sf.kfold(plain(values), "x", 2, key="id", rare="ignore")["fold"].tolist()
    found = lazy.strat.kfold("x", 2, key="id", rare="ignore")["fold"].compute()
    assert found.tolist() == expected
    with pytest.raises(sf.StratError, match=r"object \(integer\)"):
        lazy.strat.kfold(None, 2, key=["x", "id"])


@pytest.mark.parametrize("empty", ["object", "float64", "str", "category"])
@pytest.mark.parametrize("by", [sf.classes("x"), sf.quantiles("x", 3), sf.bins("x", [0, 9, 30])])
def test_a_partition_without_values_has_any_type(empty, by):
    """Partitions whose values are all missing, and those without rows, do not decide the type."""
    values = [*WHOLE[:40], *[None] * 20]
    parts = [
        plain(WHOLE[:40]),
        plain([None] * 20).astype({"x": empty}).assign(id=range(40, 60)),
        plain([]).astype({"x": empty, "id": "int64"}),
    ]
    lazy = dd.from_map(lambda place: parts[place], range(3), meta=parts[0].iloc[:0])
    options = {"key": "id", "missing": "stratum", "rare": "ignore"}
    expected = sf.kfold(plain(values), by, 3, **options)["fold"].tolist()
    assert lazy.strat.kfold(by, 3, **options)["fold"].compute().tolist() == expected


def test_files_of_which_some_lack_a_value(tmp_path):
    """Whole numbers that some Parquet files store as floats have the quantiles of one file."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": range(300), "age": rng.integers(0, 90, 300).astype(float)})
    frame.loc[220, "age"] = None
    for place in range(3):
        rows = frame[place * 100 : (place + 1) * 100]
        rows = rows if rows["age"].isna().any() else rows.astype({"age": "int64"})
        rows.to_parquet(tmp_path / f"{place}.parquet", index=False)
    files = [tmp_path / f"{place}.parquet" for place in range(3)]
    lazy = dd.from_map(pd.read_parquet, files)
    options = {"key": "id", "missing": "stratum"}
    for by in (sf.quantiles("age", 7), sf.bins("age", [0, 30, 60, 90])):
        expected = sf.kfold(frame, by, 4, **options)["fold"].tolist()
        assert lazy.strat.kfold(by, 4, **options)["fold"].compute().tolist() == expected


def test_groups_and_keys_of_a_check_may_have_several_types():
    """Groups, and the keys of a check, are found again in whatever types they are stored."""
    frame = plain(VALUES["whole"])
    lazy = in_types(VALUES["whole"], ["int64", "float64", "category"])
    expected = sf.kfold(frame, None, 3, groups="x")
    found = lazy.strat.kfold(None, 3, groups="x")
    assert found["fold"].compute().tolist() == expected["fold"].tolist()
    counted, wanted = (
        sf.check(each, groups="x", key="x", duplicates=None) for each in (found, expected)
    )
    assert str(counted) == str(wanted)


def test_types_that_agree_cost_no_pass(monkeypatch):
    """Only partitions of several types are counted twice."""
    from stratframe.engines.dask import passes as dask_passes

    called = []
    original = dask_passes.over_partitions
    monkeypatch.setattr(
        dask_passes,
        "over_partitions",
        lambda frame, plan, function, *args: (
            called.append(function.__name__) or original(frame, plan, function, *args)
        ),
    )
    in_types(VALUES["text"], ["category"]).strat.advise("x", 2)
    assert called == ["count_partition"]
    in_types(VALUES["whole"], ["int64", "float64"]).strat.advise("x", 2)
    assert called == ["count_partition"] * 3


# Categories ------------------------------------------------------------------------------


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("kind", [int, float, str])
@pytest.mark.parametrize("by", [sf.quantiles("x", 4), sf.bins("x", [0, 9, 19])], ids=str)
def test_a_categorical_of_numbers_is_cut_by_its_values(by, kind, known):
    """Categories of whole numbers, of fractions and of text of numbers count by their values."""
    frame = plain([kind(x) if i % 7 else None for i, x in enumerate(WHOLE)])
    frame = frame.astype({"x": "category"})
    lazy = dd.from_pandas(frame, npartitions=3)
    if not known:
        parts = [frame[a:b].copy() for a, b in ((0, 10), (10, 45), (45, 60))]
        parts = [part.assign(x=part["x"].cat.remove_unused_categories()) for part in parts]
        meta = dd.utils.clear_known_categories(frame.iloc[:0])
        lazy = dd.from_map(lambda place: parts[place], range(3), meta=meta)
    options = {"key": "id", "missing": "stratum", "rare": "ignore"}
    expected = sf.kfold(frame, by, 3, **options)["fold"].tolist()
    assert lazy.strat.kfold(by, 3, **options)["fold"].compute().tolist() == expected
    sizes, found = (sf.plan(each, by, 3, **options)["n"] for each in (frame, lazy))
    assert found.tolist() == sizes.tolist()


def test_a_value_beyond_the_known_categories_is_kept():
    """A value that the frame's categories lack is a class of its own, and not missing."""
    parts = [plain(["a", "b"] * 6), plain(["c", "c", "a"] * 4).assign(id=range(12, 24))]
    meta = parts[0].iloc[:0].astype({"x": pd.CategoricalDtype(["a", "b"])})
    lazy = dd.from_map(lambda place: parts[place], range(2), meta=meta)
    whole = pd.concat(parts)
    expected = sf.kfold(whole, "x", 2, key="id")["fold"].tolist()
    assert lazy.strat.kfold("x", 2, key="id")["fold"].compute().tolist() == expected


def test_times_beyond_the_finest_unit_are_an_error():
    """A date that nanoseconds do not reach beside nanoseconds is an error, not another date."""
    values = [datetime(9000, 1, 1 + i % 3) for i in range(8)] + [HOUR] * 4
    lazy = in_types(values, ["datetime64[s]", "datetime64[s]", "datetime64[ns]"])
    with pytest.raises(sf.StratError, match="does not hold all of its values exactly"):
        lazy.strat.kfold("x", 2, key="id", rare="ignore")
