"""The calls in the tables of the README and of the pages for choosing can be made."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import KFold

import stratframe as sf
from tests.helpers import run_shown

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [DOCS.parent / "README.md", DOCS / "index.md", DOCS / "which.md"]
PAGES += sorted((DOCS / "coming-from").glob("*.md"))

OURS = ("Call", "stratframe")  # the headings above calls of this package
CALL = re.compile(r"`((?:df|sf|pl)\.[^`]*\))`")
FIRST_VERB = re.compile(r"(?:strat|sf)\.(\w+)\(")


def cells(page: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and text of the cells of a page that hold calls."""
    column = None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        row = [cell.strip() for cell in line.strip("|").split("|")] if line[:1] == "|" else []
        heading = next((name for name in OURS if name in row), None)
        if not row:
            column = None
        elif heading:
            column = row.index(heading)
        elif column is not None and set(row[column]) != set("-"):
            yield number, row[column]


CALLS = {
    call: f"{page.relative_to(DOCS.parent)}:{number}"
    for page in reversed(PAGES)
    for number, cell in reversed([*cells(page)])
    for call in CALL.findall(cell)
}
"""All calls in the tables, each with the first line where it stands."""


@cache
def make_rows() -> dict[str, Any]:
    """Make the columns that the tables name: 240 rows in which nothing is wrong."""
    n = 240
    rng = np.random.default_rng(0)
    tags = {tag: rng.integers(0, 2, n).tolist() for tag in ("sea", "sun", "snow")}
    blocks = {"patient": 4, "device": 8, "target": 15, "month": 20}
    turns = {"row": 5, "column": 7, "drug": 15}
    return {
        "id": list(range(n)),
        "label": rng.choice(["cat", "dog"], n).tolist(),
        "grade": [None if row % 10 == 0 else "ab"[row % 2] for row in range(n)],
        **{name: rng.normal(size=n).tolist() for name in ("price", "x1", "x2")},
        "age": rng.integers(20, 80, n).tolist(),
        "sex": rng.choice(["f", "m"], n).tolist(),
        "site": [f"s{row % 6}" for row in range(n)],
        "arm": rng.choice(["drug", "placebo"], n).tolist(),
        "event": rng.random(n) < 0.4,
        "time": rng.exponential(size=n).tolist(),
        **{name: [row // size for row in range(n)] for name, size in blocks.items()},
        **{name: [row % size for row in range(n)] for name, size in turns.items()},
        "text": [f"text {row % 200}" for row in range(n)],
        "day": [datetime(2024, 1, 1) + timedelta(days=row) for row in range(n)],
        "weight": rng.lognormal(size=n).tolist(),
        "tags": [[tag for tag in tags if tags[tag][row]] for row in range(n)],
        "labels": [list(row) for row in zip(*tags.values(), strict=True)],
        **tags,
    }


@cache
def make_frame(make: Callable[[dict[str, Any]], Any], verb: str) -> Any:
    """Make a frame for the calls of a verb, once for all of them: no call changes it."""
    return make({**make_rows(), **make_columns(verb)})


def make_columns(verb: str) -> dict[str, Any]:
    """Make the columns that a verb needs beside those of `make_rows`."""
    if verb in ("kfold", "split", "from_splits"):
        return {}
    fold = [row % 5 for row in range(240)]
    split = ["train", "train", "train", "train", "test"] * 48
    if verb == "extend":
        return {"fold": [*fold[:200], *[None] * 40], "split": [*split[:200], *[None] * 40]}
    repeats = {f"fold_{n}": [(row + n) % 5 for row in range(240)] for n in (1, 2)}
    holdouts = {f"split_{n}": split[n:] + split[:n] for n in (1, 2)}
    drug, target = ([row // each % n for row in range(240)] for each, n in ((1, 4), (4, 3)))
    cell = [3 * one + other for one, other in zip(drug, target, strict=True)]
    axes = {"drug_fold": drug, "target_fold": target, "cell": cell}
    return {"fold": fold, "split": split, **repeats, **holdouts, **axes}


def make_call(call: str, df: Any) -> Any:
    """Make a call of the tables on a frame, and read what is lazy in the result."""
    conditions: dict[str, Any] = {
        "is_train": pl.col("split") == "train",
        "is_first": pl.col("patient").is_first_distinct(),
    }
    if isinstance(df, pd.DataFrame):
        conditions["is_train"] = lambda frame: frame["split"] == "train"
        conditions["is_first"] = lambda frame: ~frame.duplicated("patient")
    if "from_splits" in call and isinstance(df, pl.LazyFrame):
        df = df.collect()
    splits = KFold(5).split(range(240))
    names = {
        **conditions,
        "splits": splits,
        **dict.fromkeys(("df", "train", "test"), df),
        "sf": sf,
        "pl": pl,
    }
    result = run_shown(call, names=names)
    if isinstance(result, Iterator):
        return list(result)
    return result.collect() if isinstance(result, pl.LazyFrame) else result


def test_tables_are_found():
    """Every page has a table with calls, but the index of the pages for changing over."""
    for page in PAGES:
        found = [CALL.search(cell) for _, cell in cells(page)]
        assert any(found) or page.name == "index.md", page
        if page.name == "which.md":
            assert len(found) > 20
            assert all(found)


@pytest.mark.parametrize("call", CALLS, ids=CALLS.get)
def test_calls(call, tmp_path, monkeypatch):
    """A call of the tables works on pandas, Polars and lazy frames, and gives the same folds."""
    found = FIRST_VERB.search(call)
    verb = found[1] if found else ""
    make_frame(pl.DataFrame, verb).write_parquet(tmp_path / "rows.parquet")
    monkeypatch.chdir(tmp_path)
    frames = [make_frame(make, verb) for make in (pd.DataFrame, pl.DataFrame, pl.LazyFrame)]
    pandas, polars, lazy = (make_call(call, df) for df in frames)
    assert pandas is not None
    if isinstance(pandas, pd.DataFrame):
        for frame in (polars, lazy):
            assert frame.columns == list(pandas.columns)
            for name in filter(re.compile("inner|.*(fold|split)(_1)?$").match, frame.columns):
                expected = pandas[name].astype(object).where(pandas[name].notna(), None)
                assert frame[name].to_list() == expected.tolist()
