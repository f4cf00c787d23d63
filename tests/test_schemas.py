"""Output schemas for pipelines: `sf.schemas.folded` and `sf.schemas.parted`."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.errors
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import Make, eager, evaluate, make, refuse_now

DATA = {"label": ["a", "b"] * 10 + ["c"]}
PARTS = {"train": 0.8, "test": 0.2}


def refuses(schema: Any, frame: Any, *, lazy: bool = False) -> bool:
    """Return whether a schema refuses a frame."""
    try:
        eager(schema.validate(frame, lazy=lazy))
    except (pandera.errors.SchemaError, pandera.errors.SchemaErrors):
        return True
    return False


@pytest.mark.parametrize(("rare", "nulls"), [("ignore", False), ("null", True)])
def test_schemas_accept_new_columns(frame: Make, kind: str, rare: str, nulls: bool) -> None:
    """What `kfold` and `split` return fits, with nulls where their arguments allow them."""
    given: dict[str, Any] = {"library": kind.partition("-")[0], "nulls": nulls}
    folded = sf.kfold(frame(DATA), "label", k=3, rare=rare, name="f")
    found = [sf.schemas.folded(k=3, name="f", **given).validate(folded)]
    for parts in (PARTS, 0.2):
        parted = sf.split(frame(DATA), "label", parts, rare=rare, name="part")
        found.append(sf.schemas.parted(parts, name="part", **given).validate(parted))
    assert [eager(each).shape for each in found] == [(21, 2)] * 3


FITS: dict[str, tuple[list[str], list[str]]] = {
    "folded(k=3)": (
        ["deal(3)"],
        [
            "deal(4)",
            "deal(3, rare='null')",
            "folds([0, None])",
            "narrow([0, 1])",
            *(f"folds({each})" for each in ("[0.0, 1.0]", "[0.5, 1]", "['0', None]", "[-1, 0]")),
            "folds([True, False])",
            "folds([inf, 0])",
        ],
    ),
    "folded(k=4, nulls=True)": (
        ["deal(3)", "deal(4, rare='null')"],
        [
            "deal(5)",
            "deal(5, rare='null')",
            "folds(['0', None])",
            "folds([True, False])",
            *(f"folds({each})" for each in ("[0.5, 1]", "[0.0, 4.0]", "[-1.0, None]", "[inf, 0]")),
            "folds([-1, 0])",
        ],
    ),
    "folded(k=3, name='other')": (["deal(3, name='other')"], ["deal(3)"]),
    "folded(k=3, complete=True)": (["deal(3)"], ["deal(2)", "deal(4)", "deal(3, rare='null')"]),
    "folded(k=3, complete=True, nulls=True)": (["deal(3, rare='null')"], ["deal(2)", "deal(4)"]),
    "parted({'train': 0.8, 'test': 0.2})": (
        ["part({'train': 0.8, 'test': 0.2})", "part(0.2)", "part({'train': 0.5, 'test': 0.5})"],
        [
            "part({'train': 0.8, 'valid': 0.2})",
            "part({'test': 0.2, 'train': 0.8})",
            "part({'train': 0.7, 'test': 0.2, 'v': 0.1})",
            "texts(['train', 'test'])",
            "part(0.2, by='label', rare='null')",
        ],
    ),
    "parted({'train': 0.7, 'test': 0.2, 'v': 0.1})": ([], ["part(0.2)"]),
    "parted(0.2, nulls=True)": (["part(0.2)", "part(0.2, by='label', rare='null')"], []),
    "parted(0.2, text=True)": (
        ["texts(['train', 'test', 'train'])", "part(0.2)"],
        ["texts(['train', None, 'test'])", "texts([0, 1])"],
    ),
    "parted(0.2, text=True, nulls=True)": (["texts(['train', None, 'test'])"], []),
    "parted({'train': 0.8, 'valid': 0.2}, text=True)": ([], ["texts(['train', 'test', 'train'])"]),
}
"""Schemas, and the frames that fit them and that do not; those that take text, parts from CSV."""


@pytest.mark.parametrize("kind", ["pandas", "pandas-nullable", "pandas-pyarrow", "polars"])
@pytest.mark.parametrize("schema", FITS)
@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.filterwarnings("ignore:The behavior of DataFrame concat:FutureWarning")  # pandera 0.26
def test_frames_that_fit(kind: str, schema: str, lazy: bool) -> None:
    """Folds are whole numbers of 64 bits in their range, parts categories in their order."""
    library = kind.partition("-")[0]
    made = evaluate(f"sf.schemas.{schema[:-1]}, library={library!r})")
    df = make(library, DATA)
    known = {
        "deal": lambda k, **options: sf.kfold(df, "label", k, **{"rare": "ignore", **options}),
        "part": lambda parts, by=None, **options: sf.split(df, by, parts, **options),
        "folds": lambda cells: make(library, {"fold": cells}),
        "texts": lambda cells: make(kind, {"split": cells}),
        "narrow": lambda cells: make(library, {"fold": np.array(cells, dtype=np.int32)}),
    }
    for frames, fits in zip(FITS[schema], (True, False), strict=True):
        for frame in frames:
            assert refuses(made, evaluate(frame, **known), lazy=lazy) is not fits, frame


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_schemas_can_be_pickled(library: Any) -> None:
    """A schema that was sent to another process accepts and refuses the same frames."""
    folded = sf.schemas.folded(k=3, nulls=True, complete=True, library=library)
    parted = sf.schemas.parted(PARTS, text=True, library=library)
    needed = sf.schemas.needed(["label", sf.quantiles("x", 2)], key="id", library=library)
    rows = {"id": list(range(6)), "label": ["a", "b"] * 3, "x": [1.5] * 6}
    rows |= {"fold": [0, 1, 2] * 2, "split": [*PARTS][:2] * 3}
    faults = {"id": [0] * 6, "fold": [0, 1, 3] * 2, "split": ["other"] * 6}

    for schema, column in ((folded, "fold"), (parted, "split"), (needed, "id")):
        copy = pickle.loads(pickle.dumps(schema))

        assert not refuses(copy, make(library, rows))
        assert refuses(copy, make(library, {**rows, column: faults[column]}))


NO_UTF8 = "must be text that UTF-8 can encode, got '\\ud800'."
BAD_CALLS = {
    "sf.schemas.parted({'train': 1})": (
        "`parts` must map at least 2 names to their shares, got {'train': 1}."
    ),
    "sf.schemas.parted({1: 0.5, 2: 0.5})": "The names of `parts` must be strings, got [1, 2].",
    "sf.schemas.parted({'\\ud800': 0.5, 'b': 0.5})": f"The names of `parts` {NO_UTF8}",
    "sf.schemas.folded(name='')": "`name` must be a non-empty string, got ''.",
    "sf.schemas.parted(0.2, name=5)": "`name` must be a non-empty string, got 5.",
    "pl.col('label').strat.kfold(name='\\ud800')": f"`name` {NO_UTF8}",
    "sf.schemas.folded(nulls='no')": "`nulls` must be True or False, got 'no'.",
    "sf.schemas.folded(complete='no')": "`complete` must be True or False, got 'no'.",
    "sf.schemas.folded(library='dask')": "`library` must be 'pandas' or 'polars', got 'dask'.",
}


@pytest.mark.parametrize("call", BAD_CALLS)
def test_arguments(call: str) -> None:
    """Schemas check names and parts as verbs do, and know two libraries."""
    refuse_now(BAD_CALLS[call], lambda: evaluate(call))


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("lazy", [False, True])
def test_parted_accepts_what_files_keep(tmp_path: Path, nulls: bool, lazy: bool) -> None:
    """Parts that the other library reads from Parquet fit, with `text=True` where order is lost."""
    path = tmp_path / "parts.parquet"
    rare = "null" if nulls else "ignore"
    for first, n_moves in (("pandas", 1), ("polars", 2)):
        df: Any = sf.split(make(first, DATA), "label", PARTS, rare=rare)
        for move in range(4):
            library = "polars" if isinstance(df, pl.DataFrame) else "pandas"
            given: Any = {"library": library, "nulls": nulls, "text": move > n_moves}
            assert len(sf.schemas.parted(PARTS, **given).validate(df, lazy=lazy)) == 21
            assert refuses(sf.schemas.parted({"train": 0.8, "valid": 0.2}, **given), df)
            if library == "polars":
                df.write_parquet(path)
                df = pd.read_parquet(path)
            else:
                df.to_parquet(path)
                df = pl.read_parquet(path)


def test_parted_takes_ordered_categories() -> None:
    """The order of categories may mean something, as long as it is that of the parts."""
    for categories in (["train", "test"], ["test", "train"]):
        parts = pd.DataFrame({"split": pd.Categorical(["test"], categories, ordered=True)})
        assert refuses(sf.schemas.parted(PARTS), parts) == (categories[0] == "test")


def test_lazy_parts_are_checked_by_type() -> None:
    """On a lazy frame other names of an Enum are found, and other types, but no value."""
    parts = sf.split(make("polars-lazy", DATA), None, PARTS)
    casts = [pl.Categorical, pl.String, pl.Enum(["test", "train"])]
    frames = [parts, *(parts.cast({"split": each}) for each in casts)]
    frames.append(parts.rename({"split": "part"}))
    for text in (False, True):
        schema = sf.schemas.parted(PARTS, library="polars", text=text)
        found = [refuses(schema, each) for each in frames]
        assert found == [False, False, not text, not text, True]


def test_folded_takes_the_floats_that_pandas_makes(tmp_path: Path) -> None:
    """With nulls, folds written to CSV and read again fit, and those that `concat` makes."""
    df = pd.DataFrame(DATA)
    folded = sf.kfold(df, "label", k=4, rare="null")
    whole = sf.kfold(df, k=4)
    folded.to_csv(tmp_path / "folded.csv", index=False)
    read = pd.read_csv(tmp_path / "folded.csv")
    grown = pd.concat([whole, df])
    for frame in (folded, read, grown, whole):
        assert sf.schemas.folded(k=4, nulls=True).validate(frame).equals(frame)
    assert read["fold"].dtype == grown["fold"].dtype == "float64"
    assert refuses(sf.schemas.folded(k=4), read)
    assert refuses(sf.schemas.folded(k=2, nulls=True), grown)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.filterwarnings("ignore:The behavior of DataFrame concat:FutureWarning")  # pandera 0.26
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
