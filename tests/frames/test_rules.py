"""Very many rows at fault: all in `failures`, the first of them in pandera's error."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stratframe as sf
from stratframe.frames import Rule, RuledColumn, check_rules, encode_classes, is_missing
from tests.helpers import refused

N = 20
SOUND: dict[str, Any] = {"x": ["a", "b"] * 10, "y": [i / 3 for i in range(N)], "id": range(N)}
FAULTS: dict[str, list[Any]] = {
    "x": [None if row > 4 else "a" for row in range(N)],
    "y": [float("inf") if row % 2 else 0.5 for row in range(N)],
    "id": [row % 10 for row in range(N)],
}
AT_FAULT = {"x": {*range(5, N)}, "y": {*range(1, N, 2)}, "id": {*range(N)}}


def judge(df: Any, most: int) -> sf.StratError:
    read = {name: (df[name], is_missing(df[name])) for name in SOUND}
    rules = {"x": Rule(), "y": Rule(finite=True), "id": Rule(unique=True)}
    numbers = {"x": None, "y": np.array(df["y"]), "id": encode_classes(df["id"])[0]}
    given = ((f"Column {name!r}", rules[name], *read[name], numbers[name]) for name in SOUND)
    columns = [RuledColumn(name, *each) for name, each in zip(SOUND, given, strict=True)]
    return refused(lambda: check_rules(columns, most=most))


@pytest.mark.parametrize("faulty", [["x"], ["y"], ["id"], ["x", "y", "id"]], ids=str)
@pytest.mark.parametrize("library", [pd, pl])
def test_many_rows_at_fault(library: Any, faulty: list[str]) -> None:
    """Whatever pandera lists, the message and the rows are the same, and pandera is the cause."""
    df = library.DataFrame(SOUND | {name: FAULTS[name] for name in faulty})
    errors = [judge(df, most) for most in (2, 10_000)]
    assert str(errors[0]) == str(errors[1])
    for error in errors:
        assert {*error.failures["row"]} == set[int]().union(*map(AT_FAULT.get, faulty))
        assert type(error.__cause__).__name__ == "SchemaErrors"
    if faulty == ["x"]:
        cause: Any = judge(df, 3).__cause__
        assert len(cause.failure_cases) <= 3


def test_many_columns_at_fault() -> None:
    """The message lists the first of very many faults."""
    many = {f"x{place}": [None, 1.5] for place in range(19)}
    error = refused(lambda: sf.kfold(pl.DataFrame(many), by=sf.chain(list(many)), k=2))
    assert str(error).splitlines()[5] == "14 more faults are not listed."
