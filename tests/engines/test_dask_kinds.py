"""Types of a column in the partitions of a Dask frame: one kind of values, or an error."""

from datetime import date
from decimal import Decimal
from itertools import cycle

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import stratframe as sf
from tests.engines.dask_frames import dask, dd, of_parts
from tests.engines.frames import cut
from tests.helpers import refuse_now, refused

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
EVERY_ROW = {"key": "id", "missing": "stratum", "rare": "ignore"}
USES = {
    "classes": {**EVERY_ROW, "by": sf.classes("x")},
    "quantiles": {**EVERY_ROW, "by": sf.quantiles("x", 4)},
    "groups": {"groups": "x", "missing": "null", "rare": "ignore"},
    "key": {**EVERY_ROW, "key": ["x", "id"]},
}
"""Calls that read the column for each use."""


def plain(values):
    """Store values in the one type that pandas chooses for them, beside ids."""
    return pd.DataFrame({"id": range(len(values)), "x": pd.Series(values)})


def in_types(values, dtypes):
    """Store values in three partitions in types that take turns, beside ids."""
    whole = plain(pd.Series(values, dtype=object))
    pieces = zip(np.array_split(np.arange(len(values)), 3), cycle(dtypes), strict=False)
    return of_parts([whole.iloc[rows].astype({"x": dtype}) for rows, dtype in pieces])


def folds(frame, *args, **options):
    found = sf.kfold(frame, *args, **options)["fold"]
    return (found if isinstance(frame, pd.DataFrame) else found.compute()).tolist()


@pytest.mark.parametrize(("name", "dtypes"), TOGETHER, ids=str)
@pytest.mark.parametrize("use", USES)
@pytest.mark.filterwarnings("ignore:.*quantiles:stratframe.StratWarning")
def test_types_of_one_kind_give_the_folds_of_one_type(use, name, dtypes):
    """Equal values are equal in whatever types of one kind the partitions store them."""
    if (use, name) == ("quantiles", "text") or (use == "key" and name in ("holes", "some")):
        pytest.skip("text has no quantiles, and a key has no missing values")
    frame = plain(VALUES[name])
    lazy = in_types(VALUES[name], dtypes)
    found, expected = (sf.kfold(each, k=2, **USES[use])["fold"] for each in (lazy, frame))
    assert found.compute().astype("Int64").tolist() == expected.astype("Int64").tolist()
    if "by" in USES[use]:
        sizes, counted = (sorted(sf.plan(each, k=2, **USES[use])["n"]) for each in (frame, lazy))
        assert counted == sizes


def test_a_check_of_several_types():
    """Groups, and the keys of a check, are found again in whatever types they are stored."""
    frames = in_types(WHOLE, ["int64", "float64", "category"]), plain(WHOLE)
    folded = [sf.kfold(each, k=3, groups="x") for each in frames]
    found, wanted = (sf.check(each, groups="x", key="x", duplicates=None) for each in folded)
    assert str(found) == str(wanted)


ZONES = ["datetime64[us, Europe/Rome]", "datetime64[us, UTC]"]
ROME, UTC = (HOUR.tz_localize(zone) for zone in ("Europe/Rome", "UTC"))
CLASHES: list[tuple[list[str], list[str], list[object]]] = [
    (["int64", "string"], ["string", "float64"], [1, 2, 3]),
    (["bool", "int64"], ["float64"] * 2, [True, False, True]),
    (["datetime64[s]", "datetime64[ns]"], ["datetime64[ns]"] * 2, [HOUR] * 3),
    (ZONES, ZONES[:1] * 2, [ROME] * 3),
    (["datetime64[s]", "timestamp[us, tz=UTC][pyarrow]"], ["string"] * 2, [HOUR, UTC, HOUR]),
    (["int64 beyond 2**53", "float64"], ["Int64"] * 2, [2**53 + 2] * 3),
    (["int64", "uint64 beyond 2**53"], ["UInt64"] * 2, [1, 2**63, 1]),
]
"""Types that take turns, the casts for classes and for quantiles, and a value of each partition."""


