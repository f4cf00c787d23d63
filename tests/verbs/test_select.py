"""Using columns: folds, parts, cv and samples."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

import stratframe as sf
from tests.helpers import FOLDED, KINDS, ROWS, Make, eager, make, refuse, refuse_now, values
from tests.messages import at_least, at_most, must_hold, no_column, no_fold, one_of, whole_number


def test_folds_part_the_rows(frame: Make, kind: str) -> None:
    """Each fold's frames are of the caller's kind, and hold every row once, in order."""
    data = {"x": list(range(20)), "label": ["a", "b"] * 10}
    folded = sf.kfold(frame(data), "label", 4)
    found = list(sf.folds(folded))
    assert [fold.fold for fold in found] == [0, 1, 2, 3]
    for fold in found:
        assert type(fold.train) is type(fold.valid) is type(folded)
        train, valid = values(fold.train, "x"), values(fold.valid, "x")
        assert train == sorted(train)
        assert sorted(train + valid) == data["x"]
        assert set(values(fold.valid, "fold")) == {fold.fold}


@pytest.mark.parametrize(("nulls", "in_train"), [("train", True), ("drop", False)])
def test_rows_without_a_fold(frame: Make, nulls: str, in_train: bool) -> None:
    """Null rows are in every training set or in none, and never validate."""
    data = {"x": list(range(9)), "label": [None, *"abababab"]}
    folded = sf.kfold(frame(data), "label", 2, missing="null")
    for fold in sf.folds(folded, nulls=nulls):
        assert (0 in values(fold.train, "x")) is in_train
        assert 0 not in values(fold.valid, "x")
        assert len(values(fold.train, "x")) + len(values(fold.valid, "x")) == 8 + in_train
    for train, test in sf.cv(folded, nulls=nulls):
        assert (0 in train) is in_train
        assert 0 not in test
    assert len(sf.cv(folded, nulls=nulls)) == 2


def test_null_rows_are_refused_by_default(frame: Make, kind: str) -> None:
    """Folds over a column with nulls are an error that names both ways out."""
    folded = sf.kfold(frame({"a": [None, 1, 1, 2, 2]}), "a", 2, missing="null")
    for use in (sf.folds, sf.cv):
        refuse_now(no_fold("fold", 1), lambda use=use: use(folded), kind)


def test_several_columns_come_in_turn(frame: Make) -> None:
    """A list of names gives all folds of each column, one column after another."""
    folded = sf.kfold(frame({"a": [1, 2] * 6, "x": list(range(12))}), "a", 3, repeats=2)
    names = ["fold_1", "fold_2"]
    both = [values(fold.valid, "x") for fold in sf.folds(folded, names)]
    one_by_one = [values(f.valid, "x") for name in names for f in sf.folds(folded, name)]
    assert both == one_by_one == [test.tolist() for _, test in sf.cv(folded, names)]
    assert len(both) == 6


def test_float_folds_of_concat_are_folds() -> None:
    """The float column that `pd.concat` makes of folds and missing ones is understood."""
    folded = sf.kfold(pd.DataFrame({"a": [1, 2] * 3}), "a", 2)
    grown = pd.concat([folded, pd.DataFrame({"a": [1]})], ignore_index=True)
    assert grown["fold"].dtype == np.float64
    assert [fold.fold for fold in sf.folds(grown, nulls="train")] == [0, 1]
    assert sum(len(test) for _, test in sf.cv(grown, nulls="drop")) == 6
    in_polars = pl.DataFrame({"fold": grown["fold"].to_numpy()})
    assert [len(f.train) for f in sf.folds(in_polars, nulls="train")] == [4, 4]
    assert [len(f.train) for f in sf.folds(in_polars, nulls="drop")] == [3, 3]


def test_parts_are_in_their_order(frame: Make) -> None:
    """Parts come in the order of the call, empty ones too, without the rows of none."""
    data = {"a": ["x"] * 6 + ["y"], "i": list(range(7))}
    split = sf.split(frame(data), "a", {"test": 0.5, "none": 0.01, "train": 0.49}, rare="null")
    found = sf.parts(split)
    assert list(found) == ["test", "none", "train"]
    assert len(values(found["none"], "i")) == 0
    assert sorted(i for part in found.values() for i in values(part, "i")) == list(range(6))


def test_parts_of_any_column(frame: Make) -> None:
    """A part column made elsewhere, of plain strings, is taken apart in sorted order."""
    found = sf.parts(frame({"split": ["b", "a", None, "b"], "i": [0, 1, 2, 3]}))
    assert {part: values(rows, "i") for part, rows in found.items()} == {"a": [1], "b": [0, 3]}


def test_scikit_learn_takes_cv(frame: Make) -> None:
    """`cv` goes into `cross_val_score` and, used twice, into a grid search."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    data = {"x": x[:, 0].tolist(), "y": (x[:, 0] > 0).astype(int).tolist()}
    cv = sf.cv(sf.kfold(frame(data), "y", 3))
    assert cross_val_score(LogisticRegression(), x, data["y"], cv=cv).shape == (3,)
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=cv).fit(x, data["y"])
    assert search.n_splits_ == 3


