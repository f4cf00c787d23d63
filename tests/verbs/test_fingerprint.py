"""Fingerprints: 16 hex digits of who is in which fold."""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

import stratframe as sf
from tests.helpers import Make, eager, make, refuse, refuse_rule, warned

SPARK_SEED = 42
TAKE_OUT = (
    "which is not possible on Dask frames.\nHint: take the columns of keys and folds out, as a"
    " pandas or Polars frame."
)

Label = int | str | None


def bytes_of(value: Any) -> bytes:
    """Write a value as the 8 bytes of a whole number or as text; a missing one as FF."""
    if value is None:
        return b"\xff"
    if isinstance(value, str):
        return value.encode()
    return struct.pack("<q", value)


def fingerprint_of(keys: Sequence[Sequence[Any]], labels: Sequence[Sequence[Label]]) -> str:
    """Compute a fingerprint row by row, with another library and Python's own integers."""
    total = 0
    for key, row in zip(keys, labels, strict=True):
        if all(label is None for label in row):
            continue
        state = xxhash.xxh64_intdigest(struct.pack("<q", 0), SPARK_SEED)
        for value in (*key, *row):
            state = xxhash.xxh64_intdigest(bytes_of(value), state)
        total += state
    return f"{total % 2**64:016x}"


labels_of_rows = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 4)),
        st.one_of(st.none(), st.sampled_from(["train", "test", ""])),
    ),
    max_size=20,
)


@given(labels_of_rows, st.data())
def test_the_formula_of_the_page(rows: list[tuple[int | None, str | None]], data: Any) -> None:
    """Hashes are chained over keys and labels, and summed over the rows that have a label."""
    n_rows = len(rows)
    numbers = data.draw(
        st.lists(st.integers(-(2**63), 2**63 - 1), min_size=n_rows, max_size=n_rows)
    )
    texts = data.draw(st.lists(st.text("abcé", max_size=40), min_size=n_rows, max_size=n_rows))
    schema = {"id": pl.Int64, "who": pl.String, "fold": pl.Int64, "split": pl.String}
    columns = [numbers, texts, [row[0] for row in rows], [row[1] for row in rows]]
    df = pl.DataFrame(dict(zip(schema, columns, strict=True)), schema=schema)
    keys = list(zip(numbers, texts, strict=True))

    assert sf.fingerprint(df, key=["id", "who"]) == fingerprint_of(keys, [row[:1] for row in rows])
    assert sf.fingerprint(df, "split", key="who") == fingerprint_of(
        [key[1:] for key in keys], [row[1:] for row in rows]
    )
    assert sf.fingerprint(df, ["fold", "split"], key="id") == fingerprint_of(
        [key[:1] for key in keys], rows
    )
    assert sf.fingerprint(df) == fingerprint_of(
        [(place,) for place in range(n_rows)], [row[:1] for row in rows]
    )


def test_it_is_known_by_heart(frame: Make) -> None:
    """The digits stay the same in every library and version, as they are printed in papers."""
    data = frame({"id": [7, 8, 9], "fold": [0, 1, 0], "split": ["train", "test", "train"]})

    assert sf.fingerprint(data, key="id") == "ed15fb190eb21fc8"
    assert sf.fingerprint(data, "split", key="id") == fingerprint_of(
        [(7,), (8,), (9,)], [("train",), ("test",), ("train",)]
    )


KEYED = {"id": [3, 1, 2, 1], "fold": [0, 1, None, 2]}
FRAMES: dict[str, Any] = {
    "polars": pl.DataFrame(KEYED),
    "polars-lazy": pl.LazyFrame(KEYED),
    "in-another-order": pl.DataFrame(KEYED)[::-1],
    "without-rows-that-have-no-fold": pl.DataFrame(KEYED).drop_nulls(),
    "pandas-with-floats": pd.DataFrame(KEYED),
    "pandas-nullable": pd.DataFrame(KEYED, dtype="Int64"),
    "narrow-integers": pl.DataFrame(KEYED, schema={"id": pl.UInt8, "fold": pl.Int8}),
    "renamed": pl.DataFrame(KEYED).rename({"id": "who", "fold": "part"}),
    "floats-of-keys": pd.DataFrame(KEYED, dtype="float64"),
    "another-index": pd.DataFrame(KEYED, index=list("aaba")),
    "categories-of-numbers": pd.DataFrame(KEYED).astype({"fold": "category"}),
}


@pytest.mark.parametrize("each", FRAMES)
def test_it_is_of_rows_and_not_of_frames(each: str) -> None:
    """Order, library, data type, names and rows without a fold change nothing."""
    data = FRAMES[each]
    key, name = eager(data).columns

    found = sf.fingerprint(data, name, key=key)

    assert found == fingerprint_of([(3,), (1,), (1,)], [(0,), (1,), (2,)])


def test_categories_count_as_their_text() -> None:
    """Parts have one fingerprint as text, category and Enum."""
    text = pd.DataFrame({"split": ["train", "test", None]})
    parts = text.astype({"split": pd.CategoricalDtype(["test", "none", "train"])})
    enum = pl.DataFrame(text).cast({"split": pl.Enum(["train", "test"])})

    found = {sf.fingerprint(data, "split") for data in (text, parts, enum, pl.DataFrame(text))}

    assert found == {fingerprint_of([(0,), (1,)], [("train",), ("test",)])}


