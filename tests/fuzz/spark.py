"""Random calls on Spark frames: folds, parts and tables are those of pandas and Polars."""

from __future__ import annotations

from running import Case, run

import warnings
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import polars as pl

import stratframe as sf
from tests.engines.session import spark_frame, start_session

NAMES = [
    *("label", "a.b", "`quoted`", "two words", "n", "s", "u", "c0", "u0", "k0", "low0", "cell"),
    *("value", "parent", "size", "select", "1", "größe", "x``y", "a.`b`", "Mixed"),
]
"""Names of columns, those that the passes use for themselves too."""

COLLATIONS = [None, "UTF8_LCASE", "UNICODE", "UNICODE_CI_AI"]

EPOCH = datetime(1970, 1, 1)

CLASSES: dict[str, Callable[[int], Any]] = {
    "text": lambda i: ("", "a", "A", "ä", "Ä", "a ", "日本", "x" * 40)[i % 8],
    "integer": lambda i: (0, 1, -1, 2**31, -(2**63), 2**63 - 1)[i % 6],
    "boolean": lambda i: i % 2 == 0,
    "decimal": lambda i: Decimal((0, 1, -1, 250)[i % 4]) / 100,
    "date": lambda i: date(1, 1, 1) + timedelta(days=(0, 1, 577_725, 719_162, 3_652_058)[i % 5]),
    "naive": lambda i: EPOCH + timedelta(microseconds=(0, 1, -1, 10**16, -(10**16))[i % 5]),
    "binary": lambda i: (b"", b"\0", b"a", b"A", b"\xff" * 9)[i % 5],
    "whole": lambda i: (0.0, -0.0, 1.0, -1.0, 2.0**53)[i % 5],
}
"""Values of a column of classes, from its number."""

