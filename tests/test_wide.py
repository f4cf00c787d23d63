"""Wide frames: the work for a column does not grow with the number of columns."""

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.io.plugins import register_io_source

import stratframe as sf
from tests.helpers import Make, eager, some_slow

FEW = 20
MANY = 200


def features(n: int) -> list[str]:
    return [f"x{place}" for place in range(n)]


def wide(n: int) -> dict[str, Any]:
    """Twenty rows of `n` features, a label and a fold."""
    drawn = np.random.default_rng(0).normal(size=(n, 20)).tolist()
    known = {"label": ["a", "b"] * 10, "id": list(range(20)), "fold": [0, 1, 1, 0] * 5}
    return dict(zip(features(n), drawn, strict=True)) | known


def count_calls(call: Callable[[], object]) -> int:
    """Count the calls of Python functions during a call."""
    n_calls = 0
    before = sys.getprofile()

    def follow(_: object, event: str, __: object) -> None:
        nonlocal n_calls
        n_calls += event == "call"

    sys.setprofile(follow)
    try:
        call()
    finally:
        sys.setprofile(before)
    return n_calls


CALLS: dict[str, Callable[[Any, list[str]], Any]] = {
    "kfold by features": lambda df, names: sf.kfold(df, sf.nearest(names), k=2, name="new"),
    "kfold by margins": lambda df, names: sf.kfold(
        df, sf.margins([sf.bins(name, [-9, 0, 9]) for name in names]), k=2, name="new"
    ),
    "kfold with a key": lambda df, names: sf.kfold(df, k=2, key=["id", *names[:150]], name="new"),
    "groups": lambda df, names: sf.kfold(df, "label", k=2, groups=["id", *names[:150]], name="new"),
    "check": lambda df, _: sf.check(df, "label", key="id"),
    "leaks": lambda df, names: sf.leaks(df, duplicates=names),
    "drift": lambda df, names: sf.drift(df, names),
    "cv": lambda df, _: sf.cv(df),
    "report": lambda df, _: sf.report(df, "label"),
}


@pytest.mark.parametrize("kind", some_slow(["pandas-nullable", "polars-lazy"], ["polars-lazy"]))
@pytest.mark.parametrize("call", CALLS)
def test_work_grows_with_the_columns(frame: Make, call: str) -> None:
    """Ten times as many columns take at most twelve times as many calls of functions."""
    counts = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        eager(CALLS[call](frame(wide(FEW)), features(FEW)))  # what is imported when first needed
        for n in (FEW, MANY):
            data = frame(wide(n))
            counts.append(count_calls(lambda: eager(CALLS[call](data, features(n)))))  # noqa: B023
    assert counts[1] <= 1.2 * MANY / FEW * counts[0]


@pytest.mark.filterwarnings("ignore:The step `python scan`:stratframe.StratWarning")
def test_a_plan_is_resolved_as_often_for_many_columns() -> None:
    """The plan of a lazy frame is resolved equally often for few and for many columns."""

    def count_readings(n: int) -> int:
        n_readings = 0
        schema = pl.Schema(dict.fromkeys([*features(n), "fold"], pl.Int64))

        def read_schema() -> pl.Schema:
            nonlocal n_readings
            n_readings += 1
            return schema

        def read_rows(*_: object) -> Any:
            pytest.fail("A row was read.")

        df = register_io_source(read_rows, schema=read_schema)
        sf.kfold(df, sf.nearest(features(n)), k=2, name="new")
        return n_readings

    assert count_readings(MANY) == count_readings(FEW)


@pytest.mark.parametrize("call", CALLS)
def test_types_are_asked_for_as_often_for_many_columns(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many columns a lazy frame has, it is asked as often for the types of all of them."""

    def count_schemas(n: int) -> int:
        n_schemas = 0

        def count_schema(frame: pl.LazyFrame) -> pl.Schema:
            nonlocal n_schemas
            n_schemas += 1
            return collect_schema(frame)

        with monkeypatch.context() as patch:
            patch.setattr(pl.LazyFrame, "collect_schema", count_schema)
            eager(CALLS[call](pl.LazyFrame(wide(n)), features(n)))
        return n_schemas

    collect_schema = pl.LazyFrame.collect_schema
    assert count_schemas(MANY) == count_schemas(FEW)
