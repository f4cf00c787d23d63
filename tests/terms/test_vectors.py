"""Vectors as features: one column that counts as its components, and selectors of several."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import polars.selectors as cs
import pyarrow as pa
import pytest

import stratframe as sf
from tests.helpers import Make, folds_of, refuse, refuse_rule, values

POINTS = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
LABELS = list("aab") * 20
NAMES = [f"c{place}" for place in range(4)]
COLUMNS = {name: POINTS[:, place] for place, name in enumerate(NAMES)}
TERMS: list[Callable[[Any], Any]] = [lambda x: sf.clusters(x, 3), sf.chain, sf.nearest]
VECTORS = {
    "array": pl.Series(POINTS),
    "list": pl.Series(POINTS).cast(pl.List(pl.Float32)),
    "arrays": pd.Series(list(POINTS)),
    "lists": pd.Series(POINTS.tolist()),
    "tuples": pd.Series([tuple(row) for row in POINTS.tolist()]),
    "both": pd.Series([row.astype(float) if row[0] > 0 else row for row in POINTS]),
    "arrow": pd.Series(list(POINTS), dtype=pd.ArrowDtype(pa.list_(pa.float32()))),
    "arrow of one size": pd.Series(list(POINTS), dtype=pd.ArrowDtype(pa.list_(pa.float32(), 4))),
}
SELECTORS = [cs.float(), pl.col("^c.$"), pl.col(NAMES), ["c0", cs.matches("c[1-3]")]]


def frame_of(column: Any, **others: Any) -> Any:
    library: Any = pd if isinstance(column, pd.Series) else pl
    return library.DataFrame({"label": LABELS, "v": column, **others})


@pytest.mark.parametrize("kind", VECTORS)
def test_a_vector_is_its_components(kind: str) -> None:
    """The folds of a column of vectors are those of one column for each component."""
    wanted = folds_of(pl.DataFrame({"label": LABELS, **COLUMNS}), ["label", sf.nearest(NAMES)], 3)
    frame = frame_of(VECTORS[kind])
    assert folds_of(frame, ["label", sf.nearest("v")], 3) == wanted
    if isinstance(frame, pl.DataFrame):
        assert folds_of(frame.lazy(), ["label", sf.nearest("v")], 3) == wanted


@pytest.mark.parametrize("features", SELECTORS)
def test_a_selector_is_its_columns(features: Any) -> None:
    """An expression that gives several columns stands for all of them but the fold column."""
    frame = pl.DataFrame({"label": LABELS, **COLUMNS})
    for term in TERMS:
        wanted = folds_of(frame, ["label", term(NAMES)], 3)
        for each in (frame, frame.lazy()):
            assert folds_of(each, ["label", term(features)], 3) == wanted
    folded = sf.kfold(frame, "label", 3)
    assert sf.drift(folded.lazy(), features).equals(sf.drift(folded, NAMES))
    found = sf.check(folded, "label", features=features)
    assert str(found) == str(sf.check(folded, "label", features=NAMES))
    assert sf.drift(folded, cs.numeric()).equals(sf.drift(folded, NAMES))
    two = pl.col("c0", "c1")
    message = f"An entry of `by` must give one column, got 2 from {two}."
    refuse(message, lambda: sf.kfold(frame, sf.quantiles(two, 3)))


@pytest.mark.parametrize("kind", VECTORS)
def test_drift_of_vectors(kind: str) -> None:
    """The drift of a vector is that of each component."""
    fold = np.arange(60) % 3
    found = sf.drift(frame_of(VECTORS[kind], fold=fold), "v", full=True)
    wanted = sf.drift(pl.DataFrame({**COLUMNS, "fold": fold}), NAMES, full=True)
    assert values(found, "feature") == [f"v[{each[1]}]" for each in wanted["feature"]]
    for measure in wanted.columns[2:]:
        np.testing.assert_array_equal(found[measure].to_numpy(), wanted[measure].to_numpy())


def test_faults_of_vectors(frame: Make) -> None:
    """Vectors of another length, missing ones and gaps in them are errors that list the rows."""
    rows: list[Any] = [[float(place), 1.0] for place in range(12)]
    by = sf.clusters("v", 2)
    short = frame({"v": [*rows[:3], [1.0], *rows[4:]]})
    message = "Vectors must have equal lengths, but in column 'v' the length is not 2 in 1 row (3)."
    assert values(refuse(message, lambda: folds_of(short, by, 2)).failures, "row") == [3]
    gaps = frame({"v": [None, [1.0, None], [1.0, float("nan")], *rows[3:]]})
    rule = "Column 'v' has missing values in 3 rows (0, 1, 2)."
    refuse_rule(rule, lambda: folds_of(gaps, by, 2))
    assert folds_of(gaps, by, 2, missing="null")[:3] == [None] * 3
    far = frame({"v": [[1.0, float("-inf")], *rows[1:]]})
    refuse_rule("Column 'v' has infinite values in 1 row (0).", lambda: folds_of(far, by, 2))
    empty = frame({"v": [[], None, *[[]] * 10]})
    rule = "Vectors must have at least one number, but column 'v' has empty ones."
    refuse_rule(rule, lambda: sf.kfold(empty, by, 2))
    for other in ([["a"]] * 12, [["1"]] * 12, [[1j]] * 12, [[[1.0]]] * 12):
        with pytest.raises(sf.StratError, match="needs numbers, booleans or vectors as features"):
            folds_of(frame({"v": other}), by, 2)


@pytest.mark.parametrize("dtype", [pl.List(pl.Float64), pl.Array(pl.Float32, 3)])
def test_a_column_without_any_vector(dtype: Any) -> None:
    """Where no row has a vector, all are missing."""
    frame = pl.DataFrame({"v": pl.Series([None] * 4, dtype=dtype), "fold": [0, 1, 0, 1]})
    rule = "Column 'v' has missing values in 4 rows (0, 1, 2, 3)."
    refuse_rule(rule, lambda: sf.kfold(frame, sf.clusters("v", 2), 2, name="new"))
    assert sf.drift(frame, "v")["distance"].null_count() == 2


def test_vectors_that_a_join_leaves_out() -> None:
    """A row without a vector lacks it, whatever numbers Polars keeps in its place."""
    vectors = pl.Series("v", [[1.0, 2.0], [3.0, 4.0]], dtype=pl.Array(pl.Float64, 2))
    known = pl.DataFrame({"id": [1, 2], "v": vectors})
    frame = pl.DataFrame({"id": [0, 1, 2]}).join(known, on="id", how="left", maintain_order="left")
    rule = "Column 'v' has missing values in 1 row (0)."
    refuse_rule(rule, lambda: sf.kfold(frame, sf.clusters("v", 2), 2))


def test_numbers_of_any_type() -> None:
    """Vectors of wide integers, booleans and long floats are numbers, too."""
    rows = [[place % 7, place % 3] for place in range(30)]
    wanted = folds_of(pl.DataFrame({"v": rows}), sf.clusters("v", 3))
    long = pd.DataFrame({"v": [np.array(row, dtype=np.longdouble) for row in rows]})
    assert folds_of(long, sf.clusters("v", 3)) == wanted
    for dtype in (pl.Int8, pl.Int64, getattr(pl, "Int128", pl.Int32)):
        whole = pl.DataFrame({"v": pl.Series(rows).cast(pl.List(dtype))})
        assert folds_of(whole, sf.clusters("v", 3)) == wanted
    flags = pl.DataFrame({"v": [[bool(a % 2), bool(b)] for a, b in rows]})
    assert len(folds_of(flags, sf.clusters("v", 2))) == 30
