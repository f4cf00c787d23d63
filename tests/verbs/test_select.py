"""Using columns: folds, parts, cv and samples."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
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
from stratframe.errors import describe
from tests.helpers import (
    FOLDED,
    KINDS,
    ROWS,
    Make,
    columns_of,
    eager,
    make,
    refuse,
    refuse_now,
    values,
)


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


def test_null_rows_are_refused_by_default(frame: Make) -> None:
    """Folds over a column with nulls are an error that names both ways out."""
    folded = sf.kfold(frame({"a": [None, 1, 1, 2, 2]}), "a", 2, missing="null")
    for use in (sf.folds, sf.cv):
        refuse_now(
            "Column 'fold' must give every row a fold, but 1 row has none.\n"
            'Hint: `nulls="train"` keeps them in every training set, `nulls="drop"` in none.',
            lambda use=use: use(folded),
        )


def test_several_columns_come_in_turn(frame: Make) -> None:
    """A list of names gives all folds of each column, one column after another."""
    folded = sf.kfold(frame({"a": [1, 2] * 6, "x": list(range(12))}), "a", 3, repeats=2)
    names = ["fold_1", "fold_2"]
    both = [values(fold.valid, "x") for fold in sf.folds(folded, names)]
    marginal = [values(f.valid, "x") for name in names for f in sf.folds(folded, name)]
    assert both == marginal == [test.tolist() for _, test in sf.cv(folded, names)]
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


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (["b", "a", None, "b"], ["b", "a"]),
        (["test", "valid", "train", "test"], ["train", "valid", "test"]),
        (["holdout", "x", "Test", "dev", "Train"], ["Train", "dev", "Test", "holdout", "x"]),
        (["val", "validation", "train"], ["train", "val", "validation"]),
        ([2, 0, None, 1, 10], [0, 1, 2, 10]),
        ([None, None], []),
        ([True, False], [False, True]),
    ],
)
def test_order_of_parts(frame: Make, column: list[Any], expected: list[Any]) -> None:
    """Text comes in the order train, valid, test, others as they appear; numbers are sorted."""
    found = sf.parts(frame({"split": column, "i": list(range(len(column)))}))
    assert list(found) == expected
    for part, rows in found.items():
        assert values(rows, "i") == [i for i, value in enumerate(column) if value == part]


def test_parts_read_back_from_csv(tmp_path: Path) -> None:
    """Train and test stay what they are when a split is written to a file and read again."""
    made = sf.split(pd.DataFrame({"i": range(10)}), None, {"train": 6, "valid": 3, "test": 1})
    made.to_csv(tmp_path / "split.csv", index=False)
    for read in (pd.read_csv, pl.read_csv, pl.scan_csv):
        train, valid, test = sf.parts(read(tmp_path / "split.csv")).values()
        assert [len(eager(part)) for part in (train, valid, test)] == [6, 3, 1]


def test_parts_of_polars_categories() -> None:
    """Polars categoricals are text without an order."""
    column = pl.Series("split", ["test", "a", "train"], dtype=pl.Categorical)
    for df in (column.to_frame(), column.to_frame().lazy()):
        assert list(sf.parts(df)) == ["train", "test", "a"]


@given(column=st.lists(st.sampled_from(["train", "test", "b", "a", None]), min_size=1))
@pytest.mark.parametrize("kind", ["pandas", "polars", "polars-lazy"])
def test_parts_are_a_partition(kind: str, column: list[str | None]) -> None:
    """Each row with a part is in the frame of its part, by name and by default."""
    df = make(kind, {"split": [*column, "test"], "i": list(range(len(column) + 1))})
    found = sf.parts(df)
    names = list(found)[::-1]
    again = sf.parts(df, names=names)
    assert list(again) == names
    for part in names:
        rows = [i for i, value in enumerate([*column, "test"]) if value == part]
        assert values(found[part], "i") == values(again[part], "i") == rows


def test_parts_by_name(frame: Make) -> None:
    """Names give the order; parts of a category without rows may be listed or left out."""
    data = {"a": ["x"] * 6 + ["y"], "i": list(range(7))}
    parts = {"test": 0.5, "none": 0.01, "train": 0.49}
    made = sf.split(frame(data), "a", parts, rare="null")
    assert list(sf.parts(made, names=["train", "test"])) == ["train", "test"]
    train, none, test = sf.parts(made, names=("train", "none", "test")).values()
    assert [len(values(part, "i")) for part in (train, none, test)] == [3, 0, 3]


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


NOT_A_NUMBER = (
    "\nHint: `name` is a column that is there already; `df.strat.kfold(..., k=5)` makes one."
)
"""What a number of folds in place of a column is answered with."""


@pytest.mark.parametrize("verb", [sf.folds, sf.cv, lambda df, name: sf.balance(df, "label", name)])
@pytest.mark.parametrize("name", [5, None, [], pl.col("fold"), [["fold"]]])
def test_names_of_fold_columns(verb: Callable[..., Any], name: Any) -> None:
    """Fold columns are named by a string or a list of them, one at least."""
    shown = ["fold"] if isinstance(name, list) and name else name
    hint = NOT_A_NUMBER if isinstance(name, int) else ""
    message = f"`name` must hold column names, got {describe(shown)}.{hint}"
    refuse_now(message, lambda: verb(pd.DataFrame(FOLDED), name))


@pytest.mark.parametrize("verb", [sf.parts])
@pytest.mark.parametrize("name", [5, ["fold"], len])
def test_name_of_one_column(verb: Callable[..., Any], name: Any) -> None:
    """Parts take the name of one column."""
    hint = NOT_A_NUMBER if isinstance(name, int) else ""
    message = f"`name` must hold column names, got {name!r}.{hint}"
    refuse_now(message, lambda: verb(pd.DataFrame(FOLDED), name))


@pytest.mark.parametrize(
    "verb", [sf.folds, sf.cv, sf.parts, lambda df, name: sf.balance(df, "label", name)]
)
def test_fold_column_that_is_not_there(verb: Callable[..., Any]) -> None:
    """A fold column that is not there is refused at the call, with the nearest name."""
    refuse_now(
        "`name` names the column 'flod', which the frame does not have.\n"
        "Hint: did you mean 'fold'? If not, add it first, as in"
        " `df.strat.kfold(..., name='flod')` or `split`.",
        lambda: verb(pd.DataFrame(FOLDED), "flod"),
    )


@pytest.mark.parametrize("verb", [sf.folds, sf.cv])
def test_rows_without_a_fold_are_refused(frame: Make, verb: Callable[..., Any]) -> None:
    """Rows without a fold are refused, with the two ways to keep them."""
    one, two = ({"fold": [0, 1, *nulls]} for nulls in ([None], [None, None]))
    refuse_now(
        "Column 'fold' must give every row a fold, but 1 row has none.\n"
        'Hint: `nulls="train"` keeps them in every training set, `nulls="drop"` in none.',
        lambda: verb(frame(one)),
    )
    refuse_now(
        "Column 'fold' must give every row a fold, but 2 rows have none.\n"
        'Hint: `nulls="train"` keeps them in every training set, `nulls="drop"` in none.',
        lambda: verb(frame(two)),
    )
    message = "`nulls` must be 'error', 'train' or 'drop', got 'keep'."
    refuse_now(message, lambda: verb(frame(one), nulls="keep"))


@pytest.mark.parametrize("verb", [sf.folds, sf.cv])
@pytest.mark.parametrize("nulls", ["error", "train", "drop"])
def test_one_fold(frame: Make, verb: Callable[..., Any], nulls: str) -> None:
    """A column with a single fold is refused, as its training set would be empty."""
    message = (
        "Column 'fold' must have at least 2 folds, got 3 alone: its training set would be empty."
    )
    refuse_now(message, lambda: verb(frame({"fold": [3, 3, 3]}), nulls=nulls))


@pytest.mark.parametrize("verb", [sf.folds, sf.cv])
@pytest.mark.parametrize("rule", [{}, {"valid": [0]}, {"train": [1]}, {"train": "past"}], ids=str)
def test_no_fold(frame: Make, verb: Callable[..., Any], rule: dict[str, Any]) -> None:
    """A column in which no row has a fold is refused, not read as no pairs."""
    message = "Column 'fold' must have at least 2 folds, but no row has one."
    refuse_now(message, lambda: verb(frame({"fold": [None, None]}), nulls="drop", **rule))


@pytest.mark.parametrize("verb", [sf.folds, sf.cv])
def test_one_fold_and_rows_without(frame: Make, verb: Callable[..., Any]) -> None:
    """Rows without a fold may be all that a single fold is trained on."""
    df = frame({"fold": [None, 0, None, 0], "i": [0, 1, 2, 3]})
    message = (
        "Column 'fold' must have at least 2 folds, got 0 alone: its training set would be"
        " empty.\n"
        'Hint: `nulls="train"` trains on the rows without a fold.'
    )
    refuse_now(message, lambda: verb(df, nulls="drop"))
    assert len(list(verb(df, nulls="train"))) == 1
    ((train, test),) = sf.cv(df, nulls="train")
    assert (train.tolist(), test.tolist()) == ([0, 2], [1, 3])
    (fold,) = sf.folds(df, nulls="train")
    assert (values(fold.train, "i"), values(fold.valid, "i")) == ([0, 2], [1, 3])


def test_one_part_with_rows() -> None:
    """A category without rows does not make a second fold."""
    column = pd.Categorical(["a", "a"], categories=["a", "b"])
    refuse_now(
        "Column 'split' must have at least 2 folds, got 'a' alone: its training set would"
        " be empty.",
        lambda: sf.cv(pd.DataFrame({"split": column}), "split"),
    )


SPLIT = {"split": ["train", "test", None, "train"]}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            ["train", "valid", "test"],
            "Column 'split' has no part 'valid'.\nHint: the parts with rows are 'train', 'test'.",
        ),
        (
            ["test"],
            "`names` must list every part of 'split', but lacks 'train'.\n"
            "Hint: the parts with rows are 'train', 'test'.",
        ),
        (
            ["Train", "test"],
            "Column 'split' has no part 'Train'.\n"
            "`names` must list every part of 'split', but lacks 'train'.\n"
            "Hint: the parts with rows are 'train', 'test'.",
        ),
        ("train", "`names` must be a list of part names, got 'train'."),
        ([["train"]], "`names` must be a list of part names, got [['train']]."),
        ([("a", ["b"])], "`names` must be a list of part names, got [('a', ['b'])]."),
        ([], "`names` must hold at least one part, got []."),
        (["test", "train", "test"], "`names` must hold each part once, got 'test' twice."),
    ],
)
def test_other_names_of_parts(names: Any, message: str) -> None:
    """Names that are not those of the parts are refused, and the message says which."""
    refuse_now(message, lambda: sf.parts(pd.DataFrame(SPLIT), names=names))


def test_names_of_long_data() -> None:
    """Data in place of names of parts are not printed."""
    message = "`names` must be a list of part names, got Series."
    refuse_now(message, lambda: sf.parts(pd.DataFrame(SPLIT), names=pd.Series(range(100))))


@pytest.mark.parametrize(
    "verb",
    [
        sf.folds,
        sf.cv,
        lambda df, name="fold": sf.check(df, name=name),
        lambda df, name="fold": sf.balance(df, "label", name),
        lambda df, name="fold": sf.report(df, "label", name),
        lambda df, name="fold": sf.drift(df, "id", name),
        lambda df, name="fold": sf.extend(df, "label", name=name),
    ],
)
def test_fold_columns_not_yet_added(verb: Callable[..., Any]) -> None:
    """A fold column that is not there is added by `kfold`."""
    refuse_now(
        "There is no column 'fold'.\nHint: add it first, as in `df.strat.kfold(..., name='fold')`.",
        lambda: verb(pd.DataFrame(ROWS)),
    )


NAMED_READS: dict[str, Callable[..., Any]] = {
    "folds": lambda df, name: [values(fold.valid, "id") for fold in sf.folds(df, name)],
    "cv": lambda df, name: [valid.tolist() for _, valid in sf.cv(df, name)],
    "balance": lambda df, name: columns_of(sf.balance(df, "label", name)),
    "report": lambda df, name: columns_of(sf.report(df, "label", name)),
    "compare": lambda df, name: columns_of(sf.compare(df, "label", name)),
    "drift": lambda df, name: columns_of(sf.drift(df, "id", name)),
    "check": lambda df, name: str(sf.check(df, "label", name)),
    "leaks": lambda df, name: columns_of(sf.leaks(df, groups="id", name=name)),
    "extend": lambda df, name: columns_of(sf.extend(df, "label", name=name)),
}


@pytest.mark.parametrize("verb", NAMED_READS)
def test_a_name_means_its_repeats(frame: Make, verb: str) -> None:
    """Where there is no `fold`, every verb reads what `repeats` made of it."""
    read, names = NAMED_READS[verb], ["fold_1", "fold_2", "fold_3"]
    rows = {name: column for name, column in ROWS.items() if name != "tags"}
    three = sf.kfold(frame(rows), "label", 2, repeats=3)
    assert read(three, "fold") == read(three, names)
    whole = sf.kfold(three, "label", 2)
    assert read(whole, "fold") == read(whole, ["fold"])


@pytest.mark.parametrize(
    ("there", "wanted", "hint"),
    [
        (
            *("fold", "split"),
            "`df.strat.split(..., name='split')` adds it; `df.strat.folds()` reads 'fold'.",
        ),
        ("split", "fold", "`name=` says which column holds the folds: 'split' looks like one."),
    ],
)
def test_folds_and_parts_are_mixed_up(there: str, wanted: str, hint: str) -> None:
    """A frame with one of the two default columns is asked for the other."""
    refuse_now(
        f"There is no column {wanted!r}.\nHint: {hint}",
        lambda: sf.parts(pd.DataFrame({"x": [1, 2], there: [0, 1]}), wanted),
    )


def test_hints_at_missing_columns() -> None:
    """Many repeats are not all listed; parts are added by `split`; a MultiIndex has no tuples."""
    many = sf.split(pd.DataFrame(ROWS), "label", repeats=7)
    listed = ", ".join(f'"split_{place}"' for place in range(1, 6))
    refuse_now(
        "There is no column 'split'.\n"
        f"Hint: `repeats` added several columns: `name=[{listed}, ...]`.",
        lambda: sf.parts(many),
    )
    refuse_now(
        "There is no column 'split'.\n"
        "Hint: add it first, as in `df.strat.split(..., name='split')`.",
        lambda: sf.parts(pd.DataFrame(ROWS)),
    )
    deep = pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")]))
    refuse_now(
        "There is no column 'fold'.\nHint: add it first, as in `df.strat.kfold(..., name='fold')`.",
        lambda: sf.cv(deep),
    )


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
        ({"n": 1, "frac": 0.5}, n_or_frac(n=1, frac=0.5)),
        ({"n": -1}, "`n` must be at least 0, got -1."),
        ({"n": True}, "`n` must be a whole number, got True."),
        ({"n": 2.5}, "`n` must be a whole number, got 2.5."),
        ({"frac": -0.1}, from_0_to_1(-0.1)),
        ({"frac": 1.1}, from_0_to_1(1.1)),
        ({"frac": True}, from_0_to_1(True)),
        ({"frac": "a"}, from_0_to_1("a")),
        ({"frac": float("nan")}, from_0_to_1(float("nan"))),
        ({"n": 11}, "`n` must be at most the number of rows, got 11 for 10 rows."),
        (
            {"n": 1, "allocation": "fair"},
            "`allocation` must be 'proportional' or 'equal', got 'fair'.",
        ),
        ({"n": 1, "seed": -1}, "`seed` must be at least 0, got -1."),
    ],
)
def test_arguments_of_sample(arguments: dict[str, Any], message: str) -> None:
    """A sample of neither or both of `n` and `frac`, or of a wrong one, is refused."""
    refuse(message, lambda: sf.sample(pd.DataFrame(ROWS), "label", **arguments))


def test_numpy_frac(frame: Make) -> None:
    """A fraction of rows may be a numpy number of any width."""
    assert len(sf.sample(frame(ROWS), "label", frac=np.float32(0.5))) == 5
