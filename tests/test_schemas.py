"""Output schemas for pipelines: `sf.schemas.folded` and `sf.schemas.parted`."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.errors
import polars as pl
import pytest

import stratframe as sf
from tests.helpers import HALVES, Make, eager, make, refuse_now

# A warning of pandera 0.26.
pytestmark = pytest.mark.filterwarnings("ignore:The behavior of DataFrame concat:FutureWarning")
DATA = {"label": ["a", "b"] * 10 + ["c"]}
PARTS = {"train": 0.8, "test": 0.2}


def refuses(schema: Any, frame: Any) -> bool:
    """Return whether a schema refuses a frame, both at the first failure and with all at once."""
    answers = []
    for lazy in (False, True):
        try:
            eager(schema.validate(frame, lazy=lazy))
            answers.append(False)
        except (pandera.errors.SchemaError, pandera.errors.SchemaErrors):
            answers.append(True)
    assert answers[0] == answers[1]
    return answers[0]


@pytest.mark.parametrize(("rare", "nulls"), [("ignore", False), ("null", True)])
def test_schemas_accept_new_columns(frame: Make, kind: str, rare: str, nulls: bool) -> None:
    """The results of `kfold` and `split` fit, with nulls where their arguments allow them."""
    given: dict[str, Any] = {"library": kind.partition("-")[0], "nulls": nulls}
    folded = sf.kfold(frame(DATA), "label", k=3, rare=rare, name="f")
    found = [sf.schemas.folded(k=3, name="f", **given).validate(folded)]
    for parts in (PARTS, 0.2):
        parted = sf.split(frame(DATA), "label", parts, rare=rare, name="part")
        found.append(sf.schemas.parted(parts, name="part", **given).validate(parted))
    assert [eager(each).shape for each in found] == [(21, 2)] * 3


OTHER_PARTS = {"train": 0.7, "test": 0.2, "v": 0.1}
VALIDATION = {"train": 0.8, "valid": 0.2}
INF = float("inf")

FOLDS: list[Any] = [
    pytest.param({"k": 4, "nulls": True}, 3, "ignore", True, id="fewer_folds_with_nulls"),
    pytest.param({"k": 3, "complete": True}, 3, "ignore", True, id="every_fold"),
    pytest.param(
        {"k": 3, "complete": True, "nulls": True}, 3, "null", True, id="every_fold_and_nulls"
    ),
    pytest.param({"k": 3}, 4, "ignore", False, id="more_folds"),
    pytest.param({"k": 3}, 3, "null", False, id="nulls"),
    pytest.param({"k": 4, "nulls": True}, 5, "null", False, id="more_folds_and_nulls"),
    pytest.param({"k": 3, "name": "other"}, 3, "ignore", False, id="other_name"),
    pytest.param({"k": 3, "complete": True}, 2, "ignore", False, id="a_fold_is_lacking"),
    pytest.param(
        {"k": 3, "complete": True, "nulls": True},
        2,
        "ignore",
        False,
        id="a_fold_is_lacking_where_nulls_fit",
    ),
]
NO_FOLDS: list[Any] = [
    pytest.param({"k": 3}, [0, None], id="missing"),
    pytest.param({"k": 3}, np.array([0, 1], dtype=np.int32), id="of_32_bits"),
    pytest.param({"k": 3}, [0.0, 1.0], id="whole_floats"),
    pytest.param({"k": 3}, [-1, 0], id="negative"),
    pytest.param({"k": 4, "nulls": True}, ["0", None], id="text_and_nulls"),
    pytest.param({"k": 4, "nulls": True}, [True, False], id="flags_where_nulls_fit"),
    pytest.param({"k": 4, "nulls": True}, [0.5, 1], id="fractions_where_nulls_fit"),
    pytest.param({"k": 4, "nulls": True}, [0.0, 4.0], id="float_beyond_k"),
    pytest.param({"k": 4, "nulls": True}, [-1.0, None], id="negative_float"),
    pytest.param({"k": 4, "nulls": True}, [INF, 0], id="infinite_where_nulls_fit"),
]
TURNED = {"test": 0.2, "train": 0.8}
PART_COLUMNS: list[Any] = [
    pytest.param({"parts": PARTS}, HALVES, "ignore", True, id="other_shares"),
    pytest.param({"parts": 0.2, "nulls": True}, 0.2, "ignore", True, id="nulls_allowed"),
    pytest.param({"parts": 0.2, "text": True}, 0.2, "ignore", True, id="text_allowed"),
    pytest.param({"parts": PARTS}, VALIDATION, "ignore", False, id="other_names"),
    pytest.param({"parts": PARTS}, TURNED, "ignore", False, id="other_order"),
    pytest.param({"parts": PARTS}, 0.2, "null", False, id="nulls"),
    pytest.param({"parts": OTHER_PARTS}, 0.2, "ignore", False, id="a_part_less"),
]
TEXTS: list[Any] = [
    pytest.param(
        {"parts": 0.2, "text": True, "nulls": True},
        ["train", None, "test"],
        True,
        id="text_and_nulls",
    ),
    pytest.param({"parts": PARTS}, ["train", "test"], False, id="text_where_categories_are_due"),
    pytest.param({"parts": 0.2, "text": True}, ["train", None, "test"], False, id="nulls_in_text"),
    pytest.param({"parts": 0.2, "text": True}, [0, 1], False, id="numbers"),
    pytest.param(
        {"parts": VALIDATION, "text": True},
        ["train", "test", "train"],
        False,
        id="text_of_another_part",
    ),
]


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(("options", "k", "rare", "fits"), FOLDS)
def test_folds_fit(library: str, options: dict[str, Any], k: int, rare: Any, fits: bool) -> None:
    """The folds of `kfold` fit a schema of its name that allows as many folds, and their nulls."""
    schema = sf.schemas.folded(library=library, **options)

    folded = sf.kfold(make(library, DATA), "label", k, rare=rare)

    assert refuses(schema, folded) is not fits


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(("options", "cells"), NO_FOLDS)
def test_folds_are_whole_numbers_of_64_bits_in_their_range(
    library: str, options: dict[str, Any], cells: Any
) -> None:
    """A column of another type, or with numbers that are no fold, is refused."""
    schema = sf.schemas.folded(library=library, **options)

    assert refuses(schema, make(library, {"fold": cells}))


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(("options", "parts", "rare", "fits"), PART_COLUMNS)
def test_parts_fit(
    library: str, options: dict[str, Any], parts: Any, rare: Any, fits: bool
) -> None:
    """The parts of `split` fit a schema of the same names in their order, whatever their shares."""
    schema = sf.schemas.parted(library=library, **options)

    parted = sf.split(make(library, DATA), "label", parts, rare=rare)

    assert refuses(schema, parted) is not fits


@pytest.mark.parametrize("kind", ["pandas", "pandas-nullable", "pandas-pyarrow", "polars"])
@pytest.mark.parametrize(("options", "cells", "fits"), TEXTS)
def test_parts_as_text(kind: str, options: dict[str, Any], cells: list[Any], fits: bool) -> None:
    """Parts as text, as in CSV files, fit where the schema allows text."""
    schema = sf.schemas.parted(library=kind.partition("-")[0], **options)

    assert refuses(schema, make(kind, {"split": cells})) is not fits


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
BAD_CALLS: list[Any] = [
    pytest.param(
        lambda: sf.schemas.parted({"\ud800": 0.5, "b": 0.5}),
        f"The names of `parts` {NO_UTF8}",
        id="name_of_a_part_that_utf8_cannot_encode",
    ),
    pytest.param(
        lambda: sf.schemas.folded(name=""),
        "`name` must be a non-empty string, got ''.",
        id="empty_name",
    ),
    pytest.param(
        lambda: pl.col("label").strat.kfold(name="\ud800"),
        f"`name` {NO_UTF8}",
        id="name_of_an_expression_that_utf8_cannot_encode",
    ),
    pytest.param(
        lambda: sf.schemas.folded(nulls="no"),
        "`nulls` must be True or False, got 'no'.",
        id="nulls_is_text",
    ),
    pytest.param(
        lambda: sf.schemas.folded(complete="no"),
        "`complete` must be True or False, got 'no'.",
        id="complete_is_text",
    ),
    pytest.param(
        lambda: sf.schemas.folded(library="dask"),
        "`library` must be 'pandas' or 'polars', got 'dask'.",
        id="library_unknown",
    ),
]


@pytest.mark.parametrize(("call", "message"), BAD_CALLS)
def test_arguments(call: Callable[[], Any], message: str) -> None:
    """A wrong argument of a schema is an error that states the rule."""
    refuse_now(message, call)


@pytest.mark.parametrize("nulls", [False, True])
def test_parted_accepts_what_files_keep(tmp_path: Path, nulls: bool) -> None:
    """Parts that the other library reads from Parquet fit, with `text=True` where order is lost."""
    path = tmp_path / "parts.parquet"
    rare = "null" if nulls else "ignore"
    for first, n_moves in (("pandas", 1), ("polars", 2)):
        df: Any = sf.split(make(first, DATA), "label", PARTS, rare=rare)
        for move in range(4):
            library = "polars" if isinstance(df, pl.DataFrame) else "pandas"
            given: Any = {"library": library, "nulls": nulls, "text": move > n_moves}
            assert not refuses(sf.schemas.parted(PARTS, **given), df)
            assert refuses(sf.schemas.parted(VALIDATION, **given), df)
            if library == "polars":
                df.write_parquet(path)
                df = pd.read_parquet(path)
            else:
                df.to_parquet(path)
                df = pl.read_parquet(path)


def test_parted_takes_ordered_categories() -> None:
    """Ordered categories fit if their order is that of the parts."""
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
    """With nulls, the floats that `read_csv` and `concat` make of folds fit."""
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
def test_all_failures_of_a_fold_column_at_once(library: str) -> None:
    """One error lists an empty fold beside folds out of range and missing ones."""
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
