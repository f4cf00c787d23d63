"""Random calls of every verb on the rows of any engine, which pandas and Polars answer too."""

from __future__ import annotations

from running import Case

import re
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
from polars import selectors as cs

import stratframe as sf

NAMES = [
    "label",
    "a.b",
    "`quoted`",
    "two words",
    "n",
    "s",
    "u",
    "c0",
    "u0",
    "k0",
    "low0",
    "cell",
    "value",
    "parent",
    "size",
    "select",
    "1",
    "größe",
    "x``y",
    "a.`b`",
    "Mixed",
]
"""Names of columns, those that the passes use for themselves too."""
EPOCH = datetime(1970, 1, 1)
CLASSES: dict[str, Callable[[int], Any]] = {
    "text": lambda i: ("", "a", "A", "ä", "Ä", "a ", "日本", "x" * 40)[i % 8],
    "integer": lambda i: (0, 1, -1, 2**31, -(2**63), 2**63 - 1)[i % 6],
    "small": lambda i: (0, 127, -128)[i % 3],
    "boolean": lambda i: i % 2 == 0,
    "decimal": lambda i: Decimal((0, 1, -1, 250)[i % 4]) / 100,
    "date": lambda i: date(1, 1, 1) + timedelta(days=(0, 1, 577_725, 719_162, 3_652_058)[i % 5]),
    "naive": lambda i: EPOCH + timedelta(microseconds=(0, 1, -1, 10**16, -(10**16))[i % 5]),
    "aware": lambda i: EPOCH + timedelta(hours=i % 5 * 10_000),
    "time": lambda i: time(i % 4 * 7, 0, 0, i % 2),
    "binary": lambda i: (b"", b"\0", b"a", b"A", b"\xff" * 9)[i % 5],
    "whole": lambda i: (0.0, -0.0, 1.0, -1.0, 2.0**53)[i % 5],
    "single": lambda i: (0.0, float("nan"), -0.0, 1.0, 2.0**24)[i % 5],
    "category": lambda i: ("A", "a", "z")[i % 3],
}
"""Values of a column of classes, from its number."""
KEYS: dict[str, Callable[[int], Any]] = {
    "integer": lambda i: i * 2**50 - 2**62,
    "text": lambda i: ("k", "K", "ß", "SS")[i % 4] * (i // 4 + 1),
    "decimal": lambda i: Decimal(i * 10**7 - 5),
    "date": lambda i: date(1, 1, 1) + timedelta(days=i * 701),
    "naive": lambda i: EPOCH + timedelta(microseconds=(i - 100) * 10**13 + i),
    "binary": lambda i: bytes([i % 256, 0, i // 256]),
    "whole": lambda i: float(i - 7) * 2.0**45,
    "half": lambda i: i / 2,
    "duration": lambda i: timedelta(microseconds=i * 10**9 - 10**11),
}
"""Different values for each row."""
TYPES: dict[str, Any] = {
    "small": pl.Int8,
    "decimal": pl.Decimal(20, 2),
    "naive": pl.Datetime("us"),
    "aware": pl.Datetime("us", "UTC"),
    "single": pl.Float32,
    "category": pl.Enum(["A", "a", "z"]),
    "duration": pl.Duration("us"),
}
ORDERED = ["integer", "decimal", "date", "naive", "whole", "half", "duration"]
"""Kinds of keys that have quantiles."""
PARTS = {"train": 0.6, "valid": 0.3, "test": 0.1}
LIMITS = {"quantiles.SORTED_ROWS": 0, "spark.windows.COLLECTED_ROWS": 0}
LIMITS |= {"spark.order_statistics.SORTED_ROWS": 0, "cells.MAX_CELLS": 4096}
LIMITS |= {"dask.alike.FEW_ROWS": 4, "quantiles.MAX_COUNTS": 8, "dask.passes.FAN_IN": 2}
LIMITS |= {"spark.windows.SMALL": 7, "spark.call.UNROLLED": 1}
"""Figures of `stratframe.engines` that make a few rows take the path of many."""
REFUSED = (
    "is not possible on",
    "cannot be combined with `groups` and quantiles",
    "because the driver holds their counts",
    "must have no missing values on",
    "on Spark, got",
)
"""What the errors say that pandas does not raise."""


class Rows:
    """One random frame, and one random call on it."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        n = self.n = int(rng.choice([1, 7, 60, 300, 3000], p=[0.05, 0.15, 0.4, 0.3, 0.1]))
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
        for name, options, few in (("amount", ORDERED, n), ("group", list(KEYS), n // 3)):
            kind = str(rng.choice(options))
            columns[name] = self.series(KEYS[kind], kind, rng.integers(0, few + 1, n), nulls=True)
        columns["day"] = pl.Series(19_662 + rng.integers(0, 200, n), dtype=pl.Int32).cast(pl.Date)
        columns["instant"] = columns["day"].cast(pl.Datetime("us")) + timedelta(hours=7)
        for name, given in (("fold_given", list(range(4))), ("split_given", list(PARTS))):
            columns[name] = self.series(given.__getitem__, "", rng.integers(0, len(given), n))
            if rng.random() < 0.8:
                columns[name] = columns[name].set(pl.Series(rng.random(n) < 0.4), None)
        self.frame = pl.DataFrame(columns)
        self.call = self.draw_call(labels, keys)
        if self.call[0] != "folds" and rng.random() < 0.4:
            self.use_column_twice(self.call[1], labels)

    def series(self, value: Any, kind: str, numbers: Any, *, nulls: bool = False) -> pl.Series:
        """Make a column of a kind, with nulls or without."""
        values = [value(int(i)) for i in numbers]
        if nulls and self.rng.random() < 0.4:
            missing = self.rng.random(len(values)) < 0.2
            values = [None if gone else each for gone, each in zip(missing, values, strict=True)]
        return pl.Series(values, dtype=TYPES.get(kind), strict=False)

    def choose(self, *options: Any) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def draw_call(self, labels: list[str], keys: list[str]) -> tuple[str, dict[str, Any]]:
        rng = self.rng
        often = [*["kfold"] * 3, *["split"] * 2, *["extend"] * 2]
        verb = self.choose(*often, "sample", "plan", "balance", "report", "folds", "folds")
        if verb == "folds":
            return verb, self.draw_rule(labels)
        is_table = verb in ("balance", "report")
        by: list[Any] = rng.permutation(labels[: 3 - is_table])[: rng.integers(1, 3)].tolist()
        # Decimals with fractions are continuous, which frames of engines cannot have.
        by = [sf.classes(name) if self.frame[name].dtype.is_decimal() else name for name in by]
        if is_table:
            return verb, {"by": by, "name": self.choose(labels[-1], "fold_given", "split_given")}
        if rng.random() < 0.3:
            quantiles = sf.quantiles(self.choose("half", "amount"), self.choose(2, 3, 9, 70))
            by.insert(int(rng.integers(0, len(by) + 1)), quantiles)
        elif rng.random() < 0.2:
            by.append(sf.bins("half", [0, 1, 20, 10**6], closed=self.choose("left", "right")))
        if verb == "sample":
            n_rows = {"n": int(rng.integers(1, self.n + 1))}
            size = self.choose(n_rows, {"frac": 0.3}, {"each": int(rng.integers(1, 5))})
            return verb, {"by": by, "key": keys, "seed": int(rng.integers(9)), **size}
        options: dict[str, Any] = {"by": by, "key": keys, "rare": "ignore"}
        options |= {"missing": self.choose("error", *["stratum"] * 4), "seed": int(rng.integers(9))}
        if verb == "extend":
            k = {"k": self.choose(None, 4)}
            parts = {"parts": self.choose(None, PARTS)}
            own = self.choose({"name": "fold_given", **k}, {"name": "split_given", **parts})
            return verb, options | own | {"missing": self.choose(options["missing"], "null")}
        return verb, self.draw_deal(verb, labels, options)

    def draw_deal(self, verb: str, labels: list[str], options: dict[str, Any]) -> dict[str, Any]:
        """Draw more arguments of a call that deals rows, or plans that."""
        if self.rng.random() < 0.3:
            options["where"] = self.choose("some", lambda df: df["half"] > 2)
        chance = self.rng.random()
        if chance < 0.2 and verb != "plan":
            whole = self.frame.select(cs.by_name(labels) - cs.decimal() - cs.float())
            whole = [each.name for each in whole if not each.null_count()]
            options = {name: options[name] for name in {"key", "seed", "where"} & {*options}}
            options |= {"key": self.choose(options["key"], *whole), "deal": "hash"}
        elif chance < 0.5:
            del options["key"]
            options["groups"] = self.choose("group", "group", ["group", labels[0]], labels[0])
            if verb == "kfold":
                options["missing"] = "null"
        if verb != "plan":
            options["repeats"] = self.choose(1, 2)
        if verb == "split" or (verb == "plan" and self.rng.random() < 0.5):
            if "key" in options and "deal" not in options and self.rng.random() < 0.3:
                return options | {"each": int(self.rng.integers(1, 5))}
            return options | {"parts": PARTS}
        if "deal" not in options:
            options["rare"] = self.choose("ignore", "null", "pool")
        return options | {"k": self.choose(2, 3, 4, 4, 4, 70)}

    def use_column_twice(self, options: dict[str, Any], labels: list[str]) -> None:
        """Let several arguments of a call, or several entries of one, use the same column."""
        name = self.choose("half", "some", "amount", "amount", "group", *labels)
        arguments = [each for each in ("by", "groups", "key", "where") if each in options]
        for _ in range(self.choose(2, 2, 3)):
            argument = self.choose(*arguments)
            if argument == "by":
                self.insert_entry(options["by"], name)
                if "groups" in options and self.rng.random() < 0.2:
                    options["by"].append(sf.continuous(name))
            elif argument == "groups":
                options["groups"] = self.choose(name, [*as_list(options["groups"]), name])
            elif argument == "where":
                options["where"] = self.choose("some", lambda df: df["half"] > 2)
            elif self.is_comparable_key(name, options):
                options["key"] = [*as_list(options["key"]), name]

    def is_comparable_key(self, name: str, options: dict[str, Any]) -> bool:
        """Return whether engines name the same fault of a key as pandas."""
        n_missing = self.frame[name].null_count()
        if "deal" in options:  # a hash deal counts missing keys in each partition
            return n_missing == 0
        return n_missing < self.n  # a column without values has no type on Spark

    def insert_entry(self, by: list[Any], name: str) -> None:
        entries = [sf.classes(name)]
        dtype = self.frame[name].dtype
        if dtype.is_numeric() or dtype.is_temporal():
            n_bins = self.choose(2, 3, 9)
            entries += [sf.quantiles(name, n_bins)] * 2
        if name == "half":
            entries.append(sf.bins(name, [0, 1, 20, 10**6]))
        place = int(self.rng.integers(0, len(by) + 1))
        by.insert(place, self.choose(*entries))

    def draw_rule(self, labels: list[str]) -> dict[str, Any]:
        """Draw how a column of folds is read."""
        name = self.choose("fold_given", "day", "instant", "split_given", labels[0])
        rule = {"name": name, "train": "rest", "nulls": self.choose("train", "drop", "error")}
        rule |= {"apart": self.choose(None, None, "group", ["amount", labels[1]])}
        if name == "split_given":
            return rule | {"train": self.choose("train", ["train", "valid"])}
        if name in ("day", "instant"):
            rule["every"] = self.choose(None, "1d", "1w", "1mo", "1q", "1y", "2mo")
        if name != labels[0] and self.rng.random() < 0.7:
            order = {"last": self.choose(None, 1, 2), "gap": self.choose(0, 1)}
            past = {"train": "past", "window": self.choose(None, 2)}
            past |= {"horizon": self.choose(1, 1, 2), "step": self.choose(None, 1)}
            rule |= order | self.choose({}, past) | {"nulls": "drop"}
        return rule

    def local(self, *, numpy: bool) -> Any:
        arrow = not numpy or self.rng.random() < 0.5
        return self.choose(self.frame, self.frame.to_pandas(use_pyarrow_extension_array=arrow))

    def __str__(self) -> str:
        return f"{self.frame.schema}\n{self.frame}"


def as_list(names: Any) -> list[Any]:
    return names if isinstance(names, list) else [names]


def make_call(verb: Callable[..., Any], frame: Any, **options: Any) -> Any:
    """List the folds of a call in the order of `row`, or the values of a table in their own."""
    result = verb(frame, **options)
    if verb is sf.folds:
        pairs = islice(result, 3)
        return [(plain(each.fold), *(listed(rows)["row"] for rows in each)) for each in pairs]
    return listed(result)


def listed(result: Any) -> dict[str, list[Any]]:
    """List the rows and the folds of a frame in the order of `row`, or the columns of a table."""
    if hasattr(result, "toArrow"):
        result = pl.from_arrow(result.toArrow())
    if hasattr(result, "compute"):
        result = result.compute()
    columns = {name: list(result[name]) for name in result.columns}
    if "row" not in columns:
        return {name: [plain(value) for value in values] for name, values in columns.items()}
    order = np.argsort(columns["row"])
    new = [name for name in columns if name.startswith(("fold", "split", "row"))]
    return {name: [plain(columns[name][i]) for i in order] for name in new}


def plain(value: Any) -> Any:
    """Write a cell as every library does: missing values are None."""
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return None
    if isinstance(value, datetime):  # Spark's are of the time zone of its session, which is UTC
        return value.replace(tzinfo=None)
    return value.item() if isinstance(value, np.generic) else value


def check_call(case: Case, spread: Callable[[Rows, Any], Any], *, numpy: bool = False) -> None:
    """Check one call on an engine against pandas or Polars; of an error the first line counts."""
    drawn = Rows(np.random.default_rng(case.rng.getrandbits(64)))
    verb, options = drawn.call
    limits = {name: value for name, value in LIMITS.items() if drawn.rng.random() < 0.3}
    case.notes.append(f"{drawn}\n{verb} {options}\n{limits}")
    with warnings.catch_warnings(), ExitStack() as small:
        warnings.simplefilter("ignore")
        frame = drawn.local(numpy=numpy)
        own = dict(options)
        if callable(options.get("where")) and isinstance(frame, pl.DataFrame):
            own["where"] = options["where"]({"half": pl.col("half")})
        expected = case.answer(make_call, getattr(sf, verb), frame, **own)
        rows, options = spread(drawn, frame)
        for name, value in limits.items():
            small.enter_context(patch(f"stratframe.engines.{name}", value))
        found = case.answer(make_call, getattr(sf, verb), rows, **options)
    if isinstance(found, sf.StratError) and any(words in str(found) for words in REFUSED):
        return
    refused = [isinstance(each, sf.StratError) for each in (expected, found)]
    # Engines do not list the rows at fault, show labels of other types, and count rows first.
    first = [str(each).partition("\n")[0].casefold() for each in (expected, found)]
    told = [re.sub(r"( |[\w.]*)\(.*?\)+", "", line) for line in first]
    agrees = told[0] == told[1] or "at most" in told[1] if all(refused) else expected == found
    assert agrees, f"{verb}: expected {expected}\nfound    {found}"
