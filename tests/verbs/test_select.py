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

import stratframe as sf
from stratframe.errors import describe
from tests.helpers import (
    FOLDED,
    KINDS,
    ROWS,
    TWO_KINDS,
    Make,
    columns_of,
    eager,
    evaluate,
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


def test_parts_by_name(frame: Make) -> None:
    """Names give the order; parts of a category without rows may be listed or left out."""
    data = {"a": ["x"] * 6 + ["y"], "i": list(range(7))}
    parts = {"test": 0.5, "none": 0.01, "train": 0.49}
    made = sf.split(frame(data), "a", parts, rare="null")
    assert list(sf.parts(made, names=["train", "test"])) == ["train", "test"]
    train, none, test = sf.parts(made, names=("train", "none", "test")).values()
    assert [len(values(part, "i")) for part in (train, none, test)] == [3, 0, 3]


labels = st.lists(st.integers(0, 4), min_size=1, max_size=60)


@pytest.mark.parametrize("kind", TWO_KINDS)
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
    assert len(values(sf.sample(frame(data), "a", frac=np.float32(0.5)), "i")) == 36
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


BALANCE = lambda df, name: sf.balance(df, "label", name)  # noqa: E731 - one of many verbs


@pytest.mark.parametrize("verb", [sf.folds, sf.cv, sf.parts, BALANCE])
@pytest.mark.parametrize("name", [5, None, len, pl.col("fold"), [["fold"]]])
def test_names_of_fold_columns(verb: Callable[..., Any], name: Any) -> None:
    """Fold columns are named by a string or a list of them, one at least."""
    shown = ["fold"] if isinstance(name, list) and verb is not sf.parts else name
    hint = NOT_A_NUMBER if isinstance(name, int) else ""
    message = f"`name` must hold column names, got {describe(shown)}.{hint}"
    refuse_now(message, lambda: verb(pd.DataFrame(FOLDED), name))


@pytest.mark.parametrize("verb", [sf.folds, sf.cv, sf.parts, BALANCE])
def test_fold_column_that_is_not_there(verb: Callable[..., Any]) -> None:
    """A fold column that is not there is refused at the call, with the nearest name."""
    refuse_now(
        "`name` names the column 'flod', which the frame does not have.\n"
        "Hint: did you mean 'fold'? If not, add it first, as in"
        " `df.strat.kfold(..., name='flod')` or `split`.",
        lambda: verb(pd.DataFrame(FOLDED), "flod"),
    )


LABELS = "`names` must be a label or a list of labels, got"
WITH_ROWS = "\nHint: the parts with rows are 'train', 'test'."
PART_NAMES = {
    "['train', 'valid', 'test']": f"Column 'split' has no part 'valid'.{WITH_ROWS}",
    "['Train', 'test']": f"Column 'split' has no part 'Train'.{WITH_ROWS}",
    "['test']": f"`names` must list every part of 'split', but lacks 'train'.{WITH_ROWS}",
    "[['train']]": f"{LABELS} [['train']].",
    "[('a', ['b'])]": f"{LABELS} [('a', ['b'])].",
    "[]": f"{LABELS} [].",
    "pd.Series(range(100))": f"{LABELS} Series.",
    "['test', 'train', 'test']": "`names` must hold each label once, got 'test' twice.",
}


@pytest.mark.parametrize("names", PART_NAMES)
def test_other_names_of_parts(names: str) -> None:
    """Names that are not those of the parts are refused, and the message says which."""
    df = pd.DataFrame({"split": ["train", "test", None, "train"]})
    refuse_now(PART_NAMES[names], lambda: sf.parts(df, names=evaluate(names)))


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


N_OR_FRAC = "Exactly one of `n` and `frac` must be given, got"
FROM_0_TO_1 = "`frac` must be a number from 0 to 1, got"
SAMPLES = {
    "": f"{N_OR_FRAC} n=None and frac=None.",
    "n=1, frac=0.5": f"{N_OR_FRAC} n=1 and frac=0.5.",
    "n=-1": "`n` must be at least 0, got -1.",
    "n=True": "`n` must be a whole number, got True.",
    "n=2.5": "`n` must be a whole number, got 2.5.",
    "frac=-0.1": f"{FROM_0_TO_1} -0.1.",
    "frac=1.1": f"{FROM_0_TO_1} 1.1.",
    "frac=True": f"{FROM_0_TO_1} True.",
    "frac='a'": f"{FROM_0_TO_1} 'a'.",
    "frac=nan": f"{FROM_0_TO_1} nan.",
    "n=11": "`n` must be at most the number of rows, got 11 for 10 rows.",
    "n=1, allocation='fair'": "`allocation` must be 'proportional' or 'equal', got 'fair'.",
    "n=1, seed=-1": "`seed` must be at least 0, got -1.",
}


@pytest.mark.parametrize("arguments", SAMPLES)
def test_arguments_of_sample(arguments: str) -> None:
    """A sample of neither or both of `n` and `frac`, or of a wrong one, is refused."""
    given = evaluate(f"dict({arguments})")
    refuse(SAMPLES[arguments], lambda: sf.sample(pd.DataFrame(ROWS), "label", **given))
