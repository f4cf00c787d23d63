"""Dask frames of random types against pandas, and random calls.

In half of the cases each column is stored in one random type (NumPy, nullable and pyarrow types,
Python objects, categories), in types of one kind, or in a random type in each partition. Folds and
counts of strata must be those of pandas, of the frame before it was cut or of the partitions put
together, or the call ends in a `StratError`: for several types only where kinds differ. Nothing
else may be raised.
"""

from running import Case, run

import warnings
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from polars import selectors

import stratframe as sf
from tests.fuzz.calls import Rows, check_call

START = datetime(2024, 2, 28)
VALUES = {
    "integer": lambda i: i - 3,
    "large integer": lambda i: 2**53 + i,
    "beyond int64": lambda i: 2**63 - 2 + i,
    "whole float": float,
    "float": lambda i: i / 4 - 1,
    "boolean": lambda i: i % 2 == 0,
    "text": lambda i: f"{i}-é",
    "text of numbers": lambda i: str(i),
    "date": lambda i: date(2024, 2, 27) + timedelta(i),
    "datetime": lambda i: START + timedelta(hours=i),
    "aware": lambda i: (START + timedelta(hours=i)).replace(tzinfo=UTC),
    "duration": lambda i: timedelta(minutes=i),
    "decimal": lambda i: Decimal(i) / 4,
    "bytes": lambda i: bytes([i % 256, i // 256]),
}
"""The i-th value of each kind."""
STORED = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint64",
    "Int64",
    "Int32",
    "UInt64",
    "float32",
    "float64",
    "Float64",
    "bool",
    "boolean",
    "str",
    "string",
    "category",
    "datetime64[s]",
    "datetime64[us]",
    "datetime64[ns]",
    "timedelta64[s]",
    "timedelta64[ns]",
    "datetime64[s, UTC]",
    "datetime64[ns, UTC]",
    "datetime64[ns, Europe/Rome]",
    "int64[pyarrow]",
    "double[pyarrow]",
    "bool[pyarrow]",
    "string[pyarrow]",
    "timestamp[us][pyarrow]",
    "date32[day][pyarrow]",
    "duration[ms][pyarrow]",
]
"""Types in which a partition may hold them, besides that of Python objects."""
ONE_KIND = {
    "integer": ["int64", "int32", "Int64", "float64", "float32", "object", "category"],
    "whole float": ["float64", "float32", "Float64", "int64", "double[pyarrow]", "category"],
    "boolean": ["bool", "boolean", "object", "bool[pyarrow]", "category"],
    "text": ["object", "str", "string", "category", "string[pyarrow]"],
    "date": ["object", "date32[day][pyarrow]"],
}
"""Types that may differ from one partition to the next."""


def stored(values: list[Any], dtype: str) -> pd.Series:
    """Store values in a type, or as Python objects where it cannot hold them."""
    objects = pd.Series(values, dtype=object)
    if dtype == "object":
        return objects
    try:
        result = objects.infer_objects().astype(dtype)
        back = result.astype(object)
    except Exception:
        return objects
    same = (back == objects) | (objects.isna() & back.isna())
    return result if dtype == "category" or same.all() else objects


def exact(objects: pd.Series) -> pd.Series:
    """Store whole numbers as such, also where some are missing."""
    present = objects.dropna().tolist()
    if not present or not all(type(value) is int for value in present):
        return objects
    dtype = "Int64" if max(present) < 2**63 else "UInt64"
    return pd.Series(pd.array(objects.tolist(), dtype=dtype), name=objects.name)


class Partitions:
    """The partitions of a random frame, and what its rows are stratified by."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        n = int(rng.integers(8, 70))
        edges = [0, *sorted(rng.integers(0, n + 1, rng.integers(1, 5)).tolist()), n]
        self.edges, self.may_clash = list(pairwise(edges)), False
        self.columns = {name: self.column(n, name) for name in ("id", "a", "b")}
        self.parts = []
        for place, (start, end) in enumerate(self.edges):
            cells = {name: pieces[place] for name, (_, _, pieces) in self.columns.items()}
            self.parts.append(pd.DataFrame(cells).set_axis(range(start, end)))
        by = [None, "a", ["a", "b"], [sf.classes("a")], [sf.classes("b"), sf.quantiles("a", 2)]]
        by += [[sf.quantiles("a", 2), sf.quantiles("b", 2)], ["a", sf.quantiles("b", 2)]]
        by += [[sf.quantiles("a", 2), sf.classes("a")], ["a", sf.bins("a", [-9, 0.5, 99])]]
        by += [["b", sf.quantiles("a", 2), sf.quantiles("a", 3)]]
        self.by = self.choose([*by, sf.quantiles("a", 3), sf.bins("a", [-9, 0.5, 99])])

    def choose(self, options: Any) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def column(self, n: int, name: str) -> tuple[str, list[Any], list[pd.Series]]:
        """Make the values of a column, and store them in each partition."""
        kind = self.choose(list(ONE_KIND if self.rng.random() < 0.6 else VALUES))
        places = self.rng.integers(0, self.choose([2, 4, 12]), n)
        if name == "id":
            while kind == "boolean":
                kind = self.choose(list(VALUES))
            places = self.rng.permutation(n)
        values = [VALUES[kind](int(place)) for place in places]
        if name != "id" and self.rng.random() < 0.4:
            holes = self.rng.random(n) < self.choose([0.1, 0.5])
            values = [None if hole else x for x, hole in zip(values, holes, strict=True)]
        self.may_clash |= kind == "beyond int64"  # where some partitions are not
        return kind, values, self.pieces(kind, values)

    def pieces(self, kind: str, values: list[Any]) -> list[pd.Series]:
        """Store values in each partition: in one type, in several of one kind, or in any."""
        several = self.rng.random()
        if several < 0.5:
            whole = stored(values, self.choose(STORED))
            return [whole[a:b].reset_index(drop=True) for a, b in self.edges]
        may_clash = kind not in ONE_KIND or several < 0.6
        self.may_clash |= may_clash
        types = STORED if may_clash else ONE_KIND[kind]
        return [stored(values[a:b], self.choose(types)) for a, b in self.edges]

    def frames(self) -> list[pd.DataFrame]:
        """List the frame before it was cut, in several types, and the partitions put together."""
        cells = {name: stored(values, "infer") for name, (_, values, _) in self.columns.items()}
        whole = pd.DataFrame(cells)
        # Objects with whole numbers are read as floats, which may round them; Int64 is exact.
        return [whole, whole.infer_objects(), whole.apply(exact), pd.concat(self.parts)]

    def lazy(self) -> Any:
        """Make the Dask frame, in the types of one of the partitions."""
        meta = self.choose(self.parts).iloc[:0]
        return dd.from_map(lambda place: self.parts[place], range(len(self.parts)), meta=meta)

    def __str__(self) -> str:
        types = pd.DataFrame([part.dtypes.astype(str) for part in self.parts])
        rows = pd.DataFrame({name: values for name, (_, values, _) in self.columns.items()})
        types["rows"] = list(map(len, self.parts))
        return f"{types}\n{rows.to_string(max_rows=20)}"


def fold_rows(frame: Any, by: Any, **options: Any) -> list[Any]:
    folds = sf.kfold(frame, by, **options)["fold"]
    return (folds if isinstance(frame, pd.DataFrame) else folds.compute()).tolist()


def count_strata(frame: Any, by: Any, **options: Any) -> list[Any]:
    """List the rows of each stratum and fold of a pandas or Dask frame, the fewest first."""
    return sorted(sf.plan(frame, by, **options)["n"])


def on_dask(drawn: Rows, frame: Any) -> tuple[Any, dict[str, Any]]:
    """Cut a frame of pandas, or that of Polars, into at most 50 partitions."""
    if not isinstance(frame, pd.DataFrame):  # Arrow does not have categories without rows
        categories = {each.name: each.to_pandas() for each in frame.select(selectors.enum())}
        frame = frame.to_pandas(use_pyarrow_extension_array=True).assign(**categories)
    cuts = drawn.rng.integers(0, drawn.n + 1, drawn.choose(0, 1, 3, 49)).tolist()
    frame = frame.iloc[drawn.rng.permutation(drawn.n)]
    parts = [frame.iloc[a:b] for a, b in pairwise([0, *sorted(cuts), drawn.n])]
    return dd.from_map(lambda i: parts[i], range(len(parts)), meta=frame.iloc[:0]), drawn.call[1]


def check(case: Case) -> None:
    """Check a random call, or the folds and the strata of one frame of random types."""
    if case.rng.random() < 0.5:
        check_call(case, on_dask, numpy=True)
        return
    drawn = Partitions(np.random.default_rng(case.rng.getrandbits(64)))
    case.notes.append(str(drawn))
    lazy = drawn.lazy()
    options = {"missing": "stratum", "rare": "ignore", "k": 3}
    options |= drawn.choose([{"key": "id"}, {"key": "id"}, {"key": ["a", "id"]}, {"groups": "a"}])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare(case, drawn, lazy, fold_rows, **options)
        if drawn.by is not None:
            compare(case, drawn, lazy, count_strata, **options)


def compare(case: Case, drawn: Partitions, lazy: Any, verb: Any, **options: Any) -> None:
    """Fail if Dask gives what none of the frames of pandas gives, unless none gives anything."""
    found = case.answer(verb, lazy, drawn.by, **options)
    if isinstance(found, sf.StratError):
        assert drawn.may_clash or "one type" not in str(found), found
        return
    answers = [case.answer(verb, frame, drawn.by, **options) for frame in drawn.frames()]
    expected = [each for each in answers if not isinstance(each, sf.StratError)]
    assert not expected or found in expected, f"{found}, expected {expected}"


if __name__ == "__main__":
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        run(check)