KEYS: dict[str, Callable[[int], Any]] = {
    "integer": lambda i: i * 2**52 - 2**62,
    "text": lambda i: ("k", "K", "ß", "SS")[i % 4] * (i // 4 + 1),
    "decimal": lambda i: Decimal(i * 10**7 - 5),
    "date": lambda i: date(1, 1, 1) + timedelta(days=i * 7001),
    "naive": lambda i: EPOCH + timedelta(microseconds=(i - 100) * 10**13 + i),
    "binary": lambda i: bytes([i % 256, 0, i // 256]),
    "whole": lambda i: float(i - 7) * 2.0**45,
    "half": lambda i: i / 2,
    "duration": lambda i: timedelta(microseconds=i * 10**9 - 10**11),
}
"""Different values for each row."""

TYPES: dict[str, Any] = {
    "decimal": pl.Decimal(20, 2),
    "naive": pl.Datetime("us"),
    "duration": pl.Duration("us"),
}


class Rows:
    """One random frame, and one random call on it."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        n = self.n = int(rng.choice([1, 7, 60, 300]))
        names = rng.permutation(NAMES).tolist()
        columns = {"row": pl.Series(range(n))}
        kinds = rng.choice(list(CLASSES), 3).tolist()
        labels = [names.pop() for _ in kinds]
        for name, kind in zip(labels, kinds, strict=True):
            columns[name] = self.series(CLASSES[kind], kind, rng.integers(0, 4, n), nulls=True)
        key_kinds = rng.choice(list(KEYS), rng.integers(1, 3), replace=False).tolist()
        keys = [names.pop() for _ in key_kinds]
        for name, kind in zip(keys, key_kinds, strict=True):
            columns[name] = self.series(KEYS[kind], kind, rng.permutation(n))
        columns["half"] = pl.Series(rng.integers(0, n + 1, n) / 2)
        columns["some"] = pl.Series(rng.random(n) < 0.8)
        self.frame = pl.DataFrame(columns)
        self.collations = {
            name: rng.choice(np.array(COLLATIONS, dtype=object))
            for name, series in columns.items()
            if series.dtype == pl.String
        }
        self.call = self.draw_call(labels, keys)

    def series(self, value: Any, kind: str, numbers: Any, *, nulls: bool = False) -> pl.Series:
        """Make a column of a kind, with nulls or without."""
        values = [value(int(i)) for i in numbers]
        if nulls and self.rng.random() < 0.4:
            missing = self.rng.random(len(values)) < 0.2
            values = [None if gone else each for gone, each in zip(missing, values, strict=True)]
        return pl.Series(values, dtype=TYPES.get(kind), strict=False)

    def draw_call(self, labels: list[str], keys: list[str]) -> tuple[str, dict[str, Any]]:
        """Draw a verb and its arguments."""
        rng = self.rng
        by: list[Any] = rng.permutation(labels)[: rng.integers(1, 3)].tolist()
        # Decimals with fractions are continuous, which Spark frames cannot have.
        by = [sf.classes(name) if self.frame[name].dtype.is_decimal() else name for name in by]
        if rng.random() < 0.3:
            by.insert(int(rng.integers(0, len(by) + 1)), sf.quantiles("half", 3))
        elif rng.random() < 0.2:
            by.append(sf.bins("half", [0, 1, 20, 10**6], closed=str(rng.choice(["left", "right"]))))
        verb = str(rng.choice(["kfold", "kfold", "split", "plan", "balance"]))
        if verb == "plan":
            return verb, {"by": by, "key": keys, "rare": "ignore", "missing": "stratum"}
        if verb == "balance":
            return verb, {"by": by[:1], "name": labels[-1]}
        options: dict[str, Any] = {"by": by, "key": keys, "rare": "ignore"}
        options |= {"missing": str(rng.choice(["error", "stratum"])), "seed": int(rng.integers(9))}
        if rng.random() < 0.3:
            options["where"] = "some"
        if verb == "kfold":
            options |= {"k": int(rng.integers(2, 5)), "repeats": int(rng.integers(1, 3))}
            options["rare"] = str(rng.choice(["ignore", "null", "pool"]))
        else:
            options["parts"] = {"train": 0.6, "valid": 0.3, "test": 0.1}
        return verb, options

    def on_pandas_or_polars(self) -> Any:
        """Return the frame as one of the two."""
        if self.rng.random() < 0.5:
            return self.frame.to_pandas(use_pyarrow_extension_array=True)
        return self.frame

    def on_spark(self, session: Any) -> tuple[Any, dict[str, Any]]:
        """Return the frame on Spark, and names of columns in other cases or as columns."""
        from pyspark.sql import functions as fn

        order = self.rng.permutation(self.n)
        rows = spark_frame(session, self.frame[order], int(self.rng.integers(0, 5)))
        for name, collation in self.collations.items():
            if collation is not None:
                rows = rows.withColumn(name, fn.collate(rows[quoted(name)], collation))
        for name, dtype in self.frame.schema.items():
            if dtype == pl.Datetime and self.rng.random() < 0.5:
                rows = rows.withColumn(name, rows[quoted(name)].cast("timestamp_ntz"))
        verb, options = self.call
        if verb in ("kfold", "split"):
            options = {name: self.rewritten(value) for name, value in options.items()}
        return rows, options

    def rewritten(self, value: Any) -> Any:
        """Write the name of a column as users of Spark may."""
        from pyspark.sql import functions as fn

        if isinstance(value, list):
            return [self.rewritten(each) for each in value]
        if not isinstance(value, str) or value not in self.frame.columns:
            return value
        name = value.upper() if value.isascii() and self.rng.random() < 0.5 else value
        return fn.col(quoted(name)) if self.rng.random() < 0.5 else name

    def __str__(self) -> str:
        """Write the rows, their types and their collations."""
        schema = {name: str(dtype) for name, dtype in self.frame.schema.items()}
        return f"{schema}\ncollations: {self.collations}\n{self.frame}"


def quoted(name: str) -> str:
    """Quote a name for Spark."""
    return f"`{name.replace('`', '``')}`"


def make_call(verb: Callable[..., Any], frame: Any, **options: Any) -> dict[str, list[Any]]:
    """List the folds of a call in the order of `row`, or the values of a table in their own."""
    result = verb(frame, **options)
    if hasattr(result, "toArrow"):
        result = pl.from_arrow(result.toArrow())
    columns = {name: list(result[name]) for name in result.columns}
    if "row" not in columns:
        return {name: [plain(value) for value in values] for name, values in columns.items()}
    order = np.argsort(columns["row"])
    new = [name for name in columns if name.startswith(("fold", "split"))]
    return {name: [plain(columns[name][i]) for i in order] for name in new}


def plain(value: Any) -> Any:
    """Write a cell as every library does: missing values are None."""
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return None
    if isinstance(value, datetime):
        # Spark reads a naive time as one of the time zone of its session, which is UTC.
        return value.replace(tzinfo=None)
    return value.item() if isinstance(value, np.generic) else value


def check(session: Any, case: Case) -> None:
    """Check one call on Spark against pandas or Polars; of an error the type counts."""
    import stratframe.spark as sf_spark

    drawn = Rows(np.random.default_rng(case.rng.getrandbits(64)))
    case.notes.append(str(drawn))
    verb, options = drawn.call
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = drawn.on_pandas_or_polars()
        expected = case.answer(make_call, getattr(sf, verb), frame, **options)
        rows, options = drawn.on_spark(session)
        found = case.answer(make_call, getattr(sf_spark, verb), rows, **options)
    refusals = [isinstance(each, sf.StratError) for each in (expected, found)]
    assert all(refusals) or expected == found, f"expected {expected}\nfound    {found}"


if __name__ == "__main__":
    session = start_session()
    try:
        run(partial(check, session))
    finally:
        session.stop()
