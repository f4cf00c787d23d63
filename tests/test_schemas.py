"""Output schemas for pipelines: `sf.schemas.folded` and `sf.schemas.parted`."""

from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pandera.errors
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import Make, eager, evaluate, make, refuse_now

DATA = {"label": ["a", "b"] * 10 + ["c"]}
PARTS = {"train": 0.8, "test": 0.2}


@pytest.fixture
def library(kind: str) -> str:
    """The library of the kind of frame under test."""
    return kind.partition("-")[0]


def refuses(schema: Any, frame: Any, *, lazy: bool = False) -> bool:
    """Return whether a schema refuses a frame."""
    try:
        eager(schema.validate(frame, lazy=lazy))
    except (pandera.errors.SchemaError, pandera.errors.SchemaErrors):
        return True
    return False


@pytest.mark.parametrize(("rare", "nulls"), [("ignore", False), ("null", True)])
def test_schemas_accept_new_columns(frame: Make, library: str, rare: str, nulls: bool) -> None:
    """What `kfold` and `split` return fits, with nulls where their arguments allow them."""
    given: dict[str, Any] = {"library": library, "nulls": nulls}
    folded = sf.kfold(frame(DATA), "label", k=3, rare=rare, name="f")
    parted = sf.split(frame(DATA), "label", PARTS, rare=rare, name="part")
    share = sf.split(frame(DATA), "label", 0.2, rare=rare)
    for schema, df in (
        (sf.schemas.folded(k=3, name="f", **given), folded),
        (sf.schemas.parted(PARTS, name="part", **given), parted),
        (sf.schemas.parted(0.2, **given), share),
    ):
        assert eager(schema.validate(df)).shape == (21, 2)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("nulls", [False, True])
