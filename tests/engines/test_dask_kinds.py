"""Types of a column in the partitions of a Dask frame: one kind of values, or an error."""

from datetime import date
from decimal import Decimal
from itertools import cycle

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import stratframe as sf

dask = pytest.importorskip("dask", reason='needs pip install "stratframe[dask]"')
dd = pytest.importorskip("dask.dataframe", reason='needs pip install "stratframe[dask]"')

import stratframe.dask  # noqa: E402 - registers .strat on Dask frames

pytestmark = [pytest.mark.dask, pytest.mark.usefixtures("one_thread")]

N = 60
WHOLE = [i * 7 % 20 for i in range(N)]
HOUR = pd.Timestamp("2024-05-01")
VALUES = {
    "whole": WHOLE,
    "holes": [x if i % 5 else None for i, x in enumerate(WHOLE)],
    "half": [x / 2 for x in WHOLE],
    "text": [f"{x}" for x in WHOLE],
    "some": [bool(x % 2) if i % 5 else None for i, x in enumerate(WHOLE)],
    "time": [HOUR + pd.Timedelta(hours=x) for x in WHOLE],
    "day": [date(2024, 5, 1 + x) for x in WHOLE],
}
TOGETHER = [
    ("whole", ["int64", "float64"]),
    ("whole", ["uint8", "uint64", "int32"]),
    ("whole", ["object", "Int64", "int16[pyarrow]"]),
    ("holes", ["category", "Int64", "float64"]),
    ("half", ["float64", "Float64", "double[pyarrow]"]),
    ("text", ["object", "category"]),
    ("text", ["str", "string[pyarrow]", "string"]),
    ("some", ["boolean", "object", "bool[pyarrow]"]),
    ("time", ["datetime64[us]", "object", "timestamp[us][pyarrow]"]),
    ("day", ["object", "date32[day][pyarrow]"]),
]
"""Types of one kind of values, as Dask and its readers mix them."""


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
@pytest.mark.parametrize("use", ["classes", "quantiles", "groups", "key"])
def test_types_of_one_kind_give_the_folds_of_one_type(use, name, dtypes):
    """Equal values are equal in whatever types of one kind the partitions store them."""
    if (use, name) == ("quantiles", "text") or (use == "key" and name in ("holes", "some")):
        pytest.skip("text has no quantiles, and a key has no missing values")
    by = {"classes": sf.classes("x"), "quantiles": sf.quantiles("x", 2 if name == "some" else 4)}
    options = {
        "by": by.get(use),
        "k": 2,
        "groups": "x" if use == "groups" else None,
        "key": {"groups": None, "key": ["x", "id"]}.get(use, "id"),
        "missing": "null" if use == "groups" else "stratum",
        "rare": "ignore",
    }
    frame, lazy = plain(VALUES[name]), in_types(VALUES[name], dtypes)
    found = sf.kfold(lazy, **options)["fold"].compute()
    expected = sf.kfold(frame, **options)["fold"]
    assert found.astype("Int64").tolist() == expected.astype("Int64").tolist()
    if use in by:
        options |= {"by": by[use], "groups": None}
        sizes, counted = (sorted(sf.plan(each, **options)["n"]) for each in (frame, lazy))
        assert counted == sizes


BIG = 2**53 + 1
ZONES = ["Europe/Rome", "UTC"]
ROME = [HOUR.tz_localize("Europe/Rome")] * 3
UTC = HOUR.tz_localize("UTC")
CLASHES: list[tuple[list[str], list[str], list[object]]] = [
    (["int64", "string"], ["string", "float64"], [1, 2, 3]),
    (["bool", "int64"], ["float64"] * 2, [True, False, True]),
    (["datetime64[s]", "datetime64[ns]"], ["datetime64[ns]"] * 2, [HOUR] * 3),
    ([f"datetime64[us, {zone}]" for zone in ZONES], [f"datetime64[us, {ZONES[0]}]"] * 2, ROME),
    (["datetime64[s]", "timestamp[us, tz=UTC][pyarrow]"], ["string"] * 2, [HOUR, UTC, HOUR]),
    (["int64 beyond 2**53", "float64"], ["Int64"] * 2, [BIG + 1] * 3),
    (["int64", "uint64 beyond 2**53"], ["UInt64"] * 2, [1, 2**63, 1]),
]
"""Types that take turns, the casts for classes and for quantiles, and a value of each partition."""


@pytest.mark.parametrize(("held", "casts", "values"), CLASHES, ids=lambda each: str(each[0]))
@pytest.mark.parametrize("use", ["classes", "quantiles", "key"])
@pytest.mark.filterwarnings("ignore:.*quantiles:stratframe.StratWarning")
def test_types_that_clash_are_an_error_with_the_cast(use, held, casts, values):
    """The error names a column, two partitions and their types, and a cast after which it works."""
    by = {"classes": sf.classes("x"), "quantiles": sf.quantiles("x", 2), "key": None}[use]
    dtypes = [each.removesuffix(" beyond 2**53") for each in held]
    rows = [value for value in values for _ in range(4)]
    lazy, key = in_types(rows, dtypes), ["x", "id"] if use == "key" else "id"
    cast = casts[use == "quantiles"]
    with pytest.raises(sf.StratError) as caught:
        lazy.strat.kfold(by, 2, key=key, rare="ignore")
    assert str(caught.value) == (
        f"Column 'x' must have one type in all partitions, but partition 0 holds {held[0]} and"
        f" partition 1 {held[1]}.\nHint: cast it first, as in `df.astype({{'x': '{cast}'}})`."
    )
    if (use, cast) != ("quantiles", "string"):
        folded = lazy.astype({"x": cast}).strat.kfold(by, 2, key=key, rare="ignore")
        assert sorted(folded["fold"].compute().value_counts()) == [6, 6]


