"""Calls in processes that are forked before any call, and after all; run as a script, as JSON."""

import json
import multiprocessing
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import stratframe as sf

PATIENCE = 30.0
N = 300
DATA: dict[str, Any] = {
    "label": ["a", "b", "c"] * (N // 3),
    "x": np.sin(np.arange(N)),
    "site": [f"s{row % 7}" for row in range(N)],
    "code": [b"%d" % (row % 5) for row in range(N)],
    "day": [datetime(2024, 1, 1) + timedelta(days=row) for row in range(N)],
    "fold": [row % 4 for row in range(N)],
}
DF = pd.DataFrame(DATA)
DF["cat"] = DF["site"].astype("category")
DF["gaps"] = pd.array([None, *range(1, N)], dtype="Int64")
NAMED = DF.assign(name=[f"row {row}" for row in range(N)])
DATED = DF.assign(day=DF["day"].astype(str), fold=[row * 4 // N for row in range(N)])
TAGGED = DF.assign(tags=[["p"]] * N)
MANY = pd.DataFrame({"x": np.sin(np.arange(3000.0)), "y": np.cos(np.arange(3000.0) ** 2)})
FOLDS = sf.schemas.folded(k=4, library="polars")
CLASSES = sf.schemas.needed("label", library="polars")
GAPS = {"note": [None, "a", "b"] * (N // 3), "score": [None, 1, 2] * (N // 3)}
frame = cache(lambda: pl.DataFrame(DATA | GAPS))
WORKS: dict[str, Callable[[], Any]] = {
    "kfold": lambda: sf.kfold(DF, "label", name="new"),
    "kfold, bytes": lambda: sf.kfold(DF, "code", name="new"),
    "kfold, categories": lambda: sf.kfold(DF, "label", k=2, groups="cat", name="new"),
    "kfold, times": lambda: sf.kfold(DF, sf.continuous("day"), name="new"),
    "kfold, gaps": lambda: sf.kfold(DF, sf.continuous("gaps"), missing="null", name="new"),
    "kfold, clusters": lambda: sf.kfold(MANY, sf.clusters(["x", "y"], 3)),
    "cv": lambda: sf.cv(DF),
    "check": lambda: sf.check(DF, "label", groups="site").findings,
    "check, dates as text": lambda: sf.check(DATED, "label").findings,
    "leaks": lambda: sf.leaks(DF, groups="site"),
    "drift": lambda: sf.drift(DF, ["x", "day", "gaps"]),
    "Polars, kfold": lambda: sf.kfold(frame(), "label", name="new"),
    "Polars, check": lambda: sf.check(frame(), "label").findings,
    "Polars, missing classes": lambda: sf.kfold(frame(), "note", name="new"),
    "Polars, missing numbers": lambda: sf.kfold(frame(), sf.quantiles("score", 2), name="new"),
    "kfold, missing numbers": lambda: sf.kfold(DF, sf.quantiles("gaps", 2), name="new"),
    "schema": lambda: sf.schemas.needed(["label", sf.quantiles("x", 3)]).validate(DF),
    "lazy, schema": lambda: FOLDS.validate(frame().lazy()).collect_schema(),
}
"""Calls that need no threads of Polars."""
NEEDS_THREADS: dict[str, Callable[[], Any]] = {
    "kfold, repeated key": lambda: sf.kfold(DF, "label", key="site", name="new"),
    "kfold, contiguous": lambda: sf.kfold(NAMED, key="name", deal="contiguous", name="new"),
    "Polars, schema": lambda: FOLDS.validate(frame()),
    "Polars, schema of all faults": lambda: FOLDS.validate(frame(), lazy=True),
    "Polars, schema of a call": lambda: CLASSES.validate(frame()),
    "cv, periods": lambda: sf.cv(DF, "day", every="1mo"),
    "kfold, tags": lambda: sf.kfold(TAGGED, sf.margins("tags"), name="new"),
    "Polars, folds": lambda: [fold.train for fold in sf.folds(frame())],
    "Polars, sample": lambda: sf.sample(frame(), "label", n=9),
    "lazy, check": lambda: sf.check(frame().lazy(), "label").findings,
    "lazy, parts": lambda: [part.collect() for part in sf.parts(frame().lazy(), "label").values()],
}
"""Calls that cannot do without."""
CALLS = WORKS | NEEDS_THREADS


def answer(name: str) -> str:
    try:
        return repr(CALLS[name]())
    except sf.StratError as error:
        return f"StratError: {error}"


def in_child(name: str) -> str:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=lambda: theirs.send(answer(name)))
    child.start()
    found = ours.recv() if ours.poll(PATIENCE) else "hangs"
    child.kill()
    child.join()
    return str(found)


if __name__ == "__main__":
    before = {name: in_child(name) for name in CALLS}
    known = {name: answer(name) for name in CALLS}
    after = {name: in_child(name) for name in CALLS}
    print(json.dumps([known, before, after]))
