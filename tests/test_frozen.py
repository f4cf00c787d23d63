"""Folds of large frames and of every dtype, frozen as digests: they change only by intent.

`python -m tests.test_frozen` writes the file anew; the difference says which folds changed.
"""

import datetime as dt
import hashlib
import json
import uuid
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn

import stratframe as sf
from tests.helpers import eager

FILE = Path(__file__).with_suffix(".json")
LARGE_SIZES = (70_000, 1_000_000)
DTYPE_SIZES = (300, 10_000)
PARTS = {"train": 0.7, "valid": 0.2, "test": 0.1}
SLOW = pytest.mark.slow


def digest(frame: Any, name: str) -> str:
    """Digest a column of folds or parts: the start of a SHA-256."""
    column = eager(frame)[name]
    column = column if isinstance(column, pl.Series) else pl.from_pandas(column.astype("string"))
    codes = column.cast(pl.String).fill_null("-").str.join(" ").item()
    return hashlib.sha256(codes.encode()).hexdigest()[:8]


def draws(place: int, n_rows: int) -> Any:
    """Draw numbers 0..2**32-1 for the rows, the same with every version of NumPy."""
    return np.random.PCG64DXSM(place).random_raw(n_rows) >> np.uint64(32)


def large_data(n: int) -> dict[str, Any]:
    """Columns of n rows, of all that rows are stratified, grouped and ranked by."""
    return {
        "label": np.array([*"bacd"])[np.searchsorted([500, 800, 990], draws(0, n) % 997)],
        "rare": np.where(draws(1, n) % (n // 4) == 0, draws(2, n) % 3, 3).astype(np.int64),
        "sex": np.array(["f", "m"])[draws(3, n) % 2],
        "gaps": np.where(draws(4, n) % 10 == 0, np.nan, (draws(4, n) % 7).astype(float)),
        "price": draws(5, n) / 1024 + 0.125,
        "age": (draws(6, n) % 90).astype(np.int64),
        "x": draws(7, n) / 2**32,
        "group": (draws(8, n) % 5_000).astype(np.int64),
        "site": (draws(9, n) % 40).astype(np.int64),
        "id": np.arange(n)[::-1] * 3,
        "name": np.char.add("row ", np.arange(n).astype(str)),
        "chosen": draws(10, n) % 5 > 0,
    }


CLUSTERS = sf.clusters(["x", "price"], n=5, algorithm="minibatch")
LARGE: dict[str, tuple[Any, dict[str, Any]]] = {
    "no strata": (None, {}),
    "label": ("label", {}),
    "label, key": ("label", {"key": "id"}),
    "label, text key": ("label", {"key": "name"}),
    "label, two keys": ("label", {"key": ["site", "id"]}),
    "label, groups": ("label", {"groups": "group"}),
    "label, few groups": ("label", {"groups": "site"}),
    "no strata, two groups": (None, {"groups": ["site", "sex"]}),
    "hash": (None, {"key": "group", "deal": "hash"}),
    "text hash": (None, {"key": "name", "deal": "hash"}),
    "label, where": ("label", {"where": "chosen"}),
    "label, where, key": ("label", {"where": "chosen", "key": "id"}),
    "missing is a stratum": (["label", sf.classes("gaps")], {"missing": "stratum"}),
    "missing stays null": (["label", sf.classes("gaps")], {"missing": "null"}),
    "rare is pooled": ("rare", {"rare": "pool"}),
    "rare stays null": ("rare", {"rare": "null"}),
    "three labels, seed 1": (["label", "sex", "site"], {"seed": 1}),
    "many strata": (["age", "site", "sex", "label"], {}),
    "many strata, key": (["age", "site", "sex", "label"], {"key": "id"}),
    "circular": (["label", "age"], {"deal": "circular"}),
    "continuous": (sf.continuous("price"), {}),
    "label, continuous, key": (["label", sf.continuous("age")], {"key": "id"}),
    "continuous, groups": (sf.continuous("price"), {"groups": "group"}),
    "quantiles": (sf.quantiles("price", 20), {}),
    "label, quantiles, key": (["label", sf.quantiles("price", 20)], {"key": "id"}),
    "bins": (["label", sf.bins("age", [0, 18, 65, 120])], {}),
    "clusters": (["label", CLUSTERS], {}),
    "chain": (["site", "age", sf.chain("x")], {}),
    "nearest": (["site", "age", sf.nearest(["x", "price"])], {}),
    "margins": (sf.margins(["label", "sex", "site", sf.quantiles("price", 10)]), {}),
}
COSTLY = {"chain", "nearest"}
"""Calls that take much of the time, which `tests/golden.json` has for few rows."""


def large_folds(frame: Any, calls: Iterable[str] = LARGE) -> Iterator[tuple[str, str]]:
    """Digest the folds and parts of calls on a large frame."""
    for name in calls:
        by, options = LARGE[name]
        options = options if options.get("deal") == "hash" else {"rare": "ignore", **options}
        yield f"{name}: kfold", digest(sf.kfold(frame, by, 5, **options), "fold")
        if "null" not in options.values():
            yield f"{name}: split", digest(sf.split(frame, by, PARTS, **options), "split")


def makers() -> tuple[dict[str, Any], dict[str, Any]]:
    """How Arrow types and Python objects are made of whole numbers."""
    day = dt.date(2020, 1, 1)
    midnight = dt.datetime(2020, 1, 1)
    arrow: dict[str, Any] = {
        "bool": (pa.bool_(), lambda i: i % 2 == 0),
        "string": (pa.string(), lambda i: f"v{i}"),
        "large_string": (pa.large_string(), lambda i: f"v{i}"),
        "binary": (pa.binary(), lambda i: b"%d" % i),
        "date32": (pa.date32(), lambda i: day + dt.timedelta(i)),
        "date64": (pa.date64(), lambda i: day + dt.timedelta(i)),
        "time64": (pa.time64("us"), lambda i: dt.time(i // 3600, i // 60 % 60, i % 60)),
        "timestamp": (pa.timestamp("ns"), lambda i: midnight + dt.timedelta(seconds=i)),
        "timestamp, zone": (pa.timestamp("us", "UTC"), lambda i: midnight + dt.timedelta(hours=i)),
        "duration": (pa.duration("ms"), lambda i: dt.timedelta(i)),
        "decimal": (pa.decimal128(30, 2), lambda i: Decimal(i) / 4),
        "dictionary": (pa.dictionary(pa.int32(), pa.string()), lambda i: f"v{i}"),
        **{name: (getattr(pa, name)(), int) for name in ("int16", "int64", "uint32", "uint64")},
        **{name: (getattr(pa, name)(), lambda i: i / 4) for name in ("float32", "float64")},
    }
    objects: dict[str, Any] = {
        "text": lambda i: f"v{i}",
        "bytes": lambda i: b"%d" % i,
        "dates": lambda i: day + dt.timedelta(i),
        "datetimes": lambda i: midnight + dt.timedelta(i),
        "times": lambda i: dt.time(i // 3600, i // 60 % 60, i % 60),
        "decimals": lambda i: Decimal(i) / 4,
        "wide integers": lambda i: 2**70 + i,
        "integers": int,
        "floats": lambda i: i / 4,
        "uuids": lambda i: uuid.UUID(int=i),
        "mixed": lambda i: i if i % 2 else f"v{i}",
        "bools": lambda i: i % 2 == 0,
        "tuples": lambda i: (i, "a"),
    }
    return arrow, objects


NUMPY = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint64", "float32", "float64"]
NULLABLE = ["boolean", "Int16", "Int64", "UInt64", "Float32", "Float64"]
TIMES = ["datetime64[ns]", "datetime64[us]", "datetime64[s]", "datetime64[ns, Asia/Tokyo]"]
TIMES += ["timedelta64[ns]", "timedelta64[s]"]
POLARS: dict[str, Any] = {
    **{str(kind): kind for kind in (pl.Int8, pl.Int32, pl.Int64, pl.UInt8, pl.UInt64, pl.Int128)},
    **{str(kind): kind for kind in (pl.Float32, pl.Float64, pl.String, pl.Boolean)},
}


def series_of_pandas(values: Any, missing: Any) -> Iterator[tuple[str, Any]]:
    """Make a pandas series of every dtype from whole numbers; some rows may be missing."""
    plain = pd.Series(values)
    gaps = missing.any()
    for name in NUMPY:
        if not gaps or "float" in name:
            small = plain / 4 if "float" in name else plain % 100 if "t8" in name else plain
            cast = small.astype(name)
            yield name, cast.mask(missing) if gaps else cast
    for name in NULLABLE:
        small = plain % 2 == 0 if name == "boolean" else plain / 4 if "F" in name else plain
        yield name, small.astype(name).mask(missing)
    for name in TIMES:
        yield name, plain.mul(10**9 if "[ns" in name else 1).astype(name).mask(missing)
    text = ("v" + plain.astype(str)).astype(object)
    for name in ("str", "string", "string[pyarrow]", "category"):
        yield name, text.mask(missing).astype(name)
    yield "category of integers", plain.astype("category").mask(missing)
    yield "period", pd.Series(pd.PeriodIndex.from_ordinals(values, freq="D")).mask(missing)
    intervals = pd.Series(pd.arrays.IntervalArray.from_breaks(np.arange(10**4 + 1)))
    yield "interval", intervals.take(values % 10**4).reset_index(drop=True).mask(missing)
    arrow, objects = makers()
    rows = list(zip(values.tolist(), missing, strict=True))
    for name, (kind, of) in arrow.items():
        items = pa.array([None if gone else of(i) for i, gone in rows], kind)
        yield f"arrow {name}", pd.Series(pd.arrays.ArrowExtensionArray(items))
    for name, of in objects.items():
        items = [None if gone else of(i) for i, gone in rows]
        yield f"objects: {name}", pd.Series(items, dtype=object)


def series_of_polars(values: Any, missing: Any) -> Iterator[tuple[str, Any]]:
    """Make a Polars series of every dtype from whole numbers; some rows may be missing."""
    plain = pl.select(pl.when(~pl.Series(missing)).then(pl.Series(values))).to_series()
    text = ("v" + plain.cast(pl.String)).alias("a")
    for name, kind in POLARS.items():
        of = plain / 4 if "Float" in name else plain % 100 if name.endswith("8") else plain
        of = plain % 2 == 0 if name == "Boolean" else of
        yield name, text if name == "String" else of.cast(kind)
    yield "Categorical", text.cast(pl.Categorical)
    yield "Enum", text.cast(pl.Enum(text.drop_nulls().unique().sort(descending=True)))
    yield "Date", plain.cast(pl.Date)
    yield "Time", (plain * 10**9).cast(pl.Time)
    yield "Datetime(ns)", plain.cast(pl.Datetime("ns"))
    yield "Datetime(us, zone)", (plain * 10**6).cast(pl.Datetime("us", "Asia/Tokyo"))
    yield "Datetime(ms)", plain.cast(pl.Datetime("ms"))
    yield "Duration", plain.cast(pl.Duration("ms"))
    yield "Decimal", plain.cast(pl.Decimal(30, 2))
    yield "Binary", text.cast(pl.Binary)


USES: dict[str, tuple[Any, dict[str, Any]]] = {
    "label": ("a", {}),
    "classes": (sf.classes("a"), {}),
    "number": (sf.quantiles("a", 7), {}),
    "order": (sf.continuous("a"), {}),
    "bins": (sf.bins("a", [0, 3, 11.5, 10**6]), {}),
    "feature": (sf.nearest(["a"]), {}),
    "margin": (sf.margins(["a", "b"]), {}),
    "group": ("b", {"groups": "a"}),
    "key": ("b", {"key": "a"}),
    "hash": (None, {"key": "a", "deal": "hash"}),
}


def dtype_folds(library: str, n: int) -> Iterator[tuple[str, str]]:
    """Digest the folds of a column of every dtype, in every use; "error" where one is raised."""
    series_of = series_of_pandas
    make = pd.DataFrame
    if library == "polars":
        series_of = series_of_polars
        make = pl.DataFrame
    few = draws(11, n).astype(np.int64) % 23
    gone = draws(12, n) % 11 == 0
    unique = np.argsort(draws(13, n))
    label = draws(14, n).astype(np.int64) % 3
    columns = {"few": (few, gone & False), "gaps": (few, gone), "unique": (unique, gone & False)}
    for kind, (values, missing) in columns.items():
        for dtype, series in series_of(values, missing):
            frame = make({"a": series, "b": label})
            uses = {use: call for use, call in USES.items() if (use == "key") == (kind == "unique")}
            found = [f"{use} {folds_or_error(frame, *call)}" for use, call in uses.items()]
            yield f"{dtype}, {kind}", ", ".join(found)


def folds_or_error(frame: Any, by: Any, options: dict[str, Any]) -> str:
    """Digest the folds of a call; missing values are a stratum where they may be."""
    policy = {"missing": "stratum", "rare": "ignore"}
    if options.get("deal") == "hash":  # which takes no policy
        policy = {}
    with suppress(sf.StratError):
        return digest(sf.kfold(frame, by, 5, **options, **policy), "fold")
    return "error"


def frozen(name: str) -> dict[str, str]:
    """Read the digests of one library's calls."""
    found: dict[str, dict[str, str]] = json.loads(FILE.read_text())
    return found[name]


@pytest.mark.parametrize("n", [DTYPE_SIZES[0], pytest.param(DTYPE_SIZES[1], marks=SLOW)])
@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_folds_of_every_dtype(library: str, n: int) -> None:
    """A column of any dtype gets the frozen folds in every use, or the frozen error."""
    found = dict(dtype_folds(library, n))
    expected = frozen(f"{library}, {n:,} rows")
    if library == "pandas" and pd.__version__.startswith("2."):
        del found["str, gaps"], expected["str, gaps"]  # `str` makes text of missing values there
    assert found == expected


MANY = [
    pytest.param(pl.DataFrame, LARGE_SIZES[0], LARGE.keys() - COSTLY, id="many"),
    pytest.param(pl.DataFrame, LARGE_SIZES[0], COSTLY, marks=SLOW, id="many, costly"),
    pytest.param(pl.DataFrame, LARGE_SIZES[1], LARGE, marks=SLOW, id="a million"),
    pytest.param(pd.DataFrame, LARGE_SIZES[1], LARGE, marks=SLOW, id="a million, pandas"),
]


@pytest.mark.parametrize(("make", "n", "calls"), MANY)
@pytest.mark.filterwarnings("ignore::stratframe.StratWarning")
def test_folds_of_many_rows(make: Any, n: int, calls: set[str]) -> None:
    """Every strategy gives many rows the frozen folds and parts, on both libraries."""
    found = dict(large_folds(make(large_data(n)), calls))
    every = frozen(f"{n:,} rows")
    expected = {name: every[name] for name in every if name.rpartition(": ")[0] in calls}
    if sklearn.__version__ != frozen("versions")["scikit-learn"]:  # whose clusters these are
        found |= {name: expected[name] for name in found if name.startswith("clusters")}
    assert found == expected


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    found: dict[str, dict[str, str]] = {"versions": {"scikit-learn": sklearn.__version__}}
    for n in LARGE_SIZES:
        found[f"{n:,} rows"] = dict(large_folds(pl.DataFrame(large_data(n))))
    for name, n in product(("pandas", "polars"), DTYPE_SIZES):
        found[f"{name}, {n:,} rows"] = dict(dtype_folds(name, n))
    FILE.write_text(json.dumps(found, indent=1) + "\n")