def test_all_clashes_are_named_at_once():
    """Every column whose types clash is named in one error, before what only its values break."""
    lazy = in_types([1, 2, 3] * 4, ["int64", "string"]).assign(y=lambda df: df["x"])
    with pytest.raises(sf.StratError) as caught:
        lazy.strat.kfold(sf.bins("x", [0, 2, 4]), 2, key=["y", "id"])
    assert [line.split(" must")[0] for line in str(caught.value).splitlines()] == [
        "Column 'x'",
        "Column 'y'",
        "Hint: cast it first, as in `df.astype({'x': 'float64', 'y': 'string'})`.",
    ]


def test_objects_of_several_kinds_are_classes():
    """Objects that differ from one partition to the next are classes, but no key."""
    values = [1, 2, 1, 2, "a", "b", "a", "b", date(2024, 1, 1), "a", 1, 2]
    lazy = in_types(values, ["object"])
    expected = sf.kfold(plain(values), "x", 2, key="id", rare="ignore")["fold"].tolist()
    found = lazy.strat.kfold("x", 2, key="id", rare="ignore")["fold"].compute()
    assert found.tolist() == expected
    with pytest.raises(sf.StratError, match=r"0 holds object \(integer\) and partition 1 object"):
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


@pytest.mark.parametrize("text_of_dask", [True, False])
@pytest.mark.parametrize(
    "reader",
    [
        {"filesystem": "fsspec"},
        {"filesystem": "arrow"},
        {"filesystem": "arrow", "dtype_backend": "pyarrow"},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of Dask
def test_files_with_and_without_missing_values(tmp_path, reader, text_of_dask):
    """Whatever types Dask reads from Parquet files, the folds are those of all rows."""
    rows = range(120)
    columns = {
        "whole": pa.array([i % 7 for i in rows], pa.int64()),
        "flag": pa.array([i % 3 == 0 for i in rows]),
        "text": pa.array([f"{i % 5}" for i in rows]),
        "day": pa.array([date(2024, 5, 1 + i % 6) for i in rows]),
        "bytes": pa.array([bytes([i % 4]) for i in rows]),
        "price": pa.array([Decimal(i % 8) for i in rows], pa.decimal128(9, 2)),
    }
    missing = pa.array([i > 79 or 40 < i < 50 for i in rows])
    columns = {
        name: pc.if_else(missing, pa.scalar(None, each.type), each)
        for name, each in columns.items()
    }
    table = pa.table({"id": list(rows), **columns})
    for place in range(3):
        pq.write_table(table.slice(place * 40, 40), tmp_path / f"{place}.parquet")
    calls = [{"by": by, "key": "id", "missing": "stratum"} for by in map(sf.classes, columns)]
    calls += [{**calls[0], "by": sf.quantiles("whole", 3)}]
    calls += [{"groups": name, "missing": "null"} for name in ("whole", "text", "bytes")]
    with dask.config.set({"dataframe.convert-string": text_of_dask}):
        lazy = dd.read_parquet(tmp_path, **reader)
        for call in calls:
            found = lazy.strat.kfold(k=3, rare="ignore", **call).compute()
            expected = sf.kfold(table.to_pandas(), k=3, rare="ignore", **call)
            assert found.sort_values("id")["fold"].tolist() == expected["fold"].tolist()


def test_the_type_that_a_frame_says_does_not_matter():
    """Partitions of one type are that, whatever the frame says of them."""
    parts = [plain(WHOLE[:30]), plain(WHOLE[30:]).assign(id=range(30, 60))]
    expected = sf.kfold(plain(WHOLE), sf.quantiles("x", 4), 3, key=["x", "id"])["fold"].tolist()
    for said in ("object", "str", "float64", "category"):
        meta = parts[0].iloc[:0].astype({"x": said})
        lazy = dd.from_map(lambda place: parts[place], range(2), meta=meta)
        folded = lazy.strat.kfold(sf.quantiles("x", 4), 3, key=["x", "id"])
        assert folded["fold"].compute().tolist() == expected


def test_a_check_of_several_types():
    """Groups, and the keys of a check, are found again in whatever types they are stored."""
    frame = plain(VALUES["whole"])
    lazy = in_types(VALUES["whole"], ["int64", "float64", "category"])
    expected, found = (sf.kfold(each, None, 3, groups="x") for each in (frame, lazy))
    counted, wanted = (
        sf.check(each, groups="x", key="x", duplicates=None) for each in (found, expected)
    )
    assert str(counted) == str(wanted)


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