@pytest.mark.parametrize(("held", "casts", "values"), CLASHES, ids=lambda each: str(each[0]))
@pytest.mark.parametrize("use", ["classes", "quantiles"])
@pytest.mark.filterwarnings("ignore:.*quantiles:stratframe.StratWarning")
def test_types_that_clash_are_an_error_with_the_cast(use, held, casts, values):
    """The error names a column, two partitions and their types, and a cast after which it works."""
    dtypes = [each.removesuffix(" beyond 2**53") for each in held]
    lazy = in_types(np.repeat(values, 4), dtypes)
    cast = casts[use == "quantiles"]
    message = "Column 'x' must have the same type in all partitions, but partition 0 holds"
    message += f" {held[0]} and partition 1 {held[1]}.\n"
    message += f"Hint: cast to one type first, as in `df.astype({{'x': '{cast}'}})`."
    refuse_now(message, lambda: sf.kfold(lazy, k=2, **USES[use]))
    if (use, cast) != ("quantiles", "string"):
        found = folds(lazy.astype({"x": cast}), k=2, **USES[use])
        assert sorted(found) == [0] * 6 + [1] * 6


def test_types_may_differ_for_one_use_of_a_column_and_clash_for_the_other():
    """Categories of text are cut by their numbers, but are other classes than these numbers."""
    numbers, texts = cut(plain(WHOLE), [30])
    lazy = of_parts([numbers, texts.astype({"x": str}).astype({"x": "category"})])
    thirds = sf.quantiles("x", 3)

    found = folds(lazy, thirds, 3, key="id")
    error = refused(lambda: sf.kfold(lazy, [thirds, sf.classes("x")], 3, key="id"))

    assert found == folds(plain(WHOLE), thirds, 3, key="id")
    assert str(error).startswith("Column 'x' must have the same type in all partitions")


def test_all_clashes_are_named_at_once():
    """Every column whose types clash is named in one error, before what only its values break."""
    lazy = in_types([1, 2, 3] * 4, ["int64", "string"]).assign(y=lambda df: df["x"])
    error = refused(lambda: sf.kfold(lazy, sf.bins("x", [0, 2, 4]), 2, key=["y", "id"]))
    lines = [line.split(" must")[0] for line in str(error).splitlines()]
    hint = "Hint: cast to one type first, as in `df.astype({'x': 'float64', 'y': 'string'})`."
    assert lines == ["Column 'x'", "Column 'y'", hint]


OBJECTS = [
    [1, 2, 1, 2, "a", "b", "a", "b", date(2024, 1, 1), "a", 1, 2],
    ["a", b"a", "b", b"c"] * 5,
    [1.0, 5e-324, 0.0, 3.0] * 5,
    [-1, 2**64 - 1, 5, 6] * 5,
    [(1 << 70) + 1, 1 << 70, 5, 6] * 5,
]


@pytest.mark.parametrize("values", OBJECTS, ids=str)
def test_objects_that_look_alike_are_told_apart(values):
    """Objects of several kinds, or of the same bytes, are classes and groups."""
    frame = plain(pd.Series(values, dtype=object))
    lazy = in_types(values, ["object"])
    for use in ("classes", "groups"):
        assert folds(lazy, k=2, **USES[use]) == folds(frame, k=2, **USES[use])


def test_objects_of_several_kinds_are_no_key():
    """Keys that differ in kind from one partition to the next are an error."""
    lazy = in_types(OBJECTS[0], ["object"])
    with pytest.raises(sf.StratError, match=r"0 holds object \(integer\) and partition 1 object"):
        sf.kfold(lazy, None, 2, key=["x", "id"])


@pytest.mark.parametrize("empty", ["object", "float64", "str", "category"])
@pytest.mark.parametrize("by", [sf.classes("x"), sf.quantiles("x", 3)], ids=str)
def test_a_partition_without_values_has_any_type(empty, by):
    """Partitions whose values are all missing, and those without rows, do not decide the type."""
    values = [*WHOLE[:40], *[None] * 20]
    nothing = plain([None] * 20).astype({"x": empty}).assign(id=range(40, 60))
    lazy = of_parts([plain(WHOLE[:40]), nothing, nothing[:0]])
    assert folds(lazy, by, 3, **EVERY_ROW) == folds(plain(values), by, 3, **EVERY_ROW)


@pytest.mark.parametrize("by", ["x", sf.quantiles("x", 3)], ids=str)
def test_sparse_partitions_are_read_as_dense(by):
    """Sparse columns with missing values give the folds and the counts of dense columns."""
    frame = plain(VALUES["holes"])
    sparse = frame.assign(x=pd.arrays.SparseArray(frame["x"]))
    lazy = of_parts(cut(sparse, [20, 45]))

    plan, expected = (sf.plan(each, by, 3, **EVERY_ROW) for each in (lazy, frame))

    assert folds(lazy, by, 3, **EVERY_ROW) == folds(frame, by, 3, **EVERY_ROW)
    assert sorted(plan["n"]) == sorted(expected["n"])