labels = st.lists(st.integers(0, 4), min_size=1, max_size=60)


@pytest.mark.parametrize("kind", KINDS)
@given(column=labels, data=st.data(), seed=st.integers(0, 99))
def test_samples_are_proportional(
    kind: str, column: list[int], data: st.DataObject, seed: int
) -> None:
    """A sample has `n` rows in their old order, each stratum its share rounded."""
    n = data.draw(st.integers(0, len(column)))
    frame = make(kind, {"a": column, "i": list(range(len(column)))})
    found = sf.sample(frame, "a", n=n, seed=seed)
    rows = values(found, "i")
    assert rows == sorted(set(rows))
    assert len(rows) == n
    sizes = Counter(column)
    for label, count in Counter(column[row] for row in rows).items():
        assert abs(count - sizes[label] * n / len(column)) < 1


def test_samples_by_share_and_equal_numbers(frame: Make) -> None:
    """`frac` rounds the total; equal allocation passes on what small strata lack."""
    data = {"a": ["x"] * 50 + ["y"] * 20 + ["z"] * 3, "i": list(range(73))}
    assert len(values(sf.sample(frame(data), "a", frac=0.1), "i")) == 7
    assert len(values(sf.sample(frame(data), "a", frac=0.5), "i")) == 36
    equal = values(sf.sample(frame(data), "a", n=33, allocation="equal"), "a")
    assert Counter(equal) == {"x": 15, "y": 15, "z": 3}
    assert sf.sample(frame(data), "a", n=73) is not None


def test_samples_are_the_same_everywhere() -> None:
    """The same sample comes on every kind of frame; lazy ones give eager samples."""
    data = {"a": [1, 2, 2, 3, None] * 8, "v": [i / 8 for i in range(40)], "i": list(range(40))}
    for by in ("a", ["a", sf.continuous("v")], sf.quantiles("v", 3)):
        found = {tuple(values(sf.sample(make(kind, data), by, n=11), "i")) for kind in KINDS}
        assert len(found) == 1
    assert isinstance(sf.sample(make("polars-lazy", data), "a", n=3), pl.DataFrame)


def test_a_continuous_sample_is_spread_over_the_values(frame: Make) -> None:
    """A sample stratified by a continuous column takes rows evenly along its values."""
    data = {"v": [i + 0.5 for i in range(100)]}
    found = values(sf.sample(frame(data), "v", n=10), "v")
    gaps = np.diff([-10.0, *found, 110.0])
    assert gaps.max() <= 22


def test_folds_of_a_lazy_frame_are_lazy() -> None:
    """A lazy frame yields lazy frames whose rows never meet."""
    lazy = pl.LazyFrame({"a": [1, 2] * 10, "i": range(20)}).strat.kfold("a", k=2)
    for fold in lazy.strat.folds():
        assert isinstance(fold.train, pl.LazyFrame)
        assert not set(eager(fold.train)["i"]) & set(eager(fold.valid)["i"])


def test_samples_of_small_shares_and_of_nothing(frame: Any) -> None:
    """A share below a millionth counts in full; no rows of no rows are none."""
    lots = pd.DataFrame({"a": np.zeros(2_500_000, dtype=np.int8)})
    assert len(sf.sample(lots, "a", frac=8e-7)) == 2
    for allocation in ("equal", "proportional"):
        assert len(eager(sf.sample(frame({"a": []}), "a", n=0, allocation=allocation))) == 0