def test_folded_refuses_other_folds(library: str, nulls: bool) -> None:
    """A fold out of range and a column of another name do not fit, nulls or not."""
    df = sf.kfold(make(library, DATA), "label", k=4, rare="null" if nulls else "ignore")
    assert refuses(sf.schemas.folded(k=3, library=library, nulls=nulls), df)
    assert refuses(sf.schemas.folded(k=4, name="other", library=library, nulls=nulls), df)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize(
    "column",
    [[0.5, 1], [0.0, 4.0], [-1.0, None], [float("inf"), 0], ["0", None], [True, False], [-1, 0]],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:The behavior of DataFrame concat:FutureWarning")  # pandera 0.26
def test_folded_refuses_other_columns(library: str, nulls: bool, column: list[Any]) -> None:
    """Fractions, numbers out of range and other types do not fit, with all faults at once too."""
    schema, frame = (
        sf.schemas.folded(4, library=library, nulls=nulls),
        make(library, {"fold": column}),
    )
    assert refuses(schema, frame)
    assert refuses(schema, frame, lazy=True)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_folds_are_whole_numbers_of_64_bits(library: str) -> None:
    """Without nulls in the schema, floats and nulls do not fit, nor do narrow integers."""
    schema = sf.schemas.folded(k=2, library=library)
    narrow = pd.DataFrame({"fold": [0, 1]}, dtype="int32")
    for frame in (make(library, {"fold": [0.0, 1.0]}), make(library, {"fold": [0, None]}), narrow):
        frame = pl.from_pandas(frame) if frame is narrow and library == "polars" else frame
        assert refuses(schema, frame)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(
    "parts",
    [
        {"train": 0.8, "valid": 0.2},
        {"test": 0.2, "train": 0.8},
        {"train": 0.7, "test": 0.2, "v": 0.1},
    ],
)
def test_parted_refuses_other_parts(library: str, parts: dict[str, float]) -> None:
    """Other parts, another order of them, or one more or less, do not fit."""
    for first, second in ((PARTS, parts), (parts, PARTS)):
        df = sf.split(make(library, DATA), None, first)
        assert refuses(sf.schemas.parted(second, library=library), df)


BAD_CALLS = {
    "sf.schemas.parted({'train': 1})": (
        "`parts` must map at least 2 names to their shares, got {'train': 1}."
    ),
    "sf.schemas.parted({1: 0.5, 2: 0.5})": "The names of `parts` must be strings, got [1, 2].",
    "sf.schemas.parted({'\\ud800': 0.5, 'b': 0.5})": (
        "The names of `parts` must be text that UTF-8 can encode, got '\\ud800'."
    ),
    "sf.schemas.folded(name='')": "`name` must be a non-empty string, got ''.",
    "sf.schemas.parted(0.2, name=5)": "`name` must be a non-empty string, got 5.",
    "pl.col('label').strat.kfold(name='\\ud800')": (
        "`name` must be text that UTF-8 can encode, got '\\ud800'."
    ),
    "sf.schemas.folded(nulls='no')": "`nulls` must be True or False, got 'no'.",
    "sf.schemas.folded(complete='no')": "`complete` must be True or False, got 'no'.",
    "sf.schemas.folded(library='dask')": "`library` must be 'pandas' or 'polars', got 'dask'.",
}
"""Calls with wrong names, parts or libraries."""


@pytest.mark.parametrize("call", BAD_CALLS)
def test_arguments(call: str) -> None:
    """Schemas check names and parts as verbs do, and know two libraries."""
    refuse_now(BAD_CALLS[call], lambda: evaluate(call))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_parted_refuses_strings_and_nulls(library: str) -> None:
    """Names of parts as strings, and rows without a part, do not fit."""
    schema = sf.schemas.parted(PARTS, library=library)
    assert refuses(schema, make(library, {"split": ["train", "test"]}))
    assert refuses(schema, sf.split(make(library, DATA), "label", PARTS, rare="null"))


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("lazy", [False, True])
def test_parted_accepts_what_files_keep(tmp_path: Path, nulls: bool, lazy: bool) -> None:
    """Parts of one library that the other reads from Parquet fit, and so when they come back.

    A Categorical of Polars loses the order of its names, and so needs `text=True` in pandas.
    """
    path, rare = tmp_path / "parts.parquet", "null" if nulls else "ignore"
    for first, n_moves in (("pandas", 1), ("polars", 2)):
        df: Any = sf.split(make(first, DATA), "label", PARTS, rare=rare)
        for move in range(4):
            library = "polars" if isinstance(df, pl.DataFrame) else "pandas"
            schema = partial(sf.schemas.parted, library=library, nulls=nulls)
            text = move > n_moves
            assert len(schema(PARTS, text=text).validate(df, lazy=lazy)) == 21
            assert refuses(schema({"train": 0.8, "valid": 0.2}, text=text), df)
            if library == "polars":
                df.write_parquet(path)
                df = pd.read_parquet(path)
            else:
                df.to_parquet(path)
                df = pl.read_parquet(path)


@pytest.mark.parametrize("kind", ["pandas", "pandas-nullable", "pandas-pyarrow", "polars"])
def test_parted_takes_text_on_request(kind: str) -> None:
    """Parts read from CSV fit a schema that takes text, if the names are right."""
    library = kind.partition("-")[0]
    schema = partial(sf.schemas.parted, library=library)
    frame = make(kind, {"split": ["train", "test", "train"]})
    assert not refuses(schema(PARTS, text=True), frame)
    assert refuses(schema(PARTS), frame)
    assert refuses(schema({"train": 0.8, "valid": 0.2}, text=True), frame)
    gaps = make(kind, {"split": ["train", None, "test"]})
    assert refuses(schema(PARTS, text=True), gaps)
    assert not refuses(schema(PARTS, text=True, nulls=True), gaps)
    assert refuses(schema(PARTS, text=True), make(kind, {"split": [0, 1]}))
    assert not refuses(schema(PARTS, text=True), sf.split(make(kind, DATA), None, PARTS))


def test_parted_takes_ordered_categories() -> None:
    """The order of categories may mean something, as long as it is that of the parts."""
    for categories in (["train", "test"], ["test", "train"]):
        parts = pd.DataFrame({"split": pd.Categorical(["test"], categories, ordered=True)})
        assert refuses(sf.schemas.parted(PARTS), parts) == (categories[0] == "test")


def test_lazy_parts_are_checked_by_type() -> None:
    """On a lazy frame other names of an Enum are found, and other types, but no value."""
    schema = sf.schemas.parted(PARTS, library="polars")
    parts = sf.split(make("polars-lazy", DATA), None, PARTS)
    assert not refuses(schema, parts)
    assert not refuses(schema, parts.cast({"split": pl.Categorical}))
    assert refuses(schema, parts.cast({"split": pl.String}))
    assert refuses(schema, parts.cast({"split": pl.Enum(["test", "train"])}))
    text = sf.schemas.parted(PARTS, library="polars", text=True)
    assert not refuses(text, parts.cast({"split": pl.String}))
    assert not refuses(text, parts.cast({"split": pl.Enum(["test", "train"])}))
    assert refuses(text, parts.rename({"split": "part"}))


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
    assert refuses(sf.schemas.folded(k=4), read)
    assert refuses(sf.schemas.folded(k=2, nulls=True), grown)


@pytest.mark.parametrize("nulls", [False, True])
def test_complete_folds(frame: Make, library: str, nulls: bool) -> None:
    """A column that lacks a fold fits, unless the schema asks for every fold."""
    df = sf.kfold(frame(DATA), "label", k=3, rare="null" if nulls else "ignore")
    schema = partial(sf.schemas.folded, library=library, nulls=nulls)
    assert eager(schema(k=3, complete=True).validate(df)).shape == (21, 2)
    assert eager(schema(k=4).validate(df)).shape == (21, 2)
    assert refuses(schema(k=4, complete=True), eager(df))
    assert refuses(schema(k=2, complete=True), eager(df))


@pytest.mark.parametrize("library", ["pandas", "polars"])
# pandera 0.26 concatenates its findings in a way that pandas 2.2 warns of.
@pytest.mark.filterwarnings("ignore:The behavior of DataFrame concatenation:FutureWarning")
def test_all_failures_of_a_fold_column_at_once(library: str) -> None:
    """A fold that no row has is listed beside folds out of range and missing ones."""
    schema = sf.schemas.folded(k=3, library=library, complete=True)
    with pytest.raises(pandera.errors.SchemaErrors) as caught:
        schema.validate(make(library, {"fold": [0, None, 7]}), lazy=True)
    checks = caught.value.failure_cases["check"].to_list()
    assert {"not_nullable", "every fold 0..2"} < set(checks)


def test_lazy_frames_are_checked_by_name_and_type() -> None:
    """On a lazy frame a schema looks at names and types, and at no value."""
    schema = sf.schemas.folded(k=2, library="polars")
    folds = pl.LazyFrame({"fold": [0, 7]})
    assert eager(schema.validate(folds)).height == 2
    assert refuses(schema, folds.collect())
    assert refuses(schema, folds.cast(pl.Int8))
    assert refuses(schema, folds.rename({"fold": "f"}))