ARROW = {"filesystem": "arrow"}
READERS = [{"filesystem": "fsspec"}, ARROW, ARROW | {"dtype_backend": "pyarrow"}]


@pytest.mark.parametrize(
    ("reader", "text_of_dask"), [*((reader, True) for reader in READERS), (ARROW, False)], ids=str
)
@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of Dask
def test_files_with_and_without_missing_values(tmp_path, reader, text_of_dask):
    """Whatever types Dask reads from Parquet files, the folds are those of all rows."""
    columns = {
        "whole": (lambda i: i % 7, pa.int64()),
        "flag": (lambda i: i % 3 == 0, pa.bool_()),
        "text": (lambda i: f"{i % 5}", pa.string()),
        "day": (lambda i: date(2024, 5, 1 + i % 6), pa.date32()),
        "bytes": (lambda i: bytes([i % 4]), pa.binary()),
        "price": (lambda i: Decimal(i % 8), pa.decimal128(9, 2)),
    }
    rows = [None if i > 79 or 40 < i < 50 else i for i in range(120)]
    table = pa.table({"id": range(120)})
    for name, (value, dtype) in columns.items():
        values = [None if i is None else value(i) for i in rows]
        table = table.append_column(name, pa.array(values, dtype))
    for place in range(3):
        pq.write_table(table.slice(place * 40, 40), tmp_path / f"{place}.parquet")
    terms = [*map(sf.classes, columns), sf.quantiles("whole", 3)]
    calls = [{**EVERY_ROW, "by": by} for by in terms]
    calls += [{**USES["groups"], "groups": name} for name in ("whole", "text", "bytes")]
    with dask.config.set({"dataframe.convert-string": text_of_dask}):
        lazy = dd.read_parquet(tmp_path, **reader)
        for call in calls:
            found = sf.kfold(lazy, k=3, **call).compute().sort_values("id")["fold"]
            assert found.tolist() == folds(table.to_pandas(), k=3, **call)


@pytest.mark.parametrize("said", ["object", "str", "float64", "category"])
def test_the_type_that_a_frame_says_does_not_matter(said):
    """Partitions of one type have that type, whatever the frame says of them."""
    parts = cut(plain(WHOLE), [30])
    call = {**USES["quantiles"], "key": ["x", "id"], "k": 3}
    lazy = of_parts(parts, parts[0].iloc[:0].astype({"x": said}))
    assert folds(lazy, **call) == folds(plain(WHOLE), **call)


@pytest.mark.parametrize(
    ("by", "kind", "known"),
    [
        (sf.quantiles("x", 4), int, False),
        (sf.quantiles("x", 4), float, False),
        (sf.quantiles("x", 4), str, False),
        (sf.quantiles("x", 4), str, True),
        (sf.bins("x", [0, 9, 19]), float, True),
        (sf.bins("x", [0, 9, 19]), str, False),
        (sf.classes("x"), int, False),
        (sf.classes("x"), str, True),
    ],
    ids=str,
)
def test_a_categorical_of_numbers_is_cut_by_its_values(by, kind, known):
    """Categories of whole numbers, of fractions and of text of numbers count by their values."""
    frame = plain([kind(x) if i % 7 else None for i, x in enumerate(WHOLE)])
    frame = frame.astype({"x": "category"})
    lazy = dd.from_pandas(frame, npartitions=3)
    if not known:  # and partitions have others
        parts = cut(frame, [10, 45])
        parts = [part.assign(x=part["x"].cat.remove_unused_categories()) for part in parts]
        parts[1]["x"] = parts[1]["x"].cat.reorder_categories(parts[1]["x"].cat.categories[::-1])
        lazy = of_parts(parts, dd.utils.clear_known_categories(frame.iloc[:0]))
    assert folds(lazy, by, 3, **EVERY_ROW) == folds(frame, by, 3, **EVERY_ROW)
    sizes, found = (sorted(sf.plan(each, by, 3, **EVERY_ROW)["n"]) for each in (frame, lazy))
    assert found == sizes


def test_a_value_beyond_the_known_categories_is_kept():
    """A value that the frame's categories lack is a class of its own, and not missing."""
    parts = cut(plain(["a", "b"] * 6 + ["c", "c", "a"] * 4), [12])
    meta = parts[0].iloc[:0].astype({"x": pd.CategoricalDtype(["a", "b"])})
    lazy = of_parts(parts, meta)
    frame = pd.concat(parts)
    assert folds(lazy, "x", 2, key="id") == folds(frame, "x", 2, key="id")
