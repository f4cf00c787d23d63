"""Using columns: folds, parts, cv and samples, also those without rows."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import stratframe as sf
from tests.engines.frames import heard
from tests.helpers import TWO_KINDS, Make, eager, make, values, warned
from tests.test_promises import shares


def split_in_odd_order(frame: Make) -> Any:
    """Split seven rows, of which one has no part, into parts of which one has no rows."""
    data = {"a": ["x"] * 6 + ["y"], "i": list(range(7))}
    return sf.split(frame(data), "a", {"test": 0.5, "none": 0.01, "train": 0.49}, rare="null")


@pytest.mark.filterwarnings("ignore:'none' has no rows:stratframe.StratWarning")
def test_parts_are_in_the_order_of_the_call(frame: Make) -> None:
    """Parts come in the order of the call that made them, even those without rows."""
    found = sf.parts(split_in_odd_order(frame))

    assert list(found) == ["test", "none", "train"]
    assert len(values(found["none"], "i")) == 0
    assert sorted(i for part in found.values() for i in values(part, "i")) == list(range(6))


@pytest.mark.filterwarnings("ignore:'none' has no rows:stratframe.StratWarning")
def test_parts_are_in_the_order_of_their_names(frame: Make) -> None:
    """Parts that the call names come in the order of its names."""
    train, none, test = sf.parts(
        split_in_odd_order(frame), names=("train", "none", "test")
    ).values()

    assert [len(values(part, "i")) for part in (train, none, test)] == [3, 0, 3]


@pytest.mark.filterwarnings("ignore:'none' has no rows:stratframe.StratWarning")
def test_parts_without_rows_need_no_name(frame: Make) -> None:
    """A call that names parts may leave out those without rows."""
    found = sf.parts(split_in_odd_order(frame), names=["train", "test"])
    assert list(found) == ["train", "test"]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        pytest.param(["b", "a", None, "b"], ["b", "a"], id="text_as_it_appears"),
        pytest.param([2, 0, None, 1, 10], [0, 1, 2, 10], id="numbers_by_size"),
        pytest.param([None, None], [], id="no_parts"),
        pytest.param(
            pl.Series(["test", "a", "train"], dtype=pl.Categorical),
            ["train", "test", "a"],
            id="parts_by_use_before_others",
        ),
    ],
)
def test_order_of_parts(frame: Make, column: Any, expected: list[Any]) -> None:
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


def test_a_fold_names_itself(frame: Make) -> None:
    """A fold shows its label, its column and, unless it is lazy, its numbers of rows."""
    data = {"fold_1": [0, 1] * 700, "fold_2": ["a", *["b"] * 1399]}
    pairs = list(sf.folds(frame(data), ["fold_1", "fold_2"]))
    named = [("fold_1", 0), ("fold_1", 1), ("fold_2", "a"), ("fold_2", "b")]
    assert [(pair.name, pair.fold) for pair in pairs] == named
    counts = [": 700 rows train, 700 valid"] * 2
    counts += [": 1,399 rows train, 1 valid", ": 1 row train, 1,399 valid"]
    for pair, count in zip(pairs, counts, strict=True):
        train, valid = pair
        assert (train is pair.train, valid is pair.valid) == (True, True)
        counted = "" if isinstance(train, pl.LazyFrame) else count
        assert repr(pair) == f"Fold {pair.fold!r} of {pair.name!r}{counted}"


@pytest.mark.parametrize("kind", TWO_KINDS)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.data(), st.integers(0, 99))
def test_samples_are_proportional(kind: str, column: Any, data: st.DataObject, seed: int) -> None:
    """A sample has `n` rows in their old order, each stratum its share rounded."""
    n = data.draw(st.integers(0, len(column)))
    frame = make(kind, {"a": column, "i": list(range(len(column)))})
    rows = values(sf.sample(frame, "a", n=n, seed=seed), "i")
    assert rows == sorted(set(rows))
    assert len(rows) == n
    sizes = Counter(column)
    for label, count in Counter(column[row] for row in rows).items():
        assert abs(count - sizes[label] * n / len(column)) < 1


UNEQUAL = {"a": ["x"] * 50 + ["y"] * 20 + ["z"] * 3}


@pytest.mark.parametrize(
    ("options", "n"),
    [
        pytest.param({"frac": 0.1}, 7, id="share"),
        pytest.param({"frac": np.float32(0.5)}, 36, id="half_of_an_odd_number"),
        pytest.param({"n": 73}, 73, id="all_rows"),
    ],
)
def test_sizes_of_samples(options: dict[str, Any], n: int) -> None:
    """A sample has `n` rows, or its share of the rows, rounded."""
    assert len(sf.sample(pd.DataFrame(UNEQUAL), "a", **options)) == n


def test_samples_of_equal_numbers() -> None:
    """Equal allocation passes on what small strata lack."""
    rows = sf.sample(pd.DataFrame(UNEQUAL), "a", n=33, allocation="equal")
    assert Counter(rows["a"]) == {"x": 15, "y": 15, "z": 3}


def test_a_continuous_sample_is_spread_over_the_values() -> None:
    """A sample stratified by a continuous column takes rows evenly along its values."""
    rows = pd.DataFrame({"v": [row + 0.5 for row in range(100)]})
    sample = sf.sample(rows, "v", n=10)
    assert np.diff([-10.0, *sample["v"], 110.0]).max() <= 22


def test_samples_of_small_shares() -> None:
    """A share below a millionth counts in full."""
    lots = pd.DataFrame({"a": np.zeros(2_500_000, dtype=np.int8)})
    assert len(sf.sample(lots, "a", frac=8e-7)) == 2


@pytest.mark.parametrize("allocation", ["equal", "proportional"])
def test_samples_of_nothing(frame: Make, allocation: Any) -> None:
    """An empty frame has an empty sample."""
    assert len(eager(sf.sample(frame({"a": []}), "a", n=0, allocation=allocation))) == 0


PARTS = {"train": 0.8, "valid": 0.1, "test": 0.1}
SEVEN = {
    "y": ["a"] * 7,
    "x": [i + 0.5 for i in range(7)],
    "id": range(7),
    "most": [True] * 6 + [False],
    "part": ["train"] * 6 + [None],
    "other": ["train"] * 6 + ["valid"],
}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda df: sf.split(df, "y", PARTS, seed=3),
            "'test' has no rows: its share of 7 rows is 0.7.",
            id="shares",
        ),
        pytest.param(
            lambda df: sf.split(df, "y", PARTS, seed=5, key="id"),
            "'valid' has no rows: its share of 7 rows is 0.7.",
            id="other_seed_and_key",
        ),
        pytest.param(
            lambda df: sf.split(df, "y", 0.05, deal="circular"),
            "'test' has no rows: its share of 7 rows is 0.35.",
            id="circular",
        ),
        pytest.param(
            lambda df: sf.split(df, "y", 0.05, deal="contiguous"),
            "'test' has no rows: its share of 7 rows is 0.35.",
            id="contiguous",
        ),
        pytest.param(
            lambda df: sf.split(df, sf.continuous("most"), {"a": 0.6, "b": 0.4}, deal="contiguous"),
            "'b' has no rows: its share of 7 rows is 2.8, but equal values stay in one part.",
            id="equal_values_of_one_part",
        ),
        pytest.param(
            lambda df: sf.kfold(df, sf.continuous("most"), 3, deal="contiguous"),
            "Fold 2 has no rows: its share of 7 rows is 2.333333333, but equal values stay"
            " in one fold.",
            id="equal_values_of_one_fold",
        ),
        pytest.param(
            lambda df: sf.split(df, "y", 0.01, where="most"),
            "'test' has no rows: its share of 6 rows is 0.06.",
            id="where",
        ),
        pytest.param(
            lambda df: sf.extend(
                df, "y", parts={"train": 0.5, "valid": 0.5}, name="part", where="most"
            ),
            "'valid' has no rows, and no new rows are left for it (its share of 6 rows is 3).",
            id="extend",
        ),
        pytest.param(
            lambda df: pl.DataFrame({"y": ["a"] * 7}).with_columns(
                pl.col("y").strat.split(PARTS, seed=3)
            ),
            "'test' has no rows: its share of 7 rows is 0.7.",
            id="expression",
        ),
        pytest.param(
            lambda df: sf.sample(df, "y", frac=0.01),
            "The sample is empty: 0.01 of 7 rows is 0.07.",
            id="sample",
        ),
        pytest.param(
            lambda df: sf.sample(df, sf.continuous("x"), frac=0.05, allocation="equal"),
            "The sample is empty: 0.05 of 7 rows is 0.35.",
            id="sample_of_equal_numbers",
        ),
    ],
)
def test_what_is_empty_is_said(call: Callable[[Any], Any], message: str) -> None:
    """A part without rows is a warning that names its share, and so is an empty sample."""
    warned(message, lambda: call(pd.DataFrame(SEVEN)))


def test_columns_that_are_extended_are_named() -> None:
    """Each of several columns has a warning that names it."""
    names = ["part", "other"]
    _, words = heard(lambda: sf.extend(pd.DataFrame(SEVEN), None, parts=PARTS, name=names))
    said = "{!r} has no rows in {!r}: its share of 7 rows is 0.7."
    assert words == [said.format("valid", "part"), said.format("test", "other")]


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(
            lambda df: sf.split(df, "y", {"train": None, "valid": 1, "test": 1}), id="counts"
        ),
        pytest.param(lambda df: sf.split(df, parts=0.01, key="id", deal="hash"), id="hash"),
        pytest.param(lambda df: sf.kfold(df, "y", 7), id="one_row_for_each_fold"),
        pytest.param(lambda df: sf.sample(df, "y", n=0), id="no_rows"),
        pytest.param(lambda df: sf.sample(df, "y", frac=0.0), id="no_share"),
        pytest.param(lambda df: sf.sample(df.head(0), "y", frac=0.5), id="a_share_of_no_rows"),
    ],
)
def test_nothing_is_said_of_what_was_asked_for(call: Callable[[Any], Any]) -> None:
    """Empty parts and samples that the call asked for come without a warning."""
    call(pd.DataFrame(SEVEN))


def about(columns: list[list[Any]], parts: dict[str, float]) -> list[str]:
    lines = []
    for part, share in parts.items():
        empty = [f"'split_{i}'" for i, column in enumerate(columns, 1) if part not in column]
        named = f" in {', '.join(empty)}" if len(columns) > 1 else ""
        due = f"{round(share * len(columns[0]), 2):g}"
        share = f"its share of {len(columns[0])} rows is {due}"
        if empty and float(due) < 1:
            lines.append(f"{part!r} has no rows{named}: {share}.")
        elif empty:
            lines.append(f"{part!r} has no rows{named}, and no new rows are left for it ({share}).")
    return [" ".join(lines)] if lines else []


LABELS = st.lists(st.integers(0, 2), min_size=4, max_size=30)
SEEDS = st.integers(0, 99)
GIVEN = st.lists(st.none() | st.integers(0, 3), min_size=6, max_size=30)
STRATA = ["y", ["y", sf.continuous("x")], sf.margins(["y"])]


@pytest.mark.parametrize("kind", TWO_KINDS)
@given(LABELS, shares(4), st.sampled_from([1, 3]), SEEDS, st.sampled_from(STRATA))
def test_a_warning_for_each_empty_part(kind, labels, parts, repeats, seed, by):
    """The warning names all parts that are empty, in all columns, and no others."""
    data = {"y": labels, "x": [i / 2 for i in range(len(labels))]}
    options: dict[str, Any] = {"rare": "ignore", "repeats": repeats, "seed": seed}
    out, words = heard(lambda: eager(sf.split(make(kind, data), by, parts, **options)))
    names = ["split"] if repeats == 1 else [f"split_{i}" for i in range(1, repeats + 1)]
    assert words == about([values(out, name) for name in names], parts)


@pytest.mark.parametrize("kind", TWO_KINDS)
@given(GIVEN, shares(4), st.booleans(), SEEDS)
@pytest.mark.filterwarnings("ignore:The largest group:stratframe.StratWarning")
def test_extended_parts_are_filled_or_named(kind, given_parts, parts, groups, seed):
    """New groups fill as many empty parts as they can; a part that stays empty is named."""
    names = list(parts)
    n = len(given_parts)
    column = [None if part is None else names[part] for part in given_parts]
    data = {"part": column, "who": [i // 2 for i in range(n)]}
    if groups:  # a group has the part of its first row
        data["part"] = [column[i // 2 * 2] for i in range(n)]
    options: dict[str, Any] = {"groups": "who" if groups else None, "seed": seed, "name": "part"}
    assume(not groups or len({*data["who"]}) >= len(parts))
    df = make(kind, data)
    out, words = heard(lambda: eager(sf.extend(df, None, parts=parts, **options)))
    after = values(out, "part")
    assert all(part in (None, new) for part, new in zip(data["part"], after, strict=True))
    assert [each for each in words if "has no rows" in each] == about([after], parts)
    if groups:
        new = {who for who, part in zip(data["who"], data["part"], strict=True) if part is None}
        n_empty = len(parts) - len({*data["part"]} - {None})
        assert len(parts) - len({*after}) == max(n_empty - len(new), 0)


def test_groups_fill_all_parts() -> None:
    """Five groups of 20 rows go to three parts, none of which is empty; also by counts."""
    df = pd.DataFrame({"y": [0, 1] * 50, "g": [row // 20 for row in range(100)]})
    for parts in (PARTS, {"train": None, "valid": 10, "test": 10}):
        out = sf.split(df, "y", parts, groups="g", repeats=3, rare="ignore")
        for name in ("split_1", "split_2", "split_3"):
            assert Counter(out[name]) == {"train": 60, "valid": 20, "test": 20}


@pytest.mark.parametrize("labels", [[True, False], [1, 0]], ids=str)
def test_flags_of_a_part_need_train(labels: list[Any]) -> None:
    """A column of flags that is named like a part needs `train`."""
    df = pd.DataFrame({"is_test": labels * 5})
    hint = rf"Hint: cv\('is_test', train={labels[1]}, valid={labels[0]}\)"
    with pytest.raises(sf.StratError, match=rf"look like parts.*\n{hint}"):
        sf.cv(df, "is_test")
    assert len(sf.cv(df, "is_test", train=labels[1], valid=labels[0])) == 1