folds = st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=1, max_size=12)


@given(folds, st.data())
def test_a_row_that_changes_its_label_changes_it(before: list[Label], data: Any) -> None:
    """Another label of one row, or of one of two columns, changes the fingerprint."""
    place = data.draw(st.integers(0, len(before) - 1))
    label = data.draw(
        st.sampled_from([each for each in (None, *range(4)) if each != before[place]])
    )
    after = [*before[:place], label, *before[place + 1 :]]

    for names, others in (["fold"], {}), (["fold", "x"], {"x": after[::-1]}):
        old = sf.fingerprint(pl.DataFrame({"fold": before, **others}), names)
        assert old != sf.fingerprint(pl.DataFrame({"fold": after, **others}), names)


def test_columns_of_repeats_follow_in_order() -> None:
    """`fold` means fold_1, fold_2, ... where there is no `fold`."""
    df = sf.kfold(pd.DataFrame({"x": range(10)}), k=2, repeats=2)

    assert sf.fingerprint(df) == sf.fingerprint(df, ["fold_1", "fold_2"])
    assert sf.fingerprint(df) != sf.fingerprint(df, ["fold_2", "fold_1"])


def test_frames_of_a_mapping_are_parts(frame: Make) -> None:
    """Train and test in two frames have the fingerprint of one frame with both."""
    whole = {"id": [1, 2, 3], "split": ["train", "train", "test"]}
    several = {"train": frame({"id": [2, 1]}), "test": frame({"id": [3]})}

    assert sf.fingerprint(several, key="id") == sf.fingerprint(frame(whole), "split", key="id")


def test_no_rows_are_zeros(frame: Make) -> None:
    """A frame without rows, or without a fold in any, has sixteen zeros."""
    assert sf.fingerprint(frame({"fold": []})) == "0" * 16
    assert sf.fingerprint(frame({"fold": [None, None]})) == "0" * 16


def test_a_file_keeps_it(tmp_path: Path) -> None:
    """A frame that comes back from CSV or Parquet has the same fingerprint."""
    df = pd.DataFrame({"id": range(20)}).strat.kfold(k=3, where=lambda each: each["id"] > 4)
    df.to_csv(tmp_path / "folds.csv", index=False)
    df.to_parquet(tmp_path / "folds.parquet")

    readers = (pd.read_csv, pl.read_csv, pl.scan_csv)
    found = {sf.fingerprint(read(tmp_path / "folds.csv"), key="id") for read in readers}
    readers = (pd.read_parquet, pl.read_parquet, pl.scan_parquet)
    found |= {sf.fingerprint(read(tmp_path / "folds.parquet"), key="id") for read in readers}

    assert found == {sf.fingerprint(df, key="id")}


def test_positions_of_a_query_in_any_order() -> None:
    """Without a key, a lazy query whose rows come in any order is a warning; with one it is not."""
    lazy = pl.LazyFrame({"id": [1, 2], "fold": [0, 1]}).unique()
    message = (
        "The step `unique` may put the rows of this lazy query in a different order each time it is"
        " collected, and without `key=` the positions of rows depend on the order: the fingerprint"
        ' may be another one each time.\nHint: `key="id"` names columns that identify the rows.'
        " Alternatively, collect the query first."
    )

    found = warned(message, lambda: pl.DataFrame({"digits": [sf.fingerprint(lazy)]}))["digits"][0]

    assert len(found) == 16
    assert sf.fingerprint(lazy, key="id") == fingerprint_of([(1,), (2,)], [(0,), (1,)])


def test_rows_without_a_key(kind: str) -> None:
    """A row with a label needs a key; one without needs none."""
    data = make(kind, {"id": [1, None, None], "fold": [0, 1, None]})

    refuse_rule(
        "Column 'id' has missing values in 1 row (1).", lambda: sf.fingerprint(data, key="id")
    )
    some = make(kind, {"id": [1, None], "fold": [0, None]})
    assert sf.fingerprint(some, key="id") == fingerprint_of([(1,)], [(0,)])


def test_labels_without_a_hash() -> None:
    """Labels of mixed types are refused, and so is the -1 of `PredefinedSplit`."""
    mixed = pd.DataFrame({"fold": [1, "a"]})
    refuse(
        "A column of `name` must hold labels of one type for a fingerprint, but 'fold' is object."
        "\nHint: cast it to text.",
        lambda: sf.fingerprint(mixed),
    )
    refuse(
        "Column 'fold' must hold folds, but has -1, which scikit-learn's `PredefinedSplit` never"
        " tests.\nHint: replace -1 with null; the fingerprint leaves them out.",
        lambda: sf.fingerprint(pd.DataFrame({"fold": [0, -1, 1]})),
    )


def test_dask_frames_are_refused() -> None:
    """A frame of an engine is refused, with the call that computes it."""
    dask = pytest.importorskip("dask.dataframe")
    df = dask.from_pandas(pd.DataFrame({"id": np.arange(4), "fold": [0, 1, 0, 1]}), npartitions=2)

    refuse(
        f"`fingerprint` reads the keys and folds of all rows, {TAKE_OUT}",
        lambda: sf.fingerprint(df, key="id"),
    )