# Bad input ------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", [sf.folds, sf.cv, lambda df, name: sf.balance(df, "label", name)])
@pytest.mark.parametrize("name", [5, None, [], pl.col("fold"), [["fold"]]])
def test_names_of_fold_columns(frame: Make, kind: str, verb: Callable[..., Any], name: Any) -> None:
    """Fold columns are named by a string or a list of them, one at least."""
    shown = ["fold"] if isinstance(name, list) and name else name
    message = must_hold("name", shown)
    refuse_now(message, lambda: verb(frame(FOLDED), name), kind)


@pytest.mark.parametrize("verb", [sf.parts])
@pytest.mark.parametrize("name", [5, ["fold"], len])
def test_name_of_one_column(frame: Make, kind: str, verb: Callable[..., Any], name: Any) -> None:
    """Parts take the name of one column."""
    refuse_now(must_hold("name", name), lambda: verb(frame(FOLDED), name), kind)


@pytest.mark.parametrize(
    "verb", [sf.folds, sf.cv, sf.parts, lambda df, name: sf.balance(df, "label", name)]
)
def test_fold_column_that_is_not_there(frame: Make, kind: str, verb: Callable[..., Any]) -> None:
    """A fold column that is not there is refused at the call, with the nearest name."""
    refuse_now(
        no_column("name", "flod", "fold"),
        lambda: verb(frame(FOLDED), "flod"),
        kind,
    )


@pytest.mark.parametrize("verb", [sf.folds, sf.cv])
def test_rows_without_a_fold_are_refused(frame: Make, kind: str, verb: Callable[..., Any]) -> None:
    """Rows without a fold are refused, with the two ways to keep them."""
    one, two = ({"fold": [0, 1, *nulls]} for nulls in ([None], [None, None]))
    refuse_now(no_fold("fold", 1), lambda: verb(frame(one)), kind)
    refuse_now(no_fold("fold", 2), lambda: verb(frame(two)), kind)
    message = one_of("nulls", ["error", "train", "drop"], "keep")
    refuse_now(message, lambda: verb(frame(one), nulls="keep"), kind)


def test_uses_of_no_rows(frame: Make) -> None:
    """An empty frame has no folds, no parts and an empty sample."""
    df = frame({"label": [], "fold": []})
    assert list(sf.folds(df)) == []
    assert sf.cv(df) == []
    assert sf.parts(df, "fold") == {}
    assert len(sf.sample(df, "label", frac=0.5)) == 0


def n_or_frac(n: object, frac: object) -> str:
    return f"Exactly one of `n` and `frac` must be given, got n={n} and frac={frac}."


def from_0_to_1(frac: object) -> str:
    return f"`frac` must be a number from 0 to 1, got {frac!r}."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, n_or_frac(n=None, frac=None)),
        (
            {"n": 1, "frac": 0.5},
            n_or_frac(n=1, frac=0.5),
        ),
        ({"n": -1}, at_least("n", 0, -1)),
        ({"n": True}, whole_number("n", True)),
        ({"n": 2.5}, whole_number("n", 2.5)),
        ({"frac": -0.1}, from_0_to_1(-0.1)),
        ({"frac": 1.1}, from_0_to_1(1.1)),
        ({"frac": True}, from_0_to_1(True)),
        ({"frac": "a"}, from_0_to_1("a")),
        ({"frac": float("nan")}, from_0_to_1(float("nan"))),
        ({"n": 11}, at_most("n", "rows", 11, 10, "row")),
        (
            {"n": 1, "allocation": "fair"},
            one_of("allocation", ["proportional", "equal"], "fair"),
        ),
        ({"n": 1, "seed": -1}, at_least("seed", 0, -1)),
    ],
)
def test_arguments_of_sample(
    frame: Make, kind: str, arguments: dict[str, Any], message: str
) -> None:
    """A sample of neither or both of `n` and `frac`, or of a wrong one, is refused."""
    refuse(message, lambda: sf.sample(frame(ROWS), "label", **arguments), kind)


def test_numpy_frac(frame: Make) -> None:
    """A fraction of rows may be a numpy number of any width."""
    assert len(sf.sample(frame(ROWS), "label", frac=np.float32(0.5))) == 5
