"""Output schemas for pipelines: `sf.schemas.folded` and `sf.schemas.parted`."""

from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pandera.errors
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import Make, eager, make, refuse_now
from tests.messages import one_of

DATA = {"label": ["a", "b"] * 10 + ["c"]}
PARTS = {"train": 0.8, "test": 0.2}


@pytest.fixture
def library(kind: str) -> str:
    """The library of the kind of frame under test."""
    return kind.partition("-")[0]


def refused(schema: Any, frame: Any) -> bool:
    """Say whether a schema refuses a frame."""
    with pytest.raises((pandera.errors.SchemaError, pandera.errors.SchemaErrors)):
        eager(schema.validate(frame))
    return True


@pytest.mark.parametrize(("rare", "nulls"), [("ignore", False), ("null", True)])
def test_folded_accepts_folds(frame: Make, library: str, rare: str, nulls: bool) -> None:
    """What `kfold` returns fits the schema, with nulls where its arguments allow them."""
    df = sf.kfold(frame(DATA), "label", k=3, rare=rare, name="f")
    schema = sf.schemas.folded(k=3, name="f", library=library, nulls=nulls)
    assert eager(schema.validate(df)).shape == (21, 2)


@pytest.mark.parametrize(("rare", "nulls"), [("ignore", False), ("null", True)])
def test_parted_accepts_parts(frame: Make, library: str, rare: str, nulls: bool) -> None:
    """What `split` returns fits the schema, with nulls where its arguments allow them."""
    df = sf.split(frame(DATA), "label", PARTS, rare=rare, name="part")
    schema = sf.schemas.parted(PARTS, name="part", library=library, nulls=nulls)
    assert eager(schema.validate(df)).shape == (21, 2)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(
    "arguments",
    [{"k": 2}, {"name": "other"}],
    ids=["a fold too many", "another name"],
)
def test_folded_refuses_other_folds(library: str, arguments: dict[str, Any]) -> None:
    """A fold out of range and a column of another name do not fit."""
    df = sf.kfold(make(library, DATA), k=3)
    assert refused(sf.schemas.folded(**{"k": 3, "library": library} | arguments), df)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("column", [[0.0, 1.0], ["0", "1"], [0, None], [-1, 0]])
def test_folded_refuses_other_columns(library: str, column: list[Any]) -> None:
    """Floats, strings, nulls and negative numbers do not fit."""
    assert refused(sf.schemas.folded(k=2, library=library), make(library, {"fold": column}))


def test_folded_refuses_narrow_integers() -> None:
    """Folds are 64 bits wide in both libraries."""
    assert refused(sf.schemas.folded(k=2), pd.DataFrame({"fold": [0, 1]}, dtype="int32"))
    folds = pl.DataFrame({"fold": [0, 1]}, schema={"fold": pl.Int32})
    assert refused(sf.schemas.folded(k=2, library="polars"), folds)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("nulls", [False, True])
def test_folded_with_nulls_has_a_range_too(library: str, nulls: bool) -> None:
    """A fold out of range does not fit, whether or not nulls are allowed."""
    df = sf.kfold(make(library, DATA), "label", k=4, rare="null" if nulls else "ignore")
    assert refused(sf.schemas.folded(k=3, library=library, nulls=nulls), df)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("parts", [{"train": 1, "valid": 1}, {**PARTS, "valid": 1}, {"train": 1}])
def test_parted_refuses_other_parts(library: str, parts: dict[str, float]) -> None:
    """Other parts, or one more or less, do not fit."""
    df = sf.split(make(library, DATA), None, PARTS)
    assert refused(sf.schemas.parted(parts, library=library), df)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_parted_refuses_strings_and_nulls(library: str) -> None:
    """Names of parts as strings, and rows without a part, do not fit."""
    schema = sf.schemas.parted(PARTS, library=library)
    assert refused(schema, make(library, {"split": ["train", "test"]}))
    assert refused(schema, sf.split(make(library, DATA), "label", PARTS, rare="null"))


def test_folded_takes_the_floats_that_pandas_makes(tmp_path: Path) -> None:
    """With nulls, folds written to CSV and read again fit, and those that `concat` makes."""
    folded = sf.kfold(pd.DataFrame(DATA), "label", k=4, rare="null")
    folded.to_csv(tmp_path / "folded.csv", index=False)
    read = pd.read_csv(tmp_path / "folded.csv")
    whole = sf.kfold(pd.DataFrame(DATA), k=4)
    grown = pd.concat([whole, pd.DataFrame(DATA)])
    schema = sf.schemas.folded(k=4, nulls=True)
    for frame in (folded, read, grown, whole):
        assert schema.validate(frame).equals(frame)
    assert read["fold"].dtype == grown["fold"].dtype == "float64"
    assert refused(sf.schemas.folded(k=4), read)
    assert refused(sf.schemas.folded(k=2, nulls=True), grown)


@pytest.mark.parametrize(
    "column",
    [[0.5, 1], [0.0, 4.0], [-1.0, None], [float("inf"), 0], ["0", None], [True, False]],
)
@pytest.mark.parametrize("lazy", [False, True])
def test_folded_with_nulls_refuses_other_columns(column: list[Any], lazy: bool) -> None:
    """Fractions, numbers out of range and other types do not fit, with all faults at once too."""
    schema = sf.schemas.folded(k=4, nulls=True)
    with pytest.raises((pandera.errors.SchemaError, pandera.errors.SchemaErrors)):
        schema.validate(pd.DataFrame({"fold": column}), lazy=lazy)


@pytest.mark.parametrize("nulls", [False, True])
def test_complete_folds(frame: Make, library: str, nulls: bool) -> None:
    """A column that lacks a fold fits, unless the schema asks for every fold."""
    df = sf.kfold(frame(DATA), "label", k=3, rare="null" if nulls else "ignore")
    schema = partial(sf.schemas.folded, library=library, nulls=nulls)
    assert eager(schema(k=3, complete=True).validate(df)).shape == (21, 2)
    assert eager(schema(k=4).validate(df)).shape == (21, 2)
    assert refused(schema(k=4, complete=True), eager(df))
    assert refused(schema(k=2, complete=True), eager(df))


def test_lazy_frames_are_checked_by_name_and_type() -> None:
    """On a lazy frame a schema looks at names and types, and at no value."""
    schema = sf.schemas.folded(k=2, library="polars")
    folds = pl.LazyFrame({"fold": [0, 7]})
    assert eager(schema.validate(folds)).height == 2
    assert refused(schema, folds.collect())
    assert refused(schema, folds.cast(pl.Int8))
    assert refused(schema, folds.rename({"fold": "f"}))


def test_library_is_one_of_two() -> None:
    """A schema is for pandas or Polars."""
    message = one_of("library", ["pandas", "polars"], "dask")
    refuse_now(message, lambda: sf.schemas.folded(library="dask"))
