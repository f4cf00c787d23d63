"""What all verbs that return a table share: their library, their folds, what they collect."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import Make, columns_of, eager

READS_FOLDS: dict[str, Callable[..., Any]] = {
    "balance": lambda df, name="fold": sf.balance(df, "label", name),
    "report": lambda df, name="fold": sf.report(df, "label", name),
    "compare": lambda df, name="fold": sf.compare(df, "label", name, "x"),
    "drift": lambda df, name="fold": sf.drift(df, ["x", "label"], name),
    "leaks": lambda df, name="fold": sf.leaks(
        df, groups="who", key="id", duplicates="x", name=name
    ),
}
"""The verbs that take one fold column or several."""

VERBS: dict[str, Callable[..., Any]] = {
    "plan": lambda df: sf.plan(df, "label", 2, missing="stratum"),
    "advise": lambda df: sf.advise(df, "label", [2, 3]),
    **READS_FOLDS,
}

DRAWN = np.random.default_rng(0)
DATA: dict[str, list[Any]] = {
    "label": DRAWN.choice(["a", "b", None], 60).tolist(),
    "x": DRAWN.choice([0.5, 0.0, -0.0, None], 60).tolist(),
    "who": DRAWN.integers(0, 30, 60).tolist(),
    "id": [row // 2 for row in range(60)],
    "fold": DRAWN.choice([0, 1, 4, None], 60).tolist(),
    "part": DRAWN.choice([0, 1], 60).tolist(),
}


def plain(table: Any) -> pd.DataFrame:
    """Copy a table of any library into plain pandas columns."""
    return pd.DataFrame(columns_of(table))


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "compare"])
def test_frames_without_rows(frame: Make, kind: str, verb: str) -> None:
    """Without rows, of known types or not, a table has all of its columns."""
    full = frame(DATA)
    columns = list(VERBS[verb](full).columns)
    for empty in (full.head(0), frame({name: [] for name in DATA})):
        found = VERBS[verb](empty)
        assert isinstance(found, pl.DataFrame if "polars" in kind else pd.DataFrame)
        assert (list(found.columns), len(found)) == (columns, 0)
        if verb in READS_FOLDS:
            several = VERBS[verb](empty, ["fold", "part"])
            assert list(several.columns) == list(VERBS[verb](full, ["fold", "part"]).columns)
            assert len(several) == 0


@pytest.mark.parametrize("verb", ["balance", "report", "drift", "leaks"])
def test_several_fold_columns(frame: Make, verb: str) -> None:
    """Of several columns each has its rows, below those of the one before, and its name."""
    df, table = frame(DATA), READS_FOLDS[verb]
    found = columns_of(table(df, ["fold", "part"]))
    first, second = (columns_of(table(df, name)) for name in ("fold", "part"))
    assert list(found) == ["column", *first]
    assert [{"part": "fold"}.get(name, name) for name in second] == list(first)
    n_first, n_second = (len(next(iter(each.values()))) for each in (first, second))
    assert found.pop("column") == ["fold"] * n_first + ["part"] * n_second
    expected = [one + other for one, other in zip(first.values(), second.values(), strict=True)]
    assert list(found.values()) == expected


@pytest.mark.parametrize("verb", VERBS)
def test_a_lazy_frame_is_collected_once(verb: str) -> None:
    """One query reads the columns that are named, for all fold columns, and no other."""
    read: list[str] = []

    def note(column: pl.Series) -> pl.Series:
        read.append(column.name)
        return column

    lazy = pl.LazyFrame({**DATA, "costly": DATA["x"]})
    noted = [pl.col(name).map_batches(note, dtype) for name, dtype in lazy.collect_schema().items()]
    names = [["fold", "part"]] if verb in READS_FOLDS else []
    found = VERBS[verb](lazy.with_columns(noted), *names)
    assert read
    assert len(set(read)) == len(read)
    assert "costly" not in read
    pd.testing.assert_frame_equal(plain(found), plain(VERBS[verb](pl.DataFrame(DATA), *names)))


@pytest.mark.parametrize("verb", VERBS)
def test_frames_stay_as_they_are(frame: Make, verb: str) -> None:
    """A table is made without a change to the frame."""
    df = frame(DATA)
    VERBS[verb](df)
    assert eager(df).equals(eager(frame(DATA)))
